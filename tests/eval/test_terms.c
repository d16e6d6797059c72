/* The evaluators against the checker's own reading of the same texts: the examples and random
 * programs of all operators. */
#include "../../semantics/domain_field.h"
#include "../../verify/field/field.h"
#include "../../verify/refute/instance.h"
#include "claim.h"
#include "load.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

/* whether an index is an element of a tensor */
static bool reads_places(const as_expr *expr, bool within) {
  if (within && expr->kind == AS_E_ACCESS)
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && reads_places(expr->kid[i], within || expr->kind == AS_E_ACCESS))
      return true;
  }
  return false;
}

static bool takes_extremum(const as_expr *expr) {
  if (expr->kind == AS_E_MAXR || expr->kind == AS_E_MINR)
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && takes_extremum(expr->kid[i]))
      return true;
  }
  return false;
}

/* whether a maximum or minimum is taken of a tensor without elements */
static bool has_empty_extremum(const as_graph *graph, const int64_t *env) {
  for (uint32_t i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    bool taken = false;
    for (uint32_t k = 0; node->kind == AS_N_OP && k < node->op->nlet; k++)
      taken |= takes_extremum(node->op->let[k].body);
    const as_node *arg = taken && node->nargs ? &graph->node[node->arg[0]] : NULL;
    for (uint32_t k = 0; arg && k < arg->rank; k++) {
      if (as_size_eval(graph->sizes, arg->dim[k], env) == 0)
        return true;
    }
  }
  return false;
}

/* at random small instances: graph evaluator = checker's terms, in the field, as doubles and by
 * intervals */
static long against_terms(const as_graph *other, const as_graph *mug, const load_claim *claim,
                          as_rng *rng, int64_t most, const char *name) {
  as_err err;
  as_err_init(&err);
  as_field_domain field;
  as_field_domain_init(&field, rng);
  as_instance instance;
  ck_assert(as_instance_init(&instance, other, mug, &err));
  long same = 0;
  for (int run = 0; run < 3; run++) {
    if (!as_instance_random(&instance, rng, most, 2000))
      continue;
    field.roots.n = 0;
    as_tensor *inputs[2] = {as_inputs_new(other, &field.d, instance.env, &err),
                            as_inputs_new(other, &as_domain_double, instance.env, &err)};
    ck_assert(inputs[0] && inputs[1]);
    mpq_t value;
    mpq_init(value);
    for (uint32_t i = 0; i < other->n_input; i++) {
      for (size_t k = 0; k < inputs[0][i].n; k++) {
        as_field_random(&field, rng, run & 1, as_tensor_at(&inputs[0][i], k), value);
        as_domain_double.from_q(&as_domain_double, as_tensor_at(&inputs[1][i], k), value);
      }
    }
    mpq_clear(value);
    for (int dom = 0; dom < 2; dom++) {
      for (uint32_t side = 0; side < 2; side++) {
        const as_graph *graph = side ? mug : other;
        as_tensor *out = as_calloc(graph->n_output + 1, sizeof *out);
        as_status status =
            as_eval_graph(graph, inputs[dom][0].d, instance.env, inputs[dom], out, &err);
        ck_assert_msg(status == AS_OK || (status == AS_NO && side), "%s: %s", name,
                      err.text ? err.text : "");
        for (uint32_t o = 0; status == AS_OK && o < graph->n_output;
             o++) { /* AS_NO: an obligation of the candidate fails at these sizes */
          const as_domain *domain = out[o].d;
          ck_id goal = load_claim_goal(claim, graph->node[graph->output[o]].name);
          ck_assert_msg(goal != CK_BAD, "%s: no goal for output %s", name,
                        graph->node[graph->output[o]].name);
          int64_t index[AS_MAX_RANK] = {0};
          void *v = as_dom_new(domain, 1);
          for (size_t k = 0; k < out[o].n; k++) {
            status = load_claim_value(claim, other, goal, side, instance.env, inputs[dom], index, v,
                                      &err);
            ck_assert_msg(status == AS_OK, "%s: term of output %s: %s", name,
                          graph->node[graph->output[o]].name, err.text ? err.text : "");
            const void *x = as_tensor_at(&out[o], k);
            unsigned fx = domain->flags(domain, x) & AS_F_NOVALUE;
            unsigned fv = domain->flags(domain, v) & AS_F_NOVALUE;
            /* a maximum over nothing has a base in terms; that it is none is an obligation */
            bool of_nothing = fx && !fv && has_empty_extremum(graph, instance.env);
            /* a rounding in the field has no value, and hides that it is of nothing */
            bool hidden = !dom && ((fx | fv) & AS_F_POISON);
            ck_assert_msg(of_nothing || hidden || ((fx ^ fv) & AS_F_UNDEF) == 0,
                          "%s: defined in one reading only (%u, %u) in %s", name, fx, fv,
                          domain->name);
            if (fx | fv) {
            } else if (dom) {
              double a = *(const double *)x;
              double b = *(double *)v;
              ck_assert_msg(fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b))),
                            "%s side %u: %.17g and %.17g", name, side, a, b);
              same++;
            } else {
              as_field_cmp r = as_field_compare(x, v);
              ck_assert_msg(r != AS_FC_DIFFER && r != AS_FC_APART && !as_field_apart(x, v),
                            "%s side %u: the readings differ in the field", name, side);
              same += r == AS_FC_SAME;
            }
            for (uint32_t i = out[o].rank; i-- > 0;) {
              if (++index[i] < out[o].dim[i])
                break;
              index[i] = 0;
            }
          }
          as_dom_free(domain, v, 1);
          as_tensor_clear(&out[o]);
        }
        free(out);
      }
    }
    as_inputs_free(other, inputs[0]);
    as_inputs_free(other, inputs[1]);
  }
  as_instance_clear(&instance);
  as_field_domain_clear(&field);
  as_err_clear(&err);
  return same;
}

START_TEST(examples_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 5);
  for (int i = 0; load_examples[i]; i++) {
    load_pair pair;
    load_pair_init(&pair, load_examples[i], lib);
    load_claim claim;
    ck_assert_msg(load_claim_init(&claim, lib, pair.tp_text, pair.mug_text), "%s",
                  load_examples[i]);
    long n = against_terms(pair.tp, pair.mug, &claim, &rng, 2, load_examples[i]);
    printf("%s: %ld elements agree with the checker's terms\n", load_examples[i], n);
    ck_assert_int_gt(n, 8);
    load_claim_clear(&claim);
    load_pair_clear(&pair);
  }
}

END_TEST

#include "pairs.inc"

START_TEST(pairs_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 23);
  long agree = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    as_sizes *sizes = as_sizes_new();
    as_graph *other = load_text(rows[i].given, sizes, lib, NULL);
    as_graph *graph = load_text(rows[i].cand, sizes, lib, other);
    load_claim claim;
    if (load_claim_init(&claim, lib, rows[i].given, rows[i].cand))
      agree += against_terms(other, graph, &claim, &rng, 3, rows[i].what);
    else
      ck_assert_msg(rows[i].e == WRONG, "%s: %s", rows[i].what, claim.why);
    load_claim_clear(&claim);
    as_graph_free(graph);
    as_graph_free(other);
    as_sizes_free(sizes);
  }
  printf("pairs: %ld elements agree\n", agree);
  ck_assert_int_gt(agree, 500);
}

END_TEST

START_TEST(mutants_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 17);
  for (int i = 0; load_examples[i]; i++) {
    load_pair pair;
    load_pair_init(&pair, load_examples[i], lib);
    long both = 0;
    long one = 0;
    long agree = 0;
    for (int t = 0; t < 60; t++) {
      char *text = load_mutate(pair.mug_text, &rng);
      as_graph *mugraph = strcmp(text, pair.mug_text) ? load_mug_text(text, pair.tp) : NULL;
      load_claim claim;
      if (mugraph && load_claim_init(&claim, lib, pair.tp_text, text)) {
        both++;
        agree += against_terms(pair.tp, mugraph, &claim, &rng, 2, text);
      } else {
        one += mugraph != NULL;
      }
      if (mugraph)
        load_claim_clear(&claim);
      as_graph_free(mugraph);
      free(text);
    }
    printf("%s: %ld mutants read by both, %ld refused by the checker's reader alone; %ld elements "
           "agree\n",
           load_examples[i], both, one, agree);
    ck_assert_int_gt(agree, 20);
    load_pair_clear(&pair);
  }
}

END_TEST

/* --- random programs */
static bool add_random_op(as_graph *graph, as_rng *rng, as_node_id *live, uint32_t *n_live) {
  as_attr attr[AS_MAX_ATTRS];
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  bool done = false;
  for (int t = 0; t < 200 && !done; t++) {
    const as_opdef *op = as_oplib_nth(lib, (uint32_t)as_rng_below(rng, as_oplib_count(lib)));
    if (reads_places(op->let[op->nlet - 1].body, false))
      continue; /* of integers, which inputs of programs are not */
    as_node_id arg[AS_MAX_ARGS];
    for (uint32_t i = 0; i < op->nargs; i++)
      arg[i] = live[as_rng_below(rng, *n_live)];
    for (uint32_t i = 0; i < op->nattrs; i++) {
      as_attr_set(&attr[i], &op->attr_default[i]);
      if (op->attr_has_default[i] && as_rng_below(rng, 2))
        continue;
      attr[i].is_size = true;
      attr[i].size = as_size_int(graph->sizes, (long)as_rng_below(rng, 3));
    }
    as_err err;
    as_err_init(&err);
    as_node_id id = as_graph_op(graph, AS_NONE, NULL, op, arg, op->nargs, attr, &err);
    as_err_clear(&err);
    if (id == AS_NONE || graph->node[id].rank > 4)
      continue;
    live[(*n_live)++] = id;
    done = true;
  }
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return done;
}

static as_graph *random_program(as_sizes *sizes, as_rng *rng) {
  as_err err;
  as_err_init(&err);
  as_graph *graph = as_graph_new(sizes, lib, NULL, "random");
  as_size extent;
  as_size size;
  ck_assert(as_graph_declare(graph, "M", (long)as_rng_below(rng, 2), -1, &extent, &err) &&
            as_graph_declare(graph, "N", (long)as_rng_below(rng, 2), -1, &size, &err));
  as_size pool[4] = {extent, size, as_size_int(sizes, 2), as_size_int(sizes, 1)};
  as_node_id live[32];
  uint32_t n_live = 0;
  for (int i = 0; i < 3; i++) {
    char name[3] = {'X', (char)('0' + i), 0};
    as_size dim[3];
    uint32_t rank = 1 + (uint32_t)as_rng_below(rng, 2);
    for (uint32_t k = 0; k < rank; k++)
      dim[k] = pool[as_rng_below(rng, i ? 4 : 2)];
    live[n_live++] = as_graph_input(graph, name, AS_F32, dim, rank, &err);
  }
  uint32_t ops = 1 + (uint32_t)as_rng_below(rng, 6);
  for (uint32_t i = 0; i < ops; i++) {
    if (!add_random_op(graph, rng, live, &n_live))
      break;
  }
  if (n_live == 3 || !as_graph_output(graph, live[n_live - 1], &err)) {
    as_graph_free(graph);
    graph = NULL;
  }
  as_err_clear(&err);
  return graph;
}

/* whether a function is called that the field takes for an arbitrary one */
static bool calls_builtin(const as_graph *graph) {
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP && as_opdef_calls_builtin(graph->node[i].op))
      return true;
  }
  return false;
}

/* over small integers: exact = double = field where there is an exact value */
static long exact_and_double(const as_graph *graph, as_rng *rng) {
  as_err err;
  as_err_init(&err);
  as_field_domain field;
  as_field_domain_init(&field, rng);
  bool builtin = calls_builtin(graph);
  as_instance instance;
  long n = 0;
  ck_assert(as_instance_init(&instance, graph, NULL, &err));
  if (as_instance_random(&instance, rng, 3, 2000)) {
    const as_domain *dom[3] = {&as_domain_exact, &as_domain_double, &field.d};
    as_tensor *inputs[3];
    as_tensor out[3];
    for (int k = 0; k < 3; k++)
      inputs[k] = as_inputs_new(graph, dom[k], instance.env, &err);
    for (uint32_t i = 0; i < graph->n_input; i++) {
      for (size_t k = 0; k < inputs[0][i].n; k++) {
        mpq_t *value = as_tensor_at(&inputs[0][i], k);
        mpq_set_si(*value, (long)as_rng_below(rng, 7) - 3, 1 + (as_rng_next(rng) & 1));
        mpq_canonicalize(*value);
        for (int d = 1; d < 3; d++)
          dom[d]->from_q(dom[d], as_tensor_at(&inputs[d][i], k), *value);
      }
    }
    for (int k = 0; k < 3; k++)
      ck_assert_int_eq(as_eval_graph(graph, dom[k], instance.env, inputs[k], &out[k], &err), AS_OK);
    void *u = as_dom_new(&field.d, 1);
    for (size_t k = 0; k < out[0].n; k++) {
      const void *x = as_tensor_at(&out[0], k);
      double v = *(double *)as_tensor_at(&out[1], k);
      unsigned flags = as_domain_exact.flags(&as_domain_exact, x);
      if (flags)
        continue;
      double w = mpq_get_d(*(const mpq_t *)x);
      field.d.from_q(&field.d, u, *(const mpq_t *)x);
      as_field_cmp c = builtin ? AS_FC_SAME : as_field_compare(u, as_tensor_at(&out[2], k));
      ck_assert_msg(c != AS_FC_DIFFER && c != AS_FC_APART,
                    "the field disagrees with the exact value %g", w);
      if (!isnan(v))
        ck_assert_msg(fabs(v - w) <= 1e-6 * fmax(1, fabs(w)), "exact %g, double %g", w, v);
      n++;
    }
    as_dom_free(&field.d, u, 1);
    for (int k = 0; k < 3; k++) {
      as_tensor_clear(&out[k]);
      as_inputs_free(graph, inputs[k]);
    }
  }
  as_instance_clear(&instance);
  as_field_domain_clear(&field);
  as_err_clear(&err);
  return n;
}

static long random_programs_of(uint64_t seed, int count) {
  as_rng rng;
  as_rng_seed(&rng, seed);
  long programs = 0;
  long agree = 0;
  long refused = 0;
  long same = 0;
  long exact = 0;
  for (int t = 0; t < count; t++) {
    as_sizes *sizes = as_sizes_new();
    as_graph *graph = random_program(sizes, &rng);
    if (graph) {
      programs++;
      char *text = as_print_tp(graph);
      load_claim claim;
      if (load_claim_init(&claim, lib, text, text)) {
        agree += against_terms(graph, graph, &claim, &rng, 3, text);
      } else if (!strstr(claim.why, "needed here, but false") &&
                 !strstr(claim.why, "never defined") &&
                 !strstr(claim.why, "are for integers")) { /* a division by a literal 0, say; a
                                                          remainder of reals */
        refused++;
        printf("%s\n%s", claim.why, text);
      }
      load_claim_clear(&claim);
      exact += exact_and_double(graph, &rng);
      as_field_report report;
      as_err err;
      as_err_init(&err);
      as_status status = as_field_test(graph, graph, NULL, &report, &err);
      ck_assert_msg(status != AS_NO, "a program differs from itself:\n%s", text);
      same += status == AS_OK;
      as_field_report_clear(&report);
      as_err_clear(&err);
      free(text);
      as_graph_free(graph);
    }
    as_sizes_free(sizes);
  }
  printf("%ld random programs: %ld elements agree with the checker's terms, %ld with exact values, "
         "%ld programs refused by its reader, %ld conclusive against themselves\n",
         programs, agree, exact, refused, same);
  ck_assert_int_ge(programs, count / 2);
  ck_assert_int_ge(agree, 3 * count);
  ck_assert_int_eq(refused, 0);
  return agree;
}

START_TEST(random_programs) {
  const char *more =
      getenv("READINGS"); /* until so many values agree, with a seed for each round */
  long agree = random_programs_of(99, 150);
  for (uint64_t seed = 100; more && agree < strtol(more, NULL, 10); seed++)
    agree += random_programs_of(seed, 500);
  printf("%ld values agree in all\n", agree);
}

END_TEST
START_TEST(random_programs_of_own_operators) {
  as_oplib *all = lib;
  char *path = load_path("tests/eval", "own", ".sem");
  as_err err;
  as_err_init(&err);
  lib = as_oplib_new();
  uint32_t n;
  const char *const *files = as_oplib_files(all, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (strstr(files[i], "elementwise"))
      ck_assert(as_oplib_load(lib, files[i], &err));
  }
  bool ok = as_oplib_load(lib, path, &err);
  ck_assert_msg(ok, "%s", err.text ? err.text : "");
  random_programs_of(7, 200);
  as_oplib_free(lib);
  lib = all;
  as_err_clear(&err);
  free(path);
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("terms", getenv("READINGS") ? 7200 : 240);
  tcase_add_test(tests, examples_against_the_checkers_reading);
  tcase_add_test(tests, pairs_against_the_checkers_reading);
  tcase_add_test(tests, mutants_against_the_checkers_reading);
  tcase_add_test(tests, random_programs);
  tcase_add_test(tests, random_programs_of_own_operators);
  int status = test_run("terms", tests);
  as_oplib_free(lib);
  return status;
}

/* The evaluators against the checker's own reading of the same texts: the examples and random
 * programs of all operators. */
#include "../../semantics/domain_field.h"
#include "../../verify/field/field.h"
#include "../../verify/refute/instance.h"
#include "claim.h"
#include "load.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static as_oplib *lib;

/* at random small instances: graph evaluator = checker's terms, in the field, as doubles and by
 * intervals */
static long against_terms(const as_graph *tp, const as_graph *mug, const load_claim *c, as_rng *rng,
                          int64_t most, const char *name) {
  as_err e;
  as_err_init(&e);
  as_field_domain F;
  as_field_domain_init(&F, rng);
  as_instance I;
  ck_assert(as_instance_init(&I, tp, mug, &e));
  long same = 0;
  for (int run = 0; run < 3; run++) {
    if (!as_instance_random(&I, rng, most, 2000))
      continue;
    F.roots.n = 0;
    as_tensor *in[2] = {as_inputs_new(tp, &F.d, I.env, &e),
                        as_inputs_new(tp, &as_domain_double, I.env, &e)};
    ck_assert(in[0] && in[1]);
    mpq_t q;
    mpq_init(q);
    for (uint32_t i = 0; i < tp->n_input; i++) {
      for (size_t k = 0; k < in[0][i].n; k++) {
        as_field_random(&F, rng, run & 1, as_tensor_at(&in[0][i], k), q);
        as_domain_double.from_q(&as_domain_double, as_tensor_at(&in[1][i], k), q);
      }
    }
    mpq_clear(q);
    for (int dom = 0; dom < 2; dom++) {
      for (uint32_t side = 0; side < 2; side++) {
        const as_graph *g = side ? mug : tp;
        as_tensor *out = as_calloc(g->n_output + 1, sizeof *out);
        as_status s = as_eval_graph(g, in[dom][0].d, I.env, in[dom], out, &e);
        ck_assert_msg(s == AS_OK || (s == AS_NO && side), "%s: %s", name, e.text ? e.text : "");
        for (uint32_t o = 0; s == AS_OK && o < g->n_output;
             o++) { /* AS_NO: an obligation of the candidate fails at these sizes */
          const as_domain *d = out[o].d;
          ck_id goal = load_claim_goal(c, g->node[g->output[o]].name);
          ck_assert_msg(goal != CK_BAD, "%s: no goal for output %s", name,
                        g->node[g->output[o]].name);
          int64_t ix[AS_MAX_RANK] = {0};
          void *v = as_dom_new(d, 1);
          for (size_t k = 0; k < out[o].n; k++) {
            s = load_claim_value(c, tp, goal, side, I.env, in[dom], ix, v, &e);
            ck_assert_msg(s == AS_OK, "%s: term of output %s: %s", name, g->node[g->output[o]].name,
                          e.text ? e.text : "");
            const void *x = as_tensor_at(&out[o], k);
            unsigned fx = d->flags(d, x) & AS_F_NOVALUE;
            unsigned fv = d->flags(d, v) & AS_F_NOVALUE;
            ck_assert_msg(((fx ^ fv) & AS_F_UNDEF) == 0,
                          "%s: defined in one reading only (%u, %u) in %s", name, fx, fv, d->name);
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
              if (++ix[i] < out[o].dim[i])
                break;
              ix[i] = 0;
            }
          }
          as_dom_free(d, v, 1);
          as_tensor_clear(&out[o]);
        }
        free(out);
      }
    }
    as_inputs_free(tp, in[0]);
    as_inputs_free(tp, in[1]);
  }
  as_instance_clear(&I);
  as_field_domain_clear(&F);
  as_err_clear(&e);
  return same;
}

START_TEST(examples_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 5);
  for (int i = 0; load_examples[i]; i++) {
    load_pair p;
    load_pair_init(&p, load_examples[i], lib);
    load_claim c;
    ck_assert_msg(load_claim_init(&c, lib, p.tp_text, p.mug_text), "%s", load_examples[i]);
    long n = against_terms(p.tp, p.mug, &c, &rng, 2, load_examples[i]);
    printf("%s: %ld elements agree with the checker's terms\n", load_examples[i], n);
    ck_assert_int_gt(n, 8);
    load_claim_clear(&c);
    load_pair_clear(&p);
  }
}

END_TEST

#include "pairs.inc"

START_TEST(pairs_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 23);
  long agree = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    as_sizes *S = as_sizes_new();
    as_graph *a = load_text(rows[i].given, S, lib, NULL);
    as_graph *b = load_text(rows[i].cand, S, lib, a);
    load_claim c;
    if (load_claim_init(&c, lib, rows[i].given, rows[i].cand))
      agree += against_terms(a, b, &c, &rng, 3, rows[i].what);
    else
      ck_assert_msg(rows[i].e == WRONG, "%s: %s", rows[i].what, c.why);
    load_claim_clear(&c);
    as_graph_free(b);
    as_graph_free(a);
    as_sizes_free(S);
  }
  printf("pairs: %ld elements agree\n", agree);
  ck_assert_int_gt(agree, 500);
}

END_TEST

START_TEST(mutants_against_the_checkers_reading) {
  as_rng rng;
  as_rng_seed(&rng, 17);
  for (int i = 0; load_examples[i]; i++) {
    load_pair p;
    load_pair_init(&p, load_examples[i], lib);
    long both = 0;
    long one = 0;
    long agree = 0;
    for (int t = 0; t < 60; t++) {
      char *text = load_mutate(p.mug_text, &rng);
      as_graph *m = strcmp(text, p.mug_text) ? load_mug_text(text, p.tp) : NULL;
      load_claim c;
      if (m && load_claim_init(&c, lib, p.tp_text, text)) {
        both++;
        agree += against_terms(p.tp, m, &c, &rng, 2, text);
      } else {
        one += m != NULL;
      }
      if (m)
        load_claim_clear(&c);
      as_graph_free(m);
      free(text);
    }
    printf("%s: %ld mutants read by both, %ld refused by the checker's reader alone; %ld elements "
           "agree\n",
           load_examples[i], both, one, agree);
    ck_assert_int_gt(agree, 20);
    load_pair_clear(&p);
  }
}

END_TEST

/* --- random programs */
static bool add_random_op(as_graph *g, as_rng *rng, as_node_id *live, uint32_t *n_live) {
  as_attr attr[AS_MAX_ATTRS];
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  bool done = false;
  for (int t = 0; t < 200 && !done; t++) {
    const as_opdef *op = as_oplib_nth(lib, (uint32_t)as_rng_below(rng, as_oplib_count(lib)));
    as_node_id arg[AS_MAX_ARGS];
    for (uint32_t i = 0; i < op->nargs; i++)
      arg[i] = live[as_rng_below(rng, *n_live)];
    for (uint32_t i = 0; i < op->nattrs; i++) {
      as_attr_set(&attr[i], &op->attr_default[i]);
      if (op->attr_has_default[i] && as_rng_below(rng, 2))
        continue;
      attr[i].is_size = true;
      attr[i].size = as_size_int(g->sizes, (long)as_rng_below(rng, 3));
    }
    as_err e;
    as_err_init(&e);
    as_node_id id = as_graph_op(g, AS_NONE, NULL, op, arg, op->nargs, attr, &e);
    as_err_clear(&e);
    if (id == AS_NONE || g->node[id].rank > 4)
      continue;
    live[(*n_live)++] = id;
    done = true;
  }
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return done;
}

static as_graph *random_program(as_sizes *S, as_rng *rng) {
  as_err e;
  as_err_init(&e);
  as_graph *g = as_graph_new(S, lib, NULL, "random");
  as_size m;
  as_size n;
  ck_assert(as_graph_declare(g, "M", (long)as_rng_below(rng, 2), -1, &m, &e) &&
            as_graph_declare(g, "N", (long)as_rng_below(rng, 2), -1, &n, &e));
  as_size pool[4] = {m, n, as_size_int(S, 2), as_size_int(S, 1)};
  as_node_id live[32];
  uint32_t n_live = 0;
  for (int i = 0; i < 3; i++) {
    char name[3] = {'X', (char)('0' + i), 0};
    as_size dim[3];
    uint32_t rank = 1 + (uint32_t)as_rng_below(rng, 2);
    for (uint32_t k = 0; k < rank; k++)
      dim[k] = pool[as_rng_below(rng, i ? 4 : 2)];
    live[n_live++] = as_graph_input(g, name, AS_F32, dim, rank, &e);
  }
  uint32_t ops = 1 + (uint32_t)as_rng_below(rng, 6);
  for (uint32_t i = 0; i < ops; i++) {
    if (!add_random_op(g, rng, live, &n_live))
      break;
  }
  if (n_live == 3 || !as_graph_output(g, live[n_live - 1], &e)) {
    as_graph_free(g);
    g = NULL;
  }
  as_err_clear(&e);
  return g;
}

/* over small integers: exact = double = field where there is an exact value */
static long exact_and_double(const as_graph *g, as_rng *rng) {
  as_err e;
  as_err_init(&e);
  as_field_domain F;
  as_field_domain_init(&F, rng);
  as_instance I;
  long n = 0;
  ck_assert(as_instance_init(&I, g, NULL, &e));
  if (as_instance_random(&I, rng, 3, 2000)) {
    const as_domain *dom[3] = {&as_domain_exact, &as_domain_double, &F.d};
    as_tensor *in[3];
    as_tensor out[3];
    for (int k = 0; k < 3; k++)
      in[k] = as_inputs_new(g, dom[k], I.env, &e);
    for (uint32_t i = 0; i < g->n_input; i++) {
      for (size_t k = 0; k < in[0][i].n; k++) {
        mpq_t *q = as_tensor_at(&in[0][i], k);
        mpq_set_si(*q, (long)as_rng_below(rng, 7) - 3, 1 + (as_rng_next(rng) & 1));
        mpq_canonicalize(*q);
        for (int d = 1; d < 3; d++)
          dom[d]->from_q(dom[d], as_tensor_at(&in[d][i], k), *q);
      }
    }
    for (int k = 0; k < 3; k++)
      ck_assert_int_eq(as_eval_graph(g, dom[k], I.env, in[k], &out[k], &e), AS_OK);
    void *u = as_dom_new(&F.d, 1);
    for (size_t k = 0; k < out[0].n; k++) {
      const void *x = as_tensor_at(&out[0], k);
      double v = *(double *)as_tensor_at(&out[1], k);
      unsigned f = as_domain_exact.flags(&as_domain_exact, x);
      if (f)
        continue;
      double w = mpq_get_d(*(const mpq_t *)x);
      F.d.from_q(&F.d, u, *(const mpq_t *)x);
      as_field_cmp c = as_field_compare(u, as_tensor_at(&out[2], k));
      ck_assert_msg(c != AS_FC_DIFFER && c != AS_FC_APART,
                    "the field disagrees with the exact value %g", w);
      if (!isnan(v))
        ck_assert_msg(fabs(v - w) <= 1e-6 * fmax(1, fabs(w)), "exact %g, double %g", w, v);
      n++;
    }
    as_dom_free(&F.d, u, 1);
    for (int k = 0; k < 3; k++) {
      as_tensor_clear(&out[k]);
      as_inputs_free(g, in[k]);
    }
  }
  as_instance_clear(&I);
  as_field_domain_clear(&F);
  as_err_clear(&e);
  return n;
}

static void random_programs_of(uint64_t seed, int count) {
  as_rng rng;
  as_rng_seed(&rng, seed);
  long programs = 0;
  long agree = 0;
  long refused = 0;
  long same = 0;
  long exact = 0;
  for (int t = 0; t < count; t++) {
    as_sizes *S = as_sizes_new();
    as_graph *g = random_program(S, &rng);
    if (g) {
      programs++;
      char *text = as_print_tp(g);
      load_claim c;
      if (load_claim_init(&c, lib, text, text)) {
        agree += against_terms(g, g, &c, &rng, 3, text);
      } else if (!strstr(c.why, "never defined") &&
                 !strstr(c.why, "are for integers")) { /* a division by a literal 0, say; a
                                                          remainder of reals */
        refused++;
        printf("%s\n%s", c.why, text);
      }
      load_claim_clear(&c);
      exact += exact_and_double(g, &rng);
      as_field_report r;
      as_err e;
      as_err_init(&e);
      as_status s = as_field_test(g, g, NULL, &r, &e);
      ck_assert_msg(s != AS_NO, "a program differs from itself:\n%s", text);
      same += s == AS_OK;
      as_field_report_clear(&r);
      as_err_clear(&e);
      free(text);
      as_graph_free(g);
    }
    as_sizes_free(S);
  }
  printf("%ld random programs: %ld elements agree with the checker's terms, %ld with exact values, "
         "%ld programs refused by its reader, %ld conclusive against themselves\n",
         programs, agree, exact, refused, same);
  ck_assert_int_ge(programs, count / 2);
  ck_assert_int_ge(agree, 3 * count);
  ck_assert_int_eq(refused, 0);
}

START_TEST(random_programs) {
  random_programs_of(99, 150);
}

END_TEST
START_TEST(random_programs_of_own_operators) {
  as_oplib *all = lib;
  char *path = load_path("tests/eval", "own", ".sem");
  as_err e;
  as_err_init(&e);
  lib = as_oplib_new();
  uint32_t n;
  const char *const *files = as_oplib_files(all, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (strstr(files[i], "elementwise"))
      ck_assert(as_oplib_load(lib, files[i], &e));
  }
  bool ok = as_oplib_load(lib, path, &e);
  ck_assert_msg(ok, "%s", e.text ? e.text : "");
  random_programs_of(7, 200);
  as_oplib_free(lib);
  lib = all;
  as_err_clear(&e);
  free(path);
}

END_TEST

int main(void) {
  lib = test_operators();
  TCase *tests = test_case("terms", 240);
  tcase_add_test(tests, examples_against_the_checkers_reading);
  tcase_add_test(tests, pairs_against_the_checkers_reading);
  tcase_add_test(tests, mutants_against_the_checkers_reading);
  tcase_add_test(tests, random_programs);
  tcase_add_test(tests, random_programs_of_own_operators);
  int status = test_run("terms", tests);
  as_oplib_free(lib);
  return status;
}

/* The two readings of rewrite rules agree: the checker's terms and the evaluators' graphs, at small
 * instances of every rule of examples/rules; and of readings.rule also the checker's obligations
 * and what the evaluators find defined.  A group is one axis to the checker; here it stands for
 * one, and elsewhere (test_refute) for any number. */
#include "../../proofs/checker/ck_claim.h"
#include "../../verify/field/term_eval.h"
#include "../../verify/refute/instance.h"
#include "../../verify/refute/refute.h"
#include "../../verify/refute/rule_assume.h"
#include "../../verify/refute/rule_inputs.h"
#include "../written_out.h"
#include "util.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>

typedef struct {
  const as_rule *r;
  const int64_t *env;
  const int64_t *ix;
  const as_tensor *in;
  const as_domain *d;
} world;

static bool var(void *arg, const char *name, int64_t *value) {
  const world *here = arg;
  if (name[0] == '$') {
    *value = here->ix[atoi(name + strcspn(name, "0123456789"))];
    return true;
  }
  bool group = strncmp(name, "..", 2) == 0;
  char *axis = group ? as_format("%s.0", name + 2) : as_format("%s", name);
  as_size size = as_size_find(here->r->sizes, axis);
  free(axis);
  if (size == AS_SIZE_BAD)
    return false;
  *value = here->env[size];
  return true;
}

static bool app(void *arg, const char *f, const char *sig, const int64_t *index,
                const void *const *real, uint32_t n, void *out) {
  const world *here = arg;
  (void)sig;
  const as_domain *domain = here->d;
  for (uint32_t i = 0; i < here->r->decl->n_input; i++) {
    if (strcmp(here->r->decl->node[here->r->decl->input[i]].name, f) != 0 || here->in[i].rank != n)
      continue;
    size_t at = 0;
    bool inside = true;
    for (uint32_t k = 0; k < n; k++) {
      inside = inside && index[k] >= 0 && index[k] < here->in[i].dim[k];
      at = at * (size_t)here->in[i].dim[k] + (size_t)index[k];
    }
    if (inside)
      domain->set(domain, out, as_tensor_at(&here->in[i], at));
    else
      domain->flag(domain, out, AS_F_UNDEF);
    return true;
  }
  if (strncmp(f, "func.", 5) != 0)
    return false;
  const as_func *func = as_oplib_func(here->r->decl->lib, f + 5);
  return func && func->n == n && as_func_run(func, domain, real, out, NULL) == AS_OK;
}

static ck_claim *claim_of(ck_terms *terms, const as_oplib *lib, const char *path, const char *text,
                          size_t len, const char *name) {
  uint32_t n;
  const char *const *files = as_oplib_files(lib, &n);
  ck_text *sem = as_calloc(n + 1, sizeof *sem);
  ck_text spec = {path, text, len};
  ck_text cand = {name, "", 0};
  for (uint32_t i = 0; i < n; i++) {
    sem[i].name = files[i];
    sem[i].text = as_read_file(files[i], &sem[i].len, NULL);
  }
  ck_msg msg = {0};
  ck_claim *claim = ck_claim_texts(terms, &spec, &cand, sem, n, &msg);
  free(msg.text);
  free(msg.file);
  for (uint32_t i = 0; i < n; i++)
    free((char *)sem[i].text);
  free(sem);
  return claim;
}

static ck_id equation(ck_terms *terms, const ck_claim *claim, const char *output) {
  size_t n = strlen(output);
  for (uint32_t i = 0; i < claim->n_goals; i++) {
    const char *text = claim->goals[i].name;
    if (strncmp(text, "eq.", 3) == 0 && strncmp(text + 3, output, n) == 0 &&
        (text[3 + n] == 0 || text[3 + n] == '@'))
      return written_out(terms, claim, claim->goals[i].formula);
  }
  return CK_BAD;
}

static long compare(const as_rule *rule, ck_terms *terms, const ck_claim *claim, const int64_t *env,
                    const as_tensor *inputs, const as_domain *domain, bool given) {
  long same = 0;
  const as_graph *graph = given ? rule->lhs : rule->rhs;
  as_tensor *out = as_calloc(graph->n_output + 1, sizeof *out);
  as_eval_marks marks;
  if (as_eval_graph_ops(graph, domain, env, inputs, out, 100000, &marks, NULL) != AS_OK) {
    free(out);
    return given ? -1 : 0;
  }
  for (uint32_t o = 0; o < rule->n_output && !(marks.flags & AS_F_UNDEF); o++) {
    ck_id goal = equation(terms, claim, rule->output[o]);
    ck_assert_msg(goal != CK_BAD, "%s: no goal for output %s", rule->name, rule->output[o]);
    int64_t index[AS_MAX_RANK] = {0};
    void *v = as_dom_new(domain, 1);
    for (size_t k = 0; k < out[o].n && k < 200; k++) {
      world here = {rule, env, index, inputs, domain};
      as_term_model model = {var, app, &here};
      as_err err;
      as_err_init(&err);
      domain->from_q(domain, v, graph->node[0].value);
      as_status status =
          as_term_eval(terms, ck_kid(terms, goal, given ? 0 : 1), domain, &model, 2000000, v, &err);
      ck_assert_msg(status == AS_OK || status == AS_UNKNOWN, "%s: %s", rule->name, err.text);
      const void *x = as_tensor_at(&out[o], k);
      if (status == AS_OK && !(domain->flags(domain, x) | domain->flags(domain, v))) {
        char *a = domain->print(domain, x);
        char *b = domain->print(domain, v);
        bool ok = domain == &as_domain_exact
                      ? domain->cmp(domain, x, v) == AS_C_EQ
                      : fabs(*(const double *)x - *(double *)v) <=
                            1e-9 * fmax(1, fmax(fabs(*(const double *)x), fabs(*(double *)v)));
        ck_assert_msg(
            ok, "%s, %s side, element %zu of %s: the evaluators say %s, the checker's terms %s",
            rule->name, given ? "given" : "other", k, rule->output[o], a, b);
        free(a);
        free(b);
        same++;
      } else {
        ck_assert_msg(status == AS_UNKNOWN ||
                          !(domain->flags(domain, v) & ~domain->flags(domain, x) & AS_F_UNDEF),
                      "%s: undefined by the checker's terms only", rule->name);
      }
      as_err_clear(&err);
      for (uint32_t i = out[o].rank; i-- > 0;) {
        if (++index[i] < out[o].dim[i])
          break;
        index[i] = 0;
      }
    }
    as_dom_free(domain, v, 1);
  }
  for (uint32_t o = 0; o < graph->n_output; o++)
    as_tensor_clear(&out[o]);
  free(out);
  return same;
}

static long at_instances(const as_rule *rule, ck_terms *terms, const ck_claim *claim, as_rng *rng) {
  as_instance instance;
  ck_assert(as_instance_init(&instance, rule->lhs, NULL, NULL));
  long same = 0;
  for (uint32_t t = 0; t < 6; t++) {
    if (!as_instance_between(&instance, rng, t & 1, 2 + t % 5, 500))
      continue;
    as_tensor *inputs = as_inputs_new(rule->lhs, &as_domain_exact, instance.env, NULL);
    as_tensor *real = as_inputs_new(rule->lhs, &as_domain_double, instance.env, NULL);
    if (inputs && as_rule_sample(rule, &(as_constants){.count = 0}, instance.env, NULL, inputs, rng,
                                 t, 100000)) {
      for (uint32_t i = 0; i < rule->decl->n_input; i++) {
        for (size_t k = 0; k < inputs[i].n; k++) {
          as_domain_double.from_q(&as_domain_double, as_tensor_at(&real[i], k),
                                  *(mpq_t *)as_tensor_at(&inputs[i], k));
        }
      }
      for (int dom = 0; dom < 2; dom++) {
        const as_domain *domain = dom ? &as_domain_double : &as_domain_exact;
        long n = compare(rule, terms, claim, instance.env, dom ? real : inputs, domain, true);
        if (n >= 0) {
          same += n + compare(rule, terms, claim, instance.env, dom ? real : inputs, domain,
                              false); /* the other side is read where the given one has a meaning */
        }
      }
    }
    as_inputs_free(rule->lhs, inputs);
    as_inputs_free(rule->lhs, real);
  }
  as_instance_clear(&instance);
  return same;
}

/* --- definedness: what the checker asks for holds exactly where the evaluators find every tensor
 * defined */
static const struct {
  char kind;
  uint32_t n;
} index_names[] = {{'i', 4}, {'k', 6}};

enum { MOST_INDICES = 10, TOP = 6 }; /* indices tried: 0 to TOP */

/* AS_OK, AS_NO, AS_UNKNOWN: for all values of these variables, the conditions imply the relation */
static as_status holds(ck_terms *terms, const ck_id *cond, uint32_t n, ck_id rel, const ck_id *term,
                       uint32_t nv, const world *here) {
  if (nv > 0) {
    as_status all = AS_OK;
    for (long x = 0; x <= TOP && all != AS_NO; x++) {
      ck_id with[100];
      ck_id value = ck_int(terms, x);
      ck_id id = ck_sub(terms, rel, term, &value, 1, NULL, 0);
      for (uint32_t i = 0; i < n; i++)
        with[i] = ck_sub(terms, cond[i], term, &value, 1, NULL, 0);
      as_status status = holds(terms, with, n, id, term + 1, nv - 1, here);
      if (status != AS_OK)
        all = status;
    }
    return all;
  }
  as_term_model model = {var, app, (void *)(uintptr_t)here};
  for (uint32_t i = 0; i < n; i++) {
    as_status status = as_term_holds(terms, cond[i], here->d, &model, 200000, NULL);
    if (status != AS_OK)
      return status == AS_NO ? AS_OK : status;
  }
  return as_term_holds(terms, rel, here->d, &model, 200000, NULL);
}

/* a clause, or a relation with conditions and free indices */
static as_status obligation(ck_terms *terms, ck_id term, const ck_id *cond, uint32_t n,
                            const world *here) {
  ck_id v[MOST_INDICES];
  ck_id kid[100];
  uint32_t nv = 0;
  if (ck_head(terms, term) == CK_ALL) {
    for (; nv < ck_index(terms, term); nv++) {
      v[nv] = ck_var(terms, (char[]){'$', 'i', (char)('0' + nv), 0},
                     'i'); /* whatever they were called */
    }
    n = ck_nkids(terms, term) - 1;
    for (uint32_t i = 0; i <= n; i++)
      kid[i] = ck_open(terms, ck_kid(terms, term, i), v, nv);
    return holds(terms, kid, n, kid[n], v, nv, here);
  }
  for (size_t z = 0; z < sizeof index_names / sizeof *index_names; z++) {
    for (uint32_t k = 0; k < index_names[z].n; k++) {
      ck_id id = ck_var(terms, (char[]){'$', index_names[z].kind, (char)('0' + k), 0}, 'i');
      bool has = ck_has_var(terms, term, id);
      for (uint32_t i = 0; i < n; i++)
        has = has || ck_has_var(terms, cond[i], id);
      if (has)
        v[nv++] = id;
    }
  }
  return holds(terms, cond, n, term, v, nv, here);
}

static as_status evaluated(const as_graph *graph, const int64_t *env, const as_tensor *inputs) {
  as_tensor *out = as_calloc(graph->n_output + 1, sizeof *out);
  as_eval_marks marks = {0};
  as_status status =
      as_eval_graph_ops(graph, &as_domain_exact, env, inputs, out, 200000, &marks, NULL);
  for (uint32_t o = 0; status == AS_OK && o < graph->n_output; o++)
    as_tensor_clear(&out[o]);
  free(out);
  return status != AS_OK            ? status
         : marks.flags & AS_F_UNDEF ? AS_NO
         : marks.flags              ? AS_UNKNOWN
                                    : AS_OK;
}

/* how many of the two questions are decided and answered alike */
static long definedness(const as_rule *rule, ck_terms *terms, const ck_claim *claim,
                        const int64_t *env, const as_tensor *inputs) {
  int64_t index[MOST_INDICES] = {0};
  world here = {rule, env, index, inputs, &as_domain_exact};
  as_status checker = AS_OK;
  as_status given = evaluated(rule->lhs, env, inputs);
  as_status other = evaluated(rule->rhs, env, inputs);
  bool stated = as_rule_holds(rule, env, NULL, inputs, 200000);
  for (uint32_t i = 0; i < rule->decl->n_fact; i++)
    stated = stated && as_fact_holds(rule->sizes, &rule->decl->fact[i], env);
  if (!stated)
    given = AS_NO;
  for (uint32_t i = 0; i < claim->n_stated + claim->n_given && checker != AS_NO; i++) {
    ck_id hyp = i < claim->n_stated ? claim->stated[i] : claim->given[i - claim->n_stated];
    as_status status = obligation(terms, written_out(terms, claim, hyp), NULL, 0, &here);
    if (status != AS_OK)
      checker = status;
  }
  if (checker > AS_NO || given > AS_NO)
    return 0;
  ck_assert_msg(checker == given, "%s: given side defined: checker %d, evaluators %d", rule->name,
                checker == AS_OK, given == AS_OK);
  if (given != AS_OK || other > AS_NO)
    return 1;
  for (uint32_t k = 0; k < claim->n_goals && checker != AS_NO; k++) {
    ck_id cond[100];
    uint32_t n = 0;
    const ck_goal *goal = &claim->goals[k];
    if (strncmp(goal->name, "call", 4) != 0)
      continue;
    for (; n < goal->n_conditions; n++)
      cond[n] = written_out(terms, claim, goal->condition[n]);
    as_status status = obligation(terms, written_out(terms, claim, goal->formula), cond, n, &here);
    if (status != AS_OK)
      checker = status;
  }
  if (checker > AS_NO)
    return 1;
  ck_assert_msg(checker == other, "%s: other side defined: checker %d, evaluators %d", rule->name,
                checker == AS_OK, other == AS_OK);
  return 2;
}

/* any sizes from 0, or those that the given side asks for */
static long defined_at_instances(const as_rule *rule, ck_terms *terms, const ck_claim *claim,
                                 as_rng *rng) {
  as_instance instance;
  ck_assert(as_instance_init(&instance, rule->lhs, NULL, NULL));
  long same = 0;
  for (uint32_t t = 0; t < 12; t++) {
    for (uint32_t i = 0; i < instance.n; i++) {
      instance.env[instance.sym[i]] =
          (int64_t)as_rng_below(rng, 4) - (as_size_least(rule->sizes, instance.sym[i]) < 0 ? 2 : 0);
    }
    bool least = true;
    for (uint32_t i = 0; i < instance.n; i++) {
      least =
          least && (as_size_least(rule->sizes, instance.sym[i]) < 0 ||
                    instance.env[instance.sym[i]] >= as_size_least(rule->sizes, instance.sym[i]));
    }
    if (t % 2 ? !as_instance_between(&instance, rng, t % 3 == 0, 3, 300) : !least)
      continue;
    as_tensor *inputs = as_inputs_new(rule->lhs, &as_domain_exact, instance.env, NULL);
    if (!inputs)
      continue;
    if (!as_rule_sample(
            rule, &(as_constants){.count = 0}, instance.env, NULL, inputs, rng, t,
            100000)) /* what the assumptions make undefined or false is to be seen too */
    {
      for (uint32_t i = 0; i < rule->decl->n_input; i++) {
        for (size_t k = 0; k < inputs[i].n; k++)
          mpq_set_si(*(mpq_t *)as_tensor_at(&inputs[i], k), (long)as_rng_below(rng, 2), 1);
      }
    }
    same += definedness(rule, terms, claim, instance.env, inputs);
    as_inputs_free(rule->lhs, inputs);
  }
  as_instance_clear(&instance);
  return same;
}

START_TEST(own_rules) {
  char *path = test_path("tests/rules/readings.rule");
  size_t len;
  char *text = as_read_file(path, &len, NULL);
  as_oplib *lib = test_operators();
  as_rulefile *file = as_rulefile_open(path, text, len, lib, NULL);
  as_rng rng;
  as_rng_seed(&rng, 29);
  long values = 0;
  long defined = 0;
  ck_assert_ptr_nonnull(file);
  for (uint32_t k = 0; k < 2 * as_rulefile_count(file); k++) {
    static const int one[AS_MAX_GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1};
    as_rule *rule = as_rule_read(file, k / 2, one, NULL);
    char *name = as_format("%s%s", as_rulefile_name(file, k / 2), k % 2 ? ".reverse" : "");
    ck_terms *terms = ck_terms_new();
    ck_claim *claim = claim_of(terms, lib, path, text, len, name);
    ck_assert_msg(rule && !rule->ill_formed && claim, "%s: not read", name);
    if (k % 2) {
      as_graph *graph = rule->lhs;
      rule->lhs = rule->rhs;
      rule->rhs = graph;
    }
    values += at_instances(rule, terms, claim, &rng);
    defined += defined_at_instances(rule, terms, claim, &rng);
    ck_claim_free(claim);
    ck_terms_free(terms);
    as_rule_free(rule);
    free(name);
  }
  printf("own rules: %ld values agree, and definedness %ld times\n", values, defined);
  ck_assert_int_gt(values, 1000);
  ck_assert_int_gt(defined, 1000);
  as_rulefile_free(file);
  as_oplib_free(lib);
  free(text);
  free(path);
}

END_TEST

static int is_rules(const struct dirent *entry) {
  return strlen(entry->d_name) > 5 &&
         strcmp(entry->d_name + strlen(entry->d_name) - 5, ".rule") == 0;
}

START_TEST(examples) {
  char *dir = test_path("examples/rules");
  struct dirent **list;
  int n = scandir(dir, &list, is_rules, alphasort);
  int seen = 0;
  int silent = 0;
  long same = 0;
  as_rng rng;
  as_rng_seed(&rng, 17);
  for (int i = 0; i < n; i++) {
    char *path = as_format("%s/%s", dir, list[i]->d_name);
    size_t len;
    char *text = as_read_file(path, &len, NULL);
    as_oplib *lib = test_operators();
    as_rulefile *file = as_rulefile_open(path, text, len, lib, NULL);
    ck_assert_msg(file != NULL, "%s", path);
    for (uint32_t k = 0; k < as_rulefile_count(file); k++) {
      static const int one[AS_MAX_GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1};
      as_rule *rule = as_rule_read(file, k, one, NULL);
      ck_terms *terms = ck_terms_new();
      ck_claim *claim = claim_of(terms, lib, path, text, len, as_rulefile_name(file, k));
      ck_assert_msg(rule != NULL, "%s", as_rulefile_name(file, k));
      ck_assert_msg(claim != NULL || rule->ill_formed || rule->expect == AS_EXPECT_REFUTED,
                    "%s: the checker cannot read it", rule->name);
      if (claim && !rule->ill_formed) {
        long m = at_instances(rule, terms, claim, &rng);
        same += m;
        silent += m == 0;
        seen++;
        if (m == 0 && getenv("RULES_VERBOSE"))
          printf("nothing compared: %s\n", rule->name);
      }
      ck_claim_free(claim);
      ck_terms_free(terms);
      as_rule_free(rule);
    }
    as_rulefile_free(file);
    as_oplib_free(lib);
    free(text);
    free(path);
    free(list[i]);
  }
  free(list);
  free(dir);
  printf("%d rules, %ld values agree; nothing to compare in %d\n", seen, same, silent);
  ck_assert_int_gt(seen, 250);
  ck_assert_int_lt(silent, seen / 10);
}

END_TEST

int main(void) {
  TCase *tests = test_case("readings", 600);
  tcase_add_test(tests, own_rules);
  tcase_add_test(tests, examples);
  return test_run("rules", tests);
}

/* The two readings of rewrite rules agree: the checker's terms and the evaluators' graphs, at small
 * instances of every rule of examples/rules; and of readings.rule also the checker's obligations
 * and what the evaluators find defined.  A group is one axis to the checker; here it stands for
 * one, and elsewhere (test_refute) for any number. */
#include "../../proofs/checker/ck_claim.h"
#include "../../verify/field/term_eval.h"
#include "../../verify/refute/instance.h"
#include "../../verify/refute/refute.h"
#include "../../verify/refute/rule_inputs.h"
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

static bool var(void *arg, const char *name, int64_t *v) {
  const world *W = arg;
  if (name[0] == '$') {
    *v = W->ix[atoi(name + strcspn(name, "0123456789"))];
    return true;
  }
  bool group = strncmp(name, "..", 2) == 0;
  char *axis = group ? as_format("%s.0", name + 2) : as_format("%s", name);
  as_size s = as_size_find(W->r->sizes, axis);
  free(axis);
  if (s == AS_SIZE_BAD)
    return false;
  *v = W->env[s];
  return true;
}

static bool app(void *arg, const char *f, const char *sig, const int64_t *ix,
                const void *const *real, uint32_t n, void *out) {
  const world *W = arg;
  (void)sig;
  const as_domain *d = W->d;
  for (uint32_t i = 0; i < W->r->decl->n_input; i++) {
    if (strcmp(W->r->decl->node[W->r->decl->input[i]].name, f) != 0 || W->in[i].rank != n)
      continue;
    size_t at = 0;
    bool inside = true;
    for (uint32_t k = 0; k < n; k++) {
      inside = inside && ix[k] >= 0 && ix[k] < W->in[i].dim[k];
      at = at * (size_t)W->in[i].dim[k] + (size_t)ix[k];
    }
    if (inside)
      d->set(d, out, as_tensor_at(&W->in[i], at));
    else
      d->flag(d, out, AS_F_UNDEF);
    return true;
  }
  if (strncmp(f, "func.", 5) != 0)
    return false;
  const as_func *fn = as_oplib_func(W->r->decl->lib, f + 5);
  return fn && fn->n == n && as_func_run(fn, d, real, out, NULL) == AS_OK;
}

static ck_claim *claim_of(ck_terms *T, const as_oplib *lib, const char *path, const char *text,
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
  ck_claim *c = ck_claim_texts(T, &spec, &cand, sem, n, &msg);
  free(msg.text);
  free(msg.file);
  for (uint32_t i = 0; i < n; i++)
    free((char *)sem[i].text);
  free(sem);
  return c;
}

static ck_id equation(const ck_claim *c, const char *output) {
  size_t n = strlen(output);
  for (uint32_t i = 0; i < c->n_goals; i++) {
    const char *s = c->goals[i].name;
    if (strncmp(s, "eq.", 3) == 0 && strncmp(s + 3, output, n) == 0 &&
        (s[3 + n] == 0 || s[3 + n] == '@'))
      return c->goals[i].formula;
  }
  return CK_BAD;
}

static long compare(const as_rule *r, ck_terms *T, const ck_claim *c, const int64_t *env,
                    const as_tensor *in, const as_domain *d, bool given) {
  long same = 0;
  const as_graph *g = given ? r->lhs : r->rhs;
  as_tensor *out = as_calloc(g->n_output + 1, sizeof *out);
  as_eval_marks marks;
  if (as_eval_graph_ops(g, d, env, in, out, 100000, &marks, NULL) != AS_OK) {
    free(out);
    return given ? -1 : 0;
  }
  for (uint32_t o = 0; o < r->n_output && !(marks.flags & AS_F_UNDEF); o++) {
    ck_id goal = equation(c, r->output[o]);
    ck_assert_msg(goal != CK_BAD, "%s: no goal for output %s", r->name, r->output[o]);
    int64_t ix[AS_MAX_RANK] = {0};
    void *v = as_dom_new(d, 1);
    for (size_t k = 0; k < out[o].n && k < 200; k++) {
      world W = {r, env, ix, in, d};
      as_term_model m = {var, app, &W};
      as_err e;
      as_err_init(&e);
      d->from_q(d, v, g->node[0].value);
      as_status s = as_term_eval(T, ck_kid(T, goal, given ? 0 : 1), d, &m, 2000000, v, &e);
      ck_assert_msg(s == AS_OK || s == AS_UNKNOWN, "%s: %s", r->name, e.text);
      const void *x = as_tensor_at(&out[o], k);
      if (s == AS_OK && !(d->flags(d, x) | d->flags(d, v))) {
        char *a = d->print(d, x);
        char *b = d->print(d, v);
        bool ok = d == &as_domain_exact
                      ? d->cmp(d, x, v) == AS_C_EQ
                      : fabs(*(const double *)x - *(double *)v) <=
                            1e-9 * fmax(1, fmax(fabs(*(const double *)x), fabs(*(double *)v)));
        ck_assert_msg(
            ok, "%s, %s side, element %zu of %s: the evaluators say %s, the checker's terms %s",
            r->name, given ? "given" : "other", k, r->output[o], a, b);
        free(a);
        free(b);
        same++;
      } else {
        ck_assert_msg(s == AS_UNKNOWN || !(d->flags(d, v) & ~d->flags(d, x) & AS_F_UNDEF),
                      "%s: undefined by the checker's terms only", r->name);
      }
      as_err_clear(&e);
      for (uint32_t i = out[o].rank; i-- > 0;) {
        if (++ix[i] < out[o].dim[i])
          break;
        ix[i] = 0;
      }
    }
    as_dom_free(d, v, 1);
  }
  for (uint32_t o = 0; o < g->n_output; o++)
    as_tensor_clear(&out[o]);
  free(out);
  return same;
}

static long at_instances(const as_rule *r, ck_terms *T, const ck_claim *c, as_rng *rng) {
  as_instance I;
  ck_assert(as_instance_init(&I, r->lhs, NULL, NULL));
  long same = 0;
  for (uint32_t t = 0; t < 6; t++) {
    if (!as_instance_between(&I, rng, t & 1, 2 + t % 5, 500))
      continue;
    as_tensor *in = as_inputs_new(r->lhs, &as_domain_exact, I.env, NULL);
    as_tensor *real = as_inputs_new(r->lhs, &as_domain_double, I.env, NULL);
    if (in && as_rule_sample(r, I.env, in, rng, t, 100000)) {
      for (uint32_t i = 0; i < r->decl->n_input; i++) {
        for (size_t k = 0; k < in[i].n; k++) {
          as_domain_double.from_q(&as_domain_double, as_tensor_at(&real[i], k),
                                  *(mpq_t *)as_tensor_at(&in[i], k));
        }
      }
      for (int dom = 0; dom < 2; dom++) {
        const as_domain *d = dom ? &as_domain_double : &as_domain_exact;
        long n = compare(r, T, c, I.env, dom ? real : in, d, true);
        if (n >= 0) {
          same += n + compare(r, T, c, I.env, dom ? real : in, d,
                              false); /* the other side is read where the given one has a meaning */
        }
      }
    }
    as_inputs_free(r->lhs, in);
    as_inputs_free(r->lhs, real);
  }
  as_instance_clear(&I);
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
static as_status holds(ck_terms *T, const ck_id *cond, uint32_t n, ck_id rel, const ck_id *v,
                       uint32_t nv, const world *W) {
  if (nv > 0) {
    as_status all = AS_OK;
    for (long x = 0; x <= TOP && all != AS_NO; x++) {
      ck_id with[100];
      ck_id value = ck_int(T, x);
      ck_id r = ck_sub(T, rel, v, &value, 1, NULL, 0);
      for (uint32_t i = 0; i < n; i++)
        with[i] = ck_sub(T, cond[i], v, &value, 1, NULL, 0);
      as_status s = holds(T, with, n, r, v + 1, nv - 1, W);
      if (s != AS_OK)
        all = s;
    }
    return all;
  }
  as_term_model m = {var, app, (void *)(uintptr_t)W};
  for (uint32_t i = 0; i < n; i++) {
    as_status s = as_term_holds(T, cond[i], W->d, &m, 200000, NULL);
    if (s != AS_OK)
      return s == AS_NO ? AS_OK : s;
  }
  return as_term_holds(T, rel, W->d, &m, 200000, NULL);
}

/* a clause, or a relation with conditions and free indices */
static as_status obligation(ck_terms *T, ck_id f, const ck_id *cond, uint32_t n, const world *W) {
  ck_id v[MOST_INDICES];
  ck_id kid[100];
  uint32_t nv = 0;
  if (ck_head(T, f) == CK_ALL) {
    for (; nv < ck_index(T, f); nv++) {
      v[nv] =
          ck_var(T, (char[]){'$', 'i', (char)('0' + nv), 0}, 'i'); /* whatever they were called */
    }
    n = ck_nkids(T, f) - 1;
    for (uint32_t i = 0; i <= n; i++)
      kid[i] = ck_open(T, ck_kid(T, f, i), v, nv);
    return holds(T, kid, n, kid[n], v, nv, W);
  }
  for (size_t z = 0; z < sizeof index_names / sizeof *index_names; z++) {
    for (uint32_t k = 0; k < index_names[z].n; k++) {
      ck_id x = ck_var(T, (char[]){'$', index_names[z].kind, (char)('0' + k), 0}, 'i');
      bool has = ck_has_var(T, f, x);
      for (uint32_t i = 0; i < n; i++)
        has = has || ck_has_var(T, cond[i], x);
      if (has)
        v[nv++] = x;
    }
  }
  return holds(T, cond, n, f, v, nv, W);
}

static as_status evaluated(const as_graph *g, const int64_t *env, const as_tensor *in) {
  as_tensor *out = as_calloc(g->n_output + 1, sizeof *out);
  as_eval_marks marks = {0};
  as_status s = as_eval_graph_ops(g, &as_domain_exact, env, in, out, 200000, &marks, NULL);
  for (uint32_t o = 0; s == AS_OK && o < g->n_output; o++)
    as_tensor_clear(&out[o]);
  free(out);
  return s != AS_OK ? s : marks.flags & AS_F_UNDEF ? AS_NO : marks.flags ? AS_UNKNOWN : AS_OK;
}

/* how many of the two questions are decided and answered alike */
static long definedness(const as_rule *r, ck_terms *T, const ck_claim *c, const int64_t *env,
                        const as_tensor *in) {
  int64_t ix[MOST_INDICES] = {0};
  world W = {r, env, ix, in, &as_domain_exact};
  as_status checker = AS_OK;
  as_status given = evaluated(r->lhs, env, in);
  as_status other = evaluated(r->rhs, env, in);
  bool stated = as_rule_holds(r, env, in, 200000);
  for (uint32_t i = 0; i < r->decl->n_fact; i++)
    stated = stated && as_fact_holds(r->sizes, &r->decl->fact[i], env);
  if (!stated)
    given = AS_NO;
  for (uint32_t i = 0; i < c->hyps.n && checker != AS_NO; i++) {
    as_status s = obligation(T, c->hyps.x[i], NULL, 0, &W);
    if (s != AS_OK)
      checker = s;
  }
  if (checker > AS_NO || given > AS_NO)
    return 0;
  ck_assert_msg(checker == given, "%s: given side defined: checker %d, evaluators %d", r->name,
                checker == AS_OK, given == AS_OK);
  if (given != AS_OK || other > AS_NO)
    return 1;
  for (uint32_t k = 0; k < c->n_goals && checker != AS_NO; k++) {
    ck_id cond[100];
    uint32_t n = 0;
    const ck_goal *g = &c->goals[k];
    if (strncmp(g->name, "call", 4) != 0)
      continue;
    for (uint32_t i = 0; i < g->n_allowed; i++) {
      bool hyp = false;
      for (uint32_t j = 0; j < c->hyps.n; j++)
        hyp = hyp || c->hyps.x[j] == g->allowed[i];
      if (!hyp)
        cond[n++] = g->allowed[i];
    }
    as_status s = obligation(T, g->formula, cond, n, &W);
    if (s != AS_OK)
      checker = s;
  }
  if (checker > AS_NO)
    return 1;
  ck_assert_msg(checker == other, "%s: other side defined: checker %d, evaluators %d", r->name,
                checker == AS_OK, other == AS_OK);
  return 2;
}

/* any sizes from 0, or those that the given side asks for */
static long defined_at_instances(const as_rule *r, ck_terms *T, const ck_claim *c, as_rng *rng) {
  as_instance I;
  ck_assert(as_instance_init(&I, r->lhs, NULL, NULL));
  long same = 0;
  for (uint32_t t = 0; t < 12; t++) {
    for (uint32_t i = 0; i < I.n; i++) {
      I.env[I.sym[i]] =
          (int64_t)as_rng_below(rng, 4) - (as_size_least(r->sizes, I.sym[i]) < 0 ? 2 : 0);
    }
    bool least = true;
    for (uint32_t i = 0; i < I.n; i++) {
      least = least && (as_size_least(r->sizes, I.sym[i]) < 0 ||
                        I.env[I.sym[i]] >= as_size_least(r->sizes, I.sym[i]));
    }
    if (t % 2 ? !as_instance_between(&I, rng, t % 3 == 0, 3, 300) : !least)
      continue;
    as_tensor *in = as_inputs_new(r->lhs, &as_domain_exact, I.env, NULL);
    if (!in)
      continue;
    if (!as_rule_sample(
            r, I.env, in, rng, t,
            100000)) /* what the assumptions make undefined or false is to be seen too */
    {
      for (uint32_t i = 0; i < r->decl->n_input; i++) {
        for (size_t k = 0; k < in[i].n; k++)
          mpq_set_si(*(mpq_t *)as_tensor_at(&in[i], k), (long)as_rng_below(rng, 2), 1);
      }
    }
    same += definedness(r, T, c, I.env, in);
    as_inputs_free(r->lhs, in);
  }
  as_instance_clear(&I);
  return same;
}

START_TEST(own_rules) {
  char *path = test_path("tests/rules/readings.rule");
  size_t len;
  char *text = as_read_file(path, &len, NULL);
  as_oplib *lib = test_operators();
  as_rulefile *f = as_rulefile_open(path, text, len, lib, NULL);
  as_rng rng;
  as_rng_seed(&rng, 29);
  long values = 0;
  long defined = 0;
  ck_assert_ptr_nonnull(f);
  for (uint32_t k = 0; k < 2 * as_rulefile_count(f); k++) {
    static const int one[AS_MAX_GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1};
    as_rule *r = as_rule_read(f, k / 2, one, NULL);
    char *name = as_format("%s%s", as_rulefile_name(f, k / 2), k % 2 ? ".reverse" : "");
    ck_terms *T = ck_terms_new();
    ck_claim *c = claim_of(T, lib, path, text, len, name);
    ck_assert_msg(r && !r->ill_formed && c, "%s: not read", name);
    if (k % 2) {
      as_graph *g = r->lhs;
      r->lhs = r->rhs;
      r->rhs = g;
    }
    values += at_instances(r, T, c, &rng);
    defined += defined_at_instances(r, T, c, &rng);
    ck_claim_free(c);
    ck_terms_free(T);
    as_rule_free(r);
    free(name);
  }
  printf("own rules: %ld values agree, and definedness %ld times\n", values, defined);
  ck_assert_int_gt(values, 1000);
  ck_assert_int_gt(defined, 1000);
  as_rulefile_free(f);
  as_oplib_free(lib);
  free(text);
  free(path);
}

END_TEST

static int is_rules(const struct dirent *e) {
  return strlen(e->d_name) > 5 && strcmp(e->d_name + strlen(e->d_name) - 5, ".rule") == 0;
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
    as_rulefile *f = as_rulefile_open(path, text, len, lib, NULL);
    ck_assert_msg(f != NULL, "%s", path);
    for (uint32_t k = 0; k < as_rulefile_count(f); k++) {
      static const int one[AS_MAX_GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1};
      as_rule *r = as_rule_read(f, k, one, NULL);
      ck_terms *T = ck_terms_new();
      ck_claim *c = claim_of(T, lib, path, text, len, as_rulefile_name(f, k));
      ck_assert_msg(r != NULL, "%s", as_rulefile_name(f, k));
      ck_assert_msg(c != NULL || r->ill_formed || r->expect == AS_EXPECT_REFUTED,
                    "%s: the checker cannot read it", r->name);
      if (c && !r->ill_formed) {
        long m = at_instances(r, T, c, &rng);
        same += m;
        silent += m == 0;
        seen++;
        if (m == 0 && getenv("RULES_VERBOSE"))
          printf("nothing compared: %s\n", r->name);
      }
      ck_claim_free(c);
      ck_terms_free(T);
      as_rule_free(r);
    }
    as_rulefile_free(f);
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

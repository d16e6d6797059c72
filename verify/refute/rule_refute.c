/* Trial, smallest first; what is found is made smaller, and replayed from the text before anybody
 * hears of it. */
#include "rule_refute.h"
#include "../../src/base/stats.h"
#include "instance.h"
#include "rule_inputs.h"
#include <stdlib.h>
#include <string.h>

const as_rule_budget as_rule_quick = {
    .seed = 1, .top = 2, .shapes = 3, .sizes = 10, .inputs = 3, .max_ops = 200000, .seconds = 5};
const as_rule_budget as_rule_thorough = {
    .seed = 2, .top = 5, .shapes = 8, .sizes = 60, .inputs = 8, .max_ops = 1000000, .seconds = 20};

enum {
  MOST_ELEMENTS = 300000,
  MOST_SHAPES = 16,
  MOST_GOOD = 16,
  MOST_NEAR = 250,
  MOST_SHRINKS = 400,
  MOST_SHRUNK = 64
};

/* a rule with its groups of so many axes; the last instances at which it is defined and its results
 * have elements */
typedef struct {
  as_rule *r;
  as_instance I;
  int64_t *good;
  uint32_t n_good;
} shape;

typedef struct {
  const as_rulefile *f;
  uint32_t index;
  bool reverse;
  const as_rule_budget *b;
  as_rule_tally *tally;
  as_rng rng;
  double until;
  shape s[MOST_SHAPES];
  uint32_t n;
  shape *now;
  as_cex cex;
  as_status status;
  as_err *err;
  uint32_t shrinks;
} job;

void as_rule_cex_clear(as_rule_cex *c) {
  as_cex_clear(&c->cex);
  as_rule_free(c->rule);
  memset(c, 0, sizeof *c);
}

static as_rule *read_rule(const as_rulefile *f, uint32_t i, bool reverse, const int *ranks,
                          as_err *err) {
  as_rule *r = as_rule_read(f, i, ranks, err);
  if (r && reverse) {
    as_graph *g = r->lhs;
    r->lhs = r->rhs;
    r->rhs = g;
  }
  return r;
}

/* --- shapes: no axes, one axis each, one group of 0 or 2, all of 2, then at random up to 3 */
static bool add_shape(job *J, const int *ranks) {
  for (uint32_t i = 0; i < J->n; i++) {
    bool same = true;
    for (uint32_t k = 0; k < J->s[i].r->n_group; k++)
      same = same && J->s[i].r->rank[k] == ranks[k];
    if (same)
      return true;
  }
  as_err e;
  as_err_init(&e);
  shape *s = &J->s[J->n];
  if ((s->r = read_rule(J->f, J->index, J->reverse, ranks, &e)) != NULL &&
      as_instance_init(&s->I, s->r->lhs, NULL, &e)) {
    for (as_node_id i = 0; i < s->r->lhs->n; i++) {
      for (uint32_t k = 0; k < s->r->lhs->node[i].rank; k++)
        as_instance_wish(&s->I, AS_SIZE_ONE, AS_REL_LE, s->r->lhs->node[i].dim[k]);
    }
    J->n++;
  } else if (J->n == 0) { /* it cannot be read, or not even with the least axes */
    as_err_set(J->err, e.status, "%s", e.text ? e.text : "ill-formed");
    J->status = e.status == AS_OK ? AS_INTERNAL : e.status;
  }
  bool ok = s->r != NULL || J->n > 0; /* with many axes, more than a tensor may have */
  if (s->r && s == &J->s[J->n]) {
    as_instance_clear(&s->I);
    as_rule_free(s->r);
    s->r = NULL;
  }
  as_err_clear(&e);
  return ok;
}

static void make_shapes(job *J, uint32_t groups) {
  int ranks[AS_MAX_GROUPS] = {0};
  uint32_t most = J->b->shapes < MOST_SHAPES ? J->b->shapes : MOST_SHAPES;
  if (!add_shape(J, ranks) || groups == 0)
    return;
  for (uint32_t i = 0; i < AS_MAX_GROUPS; i++)
    ranks[i] = 1;
  if (J->n < most)
    add_shape(J, ranks);
  for (int v = 2; v >= 0; v -= 2) {
    for (uint32_t i = 0; i < groups; i++) {
      ranks[i] = v;
      if (J->n < most)
        add_shape(J, ranks);
      ranks[i] = 1;
    }
  }
  for (uint32_t t = 0; t < 4 * most && J->n < most; t++) {
    for (uint32_t i = 0; i < groups; i++)
      ranks[i] = (int)as_rng_below(&J->rng, 4);
    add_shape(J, ranks);
  }
}

/* --- one instance */
static bool late(const job *J) {
  return J->until > 0 && as_now() > J->until;
}

/* the right side is ill-formed at any sizes: an instance at which the left one is not shows the
 * rule wrong */
static as_status ill_formed(const as_rule *r, const int64_t *env, const as_tensor *in,
                            uint64_t max_ops, as_given *given, as_cex *cex) {
  as_status s = as_compare_at(r->lhs, r->lhs, env, in, max_ops, given, cex, NULL);
  as_cex_clear(cex);
  if (s == AS_NO || *given != AS_GIVEN_DEFINED)
    return AS_UNKNOWN;
  cex->kind = AS_CEX_ILLFORMED;
  cex->method = "exact rationals";
  cex->given = as_strdup("defined");
  cex->candidate = as_strdup(r->ill_formed);
  as_compare_keep(r->lhs, r->rhs, env, in, cex);
  return AS_NO;
}

static void remember(shape *s) {
  uint32_t n = s->I.n_free;
  if (!s->good)
    s->good = as_calloc(MOST_GOOD * (n + 1), sizeof *s->good);
  for (uint32_t i = 0; i < n; i++)
    s->good[(s->n_good % MOST_GOOD) * n + i] = s->I.env[s->I.free[i]];
  s->n_good++;
}

static double elements(const job *J, const as_graph *g, bool all) {
  double n = 0;
  for (as_node_id i = 0; i < g->n; i++) {
    double m = 1;
    for (uint32_t k = 0; k < g->node[i].rank; k++)
      m *= (double)as_size_eval(g->sizes, g->node[i].dim[k], J->now->I.env);
    if (all || g->node[i].kind == AS_N_INPUT)
      n += m;
  }
  return n;
}

/* of the inputs; of everything that is computed */
static double elements_of(const job *J) {
  return elements(J, J->now->r->lhs, false);
}

static double elements_of_all(const job *J) {
  return elements(J, J->now->r->lhs, true) + elements(J, J->now->r->rhs, true);
}

/* an instance near one that was good: one or two symbols changed */
static bool near_good(job *J) {
  shape *s = J->now;
  uint32_t n = s->I.n_free;
  uint32_t kept = s->n_good < MOST_GOOD ? s->n_good : MOST_GOOD;
  if (kept == 0 || n == 0)
    return false;
  for (int t = 0; t < 20; t++) {
    const int64_t *from = s->good + as_rng_below(&J->rng, kept) * n;
    for (uint32_t i = 0; i < n; i++)
      s->I.env[s->I.free[i]] = from[i];
    for (uint64_t k = as_rng_below(&J->rng, 2) + 1; k > 0; k--)
      s->I.env[s->I.free[as_rng_below(&J->rng, n)]] += (int64_t)as_rng_below(&J->rng, 5) - 2;
    if (as_instance_settle(&s->I) && elements_of_all(J) <= MOST_NEAR)
      return true;
  }
  return false;
}

static void count(job *J, as_given given) {
  const as_rule *r = J->now->r;
  as_rule_tally *t = J->tally;
  t->inputs++;
  t->open += given == AS_GIVEN_OPEN;
  if (given != AS_GIVEN_DEFINED)
    return;
  t->defined++;
  bool any = false;
  for (uint32_t i = 0; i < r->n_output && !any; i++) {
    const as_node *n = &r->lhs->node[r->lhs->output[i]];
    any = true;
    for (uint32_t k = 0; k < n->rank; k++)
      any = any && as_size_eval(r->sizes, n->dim[k], J->now->I.env) > 0;
  }
  t->filled += any;
  if (any && elements_of_all(J) <= MOST_NEAR)
    remember(J->now);
}

/* true: nothing more is to be tried */
static bool compare(job *J, const as_tensor *in) {
  as_rule *r = J->now->r;
  as_err e;
  as_err_init(&e);
  as_given given;
  if (r->ill_formed) {
    as_status s = ill_formed(r, J->now->I.env, in, J->b->max_ops, &given, &J->cex);
    if (J->shrinks == 0)
      count(J, given);
    if (s == AS_NO)
      J->status = AS_NO;
    as_err_clear(&e);
    return J->status != AS_UNKNOWN;
  }
  as_status s =
      as_compare_at(r->lhs, r->rhs, J->now->I.env, in, J->b->max_ops, &given, &J->cex, &e);
  if (J->shrinks == 0)
    count(J, given);
  if (s == AS_BAD_INPUT || s == AS_INTERNAL) {
    J->status = s;
    as_err_set(J->err, s, "%s", e.text ? e.text : "the evaluation failed");
  }
  if (s == AS_NO)
    J->status = AS_NO;
  as_err_clear(&e);
  return J->status != AS_UNKNOWN;
}

static bool try_sizes(void *arg) {
  job *J = arg;
  as_rule *r = J->now->r;
  if (J->shrinks == 0)
    J->tally->sizes++;
  if (elements_of(J) > MOST_ELEMENTS) {
    J->tally->open++;
    return false;
  } /* too large: there may be such an instance */
  for (uint32_t t = 0; t < J->b->inputs; t++) {
    if (late(J))
      return true;
    as_tensor *in = as_inputs_new(r->lhs, &as_domain_exact, J->now->I.env, NULL);
    if (!in)
      return false;
    bool any = false;
    bool stop = false;
    for (uint32_t i = 0; i < r->lhs->n_input; i++)
      any = any || in[i].n > 0;
    if (as_rule_sample(r, J->now->I.env, in, &J->rng, t, J->b->max_ops))
      stop = compare(J, in);
    as_inputs_free(r->lhs, in);
    if (stop)
      return true;
    if (!any)
      return false;
  }
  return false;
}

/* instances of one shape with sizes up to top; all of them where they are few */
static bool try_top(job *J, int64_t top) {
  as_instance *I = &J->now->I;
  if (as_instance_count(I, top) <= 8.0 * J->b->sizes)
    return as_instance_each(I, &J->rng, top, UINT32_MAX, try_sizes, J) || J->status != AS_UNKNOWN;
  for (uint32_t k = 0; k < J->b->sizes; k++) { /* half of them without empty tensors */
    if (late(J))
      return true;
    bool steps = k % 4 == 3 && top > 0; /* and some where every result has elements */
    if ((k % 4 == 2 && near_good(J)) || (steps && as_instance_walk(I, &J->rng, top, 12))) {
      if (try_sizes(J))
        return true;
    } else if ((as_instance_between(I, &J->rng, k & 1 && top > 0 ? 1 : 0, top, 60) ||
                as_instance_walk(I, &J->rng, top, 12)) &&
               try_sizes(J)) {
      return true;
    }
  }
  return false;
}

/* --- making it smaller */
static bool still(job *J, const as_tensor *in) {
  as_cex old = J->cex;
  as_cex_init(&J->cex);
  J->status = AS_UNKNOWN;
  J->shrinks++;
  as_rule *r = J->now->r;
  bool found =
      as_rule_holds(r, J->now->I.env, in, J->b->max_ops) && compare(J, in) && J->status == AS_NO;
  if (found) {
    as_cex_clear(&old);
  } else {
    as_cex_clear(&J->cex);
    J->cex = old;
  }
  J->status = AS_NO;
  return found;
}

static void shrink_sizes(job *J) {
  as_instance *I = &J->now->I;
  int64_t *best = as_calloc(I->n + 1, sizeof *best);
  for (uint32_t i = 0; i < I->n_free; i++) {
    for (int64_t k = 0; J->shrinks < MOST_SHRINKS / 2; k++) {
      for (uint32_t s = 0; s < I->n; s++)
        best[s] = I->env[I->sym[s]];
      if (!as_instance_simpler(I, i, k))
        break;
      bool found = false;
      if (as_instance_settle(I)) {
        for (uint32_t t = 0; t < 3 * J->b->inputs && !found; t++) {
          as_tensor *in = as_inputs_new(J->now->r->lhs, &as_domain_exact, I->env, NULL);
          found = in && as_rule_sample(J->now->r, I->env, in, &J->rng, t, J->b->max_ops) &&
                  still(J, in);
          as_inputs_free(J->now->r->lhs, in);
        }
      }
      if (found)
        break;
      for (uint32_t s = 0; s < I->n; s++)
        I->env[I->sym[s]] = best[s];
    }
  }
  free(best);
}

static void shrink_values(job *J) {
  static const long simple[] = {0, 1, -1, 2, -2, 4};
  as_rule *r = J->now->r;
  as_tensor *in = as_inputs_new(r->lhs, &as_domain_exact, J->now->I.env, NULL);
  uint32_t done = 0;
  for (uint32_t i = 0; in && i < r->lhs->n_input; i++) {
    for (size_t k = 0; k < in[i].n; k++) {
      as_domain_exact.set(&as_domain_exact, as_tensor_at(&in[i], k),
                          as_tensor_at(&J->cex.input[i], k));
    }
  }
  for (uint32_t i = 0; in && i < r->lhs->n_input; i++) {
    for (size_t k = 0; k < in[i].n && done < MOST_SHRUNK; k++, done++) {
      mpq_t *q = as_tensor_at(&in[i], k);
      mpq_t old;
      mpq_init(old);
      mpq_set(old, *q);
      bool found = false;
      for (size_t c = 0; c < sizeof simple / sizeof *simple && !found && J->shrinks < MOST_SHRINKS;
           c++) {
        if (mpq_cmp_si(old, simple[c], 1) == 0)
          break;
        mpq_set_si(*q, simple[c], 1);
        found = still(J, in);
      }
      if (!found)
        mpq_set(*q, old);
      mpq_clear(old);
    }
  }
  as_inputs_free(r->lhs, in);
}

/* --- all of it */
static void search(job *J) {
  for (int64_t top = 0; top <= J->b->top; top++) {
    for (uint32_t i = 0; i < J->n && J->status == AS_UNKNOWN && !late(J); i++) {
      J->now = &J->s[i];
      if (try_top(J, top))
        return;
    }
  }
  for (uint32_t i = 0; i < J->n && J->status == AS_UNKNOWN; i++) {
    J->now = &J->s[i];
    for (uint32_t k = 0; k < 3 * J->b->sizes && J->now->n_good && !late(J); k++) {
      if (near_good(J) && try_sizes(J))
        return;
    }
  }
  /* relations and fixed numbers may force larger sizes; assumptions that no inputs satisfy at small
   * ones do not */
  for (int64_t top = 4 * J->b->top;
       top <= (int64_t)1 << 40 && J->tally->defined == 0 && J->status == AS_UNKNOWN; top *= 4) {
    bool sizes = J->tally->sizes > 0;
    bool inputs = J->tally->inputs > 0;
    if (sizes && top > (inputs ? 16 : 4) * J->b->top)
      return;
    if (J->tally->open && top > 1024 * J->b->top)
      return;
    for (uint32_t i = 0; i < J->n && J->status == AS_UNKNOWN && !late(J); i++) {
      J->now = &J->s[i];
      for (uint32_t k = 0; k < J->b->sizes / 8 + 1 && !late(J); k++) {
        if (as_instance_between(&J->now->I, &J->rng, k & 1, top, 200) ||
            as_instance_walk(&J->now->I, &J->rng, top, 40)) {
          if (k & 1 || elements_of(J) > MOST_ELEMENTS)
            as_instance_reduce(&J->now->I, 256);
          if (try_sizes(J))
            return;
        }
      }
    }
  }
}

as_status as_rule_refute(const as_rulefile *f, uint32_t i, bool reverse, const as_rule_budget *b,
                         as_rule_cex *cex, as_rule_tally *tally, as_err *err) {
  as_stats_add(AS_STAT_TRIALS, 1);
  memset(cex, 0, sizeof *cex);
  job *J = as_calloc(1, sizeof *J);
  *J = (job){.f = f,
             .index = i,
             .reverse = reverse,
             .b = b,
             .tally = tally,
             .status = AS_UNKNOWN,
             .err = err};
  as_rng_seed(&J->rng, b->seed);
  J->until = b->seconds > 0 ? as_now() + b->seconds : 0;
  as_rule *plain = as_rule_read(f, i, NULL, err);
  if (plain == NULL) {
    J->status = AS_BAD_INPUT;
  } else if (plain->ill_formed &&
             reverse) { /* the given side is never well formed: there are no instances */
    as_rule_free(plain);
    free(J);
    return AS_UNKNOWN;
  } else {
    make_shapes(J, plain->n_group);
    as_rule_free(plain);
  }
  if (J->status == AS_UNKNOWN)
    search(J);
  if (J->status == AS_NO) {
    shrink_sizes(J);
    shrink_values(J);
    cex->rule = J->now->r;
    cex->reverse = reverse;
    cex->cex = J->cex;
    J->now->r = NULL;
    if (as_rule_replay(f, i, cex, err) != AS_NO) {
      as_err_set(err, AS_INTERNAL,
                 "a counterexample was found that does not stand when it is replayed");
      J->status = AS_INTERNAL;
    }
  }
  for (uint32_t k = 0; k < J->n; k++) {
    as_instance_clear(&J->s[k].I);
    as_rule_free(J->s[k].r);
    free(J->s[k].good);
  }
  as_status s = J->status;
  as_interval_forget();
  free(J);
  return s;
}

as_status as_rule_replay(const as_rulefile *f, uint32_t i, const as_rule_cex *c, as_err *err) {
  as_rule *r = read_rule(f, i, c->reverse, c->rule->rank, err);
  if (r == NULL)
    return AS_BAD_INPUT;
  int64_t *env = as_env_new(r->sizes);
  as_status s = AS_OK;
  bool fits = c->cex.n_inputs == r->lhs->n_input;
  for (uint32_t k = 0; k < c->cex.n_sizes && fits; k++) {
    as_size x = as_size_find(r->sizes, as_size_name(c->rule->sizes, c->cex.size[k]));
    fits = x != AS_SIZE_BAD && (as_size_least(r->sizes, x) == AS_SIZE_NO_LEAST ||
                                c->cex.value[k] >= as_size_least(r->sizes, x));
    if (fits)
      env[x] = c->cex.value[k];
  }
  for (uint32_t k = 0; k < r->decl->n_fact && fits; k++)
    fits = as_fact_holds(r->sizes, &r->decl->fact[k], env);
  if (fits && as_rule_holds(r, env, c->cex.input, 0)) {
    as_cex again;
    as_given given;
    s = r->ill_formed ? ill_formed(r, env, c->cex.input, 0, &given, &again)
                      : as_compare_at(r->lhs, r->rhs, env, c->cex.input, 0, NULL, &again, err);
    if (s == AS_NO && again.kind != c->cex.kind)
      s = AS_UNKNOWN;
    as_cex_clear(&again);
  } else {
    as_err_set(err, AS_OK, "the instance does not satisfy what the rule states");
  }
  free(env);
  as_rule_free(r);
  return s;
}

/* --- text */
static void tensor_text(as_str *s, const as_tensor *t, uint32_t axis, size_t *at, uint32_t *shown) {
  if (axis == t->rank) {
    char *v = as_domain_exact.print(&as_domain_exact, as_tensor_at(t, (*at)++));
    if (++*shown <= 64)
      as_str_add(s, v);
    free(v);
    return;
  }
  as_str_add(s, "[");
  for (int64_t i = 0; i < t->dim[axis]; i++) {
    if (*shown >= 64) {
      as_str_add(s, " ...");
      break;
    }
    if (i)
      as_str_add(s, ", ");
    tensor_text(s, t, axis + 1, at, shown);
  }
  as_str_add(s, "]");
}

static void sizes_text(as_str *s, const as_rule_cex *c) {
  const as_rule *r = c->rule;
  const char *sep = "";
  for (uint32_t i = 0; i < c->cex.n_sizes; i++) {
    const char *name = as_size_name(r->sizes, c->cex.size[i]);
    if (strchr(name, '.'))
      continue; /* an axis of a group */
    as_str_printf(s, "%s%s = %lld", sep, name, (long long)c->cex.value[i]);
    sep = ", ";
  }
  for (uint32_t i = 0; i < r->n_group; i++) {
    as_str_printf(s, "%s%s = [", sep, r->group[i]);
    sep = ", ";
    for (int k = 0; k < r->rank[i]; k++) {
      char *name = as_format("%s.%d", r->group[i], k);
      for (uint32_t j = 0; j < c->cex.n_sizes; j++) {
        if (strcmp(as_size_name(r->sizes, c->cex.size[j]), name) == 0)
          as_str_printf(s, "%s%lld", k ? ", " : "", (long long)c->cex.value[j]);
      }
      free(name);
    }
    as_str_add(s, "]");
  }
}

char *as_rule_cex_print(const as_rule_cex *c, const char *indent) {
  static const char *const names[] = {"left side", "right side"};
  const char *given = names[c->reverse];
  const char *other = names[!c->reverse];
  const as_cex *x = &c->cex;
  as_str s;
  as_str_init(&s);
  if (x->n_sizes || c->rule->n_group) {
    as_str_add(&s, indent);
    sizes_text(&s, c);
    as_str_add(&s, "\n");
  }
  for (uint32_t i = 0; i < x->n_inputs; i++) {
    size_t at = 0;
    uint32_t shown = 0;
    as_str_printf(&s, "%s%s = ", indent, c->rule->lhs->node[c->rule->lhs->input[i]].name);
    tensor_text(&s, &x->input[i], 0, &at, &shown);
    as_str_add(&s, "\n");
  }
  const char *name = x->output < c->rule->n_output ? c->rule->output[x->output] : "?";
  as_str_printf(&s, "%s", indent);
  switch (x->kind) {
  case AS_CEX_VALUE:
  case AS_CEX_UNDEFINED:
    if (x->output == AS_NONE) {
      as_str_printf(&s, "%s defined, %s undefined: %s", given, other, x->candidate);
      break;
    }
    as_str_add(&s, name);
    for (uint32_t i = 0; i < x->rank; i++)
      as_str_printf(&s, "%s%lld", i ? ", " : "[", (long long)x->index[i]);
    as_str_printf(&s, "%s: %s %s, %s %s", x->rank ? "]" : "", given, x->given, other, x->candidate);
    if (strcmp(x->method, "intervals") == 0)
      as_str_add(&s, " (enclosures that do not meet)");
    break;
  case AS_CEX_SHAPE:
    as_str_printf(&s, "%s: %s of shape %s, %s of shape %s", name, given, x->given, other,
                  x->candidate);
    break;
  case AS_CEX_ILLFORMED:
    as_str_printf(&s, "%s well formed, %s not: %s", given, other, x->candidate);
    break;
  }
  as_str_add(&s, "\n");
  return as_str_take(&s);
}

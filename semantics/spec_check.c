/* What is checked of an operator's specification, at small random shapes with axes of 0 and 1 and
 * attributes below zero among them:
 * - its shape rule is total: wherever arguments fit and the requirements hold, every extent of the
 * result has a value.  Where one is negative, each call has the obligation that it is not
 * (semantics/SEMANTICS.md section 2), and that is said;
 * - wherever the requirements hold no access leaves its tensor;
 * - exact rationals, the finite field, doubles and intervals give the same elements;
 * - what can be undefined is stated: each division, root, logarithm, remainder, maximum and
 * index that is data in the body, with the conditions under which it is reached, is listed; an
 * element that is undefined though nothing is listed is a defect. */
#include "spec_check.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 600, CALLS = 120, MOST = 3, LEAST = -2, MOST_ELEMENTS = 4096 };

void as_spec_report_clear(as_spec_report *r) {
  for (size_t i = 0; i < r->condition.n; i++)
    free(AS_VEC_AT(&r->condition, char *, i));
  as_vec_clear(&r->condition);
  free(r->negative);
  free(r->defect);
}

/* ---- definedness */
typedef struct {
  as_vec *out;
  const char *in;
  const as_func *seen[64];
  uint32_t n_seen;
} definedness;

static void need(definedness *d, const char *guard, const char *before, const as_expr *e,
                 const char *after) {
  char *text = as_expr_print(e);
  char *line;
  line = as_format("%s%s%s%s%s%s%s%s", before, text, after, *guard ? " where " : "", guard,
                   d->in ? " (in " : "", d->in ? d->in : "", d->in ? ")" : "");
  free(text);
  for (size_t i = 0; i < d->out->n; i++)
    if (strcmp(AS_VEC_AT(d->out, char *, i), line) == 0) {
      free(line);
      return;
    }
  as_vec_push(d->out, &line);
}

static bool number_above(const as_expr *e, int least) {
  return e->kind == AS_E_NUM && mpq_cmp_si(e->num, least, 1) >= 0 &&
         (least > 0 || mpq_sgn(e->num) != 0);
}

static void walk(definedness *d, const as_expr *e, const char *guard);

static void walk_if(definedness *d, const as_expr *e, const char *guard) {
  char *cond = as_expr_print(e->kid[0]);
  walk(d, e->kid[0], guard);
  for (uint32_t i = 1; i < 3; i++) {
    bool simple = e->kid[0]->kind == AS_E_REL;
    char *more = as_format("%s%s%s%s%s", guard, *guard ? " and " : "",
                           i == 1   ? ""
                           : simple ? "not "
                                    : "not (",
                           cond, i == 2 && !simple ? ")" : "");
    walk(d, e->kid[i], more);
    free(more);
  }
  free(cond);
}

static void walk_function(definedness *d, const as_func *f) {
  for (uint32_t i = 0; i < d->n_seen; i++) {
    if (d->seen[i] == f)
      return;
  }
  if (f->body == NULL || d->n_seen == sizeof d->seen / sizeof *d->seen)
    return;
  d->seen[d->n_seen++] = f;
  const char *in = d->in;
  d->in = f->name;
  walk(d, f->body, "");
  d->in = in;
}

static bool reads_data(const as_expr *e) {
  if (e->kind == AS_E_ACCESS)
    return true;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && reads_data(e->kid[i]))
      return true;
  }
  return false;
}

/* an element of a tensor as an index: nothing but the call can say that it is in range */
static void walk_access(definedness *d, const as_expr *e, const char *guard) {
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] == NULL || !reads_data(e->kid[i]))
      continue;
    char *access = as_expr_print(e);
    char *after = as_format(" is in range in %s", access);
    need(d, guard, "", e->kid[i], after);
    free(after);
    free(access);
  }
}

static void walk(definedness *d, const as_expr *e, const char *guard) {
  if (e->kind == AS_E_IF) {
    walk_if(d, e, guard);
    return;
  }
  if (e->kind == AS_E_ACCESS)
    walk_access(d, e, guard);
  if (e->kind == AS_E_FDIV && !number_above(e->kid[1], 0))
    need(d, guard, "", e->kid[1], " != 0");
  if (e->kind == AS_E_INV && !number_above(e->kid[0], 0))
    need(d, guard, "", e->kid[0], " != 0");
  if (e->kind == AS_E_SQRT)
    need(d, guard, "0 <= ", e->kid[0], "");
  if (e->kind == AS_E_LOG)
    need(d, guard, "0 < ", e->kid[0], "");
  if ((e->kind == AS_E_IDIV || e->kind == AS_E_MOD) && !number_above(e->kid[1], 1))
    need(d, guard, "0 < ", e->kid[1], "");
  if ((e->kind == AS_E_MAXR || e->kind == AS_E_MINR) && !number_above(e->kid[0], 1))
    need(d, guard, "0 < ", e->kid[0], "");
  if (e->kind == AS_E_CALL && e->func)
    walk_function(d, e->func);
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i])
      walk(d, e->kid[i], guard);
  }
}

/* ---- calls */
static char *describe(const as_sample *g) {
  as_str s;
  as_str_init(&s);
  for (uint32_t a = 0; a < g->op->nargs; a++) {
    as_str_printf(&s, "%s%s[", a ? ", " : "", g->op->arg[a].name);
    for (uint32_t i = 0; i < g->arank[a]; i++)
      as_str_printf(&s, "%s%lld", i ? ", " : "", (long long)g->dim[a][i]);
    as_str_add(&s, "]");
  }
  for (uint32_t i = 0; i < g->op->nattrs; i++) {
    const as_attr *v = &g->attr[i];
    as_str_printf(&s, "%s%s=", s.n ? ", " : "", g->op->attr[i]);
    if (v->is_size) {
      as_str_printf(&s, "%lld", (long long)as_size_eval(g->S, v->size, g->env));
      continue;
    }
    char *q = mpq_get_str(NULL, 10, v->num);
    as_str_add(&s, q);
    free(q);
  }
  return as_str_take(&s);
}

/* arguments fit and the requirements hold; *dims: there are extents, in g->outdim */
static bool is_call(as_sample *g, as_spec_report *r, bool *dims) {
  as_match m;
  as_vec facts;
  as_size out[AS_MAX_RANK];
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(g->S, g->op, (const as_size(*)[8])g->adim, g->arank, g->op->nargs,
                           g->attr, &m, out, &g->outrank, &facts, NULL);
  free(g->env);
  g->env = as_env_new(g->S); /* the match has made sizes */
  for (size_t i = 0; i < facts.n && ok; i++)
    ok = as_fact_holds(g->S, &AS_VEC_AT(&facts, as_size_fact, i), g->env);
  as_vec_clear(&facts);
  int64_t all = 1;
  *dims = ok;
  for (uint32_t i = 0; i < g->outrank && ok; i++) {
    g->outdim[i] = as_size_eval(g->S, out[i], g->env);
    if (g->outdim[i] < 0) {
      char *at = describe(g);
      char **to = g->outdim[i] == INT64_MIN ? &r->defect : &r->negative;
      if (*to == NULL) {
        *to = g->outdim[i] == INT64_MIN
                  ? as_format("extent %u of the result has no value at %s", i, at)
                  : as_format("extent %u of the result is %lld at %s", i, (long long)g->outdim[i],
                              at);
      }
      free(at);
      *dims = false;
    } else {
      all = all > MOST_ELEMENTS ? all : all * g->outdim[i];
    }
  }
  *dims = *dims && all <= MOST_ELEMENTS;
  return ok;
}

void as_spec_check(const as_opdef *op, uint64_t seed, as_spec_report *r) {
  *r = (as_spec_report){.op = op};
  as_vec_init(&r->condition, sizeof(char *));
  definedness d = {.out = &r->condition};
  for (uint32_t i = 0; i < op->nlet; i++)
    walk(&d, op->let[i].body, "");
  as_rng rng;
  as_rng_seed(&rng, seed ^ as_hash(op->name, strlen(op->name), 1));
  as_field_domain F;
  as_field_domain_init(&F, &rng);
  as_interval_domain I;
  as_interval_domain_init(&I, 128);
  as_sample g;
  as_sample_init(&g, op);
  for (int i = 0; i < DRAWS * 20 && r->defect == NULL && r->agreement.calls < CALLS; i++) {
    bool dims;
    as_sample_draw(&g, &rng, i % 3 ? 0 : LEAST, MOST);
    if (!is_call(&g, r, &dims) || !dims)
      continue;
    as_tensor exact[AS_MAX_ARGS];
    char *why;
    as_sample_inputs(&g, &rng, exact);
    if (as_sample_agree(&g, exact, &F, &I.d, &r->agreement, NULL, &why) != AS_OK) {
      char *at = describe(&g);
      r->defect = as_format("at %s: %s", at, why);
      free(at);
    }
    free(why);
    as_sample_inputs_clear(&g, exact);
  }
  if (r->defect == NULL && r->agreement.calls == 0)
    r->defect = as_strdup("no call at small sizes satisfies the requirements");
  if (r->defect == NULL && r->agreement.undefined && r->condition.n == 0)
    r->defect = as_strdup("undefined elements, and nothing in the body says where");
  as_sample_clear(&g);
  as_field_domain_clear(&F);
  as_interval_forget();
}

/* ---- the command */

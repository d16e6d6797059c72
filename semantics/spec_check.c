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

static void need(definedness *d, const char *guard, const char *before, const as_expr *expr,
                 const char *after) {
  char *text = as_expr_print(expr);
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

static bool number_above(const as_expr *expr, int least) {
  return expr->kind == AS_E_NUM && mpq_cmp_si(expr->num, least, 1) >= 0 &&
         (least > 0 || mpq_sgn(expr->num) != 0);
}

static void walk(definedness *d, const as_expr *e, const char *guard);

static void walk_if(definedness *d, const as_expr *expr, const char *guard) {
  char *cond = as_expr_print(expr->kid[0]);
  walk(d, expr->kid[0], guard);
  for (uint32_t i = 1; i < 3; i++) {
    bool simple = expr->kid[0]->kind == AS_E_REL;
    char *more = as_format("%s%s%s%s%s", guard, *guard ? " and " : "",
                           i == 1   ? ""
                           : simple ? "not "
                                    : "not (",
                           cond, i == 2 && !simple ? ")" : "");
    walk(d, expr->kid[i], more);
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

static bool reads_data(const as_expr *expr) {
  if (expr->kind == AS_E_ACCESS)
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && reads_data(expr->kid[i]))
      return true;
  }
  return false;
}

/* an element of a tensor as an index: nothing but the call can say that it is in range */
static void walk_access(definedness *d, const as_expr *expr, const char *guard) {
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] == NULL || !reads_data(expr->kid[i]))
      continue;
    char *access = as_expr_print(expr);
    char *after = as_format(" is in range in %s", access);
    need(d, guard, "", expr->kid[i], after);
    free(after);
    free(access);
  }
}

static void walk(definedness *d, const as_expr *expr, const char *guard) {
  if (expr->kind == AS_E_IF) {
    walk_if(d, expr, guard);
    return;
  }
  if (expr->kind == AS_E_ACCESS)
    walk_access(d, expr, guard);
  if (expr->kind == AS_E_FDIV && !number_above(expr->kid[1], 0))
    need(d, guard, "", expr->kid[1], " != 0");
  if (expr->kind == AS_E_INV && !number_above(expr->kid[0], 0))
    need(d, guard, "", expr->kid[0], " != 0");
  if (expr->kind == AS_E_SQRT)
    need(d, guard, "0 <= ", expr->kid[0], "");
  if (expr->kind == AS_E_LOG)
    need(d, guard, "0 < ", expr->kid[0], "");
  if ((expr->kind == AS_E_IDIV || expr->kind == AS_E_MOD) && !number_above(expr->kid[1], 1))
    need(d, guard, "0 < ", expr->kid[1], "");
  if ((expr->kind == AS_E_MAXR || expr->kind == AS_E_MINR) && !number_above(expr->kid[0], 1))
    need(d, guard, "0 < ", expr->kid[0], "");
  if (expr->kind == AS_E_CALL && expr->func)
    walk_function(d, expr->func);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i])
      walk(d, expr->kid[i], guard);
  }
}

/* ---- calls */
static char *describe(const as_sample *sample) {
  as_str out;
  as_str_init(&out);
  for (uint32_t a = 0; a < sample->op->nargs; a++) {
    as_str_printf(&out, "%s%s[", a ? ", " : "", sample->op->arg[a].name);
    for (uint32_t i = 0; i < sample->arank[a]; i++)
      as_str_printf(&out, "%s%lld", i ? ", " : "", (long long)sample->dim[a][i]);
    as_str_add(&out, "]");
  }
  for (uint32_t i = 0; i < sample->op->nattrs; i++) {
    const as_attr *attr = &sample->attr[i];
    as_str_printf(&out, "%s%s=", out.n ? ", " : "", sample->op->attr[i]);
    if (attr->is_size) {
      as_str_printf(&out, "%lld", (long long)as_size_eval(sample->S, attr->size, sample->env));
      continue;
    }
    char *q = mpq_get_str(NULL, 10, attr->num);
    as_str_add(&out, q);
    free(q);
  }
  return as_str_take(&out);
}

/* arguments fit and the requirements hold; *dims: there are extents, in g->outdim */
static bool is_call(as_sample *sample, as_spec_report *r, bool *dims) {
  as_match match;
  as_vec facts;
  as_size out[AS_MAX_RANK];
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok =
      as_opdef_match(sample->S, sample->op, (const as_size(*)[8])sample->adim, sample->arank,
                     sample->op->nargs, sample->attr, &match, out, &sample->outrank, &facts, NULL);
  free(sample->env);
  sample->env = as_env_new(sample->S); /* the match has made sizes */
  for (size_t i = 0; i < facts.n && ok; i++)
    ok = as_fact_holds(sample->S, &AS_VEC_AT(&facts, as_size_fact, i), sample->env);
  as_vec_clear(&facts);
  int64_t all = 1;
  *dims = ok;
  for (uint32_t i = 0; i < sample->outrank && ok; i++) {
    sample->outdim[i] = as_size_eval(sample->S, out[i], sample->env);
    if (sample->outdim[i] < 0) {
      char *at = describe(sample);
      char **to = sample->outdim[i] == INT64_MIN ? &r->defect : &r->negative;
      if (*to == NULL) {
        *to = sample->outdim[i] == INT64_MIN
                  ? as_format("extent %u of the result has no value at %s", i, at)
                  : as_format("extent %u of the result is %lld at %s", i,
                              (long long)sample->outdim[i], at);
      }
      free(at);
      *dims = false;
    } else {
      all = all > MOST_ELEMENTS ? all : all * sample->outdim[i];
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
  as_sample sample;
  as_sample_init(&sample, op);
  for (int i = 0; i < DRAWS * 20 && r->defect == NULL && r->agreement.calls < CALLS; i++) {
    bool dims;
    as_sample_draw(&sample, &rng, i % 3 ? 0 : LEAST, MOST);
    if (!is_call(&sample, r, &dims) || !dims)
      continue;
    as_tensor exact[AS_MAX_ARGS];
    char *why;
    as_sample_inputs(&sample, &rng, exact);
    if (as_sample_agree(&sample, exact, &F, &I.d, &r->agreement, NULL, &why) != AS_OK) {
      char *at = describe(&sample);
      r->defect = as_format("at %s: %s", at, why);
      free(at);
    }
    free(why);
    as_sample_inputs_clear(&sample, exact);
  }
  if (r->defect == NULL && r->agreement.calls == 0)
    r->defect = as_strdup("no call at small sizes satisfies the requirements");
  if (r->defect == NULL && r->agreement.undefined && r->condition.n == 0)
    r->defect = as_strdup("undefined elements, and nothing in the body says where");
  as_sample_clear(&sample);
  as_field_domain_clear(&F);
}

/* ---- the command */

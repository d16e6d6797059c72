/* One call over all domains, compared element by element (sample.h). */
#include "sample.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <math.h>
#include <stdlib.h>

void as_sample_inputs(const as_sample *sample, as_rng *rng, as_tensor *exact) {
  uint64_t kind = as_rng_below(rng, 4);
  for (uint32_t a = 0; a < sample->op->nargs; a++) {
    as_tensor_init(&exact[a], &as_domain_exact, sample->dim[a], sample->arank[a]);
    for (size_t k = 0; k < exact[a].n; k++) {
      mpq_t *value = as_tensor_at(&exact[a], k);
      long r = (long)as_rng_below(rng, 9);
      if (kind == 0) /* integers, positive quarters, squares, thirds */
        mpq_set_si(*value, r - 4, 1);
      else if (kind == 1)
        mpq_set_si(*value, r + 1, 4);
      else if (kind == 2)
        mpq_set_si(*value, (r % 4) * (r % 4), 1);
      else
        mpq_set_si(*value, r - 4, 3);
      mpq_canonicalize(*value);
    }
  }
}

void as_sample_inputs_clear(const as_sample *sample, as_tensor *exact) {
  for (uint32_t a = 0; a < sample->op->nargs; a++)
    as_tensor_clear(&exact[a]);
}

/* out: filled when AS_OK */
static as_status run(const as_sample *sample, const as_domain *domain, const as_tensor *exact,
                     as_tensor *out, char **why) {
  as_err err;
  as_err_init(&err);
  as_status status = AS_NO;
  as_opcode *opcode =
      as_opcode_new(sample->S, sample->op, (const as_size(*)[AS_MAX_RANK])sample->adim,
                    sample->arank, sample->op->nargs, sample->attr, domain, sample->env, &err);
  if (opcode) {
    as_tensor in[AS_MAX_ARGS];
    const as_tensor *arg[AS_MAX_ARGS];
    for (uint32_t a = 0; a < sample->op->nargs; a++) {
      as_tensor_init(&in[a], domain, sample->dim[a], sample->arank[a]);
      for (size_t k = 0; k < in[a].n; k++)
        domain->from_q(domain, as_tensor_at(&in[a], k), *(mpq_t *)as_tensor_at(&exact[a], k));
      arg[a] = &in[a];
    }
    as_tensor_init(out, domain, sample->outdim, sample->outrank);
    status = as_opcode_run(opcode, arg, out, NULL, &err);
    if (status != AS_OK)
      as_tensor_clear(out);
    for (uint32_t a = 0; a < sample->op->nargs; a++)
      as_tensor_clear(&in[a]);
  } else {
    status = err.status == AS_OK ? AS_NO : err.status;
  }
  if (status != AS_OK)
    *why = as_format("%s: %s", domain->name, err.text ? err.text : "cannot be evaluated");
  as_opcode_free(opcode);
  as_err_clear(&err);
  return status;
}

/* whether a condition reads data: at a tie an interval then covers both branches */
static bool compares_data(const as_expr *expr, bool within) {
  if (within && expr->kind == AS_E_ACCESS)
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && compares_data(expr->kid[i], within || (expr->kind == AS_E_IF && i == 0)))
      return true;
  }
  return false;
}

static char *exact_value(const as_opdef *op, const as_tensor *out, size_t k, double value,
                         as_agreement *tally) {
  const as_domain *di = out[3].d;
  const as_domain *domain = out[1].d;
  const mpq_t *number = as_tensor_at(&out[0], k);
  const void *f = as_tensor_at(&out[1], k);
  const void *i = as_tensor_at(&out[3], k);
  double w = mpq_get_d(*number);
  tally->exact++;
  if (!(fabs(w - value) <= 1e-9 * fmax(1, fabs(w))))
    return as_format("exactly %.17g, as a double %.17g", w, value);
  void *u = as_dom_new(di, 1);
  di->from_q(di, u, *number);
  bool misses = !(di->flags(di, i) & AS_F_DOUBT) && as_interval_disjoint(di, u, i);
  as_dom_free(di, u, 1);
  if (misses)
    return as_format("the interval misses the exact value %.17g", w);
  if (as_opdef_calls_builtin(op)) /* in the field it is an arbitrary function */
    return NULL;
  u = as_dom_new(domain, 1);
  domain->from_q(domain, u, *number);
  as_field_cmp c = as_field_compare(u, f);
  as_dom_free(domain, u, 1);
  tally->field += c == AS_FC_SAME;
  return c == AS_FC_DIFFER || c == AS_FC_APART
             ? as_format("the field differs from the exact value %.17g", w)
             : NULL;
}

static bool far_from(const as_domain *domain, const void *i, double v) {
  void *u = as_dom_new(domain, 1);
  mpq_t value;
  mpq_init(value);
  mpq_set_d(value, v);
  domain->from_q(domain, u, value);
  bool far = as_interval_distance_log2(domain, u, i) >= -28;
  mpq_clear(value);
  as_dom_free(domain, u, 1);
  return far;
}

/* NULL: the element is the same everywhere.  out: exact, field, double, interval */
static char *element(const as_opdef *op, const as_tensor *out, size_t k, as_agreement *tally) {
  const as_domain *de = out[0].d;
  const as_domain *domain = out[1].d;
  const as_domain *di = out[3].d;
  const void *i = as_tensor_at(&out[3], k);
  double value = *(double *)as_tensor_at(&out[2], k);
  unsigned fe = de->flags(de, as_tensor_at(&out[0], k));
  unsigned fi = di->flags(di, i);
  unsigned ff = domain->flags(domain, as_tensor_at(&out[1], k));
  tally->elements++;
  tally->undefined += isnan(value);
  if ((fe & AS_F_UNDEF) &&
      !(isnan(value) && (fi & (AS_F_UNDEF | AS_F_DOUBT)) && (ff & (AS_F_UNDEF | AS_F_DOUBT))))
    return as_strdup("undefined only exactly");
  if ((fi & AS_F_UNDEF) && !isnan(value))
    return as_strdup("undefined only by intervals");
  if (isnan(value) && !(fe & AS_F_NOVALUE) && !(fi & AS_F_DOUBT))
    return as_strdup("undefined only as a double");
  char *why = fe ? NULL : exact_value(op, out, k, value, tally);
  if (why == NULL && !isnan(value) && !(fi & (AS_F_DOUBT | AS_F_NOVALUE)) &&
      !compares_data(op->let[op->nlet - 1].body, false) && far_from(di, i, value))
    why = as_format("the double %.17g is far from its interval", value);
  return why;
}

static void count_axes(const as_sample *sample, as_agreement *tally) {
  bool empty = false;
  bool one = false;
  for (uint32_t a = 0; a < sample->op->nargs; a++) {
    for (uint32_t i = 0; i < sample->arank[a]; i++) {
      empty |= sample->dim[a][i] == 0;
      one |= sample->dim[a][i] == 1;
    }
  }
  for (uint32_t i = 0; i < sample->outrank && !sample->op->nargs; i++) {
    empty |= sample->outdim[i] == 0;
    one |= sample->outdim[i] == 1;
  }
  tally->calls++;
  tally->empty += empty;
  tally->ones += one;
}

as_status as_sample_agree(const as_sample *sample, const as_tensor *exact, const as_field_domain *F,
                          const as_domain *interval, as_agreement *tally, as_tensor *plain,
                          char **why) {
  const as_domain *doms[4] = {&as_domain_exact, &F->d, &as_domain_double, interval};
  as_tensor out[4];
  as_status status = AS_OK;
  int n = 0;
  *why = NULL;
  while (n < 4 && (status = run(sample, doms[n], exact, &out[n], why)) == AS_OK)
    n++;
  for (size_t k = 0; status == AS_OK && k < out[0].n; k++) {
    if ((*why = element(sample->op, out, k, tally)) != NULL)
      status = AS_NO;
  }
  if (status == AS_OK)
    count_axes(sample, tally);
  for (int k = 0; k < n; k++) {
    if (k == 2 && status == AS_OK && plain)
      *plain = out[k];
    else
      as_tensor_clear(&out[k]);
  }
  return status;
}

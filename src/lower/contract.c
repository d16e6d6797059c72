/* Sums of products read as matrix products.  The factors are divided into two groups by the
 * result's axes they depend on: axes of one group alone are rows, of the other alone columns, of
 * both batch axes. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define MAX_FACTORS 16

static bool factors(lx *e, lx **f, int *n) {
  if (e->op == LX_MUL)
    return factors(e->kid[0], f, n) && factors(e->kid[1], f, n);
  if (*n == MAX_FACTORS)
    return false;
  f[(*n)++] = e;
  return true;
}

static unsigned var_set(const lx *e, int nvar) {
  unsigned s = 0;
  for (int i = 0; i < nvar; i++) {
    if (lx_uses_var(e, i))
      s |= 1u << i;
  }
  return s;
}

/* a read of a tensor with every index a variable of its own or an integer */
static bool plain_ref(const lx *e) {
  unsigned seen = 0;
  if (e->op != LX_REF)
    return false;
  for (int i = 0; i < e->n; i++) {
    if (e->kid[i]->op == LX_INT)
      continue;
    if (e->kid[i]->op != LX_VAR || (seen >> e->kid[i]->i & 1))
      return false;
    seen |= 1u << e->kid[i]->i;
  }
  return true;
}

/* the product of a group as an operand: the tensor itself, or a new map over (batch, rows, k) */
static lx *operand(lo *L, lo_unit *u, uint32_t val, lx **f, int n, const char *side) {
  if (n == 1 && plain_ref(f[0]))
    return f[0];
  const lo_val *c = &L->v[val];
  lx *body = f[0];
  lx *by[9] = {0};
  lx *at[9];
  for (int i = 1; i < n; i++)
    body = lx_mk(L, LX_MUL, 2, (lx *[]){body, f[i]});
  long dim[9];
  int rank = 0;
  for (int i = 0; i <= c->rank; i++) {
    if (i < c->rank && !lx_uses_var(body, i))
      continue;
    by[i] = lx_var(L, rank);
    at[rank] = lx_var(L, i);
    dim[rank++] = i < c->rank ? c->dim[i] : c->extent;
  }
  if (rank > 8)
    return NULL;
  char *name = as_format("%s_%s", c->name, side);
  body = lx_subst(L, body, by, c->rank + 1);
  uint32_t id = lo_new_val(L, LV_MAP, name, rank, dim);
  free(name);
  L->v[id].body = body;
  /* in front of its user, to keep definitions before uses */
  lo_unit_add(L, u, id);
  uint32_t at_pos = 0;
  while (u->val[at_pos] != val)
    at_pos++;
  memmove(&u->val[at_pos + 1], &u->val[at_pos], (u->n - 1 - at_pos) * sizeof *u->val);
  u->val[at_pos] = id;
  return lx_ref(L, id, rank, at);
}

static long pad(long x, long to) {
  return (x + to - 1) / to * to;
}

bool lo_contraction(lo *L, lo_unit *u, uint32_t val) {
  const lo_val *v = &L->v[val];
  lx *f[MAX_FACTORS];
  lx *ga[MAX_FACTORS];
  lx *gb[MAX_FACTORS];
  int n = 0;
  int na = 0;
  int nb = 0;
  int rank = v->rank;
  if (!L->is16 || L->o->no_mma || v->kind != LV_RED || v->red != LO_SUM || rank > 7 ||
      !factors(v->body, f, &n) || n < 2)
    return false;
  unsigned sa = 0;
  unsigned sb = 0;
  bool started = false;
  for (int i = 0; i < n; i++) { /* the first factor with an axis opens group A; those within A's
                                   axes join it, the rest make B */
    unsigned s = var_set(f[i], rank);
    if (!started && s) {
      sa = s;
      started = true;
      ga[na++] = f[i];
    } else if (!(s & ~sa)) {
      ga[na++] = f[i];
    } else {
      sb |= s;
      gb[nb++] = f[i];
    }
  }
  for (int i = 0; i < rank; i++) {
    if (v->dim[i] == 1 && !((sa | sb) >> i & 1)) {
      sa |= 1u << i;
      sb |= 1u << i;
    } /* written as 0 */
  }
  if (!na || !nb || (sa | sb) != (1u << rank) - 1u)
    return false;
  lo_mma m = {.on = true, .B = 1, .M = 1, .N = 1, .K = v->extent, .type = L->type16, .tb = 1};
  for (int i = 0; i < rank; i++) {
    bool ina = sa >> i & 1;
    bool inb = sb >> i & 1;
    if (ina && inb) {
      m.batch[m.nbatch++] = i;
      m.B *= v->dim[i];
    } else if (ina) {
      m.m[m.nm++] = i;
      m.M *= v->dim[i];
    } else {
      m.nv[m.nn++] = i;
      m.N *= v->dim[i];
    }
  }
  if (m.M < 1 || m.N < 1 || m.B < 1 || m.K < 1)
    return false;
  double useful = (double)m.M * (double)m.N * (double)m.K;
  double w0 = (double)pad(m.M, 16) * (double)pad(m.N, 8);
  double w1 = (double)pad(m.N, 16) * (double)pad(m.M, 8);
  if ((w0 < w1 ? w0 : w1) * (double)pad(m.K, 16) > 16 * useful)
    return false; /* mostly padding: the scalar path is as good */
  bool ka = false;
  bool kb = false;
  for (int i = 0; i < na; i++)
    ka = ka || lx_uses_var(ga[i], rank);
  for (int i = 0; i < nb; i++)
    kb = kb || lx_uses_var(gb[i], rank);
  if (!ka || !kb)
    return false;
  m.aref = operand(L, u, val, ga, na, "a");
  m.bref = operand(L, u, val, gb, nb, "b");
  if (!m.aref || !m.bref)
    return false;
  m.a = m.aref->val;
  m.b = m.bref->val;
  L->v[val].mma = m;
  L->v[val].body = lx_mk(L, LX_MUL, 2, (lx *[]){m.aref, m.bref});
  return true;
}

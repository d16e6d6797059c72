/* Division of a matrix product among warps, and how fragments are fetched: exact enumeration with
 * the costs stated at cost(). */
#include "lo.h"

static long up(long a, long b) {
  return (a + b - 1) / b;
}

/* the axis of the operand's tensor that moves along its rows: k, the last of the group's axes, or
 * neither */
static bool fetch(const lo *L, const lx *ref, int k, const int *axes, int n, long K, bool in16,
                  bool *kfast) {
  const lo_val *v = &L->v[ref->val];
  (void)in16;
  if (!v->rank || K % 16)
    return false;
  const lx *last = ref->kid[v->rank - 1];
  if (last->op != LX_VAR)
    return false;
  *kfast = last->i == k;
  if (v->dim[v->rank - 1] % 8)
    return false;
  return *kfast || (n && last->i == axes[n - 1]);
}

/* per step of K, in issue slots: four for a 16x16 fragment by ldmatrix, two for 8x16, two for each
 * mma; joining K parts costs their transfer once */
static double cost(const lo_mma *m, long rt, long ct, bool join) {
  long kt = up(m->K, 16);
  long ks = up(kt, m->wk);
  double c = (double)up(m->B, m->wb) * (double)ks *
             (4.0 * (double)up(rt, m->wr) + 2.0 * (double)up(ct, m->wc) +
              2.0 * (double)(up(rt, m->wr) * up(ct, m->wc)));
  if (join)
    c += 0.05 * (double)(m->wk - 1) * (double)(rt * ct * m->B);
  return c + 0.01 * (m->swap ? 1 : 0);
}

static bool plan(lo *L, lo_unit *u, lo_val *v) {
  lo_mma *m = &v->mma;
  lo_mma best = {0};
  double bc = 0;
  bool found = false;
  bool split = v->place == LP_FRAG;
  m->a_ldsm = fetch(L, m->aref, v->rank, m->m, m->nm, m->K, true, &m->a_kfast);
  m->b_ldsm = fetch(L, m->bref, v->rank, m->nv, m->nn, m->K, true, &m->b_kfast);
  for (int swap = 0; swap < 2; swap++) {
    long rt = up(swap ? m->N : m->M, 16);
    long ct = up(swap ? m->M : m->N, 8);
    for (int wb = 1; wb <= u->warps; wb *= 2) {
      for (int wr = 1; wb * wr <= u->warps; wr *= 2) {
        for (int wc = 1; wb * wr * wc <= u->warps; wc *= 2) {
          lo_mma t = *m;
          t.swap = swap;
          t.wb = wb;
          t.wr = wr;
          t.wc = wc;
          t.wk = u->warps / (wb * wr * wc);
          if (!split && t.wk > 1)
            t.wk = 1; /* warps left over idle: their result would have to be joined within an
                         iteration */
          if ((wb > 1 && wb > m->B) || (wr > 1 && wr >= 2 * rt) || (wc > 1 && wc >= 2 * ct))
            continue;
          t.tb = (int)up(m->B, wb);
          t.tr = (int)up(rt, wr);
          t.tc = (int)up(ct, wc);
          if (t.tb * t.tr * t.tc > 32)
            continue; /* 128 registers of accumulators */
          double c = cost(&t, rt, ct, split);
          if (!found || c < bc) {
            best = t;
            bc = c;
            found = true;
          }
        }
      }
    }
  }
  if (!found) {
    return as_err_set(L->err, AS_NO,
                      "kernel %s: the accumulators of %s do not fit the registers of %d warps",
                      u->name, v->name, u->warps);
  }
  *m = best;
  return true;
}

bool lo_mma_plan(lo *L, lo_unit *u) {
  for (uint32_t i = 0; i < u->n_stmt; i++) {
    if (u->stmt[i].kind == LS_MMA && !plan(L, u, &L->v[u->stmt[i].val]))
      return false;
  }
  return true;
}

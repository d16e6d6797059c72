/* Text of a matrix product on tensor cores (mma.sync.m16n8k16): fragments by ldmatrix where rows
 * are 16-byte chunks along k or along the rows, by guarded element reads otherwise (any extents;
 * missing elements are zeros). */
#include "lo.h"
#include <stdlib.h>
#include <string.h>

static long up(long a, long b) {
  return (a + b - 1) / b;
}

/* index texts of a tensor from a flat index over some axes of C */
static void unflatten(const lo_val *c, const int *axes, int n, const char *flat, char **var) {
  long below = 1;
  for (int i = n; i-- > 0;) {
    long d = c->dim[axes[i]];
    free(var[axes[i]]);
    if (d == 1)
      var[axes[i]] = as_strdup("0");
    else if (below == 1 && i == 0)
      var[axes[i]] = as_format("(%s)", flat);
    else if (i == 0)
      var[axes[i]] = as_format("((%s) / %ld)", flat, below);
    else if (below == 1)
      var[axes[i]] = as_format("((%s) %% %ld)", flat, d);
    else
      var[axes[i]] = as_format("((%s) / %ld %% %ld)", flat, below, d);
    below *= d;
  }
}

typedef struct {
  const lx *ref;
  const int *axes;
  int n;
  long U;
  bool ldsm;
  bool kfast;
} side;

static side side_of(const lo_mma *m, bool rows) {
  bool a = rows != m->swap;
  return a ? (side){m->aref, m->m, m->nm, m->M, m->a_ldsm, m->a_kfast}
           : (side){m->bref, m->nv, m->nn, m->N, m->b_ldsm, m->b_kfast};
}

/* byte offset text of operand element (batch text in var already, row u, k) */
static char *operand_at(lo_emit *E, uint32_t v, const side *s, char **var, const char *u,
                        const char *k) {
  const lo_val *c = &E->L->v[v];
  const lo_val *o = &E->L->v[s->ref->val];
  const lo_smem *m = o->need16 ? &o->sm16 : &o->sm;
  unflatten(c, s->axes, s->n, u, var);
  free(var[c->rank]);
  var[c->rank] = as_format("(%s)", k);
  char *idx[8];
  char **keep = E->var;
  E->var = var;
  for (int i = 0; i < o->rank; i++)
    idx[i] = lo_index(E, s->ref->kid[i]);
  E->var = keep;
  char *off = lo_smem_offset(o, m, idx);
  char *r;
  if (m->stages > 1)
    r = as_format("%ld + slot * %ld + 2 * (%s)", m->offset, m->bytes, off);
  else
    r = as_format("%ld + 2 * (%s)", m->offset, off);
  free(off);
  for (int i = 0; i < o->rank; i++)
    free(idx[i]);
  return r;
}

/* least text of u kept inside the operand when the tiles overhang it: what is fetched twice lands
 * in results that are dropped */
static char *clamped(const char *u, long U, long tile, long step) {
  if (U % tile == 0)
    return as_strdup(u);
  return as_format("as_imin(%s, %ld)", u, U - step);
}

static void load_ldsm(lo_emit *E, uint32_t v, const side *s, char **var, bool rows, int count,
                      const char *dst, const char *tile) {
  /* rows: matrices (u,k) (u+8,k) (u,k+8) (u+8,k+8); columns: (u,k) (u,k+8) and, by four, (u+8,k)
   * (u+8,k+8) */
  bool four = rows || count == 2;
  const char *ub = rows ? "(lane >> 3 & 1)" : "(lane >> 4 & 1)";
  const char *kb = rows ? "(lane >> 4 & 1)" : "(lane >> 3 & 1)";
  char *u;
  char *k;
  char *cu;
  if (s->kfast) {
    u = as_format("%s + %s * 8 + (lane & 7)", tile, four || rows ? ub : "0");
    k = as_format("k0 + %s * 8", kb);
  } else {
    u = as_format("%s + %s * 8", tile, four || rows ? ub : "0");
    k = as_format("k0 + %s * 8 + (lane & 7)", kb);
  }
  cu = clamped(u, s->U, rows ? 16 : count == 2 ? 16 : 8, s->kfast ? 1 : 8);
  char *at = operand_at(E, v, s, var, cu, k);
  lo_line(E, "as_ldsm%d%s(%s, sm, %s);", four ? 4 : 2, s->kfast ? "" : "t", dst, at);
  free(u);
  free(k);
  free(cu);
  free(at);
}

static void load_slow(lo_emit *E, uint32_t v, const side *s, char **var, bool rows, const char *dst,
                      const char *tile, long K) {
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int q = 0; q < %d; q++) {", rows ? 4 : 2);
  E->indent++;
  if (rows) {
    lo_line(
        E,
        "const int fu = %s + (lane >> 2) + (q & 1) * 8, fk = k0 + (lane & 3) * 2 + (q >> 1) * 8;",
        tile);
  } else {
    lo_line(E, "const int fu = %s + (lane >> 2), fk = k0 + (lane & 3) * 2 + q * 8;", tile);
  }
  char *a0 = operand_at(E, v, s, var, "fu", "fk");
  char *a1 = operand_at(E, v, s, var, "fu", "fk + 1");
  lo_line(E, "unsigned lo16 = 0, hi16 = 0;");
  lo_line(E, "if (fu < %ld && fk < %ld) lo16 = as_lds_u16(sm, %s);", s->U, K, a0);
  lo_line(E, "if (fu < %ld && fk + 1 < %ld) hi16 = as_lds_u16(sm, %s);", s->U, K, a1);
  lo_line(E, "%s[q] = lo16 | hi16 << 16;", dst);
  E->indent--;
  lo_line(E, "}");
  free(a0);
  free(a1);
}

static void warp_roles(lo_emit *E, const lo_mma *m) {
  lo_line(E,
          "const int mk = warp %% %d, mc = warp / %d %% %d, mr = warp / %d %% %d, mb = warp / %d;",
          m->wk, m->wk, m->wc, m->wk * m->wc, m->wr, m->wk * m->wc * m->wr);
  lo_line(E, "(void)mk; (void)mc; (void)mr; (void)mb;");
}

void lo_emit_mma_decl(lo_emit *E, uint32_t v, const char *cname) {
  const lo_mma *m = &E->L->v[v].mma;
  lo_line(E, "float %s[%d][%d][%d][4] = {};", cname, m->tb, m->tr, m->tc);
}

static long total_r(const lo_mma *m) {
  return up(m->swap ? m->N : m->M, 16);
}

static long total_c(const lo_mma *m) {
  return up(m->swap ? m->M : m->N, 8);
}

static void fetch_all(lo_emit *E, uint32_t v, char **var) {
  const lo_mma *m = &E->L->v[v].mma;
  side r = side_of(m, true);
  side c = side_of(m, false);
  long rt = total_r(m);
  long ct = total_c(m);
  bool pairs = c.ldsm && m->tc % 2 == 0 && ct % m->tc == 0;
  lo_line(E, "unsigned fr[%d][4], fc[%d];", m->tr, 2 * m->tc);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int i = 0; i < %d; i++) {", m->tr);
  E->indent++;
  char *tile = as_format("(mr * %d + i) * 16", m->tr);
  char *safe =
      rt % m->tr ? as_format("as_imin(mr * %d + i, %ld) * 16", m->tr, rt - 1) : as_strdup(tile);
  if (r.ldsm)
    load_ldsm(E, v, &r, var, true, 1, "fr[i]", safe);
  else
    load_slow(E, v, &r, var, true, "fr[i]", tile, m->K);
  free(tile);
  free(safe);
  E->indent--;
  lo_line(E, "}");
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int j = 0; j < %d; j += %d) {", m->tc, pairs ? 2 : 1);
  E->indent++;
  tile = as_format("(mc * %d + j) * 8", m->tc);
  safe = ct % m->tc ? as_format("as_imin(mc * %d + j, %ld) * 8", m->tc, ct - 1) : as_strdup(tile);
  if (c.ldsm)
    load_ldsm(E, v, &c, var, false, pairs ? 2 : 1, "(fc + 2 * j)", safe);
  else
    load_slow(E, v, &c, var, false, "(fc + 2 * j)", tile, m->K);
  free(tile);
  free(safe);
  E->indent--;
  lo_line(E, "}");
}

void lo_emit_mma(lo_emit *E, uint32_t v, const char *cname) {
  const lo_val *c = &E->L->v[v];
  const lo_mma *m = &c->mma;
  char *var[10] = {0};
  warp_roles(E, m);
  long kt = up(m->K, 16);
  long rt = total_r(m);
  long ct = total_c(m);
  lo_line(E, "if (warp < %d && mr * %d < %ld && mc * %d < %ld) {", m->wb * m->wr * m->wc * m->wk,
          m->tr, rt, m->tc, ct);
  E->indent++;
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int b = 0; b < %d; b++) {", m->tb);
  E->indent++;
  lo_line(E, "const int bi = mb * %d + b;", m->tb);
  if (m->B % m->tb || m->B != (long)m->tb * m->wb)
    lo_line(E, "if (bi >= %ld) break;", m->B);
  lo_line(E, "(void)bi;");
  lo_line(E, "#pragma unroll%s", up(kt, m->wk) > 8 ? " 4" : "");
  lo_line(E, "for (int ks = mk; ks < %ld; ks += %d) {", kt, m->wk);
  E->indent++;
  lo_line(E, "const int k0 = ks * 16;");
  for (int i = 0; i <= c->rank; i++)
    var[i] = as_strdup("0");
  unflatten(c, m->batch, m->nbatch, "bi", var);
  fetch_all(E, v, var);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int i = 0; i < %d; i++)", m->tr);
  lo_line(E, "#pragma unroll");
  lo_line(E, "  for (int j = 0; j < %d; j++) as_mma_%s(%s[b][i][j], fr[i], fc + 2 * j);", m->tc,
          m->type == AS_BF16 ? "bf16" : "f16", cname);
  for (int k = 0; k < 3; k++) {
    E->indent--;
    lo_line(E, "}");
  }
  for (int i = 0; i < 10; i++)
    free(var[i]);
}

/* runs `body` text for each element held: variables of C as texts; %s elements by name
 * cname[b][i][j][q] */
static void each_element(lo_emit *E, uint32_t v, char **var, bool guard) {
  const lo_val *c = &E->L->v[v];
  const lo_mma *m = &c->mma;
  warp_roles(E, m);
  lo_line(E, "if (warp < %d)", m->wb * m->wr * m->wc * m->wk);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int b = 0; b < %d; b++)", m->tb);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int i = 0; i < %d; i++)", m->tr);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int j = 0; j < %d; j++)", m->tc);
  lo_line(E, "#pragma unroll");
  lo_line(E, "for (int q = 0; q < 4; q++) {");
  E->indent++;
  lo_line(E,
          "const int bi = mb * %d + b, fr = (mr * %d + i) * 16 + (lane >> 2) + (q >> 1) * 8, fc = "
          "(mc * %d + j) * 8 + (lane & 3) * 2 + (q & 1);",
          m->tb, m->tr, m->tc);
  lo_line(E, "(void)bi;");
  lo_line(E, "const int mi = %s, ni = %s;", m->swap ? "fc" : "fr", m->swap ? "fr" : "fc");
  lo_line(E, "(void)mi; (void)ni;");
  bool exact = m->B == (long)m->tb * m->wb && (m->swap ? m->N : m->M) == 16L * m->tr * m->wr &&
               (m->swap ? m->M : m->N) == 8L * m->tc * m->wc;
  if (guard && !exact)
    lo_line(E, "if (bi < %ld && mi < %ld && ni < %ld) {", m->B, m->M, m->N);
  else
    lo_line(E, "{");
  E->indent++;
  for (int i = 0; i <= c->rank; i++)
    var[i] = as_strdup("0");
  unflatten(c, m->batch, m->nbatch, "bi", var);
  unflatten(c, m->m, m->nm, "mi", var);
  unflatten(c, m->nv, m->nn, "ni", var);
}

static void end_each(lo_emit *E, char **var) {
  E->indent--;
  lo_line(E, "}");
  E->indent--;
  lo_line(E, "}");
  for (int i = 0; i < 10; i++)
    free(var[i]);
}

void lo_emit_mma_store(lo_emit *E, uint32_t v, const char *cname) {
  const lo_val *c = &E->L->v[v];
  const lo_val *dst = c->place == LP_FRAG ? &E->L->v[c->fused_acc] : c;
  char *var[10] = {0};
  each_element(E, v, var, true);
  char *off = lo_smem_offset(dst, &dst->sm, var);
  if (dst->sm.slabs > 1) {
    lo_line(E, "as_sts_f32(sm, %ld + mk * %ld + 4 * (%s), %s[b][i][j][q]);", dst->sm.offset,
            dst->sm.bytes, off, cname);
  } else {
    lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), %s[b][i][j][q]);", dst->sm.offset, off, cname);
  }
  free(off);
  end_each(E, var);
}

void lo_emit_mma_rescale(lo_emit *E, uint32_t v, uint32_t run, const char *cname) {
  const lo_val *r = &E->L->v[run];
  char *var[10] = {0};
  each_element(E, v, var, true);
  char *off = lo_smem_offset(r, &r->alpha, var);
  lo_line(E, "%s[b][i][j][q] *= as_lds_f32(sm, %ld + 4 * (%s));", cname, r->alpha.offset, off);
  free(off);
  end_each(E, var);
}

/* Order of elements of each shared tensor: plain, rows padded by 16 bytes, or 16-byte chunks
 * swizzled.  Each choice costs the bank conflicts of the access patterns that the statements make,
 * counted exactly on 32 banks; an integer program takes the cheapest combination that fits. */
#include "lo.h"
#include <glpk.h>
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX

typedef struct {
  int n;
  int width;
  long row[32];
  long col[32];
  double weight;
} pattern;

typedef struct {
  lo_smem *m;
  const char *name;
  bool chunks /* must keep 16-byte chunks together and aligned */;
  pattern p[8];
  int np;
  lo_smem choice[3];
  double cost[3];
  int nc;
} tensor;

typedef struct {
  tensor *t;
  int n;
} tensors;

static long round_up(long a, long b) {
  return (a + b - 1) / b * b;
}

static tensor *add(tensors *ts, lo_smem *m, const lo_val *v, int elem, as_dtype type) {
  ts->t = as_realloc(ts->t, (size_t)(ts->n + 1) * sizeof *ts->t);
  tensor *t = &ts->t[ts->n++];
  memset(t, 0, sizeof *t);
  m->used = true;
  m->elem = elem;
  m->type = type;
  m->slabs = m->slabs ? m->slabs : 1;
  m->stages = m->stages ? m->stages : 1;
  m->rows = 1;
  for (int i = 0; i + 1 < v->rank; i++)
    m->rows *= v->dim[i];
  m->ld = v->rank ? v->dim[v->rank - 1] : 1;
  t->m = m;
  t->name = v->name;
  return t;
}

/* transactions that one access of a warp needs beyond the least: accesses of 16 bytes go by 8
 * lanes, of 8 by 16, of 4 and less by 32 */
static double conflicts(const lo_smem *m, const pattern *p) {
  int per = p->width >= 16 ? 8 : p->width >= 8 ? 16 : 32;
  int extra = 0;
  for (int s = 0; s < p->n; s += per) {
    long word[32][32];
    int cnt[32] = {0};
    int worst = 1;
    for (int i = s; i < s + per && i < p->n; i++) {
      long row = p->row[i] % (m->rows ? m->rows : 1);
      long col = p->col[i];
      long chunk = 16 / m->elem;
      if (m->order == LL_SWIZZLE)
        col = ((col / chunk) ^ ((row >> m->sw_shift) & m->sw_mask)) * chunk + col % chunk;
      long a = (row * m->ld + col) * m->elem / 4;
      long words = p->width >= 4 ? p->width / 4 : 1;
      for (long w = a; w < a + words; w++) {
        int b = (int)(w & 31);
        int k = 0;
        while (k < cnt[b] && word[b][k] != w)
          k++;
        if (k == cnt[b])
          word[b][cnt[b]++] = w;
        if (cnt[b] > worst)
          worst = cnt[b];
      }
    }
    extra += worst - 1;
  }
  return extra;
}

static void candidates(tensor *t) {
  lo_smem base = *t->m;
  long chunk = 16 / base.elem;
  long cols = base.ld;
  if (t->chunks)
    base.ld = round_up(base.ld, chunk);
  base.order = LL_PLAIN;
  t->choice[t->nc++] = base;
  if (base.rows < 2)
    goto done;
  lo_smem pad = base;
  pad.order = LL_PAD;
  pad.ld = round_up(cols, chunk) + chunk;
  t->choice[t->nc++] = pad;
  long per_row = cols / chunk;
  if (cols % chunk == 0 && (per_row % 8 == 0 || per_row == 4 || per_row == 2)) {
    lo_smem sw = base;
    sw.order = LL_SWIZZLE;
    sw.sw_mask = per_row % 8 == 0 ? 7 : (int)per_row - 1;
    sw.sw_shift = per_row % 8 == 0 ? 0 : per_row == 4 ? 1 : 2;
    t->choice[t->nc++] = sw;
  }
done:
  for (int i = 0; i < t->nc; i++) {
    lo_smem *c = &t->choice[i];
    c->bytes = round_up(c->rows * c->ld * c->elem, 128);
    t->cost[i] = 1e-4 * (double)c->bytes / 1024 +
                 (c->order == LL_SWIZZLE ? 1e-3 : 0); /* address arithmetic of a swizzle */
    for (int j = 0; j < t->np; j++)
      t->cost[i] += t->p[j].weight * conflicts(c, &t->p[j]);
  }
}

static void ldsm_pattern(tensor *t, double weight) {
  if (t->np == 8)
    return;
  pattern *p = &t->p[t->np++];
  p->n = 8;
  p->width = 16;
  p->weight = weight;
  for (int i = 0; i < 8; i++) {
    p->row[i] = i;
    p->col[i] = 0;
  }
}

/* fragments written: lane 4g+t has rows g, columns 2t and 2t+1 of a tile; transposed when the
 * tile's rows are the last axis */
static void fragment_pattern(tensor *t, bool swap) {
  if (t->np == 8)
    return;
  pattern *p = &t->p[t->np++];
  p->n = 32;
  p->width = swap ? 4 : 8;
  p->weight = 1;
  for (int i = 0; i < 32; i++) {
    p->row[i] = swap ? 2 * (i & 3) : i >> 2;
    p->col[i] = swap ? i >> 2 : 2 * (i & 3);
  }
}

typedef struct {
  lo *L;
  tensors *ts;
  const lo_val *v;
} red_walk;

static tensor *find(tensors *ts, const lo_smem *m) {
  for (int i = 0; i < ts->n; i++) {
    if (ts->t[i].m == m)
      return &ts->t[i];
  }
  return NULL;
}

/* lanes of a reduction: consecutive lanes take consecutive k, groups of lanes consecutive results
 */
static void red_ref(void *arg, const lx *r) {
  red_walk *w = arg;
  lo_val *o = &w->L->v[r->val];
  tensor *t = find(w->ts, &o->sm);
  if (!t || t->np == 8 || !o->rank || !r->n)
    return;
  pattern *p = &t->p[t->np++];
  p->n = 32;
  p->width = o->sm.elem;
  p->weight = (double)w->v->extent / w->v->group;
  const lx *last = r->kid[r->n - 1];
  const lx *prev = r->n > 1 ? r->kid[r->n - 2] : NULL;
  for (int i = 0; i < 32; i++) {
    long k = i % w->v->group;
    long out = i / w->v->group;
    p->col[i] = last->op == LX_VAR ? (last->i == w->v->rank ? k : out) : 0;
    p->row[i] = prev && prev->op == LX_VAR ? (prev->i == w->v->rank ? k : out) : 0;
    p->col[i] %= o->dim[o->rank - 1];
  }
}

static void collect(lo *L, lo_unit *u, tensors *ts) {
  for (uint32_t i = 0; i < u->n; i++) {
    lo_val *v = &L->v[u->val[i]];
    if (!v->live)
      continue;
    if (v->kind == LV_LOAD) {
      as_dtype type = L->v[v->src].dtype;
      v->sm.stages = v->phase == LO_BODY ? u->stages : 1;
      add(ts, &v->sm, v, type == AS_F32 ? 4 : 2, type)->chunks = true;
    } else if (v->need32 && v->kind != LV_RUN) {
      if (v->kind == LV_ACC && v->place == LP_FRAG)
        v->sm.slabs = L->v[v->of].mma.wk;
      add(ts, &v->sm, v, 4, AS_F32);
    }
    if (v->kind == LV_ACC && v->need_alpha)
      add(ts, &v->alpha, v, 4, AS_F32);
    if (v->need16)
      add(ts, &v->sm16, v, 2, L->type16)->chunks = true;
  }
  for (uint32_t i = 0; i < u->n_stmt; i++) {
    lo_val *v = &L->v[u->stmt[i].val];
    if (u->stmt[i].kind == LS_RED) {
      red_walk w = {L, ts, v};
      lx_refs(v->body, red_ref, &w);
    }
    if (u->stmt[i].kind != LS_MMA)
      continue;
    const lo_mma *m = &v->mma;
    uint32_t op[2] = {m->a, m->b};
    bool ld[2] = {m->a_ldsm, m->b_ldsm};
    for (int j = 0; j < 2; j++) {
      lo_val *o = &L->v[op[j]];
      tensor *t = find(ts, o->need16 ? &o->sm16 : &o->sm);
      if (t && ld[j])
        ldsm_pattern(t, (double)m->K / 16 * 4);
    }
    lo_val *dst = v->place == LP_FRAG ? &L->v[v->fused_acc] : v;
    tensor *t = find(ts, &dst->sm);
    if (t)
      fragment_pattern(t, m->swap);
  }
}

static bool solve(lo *L, const lo_unit *u, tensors *ts, int *pick) {
  glp_term_out(GLP_OFF);
  glp_prob *P = glp_create_prob();
  glp_set_obj_dir(P, GLP_MIN);
  int cols = 0;
  int *first = as_calloc((size_t)ts->n + 1, sizeof *first);
  for (int i = 0; i < ts->n; i++) {
    first[i] = cols + 1;
    cols += ts->t[i].nc;
  }
  int *ind = as_calloc((size_t)cols + 1, sizeof *ind);
  int ok = cols > 0;
  double *val = as_calloc((size_t)cols + 1, sizeof *val);
  if (cols) {
    glp_add_cols(P, cols);
    glp_add_rows(P, ts->n + 1);
    for (int i = 0; i < ts->n; i++) {
      for (int j = 0; j < ts->t[i].nc; j++) {
        glp_set_col_kind(P, first[i] + j, GLP_BV);
        glp_set_obj_coef(P, first[i] + j, ts->t[i].cost[j]);
        ind[j + 1] = first[i] + j;
        val[j + 1] = 1;
      }
      glp_set_row_bnds(P, i + 1, GLP_FX, 1, 1);
      glp_set_mat_row(P, i + 1, ts->t[i].nc, ind, val);
    }
    long smem = L->o->target->shared_block;
    int k = 0; /* rings and what lives through the loop must fit together; the rest may share
                  (memplan.c has the last word) */
    for (int i = 0; i < ts->n; i++) {
      for (int j = 0; j < ts->t[i].nc; j++) {
        if (ts->t[i].m->stages > 1) {
          ind[++k] = first[i] + j;
          val[k] = (double)ts->t[i].choice[j].bytes * ts->t[i].m->stages;
        }
      }
    }
    glp_set_row_bnds(P, ts->n + 1, GLP_UP, 0, (double)smem);
    glp_set_mat_row(P, ts->n + 1, k, ind, val);
    glp_iocp parm;
    glp_init_iocp(&parm);
    parm.presolve = GLP_ON;
    parm.msg_lev = GLP_MSG_OFF;
    ok = !glp_intopt(P, &parm) && glp_mip_status(P) == GLP_OPT;
    for (int i = 0; ok && i < ts->n; i++) {
      for (int j = 0; j < ts->t[i].nc; j++) {
        if (glp_mip_col_val(P, first[i] + j) > 0.5)
          pick[i] = j;
      }
    }
  }
  free(first);
  free(ind);
  free(val);
  glp_delete_prob(P);
  return ok ? true
            : as_err_set(
                  L->err, AS_NO,
                  "kernel %s: the tiles of the loop need more than the shared memory of a block",
                  u->name);
}

bool lo_layout(lo *L, lo_unit *u) {
  static const char *const name[] = {"plain", "padded", "swizzled"};
  tensors ts = {0};
  collect(L, u, &ts);
  for (int i = 0; i < ts.n; i++)
    candidates(&ts.t[i]);
  int *pick = as_calloc((size_t)ts.n + 1, sizeof *pick);
  bool ok = ts.n == 0 || solve(L, u, &ts, pick);
  for (int i = 0; ok && i < ts.n; i++) {
    tensor *t = &ts.t[i];
    *t->m = t->choice[pick[i]];
    as_str_printf(&L->notes, "%s: %s: %ld x %ld of %d bytes, %s\n", u->name, t->name, t->m->rows,
                  t->m->ld, t->m->elem, name[t->m->order]);
  }
  free(pick);
  free(ts.t);
  return ok;
}

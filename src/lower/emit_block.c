/* Text of one block graph: asynchronous loads into a ring of tiles, statements level by level,
 * accumulators through the loop, stores. */
#include "lo.h"
#include <stdlib.h>
#include <string.h>
#define NO UINT32_MAX

static const char *const names8[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "k"};

static long elems(const lo_val *v) {
  long n = 1;
  for (int i = 0; i < v->rank; i++)
    n *= v->dim[i];
  return n;
}

char *lo_smem_offset(const lo_val *v, const lo_smem *m, char *const *idx) {
  as_str row;
  as_str_init(&row);
  as_str_add(&row, "0");
  for (int i = 0; i + 1 < v->rank; i++) {
    if (!strcmp(row.s, "0")) {
      as_str_clear(&row);
      as_str_init(&row);
      as_str_add(&row, idx[i]);
      continue;
    }
    char *t = as_format("(%s * %ld + %s)", row.s, v->dim[i], idx[i]);
    as_str_clear(&row);
    as_str_init(&row);
    as_str_add(&row, t);
    free(t);
  }
  const char *col = v->rank ? idx[v->rank - 1] : "0";
  char *r;
  if (m->order == LL_SWIZZLE) {
    r = as_format("(%s) * %ld + as_swz((%s), (%s), %d, %d, %d)", row.s, m->ld, row.s, col,
                  m->sw_shift, m->sw_mask, 16 / m->elem);
  } else if (!strcmp(row.s, "0")) {
    r = as_strdup(col);
  } else {
    r = as_format("(%s) * %ld + (%s)", row.s, m->ld, col);
  }
  as_str_clear(&row);
  return r;
}

/* a value's number in its kernel: the text does not depend on how many values the rest of the
 * program has */
static unsigned number(const lo_emit *E, uint32_t id) {
  unsigned i = 0;
  while (i < E->u->n && E->u->val[i] != id)
    i++;
  return i;
}

static const char *tname(as_dtype t) {
  return t == AS_F16 ? "f16" : t == AS_BF16 ? "bf16" : "f32";
}

static void read_smem(lo_emit *E, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_val *v = &E->L->v[id];
  char *t[8];
  for (int i = 0; i < n; i++)
    t[i] = lo_index(E, idx[i]);
  char *off = lo_smem_offset(v, &v->sm, t);
  const lo_smem *m = &v->sm;
  if (m->slabs > 1) {
    as_str_printf(out, "as_lds_sum<%d>(sm, %ld + %d * (%s), %ld)", m->slabs, m->offset, m->elem,
                  off, m->bytes);
  } else if (m->stages > 1) {
    as_str_printf(out, "as_lds_%s(sm, %ld + slot * %ld + %d * (%s))", tname(m->type), m->offset,
                  m->bytes, m->elem, off);
  } else {
    as_str_printf(out, "as_lds_%s(sm, %ld + %d * (%s))", tname(m->type), m->offset, m->elem, off);
  }
  free(off);
  for (int i = 0; i < n; i++)
    free(t[i]);
}

/* i0.. from a flat text over v's axes, the last divided by vec */
static void decode(lo_emit *E, const lo_val *v, const char *flat, long vec) {
  long below = 1;
  for (int i = v->rank; i-- > 0;) {
    long d = i == v->rank - 1 ? v->dim[i] / vec : v->dim[i];
    const char *mul = i == v->rank - 1 && vec > 1 ? "v0" : names8[i];
    if (d == 1)
      lo_line(E, "const int %s = 0;", mul);
    else if (i == 0)
      lo_line(E, "const int %s = %s / %ld;", mul, flat, below);
    else
      lo_line(E, "const int %s = %s / %ld %% %ld;", mul, flat, below, d);
    lo_line(E, "(void)%s;", mul);
    below *= d;
  }
}

/* e over 0..count-1, thread by thread; the number of rounds is a constant, so that they unroll and
 * their reads overlap */
static void each(lo_emit *E, long count, int threads) {
  long rounds = (count + threads - 1) / threads;
  lo_line(E, "#pragma unroll%s", rounds > 16 ? " 8" : "");
  lo_line(E, "for (int n_ = 0; n_ < %ld; n_++) {", rounds);
  E->indent++;
  lo_line(E, "const int e = tid + n_ * %d;", threads);
  if (count % threads)
    lo_line(E, "if (e >= %ld) break;", count);
}

static void close(lo_emit *E) {
  E->indent--;
  lo_line(E, "}");
}

static char *at_vars(lo_emit *E, const lo_val *v, const lo_smem *m) {
  (void)E;
  char *t[8] = {0};
  for (int i = 0; i < v->rank; i++)
    t[i] = (char *)(uintptr_t)(v->dim[i] == 1 ? "0" : names8[i]);
  return lo_smem_offset(v, m, t);
}

/* own value of v at its own indices */
static lx *self(lo *L, uint32_t id) {
  lx *ix[8];
  const lo_val *v = &L->v[id];
  for (int i = 0; i < v->rank; i++)
    ix[i] = lx_var(L, i);
  return lx_ref(L, v->kind == LV_RUN ? v->of : id, v->rank, ix);
}

static void emit_map(lo_emit *E, uint32_t id, bool sixteen) {
  lo_val *v = &E->L->v[id];
  const lo_smem *m = sixteen ? &v->sm16 : &v->sm;
  const lx *body = sixteen && v->kind != LV_MAP ? self(E->L, id)
                   : v->kind == LV_MAP          ? v->body
                                                : NULL;
  int vec = sixteen && v->rank && v->dim[v->rank - 1] % 2 == 0 ? 2 : 1;
  long count = elems(v) / vec;
  long threads = 32L * E->u->warps;
  long rounds = (count + threads - 1) / threads;
  bool held = rounds > 1 && rounds * vec <= 32; /* all values first, then all stores: reads of
                                                   shared memory do not move across writes */
  const char *last = v->rank ? names8[v->rank - 1] : "i0";
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  if (held)
    lo_line(E, "float h[%ld][%d];", rounds, vec);
  each(E, count, (int)threads);
  decode(E, v, "e", vec);
  if (!held)
    lo_line(E, "float h[1][%d];", vec);
  if (vec > 1) {
    lo_line(E, "#pragma unroll");
    lo_line(E, "for (int j = 0; j < 2; j++) {");
    E->indent++;
    lo_line(E, "const int %s = v0 * 2 + j;", last);
  }
  char *x = lo_expr(E, body);
  lo_line(E, "h[%s][%s] = %s;", held ? "n_" : "0", vec > 1 ? "j" : "0", x);
  free(x);
  if (vec > 1)
    close(E);
  if (held) {
    close(E);
    each(E, count, (int)threads);
    decode(E, v, "e", vec);
  }
  if (vec > 1)
    lo_line(E, "const int %s = v0 * 2;", last);
  char *off = at_vars(E, v, m);
  if (vec > 1) {
    lo_line(E, "as_sts2_%s(sm, %ld + 2 * (%s), h[%s][0], h[%s][1]);", tname(m->type), m->offset,
            off, held ? "n_" : "0", held ? "n_" : "0");
  } else {
    lo_line(E, "as_sts_%s(sm, %ld + %d * (%s), h[%s][0]);", tname(m->type), m->offset, m->elem, off,
            held ? "n_" : "0");
  }
  free(off);
  close(E);
  close(E);
}

static const char *identity(lo_red r) {
  return r == LO_SUM ? "0.0f" : r == LO_PROD ? "1.0f" : r == LO_MAX ? "-INFINITY" : "INFINITY";
}

static char *joined(lo_red r, const char *a, const char *b) {
  return r == LO_SUM    ? as_format("%s + %s", a, b)
         : r == LO_PROD ? as_format("%s * %s", a, b)
                        : as_format("%s(%s, %s)", r == LO_MAX ? "fmaxf" : "fminf", a, b);
}

/* new value of accumulator `acc` at i0.. from x, when the reduction that feeds it ends: the running
 * maximum and its rescaling factor */
static void update_max(lo_emit *E, uint32_t acc) {
  const lo_val *a = &E->L->v[acc];
  char *off = at_vars(E, a, &a->sm);
  lo_line(E, "const float was = as_lds_f32(sm, %ld + 4 * (%s)), now = fmaxf(was, x);", a->sm.offset,
          off);
  lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), now);", a->sm.offset, off);
  free(off);
  if (!a->need_alpha)
    return;
  off = at_vars(E, a, &a->alpha);
  lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), as_rescale(was, now));", a->alpha.offset, off);
  free(off);
}

static char *alpha_text(lo_emit *E, uint32_t acc) {
  const lo_val *r = &E->L->v[E->L->v[acc].run];
  char *off = at_vars(E, r, &r->alpha);
  char *t = as_format("as_lds_f32(sm, %ld + 4 * (%s))", r->alpha.offset, off);
  free(off);
  return t;
}

static void red_shape(const lo_emit *E, const lo_val *v, long *outs, long *groups, long *rounds) {
  *outs = elems(v);
  *groups = 32L * E->u->warps / v->group;
  *rounds = (*outs + *groups - 1) / *groups;
}

static void red_open(lo_emit *E, const lo_val *v) {
  long outs;
  long groups;
  long rounds;
  red_shape(E, v, &outs, &groups, &rounds);
  lo_line(E, "const int g = tid %% %d, og = tid / %d;", v->group, v->group);
  lo_line(E, "#pragma unroll%s", rounds > 16 ? " 4" : "");
  lo_line(E, "for (int q = 0; q < %ld; q++) {", rounds);
  E->indent++;
  lo_line(E, "const int o = og + q * %ld;", groups);
}

static void red_shuffle(lo_emit *E, const lo_val *v) {
  char *j = joined(v->red, "x", "as_shfl_xor(x, d)");
  if (v->group > 1) {
    lo_line(E, "#pragma unroll");
    lo_line(E, "for (int d = %d; d > 0; d >>= 1) x = %s;", v->group / 2, j);
  }
  free(j);
}

static void emit_red(lo_emit *E, uint32_t id) {
  lo_val *v = &E->L->v[id];
  bool lanes = v->place == LP_LANES;
  long outs;
  long groups;
  long rounds;
  red_shape(E, v, &outs, &groups, &rounds);
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  red_open(E, v);
  lo_line(E, "float x = %s;", identity(v->red));
  if (outs < groups * rounds)
    lo_line(E, "if (o < %ld) {", outs);
  else
    lo_line(E, "{");
  E->indent++;
  decode(E, v, "o", 1);
  long steps = (v->extent + v->group - 1) / v->group;
  lo_line(E, "#pragma unroll%s", steps > 16 ? " 8" : "");
  lo_line(E, "for (int s_ = 0; s_ < %ld; s_++) {", steps);
  E->indent++;
  lo_line(E, "const int %s = g + s_ * %d;", names8[v->rank], v->group);
  if (v->extent % v->group)
    lo_line(E, "if (%s >= %ld) break;", names8[v->rank], v->extent);
  char *b = lo_expr(E, v->body);
  char *j = joined(v->red, "x", b);
  lo_line(E, "x = %s;", j);
  free(b);
  free(j);
  close(E);
  if (lanes) {
    if (E->L->v[v->fused_acc].acc == AS_ACC_RESCALE) {
      char *a = alpha_text(E, v->fused_acc);
      lo_line(E, "part%u[q] = part%u[q] * %s + x;", number(E, id), number(E, id), a);
      free(a);
    } else {
      lo_line(E, "part%u[q] += x;", number(E, id));
    }
    close(E);
    close(E);
    close(E);
    return;
  }
  close(E);
  red_shuffle(E, v);
  lo_line(E, "if (g == 0 && o < %ld) {", outs);
  E->indent++;
  decode(E, v, "o", 1);
  if (v->need32) {
    char *off = at_vars(E, v, &v->sm);
    lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), x);", v->sm.offset, off);
    free(off);
  }
  if (v->fused_acc != NO)
    update_max(E, v->fused_acc);
  close(E);
  close(E);
  close(E);
}

/* accumulators in shared memory: each element belongs to one thread */
static void emit_acc(lo_emit *E, uint32_t id) {
  lo_val *v = &E->L->v[id];
  const lo_val *of = &E->L->v[v->of];
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  each(E, elems(of), 32 * E->u->warps);
  decode(E, of, "e", 1);
  char *x = lo_expr(E, v->body);
  lo_line(E, "const float x = %s;", x);
  free(x);
  if (v->acc == AS_ACC_MAX) {
    update_max(E, id);
  } else if (v->acc == AS_ACC_CONCAT) {
    char *t[8];
    char *moved = as_format("(l * %ld + %s)", of->dim[v->axis], names8[v->axis]);
    for (int i = 0; i < v->rank; i++)
      t[i] = i == v->axis ? moved : (char *)names8[i];
    char *off = lo_smem_offset(v, &v->sm, t);
    lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), x);", v->sm.offset, off);
    free(off);
    free(moved);
  } else {
    char *off = at_vars(E, v, &v->sm);
    char *a = v->acc == AS_ACC_RESCALE ? alpha_text(E, id) : NULL;
    lo_line(E, "const int at = %ld + 4 * (%s);", v->sm.offset, off);
    lo_line(E, "as_sts_f32(sm, at, as_lds_f32(sm, at)%s%s + x);", a ? " * " : "", a ? a : "");
    free(off);
    free(a);
  }
  close(E);
  close(E);
}

static void emit_finish(lo_emit *E, uint32_t id) {
  lo_val *v = &E->L->v[id];
  lo_val *of = &E->L->v[v->of];
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  if (v->place == LP_FRAG) {
    char *c = as_format("acc%u", number(E, v->of));
    lo_emit_mma_store(E, v->of, c);
    free(c);
    close(E);
    return;
  }
  long outs = elems(of);
  red_open(E, of);
  lo_line(E, "float x = part%u[q];", number(E, v->of));
  red_shuffle(E, of);
  lo_line(E, "if (g == 0 && o < %ld) {", outs);
  E->indent++;
  decode(E, v, "o", 1);
  char *off = at_vars(E, v, &v->sm);
  lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), x);", v->sm.offset, off);
  free(off);
  close(E);
  close(E);
  close(E);
}

static void emit_product(lo_emit *E, uint32_t id) {
  lo_val *v = &E->L->v[id];
  char *c = as_format("acc%u", number(E, id));
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  if (v->place == LP_FRAG) {
    if (E->L->v[v->fused_acc].acc == AS_ACC_RESCALE) {
      lo_line(E, "{");
      E->indent++;
      lo_emit_mma_rescale(E, id, E->L->v[v->fused_acc].run, c);
      close(E);
    }
    lo_emit_mma(E, id, c);
  } else {
    lo_emit_mma_decl(E, id, c);
    lo_line(E, "{");
    E->indent++;
    lo_emit_mma(E, id, c);
    close(E);
    if (v->need32)
      lo_emit_mma_store(E, id, c);
  }
  close(E);
  free(c);
}

static char *pointer(const lo *L, uint32_t id) {
  const lo_val *v = &L->v[id];
  if (v->gclass == LG_INPUT)
    return as_format("a.in[%u]", v->gidx);
  if (v->gclass == LG_OUTPUT)
    return as_format("a.out[%u]", v->gidx);
  return as_format("(a.ws + %ldL)", v->woff);
}

static long stride_of(const lo_val *v, int d) {
  long s = 1;
  for (int i = d + 1; i < v->rank; i++)
    s *= v->dim[i];
  return s;
}

static const char *const block_name[] = {"bx", "by", "bz"};

/* element offset of a tile's first element in its tensor */
static char *tile_base(const lo_unit *u, const lo_val *tile, const lo_val *g, const int *gaxis,
                       const bool *laxis) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "0");
  for (int d = 0; d < tile->rank; d++) {
    long step = tile->dim[d] * stride_of(g, d);
    bool loop = laxis && laxis[d];
    if (gaxis[d] >= 0 && loop)
      as_str_printf(&s, " + ((size_t)%s * %ld + l) * %ld", block_name[gaxis[d]], u->loop, step);
    else if (gaxis[d] >= 0)
      as_str_printf(&s, " + (size_t)%s * %ld", block_name[gaxis[d]], step);
    else if (loop)
      as_str_printf(&s, " + (size_t)l * %ld", step);
  }
  return as_str_take(&s);
}

static void emit_load(lo_emit *E, uint32_t id) {
  const lo_val *v = &E->L->v[id];
  const lo_val *g = &E->L->v[v->src];
  const lo_smem *m = &v->sm;
  int threads = 32 * E->u->warps;
  long cols = v->rank ? v->dim[v->rank - 1] : 1;
  long gcols = g->rank ? g->dim[g->rank - 1] : 1;
  long vec = 0;
  for (long b = 16; b >= 4 && !vec; b /= 2) {
    if (cols * m->elem % b == 0 && gcols * m->elem % b == 0 && m->ld * m->elem % b == 0)
      vec = b / m->elem;
  }
  char *p = pointer(E->L, v->src);
  char *base = tile_base(E->u, v, g, v->gaxis, v->laxis);
  long count = elems(v) / (vec ? vec : 1);
  lo_line(E, "{ /* %s */", v->name);
  E->indent++;
  lo_line(E, "const size_t base = %s;", base);
  each(E, count, threads);
  decode(E, v, "e", vec > 1 ? vec : 1);
  if (vec > 1)
    lo_line(E, "const int %s = v0 * %ld;", names8[v->rank - 1], vec);
  as_str at;
  as_str_init(&at);
  as_str_add(&at, "base");
  for (int d = 0; d < v->rank; d++)
    as_str_printf(&at, " + (size_t)%s * %ld", names8[d], stride_of(g, d));
  char *off = at_vars(E, v, m);
  char *dst = m->stages > 1
                  ? as_format("%ld + slot * %ld + %d * (%s)", m->offset, m->bytes, m->elem, off)
                  : as_format("%ld + %d * (%s)", m->offset, m->elem, off);
  if (vec)
    lo_line(E, "as_cp_async<%ld>(sm, %s, %s, (%s) * %d);", vec * m->elem, dst, p, at.s, m->elem);
  else
    lo_line(E, "as_sts_raw16(sm, %s, as_ldg_raw16(%s, %s));", dst, p, at.s);
  as_str_clear(&at);
  free(off);
  free(dst);
  free(p);
  free(base);
  close(E);
  close(E);
}

static void emit_store(lo_emit *E, const lo_store *s) {
  const lo_val *v = &E->L->v[s->val];
  const lo_val *g = &E->L->v[s->dst];
  int threads = 32 * E->u->warps;
  long cols = v->rank ? v->dim[v->rank - 1] : 1;
  long gcols = g->rank ? g->dim[g->rank - 1] : 1;
  long vec = g->dtype == AS_F32 ? 4 : 8;
  long n = elems(v);
  while (vec > 1 && (cols % vec || gcols % vec || (vec > 2 && n / vec < threads)))
    vec /= 2;
  char *p = pointer(E->L, s->dst);
  char *base = tile_base(E->u, v, g, s->gaxis, NULL);
  lo_line(E, "{ /* store %s */", g->name);
  E->indent++;
  lo_line(E, "const size_t base = %s;", base);
  each(E, n / vec, threads);
  decode(E, v, "e", vec);
  lo_line(E, "float r[%ld];", vec);
  const char *last = v->rank ? names8[v->rank - 1] : NULL;
  if (vec > 1) {
    lo_line(E, "#pragma unroll");
    lo_line(E, "for (int j = 0; j < %ld; j++) {", vec);
    E->indent++;
    lo_line(E, "const int %s = v0 * %ld + j;", last, vec);
  }
  char *x = lo_expr(E, s->body);
  lo_line(E, "r[%s] = %s;", vec > 1 ? "j" : "0", x);
  free(x);
  if (vec > 1) {
    close(E);
    lo_line(E, "const int %s = v0 * %ld;", last, vec);
  }
  as_str at;
  as_str_init(&at);
  as_str_add(&at, "base");
  for (int d = 0; d < v->rank; d++)
    as_str_printf(&at, " + (size_t)%s * %ld", names8[d], stride_of(g, d));
  lo_line(E, "as_stg_%s<%ld>(%s, %s, r);", tname(g->dtype), vec, p, at.s);
  as_str_clear(&at);
  free(p);
  free(base);
  close(E);
  close(E);
}

static void emit_stmt(lo_emit *E, const lo_stmt *s) {
  switch (s->kind) {
  case LS_MAP:
    emit_map(E, s->val, false);
    break;
  case LS_MAP16:
    emit_map(E, s->val, true);
    break;
  case LS_RED:
    emit_red(E, s->val);
    break;
  case LS_MMA:
    emit_product(E, s->val);
    break;
  case LS_ACC:
    emit_acc(E, s->val);
    break;
  case LS_FINISH:
    emit_finish(E, s->val);
    break;
  }
}

static void emit_phase(lo_emit *E, lo_phase p) {
  const lo_unit *u = E->u;
  const lo *L = E->L;
  for (int l = 0; l < u->levels[p]; l++) {
    if (l)
      lo_line(E, "as_sync();");
    for (int writes = 0; writes < 2;
         writes++) /* those that only read shared memory first: their reads overlap */
    {
      for (uint32_t i = 0; i < u->n_stmt; i++) {
        const lo_stmt *s = &u->stmt[i];
        bool reads_only = (s->kind == LS_RED && L->v[s->val].place == LP_LANES) ||
                          (s->kind == LS_MMA && L->v[s->val].place == LP_FRAG);
        if (s->phase == p && s->level == l && reads_only != writes)
          emit_stmt(E, s);
      }
    }
    if (p == LO_POST) {
      for (uint32_t i = 0; i < u->n_store; i++) {
        if (u->store[i].level == l)
          emit_store(E, &u->store[i]);
      }
    }
  }
}

static void declare(lo_emit *E) {
  lo_unit *u = E->u;
  int threads = 32 * u->warps;
  for (uint32_t i = 0; i < u->n; i++) {
    const lo_val *v = &E->L->v[u->val[i]];
    if (!v->live)
      continue;
    if (v->kind == LV_RED && v->place == LP_FRAG) {
      char *c = as_format("acc%u", i);
      lo_emit_mma_decl(E, u->val[i], c);
      free(c);
    }
    if (v->kind == LV_RED && v->place == LP_LANES) {
      long outs;
      long groups;
      long rounds;
      red_shape(E, v, &outs, &groups, &rounds);
      lo_line(E, "float part%u[%ld] = {};", i, rounds);
    }
    if (v->kind != LV_ACC || v->place != LP_SMEM || v->acc == AS_ACC_CONCAT)
      continue;
    each(E, elems(v), threads);
    decode(E, v, "e", 1);
    char *off = at_vars(E, v, &v->sm);
    lo_line(E, "as_sts_f32(sm, %ld + 4 * (%s), %s);", v->sm.offset, off,
            v->acc == AS_ACC_MAX ? "-INFINITY" : "0.0f");
    free(off);
    close(E);
  }
}

static bool any_load(const lo_emit *E, lo_phase p) {
  for (uint32_t i = 0; i < E->u->n; i++) {
    const lo_val *v = &E->L->v[E->u->val[i]];
    if (v->live && v->kind == LV_LOAD && v->phase == p)
      return true;
  }
  return false;
}

static void emit_loads(lo_emit *E, lo_phase p) {
  for (uint32_t i = 0; i < E->u->n; i++) {
    const lo_val *v = &E->L->v[E->u->val[i]];
    if (v->live && v->kind == LV_LOAD && v->phase == p)
      emit_load(E, E->u->val[i]);
  }
}

static void emit_loop(lo_emit *E) {
  lo_unit *u = E->u;
  int S = u->stages;
  bool ring = any_load(E, LO_BODY);
  lo_line(E, "for (int l0 = 0; l0 < %ld; l0++) {", u->loop);
  E->indent++;
  lo_line(E, "const int l = l0, slot = l0 %% %d;", S);
  lo_line(E, "(void)l; (void)slot;");
  if (ring && S > 1)
    lo_line(E, "as_cp_wait<%d>();", S - 2);
  if (ring && S == 1) {
    lo_line(E, "as_sync(); /* the last iteration's readers are done */");
    lo_line(E, "issue(l, 0);");
    lo_line(E, "as_cp_commit();");
    lo_line(E, "as_cp_wait<0>();");
  }
  lo_line(E, "as_sync();");
  if (ring && S > 1) {
    lo_line(E, "if (l0 + %d < %ld) issue(l0 + %d, (l0 + %d) %% %d);", S - 1, u->loop, S - 1, S - 1,
            S);
    lo_line(E, "as_cp_commit();");
  }
  emit_phase(E, LO_BODY);
  close(E);
}

bool lo_emit_block(lo *L, lo_unit *u, as_str *s) {
  char *var[10];
  for (int i = 0; i < 9; i++)
    var[i] = (char *)(uintptr_t)names8[i];
  var[9] = NULL;
  lo_emit e = {.L = L, .u = u, .s = s, .ref = read_smem, .var = var};
  lo_emit *E = &e;
  bool body = u->levels[LO_BODY] > 0;
  bool ring = any_load(E, LO_BODY);
  lo_line(E, "AS_KERNEL(%d) k%u_%s(as_args a)", 32 * u->warps, (unsigned)(u - L->u), u->name);
  lo_line(E, "{");
  E->indent++;
  lo_line(E, "AS_SMEM(sm);");
  lo_line(E, "const int tid = as_tid(), lane = tid & 31, warp = tid >> 5;");
  lo_line(E, "const unsigned bid = as_bid();");
  lo_line(E, "const unsigned bx = bid %% %ldu, by = bid / %ldu %% %ldu, bz = bid / %ldu;",
          u->grid[0], u->grid[0], u->grid[1], u->grid[0] * u->grid[1]);
  lo_line(E, "(void)lane; (void)warp; (void)bx; (void)by; (void)bz; (void)sm;");
  if (ring) {
    lo_line(E, "auto issue = [&](int l, int slot) {");
    E->indent++;
    lo_line(E, "(void)l; (void)slot;");
    emit_loads(E, LO_BODY);
    E->indent--;
    lo_line(E, "};");
  }
  emit_loads(E, LO_PRE);
  lo_line(E, "as_cp_commit();");
  if (body && ring && u->stages > 1) {
    for (int i = 0; i + 1 < u->stages; i++) {
      if (i < u->loop)
        lo_line(E, "issue(%d, %d);", i, i);
      lo_line(E, "as_cp_commit();");
    }
  }
  declare(E);
  if (u->levels[LO_PRE]) {
    lo_line(E, "as_cp_wait<%d>();", body && ring && u->stages > 1 ? u->stages - 1 : 0);
    lo_line(E, "as_sync();");
    emit_phase(E, LO_PRE);
  } else if (!ring) {
    lo_line(E, "as_cp_wait<0>();");
  }
  if (body)
    emit_loop(E);
  lo_line(E, "as_sync();");
  emit_phase(E, LO_POST);
  lo_line(E, "as_cp_wait<0>();");
  E->indent--;
  lo_line(E, "}\n");
  free(e.memo);
  return true;
}

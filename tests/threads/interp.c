#include "interp_int.h"
#include <stdlib.h>
#include <string.h>

bool interp_wrong(run *R, const char *what) {
  if (!R->wrong)
    R->wrong = what;
  return false;
}

/* --- maps, bit by bit */
uint32_t interp_image(const as_lay *l, const char *dim, uint32_t x) {
  uint32_t v = 0;
  unsigned at = 0;
  for (unsigned d = 0; d < l->n_in; d++) {
    for (unsigned i = 0; i < l->in[d].bits; i++, at++) {
      if (!strcmp(l->in[d].name, dim) && (x >> i & 1))
        v ^= l->col[at];
    }
  }
  return v;
}

unsigned interp_size_of_dim(const as_lay *l, const char *dim) {
  for (unsigned d = 0; d < l->n_in; d++) {
    if (!strcmp(l->in[d].name, dim))
      return 1u << l->in[d].bits;
  }
  return 1;
}

static uint32_t place(const as_lay *l, uint32_t u, uint32_t lane, uint32_t warp, uint32_t s) {
  return interp_image(l, "u", u) ^ interp_image(l, "lane", lane) ^ interp_image(l, "warp", warp) ^
         interp_image(l, "s", s);
}

static uint32_t coordinate(const as_lay *l, const char *axis, uint32_t flat) {
  for (unsigned d = 0; d < l->n_out; d++) {
    if (!strcmp(l->out[d].name, axis))
      return flat & ((1u << l->out[d].bits) - 1);
    flat >>= l->out[d].bits;
  }
  return 0;
}

static bool takes_part(const as_tg_op *op, uint32_t lane, uint32_t warp) {
  return !(lane & (uint32_t)op->lanes) && !(warp & (uint32_t)op->warps);
}

static int stage(const run *R, const instant *i, int slot) {
  int n = R->g->stages;
  return (((i->l + slot) % n) + n) % n;
}

long interp_base(const run *R, const instant *i, int buf) {
  const as_tg_buffer *b = &R->g->buffer[buf];
  long bytes = (long)b->elem << b->bits;
  return b->base + (b->stages > 1 ? stage(R, i, i->op->slot) * bytes : 0);
}

static long base_of(const run *R, const instant *i) {
  return interp_base(R, i, i->op->buf);
}

bool interp_cell(run *R, long byte, long *cell) {
  *cell = byte / 2;
  return (byte >= 0 && byte % 2 == 0 && *cell < R->cells) ||
         interp_wrong(R, "shared memory out of bounds");
}

/* an element of a tensor; beyond the predicate it is zero, beyond the tensor a fault */
static bool fetch(run *R, const as_tg_tile *t, const uint32_t *index, int it, const long *pred,
                  pair *out) {
  const field_tensor *x = &R->tensor[t - R->g->tile];
  long at = t->origin;
  *out = field_int(0);
  for (unsigned d = 0; d < t->n_axis; d++) {
    if (pred && pred[d] && (long)index[d] >= pred[d])
      return true;
  }
  for (unsigned d = 0; d < t->n_axis; d++) {
    const as_tg_axis *a = &t->axis[d];
    if ((long)index[d] >= a->live)
      return interp_wrong(R, "read outside of a tile");
    long e = (long)index[d] + (a->loop_step ? it * a->loop_step : 0);
    if (e < 0 || e >= x->dim[d])
      return interp_wrong(R, "read outside of a tensor");
    e += a->grid >= 0 && a->grid < 3 ? R->block[a->grid] * a->grid_step : 0;
    at += e * a->stride;
  }
  if (at < 0 || at >= x->elements)
    return interp_wrong(R, "read outside of memory");
  *out = x->memory[at];
  return true;
}

/* --- registers */
reg *interp_value_of(run *R, unsigned warp, int v, unsigned n) {
  reg *r = &R->value[warp * R->g->value.n + (unsigned)v];
  if (r->n != n && n) {
    free(r->lane);
    r->n = n;
    r->lane = as_calloc(n, sizeof *r->lane);
    for (unsigned i = 0; i < n; i++) {
      for (unsigned k = 0; k < 32; k++)
        r->lane[i][k] = field_random(&R->rng);
    }
  }
  return r;
}

const reg *interp_read_value(run *R, unsigned warp, int v) {
  const reg *r = &R->value[warp * R->g->value.n + (unsigned)v];
  if (!r->n)
    interp_wrong(R, "a value that is not defined");
  return r->n ? r : NULL;
}

bool interp_in_range(run *R, const reg *r, uint32_t i) {
  return i < r->n || interp_wrong(R, "register index");
}

/* --- copies */
static void arrive(run *R, copy *c) {
  if (c->done)
    return;
  c->done = true;
  for (unsigned i = 0; i < c->n; i++)
    R->cell[c->cell[i]] = c->value[i];
  if (c->bar < 0)
    return;
  mbar *b = &R->bar[c->bar];
  b->tx -= c->bytes;
  if (!b->pending && !b->tx) {
    b->phase++;
    b->pending = b->count;
  }
}

static int new_copy(run *R, unsigned n) {
  copy c = {.n = 0,
            .cell = as_calloc(n + 1, sizeof(long)),
            .value = as_calloc(n + 1, sizeof(pair)),
            .bar = -1};
  as_vec_push(&R->copies, &c);
  return (int)R->copies.n - 1;
}

static bool tile_index(const as_tg_tile *t, const as_lay *l, uint32_t flat, const char *vaxis,
                       uint32_t e, uint32_t *index) {
  for (unsigned d = 0; d < t->n_axis; d++) {
    index[d] = t->axis[d].bits ? coordinate(l, t->axis[d].name, flat) : 0;
    if (!strcmp(t->axis[d].name, vaxis))
      index[d] += e;
  }
  return true;
}

static bool do_copy(run *R, agent *A, const instant *i) {
  const as_tg_op *op = i->op;
  const as_tg_tile *t = &R->g->tile[op->tile];
  const as_tg_buffer *b = &R->g->buffer[op->buf];
  int it = i->l + op->it;
  if (it >= R->iterations)
    return true;
  unsigned u_count = interp_size_of_dim(&op->src, "u");
  unsigned vec = 1u << op->vec;
  int id = new_copy(R, 32 * u_count * vec * 2);
  for (uint32_t lane = 0; lane < 32; lane++) {
    if (!(A->lanes >> lane & 1) || !takes_part(op, lane, A->warp))
      continue;
    for (uint32_t u = 0; u < u_count; u++) {
      uint32_t from = place(&op->src, u, lane, A->warp, (uint32_t)i->s);
      uint32_t to = place(&op->dst, u, lane, A->warp, (uint32_t)i->s);
      if (to & (vec - 1))
        return interp_wrong(R, "misaligned copy");
      for (uint32_t e = 0; e < vec; e++) {
        copy *c = &AS_VEC_AT(&R->copies, copy, (size_t)id);
        uint32_t index[AS_TG_AXES];
        tile_index(t, &op->src, from, op->vaxis, e, index);
        if (!fetch(R, t, index, it, op->pred, &c->value[c->n]) ||
            !interp_cell(R, base_of(R, i) + (long)(to + e) * b->elem, &c->cell[c->n]))
          return false;
        c->n++;
      }
    }
  }
  if (AS_VEC_AT(&R->copies, copy, (size_t)id).n)
    as_vec_push(&A->open, &id);
  else
    AS_VEC_AT(&R->copies, copy, (size_t)id).done = true;
  return true;
}

static long swizzle_width(const char *instr) {
  const char *dot = strrchr(instr, '.');
  return dot ? strtol(dot + 1, NULL, 10) : 0;
}

static mbar *barrier_of(run *R, const instant *i) {
  mbar *b = &R->bar[i->op->bar * R->g->stages + stage(R, i, i->op->slot)];
  if (!b->is)
    interp_wrong(R, "a barrier that is not initialised");
  return b->is ? b : NULL;
}

static bool do_bulk(run *R, const instant *i) {
  const as_tg_op *op = i->op;
  const as_tg_tile *t = &R->g->tile[op->tile];
  unsigned elem = R->g->buffer[op->buf].elem;
  long width = swizzle_width(op->instr);
  if (i->l >= R->g->trip || !barrier_of(R, i))
    return interp_wrong(R, "copy outside of a tensor");
  bool linear = !strcmp(op->instr, "bulk.linear");
  if (linear)
    width = (long)elem << R->g->buffer[op->buf].bits;
  else if (width != 32 && width != 64 && width != 128)
    return interp_wrong(R, "no such copy");
  unsigned cols = (unsigned)width / elem;
  unsigned boxes = 1u << (op->src.n_in ? op->src.in[0].bits : 0);
  long limits[AS_TG_AXES];
  for (unsigned d = 0; d < AS_TG_AXES; d++)
    limits[d] = d < t->n_axis ? t->axis[d].live : 0;
  for (uint32_t u = 0; u < boxes; u++) {
    long start = base_of(R, i) + (long)u * (width << op->rows);
    uint32_t corner = interp_image(&op->src, op->src.n_in ? op->src.in[0].name : "u", u);
    if (start % (linear ? 16 : width * 8))
      return interp_wrong(R, "misaligned box");
    int id = new_copy(R, cols << op->rows);
    copy *c = &AS_VEC_AT(&R->copies, copy, (size_t)id);
    for (uint32_t r = 0; r < 1u << op->rows; r++) {
      for (uint32_t k = 0; k < cols; k++) {
        uint32_t index[AS_TG_AXES];
        long y = start + (long)r * width + (long)(k * elem);
        y ^= linear ? 0 : ((y >> 7 & 7) << 4) & (width - 1);
        for (unsigned d = 0; d < t->n_axis; d++) {
          const char *name = t->axis[d].name;
          index[d] = t->axis[d].bits ? coordinate(&op->src, name, corner) : 0;
          index[d] += !strcmp(name, op->col) ? k : !strcmp(name, op->row) ? r : 0;
          if (index[d] >= 1u << t->axis[d].bits)
            return interp_wrong(R, "a box leaves the tile");
        }
        if (!fetch(R, t, index, i->l, limits, &c->value[c->n]) ||
            !interp_cell(R, y, &c->cell[c->n]))
          return false;
        if (R->late[c->cell[c->n]])
          return interp_wrong(R, "a box over what may not have been read yet");
        c->n++;
      }
    }
    c->bar = op->bar * R->g->stages + stage(R, i, op->slot);
    c->bytes = (long)cols * elem << op->rows;
  }
  return true;
}

/* --- vectors */
static bool do_vector(run *R, agent *A, const instant *i, uint32_t lane) {
  const as_tg_op *op = i->op;
  bool global = op->kind == AS_TG_LDG || op->kind == AS_TG_STG;
  bool load = op->kind == AS_TG_LDG || op->kind == AS_TG_LDS;
  const as_lay *l = load ? &op->src : &op->dst;
  unsigned u_count = interp_size_of_dim(l, "u");
  unsigned vec = 1u << op->vec;
  const reg *from = load ? NULL : interp_read_value(R, A->warp, op->a);
  reg *to = load ? interp_value_of(R, A->warp, op->v, u_count * vec) : NULL;
  if (!load && (!from || from->n != u_count * vec))
    return interp_wrong(R, "register count");
  for (uint32_t u = 0; u < u_count; u++) {
    uint32_t at = place(l, u, lane, A->warp, (uint32_t)i->s);
    if (!global && ((at + (uint32_t)op->base) & (vec - 1)))
      return interp_wrong(R, "misaligned");
    for (uint32_t e = 0; e < vec; e++) {
      uint32_t r = u * vec + e;
      uint32_t index[AS_TG_AXES];
      long cell;
      if (global) {
        const as_tg_tile *t = &R->g->tile[op->tile];
        tile_index(t, l, at, op->vaxis, e, index);
        if (load) {
          if (!fetch(R, t, index, i->l, op->pred, &to->lane[r][lane]))
            return false;
          continue;
        }
        const field_tensor *x = &R->tensor[op->tile];
        if (!t->output)
          return interp_wrong(R, "a store into an input");
        long where = 0;
        bool skip = false;
        for (unsigned d = 0; d < t->n_axis; d++) {
          skip = skip || (op->pred[d] && (long)index[d] >= op->pred[d]);
          where = where * x->dim[d] + (long)index[d];
        }
        for (unsigned d = 0; !skip && d < t->n_axis; d++) {
          if ((long)index[d] >= x->dim[d])
            return interp_wrong(R, "write outside of a tensor");
        }
        if (!skip)
          R->got[op->tile][where] = from->lane[r][lane];
        continue;
      }
      const as_tg_buffer *b = &R->g->buffer[op->buf];
      if (!interp_cell(R, b->base + (long)(at + (uint32_t)op->base + e) * b->elem, &cell))
        return false;
      R->late[cell] |= (uint64_t)1 << (A - R->agents);
      if (load) {
        to->lane[r][lane] = R->cell[cell];
      } else {
        R->cell[cell] = from->lane[r][lane];
        if (b->elem == 4 && cell + 1 < R->cells)
          R->cell[cell + 1] = field_random(&R->rng);
      }
    }
  }
  return true;
}

/* --- operations of a whole warp */
static uint64_t agents_of(const run *R, unsigned warp) {
  uint64_t mask = 0;
  for (unsigned k = 0; k < R->n_agent; k++)
    mask |= R->agents[k].warp == warp ? (uint64_t)1 << k : 0;
  return mask;
}

static bool do_ldmatrix(run *R, unsigned warp, const instant *i) {
  const as_tg_op *op = i->op;
  unsigned num = strstr(op->instr, ".x4") ? 4 : strstr(op->instr, ".x2") ? 2 : 1;
  bool trans = strstr(op->instr, ".trans") != NULL;
  unsigned u_count = interp_size_of_dim(&op->src, "u");
  reg *to = interp_value_of(R, warp, op->v, u_count * num * 2);
  unsigned elem = R->g->buffer[op->buf].elem;
  for (uint32_t u = 0; u < u_count; u++) {
    for (unsigned m = 0; m < num; m++) {
      pair matrix[8][8];
      for (uint32_t r = 0; r < 8; r++) {
        uint32_t at = place(&op->src, u, 8 * m + r, warp, (uint32_t)i->s);
        if (at & 7)
          return interp_wrong(R, "misaligned row");
        for (uint32_t c = 0; c < 8; c++) {
          long cell;
          if (!interp_cell(R, base_of(R, i) + (long)(at + c) * elem, &cell))
            return false;
          matrix[r][c] = R->cell[cell];
          R->late[cell] |= agents_of(R, warp);
        }
      }
      for (uint32_t lane = 0; lane < 32; lane++) {
        for (unsigned e = 0; e < 2; e++) {
          uint32_t r = lane / 4;
          uint32_t c = 2 * (lane % 4) + e;
          to->lane[(u * num + m) * 2 + e][lane] = trans ? matrix[c][r] : matrix[r][c];
        }
      }
    }
  }
  return true;
}

static bool do_shfl(run *R, unsigned warp, const as_tg_op *op) {
  const reg *v = interp_read_value(R, warp, op->v);
  if (!v)
    return false;
  for (uint32_t r = 0; r < v->n; r++) {
    pair was[32];
    memcpy(was, v->lane[r], sizeof was);
    for (uint32_t lane = 0; lane < 32; lane++)
      v->lane[r][lane] = interp_folded(op->fold, was[lane], was[(lane ^ (uint32_t)op->lanes) & 31]);
  }
  return true;
}

static bool collective(run *R, unsigned warp, const instant *i) {
  if (warp >= R->warps)
    return i->op->kind == AS_TG_SYNCWARP || interp_wrong(R, "a warp without registers");
  switch (i->op->kind) {
  case AS_TG_LDMATRIX:
    return do_ldmatrix(R, warp, i);
  case AS_TG_MMA:
    return interp_mma(R, warp, i->op);
  case AS_TG_SHFL:
    return do_shfl(R, warp, i->op);
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
  case AS_TG_WGCOMMIT:
  case AS_TG_WGWAIT:
    return interp_group(R, warp, i);
  default:
    return true;
  }
}

/* --- barriers */
static bool do_arrive(run *R, agent *A, const instant *i) {
  if (!(A->lanes & 1) || (i->op->kind == AS_TG_MBARRIVE && i->l < i->op->from))
    return true;
  mbar *b = barrier_of(R, i);
  if (!b)
    return false;
  if (i->op->kind == AS_TG_MBEXPECT)
    b->tx += i->op->count;
  if (--b->pending < 0)
    return interp_wrong(R, "too many arrivals");
  if (!b->pending && !b->tx) {
    b->phase++;
    b->pending = b->count;
  }
  return true;
}

static bool do_wait(run *R, const instant *i, bool *blocked) {
  if (i->l < i->op->from)
    return true;
  mbar *b = barrier_of(R, i);
  if (!b)
    return false;
  int parity = ((i->l + i->op->off) / R->g->stages + i->op->par) & 1;
  *blocked = (b->phase & 1) == parity;
  return true;
}

static void do_init(run *R, const agent *A) {
  if (A->warp != 0 || !(A->lanes & 1))
    return;
  for (unsigned b = 0; b < R->g->n_barrier; b++) {
    for (int s = 0; s < R->g->stages; s++) {
      int n = (int)R->g->barrier[b].count;
      R->bar[(int)b * R->g->stages + s] = (mbar){true, 0, n, n, 0};
    }
  }
}

static void wait_groups(run *R, agent *A, int n) {
  size_t left = A->groups.n;
  for (size_t k = 0; k + (size_t)n < left; k++) {
    as_vec *group = &AS_VEC_AT(&A->groups, as_vec, k);
    for (size_t c = 0; c < group->n; c++)
      arrive(R, &AS_VEC_AT(&R->copies, copy, (size_t)AS_VEC_AT(group, int, c)));
    group->n = 0;
  }
}

static bool lanewise(run *R, agent *A, const instant *i, uint32_t lane) {
  switch (i->op->kind) {
  case AS_TG_LDS:
  case AS_TG_LDG:
    return do_vector(R, A, i, lane);
  case AS_TG_STS:
  case AS_TG_STG:
    return !takes_part(i->op, lane, A->warp) || do_vector(R, A, i, lane);
  case AS_TG_MAP:
    return interp_map(R, A->warp, i->op, lane, i->sure);
  case AS_TG_FILL:
    return interp_fill(R, A->warp, i->op, lane);
  case AS_TG_INDEX:
    return interp_index(R, A->warp, i->op, lane, i->l);
  case AS_TG_RED:
    return interp_red(R, A->warp, i->op, lane);
  case AS_TG_ZERO:
    interp_zero(R, A->warp, i->op, lane);
    return true;
  default:
    return interp_update(R, A->warp, i->op, lane);
  }
}

static bool is_others(const run *R, const as_tg_op *op) {
  return op->kind == AS_TG_STG ||
         ((op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK || op->kind == AS_TG_LDG) &&
          R->tensor[op->tile].made);
}

static bool local(run *R, agent *A, const instant *i, bool *blocked) {
  const as_tg_op *op = i->op;
  if (!A->over && is_others(R, op))
    return interp_wrong(R, "memory of kernels that are not over");
  switch (op->kind) {
  case AS_TG_CPASYNC:
    return do_copy(R, A, i);
  case AS_TG_BULK:
    return do_bulk(R, i);
  case AS_TG_COMMIT:
    as_vec_push(&A->groups, &A->open);
    as_vec_init(&A->open, sizeof(int));
    return true;
  case AS_TG_WAITG:
    wait_groups(R, A, op->count);
    return true;
  case AS_TG_PROXYFENCE:
    for (long i_cell = 0; i_cell < R->cells; i_cell++)
      R->late[i_cell] &= ~((uint64_t)1 << (A - R->agents));
    return true;
  case AS_TG_GRIDWAIT:
    A->over = true;
    return true;
  case AS_TG_GRIDGO:
    return true;
  case AS_TG_MBINIT:
    do_init(R, A);
    return true;
  case AS_TG_MBWAIT:
    return do_wait(R, i, blocked);
  case AS_TG_MBEXPECT:
  case AS_TG_MBARRIVE:
    return do_arrive(R, A, i);
  default:
    break;
  }
  for (uint32_t lane = 0; lane < 32; lane++) {
    if ((A->lanes >> lane & 1) && A->warp < R->warps && !lanewise(R, A, i, lane))
      return false;
  }
  return true;
}

static bool meets_warp(as_tg_kind k) {
  return k == AS_TG_SYNCWARP || k == AS_TG_LDMATRIX || k == AS_TG_MMA || k == AS_TG_SHFL ||
         k == AS_TG_WGMMA || k == AS_TG_WGMMAR || k == AS_TG_WGFENCE || k == AS_TG_WGCOMMIT ||
         k == AS_TG_WGWAIT;
}

/* one operation of one agent; false: it cannot go on now, or something is wrong */
static bool step(run *R, agent *A) {
  const instant *i = &AS_VEC_AT(A->program, instant, A->pc);
  bool blocked = false;
  if (i->op->kind == AS_TG_BAR) {
    A->at = 1;
    for (unsigned k = 0; k < R->n_agent; k++) {
      if (R->agents[k].at != 1)
        return true;
    }
    for (unsigned k = 0; k < R->n_agent; k++) {
      R->agents[k].at = 0;
      R->agents[k].pc++;
    }
    return true;
  }
  if (meets_warp(i->op->kind)) {
    A->at = 2;
    for (unsigned k = 0; k < R->n_agent; k++) {
      if (R->agents[k].warp == A->warp && (R->agents[k].at != 2 || R->agents[k].pc != A->pc))
        return true;
    }
    if (!collective(R, A->warp, i))
      return false;
    for (unsigned k = 0; k < R->n_agent; k++) {
      if (R->agents[k].warp == A->warp) {
        R->agents[k].at = 0;
        R->agents[k].pc++;
      }
    }
    return true;
  }
  if (!local(R, A, i, &blocked) || blocked)
    return false;
  A->pc++;
  return true;
}

static void flatten(run *R, as_vec *out, char who, const as_tg_op *in, instant at) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    instant x = {op, at.l - op->delay, at.s, at.sure};
    if (op->kind == AS_TG_LOOP) {
      int count = op->cut && op->count > R->iterations ? R->iterations : op->count;
      for (int k = op->from; op->who == who && k < count; k++)
        flatten(R, out, who, op, (instant){NULL, k, 0, -1});
      for (unsigned k = 0; op->who == who && count > 0 && k < op->n_body; k++) {
        x = (instant){op->body[k], count - op->body[k]->delay, 0, -1};
        if (op->body[k]->delay)
          as_vec_push(out, &x);
      }
    } else if (op->kind == AS_TG_STEPS) {
      for (int k = 0; k < 1 << op->bits; k++)
        flatten(R, out, who, op, (instant){NULL, at.l, k, at.sure});
    } else if (op->kind == AS_TG_SURE) {
      int sure = interp_is_sure(R, op, at.l) ? op->side : -1;
      flatten(R, out, who, op, (instant){NULL, at.l, at.s, sure});
    } else if ((op->who == who || op->who == 'a') && x.l >= 0 &&
               !(op->kind == AS_TG_INDEX && at.sure >= 0)) {
      as_vec_push(out, &x);
    }
  }
}

/* is it launched while the kernels before run? */
static bool is_beside(const as_tg *g) {
  for (unsigned i = 0; i < g->top.n_body; i++) {
    if (g->top.body[i]->kind == AS_TG_GRIDWAIT)
      return true;
  }
  return false;
}

static void add_agent(run *R, unsigned warp, uint32_t lanes, const as_vec *program) {
  agent *A = &R->agents[R->n_agent++];
  *A = (agent){.warp = warp, .lanes = lanes, .program = program};
  A->weight = as_rng_below(&R->rng, 4) ? 30 : 1;
  A->over = !is_beside(R->g);
  as_vec_init(&A->open, sizeof(int));
  as_vec_init(&A->groups, sizeof(as_vec));
}

static void begin(run *R, const as_tg *g, const field_tensor *tensor, const long *block,
                  uint64_t seed) {
  memset(R, 0, sizeof *R);
  R->g = g;
  R->block = block;
  R->iterations = interp_iterations(R);
  R->tensor = tensor;
  as_rng_seed(&R->rng, seed);
  R->warps = 1u << g->warp_bits;
  as_vec_init(&R->program[0], sizeof(instant));
  as_vec_init(&R->program[1], sizeof(instant));
  as_vec_init(&R->copies, sizeof(copy));
  for (unsigned w = 0; w < AS_TG_MAX_WARPS; w++)
    as_vec_init(&R->products[w].issued, sizeof(product));
  flatten(R, &R->program[0], 'c', &g->top, (instant){NULL, 0, 0, -1});
  flatten(R, &R->program[1], 'p', &g->top, (instant){NULL, 0, 0, -1});
  R->cells = as_tg_shared_bytes(g) / 2 + 1;
  R->cell = as_calloc((size_t)R->cells, sizeof *R->cell);
  for (long i = 0; i < R->cells; i++)
    R->cell[i] = field_random(&R->rng);
  R->late = as_calloc((size_t)R->cells, sizeof *R->late);
  R->bar = as_calloc(g->n_barrier * (unsigned)g->stages + 1, sizeof *R->bar);
  R->value = as_calloc(R->warps * g->value.n + 1, sizeof *R->value);
  for (unsigned t = 0; t < g->n_tile; t++) {
    long n = 1;
    for (unsigned d = 0; d < tensor[t].rank; d++)
      n *= tensor[t].dim[d];
    if (!g->tile[t].output)
      continue;
    R->got[t] = as_calloc((size_t)n, sizeof(pair));
    for (long i = 0; i < n; i++)
      R->got[t][i] = field_random(&R->rng);
  }
  for (unsigned w = 0; w < R->warps; w++) {
    uint32_t part = as_rng_below(&R->rng, 10) < 7 ? (uint32_t)as_rng_next(&R->rng) : 0;
    if (part && ~part)
      add_agent(R, w, part, &R->program[0]);
    add_agent(R, w, part && ~part ? ~part : ~0u, &R->program[0]);
  }
  if (g->producer)
    add_agent(R, R->warps, 1, &R->program[1]);
}

static void end(run *R) {
  for (unsigned k = 0; k < R->n_agent; k++) {
    as_vec_clear(&R->agents[k].open);
    for (size_t i = 0; i < R->agents[k].groups.n; i++)
      as_vec_clear(&AS_VEC_AT(&R->agents[k].groups, as_vec, i));
    as_vec_clear(&R->agents[k].groups);
  }
  for (size_t i = 0; i < R->copies.n; i++) {
    free(AS_VEC_AT(&R->copies, copy, i).cell);
    free(AS_VEC_AT(&R->copies, copy, i).value);
  }
  for (size_t i = 0; i < R->warps * R->g->value.n; i++)
    free(R->value[i].lane);
  for (unsigned t = 0; t < 12; t++)
    free(R->got[t]);
  free(R->value);
  free(R->cell);
  free(R->late);
  free(R->bar);
  as_vec_clear(&R->copies);
  for (unsigned w = 0; w < AS_TG_MAX_WARPS; w++)
    as_vec_clear(&R->products[w].issued);
  as_vec_clear(&R->program[0]);
  as_vec_clear(&R->program[1]);
}

static void land_one(run *R) {
  size_t n = R->copies.n;
  if (!n)
    return;
  size_t from = as_rng_below(&R->rng, n);
  for (size_t k = 0; k < n; k++) {
    copy *c = &AS_VEC_AT(&R->copies, copy, (from + k) % n);
    if (!c->done) {
      arrive(R, c);
      return;
    }
  }
}

static bool in_flight(const run *R) {
  for (size_t k = 0; k < R->copies.n; k++) {
    if (!AS_VEC_AT(&R->copies, copy, k).done)
      return true;
  }
  return false;
}

static agent *choose(run *R) {
  unsigned total = 0;
  for (unsigned k = 0; k < R->n_agent; k++) {
    const agent *A = &R->agents[k];
    total += !A->at && A->pc < A->program->n ? A->weight : 0;
  }
  if (!total)
    return NULL;
  uint64_t pick = as_rng_below(&R->rng, total);
  for (unsigned k = 0; k < R->n_agent; k++) {
    agent *A = &R->agents[k];
    unsigned weight = !A->at && A->pc < A->program->n ? A->weight : 0;
    if (pick < weight)
      return A;
    pick -= weight;
  }
  return NULL;
}

static bool finished(const run *R) {
  for (unsigned k = 0; k < R->n_agent; k++) {
    if (R->agents[k].pc < R->agents[k].program->n)
      return false;
  }
  return true;
}

/* chance may pass over the one slow agent that could go on: each is asked once */
static bool anybody_moves(run *R) {
  for (unsigned k = 0; k < R->n_agent; k++) {
    agent *A = &R->agents[k];
    if (!A->at && A->pc < A->program->n && (step(R, A) || A->at))
      return true;
  }
  return false;
}

static void execute(run *R) {
  static const unsigned lazy[] = {0, 2, 20, 60};
  unsigned land = lazy[as_rng_below(&R->rng, 4)];
  unsigned idle = 0;
  while (!R->wrong && !finished(R)) {
    if (as_rng_below(&R->rng, 100) < land)
      land_one(R);
    if (as_rng_below(&R->rng, 100) < land)
      interp_group_land(R);
    agent *A = choose(R);
    if (!A) {
      interp_wrong(R, "deadlock at a barrier");
      return;
    }
    bool moved = false;
    unsigned rounds = 1u << as_rng_below(&R->rng, 5);
    for (unsigned k = 0; k < rounds && !A->at && A->pc < A->program->n; k++) {
      if (!step(R, A))
        break;
      moved = true;
    }
    idle = moved ? 0 : idle + 1;
    if (idle > 2000) {
      idle = 0;
      if (anybody_moves(R))
        continue;
      if (!in_flight(R)) {
        interp_wrong(R, "deadlock");
        return;
      }
      land_one(R);
    }
  }
}

static void compare(run *R) {
  for (unsigned t = 0; t < R->g->n_tile; t++) {
    const field_tensor *x = &R->tensor[t];
    long n = 1;
    for (unsigned d = 0; d < x->rank; d++)
      n *= x->dim[d];
    for (long i = 0; R->g->tile[t].output && i < n; i++) {
      if (R->got[t][i].p != x->data[i].p)
        interp_wrong(R, "another result");
    }
  }
}

const char *interp_judge(const as_tg *g, const field_tensor *tensor, const long block[3],
                         unsigned runs, uint64_t seed) {
  const char *seen = NULL;
  for (unsigned k = 0; k < runs && !seen; k++) {
    run *R = as_malloc(sizeof *R);
    begin(R, g, tensor, block, seed * 1000 + k);
    execute(R);
    if (!R->wrong)
      compare(R);
    seen = R->wrong;
    end(R);
    free(R);
  }
  return seen;
}

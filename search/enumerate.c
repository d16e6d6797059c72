/* The block-level enumerator.  For one plan it builds, in canonical order (index of the operands,
 * then operator), every tile-level tensor whose abstract expression is a subexpression of the
 * program's, each once, with all ways to compute it.  Graphs are then read off backwards from the
 * outputs (extract.c), so that no tensor is ever computed in vain. */
#include "sg_space.h"
#include <stdlib.h>
#include <string.h>

#define VALUE(s, i) (&AS_VEC_AT(&(s)->values, sg_value, i))
#define DERIV(s, i) (&AS_VEC_AT(&(s)->derivs, sg_deriv, i))

static uint64_t key_hash(ax_id e, const sg_axes *ax, uint32_t phase, uint32_t run) {
  struct {
    uint32_t e;
    uint32_t phase;
    uint32_t run;
    uint32_t rank;
    sg_label l[AS_MAX_RANK];
  } k;

  memset(&k, 0, sizeof k);
  k.e = e;
  k.phase = phase;
  k.run = run;
  k.rank = ax->rank;
  memcpy(k.l, ax->ax, ax->rank);
  return as_hash(&k, sizeof k, 1);
}

static uint32_t lookup(const sg_space *s, ax_id e, const sg_axes *ax, uint32_t phase,
                       uint32_t run) {
  as_index_walk walk = as_index_start(&s->by_key, key_hash(e, ax, phase, run));
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    const sg_value *v = VALUE(s, id);
    if (v->expr == e && v->phase == phase && v->run == run && sg_axes_eq(&v->axes, ax))
      return id;
  }
  return AS_NONE;
}

static void drop_units(sg_axes *a) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->ax[i] != SG_UNIT)
      a->ax[k++] = a->ax[i];
  }
  a->rank = k;
}

/* whether the smallest tile of these axes fits the shared memory of a block */
static bool fits(const sg_space *s, const sg_axes *a) {
  double bytes = 2;
  for (uint32_t i = 0; i < a->rank; i++)
    bytes *= s->least[a->ax[i]];
  return bytes <= s->lim->shared_block;
}

/* the targets that e is a part of, as bits (the last bit stands for all targets from the 63rd on);
 * targets are closed under arguments */
static uint64_t parts_of(sg_space *s, ax_id e) {
  if (e == AX_BAD)
    return 0;
  if (ax_is_unit(s->ctx.A, e))
    return UINT64_MAX;
  while (s->verdict.n <= e)
    as_vec_push(&s->verdict, NULL);
  sg_verdict *v = &AS_VEC_AT(&s->verdict, sg_verdict, e);
  if (v->known)
    return v->in;
  uint64_t in = 0;
  if (s->lim->z3 && !s->z3)
    s->z3 = sg_z3_new();
  for (uint32_t i = 0; i < s->n_target; i++) {
    uint64_t bit = 1ull << (i < 63 ? i : 63);
    if (!(in & bit) && (s->lim->z3 ? sg_z3_part_of(s->z3, s->ctx.A, e, s->target[i]) != 0
                                   : ax_sub_top(s->ctx.A, e, s->target[i])))
      in |= bit;
  }
  while (s->verdict.n <= e)
    as_vec_push(&s->verdict, NULL);
  v = &AS_VEC_AT(&s->verdict, sg_verdict, e);
  v->known = true;
  v->in = in;
  return in;
}

static uint64_t inverse_parts_of(sg_space *s, ax_id e) {
  while (s->verdict.n <= e)
    as_vec_push(&s->verdict, NULL);
  if (!AS_VEC_AT(&s->verdict, sg_verdict, e).inverse_known) {
    uint64_t in = parts_of(s, ax_inv(s->ctx.A, e));
    sg_verdict *v = &AS_VEC_AT(&s->verdict, sg_verdict, e);
    v->inverse_known = true;
    v->inverse_in = in;
  }
  return AS_VEC_AT(&s->verdict, sg_verdict, e).inverse_in;
}

/* the number or the ratio of terms is final: some target has exactly these terms */
static bool exact(sg_space *s, ax_id e) {
  ax_id f;
  for (uint32_t i = 0; i < s->n_target; i++) {
    if (e == s->target[i] || (ax_ratio(s->ctx.A, e, s->target[i], &f) && f == AX_ONE))
      return true;
  }
  return false;
}

/* every axis of a tensor matters to its value; broadcasting for nothing is left to the operator
 * that needs it */
static bool tight(const sg_space *s, ax_id e, const sg_axes *a) {
  uint64_t dep = ax_dep(s->ctx.A, e);
  uint32_t i = 0;
  while (i < a->rank && (dep >> (2 * SG_CLASS(a->ax[i])) & 3))
    i++;
  if (i == a->rank)
    return true;
  for (i = 0; i < s->part->n; i++) {
    if (s->prog[i] == e)
      return true;
  }
  return false;
}

/* numbers and sizes in front of e are those of the place in the program where it fits; 1 is always
 * allowed.  Without this every tensor would come with all its multiples. */
static bool natural(sg_space *s, ax_id e) {
  for (uint32_t i = 0; i < s->part->n; i++) {
    if (s->prog[i] == e)
      return true;
  }
  if (ax_is_negative(s->ctx.A, e))
    return false; /* subtraction does without */
  if (ax_natural(s->ctx.A, e, NULL, 0))
    return true;
  return ax_natural(s->ctx.A, e, s->target, s->n_target) || exact(s, e);
}

/* adds a way to compute (e, axes, phase, run); the value's id, or AS_NONE when it is not worth
 * having */
static uint32_t add(sg_space *s, ax_id e, sg_axes axes, uint32_t phase, uint32_t run, sg_deriv d) {
  s->st->states++;
  drop_units(&axes);
  if (e == AX_BAD || e == AX_ZERO) {
    s->st->shape++;
    return AS_NONE;
  }
  if (axes.rank > s->part->max_rank) {
    s->st->shape++;
    return AS_NONE;
  }
  if (d.kind != SG_D_CONST && (ax_is_unit(s->ctx.A, e) || !parts_of(s, e))) {
    s->st->abstract++;
    return AS_NONE;
  }
  if (d.kind != SG_D_CONST && (!tight(s, e, &axes) || !natural(s, e))) {
    s->st->unit++;
    return AS_NONE;
  }
  if (!fits(s, &axes)) {
    s->st->memory++;
    return AS_NONE;
  }
  uint32_t id = lookup(s, e, &axes, phase, run);
  if (id == AS_NONE && phase == SG_AFTER && lookup(s, e, &axes, SG_STILL, AS_NONE) != AS_NONE) {
    s->st->repeat++;
    return AS_NONE;
  }
  if (id != AS_NONE) {
    s->st->repeat++;
    sg_value *v = VALUE(s, id);
    for (uint32_t i = 0; i < v->derivs.n; i++) {
      const sg_deriv *o = DERIV(s, AS_VEC_AT(&v->derivs, uint32_t, i));
      if (o->kind == d.kind && o->nargs == d.nargs &&
          !memcmp(o->arg, d.arg, d.nargs * sizeof *d.arg) &&
          (d.kind != SG_D_OP || s->vocab->inst[o->inst].op == s->vocab->inst[d.inst].op))
        return id;
    }
    for (uint32_t i = 0; i < d.nargs; i++) {
      if (d.arg[i] == id)
        return id;
    }
    if (v->derivs.n >= 24)
      return id;
  } else {
    if (s->values.n >= s->lim->max_values) {
      s->full = true;
      return AS_NONE;
    }
    sg_value v = {e, axes, (uint8_t)phase, run, {0}};
    as_vec_init(&v.derivs, sizeof(uint32_t));
    id = (uint32_t)s->values.n;
    as_vec_push(&s->values, &v);
    as_index_add(&s->by_key, key_hash(e, &axes, phase, run), id);
  }
  d.value = id;
  uint32_t di = (uint32_t)s->derivs.n;
  as_vec_push(&s->derivs, &d);
  as_vec_push(&VALUE(s, id)->derivs, &di);
  return id;
}

/* --- steps */
static bool join(const sg_value *a, const sg_value *b, uint32_t *phase, uint32_t *run) {
  if ((a->phase == SG_VARYING && b->phase == SG_AFTER) ||
      (a->phase == SG_AFTER && b->phase == SG_VARYING))
    return false;
  if (a->run != AS_NONE && b->run != AS_NONE && a->run != b->run)
    return false;
  *phase = a->phase > b->phase ? a->phase : b->phase;
  *run = a->run != AS_NONE ? a->run : b->run;
  return true;
}

/* work of one operator: composite ones and what is repeated in every iteration weigh more */
static uint32_t weigh(const sg_inst *in, uint32_t phase) {
  uint32_t w = in->pointwise ? 4 : 6;
  if (in->op->nlet > 1)
    w += 4 * in->op->nlet;
  return phase == SG_VARYING ? w + w / 2 : w;
}

static bool is_const(const sg_space *s, uint32_t i) {
  return DERIV(s, AS_VEC_AT(&VALUE(s, i)->derivs, uint32_t, 0))->kind == SG_D_CONST;
}

static void try_op(sg_space *s, uint32_t inst, uint32_t a, uint32_t b) {
  const sg_inst *in = &s->vocab->inst[inst];
  const sg_value va = *VALUE(s, a);
  const sg_value vb = *VALUE(s, b);
  uint32_t phase;
  uint32_t run;
  sg_axes ax[2] = {va.axes, vb.axes};
  sg_axes out;
  ax_id e[2] = {va.expr, vb.expr};
  ax_id r;
  if (!join(&va, &vb, &phase, &run)) {
    s->st->shape++;
    return;
  }
  /* a product or a sum is part of a target only if both operands are; this is asked before anything
   * is built */
  if (in->linear && !(parts_of(s, va.expr) & parts_of(s, vb.expr))) {
    s->st->states++;
    s->st->abstract++;
    return;
  }
  if (in->divides && !(parts_of(s, va.expr) & inverse_parts_of(s, vb.expr))) {
    s->st->states++;
    s->st->abstract++;
    return;
  }
  if (in->adds && !s->has_sum) {
    s->st->states++;
    s->st->abstract++;
    return;
  }
  if (!sg_apply(&s->ctx, in->op, in->attr, in->op->nargs, ax, e, &out, &r)) {
    s->st->states++;
    s->st->shape++;
    return;
  }
  if (in->op->nargs == 2 && (is_const(s, a) || is_const(s, b)) && !exact(s, r)) {
    s->st->states++;
    s->st->abstract++;
    return;
  }
  sg_deriv d = {.kind = SG_D_OP,
                .inst = inst,
                .nargs = in->op->nargs,
                .arg = {a, b},
                .weight = weigh(in, phase)};
  add(s, r, out, phase, run, d);
}

static void accumulate(sg_space *s, uint32_t i) {
  const sg_value v = *VALUE(s, i);
  uint32_t c = (uint32_t)s->plan->loop;
  sg_deriv d = {.kind = SG_D_ACC, .acc = AS_ACC_SUM, .nargs = 1, .arg = {i}, .weight = 3};
  for (uint32_t k = 0; k < v.axes.rank; k++) {
    if (v.axes.ax[k] == SG_LABEL(c, 1))
      d.weight += 8; /* a whole tile of state where its sum would do */
  }
  if (v.run != AS_NONE) { /* reads a running maximum: only a rescaled sum is right */
    const sg_value m = *VALUE(s, v.run);
    if (v.run == i || m.axes.rank > v.axes.rank || memcmp(m.axes.ax, v.axes.ax, m.axes.rank) ||
        !ax_rescalable(s->ctx.A, v.expr, m.expr))
      return;
    d.acc = AS_ACC_RESCALE;
    d.nargs = 2;
    d.arg[1] = v.run;
    d.weight += 2;
    add(s, ax_sum(s->ctx.A, v.expr, c, AX_LOOP, s->ctx.tile[c], s->ctx.loop[c]), v.axes, SG_AFTER,
        AS_NONE, d);
    return;
  }
  add(s, ax_sum(s->ctx.A, v.expr, c, AX_LOOP, s->ctx.tile[c], s->ctx.loop[c]), v.axes, SG_AFTER,
      AS_NONE, d);
  if (s->has_max) {
    d.acc = AS_ACC_MAX;
    ax_id e = ax_extremum(s->ctx.A, true, v.expr, c, AX_LOOP);
    uint32_t m = add(s, e, v.axes, SG_AFTER, AS_NONE, d);
    uint32_t n = (uint32_t)s->values.n;
    sg_deriv r = {.kind = SG_D_RUN, .nargs = 1, .arg = {i}, .weight = 1};
    bool known = false;
    for (uint32_t j = 0; m != AS_NONE && j < n && !known; j++) {
      known = VALUE(s, j)->run == j && VALUE(s, j)->expr == e &&
              sg_axes_eq(&VALUE(s, j)->axes, &v.axes);
    }
    if (m != AS_NONE && !known)
      add(s, e, v.axes, SG_VARYING, n, r);
  }
  if (s->part->cls[c].in_outputs) {
    sg_axes ax = v.axes;
    uint32_t times = 0;
    for (uint32_t k = 0; k < ax.rank; k++) {
      if (ax.ax[k] == SG_LABEL(c, 1)) {
        ax.ax[k] = SG_LABEL(c, 0);
        times++;
      }
    }
    d.acc = AS_ACC_CONCAT;
    d.weight += 8;
    if (times == 1)
      add(s, v.expr, ax, SG_AFTER, AS_NONE, d);
  }
}

/* numbers and sizes in front: only those with which the tensor fits into something that the program
 * computes */
static void rescale_units(sg_space *s, uint32_t i) {
  const sg_value v = *VALUE(s, i);
  ax_id f[8];
  if (v.phase == SG_VARYING || is_const(s, i))
    return;
  uint32_t n = ax_factors(s->ctx.A, v.expr, s->target, s->n_target, f, 8);
  for (uint32_t k = 0; k < n; k++) {
    sg_deriv d = {.kind = SG_D_SCALE, .nargs = 1, .arg = {i}, .factor = f[k], .weight = 4};
    int64_t num;
    int64_t den;
    uint32_t sym[16];
    uint32_t m;
    int ex[16];
    if (!ax_unit(s->ctx.A, f[k], &num, &den, sym, ex, 16, &m))
      continue;
    for (uint32_t q = 0; q < m; q++) {
      d.weight += ex[q] > 1 || ex[q] < -1
                      ? 2
                      : 0; /* a mean is kinder to the numbers than a square over a square */
    }
    add(s, ax_mul(s->ctx.A, v.expr, f[k]), v.axes, v.phase, v.run, d);
  }
}

static bool tile_of(const sg_space *s, const sg_axes *have, sg_axes want) {
  for (uint32_t k = 0; k < want.rank; k++) {
    if (want.ax[k] == SG_UNIT)
      return false;
    if (s->plan->mode[SG_CLASS(want.ax[k])] != SG_WHOLE &&
        SG_CLASS(want.ax[k]) != (uint32_t)s->plan->loop)
      want.ax[k] |= 1;
  }
  return sg_axes_eq(have, &want);
}

/* calls of the program that the step above does not try (three operands and more, elements
 * addressed by arithmetic), on the same tensors */
static void replay(sg_space *s, uint32_t newest) {
  const sg_part *p = s->part;
  for (uint32_t i = p->n_leaf; i < p->n; i++) {
    const as_node *nd = &p->g->node[p->tensor[i]];
    sg_deriv d = {.kind = SG_D_OP, .nargs = nd->nargs};
    bool uses = false;
    bool ok = s->replayed[i];
    uint32_t phase = SG_STILL;
    uint32_t run = AS_NONE;
    for (uint32_t j = 0; j < nd->nargs && ok; j++) {
      uint32_t a = 0;
      while (p->tensor[a] != nd->arg[j])
        a++;
      d.arg[j] = AS_NONE;
      for (uint32_t v = 0; v <= newest; v++) {
        const sg_value *x = VALUE(s, v);
        if (x->expr != s->prog[a] || x->run != AS_NONE || x->phase == SG_VARYING ||
            !tile_of(s, &x->axes, p->axes[a]))
          continue;
        d.arg[j] = v;
        uses |= v == newest;
        if (x->phase > phase)
          phase = x->phase;
        break;
      }
      ok = d.arg[j] != AS_NONE;
    }
    if (!ok || !uses)
      continue;
    while (s->vocab->inst[d.inst].op != nd->op || !sg_inst_is_call(&s->vocab->inst[d.inst], nd))
      d.inst++;
    sg_axes out = p->axes[i];
    for (uint32_t k = 0; k < out.rank; k++) {
      if (out.ax[k] != SG_UNIT && s->plan->mode[SG_CLASS(out.ax[k])] != SG_WHOLE &&
          SG_CLASS(out.ax[k]) != (uint32_t)s->plan->loop)
        out.ax[k] |= 1;
    }
    d.weight = weigh(&s->vocab->inst[d.inst], phase);
    add(s, s->prog[i], out, phase, run, d);
  }
}

bool sg_space_enumerate(sg_space *s, sg_stats *st) {
  s->st = st;
  if (!sg_space_prepare(s))
    return false;
  const sg_part *p = s->part;
  for (uint32_t i = 0; i < p->n_input; i++) {
    sg_axes ax = p->axes[i];
    uint32_t phase = SG_STILL;
    for (uint32_t k = 0; k < ax.rank; k++) {
      if (ax.ax[k] == SG_UNIT || s->plan->mode[SG_CLASS(ax.ax[k])] == SG_WHOLE)
        continue;
      if ((int)SG_CLASS(ax.ax[k]) == s->plan->loop)
        phase = SG_VARYING;
      ax.ax[k] |= 1;
    }
    sg_deriv d = {.kind = SG_D_LOAD, .inst = i, .weight = 1};
    add(s, s->prog[i], ax, phase, AS_NONE, d);
  }
  for (uint32_t i = 0; i < s->n_number; i++) {
    sg_deriv d = {.kind = SG_D_CONST, .factor = s->number[i]};
    add(s, s->number[i], (sg_axes){0, {0}}, SG_STILL, AS_NONE, d);
  }
  for (uint32_t i = 0; i < s->values.n && st->states < s->lim->max_states; i++) {
    for (uint32_t k = 0; k < s->vocab->n; k++) {
      const sg_inst *in = &s->vocab->inst[k];
      if (in->op->nargs == 1 && !is_const(s, i))
        try_op(s, k, i, i);
      if (in->op->nargs != 2)
        continue;
      for (uint32_t j = 0; j <= i; j++) {
        try_op(s, k, i, j);
        if (!in->commutes && j < i)
          try_op(s, k, j, i);
      }
    }
    if (VALUE(s, i)->phase == SG_VARYING)
      accumulate(s, i);
    rescale_units(s, i);
    replay(s, i);
  }
  st->values += s->values.n;
  for (uint32_t o = 0; o < p->n_output; o++) {
    sg_axes want = p->axes[p->output[o]];
    drop_units(&want);
    for (uint32_t k = 0; k < want.rank; k++) {
      if (s->plan->mode[SG_CLASS(want.ax[k])] != SG_WHOLE &&
          (int)SG_CLASS(want.ax[k]) != s->plan->loop)
        want.ax[k] |= 1;
    }
    s->goal[o] =
        lookup(s, s->prog[p->output[o]], &want, s->plan->loop >= 0 ? SG_AFTER : SG_STILL, AS_NONE);
    if (s->goal[o] == AS_NONE)
      return false;
  }
  return true;
}

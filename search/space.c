/* Setting up one enumeration: sizes of the plan as expressions, the program's expressions, what may
 * be computed. */
#include "sg_space.h"
#include <stdlib.h>
#include <string.h>

bool sg_inst_is_call(const sg_inst *in, const as_node *nd) {
  if (in->op != nd->op)
    return false;
  for (uint32_t i = 0; i < in->op->nattrs; i++) {
    if (!sg_attr_same(&in->attr[i], &nd->attr[i]))
      return false;
  }
  return true;
}

sg_space *sg_space_new(const sg_part *p, const sg_plan *plan, const sg_vocab *v,
                       const sg_limits *lim) {
  sg_space *s = as_calloc(1, sizeof *s);
  s->part = p;
  s->plan = plan;
  s->vocab = v;
  s->lim = lim;
  s->prog = as_calloc(p->n + 1, sizeof *s->prog);
  s->prog_axes = as_calloc(p->n + 1, sizeof *s->prog_axes);
  s->replayed = as_calloc(p->n + 1, sizeof *s->replayed);
  s->goal = as_calloc(p->n_output + 1, sizeof *s->goal);
  as_vec_init(&s->values, sizeof(sg_value));
  as_vec_init(&s->derivs, sizeof(sg_deriv));
  as_vec_init(&s->verdict, sizeof(sg_verdict));
  s->ctx = (sg_ctx){.A = ax_new(), .part = p, .plan = plan, .sizes = p->g->sizes};
  return s;
}

void sg_space_free(sg_space *s) {
  if (!s)
    return;
  for (uint32_t i = 0; i < s->values.n; i++)
    as_vec_clear(&AS_VEC_AT(&s->values, sg_value, i).derivs);
  as_vec_clear(&s->values);
  as_vec_clear(&s->derivs);
  as_vec_clear(&s->verdict);
  if (s->z3)
    sg_z3_free(s->z3);
  ax_free(s->ctx.A);
  free(s->prog);
  free(s->prog_axes);
  free(s->replayed);
  free(s->goal);
  as_index_clear(&s->by_key);
  free(s->target);
  free(s);
}

const sg_value *sg_space_value(const sg_space *s, uint32_t i) {
  return &AS_VEC_AT(&s->values, sg_value, i);
}

const sg_deriv *sg_space_deriv(const sg_space *s, uint32_t i) {
  return &AS_VEC_AT(&s->derivs, sg_deriv, i);
}

ax_store *sg_space_store(sg_space *s) {
  return s->ctx.A;
}

static double concrete(const as_sizes *S, as_size sz) {
  uint32_t n = as_size_count(S);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i < n; i++)
    env[i] = 0;
  for (uint32_t i = 0; as_size_nth_sym(S, i) != AS_SIZE_BAD; i++) {
    long v = as_size_value(S, as_size_nth_sym(S, i));
    env[as_size_nth_sym(S, i)] = v < 0 ? 1 : v;
  }
  int64_t v = as_size_eval(S, sz, env);
  free(env);
  return v == INT64_MIN ? 1 : (double)v;
}

static void set_sizes(sg_space *s) {
  for (uint32_t c = 0; c < AX_MAX_CLASS; c++)
    s->ctx.whole[c] = s->ctx.tile[c] = s->ctx.loop[c] = AX_BAD;
  for (uint32_t c = 0; c < s->part->n_cls; c++) {
    double whole = concrete(s->part->g->sizes, s->part->cls[c].extent);
    bool split = s->plan->mode[c] == SG_GRID || s->plan->mode[c] == SG_LOOP;
    s->least[SG_LABEL(c, 0)] = whole;
    s->least[SG_LABEL(c, 1)] = s->plan->mode[c] == SG_GRID_ONE ? 1 : whole < 8 ? whole : 8;
    if (!split)
      continue;
    s->ctx.tile[c] = ax_size(s->ctx.A, SG_TILE_SYM(c));
    s->ctx.loop[c] = ax_size(s->ctx.A, SG_COUNT_SYM(c));
    s->ctx.whole[c] = ax_mul(s->ctx.A, s->ctx.tile[c], s->ctx.loop[c]);
  }
  for (uint32_t c = 0; c < s->part->n_cls; c++) {
    if (s->ctx.whole[c] != AX_BAD)
      continue;
    s->ctx.whole[c] = sg_size_expr(&s->ctx, s->part->cls[c].extent);
    s->ctx.tile[c] = s->plan->mode[c] == SG_GRID_ONE ? AX_ONE : s->ctx.whole[c];
    s->ctx.loop[c] = s->plan->mode[c] == SG_GRID_ONE ? s->ctx.whole[c] : AX_ONE;
  }
}

static void add_target(sg_space *s, ax_id e, uint32_t *cap) {
  for (uint32_t i = 0; i < s->n_target; i++) {
    if (s->target[i] == e)
      return;
  }
  if (s->n_target == *cap)
    s->target = as_realloc(s->target, (*cap = *cap ? 2 * *cap : 32) * sizeof *s->target);
  s->target[s->n_target++] = e;
}

static void add_number(sg_space *s, ax_id e) {
  for (uint32_t i = 0; i < s->n_number; i++) {
    if (s->number[i] == e)
      return;
  }
  if (s->n_number < 16)
    s->number[s->n_number++] = e;
}

/* constant terms of a sum, and arguments that are numbers */
static void find_numbers(sg_space *s, ax_id e) {
  int64_t num;
  int64_t den;
  uint32_t sym[8];
  uint32_t n;
  int ex[8];
  if (ax_unit(s->ctx.A, e, &num, &den, sym, ex, 8, &n)) {
    if (!n)
      add_number(s, e);
    return;
  }
  for (uint32_t i = 0; i < ax_n_terms(s->ctx.A, e); i++) {
    ax_factor f[1];
    if (ax_term(s->ctx.A, e, i, &num, &den, f, 1))
      continue;
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, num, (unsigned long)den);
    add_number(s, ax_const(s->ctx.A, q));
    mpq_clear(q);
  }
}

bool sg_space_prepare(sg_space *s) {
  const sg_part *p = s->part;
  uint32_t cap = 0;
  ax_id in[128];
  set_sizes(s);
  s->ctx.strict_ones = true;
  if (!sg_program_exprs(&s->ctx, s->prog, s->prog_axes))
    return false;
  for (uint32_t i = p->n_leaf; i < p->n; i++) {
    const as_node *nd = &p->g->node[p->tensor[i]];
    sg_axes arg[AS_MAX_ARGS];
    sg_axes out;
    ax_id e[AS_MAX_ARGS];
    ax_id r;
    for (uint32_t j = 0; j < nd->nargs; j++) {
      uint32_t a = 0;
      while (p->tensor[a] != nd->arg[j])
        a++;
      arg[j] = s->prog_axes[a];
      e[j] = s->prog[a];
    }
    s->replayed[i] =
        nd->nargs > 2 || !sg_apply(&s->ctx, nd->op, nd->attr, nd->nargs, arg, e, &out, &r);
  }
  s->ctx.strict_ones = false;
  for (uint32_t o = p->n; o-- > 0;) { /* outputs first: most queries end there */
    if (o >= p->n_input && o < p->n_leaf) {
      add_number(s, s->prog[o]);
      continue;
    }
    add_target(s, s->prog[o], &cap);
    find_numbers(s, s->prog[o]);
    uint32_t n = ax_arguments(s->ctx.A, s->prog[o], in, 128);
    for (uint32_t i = 0; i < n; i++) {
      add_target(s, in[i], &cap);
      find_numbers(s, in[i]);
    }
  }
  for (uint32_t t = 0; t < s->n_target; t++) {
    s->has_sum |= ax_n_terms(s->ctx.A, s->target[t]) > 1;
    for (uint32_t i = 0; i < ax_n_terms(s->ctx.A, s->target[t]); i++) {
      ax_factor f[24];
      int64_t num;
      int64_t den;
      uint32_t n = ax_term(s->ctx.A, s->target[t], i, &num, &den, f, 24);
      for (uint32_t j = 0; j < n; j++)
        s->has_max |= f[j].kind == AX_MAXR;
    }
  }
  return true;
}

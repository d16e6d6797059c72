#include "interp_int.h"
#include <stdlib.h>
#include <string.h>

/* sure: the side that all choices take, -1: as their places say */
static pair scalar(run *R, const as_tg_expr *e, const pair *arg, unsigned n, int sure) {
  if (e->op == AS_TGS_ARG) {
    if (e->arg >= n) {
      interp_wrong(R, "an operand that is not there");
      return field_int(0);
    }
    return arg[e->arg];
  }
  if (e->op == AS_TGS_NUM) {
    char *slash;
    long long p = strtoll(e->num, &slash, 10);
    long long q = *slash == '/' ? strtoll(slash + 1, NULL, 10) : 1;
    return field_mul(field_int(p), field_inv(field_int(q)));
  }
  if (e->op == AS_TGS_CHOOSE && sure >= 0)
    return scalar(R, e->kid[sure ? 2 : 1], arg, n, sure);
  pair x = scalar(R, e->kid[0], arg, n, sure);
  if (e->op == AS_TGS_CHOOSE) /* whole numbers are small */
    return scalar(R, x.q >= 0 && x.q <= FIELD_Q / 2 ? e->kid[1] : e->kid[2], arg, n, sure);
  pair y = as_tg_scalar_arity(e->op) == 2 ? scalar(R, e->kid[1], arg, n, sure) : x;
  switch (e->op) {
  case AS_TGS_ADD:
    return field_add(x, y);
  case AS_TGS_SUB:
    return field_add(x, field_neg(y));
  case AS_TGS_MUL:
    return field_mul(x, y);
  case AS_TGS_DIV:
    return field_mul(x, field_inv(y));
  case AS_TGS_NEG:
    return field_neg(x);
  case AS_TGS_INV:
    return field_inv(x);
  case AS_TGS_RSQRT:
    return field_rsqrt(x);
  case AS_TGS_SQRT:
    return field_inv(field_rsqrt(x));
  case AS_TGS_EXP:
    return field_exp(x);
  case AS_TGS_ZERO:
    return field_int(field_is_zero(x));
  case AS_TGS_MAX:
    return field_max(x, y);
  default:
    interp_wrong(R, "a function that the field does not have");
    return x;
  }
}

static long long whole(run *R, const as_tg_expr *e, int iteration) {
  if (e->op == AS_TGS_ARG && e->arg < 3)
    return R->block[e->arg];
  if (e->op == AS_TGS_ARG && e->arg == 3 && iteration >= 0)
    return iteration;
  if (e->op == AS_TGS_NUM)
    return strtoll(e->num, NULL, 10);
  switch (e->op) {
  case AS_TGS_ADD:
    return whole(R, e->kid[0], iteration) + whole(R, e->kid[1], iteration);
  case AS_TGS_SUB:
    return whole(R, e->kid[0], iteration) - whole(R, e->kid[1], iteration);
  case AS_TGS_MUL:
    return whole(R, e->kid[0], iteration) * whole(R, e->kid[1], iteration);
  case AS_TGS_NEG:
    return -whole(R, e->kid[0], iteration);
  default:
    interp_wrong(R, "a whole number of other functions");
    return 1;
  }
}

int interp_iterations(run *R) {
  const as_tg *g = R->g;
  if (!g->limit)
    return g->trip;
  if (g->per < 1) {
    interp_wrong(R, "a division of iterations by nothing");
    return 1;
  }
  long long n = whole(R, g->limit, -1);
  long long rounded = n < 0 ? -1 : n / g->per;
  return rounded < 1 ? 1 : rounded > g->trip ? g->trip : (int)rounded;
}

bool interp_is_sure(run *R, const as_tg_op *op, int iteration) {
  return whole(R, op->expr, iteration) >= 0;
}

bool interp_map(run *R, unsigned warp, const as_tg_op *op, uint32_t lane, int sure) {
  const reg *from[AS_TG_ARGS];
  unsigned n = 1u << op->bits;
  for (int k = 0; k < op->n_arg; k++) {
    bool junk = sure >= 0 && !interp_value_of(R, warp, op->arg[k], 0)->n; /* a place, perhaps */
    from[k] = junk ? NULL : interp_read_value(R, warp, op->arg[k]);
    if (!(from[k] || junk) || interp_size_of_dim(&op->arg_map[k], "reg") != n)
      return interp_wrong(R, "register count");
  }
  pair result[MAX_REGS];
  if (n > MAX_REGS)
    return interp_wrong(R, "register count");
  for (uint32_t r = 0; r < n; r++) {
    pair arg[AS_TG_ARGS];
    for (int k = 0; k < op->n_arg; k++) {
      uint32_t at = interp_image(&op->arg_map[k], "reg", r);
      if (!from[k]) {
        arg[k] = field_random(&R->rng);
        continue;
      }
      if (!interp_in_range(R, from[k], at))
        return false;
      arg[k] = from[k]->lane[at][lane];
    }
    result[r] = scalar(R, op->expr, arg, (unsigned)op->n_arg, sure);
  }
  reg *to = interp_value_of(R, warp, op->v, n);
  for (uint32_t r = 0; r < n; r++)
    to->lane[r][lane] = result[r];
  return !R->wrong;
}

bool interp_index(run *R, unsigned warp, const as_tg_op *op, uint32_t lane, int iteration) {
  unsigned n = interp_size_of_dim(&op->src, "u");
  pair result[MAX_REGS];
  if (n > MAX_REGS)
    return interp_wrong(R, "register count");
  for (uint32_t r = 0; r < n; r++) {
    uint32_t flat = interp_image(&op->src, "u", r) ^ interp_image(&op->src, "lane", lane) ^
                    interp_image(&op->src, "warp", warp);
    pair arg[AS_LAY_DIMS + 4];
    unsigned given = 0;
    for (; given < op->src.n_out; given++) {
      unsigned bits = op->src.out[given].bits;
      arg[given] = field_int(flat & ((1u << bits) - 1));
      flat >>= bits;
    }
    for (int k = 0; k < 3; k++)
      arg[given++] = field_int(R->block[k]);
    arg[given++] = field_int(iteration);
    result[r] = scalar(R, op->expr, arg, given, -1);
  }
  reg *to = interp_value_of(R, warp, op->v, n);
  for (uint32_t r = 0; r < n; r++)
    to->lane[r][lane] = result[r];
  return !R->wrong;
}

pair interp_folded(int fold, pair a, pair b) {
  return fold == AS_TG_SUM ? field_add(a, b) : field_max(a, b);
}

bool interp_fill(run *R, unsigned warp, const as_tg_op *op, uint32_t lane) {
  const reg *x = interp_read_value(R, warp, op->a);
  unsigned n = interp_size_of_dim(&op->src, "u");
  pair result[MAX_REGS];
  if (!x || n > MAX_REGS)
    return interp_wrong(R, "register count");
  for (uint32_t r = 0; r < n; r++) {
    uint32_t index = interp_image(&op->src, "u", r) ^ interp_image(&op->src, "lane", lane) ^
                     interp_image(&op->src, "warp", warp);
    if (!interp_in_range(R, x, r))
      return false;
    pair unit = op->fold == AS_TG_SUM ? field_int(0) : (pair){-1, -1};
    result[r] = (int)index < op->count ? x->lane[r][lane] : unit;
  }
  reg *to = interp_value_of(R, warp, op->v, n);
  for (uint32_t r = 0; r < n; r++)
    to->lane[r][lane] = result[r];
  return true;
}

bool interp_red(run *R, unsigned warp, const as_tg_op *op, uint32_t lane) {
  const reg *x = interp_read_value(R, warp, op->a);
  unsigned n = interp_size_of_dim(&op->src, "reg");
  unsigned over = 1u << (op->dst.n_in ? op->dst.in[0].bits : 0);
  pair result[MAX_REGS];
  if (!x || n > MAX_REGS)
    return interp_wrong(R, "register count");
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t j = 0; j < over; j++) {
      uint32_t at = interp_image(&op->src, "reg", r) ^
                    interp_image(&op->dst, op->dst.n_in ? op->dst.in[0].name : "k", j);
      if (!interp_in_range(R, x, at))
        return false;
      result[r] = j ? interp_folded(op->fold, result[r], x->lane[at][lane]) : x->lane[at][lane];
    }
  }
  reg *to = interp_value_of(R, warp, op->v, n);
  for (uint32_t r = 0; r < n; r++)
    to->lane[r][lane] = result[r];
  return true;
}

bool interp_update(run *R, unsigned warp, const as_tg_op *op, uint32_t lane) {
  const reg *v = interp_read_value(R, warp, op->v);
  const reg *x = interp_read_value(R, warp, op->a);
  if (!v || !x || interp_size_of_dim(&op->src, "reg") != v->n)
    return interp_wrong(R, "register count");
  for (uint32_t r = 0; r < v->n; r++) {
    uint32_t at = interp_image(&op->src, "reg", r);
    if (!interp_in_range(R, x, at))
      return false;
    pair a = v->lane[r][lane];
    pair b = x->lane[at][lane];
    v->lane[r][lane] = op->kind == AS_TG_ACCADD   ? field_add(a, b)
                       : op->kind == AS_TG_ACCMAX ? field_max(a, b)
                                                  : field_mul(a, b);
  }
  return true;
}

void interp_zero(run *R, unsigned warp, const as_tg_op *op, uint32_t lane) {
  reg *v = interp_value_of(R, warp, op->v, 1u << op->bits);
  pair from = op->fold == AS_TG_SUM ? field_int(0) : (pair){-1, -1};
  if (op->begin && R->iterations < R->g->trip)
    from = scalar(R, op->begin, NULL, 0, -1);
  for (uint32_t r = 0; r < v->n; r++)
    v->lane[r][lane] = from;
}

/* Operator specifications, and what a call of one denotes (semantics/SEMANTICS.md section 2): extents, the element term at index variables
 * $i0.., and the call's obligations.  A specification is read anew at each call, with what its names stand for there. */
#include "ck_read.h"
#include <string.h>

/* an axis of a shape: s extent, l ..name[@count], b broadcast(b1, b2) as name; at, end: place of the extent or count, 0 if none */
typedef struct { char kind; uint32_t at, end; const char *name, *b1, *b2; } axis;

/* --- specifications */
static ck_op_def *find_op(const ck_reader *R, const char *name) {
  for (ck_op_def *o = R->ops;; o = o->next) if (!o || !strcmp(o->name, name)) return o;
}

ck_func_def *ck_find_func(const ck_reader *R, const char *name) {
  for (ck_func_def *g = R->funcs;; g = g->next) if (!g || !strcmp(g->name, name)) return g;
}

static uint32_t end_of_text(ck_reader *R) { ck_skip_line(R); return R->f->tok[R->at - 2].off + R->f->tok[R->at - 2].len; }

static void operator_def(ck_reader *R, uint32_t from) {
  ck_op_def *op = ck_keep(R, sizeof *op);
  op->f = R->f, op->from = from, op->tok = ck_cur(R), op->name = ck_call_name(R), op->sig = R->at;
  if (find_op(R, op->name)) ck_die(R, R->f, op->tok, "operator %s is defined twice", op->name);
  for (ck_skip_line(R); ck_accept(R, "require"); ck_skip_line(R)) {
    if (op->n_reqs == CK_MAX_LETS) ck_die_here(R, "more than %d requirements", CK_MAX_LETS);
    op->req[op->n_reqs++] = R->at;
  }
  while (ck_accept(R, "let") || ck_at(R, "out")) {
    bool out = ck_at(R, "out");
    if (op->n_lets == CK_MAX_LETS) ck_die_here(R, "more than %d definitions", CK_MAX_LETS);
    op->let[op->n_lets++] = R->at, R->at += out;
    if (!out) ck_new_name(R);
    if (!ck_at(R, "[") || !ck_tok_is(&R->f->tok[ck_cur(R)->mate + 1], "=")) ck_die_here(R, "[indices] = expected");
    op->to = end_of_text(R);
    if (out) {
      *(R->last_op ? &R->last_op->next : &R->ops) = op, R->last_op = op;
      return;
    }
  }
  ck_die_here(R, "'out' expected");
}

static void function_def(ck_reader *R, uint32_t from) {
  ck_func_def *fn = ck_keep(R, sizeof *fn);
  const ck_tok *at = R->at_tok = ck_cur(R);
  ck_op_def op = {.name = at->s, .f = R->f, .tok = at};
  ck_call c = {.op = &op};
  fn->f = R->at_file = R->f, fn->from = from, fn->name = ck_new_name(R), R->work = 0;
  if (ck_known_function(fn->name)) ck_die(R, R->f, at, "%s is known to the checker and cannot be defined", fn->name);
  if (ck_find_func(R, fn->name)) ck_die(R, R->f, at, "function %s is defined twice", fn->name);
  ck_expect(R, "(");
  do ck_add_bind(R, &c, ck_cur(R)->s, ck_ok(R, ck_var(R->T, ck_cur(R)->s, 'r'))), ck_new_name(R), fn->n++;
  while (fn->n < CK_MAX_ARGS && ck_accept(R, ","));
  ck_expect(R, ")");
  if (!ck_accept(R, "builtin")) ck_expect(R, "="), ck_scalar(R, &c); /* for its obligations: in proofs it is any function of reals */
  if (ck_cur(R)->kind != CK_T_NL) ck_newline(R);
  fn->to = end_of_text(R);
  fn->next = R->funcs, R->funcs = fn;
}

bool ck_rule_ends(const ck_reader *R) { return ck_cur(R)->kind == CK_T_END || ck_at(R, "rule") || ck_at(R, "op") || ck_at(R, "func"); }

void ck_read_sem(ck_reader *R, const ck_file *f) {
  R->f = f, R->at = 0, R->depth = 0, ck_skip_uses(R);
  while (ck_cur(R)->kind != CK_T_END) {
    uint32_t from = ck_cur(R)->off;
    if (ck_accept(R, "func")) function_def(R, from);
    else if (ck_accept(R, "op")) operator_def(R, from);
    else if (R->rule && ck_accept(R, "rule")) {
      if (ck_at(R, R->rule) && R->rule_at) ck_die_here(R, "rule %s is defined twice", R->rule);
      if (ck_at(R, R->rule)) R->rule_at = R->at;
      do ck_skip_line(R); while (!ck_rule_ends(R));
    } else ck_die_here(R, "'func', 'op' (or in a file of rules 'rule') expected");
  }
}

/* --- shapes */
/* the axes of [ .. ]; result: that of an operator */
static uint32_t shape(ck_reader *R, axis d[CK_MAX_DIMS], bool result) {
  uint32_t n = 0, close = ck_cur(R)->mate;
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return 0;
  do {
    if (n == CK_MAX_DIMS) ck_die_here(R, "more than %d axes", CK_MAX_DIMS);
    axis *a = &d[n++];
    *a = (axis){.kind = 's', .at = R->at, .end = ck_find(R, ",", R->at, close)};
    if (ck_accept(R, "..")) {
      a->kind = 'l', a->name = ck_new_name(R), a->at = ck_accept(R, "@") ? R->at : 0;
    } else if (result && ck_at(R, "broadcast") && ck_tok_is(ck_peek(R, 1), "(")) {
      R->at += 2;
      a->kind = 'b', a->b1 = ck_new_name(R), ck_expect(R, ",");
      a->b2 = ck_new_name(R), ck_expect(R, ")");
      if (!ck_tok_is(ck_cur(R), "as")) ck_die_here(R, "'as' expected");
      R->at++, a->name = ck_new_name(R), a->at = 0, a->end = R->at;
    }
    R->at = a->at ? a->end : R->at;
  } while (ck_list_goes_on(R, "]"));
  return n;
}

/* the integer at that place; the cursor stays */
static ck_id extent(ck_reader *R, ck_call *c, const axis *d) {
  uint32_t back = R->at;
  R->at = d->at;
  ck_id n = ck_integer(R, c);
  if (R->at != d->end) ck_die_here(R, "not understood in a shape");
  return R->at = back, n;
}

/* A group of axes meets only itself: equal products of extents are not equal extents.  Its index goes only where the whole group is. */
ck_id ck_group(const ck_reader *R, ck_id dim) {
  return ck_head(R->T, dim) == CK_V && !strncmp(ck_word_text(R->T, ck_name(R->T, dim)), "..", 2) ? dim : CK_BAD;
}

static void meet(ck_reader *R, const ck_call *c, ck_id a, ck_id b) {
  if (ck_group(R, a) != ck_group(R, b)) ck_die_at(R, "%s: a group of axes can only meet itself", c->op->name);
}

/* number of axes that ..a@e takes; negative: all but so many */
static long list_count(ck_reader *R, ck_call *c, const axis *d, const ck_tensor *t) {
  ck_id e = extent(R, c, d);
  long rank = t->rank, v = -rank;
  while (v <= rank && !ck_is_const(R, e, v)) v++;
  if (v > rank) ck_die_at(R, "%s: the axis must be a number that fits a tensor of %ld axes", c->op->name, rank);
  return v;
}

/* enters the list, or finds it with the same axes */
static const ck_list *match_list(ck_reader *R, ck_call *c, const char *name, uint32_t n, const ck_id *dim) {
  ck_list *l = ck_find_list(c, name);
  if (!l && c->nl == CK_MAX_DIMS) ck_die(R, c->op->f, c->op->tok, "more than %d lists of axes", CK_MAX_DIMS);
  if (!l) l = &c->list[c->nl++], *l = (ck_list){.name = name, .n = n}, memcpy(l->dim, dim, n * sizeof *dim);
  if (l->n != n) ck_die_at(R, "%s: ..%s stands for %u axes and for %u", c->op->name, name, l->n, n);
  for (uint32_t i = 0; i < n; i++) meet(R, c, l->dim[i], dim[i]), ck_require_eq(R, l->dim[i], dim[i]);
  return l;
}

static void match_arg(ck_reader *R, ck_call *c, const char *name, const axis *p, uint32_t n, const ck_tensor *t) {
  uint32_t take[CK_MAX_DIMS], used = 0, rest = n, at = 0;
  long count[CK_MAX_DIMS];
  for (uint32_t i = 0; i < n; i++) {
    const ck_list *known = p[i].kind == 'l' && !p[i].at ? ck_find_list(c, p[i].name) : NULL;
    bool open = p[i].kind == 'l' && !p[i].at && !known;
    if (open && rest < n) ck_die(R, c->op->f, c->op->tok, "two lists of unknown length in %s", name);
    if (open) rest = i;
    count[i] = p[i].kind == 's' || known || open ? 0 : list_count(R, c, &p[i], t);
    used += take[i] = p[i].kind == 's' ? 1 : known ? known->n : (uint32_t)(count[i] < 0 ? count[i] + t->rank : count[i]);
  }
  if (used > t->rank || (used < t->rank && rest == n)) ck_die_at(R, "%s: argument %s cannot have %u axes", c->op->name, name, t->rank);
  if (rest < n) take[rest] = t->rank - used;
  for (uint32_t i = 0; i < n; at += take[i++]) {
    const ck_tok *bare = &R->f->tok[p[i].at];
    for (uint32_t k = 0; p[i].kind == 'l' && p[i].at && k < t->rank; k++) /* the axes counted: those taken, or those left */
      if (ck_group(R, t->dim[k]) != CK_BAD && (k >= at && k < at + take[i]) == (count[i] >= 0))
        ck_die_at(R, "%s: an axis number cannot count across a group of axes", c->op->name);
    if (p[i].kind == 'l') match_list(R, c, p[i].name, take[i], t->dim + at);
    else if (ck_group(R, t->dim[at]) != CK_BAD) ck_die_at(R, "%s: a group of axes cannot be taken as one axis", c->op->name);
    else if (bare->kind == CK_T_NAME && p[i].end == p[i].at + 1 && !ck_find_bind(c, bare->s)) ck_add_bind(R, c, bare->s, t->dim[at]);
    else ck_require_eq(R, extent(R, c, &p[i]), t->dim[at]);
  }
}

/* an extent that is 1 for sizes as large as we like, and does not say so, would be broadcast by others */
static void not_one(ck_reader *R, const ck_call *c, ck_id dim) {
  for (long n = 1000; ck_is_const(R, ck_value(R, dim, n), 1); n++) if (n == 1002) ck_die_at(R, "%s: an extent of 1 must be written so", c->op->name);
}

static const ck_list *broadcast(ck_reader *R, ck_call *c, const axis *d) {
  const ck_list *a = ck_find_list(c, d->b1), *b = ck_find_list(c, d->b2);
  ck_id dim[CK_MAX_RANK];
  if (!a || !b || ck_find_list(c, d->name)) ck_die(R, c->op->f, c->op->tok, "broadcast of unknown lists, or as a known one");
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 1; i <= n; i++) {
    ck_id x = i <= a->n ? a->dim[a->n - i] : b->dim[b->n - i], y = i <= b->n ? b->dim[b->n - i] : x;
    meet(R, c, x, y);
    if (!ck_is_one(R, x) && !ck_is_one(R, y) && !ck_same(R, x, y)) not_one(R, c, x), not_one(R, c, y), ck_require(R, CK_EQ, x, y);
    dim[n - i] = ck_is_one(R, x) ? y : x;
  }
  return match_list(R, c, d->name, n, dim);
}

/* --- calls */
static void bind_attributes(ck_reader *R, ck_call *c, const ck_attr *attr, uint32_t n) {
  uint32_t met = 0;
  do {
    const char *name = ck_new_name(R);
    ck_id v = CK_BAD;
    if (ck_accept(R, "=")) v = ck_accept(R, "-") ? ck_minus(R, ck_number(R)) : ck_number(R);
    for (uint32_t j = 0, given = 0; j < n; j++) {
      if (strcmp(name, attr[j].name)) continue;
      if (given++) ck_die(R, R->at_file, attr[j].at, "attribute given twice");
      v = attr[j].val, met |= 1u << j;
    }
    if (v == CK_BAD) ck_die_at(R, "%s needs the attribute %s", c->op->name, name);
    ck_add_bind(R, c, name, v);
  } while (ck_accept(R, ","));
  for (uint32_t j = 0; j < n; j++) if (!(met >> j & 1)) ck_die(R, R->at_file, attr[j].at, "%s has no attribute %s", c->op->name, attr[j].name);
}

/* the left side [ .. ] of a definition: its names stand for these indices; d: of out, whose indices follow the axes of the result */
static void left_side(ck_reader *R, ck_call *c, const axis *d, uint32_t n_axes, const ck_id *ix, const ck_id *group, uint32_t n) {
  uint32_t at = 0, k = 0;
  ck_expect(R, "[");
  if (!ck_accept(R, "]")) do {
      const ck_tok *t = ck_cur(R);
      bool is_list = ck_accept(R, "..");
      const char *name = ck_new_name(R);
      ck_list *l = is_list ? ck_find_list(c, name) : NULL;
      if (d && (k == n_axes || is_list != (d[k].kind != 's') || (is_list && strcmp(name, d[k].name)))) ck_die(R, R->f, t, "out's indices do not follow the result's axes");
      if (is_list && (!l || l->at)) ck_die_word(R, t, "definition over an unknown or repeated list", name);
      if (at + (l ? l->n : 1) > n) ck_die(R, R->f, t, "too few indices for this definition");
      for (uint32_t i = 0; i < (l ? l->n : 1); i++)
        if (group[at + i] != (l ? ck_group(R, l->dim[i]) : CK_BAD)) ck_die(R, R->f, t, "the index of a group of axes goes only where the whole group is");
      if (l) memcpy(l->ix, ix + at, l->n * sizeof *ix), l->at = true;
      else ck_add_bind(R, c, name, ix[at]);
      at += l ? l->n : 1, k++;
    } while (ck_list_goes_on(R, "]"));
  if (at != n || (d && k != n_axes)) ck_die_here(R, d ? "out's indices do not follow the result's axes" : "too many indices for this definition");
  ck_expect(R, "=");
}

ck_id ck_read_let(ck_reader *R, ck_call *c, uint32_t which, const ck_id *ix, const ck_id *group, uint32_t n) {
  ck_call inner = *c;
  uint32_t back = R->at;
  inner.nb = c->n_fixed, inner.let = which;
  for (uint32_t i = 0; i < inner.nl; i++) inner.list[i].at = false;
  R->at = c->op->let[which] + 1;
  left_side(R, &inner, NULL, 0, ix, group, n);
  ck_id t = ck_scalar(R, &inner);
  ck_newline(R);
  return R->at = back, t;
}

/* extents and element of the result, whose shape is at the cursor */
static void result(ck_reader *R, ck_call *c, ck_tensor *t) {
  axis d[CK_MAX_DIMS];
  ck_id ix[CK_MAX_RANK], group[CK_MAX_RANK];
  uint32_t n = shape(R, d, true);
  ck_newline(R);
  for (uint32_t i = 0; i < n; i++) {
    const ck_list *l = d[i].kind == 'l' ? ck_find_list(c, d[i].name) : d[i].kind == 'b' ? broadcast(R, c, &d[i]) : NULL;
    if (d[i].kind == 'l' && (!l || d[i].at)) ck_die_at(R, "%s: ..%s is not known", c->op->name, d[i].name);
    ck_id one = l ? CK_BAD : extent(R, c, &d[i]);
    for (uint32_t k = 0; k < (l ? l->n : 1); k++) {
      if (t->rank == CK_MAX_RANK) ck_die_at(R, "%s: more than %d axes", c->op->name, CK_MAX_RANK);
      ix[t->rank] = ck_ix(R, 'i', t->rank), t->dim[t->rank++] = l ? l->dim[k] : one;
    }
  }
  for (uint32_t i = 0; i < t->rank; i++) ck_require_extent(R, t->dim[i]), group[i] = ck_group(R, t->dim[i]);
  c->n_fixed = c->nb;
  R->at = c->op->let[c->let] + 1;
  left_side(R, c, d, n, ix, group, t->rank);
  for (uint32_t i = 0; i < t->rank; i++) ck_push_index(R, ix[i], t->dim[i]);
  t->elem = ck_scalar(R, c);
  ck_newline(R);
  R->n_conds = 0, R->n_ivars = 0;
}

ck_tensor *ck_call_op(ck_reader *R, const char *name, const ck_tok *at, ck_tensor *const *arg, uint32_t n_args, const ck_attr *attr, uint32_t n_attrs) {
  ck_op_def *op = find_op(R, name);
  const ck_file *f = R->f;
  uint32_t back = R->at, k = 0;
  R->at_file = f, R->at_tok = at, R->work = 0;
  if (!op) ck_die(R, f, at, "no operator is called %s", name);
  op->used = true;
  ck_call *c = ck_keep(R, sizeof *c);
  ck_tensor *t = ck_keep(R, sizeof *t);
  c->op = op, c->arg = arg, c->let = op->n_lets - 1;
  R->f = op->f, R->at = op->sig;
  if (!ck_at(R, "(")) ck_die_here(R, "'(' expected");
  uint32_t close = ck_cur(R)->mate, semicolon = ck_find(R, ";", op->sig + 1, close);
  R->at = semicolon + 1;
  if (semicolon < close) bind_attributes(R, c, attr, n_attrs);
  else if (n_attrs) ck_die(R, f, attr->at, "%s has no attribute %s", name, attr->name);
  if (semicolon < close && R->at != close) ck_die_here(R, "')' expected");
  for (uint32_t i = op->sig + 1; i < semicolon; i = ck_find(R, ",", i, semicolon) + 1) k++;
  if (k != n_args) ck_die(R, f, at, "%s takes %u tensors, not %u", name, k, n_args);
  for (R->at = op->sig + 1; R->at < semicolon;) {
    axis d[CK_MAX_DIMS];
    const char *arg_name = ck_new_name(R);
    if (!ck_at(R, "[")) ck_die_here(R, "'[' expected");
    uint32_t n = shape(R, d, false);
    if (ck_find_bind(c, arg_name)) ck_die(R, op->f, op->tok, "operator %s: %s has two meanings", name, arg_name);
    match_arg(R, c, arg_name, d, n, arg[c->n_args]), c->arg_name[c->n_args++] = arg_name;
    if (R->at < semicolon) ck_expect(R, ",");
  }
  R->at = close + 1, ck_expect(R, "->");
  uint32_t at_result = R->at;
  for (uint32_t i = 0; i < op->n_reqs; i++) {
    bool swap;
    R->at = op->req[i];
    do {
      ck_id a = ck_integer(R, c);
      ck_op rel = ck_relop(R, &swap);
      ck_id b = ck_integer(R, c);
      ck_require(R, rel, swap ? b : a, swap ? a : b);
    } while (ck_accept(R, ","));
    ck_newline(R);
  }
  R->at = at_result;
  result(R, c, t);
  R->f = f, R->at = back;
  for (uint32_t i = 0; i < n_args; i++) {
    t->varying = t->varying || arg[i]->varying || arg[i]->run_arg;
    t->after = t->after || arg[i]->after;
  }
  return t;
}

/* Programs, rules, and the kernel level of muGraphs: statement by statement to tensors, each with its element term (semantics/SEMANTICS.md section 1). */
#include "ck_read.h"
#include <string.h>

ck_tensor *ck_find_tensor(ck_tensor *const *t, uint32_t n, const char *name) {
  for (uint32_t i = n; i-- > 0;) if (!strcmp(t[i]->name, name)) return t[i];
  return NULL;
}

const char *ck_fresh_name(ck_reader *R) {
  const ck_tok *t = R->at;
  const char *name = ck_new_name(R);
  const ck_side *s = R->side;
  if (ck_find_tensor(s->tensor, s->n_tensors, name) || ck_find_tensor(s->block, s->n_block, name) || ck_visible_size(R, name) != R->n_sizes)
    ck_die(R, t, "%s is already defined", name);
  return name;
}

ck_tensor *ck_define(ck_reader *R, const char *name, const ck_tensor *t) {
  ck_side *s = R->side;
  if (s->n_tensors + s->n_block >= CK_MAX_TENSORS) ck_die(R, R->at, "more than %d tensors", CK_MAX_TENSORS);
  ck_tensor *u = memcpy(ck_keep(R, sizeof *u), t, sizeof *u);
  u->name = name;
  return s->in_block ? (s->block[s->n_block++] = u) : (s->tensor[s->n_tensors++] = u);
}

ck_tensor *ck_tensor_named(ck_reader *R, ck_tensor *const *t, uint32_t n, const char *where) {
  const ck_tok *at = R->at;
  const char *name = ck_new_name(R);
  ck_tensor *x = ck_find_tensor(t, n, name);
  if (!x) ck_die(R, at, "no tensor is called %s %s", name, where);
  return x;
}

/* --- expressions */
static ck_tensor *infix(ck_reader *R, int level);

static ck_tensor *scalar_tensor(ck_reader *R, ck_id value) { ck_tensor *t = ck_keep(R, sizeof *t); t->elem = value; return t; }

static ck_tensor *named(ck_reader *R) {
  const ck_tok *at = R->at;
  const char *name = ck_new_name(R);
  const ck_side *s = R->side;
  ck_tensor *outer = ck_find_tensor(s->tensor, s->n_tensors, name), *t = s->in_block ? ck_find_tensor(s->block, s->n_block, name) : outer;
  uint32_t i = ck_visible_size(R, name);
  if (!t && i == R->n_sizes) ck_die(R, at, outer ? "%s must be loaded before it is used in a kernel" : "nothing is called %s here", name);
  return t ? t : scalar_tensor(R, R->size[i].var);
}

/* a number, also one that is not whole, or a size expression */
static ck_id attribute(ck_reader *R) {
  const ck_tok *t = R->at + ck_at(R, "-");
  return t->kind == CK_T_NUM && !t->whole ? ck_number(R) : ck_integer(R);
}

static ck_tensor *call_expr(ck_reader *R) {
  const ck_tok *at = R->at;
  const char *op = ck_call_name(R);
  ck_tensor *arg[CK_MAX_ARGS];
  ck_attr attr[CK_MAX_ARGS];
  uint32_t n = 0, m = 0;
  ck_expect(R, "(");
  if (!ck_accept(R, ")")) do {
      if (n == CK_MAX_ARGS || m == CK_MAX_ARGS) ck_die(R, R->at, "more than %d arguments", CK_MAX_ARGS);
      if (R->at->kind == CK_T_NAME && ck_tok_is(R->at + 1, "=")) {
        attr[m].at = R->at, attr[m].name = ck_new_name(R), ck_expect(R, "=");
        attr[m++].val = attribute(R);
      } else if (m) ck_die(R, R->at, "tensors come before attributes");
      else arg[n++] = infix(R, 0);
    } while (ck_list_goes_on(R, ")"));
  return ck_call_op(R, op, at, arg, n, attr, m);
}

/* one item of t[..] */
static ck_tensor *item(ck_reader *R, ck_tensor *t, uint32_t axis) {
  const ck_tok *at = R->at;
  ck_attr a[4] = {{"axis", ck_int(R->T, (long)axis), at}, {"start", ck_int(R->T, 0), at}, {"stop", CK_BAD, at}, {"step", ck_int(R->T, 1), at}};
  if (ck_accept(R, "none")) return ck_call_op(R, "expand_dims", at, &t, 1, a, 1);
  if (axis >= t->rank) ck_die(R, R->at, "the tensor has only %u axes", t->rank);
  for (uint32_t i = 0; i <= axis; i++) if (ck_group(R, t->dim[i]) != CK_BAD) ck_die(R, at, "an index cannot count across a group of axes");
  a[2].val = t->dim[axis];
  if (!ck_at(R, ":")) a[1].val = ck_integer(R);
  ck_expect(R, ":");
  if (!ck_at(R, ":") && !ck_at(R, ",") && !ck_at(R, "]")) a[2].val = ck_integer(R);
  if (ck_accept(R, ":")) a[3].val = ck_integer(R);
  return R->at == at + 1 ? t : /* a bare colon */ ck_call_op(R, "slice", at, &t, 1, a, 4);
}

static ck_tensor *postfix(ck_reader *R) {
  ck_tensor *t;
  if (R->at->kind == CK_T_NUM) t = scalar_tensor(R, ck_number(R));
  else if (ck_tok_is(R->at + 1, "(") && R->at->kind == CK_T_NAME) t = call_expr(R);
  else if (ck_accept(R, "(")) t = infix(R, 0), ck_expect(R, ")");
  else t = named(R);
  while (ck_accept(R, "[")) {
    uint32_t axis = 0;
    do t = item(R, t, axis++);
    while (ck_list_goes_on(R, "]"));
  }
  return t;
}

/* level 0: + -, 1: * / @, 2: what binds tighter */
static ck_tensor *infix(ck_reader *R, int level) {
  static const struct { int level; const char *sign, *op; } ops[] = {{0, "+", "add"}, {0, "-", "sub"}, {1, "*", "mul"}, {1, "/", "div"}, {1, "@", "matmul"}};
  const ck_tok *at = R->at;
  ck_tensor *t;
  ck_enter(R);
  if (level < 2) t = infix(R, level + 1);
  else t = ck_accept(R, "-") ? ck_call_op(R, "neg", at, (ck_tensor *[]){infix(R, 2)}, 1, NULL, 0) : postfix(R);
  R->depth--;
  for (size_t i = 0; i < sizeof ops / sizeof *ops;) {
    at = R->at;
    if (ops[i].level != level || !ck_accept(R, ops[i].sign)) i++;
    else t = ck_call_op(R, ops[i].op, at, (ck_tensor *[]){t, infix(R, level + 1)}, 2, NULL, 0), i = 0;
  }
  return t;
}

ck_tensor *ck_assign(ck_reader *R) {
  const ck_tok *at = R->at;
  const char *name = ck_fresh_name(R);
  ck_expect(R, "=");
  const ck_tensor *t = infix(R, 0);
  if (t->varying && t->after) ck_die(R, at, "%s mixes a tensor that differs between iterations with a finished accumulator", name);
  return ck_define(R, name, t);
}

/* --- declarations */
static void state(ck_reader *R, const ck_tok *at, ck_id rel) {
  if (R->n_rels == CK_MAX_RELS) ck_die(R, at, "more than %d relations", CK_MAX_RELS);
  R->rel[R->n_rels].cand = R->side->cand;
  R->rel[R->n_rels++].rel = rel;
}

/* the name of a group of axes, which is a size that no size expression can spell */
static const char *group_name(ck_reader *R) { char *name = ck_keep(R, CK_MAX_NAME + 3); return strcat(strcpy(name, ".."), ck_new_name(R)); }

/* a size NAME [>= INT] [= INT]; of rules also a group of axes, or any integer */
static void declare_size(ck_reader *R, bool group, bool any) {
  const ck_tok *at = R->at;
  const char *name = group ? group_name(R) : ck_new_name(R);
  bool cand = R->side->cand, bounded = !group && !any && ck_accept(R, ">=");
  long least = any ? -1 : bounded ? ck_small_int(R) : R->rule ? 0 : 1;
  bool stated = !group && !any && ck_accept(R, "=");
  long value = stated ? ck_small_int(R) : least;
  if (value < least) ck_die(R, at, "the value of %s is less than its least value %ld", name, least);
  if (ck_visible_size(R, name) != R->n_sizes || ck_find_tensor(R->side->tensor, R->side->n_tensors, name)) ck_die(R, at, "%s is already defined", name);
  uint32_t i = 0;
  while (i < R->n_sizes && strcmp(R->size[i].name, name)) i++;
  if (i == CK_MAX_SIZES) ck_die(R, at, "more than %d sizes", CK_MAX_SIZES);
  bool known = i < R->n_sizes; /* to the given program, of which a candidate may not restrict it */
  if (known && least > R->size[i].least) ck_die(R, at, "the given program has %s >= %ld", name, R->size[i].least);
  if (known && stated && R->size[i].stated && value != R->size[i].value) ck_die(R, at, "the given program has %s = %ld", name, R->size[i].value);
  R->size[i].in_cand = cand;
  if (stated) R->size[i].stated = true, R->size[i].value = value;
  if (known) return;
  R->n_sizes++, R->size[i].name = name, R->size[i].least = least, R->size[i].in_spec = !cand;
  ck_id v = R->size[i].var = ck_ok(R, ck_var(R->T, name, 'i'));
  if (least >= 0) state(R, at, ck_two(R, least ? CK_LT : CK_LE, ck_int(R->T, 0), v));
  if (least > 1) state(R, at, ck_two(R, CK_LE, ck_int(R->T, least), v));
}

static void where(ck_reader *R) {
  const ck_tok *at = R->at;
  ck_id rel = ck_relation(R);
  if (ck_trivial(R, rel)) return; /* holds anyway, or is already stated */
  if (!ck_truth(R, ck_value(R, rel, 0))) R->msg->absurd = true, ck_die(R, at, "this is false, always or at the stated sizes");
  state(R, at, rel);
  R->rel[R->n_rels - 1].at = R->side->cand ? at : NULL;
}

/* t: a product of sizes, of which those of the candidate can be 1, and of positive numbers; own: of the candidate's own sizes only */
static bool is_product(const ck_reader *R, ck_id t, bool own) {
  if (ck_head(R->T, t) == CK_MUL) return is_product(R, ck_kid(R->T, t, 0), own) && is_product(R, ck_kid(R->T, t, 1), own);
  for (uint32_t k = 0; k < R->n_sizes; k++) if (R->size[k].var == t) return R->size[k].in_spec ? !own : R->size[k].least <= 1;
  return !own && ck_head(R->T, t) == CK_Q && mpq_sgn(*ck_q_value(R->T, t)) > 0;
}

/* how often a size is a factor */
static uint32_t times(const ck_reader *R, ck_id t, ck_id size) {
  return ck_head(R->T, t) == CK_MUL ? times(R, ck_kid(R->T, t, 0), size) + times(R, ck_kid(R->T, t, 1), size) : t == size;
}

/* 0 if a size in t, other than this one, can be 0; else 1 */
static long lowest(const ck_reader *R, ck_id t, ck_id but) {
  for (uint32_t k = 0; k < R->n_sizes; k++) if (R->size[k].var != but && R->size[k].least < 1 && ck_has_var(R->T, t, R->size[k].var)) return 0;
  return 1;
}

/* Whatever the sizes of the given program are, some own sizes of the candidate satisfy its relations.  Each is an equation of a product of sizes with a
 * product of other, own ones, one of which occurs there once and in no other relation: it takes the value of the other side, as the others there can be
 * 1.  Or it bounds an own size, which can be as low as such a product, from above. */
static void relations_leave_free(ck_reader *R) {
  for (uint32_t i = 0; i < R->n_rels; i++) {
    ck_op op = ck_head(R->T, R->rel[i].rel);
    bool fits = !R->rel[i].at;
    for (uint32_t k = 0; k < 2 * R->n_sizes && !fits; k++) {
      ck_id size = R->size[k / 2].var, own = ck_kid(R->T, R->rel[i].rel, k % 2), other = ck_kid(R->T, R->rel[i].rel, 1 - k % 2);
      fits = is_product(R, own, true) && is_product(R, other, false) && R->size[k / 2].least <= lowest(R, other, size);
      for (uint32_t j = 0; j < R->n_sizes; j++) fits = fits && !(ck_has_var(R->T, own, R->size[j].var) && ck_has_var(R->T, other, R->size[j].var));
      if (op != CK_EQ) fits = fits && op == CK_LE && k % 2 == 0 && own == size;
      else fits = fits && times(R, own, size) == 1 && lowest(R, own, size) == 1;
      for (uint32_t j = 0; op == CK_EQ && j < R->n_rels; j++) fits = fits && (j == i || !R->rel[j].at || !ck_has_var(R->T, R->rel[j].rel, size));
    }
    if (!fits) ck_die(R, R->rel[i].at, "this may restrict the sizes of the given program: `product = product of own sizes` and `own size <= product` do not");
  }
}

uint32_t ck_dims(ck_reader *R, ck_id dim[CK_MAX_RANK]) {
  uint32_t n = 0;
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return 0;
  do {
    if (n == CK_MAX_RANK) ck_die(R, R->at, "more than %d axes", CK_MAX_RANK);
    uint32_t i = ck_accept(R, "..") ? ck_visible_size(R, group_name(R)) : CK_BAD;
    if (i == R->n_sizes) ck_die(R, R->at, "no axes are called this");
    dim[n] = i == CK_BAD ? ck_integer(R) : R->size[i].var;
    ck_require_extent(R, dim[n++]);
  } while (ck_list_goes_on(R, "]"));
  return n;
}

/* An input: of programs NAME : dtype dims, of rules NAME dims [int|bool].  Its element at $i0, $i1, .. is the function of its name. */
static void input(ck_reader *R, const ck_side *spec) {
  const ck_tok *at = R->at;
  ck_side *s = R->side;
  ck_tensor t = {0};
  const char *name = ck_fresh_name(R), *dtype = "";
  char sig[CK_MAX_RANK + 3], sort = 'r';
  ck_id ix[CK_MAX_RANK], zero = ck_int(R->T, 0);
  if (!R->rule) {
    ck_expect(R, ":"), dtype = R->at->s;
    if (!ck_accept(R, "f16") && !ck_accept(R, "bf16") && !ck_accept(R, "f32")) ck_die(R, R->at, "f16, bf16 or f32 expected");
  }
  t.rank = ck_dims(R, t.dim);
  if (R->rule && ck_accept(R, "int")) sort = 'i', dtype = " of integers";
  else if (R->rule && ck_accept(R, "bool")) sort = 'b', dtype = " of truth values 0 and 1";
  uint32_t k = 0;
  while (spec && k < spec->n_inputs && strcmp(spec->input[k]->name, name)) k++;
  bool same = !spec || (k < spec->n_inputs && !strcmp(spec->dtype[k], dtype) && spec->input[k]->rank == t.rank);
  for (uint32_t i = 0; spec && same && i < t.rank; i++) same = ck_same(R, spec->input[k]->dim[i], t.dim[i]);
  if (!same) ck_die(R, at, "the given program has no input %s of this type and these extents", name);
  if (s->n_inputs == CK_MAX_SIZES) ck_die(R, at, "more than %d inputs", CK_MAX_SIZES);
  for (uint32_t i = 0; i < t.rank; i++) sig[i] = 'i', ix[i] = ck_ix(R, 'i', i);
  memcpy(sig + t.rank, sort == 'i' ? ":i" : ":r", 3);
  t.elem = ck_ok(R, ck_app(R->T, name, sig, ix, t.rank));
  if (sort == 'b') t.elem = ck_if(R, ck_two(R, CK_EQ, t.elem, zero), zero, ck_int(R->T, 1)); /* a truth value: 0, or 1 at any other number */
  s->dtype[s->n_inputs] = dtype, s->input[s->n_inputs++] = ck_define(R, name, &t);
}

static void add_output(ck_reader *R, const ck_tok *at, ck_tensor *t) {
  ck_side *s = R->side;
  if (s->n_outputs == CK_MAX_SIZES) ck_die(R, at, "more than %d outputs", CK_MAX_SIZES);
  if (ck_find_tensor(s->output, s->n_outputs, t->name)) ck_die(R, at, "%s is already an output", t->name);
  s->output[s->n_outputs++] = t;
}

/* --- files */
static void statement(ck_reader *R, const ck_side *spec) {
  ck_side *s = R->side;
  R->stmt = R->at;
  if (s->mug && ck_accept(R, "kernel")) { ck_read_kernel(R); return; }
  if (!s->mug && !R->rule && ck_accept(R, "input")) { input(R, spec); return; }
  bool out = !s->mug && ck_accept(R, "output");
  const ck_tok *at = R->at;
  ck_tensor *t = out && at[1].kind == CK_T_NL ? ck_tensor_named(R, s->tensor, s->n_tensors, "here") : ck_assign(R);
  if (out) add_output(R, at, t);
}

static void begin(ck_reader *R, ck_side *s) {
  R->at = R->stmt = s->f->tok, R->depth = 0, R->side = s;
  s->tensor = ck_keep(R, CK_MAX_TENSORS * sizeof *s->tensor);
  s->block = ck_keep(R, CK_MAX_TENSORS * sizeof *s->block);
  s->oblig = ck_keep(R, CK_MAX_OBLIGATIONS * sizeof *s->oblig);
}

/* a line of sizes or of relations between them, and whether there is one */
static bool about_sizes(ck_reader *R) {
  bool any = R->rule && ck_accept(R, "ints"), group = R->rule && ck_accept(R, "axes"), sizes = any || group || ck_accept(R, "sizes");
  if (!sizes && !ck_accept(R, "where")) return false;
  do sizes ? declare_size(R, group, any) : where(R);
  while (ck_accept(R, ","));
  return true;
}

void ck_read_graph(ck_reader *R, ck_side *s, const ck_side *spec) {
  begin(R, s);
  s->mug = s->cand && ck_at(R, "mugraph");
  ck_expect(R, s->mug ? "mugraph" : "program");
  s->name = ck_new_name(R), ck_newline(R);
  if (s->mug) for (uint32_t i = 0; i < spec->n_inputs; i++) s->tensor[s->n_tensors++] = spec->input[i];
  for (bool head = true; R->at->kind != CK_T_END; ck_newline(R)) {
    R->stmt = R->at;
    if ((head || !s->mug) && about_sizes(R)) continue;
    head = false, statement(R, spec);
  }
  relations_leave_free(R);
  if (!s->mug && !s->n_outputs) ck_die(R, R->at, "the program has no output");
  if (!s->mug && spec && s->n_inputs != spec->n_inputs) ck_die(R, R->at, "the given program has %u inputs, this one %u", spec->n_inputs, s->n_inputs);
}

/* --- rules */
/* e1 rel e2, of every element: an obligation of the given side, hence a hypothesis.  0 rel the larger side less the other. */
static void assume(ck_reader *R) {
  const ck_tok *at = R->at;
  ck_tensor *t[2];
  bool swap;
  t[0] = infix(R, 0);
  ck_op op = ck_relop(R, &swap);
  t[1] = infix(R, 0);
  const ck_tensor *d = ck_call_op(R, "sub", at, (ck_tensor *[]){t[!swap], t[swap]}, 2, NULL, 0);
  for (uint32_t i = 0; i < d->rank; i++) ck_push_index(R, ck_ix(R, 'i', i), d->dim[i]);
  ck_require(R, op, ck_int(R->T, 0), d->elem);
  R->n_conds = 0, R->n_ivars = 0;
}

static void side_of_rule(ck_reader *R, ck_side *s) {
  R->side = s;
  if (R->at->kind != CK_T_NL) add_output(R, R->at, ck_define(R, "out", infix(R, 0))), ck_newline(R);
  else
    for (R->at++; !ck_at(R, "rhs") && !ck_at(R, "expect") && !ck_rule_ends(R); ck_newline(R)) statement(R, NULL);
  if (!s->n_outputs) ck_die(R, R->at, "this side has no output");
}

const char *ck_read_rule(ck_reader *R, ck_side *given, ck_side *lhs, ck_side *rhs) {
  ck_side *other = lhs == given ? rhs : lhs;
  begin(R, other), begin(R, given);
  if (!R->rule_at) ck_die(R, R->at, "there is no rule %s", R->rule);
  R->at = R->rule_at + 1;
  for (ck_newline(R); !ck_at(R, "lhs"); ck_newline(R)) {
    R->stmt = R->at;
    if (about_sizes(R)) continue;
    bool tensors = ck_accept(R, "tensor");
    if (!tensors && !ck_accept(R, "assume")) ck_die(R, R->at, "sizes, ints, axes, tensor, where, assume or lhs expected");
    do tensors ? input(R, NULL) : assume(R);
    while (ck_accept(R, ","));
  }
  for (uint32_t i = 0; i < given->n_inputs; i++) other->tensor[other->n_tensors++] = given->input[i];
  ck_expect(R, "lhs"), side_of_rule(R, lhs);
  ck_expect(R, "rhs"), side_of_rule(R, rhs);
  if (ck_at(R, "expect")) ck_skip_line(R); /* for tests: nothing that is claimed */
  if (!ck_rule_ends(R)) ck_die(R, R->at, "'rule', 'op' or 'func' expected");
  return R->at[-2].end;
}

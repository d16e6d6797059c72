/* Programs and muGraphs: statement by statement to tensors, each with its element term (semantics/SEMANTICS.md sections 1 and 3).
 * In a block graph element terms are also terms of the block's indices $b0 $b1 $b2 and of the iteration $l. */
#include "ck_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { ck_id grid[3], loop; } block; /* CK_BAD: absent */
typedef struct { int axis[4]; } map;           /* axis of the tensor that grid x, y, z and the loop divide; -1: none */

static ck_tensor *expr(ck_reader *R);

ck_tensor *ck_find_tensor(ck_tensor *const *t, uint32_t n, const char *name) {
  for (uint32_t i = n; i-- > 0;) if (!strcmp(t[i]->name, name)) return t[i];
  return NULL;
}

/* a name that nothing visible has: there is no shadowing */
static const char *fresh_name(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  const char *name = ck_new_name(R);
  ck_side *s = R->side;
  if (ck_find_tensor(s->tensor, s->n_tensors, name) || ck_find_tensor(s->block, s->n_block, name) || ck_visible_size(R, name) != R->n_sizes)
    ck_die(R, R->f, t, "%s is already defined", name);
  return name;
}

/* enters a tensor under a name; what already has one (an input, say) is copied */
static ck_tensor *define(ck_reader *R, const char *name, ck_tensor *t, bool in_block) {
  ck_side *s = R->side;
  if (s->n_tensors + s->n_block >= CK_MAX_TENSORS) ck_die_here(R, "more than %d tensors", CK_MAX_TENSORS);
  ck_tensor *u = ck_keep(R, sizeof *u);
  *u = *t, u->name = name;
  if (in_block) s->block[s->n_block++] = u;
  else s->tensor[s->n_tensors++] = u;
  return u;
}

static ck_id size(ck_reader *R) { return ck_eval_size(R, ck_parse_size(R)); }

static const char *definition(ck_reader *R) {
  const char *name = fresh_name(R);
  ck_expect(R, "=");
  return name;
}

static ck_tensor *tensor_named(ck_reader *R, ck_tensor *const *t, uint32_t n, const char *where) {
  const ck_tok *at = ck_cur(R);
  const char *name = ck_new_name(R);
  ck_tensor *x = ck_find_tensor(t, n, name);
  if (!x) ck_die(R, R->f, at, "no tensor is called %s %s", name, where);
  return x;
}

static ck_tensor *block_tensor(ck_reader *R) { return tensor_named(R, R->side->block, R->side->n_block, "in the block"); }

/* --- expressions */
static ck_tensor *scalar_tensor(ck_reader *R, ck_id value) { ck_tensor *t = ck_keep(R, sizeof *t); t->elem = value; return t; }

static ck_tensor *named(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  const char *name = ck_new_name(R);
  ck_side *s = R->side;
  ck_tensor *outer = ck_find_tensor(s->tensor, s->n_tensors, name), *t = s->in_block ? ck_find_tensor(s->block, s->n_block, name) : outer;
  uint32_t i = ck_visible_size(R, name);
  if (!t && i == R->n_sizes)
    ck_die(R, R->f, at, outer ? "%s must be loaded before it is used in a kernel" : "nothing is called %s here", name);
  return t ? t : scalar_tensor(R, R->size[i].var);
}

static ck_id attribute(ck_reader *R) {
  const ck_tok *t = ck_peek(R, ck_at(R, "-") ? 1 : 0);
  return t->kind == CK_T_NUM && !t->whole ? ck_signed_number(R) : size(R);
}

static ck_tensor *call_expr(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  const char *op = ck_call_name(R);
  ck_tensor *arg[CK_MAX_ARGS];
  ck_attr_val attr[CK_MAX_ARGS];
  uint32_t n = 0, m = 0;
  ck_expect(R, "(");
  if (!ck_accept(R, ")")) do {
      if (n == CK_MAX_ARGS || m == CK_MAX_ARGS) ck_die_here(R, "more than %d arguments", CK_MAX_ARGS);
      if (ck_cur(R)->kind == CK_T_NAME && ck_tok_is(R->f, ck_peek(R, 1), "=")) {
        attr[m].at = ck_cur(R), attr[m].name = ck_new_name(R), ck_expect(R, "=");
        attr[m++].val = attribute(R);
      } else if (m) ck_die_here(R, "tensors come before attributes");
      else arg[n++] = expr(R);
    } while (ck_list_goes_on(R, ")"));
  return ck_call_op(R, op, at, arg, n, attr, m);
}

/* one item of t[..] */
static ck_tensor *item(ck_reader *R, ck_tensor *t, uint32_t axis) {
  const ck_tok *at = ck_cur(R);
  ck_attr_val a[4] = {{"axis", ck_int(R->T, (long)axis), at}, {"start", ck_int(R->T, 0), at}, {"stop", CK_BAD, at}, {"step", ck_int(R->T, 1), at}};
  if (ck_accept(R, "none")) return ck_call_op(R, "expand_dims", at, &t, 1, a, 1);
  if (axis >= t->rank) ck_die_here(R, "the tensor has only %u axes", t->rank);
  a[2].val = t->dim[axis];
  if (!ck_at(R, ":")) a[1].val = size(R);
  ck_expect(R, ":");
  if (!ck_at(R, ":") && !ck_at(R, ",") && !ck_at(R, "]")) a[2].val = size(R);
  if (ck_accept(R, ":")) a[3].val = size(R);
  return ck_cur(R) == at + 1 ? t : /* a bare colon */ ck_call_op(R, "slice", at, &t, 1, a, 4);
}

static ck_tensor *postfix(ck_reader *R) {
  ck_tensor *t;
  if (ck_cur(R)->kind == CK_T_NUM) t = scalar_tensor(R, ck_number(R));
  else if (ck_tok_is(R->f, ck_peek(R, 1), "(") && ck_cur(R)->kind == CK_T_NAME) t = call_expr(R);
  else if (ck_accept(R, "(")) t = expr(R), ck_expect(R, ")");
  else t = named(R);
  while (ck_accept(R, "[")) {
    uint32_t axis = 0;
    do t = item(R, t, axis++);
    while (ck_list_goes_on(R, "]"));
  }
  return t;
}

static ck_tensor *unary(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  ck_enter(R);
  ck_tensor *t = ck_accept(R, "-") ? unary(R) : NULL;
  t = t ? ck_call_op(R, "neg", at, &t, 1, NULL, 0) : postfix(R);
  R->depth--;
  return t;
}

/* level 0: + -, 1: * / @, 2: what binds tighter */
static ck_tensor *infix(ck_reader *R, int level) {
  static const struct { int level; const char *sign, *op; } ops[] = {{0, "+", "add"}, {0, "-", "sub"}, {1, "*", "mul"}, {1, "/", "div"}, {1, "@", "matmul"}};
  ck_tensor *t = level < 2 ? infix(R, level + 1) : unary(R);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    const ck_tok *at = ck_cur(R);
    if (ops[i].level != level || !ck_accept(R, ops[i].sign)) continue;
    t = ck_call_op(R, ops[i].op, at, (ck_tensor *[]){t, infix(R, level + 1)}, 2, NULL, 0);
    i = (size_t)-1; /* from the first again */
  }
  return t;
}

static ck_tensor *expr(ck_reader *R) { return infix(R, 0); }

/* --- declarations */
/* the function `name` of integers at $i0, $i1, .. */
static ck_id element(ck_reader *R, const char *name, uint32_t rank, char sort) {
  char sig[CK_MAX_RANK + 3];
  ck_id ix[CK_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) sig[i] = 'i', ix[i] = ck_ix(R, 'i', i);
  memcpy(sig + rank, (char[]){':', sort, 0}, 3);
  return ck_ok(R, ck_app(R->T, name, sig, ix, rank));
}

static void state(ck_reader *R, const ck_tok *at, ck_id rel) {
  if (R->n_rels == CK_MAX_RELS) ck_die(R, R->f, at, "more than %d relations", CK_MAX_RELS);
  R->rel[R->n_rels].cand = R->side->cand;
  R->rel[R->n_rels++].rel = ck_ok(R, rel);
}

/* enters a size of the given program or of a muGraph; what it may be is for the caller to state */
static uint32_t new_size(ck_reader *R, const ck_tok *at, const char *name) {
  uint32_t i = R->n_sizes++;
  if (i == CK_MAX_SIZES) ck_die(R, R->f, at, "more than %d sizes", CK_MAX_SIZES);
  R->size[i].name = name, R->size[i].in_spec = !R->side->cand, R->size[i].in_cand = R->side->cand;
  R->size[i].var = ck_ok(R, ck_var(R->T, name, 'i'));
  return i;
}

static void declare_size(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  ck_side *s = R->side;
  const char *name = ck_new_name(R);
  long least = R->rule ? 0 : 1, value = 0;
  bool stated = false;
  if (ck_accept(R, ">=")) least = ck_small_int(R);
  if (ck_accept(R, "=")) value = ck_small_int(R), stated = true;
  if (stated && value < least) ck_die(R, R->f, at, "%s = %ld is less than its least value %ld", name, value, least);
  uint32_t i = 0;
  while (i < R->n_sizes && strcmp(R->size[i].name, name)) i++;
  if (ck_visible_size(R, name) != R->n_sizes || ck_find_tensor(s->tensor, s->n_tensors, name)) ck_die(R, R->f, at, "%s is already defined", name);
  if (i < R->n_sizes) { /* a candidate program names a size of the given one: it may not restrict it */
    if (least > R->size[i].least) ck_die(R, R->f, at, "the given program has %s >= %ld", name, R->size[i].least);
    if (stated && R->size[i].stated && value != R->size[i].value) ck_die(R, R->f, at, "the given program has %s = %ld", name, R->size[i].value);
    if (stated) R->size[i].stated = true, R->size[i].value = value;
    R->size[i].in_cand = true;
    return;
  }
  new_size(R, at, name);
  R->size[i].least = least, R->size[i].value = value, R->size[i].stated = stated;
  state(R, at, ck_mk2(R->T, least ? CK_LT : CK_LE, ck_int(R->T, 0), R->size[i].var));
  if (least > 1) state(R, at, ck_mk2(R->T, CK_LE, ck_int(R->T, least), R->size[i].var));
}

/* whether the polynomial of the relation still has a size that only the candidate declares */
static bool restrains_own(ck_reader *R, ck_id rel) {
  const ck_poly *p = ck_poly_val(R->T, rel);
  if (!p) ck_die_at(R, "size expression too large");
  for (uint32_t i = 0; i < ck_poly_len(p); i++) {
    ck_mono m = ck_poly_mono(p, i);
    for (uint32_t j = 0; j < m.deg; j++)
      for (uint32_t k = 0; k < R->n_sizes; k++) if (!R->size[k].in_spec && ck_has_var(R->T, m.atoms[j], R->size[k].var)) return true;
  }
  return false;
}

static void where(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  ck_id rel = ck_eval_rel(R, ck_parse_rel(R));
  if (ck_trivial(R, rel, NULL, 0)) return; /* holds anyway, or is already stated */
  if (ck_truth(R, rel) >= 0) ck_die(R, R->f, at, "this is false");
  if (R->side->cand && !restrains_own(R, rel)) ck_die(R, R->f, at, "a candidate cannot restrict the sizes of the given program");
  if (R->side->cand) R->restricted = true;
  state(R, at, rel);
}

/* the group of axes of that name, which is a size that no size expression can spell */
static const char *group_name(ck_reader *R) {
  char *name = ck_keep(R, CK_MAX_NAME + 3);
  return strcat(strcpy(name, ".."), ck_new_name(R));
}

static ck_id group(ck_reader *R) {
  const ck_tok *at = ck_cur(R);
  uint32_t i = ck_visible_size(R, group_name(R));
  if (i == R->n_sizes) ck_die(R, R->f, at, "no axes are called this");
  return R->size[i].var;
}

static uint32_t dims(ck_reader *R, ck_id dim[CK_MAX_RANK]) {
  uint32_t n = 0;
  ck_expect(R, "[");
  if (ck_accept(R, "]")) return 0;
  do {
    if (n == CK_MAX_RANK) ck_die_here(R, "more than %d axes", CK_MAX_RANK);
    dim[n++] = ck_accept(R, "..") ? group(R) : size(R);
  } while (ck_list_goes_on(R, "]"));
  return n;
}

static void input(ck_reader *R, const ck_side *spec) {
  const ck_tok *at = ck_cur(R);
  ck_side *s = R->side;
  ck_tensor *t = ck_keep(R, sizeof *t);
  t->name = fresh_name(R), ck_expect(R, ":");
  if (!ck_at(R, "f16") && !ck_at(R, "bf16") && !ck_at(R, "f32")) ck_die_here(R, "f16, bf16 or f32 expected");
  const char *dtype = ck_take(R);
  t->rank = dims(R, t->dim);
  if (s->n_inputs == CK_MAX_SIZES) ck_die(R, R->f, at, "more than %d inputs", CK_MAX_SIZES);
  t->elem = element(R, t->name, t->rank, 'r');
  if (spec) { /* the same input as the given program's */
    uint32_t k = 0;
    while (k < spec->n_inputs && strcmp(spec->input[k]->name, t->name)) k++;
    bool same = k < spec->n_inputs && !strcmp(spec->dtype[k], dtype) && spec->input[k]->rank == t->rank;
    for (uint32_t i = 0; same && i < t->rank; i++) same = ck_same(R, spec->input[k]->dim[i], t->dim[i]);
    if (!same) ck_die(R, R->f, at, "the given program has no input %s of this type and these extents", t->name);
  }
  for (uint32_t i = 0; i < t->rank; i++) ck_require_extent(R, t->dim[i]);
  s->dtype[s->n_inputs] = dtype;
  s->input[s->n_inputs++] = define(R, t->name, t, false);
}

static void add_output(ck_reader *R, const ck_tok *at, ck_tensor *t) {
  ck_side *s = R->side;
  if (s->n_outputs == CK_MAX_SIZES) ck_die(R, R->f, at, "more than %d outputs", CK_MAX_SIZES);
  if (ck_find_tensor(s->output, s->n_outputs, t->name)) ck_die(R, R->f, at, "%s is already an output", t->name);
  s->output[s->n_outputs++] = t;
}

/* --- block graphs */
static int grid_axis(const ck_reader *R) { return ck_at(R, "x") ? 0 : ck_at(R, "y") ? 1 : ck_at(R, "z") ? 2 : -1; }

static map read_map(ck_reader *R, const block *b, uint32_t rank, bool store) {
  map m = {{-1, -1, -1, -1}};
  while (ck_cur(R)->kind != CK_T_NL) {
    const ck_tok *at = ck_cur(R);
    int a = ck_at(R, "loop") ? 3 : grid_axis(R);
    if (a < 0 || (a == 3 && store)) ck_die_here(R, store ? "grid axis expected: x y z" : "grid axis or loop expected: x y z loop");
    if ((a == 3 ? b->loop : b->grid[a]) == CK_BAD) ck_die_here(R, "the kernel does not declare this");
    if (m.axis[a] >= 0) ck_die_here(R, "mapped twice");
    R->at++;
    ck_expect(R, "->");
    long axis = ck_small_int(R);
    if (axis >= (long)rank) ck_die(R, R->f, at, "the tensor has only %u axes", rank);
    for (int k = 0; k < 3; k++) if (a < 3 && m.axis[k] == axis) ck_die(R, R->f, at, "two grid axes on one axis of the tensor");
    m.axis[a] = (int)axis;
  }
  return m;
}

static ck_id block_var(ck_reader *R, int a) { return a == 3 ? ck_loop_var(R) : ck_ix(R, 'b', (uint32_t)a); }

static void load(ck_reader *R, const block *b) {
  ck_side *s = R->side;
  ck_tensor t = {0};
  ck_id ix[CK_MAX_RANK];
  const char *name = fresh_name(R);
  t.rank = dims(R, t.dim), ck_expect(R, "=");
  const ck_tok *at = ck_cur(R);
  const ck_tensor *x = tensor_named(R, s->tensor, s->n_tensors, "at kernel level");
  if (x->rank != t.rank) ck_die(R, R->f, at, "%s has %u axes, the tile %u", x->name, x->rank, t.rank);
  map m = read_map(R, b, t.rank, false);
  for (uint32_t d = 0; d < t.rank; d++) { /* index of the tile along d, and number of tiles */
    ck_id tile = ck_int(R->T, 0), tiles = ck_int(R->T, 1);
    for (int a = 0; a < 4; a++)
      if (m.axis[a] == (int)d) {
        ck_id n = a == 3 ? b->loop : b->grid[a];
        tile = ck_plus(R, ck_times(R, tile, n), block_var(R, a)), tiles = ck_times(R, tiles, n);
      }
    ck_require_extent(R, t.dim[d]);
    ck_require_eq(R, x->dim[d], ck_times(R, tiles, t.dim[d]));
    ix[d] = ck_ix(R, 'i', d);
    if (!ck_is_one(R, tiles) || ck_head(R->T, tile) != CK_Q) ix[d] = ck_plus(R, ck_times(R, tile, t.dim[d]), ix[d]);
  }
  t.elem = ck_at_index(R, x, ix);
  t.varying = m.axis[3] >= 0;
  define(R, name, &t, true);
}

static void store(ck_reader *R, const block *b, ck_tensor **stored, uint32_t *n_stored) {
  ck_tensor z = {0};
  ck_id var[CK_MAX_RANK + 3], val[CK_MAX_RANK + 3];
  uint32_t n = 0;
  const char *name = fresh_name(R);
  if (ck_find_tensor(stored, *n_stored, name)) ck_die_here(R, "%s is already stored", name);
  z.rank = dims(R, z.dim), ck_expect(R, "=");
  const ck_tok *at = ck_cur(R);
  const ck_tensor *t = block_tensor(R);
  if (t->varying || t->running) ck_die(R, R->f, at, "%s differs between iterations and cannot be stored", t->name);
  if (t->rank != z.rank) ck_die(R, R->f, at, "%s has %u axes, the tile %u", t->name, t->rank, z.rank);
  map m = read_map(R, b, z.rank, true);
  for (uint32_t d = 0; d < z.rank; d++) ck_require_eq(R, t->dim[d], z.dim[d]);
  for (int a = 0; a < 3; a++) {
    if (b->grid[a] == CK_BAD) continue;
    if (m.axis[a] < 0) ck_die(R, R->f, at, "every grid axis must be mapped: else several blocks write the same elements");
    uint32_t d = (uint32_t)m.axis[a];
    ck_id i = ck_ix(R, 'i', d), tile = z.dim[d];
    var[n] = block_var(R, a), val[n++] = ck_divmod(R, CK_DIV, i, tile);
    var[n] = i, val[n++] = ck_divmod(R, CK_MOD, i, tile);
    ck_require(R, ck_two(R, CK_LT, ck_int(R->T, 0), tile));
    z.dim[d] = ck_times(R, b->grid[a], tile);
  }
  z.elem = ck_ok(R, ck_sub(R->T, t->elem, var, val, n, NULL, 0));
  for (int a = 0; a < 4; a++)
    if (ck_has_var(R->T, z.elem, block_var(R, a))) ck_die(R, R->f, at, "%s depends on a block or an iteration", t->name);
  ck_tensor *u = ck_keep(R, sizeof *u);
  *u = z, u->name = name;
  if (*n_stored == CK_MAX_SIZES) ck_die(R, R->f, at, "more than %d stores", CK_MAX_SIZES);
  stored[(*n_stored)++] = u;
}

typedef struct { const ck_tensor *of; ck_id args; } reading; /* args: the node of the reading */

/* the running maxima that an element term reads: a reading of $runK is an application of that name, which accumulators replace */
static uint32_t readings(ck_reader *R, ck_id t, reading *out, uint32_t max) {
  ck_side *s = R->side;
  uint32_t n = 0, top = 0;
  size_t size = ck_size(R->T);
  unsigned char *seen = calloc(size, 1);
  ck_id *stack = malloc(size * sizeof *stack);
  if (!seen || !stack) abort();
  for (stack[top++] = t, seen[t] = 1; top;) {
    ck_id u = stack[--top];
    for (uint32_t i = 0; ck_head(R->T, u) == CK_APP && i < s->n_block && n < max; i++)
      if (s->block[i]->running && ck_name(R->T, s->block[i]->elem) == ck_name(R->T, u)) out[n++] = (reading){s->block[i], u};
    for (uint32_t i = ck_nkids(R->T, u); i-- > 0;) {
      ck_id k = ck_kid(R->T, u, i);
      if (!seen[k]) seen[k] = 1, stack[top++] = k;
    }
  }
  free(seen), free(stack);
  return n;
}

/* fold over the loop: state 0 the sum, then the running maxima that the argument (and the rescaling) reads */
static ck_id sum_fold(ck_reader *R, const block *b, const ck_tok *at, const ck_tensor *t, const ck_tensor *scale) {
  ck_terms *T = R->T;
  enum { MAX = 4 };
  reading r[MAX + 1];
  ck_fsub fs[MAX];
  ck_id kid[1 + 2 * (MAX + 1)], step[MAX + 1], var[MAX + 2], now[MAX], param[CK_MAX_RANK], l = ck_loop_var(R), zero = ck_int(T, 0);
  uint32_t n = 0;
  if (scale) r[n++] = (reading){scale, scale->elem};
  n += readings(R, t->elem, r + n, MAX);
  for (uint32_t i = 0; i < CK_MAX_RANK; i++) param[i] = ck_ix(R, 'p', i);
  if (scale) /* it may be among the others */
    for (uint32_t i = 1; i < n; i++)
      if (r[i].args == r[0].args) { r[i] = r[--n]; break; }
  if (n > MAX - 1) ck_die(R, R->f, at, "reads more than %d running maxima", MAX - 2);
  var[0] = l, var[1] = ck_var(T, "$s", 'r');
  for (uint32_t i = 0; i < n; i++) {
    char name[16];
    ck_id ix[CK_MAX_RANK], run = r[i].args;
    for (uint32_t j = 0; j < i; j++)
      if (r[j].of == r[i].of) ck_die(R, R->f, at, "the running maximum %s is read at two places", r[i].of->name);
    if (!ck_is_closed(T, run)) ck_die(R, R->f, at, "the running maximum %s is read within a reduction over its axes", r[i].of->name);
    for (uint32_t j = 0; j < r[i].of->rank; j++) ix[j] = ck_kid(T, run, j);
    ck_tensor arg = {.rank = r[i].of->rank, .elem = r[i].of->run_arg};
    ck_id x = ck_at_index(R, &arg, ix);
    snprintf(name, sizeof name, "$s%u", (unsigned)i + 1);
    var[2 + i] = ck_ok(R, ck_var(T, name, 'r'));
    step[1 + i] = now[i] = ck_larger(R, var[2 + i], x);
    kid[2 + i] = ck_put(R, x, l, zero);
    fs[i] = (ck_fsub){ck_name(T, run), ck_sig(T, run), param, arg.rank, now[i]};
  }
  ck_id x = n ? ck_ok(R, ck_sub(T, t->elem, NULL, NULL, 0, fs, n)) : t->elem, old = var[1];
  if (scale) {
    ck_id d = ck_ok(R, ck_mk2(T, CK_ADD, var[2], ck_two(R, CK_MUL, ck_int(T, -1), now[0])));
    old = ck_ok(R, ck_mk2(T, CK_MUL, old, ck_ok(R, ck_mk1(T, CK_EXP, d))));
  }
  step[0] = ck_two(R, CK_ADD, old, x);
  kid[0] = b->loop, kid[1] = zero;
  for (uint32_t i = 0; i <= n; i++) kid[2 + n + i] = ck_ok(R, ck_close(T, step[i], var, n + 2));
  return ck_ok(R, ck_fold(T, 0, n + 1, kid));
}

static ck_id max_fold(ck_reader *R, const block *b, const ck_tensor *t) {
  ck_id l = ck_loop_var(R), s = ck_var(R->T, "$s", 'r'), zero = ck_int(R->T, 0);
  ck_require(R, ck_two(R, CK_LT, zero, b->loop));
  return ck_fold1(R, l, b->loop, s, ck_put(R, t->elem, l, zero), ck_larger(R, s, t->elem));
}

static void accumulate(ck_reader *R, const block *b) {
  const ck_tok *first = ck_cur(R);
  reading one;
  if (b->loop == CK_BAD) ck_die_here(R, "accumulators need a loop");
  const char *name = fresh_name(R), *run = ck_accept(R, ",") ? fresh_name(R) : NULL;
  if (run && !strcmp(run, name)) ck_die(R, R->f, first, "one name for two tensors");
  ck_expect(R, "=");
  bool max = ck_at(R, "max"), concat = ck_at(R, "concat");
  if ((!max && !concat && !ck_at(R, "sum")) || (run && !max)) ck_die_here(R, run ? "'max' expected" : "sum, max or concat expected");
  R->at++;
  const ck_tok *at = ck_cur(R);
  const ck_tensor *t = block_tensor(R), *scale = NULL;
  if (t->after) ck_die(R, R->f, at, "%s needs the end of the loop", t->name);
  if (t->running || ((max || concat) && readings(R, t->elem, &one, 1))) ck_die(R, R->f, at, "%s reads a running maximum", t->name);
  ck_tensor a = *t;
  a.varying = false, a.after = true;
  if (!max && !concat && ck_accept(R, "rescale")) {
    at = ck_cur(R), scale = block_tensor(R);
    if (!scale->running) ck_die(R, R->f, at, "%s is not a running maximum", scale->name);
    if (scale->rank > t->rank) ck_die(R, R->f, at, "%s has more axes than the sum", scale->name);
    for (uint32_t i = 0; i < scale->rank; i++) ck_require_eq(R, scale->dim[i], t->dim[i]);
  }
  if (max) a.elem = max_fold(R, b, t);
  else if (!concat) a.elem = sum_fold(R, b, at, t, scale);
  else {
    ck_expect(R, "axis");
    long d = ck_small_int(R);
    if (d >= (long)t->rank) ck_die(R, R->f, at, "the tensor has only %u axes", t->rank);
    ck_id i = ck_ix(R, 'i', (uint32_t)d), s = t->dim[d], var[2] = {ck_loop_var(R), i};
    ck_id val[2] = {ck_divmod(R, CK_DIV, i, s), ck_divmod(R, CK_MOD, i, s)};
    ck_require(R, ck_two(R, CK_LT, ck_int(R->T, 0), s));
    a.elem = ck_ok(R, ck_sub(R->T, t->elem, var, val, 2, NULL, 0));
    a.dim[d] = ck_times(R, b->loop, s);
  }
  define(R, name, &a, true);
  if (run) {
    ck_tensor m = *t;
    char app[24];
    snprintf(app, sizeof app, "$run%u", (unsigned)R->side->n_block);
    m.run_arg = t->elem, m.elem = element(R, app, m.rank, 'r'), m.running = m.varying = true;
    define(R, run, &m, true);
  }
}

static void kernel(ck_reader *R) {
  ck_side *s = R->side;
  block b = {{CK_BAD, CK_BAD, CK_BAD}, CK_BAD};
  ck_tensor *stored[CK_MAX_SIZES];
  uint32_t n_stored = 0;
  ck_new_name(R), ck_newline(R);
  if (ck_accept(R, "grid")) {
    do {
      int a = grid_axis(R);
      if (a < 0 || b.grid[a] != CK_BAD) ck_die_here(R, a < 0 ? "grid axis expected: x y z" : "declared twice");
      R->at++;
      ck_expect(R, "=");
      ck_require_extent(R, b.grid[a] = size(R));
    } while (ck_accept(R, ","));
    ck_newline(R);
  }
  if (ck_accept(R, "loop")) { definition(R); ck_require_extent(R, b.loop = size(R)); ck_newline(R); }
  s->in_block = true, s->n_block = 0;
  while (!ck_accept(R, "end")) {
    R->at_tok = ck_cur(R);
    if (ck_accept(R, "load")) load(R, &b);
    else if (ck_accept(R, "acc")) accumulate(R, &b);
    else if (ck_accept(R, "store")) store(R, &b, stored, &n_stored);
    else {
      const ck_tok *at = ck_cur(R);
      const char *name = definition(R);
      ck_tensor t = *expr(R);
      if (t.varying && t.after) ck_die(R, R->f, at, "%s mixes a tensor that differs between iterations with a finished accumulator", name);
      if (t.running) ck_die(R, R->f, at, "a second name for a running maximum");
      define(R, name, &t, true);
    }
    ck_newline(R);
  }
  if (!n_stored) ck_die_here(R, "the kernel stores nothing");
  s->in_block = false, s->n_block = 0;
  for (uint32_t i = 0; i < n_stored; i++) define(R, stored[i]->name, stored[i], false); /* other blocks see them only when all is done */
}

/* --- files */
/* of a program, and at kernel level of a muGraph */
static void statement(ck_reader *R, const ck_side *spec) {
  ck_side *s = R->side;
  if (!R->rule && ck_accept(R, s->mug ? "kernel" : "input")) {
    if (s->mug) kernel(R);
    else input(R, spec);
    return;
  }
  bool out = !s->mug && ck_accept(R, "output");
  const ck_tok *at = ck_cur(R);
  if (out && ck_peek(R, 1)->kind == CK_T_NL) {
    add_output(R, at, tensor_named(R, s->tensor, s->n_tensors, "here"));
    return;
  }
  const char *name = definition(R);
  ck_tensor *t = define(R, name, expr(R), false);
  if (out) add_output(R, at, t);
}

static void begin(ck_reader *R, ck_side *s) {
  R->f = s->f, R->at = 0, R->depth = 0, R->side = s, R->at_file = s->f;
  s->tensor = ck_keep(R, CK_MAX_TENSORS * sizeof *s->tensor);
  s->block = ck_keep(R, CK_MAX_TENSORS * sizeof *s->block);
  s->oblig = ck_keep(R, CK_MAX_OBLIGATIONS * sizeof *s->oblig);
}

/* --- rules */
static void rule_names(ck_reader *R, bool axes) { /* axes, or any integers */
  do {
    const ck_tok *at = ck_cur(R);
    const char *name = axes ? group_name(R) : fresh_name(R);
    if (axes && ck_visible_size(R, name) != R->n_sizes) ck_die(R, R->f, at, "%s is already defined", name);
    uint32_t i = new_size(R, at, name);
    R->size[i].least = axes ? 0 : -1;
    if (axes) state(R, at, ck_mk2(R->T, CK_LE, ck_int(R->T, 0), R->size[i].var));
  } while (ck_accept(R, ","));
}

/* a truth value is 0 or 1: the element at which the input is 0, and any other */
static void rule_tensors(ck_reader *R) {
  ck_side *s = R->side;
  do {
    const ck_tok *at = ck_cur(R);
    ck_tensor t = {.name = fresh_name(R)};
    t.rank = dims(R, t.dim);
    bool truth = ck_accept(R, "bool");
    if (s->n_inputs == CK_MAX_SIZES) ck_die(R, R->f, at, "more than %d tensors", CK_MAX_SIZES);
    t.elem = element(R, t.name, t.rank, !truth && ck_accept(R, "int") ? 'i' : 'r');
    if (truth) t.elem = ck_ok(R, ck_ite(R->T, ck_two(R, CK_EQ, t.elem, ck_int(R->T, 0)), ck_int(R->T, 0), ck_int(R->T, 1)));
    for (uint32_t i = 0; i < t.rank; i++) ck_require_extent(R, t.dim[i]);
    s->input[s->n_inputs++] = define(R, t.name, &t, false);
  } while (ck_accept(R, ","));
}

/* e1 rel e2, of every element: an obligation of the given side, hence a hypothesis */
static void assume(ck_reader *R) {
  static const struct { const char *sign; ck_op op; bool swap; } rels[] = {
      {"=", CK_EQ, 0}, {"!=", CK_NE, 0}, {"<", CK_LT, 0}, {"<=", CK_LE, 0}, {">", CK_LT, 1}, {">=", CK_LE, 1}};
  const ck_tok *at = ck_cur(R);
  ck_tensor *t[2];
  t[0] = expr(R);
  size_t i = 0, n = sizeof rels / sizeof *rels;
  while (i < n && !ck_accept(R, rels[i].sign)) i++;
  if (i == n) ck_die_here(R, "relation expected: = != < <= > >=");
  t[1] = expr(R);
  const ck_tensor *d = ck_call_op(R, "sub", at, (ck_tensor *[]){t[!rels[i].swap], t[rels[i].swap]}, 2, NULL, 0); /* the larger side less the other */
  ck_require_all(R, d, ck_two(R, rels[i].op, ck_int(R->T, 0), d->elem));
}

static void side_of_rule(ck_reader *R, ck_side *s) {
  R->side = s;
  if (ck_cur(R)->kind != CK_T_NL) add_output(R, ck_cur(R), define(R, "out", expr(R), false)), ck_newline(R);
  else
    for (R->at++; !ck_at(R, "rhs") && !ck_at(R, "expect") && !ck_rule_ends(R); ck_newline(R)) R->at_tok = ck_cur(R), statement(R, NULL);
  if (!s->n_outputs) ck_die_here(R, "this side has no output");
}

uint32_t ck_read_rule(ck_reader *R, ck_side *given, ck_side *lhs, ck_side *rhs) {
  ck_side *other = lhs == given ? rhs : lhs;
  begin(R, other), begin(R, given);
  if (!R->rule_at) ck_die(R, R->f, NULL, "there is no rule %s", R->rule);
  R->at = R->rule_at + 1;
  for (ck_newline(R); !ck_at(R, "lhs"); ck_newline(R)) {
    R->at_tok = ck_cur(R);
    if (ck_accept(R, "ints")) rule_names(R, false);
    else if (ck_accept(R, "axes")) rule_names(R, true);
    else if (ck_accept(R, "tensor")) rule_tensors(R);
    else {
      bool sizes = ck_accept(R, "sizes"), assumed = !sizes && ck_accept(R, "assume");
      if (!sizes && !assumed && !ck_accept(R, "where")) ck_die_here(R, "sizes, ints, axes, tensor, where, assume or lhs expected");
      do sizes ? declare_size(R) : assumed ? assume(R) : where(R);
      while (ck_accept(R, ","));
    }
  }
  for (uint32_t i = 0; i < given->n_inputs; i++) other->tensor[other->n_tensors++] = given->input[i];
  ck_expect(R, "lhs"), side_of_rule(R, lhs);
  ck_expect(R, "rhs"), side_of_rule(R, rhs);
  if (ck_accept(R, "expect")) {
    if (!ck_accept(R, "proved") && !ck_accept(R, "refuted") && !ck_accept(R, "unknown")) ck_expect(R, "vacuous");
    ck_newline(R);
  }
  if (!ck_rule_ends(R)) ck_die_here(R, "'rule', 'op' or 'func' expected");
  const ck_tok *last = ck_cur(R) - 2;
  return last->off + last->len;
}

void ck_read_graph(ck_reader *R, ck_side *s, const ck_side *spec) {
  begin(R, s);
  for (; ck_accept(R, "use"); ck_newline(R)) R->at++; /* ck_claim.c has read it */
  s->mug = s->cand && ck_at(R, "mugraph");
  ck_expect(R, s->mug ? "mugraph" : "program");
  s->name = ck_new_name(R), ck_newline(R);
  if (s->mug) for (uint32_t i = 0; i < spec->n_inputs; i++) s->tensor[s->n_tensors++] = spec->input[i];
  bool head = true;
  while (ck_cur(R)->kind != CK_T_END) {
    R->at_tok = ck_cur(R);
    bool sizes = ck_at(R, "sizes");
    head = head && (sizes || ck_at(R, "where"));
    if ((head || !s->mug) && (ck_accept(R, "sizes") || ck_accept(R, "where"))) {
      do sizes ? declare_size(R) : where(R);
      while (ck_accept(R, ","));
    } else statement(R, spec);
    ck_newline(R);
  }
  if (!s->mug && !s->n_outputs) ck_die_here(R, "the program has no output");
  if (!s->mug && spec && s->n_inputs != spec->n_inputs) ck_die_here(R, "the given program has %u inputs, this one %u", spec->n_inputs, s->n_inputs);
  for (uint32_t i = 0; s->mug && i < spec->n_outputs; i++) {
    ck_tensor *t = ck_find_tensor(s->tensor, s->n_tensors, spec->output[i]->name);
    if (!t) ck_die_here(R, "the output %s is not defined", spec->output[i]->name);
    s->output[s->n_outputs++] = t;
  }
}

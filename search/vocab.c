/* The operators worth trying: the program's own, the same along other axes, those of the library
 * with a simple body; each function once, under whatever name.  For one plan, those among them
 * whose results can be parts of the program's expressions. */
#include "sg_space.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* an integer attribute has one form, the one that graphs keep */
static void settle(as_attr *attr, as_sizes *sizes) {
  if (attr->is_size || mpz_cmp_ui(mpq_denref(attr->num), 1) ||
      !mpz_fits_slong_p(mpq_numref(attr->num)))
    return;
  attr->is_size = true;
  attr->size = as_size_int(sizes, mpz_get_si(mpq_numref(attr->num)));
}

static int operand_named(const as_opdef *op, const char *name) {
  return !strcmp(op->arg[0].name, name) ? 0 : !strcmp(op->arg[1].name, name) ? 1 : -1;
}

/* Signs of the operands and of their product in a sum of these, each once; false: the body is no
 * such sum. */
static bool find_signs(sg_inst *inst, const as_expr *body, int8_t sign) {
  if (body->kind == AS_E_NEG)
    return find_signs(inst, body->kid[0], (int8_t)-sign);
  if (body->kind == AS_E_ADD || body->kind == AS_E_SUB) {
    int8_t other = body->kind == AS_E_ADD ? sign : (int8_t)-sign;
    return find_signs(inst, body->kid[0], sign) && find_signs(inst, body->kid[1], other);
  }
  int which = body->kind == AS_E_ACCESS ? operand_named(inst->op, body->name) : -1;
  if (body->kind == AS_E_MUL && body->kid[0]->kind == AS_E_ACCESS &&
      body->kid[1]->kind == AS_E_ACCESS && strcmp(body->kid[0]->name, body->kid[1]->name) != 0)
    which = 2;
  if (which < 0 || inst->sign[which])
    return false;
  inst->sign[which] = sign;
  return true;
}

bool sg_op_commutes(const as_opdef *op) {
  if (!sg_op_broadcasts(op) || op->nargs != 2 || op->nlet != 1)
    return false;
  const as_expr *body = op->let[0].body;
  bool symmetric = body->kind == AS_E_ADD || body->kind == AS_E_MUL || body->kind == AS_E_MAX2 ||
                   body->kind == AS_E_MIN2;
  return symmetric && body->kid[0]->kind == AS_E_ACCESS && body->kid[1]->kind == AS_E_ACCESS &&
         strcmp(body->kid[0]->name, body->kid[1]->name) != 0;
}

static void inst_set(sg_inst *inst, const as_opdef *op, const as_attr *attr) {
  memset(inst, 0, sizeof *inst);
  inst->op = op;
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++) {
    as_attr_init(&inst->attr[i]);
    if (i < op->nattrs)
      as_attr_set(&inst->attr[i], &attr[i]);
  }
  inst->pointwise = sg_op_is_pointwise(op);
  inst->broadcasts = sg_op_broadcasts(op);
  const as_expr *body = op->let[op->nlet - 1].body;
  inst->commutes = sg_op_commutes(op);
  const as_expr *term = body->kind == AS_E_SUM ? body->kid[1] : body;
  bool arithmetic = term->kind == AS_E_ADD || term->kind == AS_E_SUB || term->kind == AS_E_MUL ||
                    term->kind == AS_E_FDIV;
  if (op->nargs == 2 && op->nlet == 1 && arithmetic && term->kid[0]->kind == AS_E_ACCESS &&
      term->kid[1]->kind == AS_E_ACCESS && strcmp(term->kid[0]->name, term->kid[1]->name)) {
    inst->adds = term->kind == AS_E_ADD || term->kind == AS_E_SUB;
    inst->linear = inst->adds || term->kind == AS_E_MUL;
    inst->divides = term->kind == AS_E_FDIV && !strcmp(term->kid[0]->name, op->arg[0].name);
    inst->summed = body->kind == AS_E_SUM;
  }
  if (op->nargs != 2 || op->nlet != 1 || !find_signs(inst, body, 1) || !inst->sign[1])
    inst->sign[0] = 0;
}

bool sg_attr_same(const as_attr *left, const as_attr *right) {
  return left->is_size == right->is_size &&
         (left->is_size ? left->size == right->size : mpq_equal(left->num, right->num) != 0);
}

/* the same function under two names, as `mul` and `logical_and` are */
static bool is_synonym(const as_opdef *one, const as_opdef *other) {
  return strcmp(one->sha256_unnamed, other->sha256_unnamed) == 0;
}

static void vocab_add(sg_vocab *vocab, const as_opdef *op, as_attr *attr, as_sizes *sizes) {
  for (uint32_t j = 0; j < op->nattrs; j++)
    settle(&attr[j], sizes);
  for (uint32_t i = 0; i < vocab->n; i++) {
    uint32_t j = 0;
    if (vocab->inst[i].op != op && !is_synonym(vocab->inst[i].op, op))
      continue;
    while (j < op->nattrs && sg_attr_same(&vocab->inst[i].attr[j], &attr[j]))
      j++;
    if (j == op->nattrs)
      return;
  }
  vocab->inst = as_realloc(vocab->inst, (vocab->n + 1) * sizeof *vocab->inst);
  inst_set(&vocab->inst[vocab->n++], op, attr);
}

/* an attribute that counts axes in a pattern */
static bool counts_axes(const as_opdef *op, uint32_t attr) {
  for (uint32_t i = 0; i < op->nargs; i++) {
    for (uint32_t j = 0; j < op->arg[i].n; j++) {
      const as_expr *count = op->arg[i].dim[j].count;
      if (count && count->kind == AS_E_NAME && !strcmp(count->name, op->attr[attr]))
        return true;
    }
  }
  return false;
}

/* all axes for the attributes that count axes (negative: from the end) */
static void add_axes(sg_vocab *vocab, const as_opdef *op, as_attr *attr, uint32_t at,
                     uint32_t max_rank, as_sizes *sizes) {
  while (at < op->nattrs && !counts_axes(op, at))
    at++;
  if (at >= op->nattrs) {
    vocab_add(vocab, op, attr, sizes);
    return;
  }
  for (long axis = -1; axis >= -(long)max_rank; axis--) {
    attr[at].is_size = true;
    attr[at].size = as_size_int(sizes, axis);
    add_axes(vocab, op, attr, at + 1, max_rank, sizes);
  }
}

static bool only_moves(const as_opdef *op) {
  const as_expr *body = op->let[op->nlet - 1].body;
  return body->kind == AS_E_ACCESS || body->kind == AS_E_IF || body->kind == AS_E_NUM;
}

/* A sum of both operands and of their product, as `logical_or` is: exact of truths alone, so that
 * of other numbers it costs digits that no operation of its own would.  Left to programs that
 * call it. */
static bool sums_and_multiplies(const as_opdef *op) {
  sg_inst inst = {.op = op};
  return op->nargs == 2 && op->nlet == 1 && find_signs(&inst, op->let[0].body, 1) && inst.sign[1] &&
         inst.sign[2];
}

void sg_vocab_init(sg_vocab *vocab, const sg_part *part) {
  memset(vocab, 0, sizeof *vocab);
  for (uint32_t i = part->n_leaf; i < part->n;
       i++) { /* the program's own calls first, as they are written */
    const as_node *node = &part->g->node[part->tensor[i]];
    as_attr attr[AS_MAX_ATTRS];
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++) {
      as_attr_init(&attr[j]);
      as_attr_set(&attr[j], &node->attr[j]);
    }
    vocab_add(vocab, node->op, attr, part->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
  uint32_t own = vocab->n;
  for (uint32_t i = 0; i < own;
       i++) { /* the same operators along other axes (attributes as called) */
    as_attr attr[AS_MAX_ATTRS];
    const as_opdef *op = vocab->inst[i].op;
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++) {
      as_attr_init(&attr[j]);
      as_attr_set(&attr[j], &vocab->inst[i].attr[j]);
    }
    if (!only_moves(op))
      add_axes(vocab, op, attr, 0, part->max_rank, part->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
  for (uint32_t i = 0; i < as_oplib_count(part->g->lib); i++) {
    const as_opdef *op = as_oplib_nth(part->g->lib, i);
    as_attr attr[AS_MAX_ATTRS];
    bool known = as_oplib_knows(part->g->lib, op) && op->nargs >= 1 && op->nargs <= 2 &&
                 op->nlet == 1 && !op->nreq && !only_moves(op) && !sums_and_multiplies(op);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_init(&attr[j]);
    for (uint32_t j = 0; j < op->nattrs; j++) {
      if (op->attr_has_default[j])
        as_attr_set(&attr[j], &op->attr_default[j]);
      else if (!counts_axes(op, j))
        known = false;
    }
    if (known)
      add_axes(vocab, op, attr, 0, part->max_rank, part->g->sizes);
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&attr[j]);
  }
}

void sg_vocab_clear(sg_vocab *vocab) {
  for (uint32_t i = 0; i < vocab->n; i++) {
    for (uint32_t j = 0; j < AS_MAX_ATTRS; j++)
      as_attr_clear(&vocab->inst[i].attr[j]);
  }
  free(vocab->inst);
  memset(vocab, 0, sizeof *vocab);
}

enum { MOST_FACTORS = 24 }; /* of a monomial: abstract_store.h */

/* --- which of them can make parts of the program's expressions */
typedef struct {
  const ax_id *expr;
  uint32_t n;
} target_list;

static bool knows(const ax_store *store, const target_list *targets, ax_kind kind,
                  const char *head) {
  for (uint32_t i = 0; i < targets->n; i++) {
    ax_id of = targets->expr[i];
    for (uint32_t term = 0; term < ax_n_terms(store, of); term++) {
      ax_factor factors[MOST_FACTORS];
      int64_t num;
      int64_t den;
      uint32_t n = ax_term(store, of, term, &num, &den, factors, MOST_FACTORS);
      for (uint32_t k = 0; k < n; k++) {
        if (factors[k].kind == kind && (head == NULL || strcmp(factors[k].head, head) == 0))
          return true;
      }
    }
  }
  return false;
}

/* Whether every function that the body applies occurs in the program's expressions: an expression
 * with another is a part of none, since functions do not vanish again except by cancelling. */
static bool is_known_body(const ax_store *store, const target_list *targets, const as_expr *body) {
  const char *head = sg_opaque_head(body);
  bool known = true;
  if (head)
    known = knows(store, targets, AX_OPAQUE, head);
  else if (body->kind == AS_E_EXP)
    known = knows(store, targets, AX_EXP, NULL);
  else if (body->kind == AS_E_LOG)
    known = knows(store, targets, AX_LOG, NULL);
  else if (body->kind == AS_E_SQRT)
    known = knows(store, targets, AX_SQRT, NULL);
  else if (body->kind == AS_E_MAXR)
    known = knows(store, targets, AX_MAXR, NULL);
  else if (body->kind == AS_E_MINR)
    known = knows(store, targets, AX_MINR, NULL);
  for (uint32_t i = 0; i < body->n && known; i++) {
    if (body->kid[i] && body->kind != AS_E_ACCESS)
      known = is_known_body(store, targets, body->kid[i]);
  }
  return known;
}

bool *sg_vocab_usable(const sg_vocab *vocab, const ax_store *store, const ax_id *target,
                      uint32_t n_target) {
  bool *usable = as_calloc(vocab->n + 1, sizeof *usable);
  target_list targets = {target, n_target};
  for (uint32_t i = 0; i < vocab->n; i++) {
    const as_opdef *op = vocab->inst[i].op;
    usable[i] = true;
    for (uint32_t k = 0; k < op->nlet && usable[i]; k++)
      usable[i] = is_known_body(store, &targets, op->let[k].body);
  }
  return usable;
}

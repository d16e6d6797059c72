/* Compiles one operator's body at concrete sizes: names become slots, sizes and attributes their
 * values. */
#include "eval_code.h"
#include <stdlib.h>
#include <string.h>

#define MAX_FUNC_DEPTH 32

typedef struct scope {
  const char *name;
  uint32_t slot;
  uint32_t n;
  bool list;
  as_size dim[AS_MAX_RANK];
  struct scope *up;
} scope;

enum { MOST_INDICES = 4 * AS_MAX_RANK }; /* of one access, as lists are written out */

typedef struct {
  as_opcode *opcode;
  as_sizes *sizes;
  const int64_t *env;
  const as_attr *attr;
  as_match match;
  as_err *err;
  const as_size (*adim)[AS_MAX_RANK];
  const uint32_t *arank;
  uint32_t nargs;
  scope *scopes;
  const as_func *func;
  void **param;
  uint32_t depth; /* inside a function's definition */
  bool in_index;  /* of an access: elements of tensors may stand for integers */
  bool met_data;  /* one did */
} op_compiler;

static bool bad(op_compiler *compiler, const as_expr *expr, const char *what, const char *name) {
  return as_err_set(compiler->err, AS_BAD_INPUT, "%s:%d:%d: operator %s: %s%s%s",
                    compiler->opcode->op->file ? compiler->opcode->op->file : "?",
                    expr ? expr->line : compiler->opcode->op->line, expr ? expr->col : 1,
                    compiler->opcode->op->name, what, name ? " " : "", name ? name : "");
}

static void *elem(op_compiler *compiler) {
  void *x = as_arena_alloc(compiler->opcode->mem, compiler->opcode->domain->size);
  compiler->opcode->domain->init(compiler->opcode->domain, x);
  *(void **)as_vec_push(&compiler->opcode->elems, NULL) = x;
  return x;
}

static scope *bind(op_compiler *compiler, const char *name, uint32_t n, bool list) {
  scope *inner = as_arena_alloc(compiler->opcode->mem, sizeof *inner);
  *inner = (scope){
      .name = name, .slot = compiler->opcode->nslots, .n = n, .list = list, .up = compiler->scopes};
  compiler->opcode->nslots += n;
  return compiler->scopes = inner;
}

static const scope *find(const op_compiler *compiler, const char *name, bool list) {
  for (const scope *inner = compiler->scopes; inner; inner = inner->up) {
    if (inner->list == list && !strcmp(inner->name, name))
      return inner;
  }
  return NULL;
}

static const as_bind_list *find_list(const op_compiler *compiler, const char *name) {
  for (uint32_t i = 0; i < compiler->match.nlist; i++) {
    if (!strcmp(compiler->match.list[i].name, name))
      return &compiler->match.list[i];
  }
  return NULL;
}

/* value of a name that stands for an integer: 0 unknown, 1 slot, 2 constant, 3 a rational attribute
 * (index in *v) */
static int find_int(const op_compiler *compiler, const char *name, uint32_t *slot, int64_t *value) {
  const scope *inner = find(compiler, name, false);
  if (inner) {
    *slot = inner->slot;
    return 1;
  }
  for (uint32_t i = 0; i < compiler->match.nsize; i++) {
    if (!strcmp(compiler->match.size[i].name, name)) {
      *value = as_size_eval(compiler->sizes, compiler->match.size[i].size, compiler->env);
      return 2;
    }
  }
  for (uint32_t i = 0; i < compiler->opcode->op->nattrs; i++) {
    if (!strcmp(compiler->opcode->op->attr[i], name)) {
      if (compiler->attr[i].is_size) {
        *value = as_size_eval(compiler->sizes, compiler->attr[i].size, compiler->env);
        return 2;
      }
      *value = i;
      return 3;
    }
  }
  return 0;
}

static bool small_int(mpq_srcptr value) {
  return !mpz_cmp_ui(mpq_denref(value), 1) && mpz_fits_slong_p(mpq_numref(value));
}

static bool is_int(const op_compiler *compiler, const as_expr *expr) {
  uint32_t s;
  int64_t value;
  switch (expr->kind) {
  case AS_E_NUM:
    return small_int(expr->num);
  case AS_E_NAME: {
    if (compiler->func)
      return false;
    int k = find_int(compiler, expr->name, &s, &value);
    return k == 1 || k == 2 || (k == 3 && small_int(compiler->attr[value].num));
  }
  case AS_E_IF:
    return is_int(compiler, expr->kid[1]) && is_int(compiler, expr->kid[2]);
  case AS_E_ACCESS:
    return compiler->in_index;
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_NEG:
  case AS_E_IDIV:
  case AS_E_MOD:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_ABS:
    for (uint32_t i = 0; i < expr->n; i++) {
      if (!is_int(compiler, expr->kid[i]))
        return false;
    }
    return true;
  default:
    return false;
  }
}

static const cond *comp_cond(op_compiler *c, const as_expr *e);
static code *comp(op_compiler *c, const as_expr *e);

static const icode *comp_int(op_compiler *compiler, const as_expr *expr);

/* a bound index, or a size or attribute, whose value is known by now */
static bool comp_int_name(op_compiler *compiler, const as_expr *expr, icode *made) {
  int k = find_int(compiler, expr->name, &made->slot, &made->value);
  made->kind = k == 1 ? I_SLOT : I_CONST;
  if (k == 3)
    made->value = mpz_get_si(mpq_numref(compiler->attr[made->value].num));
  if (k == 2 && made->value == INT64_MIN) {
    return as_err_set(compiler->err, AS_NO, "operator %s: `%s` has no value at these sizes",
                      compiler->opcode->op->name, expr->name);
  }
  return true;
}

/* an element of a tensor, whose own indices are no index any more */
static bool comp_int_data(op_compiler *compiler, const as_expr *expr, icode *made) {
  made->kind = I_DATA;
  made->element = elem(compiler);
  compiler->in_index = false;
  made->data = comp(compiler, expr);
  compiler->in_index = compiler->met_data = true;
  return made->data != NULL;
}

static bool comp_int_operands(op_compiler *compiler, const as_expr *expr, icode *made) {
  made->left = comp_int(compiler, expr->kid[0]);
  if (made->left == NULL || expr->n < 2)
    return made->left != NULL;
  made->right = comp_int(compiler, expr->kid[1]);
  return made->right != NULL;
}

static bool comp_int_into(op_compiler *compiler, const as_expr *expr, icode *made) {
  static const ikind operation[] = {
      [AS_E_ADD] = I_ADD,  [AS_E_SUB] = I_SUB,  [AS_E_MUL] = I_MUL,
      [AS_E_NEG] = I_NEG,  [AS_E_IDIV] = I_DIV, [AS_E_MOD] = I_MOD,
      [AS_E_MAX2] = I_MAX, [AS_E_MIN2] = I_MIN, [AS_E_ABS] = I_ABS,
  };
  switch (expr->kind) {
  case AS_E_NUM:
    made->kind = I_CONST;
    made->value = mpz_get_si(mpq_numref(expr->num));
    return true;
  case AS_E_NAME:
    return comp_int_name(compiler, expr, made);
  case AS_E_ACCESS:
    return comp_int_data(compiler, expr, made);
  case AS_E_IF:
    made->kind = I_IF;
    return (made->cond = comp_cond(compiler, expr->kid[0])) &&
           (made->left = comp_int(compiler, expr->kid[1])) &&
           (made->right = comp_int(compiler, expr->kid[2]));
  default: /* is_int let no other kind through than those of the table */
    made->kind = operation[expr->kind];
    return comp_int_operands(compiler, expr, made);
  }
}

/* NULL, with the reason in compiler->err, where it is no integer expression */
static const icode *comp_int(op_compiler *compiler, const as_expr *expr) {
  if (!is_int(compiler, expr)) {
    bad(compiler, expr, "an integer expression was expected", NULL);
    return NULL;
  }
  icode *made = as_arena_alloc(compiler->opcode->mem, sizeof *made);
  return comp_int_into(compiler, expr, made) ? made : NULL;
}

static const cond *comp_relation_tree(op_compiler *c, const as_expr *e);

/* also within an index a condition compares numbers */
static const cond *comp_cond(op_compiler *compiler, const as_expr *expr) {
  bool in_index = compiler->in_index;
  compiler->in_index = false;
  const cond *made = comp_relation_tree(compiler, expr);
  compiler->in_index = in_index;
  return made;
}

static const cond *comp_relation_tree(op_compiler *compiler, const as_expr *expr) {
  cond *r = as_arena_alloc(compiler->opcode->mem, sizeof *r);
  switch (expr->kind) {
  case AS_E_REL: {
    const as_expr *left = expr->kid[0];
    const as_expr *right = expr->kid[1];
    r->rel = (as_rel)expr->rel;
    if (is_int(compiler, left) && is_int(compiler, right)) {
      r->kind = C_INTREL;
      return (r->int_left = comp_int(compiler, left)) && (r->int_right = comp_int(compiler, right))
                 ? r
                 : NULL;
    }
    r->kind = C_REL;
    r->tmp[0] = elem(compiler);
    r->tmp[1] = elem(compiler);
    return (r->left = comp(compiler, left)) && (r->right = comp(compiler, right)) ? r : NULL;
  }
  case AS_E_AND:
  case AS_E_OR:
    r->kind = expr->kind == AS_E_AND ? C_AND : C_OR;
    return (r->first = comp_cond(compiler, expr->kid[0])) &&
                   (r->second = comp_cond(compiler, expr->kid[1]))
               ? r
               : NULL;
  case AS_E_NOT:
    r->kind = C_NOT;
    return (r->first = comp_cond(compiler, expr->kid[0])) ? r : NULL;
  default:
    bad(compiler, expr, "a condition was expected", NULL);
    return NULL;
  }
}

static const icode *ix_slot(op_compiler *compiler, uint32_t slot) {
  icode *made = as_arena_alloc(compiler->opcode->mem, sizeof *made);
  *made = (icode){.kind = I_SLOT, .slot = slot};
  return made;
}

static bool literal_one(const as_sizes *sizes, as_size size) {
  long value;
  return as_size_is_const(sizes, size, &value) && value == 1;
}

/* `~o`: indices of ..o adapted to axes first..first+n-1 of argument a (section 2) */
static bool comp_bcast(op_compiler *compiler, const as_expr *expr, const scope *o,
                       const as_size *dim, uint32_t n, const icode **out) {
  if (n > o->n)
    return bad(compiler, expr, "more axes than the broadcast shape of", o->name);
  for (uint32_t j = 0; j < n; j++) {
    uint32_t at = o->n - n + j;
    if (literal_one(compiler->sizes, dim[j]) && !literal_one(compiler->sizes, o->dim[at]))
      out[j] = as_arena_alloc(compiler->opcode->mem, sizeof(icode)); /* zeroed: constant 0 */
    else
      out[j] = ix_slot(compiler, o->slot + at);
  }
  return true;
}

/* what an access reads: a let before an argument of the same name; *rank: how many indices it takes
 */
static bool find_read(op_compiler *compiler, const as_expr *expr, code *made, uint32_t *rank) {
  const as_opcode *opcode = compiler->opcode;
  made->name = expr->name;
  *rank = 0;
  for (uint32_t i = 0; i < opcode->nlet; i++) {
    if (opcode->let[i].body && !strcmp(opcode->let[i].name, expr->name)) {
      made->kind = S_LET;
      made->which = i;
      *rank = opcode->let[i].nindex;
      return true;
    }
  }
  for (uint32_t i = 0; i < compiler->nargs; i++) {
    if (!strcmp(opcode->op->arg[i].name, expr->name)) {
      made->kind = S_ARG;
      made->which = i;
      *rank = compiler->arank[i];
      return true;
    }
  }
  return bad(compiler, expr, "unknown tensor", expr->name);
}

/* an index that is an expression; it alone may read elements of tensors as integers */
static const icode *comp_scalar_index(op_compiler *compiler, const as_expr *index, code *made) {
  bool met_data = compiler->met_data;
  compiler->met_data = false;
  compiler->in_index = true;
  const icode *out = comp_int(compiler, index);
  compiler->in_index = false;
  made->by_data |= compiler->met_data;
  compiler->met_data = met_data;
  return out;
}

/* how many indices stand beside the adapted list at place `adapted` of an access */
static bool count_others(op_compiler *compiler, const as_expr *expr, uint32_t adapted,
                         uint32_t *others) {
  *others = 0;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (i == adapted)
      continue;
    if (expr->acc[i] == AS_IX_BCAST) {
      return bad(compiler, expr, "only one broadcast index list, of an argument, can be adapted in",
                 expr->name);
    }
    const scope *list = expr->acc[i] == AS_IX_LIST ? find(compiler, expr->acc_name[i], true) : NULL;
    if (expr->acc[i] == AS_IX_SCALAR)
      ++*others;
    else if (list)
      *others += list->n;
  }
  return true;
}

/* `~o` at place i of an access: as many indices as the others leave of the argument's axes */
static bool comp_adapted(op_compiler *compiler, const as_expr *expr, uint32_t i, const code *made,
                         uint32_t rank, const icode **ix, uint32_t *n) {
  const scope *list = find(compiler, expr->acc_name[i], true);
  uint32_t others;
  if (!count_others(compiler, expr, i, &others))
    return false;
  if (made->kind != S_ARG || others > rank)
    return bad(compiler, expr, "an index list cannot be adapted to", expr->name);
  uint32_t adapted = rank - others;
  if (!comp_bcast(compiler, expr, list, compiler->adim[made->which] + *n, adapted, ix + *n))
    return false;
  *n += adapted;
  return true;
}

/* appends the indices that item i of an access stands for */
static bool comp_index(op_compiler *compiler, const as_expr *expr, uint32_t i, code *made,
                       uint32_t rank, const icode **ix, uint32_t *n) {
  if (expr->acc[i] == AS_IX_SCALAR) {
    ix[*n] = comp_scalar_index(compiler, expr->kid[i], made);
    return ix[(*n)++] != NULL;
  }
  const scope *list = find(compiler, expr->acc_name[i], true);
  if (!list)
    return bad(compiler, expr, "unknown index list", expr->acc_name[i]);
  if (expr->acc[i] != AS_IX_LIST)
    return comp_adapted(compiler, expr, i, made, rank, ix, n);
  for (uint32_t j = 0; j < list->n; j++)
    ix[(*n)++] = ix_slot(compiler, list->slot + j);
  return true;
}

static code *comp_access(op_compiler *compiler, const as_expr *expr, code *made) {
  const icode *ix[MOST_INDICES];
  uint32_t n = 0;
  uint32_t rank;
  if (compiler->func) {
    bad(compiler, expr, "a function cannot read the tensor", expr->name);
    return NULL;
  }
  if (!find_read(compiler, expr, made, &rank))
    return NULL;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (n + AS_MAX_RANK > MOST_INDICES) {
      bad(compiler, expr, "too many indices of", expr->name);
      return NULL;
    }
    if (!comp_index(compiler, expr, i, made, rank, ix, &n))
      return NULL;
  }
  if (n != rank) {
    bad(compiler, expr, "wrong number of indices of", expr->name);
    return NULL;
  }
  made->nindex = n;
  made->index = as_arena_alloc(compiler->opcode->mem, (n + 1) * sizeof *made->index);
  memcpy(made->index, ix, n * sizeof *ix);
  return made;
}

static code *comp_call(op_compiler *compiler, const as_expr *expr, code *made) {
  const as_func *function = expr->func;
  if (!function || function->n != expr->n) {
    bad(compiler, expr, "wrong call of function", expr->name);
    return NULL;
  }
  if (compiler->depth >= MAX_FUNC_DEPTH) {
    bad(compiler, expr, "functions defined through each other:", expr->name);
    return NULL;
  }
  made->n = expr->n;
  made->kid = as_arena_alloc(compiler->opcode->mem, (expr->n + 2) * sizeof *made->kid);
  made->param = as_arena_alloc(compiler->opcode->mem, (expr->n + 1) * sizeof *made->param);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!(made->kid[i] = comp(compiler, expr->kid[i])))
      return NULL;
    made->param[i] = elem(compiler);
  }
  made->name = function->name;
  made->kind = function->body ? S_FUNC : S_BUILTIN;
  if (!function->body)
    return made;
  const as_func *func = compiler->func;
  void **param = compiler->param;
  compiler->func = function;
  compiler->param = made->param;
  compiler->depth++;
  made->kid[expr->n] = comp(compiler, function->body);
  compiler->depth--;
  compiler->func = func;
  compiler->param = param;
  return made->kid[expr->n] ? made : NULL;
}

static code *comp_name(op_compiler *compiler, const as_expr *expr, code *made) {
  if (compiler->func) {
    for (uint32_t i = 0; i < compiler->func->n; i++) {
      if (!strcmp(compiler->func->param[i], expr->name)) {
        made->kind = S_PARAM;
        made->from = compiler->param[i];
        return made;
      }
    }
    bad(compiler, expr, "unknown name", expr->name);
    return NULL;
  }
  uint32_t s;
  int64_t value;
  switch (find_int(compiler, expr->name, &s, &value)) {
  case 1:
  case 2:
    made->kind = S_INT;
    return (made->i = comp_int(compiler, expr)) ? made : NULL;
  case 3:
    made->kind = S_CONST;
    made->from = elem(compiler);
    compiler->opcode->domain->from_q(compiler->opcode->domain, made->from,
                                     compiler->attr[value].num);
    return made;
  default: {
    /* a let without indices may be read without brackets */
    for (uint32_t a = 0; a < compiler->opcode->nlet; a++) {
      if (compiler->opcode->let[a].body && !compiler->opcode->let[a].nindex &&
          !strcmp(compiler->opcode->let[a].name, expr->name)) {
        made->kind = S_LET;
        made->which = a;
        return made;
      }
    }
    bad(compiler, expr, "unknown name", expr->name);
    return NULL;
  }
  }
}

static code *comp_number(op_compiler *compiler, const as_expr *expr, code *made) {
  made->kind = S_CONST;
  made->from = elem(compiler);
  compiler->opcode->domain->from_q(compiler->opcode->domain, made->from, expr->num);
  return made;
}

static code *comp_reduce(op_compiler *compiler, const as_expr *expr, code *made) {
  if (compiler->func) {
    bad(compiler, expr, "a reduction cannot stand in a function", NULL);
    return NULL;
  }
  made->tmp[0] = elem(compiler);
  made->tmp[1] = elem(compiler);
  if (!(made->i = comp_int(compiler, expr->kid[0])))
    return NULL;
  scope *old = compiler->scopes;
  made->slot = bind(compiler, expr->name, 1, false)->slot;
  made->kid = as_arena_alloc(compiler->opcode->mem, sizeof *made->kid);
  made->n = 1;
  made->kid[0] = comp(compiler, expr->kid[1]);
  compiler->scopes = old;
  return made->kid[0] ? made : NULL;
}

/* the operands of an expression from `first` on, and the elements that it is computed with */
static code *comp_operands(op_compiler *compiler, const as_expr *expr, uint32_t first, code *made) {
  made->n = expr->n - first;
  made->kid = as_arena_alloc(compiler->opcode->mem, (made->n + 1) * sizeof *made->kid);
  for (uint32_t i = 0; i < made->n; i++) {
    if (!(made->kid[i] = comp(compiler, expr->kid[first + i])))
      return NULL;
  }
  if (made->kind == S_IF || made->kind == S_MAX2 || made->kind == S_MIN2) {
    made->which = (uint32_t)compiler->opcode->taken.n;
    as_vec_push(&compiler->opcode->taken, &(choice_taken){{0}});
  }
  made->tmp[0] = elem(compiler);
  if (made->kind == S_ABS || made->kind == S_IF || made->kind == S_IDIV || made->kind == S_MOD)
    made->tmp[1] = elem(compiler);
  return made;
}

static code *comp_arithmetic(op_compiler *compiler, const as_expr *expr, code *made) {
  return comp_operands(compiler, expr, 0, made);
}

/* a quotient or remainder, computed as an integer where its operands are integers */
static code *comp_quotient(op_compiler *compiler, const as_expr *expr, code *made) {
  if (!is_int(compiler, expr))
    return comp_operands(compiler, expr, 0, made);
  made->kind = S_INT;
  return (made->i = comp_int(compiler, expr)) ? made : NULL;
}

static code *comp_if(op_compiler *compiler, const as_expr *expr, code *made) {
  if (!(made->cond = comp_cond(compiler, expr->kid[0])))
    return NULL;
  return comp_operands(compiler, expr, 1, made);
}

/* Kinds of expressions that are values; the reader of one completes what is made here of it. */
static const struct {
  as_ekind from;
  code *(*compile)(op_compiler *compiler, const as_expr *expr, code *made);
  skind kind;    /* of a name, an access and a call it is found by the reader */
  as_unop unary; /* of S_UN */
} value_kinds[] = {
    {AS_E_NUM, comp_number, S_CONST, 0},
    {AS_E_NAME, comp_name, 0, 0},
    {AS_E_ACCESS, comp_access, 0, 0},
    {AS_E_CALL, comp_call, 0, 0},
    {AS_E_SUM, comp_reduce, S_SUM, 0},
    {AS_E_PROD, comp_reduce, S_PROD, 0},
    {AS_E_MAXR, comp_reduce, S_MAXR, 0},
    {AS_E_MINR, comp_reduce, S_MINR, 0},
    {AS_E_IDIV, comp_quotient, S_IDIV, 0},
    {AS_E_MOD, comp_quotient, S_MOD, 0},
    {AS_E_ADD, comp_arithmetic, S_ADD, 0},
    {AS_E_SUB, comp_arithmetic, S_SUB, 0},
    {AS_E_MUL, comp_arithmetic, S_MUL, 0},
    {AS_E_FDIV, comp_arithmetic, S_DIV, 0},
    {AS_E_NEG, comp_arithmetic, S_UN, AS_U_NEG},
    {AS_E_EXP, comp_arithmetic, S_UN, AS_U_EXP},
    {AS_E_LOG, comp_arithmetic, S_UN, AS_U_LOG},
    {AS_E_SQRT, comp_arithmetic, S_UN, AS_U_SQRT},
    {AS_E_INV, comp_arithmetic, S_UN, AS_U_INV},
    {AS_E_ABS, comp_arithmetic, S_ABS, 0},
    {AS_E_MAX2, comp_arithmetic, S_MAX2, 0},
    {AS_E_MIN2, comp_arithmetic, S_MIN2, 0},
    {AS_E_IF, comp_if, S_IF, 0},
};

static code *comp(op_compiler *compiler, const as_expr *expr) {
  for (size_t i = 0; i < sizeof value_kinds / sizeof *value_kinds; i++) {
    if (value_kinds[i].from != expr->kind)
      continue;
    code *made = as_arena_alloc(compiler->opcode->mem, sizeof *made);
    made->line = expr->line;
    made->col = expr->col;
    made->kind = value_kinds[i].kind;
    made->un = value_kinds[i].unary;
    return value_kinds[i].compile(compiler, expr, made);
  }
  bad(compiler, expr, "a condition cannot stand here", NULL);
  return NULL;
}

/* binds the names on a left side; the total number of indices in *n */
static bool bind_left(op_compiler *compiler, const as_let *let, uint32_t *n) {
  *n = 0;
  for (uint32_t i = 0; i < let->n; i++) {
    if (!let->ix[i].is_list) {
      bind(compiler, let->ix[i].name, 1, false);
      ++*n;
      continue;
    }
    const as_bind_list *list = find_list(compiler, let->ix[i].name);
    if (!list)
      return bad(compiler, NULL, "unknown index list", let->ix[i].name);
    scope *inner = bind(compiler, let->ix[i].name, list->n, true);
    memcpy(inner->dim, list->dim, sizeof(as_size) * list->n);
    *n += list->n;
  }
  return true;
}

static bool check_facts(op_compiler *compiler, const as_vec *facts) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *fact = &AS_VEC_AT(facts, as_size_fact, i);
    if (as_fact_holds(compiler->sizes, fact, compiler->env))
      continue;
    static const char *const sym[] = {"=", "!=", "<=", "<"};
    char *a = as_size_print(compiler->sizes, fact->lhs);
    char *b = as_size_print(compiler->sizes, fact->rhs);
    as_err_set(compiler->err, AS_NO, "operator %s: %s %s %s does not hold at these sizes",
               compiler->opcode->op->name, a, sym[fact->rel], b);
    free(a);
    free(b);
    return false;
  }
  return true;
}

static bool compile(op_compiler *compiler) {
  as_opcode *opcode = compiler->opcode;
  const as_opdef *op = opcode->op;
  as_size outdim[AS_MAX_RANK];
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok = as_opdef_match(compiler->sizes, op, compiler->adim, compiler->arank, compiler->nargs,
                           compiler->attr, &compiler->match, outdim, &opcode->outrank, &facts,
                           compiler->err) &&
            check_facts(compiler, &facts);
  as_vec_clear(&facts);
  if (!ok)
    return false;
  for (uint32_t i = 0; i < opcode->outrank; i++) {
    opcode->outdim[i] = as_size_eval(compiler->sizes, outdim[i], compiler->env);
    if (opcode->outdim[i] < 0) {
      return as_err_set(compiler->err, AS_NO,
                        "operator %s: extent %u of the result is not a size here", op->name, i);
    }
  }
  if (!op->nlet)
    return bad(compiler, NULL, "has no definition of out", NULL);
  opcode->nlet = op->nlet - 1;
  opcode->let = as_arena_alloc(opcode->mem, (op->nlet + 1) * sizeof *opcode->let);
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *l = &op->let[i];
    compiler->scopes = NULL;
    uint32_t first = opcode->nslots;
    uint32_t n;
    if (!bind_left(compiler, l, &n))
      return false;
    code *body = comp(compiler, l->body);
    if (!body)
      return false;
    if (i + 1 == op->nlet) {
      if (n != opcode->outrank)
        return bad(compiler, NULL, "out has another rank than the declared shape", NULL);
      opcode->out = body;
      opcode->out_slot = first;
      break;
    }
    letcode *let = &opcode->let[i];
    let->name = l->name;
    let->nindex = n;
    as_map_init(&let->known, n);
    let->slot = as_arena_alloc(opcode->mem, (n + 1) * sizeof *let->slot);
    for (uint32_t j = 0; j < n; j++)
      let->slot[j] = first + j;
    let->body = body;
  }
  opcode->slot = as_arena_alloc(opcode->mem, (opcode->nslots + 1) * sizeof *opcode->slot);
  return true;
}

as_opcode *as_opcode_new(as_sizes *sizes, const as_opdef *op, const as_size (*adim)[AS_MAX_RANK],
                         const uint32_t *arank, uint32_t nargs, const as_attr *attr,
                         const as_domain *domain, const int64_t *env, as_err *err) {
  as_opcode *opcode = as_calloc(1, sizeof *opcode);
  opcode->op = op;
  opcode->domain = domain;
  opcode->mem = as_arena_new();
  as_vec_init(&opcode->elems, sizeof(void *));
  as_vec_init(&opcode->taken, sizeof(choice_taken));
  op_compiler compiler = {.opcode = opcode,
                          .sizes = sizes,
                          .env = env,
                          .attr = attr,
                          .err = err,
                          .adim = adim,
                          .arank = arank,
                          .nargs = nargs};
  if (compile(&compiler))
    return opcode;
  as_opcode_free(opcode);
  return NULL;
}

void as_opcode_free(as_opcode *opcode) {
  if (!opcode)
    return;
  for (size_t i = 0; i < opcode->elems.n; i++)
    opcode->domain->clear(opcode->domain, AS_VEC_AT(&opcode->elems, void *, i));
  as_vec_clear(&opcode->elems);
  as_vec_clear(&opcode->taken);
  for (uint32_t i = 0; opcode->let && i < opcode->nlet; i++) {
    as_map_clear(&opcode->let[i].known);
    as_dom_free(opcode->domain, opcode->let[i].val, opcode->let[i].cap);
  }
  as_arena_free(opcode->mem);
  free(opcode);
}

void as_opcode_dims(const as_opcode *opcode, int64_t *dim, uint32_t *rank) {
  *rank = opcode->outrank;
  memcpy(dim, opcode->outdim, opcode->outrank * sizeof *dim);
}

as_status as_func_run(const as_func *func, const as_domain *domain, const void *const *arg,
                      void *out, as_err *err) {
  as_expr name[AS_MAX_ARGS];
  as_expr *kid[AS_MAX_ARGS];
  as_expr call;
  const char *param[AS_MAX_ARGS];
  as_opdef op = {.name = func->name};
  if (func->n > AS_MAX_ARGS) {
    as_err_set(err, AS_BAD_INPUT, "function %s has more than %d parameters", func->name,
               AS_MAX_ARGS);
    return AS_BAD_INPUT;
  }
  /* compiled as the body of a function that calls it */
  memset(name, 0, sizeof name);
  memset(&call, 0, sizeof call);
  for (uint32_t i = 0; i < func->n; i++) {
    param[i] = func->param[i];
    name[i].kind = AS_E_NAME;
    name[i].name = func->param[i];
    kid[i] = &name[i];
  }
  call.kind = AS_E_CALL;
  call.name = func->name;
  call.func = func;
  call.n = func->n;
  call.kid = kid;
  as_func outer = {.name = func->name, .n = func->n, .param = param, .body = &call};
  as_opcode *opcode = as_calloc(1, sizeof *opcode);
  opcode->op = &op;
  opcode->domain = domain;
  opcode->mem = as_arena_new();
  as_vec_init(&opcode->elems, sizeof(void *));
  as_vec_init(&opcode->taken, sizeof(choice_taken));
  op_compiler compiler = {.opcode = opcode, .err = err, .func = &outer};
  compiler.param = as_arena_alloc(opcode->mem, (func->n + 1) * sizeof *compiler.param);
  for (uint32_t i = 0; i < func->n; i++)
    domain->set(domain, compiler.param[i] = elem(&compiler), arg[i]);
  as_status status = AS_BAD_INPUT;
  opcode->slot = as_arena_alloc(opcode->mem, sizeof *opcode->slot);
  if ((opcode->out = comp(&compiler, &call)))
    status = as_opcode_value(opcode, out, err);
  as_opcode_free(opcode);
  return status;
}

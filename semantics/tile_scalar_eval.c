/* Scalars, conditions and operator calls of tile programs. */
#include "tile_machine.h"
#include <stdlib.h>
#include <string.h>

static void *temp(tile_machine *machine) {
  if (machine->temp == NULL)
    machine->temp = as_dom_new(machine->domain, TILE_MOST_TEMPS);
  if (machine->n_temp == TILE_MOST_TEMPS) {
    tile_stop(machine, AS_UNKNOWN, "a scalar is nested too deeply to be evaluated");
    return NULL;
  }
  return AS_DOM_AT(machine->domain, machine->temp, machine->n_temp++);
}

/* the element of a tile; NULL: stopped, or an index without a value (*no_value) */
static const void *element(tile_machine *machine, const tile_frame *frame,
                           const as_tile_scalar *access, bool *no_value) {
  const as_tensor *tile = &frame->tile[access->id]->tensor;
  size_t at = 0;
  if (access->n != tile->rank) {
    tile_stop(machine, AS_NO, "`%s` has %u axes, not %u", access->text->name, tile->rank,
              access->n);
    return NULL;
  }
  for (uint32_t i = 0; i < access->n; i++) {
    int64_t index = 0;
    tile_answer answer = tile_integer_at(machine, frame, access->kid[i], &index);
    *no_value = answer == TILE_NO_VALUE;
    if (answer != TILE_YES)
      return NULL;
    if (index < 0 || index >= tile->dim[i]) {
      tile_stop(machine, AS_NO, "index %lld of `%s` is outside of its %lld", (long long)index,
                access->text->name, (long long)tile->dim[i]);
      return NULL;
    }
    at = at * (size_t)tile->dim[i] + (size_t)index;
  }
  return as_tensor_at(tile, at);
}

/* What integers are computed in on the way: two to the 64th, that numbers of 64 bits are written
 * modulo, is one of them. */
__extension__ typedef __int128 wide;

static tile_answer wide_at(tile_machine *machine, const tile_frame *frame,
                           const as_tile_scalar *scalar, wide *result);

static wide wide_of(const mpz_t number) {
  mpz_t high;
  mpz_init(high);
  mpz_fdiv_q_2exp(high, number, 32);
  wide result = (wide)mpz_get_si(high) * ((wide)1 << 32) + (wide)mpz_fdiv_ui(number, 1ul << 32);
  mpz_clear(high);
  return result;
}

static tile_answer integer_element(tile_machine *machine, const tile_frame *frame,
                                   const as_tile_scalar *access, int64_t *result) {
  bool no_value = false;
  const void *found = element(machine, frame, access, &no_value);
  if (found == NULL)
    return no_value ? TILE_NO_VALUE : TILE_FAILED;
  if (machine->domain->flags(machine->domain, found) & AS_F_NOVALUE)
    return TILE_NO_VALUE;
  if (machine->domain->to_int(machine->domain, found, result))
    return TILE_YES;
  tile_stop(machine, AS_UNKNOWN, "an element of `%s` is not known as an integer",
            access->text->name);
  return TILE_FAILED;
}

static bool whole_operation(tile_machine *machine, as_ekind kind, wide a, wide b, wide *result) {
  bool over = false;
  switch (kind) {
  case AS_E_ADD:
    over = __builtin_add_overflow(a, b, result);
    break;
  case AS_E_SUB:
    over = __builtin_sub_overflow(a, b, result);
    break;
  case AS_E_MUL:
    over = __builtin_mul_overflow(a, b, result);
    break;
  case AS_E_NEG:
    over = __builtin_sub_overflow((wide)0, a, result);
    break;
  case AS_E_ABS:
    over = a < 0 && __builtin_sub_overflow((wide)0, a, result);
    if (a >= 0)
      *result = a;
    break;
  case AS_E_MAX2:
    *result = a > b ? a : b;
    break;
  case AS_E_MIN2:
    *result = a < b ? a : b;
    break;
  default: /* div, mod */
    if (b <= 0)
      return tile_stop(machine, AS_NO, "an integer division by %lld", (long long)b);
    *result = a / b - (a % b < 0);
    if (kind == AS_E_MOD)
      *result = a - *result * b;
    break;
  }
  /* the language's integers have no bound: the evaluator's have */
  return !over || tile_stop(machine, AS_UNKNOWN, "an integer is beyond 128 bits");
}

/* a sum, product, maximum or minimum of integers */
static tile_answer whole_reduction(tile_machine *machine, const tile_frame *frame,
                                   const as_tile_scalar *scalar, wide *result) {
  as_ekind kind = scalar->text->kind;
  as_ekind step = kind == AS_E_SUM    ? AS_E_ADD
                  : kind == AS_E_PROD ? AS_E_MUL
                  : kind == AS_E_MAXR ? AS_E_MAX2
                                      : AS_E_MIN2;
  bool extremum = kind == AS_E_MAXR || kind == AS_E_MINR;
  int64_t bound = 0;
  if (!tile_need_integer(machine, frame, scalar->kid[0], "the bound of a reduction", &bound))
    return TILE_FAILED;
  if (extremum && bound <= 0) {
    tile_stop(machine, AS_NO, "the largest or smallest of no integers");
    return TILE_FAILED;
  }
  *result = kind == AS_E_PROD;
  for (int64_t k = 0; k < bound; k++) {
    wide term;
    frame->integer[scalar->id] = k;
    if (!tile_count(machine, 1))
      return TILE_FAILED;
    tile_answer answer = wide_at(machine, frame, scalar->kid[1], &term);
    if (answer != TILE_YES)
      return answer;
    if (extremum && k == 0)
      *result = term;
    else if (!whole_operation(machine, step, *result, term, result))
      return TILE_FAILED;
  }
  return TILE_YES;
}

static tile_answer wide_at(tile_machine *machine, const tile_frame *frame,
                           const as_tile_scalar *scalar, wide *result) {
  wide part[2] = {0, 0};
  int64_t held;
  tile_answer answer;
  switch (scalar->text->kind) {
  case AS_E_NUM:
    *result = wide_of(mpq_numref(scalar->text->num));
    return TILE_YES;
  case AS_E_NAME:
    *result = scalar->meaning == AS_TILE_IS_SIZE ? machine->setting->env[scalar->id]
                                                 : frame->integer[scalar->id];
    return TILE_YES;
  case AS_E_ACCESS:
    answer = integer_element(machine, frame, scalar, &held);
    if (answer == TILE_YES)
      *result = held;
    return answer;
  case AS_E_IF:
    answer = tile_test(machine, frame, scalar->kid[0]);
    if (answer == TILE_NO_VALUE || answer == TILE_FAILED)
      return answer;
    return wide_at(machine, frame, scalar->kid[answer == TILE_YES ? 1 : 2], result);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return whole_reduction(machine, frame, scalar, result);
  default:
    break;
  }
  for (uint32_t i = 0; i < scalar->n; i++) {
    answer = wide_at(machine, frame, scalar->kid[i], &part[i]);
    if (answer != TILE_YES)
      return answer;
  }
  return whole_operation(machine, scalar->text->kind, part[0], part[1], result) ? TILE_YES
                                                                                : TILE_FAILED;
}

tile_answer tile_integer_at(tile_machine *machine, const tile_frame *frame,
                            const as_tile_scalar *scalar, int64_t *result) {
  wide value = 0;
  tile_answer answer = wide_at(machine, frame, scalar, &value);
  if (answer == TILE_YES && (value < INT64_MIN || value > INT64_MAX)) {
    /* the language's integers have no bound: the evaluator's have */
    tile_stop(machine, AS_UNKNOWN, "an integer is beyond 64 bits");
    return TILE_FAILED;
  }
  *result = (int64_t)value;
  return answer;
}

bool tile_need_integer(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                       const char *what, int64_t *result) {
  tile_answer answer = tile_integer_at(machine, frame, scalar, result);
  if (answer == TILE_NO_VALUE)
    tile_stop(machine, AS_NO, "%s has no value", what);
  return answer == TILE_YES;
}

/* ---- conditions */
static tile_answer known_order(as_rel rel, unsigned order) {
  unsigned yes = rel == AS_REL_EQ   ? AS_C_EQ
                 : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
                 : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                                    : AS_C_LT;
  return !(order & ~yes) ? TILE_YES : !(order & yes) ? TILE_NO : TILE_NO_VALUE;
}

static tile_answer test_numbers(tile_machine *machine, const tile_frame *frame,
                                const as_tile_scalar *relation) {
  const as_domain *domain = machine->domain;
  uint32_t before = machine->n_temp;
  void *left = temp(machine);
  void *right = temp(machine);
  tile_answer answer = TILE_FAILED;
  if (left && right && tile_scalar_at(machine, frame, relation->kid[0], left) &&
      tile_scalar_at(machine, frame, relation->kid[1], right)) {
    unsigned flags = domain->flags(domain, left) | domain->flags(domain, right);
    answer = flags & AS_F_NOVALUE
                 ? TILE_NO_VALUE
                 : known_order((as_rel)relation->text->rel, domain->cmp(domain, left, right));
  }
  machine->n_temp = before;
  return answer;
}

static tile_answer test_relation(tile_machine *machine, const tile_frame *frame,
                                 const as_tile_scalar *relation) {
  wide side[2];
  if (!relation->kid[0]->integer || !relation->kid[1]->integer)
    return test_numbers(machine, frame, relation);
  for (int i = 0; i < 2; i++) {
    tile_answer answer = wide_at(machine, frame, relation->kid[i], &side[i]);
    if (answer != TILE_YES)
      return answer;
  }
  unsigned order = side[0] < side[1] ? AS_C_LT : side[0] > side[1] ? AS_C_GT : AS_C_EQ;
  return known_order((as_rel)relation->text->rel, order);
}

tile_answer tile_test(tile_machine *machine, const tile_frame *frame,
                      const as_tile_scalar *condition) {
  as_ekind kind = condition->text->kind;
  if (kind == AS_E_REL)
    return test_relation(machine, frame, condition);
  tile_answer first = tile_test(machine, frame, condition->kid[0]);
  if (first == TILE_FAILED || first == TILE_NO_VALUE)
    return first;
  if (kind == AS_E_NOT)
    return first == TILE_YES ? TILE_NO : TILE_YES;
  bool decided = first == (kind == AS_E_AND ? TILE_NO : TILE_YES);
  return decided ? first : tile_test(machine, frame, condition->kid[1]);
}

/* ---- numbers */
static bool is_name(const as_tile_scalar *scalar) {
  return scalar->text->kind == AS_E_NAME;
}

static bool unary_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                     as_unop op, void *result) {
  if (!tile_scalar_at(machine, frame, scalar->kid[0], result))
    return false;
  machine->domain->un(machine->domain, op, result, result);
  return true;
}

/* the value of a or, where b is preferred, that of b */
static void choose(tile_machine *machine, bool greater, void *a, const void *b) {
  const as_domain *domain = machine->domain;
  unsigned flags = domain->flags(domain, a) | domain->flags(domain, b);
  if (flags & AS_F_NOVALUE) {
    domain->flag(domain, a, flags);
    return;
  }
  unsigned order = greater ? domain->cmp(domain, a, b) : domain->cmp(domain, b, a);
  if (order == AS_C_LT)
    domain->set(domain, a, b);
  else if (order & AS_C_LT)
    domain->join(domain, a, a, b);
}

static bool binary_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                      void *result) {
  const as_domain *domain = machine->domain;
  void *right = temp(machine);
  if (right == NULL || !tile_scalar_at(machine, frame, scalar->kid[0], result) ||
      !tile_scalar_at(machine, frame, scalar->kid[1], right))
    return false;
  switch (scalar->text->kind) {
  case AS_E_ADD:
    domain->add(domain, result, result, right);
    return true;
  case AS_E_SUB:
    domain->sub(domain, result, result, right);
    return true;
  case AS_E_MUL:
    domain->mul(domain, result, result, right);
    return true;
  case AS_E_FDIV:
    domain->un(domain, AS_U_INV, right, right);
    domain->mul(domain, result, result, right);
    return true;
  case AS_E_MAX2:
  case AS_E_MIN2:
    choose(machine, scalar->text->kind == AS_E_MAX2, result, right);
    return true;
  default:
    return tile_stop(machine, AS_BAD_INPUT, "an operation of integers on numbers");
  }
}

static bool absolute_at(tile_machine *machine, const tile_frame *frame,
                        const as_tile_scalar *scalar, void *result) {
  const as_domain *domain = machine->domain;
  void *negated = temp(machine);
  if (negated == NULL || !tile_scalar_at(machine, frame, scalar->kid[0], result))
    return false;
  domain->un(domain, AS_U_NEG, negated, result);
  choose(machine, true, result, negated);
  return true;
}

static bool function_at(tile_machine *machine, const tile_frame *frame,
                        const as_tile_scalar *scalar, void *result) {
  const void *argument[AS_MAX_ARGS];
  for (uint32_t i = 0; i < scalar->n; i++) {
    void *value = temp(machine);
    if (value == NULL || !tile_scalar_at(machine, frame, scalar->kid[i], value))
      return false;
    argument[i] = value;
  }
  as_status status =
      as_func_run(scalar->text->func, machine->domain, argument, result, machine->err);
  if (status != AS_OK)
    machine->status = status;
  return status == AS_OK;
}

static bool reduction_at(tile_machine *machine, const tile_frame *frame,
                         const as_tile_scalar *scalar, void *result) {
  const as_domain *domain = machine->domain;
  as_ekind kind = scalar->text->kind;
  bool extremum = kind == AS_E_MAXR || kind == AS_E_MINR;
  int64_t bound = 0;
  void *term = temp(machine);
  if (term == NULL ||
      !tile_need_integer(machine, frame, scalar->kid[0], "the bound of a reduction", &bound))
    return false;
  as_dom_from_int(domain, result, kind == AS_E_PROD);
  if (extremum && bound <= 0)
    domain->flag(domain, result, AS_F_UNDEF);
  for (int64_t k = 0; k < bound; k++) {
    frame->integer[scalar->id] = k;
    if (!tile_count(machine, 1) || !tile_scalar_at(machine, frame, scalar->kid[1], term))
      return false;
    if (extremum && k == 0)
      domain->set(domain, result, term);
    else if (extremum)
      choose(machine, kind == AS_E_MAXR, result, term);
    else if (kind == AS_E_SUM)
      domain->add(domain, result, result, term);
    else
      domain->mul(domain, result, result, term);
  }
  return true;
}

static bool if_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                  void *result) {
  tile_answer answer = tile_test(machine, frame, scalar->kid[0]);
  if (answer == TILE_FAILED)
    return false;
  if (answer == TILE_NO_VALUE) {
    as_dom_from_int(machine->domain, result, 0);
    machine->domain->flag(machine->domain, result, AS_F_POISON);
    return true;
  }
  return tile_scalar_at(machine, frame, scalar->kid[answer == TILE_YES ? 1 : 2], result);
}

static bool element_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                       void *result) {
  const as_domain *domain = machine->domain;
  bool no_value = false;
  const void *found = element(machine, frame, scalar, &no_value);
  if (found)
    domain->set(domain, result, found);
  else if (no_value)
    domain->flag(domain, result, AS_F_POISON);
  return found || no_value;
}

static bool number_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                      void *result) {
  switch (scalar->text->kind) {
  case AS_E_NUM:
    machine->domain->from_q(machine->domain, result, scalar->text->num);
    return true;
  case AS_E_ACCESS:
    return element_at(machine, frame, scalar, result);
  case AS_E_NEG:
    return unary_at(machine, frame, scalar, AS_U_NEG, result);
  case AS_E_EXP:
    return unary_at(machine, frame, scalar, AS_U_EXP, result);
  case AS_E_LOG:
    return unary_at(machine, frame, scalar, AS_U_LOG, result);
  case AS_E_SQRT:
    return unary_at(machine, frame, scalar, AS_U_SQRT, result);
  case AS_E_INV:
    return unary_at(machine, frame, scalar, AS_U_INV, result);
  case AS_E_ABS:
    return absolute_at(machine, frame, scalar, result);
  case AS_E_CALL:
    return function_at(machine, frame, scalar, result);
  case AS_E_IF:
    return if_at(machine, frame, scalar, result);
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return reduction_at(machine, frame, scalar, result);
  default:
    return binary_at(machine, frame, scalar, result);
  }
}

bool tile_scalar_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                    void *result) {
  uint32_t before = machine->n_temp;
  bool whole = scalar->integer && scalar->text->kind != AS_E_ACCESS;
  bool done;
  if (whole || is_name(scalar)) {
    int64_t value = 0;
    tile_answer answer = tile_integer_at(machine, frame, scalar, &value);
    as_dom_from_int(machine->domain, result, value);
    if (answer == TILE_NO_VALUE)
      machine->domain->flag(machine->domain, result, AS_F_POISON);
    done = answer != TILE_FAILED;
  } else {
    done = number_at(machine, frame, scalar, result);
  }
  machine->n_temp = before;
  return done;
}

/* ---- calls of operators */
static tile_value *rank_0(tile_machine *machine) {
  return tile_value_new(machine, NULL, 0);
}

/* the attributes at this place; false: stopped.  Integers also go into the key. */
static bool attributes(tile_machine *machine, const tile_frame *frame, const as_tile_expr *call,
                       as_attr *attr, int64_t *key, uint32_t *n_key) {
  as_sizes *sizes = machine->program->sizes->sizes;
  for (uint32_t k = 0; k < call->op->nattrs; k++) {
    const as_tile_attr *given = &call->attr[k];
    int64_t value = 0;
    if (given->number) {
      attr[k].is_size = false;
      mpq_set(attr[k].num, *given->number);
      continue;
    }
    if (given->scalar == NULL) {
      as_attr_set(&attr[k], &call->op->attr_default[k]);
      if (!attr[k].is_size && mpz_cmp_ui(mpq_denref(attr[k].num), 1) == 0 &&
          mpz_fits_slong_p(mpq_numref(attr[k].num))) {
        attr[k].is_size = true;
        attr[k].size = as_size_int(sizes, mpz_get_si(mpq_numref(attr[k].num)));
      }
      continue;
    }
    if (!tile_need_integer(machine, frame, given->scalar, "an attribute", &value))
      return false;
    attr[k].is_size = true;
    attr[k].size = as_size_int(sizes, value);
    key[(*n_key)++] = value;
  }
  return true;
}

static as_opcode *compile(tile_machine *machine, const as_tile_expr *call,
                          tile_value *const *argument, const as_attr *attr) {
  as_sizes *sizes = machine->program->sizes->sizes;
  as_size dims[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t rank[AS_MAX_ARGS];
  as_err inner;
  as_err_init(&inner);
  for (uint32_t i = 0; i < call->n_arg; i++) {
    rank[i] = argument[i]->tensor.rank;
    for (uint32_t d = 0; d < rank[i]; d++)
      dims[i][d] = as_size_int(sizes, argument[i]->tensor.dim[d]);
  }
  as_opcode *code = as_opcode_new(sizes, call->op, dims, rank, call->n_arg, attr, machine->domain,
                                  machine->setting->env, &inner);
  if (code == NULL)
    tile_stop(machine, inner.status == AS_OK ? AS_NO : inner.status, "%s",
              inner.text ? inner.text : "an ill-formed call");
  as_err_clear(&inner);
  return code;
}

/* the operator compiled for these extents and attributes, from the call's list or new */
static as_opcode *code_of(tile_machine *machine, const tile_frame *frame, const as_tile_expr *call,
                          tile_value *const *argument) {
  int64_t key[AS_MAX_ATTRS + AS_MAX_ARGS * (AS_MAX_RANK + 1)];
  as_attr attr[AS_MAX_ATTRS];
  uint32_t n_key = 0;
  for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
    as_attr_init(&attr[k]);
  for (uint32_t i = 0; i < call->n_arg; i++) {
    key[n_key++] = argument[i]->tensor.rank;
    for (uint32_t d = 0; d < argument[i]->tensor.rank; d++)
      key[n_key++] = argument[i]->tensor.dim[d];
  }
  as_opcode *code = NULL;
  if (attributes(machine, frame, call, attr, key, &n_key)) {
    const tile_code *known = machine->code[call->cache];
    while (known && (known->n_key != n_key || memcmp(known->key, key, n_key * sizeof *key) != 0))
      known = known->next;
    code = known ? known->code : compile(machine, call, argument, attr);
    if (code && known == NULL) {
      tile_code *made = as_malloc(sizeof *made);
      *made = (tile_code){code, n_key, as_malloc(n_key * sizeof *key), machine->code[call->cache]};
      memcpy(made->key, key, n_key * sizeof *key);
      machine->code[call->cache] = made;
    }
  }
  for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
    as_attr_clear(&attr[k]);
  return code;
}

static tile_value *run_call(tile_machine *machine, const tile_frame *frame,
                            const as_tile_expr *call, tile_value *const *argument) {
  const as_tensor *tensor[AS_MAX_ARGS];
  int64_t dim[AS_MAX_RANK];
  uint32_t rank;
  for (uint32_t i = 0; i < call->n_arg; i++)
    tensor[i] = &argument[i]->tensor;
  as_opcode *code = code_of(machine, frame, call, argument);
  if (code == NULL)
    return NULL;
  as_opcode_dims(code, dim, &rank);
  tile_value *result = tile_value_new(machine, dim, rank);
  if (result == NULL)
    return NULL;
  as_err inner;
  as_err_init(&inner);
  as_status status = as_opcode_run(code, tensor, &result->tensor,
                                   machine->setting->max_ops ? &machine->ops_left : NULL, &inner);
  if (status != AS_OK) {
    tile_stop(machine, status, "%s", inner.text ? inner.text : "an operator fails");
    tile_value_drop(machine, result);
    result = NULL;
  }
  as_err_clear(&inner);
  return result;
}

static tile_value *call_at(tile_machine *machine, const tile_frame *frame,
                           const as_tile_expr *call) {
  tile_value *argument[AS_MAX_ARGS] = {NULL};
  bool ok = true;
  for (uint32_t i = 0; ok && i < call->n_arg; i++)
    ok = (argument[i] = tile_expr_at(machine, frame, call->arg[i])) != NULL;
  tile_value *result = ok ? run_call(machine, frame, call, argument) : NULL;
  for (uint32_t i = 0; i < call->n_arg; i++)
    tile_value_drop(machine, argument[i]);
  return result;
}

tile_value *tile_expr_at(tile_machine *machine, const tile_frame *frame, const as_tile_expr *expr) {
  if (expr->kind == AS_TILE_CALL)
    return call_at(machine, frame, expr);
  if (expr->kind == AS_TILE_NAMED && expr->meaning == AS_TILE_IS_TILE) {
    frame->tile[expr->id]->holders++;
    return frame->tile[expr->id];
  }
  tile_value *made = rank_0(machine);
  if (made == NULL)
    return NULL;
  void *number = as_tensor_at(&made->tensor, 0);
  if (expr->kind == AS_TILE_NUMBER)
    machine->domain->from_q(machine->domain, number, expr->number->num);
  else
    as_dom_from_int(machine->domain, number,
                    expr->meaning == AS_TILE_IS_SIZE ? machine->setting->env[expr->id]
                                                     : frame->integer[expr->id]);
  return made;
}

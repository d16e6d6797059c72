/* Do the operands and results of an operation fit together?  Triton's own texts do; the lifting
 * looks at lanes and kinds that a text of somebody else need not have. */
#include "ttir_control.h"
#include <string.h>

bool ttir_same_shape(const as_ttir_type *a, const as_ttir_type *b) {
  bool same = a->rank == b->rank;
  for (uint32_t i = 0; same && i < a->rank; i++)
    same = a->dim[i] == b->dim[i];
  return same;
}

/* of one number, whatever the shape */
static bool same_number(const as_ttir_type *a, const as_ttir_type *b) {
  return a->kind == b->kind && a->bits == b->bits && a->brain == b->brain &&
         a->floating == b->floating;
}

bool ttir_same_type(const as_ttir_type *a, const as_ttir_type *b) {
  return same_number(a, b) && ttir_same_shape(a, b);
}

/* t: a truth; n: an integer; i: either; f: a float; p: a pointer; d: a descriptor;
 * `.`: any; =: of the first operand's kind of number; 2: of the second one's */
static bool is_kind(char letter, const as_ttir_type *type, const as_ttir_type *first,
                    const as_ttir_type *second) {
  switch (letter) {
  case 't':
    return ttir_is_truth(type);
  case 'n':
    return type->kind == AS_TTIR_INT && !ttir_is_truth(type);
  case 'i':
    return type->kind == AS_TTIR_INT;
  case 'f':
    return type->kind == AS_TTIR_FLOAT;
  case 'p':
    return type->kind == AS_TTIR_POINTER;
  case 'd':
    return type->kind == AS_TTIR_DESCRIPTOR;
  case '=':
    return first && same_number(type, first);
  case '2':
    return second && same_number(type, second);
  default:
    return letter == '.';
  }
}

/* `*` at the end: any number more */
static bool are_kinds(const ttir_lift *lift, const char *letters, const uint32_t *value, uint32_t n,
                      const as_ttir_op *op) {
  const as_ttir_type *first = op->n_operand > 0 ? ttir_type_of(lift, op->operand[0]) : NULL;
  const as_ttir_type *second = op->n_operand > 1 ? ttir_type_of(lift, op->operand[1]) : NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (letters[i] == '*')
      return true;
    if (!letters[i] || !is_kind(letters[i], ttir_type_of(lift, value[i]), first, second))
      return false;
  }
  return letters[n] == 0 || letters[n] == '*';
}

/* what is computed lane by lane has the lanes of its result; a condition may be one for all */
static bool have_one_shape(const ttir_lift *lift, const as_ttir_op *op) {
  for (uint32_t i = 0; i < op->n_operand; i++) {
    const as_ttir_type *type = ttir_type_of(lift, op->operand[i]);
    bool condition = i == 0 && op->n_operand == 3 && ttir_is_truth(type) && type->rank == 0;
    if (!condition && !ttir_same_shape(type, ttir_type_of(lift, op->result[0])))
      return false;
  }
  return true;
}

bool ttir_fits(ttir_lift *lift, const as_ttir_op *op, const ttir_row *row) {
  bool fits = are_kinds(lift, row->operands, op->operand, op->n_operand, op) &&
              are_kinds(lift, row->results, op->result, op->n_result, op) &&
              (!ttir_is_lane_wise(row->role) || have_one_shape(lift, op));
  return fits || ttir_refuse(lift, op, "its operands and results do not fit together");
}

bool ttir_yields(ttir_lift *lift, const as_ttir_op *op, const as_ttir_region *region,
                 const uint32_t *value, uint32_t n, bool elements) {
  const as_ttir_op *yield = ttir_last(region);
  bool fits = n == 0 || (yield && yield->n_operand == n);
  for (uint32_t i = 0; fits && i < n; i++) {
    as_ttir_type type = *ttir_type_of(lift, value[i]);
    type.rank = elements ? 0 : type.rank;
    fits = ttir_same_type(&type, ttir_type_of(lift, yield->operand[i]));
  }
  return fits || ttir_refuse(lift, op, "its region yields something else than its results");
}

bool ttir_enters(ttir_lift *lift, const as_ttir_op *op, const as_ttir_region *region,
                 uint32_t first, const uint32_t *value, uint32_t n, bool elements) {
  bool fits = region->n_argument >= first + n;
  for (uint32_t i = 0; fits && i < n; i++) {
    as_ttir_type type = *ttir_type_of(lift, value[i]);
    type.rank = elements ? 0 : type.rank;
    fits = ttir_same_type(&type, ttir_type_of(lift, region->argument[first + i]));
  }
  return fits || ttir_refuse(lift, op, "its region takes something else than its operands");
}

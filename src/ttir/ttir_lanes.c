/* Lanes of a masked load that nobody reads: what a load without `other` leaves without a value may
 * then be any number, 0 for one.  Of reals it matters only where something made of them is used
 * more than once, since that becomes a tile, all of whose lanes are computed. */
#include "ttir_lift.h"
#include <string.h>

typedef struct {
  const ttir_lift *lift;
  uint32_t mask; /* value */
  bool *has;     /* by value: lanes that the mask leaves out may have no value */
  bool shared;   /* something that is made of such lanes is used more than once */
} lanes;

static bool reads(const lanes *in, const as_ttir_op *op) {
  for (uint32_t i = 0; i < op->n_operand; i++) {
    if (in->has[op->operand[i]])
      return true;
  }
  return false;
}

/* does the operation look at such a lane? what is lane-wise hands it on */
static bool looks(lanes *in, const as_ttir_op *op) {
  ttir_role role = ttir_role_of(op);
  bool loads = role == TTIR_GETS;
  bool stores = role == TTIR_PUTS;
  uint32_t at = loads ? 1 : 2;
  if (!reads(in, op) || role == TTIR_ASSERTS)
    return false;
  if (loads || stores)
    return op->n_operand <= at || op->operand[at] != in->mask || in->has[in->mask] ||
           (loads && op->n_operand > 2 && in->has[op->operand[2]]);
  if (!ttir_is_lane_wise(role) || op->n_region > 0)
    return true;
  for (uint32_t i = 0; i < op->n_result; i++) {
    in->has[op->result[i]] = true;
    in->shared |= in->lift->kernel->value[op->result[i]].uses > 1;
  }
  return false;
}

static bool looked_at(lanes *in, const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    if (looks(in, op))
      return true;
    for (uint32_t k = 0; k < op->n_region; k++) {
      if (looked_at(in, &op->region[k]))
        return true;
    }
  }
  return false;
}

bool ttir_lanes_unread(const ttir_lift *lift, const as_ttir_op *load) {
  if (load->n_operand != 2)
    return false;
  lanes in = {.lift = lift,
              .mask = load->operand[1],
              .has = as_arena_alloc(lift->mem, lift->kernel->n_value * sizeof *in.has)};
  memset(in.has, 0, lift->kernel->n_value * sizeof *in.has);
  in.has[load->result[0]] = true;
  bool unread = !looked_at(&in, &lift->kernel->body);
  bool real = ttir_type_of(lift, load->result[0])->kind == AS_TTIR_FLOAT;
  return unread && (!real || in.shared);
}

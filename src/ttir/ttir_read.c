/* Values of which every lane is read by something that a kernel does: computing all lanes then asks
 * for no more than the kernel itself.  What is not seen here is taken as not read. */
#include "ttir_lift.h"
#include <string.h>

typedef struct {
  const as_ttir_kernel *kernel;
  bool *read;                  /* by value: all lanes are */
  const ttir_mask *known;      /* by value, of the masks of stores; NULL: nothing */
  const as_ttir_region **home; /* by value: where it is computed; NULL: where that is not always */
} reads;

static bool is_lane_wise(const as_ttir_op *op) {
  return op->n_region == 0 && ttir_is_lane_wise(ttir_role_of(op));
}

/* does it return one operation of both of its arguments? */
static bool is_one_operation(const as_ttir_region *region) {
  if (region->n_op != 2 || region->n_argument != 2 || !is_lane_wise(region->op[0]))
    return false;
  const as_ttir_op *of = region->op[0];
  const as_ttir_op *returned = region->op[1];
  uint32_t first = region->argument[0];
  uint32_t second = region->argument[1];
  return of->n_operand == 2 && of->n_result == 1 && returned->n_operand == 1 &&
         returned->operand[0] == of->result[0] &&
         ((of->operand[0] == first && of->operand[1] == second) ||
          (of->operand[0] == second && of->operand[1] == first));
}

/* all results together are made of every lane of the operands */
static bool combines_lanes(const as_ttir_op *op) {
  ttir_role role = ttir_role_of(op);
  bool by_one = op->n_region == 1 && op->n_operand == 1 && is_one_operation(&op->region[0]);
  return role == TTIR_MULTIPLIES || (role == TTIR_FOLDS && by_one);
}

static void learn(reads *in, const as_ttir_region *region, bool executed) {
  for (uint32_t i = 0; i < region->n_argument; i++)
    in->home[region->argument[i]] = executed ? region : NULL;
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    for (uint32_t k = 0; k < op->n_result; k++)
      in->home[op->result[k]] = executed ? region : NULL;
    bool loops = ttir_role_of(op) == TTIR_REPEATS;
    for (uint32_t k = 0; k < op->n_region; k++)
      learn(in, &op->region[k], executed && loops);
  }
}

static bool results_read(const reads *in, const as_ttir_op *op) {
  for (uint32_t i = 0; i < op->n_result; i++) {
    if (!in->read[op->result[i]])
      return false;
  }
  return op->n_result > 0;
}

/* does the operation, where it is executed, read all lanes of that operand? */
static bool reads_all(const reads *in, const as_ttir_op *op, uint32_t operand) {
  ttir_role role = ttir_role_of(op);
  if (role == TTIR_PUTS) {
    bool plain = op->n_operand == 2 || (in->known && in->known[op->operand[2]] == TTIR_ALWAYS);
    return operand == 1 && plain;
  }
  bool chosen = role == TTIR_CHOOSES && operand > 0;
  return !chosen && (is_lane_wise(op) || role == TTIR_MOVES || combines_lanes(op)) &&
         results_read(in, op);
}

/* uses come behind what they use; one in a region within may be executed less often */
static void look(reads *in, const as_ttir_region *region) {
  for (uint32_t i = region->n_op; i-- > 0;) {
    const as_ttir_op *op = region->op[i];
    for (uint32_t k = 0; k < op->n_operand; k++) {
      if (in->home[op->operand[k]] == region && reads_all(in, op, k))
        in->read[op->operand[k]] = true;
    }
    for (uint32_t k = 0; k < op->n_region; k++)
      look(in, &op->region[k]);
  }
}

bool *ttir_all_read(as_arena *mem, const as_ttir_kernel *kernel, const ttir_mask *known) {
  size_t n = kernel->n_value + 1;
  reads in = {kernel, as_arena_alloc(mem, n * sizeof *in.read), known,
              as_arena_alloc(mem, n * sizeof(const as_ttir_region *))};
  memset(in.read, 0, n * sizeof *in.read);
  for (size_t i = 0; i < n; i++)
    in.home[i] = NULL;
  learn(&in, &kernel->body, true);
  look(&in, &kernel->body);
  return in.read;
}

/* Which units are a matrix product alone.  A product at kernel level is a fold of a product of two
 * elements, whose places in memory are sums of indices times strides: views that the lowering has
 * written out where they are read (transposed, a part, other axes) are such strides too.  A block
 * graph is one where each operand's tile and the result's lie alike, and k goes over the loop. */
#include "product.h"
#include "fault.h"
#include "live.h"
#include "src/base/id.h"
#include "tf32.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZERO 0u

/* an operand: a tensor, and how many elements apart its indices are, of each axis of the result and
 * of k, which is numbered behind them */
typedef struct {
  uint32_t value;
  as_size step[AS_MAX_RANK + 1];
  as_size first;
} operand;

typedef struct {
  operand left;
  operand right;
  as_size depth;
  uint32_t result;
} product;

static as_size extent_of(const lo_job *job, long bound, uint32_t live) {
  return live ? lo_cut_row(job, live)->extent : as_size_int(job->graph->sizes, bound);
}

/* elements from one index of an axis to the next, as lo_live_stride has it in kernels: tensors
 * between kernels have the room of the bounds, parts the strides of what they lie in */
static as_size stride_of(const lo_job *job, const lo_value *tensor, int axis) {
  as_size stride = AS_SIZE_ONE;
  if (tensor->kind == LV_GLOBAL && tensor->buffer_class == LG_PART)
    return as_size_int(job->graph->sizes, tensor->stride[axis]);
  for (int i = axis + 1; i < tensor->rank; i++) {
    uint32_t live = tensor->buffer_class == LG_WORK ? 0 : tensor->live_dim[i];
    stride = as_size_mul(job->graph->sizes, stride, extent_of(job, tensor->dim[i], live));
  }
  return stride;
}

/* An index as whole multiples of variables and a number; false: it is nothing of that kind. */
static bool read_index(const lx *index, long factor, int n_var, long *times, long *first) {
  switch (index->op) {
  case LX_INT:
    *first += factor * index->number;
    return true;
  case LX_VAR:
    if (index->number >= n_var)
      return false;
    times[index->number] += factor;
    return true;
  case LX_ADD:
    return read_index(index->kid[0], factor, n_var, times, first) &&
           read_index(index->kid[1], factor, n_var, times, first);
  case LX_SUB:
    return read_index(index->kid[0], factor, n_var, times, first) &&
           read_index(index->kid[1], -factor, n_var, times, first);
  case LX_MUL:
    if (index->kid[0]->op == LX_INT)
      return read_index(index->kid[1], factor * index->kid[0]->number, n_var, times, first);
    if (index->kid[1]->op == LX_INT)
      return read_index(index->kid[0], factor * index->kid[1]->number, n_var, times, first);
    return false;
  default:
    return false;
  }
}

/* Are an axis and the next, which lie as one in memory, read at i div n and i mod n, n the extent
 * of the second?  *index: that i, along the second. */
static bool are_one(const lo_job *job, const lx *read, int axis, const lx **index) {
  const lo_value *tensor = &job->value[read->val];
  const lx *slow = read->kid[axis];
  const lx *fast = read->kid[axis + 1];
  long extent = tensor->dim[axis + 1];
  bool divided = slow->op == LX_IDIV && fast->op == LX_MOD && slow->kid[1]->op == LX_INT &&
                 slow->kid[1]->number == extent && lx_equal(slow->kid[1], fast->kid[1]) &&
                 lx_equal(slow->kid[0], fast->kid[0]);
  as_size row = as_size_mul(job->graph->sizes, stride_of(job, tensor, axis + 1),
                            as_size_int(job->graph->sizes, extent));
  if (!divided || tensor->live_dim[axis + 1] || stride_of(job, tensor, axis) != row)
    return false;
  *index = slow->kid[0];
  return true;
}

/* `rank` axes of the result, then k */
static const char *read_operand(const lo_job *job, const lx *read, int rank, operand *out) {
  as_sizes *sizes = job->graph->sizes;
  if (read->op != LX_REF || job->value[read->val].place != LP_GLOBAL)
    return "a factor is no element of a tensor in memory";
  const lo_value *tensor = &job->value[read->val];
  out->value = read->val;
  out->first = ZERO;
  for (int i = 0; i <= rank; i++)
    out->step[i] = ZERO;
  long times[AS_MAX_RANK + 1] = {0};
  for (int axis = 0; axis < read->n; axis++) {
    long along[AS_MAX_RANK + 1] = {0};
    long first = 0;
    const lx *index = read->kid[axis];
    if (axis + 1 < read->n && are_one(job, read, axis, &index))
      axis++;
    as_size stride = stride_of(job, tensor, axis);
    if (!read_index(index, 1, rank + 1, along, &first) || first < 0)
      return "an operand is not read by strides";
    out->first =
        as_size_add(sizes, out->first, as_size_mul(sizes, stride, as_size_int(sizes, first)));
    for (int i = 0; i <= rank; i++) {
      if (along[i] < 0)
        return "an operand is read backwards";
      times[i] += along[i];
      as_size step = as_size_mul(sizes, stride, as_size_int(sizes, along[i]));
      out->step[i] = as_size_add(sizes, out->step[i], step);
    }
  }
  return NULL;
}

/* The term of a sum, without the condition that k is below how many terms there are: the depth that
 * the library is told has no others. */
static lx *term_of(const lo_job *job, const lo_value *sum) {
  lx *term = sum->body;
  if (term->op != LX_IF || term->kid[2]->op != LX_NUM || term->kid[2]->real < 0 ||
      term->kid[2]->real > 0)
    return term;
  const lx *test = term->kid[0];
  bool ends = test->op == LX_LT && test->kid[0]->op == LX_VAR &&
              test->kid[0]->number == sum->rank && test->kid[1]->op == LX_CUT && sum->extent_live;
  if (!ends)
    return term;
  const lo_cut *end = lo_cut_row(job, (uint32_t)test->kid[1]->number);
  return end->live && end->extent == lo_cut_row(job, sum->extent_live)->extent ? term->kid[1]
                                                                               : term;
}

/* the two factors of a sum of products; NULL: they are */
static const char *factors(const lo_job *job, const lo_value *sum, lx **factor) {
  if (sum->kind != LV_RED || sum->red != LO_SUM)
    return "it is no sum of products";
  const lx *term = term_of(job, sum);
  if (term->op != LX_MUL)
    return "it is no sum of products";
  factor[0] = term->kid[0];
  factor[1] = term->kid[1];
  return NULL;
}

static const char *read_flat(const lo_job *job, const lo_unit *unit, product *out) {
  const lo_value *sum = &job->value[unit->flat_val];
  lx *factor[2];
  const char *why = factors(job, sum, factor);
  if (why == NULL)
    why = read_operand(job, factor[0], sum->rank, &out->left);
  if (why == NULL)
    why = read_operand(job, factor[1], sum->rank, &out->right);
  if (why == NULL)
    out->depth = extent_of(job, sum->extent, sum->extent_live);
  out->result = unit->flat_val;
  return why;
}

/* --- block graphs */
/* a tile of the block, with what is only seen with other axes written out; NULL: it is no element
 * of a tile that is loaded */
static lx *loaded(lo_job *job, lx *read) {
  while (read->op == LX_REF && job->value[read->val].kind == LV_MAP)
    read = lx_subst(job, job->value[read->val].body, read->kid, read->n);
  return read->op == LX_REF && job->value[read->val].kind == LV_LOAD ? read : NULL;
}

typedef struct {
  const lo_value *sum; /* of a tile */
  const lo_store *store;
  bool by_loop;
} tiled;

/* Does this axis of a tile that is loaded lie as the result's axis `var` does, or, of k, alone in
 * the loop? */
static bool lies_alike(const tiled *of, const lo_value *load, int axis, int var) {
  if (var == of->sum->rank)
    return load->dim[axis] == of->sum->extent && load->grid_axis[axis] < 0 &&
           load->by_loop[axis] == of->by_loop;
  return load->dim[axis] == of->sum->dim[var] && !load->by_loop[axis] &&
         load->grid_axis[axis] == of->store->grid_axis[var] &&
         load->slower_axes[axis] == of->store->slower_axes[var];
}

/* Then the indices of the tile, read as those of the tensor, say the same. */
static const char *read_tile(lo_job *job, const tiled *of, lx *read, operand *out) {
  lx *element = loaded(job, read);
  if (element == NULL)
    return "a factor is no element of a tile that is loaded";
  const lo_value *load = &job->value[element->val];
  for (int axis = 0; axis < load->rank; axis++) {
    const lx *index = element->kid[axis];
    bool whole = index->op == LX_INT && load->dim[axis] == 1 && load->grid_axis[axis] < 0 &&
                 !load->by_loop[axis];
    bool alike = index->op == LX_VAR && lies_alike(of, load, axis, (int)index->number);
    if (load->cut[axis] || !(whole || alike))
      return load->cut[axis] ? "its tiles are cut off or left to run time"
                             : "a tile lies otherwise than the result's";
  }
  lx *global = lx_ref(job, load->source, element->n, element->kid);
  return read_operand(job, global, of->sum->rank, out);
}

/* the extent of the axis that k is the index of */
static as_size depth_of(lo_job *job, lx *read, int rank) {
  const lx *element = loaded(job, read);
  const lo_value *source = &job->value[job->value[element->val].source];
  for (int axis = 0; axis < element->n; axis++) {
    if (element->kid[axis]->op == LX_VAR && element->kid[axis]->number == rank)
      return extent_of(job, source->dim[axis], source->live_dim[axis]);
  }
  return AS_SIZE_BAD;
}

static const char *read_block(lo_job *job, const lo_unit *unit, product *out) {
  if (unit->n_store != 1)
    return "it has several results";
  tiled of = {.store = &unit->store[0]};
  const lo_value *stored = &job->value[of.store->val];
  of.by_loop = stored->kind == LV_ACC;
  if (of.by_loop && stored->acc != AS_ACC_SUM)
    return "it is no sum over its iterations";
  of.sum = of.by_loop ? &job->value[stored->of] : stored;
  lx *factor[2];
  const char *why = factors(job, of.sum, factor);
  if (why)
    return why;
  int rank = of.sum->rank;
  for (int axis = 0; axis < rank; axis++) {
    if (of.store->cut[axis])
      return "its tiles are cut off or left to run time";
  }
  why = read_tile(job, &of, factor[0], &out->left);
  if (why == NULL)
    why = read_tile(job, &of, factor[1], &out->right);
  if (why)
    return why;
  out->depth = depth_of(job, factor[0], rank);
  out->result = of.store->target;
  bool same = out->depth != AS_SIZE_BAD && depth_of(job, factor[1], rank) == out->depth;
  return same ? NULL : "one operand has no axis that is summed over";
}

/* --- the call */
static const char *types_fit(const lo_job *job, const product *of) {
  as_dtype left = job->value[of->left.value].dtype;
  as_dtype right = job->value[of->right.value].dtype;
  as_dtype result = job->value[of->result].dtype;
  if (left != right)
    return "its operands have two types";
  if (left != AS_F32 && left != AS_F16 && left != AS_BF16)
    return "its operands have a type that the library does not multiply";
  return result == AS_F32 || result == left ? NULL
                                            : "operands and result have types that the "
                                              "library does not join";
}

static as_size room_of(const lo_job *job, const lo_value *tensor) {
  as_size first = AS_SIZE_ONE;
  if (tensor->rank)
    first =
        extent_of(job, tensor->dim[0], tensor->buffer_class == LG_WORK ? 0 : tensor->live_dim[0]);
  return as_size_mul(job->graph->sizes, first, tensor->rank ? stride_of(job, tensor, 0) : first);
}

static const char *arrange(const lo_job *job, const product *of, lo_library_call *call) {
  const lo_value *result = &job->value[of->result];
  lo_gemm_product strided = {.n_axis = result->rank,
                             .depth = of->depth,
                             .left_step = of->left.step[result->rank],
                             .right_step = of->right.step[result->rank]};
  for (int axis = 0; axis < result->rank; axis++) {
    strided.axis[axis] =
        (lo_gemm_axis){.extent = extent_of(job, result->dim[axis], result->live_dim[axis]),
                       .left = of->left.step[axis],
                       .right = of->right.step[axis],
                       .result = stride_of(job, result, axis)};
  }
  const char *why = lo_gemm_arrange(job->graph->sizes, job->size_value, &strided, &call->gemm);
  const operand *a = call->gemm.swapped ? &of->right : &of->left;
  const operand *b = call->gemm.swapped ? &of->left : &of->right;
  call->a = a->value;
  call->b = LO_FAULT(LO_FAULT_OPERANDS) ? a->value : b->value;
  call->result = of->result;
  call->a_first = a->first;
  call->b_first = b->first;
  call->room = room_of(job, result);
  return why;
}

static const char *read_unit(lo_job *job, const lo_unit *unit, lo_library_call *call) {
  product of;
  const char *why = unit->flat ? read_flat(job, unit, &of) : read_block(job, unit, &of);
  if (why == NULL)
    why = types_fit(job, &of);
  return why ? why : arrange(job, &of, call);
}

/* --- the choice */
static double value_of(const lo_job *job, as_size size) {
  return (double)as_size_eval(job->graph->sizes, size, job->size_value);
}

static double bytes_of(const lo_value *tensor) {
  return (double)lo_elems(tensor) * as_dtype_bytes(tensor->dtype);
}

/* what is believed instead of checked must be worth it */
static const double CLEARLY = 0.9;

/* Is it expected to be faster than our kernel, on tensor cores where the program's user permits
 * that?  At the bounds of sizes left to run time. */
static bool is_faster(lo_job *job, const lo_unit *unit, const lo_library_call *call) {
  const as_target *target = job->options->target;
  const lo_value *a = &job->value[call->a];
  const lo_value *b = &job->value[call->b];
  const lo_value *result = &job->value[call->result];
  double results = (double)lo_elems(result);
  as_target_product asked = {.bytes = bytes_of(a) + bytes_of(b) + bytes_of(result),
                             .results = results,
                             .work = results * value_of(job, call->gemm.depth),
                             .lanes = 1,
                             .wide = a->dtype == AS_F32};
  double library = as_target_library_us(target, &asked);
  double own = as_target_product_us(target, &asked);
  double wide = asked.wide ? as_target_wide_us(target, asked.work) : 0;
  own = fmin(fmax(wide, own), lo_tf32_us(job, unit));
  as_str_printf(&job->notes, "%s: by the model %.1f us as a call of %s, %.1f us as a kernel\n",
                unit->name, library, LO_LIBRARY_NAME, own);
  return library < CLEARLY * own;
}

/* why the unit is a kernel of ours; NULL: it is called */
static const char *decide(lo_job *job, lo_unit *unit) {
  lo_library_call call;
  if (job->options->target->library == AS_LIBRARY_AUTO && !unit->flat)
    return "its block graph is what was chosen";
  const char *why = read_unit(job, unit, &call);
  if (why)
    return why;
  if (job->options->target->library == AS_LIBRARY_AUTO && !is_faster(job, unit, &call))
    return "a kernel is expected to be as fast";
  unit->library = as_arena_alloc(job->arena, sizeof call);
  *unit->library = call;
  return NULL;
}

void lo_library_units(lo_job *job) {
  if (job->options->target->library == AS_LIBRARY_NEVER)
    return;
  bool called = false;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    const char *why = decide(job, unit);
    called = called || why == NULL;
    if (why)
      as_str_printf(&job->notes, "%s: no call of %s: %s\n", unit->name, LO_LIBRARY_NAME, why);
    else
      as_str_printf(&job->notes, "%s: a call of %s, believed, not validated\n", unit->name,
                    LO_LIBRARY_NAME);
  }
  job->library_bytes = called ? job->options->target->library_workspace : 0;
}

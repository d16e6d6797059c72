/* Results that are only read in parts: `h = x @ w`, of which `h[:, a:b]` and `h[:, b:c]` are used.
 * The parts are computed apart from the parts of the operands, `x @ w[:, a:b]`, down to the inputs,
 * whose parts are tensors that lie in them (src/ir/strided.c): no kernel makes them.  So what goes
 * on with the parts may share a kernel with the product.
 *
 * No rule names an operator.  A *slice* is one that reads one axis at computed places and is given
 * that axis as an attribute.  An operator passes an axis on when the axis of its result is an axis
 * of its operands by the specification's indices, and it reduces nothing along it.  What comes of
 * it is searched and proved like any other order of the operators. */
#include "driver.h"
#include "src/base/id.h"
#include "src/base/map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The attribute that says which axis a slice is of; -1: the operator is none.  Its pattern is
 * `x[..a@axis, n, ..b] -> [..a, m, ..b]`, and it reads x[..a, some place, ..b]. */
static int axis_attribute(const as_opdef *op) {
  if (!sg_op_moves(op) || op->arg[0].n != 3 || op->nout != 3)
    return -1;
  const as_dim *in = op->arg[0].dim;
  const as_expr *body = op->let[0].body;
  bool lists = in[0].kind == AS_D_LIST && in[2].kind == AS_D_LIST && op->out[0].kind == AS_D_LIST &&
               op->out[2].kind == AS_D_LIST && strcmp(in[0].name, op->out[0].name) == 0 &&
               strcmp(in[2].name, op->out[2].name) == 0;
  bool one_axis = in[1].kind == AS_D_SIZE && op->out[1].kind == AS_D_SIZE;
  bool read = body->n == 3 && body->acc[0] == AS_IX_LIST && body->acc[1] == AS_IX_SCALAR &&
              body->acc[2] == AS_IX_LIST && body->kid[1]->kind != AS_E_NAME;
  const as_expr *count = in[0].count;
  if (!lists || !one_axis || !read || count == NULL || count->kind != AS_E_NAME)
    return -1;
  return sg_attr_index(op, count->name);
}

/* whether the node is a slice, and of which axis */
static bool is_slice(const as_graph *graph, uint32_t id, uint32_t *axis) {
  const as_node *node = &graph->node[id];
  if (node->kind != AS_N_OP || node->block != AS_NONE)
    return false;
  int attribute = axis_attribute(node->op);
  long value;
  if (attribute < 0 || !node->attr[attribute].is_size ||
      !as_size_is_const(graph->sizes, node->attr[attribute].size, &value))
    return false;
  value += value < 0 ? (long)node->rank : 0;
  *axis = (uint32_t)value;
  return value >= 0 && value < (long)node->rank;
}

/* --- which axes an operator passes on */

/* the operator alone, on inputs of its operands' shapes; the last node is the operator */
static as_graph *alone(const as_graph *graph, const as_node *node, as_node_id *arg) {
  as_graph *made = as_graph_new(graph->sizes, graph->lib, NULL, graph->name);
  as_err err;
  as_err_init(&err);
  bool ok = sg_copy_sizes(made, graph, &err);
  for (uint32_t i = 0; i < node->nargs && ok; i++) {
    const as_node *from = &graph->node[node->arg[i]];
    char name[16];
    snprintf(name, sizeof name, "x%u", i);
    arg[i] = as_graph_is_number(from)
                 ? as_graph_copy_number(made, from)
                 : as_graph_input(made, name, from->dtype, from->dim, from->rank, &err);
    ok = arg[i] != AS_NONE;
  }
  ok = ok &&
       as_graph_op(made, AS_NONE, NULL, node->op, arg, node->nargs, node->attr, &err) != AS_NONE;
  as_err_clear(&err);
  if (ok)
    return made;
  as_graph_free(made);
  return NULL;
}

static const sg_axes *axes_of(const sg_part *part, uint32_t id) {
  for (uint32_t i = 0; i < part->n; i++) {
    if (part->tensor[i] == id)
      return &part->axes[i];
  }
  return NULL;
}

/* the one axis of the class; -1: there is none, -2: several */
static int axis_of_class(const sg_axes *axes, uint32_t cls) {
  int found = -1;
  for (uint32_t i = 0; i < axes->rank; i++) {
    if (axes->ax[i] != SG_UNIT && SG_CLASS(axes->ax[i]) == cls)
      found = found == -1 ? (int)i : -2;
  }
  return found;
}

/* whether the operator uses the class for nothing but to pass it on */
static bool only_passes(const sg_part *part, const as_node *node, const sg_axes *arg, uint32_t cls,
                        const int *operand_axis, uint32_t axis) {
  uint32_t reduced = 0;
  sg_ctx ctx = {.part = part, .sizes = part->g->sizes, .strict_ones = true, .reduced = &reduced};
  sg_axes out;
  ax_id none;
  if (sg_apply(&ctx, node->op, node->attr, node->nargs, arg, NULL, &out, &none))
    return !(reduced >> cls & 1);
  sg_carried carried;
  bool passes =
      sg_carry(&ctx, node->op, node->attr, node->nargs, arg, &carried) && !carried.is_new[axis];
  for (uint32_t i = 0; i < node->nargs && passes; i++)
    passes = operand_axis[i] < 0 || !carried.computed[i][operand_axis[i]];
  return passes;
}

/* Whether an axis of the operator's result is passed on from operands.  operand_axis: by operand,
 * its axis, -1 where it has none: all of it is read for every index. */
static bool passes_axis(const as_graph *graph, uint32_t id, uint32_t axis, int *operand_axis) {
  const as_node *node = &graph->node[id];
  as_node_id arg[AS_MAX_ARGS];
  as_graph *one = alone(graph, node, arg);
  if (one == NULL)
    return false;
  uint32_t op = one->n - 1;
  uint32_t *last_use = sg_last_use(one);
  sg_part part;
  bool passes = sg_part_init(&part, one, &op, 1, last_use);
  free(last_use);
  if (passes) {
    const sg_axes *result = axes_of(&part, op);
    uint32_t cls = SG_CLASS(result->ax[axis]);
    passes = result->ax[axis] != SG_UNIT && axis_of_class(result, cls) >= 0;
    sg_axes arg_axes[AS_MAX_ARGS];
    uint32_t n_have = 0;
    for (uint32_t i = 0; i < node->nargs && passes; i++) {
      arg_axes[i] = *axes_of(&part, arg[i]);
      operand_axis[i] = axis_of_class(&arg_axes[i], cls);
      passes = operand_axis[i] != -2;
      n_have += operand_axis[i] >= 0;
    }
    passes = passes && n_have > 0 &&
             only_passes(&part, &one->node[op], arg_axes, cls, operand_axis, axis);
    sg_part_clear(&part);
  }
  as_graph_free(one);
  return passes;
}

/* --- what is divided */
typedef struct {
  const as_graph *from;
  as_graph *to;
  int *divided;       /* by node: the axis along which only slices of it are read, or -1 */
  uint32_t *n_reader; /* by node */
  as_node_id *made;   /* by node: all of it */
  as_vec parts;       /* made_part */
  uint32_t fresh;
  as_err err;
} dividing;

typedef struct {
  uint32_t node;
  uint32_t axis;
  uint32_t slice; /* node of the slice whose attributes say which part */
  as_node_id made;
} made_part;

/* whether parts along the axis can be made of parts of inputs */
static bool is_made_of_parts(const dividing *work, uint32_t id, uint32_t axis) {
  const as_node *node = &work->from->node[id];
  int operand_axis[AS_MAX_ARGS];
  if (node->kind == AS_N_INPUT)
    return node->dtype != AS_INT && !node->is_index_tensor;
  if (node->kind != AS_N_OP || !passes_axis(work->from, id, axis, operand_axis))
    return false;
  for (uint32_t i = 0; i < node->nargs; i++) {
    uint32_t operand = node->arg[i];
    bool shared = work->from->node[operand].kind == AS_N_OP && work->n_reader[operand] != 1;
    if (operand_axis[i] >= 0 &&
        (shared || !is_made_of_parts(work, operand, (uint32_t)operand_axis[i])))
      return false;
  }
  return true;
}

static bool same_attributes(const as_node *one, const as_node *other) {
  bool same = one->op == other->op;
  for (uint32_t i = 0; i < one->op->nattrs && same; i++)
    same = sg_attr_same(&one->attr[i], &other->attr[i]);
  return same;
}

/* The axis along which all that read the node are slices that together are no more than it; -1:
 * there is none. */
static int sliced_along(const as_graph *graph, uint32_t id) {
  int along = -1;
  double total = 0;
  for (uint32_t i = 0; i < graph->n_output; i++) {
    if (graph->output[i] == id)
      return -1;
  }
  for (uint32_t reader = id + 1; reader < graph->n; reader++) {
    const as_node *node = &graph->node[reader];
    uint32_t axis = 0;
    bool reads = false;
    for (uint32_t k = 0; k < node->nargs; k++)
      reads |= node->arg[k] == id;
    if (!reads)
      continue;
    if (!is_slice(graph, reader, &axis) || (along >= 0 && axis != (uint32_t)along))
      return -1;
    along = (int)axis;
    bool seen = false;
    for (uint32_t before = id + 1; before < reader && !seen; before++)
      seen = graph->node[before].kind == AS_N_OP && graph->node[before].arg[0] == id &&
             graph->node[before].nargs == 1 && same_attributes(&graph->node[before], node);
    if (!seen)
      total += sg_concrete_extent(graph->sizes, node->dim[axis]);
  }
  bool fits = along >= 0 && total <= sg_concrete_extent(graph->sizes, graph->node[id].dim[along]);
  return fits ? along : -1;
}

static bool find_divided(dividing *work) {
  const as_graph *graph = work->from;
  bool any = false;
  for (uint32_t i = 0; i < graph->n; i++) {
    for (uint32_t k = 0; k < graph->node[i].nargs; k++)
      work->n_reader[graph->node[i].arg[k]]++;
  }
  for (uint32_t i = 0; i < graph->n; i++) {
    work->divided[i] = graph->node[i].kind == AS_N_OP ? sliced_along(graph, i) : -1;
    if (work->divided[i] >= 0 && !is_made_of_parts(work, i, (uint32_t)work->divided[i]))
      work->divided[i] = -1;
    any |= work->divided[i] >= 0;
  }
  return any;
}

/* --- the program with parts of operands */
static const char *fresh_name(dividing *work, char *room, size_t size) {
  do
    snprintf(room, size, "part%u", ++work->fresh);
  while (!sg_name_is_free(work->from, room) || !sg_name_is_free(work->to, room));
  return room;
}

/* the slice's operator on another tensor, along another axis */
static as_node_id apply_slice(dividing *work, uint32_t slice, as_node_id to, uint32_t axis) {
  const as_node *node = &work->from->node[slice];
  as_attr attr[AS_MAX_ATTRS];
  char name[24];
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  for (uint32_t i = 0; i < node->op->nattrs; i++)
    as_attr_set(&attr[i], &node->attr[i]);
  attr[axis_attribute(node->op)].size = as_size_int(work->to->sizes, (long)axis);
  as_node_id made = as_graph_op(work->to, AS_NONE, fresh_name(work, name, sizeof name), node->op,
                                &to, 1, attr, &work->err);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return made;
}

static as_node_id copy_whole(dividing *work, uint32_t id);

static as_node_id part_of(dividing *work, uint32_t id, uint32_t slice, uint32_t axis,
                          const char *name);

static as_node_id make_part(dividing *work, uint32_t id, uint32_t slice, uint32_t axis,
                            const char *name) {
  const as_node *node = &work->from->node[id];
  int operand_axis[AS_MAX_ARGS];
  as_node_id arg[AS_MAX_ARGS];
  char room[24];
  if (node->kind == AS_N_INPUT)
    return apply_slice(work, slice, work->made[id], axis);
  if (!passes_axis(work->from, id, axis, operand_axis))
    return AS_NONE;
  for (uint32_t i = 0; i < node->nargs; i++) {
    arg[i] = operand_axis[i] < 0
                 ? copy_whole(work, node->arg[i])
                 : part_of(work, node->arg[i], slice, (uint32_t)operand_axis[i], NULL);
    if (arg[i] == AS_NONE)
      return AS_NONE;
  }
  return as_graph_op(work->to, AS_NONE, name ? name : fresh_name(work, room, sizeof room), node->op,
                     arg, node->nargs, node->attr, &work->err);
}

/* the part of a node along the axis that the slice's attributes name; name: NULL, a fresh one */
static as_node_id part_of(dividing *work, uint32_t id, uint32_t slice, uint32_t axis,
                          const char *name) {
  for (uint32_t i = 0; i < work->parts.n; i++) {
    const made_part *part = &AS_VEC_AT(&work->parts, made_part, i);
    if (part->node == id && part->axis == axis &&
        same_attributes(&work->from->node[part->slice], &work->from->node[slice]))
      return part->made;
  }
  as_node_id made = make_part(work, id, slice, axis, name);
  if (made == AS_NONE)
    return AS_NONE;
  uint32_t of = 0;
  is_slice(work->from, slice, &of);
  if (!as_graph_same_size(work->to, work->to->node[made].dim[axis],
                          work->from->node[slice].dim[of]))
    return AS_NONE;
  as_vec_push(&work->parts, &(made_part){id, axis, slice, made});
  return made;
}

static as_node_id copy_whole(dividing *work, uint32_t id) {
  const as_node *node = &work->from->node[id];
  as_node_id arg[AS_MAX_ARGS];
  uint32_t axis;
  if (work->made[id] != AS_NONE)
    return work->made[id];
  if (as_graph_is_number(node)) {
    work->made[id] = as_graph_copy_number(work->to, node);
  } else if (is_slice(work->from, id, &axis) && work->divided[node->arg[0]] >= 0) {
    work->made[id] = part_of(work, node->arg[0], id, axis, node->name);
  } else {
    for (uint32_t i = 0; i < node->nargs; i++) {
      arg[i] = copy_whole(work, node->arg[i]);
      if (arg[i] == AS_NONE)
        return AS_NONE;
    }
    work->made[id] = as_graph_op(work->to, AS_NONE, node->name, node->op, arg, node->nargs,
                                 node->attr, &work->err);
  }
  return work->made[id];
}

/* sizes and inputs; made: by node of the program */
static bool copy_inputs(const as_graph *from, as_graph *to, as_node_id *made, as_err *err) {
  bool copied = sg_copy_sizes(to, from, err);
  for (uint32_t i = 0; i < from->n; i++)
    made[i] = AS_NONE;
  for (uint32_t i = 0; i < from->n_input && copied; i++) {
    const as_node *input = &from->node[from->input[i]];
    as_node_id id = as_graph_input(to, input->name, input->dtype, input->dim, input->rank, err);
    made[from->input[i]] = id;
    copied = id != AS_NONE;
  }
  return copied;
}

static bool copy_outputs(dividing *work) {
  const as_graph *from = work->from;
  for (uint32_t i = 0; i < from->n_output; i++) {
    as_node_id made = copy_whole(work, from->output[i]);
    if (made == AS_NONE || !as_graph_output(work->to, made, &work->err))
      return false;
  }
  return true;
}

as_graph *sg_divided(const as_graph *program) {
  dividing work = {.from = program,
                   .to = as_graph_new(program->sizes, program->lib, NULL, program->name),
                   .divided = as_malloc((program->n + 1) * sizeof(int)),
                   .n_reader = as_calloc(program->n + 1, sizeof(uint32_t)),
                   .made = as_malloc((program->n + 1) * sizeof(as_node_id))};
  as_err_init(&work.err);
  as_vec_init(&work.parts, sizeof(made_part));
  if (!find_divided(&work) || !copy_inputs(program, work.to, work.made, &work.err) ||
      !copy_outputs(&work)) {
    as_graph_free(work.to);
    work.to = NULL;
  }
  free(work.divided);
  free(work.n_reader);
  free(work.made);
  as_vec_clear(&work.parts);
  as_err_clear(&work.err);
  return work.to;
}

/* --- parts of inputs as inputs */
static void add_slice(sg_slices *slices, uint32_t input, const as_opdef *op, const as_attr *attr) {
  slices->slice = as_realloc(slices->slice, (slices->n + 1) * sizeof *slices->slice);
  sg_slice *added = &slices->slice[slices->n++];
  *added = (sg_slice){.input = input, .op = op};
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&added->attr[i]);
  for (uint32_t i = 0; i < op->nattrs; i++)
    as_attr_set(&added->attr[i], &attr[i]);
}

void sg_slices_copy(sg_slices *to, const sg_slices *from) {
  *to = (sg_slices){.n = 0};
  for (uint32_t i = 0; i < from->n; i++)
    add_slice(to, from->slice[i].input, from->slice[i].op, from->slice[i].attr);
}

void sg_slices_clear(sg_slices *slices) {
  for (uint32_t i = 0; i < slices->n; i++) {
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
      as_attr_clear(&slices->slice[i].attr[k]);
  }
  free(slices->slice);
  *slices = (sg_slices){.n = 0};
}

/* By node: does it lie in an input, forward, behind nothing but moves, and is it no output? */
static bool *find_lying(const as_graph *program) {
  bool *lies = as_calloc(program->n + 1, sizeof *lies);
  for (uint32_t id = 0; id < program->n; id++) {
    const as_node *node = &program->node[id];
    as_strided at;
    if (node->kind != AS_N_OP || node->block != AS_NONE || !sg_op_moves(node->op))
      continue;
    bool behind = program->node[node->arg[0]].kind == AS_N_INPUT || lies[node->arg[0]];
    lies[id] =
        behind && as_graph_strided(program, id, &at) && as_graph_lies_forward(program, id, &at);
    for (uint32_t i = 0; i < program->n_output; i++)
      lies[id] = lies[id] && program->output[i] != id;
  }
  return lies;
}

/* whether two axes are exchanged, neither of them the last one: a row is a row still */
static bool exchanges_rows(const as_graph *program, uint32_t id) {
  const as_node *node = &program->node[id];
  const as_node *of = &program->node[node->arg[0]];
  as_strided at;
  long stride;
  return !sg_op_computes_place(node->op) && node->rank == of->rank && node->rank > 2 &&
         as_graph_strided(program, id, &at) &&
         as_size_is_const(program->sizes, at.stride[node->rank - 1], &stride) && stride == 1;
}

/* A slice, a tensor with an axis written as two, or two as one, or with axes exchanged.  Not the
 * last one: blocks see heads of rows where they read them (views.c).  Axes of extent 1 are left to
 * what reads them, too. */
static bool begins_part(const as_graph *program, uint32_t id) {
  const as_node *node = &program->node[id];
  const as_node *of = &program->node[node->arg[0]];
  uint32_t axis;
  if (is_slice(program, id, &axis) || exchanges_rows(program, id))
    return true;
  bool written_otherwise = node->rank > of->rank || sg_op_view(node->op) == SG_VIEW_MERGE;
  return sg_op_computes_place(node->op) && written_otherwise && of->rank > 0 && node->rank > 0 &&
         as_graph_same_size(program, node->dim[node->rank - 1], of->dim[of->rank - 1]);
}

/* By node: is it a part of an input, or what such a part is made of? */
static bool *find_parts(const as_graph *program) {
  bool *lies = find_lying(program);
  bool *taken = as_calloc(program->n + 1, sizeof *taken);
  for (uint32_t id = program->n; id-- > 0;) {
    if (!lies[id])
      continue;
    taken[id] = taken[id] || begins_part(program, id);
    if (taken[id])
      taken[program->node[id].arg[0]] = true;
  }
  for (uint32_t i = 0; i < program->n_input; i++)
    taken[program->input[i]] = false;
  free(lies);
  return taken;
}

static bool copy_operators(const as_graph *from, as_graph *to, as_node_id *made, as_err *err) {
  for (uint32_t id = 0; id < from->n; id++) {
    const as_node *node = &from->node[id];
    as_node_id arg[AS_MAX_ARGS];
    if (made[id] != AS_NONE)
      continue;
    if (as_graph_is_number(node)) {
      made[id] = as_graph_copy_number(to, node);
      continue;
    }
    for (uint32_t i = 0; i < node->nargs; i++)
      arg[i] = made[node->arg[i]];
    made[id] = as_graph_op(to, AS_NONE, node->name, node->op, arg, node->nargs, node->attr, err);
    if (made[id] == AS_NONE)
      return false;
  }
  for (uint32_t i = 0; i < from->n_output; i++) {
    if (!as_graph_output(to, made[from->output[i]], err))
      return false;
  }
  return true;
}

as_graph *sg_parts_as_inputs(const as_graph *program, sg_slices *slices) {
  as_graph *to = as_graph_new(program->sizes, program->lib, NULL, program->name);
  as_node_id *made = as_malloc((program->n + 1) * sizeof *made);
  uint32_t *place = as_calloc(program->n + 1, sizeof *place); /* by node, among the inputs */
  bool *taken = find_parts(program);
  as_err err;
  as_err_init(&err);
  *slices = (sg_slices){.n = 0};
  bool copied = copy_inputs(program, to, made, &err);
  for (uint32_t i = 0; i < program->n_input; i++)
    place[program->input[i]] = i;
  for (uint32_t i = 0; i < program->n && copied; i++) {
    const as_node *node = &program->node[i];
    if (!taken[i])
      continue;
    uint32_t of = place[node->arg[0]];
    place[i] = program->n_input + slices->n;
    made[i] =
        as_graph_input(to, node->name, to->node[to->input[of]].dtype, node->dim, node->rank, &err);
    copied = made[i] != AS_NONE;
    add_slice(slices, of, node->op, node->attr);
  }
  copied = copied && slices->n > 0 && copy_operators(program, to, made, &err);
  free(made);
  free(place);
  free(taken);
  as_err_clear(&err);
  if (copied)
    return to;
  sg_slices_clear(slices);
  as_graph_free(to);
  return NULL;
}

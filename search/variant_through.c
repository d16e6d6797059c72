/* Changes of one term that need another axis, or another operator, than it has.
 *
 * A reduction along one axis goes through what does not need that axis: with f along axis a of g's
 * result,
 *
 *     f(g(x, y); a)  ->  g(x, f(y; b)),   g(f(x; c), f(y; b))
 *
 * for the axes b and c of the operands that have the extent of a.  So the sum of a product's rows
 * is a product with the sum of a matrix, the average of every sixteen of its columns a product with
 * a sixteenth of the matrix, and what a reduction does to a bias is done to the bias.  Where f
 * takes its axis away it leaves one of extent 1 in g's operands, which is taken from g's result.
 *
 * A term that is one number at whatever its operands are, is that number: x - x, and bounds that
 * leave nothing between them.
 *
 * What abstract expressions do not look into (windows, bounds) is compared at random numbers by the
 * test that candidates are put to (verify/field).  As with all changes, what is too generous here
 * costs a candidate. */
#include "src/base/id.h"
#include "variant_int.h"
#include "verify/field/field.h"
#include <stdlib.h>
#include <string.h>

/* --- of two nodes of a scratch program, whether random numbers tell them apart */
static const as_field_options quick = {
    .seed = 1, .runs = 2, .max_size = 3, .min_elements = 4, .max_ops = 300000, .total_ops = 600000};

/* elements of inputs: more of them take longer to draw than to evaluate */
enum { MOST_DRAWN = 100000 };

/* Are its inputs small enough to be drawn, as far as their extents are numbers?  An evaluation
 * stops after so many operations, but what it reads is there before. */
static bool has_small_inputs(const as_graph *graph) {
  double elements = 0;
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_node *input = &graph->node[graph->input[i]];
    double all = 1;
    for (uint32_t axis = 0; axis < input->rank; axis++) {
      long extent;
      all *= as_size_is_const(graph->sizes, input->dim[axis], &extent) ? (double)extent : 1;
    }
    elements += all;
  }
  return elements <= MOST_DRAWN;
}

static as_graph *with_output(const as_graph *graph, as_node_id output, as_err *err) {
  as_graph *copy = as_graph_copy(graph);
  if (as_graph_output(copy, output, err))
    return copy;
  as_graph_free(copy);
  return NULL;
}

static bool same_numbers(sg_scratch *to, as_node_id left, as_node_id right) {
  if (!has_small_inputs(to->graph))
    return false;
  as_graph *given = with_output(to->graph, left, &to->err);
  as_graph *changed = with_output(to->graph, right, &to->err);
  as_field_report report;
  bool same = false;
  if (given && changed) {
    same = as_field_test(given, changed, &quick, &report, &to->err) == AS_OK &&
           report.verdict == AS_OK;
    as_field_report_clear(&report);
  }
  if (given)
    as_graph_free(given);
  if (changed)
    as_graph_free(changed);
  return same;
}

static bool same(sg_scratch *to, as_node_id left, as_node_id right) {
  sg_meaning found = sg_same_meaning(to, left, right);
  return found == SG_MEANS_SAME || (found == SG_MEANS_UNKNOWN && same_numbers(to, left, right));
}

/* --- an operator with another attribute */
static as_attr *new_attrs(sg_terms *all) {
  as_attr *made = as_malloc(AS_MAX_ATTRS * sizeof *made);
  for (uint32_t i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&made[i]);
  as_vec_push(&all->attrs, &made);
  return made;
}

static void set_size(as_attr *attr, as_size size) {
  attr->is_size = true;
  attr->size = size;
}

/* the term with its attribute number `which` a size */
static sg_term with_attr(sg_terms *all, const sg_term *like, int which, as_size size) {
  as_attr *made = new_attrs(all);
  for (uint32_t i = 0; i < like->op->nattrs; i++) {
    if (like->attr)
      as_attr_set(&made[i], &like->attr[i]);
  }
  set_size(&made[which], size);
  sg_term changed = *like;
  changed.attr = made;
  return changed;
}

/* an operator of the library whose one attribute is a size; op NULL: there is none */
static sg_term library_op(sg_terms *all, const char *name, as_size attr) {
  sg_term made = {.source = AS_NONE, .op = as_oplib_find(all->program->lib, name), .nargs = 1};
  if (made.op && (made.op->nattrs != 1 || made.op->nargs != 1))
    made.op = NULL;
  return made.op ? with_attr(all, &made, 0, attr) : made;
}

static bool whole_number(const as_sizes *sizes, const as_attr *attr, long *value) {
  if (attr->is_size)
    return as_size_is_const(sizes, attr->size, value);
  if (mpz_cmp_ui(mpq_denref(attr->num), 1) || !mpz_fits_slong_p(mpq_numref(attr->num)))
    return false;
  *value = mpz_get_si(mpq_numref(attr->num));
  return true;
}

/* --- through */
typedef struct {
  sg_terms *all;
  uint32_t id;
  sg_term outer;            /* f */
  sg_term inner;            /* g */
  int which;                /* f's attribute */
  long axis;                /* of g's result */
  uint32_t set;             /* operands of g that f goes to */
  uint32_t at[AS_MAX_ARGS]; /* along which axis of theirs */
} through;

static double elements(const sg_terms *all, const sg_term *of) {
  double n = 1;
  for (uint32_t i = 0; i < of->rank; i++) {
    int64_t extent;
    if (!as_graph_concrete(all->program, of->dim[i], &extent))
      return -1;
    n *= (double)extent;
  }
  return n;
}

/* f of one tensor along one axis, of which less is left, reading an operator */
static bool reduces(through *of) {
  const sg_terms *all = of->all;
  of->outer = *SG_TERM(all, of->id);
  if (of->outer.op == NULL || of->outer.nargs != 1)
    return false;
  of->inner = *SG_TERM(all, of->outer.arg[0]);
  of->which = sg_attr_index(of->outer.op, "axis");
  if (of->inner.op == NULL || of->which < 0 ||
      !whole_number(all->program->sizes, &of->outer.attr[of->which], &of->axis))
    return false;
  if (of->axis < 0)
    of->axis += of->inner.rank;
  bool keeps_others = of->outer.rank == of->inner.rank || of->outer.rank + 1 == of->inner.rank;
  return keeps_others && of->axis >= 0 && of->axis < (long)of->inner.rank &&
         elements(all, &of->outer) < elements(all, &of->inner);
}

/* one operator more on what was made; false: not well-formed */
static bool put_on(sg_scratch *to, const sg_term *like, sg_made_op *made) {
  if (like->op == NULL)
    return false;
  uint32_t arg = made->term;
  as_node_id node = made->node;
  return sg_scratch_op(to, like, &arg, &node, made);
}

/* f of an operand of g, with an axis of extent 1 where f took one away */
static bool reduce(sg_scratch *to, const through *of, uint32_t operand, sg_made_op *made) {
  as_size axis = as_size_int(to->all->program->sizes, of->at[operand]);
  sg_term along = with_attr(to->all, &of->outer, of->which, axis);
  if (!put_on(to, &along, made))
    return false;
  if (of->outer.rank == of->inner.rank)
    return true;
  sg_term kept = library_op(to->all, "expand_dims", axis);
  return put_on(to, &kept, made);
}

static void try_axes(const through *of) {
  sg_scratch to;
  as_node_id node[AS_MAX_ARGS];
  uint32_t term[AS_MAX_ARGS];
  sg_made_op before = {AS_NONE, AS_NONE};
  sg_made_op after;
  bool made = sg_scratch_init(&to, of->all);
  for (uint32_t i = 0; i < of->inner.nargs && made; i++)
    made = (node[i] = sg_scratch_leaf(&to, of->inner.arg[i])) != AS_NONE;
  made = made && sg_scratch_op(&to, &of->inner, of->inner.arg, node, &before) &&
         put_on(&to, &of->outer, &before);
  for (uint32_t i = 0; i < of->inner.nargs && made; i++) {
    sg_made_op operand = {node[i], of->inner.arg[i]};
    made = !(of->set >> i & 1) || reduce(&to, of, i, &operand);
    node[i] = operand.node;
    term[i] = operand.term;
  }
  made = made && sg_scratch_op(&to, &of->inner, term, node, &after);
  if (made && of->outer.rank < of->inner.rank) {
    as_size axis = as_size_int(to.all->program->sizes, of->axis);
    sg_term taken = library_op(to.all, "squeeze", axis);
    made = put_on(&to, &taken, &after);
  }
  if (made && same(&to, before.node, after.node))
    sg_add_change(of->all, of->id, (sg_change){after.term, true});
  sg_scratch_clear(&to);
}

/* all choices of axes for the operands from number `from` on */
static void try_operands(through *of, uint32_t from) {
  while (from < of->inner.nargs && !(of->set >> from & 1))
    from++;
  if (from == of->inner.nargs) {
    try_axes(of);
    return;
  }
  const sg_term operand = *SG_TERM(of->all, of->inner.arg[from]);
  for (uint32_t axis = 0; axis < operand.rank; axis++) {
    of->at[from] = axis;
    if (operand.dim[axis] == of->inner.dim[of->axis])
      try_operands(of, from + 1);
  }
}

void sg_try_through(sg_terms *all, uint32_t id) {
  through of = {.all = all, .id = id};
  if (!reduces(&of))
    return;
  for (of.set = 1; of.set < 1u << of.inner.nargs; of.set++) {
    if (__builtin_popcount(of.set) <= SG_MOST_SWAPPED)
      try_operands(&of, 0);
  }
}

/* --- one number everywhere */
static bool is_number(const sg_terms *all, const sg_term *of) {
  return of->op == NULL &&
         (of->source == AS_NONE || as_graph_is_number(&all->program->node[of->source]));
}

/* the number as a tensor of the extents of a term */
static bool spread(sg_scratch *to, const sg_term *like, sg_made_op *made) {
  for (uint32_t i = like->rank; i-- > 0;) {
    sg_term full = library_op(to->all, "full", like->dim[i]);
    if (!put_on(to, &full, made))
      return false;
  }
  return true;
}

/* an operator whose operands are leaves, or made of leaves where they have a number too */
static bool cone(sg_scratch *to, const sg_term *of, sg_made_op *made) {
  as_node_id node[AS_MAX_ARGS];
  for (uint32_t i = 0; i < of->nargs; i++) {
    const sg_term operand = *SG_TERM(to->all, of->arg[i]);
    bool bounded = false;
    for (uint32_t k = 0; k < operand.nargs; k++)
      bounded |= is_number(to->all, SG_TERM(to->all, operand.arg[k]));
    as_node_id inner[AS_MAX_ARGS];
    sg_made_op read = {AS_NONE, of->arg[i]};
    if (!bounded) {
      read.node = sg_scratch_leaf(to, of->arg[i]);
    } else {
      for (uint32_t k = 0; k < operand.nargs; k++)
        inner[k] = sg_scratch_leaf(to, operand.arg[k]);
      if (!sg_scratch_op(to, &operand, operand.arg, inner, &read))
        return false;
    }
    node[i] = read.node;
    if (node[i] == AS_NONE)
      return false;
  }
  return sg_scratch_op(to, of, of->arg, node, made);
}

/* one operator of operands that are the same */
static void try_whole(sg_terms *all, uint32_t id, long number) {
  sg_scratch to;
  const sg_term of = *SG_TERM(all, id);
  sg_term whole = {.source = AS_NONE, .number = number};
  sg_made_op before = {AS_NONE, AS_NONE};
  bool made = sg_scratch_init(&to, all) && cone(&to, &of, &before) &&
              sg_means_number(&to, before.node, number) == SG_MEANS_SAME;
  sg_made_op after = {AS_NONE, made ? sg_add_term(all, &whole) : AS_NONE};
  if (made)
    after.node = sg_scratch_leaf(&to, after.term);
  if (made && spread(&to, &of, &after))
    sg_add_change(all, id, (sg_change){after.term, true});
  sg_scratch_clear(&to);
}

static void try_number(sg_terms *all, uint32_t id, uint32_t number) {
  sg_scratch to;
  const sg_term of = *SG_TERM(all, id);
  sg_made_op before = {AS_NONE, AS_NONE};
  bool made = sg_scratch_init(&to, all) && cone(&to, &of, &before);
  sg_made_op after = {made ? sg_scratch_leaf(&to, number) : AS_NONE, number};
  if (made && spread(&to, &of, &after) && same_numbers(&to, before.node, after.node))
    sg_add_change(all, id, (sg_change){after.term, true});
  sg_scratch_clear(&to);
}

void sg_try_constant(sg_terms *all, uint32_t id) {
  const sg_term of = *SG_TERM(all, id);
  if (of.rank == 0 || of.nargs != 2)
    return;
  if (of.arg[0] == of.arg[1]) {
    try_whole(all, id, 0);
    try_whole(all, id, 1);
    return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    const sg_term read = *SG_TERM(all, of.arg[1 - i]);
    bool bounded = false;
    for (uint32_t k = 0; k < read.nargs; k++)
      bounded |= is_number(all, SG_TERM(all, read.arg[k]));
    if (bounded && is_number(all, SG_TERM(all, of.arg[i])))
      try_number(all, id, of.arg[i]);
  }
}

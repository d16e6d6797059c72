/* Parts of a program: axis classes by following every operator's indices; the plans (which classes
 * blocks and the loop divide); the abstract expressions of the part's
 * own tensors. */
#include "sg.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GRID_CLASSES = 6 };

static uint8_t root(uint8_t *parent, uint8_t cls) {
  while (parent[cls] != cls)
    cls = parent[cls];
  return cls;
}

static uint32_t position(const sg_part *part, uint32_t node) {
  for (uint32_t i = 0; i < part->n; i++) {
    if (part->tensor[i] == node)
      return i;
  }
  return AS_NONE;
}

/* `extent = count * tile` must leave the program's sizes free (semantics/SEMANTICS.md, section 4):
 * only a product of sizes and a positive number has such a count and tile whatever the sizes are */
static bool can_be_split(const as_sizes *sizes, as_size extent, bool *may_be_empty) {
  *may_be_empty = false;
  if (as_size_nmono(sizes, extent) != 1)
    return false;
  as_size_mono product = as_size_get_mono(sizes, extent, 0);
  for (uint32_t i = 0; i < product.n; i++) {
    if (!as_size_is_sym(sizes, product.atom[i]))
      return false;
    long least = as_size_least(sizes, product.atom[i]);
    if (least < 0)
      return false;
    *may_be_empty |= least == 0;
  }
  return product.coef > 0;
}

as_size sg_known_extent(const sg_part *part, as_size extent) {
  const as_graph *graph = part->g;
  if (as_size_is_sym(graph->sizes, extent))
    return extent;
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    const as_size_fact *fact = &graph->fact[i];
    if (fact->rel == AS_REL_EQ && fact->rhs == extent && as_size_is_sym(graph->sizes, fact->lhs))
      return fact->lhs;
    if (fact->rel == AS_REL_EQ && fact->lhs == extent && as_size_is_sym(graph->sizes, fact->rhs))
      return fact->rhs;
  }
  return extent;
}

uint32_t sg_fresh_class(sg_part *part, uint8_t *parent, as_size extent, bool rigid) {
  if (part->n_classes == AX_MAX_CLASS)
    return SG_NO_CLASS;
  extent = sg_known_extent(part, extent);
  sg_class fresh = {.extent = extent, .outer = SG_NO_CLASS, .inner = SG_NO_CLASS};
  fresh.rigid = !can_be_split(part->g->sizes, extent, &fresh.may_be_empty) || rigid;
  parent[part->n_classes] = (uint8_t)part->n_classes;
  part->classes[part->n_classes] = fresh;
  return part->n_classes++;
}

static bool names_size(const as_dim *dim, const char *name) {
  return dim->kind == AS_D_SIZE && dim->size->kind == AS_E_NAME && !strcmp(dim->size->name, name);
}

static bool has_size(const as_dim *dim, uint32_t n, const char *name) {
  for (uint32_t i = 0; i < n; i++) {
    if (names_size(&dim[i], name))
      return true;
  }
  return false;
}

/* Are the elements along an axis of an argument rows (or columns) of a product: is the axis in the
 * result, in no other argument, and beside one that is reduced? */
static bool is_row(const as_opdef *op, uint32_t argument, uint32_t rank, uint32_t axis) {
  const as_targ *pattern = &op->arg[argument];
  uint32_t behind = rank - axis;
  if (op->nargs < 2 || behind > pattern->n)
    return false;
  const as_dim *own = &pattern->dim[pattern->n - behind];
  bool reduces = false;
  for (uint32_t i = 0; i < pattern->n; i++) {
    const as_dim *dim = &pattern->dim[i];
    bool named = dim->kind == AS_D_SIZE && dim->size->kind == AS_E_NAME;
    if (dim >= own && !named)
      return false;
    reduces = reduces || (named && !has_size(op->out, op->nout, dim->size->name));
  }
  for (uint32_t j = 0; j < op->nargs; j++) {
    if (j != argument && has_size(op->arg[j].dim, op->arg[j].n, own->size->name))
      return false;
  }
  return reduces && has_size(op->out, op->nout, own->size->name);
}

static bool is_row_of_product(const sg_part *part, uint32_t tensor, uint32_t axis) {
  const as_node *node = &part->g->node[tensor];
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    const as_node *user = &part->g->node[part->tensor[i]];
    for (uint32_t j = 0; j < user->nargs; j++) {
      if (user->kind == AS_N_OP && user->arg[j] == tensor && is_row(user->op, j, node->rank, axis))
        return true;
    }
  }
  return false;
}

static bool is_one(const sg_part *part, as_size extent) {
  long value;
  return as_size_is_const(part->g->sizes, extent, &value) && value == 1;
}

static bool fresh_axes(sg_part *part, uint8_t *parent, const as_node *node, bool rigid,
                       sg_axes *out) {
  uint32_t tensor = (uint32_t)(node - part->g->node);
  out->rank = node->rank;
  for (uint32_t i = 0; i < node->rank; i++) {
    if (is_one(part, node->dim[i]) &&
        !(part->ones_are_rows && is_row_of_product(part, tensor, i))) {
      out->ax[i] = SG_UNIT;
      continue;
    }
    uint32_t fresh = sg_fresh_class(part, parent, node->dim[i], rigid);
    if (fresh == SG_NO_CLASS)
      return false;
    out->ax[i] = SG_LABEL(fresh, 0);
  }
  return true;
}

static void gather(sg_part *part, const as_graph *graph, const uint32_t *nodes, uint32_t n) {
  uint32_t total = n;
  for (uint32_t i = 0; i < n; i++)
    total += graph->node[nodes[i]].nargs;
  part->g = graph;
  part->tensor = as_malloc((total + 1) * sizeof *part->tensor);
  part->output = as_malloc((n + 1) * sizeof *part->output);
  part->axes = as_calloc(total + 1, sizeof *part->axes);
  for (int consts = 0; consts < 2; consts++) {
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t j = 0; j < graph->node[nodes[i]].nargs; j++) {
        uint32_t arg = graph->node[nodes[i]].arg[j];
        bool own = false;
        for (uint32_t k = 0; k < n; k++)
          own |= nodes[k] == arg;
        if (!own && as_graph_is_number(&graph->node[arg]) == consts &&
            position(part, arg) == AS_NONE)
          part->tensor[part->n++] = arg;
      }
    }
    if (!consts)
      part->n_input = part->n;
  }
  part->n_leaf = part->n;
  for (uint32_t i = 0; i < n; i++)
    part->tensor[part->n++] = nodes[i];
}

/* the axes of a call that reads elements at computed places: false: too many */
static bool carry_axes(sg_part *part, const sg_ctx *ctx, const as_node *node, const sg_axes *arg,
                       sg_axes *out) {
  sg_carried carried;
  bool matched = sg_carry(ctx, node->op, node->attr, node->nargs, arg, &carried);
  for (uint32_t j = 0; j < node->nargs; j++) {
    for (uint32_t k = 0; k < arg[j].rank; k++) {
      if (arg[j].ax[k] != SG_UNIT && carried.computed[j][k])
        part->classes[SG_CLASS(arg[j].ax[k])].rigid = true;
    }
  }
  if (!matched || carried.out.rank != node->rank)
    return fresh_axes(part, ctx->parent, node, true, out);
  *out = carried.out;
  for (uint32_t k = 0; k < out->rank; k++) {
    if (!carried.is_new[k] || is_one(part, node->dim[k]))
      continue;
    uint32_t cls = sg_fresh_class(part, ctx->parent, node->dim[k], !carried.is_repeated[k]);
    if (cls == SG_NO_CLASS)
      return false;
    out->ax[k] = SG_LABEL(cls, 0);
  }
  return true;
}

static bool infer(sg_part *part, uint8_t *parent) {
  sg_ctx ctx = {.part = part,
                .parent = parent,
                .growing = part,
                .sizes = part->g->sizes,
                .strict_ones = true};
  for (uint32_t i = 0; i < part->n; i++) {
    const as_node *node = &part->g->node[part->tensor[i]];
    if (i < part->n_leaf) {
      if (!fresh_axes(part, parent, node, false, &part->axes[i]))
        return false;
      continue;
    }
    sg_axes arg[AS_MAX_ARGS];
    ax_id none;
    for (uint32_t j = 0; j < node->nargs; j++)
      arg[j] = part->axes[position(part, node->arg[j])];
    if (sg_apply(&ctx, node->op, node->attr, node->nargs, arg, NULL, &part->axes[i], &none))
      continue;
    if (!carry_axes(part, &ctx, node, arg, &part->axes[i]))
      return false;
  }
  return true;
}

/* classes that were united get one number; numbers in order of first appearance */
static void compact(sg_part *part, uint8_t *parent) {
  uint8_t number[AX_MAX_CLASS];
  sg_class old[AX_MAX_CLASS];
  uint32_t n = 0;
  memcpy(old, part->classes, sizeof old);
  memset(number, 255, sizeof number);
  for (uint32_t c = 0; c < part->n_classes; c++) {
    uint8_t representative = root(parent, (uint8_t)c);
    if (number[representative] == 255) {
      number[representative] = (uint8_t)n;
      part->classes[n++] = old[representative];
    }
    number[c] = number[representative];
  }
  for (uint32_t c = 0; c < part->n_classes; c++) {
    if (old[c].rigid)
      part->classes[number[c]].rigid = true;
  }
  part->n_classes = n;
  for (uint32_t c = 0; c < n; c++) {
    sg_class *of = &part->classes[c];
    if (of->outer == SG_NO_CLASS)
      continue;
    of->outer = number[root(parent, of->outer)];
    of->inner = number[root(parent, of->inner)];
    part->classes[of->outer].is_outer = true;
    part->classes[of->inner].is_inner = true;
  }
  for (uint32_t i = 0; i < part->n; i++) {
    for (uint32_t k = 0; k < part->axes[i].rank; k++) {
      if (part->axes[i].ax[k] != SG_UNIT)
        part->axes[i].ax[k] = SG_LABEL(number[SG_CLASS(part->axes[i].ax[k])], 0);
    }
  }
}

/* a common order of axes: each class after those that precede it in some tensor, where the tensors
 * agree */
static void order_classes(sg_part *part) {
  bool done[AX_MAX_CLASS] = {false};
  for (uint32_t place = 0; place < part->n_classes; place++) {
    uint32_t best = AS_NONE;
    uint32_t least = AS_NONE;
    for (uint32_t cls = 0; cls < part->n_classes; cls++) {
      uint32_t before = 0;
      if (done[cls])
        continue;
      for (uint32_t i = 0; i < part->n; i++) {
        for (uint32_t axis = 0; axis < part->axes[i].rank; axis++) {
          if (part->axes[i].ax[axis] == SG_LABEL(cls, 0)) {
            for (uint32_t earlier = 0; earlier < axis; earlier++)
              before += part->axes[i].ax[earlier] != SG_UNIT &&
                        !done[SG_CLASS(part->axes[i].ax[earlier])];
          }
        }
      }
      if (before < least) {
        least = before;
        best = cls;
      }
    }
    done[best] = true;
    part->classes[best].rank = place;
  }
}

uint32_t *sg_last_use(const as_graph *graph) {
  uint32_t *last = as_calloc(graph->n + 1, sizeof *last);
  for (uint32_t user = 0; user < graph->n; user++) {
    for (uint32_t j = 0; j < graph->node[user].nargs; j++)
      last[graph->node[user].arg[j]] = user;
  }
  for (uint32_t j = 0; j < graph->n_output; j++)
    last[graph->output[j]] = AS_NONE;
  return last;
}

bool sg_part_init(sg_part *part, const as_graph *graph, const uint32_t *nodes, uint32_t n,
                  const uint32_t *last_use) {
  uint8_t parent[AX_MAX_CLASS];
  memset(part, 0, sizeof *part);
  gather(part, graph, nodes, n);
  /* A product of a single row is one as products of several rows are, and lowered as one. Where the
   * row is repeated along another axis it is no axis, and the product a sum. */
  part->ones_are_rows = true;
  if (!infer(part, parent)) {
    part->ones_are_rows = false;
    part->n_classes = 0;
    memset(part->classes, 0, sizeof part->classes);
    if (!infer(part, parent)) {
      sg_part_clear(part);
      return false;
    }
  }
  compact(part, parent);
  for (uint32_t i = part->n_leaf; i < part->n; i++) {
    uint32_t last = last_use[part->tensor[i]];
    if (last == 0 || last > nodes[n - 1])
      part->output[part->n_output++] = i;
  }
  for (uint32_t i = 0; i < part->n; i++) {
    for (uint32_t k = 0; k < part->axes[i].rank; k++) {
      if (part->axes[i].rank > part->max_rank)
        part->max_rank = part->axes[i].rank;
    }
  }
  for (uint32_t cls = 0; cls < part->n_classes; cls++) {
    for (uint32_t i = 0; i < part->n_input; i++) {
      for (uint32_t k = 0; k < part->axes[i].rank; k++)
        part->classes[cls].in_inputs |= sg_label_has(part, part->axes[i].ax[k], cls);
    }
    part->classes[cls].in_outputs = part->n_output > 0;
    for (uint32_t out = 0; out < part->n_output; out++) {
      uint32_t times = 0;
      for (uint32_t k = 0; k < part->axes[part->output[out]].rank; k++)
        times += sg_label_has(part, part->axes[part->output[out]].ax[k], cls);
      if (times != 1)
        part->classes[cls].in_outputs = false;
    }
  }
  order_classes(part);
  sg_find_alike(part);
  return true;
}

void sg_part_clear(sg_part *part) {
  free(part->tensor);
  free(part->output);
  free(part->axes);
  memset(part, 0, sizeof *part);
}

/* a call that reads elements at computed places, along axes that are whole */
static bool opaque_expr(const sg_ctx *ctx, const as_node *node, const sg_axes *arg,
                        const ax_id *arg_expr, const sg_axes *out, ax_id *expr) {
  sg_carried carried;
  bool matched = sg_carry(ctx, node->op, node->attr, node->nargs, arg, &carried);
  for (uint32_t j = 0; j < node->nargs && ctx->plan; j++) {
    for (uint32_t k = 0; k < arg[j].rank; k++) {
      if (arg[j].ax[k] != SG_UNIT && carried.computed[j][k] &&
          ctx->plan->mode[SG_CLASS(arg[j].ax[k])] != SG_WHOLE)
        return false;
    }
  }
  bool repeats = matched && node->nargs == 1;
  uint64_t dep = 0; /* also axes that no argument has, as the channels that a convolution makes */
  for (uint32_t k = 0; k < out->rank; k++) {
    if (out->ax[k] != SG_UNIT)
      dep |= sg_class_dep(ctx->part, SG_CLASS(out->ax[k]));
    repeats = repeats && (!carried.is_new[k] || carried.is_repeated[k]);
  }
  *expr =
      repeats ? arg_expr[0] : sg_opaque_call(ctx, node->op, node->attr, node->nargs, arg_expr, dep);
  return *expr != AX_BAD;
}

bool sg_program_exprs(const sg_ctx *ctx, ax_id *expr, sg_axes *axes) {
  const sg_part *part = ctx->part;
  for (uint32_t i = 0; i < part->n; i++) {
    const as_node *node = &part->g->node[part->tensor[i]];
    axes[i] = part->axes[i];
    if (i < part->n_input) {
      uint64_t dep = 0;
      for (uint32_t k = 0; k < axes[i].rank; k++) {
        if (axes[i].ax[k] != SG_UNIT)
          dep |= sg_class_dep(part, SG_CLASS(axes[i].ax[k]));
      }
      expr[i] = ax_tensor(ctx->A, i, dep);
      continue;
    }
    if (i < part->n_leaf) {
      bool size = node->kind == AS_N_SIZE;
      if (size && !as_size_is_sym(ctx->sizes, node->size))
        return false; /* a sum of sizes is no unit of abstract expressions */
      expr[i] = size ? ax_size(ctx->A, node->size) : ax_const(ctx->A, node->value);
      if (expr[i] == AX_BAD)
        return false;
      continue;
    }
    sg_axes arg[AS_MAX_ARGS];
    sg_axes out;
    ax_id arg_expr[AS_MAX_ARGS];
    for (uint32_t j = 0; j < node->nargs; j++) {
      uint32_t from = position(part, node->arg[j]);
      arg[j] = axes[from];
      arg_expr[j] = expr[from];
    }
    if (sg_apply(ctx, node->op, node->attr, node->nargs, arg, arg_expr, &out, &expr[i]))
      continue;
    if (!opaque_expr(ctx, node, arg, arg_expr, &axes[i], &expr[i]))
      return false;
  }
  return true;
}

/* --- plans */
static bool class_repeats(const sg_part *part, uint32_t cls) {
  for (uint32_t i = 0; i < part->n; i++) {
    uint32_t times = 0;
    for (uint32_t k = 0; k < part->axes[i].rank; k++)
      times += sg_label_has(part, part->axes[i].ax[k], cls);
    if (times > 1)
      return true;
  }
  return false;
}

uint32_t sg_repeated_axes(const sg_part *part) {
  uint32_t n = 0;
  for (uint32_t cls = 0; cls < part->n_classes; cls++)
    n += class_repeats(part, cls);
  return n;
}

typedef enum { BATCH_NO, BATCH_PARTLY, BATCH_OF_ALL } batching;

/* How far nothing is shared between the indices of a class, so that a block may take one of them:
 * of all, where every input has the class and two more axes (those that are alike are one); partly,
 * where two inputs do (heads of queries and keys, say) and others lack it (a mask that all heads
 * share). */
static batching batch_kind(const sg_part *part, uint32_t cls) {
  uint32_t with = 0;
  for (uint32_t i = 0; i < part->n_input; i++) {
    bool has = false;
    uint32_t others = 0;
    for (uint32_t k = 0; k < part->axes[i].rank; k++) {
      bool is = sg_label_has(part, part->axes[i].ax[k], cls);
      has |= is;
      others += !is && part->axes[i].ax[k] != SG_UNIT &&
                sg_begins_run(part, SG_CLASS(part->axes[i].ax[k]), cls);
    }
    with += has && others >= 2;
  }
  if (with == part->n_input && with > 0)
    return BATCH_OF_ALL;
  return with >= 2 ? BATCH_PARTLY : BATCH_NO;
}

static bool plan_fits(const sg_part *part, const sg_plan *plan) {
  sg_ctx ctx = {
      .part = part, .plan = plan, .sizes = part->g->sizes, .strict_ones = true, .A = ax_new()};
  ax_id *exprs = as_calloc(part->n + 1, sizeof *exprs);
  sg_axes *axes = as_calloc(part->n + 1, sizeof *axes);
  for (uint32_t cls = 0; cls < part->n_classes; cls++)
    ctx.whole[cls] = ctx.tile[cls] = ctx.loop[cls] = AX_ONE;
  bool fits = sg_program_exprs(&ctx, exprs, axes);
  free(exprs);
  free(axes);
  ax_free(ctx.A);
  return fits;
}

/* classes that the grid may divide; which of them are batches, by kind */
typedef struct {
  uint32_t cls[MOST_GRID_CLASSES];
  uint32_t twins[MOST_GRID_CLASSES]; /* bits of classes that have as many tiles */
  uint32_t n;
  uint32_t of_all; /* bits of cls */
  uint32_t partly;
} grid_classes;

/* whether what the class is the inner part of has an outer part that the grid may divide: then the
 * blocks of one index of it may divide this one */
static bool outer_on_grid(const sg_part *part, uint32_t cls) {
  for (uint32_t whole = 0; whole < part->n_classes; whole++) {
    const sg_class *of = &part->classes[whole];
    if (of->outer == SG_NO_CLASS || of->inner != cls)
      continue;
    const sg_class *outer = &part->classes[of->outer];
    if (!outer->rigid && outer->in_outputs && !class_repeats(part, of->outer) &&
        !sg_has_parts(part, of->outer))
      return true;
  }
  return false;
}

static void find_grid_classes(const sg_part *part, grid_classes *grid, uint64_t *struck) {
  *grid = (grid_classes){.n = 0};
  for (uint32_t cls = 0; cls < part->n_classes; cls++) {
    const sg_class *c = &part->classes[cls];
    if (c->rigid || !c->in_outputs || class_repeats(part, cls) || sg_has_parts(part, cls) ||
        (c->is_inner && !outer_on_grid(part, cls)))
      continue;
    if (grid->n == MOST_GRID_CLASSES) {
      struck[AS_LIMIT_GRID_AXES]++;
      return;
    }
    /* of an axis that is elsewhere the outer part of one, a block takes one index: its tiles are
     * those of the inner part */
    batching kind = c->is_outer ? BATCH_OF_ALL : batch_kind(part, cls);
    grid->of_all |= (uint32_t)(kind == BATCH_OF_ALL) << grid->n;
    grid->partly |= (uint32_t)(kind == BATCH_PARTLY) << grid->n;
    grid->cls[grid->n++] = cls;
  }
}

/* the class and its parts, as bits */
static uint32_t parts_of(const sg_part *part, uint32_t cls) {
  uint32_t bits = 0;
  for (uint32_t other = 0; other < part->n_classes; other++)
    bits |= (uint32_t)sg_class_has(part, cls, other) << other;
  return bits;
}

/* how many axes of a tensor have one of the classes */
static uint32_t axes_in(const sg_part *part, const sg_axes *axes, uint32_t classes) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < axes->rank; k++)
    n += axes->ax[k] != SG_UNIT && (parts_of(part, SG_CLASS(axes->ax[k])) & classes);
  return n;
}

/* The classes of the outputs' axes at a place from the right, as bits, where one grid axis can
 * divide them all: each output has one of them, no tensor has two (its tiles would lie on a
 * diagonal).  0: it cannot, or it is a single class. */
static uint32_t twins_at(const sg_part *part, uint32_t from_right) {
  uint32_t classes = 0;
  as_size extent = AS_SIZE_BAD;
  bool may_be_empty = false;
  bool differ = false;
  uint32_t n_outer = 0;
  for (uint32_t out = 0; out < part->n_output; out++) {
    const sg_axes *axes = &part->axes[part->output[out]];
    if (axes->rank <= from_right || axes->ax[axes->rank - 1 - from_right] == SG_UNIT)
      return 0;
    uint32_t cls = SG_CLASS(axes->ax[axes->rank - 1 - from_right]);
    if (part->classes[cls].rigid || class_repeats(part, cls) || sg_has_parts(part, cls) ||
        part->classes[cls].is_inner)
      return 0;
    n_outer += part->classes[cls].is_outer;
    may_be_empty |= part->classes[cls].may_be_empty;
    differ |= out > 0 && part->classes[cls].extent != extent;
    extent = part->classes[cls].extent;
    classes |= 1u << cls;
  }
  /* no tiles along one would mean none along the other */
  if (__builtin_popcount(classes) < 2 || (may_be_empty && differ))
    return 0;
  if (n_outer && (n_outer < part->n_output || differ))
    return 0; /* tiles of one index: as many as the extent says */
  for (uint32_t out = 0; out < part->n_output; out++) {
    if (axes_in(part, &part->axes[part->output[out]], classes) != 1)
      return 0;
  }
  for (uint32_t i = 0; i < part->n; i++) {
    if (axes_in(part, &part->axes[i], classes) > 1)
      return 0;
  }
  return classes;
}

/* outputs side by side: axes of different classes that one grid axis divides alike */
static void find_twins(const sg_part *part, grid_classes *grid, uint64_t *struck) {
  for (uint32_t from_right = 0; from_right < AS_MAX_RANK && part->n_output > 1; from_right++) {
    uint32_t classes = twins_at(part, from_right);
    if (!classes)
      continue;
    if (grid->n == MOST_GRID_CLASSES) {
      struck[AS_LIMIT_GRID_AXES]++;
      return;
    }
    uint32_t lead = (uint32_t)__builtin_ctz(classes);
    grid->of_all |= (uint32_t)part->classes[lead].is_outer << grid->n;
    grid->cls[grid->n] = lead;
    grid->twins[grid->n++] = classes;
  }
}

/* whether some output has the class, but not all: what a loop leaves of it is a whole axis, which
 * only an accumulator for all outputs gives back */
static bool is_in_some_output(const sg_part *part, uint32_t cls) {
  for (uint32_t out = 0; out < part->n_output && !part->classes[cls].in_outputs; out++) {
    const sg_axes *axes = &part->axes[part->output[out]];
    for (uint32_t k = 0; k < axes->rank; k++) {
      if (sg_label_has(part, axes->ax[k], cls))
        return true;
    }
  }
  return false;
}

static bool may_loop(const sg_part *part, uint32_t cls) {
  const sg_class *c = &part->classes[cls];
  return !is_in_some_output(part, cls) && !c->rigid && c->in_inputs && !class_repeats(part, cls) &&
         !sg_has_parts(part, cls) && !(c->is_inner && c->in_outputs) &&
         !(c->is_outer && c->in_outputs);
}

/* mask: the classes on the grid; ones: those of them of which a block takes one index */
static sg_plan plan_on_grid(const grid_classes *grid, uint32_t mask, uint32_t ones) {
  sg_plan plan = {.loop = -1};
  for (uint32_t cls = 0; cls < AX_MAX_CLASS; cls++)
    plan.lead[cls] = (uint8_t)cls;
  for (uint32_t i = 0; i < grid->n; i++) {
    if (!(mask >> i & 1))
      continue;
    for (uint32_t cls = 0; cls < AX_MAX_CLASS; cls++) {
      if (grid->twins[i] >> cls & 1) {
        plan.lead[cls] = (uint8_t)grid->cls[i];
        plan.mode[cls] = ones >> i & 1 ? SG_GRID_ONE : SG_GRID;
      }
    }
    plan.mode[grid->cls[i]] = ones >> i & 1 ? SG_GRID_ONE : SG_GRID;
    plan.grid[plan.n_grid++] = grid->cls[i];
  }
  return plan;
}

/* Blocks are numbered along an axis with parts by x, y, z in this order, and plan->grid goes the
 * other way: the inner part stands before the outer one. */
static void order_parts(const sg_part *part, sg_plan *plan) {
  for (uint32_t i = 0; i < plan->n_grid; i++) {
    for (uint32_t k = i + 1; k < plan->n_grid; k++) {
      for (uint32_t cls = 0; cls < part->n_classes; cls++) {
        const sg_class *of = &part->classes[cls];
        if (of->outer != plan->grid[i] || of->inner != plan->grid[k])
          continue;
        plan->grid[i] = of->inner;
        plan->grid[k] = of->outer;
      }
    }
  }
}

static void add_plan(const sg_part *part, sg_plan *plan, sg_plan **plans, uint32_t *n) {
  if (!sg_divides_runs(part, plan) || !sg_settle_parts(part, plan) || !plan_fits(part, plan))
    return;
  if ((*n & (*n - 1)) == 0) /* room for 1, 2, 4, .. */
    *plans = as_realloc(*plans, (*n ? 2 * *n : 1) * sizeof **plans);
  (*plans)[(*n)++] = *plan;
}

sg_plan *sg_plans(const sg_part *part, uint32_t *n, uint64_t *struck) {
  grid_classes grid;
  sg_plan *plans = NULL;
  *n = 0;
  find_grid_classes(part, &grid, struck);
  find_twins(part, &grid, struck);
  for (uint32_t mask = 0; mask < 1u << grid.n; mask++) {
    if (__builtin_popcount(mask) > 3) /* a grid has three axes */
      continue;
    /* with a tile of the partly batched ones, and with one index: of each, since rows that a bias
     * has, too, are such a class beside the heads */
    uint32_t partly = mask & grid.partly;
    uint32_t ones = 0;
    for (bool more = true; more; ones = (ones - partly) & partly, more = ones != 0) {
      sg_plan plan = plan_on_grid(&grid, mask, grid.of_all | ones);
      order_parts(part, &plan);
      add_plan(part, &plan, &plans, n);
      for (uint32_t cls = 0; cls < part->n_classes; cls++) {
        sg_plan looped = plan;
        if (plan.mode[cls] != SG_WHOLE || !may_loop(part, cls))
          continue;
        looped.loop = (int)cls;
        looped.mode[cls] = SG_LOOP;
        add_plan(part, &looped, &plans, n);
      }
    }
  }
  return plans;
}

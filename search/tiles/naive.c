#include "naive.h"
#include "axes.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/tile/tile.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_TILE = 2, MOST_TENSORS = 200 };

typedef struct {
  tl_naive *naive;
  const as_graph *program;
  tl_axes axes;
  uint32_t *variable; /* of each class; AS_NONE: it is never divided */
  long tile;
  as_err *err;
} maker;

/* --- names and sizes that the program does not have */
static bool name_taken(const maker *m, const char *name) {
  const tl_accesses *all = &m->naive->accesses;
  if (as_tile_word_reserved(name) || as_size_find(m->program->sizes, name) != AS_SIZE_BAD)
    return true;
  for (uint32_t i = 0; i < all->tensors.n; i++) {
    if (strcmp(tl_tensor_at(all, i)->name, name) == 0)
      return true;
  }
  for (uint32_t i = 0; i < all->variables.n; i++) {
    if (strcmp(tl_variable_at(all, i)->name, name) == 0)
      return true;
  }
  for (uint32_t i = 0; i < m->program->n; i++) {
    if (m->program->node[i].name && strcmp(m->program->node[i].name, name) == 0)
      return true;
  }
  return false;
}

static char *new_name(const maker *m, const char *stem, const char *ending) {
  char *name = as_format("%s%s", stem, ending);
  for (uint32_t i = 1; name_taken(m, name); i++) {
    free(name);
    name = as_format("%s%s%u", stem, ending, i);
  }
  return name;
}

static as_size new_size(const maker *m, const char *stem, const char *ending, long value) {
  char *name = new_name(m, stem, ending);
  as_size size = as_size_sym(m->program->sizes, name);
  as_size_set_least(m->program->sizes, size, 1);
  as_size_set_value(m->program->sizes, size, value);
  free(name);
  return size;
}

/* --- axes and variables */
static bool is_product(const as_sizes *sizes, as_size extent) {
  if (as_size_nmono(sizes, extent) != 1)
    return false;
  as_size_mono mono = as_size_get_mono(sizes, extent, 0);
  as_size left;
  as_size right;
  for (uint32_t i = 0; i < mono.n; i++) {
    if (as_size_atom(sizes, mono.atom[i], &left, &right) != AS_SIZE_SYM ||
        as_size_least(sizes, mono.atom[i]) < 1)
      return false;
  }
  return mono.coef > 0;
}

static long tile_of(long extent, long most) {
  for (long tile = most; tile >= LEAST_TILE; tile--) {
    if (extent % tile == 0)
      return tile;
  }
  return 0;
}

/* Outer parts of axes, and batches, go index by index; longer axes in tiles; inner parts and short
 * ones are whole. */
static void add_variable(maker *m, uint32_t cls, const int64_t *env) {
  const tl_axis_class *of = &m->axes.cls[cls];
  as_sizes *sizes = m->program->sizes;
  tl_accesses *all = &m->naive->accesses;
  const char *axis = tl_axis_at(all, cls)->name;
  int64_t extent = as_size_eval(sizes, of->extent, env);
  m->variable[cls] = AS_NONE;
  if (of->is_inner || extent <= 1 || all->variables.n == TL_MOST_VARIABLES)
    return;
  tl_variable fresh = {.axis = cls, .count = of->extent, .tile = AS_SIZE_ONE};
  bool one = of->is_outer || (of->is_batch && extent <= m->tile);
  long tile = one || extent <= m->tile || !is_product(sizes, of->extent)
                  ? 0
                  : tile_of((long)extent, m->tile);
  if (!one && tile == 0)
    return;
  if (!one) {
    fresh.count = new_size(m, axis, "_count", (long)(extent / tile));
    fresh.tile = new_size(m, axis, "_tile", tile);
  }
  char *name = new_name(m, "i_", axis);
  fresh.name = name;
  m->variable[cls] = tl_add_variable(all, &fresh);
  free(name);
}

static void add_axes(maker *m) {
  tl_accesses *all = &m->naive->accesses;
  as_sizes *sizes = m->program->sizes;
  int64_t *env = as_graph_size_values(m->program);
  m->variable = as_malloc((m->axes.n_cls + 1) * sizeof *m->variable);
  for (uint32_t cls = 0; cls < m->axes.n_cls; cls++) {
    const tl_axis_class *of = &m->axes.cls[cls];
    char *text = as_size_is_sym(sizes, of->extent) ? as_strdup(as_size_name(sizes, of->extent))
                                                   : as_format("x%u", cls);
    tl_axis axis = {text, of->extent, of->outer, of->inner};
    tl_add_axis(all, &axis);
    free(text);
  }
  for (uint32_t cls = 0; cls < m->axes.n_cls; cls++)
    add_variable(m, cls, env);
  free(env);
  tl_accesses_values(all);
}

/* --- tensors */
static uint32_t add_tensor(maker *m, as_node_id id) {
  const as_node *node = &m->program->node[id];
  tl_tensor fresh = {.rank = node->rank, .node = id, .is_input = node->kind == AS_N_INPUT};
  memcpy(fresh.axis, m->axes.node[id].cls, sizeof fresh.axis);
  for (uint32_t i = 0; i < m->program->n_output; i++)
    fresh.is_output |= m->program->output[i] == id;
  fresh.writers = !fresh.is_input;
  bool keeps = fresh.is_input || fresh.is_output;
  char *name = keeps ? as_strdup(node->name) : new_name(m, "s_", node->is_named ? node->name : "");
  fresh.name = name;
  uint32_t tensor = tl_add_tensor(&m->naive->accesses, &fresh);
  free(name);
  return tensor;
}

/* --- statements */
typedef struct {
  as_node_id id;
  bool by[TL_MOST_VARIABLES]; /* variables that divide it */
  uint64_t sums;              /* those that it sums over */
} statement;

/* does a tensor that the operator reads or writes have the class twice?  Its tiles would lie on a
 * diagonal. */
static bool repeats(const maker *m, as_node_id id, uint32_t cls) {
  uint32_t times = 0;
  for (uint32_t k = 0; k < m->program->node[id].rank; k++) {
    uint32_t here = m->axes.node[id].cls[k];
    times += here == cls || (here != AS_NONE && m->axes.cls[here].outer == cls);
  }
  return times > 1;
}

static bool may_divide(const maker *m, as_node_id id, uint32_t cls) {
  const as_node *node = &m->program->node[id];
  bool may = cls != AS_NONE && m->variable[cls] != AS_NONE && !repeats(m, id, cls);
  for (uint32_t i = 0; may && i < node->nargs; i++)
    may = !repeats(m, node->arg[i], cls);
  return may;
}

static void choose_variables(const maker *m, statement *of, bool whole) {
  const as_node *node = &m->program->node[of->id];
  const tl_node_axes *own = &m->axes.node[of->id];
  for (uint32_t k = 0; k < node->rank && !whole; k++) {
    uint32_t cls = own->cls[k];
    bool divides = may_divide(m, of->id, cls) && (own->is_view || !own->roles.out_fixed[k]);
    /* of an axis with parts a view takes the outer one */
    if (own->is_view && cls != AS_NONE && m->axes.cls[cls].outer != AS_NONE) {
      cls = m->axes.cls[cls].outer;
      divides = may_divide(m, of->id, cls);
    }
    if (divides)
      of->by[m->variable[cls]] = true;
  }
  for (uint32_t i = 0; i < node->nargs && !own->is_view && !whole; i++) {
    for (uint32_t k = 0; k < m->program->node[node->arg[i]].rank; k++) {
      uint32_t cls = m->axes.node[node->arg[i]].cls[k];
      if (own->roles.arg[i][k].kind == TL_AXIS_SUMMED && may_divide(m, of->id, cls)) {
        of->by[m->variable[cls]] = true;
        of->sums |= 1ull << m->variable[cls];
      }
    }
  }
}

/* arg: -1: the result */
static uint32_t access_of(const maker *m, const statement *of, int arg) {
  const tl_node_axes *own = &m->axes.node[of->id];
  as_node_id id = arg < 0 ? of->id : m->program->node[of->id].arg[arg];
  uint32_t by[AS_MAX_RANK] = {TL_WHOLE};
  for (uint32_t k = 0; k < m->program->node[id].rank; k++) {
    uint32_t cls = m->axes.node[id].cls[k];
    bool fixed = arg >= 0 && !own->is_view && own->roles.arg[arg][k].kind == TL_AXIS_FIXED;
    by[k] = TL_WHOLE;
    if (cls == AS_NONE || fixed)
      continue;
    uint32_t outer = m->axes.cls[cls].outer;
    uint32_t variable = m->variable[cls];
    uint32_t by_outer = outer == AS_NONE ? AS_NONE : m->variable[outer];
    if (variable != AS_NONE && of->by[variable])
      by[k] = variable + 1;
    else if (by_outer != AS_NONE && of->by[by_outer])
      by[k] = by_outer + 1;
  }
  return tl_access(&m->naive->accesses, m->naive->tensor[id], by);
}

/* the operator on tiles: what splits an axis makes as many as the tile has */
static uint32_t operator_of(const maker *m, const statement *of) {
  const as_node *node = &m->program->node[of->id];
  tl_accesses *all = &m->naive->accesses;
  as_attr attr[AS_MAX_ATTRS];
  for (uint32_t i = 0; i < node->op->nattrs; i++) {
    as_attr_init(&attr[i]);
    as_attr_set(&attr[i], &node->attr[i]);
    for (uint32_t k = 0; m->axes.node[of->id].is_view && k < node->rank; k++) {
      uint32_t cls = m->axes.node[of->id].cls[k];
      uint32_t variable = cls == AS_NONE ? AS_NONE : m->variable[cls];
      bool divided = variable != AS_NONE && of->by[variable];
      if (divided && attr[i].is_size && attr[i].size == node->dim[k])
        attr[i].size = tl_variable_at(all, variable)->tile;
    }
  }
  uint32_t op = tl_add_operator(all, node->op, attr);
  for (uint32_t i = 0; i < node->op->nattrs; i++)
    as_attr_clear(&attr[i]);
  return op;
}

/* the loops around, of the result's axes in order and then of the sums; AS_NONE: it does not fit */
static uint32_t nest(const maker *m, const statement *of) {
  const as_node *node = &m->program->node[of->id];
  tl_graph *graph = &m->naive->graph;
  uint32_t kid[AS_MAX_ARGS];
  for (uint32_t i = 0; i < node->nargs; i++) {
    bool number = as_node_is_number(&m->program->node[node->arg[i]]);
    kid[i] = number ? tl_add(graph, TL_NUMBER, node->arg[i], NULL, 0)
                    : tl_add(graph, TL_LOAD, access_of(m, of, (int)i), NULL, 0);
  }
  uint32_t value = tl_add(graph, TL_CALL, operator_of(m, of), kid, node->nargs);
  tl_tensor_at(&m->naive->accesses, m->naive->tensor[of->id])->sums_over = of->sums;
  uint32_t made = tl_add(graph, of->sums ? TL_ADD : TL_STORE, access_of(m, of, -1), &value, 1);
  for (int sums = 1; sums >= 0; sums--) {
    for (uint32_t v = (uint32_t)m->naive->accesses.variables.n; v-- > 0;) {
      if (!of->by[v] || (int)(of->sums >> v & 1) != sums)
        continue;
      uint32_t body = tl_cons(graph, made, tl_nil(graph));
      made = tl_add(graph, TL_LOOP, v, &body, 1);
    }
  }
  return made;
}

static uint32_t statement_of(const maker *m, as_node_id id) {
  for (int whole = 0; whole < 2; whole++) {
    statement of = {.id = id};
    choose_variables(m, &of, whole);
    uint32_t made = nest(m, &of);
    if (made != AS_NONE)
      return made;
  }
  if (m->naive->graph.full)
    as_err_set(m->err, AS_UNKNOWN, "the bound of nodes is below what the program has");
  as_err_set(m->err, AS_UNKNOWN, "`%s` cannot be written as a statement over tiles: `%s`",
             m->program->node[id].op->name, m->program->node[id].name);
  return AS_NONE;
}

static bool add_statements(maker *m) {
  tl_naive *naive = m->naive;
  uint32_t *made = as_malloc((m->program->n + 1) * sizeof *made);
  uint32_t n = 0;
  bool ok = true;
  for (uint32_t i = 0; ok && i < m->program->n; i++) {
    if (m->program->node[i].kind != AS_N_OP)
      continue;
    made[n] = statement_of(m, i);
    ok = made[n++] != AS_NONE;
  }
  naive->root = tl_nil(&naive->graph);
  while (ok && n)
    naive->root = tl_cons(&naive->graph, made[--n], naive->root);
  free(made);
  if (ok && naive->root == AS_NONE)
    return as_err_set(m->err, AS_UNKNOWN, "the bound of nodes is below what the program has");
  return ok;
}

static bool make(maker *m) {
  tl_naive *naive = m->naive;
  if (m->program->n > MOST_TENSORS)
    return as_err_set(m->err, AS_UNKNOWN, "more than %d tensors and numbers", MOST_TENSORS);
  for (uint32_t i = 0; i < m->program->n_output; i++) {
    if (m->program->node[m->program->output[i]].kind != AS_N_OP)
      return as_err_set(m->err, AS_UNKNOWN, "an output that is an input computes nothing");
  }
  if (!tl_axes_init(&m->axes, m->program, m->err))
    return false;
  add_axes(m);
  naive->tensor = as_malloc((m->program->n + 1) * sizeof *naive->tensor);
  for (uint32_t i = 0; i < m->program->n; i++)
    naive->tensor[i] = as_node_is_number(&m->program->node[i]) ? AS_NONE : add_tensor(m, i);
  return add_statements(m);
}

bool tl_naive_init(tl_naive *naive, const as_graph *program, long tile, uint64_t most_nodes,
                   as_err *err) {
  *naive = (tl_naive){.given = program, .program = tl_expand(program, err)};
  if (naive->program == NULL)
    return false;
  tl_accesses_init(&naive->accesses, naive->program);
  tl_graph_init(&naive->graph, &naive->accesses, most_nodes);
  maker m = {.naive = naive, .program = naive->program, .tile = tile, .err = err};
  bool ok = make(&m);
  tl_axes_clear(&m.axes);
  free(m.variable);
  if (!ok)
    tl_naive_clear(naive);
  return ok;
}

void tl_naive_clear(tl_naive *naive) {
  tl_graph_clear(&naive->graph);
  tl_accesses_clear(&naive->accesses);
  if (naive->program) {
    as_sizes *sizes = naive->program->sizes;
    as_graph_free(naive->program);
    as_sizes_free(sizes);
  }
  free(naive->tensor);
  *naive = (tl_naive){0};
}

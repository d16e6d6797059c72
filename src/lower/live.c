#include "live.h"
#include "../../semantics/eval.h"
#include "../ir/lex.h"
#include "range.h"
#include "src/base/id.h"
#include "src/base/vec.h"
#include <stdlib.h>

/* More combinations of sizes than this are not gone through. */
#define MOST_COMBINATIONS (1L << 22)

/* the size with what follows replaced by what it follows */
static as_size followed(const lo_job *job, as_size size) {
  for (uint32_t i = 0; i < job->n_follower && size != AS_SIZE_BAD; i++)
    size = as_size_subst(job->graph->sizes, size, job->follower[i].size, job->follower[i].is);
  return size;
}

static bool mentions_ranged(const lo_job *job, as_size size) {
  for (uint32_t i = 0; i < job->n_ranged; i++) {
    if (as_size_mentions(job->graph->sizes, size, job->ranged[i]))
      return true;
  }
  return false;
}

bool lo_is_live(const lo_job *job, as_size size) {
  if (job->n_ranged == 0)
    return false;
  as_size is = followed(job, size);
  return is != AS_SIZE_BAD && mentions_ranged(job, is);
}

/* --- all sizes of the range */
typedef struct {
  lo_job *job;
  int64_t *value;      /* by size id */
  uint32_t n;          /* of those that vary */
  const as_size *size; /* that vary */
} odometer;

static bool next(odometer *at) {
  for (uint32_t i = 0; i < at->n; i++) {
    if (at->value[at->size[i]]++ < at->job->size_value[at->size[i]])
      return true;
    at->value[at->size[i]] = as_size_least(at->job->graph->sizes, at->size[i]);
  }
  return false;
}

static as_size_fact followed_fact(const lo_job *job, const as_size_fact *fact) {
  return (as_size_fact){
      .lhs = followed(job, fact->lhs), .rhs = followed(job, fact->rhs), .rel = fact->rel};
}

static bool fact_mentions(const as_sizes *sizes, const as_size_fact *fact, as_size symbol) {
  return as_size_mentions(sizes, fact->lhs, symbol) || as_size_mentions(sizes, fact->rhs, symbol);
}

/* is what the program states of the sizes that vary so? */
static bool is_stated(const odometer *at) {
  const as_graph *program = as_graph_given(at->job->graph);
  const as_sizes *sizes = program->sizes;
  for (uint32_t i = 0; i < program->n_fact; i++) {
    bool known = true;
    for (uint32_t k = 0; k < at->job->n_ranged; k++) {
      bool varies = false;
      for (uint32_t j = 0; j < at->n; j++)
        varies |= at->size[j] == at->job->ranged[k];
      known &= varies || !fact_mentions(sizes, &program->fact[i], at->job->ranged[k]);
    }
    if (known && !as_fact_holds(sizes, &program->fact[i], at->value))
      return false;
  }
  return true;
}

/* Does the relation hold at all sizes of the range at which what the program states does? */
static bool always(lo_job *job, const as_size_fact *fact) {
  const as_sizes *sizes = job->graph->sizes;
  as_size_fact is = followed_fact(job, fact);
  if (is.rel == AS_REL_EQ && is.lhs == is.rhs)
    return true;
  as_size varies[AS_MAX_RANK];
  odometer at = {.job = job, .size = varies};
  long combinations = 1;
  for (uint32_t i = 0; i < job->n_ranged; i++) {
    as_size symbol = job->ranged[i];
    if (!fact_mentions(sizes, &is, symbol))
      continue;
    long count = job->size_value[symbol] - as_size_least(sizes, symbol) + 1;
    if (at.n == AS_MAX_RANK || __builtin_mul_overflow(combinations, count, &combinations) ||
        combinations > MOST_COMBINATIONS)
      return false;
    varies[at.n++] = symbol;
  }
  uint32_t n = as_size_count(sizes);
  at.value = as_malloc((n + 1) * sizeof *at.value);
  for (uint32_t i = 0; i < n; i++)
    at.value[i] = i < job->n_size_value ? job->size_value[i] : INT64_MIN;
  for (uint32_t i = 0; i < at.n; i++)
    at.value[varies[i]] = as_size_least(sizes, varies[i]);
  bool holds = true;
  do
    holds = !is_stated(&at) || as_fact_holds(sizes, &is, at.value);
  while (holds && next(&at));
  free(at.value);
  return holds;
}

bool lo_live_same(lo_job *job, as_size left, as_size right) {
  return always(job, &(as_size_fact){.lhs = left, .rhs = right, .rel = AS_REL_EQ});
}

static bool counts_tiles(const lo_job *job, as_size symbol) {
  const as_graph *graph = job->graph;
  for (uint32_t i = 0; i < graph->n_block; i++) {
    const as_block *block = &graph->block[i];
    bool counts = as_size_mentions(graph->sizes, block->loop, symbol);
    for (int axis = 0; axis < 3; axis++)
      counts |= as_size_mentions(graph->sizes, block->grid[axis], symbol);
    if (counts)
      return true;
  }
  return false;
}

/* the sizes of the muGraph as its file says, those that follow apart */
static as_size with_values(const lo_job *job, as_size size) {
  as_sizes *sizes = job->graph->sizes;
  for (uint32_t i = 0; i < job->graph->n_own_size && size != AS_SIZE_BAD; i++) {
    as_size own = job->graph->own_size[i];
    if (job->size_value[own] != INT64_MIN)
      size = as_size_subst(sizes, size, own, as_size_int(sizes, (long)job->size_value[own]));
  }
  return size;
}

/* `product = whole` solved for one of the muGraph's sizes in the product, so that it holds whatever
 * the sizes left to run time are; false: not for this one */
static bool solve(lo_job *job, as_size product, as_size whole, uint32_t which) {
  as_sizes *sizes = job->graph->sizes;
  as_size symbol = as_size_get_mono(sizes, product, 0).atom[which];
  as_size others = as_size_int(sizes, as_size_get_mono(sizes, product, 0).coef);
  /* asked for again each time: making sizes moves it */
  for (uint32_t k = 0; k < as_size_get_mono(sizes, product, 0).n; k++) {
    if (k != which)
      others = as_size_mul(sizes, others, as_size_get_mono(sizes, product, 0).atom[k]);
  }
  others = with_values(job, others);
  whole = with_values(job, whole);
  long number;
  if (!as_size_is_const(sizes, others, &number) || number < 1 ||
      as_size_mentions(sizes, whole, symbol))
    return false;
  as_size is = as_size_div(sizes, whole, others);
  if (is == AS_SIZE_BAD || as_size_mul(sizes, is, others) != whole)
    return false;
  job->follower[job->n_follower++] = (lo_follower){symbol, is};
  return true;
}

/* which of the product's sizes follows: first the numbers of tiles, then tiles that are all there
 * is
 */
static bool solve_any(lo_job *job, as_size product, as_size whole) {
  const as_graph *graph = job->graph;
  if (as_size_nmono(graph->sizes, product) != 1)
    return false;
  for (int tile = 0; tile < 2; tile++) {
    for (uint32_t k = 0; k < as_size_get_mono(graph->sizes, product, 0).n; k++) {
      as_size symbol = as_size_get_mono(graph->sizes, product, 0).atom[k];
      if (as_id_among(graph->own_size, graph->n_own_size, symbol) &&
          counts_tiles(job, symbol) != (bool)tile && solve(job, product, whole, k))
        return true;
    }
  }
  return false;
}

static bool find_followers(lo_job *job) {
  const as_graph *graph = job->graph;
  for (bool found = true; found;) {
    found = false;
    for (uint32_t i = 0; i < graph->n_fact; i++) {
      as_size_fact is = followed_fact(job, &graph->fact[i]);
      if (is.rel != AS_REL_EQ || is.lhs == is.rhs || job->n_follower == graph->n_own_size)
        continue;
      bool left = mentions_ranged(job, is.lhs);
      bool right = mentions_ranged(job, is.rhs);
      found |= (left && !right && solve_any(job, is.rhs, is.lhs)) ||
               (right && !left && solve_any(job, is.lhs, is.rhs));
    }
  }
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    if (always(job, &graph->fact[i]))
      continue;
    char *left = as_size_print(graph->sizes, graph->fact[i].lhs);
    char *right = as_size_print(graph->sizes, graph->fact[i].rhs);
    as_err_set(job->err, AS_BAD_INPUT,
               "with the tiles that %s states, `%s %s %s` is not known to hold at all sizes that "
               "are left to run time: one kernel does not serve them",
               graph->name, left, as_rel_text(graph->fact[i].rel), right);
    free(left);
    free(right);
    return false;
  }
  return true;
}

bool lo_live_read(lo_job *job) {
  const as_graph *program = as_graph_given(job->graph);
  for (uint32_t i = 0; i < program->n_own_size; i++)
    job->n_ranged += as_size_is_ranged(program->sizes, program->own_size[i]);
  if (job->n_ranged == 0)
    return true;
  job->ranged = as_arena_alloc(job->arena, job->n_ranged * sizeof *job->ranged);
  job->follower = as_arena_alloc(job->arena, (job->graph->n_own_size + 1) * sizeof *job->follower);
  uint32_t n = 0;
  for (uint32_t i = 0; i < program->n_own_size; i++) {
    if (as_size_is_ranged(program->sizes, program->own_size[i]))
      job->ranged[n++] = program->own_size[i];
  }
  return job->graph->program == NULL || find_followers(job);
}

/* --- rows */
static uint32_t find_row(const lo_job *job, as_size is) {
  for (uint32_t row = (uint32_t)job->cuts.n; row > 0; row--) {
    if (lo_cut_row(job, row)->live && lo_cut_row(job, row)->extent == is)
      return row;
  }
  return 0;
}

static uint32_t add_row(lo_job *job, as_size is, long low, long high) {
  char *text = lo_live_text(job, is, "a.n");
  bool narrow = low >= INT32_MIN && high <= INT32_MAX;
  lo_cut row = {.extent = is, .unit = LO_NONE, .live = true, .low = low, .high = high};
  char *shown = as_format("%s%s", narrow ? "(int)" : "", text);
  row.text = as_arena_strdup(job->arena, shown);
  free(shown);
  free(text);
  as_vec_push(&job->cuts, &row);
  return (uint32_t)job->cuts.n;
}

static lx *as_expression(lo_job *job, as_size size);

static lx *atom_expression(lo_job *job, as_size atom) {
  static const lx_op op[] = {[AS_SIZE_DIV] = LX_IDIV,
                             [AS_SIZE_MOD] = LX_MOD,
                             [AS_SIZE_MAX] = LX_MAX,
                             [AS_SIZE_MIN] = LX_MIN};
  const as_sizes *sizes = job->graph->sizes;
  as_size left;
  as_size right;
  as_size_kind kind = as_size_atom(sizes, atom, &left, &right);
  if (kind != AS_SIZE_SYM) {
    lx *operand[2] = {as_expression(job, left), as_expression(job, right)};
    return lx_mk(job, op[kind], 2, operand);
  }
  if (!as_size_is_ranged(sizes, atom))
    return lx_int(job, (long)job->size_value[atom]);
  uint32_t row = find_row(job, atom);
  if (row == 0)
    row = add_row(job, atom, as_size_least(sizes, atom), (long)job->size_value[atom]);
  return lo_live_leaf(job, row);
}

/* of the sizes left to run time, one by one: for the range of it */
static lx *as_expression(lo_job *job, as_size size) {
  const as_sizes *sizes = job->graph->sizes;
  lx *sum = lx_int(job, 0);
  for (uint32_t i = 0; i < as_size_nmono(sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(sizes, size, i);
    lx *product = lx_int(job, mono.coef);
    for (uint32_t k = 0; k < mono.n; k++)
      product = lx_mk(job, LX_MUL, 2, (lx *[]){product, atom_expression(job, mono.atom[k])});
    sum = lx_mk(job, LX_ADD, 2, (lx *[]){sum, product});
  }
  return sum;
}

bool lo_live_row(lo_job *job, as_size size, uint32_t *row) {
  *row = 0;
  if (!lo_is_live(job, size))
    return true;
  as_size is = followed(job, size);
  *row = find_row(job, is);
  if (*row)
    return true;
  long most;
  lo_range range;
  if (!lo_size_value(job, is, &most))
    return false;
  if (!lo_range_of(as_expression(job, is), NULL, 0, &range) || range.high > most) {
    char *shown = as_size_print(job->graph->sizes, is);
    as_err_set(job->err, AS_BAD_INPUT,
               "the extent %s is not seen to be largest at the bounds of the sizes that are left "
               "to run time: one kernel does not serve them",
               shown);
    free(shown);
    return false;
  }
  *row = find_row(job, is); /* a size alone has its row now */
  if (*row == 0)
    *row = add_row(job, is, range.low > 0 ? range.low : 0, most);
  return true;
}

lx *lo_live_leaf(lo_job *job, uint32_t row) {
  lx *leaf = lx_new(job, LX_CUT, 0);
  leaf->integer = true;
  leaf->number = row;
  leaf->low = lo_cut_row(job, row)->low;
  leaf->high = lo_cut_row(job, row)->high;
  return leaf;
}

bool lo_live_extent(lo_job *job, as_size extent, uint32_t *row) {
  *row = 0;
  if (job->n_ranged == 0)
    return true;
  if (!as_graph_is_cut(job->graph, extent))
    return lo_live_row(job, extent, row);
  const lx *is = lo_extent(job, extent);
  if (is == NULL)
    return false;
  if (is->op == LX_CUT)
    *row = (uint32_t)is->number;
  else if (is->op != LX_INT)
    return as_err_set(job->err, AS_BAD_INPUT,
                      "extents made of several tiles that are cut off are not lowered where sizes "
                      "are left to run time");
  return true;
}

/* --- texts */
static void add_size(const lo_job *job, as_size size, const char *table, as_str *out);

static void add_atom(const lo_job *job, as_size atom, const char *table, as_str *out) {
  const as_sizes *sizes = job->graph->sizes;
  as_size left;
  as_size right;
  as_size_kind kind = as_size_atom(sizes, atom, &left, &right);
  if (kind == AS_SIZE_SYM) {
    for (uint32_t i = 0; i < job->n_ranged; i++) {
      if (job->ranged[i] == atom) {
        as_str_printf(out, "%s[%u]", table, i);
        return;
      }
    }
    as_str_printf(out, "%lldLL", (long long)job->size_value[atom]);
    return;
  }
  char *x = lo_live_text(job, left, table);
  char *y = lo_live_text(job, right, table);
  if (kind == AS_SIZE_DIV) /* rounded down */
    as_str_printf(out, "(%s / %s - (%s %% %s < 0))", x, y, x, y);
  else if (kind == AS_SIZE_MOD)
    as_str_printf(out, "((%s %% %s + %s) %% %s)", x, y, y, y);
  else
    as_str_printf(out, "(%s %s %s ? %s : %s)", x, kind == AS_SIZE_MAX ? ">" : "<", y, x, y);
  free(x);
  free(y);
}

static void add_size(const lo_job *job, as_size size, const char *table, as_str *out) {
  const as_sizes *sizes = job->graph->sizes;
  uint32_t n = as_size_nmono(sizes, size);
  if (n != 1)
    as_str_add(out, "(");
  for (uint32_t i = 0; i < n; i++) {
    as_size_mono mono = as_size_get_mono(sizes, size, i);
    bool bare = mono.coef == 1 && mono.n > 0;
    as_str_add(out, i ? " + " : "");
    as_str_add(out, mono.n > 1 || !bare ? "(" : "");
    if (!bare)
      as_str_printf(out, "%ldLL", mono.coef);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_str_add(out, k || !bare ? " * " : "");
      add_atom(job, mono.atom[k], table, out);
    }
    as_str_add(out, mono.n > 1 || !bare ? ")" : "");
  }
  as_str_add(out, n == 0 ? "0LL)" : n != 1 ? ")" : "");
}

char *lo_live_text(const lo_job *job, as_size size, const char *table) {
  as_str out;
  as_str_init(&out);
  add_size(job, followed(job, size), table, &out);
  return as_str_take(&out);
}

char *lo_live_dim(const lo_job *job, const lo_value *value, int axis) {
  return value->live_dim[axis] ? lo_cut_text(job, lo_cut_row(job, value->live_dim[axis]))
                               : as_format("%ld", value->dim[axis]);
}

/* the caller's tensors have no room beyond what is live */
static bool is_packed(const lo_value *tensor) {
  return tensor->kind != LV_LOAD && tensor->place == LP_GLOBAL && tensor->buffer_class != LG_WORK;
}

char *lo_live_elements(const lo_job *job, const lo_value *value, int axis) {
  long fixed = 1;
  as_str live;
  as_str_init(&live);
  for (int i = axis; i < value->rank; i++) {
    if (value->live_dim[i]) {
      char *extent = lo_live_dim(job, value, i);
      as_str_printf(&live, " * (size_t)%s", extent);
      free(extent);
    } else {
      fixed *= value->dim[i];
    }
  }
  char *text = live.n ? as_format("(%ld%s)", fixed, live.s) : as_format("%ld", fixed);
  as_str_clear(&live);
  return text;
}

char *lo_live_stride(const lo_job *job, const lo_value *tensor, int axis) {
  if (tensor->kind != LV_LOAD && tensor->place == LP_GLOBAL && tensor->buffer_class == LG_PART)
    return as_format("%ld", tensor->stride[axis]);
  if (is_packed(tensor))
    return lo_live_elements(job, tensor, axis + 1);
  long stride = 1;
  for (int i = axis + 1; i < tensor->rank; i++)
    stride *= tensor->dim[i];
  return as_format("%ld", stride);
}

bool lo_live_last(const lo_value *tensor) {
  return is_packed(tensor) && tensor->rank > 0 && tensor->live_dim[tensor->rank - 1];
}

/* --- blocks that only their number depends on */
static bool strides_depend(const lo_value *tensor) {
  bool depend = false;
  for (int axis = 1; axis < tensor->rank; axis++)
    depend |= is_packed(tensor) && tensor->live_dim[axis];
  return depend;
}

static const char *node_within(const lo_job *job, as_node_id id) {
  const as_graph *graph = job->graph;
  const as_node *node = &graph->node[id];
  bool store = node->kind == AS_N_STORE;
  for (uint32_t axis = 0; axis < node->rank && !store; axis++) {
    if (lo_is_live(job, node->dim[axis]))
      return "the extent of a tile is left to run time";
  }
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg = &graph->node[node->arg[i]];
    if (arg->kind == AS_N_SIZE && lo_is_live(job, arg->size))
      return "it computes with a size that is left to run time";
  }
  for (uint32_t i = 0; node->kind == AS_N_OP && i < node->op->nattrs; i++) {
    if (node->attr[i].is_size && lo_is_live(job, node->attr[i].size))
      return "it computes with a size that is left to run time";
  }
  as_node_id tensor = store ? id : node->kind == AS_N_LOAD ? node->arg[0] : AS_NONE;
  if (tensor != AS_NONE && strides_depend(&job->value[job->node_val[tensor]]))
    return "the strides of a tensor are left to run time";
  return NULL;
}

const char *lo_live_within(const lo_job *job, const lo_unit *unit, uint32_t block) {
  if (job->n_ranged == 0)
    return NULL;
  if (unit->loop_live)
    return "the number of iterations is left to run time";
  const as_block *of = &job->graph->block[block];
  const char *why = NULL;
  for (uint32_t i = 0; i < of->n && why == NULL; i++)
    why = node_within(job, of->nodes[i]);
  return why;
}

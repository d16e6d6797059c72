/* Searching one segment: a program of its own is cut out, its plans are enumerated in parallel
 * (each with its own store; results by index, so any number of threads gives the same), and the
 * graphs found are ranked by the cost of their best tiling. */
#include "segment.h"
#include "record.h"
#include "src/base/id.h"
#include "src/base/pool.h"
#include "src/base/str.h"
#include "src/base/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sg_name_is_free(const as_graph *graph, const char *name) {
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].name && !strcmp(graph->node[i].name, name))
      return false;
  }
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    if (!strcmp(as_size_name(graph->sizes, graph->own_size[i]), name))
      return false;
  }
  return true;
}

bool sg_copy_sizes(as_graph *to, const as_graph *from, as_err *err) {
  for (uint32_t i = 0; i < from->n_own_size; i++) {
    as_size size = from->own_size[i];
    if (!as_graph_declare(to, as_size_name(from->sizes, size), as_size_least(from->sizes, size),
                          as_size_value(from->sizes, size), NULL, err))
      return false;
  }
  for (uint32_t i = 0; i < from->n_fact; i++) {
    if (!as_graph_where(to, from->fact[i].lhs, from->fact[i].rel, from->fact[i].rhs, err))
      return false;
  }
  return true;
}

/* cutting some operators out of a program */
typedef struct {
  sg_segment *segment;
  const sg_cut *cut;
  const as_graph *graph;
  const bool *apart; /* by node: each reader has an input of its own for it */
  bool *is_index;    /* by node: index tensors */
  uint32_t *reader;  /* by node of the segment: the only one that it is for, or AS_NONE */
} cutting;

/* the name of one more input for a tensor; false: none is free */
static bool name_copy(const cutting *work, const char *of, char *room, size_t size) {
  for (uint32_t i = 1; i < 1000; i++) {
    int length = snprintf(room, size, "%s_%u", of, i);
    if (length > 0 && (size_t)length < size && sg_name_is_free(work->graph, room) &&
        sg_name_is_free(work->segment->sub, room))
      return true;
  }
  return false;
}

static as_node_id bring(cutting *work, uint32_t tensor, uint32_t reader, as_err *err) {
  as_graph *sub = work->segment->sub;
  const as_node *node = &work->graph->node[tensor];
  uint32_t *map = work->segment->to_main;
  const char *name = node->name;
  char room[100];
  for (uint32_t i = 0; i < sub->n; i++) {
    if (map[i] == tensor && (work->reader[i] == AS_NONE || work->reader[i] == reader))
      return i;
    if (map[i] == tensor && !name_copy(work, node->name, room, sizeof room))
      return AS_NONE;
    if (map[i] == tensor)
      name = room;
  }
  as_node_id id = as_graph_is_number(node)
                      ? as_graph_copy_number(sub, node)
                      : as_graph_input(sub, name, node->dtype, node->dim, node->rank, err);
  if (id == AS_NONE)
    return id;
  sub->node[id].is_index_tensor = node->is_index_tensor || work->is_index[tensor];
  map[id] = tensor;
  work->reader[id] = work->apart && work->apart[tensor] ? reader : AS_NONE;
  return id;
}

/* whether a kernel for the operators stores what one of them computes */
static bool is_stored(const as_graph *graph, const uint32_t *op, uint32_t n, uint32_t id) {
  for (uint32_t i = 0; i < graph->n_output; i++) {
    if (graph->output[i] == id)
      return true;
  }
  for (uint32_t reader = id + 1; reader < graph->n; reader++) {
    bool reads = false;
    bool inside = false;
    for (uint32_t k = 0; k < graph->node[reader].nargs; k++)
      reads |= graph->node[reader].arg[k] == id;
    for (uint32_t i = 0; i < n && reads; i++)
      inside |= op[i] == reader;
    if (reads && !inside)
      return true;
  }
  return false;
}

/* the tensor that an operator of the segment reads */
static uint32_t operand(const sg_cut *cut, const as_node *reader, uint32_t k) {
  uint32_t tensor = reader->arg[k];
  return cut->instead ? cut->instead[tensor] : tensor;
}

static bool bring_inputs(cutting *work, as_err *err) {
  for (uint32_t i = 0; i < work->cut->n; i++) {
    uint32_t reader = work->cut->op[i];
    const as_node *node = &work->graph->node[reader];
    for (uint32_t k = 0; k < node->nargs; k++) {
      uint32_t tensor = operand(work->cut, node, k);
      if (!as_id_among(work->cut->op, work->cut->n, tensor) &&
          bring(work, tensor, reader, err) == AS_NONE)
        return false;
    }
  }
  return true;
}

static bool bring_operators(cutting *work, as_err *err) {
  const sg_cut *cut = work->cut;
  as_graph *sub = work->segment->sub;
  for (uint32_t i = 0; i < cut->n; i++) {
    const as_node *node = &work->graph->node[cut->op[i]];
    as_node_id arg[AS_MAX_ARGS];
    for (uint32_t k = 0; k < node->nargs; k++) {
      arg[k] = bring(work, operand(cut, node, k), cut->op[i], err);
      if (arg[k] == AS_NONE)
        return false;
    }
    as_node_id id =
        as_graph_op(sub, AS_NONE, node->name, node->op, arg, node->nargs, node->attr, err);
    if (id == AS_NONE)
      return false;
    work->segment->to_main[id] = cut->op[i];
    work->reader[id] = AS_NONE;
    if (is_stored(work->graph, cut->kernel, cut->n_kernel, cut->op[i]) &&
        !as_graph_output(sub, id, err))
      return false;
  }
  return true;
}

/* the operators as a program of their own, and its axes; false: not even a program (err filled) */
static bool cut_out(sg_segment *segment, const sg_cut *cut, const bool *apart, as_err *err) {
  const as_graph *graph = cut->graph;
  uint32_t total = cut->n;
  for (uint32_t i = 0; i < cut->n; i++)
    total += graph->node[cut->op[i]].nargs;
  segment->sub = as_graph_new(graph->sizes, graph->lib, NULL, graph->name);
  segment->sub->is_piece = true;
  segment->sub->type = as_graph_type(graph);
  segment->sub->mixed = as_graph_is_mixed(graph);
  segment->to_main = as_malloc((total + 1) * sizeof *segment->to_main);
  memset(segment->to_main, 255, (total + 1) * sizeof *segment->to_main);
  cutting work = {.segment = segment,
                  .cut = cut,
                  .graph = graph,
                  .apart = apart,
                  .is_index = as_graph_index_tensors(graph, false)};
  work.reader = as_malloc((total + 1) * sizeof *work.reader);
  bool made = sg_copy_sizes(segment->sub, graph, err) && bring_inputs(&work, err) &&
              bring_operators(&work, err);
  free(work.reader);
  free(work.is_index);
  if (!made)
    return false;
  uint32_t *inner = as_malloc((segment->sub->n + 1) * sizeof *inner);
  uint32_t n_inner = 0;
  uint32_t *last = sg_last_use(segment->sub);
  for (uint32_t i = 0; i < segment->sub->n; i++) {
    if (segment->sub->node[i].kind == AS_N_OP)
      inner[n_inner++] = i;
  }
  segment->has_part = sg_part_init(&segment->part, segment->sub, inner, n_inner, last);
  free(inner);
  free(last);
  return true;
}

static void forget_cut(sg_segment *segment) {
  if (segment->has_part)
    sg_part_clear(&segment->part);
  if (segment->sub)
    as_graph_free(segment->sub);
  free(segment->to_main);
  segment->has_part = false;
  segment->sub = NULL;
  segment->to_main = NULL;
}

static bool reads(const sg_cut *cut, const as_node *reader, uint32_t tensor) {
  bool found = false;
  for (uint32_t k = 0; k < reader->nargs && !found; k++)
    found = operand(cut, reader, k) == tensor;
  return found;
}

/* whether a tensor from outside is read by several operators, so that they can be given an input
 * each */
static bool is_shared_input(const sg_cut *cut, uint32_t tensor) {
  uint32_t readers = 0;
  if (as_graph_is_number(&cut->graph->node[tensor]) || as_id_among(cut->op, cut->n, tensor))
    return false;
  for (uint32_t i = 0; i < cut->n && readers < 2; i++)
    readers += reads(cut, &cut->graph->node[cut->op[i]], tensor);
  return readers > 1;
}

/* Where an axis meets another of the same tensor (rows and columns of a mask made of one vector of
 * positions) it has to stay whole.  If that is so because two operators read one input, each gets
 * an input of its own: a block then loads two tiles of the tensor. */
static bool cut_apart(sg_segment *segment, const sg_cut *cut, as_err *err) {
  const as_graph *graph = cut->graph;
  if (!cut_out(segment, cut, NULL, err))
    return false;
  uint32_t repeated = segment->has_part ? sg_repeated_axes(&segment->part) : 0;
  if (!repeated)
    return true;
  bool *apart = as_calloc(graph->n + 1, sizeof *apart);
  for (uint32_t i = 0; i < graph->n && repeated; i++) {
    if (!is_shared_input(cut, i))
      continue;
    sg_segment other = {.sub = NULL};
    apart[i] = true;
    bool made = cut_out(&other, cut, apart, err) && other.has_part;
    uint32_t left = made ? sg_repeated_axes(&other.part) : repeated;
    apart[i] = left < repeated;
    if (left < repeated) {
      forget_cut(segment);
      segment->sub = other.sub;
      segment->to_main = other.to_main;
      segment->part = other.part;
      segment->has_part = true;
      repeated = left;
    } else {
      forget_cut(&other);
    }
    as_err_clear(err);
  }
  free(apart);
  return true;
}

enum { UNPRUNED_VALUES = 200000 }; /* tile tensors of a plan where nothing is pruned */

typedef struct {
  sg_rank *rank;
  uint32_t n;
  as_err err;  /* the first that could not be built */
  bool is_new; /* enumerated here */
} plan_ranks;

typedef struct {
  sg_segment *segment;
  const sg_cut *cut;
  const as_search_opts *opts;
  bool concrete;     /* the program states all its sizes */
  plan_ranks *ranks; /* by plan */
} plan_job;

/* what became of the muGraphs whose axes are divided in one way */
static void trace_plan(const sg_segment *segment, size_t i) {
  static const char *const modes[] = {"whole", "grid", "grid of 1", "loop"};
  const sg_stats *stats = &segment->stats[i];
  if (!AS_TRACE_ON(SEARCH))
    return;
  as_str plan;
  as_str_init(&plan);
  for (uint32_t cls = 0; cls < segment->part.n_classes; cls++) {
    char *extent = as_size_print(segment->part.g->sizes, segment->part.classes[cls].extent);
    as_str_printf(&plan, "%s%s %s", cls ? ", " : "", extent, modes[segment->plan[i].mode[cls]]);
    free(extent);
  }
  AS_TRACE(SEARCH,
           "plan %zu of %u (%s): %llu states, %llu values; pruned %llu by shape, %llu by abstract "
           "expressions, %llu as units, %llu by memory, %llu as repeated; %u muGraphs kept",
           i, segment->n_plan, plan.n ? plan.s : "no axes", (unsigned long long)stats->states,
           (unsigned long long)stats->values, (unsigned long long)stats->shape,
           (unsigned long long)stats->abstract, (unsigned long long)stats->unit,
           (unsigned long long)stats->memory, (unsigned long long)stats->repeat,
           segment->n_recipe[i]);
  as_str_clear(&plan);
}

static int cmp_rank(const void *left, const void *right) {
  const sg_rank *first = left;
  const sg_rank *second = right;
  if (first->us != second->us)
    return first->us < second->us ? -1 : 1;
  if (first->weight != second->weight)
    return first->weight < second->weight ? -1 : 1;
  if (first->plan != second->plan)
    return first->plan < second->plan ? -1 : 1;
  if (first->split != second->split)
    return first->split ? 1 : -1;
  if (first->joined != second->joined)
    return first->joined ? 1 : -1;
  if (first->other_plan != second->other_plan)
    return first->other_plan < second->other_plan ? -1 : 1;
  if (first->other_recipe != second->other_recipe)
    return first->other_recipe < second->other_recipe ? -1 : 1;
  return first->recipe < second->recipe ? -1 : first->recipe > second->recipe;
}

/* the graphs of a plan; false: there was no time left, or it has none */
static bool enumerate_plan(sg_segment *segment, uint32_t i, sg_stats *stats) {
  sg_space *space =
      sg_space_new(&segment->part, &segment->plan[i], &segment->vocab, &segment->limits);
  if (!sg_space_enumerate(space, stats)) {
    sg_space_free(space);
    return false;
  }
  segment->recipe[i] = sg_space_extract(space, segment->limits.keep, &segment->n_recipe[i]);
  sg_space_settle(space);
  segment->space[i] = space;
  return true;
}

bool sg_segment_make_graphs(sg_segment *segment, const sg_rank *chosen, as_err *err) {
  uint32_t plan = chosen->plan;
  if (chosen->joined) {
    sg_rank other = {.plan = chosen->other_plan, .recipe = chosen->other_recipe, .split = true};
    sg_rank first = {.plan = plan, .recipe = chosen->recipe, .split = true};
    return sg_segment_make_graphs(&segment->side[0], &first, err) &&
           sg_segment_make_graphs(&segment->side[1], &other, err);
  }
  if (segment->space[plan] == NULL) {
    sg_stats stats = {.states = 0};
    segment->limits.deadline = (as_search_deadline){.until = 0};
    enumerate_plan(segment, plan, &stats);
  }
  bool there =
      chosen->recipe < segment->n_recipe[plan] &&
      (!chosen->split || sg_can_split(segment->space[plan], &segment->part, &segment->plan[plan],
                                      &segment->recipe[plan][chosen->recipe]));
  return there || as_err_set(err, AS_INTERNAL, "a record has a graph that is not found");
}

/* the kernels of a graph that goes over two joined tensors, of the segment's own inputs */
static bool build_joined(const sg_segment *segment, const sg_rank *chosen, as_graph *graph,
                         as_node_id *node, as_err *err) {
  const sg_part *part = &segment->part;
  uint32_t most = 0;
  for (uint32_t i = 0; i < part->n; i++) {
    uint32_t main = segment->to_main[part->tensor[i]];
    most = main != AS_NONE && main > most ? main : most;
  }
  as_node_id *of_main = as_malloc((most + 1) * sizeof *of_main);
  memset(of_main, 255, (most + 1) * sizeof *of_main);
  for (uint32_t i = 0; i < part->n_input; i++)
    of_main[segment->to_main[part->tensor[i]]] = node[i];
  bool built = sg_join_build(segment, chosen, graph, of_main, err);
  for (uint32_t i = 0; i < part->n_output; i++)
    node[part->output[i]] = of_main[segment->to_main[part->tensor[part->output[i]]]];
  free(of_main);
  return built;
}

/* the kernels of a ranked graph in `graph`; node: of the part's tensors */
static bool build_kernels(const sg_segment *segment, const sg_rank *chosen, as_graph *graph,
                          as_node_id *node, as_err *err) {
  if (chosen->joined)
    return build_joined(segment, chosen, graph, node, err);
  bool (*build)(as_graph *, const sg_space *, const sg_part *, const sg_plan *, const sg_vocab *,
                const sg_recipe *, as_node_id *, as_err *) =
      chosen->split ? sg_build_split : sg_build_block;
  return build(graph, segment->space[chosen->plan], &segment->part, &segment->plan[chosen->plan],
               &segment->vocab, &segment->recipe[chosen->plan][chosen->recipe], node, err);
}

static bool build_alone(const sg_segment *segment, const as_graph *sub, const sg_rank *chosen,
                        as_graph **out, as_err *err) {
  as_graph *graph = as_graph_new(sub->sizes, sub->lib, sub, sub->name);
  as_node_id *node = as_malloc((segment->part.n + 1) * sizeof *node);
  for (uint32_t i = 0; i < segment->part.n_input; i++) {
    node[i] = AS_NONE;
    for (uint32_t k = 0; k < sub->n_input; k++) {
      if (sub->input[k] == segment->part.tensor[i])
        node[i] = graph->input[k];
    }
  }
  bool built = build_kernels(segment, chosen, graph, node, err);
  for (uint32_t i = 0; i < segment->part.n_output && built; i++)
    built = as_graph_output(graph, node[segment->part.output[i]], err);
  free(node);
  if (!built) {
    as_graph_free(graph);
    graph = NULL;
  }
  *out = graph;
  return built;
}

as_graph *sg_segment_of_inputs(const sg_segment *segment, as_graph *sub, const sg_rank *chosen) {
  as_graph *graph = NULL;
  as_err err;
  as_err_init(&err);
  build_alone(segment, sub, chosen, &graph, &err);
  if (!graph)
    AS_TRACE(SEARCH, "a graph that cannot be built: %s", err.text);
  as_err_clear(&err);
  return graph;
}

double sg_segment_us(const as_graph *graph, const as_target *target, double sizes, bool *tiled) {
  uint32_t n_tilings;
  as_tiling *tilings = as_tilings(graph, target, 1, &n_tilings, NULL);
  double us = (n_tilings ? tilings[0].us : 1e9) * (1 + 0.01 * sizes);
  for (uint32_t i = 0; i < n_tilings; i++) {
    free(tilings[i].size);
    free(tilings[i].value);
  }
  free(tilings);
  *tiled = n_tilings > 0;
  return us;
}

/* where the program states no sizes to go by, one that scales is better */
static double rank_us(const sg_segment *segment, const sg_rank *of, const as_graph *graph,
                      const as_target *target, bool concrete) {
  const sg_plan *plan = &segment->plan[of->plan];
  double splits = plan->n_grid + (plan->loop >= 0) + of->split;
  bool tiled;
  double us = sg_segment_us(graph, target, splits, &tiled);
  if (!tiled && !concrete) {
    bool loops = plan->loop >= 0 && !segment->part.classes[plan->loop].in_outputs;
    us = 1e8 * (3 - (plan->n_grid > 0) - loops) + splits;
  }
  return us;
}

/* What risks more in floats than its operators do as they are stands behind all that does not: it
 * would mostly fail the float test. */
static const double WORSE = 100;

static double handicap(const plan_job *work, const as_graph *graph) {
  const sg_segment *segment = work->segment;
  as_condition risks;
  if (work->opts->fast_floats)
    return 1;
  as_condition_of(graph, &risks);
  as_risk worse = as_condition_worse(&risks, &segment->given);
  if (worse == AS_N_RISK)
    return 1;
  AS_TRACE(SEARCH, "put behind others: %s", as_risk_meaning(worse));
  return WORSE;
}

/* sub: the segment's program, or a copy with sizes of its own */
static void add_rank(const plan_job *work, as_graph *sub, sg_rank rank, plan_ranks *ranks) {
  as_graph *graph;
  as_err why;
  as_err_init(&why);
  if (build_alone(work->segment, sub, &rank, &graph, &why)) {
    rank.us = rank_us(work->segment, &rank, graph, work->opts->target, work->concrete) *
              handicap(work, graph);
    ranks->rank[ranks->n++] = rank;
    as_graph_free(graph);
  } else { /* the enumerator and the builder disagree: the first such message is kept */
    char *text = as_err_format(&why);
    as_err_set(&ranks->err, AS_INTERNAL, "%s", text);
    free(text);
  }
  as_err_clear(&why);
}

/* what the graphs of a plan cost; in a thread of its own, so with sizes of its own */
static void rank_plan(const plan_job *work, uint32_t i) {
  const sg_segment *segment = work->segment;
  plan_ranks *ranks = &work->ranks[i];
  if (segment->n_recipe[i] == 0)
    return;
  as_graph *sub = as_graph_copy(segment->sub);
  sub->sizes = as_sizes_copy(segment->sub->sizes);
  ranks->rank = as_calloc(2 * segment->n_recipe[i], sizeof *ranks->rank);
  for (uint32_t k = 0; k < segment->n_recipe[i]; k++) {
    const sg_recipe *recipe = &segment->recipe[i][k];
    sg_rank rank = {.plan = i, .recipe = k, .weight = recipe->weight};
    add_rank(work, sub, rank, ranks);
    rank.split = true;
    if (sg_can_split(segment->space[i], &segment->part, &segment->plan[i], recipe))
      add_rank(work, sub, rank, ranks);
  }
  as_sizes_free(sub->sizes);
  as_graph_free(sub);
}

/* what the record has of a plan, in place of enumerating it */
static bool take_recorded(const plan_job *work, uint32_t i) {
  sg_segment *segment = work->segment;
  const sg_outcome *known =
      work->opts->record ? sg_record_find(work->opts->record, segment->recorded_as, i) : NULL;
  if (known == NULL)
    return false;
  plan_ranks *ranks = &work->ranks[i];
  segment->stats[i] = known->stats;
  ranks->n = known->n_rank;
  ranks->rank = as_calloc(known->n_rank + 1, sizeof *ranks->rank);
  for (uint32_t k = 0; k < known->n_rank; k++)
    ranks->rank[k] = known->rank[k];
  return true;
}

/* plans are dealt in turn, and groups of few plans begin at different shards */
static bool is_in_shard(const plan_job *work, uint32_t i) {
  const as_search_opts *opts = work->opts;
  return opts->shard == 0 || (work->segment->recorded_as + i) % opts->n_shards == opts->shard - 1;
}

uint32_t sg_segment_class(const sg_segment *segment, uint32_t main_node, uint32_t axis) {
  for (uint32_t i = 0; i < segment->part.n; i++) {
    if (segment->to_main[segment->part.tensor[i]] != main_node)
      continue;
    sg_label label = segment->part.axes[i].ax[axis];
    return label == SG_UNIT ? SG_NO_CLASS : SG_CLASS(label);
  }
  return SG_NO_CLASS;
}

/* of a side of a join (join.c), only graphs whose loop goes over the joined axis are of use */
static bool has_wanted_loop(const plan_job *work, uint32_t i) {
  const sg_segment *segment = work->segment;
  const sg_cut *cut = work->cut;
  return cut->instead == NULL ||
         segment->plan[i].loop == (int)sg_segment_class(segment, cut->loop_node, cut->loop_axis);
}

static void search_plan(void *arg, size_t i) {
  plan_job *work = arg;
  sg_segment *segment = work->segment;
  plan_ranks *ranks = &work->ranks[i];
  as_err_init(&ranks->err);
  if (!has_wanted_loop(work, (uint32_t)i) || take_recorded(work, (uint32_t)i) ||
      !is_in_shard(work, (uint32_t)i))
    return;
  segment->stats[i].plans = 1;
  if (enumerate_plan(segment, (uint32_t)i, &segment->stats[i])) {
    segment->stats[i].candidates = segment->n_recipe[i];
    trace_plan(segment, i);
    rank_plan(work, (uint32_t)i);
  }
  ranks->is_new = true;
}

/* adds what was enumerated to the record, where no limit in time cut it short */
static void record_plans(const plan_job *work) {
  const sg_segment *segment = work->segment;
  for (uint32_t i = 0; work->opts->record && i < segment->n_plan; i++) {
    const plan_ranks *ranks = &work->ranks[i];
    const uint64_t *struck = segment->stats[i].struck;
    if (!ranks->is_new || struck[AS_LIMIT_TIME] + struck[AS_LIMIT_INTERRUPT] > 0)
      continue;
    sg_record_add(work->opts->record, &(sg_outcome){.segment = segment->recorded_as,
                                                    .plan = i,
                                                    .stats = segment->stats[i],
                                                    .n_rank = ranks->n,
                                                    .rank = ranks->rank});
  }
}

/* the graphs of all plans, best first */
static void collect_ranks(sg_segment *segment, const plan_job *work, as_err *err) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < segment->n_plan; i++)
    total += work->ranks[i].n;
  segment->rank = as_calloc(total + 1, sizeof *segment->rank);
  for (uint32_t i = 0; i < segment->n_plan; i++) {
    plan_ranks *ranks = &work->ranks[i];
    for (uint32_t k = 0; k < ranks->n; k++)
      segment->rank[segment->n_rank++] = ranks->rank[k];
    if (ranks->err.status != AS_OK)
      as_err_set(err, AS_INTERNAL, "%s", ranks->err.text);
    as_err_clear(&ranks->err);
    free(ranks->rank);
  }
  qsort(segment->rank, segment->n_rank, sizeof *segment->rank, cmp_rank);
}

static void add_stats(const sg_segment *segment, as_search_stats *total) {
  for (uint32_t i = 0; i < segment->n_plan; i++) {
    const sg_stats *stats = &segment->stats[i];
    total->states += stats->states;
    total->pruned_shape += stats->shape;
    total->pruned_abstract += stats->abstract;
    total->pruned_unit += stats->unit;
    total->pruned_repeat += stats->repeat;
    total->pruned_memory += stats->memory;
    total->values += stats->values;
    total->plans += stats->plans;
    total->candidates += stats->candidates;
    for (uint32_t k = 0; k < AS_LIMIT_N; k++)
      total->struck[k] += stats->struck[k];
  }
}

bool sg_segment_prepare(sg_segment *segment, const sg_cut *cut, const as_search_opts *opts,
                        const as_search_deadline *deadline, as_search_stats *total, as_err *err) {
  memset(segment, 0, sizeof *segment);
  segment->limits = (sg_limits){
      .max_values = opts->no_prune ? UNPRUNED_VALUES : opts->max_values,
      .max_states = (uint32_t)(opts->max_states > UINT32_MAX ? UINT32_MAX : opts->max_states),
      .keep = 6,
      .z3 = opts->z3,
      .most_ops = opts->no_prune,
      .shared_block = (double)opts->target->shared_block,
      .deadline = *deadline};
  if (!cut_apart(segment, cut, err))
    return false;
  total->parts++;
  as_condition_of(segment->sub, &segment->given);
  if (!segment->has_part) {
    total->struck[AS_LIMIT_AXES]++;
    return true;
  }
  sg_vocab_init(&segment->vocab, &segment->part);
  segment->plan = sg_plans(&segment->part, &segment->n_plan, total->struck);
  segment->space = as_calloc(segment->n_plan + 1, sizeof *segment->space);
  segment->recipe = as_calloc(segment->n_plan + 1, sizeof *segment->recipe);
  segment->n_recipe = as_calloc(segment->n_plan + 1, sizeof *segment->n_recipe);
  segment->stats = as_calloc(segment->n_plan + 1, sizeof *segment->stats);
  segment->recorded_as = opts->record ? sg_record_segment(segment) : 0;
  return true;
}

static void enumerate_plans(sg_segment *segment, const sg_cut *cut, const as_search_opts *opts,
                            as_search_stats *total, as_err *err) {
  plan_job work = {.segment = segment,
                   .cut = cut,
                   .opts = opts,
                   .concrete = sg_has_values(segment->sub),
                   .ranks = as_calloc(segment->n_plan + 1, sizeof *work.ranks)};
  as_parallel(opts->threads, segment->n_plan, search_plan, &work);
  add_stats(segment, total);
  record_plans(&work);
  collect_ranks(segment, &work, err);
  free(work.ranks);
}

bool sg_segment_search(sg_segment *segment, const sg_cut *cut, const as_search_opts *opts,
                       const as_search_deadline *deadline, as_search_stats *total, as_err *err) {
  if (!sg_segment_prepare(segment, cut, opts, deadline, total, err))
    return false;
  if (segment->has_part)
    enumerate_plans(segment, cut, opts, total, err);
  return true;
}

void sg_segment_complete(sg_segment *segment, const sg_cut *cut, const as_search_opts *opts,
                         const as_search_deadline *deadline, as_search_stats *total, as_err *err) {
  enumerate_plans(segment, cut, opts, total, err);
  if (!opts->no_prune) {
    sg_join_sides(segment, cut, opts, deadline, total);
    qsort(segment->rank, segment->n_rank, sizeof *segment->rank, cmp_rank);
  }
}

static void set_values(const as_graph *graph, const as_tiling *tiling) {
  for (uint32_t i = 0; i < graph->n_own_size; i++)
    as_size_set_value(graph->sizes, graph->own_size[i], -1);
  for (uint32_t i = 0; tiling && i < tiling->n; i++)
    as_size_set_value(graph->sizes, tiling->size[i], tiling->value[i]);
}

/* whether one of its best tilings can be lowered */
static bool graph_lowers(const as_graph *graph, const as_search_opts *opts) {
  uint32_t n_tilings;
  bool lowers = false;
  as_err err;
  as_err_init(&err);
  as_tiling *tilings = as_tilings(graph, opts->target, opts->tilings, &n_tilings, NULL);
  for (uint32_t i = 0; i < n_tilings; i++) {
    as_err_clear(&err);
    set_values(graph, &tilings[i]);
    lowers = lowers || opts->lowers(opts->lowers_arg, graph, NULL, &err);
    free(tilings[i].size);
    free(tilings[i].value);
  }
  set_values(graph, NULL);
  as_err_clear(&err);
  free(tilings);
  return lowers || n_tilings == 0; /* without tilings there is nothing to say */
}

void sg_segment_drop(sg_segment *segment, uint32_t n) {
  segment->lowers = segment->lowers && n == 0;
  segment->n_rank -= n;
  memmove(segment->rank, segment->rank + n, segment->n_rank * sizeof *segment->rank);
}

as_graph *sg_segment_alone(sg_segment *segment, uint32_t rank, as_err *err) {
  as_graph *graph = NULL;
  const sg_rank *chosen = &segment->rank[rank];
  return sg_segment_make_graphs(segment, chosen, err) &&
                 build_alone(segment, segment->sub, chosen, &graph, err)
             ? graph
             : NULL;
}

uint32_t sg_segment_drop_unlowerable(sg_segment *segment, const as_search_opts *opts,
                                     double enough) {
  uint32_t n_dropped = 0;
  while (opts->lowers && !segment->lowers && n_dropped < segment->n_rank &&
         segment->rank[n_dropped].us < enough) {
    as_graph *graph = NULL;
    as_err err;
    as_err_init(&err);
    bool lowers = sg_segment_make_graphs(segment, &segment->rank[n_dropped], &err) &&
                  build_alone(segment, segment->sub, &segment->rank[n_dropped], &graph, &err) &&
                  as_graph_valid(graph, &err) && graph_lowers(graph, opts);
    if (graph)
      as_graph_free(graph);
    as_err_clear(&err);
    segment->lowers = lowers;
    n_dropped += !lowers;
  }
  sg_segment_drop(segment, n_dropped);
  return n_dropped;
}

/* frees what only plans need that no graph is of */
static void keep_plans(sg_segment *segment, const bool *used) {
  for (uint32_t i = 0; i < segment->n_plan; i++) {
    if (used[i])
      continue;
    sg_space_free(segment->space[i]);
    segment->space[i] = NULL;
  }
}

void sg_segment_trim(sg_segment *segment, uint32_t keep) {
  bool *used = as_calloc(segment->n_plan + 1, sizeof *used);
  bool *used_by_side[2] = {NULL, NULL};
  for (uint32_t i = 0; segment->side && i < 2; i++)
    used_by_side[i] = as_calloc(segment->side[i].n_plan + 1, sizeof *used);
  if (segment->n_rank > keep)
    segment->n_rank = keep;
  for (uint32_t i = 0; i < segment->n_rank; i++) {
    const sg_rank *rank = &segment->rank[i];
    if (rank->joined)
      used_by_side[0][rank->plan] = used_by_side[1][rank->other_plan] = true;
    else
      used[rank->plan] = true;
  }
  keep_plans(segment, used);
  for (uint32_t i = 0; segment->side && i < 2; i++) {
    keep_plans(&segment->side[i], used_by_side[i]);
    free(used_by_side[i]);
  }
  free(used);
}

void sg_segment_clear(sg_segment *segment) {
  for (uint32_t i = 0; segment->side && i < 2; i++)
    sg_segment_clear(&segment->side[i]);
  free(segment->side);
  for (uint32_t i = 0; i < segment->n_plan; i++) {
    for (uint32_t k = 0; k < segment->n_recipe[i]; k++)
      sg_recipe_clear(&segment->recipe[i][k]);
    free(segment->recipe[i]);
    sg_space_free(segment->space[i]);
  }
  free(segment->plan);
  free(segment->space);
  free(segment->recipe);
  free(segment->n_recipe);
  free(segment->stats);
  free(segment->rank);
  free(segment->to_main);
  free(segment->key);
  if (segment->has_part) {
    sg_vocab_clear(&segment->vocab);
    sg_part_clear(&segment->part);
  }
  if (segment->sub)
    as_graph_free(segment->sub);
  memset(segment, 0, sizeof *segment);
}

bool sg_segment_build(sg_segment *segment, uint32_t rank, as_graph *graph, as_node_id *node,
                      as_err *err) {
  const sg_rank *chosen = &segment->rank[rank];
  as_node_id *local = as_malloc((segment->part.n + 1) * sizeof *local);
  for (uint32_t i = 0; i < segment->part.n; i++)
    local[i] =
        i < segment->part.n_input ? node[segment->to_main[segment->part.tensor[i]]] : AS_NONE;
  bool built = sg_segment_make_graphs(segment, chosen, err) &&
               build_kernels(segment, chosen, graph, local, err);
  for (uint32_t i = segment->part.n_leaf; i < segment->part.n && built; i++) {
    if (local[i] != AS_NONE)
      node[segment->to_main[segment->part.tensor[i]]] = local[i];
  }
  free(local);
  return built;
}

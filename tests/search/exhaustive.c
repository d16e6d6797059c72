/* Whether pruning loses anything: for every plan of a small program all block graphs of at most N
 * operators and accumulators are enumerated with nothing pruned, beside what the search enumerates.
 * A way to compute a tile tensor that belongs to such a graph and that the search does not have is
 * *lost*; a graph with it is built and judged.
 *
 *     exhaustive [PROGRAM.tp N]      without arguments: the programs below, and it is a test
 *
 * A line for each program: what was enumerated, what is lost, how many graphs with something lost
 * are certified, and how many of those are lighter than the lightest that the search has. */
#include "search/search.h"
#include "search/sg_space.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/id.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/operators.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_JUDGED = 60, MOST_VALUES = 400000, MOST_STEPS = 64 };

#define VALUE(s, i) (&AS_VEC_AT(&(s)->values, sg_value, i))
#define DERIV(s, i) (&AS_VEC_AT(&(s)->derivs, sg_deriv, i))

typedef struct {
  uint64_t plans;
  uint64_t unpruned; /* ways to compute tile tensors */
  uint64_t pruned;
  uint64_t useful; /* of the unpruned, in graphs of at most N */
  uint64_t lost;
  uint64_t judged;
  uint64_t certified;
  uint64_t lighter;
  uint64_t plans_lost; /* where the search has no graph at all */
} tally;

typedef struct {
  const as_graph *program;
  ck_text text;
  sg_part part;
  sg_vocab vocab;
  sg_plan *plan;
  uint32_t n_plan;
  uint32_t most_ops;
  bool shows; /* print what is lost */
  tally count;
} exhaustion;

/* --- the same value in two stores */
static uint64_t value_key(const sg_space *space, uint32_t id) {
  const sg_value *value = VALUE(space, id);
  char *expr = ax_print(space->ctx.A, value->expr);
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s phase %u axes", expr, value->phase);
  for (uint32_t i = 0; i < value->axes.rank; i++)
    as_str_printf(&text, " %u", value->axes.ax[i]);
  if (value->run != AS_NONE) {
    char *run = ax_print(space->ctx.A, VALUE(space, value->run)->expr);
    as_str_printf(&text, " reads %s", run);
    free(run);
  }
  uint64_t key = as_hash(text.s, text.n, 1);
  as_str_clear(&text);
  free(expr);
  return key;
}

/* of a way to compute it: the same function of the same operands is one way, by whatever operator
 * and in whatever order */
static uint64_t way_key(const sg_deriv *deriv, const uint64_t *keys) {
  uint64_t arg[AS_MAX_ARGS] = {0};
  for (uint32_t i = 0; i < deriv->nargs; i++)
    arg[i] = keys[deriv->arg[i]];
  if (deriv->nargs == 2 && deriv->kind == SG_D_OP && arg[0] > arg[1]) {
    uint64_t larger = arg[0];
    arg[0] = arg[1];
    arg[1] = larger;
  }
  uint64_t head[] = {deriv->kind, deriv->kind == SG_D_ACC ? deriv->acc : 0, keys[deriv->value]};
  return as_hash_words(arg, AS_MAX_ARGS, as_hash_words(head, 3, 1));
}

static uint64_t *all_keys(const sg_space *space) {
  uint64_t *keys = as_calloc(space->values.n + 1, sizeof *keys);
  for (uint32_t i = 0; i < space->values.n; i++)
    keys[i] = value_key(space, i);
  return keys;
}

/* --- which ways are in a graph of at most N */
typedef struct {
  sg_space *space;
  uint32_t *slack;  /* by value: what its way may take; 0: it is in no such graph */
  uint32_t *parent; /* the way through which it may take that, AS_NONE: a goal */
} usefulness;

static uint32_t ops_of_way(const sg_space *space, const sg_deriv *deriv) {
  uint32_t ops = deriv->kind != SG_D_LOAD && deriv->kind != SG_D_CONST;
  for (uint32_t i = 0; i < deriv->nargs; i++)
    ops += VALUE(space, deriv->arg[i])->ops;
  return ops;
}

static usefulness find_useful(const exhaustion *all, sg_space *space) {
  usefulness use = {space, as_calloc(space->values.n + 1, sizeof *use.slack),
                    as_malloc((space->values.n + 1) * sizeof *use.parent)};
  memset(use.parent, 255, (space->values.n + 1) * sizeof *use.parent);
  uint32_t needed = 0;
  for (uint32_t i = 0; i < all->part.n_output; i++)
    needed += VALUE(space, space->goal[i])->ops;
  for (uint32_t i = 0; i < all->part.n_output && needed <= all->most_ops; i++)
    use.slack[space->goal[i]] = all->most_ops - needed + VALUE(space, space->goal[i])->ops;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < space->derivs.n; i++) {
      const sg_deriv *deriv = DERIV(space, i);
      uint32_t ops = ops_of_way(space, deriv);
      if (ops > use.slack[deriv->value])
        continue;
      for (uint32_t k = 0; k < deriv->nargs; k++) {
        uint32_t may = use.slack[deriv->value] - ops + VALUE(space, deriv->arg[k])->ops;
        if (may > use.slack[deriv->arg[k]]) {
          use.slack[deriv->arg[k]] = may;
          use.parent[deriv->arg[k]] = i;
          changed = true;
        }
      }
    }
  }
  return use;
}

/* --- a graph with a given way in it */
/* the way to compute a value: one that is forced, or the shortest */
static uint32_t way_of(const sg_space *space, const as_map *forced, uint32_t value) {
  uint64_t known;
  if (as_map_get(forced, AS_KEY(value), &known))
    return (uint32_t)known;
  uint32_t best = AS_NONE;
  for (uint32_t i = 0; i < VALUE(space, value)->derivs.n; i++) {
    uint32_t way = AS_VEC_AT(&VALUE(space, value)->derivs, uint32_t, i);
    if (best == AS_NONE ||
        ops_of_way(space, DERIV(space, way)) < ops_of_way(space, DERIV(space, best)))
      best = way;
  }
  return best;
}

/* adds what the value needs, then its way; false: it needs itself, or too much */
static bool add_steps(const sg_space *space, const as_map *forced, uint32_t value, uint32_t depth,
                      sg_recipe *recipe) {
  if (depth > MOST_STEPS || recipe->n == MOST_STEPS)
    return false;
  for (uint32_t i = 0; i < recipe->n; i++) {
    if (DERIV(space, recipe->deriv[i])->value == value)
      return true;
  }
  uint32_t way = way_of(space, forced, value);
  for (uint32_t i = 0; i < DERIV(space, way)->nargs; i++) {
    if (!add_steps(space, forced, DERIV(space, way)->arg[i], depth + 1, recipe))
      return false;
  }
  if (recipe->n == MOST_STEPS)
    return false;
  recipe->deriv[recipe->n++] = way;
  recipe->weight += DERIV(space, way)->weight;
  return true;
}

static bool make_recipe(const exhaustion *all, const usefulness *use, uint32_t way,
                        sg_recipe *recipe) {
  const sg_space *space = use->space;
  as_map forced;
  as_map_init(&forced, 1);
  for (uint32_t at = way, n = 0; at != AS_NONE && n < MOST_STEPS; n++) {
    as_map_put(&forced, AS_KEY(DERIV(space, at)->value), at);
    at = use->parent[DERIV(space, at)->value];
  }
  *recipe = (sg_recipe){.deriv = as_calloc(MOST_STEPS + 1, sizeof(uint32_t)),
                        .goal = as_calloc(all->part.n_output + 1, sizeof(uint32_t)),
                        .n_goal = all->part.n_output};
  bool made = true;
  for (uint32_t i = 0; i < all->part.n_output && made; i++) {
    recipe->goal[i] = space->goal[i];
    made = add_steps(space, &forced, space->goal[i], 0, recipe);
  }
  as_map_clear(&forced);
  bool has = false;
  for (uint32_t i = 0; i < recipe->n; i++)
    has |= recipe->deriv[i] == way;
  return made && has;
}

/* the recipe as the text of a muGraph; malloc'ed, NULL: it cannot be built */
static char *text_of(const exhaustion *all, const sg_space *space, const sg_plan *plan,
                     const sg_recipe *recipe) {
  const as_graph *program = all->program;
  as_graph *graph = as_graph_new(program->sizes, program->lib, program, program->name);
  as_node_id *node = as_malloc((all->part.n + 1) * sizeof *node);
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < all->part.n_input; i++) {
    for (uint32_t k = 0; k < program->n_input; k++) {
      if (program->input[k] == all->part.tensor[i])
        node[i] = graph->input[k];
    }
  }
  bool built = sg_build_block(graph, space, &all->part, plan, &all->vocab, recipe, node, &err);
  for (uint32_t i = 0; i < all->part.n_output && built; i++)
    built = as_graph_output(graph, node[all->part.output[i]], &err);
  char *text = built ? as_print_mug(graph) : NULL;
  as_err_clear(&err);
  as_graph_free(graph);
  free(node);
  return text;
}

static bool is_certified(const exhaustion *all, const char *text) {
  as_graph *program = as_graph_copy(all->program);
  program->sizes = as_sizes_copy(all->program->sizes);
  as_err err;
  as_err_init(&err);
  as_candidate candidate = {.program = program, .text = as_strdup(text)};
  candidate.graph = as_parse_mug("candidate.mug", text, strlen(text), program, &err);
  as_verdict_init(&candidate.verdict);
  if (candidate.graph) {
    as_judged judged = as_search_judged(all->program, &all->text, &candidate);
    as_judge(&judged, &as_search_policy, &candidate.verdict);
  }
  bool certified = candidate.verdict.certified;
  as_verdict_clear(&candidate.verdict);
  if (candidate.graph)
    as_graph_free(candidate.graph);
  as_sizes_free(program->sizes);
  as_graph_free(program);
  free(candidate.text);
  as_err_clear(&err);
  return certified;
}

static void judge_way(exhaustion *all, const usefulness *use, const sg_plan *plan, uint32_t way,
                      uint64_t lightest) {
  sg_recipe recipe;
  char *text = make_recipe(all, use, way, &recipe) ? text_of(all, use->space, plan, &recipe) : NULL;
  if (text) {
    bool certified = is_certified(all, text);
    bool lighter = certified && recipe.weight < lightest;
    all->count.judged++;
    all->count.certified += certified;
    all->count.lighter += lighter;
    if (all->shows && certified)
      printf("%s, weight %llu, the search's lightest %llu:\n%s\n", lighter ? "LIGHTER" : "lost",
             (unsigned long long)recipe.weight, (unsigned long long)lightest, text);
  }
  free(text);
  sg_recipe_clear(&recipe);
}

/* --- one plan both ways */
static void compare(exhaustion *all, const sg_plan *plan, sg_space *unpruned, sg_space *pruned,
                    bool has_graph) {
  uint64_t *keys = all_keys(pruned);
  as_map ways;
  as_map_init(&ways, 1);
  for (uint32_t i = 0; i < pruned->derivs.n; i++)
    as_map_put(&ways, AS_KEY(way_key(DERIV(pruned, i), keys)), 1);
  free(keys);
  uint64_t lightest = UINT64_MAX;
  if (has_graph) {
    uint32_t n;
    sg_recipe *recipe = sg_space_extract(pruned, 1, &n);
    lightest = n ? recipe[0].weight : UINT64_MAX;
    for (uint32_t i = 0; i < n; i++)
      sg_recipe_clear(&recipe[i]);
    free(recipe);
  }
  usefulness use = find_useful(all, unpruned);
  keys = all_keys(unpruned);
  uint32_t judged = 0;
  for (uint32_t i = 0; i < unpruned->derivs.n; i++) {
    const sg_deriv *deriv = DERIV(unpruned, i);
    uint64_t there;
    if (ops_of_way(unpruned, deriv) > use.slack[deriv->value])
      continue;
    all->count.useful++;
    if (deriv->kind == SG_D_LOAD || deriv->kind == SG_D_CONST ||
        as_map_get(&ways, AS_KEY(way_key(deriv, keys)), &there))
      continue;
    all->count.lost++;
    if (judged++ < MOST_JUDGED)
      judge_way(all, &use, plan, i, lightest);
  }
  as_map_clear(&ways);
  free(keys);
  free(use.slack);
  free(use.parent);
}

static void try_plan(exhaustion *all, const sg_plan *plan) {
  const as_target *target = as_target_default();
  sg_limits limits = {.max_values = 1500,
                      .max_states = 800000,
                      .keep = 6,
                      .shared_block = (double)target->shared_block};
  sg_limits none = {.max_values = MOST_VALUES,
                    .max_states = UINT32_MAX,
                    .keep = 6,
                    .most_ops = all->most_ops,
                    .shared_block = (double)target->shared_block};
  sg_stats stats[2] = {{.states = 0}, {.states = 0}};
  sg_space *pruned = sg_space_new(&all->part, plan, &all->vocab, &limits);
  sg_space *unpruned = sg_space_new(&all->part, plan, &all->vocab, &none);
  bool has_graph = sg_space_enumerate(pruned, &stats[0]);
  bool has_any = sg_space_enumerate(unpruned, &stats[1]);
  if (stats[1].struck[AS_LIMIT_VALUES] + stats[1].struck[AS_LIMIT_STATES] > 0) {
    fprintf(stderr, "a plan has more than is enumerated here\n");
    exit(EXIT_FAILURE);
  }
  all->count.plans += has_any;
  all->count.plans_lost += has_any && !has_graph;
  if (has_any) {
    all->count.unpruned += unpruned->derivs.n;
    all->count.pruned += pruned->derivs.n;
    compare(all, plan, unpruned, pruned, has_graph);
  }
  sg_space_free(pruned);
  sg_space_free(unpruned);
}

static bool prepare(exhaustion *all) {
  const as_graph *program = all->program;
  uint32_t *ops = as_malloc((program->n + 1) * sizeof *ops);
  uint32_t n = 0;
  for (uint32_t i = 0; i < program->n; i++) {
    if (program->node[i].kind == AS_N_OP)
      ops[n++] = i;
  }
  uint32_t *last = sg_last_use(program);
  bool fits = sg_part_init(&all->part, program, ops, n, last);
  free(ops);
  free(last);
  if (!fits)
    return false;
  uint64_t struck[AS_LIMIT_N] = {0};
  sg_vocab_init(&all->vocab, &all->part);
  all->plan = sg_plans(&all->part, &all->n_plan, struck);
  return true;
}

/* false: it cannot be read or is too large */
static bool exhaust(const char *name, const char *text, uint32_t most_ops, bool shows,
                    tally *count) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = test_operators();
  as_sizes *sizes = as_sizes_new();
  as_graph *program = as_parse_tp(name, text, strlen(text), sizes, lib, &err);
  exhaustion all = {.program = program, .most_ops = most_ops, .shows = shows};
  bool ok = program && prepare(&all);
  if (program == NULL)
    as_err_tell(&err);
  if (ok) {
    double start = as_now();
    all.text = (ck_text){name, text, strlen(text)};
    for (uint32_t i = 0; i < all.n_plan; i++)
      try_plan(&all, &all.plan[i]);
    *count = all.count;
    printf("| %s | %u | %llu | %llu | %llu | %llu | %llu | %llu | %llu | %llu | %llu | %.1f |\n",
           program->name, most_ops, (unsigned long long)count->plans,
           (unsigned long long)count->plans_lost, (unsigned long long)count->unpruned,
           (unsigned long long)count->pruned, (unsigned long long)count->useful,
           (unsigned long long)count->lost, (unsigned long long)count->judged,
           (unsigned long long)count->certified, (unsigned long long)count->lighter,
           as_now() - start);
    fflush(stdout);
    free(all.plan);
    sg_vocab_clear(&all.vocab);
    sg_part_clear(&all.part);
  }
  if (program)
    as_graph_free(program);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  as_err_clear(&err);
  return ok;
}

static const struct {
  const char *text;
  uint32_t most_ops;
} programs[] = {
    {"program product\nsizes B = 64, D = 64, N = 64\ninput X: f16[B, D]\ninput W: f16[D, N]\n"
     "output O = X @ W\n",
     2},
    {"program row_sum\nsizes B = 64, D = 64\ninput X: f16[B, D]\noutput O = sum(exp(X))\n", 3},
    {"program exponentials\nsizes B = 64, D = 64, N = 64\ninput X: f16[B, D]\ninput W: f16[D, N]\n"
     "output O = exp(X) @ W\n",
     2},
    {"program largest\nsizes B = 64, D = 64\ninput X: f16[B, D]\noutput O = max(X, axis=-1)\n", 2}};

int main(int argc, char **argv) {
  bool ok = true;
  tally count;
  puts("| program | N | plans with graphs | of these lost | ways, unpruned | ways, pruned | in "
       "graphs of at most N | lost | judged | certified | lighter | s |\n"
       "|---|---|---|---|---|---|---|---|---|---|---|---|");
  if (argc == 3 || argc == 4) {
    as_err err;
    as_err_init(&err);
    size_t len;
    char *text = as_read_file(argv[1], &len, &err);
    ok = text && exhaust(argv[1], text, (uint32_t)strtoul(argv[2], NULL, 10), argc == 4, &count);
    if (text == NULL)
      as_err_tell(&err);
    free(text);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    ok &= exhaust("program.tp", programs[i].text, programs[i].most_ops, false, &count);
    ok &= count.plans > 0 && count.useful > 0 && count.lighter == 0 && count.plans_lost == 0;
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

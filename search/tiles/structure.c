#include "extract.h"
#include "roles.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* --- work */
static double product(const tl_accesses *all, const as_size *dim, uint32_t n) {
  double elements = 1;
  for (uint32_t i = 0; i < n; i++)
    elements *= (double)tl_value(all, dim[i]);
  return elements;
}

double tl_elements(const tl_graph *graph, uint32_t cls) {
  uint32_t rank;
  const as_size *dim = tl_shape_dims(graph->accesses, tl_class_at(graph, cls)->shape, &rank);
  return product(graph->accesses, dim, rank);
}

/* an element of the result takes as many steps as the first operand has along what is summed */
double tl_call_work(const tl_graph *graph, uint32_t node) {
  tl_roles roles;
  double work = tl_elements(graph, tl_node_at(graph, node)->cls);
  if (tl_node_at(graph, node)->n_kid == 0 || !tl_node_roles(graph, node, &roles))
    return work;
  uint32_t rank;
  uint32_t shape = tl_class_at(graph, tl_kid(graph, node, 0))->shape;
  const as_size *dim = tl_shape_dims(graph->accesses, shape, &rank);
  for (uint32_t k = 0; k < rank; k++) {
    if (roles.arg[0][k].kind != TL_AXIS_PASSED)
      work *= product(graph->accesses, dim + k, 1);
  }
  return work;
}

/* --- trees */
static const double impossible = 1e300;

enum { BYTES = 4 };

typedef struct {
  double work;
  uint32_t kernels;
  uint64_t hash; /* of what is in it, in any order */
  uint32_t node;
  uint32_t pick[2]; /* which option of the operands */
} option;

/* how many options there are of a number of kernels, and the most work of one */
typedef struct {
  uint32_t n;
  double worst;
} bucket;

enum { MOST_KERNELS = 63 };

typedef struct {
  option *item; /* least kernels first, then least work */
  uint32_t n;
  bucket *bucket; /* by kernels */
  bool asked;
  bool done;
} options;

/* where a class is chosen for: inside of a kernel; as a kernel; as a sequence of kernels */
typedef enum { INSIDE, KERNEL, KERNELS, N_LEVELS } level;

/* Work is in microseconds of one multiprocessor, on its own. */
typedef struct {
  const tl_graph *graph;
  const as_target *target;
  uint32_t keep;
  options *of[N_LEVELS]; /* by class */
  double *work;          /* of tiles by class; negative: not known, or being found */
  const bool *dead;      /* tensors that nothing is to read: what is stored to them takes no work */
  as_arena *mem;
} chooser;

static double load_work(const chooser *c, uint32_t access) {
  uint32_t rank;
  tl_accesses *all = c->graph->accesses;
  if (c->dead[tl_access_tensor(all, access)])
    return impossible;
  const as_size *dim = tl_shape_dims(all, tl_access_shape(all, access), &rank);
  return BYTES * product(all, dim, rank) / c->target->mp_bandwidth;
}

static double store_work(const chooser *c, uint32_t cls) {
  return BYTES * tl_elements(c->graph, cls) / c->target->mp_bandwidth;
}

static double call_work(const chooser *c, uint32_t node) {
  double steps = tl_call_work(c->graph, node);
  double elements = tl_elements(c->graph, tl_node_at(c->graph, node)->cls);
  return steps > elements ? 2 * steps / c->target->tile_flops : steps / c->target->tile_elements;
}

/* the least work of a tile where nothing is there already */
static double tile_work(chooser *c, uint32_t cls) {
  cls = tl_find(c->graph, cls);
  if (c->work[cls] >= 0)
    return c->work[cls];
  if (c->work[cls] < -1.5)
    return impossible; /* being found: no tile is part of itself */
  c->work[cls] = -2;
  double least = impossible;
  for (uint32_t n = tl_first(c->graph, cls); n != AS_NONE; n = tl_next(c->graph, n)) {
    const tl_node *node = tl_node_at(c->graph, n);
    double work = node->kind == TL_LOAD   ? load_work(c, node->item)
                  : node->kind == TL_CALL ? call_work(c, n)
                                          : 0;
    for (uint32_t i = 0; i < node->n_kid; i++)
      work += tile_work(c, tl_kid(c->graph, n, i));
    if (work < least)
      least = work;
  }
  c->work[cls] = least;
  return least;
}

static uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
  return (x ^ x >> 32) * 0xc4ceb9fe1a85ec53u;
}

static void find_worst(const options *of, uint32_t kernels) {
  double worst = 0;
  for (uint32_t i = 0; i < of->n; i++) {
    if (of->item[i].kernels == kernels && of->item[i].work > worst)
      worst = of->item[i].work;
  }
  of->bucket[kernels].worst = worst;
}

/* the place that the option takes: of the same program, of the one with the most work where there
 * are enough, or a new one */
static uint32_t place_of(const chooser *c, options *of, const option *one) {
  const bucket *same = &of->bucket[one->kernels];
  uint32_t last = AS_NONE;
  for (uint32_t i = 0; i < of->n; i++) {
    if (of->item[i].hash == one->hash)
      return i;
    if (same->n >= c->keep && of->item[i].kernels == one->kernels &&
        of->item[i].work >= same->worst)
      last = i;
  }
  if (last != AS_NONE)
    return last;
  if ((of->n & (of->n - 1)) == 0) /* room for 1, 2, 4, .. */
    of->item = as_realloc(of->item, (of->n ? 2 * of->n : 1) * sizeof *of->item);
  of->item[of->n] = (option){.work = impossible, .kernels = one->kernels};
  of->bucket[one->kernels].n++;
  return of->n++;
}

static void keep_option(chooser *c, options *of, option one) {
  if (of->bucket == NULL)
    of->bucket = as_calloc(MOST_KERNELS + 1, sizeof *of->bucket);
  if (one.kernels > MOST_KERNELS)
    return;
  bucket *same = &of->bucket[one.kernels];
  if (same->n >= c->keep && one.work >= same->worst)
    return;
  uint32_t place = place_of(c, of, &one);
  if (one.work < of->item[place].work)
    of->item[place] = one;
  find_worst(of, one.kernels);
}

static int by_kernels(const void *left, const void *right) {
  const option *a = left;
  const option *b = right;
  if (a->kernels != b->kernels)
    return a->kernels < b->kernels ? -1 : 1;
  if (a->work != b->work)
    return a->work < b->work ? -1 : 1;
  return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* An outermost loop is a kernel.  How many multiprocessors take part: as many as iterations, if no
 * sum runs over them. */
static double shared_by(const chooser *c, uint32_t variable, uint32_t body) {
  const tl_accesses *all = c->graph->accesses;
  uint32_t n;
  const tl_effect *item = tl_effects(all, tl_class_at(c->graph, body)->effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t sums = tl_tensor_at(all, tl_access_tensor(all, item[i].access))->sums_over;
    if (item[i].mode >= TL_SUM && (sums >> variable & 1))
      return 1;
  }
  double count = (double)tl_value(all, tl_variable_at(all, variable)->count);
  return count < c->target->multiprocessors ? count : c->target->multiprocessors;
}

static const options *choose(chooser *c, uint32_t cls, level at);

static void add_node(chooser *c, options *of, uint32_t cls, uint32_t n, level at) {
  const tl_node *node = tl_node_at(c->graph, n);
  const tl_accesses *all = c->graph->accesses;
  if (node->kind == TL_NIL)
    keep_option(c, of, (option){.node = n, .hash = 1});
  if (node->kind == TL_STORE || node->kind == TL_ADD) {
    uint32_t value = tl_kid(c->graph, n, 0);
    bool unread = c->dead[tl_access_tensor(all, node->item)];
    double work = unread ? 0 : tile_work(c, value) + store_work(c, value);
    if (work < impossible)
      keep_option(c, of, (option){.node = n, .work = work, .hash = mixed(cls, 3)});
  }
  if (node->kind == TL_LOOP) {
    const options *body = choose(c, tl_kid(c->graph, n, 0), INSIDE);
    double times = (double)tl_value(all, tl_variable_at(all, node->item)->count);
    if (at == KERNEL)
      times /= shared_by(c, node->item, tl_kid(c->graph, n, 0));
    for (uint32_t i = 0; i < body->n; i++) {
      option one = {
          .node = n,
          .pick = {i, 0},
          .work = body->item[i].work > 0 ? times * (body->item[i].work + c->target->step_us) : 0,
          .hash = mixed(body->item[i].hash, 7 + node->item)};
      keep_option(c, of, one);
    }
  }
  if (node->kind != TL_CONS)
    return;
  const options *first = choose(c, tl_kid(c->graph, n, 0), at == KERNELS ? KERNEL : INSIDE);
  const options *rest = choose(c, tl_kid(c->graph, n, 1), at);
  for (uint32_t i = 0; i < first->n; i++) {
    for (uint32_t j = 0; j < rest->n; j++) {
      option one = {.node = n,
                    .pick = {i, j},
                    .work = first->item[i].work + rest->item[j].work,
                    .kernels = rest->item[j].kernels + (at == KERNELS && first->item[i].work > 0),
                    .hash = first->item[i].hash + rest->item[j].hash};
      keep_option(c, of, one);
    }
  }
}

static const options *choose(chooser *c, uint32_t cls, level at) {
  cls = tl_find(c->graph, cls);
  options *of = &c->of[at][cls];
  static const options none = {0};
  if (of->done)
    return of;
  if (of->asked)
    return &none; /* a sequence that is part of itself */
  of->asked = true;
  for (uint32_t n = tl_first(c->graph, cls); n != AS_NONE; n = tl_next(c->graph, n))
    add_node(c, of, cls, n, at);
  qsort(of->item, of->n, sizeof *of->item, by_kernels);
  of->done = true;
  return of;
}

static tl_tree *statement_tree(const chooser *c, uint32_t cls, uint32_t pick, level at);

static void add_statements(const chooser *c, tl_tree *into, uint32_t cls, uint32_t pick, level at) {
  tl_tree *list[1024];
  for (;;) {
    const option *one = &c->of[at][tl_find(c->graph, cls)].item[pick];
    if (tl_node_at(c->graph, one->node)->kind == TL_NIL || into->n == 1024)
      break;
    list[into->n++] = statement_tree(c, tl_kid(c->graph, one->node, 0), one->pick[0],
                                     at == KERNELS ? KERNEL : INSIDE);
    cls = tl_kid(c->graph, one->node, 1);
    pick = one->pick[1];
  }
  into->body = as_arena_alloc(c->mem, (into->n + 1) * sizeof(tl_tree *));
  memcpy(into->body, list, into->n * sizeof(tl_tree *));
}

static tl_tree *statement_tree(const chooser *c, uint32_t cls, uint32_t pick, level at) {
  const option *one = &c->of[at][tl_find(c->graph, cls)].item[pick];
  const tl_node *node = tl_node_at(c->graph, one->node);
  tl_tree *tree = as_arena_alloc(c->mem, sizeof *tree);
  tree->kind = (tl_kind)node->kind;
  tree->item = node->item;
  tree->value = tl_kid(c->graph, one->node, 0);
  if (node->kind == TL_LOOP)
    add_statements(c, tree, tree->value, one->pick[0], INSIDE);
  return tree;
}

static void begin(chooser *c) {
  uint32_t n_class = (uint32_t)c->graph->parent.n;
  for (int at = 0; at < N_LEVELS; at++)
    c->of[at] = as_calloc(n_class + 1, sizeof(options));
  c->work = as_malloc((n_class + 1) * sizeof *c->work);
  for (uint32_t i = 0; i < n_class; i++)
    c->work[i] = -1;
}

static void end(chooser *c) {
  uint32_t n_class = (uint32_t)c->graph->parent.n;
  for (int at = 0; at < N_LEVELS; at++) {
    for (uint32_t i = 0; i < n_class; i++) {
      free(c->of[at][i].item);
      free(c->of[at][i].bucket);
    }
    free(c->of[at]);
  }
  free(c->work);
}

tl_structure *tl_structures(const tl_graph *graph, uint32_t root, const bool *dead, uint32_t keep,
                            const as_target *target, as_arena *mem, uint32_t *n) {
  chooser c = {.graph = graph, .target = target, .keep = keep, .dead = dead, .mem = mem};
  begin(&c);
  const options *all = choose(&c, root, KERNELS);
  tl_structure *found = as_calloc(all->n + 1, sizeof *found);
  *n = all->n;
  for (uint32_t i = 0; i < all->n; i++) {
    tl_tree *whole = as_arena_alloc(mem, sizeof *whole);
    whole->kind = TL_NIL;
    add_statements(&c, whole, root, i, KERNELS);
    found[i] = (tl_structure){all->item[i].kernels, all->item[i].work, whole};
  }
  end(&c);
  return found;
}

bool tl_may_be_dead(const tl_graph *graph, uint32_t root, const bool *dead) {
  chooser c = {.graph = graph, .target = as_target_default(), .keep = 1, .dead = dead};
  begin(&c);
  bool some = choose(&c, root, KERNELS)->n > 0;
  end(&c);
  return some;
}

/* --- random ones */
static uint32_t random_node(const tl_graph *graph, uint32_t cls, as_rng *rng) {
  uint32_t fit = 0;
  uint32_t chosen = AS_NONE;
  for (uint32_t n = tl_first(graph, cls); n != AS_NONE; n = tl_next(graph, n)) {
    if (tl_node_at(graph, n)->kind != TL_JOIN && as_rng_below(rng, ++fit) == 0)
      chosen = n;
  }
  return chosen;
}

static bool random_body(const tl_graph *graph, uint32_t cls, as_rng *rng, as_arena *mem,
                        tl_tree *into) {
  enum { MOST = 256 };

  tl_tree *list[MOST];
  for (;;) {
    uint32_t n = random_node(graph, cls, rng);
    if (n == AS_NONE || into->n == MOST)
      return false;
    if (tl_node_at(graph, n)->kind == TL_NIL)
      break;
    uint32_t statement = random_node(graph, tl_kid(graph, n, 0), rng);
    if (statement == AS_NONE)
      return false;
    const tl_node *node = tl_node_at(graph, statement);
    tl_tree *tree = as_arena_alloc(mem, sizeof *tree);
    tree->kind = (tl_kind)node->kind;
    tree->item = node->item;
    tree->value = tl_kid(graph, statement, 0);
    if (node->kind == TL_LOOP && !random_body(graph, tree->value, rng, mem, tree))
      return false;
    list[into->n++] = tree;
    cls = tl_kid(graph, n, 1);
  }
  into->body = as_arena_alloc(mem, (into->n + 1) * sizeof(tl_tree *));
  memcpy(into->body, list, into->n * sizeof(tl_tree *));
  return true;
}

tl_tree *tl_random_tree(const tl_graph *graph, uint32_t root, as_rng *rng, as_arena *mem) {
  tl_tree *whole = as_arena_alloc(mem, sizeof *whole);
  whole->kind = TL_NIL;
  return random_body(graph, root, rng, mem, whole) ? whole : NULL;
}

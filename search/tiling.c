/* The choice of tile sizes by the cost model.
 *
 * A relation `extent = count * tile` gives the choices: tiles that divide the concrete extent.
 * Kernels are tuned one by one, except where a size links them: the blocks that share a loop's
 * axis (`extent = shared * count * tile`: the second kernel combines as many states), a count
 * that two relations have, or a tile that is stored as it is and read by another.  The values of
 * such sizes are gone through first, and the kernels that mention them tuned for each. */
#include "cost_model.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

enum {
  MOST_IN_BLOCK = 12,
  MOST_IN_GROUP = 24,
  MOST_CHOICES = 24,
  MOST_LINKS = 2, /* of one group of kernels */
  MOST_SHARERS = 512
};

typedef struct {
  as_size count;
  as_size tile;
  as_size shared; /* AS_SIZE_BAD: no third factor */
  long extent;
  uint32_t block;
  bool linked;    /* the count is in another relation, too */
  bool passed_on; /* the tile is in another kernel, too: what is stored has its extent */
  bool cut;       /* the tiles cover the extent: any tile will do */
  bool loop;
  bool ranged; /* the extent is left to run time: one tiling for every value up to it */
  bool fine;   /* no tensor cores: a block may take one row */
  bool beside; /* of elements that lie beside each other: single ones are no tile */
  long choice[MOST_CHOICES];
  uint32_t n;
} split;

typedef struct {
  as_size size;
  long choice[MOST_CHOICES];
  uint32_t n;
} link;

typedef struct {
  double us;
  double shared;
  long value[2 * MOST_IN_GROUP + MOST_LINKS];
} choice;

typedef struct {
  const as_graph *graph;
  sg_cost_model model;
  split *splits; /* one a relation at most */
  uint32_t n_splits;
  uint32_t keep;
} tuner;

/* kernels tuned together */
typedef struct {
  uint32_t *blocks;
  uint32_t n_blocks;
  link links[MOST_LINKS];
  uint32_t n_links;
  as_size size[2 * MOST_IN_GROUP + MOST_LINKS]; /* what `choice.value` are values of */
  uint32_t n_sizes;
} group;

static bool mentions(const as_sizes *sizes, as_size size, as_size sym) {
  for (uint32_t i = 0; i < as_size_nmono(sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(sizes, size, i);
    for (uint32_t j = 0; j < mono.n; j++) {
      if (mono.atom[j] == sym)
        return true;
    }
  }
  return false;
}

static bool in_grid(const as_graph *graph, uint32_t block, as_size sym) {
  for (int i = 0; i < 3; i++) {
    if (mentions(graph->sizes, graph->block[block].grid[i], sym))
      return true;
  }
  return false;
}

static uint32_t block_of(const as_graph *graph, as_size sym) {
  for (uint32_t block = 0; block < graph->n_block; block++) {
    if (mentions(graph->sizes, graph->block[block].loop, sym) || in_grid(graph, block, sym))
      return block;
  }
  return AS_NONE;
}

static bool block_mentions(const as_graph *graph, uint32_t which, as_size sym) {
  const as_block *block = &graph->block[which];
  if (mentions(graph->sizes, block->loop, sym) || in_grid(graph, which, sym))
    return true;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    for (uint32_t k = 0; k < node->rank; k++) {
      if (mentions(graph->sizes, node->dim[k], sym))
        return true;
    }
  }
  return false;
}

bool sg_is_left_to_run_time(const as_sizes *sizes, as_size extent) {
  for (uint32_t i = 0; as_size_nth_sym(sizes, i) != AS_SIZE_BAD; i++) {
    as_size symbol = as_size_nth_sym(sizes, i);
    if (as_size_is_ranged(sizes, symbol) && as_size_mentions(sizes, extent, symbol))
      return true;
  }
  return false;
}

bool as_tiles_divide(long extent) {
  enum { SMALL = 64 }; /* taken whole, or by ones */

  for (long tile = 16; tile <= 256; tile += 16) {
    if (extent % tile == 0)
      return true;
  }
  return extent <= SMALL;
}

/* of tiles that are cut off: powers of two, the last of which leave little over */
static void find_cut_choices(split *of, long extent) {
  long most = extent - 1;
  if (of->ranged) /* one tile may be all, too */
    most = extent > 16 ? extent : 16;
  of->n = 0;
  for (long tile = 16; tile <= 256 && tile <= most; tile *= 2)
    of->choice[of->n++] = tile;
  for (long tile = 48; tile <= 96 && tile < extent; tile += 48)
    of->choice[of->n++] = tile;
  if (of->fine && !of->loop && !of->beside) { /* rows without products */
    for (long tile = 1; tile < 16 && tile < extent; tile *= 2)
      of->choice[of->n++] = tile;
  }
  if (of->n == 0)
    of->choice[of->n++] = 1;
}

static void find_choices(split *of, long extent) {
  enum { LEAST_BESIDE = 8 };

  static const long nice[] = {16,  32,  64, 128, 256, 48, 96, 80, 112, 160,
                              192, 512, 8,  24,  40,  56, 4,  2,  1};
  if (of->cut) {
    find_cut_choices(of, extent);
    return;
  }
  of->n = 0;
  if (of->ranged) { /* one row, or all of them */
    if (!of->loop)
      of->choice[of->n++] = 1;
    if (extent > 1 && extent <= 512 && of->shared == AS_SIZE_BAD)
      of->choice[of->n++] = extent;
    return;
  }
  for (size_t i = 0; i < sizeof nice / sizeof *nice && of->n < 20; i++) {
    long tile = nice[i];
    if (tile > extent || extent % tile)
      continue;
    if (tile % 16 && of->n && !of->fine && (tile != 8 || of->loop) && tile != 1)
      continue; /* tiles that are no multiple of a fragment only where nothing better divides, or of
                   one index: of heads that share keys, say, each has a block of its own */
    if (tile < 8 && (of->loop || (extent > 64 && !of->fine)))
      continue; /* a loop of single elements is no tiling */
    if (of->loop && tile > 256)
      continue;
    if (of->beside && tile < LEAST_BESIDE && of->n)
      continue;
    of->choice[of->n++] = tile;
  }
  if (extent == 0)
    of->choice[of->n++] = 1; /* no tiles, of any size */
  bool whole = extent == 0;
  for (uint32_t i = 0; i < of->n; i++)
    whole |= of->choice[i] == extent;
  if (!whole && extent <= 512)
    of->choice[of->n++] = extent;
}

/* the number of tiles of this extent; 0 where the sharers cannot have as many each */
static long count_of(const split *of, long sharers, long tile) {
  long count = of->cut ? of->extent / tile + (of->extent % tile > 0) : of->extent / tile;
  return count % sharers ? 0 : count / sharers;
}

/* (whole + tile - 1) div tile, all of own sizes but the whole */
static bool reads_cut(const as_graph *graph, as_size size, as_size *whole, as_size *tile) {
  as_size most;
  if (as_size_nmono(graph->sizes, size) != 1)
    return false;
  as_size_mono mono = as_size_get_mono(graph->sizes, size, 0);
  if (mono.n != 1 || mono.coef != 1 ||
      as_size_atom(graph->sizes, mono.atom[0], &most, tile) != AS_SIZE_DIV ||
      !as_id_among(graph->own_size, graph->n_own_size, *tile))
    return false;
  *whole = as_size_add(graph->sizes, as_size_sub(graph->sizes, most, *tile), AS_SIZE_ONE);
  return true;
}

/* the factors of the number of tiles of a relation `(whole + tile - 1) div tile = product` */
static bool read_counts(const as_graph *graph, as_size_mono product, split *out) {
  out->count = out->shared = AS_SIZE_BAD;
  for (uint32_t i = 0; i < product.n; i++) {
    uint32_t block = as_id_among(graph->own_size, graph->n_own_size, product.atom[i])
                         ? block_of(graph, product.atom[i])
                         : AS_NONE;
    if (block == AS_NONE || product.n > 2)
      return false;
    bool shares = product.n == 2 && in_grid(graph, block, product.atom[i]);
    *(shares ? &out->shared : &out->count) = product.atom[i];
  }
  if (out->count == AS_SIZE_BAD || (product.n == 2 && out->shared == AS_SIZE_BAD))
    return false;
  out->block = block_of(graph, out->count);
  out->loop = mentions(graph->sizes, graph->block[out->block].loop, out->count);
  return true;
}

/* which of the factors of a relation is what; false: not a relation of tiles */
static bool read_factors(const as_graph *graph, as_size_mono product, split *out) {
  out->count = out->tile = out->shared = AS_SIZE_BAD;
  out->block = AS_NONE;
  for (uint32_t i = 0; i < product.n; i++) {
    if (!as_id_among(graph->own_size, graph->n_own_size, product.atom[i]))
      return false;
  }
  if (product.n == 2) {
    uint32_t at = block_of(graph, product.atom[0]) == AS_NONE;
    out->count = product.atom[at];
    out->tile = product.atom[!at];
    out->block = block_of(graph, out->count);
    out->loop =
        out->block != AS_NONE && mentions(graph->sizes, graph->block[out->block].loop, out->count);
    return true;
  }
  if (product.n != 3)
    return false;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t block = block_of(graph, product.atom[i]);
    as_size *part = block == AS_NONE                         ? &out->tile
                    : in_grid(graph, block, product.atom[i]) ? &out->shared
                                                             : &out->count;
    if (*part != AS_SIZE_BAD)
      return false;
    *part = product.atom[i];
  }
  out->block = block_of(graph, out->count);
  out->loop = true;
  return true;
}

/* whether the tile is the last axis of all that the block loads along it */
static bool lies_beside(const as_graph *graph, uint32_t which, as_size tile) {
  const as_block *block = &graph->block[which];
  bool beside = false;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    for (uint32_t k = 0; k < node->rank && node->kind == AS_N_LOAD; k++) {
      bool has = mentions(graph->sizes, node->dim[k], tile);
      if (has && k + 1 < node->rank)
        return false;
      beside = beside || has;
    }
  }
  return beside;
}

/* false: *why (may be NULL) says why there is none */
static bool read_splits(tuner *tune, char **why) {
  const as_graph *graph = tune->graph;
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    const as_size_fact *fact = &graph->fact[i];
    if (fact->rel != AS_REL_EQ || as_size_nmono(graph->sizes, fact->rhs) != 1)
      continue;
    as_size_mono product = as_size_get_mono(graph->sizes, fact->rhs, 0);
    int64_t extent;
    split found = {.n = 0};
    as_size whole = fact->lhs;
    found.cut = reads_cut(graph, fact->lhs, &whole, &found.tile);
    if (product.coef != 1 ||
        !(found.cut ? read_counts(graph, product, &found) : read_factors(graph, product, &found)))
      continue;
    if (!as_graph_concrete(graph, whole, &extent)) {
      if (why)
        *why = as_strdup("the program states no concrete sizes: nothing to tile for");
      return false;
    }
    found.extent = (long)extent;
    found.ranged = sg_is_left_to_run_time(graph->sizes, whole);
    found.fine = found.block != AS_NONE;
    for (uint32_t node = 0; found.fine && node < graph->block[found.block].n; node++)
      found.fine = !sg_cost_is_contraction(&graph->node[graph->block[found.block].nodes[node]]);
    found.beside = found.fine && lies_beside(graph, found.block, found.tile);
    find_choices(&found, found.extent);
    if (!found.n) {
      char *shown = as_size_print(graph->sizes, whole);
      if (why) {
        *why = as_format("no tile size divides %s = %ld: it must have a divisor that is a multiple "
                         "of 8 (or be at most 512)",
                         shown, found.extent);
      }
      free(shown);
      return false;
    }
    tune->splits[tune->n_splits++] = found;
  }
  for (uint32_t i = 0; i < tune->n_splits; i++) {
    for (uint32_t j = 0; j < tune->n_splits; j++)
      tune->splits[i].linked |= i != j && tune->splits[i].count == tune->splits[j].count;
    for (uint32_t j = 0; j < graph->n_block; j++)
      tune->splits[i].passed_on |=
          j != tune->splits[i].block && block_mentions(graph, j, tune->splits[i].tile);
  }
  return true;
}

static int compare_choices(const void *left, const void *right) {
  const choice *first = left;
  const choice *second = right;
  if (first->us != second->us)
    return first->us < second->us ? -1 : 1;
  return memcmp(first->value, second->value, sizeof first->value) > 0 ? 1 : -1;
}

/* all tilings of a block at the values of the links, best first: values of its tiles */
static choice *tile_block(tuner *tune, uint32_t block, const uint32_t *at, uint32_t n_splits,
                          uint32_t *n) {
  sg_cost_model *model = &tune->model;
  uint32_t total = 1;
  uint32_t digit[MOST_IN_BLOCK] = {0};
  for (uint32_t i = 0; i < n_splits; i++)
    total *= tune->splits[at[i]].n;
  choice *list = as_calloc(total + 1, sizeof *list);
  *n = 0;
  for (uint32_t nth = 0; nth < total; nth++) {
    choice tried = {0, 0, {0}};
    bool uneven = false; /* the blocks that share a loop would have numbers of tiles that differ */
    for (uint32_t i = 0; i < n_splits; i++) {
      const split *divided = &tune->splits[at[i]];
      long sharers = divided->shared == AS_SIZE_BAD ? 1 : (long)model->env[divided->shared];
      tried.value[i] = divided->choice[digit[i]];
      model->env[divided->tile] = tried.value[i];
      long count = count_of(divided, sharers, tried.value[i]);
      uneven |= count == 0 && divided->extent > 0;
      /* how many share the loop follows the extent where each has one iteration */
      uneven |= divided->ranged && sharers > 1 && count > 1;
      model->env[divided->count] = count;
    }
    tried.us = uneven ? -1 : sg_cost_block(model, block, &tried.shared);
    for (uint32_t i = 0; i < n_splits; i++) {
      if (tried.value[i] & (tried.value[i] - 1))
        tried.us *= 1.03; /* odd tiles cost the address arithmetic */
    }
    if (tried.us >= 0)
      list[(*n)++] = tried;
    for (uint32_t i = 0; i < n_splits && ++digit[i] == tune->splits[at[i]].n; i++)
      digit[i] = 0;
  }
  qsort(list, *n, sizeof *list, compare_choices);
  return list;
}

/* --- kernels that sizes link */
/* the sizes of the relation that kernels have in common */
static uint32_t linking_sizes(const split *from, as_size size[2]) {
  uint32_t n = 0;
  if (from->shared != AS_SIZE_BAD)
    size[n++] = from->shared;
  else if (from->linked)
    size[n++] = from->count;
  if (from->passed_on)
    size[n++] = from->tile;
  return n;
}

/* false: there is no room for one more */
static bool add_link(group *together, const split *from, as_size size) {
  for (uint32_t i = 0; i < together->n_links; i++) {
    if (together->links[i].size == size)
      return true;
  }
  if (together->n_links == MOST_LINKS)
    return false;
  link *added = &together->links[together->n_links++];
  *added = (link){.size = size};
  if (size == from->tile) {
    added->n = from->n;
    memcpy(added->choice, from->choice, sizeof added->choice);
    return true;
  }
  if (from->shared == AS_SIZE_BAD) { /* a count for several: what the tiles of one leave */
    for (uint32_t i = 0; i < from->n; i++)
      added->choice[added->n++] = from->extent / from->choice[i];
    return true;
  }
  for (long odd = 1; odd < 8; odd += 2) {
    for (long sharers = odd; sharers <= MOST_SHARERS; sharers *= 2) {
      if (sharers > 1 && sharers <= from->extent && (from->cut || from->extent % sharers == 0) &&
          added->n < MOST_CHOICES)
        added->choice[added->n++] = sharers;
    }
  }
  return true;
}

/* the kernels that a size of the relation leads to from the i-th of those that are together */
static void gather_by(const tuner *tune, split *from, as_size size, uint32_t i, group *together) {
  if (!block_mentions(tune->graph, together->blocks[i], size))
    return;
  /* without room a count stays 1, and a tile is what is best for the kernel that it is of: no loss
   * but of choices */
  if (!add_link(together, from, size) && size == from->tile)
    from->passed_on = false;
  for (uint32_t other = 0; other < tune->graph->n_block; other++) {
    if (!as_id_among(together->blocks, together->n_blocks, other) &&
        block_mentions(tune->graph, other, size))
      together->blocks[together->n_blocks++] = other;
  }
}

/* the kernels that a chain of links leads to from `block` */
static void gather(tuner *tune, uint32_t block, group *together) {
  *together = (group){.blocks = as_malloc(tune->graph->n_block * sizeof(uint32_t))};
  together->blocks[together->n_blocks++] = block;
  for (uint32_t i = 0; i < together->n_blocks; i++) {
    for (uint32_t j = 0; j < tune->n_splits; j++) {
      as_size size[2];
      uint32_t n_sizes = linking_sizes(&tune->splits[j], size);
      for (uint32_t k = 0; k < n_sizes; k++)
        gather_by(tune, &tune->splits[j], size[k], i, together);
    }
  }
  for (uint32_t i = 0; i < together->n_links; i++)
    together->size[together->n_sizes++] = together->links[i].size;
}

/* leaves the tile that the link has; false: it is no choice here */
static bool take_linked_tile(const tuner *tune, split *divided) {
  long tile = (long)tune->model.env[divided->tile];
  bool there = false;
  for (uint32_t i = 0; i < divided->n; i++)
    there = there || divided->choice[i] == tile;
  divided->choice[0] = tile;
  divided->n = 1;
  return there;
}

/* the choices that the values of the links leave a relation; false: none */
static bool narrow_counts(const tuner *tune, split *divided) {
  long sharers = divided->shared == AS_SIZE_BAD ? 1 : (long)tune->model.env[divided->shared];
  if (divided->cut) {
    find_choices(divided, divided->extent);
    return divided->n > 0;
  }
  if (divided->extent % sharers)
    return false;
  if (divided->linked) {
    long count = (long)tune->model.env[divided->count];
    if (count <= 0 || divided->extent / sharers % count)
      return false;
    divided->choice[0] = divided->extent / sharers / count;
    divided->n = 1;
    return divided->choice[0] > 0;
  }
  find_choices(divided, divided->extent / sharers);
  return divided->n > 0;
}

static bool narrow(const tuner *tune, split *divided) {
  return narrow_counts(tune, divided) && (!divided->passed_on || take_linked_tile(tune, divided));
}

/* adds the best tilings of the group at the values that its links have now: the i-th takes the i-th
 * of each kernel (the last where there are fewer).  false: a kernel has none; *unfit is it. */
static bool tile_at(tuner *tune, group *together, choice **list, uint32_t *n, uint32_t *unfit) {
  choice made[64];
  uint32_t n_made = 0;
  uint32_t slot = together->n_links;
  uint32_t most = tune->keep < 64 ? tune->keep : 64;
  memset(made, 0, sizeof made);
  for (uint32_t i = 0; i < together->n_blocks; i++) {
    uint32_t at[MOST_IN_BLOCK];
    uint32_t n_here = 0;
    uint32_t n_choices;
    for (uint32_t j = 0; j < tune->n_splits; j++) {
      if (tune->splits[j].block != together->blocks[i] || n_here == MOST_IN_BLOCK ||
          slot + 2 * n_here + 2 > sizeof together->size / sizeof *together->size)
        continue;
      if (!narrow(tune, &tune->splits[j]))
        return false;
      at[n_here++] = j;
    }
    choice *best = tile_block(tune, together->blocks[i], at, n_here, &n_choices);
    if (!n_choices) {
      *unfit = together->blocks[i];
      free(best);
      return false;
    }
    if (n_choices > n_made) {
      uint32_t now = n_choices < most ? n_choices : most;
      for (uint32_t k = n_made; n_made && k < now; k++)
        made[k] = made[n_made - 1];
      n_made = now > n_made ? now : n_made;
    }
    for (uint32_t k = 0; k < n_made; k++) {
      const choice *taken = &best[k < n_choices ? k : n_choices - 1];
      made[k].us += taken->us;
      made[k].shared = taken->shared > made[k].shared ? taken->shared : made[k].shared;
      for (uint32_t j = 0; j < n_here; j++) {
        const split *divided = &tune->splits[at[j]];
        long sharers = divided->shared == AS_SIZE_BAD ? 1 : (long)tune->model.env[divided->shared];
        together->size[slot + 2 * j] = divided->count;
        together->size[slot + 2 * j + 1] = divided->tile;
        made[k].value[slot + 2 * j] = count_of(divided, sharers, taken->value[j]);
        made[k].value[slot + 2 * j + 1] = taken->value[j];
      }
    }
    slot += 2 * n_here;
    free(best);
  }
  together->n_sizes = slot;
  *list = as_realloc(*list, (*n + n_made + 1) * sizeof **list);
  for (uint32_t k = 0; k < n_made; k++) {
    for (uint32_t i = 0; i < together->n_links; i++)
      made[k].value[i] = (long)tune->model.env[together->links[i].size];
    (*list)[(*n)++] = made[k];
  }
  return true;
}

static choice *tile_group(tuner *tune, group *together, uint32_t *n, uint32_t *unfit) {
  choice *list = NULL;
  uint32_t digit[MOST_LINKS] = {0};
  uint32_t total = 1;
  *n = 0;
  for (uint32_t i = 0; i < together->n_links; i++)
    total *= together->links[i].n;
  for (uint32_t nth = 0; nth < total; nth++) {
    for (uint32_t i = 0; i < together->n_links; i++)
      tune->model.env[together->links[i].size] = together->links[i].choice[digit[i]];
    tile_at(tune, together, &list, n, unfit);
    for (uint32_t i = 0; i < together->n_links && ++digit[i] == together->links[i].n; i++)
      digit[i] = 0;
  }
  if (*n)
    qsort(list, *n, sizeof *list, compare_choices);
  return list;
}

/* false, with *why, where a size of the program has no value */
static bool has_sizes(const as_graph *graph, char **why) {
  for (const as_graph *outer = graph->program; outer; outer = outer->program) {
    for (uint32_t i = 0; i < outer->n_own_size; i++) {
      if (as_size_value(graph->sizes, outer->own_size[i]) >= 0)
        continue;
      if (why) {
        *why = as_format("the program states no concrete size for %s: nothing to tile for",
                         as_size_name(graph->sizes, outer->own_size[i]));
      }
      return false;
    }
  }
  return true;
}

static void take(as_tiling *into, const group *together, const choice *taken) {
  into->size = as_realloc(into->size, (into->n + together->n_sizes + 1) * sizeof *into->size);
  into->value = as_realloc(into->value, (into->n + together->n_sizes + 1) * sizeof *into->value);
  for (uint32_t i = 0; i < together->n_sizes; i++) {
    into->size[into->n] = together->size[i];
    into->value[into->n++] = taken->value[i];
  }
}

/* adds the group's tilings to those of the groups before it; false: it has none */
static bool tile_kernels(tuner *tune, uint32_t first, bool *done, as_tiling *out, uint32_t *have,
                         char **why) {
  group together;
  uint32_t n_choices;
  uint32_t unfit = first;
  gather(tune, first, &together);
  choice *list = tile_group(tune, &together, &n_choices, &unfit);
  if (!n_choices && why && !*why) {
    *why = as_format(
        "kernel %s: no tile sizes that divide the concrete sizes fit shared memory and registers",
        tune->graph->block[unfit].name);
  }
  if (n_choices > *have)
    *have = n_choices < tune->keep ? n_choices : tune->keep;
  for (uint32_t i = 0; i < tune->keep && n_choices; i++)
    take(&out[i], &together, &list[i < n_choices ? i : n_choices - 1]);
  for (uint32_t i = 0; i < together.n_blocks; i++)
    done[together.blocks[i]] = true;
  free(together.blocks);
  free(list);
  return n_choices > 0;
}

as_tiling *as_tilings(const as_graph *graph, const as_target *target, uint32_t keep, uint32_t *n,
                      char **why) {
  *n = 0;
  if (why)
    *why = NULL;
  tuner tune = {.graph = graph,
                .model = {.graph = graph, .target = target ? target : as_target_default()},
                .keep = keep};
  tune.splits = as_calloc(graph->n_fact + 1, sizeof *tune.splits);
  if (!has_sizes(graph, why) || !read_splits(&tune, why)) {
    free(tune.splits);
    return NULL;
  }
  sg_cost_prepare(&tune.model);
  as_tiling *out = as_calloc(keep + 1, sizeof *out);
  bool *done = as_calloc(graph->n_block + 1, sizeof *done);
  uint32_t have = graph->n_block ? 0 : 1;
  bool possible = true;
  for (uint32_t block = 0; block < graph->n_block && possible; block++) {
    if (!done[block])
      possible = tile_kernels(&tune, block, done, out, &have, why);
  }
  for (uint32_t i = 0; i < have && possible; i++) {
    for (uint32_t j = 0; j < out[i].n; j++)
      tune.model.env[out[i].size[j]] = out[i].value[j];
    out[i].us = sg_cost_total(&tune.model, &out[i].shared);
  }
  for (uint32_t i = possible ? have : 0; i < keep; i++) {
    free(out[i].size);
    free(out[i].value);
    memset(&out[i], 0, sizeof out[i]);
  }
  *n = possible ? have : 0;
  free(done);
  free(tune.splits);
  sg_cost_clear(&tune.model);
  return out;
}

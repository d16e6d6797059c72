/* Tiles of contractions on tensor cores with factors rounded to TF32, by enumeration: one place for
 * the lowering, which prints them, and the cost model, which foresees them. */
#include "target.h"
#include <math.h>

/* Registers of a thread besides accumulators and fragments: addresses, counters, places. */
enum { OTHER_REGISTERS = 40 };

/* The part of what a multiprocessor draws that one block stores where no other works meanwhile: on
 * an H200 3 x 3 convolutions of 16 channels took 13.2, 10.9 and 9.5 us for 128 x 256 results with
 * one, two and four blocks at a time. */
static const double STORED_ALONE = 0.5;

/* of the list of classes that a block has terms of */
enum { TABLE_BYTES = 2048 };

/* What a block takes until its first products, where nothing else runs. */
static const double START_US = 3;

/* Windows overlap: of their elements so many come from the second-level cache each time. */
static const double DRAWN_AGAIN = 0.3;

/* Instructions of a warp for a slice beside products, fragments and copies: numbers of classes,
 * guards, places. */
static const double SLICE_SLOTS = 100;

/* Of an element of the columns that a lane takes from a patch: read, kept or not, rounded. */
static const double FRAGMENT_SLOTS = 3;

/* Cycles that a slice takes a block, beside its work, where nothing else runs: a barrier, and the
 * first reads behind it (128 x 256 x 32 by warpgroups, one block: 1.2 us on an H200). */
static const double SLICE_CYCLES = 400;

/* Products are taken in parts, where both is permitted, if that takes so many times as long at
 * most: where memory or copies bound them, and not tensor cores; and of few terms, where the whole
 * takes little, and libraries (cuDNN) mostly do without TF32. */
static const double LITTLE_LONGER = 1.25;
static const double LONGER_OF_FEW = 2.5;

enum { FEW_TERMS = 8 };

/* Instructions of a warp for a copy to shared memory: of 16 bytes a lane, or of 4, and where the
 * places are computed (once for several elements). */
static double copy_slots(as_target_fetch fetch) {
  static const double slots[] = {[AS_FETCH_VECTOR] = 0.75,
                                 [AS_FETCH_ELEMENT] = 2,
                                 [AS_FETCH_COMPUTED] = 4,
                                 [AS_FETCH_DEPTH] = 0.75};
  return slots[fetch];
}

uint32_t as_target_tf32_threads(const as_target_tf32 *tile) {
  return 32 * tile->warps_rows * tile->warps_columns;
}

uint32_t as_target_tf32_rows(const as_target_tf32 *tile) {
  return tile->warps_rows * tile->warp_rows;
}

uint32_t as_target_tf32_columns(const as_target_tf32 *tile) {
  return tile->warps_columns * tile->warp_columns;
}

/* Four lanes read four k beside each other, eight of them (or pairs of rows) follow: with 8 or 24
 * modulo 32 from one k to the next they are in different banks. */
long as_target_tf32_pitch(const as_target_tf32 *tile, int side) {
  return (long)(side ? as_target_tf32_columns(tile) : as_target_tf32_rows(tile)) + 8;
}

long as_target_tf32_slice(const as_target_tf32 *tile, int side) {
  if (side && tile->along_depth)
    return 4 * (long)as_target_tf32_columns(tile) * (tile->depth + 8);
  if (side && tile->patch)
    return 4 * (long)tile->depth * tile->patch;
  long slices = tile->patch && !side ? tile->taps : 1;
  return 4 * slices * tile->depth * as_target_tf32_pitch(tile, side) *
         (!side && tile->in_parts ? 2 : 1);
}

long as_target_tf32_shared(const as_target_tf32 *tile) {
  return (long)tile->stages * (as_target_tf32_slice(tile, 0) + as_target_tf32_slice(tile, 1)) +
         TABLE_BYTES;
}

static uint32_t registers_of(const as_target_tf32 *tile, uint32_t phases) {
  uint32_t accumulators = tile->warp_rows * tile->warp_columns / 32 * (phases ? phases : 1);
  accumulators *= tile->in_parts ? 2 : 1;
  uint32_t fragments = (tile->warp_rows + tile->warp_columns) / 4;
  if (tile->by_groups) /* of columns, of all k of a slice */
    fragments = tile->warp_columns * tile->depth / 32 * (tile->in_parts ? 2 : 1);
  if (tile->patch) /* of two taps; places, and where there is an element */
    fragments = 2 * fragments + tile->warp_columns / 4;
  return (accumulators + fragments + OTHER_REGISTERS + 7) / 8 * 8;
}

uint32_t as_target_tf32_resident(const as_target *target, const as_target_tf32 *tile,
                                 uint32_t phases) {
  uint32_t threads = as_target_tf32_threads(tile);
  uint32_t registers = registers_of(tile, phases);
  if (registers > target->registers_thread ||
      as_target_tf32_shared(tile) > target->shared_block - target->shared_reserved)
    return 0;
  long most = target->registers_mp / (registers * threads);
  long by_shared = target->shared_mp / (as_target_tf32_shared(tile) + target->shared_reserved);
  long by_warps = target->warps_mp / (threads / 32);
  most = by_shared < most ? by_shared : most;
  most = by_warps < most ? by_warps : most;
  return (uint32_t)(most < (long)target->blocks_mp ? most : (long)target->blocks_mp);
}

static double up(double count, double unit) {
  return ceil(count / unit) * unit;
}

/* Microseconds of a multiprocessor for one slice of one block: tensor cores, shared memory and the
 * issue of instructions beside each other. */
static double slice_us(const as_target *target, const as_contraction *product,
                       const as_target_tf32 *tile) {
  double rows = as_target_tf32_rows(tile);
  double columns = as_target_tf32_columns(tile);
  double depth = tile->depth;
  double products = rows * columns * depth;
  double tensor = 2 * products / (tile->by_groups ? target->tf32_group_flops : target->tf32_flops);
  double fragments = rows * tile->warps_columns + columns * tile->warps_rows;
  if (tile->by_groups)
    fragments = rows * columns / 64 * (tile->in_parts ? 3 : 1) + columns;
  if (tile->in_parts)
    tensor *= 3;
  double copied = rows + columns * (product->fetch_columns == AS_FETCH_COMPUTED ? 2 : 1);
  double shared = 4 * depth * (fragments + copied) / target->shared_bandwidth;
  double copies =
      rows * copy_slots(product->fetch_rows) + columns * copy_slots(product->fetch_columns);
  double issue = (products / 1024 + depth * (fragments * 0.75 + copies) / 32) / target->issues;
  issue += as_target_tf32_threads(tile) / 32.0 * SLICE_SLOTS / target->issues;
  return as_target_soft_max(as_target_soft_max(tensor, shared), issue);
}

/* The same of what a patch gives: products and rows are those of all its taps. */
static double patch_us(const as_target *target, const as_contraction *product,
                       const as_target_tf32 *tile) {
  double rows = as_target_tf32_rows(tile);
  double columns = as_target_tf32_columns(tile);
  double depth = (double)tile->depth * tile->taps;
  double products = rows * columns * depth;
  double parts = tile->in_parts ? 3 : 1;
  double tensor = 2 * products * parts / target->tf32_group_flops;
  double fragments = rows * columns / 64 * parts + columns;
  double copied = rows * depth + (double)tile->patch * tile->depth;
  double shared = 4 * (depth * fragments + copied) / target->shared_bandwidth;
  as_target_fetch fetch = product->by_vectors ? AS_FETCH_VECTOR : AS_FETCH_ELEMENT;
  double copies =
      rows * depth * copy_slots(AS_FETCH_VECTOR) / 4 +
      (double)tile->patch * tile->depth * copy_slots(fetch) / (product->by_vectors ? 4 : 1);
  double issue =
      (products / 1024 + (depth * columns * FRAGMENT_SLOTS * parts + copies) / 32) / target->issues;
  issue += as_target_tf32_threads(tile) / 32.0 * SLICE_SLOTS / target->issues;
  return as_target_soft_max(as_target_soft_max(tensor, shared), issue);
}

static double time_of(const as_target *target, const as_contraction *product,
                      const as_target_tf32 *tile) {
  uint32_t together = as_target_tf32_resident(target, tile, product->phases);
  if (together == 0)
    return HUGE_VAL;
  double rows = as_target_tf32_rows(tile);
  double columns = as_target_tf32_columns(tile);
  double blocks = product->batches * ceil(product->rows / rows) * ceil(product->columns / columns);
  double slices = ceil(product->depth / tile->depth);
  if (tile->patch)
    slices =
        ceil(product->terms / tile->depth) * ceil(product->depth / product->terms / tile->taps);
  double share = ceil(blocks / target->multiprocessors);
  double at_once = share < together ? share : together;
  double wait = SLICE_CYCLES / (target->issues / 4);
  double stores = 4 * rows * columns * (product->phases ? product->phases : 1) /
                  (STORED_ALONE * target->mp_bandwidth);
  double slice = tile->patch ? patch_us(target, product, tile) : slice_us(target, product, tile);
  double serial = share * (slices * (slice + wait / at_once) + (stores + START_US) / at_once);
  double again = product->fetch_columns == AS_FETCH_COMPUTED ? DRAWN_AGAIN : 1;
  double drawn = 4 * blocks * (rows + columns * again) * slices * tile->depth;
  if (tile->patch)
    drawn = 4 * blocks * slices * tile->depth * (rows * tile->taps + (double)tile->patch);
  double moved =
      4 * product->batches * (product->rows * product->depth + product->rows * product->columns);
  double memory = as_target_soft_max(moved / target->dram, drawn / target->threads.l2);
  return target->launch_us + 2 * target->latency_us + as_target_soft_max(memory, serial);
}

/* Where places are computed a thread has one row or column, of which it copies several k. */
static bool shares_out(as_target_fetch fetch, uint32_t extent, const as_target_tf32 *tile) {
  uint32_t threads = as_target_tf32_threads(tile);
  uint32_t vectors = tile->depth * extent / 4;
  if (fetch == AS_FETCH_VECTOR)
    return threads % (extent / 4) == 0 && (vectors < threads || vectors % threads == 0);
  if (fetch == AS_FETCH_DEPTH)
    return tile->by_groups && vectors % threads == 0;
  return threads % extent == 0 && tile->depth % (threads / extent) == 0;
}

/* tiles that are more than twice what is needed are no better than the next smaller */
static bool overhangs(double extent, uint32_t tile, uint32_t least) {
  return tile > least && tile >= 2 * extent;
}

/* the tile with a patch for its columns; false: that is too large */
static bool has_patch(const as_contraction *product, as_target_tf32 *tile) {
  uint32_t columns = as_target_tf32_columns(tile);
  tile->taps = product->taps;
  for (int i = 0; i < AS_PATCH_COLUMNS; i++) {
    if (columns == 64u << i)
      tile->patch = product->patch[i];
  }
  return tile->patch > 0;
}

static void try_tile(const as_target *target, const as_contraction *product, as_target_tf32 tile,
                     as_target_tf32 *best) {
  static const uint32_t depth[] = {8, 16, 32};
  bool asked = product->warps != 0;
  if (asked ? as_target_tf32_threads(&tile) != 32 * product->warps
            : overhangs(product->rows, as_target_tf32_rows(&tile), 16) ||
                  overhangs(product->columns, as_target_tf32_columns(&tile),
                            tile.by_groups ? 64 : 32))
    return;
  for (unsigned i = 0; i < sizeof depth / sizeof *depth; i++) {
    tile.depth = depth[i];
    if (tile.depth > 16 && product->most_depth && tile.depth > product->most_depth)
      break;
    bool shares =
        product->packs_rows || shares_out(product->fetch_rows, as_target_tf32_rows(&tile), &tile);
    shares = shares && tile.depth > 8 &&
             shares_out(product->fetch_columns, as_target_tf32_columns(&tile), &tile);
    if (product->taps ? !has_patch(product, &tile) : !shares)
      continue;
    for (tile.stages = 3; tile.stages <= 4; tile.stages++) {
      tile.us = time_of(target, product, &tile);
      if (tile.us < best->us)
        *best = tile;
    }
  }
}

/* Rows as few tiles of at most 128 have them; a thread keeps 64 results at most, so that there are
 * registers for two blocks. */
static void try_groups(const as_target *target, const as_contraction *product,
                       as_target_tf32 *best) {
  double tiles = ceil(product->rows / 128);
  uint32_t rows = (uint32_t)up(ceil(product->rows / tiles), 8);
  for (uint32_t groups = 1; groups <= 4; groups *= 2) {
    for (uint32_t columns = 16; columns <= 32; columns *= 2) {
      as_target_tf32 tile = {.by_groups = true,
                             .warps_rows = 1,
                             .in_parts = product->in_parts,
                             .along_depth = product->fetch_columns == AS_FETCH_DEPTH,
                             .warps_columns = 4 * groups,
                             .warp_rows = rows,
                             .warp_columns = columns};
      if (columns == 16 || rows * (product->phases ? product->phases : 1) <= 64)
        try_tile(target, product, tile, best);
    }
  }
}

as_target_tf32 as_target_tf32_tile(const as_target *target, const as_contraction *product) {
  static const uint32_t warp_rows[] = {16, 32, 64};
  static const uint32_t warp_columns[] = {32, 64};
  as_target_tf32 best = {.us = HUGE_VAL};
  if ((target->has & AS_HAS_WGMMA) && product->packs_rows)
    try_groups(target, product, &best);
  if (product->phases > 1 || product->in_parts || product->taps || best.us < HUGE_VAL)
    return best;
  for (uint32_t rows = 1; rows <= 8; rows *= 2) {
    for (uint32_t columns = 1; rows * columns <= 8; columns *= 2) {
      for (unsigned r = 0; r < 3; r++) {
        for (unsigned c = 0; c < 2; c++) {
          as_target_tf32 tile = {.warps_rows = rows,
                                 .warps_columns = columns,
                                 .warp_rows = warp_rows[r],
                                 .warp_columns = warp_columns[c]};
          try_tile(target, product, tile, &best);
        }
      }
    }
  }
  return best;
}

bool as_target_prefers_parts(const as_target_tf32 *rounded, const as_target_tf32 *in_parts,
                             double terms) {
  double longer = terms <= FEW_TERMS ? LONGER_OF_FEW : LITTLE_LONGER;
  return in_parts->us <= longer * rounded->us;
}

double as_target_contraction_us(const as_target *target, const as_contraction *product,
                                as_rounding rounds) {
  double us = as_target_simt_tile(target, product).us;
  if (rounds == AS_ROUND_NEVER || !(target->has & AS_HAS_TF32))
    return us;
  as_contraction on_tensor_cores = *product;
  on_tensor_cores.packs_rows = true;
  on_tensor_cores.in_parts = rounds == AS_ROUND_IN_PARTS;
  as_target_tf32 tile = as_target_tf32_tile(target, &on_tensor_cores);
  if (rounds == AS_ROUND_AUTO) {
    on_tensor_cores.in_parts = true;
    as_target_tf32 in_parts = as_target_tf32_tile(target, &on_tensor_cores);
    tile = as_target_prefers_parts(&tile, &in_parts, product->depth) ? in_parts : tile;
  }
  return fmin(us, tile.us);
}

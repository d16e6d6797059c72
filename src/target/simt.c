/* Tiles of contractions in plain f32 arithmetic, by enumeration: one place for the lowering, which
 * prints them, and the cost model, which foresees them. */
#include "target.h"
#include <math.h>

enum { FETCHED_VECTOR = 4 }; /* elements of one 16-byte access */

/* Registers of a thread besides accumulators, fragments and the slice in flight: addresses,
 * counters, indices.  By what ptxas takes for tiles of 64 accumulators (bench/NOTES.md). */
enum { OTHER_REGISTERS = 36 };

/* Instructions for one element of a slice, in issue slots of a thread: an address, a load and a
 * store to shared memory; of 16 bytes at once a quarter; where its place is computed and guarded,
 * what that takes. */
static double fetch_slots(as_target_fetch fetch) {
  static const double slots[] = {[AS_FETCH_VECTOR] = 1.25,
                                 [AS_FETCH_ELEMENT] = 5,
                                 [AS_FETCH_COMPUTED] = 10,
                                 [AS_FETCH_DEPTH] = 1.25};
  return slots[fetch];
}

/* The part of its slots that a scheduler uses with so many warps to choose from: few wait together.
 * An estimate, not measured. */
static double issue_rate(double warps) {
  double each = warps / 4;
  return each / (each + 0.35);
}

/* Slots that a barrier and the first reads behind it cost a block, where nothing else runs. */
static const double SLICE_SLOTS = 90;

static double up(double count, double unit) {
  return ceil(count / unit) * unit;
}

static double soft_max(double a, double b) {
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

static uint32_t registers_of(const as_target_simt *tile) {
  uint32_t threads = as_target_simt_threads(tile);
  uint32_t slice = (as_target_simt_rows(tile) + as_target_simt_columns(tile)) * tile->depth;
  return tile->thread_rows * tile->thread_columns + tile->thread_rows + tile->thread_columns +
         (slice + threads - 1) / threads + OTHER_REGISTERS;
}

uint32_t as_target_simt_threads(const as_target_simt *tile) {
  return 32 * tile->warps_rows * tile->warps_columns;
}

uint32_t as_target_simt_rows(const as_target_simt *tile) {
  return tile->warps_rows * tile->lanes_rows * tile->thread_rows;
}

uint32_t as_target_simt_columns(const as_target_simt *tile) {
  return tile->warps_columns * (32 / tile->lanes_rows) * tile->thread_columns;
}

long as_target_simt_pitch(uint32_t extent) {
  return (long)extent + FETCHED_VECTOR;
}

long as_target_simt_table(const as_target_simt *tile) {
  return 2 * 4 * (long)tile->depth * (long)sizeof(int32_t);
}

long as_target_simt_tables(const as_target_simt *tile) {
  return 2 * 4 * (long)tile->depth *
         (as_target_simt_pitch(as_target_simt_rows(tile)) +
          as_target_simt_pitch(as_target_simt_columns(tile)));
}

long as_target_simt_shared(const as_target_simt *tile) {
  return as_target_simt_tables(tile) + 2 * as_target_simt_table(tile);
}

uint32_t as_target_simt_resident(const as_target *target, const as_target_simt *tile) {
  uint32_t threads = as_target_simt_threads(tile);
  uint32_t registers = (registers_of(tile) + 7) / 8 * 8;
  if (registers > target->registers_thread - 15)
    return 0;
  long most = target->registers_mp / (registers * threads);
  long by_shared = target->shared_mp / (as_target_simt_shared(tile) + target->shared_reserved);
  long by_warps = target->warps_mp / (threads / 32);
  most = by_shared < most ? by_shared : most;
  most = by_warps < most ? by_warps : most;
  return (uint32_t)(most < (long)target->blocks_mp ? most : (long)target->blocks_mp);
}

/* Issue slots of one thread for a step of k: its multiply-adds, and reads of 16 bytes, each of
 * which takes shared memory two cycles. */
static double step_slots(const as_target_simt *tile) {
  double fragments = ceil(tile->thread_rows / 4.0) + ceil(tile->thread_columns / 4.0);
  return tile->thread_rows * tile->thread_columns + 2 * fragments;
}

/* Time: multiply-adds, reads of shared memory and fetches issue one after the other; what a block
 * waits for at the end of a slice others hide.  Beside that the tiles come from memory. */
static double time_of(const as_target *target, const as_contraction *product,
                      const as_target_simt *tile) {
  uint32_t together = as_target_simt_resident(target, tile);
  if (together == 0)
    return HUGE_VAL;
  double rows = as_target_simt_rows(tile);
  double columns = as_target_simt_columns(tile);
  double threads = as_target_simt_threads(tile);
  double blocks = product->batches * ceil(product->rows / rows) * ceil(product->columns / columns) *
                  tile->parts;
  double depth = up(ceil(product->depth / tile->parts), tile->depth);
  double share = ceil(blocks / target->multiprocessors);
  double at_once = share < together ? share : together;
  double slots = depth * (step_slots(tile) + (rows * fetch_slots(product->fetch_rows) +
                                              columns * fetch_slots(product->fetch_columns)) /
                                                 threads);
  double waits = depth / tile->depth * SLICE_SLOTS;
  double lanes = fmax(threads * at_once, 128); /* fewer do not fill the schedulers */
  double busy = slots * share * lanes / at_once / issue_rate(lanes / 32);
  double serial = 2 * (busy + waits * 128 * share / at_once) / target->scalar_flops;
  double drawn = 4 * blocks * (rows + columns) * depth;
  double moved = 4 * product->batches *
                 (product->rows * product->depth + product->columns * product->depth +
                  product->rows * product->columns * (tile->parts > 1 ? 2 * tile->parts + 1 : 1));
  double memory = soft_max(moved / target->dram, drawn / target->l2);
  double launches = tile->parts > 1 ? 2 : 1;
  return launches * (target->launch_us + 2 * target->latency_us) + soft_max(memory, serial);
}

/* tiles that are more than twice what is needed are no better than the next smaller */
static bool overhangs(double extent, uint32_t tile, uint32_t least) {
  return tile > least && tile >= 2 * extent;
}

/* Where places are computed, a thread has one row or column: what depends on that it computes once.
 */
static bool keeps_its_place(as_target_fetch fetch, uint32_t threads, uint32_t extent) {
  return fetch != AS_FETCH_COMPUTED || threads % extent == 0;
}

static void try_tile(const as_target *target, const as_contraction *product, as_target_simt tile,
                     as_target_simt *best) {
  static const uint32_t depth[] = {8, 16, 32};
  static const uint32_t most_parts = 64;
  uint32_t lanes_columns = 32 / tile.lanes_rows;
  if (overhangs(product->rows, as_target_simt_rows(&tile), tile.lanes_rows) ||
      overhangs(product->columns, as_target_simt_columns(&tile), 4 * lanes_columns))
    return;
  uint32_t threads = as_target_simt_threads(&tile);
  if (!keeps_its_place(product->fetch_rows, threads, as_target_simt_rows(&tile)) ||
      !keeps_its_place(product->fetch_columns, threads, as_target_simt_columns(&tile)))
    return;
  for (unsigned i = 0; i < sizeof depth / sizeof *depth; i++) {
    tile.depth = depth[i];
    for (tile.parts = 1; tile.parts <= most_parts; tile.parts *= 2) {
      bool useful = tile.parts == 1 || (product->may_split && product->depth >= 256 * tile.parts);
      if (!useful)
        break;
      tile.us = time_of(target, product, &tile);
      if (tile.us < best->us)
        *best = tile;
    }
  }
}

as_target_simt as_target_simt_tile(const as_target *target, const as_contraction *product) {
  static const uint32_t thread_rows[] = {1, 2, 4, 8, 12};
  static const uint32_t thread_columns[] = {4, 8};
  as_target_simt best = {.us = HUGE_VAL};
  for (uint32_t rows = 1; rows <= 8; rows *= 2) {
    for (uint32_t columns = 1; rows * columns <= 8; columns *= 2) {
      for (uint32_t lanes = 1; lanes <= 8; lanes *= 2) {
        for (unsigned r = 0; r < 5; r++) {
          for (unsigned c = 0; c < 2; c++) {
            as_target_simt tile = {.warps_rows = rows,
                                   .warps_columns = columns,
                                   .lanes_rows = lanes,
                                   .thread_rows = thread_rows[r],
                                   .thread_columns = thread_columns[c]};
            try_tile(target, product, tile, &best);
          }
        }
      }
    }
  }
  return best;
}

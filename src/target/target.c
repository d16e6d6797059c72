/* The rows.
 *
 * Limits are those of the CUDA programming guide's table of compute capabilities; multiprocessors,
 * cache and dram_peak those of the GPU's data sheet.  The model's constants of the H200 were fitted
 * (search/cost.c says to what); those of the others are the H200's, scaled by the ratio of peak
 * memory bandwidth (dram) and of clocks (everything that a multiprocessor does by itself).
 * Ring sizes of the H200 were measured: below 50 KB in flight bandwidth is lost; with several
 * blocks on a multiprocessor nothing is gained above 72 KB, with one block each deeper rings pay up
 * to 160 KB. Elsewhere they are the same shares of what a multiprocessor has.
 *
 * scalar_flops: lanes of a multiprocessor times boost clock times two: 128 at 1755 MHz (H200,
 * H100), 64 at 1410 (A100), 128 at 1695 (A10) and 2520 (L40S).
 *
 * A new GPU is a new row.  Of rows with one architecture the first is found by its name. */
#include "target.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KB(n) ((n)*1024L)
#define MB(n) ((n)*1024L * 1024L)

#define AMPERE (AS_HAS_CP_ASYNC | AS_HAS_LDMATRIX | AS_HAS_MMA16 | AS_HAS_TF32)
#define ADA (AMPERE | AS_HAS_FP8)
#define HOPPER (ADA | AS_HAS_TMA | AS_HAS_WGMMA | AS_HAS_CLUSTER)

/* Constants of kernels from thread graphs, scaled from the H200's by the ratio of peak bandwidths
 * and of clocks times multiprocessors' throughput.  Fitted to bench/results/tilings.tsv: 290
 * tilings of 14 workloads, mean deviation of the logarithm 7%; a line's weight is the third power
 * of how near it is to the fastest of its workload (tests/search/test_cost).  stream_short_us:
 * fitted to lora's nine tilings, group_*: to gqa's eleven by products of warpgroups, both measured
 * later; warpgroup_flops: to the tilings of the 4096^3 product that bench/NOTES.md has (201, 206,
 * 243 to 260, 311 and 290 us; the model says 209, 209, 259, 313, 346).  delayed_*: two thirds
 * of what tensor cores can do, and rescaling, assumed and not measured. */
#define THREADS(bandwidth, clock)                                                                  \
  {                                                                                                \
    .dram = 4.99e6 * (bandwidth), .l2 = 9.0e6 * (clock), .mp_bandwidth = 8.15e4 * (clock),         \
    .latency_us = 0.695, .narrow_rows = 1.22, .stream_launch_us = 2.53, .stream_short_us = 0.85,   \
    .stream_step_us = 0.181 / (clock), .stream_flop_us = 0.13e-6 / (clock),                        \
    .stream_block_us = 0.0149 / (clock), .stream_flops = 1.46e6 * (clock),                         \
    .warpgroup_flops = 8.0e6 * (clock), .chain_launch_us = 1.25, .chain_step_us = 0.31 / (clock),  \
    .chain_key_us = 0.00242 / (clock), .chain_flops = 2.6e6 * (clock), .group_one = 0.83,          \
    .group_more = 0.95, .delayed_flops = 4.8e6 * (clock), .delayed_us = 0.3 / (clock),             \
    .rows_launch_us = 0.5, .rows_block_us = 0.0413 / (clock), .rows_elements = 4.2e4 * (clock),    \
    .rows_crowded = 0.4                                                                            \
  }

/* What has been the same for every architecture from sm_80 on.  tile_alone: maxima and sums of
 * exponentials of 4096 x 32000, 16 bits, on the H200: 168 and 177 us by blocks that are alone, 102
 * and 109 us by four a multiprocessor; the model says the same for both without it. */
#define COMMON                                                                                     \
  .warp = 32, .threads_block = 1024, .registers_mp = 65536, .registers_thread = 255,               \
  .shared_unasked = KB(48), .shared_reserved = KB(1), .grid = {2147483647, 65535, 65535},          \
  .block_warps = 8, .ring_stages = 8, .launch_us = 1.5, .latency_us = 1.0, .tile_alone = 0.7

/* Of matrix products alone.  The library on the H200: 4096^3 of 16-bit operands in 181.7 to 191 us
 * (bench/NOTES.md), of 32-bit ones at some 50 TFLOP/s (bench/results/kernelbench.md); on others the
 * same shares of the data sheet's peaks, in operations a microsecond.  Kernels of ours with 32-bit
 * operands had 0.5 TFLOP/s without register tiles; with them a fifth of the library's rate is
 * assumed and was not measured.  The library's room is what its vendor recommends. */
#define LIBRARY(peak16, peak32, room)                                                              \
  .library_flops16 = 0.753 * (peak16), .library_flops32 = 0.746 * (peak32),                        \
  .product_flops32 = 0.15 * (peak32), .library_workspace = (room)

/* Of contractions in TF32: what products of single warps reach of a multiprocessor's share of the
 * data sheet's rate (on Hopper that of warpgroups, of which single warps reach some five eighths),
 * 128 bytes of shared memory and four instructions a clock.  Not measured. */
#define TENSOR32(share, groups, mhz)                                                               \
  .tf32_flops = (share), .tf32_group_flops = (groups), .shared_bandwidth = 128.0 * (mhz),          \
  .issues = 4.0 * (mhz)

static const as_target targets[] = {
    {COMMON,
     .gpu = "H200",
     .arch = "sm_90a",
     .also = "sm_90",
     .has = HOPPER,
     .fitted = true,
     .multiprocessors = 132,
     .warps_mp = 64,
     .blocks_mp = 32,
     .shared_mp = KB(228),
     .shared_block = KB(227),
     .l2_bytes = MB(50),
     .dram_peak = 4.8e6,
     .ring_shared = KB(72),
     .ring_alone = KB(160),
     .dram = 3.6e6,
     .l2 = 5.5e6,
     .mp_bandwidth = 5.0e4,
     .tile_flops = 1.2e6,
     .tile_elements = 3.0e4,
     .tile_flops32 = 3.5e3,
     .scalar_flops = 4.49e5,
     .step_us = 0.1,
     .threads = THREADS(1, 1),
     LIBRARY(989e6, 67e6, MB(32)),
     TENSOR32(0.62 * 494e6 / 132, 0.9 * 494e6 / 132, 1755)},
    {COMMON,
     .gpu = "H100",
     .arch = "sm_90a",
     .also = "sm_90",
     .has = HOPPER,
     .multiprocessors = 132,
     .warps_mp = 64,
     .blocks_mp = 32,
     .shared_mp = KB(228),
     .shared_block = KB(227),
     .l2_bytes = MB(50),
     .dram_peak = 3.35e6,
     .ring_shared = KB(72),
     .ring_alone = KB(160),
     .dram = 2.5e6,
     .l2 = 5.5e6,
     .mp_bandwidth = 5.0e4,
     .tile_flops = 1.2e6,
     .tile_elements = 3.0e4,
     .tile_flops32 = 3.5e3,
     .scalar_flops = 4.49e5,
     .step_us = 0.1,
     .threads = THREADS(0.694, 1),
     LIBRARY(989e6, 67e6, MB(32)),
     TENSOR32(0.62 * 494e6 / 132, 0.9 * 494e6 / 132, 1755)},
    {COMMON,
     .gpu = "A100",
     .arch = "sm_80",
     .has = AMPERE,
     .multiprocessors = 108,
     .warps_mp = 64,
     .blocks_mp = 32,
     .shared_mp = KB(164),
     .shared_block = KB(163),
     .l2_bytes = MB(40),
     .dram_peak = 2.04e6,
     .ring_shared = KB(52),
     .ring_alone = KB(114),
     .dram = 1.5e6,
     .l2 = 3.9e6,
     .mp_bandwidth = 3.6e4,
     .tile_flops = 0.86e6,
     .tile_elements = 2.1e4,
     .tile_flops32 = 2.5e3,
     .scalar_flops = 1.80e5,
     .step_us = 0.14,
     .threads = THREADS(0.417, 0.72),
     LIBRARY(312e6, 19.5e6, MB(4)),
     TENSOR32(0.9 * 156e6 / 108, 0, 1410)},
    {COMMON,
     .gpu = "A10",
     .arch = "sm_86",
     .has = AMPERE,
     .multiprocessors = 72,
     .warps_mp = 48,
     .blocks_mp = 16,
     .shared_mp = KB(100),
     .shared_block = KB(99),
     .l2_bytes = MB(6),
     .dram_peak = 0.6e6,
     .ring_shared = KB(32),
     .ring_alone = KB(69),
     .dram = 0.45e6,
     .l2 = 2.5e6,
     .mp_bandwidth = 4.3e4,
     .tile_flops = 1.0e6,
     .tile_elements = 2.6e4,
     .tile_flops32 = 3e3,
     .scalar_flops = 4.34e5,
     .step_us = 0.12,
     .threads = THREADS(0.125, 0.86),
     LIBRARY(125e6, 31.2e6, MB(4)),
     TENSOR32(0.9 * 62.5e6 / 72, 0, 1695)},
    {COMMON,
     .gpu = "L40S",
     .arch = "sm_89",
     .has = ADA,
     .multiprocessors = 142,
     .warps_mp = 48,
     .blocks_mp = 24,
     .shared_mp = KB(100),
     .shared_block = KB(99),
     .l2_bytes = MB(96),
     .dram_peak = 0.864e6,
     .ring_shared = KB(32),
     .ring_alone = KB(69),
     .dram = 0.65e6,
     .l2 = 5.0e6,
     .mp_bandwidth = 6.4e4,
     .tile_flops = 1.5e6,
     .tile_elements = 3.8e4,
     .tile_flops32 = 4.4e3,
     .scalar_flops = 6.45e5,
     .step_us = 0.08,
     .threads = THREADS(0.181, 1.28),
     LIBRARY(362e6, 91.6e6, MB(4)),
     TENSOR32(0.9 * 183e6 / 142, 0, 2520)},
};

enum { N_TARGETS = sizeof targets / sizeof *targets };

const as_target *as_target_default(void) {
  return &targets[0];
}

uint32_t as_target_count(void) {
  return N_TARGETS;
}

const as_target *as_target_at(uint32_t i) {
  return &targets[i];
}

static as_target used[AS_LIBRARY_ALWAYS + 1][N_TARGETS];
static pthread_once_t used_once = PTHREAD_ONCE_INIT;

static void fill_used(void) {
  for (int use = 0; use <= AS_LIBRARY_ALWAYS; use++) {
    for (int i = 0; i < N_TARGETS; i++) {
      used[use][i] = targets[i];
      used[use][i].library = (as_library_use)use;
    }
  }
}

const as_target *as_target_using(const as_target *target, as_library_use use) {
  pthread_once(&used_once, fill_used);
  for (int i = 0; i < N_TARGETS; i++) {
    if (strcmp(targets[i].gpu, target->gpu) == 0)
      return use == AS_LIBRARY_NEVER ? &targets[i] : &used[use][i];
  }
  return target;
}

/* rows with operators whose factors may be rounded: one for each that was asked for, kept */
typedef struct rounding {
  as_target target;
  struct rounding *next;
} rounding;

static rounding *roundings;
static pthread_mutex_t roundings_lock = PTHREAD_MUTEX_INITIALIZER;

static bool same_row(const as_target *target, const as_target *other, const char *operators) {
  return strcmp(target->gpu, other->gpu) == 0 && target->library == other->library &&
         strcmp(other->rounded, operators) == 0;
}

const as_target *as_target_rounding(const as_target *target, const char *operators) {
  if (operators == NULL || !*operators)
    return target;
  pthread_mutex_lock(&roundings_lock);
  rounding *row = roundings;
  while (row && !same_row(target, &row->target, operators))
    row = row->next;
  if (row == NULL) {
    row = as_malloc(sizeof *row);
    *row = (rounding){.target = *target, .next = roundings};
    row->target.rounded = as_strdup(operators);
    roundings = row;
  }
  pthread_mutex_unlock(&roundings_lock);
  return &row->target;
}

as_rounding as_target_rounds(const as_target *target, const char *operator_name) {
  static const struct {
    const char *behind; /* the name */
    as_rounding rounding;
  } way[] = {{"", AS_ROUND_TF32}, {":3", AS_ROUND_IN_PARTS}, {":auto", AS_ROUND_AUTO}};

  size_t length = strlen(operator_name);
  const char *at = target->rounded;
  while (at && *at) {
    size_t word = strcspn(at, ",");
    bool same = word >= length && strncmp(at, operator_name, length) == 0;
    for (size_t i = 0; same && i < sizeof way / sizeof *way; i++) {
      size_t more = strlen(way[i].behind);
      if (word == length + more && strncmp(at + length, way[i].behind, more) == 0)
        return way[i].rounding;
    }
    at += word + (at[word] == ',');
  }
  return AS_ROUND_NEVER;
}

static const char *const use_word[] = {
    [AS_LIBRARY_NEVER] = "never", [AS_LIBRARY_AUTO] = "auto", [AS_LIBRARY_ALWAYS] = "always"};

const char *as_library_use_word(as_library_use use) {
  return use_word[use];
}

bool as_library_use_find(const char *word, as_library_use *use) {
  for (int i = 0; i <= AS_LIBRARY_ALWAYS; i++) {
    if (strcmp(use_word[i], word) == 0) {
      *use = (as_library_use)i;
      return true;
    }
  }
  return false;
}

static bool answers_to(const as_target *target, const char *name) {
  return strcasecmp(target->gpu, name) == 0 || strcasecmp(target->arch, name) == 0 ||
         (target->also && strcasecmp(target->also, name) == 0);
}

const as_target *as_target_find(const char *name, as_err *err) {
  for (uint32_t i = 0; i < N_TARGETS; i++) {
    if (answers_to(&targets[i], name))
      return &targets[i];
  }
  as_str known;
  as_str_init(&known);
  for (uint32_t i = 0; i < N_TARGETS; i++)
    as_str_printf(&known, "%s%s (%s)", i ? ", " : "", targets[i].arch, targets[i].gpu);
  as_err_set(err, AS_BAD_INPUT, "unknown architecture `%s`; known are %s", name, known.s);
  as_str_clear(&known);
  return NULL;
}

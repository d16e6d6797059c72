/* Choices that the lowering to thread graphs makes and the cost model foresees: one place for both.
 */
#include "target.h"
#include <math.h>

enum { MOST_CHAINED_WARPS = 8, FRAGMENT_ROWS = 16 };

/* Registers that scores, results and both operands take.  Beyond, ptxas spills: 256 keys and 64
 * columns took 90 us where 64 keys took 23 (240 such registers), 32 rows a warp 33 to 59 (192); 144
 * were fine. */
enum { MOST_CHAINED_REGISTERS = 176 };

/* The same where elements are loaded beside the scores, whose addresses are kept too, and a thread
 * of the largest block has 168 at most: 152 spilled (264 bytes). */
enum { MOST_REGISTERS_BESIDE = 144 };

/* Registers with which blocks share a multiprocessor: nothing is handed over, and what one waits
 * for others overlap. */
enum { MOST_SHARING_REGISTERS = 128 };

/* The same where warps that only copy hand over registers: 192 were fine of 240. */
enum { MOST_HANDED_REGISTERS = 192, HANDING_WARPS = 4, LEAST_REGISTERS = 24 };

static uint32_t power_of_two(uint32_t least, double extent) {
  uint32_t padded = least;
  while (padded < extent && padded < 1u << 30)
    padded *= 2;
  return padded;
}

as_target_chained as_target_chain(double rows, double depth, double keys, double columns,
                                  double element_bytes, uint32_t most_warps) {
  as_target_chained chained = {0};
  uint32_t fragments = power_of_two(FRAGMENT_ROWS, rows) / FRAGMENT_ROWS;
  uint32_t most = most_warps && most_warps < MOST_CHAINED_WARPS ? most_warps : MOST_CHAINED_WARPS;
  chained.warps = fragments < most ? fragments : most;
  chained.copies = fragments / chained.warps;
  uint32_t scores = chained.copies * power_of_two(16, keys) / 2;
  uint32_t results = chained.copies * power_of_two(8, columns) / 2;
  uint32_t query = chained.copies * power_of_two(16, depth) / 4; /* of 16 bits, two a register */
  uint32_t elements = (uint32_t)ceil(scores * element_bytes / 4);
  chained.registers = scores + scores / 2 + results + query + elements;
  uint32_t fitting = elements && chained.warps == MOST_CHAINED_WARPS ? MOST_REGISTERS_BESIDE
                                                                     : MOST_CHAINED_REGISTERS;
  chained.shares = chained.registers <= MOST_SHARING_REGISTERS;
  chained.fits = chained.registers <= fitting;
  chained.fits_handed = chained.warps == MOST_CHAINED_WARPS && chained.copies == 1 &&
                        chained.registers <= MOST_HANDED_REGISTERS;
  return chained;
}

as_target_registers as_target_hand_over(const as_target *target, uint32_t compute_warps) {
  uint32_t warps = compute_warps + HANDING_WARPS;
  uint32_t each = target->registers_mp / (warps * target->warp) / 8 * 8; /* at the launch */
  if (each > target->registers_thread)
    each = target->registers_thread / 8 * 8;
  as_target_registers r = {.copy = LEAST_REGISTERS};
  r.compute = (each * warps - LEAST_REGISTERS * HANDING_WARPS) / compute_warps / 8 * 8;
  if (r.compute > target->registers_thread)
    r.compute = target->registers_thread / 8 * 8;
  return r;
}

uint32_t as_target_ring(const as_target *target, double blocks, double bytes, double trip,
                        long shared) {
  double room =
      (double)(blocks <= target->multiprocessors ? target->ring_alone : target->ring_shared);
  if (room > (double)shared)
    room = (double)shared;
  double fitting = bytes > 0 ? room / bytes : 1;
  uint32_t stages = fitting > target->ring_stages ? target->ring_stages : (uint32_t)fitting;
  while (stages > 4 && (stages & (stages - 1))) /* its remainder is a mask */
    stages--;
  if (stages > trip)
    stages = (uint32_t)trip;
  if (stages < 2)
    stages = 2;
  return stages * bytes > (double)shared ? 0 : stages;
}

/* What a matrix product alone takes, by a kernel of ours for the operator and by the library.  Both
 * are estimates: they decide which is lowered to, and no more. */
#include "target.h"
#include <math.h>

enum {
  PRODUCT_TILE = 1024, /* elements of the result that a block of ours makes */
  LIBRARY_TILE = 4096, /* the same of the library, at least */
  LIBRARY_SPLIT = 512  /* it divides longer sums among blocks where there are too few */
};

double as_target_soft_max(double a, double b) {
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

/* A product at kernel level goes block by block over tiles of its result. */
double as_target_product_us(const as_target *target, const as_target_product *product) {
  double bare = target->launch_us + 2 * target->latency_us;
  double mem = product->bytes / target->dram;
  double blocks = ceil(product->results / PRODUCT_TILE);
  double share = ceil(blocks / target->multiprocessors);
  double reduced = product->work / product->results;
  double serial = share * (2 * product->work * product->lanes / blocks / target->tile_flops) +
                  reduced / 64 * target->step_us;
  double fetch = share * (16 + PRODUCT_TILE / 16) * reduced * 2 / target->mp_bandwidth;
  return bare + as_target_soft_max(fetch > mem ? fetch : mem, serial);
}

double as_target_wide_us(const as_target *target, double work) {
  return 2 * work / target->product_flops32;
}

/* Operands and result once through memory, beside the arithmetic of as many multiprocessors as
 * there are tiles for. */
double as_target_library_us(const as_target *target, const as_target_product *product) {
  double rate = product->wide ? target->library_flops32 : target->library_flops16;
  double reduced = product->work / fmax(product->results, 1);
  double tiles = product->results / LIBRARY_TILE * fmax(1, reduced / LIBRARY_SPLIT);
  double busy = fmin(1, fmax(tiles, 1) / target->multiprocessors);
  double bare = target->launch_us + 2 * target->latency_us;
  return bare + as_target_soft_max(product->bytes / target->dram, 2 * product->work / rate / busy);
}

/* All rules, round after round, and how many programs there are then.  May include: base,
 * naive.h, rules.h, patterns.h.  Private to search/tiles and its tests. */
#ifndef AS_TILES_SATURATE_H
#define AS_TILES_SATURATE_H
#include "naive.h"
#include "rules.h"
#include <gmp.h>

typedef struct {
  uint64_t applied[TL_N_RULES]; /* unions */
  uint64_t refused;
  uint32_t rounds;
  bool saturated;
} tl_saturation;

/* AS_OK, or AS_INTERNAL with err: rules that cannot be read */
as_status tl_saturate(tl_naive *naive, uint32_t most_rounds, tl_saturation *what, as_err *err);

/* Programs of a class: of each node the product of its operands', added up.  Orders of statements
 * that do not matter are different programs, as they are where others count them.  A tile that is
 * stored is not counted as a load of where it is stored.  out: initialised */
void tl_count(const tl_graph *graph, uint32_t root, mpz_t out);
#endif

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
  uint32_t rounds;     /* in all */
  uint64_t near_nodes; /* when all that the settled leave to be done was done, .. */
  bool near_saturated; /* .. if it was */
  bool saturated;
} tl_saturation;

/* In three parts.  First the loops are pressed together: tiles are rewritten, then statements are
 * sorted, fused, inserted and fused again, and each time what was rewritten is settled, so that
 * this takes a few nodes a statement; it leads to one program (or several that are tied) in which
 * as much stands in one loop as can.  Then all rules, round after round, with what is settled left
 * alone: the neighbourhood of those programs.  Then all rules with nothing settled, as far as the
 * bound allows.  most_rounds: of each of the last two. */
/* AS_OK, or AS_INTERNAL with err: rules that cannot be read */
as_status tl_saturate(tl_naive *naive, uint32_t most_rounds, tl_saturation *what, as_err *err);

/* of prune.c, before loops are rewritten: the list `root` without what no result depends on, united
 * with it; whether there is something to leave out */
bool tl_prune(tl_graph *graph, uint32_t root);

/* Programs of a class: of each node the product of its operands', added up.  Orders of statements
 * that do not matter are different programs, as they are where others count them.  A tile that is
 * stored is not counted as a load of where it is stored.  out: initialised */
void tl_count(const tl_graph *graph, uint32_t root, mpz_t out);
#endif

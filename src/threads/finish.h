/* What follows the loop of a streaming product: shared by the files that lower it.  Included by
 * src/threads/finish*.c only. */
#ifndef AS_THREADS_FINISH_H
#define AS_THREADS_FINISH_H
#include "lowering.h"

typedef struct {
  as_plan *p;
  as_tg *g;
  const as_lay *acc;
  const as_lay *inner_acc;
  const as_lay *batch_lay;
  unsigned k_warps;
  unsigned wide_warps;
  unsigned product_bits; /* log2 of the number of products, rounded up */
  unsigned out_tile;
  as_lay
      own; /* (u, lane, warp) -> (wide, batch): first element of each pair that a thread stores */
  int lanes;
  int warps;
  char contiguous[AS_LAY_NAME];
  as_lay place; /* (wide, batch, wk, sum) -> offset in the exchange */
  unsigned exchange;
  unsigned sides;
  unsigned inner;
} as_finish;

typedef struct { /* the sums, where the output's threads want them */
  uint32_t atom[AS_TG_ARGS];
  int value[AS_TG_ARGS];
  as_lay map[AS_TG_ARGS];
  unsigned n;
} as_finish_sums;

int as_finish_value(const as_finish *F, const char *stem, unsigned i);
/* v = sum over the warps along k of what was stored at place: (.., wk) -> offset; where: (u, ..) ->
 * place's inputs of each access of 2^vec; registers: [the access's,] u.  Gives v. */
int as_finish_load_sum(as_finish *F, const char *stem, unsigned i, const as_lay *place,
                       unsigned buf, int base, unsigned vec, const as_lay *where);
/* loaded elements that the polynomial is computed with (a bias, what is added to a result), each
 * once, at the pairs of neighbours of own: (u, ..) -> axes, as further arguments; first: loaded
 * before everything else */
bool as_finish_load_elements(as_finish *F, const as_lay *own, bool first, as_poly x,
                             as_finish_sums *s);

/* finish_tail.c: sums after the loop.  Their buffer, behind `end`; what the loop has summed up for
 * them; they themselves, as further arguments of the result */
bool as_finish_tail_buffer(as_finish *F, long end);
void as_finish_tail_store(as_finish *F);
bool as_finish_tail_sums(as_finish *F, as_finish_sums *s);
#endif

/* What differs from block to block: where it lies in the grid, and how often it goes round. */
#include "emit.h"
#include <stdlib.h>

char *as_emit_count(const as_emitter *E, int count, bool cut) {
  return cut && E->g->limit ? as_strdup("n_") : as_format("%d", count);
}

/* a whole number of the block */
static char *whole(const as_tg_expr *e) {
  static const char *const places[] = {"(int)gx", "(int)gy", "(int)gz"};
  if (e->op == AS_TGS_NUM)
    return as_format("(%s)", e->num);
  if (e->op == AS_TGS_ARG)
    return as_strdup(places[e->arg]);
  char *x = whole(e->kid[0]);
  char *y = as_tg_scalar_arity(e->op) == 2 ? whole(e->kid[1]) : NULL;
  char *text = y ? as_format("(%s %c %s)", x,
                             e->op == AS_TGS_ADD   ? '+'
                             : e->op == AS_TGS_SUB ? '-'
                                                   : '*',
                             y)
                 : as_format("(-%s)", x);
  free(x);
  free(y);
  return text;
}

void as_emit_grid(as_emitter *E, const char *const *blocks, as_str *s) {
  static const char *const names[] = {"gx", "gy", "gz"};
  const as_tg *g = E->g;
  const as_block *blk = &E->b->graph->block[E->b->block];
  char *along[3];
  long grid[3];
  for (int k = 0; k < 3; k++) {
    if (!as_block_size(E->b, blk->grid[k], &grid[k], NULL))
      E->failed = true;
    along[k] = k < 2 && blocks[k] ? as_strdup(blocks[k]) : as_format("%ldu", grid[k]);
  }
  char *both = blocks[0] || blocks[1] ? as_format("(%s * %s)", along[0], along[1])
                                      : as_format("%ldu", grid[0] * grid[1]);
  char *at[3] = {as_format("as_bid() %% %s", along[0]),
                 as_format("as_bid() / %s %% %s", along[0], along[1]),
                 as_format("as_bid() / %s", both)};
  as_str_add(s, "  [[maybe_unused]] const unsigned ");
  for (int k = 0; k < 3; k++) {
    if (g->reversed >> k & 1)
      as_str_printf(s, "%s = %s - 1u - %s", names[k], along[k], at[k]);
    else
      as_str_printf(s, "%s = %s", names[k], at[k]);
    as_str_add(s, k < 2 ? ", " : ";\n");
    free(along[k]);
    free(at[k]);
  }
  free(both);
  if (g->limit) {
    char *limit = whole(g->limit);
    as_str_printf(s,
                  "  const int most_ = %s / %d;\n"
                  "  const int n_ = most_ < 1 ? 1 : most_ < %d ? most_ : %d; /* iterations */\n",
                  limit, g->per, g->trip, g->trip);
    free(limit);
  }
}

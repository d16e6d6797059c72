/* What differs from block to block: where it lies in the grid, and how often it goes round. */
#include "emit.h"
#include <stdlib.h>

/* Does the loop only accumulate?  Then a trial may leave it early (AS_ROUNDS of the prelude). */
static bool only_accumulates(const as_emitter *E) {
  const as_graph *graph = E->b->graph;
  const as_block *block = &graph->block[E->b->block];
  bool only = E->g->limit == NULL;
  for (uint32_t i = 0; i < block->n && only; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    only = node->kind != AS_N_ACC || node->acc != AS_ACC_CONCAT;
  }
  return only;
}

char *as_emit_count(const as_emitter *E, int count, bool cut) {
  if (cut && E->g->limit)
    return as_strdup("n_");
  return as_format(only_accumulates(E) ? "AS_ROUNDS(%d)" : "%d", count);
}

char *as_emit_whole(const as_tg_expr *e) {
  static const char *const places[] = {"(int)gx", "(int)gy", "(int)gz", "l"};
  if (e->op == AS_TGS_NUM)
    return as_format("(%s)", e->num);
  if (e->op == AS_TGS_ARG)
    return as_strdup(places[e->arg]);
  char *x = as_emit_whole(e->kid[0]);
  char *y = as_tg_scalar_arity(e->op) == 2 ? as_emit_whole(e->kid[1]) : NULL;
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

/* axes in the order in which blocks are started: those that are reversed come last */
static void order_of(const as_tg *g, int order[3]) {
  int n = 0;
  for (int late = 0; late < 2; late++) {
    for (int k = 0; k < 3; k++) {
      if ((int)(g->reversed >> k & 1) == late)
        order[n++] = k;
    }
  }
}

/* places along axes from a number that counts them, the first axis fastest */
static void places_of(char **at, char *const *along, const int *axis, int n, const char *number) {
  as_str over;
  as_str_init(&over);
  as_str_add(&over, number);
  for (int i = 0; i < n; i++) {
    at[axis[i]] = i + 1 < n ? as_format("%s %% %s", over.s, along[axis[i]]) : as_strdup(over.s);
    as_str_printf(&over, " / %s", along[axis[i]]);
  }
  as_str_clear(&over);
}

/* blocks by parts: `together` of the axes that are not reversed, then the next place along those
 * that are */
static void by_parts(as_emitter *E, const int order[3], const long grid[3], char *const *along,
                     char **at, as_str *s) {
  int n = 0;
  long reversed = 1;
  while (n < 3 && !(E->g->reversed >> order[n] & 1))
    n++;
  for (int i = n; i < 3; i++)
    reversed *= grid[order[i]];
  as_str_printf(
      s,
      "  const unsigned part_ = as_bid() / %ldu * %du + as_bid() %% %du, place_ = as_bid() / "
      "%du %% %ldu;\n",
      reversed * E->g->together, E->g->together, E->g->together, E->g->together, reversed);
  places_of(at, along, order, n, "part_");
  places_of(at, along, order + n, 3 - n, "place_");
}

void as_emit_grid(as_emitter *E, const char *const *blocks, as_str *s) {
  static const char *const names[] = {"gx", "gy", "gz"};
  const as_tg *g = E->g;
  const as_block *blk = &E->b->graph->block[E->b->block];
  char *along[3];
  char *at[3];
  long grid[3];
  int order[3];
  order_of(g, order);
  for (int k = 0; k < 3; k++) {
    if (!as_block_size(E->b, blk->grid[k], &grid[k], NULL))
      E->failed = true;
    along[k] = k < 2 && blocks[k] ? as_strdup(blocks[k]) : as_format("%ldu", grid[k]);
  }
  const char *first = along[order[0]];
  const char *second = along[order[1]];
  bool live = (order[0] < 2 && blocks[order[0]]) || (order[1] < 2 && blocks[order[1]]);
  E->failed = E->failed || (g->together && (blocks[0] || blocks[1]));
  if (g->together) {
    by_parts(E, order, grid, along, at, s);
  } else {
    char *both = live ? as_format("(%s * %s)", first, second)
                      : as_format("%ldu", grid[order[0]] * grid[order[1]]);
    at[order[0]] = as_format("as_bid() %% %s", first);
    at[order[1]] = as_format("as_bid() / %s %% %s", first, second);
    at[order[2]] = as_format("as_bid() / %s", both);
    free(both);
  }
  as_str_add(s, "  [[maybe_unused]] const unsigned ");
  for (int k = 0; k < 3; k++) {
    if (g->reversed >> k & 1)
      as_str_printf(s, "%s = %s - 1u - %s", names[k], along[k], at[k]);
    else
      as_str_printf(s, "%s = %s", names[k], at[k]);
    as_str_add(s, k < 2 ? ", " : ";\n");
  }
  for (int k = 0; k < 3; k++) {
    free(along[k]);
    free(at[k]);
  }
  if (g->limit) {
    char *limit = as_emit_whole(g->limit);
    as_str_printf(s,
                  "  const int most_ = %s / %d;\n"
                  "  const int n_ = most_ < 1 ? 1 : most_ < %d ? most_ : %d; /* iterations */\n",
                  limit, g->per, g->trip, g->trip);
    free(limit);
  }
}

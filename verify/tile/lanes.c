/* The numbers of lanes that a tile program states: its blocks. */
#include "lanes.h"

/* adds a number that is not there yet; the largest stay */
static void add(tile_blocks *to, int64_t value) {
  uint32_t at = 0;
  while (at < to->n && to->block[at] > value)
    at++;
  if ((at < to->n && to->block[at] == value) || at == TILE_MOST_BLOCKS)
    return;
  to->n += to->n < TILE_MOST_BLOCKS;
  for (uint32_t i = to->n - 1; i > at; i--)
    to->block[i] = to->block[i - 1];
  to->block[at] = value;
}

static void look_at(tile_blocks *to, const as_tile_stmt *stmt, int64_t least, int64_t most) {
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    const as_expr *extent = stmt->lane[i].extent->text;
    bool number = extent->kind == AS_E_NUM && mpz_fits_slong_p(mpq_numref(extent->num));
    int64_t value = number ? mpz_get_si(mpq_numref(extent->num)) : 0;
    if (value > least && value <= most)
      add(to, value);
  }
  for (uint32_t i = 0; i < stmt->n_body; i++)
    look_at(to, stmt->body[i], least, most);
}

void tile_blocks_of(const as_tile_program *program, int64_t least, int64_t most, tile_blocks *to) {
  *to = (tile_blocks){0};
  for (uint32_t i = 0; program && i < program->n_body; i++)
    look_at(to, program->body[i], least, most);
}

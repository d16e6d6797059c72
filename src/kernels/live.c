/* From when to when tiles are needed.  What is read in a loop and made before it is needed to the
 * loop's end; a carried tile from the loop's beginning on. */
#include "kernels_int.h"
#include "src/base/id.h"

typedef struct {
  kt_plan *plan;
  uint32_t unit;
  int now;
} living;

static void made(living *in, uint32_t number) {
  kt_tile *tile = KT_TILE(in->plan, number);
  tile->unit = in->unit;
  tile->first = in->now;
  tile->last = in->now;
}

static void read(living *in, uint32_t number) {
  kt_tile *tile = KT_TILE(in->plan, number);
  if (tile->unit != in->unit)
    tile->memory = KT_COMMON; /* an earlier kernel has made it */
  else if (tile->last < in->now)
    tile->last = in->now;
}

static void read_all(living *in, const wr_expr *expr) {
  if (expr == NULL)
    return;
  if (expr->kind == AS_E_ACCESS)
    read(in, expr->id);
  for (uint32_t i = 0; i < expr->n; i++)
    read_all(in, expr->kid[i]);
}

static void visit_stmts(living *in, const as_vec *list);

static void visit_loop(living *in, const wr_stmt *loop) {
  read_all(in, loop->from);
  read_all(in, loop->to);
  read_all(in, loop->step);
  visit_stmts(in, &loop->first);
  int begin = ++in->now;
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    made(in, carry->tile);
    read(in, carry->first);
  }
  visit_stmts(in, &loop->body);
  in->now++; /* carried tiles are kept aside here .. */
  for (size_t i = 0; i < loop->carry.n; i++) {
    uint32_t aside = kt_aside_of(in->plan, loop, i);
    if (aside != AS_NONE)
      made(in, aside);
  }
  int end = ++in->now; /* .. and written here */
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    uint32_t aside = kt_aside_of(in->plan, loop, i);
    read(in, aside == AS_NONE ? carry->next : aside);
    read(in, carry->tile);
  }
  for (size_t i = 0; i < in->plan->tile.n; i++) {
    kt_tile *tile = KT_TILE(in->plan, i);
    if (tile->unit == in->unit && tile->first <= begin && tile->last > begin && tile->last < end)
      tile->last = end;
  }
}

static void visit(living *in, const wr_stmt *stmt) {
  in->now++;
  if (stmt->kind == WR_LOOP) {
    visit_loop(in, stmt);
    return;
  }
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    read_all(in, stmt->extent[i]);
  for (uint32_t i = 0; i < stmt->n_counter; i++)
    read_all(in, stmt->count[i]);
  for (uint32_t i = 0; i < stmt->n_place; i++)
    read_all(in, stmt->place[i]);
  read_all(in, stmt->value);
  read_all(in, stmt->mask);
  read_all(in, stmt->other);
  if (stmt->kind == WR_DEFINE || stmt->kind == WR_LOAD)
    made(in, stmt->tile);
}

static void visit_stmts(living *in, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++)
    visit(in, WR_STMT(list, i));
}

void kt_live(kt_plan *plan, uint32_t unit) {
  living in = {.plan = plan, .unit = unit};
  visit_stmts(&in, &KT_UNIT(plan, unit)->stmt);
}

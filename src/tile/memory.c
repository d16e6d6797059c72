/* What tensors hold as the text of a tile program is read: the value that was stored last at a
 * place, what a loop sums up in memory, a tensor of which a part was changed. */
#include "blocks_int.h"
#include "src/ir/graph_int.h"
#include <stdlib.h>
#include <string.h>

/* ---- tensors of the given program */
static as_node_id given_node(const tv_program *p, const as_tile_tensor *tensor) {
  as_node_id id =
      tensor->role == AS_TILE_SCRATCH ? AS_NONE : as_graph_find(p->given, AS_NONE, tensor->name);
  return id != AS_NONE && p->given->node[id].rank == tensor->rank ? id : AS_NONE;
}

static bool is_free_size(const tv_program *p, as_size size) {
  const as_graph *own = p->program->sizes;
  bool declared = false;
  for (uint32_t i = 0; i < own->n_own_size; i++)
    declared = declared || own->own_size[i] == size;
  for (uint32_t i = 0; i < p->ties.n && declared; i++)
    declared = AS_VEC_AT(&p->ties, tv_tie, i).own != size;
  return declared &&
         as_names_get(p->given, AS_SCOPE_SIZE, as_size_name(p->given->sizes, size)) == AS_NONE;
}

void tv_tie_sizes(tv_program *p) {
  as_graph *own = p->program->sizes;
  for (uint32_t i = 0; i < p->program->n_tensor; i++) {
    const as_tile_tensor *tensor = &p->program->tensor[i];
    as_node_id id = given_node(p, tensor);
    for (uint32_t d = 0; id != AS_NONE && d < tensor->rank; d++) {
      tv_tie tie = {tensor->dim[d], p->given->node[id].dim[d]};
      if (is_free_size(p, tie.own))
        as_vec_push(&p->ties, &tie);
    }
  }
  for (uint32_t i = 0; i < own->n_fact; i++) {
    own->fact[i].lhs = tv_tied(p, own->fact[i].lhs);
    own->fact[i].rhs = tv_tied(p, own->fact[i].rhs);
  }
}

static uint32_t tensor_named(const tv_program *p, const char *name) {
  for (uint32_t i = 0; i < p->program->n_tensor; i++) {
    const as_tile_tensor *tensor = &p->program->tensor[i];
    if (tensor->role == AS_TILE_OUTPUT && strcmp(tensor->name, name) == 0)
      return i;
  }
  return AS_NONE;
}

/* Results that no output is called by are tensors changed in place, in their order. */
bool tv_find_results(tv_program *p) {
  uint32_t next = 0;
  p->result = as_calloc(p->given->n_output + 1, sizeof *p->result);
  for (uint32_t i = 0; i < p->given->n_output; i++) {
    const char *name = p->given->node[p->given->output[i]].name;
    p->result[i] = tensor_named(p, name);
    while (p->result[i] == AS_NONE && next < p->program->n_tensor) {
      if (p->program->tensor[next].role == AS_TILE_INOUT)
        p->result[i] = next;
      next++;
    }
    if (p->result[i] == AS_NONE || p->stored_by[p->result[i]] == AS_NONE)
      return as_err_set(p->err, AS_BAD_INPUT, "`%s` is not stored to", name);
  }
  return true;
}

/* ---- places */
static bool mentions(const as_tile_scalar *scalar, uint32_t slot) {
  bool found = scalar->text->kind == AS_E_NAME && scalar->meaning == AS_TILE_IS_INTEGER &&
               scalar->id == slot;
  for (uint32_t i = 0; i < scalar->n && !found; i++)
    found = mentions(scalar->kid[i], slot);
  return found;
}

static bool place_mentions(const as_tile_stmt *stmt, uint32_t slot) {
  bool found = false;
  for (uint32_t d = 0; d < stmt->n_place && !found; d++)
    found = mentions(stmt->place[d], slot);
  return found;
}

static bool says_loop(const tv_program *p, as_size size) {
  for (uint32_t i = 0; i < p->loops.n; i++) {
    if (as_size_mentions(p->given->sizes, size, TV_LOOP(p, i)->variable))
      return true;
  }
  return false;
}

/* a store to the same part of one axis in each iteration */
static bool find_update(tv_program *p, const as_tile_stmt *stmt) {
  tv_updated update = {.stmt = stmt};
  uint32_t lane = 0;
  bool found = false;
  for (uint32_t d = 0; d < stmt->n_place && !found; d++) {
    tv_part part;
    if (!tv_read_axis(p, stmt, d, &lane, &part, &update.start))
      return false;
    as_size extent = tv_tied(p, p->program->tensor[stmt->tensor].dim[d]);
    found = part.has_lane && part.tile != extent && !says_loop(p, update.start);
    update.axis = d;
    update.lane = lane - 1;
  }
  if (found)
    as_vec_push(&p->updates, &update);
  return found;
}

/* does a store reach all of its tensor, in all iterations? */
static bool reaches_all(const tv_program *p, const as_tile_stmt *stmt) {
  const as_tile_tensor *tensor = &p->program->tensor[stmt->tensor];
  as_sizes *sizes = p->given->sizes;
  tv_part part[AS_MAX_RANK];
  if (!tv_place(p, stmt, part))
    return false;
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    as_size extent = part[d].tile;
    as_size whole = tv_tied(p, tensor->dim[d]);
    for (uint32_t i = 0; i < part[d].n; i++)
      extent = as_size_mul(sizes, extent, TV_LOOP(p, part[d].loop[i])->count);
    if (extent == AS_SIZE_BAD || !(as_graph_same_size(p->given, extent, whole) ||
                                   as_graph_same_size(p->program->sizes, extent, whole)))
      return false;
  }
  return true;
}

/* ---- what is held */
static bool starts_at_zero(const tv_program *p, uint32_t tensor, uint32_t store) {
  if (store == AS_NONE) {
    const as_expr *initial = p->program->tensor[tensor].initial;
    return initial && mpq_sgn(initial->num) == 0;
  }
  const as_tile_stmt *made = TV_VALUE(p, TV_STORE(p, store)->value)->stmt;
  bool number = made->kind == AS_TILE_MAKE || made->kind == AS_TILE_STORE;
  return number && made->value && tv_is_zero(made->value);
}

static uint32_t hold(tv_program *p, const as_tile_stmt *stmt, uint32_t value, uint32_t loop) {
  tv_store store = {.stmt = stmt, .value = value, .loop = loop};
  as_vec_push(&p->stores, &store);
  p->stored_by[stmt->tensor] = (uint32_t)p->stores.n - 1;
  return (uint32_t)p->stores.n - 1;
}

uint32_t tv_read_load(tv_program *p, const as_tile_stmt *stmt, uint32_t loop) {
  uint32_t held = p->stored_by[stmt->tensor];
  const tv_store *store = held == AS_NONE ? NULL : TV_STORE(p, held);
  if (store && !stmt->mask && tv_is_within(p, loop, store->loop) &&
      tv_same_place(p, store->stmt, stmt))
    return store->value;
  tv_value value = {
      .kind = TV_LOAD, .stmt = stmt, .loop = loop, .source = held, .name = stmt->name};
  return tv_add_value(p, &value);
}

/* the store before the rounds of the loops at whose beginning a tensor is what they left in it */
static uint32_t before_rounds(const tv_program *p, uint32_t tensor) {
  uint32_t held = p->stored_by[tensor];
  while (held != AS_NONE && TV_STORE(p, held)->is_state)
    held = TV_STORE(p, held)->before;
  return held;
}

/* Rounds that store the same to a part of a tensor leave what the first one does, so that what was
 * there is what was there before them.  (If they do not store the same, what is made of it is
 * refuted.) */
static uint32_t updated(tv_program *p, const as_tile_stmt *stmt, uint32_t loop) {
  const tv_updated *update = tv_update_of(p, stmt);
  tv_value before = {.kind = TV_LOAD,
                     .stmt = stmt,
                     .loop = loop,
                     .source = before_rounds(p, stmt->tensor),
                     .name = p->program->tensor[stmt->tensor].name};
  tv_value value = {.kind = TV_UPDATE,
                    .stmt = stmt,
                    .loop = loop,
                    .n_arg = 2,
                    .axis = update->lane,
                    .start = update->start,
                    .name = before.name};
  value.arg[0] = tv_add_value(p, &before);
  value.arg[1] = p->of_slot[stmt->whole];
  return tv_add_value(p, &value);
}

bool tv_add_store(tv_program *p, const as_tile_stmt *stmt, uint32_t loop) {
  if (stmt->whole_name == NULL && !(stmt->value && tv_is_zero(stmt->value)))
    return tv_fail(p, stmt, "what is stored is no tile");
  tv_value zeros = {
      .kind = TV_OTHER, .stmt = stmt, .loop = loop, .name = p->program->tensor[stmt->tensor].name};
  uint32_t value = stmt->whole_name ? p->of_slot[stmt->whole] : tv_add_value(p, &zeros);
  if (stmt->whole_name && (tv_update_of(p, stmt) || find_update(p, stmt)))
    value = updated(p, stmt, loop);
  hold(p, stmt, value, loop);
  return reaches_all(p, stmt) ||
         tv_fail(p, stmt, "not all of the tensor is stored, tile by tile of the loops around");
}

/* ---- loops */
static void enter(tv_program *p, uint32_t loop, const as_tile_stmt *stmt, as_vec *before) {
  uint32_t held = p->stored_by[stmt->tensor];
  if (place_mentions(stmt, TV_LOOP(p, loop)->stmt->slot) ||
      (held != AS_NONE && TV_STORE(p, held)->is_state && TV_STORE(p, held)->loop == loop))
    return;
  tv_value state = {
      .kind = TV_OTHER, .stmt = stmt, .loop = loop, .name = p->program->tensor[stmt->tensor].name};
  uint32_t number = hold(p, stmt, tv_add_value(p, &state), loop);
  TV_STORE(p, number)->is_state = true;
  TV_STORE(p, number)->before = held;
  as_vec_push(before, &number);
}

static void enter_body(tv_program *p, uint32_t loop, as_tile_stmt *const *body, uint32_t n,
                       as_vec *before) {
  for (uint32_t i = 0; i < n; i++) {
    if (body[i]->kind == AS_TILE_STORE)
      enter(p, loop, body[i], before);
    if (body[i]->kind == AS_TILE_LOOP)
      enter_body(p, loop, body[i]->body, body[i]->n_body, before);
  }
}

void tv_enter_loop(tv_program *p, uint32_t loop, as_vec *before) {
  const as_tile_stmt *stmt = TV_LOOP(p, loop)->stmt;
  as_vec_init(before, sizeof(uint32_t));
  enter_body(p, loop, stmt->body, stmt->n_body, before);
}

static bool is_made_of(const tv_program *p, uint32_t number, uint32_t part) {
  const tv_value *value = TV_VALUE(p, number);
  bool found = number == part;
  for (uint32_t i = 0; i < value->n_arg && !found; i++)
    found = is_made_of(p, value->arg[i], part);
  return found;
}

/* is a value one of all rounds? */
static bool is_same_in_all(const tv_program *p, uint32_t number, uint32_t loop) {
  bool same = (tv_loops_of(p, number) >> loop & 1) == 0;
  for (uint32_t i = 0; i < p->stores.n && same; i++) {
    const tv_store *store = TV_STORE(p, i);
    same = !(store->is_state && store->loop == loop && is_made_of(p, number, store->value));
  }
  return same;
}

static uint32_t after_rounds(tv_program *p, const tv_store *state, const tv_store *last) {
  const as_tile_tensor *tensor = &p->program->tensor[last->stmt->tensor];
  uint32_t loop = state->loop;
  bool one_place = tv_same_place(p, state->stmt, last->stmt);
  if (one_place && is_same_in_all(p, last->value, loop))
    return last->value;
  uint32_t total = one_place && !TV_LOOP(p, loop)->stmt->parallel &&
                           starts_at_zero(p, last->stmt->tensor, state->before)
                       ? tv_add_total(p, loop, state->value, last->value, last->stmt, tensor->name)
                       : AS_NONE;
  tv_value other = {
      .kind = TV_OTHER, .stmt = last->stmt, .loop = TV_LOOP(p, loop)->parent, .name = tensor->name};
  return total != AS_NONE ? total : tv_add_value(p, &other);
}

void tv_leave_loop(tv_program *p, uint32_t loop, const as_vec *before) {
  for (uint32_t i = 0; i < before->n; i++) {
    tv_store state = *TV_STORE(p, AS_VEC_AT(before, uint32_t, i));
    uint32_t held = p->stored_by[state.stmt->tensor];
    if (held == AS_NONE) /* the loop's own, which is gone */
      continue;
    tv_store last = *TV_STORE(p, held);
    hold(p, last.stmt, after_rounds(p, &state, &last), TV_LOOP(p, loop)->parent);
  }
}

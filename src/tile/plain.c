/* Tile programs whose tiles are made element by element, with masks, as programs of operators'
 * calls over whole tiles: kernels of one lane a program computes, as block graphs have them.
 * Nothing rests on it, so it guesses: masks that say where a tensor ends are what tiles of any
 * extent need not say; each way in which places depend on the instance is an axis of the grid; and
 * a maximum so far, by which exponentials are shifted, is left out.  What is made of a wrong guess
 * is refuted. */
#include "plain_int.h"
#include "src/ir/graph_int.h"
#include <stdlib.h>

/* ---- statements */
static void take_lanes(pl_program *p, const as_tile_stmt *stmt) {
  p->n_order = 0;
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    p->of_integer[stmt->lane[i].slot] = pl_symbol(p, stmt->lane[i].slot);
    p->order[p->n_order++] = stmt->lane[i].slot;
  }
}

static void add_size(pl_program *p, as_size size) {
  char *text = as_size_print(p->sizes, size);
  as_str_add(&p->out, text);
  free(text);
}

static void add_lane_extent(pl_program *p, const as_tile_stmt *stmt, uint32_t d,
                            const pl_part *at) {
  if (at->of)
    as_str_printf(&p->out, "tile_%u", at->of->id);
  else
    add_size(p, pl_shown(p, &p->program->tensor[stmt->tensor], d));
}

static void add_place(pl_program *p, const as_tile_stmt *stmt, const pl_part *at) {
  as_str_add(&p->out, "[");
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    const char *lane = at[d].lane == AS_NONE ? NULL : stmt->lane[at[d].lane].name;
    as_str_add(&p->out, d ? ", " : "");
    if (at[d].of && lane)
      as_str_printf(&p->out, "at_%u * tile_%u + %s", at[d].of->id, at[d].of->id, lane);
    else if (at[d].of)
      as_str_printf(&p->out, "at_%u", at[d].of->id);
    else
      as_str_add(&p->out, lane);
  }
  as_str_add(&p->out, "]");
}

static void add_lanes(pl_program *p, const as_tile_stmt *stmt, const pl_part *at) {
  bool first = true;
  as_str_add(&p->out, "[");
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    if (at[d].lane == AS_NONE)
      continue;
    as_str_printf(&p->out, "%s%s < ", first ? "" : ", ", stmt->lane[at[d].lane].name);
    add_lane_extent(p, stmt, d, &at[d]);
    first = false;
  }
  as_str_add(&p->out, "]");
}

/* false with err; turned: lanes go by the axes in the other order */
static bool read_place(pl_program *p, const as_tile_stmt *stmt, pl_part *at, bool *turned) {
  uint32_t n = 0;
  uint32_t lane[AS_MAX_RANK];
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    if (!pl_read_axis(p, stmt, d, &at[d]))
      return false;
    if (at[d].lane != AS_NONE)
      lane[n++] = at[d].lane;
  }
  *turned = n == 2 && lane[0] == 1;
  bool in_order = n == stmt->n_lane;
  for (uint32_t i = 0; i < n && !*turned; i++)
    in_order = in_order && lane[i] == i;
  if (!in_order || (*turned && lane[1] != 0))
    return pl_fail(p, stmt, "lanes in another order than axes");
  return !stmt->mask || pl_holds(p, stmt->mask) == PL_HOLDS ||
         pl_fail(p, stmt, "a mask that says something else than where a tensor ends");
}

static bool load(pl_program *p, const as_tile_stmt *stmt) {
  pl_part at[AS_MAX_RANK];
  bool turned;
  take_lanes(p, stmt);
  if (!read_place(p, stmt, at, &turned))
    return false;
  as_str_printf(&p->out, "load %s%s", stmt->name, turned ? "_turned" : "");
  add_lanes(p, stmt, at);
  as_str_printf(&p->out, " = %s", p->program->tensor[stmt->tensor].name);
  add_place(p, stmt, at);
  as_str_add(&p->out, "\n");
  if (turned)
    as_str_printf(&p->out, "%s = transpose(%s_turned)\n", stmt->name, stmt->name);
  return true;
}

/* with all axes of the lanes, in their order; NULL with err */
static char *whole(const pl_program *p, const as_tile_stmt *stmt, pl_tile made) {
  made = made.text ? pl_ordered(p, stmt, made) : made;
  if (made.text && made.n != stmt->n_lane)
    made = pl_bad(p, stmt, "a tile that is the same along an axis");
  return made.text;
}

static bool store(pl_program *p, const as_tile_stmt *stmt) {
  pl_part at[AS_MAX_RANK];
  bool turned;
  take_lanes(p, stmt);
  if (!read_place(p, stmt, at, &turned))
    return false;
  char *text = stmt->whole_name ? pl_keep(p, as_strdup(stmt->whole_name))
                                : whole(p, stmt, pl_scalar(p, stmt, stmt->value));
  if (text == NULL)
    return false;
  as_str_printf(&p->out, turned ? "stored_%u = transpose(%s)\n" : "stored_%u = %s\n", p->names,
                text);
  as_str_printf(&p->out, "store %s", p->program->tensor[stmt->tensor].name);
  add_place(p, stmt, at);
  as_str_printf(&p->out, " = stored_%u over ", p->names++);
  add_lanes(p, stmt, at);
  as_str_add(&p->out, "\n");
  return true;
}

static bool make(pl_program *p, const as_tile_stmt *stmt) {
  if (p->constant[stmt->slot] || p->first_round[stmt->slot])
    return true;
  take_lanes(p, stmt);
  if (stmt->value->text->kind == AS_E_NUM) {
    as_str_printf(&p->out, "make %s[", stmt->name);
    for (uint32_t i = 0; i < stmt->n_lane; i++) {
      as_str_printf(&p->out, "%s%s < ", i ? ", " : "", stmt->lane[i].name);
      add_size(p, pl_size(p, stmt->lane[i].extent));
    }
    char *number = as_expr_print(stmt->value->text);
    as_str_printf(&p->out, "] = %s\n", number);
    free(number);
    return true;
  }
  pl_tile made = pl_scalar(p, stmt, stmt->value);
  if (made.text && (pl_is_text(&made, "0") || pl_is_text(&made, "1"))) {
    p->constant[stmt->slot] = made.text;
    return true;
  }
  char *text = whole(p, stmt, made);
  if (text)
    as_str_printf(&p->out, "%s = %s\n", stmt->name, text);
  return text != NULL;
}

/* ---- what is carried */
static const as_tile_stmt *made_by(as_tile_stmt *const *body, uint32_t n,
                                   const as_tile_expr *name) {
  for (uint32_t i = 0; i < n && name->kind == AS_TILE_NAMED; i++) {
    if (body[i]->kind == AS_TILE_MAKE && name->meaning == AS_TILE_IS_TILE &&
        body[i]->slot == name->id)
      return body[i];
  }
  return NULL;
}

static bool is_number(const as_tile_stmt *stmt, long number) {
  return stmt && stmt->value && stmt->value->text->kind == AS_E_NUM &&
         mpq_cmp_si(stmt->value->text->num, number, 1) == 0;
}

/* is it the maximum of this tile and something, or a copy of such a tile? */
static bool is_maximum(const as_tile_stmt *loop, const as_tile_scalar *x, uint32_t slot,
                       const char **constant) {
  bool found = false;
  if (x->text->kind == AS_E_IF)
    found =
        is_maximum(loop, x->kid[1], slot, constant) || is_maximum(loop, x->kid[2], slot, constant);
  if (x->text->kind == AS_E_MAX2) {
    for (uint32_t i = 0; i < 2; i++)
      found = found || (x->kid[i]->text->kind == AS_E_ACCESS && x->kid[i]->id == slot);
  }
  for (uint32_t i = 0; i < loop->n_body && x->text->kind == AS_E_ACCESS; i++) {
    const as_tile_stmt *stmt = loop->body[i];
    if (stmt->kind == AS_TILE_MAKE && stmt->slot == x->id &&
        is_maximum(loop, stmt->value, slot, constant)) {
      constant[stmt->slot] = "0";
      found = true;
    }
  }
  return found;
}

static void find_shifts(pl_program *p, as_tile_stmt *const *around, uint32_t n,
                        const as_tile_stmt *loop) {
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    const as_tile_carry *carry = &loop->carry[i];
    const as_tile_stmt *first = made_by(around, n, carry->first);
    const as_tile_stmt *next = made_by(loop->body, loop->n_body, carry->next);
    if (is_number(first, 1) && is_number(next, 0)) {
      p->first_round[carry->slot] = p->first_round[next->slot] = true;
    } else if (first && next && is_maximum(loop, next->value, carry->slot, p->constant)) {
      p->constant[carry->slot] = p->constant[next->slot] = "0";
    }
  }
}

static bool body(pl_program *p, as_tile_stmt *const *stmt, uint32_t n);

static bool add_carries(pl_program *p, const as_tile_stmt *stmt, bool next) {
  for (uint32_t i = 0; i < stmt->n_carry; i++) {
    const as_tile_carry *carry = &stmt->carry[i];
    const as_tile_expr *expr = next ? carry->next : carry->first;
    if (p->constant[carry->slot] || p->first_round[carry->slot])
      continue;
    if (expr->kind != AS_TILE_NAMED || carry->integers)
      return pl_fail(p, stmt, "something else than a tile is carried");
    as_str_printf(&p->out, "%s %s = %s\n", next ? "next" : "carry", carry->name, expr->name);
  }
  return true;
}

static void add_loop(const pl_program *p, as_str *out, const char *word, const pl_axis *of) {
  char *extent = as_size_print(p->sizes, of->shown);
  as_str_printf(out, "%s at_%u = 0 to ", word, of->id);
  if (of->single)
    as_str_printf(out, "%s\n", extent);
  else
    as_str_printf(out, "count_%u\n", of->id);
  free(extent);
}

/* A loop that carries nothing is one over instances; it is left out where no tiles are numbered by
 * its rounds alone. */
static bool loop(pl_program *p, const as_tile_stmt *stmt, as_tile_stmt *const *around, uint32_t n) {
  as_size step = stmt->step ? pl_size(p, stmt->step) : AS_SIZE_ONE;
  as_size from = pl_size(p, stmt->from);
  as_size rounds = as_size_mul(p->sizes, pl_symbol(p, stmt->slot), step);
  p->of_integer[stmt->slot] = as_size_add(p->sizes, from, rounds);
  if (p->of_integer[stmt->slot] == AS_SIZE_BAD)
    return pl_fail(p, stmt, "a loop whose bounds are data");
  find_shifts(p, around, n, stmt);
  as_str before = p->out;
  as_str_init(&p->out);
  bool ok = add_carries(p, stmt, false) && body(p, stmt->body, stmt->n_body) &&
            add_carries(p, stmt, true);
  const pl_axis *of = NULL;
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const pl_axis *known = AS_VEC_AT(&p->axes, pl_axis *, i);
    of = known->loop == stmt ? known : of;
  }
  char *text = as_str_take(&p->out);
  p->out = before;
  if (ok && of)
    add_loop(p, &p->out, stmt->n_carry ? "for" : "parallel", of);
  if (ok && of)
    as_str_printf(&p->out, "%send\n", text);
  else if (ok && stmt->n_carry)
    ok = pl_fail(p, stmt, "what is carried does not go by tiles");
  else if (ok)
    as_str_add(&p->out, text);
  free(text);
  return ok;
}

static bool body(pl_program *p, as_tile_stmt *const *stmt, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    bool ok = true;
    switch (stmt[i]->kind) {
    case AS_TILE_LOOP:
      ok = loop(p, stmt[i], stmt, n);
      break;
    case AS_TILE_LOAD:
      ok = load(p, stmt[i]);
      break;
    case AS_TILE_STORE:
      ok = store(p, stmt[i]);
      break;
    case AS_TILE_MAKE:
      ok = make(p, stmt[i]);
      break;
    case AS_TILE_LET:
    case AS_TILE_ALLOC:
      ok = pl_fail(p, stmt[i], "operators beside tiles that are made by element");
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

/* ---- the whole */
static bool kernel(pl_program *p, as_tile_stmt *const *stmt, as_str *out) {
  as_str_init(&p->out);
  bool ok = body(p, stmt, 1);
  char *text = as_str_take(&p->out);
  uint32_t n = 0;
  for (uint32_t i = 0; ok && i < p->axes.n; i++) {
    const pl_axis *of = AS_VEC_AT(&p->axes, pl_axis *, i);
    if (of->kernel != p->kernel || of->loop)
      continue;
    add_loop(p, out, "parallel", of);
    n++;
  }
  as_str_add(out, ok ? text : "");
  for (; n > 0; n--)
    as_str_add(out, "end\n");
  free(text);
  p->kernel++;
  return ok;
}

static void declare(const pl_program *p, const as_graph *own, as_str *out) {
  for (uint32_t i = 0; i < own->n_own_size; i++) {
    long value = as_size_value(p->sizes, own->own_size[i]);
    const char *name = as_size_name(p->sizes, own->own_size[i]);
    if (own != p->given && as_names_get(p->given, AS_SCOPE_SIZE, name) != AS_NONE)
      continue;
    as_str_printf(out, "sizes %s >= %ld", name, as_size_least(p->sizes, own->own_size[i]));
    if (value >= 0)
      as_str_printf(out, " = %ld", value);
    as_str_add(out, "\n");
  }
}

static void add_sizes(const pl_program *p, as_str *out) {
  declare(p, p->given, out);
  declare(p, p->program->sizes, out);
  for (uint32_t i = 0; i < p->axes.n; i++) {
    const pl_axis *of = AS_VEC_AT(&p->axes, pl_axis *, i);
    char *extent = as_size_print(p->sizes, of->shown);
    if (!of->single)
      as_str_printf(out, "sizes count_%u, tile_%u\nwhere %s = count_%u * tile_%u\n", of->id, of->id,
                    extent, of->id, of->id);
    free(extent);
  }
}

static void add_tensors(const pl_program *p, as_str *out) {
  for (uint32_t i = 0; i < p->program->n_tensor; i++) {
    const as_tile_tensor *tensor = &p->program->tensor[i];
    as_str_printf(out, "%s %s: %s[", as_tile_role_word(tensor->role), tensor->name,
                  as_tile_type_word(tensor->type));
    for (uint32_t d = 0; d < tensor->rank; d++) {
      char *extent = as_size_print(p->sizes, pl_shown(p, tensor, d));
      as_str_printf(out, "%s%s", d ? ", " : "", extent);
      free(extent);
    }
    as_str_add(out, "]\n");
  }
}

char *as_tile_plain(as_tile_program *program, const as_graph *given, as_err *err) {
  const char *shadowed = as_oplib_shadowed(program->lib);
  if (shadowed) { /* operators are called by name for what stands for the built-in ones */
    as_err_set(err, AS_BAD_INPUT, "`%s` is defined anew: tiles are not made of operators",
               shadowed);
    return NULL;
  }
  pl_program p = {.program = program, .given = given, .sizes = program->sizes->sizes, .err = err};
  p.mem = as_arena_new();
  p.of_integer = as_malloc((program->n_integers + 1) * sizeof *p.of_integer);
  for (uint32_t i = 0; i < program->n_integers; i++)
    p.of_integer[i] = AS_SIZE_BAD;
  p.constant = as_calloc(program->n_tiles + 1, sizeof *p.constant);
  p.first_round = as_calloc(program->n_tiles + 1, sizeof *p.first_round);
  as_vec_init(&p.axes, sizeof(pl_axis *));
  as_str kernels;
  as_str out;
  as_str_init(&kernels);
  as_str_init(&out);
  bool ok = true;
  for (uint32_t i = 0; ok && i < program->n_body; i++)
    ok = kernel(&p, &program->body[i], &kernels);
  as_str_printf(&out, "tile %s\n", program->name);
  add_sizes(&p, &out);
  add_tensors(&p, &out);
  char *text = as_str_take(&kernels);
  as_str_add(&out, text);
  free(text);
  text = as_str_take(&out);
  as_vec_clear(&p.axes);
  as_arena_free(p.mem);
  free(p.of_integer);
  free(p.constant);
  free(p.first_round);
  if (ok)
    return text;
  free(text);
  return NULL;
}

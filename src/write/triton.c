/* Definitions as Python with Triton.  A tile is a block of Triton with an axis for each of its axes
 * of more than one element, each as long as the next power of two; what lies beyond a tile's extent
 * is left out where it is reduced, loaded or stored.  A definition's value is computed over its
 * lanes and counters together, each an axis, and broadcasting does the rest. */
#include "triton_int.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void tri_line(tri_writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_str_printf(&w->out, "%*s%s\n", 4 * w->depth, "", text);
  free(text);
}

bool tri_refuse(tri_writer *w, const char *what, const char *name) {
  return as_err_set(w->err, AS_BAD_INPUT, "%s: `%s`: %s", w->program->name, name, what);
}

static int64_t block_length(int64_t bound) {
  int64_t length = 1;
  while (length < bound)
    length *= 2;
  return length;
}

void tri_add_axis(tri_writer *w, tri_axes *to, uint32_t var) {
  int64_t bound = WR_VAR(w->program, var)->high + 1;
  if (bound <= 1 || to->n == MOST_AXES)
    return;
  to->var[to->n] = var;
  to->length[to->n++] = block_length(bound);
}

static uint32_t axis_of(const tri_axes *over, uint32_t var) {
  uint32_t i = 0;
  while (i < over->n && over->var[i] != var)
    i++;
  return i < over->n ? i : AS_NONE;
}

/* `[:, None]`: the axes of a block, in order, among all; nothing where there is one axis in all */
static char *expanded(const tri_axes *over, uint32_t along) {
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < over->n && over->n > 1; i++)
    as_str_printf(&out, "%s%s", i ? ", " : "[", along >> i & 1 ? ":" : "None");
  if (over->n > 1)
    as_str_add(&out, "]");
  return as_str_take(&out);
}

static tri_value scalar(char *text) {
  return (tri_value){text, 0};
}

tri_value tri_nothing(void) {
  return scalar(as_strdup("0"));
}

/* ---- scalars as blocks */

static tri_value number(const wr_expr *expr, bool real) {
  char *text = wr_number_text(expr);
  bool plain = !real && expr->integer;
  bool dotted = strpbrk(text, ".en") != NULL;
  char *made = plain || dotted ? as_strdup(text) : as_format("%s.0", text);
  free(text);
  return scalar(made);
}

static tri_value variable(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool real) {
  const wr_var *var = WR_VAR(w->program, expr->id);
  uint32_t axis = axis_of(over, expr->id);
  const char *cast = real ? ".to(tl.float32)" : "";
  if (axis == AS_NONE && var->low == var->high)
    return scalar(as_format(real ? "%lld.0" : "%lld", (long long)var->low));
  if (axis == AS_NONE)
    return scalar(as_format("%s%s", var->name, cast));
  char *where = expanded(over, 1u << axis);
  char *text = as_format("tl.arange(0, %lld)%s%s", (long long)over->length[axis], where, cast);
  free(where);
  return (tri_value){text, 1u << axis};
}

/* `tl.permute(t, (1, 0))` where a tile's axes stand in another order than the value's */
static char *in_order(const char *name, const uint32_t *axis, uint32_t n) {
  uint32_t order[MOST_AXES];
  bool sorted = true;
  for (uint32_t i = 0; i < n; i++) {
    order[i] = i;
    sorted = sorted && (i == 0 || axis[i - 1] < axis[i]);
  }
  if (sorted)
    return as_strdup(name);
  for (uint32_t i = 1; i < n; i++) {
    for (uint32_t k = i; k > 0 && axis[order[k - 1]] > axis[order[k]]; k--) {
      uint32_t kept = order[k];
      order[k] = order[k - 1];
      order[k - 1] = kept;
    }
  }
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "tl.permute(%s, (", name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&out, "%s%u", i ? ", " : "", order[i]);
  as_str_add(&out, "))");
  return as_str_take(&out);
}

static bool is_half(const wr_tile *tile) {
  return tile->type == AS_TILE_F16 || tile->type == AS_TILE_BF16;
}

/* The block of a tile without the axis at `position` of `n`: its element at one place, the same for
 * all.  Takes the text. */
static char *chosen(char *block, uint32_t position, uint32_t n, int64_t length, const char *place) {
  tri_axes own = {.n = n};
  char *where = expanded(&own, 1u << position);
  char *made = as_format("tl.sum(tl.where(tl.arange(0, %lld)%s == %s, %s, 0), axis=%u)",
                         (long long)length, where, place, block, position);
  free(where);
  free(block);
  return made;
}

/* Takes away the axes whose index is the same for all elements.  `left`: the indices of the axes
 * that are left, *n of them. */
static char *without_places(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool cast,
                            uint32_t *left, uint32_t *n) {
  const wr_tile *tile = WR_TILE(w->program, expr->id);
  char *block = as_format("%s%s", tile->name, cast ? ".to(tl.float32)" : "");
  uint32_t all = 0;
  for (uint32_t i = 0; i < expr->n; i++)
    all += block_length(tile->bound[i]) > 1;
  *n = 0;
  for (uint32_t i = 0, at = 0; i < expr->n; i++) {
    int64_t length = block_length(tile->bound[i]);
    if (length == 1)
      continue;
    tri_value place = tri_evaluate(w, over, expr->kid[i], false);
    if (place.along)
      left[(*n)++] = i;
    else
      block = chosen(block, at, all--, length, place.text);
    at += place.along != 0;
    free(place.text);
  }
  return block;
}

/* native: as it is kept, half precision too */
static tri_value element(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool real,
                         bool native) {
  const wr_tile *tile = WR_TILE(w->program, expr->id);
  uint32_t left[AS_MAX_RANK];
  uint32_t axis[AS_MAX_RANK];
  uint32_t n;
  tri_value made = {NULL, 0};
  if (w->kernel[expr->id] != w->n_kernel) {
    tri_refuse(w, "it is computed in one kernel and used in another", tile->name);
    return tri_nothing();
  }
  bool cast = real && !native && (tile->integers || is_half(tile));
  char *block = without_places(w, over, expr, cast, left, &n);
  for (uint32_t i = 0; i < n; i++) {
    const wr_expr *index = expr->kid[left[i]];
    axis[i] = index->kind == AS_E_NAME ? axis_of(over, index->id) : AS_NONE;
    bool fits = axis[i] != AS_NONE && over->length[axis[i]] == block_length(tile->bound[left[i]]) &&
                !(made.along >> axis[i] & 1);
    if (!fits) {
      tri_refuse(w, "its elements are read at computed places, which Triton's blocks do not offer",
                 tile->name);
      free(block);
      return tri_nothing();
    }
    made.along |= 1u << axis[i];
  }
  char *ordered = in_order(block, axis, n);
  char *where = n ? expanded(over, made.along) : as_strdup("");
  made.text = as_format("%s%s", ordered, where);
  free(block);
  free(ordered);
  free(where);
  return made;
}

static bool is_condition(const wr_expr *expr) {
  return expr->kind == AS_E_REL || expr->kind == AS_E_AND || expr->kind == AS_E_OR ||
         expr->kind == AS_E_NOT;
}

/* integers round towards zero in Triton, and towards minus infinity here */
static char *divided(tri_writer *w, const wr_expr *expr, const char *a, const char *b) {
  int64_t low;
  int64_t high;
  bool exact = wr_range(w->program, expr->kid[0], &low, &high) && low >= 0;
  const char *word = wr_word_of(expr, WR_TRITON)->word;
  if (exact)
    return as_format("(%s %s %s)", a, word, b);
  char *rest = as_format("(((%s %% %s) + %s) %% %s)", a, b, b, b);
  char *made =
      expr->kind == AS_E_MOD ? as_strdup(rest) : as_format("((%s - %s) // %s)", a, rest, b);
  free(rest);
  return made;
}

static tri_value operation(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool real) {
  const wr_word *word = wr_word_of(expr, WR_TRITON);
  tri_value kid[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  tri_value made = {NULL, 0};
  if (!word || expr->n == 0 || expr->n > 3) {
    tri_refuse(w, "Triton has no such function", expr->function ? expr->function : "?");
    return tri_nothing();
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    kid[i] = tri_evaluate(w, over, expr->kid[i], real && !is_condition(expr->kid[i]));
    made.along |= kid[i].along;
  }
  if (expr->kind == AS_E_IDIV || expr->kind == AS_E_MOD)
    made.text = divided(w, expr, kid[0].text, kid[1].text);
  else if (word->form == WR_INFIX)
    made.text = as_format("(%s %s %s)", kid[0].text, word->word, kid[1].text);
  else if (word->form == WR_PREFIX)
    made.text = as_format("(%s%s)", word->word, kid[0].text);
  else
    made.text = as_format("%s(%s%s%s%s%s)", word->word, kid[0].text, kid[1].text ? ", " : "",
                          kid[1].text ? kid[1].text : "", kid[2].text ? ", " : "",
                          kid[2].text ? kid[2].text : "");
  for (uint32_t i = 0; i < 3; i++)
    free(kid[i].text);
  return made;
}

tri_value tri_evaluate(tri_writer *w, const tri_axes *over, const wr_expr *expr, bool real) {
  if (expr->kind == AS_E_NUM)
    return number(expr, real);
  if (expr->kind == AS_E_NAME)
    return variable(w, over, expr, real);
  if (expr->kind == AS_E_ACCESS)
    return element(w, over, expr, real, false);
  if (expr->kind == AS_E_REL) {
    bool reals = !expr->kid[0]->integer || !expr->kid[1]->integer;
    tri_value a = tri_evaluate(w, over, expr->kid[0], reals);
    tri_value b = tri_evaluate(w, over, expr->kid[1], reals);
    tri_value made = {as_format("(%s %s %s)", a.text, wr_relation_word(expr->rel), b.text),
                      a.along | b.along};
    free(a.text);
    free(b.text);
    return made;
  }
  if (is_condition(expr))
    return operation(w, over, expr, false);
  tri_value made = operation(w, over, expr, !expr->integer);
  if (real && expr->integer) {
    char *cast = as_format("%s.to(tl.float32)", made.text);
    free(made.text);
    made.text = cast;
  }
  return made;
}

/* ---- what lies beyond an extent */

tri_value tri_within(tri_writer *w, const tri_axes *over, uint32_t n, const uint32_t *var,
                     wr_expr *const *extent) {
  tri_value made = {NULL, 0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis = axis_of(over, var[i]);
    int64_t constant;
    bool known = wr_integer_value(extent[i], &constant);
    if (known && (axis == AS_NONE ? constant == 1 : constant == over->length[axis]))
      continue;
    tri_value count = tri_evaluate(w, over, extent[i], false);
    char *where = axis == AS_NONE ? NULL : expanded(over, 1u << axis);
    char *own = axis == AS_NONE ? as_format("(0 < %s)", count.text)
                                : as_format("(tl.arange(0, %lld)%s < %s)",
                                            (long long)over->length[axis], where, count.text);
    made.along |= count.along | (axis == AS_NONE ? 0 : 1u << axis);
    char *both = made.text ? as_format("%s & %s", made.text, own) : as_strdup(own);
    free(made.text);
    made.text = both;
    free(own);
    free(where);
    free(count.text);
  }
  return made;
}

/* ---- definitions */

char *tri_shape_text(const tri_axes *over, uint32_t n) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(");
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&out, "%s%lld", i ? ", " : "", (long long)over->length[i]);
  as_str_add(&out, n == 1 ? ",)" : ")");
  return as_str_take(&out);
}

/* with all axes, where some are missing; takes the text */
static char *whole(const tri_axes *over, tri_value of, bool integers) {
  uint32_t all = (1u << over->n) - 1;
  if (of.along == all)
    return of.text;
  char *shape = tri_shape_text(over, over->n);
  char *made = of.along ? as_format("tl.broadcast_to(%s, %s)", of.text, shape)
                        : as_format("tl.zeros(%s, tl.%s) + %s", shape,
                                    integers ? "int64" : "float32", of.text);
  free(shape);
  free(of.text);
  return made;
}

void tri_note_block(tri_writer *w, const tri_axes *over) {
  int64_t elements = 1;
  for (uint32_t i = 0; i < over->n; i++)
    elements *= over->length[i];
  w->largest = elements > w->largest ? elements : w->largest;
}

/* Is it a sum of products that a matrix product computes?  `side`: the two factors, the one with
 * the earlier lane first; `batch`: the axis that both have, or AS_NONE. */
typedef struct {
  const wr_expr *side[2];
  uint32_t own[2]; /* the axis of each alone */
  uint32_t batch;
} product;

static uint32_t axes_in(const tri_axes *over, const wr_expr *expr) {
  as_vec list;
  as_vec_init(&list, sizeof(uint32_t));
  wr_variables(expr, &list);
  uint32_t along = 0;
  for (size_t i = 0; i < list.n; i++) {
    uint32_t axis = axis_of(over, AS_VEC_AT(&list, uint32_t, i));
    along |= axis == AS_NONE ? 0 : 1u << axis;
  }
  as_vec_clear(&list);
  return along;
}

static bool single_axis(uint32_t along, uint32_t *axis) {
  if (along == 0 || (along & (along - 1)) != 0)
    return false;
  *axis = (uint32_t)__builtin_ctz(along);
  return true;
}

static bool is_product(const tri_axes *over, const wr_stmt *stmt, product *made) {
  const wr_expr *of = stmt->value;
  uint32_t counter = stmt->n_counter == 1 ? axis_of(over, stmt->counter[0]) : AS_NONE;
  if (stmt->fold != AS_E_SUM || counter == AS_NONE || of->kind != AS_E_MUL || of->integer ||
      over->length[counter] < LEAST_SUMMED_BY_DOT)
    return false;
  uint32_t left = axes_in(over, of->kid[0]);
  uint32_t right = axes_in(over, of->kid[1]);
  uint32_t bit = 1u << counter;
  uint32_t shared = left & right & ~bit;
  made->batch = AS_NONE;
  if (!(left & right & bit) || (shared && !single_axis(shared, &made->batch)) ||
      !single_axis(left & ~right, &made->own[0]) || !single_axis(right & ~left, &made->own[1]))
    return false;
  bool turned = made->own[0] > made->own[1];
  made->side[0] = of->kid[turned];
  made->side[1] = of->kid[!turned];
  if (turned) {
    uint32_t kept = made->own[0];
    made->own[0] = made->own[1];
    made->own[1] = kept;
  }
  /* the batch comes first in the result */
  return made->batch == AS_NONE || made->batch < made->own[0];
}

/* a factor over [batch, own, k] or [batch, k, own]; half: as it is kept */
static char *factor(tri_writer *w, const tri_axes *over, const wr_stmt *stmt, const product *of,
                    int which, bool half) {
  tri_axes own = {0};
  uint32_t k = stmt->counter[0];
  if (of->batch != AS_NONE)
    tri_add_axis(w, &own, over->var[of->batch]);
  if (which == 0)
    tri_add_axis(w, &own, over->var[of->own[0]]);
  tri_add_axis(w, &own, k);
  if (which == 1)
    tri_add_axis(w, &own, over->var[of->own[1]]);
  const wr_expr *expr = of->side[which];
  tri_value made = half ? element(w, &own, expr, true, true) : tri_evaluate(w, &own, expr, true);
  tri_value inside = tri_within(w, &own, 1, &k, stmt->count);
  if (inside.text) {
    char *masked = as_format("tl.where(%s, %s, 0.0)", inside.text, made.text);
    free(made.text);
    made.text = masked;
    made.along |= inside.along;
  }
  free(inside.text);
  return whole(&own, made, false);
}

static char *dot_text(tri_writer *w, const tri_axes *over, const wr_stmt *stmt, const product *of) {
  bool half = true;
  as_tile_type type[2];
  for (int i = 0; i < 2; i++) {
    const wr_expr *side = of->side[i];
    half = half && side->kind == AS_E_ACCESS && is_half(WR_TILE(w->program, side->id));
    type[i] = half ? WR_TILE(w->program, side->id)->type : AS_TILE_F32;
  }
  half = half && type[0] == type[1];
  char *a = factor(w, over, stmt, of, 0, half);
  char *b = factor(w, over, stmt, of, 1, half);
  /* numbers of 32 bits as three of tf32, which are exact enough for what exponentials are taken of
   */
  char *made = as_format("tl.dot(%s, %s%s)", a, b, half ? "" : ", input_precision=\"tf32x3\"");
  free(a);
  free(b);
  return made;
}

/* the reduced value; takes the text, which has all tri_axes */
static char *reduced(const tri_axes *over, const wr_stmt *stmt, uint32_t lanes, char *text) {
  const wr_fold_words *words = wr_fold_of(stmt->fold, WR_TRITON);
  for (uint32_t axis = over->n; axis-- > lanes;) {
    bool helper = stmt->fold == AS_E_PROD;
    char *made = helper ? as_format("tl.reduce(%s, %u, product_of)", text, axis)
                        : as_format("%s(%s, axis=%u)", words->reduce, text, axis);
    free(text);
    text = made;
  }
  return text;
}

void tri_define(tri_writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  tri_axes over = {0};
  product of;
  w->kernel[stmt->tile] = w->n_kernel;
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    tri_add_axis(w, &over, stmt->lane[i]);
  uint32_t lanes = over.n;
  for (uint32_t i = 0; i < stmt->n_counter; i++)
    tri_add_axis(w, &over, stmt->counter[i]);
  if (is_product(&over, stmt, &of)) {
    char *text = dot_text(w, &over, stmt, &of);
    tri_line(w, "%s = %s", tile->name, text);
    free(text);
    return;
  }
  tri_value made = tri_evaluate(w, &over, stmt->value, !tile->integers);
  tri_value inside = tri_within(w, &over, stmt->n_counter, stmt->counter, stmt->count);
  if (inside.text) {
    bool extreme = stmt->fold == AS_E_MAXR || stmt->fold == AS_E_MINR;
    if (tile->integers && extreme)
      tri_refuse(w, "a maximum of integers over a part of a block", tile->name);
    const char *start = wr_fold_of(stmt->fold, WR_TRITON)->start;
    char *masked = as_format("tl.where(%s, %s, %.*s)", inside.text, made.text,
                             tile->integers ? 1 : (int)strlen(start), start);
    free(made.text);
    made.text = masked;
    made.along |= inside.along;
  }
  free(inside.text);
  tri_note_block(w, &over);
  char *text = whole(&over, made, tile->integers);
  if (stmt->n_counter)
    text = reduced(&over, stmt, lanes, text);
  tri_line(w, "%s = %s", tile->name, text);
  free(text);
}

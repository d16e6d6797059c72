/* Definitions as Python with Triton.  A tile is a block of Triton with an axis for each of its axes
 * of more than one element, each as long as the next power of two; what lies beyond a tile's extent
 * is left out where it is reduced, loaded or stored.  A definition's value is computed over its
 * lanes and counters together, each an axis, and broadcasting does the rest. */
#include "flat.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "words.h"
#include "write.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 2 * AS_MAX_RANK, LEAST_SUMMED_BY_DOT = 16, MOST_IN_FOUR_WARPS = 4096 };

typedef struct {
  const wr_program *program;
  const as_tile_program *tile;
  as_str out;
  int depth;
  bool *touched;    /* by tensor: the kernel at hand does */
  bool *stored;     /* by tensor: it has stored to it */
  uint32_t *kernel; /* by tile: the kernel that computes it, from 1 */
  uint32_t n_kernel;
  int64_t largest; /* block of the kernel at hand */
  as_err *err;
} writer;

/* the axes that a value is computed over; those of one element are none */
typedef struct {
  uint32_t n;
  uint32_t var[MOST_AXES];
  int64_t length[MOST_AXES]; /* a power of two */
} axes;

/* a text, and the axes along which it has more than one element; none: a scalar */
typedef struct {
  char *text;
  uint32_t along; /* bits */
} value;

__attribute__((format(printf, 2, 3))) static void line(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_str_printf(&w->out, "%*s%s\n", 4 * w->depth, "", text);
  free(text);
}

static bool refuse(writer *w, const char *what, const char *name) {
  return as_err_set(w->err, AS_BAD_INPUT, "%s: `%s`: %s", w->program->name, name, what);
}

static int64_t block_length(int64_t bound) {
  int64_t length = 1;
  while (length < bound)
    length *= 2;
  return length;
}

static void add_axis(writer *w, axes *to, uint32_t var) {
  int64_t bound = WR_VAR(w->program, var)->high + 1;
  if (bound <= 1 || to->n == MOST_AXES)
    return;
  to->var[to->n] = var;
  to->length[to->n++] = block_length(bound);
}

static uint32_t axis_of(const axes *over, uint32_t var) {
  uint32_t i = 0;
  while (i < over->n && over->var[i] != var)
    i++;
  return i < over->n ? i : AS_NONE;
}

/* `[:, None]`: the axes of a block, in order, among all; nothing where there is one axis in all */
static char *expanded(const axes *over, uint32_t along) {
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < over->n && over->n > 1; i++)
    as_str_printf(&out, "%s%s", i ? ", " : "[", along >> i & 1 ? ":" : "None");
  if (over->n > 1)
    as_str_add(&out, "]");
  return as_str_take(&out);
}

static value scalar(char *text) {
  return (value){text, 0};
}

static value nothing(void) {
  return scalar(as_strdup("0"));
}

/* ---- scalars as blocks */

static value evaluate(writer *w, const axes *over, const wr_expr *expr, bool real);

static value number(const wr_expr *expr, bool real) {
  char *text = wr_number_text(expr);
  bool plain = !real && expr->integer;
  bool dotted = strpbrk(text, ".en") != NULL;
  char *made = plain || dotted ? as_strdup(text) : as_format("%s.0", text);
  free(text);
  return scalar(made);
}

static value variable(writer *w, const axes *over, const wr_expr *expr, bool real) {
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
  return (value){text, 1u << axis};
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
  axes own = {.n = n};
  char *where = expanded(&own, 1u << position);
  char *made = as_format("tl.sum(tl.where(tl.arange(0, %lld)%s == %s, %s, 0), axis=%u)",
                         (long long)length, where, place, block, position);
  free(where);
  free(block);
  return made;
}

/* Takes away the axes whose index is the same for all elements.  `left`: the indices of the axes
 * that are left, *n of them. */
static char *without_places(writer *w, const axes *over, const wr_expr *expr, bool cast,
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
    value place = evaluate(w, over, expr->kid[i], false);
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
static value element(writer *w, const axes *over, const wr_expr *expr, bool real, bool native) {
  const wr_tile *tile = WR_TILE(w->program, expr->id);
  uint32_t left[AS_MAX_RANK];
  uint32_t axis[AS_MAX_RANK];
  uint32_t n;
  value made = {NULL, 0};
  if (w->kernel[expr->id] != w->n_kernel) {
    refuse(w, "it is computed in one kernel and used in another", tile->name);
    return nothing();
  }
  bool cast = real && !native && (tile->integers || is_half(tile));
  char *block = without_places(w, over, expr, cast, left, &n);
  for (uint32_t i = 0; i < n; i++) {
    const wr_expr *index = expr->kid[left[i]];
    axis[i] = index->kind == AS_E_NAME ? axis_of(over, index->id) : AS_NONE;
    bool fits = axis[i] != AS_NONE && over->length[axis[i]] == block_length(tile->bound[left[i]]) &&
                !(made.along >> axis[i] & 1);
    if (!fits) {
      refuse(w, "its elements are read at computed places, which Triton's blocks do not offer",
             tile->name);
      free(block);
      return nothing();
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
static char *divided(writer *w, const wr_expr *expr, const char *a, const char *b) {
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

static value operation(writer *w, const axes *over, const wr_expr *expr, bool real) {
  const wr_word *word = wr_word_of(expr, WR_TRITON);
  value kid[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  value made = {NULL, 0};
  if (!word || expr->n == 0 || expr->n > 3) {
    refuse(w, "Triton has no such function", expr->function ? expr->function : "?");
    return nothing();
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    kid[i] = evaluate(w, over, expr->kid[i], real && !is_condition(expr->kid[i]));
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

/* real: as a number of floating point, whatever it is made of */
static value evaluate(writer *w, const axes *over, const wr_expr *expr, bool real) {
  if (expr->kind == AS_E_NUM)
    return number(expr, real);
  if (expr->kind == AS_E_NAME)
    return variable(w, over, expr, real);
  if (expr->kind == AS_E_ACCESS)
    return element(w, over, expr, real, false);
  if (expr->kind == AS_E_REL) {
    bool reals = !expr->kid[0]->integer || !expr->kid[1]->integer;
    value a = evaluate(w, over, expr->kid[0], reals);
    value b = evaluate(w, over, expr->kid[1], reals);
    value made = {as_format("(%s %s %s)", a.text, wr_relation_word(expr->rel), b.text),
                  a.along | b.along};
    free(a.text);
    free(b.text);
    return made;
  }
  if (is_condition(expr))
    return operation(w, over, expr, false);
  value made = operation(w, over, expr, !expr->integer);
  if (real && expr->integer) {
    char *cast = as_format("%s.to(tl.float32)", made.text);
    free(made.text);
    made.text = cast;
  }
  return made;
}

/* ---- what lies beyond an extent */

/* the condition that lanes or counters are within their extents, where a block is longer; text
 * NULL: they always are */
static value within(writer *w, const axes *over, uint32_t n, const uint32_t *var,
                    wr_expr *const *extent) {
  value made = {NULL, 0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis = axis_of(over, var[i]);
    int64_t constant;
    bool known = wr_integer_value(extent[i], &constant);
    if (known && (axis == AS_NONE ? constant == 1 : constant == over->length[axis]))
      continue;
    value count = evaluate(w, over, extent[i], false);
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

static char *shape_text(const axes *over, uint32_t n) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(");
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&out, "%s%lld", i ? ", " : "", (long long)over->length[i]);
  as_str_add(&out, n == 1 ? ",)" : ")");
  return as_str_take(&out);
}

/* with all axes, where some are missing; takes the text */
static char *whole(const axes *over, value of, bool integers) {
  uint32_t all = (1u << over->n) - 1;
  if (of.along == all)
    return of.text;
  char *shape = shape_text(over, over->n);
  char *made = of.along ? as_format("tl.broadcast_to(%s, %s)", of.text, shape)
                        : as_format("tl.zeros(%s, tl.%s) + %s", shape,
                                    integers ? "int64" : "float32", of.text);
  free(shape);
  free(of.text);
  return made;
}

static void note_block(writer *w, const axes *over) {
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

static uint32_t axes_in(const axes *over, const wr_expr *expr) {
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

static bool is_product(const axes *over, const wr_stmt *stmt, product *made) {
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
static char *factor(writer *w, const axes *over, const wr_stmt *stmt, const product *of, int which,
                    bool half) {
  axes own = {0};
  uint32_t k = stmt->counter[0];
  if (of->batch != AS_NONE)
    add_axis(w, &own, over->var[of->batch]);
  if (which == 0)
    add_axis(w, &own, over->var[of->own[0]]);
  add_axis(w, &own, k);
  if (which == 1)
    add_axis(w, &own, over->var[of->own[1]]);
  const wr_expr *expr = of->side[which];
  value made = half ? element(w, &own, expr, true, true) : evaluate(w, &own, expr, true);
  value inside = within(w, &own, 1, &k, stmt->count);
  if (inside.text) {
    char *masked = as_format("tl.where(%s, %s, 0.0)", inside.text, made.text);
    free(made.text);
    made.text = masked;
    made.along |= inside.along;
  }
  free(inside.text);
  return whole(&own, made, false);
}

static char *dot_text(writer *w, const axes *over, const wr_stmt *stmt, const product *of) {
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
  char *made = as_format("tl.dot(%s, %s)", a, b);
  free(a);
  free(b);
  return made;
}

/* the reduced value; takes the text, which has all axes */
static char *reduced(const axes *over, const wr_stmt *stmt, uint32_t lanes, char *text) {
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

static void write_define(writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  axes over = {0};
  product of;
  w->kernel[stmt->tile] = w->n_kernel;
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    add_axis(w, &over, stmt->lane[i]);
  uint32_t lanes = over.n;
  for (uint32_t i = 0; i < stmt->n_counter; i++)
    add_axis(w, &over, stmt->counter[i]);
  if (is_product(&over, stmt, &of)) {
    char *text = dot_text(w, &over, stmt, &of);
    line(w, "%s = %s", tile->name, text);
    free(text);
    return;
  }
  value made = evaluate(w, &over, stmt->value, !tile->integers);
  value inside = within(w, &over, stmt->n_counter, stmt->counter, stmt->count);
  if (inside.text) {
    bool extreme = stmt->fold == AS_E_MAXR || stmt->fold == AS_E_MINR;
    if (tile->integers && extreme)
      refuse(w, "a maximum of integers over a part of a block", tile->name);
    const char *start = wr_fold_of(stmt->fold, WR_TRITON)->start;
    char *masked = as_format("tl.where(%s, %s, %.*s)", inside.text, made.text,
                             tile->integers ? 1 : (int)strlen(start), start);
    free(made.text);
    made.text = masked;
    made.along |= inside.along;
  }
  free(inside.text);
  note_block(w, &over);
  char *text = whole(&over, made, tile->integers);
  if (stmt->n_counter)
    text = reduced(&over, stmt, lanes, text);
  line(w, "%s = %s", tile->name, text);
  free(text);
}

/* ---- loads and stores */

static axes lanes_of(writer *w, const wr_stmt *stmt) {
  axes over = {0};
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    add_axis(w, &over, stmt->lane[i]);
  note_block(w, &over);
  return over;
}

/* the number of an element in its tensor, row by row; a scratch tensor of each instance lies behind
 * those of the others */
static value offset(writer *w, const axes *over, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  value made = {NULL, 0};
  int64_t stride = 1;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    value place = evaluate(w, over, stmt->place[i], false);
    char *scaled = stride == 1 ? as_strdup(place.text)
                               : as_format("(%s) * %lld", place.text, (long long)stride);
    char *sum = made.text ? as_format("%s + %s", scaled, made.text) : as_strdup(scaled);
    made.along |= place.along;
    free(made.text);
    free(place.text);
    free(scaled);
    made.text = sum;
    if (__builtin_mul_overflow(stride, tensor->dim[i], &stride))
      stride = INT64_MAX;
  }
  if (stride > INT32_MAX)
    refuse(w, "more elements than Triton's 32-bit positions reach", tensor->name);
  if (!made.text)
    made.text = as_strdup("0");
  return made;
}

/* mask and lanes together; text NULL: every lane */
static value condition(writer *w, const axes *over, const wr_stmt *stmt) {
  value inside = within(w, over, stmt->n_lane, stmt->lane, stmt->extent);
  if (!stmt->mask)
    return inside;
  value mask = evaluate(w, over, stmt->mask, false);
  if (!inside.text)
    return mask;
  value both = {as_format("%s & %s", inside.text, mask.text), inside.along | mask.along};
  free(inside.text);
  free(mask.text);
  return both;
}

static void write_load(writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  axes over = lanes_of(w, stmt);
  value at = offset(w, &over, stmt);
  value where = condition(w, &over, stmt);
  value other = stmt->other ? evaluate(w, &over, stmt->other, !tile->integers) : nothing();
  if (w->stored[stmt->tensor])
    line(w, "tl.debug_barrier()");
  w->touched[stmt->tensor] = true;
  w->kernel[stmt->tile] = w->n_kernel;
  uint32_t all = (1u << over.n) - 1;
  char *shape = shape_text(&over, over.n);
  char *positions = at.along == all && all ? as_strdup(at.text)
                    : over.n               ? as_format("tl.broadcast_to(%s%s, %s)", at.text,
                                         at.along ? "" : " + tl.zeros((1,), tl.int32)", shape)
                                           : as_strdup(at.text);
  line(w, where.text ? "%s = tl.load(%s + %s, mask=%s, other=%s)" : "%s = tl.load(%s + %s)",
       tile->name, tensor->name, positions, where.text, other.text);
  free(shape);
  free(positions);
  free(at.text);
  free(where.text);
  free(other.text);
}

static void write_store(writer *w, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  axes over = lanes_of(w, stmt);
  value at = offset(w, &over, stmt);
  value where = condition(w, &over, stmt);
  value of = evaluate(w, &over, stmt->value, tensor->type != AS_TILE_INT);
  w->touched[stmt->tensor] = w->stored[stmt->tensor] = true;
  if (where.text)
    line(w, "tl.store(%s + %s, %s, mask=%s)", tensor->name, at.text, of.text, where.text);
  else
    line(w, "tl.store(%s + %s, %s)", tensor->name, at.text, of.text);
  free(at.text);
  free(where.text);
  free(of.text);
}

/* ---- loops */

static void write_stmts(writer *w, const as_vec *list);

static char *bound_text(writer *w, const wr_expr *expr) {
  axes none = {0};
  return evaluate(w, &none, expr, false).text;
}

static void write_next(writer *w, const wr_stmt *loop) {
  for (size_t i = 0; i < loop->carry.n; i++)
    line(w, "next_%zu = %s", i,
         WR_TILE(w->program, AS_VEC_AT(&loop->carry, wr_carry, i).next)->name);
  for (size_t i = 0; i < loop->carry.n; i++)
    line(w, "%s = next_%zu", WR_TILE(w->program, AS_VEC_AT(&loop->carry, wr_carry, i).tile)->name,
         i);
}

static void write_loop(writer *w, const wr_stmt *loop) {
  write_stmts(w, &loop->first);
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    const wr_tile *first = WR_TILE(w->program, carry->first);
    if (w->kernel[carry->first] != w->n_kernel)
      refuse(w, "it is computed in one kernel and used in another", first->name);
    w->kernel[carry->tile] = w->n_kernel;
    line(w, "%s = %s.to(tl.%s)", WR_TILE(w->program, carry->tile)->name, first->name,
         first->integers ? "int64" : "float32");
  }
  char *from = bound_text(w, loop->from);
  char *to = bound_text(w, loop->to);
  char *step = loop->step ? bound_text(w, loop->step) : as_strdup("1");
  line(w, "for %s in range(%s, %s, %s):", WR_VAR(w->program, loop->variable)->name, from, to, step);
  w->depth++;
  if (loop->body.n == 0)
    line(w, "pass");
  write_stmts(w, &loop->body);
  write_next(w, loop);
  w->depth--;
  free(from);
  free(to);
  free(step);
}

static void write_stmts(writer *w, const as_vec *list) {
  for (size_t i = 0; i < list->n && w->err->status == AS_OK; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    switch (stmt->kind) {
    case WR_DEFINE:
      write_define(w, stmt);
      break;
    case WR_LOAD:
      write_load(w, stmt);
      break;
    case WR_STORE:
      write_store(w, stmt);
      break;
    case WR_LOOP:
      write_loop(w, stmt);
      break;
    case WR_ALLOC:
      refuse(w, "a scratch tensor of each instance; Triton's kernels have none",
             WR_TENSOR(w->program, stmt->tensor)->name);
      break;
    }
  }
}

/* ---- kernels */

/* how one is launched */
typedef struct {
  char *name;
  char *grid;
  char *arguments;
  int warps;
} launch;

/* the parallel loops around everything else become the grid; what is in the innermost */
static const as_vec *write_grid(writer *w, const as_vec *body, as_str *grid) {
  int axis = 0;
  while (axis < 3 && body->n == 1 && WR_STMT(body, 0)->kind == WR_LOOP &&
         WR_STMT(body, 0)->parallel && WR_STMT(body, 0)->carry.n == 0) {
    const wr_stmt *loop = WR_STMT(body, 0);
    int64_t from;
    int64_t to;
    int64_t step = 1;
    bool fixed = wr_integer_value(loop->from, &from) && wr_integer_value(loop->to, &to) &&
                 (!loop->step || wr_integer_value(loop->step, &step));
    if (!fixed)
      break;
    int64_t count = to > from ? (to - from + step - 1) / step : 0;
    line(w, "%s = tl.program_id(%d) * %lld + %lld", WR_VAR(w->program, loop->variable)->name, axis,
         (long long)step, (long long)from);
    as_str_printf(grid, "%s%lld", axis ? ", " : "", (long long)count);
    body = &loop->body;
    axis++;
  }
  if (axis == 0)
    as_str_add(grid, "1");
  as_str_add(grid, axis < 2 ? "," : "");
  return body;
}

static void write_kernel(writer *w, const as_vec *body, launch *made) {
  size_t n = w->program->tensor.n;
  as_str kept = w->out;
  as_str grid;
  as_str arguments;
  as_str_init(&w->out);
  as_str_init(&grid);
  as_str_init(&arguments);
  memset(w->touched, 0, n * sizeof *w->touched);
  memset(w->stored, 0, n * sizeof *w->stored);
  w->largest = 0;
  w->n_kernel++;
  w->depth = 1;
  write_stmts(w, write_grid(w, body, &grid));
  w->depth = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (w->touched[i])
      as_str_printf(&arguments, "%s%s", arguments.n ? ", " : "", WR_TENSOR(w->program, i)->name);
  }
  *made = (launch){.name = as_format("%s_kernel_%u", w->program->name, w->n_kernel),
                   .grid = as_str_take(&grid),
                   .arguments = as_str_take(&arguments),
                   .warps = w->largest > MOST_IN_FOUR_WARPS ? 8 : 4};
  char *text = as_str_take(&w->out);
  w->out = kept;
  line(w, "\n\n@triton.jit\ndef %s(%s):", made->name, made->arguments);
  as_str_add(&w->out, text);
  free(text);
}

static const char *start_of(const wr_tensor *tensor) {
  return tensor->has_initial ? "full" : "empty";
}

static void write_tensor(writer *w, const wr_tensor *tensor, const char *device) {
  as_str shape;
  as_str_init(&shape);
  for (uint32_t i = 0; i < tensor->rank; i++)
    as_str_printf(&shape, "%lld, ", (long long)tensor->dim[i]);
  char *start = tensor->has_initial ? as_format("%.17g, ", tensor->initial) : as_strdup("");
  line(w, "%s = torch.%s((%s), %sdtype=torch.%s, device=%s)", tensor->name, start_of(tensor),
       shape.n ? shape.s : "", start, wr_type_word(tensor->type), device);
  free(start);
  as_str_clear(&shape);
}

static void write_launcher(writer *w, const launch *kernel, size_t n_kernel) {
  as_str inputs;
  as_str results;
  as_str_init(&inputs);
  as_str_init(&results);
  const char *device = NULL;
  for (uint32_t i = 0; i < w->program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(w->program, i);
    bool input = tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT;
    if (input)
      as_str_printf(&inputs, "%s%s", inputs.n ? ", " : "", tensor->name);
    if (input && !device)
      device = tensor->name;
    if (tensor->role == AS_TILE_OUTPUT || tensor->role == AS_TILE_INOUT)
      as_str_printf(&results, "%s%s", results.n ? ", " : "", tensor->name);
  }
  char *where = device ? as_format("%s.device", device) : as_strdup("\"cuda\"");
  line(w, "\n\ndef %s(%s):", w->program->name, inputs.n ? inputs.s : "");
  w->depth++;
  for (uint32_t i = 0; i < w->program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(w->program, i);
    bool input = tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT;
    if (!input && !w->tile->tensor[i].local)
      write_tensor(w, tensor, where);
  }
  for (size_t i = 0; i < n_kernel; i++)
    line(w, "%s[(%s)](%s, num_warps=%d)", kernel[i].name, kernel[i].grid, kernel[i].arguments,
         kernel[i].warps);
  line(w, "return %s", results.n ? results.s : "None");
  w->depth--;
  free(where);
  as_str_clear(&inputs);
  as_str_clear(&results);
}

/* a kernel for each statement outside of loops; what stands between loops is one kernel */
static void write_program(writer *w) {
  const as_vec *body = &w->program->body;
  launch *kernel = as_calloc(body->n + 1, sizeof *kernel);
  size_t n = 0;
  line(w, "# The tile program `%s` for Triton: what is written is certified, this text is not.",
       w->tile->name);
  line(w, "import torch\nimport triton\nimport triton.language as tl\n\n");
  line(w, "@triton.jit\ndef product_of(a, b):\n    return a * b");
  for (size_t i = 0; i < body->n && w->err->status == AS_OK;) {
    size_t end = i + 1;
    while (WR_STMT(body, i)->kind != WR_LOOP && end < body->n &&
           WR_STMT(body, end)->kind != WR_LOOP)
      end++;
    as_vec part = {.data = &WR_STMT(body, i), .n = end - i, .cap = end - i, .item = body->item};
    write_kernel(w, &part, &kernel[n++]);
    i = end;
  }
  write_launcher(w, kernel, n);
  for (size_t i = 0; i < n; i++) {
    free(kernel[i].name);
    free(kernel[i].grid);
    free(kernel[i].arguments);
  }
  free(kernel);
}

char *as_write_triton(const as_tile_program *tile, as_err *err) {
  wr_program *program = wr_flatten(tile, wr_taken(WR_TRITON), err);
  if (!program)
    return NULL;
  writer w = {.program = program, .tile = tile, .err = err};
  w.touched = as_calloc(program->tensor.n + 1, sizeof *w.touched);
  w.stored = as_calloc(program->tensor.n + 1, sizeof *w.stored);
  w.kernel = as_calloc(program->tile.n + 1, sizeof *w.kernel);
  as_str_init(&w.out);
  write_program(&w);
  free(w.touched);
  free(w.stored);
  free(w.kernel);
  wr_free(program);
  char *text = as_str_take(&w.out);
  if (err->status == AS_OK)
    return text;
  free(text);
  return NULL;
}

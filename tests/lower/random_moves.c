/* Programs of built-in operators.  Each tensor is written backwards from the shape that it is to
 * have: a slice with steps, a permutation, an axis written as two or two as one, a reversal, a
 * concatenation, padding, repetition, elements, down to inputs.  Products, convolutions and sums
 * read them, by themselves or in a block that loads their tiles. */
#include "convolutions.h"
#include "random_text.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 5, MOST_INPUTS = 6, MOST_ELEMENTS = 4096 };

typedef struct {
  unsigned rank;
  unsigned dim[MOST_RANK];
} shape;

typedef struct {
  as_rng *rng;
  random_text *text;
  const char *type;
  bool aligned; /* as thread graphs ask for it: parts begin and end at multiples of 8 */
  shape input[MOST_INPUTS];
  bool whole[MOST_INPUTS]; /* integers */
  unsigned n_input;
} writer;

static unsigned elements(const shape *of) {
  unsigned n = 1;
  for (unsigned i = 0; i < of->rank; i++)
    n *= of->dim[i];
  return n;
}

static shape without(const shape *of, unsigned axis) {
  shape left = *of;
  left.rank--;
  for (unsigned i = axis; i < left.rank; i++)
    left.dim[i] = of->dim[i + 1];
  return left;
}

static shape with(const shape *of, unsigned axis, unsigned extent) {
  shape more = *of;
  more.rank++;
  for (unsigned i = of->rank; i > axis; i--)
    more.dim[i] = of->dim[i - 1];
  more.dim[axis] = extent;
  return more;
}

static shape resized(const shape *of, unsigned axis, unsigned extent) {
  shape other = *of;
  other.dim[axis] = extent;
  return other;
}

static unsigned divisor(as_rng *rng, unsigned n) {
  unsigned found = 1;
  unsigned seen = 0;
  for (unsigned i = 1; i <= n; i++) {
    if (n % i == 0 && random_pick(rng, ++seen) == 0)
      found = i;
  }
  return found;
}

static char *input_of(writer *w, const shape *of) {
  unsigned which = w->n_input;
  for (unsigned i = 0; i < w->n_input; i++) {
    bool same = w->input[i].rank == of->rank &&
                !memcmp(w->input[i].dim, of->dim, of->rank * sizeof of->dim[0]);
    if (same && (which == w->n_input || random_chance(w->rng, 50)))
      which = i;
  }
  if (w->n_input < MOST_INPUTS && random_chance(w->rng, 60))
    which = w->n_input;
  if (which == MOST_INPUTS) /* a copy along axes of extent 1 */
    return NULL;
  if (which == w->n_input) {
    w->whole[w->n_input] = random_chance(w->rng, 6);
    w->input[w->n_input++] = *of;
  }
  return as_format("X%u", which);
}

static char *tensor(writer *w, const shape *of, unsigned depth);

/* `form` of a tensor of another shape, which stands for %s */
static char *moved(writer *w, const shape *from, unsigned depth, char *form) {
  w->text->has[RANDOM_MOVED] = true;
  char *inner = elements(from) <= MOST_ELEMENTS ? tensor(w, from, depth) : NULL;
  char *all = NULL;
  if (inner) {
    char *hole = strstr(form, "%s");
    all = as_format("%.*s%s%s", (int)(hole - form), form, inner, hole + 2);
  }
  free(inner);
  free(form);
  return all;
}

static char *sliced(writer *w, const shape *of, unsigned depth) {
  unsigned axis = random_pick(w->rng, of->rank);
  unsigned step = !w->aligned && random_chance(w->rng, 30) ? 2 + random_pick(w->rng, 2) : 1;
  unsigned start = w->aligned                  ? 8 * random_pick(w->rng, 4)
                   : random_chance(w->rng, 40) ? 4 * random_pick(w->rng, 5)
                                               : random_pick(w->rng, 6);
  unsigned stop = start + step * of->dim[axis];
  if (of->dim[axis])
    stop -= random_pick(w->rng, step);
  unsigned behind = w->aligned                  ? 8 * random_pick(w->rng, 3)
                    : random_chance(w->rng, 40) ? 4 * random_pick(w->rng, 3)
                                                : random_pick(w->rng, 3);
  shape from = resized(of, axis, stop + behind);
  return moved(
      w, &from, depth,
      as_format("slice(%%s, axis=%u, start=%u, stop=%u, step=%u)", axis, start, stop, step));
}

static char *swapped(writer *w, const shape *of, unsigned depth) {
  if (of->rank < 2)
    return tensor(w, of, depth);
  unsigned second = 1 + random_pick(w->rng, of->rank - 1);
  unsigned first = random_pick(w->rng, second);
  shape from = *of;
  from.dim[first] = of->dim[second];
  from.dim[second] = of->dim[first];
  return moved(w, &from, depth, as_format("swap_axes(%%s, first=%u, second=%u)", first, second));
}

static char *split(writer *w, const shape *of, unsigned depth) {
  if (of->rank < 2)
    return tensor(w, of, depth);
  unsigned axis = random_pick(w->rng, of->rank - 1);
  unsigned outer = of->dim[axis];
  unsigned inner = of->dim[axis + 1];
  shape from = without(of, axis);
  from.dim[axis] = outer * inner;
  return moved(w, &from, depth,
               as_format("split_axis(%%s, axis=%u, outer=%u, inner=%u)", axis, outer, inner));
}

static char *merged(writer *w, const shape *of, unsigned depth) {
  if (of->rank == MOST_RANK)
    return tensor(w, of, depth);
  unsigned axis = random_pick(w->rng, of->rank);
  unsigned inner = of->dim[axis] ? divisor(w->rng, of->dim[axis]) : 1;
  shape from = resized(of, axis, inner);
  from = with(&from, axis, of->dim[axis] / inner);
  return moved(w, &from, depth, as_format("merge_axes(%%s, axis=%u)", axis));
}

static char *squeezed(writer *w, const shape *of, unsigned depth) {
  if (of->rank == MOST_RANK)
    return tensor(w, of, depth);
  unsigned axis = random_pick(w->rng, of->rank + 1);
  shape from = with(of, axis, 1);
  return moved(w, &from, depth, as_format("squeeze(%%s, axis=%u)", axis));
}

static char *expanded(writer *w, const shape *of, unsigned depth) {
  for (unsigned axis = 0; axis < of->rank && of->rank > 1; axis++) {
    if (of->dim[axis] == 1) {
      shape from = without(of, axis);
      return moved(w, &from, depth, as_format("expand_dims(%%s, axis=%u)", axis));
    }
  }
  return squeezed(w, of, depth);
}

static char *repeated(writer *w, const shape *of, unsigned depth) {
  static const char *const name[] = {"repeat", "tile"};
  unsigned axis = random_pick(w->rng, of->rank);
  if (random_chance(w->rng, 40)) {
    shape from = resized(of, axis, 1);
    return moved(w, &from, depth,
                 as_format("broadcast(%%s, axis=%u, size=%u)", axis, of->dim[axis]));
  }
  unsigned times = of->dim[axis] ? divisor(w->rng, of->dim[axis]) : 1;
  shape from = resized(of, axis, of->dim[axis] / times);
  return moved(w, &from, depth,
               as_format("%s(%%s, axis=%u, times=%u)", name[random_pick(w->rng, 2)], axis, times));
}

static char *reversed(writer *w, const shape *of, unsigned depth) {
  return moved(w, of, depth, as_format("reverse(%%s, axis=%u)", random_pick(w->rng, of->rank)));
}

static char *padded(writer *w, const shape *of, unsigned depth) {
  unsigned axis = random_pick(w->rng, of->rank);
  unsigned extent = of->dim[axis] ? 1 + random_pick(w->rng, of->dim[axis]) : 0;
  unsigned low = random_pick(w->rng, of->dim[axis] - extent + 1);
  shape from = resized(of, axis, extent);
  return moved(
      w, &from, depth,
      as_format("pad(%%s, 0, axis=%u, low=%u, high=%u)", axis, low, of->dim[axis] - extent - low));
}

static char *two(char *left, char *right, const char *form) {
  char *both = left && right ? as_format(form, left, right) : NULL;
  free(left);
  free(right);
  return both;
}

static char *joined(writer *w, const shape *of, unsigned depth) {
  unsigned axis = random_pick(w->rng, of->rank);
  unsigned first = random_pick(w->rng, of->dim[axis] + 1);
  shape left = resized(of, axis, first);
  shape right = resized(of, axis, of->dim[axis] - first);
  char form[48];
  snprintf(form, sizeof form, "concat(%%s, %%s, axis=%u)", axis);
  w->text->has[RANDOM_MOVED] = true;
  return two(tensor(w, &left, depth), tensor(w, &right, depth), form);
}

static char *computed(writer *w, const shape *of, unsigned depth) {
  static const char *const one[] = {"(%s * 2)", "exp(0 - abs(%s))", "maximum(%s, 0)", "(%s - 1)"};
  static const char *const both[] = {"(%s + %s)", "(%s * %s)", "(%s - %s)", "maximum(%s, %s)"};
  if (random_chance(w->rng, 60))
    return moved(w, of, depth, as_strdup(one[random_pick(w->rng, 4)]));
  return two(tensor(w, of, depth), tensor(w, of, depth), both[random_pick(w->rng, 4)]);
}

/* a tensor of this shape; malloc'ed; NULL: it would take too many or too large inputs */
static char *tensor(writer *w, const shape *of, unsigned depth) {
  static char *(*const way[])(writer *, const shape *, unsigned) = {
      sliced, sliced, sliced, swapped, swapped, split, split, squeezed, expanded,
      /* what is more than a part */
      merged, repeated, padded, joined, computed, reversed};

  enum { PARTS = 9 };

  if (depth == 0 || random_chance(w->rng, 12))
    return input_of(w, of);
  unsigned n = w->aligned ? PARTS : sizeof way / sizeof *way;
  return way[random_pick(w->rng, n)](w, of, depth - 1);
}

static unsigned extent(as_rng *rng) {
  static const unsigned choice[] = {1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 16, 20, 32};
  return choice[random_pick(rng, sizeof choice / sizeof *choice)];
}

static char *any_tensor(writer *w, const shape *of) {
  return tensor(w, of, random_pick(w->rng, 5));
}

static void put_shape(as_str *out, const shape *of) {
  as_str_add(out, "[");
  for (unsigned i = 0; i < of->rank; i++)
    as_str_printf(out, "%s%u", i ? ", " : "", of->dim[i]);
  as_str_add(out, "]");
}

static void put_inputs(writer *w, as_str *out) {
  as_str_add(out, "program p\n");
  for (unsigned i = 0; i < w->n_input; i++) {
    as_str_printf(out, "input X%u: %s", i, w->whole[i] ? "int" : w->type);
    put_shape(out, &w->input[i]);
    as_str_add(out, "\n");
  }
}

static char *convolution(writer *w) {
  as_rng *rng = w->rng;
  unsigned groups = 1 + random_pick(rng, 3);
  unsigned taken = 1 + random_pick(rng, 4);
  unsigned out = groups * (1 + random_pick(rng, 9));
  unsigned kind = random_pick(rng, 4);
  unsigned n = 1 + random_pick(rng, 2);
  unsigned h = 3 + random_pick(rng, 8);
  unsigned wide = 3 + random_pick(rng, 8);
  unsigned k = 1 + random_pick(rng, 3);
  unsigned l = 1 + random_pick(rng, 4);
  shape x = {3, {n, taken, h}};
  shape f = {3, {taken, out, k}};
  char form[128];
  w->text->has[RANDOM_CONVOLUTION] = true;
  switch (kind) {
  case 0:
    x = (shape){4, {n, taken * groups, h, wide}};
    f = (shape){4, {out, taken, k, l}};
    snprintf(form, sizeof form,
             "conv2d(%%s, %%s, stride_h=%u, stride_w=%u, top=%u, left=%u, bottom=%u, right=%u)",
             1 + random_pick(rng, 3), 1 + random_pick(rng, 3), random_pick(rng, 3),
             random_pick(rng, 3), random_pick(rng, 3), random_pick(rng, 3));
    break;
  case 1:
    snprintf(form, sizeof form,
             "conv(%%s, %%s, low=%u, high=%u, base_dilation=%u, window_dilation=%u, stride=%u)",
             random_pick(rng, 4), random_pick(rng, 3), 1 + random_pick(rng, 3),
             1 + random_pick(rng, 2), 1 + random_pick(rng, 3));
    break;
  case 2:
    x.dim[1] = f.dim[0] = taken * groups;
    f.dim[1] = out / groups;
    snprintf(form, sizeof form, "up2(%%s, %%s, groups=%u)", groups);
    break;
  default:
    x = (shape){5, {n, taken, 1 + random_pick(rng, 3), 2 + random_pick(rng, 4), h}};
    f = (shape){5, {out, taken, 1 + random_pick(rng, 2), 1 + random_pick(rng, 2), k}};
    snprintf(form, sizeof form, "conv3(%%s, %%s)");
    break;
  }
  return two(any_tensor(w, &x), any_tensor(w, &f), form);
}

static char *product(writer *w) {
  shape left = {2, {extent(w->rng), extent(w->rng)}};
  shape right = {2, {left.dim[1], extent(w->rng)}};
  unsigned batch = 1 + random_pick(w->rng, 3);
  if (random_chance(w->rng, 40))
    left = with(&left, 0, batch);
  if (random_chance(w->rng, 30))
    right = with(&right, 0, batch);
  w->text->has[RANDOM_PRODUCT] = true;
  return two(any_tensor(w, &left), any_tensor(w, &right), "(%s @ %s)");
}

static char *folded(writer *w) {
  static const char *const form[] = {"sum(%s * %s, axis=0)", "sum(%s * %s, axis=-1)",
                                     "max(%s + %s, axis=0)", "(%s - %s)"};
  shape of = {1 + random_pick(w->rng, 4), {0}};
  for (unsigned i = 0; i < of.rank; i++)
    of.dim[i] = of.rank < 3 ? extent(w->rng) : 1 + random_pick(w->rng, 6);
  return two(any_tensor(w, &of), any_tensor(w, &of), form[random_pick(w->rng, 4)]);
}

/* by kernel-level operators alone */
static char *alone(writer *w) {
  static const char *const behind[] = {"%s", "%s * 2", "maximum(%s, 0) + 1"};
  static char *(*const what[])(writer *) = {product, product, convolution, folded};
  char *value = what[random_pick(w->rng, 4)](w);
  if (value == NULL)
    return NULL;
  as_str out;
  as_str_init(&out);
  put_inputs(w, &out);
  as_str_printf(&out, "O = ");
  as_str_printf(&out, behind[random_pick(w->rng, 3)], value);
  as_str_add(&out, "\noutput Z = O * 1\n");
  free(value);
  w->text->has[RANDOM_ALONE] = true;
  return as_str_take(&out);
}

typedef struct {
  unsigned count; /* of blocks or iterations */
  unsigned tile;
} divided;

static divided divide(as_rng *rng, unsigned of) {
  divided axis = {.tile = divisor(rng, of)};
  axis.count = of / axis.tile;
  return axis;
}

/* a statement that gives the tensor a name; an input has one */
static const char *kernel_level(as_str *mug, const char *name, const char *value) {
  if (strchr(value, '(') == NULL)
    return value;
  as_str_printf(mug, "%s = %s\n", name, value);
  return name;
}

static void free_all(char **text, int n) {
  for (int i = 0; i < n; i++)
    free(text[i]);
}

/* elements and sums of rows that one block loads whole */
static char *rows_in_a_block(writer *w) {
  static const char *const fold[] = {"sum", "max"};
  as_rng *rng = w->rng;
  shape of = {2 + random_pick(rng, 2), {extent(rng), extent(rng), 1 + random_pick(rng, 8)}};
  unsigned rows = random_pick(rng, of.rank); /* the axis that blocks divide */
  divided axis = divide(rng, of.dim[rows]);
  char *moved_one[2] = {any_tensor(w, &of), any_tensor(w, &of)};
  const char *what = fold[random_pick(rng, 2)];
  unsigned folded_axis = rows == of.rank - 1 ? 0 : of.rank - 1;
  as_str out;
  as_str mug;
  if (!moved_one[0] || !moved_one[1]) {
    free_all(moved_one, 2);
    return NULL;
  }
  as_str_init(&out);
  as_str_init(&mug);
  put_inputs(w, &out);
  as_str_printf(&out, "R = %s * abs(%s)\noutput Z = %s(R, axis=%u)\n", moved_one[0], moved_one[1],
                what, folded_axis);
  as_str_add(&mug, "mugraph q\n");
  const char *from[2];
  for (int i = 0; i < 2; i++)
    from[i] = kernel_level(&mug, i ? "b" : "a", moved_one[i]);
  shape tile = resized(&of, rows, axis.tile);
  as_str_printf(&mug, "kernel k\n  grid x = %u\n", axis.count);
  for (int i = 0; i < 2; i++) {
    as_str_printf(&mug, "  load t%d ", i);
    put_shape(&mug, &tile);
    as_str_printf(&mug, " = %s x -> %u\n", from[i], rows);
  }
  as_str_printf(&mug, "  u = abs(t1)\n  r = t0 * u\n  s = %s(r, axis=%u)\n  store Z ", what,
                folded_axis);
  shape result = without(&tile, folded_axis);
  put_shape(&mug, &result);
  as_str_printf(&mug, " = s x -> %u\nend\n", rows - (folded_axis < rows));
  free_all(moved_one, 2);
  w->text->mug = as_str_take(&mug);
  w->text->has[RANDOM_PARTS_LOADED] = w->text->has[RANDOM_ROWS] = true;
  return as_str_take(&out);
}

/* a form of both places with whole coefficients: mostly one of them */
static char *place_of(as_rng *rng, bool of_key) {
  bool plain = random_chance(rng, 60);
  unsigned times = plain ? 1 : random_pick(rng, 4);
  unsigned other = plain ? 0 : random_pick(rng, 3);
  unsigned more = random_chance(rng, 40) ? 0 : random_pick(rng, 20);
  return as_format("(%s * %u %c %s * %u %c %u)", of_key ? "Key" : "Row", times,
                   random_chance(rng, 50) ? '+' : '-', of_key ? "Row" : "Key", other,
                   random_chance(rng, 50) ? '+' : '-', more);
}

/* a condition on the places of a key and a row, as a truth value */
static char *mask_of(as_rng *rng, unsigned depth) {
  static const char *const relation[] = {"less", "less_equal", "greater", "greater_equal"};
  static const char *const joint[] = {"logical_and(%s, %s)", "logical_or(%s, %s)",
                                      "(logical_not(%s) * %s)"};
  if (depth > 0 && random_chance(rng, 40))
    return two(mask_of(rng, depth - 1), mask_of(rng, depth - 1), joint[random_pick(rng, 3)]);
  char form[32];
  snprintf(form, sizeof form, "%s(%%s, %%s)", relation[random_pick(rng, 4)]);
  return two(place_of(rng, true), place_of(rng, random_chance(rng, 10)), form);
}

/* How a score is masked, in the program and in the block: by a finite number, with weights of what
 * is masked left or put to zero, or by a bias. */
typedef enum { NO_MASK, FILLED, ZEROED, BIASED, N_MASKS } masking;

static void put_masks(as_str *out, unsigned rows, unsigned keys, const char *mask) {
  as_str_printf(out,
                "Ik = iota(size=%u)\nIr = iota(size=%u)\nKey = Ik[none, :]\nRow = Ir[:, none]\n"
                "Drop = %s\nKeep = logical_not(Drop)\n",
                keys, rows, mask);
}

/* attention whose query, keys and values are what was moved, and whose mask is made of places */
static char *attention_in_a_block(writer *w) {
  as_rng *rng = w->rng;
  static const char *const turn[] = {"q", "kt", "v"};
  static const unsigned side[] = {1, 5, 8, 16, 16, 32};
  unsigned width = 16 * (1 + random_pick(rng, 2));
  unsigned whole = 16 * (1 + random_pick(rng, 2));
  unsigned tile = w->aligned ? whole : random_chance(rng, 50) ? 16 : 1 + random_pick(rng, 20);
  unsigned rounds = 1 + random_pick(rng, 3);
  shape query = {2, {side[random_pick(rng, 6)], width}};
  shape keys = {2, {tile * rounds, width}};
  char *value[3] = {any_tensor(w, &query), any_tensor(w, &keys), any_tensor(w, &keys)};
  divided rows = divide(rng, query.dim[0]);
  as_str out;
  as_str mug;
  if (!value[0] || !value[1] || !value[2]) {
    free_all(value, 3);
    return NULL;
  }
  as_str_init(&out);
  as_str_init(&mug);
  put_inputs(w, &out);
  static const char *const masked[] = {"S * 1", "masked_fill(S, Drop, -64)",
                                       "masked_fill(S, Drop, -100)", "S - Keep * 1/2 + Drop"};
  static const char *const masked_tile[] = {"", "  s = masked_fill(s0, drop, -64)\n",
                                            "  s = masked_fill(s0, drop, -100)\n",
                                            "  s1 = keep * 1/2\n  s2 = s0 - s1\n  s = s2 + drop\n"};
  masking how = (masking)random_pick(rng, N_MASKS);
  char *mask = mask_of(rng, 2);
  bool wrong = random_chance(rng, 25); /* another mask in the block: nothing may be proved */
  if (how != NO_MASK)
    put_masks(&out, query.dim[0], keys.dim[0], mask);
  if (wrong) {
    free(mask);
    mask = mask_of(rng, 2);
  }
  as_str_printf(&out, "S = %s @ transpose(%s)\nT = %s\nE = exp(T - max(T)[:, none])%s\n", value[0],
                value[1], masked[how], how == ZEROED ? " * Keep" : "");
  as_str_printf(&out, "output Z = (E @ %s) / sum(E)[:, none]\n", value[2]);
  as_str_add(&mug, "mugraph q\n");
  if (how != NO_MASK)
    put_masks(&mug, query.dim[0], keys.dim[0], mask);
  free(mask);
  const char *from[3];
  for (int i = 0; i < 3; i++)
    from[i] = kernel_level(&mug, turn[i], value[i]);
  as_str_printf(&mug,
                "kernel k0\n  grid x = %u\n  loop l = %u\n  load a [%u, %u] = %s x -> 0\n"
                "  load b [%u, %u] = %s loop -> 0\n  load c [%u, %u] = %s loop -> 0\n",
                rows.count, rounds, rows.tile, width, from[0], tile, width, from[1], tile, width,
                from[2]);
  if (how == ZEROED || how == BIASED)
    as_str_printf(&mug, "  load keep [%u, %u] = Keep x -> 0 loop -> 1\n", rows.tile, tile);
  if (how != NO_MASK)
    as_str_printf(&mug, "  load drop [%u, %u] = Drop x -> 0 loop -> 1\n", rows.tile, tile);
  as_str_printf(&mug,
                "  d = transpose(b)\n  %s = matmul(a, d)\n%s  r = max(s)\n  acc h, m = max r\n",
                how == NO_MASK ? "s" : "s0", masked_tile[how]);
  as_str_printf(&mug,
                "  e0 = exp(s - m[:, none])\n%s  f = sum(%s)\n  acc g = sum f rescale m\n"
                "  o = matmul(%s, c)\n  acc p = sum o rescale m\n  z = p / g[:, none]\n"
                "  store Z [%u, %u] = z x -> 0\nend\n",
                how == ZEROED ? "  e = e0 * keep\n" : "", how == ZEROED ? "e" : "e0",
                how == ZEROED ? "e" : "e0", rows.tile, width);
  w->text->has[RANDOM_MASKS] |= how != NO_MASK;
  free_all(value, 3);
  w->text->mug = as_str_take(&mug);
  w->text->has[RANDOM_PARTS_LOADED] = w->text->has[RANDOM_SOFTMAX] = true;
  return as_str_take(&out);
}

/* a product whose block loads tiles of what was moved */
static char *product_in_a_block(writer *w) {
  as_rng *rng = w->rng;
  static const unsigned side[] = {1, 4, 8, 8, 16, 16, 32, 48};
  static const unsigned depths[] = {3, 8, 16, 16, 32, 32, 48, 64};
  shape left = {2, {side[random_pick(rng, 8)], depths[random_pick(rng, 8)]}};
  shape right = {2, {left.dim[1], side[random_pick(rng, 8)]}};
  divided m = divide(rng, left.dim[0]);
  divided n = divide(rng, right.dim[1]);
  divided k = divide(rng, left.dim[1]);
  bool turned = random_chance(rng, 30); /* rows of the second operand are columns */
  if (turned)
    right = (shape){2, {right.dim[1], right.dim[0]}};
  char *a = any_tensor(w, &left);
  char *b = any_tensor(w, &right);
  bool named = random_chance(rng, 20); /* a result that is read as well */
  if (!a || !b) {
    free(a);
    free(b);
    return NULL;
  }
  as_str out;
  as_str mug;
  as_str_init(&out);
  as_str_init(&mug);
  put_inputs(w, &out);
  as_str_printf(&out, named ? "output A = %s * 1\noutput Z = A @ " : "output Z = %s @ ", a);
  as_str_printf(&out, turned ? "transpose(%s)\n" : "%s\n", b);
  as_str_add(&mug, "mugraph q\n");
  const char *from_a = named ? "A" : kernel_level(&mug, "a", a);
  const char *from_b = kernel_level(&mug, "b", b);
  if (named)
    as_str_printf(&mug, "A = %s * 1\n", a);
  as_str_printf(&mug, "kernel k\n  grid x = %u, y = %u\n  loop l = %u\n", m.count, n.count,
                k.count);
  as_str_printf(&mug, "  load ta [%u, %u] = %s x -> 0 loop -> 1\n", m.tile, k.tile, from_a);
  as_str_printf(&mug, "  load tb [%u, %u] = %s y -> %d loop -> %d\n", turned ? n.tile : k.tile,
                turned ? k.tile : n.tile, from_b, !turned, turned);
  if (turned)
    as_str_add(&mug, "  tc = transpose(tb)\n");
  as_str_printf(&mug, "  p = matmul(ta, %s)\n  acc s = sum p\n", turned ? "tc" : "tb");
  as_str_printf(&mug, "  store Z [%u, %u] = s x -> 0 y -> 1\nend\n", m.tile, n.tile);
  free(a);
  free(b);
  w->text->mug = as_str_take(&mug);
  w->text->equivalent = false;
  w->text->has[RANDOM_PARTS_LOADED] = true;
  w->text->has[RANDOM_TWO_OUTPUTS] |= named;
  return as_str_take(&out);
}

void random_moves_new(as_rng *rng, random_text *text) {
  static const char *const type[] = {"f32", "f16", "bf16"};
  static const random_kind kind[] = {RANDOM_F32, RANDOM_F16, RANDOM_BF16};
  static char *(*const way[])(writer *) = {alone,
                                           alone,
                                           alone,
                                           alone,
                                           alone,
                                           product_in_a_block,
                                           product_in_a_block,
                                           rows_in_a_block,
                                           rows_in_a_block,
                                           attention_in_a_block,
                                           attention_in_a_block,
                                           attention_in_a_block};
  while (text->tp == NULL) {
    bool aligned = random_chance(rng, 40);
    unsigned which = aligned ? 1 + random_pick(rng, 2) : random_pick(rng, 3);
    *text = (random_text){.library = random_chance(rng, 50),
                          .general = !aligned && random_chance(rng, 30),
                          .scalar = !aligned && random_chance(rng, 30)};
    writer w = {.rng = rng, .text = text, .type = type[which], .aligned = aligned};
    text->has[kind[which]] = true;
    text->tp = way[random_pick(rng, sizeof way / sizeof *way)](&w);
    for (unsigned i = 0; i < w.n_input; i++)
      text->has[RANDOM_INTEGERS] |= w.whole[i];
  }
  text->sem = as_strdup(text->has[RANDOM_CONVOLUTION] ? own_operators : "");
}

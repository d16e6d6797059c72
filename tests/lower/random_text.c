#include "random_text.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VARS 8
#define MAX_GUARDS 6

/* an index variable, bounded by the size symbol of that name */
typedef struct {
  char name;
  char bound;
} index_var;

/* one operator while it is written */
typedef struct {
  as_rng *rng;
  index_var var[MAX_VARS];
  int n_var;
  int next_name;         /* of the variables of reductions */
  const char *tensor[3]; /* size symbols of the axes of the arguments a, b, c */
  int n_tensor;
  bool large;              /* there is an attribute w, a size near 2^31 */
  char data;               /* the size symbol of the axis of the integers d; 0: there are none */
  int depth;               /* of reductions */
  int under;               /* of `if`s */
  bool *has;               /* of the text: which kinds occur */
  char *guard[MAX_GUARDS]; /* what must hold where the text written so far is evaluated */
  int n_guard;
} op_writer;

/* gives a + b, freeing both: texts are put together from right to left */
static char *joined(char *a, char *b) {
  char *both = as_format("%s%s", a, b);
  free(a);
  free(b);
  return both;
}

static bool mentions(const char *text, char name) {
  for (const char *at = text; (at = strchr(at, name)); at++) {
    bool word_before = at > text && ((at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z');
    bool word_after = (at[1] | 32) >= 'a' && (at[1] | 32) <= 'z';
    if (!word_before && !word_after)
      return true;
  }
  return false;
}

/* an integer of the variables in scope, which may be anything */
static char *integer(op_writer *op) {
  as_rng *rng = op->rng;
  if (op->n_var == 0)
    return as_format("%d", (int)random_pick(rng, 5) - 1);
  char v = op->var[random_pick(rng, (unsigned)op->n_var)].name;
  char w = op->var[random_pick(rng, (unsigned)op->n_var)].name;
  for (int i = 0; i < op->n_var && op->data; i++) {
    if (op->var[i].bound != op->data || random_chance(rng, 60))
      continue;
    op->has[RANDOM_INTEGERS] = true;
    static const char *const form[] = {"d[%c] + %u", "d[%c] * 2 - %u", "d[%c] mod 5 + %u",
                                       "d[%c] div 3 - %u"};
    return as_format(form[random_pick(rng, 4)], op->var[i].name, random_pick(rng, 4));
  }
  unsigned form = random_pick(rng, op->large ? 12 : 8);
  op->has[RANDOM_OFFSET] |= form <= 2;
  op->has[RANDOM_DIV] |= form == 3 || form == 5 || form == 8 || form == 10;
  op->has[RANDOM_MOD] |= form == 4 || form == 7 || form == 9;
  op->has[RANDOM_WIDE] |= form == 5 || form >= 7;
  op->has[RANDOM_LARGE_SIZE] |= form >= 8;
  switch (form) {
  case 0:
    return as_format("%c + %u", v, 1 + random_pick(rng, 3));
  case 1:
    return as_format("%c - %u", v, 1 + random_pick(rng, 3));
  case 2:
    return as_format("%u * %c - %c + %u", 1 + random_pick(rng, 3), v, w, random_pick(rng, 4));
  case 3:
    return as_format("%c div %u + %u", v, 1 + random_pick(rng, 4), random_pick(rng, 2));
  case 4:
    return as_format("(%c + %u) mod %u", v, random_pick(rng, 7), 1 + random_pick(rng, 5));
  case 5: /* beyond 32 bits, and back */
    return as_format("(%c * 3000000001 + %u) div 3000000001 - %u", v, random_pick(rng, 9),
                     random_pick(rng, 2));
  case 6:
    return as_format("max(%c - %u, 0) + min(%c, %u)", v, random_pick(rng, 4), w,
                     random_pick(rng, 4));
  case 7:
    return as_format("(%c * 2147483647 - 5 * %c) mod %u - 1", v, w, 1 + random_pick(rng, 9));
  case 8: /* the same with a size that no 32 bits hold, or just so */
    return as_format("(%c * w + w - %u) div w", v, 1 + random_pick(rng, 5));
  case 9:
    return as_format("(%c * w - %u * %c) mod %u", v, 1 + random_pick(rng, 3), w,
                     1 + random_pick(rng, 9));
  case 10:
    return as_format("(w + %c) div (w - %u) + %c - 1", v, random_pick(rng, 3), w);
  default:
    return as_format("min(w - 2147483640, %c) + max(%c - w, %u)", v, w, random_pick(rng, 3));
  }
}

static char *in_range(as_rng *rng, const char *index, char extent) {
  switch (random_pick(rng, 4)) {
  case 0:
    return as_format("0 <= %s and %s < %c", index, index, extent);
  case 1:
    return as_format("%s >= 0 and %c > %s", index, extent, index);
  case 2:
    return as_format("not (%s < 0 or %s >= %c)", index, index, extent);
  default:
    return as_format("not %s <= -1 and %s + 1 <= %c", index, index, extent);
  }
}

static void demand(op_writer *op, char *guard) {
  for (int i = 0; i < op->n_guard; i++) {
    if (!strcmp(op->guard[i], guard)) {
      free(guard);
      return;
    }
  }
  op->guard[op->n_guard++] = guard;
}

/* one index of an access to an axis of this extent */
static char *access_index(op_writer *op, char extent) {
  as_rng *rng = op->rng;
  int fitting[MAX_VARS];
  unsigned n = 0;
  for (int i = 0; i < op->n_var; i++) {
    if (op->var[i].bound == extent)
      fitting[n++] = i;
  }
  bool room = op->n_guard < MAX_GUARDS;
  if (n > 0 && (random_chance(rng, 60) || !room)) {
    char v = op->var[fitting[random_pick(rng, n)]].name;
    return random_chance(rng, 85) ? as_format("%c", v)
                                  : as_format("%c div %u", v, 1 + random_pick(rng, 3));
  }
  if (!room)
    return NULL;
  char *index = integer(op);
  op->has[RANDOM_PLACES] |= index[0] == 'd' && index[1] == '[';
  if (random_chance(rng, 35)) {
    demand(op, as_format("0 < %c", extent));
    char *wrapped = as_format("(%s) mod %c", index, extent);
    free(index);
    return wrapped;
  }
  char *bracketed = as_format("(%s)", index);
  free(index);
  demand(op, in_range(rng, bracketed, extent));
  return bracketed;
}

static char *read_tensor(op_writer *op) {
  unsigned which = random_pick(op->rng, (unsigned)op->n_tensor);
  char *text = as_format("%c[", 'a' + (char)which);
  for (const char *extent = op->tensor[which]; *extent; extent++) {
    char *index = access_index(op, *extent);
    if (!index) {
      free(text);
      return as_strdup("1");
    }
    if (extent != op->tensor[which])
      text = joined(text, as_strdup(", "));
    text = joined(text, index);
  }
  return joined(text, as_strdup("]"));
}

static char *scalar(op_writer *op, int depth);

/* `text` where the guards from `first` on hold (those that speak of `about` only, unless 0) */
static char *guarded(op_writer *op, int first, char about, char *text) {
  for (int i = op->n_guard; i-- > first;) {
    if (about && !mentions(op->guard[i], about) && random_chance(op->rng, 60))
      continue;
    op->has[RANDOM_IF] = true;
    char *choice =
        as_format("if(%s, %s, %s)", op->guard[i], text, random_chance(op->rng, 50) ? "0" : "1/2");
    free(text);
    free(op->guard[i]);
    memmove(&op->guard[i], &op->guard[i + 1], (size_t)(op->n_guard - i - 1) * sizeof op->guard[0]);
    op->n_guard--;
    text = choice;
  }
  return text;
}

/* a reduction over a size of the operator; guards that do not speak of its variable may stay, and
 * then come to stand around it */
static char *reduction(op_writer *op, int depth) {
  static const char *const kind[] = {"sum", "sum", "max", "min", "prod"};
  as_rng *rng = op->rng;
  if (op->n_var == MAX_VARS || depth < 1)
    return read_tensor(op);
  unsigned tensor = random_pick(rng, (unsigned)op->n_tensor);
  unsigned axes = (unsigned)strlen(op->tensor[tensor]);
  char bound = op->tensor[tensor][random_pick(rng, axes)];
  char name = (char)('p' + op->next_name++ % 6);
  for (int i = 0; i < op->n_var; i++) {
    if (op->var[i].name == name)
      return read_tensor(op);
  }
  const char *what = kind[random_pick(rng, 5)];
  op->has[!strcmp(what, "sum")    ? RANDOM_SUM
          : !strcmp(what, "prod") ? RANDOM_PROD
                                  : RANDOM_EXTREMUM] = true;
  op->has[RANDOM_NESTED] |= op->depth > 0;
  op->has[RANDOM_UNDER_IF] |= op->under > 0;
  op->depth++;
  int first = op->n_guard;
  op->var[op->n_var++] = (index_var){name, bound};
  char *term = scalar(op, depth - 1);
  if (!strcmp(what, "prod")) {
    char *small = as_format("(1 - min(abs(%s), 1) / 4)", term);
    free(term);
    term = small;
  }
  term = guarded(op, first, name, term);
  op->n_var--;
  op->depth--;
  /* a guard from before may speak of a variable of the same name: names are used once at a time */
  char *fold = op->n_var > 0 && random_chance(rng, 25)
                   ? as_format("(%s(%c < min(%c + 1, %c)) %s)", what, name,
                               op->var[random_pick(rng, (unsigned)op->n_var)].name, bound, term)
                   : as_format("(%s(%c < %c) %s)", what, name, bound, term);
  op->has[RANDOM_SCAN] |= strchr(fold, '+') && !strncmp(strchr(fold, '<') + 2, "min", 3);
  free(term);
  return fold;
}

static char *relation(op_writer *op, int depth) {
  static const char *const sign[] = {"<", "<=", ">", ">=", "=", "!="};
  as_rng *rng = op->rng;
  if (random_chance(rng, 35)) {
    char *left = depth > 0 && random_chance(rng, 30) ? reduction(op, depth - 1) : read_tensor(op);
    char *text = as_format("%s %s 1/3", left, sign[random_pick(rng, 4)]);
    free(left);
    return text;
  }
  char *left = integer(op);
  char *right = integer(op);
  const char *over = random_chance(rng, 20) ? " / 3" : "";
  char *text = as_format("(%s)%s %s %s", left, over, sign[random_pick(rng, 6)], right);
  free(left);
  free(right);
  return text;
}

static char *condition(op_writer *op, int depth) {
  char *text = relation(op, depth);
  if (random_chance(op->rng, 30)) {
    char *other = relation(op, depth);
    op->has[RANDOM_AND_OR_NOT] = true;
    char *both = as_format("%s %s %s", text, random_chance(op->rng, 50) ? "and" : "or", other);
    free(text);
    free(other);
    text = both;
  }
  return text;
}

static char *choice(op_writer *op, int depth) {
  op->has[RANDOM_IF] = true;
  char *test = condition(op, depth - 1);
  op->under++;
  char *yes = scalar(op, depth - 1);
  char *no = scalar(op, depth - 1);
  op->under--;
  char *text = as_format("if(%s, %s, %s)", test, yes, no);
  free(test);
  free(yes);
  free(no);
  return text;
}

static char *binary(op_writer *op, int depth) {
  static const char *const form[] = {"(%s + %s)",      "(%s - %s)",   "(%s * %s)",
                                     "max(%s, %s)",    "min(%s, %s)", "(%s / (1 + abs(%s)))",
                                     "(%s * 1/2 + %s)"};
  char *left = scalar(op, depth - 1);
  char *right = scalar(op, depth - 1);
  unsigned which = random_pick(op->rng, sizeof form / sizeof *form);
  as_str out;
  as_str_init(&out);
  const char *at = form[which];
  for (int i = 0; *at; at++) {
    if (at[0] == '%' && at[1] == 's') {
      as_str_add(&out, i++ ? right : left);
      at++;
    } else {
      as_str_addn(&out, at, 1);
    }
  }
  free(left);
  free(right);
  return as_str_take(&out);
}

static char *scalar(op_writer *op, int depth) {
  as_rng *rng = op->rng;
  if (depth <= 0 || random_chance(rng, 20)) {
    if (random_chance(rng, 80))
      return read_tensor(op);
    if (random_chance(rng, 50) && op->n_var > 0)
      return as_format("%c", op->var[random_pick(rng, (unsigned)op->n_var)].name);
    return as_format(random_chance(rng, 50) ? "%u" : "%u/4", 1 + random_pick(rng, 5));
  }
  switch (random_pick(rng, 10)) {
  case 0:
  case 1:
  case 2:
    return reduction(op, depth);
  case 3:
  case 4:
    return choice(op, depth);
  case 5: {
    op->has[RANDOM_EXP_SQRT] = true;
    char *inner = scalar(op, depth - 1);
    char *text = as_format(random_chance(rng, 50) ? "exp(-abs(%s))" : "sqrt(1 + abs(%s))", inner);
    free(inner);
    return text;
  }
  default:
    return binary(op, depth);
  }
}

/* arguments and result of an operator by the size symbols of their axes */
typedef struct {
  const char *arg[3];
  int n;
  const char *out;
} op_shape;

static const op_shape shapes[] = {
    {{"nm"}, 1, "nm"},       {{"nm", "m"}, 2, "nm"},
    {{"nm"}, 1, "n"},        {{"nm", "n"}, 2, "mn"},
    {{"nm", "m"}, 2, "m"},   {{"nm", "mk"}, 2, "nk"},
    {{"n", "m"}, 2, "nm"},   {{"n"}, 1, "n"},
    {{"nm", "nm"}, 2, "nm"}, {{"nm", "mk", "n"}, 3, "kn"},
};

static void put_extents(as_str *out, const char *extents) {
  as_str_add(out, "[");
  for (const char *at = extents; *at; at++)
    as_str_printf(out, "%s%c", at == extents ? "" : ", ", *at);
  as_str_add(out, "]");
}

/* the body: random, or a product that tensor cores may take with random factors */
static char *op_body(op_writer *op, const op_shape *shape) {
  as_rng *rng = op->rng;
  if (shape->n >= 2 && !strcmp(shape->arg[1], "mk") && random_chance(rng, 50)) {
    const char *out = !strcmp(shape->out, "nk") ? "a[i, p] * b[p, j]" : "b[p, i] * a[j, p]";
    const char *more[] = {"", " * 2", " * (p + 1) / 8", " * a[0 * p, p]"};
    unsigned which = random_pick(rng, 3);
    return as_format("(sum(p < m) %s%s)", out, more[which]);
  }
  return guarded(op, 0, 0, scalar(op, 3));
}

/* large: it has an attribute w; data: and integers d along that axis, unless 0 */
static void put_operator(as_rng *rng, as_str *sem, const char *name, const op_shape *shape,
                         bool large, char data, bool *has) {
  op_writer op = {.rng = rng, .n_tensor = shape->n, .large = large, .data = data, .has = has};
  as_str_printf(sem, "op %s(", name);
  for (int i = 0; i < shape->n; i++) {
    op.tensor[i] = shape->arg[i];
    as_str_printf(sem, "%s%c", i ? ", " : "", 'a' + i);
    put_extents(sem, shape->arg[i]);
  }
  if (data)
    as_str_printf(sem, ", d[%c]", data);
  as_str_add(sem, large ? "; w) -> " : ") -> ");
  put_extents(sem, shape->out);
  as_str_add(sem, "\n  out[");
  for (int i = 0; shape->out[i]; i++) {
    op.var[op.n_var++] = (index_var){(char)('i' + i), shape->out[i]};
    as_str_printf(sem, "%s%c", i ? ", " : "", 'i' + i);
  }
  char *body = op_body(&op, shape);
  as_str_printf(sem, "] = %s\n", body);
  free(body);
}

static unsigned extent(as_rng *rng) {
  static const unsigned choice[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 17, 24, 33};
  return choice[random_pick(rng, sizeof choice / sizeof *choice)];
}

static const char *type_name(as_rng *rng, bool *has) {
  static const char *const name[] = {"f32", "f16", "bf16"};
  static const random_kind kind[] = {RANDOM_F32, RANDOM_F16, RANDOM_BF16};
  unsigned which = random_pick(rng, 3);
  has[kind[which]] = true;
  return name[which];
}

static void put_size(as_str *out, const char *name, unsigned value, bool *has) {
  has[RANDOM_EXTENT_0] |= value == 0;
  has[RANDOM_EXTENT_1] |= value == 1;
  as_str_printf(out, "%s%s = %u", name, value ? "" : " >= 0", value);
}

static void put_upper(as_str *out, const char *extents) {
  as_str_add(out, "[");
  for (const char *at = extents; *at; at++)
    as_str_printf(out, "%s%c", at == extents ? "" : ", ", *at - 32);
  as_str_add(out, "]");
}

/* operators of their own, at kernel level or in one block that has their tensors whole */
static void own_operators(as_rng *rng, random_text *text) {
  as_str sem;
  as_str out;
  as_str mug;
  as_str_init(&sem);
  as_str_init(&out);
  as_str_init(&mug);
  const op_shape *shape = &shapes[random_pick(rng, sizeof shapes / sizeof *shapes)];
  bool twice = !strcmp(shape->out, "nm");
  bool large = random_chance(rng, 30);
  char data = random_chance(rng, 25) ? shape->arg[0][0] : 0;
  put_operator(rng, &sem, "first", shape, large, data, text->has);
  static const op_shape second = {{"nm"}, 1, "n"};
  if (twice)
    put_operator(rng, &sem, "second", &second, false, 0, text->has);
  text->has[RANDOM_TWO_OUTPUTS] |= twice;
  as_str_add(&out, "program p\nsizes ");
  if (large)
    as_str_printf(&out, "W >= 2147483641 = %u, ", 2147483643 + random_pick(rng, 9));
  for (const char *name = "NMK"; *name; name++) {
    bool used = false;
    for (int i = 0; i < shape->n; i++)
      used |= strchr(shape->arg[i], *name + 32) != NULL;
    bool unused_has[N_RANDOM_KINDS] = {false};
    char letter[2] = {*name, 0};
    put_size(&out, letter, extent(rng), used ? text->has : unused_has);
    as_str_add(&out, name[1] ? ", " : "\n");
  }
  const char *type = type_name(rng, text->has);
  as_str_add(&mug, "mugraph q\nkernel k\n");
  as_str call;
  as_str_init(&call);
  as_str block_call;
  as_str_init(&block_call);
  for (int i = 0; i < shape->n; i++) {
    as_str_printf(&out, "input %c: %s", 'A' + i, type);
    put_upper(&out, shape->arg[i]);
    as_str_add(&out, "\n");
    as_str_printf(&mug, "  load t%c ", 'a' + i);
    put_upper(&mug, shape->arg[i]);
    as_str_printf(&mug, " = %c\n", 'A' + i);
    as_str_printf(&call, "%s%c", i ? ", " : "", 'A' + i);
    as_str_printf(&block_call, "%st%c", i ? ", " : "", 'a' + i);
  }
  if (data) {
    as_str_printf(&out, "input D: int[%c]\n", data - 32);
    as_str_add(&call, ", D");
  }
  const char *more = large ? ", w=W" : "";
  as_str_printf(&out, "output Z = first(%s%s)\n", call.s, more);
  as_str_printf(&mug, "  z = first(%s%s)\n", block_call.s, more);
  if (twice) {
    as_str_add(&out, "output R = second(Z)\n");
    as_str_add(&mug, "  r = second(z)\n");
  }
  as_str_add(&mug, "  store Z ");
  put_upper(&mug, shape->out);
  as_str_add(&mug, " = z\n");
  if (twice)
    as_str_add(&mug, "  store R [N] = r\n");
  as_str_add(&mug, "end\n");
  as_str_clear(&call);
  as_str_clear(&block_call);
  text->sem = as_str_take(&sem);
  text->tp = as_str_take(&out);
  text->mug = as_str_take(&mug);
  if (data || random_chance(rng, 50)) { /* no block holds integers */
    free(text->mug);
    text->mug = NULL;
  }
  text->has[text->mug ? RANDOM_WHOLE_BLOCK : RANDOM_ALONE] = true;
}

/* an elementwise text of tiles x and y, in operators that the program and its tiles share */
static char *elementwise(as_rng *rng) {
  static const char *const form[] = {
      "%s * %s",         "%s + %s * 2",        "exp(0 - abs(%s)) + %s",
      "maximum(%s, %s)", "%s / (abs(%s) + 1)", "%s * 3 - %s"};
  return as_strdup(form[random_pick(rng, sizeof form / sizeof *form)]);
}

static char *applied(const char *form, const char *left, const char *right) {
  as_str out;
  as_str_init(&out);
  for (int i = 0; *form; form++) {
    if (form[0] == '%' && form[1] == 's') {
      as_str_add(&out, i++ ? right : left);
      form++;
    } else {
      as_str_addn(&out, form, 1);
    }
  }
  return as_str_take(&out);
}

/* An axis in tiles, which make up its extent or are cut off at it. */
typedef struct {
  unsigned extent;
  char relation[64]; /* in `where` */
  char tile[24];     /* in a load or store */
} tiled_axis;

/* the axis `whole` in so many tiles of the extent named `tile`; of cut off ones the last has a part
 */
static tiled_axis axis_in_tiles(as_rng *rng, random_text *text, const char *const name[3],
                                unsigned count, unsigned tile, bool cut) {
  const char *whole = name[0];
  tiled_axis axis = {.extent = count * tile};
  if (cut && count > 0)
    axis.extent -= random_pick(rng, tile);
  text->has[RANDOM_CUT] |= axis.extent < count * tile;
  if (cut)
    snprintf(axis.relation, sizeof axis.relation, "%s = (%s + %s - 1) div %s", name[1], whole,
             name[2], name[2]);
  else
    snprintf(axis.relation, sizeof axis.relation, "%s = %s * %s", whole, name[1], name[2]);
  snprintf(axis.tile, sizeof axis.tile, cut ? "%s upto %s" : "%s", name[2], whole);
  return axis;
}

/* rows over the grid, the reduced axis over the loop: elements, sums, maxima, a concatenation */
static void tiled_rows(as_rng *rng, random_text *text) {
  unsigned blocks = 1 + random_pick(rng, 3);
  unsigned rows = 1 + random_pick(rng, 5);
  unsigned rounds = random_chance(rng, 10) ? 0 : 1 + random_pick(rng, 4);
  unsigned columns = 1 + random_pick(rng, 9);
  char *form = elementwise(rng);
  char *whole = applied(form, "X", "Y");
  char *tile = applied(form, "x", "y");
  bool max = rounds > 0 && random_chance(rng, 50);
  bool concat = rounds > 0 && random_chance(rng, 40);
  const char *const n_names[] = {"N", "G", "T"};
  const char *const m_names[] = {"M", "L", "U"};
  tiled_axis n = axis_in_tiles(rng, text, n_names, blocks, rows, random_chance(rng, 40));
  tiled_axis m =
      axis_in_tiles(rng, text, m_names, rounds, columns, !concat && random_chance(rng, 40));
  text->has[RANDOM_ROWS] = true;
  text->has[RANDOM_CONCAT] = concat;
  text->has[RANDOM_LOOP_0] = rounds == 0;
  text->has[RANDOM_TWO_OUTPUTS] |= max || concat;
  const char *after = random_chance(rng, 50) ? "s * 2 + b" : "s / (abs(b) + 1)";
  const char *after_whole = after[2] == '*' ? "S * 2 + B" : "S / (abs(B) + 1)";
  const char *type = type_name(rng, text->has);
  as_str out;
  as_str mug;
  as_str_init(&out);
  as_str_init(&mug);
  as_str_printf(&out, "program p\nsizes N = %u, M >= 0 = %u\n", n.extent, m.extent);
  as_str_printf(&out, "input X: %s[N, M]\ninput Y: %s[M]\ninput B: %s[N]\n", type, type, type);
  as_str_printf(&out, "E = %s\nS = sum(E)\noutput Z = %s\n", whole, after_whole);
  as_str_printf(&mug,
                "mugraph q\nsizes G = %u, T = %u, L >= 0 = %u, U = %u\n"
                "where %s, %s\nkernel k\n  grid x = G\n  loop l = L\n"
                "  load x [%s, %s] = X x -> 0 loop -> 1\n  load y [%s] = Y loop -> 0\n"
                "  load b [%s] = B x -> 0\n  e = %s\n  r = sum(e)\n  acc s = sum r\n  z = %s\n",
                blocks, rows, rounds, columns, n.relation, m.relation, n.tile, m.tile, m.tile,
                n.tile, tile, after);
  if (max) {
    as_str_add(&out, "output H = max(E)\n");
    as_str_add(&mug, "  h0 = max(e)\n  acc h = max h0\n");
  }
  if (concat) {
    as_str_add(&out, "output C = E * 1\n");
    as_str_add(&mug, "  c0 = e * 1\n  acc c = concat c0 axis 1\n");
  }
  as_str_printf(&mug, "  store Z [%s] = z x -> 0\n", n.tile);
  if (max)
    as_str_printf(&mug, "  store H [%s] = h x -> 0\n", n.tile);
  if (concat)
    as_str_printf(&mug, "  store C [%s, M] = c x -> 0\n", n.tile);
  as_str_add(&mug, "end\n");
  free(form);
  free(whole);
  free(tile);
  text->sem = as_strdup("");
  text->tp = as_str_take(&out);
  text->mug = as_str_take(&mug);
  text->equivalent = true;
}

/* a product: rows and columns over the grid, the depth over the loop, elements before and after */
static void tiled_product(as_rng *rng, random_text *text) {
  unsigned rows = random_chance(rng, 40) ? 8 * (1 + random_pick(rng, 4)) : 1 + random_pick(rng, 19);
  unsigned columns =
      random_chance(rng, 40) ? 8 * (1 + random_pick(rng, 4)) : 1 + random_pick(rng, 19);
  unsigned depth =
      random_chance(rng, 40) ? 16 * (1 + random_pick(rng, 2)) : 1 + random_pick(rng, 19);
  unsigned grid_rows = 1 + random_pick(rng, 2);
  unsigned grid_columns = 1 + random_pick(rng, 3);
  unsigned rounds = random_chance(rng, 8) ? 0 : 1 + random_pick(rng, 4);
  bool scaled = random_chance(rng, 50);
  bool batched = random_chance(rng, 30);
  const char *const m_names[] = {"M", "I", "S"};
  const char *const n_names[] = {"N", "J", "T"};
  const char *const k_names[] = {"K", "L", "U"};
  tiled_axis m = axis_in_tiles(rng, text, m_names, grid_rows, rows, random_chance(rng, 40));
  tiled_axis n = axis_in_tiles(rng, text, n_names, grid_columns, columns, random_chance(rng, 40));
  tiled_axis k = axis_in_tiles(rng, text, k_names, rounds, depth, random_chance(rng, 40));
  text->has[RANDOM_PRODUCT] = true;
  text->has[RANDOM_LOOP_0] = rounds == 0;
  const char *type = type_name(rng, text->has);
  const char *batch = batched ? "Q, " : "";
  as_str out;
  as_str mug;
  as_str_init(&out);
  as_str_init(&mug);
  as_str_printf(&out, "program p\nsizes M = %u, N = %u, K >= 0 = %u%s\n", m.extent, n.extent,
                k.extent, batched ? ", Q = 2" : "");
  as_str_printf(&out, "input A: %s[%sM, K]\ninput B: %s[%sK, N]\ninput V: %s[K]\n", type, batch,
                type, batch, type);
  as_str_printf(&out, "output C = (%s @ B) * 1/2\n", scaled ? "(A * V)" : "A");
  as_str_printf(&mug,
                "mugraph q\nsizes I = %u, S = %u, J = %u, T = %u, L >= 0 = %u, U = %u\n"
                "where %s, %s, %s\nkernel k\n  grid x = I, y = J%s\n"
                "  loop l = L\n",
                grid_rows, rows, grid_columns, columns, rounds, depth, m.relation, n.relation,
                k.relation, batched ? ", z = Q" : "");
  as_str_printf(&mug, "  load a [%s%s, %s] = A %sx -> %d loop -> %d\n", batched ? "1, " : "",
                m.tile, k.tile, batched ? "z -> 0 " : "", batched, batched + 1);
  as_str_printf(&mug, "  load b [%s%s, %s] = B %sy -> %d loop -> %d\n", batched ? "1, " : "",
                k.tile, n.tile, batched ? "z -> 0 " : "", batched + 1, batched);
  if (scaled)
    as_str_printf(&mug, "  load v [%s] = V loop -> 0\n  d = a * v\n", k.tile);
  as_str_printf(&mug, "  p = matmul(%s, b)\n  acc s = sum p\n  c = s * 1/2\n", scaled ? "d" : "a");
  as_str_printf(&mug, "  store C [%s%s, %s] = c %sx -> %d y -> %d\nend\n", batched ? "1, " : "",
                m.tile, n.tile, batched ? "z -> 0 " : "", batched, batched + 1);
  text->sem = as_strdup("");
  text->tp = as_str_take(&out);
  text->mug = as_str_take(&mug);
  text->equivalent = true;
}

/* attention-like: a running maximum, rescaled sums */
static void tiled_softmax(as_rng *rng, random_text *text) {
  text->has[RANDOM_SOFTMAX] = true;
  unsigned rows = 1 + random_pick(rng, 17);
  unsigned depth = 1 + random_pick(rng, 17);
  unsigned rounds = 1 + random_pick(rng, 4);
  unsigned columns = 1 + random_pick(rng, 17);
  unsigned blocks = 1 + random_pick(rng, 3);
  const char *const m_names[] = {"M", "G", "T"};
  const char *const k_names[] = {"K", "L", "U"};
  tiled_axis m = axis_in_tiles(rng, text, m_names, blocks, rows, random_chance(rng, 40));
  tiled_axis k = axis_in_tiles(rng, text, k_names, rounds, depth, random_chance(rng, 40));
  const char *type = type_name(rng, text->has);
  text->sem = as_strdup("");
  text->tp = as_format("program p\nsizes M = %u, K = %u, N = %u\ninput S: %s[M, K]\n"
                       "input V: %s[K, N]\noutput O = softmax(S) @ V\n",
                       m.extent, k.extent, columns, type, type);
  text->mug = as_format("mugraph q\nsizes G = %u, T = %u, L = %u, U = %u\nwhere %s, %s\nkernel k\n"
                        "  grid x = G\n  loop l = L\n  load s [%s, %s] = S x -> 0 loop -> 1\n"
                        "  load v [%s, N] = V loop -> 0\n  r = max(s)\n  acc h, m = max r\n"
                        "  e = exp(s - m[:, none])\n  d0 = sum(e)\n  acc d = sum d0 rescale m\n"
                        "  o0 = matmul(e, v)\n  acc o1 = sum o0 rescale m\n  o = o1 / d[:, none]\n"
                        "  store O [%s, N] = o x -> 0\nend\n",
                        blocks, rows, rounds, depth, m.relation, k.relation, m.tile, k.tile, k.tile,
                        m.tile);
  text->equivalent = true;
}

void random_text_new(as_rng *rng, random_text *text) {
  *text = (random_text){0};
  unsigned kind = random_pick(rng, 16);
  if (kind >= 10)
    random_moves_new(rng, text);
  else if (kind < 6)
    own_operators(rng, text);
  else if (kind < 8)
    tiled_rows(rng, text);
  else if (kind < 9)
    tiled_product(rng, text);
  else
    tiled_softmax(rng, text);
}

const char *random_kind_words(random_kind kind) {
  static const char *const words[] = {
#define RANDOM_KIND_WORDS(id, text) text,
      RANDOM_KINDS(RANDOM_KIND_WORDS)
#undef RANDOM_KIND_WORDS
  };
  return words[kind];
}

void random_text_clear(random_text *text) {
  free(text->sem);
  free(text->tp);
  free(text->mug);
  *text = (random_text){0};
}

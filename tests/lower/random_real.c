/* Programs at the sizes that users have: a norm or an activation of two or three axes, views
 * between kernels, products with turned weights, elements computed behind them, one after the
 * other; alone or with block graphs whose tiles are drawn, sizes stated or left to run time. */
#include "random_text.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stddef.h>
#include <stdlib.h>

/* %: the operand; @: in front of the name of an input, or of its tile */
static const char *const norms[] = {"rms_norm(%) * @g", "softmax(%)", "layer_norm(%)",
                                    "gelu(%)",          "relu(%)",    "layer_norm(%) * @g",
                                    "silu(%) * @g",     "rms_norm(%)"};
static const char *const behind[] = {"abs(%)", "gelu(%)", "relu(% + @c)", "% + @c",
                                     "% * 2",  "silu(%)", "gelu(% + @c)"};

/* the form with the operand in its place, and that in front of inputs; malloc'ed */
static char *filled(const char *form, const char *operand, const char *before) {
  as_str out;
  as_str_init(&out);
  for (const char *at = form; *at; at++) {
    if (*at == '%')
      as_str_add(&out, operand);
    else if (*at == '@')
      as_str_add(&out, before);
    else
      as_str_addn(&out, at, 1);
  }
  return as_str_take(&out);
}

static bool names_input(const char *form) {
  while (*form && *form != '@')
    form++;
  return *form == '@';
}

typedef struct {
  unsigned batch;
  unsigned rows;
  unsigned depth;
  unsigned columns;
  bool three; /* axes of the operand */
  bool live;  /* the rows are left to run time */
} real_sizes;

static unsigned any_of(as_rng *rng, const unsigned *list, unsigned n, unsigned least,
                       unsigned most) {
  unsigned which = random_pick(rng, n + 2);
  return which < n ? list[which] : least + random_pick(rng, most - least + 1);
}

static real_sizes draw_sizes(as_rng *rng) {
  static const unsigned rows[] = {64, 100, 128, 512, 777, 1000};
  static const unsigned wide[] = {512, 1024, 2048, 4096};
  return (real_sizes){.batch = 1 + random_pick(rng, 8),
                      .rows = any_of(rng, rows, 6, 1, 1000),
                      .depth = random_chance(rng, 70) ? wide[random_pick(rng, 4)]
                                                      : any_of(rng, wide, 4, 8, 1100),
                      .columns = any_of(rng, wide, 4, 8, 1100),
                      .three = random_chance(rng, 70),
                      .live = random_chance(rng, 12)};
}

/* rows by a block each, and the product by tiles of columns, whose result's axes are merged */
static char *blocks(as_rng *rng, const real_sizes *of, const char *norm, const char *last) {
  static const unsigned tiles[] = {64, 32, 16, 128};
  unsigned depth = tiles[random_pick(rng, 4)];
  unsigned columns = tiles[random_pick(rng, 3)];
  if (!of->three || of->live || of->depth % depth || of->columns % columns || of->batch > 2 ||
      of->rows > 128)
    return NULL;
  char *rows = filled(norm, "t2", "t");
  char *done = filled(last, "t9", "t");
  char *text = as_format(
      "mugraph q\nsizes L = %u, T = %u, J = %u, U = %u\nwhere D = L * T, F = J * U\nkernel k0\n"
      "  grid x = S, y = B\n  loop l = L\n  load t1 [1, 1, T] = x x -> 1 y -> 0 loop -> 2\n"
      "%s  acc t2 = concat t1 axis 2\n  t3 = %s\n"
      "  store y [1, 1, D] = t3 x -> 1 y -> 0\nend\nkernel k1\n  grid x = J\n  loop l = L\n"
      "  load t4 [B, S, T] = y loop -> 2\n  load t5 [U, T] = w x -> 0 loop -> 1\n%s"
      "  t6 = transpose(t5, axis=0)\n  t7 = matmul(t4, t6)\n  acc t8 = sum t7\n"
      "  t9 = merge_axes(t8, axis=0)\n  t10 = %s\n  store o [B * S, U] = t10 x -> 1\nend\n",
      of->depth / depth, depth, of->columns / columns, columns,
      names_input(norm) ? "  load tg [D] = g\n" : "", rows,
      names_input(last) ? "  load tc [U] = c x -> 0\n" : "", done);
  free(rows);
  free(done);
  return text;
}

void random_real_new(as_rng *rng, random_text *text) {
  static const char *const types[] = {"f16", "bf16", "f32"};
  static const char *const arch[] = {NULL, "sm_80", "sm_89"};
  static const char *const parts[] = {NULL, "matmul", "matmul:3"};
  const char *type = types[random_pick(rng, 3)];
  const char *norm = norms[random_pick(rng, 8)];
  const char *last = behind[random_pick(rng, 7)];
  real_sizes of = draw_sizes(rng);
  bool tiled = random_chance(rng, 35);
  if (tiled) { /* a form that block graphs divide */
    static const unsigned rows_of[] = {64, 100, 128};
    of = (real_sizes){.batch = 1 + random_pick(rng, 2),
                      .rows = rows_of[random_pick(rng, 3)],
                      .depth = 512u << random_pick(rng, 3),
                      .columns = 512u << random_pick(rng, 3),
                      .three = true};
  }
  bool merged = tiled || (of.three && random_chance(rng, 70));
  bool twice = !tiled && random_chance(rng, 30);
  char *rows = filled(norm, "x", "");
  char *done = filled(last, "m", "");
  as_str tp;
  as_str_init(&tp);
  as_str_printf(&tp, "program p\nsizes B = %u, D = %u, F = %u\nsizes S %s %u\n", of.batch, of.depth,
                of.columns, of.live ? "<=" : "=", of.rows);
  as_str_printf(&tp, "input x: %s[%sS, D]\ninput g: %s[D]\ninput w: %s[F, D]\ninput c: %s[F]\n",
                type, of.three ? "B, " : "", type, type, type);
  as_str_printf(&tp, "y = %s\n", rows);
  as_str_add(&tp, merged ? "z = merge_axes(y, axis=0)\n" : "");
  as_str_printf(&tp, "m = matmul(%s, transpose(w, axis=0))\n", merged ? "z" : "y");
  if (twice)
    as_str_printf(&tp, "input v: %s[D, F]\nn = %s\noutput o = matmul(n, transpose(v, axis=0))\n",
                  type, done);
  else
    as_str_printf(&tp, "output o = %s\n", done);
  text->tp = as_str_take(&tp);
  text->sem = as_strdup("");
  text->mug = merged && !twice ? blocks(rng, &of, norm, last) : NULL;
  text->library = random_chance(rng, 25);
  text->general = random_chance(rng, 25);
  text->arch = arch[random_pick(rng, 3)];
  text->rounded = parts[random_pick(rng, 3)];
  free(rows);
  free(done);
}

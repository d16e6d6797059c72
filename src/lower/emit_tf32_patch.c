/* Text of contractions whose columns are read from patches (tf32_patch.h).  Of 16 columns of a warp
 * lane 4 g + t has g and g + 8, so that eight lanes read eight places that follow each other. */
#include "emit_tf32.h"
#include "fault.h"
#include "tf32_patch.h"
#include <stdlib.h>

enum { QUAD = 4 };

static const char *const place_name[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"};

static uint32_t products_of_a_warp(const tf32_text *writer) {
  return writer->of->tile.warp_columns / 16;
}

/* the text of a place in memory, of the column with that number */
static void declare_column(tf32_text *writer, const char *number) {
  const lo_simt_side *axes = &writer->of->plan.side[1];
  lo_simt_decode(&writer->text, &writer->of->plan, place_name, axes->axis, axes->n_axis, number);
}

static void declare_first(tf32_text *writer) {
  lo_text *text = &writer->text;
  lo_line(text, "int base1;");
  lo_tf32_open(text, "{");
  declare_column(writer, "n0");
  char *fixed = lo_index(text, writer->of->side[1].fixed);
  lo_line(text, "base1 = %s + %ld;", fixed, writer->of->patch_low);
  free(fixed);
  lo_tf32_close(text, "}");
}

/* a bit for each class of which the column has an element */
static void declare_bits(tf32_text *writer, const char *type) {
  lo_text *text = &writer->text;
  char *guard = lo_condition(text, writer->of->side[1].guard);
  lo_line(text, "in1[i][h] = 0;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int kc = 0; kc < %ld; kc++) in1[i][h] |= (%s)%s << kc;", writer->of->classes,
          type, guard);
  free(guard);
}

static const char *type_of_bits(const lo_tf32 *of) {
  return of->classes > 32 ? "unsigned long long" : "unsigned";
}

void lo_tf32_declare_patch(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  declare_first(writer);
  lo_line(text, "int o1[%u][2];", products_of_a_warp(writer));
  if (of->side[1].guard)
    lo_line(text, "%s in1[%u][2];", type_of_bits(of), products_of_a_warp(writer));
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", products_of_a_warp(writer));
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int h = 0; h < 2; h++) {");
  text->indent++;
  lo_line(text, "const %s r1 = n0 + warp * %u + i * 16 + (lane >> 2) + h * 8;",
          lo_tf32_index_type(writer, 1), of->tile.warp_columns);
  declare_column(writer, "r1");
  char *fixed = lo_index(text, of->side[1].fixed);
  lo_line(text, "o1[i][h] = r1 < columns ? %s + %ld - base1 : 0;", fixed, of->patch_low);
  free(fixed);
  if (of->side[1].guard)
    declare_bits(writer, type_of_bits(of));
  lo_tf32_close(text, "}");
}

static void copy_rows(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_tf32_side *side = &of->side[0];
  char *pointer = lo_global_pointer(text->job, side->val);
  long vectors = (long)writer->tile[0] * 8 / QUAD; /* of eight k */
  long eights = of->tile.depth / 8 * of->tile.taps;
  long rounds = (vectors + writer->threads - 1) / writer->threads;
  lo_line(text, "const size_t at = b0 + (size_t)(ki * %ld + kc * %u) * %ld;", of->classes,
          of->tile.depth, 4 * side->pitch);
  for (long part = 0; part < (of->tile.in_parts ? 2 : 1); part++) {
    long from = part * 4 * lo_tf32_depth(of) * side->pitch;
    long to = part * writer->behind[1] / 2;
    for (long round = 0; round < rounds; round++) {
      long beyond = 16 * round * writer->threads;
      if (vectors < (round + 1) * writer->threads)
        lo_line(text, "if (tid < %ld)", vectors - round * writer->threads);
      lo_line(text,
              "as_cp_async_row<16, %ld, %ld, %ldL>(sm, to + 16 * tid + %ld, %s, at + %ld, %ld);",
              eights, 16 * vectors, 32 * side->pitch, beyond + to, pointer, beyond + from, eights);
    }
  }
  free(pointer);
}

/* what lies in front of a tensor or behind it, or has no inner number, is zeros */
static void copy_patch(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_tf32_side *side = &of->side[1];
  long each = of->by_vectors ? QUAD : 1;
  long width = of->tile.patch / each;
  long copies = width * of->tile.depth;
  char *pointer = lo_global_pointer(text->job, side->val);
  char *moving = lo_index(text, side->moving);
  lo_line(text, "const int from = (base1 + %s)%s;", moving, of->by_vectors ? " & ~3" : "");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int n_ = tid; n_ < %ld; n_ += %u) {", copies, writer->threads);
  text->indent++;
  lo_line(text, "const int kk = n_ / %ld, x = n_ %% %ld * %ld;", width, width, each);
  lo_line(text, "const int at = from + (ki + kk) * %ld + x;", side->step);
  const char *exists = LO_FAULT(LO_FAULT_PREDICATION) ? "true" : "(at >= 0)";
  lo_line(text, "const bool there = (ki + kk < %ld) & %s & (at < %ld);", of->inner, exists,
          lo_elems(&text->job->value[side->val]));
  lo_line(text,
          "as_cp_async_row<%ld, 1, 0, 0>(sm, to + 4 * (kk * %ld + x), %s, there ? (size_t)at * 4 : "
          "0, there ? 1 : 0);",
          4 * each, of->tile.patch, pointer);
  lo_tf32_close(text, "}");
  free(moving);
  free(pointer);
}

static void declare_round(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  long runs = of->classes / of->tile.taps;
  lo_line(text, "const int kc = (int)((unsigned)l %% %ldu) * %u;", runs, of->tile.taps);
  lo_line(text, "(void)kc;");
}

void lo_tf32_fetch_patch(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  lo_tf32_open(text, "auto fetch = [&](int l, int slot) {");
  declare_round(writer);
  lo_line(text, "const int ki = (int)((unsigned)l / %ldu) * %u;", of->classes / of->tile.taps,
          of->tile.depth);
  for (int which = 0; which < 2; which++) {
    lo_tf32_open(text, "{");
    lo_line(text, "const int to = slot * %ld + %ld;", writer->stage, writer->behind[which]);
    if (which)
      copy_patch(writer);
    else
      copy_rows(writer);
    lo_tf32_close(text, "}");
  }
  lo_tf32_close(text, "};");
}

/* the elements of a tap, rounded, and what that leaves out */
static void read_tap(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int h = 0; h < 4; h++) {");
  text->indent++;
  lo_line(text,
          "float x = as_lds_f32(sm, from_p + 4 * ((q * 8 + h / 2 * 4) * %ld + o1[i][h %% 2] + "
          "tap_[p]));",
          of->tile.patch);
  if (of->side[1].guard)
    lo_line(text, "x = in_[i][h %% 2] >> p & 1 ? x : 0.0f;");
  lo_line(text, "f[p %% 2][i][q][h] = as_tf32f(x);");
  if (of->tile.in_parts)
    lo_line(text, "rest[p %% 2][i][q][h] = as_tf32_restf(x);");
  lo_tf32_close(text, "}");
}

static void multiply_products(tf32_text *writer, const char *columns, long rows_at,
                              const char *adds) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  long eight = 32L * tile->warp_rows;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", products_of_a_warp(writer));
  lo_line(
      text,
      "  as_wgmma_tf32<%u>(%s[i], %s[p %% 2][i][q], sm, from_a + (p * %u + q) * %ld + %ld, %s);",
      tile->warp_rows, tile->in_parts ? "sum" : "acc[0]", columns, tile->depth / 8, eight, rows_at,
      adds);
}

static void declare_fragments(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const as_target_tf32 *tile = &of->tile;
  uint32_t products = products_of_a_warp(writer);
  lo_line(text, "float f[2][%u][%u][4];", products, tile->depth / 8);
  if (tile->in_parts) {
    lo_line(text, "float rest[2][%u][%u][4];", products, tile->depth / 8);
    lo_line(text, "float sum[%u][%u] = {};", products, tile->warp_rows / 2);
  }
  as_str places;
  as_str_init(&places);
  for (uint32_t i = 0; i < tile->taps; i++)
    as_str_printf(&places, "%s%ld", i ? ", " : "", lo_tf32_tap_place(of, i));
  lo_line(text, "constexpr int tap_[] = {%s};", places.s);
  as_str_clear(&places);
  declare_round(writer);
  char *moving = lo_index(text, of->side[1].moving);
  if (of->by_vectors)
    lo_line(text, "const int from_p = from_b + 4 * ((base1 + %s) & 3);", moving);
  else
    lo_line(text, "const int from_p = from_b;");
  free(moving);
  if (of->side[1].guard == NULL)
    return;
  lo_line(text, "%s in_[%u][2];", type_of_bits(of), products);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", 2 * products);
  lo_line(text, "  in_[i / 2][i %% 2] = in1[i / 2][i %% 2] >> kc;");
}

/* One tap's products are under way while the next one's elements are read. */
void lo_tf32_multiply_patch(tf32_text *writer) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  declare_fragments(writer);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int p = 0; p < %u; p++) {", tile->taps);
  text->indent++;
  lo_line(text, "if (p > 1) as_wgmma_wait<1>();");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int q = 0; q < %u; q++)", tile->depth / 8);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++) {", products_of_a_warp(writer));
  text->indent++;
  read_tap(writer);
  lo_tf32_close(text, "}");
  lo_line(text, "as_wgmma_fence();");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int q = 0; q < %u; q++) {", tile->depth / 8);
  text->indent++;
  if (tile->in_parts) {
    multiply_products(writer, "rest", 0, "p + q > 0");
    multiply_products(writer, "f", writer->behind[1] / 2, "true");
  }
  multiply_products(writer, "f", 0, "true");
  lo_tf32_close(text, "}");
  lo_line(text, "as_wgmma_commit();");
  lo_tf32_close(text, "}");
  lo_line(text, "as_wgmma_wait<0>();");
}

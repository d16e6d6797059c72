/* Contractions in TF32 by products of warpgroups: 64 columns of the result by all rows of the tile.
 * Columns come from registers, rows from shared memory, where they were packed so that tensor cores
 * read them there; so each element of the columns is read once by one warp.
 *
 * Of 16 columns of a warp lane 4 g + t has 2 g and 2 g + 1, of eight rows 2 t and 2 t + 1. */
#include "emit_tf32.h"
#include <stdlib.h>

static uint32_t products_of_a_warp(const tf32_text *writer) {
  return writer->of->tile.warp_columns / 16;
}

/* the columns of eight k */
static void read_columns(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  long pitch = (long)of->tile.depth + 8;
  if (!of->tile.along_depth) {
    for (int h = 0; h < 2; h++)
      lo_line(text, "as_lds2_f32(f[i][q] + %d, sm, from_b + 4 * ((q * 8 + %d) * %ld + i * 16));",
              2 * h, 4 * h, writer->pitch[1]);
    return;
  }
  lo_tf32_open(text, "if (q % 2 == 0) { /* 16 k at once */");
  lo_line(text, "float u[8];");
  for (int e = 0; e < 2; e++)
    lo_line(text, "as_lds4_f32(u + %d, sm, from_b + 4 * (q * 8 + (i * 16 + %d) * %ld));", 4 * e, e,
            pitch);
  lo_line(text, "#pragma unroll");
  lo_line(text,
          "for (int h = 0; h < 8; h++) f[i][q + h / 4][h %% 4] = u[h / 4 * 2 + h %% 2 * 4 + h %% "
          "4 / 2];");
  lo_tf32_close(text, "}");
}

/* added to what is there, but for the first ones of a sum that begins anew */
static void multiply_products(tf32_text *writer, long phase, const char *columns, long rows_at,
                              const char *adds) {
  lo_text *text = &writer->text;
  uint32_t rows = writer->of->tile.warp_rows;
  char *sum = writer->of->tile.in_parts ? as_strdup("sum") : as_format("acc[%ld]", phase);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", products_of_a_warp(writer));
  lo_line(text, "  as_wgmma_tf32<%u>(%s[i], %s[i][q], sm, from_a + q * %u + %ld, %s);", rows, sum,
          columns, rows * 32, rows_at, adds);
  free(sum);
}

void lo_tf32_add_sum(tf32_text *writer, long phase) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  lo_line(text, "as_wgmma_results(&sum[0][0], %u);",
          products_of_a_warp(writer) * tile->warp_rows / 2);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", products_of_a_warp(writer));
  lo_line(text, "#pragma unroll");
  lo_line(text, "  for (int j = 0; j < %u; j++) acc[%ld][i][j] += sum[i][j];", tile->warp_rows / 2,
          phase);
}

/* one slice added to the accumulators of one remainder; of products of parts the small ones first
 */
static void multiply_slice(tf32_text *writer, long phase) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int q = 0; q < %u; q++) {", tile->depth / 8);
  text->indent++;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++) {", products_of_a_warp(writer));
  text->indent++;
  read_columns(writer);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int h = 0; h < 4; h++) {");
  text->indent++;
  if (tile->in_parts)
    lo_line(text, "rest[i][q][h] = as_tf32_restf(f[i][q][h]);");
  lo_line(text, "f[i][q][h] = as_tf32f(f[i][q][h]);");
  lo_tf32_close(text, "}");
  lo_tf32_close(text, "}");
  lo_line(text, "as_wgmma_fence();");
  if (tile->in_parts) {
    multiply_products(writer, phase, "rest", 0, "q > 0");
    multiply_products(writer, phase, "f", writer->behind[1] / 2, "true");
  }
  multiply_products(writer, phase, "f", 0, "true");
  lo_line(text, "as_wgmma_commit();");
  lo_tf32_close(text, "}");
  lo_line(text, "as_wgmma_wait<0>();");
  if (tile->in_parts)
    lo_tf32_add_sum(writer, phase);
}

void lo_tf32_multiply_groups(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  if (of->tile.patch) {
    lo_tf32_multiply_patch(writer);
    if (of->tile.in_parts)
      lo_tf32_add_sum(writer, 0);
    return;
  }
  lo_line(text, "float f[%u][%u][4];", products_of_a_warp(writer), of->tile.depth / 8);
  if (of->tile.in_parts) {
    lo_line(text, "float rest[%u][%u][4];", products_of_a_warp(writer), of->tile.depth / 8);
    lo_line(text, "float sum[%u][%u] = {};", products_of_a_warp(writer), of->tile.warp_rows / 2);
  }
  if (of->phases == 1) {
    multiply_slice(writer, 0);
    return;
  }
  lo_line(text, "const int phase = as_lds_int(sm, %ld + 4 * (l %% live)) >> 16;",
          writer->stage * of->tile.stages);
  for (long phase = 0; phase < of->phases; phase++) {
    lo_line(text, "if (phase == %ld) {", phase);
    text->indent++;
    multiply_slice(writer, phase);
    lo_tf32_close(text, "}");
  }
}

/* --- storing */

void lo_tf32_group_register(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  if (id == text->unit->flat_val)
    as_str_add(out, "acc[z][i][j * 4 + e * 2 + c]");
  else
    lo_read_global(text, out, id, idx, n);
}

/* a result: column `first + e`, remainder `z` */
static void store_result(tf32_text *writer, long at_once) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_simt *plan = &of->plan;
  const lo_value *stored = &text->job->value[plan->stored];
  char *pointer = lo_global_pointer(text->job, plan->stored);
  if (plan->inside) {
    char *inside = lo_condition(text, plan->inside);
    lo_line(text, "if (!%s) continue;", inside);
    free(inside);
  }
  char *body = lo_expr(text, plan->stored_body);
  char *offset = lo_global_offset(text, stored, plan->index, stored->rank);
  lo_line(text, "r[e * %ld + z] = %s;", of->phases, body);
  if (at_once == 1)
    lo_line(text, "as_stg_%s<1>(%s, %s, r + e * %ld + z);", lo_dtype_name(stored->dtype), pointer,
            offset, of->phases);
  else
    lo_line(text, "if ((e * %ld + z) %% %ld == 0) to[(e * %ld + z) / %ld] = %s;", of->phases,
            at_once, of->phases, at_once, offset);
  free(offset);
  free(body);
  free(pointer);
}

/* both columns of a lane, all remainders of one row */
static void store_columns(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_simt *plan = &of->plan;
  const lo_value *stored = &text->job->value[plan->stored];
  long at_once = of->stored_at_once;
  lo_line(text, "float r[%ld];", 2 * of->phases);
  if (at_once > 1)
    lo_line(text, "size_t to[%ld] = {};", 2 * of->phases / at_once);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int e = 0; e < 2; e++) {");
  text->indent++;
  if (plan->side[1].extent % 2)
    lo_line(text, "if (first + e >= columns) continue;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[1].axis, plan->side[1].n_axis,
                 "(first + e)");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int z = 0; z < %ld; z++) {", of->phases);
  text->indent++;
  if (of->phases > 1) {
    lo_line(text, "const int %s = z;", lo_tf32_stored_name[of->phase]);
    lo_line(text, "(void)%s;", lo_tf32_stored_name[of->phase]);
  }
  store_result(writer, at_once);
  lo_tf32_close(text, "}");
  lo_tf32_close(text, "}");
  char *pointer = lo_global_pointer(text->job, plan->stored);
  for (long n = 0; at_once > 1 && n < 2 * of->phases / at_once; n++) {
    if (n > 0 && plan->side[1].extent % 2)
      lo_line(text, "if (first + %ld < columns)", n);
    lo_line(text, "as_stg_%s<%ld>(%s, to[%ld], r + %ld);", lo_dtype_name(stored->dtype), at_once,
            pointer, n, n * at_once);
  }
  free(pointer);
}

void lo_tf32_store_groups(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  const as_target_tf32 *tile = &writer->of->tile;
  lo_tf32_name_axes(writer, lo_tf32_stored_name);
  lo_line(text, "as_wgmma_results(&acc[0][0][0], %ld);",
          writer->of->phases * products_of_a_warp(writer) * tile->warp_rows / 2);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++) {", products_of_a_warp(writer));
  text->indent++;
  lo_line(text, "const %s first = n0 + column + i * 16 + (lane >> 2) * 2;",
          lo_tf32_index_type(writer, 1));
  if (plan->side[1].extent % writer->tile[1])
    lo_line(text, "if (first >= columns) continue;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %u; j++)", tile->warp_rows / 8);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int c = 0; c < 2; c++) {");
  text->indent++;
  lo_line(text, "const %s at = m0 + j * 8 + (lane & 3) * 2 + c;", lo_tf32_index_type(writer, 0));
  if (plan->side[0].extent % writer->tile[0])
    lo_line(text, "if (at >= rows) continue;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[0].axis, plan->side[0].n_axis, "at");
  store_columns(writer);
  lo_tf32_close(text, "}");
  lo_tf32_close(text, "}");
}

/* --- what the kernels call */

static void write_product(as_str *out, uint32_t n) {
  as_str_printf(out,
                "template <> __device__ __forceinline__ void as_wgmma_tf32<%u>(float *d, const "
                "float *a, as_sm sm, int off, bool adds)\n{\n"
                "  const unsigned long long b = as_rows_of_eight(sm, off);\n"
                "  asm volatile(\"{.reg .pred p; setp.ne.b32 p, %%%u, 0; "
                "wgmma.mma_async.sync.aligned.m64n%uk8.f32.tf32.tf32 {",
                n, n / 2 + 5, n);
  for (uint32_t i = 0; i < n / 2; i++)
    as_str_printf(out, "%s%%%u", i ? "," : "", i);
  as_str_printf(out, "}, {%%%u,%%%u,%%%u,%%%u}, %%%u, p, 1, 1;}\"\n    : ", n / 2, n / 2 + 1,
                n / 2 + 2, n / 2 + 3, n / 2 + 4);
  for (uint32_t i = 0; i < n / 2; i++)
    as_str_printf(out, "%s\"+f\"(d[%u])", i ? ", " : "", i);
  as_str_add(out, "\n    : ");
  for (uint32_t i = 0; i < 4; i++)
    as_str_printf(out, "\"r\"(__float_as_uint(a[%u])), ", i);
  as_str_add(out, "\"l\"(b), \"r\"((int)adds));\n}\n");
}

static const char group_functions[] =
    "/* 8 rows and 4 k are 128 bytes; 128 bytes on the next 4 k, 256 on the next 8 rows */\n"
    "AS_DEV unsigned long long as_rows_of_eight(as_sm sm, int off)\n{\n"
    "  return (unsigned long long)((as_shared(sm, off) & 0x3ffff) >> 4) | 8ull << 16 | 16ull << "
    "32;\n}\n"
    "AS_DEV void as_wgmma_fence() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n"
    "AS_DEV void as_wgmma_commit() { asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: "
    "\"memory\"); }\n"
    "template <int N> AS_DEV void as_wgmma_wait() { asm volatile(\"wgmma.wait_group.sync.aligned "
    "%0;\" ::\"n\"(N) : \"memory\"); }\n"
    "/* what this thread's copies wrote to shared memory, tensor cores see */\n"
    "AS_DEV void as_shared_seen() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: "
    "\"memory\"); }\n"
    "/* n results are there: nothing that reads them stands in front of this */\n"
    "AS_DEV void as_wgmma_results(float *d, int n)\n{\n#pragma unroll\n"
    "  for (int i = 0; i < n; i++) asm volatile(\"\" : \"+f\"(d[i])::\"memory\");\n}\n"
    "template <int N> __device__ void as_wgmma_tf32(float *d, const float *a, as_sm sm, int "
    "off, bool adds);\n";

void lo_tf32_prelude(const lo_job *job, as_str *out) {
  bool written[33] = {false}; /* of so many times eight rows */
  bool any = false;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_tf32 *of = job->unit[i].tf32;
    if (of == NULL || !of->tile.by_groups || written[of->tile.warp_rows / 8])
      continue;
    as_str_add(out, any ? "" : "#ifndef AS_EMU\n");
    as_str_add(out, any ? "" : group_functions);
    write_product(out, of->tile.warp_rows);
    written[of->tile.warp_rows / 8] = any = true;
  }
  as_str_add(out, any ? "#endif\n\n" : "");
}

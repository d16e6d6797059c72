/* Results of a contraction by warpgroups, stored by way of shared memory: there they are put as
 * registers have them, rows of all columns that the block has, and taken so that neighbours in
 * memory are neighbouring threads', whether rows of the result begin at multiples of 16 bytes or
 * not, with the remainders of a transposed convolution between each other.  What is computed of
 * each stands once in a loop over the rows, not once for each register. */
#include "emit_tf32.h"
#include <stdlib.h>

enum { QUAD = 4 };

static uint32_t products_of_a_warp(const tf32_text *writer) {
  return writer->of->tile.warp_columns / 16;
}

/* results beside each other of one row */
static long width_of(const tf32_text *writer) {
  return (long)writer->tile[1] * writer->of->phases;
}

/* the registers of eight rows to shared memory, two columns with their remainders at a time */
static void put_registers(tf32_text *writer, long from, long rows) {
  lo_text *text = &writer->text;
  long phases = writer->of->phases;
  long pitch = lo_tf32_staged_pitch(writer->of);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", products_of_a_warp(writer));
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %ld; j++)", rows / 8);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int c = 0; c < 2; c++) {");
  text->indent++;
  bool apart = writer->of->tile.patch > 0; /* columns g and g + 8, not 2 g and 2 g + 1 */
  lo_line(text,
          "const int to = 4 * ((j * 8 + (lane & 3) * 2 + c) * %ld + (column + i * 16 + (lane >> 2) "
          "* %d) * %ld);",
          pitch, apart ? 1 : 2, phases);
  lo_line(text, "float r[%ld];", 2 * phases);
  lo_line(text, "#pragma unroll");
  lo_line(text,
          "for (int e = 0; e < %ld; e++) r[e] = acc[e %% %ld][i][(%ld + j) * 4 + e / %ld * 2 + c];",
          2 * phases, phases, from / 8, phases);
  for (int e = 0; apart && e < 2; e++)
    lo_line(text, "as_sts_f32(sm, to + %d, r[%d]);", 32 * e, e);
  for (long e = 0; !apart && e < 2 * phases; e += phases % 2 ? 2 : QUAD)
    lo_line(text, "as_sts%d_f32(sm, to + %ld, r + %ld);", phases % 2 ? 2 : QUAD, 4 * e, e);
  lo_tf32_close(text, "}");
}

static void register_text(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_simt *plan = &text->unit->tf32->plan;
  if (id == text->unit->flat_val)
    as_str_add(out, "sum_");
  else if (plan->fold_body && id == plan->fold)
    as_str_add(out, "fold_");
  else
    lo_read_global(text, out, id, idx, n);
}

static bool uses_rows(const lo_simt *plan, const lx *expr) {
  for (int i = 0; i < plan->side[0].n_axis; i++) {
    if (lx_uses_var(expr, plan->side[0].axis[i]))
      return true;
  }
  return false;
}

static void leave_outside(tf32_text *writer, bool by_row) {
  const lo_simt *plan = &writer->of->plan;
  if (plan->inside == NULL || uses_rows(plan, plan->inside) != by_row)
    return;
  char *inside = lo_condition(&writer->text, plan->inside);
  lo_line(&writer->text, "if (!%s) continue;", inside);
  free(inside);
}

static void open_rows(tf32_text *writer, long from, long rows, long beside) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  lo_line(text, "#pragma unroll 4");
  lo_line(text, "for (int r = r_; r < %ld; r += %ld) {", rows, beside);
  text->indent++;
  lo_line(text, "const %s at = m0 + %ld + r;", lo_tf32_index_type(writer, 0), from);
  if (plan->side[0].extent % writer->tile[0])
    lo_line(text, "if (at >= rows) break;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[0].axis, plan->side[0].n_axis, "at");
  leave_outside(writer, true);
  lo_line(text, "const float sum_ = as_lds_f32(sm, 4 * (r * %ld + q));",
          lo_tf32_staged_pitch(writer->of));
}

static void store_result(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  const lo_value *stored = &text->job->value[plan->stored];
  char *body = lo_expr(text, plan->stored_body);
  char *pointer = lo_global_pointer(text->job, plan->stored);
  char *offset = lo_global_offset(text, stored, plan->index, stored->rank);
  lo_line(text, "const float result = %s;", body);
  lo_line(text, "as_stg_%s<1>(%s, %s, &result);", lo_dtype_name(stored->dtype), pointer, offset);
  free(offset);
  free(pointer);
  free(body);
}

/* the rows of a thread's column */
static void take_column(tf32_text *writer, long from, long rows, long beside) {
  open_rows(writer, from, rows, beside);
  store_result(writer);
  lo_tf32_close(&writer->text, "}");
}

/* what a reduction makes of them, all of which the thread has */
static void take_fold(tf32_text *writer, long rows) {
  static const char *const first[] = {
      [LO_SUM] = "0.0f", [LO_PROD] = "1.0f", [LO_MAX] = "-INFINITY", [LO_MIN] = "INFINITY"};
  static const char *const joined[] = {[LO_SUM] = "fold_ + ",
                                       [LO_PROD] = "fold_ * ",
                                       [LO_MAX] = "as_maxf(fold_, ",
                                       [LO_MIN] = "as_minf(fold_, "};
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  bool call = plan->fold_red == LO_MAX || plan->fold_red == LO_MIN;
  lo_line(text, "float fold_ = %s;", first[plan->fold_red]);
  open_rows(writer, 0, rows, 1);
  char *term = lo_expr(text, plan->fold_body);
  lo_line(text, "fold_ = %s%s%s;", joined[plan->fold_red], term, call ? ")" : "");
  free(term);
  lo_tf32_close(text, "}");
  store_result(writer);
}

/* threads side by side along the columns, with rows apart where there are more threads */
static void take_results(tf32_text *writer, long from, long rows) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_simt *plan = &of->plan;
  long width = width_of(writer);
  bool folds = plan->fold_body != NULL;
  long beside = width < writer->threads && !folds ? writer->threads / width : 1;
  if (beside > 1 || width < writer->threads)
    lo_line(text, "for (int q = tid %% %ld, r_ = tid / %ld; q < %ld && r_ < %ld; q += %ld) {",
            width, width, width, beside, width);
  else
    lo_line(text, "for (int q = tid, r_ = 0; q < %ld; q += %u) {", width, writer->threads);
  text->indent++;
  lo_line(text, "const %s first = n0 + q / %ld;", lo_tf32_index_type(writer, 1), of->phases);
  if (plan->side[1].extent % writer->tile[1])
    lo_line(text, "if (first >= columns) continue;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[1].axis, plan->side[1].n_axis,
                 "first");
  if (of->phases > 1) {
    lo_line(text, "const int %s = q %% %ld;", lo_tf32_stored_name[of->phase], of->phases);
    lo_line(text, "(void)%s;", lo_tf32_stored_name[of->phase]);
  }
  leave_outside(writer, false);
  if (folds)
    take_fold(writer, rows);
  else
    take_column(writer, from, rows, beside);
  lo_tf32_close(text, "}");
}

void lo_tf32_store_staged(tf32_text *writer) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  lo_tf32_name_axes(writer, lo_tf32_stored_name);
  text->ref = register_text;
  lo_line(text, "as_wgmma_results(&acc[0][0][0], %ld);",
          writer->of->phases * products_of_a_warp(writer) * tile->warp_rows / 2);
  long rows = lo_tf32_staged_rows(writer->of);
  for (long from = 0; from < tile->warp_rows; from += rows) {
    long now = tile->warp_rows - from < rows ? tile->warp_rows - from : rows;
    lo_barrier(text, NULL);
    put_registers(writer, from, now);
    lo_barrier(text, NULL);
    take_results(writer, from, now);
  }
}

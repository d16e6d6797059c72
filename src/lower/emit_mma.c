/* Text of a matrix product on tensor cores (mma.sync.m16n8k16): fragments by ldmatrix where rows
 * are 16-byte chunks along k or along the rows, by guarded element reads otherwise (any extents;
 * missing elements are zeros). */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

static long up(long count, long size) {
  return (count + size - 1) / size;
}

/* index texts of a tensor from a flat index over some axes of C */
static void unflatten(const lo_value *result, const int *axes, int n, const char *flat,
                      char **var) {
  long below = 1;
  for (int i = n; i-- > 0;) {
    long extent = result->dim[axes[i]];
    free(var[axes[i]]);
    if (extent == 1)
      var[axes[i]] = as_strdup("0");
    else if (below == 1 && i == 0)
      var[axes[i]] = as_format("(%s)", flat);
    else if (i == 0)
      var[axes[i]] = as_format("((%s) / %ld)", flat, below);
    else if (below == 1)
      var[axes[i]] = as_format("((%s) %% %ld)", flat, extent);
    else
      var[axes[i]] = as_format("((%s) / %ld %% %ld)", flat, below, extent);
    below *= extent;
  }
}

typedef struct {
  const lx *ref;
  const int *axes;
  int n;
  long U;
  bool ldsm;
  bool kfast;
} operand_side;

static operand_side side_of(const lo_mma *product, bool rows) {
  bool is_left = rows != product->swap;
  return is_left ? (operand_side){product->a_read, product->row_axis,      product->n_row_axis,
                                  product->rows,   product->a_by_ldmatrix, product->a_depth_last}
                 : (operand_side){product->b_read,  product->column_axis,   product->n_column_axis,
                                  product->columns, product->b_by_ldmatrix, product->b_depth_last};
}

/* byte offset text of operand element (batch text in var already, row u, k) */
static char *operand_at(lo_text *text, uint32_t id, const operand_side *side, char **var,
                        const char *row, const char *depth) {
  const lo_value *result = &text->job->value[id];
  const lo_value *operand = &text->job->value[side->ref->val];
  const lo_smem *shared = operand->need16 ? &operand->shared16 : &operand->shared;
  unflatten(result, side->axes, side->n, row, var);
  free(var[result->rank]);
  var[result->rank] = as_format("(%s)", depth);
  char *index_text[8];
  const char *const *keep = text->var;
  text->var = (const char *const *)var;
  for (int i = 0; i < operand->rank; i++)
    index_text[i] = lo_index(text, side->ref->kid[i]);
  text->var = keep;
  char *offset = lo_smem_offset(operand, shared, index_text);
  char *address;
  if (shared->stages > 1)
    address = as_format("%ld + slot * %ld + 2 * (%s)", shared->offset, shared->bytes, offset);
  else
    address = as_format("%ld + 2 * (%s)", shared->offset, offset);
  free(offset);
  for (int i = 0; i < operand->rank; i++)
    free(index_text[i]);
  return address;
}

/* least text of u kept inside the operand when the tiles overhang it: what is fetched twice lands
 * in results that are dropped */
static char *clamped(const char *row, long rows, long tile, long step) {
  if (rows % tile == 0)
    return as_strdup(row);
  return as_format("as_imin(%s, %ld)", row, rows - step);
}

static void load_ldsm(lo_text *text, uint32_t id, const operand_side *side, char **var, bool rows,
                      int count, const char *target, const char *tile) {
  /* rows: matrices (u,k) (u+8,k) (u,k+8) (u+8,k+8); columns: (u,k) (u,k+8) and, by four, (u+8,k)
   * (u+8,k+8) */
  bool four = rows || count == 2;
  const char *row_bit = rows ? "(lane >> 3 & 1)" : "(lane >> 4 & 1)";
  const char *depth_bit = rows ? "(lane >> 4 & 1)" : "(lane >> 3 & 1)";
  char *row;
  char *depth;
  char *clamped_row;
  if (side->kfast) {
    row = as_format("%s + %s * 8 + (lane & 7)", tile, four || rows ? row_bit : "0");
    depth = as_format("k0 + %s * 8", depth_bit);
  } else {
    row = as_format("%s + %s * 8", tile, four || rows ? row_bit : "0");
    depth = as_format("k0 + %s * 8 + (lane & 7)", depth_bit);
  }
  clamped_row = clamped(row, side->U, rows ? 16 : count == 2 ? 16 : 8, side->kfast ? 1 : 8);
  char *address = operand_at(text, id, side, var, clamped_row, depth);
  text->unit->n_ldmatrix++;
  lo_line(text, "as_ldsm%d%s(%s, sm, %s);", four ? 4 : 2, side->kfast ? "" : "t", target, address);
  free(row);
  free(depth);
  free(clamped_row);
  free(address);
}

static void load_slow(lo_text *text, uint32_t id, const operand_side *side, char **var, bool rows,
                      const char *target, const char *tile, long depth) {
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int q = 0; q < %d; q++) {", rows ? 4 : 2);
  text->indent++;
  if (rows) {
    lo_line(
        text,
        "const int fu = %s + (lane >> 2) + (q & 1) * 8, fk = k0 + (lane & 3) * 2 + (q >> 1) * 8;",
        tile);
  } else {
    lo_line(text, "const int fu = %s + (lane >> 2), fk = k0 + (lane & 3) * 2 + q * 8;", tile);
  }
  char *low_at = operand_at(text, id, side, var, "fu", "fk");
  char *high_at = operand_at(text, id, side, var, "fu", "fk + 1");
  lo_line(text, "unsigned lo16 = 0, hi16 = 0;");
  lo_line(text, "if (fu < %ld && fk < %ld) lo16 = as_lds_u16(sm, %s);", side->U, depth, low_at);
  lo_line(text, "if (fu < %ld && fk + 1 < %ld) hi16 = as_lds_u16(sm, %s);", side->U, depth,
          high_at);
  lo_line(text, "%s[q] = lo16 | hi16 << 16;", target);
  text->indent--;
  lo_line(text, "}");
  free(low_at);
  free(high_at);
}

static void warp_roles(lo_text *text, const lo_mma *product) {
  lo_line(text,
          "const int mk = warp %% %d, mc = warp / %d %% %d, mr = warp / %d %% %d, mb = warp / %d;",
          product->warps_depth, product->warps_depth, product->warps_columns,
          product->warps_depth * product->warps_columns, product->warps_rows,
          product->warps_depth * product->warps_columns * product->warps_rows);
  lo_line(text, "(void)mk; (void)mc; (void)mr; (void)mb;");
}

void lo_emit_mma_decl(lo_text *text, uint32_t id, const char *cname) {
  const lo_mma *product = &text->job->value[id].mma;
  lo_line(text, "float %s[%d][%d][%d][4] = {};", cname, product->tiles_batch, product->tiles_rows,
          product->tiles_columns);
}

static long total_r(const lo_mma *product) {
  return up(product->swap ? product->columns : product->rows, 16);
}

static long total_c(const lo_mma *product) {
  return up(product->swap ? product->rows : product->columns, 8);
}

static void fetch_all(lo_text *text, uint32_t id, char **var) {
  const lo_mma *product = &text->job->value[id].mma;
  operand_side rows = side_of(product, true);
  operand_side columns = side_of(product, false);
  long row_tiles = total_r(product);
  long column_tiles = total_c(product);
  bool pairs =
      columns.ldsm && product->tiles_columns % 2 == 0 && column_tiles % product->tiles_columns == 0;
  lo_line(text, "unsigned fr[%d][4], fc[%d];", product->tiles_rows, 2 * product->tiles_columns);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %d; i++) {", product->tiles_rows);
  text->indent++;
  char *tile = as_format("(mr * %d + i) * 16", product->tiles_rows);
  char *safe = row_tiles % product->tiles_rows
                   ? as_format("as_imin(mr * %d + i, %ld) * 16", product->tiles_rows, row_tiles - 1)
                   : as_strdup(tile);
  if (rows.ldsm)
    load_ldsm(text, id, &rows, var, true, 1, "fr[i]", safe);
  else
    load_slow(text, id, &rows, var, true, "fr[i]", tile, product->depth);
  free(tile);
  free(safe);
  text->indent--;
  lo_line(text, "}");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %d; j += %d) {", product->tiles_columns, pairs ? 2 : 1);
  text->indent++;
  tile = as_format("(mc * %d + j) * 8", product->tiles_columns);
  safe = column_tiles % product->tiles_columns
             ? as_format("as_imin(mc * %d + j, %ld) * 8", product->tiles_columns, column_tiles - 1)
             : as_strdup(tile);
  if (columns.ldsm)
    load_ldsm(text, id, &columns, var, false, pairs ? 2 : 1, "(fc + 2 * j)", safe);
  else
    load_slow(text, id, &columns, var, false, "(fc + 2 * j)", tile, product->depth);
  free(tile);
  free(safe);
  text->indent--;
  lo_line(text, "}");
}

void lo_emit_mma(lo_text *text, uint32_t id, const char *cname) {
  const lo_value *result = &text->job->value[id];
  const lo_mma *product = &result->mma;
  char *var[10] = {0};
  warp_roles(text, product);
  long depth_tiles = up(product->depth, 16);
  long row_tiles = total_r(product);
  long column_tiles = total_c(product);
  lo_line(text, "if (warp < %d && mr * %d < %ld && mc * %d < %ld) {",
          product->warps_batch * product->warps_rows * product->warps_columns *
              product->warps_depth,
          product->tiles_rows, row_tiles, product->tiles_columns, column_tiles);
  text->indent++;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int b = 0; b < %d; b++) {", product->tiles_batch);
  text->indent++;
  lo_line(text, "const int bi = mb * %d + b;", product->tiles_batch);
  if (product->batches % product->tiles_batch ||
      product->batches != (long)product->tiles_batch * product->warps_batch)
    lo_line(text, "if (bi >= %ld) break;", product->batches);
  lo_line(text, "(void)bi;");
  lo_line(text, "#pragma unroll%s", up(depth_tiles, product->warps_depth) > 8 ? " 4" : "");
  lo_line(text, "for (int ks = mk; ks < %ld; ks += %d) {", depth_tiles, product->warps_depth);
  text->indent++;
  lo_line(text, "const int k0 = ks * 16;");
  for (int i = 0; i <= result->rank; i++)
    var[i] = as_strdup("0");
  unflatten(result, product->batch_axis, product->n_batch_axis, "bi", var);
  fetch_all(text, id, var);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %d; i++)", product->tiles_rows);
  lo_line(text, "#pragma unroll");
  text->unit->n_mma++;
  lo_line(text, "  for (int j = 0; j < %d; j++) as_mma_%s(%s[b][i][j], fr[i], fc + 2 * j);",
          product->tiles_columns, product->type == AS_BF16 ? "bf16" : "f16", cname);
  for (int k = 0; k < 3; k++) {
    text->indent--;
    lo_line(text, "}");
  }
  for (int i = 0; i < 10; i++)
    free(var[i]);
}

/* runs `body` text for each element held: variables of C as texts; %s elements by name
 * cname[b][i][j][q] */
static void each_element(lo_text *text, uint32_t id, char **var, bool guard) {
  const lo_value *result = &text->job->value[id];
  const lo_mma *product = &result->mma;
  warp_roles(text, product);
  lo_line(text, "if (warp < %d)",
          product->warps_batch * product->warps_rows * product->warps_columns *
              product->warps_depth);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int b = 0; b < %d; b++)", product->tiles_batch);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %d; i++)", product->tiles_rows);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %d; j++)", product->tiles_columns);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int q = 0; q < 4; q++) {");
  text->indent++;
  lo_line(text,
          "const int bi = mb * %d + b, fr = (mr * %d + i) * 16 + (lane >> 2) + (q >> 1) * 8, fc = "
          "(mc * %d + j) * 8 + (lane & 3) * 2 + (q & 1);",
          product->tiles_batch, product->tiles_rows, product->tiles_columns);
  lo_line(text, "(void)bi;");
  lo_line(text, "const int mi = %s, ni = %s;", product->swap ? "fc" : "fr",
          product->swap ? "fr" : "fc");
  lo_line(text, "(void)mi; (void)ni;");
  bool exact = product->batches == (long)product->tiles_batch * product->warps_batch &&
               (product->swap ? product->columns : product->rows) ==
                   16L * product->tiles_rows * product->warps_rows &&
               (product->swap ? product->rows : product->columns) ==
                   8L * product->tiles_columns * product->warps_columns;
  if (guard && !exact)
    lo_line(text, "if (bi < %ld && mi < %ld && ni < %ld) {", product->batches, product->rows,
            product->columns);
  else
    lo_line(text, "{");
  text->indent++;
  for (int i = 0; i <= result->rank; i++)
    var[i] = as_strdup("0");
  unflatten(result, product->batch_axis, product->n_batch_axis, "bi", var);
  unflatten(result, product->row_axis, product->n_row_axis, "mi", var);
  unflatten(result, product->column_axis, product->n_column_axis, "ni", var);
}

static void end_each(lo_text *text, char **var) {
  text->indent--;
  lo_line(text, "}");
  text->indent--;
  lo_line(text, "}");
  for (int i = 0; i < 10; i++)
    free(var[i]);
}

void lo_emit_mma_store(lo_text *text, uint32_t id, const char *cname) {
  const lo_value *result = &text->job->value[id];
  const lo_value *target = result->place == LP_FRAG ? &text->job->value[result->fused_acc] : result;
  char *var[10] = {0};
  each_element(text, id, var, true);
  char *offset = lo_smem_offset(target, &target->shared, var);
  if (target->shared.slabs > 1) {
    lo_line(text, "as_sts_f32(sm, %ld + mk * %ld + 4 * (%s), %s[b][i][j][q]);",
            target->shared.offset, target->shared.bytes, offset, cname);
  } else {
    lo_line(text, "as_sts_f32(sm, %ld + 4 * (%s), %s[b][i][j][q]);", target->shared.offset, offset,
            cname);
  }
  free(offset);
  end_each(text, var);
}

void lo_emit_mma_rescale(lo_text *text, uint32_t id, uint32_t run, const char *cname) {
  const lo_value *running = &text->job->value[run];
  char *var[10] = {0};
  each_element(text, id, var, true);
  char *offset = lo_smem_offset(running, &running->alpha, var);
  lo_line(text, "%s[b][i][j][q] *= as_lds_f32(sm, %ld + 4 * (%s));", cname, running->alpha.offset,
          offset);
  free(offset);
  end_each(text, var);
}

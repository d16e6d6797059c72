/* Text of a contraction on tensor cores in TF32: copies bring several slices of k ahead, k by k
 * with the rows (columns) side by side, or fragment by fragment where they were packed so.
 *
 * A product of a warp has 16 rows and 8 columns, of which lane 4 g + t holds rows g and g + 8 of k
 * t and t + 4, and column g of the same.  Which rows these are is free: here they are 2 g and 2 g +
 * 1, so that both are one read, to registers that follow each other, as the instruction wants them.
 */
#include "emit_tf32.h"
#include "beside.h"
#include "fault.h"
#include <stdlib.h>

enum { VECTOR = 4, STORED = 2 };

/* of the elements that are fetched, and of those that are stored */
static const char *const fetched_name[] = {"p0", "p1", "p2", "p3", "p4",
                                           "p5", "p6", "p7", "p8", "p9"};
const char *const lo_tf32_stored_name[] = {"i0", "i1", "i2", "i3", "i4",
                                           "i5", "i6", "i7", "i8", "i9"};
static const char *const first_name[] = {"m0", "n0"};
static const char *const extent_name[] = {"rows", "columns"};

void lo_tf32_open(lo_text *text, const char *line) {
  lo_line(text, "%s", line);
  text->indent++;
}

void lo_tf32_close(lo_text *text, const char *line) {
  text->indent--;
  lo_line(text, "%s", line);
}

const char *lo_tf32_index_type(const tf32_text *writer, int which) {
  return lo_index_type(writer->of->plan.side[which].extent + writer->tile[which]);
}

void lo_tf32_name_axes(tf32_text *writer, const char *const *name) {
  const lo_simt *plan = &writer->of->plan;
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < plan->side[which].n_axis; i++)
      writer->var[plan->side[which].axis[i]] = name[plan->side[which].axis[i]];
  }
  if (writer->of->phases > 1)
    writer->var[writer->of->phase] = name[writer->of->phase];
}

/* --- fetching */

/* lanes along the rows of an operand, and copies of each */
typedef struct {
  long vector; /* elements of a copy */
  long lanes;  /* threads beside each other along the rows */
  long copies; /* of a thread in a slice */
  long each;   /* consecutive k that a thread copies together, in one group */
  bool idle;   /* there are more threads than copies */
} sharing;

static sharing share_out(const tf32_text *writer, int which) {
  const lo_tf32 *of = writer->of;
  bool four = of->side[which].fetch == AS_FETCH_VECTOR;
  sharing share = {.vector = four ? VECTOR : 1, .each = 1};
  share.lanes = writer->tile[which] / share.vector;
  share.copies = of->tile.depth * share.lanes / writer->threads;
  share.idle = share.copies == 0;
  share.copies += share.idle;
  if (!four)
    share.each = of->group < share.copies ? of->group : share.copies;
  return share;
}

/* Copies along k: as many beside each other as a slice has, each thread several columns. */
static long copies_along_depth(const tf32_text *writer) {
  return (long)writer->tile[1] * writer->of->tile.depth / VECTOR / writer->threads;
}

static void declare_along_depth(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_simt_side *axes = &of->plan.side[1];
  uint32_t vectors = of->tile.depth / VECTOR;
  lo_line(text, "const int y1 = tid %% %u * %d, x1 = tid / %u;", vectors, VECTOR, vectors);
  lo_line(text, "int b1[%ld];", copies_along_depth(writer));
  lo_line(text, "bool in1[%ld];", copies_along_depth(writer));
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int n_ = 0; n_ < %ld; n_++) {", copies_along_depth(writer));
  text->indent++;
  lo_line(text, "const %s r1 = n0 + x1 + n_ * %u;", lo_tf32_index_type(writer, 1),
          writer->threads / vectors);
  lo_simt_decode(text, &of->plan, fetched_name, axes->axis, axes->n_axis, "r1");
  char *fixed = lo_index(text, of->side[1].fixed);
  lo_line(text, "b1[n_] = %s;", fixed);
  lo_line(text, "in1[n_] = r1 < columns;");
  free(fixed);
  lo_tf32_close(text, "}");
}

static void copy_along_depth(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  char *pointer = lo_global_pointer(text->job, of->side[1].val);
  char *moving = lo_index(text, of->side[1].moving);
  long pitch = of->tile.depth + 8;
  lo_line(text, "const int k1 = ki + y1;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int n_ = 0; n_ < %ld; n_++)", copies_along_depth(writer));
  lo_line(text,
          "  as_cp_async_row<16, 1, 0, 0>(sm, to + 4 * ((x1 + n_ * %u) * %ld + y1), %s, (size_t)(b1"
          "[n_] + %s + k1) * 4, in1[n_] & (k1 < %ld) ? 1 : 0);",
          writer->threads * VECTOR / of->tile.depth, pitch, pointer, moving, of->inner);
  free(moving);
  free(pointer);
}

/* what a thread copies of an operand, and what of its place does not change */
static void declare_side(tf32_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_tf32_side *side = &writer->of->side[which];
  const lo_simt_side *axes = &writer->of->plan.side[which];
  sharing share = share_out(writer, which);
  if (side->fetch == AS_FETCH_DEPTH) {
    declare_along_depth(writer);
    return;
  }
  if (which && writer->of->tile.patch) {
    lo_tf32_declare_patch(writer);
    return;
  }
  if (side->packed) {
    char *fixed = lo_index(text, side->fixed);
    lo_line(text, "const size_t b%d = ((size_t)(%s) + (size_t)%s * 8 + tid * 4) * 4;", which, fixed,
            first_name[which]);
    free(fixed);
    return;
  }
  lo_line(text, "const int x%d = tid %% %ld * %ld, y%d = tid / %ld;", which, share.lanes,
          share.vector, which, share.lanes);
  lo_line(text, "const %s r%d = %s + x%d;", lo_tf32_index_type(writer, which), which,
          first_name[which], which);
  lo_simt_decode(text, &writer->of->plan, fetched_name, axes->axis, axes->n_axis,
                 which ? "r1" : "r0");
  char *fixed = lo_index(text, side->fixed);
  lo_line(text, "const int b%d = %s;", which, fixed);
  lo_line(text, "(void)y%d;", which);
  free(fixed);
}

/* number of the class and of the first inner number of the group that `number` is, or of the slice
 */
static void declare_group(tf32_text *writer, const char *number) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  if (of->skips) {
    lo_line(text, "const int entry = as_lds_int(sm, %ld + 4 * (%s %% live)), kc = entry & 65535;",
            writer->stage * of->tile.stages, number);
    if (of->phases > 1) {
      lo_line(text, "const int %s = entry >> 16;", fetched_name[of->phase]);
      lo_line(text, "(void)%s;", fetched_name[of->phase]);
    }
    lo_line(text, "const int ki = %s / live * %ld;", number, of->group);
  } else {
    lo_line(text, "const int kc = (int)((unsigned)(%s) %% %ldu);", number, of->classes);
    lo_line(text, "const int ki = (int)((unsigned)(%s) / %ldu) * %ld;", number, of->classes,
            of->group);
  }
  lo_line(text, "(void)kc;");
  lo_line(text, "(void)ki;");
}

static bool groups_are_slices(const lo_tf32 *of) {
  return of->group == of->tile.depth;
}

/* are there numbers in a group that are no inner numbers? */
static bool fills_up(const lo_tf32 *of) {
  long depth = (of->inner + of->group - 1) / of->group * of->group * of->classes;
  return of->inner % of->group != 0 || depth % of->tile.depth != 0;
}

/* Fragments of eight k lie behind each other, those of a tile's rows too. */
static void copy_packed(tf32_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_tf32_side *side = &of->side[which];
  char *pointer = lo_global_pointer(text->job, side->val);
  long vectors = (long)writer->tile[which] * 8 / VECTOR; /* of eight k */
  long eights = of->tile.depth / 8;
  long rounds = (vectors + writer->threads - 1) / writer->threads;
  if (groups_are_slices(of))
    lo_line(text, "const size_t at = b%d + (size_t)(ki * %ld + kc * %ld) * %ld;", which,
            of->classes, of->group, 4 * side->pitch);
  else
    lo_line(text, "const size_t at = b%d + (size_t)l * %ld;", which,
            4 * side->pitch * of->tile.depth);
  for (long part = 0; part < (of->tile.in_parts ? 2 : 1); part++) {
    long from = part * 4 * lo_tf32_depth(of) * side->pitch;
    long to = part * writer->behind[1] / 2;
    for (long round = 0; round < rounds; round++) {
      long beyond = 16 * round * writer->threads;
      if (vectors % writer->threads)
        lo_line(text, "if (tid < %ld)", vectors - round * writer->threads);
      lo_line(text,
              "as_cp_async_row<16, %ld, %ld, %ldL>(sm, to + 16 * tid + %ld, %s, at + %ld, %ld);",
              eights, 16 * vectors, 32 * side->pitch, beyond + to, pointer, beyond + from, eights);
    }
  }
  free(pointer);
}

static void copy_group(tf32_text *writer, int which, sharing share) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const lo_tf32_side *side = &of->side[which];
  char *pointer = lo_global_pointer(text->job, side->val);
  char *moving = lo_index(text, side->moving);
  char *guard = side->guard && !LO_FAULT(LO_FAULT_PREDICATION) ? lo_condition(text, side->guard)
                                                               : as_strdup("true");
  lo_line(text, "const int k1 = ki + kk %% %ld;", of->group);
  lo_line(text, "const bool there = (r%d < %s) & %s;", which, extent_name[which], guard);
  lo_line(text, "const size_t at = (size_t)(b%d + %s + k1 * %ld) * 4;", which, moving, side->step);
  char *left = fills_up(of) ? as_format("%ld - k1", of->inner) : as_format("%ld", share.each);
  lo_line(text,
          "as_cp_async_row<%ld, %ld, %ld, %ldL>(sm, to + 4 * (kk * %ld + x%d), %s, at, there ? %s "
          ": 0);",
          4 * share.vector, share.each, 4 * writer->pitch[which], 4 * side->step,
          writer->pitch[which], which, pointer, left);
  free(left);
  free(guard);
  free(moving);
  free(pointer);
}

static void copy_read(tf32_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  sharing share = share_out(writer, which);
  bool four = share.vector == VECTOR;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int n_ = 0; n_ < %ld; n_ += %ld) {", share.copies, share.each);
  text->indent++;
  if (share.idle)
    lo_line(text, "if (tid >= %ld) break;", of->tile.depth * share.lanes);
  if (four)
    lo_line(text, "const int kk = y%d + n_ * %ld;", which, writer->threads / share.lanes);
  else
    lo_line(text, "const int kk = y%d * %ld + n_;", which, share.copies);
  if (!groups_are_slices(of)) {
    lo_line(text, "const int w = (l * %u + kk) / %ld;", of->tile.depth, of->group);
    declare_group(writer, "w");
  }
  copy_group(writer, which, share);
  lo_tf32_close(text, "}");
}

static void define_fetch(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  lo_tf32_open(text, "auto fetch = [&](int l, int slot) {");
  if (groups_are_slices(of))
    declare_group(writer, "l");
  for (int which = 0; which < 2; which++) {
    lo_tf32_open(text, "{");
    lo_line(text, "const int to = slot * %ld + %ld;", writer->stage, writer->behind[which]);
    if (of->side[which].packed)
      copy_packed(writer, which);
    else if (of->side[which].fetch == AS_FETCH_DEPTH)
      copy_along_depth(writer);
    else
      copy_read(writer, which);
    lo_tf32_close(text, "}");
  }
  lo_tf32_close(text, "};");
}

/* The classes (and remainders) that the block has terms of: a thread looks at each, and counts
 * those in front of it, so that they stand in a list in their order. */
static void find_classes(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  long entries = of->classes * of->phases;
  long list = writer->stage * of->tile.stages;
  long flags = list + 4 * entries;
  char *needed = lo_condition(text, of->needed);
  lo_line(text, "for (int entry = tid; entry < %ld; entry += %u) {", entries, writer->threads);
  text->indent++;
  lo_line(text, "const int kc = entry %% %ld;", of->classes);
  lo_line(text, "(void)kc;");
  if (of->phases > 1) {
    lo_line(text, "const int %s = entry / %ld;", fetched_name[of->phase], of->classes);
    lo_line(text, "(void)%s;", fetched_name[of->phase]);
  }
  lo_line(text, "as_sts_int(sm, %ld + 4 * entry, %s ? 1 : 0);", flags, needed);
  lo_tf32_close(text, "}");
  lo_barrier(text, NULL);
  lo_line(text, "int live = 0;");
  lo_line(text,
          "for (int entry = 0; entry < %ld; entry++) live += as_lds_int(sm, %ld + 4 * entry);",
          entries, flags);
  lo_line(text, "for (int entry = tid; entry < %ld; entry += %u) {", entries, writer->threads);
  text->indent++;
  lo_line(text, "int place = 0;");
  lo_line(text, "for (int j = 0; j < entry; j++) place += as_lds_int(sm, %ld + 4 * j);", flags);
  lo_line(text, "if (as_lds_int(sm, %ld + 4 * entry))", flags);
  lo_line(text, "  as_sts_int(sm, %ld + 4 * place, entry %% %ld + (entry / %ld << 16));", list,
          of->classes, of->classes);
  lo_tf32_close(text, "}");
  lo_barrier(text, NULL);
  free(needed);
}

/* --- multiplying */

/* reads the fragments of rows and columns for eight k */
static void read_fragments(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  long step[2];
  for (int which = 0; which < 2; which++)
    step[which] = of->side[which].packed ? (long)writer->tile[which] : writer->pitch[which];
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++) {", of->tile.warp_rows / 16);
  if (of->side[0].packed)
    lo_line(text, "  as_lds4_f32(fa[i], sm, from_a + 4 * (kk * %ld + i * 128));", step[0]);
  for (int h = 0; h < 2 && !of->side[0].packed; h++)
    lo_line(text, "  as_lds2_f32(fa[i] + %d, sm, from_a + 4 * ((kk + %d) * %ld + i * 16));", 2 * h,
            4 * h, step[0]);
  lo_line(text, "}");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %u; j%s) {", of->tile.warp_columns / 8,
          of->side[1].packed ? " += 2" : "++");
  if (of->side[1].packed)
    lo_line(text, "  as_lds4_f32(fb[j], sm, from_b + 4 * (kk * %ld + j * 64));", step[1]);
  for (int h = 0; h < 2 && !of->side[1].packed; h++)
    lo_line(text, "  fb[j][%d] = as_lds_f32(sm, from_b + 4 * ((kk + %d) * %ld + j * 8));", h, 4 * h,
            step[1]);
  lo_line(text, "}");
}

static void round_fragments(tf32_text *writer) {
  static const char *const element[] = {"fa[i / 4][i % 4]", "fb[i / 2][i % 2]"};
  const as_target_tf32 *tile = &writer->of->tile;
  uint32_t extent[2] = {tile->warp_rows, tile->warp_columns};
  for (int which = 0; which < 2; which++) {
    if (writer->of->side[which].packed)
      continue;
    lo_line(&writer->text, "#pragma unroll");
    lo_line(&writer->text, "for (int i = 0; i < %u; i++) %s = as_tf32f(%s);", extent[which] / 4,
            element[which], element[which]);
  }
}

static void multiply(tf32_text *writer) {
  lo_text *text = &writer->text;
  const as_target_tf32 *tile = &writer->of->tile;
  uint32_t columns = tile->warp_columns / 8;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int kk = 0; kk < %u; kk += 8) {", tile->depth);
  text->indent++;
  lo_line(text, "float fa[%u][4], fb[%u][2];", tile->warp_rows / 16, columns);
  read_fragments(writer);
  round_fragments(writer);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", tile->warp_rows / 16);
  lo_line(text, "#pragma unroll");
  lo_line(text, "  for (int j = 0; j < %u; j++) as_mma_tf32(acc[i][j], fa[i], fb[j]);", columns);
  lo_tf32_close(text, "}");
}

static void loop(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_tf32 *of = writer->of;
  const as_target_tf32 *tile = &of->tile;
  long ahead = tile->stages - 1;
  if (tile->patch)
    lo_line(text, "const int rounds = %ld;",
            (of->inner + of->group - 1) / of->group * (of->classes / tile->taps));
  else if (of->skips)
    lo_line(text, "const int rounds = live * %ld;", (of->inner + of->group - 1) / of->group);
  else
    lo_line(text, "const int rounds = %ld;", lo_tf32_depth(of) / tile->depth);
  lo_line(text, "const int row = warp / %u * %u, column = warp %% %u * %u;", tile->warps_columns,
          tile->warp_rows, tile->warps_columns, tile->warp_columns);
  lo_line(text, "(void)row;");
  lo_line(text,
          tile->by_groups      ? "const int lane_a = 0;"
          : of->side[0].packed ? "const int lane_a = 4 * (row * 8 + lane * 4);"
                               : "const int lane_a = 4 * ((lane & 3) * %ld + row + (lane >> 2) "
                                 "* 2);",
          writer->pitch[0]);
  if (tile->patch)
    lo_line(text, "const int lane_b = %ld + 4 * (lane & 3) * %ld;", writer->behind[1], tile->patch);
  else
    lo_line(
        text,
        of->side[1].packed ? "const int lane_b = %ld + 4 * (column * 8 + lane * 4);"
        : tile->along_depth
            ? "const int lane_b = %ld + 4 * ((lane & 3) * 4 + (column + (lane >> 2) * 2) * %ld);"
        : tile->by_groups
            ? "const int lane_b = %ld + 4 * ((lane & 3) * %ld + column + (lane >> 2) * 2);"
            : "const int lane_b = %ld + 4 * ((lane & 3) * %ld + column + (lane >> 2));",
        writer->behind[1], tile->along_depth ? (long)tile->depth + 8 : writer->pitch[1]);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int l = 0; l < %ld; l++) {", ahead);
  lo_line(text, "  if (l < rounds) fetch(l, l);");
  lo_line(text, "  as_cp_commit();");
  lo_line(text, "}");
  lo_line(text, "int slot = 0, next = %ld;", ahead);
  lo_line(text, "#pragma unroll 1");
  lo_line(text, "for (int l = 0; l < rounds; l++) {");
  text->indent++;
  lo_line(text, "as_cp_wait<%ld>();", LO_FAULT(LO_FAULT_PIPELINING) ? ahead : ahead - 1);
  if (tile->by_groups)
    lo_line(text, "as_shared_seen();");
  if (!LO_FAULT(LO_FAULT_SCHEDULE))
    lo_barrier(text, NULL);
  lo_line(text, "if (l + %ld < rounds) fetch(l + %ld, next);", ahead, ahead);
  lo_line(text, "as_cp_commit();");
  lo_line(text, "const int from_a = slot * %ld + lane_a, from_b = slot * %ld + lane_b;",
          writer->stage, writer->stage);
  if (tile->by_groups)
    lo_tf32_multiply_groups(writer);
  else
    multiply(writer);
  lo_line(text, "slot = slot == %ld ? 0 : slot + 1;", ahead);
  lo_line(text, "next = next == %ld ? 0 : next + 1;", ahead);
  lo_tf32_close(text, "}");
}

/* --- storing */

/* what is stored of the sum in a register, which a read of the sum is */
static void read_or_register(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  if (id == text->unit->flat_val)
    as_str_add(out, "acc[i][j][e * 2 + c]");
  else
    lo_read_global(text, out, id, idx, n);
}

/* two columns of a row */
static void store_row(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  const lo_value *stored = &text->job->value[plan->stored];
  const char *type = lo_dtype_name(stored->dtype);
  char *pointer = lo_global_pointer(text->job, plan->stored);
  bool whole = plan->side[1].extent % writer->tile[1] == 0 || LO_FAULT(LO_FAULT_PREDICATION);
  bool vectors = plan->stores_vectors;
  lo_line(text, "float r[%d];", STORED);
  if (vectors)
    lo_line(text, "size_t to = 0;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int c = 0; c < %d; c++) {", STORED);
  text->indent++;
  if (!whole && !vectors)
    lo_line(text, "if (first + c >= columns) break;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[1].axis, plan->side[1].n_axis,
                 "(first + c)");
  if (plan->inside) {
    char *inside = lo_condition(text, plan->inside);
    lo_line(text, "if (!%s) continue;", inside);
    free(inside);
  }
  char *body = lo_expr(text, plan->stored_body);
  lo_line(text, "r[c] = %s;", body);
  char *offset = lo_global_offset(text, stored, plan->index, stored->rank);
  if (vectors)
    lo_line(text, "if (c == 0) to = %s;", offset);
  else
    lo_line(text, "as_stg_%s<1>(%s, %s, r + c);", type, pointer, offset);
  free(offset);
  free(body);
  lo_tf32_close(text, "}");
  if (vectors)
    lo_line(text, "as_stg_%s<%d>(%s, to, r);", type, STORED, pointer);
  free(pointer);
}

static void store(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  const as_target_tf32 *tile = &writer->of->tile;
  lo_tf32_name_axes(writer, lo_tf32_stored_name);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %u; j++) {", tile->warp_columns / 8);
  text->indent++;
  lo_line(text, "const %s first = n0 + column + j * 8 + (lane & 3) * 2;",
          lo_tf32_index_type(writer, 1));
  if (plan->side[1].extent % writer->tile[1])
    lo_line(text, "if (first >= columns) continue;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", tile->warp_rows / 16);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int e = 0; e < 2; e++) {");
  text->indent++;
  lo_line(text, "const %s at = m0 + row + i * 16 + (lane >> 2) * 2 + e;",
          lo_tf32_index_type(writer, 0));
  if (plan->side[0].extent % writer->tile[0])
    lo_line(text, "if (at >= rows) continue;");
  lo_simt_decode(text, plan, lo_tf32_stored_name, plan->side[0].axis, plan->side[0].n_axis, "at");
  store_row(writer);
  lo_tf32_close(text, "}");
  lo_tf32_close(text, "}");
}

/* --- the kernel */

/* Is the axis what remains of an index of the result, so that its elements lie between those of
 * other batches? */
static bool is_remainder(const lo_tf32 *of, const lo_value *stored, int axis) {
  for (int i = 0; i < stored->rank; i++) {
    const lx *index = of->plan.index[i];
    if (index->op == LX_ADD && index->kid[1]->op == LX_VAR && index->kid[1]->number == axis)
      return true;
  }
  return false;
}

/* Batches of remainders go last, which count fastest; how many there are. */
static long remainders_last(const lo_tf32 *of, const lo_value *stored, int *batch) {
  const lo_simt *plan = &of->plan;
  long remainders = 1;
  int n = 0;
  for (int last = 0; last < 2; last++) {
    for (int i = 0; i < plan->n_batch; i++) {
      bool remains = is_remainder(of, stored, plan->batch[i]);
      if (remains != last)
        continue;
      batch[n++] = plan->batch[i];
      remainders *= remains ? plan->dim[plan->batch[i]] : 1;
    }
  }
  return remainders;
}

/* Blocks whose results lie between each other follow each other, then those that read the same
 * columns where there are more of those. */
static void declare_places(tf32_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = &writer->of->plan;
  long tiles[2];
  int batch[LO_SIMT_AXES];
  const lo_value *stored = &text->job->value[plan->stored];
  long fastest = remainders_last(writer->of, stored, batch);
  const char *number = lo_block_number(text->unit);
  char *block = fastest == 1 ? as_strdup(number) : as_format("(%s / %ldu)", number, fastest);
  for (int which = 0; which < 2; which++) {
    long extent = plan->side[which].extent;
    tiles[which] = (extent + writer->tile[which] - 1) / writer->tile[which];
    lo_line(text, "const %s %s = %ld;", lo_tf32_index_type(writer, which), extent_name[which],
            extent);
    lo_line(text, "(void)%s;", extent_name[which]);
  }
  int fast = tiles[0] <= tiles[1] ? 0 : 1;
  lo_line(text, "const %s %s = (%s)(%s %% %ldu) * %u;", lo_tf32_index_type(writer, fast),
          first_name[fast], lo_tf32_index_type(writer, fast), block, tiles[fast],
          writer->tile[fast]);
  lo_line(text, "const %s %s = (%s)(%s / %ldu %% %ldu) * %u;", lo_tf32_index_type(writer, 1 - fast),
          first_name[1 - fast], lo_tf32_index_type(writer, 1 - fast), block, tiles[fast],
          tiles[1 - fast], writer->tile[1 - fast]);
  if (fastest == 1)
    lo_line(text, "const unsigned batch = %s / %ldu / %ldu;", block, tiles[0], tiles[1]);
  else
    lo_line(text, "const unsigned batch = %s / %ldu / %ldu * %ldu + %s %% %ldu;", block, tiles[0],
            tiles[1], fastest, number, fastest);
  lo_line(text, "(void)batch;");
  lo_simt_decode(text, plan, fetched_name, batch, plan->n_batch, "batch");
  free(block);
  for (int which = 0; which < 2; which++)
    declare_side(writer, which);
}

static tf32_text prepare(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_tf32 *of = unit->tf32;
  const lo_simt *plan = &of->plan;
  tf32_text writer = {
      .text = {.job = job,
               .unit = unit,
               .out = out,
               .ref = of->tile.by_groups ? lo_tf32_group_register : read_or_register,
               .eager = true},
      .of = of,
      .tile = {as_target_tf32_rows(&of->tile), as_target_tf32_columns(&of->tile)},
      .threads = as_target_tf32_threads(&of->tile)};
  for (int i = 0; i < plan->n_axis; i++) {
    writer.var[i] = fetched_name[i];
    writer.text.extent[i] = plan->dim[i];
  }
  writer.var[plan->n_axis] = "ki";
  writer.text.extent[plan->n_axis] = of->inner;
  writer.var[plan->n_axis + 1] = "kc";
  writer.text.extent[plan->n_axis + 1] = of->classes;
  writer.text.n_extent = plan->n_axis + 2;
  for (int which = 0; which < 2; which++)
    writer.pitch[which] = as_target_tf32_pitch(&of->tile, which);
  writer.behind[1] = as_target_tf32_slice(&of->tile, 0);
  writer.stage = writer.behind[1] + as_target_tf32_slice(&of->tile, 1);
  return writer;
}

bool lo_emit_tf32(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_tf32 *of = unit->tf32;
  const as_target_tf32 *tile = &of->tile;
  tf32_text writer = prepare(job, unit, out);
  lo_text *text = &writer.text;
  text->var = writer.var;
  unit->warps = (int)(writer.threads / 32);
  unit->stages = (int)tile->stages;
  unit->levels[LO_BODY] = 1;
  unit->n_mma = (int)(tile->warp_rows / 16 * (tile->warp_columns / 8) * (tile->depth / 8));
  if (tile->by_groups)
    unit->n_mma = (int)(tile->warp_columns / 16 * (tile->depth / 8));
  unit->smem = as_target_tf32_shared(tile);
  long staged = of->staged ? 4 * lo_tf32_staged_rows(of) * lo_tf32_staged_pitch(of) : 0;
  unit->smem = staged > unit->smem ? staged : unit->smem;
  if (!lo_check_blocks(job, unit))
    return false;
  as_str_printf(
      &job->notes,
      "%s: contraction in TF32%s %ldx%ldx%ldx%ld, tiles %ux%u in slices of %u, %u stages, "
      "warps %ux%u%s; %ld classes of %ld terms in groups of %ld%s%s%s\n",
      unit->name, tile->in_parts ? " parts" : "", of->plan.batches, of->plan.side[0].extent,
      of->plan.side[1].extent, job->value[unit->flat_val].extent, writer.tile[0], writer.tile[1],
      tile->depth, tile->stages, tile->warp_rows, tile->warp_columns,
      tile->by_groups ? " by warpgroups" : "", of->classes, of->inner, of->group,
      of->skips     ? ", those without terms are left out"
      : tile->patch ? ", several from one patch"
                    : "",
      of->staged ? ", stored through shared memory" : "",
      of->plan.fold_body ? ", rows reduced" : "");
  lo_kernel_head(text, writer.threads,
                 as_target_tf32_resident(job->options->target, tile, (uint32_t)of->phases));
  lo_tf32_open(text, "{");
  lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int tid = as_tid(), lane = tid & 31, warp = tid >> 5;");
  declare_places(&writer);
  if (of->skips)
    find_classes(&writer);
  if (tile->patch)
    lo_tf32_fetch_patch(&writer);
  else
    define_fetch(&writer);
  if (tile->by_groups)
    lo_line(text, "float acc[%ld][%u][%u] = {};", of->phases, tile->warp_columns / 16,
            tile->warp_rows / 2);
  else
    lo_line(text, "float acc[%u][%u][4] = {};", tile->warp_rows / 16, tile->warp_columns / 8);
  loop(&writer);
  if (of->staged)
    lo_tf32_store_staged(&writer);
  else if (tile->by_groups)
    lo_tf32_store_groups(&writer);
  else
    store(&writer);
  lo_tf32_close(text, "}\n");
  free(text->memo);
  return true;
}

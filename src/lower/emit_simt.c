/* Text of a contraction by register tiles: a slice of k of both operands is fetched to registers
 * while the one before is multiplied, then stored to the other of two shared tiles, k by k, so that
 * a thread reads four rows and four columns of a k at once. */
#include "beside.h"
#include "emit.h"
#include "fault.h"
#include "live.h"
#include "simt.h"
#include <limits.h>
#include <stdlib.h>

enum { VECTOR = 4 };

static const char *const axis_name[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9"};
static const char *const register_name[] = {"ra", "rb"};
static const char *const first_name[] = {"m0", "n0"};

typedef struct {
  lo_text text;
  const lo_simt *plan;
  const lo_value *sum;
  const char *var[LO_SIMT_AXES + 1 + LO_SIMT_TABLE];
  uint32_t tile[2]; /* rows and columns of a block */
  uint32_t threads;
  long shared_at[2]; /* bytes of each operand's pair of slices */
  long slice[2];     /* bytes of one slice */
  long pitch[2];     /* elements from one k to the next */
} simt_text;

static void open(lo_text *text, const char *line) {
  lo_line(text, "%s", line);
  text->indent++;
}

static void close(lo_text *text) {
  text->indent--;
  lo_line(text, "}");
}

static char *axis_extent(const lo_job *job, const lo_simt *plan, int axis) {
  return plan->live_dim[axis] ? lo_cut_text(job, lo_cut_row(job, plan->live_dim[axis]))
                              : as_format("%ld", plan->dim[axis]);
}

char *lo_simt_extent_text(const lo_job *job, const lo_simt *plan, int which) {
  const lo_simt_side *side = &plan->side[which];
  bool live = false;
  for (int i = 0; i < side->n_axis; i++)
    live |= plan->live_dim[side->axis[i]] > 0;
  if (!live)
    return as_format("%ld", side->extent);
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(");
  for (int i = 0; i < side->n_axis; i++) {
    char *extent = axis_extent(job, plan, side->axis[i]);
    as_str_printf(&out, "%s(%s)%s", i ? " * " : "", lo_index_type(side->extent), extent);
    free(extent);
  }
  as_str_add(&out, ")");
  return as_str_take(&out);
}

/* an unsigned type of numbers up to `most`, which divides in fewer instructions */
static const char *unsigned_type(long most) {
  return most <= INT_MAX ? "unsigned" : "unsigned long long";
}

void lo_simt_decode(lo_text *text, const lo_simt *plan, const char *const *name, const int *axis,
                    int n, const char *flat) {
  long elements = 1;
  for (int i = 0; i < n; i++)
    elements *= plan->dim[axis[i]];
  const char *flat_type = unsigned_type(elements);
  as_str below;
  as_str_init(&below);
  as_str_printf(&below, "(%s)1", flat_type);
  for (int i = n; i-- > 0;) {
    const char *type = lo_index_type(plan->dim[axis[i]]);
    char *extent = axis_extent(text->job, plan, axis[i]);
    if (i > 0)
      lo_line(text, "const %s %s = (%s)((%s)(%s) / (%s) %% (%s)(%s));", type, name[axis[i]], type,
              flat_type, flat, below.s, flat_type, extent);
    else
      lo_line(text, "const %s %s = (%s)((%s)(%s) / (%s));", type, name[axis[i]], type, flat_type,
              flat, below.s);
    lo_line(text, "(void)%s;", name[axis[i]]);
    as_str_printf(&below, " * (%s)(%s)", flat_type, extent);
    free(extent);
  }
  as_str_clear(&below);
}

static void decode(simt_text *writer, const int *axis, int n, const char *flat) {
  lo_simt_decode(&writer->text, writer->plan, axis_name, axis, n, flat);
}

/* --- fetching */

static long elements_at_once(const lo_simt_side *side) {
  return side->fetch == AS_FETCH_VECTOR ? VECTOR : 1;
}

static long rounds_of(const simt_text *writer, int which) {
  long accesses = (long)writer->tile[which] * writer->plan->tile.depth /
                  elements_at_once(&writer->plan->side[which]);
  return (accesses + writer->threads - 1) / writer->threads;
}

/* `x`, `kk`: the place in the slice of access number n_ of this thread */
static void place_in_slice(simt_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_simt_side *side = &writer->plan->side[which];
  long vector = elements_at_once(side);
  uint32_t tile = writer->tile[which];
  uint32_t depth = writer->plan->tile.depth;
  long accesses = (long)tile * depth / vector;
  lo_line(text, "const int e = tid + n_ * %u;", writer->threads);
  lo_line(text, "(void)e;");
  if (accesses % writer->threads)
    lo_line(text, "if (e >= %ld) break;", accesses);
  if (side->along_depth)
    lo_line(text, "const int x = e / %ld, kk = e %% %ld * %ld;", depth / vector, depth / vector,
            vector);
  else if (writer->threads % (tile / vector) == 0)
    lo_line(text, "const int x = tid %% %ld * %ld, kk = tid / %ld + n_ * %ld;", tile / vector,
            vector, tile / vector, writer->threads / (tile / vector));
  else
    lo_line(text, "const int x = e %% %ld * %ld, kk = e / %ld;", tile / vector, vector,
            tile / vector);
}

static void open_rounds(simt_text *writer, int which) {
  open(&writer->text, "{");
  lo_line(&writer->text, "#pragma unroll");
  lo_line(&writer->text, "for (int n_ = 0; n_ < %ld; n_++) {", rounds_of(writer, which));
  writer->text.indent++;
  place_in_slice(writer, which);
}

static void close_rounds(simt_text *writer) {
  close(&writer->text);
  close(&writer->text);
}

/* one element of an access, `inside` or 0: a guard of indices goes with that, so that one predicate
 * decides on the read */
static void read_element(simt_text *writer, const lo_simt_side *side, const char *registers,
                         bool whole) {
  lo_text *text = &writer->text;
  const lx *body = side->body;
  const lx *otherwise = body->op == LX_IF ? body->kid[2] : NULL;
  bool guarded = otherwise && lo_is_cheap_condition(body->kid[0]) && otherwise->op == LX_NUM &&
                 !(otherwise->real < 0 || otherwise->real > 0);
  char *guard = guarded ? lo_condition(text, body->kid[0]) : NULL;
  lo_line(text, "bool there = %s;", whole ? "true" : "inside");
  if (guard)
    lo_line(text, "there = there & %s;", guard);
  lo_line(text, "%s[n_] = 0.0f;", registers);
  lo_line(text, "if (there) {");
  text->indent++;
  char *element = lo_expr(text, guarded ? body->kid[1] : body);
  lo_line(text, "%s[n_] = %s;", registers, element);
  close(text);
  free(element);
  free(guard);
}

/* four elements of an access that follow each other, `inside` or 0 */
static void read_vector(simt_text *writer, const lo_simt_side *side, const char *registers,
                        bool whole) {
  lo_text *text = &writer->text;
  const lo_value *tensor = &text->job->value[side->body->val];
  char *pointer = lo_global_pointer(text->job, side->body->val);
  char *offset = lo_global_offset(text, tensor, side->body->kid, side->body->n);
  for (int j = 0; !whole && j < VECTOR; j++)
    lo_line(text, "%s[n_ * 4 + %d] = 0.0f;", registers, j);
  lo_line(text, "%sas_ldg4_%s(%s + n_ * 4, %s, %s);", whole ? "" : "if (inside) ",
          lo_dtype_name(tensor->dtype), registers, pointer, offset);
  free(pointer);
  free(offset);
}

static long table_at(const simt_text *writer, int which) {
  return as_target_simt_tables(&writer->plan->tile) +
         which * as_target_simt_table(&writer->plan->tile);
}

static bool has_tables(const lo_simt *plan) {
  return plan->side[0].n_table || plan->side[1].n_table;
}

/* the integers that k alone determines, for each k of slice l */
static void define_tables(simt_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  const char *type = lo_index_type(writer->sum->extent + 64);
  lo_line(text, "auto tabulate = [&](%s l) {", type);
  text->indent++;
  lo_line(text, "if (tid < %u) {", plan->tile.depth);
  text->indent++;
  lo_line(text, "const %s k = l * %u + tid;", type, plan->tile.depth);
  for (int which = 0; which < 2; which++) {
    const lo_simt_side *side = &plan->side[which];
    if (side->n_table == 0)
      continue;
    open(text, "{");
    lo_line(text, "int q[%d] = {};", LO_SIMT_TABLE);
    for (int i = 0; i < side->n_table; i++) {
      char *entry = lo_index(text, side->table[i]);
      lo_line(text, "q[%d] = (int)(%s);", i, entry);
      free(entry);
    }
    lo_line(text, "as_sts4_int(sm, %ld + (int)(l & 1) * %u + tid * 16, q);",
            table_at(writer, which), plan->tile.depth * 16);
    close(text);
  }
  close(text);
  text->indent--;
  lo_line(text, "};");
}

/* is the extent a multiple of the tile in every launch? */
static bool fills_tiles(const lo_simt *plan, int which, uint32_t tile) {
  const lo_simt_side *side = &plan->side[which];
  for (int i = 0; i < side->n_axis; i++) {
    if (plan->live_dim[side->axis[i]])
      return false;
  }
  return side->extent % tile == 0;
}

/* the variables behind k are those of the operand's table */
static void use_table(simt_text *writer, const lo_simt_side *side) {
  static const char *const entry[LO_SIMT_TABLE] = {"q[0]", "q[1]", "q[2]", "q[3]"};
  int first = writer->plan->n_axis + 1;
  for (int i = 0; i < side->n_table; i++) {
    writer->var[first + i] = entry[i];
    writer->text.extent[first + i] = side->table_extent[i];
  }
  writer->text.n_extent = first + side->n_table;
}

static void fetch_side(simt_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  const lo_simt_side *side = &plan->side[which];
  bool whole_depth = !writer->sum->extent_live && writer->sum->extent % plan->tile.depth == 0;
  bool whole = fills_tiles(plan, which, writer->tile[which]) && whole_depth;
  const char *registers = register_name[which];
  const char *type = lo_index_type(side->extent + writer->tile[which]);
  open_rounds(writer, which);
  lo_line(text, "const %s at = %s + x;", type, first_name[which]);
  lo_line(text, "const %s k = l * %u + kk;", lo_index_type(writer->sum->extent + 64),
          plan->tile.depth);
  lo_line(text, "(void)k;");
  if (!whole)
    lo_line(text, "const bool inside = (at < %s) & (k < depth);", which ? "columns" : "rows");
  decode(writer, side->axis, side->n_axis, "at");
  use_table(writer, side);
  if (side->n_table) {
    lo_line(text, "int q[%d];", LO_SIMT_TABLE);
    lo_line(text, "as_lds4_int(q, sm, %ld + (int)(l & 1) * %u + kk * 16);", table_at(writer, which),
            plan->tile.depth * 16);
  }
  if (side->fetch == AS_FETCH_VECTOR)
    read_vector(writer, side, registers, whole);
  else
    read_element(writer, side, registers, whole);
  close_rounds(writer);
}

static void put_side(simt_text *writer, int which) {
  lo_text *text = &writer->text;
  const lo_simt_side *side = &writer->plan->side[which];
  long vector = elements_at_once(side);
  open_rounds(writer, which);
  lo_line(text, "const int to = %ld + slot * %ld + 4 * (kk * %ld + x);", writer->shared_at[which],
          writer->slice[which], writer->pitch[which]);
  if (vector == 1)
    lo_line(text, "as_sts_f32(sm, to, %s[n_]);", register_name[which]);
  else if (!side->along_depth)
    lo_line(text, "as_sts4_f32(sm, to, %s + n_ * 4);", register_name[which]);
  for (long j = 0; vector > 1 && side->along_depth && j < vector; j++)
    lo_line(text, "as_sts_f32(sm, to + %ld, %s[n_ * 4 + %ld]);", j * 4 * writer->pitch[which],
            register_name[which], j);
  close_rounds(writer);
}

static void define_fetch(simt_text *writer) {
  lo_text *text = &writer->text;
  for (int side = 0; side < 2; side++)
    lo_line(text, "float %s[%ld];", register_name[side],
            rounds_of(writer, side) * elements_at_once(&writer->plan->side[side]));
  lo_line(text, "auto fetch = [&](%s l) {", lo_index_type(writer->sum->extent + 64));
  text->indent++;
  fetch_side(writer, 0);
  fetch_side(writer, 1);
  text->indent--;
  lo_line(text, "};");
  open(text, "auto put = [&](int slot) {");
  put_side(writer, 0);
  put_side(writer, 1);
  text->indent--;
  lo_line(text, "};");
}

/* --- multiplying */

/* rows that stand side by side in a thread; a thread has these `thread_rows / side_by_side` times,
 * with the other lanes' between */
static uint32_t side_by_side(const as_target_simt *tile) {
  return tile->thread_rows < VECTOR ? tile->thread_rows : VECTOR;
}

static void read_fragments(simt_text *writer) {
  lo_text *text = &writer->text;
  const as_target_simt *tile = &writer->plan->tile;
  uint32_t chunk = side_by_side(tile);
  for (uint32_t i = 0; i < tile->thread_rows; i += chunk) {
    long from = writer->shared_at[0] + 4L * i * tile->lanes_rows;
    for (uint32_t j = 0; chunk < VECTOR && j < chunk; j++)
      lo_line(text, "fa[%u] = as_lds_f32(sm, %ld + slot * %ld + 4 * (kk * %ld + row));", i + j,
              from + 4L * j, writer->slice[0], writer->pitch[0]);
    if (chunk == VECTOR)
      lo_line(text, "as_lds4_f32(fa + %u, sm, %ld + slot * %ld + 4 * (kk * %ld + row));", i, from,
              writer->slice[0], writer->pitch[0]);
  }
  for (uint32_t i = 0; i < tile->thread_columns; i += VECTOR)
    lo_line(text, "as_lds4_f32(fb + %u, sm, %ld + slot * %ld + 4 * (kk * %ld + column));", i,
            writer->shared_at[1] + 4L * i * (32 / tile->lanes_rows), writer->slice[1],
            writer->pitch[1]);
}

static void multiply(simt_text *writer) {
  lo_text *text = &writer->text;
  const as_target_simt *tile = &writer->plan->tile;
  lo_line(text, "#pragma unroll %u", tile->depth < 16 ? tile->depth : 16);
  lo_line(text, "for (int kk = 0; kk < %u; kk++) {", tile->depth);
  text->indent++;
  lo_line(text, "float fa[%u], fb[%u];", tile->thread_rows, tile->thread_columns);
  read_fragments(writer);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++)", tile->thread_rows);
  lo_line(text, "#pragma unroll");
  lo_line(text, "  for (int j = 0; j < %u; j++) acc[i][j] += fa[i] * fb[j];", tile->thread_columns);
  close(text);
}

static void loop(simt_text *writer) {
  lo_text *text = &writer->text;
  const char *type = lo_index_type(writer->sum->extent + 64);
  bool tables = has_tables(writer->plan);
  if (tables) {
    lo_line(text, "tabulate(0);");
    lo_line(text, "tabulate(1);");
    lo_barrier(text, NULL);
  }
  lo_line(text, "fetch(0);");
  lo_line(text, "put(0);");
  lo_barrier(text, NULL);
  lo_line(text, "const %s rounds = (depth + %u) / %u;", type, writer->plan->tile.depth - 1,
          writer->plan->tile.depth);
  lo_line(text, "#pragma unroll 1");
  lo_line(text, "for (%s l = 0; l < rounds; l++) {", type);
  text->indent++;
  lo_line(text, "const int slot = (int)(l & 1);");
  lo_line(text, "if (l + 1 < rounds) fetch(l + 1);");
  if (tables)
    lo_line(text, "if (l + 2 < rounds) tabulate(l + 2);");
  multiply(writer);
  lo_line(text, "if (l + 1 < rounds) put(slot ^ 1);");
  if (!LO_FAULT(LO_FAULT_SCHEDULE))
    lo_barrier(text, NULL);
  close(text);
}

/* --- storing */

/* what is stored of the sum in a register, which a read of the sum is */
static void read_or_register(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  if (id == text->unit->flat_val)
    as_str_add(out, "acc[i][c + j]");
  else
    lo_read_global(text, out, id, idx, n);
}

static void store_elements(simt_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  const lo_simt_side *columns = &plan->side[1];
  const lo_value *stored = &text->job->value[plan->stored];
  char *pointer = lo_global_pointer(text->job, plan->stored);
  bool vectors = plan->stores_vectors;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int j = 0; j < %d; j++) {", VECTOR);
  text->indent++;
  if (!fills_tiles(plan, 1, writer->tile[1]) && !LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (first + j >= columns) break;");
  decode(writer, columns->axis, columns->n_axis, "(first + j)");
  char *body = lo_expr(text, plan->stored_body);
  lo_line(text, "r[j] = %s;", body);
  free(body);
  char *offset = lo_global_offset(text, stored, plan->index, stored->rank);
  if (vectors)
    lo_line(text, "if (j == 0) to = %s;", offset);
  else
    lo_line(text, "as_stg_%s<1>(%s, %s, r + j);", lo_dtype_name(stored->dtype), pointer, offset);
  free(offset);
  close(text);
  if (vectors)
    lo_line(text, "as_stg_%s<4>(%s, to, r);", lo_dtype_name(stored->dtype), pointer);
  free(pointer);
}

static void store(simt_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  const as_target_simt *tile = &plan->tile;
  uint32_t chunk = side_by_side(tile);
  const char *row_type = lo_index_type(plan->side[0].extent + writer->tile[0]);
  const char *column_type = lo_index_type(plan->side[1].extent + writer->tile[1]);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int i = 0; i < %u; i++) {", tile->thread_rows);
  text->indent++;
  lo_line(text, "const %s at = m0 + row + i / %u * %u + i %% %u;", row_type, chunk,
          chunk * tile->lanes_rows, chunk);
  if (!fills_tiles(plan, 0, writer->tile[0]))
    lo_line(text, "if (at >= rows) break;");
  decode(writer, plan->side[0].axis, plan->side[0].n_axis, "at");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int c = 0; c < %u; c += %d) {", tile->thread_columns, VECTOR);
  text->indent++;
  lo_line(text, "const %s first = n0 + column + c * %u;", column_type, 32 / tile->lanes_rows);
  if (!fills_tiles(plan, 1, writer->tile[1]))
    lo_line(text, "if (first >= columns) break;");
  lo_line(text, "float r[%d];", VECTOR);
  if (plan->stores_vectors)
    lo_line(text, "size_t to = 0;");
  store_elements(writer);
  close(text);
  close(text);
}

/* --- the kernel */

static void declare_extents(simt_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  static const char *const name[] = {"rows", "columns"};
  for (int side = 0; side < 2; side++) {
    char *extent = lo_simt_extent_text(text->job, plan, side);
    lo_line(text, "const %s %s = %s;", lo_index_type(plan->side[side].extent + writer->tile[side]),
            name[side], extent);
    free(extent);
  }
  char *depth = writer->sum->extent_live
                    ? lo_cut_text(text->job, lo_cut_row(text->job, writer->sum->extent_live))
                    : as_format("%ld", writer->sum->extent);
  lo_line(text, "const %s depth = %s;", lo_index_type(writer->sum->extent + 64), depth);
  lo_line(text, "(void)rows; (void)columns;");
  free(depth);
}

static void declare_places(simt_text *writer) {
  lo_text *text = &writer->text;
  const lo_simt *plan = writer->plan;
  const as_target_simt *tile = &plan->tile;
  uint32_t lanes_columns = 32 / tile->lanes_rows;
  lo_line(text, "const unsigned across = (unsigned)((columns + %u) / %u);", writer->tile[1] - 1,
          writer->tile[1]);
  lo_line(text, "const unsigned down = (unsigned)((rows + %u) / %u);", writer->tile[0] - 1,
          writer->tile[0]);
  lo_line(text, "const unsigned bid = %s;", lo_block_number(text->unit));
  for (int side = 0; side < 2; side++)
    lo_line(text, "const %s %s = (%s)(%s) * %u;",
            lo_index_type(plan->side[side].extent + writer->tile[side]), first_name[side],
            lo_index_type(plan->side[side].extent + writer->tile[side]),
            side ? "bid % across" : "bid / across % down", writer->tile[side]);
  lo_line(text, "const unsigned batch = bid / across / down;");
  lo_line(text, "(void)batch;");
  decode(writer, plan->batch, plan->n_batch, "batch");
  lo_line(text, "const int row = warp / %u * %u + lane / %u * %u;", tile->warps_columns,
          tile->lanes_rows * tile->thread_rows, lanes_columns, side_by_side(tile));
  lo_line(text, "const int column = warp %% %u * %u + lane %% %u * %d;", tile->warps_columns,
          lanes_columns * tile->thread_columns, lanes_columns, VECTOR);
}

static simt_text prepare(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_simt *plan = unit->simt;
  simt_text writer = {
      .text = {.job = job, .unit = unit, .out = out, .ref = read_or_register},
      .plan = plan,
      .sum = &job->value[unit->flat_val],
      .tile = {as_target_simt_rows(&plan->tile), as_target_simt_columns(&plan->tile)},
      .threads = as_target_simt_threads(&plan->tile)};
  for (int i = 0; i < plan->n_axis; i++) {
    writer.var[i] = axis_name[i];
    writer.text.extent[i] = plan->dim[i];
  }
  writer.var[plan->n_axis] = "k";
  writer.text.extent[plan->n_axis] = writer.sum->extent;
  writer.text.n_extent = plan->n_axis + 1;
  writer.text.eager = true;
  for (int side = 0; side < 2; side++) {
    writer.pitch[side] = as_target_simt_pitch(writer.tile[side]);
    writer.slice[side] = 4 * writer.pitch[side] * plan->tile.depth;
    writer.shared_at[side] = side ? 2 * writer.slice[0] : 0;
  }
  return writer;
}

bool lo_emit_simt(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_simt *plan = unit->simt;
  const as_target_simt *tile = &plan->tile;
  simt_text writer = prepare(job, unit, out);
  lo_text *text = &writer.text;
  text->var = writer.var;
  unit->warps = (int)(writer.threads / 32);
  unit->stages = 2;
  unit->levels[LO_BODY] = 1;
  unit->smem = as_target_simt_shared(tile);
  if (!lo_check_blocks(job, unit))
    return false;
  as_str_printf(
      &job->notes, "%s: contraction %ldx%ldx%ldx%ld, tiles %ux%u in slices of %u, %ux%u a thread\n",
      unit->name, plan->batches, plan->side[0].extent, plan->side[1].extent, writer.sum->extent,
      writer.tile[0], writer.tile[1], tile->depth, tile->thread_rows, tile->thread_columns);
  lo_kernel_head(text, writer.threads, as_target_simt_resident(job->options->target, tile));
  open(text, "{");
  lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int tid = as_tid(), lane = tid & 31, warp = tid >> 5;");
  declare_extents(&writer);
  declare_places(&writer);
  if (has_tables(plan))
    define_tables(&writer);
  define_fetch(&writer);
  lo_line(text, "float acc[%u][%u] = {};", tile->thread_rows, tile->thread_columns);
  loop(&writer);
  store(&writer);
  text->indent--;
  lo_line(text, "}\n");
  free(text->memo);
  return true;
}

/* Kernel-level operators that are no matrix products: one thread per element of a map, one warp or
 * one thread per result of a reduction, straight from global memory. */
#include "emit.h"
#include "fault.h"
#include "live.h"
#include <stdlib.h>
#include <string.h>

#define FLAT_WARPS 8

static const char *const flat_index_name[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"};

static void decode(lo_text *text, const lo_value *value) {
  for (int i = value->rank; i-- > 0;) {
    const char *type = lo_index_type(value->dim[i]);
    char *below = lo_live_elements(text->job, value, i + 1);
    char *extent = lo_live_dim(text->job, value, i);
    lo_line(text, "const %s i%d = (%s)(e / %s %% %s);", type, i, type, below, extent);
    lo_line(text, "(void)i%d;", i);
    free(below);
    free(extent);
  }
}

/* the text of how many terms a reduction has, malloc'ed */
static char *terms(const lo_job *job, const lo_value *value) {
  return value->extent_live ? lo_cut_text(job, lo_cut_row(job, value->extent_live))
                            : as_format("%ld", value->extent);
}

static const char *identity(const lo_value *value) {
  static const char *const start[] = {
      [LO_SUM] = "0.0f", [LO_PROD] = "1.0f", [LO_MAX] = "-INFINITY", [LO_MIN] = "INFINITY"};
  return start[value->red];
}

static char *joined(const lo_value *value, const char *body) {
  if (value->red == LO_SUM)
    return as_format("x + %s", body);
  if (value->red == LO_PROD)
    return as_format("x * %s", body);
  return as_format("%s(x, %s)", value->red == LO_MAX ? "as_maxf" : "as_minf", body);
}

/* x: one element of a map, by one thread */
static void emit_element(lo_text *text, const lo_value *value, const char *elements) {
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)as_tid();", 32 * FLAT_WARPS);
  if (!LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %s) return;", elements);
  decode(text, value);
  char *body = lo_expr(text, value->body);
  lo_line(text, "const float x = %s;", body);
  free(body);
}

/* Fewer results than this leave most of a GPU idle where each has one thread. */
#define ENOUGH_THREADS 16384

static void reads_along_last(void *arg, const lx *ref) {
  const lo_value *value = ((void **)arg)[0];
  bool *found = ((void **)arg)[1];
  *found |= ref->n > 0 && lx_uses_var(ref->kid[ref->n - 1], value->rank - 1);
}

/* Does a thread per result read memory in the order of the threads?  It does where a tensor's last
 * index moves with that of the result; the lanes of a warp over one result would be far apart. */
static bool one_thread_each(const lo_value *value) {
  bool found = false;
  if (value->rank > 0 && lo_elems(value) >= ENOUGH_THREADS)
    lx_refs(value->body, reads_along_last, (void *[]){(void *)value, &found});
  return found;
}

/* x: one result of a reduction, by one thread */
static void emit_serial(lo_text *text, const lo_value *value, const char *elements) {
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)as_tid();", 32 * FLAT_WARPS);
  if (!LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %s) return;", elements);
  decode(text, value);
  const char *index = flat_index_name[value->rank];
  lo_line(text, "float x = %s;", identity(value));
  char *count = terms(text->job, value);
  lo_line(text, "for (%s %s = 0; %s < %s; ++%s) {", lo_index_type(value->extent), index, index,
          count, index);
  free(count);
  text->indent++;
  char *body = lo_expr(text, value->body);
  char *join = joined(value, body);
  lo_line(text, "x = %s;", join);
  free(body);
  free(join);
  text->indent--;
  lo_line(text, "}");
}

/* x: one result of a reduction, by one warp; its first lane stores it */
static void emit_reduction(lo_text *text, const lo_value *value, const char *elements) {
  lo_line(text, "const int lane = as_tid() & 31;");
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)(as_tid() >> 5);", FLAT_WARPS);
  lo_line(text, "if (e >= %s) return; /* whole warps */", elements);
  decode(text, value);
  const char *index = flat_index_name[value->rank];
  lo_line(text, "float x = %s;", identity(value));
  char *count = terms(text->job, value);
  lo_line(text, "for (%s %s = lane; %s < %s; %s += 32) {", lo_index_type(value->extent + 32), index,
          index, count, index);
  free(count);
  text->indent++;
  char *body = lo_expr(text, value->body);
  char *join = joined(value, body);
  lo_line(text, "x = %s;", join);
  text->indent--;
  lo_line(text, "}");
  free(body);
  free(join);
  join = joined(value, "as_shfl_xor(x, d)");
  lo_line(text, "for (int d = 16; d > 0; d >>= 1) x = %s;", join);
  lo_line(text, "if (lane) return;");
  free(join);
}

/* where the result stands in memory: `e`, unless there is room between rows; malloc'ed */
static char *place_of_result(lo_text *text, const lo_value *value) {
  bool room = false;
  lx *index[AS_MAX_RANK];
  for (int i = 0; i < value->rank; i++) {
    room |= value->live_dim[i] > 0;
    index[i] = lx_var(text->job, i);
  }
  return room ? lo_global_offset(text, value, index, value->rank) : as_strdup("e");
}

bool lo_emit_flat(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_value *value = &job->value[unit->flat_val];
  lo_text writer = {
      .job = job, .unit = unit, .out = out, .ref = lo_read_global, .var = flat_index_name};
  lo_text *text = &writer;
  bool serial = value->kind == LV_RED && one_thread_each(value);
  bool by_warps = value->kind == LV_RED && !serial;
  long elements = lo_elems(value);
  long per_block = by_warps ? FLAT_WARPS : 32 * FLAT_WARPS;
  unit->warps = FLAT_WARPS;
  unit->smem = 0;
  unit->flat_per_block = per_block;
  unit->blocks = (elements + per_block - 1) / per_block;
  if (!lo_check_blocks(job, unit))
    return false;
  char *all = lo_live_elements(job, value, 0);
  lo_axes(text, value);
  lo_line(text, "AS_KERNEL(%d) k%u_%s(as_args a)", 32 * FLAT_WARPS, (unsigned)(unit - job->unit),
          unit->name);
  lo_line(text, "{");
  text->indent++;
  if (elements > 0) {
    if (by_warps)
      emit_reduction(text, value, all);
    else if (serial)
      emit_serial(text, value, all);
    else
      emit_element(text, value, all);
    char *base_pointer = lo_global_pointer(job, unit->flat_val);
    char *place = place_of_result(text, value);
    lo_line(text, "as_stg_%s<1>(%s, %s, &x);", lo_dtype_name(value->dtype), base_pointer, place);
    free(base_pointer);
    free(place);
  } else {
    lo_line(text, "(void)a; /* nothing to compute: it is not launched */");
  }
  text->indent--;
  lo_line(text, "}\n");
  free(all);
  free(writer.memo);
  return true;
}

/* Kernel-level operators that are no matrix products: one thread per element of a map, one warp or
 * one thread per result of a reduction, straight from global memory. */
#include "emit.h"
#include "fault.h"
#include <stdlib.h>
#include <string.h>

#define FLAT_WARPS 8

static const char *const flat_index_name[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"};

static void decode(lo_text *text, const lo_value *value) {
  long below = 1;
  for (int i = value->rank; i-- > 0;) {
    const char *type = lo_index_type(value->dim[i]);
    lo_line(text, "const %s i%d = (%s)(e / %ld %% %ld);", type, i, type, below, value->dim[i]);
    lo_line(text, "(void)i%d;", i);
    below *= value->dim[i];
  }
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
  return as_format("%s(x, %s)", value->red == LO_MAX ? "fmaxf" : "fminf", body);
}

/* x: one element of a map, by one thread */
static void emit_element(lo_text *text, const lo_value *value, long elements) {
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)as_tid();", 32 * FLAT_WARPS);
  if (!LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %ld) return;", elements);
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
static void emit_serial(lo_text *text, const lo_value *value, long elements) {
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)as_tid();", 32 * FLAT_WARPS);
  if (!LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %ld) return;", elements);
  decode(text, value);
  const char *index = flat_index_name[value->rank];
  lo_line(text, "float x = %s;", identity(value));
  lo_line(text, "for (%s %s = 0; %s < %ld; ++%s) {", lo_index_type(value->extent), index, index,
          value->extent, index);
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
static void emit_reduction(lo_text *text, const lo_value *value, long elements) {
  lo_line(text, "const int lane = as_tid() & 31;");
  lo_line(text, "const size_t e = (size_t)as_bid() * %d + (size_t)(as_tid() >> 5);", FLAT_WARPS);
  lo_line(text, "if (e >= %ld) return; /* whole warps */", elements);
  decode(text, value);
  const char *index = flat_index_name[value->rank];
  lo_line(text, "float x = %s;", identity(value));
  lo_line(text, "for (%s %s = lane; %s < %ld; %s += 32) {", lo_index_type(value->extent + 32),
          index, index, value->extent, index);
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
  unit->blocks = (elements + per_block - 1) / per_block;
  if (!lo_check_blocks(job, unit))
    return false;
  lo_axes(text, value);
  lo_line(text, "AS_KERNEL(%d) k%u_%s(as_args a)", 32 * FLAT_WARPS, (unsigned)(unit - job->unit),
          unit->name);
  lo_line(text, "{");
  text->indent++;
  if (elements > 0) {
    if (by_warps)
      emit_reduction(text, value, elements);
    else if (serial)
      emit_serial(text, value, elements);
    else
      emit_element(text, value, elements);
    char *base_pointer = lo_global_pointer(job, unit->flat_val);
    lo_line(text, "as_stg_%s<1>(%s, e, &x);", lo_dtype_name(value->dtype), base_pointer);
    free(base_pointer);
  } else {
    lo_line(text, "(void)a; /* nothing to compute: it is not launched */");
  }
  text->indent--;
  lo_line(text, "}\n");
  free(writer.memo);
  return true;
}

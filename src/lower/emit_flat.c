/* Kernel-level operators that are no matrix products: one thread per element of a map, one warp per
 * result of a reduction, straight from global memory; and the reference, the same definitions as
 * plain loops in double. */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

static char *flat_index(lo_text *text, const lo_value *tensor, lx *const *idx, int n_index) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(size_t)0");
  long stride = 1;
  for (int i = n_index; i-- > 0;) {
    char *piece = lo_index(text, idx[i]);
    if (strcmp(piece, "0"))
      as_str_printf(&out, " + (size_t)%s * %ld", piece, stride);
    free(piece);
    stride *= tensor->dim[i];
  }
  return as_str_take(&out);
}

static void read_global(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_value *value = &text->job->value[id];
  char *offset = flat_index(text, value, idx, n);
  char *base_pointer = lo_global_pointer(text->job, id);
  as_str_printf(out, "as_ldg_%s(%s, %s)", lo_dtype_name(value->dtype), base_pointer, offset);
  free(offset);
  free(base_pointer);
}

static char *var_text[10] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", NULL};

static void decode(lo_text *text, const lo_value *value) {
  long below = 1;
  for (int i = value->rank; i-- > 0;) {
    lo_line(text, "const int i%d = (int)(e / %ld %% %ld);", i, below, value->dim[i]);
    lo_line(text, "(void)i%d;", i);
    below *= value->dim[i];
  }
}

static const char *identity(const lo_value *value, bool dbl) {
  return value->red == LO_SUM    ? (dbl ? "0.0" : "0.0f")
         : value->red == LO_PROD ? (dbl ? "1.0" : "1.0f")
         : value->red == LO_MAX  ? "-INFINITY"
                                 : "INFINITY";
}

static char *joined(const lo_value *value, const char *body, bool dbl) {
  if (value->red == LO_SUM)
    return as_format("x + %s", body);
  if (value->red == LO_PROD)
    return as_format("x * %s", body);
  return as_format("%s%s(x, %s)", value->red == LO_MAX ? "fmax" : "fmin", dbl ? "" : "f", body);
}

bool lo_emit_flat(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_value *value = &job->value[unit->flat_val];
  lo_text writer = {.job = job, .unit = unit, .out = out, .ref = read_global, .var = var_text};
  lo_text *text = &writer;
  bool red = value->kind == LV_RED;
  long elements = lo_elems(value);
  unit->warps = 8;
  unit->smem = 0;
  unit->blocks = red ? (elements + 7) / 8 : (elements + 255) / 256;
  lo_line(text, "AS_KERNEL(256) k%u_%s(as_args a)", (unsigned)(unit - job->unit), unit->name);
  lo_line(text, "{");
  text->indent++;
  if (red) {
    lo_line(text, "const int lane = as_tid() & 31;");
    lo_line(text, "const size_t e = (size_t)as_bid() * 8 + (size_t)(as_tid() >> 5);");
    lo_line(text, "if (e >= %ld) return; /* whole warps */", elements);
  } else {
    lo_line(text, "const size_t e = (size_t)as_bid() * 256 + (size_t)as_tid();");
    lo_line(text, "if (e >= %ld) return;", elements);
  }
  decode(text, value);
  if (red) {
    lo_line(text, "float x = %s;", identity(value, false));
    lo_line(text, "for (int i%d = lane; i%d < %ld; i%d += 32) {", value->rank, value->rank,
            value->extent, value->rank);
    text->indent++;
  }
  char *body = lo_expr(text, value->body);
  if (red) {
    char *join = joined(value, body, false);
    char *shuffle = joined(value, "as_shfl_xor(x, d)", false);
    lo_line(text, "x = %s;", join);
    text->indent--;
    lo_line(text, "}");
    lo_line(text, "for (int d = 16; d > 0; d >>= 1) x = %s;", shuffle);
    lo_line(text, "if (lane) return;");
    free(join);
    free(shuffle);
  } else {
    lo_line(text, "const float x = %s;", body);
  }
  free(body);
  char *base_pointer = lo_global_pointer(job, unit->flat_val);
  lo_line(text, "as_stg_%s<1>(%s, e, &x);", lo_dtype_name(value->dtype), base_pointer);
  free(base_pointer);
  text->indent--;
  lo_line(text, "}\n");
  free(writer.memo);
  return true;
}

static void read_double(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_value *value = &text->job->value[id];
  char *offset = flat_index(text, value, idx, n);
  if (value->buffer_class == LG_INPUT)
    as_str_printf(out, "in[%u][%s]", value->buffer_index, offset);
  else
    as_str_printf(out, "w%u[%s]", id, offset);
  free(offset);
}

bool lo_emit_reference(lo_job *job, as_str *out) {
  as_str_add(
      out,
      "/* The program in double precision, as its operators' specifications say: plain loops, "
      "nothing shared with the kernels. */\n"
      "#include <math.h>\n#include <stddef.h>\n#include <vector>\n"
      "static inline int asr_imin(int a, int b) { return a < b ? a : b; }\nstatic inline int "
      "asr_imax(int a, int b) { return a > b ? a : b; }\n"
      "static inline int asr_idiv(int a, int b) { int q = a / b; return q * b > a ? q - 1 : q; }\n"
      "static inline int asr_imod(int a, int b) { return a - b * asr_idiv(a, b); }\n\n"
      "void assay_reference(const double *const *in, double *const *out)\n{\n  (void)in; "
      "(void)asr_imin; (void)asr_imax; (void)asr_imod;\n");
  lo_text writer = {
      .job = job, .out = out, .ref = read_double, .var = var_text, .dbl = true, .indent = 1};
  lo_text *text = &writer;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    uint32_t id = job->unit[i].flat_val;
    const lo_value *value = &job->value[id];
    if (!job->unit[i].flat)
      return as_err_set(job->err, AS_INTERNAL,
                        "the reference is made from a program, not a muGraph");
    lo_line(text, "std::vector<double> w%u(%ld); /* %s */", id, lo_elems(value), value->name);
    lo_line(text, "#pragma omp parallel for");
    lo_line(text, "for (long e = 0; e < %ld; e++) {", lo_elems(value));
    text->indent++;
    decode(text, value);
    if (value->kind == LV_RED) {
      lo_line(text, "double x = %s;", identity(value, true));
      lo_line(text, "for (int i%d = 0; i%d < %ld; i%d++) {", value->rank, value->rank,
              value->extent, value->rank);
      text->indent++;
    }
    char *body = lo_expr(text, value->body);
    char *join = value->kind == LV_RED ? joined(value, body, true) : NULL;
    lo_line(text, value->kind == LV_RED ? "x = %s;" : "const double x = %s;", join ? join : body);
    if (join) {
      text->indent--;
      lo_line(text, "}");
    }
    free(body);
    free(join);
    lo_line(text, "w%u[(size_t)e] = x;", id);
    text->indent--;
    lo_line(text, "}");
    if (value->buffer_class == LG_OUTPUT)
      lo_line(text, "for (size_t e = 0; e < %ld; e++) out[%u][e] = w%u[e];", lo_elems(value),
              value->buffer_index, id);
  }
  as_str_add(out, "}\n");
  free(writer.memo);
  return true;
}

/* The text of calls of a library: what they need, once, and one call for each product. */
#include "emit.h"
#include "live.h"
#include "product.h"
#include <stdlib.h>

void lo_library_prelude(const lo_job *job, as_str *out) {
  if (job->library_bytes == 0)
    return;
  as_str_add(out, "#define ASSAY_LIBRARY 1\n");
  for (const char *const *line = lo_library_text(); *line; line++)
    as_str_add(out, *line);
}

static const char *element(as_dtype type) {
  return type == AS_F32 ? "as_lt::F32" : type == AS_F16 ? "as_lt::F16" : "as_lt::BF16";
}

/* an integer of C; malloc'ed */
static char *size_text(const lo_job *job, as_size size) {
  long number;
  return as_size_is_const(job->graph->sizes, size, &number) ? as_format("%ld", number)
                                                            : lo_live_text(job, size, "sizes");
}

static void add_size(const lo_job *job, as_size size, as_str *out) {
  char *text = size_text(job, size);
  as_str_printf(out, "%s, ", text);
  free(text);
}

/* as_lt::matrix; its alignment is seen at the launch */
static void add_matrix(const lo_job *job, const lo_gemm_matrix *matrix, as_str *out) {
  as_str_printf(out, "{%d, ", matrix->transposed);
  add_size(job, matrix->rows, out);
  add_size(job, matrix->columns, out);
  add_size(job, matrix->leading, out);
  add_size(job, matrix->stride, out);
  as_str_add(out, "0}, ");
}

/* where an operand begins; malloc'ed */
static char *pointer(const lo_job *job, uint32_t value, as_size first) {
  char *base = lo_global_pointer(job, value);
  char *elements = size_text(job, first);
  char *text = as_format("(const char *)%s + %s * %d", base, elements,
                         as_dtype_bytes(job->value[value].dtype));
  free(base);
  free(elements);
  return text;
}

void lo_library_launch(const lo_job *job, const lo_unit *unit, as_str *out) {
  const lo_library_call *call = unit->library;
  const lo_value *result = &job->value[call->result];
  char *a = pointer(job, call->a, call->a_first);
  char *b = pointer(job, call->b, call->b_first);
  char *d = lo_global_pointer(job, call->result);
  char *room = size_text(job, call->room);
  as_str_printf(out, "  { /* %s */\n    const as_lt::product p = {%s, %s, ", unit->name,
                element(job->value[call->a].dtype), element(result->dtype));
  add_size(job, call->gemm.depth, out);
  add_size(job, call->gemm.batches, out);
  add_matrix(job, &call->gemm.a, out);
  add_matrix(job, &call->gemm.b, out);
  add_matrix(job, &call->gemm.d, out);
  as_str_printf(out,
                "0};\n    const int status = as_lt::multiply(p, %s, %s, %s, (size_t)(%s) * %d, "
                "a.ws + %ldL, %ldu, stream);\n    if (status) return status;\n  }\n",
                a, b, d, room, as_dtype_bytes(result->dtype), job->library_at, job->library_bytes);
  free(a);
  free(b);
  free(d);
  free(room);
}

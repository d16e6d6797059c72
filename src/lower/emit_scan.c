/* Text of scans (scan.c).  A block goes along a row in rounds: each thread joins neighbours of its
 * own, the lanes of a warp what is in front of each, the warps their totals through shared memory,
 * and what the rounds before have come to stands in front of it all. */
#include "beside.h"
#include "emit_sweep.h"
#include <stdlib.h>

static void line_joined(lo_sweeper *at, const char *to, const char *left, const char *right) {
  char *join = lo_sweep_joined(at->value->red, left, right);
  lo_line(&at->text, "%s = %s;", to, join);
  free(join);
}

/* the reads of neighbours from `from` on, as far as there are terms */
static void read_terms(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  bool whole = sweep->scan.terms % sweep->vector == 0;
  lo_line(text, "if (from + %d <= %ld) {", sweep->vector, sweep->scan.terms);
  text->indent++;
  lo_sweep_reads(at, value->rank, "from");
  lo_sweep_close(text);
  if (whole)
    return;
  lo_line(text, "else {");
  text->indent++;
  lo_sweep_loop(text, "j", sweep->vector);
  lo_sweep_declare(at, value->rank, "from");
  lo_line(text, "if (%s >= %ld) break;", lo_sweep_index[value->rank], sweep->scan.terms);
  lo_sweep_single_reads(at);
  lo_sweep_close(text);
  lo_sweep_close(text);
}

/* p[u][j]: the terms of a thread from its first up to this one; e[u]: of lanes in front of it */
static void join_lanes(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  const char *identity = lo_sweep_identity(value->red);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_sweep_declare(at, value->rank, "from");
  at->repeat = "u";
  lo_line(text, "p[u][j] = %s;", identity);
  lo_line(text, "if (%s < %ld) {", lo_sweep_index[value->rank], sweep->scan.terms);
  text->indent++;
  char *term = lo_expr(text, sweep->scan.term);
  lo_line(text, "p[u][j] = %s;", term);
  free(term);
  lo_sweep_close(text);
  at->repeat = NULL;
  lo_line(text, "if (j > 0)");
  line_joined(at, "  p[u][j]", "p[u][j > 0 ? j - 1 : 0]", "p[u][j]");
  lo_sweep_close(text);
  lo_line(text, "float total = p[u][%d];", sweep->vector - 1);
  lo_line(text, "e[u] = %s;", identity);
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int d = 1; d < 32; d <<= 1) {");
  text->indent++;
  lo_line(text, "const float other = as_shfl_xor(total, d);");
  char *behind = lo_sweep_joined(value->red, "other", "total");
  char *front = lo_sweep_joined(value->red, "total", "other");
  lo_line(text, "if (t & d)");
  line_joined(at, "  e[u]", "other", "e[u]");
  lo_line(text, "total = t & d ? %s : %s;", behind, front);
  free(behind);
  free(front);
  lo_sweep_close(text);
  lo_line(text, "if ((t & 31) == 0) as_sts_f32(sm, 4 * ((turn * %d + u) * %d + (t >> 5)), total);",
          sweep->repeats, LO_SWEEP_WARPS);
}

/* what is in front of the warp in e[u], and of the next round in carry */
static void join_warps(lo_sweeper *at) {
  lo_text *text = &at->text;
  lo_line(text, "float front = carry;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int w = 0; w < %d; w++) {", LO_SWEEP_WARPS);
  text->indent++;
  lo_line(text, "const float total = as_lds_f32(sm, 4 * ((turn * %d + u) * %d + w));",
          at->sweep->repeats, LO_SWEEP_WARPS);
  lo_line(text, "if (w == t >> 5) front = carry;");
  line_joined(at, "carry", "carry", "total");
  lo_sweep_close(text);
  line_joined(at, "e[u]", "front", "e[u]");
}

static void declare_result_index(lo_sweeper *at, const char *term) {
  const lo_sweep *sweep = at->sweep;
  long n = at->value->dim[sweep->scan.axis];
  const char *name = lo_sweep_index[sweep->scan.axis];
  if (sweep->scan.sign > 0)
    lo_line(&at->text, "const int %s = (int)(%s);", name, term);
  else
    lo_line(&at->text, "const int %s = (int)(%ld - (%s));", name, n - 1, term);
  lo_line(&at->text, "(void)%s;", name);
}

/* where the result at hand is stored; malloc'ed */
static char *place_of_result(const lo_sweeper *at) {
  const lo_value *value = at->value;
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(size_t)0");
  for (int axis = 0; axis < value->rank; axis++)
    as_str_printf(&out, " + (size_t)%s * %ldu", lo_sweep_index[axis], lo_stride_of(value, axis));
  return as_str_take(&out);
}

/* x is the result at hand: what is stored of it */
static void finish(lo_sweeper *at, const char *to) {
  at->finishing = true;
  if (at->sweep->finish) {
    char *text = lo_expr(&at->text, at->sweep->finish);
    lo_line(&at->text, "%s = %s;", to, text);
    free(text);
  } else {
    lo_line(&at->text, "%s = x;", to);
  }
  at->finishing = false;
}

/* do neighbours of a thread lie in 16 bytes of the result? */
static bool stores_vector(const lo_sweeper *at) {
  const lo_sweep *sweep = at->sweep;
  return sweep->vector > 1 && lo_stride_of(at->value, sweep->scan.axis) == 1 &&
         at->value->dim[sweep->scan.axis] % sweep->vector == 0;
}

static void store_results(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  long n = value->dim[sweep->scan.axis];
  bool vector = stores_vector(at);
  const char *to = sweep->scan.sign > 0 ? "y[j]" : "y[3 - j]";
  lo_line(text, "const int from = k + u * %d + t * %d;", LO_SWEEP_THREADS * sweep->vector,
          sweep->vector);
  lo_line(text, "float y[%d];", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "if (from + j >= %ld) break;", n);
  lo_line(text, "float x = e[u];");
  if (sweep->scan.exclusive) {
    lo_line(text, "if (j > 0)");
    line_joined(at, "  x", "x", "p[u][j > 0 ? j - 1 : 0]");
  } else {
    line_joined(at, "x", "x", "p[u][j]");
  }
  declare_result_index(at, "from + j");
  finish(at, to);
  if (!vector) {
    char *place = place_of_result(at);
    lo_sweep_store(at, 1, place, sweep->scan.sign > 0 ? "&y[j]" : "&y[3 - j]");
    free(place);
  }
  lo_sweep_close(text);
  if (!vector)
    return;
  lo_line(text, "if (from < %ld) {", n);
  text->indent++;
  declare_result_index(at, sweep->scan.sign > 0 ? "from" : "from + 3");
  char *place = place_of_result(at);
  lo_sweep_store(at, sweep->vector, place, "y");
  free(place);
  lo_sweep_close(text);
}

void lo_emit_scan(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  long n = value->dim[sweep->scan.axis];
  long step = (long)LO_SWEEP_THREADS * sweep->vector;
  lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int t = as_tid();");
  lo_line(text, "const %s row = %s;", lo_sweep_number_type(lo_elems(value)),
          lo_block_number(text->unit));
  lo_line(text, "(void)row;");
  lo_sweep_decode(at, "row", 1u << sweep->scan.axis);
  lo_line(text, "float carry = %s;", lo_sweep_identity(value->red));
  lo_line(text, "for (int k = 0, turn = 0; k < %ld; k += %ld, turn ^= 1) {", n,
          step * sweep->repeats);
  text->indent++;
  lo_sweep_declare_reads(at);
  lo_line(text, "float p[%d][%d], e[%d];", sweep->repeats, sweep->vector, sweep->repeats);
  lo_sweep_loop(text, "u", sweep->repeats);
  lo_line(text, "const int from = k + u * %ld + t * %d;", step, sweep->vector);
  read_terms(at);
  lo_sweep_close(text);
  lo_sweep_loop(text, "u", sweep->repeats);
  lo_line(text, "const int from = k + u * %ld + t * %d;", step, sweep->vector);
  join_lanes(at);
  lo_sweep_close(text);
  lo_barrier(text, NULL);
  lo_sweep_loop(text, "u", sweep->repeats);
  join_warps(at);
  store_results(at);
  lo_sweep_close(text);
  lo_sweep_close(text);
}

/* x joined with the term at hand, where there is one */
static void join_term(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  lo_line(text, "if (%s < %ld) {", lo_sweep_index[at->value->rank], sweep->scan.terms);
  text->indent++;
  at->repeat = "u";
  char *term = lo_expr(text, sweep->scan.term);
  line_joined(at, "x", "x", term);
  free(term);
  at->repeat = NULL;
  lo_sweep_close(text);
}

static void store_one(lo_sweeper *at) {
  lo_line(&at->text, "float y;");
  finish(at, "y");
  char *place = place_of_result(at);
  lo_sweep_store(at, 1, place, "&y");
  free(place);
}

void lo_emit_scan_columns(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  long n = value->dim[sweep->scan.axis];
  const char *type = lo_sweep_number_type(lo_elems(value) + LO_SWEEP_THREADS);
  const char *k = lo_sweep_index[value->rank];
  lo_line(text, "const %s column = (%s)%s * %du + as_tid();", type, type,
          lo_block_number(text->unit), LO_SWEEP_THREADS);
  lo_line(text, "if (column >= %ldu) return;", lo_elems(value) / n);
  lo_sweep_decode(at, "column", 1u << sweep->scan.axis);
  lo_line(text, "float x = %s;", lo_sweep_identity(value->red));
  lo_line(text, "for (int first = 0; first < %ld; first += %d) {", n, sweep->repeats);
  text->indent++;
  lo_sweep_declare_reads(at);
  lo_sweep_loop(text, "u", sweep->repeats);
  lo_line(text, "const int from = first + u, j = 0;");
  lo_sweep_declare(at, value->rank, "from");
  lo_line(text, "if (%s < %ld) {", k, sweep->scan.terms);
  text->indent++;
  lo_sweep_single_reads(at);
  lo_sweep_close(text);
  lo_sweep_close(text);
  lo_sweep_loop(text, "u", sweep->repeats);
  lo_line(text, "const int from = first + u, j = 0;");
  lo_sweep_declare(at, value->rank, "from");
  lo_line(text, "if (%s >= %ld) break;", k, n);
  declare_result_index(at, k);
  if (sweep->scan.exclusive) {
    store_one(at);
    join_term(at);
  } else {
    join_term(at);
    store_one(at);
  }
  lo_sweep_close(text);
  lo_sweep_close(text);
}

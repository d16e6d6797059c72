/* Text of kernels that go over memory as it lies (sweep.h).  What every evaluation reads is read
 * first, several times over, so that its latency is waited for once; then elements are computed. */
#include "emit_sweep.h"
#include "beside.h"
#include "emit_window.h"
#include "fault.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const lo_sweep_index[] = {"i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"};

void lo_sweep_loop(lo_text *text, const char *variable, long count) {
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int %s = 0; %s < %ld; %s++) {", variable, variable, count, variable);
  text->indent++;
}

void lo_sweep_close(lo_text *text) {
  text->indent--;
  lo_line(text, "}");
}

/* --- reads */
/* Offsets within a tensor of which these are twice as many, however far windows reach beyond it,
 * have 32 bits. */
static bool is_small(const lo_value *tensor) {
  return lo_elems(tensor) <= INT_MAX / 2;
}

/* an element under a condition */
static void read_small(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_value *tensor = &text->job->value[id];
  char *pointer = lo_global_pointer(text->job, id);
  as_str_printf(out, "as_ldg_%s(%s, (size_t)(0", lo_dtype_name(tensor->dtype), pointer);
  for (int axis = 0; axis < n; axis++) {
    char *index = lo_index(text, idx[axis]);
    as_str_printf(out, " + %s * %ld", index, lo_stride_of(tensor, axis));
    free(index);
  }
  as_str_add(out, "))");
  free(pointer);
}

static void read_element(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_sweeper *at = (const lo_sweeper *)text;
  const lo_sweep *sweep = at->sweep;
  if (id == LO_WINDOW_VALUE) {
    lo_window_read_text(at, out, idx[0]->number);
    return;
  }
  const lo_sweep *before = sweep->before;
  if (before && (id == sweep->before_result || (before->pair && id == before->first_result))) {
    as_str_add(out, before->pair && id == sweep->before_result ? "stored_y" : "stored_x");
    return;
  }
  if (at->finishing && sweep->pair) {
    const char *name = id == sweep->first          ? "x"
                       : id == sweep->first_result ? "stored_x"
                       : id == sweep->reduction    ? "y"
                                                   : NULL;
    if (name) {
      as_str_printf(out, "%s%s", name, sweep->kind == LO_SWEEP_COLUMNS ? "[j]" : "");
      return;
    }
  }
  if (at->finishing && id == sweep->reduction) {
    as_str_add(out, sweep->kind == LO_SWEEP_COLUMNS ? "part[j]" : "x");
    return;
  }
  for (int i = 0; i < sweep->n_read && at->repeat; i++) {
    const lx *ref = sweep->read[i].ref;
    bool same = ref->val == id && ref->n == n;
    for (int axis = 0; axis < n && same; axis++)
      same = lx_equal(ref->kid[axis], idx[axis]);
    if (same) {
      const char *which = sweep->read[i].same ? "0" : sweep->read[i].back ? "3 - j" : "j";
      as_str_printf(out, "v%d[%s][%s]", i, at->repeat, which);
      return;
    }
  }
  const lo_value *tensor = &text->job->value[id];
  if (is_small(tensor) && tensor->buffer_class != LG_PART)
    read_small(text, out, id, idx, n);
  else
    lo_read_global(text, out, id, idx, n);
}

/* the type of what is read */
static const char *type_of(const lo_sweeper *at, const lo_sweep_read *read) {
  return lo_dtype_name(at->text.job->value[read->ref->val].dtype);
}

/* where a read is, of indices that are called as they are; malloc'ed */
static char *place_text(const lo_sweeper *at, const lo_sweep_read *read) {
  const lo_value *tensor = &at->text.job->value[read->ref->val];
  const char *wide = lo_elems(tensor) > INT_MAX ? "(size_t)" : "";
  if (read->flat)
    return as_strdup("e + j");
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%ld", read->at.first);
  for (int i = 0; i <= at->value->rank; i++) {
    long stride = read->at.stride[i];
    if (stride == 1)
      as_str_printf(&out, " + %s%s", wide, lo_sweep_index[i]);
    else if (stride)
      as_str_printf(&out, " + %s%s * %ld", wide, lo_sweep_index[i], stride);
  }
  return as_str_take(&out);
}

void lo_sweep_declare_reads(lo_sweeper *at) {
  const lo_sweep *sweep = at->sweep;
  int repeats = sweep->unrolled ? (int)at->value->extent : sweep->repeats;
  for (int i = 0; i < sweep->n_read; i++)
    lo_line(&at->text, "float v%d[%d][%d];", i, repeats, sweep->read[i].same ? 1 : sweep->vector);
}

/* the index `along` as it is, plus the neighbour's number where it is one of several */
void lo_sweep_declare(lo_sweeper *at, int along, const char *first) {
  const char *type = lo_index_type(LONG_MAX);
  long extent = along < at->value->rank ? at->value->dim[along] : at->value->extent;
  type = lo_index_type(extent + LO_SWEEP_THREADS);
  lo_line(&at->text, "const %s %s = %s + j;", type, lo_sweep_index[along], first);
  lo_line(&at->text, "(void)%s;", lo_sweep_index[along]);
}

/* The reads of one repeat, at indices that are known except `along`, whose first neighbour has the
 * name `first`. */
void lo_sweep_reads(lo_sweeper *at, int along, const char *first) {
  const lo_sweep *sweep = at->sweep;
  lo_text *text = &at->text;
  for (int pass = 0; pass < 2; pass++) { /* several at once, then one by one */
    bool some = false;
    for (int i = 0; i < sweep->n_read; i++) {
      const lo_sweep_read *read = &sweep->read[i];
      bool at_once = read->vector || read->same;
      if (at_once != (pass == 0))
        continue;
      if (!some) {
        lo_line(text, "{");
        text->indent++;
        if (pass == 0)
          lo_line(text, "const int j = 0;");
        else
          lo_sweep_loop(text, "j", sweep->vector);
        lo_sweep_declare(at, along, first);
        some = true;
      }
      char *pointer = lo_global_pointer(text->job, read->ref->val);
      char *place = place_text(at, read);
      if (read->vector)
        lo_line(text, "as_ldg%d_%s(v%d[u], %s, %s%s);", sweep->vector, type_of(at, read), i,
                pointer, place, read->back ? " - 3" : "");
      else
        lo_line(text, "v%d[u][%s] = as_ldg_%s(%s, %s);", i, read->same ? "0" : "j",
                type_of(at, read), pointer, place);
      free(pointer);
      free(place);
    }
    if (some && pass == 1)
      lo_sweep_close(text);
    if (some)
      lo_sweep_close(text);
  }
}

/* --- indices */
void lo_sweep_decode(lo_sweeper *at, const char *number, unsigned without) {
  const lo_value *value = at->value;
  long below = 1;
  int outermost = 0;
  while (outermost < value->rank && without >> outermost & 1)
    outermost++;
  for (int i = value->rank; i-- > 0;) {
    const char *type = lo_index_type(value->dim[i]);
    if (without >> i & 1)
      continue;
    if (value->dim[i] == 1)
      lo_line(&at->text, "const int %s = 0;", lo_sweep_index[i]);
    else if (i == outermost)
      lo_line(&at->text, "const %s %s = (%s)(%s / %ldu);", type, lo_sweep_index[i], type, number,
              below);
    else
      lo_line(&at->text, "const %s %s = (%s)(%s / %ldu %% %ldu);", type, lo_sweep_index[i], type,
              number, below, value->dim[i]);
    lo_line(&at->text, "(void)%s;", lo_sweep_index[i]);
    below *= value->dim[i];
  }
}

/* a number of an element is not negative: without a sign it is divided by fewer instructions */
const char *lo_sweep_number_type(long most) {
  return most <= UINT_MAX - 65536 ? "unsigned" : "unsigned long long";
}

static char *store_text(const lo_sweeper *at, int vector, const char *place, const char *from) {
  char *pointer = lo_global_pointer(at->text.job, at->text.unit->flat_val);
  const char *type = lo_dtype_name(at->text.job->value[at->text.unit->flat_val].dtype);
  char *result = as_format("as_stg_%s<%d>(%s, %s, %s);", type, vector, pointer, place, from);
  free(pointer);
  return result;
}

void lo_sweep_store(lo_sweeper *at, int vector, const char *place, const char *from) {
  char *line = store_text(at, vector, place, from);
  lo_line(&at->text, "%s", line);
  free(line);
}

static void emit_value(lo_sweeper *at, const lx *body, const char *to) {
  char *text = lo_expr(&at->text, body);
  lo_line(&at->text, "%s = %s;", to, text);
  free(text);
}

/* --- maps */
/* Neighbours in one row of the last axis: indices are divided out once. */
static void declare_row(lo_sweeper *at, long elements) {
  lo_text *text = &at->text;
  const lo_value *value = at->value;
  const lo_sweep *sweep = at->sweep;
  int last = value->rank - 1;
  long more = (long)sweep->block * sweep->vector * sweep->repeats;
  const char *type = lo_sweep_number_type(elements + more);
  const char *index_type = lo_index_type(value->dim[last]);
  lo_line(text, "const %s above = e / %ldu;", type, value->dim[last]);
  lo_line(text, "const %s from = (%s)(e %% %ldu);", index_type, index_type, value->dim[last]);
  lo_line(text, "(void)above; (void)from;");
  lo_sweep_decode(at, "above", 1u << last);
}

static void row_reads(lo_sweeper *at, long elements) {
  declare_row(at, elements);
  lo_sweep_reads(at, at->value->rank - 1, "from");
}

static void row_results(lo_sweeper *at, long elements) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  declare_row(at, elements);
  at->repeat = "u";
  lo_line(text, "float x[%d];", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_sweep_declare(at, at->value->rank - 1, "from");
  emit_value(at, at->value->body, "x[j]");
  lo_sweep_close(text);
  lo_sweep_store(at, sweep->vector, "e", "x");
}

/* the reads of one element that lie as it does: neighbours at once */
static void emit_flat_reads(lo_sweeper *at, bool at_once) {
  for (int i = 0; i < at->sweep->n_read; i++) {
    const lo_sweep_read *read = &at->sweep->read[i];
    char *pointer = lo_global_pointer(at->text.job, read->ref->val);
    if (read->vector && at_once)
      lo_line(&at->text, "as_ldg%d_%s(v%d[u], %s, e);", at->sweep->vector, type_of(at, read), i,
              pointer);
    free(pointer);
  }
}

static void emit_single_reads(lo_sweeper *at, bool flat_too) {
  for (int i = 0; i < at->sweep->n_read; i++) {
    const lo_sweep_read *read = &at->sweep->read[i];
    char *pointer = lo_global_pointer(at->text.job, read->ref->val);
    char *place = place_text(at, read);
    if (!read->vector || flat_too)
      lo_line(&at->text, "v%d[u][%s] = as_ldg_%s(%s, %s);", i, read->same ? "0" : "j",
              type_of(at, read), pointer, place);
    free(pointer);
    free(place);
  }
}

void lo_sweep_single_reads(lo_sweeper *at) {
  for (int i = 0; i < at->sweep->n_read; i++) {
    const lo_sweep_read *read = &at->sweep->read[i];
    char *pointer = lo_global_pointer(at->text.job, read->ref->val);
    char *place = place_text(at, read);
    const char *which = read->same ? "0" : read->back ? "3 - j" : "j";
    lo_line(&at->text, "v%d[u][%s] = as_ldg_%s(%s, %s);", i, which, type_of(at, read), pointer,
            place);
    free(pointer);
    free(place);
  }
}

static bool has_single_reads(const lo_sweep *sweep) {
  bool some = false;
  for (int i = 0; i < sweep->n_read; i++)
    some |= !sweep->read[i].vector;
  return some;
}

static void open_neighbours(lo_sweeper *at, long elements, bool ends) {
  lo_text *text = &at->text;
  lo_sweep_loop(text, "j", at->sweep->vector);
  if (ends)
    lo_line(text, "if (e + j >= %ldu) break;", elements);
  lo_line(text, "const %s one = e + j;", lo_sweep_number_type(elements + 65536));
  lo_line(text, "(void)one;");
  lo_sweep_decode(at, "one", 0);
}

/* do some neighbours lie behind the last whole vector? */
static bool has_ends(const lo_sweep *sweep, long elements) {
  return elements % sweep->vector && !LO_FAULT(LO_FAULT_PREDICATION);
}

/* Neighbours by their number in memory, whichever row they are in; behind the last whole vector
 * one by one. */
static void numbered_reads(lo_sweeper *at, long elements) {
  const lo_sweep *sweep = at->sweep;
  lo_text *text = &at->text;
  bool ends = has_ends(sweep, elements);
  if (ends) {
    lo_line(text, "if (e + %d > %ldu) {", sweep->vector, elements);
    text->indent++;
    open_neighbours(at, elements, true);
    emit_single_reads(at, true);
    lo_sweep_close(text);
    text->indent--;
    lo_line(text, "} else {");
    text->indent++;
  }
  emit_flat_reads(at, true);
  if (has_single_reads(sweep)) {
    open_neighbours(at, elements, false);
    emit_single_reads(at, false);
    lo_sweep_close(text);
  }
  if (ends)
    lo_sweep_close(text);
}

static void numbered_results(lo_sweeper *at, long elements) {
  const lo_sweep *sweep = at->sweep;
  lo_text *text = &at->text;
  bool ends = has_ends(sweep, elements);
  at->repeat = "u";
  lo_line(text, "float x[%d];", sweep->vector);
  open_neighbours(at, elements, ends);
  emit_value(at, at->value->body, "x[j]");
  if (ends) {
    lo_line(text, "if (e + %d > %ldu)", sweep->vector, elements);
    char *line = store_text(at, 1, "one", "&x[j]");
    lo_line(text, "  %s", line);
    free(line);
  }
  lo_sweep_close(text);
  if (ends)
    lo_line(text, "if (e + %d <= %ldu)", sweep->vector, elements);
  char *line = store_text(at, sweep->vector, "e", "x");
  lo_line(text, "%s%s", ends ? "  " : "", line);
  free(line);
}

void lo_sweep_map_reads(lo_sweeper *at, long elements) {
  if (at->sweep->linear)
    numbered_reads(at, elements);
  else
    row_reads(at, elements);
}

void lo_sweep_map_results(lo_sweeper *at, long elements) {
  if (at->sweep->linear)
    numbered_results(at, elements);
  else
    row_results(at, elements);
}

static void emit_map(lo_sweeper *at, long elements) {
  const lo_sweep *sweep = at->sweep;
  lo_text *text = &at->text;
  long step = (long)sweep->block * sweep->vector;
  long all = step * sweep->repeats;
  bool whole = (!sweep->linear && elements % all == 0) || LO_FAULT(LO_FAULT_PREDICATION);
  const char *type = lo_sweep_number_type(elements + all);
  lo_line(text, "const %s first = (%s)%s * %ldu + as_tid() * %d;", type, type,
          lo_block_number(text->unit), all, sweep->vector);
  lo_sweep_declare_reads(at);
  for (int pass = 0; pass < 2; pass++) {
    lo_sweep_loop(text, "u", sweep->repeats);
    lo_line(text, "const %s e = first + u * %ld;", type, step);
    if (!whole)
      lo_line(text, "if (e >= %ldu) break;", elements);
    if (pass == 0)
      lo_sweep_map_reads(at, elements);
    else
      lo_sweep_map_results(at, elements);
    lo_sweep_close(text);
  }
}

/* --- reductions */
const char *lo_sweep_identity(lo_red red) {
  static const char *const start[] = {
      [LO_SUM] = "0.0f", [LO_PROD] = "1.0f", [LO_MAX] = "-INFINITY", [LO_MIN] = "INFINITY"};
  return start[red];
}

char *lo_sweep_joined(lo_red red, const char *left, const char *right) {
  if (red == LO_SUM || red == LO_PROD)
    return as_format("%s %c %s", left, red == LO_SUM ? '+' : '*', right);
  return as_format("%s(%s, %s)", red == LO_MAX ? "as_maxf" : "as_minf", left, right);
}

static void emit_joined(lo_sweeper *at, const char *to, const char *with) {
  char *join = lo_sweep_joined(at->value->red, to, with);
  lo_line(&at->text, "%s = %s;", to, join);
  free(join);
}

void lo_sweep_result(lo_sweeper *at, const char *place) {
  const lo_sweep *sweep = at->sweep;
  at->finishing = true;
  at->repeat = NULL;
  if (sweep->finish) {
    char *text = lo_expr(&at->text, sweep->finish);
    lo_line(&at->text, "const float result = %s;", text);
    free(text);
  }
  lo_sweep_store(at, 1, place, sweep->finish ? "&result" : "&x");
}

/* the terms of a thread's neighbours, which lie along the axis, joined with what each has so far */
static void join_neighbours(lo_sweeper *at, int axis) {
  lo_text *text = &at->text;
  at->repeat = "u";
  lo_sweep_loop(text, "j", at->sweep->vector);
  lo_sweep_declare(at, axis, "from");
  char *body = lo_expr(text, at->value->body);
  emit_joined(at, "part[j]", body);
  free(body);
  lo_sweep_close(text);
}

/* Terms of all repeats at k, k + step, ..: read, then joined to x. */
static void emit_terms(lo_sweeper *at, int repeats, const char *k, long step) {
  lo_text *text = &at->text;
  const lo_value *value = at->value;
  const char *type = lo_index_type(value->extent + 65536);
  for (int pass = 0; pass < 2; pass++) {
    lo_sweep_loop(text, "u", repeats);
    lo_line(text, "const %s from = %s + u * %ld;", type, k, step);
    lo_line(text, "(void)from;");
    if (pass == 0) {
      lo_sweep_reads(at, value->rank, "from");
    } else {
      join_neighbours(at, value->rank);
    }
    lo_sweep_close(text);
  }
  at->repeat = NULL;
}

static char *end_text(lo_sweeper *at) {
  return at->sweep->end ? lo_index(&at->text, at->sweep->end) : as_format("%ld", at->value->extent);
}

/* The terms from k0 on, `step` apart: as many repeats as there are whole, then one by one. */
static void emit_fold(lo_sweeper *at, const char *k0, long step) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const char *type = lo_index_type(at->value->extent + 65536);
  char *end = end_text(at);
  long ahead = step * (sweep->repeats - 1) + sweep->vector;
  lo_line(text, "float part[%d];", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "part[j] = %s;", lo_sweep_identity(at->value->red));
  lo_sweep_close(text);
  lo_line(text, "const %s end = %s;", type, end);
  lo_line(text, "%s k = %s;", type, k0);
  lo_line(text, "for (; k + %ld <= end; k += %ld) {", ahead, step * sweep->repeats);
  text->indent++;
  lo_sweep_declare_reads(at);
  emit_terms(at, sweep->repeats, "k", step);
  lo_sweep_close(text);
  lo_line(text, "for (; k < end; k += %ld) {", step);
  text->indent++;
  lo_sweep_declare_reads(at);
  emit_terms(at, 1, "k", step);
  lo_sweep_close(text);
  free(end);
}

void lo_sweep_rows(lo_sweeper *at, long results) {
  lo_text *text = &at->text;
  const char *type = lo_sweep_number_type(results + LO_SWEEP_THREADS);
  if (at->sweep->threads == 32) {
    lo_line(text, "const int t = as_tid() & 31;");
    lo_line(text, "const %s e = (%s)%s * %du + (as_tid() >> 5);", type, type,
            lo_block_number(text->unit), LO_SWEEP_WARPS);
    if (!LO_FAULT(LO_FAULT_PREDICATION))
      lo_line(text, "if (e >= %ldu) return; /* whole warps */", results);
  } else {
    lo_line(text, "AS_SMEM(sm);");
    lo_line(text, "const int t = as_tid();");
    lo_line(text, "const %s e = %s;", type, lo_block_number(text->unit));
  }
}

void lo_emit_rows(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  int group = sweep->threads;
  lo_sweep_decode(at, "e", 0);
  char *first = as_format("t * %d", sweep->vector);
  emit_fold(at, first, (long)group * sweep->vector);
  free(first);
  lo_line(text, "float x = part[0];");
  for (int j = 1; j < sweep->vector; j++) {
    char *other = as_format("part[%d]", j);
    emit_joined(at, "x", other);
    free(other);
  }
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int d = 16; d > 0; d >>= 1) {");
  text->indent++;
  emit_joined(at, "x", "as_shfl_xor(x, d)");
  lo_sweep_close(text);
  if (group > 32) {
    lo_line(text, "if ((t & 31) == 0) as_sts_f32(sm, 4 * (t >> 5), x);");
    lo_barrier(text, NULL);
    lo_line(text, at->follower ? "x = as_lds_f32(sm, 0);" : "if (t) return;");
    lo_line(text, "#pragma unroll");
    lo_line(text, "for (int w = 1; w < %d; w++) {", LO_SWEEP_WARPS);
    text->indent++;
    emit_joined(at, "x", "as_lds_f32(sm, 4 * w)");
    lo_sweep_close(text);
  } else if (!at->follower) {
    lo_line(text, "if (t) return;");
  }
  if (!at->follower) {
    lo_sweep_result(at, "e");
    return;
  }
  at->finishing = true;
  at->repeat = NULL;
  char *result = sweep->finish ? lo_expr(text, sweep->finish) : as_strdup("x");
  lo_line(text, "stored_x = %s;", result);
  free(result);
}

static void emit_row_results(lo_sweeper *at, long results) {
  lo_sweep_rows(at, results);
  lo_emit_rows(at);
}

/* What is stored of neighbouring results, in part. */
static void emit_results(lo_sweeper *at, int last) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  at->finishing = true;
  at->repeat = NULL;
  if (sweep->finish) {
    lo_sweep_loop(text, "j", sweep->vector);
    lo_sweep_declare(at, last, "from");
    emit_value(at, sweep->finish, "part[j]");
    lo_sweep_close(text);
  }
  lo_sweep_store(at, sweep->vector, "e", "part");
}

/* the repeats of columns: neighbours are results, terms follow each other */
static void emit_deep_terms(lo_sweeper *at, int repeats, int last, long step) {
  lo_text *text = &at->text;
  const lo_value *value = at->value;
  const char *type = lo_index_type(value->extent + 65536);
  for (int pass = 0; pass < 2; pass++) {
    lo_sweep_loop(text, "u", repeats);
    lo_line(text, "const %s %s = k + u * %ld;", type, lo_sweep_index[value->rank], step);
    lo_line(text, "(void)%s;", lo_sweep_index[value->rank]);
    if (pass == 0) {
      lo_sweep_reads(at, last, "from");
    } else {
      join_neighbours(at, last);
    }
    lo_sweep_close(text);
  }
  at->repeat = NULL;
}

static void emit_deep_loop(lo_sweeper *at, int last) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const char *type = lo_index_type(at->value->extent + 65536);
  long step = sweep->warps_deep;
  lo_line(text, "float part[%d];", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "part[j] = %s;", lo_sweep_identity(at->value->red));
  lo_sweep_close(text);
  if (sweep->unrolled) {
    lo_line(text, "if (!inside) return;");
    lo_line(text, "const int k = 0;");
    lo_sweep_declare_reads(at);
    emit_deep_terms(at, (int)at->value->extent, last, 1);
    return;
  }
  char *end = end_text(at);
  lo_line(text, "const %s end = inside ? %s : 0;", type, end);
  lo_line(text, "%s k = deep;", type);
  lo_line(text, "for (; k + %ld < end; k += %ld) {", step * (sweep->repeats - 1),
          step * sweep->repeats);
  text->indent++;
  lo_sweep_declare_reads(at);
  emit_deep_terms(at, sweep->repeats, last, step);
  lo_sweep_close(text);
  lo_line(text, "for (; k < end; k += %ld) {", step);
  text->indent++;
  lo_sweep_declare_reads(at);
  emit_deep_terms(at, 1, last, step);
  lo_sweep_close(text);
  free(end);
}

/* the parts of warps that share the results, joined by those that have the first */
static void emit_warps_joined(lo_sweeper *at, int lanes) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  lo_line(text, "const int at = 4 * %d * as_tid();", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "as_sts_f32(sm, at + 4 * j, part[j]);");
  lo_sweep_close(text);
  lo_barrier(text, NULL);
  lo_line(text, "if (deep || !inside) return;");
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int w = 1; w < %d; w++) {", sweep->warps_deep);
  text->indent++;
  lo_sweep_loop(text, "j", sweep->vector);
  char *other = as_format("as_lds_f32(sm, at + 4 * (w * %d + j))", lanes * sweep->vector);
  emit_joined(at, "part[j]", other);
  free(other);
  lo_sweep_close(text);
  lo_sweep_close(text);
}

int lo_sweep_columns(lo_sweeper *at, long results) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  int last = value->rank - 1;
  while (value->dim[last] == 1)
    last--;
  int lanes = sweep->block / sweep->warps_deep;
  const char *type = lo_sweep_number_type(results + (long)sweep->block * sweep->vector);
  const char *index_type = lo_index_type(value->dim[last]);
  if (sweep->warps_deep > 1)
    lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int lane = as_tid() %% %d, deep = as_tid() / %d;", lanes, lanes);
  lo_line(text, "const %s e = ((%s)%s * %du + lane) * %du;", type, type,
          lo_block_number(text->unit), lanes, sweep->vector);
  lo_line(text, "const bool inside = e < %ldu;", results);
  lo_line(text, "(void)deep;");
  lo_line(text, "const %s above = e / %ldu;", type, value->dim[last]);
  lo_line(text, "const %s from = (%s)(e %% %ldu);", index_type, index_type, value->dim[last]);
  lo_line(text, "(void)above;");
  lo_sweep_decode(at, "above", ~0u << last);
  for (int i = last + 1; i < value->rank; i++) {
    lo_line(text, "const int %s = 0;", lo_sweep_index[i]);
    lo_line(text, "(void)%s;", lo_sweep_index[i]);
  }
  return last;
}

static void emit_columns(lo_sweeper *at, long results) {
  const lo_sweep *sweep = at->sweep;
  lo_text *text = &at->text;
  int lanes = sweep->block / sweep->warps_deep;
  int last = lo_sweep_columns(at, results);
  emit_deep_loop(at, last);
  if (sweep->warps_deep > 1)
    emit_warps_joined(at, lanes);
  else
    lo_line(text, "if (!inside) return;");
  emit_results(at, last);
}

static long per_block(const lo_sweep *sweep, const lo_value *value) {
  switch (sweep->kind) {
  case LO_SWEEP_MAP:
    return (long)sweep->block * sweep->vector * sweep->repeats;
  case LO_SWEEP_ROWS:
    return LO_SWEEP_THREADS / sweep->threads;
  case LO_SWEEP_SCAN:
    return value->dim[sweep->scan.axis];
  case LO_SWEEP_SCAN_COLUMNS:
    return LO_SWEEP_THREADS * value->dim[sweep->scan.axis];
  case LO_SWEEP_WINDOW:
    return (long)LO_SWEEP_THREADS * sweep->window->results;
  default:
    return (long)sweep->block / sweep->warps_deep * sweep->vector;
  }
}

static long shared_bytes(const lo_sweep *sweep) {
  long each = sweep->pair ? 12 : 4;
  if (sweep->kind == LO_SWEEP_ROWS)
    return sweep->threads > 32 ? each * LO_SWEEP_WARPS : 0;
  if (sweep->kind == LO_SWEEP_COLUMNS)
    return sweep->warps_deep > 1 ? each * sweep->block * sweep->vector : 0;
  if (sweep->kind == LO_SWEEP_WINDOW)
    return lo_window_shared(sweep->window);
  if (sweep->kind == LO_SWEEP_SCAN) /* totals of warps, of two rounds */
    return 4L * 2 * LO_SWEEP_WARPS * sweep->repeats;
  return 0;
}

bool lo_emit_sweep(lo_job *job, lo_unit *unit, as_str *out) {
  const lo_sweep *sweep = unit->sweep;
  bool map = sweep->kind == LO_SWEEP_MAP;
  uint32_t swept = map ? unit->flat_val : sweep->pair ? sweep->first : sweep->reduction;
  const lo_value *value = &job->value[swept];
  lo_sweeper writer = {.text = {.job = job,
                                .unit = unit,
                                .out = out,
                                .ref = read_element,
                                .var = lo_sweep_index,
                                .eager = true},
                       .sweep = sweep,
                       .value = value};
  lo_text *text = &writer.text;
  long elements = lo_elems(value);
  const lo_sweep *rows = sweep->before;
  unit->warps = sweep->block / 32;
  unit->smem = shared_bytes(rows ? rows : sweep);
  unit->flat_per_block = per_block(sweep, value);
  if (rows)
    unit->flat_per_block = LO_SWEEP_THREADS / rows->threads * lo_row_of(job, sweep, elements);
  unit->blocks = (elements + unit->flat_per_block - 1) / unit->flat_per_block;
  if (sweep->kind == LO_SWEEP_WINDOW) { /* chunks need not be whole */
    long threads = lo_window_threads(sweep->window, value->rank);
    unit->blocks = (threads + LO_SWEEP_THREADS - 1) / LO_SWEEP_THREADS;
  }
  if (!lo_check_blocks(job, unit))
    return false;
  lo_axes(text, value);
  lo_kernel_head(text, (uint32_t)sweep->block, 0);
  lo_line(text, "{");
  text->indent++;
  if (sweep->before)
    lo_emit_follow(&writer);
  else if (map)
    emit_map(&writer, elements);
  else if (sweep->kind == LO_SWEEP_WINDOW)
    lo_emit_window(&writer);
  else if (sweep->pair)
    lo_emit_pair(&writer, elements);
  else if (sweep->kind == LO_SWEEP_SCAN)
    lo_emit_scan(&writer);
  else if (sweep->kind == LO_SWEEP_SCAN_COLUMNS)
    lo_emit_scan_columns(&writer);
  else if (sweep->kind == LO_SWEEP_ROWS)
    emit_row_results(&writer, elements);
  else
    emit_columns(&writer, elements);
  text->indent--;
  lo_line(text, "}\n");
  free(text->memo);
  return true;
}

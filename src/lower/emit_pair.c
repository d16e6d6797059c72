/* Text of two reductions in one pass (pair.c): threads have both of their terms, x and y, and how
 * many they have, n; lanes and warps join what they have. */
#include "emit_sweep.h"
#include "reads.h"
#include <stdlib.h>

/* the law by which two parts make one, with its parameters */
static const char *join_law(const lo_sweeper *at) {
  static const char *const place[2][2] = {{"place<false, false>", "place<false, true>"},
                                          {"place<true, false>", "place<true, true>"}};
  const lo_sweep *sweep = at->sweep;
  if (sweep->pair == LO_PAIR_PLACE)
    return place[at->value->red == LO_MAX][sweep->keeps == LO_MIN];
  return sweep->pair == LO_PAIR_SCALED ? "scaled" : "moments";
}

static char *nothing(const lo_sweeper *at) {
  long none = at->sweep->pair == LO_PAIR_PLACE ? at->sweep->none : 0;
  return as_format("%ld.0f", none);
}

/* `count` variables each of x, y and n, before any term; 0: one that is no array */
static void declare_state(lo_sweeper *at, int count) {
  char *none = nothing(at);
  const char *start = lo_sweep_identity(at->value->red);
  if (count == 0) {
    lo_line(&at->text, "float x = %s, y = %s, n = 0.0f;", start, none);
  } else {
    lo_line(&at->text, "float x[%d], y[%d], n[%d];", count, count, count);
    lo_sweep_loop(&at->text, "j", count);
    lo_line(&at->text, "x[j] = %s, y[j] = %s, n[j] = 0.0f;", start, none);
    lo_sweep_close(&at->text);
  }
  free(none);
}

/* `count` terms of the array `term` are added to the variables of that index */
static void add(lo_sweeper *at, int count, const char *index) {
  lo_text *text = &at->text;
  if (at->sweep->pair == LO_PAIR_PLACE)
    return; /* one by one, where its place is known */
  const char *law = at->sweep->pair == LO_PAIR_SCALED ? "scaled" : "moments";
  lo_line(text, "as_add_%s<%d>(x%s, y%s, n%s, term);", law, count, index, index, index);
}

/* the term at hand, into its place of `term`, or added at once with its own number */
static void take_term(lo_sweeper *at, const char *where, const char *index) {
  lo_text *text = &at->text;
  char *body = lo_expr(text, at->value->body);
  if (at->sweep->pair == LO_PAIR_PLACE)
    lo_line(text, "as_join_%s(x%s, y%s, n%s, %s, (float)%s, 1.0f);", join_law(at), index, index,
            index, body, lo_sweep_index[at->value->rank]);
  else
    lo_line(text, "term[%s] = %s;", where, body);
  free(body);
}

static void declare_terms(lo_sweeper *at, int count) {
  if (at->sweep->pair != LO_PAIR_PLACE)
    lo_line(&at->text, "float term[%d];", count);
}

/* --- rows */
/* the terms of so many repeats, read and then added at once */
static void add_terms(lo_sweeper *at, int repeats, long step) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  lo_sweep_declare_reads(at);
  declare_terms(at, repeats * sweep->vector);
  lo_sweep_loop(text, "u", repeats);
  lo_line(text, "const int from = k + u * %ld;", step);
  lo_line(text, "(void)from;");
  lo_sweep_reads(at, value->rank, "from");
  lo_sweep_close(text);
  lo_sweep_loop(text, "u", repeats);
  lo_line(text, "const int from = k + u * %ld;", step);
  at->repeat = "u";
  lo_sweep_loop(text, "j", sweep->vector);
  lo_sweep_declare(at, value->rank, "from");
  char *where = as_format("u * %d + j", sweep->vector);
  take_term(at, where, "");
  free(where);
  lo_sweep_close(text);
  lo_sweep_close(text);
  at->repeat = NULL;
  add(at, repeats * sweep->vector, "");
}

static bool follower_reads(const lo_sweeper *at, uint32_t id) {
  return at->follower && lo_expr_reads(at->text.job, at->follower->body, id);
}

bool lo_pair_names_first(const lo_sweeper *at) {
  const lo_sweep *sweep = at->sweep;
  bool finished = sweep->first_result != sweep->first; /* else it is the variable x itself */
  return sweep->first_kept || follower_reads(at, sweep->first_result) ||
         (finished && lo_expr_reads(at->text.job, sweep->finish, sweep->first_result));
}

bool lo_pair_names_second(const lo_sweeper *at) {
  return at->result_kept || follower_reads(at, at->result);
}

/* one of the two results, of the variable `from`, named and stored */
static void store_part(lo_sweeper *at, uint32_t to, const lx *finish, const char *from, bool kept) {
  char *pointer = lo_global_pointer(at->text.job, to);
  const char *type = lo_dtype_name(at->text.job->value[to].dtype);
  char *text = finish ? lo_expr(&at->text, finish) : as_strdup(from);
  lo_line(&at->text, "%sstored_%s = %s;", at->follower ? "" : "const float ", from, text);
  if (kept)
    lo_line(&at->text, "%sas_stg_%s<1>(%s, e, &stored_%s);", at->follower ? "if (t == 0) " : "",
            type, pointer, from);
  free(pointer);
  free(text);
}

static void join_lanes(lo_sweeper *at) {
  lo_text *text = &at->text;
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int d = 16; d > 0; d >>= 1) {");
  text->indent++;
  lo_line(text, "const float x2 = as_shfl_xor(x, d), y2 = as_shfl_xor(y, d);");
  lo_line(text, "const float n2 = as_shfl_xor(n, d);");
  lo_line(text, "as_join_%s(x, y, n, x2, y2, n2);", join_law(at));
  lo_sweep_close(text);
}

void lo_emit_pair_rows(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  long step = (long)sweep->threads * sweep->vector;
  long end = at->value->extent;
  lo_sweep_decode(at, "e", 0);
  declare_state(at, 0);
  lo_line(text, "int k = t * %d;", sweep->vector);
  lo_line(text, "for (; k + %ld <= %ld; k += %ld) {", step * (sweep->repeats - 1) + sweep->vector,
          end, step * sweep->repeats);
  text->indent++;
  add_terms(at, sweep->repeats, step);
  lo_sweep_close(text);
  lo_line(text, "for (; k < %ld; k += %ld) {", end, step);
  text->indent++;
  add_terms(at, 1, step);
  lo_sweep_close(text);
  join_lanes(at);
  if (sweep->threads > 32) {
    lo_line(text, "if ((t & 31) == 0) {");
    text->indent++;
    lo_line(text, "as_sts_f32(sm, 12 * (t >> 5), x);");
    lo_line(text, "as_sts_f32(sm, 12 * (t >> 5) + 4, y);");
    lo_line(text, "as_sts_f32(sm, 12 * (t >> 5) + 8, n);");
    lo_sweep_close(text);
    lo_barrier(text, NULL);
  }
  if (!at->follower)
    lo_line(text, "if (t) return;");
  else if (sweep->threads > 32)
    lo_line(text, "x = as_lds_f32(sm, 0), y = as_lds_f32(sm, 4), n = as_lds_f32(sm, 8);");
  if (sweep->threads > 32) {
    lo_line(text, "for (int w = 1; w < %d; w++)", LO_SWEEP_WARPS);
    lo_line(text,
            "  as_join_%s(x, y, n, as_lds_f32(sm, 12 * w), as_lds_f32(sm, 12 * w + 4), "
            "as_lds_f32(sm, 12 * w + 8));",
            join_law(at));
  }
  at->finishing = true;
  if (lo_pair_names_first(at))
    store_part(at, sweep->first_result, sweep->first_finish, "x", sweep->first_kept);
  if (lo_pair_names_second(at))
    store_part(at, at->result, sweep->finish, "y", at->result_kept);
}

/* --- columns */
/* so many terms, `step` apart, of each neighbour: read and then added at once */
static void add_deep_terms(lo_sweeper *at, int repeats, int last, long step) {
  lo_text *text = &at->text;
  const char *type = lo_index_type(at->value->extent + 65536);
  const char *k = lo_sweep_index[at->value->rank];
  lo_sweep_declare_reads(at);
  lo_sweep_loop(text, "u", repeats);
  lo_line(text, "const %s %s = k + u * %ld;", type, k, step);
  lo_line(text, "(void)%s;", k);
  lo_sweep_reads(at, last, "from");
  lo_sweep_close(text);
  at->repeat = "u";
  lo_sweep_loop(text, "j", at->sweep->vector);
  lo_sweep_declare(at, last, "from");
  declare_terms(at, repeats);
  lo_sweep_loop(text, "u", repeats);
  lo_line(text, "const %s %s = k + u * %ld;", type, k, step);
  lo_line(text, "(void)%s;", k);
  take_term(at, "u", "[j]");
  lo_sweep_close(text);
  add(at, repeats, "[j]");
  lo_sweep_close(text);
  at->repeat = NULL;
}

/* the parts of groups of lanes that share the columns */
static void join_groups(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  int lanes = sweep->block / sweep->warps_deep;
  lo_line(text, "const int at = 12 * %d * as_tid();", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "as_sts_f32(sm, at + 12 * j, x[j]);");
  lo_line(text, "as_sts_f32(sm, at + 12 * j + 4, y[j]);");
  lo_line(text, "as_sts_f32(sm, at + 12 * j + 8, n[j]);");
  lo_sweep_close(text);
  lo_barrier(text, NULL);
  lo_line(text, "if (deep || !inside) return;");
  lo_line(text, "for (int w = 1; w < %d; w++) {", sweep->warps_deep);
  text->indent++;
  lo_sweep_loop(text, "j", sweep->vector);
  lo_line(text, "const int other = at + 12 * (w * %d + j);", lanes * sweep->vector);
  lo_line(text,
          "as_join_%s(x[j], y[j], n[j], as_lds_f32(sm, other), as_lds_f32(sm, other + 4), "
          "as_lds_f32(sm, other + 8));",
          join_law(at));
  lo_sweep_close(text);
  lo_sweep_close(text);
}

/* what is stored of neighbours of one of the two */
static void store_column(lo_sweeper *at, uint32_t to, const lx *finish, const char *from,
                         bool kept) {
  lo_text *text = &at->text;
  char *pointer = lo_global_pointer(text->job, to);
  char *body = finish ? lo_expr(text, finish) : as_format("%s[j]", from);
  lo_line(text, "stored_%s[j] = %s;", from, body);
  if (kept)
    lo_line(text, "as_stg_%s<1>(%s, e + j, &stored_%s[j]);",
            lo_dtype_name(text->job->value[to].dtype), pointer, from);
  free(pointer);
  free(body);
}

static void emit_pair_columns(lo_sweeper *at, long results) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const char *type = lo_index_type(at->value->extent + 65536);
  long step = sweep->warps_deep;
  int last = lo_sweep_columns(at, results);
  declare_state(at, sweep->vector);
  lo_line(text, "const %s end = inside ? %ld : 0;", type, at->value->extent);
  lo_line(text, "%s k = deep;", type);
  lo_line(text, "for (; k + %ld < end; k += %ld) {", step * (sweep->repeats - 1),
          step * sweep->repeats);
  text->indent++;
  add_deep_terms(at, sweep->repeats, last, step);
  lo_sweep_close(text);
  lo_line(text, "for (; k < end; k += %ld) {", step);
  text->indent++;
  add_deep_terms(at, 1, last, step);
  lo_sweep_close(text);
  if (sweep->warps_deep > 1)
    join_groups(at);
  else
    lo_line(text, "if (!inside) return;");
  at->finishing = true;
  bool first = lo_pair_names_first(at);
  if (first)
    lo_line(text, "float stored_x[%d];", sweep->vector);
  lo_line(text, "float stored_y[%d];", sweep->vector);
  lo_sweep_loop(text, "j", sweep->vector);
  lo_sweep_declare(at, last, "from");
  if (first)
    store_column(at, sweep->first_result, sweep->first_finish, "x", sweep->first_kept);
  store_column(at, text->unit->flat_val, sweep->finish, "y", true);
  lo_sweep_close(text);
}

void lo_emit_pair(lo_sweeper *at, long results) {
  if (at->sweep->kind == LO_SWEEP_COLUMNS) {
    emit_pair_columns(at, results);
    return;
  }
  lo_sweep_rows(at, results);
  at->result = at->text.unit->flat_val;
  at->result_kept = true;
  lo_emit_pair_rows(at);
}

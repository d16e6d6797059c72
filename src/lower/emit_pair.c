/* Text of two reductions in one pass (pair.c): a block has a row, each thread both of its terms,
 * and lanes and warps join what they have. */
#include "emit_sweep.h"
#include <stdlib.h>

static const char *law(lo_pair pair) {
  return pair == LO_PAIR_SCALED ? "scaled" : "moments";
}

/* the terms of so many repeats, read and then added at once */
static void add_terms(lo_sweeper *at, int repeats, long step) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  const lo_value *value = at->value;
  lo_sweep_declare_reads(at);
  lo_line(text, "float term[%d];", repeats * sweep->vector);
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
  char *body = lo_expr(text, value->body);
  lo_line(text, "term[u * %d + j] = %s;", sweep->vector, body);
  free(body);
  lo_sweep_close(text);
  lo_sweep_close(text);
  at->repeat = NULL;
  lo_line(text, "as_add_%s<%d>(x, y, n, term);", law(sweep->pair), repeats * sweep->vector);
}

/* what is stored of one of the two, which is the variable `from`; malloc'ed */
static void store_part(lo_sweeper *at, uint32_t to, const lx *finish, const char *from) {
  char *pointer = lo_global_pointer(at->text.job, to);
  char *text = finish ? lo_expr(&at->text, finish) : as_strdup(from);
  lo_line(&at->text, "const float stored_%s = %s;", from, text);
  lo_line(&at->text, "as_stg_f32<1>(%s, e, &stored_%s);", pointer, from);
  free(pointer);
  free(text);
}

void lo_emit_pair(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_sweep *sweep = at->sweep;
  long step = (long)LO_SWEEP_THREADS * sweep->vector;
  long end = at->value->extent;
  lo_line(text, "AS_SMEM(sm);");
  lo_line(text, "const int t = as_tid();");
  lo_line(text, "const %s e = as_bid();", lo_sweep_number_type(lo_elems(at->value)));
  lo_sweep_decode(at, "e", 0);
  lo_line(text, "float x = %s, y = 0.0f, n = 0.0f;", lo_sweep_identity(at->value->red));
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
  lo_line(text, "#pragma unroll");
  lo_line(text, "for (int d = 16; d > 0; d >>= 1) {");
  text->indent++;
  lo_line(text, "const float x2 = as_shfl_xor(x, d), y2 = as_shfl_xor(y, d);");
  lo_line(text, "const float n2 = as_shfl_xor(n, d);");
  lo_line(text, "as_join_%s(x, y, n, x2, y2, n2);", law(sweep->pair));
  lo_sweep_close(text);
  lo_line(text, "if ((t & 31) == 0) {");
  text->indent++;
  lo_line(text, "as_sts_f32(sm, 12 * (t >> 5), x);");
  lo_line(text, "as_sts_f32(sm, 12 * (t >> 5) + 4, y);");
  lo_line(text, "as_sts_f32(sm, 12 * (t >> 5) + 8, n);");
  lo_sweep_close(text);
  lo_barrier(text, NULL);
  lo_line(text, "if (t) return;");
  lo_line(text, "for (int w = 1; w < %d; w++)", LO_SWEEP_WARPS);
  lo_line(text,
          "  as_join_%s(x, y, n, as_lds_f32(sm, 12 * w), as_lds_f32(sm, 12 * w + 4), "
          "as_lds_f32(sm, 12 * w + 8));",
          law(sweep->pair));
  at->finishing = true;
  store_part(at, sweep->first_result, sweep->first_finish, "x");
  store_part(at, text->unit->flat_val, sweep->finish, "y");
}

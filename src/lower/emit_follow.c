/* Text of maps that follow a reduction of rows (follow.c): the threads that have a row's results go
 * over the row again, which they have just read, and it is in their caches still. */
#include "emit_sweep.h"
#include "fault.h"
#include <stdlib.h>

long lo_row_of(const lo_job *job, const lo_sweep *sweep, long elements) {
  const lo_sweep *rows = sweep->before;
  return elements / lo_elems(&job->value[rows->pair ? rows->first : rows->reduction]);
}

static void emit_before(lo_sweeper *at, long *results) {
  const lo_sweep *map = at->sweep;
  const lo_sweep *rows = map->before;
  lo_sweeper part = {.text = at->text,
                     .sweep = rows,
                     .value = &at->text.job->value[rows->pair ? rows->first : rows->reduction],
                     .result = map->before_result,
                     .result_kept = map->before_kept,
                     .follower = at->value};
  lo_text *text = &part.text;
  *results = lo_elems(part.value);
  lo_axes(text, part.value);
  lo_sweep_rows(&part, *results);
  if (!rows->pair || lo_pair_names_first(&part))
    lo_line(text, "float stored_x = 0.0f;");
  if (rows->pair && lo_pair_names_second(&part))
    lo_line(text, "float stored_y = 0.0f;");
  lo_line(text, "{");
  text->indent++;
  if (rows->pair) {
    lo_emit_pair_rows(&part);
  } else {
    lo_emit_rows(&part);
    char *pointer = lo_global_pointer(text->job, map->before_result);
    if (map->before_kept)
      lo_line(text, "if (t == 0) as_stg_%s<1>(%s, e, &stored_x);",
              lo_dtype_name(text->job->value[map->before_result].dtype), pointer);
    free(pointer);
  }
  lo_sweep_close(text);
  at->text = part.text;
  at->text.n_memo = 0; /* temporaries of the scope that is left */
}

void lo_emit_follow(lo_sweeper *at) {
  const lo_sweep *map = at->sweep;
  lo_text *text = &at->text;
  long elements = lo_elems(at->value);
  long results;
  emit_before(at, &results);
  lo_axes(text, at->value);
  long row = elements / results;
  long step = (long)map->before->threads * map->vector;
  const char *type = lo_sweep_number_type(elements + step * map->repeats);
  lo_line(text, "const %s row = (%s)e * %ldu;", type, type, row);
  lo_line(text, "for (int k = t * %d; k < %ld; k += %ld) {", map->vector, row, step * map->repeats);
  text->indent++;
  lo_sweep_declare_reads(at);
  for (int pass = 0; pass < 2; pass++) {
    lo_sweep_loop(text, "u", map->repeats);
    if (!LO_FAULT(LO_FAULT_PREDICATION))
      lo_line(text, "if (k + u * %ld >= %ld) break;", step, row);
    lo_line(text, "const %s e = row + k + u * %ld;", type, step);
    if (pass == 0)
      lo_sweep_map_reads(at, elements);
    else
      lo_sweep_map_results(at, elements);
    lo_sweep_close(text);
  }
  lo_sweep_close(text);
}

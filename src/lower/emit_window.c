/* Text of windows (window.h): what a thread's results read is read once, under guards that are
 * computed once, then all terms follow each other. */
#include "emit_window.h"
#include "beside.h"
#include "emit_sweep.h"
#include "fault.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const chunk_name[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};

typedef struct {
  lo_sweeper *at;
  const lo_window *window;
  const lx **guard; /* those that have a name */
  int n_guard;
  int *base_of; /* by load: the first one that is read from the same place but for the number */
  long *least;  /* by load that is one: the least number */
  bool *loaded; /* by load */
} window_text;

void lo_window_read_text(const lo_sweeper *at, as_str *out, long number) {
  const lo_window *window = at->sweep->window;
  if (number == LO_WINDOW_FOLD) {
    as_str_printf(out, "p%d", at->window_result);
    return;
  }
  const lo_window_read *read = &window->read[number];
  if (window->load[read->load].width > 1)
    as_str_printf(out, "v%d[%d]", read->load, read->lane);
  else
    as_str_printf(out, "v%d", read->load);
}

/* --- what is the same for several reads */
static int name_of(const lx **names, int *n, const lx *expr) {
  for (int i = 0; i < *n; i++) {
    if (lx_equal(names[i], expr))
      return i;
  }
  names[*n] = expr;
  return (*n)++;
}

static void name_guards(window_text *of) {
  lo_text *text = &of->at->text;
  for (int i = 0; i < of->window->n_load; i++) {
    const lo_window_load *load = &of->window->load[i];
    for (int k = 0; k < load->n_guard; k++) {
      int before = of->n_guard;
      int name = name_of(of->guard, &of->n_guard, load->guard[k]);
      if (name < before)
        continue;
      char *condition = lo_condition(text, load->guard[k]);
      lo_line(text, "const bool g%d = %s;", name, condition);
      free(condition);
    }
  }
}

/* Pointers to the least places that are read, so that others are at constants from them. */
static void name_bases(window_text *of) {
  lo_text *text = &of->at->text;
  const lo_window *window = of->window;
  for (int i = 0; i < window->n_load; i++) {
    const lo_window_load *load = &window->load[i];
    of->base_of[i] = i;
    of->least[i] = load->number;
    for (int k = 0; k < i && of->base_of[i] == i; k++) {
      if (window->load[k].val == load->val && lx_equal(window->load[k].base, load->base))
        of->base_of[i] = of->base_of[k];
    }
    long *least = &of->least[of->base_of[i]];
    *least = load->number < *least ? load->number : *least;
  }
  for (int i = 0; i < window->n_load; i++) {
    const lo_window_load *load = &window->load[i];
    if (of->base_of[i] != i)
      continue;
    lx *place = lx_mk(text->job, LX_ADD, 2, (lx *[]){load->base, lx_int(text->job, of->least[i])});
    char *pointer = lo_global_pointer(text->job, load->val);
    char *index = lo_index(text, place);
    lo_line(text, "const void *const q%d = as_place_%s(%s, %s);", i,
            lo_dtype_name(text->job->value[load->val].dtype), pointer, index);
    free(pointer);
    free(index);
  }
}

/* --- loads */
static char *guards_text(const window_text *of, const lo_window_load *load) {
  as_str out;
  as_str_init(&out);
  for (int k = 0; k < load->n_guard; k++) {
    for (int name = 0; name < of->n_guard; name++) {
      if (lx_equal(of->guard[name], load->guard[k]))
        as_str_printf(&out, "%sg%d", k ? " & " : "", name);
    }
  }
  return as_str_take(&out);
}

static void emit_load(window_text *of, int which) {
  lo_text *text = &of->at->text;
  const lo_window_load *load = &of->window->load[which];
  if (of->loaded[which])
    return;
  of->loaded[which] = true;
  const char *type = lo_dtype_name(text->job->value[load->val].dtype);
  int base = of->base_of[which];
  char *pointer = as_format("q%d", base);
  char *place = as_format("%ld", load->number - of->least[base]);
  char *guards = guards_text(of, load);
  char *fill = lo_expr(text, load->fill);
  if (load->width > 1) {
    as_str all;
    as_str_init(&all);
    for (int lane = 0; lane < load->width; lane++)
      as_str_printf(&all, "%s%s", lane ? ", " : "", fill);
    lo_line(text, "float v%d[%d] = {%s};", which, load->width, all.s);
    as_str_clear(&all);
    lo_line(text, "%s%s%sas_ldg%d_%s(v%d, %s, %s);", load->n_guard ? "if (" : "", guards,
            load->n_guard ? ") " : "", load->width, type, which, pointer, place);
  } else if (load->n_guard) {
    lo_line(text, "const float v%d = %s ? as_ldg_%s(%s, %s) : %s;", which, guards, type, pointer,
            place, fill);
  } else {
    lo_line(text, "const float v%d = as_ldg_%s(%s, %s);", which, type, pointer, place);
  }
  free(pointer);
  free(place);
  free(guards);
  free(fill);
}

static void load_for(void *arg, const lx *ref) {
  window_text *of = arg;
  long number = ref->kid[0]->number;
  if (number != LO_WINDOW_FOLD)
    emit_load(of, of->window->read[number].load);
}

static bool all_first(const lo_window *window) {
  int registers = 0;
  for (int i = 0; i < window->n_load; i++)
    registers += window->load[i].width;
  return registers <= LO_WINDOW_ALL_FIRST;
}

/* --- results */
static void emit_terms(window_text *of) {
  lo_sweeper *at = of->at;
  lo_text *text = &at->text;
  const lo_window *window = of->window;
  for (int i = 0; i < window->results; i++)
    lo_line(text, "float p%d = %s;", i, lo_sweep_identity(at->value->red));
  for (long k = 0; k < at->value->extent * window->results; k++) {
    const lx *term = window->term[window->order[k]];
    lx_refs(term, load_for, of);
    char *name = as_format("p%d", window->order[k] % window->results);
    char *body = lo_expr(text, term);
    char *join = lo_sweep_joined(at->value->red, name, body);
    lo_line(text, "%s = %s;", name, join);
    free(name);
    free(body);
    free(join);
  }
  for (int i = 0; i < window->results && window->stored; i++) {
    lx_refs(window->stored[i], load_for, of);
    at->window_result = i;
    char *body = lo_expr(text, window->stored[i]);
    lo_line(text, "p%d = %s;", i, body);
    free(body);
  }
}

/* the index of an axis of a thread's result, over the numbers of chunks */
static lx *result_index(lo_job *job, const lo_window *window, int rank, int axis, int result) {
  long rest = result;
  for (int i = rank; --i > axis;)
    rest /= window->count[i];
  lx *first = lx_mk(job, LX_MUL, 2, (lx *[]){lx_var(job, axis), lx_int(job, window->count[axis])});
  return lx_mk(job, LX_ADD, 2, (lx *[]){first, lx_int(job, rest % window->count[axis])});
}

static char *result_place(lo_sweeper *at, int result) {
  lo_job *job = at->text.job;
  lx *place = lx_int(job, 0);
  for (int axis = 0; axis < at->value->rank; axis++) {
    lx *index = result_index(job, at->sweep->window, at->value->rank, axis, result);
    lx *part = lx_mk(job, LX_MUL, 2, (lx *[]){index, lx_int(job, lo_stride_of(at->value, axis))});
    place = lx_mk(job, LX_ADD, 2, (lx *[]){place, part});
  }
  return lo_index(&at->text, place);
}

/* Does the result exist, along the axes of the set?  NULL: it does. */
static char *result_exists(lo_sweeper *at, int result, unsigned axes) {
  const lo_window *window = at->sweep->window;
  lo_job *job = at->text.job;
  lx *all = NULL;
  for (int axis = 0; axis < at->value->rank; axis++) {
    if (!(axes >> axis & 1) || window->chunks[axis] * window->count[axis] == at->value->dim[axis])
      continue;
    lx *index = result_index(job, window, at->value->rank, axis, result);
    lx *within = lx_mk(job, LX_LT, 2, (lx *[]){index, lx_int(job, at->value->dim[axis])});
    all = all ? lx_mk(job, LX_AND, 2, (lx *[]){all, within}) : within;
  }
  return all && !LO_FAULT(LO_FAULT_PREDICATION) ? lo_condition(&at->text, all) : NULL;
}

static void emit_stores(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  int along = (int)window->count[window->last];
  for (int i = 0; i < window->results; i += along) {
    char *exists = result_exists(at, i, ~0u);
    char *place = result_place(at, i);
    if (exists)
      lo_line(text, "if %s {", exists);
    else
      lo_line(text, "{");
    text->indent++;
    as_str list;
    as_str_init(&list);
    for (int j = 0; j < along; j++)
      as_str_printf(&list, "%sp%d", j ? ", " : "", i + j);
    lo_line(text, "const float r[%d] = {%s};", along, list.s);
    lo_sweep_store(at, along, place, "r");
    as_str_clear(&list);
    text->indent--;
    lo_line(text, "}");
    free(exists);
    free(place);
  }
}

/* --- results that do not lie as vectors: through shared memory to where they lie */
static int rows_of(const lo_window *window) {
  return window->results / (int)window->count[window->last];
}

/* bytes in front of the places */
static long results_bytes(const lo_window *window) {
  return 4L * LO_SWEEP_THREADS * window->results;
}

long lo_window_shared(const lo_window *window) {
  long places = 4L * LO_SWEEP_THREADS * (rows_of(window) + 1);
  return window->staged ? results_bytes(window) + places : 0;
}

static void stage_nothing(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  lo_line(text, "AS_SMEM(sm);");
  for (int row = 0; row < rows_of(window); row++)
    lo_line(text, "as_sts_int(sm, %ld + 4 * as_tid(), -1);",
            results_bytes(window) + 4L * LO_SWEEP_THREADS * row);
}

static void stage_results(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  int along = (int)window->count[window->last];
  unsigned others = ~(1u << window->last);
  for (int row = 0; row < rows_of(window); row++) {
    char *exists = result_exists(at, row * along, others);
    char *place = result_place(at, row * along);
    lo_line(text, "%s%sas_sts_int(sm, %ld + 4 * as_tid(), %s);", exists ? "if " : "",
            exists ? exists : "", results_bytes(window) + 4L * LO_SWEEP_THREADS * row, place);
    for (int j = 0; j < along; j++)
      lo_line(text, "as_sts_f32(sm, %ld + 4 * (as_tid() * %d + %d), p%d);",
              4L * LO_SWEEP_THREADS * along * row, along, j, row * along + j);
    free(exists);
    free(place);
  }
  long whole = at->value->dim[window->last];
  lo_line(text, "as_sts_int(sm, %ld + 4 * as_tid(), as_imin<int>(%d, %ld - c%d * %d));",
          results_bytes(window) + 4L * LO_SWEEP_THREADS * rows_of(window), along, whole,
          window->last, along);
}

/* A warp stores what its lanes have, side by side. */
static void store_staged(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  int along = (int)window->count[window->last];
  long lefts = results_bytes(window) + 4L * LO_SWEEP_THREADS * rows_of(window);
  lo_barrier(text, NULL);
  lo_sweep_loop(text, "j", along);
  lo_line(text, "const int at = (as_tid() & ~31) * %d + j * 32 + (as_tid() & 31);", along);
  lo_line(text, "const int from = at / %d, which = at %% %d;", along, along);
  for (int row = 0; row < rows_of(window); row++) {
    lo_line(text, "{");
    text->indent++;
    lo_line(text, "const int place = as_lds_int(sm, %ld + 4 * from);",
            results_bytes(window) + 4L * LO_SWEEP_THREADS * row);
    lo_line(text, "if (place >= 0 && which < as_lds_int(sm, %ld + 4 * from)) {", lefts);
    text->indent++;
    lo_line(text, "const float x = as_lds_f32(sm, %ld + 4 * at);",
            4L * LO_SWEEP_THREADS * along * row);
    lo_sweep_store(at, 1, "place + which", "&x");
    lo_sweep_close(text);
    lo_sweep_close(text);
  }
  lo_sweep_close(text);
}

/* --- the kernel */
static void emit_tile(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  as_arena *arena = text->job->arena;
  size_t loads = (size_t)window->n_load + 1;
  window_text of = {.at = at, .window = window};
  of.guard = as_arena_alloc(arena, loads * 2 * AS_MAX_RANK * sizeof *of.guard);
  of.least = as_arena_alloc(arena, loads * sizeof *of.least);
  of.base_of = as_arena_alloc(arena, loads * sizeof *of.base_of);
  of.loaded = as_arena_alloc(arena, loads * sizeof *of.loaded);
  memset(of.loaded, 0, loads * sizeof *of.loaded);
  name_guards(&of);
  name_bases(&of);
  for (int i = 0; i < window->n_load && all_first(window); i++)
    emit_load(&of, i);
  emit_terms(&of);
  if (window->staged)
    stage_results(at);
  else
    emit_stores(at);
}

/* outside of the box: result by result, term by term */
static void emit_one_by_one(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  const lo_value *value = at->value;
  as_str place;
  as_str exists;
  as_str_init(&place);
  as_str_init(&exists);
  lo_line(text, "for (int r = 0; r < %d; r++) {", window->results);
  text->indent++;
  text->var = lo_sweep_index;
  lo_axes(text, value);
  long below = 1;
  as_str_add(&place, "(size_t)0");
  for (int axis = value->rank; axis-- > 0;) {
    const char *type = lo_index_type(window->chunks[axis] * window->count[axis]);
    lo_line(text, "const %s %s = c%d * %ld + r / %ld %% %ld;", type, lo_sweep_index[axis], axis,
            window->count[axis], below, window->count[axis]);
    below *= window->count[axis];
    as_str_printf(&place, " + (size_t)%s * %ld", lo_sweep_index[axis], lo_stride_of(value, axis));
    if (window->chunks[axis] * window->count[axis] != value->dim[axis])
      as_str_printf(&exists, "%s%s < %ld", exists.n ? " && " : "", lo_sweep_index[axis],
                    value->dim[axis]);
  }
  if (exists.n)
    lo_line(text, "if (!(%s)) continue;", exists.s);
  lo_line(text, "float x = %s;", lo_sweep_identity(value->red));
  lo_line(text, "for (int %s = 0; %s < %ld; %s++) {", lo_sweep_index[value->rank],
          lo_sweep_index[value->rank], value->extent, lo_sweep_index[value->rank]);
  text->indent++;
  char *body = lo_expr(text, value->body);
  char *join = lo_sweep_joined(value->red, "x", body);
  lo_line(text, "x = %s;", join);
  free(body);
  free(join);
  lo_sweep_close(text);
  lo_sweep_result(at, place.s);
  lo_sweep_close(text);
  as_str_clear(&place);
  as_str_clear(&exists);
}

static char *box_text(const lo_sweeper *at) {
  const lo_window *window = at->sweep->window;
  as_str out;
  as_str_init(&out);
  for (int axis = 0; axis < at->value->rank; axis++) {
    const lo_range *box = &window->box[axis];
    if (box->low > 0)
      as_str_printf(&out, "%sc%d >= %ld", out.n ? " && " : "", axis, box->low);
    if (box->high < window->chunks[axis] - 1)
      as_str_printf(&out, "%sc%d <= %ld", out.n ? " && " : "", axis, box->high);
  }
  return as_str_take(&out);
}

static void emit_chunks(lo_sweeper *at, const char *number) {
  const lo_window *window = at->sweep->window;
  lo_value chunks = *at->value; /* as many as there are chunks, numbered by c0, .. */
  memcpy(chunks.dim, window->chunks, sizeof window->chunks);
  long below = 1;
  for (int axis = chunks.rank; axis-- > 0;) {
    const char *type = lo_index_type(chunks.dim[axis]);
    if (chunks.dim[axis] == 1)
      lo_line(&at->text, "const int c%d = 0;", axis);
    else
      lo_line(&at->text, "const %s c%d = (%s)(%s / %ldu %% %ldu);", type, axis, type, number, below,
              chunks.dim[axis]);
    lo_line(&at->text, "(void)c%d;", axis);
    below *= chunks.dim[axis];
  }
  at->text.var = chunk_name;
  lo_axes(&at->text, &chunks);
}

long lo_window_threads(const lo_window *window, int rank) {
  long threads = 1;
  for (int axis = 0; axis < rank; axis++)
    threads *= window->chunks[axis];
  return threads;
}

void lo_emit_window(lo_sweeper *at) {
  lo_text *text = &at->text;
  const lo_window *window = at->sweep->window;
  long threads = lo_window_threads(window, at->value->rank);
  const char *type = lo_sweep_number_type(threads + LO_SWEEP_THREADS);
  if (window->staged)
    stage_nothing(at);
  lo_line(text, "const %s e = (%s)%s * %du + as_tid();", type, type, lo_block_number(text->unit),
          LO_SWEEP_THREADS);
  if (window->staged)
    lo_line(text, "if (e < %ldu) {", threads);
  else if (!LO_FAULT(LO_FAULT_PREDICATION))
    lo_line(text, "if (e >= %ldu) return;", threads);
  if (window->staged)
    text->indent++;
  emit_chunks(at, "e");
  at->repeat = NULL;
  if (!window->everywhere) {
    char *box = box_text(at);
    lo_line(text, "if (%s) {", box);
    text->indent++;
    free(box);
  }
  emit_tile(at);
  if (!window->everywhere) {
    text->indent--;
    lo_line(text, "} else {");
    text->indent++;
    emit_one_by_one(at);
    lo_sweep_close(text);
  }
  if (window->staged) {
    lo_sweep_close(text);
    store_staged(at);
  }
}

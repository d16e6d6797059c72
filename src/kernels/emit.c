/* Statements as C++: a loop over the elements of a tile each, which a block's threads share in a
 * kernel, and a barrier behind it. */
#include "kernels_int.h"
#include "src/base/id.h"
#include "src/write/words.h"
#include <stdarg.h>
#include <stdlib.h>

enum { WARP = 32, SHORT_SUM = 16 };

void kt_line(kt_writer *writer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_str_printf(writer->out, "%*s%s\n", 2 * writer->depth, "", text);
  free(text);
}

static void close_brace(kt_writer *writer) {
  writer->depth--;
  kt_line(writer, "}");
}

static void barrier(kt_writer *writer) {
  if (writer->unit)
    kt_line(writer, "as_sync();");
}

/* ---- lanes */

/* who computes element `e` of how many */
typedef enum { BY_THREADS, BY_WARPS } kt_share;

/* `for (.. e ..) {` over all lanes, and what each of them is; to be closed by one brace */
static void open_lanes(kt_writer *writer, const wr_stmt *stmt, kt_share share) {
  as_str count;
  as_str_init(&count);
  int64_t most = 1;
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    char *extent = kt_integer(writer, stmt->extent[i]);
    int64_t bound = WR_VAR(writer->program, stmt->lane[i])->high + 1;
    as_str_printf(&count, "%s(long long)%s", i ? " * " : "", extent);
    most = __builtin_mul_overflow(most, bound, &most) ? INT64_MAX : most;
    free(extent);
  }
  const char *type = most < INT32_MAX / 2 ? "int" : "long long";
  const char *all = stmt->n_lane ? count.s : "1";
  int threads = writer->unit ? WARP * writer->unit->warps : 1;
  if (writer->unit == NULL)
    kt_line(writer, "for (%s e = 0; e < %s; e++) {", type, all);
  else if (share == BY_WARPS)
    kt_line(writer, "for (%s e = as_tid() / %d; e < %s; e += %d) {", type, WARP, all,
            threads / WARP);
  else
    kt_line(writer, "for (%s e = as_tid(); e < %s; e += %d) {", type, all, threads);
  as_str_clear(&count);
  writer->depth++;
  if (stmt->n_lane)
    kt_line(writer, "%s rest = e;", type);
  for (uint32_t i = stmt->n_lane; i-- > 0;) {
    char *extent = kt_integer(writer, stmt->extent[i]);
    char *name = kt_name(writer, stmt->lane[i]);
    const char *own = kt_variable_type(writer, stmt->lane[i]);
    kt_line(writer, "[[maybe_unused]] const %s %s = (%s)(rest %% %s);", own, name, own, extent);
    if (i > 0)
      kt_line(writer, "rest /= %s;", extent);
    free(extent);
    free(name);
  }
}

/* the place of the lanes' element in the tile; malloc'ed */
static char *own_place(kt_writer *writer, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(writer->program, stmt->tile);
  char *place = NULL;
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    char *name = kt_name(writer, stmt->lane[i]);
    char *next = place ? as_format("(%s * %lld + %s)", place, (long long)tile->bound[i], name)
                       : as_strdup(name);
    free(place);
    free(name);
    place = next;
  }
  return place ? place : as_strdup("0");
}

static void write_own(kt_writer *writer, const wr_stmt *stmt, const char *value) {
  char *place = own_place(writer, stmt);
  char *text = kt_write_tile(writer, stmt->tile, place, value);
  kt_line(writer, "%s", text);
  free(place);
  free(text);
}

/* ---- definitions */

static const char *element_type(bool integers) {
  return integers ? "long long" : "kt_real";
}

static char *start_of(const wr_stmt *stmt, bool integers) {
  if (integers && stmt->fold == AS_E_MAXR)
    return as_strdup("-0x7fffffffffffffffLL - 1");
  if (integers && stmt->fold == AS_E_MINR)
    return as_strdup("0x7fffffffffffffffLL");
  return as_strdup(wr_fold_of(stmt->fold, WR_CUDA)->start);
}

/* `x = x + term;`, with the term's text */
static void join(kt_writer *writer, const wr_stmt *stmt, bool integers, const char *term) {
  const wr_word *combine = &wr_fold_of(stmt->fold, WR_CUDA)->combine;
  if (combine->form == WR_INFIX)
    kt_line(writer, "x = x %s %s;", combine->word, term);
  else
    kt_line(writer, "x = %s<%s>(x, %s);", combine->word, element_type(integers), term);
}

/* x: the terms of a reduction, joined; of the first counter each 32nd where a warp shares it */
static void write_terms(kt_writer *writer, const wr_stmt *stmt, bool integers, kt_share share) {
  int depth = writer->depth;
  char *start = start_of(stmt, integers);
  kt_line(writer, "%s x = %s;", element_type(integers), start);
  free(start);
  for (uint32_t i = 0; i < stmt->n_counter; i++) {
    char *name = kt_name(writer, stmt->counter[i]);
    char *count = kt_integer(writer, stmt->count[i]);
    const char *type = kt_variable_type(writer, stmt->counter[i]);
    if (i == 0 && share == BY_WARPS)
      kt_line(writer, "for (%s %s = as_tid() %% %d; %s < %s; %s += %d) {", type, name, WARP, name,
              count, name, WARP);
    else
      kt_line(writer, "for (%s %s = 0; %s < %s; %s++) {", type, name, name, count, name);
    writer->depth++;
    free(name);
    free(count);
  }
  char *term = kt_value(writer, stmt->value, integers);
  join(writer, stmt, integers, term);
  free(term);
  while (writer->depth > depth)
    close_brace(writer);
}

/* A warp sums up one element where there are fewer elements than threads, and terms for a warp. */
static bool is_shared(const kt_writer *writer, const wr_stmt *stmt, bool integers) {
  if (writer->unit == NULL || stmt->n_counter == 0 || integers)
    return false;
  int64_t elements = 1;
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    elements *= WR_VAR(writer->program, stmt->lane[i])->high + 1;
  return elements < WARP * writer->unit->warps &&
         WR_VAR(writer->program, stmt->counter[0])->high >= SHORT_SUM;
}

static void write_define(kt_writer *writer, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(writer->program, stmt->tile);
  bool shared = is_shared(writer, stmt, tile->integers);
  kt_line(writer, "/* %s */", tile->name);
  open_lanes(writer, stmt, shared ? BY_WARPS : BY_THREADS);
  if (stmt->n_counter == 0) {
    char *value = kt_value(writer, stmt->value, tile->integers);
    write_own(writer, stmt, value);
    free(value);
  } else {
    write_terms(writer, stmt, tile->integers, shared ? BY_WARPS : BY_THREADS);
    if (shared) {
      kt_line(writer, "for (int d = %d; d > 0; d >>= 1) {", WARP / 2);
      writer->depth++;
      kt_line(writer, "const float y = as_shfl_xor(x, d);");
      join(writer, stmt, false, "y");
      close_brace(writer);
      kt_line(writer, "if (as_tid() %% %d == 0)", WARP);
      writer->depth++;
    }
    write_own(writer, stmt, "x");
    writer->depth -= shared;
  }
  close_brace(writer);
  barrier(writer);
}

static void write_load(kt_writer *writer, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(writer->program, stmt->tile);
  const wr_tensor *tensor = WR_TENSOR(writer->program, stmt->tensor);
  kt_line(writer, "/* %s: from %s */", tile->name, tensor->name);
  open_lanes(writer, stmt, BY_THREADS);
  char *place = kt_row_major(writer, stmt->n_place, stmt->place, tensor->dim);
  char *value = kt_read_tensor(writer, stmt->tensor, place);
  if (stmt->mask) {
    char *mask = kt_condition(writer, stmt->mask);
    char *other = stmt->other ? kt_value(writer, stmt->other, tile->integers) : as_strdup("0");
    char *both = as_format("%s ? %s : (%s)%s", mask, value, element_type(tile->integers), other);
    free(value);
    value = both;
    free(mask);
    free(other);
  }
  write_own(writer, stmt, value);
  free(place);
  free(value);
  close_brace(writer);
  barrier(writer);
}

static void write_store(kt_writer *writer, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(writer->program, stmt->tensor);
  bool integers = KT_TENSOR(writer->plan, stmt->tensor)->type == AS_INT;
  kt_line(writer, "/* to %s */", tensor->name);
  open_lanes(writer, stmt, BY_THREADS);
  char *place = kt_row_major(writer, stmt->n_place, stmt->place, tensor->dim);
  char *value = kt_value(writer, stmt->value, integers);
  char *text = kt_write_tensor(writer, stmt->tensor, place, value);
  if (stmt->mask) {
    char *mask = kt_condition(writer, stmt->mask);
    kt_line(writer, "if (%s)", mask);
    writer->depth++;
    free(mask);
  }
  kt_line(writer, "%s", text);
  writer->depth -= stmt->mask != NULL;
  free(place);
  free(value);
  free(text);
  close_brace(writer);
  barrier(writer);
}

/* ---- loops */

/* `if (..) `: element e of the largest extents is within those at hand; malloc'ed, empty where they
 * are the same */
static char *extents_hold(kt_writer *writer, const wr_tile *tile) {
  as_str out;
  as_str_init(&out);
  int64_t below = 1;
  for (uint32_t i = tile->rank; i-- > 0;) {
    int64_t value;
    if (!wr_integer_value(tile->extent[i], &value)) {
      char *extent = kt_integer(writer, tile->extent[i]);
      as_str_printf(&out, "if (e / %lld %% %lld < %s) ", (long long)below,
                    (long long)tile->bound[i], extent);
      free(extent);
    }
    below *= tile->bound[i];
  }
  return as_str_take(&out);
}

static void copy_tile(kt_writer *writer, uint32_t to, uint32_t from) {
  const wr_tile *tile = WR_TILE(writer->program, to);
  const wr_tile *source = WR_TILE(writer->program, from);
  int64_t elements = 1;
  for (uint32_t i = 0; i < tile->rank; i++)
    elements *= tile->bound[i];
  char *within = extents_hold(writer, tile);
  char *value = kt_read_tile(writer, from, "e");
  char *text = kt_write_tile(writer, to, "e", value);
  if (tile->integers != source->integers) {
    free(text);
    char *cast = as_format("(%s)(%s)", element_type(tile->integers), value);
    text = kt_write_tile(writer, to, "e", cast);
    free(cast);
  }
  const char *type = elements < INT32_MAX / 2 ? "int" : "long long";
  if (writer->unit)
    kt_line(writer, "for (%s e = as_tid(); e < %lld; e += %d)", type, (long long)elements,
            WARP * writer->unit->warps);
  else
    kt_line(writer, "for (%s e = 0; e < %lld; e++)", type, (long long)elements);
  kt_line(writer, "  %s%s", within, text);
  free(within);
  free(value);
  free(text);
}

/* all that is carried becomes the next, at once */
static void write_next(kt_writer *writer, const wr_stmt *loop) {
  bool any = false;
  for (size_t i = 0; i < loop->carry.n; i++) {
    uint32_t aside = kt_aside_of(writer->plan, loop, i);
    any = any || aside != AS_NONE;
    if (aside != AS_NONE)
      copy_tile(writer, aside, AS_VEC_AT(&loop->carry, wr_carry, i).next);
  }
  if (any)
    barrier(writer);
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    uint32_t aside = kt_aside_of(writer->plan, loop, i);
    if (carry->next != carry->tile)
      copy_tile(writer, carry->tile, aside == AS_NONE ? carry->next : aside);
  }
  if (loop->carry.n)
    barrier(writer);
}

static void write_loop(kt_writer *writer, const wr_stmt *loop) {
  kt_stmts(writer, &loop->first);
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    copy_tile(writer, carry->tile, carry->first);
  }
  if (loop->carry.n)
    barrier(writer);
  char *name = kt_name(writer, loop->variable);
  char *from = kt_integer(writer, loop->from);
  char *to = kt_integer(writer, loop->to);
  char *step = loop->step ? kt_integer(writer, loop->step) : as_strdup("1");
  kt_line(writer, "for (%s %s = %s; %s < %s; %s += %s) {",
          loop->step ? "long long" : kt_variable_type(writer, loop->variable), name, from, name, to,
          name, step);
  writer->depth++;
  kt_stmts(writer, &loop->body);
  write_next(writer, loop);
  close_brace(writer);
  free(name);
  free(from);
  free(to);
  free(step);
}

/* ---- tensors that begin with something */

void kt_begin_tensor(kt_writer *writer, uint32_t number, const char *first, const char *stride) {
  const wr_tensor *tensor = WR_TENSOR(writer->program, number);
  const kt_tensor *place = KT_TENSOR(writer->plan, number);
  bool copied = place->in != AS_NONE && place->out != AS_NONE;
  if (!copied && !tensor->has_initial)
    return;
  bool integers = place->type == AS_INT;
  char *value = NULL;
  if (copied && writer->unit) {
    static const char *const words[] = {
        [AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32", [AS_INT] = "int"};
    value = as_format("as_ldg_%s(a.in[%u], (size_t)e)", words[place->type], place->in);
  } else if (copied) {
    value = as_format("(%s)in[%u][e]", element_type(integers), place->in);
  } else {
    value = as_format("(%s)%.17g", element_type(integers), tensor->initial);
  }
  char *text = kt_write_tensor(writer, number, "e", value);
  kt_line(writer, "for (long long e = %s; e < %lldLL; e += %s)", first,
          (long long)kt_tensor_elements(tensor), stride);
  kt_line(writer, "  %s", text);
  free(value);
  free(text);
}

static void write_alloc(kt_writer *writer, const wr_stmt *stmt) {
  if (!WR_TENSOR(writer->program, stmt->tensor)->has_initial)
    return;
  char *threads = as_format("%d", writer->unit ? WARP * writer->unit->warps : 1);
  kt_begin_tensor(writer, stmt->tensor, writer->unit ? "as_tid()" : "0", threads);
  barrier(writer);
  free(threads);
}

void kt_stmts(kt_writer *writer, const as_vec *list) {
  static void (*const write[])(kt_writer *, const wr_stmt *) = {[WR_DEFINE] = write_define,
                                                                [WR_LOAD] = write_load,
                                                                [WR_STORE] = write_store,
                                                                [WR_LOOP] = write_loop,
                                                                [WR_ALLOC] = write_alloc};
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    write[stmt->kind](writer, stmt);
  }
}

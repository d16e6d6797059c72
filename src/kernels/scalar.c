/* Scalars of definitions as C++: integers in 32 bits where they are known to fit, in 64 otherwise;
 * numbers as `kt_real`, which is a float in kernels and a double in the reference. */
#include "kernels_int.h"
#include "src/base/id.h"
#include "src/write/words.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool fits_int(const kt_writer *writer, const wr_expr *expr) {
  int64_t low;
  int64_t high;
  bool known = wr_range(writer->program, expr, &low, &high);
  bool fits = known && low >= INT_MIN && high <= INT_MAX;
  for (uint32_t i = expr->kind == AS_E_IF; fits && expr->kind != AS_E_ACCESS && i < expr->n; i++)
    fits = fits_int(writer, expr->kid[i]);
  return fits;
}

const char *kt_integer_type(const kt_writer *writer, const wr_expr *expr) {
  return fits_int(writer, expr) ? "int" : "long long";
}

const char *kt_variable_type(const kt_writer *writer, uint32_t variable) {
  const wr_var *var = WR_VAR(writer->program, variable);
  /* room to count on once more beyond the last */
  bool fits = var->low > INT_MIN / 2 && var->high < INT_MAX / 2;
  return fits ? "int" : "long long";
}

/* names of the text end so: no word of C++ or of the prelude does */
char *kt_name(const kt_writer *writer, uint32_t variable) {
  return as_format("%s_", WR_VAR(writer->program, variable)->name);
}

/* ---- elements */

static char *index_within(kt_writer *writer, const wr_expr *index, const wr_expr *extent,
                          int64_t bound) {
  int64_t low;
  int64_t high;
  char *text = kt_integer(writer, index);
  if (wr_range(writer->program, index, &low, &high) && low >= 0 && high < bound)
    return text;
  /* what stands under a condition may have been taken out of it: it is not used then */
  char *most = kt_integer(writer, extent);
  char *within = as_format("kt_within(%s, %s)", text, most);
  free(text);
  free(most);
  return within;
}

char *kt_row_major(kt_writer *writer, uint32_t n, wr_expr *const *index, const int64_t *extent) {
  char *sum = NULL;
  for (uint32_t i = 0; i < n; i++) {
    char *own = kt_integer(writer, index[i]);
    char *next = sum ? as_format("(%s * %lldLL + %s)", sum, (long long)extent[i], own)
                     : as_format("(long long)%s", own);
    free(own);
    free(sum);
    sum = next;
  }
  return sum ? sum : as_strdup("0");
}

static char *element(kt_writer *writer, const wr_expr *access) {
  const wr_tile *tile = WR_TILE(writer->program, access->id);
  bool small = kt_tile_bytes(tile) < INT_MAX;
  char *sum = NULL;
  for (uint32_t i = 0; i < access->n; i++) {
    char *own = index_within(writer, access->kid[i], tile->extent[i], tile->bound[i]);
    char *next = sum ? as_format("(%s * %lld + %s)", sum, (long long)tile->bound[i], own)
                     : as_format("%s%s", small ? "(int)" : "(long long)", own);
    free(own);
    free(sum);
    sum = next;
  }
  char *text = kt_read_tile(writer, access->id, sum ? sum : "0");
  free(sum);
  return text;
}

/* the tile's memory where it is none of shared memory; malloc'ed */
static char *pointer(const kt_writer *writer, uint32_t tile) {
  const kt_tile *place = KT_TILE(writer->plan, tile);
  return as_format("%s + %ldL", place->memory == KT_COMMON ? "a.ws" : "part", place->offset);
}

static const char *kind_of(const wr_tile *tile) {
  return tile->integers ? "i64" : "f32";
}

char *kt_read_tile(const kt_writer *writer, uint32_t number, const char *index) {
  const wr_tile *tile = WR_TILE(writer->program, number);
  const kt_tile *place = KT_TILE(writer->plan, number);
  if (writer->unit == NULL)
    return as_format("t%u[%s]", number, index);
  if (place->memory == KT_SHARED)
    return as_format("%s(sm, %ld + %d * (%s))", tile->integers ? "kt_lds_i64" : "as_lds_f32",
                     place->offset, tile->integers ? 8 : 4, index);
  char *memory = pointer(writer, number);
  char *text = as_format("kt_ld_%s(%s, (size_t)(%s))", kind_of(tile), memory, index);
  free(memory);
  return text;
}

char *kt_write_tile(const kt_writer *writer, uint32_t number, const char *index,
                    const char *value) {
  const wr_tile *tile = WR_TILE(writer->program, number);
  const kt_tile *place = KT_TILE(writer->plan, number);
  if (writer->unit == NULL)
    return as_format("t%u[%s] = %s;", number, index, value);
  if (place->memory == KT_SHARED)
    return as_format("%s(sm, %ld + %d * (%s), %s);", tile->integers ? "kt_sts_i64" : "as_sts_f32",
                     place->offset, tile->integers ? 8 : 4, index, value);
  char *memory = pointer(writer, number);
  char *text = as_format("kt_st_%s(%s, (size_t)(%s), %s);", kind_of(tile), memory, index, value);
  free(memory);
  return text;
}

/* ---- tensors */

static const char *type_word(const kt_tensor *tensor) {
  static const char *const words[] = {
      [AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32", [AS_INT] = "int"};
  return tensor->bytes == 8 ? "i64" : words[tensor->type];
}

static char *tensor_pointer(const kt_writer *writer, uint32_t number) {
  const kt_tensor *tensor = KT_TENSOR(writer->plan, number);
  if (tensor->out != AS_NONE)
    return as_format("a.out[%u]", tensor->out);
  if (tensor->in != AS_NONE)
    return as_format("a.in[%u]", tensor->in);
  return as_format("%s + %ldL", tensor->of_block ? "part" : "a.ws", tensor->offset);
}

char *kt_read_tensor(const kt_writer *writer, uint32_t number, const char *index) {
  const kt_tensor *tensor = KT_TENSOR(writer->plan, number);
  bool integers = tensor->type == AS_INT;
  if (writer->unit == NULL && tensor->out == AS_NONE && tensor->in != AS_NONE)
    return as_format("(%s)in[%u][%s]", integers ? "long long" : "kt_real", tensor->in, index);
  if (writer->unit == NULL)
    return as_format("%sm%u[%s]", integers ? "(long long)" : "", number, index);
  /* what no kernel writes may be read through the cache that is not kept coherent */
  bool constant = tensor->in != AS_NONE && tensor->out == AS_NONE;
  char *memory = tensor_pointer(writer, number);
  char *text = as_format("%s%s_%s(%s, (size_t)(%s))", integers ? "(long long)" : "",
                         constant ? "as_ldg" : "kt_ld", type_word(tensor), memory, index);
  free(memory);
  return text;
}

char *kt_write_tensor(const kt_writer *writer, uint32_t number, const char *index,
                      const char *value) {
  if (writer->unit == NULL)
    return as_format("m%u[%s] = %s;", number, index, value);
  char *memory = tensor_pointer(writer, number);
  char *text = as_format("kt_st_%s(%s, (size_t)(%s), %s);",
                         type_word(KT_TENSOR(writer->plan, number)), memory, index, value);
  free(memory);
  return text;
}

/* ---- operations */

static char *number_text(const kt_writer *writer, const wr_expr *expr, bool real) {
  int64_t value;
  if (!real && wr_integer_value(expr, &value)) {
    bool wide = value < -INT_MAX || value > INT_MAX;
    return as_format(value < 0 ? "(%lld%s)" : "%lld%s", (long long)value, wide ? "LL" : "");
  }
  (void)writer;
  char *digits = wr_number_text(expr);
  char *text = as_format("(kt_real)(%s)", digits);
  free(digits);
  return text;
}

static char *choice(kt_writer *writer, const wr_expr *expr,
                    char *(*text_of)(kt_writer *, const wr_expr *)) {
  char *test = kt_condition(writer, expr->kid[0]);
  char *yes = text_of(writer, expr->kid[1]);
  char *no = text_of(writer, expr->kid[2]);
  char *text = as_format("(%s ? %s : %s)", test, yes, no);
  free(test);
  free(yes);
  free(no);
  return text;
}

/* word(a, b), (a word b) or (word a), with what stands before */
static char *operation(kt_writer *writer, const wr_expr *expr, const wr_word *word,
                       const char *before, const char *argument,
                       char *(*text_of)(kt_writer *, const wr_expr *)) {
  as_str out;
  as_str_init(&out);
  bool call = word->form == WR_CALL;
  as_str_printf(&out, "%s%s(%s", call ? word->word : "", call ? argument : "", before);
  if (word->form == WR_PREFIX)
    as_str_add(&out, word->word);
  for (uint32_t i = 0; i < expr->n; i++) {
    char *own = text_of(writer, expr->kid[i]);
    as_str_printf(&out, "%s%s%s%s", i && !call ? " " : "", i ? (call ? "," : word->word) : "",
                  i ? " " : "", own);
    free(own);
  }
  as_str_add(&out, ")");
  return as_str_take(&out);
}

static const wr_word *word_of(kt_writer *writer, const wr_expr *expr) {
  static const wr_word none = {WR_CALL, "kt_none"};
  const wr_word *word = wr_word_of(expr, WR_CUDA);
  if (word)
    return word;
  as_err_set(writer->err, AS_BAD_INPUT, "%s: the function `%s` cannot be said in CUDA",
             writer->program->name, expr->function ? expr->function : "?");
  return &none;
}

char *kt_integer(kt_writer *writer, const wr_expr *expr) {
  if (expr->kind == AS_E_NUM)
    return number_text(writer, expr, false);
  if (expr->kind == AS_E_NAME)
    return kt_name(writer, expr->id);
  if (expr->kind == AS_E_ACCESS)
    return element(writer, expr);
  if (expr->kind == AS_E_IF)
    return choice(writer, expr, kt_integer);
  bool wide = !fits_int(writer, expr);
  const wr_word *word = word_of(writer, expr);
  return operation(writer, expr, word, wide && word->form == WR_INFIX ? "(long long)" : "",
                   wide ? "<long long>" : "<int>", kt_integer);
}

char *kt_real(kt_writer *writer, const wr_expr *expr) {
  if (expr->kind == AS_E_NUM)
    return number_text(writer, expr, true);
  if (expr->integer) {
    char *whole = kt_integer(writer, expr);
    char *text = as_format("(kt_real)(%s)", whole);
    free(whole);
    return text;
  }
  if (expr->kind == AS_E_ACCESS)
    return element(writer, expr);
  if (expr->kind == AS_E_IF)
    return choice(writer, expr, kt_real);
  return operation(writer, expr, word_of(writer, expr), "", "<kt_real>", kt_real);
}

char *kt_value(kt_writer *writer, const wr_expr *expr, bool integers) {
  if (!integers)
    return kt_real(writer, expr);
  char *whole = expr->integer ? kt_integer(writer, expr) : kt_real(writer, expr);
  char *text = as_format("(long long)(%s)", whole);
  free(whole);
  return text;
}

char *kt_condition(kt_writer *writer, const wr_expr *expr) {
  if (expr->kind != AS_E_REL)
    return operation(writer, expr, word_of(writer, expr), "", "", kt_condition);
  bool whole = expr->kid[0]->integer && expr->kid[1]->integer;
  char *left = whole ? kt_integer(writer, expr->kid[0]) : kt_real(writer, expr->kid[0]);
  char *right = whole ? kt_integer(writer, expr->kid[1]) : kt_real(writer, expr->kid[1]);
  char *text = as_format("(%s %s %s)", left, wr_relation_word(expr->rel), right);
  free(left);
  free(right);
  return text;
}

/* Size expressions of a launch: read, written for `.tile`, with the range that they lie in whatever
 * the sizes are (sizes are at least 1, and below 2^31, where the launch says no more). */
#include "ttir_lift.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t lo;
  int64_t hi;
} range;

typedef struct {
  const as_ttir_launch *launch;
  const char *at;
  as_str text;
  bool fine;
} size_reader;

static range read_sum(size_reader *in);

static int64_t clamped(__int128 value) {
  return value < TTIR_LEAST ? TTIR_LEAST : value > TTIR_MOST ? TTIR_MOST : (int64_t)value;
}

static void blank(size_reader *in) {
  while (*in->at == ' ')
    in->at++;
}

static bool take(size_reader *in, const char *symbol) {
  blank(in);
  size_t n = strlen(symbol);
  if (strncmp(in->at, symbol, n) != 0)
    return false;
  in->at += n;
  return true;
}

/* of a number that is at least 0 by one that is at least 1; anything else is refused */
static range quotient(size_reader *in, range a, range b) {
  in->fine = in->fine && a.lo >= 0 && b.lo > 0;
  return in->fine ? (range){a.lo / b.hi, a.hi / b.lo} : a;
}

/* of a size of the launch by its name: what that says, or what all sizes have.  Other names are
 * refused: what is written could be a lane, or an instance, of that name. */
static range range_of_size(size_reader *in, const char *name, size_t n) {
  for (uint32_t i = 0; i < in->launch->n_size; i++) {
    const as_ttir_size *size = &in->launch->size[i];
    if (strlen(size->name) == n && strncmp(size->name, name, n) == 0)
      return (range){size->least, size->most ? size->most : INT32_MAX};
  }
  in->fine = false;
  return (range){1, INT32_MAX};
}

/* `cdiv(a, b)` behind its `(`: (a + b - 1) div (b) */
static range read_cdiv(size_reader *in) {
  as_str_add(&in->text, "(");
  range above = read_sum(in);
  in->fine = in->fine && take(in, ",");
  as_str_add(&in->text, " + ");
  size_t start = in->text.n;
  range below = read_sum(in);
  char *divisor = as_strdup(in->text.s + start);
  as_str_printf(&in->text, " - 1) div (%s)", divisor);
  free(divisor);
  in->fine = in->fine && take(in, ")");
  range sum = {clamped((__int128)above.lo + below.lo - 1),
               clamped((__int128)above.hi + below.hi - 1)};
  range result = quotient(in, sum, below);
  result.lo = above.lo > 0 && result.lo < 1 ? 1 : result.lo;
  return result;
}

static range read_factor(size_reader *in) {
  blank(in);
  if (take(in, "(")) {
    as_str_add(&in->text, "(");
    range value = read_sum(in);
    in->fine = in->fine && take(in, ")");
    as_str_add(&in->text, ")");
    return value;
  }
  if (*in->at >= '0' && *in->at <= '9') {
    char *end;
    long long value = strtoll(in->at, &end, 10);
    in->fine = in->fine && value < TTIR_MOST;
    as_str_addn(&in->text, in->at, (size_t)(end - in->at));
    in->at = end;
    return (range){clamped(value), clamped(value)};
  }
  if (take(in, "cdiv("))
    return read_cdiv(in);
  size_t n = strspn(in->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  in->fine = in->fine && n > 0;
  as_str_addn(&in->text, in->at, n);
  range value = range_of_size(in, in->at, n);
  in->at += n;
  return value;
}

static range product(range a, range b) {
  __int128 all[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo,
                     (__int128)a.hi * b.hi};
  __int128 lo = all[0];
  __int128 hi = all[0];
  for (int i = 1; i < 4; i++) {
    lo = all[i] < lo ? all[i] : lo;
    hi = all[i] > hi ? all[i] : hi;
  }
  return (range){clamped(lo), clamped(hi)};
}

/* a factor behind an operator, which must stay one: 2 * ((a + b - 1) div (b)) */
static range read_right_factor(size_reader *in) {
  blank(in);
  bool quotient = strncmp(in->at, "cdiv(", strlen("cdiv(")) == 0;
  as_str_add(&in->text, quotient ? "(" : "");
  range value = read_factor(in);
  as_str_add(&in->text, quotient ? ")" : "");
  return value;
}

static range read_product(size_reader *in) {
  range value = read_factor(in);
  while (in->fine) {
    bool div = take(in, "div ") || take(in, "//");
    bool mod = !div && (take(in, "mod ") || take(in, "%"));
    if (!div && !mod && !take(in, "*"))
      break;
    as_str_add(&in->text, div ? " div " : mod ? " mod " : " * ");
    range right = read_right_factor(in);
    if (div)
      value = quotient(in, value, right);
    else if (mod)
      value = (range){0, quotient(in, value, right).lo >= 0 ? right.hi - 1 : 0};
    else
      value = product(value, right);
  }
  return value;
}

static range read_sum(size_reader *in) {
  bool negative = take(in, "-");
  if (negative)
    as_str_add(&in->text, "-");
  range value = read_product(in);
  if (negative)
    value = (range){clamped(-(__int128)value.hi), clamped(-(__int128)value.lo)};
  while (in->fine) {
    bool plus = take(in, "+");
    if (!plus && !take(in, "-"))
      break;
    as_str_add(&in->text, plus ? " + " : " - ");
    range right = read_product(in);
    value.lo = clamped((__int128)value.lo + (plus ? right.lo : -(__int128)right.hi));
    value.hi = clamped((__int128)value.hi + (plus ? right.hi : -(__int128)right.lo));
  }
  return value;
}

/* of `cdiv(a, 64)`: a, and the number by which it is divided; NULL: it is no such */
static ttir_node *read_ceiling(ttir_lift *lift, const char *text, int64_t *by) {
  static const char word[] = "cdiv(";
  text += strspn(text, " ");
  if (strncmp(text, word, strlen(word)) != 0)
    return NULL;
  size_reader in = {.launch = lift->launch, .at = text + strlen(word), .fine = true};
  as_str_init(&in.text);
  range of = read_sum(&in);
  char *written = as_str_take(&in.text);
  char *end;
  bool fine = in.fine && take(&in, ",");
  long long divisor = strtoll(in.at, &end, 10);
  fine = fine && end != in.at && divisor > 0 && end[strspn(end, " ")] == ')' &&
         end[strspn(end, " )")] == 0;
  bool atom = written && !strpbrk(written, " ()-");
  char *whole = fine ? as_format(atom ? "%s" : "(%s)", written) : NULL;
  ttir_node *node = fine ? ttir_name(lift->mem, whole, of.lo, of.hi) : NULL;
  if (node)
    node->of_sizes = true;
  *by = divisor;
  free(whole);
  free(written);
  return node;
}

/* folds: where there is one value, it is that number */
static ttir_node *read_size(ttir_lift *lift, const char *text, const char *what, bool folds) {
  size_reader in = {.launch = lift->launch, .at = text, .fine = true};
  as_str_init(&in.text);
  range value = read_sum(&in);
  blank(&in);
  char *written = as_str_take(&in.text);
  ttir_node *node = NULL;
  bool atom = !strpbrk(written, " ()-");
  bool number = written[strspn(written, "-0123456789")] == 0;
  if (!in.fine || *in.at) {
    as_err_set(lift->err, AS_BAD_INPUT,
               "%s: `%s` is no size expression of the sizes that the launch names", what, text);
  } else if (!strpbrk(written, " ()") && value.lo == value.hi && (number || folds)) {
    node = ttir_integer(lift->mem, value.lo);
  } else {
    char *whole = atom ? as_strdup(written) : as_format("(%s)", written);
    node = ttir_name(lift->mem, whole, value.lo, value.hi);
    node->of_sizes = true;
    node->ceiling_of = read_ceiling(lift, text, &node->ceiling_by);
    free(whole);
  }
  free(written);
  return node;
}

int64_t ttir_size_value(const as_ttir_launch *launch, const char *text) {
  size_reader in = {.launch = launch, .at = text, .fine = true};
  as_str_init(&in.text);
  range value = read_sum(&in);
  as_str_clear(&in.text);
  return value.hi;
}

ttir_node *ttir_size(ttir_lift *lift, const char *text, const char *what) {
  return read_size(lift, text, what, true);
}

ttir_node *ttir_extent(ttir_lift *lift, const char *text, const char *what) {
  return read_size(lift, text, what, false);
}

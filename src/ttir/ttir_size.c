/* Size expressions of a launch: read, written for `.tile`, and their values where they are known.
 */
#include "ttir_lift.h"
#include <stdlib.h>
#include <string.h>

/* a size expression with `cdiv`: written for `.tile`, and its value at the sizes that are known */
typedef struct {
  ttir_lift *lift;
  const char *at;
  as_str text;
  bool known; /* the value */
  bool fine;
} size_reader;

static int64_t read_sum(size_reader *in);

static void blank(size_reader *in) {
  while (*in->at == ' ')
    in->at++;
}

static bool take(size_reader *in, char symbol) {
  blank(in);
  if (*in->at != symbol)
    return false;
  in->at++;
  return true;
}

static int64_t read_named(size_reader *in) {
  size_t n = strspn(in->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  char *name = as_format("%.*s", (int)n, in->at);
  in->at += n;
  int64_t value = 0;
  bool found = false;
  if (strcmp(name, "cdiv") == 0 && take(in, '(')) {
    as_str_add(&in->text, "((");
    int64_t above = read_sum(in);
    in->fine = in->fine && take(in, ',');
    as_str_add(&in->text, ") + (");
    size_t start = in->text.n;
    int64_t below = read_sum(in);
    char *divisor = as_strdup(in->text.s + start);
    as_str_printf(&in->text, ") - 1) div (%s)", divisor);
    free(divisor);
    in->fine = in->fine && take(in, ')');
    found = !in->known || below > 0;
    in->fine = in->fine && found;
    value = below > 0 ? (above + below - 1) / below : 0;
  } else {
    as_str_add(&in->text, name);
    for (uint32_t i = 0; i < in->lift->launch->n_size; i++) {
      if (strcmp(in->lift->launch->size[i].name, name) == 0) {
        value = in->lift->launch->size[i].value;
        found = true;
      }
    }
    in->known = in->known && found;
  }
  free(name);
  return value;
}

static int64_t read_factor(size_reader *in) {
  blank(in);
  if (take(in, '(')) {
    as_str_add(&in->text, "(");
    int64_t value = read_sum(in);
    in->fine = in->fine && take(in, ')');
    as_str_add(&in->text, ")");
    return value;
  }
  if (*in->at >= '0' && *in->at <= '9') {
    char *end;
    int64_t value = strtoll(in->at, &end, 10);
    as_str_addn(&in->text, in->at, (size_t)(end - in->at));
    in->at = end;
    return value;
  }
  const char *start = in->at;
  int64_t value = read_named(in);
  in->fine = in->fine && in->at > start;
  return value;
}

static int64_t read_product(size_reader *in) {
  int64_t value = read_factor(in);
  for (;;) {
    blank(in);
    bool div = strncmp(in->at, "div ", 4) == 0 || strncmp(in->at, "//", 2) == 0;
    bool mod = strncmp(in->at, "mod ", 4) == 0 || *in->at == '%';
    if (!in->fine || (!div && !mod && *in->at != '*'))
      return value;
    in->at += *in->at == '/' ? 2 : *in->at == '*' || *in->at == '%' ? 1 : 3;
    as_str_add(&in->text, div ? " div " : mod ? " mod " : " * ");
    int64_t right = read_factor(in);
    if (div || mod) {
      in->fine = in->fine && (!in->known || right > 0);
      value = right > 0 ? (div ? value / right : value % right) : 0;
    } else if (__builtin_mul_overflow(value, right, &value)) {
      in->fine = false;
    }
  }
}

static int64_t read_sum(size_reader *in) {
  int64_t value = read_product(in);
  for (;;) {
    bool plus = take(in, '+');
    if (!in->fine || (!plus && !take(in, '-')))
      return value;
    as_str_add(&in->text, plus ? " + " : " - ");
    int64_t right = read_product(in);
    if (plus ? __builtin_add_overflow(value, right, &value)
             : __builtin_sub_overflow(value, right, &value))
      in->fine = false;
  }
}

/* the expression as an atom, with its range; NULL: it cannot be read */
ttir_node *ttir_size(ttir_lift *lift, const char *text, const char *what) {
  size_reader in = {.lift = lift, .at = text, .known = true, .fine = true};
  as_str_init(&in.text);
  bool negative = take(&in, '-');
  int64_t value = read_sum(&in);
  blank(&in);
  char *written = as_str_take(&in.text);
  ttir_node *node = NULL;
  if (!in.fine || *in.at) {
    as_err_set(lift->err, AS_BAD_INPUT, "%s: `%s` is no size expression", what, text);
  } else if (in.known) {
    node = ttir_integer(lift->mem, negative ? -value : value);
    bool plain = strspn(written, "0123456789") == strlen(written);
    if (!plain && !negative) {
      char *atom = as_format("(%s)", written);
      node = ttir_name(lift->mem, atom, value, value);
      free(atom);
    }
  } else {
    enum { MOST_SIZE = INT32_MAX };

    char *atom = as_format("(%s%s)", negative ? "-" : "", written);
    node = ttir_name(lift->mem, atom, negative ? -(int64_t)MOST_SIZE : 0, MOST_SIZE);
    free(atom);
  }
  free(written);
  return node;
}

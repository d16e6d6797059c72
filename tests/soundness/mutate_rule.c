#include "mutate_rule.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* tokens of a text: words, numbers, symbols; blanks and ends of lines stay between them */
typedef struct {
  size_t at;
  size_t n;
} tok;

typedef struct {
  const char *s;
  tok *t;
  size_t n;
} tokens;

static tokens scan(const char *text) {
  tokens T = {text, as_calloc(strlen(text) + 1, sizeof(tok)), 0};
  for (size_t i = 0; text[i];) {
    size_t n = 1;
    if (isspace((unsigned char)text[i])) {
      i++;
      continue;
    }
    if (isalnum((unsigned char)text[i]) || text[i] == '_') {
      while (isalnum((unsigned char)text[i + n]) || text[i + n] == '_')
        n++;
    } else if (strchr("<>!-.", text[i]) && text[i + 1] && strchr("=>.", text[i + 1])) {
      n = 2;
    }
    T.t[T.n++] = (tok){i, n};
    i += n;
  }
  return T;
}

static bool is(const tokens *T, size_t i, const char *word) {
  return i < T->n && strlen(word) == T->t[i].n && memcmp(T->s + T->t[i].at, word, T->t[i].n) == 0;
}

static bool in(const tokens *T, size_t i, const char *const *words) {
  for (; *words; words++) {
    if (is(T, i, *words))
      return true;
  }
  return false;
}

static char *replace(const tokens *T, size_t i, size_t to, const char *by) { /* tokens i..to-1 */
  size_t from = T->t[i].at;
  size_t end = T->t[to - 1].at + T->t[to - 1].n;
  return as_format("%.*s%s%s", (int)from, T->s, by, T->s + end);
}

static char *word(const tokens *T, size_t i) {
  return as_format("%.*s", (int)T->t[i].n, T->s + T->t[i].at);
}

static const char *const groups[][14] = {
    {"+", "-", "*", "/", "@", NULL},
    {"=", "!=", "<=", "<", ">=", ">", NULL},
    {"exp", "log", "sqrt", "neg", "abs", "relu", "square", "logical_not", "sigmoid", NULL},
    {"maximum", "minimum", "add", "sub", "mul", "logical_and", "logical_or", "greater", "less",
     "greater_equal", "less_equal", "equal", "not_equal", NULL},
    {"sum", "max", "min", "mean", "all", "any", "prod", NULL},
    {"dynamic_slice", "dynamic_slice_clamped", NULL},
    {"dynamic_update_slice", "dynamic_update_slice_clamped", NULL},
    {"avg_pool2d", "avg_pool2d_in_range", "max_pool2d", NULL},
    {"conv2d", "conv2d_same", NULL},
    {"div", "mod", NULL},
    {"int", "bool", NULL},
    {"start", "stop", NULL},
    {"low", "high", "interior", NULL},
    {"reverse", "neg", NULL},
};
static const char *const heads[] = {"rule",   "sizes",   "ints", "axes",   "tensor", "where",
                                    "assume", "lhs",     "rhs",  "expect", "output", "op",
                                    "func",   "require", "let",  "out",    NULL};

static bool first_of_line(const tokens *T, size_t i) {
  for (size_t k = T->t[i].at; k-- > 0;) {
    if (T->s[k] == '\n')
      return true;
    if (T->s[k] != ' ' && T->s[k] != '\t')
      return false;
  }
  return true;
}

static char *other_of_group(const tokens *T, size_t i, as_rng *rng) {
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    if (!in(T, i, groups[g]))
      continue;
    size_t n = 0;
    while (groups[g][n])
      n++;
    const char *by = groups[g][as_rng_below(rng, n)];
    if (is(T, i, by))
      return NULL;
    if (groups[g] == groups[1] && i > 0 && is(T, i, "=") &&
        !is(T, i - 1, ")")) { /* of an attribute or a definition, mostly */
      bool relation = false;
      for (size_t k = i; k-- > 0 && !relation;) {
        relation = is(T, k, "where") || is(T, k, "assume") || is(T, k, "require");
        if (first_of_line(T, k))
          break;
      }
      if (!relation)
        return NULL;
    }
    return replace(T, i, i + 1, by);
  }
  return NULL;
}

static char *other_number(const tokens *T, size_t i, as_rng *rng) {
  if (!isdigit((unsigned char)T->s[T->t[i].at]))
    return NULL;
  char *w = word(T, i);
  char *by;
  long value = strtol(w, NULL, 10);
  long to = as_rng_below(rng, 2)   ? value + 1
            : as_rng_below(rng, 2) ? value - 1
                                   : (long)as_rng_below(rng, 3);
  free(w);
  by = to < 0 ? as_format("(%ld)", to) : as_format("%ld", to);
  char *out = to == value ? NULL : replace(T, i, i + 1, by);
  free(by);
  return out;
}

/* another name that the text uses; adding or taking away one, where a name is a size */
static char *other_name(const tokens *T, size_t i, as_rng *rng) {
  if (!isalpha((unsigned char)T->s[T->t[i].at]) || in(T, i, heads) || is(T, i + 1, "(") ||
      is(T, i + 1, "="))
    return NULL;
  size_t k = as_rng_below(rng, T->n);
  if (!isalpha((unsigned char)T->s[T->t[k].at]) || in(T, k, heads) || is(T, k + 1, "(") ||
      is(T, k + 1, "="))
    return NULL;
  char *a = word(T, i);
  char *b = word(T, k);
  bool same = strcmp(a, b) == 0;
  if (same || as_rng_below(rng, 3) == 0) {
    free(b);
    size_t f = as_rng_below(rng, 4);
    b = f == 0   ? as_format("(%s + 1)", a)
        : f == 1 ? as_format("(%s - 1)", a)
        : f == 2 ? as_format("(2 * %s)", a)
                 : as_format("(-%s)", a);
  }
  char *out = replace(T, i, i + 1, b);
  free(a);
  free(b);
  return out;
}

/* drops one relation of a list, or the whole line */
static char *drop_condition(const tokens *T, size_t i, as_rng *rng) {
  static const char *const lines[] = {"where", "assume", "require", NULL};
  if (!in(T, i, lines) || !first_of_line(T, i))
    return NULL;
  size_t end = i + 1;
  size_t n = 1;
  size_t depth = 0;
  size_t cut[64] = {i + 1};
  for (; end < T->n && !first_of_line(T, end); end++) {
    if (is(T, end, "(") || is(T, end, "["))
      depth++;
    if (is(T, end, ")") || is(T, end, "]"))
      depth--;
    if (is(T, end, ",") && depth == 0 && n < 63)
      cut[n++] = end + 1;
  }
  if (n == 1)
    return replace(T, i, end, "");
  size_t k = as_rng_below(rng, n);
  cut[n] = end + 1; /* as if a comma stood at the end */
  return k + 1 < n ? replace(T, cut[k], cut[k + 1], "") : replace(T, cut[k] - 1, end, "");
}

/* N >= 1 loses its bound; a tensor its type */
static char *drop_bound(const tokens *T, size_t i) {
  if (is(T, i, ">=") && i + 1 < T->n && isdigit((unsigned char)T->s[T->t[i + 1].at]))
    return replace(T, i, i + 2, "");
  if (is(T, i, "int") || is(T, i, "bool"))
    return replace(T, i, i + 1, "");
  return NULL;
}

/* f(x, y) becomes f(y, x); x - y becomes y - x */
static char *exchange(const tokens *T, size_t i) {
  static const char *const between[] = {",", "-", "/", "@", "div", "mod", NULL};
  if (i == 0 || i + 1 >= T->n || !in(T, i, between))
    return NULL;
  if (!isalnum((unsigned char)T->s[T->t[i - 1].at]) ||
      !isalnum((unsigned char)T->s[T->t[i + 1].at]) || is(T, i + 2, "(") || is(T, i + 2, "="))
    return NULL;
  char *a = word(T, i - 1);
  char *m = word(T, i);
  char *b = word(T, i + 1);
  char *by = as_format("%s %s %s", b, m, a);
  char *out = replace(T, i - 1, i + 2, by);
  free(a);
  free(m);
  free(b);
  free(by);
  return out;
}

/* an argument of a call is left out of the work: f(x) becomes x */
static char *unwrap(const tokens *T, size_t i) {
  if (i + 3 >= T->n || !isalpha((unsigned char)T->s[T->t[i].at]) || in(T, i, heads) ||
      !is(T, i + 1, "(") || !is(T, i + 3, ")"))
    return NULL;
  char *x = word(T, i + 2);
  char *out = replace(T, i, i + 4, x);
  free(x);
  return out;
}

static char *change(const char *text, as_rng *rng, const char **kind) {
  static const char *const kinds[] = {"operator", "number", "name", "condition",
                                      "bound",    "order",  "call"};
  tokens T = scan(text);
  char *out = NULL;
  for (int t = 0; t < 400 && !out && T.n; t++) {
    size_t k = as_rng_below(rng, 7);
    size_t i = as_rng_below(rng, T.n);
    if (i > 0 && is(&T, i - 1, "expect"))
      continue;
    *kind = kinds[k];
    switch (k) {
    case 0:
      out = other_of_group(&T, i, rng);
      break;
    case 1:
      out = other_number(&T, i, rng);
      break;
    case 2:
      out = other_name(&T, i, rng);
      break;
    case 3:
      out = drop_condition(&T, i, rng);
      break;
    case 4:
      out = drop_bound(&T, i);
      break;
    case 5:
      out = exchange(&T, i);
      break;
    default:
      out = unwrap(&T, i);
      break;
    }
  }
  free(T.t);
  return out ? out : as_strdup(text);
}

char *mutate_rule(const char *text, as_rng *rng, const char **kind) {
  const char *first;
  const char *more;
  char *s = change(text, rng, &first);
  for (uint64_t n = as_rng_below(rng, 6); n > 3; n--) { /* mostly one change: near misses */
    char *t = change(s, rng, &more);
    free(s);
    s = t;
  }
  *kind = first;
  return s;
}

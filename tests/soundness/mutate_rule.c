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
  tokens found = {text, as_calloc(strlen(text) + 1, sizeof(tok)), 0};
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
    found.t[found.n++] = (tok){i, n};
    i += n;
  }
  return found;
}

static bool is(const tokens *found, size_t i, const char *word) {
  return i < found->n && strlen(word) == found->t[i].n &&
         memcmp(found->s + found->t[i].at, word, found->t[i].n) == 0;
}

static bool in(const tokens *found, size_t i, const char *const *words) {
  for (; *words; words++) {
    if (is(found, i, *words))
      return true;
  }
  return false;
}

static char *replace(const tokens *found, size_t i, size_t to,
                     const char *by) { /* tokens i..to-1 */
  size_t from = found->t[i].at;
  size_t end = found->t[to - 1].at + found->t[to - 1].n;
  return as_format("%.*s%s%s", (int)from, found->s, by, found->s + end);
}

static char *word(const tokens *found, size_t i) {
  return as_format("%.*s", (int)found->t[i].n, found->s + found->t[i].at);
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

static bool first_of_line(const tokens *found, size_t i) {
  for (size_t k = found->t[i].at; k-- > 0;) {
    if (found->s[k] == '\n')
      return true;
    if (found->s[k] != ' ' && found->s[k] != '\t')
      return false;
  }
  return true;
}

static char *other_of_group(const tokens *found, size_t i, as_rng *rng) {
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    if (!in(found, i, groups[g]))
      continue;
    size_t n = 0;
    while (groups[g][n])
      n++;
    const char *by = groups[g][as_rng_below(rng, n)];
    if (is(found, i, by))
      return NULL;
    if (groups[g] == groups[1] && i > 0 && is(found, i, "=") &&
        !is(found, i - 1, ")")) { /* of an attribute or a definition, mostly */
      bool relation = false;
      for (size_t k = i; k-- > 0 && !relation;) {
        relation = is(found, k, "where") || is(found, k, "assume") || is(found, k, "require");
        if (first_of_line(found, k))
          break;
      }
      if (!relation)
        return NULL;
    }
    return replace(found, i, i + 1, by);
  }
  return NULL;
}

static char *other_number(const tokens *found, size_t i, as_rng *rng) {
  if (!isdigit((unsigned char)found->s[found->t[i].at]))
    return NULL;
  char *w = word(found, i);
  char *by;
  long value = strtol(w, NULL, 10);
  long to = as_rng_below(rng, 2)   ? value + 1
            : as_rng_below(rng, 2) ? value - 1
                                   : (long)as_rng_below(rng, 3);
  free(w);
  by = to < 0 ? as_format("(%ld)", to) : as_format("%ld", to);
  char *out = to == value ? NULL : replace(found, i, i + 1, by);
  free(by);
  return out;
}

/* another name that the text uses; adding or taking away one, where a name is a size */
static char *other_name(const tokens *found, size_t i, as_rng *rng) {
  if (!isalpha((unsigned char)found->s[found->t[i].at]) || in(found, i, heads) ||
      is(found, i + 1, "(") || is(found, i + 1, "="))
    return NULL;
  size_t k = as_rng_below(rng, found->n);
  if (!isalpha((unsigned char)found->s[found->t[k].at]) || in(found, k, heads) ||
      is(found, k + 1, "(") || is(found, k + 1, "="))
    return NULL;
  char *a = word(found, i);
  char *b = word(found, k);
  bool same = strcmp(a, b) == 0;
  if (same || as_rng_below(rng, 3) == 0) {
    free(b);
    size_t f = as_rng_below(rng, 4);
    b = f == 0   ? as_format("(%s + 1)", a)
        : f == 1 ? as_format("(%s - 1)", a)
        : f == 2 ? as_format("(2 * %s)", a)
                 : as_format("(-%s)", a);
  }
  char *out = replace(found, i, i + 1, b);
  free(a);
  free(b);
  return out;
}

/* drops one relation of a list, or the whole line */
static char *drop_condition(const tokens *found, size_t i, as_rng *rng) {
  static const char *const lines[] = {"where", "assume", "require", NULL};
  if (!in(found, i, lines) || !first_of_line(found, i))
    return NULL;
  size_t end = i + 1;
  size_t n = 1;
  size_t depth = 0;
  size_t cut[64] = {i + 1};
  for (; end < found->n && !first_of_line(found, end); end++) {
    if (is(found, end, "(") || is(found, end, "["))
      depth++;
    if (is(found, end, ")") || is(found, end, "]"))
      depth--;
    if (is(found, end, ",") && depth == 0 && n < 63)
      cut[n++] = end + 1;
  }
  if (n == 1)
    return replace(found, i, end, "");
  size_t k = as_rng_below(rng, n);
  cut[n] = end + 1; /* as if a comma stood at the end */
  return k + 1 < n ? replace(found, cut[k], cut[k + 1], "") : replace(found, cut[k] - 1, end, "");
}

/* N >= 1 loses its bound; a tensor its type */
static char *drop_bound(const tokens *found, size_t i) {
  if (is(found, i, ">=") && i + 1 < found->n &&
      isdigit((unsigned char)found->s[found->t[i + 1].at]))
    return replace(found, i, i + 2, "");
  if (is(found, i, "int") || is(found, i, "bool"))
    return replace(found, i, i + 1, "");
  return NULL;
}

/* f(x, y) becomes f(y, x); x - y becomes y - x */
static char *exchange(const tokens *found, size_t i) {
  static const char *const between[] = {",", "-", "/", "@", "div", "mod", NULL};
  if (i == 0 || i + 1 >= found->n || !in(found, i, between))
    return NULL;
  if (!isalnum((unsigned char)found->s[found->t[i - 1].at]) ||
      !isalnum((unsigned char)found->s[found->t[i + 1].at]) || is(found, i + 2, "(") ||
      is(found, i + 2, "="))
    return NULL;
  char *a = word(found, i - 1);
  char *m = word(found, i);
  char *b = word(found, i + 1);
  char *by = as_format("%s %s %s", b, m, a);
  char *out = replace(found, i - 1, i + 2, by);
  free(a);
  free(m);
  free(b);
  free(by);
  return out;
}

/* an argument of a call is left out of the work: f(x) becomes x */
static char *unwrap(const tokens *found, size_t i) {
  if (i + 3 >= found->n || !isalpha((unsigned char)found->s[found->t[i].at]) ||
      in(found, i, heads) || !is(found, i + 1, "(") || !is(found, i + 3, ")"))
    return NULL;
  char *x = word(found, i + 2);
  char *out = replace(found, i, i + 4, x);
  free(x);
  return out;
}

static char *change(const char *text, as_rng *rng, const char **kind) {
  static const char *const kinds[] = {"operator", "number", "name", "condition",
                                      "bound",    "order",  "call"};
  tokens found = scan(text);
  char *out = NULL;
  for (int t = 0; t < 400 && !out && found.n; t++) {
    size_t k = as_rng_below(rng, 7);
    size_t i = as_rng_below(rng, found.n);
    if (i > 0 && is(&found, i - 1, "expect"))
      continue;
    *kind = kinds[k];
    switch (k) {
    case 0:
      out = other_of_group(&found, i, rng);
      break;
    case 1:
      out = other_number(&found, i, rng);
      break;
    case 2:
      out = other_name(&found, i, rng);
      break;
    case 3:
      out = drop_condition(&found, i, rng);
      break;
    case 4:
      out = drop_bound(&found, i);
      break;
    case 5:
      out = exchange(&found, i);
      break;
    default:
      out = unwrap(&found, i);
      break;
    }
  }
  free(found.t);
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

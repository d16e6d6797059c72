#include "mutate.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- texts as tokens: names, numbers, symbols, and the blanks and line ends between them, so that
 * joining gives the text back */
typedef struct {
  const char *s;
  size_t n;
} tok;

typedef struct {
  tok *t;
  size_t n;
} toks;

static toks split(const char *text) {
  toks found = {as_malloc((strlen(text) + 1) * sizeof(tok)), 0};
  while (*text) {
    size_t n = 1;
    if (isalpha((unsigned char)*text) || *text == '_') {
      while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    } else if (isdigit((unsigned char)*text)) {
      while (isdigit((unsigned char)text[n]) ||
             (text[n] == '.' && isdigit((unsigned char)text[n + 1])))
        n++;
    } else if (*text == ' ') {
      while (text[n] == ' ')
        n++;
    } else if (!strncmp(text, "->", 2)) {
      n = 2;
    }
    found.t[found.n++] = (tok){text, n};
    text += n;
  }
  return found;
}

static bool is(tok each, const char *text) {
  return each.n == strlen(text) && !memcmp(each.s, text, each.n);
}

static bool is_name(tok each) {
  return isalpha((unsigned char)*each.s) || *each.s == '_';
}

static bool is_number(tok each) {
  return isdigit((unsigned char)*each.s);
}

static bool is_word(tok each) {
  static const char *const words[] = {"mugraph", "sizes", "where", "kernel", "grid",    "loop",
                                      "load",    "acc",   "store", "end",    "rescale", "concat",
                                      "axis",    "none",  "x",     "y",      "z"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (is(each, words[i]))
      return true;
  }
  return false;
}

static char *join(const toks *found) {
  as_str out;
  as_str_init(&out);
  for (size_t i = 0; i < found->n; i++)
    as_str_addn(&out, found->t[i].s, found->t[i].n);
  return as_str_take(&out);
}

static tok T(const char *text) {
  return (tok){text, strlen(text)};
}

/* a random token that satisfies f, or n */
static size_t pick(const toks *found, as_rng *rng, bool (*f)(const toks *, size_t)) {
  size_t count = 0;
  size_t at = found->n;
  for (size_t i = 0; i < found->n; i++) {
    if (f(found, i) && as_rng_below(rng, ++count) == 0)
      at = i;
  }
  return at;
}

static bool at_operator(const toks *found, size_t i) {
  static const char *const ops[] = {"sum",    "mean",    "max",      "min",        "sqrt", "exp",
                                    "square", "neg",     "sigmoid",  "silu",       "relu", "matmul",
                                    "mul",    "add",     "sub",      "div",        "abs",  "log",
                                    "rsqrt",  "softmax", "rms_norm", "layer_norm", "tanh", "gelu"};
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    if (is(found->t[i], ops[k]))
      return true;
  }
  return false;
}

static bool at_infix(const toks *found, size_t i) {
  return found->t[i].n == 1 && strchr("+-*/@", *found->t[i].s) != NULL;
}

static bool at_number(const toks *found, size_t i) {
  return is_number(found->t[i]);
}

static bool at_arrow(const toks *found, size_t i) {
  return is(found->t[i], "->");
}

static bool at_name(const toks *found, size_t i) {
  return is_name(found->t[i]) && !is_word(found->t[i]) && !at_operator(found, i) && i > 0 &&
         *found->t[i - 1].s != '\n' && i > 2;
}

static bool at_line(const toks *found, size_t i) {
  return i > 0 && *found->t[i - 1].s == '\n';
}

static bool swap_operator(toks *found, as_rng *rng) {
  static const char *const reductions[] = {"sum", "mean", "max", "min"};
  static const char *const unary[] = {"sqrt", "exp",  "square", "neg",   "sigmoid",
                                      "silu", "relu", "abs",    "rsqrt", "tanh"};
  static const char *const binary[] = {"mul", "add", "sub", "div", "maximum", "minimum"};
  static const char *const norms[] = {"softmax", "rms_norm", "layer_norm", "exp"};
  size_t i = pick(found, rng, at_operator);
  if (i == found->n)
    return false;
  tok each = found->t[i];
  for (size_t k = 0; k < 4; k++) {
    if (is(each, reductions[k]))
      found->t[i] = T(reductions[as_rng_below(rng, 4)]);
    if (is(each, norms[k]) && k < 3)
      found->t[i] = T(norms[as_rng_below(rng, 4)]);
  }
  for (size_t k = 0; k < 10; k++) {
    if (is(each, unary[k]))
      found->t[i] = T(unary[as_rng_below(rng, 10)]);
  }
  for (size_t k = 0; k < 4; k++) {
    if (is(each, binary[k]))
      found->t[i] = T(binary[as_rng_below(rng, 6)]);
  }
  return true;
}

static bool swap_infix(toks *found, as_rng *rng) {
  static const char *const ops[] = {"+", "-", "*", "/"};
  size_t i = pick(found, rng, at_infix);
  if (i == found->n)
    return false;
  found->t[i] = T(ops[as_rng_below(rng, 4)]);
  return true;
}

static bool other_number(toks *found, as_rng *rng) {
  static const char *const nums[] = {"0", "1", "2", "3", "0.5", "7"};
  size_t i = pick(found, rng, at_number);
  if (i == found->n)
    return false;
  found->t[i] = T(nums[as_rng_below(rng, 6)]);
  return true;
}

static bool other_name(toks *found, as_rng *rng) {
  size_t i = pick(found, rng, at_name);
  size_t j = pick(found, rng, at_name);
  if (i == found->n)
    return false;
  found->t[i] = found->t[j];
  return true;
}

static bool exchange_names(toks *found, as_rng *rng) {
  size_t i = pick(found, rng, at_name);
  size_t j = pick(found, rng, at_name);
  if (i == found->n)
    return false;
  tok each = found->t[i];
  found->t[i] = found->t[j];
  found->t[j] = each;
  return true;
}

static bool map_axis(toks *found, as_rng *rng) {
  static const char *const axis[] = {"0", "1", "2"};
  static const char *const from[] = {"x", "y", "loop", "x"};
  size_t i = pick(found, rng, at_arrow);
  if (i == found->n || i < 2 || i + 2 >= found->n)
    return false;
  switch (as_rng_below(rng, 3)) {
  case 0:
    found->t[i + 2] = T(axis[as_rng_below(rng, 3)]);
    break;
  case 1:
    found->t[i - 2] = T(from[as_rng_below(rng, 4)]);
    break;
  default:
    found->t[i - 2] = found->t[i] = found->t[i + 2] = T(""); /* the map is dropped */
  }
  return true;
}

/* a factor or a summand on the right side of a statement */
static bool factor(toks *found, as_rng *rng) {
  static const char *const what[] = {" * 2", " / 2", " + 1", " - 1", " * 0", " / 3"};
  size_t i = pick(found, rng, at_line);
  if (i == found->n || is_word(found->t[i]) || !is_name(found->t[i]))
    return false;
  while (i < found->n && *found->t[i].s != '\n')
    i++;
  if (i == found->n)
    return false;
  memmove(found->t + i + 1, found->t + i, (found->n - i) * sizeof *found->t);
  found->t[i] = T(what[as_rng_below(rng, 6)]);
  found->n++;
  return true;
}

static bool accumulator(toks *found, as_rng *rng) {
  size_t n = 0;
  size_t at = found->n;
  for (size_t i = 0; i < found->n; i++) {
    if (is(found->t[i], "acc") && as_rng_below(rng, ++n) == 0)
      at = i;
  }
  if (at == found->n)
    return false;
  for (size_t i = at; i < found->n && *found->t[i].s != '\n'; i++) {
    if (is(found->t[i], "rescale")) {
      found->t[i] = found->t[i + 2] = T("");
      return true;
    }
    if ((is(found->t[i], "sum") || is(found->t[i], "max")) && as_rng_below(rng, 2)) {
      found->t[i] = is(found->t[i], "sum") ? T("max") : T("sum");
      return true;
    }
  }
  return false;
}

static bool drop_line(toks *found, as_rng *rng) {
  size_t i = pick(found, rng, at_line);
  if (i == found->n)
    return false;
  for (; i < found->n && *found->t[i].s != '\n'; i++)
    found->t[i] = T("");
  return true;
}

static bool exchange_lines(toks *found, as_rng *rng) {
  size_t i = pick(found, rng, at_line);
  size_t j = pick(found, rng, at_line);
  if (i == found->n || i == j)
    return false;
  if (i > j) {
    size_t k = i;
    i = j;
    j = k;
  }
  size_t a = i;
  size_t b = j;
  while (a < found->n && *found->t[a].s != '\n')
    a++;
  while (b < found->n && *found->t[b].s != '\n')
    b++;
  tok *each = as_malloc(found->n * sizeof *each);
  size_t n = 0;
  for (size_t k = j; k < b; k++)
    each[n++] = found->t[k];
  for (size_t k = a; k < j; k++)
    each[n++] = found->t[k];
  for (size_t k = i; k < a; k++)
    each[n++] = found->t[k];
  memcpy(found->t + i, each, n * sizeof *each);
  free(each);
  return true;
}

static bool relation(toks *found, as_rng *rng) {
  size_t at = 0;
  while (at < found->n && !is(found->t[at], "where"))
    at++;
  toks line = {found->t + at, 0};
  while (at + line.n < found->n && *found->t[at + line.n].s != '\n')
    line.n++;
  if (line.n < 3)
    return false;
  return as_rng_below(rng, 2) ? swap_infix(&line, rng) : other_name(&line, rng);
}

static bool at_cut(const toks *found, size_t i) {
  return is(found->t[i], "upto") && i > 1 && i + 2 < found->n;
}

/* a tile that is cut off: no longer, elsewhere, or with its extents exchanged */
static bool cut_tile(toks *found, as_rng *rng) {
  size_t i = pick(found, rng, at_cut);
  if (i == found->n)
    return false;
  tok tile = found->t[i - 2];
  switch (as_rng_below(rng, 3)) {
  case 0:
    found->t[i] = found->t[i + 1] = found->t[i + 2] = T("");
    break;
  case 1:
    found->t[i - 2] = found->t[i + 2];
    found->t[i + 2] = tile;
    break;
  default:
    found->t[i + 2] = found->t[pick(found, rng, at_name)];
  }
  return true;
}

static const struct {
  const char *name;
  bool (*f)(toks *, as_rng *);
  unsigned weight;
} kinds[] = {
    {"operator", swap_operator, 4}, {"infix", swap_infix, 3},        {"number", other_number, 3},
    {"name", other_name, 5},        {"exchange", exchange_names, 3}, {"map", map_axis, 5},
    {"factor", factor, 4},          {"accumulator", accumulator, 3}, {"drop", drop_line, 1},
    {"order", exchange_lines, 1},   {"relation", relation, 2},       {"cut", cut_tile, 3}};

char *mutate_mugraph(const char *mug, as_rng *rng, const char **kind) {
  *kind = NULL;
  char *text = as_strdup(mug);
  uint64_t times = 1 + as_rng_below(rng, 6) / 4 + as_rng_below(rng, 8) / 7;
  for (uint64_t done = 0, tries = 0; done < times && tries < 50; tries++) {
    toks found = split(text);
    found.t = as_realloc(found.t, (found.n + 8) * sizeof *found.t);
    uint64_t w = as_rng_below(rng, 37);
    size_t k = 0;
    while (w >= kinds[k].weight)
      w -= kinds[k++].weight;
    if (kinds[k].f(&found, rng)) {
      char *next = join(&found);
      free(text);
      text = next;
      if (!*kind)
        *kind = kinds[k].name;
      done++;
    }
    free(found.t);
  }
  return text;
}

char *mutate_as_mugraph(const char *tp) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "mugraph as_given\n");
  for (const char *line = tp; *line;) {
    size_t n = strcspn(line, "\n");
    static const char *const skip[] = {"program", "sizes", "where", "input", "use", "#"};
    bool keep = true;
    for (size_t i = 0; i < sizeof skip / sizeof *skip; i++)
      keep = keep && strncmp(line, skip[i], strlen(skip[i]));
    size_t from = !strncmp(line, "output ", 7) ? 7 : 0;
    if (keep && n > from && memchr(line, '=', n)) {
      as_str_addn(&out, line + from, n - from);
      as_str_add(&out, "\n");
    }
    line += n + (line[n] == '\n');
  }
  return as_str_take(&out);
}

char *mutate_without_values(const char *text) {
  as_str buffer;
  as_str_init(&buffer);
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n");
    bool sizes = !strncmp(line, "sizes", 5);
    bool out = false;
    for (size_t i = 0; i < n; i++) {
      if (line[i] == ',')
        out = false;
      if (sizes && line[i] == '=' && line[i - 1] != '>')
        out = true;
      if (!out)
        as_str_addn(&buffer, line + i, 1);
    }
    as_str_add(&buffer, "\n");
    line += n + (line[n] == '\n');
  }
  return as_str_take(&buffer);
}

/* --- certificates: lines, each with a first word and tokens tN sN =N 'word */
typedef struct {
  char **l;
  size_t n;
} lines;

static void change_token(char **line, as_rng *rng) {
  size_t n = 0;
  size_t at = 0;
  for (size_t i = 1; (*line)[i]; i++) {
    if ((*line)[i - 1] == ' ' && as_rng_below(rng, ++n) == 0)
      at = i;
  }
  if (!at)
    return;
  size_t len = strcspn(*line + at, " ");
  char c = (*line)[at];
  char *next;
  long k = atol(*line + at + 1);
  long by = (long)as_rng_below(rng, 7) - 3;
  if (c == 't' || c == 's') {
    next = as_format("%.*s%c%ld%s", (int)at, *line, c, k + by < 0 ? 0 : k + by, *line + at + len);
  } else if (c == '=') {
    next = as_format("%.*s=%ld%s", (int)at, *line, k + by, *line + at + len);
  } else if (c == '\'' && as_rng_below(rng, 2)) {
    next =
        as_format("%.*s'%s%s", (int)at, *line, as_rng_below(rng, 2) ? "i" : "r", *line + at + len);
  } else {
    next = as_format("%.*s%s", (int)at - 1, *line, *line + at + len);
  }
  free(*line);
  *line = next;
}

static void change_head(char **line, as_rng *rng) {
  static const char *const heads[] = {"+",       "*",    "inv",  "exp",  "sqrt",     "=",
                                      "#",       "<=",   "<",    "div",  "mod",      "hyp",
                                      "arith",   "cong", "law",  "use",  "inst",     "cases",
                                      "antisym", "int",  "zero", "succ", "foldcong", "induct"};
  size_t n = strcspn(*line, " ");
  char *next = as_format("%s%s", heads[as_rng_below(rng, sizeof heads / sizeof *heads)], *line + n);
  free(*line);
  *line = next;
}

char *mutate_cert(const char *cert, size_t len, as_rng *rng, size_t *out_len) {
  lines v = {as_malloc((len + 2) * sizeof(char *)), 0};
  for (size_t i = 0; i < len;) {
    size_t n = 0;
    while (i + n < len && cert[i + n] != '\n')
      n++;
    v.l[v.n++] = as_format("%.*s", (int)n, cert + i);
    i += n + 1;
  }
  for (uint64_t times = 1 + as_rng_below(rng, 4); times-- && v.n > 2;) {
    size_t i = 1 + as_rng_below(rng, v.n - 1);
    size_t j = 1 + as_rng_below(rng, v.n - 1);
    char *x = v.l[i];
    switch (as_rng_below(rng, 10)) {
    case 0:
      v.l[i] = v.l[j];
      v.l[j] = x;
      break; /* two lines change places */
    case 1:
      free(x);
      memmove(v.l + i, v.l + i + 1, (v.n - i - 1) * sizeof *v.l);
      v.n--;
      break; /* one is gone */
    case 2:
      free(x);
      v.l[i] = as_strdup(v.l[j == i ? 0 : j]);
      break; /* one stands twice */
    case 3:
    case 4:
      change_head(&v.l[i], rng);
      break;
    default:
      change_token(&v.l[i], rng);
    }
  }
  as_str out;
  as_str_init(&out);
  for (size_t i = 0; i < v.n; i++) {
    as_str_add(&out, v.l[i]);
    as_str_add(&out, "\n");
    free(v.l[i]);
  }
  free(v.l);
  *out_len = out.n;
  return as_str_take(&out);
}

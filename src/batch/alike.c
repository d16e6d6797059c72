/* A name is renamed wherever it stands for what the program calls so: not where it is a function's
 * or an operator's (before a parenthesis) or an attribute's (before `=`, within parentheses).  Two
 * programs of one text then differ by a renaming that takes different names to different ones. */
#include "alike.h"
#include "src/base/intern.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *at;
  size_t len;
  bool name;
  bool called; /* a parenthesis follows: an operator's or a function's */
  bool attribute;
  bool ends_line; /* a line ends behind it */
} token;

typedef struct {
  as_vec tokens;      /* token */
  as_intern outside;  /* names that are not its own */
  as_intern own;      /* those that are */
  as_intern numbered; /* those of them that were met, in this order */
} plain;

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static void read_tokens(const char *text, as_vec *tokens) {
  uint32_t depth = 0;
  for (const char *at = text; *at;) {
    token t = {.at = at, .len = 1};
    if (*at == '\n' && tokens->n)
      AS_VEC_AT(tokens, token, tokens->n - 1).ends_line = true;
    if (isspace((unsigned char)*at)) {
      at++;
      continue;
    }
    t.name = isalpha((unsigned char)*at) || *at == '_';
    while (in_name(*at) && in_name(at[t.len]))
      t.len++;
    at += t.len;
    const char *behind = at + strspn(at, " ");
    t.called = t.name && *behind == '(';
    t.attribute = t.name && depth > 0 && *behind == '=';
    depth += *t.at == '(';
    depth -= *t.at == ')' && depth > 0;
    as_vec_push(tokens, &t);
  }
}

static bool is(const token *t, const char *word) {
  return t->len == strlen(word) && memcmp(t->at, word, t->len) == 0;
}

/* words that introduce a name of the program's own, in a statement or before it */
static bool introduces(const token *t) {
  static const char *const words[] = {"scratch", "for", "parallel", "load", "make", "carry", "int"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (is(t, words[i]))
      return true;
  }
  return false;
}

static void add_own(plain *p, const token *t) {
  if (t->name && as_intern_find_row(&p->outside, t->at, t->len) == AS_NONE)
    as_intern_row(&p->own, t->at, t->len);
}

/* The names that are its own: neither arguments nor results, nor sizes of the given program. */
static void find_own(plain *p) {
  const token *all = p->tokens.data;
  for (size_t i = 0; i + 1 < p->tokens.n; i++) {
    if (is(&all[i], "input") || is(&all[i], "inout") || is(&all[i], "output"))
      as_intern_row(&p->outside, all[i + 1].at, all[i + 1].len);
  }
  bool sizes = false;
  for (size_t i = 0; i + 1 < p->tokens.n; i++) {
    bool first = i == 0 || all[i - 1].ends_line;
    sizes = first ? is(&all[i], "sizes") : sizes;
    if (sizes && !first)
      add_own(p, &all[i]);
    if (introduces(&all[i]))
      add_own(p, &all[i + 1]);
    if (first && is(&all[i + 1], "="))
      add_own(p, &all[i]);
    if (i > 0 && is(&all[i + 1], "<") && (is(&all[i - 1], "[") || is(&all[i - 1], ",")))
      add_own(p, &all[i]);
  }
}

static bool declares(const token *t) {
  return is(t, "sizes") || is(t, "where") || is(t, "input") || is(t, "inout") || is(t, "output") ||
         is(t, "scratch") || is(t, "use") || is(t, "tile");
}

static void put_token(plain *p, const token *t, as_str *out) {
  bool own = t->name && !t->called && !t->attribute &&
             as_intern_find_row(&p->own, t->at, t->len) != AS_NONE;
  if (own)
    as_str_printf(out, "$%u ", (unsigned)as_intern_row(&p->numbered, t->at, t->len));
  else
    as_str_printf(out, "%.*s ", (int)t->len, t->at);
}

/* the lines of declarations, or all others; the first line, which names the program, is neither */
static void put_lines(plain *p, bool declarations, as_vec *lines) {
  const token *all = p->tokens.data;
  size_t end = 0;
  while (end < p->tokens.n && !all[end].ends_line)
    end++;
  bool head = true; /* `scratch` further down is a statement */
  for (size_t i = end + 1; i < p->tokens.n;) {
    head = head && declares(&all[i]);
    as_str line;
    as_str_init(&line);
    bool wanted = head == declarations;
    for (bool more = true; more && i < p->tokens.n; i++) {
      if (wanted)
        put_token(p, &all[i], &line);
      more = !all[i].ends_line;
    }
    char *text = as_str_take(&line);
    if (wanted)
      as_vec_push(lines, &text);
    else
      free(text);
  }
}

static int by_text(const void *a, const void *b) {
  char *const *left = a;
  char *const *right = b;
  return strcmp(*left, *right);
}

static void take_lines(as_vec *lines, as_str *out) {
  for (size_t i = 0; i < lines->n; i++) {
    as_str_printf(out, "%s\n", AS_VEC_AT(lines, char *, i));
    free(AS_VEC_AT(lines, char *, i));
  }
  as_vec_clear(lines);
}

/* sizes of the given program */
static void find_outside(plain *p, const char *given) {
  as_vec all;
  bool sizes = false;
  bool first = true;
  as_vec_init(&all, sizeof(token));
  read_tokens(given, &all);
  for (size_t i = 0; i < all.n; i++) {
    const token *t = &AS_VEC_AT(&all, token, i);
    sizes = first ? is(t, "sizes") : sizes;
    if (sizes && t->name)
      as_intern_row(&p->outside, t->at, t->len);
    first = t->ends_line;
  }
  as_vec_clear(&all);
}

char *as_batch_plain_text(const char *given, const char *text) {
  plain p;
  as_vec lines[2];
  as_str out;
  as_intern_init(&p.outside, NULL);
  as_intern_init(&p.own, NULL);
  as_intern_init(&p.numbered, NULL);
  as_vec_init(&p.tokens, sizeof(token));
  as_str_init(&out);
  find_outside(&p, given);
  read_tokens(text, &p.tokens);
  find_own(&p);
  for (int i = 0; i < 2; i++) { /* statements number the names */
    as_vec_init(&lines[i], sizeof(char *));
    put_lines(&p, i == 1, &lines[i]);
  }
  if (lines[1].n)
    qsort(lines[1].data, lines[1].n, sizeof(char *), by_text);
  take_lines(&lines[1], &out);
  take_lines(&lines[0], &out);
  as_vec_clear(&p.tokens);
  as_intern_clear(&p.outside);
  as_intern_clear(&p.own);
  as_intern_clear(&p.numbered);
  return as_str_take(&out);
}

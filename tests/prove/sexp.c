/* See sexp.h. */
#include "sexp.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bad(const char *text) {
  fprintf(stderr, "bad test term at: %s\n", text);
  abort();
}

static void blank(const char **text) {
  while (isspace((unsigned char)**text))
    ++*text;
}

static void word(const char **text, char *w) {
  size_t n = 0;
  blank(text);
  while (**text && !isspace((unsigned char)**text) && **text != '(' && **text != ')' && n < 31)
    w[n++] = *(*text)++;
  w[n] = 0;
  if (!n)
    bad(*text);
}

static void expect(const char **text, char c) {
  blank(text);
  if (**text != c)
    bad(*text);
  ++*text;
}

static bool more(const char **text) {
  blank(text);
  return **text != ')';
}

static ck_id named(ck_terms *terms, const char *w) {
  return ck_var(terms, w, w[0] >= 'r' && w[0] <= 'z' && w[0] != 't' ? 'r' : 'i');
}

static ck_id ok(ck_id term, const char *text) {
  if (term == CK_BAD)
    bad(text);
  return term;
}

static ck_id fraction(ck_terms *terms, const char *w) {
  mpq_t value;
  mpq_init(value);
  mpq_set_str(value, w, 10);
  mpq_canonicalize(value);
  ck_id term = ck_q(terms, value);
  mpq_clear(value);
  return term;
}

static ck_id atom(ck_terms *terms, const char *w) {
  if (isdigit((unsigned char)w[0]) || (w[0] == '-' && w[1]))
    return fraction(terms, w);
  return named(terms, w);
}

static ck_id fold1(ck_terms *terms, const char **text, bool sum) {
  char w[32];
  word(text, w);
  ck_id vars[2] = {ck_var(terms, w, 'i'), ck_var(terms, "$test", 'r')};
  ck_id n = sexp_read(terms, text);
  ck_id id = sexp_read(terms, text);
  ck_id term = ck_int(terms, 0);
  ck_id kids[3];
  ck_id step;
  if (sum) {
    step = ck_mk2(terms, CK_ADD, vars[1], id);
    kids[1] = term;
  } else {
    step = ck_ite(terms, ck_mk2(terms, CK_LE, vars[1], id), id, vars[1]);
    kids[1] = ck_sub(terms, id, vars, &term, 1, NULL, 0);
  }
  kids[0] = n;
  kids[2] = ck_close(terms, step, vars, 2);
  return ck_fold(terms, 0, 1, kids);
}

static ck_id foldn(ck_terms *terms, const char **text) {
  char w[32];
  ck_id vars[8];
  ck_id kids[16];
  uint32_t n = 0;
  uint32_t p;
  uint32_t q = 1;
  uint32_t d;
  word(text, w);
  p = (uint32_t)atol(w);
  kids[0] = sexp_read(terms, text);
  expect(text, '(');
  while (more(text)) {
    word(text, w);
    vars[n] = ck_var(terms, w, n ? 'r' : 'i');
    n++;
  }
  expect(text, ')');
  expect(text, '(');
  while (more(text))
    kids[q++] = sexp_read(terms, text);
  expect(text, ')');
  d = q - 1;
  expect(text, '(');
  while (more(text))
    kids[q++] = ck_close(terms, sexp_read(terms, text), vars, n);
  expect(text, ')');
  return ck_fold(terms, p, d, kids);
}

static ck_id clause(ck_terms *terms, const char **text) {
  char w[32];
  ck_id vars[8];
  ck_id kids[16];
  uint32_t n = 0;
  uint32_t r = 0;
  expect(text, '(');
  while (more(text)) {
    word(text, w);
    vars[n++] = ck_var(terms, w, 'i');
  }
  expect(text, ')');
  expect(text, '(');
  while (more(text))
    kids[r++] = ck_close(terms, sexp_read(terms, text), vars, n);
  expect(text, ')');
  kids[r++] = ck_close(terms, sexp_read(terms, text), vars, n);
  return ck_all(terms, n, kids, r);
}

static ck_id list(ck_terms *terms, const char **text, const char *w) {
  static const struct {
    const char *w;
    ck_op o;
    int n;
  } ops[] = {{"+", CK_ADD, 2},   {"*", CK_MUL, 2},   {"div", CK_DIV, 2},   {"mod", CK_MOD, 2},
             {"inv", CK_INV, 1}, {"exp", CK_EXP, 1}, {"sqrt", CK_SQRT, 1}, {"log", CK_LOG, 1},
             {"=", CK_EQ, 2},    {"#", CK_NE, 2},    {"<=", CK_LE, 2},     {"<", CK_LT, 2}};

  if (!strcmp(w, "sum") || !strcmp(w, "max"))
    return fold1(terms, text, w[0] == 's');
  if (!strcmp(w, "fold"))
    return foldn(terms, text);
  if (!strcmp(w, "all"))
    return clause(terms, text);
  ck_id id[8];
  uint32_t n = 0;
  char sig[16];
  while (more(text) && n < 8)
    id[n++] = sexp_read(terms, text);
  if (!strcmp(w, "-")) {
    return n == 1 ? ck_mk2(terms, CK_MUL, ck_int(terms, -1), id[0])
                  : ck_mk2(terms, CK_ADD, id[0], ck_mk2(terms, CK_MUL, ck_int(terms, -1), id[1]));
  }
  if (!strcmp(w, "/"))
    return ck_mk2(terms, CK_MUL, id[0], ck_mk1(terms, CK_INV, id[1]));
  if (!strcmp(w, "ite"))
    return ck_ite(terms, id[0], id[1], id[2]);
  if (!strcmp(w, "mx"))
    return ck_ite(terms, ck_mk2(terms, CK_LE, id[0], id[1]), id[1], id[0]);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (!strcmp(w, ops[i].w)) {
      if (ops[i].n == 1)
        return ck_mk1(terms, ops[i].o, id[0]);
      ck_id term = ck_mk2(terms, ops[i].o, id[0], id[1]);
      for (uint32_t j = 2; j < n; j++)
        term = ck_mk2(terms, ops[i].o, term, id[j]);
      return term;
    }
  }
  for (uint32_t i = 0; i < n; i++)
    sig[i] = ck_is_int(terms, id[i]) ? 'i' : 'r';
  sig[n] = ':';
  sig[n + 1] = 'r';
  sig[n + 2] = 0;
  return ck_app(terms, w, sig, id, n);
}

ck_id sexp_read(ck_terms *terms, const char **text) {
  char w[32];
  ck_id term;
  const char *at = *text;
  blank(text);
  if (**text != '(') {
    word(text, w);
    return atom(terms, w);
  }
  ++*text;
  word(text, w);
  term = ok(list(terms, text, w), at);
  expect(text, ')');
  return term;
}

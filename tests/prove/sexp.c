/* See sexp.h. */
#include "sexp.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bad(const char *s) {
  fprintf(stderr, "bad test term at: %s\n", s);
  abort();
}

static void blank(const char **s) {
  while (isspace((unsigned char)**s))
    ++*s;
}

static void word(const char **s, char *w) {
  size_t n = 0;
  blank(s);
  while (**s && !isspace((unsigned char)**s) && **s != '(' && **s != ')' && n < 31)
    w[n++] = *(*s)++;
  w[n] = 0;
  if (!n)
    bad(*s);
}

static void expect(const char **s, char c) {
  blank(s);
  if (**s != c)
    bad(*s);
  ++*s;
}

static bool more(const char **s) {
  blank(s);
  return **s != ')';
}

static ck_id named(ck_terms *T, const char *w) {
  return ck_var(T, w, w[0] >= 'r' && w[0] <= 'z' && w[0] != 't' ? 'r' : 'i');
}

static ck_id ok(ck_id t, const char *s) {
  if (t == CK_BAD)
    bad(s);
  return t;
}

static ck_id fraction(ck_terms *T, const char *w) {
  mpq_t q;
  mpq_init(q);
  mpq_set_str(q, w, 10);
  mpq_canonicalize(q);
  ck_id t = ck_q(T, q);
  mpq_clear(q);
  return t;
}

static ck_id atom(ck_terms *T, const char *w) {
  if (isdigit((unsigned char)w[0]) || (w[0] == '-' && w[1]))
    return fraction(T, w);
  return named(T, w);
}

static ck_id fold1(ck_terms *T, const char **s, bool sum) {
  char w[32];
  word(s, w);
  ck_id vars[2] = {ck_var(T, w, 'i'), ck_var(T, "$test", 'r')};
  ck_id n = sexp_read(T, s);
  ck_id f = sexp_read(T, s);
  ck_id z = ck_int(T, 0);
  ck_id kids[3];
  ck_id step;
  if (sum) {
    step = ck_mk2(T, CK_ADD, vars[1], f);
    kids[1] = z;
  } else {
    step = ck_ite(T, ck_mk2(T, CK_LE, vars[1], f), f, vars[1]);
    kids[1] = ck_sub(T, f, vars, &z, 1, NULL, 0);
  }
  kids[0] = n;
  kids[2] = ck_close(T, step, vars, 2);
  return ck_fold(T, 0, 1, kids);
}

static ck_id foldn(ck_terms *T, const char **s) {
  char w[32];
  ck_id vars[8];
  ck_id kids[16];
  uint32_t n = 0;
  uint32_t p;
  uint32_t q = 1;
  uint32_t d;
  word(s, w);
  p = (uint32_t)atol(w);
  kids[0] = sexp_read(T, s);
  expect(s, '(');
  while (more(s)) {
    word(s, w);
    vars[n] = ck_var(T, w, n ? 'r' : 'i');
    n++;
  }
  expect(s, ')');
  expect(s, '(');
  while (more(s))
    kids[q++] = sexp_read(T, s);
  expect(s, ')');
  d = q - 1;
  expect(s, '(');
  while (more(s))
    kids[q++] = ck_close(T, sexp_read(T, s), vars, n);
  expect(s, ')');
  return ck_fold(T, p, d, kids);
}

static ck_id clause(ck_terms *T, const char **s) {
  char w[32];
  ck_id vars[8];
  ck_id kids[16];
  uint32_t n = 0;
  uint32_t r = 0;
  expect(s, '(');
  while (more(s)) {
    word(s, w);
    vars[n++] = ck_var(T, w, 'i');
  }
  expect(s, ')');
  expect(s, '(');
  while (more(s))
    kids[r++] = ck_close(T, sexp_read(T, s), vars, n);
  expect(s, ')');
  kids[r++] = ck_close(T, sexp_read(T, s), vars, n);
  return ck_all(T, n, kids, r);
}

static ck_id list(ck_terms *T, const char **s, const char *w) {
  static const struct {
    const char *w;
    ck_op o;
    int n;
  } ops[] = {{"+", CK_ADD, 2},   {"*", CK_MUL, 2},   {"div", CK_DIV, 2},   {"mod", CK_MOD, 2},
             {"inv", CK_INV, 1}, {"exp", CK_EXP, 1}, {"sqrt", CK_SQRT, 1}, {"log", CK_LOG, 1},
             {"=", CK_EQ, 2},    {"#", CK_NE, 2},    {"<=", CK_LE, 2},     {"<", CK_LT, 2}};

  if (!strcmp(w, "sum") || !strcmp(w, "max"))
    return fold1(T, s, w[0] == 's');
  if (!strcmp(w, "fold"))
    return foldn(T, s);
  if (!strcmp(w, "all"))
    return clause(T, s);
  ck_id a[8];
  uint32_t n = 0;
  char sig[16];
  while (more(s) && n < 8)
    a[n++] = sexp_read(T, s);
  if (!strcmp(w, "-")) {
    return n == 1 ? ck_mk2(T, CK_MUL, ck_int(T, -1), a[0])
                  : ck_mk2(T, CK_ADD, a[0], ck_mk2(T, CK_MUL, ck_int(T, -1), a[1]));
  }
  if (!strcmp(w, "/"))
    return ck_mk2(T, CK_MUL, a[0], ck_mk1(T, CK_INV, a[1]));
  if (!strcmp(w, "ite"))
    return ck_ite(T, a[0], a[1], a[2]);
  if (!strcmp(w, "mx"))
    return ck_ite(T, ck_mk2(T, CK_LE, a[0], a[1]), a[1], a[0]);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (!strcmp(w, ops[i].w)) {
      if (ops[i].n == 1)
        return ck_mk1(T, ops[i].o, a[0]);
      ck_id t = ck_mk2(T, ops[i].o, a[0], a[1]);
      for (uint32_t j = 2; j < n; j++)
        t = ck_mk2(T, ops[i].o, t, a[j]);
      return t;
    }
  }
  for (uint32_t i = 0; i < n; i++)
    sig[i] = ck_is_int(T, a[i]) ? 'i' : 'r';
  sig[n] = ':';
  sig[n + 1] = 'r';
  sig[n + 2] = 0;
  return ck_app(T, w, sig, a, n);
}

ck_id sexp_read(ck_terms *T, const char **s) {
  char w[32];
  ck_id t;
  const char *at = *s;
  blank(s);
  if (**s != '(') {
    word(s, w);
    return atom(T, w);
  }
  ++*s;
  word(s, w);
  t = ok(list(T, s, w), at);
  expect(s, ')');
  return t;
}

#include "lex.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_EXPONENT = 4000, MOST_DIGITS = 4000 };

static bool alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t number_len(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && digit(s[i]))
    i++;
  if (i + 1 < n && s[i] == '.' && digit(s[i + 1])) {
    for (i++; i < n && digit(s[i]);)
      i++;
  }
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    size_t j = i + 1;
    if (j < n && (s[j] == '+' || s[j] == '-'))
      j++;
    if (j < n && digit(s[j])) {
      for (i = j; i < n && digit(s[i]);)
        i++;
    }
  }
  return i;
}

static const char *copy_name(as_arena *mem, const char *s, size_t n) {
  char *p = as_arena_alloc(mem, n + 1);
  memcpy(p, s, n);
  return p;
}

static int symbol(const char *s, size_t n, size_t *len) {
  static const struct {
    char a;
    char b;
    int kind;
  } two[] = {{'<', '=', AS_T_LE},
             {'>', '=', AS_T_GE},
             {'!', '=', AS_T_NE},
             {'.', '.', AS_T_DOTS},
             {'-', '>', AS_T_ARROW}};

  *len = 2;
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    if (n > 1 && s[0] == two[i].a && s[1] == two[i].b)
      return two[i].kind;
  }
  *len = 1;
  return s[0] && strchr("()[],:;=<>+-*/@~", s[0]) ? s[0] : -1;
}

static bool lex_error(as_lexed *X, int line, int col, size_t at) {
  unsigned char c = (unsigned char)X->text[at];
  if (c < 32 || c > 126) {
    return as_err_at(X->err, X->file, X->text, X->len, line, col,
                     "byte 0x%02x: this is not a text file in ASCII", c);
  }
  return as_err_at(X->err, X->file, X->text, X->len, line, col, "unexpected character `%c`", c);
}

static void push(as_lexed *X, int kind, const char *s, size_t n, int line, int col) {
  as_token t = {kind, s, (uint32_t)n, line, col};
  as_vec_push(&X->tok, &t);
}

bool as_lex(as_lexed *X, const char *file, const char *text, size_t len, as_arena *mem,
            as_err *err) {
  *X = (as_lexed){.file = file, .text = text, .len = len, .mem = mem, .err = err};
  as_vec_init(&X->tok, sizeof(as_token));
  int line = 1;
  int open = 0;
  size_t start = 0;
  if (len > (size_t)1 << 30)
    return as_err_set(err, AS_BAD_INPUT, "%s: too large", file);
  for (size_t i = 0; i < len;) {
    const char *s = text + i;
    size_t left = len - i;
    size_t n = 1;
    int col = (int)(i - start) + 1;
    if (*s == '\n') {
      if (open == 0 && X->tok.n && AS_VEC_AT(&X->tok, as_token, X->tok.n - 1).kind != AS_T_NL)
        push(X, AS_T_NL, s, 1, line, col);
      line++;
      start = i + 1;
    } else if (*s == '#') {
      const char *nl = memchr(s, '\n', left);
      n = nl ? (size_t)(nl - s) : left;
      for (size_t k = 0; k < n; k++) {
        if ((unsigned char)s[k] > 126 || ((unsigned char)s[k] < 32 && s[k] != '\t' && s[k] != '\r'))
          return lex_error(X, line, col + (int)k, i + k);
      }
    } else if (*s == ' ' || *s == '\t' || *s == '\r') {
    } else if (alpha(*s)) {
      while (n < left && (alpha(s[n]) || digit(s[n])))
        n++;
      push(X, AS_T_NAME, copy_name(mem, s, n), n, line, col);
    } else if (digit(*s)) {
      n = number_len(s, left);
      push(X, AS_T_NUMBER, s, n, line, col);
    } else if (*s == '"') {
      while (n < left && s[n] != '"' && s[n] != '\n')
        n++;
      if (n == left || s[n] != '"')
        return as_err_at(err, file, text, len, line, col, "a string that does not end on its line");
      push(X, AS_T_STRING, s + 1, n - 1, line, col);
      n++;
    } else {
      int kind = symbol(s, left, &n);
      if (kind < 0)
        return lex_error(X, line, col, i);
      if (kind == '(' || kind == '[')
        open++;
      if ((kind == ')' || kind == ']') && open > 0)
        open--;
      push(X, kind, s, n, line, col);
    }
    i += n;
  }
  int col = (int)(len - start) + 1;
  if (X->tok.n && AS_VEC_AT(&X->tok, as_token, X->tok.n - 1).kind != AS_T_NL)
    push(X, AS_T_NL, "", 0, line, col);
  push(X, AS_T_END, "", 0, line, col);
  return true;
}

void as_lexed_clear(as_lexed *X) {
  as_vec_clear(&X->tok);
}

bool as_tok_word(const as_lexed *X, const char *word) {
  return as_tok(X)->kind == AS_T_NAME && strcmp(as_tok(X)->s, word) == 0;
}

bool as_tok_take(as_lexed *X, int kind) {
  if (!as_tok_is(X, kind) || kind == AS_T_END)
    return false;
  X->at++;
  return true;
}

bool as_tok_take_word(as_lexed *X, const char *word) {
  if (!as_tok_word(X, word))
    return false;
  X->at++;
  return true;
}

char *as_tok_text(const as_token *t) {
  if (t->kind == AS_T_END)
    return as_strdup("the end of the file");
  if (t->kind == AS_T_NL)
    return as_strdup("the end of the line");
  int n = t->len > 60 ? 60 : (int)t->len;
  return as_format(t->kind == AS_T_STRING ? "\"%.*s\"" : "`%.*s`", n, t->s);
}

bool as_lex_fail(as_lexed *X, const as_token *t, const char *fmt, ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *s = as_malloc((size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, fmt, again);
  va_end(again);
  va_end(ap);
  as_err_at(X->err, X->file, X->text, X->len, t->line, t->col, "%s", s);
  free(s);
  return false;
}

bool as_tok_want(as_lexed *X, int kind, const char *what) {
  if (as_tok_is(X, kind)) {
    if (kind != AS_T_END)
      X->at++;
    return true;
  }
  char *got = as_tok_text(as_tok(X));
  as_lex_fail(X, as_tok(X), "expected %s, found %s", what, got);
  free(got);
  return false;
}

bool as_word_reserved(const char *word) {
  static const char *const words[] = {
      "program", "sizes", "where",   "input",   "output",  "use",    "func", "op",
      "let",     "out",   "require", "builtin", "mugraph", "kernel", "grid", "loop",
      "load",    "acc",   "store",   "end",     "sum",     "max",    "min",  "prod",
      "if",      "then",  "div",     "mod",     "and",     "or",     "not",  "none",
      "inf",     "f16",   "bf16",    "f32",     "rule",    "ints",   "axes", "tensor",
      "assume",  "lhs",   "rhs",     "expect",  "int",     "bool"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(word, words[i]) == 0)
      return true;
  }
  return false;
}

const char *as_tok_new_name(as_lexed *X, const char *what) {
  const as_token *t = as_tok(X);
  if (!as_tok_want(X, AS_T_NAME, what))
    return NULL;
  if (!as_word_reserved(t->s))
    return t->s;
  as_lex_fail(X, t, "`%s` is a reserved word and cannot be %s", t->s, what);
  return NULL;
}

bool as_lex_enter(as_lexed *X) {
  if (++X->depth <= MOST_DEPTH)
    return true;
  return as_lex_fail(X, as_tok(X), "nested too deeply (%d levels are allowed)", MOST_DEPTH);
}

/* --- numbers */
bool as_tok_number(as_lexed *X, mpq_t out) {
  const as_token *t = as_tok(X);
  if (!as_tok_want(X, AS_T_NUMBER, "a number"))
    return false;
  if (t->len > MOST_DIGITS)
    return as_lex_fail(X, t, "a number of more than %d characters", MOST_DIGITS);
  char *digits = as_malloc(t->len + 1);
  size_t n = 0;
  size_t i = 0;
  long exp = 0;
  long scale = 0;
  for (; i < t->len && (digit(t->s[i]) || t->s[i] == '.'); i++) {
    if (t->s[i] == '.')
      scale = (long)(t->len); /* marks the fraction's begin; counted below */
    else
      digits[n++] = t->s[i];
  }
  digits[n] = 0;
  if (scale) {
    const char *dot = memchr(t->s, '.', t->len);
    scale = (long)(t->s + i - dot) - 1;
  }
  bool ok = true;
  if (i < t->len) {
    bool minus = t->s[++i] == '-';
    if (t->s[i] == '-' || t->s[i] == '+')
      i++;
    for (; i < t->len && ok; i++) {
      exp = exp * 10 + (t->s[i] - '0');
      ok = exp <= MOST_EXPONENT;
    }
    if (minus)
      exp = -exp;
  }
  exp -= scale;
  mpz_t ten;
  mpz_init(ten);
  mpz_ui_pow_ui(ten, 10, ok ? (unsigned long)labs(exp) : 0);
  mpz_set_str(mpq_numref(out), digits, 10);
  mpz_set_ui(mpq_denref(out), 1);
  if (exp >= 0)
    mpz_mul(mpq_numref(out), mpq_numref(out), ten);
  else
    mpz_set(mpq_denref(out), ten);
  mpq_canonicalize(out);
  mpz_clear(ten);
  free(digits);
  return ok || as_lex_fail(X, t, "an exponent beyond %d", MOST_EXPONENT);
}

char *as_print_number(const mpq_t v) {
  mpz_t d;
  mpz_init_set(d, mpq_denref(v));
  mpz_t f;
  mpz_init_set_ui(f, 2);
  unsigned long two = mpz_remove(d, d, f);
  mpz_set_ui(f, 5);
  unsigned long five = mpz_remove(d, d, f);
  mpz_clear(f);
  bool decimal = mpz_cmp_ui(d, 1) == 0;
  unsigned long places = two > five ? two : five;
  char *s;
  if (!decimal) {
    s = mpq_get_str(NULL, 10, v);
  } else {
    mpz_ui_pow_ui(d, 10, places);
    mpz_mul(d, d, mpq_numref(v));
    mpz_divexact(d, d, mpq_denref(v));
    bool minus = mpz_sgn(d) < 0;
    mpz_abs(d, d);
    char *t = mpz_get_str(NULL, 10, d);
    size_t n = strlen(t);
    size_t zeros = n <= places ? places + 1 - n : 0;
    as_str b;
    as_str_init(&b);
    if (minus)
      as_str_add(&b, "-");
    for (size_t i = 0; i < zeros; i++)
      as_str_add(&b, "0");
    as_str_add(&b, t);
    size_t whole = b.n - places;
    char *all = as_str_take(&b);
    s = places ? as_format("%.*s.%s", (int)whole, all, all + whole) : as_strdup(all);
    free(all);
    free(t);
  }
  mpz_clear(d);
  return s;
}

/* --- sizes */
bool as_tok_rel(as_lexed *X, as_rel *rel, bool *swap) {
  int k = as_tok(X)->kind;
  *swap = k == '>' || k == AS_T_GE;
  *rel = k == '='                       ? AS_REL_EQ
         : k == AS_T_NE                 ? AS_REL_NE
         : k == AS_T_LE || k == AS_T_GE ? AS_REL_LE
                                        : AS_REL_LT;
  if (k != '=' && k != AS_T_NE && k != AS_T_LE && k != AS_T_GE && k != '<' && k != '>')
    return as_tok_want(X, '=', "a relation (= != < <= > >=)");
  X->at++;
  return true;
}

const char *as_rel_text(as_rel rel) {
  static const char *const text[] = {"=", "!=", "<=", "<"};
  return text[rel];
}

typedef struct {
  as_lexed *X;
  as_sizes *S;
  as_size_look *look;
  void *ctx;
} size_parser;

static as_size size_sum(size_parser *P);

static as_size size_factor(size_parser *P) {
  as_lexed *X = P->X;
  const as_token *t = as_tok(X);
  if (!as_lex_enter(X))
    return AS_SIZE_BAD;
  as_size out = AS_SIZE_BAD;
  if (as_tok_take(X, '-')) {
    out = size_factor(P);
    if (out != AS_SIZE_BAD)
      out = as_size_sub(P->S, 0, out);
  } else if (as_tok_take(X, '(')) {
    out = size_sum(P);
    if (out != AS_SIZE_BAD && !as_tok_want(X, ')', "`)`"))
      out = AS_SIZE_BAD;
  } else if (as_tok_is(X, AS_T_NUMBER)) {
    mpq_t q;
    mpq_init(q);
    if (as_tok_number(X, q)) {
      if (memchr(t->s, '.', t->len) || memchr(t->s, 'e', t->len) || memchr(t->s, 'E', t->len))
        as_lex_fail(X, t, "a size must be an integer");
      else if (!mpz_fits_slong_p(mpq_numref(q)))
        as_lex_fail(X, t, "a size beyond 63 bits");
      else
        out = as_size_int(P->S, mpz_get_si(mpq_numref(q)));
    }
    mpq_clear(q);
  } else if ((as_tok_word(X, "max") || as_tok_word(X, "min")) && as_tok_next(X)->kind == '(') {
    as_size a;
    as_size b;
    X->at += 2;
    if ((a = size_sum(P)) != AS_SIZE_BAD && as_tok_want(X, ',', "`,`") &&
        (b = size_sum(P)) != AS_SIZE_BAD && as_tok_want(X, ')', "`)`"))
      out = strcmp(t->s, "max") == 0 ? as_size_max(P->S, a, b) : as_size_min(P->S, a, b);
  } else if (as_tok_is(X, AS_T_NAME)) {
    out = P->look(P->ctx, t->s);
    X->at++;
    if (out == AS_SIZE_BAD)
      as_lex_fail(X, t, "unknown size `%s`", t->s);
  } else {
    as_tok_want(X, AS_T_NAME, "a size");
  }
  X->depth--;
  return out;
}

static as_size size_product(size_parser *P) {
  as_lexed *X = P->X;
  as_size a = size_factor(P);
  while (a != AS_SIZE_BAD &&
         (as_tok_is(X, '*') || as_tok_word(X, "div") || as_tok_word(X, "mod"))) {
    const as_token *t = as_tok(X);
    X->at++;
    as_size b = size_factor(P);
    if (b == AS_SIZE_BAD)
      return b;
    a = t->kind == '*'   ? as_size_mul(P->S, a, b)
        : t->s[0] == 'd' ? as_size_div(P->S, a, b)
                         : as_size_mod(P->S, a, b);
    if (a == AS_SIZE_BAD) {
      as_lex_fail(X, t,
                  t->kind == '*' ? "a size beyond 63 bits"
                                 : "division of a size by a constant that is not positive");
    }
  }
  return a;
}

static as_size size_sum(size_parser *P) {
  as_lexed *X = P->X;
  as_size a = size_product(P);
  while (a != AS_SIZE_BAD && (as_tok_is(X, '+') || as_tok_is(X, '-'))) {
    const as_token *t = as_tok(X);
    X->at++;
    as_size b = size_product(P);
    if (b == AS_SIZE_BAD)
      return b;
    a = t->kind == '+' ? as_size_add(P->S, a, b) : as_size_sub(P->S, a, b);
    if (a == AS_SIZE_BAD)
      as_lex_fail(X, t, "a size beyond 63 bits");
  }
  return a;
}

as_size as_parse_size(as_lexed *X, as_sizes *S, as_size_look *look, void *ctx) {
  size_parser P = {X, S, look, ctx};
  return size_sum(&P);
}

bool as_parse_rel(as_lexed *X, as_sizes *S, as_size_look *look, void *ctx, as_size *lhs,
                  as_rel *rel, as_size *rhs) {
  bool swap;
  as_size a = as_parse_size(X, S, look, ctx);
  if (a == AS_SIZE_BAD || !as_tok_rel(X, rel, &swap))
    return false;
  as_size b = as_parse_size(X, S, look, ctx);
  if (b == AS_SIZE_BAD)
    return false;
  *lhs = swap ? b : a;
  *rhs = swap ? a : b;
  return true;
}

/* --- suggestions: edit distance with short words only */
void as_nearest_try(as_nearest *n, const char *candidate) {
  enum { MOST = 32 };

  size_t a = strlen(n->word);
  size_t b = strlen(candidate);
  if (a >= MOST || b >= MOST)
    return;
  unsigned row[MOST + 1];
  for (unsigned j = 0; j <= b; j++)
    row[j] = j;
  for (unsigned i = 1; i <= a; i++) {
    unsigned diag = row[0];
    row[0] = i;
    for (unsigned j = 1; j <= b; j++) {
      unsigned sub = diag + (n->word[i - 1] != candidate[j - 1]);
      unsigned least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      diag = row[j];
      row[j] = sub < least ? sub : least;
    }
  }
  unsigned limit = a < 4 ? 1 : a < 8 ? 2 : 3;
  if (row[b] <= limit && (n->best == NULL || row[b] < n->dist)) {
    n->best = candidate;
    n->dist = row[b];
  }
}

#include "lex.h"
#include "src/base/str.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_EXPONENT = 4000, MOST_DIGITS = 4000, MOST_NAME = 100 };

static bool alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t number_len(const char *text, size_t n) {
  size_t i = 0;
  while (i < n && digit(text[i]))
    i++;
  if (i + 1 < n && text[i] == '.' && digit(text[i + 1])) {
    for (i++; i < n && digit(text[i]);)
      i++;
  }
  if (i < n && (text[i] == 'e' || text[i] == 'E')) {
    size_t j = i + 1;
    if (j < n && (text[j] == '+' || text[j] == '-'))
      j++;
    if (j < n && digit(text[j])) {
      for (i = j; i < n && digit(text[i]);)
        i++;
    }
  }
  return i;
}

/* whether what follows the n characters of a number cannot: a letter, or a point without digits */
static bool goes_on(const char *text, size_t n, size_t left) {
  bool whole = true;
  for (size_t i = 0; i < n; i++)
    whole = whole && digit(text[i]);
  return n < left && (alpha(text[n]) || (whole && text[n] == '.'));
}

static const char *copy_name(as_arena *mem, const char *text, size_t n) {
  char *p = as_arena_alloc(mem, n + 1);
  memcpy(p, text, n);
  return p;
}

static int symbol(const char *text, size_t n, size_t *len) {
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
    if (n > 1 && text[0] == two[i].a && text[1] == two[i].b)
      return two[i].kind;
  }
  *len = 1;
  return text[0] && strchr("()[],:;=<>+-*/@~", text[0]) ? text[0] : -1;
}

/* where the reader of characters stands; `open` counts the brackets that are not closed yet */
typedef struct {
  as_lexed *lexed;
  size_t at;
  size_t line_start;
  int line;
  int open;
} scanner;

static int column(const scanner *scan) {
  return (int)(scan->at - scan->line_start) + 1;
}

static bool unexpected_byte(const scanner *scan, size_t at) {
  const as_lexed *lexed = scan->lexed;
  unsigned char c = (unsigned char)lexed->text[at];
  int col = (int)(at - scan->line_start) + 1;
  if (c < 32 || c > 126) {
    return as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, scan->line, col,
                     "byte 0x%02x: this is not a text file in ASCII", c);
  }
  return as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, scan->line, col,
                   "unexpected character `%c`", c);
}

static bool bad_token(const scanner *scan, const char *why) {
  const as_lexed *lexed = scan->lexed;
  return as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, scan->line, column(scan), "%s",
                   why);
}

static bool too_long(const scanner *scan, const char *what) {
  const as_lexed *lexed = scan->lexed;
  return as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, scan->line, column(scan),
                   "a %s of more than %d characters", what, MOST_NAME);
}

static void push(const scanner *scan, int kind, const char *text, size_t n) {
  as_token token = {kind, text, (uint32_t)n, scan->line, column(scan)};
  as_vec_push(&scan->lexed->tok, &token);
}

/* one end of a line, however many lines are empty; none at the beginning of the text */
static void push_line_end(const scanner *scan, const char *text, size_t n) {
  const as_vec *tokens = &scan->lexed->tok;
  if (tokens->n && AS_VEC_AT(tokens, as_token, tokens->n - 1).kind != AS_T_NL)
    push(scan, AS_T_NL, text, n);
}

/* reserved words that stand nowhere else */
static bool begins_definition(const char *word, size_t n) {
  static const char *const words[] = {"rule", "op", "func"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0)
      return true;
  }
  return false;
}

/* The readers of one token each stand at its first character, push it, and go behind it; false:
 * `err` is set. */

static bool scan_newline(scanner *scan) {
  if (scan->open == 0)
    push_line_end(scan, scan->lexed->text + scan->at, 1);
  scan->at++;
  scan->line++;
  scan->line_start = scan->at;
  return true;
}

static bool scan_comment(scanner *scan) {
  const char *text = scan->lexed->text;
  for (; scan->at < scan->lexed->len && text[scan->at] != '\n'; scan->at++) {
    unsigned char c = (unsigned char)text[scan->at];
    if (c > 126 || (c < 32 && c != '\t' && c != '\r'))
      return unexpected_byte(scan, scan->at);
  }
  return true;
}

static bool scan_name(scanner *scan) {
  const char *text = scan->lexed->text + scan->at;
  size_t left = scan->lexed->len - scan->at;
  size_t n = 1;
  while (n < left && (alpha(text[n]) || digit(text[n])))
    n++;
  if (n > MOST_NAME)
    return too_long(scan, "name");
  size_t indent = strspn(scan->lexed->text + scan->line_start, " \t");
  bool first_of_line = scan->line_start + indent == scan->at;
  if (scan->open > 0 && first_of_line && begins_definition(text, n)) {
    scan->open = 0; /* nothing that is bracketed goes on here: what was not closed ends */
    push(scan, AS_T_NL, text, 0);
  }
  push(scan, AS_T_NAME, copy_name(scan->lexed->mem, text, n), n);
  scan->at += n;
  return true;
}

static bool scan_number(scanner *scan) {
  const char *text = scan->lexed->text + scan->at;
  size_t left = scan->lexed->len - scan->at;
  size_t n = number_len(text, left);
  if (goes_on(text, n, left))
    return bad_token(scan, "malformed number");
  if (n > MOST_NAME)
    return too_long(scan, "number");
  push(scan, AS_T_NUMBER, text, n);
  scan->at += n;
  return true;
}

static bool scan_string(scanner *scan) {
  const char *text = scan->lexed->text + scan->at;
  size_t left = scan->lexed->len - scan->at;
  size_t n = 1;
  while (n < left && text[n] != '"' && text[n] != '\n')
    n++;
  if (n == left || text[n] != '"')
    return bad_token(scan, "a string that does not end on its line");
  push(scan, AS_T_STRING, text + 1, n - 1);
  scan->at += n + 1;
  return true;
}

static bool scan_symbol(scanner *scan) {
  const char *text = scan->lexed->text + scan->at;
  size_t n = 0;
  int kind = symbol(text, scan->lexed->len - scan->at, &n);
  if (kind < 0)
    return unexpected_byte(scan, scan->at);
  if (kind == '(' || kind == '[')
    scan->open++;
  if ((kind == ')' || kind == ']') && scan->open > 0)
    scan->open--;
  push(scan, kind, text, n);
  scan->at += n;
  return true;
}

static bool scan_token(scanner *scan) {
  char c = scan->lexed->text[scan->at];
  if (c == ' ' || c == '\t' || c == '\r') {
    scan->at++;
    return true;
  }
  if (c == '\n')
    return scan_newline(scan);
  if (c == '#')
    return scan_comment(scan);
  if (c == '"')
    return scan_string(scan);
  if (alpha(c))
    return scan_name(scan);
  return digit(c) ? scan_number(scan) : scan_symbol(scan);
}

bool as_lex(as_lexed *lexed, const char *file, const char *text, size_t len, as_arena *mem,
            as_err *err) {
  *lexed = (as_lexed){.file = file, .text = text, .len = len, .mem = mem, .err = err};
  as_vec_init(&lexed->tok, sizeof(as_token));
  if (len > (size_t)1 << 30)
    return as_err_set(err, AS_BAD_INPUT, "%s: too large", file);
  scanner scan = {.lexed = lexed, .line = 1};
  while (scan.at < len) {
    if (!scan_token(&scan))
      return false;
  }
  push_line_end(&scan, "", 0);
  push(&scan, AS_T_END, "", 0);
  return true;
}

void as_lexed_clear(as_lexed *lexed) {
  as_vec_clear(&lexed->tok);
}

bool as_tok_word(const as_lexed *lexed, const char *word) {
  return as_tok(lexed)->kind == AS_T_NAME && strcmp(as_tok(lexed)->s, word) == 0;
}

bool as_tok_take(as_lexed *lexed, int kind) {
  if (!as_tok_is(lexed, kind) || kind == AS_T_END)
    return false;
  lexed->at++;
  return true;
}

bool as_tok_take_word(as_lexed *lexed, const char *word) {
  if (!as_tok_word(lexed, word))
    return false;
  lexed->at++;
  return true;
}

char *as_tok_text(const as_token *token) {
  if (token->kind == AS_T_END)
    return as_strdup("the end of the file");
  if (token->kind == AS_T_NL)
    return as_strdup("the end of the line");
  int n = token->len > 60 ? 60 : (int)token->len;
  return as_format(token->kind == AS_T_STRING ? "\"%.*s\"" : "`%.*s`", n, token->s);
}

bool as_lex_fail(as_lexed *lexed, const as_token *token, const char *fmt, ...) {
  va_list args;
  va_list again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  char *text = as_malloc((size_t)n + 1);
  vsnprintf(text, (size_t)n + 1, fmt, again);
  va_end(again);
  va_end(args);
  as_err_at(lexed->err, lexed->file, lexed->text, lexed->len, token->line, token->col, "%s", text);
  free(text);
  return false;
}

bool as_tok_want(as_lexed *lexed, int kind, const char *what) {
  if (as_tok_is(lexed, kind)) {
    if (kind != AS_T_END)
      lexed->at++;
    return true;
  }
  char *got = as_tok_text(as_tok(lexed));
  as_lex_fail(lexed, as_tok(lexed), "expected %s, found %s", what, got);
  free(got);
  return false;
}

bool as_tok_want_end(as_lexed *lexed) {
  return as_tok_want(lexed, AS_T_NL, "the end of the line");
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

const char *as_tok_new_name(as_lexed *lexed, const char *what) {
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_NAME, what))
    return NULL;
  if (!as_word_reserved(token->s))
    return token->s;
  as_lex_fail(lexed, token, "`%s` is a reserved word and cannot be %s", token->s, what);
  return NULL;
}

bool as_lex_enter(as_lexed *lexed) {
  if (++lexed->depth <= MOST_DEPTH)
    return true;
  return as_lex_fail(lexed, as_tok(lexed), "nested too deeply (%d levels are allowed)", MOST_DEPTH);
}

/* --- numbers */
bool as_tok_number(as_lexed *lexed, mpq_t out) {
  const as_token *token = as_tok(lexed);
  if (!as_tok_want(lexed, AS_T_NUMBER, "a number"))
    return false;
  if (token->len > MOST_DIGITS)
    return as_lex_fail(lexed, token, "a number of more than %d characters", MOST_DIGITS);
  char *digits = as_malloc(token->len + 1);
  size_t n = 0;
  size_t i = 0;
  long exp = 0;
  long scale = 0;
  for (; i < token->len && (digit(token->s[i]) || token->s[i] == '.'); i++) {
    if (token->s[i] == '.')
      scale = (long)(token->len); /* marks the fraction's begin; counted below */
    else
      digits[n++] = token->s[i];
  }
  digits[n] = 0;
  if (scale) {
    const char *dot = memchr(token->s, '.', token->len);
    scale = (long)(token->s + i - dot) - 1;
  }
  bool ok = true;
  if (i < token->len) {
    bool minus = token->s[++i] == '-';
    if (token->s[i] == '-' || token->s[i] == '+')
      i++;
    for (; i < token->len && ok; i++) {
      exp = exp * 10 + (token->s[i] - '0');
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
  return ok || as_lex_fail(lexed, token, "an exponent beyond %d", MOST_EXPONENT);
}

char *as_print_number(const mpq_t value) {
  mpz_t d;
  mpz_init_set(d, mpq_denref(value));
  mpz_t f;
  mpz_init_set_ui(f, 2);
  unsigned long two = mpz_remove(d, d, f);
  mpz_set_ui(f, 5);
  unsigned long five = mpz_remove(d, d, f);
  mpz_clear(f);
  bool decimal = mpz_cmp_ui(d, 1) == 0;
  unsigned long places = two > five ? two : five;
  char *text;
  if (!decimal) {
    text = mpq_get_str(NULL, 10, value);
  } else {
    mpz_ui_pow_ui(d, 10, places);
    mpz_mul(d, d, mpq_numref(value));
    mpz_divexact(d, d, mpq_denref(value));
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
    text = places ? as_format("%.*s.%s", (int)whole, all, all + whole) : as_strdup(all);
    free(all);
    free(t);
  }
  mpz_clear(d);
  return text;
}

void as_add_number(as_str *out, const mpq_t value) {
  char *text = as_print_number(value);
  as_str_add(out, text);
  free(text);
}

/* --- sizes */
bool as_tok_rel(as_lexed *lexed, as_rel *rel, bool *swap) {
  int k = as_tok(lexed)->kind;
  *swap = k == '>' || k == AS_T_GE;
  *rel = k == '='                       ? AS_REL_EQ
         : k == AS_T_NE                 ? AS_REL_NE
         : k == AS_T_LE || k == AS_T_GE ? AS_REL_LE
                                        : AS_REL_LT;
  if (k != '=' && k != AS_T_NE && k != AS_T_LE && k != AS_T_GE && k != '<' && k != '>')
    return as_tok_want(lexed, '=', "a relation (= != < <= > >=)");
  lexed->at++;
  return true;
}

const char *as_rel_text(as_rel rel) {
  static const char *const text[] = {"=", "!=", "<=", "<"};
  return text[rel];
}

typedef struct {
  as_lexed *lexed;
  as_sizes *sizes;
  as_size_look *look;
  void *ctx;
} size_parser;

static as_size size_sum(size_parser *P);

static as_size size_factor(size_parser *parser);

static as_size size_number(size_parser *parser, const as_token *token) {
  as_size out = AS_SIZE_BAD;
  mpq_t value;
  mpq_init(value);
  if (as_tok_number(parser->lexed, value)) {
    if (memchr(token->s, '.', token->len) || memchr(token->s, 'e', token->len) ||
        memchr(token->s, 'E', token->len))
      as_lex_fail(parser->lexed, token, "a size must be an integer");
    else if (!mpz_fits_slong_p(mpq_numref(value)))
      as_lex_fail(parser->lexed, token, "a size beyond 63 bits");
    else
      out = as_size_int(parser->sizes, mpz_get_si(mpq_numref(value)));
  }
  mpq_clear(value);
  return out;
}

/* max(a, b) or min(a, b), from its word on */
static as_size size_extremum(size_parser *parser, const as_token *token) {
  as_lexed *lexed = parser->lexed;
  lexed->at += 2;
  as_size a = size_sum(parser);
  if (a == AS_SIZE_BAD || !as_tok_want(lexed, ',', "`,`"))
    return AS_SIZE_BAD;
  as_size b = size_sum(parser);
  if (b == AS_SIZE_BAD || !as_tok_want(lexed, ')', "`)`"))
    return AS_SIZE_BAD;
  return strcmp(token->s, "max") == 0 ? as_size_max(parser->sizes, a, b)
                                      : as_size_min(parser->sizes, a, b);
}

static as_size size_name(size_parser *parser, const as_token *token) {
  as_size out = parser->look(parser->ctx, token->s);
  parser->lexed->at++;
  if (out == AS_SIZE_BAD)
    as_lex_fail(parser->lexed, token, "unknown size `%s`", token->s);
  return out;
}

static as_size bare_factor(size_parser *parser) {
  as_lexed *lexed = parser->lexed;
  const as_token *token = as_tok(lexed);
  if (as_tok_take(lexed, '-')) {
    as_size out = size_factor(parser);
    return out == AS_SIZE_BAD ? out : as_size_sub(parser->sizes, 0, out);
  }
  if (as_tok_take(lexed, '(')) {
    as_size out = size_sum(parser);
    return out != AS_SIZE_BAD && as_tok_want(lexed, ')', "`)`") ? out : AS_SIZE_BAD;
  }
  if (as_tok_is(lexed, AS_T_NUMBER))
    return size_number(parser, token);
  if ((as_tok_word(lexed, "max") || as_tok_word(lexed, "min")) && as_tok_next(lexed)->kind == '(')
    return size_extremum(parser, token);
  if (as_tok_is(lexed, AS_T_NAME))
    return size_name(parser, token);
  as_tok_want(lexed, AS_T_NAME, "a size");
  return AS_SIZE_BAD;
}

static as_size size_factor(size_parser *parser) {
  if (!as_lex_enter(parser->lexed))
    return AS_SIZE_BAD;
  as_size out = bare_factor(parser);
  parser->lexed->depth--;
  return out;
}

static as_size size_product(size_parser *parser) {
  as_lexed *lexed = parser->lexed;
  as_size a = size_factor(parser);
  while (a != AS_SIZE_BAD &&
         (as_tok_is(lexed, '*') || as_tok_word(lexed, "div") || as_tok_word(lexed, "mod"))) {
    const as_token *token = as_tok(lexed);
    lexed->at++;
    as_size b = size_factor(parser);
    if (b == AS_SIZE_BAD)
      return b;
    a = token->kind == '*'   ? as_size_mul(parser->sizes, a, b)
        : token->s[0] == 'd' ? as_size_div(parser->sizes, a, b)
                             : as_size_mod(parser->sizes, a, b);
    if (a == AS_SIZE_BAD) {
      as_lex_fail(lexed, token,
                  token->kind == '*' ? "a size beyond 63 bits"
                                     : "division of a size by a constant that is not positive");
    }
  }
  return a;
}

static as_size size_sum(size_parser *parser) {
  as_lexed *lexed = parser->lexed;
  as_size a = size_product(parser);
  while (a != AS_SIZE_BAD && (as_tok_is(lexed, '+') || as_tok_is(lexed, '-'))) {
    const as_token *token = as_tok(lexed);
    lexed->at++;
    as_size b = size_product(parser);
    if (b == AS_SIZE_BAD)
      return b;
    a = token->kind == '+' ? as_size_add(parser->sizes, a, b) : as_size_sub(parser->sizes, a, b);
    if (a == AS_SIZE_BAD)
      as_lex_fail(lexed, token, "a size beyond 63 bits");
  }
  return a;
}

as_size as_parse_size(as_lexed *lexed, as_sizes *sizes, as_size_look *look, void *ctx) {
  size_parser parser = {lexed, sizes, look, ctx};
  return size_sum(&parser);
}

bool as_parse_rel(as_lexed *lexed, as_sizes *sizes, as_size_look *look, void *ctx, as_size *lhs,
                  as_rel *rel, as_size *rhs) {
  bool swap;
  as_size a = as_parse_size(lexed, sizes, look, ctx);
  if (a == AS_SIZE_BAD || !as_tok_rel(lexed, rel, &swap))
    return false;
  as_size b = as_parse_size(lexed, sizes, look, ctx);
  if (b == AS_SIZE_BAD)
    return false;
  *lhs = swap ? b : a;
  *rhs = swap ? a : b;
  return true;
}

/* --- suggestions: edit distance with short words only */
void as_nearest_try(as_nearest *nearest, const char *candidate) {
  enum { MOST = 32 };

  size_t a = strlen(nearest->word);
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
      unsigned sub = diag + (nearest->word[i - 1] != candidate[j - 1]);
      unsigned least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      diag = row[j];
      row[j] = sub < least ? sub : least;
    }
  }
  unsigned limit = a < 4 ? 1 : a < 8 ? 2 : 3;
  if (row[b] <= limit && (nearest->best == NULL || row[b] < nearest->dist)) {
    nearest->best = candidate;
    nearest->dist = row[b];
  }
}

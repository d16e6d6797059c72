/* Tokens of the three languages (docs/language.md), the cursor over them, and messages that show the place. */
#include "ck_read.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk { struct chunk *next; max_align_t data[]; };

void *ck_keep(ck_reader *R, size_t n) {
  struct chunk *c = calloc(1, sizeof *c + n);
  if (!c) abort();
  c->next = R->mem, R->mem = c;
  return c->data;
}

void ck_keep_none(ck_reader *R) { for (struct chunk *c = R->mem, *next; c; c = next) next = c->next, free(c); R->mem = NULL; }

void *ck_grow(ck_reader *R, void *v, uint32_t n, size_t item) {
  if (n && (n < 8 || (n & (n - 1)))) return v;
  void *w = ck_keep(R, (n ? 2 * n : 8) * item);
  return n ? memcpy(w, v, n * item) : w;
}

char *ck_read_file(const char *name, size_t max, size_t *len) {
  FILE *in = fopen(name, "rb");
  char *text = NULL;
  size_t cap = 0, got = 1;
  for (*len = 0; in && got && *len < max; *len += got) {
    if (*len == cap && !(text = realloc(text, cap = cap ? 2 * cap : 1 << 16))) abort();
    got = fread(text + *len, 1, cap - *len, in);
  }
  if (in && !ferror(in)) return fclose(in), text;
  if (in) fclose(in);
  return free(text), NULL;
}

/* the message, and where a place is given, the line of the text and a caret; long lines are cut */
static _Noreturn void vdie(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, va_list ap) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out) abort();
  vfprintf(out, fmt, ap);
  if (f && t) {
    size_t from = t->off - (size_t)(t->col - 1), shift = t->col > 80 ? (size_t)t->col - 80 : 0;
    fputs("\n    ", out);
    for (size_t i = from + shift; i < f->len && f->text[i] != '\n' && i < from + shift + 120; i++)
      fputc(isprint((unsigned char)f->text[i]) ? f->text[i] : ' ', out);
    fprintf(out, "\n    %*s^", (int)((size_t)t->col - 1 - shift), "");
  }
  fclose(out);
  *R->msg = (ck_msg){.text = text, .line = t ? t->line : 0, .col = t ? t->col : 0, .file = strdup(f ? f->name : "")};
  longjmp(R->fail, 1);
}

void ck_die(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt), vdie(R, f, t, fmt, ap);
}

void ck_die_at(ck_reader *R, const char *fmt, ...) { va_list ap; va_start(ap, fmt), vdie(R, R->at_file, R->at_tok, fmt, ap); }
void ck_die_here(ck_reader *R, const char *fmt, ...) { va_list ap; va_start(ap, fmt), vdie(R, R->f, ck_cur(R), fmt, ap); }
static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }
static size_t digits(const ck_file *f, size_t i) { while (i < f->len && isdigit((unsigned char)f->text[i])) i++; return i; }

/* the end of the number at i: digits [. digits] [e digits] */
static size_t number_end(const ck_file *f, size_t i, bool *whole) {
  size_t from = i = digits(f, i), j;
  if (i < f->len && f->text[i] == '.' && digits(f, i + 1) > i + 1) i = digits(f, i + 1);
  if (i < f->len && (f->text[i] == 'e' || f->text[i] == 'E')) {
    j = i + 1;
    if (j < f->len && (f->text[j] == '+' || f->text[j] == '-')) j++;
    if (digits(f, j) > j) i = digits(f, j);
  }
  *whole = i == from;
  return i;
}

static uint32_t symbol_length(const char *s, size_t left) {
  if (left >= 2 && ((s[1] == '=' && strchr("!<>", *s)) || !memcmp(s, "..", 2) || !memcmp(s, "->", 2))) return 2;
  return strchr("()[],:;=<>+-*/@~", *s) ? 1 : 0;
}

/* one token at f->text[t->off]; t->len is set */
static void scan(ck_reader *R, const ck_file *f, ck_tok *t) {
  const char *s = f->text + t->off;
  size_t left = f->len - t->off, n = 0;
  t->kind = isdigit((unsigned char)*s) ? CK_T_NUM : word_char(*s) ? CK_T_NAME : *s == '"' ? CK_T_STR : CK_T_SYM;
  if (t->kind == CK_T_NAME) {
    while (n < left && word_char(s[n])) n++;
    if (n > CK_MAX_NAME) ck_die(R, f, t, "name longer than %d characters", CK_MAX_NAME);
  } else if (t->kind == CK_T_NUM) {
    n = number_end(f, t->off, &t->whole) - t->off;
    if (n > CK_MAX_NUMBER) ck_die(R, f, t, "number longer than %d characters", CK_MAX_NUMBER);
    if (n < left && word_char(s[n])) ck_die(R, f, t, "malformed number");
  } else if (t->kind == CK_T_STR) {
    for (n = 1; n < left && s[n] != '"' && s[n] != '\n';) n++;
    if (n >= left || s[n++] != '"') ck_die(R, f, t, "string without an end");
  } else if (!(n = symbol_length(s, left))) ck_die(R, f, t, "unexpected character");
  t->len = (uint32_t)n;
}

/* All tokens of the file.  Line ends within brackets, and of lines without a token, are none; there is one before the end. */
void ck_lex(ck_reader *R, ck_file *f) {
  ck_tok t = {.line = 1, .col = 1};
  uint32_t open[CK_MAX_DEPTH], depth = 0; /* brackets that are open */
  if (f->len > CK_MAX_TEXT) ck_die(R, f, &t, "longer than %d bytes", CK_MAX_TEXT);
  f->tok = ck_keep(R, (f->len + 2) * sizeof *f->tok);
  ck_sha256(f->text, f->len, f->sha);
  for (size_t i = 0, bol = 0; i <= f->len;) {
    unsigned char c = i < f->len ? (unsigned char)f->text[i] : '\n';
    t = (ck_tok){.kind = CK_T_NL, .off = (uint32_t)i, .len = i < f->len, .line = t.line, .col = (int)(i - bol) + 1};
    if (c >= 0x7f || (c < ' ' && (!c || !strchr("\t\r\n", c)))) ck_die(R, f, &t, "this byte is not ASCII text");
    if (i == f->len && depth) ck_die(R, f, &f->tok[open[depth - 1]], "this bracket is never closed");
    if (c == '\n') {
      if (!depth && f->n && f->tok[f->n - 1].kind != CK_T_NL) f->tok[f->n++] = t;
      if (i++ < f->len) t.line++, bol = i;
    } else if (c == ' ' || c == '\t' || c == '\r') i++;
    else if (c == '#') {
      for (; i < f->len && f->text[i] != '\n'; i++)
        if ((signed char)f->text[i] < ' ' && f->text[i] != '\t' && f->text[i] != '\r') ck_die(R, f, &t, "the comment is not ASCII text");
    } else {
      scan(R, f, &t);
      if (c == '(' || c == '[') {
        if (depth == CK_MAX_DEPTH) ck_die(R, f, &t, "brackets nested more than %d deep", CK_MAX_DEPTH);
        open[depth++] = f->n;
      } else if ((c == ')' || c == ']') && (!depth || f->text[f->tok[open[--depth]].off] != (c == ')' ? '(' : '[')))
        ck_die(R, f, &t, "'%c' closes nothing", c);
      f->tok[f->n++] = t, i += t.len;
    }
  }
  t.kind = CK_T_END;
  f->tok[f->n++] = t;
}

const ck_tok *ck_peek(const ck_reader *R, uint32_t k) { return &R->f->tok[R->at + k < R->f->n ? R->at + k : R->f->n - 1]; }
const ck_tok *ck_cur(const ck_reader *R) { return ck_peek(R, 0); }

bool ck_tok_is(const ck_file *f, const ck_tok *t, const char *s) {
  return (t->kind == CK_T_NAME || t->kind == CK_T_SYM) && t->len == strlen(s) && !memcmp(f->text + t->off, s, t->len);
}

bool ck_at(const ck_reader *R, const char *s) { return ck_tok_is(R->f, ck_cur(R), s); }
bool ck_accept(ck_reader *R, const char *s) { return ck_at(R, s) && ++R->at; }
void ck_expect(ck_reader *R, const char *s) { if (!ck_accept(R, s)) ck_die_here(R, "'%s' expected", s); }
void ck_newline(ck_reader *R) { if (ck_cur(R)->kind != CK_T_NL) ck_die_here(R, "end of line expected"); R->at++; }
void ck_enter(ck_reader *R) { if (++R->depth > CK_MAX_DEPTH) ck_die_here(R, "nested more than %d deep", CK_MAX_DEPTH); }

bool ck_list_goes_on(ck_reader *R, const char *close) {
  if (ck_accept(R, ",")) return true;
  ck_expect(R, close);
  return false;
}

static char *tok_text(ck_reader *R, const ck_tok *t) { return memcpy(ck_keep(R, t->len + 1), R->f->text + t->off, t->len); }
const char *ck_take(ck_reader *R) { return tok_text(R, &R->f->tok[R->at++]); }
static bool one_of(const ck_reader *R, const char *const *word, size_t n) { while (n && !ck_at(R, word[n - 1])) n--; return n; }

const char *ck_new_name(ck_reader *R) {
  static const char *const reserved[] = {"program", "sizes", "where", "input", "output", "use", "func", "op", "let", "out", "require",
    "builtin", "mugraph", "kernel", "grid", "loop", "load", "acc", "store", "end", "sum", "max", "min", "prod", "if", "then", "div", "mod",
    "and", "or", "not", "none", "inf", "f16", "bf16", "f32",
    "rule", "ints", "axes", "tensor", "assume", "lhs", "rhs", "expect", "int", "bool"};
  if (ck_cur(R)->kind != CK_T_NAME) ck_die_here(R, "name expected");
  if (one_of(R, reserved, sizeof reserved / sizeof *reserved)) ck_die_here(R, "this word is reserved");
  return ck_take(R);
}

const char *ck_call_name(ck_reader *R) {
  static const char *const operators[] = {"sum", "max", "min", "div"};
  return one_of(R, operators, 4) ? ck_take(R) : ck_new_name(R);
}

long ck_small_int(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  if (t->kind != CK_T_NUM || !t->whole) ck_die_here(R, "whole number expected");
  if (t->len > 12) ck_die_here(R, "number too large");
  R->at++;
  return strtol(tok_text(R, t), NULL, 10);
}

/* the exact rational of digits [. digits] [e digits] */
ck_id ck_number(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  if (t->kind != CK_T_NUM) ck_die_here(R, "number expected");
  const char *s = tok_text(R, t), *e = strpbrk(s, "eE");
  long ten = e ? strtol(e + 1, NULL, 10) : 0;
  if (ten > 1000 || ten < -1000) ck_die_here(R, "exponent beyond 1000");
  char *digit = ck_keep(R, t->len + 1u);
  bool point = false;
  for (uint32_t n = 0; *s && s != e; s++) if (*s == '.') point = true;
    else digit[n++] = *s, ten -= point;
  mpq_t q;
  mpz_t p;
  mpq_init(q), mpz_init(p);
  mpz_set_str(mpq_numref(q), digit, 10);
  mpz_ui_pow_ui(p, 10, (unsigned long)labs(ten));
  if (ten >= 0) mpz_mul(mpq_numref(q), mpq_numref(q), p);
  else mpz_set(mpq_denref(q), p);
  mpq_canonicalize(q);
  ck_id x = ck_q(R->T, q);
  mpq_clear(q), mpz_clear(p);
  R->at++;
  return ck_ok(R, x);
}

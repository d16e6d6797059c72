/* Tokens of the languages (docs/language.md), the cursor over them, the arena, and messages that show the place. */
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

void ck_keep_none(ck_reader *R) { for (struct chunk *c = R->mem, *next; c; c = next) next = c->next, free(c); }

void *ck_grow(ck_reader *R, void *v, uint32_t n, size_t item) {
  if (n && (n < 8 || (n & (n - 1)))) return v;
  void *w = ck_keep(R, (n ? 2 * n : 8) * item);
  return n ? memcpy(w, v, n * item) : w;
}

char *ck_read_file(const char *name, size_t max, size_t *len) {
  FILE *in = fopen(name, "rb");
  char *text = malloc(max + 1);
  if (!text) abort();
  *len = in ? fread(text, 1, max, in) : 0;
  bool ok = in && !ferror(in);
  if (in) fclose(in);
  return ok ? text : (free(text), NULL);
}

/* the message, and the line of the place with a caret */
static _Noreturn void vdie(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, va_list ap) {
  char *text = NULL; size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out) abort();
  vfprintf(out, fmt, ap);
  if (f && t) {
    fputs("\n    ", out);
    for (const char *s = f->text + t->off - (t->col - 1); *s && *s != '\n' && s < f->text + t->off + 80; s++) fputc(isprint((unsigned char)*s) ? *s : ' ', out);
    fprintf(out, "\n    %*s^", t->col - 1, "");
  }
  fclose(out);
  *R->msg = (ck_msg){.text = text, .line = t ? t->line : 0, .col = t ? t->col : 0, .file = strdup(f ? f->name : "")};
  longjmp(R->fail, 1);
}

void ck_die(ck_reader *R, const ck_file *f, const ck_tok *t, const char *fmt, ...) { va_list ap; va_start(ap, fmt), vdie(R, f, t, fmt, ap); }
void ck_die_at(ck_reader *R, const char *fmt, ...) { va_list ap; va_start(ap, fmt), vdie(R, R->at_file, R->at_tok, fmt, ap); }
void ck_die_here(ck_reader *R, const char *fmt, ...) { va_list ap; va_start(ap, fmt), vdie(R, R->f, ck_cur(R), fmt, ap); }

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* the length of digits [. digits] [e digits] */
static size_t number_length(const char *s, bool *whole) {
  size_t n = strspn(s, DIGITS), from = n, e;
  if (s[n] == '.' && strspn(s + n + 1, DIGITS)) n += 1 + strspn(s + n + 1, DIGITS);
  e = n + (s[n] == 'e' || s[n] == 'E');
  e += e > n && (s[e] == '+' || s[e] == '-');
  if (e > n) n = strspn(s + e, DIGITS) ? e + strspn(s + e, DIGITS) : n;
  *whole = n == from;
  return n;
}

/* one token at f->text[t->off] */
static void scan(ck_reader *R, const ck_file *f, ck_tok *t) {
  const char *s = f->text + t->off;
  size_t n = strspn(s, DIGITS LETTERS);
  t->kind = strspn(s, DIGITS) ? CK_T_NUM : n ? CK_T_NAME : *s == '"' ? CK_T_STR : CK_T_SYM;
  if (t->kind == CK_T_NUM) {
    n = number_length(s, &t->whole);
    if (strspn(s + n, DIGITS LETTERS)) ck_die(R, f, t, "malformed number");
  } else if (t->kind == CK_T_STR) {
    n = 2 + strcspn(s + 1, "\"\n");
    if (s[n - 1] != '"') ck_die(R, f, t, "string without an end");
  } else if (t->kind == CK_T_SYM) {
    n = (s[1] == '=' && strchr("!<>", *s)) || !strncmp(s, "..", 2) || !strncmp(s, "->", 2) ? 2 : strchr("()[],:;=<>+-*/@~", *s) ? 1 : 0;
    if (!n) ck_die(R, f, t, "unexpected character");
  }
  if (t->kind != CK_T_STR && n > CK_MAX_NAME) ck_die(R, f, t, "longer than %d characters", CK_MAX_NAME);
  t->len = (uint32_t)n;
}

/* All tokens of the file.  Line ends within brackets, and of lines without a token, are none; there is one before the end. */
void ck_lex(ck_reader *R, ck_file *f) {
  ck_tok t = {.line = 1, .col = 1};
  uint32_t open[CK_MAX_DEPTH], depth = 0; /* brackets that are open */
  bool comment = false;
  if (f->len > CK_MAX_TEXT) ck_die(R, f, &t, "longer than %d bytes", CK_MAX_TEXT);
  char *texts = ck_keep(R, 2 * f->len + 2);
  f->tok = ck_keep(R, (f->len + 2) * sizeof *f->tok);
  ck_sha256(f->text, f->len, f->sha);
  for (size_t i = 0, bol = 0; i <= f->len;) {
    char c = i < f->len ? f->text[i] : '\n';
    t = (ck_tok){.kind = CK_T_NL, .off = (uint32_t)i, .s = "", .line = t.line, .col = (int)(i - bol) + 1};
    if (!isprint((unsigned char)c) && (!c || !strchr("\t\r\n", c))) ck_die(R, f, &t, "this byte is not ASCII text");
    if (i == f->len && depth) ck_die(R, f, &f->tok[open[depth - 1]], "this bracket is never closed");
    comment = (comment && c != '\n') || c == '#';
    if (c == '\n') {
      if (!depth && f->n && f->tok[f->n - 1].kind != CK_T_NL) f->tok[f->n++] = t;
      if (i++ < f->len) t.line++, bol = i;
    } else if (comment || strchr(" \t\r", c)) i++;
    else {
      scan(R, f, &t);
      t.s = memcpy(texts, f->text + i, t.len), texts += t.len + 1;
      if (c == '(' || c == '[') {
        if (depth == CK_MAX_DEPTH) ck_die(R, f, &t, "brackets nested more than %d deep", CK_MAX_DEPTH);
        open[depth++] = f->n;
      } else if (c == ')' || c == ']') {
        if (!depth || *f->tok[open[--depth]].s != (c == ')' ? '(' : '[')) ck_die(R, f, &t, "'%c' closes nothing", c);
        f->tok[open[depth]].mate = f->n;
      }
      f->tok[f->n++] = t, i += t.len;
    }
  }
  t.kind = CK_T_END;
  f->tok[f->n++] = t;
}

const ck_tok *ck_peek(const ck_reader *R, uint32_t k) { return &R->f->tok[R->at + k < R->f->n ? R->at + k : R->f->n - 1]; }
const ck_tok *ck_cur(const ck_reader *R) { return ck_peek(R, 0); }
bool ck_tok_is(const ck_tok *t, const char *s) { return (t->kind == CK_T_NAME || t->kind == CK_T_SYM) && !strcmp(t->s, s); }
bool ck_at(const ck_reader *R, const char *s) { return ck_tok_is(ck_cur(R), s); }
bool ck_accept(ck_reader *R, const char *s) { return ck_at(R, s) && ++R->at; }
void ck_expect(ck_reader *R, const char *s) { if (!ck_accept(R, s)) ck_die_here(R, "'%s' expected", s); }
void ck_newline(ck_reader *R) { if (ck_cur(R)->kind != CK_T_NL) ck_die_here(R, "end of line expected"); R->at++; }
void ck_enter(ck_reader *R) { if (++R->depth > CK_MAX_DEPTH) ck_die_here(R, "nested more than %d deep", CK_MAX_DEPTH); }
void ck_skip_line(ck_reader *R) { while (ck_cur(R)->kind != CK_T_NL) R->at++; R->at++; }

void ck_skip_uses(ck_reader *R) { while (ck_at(R, "use")) ck_skip_line(R); } /* ck_claim.c has read them */

bool ck_list_goes_on(ck_reader *R, const char *close) {
  if (ck_accept(R, ",")) return true;
  ck_expect(R, close);
  return false;
}

uint32_t ck_find(const ck_reader *R, const char *s, uint32_t from, uint32_t to) {
  const ck_tok *t = R->f->tok;
  while (from < to && !ck_tok_is(&t[from], s)) from = t[from].mate ? t[from].mate + 1 : from + 1;
  return from < to ? from : to;
}

static bool one_of(const ck_reader *R, const char *const *word, size_t n) { while (n && !ck_at(R, word[n - 1])) n--; return n; }

const char *ck_new_name(ck_reader *R) {
  static const char *const reserved[] = {"program", "sizes", "where", "input", "output", "use", "func", "op", "let", "out", "require",
    "builtin", "mugraph", "kernel", "grid", "loop", "load", "acc", "store", "end", "sum", "max", "min", "prod", "if", "then", "div", "mod",
    "and", "or", "not", "none", "inf", "f16", "bf16", "f32", "rule", "ints", "axes", "tensor", "assume", "lhs", "rhs", "expect", "int", "bool"};
  if (ck_cur(R)->kind != CK_T_NAME) ck_die_here(R, "name expected");
  if (one_of(R, reserved, sizeof reserved / sizeof *reserved)) ck_die_here(R, "this word is reserved");
  return R->f->tok[R->at++].s;
}

const char *ck_call_name(ck_reader *R) {
  static const char *const operators[] = {"sum", "max", "min", "div"};
  return one_of(R, operators, 4) ? R->f->tok[R->at++].s : ck_new_name(R);
}

long ck_small_int(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  if (t->kind != CK_T_NUM || !t->whole) ck_die_here(R, "whole number expected");
  if (t->len > 12) ck_die_here(R, "number too large");
  return R->at++, strtol(t->s, NULL, 10);
}

/* the exact rational of digits [. digits] [e digits] */
ck_id ck_number(ck_reader *R) {
  const ck_tok *t = ck_cur(R);
  if (t->kind != CK_T_NUM) ck_die_here(R, "number expected");
  const char *s = t->s, *e = strpbrk(s, "eE");
  long ten = e ? strtol(e + 1, NULL, 10) : 0;
  if (ten > 1000 || ten < -1000) ck_die_here(R, "exponent beyond 1000");
  char digit[CK_MAX_NAME + 1];
  bool point = false;
  uint32_t n = 0;
  for (; *s && s != e; s++) if (*s == '.') point = true;
    else digit[n++] = *s, ten -= point;
  digit[n] = 0;
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

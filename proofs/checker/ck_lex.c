/* Tokens of the languages (docs/language.md), the cursor over them, the arena, and messages that show the place. */
#include "ck_read.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 4 }; /* ends after the last token, so that looking ahead stays within them */
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

struct chunk { struct chunk *next; max_align_t data[]; };

void *ck_keep(ck_reader *R, size_t n) {
  struct chunk *c = memset(ck_alloc(NULL, sizeof *c + n), 0, sizeof *c + n);
  c->next = R->mem, R->mem = c;
  return c->data;
}

void ck_keep_none(void *mem) { for (struct chunk *c = mem, *next; c; c = next) next = c->next, free(c); }

char *ck_read_file(const char *name, size_t max, size_t *len) {
  FILE *in = fopen(name, "rb");
  char *text = ck_alloc(NULL, max + 1);
  *len = in ? fread(text, 1, max, in) : 0;
  bool ok = in && !ferror(in);
  if (in) fclose(in);
  return ok ? text : (free(text), NULL);
}

void ck_die(ck_reader *R, const ck_tok *t, const char *fmt, ...) {
  va_list ap;
  size_t n = 0;
  *R->msg = (ck_msg){.absurd = R->msg->absurd, .line = t->line, .col = t->col, .file = strdup(t->f->name)};
  FILE *out = open_memstream(&R->msg->text, &n);
  if (!out || !R->msg->file) abort();
  va_start(ap, fmt), vfprintf(out, fmt, ap), va_end(ap);
  if (t->line) {
    fputs("\n    ", out); /* the line of the place, with a caret */
    for (const char *s = t->from - (t->col - 1); *s && *s != '\n' && s < t->from + 80; s++) fputc(isprint((unsigned char)*s) ? *s : ' ', out);
    fprintf(out, "\n    %*s^", t->col - 1, "");
  }
  fclose(out);
  longjmp(R->fail, 1);
}

/* the length of the token at t->from, whose kind it sets */
static size_t scan(ck_reader *R, ck_tok *t) {
  const char *s = t->from;
  size_t n = strspn(s, DIGITS LETTERS);
  t->kind = strspn(s, DIGITS) ? CK_T_NUM : n ? CK_T_NAME : *s == '"' ? CK_T_STR : CK_T_SYM;
  if (t->kind == CK_T_NUM) { /* digits [. digits] [e digits] */
    char *end;
    strtod(s, &end), n = (size_t)(end - s);
    t->whole = strspn(s, DIGITS) == n;
    const char *point = memchr(s, '.', n);
    if (strspn(s, DIGITS ".eE+-") < n || (point && !isdigit((unsigned char)point[1])) || strspn(end, DIGITS LETTERS)) ck_die(R, t, "malformed number");
  } else if (t->kind == CK_T_STR) {
    n = 2 + strcspn(s + 1, "\"\n");
    if (s[n - 1] != '"') ck_die(R, t, "string without an end");
  } else if (t->kind == CK_T_SYM) {
    n = (s[1] == '=' && strchr("!<>", *s)) || !strncmp(s, "..", 2) || !strncmp(s, "->", 2) ? 2 : strchr("()[],:;=<>+-*/@~", *s) ? 1 : 0;
    if (!n) ck_die(R, t, "unexpected character");
  }
  if (t->kind != CK_T_STR && n > CK_MAX_NAME) ck_die(R, t, "longer than %d characters", CK_MAX_NAME);
  return n;
}

/* All tokens of the file.  Line ends within brackets, and of lines without a token, are none; there is one before the end. */
void ck_lex(ck_reader *R, ck_file *f) {
  ck_tok t = {.f = f, .from = f->text, .line = 1, .col = 1}, *open[CK_MAX_DEPTH]; /* brackets that are open */
  uint32_t depth = 0;
  bool comment = false;
  if (f->len > CK_MAX_TEXT) ck_die(R, &t, "longer than %d bytes", CK_MAX_TEXT);
  char *texts = ck_keep(R, 2 * f->len + 2);
  ck_tok *tok = f->tok = ck_keep(R, (f->len + 1 + AHEAD) * sizeof *f->tok);
  ck_sha256(f->text, f->len, f->sha);
  for (size_t i = 0, bol = 0; i <= f->len;) {
    char c = i < f->len ? f->text[i] : '\n';
    t = (ck_tok){.f = f, .kind = CK_T_NL, .from = f->text + i, .s = "", .line = t.line, .col = (int)(i - bol) + 1};
    if (!isprint((unsigned char)c) && (!c || !strchr("\t\r\n", c))) ck_die(R, &t, "this byte is not ASCII text");
    if (i == f->len && depth) ck_die(R, open[depth - 1], "this bracket is never closed");
    comment = (comment && c != '\n') || c == '#';
    if (c == '\n') {
      if (!depth && tok > f->tok && tok[-1].kind != CK_T_NL) *tok++ = t;
      if (i++ < f->len) t.line++, bol = i;
    } else if (comment || strchr(" \t\r", c)) i++;
    else {
      size_t n = scan(R, &t);
      t.s = memcpy(texts, t.from, n), t.end = t.from + n, texts += n + 1, i += n;
      if (c == '(' || c == '[') {
        if (depth == CK_MAX_DEPTH) ck_die(R, &t, "brackets nested more than %d deep", CK_MAX_DEPTH);
        open[depth++] = tok;
      } else if (c == ')' || c == ']') {
        if (!depth || *open[--depth]->s != (c == ')' ? '(' : '[')) ck_die(R, &t, "'%c' closes nothing", c);
        open[depth]->mate = tok;
      }
      *tok++ = t;
    }
  }
  t.kind = CK_T_END;
  for (int k = 0; k < AHEAD; k++) *tok++ = t;
}

bool ck_tok_is(const ck_tok *t, const char *s) { return (t->kind == CK_T_NAME || t->kind == CK_T_SYM) && !strcmp(t->s, s); }
bool ck_at(const ck_reader *R, const char *s) { return ck_tok_is(R->at, s); }
bool ck_accept(ck_reader *R, const char *s) { return ck_tok_is(R->at, s) && ++R->at; }
void ck_expect(ck_reader *R, const char *s) { if (!ck_accept(R, s)) ck_die(R, R->at, "'%s' expected", s); }
void ck_newline(ck_reader *R) { if (R->at->kind != CK_T_NL) ck_die(R, R->at, "end of line expected"); R->at++; }
void ck_skip_line(ck_reader *R) { while (R->at->kind != CK_T_NL) R->at++; R->at++; }
void ck_enter(ck_reader *R) { if (++R->depth > CK_MAX_DEPTH) ck_die(R, R->at, "nested more than %d deep", CK_MAX_DEPTH); }

bool ck_list_goes_on(ck_reader *R, const char *close) {
  bool comma = ck_accept(R, ",");
  if (!comma) ck_expect(R, close);
  return comma;
}

const ck_tok *ck_find(const char *s, const ck_tok *from, const ck_tok *to) {
  while (from < to && !ck_tok_is(from, s)) from = from->mate ? from->mate + 1 : from + 1;
  return from < to ? from : to;
}

static bool one_of(const ck_reader *R, const char *const *word, size_t n) { while (n && !ck_at(R, word[n - 1])) n--; return n; }

const char *ck_new_name(ck_reader *R) {
  static const char *const reserved[] = {"program", "sizes", "where", "input", "output", "use", "func", "op", "let", "out", "require",
    "builtin", "mugraph", "kernel", "grid", "loop", "load", "acc", "store", "end", "sum", "max", "min", "prod", "if", "then", "div", "mod",
    "and", "or", "not", "none", "inf", "f16", "bf16", "f32", "rule", "ints", "axes", "tensor", "assume", "lhs", "rhs", "expect", "int", "bool"};
  if (R->at->kind != CK_T_NAME) ck_die(R, R->at, "name expected");
  if (one_of(R, reserved, sizeof reserved / sizeof *reserved)) ck_die(R, R->at, "this word is reserved");
  return R->at++->s;
}

const char *ck_call_name(ck_reader *R) { return one_of(R, (const char *const[]){"sum", "max", "min", "div"}, 4) ? R->at++->s : ck_new_name(R); }

long ck_small_int(ck_reader *R) {
  if (R->at->kind != CK_T_NUM || !R->at->whole) ck_die(R, R->at, "whole number expected");
  if (strlen(R->at->s) > 12) ck_die(R, R->at, "number too large");
  return strtol(R->at++->s, NULL, 10);
}

ck_id ck_number(ck_reader *R) {
  bool minus = ck_accept(R, "-"), point = false;
  if (R->at->kind != CK_T_NUM) ck_die(R, R->at, "number expected");
  const char *s = R->at->s, *e = strpbrk(s, "eE");
  long ten = e ? strtol(e + 1, NULL, 10) : 0;
  if (ten > 1000 || ten < -1000) ck_die(R, R->at, "exponent beyond 1000");
  char digit[CK_MAX_NAME + 1] = "";
  for (uint32_t n = 0; *s && s != e; s++) if (*s == '.') point = true;
    else digit[n++] = *s, ten -= point;
  mpq_t x, power; /* the number is x * 10^ten */
  mpq_init(x), mpq_init(power);
  mpq_set_str(x, digit, 10);
  mpq_set_ui(power, 1, 1), mpz_ui_pow_ui(mpq_numref(power), 10, (unsigned long)labs(ten));
  (ten < 0 ? mpq_div : mpq_mul)(x, x, power);
  if (minus) mpq_neg(x, x);
  ck_id t = ck_q(R->T, x);
  mpq_clear(x), mpq_clear(power);
  return R->at++, ck_ok(R, t);
}

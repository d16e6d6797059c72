/* Tokens, messages, memory. */
#include "ck_text.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

enum { ENDS = 4 }; /* after the last token, so that looking ahead stays within them */

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* --- memory */
typedef struct chunk {
  struct chunk *next;
  max_align_t data[];
} chunk;

void *ck_keep(ck_job *job, size_t bytes) {
  chunk *c = ck_alloc(NULL, sizeof *c + bytes);
  memset(c, 0, sizeof *c + bytes);
  c->next = job->memory;
  job->memory = c;
  return c->data;
}

ck_id *ck_keep_ids(ck_job *job, const ck_id *x, uint32_t n) {
  ck_id *copy = ck_keep(job, (n + 1) * sizeof *copy);
  return n ? memcpy(copy, x, n * sizeof *copy) : copy;
}

void ck_keep_none(void *memory) {
  for (chunk *c = memory, *next; c; c = next) {
    next = c->next;
    free(c);
  }
}

void ck_link(ck_list *list, void *member) {
  if (list->last)
    *(void **)list->last = member;
  else
    list->first = member;
  list->last = member;
  list->n++;
}

void *ck_add(ck_job *job, ck_list *list, size_t bytes) {
  void *member = ck_keep(job, bytes);
  ck_link(list, member);
  return member;
}

const char *ck_keep_text(ck_job *job, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (n < 0)
    abort();
  char *text = ck_keep(job, (size_t)n + 1);
  va_start(list, format);
  vsnprintf(text, (size_t)n + 1, format, list);
  va_end(list);
  return text;
}

/* --- messages */
/* the line of the place, with a caret under it */
static void show_place(FILE *out, const ck_token *at) {
  const char *line = at->from - (at->column - 1);
  fputs("\n    ", out);
  for (const char *s = line; *s && *s != '\n' && s < at->from + 80; s++)
    fputc(isprint((unsigned char)*s) ? *s : ' ', out);
  fprintf(out, "\n    %*s^", at->column - 1, "");
}

ck_id ck_refuse(ck_job *job, const ck_token *at, const char *format, ...) {
  ck_msg *message = job->message;
  va_list list;
  size_t n = 0;
  if (message->text)
    return CK_BAD;
  message->line = at->line;
  message->col = at->column;
  message->file = strdup(at->file->name);
  FILE *out = open_memstream(&message->text, &n);
  if (!out || !message->file)
    abort();
  va_start(list, format);
  vfprintf(out, format, list);
  va_end(list);
  if (at->line)
    show_place(out, at);
  if (fclose(out))
    abort();
  return CK_BAD;
}

bool ck_within(ck_job *job, const ck_token *at, ck_limit limit, uint64_t n) {
#define WORDS(name, most, words) {most, words},

  static const struct {
    uint32_t most;
    const char *words;
  } limits[] = {CK_LIMITS(WORDS)};

  if (n > limits[limit].most)
    ck_refuse(job, at, "more than %u %s", limits[limit].most, limits[limit].words);
  return n <= limits[limit].most;
}

/* --- files */
char *ck_read_file(const char *name, size_t most, size_t *length) {
  FILE *in = fopen(name, "rb");
  if (!in)
    return NULL;
  char *text = ck_alloc(NULL, most + 1);
  *length = fread(text, 1, most, in);
  bool ok = !ferror(in);
  fclose(in);
  if (ok)
    return text;
  free(text);
  return NULL;
}

/* --- tokens */
/* the length of the number that begins here: digits [. digits] [e [sign] digits]; 0: there is none,
 * or letters follow it */
static size_t number_length(const char *s, bool *whole) {
  size_t n = strspn(s, DIGITS);
  *whole = true;
  if (s[n] == '.') {
    size_t digits = strspn(s + n + 1, DIGITS);
    if (digits == 0)
      return 0;
    n += 1 + digits;
    *whole = false;
  }
  if (s[n] == 'e' || s[n] == 'E') {
    size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    size_t digits = strspn(s + n + 1 + sign, DIGITS);
    if (digits == 0)
      return 0;
    n += 1 + sign + digits;
    *whole = false;
  }
  return strspn(s + n, DIGITS LETTERS) ? 0 : n;
}

static size_t sign_length(const char *s) {
  if ((strchr("!<>", *s) && s[1] == '=') || strncmp(s, "..", 2) == 0 || strncmp(s, "->", 2) == 0)
    return 2;
  return strchr("()[],:;=<>+-*/@~", *s) ? 1 : 0;
}

/* Sets the kind of the token at t->from.  Gives its length, 0 if it is none. */
static size_t scan(ck_job *job, ck_token *t) {
  const char *s = t->from;
  size_t n = 0;
  if (isdigit((unsigned char)*s)) {
    t->kind = CK_T_NUMBER;
    n = number_length(s, &t->whole);
  } else if (strchr(LETTERS, *s)) {
    t->kind = CK_T_NAME;
    n = strspn(s, DIGITS LETTERS);
  } else if (*s == '"') {
    t->kind = CK_T_STRING;
    n = 2 + strcspn(s + 1, "\"\n");
    if (s[n - 1] != '"')
      ck_refuse(job, t, "string without an end");
    return n;
  } else {
    t->kind = CK_T_SIGN;
    n = sign_length(s);
  }
  if (n == 0)
    ck_refuse(job, t, t->kind == CK_T_NUMBER ? "malformed number" : "unexpected character");
  ck_within(job, t, CK_LIMIT_TOKEN, n);
  return n;
}

/* The brackets that are open, innermost last. */
typedef struct {
  ck_token *open[CK_MAX_BRACKETS];
  uint32_t depth;
} brackets;

/* pairs the bracket t, which stands at `place` among the tokens */
static void pair(ck_job *job, brackets *b, const ck_token *t, ck_token *place) {
  char c = *t->text;
  if (c == '(' || c == '[') {
    if (ck_within(job, t, CK_LIMIT_BRACKETS, b->depth + 1))
      b->open[b->depth++] = place;
  } else if (c == ')' || c == ']') {
    if (b->depth == 0 || *b->open[b->depth - 1]->text != (c == ')' ? '(' : '['))
      ck_refuse(job, t, "'%c' closes nothing", c);
    else
      b->open[--b->depth]->mate = place;
  }
}

/* Line ends within brackets, and of lines without a token, are none; there is one before the end of
 * the file. */
void ck_tokens(ck_job *job, ck_file *file) {
  ck_token t = {.file = file, .from = file->text, .line = 1, .column = 1};
  brackets b = {.depth = 0};
  bool comment = false;
  size_t length = ck_within(job, &t, CK_LIMIT_TEXT, file->length) ? file->length : 0;
  const char *line = file->text;
  const char *end = file->text + length;
  char *texts = ck_keep(job, 2 * length + 2);
  ck_token *next = file->tokens = ck_keep(job, (length + 1 + ENDS) * sizeof *next);
  ck_sha256(file->text, length, file->sha256);
  for (const char *at = line; at <= end && !ck_refused(job);) {
    char c = at < end ? *at : '\n';
    t = (ck_token){.file = file,
                   .kind = CK_T_LINE_END,
                   .from = at,
                   .text = "",
                   .line = t.line,
                   .column = (int)(at - line) + 1};
    if (c == 0 || (!isprint((unsigned char)c) && !strchr("\t\r\n", c)))
      ck_refuse(job, &t, "this byte is not ASCII text");
    if (at == end && b.depth)
      ck_refuse(job, b.open[b.depth - 1], "this bracket is never closed");
    comment = (comment && c != '\n') || c == '#';
    if (c == '\n') {
      if (b.depth == 0 && next > file->tokens && next[-1].kind != CK_T_LINE_END)
        *next++ = t;
      if (at++ < end) {
        t.line++;
        line = at;
      }
    } else if (comment || strchr(" \t\r", c)) {
      at++;
    } else {
      size_t n = scan(job, &t);
      t.text = memcpy(texts, at, n);
      texts += n + 1;
      t.end = at += n;
      if (t.kind == CK_T_SIGN)
        pair(job, &b, &t, next);
      *next++ = t;
    }
  }
  t.kind = CK_T_END;
  file->end = next;
  if (ck_refused(job))
    file->tokens = next; /* nothing is read of a text that is refused */
  for (int k = 0; k < ENDS; k++)
    *next++ = t;
}

bool ck_token_is(const ck_token *token, const char *text) {
  return (token->kind == CK_T_NAME || token->kind == CK_T_SIGN) && strcmp(token->text, text) == 0;
}

bool ck_is_reserved(const ck_token *token) {
  static const char *const words[] = {
      "program", "sizes", "where",   "input",   "output",  "use",    "func", "op",
      "let",     "out",   "require", "builtin", "mugraph", "kernel", "grid", "loop",
      "load",    "acc",   "store",   "end",     "sum",     "max",    "min",  "prod",
      "if",      "then",  "div",     "mod",     "and",     "or",     "not",  "none",
      "inf",     "f16",   "bf16",    "f32",     "rule",    "ints",   "axes", "tensor",
      "assume",  "lhs",   "rhs",     "expect",  "int",     "bool"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (ck_token_is(token, words[i]))
      return true;
  }
  return false;
}

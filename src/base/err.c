#include "err.h"
#include "mem.h"
#include "str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void as_err_init(as_err *e) {
  memset(e, 0, sizeof *e);
}

void as_err_clear(as_err *e) {
  free(e->file);
  free(e->text);
  free(e->shown);
  as_err_init(e);
}

bool as_err_set(as_err *e, as_status s, const char *fmt, ...) {
  if (e == NULL || e->status != AS_OK)
    return false;
  e->status = s;
  va_list ap;
  va_start(ap, fmt);
  e->text = as_format_va(fmt, ap);
  va_end(ap);
  return false;
}

/* The line of text that holds line number `line`, without what a terminal could not show. */
static char *line_of(const char *text, size_t len, int line) {
  size_t at = 0;
  for (int l = 1; l < line; l++) {
    const char *nl = memchr(text + at, '\n', len - at);
    if (nl == NULL)
      return as_strdup("");
    at = (size_t)(nl - text) + 1;
  }
  const char *nl = memchr(text + at, '\n', len - at);
  size_t n = nl ? (size_t)(nl - (text + at)) : len - at;
  if (n > 160)
    n = 160;
  char *s = as_malloc(n + 1);
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)text[at + i];
    s[i] = c == '\t' ? ' ' : c >= 32 && c < 127 ? (char)c : '?';
  }
  s[n] = 0;
  return s;
}

bool as_err_at(as_err *e, const char *file, const char *text, size_t len, int line, int col,
               const char *fmt, ...) {
  if (e == NULL || e->status != AS_OK)
    return false;
  e->status = AS_BAD_INPUT;
  e->file = as_strdup(file ? file : "?");
  e->line = line;
  e->col = col;
  e->shown = text ? line_of(text, len, line) : as_strdup("");
  va_list ap;
  va_start(ap, fmt);
  e->text = as_format_va(fmt, ap);
  va_end(ap);
  return false;
}

char *as_err_format(const as_err *e) {
  const char *text = e->text ? e->text : "no error";
  if (e->file == NULL)
    return as_strdup(text);
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "%s:%d:%d: %s", e->file, e->line, e->col, text);
  if (e->shown && e->shown[0]) {
    as_str_printf(&s, "\n  %s\n  ", e->shown);
    for (int i = 1; i < e->col && i < 160; i++)
      as_str_addn(&s, " ", 1);
    as_str_add(&s, "^");
  }
  return as_str_take(&s);
}

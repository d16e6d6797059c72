#include "err.h"
#include "mem.h"
#include "str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void as_err_init(as_err *err) {
  memset(err, 0, sizeof *err);
}

void as_err_clear(as_err *err) {
  free(err->file);
  free(err->text);
  free(err->shown);
  as_err_init(err);
}

bool as_err_again(as_err *err, const as_err *other) {
  if (err == NULL || err->status != AS_OK)
    return false;
  *err = *other;
  err->file = other->file ? as_strdup(other->file) : NULL;
  err->text = other->text ? as_strdup(other->text) : NULL;
  err->shown = other->shown ? as_strdup(other->shown) : NULL;
  return false;
}

bool as_err_set(as_err *err, as_status status, const char *fmt, ...) {
  if (err == NULL || err->status != AS_OK)
    return false;
  err->status = status;
  va_list args;
  va_start(args, fmt);
  err->text = as_format_va(fmt, args);
  va_end(args);
  return false;
}

/* The line of text that holds line number `line`, without what a terminal could not show. */
static char *line_of(const char *text, size_t len, int line) {
  size_t start = 0;
  for (int current = 1; current < line; current++) {
    const char *newline = memchr(text + start, '\n', len - start);
    if (newline == NULL)
      return as_strdup("");
    start = (size_t)(newline - text) + 1;
  }
  const char *newline = memchr(text + start, '\n', len - start);
  size_t length = newline ? (size_t)(newline - (text + start)) : len - start;
  if (length > 160)
    length = 160;
  char *shown = as_malloc(length + 1);
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[start + i];
    shown[i] = byte == '\t' ? ' ' : byte >= 32 && byte < 127 ? (char)byte : '?';
  }
  shown[length] = 0;
  return shown;
}

bool as_err_at(as_err *err, const char *file, const char *text, size_t len, int line, int col,
               const char *fmt, ...) {
  if (err == NULL || err->status != AS_OK)
    return false;
  err->status = AS_BAD_INPUT;
  err->file = as_strdup(file ? file : "?");
  err->line = line;
  err->col = col;
  err->shown = text ? line_of(text, len, line) : as_strdup("");
  va_list args;
  va_start(args, fmt);
  err->text = as_format_va(fmt, args);
  va_end(args);
  return false;
}

char *as_err_format(const as_err *err) {
  const char *text = err->text ? err->text : "no error";
  if (err->file == NULL)
    return as_strdup(text);
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%s:%d:%d: %s", err->file, err->line, err->col, text);
  if (err->shown && err->shown[0]) {
    as_str_printf(&out, "\n  %s\n  ", err->shown);
    for (int i = 1; i < err->col && i < 160; i++)
      as_str_addn(&out, " ", 1);
    as_str_add(&out, "^");
  }
  return as_str_take(&out);
}

int as_err_tell(const as_err *err) {
  char *text = as_err_format(err);
  fprintf(stderr, "assay: %s\n", text);
  free(text);
  return err->status == AS_OK ? AS_INTERNAL : (int)err->status;
}

#include "str.h"
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void as_str_init(as_str *out) {
  *out = (as_str){0};
}

void as_str_clear(as_str *out) {
  free(out->s);
  as_str_init(out);
}

static void reserve(as_str *out, size_t more) {
  if (out->n + more + 1 <= out->cap)
    return;
  while (out->cap < out->n + more + 1)
    out->cap = out->cap ? 2 * out->cap : 64;
  out->s = as_realloc(out->s, out->cap);
}

void as_str_addn(as_str *out, const char *text, size_t n) {
  reserve(out, n);
  memcpy(out->s + out->n, text, n);
  out->n += n;
  out->s[out->n] = 0;
}

void as_str_add(as_str *out, const char *text) {
  as_str_addn(out, text, strlen(text));
}

void as_str_printf(as_str *out, const char *fmt, ...) {
  va_list args;
  va_list again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n > 0) {
    reserve(out, (size_t)n);
    vsnprintf(out->s + out->n, (size_t)n + 1, fmt, again);
    out->n += (size_t)n;
  }
  va_end(again);
}

char *as_str_take(as_str *text) {
  reserve(text, 0);
  char *out = text->s;
  out[text->n] = 0;
  as_str_init(text);
  return out;
}

char *as_list_without(const char *list, const char *word, bool *had) {
  as_str rest;
  as_str_init(&rest);
  for (const char *at = list; *at; at += *at == ',') {
    size_t n = strcspn(at, ",");
    bool is = n == strlen(word) && strncmp(at, word, n) == 0;
    *had |= is;
    if (!is)
      as_str_printf(&rest, "%s%.*s", rest.n ? "," : "", (int)n, at);
    at += n;
  }
  return as_str_take(&rest);
}

char *as_format_va(const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  char *text = as_malloc(n < 0 ? 1 : (size_t)n + 1);
  text[0] = 0;
  if (n > 0)
    vsnprintf(text, (size_t)n + 1, fmt, again);
  va_end(again);
  return text;
}

char *as_format(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *text = as_format_va(fmt, args);
  va_end(args);
  return text;
}

/* length of the UTF-8 character at p that HTML may hold, 0 if there is none */
static size_t utf8(const unsigned char *p) {
  if (p[0] < 0x80)
    return p[0] >= 0x20 ? p[0] != 0x7f : p[0] == '\n' || p[0] == '\t';
  size_t n = p[0] >= 0xc2 && p[0] < 0xe0   ? 2
             : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
             : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                           : 0;
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  }
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
      (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
    return 0;
  return n;
}

void as_str_add_html(as_str *s, const char *t) {
  while (t && *t) {
    size_t n = utf8((const unsigned char *)t);
    switch (*t) {
    case '<':
      as_str_add(s, "&lt;");
      break;
    case '>':
      as_str_add(s, "&gt;");
      break;
    case '&':
      as_str_add(s, "&amp;");
      break;
    case '"':
      as_str_add(s, "&quot;");
      break;
    case '\'':
      as_str_add(s, "&#39;");
      break;
    default:
      if (n)
        as_str_addn(s, t, n);
      else
        as_str_add(s, "\xef\xbf\xbd");
    }
    t += n ? n : 1;
  }
}

bool as_ends_with(const char *text, const char *ending) {
  size_t length = strlen(text);
  size_t tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

#include "str.h"
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void as_str_init(as_str *s) {
  *s = (as_str){0};
}

void as_str_clear(as_str *s) {
  free(s->s);
  as_str_init(s);
}

static void reserve(as_str *s, size_t more) {
  if (s->n + more + 1 <= s->cap)
    return;
  while (s->cap < s->n + more + 1)
    s->cap = s->cap ? 2 * s->cap : 64;
  s->s = as_realloc(s->s, s->cap);
}

void as_str_addn(as_str *s, const char *text, size_t n) {
  reserve(s, n);
  memcpy(s->s + s->n, text, n);
  s->n += n;
  s->s[s->n] = 0;
}

void as_str_add(as_str *s, const char *text) {
  as_str_addn(s, text, strlen(text));
}

void as_str_printf(as_str *s, const char *fmt, ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n > 0) {
    reserve(s, (size_t)n);
    vsnprintf(s->s + s->n, (size_t)n + 1, fmt, again);
    s->n += (size_t)n;
  }
  va_end(again);
}

char *as_str_take(as_str *s) {
  reserve(s, 0);
  char *out = s->s;
  out[s->n] = 0;
  as_str_init(s);
  return out;
}

char *as_format_va(const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *s = as_malloc(n < 0 ? 1 : (size_t)n + 1);
  s[0] = 0;
  if (n > 0)
    vsnprintf(s, (size_t)n + 1, fmt, again);
  va_end(again);
  return s;
}

char *as_format(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *s = as_format_va(fmt, ap);
  va_end(ap);
  return s;
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

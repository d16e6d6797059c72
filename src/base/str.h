/* Strings that are built up.
 * Includes libc only.
 * Used by printers and messages. */
#ifndef AS_BASE_STR_H
#define AS_BASE_STR_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *s; /* NULL while empty, else with a NUL behind */
  size_t n;
  size_t cap;
} as_str;

void as_str_init(as_str *s);
void as_str_clear(as_str *s);
void as_str_add(as_str *s, const char *text);
void as_str_addn(as_str *s, const char *text, size_t n);
void as_str_printf(as_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* escaped for the content and the quoted attributes of HTML; bytes that are no text become U+FFFD;
 * text may be NULL */
void as_str_add_html(as_str *s, const char *text);
char *as_str_take(as_str *s); /* gives the text (malloc'ed, never NULL), resets s */

bool as_ends_with(const char *text, const char *ending); /* and has something before it */

/* A list of words, divided by commas, without one of them (malloc'ed); *had is set where it was
 * there, and left else. */
char *as_list_without(const char *list, const char *word, bool *had);

/* both give the text (malloc'ed) */
char *as_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *as_format_va(const char *fmt, va_list args);

#endif

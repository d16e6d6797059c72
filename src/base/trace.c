#include "trace.h"
#include "str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  const char *tells;
} channels[AS_TRACE_N] = {

#define ROW(channel, name, tells) {name, tells},
    AS_TRACE_CHANNELS(ROW)
#undef ROW
};

unsigned as_trace_mask;

void as_trace_line(as_trace_channel channel, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *text = as_format_va(fmt, args);
  va_end(args);
  as_str lines;
  as_str_init(&lines);
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    as_str_printf(&lines, "%s: %.*s\n", channels[channel].name, (int)length, line);
    line += length + (line[length] == '\n');
  }
  if (lines.s)
    fputs(lines.s, stderr);
  as_str_clear(&lines);
  free(text);
}

/* bits of the channel that the first n characters name; 0: none */
static unsigned bits_of(const char *name, size_t n) {
  if (n == 3 && memcmp(name, "all", n) == 0)
    return (1u << AS_TRACE_N) - 1;
  for (unsigned i = 0; i < AS_TRACE_N; i++) {
    if (strlen(channels[i].name) == n && memcmp(name, channels[i].name, n) == 0)
      return 1u << i;
  }
  return 0;
}

bool as_trace_set(const char *list, as_err *err) {
  unsigned mask = 0;
  for (const char *name = list;;) {
    size_t n = strcspn(name, ",");
    unsigned bits = bits_of(name, n);
    if (!bits) {
      as_str known;
      as_str_init(&known);
      for (unsigned i = 0; i < AS_TRACE_N; i++)
        as_str_printf(&known, "%s, ", channels[i].name);
      as_err_set(err, AS_BAD_INPUT, "--trace: %.*s is none of %sall", (int)n, name, known.s);
      as_str_clear(&known);
      return false;
    }
    mask |= bits;
    if (!name[n])
      break;
    name += n + 1;
  }
  as_trace_mask |= mask;
  return true;
}

char *as_trace_help(void) {
  as_str help;
  as_str_init(&help);
  for (unsigned i = 0; i < AS_TRACE_N; i++)
    as_str_printf(&help, "  %-8s %s\n", channels[i].name, channels[i].tells);
  return as_str_take(&help);
}

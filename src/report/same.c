/* Pages compared: times are of one run, and drawings are made where there is a tool for them. */
#include "judged.h"
#include <ctype.h>
#include <string.h>

/* where the drawing, the notice in its place, or the sign that a text is shown instead, that begins
 * here ends; NULL: none begins here */
static const char *skip_drawing(const char *at) {
  static const char *const bounds[][2] = {
      {"<div class=\"draw\"", "</div>"}, {"<p class=\"undrawn\"", "</p>"}, {" open=", "open\""}};

  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    if (strncmp(at, bounds[i][0], strlen(bounds[i][0])) != 0)
      continue;
    for (const char *end = at; *end; end++) {
      if (strncmp(end, bounds[i][1], strlen(bounds[i][1])) == 0)
        return end + strlen(bounds[i][1]);
    }
  }
  return NULL;
}

/* `1.234 s`: where the number ends; NULL: no time begins here */
static const char *skip_time(const char *at) {
  const char *end = at;
  while (isdigit((unsigned char)*end) || *end == '.')
    end++;
  bool time = end > at && end[0] == ' ' && end[1] == 's' && !isalnum((unsigned char)end[2]);
  return time ? end : NULL;
}

static void without_run(const char *page, as_str *plain) {
  for (const char *at = page; *at;) {
    const char *after = skip_drawing(at);
    if (after == NULL && isdigit((unsigned char)*at) &&
        (at == page || !isdigit((unsigned char)at[-1])))
      after = skip_time(at);
    if (after == NULL)
      as_str_addn(plain, at, 1);
    at = after ? after : at + 1;
  }
}

bool as_report_same_page(const char *page, const char *other) {
  as_str text;
  as_str out;
  as_str_init(&text);
  as_str_init(&out);
  without_run(page, &text);
  without_run(other, &out);
  bool same = text.n == out.n && (text.n == 0 || memcmp(text.s, out.s, text.n) == 0);
  as_str_clear(&text);
  as_str_clear(&out);
  return same;
}

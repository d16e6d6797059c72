/* A reader of tags, as far as drawings need one: no entities, no sections of raw characters. */
#include "svg.h"
#include "src/base/str.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  OPENING,
  CLOSING,
  LONE,   /* <a/> */
  REMARK, /* a comment, or a declaration */
  WORDS,
  NOTHING /* the text is over, or a tag is not closed */
} piece_kind;

/* one tag, or what stands between two; borrows from the text */
typedef struct {
  piece_kind kind;
  const char *start;
  const char *end;
  const char *name; /* of a tag */
  size_t name_length;
} piece;

typedef struct {
  const char *name;
  size_t name_length;
  const char *value;
  size_t value_length;
} attribute;

static const char blanks[] = " \t\r\n";

/* behind the end of the tag that starts there; NULL: it has none */
static const char *end_of_tag(const char *tag) {
  for (const char *at = tag + 1; *at; at++) {
    if (*at == '>')
      return at + 1;
    if (*at == '"' || *at == '\'') {
      at = strchr(at + 1, *at);
      if (at == NULL)
        return NULL;
    }
  }
  return NULL;
}

static const char *end_of_comment(const char *comment) {
  for (const char *at = comment + strlen("<!--"); *at; at++) {
    if (strncmp(at, "-->", 3) == 0)
      return at + 3;
  }
  return NULL;
}

static piece piece_at(const char *text) {
  piece found = {.kind = WORDS, .start = text};
  if (*text != '<') {
    found.end = text + strcspn(text, "<");
    found.kind = found.end == text ? NOTHING : WORDS;
    return found;
  }
  bool comment = strncmp(text, "<!--", 4) == 0;
  found.end = comment ? end_of_comment(text) : end_of_tag(text);
  if (found.end == NULL) {
    found.kind = NOTHING;
    found.end = text + strlen(text);
  } else if (text[1] == '!' || text[1] == '?') {
    found.kind = REMARK;
  } else {
    found.kind = text[1] == '/' ? CLOSING : found.end[-2] == '/' ? LONE : OPENING;
    found.name = text + 1 + (text[1] == '/');
    found.name_length = strcspn(found.name, " \t\r\n/>");
  }
  return found;
}

static bool is_named(const char *name, size_t length, const char *expected) {
  return length == strlen(expected) && memcmp(name, expected, length) == 0;
}

/* *at: behind the tag's name, or the attribute before; false: there are no more */
static bool next_attribute(const piece *tag, const char **at, attribute *found) {
  const char *name = *at + strspn(*at, blanks);
  size_t length = strcspn(name, "= \t\r\n/>");
  const char *quote = name + length + 1;
  if (length == 0 || name[length] != '=' || (*quote != '"' && *quote != '\''))
    return false;
  const char *end = strchr(quote + 1, *quote);
  if (end == NULL || end >= tag->end)
    return false;
  *found = (attribute){name, length, quote + 1, (size_t)(end - quote) - 1};
  *at = end + 1;
  return true;
}

/* Width and height give way to a width that shrinks with the page, but not until nothing can be
 * read. */
static void add_width(as_str *out, const attribute *width) {
  double points = strtod(width->value, NULL);
  if (points > 0)
    as_str_printf(out, " style=\"width:%.0fpx;min-width:%.0fpx\"", points * 4 / 3, points);
}

static void add_tag(as_str *out, const piece *tag, bool outermost) {
  const char *at = tag->name + tag->name_length;
  attribute each;
  as_str_printf(out, "<%.*s", (int)tag->name_length, tag->name);
  while (next_attribute(tag, &at, &each)) {
    if (is_named(each.name, each.name_length, "id") ||
        (outermost && is_named(each.name, each.name_length, "height")))
      continue;
    if (outermost && is_named(each.name, each.name_length, "width"))
      add_width(out, &each);
    else
      as_str_printf(out, " %.*s", (int)(each.value + each.value_length + 1 - each.name), each.name);
  }
  as_str_add(out, tag->kind == LONE ? "/>" : ">");
}

/* behind the element that `opening` starts */
static const char *behind_element(const piece *opening) {
  int depth = 1;
  piece each = *opening;
  while (depth > 0 && each.kind != NOTHING) {
    each = piece_at(each.end);
    depth += (each.kind == OPENING) - (each.kind == CLOSING);
  }
  return each.end;
}

/* the first tag that opens a drawing */
static piece find_drawing(const char *text) {
  piece each = piece_at(text);
  while (each.kind != NOTHING &&
         !(each.kind == OPENING && is_named(each.name, each.name_length, "svg")))
    each = piece_at(each.end);
  return each;
}

char *as_report_svg_next(const char **text) {
  int depth = 0;
  as_str out;
  as_str_init(&out);
  piece each = find_drawing(*text);
  while (each.kind != NOTHING) {
    bool title = each.kind == OPENING && is_named(each.name, each.name_length, "title");
    if (each.kind == WORDS || each.kind == CLOSING)
      as_str_addn(&out, each.start, (size_t)(each.end - each.start));
    else if ((each.kind == OPENING || each.kind == LONE) && !title)
      add_tag(&out, &each, depth == 0);
    depth += (each.kind == OPENING && !title) - (each.kind == CLOSING);
    *text = title ? behind_element(&each) : each.end;
    if (depth == 0)
      return as_str_take(&out);
    each = piece_at(*text);
  }
  *text = each.end;
  as_str_clear(&out);
  return NULL;
}

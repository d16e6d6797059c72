/* Items of reports as one page of HTML. */
#include "draw.h"
#include "report.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

static void text(as_str *s, const char *before, const char *t, const char *after) {
  as_str_add(s, before);
  as_str_add_html(s, t);
  as_str_add(s, after);
}

static const char *state_class(as_report_state x) {
  static const char *const names[] = {"plain", "good", "bad", "open"};
  return names[x <= AS_REPORT_OPEN ? x : AS_REPORT_PLAIN];
}

static void badge(as_str *s, const as_report_item *it) {
  as_str_printf(s, "<span class=\"badge %s\">", state_class(it->state));
  text(s, "", it->verdict, "</span>");
}

/* Lines indented by two blanks are relations: one list of them.  The others are text. */
static void theorem(as_str *s, const char *t) {
  bool list = false;
  as_str_add(s, "<div class=\"theorem\">\n");
  while (*t) {
    size_t n = strcspn(t, "\n");
    char *line = as_format("%.*s", (int)n, t);
    size_t indent = strspn(line, " ");
    const char *body = line + indent;
    bool item = indent >= 2;
    if (item != list)
      as_str_add(s, item ? "<ul class=\"relations\">" : "</ul>\n");
    list = item;
    bool own = strncmp(body, "(candidate) ", 12) == 0;
    if (item && own)
      text(s, "<li><code>", body + 12, "</code> <span class=\"tag\">candidate</span></li>");
    else if (item)
      text(s, "<li><code>", body, "</code></li>");
    else if (*body)
      text(s, "<p>", body, "</p>\n");
    free(line);
    t += n + (t[n] == '\n');
  }
  as_str_add(s, list ? "</ul></div>\n" : "</div>\n");
}

static void fact_rows(as_str *s, const as_vec *facts) {
  as_str_add(s, "<table class=\"facts\">\n");
  for (size_t i = 0; i < facts->n; i++) {
    const as_report_fact *f = &AS_VEC_AT(facts, as_report_fact, i);
    as_str_printf(s, "<tr class=\"%s\"><th scope=\"row\">", state_class(f->state));
    text(s, "", f->what, "</th><td>");
    text(s, "", f->words, "</td></tr>\n");
  }
  as_str_add(s, "</table>\n");
}

/* one tensor: a row of cells for each row of its last axis, with the indices before it */
static void values(as_str *s, const as_report_values *v) {
  text(s, "<figure><figcaption><code>", v->name, "</code>");
  for (uint32_t i = 0; i < v->rank; i++) {
    as_str_printf(s, "%s%lld%s", i ? " &#215; " : " <span class=\"dim\">", (long long)v->dim[i],
                  i + 1 == v->rank ? "</span>" : "");
  }
  as_str_add(s, "</figcaption><table class=\"values\">");
  size_t width = v->rank && v->dim[v->rank - 1] > 0 ? (size_t)v->dim[v->rank - 1] : 1;
  size_t total = 1;
  for (uint32_t i = 0; i < v->rank; i++)
    total *= v->dim[i] > 0 ? (size_t)v->dim[i] : 0;
  if (total == 0)
    as_str_add(s, "<tr><td class=\"none\">no elements</td></tr>");
  for (size_t k = 0; k < v->n; k++) {
    if (k % width == 0)
      as_str_add(s, k ? "</tr><tr>" : "<tr>");
    if (k % width == 0 && v->rank > 1) {
      size_t at = k / width;
      char where[160] = "";
      for (uint32_t a = v->rank - 1; a-- > 0; at /= v->dim[a] > 0 ? (size_t)v->dim[a] : 1) {
        char *next = as_format(
            "%llu, %s", (unsigned long long)(at % (v->dim[a] > 0 ? (size_t)v->dim[a] : 1)), where);
        strncpy(where, next, sizeof where - 1);
        free(next);
      }
      text(s, "<th>", where, "&#183;</th>");
    }
    text(s, "<td>", v->value[k], "</td>");
  }
  if (v->n)
    as_str_add(s, "</tr>");
  as_str_add(s, "</table>");
  if (v->n < total)
    as_str_printf(s, "<p class=\"more\">and %zu more</p>", total - v->n);
  as_str_add(s, "</figure>\n");
}

static void counterexample(as_str *s, const as_report_cex *c, const char *h) {
  if (c->where == NULL)
    return;
  as_str_printf(s, "<section><%s>Counterexample</%s>\n<div class=\"cex\">\n", h, h);
  if (c->sizes.n) {
    as_str_add(s, "<p>With");
    for (size_t i = 0; i < c->sizes.n; i++) {
      const as_report_fact *f = &AS_VEC_AT(&c->sizes, as_report_fact, i);
      text(s, i ? ", <code>" : " <code>", f->what, " = ");
      text(s, "", f->words, "</code>");
    }
    as_str_add(s, c->inputs.n ? " and these inputs:</p>\n" : ":</p>\n");
  }
  as_str_add(s, "<div class=\"tensors\">\n");
  for (size_t i = 0; i < c->inputs.n; i++)
    values(s, &AS_VEC_AT(&c->inputs, as_report_values, i));
  as_str_add(s, "</div>\n<table class=\"differ\"><tr><th></th>");
  text(s, "<th scope=\"col\">", c->sides[0] ? c->sides[0] : "given program", "</th>");
  text(s, "<th scope=\"col\">", c->sides[1] ? c->sides[1] : "candidate", "</th></tr>");
  text(s, "<tr><th scope=\"row\"><code>", c->where, "</code></th>");
  text(s, "<td>", c->given, "</td>");
  text(s, "<td class=\"bad\">", c->candidate, "</td></tr></table>\n");
  if (c->method) {
    text(s, "<p class=\"quiet\">Compared over ", c->method,
         c->replayed ? "; evaluated again before it was reported.</p>\n" : ".</p>\n");
  }
  as_str_add(s, "</div></section>\n");
}

static void part(as_str *s, const as_report_part *p, char *const *svg, const char *h) {
  as_str_printf(s, "<section class=\"half\"><%s>", h);
  text(s, "", p->title, "");
  as_str_printf(s, "</%s>\n", h);
  if (svg && *svg)
    as_str_printf(s, "<div class=\"draw\" tabindex=\"0\">%s</div>\n", *svg);
  else if (p->dot)
    as_str_add(s, "<p class=\"undrawn\">Not drawn: Graphviz (dot) was not found, or could not "
                  "draw it.</p>\n");
  if (p->text) {
    as_str_printf(s, "<details%s><summary>text</summary>", svg && *svg ? "" : " open=\"open\"");
    text(s, "<pre>", p->text, "</pre></details>");
  }
  as_str_add(s, "</section>\n");
}

/* svg: drawings of the parts from number `from` on, or NULL */
static void pair(as_str *s, const as_vec *parts, size_t from, char *const *svg, const char *h) {
  if (parts->n <= from)
    return;
  as_str_add(s, "<div class=\"pair\">\n");
  for (size_t i = from; i < parts->n; i++)
    part(s, &AS_VEC_AT(parts, as_report_part, i), svg ? &svg[i] : NULL, h);
  as_str_add(s, "</div>\n");
}

static void relied(as_str *s, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const as_report_relied *r = &AS_VEC_AT(list, as_report_relied, i);
    text(s, "<details class=\"spec\"><summary><code>", r->name, "</code>");
    as_str_printf(s, " <span class=\"hash\">%.12s</span></summary>", r->sha256);
    if (r->text)
      text(s, "<pre>", r->text, "</pre>");
    text(s, "<p class=\"hash\">SHA-256 ", r->sha256, "</p></details>\n");
  }
}

/* everything about an item but its name; h: the heading's level.  The first `shared` parts are
 * shown elsewhere. */
static void body(as_str *s, const as_report_item *it, char *const *svg, size_t shared,
                 const char *h, bool with_relied) {
  if (it->reason && it->cex.where == NULL)
    text(s, "<p class=\"reason\">", it->reason, "</p>\n");
  counterexample(s, &it->cex, h);
  if (it->theorem && *it->theorem) {
    as_str_printf(s, "<section><%s>%s</%s>\n", h,
                  it->state == AS_REPORT_GOOD ? "Theorem" : "What was claimed", h);
    theorem(s, it->theorem);
    as_str_add(s, "</section>\n");
  }
  if (it->facts.n) {
    as_str_printf(s, "<section><%s>Verdicts</%s>\n", h, h);
    fact_rows(s, &it->facts);
    as_str_add(s, "</section>\n");
  }
  for (size_t i = 0; i < it->notes.n; i++) {
    const as_report_part *p = &AS_VEC_AT(&it->notes, as_report_part, i);
    as_str_printf(s, "<section><%s>", h);
    text(s, "", p->title, "");
    as_str_printf(s, "</%s>", h);
    text(s, "<pre>", p->text, "</pre></section>\n");
  }
  pair(s, &it->parts, shared, svg, h);
  if (it->outline)
    as_str_printf(s, "<section><%s>The proof</%s>\n%s</section>\n", h, h, it->outline);
  if (it->relied.n == 0)
    return;
  as_str_printf(s, "<section><%s>Specifications relied on</%s>\n", h, h);
  if (with_relied)
    relied(s, &it->relied);
  else
    as_str_add(s, "<p>");
  for (size_t i = 0; i < it->relied.n && !with_relied; i++) {
    const as_report_relied *r = &AS_VEC_AT(&it->relied, as_report_relied, i);
    as_str_printf(s, "<a class=\"ref\" href=\"#s%.12s\">", r->sha256);
    text(s, "<code>", r->name, "</code></a> ");
  }
  as_str_add(s, with_relied ? "</section>\n" : "</p></section>\n");
}

static void lines(as_str *s, const char *const *line) {
  for (; *line; line++)
    as_str_add(s, *line);
}

static void head(as_str *s, const char *title) {
  as_str_add(
      s,
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"/>"
      "<meta name=\"color-scheme\" content=\"light dark\"/><title>");
  text(s, "", title, " - Assay</title><style>\n");
  lines(s, as_report_style);
  as_str_add(s, "</style></head><body>\n");
}

static void foot(as_str *s, const char *const *script) {
  as_str_add(s, "<footer><p>Theorems are about real numbers: rounding is outside of them, and is "
                "tested, not proved. Drawings: a box is a tensor "
                "with its extents; "
                "frames are kernels.</p></footer>\n");
  if (script) {
    as_str_add(s, "<script>\n");
    lines(s, script);
    as_str_add(s, "</script>\n");
  }
  as_str_add(s, "</body></html>\n");
}

/* the drawings of an item's parts; free with free_svg */
static char **draw_parts(const as_report_item *const *items, size_t n) {
  size_t total = 0;
  size_t k = 0;
  for (size_t i = 0; i < n; i++)
    total += items[i]->parts.n;
  const char **dot = as_calloc(total + 1, sizeof *dot);
  char **svg = as_calloc(total + 1, sizeof *svg);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < items[i]->parts.n; j++)
      dot[k++] = AS_VEC_AT(&items[i]->parts, as_report_part, j).dot;
  }
  as_report_draw(dot, total, svg);
  free(dot);
  return svg;
}

static void free_svg(char **svg, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(svg[i]);
  free(svg);
}

char *as_report_html(const as_report_item *it) {
  as_str s;
  as_str_init(&s);
  char **svg = draw_parts(&it, 1);
  head(&s, it->name);
  text(&s, "<header><p class=\"brand\">Assay</p><h1>", it->name, " ");
  badge(&s, it);
  as_str_add(&s, "</h1>");
  if (it->about)
    text(&s, "<p class=\"about\">", it->about, "</p>");
  as_str_add(&s, "</header>\n<main>\n");
  body(&s, it, svg, 0, "h2", true);
  as_str_add(&s, "</main>\n");
  foot(&s, NULL);
  free_svg(svg, it->parts.n);
  return as_str_take(&s);
}

/* ---- batches */
static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* the number of parts, from the first, that all items have in common */
static size_t shared_parts(const as_report_item *items, size_t n) {
  for (size_t k = 0;; k++) {
    for (size_t i = 0; i < n; i++) {
      if (n < 2 || k >= items[0].parts.n || k >= items[i].parts.n)
        return k;
      const as_report_part *a = &AS_VEC_AT(&items[0].parts, as_report_part, k);
      const as_report_part *b = &AS_VEC_AT(&items[i].parts, as_report_part, k);
      if (!same_text(a->title, b->title) || !same_text(a->text, b->text) ||
          !same_text(a->dot, b->dot))
        return k;
    }
  }
}

typedef struct {
  const char *verdict;
  as_report_state state;
  size_t n;
} tally;

static void summary(as_str *s, const as_report_item *items, size_t n) {
  as_vec t;
  as_vec_init(&t, sizeof(tally));
  for (size_t i = 0, k; i < n; i++) {
    for (k = 0; k < t.n && !same_text(AS_VEC_AT(&t, tally, k).verdict, items[i].verdict);)
      k++;
    if (k == t.n)
      as_vec_push(&t, &(tally){items[i].verdict, items[i].state, 0});
    AS_VEC_AT(&t, tally, k).n++;
  }
  as_str_printf(s,
                "<div class=\"tally\" role=\"group\" aria-label=\"Filter by verdict\"><button "
                "type=\"button\" data-v=\"\" "
                "aria-pressed=\"true\"><b>%zu</b> all</button>",
                n);
  for (size_t i = 0; i < t.n; i++) {
    const tally *x = &AS_VEC_AT(&t, tally, i);
    text(s, "<button type=\"button\" aria-pressed=\"false\" data-v=\"", x->verdict, "\"");
    as_str_printf(s, " class=\"%s\"><b>%zu</b> ", state_class(x->state), x->n);
    text(s, "", x->verdict, "</button>");
  }
  as_str_add(s, "</div>\n<p class=\"find\"><input id=\"find\" type=\"search\" placeholder=\"Filter "
                "by name, file or reason\" "
                "aria-label=\"Filter\"/></p>\n");
  as_vec_clear(&t);
}

/* the beginning of a value that is long */
static void in_short(as_str *s, const char *value) {
  enum { SHORT = 28 };

  char *part = as_format("%.*s%s", SHORT, value, strlen(value) > SHORT ? ".." : "");
  as_str_add_html(s, part);
  free(part);
}

static void item_row(as_str *s, const as_report_item *it, size_t i, char *const *svg, size_t shared,
                     bool groups) {
  text(s, "<tbody data-v=\"", it->verdict, "\">");
  as_str_printf(s,
                "<tr class=\"row\" id=\"i%zu\"><td class=\"n\">%zu</td><td class=\"name\"><button "
                "type=\"button\" aria-expanded=\"false\">",
                i, i);
  text(s, "", it->name, "</button></td>");
  if (groups) {
    const char *group = it->group ? it->group : "";
    text(s, "<td class=\"group\" title=\"", group, "\">");
    text(s, "", as_file_name(group), "</td>");
  }
  as_str_add(s, "<td class=\"verdict\">");
  badge(s, it);
  as_str_printf(s, "</td><td class=\"num\">");
  if (it->steps)
    as_str_printf(s, "%u", it->steps);
  as_str_add(s, "</td><td class=\"num\">");
  if (it->seconds >= 0)
    as_str_printf(s, "%.3f", it->seconds);
  const char *note = it->reason ? it->reason : "";
  as_str_add(s, "</td><td class=\"note\">");
  if (it->cex.where) {
    text(s, "<code>", it->cex.where, "</code> ");
    in_short(s, it->cex.given);
    as_str_add(s, " against ");
    in_short(s, it->cex.candidate);
  } else {
    as_str_add_html(s, note);
  }
  as_str_printf(s, "</td></tr>\n<tr class=\"detail\"><td colspan=\"%d\">", groups ? 7 : 6);
  if (it->about)
    text(s, "<p class=\"about\">", it->about, "</p>");
  body(s, it, svg, shared, "h3", false);
  as_str_add(s, "</td></tr></tbody>\n");
}

/* every specification that some item relies on, once */
static void all_relied(as_str *s, const as_report_item *items, size_t n) {
  as_vec all;
  as_vec_init(&all, sizeof(as_report_relied));
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0, j; k < items[i].relied.n; k++) {
      const as_report_relied *r = &AS_VEC_AT(&items[i].relied, as_report_relied, k);
      for (j = 0; j < all.n && strcmp(AS_VEC_AT(&all, as_report_relied, j).sha256, r->sha256) != 0;)
        j++;
      if (j == all.n)
        as_vec_push(&all, r);
    }
  }
  if (all.n)
    as_str_add(s, "<section><h2>Specifications relied on</h2>\n");
  for (size_t i = 0; i < all.n; i++) {
    as_vec one = {(char *)all.data + i * all.item, 1, 1, all.item};
    as_str_printf(s, "<div id=\"s%.12s\">", AS_VEC_AT(&all, as_report_relied, i).sha256);
    relied(s, &one);
    as_str_add(s, "</div>");
  }
  if (all.n)
    as_str_add(s, "</section>\n");
  as_vec_clear(&all);
}

char *as_report_batch_html(const as_report_batch *b, const as_report_item *items, size_t n) {
  as_str s;
  as_str_init(&s);
  const as_report_item **each = as_calloc(n + 1, sizeof *each);
  size_t shared = n ? shared_parts(items, n) : 0;
  size_t at = 0;
  bool groups = false;
  for (size_t i = 0; i < n; i++) {
    each[i] = &items[i];
    groups = groups || items[i].group;
  }
  char **svg = draw_parts(each, n);
  head(&s, b->title);
  text(&s, "<header><p class=\"brand\">Assay</p><h1>", b->title, "</h1>");
  if (b->about)
    text(&s, "<p class=\"about\">", b->about, "</p>");
  as_str_add(&s, "</header>\n<main>\n");
  summary(&s, items, n);
  as_str_add(&s, "<table class=\"items\"><thead><tr><th class=\"n\" data-k=\"num\">#</th><th "
                 "data-k=\"text\">name</th>");
  if (groups)
    as_str_add(&s, "<th data-k=\"text\" class=\"group\">file</th>");
  as_str_add(&s, "<th data-k=\"text\">verdict</th><th class=\"num\" data-k=\"num\">steps</th><th "
                 "class=\"num\" data-k=\"num\">seconds</th><th "
                 "class=\"note\">in short</th></tr></thead>\n");
  for (size_t i = 0; i < n; at += items[i++].parts.n)
    item_row(&s, &items[i], i, svg + at, shared, groups);
  as_str_add(&s, "</table>\n");
  if (b->seconds >= 0)
    as_str_printf(&s, "<p class=\"quiet\">%zu judged in %.1f s.</p>\n", n, b->seconds);
  if (shared) {
    as_vec first = items[0].parts;
    first.n = shared;
    as_str_add(&s, "<section><h2>The same for all</h2>\n");
    pair(&s, &first, 0, svg, "h3");
    as_str_add(&s, "</section>\n");
  }
  all_relied(&s, items, n);
  as_str_add(&s, "</main>\n");
  foot(&s, as_report_script);
  free_svg(svg, at);
  free(each);
  return as_str_take(&s);
}

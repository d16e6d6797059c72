/* Items of reports as one page of HTML. */
#include "draw.h"
#include "report.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

static void text(as_str *out, const char *before, const char *content, const char *after) {
  as_str_add(out, before);
  as_str_add_html(out, content);
  as_str_add(out, after);
}

static const char *state_class(as_report_state state) {
  static const char *const names[] = {"plain", "good", "bad", "open"};
  return names[state <= AS_REPORT_OPEN ? state : AS_REPORT_PLAIN];
}

static void badge(as_str *out, const as_report_item *item) {
  as_str_printf(out, "<span class=\"badge %s\">", state_class(item->state));
  text(out, "", item->verdict, "</span>");
}

/* Lines indented by two blanks are relations: one list of them.  The others are text. */
static void theorem(as_str *out, const char *stated) {
  bool list = false;
  as_str_add(out, "<div class=\"theorem\">\n");
  while (*stated) {
    size_t n = strcspn(stated, "\n");
    char *line = as_format("%.*s", (int)n, stated);
    size_t indent = strspn(line, " ");
    const char *body = line + indent;
    bool item = indent >= 2;
    if (item != list)
      as_str_add(out, item ? "<ul class=\"relations\">" : "</ul>\n");
    list = item;
    bool own = strncmp(body, "(candidate) ", 12) == 0;
    if (item && own)
      text(out, "<li><code>", body + 12, "</code> <span class=\"tag\">candidate</span></li>");
    else if (item)
      text(out, "<li><code>", body, "</code></li>");
    else if (*body)
      text(out, "<p>", body, "</p>\n");
    free(line);
    stated += n + (stated[n] == '\n');
  }
  as_str_add(out, list ? "</ul></div>\n" : "</div>\n");
}

static void fact_rows(as_str *out, const as_vec *facts) {
  as_str_add(out, "<table class=\"facts\">\n");
  for (size_t i = 0; i < facts->n; i++) {
    const as_report_fact *fact = &AS_VEC_AT(facts, as_report_fact, i);
    as_str_printf(out, "<tr class=\"%s\"><th scope=\"row\">", state_class(fact->state));
    text(out, "", fact->what, "</th><td>");
    text(out, "", fact->words, "</td></tr>\n");
  }
  as_str_add(out, "</table>\n");
}

/* one tensor: a row of cells for each row of its last axis, with the indices before it */
static void values(as_str *out, const as_report_values *tensor) {
  text(out, "<figure><figcaption><code>", tensor->name, "</code>");
  for (uint32_t i = 0; i < tensor->rank; i++) {
    as_str_printf(out, "%s%lld%s", i ? " &#215; " : " <span class=\"dim\">",
                  (long long)tensor->dim[i], i + 1 == tensor->rank ? "</span>" : "");
  }
  as_str_add(out, "</figcaption><table class=\"values\">");
  size_t width =
      tensor->rank && tensor->dim[tensor->rank - 1] > 0 ? (size_t)tensor->dim[tensor->rank - 1] : 1;
  size_t total = 1;
  for (uint32_t i = 0; i < tensor->rank; i++)
    total *= tensor->dim[i] > 0 ? (size_t)tensor->dim[i] : 0;
  if (total == 0)
    as_str_add(out, "<tr><td class=\"none\">no elements</td></tr>");
  for (size_t k = 0; k < tensor->n; k++) {
    if (k % width == 0)
      as_str_add(out, k ? "</tr><tr>" : "<tr>");
    if (k % width == 0 && tensor->rank > 1) {
      size_t at = k / width;
      char where[160] = "";
      for (uint32_t axis = tensor->rank - 1; axis-- > 0;
           at /= tensor->dim[axis] > 0 ? (size_t)tensor->dim[axis] : 1) {
        char *next = as_format(
            "%llu, %s",
            (unsigned long long)(at % (tensor->dim[axis] > 0 ? (size_t)tensor->dim[axis] : 1)),
            where);
        strncpy(where, next, sizeof where - 1);
        free(next);
      }
      text(out, "<th>", where, "&#183;</th>");
    }
    text(out, "<td>", tensor->value[k], "</td>");
  }
  if (tensor->n)
    as_str_add(out, "</tr>");
  as_str_add(out, "</table>");
  if (tensor->n < total)
    as_str_printf(out, "<p class=\"more\">and %zu more</p>", total - tensor->n);
  as_str_add(out, "</figure>\n");
}

static void counterexample(as_str *out, const as_report_cex *cex, const char *before) {
  if (cex->where == NULL)
    return;
  as_str_printf(out, "<section><%s>Counterexample</%s>\n<div class=\"cex\">\n", before, before);
  if (cex->sizes.n) {
    as_str_add(out, "<p>With");
    for (size_t i = 0; i < cex->sizes.n; i++) {
      const as_report_fact *fact = &AS_VEC_AT(&cex->sizes, as_report_fact, i);
      text(out, i ? ", <code>" : " <code>", fact->what, " = ");
      text(out, "", fact->words, "</code>");
    }
    as_str_add(out, cex->inputs.n ? " and these inputs:</p>\n" : ":</p>\n");
  }
  as_str_add(out, "<div class=\"tensors\">\n");
  for (size_t i = 0; i < cex->inputs.n; i++)
    values(out, &AS_VEC_AT(&cex->inputs, as_report_values, i));
  as_str_add(out, "</div>\n<table class=\"differ\"><tr><th></th>");
  text(out, "<th scope=\"col\">", cex->sides[0] ? cex->sides[0] : "given program", "</th>");
  text(out, "<th scope=\"col\">", cex->sides[1] ? cex->sides[1] : "candidate", "</th></tr>");
  text(out, "<tr><th scope=\"row\"><code>", cex->where, "</code></th>");
  text(out, "<td>", cex->given, "</td>");
  text(out, "<td class=\"bad\">", cex->candidate, "</td></tr></table>\n");
  if (cex->method) {
    text(out, "<p class=\"quiet\">Compared over ", cex->method,
         cex->replayed ? "; evaluated again before it was reported.</p>\n" : ".</p>\n");
  }
  as_str_add(out, "</div></section>\n");
}

static void part(as_str *out, const as_report_part *each, char *const *svg, const char *before) {
  as_str_printf(out, "<section class=\"half\"><%s>", before);
  text(out, "", each->title, "");
  as_str_printf(out, "</%s>\n", before);
  if (svg && *svg)
    as_str_printf(out, "<div class=\"draw\" tabindex=\"0\">%s</div>\n", *svg);
  else if (each->dot)
    as_str_add(out, "<p class=\"undrawn\">Not drawn: Graphviz (dot) was not found, or could not "
                    "draw it.</p>\n");
  if (each->text) {
    as_str_printf(out, "<details%s><summary>text</summary>", svg && *svg ? "" : " open=\"open\"");
    text(out, "<pre>", each->text, "</pre></details>");
  }
  as_str_add(out, "</section>\n");
}

/* svg: drawings of the parts from number `from` on, or NULL */
static void pair(as_str *out, const as_vec *parts, size_t from, char *const *svg,
                 const char *before) {
  if (parts->n <= from)
    return;
  as_str_add(out, "<div class=\"pair\">\n");
  for (size_t i = from; i < parts->n; i++)
    part(out, &AS_VEC_AT(parts, as_report_part, i), svg ? &svg[i] : NULL, before);
  as_str_add(out, "</div>\n");
}

static void relied(as_str *out, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const as_report_relied *each = &AS_VEC_AT(list, as_report_relied, i);
    text(out, "<details class=\"spec\"><summary><code>", each->name, "</code>");
    as_str_printf(out, " <span class=\"hash\">%.12s</span></summary>", each->sha256);
    if (each->text)
      text(out, "<pre>", each->text, "</pre>");
    text(out, "<p class=\"hash\">SHA-256 ", each->sha256, "</p></details>\n");
  }
}

/* everything about an item but its name; h: the heading's level.  The first `shared` parts are
 * shown elsewhere. */
static void body(as_str *out, const as_report_item *item, char *const *svg, size_t shared,
                 const char *before, bool with_relied) {
  if (item->reason && item->cex.where == NULL)
    text(out, "<p class=\"reason\">", item->reason, "</p>\n");
  counterexample(out, &item->cex, before);
  if (item->theorem && *item->theorem) {
    as_str_printf(out, "<section><%s>%s</%s>\n", before,
                  item->state == AS_REPORT_GOOD ? "Theorem" : "What was claimed", before);
    theorem(out, item->theorem);
    as_str_add(out, "</section>\n");
  }
  if (item->facts.n) {
    as_str_printf(out, "<section><%s>Verdicts</%s>\n", before, before);
    fact_rows(out, &item->facts);
    as_str_add(out, "</section>\n");
  }
  if (item->kernels.n) {
    as_str_printf(out, "<section><%s>Kernels</%s>\n", before, before);
    fact_rows(out, &item->kernels);
    as_str_add(out, "</section>\n");
  }
  if (item->files.n)
    as_str_add(out, "<p class=\"files\">Files:");
  for (size_t i = 0; i < item->files.n; i++) {
    const char *name = AS_VEC_AT(&item->files, const char *, i);
    text(out, " <a href=\"", name, "\">");
    text(out, "<code>", name, "</code></a>");
  }
  if (item->files.n)
    as_str_add(out, "</p>\n");
  for (size_t i = 0; i < item->notes.n; i++) {
    const as_report_part *p = &AS_VEC_AT(&item->notes, as_report_part, i);
    as_str_printf(out, "<section><%s>", before);
    text(out, "", p->title, "");
    as_str_printf(out, "</%s>", before);
    text(out, "<pre>", p->text, "</pre></section>\n");
  }
  pair(out, &item->parts, shared, svg, before);
  if (item->outline)
    as_str_printf(out, "<section><%s>The proof</%s>\n%s</section>\n", before, before,
                  item->outline);
  if (item->relied.n == 0)
    return;
  as_str_printf(out, "<section><%s>Specifications relied on</%s>\n", before, before);
  if (with_relied)
    relied(out, &item->relied);
  else
    as_str_add(out, "<p>");
  for (size_t i = 0; i < item->relied.n && !with_relied; i++) {
    const as_report_relied *each = &AS_VEC_AT(&item->relied, as_report_relied, i);
    as_str_printf(out, "<a class=\"ref\" href=\"#s%.12s\">", each->sha256);
    text(out, "<code>", each->name, "</code></a> ");
  }
  as_str_add(out, with_relied ? "</section>\n" : "</p></section>\n");
}

static void lines(as_str *out, const char *const *line) {
  for (; *line; line++)
    as_str_add(out, *line);
}

static void head(as_str *out, const char *title) {
  as_str_add(
      out,
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"/>"
      "<meta name=\"color-scheme\" content=\"light dark\"/><title>");
  text(out, "", title, " - Assay</title><style>\n");
  lines(out, as_report_style);
  as_str_add(out, "</style></head><body>\n");
}

static void foot(as_str *out, const char *const *script) {
  as_str_add(out,
             "<footer><p>Theorems are about real numbers: rounding is outside of them, and is "
             "tested, not proved. Drawings: a box is a tensor "
             "with its extents; frames are kernels; "
             "<span class=\"key in\">input</span> <span class=\"key load\">tile loaded</span> "
             "<span class=\"key acc\">accumulator</span> <span class=\"key store\">stored</span> "
             "<span class=\"key out\">output</span>.</p></footer>\n");
  if (script) {
    as_str_add(out, "<script>\n");
    lines(out, script);
    as_str_add(out, "</script>\n");
  }
  as_str_add(out, "</body></html>\n");
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

char *as_report_html(const as_report_item *item) {
  as_str out;
  as_str_init(&out);
  char **svg = draw_parts(&item, 1);
  head(&out, item->name);
  text(&out, "<header><p class=\"brand\">Assay</p><h1>", item->name, " ");
  badge(&out, item);
  as_str_add(&out, "</h1>");
  if (item->about)
    text(&out, "<p class=\"about\">", item->about, "</p>");
  as_str_add(&out, "</header>\n<main>\n");
  body(&out, item, svg, 0, "h2", true);
  as_str_add(&out, "</main>\n");
  foot(&out, NULL);
  free_svg(svg, item->parts.n);
  return as_str_take(&out);
}

/* ---- batches */
static bool same_text(const char *one, const char *other) {
  return one == other || (one && other && strcmp(one, other) == 0);
}

/* the number of parts, from the first, that all items have in common */
static size_t shared_parts(const as_report_item *items, size_t n) {
  for (size_t k = 0;; k++) {
    for (size_t i = 0; i < n; i++) {
      if (n < 2 || k >= items[0].parts.n || k >= items[i].parts.n)
        return k;
      const as_report_part *first = &AS_VEC_AT(&items[0].parts, as_report_part, k);
      const as_report_part *each = &AS_VEC_AT(&items[i].parts, as_report_part, k);
      if (!same_text(first->title, each->title) || !same_text(first->text, each->text) ||
          !same_text(first->dot, each->dot))
        return k;
    }
  }
}

typedef struct {
  const char *verdict;
  as_report_state state;
  size_t n;
} tally;

static void summary(as_str *out, const as_report_item *items, size_t n) {
  as_vec tallies;
  as_vec_init(&tallies, sizeof(tally));
  for (size_t i = 0, k; i < n; i++) {
    for (k = 0;
         k < tallies.n && !same_text(AS_VEC_AT(&tallies, tally, k).verdict, items[i].verdict);)
      k++;
    if (k == tallies.n)
      as_vec_push(&tallies, &(tally){items[i].verdict, items[i].state, 0});
    AS_VEC_AT(&tallies, tally, k).n++;
  }
  as_str_printf(out,
                "<div class=\"tally\" role=\"group\" aria-label=\"Filter by verdict\"><button "
                "type=\"button\" data-v=\"\" "
                "aria-pressed=\"true\"><b>%zu</b> all</button>",
                n);
  for (size_t i = 0; i < tallies.n; i++) {
    const tally *x = &AS_VEC_AT(&tallies, tally, i);
    text(out, "<button type=\"button\" aria-pressed=\"false\" data-v=\"", x->verdict, "\"");
    as_str_printf(out, " class=\"%s\"><b>%zu</b> ", state_class(x->state), x->n);
    text(out, "", x->verdict, "</button>");
  }
  as_str_add(out,
             "</div>\n<p class=\"find\"><input id=\"find\" type=\"search\" placeholder=\"Filter "
             "by name, file or reason\" "
             "aria-label=\"Filter\"/></p>\n");
  as_vec_clear(&tallies);
}

/* the beginning of a value that is long */
static void in_short(as_str *out, const char *value) {
  enum { SHORT = 28 };

  char *part = as_format("%.*s%s", SHORT, value, strlen(value) > SHORT ? ".." : "");
  as_str_add_html(out, part);
  free(part);
}

static void item_row(as_str *out, const as_report_item *item, size_t i, char *const *svg,
                     size_t shared, bool groups) {
  text(out, "<tbody data-v=\"", item->verdict, "\">");
  as_str_printf(out,
                "<tr class=\"row\" id=\"i%zu\"><td class=\"n\">%zu</td><td class=\"name\"><button "
                "type=\"button\" aria-expanded=\"false\">",
                i, i);
  text(out, "", item->name, "</button></td>");
  if (groups) {
    const char *group = item->group ? item->group : "";
    text(out, "<td class=\"group\" title=\"", group, "\">");
    text(out, "", as_file_name(group), "</td>");
  }
  as_str_add(out, "<td class=\"verdict\">");
  badge(out, item);
  as_str_printf(out, "</td><td class=\"num\">");
  if (item->steps)
    as_str_printf(out, "%u", item->steps);
  as_str_add(out, "</td><td class=\"num\">");
  if (item->seconds >= 0)
    as_str_printf(out, "%.3f", item->seconds);
  const char *note = item->reason ? item->reason : "";
  as_str_add(out, "</td><td class=\"note\">");
  if (item->cex.where) {
    text(out, "<code>", item->cex.where, "</code> ");
    in_short(out, item->cex.given);
    as_str_add(out, " against ");
    in_short(out, item->cex.candidate);
  } else {
    as_str_add_html(out, note);
  }
  as_str_printf(out, "</td></tr>\n<tr class=\"detail\"><td colspan=\"%d\">", groups ? 7 : 6);
  if (item->about)
    text(out, "<p class=\"about\">", item->about, "</p>");
  body(out, item, svg, shared, "h3", false);
  as_str_add(out, "</td></tr></tbody>\n");
}

/* every specification that some item relies on, once */
static void all_relied(as_str *out, const as_report_item *items, size_t n) {
  as_vec all;
  as_vec_init(&all, sizeof(as_report_relied));
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0, j; k < items[i].relied.n; k++) {
      const as_report_relied *each = &AS_VEC_AT(&items[i].relied, as_report_relied, k);
      for (j = 0;
           j < all.n && strcmp(AS_VEC_AT(&all, as_report_relied, j).sha256, each->sha256) != 0;)
        j++;
      if (j == all.n)
        as_vec_push(&all, each);
    }
  }
  if (all.n)
    as_str_add(out, "<section><h2>Specifications relied on</h2>\n");
  for (size_t i = 0; i < all.n; i++) {
    as_vec one = {(char *)all.data + i * all.item, 1, 1, all.item};
    as_str_printf(out, "<div id=\"s%.12s\">", AS_VEC_AT(&all, as_report_relied, i).sha256);
    relied(out, &one);
    as_str_add(out, "</div>");
  }
  if (all.n)
    as_str_add(out, "</section>\n");
  as_vec_clear(&all);
}

char *as_report_batch_html(const as_report_batch *batch, const as_report_item *items, size_t n) {
  as_str out;
  as_str_init(&out);
  const as_report_item **each = as_calloc(n + 1, sizeof *each);
  size_t shared = n ? shared_parts(items, n) : 0;
  size_t at = 0;
  bool groups = false;
  for (size_t i = 0; i < n; i++) {
    each[i] = &items[i];
    groups = groups || items[i].group;
  }
  char **svg = draw_parts(each, n);
  head(&out, batch->title);
  text(&out, "<header><p class=\"brand\">Assay</p><h1>", batch->title, "</h1>");
  if (batch->about)
    text(&out, "<p class=\"about\">", batch->about, "</p>");
  as_str_add(&out, "</header>\n<main>\n");
  summary(&out, items, n);
  as_str_add(&out, "<table class=\"items\"><thead><tr><th class=\"n\" data-k=\"num\">#</th><th "
                   "data-k=\"text\">name</th>");
  if (groups)
    as_str_add(&out, "<th data-k=\"text\" class=\"group\">file</th>");
  as_str_add(&out, "<th data-k=\"text\">verdict</th><th class=\"num\" data-k=\"num\">steps</th><th "
                   "class=\"num\" data-k=\"num\">seconds</th><th "
                   "class=\"note\">in short</th></tr></thead>\n");
  for (size_t i = 0; i < n; at += items[i++].parts.n)
    item_row(&out, &items[i], i, svg + at, shared, groups);
  as_str_add(&out, "</table>\n");
  if (batch->seconds >= 0)
    as_str_printf(&out, "<p class=\"quiet\">%zu judged in %.1f s.</p>\n", n, batch->seconds);
  if (shared) {
    as_vec first = items[0].parts;
    first.n = shared;
    as_str_add(&out, "<section><h2>The same for all</h2>\n");
    pair(&out, &first, 0, svg, "h3");
    as_str_add(&out, "</section>\n");
  }
  all_relied(&out, items, n);
  as_str_add(&out, "</main>\n");
  foot(&out, as_report_script);
  free_svg(svg, at);
  free(each);
  return as_str_take(&out);
}

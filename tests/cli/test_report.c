/* The page writer: whatever the texts of an item are, the page is well formed, holds exactly these
 * texts, and fetches nothing. */
#include "src/base/rng.h"
#include "src/base/str.h"
#include "src/report/report.h"
#include "src/report/svg.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

/* Walks the page: tags must nest; collects the text between tags, entities decoded, without that of
 * style and script. */
static char *page_text(const char *page) {
  static const char *const alone[] = {"meta", "input", "!doctype"};
  char open[64][16];
  int depth = 0;
  as_str out;
  as_str_init(&out);
  for (const char *p = page; *p;) {
    if (*p != '<') {
      static const char *const entity[][2] = {{"&lt;", "<"},    {"&gt;", ">"},  {"&amp;", "&"},
                                              {"&quot;", "\""}, {"&#39;", "'"}, {"&#215;", "x"},
                                              {"&#183;", "."}};
      size_t k = 0;
      size_t n = sizeof entity / sizeof *entity;
      while (k < n && strncmp(p, entity[k][0], strlen(entity[k][0])) != 0)
        k++;
      ck_assert_msg(*p != '&' || k < n, "a bare & at: %.40s", p);
      ck_assert_msg(*p != '>', "a bare > at: %.40s", p);
      if (k < n) {
        as_str_add(&out, entity[k][1]);
        p += strlen(entity[k][0]);
      } else {
        as_str_addn(&out, p++, 1);
      }
      continue;
    }
    bool close = p[1] == '/';
    p += close ? 2 : 1;
    size_t n = strcspn(p, " >/\n");
    ck_assert_msg(n > 0 && n < 16, "no tag at: %.40s", p - 1);
    char name[16];
    memcpy(name, p, n);
    name[n] = 0;
    const char *q = p + n;
    for (bool quoted = false; *q && (quoted || *q != '>'); q++) {
      if (*q == '"')
        quoted = !quoted;
      ck_assert_msg(*q != '<', "< within a tag at: %.60s", p - 1);
    }
    ck_assert(*q == '>');
    bool single = q[-1] == '/';
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
      single = single || strcmp(alone[k], name) == 0;
    if (close) {
      ck_assert_msg(depth > 0 && strcmp(open[depth - 1], name) == 0, "</%s> closes <%s>", name,
                    depth ? open[depth - 1] : "nothing");
      depth--;
    } else if (!single) {
      ck_assert(depth < 64);
      strcpy(open[depth++], name);
    }
    p = q + 1;
    if (!close && (strcmp(name, "style") == 0 || strcmp(name, "script") == 0)) {
      char *end = as_format("</%s>", name);
      p = strstr(p, end);
      ck_assert_ptr_nonnull(p);
      free(end);
    }
  }
  ck_assert_int_eq(depth, 0);
  return as_str_take(&out);
}

static void holds(const char *text, const char *what) {
  ck_assert_msg(strstr(text, what) != NULL, "the page does not say `%s`", what);
}

/* an item with the text t in every place where there can be one */
static void fill(as_report_item *item, const char *text) {
  as_report_init(item, text, text, AS_REPORT_BAD);
  item->group = as_report_keep(item, text);
  item->about = as_report_keep(item, text);
  item->reason = as_report_keep(item, text);
  item->theorem = as_report_keep(item, text);
  item->steps = 3;
  item->seconds = 0.5;
  as_report_row(item, AS_REPORT_OPEN, text, "%s", text);
  as_report_add_part(item, text, text, NULL);
  as_report_add_part(item, text, text, NULL);
  as_report_add_note(item, text, text);
  as_report_add_relied(item, text, "0123456789abcdef", text);
  as_report_add_size(item, text, 7);
  int64_t dim[3] = {2, 1, 2};
  const char *value[4] = {text, "1/2", "-3", text};
  as_report_add_input(item, text, dim, 3, value, 4);
  item->cex.where = item->cex.given = item->cex.candidate = item->cex.method =
      as_report_keep(item, text);
}

static void check_page(char *page, const char *t) {
  char *text = page_text(page);
  holds(text, t);
  static const char *const fetch[] = {"src=", "@import", "url(", "http:", "https:", "<link"};
  for (size_t i = 0; i < sizeof fetch / sizeof *fetch; i++)
    ck_assert_msg(strstr(page, fetch[i]) == NULL, "the page fetches: %s", fetch[i]);
  free(text);
  free(page);
}

START_TEST(escapes) {
  static const char *const nasty[] = {"<&\">",
                                      "</script><script>alert(1)</script>",
                                      "a\" onclick=\"x",
                                      "'><b>",
                                      "&lt;",
                                      "]]>",
                                      "</style>",
                                      "<!--",
                                      "plain",
                                      "-->",
                                      "\xce\xa3 x"};
  for (size_t i = 0; i < sizeof nasty / sizeof *nasty; i++) {
    as_report_item item[2];
    fill(&item[0], nasty[i]);
    fill(&item[1], nasty[i]);
    check_page(as_report_html(&item[0]), nasty[i]);
    check_page(as_report_batch_html(&(as_report_batch){nasty[i], nasty[i], 1.5}, item, 2),
               nasty[i]);
    as_report_clear(&item[0]);
    as_report_clear(&item[1]);
  }
}

END_TEST

/* random bytes: what is no text becomes a mark, and nothing else is lost */
START_TEST(any_bytes) {
  as_rng rng;
  as_rng_seed(&rng, 5);
  for (int k = 0; k < 300; k++) {
    char t[24];
    char kept[24];
    size_t n = 1 + as_rng_below(&rng, sizeof t - 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
      t[i] = k % 2 ? "<>&\"'/ab"[as_rng_below(&rng, 8)] : (char)(1 + as_rng_below(&rng, 255));
    t[n - (n == sizeof t)] = 0;
    as_report_item item;
    fill(&item, t);
    char *page = as_report_html(&item);
    char *text = page_text(page);
    for (const char *p = t; k % 2 && *p; p++)
      kept[m++] = *p;
    kept[m] = 0;
    holds(text, kept);
    for (const unsigned char *p = (unsigned char *)page; *p; p++)
      ck_assert(*p >= 0x20 || *p == '\n' || *p == '\t');
    free(page);
    free(text);
    as_report_clear(&item);
  }
}

END_TEST

START_TEST(shape) {
  as_report_item item;
  as_report_init(&item, "p", "PROVED", AS_REPORT_GOOD);
  item.theorem =
      as_report_keep(&item, "For all integers N with\n  0 < N\n  (candidate) N = T*L\nholds.\n");
  as_report_add_part(&item, "Program given", "program p", "digraph g { a -> b }");
  char *page = as_report_html(&item);
  char *text = page_text(page);
  holds(page, "<li><code>0 &lt; N</code></li>");
  holds(page, "<li><code>N = T*L</code> <span class=\"tag\">candidate</span></li>");
  ck_assert(strstr(page, "(candidate)") == NULL && strstr(page, "Counterexample") == NULL);
  free(page);
  free(text);
  as_report_item two[2] = {item, item};
  page = as_report_batch_html(&(as_report_batch){"b", NULL, -1}, two, 2);
  text = page_text(page);
  holds(text, "The same for all"); /* the part that both have is shown once */
  ck_assert(strstr(strstr(page, "Program given") + 1, "Program given") == NULL);
  holds(text, "2 PROVED");
  free(page);
  free(text);
  as_report_item other;
  as_report_init(&other, "q", "PROVED", AS_REPORT_GOOD);
  as_report_add_part(&other, "Program given", "program p",
                     "digraph g { a -> c }"); /* another drawing: each has its own */
  two[1] = other;
  page = as_report_batch_html(&(as_report_batch){"b", NULL, -1}, two, 2);
  ck_assert(strstr(page, "The same for all") == NULL);
  free(page);
  as_report_clear(&other);
  page = as_report_batch_html(&(as_report_batch){"none", NULL, -1}, NULL, 0);
  text = page_text(page);
  holds(text, "0 all");
  free(page);
  free(text);
  as_report_clear(&item);
}

END_TEST

/* two drawings as Graphviz writes them */
START_TEST(drawings) {
  const char *rest = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"a>b\">\n<!-- </svg> -->\n"
                     "<svg width=\"60pt\" height=\"44pt\"\n viewBox=\"0 0 60 44\">\n"
                     "<g id=\"graph0\" class=\"graph\">\n<title>g<b>x</b></title>\n"
                     "<path d=\"M0,0\" id='p'/><text>a &gt; b</text>\n</g>\n</svg>\n"
                     "<svg width=\"3pt\"><g></g></svg>\n<svg width=\"3pt\"><g>";
  char *first = as_report_svg_next(&rest);
  ck_assert_str_eq(first, "<svg style=\"width:80px;min-width:60px\" viewBox=\"0 0 60 44\">\n"
                          "<g class=\"graph\">\n\n<path d=\"M0,0\"/><text>a &gt; b</text>\n</g>\n"
                          "</svg>");
  char *second = as_report_svg_next(&rest);
  ck_assert_str_eq(second, "<svg style=\"width:4px;min-width:3px\"><g></g></svg>");
  ck_assert_ptr_null(as_report_svg_next(&rest)); /* the third one is cut off */
  ck_assert_ptr_null(as_report_svg_next(&rest));
  const char *open = "<svg width=\"3pt><g></g></svg>"; /* a quote that nothing closes */
  ck_assert_ptr_null(as_report_svg_next(&open));
  free(first);
  free(second);
}

END_TEST

int main(void) {
  TCase *tests = test_case("page", 60);
  tcase_add_test(tests, escapes);
  tcase_add_test(tests, any_bytes);
  tcase_add_test(tests, shape);
  tcase_add_test(tests, drawings);
  return test_run("report", tests);
}

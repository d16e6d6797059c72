/* The page writer: whatever the texts of an item are, the page is well formed, holds exactly these
 * texts, and fetches nothing. */
#include "src/report/report.h"
#include <check.h>
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
static void fill(as_report_item *it, const char *t) {
  as_report_init(it, t, t, AS_REPORT_BAD);
  it->group = as_report_keep(it, t);
  it->about = as_report_keep(it, t);
  it->reason = as_report_keep(it, t);
  it->theorem = as_report_keep(it, t);
  it->steps = 3;
  it->seconds = 0.5;
  as_report_row(it, AS_REPORT_OPEN, t, "%s", t);
  as_report_add_part(it, t, t, NULL);
  as_report_add_part(it, t, t, NULL);
  as_report_add_note(it, t, t);
  as_report_add_relied(it, t, "0123456789abcdef", t);
  as_report_add_size(it, t, 7);
  int64_t dim[3] = {2, 1, 2};
  const char *value[4] = {t, "1/2", "-3", t};
  as_report_add_input(it, t, dim, 3, value, 4);
  it->cex.where = it->cex.given = it->cex.candidate = it->cex.method = as_report_keep(it, t);
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
    as_report_item it[2];
    fill(&it[0], nasty[i]);
    fill(&it[1], nasty[i]);
    check_page(as_report_html(&it[0]), nasty[i]);
    check_page(as_report_batch_html(&(as_report_batch){nasty[i], nasty[i], 1.5}, it, 2), nasty[i]);
    as_report_clear(&it[0]);
    as_report_clear(&it[1]);
  }
}

END_TEST

/* random bytes: what is no text becomes a mark, and nothing else is lost */
START_TEST(any_bytes) {
  as_rng r;
  as_rng_seed(&r, 5);
  for (int k = 0; k < 300; k++) {
    char t[24];
    char kept[24];
    size_t n = 1 + as_rng_below(&r, sizeof t - 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
      t[i] = k % 2 ? "<>&\"'/ab"[as_rng_below(&r, 8)] : (char)(1 + as_rng_below(&r, 255));
    t[n - (n == sizeof t)] = 0;
    as_report_item it;
    fill(&it, t);
    char *page = as_report_html(&it);
    char *text = page_text(page);
    for (const char *p = t; k % 2 && *p; p++)
      kept[m++] = *p;
    kept[m] = 0;
    holds(text, kept);
    for (const unsigned char *p = (unsigned char *)page; *p; p++)
      ck_assert(*p >= 0x20 || *p == '\n' || *p == '\t');
    free(page);
    free(text);
    as_report_clear(&it);
  }
}

END_TEST

START_TEST(shape) {
  as_report_item it;
  as_report_init(&it, "p", "PROVED", AS_REPORT_GOOD);
  it.theorem =
      as_report_keep(&it, "For all integers N with\n  0 < N\n  (candidate) N = T*L\nholds.\n");
  as_report_add_part(&it, "Program given", "program p", "digraph g { a -> b }");
  char *page = as_report_html(&it);
  char *text = page_text(page);
  holds(page, "<li><code>0 &lt; N</code></li>");
  holds(page, "<li><code>N = T*L</code> <span class=\"tag\">candidate</span></li>");
  ck_assert(strstr(page, "(candidate)") == NULL && strstr(page, "Counterexample") == NULL);
  free(page);
  free(text);
  as_report_item two[2] = {it, it};
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
  as_report_clear(&it);
}

END_TEST

int main(void) {
  Suite *s = suite_create("report");
  TCase *t = tcase_create("page");
  tcase_add_test(t, escapes);
  tcase_add_test(t, any_bytes);
  tcase_add_test(t, shape);
  tcase_set_timeout(t, 60);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int bad = srunner_ntests_failed(r);
  srunner_free(r);
  return bad != 0;
}

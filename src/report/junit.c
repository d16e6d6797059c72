#include "junit.h"
#include "src/base/file.h"
#include <stdlib.h>

struct as_report_junit {
  char *suite;
  as_str cases;
  unsigned count[3];
  double seconds;
};

as_report_junit *as_report_junit_new(const char *suite) {
  as_report_junit *j = as_calloc(1, sizeof *j);
  j->suite = as_strdup(suite);
  as_str_init(&j->cases);
  return j;
}

void as_report_junit_free(as_report_junit *j) {
  if (j == NULL)
    return;
  as_str_clear(&j->cases);
  free(j->suite);
  free(j);
}

/* the length of the UTF-8 character at p that XML 1.0 allows, 0 where there is none */
static size_t character(const unsigned char *p) {
  if (p[0] < 0x80)
    return p[0] >= 0x20 || p[0] == '\n' || p[0] == '\t';
  size_t n = p[0] >= 0xc2 && p[0] < 0xe0   ? 2
             : (p[0] & 0xf0) == 0xe0       ? 3
             : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                           : 0;
  uint32_t c = n ? p[0] & (0x7fu >> n) : 0;
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (p[i] & 0x3f);
  }
  bool shortest = n < 3 || c >= (n == 3 ? 0x800u : 0x10000u);
  return shortest && c <= 0x10ffff && !(c >= 0xd800 && c < 0xe000) && (c & 0xfffe) != 0xfffe ? n
                                                                                             : 0;
}

static void escape(as_str *s, const char *text) {
  for (const char *p = text ? text : ""; *p;) {
    size_t n = character((const unsigned char *)p);
    const char *as = *p == '&'   ? "&amp;"
                     : *p == '<' ? "&lt;"
                     : *p == '>' ? "&gt;"
                     : *p == '"' ? "&quot;"
                     : n == 0    ? "?"
                                 : NULL;
    if (as)
      as_str_add(s, as);
    else
      as_str_addn(s, p, n);
    p += n ? n : 1;
  }
}

static void attribute(as_str *s, const char *name, const char *value) {
  as_str_printf(s, " %s=\"", name);
  for (const char *p = value ? value : "";
       *p;) { /* an attribute is one line: a reader would turn line ends into blanks anyway */
    const char *q = p;
    while (*q && *q != '\n' && *q != '\t')
      q++;
    char *part = as_format("%.*s", (int)(q - p), p);
    escape(s, part);
    free(part);
    if (*q)
      as_str_add(s, " ");
    p = *q ? q + 1 : q;
  }
  as_str_add(s, "\"");
}

void as_report_junit_add(as_report_junit *j, const as_report_junit_case *c) {
  if (j == NULL)
    return;
  as_str *s = &j->cases;
  j->count[c->outcome]++;
  j->seconds += c->seconds;
  as_str_add(s, "    <testcase");
  attribute(s, "classname", c->group);
  attribute(s, "name", c->name);
  as_str_printf(s, " time=\"%.3f\"", c->seconds);
  if (c->outcome == AS_REPORT_JUNIT_PASS) {
    as_str_add(s, "/>\n");
    return;
  }
  const char *element = c->outcome == AS_REPORT_JUNIT_FAIL ? "failure" : "error";
  as_str_printf(s, ">\n      <%s", element);
  attribute(s, "type", c->type);
  attribute(s, "message", c->message);
  as_str_add(s, ">");
  escape(s, c->detail);
  as_str_printf(s, "</%s>\n    </testcase>\n", element);
}

void as_report_junit_judged(as_report_junit *j, const char *group, const char *name, double seconds,
                            const char *why, const as_verdict *v) {
  as_answer answer = v ? v->answer : AS_ANSWER_UNKNOWN;
  as_report_junit_case c = {.group = group,
                            .name = name,
                            .seconds = seconds,
                            .type = answer == AS_ANSWER_PROVED ? "NOT CERTIFIED"
                                                               : as_answer_word(answer),
                            .message = v ? v->why : why};
  c.outcome = answer == AS_ANSWER_REFUTED ? AS_REPORT_JUNIT_FAIL
              : v && v->certified         ? AS_REPORT_JUNIT_PASS
                                          : AS_REPORT_JUNIT_ERROR;
  char *detail = NULL;
  if (v && v->cex_words) {
    detail = as_strdup(v->cex_words);
  } else if (v && v->proof.goal) {
    detail = as_format("goal %s\n%s\n%s\n", v->proof.goal, v->proof.left ? v->proof.left : "",
                       v->proof.right ? v->proof.right : "");
  }
  c.detail = detail;
  as_report_junit_add(j, &c);
  free(detail);
}

bool as_report_junit_write(const as_report_junit *j, const char *path, as_err *err) {
  if (path == NULL)
    return true;
  as_str s;
  as_str_init(&s);
  unsigned all = j->count[0] + j->count[1] + j->count[2];
  as_str_add(&s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  for (int level = 0; level < 2; level++) {
    as_str_add(&s, level ? "  <testsuite" : "<testsuites");
    attribute(&s, "name", level ? j->suite : "assay");
    as_str_printf(&s, " tests=\"%u\" failures=\"%u\" errors=\"%u\"%s time=\"%.3f\">\n", all,
                  j->count[AS_REPORT_JUNIT_FAIL], j->count[AS_REPORT_JUNIT_ERROR],
                  level ? " skipped=\"0\"" : "", j->seconds);
  }
  if (j->cases.n)
    as_str_addn(&s, j->cases.s, j->cases.n);
  as_str_add(&s, "  </testsuite>\n</testsuites>\n");
  bool ok = as_write_file(path, s.s, s.n, err);
  as_str_clear(&s);
  return ok;
}

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

void as_report_junit_free(as_report_junit *suite) {
  if (suite == NULL)
    return;
  as_str_clear(&suite->cases);
  free(suite->suite);
  free(suite);
}

/* the length of the UTF-8 character at p that XML 1.0 allows, 0 where there is none */
static size_t character(const unsigned char *bytes) {
  if (bytes[0] < 0x80)
    return bytes[0] >= 0x20 || bytes[0] == '\n' || bytes[0] == '\t';
  size_t n = bytes[0] >= 0xc2 && bytes[0] < 0xe0   ? 2
             : (bytes[0] & 0xf0) == 0xe0           ? 3
             : bytes[0] >= 0xf0 && bytes[0] < 0xf5 ? 4
                                                   : 0;
  uint32_t code = n ? bytes[0] & (0x7fu >> n) : 0;
  for (size_t i = 1; i < n; i++) {
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (bytes[i] & 0x3f);
  }
  bool shortest = n < 3 || code >= (n == 3 ? 0x800u : 0x10000u);
  return shortest && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) &&
                 (code & 0xfffe) != 0xfffe
             ? n
             : 0;
}

static void escape(as_str *out, const char *text) {
  for (const char *at = text ? text : ""; *at;) {
    size_t n = character((const unsigned char *)at);
    const char *entity = *at == '&'   ? "&amp;"
                         : *at == '<' ? "&lt;"
                         : *at == '>' ? "&gt;"
                         : *at == '"' ? "&quot;"
                         : n == 0     ? "?"
                                      : NULL;
    if (entity)
      as_str_add(out, entity);
    else
      as_str_addn(out, at, n);
    at += n ? n : 1;
  }
}

static void attribute(as_str *out, const char *name, const char *value) {
  as_str_printf(out, " %s=\"", name);
  for (const char *at = value ? value : "";
       *at;) { /* an attribute is one line: a reader would turn line ends into blanks anyway */
    const char *run = at;
    while (*run && *run != '\n' && *run != '\t')
      run++;
    char *part = as_format("%.*s", (int)(run - at), at);
    escape(out, part);
    free(part);
    if (*run)
      as_str_add(out, " ");
    at = *run ? run + 1 : run;
  }
  as_str_add(out, "\"");
}

void as_report_junit_add(as_report_junit *suite, const as_report_junit_case *test) {
  if (suite == NULL)
    return;
  as_str *out = &suite->cases;
  suite->count[test->outcome]++;
  suite->seconds += test->seconds;
  as_str_add(out, "    <testcase");
  attribute(out, "classname", test->group);
  attribute(out, "name", test->name);
  as_str_printf(out, " time=\"%.3f\"", test->seconds);
  if (test->outcome == AS_REPORT_JUNIT_PASS) {
    as_str_add(out, "/>\n");
    return;
  }
  const char *element = test->outcome == AS_REPORT_JUNIT_FAIL ? "failure" : "error";
  as_str_printf(out, ">\n      <%s", element);
  attribute(out, "type", test->type);
  attribute(out, "message", test->message);
  as_str_add(out, ">");
  escape(out, test->detail);
  as_str_printf(out, "</%s>\n    </testcase>\n", element);
}

void as_report_junit_judged(as_report_junit *suite, const char *group, const char *name,
                            double seconds, const char *why, const as_verdict *verdict) {
  as_answer answer = verdict ? verdict->answer : AS_ANSWER_UNKNOWN;
  as_report_junit_case test = {.group = group,
                               .name = name,
                               .seconds = seconds,
                               .type = answer == AS_ANSWER_PROVED ? "NOT CERTIFIED"
                                                                  : as_answer_word(answer),
                               .message = verdict ? verdict->why : why};
  test.outcome = answer == AS_ANSWER_REFUTED     ? AS_REPORT_JUNIT_FAIL
                 : verdict && verdict->certified ? AS_REPORT_JUNIT_PASS
                                                 : AS_REPORT_JUNIT_ERROR;
  char *detail = NULL;
  if (verdict && verdict->cex_words) {
    detail = as_strdup(verdict->cex_words);
  } else if (verdict && verdict->proof.goal) {
    detail = as_format("goal %s\n%s\n%s\n", verdict->proof.goal,
                       verdict->proof.left ? verdict->proof.left : "",
                       verdict->proof.right ? verdict->proof.right : "");
  }
  test.detail = detail;
  as_report_junit_add(suite, &test);
  free(detail);
}

bool as_report_junit_write(const as_report_junit *suite, const char *path, as_err *err) {
  if (path == NULL)
    return true;
  as_str out;
  as_str_init(&out);
  unsigned all = suite->count[0] + suite->count[1] + suite->count[2];
  as_str_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  for (int level = 0; level < 2; level++) {
    as_str_add(&out, level ? "  <testsuite" : "<testsuites");
    attribute(&out, "name", level ? suite->suite : "assay");
    as_str_printf(&out, " tests=\"%u\" failures=\"%u\" errors=\"%u\"%s time=\"%.3f\">\n", all,
                  suite->count[AS_REPORT_JUNIT_FAIL], suite->count[AS_REPORT_JUNIT_ERROR],
                  level ? " skipped=\"0\"" : "", suite->seconds);
  }
  if (suite->cases.n)
    as_str_addn(&out, suite->cases.s, suite->cases.n);
  as_str_add(&out, "  </testsuite>\n</testsuites>\n");
  bool ok = as_write_file(path, out.s, out.n, err);
  as_str_clear(&out);
  return ok;
}

bool as_report_junit_alone(const char *path, const char *group, const char *name,
                           const as_verdict *verdict, as_err *err) {
  as_report_junit *suite = as_report_junit_new(group);
  double seconds = verdict->prove_seconds + verdict->check_seconds;
  as_report_junit_judged(suite, group, name, seconds, NULL, verdict);
  bool ok = as_report_junit_write(suite, path, err);
  as_report_junit_free(suite);
  return ok;
}

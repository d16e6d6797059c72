/* The float test's teeth: candidates that are equal to their programs over the reals, unstable ones
 * rejected in the class that is named, stable ones accepted (cases.txt). */
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/floats/guard.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include "verify/field/field.h"
#include <math.h>
#include <string.h>

enum { LEAST_OF_EACH = 40 };

/* a program of the table, and what has been read of it */
typedef struct {
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *graph;
  as_guard *guard;
} given;

typedef struct {
  int unstable;
  int stable;
  int wrong;
} tally;

static void given_done(given *program) {
  as_guard_free(program->guard);
  if (program->graph)
    as_graph_free(program->graph);
  if (program->sizes)
    as_sizes_free(program->sizes);
  *program = (given){.lib = program->lib};
}

static void given_read(given *program, const char *text, size_t len) {
  as_err err;
  as_err_init(&err);
  given_done(program);
  program->sizes = as_sizes_new();
  program->graph = as_parse_tp("case.tp", text, len, program->sizes, program->lib, &err);
  ck_assert_msg(program->graph != NULL, "%s", program->graph ? "" : as_err_format(&err));
  program->guard = as_guard_new(program->graph, as_target_default(), false, true);
  as_err_clear(&err);
}

/* A candidate that is not equal to its program proves nothing about floats. */
static bool is_equal(const given *program, const as_graph *cand) {
  as_err err;
  as_err_init(&err);
  as_field_report report;
  as_field_options options = as_field_default; /* a mistake in the table is seen at once */
  options.runs = 1;
  options.min_elements = 1;
  options.total_ops = options.max_ops = 200000;
  as_status status = as_field_test(program->graph, cand, &options, &report, &err);
  bool differs = status != AS_OK && status != AS_UNKNOWN;
  as_field_report_clear(&report);
  as_err_clear(&err);
  return !differs;
}

static as_float_class class_named(const char *name, size_t len) {
  for (int i = 0; i < AS_N_FLOAT_CLASSES; i++) {
    if (strlen(as_float_class_rows[i].name) == len &&
        strncmp(as_float_class_rows[i].name, name, len) == 0)
      return (as_float_class)i;
  }
  ck_abort_msg("no class is called %.*s", (int)len, name);
  return AS_N_FLOAT_CLASSES;
}

static void complain(const given *program, const char *title, const as_floats_result *result,
                     tally *count) {
  char *said = as_floats_print(result);
  char *table = as_floats_table(result);
  printf("WRONG %s: %s: %s\n%s", program->graph->name, title, said, table);
  count->wrong++;
  free(table);
  free(said);
}

/* title: `unstable CLASS | what it is`, `stable what it is` */
static void try_candidate(const given *program, char *title, const char *text, size_t len,
                          tally *count) {
  as_err err;
  as_err_init(&err);
  as_graph *cand = as_parse_mug("case.mug", text, len, program->graph, &err);
  ck_assert_msg(cand != NULL, "%s: %s", title, cand ? "" : as_err_format(&err));
  as_floats_result result;
  bool passes = as_guard_test(program->guard, cand, &result);
  ck_assert_msg(is_equal(program, cand), "%s: %s: not equal", program->graph->name, title);
  ck_assert_msg(result.outcome != AS_FLOATS_UNTESTED, "%s: %s", title, result.why);
  char *bar = strchr(title, '|');
  if (bar) {
    const char *class = title + strlen("unstable ");
    as_float_class of = class_named(class, (size_t)(bar - class) - 1);
    bool fails = !passes && result.of_class[of] > AS_FLOATS_FACTOR;
    count->unstable += fails;
    if (!fails)
      complain(program, title, &result, count);
  } else {
    count->stable += passes && !result.is_given;
    if (!passes || as_floats_fails(&result))
      complain(program, title, &result, count);
  }
  as_floats_result_clear(&result);
  as_graph_free(cand);
  as_err_clear(&err);
}

/* the end of a section: where the next one begins, or that of the text */
static char *section_end(char *from) {
  char *next = strstr(from, "\n== ");
  return next ? next + 1 : from + strlen(from);
}

START_TEST(test_table) {
  as_err err;
  as_err_init(&err);
  char *path = test_path("tests/floats/cases.txt");
  size_t len;
  char *text = as_read_file(path, &len, &err);
  ck_assert_msg(text != NULL, "%s", text ? "" : as_err_format(&err));
  given program = {.lib = test_operators()};
  tally count = {0};
  for (char *at = strstr(text, "\n== "); at && *at;) {
    char *title = at[0] == '\n' ? at + strlen("\n== ") : at + strlen("== ");
    char *body = strchr(title, '\n');
    *body++ = 0;
    char *end = section_end(body - 1 < text ? text : body);
    if (strcmp(title, "program") == 0)
      given_read(&program, body, (size_t)(end - body));
    else
      try_candidate(&program, title, body, (size_t)(end - body), &count);
    at = end;
  }
  printf("%d unstable candidates rejected, %d stable ones accepted\n", count.unstable,
         count.stable);
  ck_assert_int_eq(count.wrong, 0);
  ck_assert_int_ge(count.unstable, LEAST_OF_EACH);
  ck_assert_int_ge(count.stable, LEAST_OF_EACH);
  given_done(&program);
  as_oplib_free(program.lib);
  free(text);
  free(path);
  as_err_clear(&err);
}

END_TEST

int main(void) {
  TCase *tests = test_case("floats", 60);
  tcase_add_test(tests, test_table);
  return test_run("floats", tests);
}

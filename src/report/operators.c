#include "operators.h"
#include "semantics/spec_check.h"
#include "src/base/mem.h"
#include "src/base/pool.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_report_operators *how;
  const as_oplib *library;
  as_spec_report *report;
} all_checks;

static void check_one(void *arg, size_t i) {
  all_checks *checks = arg;
  as_spec_check(as_oplib_nth(checks->library, (uint32_t)i), checks->how->seed, &checks->report[i]);
}

static void print_report(const as_spec_report *report) {
  const as_agreement *agreement = &report->agreement;
  printf("%-28s %s: %llu calls, %llu with an axis of 0, %llu of 1; %llu elements, %llu exact, %llu "
         "undefined\n",
         report->op->name, report->defect ? "DEFECT" : "in order",
         (unsigned long long)agreement->calls, (unsigned long long)agreement->empty,
         (unsigned long long)agreement->ones, (unsigned long long)agreement->elements,
         (unsigned long long)agreement->exact, (unsigned long long)agreement->undefined);
  if (report->defect)
    printf("  %s:%d: %s\n", report->op->file, report->op->line, report->defect);
  for (size_t i = 0; i < report->condition.n; i++)
    printf("  defined only if %s\n", AS_VEC_AT(&report->condition, char *, i));
  if (report->negative)
    printf("  every call must show that the extents are at least 0: %s\n", report->negative);
}

static json_t *report_json(const as_spec_report *report) {
  const as_agreement *agreement = &report->agreement;
  json_t *conditions = json_array();
  for (size_t i = 0; i < report->condition.n; i++)
    json_array_append_new(conditions, json_string(AS_VEC_AT(&report->condition, char *, i)));
  return json_pack("{s:s, s:b, s:s*, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:s*}", "name",
                   report->op->name, "in_order", report->defect == NULL, "defect", report->defect,
                   "calls", (json_int_t)agreement->calls, "with_axis_0",
                   (json_int_t)agreement->empty, "with_axis_1", (json_int_t)agreement->ones,
                   "elements", (json_int_t)agreement->elements, "exact",
                   (json_int_t)agreement->exact, "undefined", (json_int_t)agreement->undefined,
                   "defined_only_if", conditions, "negative_extent", report->negative);
}

static void print_json(json_t *value) {
  json_dumpf(value, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(value);
}

as_status as_report_operators_check(const as_report_operators *how, const as_oplib *library) {
  uint32_t n = as_oplib_count(library);
  uint32_t defects = 0;
  uint32_t checked = 0;
  uint32_t partial = 0;
  all_checks checks = {how, library, as_calloc(n + 1, sizeof(as_spec_report))};
  as_parallel(how->threads, n, check_one, &checks);
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    const as_spec_report *report = &checks.report[i];
    if (how->name == NULL || strcmp(report->op->name, how->name) == 0) {
      checked++;
      defects += report->defect != NULL;
      partial += report->condition.n > 0;
      if (!how->json && (!how->quiet || report->defect))
        print_report(report);
      json_array_append_new(list, report_json(report));
    }
    as_spec_report_clear(&checks.report[i]);
  }
  if (how->json) {
    print_json(json_pack("{s:s, s:i, s:i, s:O}", "format", "assay-specifications 1", "operators",
                         (int)checked, "defects", (int)defects, "list", list));
  } else {
    printf("%u operators, %u with defects; %u are not defined everywhere\n", checked, defects,
           partial);
  }
  json_decref(list);
  free(checks.report);
  return defects ? AS_NO : AS_OK;
}

/* --- lists */
static void list_json(const as_oplib *library) {
  json_t *all = json_array();
  for (uint32_t i = 0; i < as_oplib_count(library); i++) {
    const as_opdef *op = as_oplib_nth(library, i);
    char *text = as_opdef_print(op);
    json_array_append_new(all,
                          json_pack("{s:s, s:s, s:i, s:s, s:s}", "name", op->name, "file", op->file,
                                    "line", op->line, "sha256", op->sha256, "text", text));
    free(text);
  }
  print_json(all);
}

/* the first line of an operator's canonical text is its signature */
static void list_signatures(const as_oplib *library) {
  for (uint32_t i = 0; i < as_oplib_count(library); i++) {
    char *text = as_opdef_print(as_oplib_nth(library, i));
    printf("%.*s\n", (int)strcspn(text, "\n"), text);
    free(text);
  }
}

as_status as_report_operators_list(const as_report_operators *how, const as_oplib *library) {
  if (how->name) {
    const as_opdef *op = as_oplib_find(library, how->name);
    char *text = as_opdef_print(op);
    printf("# %s:%d, SHA-256 %s\n%s", op->file, op->line, op->sha256, text);
    free(text);
  } else if (how->json) {
    list_json(library);
  } else {
    list_signatures(library);
  }
  return AS_OK;
}

#include "cli.h"
#include "semantics/spec_check.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the first line of an operator's canonical text is its signature */
static char *signature(const as_opdef *op) {
  char *text = as_opdef_print(op);
  char *nl = strchr(text, '\n');
  if (nl)
    *nl = 0;
  return text;
}

typedef struct {
  const cli_opts *o;
  const as_oplib *lib;
  as_spec_report *report;
} all_checks;

static void check_one(void *arg, size_t i) {
  all_checks *a = arg;
  as_spec_check(as_oplib_nth(a->lib, (uint32_t)i), a->o->seed, &a->report[i]);
}

static void print_report(const as_spec_report *r) {
  const as_agreement *t = &r->agreement;
  printf("%-28s %s: %llu calls, %llu with an axis of 0, %llu of 1; %llu elements, %llu exact, %llu "
         "undefined\n",
         r->op->name, r->defect ? "DEFECT" : "in order", (unsigned long long)t->calls,
         (unsigned long long)t->empty, (unsigned long long)t->ones, (unsigned long long)t->elements,
         (unsigned long long)t->exact, (unsigned long long)t->undefined);
  if (r->defect)
    printf("  %s:%d: %s\n", r->op->file, r->op->line, r->defect);
  for (size_t i = 0; i < r->condition.n; i++)
    printf("  defined only if %s\n", AS_VEC_AT(&r->condition, char *, i));
  if (r->negative)
    printf("  every call must show that the extents are at least 0: %s\n", r->negative);
}

static json_t *report_json(const as_spec_report *r) {
  const as_agreement *t = &r->agreement;
  json_t *conditions = json_array();
  for (size_t i = 0; i < r->condition.n; i++)
    json_array_append_new(conditions, json_string(AS_VEC_AT(&r->condition, char *, i)));
  return json_pack("{s:s, s:b, s:s*, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:s*}", "name", r->op->name,
                   "in_order", r->defect == NULL, "defect", r->defect, "calls",
                   (json_int_t)t->calls, "with_axis_0", (json_int_t)t->empty, "with_axis_1",
                   (json_int_t)t->ones, "elements", (json_int_t)t->elements, "exact",
                   (json_int_t)t->exact, "undefined", (json_int_t)t->undefined, "defined_only_if",
                   conditions, "negative_extent", r->negative);
}

static int check_all(const cli_opts *o, const as_oplib *lib) {
  uint32_t n = as_oplib_count(lib);
  uint32_t defects = 0;
  uint32_t checked = 0;
  uint32_t partial = 0;
  all_checks a = {o, lib, as_calloc(n + 1, sizeof(as_spec_report))};
  as_parallel((unsigned)(o->threads > 64 ? 64 : o->threads), n, check_one, &a);
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    const as_spec_report *r = &a.report[i];
    if (o->n_arg == 0 || strcmp(r->op->name, o->arg[0]) == 0) {
      checked++;
      defects += r->defect != NULL;
      partial += r->condition.n > 0;
      if (!o->json && (!o->quiet || r->defect))
        print_report(r);
      json_array_append_new(list, report_json(r));
    }
    as_spec_report_clear(&a.report[i]);
  }
  if (o->json) {
    json_t *j = json_pack("{s:s, s:i, s:i, s:o}", "format", "assay-specifications 1", "operators",
                          (int)checked, "defects", (int)defects, "list", json_incref(list));
    json_dumpf(j, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(j);
  } else {
    printf("%u operators, %u with defects; %u are not defined everywhere\n", checked, defects,
           partial);
  }
  json_decref(list);
  free(a.report);
  return defects ? AS_NO : AS_OK;
}

int cli_ops(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = cli_library(o, &err);
  int status = 0;
  if (lib == NULL) {
    status = cli_fail(&err);
  } else if (o->n_arg == 1) {
    const as_opdef *op = as_oplib_find(lib, o->arg[0]);
    if (op == NULL) {
      const char *near = as_oplib_suggest(lib, o->arg[0]);
      fprintf(stderr, "assay: unknown operator `%s`%s%s%s\n", o->arg[0],
              near ? " (did you mean `" : "", near ? near : "", near ? "`?)" : "");
      status = AS_BAD_INPUT;
    } else if (o->check) {
      status = check_all(o, lib);
    } else {
      char *text = as_opdef_print(op);
      printf("# %s:%d, SHA-256 %s\n%s", op->file, op->line, op->sha256, text);
      free(text);
    }
  } else if (o->check) {
    status = check_all(o, lib);
  } else if (o->json) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < as_oplib_count(lib); i++) {
      const as_opdef *op = as_oplib_nth(lib, i);
      char *text = as_opdef_print(op);
      json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:s, s:s}", "name", op->name, "file",
                                           op->file, "line", op->line, "sha256", op->sha256, "text",
                                           text));
      free(text);
    }
    json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
  } else {
    for (uint32_t i = 0; i < as_oplib_count(lib); i++) {
      char *s = signature(as_oplib_nth(lib, i));
      printf("%s\n", s);
      free(s);
    }
  }
  as_oplib_free(lib);
  as_err_clear(&err);
  return status;
}

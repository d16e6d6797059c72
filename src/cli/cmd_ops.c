#include "spec_check.h"
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
      status = cli_ops_check(o, lib);
    } else {
      char *text = as_opdef_print(op);
      printf("# %s:%d, SHA-256 %s\n%s", op->file, op->line, op->sha256, text);
      free(text);
    }
  } else if (o->check) {
    status = cli_ops_check(o, lib);
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

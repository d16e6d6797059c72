#include "rt.h"
#include "../base/child.h"
#include "compile.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const *as_rt_main_text(void);

enum { MOST_ARGUMENTS = 12 };

void as_rt_result_clear(as_rt_result *result) {
  free(result->json);
  free(result->log);
  memset(result, 0, sizeof *result);
}

/* ---- the files of the program */
static bool write_in(const char *dir, const char *name, const char *text, as_err *err) {
  char *path = as_format("%s/%s", dir, name);
  bool written = as_write_file(path, text, strlen(text), err);
  free(path);
  return written;
}

/* C has no empty table: one of 0 stands for it */
static void table_of_elems(as_str *out, const char *name, const long *elems, uint32_t n) {
  as_str_printf(out, "static const long %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(out, "%s%ld", i ? ", " : "", elems[i]);
  as_str_add(out, n ? "};\n" : "0};\n");
}

static void table_of_types(as_str *out, const char *name, const as_dtype *types, uint32_t n) {
  as_str_printf(out, "static const int %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(out, "%s%d", i ? ", " : "", (int)types[i]);
  as_str_add(out, n ? "};\n" : "0};\n");
}

bool as_rt_write(const as_lowered *lowered, const char *name, const char *dir, as_err *err) {
  as_str shapes;
  as_str driver;
  as_str_init(&shapes);
  as_str_init(&driver);
  as_str_printf(&shapes, "#define NAME \"%s\"\n#define N_IN %u\n#define N_OUT %u\n", name,
                lowered->n_in, lowered->n_out);
  table_of_elems(&shapes, "in_elems", lowered->in_elems, lowered->n_in);
  table_of_types(&shapes, "in_type", lowered->in_type, lowered->n_in);
  table_of_elems(&shapes, "in_range", lowered->in_range, lowered->n_in);
  table_of_elems(&shapes, "out_elems", lowered->out_elems, lowered->n_out);
  table_of_types(&shapes, "out_type", lowered->out_type, lowered->n_out);
  if (lowered->n_size) {
    as_str_add(&shapes, "static const long long sizes[] = {");
    for (uint32_t i = 0; i < lowered->n_size; i++)
      as_str_printf(&shapes, "%s%lld", i ? ", " : "", (long long)lowered->size[i].value);
    as_str_add(&shapes, "};\n");
  }
  for (const char *const *part = as_rt_main_text(); *part; part++)
    as_str_add(&driver, *part);
  bool written = write_in(dir, "kernel.cu", lowered->cuda, err) &&
                 write_in(dir, "reference.inc", lowered->reference, err) &&
                 write_in(dir, "shapes.inc", shapes.s, err) &&
                 write_in(dir, "main.cu", driver.s, err);
  as_str_clear(&shapes);
  as_str_clear(&driver);
  return written;
}

/* ---- commands: their arguments, one by one */
typedef struct {
  char *argument[MOST_ARGUMENTS + 1]; /* owned, ended by NULL */
  uint32_t n;
} command;

__attribute__((format(printf, 2, 3))) static void add(command *to, const char *fmt, ...) {
  va_list args;
  if (to->n == MOST_ARGUMENTS)
    abort(); /* every call is below, and there are fewer */
  va_start(args, fmt);
  to->argument[to->n++] = as_format_va(fmt, args);
  va_end(args);
}

static void command_clear(command *of) {
  for (uint32_t i = 0; i < of->n; i++)
    free(of->argument[i]);
}

/* result: initialised here, cleared by the caller */
static void run(const command *what, as_child_result *result) {
  as_child_run(&(as_child){.argv = (const char *const *)what->argument}, result);
}

static const char *text_of(const as_str *captured) {
  return captured->s ? captured->s : "";
}

static void execute(const as_rt_opts *opts, as_child_result *result) {
  command program = {.n = 0};
  add(&program, "%s/main", opts->dir);
  add(&program, "--seed");
  add(&program, "%llu", (unsigned long long)(opts->seed ? opts->seed : 1));
  add(&program, "--scale");
  add(&program, "%.17g", opts->scale > 0 ? opts->scale : 1);
  add(&program, "--tolerance");
  add(&program, "%.17g", opts->tolerance > 0 ? opts->tolerance : 5e-3);
  if (opts->timed)
    add(&program, "--time");
  if (opts->dump) {
    add(&program, "--dump");
    add(&program, "%s", opts->dump);
  }
  run(&program, result);
  command_clear(&program);
}

/* ---- what the program printed: one object */
static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : -1;
}

static bool read_result(as_rt_result *result, as_err *err) {
  json_error_t where;
  json_t *object = json_loads(result->json, 0, &where);
  if (!json_is_object(object)) {
    json_decref(object);
    return as_err_set(err, AS_INTERNAL, "the program's result cannot be read: %s\n%s", where.text,
                      result->json);
  }
  result->rel_error = number_of(object, "rel_frobenius");
  result->hot_us = number_of(object, "hot_us");
  result->cold_us = number_of(object, "cold_us");
  json_decref(object);
  return true;
}

static bool run_built(const as_rt_opts *opts, const char *build_log, as_rt_result *result,
                      as_err *err) {
  as_child_result ran;
  execute(opts, &ran);
  bool finished = ran.end == AS_CHILD_EXITED && (ran.status == 0 || ran.status == 1);
  result->json = as_strdup(text_of(&ran.output));
  result->log = as_format("%s%s", build_log, text_of(&ran.errors));
  result->ran = finished;
  result->ok = finished && ran.status == 0;
  result->rel_error = result->hot_us = result->cold_us = -1;
  bool known = write_in(opts->dir, "run.json", text_of(&ran.output), err) &&
               write_in(opts->dir, "run.log", text_of(&ran.errors), err);
  if (known && finished) {
    known = read_result(result, err);
  } else if (known) {
    char *how = as_child_how(&ran);
    known = as_err_set(err, AS_UNKNOWN, "the kernel could not be run (%s): %s", how, result->log);
    free(how);
  }
  as_child_result_clear(&ran);
  return known;
}

bool as_rt_run(const as_lowered *lowered, const char *name, const as_rt_opts *opts,
               as_rt_result *result, as_err *err) {
  memset(result, 0, sizeof *result);
  if (!as_rt_write(lowered, name, opts->dir, err))
    return false;
  char *source = as_format("%s/main.cu", opts->dir);
  char *program = as_format("%s/main", opts->dir);
  char *log = NULL;
  bool known = as_rt_compile(opts, AS_RT_PROGRAM, source, program, &log, err);
  known = write_in(opts->dir, "build.log", log, err) && known;
  known = known && run_built(opts, log, result, err);
  free(source);
  free(program);
  free(log);
  return known;
}

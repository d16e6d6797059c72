#include "rt.h"
#include "../base/child.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const *as_rt_main_text(void);

void as_rt_result_clear(as_rt_result *r) {
  free(r->json);
  free(r->log);
  memset(r, 0, sizeof *r);
}

static bool put(const char *dir, const char *name, const char *text, as_err *err) {
  char *path = as_format("%s/%s", dir, name);
  bool ok = as_write_file(path, text, strlen(text), err);
  free(path);
  return ok;
}

static void table(as_str *s, const char *type, const char *name, const long *v, const as_dtype *t,
                  uint32_t n) {
  as_str_printf(s, "static const %s %s[] = {", type, name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(s, "%s%ld", i ? ", " : "", v ? v[i] : (long)t[i]);
  as_str_add(s, n ? "};\n" : "0};\n");
}

bool as_rt_write(const as_lowered *l, const char *name, const char *dir, as_err *err) {
  as_str s;
  as_str m;
  as_str_init(&s);
  as_str_init(&m);
  as_str_printf(&s, "#define NAME \"%s\"\n#define N_IN %u\n#define N_OUT %u\n", name, l->n_in,
                l->n_out);
  table(&s, "long", "in_elems", l->in_elems, NULL, l->n_in);
  table(&s, "int", "in_type", NULL, l->in_type, l->n_in);
  table(&s, "long", "out_elems", l->out_elems, NULL, l->n_out);
  table(&s, "int", "out_type", NULL, l->out_type, l->n_out);
  for (const char *const *p = as_rt_main_text(); *p; p++)
    as_str_add(&m, *p);
  bool ok = put(dir, "kernel.cu", l->cuda, err) && put(dir, "reference.inc", l->reference, err) &&
            put(dir, "shapes.inc", s.s, err) && put(dir, "main.cu", m.s, err);
  as_str_clear(&s);
  as_str_clear(&m);
  return ok;
}

/* What a run said is kept beside what was run: output and errors, each in a file of that name
 * (NULL: not kept).  result: cleared by the caller. */
static void run(const char *const *argv, const char *dir, const char *output, const char *errors,
                as_child_result *result) {
  as_child_run(&(as_child){.argv = argv, .errors = AS_CHILD_ERRORS_CAPTURED}, result);
  if (output)
    put(dir, output, result->output.s ? result->output.s : "", NULL);
  put(dir, errors, result->errors.s ? result->errors.s : "", NULL);
}

static char *find_nvcc(const as_rt_opts *o) {
  const char *e;
  if (o->nvcc)
    return as_strdup(o->nvcc);
  if ((e = getenv("NVCC")) && *e)
    return as_strdup(e);
  if ((e = getenv("CUDA_HOME")) && *e)
    return as_format("%s/bin/nvcc", e);
  return as_strdup(access("/usr/local/cuda/bin/nvcc", X_OK) ? "nvcc" : "/usr/local/cuda/bin/nvcc");
}

/* -1: there is no such number */
static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : -1;
}

enum { MOST_ARGUMENTS = 24 };

static void build_emulation(const as_rt_opts *o, const as_target *target, const char *source,
                            const char *exe, as_child_result *result) {
  const char *compiler = o->cxx ? o->cxx : getenv("CXX");
  char *include = as_format("-I%s", o->emu_dir ? o->emu_dir : ".");
  char *shared = as_format("-DAS_EMU_SHARED_BLOCK=%ld", target->shared_block);
  char *grid = as_format("-DAS_EMU_GRID=%lld", (long long)target->grid[0]);
  char *threads = as_format("-DAS_EMU_THREADS=%u", target->threads_block);
  const char *args[MOST_ARGUMENTS] = {compiler && *compiler ? compiler : "g++",
                                      "-std=c++17",
                                      "-O1",
                                      "-DAS_EMU",
                                      shared,
                                      grid,
                                      threads,
                                      "-Wall",
                                      "-Wno-unknown-pragmas",
                                      include,
                                      "-x",
                                      "c++",
                                      source,
                                      "-o",
                                      exe,
                                      o->sanitize ? "-fsanitize=undefined" : NULL};
  run(args, o->dir, NULL, "build.log", result);
  free(include);
  free(shared);
  free(grid);
  free(threads);
}

static void build_cuda(const as_rt_opts *o, const as_target *target, const char *source,
                       const char *exe, as_child_result *result) {
  char *arch = as_format("-arch=%s", target->arch);
  char *nvcc = find_nvcc(o);
  const char *const args[] = {nvcc,      "-std=c++17",   "-O3",        arch,
                              "-Werror", "all-warnings", "-Xcompiler", "-Wall,-fopenmp",
                              source,    "-o",           exe,          NULL};
  run(args, o->dir, NULL, "build.log", result);
  free(arch);
  free(nvcc);
}

static void build(const as_rt_opts *o, const char *exe, as_child_result *result) {
  const as_target *target = o->target ? o->target : as_target_default();
  char *source = as_format("%s/main.cu", o->dir);
  if (o->emulate)
    build_emulation(o, target, source, exe, result);
  else
    build_cuda(o, target, source, exe, result);
  free(source);
}

static void execute(const as_rt_opts *o, const char *exe, as_child_result *result) {
  char *seed = as_format("%llu", (unsigned long long)(o->seed ? o->seed : 1));
  char *scale = as_format("%.17g", o->scale > 0 ? o->scale : 1);
  char *tolerance = as_format("%.17g", o->tolerance > 0 ? o->tolerance : 5e-3);
  const char *args[MOST_ARGUMENTS] = {exe,   "--seed",      seed,     "--scale",
                                      scale, "--tolerance", tolerance};
  int n = 7;
  if (o->timed)
    args[n++] = "--time";
  if (o->dump) {
    args[n++] = "--dump";
    args[n++] = o->dump;
  }
  run(args, o->dir, "run.json", "run.log", result);
  free(seed);
  free(scale);
  free(tolerance);
}

static const char *said(const as_str *text) {
  return text->s ? text->s : "";
}

/* what the program printed of itself: one line of JSON */
static void read_numbers(as_rt_result *r) {
  json_t *told = json_loads(r->json, 0, NULL);
  r->rel_error = number(told, "rel_frobenius");
  r->hot_us = number(told, "hot_us");
  r->cold_us = number(told, "cold_us");
  json_decref(told);
}

static bool run_built(const as_rt_opts *o, const char *exe, const char *build_log, as_rt_result *r,
                      as_err *err) {
  as_child_result result;
  execute(o, exe, &result);
  bool ended = result.end == AS_CHILD_EXITED;
  r->json = as_strdup(said(&result.output));
  r->log = as_format("%s%s", build_log, said(&result.errors));
  r->ran = ended && (result.status == AS_OK || result.status == AS_NO);
  r->ok = ended && result.status == AS_OK;
  read_numbers(r);
  if (!r->ran) {
    char *how = as_child_how(&result);
    as_err_set(err, AS_UNKNOWN, "the kernel could not be run (it %s): %s", how, r->log);
    free(how);
  }
  as_child_result_clear(&result);
  return r->ran;
}

bool as_bench_program(const as_lowered *l, const char *name, const as_rt_opts *o, as_rt_result *r,
                      as_err *err) {
  memset(r, 0, sizeof *r);
  if (!as_rt_write(l, name, o->dir, err))
    return false;
  char *exe = as_format("%s/main", o->dir);
  as_child_result built;
  build(o, exe, &built);
  bool ok = false;
  if (built.end == AS_CHILD_NOT_STARTED) {
    char *how = as_child_how(&built);
    as_err_set(err, AS_UNKNOWN, "no compiler for %s: it %s", o->emulate ? "the emulation" : "CUDA",
               how);
    free(how);
  } else if (built.end != AS_CHILD_EXITED || built.status != 0) {
    as_err_set(err, AS_INTERNAL, "the emitted kernel does not compile:\n%s", said(&built.errors));
  } else {
    ok = run_built(o, exe, said(&built.errors), r, err);
  }
  as_child_result_clear(&built);
  free(exe);
  return ok;
}

#include "rt.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* runs argv, standard output and error into files; gives the exit status, -1 when it could not be
 * started */
static int run(char *const *argv, const char *out, const char *errs) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0)
    return -1;
  if (!pid) {
    if (!freopen(out, "w", stdout) || !freopen(errs, "w", stderr))
      _exit(127);
    execvp(argv[0], argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  int st = 0;
  while (waitpid(pid, &st, 0) < 0) {
    if (errno != EINTR)
      return -1;
  }
  return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
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

static char *slurp(const char *path) {
  size_t n;
  as_err e;
  as_err_init(&e);
  char *t = as_read_file(path, &n, &e);
  as_err_clear(&e);
  return t ? t : as_strdup("");
}

static double field(const char *json, const char *key) {
  char *k = as_format("\"%s\": ", key);
  char *p = strstr(json, k);
  double v = -1;
  if (p) {
    char *end;
    double x = strtod(p + strlen(k), &end);
    if (end != p + strlen(k))
      v = x;
  }
  free(k);
  return v;
}

static int build(const as_rt_opts *o, const char *exe, const char *log) {
  char *src = as_format("%s/main.cu", o->dir);
  char *inc = as_format("-I%s", o->emu_dir ? o->emu_dir : ".");
  const as_target *target = o->target ? o->target : as_target_default();
  char *arch = as_format("-arch=%s", target->arch);
  char *shared = as_format("-DAS_EMU_SHARED_BLOCK=%ld", target->shared_block);
  char *grid = as_format("-DAS_EMU_GRID=%lld", (long long)target->grid[0]);
  char *threads = as_format("-DAS_EMU_THREADS=%u", target->threads_block);
  char *nvcc = find_nvcc(o);
  char *args[24];
  int n = 0;
  int st;
  if (o->emulate) {
    const char *cxx = o->cxx ? o->cxx : getenv("CXX") && *getenv("CXX") ? getenv("CXX") : "g++";
    const char *fixed[] = {
        cxx,     "-std=c++17",           "-O1", "-DAS_EMU", shared, grid, threads,
        "-Wall", "-Wno-unknown-pragmas", inc};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
      args[n++] = (char *)(uintptr_t)fixed[i];
    if (o->sanitize)
      args[n++] = (char *)(uintptr_t) "-fsanitize=undefined";
    args[n++] = (char *)(uintptr_t) "-x";
    args[n++] = (char *)(uintptr_t) "c++";
  } else {
    const char *fixed[] = {nvcc,      "-std=c++17",   "-O3",        arch,
                           "-Werror", "all-warnings", "-Xcompiler", "-Wall,-fopenmp"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
      args[n++] = (char *)(uintptr_t)fixed[i];
  }
  args[n++] = src;
  args[n++] = (char *)(uintptr_t) "-o";
  args[n++] = (char *)(uintptr_t)exe;
  args[n] = NULL;
  st = run(args, "/dev/null", log);
  free(src);
  free(inc);
  free(arch);
  free(shared);
  free(grid);
  free(threads);
  free(nvcc);
  return st;
}

static int execute(const as_rt_opts *o, const char *exe, const char *out, const char *log) {
  char seed[32];
  char scale[40];
  char tol[40];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)(o->seed ? o->seed : 1));
  snprintf(scale, sizeof scale, "%.17g", o->scale > 0 ? o->scale : 1);
  snprintf(tol, sizeof tol, "%.17g", o->tolerance > 0 ? o->tolerance : 5e-3);
  char *args[16] = {(char *)(uintptr_t)exe,
                    (char *)(uintptr_t) "--seed",
                    seed,
                    (char *)(uintptr_t) "--scale",
                    scale,
                    (char *)(uintptr_t) "--tolerance",
                    tol};
  int n = 7;
  if (o->timed)
    args[n++] = (char *)(uintptr_t) "--time";
  if (o->dump) {
    args[n++] = (char *)(uintptr_t) "--dump";
    args[n++] = (char *)(uintptr_t)o->dump;
  }
  args[n] = NULL;
  return run(args, out, log);
}

bool as_bench_program(const as_lowered *l, const char *name, const as_rt_opts *o, as_rt_result *r,
                      as_err *err) {
  memset(r, 0, sizeof *r);
  if (!as_rt_write(l, name, o->dir, err))
    return false;
  char *exe = as_format("%s/main", o->dir);
  char *log = as_format("%s/build.log", o->dir);
  char *out = as_format("%s/run.json", o->dir);
  char *rlog = as_format("%s/run.log", o->dir);
  bool ok = false;
  int st = build(o, exe, log);
  char *text = slurp(log);
  if (st == 127 || st < 0) {
    as_err_set(err, AS_UNKNOWN, "no compiler for %s: %s", o->emulate ? "the emulation" : "CUDA",
               text);
  } else if (st) {
    as_err_set(err, AS_INTERNAL, "the emitted kernel does not compile:\n%s", text);
  } else {
    st = execute(o, exe, out, rlog);
    char *more = slurp(rlog);
    r->json = slurp(out);
    r->log = as_format("%s%s", text, more);
    free(more);
    r->ran = st == 0 || st == 1;
    r->ok = st == 0;
    r->rel_error = field(r->json, "rel_frobenius");
    r->hot_us = field(r->json, "hot_us");
    r->cold_us = field(r->json, "cold_us");
    ok = r->ran || as_err_set(err, AS_UNKNOWN, "the kernel could not be run (exit status %d): %s",
                              st, r->log);
  }
  free(text);
  free(exe);
  free(log);
  free(out);
  free(rlog);
  return ok;
}

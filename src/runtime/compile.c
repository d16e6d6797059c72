#include "compile.h"
#include "../base/child.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 32 };

/* an argument vector whose words are owned */
typedef struct {
  char *word[MOST_WORDS + 1];
  uint32_t n;
} command;

static void add(command *c, char *word) {
  if (c->n == MOST_WORDS) /* the words are those of this file: a broken invariant */
    abort();
  c->word[c->n++] = word;
}

static void add_all(command *c, const char *const *words) {
  for (uint32_t i = 0; words[i] != NULL; i++)
    add(c, as_strdup(words[i]));
}

static void command_clear(command *c) {
  for (uint32_t i = 0; i < c->n; i++)
    free(c->word[i]);
}

static char *cuda_compiler(const as_rt_opts *o) {
  const char *named = getenv("NVCC");
  if (o->nvcc)
    return as_strdup(o->nvcc);
  if (named && *named)
    return as_strdup(named);
  named = getenv("CUDA_HOME");
  if (named && *named)
    return as_format("%s/bin/nvcc", named);
  return as_strdup(access("/usr/local/cuda/bin/nvcc", X_OK) ? "nvcc" : "/usr/local/cuda/bin/nvcc");
}

static char *host_compiler(const as_rt_opts *o) {
  const char *named = getenv("CXX");
  if (o->cxx)
    return as_strdup(o->cxx);
  return as_strdup(named && *named ? named : "g++");
}

static void for_emulation(command *c, const as_rt_opts *o, const as_target *target,
                          as_rt_product kind) {
  add(c, host_compiler(o));
  add_all(c, (const char *const[]){"-std=c++17", "-DAS_EMU", NULL});
  if (o->trial)
    add_all(c, (const char *const[]){"-Og", "-w", NULL});
  else
    add_all(c, (const char *const[]){o->unoptimized ? "-O0" : "-O1", "-Wall",
                                     "-Wno-unknown-pragmas", NULL});
  add(c, as_format("-DAS_EMU_SHARED_BLOCK=%ld", target->shared_block));
  add(c, as_format("-DAS_EMU_GRID=%lld", (long long)target->grid[0]));
  add(c, as_format("-DAS_EMU_THREADS=%u", target->threads_block));
  add(c, as_format("-I%s", o->emu_dir ? o->emu_dir : "."));
  if (o->sanitize)
    add(c, as_strdup("-fsanitize=undefined"));
  if (kind == AS_RT_LIBRARY)
    add_all(c, (const char *const[]){"-shared", "-fPIC", NULL});
  add_all(c, (const char *const[]){"-x", "c++", NULL});
}

static void for_gpu(command *c, const as_rt_opts *o, const as_target *target, as_rt_product kind) {
  add(c, cuda_compiler(o));
  add_all(c, (const char *const[]){"-std=c++17", "-O3", "-Werror", "all-warnings", NULL});
  /* not -arch=: for a shared library some versions of nvcc make code for the base architecture of
   * it as well, which has not all instructions */
  add(c, as_format("-gencode=arch=compute_%s,code=%s", target->arch + strlen("sm_"), target->arch));
  if (kind == AS_RT_PROGRAM)
    add_all(c, (const char *const[]){"-Xcompiler", "-Wall,-fopenmp", NULL});
  else if (kind == AS_RT_LIBRARY)
    add_all(c, (const char *const[]){"-shared", "-Xcompiler", "-Wall,-fPIC", NULL});
  else
    add(c, as_strdup("-cubin"));
}

bool as_rt_compile(const as_rt_opts *o, as_rt_product kind, const char *source, const char *product,
                   char **log, as_err *err) {
  command c = {.n = 0};
  const as_target *target = o->target ? o->target : as_target_default();
  if (o->emulate)
    for_emulation(&c, o, target, kind);
  else
    for_gpu(&c, o, target, kind);
  add(&c, as_strdup(source));
  add(&c, as_strdup("-o"));
  add(&c, as_strdup(product));
  if (o->emulate) /* dlopen, where it is not the C library's; nvcc says so by itself */
    add_all(&c, (const char *const[]){"-x", "none", "-ldl", NULL});
  c.word[c.n] = NULL;
  as_child child = {.argv = (const char *const *)c.word, .errors = AS_CHILD_ERRORS_MERGED};
  as_child_result result;
  as_child_run(&child, &result);
  const char *said = result.output.s ? result.output.s : "";
  bool ok = result.end == AS_CHILD_EXITED && result.status == 0;
  if (result.end == AS_CHILD_NOT_STARTED) {
    as_err_set(err, AS_UNKNOWN, "no compiler for %s: %s cannot be started",
               o->emulate ? "the emulation" : "CUDA", c.word[0]);
  } else if (!ok) {
    as_err_set(err, AS_INTERNAL, "the emitted kernel does not compile:\n%s", said);
  }
  if (log)
    *log = as_strdup(said);
  as_child_result_clear(&result);
  command_clear(&c);
  return ok;
}

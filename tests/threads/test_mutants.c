/* The validator judged: small kernels are changed at random; none that it accepts may ever be seen
 * wrong by the interpreter.  AS_THREADS_MUTANTS: how many (default 150, in `make check-long` 400),
 * AS_THREADS_SEED, AS_THREADS_FROM: of the cases from this number on. */
#include "cases.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define QUICK_RUNS 4
#define DEEP_RUNS 12

typedef struct {
  unsigned accepted;
  unsigned refused_wrong;
  unsigned refused_only;
  unsigned violations;
} tally;

static long setting(const char *name, long otherwise) {
  const char *v = getenv(name);
  return v && *v ? strtol(v, NULL, 10) : otherwise;
}

static void judge(opened *o, as_tg *g, const char *kind, uint64_t seed, tally *t, bool show) {
  char *why = NULL;
  bool accepted = as_threads_validate(g, o->isa, &o->ref, &why);
  const char *seen =
      interp_judge(g, o->tensor, o->c->block, accepted ? DEEP_RUNS : QUICK_RUNS, seed);
  if (accepted && seen) {
    char *text = as_tg_print(g);
    printf("VIOLATION: %s: %s: accepted, but %s (seed %llu)\n%s\n", o->c->name, kind, seen,
           (unsigned long long)seed, text);
    free(text);
    t->violations++;
  } else if (accepted) {
    t->accepted++;
  } else if (seen) {
    t->refused_wrong++;
  } else {
    if (show)
      printf("refused, never seen wrong: %s: %s: %s\n", o->c->name, kind, why);
    t->refused_only++;
  }
  free(why);
}

int main(void) {
  long total = setting("AS_THREADS_MUTANTS", getenv("AS_LONG") ? 400 : 150);
  uint64_t seed = (uint64_t)setting("AS_THREADS_SEED", 1);
  bool show = setting("AS_THREADS_SHOW", 0);
  unsigned first = (unsigned)setting("AS_THREADS_FROM", 0);
  opened *all = as_calloc(n_thread_cases, sizeof *all);
  tally t = {0, 0, 0, 0};
  unsigned failures = 0;
  for (unsigned i = 0; i < n_thread_cases; i++) {
    case_open(&all[i], &thread_cases[i]);
    const char *seen =
        interp_judge(all[i].kernel.graph, all[i].tensor, all[i].c->block, DEEP_RUNS, seed);
    if (seen)
      printf("%s: lowered and validated, but %s\n", all[i].c->name, seen);
    failures += seen != NULL;
  }
  as_rng r;
  as_rng_seed(&r, seed);
  for (long n = 0; n < total;) {
    opened *o = &all[first + as_rng_below(&r, n_thread_cases - first)];
    as_tg *g = as_tg_copy(o->kernel.graph);
    const char *kind = NULL;
    unsigned changes = as_rng_below(&r, 4) ? 1 : 2;
    for (unsigned i = 0; i < changes; i++) {
      const char *k = mutate(g, &r);
      kind = k ? k : kind;
    }
    if (kind) {
      judge(o, g, kind, seed + (uint64_t)n, &t, show);
      n++;
    }
    as_tg_free(g);
  }
  printf(
      "%ld mutants, seed %llu: %u accepted and right, %u refused and wrong, %u refused and never "
      "seen wrong, %u accepted and wrong\n",
      total, (unsigned long long)seed, t.accepted, t.refused_wrong, t.refused_only, t.violations);
  for (unsigned i = 0; i < n_thread_cases; i++)
    case_close(&all[i]);
  free(all);
  return failures || t.violations ? 1 : 0;
}

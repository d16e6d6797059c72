/* `assay bench`: lowers, compiles, checks against the program's own reference and times on a GPU. */
#include "cli.h"
#include "src/lower/lower.h"
#include "src/runtime/rt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_bench(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  cli_case c;
  bool dir = o->n_arg == 1;
  char *prog = dir ? as_format("%s/program.tp", o->arg[0]) : as_strdup(o->arg[0]), *cand = dir ? as_format("%s/candidate.mug", o->arg[0]) : as_strdup(o->arg[1]),
       *work = as_format("%s/bench", dir ? o->arg[0] : o->out ? o->out : ".");
  as_lowered low;
  as_lowered_init(&low);
  as_rt_result r = {0};
  int status = AS_INTERNAL;
  cli_opts local = *o;
  char *sem = as_format("%s/semantics", o->arg[0]);
  as_vec own = o->sem;
  if (dir && o->sem.n == 0 && cli_exists(sem)) { /* the specifications that the directory was certified with */
    as_vec_init(&own, sizeof(char *));
    as_vec_push(&own, &sem);
    local.sem = own;
  }
  bool ok = cli_load(&local, prog, cand, &c, &err);
  if (ok && mkdir(work, 0777) != 0 && !cli_exists(work)) ok = as_err_set(&err, AS_BAD_INPUT, "%s: cannot be made", work);
  if (ok) ok = as_lower_cuda(c.cand, NULL, &low, &err);
  as_rt_opts opts = {.dir = work, .arch = o->arch, .timed = true, .seed = o->seed};
  if (ok) ok = as_bench_program(&low, c.spec->name, &opts, &r, &err);
  if (ok && o->json && r.json) printf("%s\n", r.json);
  if (ok && !o->json)
    printf("%s: relative error %.3g, %.2f us hot, %.2f us cold: %s\n", c.spec->name, r.rel_error, r.hot_us, r.cold_us, r.ok ? "correct" : "WRONG");
  status = ok ? (r.ok ? AS_OK : AS_NO) : cli_fail(&err);
  if (own.data != o->sem.data) as_vec_clear(&own);
  as_rt_result_clear(&r);
  as_lowered_clear(&low);
  cli_case_clear(&c);
  free(prog), free(cand), free(work), free(sem);
  as_err_clear(&err);
  return status;
}

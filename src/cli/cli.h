/* What the commands of `assay` share: options, specifications, and the parts of a result directory.
 * May include everything below it.  Private to src/cli. */
#ifndef AS_CLI_H
#define AS_CLI_H
#include "options.h"
#include "src/report/judged.h"
#include "src/target/target.h"
#include "verify/judge/job.h"

/* ---- commands: each gives the exit status */
int cli_certify(const cli_opts *opts);
int cli_optimize(const cli_opts *opts);
int cli_merge(const cli_opts *opts); /* the same, with shares of the search as arguments */
int cli_check(const cli_opts *opts);
int cli_regress(const cli_opts *opts);
int cli_bench(const cli_opts *opts);
int cli_build(const cli_opts *opts);
int cli_run(const cli_opts *opts);
int cli_explain(const cli_opts *opts);
int cli_lift(const cli_opts *opts);
int cli_ops(const cli_opts *opts);

/* The GPU meant: --arch; otherwise what the result directory dir records (NULL: there is none);
 * otherwise the default.  NULL with err filled: no such GPU. */
const as_target *cli_target(const cli_opts *opts, const char *dir, as_err *err);

/* what the options say to readers of other programs' tile programs; borrows from opts */
as_import_tile_options cli_tile_options(const cli_opts *opts);

/* ---- specifications */
/* those of --sem, or the installed ones; gives a library, NULL with err */
as_oplib *cli_library(const cli_opts *opts, as_err *err);
/* the folder of the installed specifications: ASSAY_SEM, beside the executable, or where `make
 * install` put it; malloc'ed */
char *cli_sem_dir(void);
char *cli_exe_dir(void); /* malloc'ed */
/* the folder that holds the second checker's package `second`, installed or of the source tree;
 * malloc'ed, or NULL: there is none */
char *cli_second_dir(void);

/* ---- what a command is about: a result directory (one argument), or its parts named one by one */
typedef struct {
  char *prog;
  char *cand;
  char *cert;    /* owned; empty where none was named */
  char *sem;     /* the directory's own specifications */
  cli_opts opts; /* the command's, reading the directory's own specifications unless others were
                    asked for */
  bool own_sem;
} cli_place;

void cli_place_init(cli_place *p, const cli_opts *opts);
void cli_place_clear(cli_place *p);
/* false with err: a single argument names no result directory */
bool cli_place_is_there(const cli_place *place, const cli_opts *opts, as_err *err);
/* Where the directory's own specifications were read into `own`: says on standard error which of
 * those that the result relies on differ from yours.  opts: as they were given. */
void cli_place_tell_others(const cli_place *place, const cli_opts *opts, const as_oplib *own);

#endif

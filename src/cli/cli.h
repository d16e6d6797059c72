/* What the commands of `assay` share: options, specifications, and the parts of a result directory.
 * May include everything below it.  Private to src/cli. */
#ifndef AS_CLI_H
#define AS_CLI_H
#include "src/report/judged.h"
#include "src/target/target.h"
#include "verify/judge/job.h"

/* ---- options: one row each; help, parsing and the manual read the same table */
#define CLI_OPTIONS(X)                                                                             \
  X(sem, 's', STRINGS, "PATH",                                                                     \
    "read operator specifications from PATH (a .sem file or a folder) instead of the installed "   \
    "ones")                                                                                        \
  X(out, 'o', STRING, "DIR", "write the result directory here")                                    \
  X(from, 'F', STRING, "FORMAT",                                                                   \
    "certify: the second argument is a file of candidates of another program: mirage")             \
  X(to, 'O', STRING, "FORMAT",                                                                     \
    "certify: write what is certified in the format of another program, to the file named by the " \
    "last argument: mirage")                                                                       \
  X(force, 'f', FLAG, NULL, "replace an existing result directory")                                \
  X(json, 'j', FLAG, NULL, "print one JSON object on standard output")                             \
  X(junit, 'x', STRING, "FILE", "write the verdicts as JUnit XML here as well")                    \
  X(baseline, 'b', STRING, "FILE", "regress: the baseline (default assay-baseline.json)")          \
  X(update, 'U', FLAG, NULL, "regress: accept the verdicts of now, record facts that are new")     \
  X(all, 'A', FLAG, NULL, "regress: judge everything again, also what stands")                     \
  X(check, 'c', FLAG, NULL,                                                                        \
    "ops: check the specifications themselves: shapes, evaluators, where they are defined")        \
  X(require, 'R', STRING, "LIST",                                                                  \
    "what certified demands: check,field (default), also z3,cvc5; `check` alone is the least")     \
  X(solvers, 'S', STRING, "LIST",                                                                  \
    "solvers to ask for a second opinion: z3, cvc5, both (default; with --from and in regress: "   \
    "none), none")                                                                                 \
  X(solver_seconds, 'T', NUMBER, "N", "time limit of each solver, seconds (default 20)")           \
  X(direction, 'd', STRING, "WHICH",                                                               \
    "certify and regress, of rules: forward (default), backward, both")                            \
  X(seed, 'r', NUMBER, "N", "seed of random tests and of the search (default 1)")                  \
  X(threads, 't', NUMBER, "N", "threads of the search and of regress (default: all processors)")   \
  X(seconds, 'l', NUMBER, "N", "last resort time limit of the search, seconds (default 150)")      \
  X(prune, 'p', STRING, "HOW", "abstract-expression pruning in the search: exact (default) or z3") \
  X(arch, 'a', STRING, "SM",                                                                       \
    "plan for and compile for this GPU or architecture: sm_90a (H200, default), sm_80 (A100), ..") \
  X(smt, 'w', FLAG, NULL, "keep the SMT-LIB obligations beside the certificate")                   \
  X(full, 'u', FLAG, NULL, "explain: every step of the proof, nothing folded")                     \
  X(quiet, 'q', FLAG, NULL, "print the verdict only")                                              \
  X(verbose, 'v', FLAG, NULL, "print more")

typedef enum { CLI_FORWARD, CLI_BACKWARD, CLI_BOTH } cli_direction; /* of rules */

typedef struct {
  as_vec sem; /* of char * */
  char *out;
  char *from;
  char *to;
  char *junit;
  char *require;
  char *solvers;
  char *direction; /* --direction as it is written */
  cli_direction way;
  char *prune;
  char *arch;
  bool force;
  bool json;
  bool smt;
  bool full;
  bool quiet;
  bool verbose;
  uint64_t seed;
  uint64_t threads;
  uint64_t seconds;
  uint64_t solver_seconds;
  as_policy policy; /* of require, solvers, solver_seconds, seed, smt */
  char *baseline;
  bool update;
  bool all;   /* regress */
  bool check; /* ops */
  char **arg;
  uint32_t n_arg; /* what is no option */
} cli_opts;

typedef struct {
  const char *name;
  const char *args;
  const char *what;
  uint32_t least;
  uint32_t most;                 /* number of arguments */
  int (*run)(const cli_opts *o); /* gives the exit status */
} cli_command;

extern const cli_command cli_commands[];
extern const uint32_t cli_n_commands;
int cli_certify(const cli_opts *o);
int cli_import(const cli_opts *o);        /* certify --from */
int cli_certify_rules(const cli_opts *o); /* certify FILE.rule... */
int cli_optimize(const cli_opts *o);
int cli_check(const cli_opts *o);
int cli_regress(const cli_opts *o);
int cli_bench(const cli_opts *o);
int cli_explain(const cli_opts *o);
int cli_ops(const cli_opts *o);
bool cli_parse(int argc, char **argv, cli_opts *o, const cli_command **cmd, int *status);
void cli_help(const cli_command *cmd); /* NULL: all */

/* The GPU meant: --arch; otherwise what the result directory dir records (NULL: there is none);
 * otherwise the default.  NULL with err filled: no such GPU. */
const as_target *cli_target(const cli_opts *o, const char *dir, as_err *err);

/* ---- specifications */
/* those of --sem, or the installed ones; gives a library, NULL with err */
as_oplib *cli_library(const cli_opts *o, as_err *err);
/* the folder of the installed specifications: ASSAY_SEM, beside the executable, or where `make
 * install` put it; malloc'ed */
char *cli_sem_dir(void);
char *cli_exe_dir(void);         /* malloc'ed */
int cli_fail(const as_err *err); /* prints it; gives the exit status */

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

void cli_place_init(cli_place *p, const cli_opts *o);
void cli_place_clear(cli_place *p);

#endif

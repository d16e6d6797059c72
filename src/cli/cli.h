/* What the commands of `assay` share: options, loading of programs and candidates, verdicts, result
 * directories. May include everything below it.  Private to src/cli. */
#ifndef AS_CLI_H
#define AS_CLI_H
#include "proofs/checker/ck_cert.h"
#include "src/ir/graph.h"
#include "src/report/report.h"
#include "src/target/target.h"
#include "verify/field/field.h"
#include "verify/prove/prove.h"
#include "verify/refute/refute.h"
#include "verify/smt/smt.h"

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

typedef struct {
  as_vec sem; /* of char * */
  char *out;
  char *from;
  char *to;
  char *junit;
  char *require;
  char *solvers;
  char *direction;
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

/* ---- loading */
typedef struct {
  char *spec_path;
  char *cand_path; /* borrowed; cand_path NULL where there is none */
  as_sizes *sizes;
  as_oplib *lib;
  as_graph *spec;
  as_graph *cand; /* a candidate program is a graph of its own */
} cli_case;

bool cli_load(const cli_opts *o, const char *spec, const char *cand, cli_case *c, as_err *err);
void cli_case_clear(cli_case *c);
/* the folder of the installed specifications: ASSAY_SEM, beside the executable, or where `make
 * install` put it; malloc'ed */
char *cli_sem_dir(void);
char *cli_exe_dir(void);         /* malloc'ed */
int cli_fail(const as_err *err); /* prints it; gives the exit status */

/* ---- what a command is about: a result directory (one argument), or its parts named one by one */
typedef struct {
  char *prog;
  char *cand;
  char *cert;
  char
      *sem; /* owned; cert is empty where none was named; sem: the directory's own specifications */
  cli_opts opts; /* the command's, reading the directory's own specifications unless others were
                    asked for */
  bool own_sem;
} cli_place;

void cli_place_init(cli_place *p, const cli_opts *o);
void cli_place_clear(cli_place *p);

/* ---- verdicts */
typedef enum { CLI_PROVED, CLI_REFUTED, CLI_UNKNOWN } cli_answer;

typedef struct {
  cli_answer answer;
  char *reason;   /* why not proved or not certified; NULL when certified */
  bool certified; /* proved, checked, and everything that --require names agrees */
  as_proof_result proof;
  char *theorem;
  char *theorem_shown; /* as the checker states it; its relations in a form to be read */

  struct {
    char *name;
    char *sha256;
  } * relied;

  uint32_t n_relied;
  bool checked;
  char *check_why;
  ck_usage usage;
  bool field_ran;
  as_field_report field;
  char *field_words;
  bool cex_found;
  as_cex cex;
  char *cex_words;
  bool smt_ran;
  bool smt_disputes;
  char *smt_text;
  uint32_t smt_queries;
  char *smt_why;
  bool z3_asked;
  bool cvc5_asked;
  as_smt_result z3;
  as_smt_result cvc5;
  double prove_seconds;
  double check_seconds;
  char *outline; /* the proof for people, HTML; where a report is to be written (opts.out) */
} cli_verdicts;

/* spec and candidate as texts with names for messages; sem files come from the library of the case
 */
bool cli_judge(const cli_opts *o, const cli_case *c, const ck_text *spec, const ck_text *cand,
               cli_verdicts *v, as_err *err);
void cli_verdicts_init(cli_verdicts *v);
void cli_verdicts_clear(cli_verdicts *v);
void cli_print_verdicts(const cli_verdicts *v, bool verbose);

/* counterexamples in report.json (json_t *, the caller's), and back: the case must hold the same
 * programs; x is to be cleared in any case */
void *as_report_cex_json(const cli_case *c, const as_cex *x);
bool as_report_cex_read(void *from, const cli_case *c, as_cex *x, as_err *err);
/* evaluated at its sizes and inputs: AS_NO with *now filled where they differ, else as
 * as_compare_at */
as_status as_report_cex_again(const cli_case *c, const as_cex *told, as_cex *now, as_err *err);

/* ---- result directories: files are collected in memory and appear together, by one rename */
typedef struct {
  char *name;
  char *data;
  size_t n;
} as_report_file;

typedef struct {
  as_vec file; /* of cli_file */
} as_report_dir;

void as_report_dir_init(as_report_dir *r);
void as_report_dir_add(as_report_dir *r, const char *name, const char *data, size_t n); /* copies */
/* whether a directory may be made (or, with force, replaced) there */
bool as_report_dir_place(const char *dir, bool force, as_err *err);
bool as_report_dir_write(const as_report_dir *r, const char *dir, bool force, as_err *err);
void as_report_dir_clear(as_report_dir *r);
/* the whole directory; kernel, extra (json_t *, borrowed) may be NULL */
bool as_report_package(const cli_opts *o, const char *dir, const cli_case *c, const ck_text *spec,
                       const ck_text *cand, const cli_verdicts *v, const char *kernel, void *extra,
                       as_err *err);
/* the files of that directory, added to a result */
bool as_report_collect(const cli_case *c, const ck_text *spec, const ck_text *cand,
                       const cli_verdicts *v, const char *kernel, void *extra, as_report_dir *r,
                       as_err *err);
/* report.json: verdicts, hashes of the other files, whatever `extra` (a json_t object or NULL;
 * borrowed) adds; malloc'ed */
char *as_report_json(const cli_case *c, const cli_verdicts *v, const as_report_dir *files,
                     void *extra);
/* the case as an item of a report, initialised here (report.h); for report.html and for the reports
 * of batches */
void as_report_judged_cex(as_report_item *it, const as_graph *given, const as_graph *cand,
                          const as_cex *x); /* its counterexample */
void as_report_judged(const cli_case *c, const cli_verdicts *v, as_report_item *it);
#endif

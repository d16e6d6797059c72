/* Options: one row each, which parsing, --help, the manual and shell completion (src/options) read.
 * Includes verify/judge, base.  Private to src/cli.
 *
 * Adding one takes its row and, in cli_opts, the field of that name. */
#ifndef AS_CLI_OPTIONS_H
#define AS_CLI_OPTIONS_H
#include "src/base/vec.h"
#include "src/import/import.h"
#include "src/import/trinity.h"
#include "verify/judge/judge.h"

/* Commands: name, arguments, how many (least, most), what it does. */
#define CLI_COMMANDS(X)                                                                            \
  X(optimize, "PROGRAM.tp|KERNEL.ttir", 1, 1,                                                      \
    "search a faster program, certify it, lower it to CUDA")                                       \
  X(merge, "PROGRAM.tp SHARE...", 2, UINT32_MAX,                                                   \
    "put shares of a search together (optimize --shard), and go on as optimize does")              \
  X(certify, "PROGRAM.tp CANDIDATE.mug|.tp|.tile|.json [OUT.json] | FILE.rule...", 1, UINT32_MAX,  \
    "prove that the candidate refines the program, or that a rule is right; or refute it")         \
  X(check, "DIR", 1, 1, "verify a result directory again")                                         \
  X(regress, "[PATH|PROGRAM.tp=CANDIDATE ...]", 0, UINT32_MAX,                                     \
    "judge the facts of a baseline again where something changed")                                 \
  X(bench, "DIR|PROGRAM.tp CANDIDATE.mug", 1, 2, "compile, check and time the kernels on a GPU")   \
  X(build, "DIR|PROGRAM.tp CANDIDATE.mug", 1, 2,                                                   \
    "make a shared library of the kernels, with a C header")                                       \
  X(run, "DIR [INPUT=FILE.npy ...]", 1, UINT32_MAX,                                                \
    "run a certified program on given or random inputs")                                           \
  X(explain, "DIR | PROGRAM.tp CANDIDATE CERT | FILE.rule NAME [CERT]", 1, 3,                      \
    "print what is proved and how, or refuted and where")                                          \
  X(lift, "KERNEL", 1, 1, "print what a kernel of another program computes, as a tile program")    \
  X(ops, "[NAME]", 0, 1, "list the operators, or show one's specification")                        \
  X(completion, "bash|zsh|man", 1, 1,                                                              \
    "print completions for a shell, or the manual's section of options")

enum {

#define CLI_COMMAND_NUMBER(name, ...) CLI_NUMBER_##name,
  CLI_COMMANDS(CLI_COMMAND_NUMBER)
#undef CLI_COMMAND_NUMBER
      CLI_N_COMMANDS
};

/* a bit for each command, for the column that says which an option is for */
enum {

#define CLI_COMMAND_BIT(name, ...) CLI_FOR_##name = 1 << CLI_NUMBER_##name,
  CLI_COMMANDS(CLI_COMMAND_BIT)
#undef CLI_COMMAND_BIT
      CLI_FOR_SEARCHING = CLI_FOR_optimize | CLI_FOR_merge,
  CLI_FOR_LIFTING = CLI_FOR_certify | CLI_FOR_lift | CLI_FOR_optimize,
  CLI_FOR_JUDGING = CLI_FOR_SEARCHING | CLI_FOR_certify | CLI_FOR_regress,
  CLI_FOR_ALL = ((1 << CLI_N_COMMANDS) - 1) & ~CLI_FOR_completion
};

/* field of cli_opts, which is its name with dashes; letter; type; commands; argument; default;
 * bounds of a number; words that it may hold (of WORD one, of LIST several with commas; a word
 * `@solvers` stands for the solvers' names); text.  The default is part of what help says. */
#define CLI_OPTIONS(X)                                                                             \
  X(sem, 's', STRINGS, CLI_FOR_ALL, "PATH", NULL, 0, 0, NULL,                                      \
    "read operator specifications from PATH (a .sem file or a folder) instead of the installed "   \
    "ones")                                                                                        \
  X(out, 'o', STRING,                                                                              \
    CLI_FOR_SEARCHING | CLI_FOR_certify | CLI_FOR_bench | CLI_FOR_build | CLI_FOR_run, "DIR",      \
    NULL, 0, 0, NULL, "write the result (directory, library, outputs) here")                       \
  X(from, 'F', WORD, CLI_FOR_LIFTING, "FORMAT", NULL, 0, 0,                                        \
    AS_IMPORT_NAMES "," AS_IMPORT_TILE_NAMES,                                                      \
    "the candidates (of optimize: the program) are in a file of another program")                  \
  X(to, 'O', WORD, CLI_FOR_certify, "FORMAT", NULL, 0, 0,                                          \
    AS_IMPORT_NAMES "," AS_IMPORT_WRITTEN_NAMES,                                                   \
    "write what is certified in the format of another program, to the file named by the last "     \
    "argument")                                                                                    \
  X(scratch, 'H', WORD, CLI_FOR_certify | CLI_FOR_lift, "WHICH", "global", 0, 0,                   \
    AS_TRINITY_SCRATCH_WORDS, "of tile programs of Trinity: what their scratch tensors are")       \
  X(shapes, 'P', STRING, CLI_FOR_certify | CLI_FOR_lift, "FILE", NULL, 0, 0, NULL,                 \
    "of these: the table of extents (default: shapes.tsv beside the file, or above)")              \
  X(config, 'G', STRING, CLI_FOR_certify | CLI_FOR_lift, "NAME", NULL, 0, 0, NULL,                 \
    "of these: which rows of the table (default: the only ones that fit)")                         \
  X(launch, 'L', STRING, CLI_FOR_LIFTING, "FILE[:N]", NULL, 0, 0, NULL,                            \
    "of Triton's kernels: the launches, in JSON, and which (default: NAME.json beside)")           \
  X(grid, 'g', STRING, CLI_FOR_LIFTING, "X,Y,Z", NULL, 0, 0, NULL,                                 \
    "of these: instances along each axis; size expressions, also cdiv(n, 32)")                     \
  X(argument, 'm', STRINGS, CLI_FOR_LIFTING, "NAME=LIST", NULL, 0, 0, NULL,                        \
    "of these: the extents of the tensor that an argument points to, or a number's value")         \
  X(size, 'z', STRINGS, CLI_FOR_LIFTING, "NAME=N", NULL, 0, 0, NULL,                               \
    "of these: a size that they use, and a value of it")                                           \
  X(where, '8', STRINGS, CLI_FOR_LIFTING, "RELATION", NULL, 0, 0, NULL,                            \
    "of these: what their launches keep of sizes, `n <= 64`; the given program states it too")     \
  X(generalise, '7', FLAG, CLI_FOR_certify, NULL, NULL, 0, 0, NULL,                                \
    "of these: numbers of the launch are taken for sizes, as many as the proof succeeds with")     \
  X(literals, 'i', WORD, CLI_FOR_LIFTING, "HOW", "printed", 0, 0, AS_IMPORT_LITERALS,              \
    "of these: numbers as printed, or the shortest decimals or fractions that round to them")      \
  X(writes_all, 'W', FLAG, CLI_FOR_LIFTING, NULL, NULL, 0, 0, NULL,                                \
    "of these: what is stored to and never loaded is an output, stored to everywhere")             \
  X(in_order, '6', FLAG, CLI_FOR_certify | CLI_FOR_lift, NULL, NULL, 0, 0, NULL,                   \
    "of these, given: lanes touch a place in the text's order without a barrier, aloud")           \
  X(force, 'f', FLAG, CLI_FOR_SEARCHING | CLI_FOR_certify, NULL, NULL, 0, 0, NULL,                 \
    "replace an existing result directory")                                                        \
  X(json, 'j', FLAG, CLI_FOR_ALL, NULL, NULL, 0, 0, NULL,                                          \
    "print one JSON object on standard output")                                                    \
  X(junit, 'x', STRING, CLI_FOR_certify | CLI_FOR_regress, "FILE", NULL, 0, 0, NULL,               \
    "write the verdicts as JUnit XML here as well")                                                \
  X(page, 'E', STRING, CLI_FOR_regress, "FILE", NULL, 0, 0, NULL,                                  \
    "write the verdicts as a page of HTML here as well")                                           \
  X(baseline, 'b', STRING, CLI_FOR_regress, "FILE", "assay-baseline.json", 0, 0, NULL,             \
    "the baseline")                                                                                \
  X(update, 'U', FLAG, CLI_FOR_regress, NULL, NULL, 0, 0, NULL,                                    \
    "accept the verdicts of now, record facts that are new")                                       \
  X(all, 'A', FLAG, CLI_FOR_regress | CLI_FOR_SEARCHING, NULL, NULL, 0, 0, NULL,                   \
    "regress: judge everything again, also what stands; optimize: list all candidates that are "   \
    "certified and differ, and what each costs by the model")                                      \
  X(check, 'c', FLAG, CLI_FOR_ops, NULL, NULL, 0, 0, NULL,                                         \
    "check the specifications themselves: shapes, evaluators, where they are defined")             \
  X(require, 'R', LIST, CLI_FOR_JUDGING, "LIST", "check,field", 0, 0,                              \
    "check,field,trial,@solvers",                                                                  \
    "what certified demands; `check` alone is the least; of optimize also `trial`, of the "        \
    "kernels")                                                                                     \
  X(solvers, 'S', LIST, CLI_FOR_JUDGING, "LIST", NULL, 0, 0, "@solvers,both,none",                 \
    "solvers to ask for a second opinion (default both; with --from and in regress none; of "      \
    "rules "                                                                                       \
    "only those that --require names)")                                                            \
  X(solver_seconds, 'T', NUMBER, CLI_FOR_JUDGING, "N", "20", 1, 86400, NULL,                       \
    "time limit of each solver, seconds")                                                          \
  X(direction, 'd', WORD, CLI_FOR_certify | CLI_FOR_regress, "WHICH", "forward", 0, 0,             \
    "forward,backward,both", "of rules: may the left side be replaced, the right one, or either")  \
  X(seed, 'r', NUMBER, CLI_FOR_ALL & ~CLI_FOR_check, "N", "1", 0, UINT64_MAX, NULL,                \
    "seed of random tests and of the search")                                                      \
  X(threads, 't', NUMBER, CLI_FOR_JUDGING | CLI_FOR_ops, "N", NULL, 1, 1024, NULL,                 \
    "threads (default: all processors)")                                                           \
  X(seconds, 'l', NUMBER, CLI_FOR_SEARCHING, "N", "150", 0, 31536000, NULL,                        \
    "last resort time limit of the search, seconds; 0: none")                                      \
  X(within, 'M', NUMBER, CLI_FOR_certify, "N", "0", 0, 31536000, NULL,                             \
    "time limit, seconds; what is not decided by then is unknown, and said to be; 0: none")        \
  X(proof_steps, '5', NUMBER, CLI_FOR_certify, "N", "0", 0, 100000000, NULL,                       \
    "of several tile programs in a file: prove those of which evaluation finds nothing wrong, "    \
    "with "                                                                                        \
    "at most N steps for each (a proof of 100 goals tries about 40,000); 0: evaluate only")        \
  X(budget, 'B', NUMBER, CLI_FOR_SEARCHING, "N", "60000000", 1, UINT64_MAX, NULL,                  \
    "states that the search may visit in all; what is left out is said")                           \
  X(cache, 'K', STRING, CLI_FOR_optimize, "DIR", NULL, 0, 0, NULL,                                 \
    "where certified results are kept between runs (default: ASSAY_CACHE, or assay in "            \
    "XDG_CACHE_HOME or ~/.cache); what is taken from there is checked again")                      \
  X(no_cache, 'n', FLAG, CLI_FOR_optimize, NULL, NULL, 0, 0, NULL,                                 \
    "search anew, and keep nothing")                                                               \
  X(shard, 'J', STRING, CLI_FOR_optimize, "I/N", NULL, 0, 0, NULL,                                 \
    "enumerate share I of N and leave it in a file (-o; NAME.I-of-N.shard), for merge")            \
  X(search, 'e', WORD, CLI_FOR_SEARCHING, "HOW", "enumerate", 0, 0,                                \
    "enumerate,saturate,both,none",                                                                \
    "enumerate block graphs, saturate tile programs with equalities, the better of both, or only " \
    "what --offer gives")                                                                          \
  X(offer, 'Z', STRINGS, CLI_FOR_SEARCHING, "FILE", NULL, 0, 0, NULL,                              \
    "a candidate beside those of the search: a muGraph, or a tile program (also Trinity's in a "   \
    ".tir, Triton's in a .ttir), whose block graphs compete")                                      \
  X(tile, 'I', NUMBER, CLI_FOR_SEARCHING, "N", "64", 1, 4096, NULL,                                \
    "of saturation: tiles of longer axes, or the largest below that divides one")                  \
  X(nodes, 'y', NUMBER, CLI_FOR_SEARCHING, "N", "60000", 1, 100000000, NULL,                       \
    "of saturation: how far the e-graph may grow; that it struck is said")                         \
  X(fast_floats, '9', FLAG, CLI_FOR_SEARCHING | CLI_FOR_certify | CLI_FOR_bench, NULL, NULL, 0, 0, \
    NULL,                                                                                          \
    "no float test: also candidates that compute worse in floats than the program given may be "   \
    "chosen, and the report says so")                                                              \
  X(prune, 'p', WORD, CLI_FOR_SEARCHING, "HOW", "exact", 0, 0, "exact,z3",                         \
    "abstract-expression pruning in the search")                                                   \
  X(no_prune, 'Q', NUMBER, CLI_FOR_SEARCHING, "N", "0", 0, 64, NULL,                               \
    "prune nothing: all block graphs of at most N operators and accumulators (0: prune)")          \
  X(arch, 'a', STRING,                                                                             \
    CLI_FOR_SEARCHING | CLI_FOR_check | CLI_FOR_bench | CLI_FOR_build | CLI_FOR_run, "SM", NULL,   \
    0, 0, NULL,                                                                                    \
    "plan for and compile for this GPU or architecture: sm_90a (H200, default), sm_80 (A100), ..") \
  X(library, 'Y', WORD, CLI_FOR_SEARCHING | CLI_FOR_bench | CLI_FOR_build | CLI_FOR_run, "WHEN",   \
    NULL, 0, 0, AS_LIBRARY_WORDS,                                                                  \
    "whether a matrix product alone is a call of cuBLASLt, which is believed, instead of a "       \
    "kernel (default: as the result says, of a search never; auto: where the model expects it to " \
    "be faster)")                                                                                  \
  X(tf32, '4', STRING, CLI_FOR_SEARCHING | CLI_FOR_bench | CLI_FOR_build | CLI_FOR_run,            \
    "OPERATORS", NULL, 0, 0, NULL,                                                                 \
    "of which operators (names with commas between them) factors of f32 sums of products may be "  \
    "rounded to TF32, for tensor cores, or with `:3` behind the name be taken in two such parts, " \
    "with `:auto` where that is expected to take little longer (default: as the result says, of "  \
    "a search none)")                                                                              \
  X(device, 'D', WORD, CLI_FOR_build | CLI_FOR_run, "WHERE", "host", 0, 0, "host,cuda",            \
    "for the host, by the emulation of the CUDA execution model, or for a GPU")                    \
  X(no_try, '3', FLAG, CLI_FOR_SEARCHING | CLI_FOR_bench | CLI_FOR_build, NULL, NULL, 0, 0, NULL,  \
    "hand the kernels out without a trial: else blocks of each run under the emulation first, "    \
    "and are compared with the program")                                                           \
  X(tune, 'N', WORD, CLI_FOR_bench, "WHERE", NULL, 0, 0, "gpu,host,model",                         \
    "try the tilings that the model puts first: compile, check and time them on a GPU, or check "  \
    "two of them on the host by the emulation, or only lower them; tuned.mug and tune.json tell "  \
    "the choice")                                                                                  \
  X(checkers, 'k', WORD, CLI_FOR_check, "WHICH", "first", 0, 0, "first,both,all",                  \
    "who replays certificates, all of whom must accept: assay-check; both it and the second "      \
    "checker, written in Python from the documents alone; or all, these and the one extracted "    \
    "from the proofs in Coq (make mechanised), where one that is not there is named")              \
  X(smt, 'w', FLAG, CLI_FOR_SEARCHING | CLI_FOR_certify, NULL, NULL, 0, 0, NULL,                   \
    "keep the SMT-LIB obligations beside the certificate")                                         \
  X(full, 'u', FLAG, CLI_FOR_explain, NULL, NULL, 0, 0, NULL,                                      \
    "every step of the proof, nothing folded")                                                     \
  X(trace, 'X', STRING, CLI_FOR_ALL, "LIST", NULL, 0, 0, NULL,                                     \
    "say on standard error what is done and why: search, prune, prove, lower, all")                \
  X(stats, 'C', FLAG, CLI_FOR_SEARCHING | CLI_FOR_certify, NULL, NULL, 0, 0, NULL,                 \
    "print what was done, counted (proofs, replays, files read), and how long each stage took")    \
  X(quiet, 'q', FLAG, CLI_FOR_JUDGING | CLI_FOR_check | CLI_FOR_ops, NULL, NULL, 0, 0, NULL,       \
    "print the verdict only")                                                                      \
  X(verbose, 'v', FLAG, CLI_FOR_JUDGING | CLI_FOR_explain, NULL, NULL, 0, 0, NULL, "print more")

typedef struct {
  as_vec sem; /* of char * */
  as_vec argument;
  as_vec size;
  as_vec where;
  as_vec offer;
  char *out;
  char *from;
  char *scratch;
  char *shapes;
  char *config;
  char *launch;
  char *grid;
  char *literals;
  char *to;
  char *junit;
  char *page;
  char *baseline;
  char *require;
  char *solvers;
  char *direction;
  char *checkers;
  char *cache;
  char *search;
  char *prune;
  char *shard;
  char *arch;
  char *device;
  char *library;
  char *tf32;
  char *tune;
  char *trace;
  uint64_t seed;
  uint64_t no_prune;
  uint64_t threads;
  uint64_t seconds;
  uint64_t within;
  uint64_t proof_steps;
  uint64_t budget;
  uint64_t tile;
  uint64_t nodes;
  uint64_t solver_seconds;
  bool force;
  bool writes_all;
  bool generalise;
  bool in_order;
  bool json;
  bool no_cache;
  bool fast_floats;
  bool no_try;
  bool require_trial;
  bool smt;
  bool full;
  bool quiet;
  bool verbose;
  bool stats;
  bool update;
  bool all;
  bool check;
  /* what some of them come to */
  bool forward; /* the directions in which rules are judged */
  bool backward;
  as_policy policy;
  char **arg; /* what is no option: in argv */
  uint32_t n_arg;
} cli_opts;

/* Gives the number of the command to be run.  Negative: there is nothing to run, and *status is the
 * exit status (help was printed, or what is wrong).  o: cleared by cli_opts_clear in any case. */
int cli_parse(int argc, char **argv, cli_opts *opts, int *status);
void cli_opts_clear(cli_opts *opts);
int cli_completion(const cli_opts *opts);
#endif

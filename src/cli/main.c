#include "cli.h"
#include <stdio.h>
#include <stdlib.h>

const cli_command cli_commands[] = {
    {"optimize", "PROGRAM.tp", "search a faster program, certify it, lower it to CUDA", 1, 1,
     cli_optimize},
    {"certify", "PROGRAM.tp CANDIDATE.mug|.tp|.json [OUT.json] | FILE.rule...",
     "prove that the candidate refines the program, or that a rule is right; or refute it", 1,
     UINT32_MAX, cli_certify},
    {"check", "DIR", "verify a result directory again: hashes, certificate", 1, 1, cli_check},
    {"regress", "[PATH|PROGRAM.tp=CANDIDATE ...]",
     "judge the facts of a baseline again where something changed", 0, UINT32_MAX, cli_regress},
    {"bench", "DIR|PROGRAM.tp CANDIDATE.mug", "compile, check and time the kernels on a GPU", 1, 2,
     cli_bench},
    {"explain", "DIR | PROGRAM.tp CANDIDATE CERT | FILE.rule NAME [CERT]",
     "print what is proved and how, or refuted and where", 1, 3, cli_explain},
    {"ops", "[NAME]", "list the operators, or show one's specification", 0, 1, cli_ops},
};
const uint32_t cli_n_commands = sizeof cli_commands / sizeof *cli_commands;

int main(int argc, char **argv) {
  cli_opts o;
  const cli_command *cmd = NULL;
  int status = 0;
  if (cli_parse(argc, argv, &o, &cmd, &status)) {
    status = cmd->run(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
      fputs("assay: cannot write to standard output\n", stderr);
      status = AS_BAD_INPUT;
    }
  }
  for (size_t i = 0; i < o.sem.n; i++)
    free(AS_VEC_AT(&o.sem, char *, i));
  as_vec_clear(&o.sem);
  free(o.arg);
  return status;
}

/* The tables of options and commands, and what the options come to. */
#include "options.h"
#include "cli.h"
#include "src/base/file.h"
#include "src/base/trace.h"
#include "src/options/options.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const as_option options[] = {
#define OPTION_ROW(field, letter, type, commands, argument, standard, least, most, words, text)    \
  {#field, letter, AS_OPTION_##type,         commands, argument, standard, least, most,            \
   words,  text,   offsetof(cli_opts, field)},
    CLI_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

/* Two options of one letter do not compile: of them only one would be read. */
static bool is_letter_of_an_option(char letter) {
  switch (letter) {
#define OPTION_LETTER(field, letter, ...) case letter:
    CLI_OPTIONS(OPTION_LETTER)
#undef OPTION_LETTER
    return true;
  default:
    return false;
  }
}

static const as_option_command commands[] = {
#define COMMAND_ROW(name, arguments, least, most, what) {#name, arguments, least, most, what},
    CLI_COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

enum { N_OPTIONS = sizeof options / sizeof *options };

_Static_assert((int)N_OPTIONS <= (int)AS_OPTIONS_MOST, "more options than are read");

/* `@solvers` */
static const char *solver_word(const char *name, int i) {
  return strcmp(name, "solvers") == 0 && i < AS_SMT_N_SOLVERS ? as_smt_solver_name((as_smt_solver)i)
                                                              : NULL;
}

static const as_options all = {
    .program = "assay",
    .version = "0.1.0",
    .option = options,
    .n_option = N_OPTIONS,
    .command = commands,
    .n_command = CLI_N_COMMANDS,
    .word = solver_word,
    .epilogue = "exit status: 0 yes, 1 no (refuted, rejected), 2 bad usage or input, 3 unknown or "
                "out of budget, 4 internal error",
};

/* policy, direction, trace: what is read off the words once */
static bool interpret(cli_opts *opts, int command) {
  bool many = opts->from != NULL || command == CLI_NUMBER_regress;
  assert(is_letter_of_an_option(options[0].letter));
  const char *asked = opts->solvers ? opts->solvers : many ? "none" : "both";
  as_err err;
  as_err_init(&err);
  as_policy_init(&opts->policy);
  opts->policy.seed = opts->seed;
  opts->policy.solver_seconds = (double)opts->solver_seconds;
  opts->policy.keep_queries = opts->smt;
  opts->policy.until = opts->within > 0 ? as_now() + (double)opts->within : 0;
  opts->forward = strcmp(opts->direction, "backward") != 0;
  opts->backward = strcmp(opts->direction, "forward") != 0;
  /* `trial` is of the kernels, and not of the judgement */
  char *demanded = as_list_without(opts->require, "trial", &opts->require_trial);
  bool ok =
      as_policy_require(&opts->policy, *demanded ? demanded : "check", &err) &&
      (!opts->require_trial || command == CLI_NUMBER_optimize || command == CLI_NUMBER_merge ||
       as_err_set(&err, AS_BAD_INPUT, "--require: `trial` is of `optimize`, which makes one")) &&
      as_policy_ask(&opts->policy, asked, &err) &&
      (opts->trace == NULL || as_trace_set(opts->trace, &err)) &&
      (opts->arch == NULL || as_target_find(opts->arch, &err));
  if (!ok)
    as_err_tell(&err);
  free(demanded);
  as_err_clear(&err);
  return ok;
}

static unsigned processors(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (unsigned)cores : 1;
}

int cli_parse(int argc, char **argv, cli_opts *opts, int *status) {
  as_option_arguments given;
  memset(opts, 0, sizeof *opts);
  opts->threads = processors();
  if (!as_options_parse(&all, argc, argv, opts, &given, status))
    return -1;
  opts->arg = given.argument;
  opts->n_arg = given.n;
  *status = AS_BAD_INPUT;
  return interpret(opts, given.command) ? given.command : -1;
}

static void clear_strings(as_vec *strings) {
  for (size_t i = 0; i < strings->n; i++)
    free(AS_VEC_AT(strings, char *, i));
  as_vec_clear(strings);
}

void cli_opts_clear(cli_opts *opts) {
  clear_strings(&opts->sem);
  clear_strings(&opts->argument);
  clear_strings(&opts->size);
  clear_strings(&opts->where);
  clear_strings(&opts->offer);
}

as_import_tile_options cli_tile_options(const cli_opts *opts) {
  return (as_import_tile_options){.scratch = opts->scratch,
                                  .shapes = opts->shapes,
                                  .config = opts->config,
                                  .launch = opts->launch,
                                  .grid = opts->grid,
                                  .argument = &opts->argument,
                                  .size = &opts->size,
                                  .where = &opts->where,
                                  .literals = opts->literals,
                                  .in_order = opts->in_order,
                                  .writes_all = opts->writes_all};
}

int cli_completion(const cli_opts *opts) {
  return as_options_print(&all, opts->arg[0]) ? AS_OK : AS_BAD_INPUT;
}

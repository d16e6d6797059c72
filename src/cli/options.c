/* Command line parsing, help, completions and the manual's section, over the one table of options.
 */
#include "options.h"
#include "cli.h"
#include "src/base/trace.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum { FLAG, NUMBER, STRING, STRINGS, WORD, LIST } option_type;

typedef struct {
  const char *field;
  char letter;
  option_type type;
  unsigned commands;
  const char *argument; /* NULL: a flag */
  const char *standard; /* the default as it is written */
  uint64_t least;
  uint64_t most;
  const char *words;
  const char *text;
  size_t at; /* in cli_opts */
} option_row;

static const option_row rows[] = {
#define OPTION_ROW(field, letter, type, commands, argument, standard, least, most, words, text)    \
  {#field,                                                                                         \
   letter,                                                                                         \
   type,                                                                                           \
   commands,                                                                                       \
   argument,                                                                                       \
   standard,                                                                                       \
   least,                                                                                          \
   most,                                                                                           \
   words,                                                                                          \
   text,                                                                                           \
   offsetof(cli_opts, field)},
    CLI_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

enum {
  N_OPTIONS = sizeof rows / sizeof *rows,
  LONGEST_NAME = 32,
  HELP_COLUMN = 27,
  COMMAND_COLUMN = 52
};

const cli_command cli_commands[] = {
#define COMMAND_ROW(name, args, least, most, what) {#name, args, least, most, what},
    CLI_COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

/* --- what the rows say, as text */
static void long_name(const option_row *row, char name[LONGEST_NAME]) {
  snprintf(name, LONGEST_NAME, "%s", row->field);
  for (char *c = name; *c; c++) {
    if (*c == '_')
      *c = '-';
  }
}

/* the words that a row allows, each followed by `after`; malloc'ed */
static char *words_of(const option_row *row, const char *after) {
  as_str s;
  as_str_init(&s);
  for (const char *word = row->words ? row->words : ""; *word;) {
    size_t length = strcspn(word, ",");
    if (*word == '@') {
      for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
        as_str_printf(&s, "%s%s", as_smt_solver_name((as_smt_solver)i), after);
    } else {
      as_str_printf(&s, "%.*s%s", (int)length, word, after);
    }
    word += length + (word[length] == ',');
  }
  if (s.n > 0) {
    s.n -= strlen(after);
    s.s[s.n] = 0;
  }
  return as_str_take(&s);
}

/* the text with its words and its default; malloc'ed */
static char *whole_text(const option_row *row) {
  char *words = words_of(row, ", ");
  char *text = as_format("%s%s%s%s%s%s", row->text, row->words ? ": " : "", row->words ? words : "",
                         row->standard ? " (default " : "", row->standard ? row->standard : "",
                         row->standard ? ")" : "");
  free(words);
  return text;
}

static void print_option(const option_row *row) {
  char name[LONGEST_NAME];
  long_name(row, name);
  char *text = whole_text(row);
  int width = printf("  -%c  --%s%s%s", row->letter, name, row->argument ? "=" : "",
                     row->argument ? row->argument : "");
  printf("%*s %s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 0, "", text);
  free(text);
}

static void print_command(const cli_command *command) {
  int width = printf("  %-10s %s", command->name, command->args);
  printf(width < COMMAND_COLUMN ? "%*s %s\n" : "\n%*s %s\n",
         width < COMMAND_COLUMN ? COMMAND_COLUMN - width : COMMAND_COLUMN, "", command->what);
}

/* of one command, negative: of all */
static void print_help(int number) {
  if (number >= 0) {
    const cli_command *command = &cli_commands[number];
    printf("usage: assay %s [options] %s\n%s\n\noptions:\n", command->name, command->args,
           command->what);
    for (int i = 0; i < N_OPTIONS; i++) {
      if (rows[i].commands >> number & 1)
        print_option(&rows[i]);
    }
  } else {
    printf("usage: assay COMMAND [options] ...\n\n");
    for (int i = 0; i < CLI_N_COMMANDS; i++)
      print_command(&cli_commands[i]);
    printf("\n`assay COMMAND --help` lists the options of one.  A file name `-` is standard "
           "input.\n");
  }
  printf("\nexit status: 0 yes, 1 no (refuted, rejected), 2 bad usage or input, 3 unknown or out "
         "of budget, 4 internal error\n");
}

/* --- values */
static bool complain(const option_row *row, const char *what, const char *given) {
  char name[LONGEST_NAME];
  long_name(row, name);
  fprintf(stderr, "assay: --%s %s `%s`\n", name, what, given);
  return false;
}

static bool set_number(const option_row *row, uint64_t *into, const char *given) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(given, &end, 10);
  if (errno || *end || end == given || given[0] == '-' || given[0] == '+')
    return complain(row, "needs a number, not", given);
  if (value < row->least || value > row->most) {
    char *bounds = as_format("must be from %llu to %llu, not", (unsigned long long)row->least,
                             (unsigned long long)row->most);
    complain(row, bounds, given);
    free(bounds);
    return false;
  }
  *into = value;
  return true;
}

/* whether `list` has the word of that length between commas */
static bool has_word(const char *list, const char *word, size_t length) {
  for (const char *at = list; *at;) {
    size_t n = strcspn(at, ",");
    if (n == length && strncmp(at, word, length) == 0)
      return true;
    at += n + (at[n] == ',');
  }
  return false;
}

static bool words_fit(const option_row *row, const char *given) {
  char *allowed = words_of(row, ",");
  bool fit = true;
  for (const char *word = given; fit && *word;) {
    size_t length = row->type == LIST ? strcspn(word, ",") : strlen(word);
    fit = length == 0 || has_word(allowed, word, length);
    if (!fit) {
      char *odd = as_format("%.*s", (int)length, word);
      complain(row, "has the unknown word", odd);
      free(odd);
    }
    word += length + (word[length] == ',');
  }
  free(allowed);
  return fit;
}

static bool set_option(cli_opts *o, const option_row *row, char *given) {
  void *at = (char *)o + row->at;
  switch (row->type) {
  case FLAG:
    *(bool *)at = true;
    return true;
  case NUMBER:
    return set_number(row, at, given);
  case STRINGS: {
    char *copy = as_strdup(given);
    as_vec_push(at, &copy);
    return true;
  }
  case WORD:
  case LIST:
    if (!words_fit(row, given))
      return false;
    *(char **)at = given;
    return true;
  case STRING:
    *(char **)at = given;
    return true;
  }
  return false;
}

static void set_defaults(cli_opts *o) {
  memset(o, 0, sizeof *o);
  as_vec_init(&o->sem, sizeof(char *));
  for (int i = 0; i < N_OPTIONS; i++) {
    if (rows[i].standard)
      set_option(o, &rows[i], (char *)(uintptr_t)rows[i].standard);
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  o->threads = cores > 0 ? (uint64_t)cores : 1;
}

/* policy, direction, trace: what is read off the words once */
static bool interpret(cli_opts *o, int command) {
  bool many = o->from != NULL || command == CLI_NUMBER_regress;
  const char *asked = o->solvers ? o->solvers : many ? "none" : "both";
  as_err err;
  as_err_init(&err);
  as_policy_init(&o->policy);
  o->policy.seed = o->seed;
  o->policy.solver_seconds = (double)o->solver_seconds;
  o->policy.keep_queries = o->smt;
  o->way = strcmp(o->direction, "backward") == 0 ? CLI_BACKWARD
           : strcmp(o->direction, "both") == 0   ? CLI_BOTH
                                                 : CLI_FORWARD;
  bool ok = as_policy_require(&o->policy, o->require, &err) &&
            as_policy_ask(&o->policy, asked, &err) &&
            (o->trace == NULL || as_trace_set(o->trace, &err)) &&
            (o->arch == NULL || as_target_find(o->arch, &err));
  if (!ok)
    cli_fail(&err);
  as_err_clear(&err);
  return ok;
}

/* --- parsing */
/* getopt's tables from the rows */
typedef struct {
  struct option longs[N_OPTIONS + 3];
  char shorts[2 * N_OPTIONS + 4];
  char names[N_OPTIONS][LONGEST_NAME];
} getopt_tables;

static void make_tables(getopt_tables *t) {
  int n = 0;
  memset(t, 0, sizeof *t);
  for (int i = 0; i < N_OPTIONS; i++) {
    long_name(&rows[i], t->names[i]);
    t->longs[i] = (struct option){t->names[i], rows[i].argument ? required_argument : no_argument,
                                  NULL, rows[i].letter};
    t->shorts[n++] = rows[i].letter;
    if (rows[i].argument)
      t->shorts[n++] = ':';
  }
  t->longs[N_OPTIONS] = (struct option){"help", no_argument, NULL, 'h'};
  t->longs[N_OPTIONS + 1] = (struct option){"version", no_argument, NULL, 'V'};
  t->shorts[n++] = 'h';
  t->shorts[n++] = 'V';
}

static const option_row *row_of(int letter) {
  for (int i = 0; i < N_OPTIONS; i++) {
    if (rows[i].letter == letter)
      return &rows[i];
  }
  return NULL;
}

typedef struct {
  bool given[N_OPTIONS];
  bool help;
  bool version;
} seen_options;

static bool read_options(int argc, char **argv, cli_opts *o, seen_options *seen) {
  getopt_tables tables;
  make_tables(&tables);
  for (int c; (c = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
    const option_row *row = row_of(c);
    if (row && !set_option(o, row, optarg))
      return false;
    if (row)
      seen->given[row - rows] = true;
    else if (c == 'h')
      seen->help = true;
    else if (c == 'V')
      seen->version = true;
    else
      return false;
  }
  return true;
}

/* an option of another command is an error: whoever gives it expects something of it */
static bool options_belong(const seen_options *seen, int command) {
  for (int i = 0; i < N_OPTIONS; i++) {
    if (seen->given[i] && !(rows[i].commands >> command & 1)) {
      char name[LONGEST_NAME];
      long_name(&rows[i], name);
      fprintf(stderr, "assay: %s has no option --%s (see assay %s --help)\n",
              cli_commands[command].name, name, cli_commands[command].name);
      return false;
    }
  }
  return true;
}

static int command_named(const char *name) {
  for (int i = 0; i < CLI_N_COMMANDS; i++) {
    if (strcmp(name, cli_commands[i].name) == 0)
      return i;
  }
  return -1;
}

static bool take_arguments(int argc, char **argv, cli_opts *o, const cli_command *command) {
  uint32_t pipes = 0;
  o->n_arg = (uint32_t)(argc - optind);
  o->arg = as_calloc(o->n_arg + 1, sizeof *o->arg);
  memcpy(o->arg, argv + optind, o->n_arg * sizeof *o->arg);
  for (uint32_t i = 0; i < o->n_arg; i++)
    pipes += strcmp(o->arg[i], "-") == 0;
  if (o->n_arg < command->least || o->n_arg > command->most) {
    fprintf(stderr, "usage: assay %s [options] %s\n", command->name, command->args);
    return false;
  }
  if (pipes > 1)
    fprintf(stderr, "assay: `-` twice: there is one standard input\n");
  return pipes <= 1;
}

int cli_parse(int argc, char **argv, cli_opts *o, int *status) {
  seen_options seen = {0};
  set_defaults(o);
  *status = AS_BAD_INPUT;
  if (!read_options(argc, argv, o, &seen))
    return -1;
  const char *name = optind < argc ? argv[optind++] : NULL;
  int command = name ? command_named(name) : -1;
  if (seen.version) {
    puts("assay 0.1.0");
    *status = AS_OK;
  } else if (name && command < 0) {
    fprintf(stderr, "assay: unknown command `%s` (see assay --help)\n", name);
  } else if (seen.help || name == NULL) {
    print_help(command);
    *status = seen.help ? AS_OK : AS_BAD_INPUT;
  } else if (options_belong(&seen, command) && interpret(o, command) &&
             take_arguments(argc, argv, o, &cli_commands[command])) {
    return command;
  }
  return -1;
}

void cli_opts_clear(cli_opts *o) {
  for (size_t i = 0; i < o->sem.n; i++)
    free(AS_VEC_AT(&o->sem, char *, i));
  as_vec_clear(&o->sem);
  free(o->arg);
}

/* --- completions, and the manual */
static void bash_command(int number) {
  printf("    %s) options='", cli_commands[number].name);
  for (int i = 0; i < N_OPTIONS; i++) {
    char name[LONGEST_NAME];
    long_name(&rows[i], name);
    if (rows[i].commands >> number & 1)
      printf("--%s%s ", name, rows[i].argument ? "=" : "");
  }
  printf("--help' ;;\n");
}

static void bash_words(const option_row *row) {
  if (row->words == NULL)
    return;
  char name[LONGEST_NAME];
  long_name(row, name);
  char *words = words_of(row, " ");
  printf("    --%s) COMPREPLY=($(compgen -P \"${word%%\"${word##*,}\"}\" -W '%s' -- "
         "\"${word##*,}\")); return ;;\n",
         name, words);
  free(words);
}

static void print_bash(void) {
  puts("# completion of assay for bash; made by `assay completion bash`\n"
       "_assay() {\n"
       "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= "
       "options= i\n"
       "  COMPREPLY=()\n"
       "  [ \"$word\" = = ] && word=\n"
       "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
       "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
       "    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac\n"
       "  done\n"
       "  case $before in");
  for (int i = 0; i < N_OPTIONS; i++)
    bash_words(&rows[i]);
  puts("  esac\n"
       "  case $command in");
  for (int i = 0; i < CLI_N_COMMANDS; i++)
    bash_command(i);
  printf("    *) COMPREPLY=($(compgen -W '");
  for (int i = 0; i < CLI_N_COMMANDS; i++)
    printf("%s ", cli_commands[i].name);
  puts("--help --version' -- \"$word\")); return ;;\n"
       "  esac\n"
       "  case $word in\n"
       "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
       "      case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac ;;\n"
       "    *) compopt -o default ;;\n"
       "  esac\n"
       "}\n"
       "complete -F _assay assay");
}

/* zsh reads bash's completions */
static void print_zsh(void) {
  puts("#compdef assay\n"
       "autoload -U +X bashcompinit && bashcompinit");
  print_bash();
}

static void print_manual(void) {
  for (int i = 0; i < N_OPTIONS; i++) {
    const option_row *row = &rows[i];
    char name[LONGEST_NAME];
    long_name(row, name);
    printf(".TP\n\\fB-%c\\fR, \\fB--%s\\fR", row->letter, name);
    if (row->argument)
      printf("=\\fI%s\\fR", row->argument);
    char *text = whole_text(row);
    printf("\n%s.\nOf:", text);
    for (int k = 0; k < CLI_N_COMMANDS; k++) {
      if (row->commands >> k & 1)
        printf(" %s", cli_commands[k].name);
    }
    puts(".");
    free(text);
  }
}

int cli_completion(const cli_opts *o) {
  static const struct {
    const char *name;
    void (*print)(void);
  } kinds[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"man", print_manual}};

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(o->arg[0], kinds[i].name) == 0) {
      kinds[i].print();
      return AS_OK;
    }
  }
  fprintf(stderr, "assay: completion for `%s`: bash, zsh and man are known\n", o->arg[0]);
  return AS_BAD_INPUT;
}

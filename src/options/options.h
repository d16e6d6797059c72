/* A command line as rows of two tables: what each option and each command is.  Parsing, --help,
 * shell completion and the manual's section read the rows and nothing else.
 * Includes base.  Called by src/cli, which has the tables. */
#ifndef AS_OPTIONS_OPTIONS_H
#define AS_OPTIONS_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the value goes: FLAG a bool, NUMBER a uint64_t, STRINGS an as_vec of char * (copies; the
 * caller's to free), the others a char * into argv. */
typedef enum {
  AS_OPTION_FLAG,
  AS_OPTION_NUMBER,
  AS_OPTION_STRING,
  AS_OPTION_STRINGS,
  AS_OPTION_WORD, /* one of the row's words */
  AS_OPTION_LIST  /* several of them, with commas */
} as_option_type;

typedef struct {
  const char *field; /* its name, with _ for - */
  char letter;
  as_option_type type;
  unsigned commands;    /* a bit for each command that has it */
  const char *argument; /* what help calls the value; NULL: a flag */
  const char *standard; /* the default as it is written; NULL: none */
  uint64_t least;       /* bounds of a number */
  uint64_t most;
  const char *words; /* with commas; a word `@NAME` stands for others; NULL: any */
  const char *text;
  size_t offset; /* of the field in the caller's struct */
} as_option;

typedef struct {
  const char *name;
  const char *arguments;
  uint32_t least; /* number of arguments */
  uint32_t most;
  const char *text;
} as_option_command;

typedef struct {
  const char *program;
  const char *version;
  const as_option *option;
  int n_option; /* at most AS_OPTIONS_MOST */
  const as_option_command *command;
  int n_command; /* at most the bits of an unsigned */
  /* the i-th of the words that `@NAME` stands for; NULL beyond the last one */
  const char *(*word)(const char *name, int i);
  const char *epilogue; /* what the help of each command ends with */
} as_options;

enum { AS_OPTIONS_MOST = 64 };

/* what was given beside options */
typedef struct {
  int command; /* number of its row */
  char **argument;
  uint32_t n;
} as_option_arguments;

/* Reads argv into `values`, the caller's struct, in which the defaults are set first.  False: there
 * is nothing to run, and *status is the exit status (help was printed, or what is wrong).  The
 * arguments point into argv, which getopt orders. */
bool as_options_parse(const as_options *all, int argc, char **argv, void *values,
                      as_option_arguments *given, int *status);

/* On standard output: `bash` or `zsh` completion, or `man`, the manual's section of options.  False
 * where `kind` is none of these, and says so on standard error. */
bool as_options_print(const as_options *all, const char *kind);

#endif

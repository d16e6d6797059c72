/* The command line, read. */
#include "row.h"
#include "src/base/err.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values */
static bool complain(const as_options *all, const as_option *row, const char *what,
                     const char *given) {
  char name[AS_OPTION_NAME];
  as_option_name(row, name);
  fprintf(stderr, "%s: --%s %s `%s`\n", all->program, name, what, given);
  return false;
}

static bool set_number(const as_options *all, const as_option *row, uint64_t *into,
                       const char *given) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(given, &end, 10);
  if (errno || *end || end == given || given[0] == '-' || given[0] == '+')
    return complain(all, row, "needs a number, not", given);
  if (value < row->least || value > row->most) {
    char *bounds = as_format("must be from %llu to %llu, not", (unsigned long long)row->least,
                             (unsigned long long)row->most);
    complain(all, row, bounds, given);
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

static bool words_fit(const as_options *all, const as_option *row, const char *given) {
  char *allowed = as_option_words(all, row, ",");
  bool fit = true;
  for (const char *word = given; fit && *word;) {
    size_t length = row->type == AS_OPTION_LIST ? strcspn(word, ",") : strlen(word);
    fit = length == 0 || has_word(allowed, word, length);
    if (!fit) {
      char *odd = as_format("%.*s", (int)length, word);
      complain(all, row, "has the unknown word", odd);
      free(odd);
    }
    word += length + (word[length] == ',');
  }
  free(allowed);
  return fit;
}

static bool set_option(const as_options *all, const as_option *row, void *values, char *given) {
  void *field = (char *)values + row->offset;
  switch (row->type) {
  case AS_OPTION_FLAG:
    *(bool *)field = true;
    return true;
  case AS_OPTION_NUMBER:
    return set_number(all, row, field, given);
  case AS_OPTION_STRINGS: {
    char *copy = as_strdup(given);
    as_vec_push(field, &copy);
    return true;
  }
  case AS_OPTION_WORD:
  case AS_OPTION_LIST:
    if (!words_fit(all, row, given))
      return false;
    *(char **)field = given;
    return true;
  case AS_OPTION_STRING:
    *(char **)field = given;
    return true;
  }
  return false;
}

static void set_defaults(const as_options *all, void *values) {
  for (int i = 0; i < all->n_option; i++) {
    const as_option *row = &all->option[i];
    if (row->type == AS_OPTION_STRINGS)
      as_vec_init((as_vec *)((char *)values + row->offset), sizeof(char *));
    if (row->standard)
      set_option(all, row, values, (char *)(uintptr_t)row->standard);
  }
}

/* --- options */
/* getopt's tables from the rows */
typedef struct {
  struct option longs[AS_OPTIONS_MOST + 3];
  char shorts[2 * AS_OPTIONS_MOST + 4];
  char names[AS_OPTIONS_MOST][AS_OPTION_NAME];
} getopt_tables;

static void make_tables(const as_options *all, getopt_tables *tables) {
  int n = 0;
  memset(tables, 0, sizeof *tables);
  for (int i = 0; i < all->n_option; i++) {
    const as_option *row = &all->option[i];
    as_option_name(row, tables->names[i]);
    tables->longs[i] = (struct option){
        tables->names[i], row->argument ? required_argument : no_argument, NULL, row->letter};
    tables->shorts[n++] = row->letter;
    if (row->argument)
      tables->shorts[n++] = ':';
  }
  tables->longs[all->n_option] = (struct option){"help", no_argument, NULL, 'h'};
  tables->longs[all->n_option + 1] = (struct option){"version", no_argument, NULL, 'V'};
  tables->shorts[n++] = 'h';
  tables->shorts[n++] = 'V';
}

static const as_option *row_of(const as_options *all, int letter) {
  for (int i = 0; i < all->n_option; i++) {
    if (all->option[i].letter == letter)
      return &all->option[i];
  }
  return NULL;
}

typedef struct {
  bool given[AS_OPTIONS_MOST];
  bool help;
  bool version;
} seen_options;

static bool read_options(const as_options *all, int argc, char **argv, void *values,
                         seen_options *seen) {
  getopt_tables tables;
  make_tables(all, &tables);
  for (int letter; (letter = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
    const as_option *row = row_of(all, letter);
    if (row && !set_option(all, row, values, optarg))
      return false;
    if (row)
      seen->given[row - all->option] = true;
    else if (letter == 'h')
      seen->help = true;
    else if (letter == 'V')
      seen->version = true;
    else
      return false;
  }
  return true;
}

/* an option of another command is an error: whoever gives it expects something of it */
static bool options_belong(const as_options *all, const seen_options *seen, int command) {
  for (int i = 0; i < all->n_option; i++) {
    if (seen->given[i] && !as_option_is_for(&all->option[i], command)) {
      const char *of = all->command[command].name;
      char name[AS_OPTION_NAME];
      as_option_name(&all->option[i], name);
      fprintf(stderr, "%s: %s has no option --%s (see %s %s --help)\n", all->program, of, name,
              all->program, of);
      return false;
    }
  }
  return true;
}

/* --- commands and their arguments */
static int command_named(const as_options *all, const char *name) {
  for (int i = 0; i < all->n_command; i++) {
    if (strcmp(name, all->command[i].name) == 0)
      return i;
  }
  return -1;
}

static bool take_arguments(const as_options *all, int argc, char **argv,
                           as_option_arguments *given) {
  const as_option_command *command = &all->command[given->command];
  uint32_t pipes = 0;
  given->argument = argv + optind;
  given->n = (uint32_t)(argc - optind);
  for (uint32_t i = 0; i < given->n; i++)
    pipes += strcmp(given->argument[i], "-") == 0;
  if (given->n < command->least || given->n > command->most) {
    fprintf(stderr, "usage: %s %s [options] %s\n", all->program, command->name, command->arguments);
    return false;
  }
  if (pipes > 1)
    fprintf(stderr, "%s: `-` twice: there is one standard input\n", all->program);
  return pipes <= 1;
}

bool as_options_parse(const as_options *all, int argc, char **argv, void *values,
                      as_option_arguments *given, int *status) {
  seen_options seen = {0};
  set_defaults(all, values);
  *status = AS_BAD_INPUT;
  if (!read_options(all, argc, argv, values, &seen))
    return false;
  const char *name = optind < argc ? argv[optind++] : NULL;
  given->command = name ? command_named(all, name) : -1;
  if (seen.version) {
    printf("%s %s\n", all->program, all->version);
    *status = AS_OK;
  } else if (name && given->command < 0) {
    fprintf(stderr, "%s: unknown command `%s` (see %s --help)\n", all->program, name, all->program);
  } else if (seen.help || name == NULL) {
    as_options_help(all, given->command);
    *status = seen.help ? AS_OK : AS_BAD_INPUT;
  } else {
    return options_belong(all, &seen, given->command) && take_arguments(all, argc, argv, given);
  }
  return false;
}

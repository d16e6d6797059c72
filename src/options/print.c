/* Help, completions and the manual's section, from the rows. */
#include "row.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 27, COMMAND_COLUMN = 52 };

void as_option_name(const as_option *row, char name[AS_OPTION_NAME]) {
  snprintf(name, AS_OPTION_NAME, "%s", row->field);
  for (char *letter = name; *letter; letter++) {
    if (*letter == '_')
      *letter = '-';
  }
}

char *as_option_words(const as_options *all, const as_option *row, const char *after) {
  as_str words;
  as_str_init(&words);
  for (const char *word = row->words ? row->words : ""; *word;) {
    int length = (int)strcspn(word, ",");
    if (*word == '@') {
      char *name = as_format("%.*s", length - 1, word + 1);
      const char *meant;
      for (int i = 0; (meant = all->word(name, i)) != NULL; i++)
        as_str_printf(&words, "%s%s", meant, after);
      free(name);
    } else {
      as_str_printf(&words, "%.*s%s", length, word, after);
    }
    word += length + (word[length] == ',');
  }
  if (words.n > 0) {
    words.n -= strlen(after);
    words.s[words.n] = 0;
  }
  return as_str_take(&words);
}

/* the text with its words and its default; malloc'ed */
static char *whole_text(const as_options *all, const as_option *row) {
  char *words = as_option_words(all, row, ", ");
  char *text = as_format("%s%s%s%s%s%s", row->text, row->words ? ": " : "", row->words ? words : "",
                         row->standard ? " (default " : "", row->standard ? row->standard : "",
                         row->standard ? ")" : "");
  free(words);
  return text;
}

static void print_option(const as_options *all, const as_option *row) {
  char name[AS_OPTION_NAME];
  as_option_name(row, name);
  char *text = whole_text(all, row);
  int width = printf("  -%c  --%s%s%s", row->letter, name, row->argument ? "=" : "",
                     row->argument ? row->argument : "");
  printf("%*s %s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 0, "", text);
  free(text);
}

static void print_command(const as_option_command *command) {
  int width = printf("  %-10s %s", command->name, command->arguments);
  printf(width < COMMAND_COLUMN ? "%*s %s\n" : "\n%*s %s\n",
         width < COMMAND_COLUMN ? COMMAND_COLUMN - width : COMMAND_COLUMN, "", command->text);
}

void as_options_help(const as_options *all, int command) {
  if (command >= 0) {
    const as_option_command *row = &all->command[command];
    printf("usage: %s %s [options] %s\n%s\n\noptions:\n", all->program, row->name, row->arguments,
           row->text);
    for (int i = 0; i < all->n_option; i++) {
      if (as_option_is_for(&all->option[i], command))
        print_option(all, &all->option[i]);
    }
  } else {
    printf("usage: %s COMMAND [options] ...\n\n", all->program);
    for (int i = 0; i < all->n_command; i++)
      print_command(&all->command[i]);
    printf("\n`%s COMMAND --help` lists the options of one.  A file name `-` is standard "
           "input.\n",
           all->program);
  }
  printf("\n%s\n", all->epilogue);
}

/* --- completions, and the manual */
static void bash_command(const as_options *all, int command) {
  printf("    %s) options='", all->command[command].name);
  for (int i = 0; i < all->n_option; i++) {
    const as_option *row = &all->option[i];
    char name[AS_OPTION_NAME];
    as_option_name(row, name);
    if (as_option_is_for(row, command))
      printf("--%s%s ", name, row->argument ? "=" : "");
  }
  printf("--help' ;;\n");
}

static void bash_words(const as_options *all, const as_option *row) {
  if (row->words == NULL)
    return;
  char name[AS_OPTION_NAME];
  as_option_name(row, name);
  char *words = as_option_words(all, row, " ");
  printf("    --%s) COMPREPLY=($(compgen -P \"${word%%\"${word##*,}\"}\" -W '%s' -- "
         "\"${word##*,}\")); return ;;\n",
         name, words);
  free(words);
}

static void print_bash(const as_options *all) {
  const char *program = all->program;
  printf("# completion of %s for bash; made by `%s completion bash`\n"
         "_%s() {\n",
         program, program, program);
  puts("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= "
       "options= i\n"
       "  COMPREPLY=()\n"
       "  [ \"$word\" = = ] && word=\n"
       "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
       "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
       "    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac\n"
       "  done\n"
       "  case $before in");
  for (int i = 0; i < all->n_option; i++)
    bash_words(all, &all->option[i]);
  puts("  esac\n"
       "  case $command in");
  for (int i = 0; i < all->n_command; i++)
    bash_command(all, i);
  printf("    *) COMPREPLY=($(compgen -W '");
  for (int i = 0; i < all->n_command; i++)
    printf("%s ", all->command[i].name);
  puts("--help --version' -- \"$word\")); return ;;\n"
       "  esac\n"
       "  case $word in\n"
       "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
       "      case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac ;;\n"
       "    *) compopt -o default ;;\n"
       "  esac\n"
       "}");
  printf("complete -F _%s %s\n", program, program);
}

/* zsh reads bash's completions */
static void print_zsh(const as_options *all) {
  printf("#compdef %s\n"
         "autoload -U +X bashcompinit && bashcompinit\n",
         all->program);
  print_bash(all);
}

static void print_manual(const as_options *all) {
  for (int i = 0; i < all->n_option; i++) {
    const as_option *row = &all->option[i];
    char name[AS_OPTION_NAME];
    as_option_name(row, name);
    printf(".TP\n\\fB-%c\\fR, \\fB--%s\\fR", row->letter, name);
    if (row->argument)
      printf("=\\fI%s\\fR", row->argument);
    char *text = whole_text(all, row);
    printf("\n%s.\nOf:", text);
    for (int command = 0; command < all->n_command; command++) {
      if (as_option_is_for(row, command))
        printf(" %s", all->command[command].name);
    }
    puts(".");
    free(text);
  }
}

bool as_options_print(const as_options *all, const char *kind) {
  static const struct {
    const char *name;
    void (*print)(const as_options *all);
  } kinds[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"man", print_manual}};

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i].name) == 0) {
      kinds[i].print(all);
      return true;
    }
  }
  fprintf(stderr, "%s: completion for `%s`: bash, zsh and man are known\n", all->program, kind);
  return false;
}

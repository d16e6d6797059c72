/* Command line parsing over the one table of options (cli.h). */
#include "cli.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum { FLAG, NUMBER, STRING, STRINGS } kind;

typedef struct {
  const char *name;
  int key;
  kind kind;
  const char *arg;
  const char *what;
  size_t at;
} row;

#define ROW(field, key, kind, arg, what) {#field, key, kind, arg, what, offsetof(cli_opts, field)},
static const row rows[] = {CLI_OPTIONS(ROW)};

enum { N = sizeof rows / sizeof *rows };

static void print_option(const row *r) {
  char name[64];
  snprintf(name, sizeof name, "--%s%s%s", r->name, r->arg ? "=" : "", r->arg ? r->arg : "");
  for (char *p = name; *p && *p != '='; p++) {
    if (*p == '_')
      *p = '-';
  }
  printf("  -%c  %-22s %s\n", r->key, name, r->what);
}

void cli_help(const cli_command *cmd) {
  if (cmd) {
    printf("usage: assay %s [options] %s\n%s\n", cmd->name, cmd->args, cmd->what);
  } else {
    printf("usage: assay COMMAND [options] ...\n\n");
    for (uint32_t i = 0; i < cli_n_commands; i++)
      printf("  %-9s %-32s %s\n", cli_commands[i].name, cli_commands[i].args, cli_commands[i].what);
  }
  printf("\noptions:\n");
  for (int i = 0; i < N; i++)
    print_option(&rows[i]);
  printf("\nexit status: 0 yes, 1 no (refuted, rejected), 2 bad usage or input, 3 unknown or out "
         "of budget, 4 internal error\n");
}

static bool set_option(cli_opts *o, const row *r, char *arg) {
  void *at = (char *)o + r->at;
  switch (r->kind) {
  case FLAG:
    *(bool *)at = true;
    return true;
  case STRING:
    *(char **)at = arg;
    return true;
  case STRINGS: {
    char *copy = as_strdup(arg);
    as_vec_push(at, &copy);
    return true;
  }
  case NUMBER: {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(arg, &end, 10);
    if (errno || *end || end == arg || arg[0] == '-') {
      fprintf(stderr, "assay: --%s needs a number, not `%s`\n", r->name, arg);
      return false;
    }
    *(uint64_t *)at = v;
    return true;
  }
  }
  return false;
}

static bool words_from(const char *what, const char *list, const char *const *words) {
  char *copy = as_strdup(list);
  char *save = NULL;
  bool ok = true;
  for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
    bool known = false;
    for (int i = 0; words[i]; i++)
      known = known || strcmp(w, words[i]) == 0;
    if (!known) {
      fprintf(stderr, "assay: --%s: unknown word `%s`\n", what, w);
      ok = false;
    }
  }
  free(copy);
  return ok;
}

bool cli_parse(int argc, char **argv, cli_opts *o, const cli_command **cmd, int *status) {
  memset(o, 0, sizeof *o);
  as_vec_init(&o->sem, sizeof(char *));
  o->seed = 1;
  o->seconds = 150;
  o->solver_seconds = 20;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  o->threads = cores > 0 ? (uint64_t)cores : 1;
  o->require = "check,field";
  o->prune = "exact";
  o->baseline = "assay-baseline.json";
  struct option longs[N + 3];
  char shorts[4 * N + 8];
  char names[N][64];
  int ns = 0;
  memset(longs, 0, sizeof longs);
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%s", rows[i].name);
    for (char *p = names[i]; *p; p++) {
      if (*p == '_')
        *p = '-';
    }
    longs[i] =
        (struct option){names[i], rows[i].arg ? required_argument : no_argument, NULL, rows[i].key};
    shorts[ns++] = (char)rows[i].key;
    if (rows[i].arg)
      shorts[ns++] = ':';
  }
  longs[N] = (struct option){"help", no_argument, NULL, 'h'};
  longs[N + 1] = (struct option){"version", no_argument, NULL, 'V'};
  shorts[ns++] = 'h';
  shorts[ns++] = 'V';
  shorts[ns] = 0;
  *status = AS_BAD_INPUT;
  bool help = false;
  for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
    if (c == '?')
      return false;
    if (c == 'V') {
      printf("assay 0.1.0\n");
      *status = 0;
      return false;
    }
    if (c == 'h')
      help = true;
    for (int i = 0; i < N; i++) {
      if (rows[i].key == c && !set_option(o, &rows[i], optarg))
        return false;
    }
  }
  static const char *const demands[] = {"check", "field", "z3", "cvc5", NULL};
  static const char *const solvers[] = {"z3", "cvc5", "both", "none", NULL};
  static const char *const prunes[] = {"exact", "z3", NULL};
  static const char *const formats[] = {"mirage", NULL};
  static const char *const directions[] = {"forward", "backward", "both", NULL};
  if (!words_from("require", o->require, demands) ||
      (o->solvers && !words_from("solvers", o->solvers, solvers)) ||
      !words_from("prune", o->prune, prunes) ||
      (o->direction && !words_from("direction", o->direction, directions)) ||
      (o->from && !words_from("from", o->from, formats)) ||
      (o->to && !words_from("to", o->to, formats)))
    return false;
  as_err unknown;
  as_err_init(&unknown);
  if (o->arch && !as_target_find(o->arch, &unknown)) {
    fprintf(stderr, "assay: --arch: %s\n", unknown.text);
    as_err_clear(&unknown);
    return false;
  }
  const char *name = optind < argc ? argv[optind++] : NULL;
  for (uint32_t i = 0; name && i < cli_n_commands; i++) {
    if (strcmp(name, cli_commands[i].name) == 0)
      *cmd = &cli_commands[i];
  }
  if (help) {
    cli_help(*cmd);
    *status = 0;
    return false;
  }
  if (name == NULL) {
    cli_help(NULL);
    return false;
  }
  if (*cmd == NULL) {
    fprintf(stderr, "assay: unknown command `%s` (see assay --help)\n", name);
    return false;
  }
  bool many = o->from != NULL || (*cmd)->run == cli_regress;
  if (o->solvers == NULL)
    o->solvers = many ? "none" : "z3,cvc5";
  o->n_arg = (uint32_t)(argc - optind);
  if (o->n_arg < (*cmd)->least || o->n_arg > (*cmd)->most) {
    fprintf(stderr, "usage: assay %s [options] %s\n", (*cmd)->name, (*cmd)->args);
    return false;
  }
  o->arg = as_malloc((o->n_arg + 1) * sizeof *o->arg);
  memcpy(o->arg, argv + optind, o->n_arg * sizeof *o->arg);
  o->arg[o->n_arg] = NULL;
  *status = 0;
  return true;
}

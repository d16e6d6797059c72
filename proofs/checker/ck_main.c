/* assay-check: reads the claim from the user's files, replays the certificate, prints the theorem.
 * Starts from "rejected". */
#include "ck_cert.h"
#include "ck_standard.h"
#include "ck_text.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2 };

enum { MAX_CERTIFICATE = 1 << 28, MAX_PATH = 4000, MAX_FILES = 3 };

typedef enum { CHECK, GOALS, OBLIGATIONS, BATCH, SPECIFICATIONS, N_TASKS } task;

static const struct {
  const char *option;
  int files; /* that it takes */
} tasks[N_TASKS] = {[CHECK] = {"--check", 3},
                    [GOALS] = {"--goals", 2},
                    [OBLIGATIONS] = {"--obligations", 2},
                    [BATCH] = {"--batch", 1},
                    [SPECIFICATIONS] = {"--specifications", 0}};

typedef struct {
  task what;
  bool quiet;
  ck_text *sem; /* operator specifications */
  uint32_t n_sem;
  uint32_t capacity;
} options;

static int complain(const char *what, const char *why) {
  fprintf(stderr, "assay-check: %s: %s\n", what, why);
  return BAD_INPUT;
}

static int usage(FILE *out, int status) {
  fputs("usage: assay-check [--sem FILE|DIR]... [-q] SPEC CANDIDATE CERT\n"
        "       assay-check [--sem FILE|DIR]... --goals SPEC CANDIDATE\n"
        "       assay-check [--sem FILE|DIR]... --obligations SPEC CANDIDATE\n"
        "       assay-check [--sem FILE|DIR]... --batch LIST      (lines of SPEC CANDIDATE CERT)\n"
        "       assay-check [--sem FILE|DIR]... --specifications\n"
        "Accepts CERT if it proves that CANDIDATE refines SPEC.  SPEC may be a file of rules, "
        "F.rule, and CANDIDATE then the name of one, or NAME.reverse.\n"
        "--goals prints the claim; --obligations before it the obligations that are plainly true, "
        "and so no goals.\n"
        "Exit status: 0 accepted, 1 rejected, 2 bad input.\n"
        "Without --sem, the operators are those of $ASSAY_SEM, or of the folder `semantics' beside "
        "the program, or " AS_DATADIR "/semantics.\n",
        out);
  return status;
}

/* --- operator specifications */
static void add_file(options *o, const char *folder, const char *name) {
  size_t room = strlen(folder) + strlen(name) + 2;
  char *path = ck_alloc(NULL, room);
  snprintf(path, room, "%s%s%s", folder, *folder ? "/" : "", name);
  CK_GROW(o->sem, o->capacity, o->n_sem + 1);
  o->sem[o->n_sem++] = (ck_text){.name = path};
}

static int is_specification(const struct dirent *entry) {
  const char *suffix = strrchr(entry->d_name, '.');
  return *entry->d_name != '.' && suffix && strcmp(suffix, ".sem") == 0;
}

/* a file, or all *.sem of a folder by name */
static int add_sem(options *o, const char *where) {
  struct dirent **entry;
  int n = scandir(where, &entry, is_specification, alphasort);
  if (n < 0 && errno != ENOTDIR)
    return complain(where, strerror(errno));
  if (n < 0)
    add_file(o, "", where);
  for (int i = 0; i < n; i++) {
    add_file(o, where, entry[i]->d_name);
    free(entry[i]);
  }
  if (n >= 0)
    free(entry);
  return 0;
}

/* the specifications that belong to this program: beside it, if there are any; else those installed
 */
static int add_own_sem(options *o) {
  static const char *const beside[] = {"semantics", "../semantics", "../share/assay/semantics"};
  char program[MAX_PATH] = "";
  char folder[MAX_PATH + 100];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  char *slash = n > 0 ? strrchr(program, '/') : NULL;
  for (size_t i = 0; slash && i < sizeof beside / sizeof *beside && o->n_sem == 0; i++) {
    snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - program), program, beside[i]);
    if (access(folder, R_OK) == 0 && add_sem(o, folder))
      return BAD_INPUT;
  }
  return o->n_sem ? 0 : add_sem(o, AS_DATADIR "/semantics");
}

/* --- what is printed */
/* proofs/CLAIM.md section 9 */
static int print_goals(const ck_terms *T, const ck_claim *c) {
  bool ok = true;
  CK_BELOW(i, c->n_definitions) {
    const ck_definition *d = &c->definitions[i];
    if (d->carried)
      ok = ok && ck_print(stdout, T, "define ", d->base_clause, "\n");
    ok = ok && ck_print(stdout, T, "define ", d->clause, "\n");
  }
  CK_BELOW(i, c->n_stated)
    ok = ok && ck_print(stdout, T, "stated ", c->stated[i], "\n");
  CK_BELOW(i, c->n_given)
    ok = ok && ck_print(stdout, T, "given ", c->given[i], "\n");
  for (const ck_goal *g = c->goals; g < c->goals + c->n_goals; g++) {
    printf("goal %s ", g->name);
    ok = ok && ck_print(stdout, T, "", g->formula, "\n");
    CK_BELOW(k, g->n_conditions)
      ok = ok && ck_print(stdout, T, "  if ", g->condition[k], "\n");
  }
  return ok ? ACCEPTED : complain("goals", "a formula takes more than 64 MiB");
}

static void print_accepted(const ck_claim *c, char *const file[MAX_FILES], const char sha256[65],
                           const ck_usage *u) {
  printf("ACCEPTED\n%s\nOperators relied on (SHA-256 of the specification):\n", c->theorem);
  CK_BELOW(i, c->n_relied) {
    const char *name = c->relied[i].name;
    ck_origin origin = ck_origin_of(name, c->relied[i].sha256);
    printf("  %s  %s  %s%s\n", c->relied[i].sha256, name,
           origin == CK_STANDARD  ? "standard"
           : origin == CK_DIFFERS ? "differs from the standard: "
                                  : "not in the standard library",
           origin == CK_DIFFERS ? name : "");
  }
  printf("Files:\n  %s  %s\n  %s  %s\n  %s  %s\n", c->spec_sha, file[0], c->cand_sha, file[1],
         sha256, file[2]);
  printf("Goals met: %u.  Definitions: %u.  Terms: %u.  Steps: %u", c->n_goals, c->n_definitions,
         u->terms, u->steps);
  for (int i = 0; i < CK_N_RULES; i++) {
    if (u->count[i])
      printf(", %s %u", u->rule[i], u->count[i]);
  }
  puts(".");
}

/* --- checking */
static int replay(const options *o, ck_terms *T, const ck_claim *c, char *const file[MAX_FILES]) {
  size_t length = 0;
  char *text = ck_read_file(file[2], MAX_CERTIFICATE + 1, &length);
  char *why = NULL;
  char sha256[65];
  ck_usage usage;
  if (!text)
    return complain(file[2], strerror(errno));
  bool ok = length <= MAX_CERTIFICATE &&
            ck_cert_check(T, c->goals, c->n_goals, text, length, &usage, &why);
  ck_sha256(text, length, sha256);
  if (!ok)
    printf("%s %s: %s\n", o->quiet ? "rejected" : "REJECTED", file[2],
           why ? why : "more than 2^28 bytes");
  else if (o->quiet)
    printf("accepted %s\n", file[2]);
  else
    print_accepted(c, file, sha256, &usage);
  free(text);
  free(why);
  return ok ? ACCEPTED : REJECTED;
}

static int complain_of(ck_msg *msg) {
  if (msg->line)
    fprintf(stderr, "%s:%d:%d: %s\n", msg->file, msg->line, msg->col, msg->text);
  else
    complain(msg->file, msg->text);
  free(msg->text);
  free(msg->file);
  return BAD_INPUT;
}

/* file: spec, candidate, certificate (not for goals) */
static int check(const options *o, char *const file[MAX_FILES]) {
  ck_terms *T = ck_terms_new();
  ck_msg msg = {0};
  ck_text spec = {.name = file[0]};
  ck_text candidate = {.name = file[1]};
  FILE *listed = o->what == OBLIGATIONS ? stdout : NULL;
  ck_claim *c = ck_claim_listed(T, &spec, &candidate, o->sem, o->n_sem, o->n_sem, listed, &msg);
  int verdict = !c                                           ? complain_of(&msg)
                : o->what == GOALS || o->what == OBLIGATIONS ? print_goals(T, c)
                                                             : replay(o, T, c, file);
  ck_claim_free(c);
  ck_terms_free(T);
  return verdict;
}

/* a line of the list; -1: it is empty, or a comment */
static int check_line(const options *o, const char *list, const char *line, size_t length) {
  char *file[MAX_FILES + 1] = {NULL};
  int verdict = -1;
  if (memchr(line, 0, length))
    return complain(list, "a line has a zero byte");
  int n = sscanf(line, "%ms%ms%ms%ms", &file[0], &file[1], &file[2], &file[3]);
  if (n > 0 && *file[0] != '#')
    verdict =
        n == MAX_FILES ? check(o, file) : complain(list, "three file names expected in each line");
  for (int i = 0; i <= MAX_FILES; i++)
    free(file[i]);
  return verdict;
}

/* the worst verdict of the list */
static int batch(const options *o, const char *list) {
  FILE *in = fopen(list, "r");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  int worst = -1;
  if (!in)
    return complain(list, strerror(errno));
  while ((length = getline(&line, &capacity, in)) >= 0) {
    int verdict = check_line(o, list, line, (size_t)length);
    worst = verdict > worst ? verdict : worst;
  }
  if (worst < 0 || ferror(in))
    worst = complain(list, "nothing to check");
  free(line);
  fclose(in);
  return worst;
}

static int perform(const options *o, char *const file[MAX_FILES]) {
  ck_msg msg = {0};
  if (o->what == BATCH)
    return batch(o, file[0]);
  if (o->what != SPECIFICATIONS)
    return check(o, file);
  return ck_print_specifications(stdout, o->sem, o->n_sem, &msg) ? ACCEPTED : complain_of(&msg);
}

static task task_of(const char *option) {
  task what = CHECK;
  while (what < N_TASKS && strcmp(option, tasks[what].option) != 0)
    what++;
  return what;
}

int main(int argc, char **argv) {
  options o = {.what = N_TASKS};
  char *file[MAX_FILES] = {NULL};
  const char *named = getenv("ASSAY_SEM");
  int n = 0;
  int bad = 0;
  bool sems = false;
  for (int i = 1; i < argc; i++) {
    task what = task_of(argv[i]);
    if (strcmp(argv[i], "--help") == 0)
      return usage(stdout, 0);
    if (strcmp(argv[i], "--sem") == 0 && i + 1 < argc) {
      sems = true;
      bad |= add_sem(&o, argv[++i]);
    } else if (strcmp(argv[i], "-q") == 0) {
      o.quiet = true;
    } else if (what < N_TASKS && o.what == N_TASKS) {
      o.what = what;
    } else if (*argv[i] == '-' || n == MAX_FILES) {
      return usage(stderr, BAD_INPUT);
    } else {
      file[n++] = argv[i];
    }
  }
  o.what = o.what == N_TASKS ? CHECK : o.what;
  if (n != tasks[o.what].files)
    return usage(stderr, BAD_INPUT);
  if (!sems)
    bad |= named && *named ? add_sem(&o, named) : add_own_sem(&o);
  o.quiet = o.quiet || o.what == BATCH;
  int verdict = bad ? BAD_INPUT : perform(&o, file);
  if (fflush(stdout) || ferror(stdout))
    verdict = BAD_INPUT;
  CK_BELOW(i, o.n_sem)
    free((char *)o.sem[i].name);
  free(o.sem);
  return verdict;
}

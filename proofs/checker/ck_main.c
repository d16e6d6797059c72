/* assay-check: reads the claim from the user's files, replays the certificate, prints the theorem.
 * Starts from "rejected". */
#include "ck_cert.h"
#include "ck_standard.h"
#include "ck_text.h"
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2 };

enum { MAX_CERTIFICATE = 1 << 28, MAX_PATH = 4000 };

typedef enum { CHECK, GOALS, BATCH, SPECIFICATIONS } task;

typedef struct {
  task what;
  bool quiet;
  glob_t paths; /* of operator specifications */
  ck_text *sem;
} options;

static int complain(const char *what, const char *why) {
  fprintf(stderr, "assay-check: %s: %s\n", what, why);
  return BAD_INPUT;
}

static int usage(FILE *out, int status) {
  fputs("usage: assay-check [--sem FILE|DIR]... [-q] SPEC CANDIDATE CERT\n"
        "       assay-check [--sem FILE|DIR]... --goals SPEC CANDIDATE\n"
        "       assay-check [--sem FILE|DIR]... --batch LIST      (lines of SPEC CANDIDATE CERT)\n"
        "       assay-check [--sem FILE|DIR]... --specifications\n"
        "Accepts CERT if it proves that CANDIDATE refines SPEC.  SPEC may be a file of rules, "
        "F.rule, and CANDIDATE then the name of one, or NAME.reverse.\n"
        "Exit status: 0 accepted, 1 rejected, 2 bad input.\n"
        "Without --sem, the operators are those of $ASSAY_SEM, or of the folder `semantics' beside "
        "the program, or " AS_DATADIR "/semantics.\n",
        out);
  return status;
}

/* --- operator specifications */
/* a file, or all *.sem of a folder by name */
static int add_sem(options *o, const char *where) {
  struct stat st;
  char pattern[2 * MAX_PATH + 10];
  size_t n = 0;
  if (strlen(where) > MAX_PATH)
    return complain(where, "longer than 4000 characters");
  if (stat(where, &st))
    return complain(where, strerror(errno));
  for (const char *s = where; *s; s++) {
    if (strchr("*?[\\", *s)) /* the name is no pattern */
      pattern[n++] = '\\';
    pattern[n++] = *s;
  }
  strcpy(pattern + n, S_ISDIR(st.st_mode) ? "/*.sem" : "");
  int failed = glob(pattern, o->paths.gl_pathc ? GLOB_APPEND : 0, NULL, &o->paths);
  bool none = failed == GLOB_NOMATCH && S_ISDIR(st.st_mode);
  return failed && !none ? complain(where, "cannot be read") : 0;
}

static bool is_folder(const char *name) {
  struct stat st;
  return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* the specifications that belong to this program: beside it, if there are any; else those installed
 */
static int add_own_sem(options *o) {
  static const char *const beside[] = {"semantics", "../semantics", "../share/assay/semantics"};
  char program[MAX_PATH];
  char folder[MAX_PATH + 100];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = 0;
  char *slash = strrchr(program, '/');
  for (size_t i = 0; slash && i < sizeof beside / sizeof *beside && o->paths.gl_pathc == 0; i++) {
    snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - program), program, beside[i]);
    if (is_folder(folder) && add_sem(o, folder))
      return BAD_INPUT;
  }
  return o->paths.gl_pathc ? 0 : add_sem(o, AS_DATADIR "/semantics");
}

/* --- what is printed */
/* proofs/CLAIM.md section 9 */
static int print_goals(const ck_terms *T, const ck_claim *c) {
  bool ok = true;
  for (uint32_t i = 0; i < c->n_definitions; i++)
    ok = ok && ck_print(stdout, T, "define ", c->definitions[i].clause, "\n");
  for (uint32_t i = 0; i < c->n_stated; i++)
    ok = ok && ck_print(stdout, T, "stated ", c->stated[i], "\n");
  for (uint32_t i = 0; i < c->n_given; i++)
    ok = ok && ck_print(stdout, T, "given ", c->given[i], "\n");
  for (const ck_goal *g = c->goals; g < c->goals + c->n_goals; g++) {
    printf("goal %s ", g->name);
    ok = ok && ck_print(stdout, T, "", g->formula, "\n");
    for (uint32_t k = 0; k < g->n_conditions; k++)
      ok = ok && ck_print(stdout, T, "  if ", g->condition[k], "\n");
  }
  return ok ? ACCEPTED : complain("goals", "a formula takes more than 64 MiB");
}

static void print_relied(const ck_claim *c) {
  puts("Operators relied on (SHA-256 of the specification):");
  for (uint32_t i = 0; i < c->n_relied; i++) {
    const char *name = c->relied[i].name;
    const char *sha256 = c->relied[i].sha256;
    printf("  %s  %s", sha256, name);
    switch (ck_origin_of(name, sha256)) {
    case CK_STANDARD:
      puts("  standard");
      break;
    case CK_DIFFERS:
      printf("  differs from the standard: %s\n", name);
      break;
    case CK_OWN:
      puts("  not in the standard library");
      break;
    }
  }
}

static void print_accepted(const ck_claim *c, char *const file[3], const char sha256[65],
                           const ck_usage *u) {
  printf("ACCEPTED\n%s\n", c->theorem);
  print_relied(c);
  printf("Files:\n  %s  %s\n  %s  %s\n  %s  %s\n", c->spec_sha, file[0], c->cand_sha, file[1],
         sha256, file[2]);
  printf("Goals met: %u.  Definitions: %u.  Terms: %u.  Steps: %u", (unsigned)c->n_goals,
         (unsigned)c->n_definitions, (unsigned)u->terms, (unsigned)u->steps);
  for (int i = 0; i < CK_N_RULES; i++) {
    if (u->count[i])
      printf(", %s %u", u->rule[i], (unsigned)u->count[i]);
  }
  puts(".");
}

/* --- checking */
static int replay(const options *o, ck_terms *T, const ck_claim *c, char *const file[3]) {
  size_t length = 0;
  char *text = ck_read_file(file[2], MAX_CERTIFICATE + 1, &length);
  char *why = NULL;
  char sha256[65];
  ck_usage usage;
  if (!text)
    return complain(file[2], strerror(errno));
  if (length > MAX_CERTIFICATE) {
    free(text);
    printf("%s %s: longer than %d bytes\n", o->quiet ? "rejected" : "REJECTED", file[2],
           MAX_CERTIFICATE);
    return REJECTED;
  }
  bool ok = ck_cert_check(T, c->goals, c->n_goals, text, length, &usage, &why);
  ck_sha256(text, length, sha256);
  if (!ok)
    printf("%s %s: %s\n", o->quiet ? "rejected" : "REJECTED", file[2], why);
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
static int check(const options *o, char *const file[3]) {
  ck_terms *T = ck_terms_new();
  ck_msg msg = {0};
  ck_text spec = {.name = file[0]};
  ck_text candidate = {.name = file[1]};
  ck_claim *c = ck_claim_texts(T, &spec, &candidate, o->sem, (uint32_t)o->paths.gl_pathc, &msg);
  int verdict = BAD_INPUT;
  if (!c)
    complain_of(&msg);
  else if (o->what == GOALS)
    verdict = print_goals(T, c);
  else
    verdict = replay(o, T, c, file);
  ck_claim_free(c);
  ck_terms_free(T);
  return verdict;
}

/* a line of the list; -1: it is empty, or a comment */
static int check_line(const options *o, const char *list, const char *line, size_t length) {
  char *file[4] = {NULL};
  int verdict = -1;
  if (memchr(line, 0, length))
    return complain(list, "a line has a zero byte");
  int n = sscanf(line, "%ms%ms%ms%ms", &file[0], &file[1], &file[2], &file[3]);
  if (n > 0 && *file[0] != '#')
    verdict = n == 3 ? check(o, file) : complain(list, "three file names expected in each line");
  for (int i = 0; i < 4; i++)
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

static int specifications(const options *o) {
  ck_msg msg = {0};
  bool ok = ck_print_specifications(stdout, o->sem, (uint32_t)o->paths.gl_pathc, &msg);
  return ok ? ACCEPTED : complain_of(&msg);
}

static int perform(const options *o, char *const file[3], const char *list) {
  switch (o->what) {
  case BATCH:
    return batch(o, list);
  case SPECIFICATIONS:
    return specifications(o);
  default:
    return check(o, file);
  }
}

int main(int argc, char **argv) {
  static const int files_wanted[] = {[CHECK] = 3, [GOALS] = 2, [BATCH] = 0, [SPECIFICATIONS] = 0};
  options o = {.what = CHECK};
  char *file[3] = {NULL};
  char *list = NULL;
  int n = 0;
  int bad = 0;
  int tasks = 0;
  bool sems = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return usage(stdout, 0);
    if (strcmp(argv[i], "--sem") == 0 && i + 1 < argc) {
      sems = true;
      bad |= add_sem(&o, argv[++i]);
    } else if (strcmp(argv[i], "--batch") == 0 && i + 1 < argc) {
      o.what = BATCH;
      list = argv[++i];
      tasks++;
    } else if (strcmp(argv[i], "--goals") == 0 || strcmp(argv[i], "--specifications") == 0) {
      o.what = argv[i][2] == 'g' ? GOALS : SPECIFICATIONS;
      tasks++;
    } else if (strcmp(argv[i], "-q") == 0) {
      o.quiet = true;
    } else if (*argv[i] == '-' || n == 3) {
      return usage(stderr, BAD_INPUT);
    } else {
      file[n++] = argv[i];
    }
  }
  if (tasks > 1 || n != files_wanted[o.what])
    return usage(stderr, BAD_INPUT);
  const char *named = getenv("ASSAY_SEM");
  if (!sems)
    bad |= named && *named ? add_sem(&o, named) : add_own_sem(&o);
  o.sem = ck_alloc(NULL, (o.paths.gl_pathc + 1) * sizeof *o.sem);
  for (size_t i = 0; i < o.paths.gl_pathc; i++)
    o.sem[i] = (ck_text){.name = o.paths.gl_pathv[i]};
  o.quiet = o.quiet || o.what == BATCH;
  int verdict = bad ? BAD_INPUT : perform(&o, file, list);
  if (fflush(stdout) || ferror(stdout))
    verdict = BAD_INPUT;
  globfree(&o.paths);
  free(o.sem);
  return verdict;
}

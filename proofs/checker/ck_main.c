/* assay-check: reads the claim from the user's files, replays the certificate, prints the theorem.  Starts from "rejected". */
#include "ck_cert.h"
#include "ck_text.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2, MAX_CERT = 1 << 28 };
static glob_t paths; /* of operator specifications */
static ck_text *sem;
static bool quiet;

static int complain(const char *what, const char *why) { return fprintf(stderr, "assay-check: %s: %s\n", what, why), BAD_INPUT; }

static int usage(FILE *out, int status) {
  fputs("usage: assay-check [--sem FILE|DIR]... [-q] SPEC CANDIDATE CERT\n"
        "       assay-check [--sem FILE|DIR]... --goals SPEC CANDIDATE\n"
        "       assay-check [--sem FILE|DIR]... --batch LIST      (lines of SPEC CANDIDATE CERT)\n"
        "Accepts CERT if it proves that CANDIDATE refines SPEC.  SPEC may be a file of rules, F.rule, and CANDIDATE then the name of one, or NAME.reverse.\n"
        "Exit status: 0 accepted, 1 rejected, 2 bad input.\n"
        "Without --sem, the operators are those of $ASSAY_SEM or " AS_DATADIR "/semantics.\n", out);
  return status;
}

/* a file, or all *.sem of a folder by name */
static int add_sem(const char *where) {
  struct stat st;
  char pattern[8192];
  size_t n = 0;
  if (stat(where, &st) || strlen(where) > 4000) return complain(where, strerror(errno ? errno : ENAMETOOLONG));
  for (const char *s = where; *s; pattern[n++] = *s++) if (strchr("*?[\\", *s)) pattern[n++] = '\\'; /* the name is no pattern */
  strcpy(pattern + n, S_ISDIR(st.st_mode) ? "/*.sem" : "");
  int failed = glob(pattern, paths.gl_pathc ? GLOB_APPEND : 0, NULL, &paths);
  return failed && !(failed == GLOB_NOMATCH && S_ISDIR(st.st_mode)) ? complain(where, "cannot be read") : 0;
}

static int print_goals(ck_terms *T, const ck_claim *c) {
  for (const ck_goal *g = c->goals; g < c->goals + c->n_goals; g++) {
    printf("goal %s\n", g->name);
    ck_print(stdout, T, "  ", g->formula, "\n");
    for (uint32_t k = 0; k < g->n_allowed; k++) ck_print(stdout, T, "    given ", g->allowed[k], "\n");
  }
  return ACCEPTED;
}

static int replay(ck_terms *T, const ck_claim *c, char *const f[3]) {
  size_t len = 0;
  char *text = ck_read_file(f[2], MAX_CERT, &len), *why = NULL, sha[65];
  ck_usage u;
  if (!text) return complain(f[2], strerror(errno));
  bool ok = ck_cert_check(T, c->goals, c->n_goals, text, len, &u, &why);
  ck_sha256(text, len, sha);
  if (!ok) printf("%s %s: %s\n", quiet ? "rejected" : "REJECTED", f[2], why);
  else if (quiet) printf("accepted %s\n", f[2]);
  else {
    printf("ACCEPTED\n%s\nOperators relied on (SHA-256 of the specification):\n", c->theorem);
    for (uint32_t i = 0; i < c->n_relied; i++) printf("  %s  %s\n", c->relied[i].sha256, c->relied[i].name);
    printf("Files:\n  %s  %s\n  %s  %s\n  %s  %s\n", c->spec_sha, f[0], c->cand_sha, f[1], sha, f[2]);
    printf("Goals met: %u.  Terms: %u.  Steps: %u", c->n_goals, u.terms, u.steps);
    for (int i = 0; i < CK_N_RULES; i++) if (u.count[i]) printf(", %s %u", u.rule[i], u.count[i]);
    puts(".");
  }
  free(text), free(why);
  return ok ? ACCEPTED : REJECTED;
}

/* file: spec, candidate, certificate (NULL: print the goals) */
static int check(char *const file[3]) {
  ck_terms *T = ck_terms_new();
  ck_msg msg = {0};
  ck_claim *c = ck_claim_texts(T, &(ck_text){.name = file[0]}, &(ck_text){.name = file[1]}, sem, (uint32_t)paths.gl_pathc, &msg);
  int verdict = BAD_INPUT;
  if (c) verdict = file[2] ? replay(T, c, file) : print_goals(T, c);
  else if (msg.line) fprintf(stderr, "%s:%d:%d: %s\n", msg.file, msg.line, msg.col, msg.text);
  else complain(msg.file, msg.text);
  free(msg.text), free(msg.file), ck_claim_free(c), ck_terms_free(T);
  return verdict;
}

/* the worst verdict of the list */
static int batch(const char *list) {
  FILE *in = fopen(list, "r");
  char *line = NULL;
  size_t cap = 0;
  int worst = -1;
  if (!in) return complain(list, strerror(errno));
  while (getline(&line, &cap, in) >= 0) {
    char *f[4] = {0};
    int n = sscanf(line, "%ms%ms%ms%ms", &f[0], &f[1], &f[2], &f[3]), v = -1;
    if (n > 0 && *f[0] != '#') v = n == 3 ? check(f) : complain(list, "three file names expected in each line");
    if (v > worst) worst = v;
    for (int i = 0; i < 4; i++) free(f[i]);
  }
  if (worst < 0 || ferror(in)) worst = complain(list, "nothing to check");
  free(line), fclose(in);
  return worst;
}

int main(int argc, char **argv) {
  char *file[3] = {0}, *list = NULL, *dir = getenv("ASSAY_SEM");
  int n = 0, verdict, bad = 0;
  bool goals = false, sems = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) return usage(stdout, 0);
    if (!strcmp(argv[i], "--sem") && i + 1 < argc) sems = true, bad |= add_sem(argv[++i]);
    else if (!strcmp(argv[i], "--batch") && i + 1 < argc && !list) list = argv[++i];
    else if (!strcmp(argv[i], "--goals")) goals = true;
    else if (!strcmp(argv[i], "-q")) quiet = true;
    else if (*argv[i] == '-' || n == 3) return usage(stderr, BAD_INPUT);
    else file[n++] = argv[i];
  }
  if (list ? n || goals : n != (goals ? 2 : 3)) return usage(stderr, BAD_INPUT);
  if (!sems) bad |= add_sem(dir && *dir ? dir : AS_DATADIR "/semantics");
  if (!(sem = calloc(paths.gl_pathc + 1, sizeof *sem))) abort();
  for (size_t i = 0; i < paths.gl_pathc; i++) sem[i].name = paths.gl_pathv[i];
  quiet = quiet || list;
  verdict = bad ? BAD_INPUT : list ? batch(list) : check(file);
  if (fflush(stdout) || ferror(stdout)) verdict = BAD_INPUT;
  globfree(&paths), free(sem);
  return verdict;
}

/* assay-check: reads the claim from the user's files, replays the certificate, prints the theorem.  Starts from "rejected". */
#include "ck_cert.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ck_sha256(const void *data, size_t len, char hex[65]);
enum { ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2 };
typedef struct { char **path; uint32_t n; } paths;

static const char usage_text[] =
    "usage: assay-check [--sem FILE|DIR]... [-q] SPEC CANDIDATE CERT\n"
    "       assay-check [--sem FILE|DIR]... --goals SPEC CANDIDATE\n"
    "       assay-check [--sem FILE|DIR]... [-q] --batch LIST\n"
    "Accepts CERT if it proves that CANDIDATE refines SPEC.  Exit status: 0 accepted, 1 rejected, 2 bad input.\n"
    "Without --sem, the operators are those of $ASSAY_SEM or " AS_DATADIR "/semantics.\n";

static void *must(void *p) {
  if (!p) {
    fputs("assay-check: out of memory\n", stderr);
    exit(BAD_INPUT);
  }
  return p;
}

static void add_path(paths *p, const char *s) {
  p->path = must(realloc(p->path, (p->n + 1) * sizeof *p->path));
  p->path[p->n++] = must(strdup(s));
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* a file, or all *.sem of a folder by name */
static bool add_sem(paths *p, const char *where) {
  struct stat st;
  if (stat(where, &st)) {
    fprintf(stderr, "assay-check: %s: %s\n", where, strerror(errno));
    return false;
  }
  if (!S_ISDIR(st.st_mode)) return add_path(p, where), true;
  DIR *d = opendir(where);
  if (!d) {
    fprintf(stderr, "assay-check: %s: %s\n", where, strerror(errno));
    return false;
  }
  uint32_t from = p->n;
  for (struct dirent *e; (e = readdir(d));) {
    size_t n = strlen(e->d_name), room = strlen(where) + n + 2;
    if (n < 5 || strcmp(e->d_name + n - 4, ".sem")) continue;
    char *s = must(malloc(room));
    snprintf(s, room, "%s/%s", where, e->d_name);
    add_path(p, s);
    free(s);
  }
  closedir(d);
  if (p->n > from) qsort(p->path + from, p->n - from, sizeof *p->path, by_name);
  return true;
}

static char *read_all(const char *path, size_t *len) {
  FILE *in = fopen(path, "rb");
  char *text = NULL;
  size_t cap = 0, got = 1;
  *len = 0;
  while (in && got) {
    if (*len == cap) text = must(realloc(text, cap = cap ? 2 * cap : 1 << 16));
    *len += got = fread(text + *len, 1, cap - *len, in);
  }
  if (!in || ferror(in)) {
    fprintf(stderr, "assay-check: %s: %s\n", path, strerror(errno));
    free(text);
    text = NULL;
  }
  if (in) fclose(in);
  return text;
}

static void print_goals(ck_terms *T, const ck_claim *c) {
  for (uint32_t i = 0; i < c->n_goals; i++) {
    const ck_goal *g = &c->goals[i];
    char *s = ck_show(T, g->formula);
    printf("goal %s\n  %s\n", g->name, s);
    free(s);
    for (uint32_t k = 0; k < g->n_allowed; k++) {
      s = ck_show(T, g->allowed[k]);
      printf("    given %s\n", s);
      free(s);
    }
  }
}

static void print_theorem(const ck_claim *c, const ck_usage *u, const char *const f[3], const char *cert_sha) {
  printf("ACCEPTED\n%s\nOperators relied on (SHA-256 of the specification):\n", c->theorem);
  for (uint32_t i = 0; i < c->n_relied; i++) printf("  %s  %s\n", c->relied[i].sha256, c->relied[i].name);
  printf("Files:\n  %s  %s\n  %s  %s\n  %s  %s\n", c->spec_sha, f[0], c->cand_sha, f[1], cert_sha, f[2]);
  printf("Goals met: %u.  Terms: %u.  Steps: %u", c->n_goals, u->terms, u->steps);
  for (int i = 0; i < CK_N_RULES; i++)
    if (u->count[i]) printf(", %s %u", u->rule[i], u->count[i]);
  puts(".");
}

/* file: spec, candidate, certificate (NULL: print the goals) */
static int check(const char *const file[3], const paths *sem, bool quiet) {
  ck_terms *T = must(ck_terms_new());
  ck_msg msg = {0};
  int verdict = REJECTED;
  ck_claim *c = ck_claim_read(T, file[0], file[1], (const char *const *)sem->path, sem->n, &msg);
  char *text = NULL, *why = NULL, sha[65];
  size_t len = 0;
  if (!c) {
    if (msg.line) fprintf(stderr, "%s:%d:%d: %s\n", msg.file, msg.line, msg.col, msg.text);
    else fprintf(stderr, "%s%s%s\n", msg.file, *msg.file ? ": " : "", msg.text);
    verdict = BAD_INPUT;
  } else if (!file[2]) {
    print_goals(T, c);
    verdict = ACCEPTED;
  } else if (!(text = read_all(file[2], &len))) verdict = BAD_INPUT;
  else {
    ck_usage u = {0};
    if (ck_cert_check(T, c->goals, c->n_goals, text, len, &u, &why)) {
      verdict = ACCEPTED;
      ck_sha256(text, len, sha);
      if (quiet) printf("accepted %s\n", file[2]);
      else print_theorem(c, &u, file, sha);
    } else printf("%s %s: %s\n", quiet ? "rejected" : "REJECTED", file[2], why ? why : "no reason given");
  }
  free(text), free(why), free(msg.text), free(msg.file);
  ck_claim_free(c);
  ck_terms_free(T);
  return verdict;
}

/* lines of SPEC CANDIDATE CERT; the worst verdict */
static int batch(const char *list, const paths *sem) {
  FILE *in = fopen(list, "r");
  char *line = NULL;
  size_t cap = 0;
  int worst = ACCEPTED, n = 0;
  if (!in) {
    fprintf(stderr, "assay-check: %s: %s\n", list, strerror(errno));
    return BAD_INPUT;
  }
  for (int no = 1; getline(&line, &cap, in) >= 0; no++) {
    char *save, *f[4];
    f[0] = strtok_r(line, " \t\r\n", &save);
    if (!f[0] || *f[0] == '#') continue;
    for (int i = 1; i < 4; i++) f[i] = f[i - 1] ? strtok_r(NULL, " \t\r\n", &save) : NULL;
    int v = BAD_INPUT;
    if (!f[2] || f[3]) fprintf(stderr, "%s:%d: three file names expected\n", list, no);
    else v = check((const char *[]){f[0], f[1], f[2]}, sem, true);
    if (v > worst) worst = v;
    n++;
  }
  if (!n || ferror(in)) {
    fprintf(stderr, "%s: nothing to check\n", list);
    worst = BAD_INPUT;
  }
  free(line);
  fclose(in);
  return worst;
}

int main(int argc, char **argv) {
  paths sem = {0};
  const char *file[3] = {0}, *list = NULL;
  int n = 0, verdict = REJECTED;
  bool goals = false, quiet = false, ok = true, sems = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) return fputs(usage_text, stdout), 0;
    if (!strcmp(argv[i], "--sem") && i + 1 < argc) sems = true, ok = add_sem(&sem, argv[++i]) && ok;
    else if (!strcmp(argv[i], "--batch") && i + 1 < argc && !list) list = argv[++i];
    else if (!strcmp(argv[i], "--goals")) goals = true;
    else if (!strcmp(argv[i], "-q")) quiet = true;
    else if (*argv[i] == '-' || n == 3) return fputs(usage_text, stderr), BAD_INPUT;
    else file[n++] = argv[i];
  }
  if (list ? n || goals : n != (goals ? 2 : 3)) return fputs(usage_text, stderr), BAD_INPUT;
  const char *dir = getenv("ASSAY_SEM");
  if (!sems) ok = add_sem(&sem, dir && *dir ? dir : AS_DATADIR "/semantics");
  if (!ok) verdict = BAD_INPUT;
  else verdict = list ? batch(list, &sem) : check(file, &sem, quiet);
  if (fflush(stdout) || ferror(stdout)) verdict = BAD_INPUT;
  for (uint32_t i = 0; i < sem.n; i++) free(sem.path[i]);
  free(sem.path);
  return verdict;
}

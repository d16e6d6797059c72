/* Reads claim.cases, cut.cases and tile.cases: each case gives texts and says whether the claim can
 * be stated, and if so which goals, or why not. Plain main: built with the checker alone. */
#include "proofs/checker/ck_claim.h"
#include "tests/source_dir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6 };

static const char *const part_name[PARTS] = {"sem", "spec", "cand", "accept", "reject", "goals"};

typedef struct {
  char name[200];
  char *part[PARTS];
  int line;
} test_case;

static char *read_all(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(1 << 20);
  if (!file || !text) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(99);
  }
  *len = fread(text, 1, (1 << 20) - 1, file);
  text[*len] = 0;
  fclose(file);
  return text;
}

/* the claim as `assay-check --goals` prints it, without what is stated of sizes; a rule's own hash
 * is written SHA */
static char *goals_text(ck_terms *terms, const ck_claim *claim) {
  char *out = NULL;
  size_t n = 0;
  FILE *file = open_memstream(&out, &n);
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    const ck_definition *made = &claim->definitions[i];
    if (made->carried)
      ck_print(file, terms, "define ", made->base_clause, "\n");
    ck_print(file, terms, "define ", made->clause, "\n");
  }
  for (uint32_t i = 0; i < claim->n_given; i++)
    ck_print(file, terms, "given ", claim->given[i], "\n");
  for (uint32_t i = 0; i < claim->n_goals; i++) {
    const ck_goal *goal = &claim->goals[i];
    const char *sha = strchr(goal->name, '@');
    if (sha && !strcmp(sha + 1, claim->cand_sha))
      fprintf(file, "goal %.*s@SHA ", (int)(sha - goal->name), goal->name);
    else
      fprintf(file, "goal %s ", goal->name);
    ck_print(file, terms, "", goal->formula, "\n");
    for (uint32_t k = 0; k < goal->n_conditions; k++)
      ck_print(file, terms, "  if ", goal->condition[k], "\n");
  }
  fclose(file);
  return out;
}

static const char *const sems[] = {"elementwise", "linear", "normalize", "reduce", "shape"};

enum { N_SEM = sizeof sems / sizeof *sems };

static int run(const test_case *test, const ck_text *sem) {
  ck_terms *terms = ck_terms_new();
  ck_text all[N_SEM + 1];
  ck_text spec = {"spec.tp", test->part[1], strlen(test->part[1])};
  ck_text cand = spec;
  uint32_t n = 0;
  ck_msg msg;
  int bad = 0;
  if (test->part[0] && !strncmp(test->part[0], "none\n", 5)) {
    all[n++] = (ck_text){"own.sem", test->part[0] + 5, strlen(test->part[0]) - 5};
  } else {
    for (; n < N_SEM; n++)
      all[n] = sem[n];
    if (test->part[0])
      all[n++] = (ck_text){"own.sem", test->part[0], strlen(test->part[0])};
  }
  if (test->part[2])
    cand = (ck_text){"cand.mug", test->part[2], strlen(test->part[2])};
  char name[100] = ""; /* a rule's: the part `cand`, or that of the first rule */
  const char *rule =
      !strncmp(test->part[1], "rule ", 5) ? test->part[1] - 1 : strstr(test->part[1], "\nrule ");
  if (rule) {
    sscanf(test->part[2] ? test->part[2] : rule + 6, "%99s", name);
    spec.name = "spec.rule";
    cand = (ck_text){name, NULL, 0};
  }
  ck_claim *claim = ck_claim_texts(terms, &spec, &cand, all, n, &msg);
  if (claim && test->part[4]) {
    printf("line %d: %s: must be rejected: %s", test->line, test->name, test->part[4]);
    bad = 1;
  }
  if (!claim && !test->part[4]) {
    printf("line %d: %s: %s:%d:%d: %s\n", test->line, test->name, msg.file, msg.line, msg.col,
           msg.text);
    bad = 1;
  }
  if (!claim && test->part[4]) { /* "line:col words" */
    char at[60];
    snprintf(at, sizeof at, "%d:%d ", msg.line, msg.col);
    char *want = strdup(test->part[4]);
    want[strcspn(want, "\n")] = 0;
    const char *words = want;
    const char *colon = strchr(want, ':');
    if (colon && colon < want + 5 && want[0] >= '0' && want[0] <= '9') {
      if (strncmp(want, at, strlen(at))) {
        printf("line %d: %s: wanted at %s: is at %s\n%s\n", test->line, test->name, want, at,
               msg.text);
        bad = 1;
      }
      words = strchr(want, ' ') + 1;
    }
    if (!strstr(msg.text, words)) {
      printf("line %d: %s: wanted \"%s\":\n%s:%s %s\n", test->line, test->name, words, msg.file, at,
             msg.text);
      bad = 1;
    }
    free(want);
  }
  if (claim && test->part[5]) {
    char *got = goals_text(terms, claim);
    if (strcmp(got, test->part[5])) {
      printf("line %d: %s: goals are\n%s", test->line, test->name, got);
      bad = 1;
    }
    free(got);
  }
  if (claim && test->part[3]) { /* words that the claim has, if there are any */
    char *got = goals_text(terms, claim);
    char *want = strdup(test->part[3]);
    want[strcspn(want, "\n")] = 0;
    if (!strstr(got, want)) {
      printf("line %d: %s: \"%s\" is not in\n%s", test->line, test->name, want, got);
      bad = 1;
    }
    free(want);
    free(got);
  }
  free(msg.text);
  free(msg.file);
  ck_claim_free(claim);
  ck_terms_free(terms);
  return bad;
}

/* the cases of one file; gives how many are wrong, -1: the file cannot be read as cases */
static int run_file(const char *name, const ck_text *sem, int *n) {
  char path[4096];
  size_t len;
  int bad = 0;
  int line = 0;
  snprintf(path, sizeof path, "%s/tests/claim/%s", test_source_dir(), name);
  char *all = read_all(path, &len);
  char *end = all + len;
  test_case test = {0};
  char *part[PARTS] = {0}; /* end of each part's text, where its last NUL goes */
  for (char *s = all; s <= end;) {
    char *nl = s < end ? strchr(s, '\n') : NULL;
    char *next = nl ? nl + 1 : end + 1;
    line++;
    if (s == end || !strncmp(s, "=== ", 4)) {
      if (test.line) {
        *s = 0;
        if (test.part[1]) {
          bad += run(&test, sem);
          ++*n;
        } else {
          printf("line %d: no spec\n", test.line);
          bad++;
        }
      }
      if (s == end)
        break;
      test = (test_case){.line = line};
      snprintf(test.name, sizeof test.name, "%.*s", (int)(nl - s) - 4, s + 4);
      memset(part, 0, sizeof part);
    } else if (!strncmp(s, "--- ", 4)) {
      int k = 0;
      while (k < PARTS && strncmp(s + 4, part_name[k], strlen(part_name[k])))
        k++;
      if (k == PARTS) {
        printf("%s: line %d: unknown part\n", name, line);
        return -1;
      }
      *s = 0;
      test.part[k] = k == 3 || k == 4 ? s + 5 + strlen(part_name[k]) : next;
    }
    s = next;
  }
  free(all);
  return bad;
}

int main(void) {
  static const char *const files[] = {"claim.cases", "cut.cases", "tile.cases"};
  char path[4096];
  char *text[N_SEM];
  ck_text sem[N_SEM];
  size_t len;
  int bad = 0;
  int n = 0;
  for (int i = 0; i < N_SEM; i++) {
    snprintf(path, sizeof path, "%s/semantics/%s.sem", test_source_dir(), sems[i]);
    text[i] = read_all(path, &len);
    sem[i] = (ck_text){sems[i], text[i], len};
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    int wrong = run_file(files[i], sem, &n);
    if (wrong < 0)
      return 99;
    bad += wrong;
  }
  for (int i = 0; i < N_SEM; i++)
    free(text[i]);
  printf("%d claims, %d wrong\n", n, bad);
  return bad != 0;
}

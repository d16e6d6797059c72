/* loops.cases: claims of tile programs, proved without any evaluation, and near misses of which a
 * goal stays open.
 *
 *     test_loops [GIVEN CANDIDATE [CERTIFICATE]]     of two files: proved, unproved or refused;
 * what is proved leaves the certificate there */
#include "proofs/checker/ck_cert.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/source_dir.h"
#include "tests/suite.h"
#include "verify/prove/prove.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 60000, FEW_STEPS = 500 };

static const char *const sems[] = {"elementwise", "index",  "linear",
                                   "normalize",   "reduce", "shape"};

enum { N_SEM = sizeof sems / sizeof *sems };

typedef struct {
  char *name;
  char *want;
  char *given;
  char *candidate;
} loop_case;

/* the certificate as written, against the claim read once more */
static bool accepted(const ck_text *given, const ck_text *candidate, const ck_text *sem,
                     const as_proof_result *proof) {
  ck_terms *terms = ck_terms_new();
  ck_msg msg = {0};
  char *why = NULL;
  ck_usage usage;
  ck_claim *claim = ck_claim_texts(terms, given, candidate, sem, N_SEM, &msg);
  bool ok = claim && ck_cert_check(terms, claim->goals, claim->n_goals, proof->cert,
                                   proof->cert_len, &usage, &why);
  free(why);
  ck_claim_free(claim);
  ck_terms_free(terms);
  return ok;
}

/* Steps of all attempts, each of which ends early: as long as one is not proved there are several.
 */
static uint32_t tried_in_all(const ck_text *given, const ck_text *candidate, const ck_text *sem) {
  as_prove_opts few = {.max_steps = FEW_STEPS};
  as_proof_result proof;
  ck_msg msg = {0};
  bool read = as_prove_texts(given, candidate, sem, N_SEM, &few, &proof, &msg);
  uint32_t tried = read ? proof.steps_tried : 0;
  as_proof_result_clear(&proof);
  free(msg.text);
  free(msg.file);
  return tried;
}

/* what it comes to, against what is wanted; most: of steps that attempts have tried together */
static bool run(const loop_case *test, const ck_text *sem, uint32_t *most) {
  ck_text given = {"given", test->given, strlen(test->given)};
  ck_text candidate = {"candidate", test->candidate, strlen(test->candidate)};
  as_prove_opts limits = {.max_steps = MOST_STEPS};
  as_proof_result proof;
  ck_msg msg = {0};
  bool same = false;
  const char *goal = strchr(test->want, ' ');
  if (!as_prove_texts(&given, &candidate, sem, N_SEM, &limits, &proof, &msg)) {
    same = strcmp(test->want, "refused") == 0;
    printf("%s%s: refused: %s\n", same ? "" : "WRONG: ", test->name, msg.text);
  } else if (proof.verdict == AS_PROVED) {
    same = strcmp(test->want, "proved") == 0 && accepted(&given, &candidate, sem, &proof);
    printf("%s%s: proved, %u steps\n", same ? "" : "WRONG: ", test->name, proof.steps);
  } else {
    same = goal && strncmp(proof.goal, goal + 1, strlen(goal + 1)) == 0;
    printf("%s%s: %s stays open: %s\n", same ? "" : "WRONG: ", test->name, proof.goal, proof.left);
    uint32_t tried = tried_in_all(&given, &candidate, sem);
    *most = tried > *most ? tried : *most;
  }
  as_proof_result_clear(&proof);
  free(msg.text);
  free(msg.file);
  return same;
}

static bool written(const char *path, const as_proof_result *proof) {
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    return false;
  bool whole = fwrite(proof->cert, 1, proof->cert_len, file) == proof->cert_len;
  return fclose(file) == 0 && whole;
}

/* of two files, without evaluation: what it comes to; the certificate goes to `out` if that is one
 */
static int judge_files(const char *given, const char *candidate, const char *out,
                       const ck_text *sem) {
  as_err err;
  as_err_init(&err);
  loop_case test = {.name = (char *)candidate, .want = ""};
  size_t length;
  test.given = as_read_file(given, &length, &err);
  test.candidate = as_read_file(candidate, &length, &err);
  if (!test.given || !test.candidate)
    return 99;
  ck_text text[2] = {{"given", test.given, strlen(test.given)},
                     {"candidate", test.candidate, strlen(test.candidate)}};
  as_prove_opts limits = {.max_steps = MOST_STEPS};
  as_proof_result proof;
  ck_msg msg = {0};
  bool read = as_prove_texts(&text[0], &text[1], sem, N_SEM, &limits, &proof, &msg);
  bool proved = read && proof.verdict == AS_PROVED && accepted(&text[0], &text[1], sem, &proof);
  bool kept = !proved || out == NULL || written(out, &proof);
  puts(!read ? "refused" : proved ? "proved" : "unproved");
  as_proof_result_clear(&proof);
  free(msg.text);
  free(msg.file);
  free(test.given);
  free(test.candidate);
  return kept ? 0 : 99;
}

/* the rest of a line that begins so, ended; NULL: it begins otherwise */
static char *line_of(char *line, const char *begin) {
  size_t length = strlen(begin);
  if (strncmp(line, begin, length) != 0)
    return NULL;
  line[strcspn(line, "\n")] = 0;
  return line + length;
}

int main(int argc, char **argv) {
  char path[4096];
  size_t length;
  as_err err;
  as_err_init(&err);
  ck_text sem[N_SEM];
  for (int i = 0; i < N_SEM; i++) {
    snprintf(path, sizeof path, "%s/semantics/%s.sem", test_source_dir(), sems[i]);
    sem[i].name = sems[i];
    sem[i].text = as_read_file(path, &sem[i].len, &err);
  }
  if (argc >= 3)
    return judge_files(argv[1], argv[2], argc > 3 ? argv[3] : NULL, sem);
  snprintf(path, sizeof path, "%s/tests/tile/loops.cases", test_source_dir());
  char *text = as_read_file(path, &length, &err);
  if (text == NULL) {
    printf("cannot read %s\n", path);
    return 99;
  }
  int n = 0;
  int wrong = 0;
  uint32_t most = 0;
  char *at = strstr(text, "=== ");
  while (at) {
    loop_case test = {.name = at};
    char *next = strstr(at, "\n=== ");
    if (next)
      *next++ = 0;
    test.want = strstr(at, "--- ");
    test.given = strstr(at, "--- given\n");
    test.candidate = strstr(at, "--- candidate\n");
    if (!test.want || !test.given || !test.candidate) {
      printf("%.40s: a part is missing\n", at);
      return 1;
    }
    test.candidate[-1] = 0;
    test.candidate += strlen("--- candidate\n");
    test.given[-1] = 0;
    test.given += strlen("--- given\n");
    test.want = line_of(test.want, "--- ");
    test.name = line_of(test.name, "=== ");
    at = next;
    bool slow = strncmp(test.name, "(slow)", strlen("(slow)")) == 0;
    if (slow && !test_slow(test.name))
      continue;
    wrong += !run(&test, sem, &most);
    n++;
  }
  if (most <= 2 * FEW_STEPS) {
    printf("WRONG: at most %u steps are counted of attempts of %d each\n", most, FEW_STEPS);
    wrong++;
  }
  printf("%d cases, %d wrong, at most %u steps in short attempts\n", n, wrong, most);
  for (int i = 0; i < N_SEM; i++)
    free((char *)sem[i].text);
  free(text);
  as_err_clear(&err);
  return wrong || n == 0;
}

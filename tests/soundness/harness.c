/* No wrong candidate is certified, by any route.  For each right candidate (examples/NAME.mug, and
 * NAME.tp operator by operator; and candidates whose tiles are cut off) makes random changes, keeps
 * those that the field test and the refuter show to be wrong by a counterexample over the reals,
 * and
 *   - runs the prover on their claims and the checker on what it writes,
 *   - replays the right candidate's certificate and changed certificates against their claims:
 * none may be accepted.  Also counts changes that stay right and are proved, and where the two
 * readers of muGraphs disagree. */
#include "arguments.h"
#include "certify.h"
#include "mutate.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/ir/graph.h"
#include "tests/operators.h"
#include "verify/field/field.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static soundness_arguments opt = {.seed = 1, .wrong = 4, .certs = 10, .seconds = 50};

static struct {
  char *text;
  char *path;
  size_t len;
} sem[64];

static uint32_t n_sem;
static as_oplib *lib;

typedef struct {
  uint64_t made;
  uint64_t ill;
  uint64_t disagree;
  uint64_t undecided;
  uint64_t equal_proved;
  uint64_t empty;
  uint64_t wrong;
  uint64_t wrong_certified;
  uint64_t replays;
  uint64_t replays_accepted;
} counts;

static void load_semantics(void) {
  as_err err;
  as_err_init(&err);
  lib = test_operators();
  uint32_t n = 0;
  const char *const *files = as_oplib_files(lib, &n);
  for (; n_sem < n && n_sem < 64; n_sem++) {
    sem[n_sem].path = as_strdup(files[n_sem]);
    sem[n_sem].text = as_read_file(files[n_sem], &sem[n_sem].len, &err);
    if (!sem[n_sem].text)
      exit(99);
  }
}

static ck_claim *claim_of(ck_terms *terms, const char *tp, const char *mug) {
  ck_text text[64];
  ck_text spec = {"spec.tp", tp, strlen(tp)};
  ck_text cand = {"cand.mug", mug, strlen(mug)};
  for (uint32_t i = 0; i < n_sem; i++)
    text[i] = (ck_text){sem[i].path, sem[i].text, sem[i].len};
  ck_msg msg;
  ck_claim *claim = ck_claim_texts(terms, &spec, &cand, text, n_sem, &msg);
  if (!claim && opt.verbose)
    printf("    claim: %d:%d: %s\n", msg.line, msg.col, msg.text);
  free(msg.text);
  free(msg.file);
  return claim;
}

/* AS_NO: shown to be wrong.  AS_OK: no difference found.  AS_BAD_INPUT: src/ir cannot read it.
 * AS_UNKNOWN */
static as_status judge(const char *tp, const char *mug, uint64_t seed, bool *compared) {
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_graph *graph = as_parse_tp("spec.tp", tp, strlen(tp), sizes, lib, &err);
  as_graph *mugraph = graph ? as_parse_mug("cand.mug", mug, strlen(mug), graph, &err) : NULL;
  as_status status = AS_BAD_INPUT;
  if (mugraph) {
    as_field_options options = as_field_default;
    as_field_report report;
    options.seed = seed;
    options.runs = 2;
    status = as_field_test(graph, mugraph, &options, &report, &err);
    *compared = report.same + report.close > 0;
    as_field_report_clear(&report);
    if (status != AS_NO) { /* the refuter looks at other sizes and values */
      as_refute_budget budget = as_refute_default;
      as_cex cex;
      as_cex_init(&cex);
      budget.seed = seed;
      budget.total_ops = 300000;
      as_err_clear(&err);
      as_err_init(&err);
      if (as_refute(graph, mugraph, &budget, &cex, &err) == AS_NO)
        status = AS_NO;
      as_cex_clear(&cex);
    }
  } else if (opt.verbose) {
    char *text = as_err_format(&err);
    printf("    ir: %s\n", text);
    free(text);
  }
  if (mugraph)
    as_graph_free(mugraph);
  if (graph)
    as_graph_free(graph);
  as_sizes_free(sizes);
  as_err_clear(&err);
  return status;
}

static bool certified(const char *given, const char *other, char **cert, size_t *len) {
  return certified_as(claim_of, given, other, 20000, cert, len);
}

static void replay(const char *tp, const char *mug, const char *cert, size_t len, as_rng *rng,
                   counts *n) {
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = claim_of(terms, tp, mug);
  for (uint64_t i = 0; claim && i < opt.certs; i++) {
    size_t m = len;
    char *x = i ? mutate_cert(cert, len, rng, &m) : as_strdup(cert); /* the first one as it is */
    n->replays++;
    if (accepted(terms, claim, x, m)) {
      n->replays_accepted++;
      printf("ACCEPTED a changed certificate for a wrong candidate:\n%s\n--- certificate\n%.*s\n",
             mug, (int)m, x);
    }
    free(x);
    if (ck_size(terms) > 200000) { /* changed certificates leave terms behind */
      ck_claim_free(claim);
      ck_terms_free(terms);
      terms = ck_terms_new();
      claim = claim_of(terms, tp, mug);
    }
  }
  ck_claim_free(claim);
  ck_terms_free(terms);
}

static void attack(const char *name, const char *tp, const char *mug, as_rng *rng, counts *total) {
  counts n = {0};
  char *cert = NULL;
  size_t len = 0;
  double from = as_now();
  if (!certified(tp, mug, &cert, &len)) {
    printf("%-24s the right candidate is not certified\n", name);
    total->disagree++;
    return;
  }
  while (n.wrong < opt.wrong && n.made < 40 * opt.wrong && as_now() - from < opt.seconds) {
    const char *kind;
    char *x = mutate_mugraph(mug, rng, &kind);
    n.made++;
    if (strcmp(x, mug)) {
      ck_terms *terms = ck_terms_new();
      ck_claim *claim = claim_of(terms, tp, x);
      bool read = claim != NULL;
      ck_claim_free(claim);
      ck_terms_free(terms);
      bool compared = false;
      as_status status = read ? judge(tp, x, as_rng_next(rng), &compared) : AS_BAD_INPUT;
      bool proved = read && certified(tp, x, NULL, NULL);
      if (!read) {
        n.ill++;
      } else if (status == AS_NO) {
        n.wrong++;
        if (proved) {
          n.wrong_certified++;
          printf("CERTIFIED a wrong candidate (%s):\n%s\n", kind, x);
        }
        replay(tp, x, cert, len, rng, &n);
      } else if (status == AS_BAD_INPUT) {
        n.disagree++;
        if (proved) {
          printf("certified, though src/ir cannot read it:\n%s\n", x);
          n.wrong_certified++;
        } else if (opt.verbose) {
          printf("only the checker reads (%s):\n%s\n", kind, x);
        }
      } else if (proved) {
        n.equal_proved++;
        if (!compared) {
          n.empty++;
          if (opt.verbose)
            printf("proved, but the field test compared nothing (%s):\n%s\n", kind, x);
        }
      } else {
        n.undecided++;
        if (opt.verbose)
          printf("undecided (%s):\n%s\n", kind, x);
      }
    }
    free(x);
  }
  printf("%-24s %6llu changes: %llu ill-formed, %llu wrong (%llu certified), %llu right and proved "
         "(%llu not compared), %llu undecided, %llu read by the checker alone; %llu replays (%llu "
         "accepted); %.1f s\n",
         name, (unsigned long long)n.made, (unsigned long long)n.ill, (unsigned long long)n.wrong,
         (unsigned long long)n.wrong_certified, (unsigned long long)n.equal_proved,
         (unsigned long long)n.empty, (unsigned long long)n.undecided,
         (unsigned long long)n.disagree, (unsigned long long)n.replays,
         (unsigned long long)n.replays_accepted, as_now() - from);
  fflush(stdout);
  total->wrong += n.wrong;
  total->wrong_certified += n.wrong_certified;
  total->replays += n.replays;
  total->replays_accepted += n.replays_accepted;
  free(cert);
}

/* a program, and a candidate that is right */
typedef struct {
  const char *name;
  const char *folder;
  const char *program;
  bool by_operators; /* the program written operator by operator is a candidate, too */
} subject;

static const subject subjects[] = {
    {"rmsnorm_linear", "examples", "rmsnorm_linear", true},
    {"gated_mlp", "examples", "gated_mlp", true},
    {"lora", "examples", "lora", true},
    {"gqa", "examples", "gqa", true},
    {"layernorm_linear", "examples", "layernorm_linear", true},
    {"gated_mixer", "examples", "gated_mixer", true},
    /* with tiles that are cut off: sums and maxima, a rescaled sum, blocks that share the tiles */
    {"cut", "tests/prove/cases", "cut", false},
    {"online", "tests/prove/cases", "online", false},
    {"flash", "tests/prove/cases", "online", false},
};

static char *read_case(const char *folder, const char *name, const char *suffix) {
  as_err err;
  as_err_init(&err);
  size_t length;
  char *relative = as_format("%s/%s.%s", folder, name, suffix);
  char *path = test_path(relative);
  char *text = as_read_file(path, &length, &err);
  if (!text) {
    fprintf(stderr, "%s\n", as_err_format(&err));
    exit(99);
  }
  free(relative);
  free(path);
  return text;
}

static void attack_subject(const subject *s, as_rng *rng, counts *total) {
  char *tp = read_case(s->folder, s->program, "tp");
  char *mug = read_case(s->folder, s->name, "mug");
  char *plain = mutate_as_mugraph(tp);
  char *label = as_format("%s (operators)", s->name);
  char *label_open = as_format("%s (no values)", s->name);
  char *open_tp = mutate_without_values(tp);
  char *open_mug = mutate_without_values(mug);
  attack(s->name, tp, mug, rng, total);
  if (s->by_operators)
    attack(label, tp, plain, rng, total);
  attack(label_open, open_tp, open_mug, rng, total); /* relations are not tied to stated sizes */
  free(tp);
  free(mug);
  free(plain);
  free(label);
  free(label_open);
  free(open_tp);
  free(open_mug);
}

int main(int argc, char **argv) {
  if (getenv("AS_LONG")) {
    opt.wrong = 12;
    opt.certs = 20;
    opt.seconds = 600;
  }
  counts total = {0};
  if (!soundness_read(argc, argv, &opt)) {
    fprintf(stderr,
            "usage: %s [--seed N] [--wrong N per candidate] [--certs N per wrong one] [--seconds N "
            "per candidate] [--only NAME] [-v]\n",
            argv[0]);
    return 99;
  }
  printf("seed %llu\n", (unsigned long long)opt.seed);
  load_semantics();
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    if (opt.only && strcmp(opt.only, subjects[i].name))
      continue;
    as_rng rng;
    as_rng_seed(&rng, opt.seed + i);
    attack_subject(&subjects[i], &rng, &total);
  }
  printf("%llu wrong candidates, %llu certified; %llu replays of changed certificates, %llu "
         "accepted\n",
         (unsigned long long)total.wrong, (unsigned long long)total.wrong_certified,
         (unsigned long long)total.replays, (unsigned long long)total.replays_accepted);
  for (uint32_t i = 0; i < n_sem; i++) {
    free(sem[i].path);
    free(sem[i].text);
  }
  as_oplib_free(lib);
  return total.wrong_certified || total.replays_accepted || total.disagree || !total.wrong;
}

/* No wrong rule is certified.  Changes the rules of examples/rules (which are right, or say of
 * themselves that they are not) at random, keeps the changed ones to which a counterexample is
 * found that stands when it is replayed, and
 *   - runs the prover on their claims and the checker on what it writes,
 *   - replays the certificate of the rule they came from, as it is and changed:
 * nothing may be accepted.  A rule is changed together with the definitions of its file. */
#include "arguments.h"
#include "certify.h"
#include "mutate.h"
#include "mutate_rule.h"
#include "src/base/file.h"
#include "tests/operators.h"
#include "verify/refute/rule_refute.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static soundness_arguments opt = {
    .seed = 1, .wrong = 30, .certs = 2, .steps = 15000, .seconds = 60};

static struct {
  char *text;
  char *path;
  size_t len;
} sem[64];

static uint32_t n_sem;

typedef struct {
  char *file;
  char *name;
  char *definitions;
  char *text;
  char *cert;
  size_t cert_len;
} base; /* definitions of its file; the rule's own text */

static base *bases;
static size_t n_bases;

static struct {
  uint64_t made;
  uint64_t ill;
  uint64_t one_reader;
  uint64_t wrong;
  uint64_t certified;
  uint64_t undecided;
  uint64_t proved;
  uint64_t unread_proved;
  uint64_t vacuous;
  uint64_t replays;
  uint64_t accepted;
  uint64_t failures;
} n;

static _Noreturn void stop(as_err *err) {
  char *text = as_err_format(err);
  fprintf(stderr, "%s\n", text);
  exit(99);
}

static as_oplib *library(void) {
  as_oplib *lib = as_oplib_new();
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < n_sem; i++) {
    if (!as_oplib_parse(lib, sem[i].path, sem[i].text, sem[i].len, &err))
      stop(&err);
  }
  return lib;
}

static void load_semantics(void) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = test_operators();
  uint32_t k;
  const char *const *files = as_oplib_files(lib, &k);
  for (; n_sem < k && n_sem < 64; n_sem++) {
    sem[n_sem].path = as_strdup(files[n_sem]);
    sem[n_sem].text = as_read_file(files[n_sem], &sem[n_sem].len, &err);
    if (!sem[n_sem].text)
      stop(&err);
  }
  as_oplib_free(lib);
}

static int is_rules(const struct dirent *entry) {
  return strlen(entry->d_name) > 5 &&
         strcmp(entry->d_name + strlen(entry->d_name) - 5, ".rule") == 0;
}

static bool uses(const char *text, const char *name, size_t len) {
  for (const char *s = text; (s = strchr(s, *name)) != NULL; s++) {
    if (strncmp(s, name, len) == 0 &&
        (s == text || !strchr("_abcdefghijklmnopqrstuvwxyz", s[-1])) && s[len] == '(')
      return true;
  }
  return false;
}

/* those of a file's definitions that a rule needs: all functions, and the operators that it names;
 * no comments */
static char *needed(const char *all, const char *rule) {
  as_str out;
  as_str_init(&out);
  bool keep = false;
  for (const char *line = all; *line;) {
    size_t len = strcspn(line, "\n");
    len += line[len] == '\n';
    if (strncmp(line, "use ", 4) == 0 || strncmp(line, "func ", 5) == 0)
      keep = true;
    if (strncmp(line, "op ", 3) == 0)
      keep = uses(rule, line + 3, strcspn(line + 3, "("));
    if (keep && line[strspn(line, " ")] != '#' && line[strspn(line, " ")] != '\n')
      as_str_addn(&out, line, len);
    line += len;
  }
  as_str_add(&out, "");
  return as_str_take(&out);
}

static void load_bases(void) {
  char *dir = test_path("examples/rules");
  struct dirent **list;
  int files = scandir(dir, &list, is_rules, alphasort);
  as_err err;
  as_err_init(&err);
  for (int i = 0; i < files; i++) {
    char *path = as_format("%s/%s", dir, list[i]->d_name);
    size_t len;
    size_t from = 0;
    char *text = as_read_file(path, &len, &err);
    as_oplib *lib = library();
    as_rulefile *file = text ? as_rulefile_open(path, text, len, lib, &err) : NULL;
    if (!file)
      stop(&err);
    as_str defs; /* what is not part of a rule */
    as_str_init(&defs);
    for (uint32_t k = 0; k < as_rulefile_count(file); k++) {
      size_t m;
      const char *t = as_rulefile_text(file, k, &m);
      as_str_addn(&defs, text + from, (size_t)(t - text) - from);
      from = (size_t)(t - text) + m;
    }
    as_str_addn(&defs, text + from, len - from);
    as_str_add(&defs, "\n");
    char *definitions = as_str_take(&defs);
    for (uint32_t k = 0; k < as_rulefile_count(file); k++) {
      size_t m;
      const char *t = as_rulefile_text(file, k, &m);
      bases = as_realloc(bases, (n_bases + 1) * sizeof *bases);
      bases[n_bases++] = (base){.file = as_strdup(list[i]->d_name),
                                .name = as_strdup(as_rulefile_name(file, k)),
                                .text = as_format("%.*s\n", (int)m, t)};
      bases[n_bases - 1].definitions = needed(definitions, bases[n_bases - 1].text);
    }
    as_rulefile_free(file);
    as_oplib_free(lib);
    free(definitions);
    free(text);
    free(path);
    free(list[i]);
  }
  free(list);
  free(dir);
}

static ck_claim *claim_of(ck_terms *terms, const char *text, const char *name) {
  ck_text source[64];
  ck_text spec = {"x.rule", text, strlen(text)};
  ck_text cand = {name, "", 0};
  for (uint32_t i = 0; i < n_sem; i++)
    source[i] = (ck_text){sem[i].path, sem[i].text, sem[i].len};
  ck_msg msg = {0};
  ck_claim *claim = ck_claim_texts(terms, &spec, &cand, source, n_sem, &msg);
  if (!claim && opt.verbose)
    printf("    checker: %d:%d: %s\n", msg.line, msg.col, msg.text);
  free(msg.text);
  free(msg.file);
  return claim;
}

static bool certified(const char *given, const char *other, char **cert, size_t *len) {
  return certified_as(claim_of, given, other, (uint32_t)opt.steps, cert, len);
}

static void replay(const base *basis, const char *text, as_rng *rng) {
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = claim_of(terms, text, basis->name);
  for (uint64_t i = 0; claim && basis->cert && i < opt.certs; i++) {
    size_t m = basis->cert_len;
    char *x = i ? mutate_cert(basis->cert, m, rng, &m) : as_strdup(basis->cert);
    n.replays++;
    if (accepted(terms, claim, x, m)) {
      n.accepted++;
      printf("ACCEPTED for a wrong rule, the certificate of the right one%s:\n%s\n",
             i ? ", changed" : "", text);
    }
    free(x);
  }
  ck_claim_free(claim);
  ck_terms_free(terms);
}

static as_status judge(const char *text, uint64_t seed, as_rule_tally *tally, char **words) {
  as_err err;
  as_err_init(&err);
  as_oplib *lib = library();
  as_rulefile *file = as_rulefile_open("x.rule", text, strlen(text), lib, &err);
  as_status status = AS_BAD_INPUT;
  if (file && as_rulefile_count(file) == 1) {
    as_rule_budget b = as_rule_quick;
    as_rule_budget more = as_rule_thorough;
    as_rule_cex cex;
    b.seed = more.seed = seed;
    more.sizes = 20;
    more.shapes = 4;
    more.inputs = 5;
    more.total_ops = 20000000;
    status = as_rule_refute(file, 0, false, &b, &cex, tally, &err);
    if (status == AS_UNKNOWN)
      status = as_rule_refute(file, 0, false, &more, &cex, tally, &err);
    if (status == AS_NO) {
      *words = as_rule_cex_print(&cex, "    ");
      as_rule_cex_clear(&cex);
    }
    if (status == AS_INTERNAL) {
      n.failures++;
      printf("FAILED: %s:\n%s\n", err.text, text);
    }
  }
  if (status == AS_BAD_INPUT && opt.verbose) {
    char *m = as_err_format(&err);
    printf("    ir: %s\n", m);
    free(m);
  }
  as_rulefile_free(file);
  as_oplib_free(lib);
  as_err_clear(&err);
  return status;
}

static void attack(base *basis, as_rng *rng) {
  const char *kind;
  bool in_definitions = strstr(basis->definitions, "op ") && as_rng_below(rng, 8) == 0;
  char *rule = in_definitions ? as_strdup(basis->text) : mutate_rule(basis->text, rng, &kind);
  char *defs =
      in_definitions ? mutate_rule(basis->definitions, rng, &kind) : as_strdup(basis->definitions);
  char *text = as_format("%s%s", defs, rule);
  char *words = NULL;
  n.made++;
  ck_terms *terms = ck_terms_new();
  ck_claim *claim = claim_of(terms, text, basis->name);
  bool read = claim != NULL;
  ck_claim_free(claim);
  ck_terms_free(terms);
  as_rule_tally tally = {0};
  as_status status = judge(text, as_rng_next(rng), &tally, &words);
  if (opt.verbose && read != (status != AS_BAD_INPUT))
    printf("only %s reads (%s):\n%s\n", read ? "the checker" : "src/ir", kind, text);
  n.one_reader += read != (status != AS_BAD_INPUT);
  bool proved = read && certified(text, basis->name, NULL, NULL);
  if (status == AS_BAD_INPUT) {
    n.ill++;
    n.unread_proved +=
        proved; /* of a rule that one reader refuses nobody can say that it is wrong */
    if (proved && opt.verbose)
      printf("certified, though src/ir cannot read it:\n%s\n", text);
  } else if (status == AS_NO) {
    n.wrong++;
    if (proved) {
      n.certified++;
      printf("CERTIFIED a wrong rule of %s (%s):\n%s\n%s\n", basis->file, kind, text, words);
    }
    if (read)
      replay(basis, text, rng);
  } else if (tally.defined + tally.open == 0) {
    n.vacuous++;
  } else if (proved) {
    n.proved++;
  } else {
    n.undecided++;
    if (opt.verbose)
      printf("undecided (%s):\n%s\n", kind, rule);
  }
  free(words);
  free(text);
  free(rule);
  free(defs);
}

static bool option(int argc, char **argv) {
  const char *env = getenv("ASSAY_SOUNDNESS_RULES"); /* how many wrong rules */
  if (getenv("AS_LONG")) {
    opt.wrong = 80;
    opt.seconds = 600;
  }
  if (env && *env) {
    opt.wrong = strtoull(env, NULL, 10);
    opt.seconds = 7200;
  }
  return soundness_read(argc, argv, &opt);
}

#define U(x) ((unsigned long long)(x))

int main(int argc, char **argv) {
  if (!option(argc, argv)) {
    fprintf(stderr,
            "usage: %s [--seed N] [--wrong N] [--certs N per wrong rule] [--steps N of the prover] "
            "[--seconds N] [--only RULE] [-v]\n",
            argv[0]);
    return 99;
  }
  printf("seed %llu\n", U(opt.seed));
  load_semantics();
  load_bases();
  as_rng rng;
  as_rng_seed(&rng, opt.seed);
  double from = as_now();
  for (uint64_t k = 0;
       n_bases && n.wrong < opt.wrong && as_now() - from < opt.seconds && n.made < 40 * opt.wrong;
       k++) {
    base *basis = &bases[as_rng_below(&rng, n_bases)];
    if (opt.only && strcmp(opt.only, basis->name))
      continue;
    if (!basis->cert) { /* what the right one is certified by */
      char *text = as_format("%s%s", basis->definitions, basis->text);
      if (!certified(text, basis->name, &basis->cert, &basis->cert_len))
        basis->cert = NULL;
      free(text);
    }
    attack(basis, &rng);
  }
  printf(
      "%zu rules, %llu changes in %.1f s: %llu ill-formed, %llu read by one reader only (%llu "
      "proved), %llu wrong (%llu certified), %llu right and proved, %llu vacuous, %llu undecided; "
      "%llu replays (%llu accepted), %llu failures\n",
      n_bases, U(n.made), as_now() - from, U(n.ill), U(n.one_reader), U(n.unread_proved),
      U(n.wrong), U(n.certified), U(n.proved), U(n.vacuous), U(n.undecided), U(n.replays),
      U(n.accepted), U(n.failures));
  for (size_t i = 0; i < n_bases; i++) {
    free(bases[i].file);
    free(bases[i].name);
    free(bases[i].definitions);
    free(bases[i].text);
    free(bases[i].cert);
  }
  for (uint32_t i = 0; i < n_sem; i++) {
    free(sem[i].path);
    free(sem[i].text);
  }
  free(bases);
  return n.certified || n.accepted || n.failures || !n.wrong;
}

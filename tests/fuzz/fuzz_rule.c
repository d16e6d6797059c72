/* Both readers of rewrite rules.  What the compiler's reads, printed and read again, is the same
 * text; the checker's must only survive. */
#include "parts.h"
#include "proofs/checker/ck_claim.h"
#include "src/base/str.h"
#include "src/ir/rule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const few[] = {
    "rule a\naxes I, J\nsizes N, M >= 1 = 4\nints s, t\ntensor A[..I, N], B[N, ..J] bool, c[] "
    "int\nwhere 0 <= s, s + M <= N, t != max(s, -2 * M)\nassume A >= 0, c != 3, A * 2 < 7\n"
    "lhs\n  x = A[0:1]\n  output y = x * c\n  output z = A\nrhs\n  output z = A + 0\n  output y = "
    "c * x\nexpect proved\n",
    "op count(; n) -> [n]\n  out[i] = i\nfunc sq(x) = x * x\nop f(x[..a, n]; k = 1) -> [..a, max(n "
    "- k, 0)]\n  require 0 <= k\n  out[..a, i] = sum(j < min(k, n)) sq(x[..a, i]) + if(i < k, 1, "
    "0)\n"
    "rule b\nsizes N\ntensor x[N, N]\nlhs f(x, k = 2) + count(n=N)\nrhs (count(n=N) - f(x, k = N "
    "div 2))\nexpect refuted\n\nrule c\nlhs 1\nrhs exp(0)\n",
    "rule d\nsizes N\ntensor x[N]\nlhs concat(x, x, axis=-1)\nrhs transpose(x)\n"};

void fuzz_seeds(void) {
  static const char *const files[] = {"axon", "mirage", "probes", "upstream"};
  char rel[200];
  size_t n;
  for (size_t i = 0; i < 7; i++) {
    char *all = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&all, &len);
    static const char *const sems[] = {"elementwise", "linear", "reduce",
                                       "shape",       "index",  "logic"};
    for (size_t k = 0; k < sizeof sems / sizeof *sems; k++) {
      snprintf(rel, sizeof rel, "semantics/%s.sem", sems[k]);
      char *s = fuzz_read(rel, &n);
      fwrite(s, 1, n, file);
      free(s);
    }
    fputs("\n----\n", file);
    if (i >= 3) {
      snprintf(rel, sizeof rel, "examples/rules/%s.rule", files[i - 3]);
      text = fuzz_read(rel, &n);
    }
    fputs(text ? text : few[i], file);
    fclose(file);
    fuzz_seed(all, len);
    free(all);
    free(text);
  }
}

static char *without_rules(const as_rulefile *file, const char *text, size_t len) {
  as_str out;
  as_str_init(&out);
  size_t from = 0;
  size_t n;
  for (uint32_t i = 0; i < as_rulefile_count(file); i++) {
    const char *t = as_rulefile_text(file, i, &n);
    as_str_addn(&out, text + from, (size_t)(t - text) - from);
    from = (size_t)(t - text) + n;
  }
  as_str_addn(&out, text + from, len - from);
  as_str_add(&out, "\n");
  return as_str_take(&out);
}

static as_rulefile *open_rules(const parts *split, const char *text, size_t len, as_oplib *lib,
                               as_err *err) {
  return as_oplib_parse(lib, "a.sem", split->s[0], split->n[0], err)
             ? as_rulefile_open("a.rule", text, len, lib, err)
             : NULL;
}

/* printed after the file's definitions and read again */
static void again(const parts *split, const char *definitions, const as_rule *rule) {
  char *text = as_rule_print(rule);
  char *all = as_format("%s%s", definitions, text);
  as_err err;
  as_err_init(&err);
  as_oplib *lib = as_oplib_new();
  as_rulefile *file = open_rules(split, all, strlen(all), lib, &err);
  as_rule *q = file && as_rulefile_count(file) == 1 ? as_rule_read(file, 0, NULL, &err) : NULL;
  char *other = q ? as_rule_print(q) : NULL;
  if (!rule->ill_formed && (!other || strcmp(text, other))) {
    fprintf(stderr, "%s\n--- read again:\n%s\n%s\n", text, other ? other : "",
            err.text ? err.text : "");
    abort();
  }
  free(other);
  as_rule_free(q);
  as_rulefile_free(file);
  as_oplib_free(lib);
  as_err_clear(&err);
  free(text);
  free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  parts split = parts_of(data, n);
  as_err err;
  as_err_init(&err);
  as_oplib *lib = as_oplib_new();
  as_rulefile *file = open_rules(&split, split.s[1], split.n[1], lib, &err);
  char *definitions = file ? without_rules(file, split.s[1], split.n[1]) : NULL;
  for (uint32_t i = 0; file && i < as_rulefile_count(file); i++) {
    static const int ranks[AS_MAX_GROUPS] = {2, 0, 1, 1, 1, 1, 1, 1};
    as_rule *rule = as_rule_read(file, i, NULL, &err);
    as_rule *concrete = as_rule_read(file, i, ranks, NULL);
    if (rule && (i % 8 == 0))
      again(&split, definitions, rule);
    as_rule_free(rule);
    as_rule_free(concrete);
    if (i % 8)
      continue;
    ck_terms *terms = ck_terms_new();
    ck_text spec = {"a.rule", split.s[1], split.n[1]};
    ck_text cand = {as_rulefile_name(file, i), "", 0};
    ck_text sem = {"a.sem", split.s[0], split.n[0]};
    ck_msg msg = {0};
    ck_claim *claim = *cand.name ? ck_claim_texts(terms, &spec, &cand, &sem, 1, &msg) : NULL;
    free(msg.text);
    free(msg.file);
    ck_claim_free(claim);
    ck_terms_free(terms);
  }
  free(definitions);
  as_rulefile_free(file);
  as_oplib_free(lib);
  as_err_clear(&err);
  return 0;
}

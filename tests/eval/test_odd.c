/* Odd texts, legal and illegal, of all four languages: both readers accept the same ones, and where
 * they do, the evaluators and the checker's claim mean the same.  Each text is one of a few with
 * tokens changed, left out, doubled or exchanged.
 *
 *   ODD_TEXTS=2000 ODD_SEED=1 tests/eval/test_odd      texts of each language, and the seed */
#include "../../proofs/checker/ck_claim.h"
#include "../../verify/refute/instance.h"
#include "../../verify/refute/refute.h"
#include "../written_out.h"
#include "claim.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "src/ir/graph.h"
#include "src/ir/rule.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 12 }; /* differences that are printed */

#define GIVEN                                                                                      \
  "program p\nsizes N, M >= 0, D = 6\ninput X: f32[N, D]\ninput Y: f16[N, D]\ninput W: f32[D, "    \
  "M]\noutput Z = X + Y\n"

static const char *const programs[] = {
    GIVEN,
    "program q\nsizes N, M >= 2, D = 6\nwhere N <= M, D != 5, 2 * N + 1 < 9 * M or D = 6\n"
    "input X: f32[N, D]\nT = softmax(X, axis=-1)\nU = sum(T * 2.5e-1, axis=1, keepdims=1)\n"
    "output Z = T / (U + 1)\noutput T\n",
    "program r\nsizes N, M\ninput X: f32[N, M]\ninput K: bf16[M]\ninput C: f32[]\n"
    "output Z = (X[0:N, none, :] * -2 - -C)[:, 0:1, :][:, :, 0:M:1]\n"
    "output Y = transpose(X, axis=[1, 0]) @ X + -(3)\n",
    ("program s\nsizes N, M\ninput X: f32[N, M]\nA = sqrt(abs(X)) # a comment\n"
     "output Z = concat(A, X,\n  axis=0)\noutput B = max(X, axis=[0, 1])\noutput A\n"),
};

static const char *const graphs[] = {
    "mugraph q\nsizes G, L, T >= 1, U\nwhere N = G * T, D = L * U\nkernel k\n  grid x = G\n  loop "
    "l = "
    "L\n  load a [T, U] = X x -> 0 loop -> 1\n  load b [T, U] = Y x -> 0 loop -> 1\n  c = a + b\n"
    "  acc d = concat c axis 1\n  store Z [T, D] = d x -> 0\nend\n",
    "mugraph q\nkernel k\n  grid x = N, y = D\n  load a [1, 1] = X x -> 0 y -> 1\n"
    "  load b [1, 1] = Y x -> 0 y -> 1\n  store Z [1, 1] = c x -> 0 y -> 1\nend\n",
    "mugraph q\nkernel k\n  grid x = N, y = D, z = 1\n  load a [1, 1] = X x -> 0 y -> 1\n"
    "  load b [1, 1] = Y y -> 1 x -> 0\n  c = add(a, b)\n  store W1 [1, 1] = c y -> 1 x -> 0 z -> "
    "0\n"
    "end\nZ = W1 * 1\n",
    "mugraph q\nsizes L, U\nwhere D = L * U\nkernel k\n  loop l = L\n  load a [N, U] = X loop -> "
    "1\n"
    "  b = sum(a, axis=1)\n  acc e, m = max b\n  f = exp(b - m)\n  acc d = sum f rescale m\n"
    "  store V [N] = d\nend\nZ = X + Y\n",
    "mugraph q\nsizes G, L, T, U\nwhere G = (N + T - 1) div T, L = (D + U - 1) div U\nkernel k\n  "
    "grid x = G, y = L\n  load a [T upto N, U upto D] = X x -> 0 y -> 1\n  load b [T upto N, U "
    "upto "
    "D] "
    "= Y x -> 0 y -> 1\n  c = a + b\n  store Z [T upto N, U upto D] = c x -> 0 y -> 1\nend\n",
    "mugraph q\nsizes L, U\nwhere L = (D + U - 1) div U\nkernel k\n  loop l = L\n  load a [N, U "
    "upto D] = X loop -> 1\n  b = sum(a, axis=1)\n  acc e = sum b\n  m = max(a, axis=1)\n  acc f = "
    "max m\n  store V [N] = e\n  store F [N] = f\nend\nZ = X + Y\n",
};

static const char *const specifications[] = {
    "func half(x) = x / 2\nop f(x[..a, n]; k = 1, c) -> [..a, max(n - k, 0)]\n  require 0 <= k, k "
    "<= "
    "n\n  let t[..a, i] = half(x[..a, i + k]) * c\n  out[..a, i] = t[..a, i] + if(i < k and not k "
    "= "
    "0 or i = 2, 1, -1)\n",
    "op f(x[..a], y[..b]; k = -1, c = 2.5e0) -> [broadcast(a, b) as o]\n  out[..o] = x[~o] * c + "
    "y[~o] - k\n",
    "op f(x[..p@k, m, ..q], y[..p, m, ..q]; k, c = 0) -> [..p, ..q]\n  out[..p, ..q] = sum(j < m) "
    "x[..p, j, ..q] * y[..p, j, ..q] + max(i < m) (i mod 2 - i div 3)\n",
    "func g(x, y) = max(x, y) - min(x, -y)\nop f(x[n, m]; k = 0, c = 1) -> [m, "
    "n]\n  require m > 0\n  out[j, i] = prod(r < m) exp(g(x[i, j], abs(x[i, r]))) / (1 + "
    "sqrt(x[i, r] * x[i, r]))\n",
};

static const char *const rules[] = {
    "rule r\nsizes N, M >= 1\naxes I\ntensor A[..I, N], B[..I, N]\nwhere M <= N\nassume A >= 0\n"
    "lhs A + B * 1\nrhs B + A\nexpect proved\n",
    "rule r\nsizes N\nints k, l\ntensor x[N], c[N] bool, d[] int\nwhere 0 <= k, k + 1 <= N, l = k "
    "or "
    "l < 0\nassume x > 0 or x = -1, d != 2\nlhs\n  y = x * c\n  output z = y + d\n  output w = "
    "x[k:k + 1]\nrhs\n  output w = x[k:1 + k]\n  output z = d + c * x\n",
    "op f(x[n]; k = 1) -> [n]\n  out[i] = x[i] * k\nrule q\nlhs 1\nrhs 2\nrule r\nsizes N, "
    "M\ntensor "
    "x[N, M]\nlhs sum(f(sum(x, axis=1), k = -2), axis=0)\nrhs sum(x, axis=[0, 1]) * -2\n",
};

static const char *const odd[] = {"-2",
                                  "- 2",
                                  "-(2)",
                                  "--1",
                                  "0",
                                  "1",
                                  "1e3",
                                  "2.50",
                                  "1.",
                                  "1e-2",
                                  "007",
                                  "N",
                                  "M",
                                  "D",
                                  "..I",
                                  "..a",
                                  "~o",
                                  "none",
                                  ":",
                                  "::",
                                  ":2:1",
                                  "[0:1]",
                                  "[:]",
                                  "[",
                                  "]",
                                  "(",
                                  ")",
                                  ",",
                                  ";",
                                  "=",
                                  "!=",
                                  "<=",
                                  ">",
                                  "->",
                                  "+",
                                  "*",
                                  "/",
                                  "@",
                                  "div",
                                  "mod",
                                  "or",
                                  "and",
                                  "not",
                                  "max",
                                  "min",
                                  "sum",
                                  "exp",
                                  "if",
                                  "x",
                                  "y",
                                  "z",
                                  "loop",
                                  "end",
                                  "where",
                                  "sizes",
                                  "out",
                                  "let",
                                  "op",
                                  "func",
                                  "axis=0",
                                  "axis=-1",
                                  "axis=[0]",
                                  "axis=[0, 1]",
                                  "keepdims=1",
                                  "\n",
                                  "#",
                                  "\"a\"",
                                  "input",
                                  "output",
                                  "Z",
                                  "X",
                                  "T",
                                  "[..]",
                                  "0 < N",
                                  "as",
                                  "rescale",
                                  "max(N, 1)",
                                  "N - N",
                                  "N * 0",
                                  "1 * N",
                                  "N div 1",
                                  ("a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_"
                                   "name_a_very_long_name_a_very_long_nam")};

static as_oplib *library;

/* --- texts */
/* the next token from s on, with the blanks before it */
static size_t token_length(const char *s) {
  size_t n = strspn(s, " ");
  if (isalnum((unsigned char)s[n]) || s[n] == '_')
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.')
      n++;
  else if (strchr("!<>=-.", s[n]) && s[n] && s[n + 1] && strchr("=>.", s[n + 1]))
    n += 2;
  else if (s[n])
    n++;
  return n;
}

enum { MAX_TOKENS = 1000 };

/* a text of these with one or two of its tokens changed; sometimes as it is */
static char *odd_text(const char *const *texts, size_t n_texts, as_rng *rng) {
  const char *at = texts[as_rng_below(rng, n_texts)];
  char *token[MAX_TOKENS];
  size_t n = 0;
  for (; *at && n < MAX_TOKENS; n++) {
    size_t length = token_length(at);
    token[n] = as_format("%.*s", (int)length, at);
    at += length;
  }
  uint64_t changes = as_rng_below(rng, 4);
  for (uint64_t k = 0; k < changes; k++) {
    size_t i = as_rng_below(rng, n);
    size_t j = as_rng_below(rng, n);
    char *old = token[i];
    const char *word = odd[as_rng_below(rng, sizeof odd / sizeof *odd)];
    switch (as_rng_below(rng, 5)) {
    case 0:
      token[i] = as_format("%s", "");
      break;
    case 1:
      token[i] = as_format(" %s", word);
      break;
    case 2:
      token[i] = as_format("%s %s", old, word);
      break;
    case 3:
      token[i] = as_format("%s%s", old, old);
      break;
    default:
      token[i] = as_format("%s", token[j]);
      break;
    }
    free(old);
  }
  as_str text;
  as_str_init(&text);
  for (size_t i = 0; i < n; i++) {
    as_str_add(&text, token[i]);
    free(token[i]);
  }
  return as_str_take(&text);
}

/* --- the two readings */
typedef struct {
  const char *language;
  long texts;
  long accepted;
  long stricter; /* src/ir refuses extents that differ, where the checker makes their equality a
                    goal; an output that is a number; a specification whose lists of indices fit at
                    this call, but not at any */
  long absurd;   /* the checker refuses what is false at any sizes, where src/ir is vacuous */
  long values;
  long differences;
} tally;

static void differ(tally *count, const char *what, const char *why, const char *text) {
  if (count->differences++ < SHOWN)
    printf("--- %s: %s: %s\n%s\n", count->language, what, why ? why : "", text);
}

static bool same_element(double a, double b) {
  return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* the equation of an output; of a rule its name ends in the hash of the text */
static ck_id goal_of(const load_claim *claim, const char *output) {
  size_t n = strlen(output);
  for (uint32_t i = 0; i < claim->claim->n_goals; i++) {
    const char *name = claim->claim->goals[i].name;
    if (strncmp(name, "eq.", 3) == 0 && strncmp(name + 3, output, n) == 0 &&
        (name[3 + n] == 0 || name[3 + n] == '@'))
      return written_out(claim->T, claim->claim, claim->claim->goals[i].formula);
  }
  return CK_BAD;
}

/* values of both sides by the evaluators and by the claim, at a random small instance;
 * truth: inputs are 0 or 1 */
static void compare_values(tally *count, const as_graph *given, const as_graph *candidate,
                           const load_claim *claim, bool truth, as_rng *rng, const char *text) {
  as_err err;
  as_err_init(&err);
  as_instance instance;
  if (as_instance_init(&instance, given, candidate, &err) &&
      as_instance_random(&instance, rng, 3, 500)) {
    const as_domain *domain = &as_domain_double;
    as_tensor *inputs = as_inputs_new(given, domain, instance.env, &err);
    for (uint32_t i = 0; inputs && i < given->n_input; i++) {
      for (size_t k = 0; k < inputs[i].n; k++)
        *(double *)as_tensor_at(&inputs[i], k) =
            (double)as_rng_below(rng, truth ? 2 : 9) - !truth * 4;
    }
    for (uint32_t side = 0; inputs && side < 2; side++) {
      const as_graph *graph = side ? candidate : given;
      as_tensor *out = as_calloc(graph->n_output + 1, sizeof *out);
      as_status status = as_eval_graph(graph, domain, instance.env, inputs, out, &err);
      for (uint32_t o = 0; status == AS_OK && o < graph->n_output; o++) {
        const char *name = graph->node[graph->output[o]].name;
        ck_id goal = goal_of(claim, name);
        int64_t index[AS_MAX_RANK] = {0};
        double v = 0;
        if (goal == CK_BAD)
          differ(count, "the claim has no goal for an output", name, text);
        for (size_t k = 0; goal != CK_BAD && k < out[o].n; k++) {
          const void *x = as_tensor_at(&out[o], k);
          as_status term =
              load_claim_value(claim, given, goal, side, instance.env, inputs, index, &v, &err);
          bool novalue = (domain->flags(domain, x) | domain->flags(domain, &v)) & AS_F_NOVALUE;
          if (term == AS_OK && !novalue && !same_element(*(const double *)x, v))
            differ(count, "another value", name, text);
          count->values += term == AS_OK && !novalue;
          for (uint32_t i = out[o].rank; i-- > 0;) {
            if (++index[i] < out[o].dim[i])
              break;
            index[i] = 0;
          }
        }
        as_tensor_clear(&out[o]);
      }
      free(out);
    }
    if (inputs)
      as_inputs_free(given, inputs);
  }
  as_instance_clear(&instance);
  as_err_clear(&err);
}

/* an output is a number, which the compiler has no kernel for */
static bool number_is_output(const load_claim *claim) {
  for (uint32_t i = 0; i < claim->claim->n_goals; i++) {
    const ck_goal *goal = &claim->claim->goals[i];
    if (strncmp(goal->name, "eq.", 3) == 0 &&
        !ck_is(claim->T, ck_kid(claim->T, goal->formula, 0), CK_APP))
      return true;
  }
  return false;
}

/* src/ir checks a specification for tensors of any number of axes, the checker at each call */
static bool lists_at_large(const char *why) {
  return why && (strstr(why, "the indices of another list of axes") ||
                 strstr(why, "one index where a list of axes is declared") ||
                 strstr(why, "a list of indices where one axis is declared"));
}

/* the claim asks for an equation of extents that are not the same, or that tiles cover a tensor:
 * src/ir wants to be told */
static bool asks_for_extents(const load_claim *claim) {
  for (uint32_t i = 0; i < claim->claim->n_goals; i++) {
    const ck_goal *goal = &claim->claim->goals[i];
    ck_id f = goal->formula;
    bool call = strncmp(goal->name, "eq.", 3) != 0;
    if (call && ck_is(claim->T, f, CK_EQ) && ck_kid(claim->T, f, 0) != ck_kid(claim->T, f, 1))
      return true;
    if (call && ck_is(claim->T, f, CK_LE) && ck_is(claim->T, ck_kid(claim->T, f, 1), CK_MUL))
      return true;
  }
  return false;
}

/* outputs of other ranks than the given ones: a rule that src/ir refutes, and a claim cannot state
 */
static bool other_ranks(const as_rule *rule) {
  for (uint32_t i = 0; i < rule->n_output; i++) {
    if (rule->lhs->node[rule->lhs->output[i]].rank != rule->rhs->node[rule->rhs->output[i]].rank)
      return true;
  }
  return false;
}

static void compare_acceptance(tally *count, bool ir, const char *ir_why, const load_claim *claim,
                               const char *text) {
  count->texts++;
  count->accepted += ir && claim->claim;
  if (ir && !claim->claim && claim->absurd)
    count->absurd++;
  else if (ir && !claim->claim)
    differ(count, "the checker alone refuses", claim->why, text);
  if (!ir && claim->claim &&
      (asks_for_extents(claim) || number_is_output(claim) || lists_at_large(ir_why)))
    count->stricter++;
  else if (!ir && claim->claim)
    differ(count, "src/ir alone refuses", ir_why, text);
}

static void one_program(tally *count, as_rng *rng, const char *text, as_oplib *lib) {
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_graph *graph = as_parse_tp("p.tp", text, strlen(text), sizes, lib, &err);
  load_claim claim;
  load_claim_init(&claim, lib, text, text);
  compare_acceptance(count, graph, err.text, &claim, text);
  if (graph && claim.claim)
    compare_values(count, graph, graph, &claim, false, rng, text);
  load_claim_clear(&claim);
  as_graph_free(graph);
  as_sizes_free(sizes);
  as_err_clear(&err);
}

static void one_graph(tally *count, as_rng *rng, const char *text, as_oplib *lib) {
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_graph *given = as_parse_tp("p.tp", GIVEN, strlen(GIVEN), sizes, lib, &err);
  as_graph *graph = as_parse_mug("c.mug", text, strlen(text), given, &err);
  load_claim claim;
  load_claim_init(&claim, lib, GIVEN, text);
  compare_acceptance(count, graph, err.text, &claim, text);
  if (graph && claim.claim)
    compare_values(count, given, graph, &claim, false, rng, text);
  load_claim_clear(&claim);
  as_graph_free(graph);
  as_graph_free(given);
  as_sizes_free(sizes);
  as_err_clear(&err);
}

/* a specification, in a file of its own beside those of the elements, and a program that calls it
 */
static void one_specification(tally *count, as_rng *rng, const char *text, as_oplib *unused) {
  static const char calls[] = "program p\nsizes N >= 3, M >= 3\ninput X: f32[N, M]\ninput Y: "
                              "f32[N, M]\noutput Z = %s\n";
  static const char *const call[] = {"f(X, c=2)", "f(X, Y)", "f(X, Y, k=1)", "f(X)"};
  as_oplib *lib = as_oplib_new();
  as_err err;
  as_err_init(&err);
  char *elements = test_path("semantics/elementwise.sem");
  char *path = as_format("odd.%d.sem", (int)getpid());
  char *program = as_format(calls, call[as_rng_below(rng, sizeof call / sizeof *call)]);
  FILE *out = fopen(path, "w");
  (void)unused;
  ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
  ck_assert(as_oplib_load(lib, elements, &err));
  as_sizes *sizes = as_sizes_new();
  as_graph *graph = as_oplib_load(lib, path, &err)
                        ? as_parse_tp("p.tp", program, strlen(program), sizes, lib, &err)
                        : NULL;
  load_claim claim;
  const char *given[] = {elements, path};
  load_claim_files(&claim, given, 2, program, program);
  char *both = as_format("%s%s", text, program);
  compare_acceptance(count, graph, err.text, &claim, both);
  if (graph && claim.claim)
    compare_values(count, graph, graph, &claim, false, rng, both);
  load_claim_clear(&claim);
  as_graph_free(graph);
  as_sizes_free(sizes);
  as_oplib_free(lib);
  as_err_clear(&err);
  remove(path);
  free(both);
  free(path);
  free(program);
  free(elements);
}

/* the rule r of the text; a group stands for one axis where values are compared */
static void one_rule(tally *count, as_rng *rng, const char *text, as_oplib *unused) {
  static const int one[AS_MAX_GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1};
  as_err err;
  as_err_init(&err);
  (void)unused;
  as_oplib *lib = test_operators();
  as_rulefile *file = as_rulefile_open("a.rule", text, strlen(text), lib, &err);
  uint32_t place = 0;
  while (file && place < as_rulefile_count(file) && strcmp(as_rulefile_name(file, place), "r") != 0)
    place++;
  bool found = file && place < as_rulefile_count(file) && as_rulefile_defects(file) == 0;
  bool others_broken = false; /* src/ir reads what it can of a file, the checker refuses tokens */
  for (uint32_t i = 0; found && i < as_rulefile_count(file); i++) {
    as_rule *other = as_rule_read(file, i, NULL, NULL);
    others_broken = others_broken || (!other && i != place);
    as_rule_free(other);
  }
  as_rule *rule = found ? as_rule_read(file, place, NULL, &err) : NULL;
  as_rule *concrete = rule ? as_rule_read(file, place, one, NULL) : NULL;
  bool well = rule && !rule->ill_formed && !(concrete && other_ranks(concrete));
  load_claim claim;
  load_claim_rule(&claim, library, "a.rule", text, "r");
  if (claim.claim || !others_broken)
    compare_acceptance(count, well, rule ? rule->ill_formed : err.text, &claim, text);
  if (well && claim.claim && concrete && rule->n_group == 0)
    compare_values(count, concrete->lhs, concrete->rhs, &claim, true, rng, text);
  load_claim_clear(&claim);
  as_rule_free(rule);
  as_rule_free(concrete);
  as_rulefile_free(file);
  as_oplib_free(lib);
  as_err_clear(&err);
}

static long wanted(const char *variable, long otherwise) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : otherwise;
}

static void campaign(const char *language, const char *const *texts, size_t n_texts,
                     void (*one)(tally *, as_rng *, const char *, as_oplib *)) {
  tally count = {.language = language};
  long seed = wanted("ODD_SEED", 1);
  as_rng rng;
  as_rng_seed(&rng, (uint64_t)seed);
  for (long i = wanted("ODD_TEXTS", 200); i > 0; i--) {
    char *text = odd_text(texts, n_texts, &rng);
    one(&count, &rng, text, library);
    free(text);
  }
  printf("%s, seed %ld: %ld odd texts, %ld accepted by both, %ld that src/ir alone refuses for a "
         "reason of its own, %ld never defined, %ld values agree, %ld differences\n",
         language, seed, count.texts, count.accepted, count.stricter, count.absurd, count.values,
         count.differences);
  ck_assert_int_gt(count.accepted, count.texts / 50);
  ck_assert_int_gt(count.values, count.texts / 10);
  ck_assert_int_eq(count.differences, 0);
}

#define CAMPAIGN(test, language, texts, one)                                                       \
  START_TEST(test) {                                                                               \
    campaign(language, texts, sizeof texts / sizeof *texts, one);                                  \
  }                                                                                                \
  END_TEST

CAMPAIGN(odd_programs, ".tp", programs, one_program)
CAMPAIGN(odd_graphs, ".mug", graphs, one_graph)
CAMPAIGN(odd_specifications, ".sem", specifications, one_specification)
CAMPAIGN(odd_rules, ".rule", rules, one_rule)

int main(void) {
  library = test_operators();
  TCase *tests = test_case("odd", 600);
  tcase_add_test(tests, odd_programs);
  tcase_add_test(tests, odd_graphs);
  tcase_add_test(tests, odd_specifications);
  tcase_add_test(tests, odd_rules);
  int status = test_run("odd", tests);
  as_oplib_free(library);
  return status;
}

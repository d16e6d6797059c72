/* A verdict as text for people. */
#include "judged.h"
#include "proofs/explain/math.h"
#include "proofs/explain/outline.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *implied_words(const as_verdict *v) {
  if (v->n_implied == 0 && !v->implied_reads)
    return NULL;
  as_math *math = as_math_new(v->terms);
  as_str s;
  as_str_init(&s);
  for (uint32_t i = 0; i < v->n_implied; i++) {
    char *shown = as_math_show(math, v->implied[i]);
    as_str_printf(&s, "%s%s", i ? ", " : "", shown);
    free(shown);
  }
  as_math_free(math);
  if (v->implied_reads)
    as_str_printf(&s, "%sall that is read is within its tensor", v->n_implied ? " and " : "");
  return as_str_take(&s);
}

void as_report_words_of(const as_verdict *v, bool outline, as_report_words *words) {
  *words = (as_report_words){0};
  if (v->claim == NULL)
    return;
  words->theorem = as_strdup(v->claim->theorem ? v->claim->theorem : "");
  as_explain_outline *proof =
      outline && v->checked
          ? as_explain_new(v->terms, v->claim, v->proof.cert, v->proof.cert_len, false, NULL)
          : NULL;
  if (proof)
    words->outline = as_explain_html(proof);
  as_explain_free(proof);
  words->implied = implied_words(v);
}

void as_report_words_clear(as_report_words *words) {
  free(words->theorem);
  free(words->outline);
  free(words->implied);
  *words = (as_report_words){0};
}

static void print_solver(const char *name, const as_smt_result *r) {
  printf("%-9s %s: %u of %u obligations in %.2f s%s%s\n", name, as_smt_verdict_name(r->verdict),
         r->agreed, r->asked, r->seconds, r->reason ? "; " : "", r->reason ? r->reason : "");
}

static void print_proof(const as_verdict *v) {
  const as_proof_result *proof = &v->proof;
  if (proof->verdict == AS_PROVED) {
    printf("proof     %u steps, %u terms, found in %.3f s\n", proof->steps, proof->terms,
           v->prove_seconds);
    printf("checker   %s%s%s in %.3f s\n", v->checked ? "accepts" : "REJECTS",
           v->check_why ? ": " : "", v->check_why ? v->check_why : "", v->check_seconds);
    return;
  }
  printf("proof     none: %s (%u of %u goals proved)\n",
         proof->reason ? proof->reason : "not found", proof->goals_proved, proof->goals);
  if (proof->goal) {
    printf("          goal %s\n", proof->goal);
    if (proof->left)
      printf("          %s\n", proof->left);
    if (proof->right)
      printf("          %s\n", proof->right);
  }
}

void as_report_print_answer(const as_verdict *v) {
  bool half = v->answer == AS_ANSWER_PROVED && !v->certified;
  printf("%s%s%s%s\n", as_answer_word(v->answer), half ? ", NOT CERTIFIED" : "", v->why ? ": " : "",
         v->why ? v->why : "");
}

void as_report_print(const as_verdict *v, const as_report_words *words, bool verbose) {
  if (words->theorem && v->answer == AS_ANSWER_PROVED)
    printf("%s\n", words->theorem);
  print_proof(v);
  if (v->field_words)
    printf("random    %s\n", v->field_words);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (v->opinion[i].asked)
      print_solver(as_smt_solver_name((as_smt_solver)i), &v->opinion[i].result);
  }
  if (v->queries_why)
    printf("solvers   not asked: %s\n", v->queries_why);
  if (v->cex_words)
    printf("%s\n", v->cex_words);
  for (uint32_t i = 0; verbose && i < v->n_relied; i++)
    printf("relies on %s %s\n", v->relied[i].name, v->relied[i].sha256);
  if (words->implied)
    printf("sizes     the program is defined only where %s\n", words->implied);
  as_report_print_answer(v);
}

void as_report_print_stats(void) {
  for (int i = 0; i < AS_N_STATS; i++) {
    printf("%-9s %8llu %s\n", i == 0 ? "counted" : "", (unsigned long long)as_stats_get((as_stat)i),
           as_stats_what((as_stat)i));
  }
}

char *as_report_words_without(const char *words, const char *path, const char *name) {
  if (words == NULL)
    return NULL;
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "");
  size_t length = strlen(path);
  for (const char *at = words; *at;) {
    bool here = length > 0 && strncmp(at, path, length) == 0;
    if (here)
      as_str_add(&s, name);
    else
      as_str_addn(&s, at, 1);
    at += here ? length : 1;
  }
  return as_str_take(&s);
}

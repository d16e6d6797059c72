/* A verdict as text for people. */
#include "judged.h"
#include "proofs/explain/outline.h"
#include "proofs/math/math.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *implied_words(const as_verdict *verdict) {
  if (verdict->n_implied == 0 && !verdict->implied_reads)
    return NULL;
  as_math *math = as_math_new(verdict->terms);
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < verdict->n_implied; i++) {
    char *shown = as_math_show(math, verdict->implied[i]);
    as_str_printf(&out, "%s%s", i ? ", " : "", shown);
    free(shown);
  }
  as_math_free(math);
  if (verdict->implied_reads)
    as_str_printf(&out, "%sall that is read is within its tensor",
                  verdict->n_implied ? " and " : "");
  return as_str_take(&out);
}

void as_report_words_of(as_verdict *verdict, bool outline, as_report_words *words) {
  *words = (as_report_words){0};
  if (verdict->claim == NULL)
    return;
  words->theorem = as_strdup(verdict->claim->theorem ? verdict->claim->theorem : "");
  as_explain_outline *proof =
      outline && verdict->checked
          ? as_explain_new(verdict->terms, verdict->claim, verdict->proof.cert,
                           verdict->proof.cert_len, false, NULL)
          : NULL;
  if (proof)
    words->outline = as_explain_html(proof);
  as_explain_free(proof);
  words->implied = implied_words(verdict);
}

void as_report_words_clear(as_report_words *words) {
  free(words->theorem);
  free(words->outline);
  free(words->implied);
  *words = (as_report_words){0};
}

static void print_solver(const char *name, const as_smt_result *result) {
  printf("%-9s %s: %u of %u obligations in %.2f s%s%s\n", name,
         as_smt_verdict_name(result->verdict), result->agreed, result->asked, result->seconds,
         result->reason ? "; " : "", result->reason ? result->reason : "");
}

static void print_proof(const as_verdict *verdict) {
  const as_proof_result *proof = &verdict->proof;
  if (proof->verdict == AS_PROVED) {
    printf("proof     %u steps, %u terms, found in %.3f s\n", proof->steps, proof->terms,
           verdict->prove_seconds);
    printf("checker   %s%s%s in %.3f s\n", verdict->checked ? "accepts" : "REJECTS",
           verdict->check_why ? ": " : "", verdict->check_why ? verdict->check_why : "",
           verdict->check_seconds);
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

/* "PROVED", or what falls short of a certified result */
static void print_answer(const as_verdict *verdict) {
  bool half = verdict->answer == AS_ANSWER_PROVED && !verdict->certified;
  printf("%s%s", as_answer_word(verdict->answer), half ? ", NOT CERTIFIED" : "");
}

void as_report_print_word(const as_verdict *verdict) {
  print_answer(verdict);
  if (verdict->shadowing)
    printf(", shadowing %s", verdict->shadowing);
  putchar('\n');
}

void as_report_print_answer(const as_verdict *verdict) {
  print_answer(verdict);
  printf("%s%s\n", verdict->why ? ": " : "", verdict->why ? verdict->why : "");
}

static void print_floats(const as_floats_result *floats, bool verbose) {
  char *said = as_floats_print(floats);
  char *table = as_floats_table(floats);
  printf("floats    %s\n%s", said, verbose ? table : "");
  free(table);
  free(said);
}

void as_report_print(const as_verdict *verdict, const as_report_words *words, bool verbose) {
  if (words->theorem && verdict->answer == AS_ANSWER_PROVED)
    printf("%s\n", words->theorem);
  print_proof(verdict);
  if (verdict->field_words)
    printf("random    %s\n", verdict->field_words);
  if (words->floats)
    print_floats(words->floats, verbose);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (verdict->opinion[i].asked)
      print_solver(as_smt_solver_name((as_smt_solver)i), &verdict->opinion[i].result);
  }
  if (verdict->queries_why)
    printf("solvers   not asked: %s\n", verdict->queries_why);
  if (verdict->cex_words)
    printf("%s\n", verdict->cex_words);
  for (uint32_t i = 0; verbose && i < verdict->n_relied; i++)
    printf("relies on %s %s\n", verdict->relied[i].name, verdict->relied[i].sha256);
  if (verdict->shadowing)
    printf("shadowing %s: other definitions than all know by these names\n", verdict->shadowing);
  if (words->implied)
    printf("sizes     the program is defined only where %s\n", words->implied);
  as_report_print_answer(verdict);
}

char *as_report_kernel_words(const as_lower_kernel *kernel) {
  if (kernel->library)
    return as_format("library call of %s, believed, not validated", kernel->library);
  return as_format("%ld blocks of %d warps, %ld bytes of shared memory, %d stage%s%s%s%s",
                   kernel->blocks, kernel->warps, kernel->bytes_smem, kernel->stages,
                   kernel->stages == 1 ? "" : "s", kernel->factors ? "; factors as " : "",
                   kernel->factors ? kernel->factors : "",
                   kernel->validated ? "; thread graph validated" : "");
}

void as_report_print_stats(void) {
  for (int i = 0; i < AS_N_STATS; i++) {
    printf("%-9s %8llu %s\n", i == 0 ? "counted" : "", (unsigned long long)as_stats_get((as_stat)i),
           as_stats_what((as_stat)i));
  }
  printf("%-14s %7s %10s %10s\n", "stage", "times", "seconds", "longest");
  for (int i = 0; i < AS_N_STAGES; i++) {
    as_stage_time stage = as_stats_stage_time((as_stage)i);
    if (stage.times > 0)
      printf("%-14s %7llu %10.3f %10.3f  %s\n", stage.name, (unsigned long long)stage.times,
             stage.seconds, stage.longest, stage.what);
  }
}

char *as_report_words_without(const char *words, const char *path, const char *name) {
  if (words == NULL)
    return NULL;
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "");
  size_t length = strlen(path);
  for (const char *at = words; *at;) {
    bool here = length > 0 && strncmp(at, path, length) == 0;
    if (here)
      as_str_add(&out, name);
    else
      as_str_addn(&out, at, 1);
    at += here ? length : 1;
  }
  return as_str_take(&out);
}

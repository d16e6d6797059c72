#include "explain.h"
#include "judged.h"
#include "proofs/explain/outline.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void print_json(json_t *object) {
  json_dumpf(object, stdout, JSON_INDENT(1));
  putchar('\n');
  json_decref(object);
}

/* --- a certificate */
static void print_outline(const as_explaining *how, as_explain_outline *outline, bool accepted,
                          const char *why) {
  if (how->json) {
    json_t *object = as_explain_json(outline);
    json_object_set_new(object, "accepted", json_boolean(accepted));
    if (!accepted)
      json_object_set_new(object, "why", json_string(why));
    print_json(object);
    return;
  }
  char *text = as_explain_text(outline);
  printf("%s\n%s%s\n", text,
         accepted ? "The checker accepts: every goal follows" : "The checker REJECTS: ",
         accepted ? "" : why);
  free(text);
}

/* What is printed is read off the certificate by code that nobody has to trust; whether it is a
 * proof, the checker says. */
static int explain_text(const as_explaining *how, const as_verdict *claim, const char *text,
                        size_t length, as_err *err) {
  ck_usage use;
  char *why = NULL;
  bool accepted = ck_cert_check(claim->terms, claim->claim->goals, claim->claim->n_goals, text,
                                length, &use, &why);
  as_explain_outline *outline =
      as_explain_new(claim->terms, claim->claim, text, length, how->full, err);
  if (outline)
    print_outline(how, outline, accepted, why);
  int status = outline && accepted ? AS_OK : AS_NO;
  as_explain_free(outline);
  free(why);
  return status;
}

int as_explain_certificate(const as_explaining *how, const as_judged *judged, const char *text,
                           size_t length, as_err *err) {
  as_verdict claim;
  as_verdict_init(&claim);
  int status = AS_BAD_INPUT;
  if (as_judge_read(judged, &claim))
    status = explain_text(how, &claim, text, length, err);
  else
    as_err_set(err, AS_BAD_INPUT, "%s", claim.why);
  as_verdict_clear(&claim);
  return status;
}

/* --- what is judged again */
static void judge_again(const as_explaining *how, const as_judged *judged, as_verdict *verdict) {
  as_policy policy = *how->policy;
  as_policy_ask_nobody(&policy);
  as_verdict_init(verdict);
  as_judge(judged, &policy, verdict);
}

int as_explain_open(const as_explaining *how, const as_judged *judged) {
  as_verdict verdict;
  judge_again(how, judged, &verdict);
  as_report_words words;
  as_report_words_of(&verdict, false, &words);
  if (words.theorem)
    printf("To be shown:\n%s\n", words.theorem);
  as_report_print(&verdict, &words, false);
  as_report_words_clear(&words);
  as_status status = as_verdict_status(&verdict);
  as_verdict_clear(&verdict);
  return status == AS_UNKNOWN ? AS_OK : (int)status;
}

int as_explain_rule(const as_explaining *how, const as_judged *judged) {
  const char *name = judged->candidate.name;
  as_verdict verdict;
  judge_again(how, judged, &verdict);
  bool told = true;
  if (verdict.answer == AS_ANSWER_REFUTED) {
    printf("REFUTED: rule %s\n\n%s\nEvaluated twice from the rule's text: the two sides differ as "
           "shown.\n",
           name, verdict.cex_words);
  } else if (verdict.answer == AS_ANSWER_PROVED) {
    printf("PROVED: rule %s; explain its certificate to see the proof\n", name);
  } else {
    printf("%s: rule %s: %s\n", as_answer_word(verdict.answer), name,
           verdict.why ? verdict.why : "");
    told = false;
  }
  int status = told ? AS_OK : (int)as_verdict_status(&verdict);
  as_verdict_clear(&verdict);
  return status;
}

/* --- a counterexample */
static void print_refutation(const as_judged *judged, const as_cex *shown, bool stands,
                             const char *why) {
  char *words = as_cex_print(judged->program, shown);
  printf("REFUTED: %s does not refine %s\n\n%s\nEvaluated again just now: ", judged->graph->name,
         judged->program->name, words);
  if (stands)
    puts("the two differ as shown.");
  else
    printf("NOT CONFIRMED, %s.\n", why ? why : "the two agree there");
  free(words);
}

/* The report's counterexample at its sizes and inputs, evaluated now. */
static int show_refutation(const as_explaining *how, const as_judged *judged, const as_cex *told,
                           as_err *err) {
  as_cex now;
  as_cex_init(&now);
  as_err why;
  as_err_init(&why);
  as_status status = as_cex_replay(judged->program, judged->graph, told, &why);
  if (status == AS_NO)
    status = as_report_cex_again(judged, told, &now, &why);
  bool stands = status == AS_NO;
  const as_cex *shown = stands ? &now : told;
  if (status == AS_BAD_INPUT || status == AS_INTERNAL) {
    as_err_set(err, status, "%s", why.text ? why.text : "the counterexample cannot be evaluated");
  } else if (how->json) {
    print_json(json_pack("{s:b, s:o}", "replayed", stands, "counterexample",
                         as_report_cex_json(judged, shown)));
  } else {
    print_refutation(judged, shown, stands, why.text);
  }
  as_err_clear(&why);
  as_cex_clear(&now);
  return stands ? AS_OK : status == AS_OK || status == AS_UNKNOWN ? AS_NO : (int)status;
}

int as_explain_refutation(const as_explaining *how, const as_judged *judged, void *kept,
                          as_err *err) {
  as_cex told;
  as_cex_init(&told);
  int status = AS_INTERNAL;
  if (as_report_cex_read(kept, judged, &told, err))
    status = show_refutation(how, judged, &told, err);
  as_cex_clear(&told);
  return status;
}

void as_explain_calls(const char *dir) {
  json_t *report = as_report_dir_json(dir);
  size_t i;
  json_t *kernel;
  json_array_foreach(json_object_get(report, "kernels"), i, kernel) {
    const char *library = json_string_value(json_object_get(kernel, "library"));
    const char *name = json_string_value(json_object_get(kernel, "name"));
    if (library && name)
      printf("kernel %s: library call of %s, believed, not validated\n", name, library);
  }
  json_decref(report);
}

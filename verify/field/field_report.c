/* What a random test came to, in words. */
#include "field.h"
#include "src/base/str.h"
#include <stdlib.h>

const char *as_field_why_words(as_field_why why) {
  static const char *const words[] = {
#define WHY_WORDS(id, text) text,
      AS_FIELD_WHYS(WHY_WORDS)
#undef WHY_WORDS
  };
  return words[why];
}

bool as_field_says_all(const as_field_report *report) {
  bool all = report->verdict == AS_OK && report->bound < 1 && report->n_untaken == 0;
  for (uint32_t i = 0; i < report->n_output; i++)
    all = all && report->output[i].bound < 1;
  return all;
}

void as_field_report_clear(as_field_report *report) {
  as_cex_clear(&report->cex);
  for (uint32_t i = 0; i < report->n_output; i++)
    free(report->output[i].name);
  free(report->output);
  free(report->untaken);
  report->output = NULL;
  report->n_output = 0;
  report->untaken = NULL;
}

static void print_outputs(const as_field_report *report, as_str *text) {
  for (uint32_t i = 0; i < report->n_output; i++) {
    const as_field_output *output = &report->output[i];
    as_str_printf(text, "  output `%s`: %llu elements equal in the field, ", output->name,
                  (unsigned long long)output->same);
    if (output->chances && output->bound < 1)
      as_str_printf(text,
                    "a difference is missed with probability at most %.3g by one run, %.3g "
                    "by all\n",
                    output->bound, output->bound_all);
    else
      as_str_add(text, "nothing is said of a difference\n");
  }
}

char *as_field_report_print(const as_field_report *report) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "finite-field test: p = %llu, q = %llu, seed %llu, %u run%s\n",
                (unsigned long long)report->p, (unsigned long long)report->q,
                (unsigned long long)report->seed, report->runs, report->runs == 1 ? "" : "s");
  as_str_printf(&text,
                "  %llu elements equal in the field, %llu by real intervals only, %llu not "
                "comparable, %llu unexplained; %llu were needed\n",
                (unsigned long long)report->same, (unsigned long long)report->close,
                (unsigned long long)report->skipped, (unsigned long long)report->unexplained,
                (unsigned long long)report->needed);
  if (report->identical)
    as_str_add(&text, "  the candidate is the program, operator by operator\n");
  if (report->chances) {
    as_str_printf(&text,
                  "  worst element: degree %.3g, %.3g exponentials of %s exponents of degree %.3g, "
                  "%d square root%s\n",
                  report->degree, report->exponentials, report->affine ? "affine" : "other",
                  report->exp_degree, report->roots, report->roots == 1 ? "" : "s");
    if (report->bound < 1) {
      as_str_printf(&text,
                    "  a difference in an element compared in the field is missed by one run with "
                    "probability at most %.3g, by all runs with at most %.3g where "
                    "it is present in each (unless p or q divides all of its coefficients)%s\n",
                    report->bound, report->bound_all,
                    report->n_choices ? ", by the values that choices took there" : "");
    }
  }
  if (report->chances < report->same)
    as_str_printf(&text,
                  "  %llu of the equal elements are made of integers, or of numbers of the texts, "
                  "alone: of these no chance is stated\n",
                  (unsigned long long)(report->same - report->chances));
  if (!(report->bound < 1)) {
    as_str_add(
        &text,
        "  no chance of a missed difference can be stated here: the bound of the identity-testing "
        "theorem is 1\n");
  }
  if (report->n_output > 1)
    print_outputs(report, &text);
  if (report->untaken && report->verdict != AS_NO)
    as_str_add(&text, report->untaken);
  as_str_add(&text, report->verdict == AS_OK   ? "  verdict: same\n"
                    : report->verdict == AS_NO ? "  verdict: different\n"
                                               : "  verdict: inconclusive\n");
  return as_str_take(&text);
}

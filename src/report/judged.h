/* A verdict in every form in which it is shown: text, JSON, an item of a page, a result directory.
 * May include: base, ir, verify/judge, proofs/explain.  Called by the commands that judge. */
#ifndef AS_REPORT_JUDGED_H
#define AS_REPORT_JUDGED_H
#include "report.h"
#include "result.h"
#include "src/base/lowered.h"
#include "verify/floats/floats.h"
#include "verify/judge/judge.h"

/* the name of the given program (0) or of the candidate (1), for people; malloc'ed, NULL: there is
 * none */
char *as_report_judged_name(const as_judged *judged, int which);
/* what a result directory calls the given program and the candidate */
const char *as_report_given_file(const as_judged *judged);
const char *as_report_candidate_file(const as_judged *judged);

/* What is said of a claim for people: read off the claim and its certificate, and to be made before
 * the claim is released. */
typedef struct {
  char *theorem; /* as the checker states it, its relations in a form to be read; NULL: no claim */
  char *outline; /* the proof, HTML; NULL: none */
  char *implied; /* what sizes must satisfy beside what is stated, or nothing is said of them; NULL:
                    nothing, or it is not proved */
  const as_floats_result *floats; /* borrowed; set by who has it; NULL: nothing is said of floats */
  /* of the trial of the kernels, set by who has it: "" where it was made, else why not (borrowed);
   * NULL: nothing is said */
  const char *untried;
} as_report_words;

/* outline: whether a page will be written.  An open goal's sides, in v->proof, are made readable.
 */
void as_report_words_of(as_verdict *v, bool outline, as_report_words *words);
void as_report_words_clear(as_report_words *words);

/* on standard output */
void as_report_print(const as_verdict *v, const as_report_words *words, bool verbose);
/* "PROVED", ..: the answer and what is held against it, on one line of standard output */
void as_report_print_answer(const as_verdict *v);
void as_report_print_word(const as_verdict *v); /* the same without the reason */
void as_report_print_stats(void);

/* counterexamples in report.json (json_t *, the caller's), and back: the case must hold the same
 * programs; x is to be cleared in any case */
void *as_report_cex_json(const as_judged *judged, const as_cex *x);
bool as_report_cex_read(void *from, const as_judged *judged, as_cex *x, as_err *err);
/* evaluated at its sizes and inputs: AS_NO with *now filled where they differ, else as
 * as_compare_at */
as_status as_report_cex_again(const as_judged *judged, const as_cex *told, as_cex *now,
                              as_err *err);

/* report.json: verdicts, hashes of the other files, whatever `extra` (a json_t object or NULL;
 * borrowed) adds; malloc'ed */
char *as_report_json(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                     const as_report_dir *files, void *extra);
/* A report (json_t *, an object, changed) as its file holds it: all times apart from the rest,
 * under `run`, so that what two runs say can be compared; with the hashes of the files (NULL:
 * none). malloc'ed */
char *as_report_json_text(void *report, const as_report_dir *files);
/* whether a page says what another does, times and drawings (for which a tool is needed) apart */
bool as_report_same_page(const char *page, const char *other);
/* a kernel, or the call that stands for one, in words for people; malloc'ed */
char *as_report_kernel_words(const as_lower_kernel *kernel);
/* what is said of the kernels (json_t *, the caller's), and `assay check` finds again */
void *as_report_kernels_json(const as_lowered *lowered);
void *as_report_stats_json(void); /* the counters of stats.h (json_t *, the caller's) */
/* the page of a result directory; lowered: NULL where there is no kernel.cu; malloc'ed */
char *as_report_page(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                     const as_lowered *lowered);
/* the files of a result directory, added to r; lowered, extra may be NULL */
bool as_report_collect(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                       const as_lowered *lowered, void *extra, as_report_dir *r, as_err *err);
/* copies of the specifications that the case was read with, in `semantics` or where its text uses
 * them; those that are there stay */
bool as_report_add_specifications(const as_judged *judged, as_report_dir *r, as_err *err);
/* the whole directory */
bool as_report_package(const char *dir, bool force, const as_judged *judged, const as_verdict *v,
                       const as_report_words *words, const as_lowered *lowered, void *extra,
                       as_err *err);

/* the words with `path`, where they name a file, shown as `name`; malloc'ed, NULL: NULL */
char *as_report_words_without(const char *words, const char *path, const char *name);

/* the case as an item of a report, initialised here; for report.html and for the reports of
 * batches */
void as_report_judged(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                      as_report_item *it);
void as_report_judged_cex(as_report_item *it, const as_graph *given, const as_graph *cand,
                          const as_cex *x); /* its counterexample */
#endif

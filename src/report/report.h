/* Reports: what was judged, as data, and the writer of one self-contained page of HTML from it (no
 * network, no fonts but the reader's). Texts in an item are plain; the writer escapes.  May
 * include: base.  Called by the commands that judge: certify, optimize, rules, regress.
 *
 *   as_report_item it;                         one program and candidate, one rule, one fact
 *   as_report_init(&it, "lora", "PROVED", AS_REPORT_GOOD);
 *   as_report_row(&it, AS_REPORT_GOOD, "Trusted checker", "accepts in %.3f s", t);  ...
 *   char *page = as_report_html(&it);          or as_report_batch_html(&batch, items, n)
 *
 * as_report_judged (judged.h) fills an item from a judged case. */
#ifndef AS_REPORT_REPORT_H
#define AS_REPORT_REPORT_H
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  AS_REPORT_PLAIN,
  AS_REPORT_GOOD,
  AS_REPORT_BAD,
  AS_REPORT_OPEN
} as_report_state; /* a colour and a sign */

typedef struct {
  as_report_state state;
  const char *what;
  const char *words;
} as_report_fact;

typedef struct {
  const char *title;
  const char *text;
  const char *dot;
} as_report_part; /* dot: Graphviz text to be drawn above, or NULL */

typedef struct {
  const char *name;
  const char *sha256;
  const char *text;
} as_report_relied; /* text NULL: not shown */

typedef struct {
  const char *name;
  uint32_t rank;
  const int64_t *dim;
  const char **value;
  size_t n;
} as_report_values; /* row-major */

typedef struct {
  const char *where;
  const char *given;
  const char *candidate;
  const char *method;   /* where NULL: there is no counterexample */
  const char *sides[2]; /* what the two are called; NULL: given program, candidate */
  bool replayed;        /* confirmed by the exact evaluator */
  as_vec sizes;         /* as_report_fact */
  as_vec inputs;        /* as_report_values */
} as_report_cex;

typedef struct {
  as_arena *mem; /* owns every text of the item */
  const char *name;
  const char *verdict; /* "PROVED", "REFUTED", .. : whatever word the caller uses */
  as_report_state state;
  const char *group;
  const char *about;  /* file, source; the candidate: a line below the name; may be NULL */
  const char *reason; /* why not proved, NULL */
  const char
      *theorem; /* as the checker states it: lines indented by two blanks are relations; NULL */
  uint32_t steps;
  double seconds; /* of the proof; seconds < 0: not shown */
  as_vec facts;   /* as_report_fact: verdicts of prover, checker, solvers, random test */
  as_vec parts;   /* as_report_part: the programs, drawn side by side */
  as_vec notes;   /* as_report_part: further texts (an open goal, a table) */
  as_vec kernels; /* as_report_fact: what was made of it, by kernel */
  as_vec files;   /* char *: what lies beside the page, to be linked to */
  as_vec relied;  /* as_report_relied */
  as_report_cex cex;
  const char *outline; /* the proof's outline: HTML as as_explain_html makes it, NULL */
} as_report_item;

void as_report_init(as_report_item *it, const char *name, const char *verdict,
                    as_report_state state); /* texts given are copied, here and below */
void as_report_clear(as_report_item *it);
const char *
as_report_keep(as_report_item *it,
               const char *text); /* a copy that lives as long as the item; NULL: NULL */
void as_report_row(as_report_item *it, as_report_state state, const char *what, const char *fmt,
                   ...) __attribute__((format(printf, 4, 5)));
void as_report_add_kernel(as_report_item *it, const char *what, const char *words);
void as_report_add_file(as_report_item *it, const char *name);
void as_report_add_part(as_report_item *it, const char *title, const char *text, const char *dot);
void as_report_add_note(as_report_item *it, const char *title, const char *text);
void as_report_add_relied(as_report_item *it, const char *name, const char *sha256,
                          const char *text);
void as_report_add_size(as_report_item *it, const char *name,
                        int64_t value); /* of the counterexample */
void as_report_add_axes(as_report_item *it, const char *name,
                        const char *extents); /* of it: what a group of axes stands for */
void as_report_add_input(as_report_item *it, const char *name, const int64_t *dim, uint32_t rank,
                         const char *const *value, size_t n);

typedef struct {
  const char *title;
  const char *about;
  double seconds;
} as_report_batch; /* about NULL, seconds < 0: not shown */

char *as_report_html(const as_report_item *it); /* malloc'ed */
char *as_report_batch_html(const as_report_batch *b, const as_report_item *items,
                           size_t n); /* malloc'ed */

extern const char *const as_report_style[];
extern const char *const as_report_script[]; /* style.c */
#endif

/* Baselines of `assay regress`: certified facts and what they rely on, as one JSON file in
 * canonical order, so that the same facts give the same bytes. Times are of one machine and one
 * run: they are kept beside it, in BASELINE.times, which may be absent.   */
#ifndef AS_BASELINE_BASELINE_H
#define AS_BASELINE_BASELINE_H
#include "verify/judge/judge.h"

typedef enum { AS_BASELINE_PROGRAM, AS_BASELINE_MIRAGE, AS_BASELINE_RULE } as_baseline_kind;

/* sha256: of the operator's specification as the checker reads it (what certificates and reports
 * state); canonical: of its canonical text and those of all functions that it needs, which is known
 * also where the claim cannot be read */
typedef struct {
  char *name;
  char sha256[65];
  char canonical[65];
} as_baseline_op;

typedef struct {
  char *verdict; /* PROVED, REFUTED, UNKNOWN, or ILL-FORMED: a text cannot be read, or the shapes do
                    not fit; NULL: not known */
  bool certified;
  uint32_t work;  /* steps that the prover made: the same on every machine */
  double seconds; /* of one processor; negative: not known */
  char program_sha[65];
  char candidate_sha[65];
  char claim_sha[65]; /* of what is to be proved; empty where the claim cannot be read */
  as_baseline_op *op;
  uint32_t n_op; /* sorted by name */
} as_baseline_record;

typedef enum {
  AS_BASELINE_STANDS,
  AS_BASELINE_SAME,
  AS_BASELINE_CHANGED,
  AS_BASELINE_LOST,
  AS_BASELINE_NEW,
  AS_BASELINE_GONE,
  AS_BASELINE_APART
} as_baseline_outcome;

typedef struct {
  as_baseline_kind kind;
  char *program;
  char *candidate;
  char *part; /* paths relative to the baseline; part: number of a graph, name of a rule, otherwise
                 "" */
  bool recorded;
  bool asked; /* in the baseline; among what the command is about */
  as_baseline_record was;
  as_baseline_record now;
  as_baseline_outcome outcome; /* STANDS: not looked at again; LOST: known before, now unknown;
                           GONE: a file or part is no more; APART: not asked for */
  char *reason;
  char *cex; /* of what was judged now; may be NULL */
} as_baseline_fact;

typedef struct {
  char *path;
  char *dir;
  as_vec fact; /* of as_baseline_fact *, sorted by base_sort */
} as_baseline;

void as_baseline_init(as_baseline *b, const char *path);
void as_baseline_clear(as_baseline *b);
bool as_baseline_read(as_baseline *b, as_err *err); /* no file: no facts */
bool as_baseline_write(const as_baseline *b,
                       as_err *err); /* facts that have a verdict; both files, each by one rename */
char *as_baseline_relative(const as_baseline *b, const char *path); /* malloc'ed */
char *as_baseline_real(const as_baseline *b,
                       const char *relative); /* a path that can be opened; malloc'ed */
/* the fact of this kind, paths (relative) and part; made where there is none.  Copies. */
as_baseline_fact *as_baseline_fact_at(as_baseline *b, as_baseline_kind kind, const char *program,
                                      const char *candidate, const char *part);
void as_baseline_sort(as_baseline *b);
char *as_baseline_fact_name(const as_baseline_fact *f); /* for people; malloc'ed */
const char *as_baseline_kind_word(as_baseline_kind k);
const char *as_baseline_outcome_word(as_baseline_outcome outcome);
void as_baseline_record_clear(as_baseline_record *r);
void as_baseline_record_move(as_baseline_record *to,
                             as_baseline_record *from); /* clears both first and last */
const as_baseline_op *as_baseline_record_op(const as_baseline_record *r,
                                            const char *name); /* NULL: none */

void as_baseline_claim_sha(const ck_terms *T, const ck_claim *c, char out[65]); /* claim_sha.c */

/* Facts that a path holds (collect.c): a pair `PROGRAM=CANDIDATE`, a file, or a folder with
 * all below it. */
typedef struct {
  const as_oplib *library; /* what rules are read over */
  bool forward;            /* the directions in which rules are facts */
  bool backward;
} as_baseline_collecting;

bool as_baseline_collect(as_baseline *b, const as_baseline_collecting *how, const char *path,
                         as_err *err);
#endif

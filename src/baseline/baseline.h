/* Baselines of `assay regress`: certified facts and what they rely on, as one JSON file in
 * canonical order, so that the same facts give the same bytes. Times are of one machine and one
 * run: they are kept beside it, in BASELINE.times, which may be absent.  Private to src/cli. */
#ifndef AS_CLI_BASELINE_H
#define AS_CLI_BASELINE_H
#include "src/cli/cli.h"

typedef enum { BASE_PROGRAM, BASE_MIRAGE, BASE_RULE } base_kind;

/* sha256: of the operator's specification as the checker reads it (what certificates and reports
 * state); canonical: of its canonical text and those of all functions that it needs, which is known
 * also where the claim cannot be read */
typedef struct {
  char *name;
  char sha256[65];
  char canonical[65];
} base_op;

typedef struct {
  char *verdict; /* PROVED, REFUTED, UNKNOWN, or ILL-FORMED: a text cannot be read, or the shapes do
                    not fit; NULL: not known */
  bool certified;
  uint32_t work;  /* steps that the prover made: the same on every machine */
  double seconds; /* of one processor; negative: not known */
  char program_sha[65];
  char candidate_sha[65];
  char claim_sha[65]; /* of what is to be proved; empty where the claim cannot be read */
  base_op *op;
  uint32_t n_op; /* sorted by name */
} base_record;

typedef enum {
  BASE_STANDS,
  BASE_SAME,
  BASE_CHANGED,
  BASE_LOST,
  BASE_NEW,
  BASE_GONE,
  BASE_APART
} base_outcome;

typedef struct {
  base_kind kind;
  char *program;
  char *candidate;
  char *part; /* paths relative to the baseline; part: number of a graph, name of a rule, otherwise
                 "" */
  bool recorded;
  bool asked; /* in the baseline; among what the command is about */
  base_record was;
  base_record now;
  base_outcome outcome; /* STANDS: not looked at again; LOST: known before, now unknown; GONE: a
                           file or part is no more; APART: not asked for */
  char *reason;
  char *cex; /* of what was judged now; may be NULL */
} base_fact;

typedef struct {
  char *path;
  char *dir;
  as_vec fact; /* of base_fact *, sorted by base_sort */
} base;

void base_init(base *b, const char *path);
void base_clear(base *b);
bool base_read(base *b, as_err *err); /* no file: no facts */
bool base_write(const base *b,
                as_err *err); /* facts that have a verdict; both files, each by one rename */
char *base_relative(const base *b, const char *path); /* malloc'ed */
char *base_real(const base *b, const char *relative); /* a path that can be opened; malloc'ed */
/* the fact of this kind, paths (relative) and part; made where there is none.  Copies. */
base_fact *base_fact_at(base *b, base_kind kind, const char *program, const char *candidate,
                        const char *part);
void base_sort(base *b);
char *base_fact_name(const base_fact *f); /* for people; malloc'ed */
const char *base_kind_word(base_kind k);
void base_record_clear(base_record *r);
void base_record_move(base_record *to, base_record *from); /* clears both first and last */
const base_op *base_record_op(const base_record *r, const char *name); /* NULL: none */

void base_claim_sha(const ck_terms *T, const ck_claim *c, char out[65]); /* claim_sha.c */

/* Facts that a path holds (base_collect.c): a pair `PROGRAM=CANDIDATE`, a file, or a folder with
 * all below it. */
bool base_collect(base *b, const cli_opts *o, const char *path, as_err *err);
#endif

/* Programs that are lowered one by one, then built and run in one, at integers as inputs, of which
 * results are the evaluator's but for a tolerance.  Includes batch, case.  Used by test_tf32.c and
 * test_beside.c. */
#ifndef TESTS_LOWER_GATHER_H
#define TESTS_LOWER_GATHER_H
#include "batch.h"
#include "case.h"

enum { GATHER_MOST = 160 };

typedef struct {
  lower_case of;
  char *text;
  double tolerance; /* of a result over the largest of its tensor; 0: exact */
} gather_subject;

typedef struct {
  gather_subject subject[GATHER_MOST];
  batch_item item[GATHER_MOST];
  unsigned n;
} gathering;

/* takes case and lowering, with inputs that may be written over until they run; the lowering there,
 * which stays the gathering's */
const as_lowered *gather_add(gathering *all, const lower_case *of, const char *text,
                             as_lowered *lowered, double tolerance);
/* demands that they are right, and clears */
void gather_run(gathering *all);
#endif

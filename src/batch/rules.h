/* Rules of a batch, judged and shown.  Private to src/batch. */
#ifndef AS_BATCH_RULES_H
#define AS_BATCH_RULES_H
#include "batch.h"
#include "src/base/progress.h"
#include "src/report/judged.h"
#include <pthread.h>

/* A rule; or what could not be read where rules were looked for: a definition among them, which
 * leaves the rules beside it as they are, or a file. */
typedef struct {
  const as_job *file; /* NULL: the file could not be read */
  const char *path;
  uint32_t number;      /* AS_NONE: no rule, and */
  const as_err *unread; /* why */
  bool reverse;
  bool done;
  char *name; /* NAME, or NAME.reverse; `op NAME` */
  as_verdict verdict;
  as_report_words words;
} judged_rule;

typedef struct {
  const char *path;
  as_err why;
} unread_file;

typedef struct {
  const as_batch_how *how;
  as_policy policy; /* solvers are asked only where they are required */
  as_job *file;
  uint32_t n_file;
  unread_file *bad_file;
  uint32_t n_bad_file;
  judged_rule *cases;
  size_t n_case;
  bool table;         /* on standard output, a line a rule */
  int width;          /* of the longest name */
  judged_rule **turn; /* those that have their turn now, and */
  size_t n_turn;
  pthread_mutex_t lock;  /* what follows */
  size_t told;           /* of the turn */
  const as_job *of_file; /* of the one that was told last */
  size_t judged;
  as_progress progress;
  uint32_t count[AS_N_ANSWERS];
  uint32_t surprises;
  uint32_t conflicts;
} rule_run;

/* the result directory and the JSON, where they are asked for; false with err */
bool as_batch_leave_rules(const rule_run *run, double seconds, as_err *err);
/* the JUnit XML, where it is asked for; false with err */
bool as_batch_junit_rules(const rule_run *run, as_err *err);

#endif

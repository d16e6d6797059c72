/* The one way in which Assay runs another program: no shell, its output captured, time limits that
 * strike, and nothing of it left running.  Includes base.  Called for solvers, compilers,
 * drawings and the trusted checker. */
#ifndef AS_BASE_CHILD_H
#define AS_BASE_CHILD_H
#include "str.h"
#include <stdbool.h>

typedef enum {
  AS_CHILD_EXITED,     /* by itself; status is its exit status */
  AS_CHILD_KILLED,     /* by a signal that is not ours; status is the signal */
  AS_CHILD_LATE,       /* a time limit struck, and it was stopped */
  AS_CHILD_ENOUGH,     /* `heard` wanted no more, and it was stopped */
  AS_CHILD_NOT_STARTED /* no such program, or the system refused; status is the error's number */
} as_child_end;

typedef enum {
  AS_CHILD_ERRORS_CAPTURED, /* into result.errors */
  AS_CHILD_ERRORS_MERGED,   /* among the output, in the order written */
  AS_CHILD_ERRORS_DROPPED
} as_child_errors;

typedef struct {
  const char *const *argv; /* ended by NULL; argv[0] is looked up on PATH unless it has a slash */
  const char *input;       /* fed to its standard input, which is then closed; may be NULL */
  size_t input_len;
  double seconds;        /* for all of it; 0: no limit, negative: already over */
  double silent_seconds; /* between answers (see heard); 0: no limit */
  as_child_errors errors;
  /* called when output has arrived; takes what it has read off the front of *output.  *answered is
   * set where it counts as an answer.  false: the child is to be stopped.  NULL: output is kept. */
  bool (*heard)(void *arg, as_str *output, bool *answered);
  void *arg;
} as_child;

typedef struct {
  as_child_end end;
  int status;
  as_str output;
  as_str errors;
} as_child_result;

/* result: initialised here, cleared by the caller.  Descendants of the child die with it where it
 * is stopped. */
void as_child_run(const as_child *child, as_child_result *result);
void as_child_result_clear(as_child_result *result);
/* whether the program could be started: a path that can be executed, or a name on PATH */
bool as_child_exists(const char *program);
/* how it ended, in words ("exit status 3", "signal 9", ..); malloc'ed */
char *as_child_how(const as_child_result *result);
#endif

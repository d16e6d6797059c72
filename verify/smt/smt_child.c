/* A solver as a child process fed SMT-LIB 2 through a pipe.  It gets all queries at once, with
 * (reset) between them, and answers a line each.  When it hangs or dies on a query, that query has
 * its verdict and a new child gets the rest, a few times. */
#include "smt_solver.h"
#include "src/base/child.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_RESTARTS = 3, MOST_SHOWN = 80, VERSION_SECONDS = 3 };

typedef struct {
  smt_work *work;
  uint32_t next;        /* the query whose answer comes next */
  bool control_pending; /* before it, that of the control query */
} session;

/* what cannot be printed is shown as a question mark */
static char *shown_answer(const char *line, size_t length) {
  char *words = as_format("answered `%.*s`", length > MOST_SHOWN ? MOST_SHOWN : (int)length, line);
  for (char *c = words; *c; c++) {
    if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
      *c = '?';
  }
  return words;
}

static void read_line(session *now, const char *line, size_t length) {
  smt_answer answer = SMT_OTHER;
  if (length == strlen("unsat") && memcmp(line, "unsat", length) == 0)
    answer = SMT_UNSAT;
  else if (length == strlen("sat") && memcmp(line, "sat", length) == 0)
    answer = SMT_SAT;
  char *words = answer == SMT_OTHER ? shown_answer(line, length) : NULL;
  smt_answered(now->work, now->control_pending ? SMT_CONTROL : now->next, answer, words);
  if (!now->control_pending)
    now->next++;
  now->control_pending = false;
  free(words);
}

static bool goes_on(const session *now) {
  return now->next < now->work->set->n && now->work->result->verdict != AS_SMT_UNSOUND;
}

/* reads the answers that have arrived; false: nothing more is wanted */
static bool heard(void *arg, as_str *output, bool *answered) {
  session *now = arg;
  size_t at = 0;
  while (at < output->n && goes_on(now)) {
    const char *line = output->s + at;
    const char *end = memchr(line, '\n', output->n - at);
    if (end == NULL)
      break;
    size_t length = (size_t)(end - line);
    at += length + 1;
    if (length == 0)
      continue;
    read_line(now, line, length);
    *answered = true;
  }
  if (at > 0) {
    memmove(output->s, output->s + at, output->n - at);
    output->n -= at;
  }
  return goes_on(now);
}

static char *script_from(const smt_work *work, uint32_t first) {
  as_str script;
  as_str_init(&script);
  as_str_add(&script, smt_control);
  for (uint32_t i = first; i < work->set->n; i++)
    as_str_printf(&script, "(reset)\n%s", work->set->q[i].text);
  return as_str_take(&script);
}

/* one child on the queries from `first` on; gives the first one not answered */
static uint32_t run_session(smt_work *work, const char *program, uint32_t first) {
  char *owned[SMT_MOST_ARGUMENTS] = {NULL};
  const char *argv[SMT_MOST_ARGUMENTS + 1] = {program};
  for (int i = 1; i < SMT_MOST_ARGUMENTS && work->solver->argv[i]; i++) {
    const char *given = work->solver->argv[i];
    const char *limit = strstr(given, AS_SMT_MILLISECONDS);
    argv[i] = given;
    if (limit) {
      owned[i] = as_format("%.*s%u%s", (int)(limit - given), given, work->limits.query_ms,
                           limit + strlen(AS_SMT_MILLISECONDS));
      argv[i] = owned[i];
    }
  }
  char *script = script_from(work, first);
  session now = {.work = work, .next = first, .control_pending = true};
  as_child_result ended;
  as_child_run(&(as_child){.argv = argv,
                           .input = script,
                           .input_len = strlen(script),
                           .seconds = work->deadline - as_now(),
                           /* its own limit must have struck by then */
                           .silent_seconds = work->limits.query_ms / 1000.0 + 2,
                           .errors = AS_CHILD_ERRORS_DROPPED,
                           .heard = heard,
                           .arg = &now},
               &ended);
  if (ended.end == AS_CHILD_NOT_STARTED) {
    smt_spoil(work, AS_SMT_MISSING, SMT_CONTROL, "cannot be started");
    now.next = work->set->n;
  } else if (now.next < work->set->n && ended.end != AS_CHILD_ENOUGH) {
    char *how = as_child_how(&ended);
    char *why =
        ended.end == AS_CHILD_EXITED ? as_format("%s without an answer", how) : as_strdup(how);
    smt_spoil(work, ended.end == AS_CHILD_LATE ? AS_SMT_UNKNOWN : AS_SMT_DIED, now.next, why);
    work->result->asked++;
    now.next++;
    free(how);
    free(why);
  }
  as_child_result_clear(&ended);
  for (int i = 0; i < SMT_MOST_ARGUMENTS; i++)
    free(owned[i]);
  free(script);
  return now.next;
}

/* the word after "version" in what the program says of itself; malloc'ed, NULL: none */
static char *version_of(const char *program, double seconds) {
  const char *const argv[] = {program, "--version", NULL};
  static const char mark[] = "version ";
  as_child_result said;
  as_child_run(&(as_child){.argv = argv, .seconds = seconds, .errors = AS_CHILD_ERRORS_DROPPED},
               &said);
  const char *found = said.output.s ? strstr(said.output.s, mark) : NULL;
  char *version = NULL;
  if (found) {
    found += strlen(mark);
    version = as_format("%.*s", (int)strcspn(found, " \n\t["), found);
  }
  as_child_result_clear(&said);
  return version;
}

void smt_ask_child(smt_work *work) {
  const char *program = work->limits.program ? work->limits.program : work->solver->argv[0];
  if (!as_child_exists(program)) {
    smt_spoil(work, AS_SMT_MISSING, SMT_CONTROL, "not found");
    return;
  }
  double patience = work->limits.total_ms / 4000.0;
  work->result->version =
      version_of(program, patience < VERSION_SECONDS ? patience : VERSION_SECONDS);
  uint32_t next = 0;
  for (int i = 0; i <= MOST_RESTARTS && next < work->set->n && as_now() < work->deadline &&
                  work->result->verdict != AS_SMT_UNSOUND;
       i++)
    next = run_session(work, program, next);
  if (next < work->set->n) {
    smt_spoil(work, AS_SMT_UNKNOWN, next,
              as_now() < work->deadline ? "not asked: too many restarts"
                                        : "not asked: out of time");
  }
}

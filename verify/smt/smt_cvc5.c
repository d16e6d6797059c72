/* cvc5, a child process fed SMT-LIB 2 through a pipe.  It gets all queries at once, with (reset)
 * between them, and answers a line each. When it hangs or dies on a query, that query has its
 * verdict and a new child gets the rest, a few times. */
#include "smt.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
#define MAX_RESTARTS 3

typedef struct {
  pid_t pid;
  int in;
  int out;
} child;

static bool executable(const char *program) {
  if (strchr(program, '/'))
    return access(program, X_OK) == 0;
  const char *path = getenv("PATH");
  for (const char *folder = path ? path : ""; *folder;) {
    size_t length = strcspn(folder, ":");
    char *full = as_format("%.*s/%s", (int)length, folder, program);
    bool found = length > 0 && access(full, X_OK) == 0;
    free(full);
    if (found)
      return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

static bool start(child *process, const char *program, char *const argv[]) {
  int to_child[2];
  int from_child[2];
  if (pipe2(to_child, O_CLOEXEC) != 0)
    return false;
  if (pipe2(from_child, O_CLOEXEC) != 0) {
    close(to_child[0]);
    close(to_child[1]);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0); /* own group: a wrapper's children die with it */
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int error = posix_spawnp(&process->pid, program, &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(to_child[0]);
  close(from_child[1]);
  process->in = to_child[1];
  process->out = from_child[0];
  if (error != 0) {
    close(process->in);
    close(process->out);
    return false;
  }
  fcntl(process->in, F_SETFL, O_NONBLOCK);
  fcntl(process->out, F_SETFL, O_NONBLOCK);
  return true;
}

static int stop(child *process) { /* gives the wait status */
  int status = 0;
  if (process->in >= 0)
    close(process->in);
  close(process->out);
  kill(-process->pid, SIGKILL);
  while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/* writes what it takes, reads what comes; 1 more to come, 0 end of output, -1 deadline */
static int exchange(child *process, const char *text, size_t len, size_t *sent, as_str *got,
                    double deadline) {
  double left = deadline - as_now();
  if (left <= 0)
    return -1;
  struct pollfd ready[2] = {{process->out, POLLIN, 0}, {process->in, POLLOUT, 0}};
  int n_ready = poll(ready, process->in >= 0 ? 2 : 1, (int)(left * 1000) + 1);
  if (n_ready < 0 && errno != EINTR)
    return 0;
  if (n_ready <= 0)
    return 1;
  if (process->in >= 0 && ready[1].revents) {
    ssize_t count = write(process->in, text + *sent, len - *sent);
    if (count > 0)
      *sent += (size_t)count;
    if ((count < 0 && errno != EAGAIN && errno != EINTR) || *sent == len) {
      close(process->in);
      process->in = -1;
    }
  }
  if (ready[0].revents) {
    char buf[4096];
    ssize_t count = read(process->out, buf, sizeof buf);
    if (count == 0)
      return 0;
    if (count > 0 && got->n < 1000000)
      as_str_addn(got, buf, (size_t)count);
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return 0;
  }
  return 1;
}

typedef struct {
  const as_smt_set *set;
  as_smt_result *result;
  unsigned query_ms;
  double deadline;
  const char *prog;
} asker;

static void spoil(asker *asking, as_smt_verdict verdict, uint32_t query, const char *why) {
  static const int rank[] = {0, 4, 1, 2, 3}; /* worst wins: disagrees, died, missing, unknown */
  if (rank[verdict] <= rank[asking->result->verdict])
    return;
  asking->result->verdict = verdict;
  free(asking->result->reason);
  asking->result->reason = query < asking->set->n
                               ? as_format("%s: %s", asking->set->q[query].name, why)
                               : as_strdup(why);
}

/* reads the answers that have arrived; gives the number of the next query */
static uint32_t answers(asker *asking, uint32_t next, as_str *got) {
  size_t read = 0;
  while (got->s && read < got->n) {
    char *line = got->s + read;
    char *newline = memchr(line, '\n', got->n - read);
    if (!newline)
      break;
    size_t len = (size_t)(newline - line);
    read += len + 1;
    if (len == 0 || next >= asking->set->n)
      continue;
    const as_smt_query *query = &asking->set->q[next];
    asking->result->asked++;
    if (len == 5 && memcmp(line, "unsat", 5) == 0) {
      asking->result->agreed++;
    } else if (len == 3 && memcmp(line, "sat", 3) == 0) {
      spoil(asking, AS_SMT_DISAGREES, next,
            query->exact ? "has a countermodel"
                         : "has a countermodel once products and laws are abstracted");
    } else {
      char *why = as_format("answered `%.*s`", len > 80 ? 80 : (int)len, line);
      for (char *byte = why; *byte; byte++) {
        if ((unsigned char)*byte < ' ' || (unsigned char)*byte > '~')
          *byte = '?';
      }
      spoil(asking, AS_SMT_UNKNOWN, next, why);
      free(why);
    }
    next++;
  }
  if (read > 0) {
    memmove(got->s, got->s + read, got->n - read);
    got->n -= read;
  }
  return next;
}

/* one child on the queries from `next` on; gives the first one not answered */
static uint32_t session(asker *asking, uint32_t next) {
  char *limit = as_format("--tlimit-per=%u", asking->query_ms);
  char *argv[] = {
      (char *)(uintptr_t)asking->prog, "--lang=smt2", "--incremental", limit, "-", NULL};
  child process;
  if (!start(&process, asking->prog, argv)) {
    spoil(asking, AS_SMT_MISSING, UINT32_MAX, "cannot be started");
    free(limit);
    return asking->set->n;
  }
  as_str text;
  as_str got;
  as_str_init(&text);
  as_str_init(&got);
  for (uint32_t query = next; query < asking->set->n; query++)
    as_str_printf(&text, "%s%s", query > next ? "(reset)\n" : "", asking->set->q[query].text);
  size_t sent = 0;
  int more = 1;
  double patience =
      as_now() + asking->query_ms / 1000.0 + 2; /* its own limit must have struck by then */
  while (more == 1 && next < asking->set->n) {
    more = exchange(&process, text.s, text.n, &sent, &got,
                    patience < asking->deadline ? patience : asking->deadline);
    uint32_t before = next;
    next = answers(asking, next, &got);
    if (next != before)
      patience = as_now() + asking->query_ms / 1000.0 + 2;
  }
  int status = 0;
  if (more == 0) { /* it ended by itself: let it be collected with its own status */
    pid_t done = 0;
    for (int query = 0; query < 200 && (done = waitpid(process.pid, &status, WNOHANG)) == 0;
         query++)
      usleep(5000);
    if (done != process.pid) {
      status = stop(&process);
    } else {
      if (process.in >= 0)
        close(process.in);
      close(process.out);
    }
  } else {
    stop(&process);
  }
  if (next < asking->set->n) {
    char *why;
    if (more != 0)
      why = as_format("no answer in time, stopped");
    else if (WIFSIGNALED(status))
      why = as_format("died of signal %d", WTERMSIG(status));
    else
      why = as_format("ended with status %d without an answer", WEXITSTATUS(status));
    spoil(asking, more != 0 ? AS_SMT_UNKNOWN : AS_SMT_DIED, next, why);
    free(why);
    asking->result->asked++;
    next++;
  }
  as_str_clear(&text);
  as_str_clear(&got);
  free(limit);
  return next;
}

static char *version_of(const char *program, double seconds) {
  char *argv[] = {(char *)(uintptr_t)program, "--version", NULL};
  child process;
  as_str got;
  size_t sent = 0;
  if (!start(&process, program, argv))
    return NULL;
  as_str_init(&got);
  double deadline = as_now() + seconds;
  while (exchange(&process, "", 0, &sent, &got, deadline) == 1) {
  }
  stop(&process);
  char *found = got.s ? strstr(got.s, "version ") : NULL;
  char *out = found ? as_format("%.*s", (int)strcspn(found + 8, " \n\t["), found + 8) : NULL;
  as_str_clear(&got);
  return out;
}

void as_smt_cvc5(const as_smt_set *set, const as_smt_opts *opts, as_smt_result *result) {
  double begin = as_now();
  unsigned total = opts && opts->total_ms ? opts->total_ms : 60000;
  asker asking = {set, result, opts && opts->query_ms ? opts->query_ms : 5000,
                  begin + total / 1000.0, opts && opts->cvc5 ? opts->cvc5 : "cvc5"};
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction old;
  *result = (as_smt_result){.verdict = AS_SMT_AGREES};
  if (!executable(asking.prog)) {
    spoil(&asking, AS_SMT_MISSING, UINT32_MAX, "not found");
    return;
  }
  sigaction(SIGPIPE, &ignore, &old); /* a child that dies while being written to */
  result->version = version_of(asking.prog, total < 12000 ? total / 4000.0 : 3);
  uint32_t next = 0;
  for (int attempt = 0; attempt <= MAX_RESTARTS && next < set->n && as_now() < asking.deadline;
       attempt++)
    next = session(&asking, next);
  sigaction(SIGPIPE, &old, NULL);
  if (next < set->n) {
    spoil(&asking, AS_SMT_UNKNOWN, next,
          as_now() < asking.deadline ? "not asked: too many restarts" : "not asked: out of time");
  }
  if (set->n == 0)
    spoil(&asking, AS_SMT_UNKNOWN, UINT32_MAX, "no queries");
  if (result->verdict == AS_SMT_AGREES && result->agreed != set->n)
    spoil(&asking, AS_SMT_UNKNOWN, UINT32_MAX, "fewer answers than queries");
  result->seconds = as_now() - begin;
}

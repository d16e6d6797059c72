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

static bool executable(const char *prog) {
  if (strchr(prog, '/'))
    return access(prog, X_OK) == 0;
  const char *path = getenv("PATH");
  for (const char *p = path ? path : ""; *p;) {
    size_t n = strcspn(p, ":");
    char *full = as_format("%.*s/%s", (int)n, p, prog);
    bool ok = n > 0 && access(full, X_OK) == 0;
    free(full);
    if (ok)
      return true;
    p += n + (p[n] == ':');
  }
  return false;
}

static bool start(child *c, const char *prog, char *const argv[]) {
  int a[2];
  int b[2];
  if (pipe2(a, O_CLOEXEC) != 0)
    return false;
  if (pipe2(b, O_CLOEXEC) != 0) {
    close(a[0]);
    close(a[1]);
    return false;
  }
  posix_spawn_file_actions_t fa;
  posix_spawnattr_t at;
  sigset_t def;
  posix_spawn_file_actions_init(&fa);
  posix_spawn_file_actions_adddup2(&fa, a[0], 0);
  posix_spawn_file_actions_adddup2(&fa, b[1], 1);
  posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&at);
  sigemptyset(&def);
  sigaddset(&def, SIGPIPE);
  posix_spawnattr_setsigdefault(&at, &def);
  posix_spawnattr_setpgroup(&at, 0); /* own group: a wrapper's children die with it */
  posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int e = posix_spawnp(&c->pid, prog, &fa, &at, argv, environ);
  posix_spawn_file_actions_destroy(&fa);
  posix_spawnattr_destroy(&at);
  close(a[0]);
  close(b[1]);
  c->in = a[1];
  c->out = b[0];
  if (e != 0) {
    close(c->in);
    close(c->out);
    return false;
  }
  fcntl(c->in, F_SETFL, O_NONBLOCK);
  fcntl(c->out, F_SETFL, O_NONBLOCK);
  return true;
}

static int stop(child *c) { /* gives the wait status */
  int st = 0;
  if (c->in >= 0)
    close(c->in);
  close(c->out);
  kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &st, 0) < 0 && errno == EINTR) {
  }
  return st;
}

/* writes what it takes, reads what comes; 1 more to come, 0 end of output, -1 deadline */
static int exchange(child *c, const char *text, size_t len, size_t *sent, as_str *got,
                    double deadline) {
  double left = deadline - as_now();
  if (left <= 0)
    return -1;
  struct pollfd p[2] = {{c->out, POLLIN, 0}, {c->in, POLLOUT, 0}};
  int n = poll(p, c->in >= 0 ? 2 : 1, (int)(left * 1000) + 1);
  if (n < 0 && errno != EINTR)
    return 0;
  if (n <= 0)
    return 1;
  if (c->in >= 0 && p[1].revents) {
    ssize_t k = write(c->in, text + *sent, len - *sent);
    if (k > 0)
      *sent += (size_t)k;
    if ((k < 0 && errno != EAGAIN && errno != EINTR) || *sent == len) {
      close(c->in);
      c->in = -1;
    }
  }
  if (p[0].revents) {
    char buf[4096];
    ssize_t k = read(c->out, buf, sizeof buf);
    if (k == 0)
      return 0;
    if (k > 0 && got->n < 1000000)
      as_str_addn(got, buf, (size_t)k);
    if (k < 0 && errno != EAGAIN && errno != EINTR)
      return 0;
  }
  return 1;
}

typedef struct {
  const as_smt_set *s;
  as_smt_result *r;
  unsigned query_ms;
  double deadline;
  const char *prog;
} job;

static void spoil(job *j, as_smt_verdict v, uint32_t i, const char *why) {
  static const int rank[] = {0, 4, 1, 2, 3}; /* worst wins: disagrees, died, missing, unknown */
  if (rank[v] <= rank[j->r->verdict])
    return;
  j->r->verdict = v;
  free(j->r->reason);
  j->r->reason = i < j->s->n ? as_format("%s: %s", j->s->q[i].name, why) : as_strdup(why);
}

/* reads the answers that have arrived; gives the number of the next query */
static uint32_t answers(job *j, uint32_t next, as_str *got) {
  size_t at = 0;
  while (got->s && at < got->n) {
    char *line = got->s + at;
    char *nl = memchr(line, '\n', got->n - at);
    if (!nl)
      break;
    size_t len = (size_t)(nl - line);
    at += len + 1;
    if (len == 0 || next >= j->s->n)
      continue;
    const as_smt_query *q = &j->s->q[next];
    j->r->asked++;
    if (len == 5 && memcmp(line, "unsat", 5) == 0) {
      j->r->agreed++;
    } else if (len == 3 && memcmp(line, "sat", 3) == 0) {
      spoil(j, AS_SMT_DISAGREES, next,
            q->exact ? "has a countermodel"
                     : "has a countermodel once products and laws are abstracted");
    } else {
      char *why = as_format("answered `%.*s`", len > 80 ? 80 : (int)len, line);
      for (char *c = why; *c; c++) {
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
          *c = '?';
      }
      spoil(j, AS_SMT_UNKNOWN, next, why);
      free(why);
    }
    next++;
  }
  if (at > 0) {
    memmove(got->s, got->s + at, got->n - at);
    got->n -= at;
  }
  return next;
}

/* one child on the queries from `next` on; gives the first one not answered */
static uint32_t session(job *j, uint32_t next) {
  char *limit = as_format("--tlimit-per=%u", j->query_ms);
  char *argv[] = {(char *)(uintptr_t)j->prog, "--lang=smt2", "--incremental", limit, "-", NULL};
  child c;
  if (!start(&c, j->prog, argv)) {
    spoil(j, AS_SMT_MISSING, UINT32_MAX, "cannot be started");
    free(limit);
    return j->s->n;
  }
  as_str text;
  as_str got;
  as_str_init(&text);
  as_str_init(&got);
  for (uint32_t i = next; i < j->s->n; i++)
    as_str_printf(&text, "%s%s", i > next ? "(reset)\n" : "", j->s->q[i].text);
  size_t sent = 0;
  int more = 1;
  double patience =
      as_now() + j->query_ms / 1000.0 + 2; /* its own limit must have struck by then */
  while (more == 1 && next < j->s->n) {
    more =
        exchange(&c, text.s, text.n, &sent, &got, patience < j->deadline ? patience : j->deadline);
    uint32_t was = next;
    next = answers(j, next, &got);
    if (next != was)
      patience = as_now() + j->query_ms / 1000.0 + 2;
  }
  int st = 0;
  if (more == 0) { /* it ended by itself: let it be collected with its own status */
    pid_t done = 0;
    for (int i = 0; i < 200 && (done = waitpid(c.pid, &st, WNOHANG)) == 0; i++)
      usleep(5000);
    if (done != c.pid) {
      st = stop(&c);
    } else {
      if (c.in >= 0)
        close(c.in);
      close(c.out);
    }
  } else {
    stop(&c);
  }
  if (next < j->s->n) {
    char *why;
    if (more != 0)
      why = as_format("no answer in time, stopped");
    else if (WIFSIGNALED(st))
      why = as_format("died of signal %d", WTERMSIG(st));
    else
      why = as_format("ended with status %d without an answer", WEXITSTATUS(st));
    spoil(j, more != 0 ? AS_SMT_UNKNOWN : AS_SMT_DIED, next, why);
    free(why);
    j->r->asked++;
    next++;
  }
  as_str_clear(&text);
  as_str_clear(&got);
  free(limit);
  return next;
}

static char *version_of(const char *prog, double seconds) {
  char *argv[] = {(char *)(uintptr_t)prog, "--version", NULL};
  child c;
  as_str got;
  size_t sent = 0;
  if (!start(&c, prog, argv))
    return NULL;
  as_str_init(&got);
  double deadline = as_now() + seconds;
  while (exchange(&c, "", 0, &sent, &got, deadline) == 1) {
  }
  stop(&c);
  char *v = got.s ? strstr(got.s, "version ") : NULL;
  char *out = v ? as_format("%.*s", (int)strcspn(v + 8, " \n\t["), v + 8) : NULL;
  as_str_clear(&got);
  return out;
}

void as_smt_cvc5(const as_smt_set *s, const as_smt_opts *o, as_smt_result *r) {
  double begin = as_now();
  unsigned total = o && o->total_ms ? o->total_ms : 60000;
  job j = {s, r, o && o->query_ms ? o->query_ms : 5000, begin + total / 1000.0,
           o && o->cvc5 ? o->cvc5 : "cvc5"};
  struct sigaction ign = {.sa_handler = SIG_IGN};
  struct sigaction old;
  *r = (as_smt_result){.verdict = AS_SMT_AGREES};
  if (!executable(j.prog)) {
    spoil(&j, AS_SMT_MISSING, UINT32_MAX, "not found");
    return;
  }
  sigaction(SIGPIPE, &ign, &old); /* a child that dies while being written to */
  r->version = version_of(j.prog, total < 12000 ? total / 4000.0 : 3);
  uint32_t next = 0;
  for (int i = 0; i <= MAX_RESTARTS && next < s->n && as_now() < j.deadline; i++)
    next = session(&j, next);
  sigaction(SIGPIPE, &old, NULL);
  if (next < s->n) {
    spoil(&j, AS_SMT_UNKNOWN, next,
          as_now() < j.deadline ? "not asked: too many restarts" : "not asked: out of time");
  }
  if (s->n == 0)
    spoil(&j, AS_SMT_UNKNOWN, UINT32_MAX, "no queries");
  if (r->verdict == AS_SMT_AGREES && r->agreed != s->n)
    spoil(&j, AS_SMT_UNKNOWN, UINT32_MAX, "fewer answers than queries");
  r->seconds = as_now() - begin;
}

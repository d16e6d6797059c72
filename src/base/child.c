#include "child.h"
#include "file.h"
#include "mem.h"
#include "stats.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LONGEST_WAIT_MS = 1000 * 60 * 60, NOT_OPEN = -1 };

/* the running child, and the ends of its pipes that are ours */
typedef struct {
  const as_child *asked;
  as_child_result *result;
  pid_t pid;
  int input;
  int output;
  int errors;
  size_t sent;
  double deadline;   /* as_now(); 0: none */
  double answer_due; /* the same, renewed by each answer */
} running;

static void close_end(int *end) {
  if (*end != NOT_OPEN)
    close(*end);
  *end = NOT_OPEN;
}

bool as_child_exists(const char *program) {
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

static bool open_pipe(int *ours, int *theirs, bool we_write) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  *ours = ends[we_write];
  *theirs = ends[!we_write];
  fcntl(*ours, F_SETFL, O_NONBLOCK);
  return true;
}

/* 0, or the error's number */
static int spawn(running *run, int input, int output, int errors) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t renewed;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (run->asked->errors == AS_CHILD_ERRORS_DROPPED)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&files, errors == NOT_OPEN ? output : errors, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  sigemptyset(&renewed);
  sigaddset(&renewed, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &renewed);
  posix_spawnattr_setpgroup(&attributes,
                            0); /* a group of its own: a wrapper's children die with it */
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  char *const *argv = (char *const *)(uintptr_t)run->asked->argv;
  int failed = posix_spawnp(&run->pid, argv[0], &files, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

static bool start(running *run) {
  int input = NOT_OPEN;
  int output = NOT_OPEN;
  int errors = NOT_OPEN;
  bool apart = run->asked->errors == AS_CHILD_ERRORS_CAPTURED;
  bool piped = open_pipe(&run->input, &input, true) && open_pipe(&run->output, &output, false) &&
               (!apart || open_pipe(&run->errors, &errors, false));
  int failed = piped ? spawn(run, input, output, errors) : errno;
  close_end(&input);
  close_end(&output);
  close_end(&errors);
  if (failed == 0)
    return true;
  close_end(&run->input);
  close_end(&run->output);
  close_end(&run->errors);
  run->result->end = AS_CHILD_NOT_STARTED;
  run->result->status = failed;
  return false;
}

static void feed(running *run) {
  const as_child *asked = run->asked;
  ssize_t written = 0;
  if (run->sent < asked->input_len)
    written = write(run->input, asked->input + run->sent, asked->input_len - run->sent);
  if (written > 0)
    run->sent += (size_t)written;
  bool broken = written < 0 && errno != EAGAIN && errno != EINTR;
  if (broken || run->sent == asked->input_len)
    close_end(&run->input);
}

/* reads what is there; closes our end at the end of the stream; gives whether something came */
static bool drain(int *end, as_str *into) {
  char buffer[65536];
  ssize_t got = read(*end, buffer, sizeof buffer);
  if (got > 0)
    as_str_addn(into, buffer, (size_t)got);
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    close_end(end);
  return got > 0;
}

static void renew(running *run) {
  if (run->asked->silent_seconds > 0)
    run->answer_due = as_now() + run->asked->silent_seconds;
}

/* milliseconds until a limit strikes, 0 where one has; -1: there is none */
static int patience(const running *run) {
  double due = run->deadline;
  if (run->answer_due > 0 && (due <= 0 || run->answer_due < due))
    due = run->answer_due;
  if (due <= 0)
    return -1;
  double left = (due - as_now()) * 1000;
  return left <= 0 ? 0 : left > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : (int)left + 1;
}

/* true: it goes on.  Otherwise result->end says why not; EXITED: the child closed its output */
static bool exchange(running *run) {
  as_child_result *result = run->result;
  int wait = patience(run);
  if (wait == 0) {
    result->end = AS_CHILD_LATE;
    return false;
  }
  /* poll passes over an end that is closed, for it is negative */
  struct pollfd ready[] = {
      {run->output, POLLIN, 0}, {run->input, POLLOUT, 0}, {run->errors, POLLIN, 0}};
  if (poll(ready, sizeof ready / sizeof *ready, wait) <= 0)
    return true;
  if (ready[1].revents)
    feed(run);
  if (ready[2].revents)
    drain(&run->errors, &result->errors);
  if (ready[0].revents && drain(&run->output, &result->output) && run->asked->heard) {
    bool answered = false;
    if (!run->asked->heard(run->asked->arg, &result->output, &answered)) {
      result->end = AS_CHILD_ENOUGH;
      return false;
    }
    if (answered)
      renew(run);
  }
  return run->output != NOT_OPEN || run->errors != NOT_OPEN;
}

/* collects the child, which may have closed its output and not ended: its limits hold still */
static void collect(running *run) {
  as_child_result *result = run->result;
  bool stopped = result->end != AS_CHILD_EXITED;
  int status = 0;
  pid_t ended = 0;
  while (!stopped && (ended = waitpid(run->pid, &status, WNOHANG)) == 0) {
    stopped = patience(run) == 0;
    poll(NULL, 0, 1);
  }
  if (stopped) {
    if (result->end == AS_CHILD_EXITED)
      result->end = AS_CHILD_LATE;
    kill(-run->pid, SIGKILL);
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
      continue;
    return;
  }
  if (ended > 0 && WIFSIGNALED(status)) {
    result->end = AS_CHILD_KILLED;
    result->status = WTERMSIG(status);
  } else if (ended > 0) {
    result->status = WEXITSTATUS(status);
  }
}

/* Writing to a child that has died must not end us.  The signal is blocked in this thread alone, so
 * that threads with children do not undo each other's setting, and one that came is taken off. */
static void hold_broken_pipes(sigset_t *before) {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, before);
}

static void release_broken_pipes(const sigset_t *before) {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  const struct timespec at_once = {0};
  while (!sigismember(before, SIGPIPE) && sigtimedwait(&broken, NULL, &at_once) == SIGPIPE)
    continue;
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

void as_child_run(const as_child *child, as_child_result *result) {
  *result = (as_child_result){.end = AS_CHILD_EXITED};
  as_str_init(&result->output);
  as_str_init(&result->errors);
  running run = {
      .asked = child, .result = result, .input = NOT_OPEN, .output = NOT_OPEN, .errors = NOT_OPEN};
  if (!start(&run))
    return;
  as_stats_add(AS_STAT_CHILDREN, 1);
  sigset_t before;
  hold_broken_pipes(&before);
  run.deadline = child->seconds != 0 ? as_now() + child->seconds : 0;
  renew(&run);
  if (child->input_len == 0)
    close_end(&run.input);
  while (exchange(&run))
    continue;
  close_end(&run.input);
  close_end(&run.output);
  close_end(&run.errors);
  collect(&run);
  release_broken_pipes(&before);
}

void as_child_result_clear(as_child_result *result) {
  as_str_clear(&result->output);
  as_str_clear(&result->errors);
}

char *as_child_how(const as_child_result *result) {
  switch (result->end) {
  case AS_CHILD_EXITED:
    return as_format("ended with status %d", result->status);
  case AS_CHILD_KILLED:
    return as_format("died of signal %d", result->status);
  case AS_CHILD_LATE:
    return as_strdup("no answer in time, stopped");
  case AS_CHILD_ENOUGH:
    return as_strdup("stopped");
  case AS_CHILD_NOT_STARTED:
    return as_format("cannot be started: %s", strerror(result->status));
  }
  return as_strdup("");
}

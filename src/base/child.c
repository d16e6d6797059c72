#include "child.h"
#include "mem.h"
#include "str.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* writes input and reads output as either is ready, so that neither side waits for the other for
 * ever */
static void pump(int to, int from, const char *input, size_t len, as_str *out) {
  size_t at = 0;
  if (len == 0) {
    close(to);
    to = -1;
  }
  while (from >= 0) {
    struct pollfd p[2] = {{from, POLLIN, 0}, {to, POLLOUT, 0}};
    if (poll(p, to >= 0 ? 2 : 1, -1) < 0 && errno != EINTR)
      break;
    if (p[0].revents) {
      char buf[65536];
      ssize_t n = read(from, buf, sizeof buf);
      if (n > 0)
        as_str_addn(out, buf, (size_t)n);
      else if (n == 0 || errno != EINTR)
        from = -1;
    }
    if (to >= 0 && p[1].revents) {
      ssize_t n = write(to, input + at, len - at);
      if (n > 0)
        at += (size_t)n;
      if ((n < 0 && errno != EINTR && errno != EAGAIN) || at == len) {
        close(to);
        to = -1;
      }
    }
  }
  if (to >= 0)
    close(to);
}

int as_child(char *const *argv, const char *input, size_t len, char **out, size_t *n, bool both) {
  as_str s;
  as_str_init(&s);
  int in[2];
  int o[2];
  int status = 127;
  pid_t pid;
  *out = NULL;
  *n = 0;
  if (pipe(in) != 0)
    return 127;
  if (pipe(o) != 0) {
    close(in[0]);
    close(in[1]);
    return 127;
  }
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t a;
  posix_spawn_file_actions_init(&a);
  posix_spawn_file_actions_adddup2(&a, in[0], 0);
  posix_spawn_file_actions_adddup2(&a, o[1], 1);
  if (both)
    posix_spawn_file_actions_adddup2(&a, o[1], 2);
  for (int i = 0; i < 2; i++) {
    posix_spawn_file_actions_addclose(&a, in[i]);
    posix_spawn_file_actions_addclose(&a, o[i]);
  }
  bool started = posix_spawnp(&pid, argv[0], &a, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&a);
  close(in[0]);
  close(o[1]);
  if (started) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old;
    sigaction(SIGPIPE, &ignore, &old);
    pump(in[1], o[0], input, len, &s);
    sigaction(SIGPIPE, &old, NULL);
    int w;
    while (waitpid(pid, &w, 0) < 0 && errno == EINTR)
      continue;
    status = WIFEXITED(w) ? WEXITSTATUS(w) : 128 + WTERMSIG(w);
  } else {
    close(in[1]);
  }
  close(o[0]);
  *n = s.n;
  *out = as_str_take(&s);
  return status;
}

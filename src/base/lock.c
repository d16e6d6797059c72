#include "lock.h"
#include "file.h"
#include "mem.h"
#include "str.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int as_lock_for(const char *path, as_err *err) {
  char *folder = as_folder_of(path);
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int held = lock < 0 ? -1 : flock(lock, LOCK_EX);
  while (held != 0 && lock >= 0 && errno == EINTR)
    held = flock(lock, LOCK_EX);
  if (held != 0) {
    as_err_set(err, AS_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    as_unlock(lock);
    lock = AS_NO_LOCK;
  }
  free(folder);
  return lock;
}

void as_unlock(int lock) {
  if (lock >= 0)
    close(lock);
}

/* whether `name` is base, ending, and the number of a process that is no more */
static bool is_stale(const char *name, const char *base, const char *ending) {
  size_t length = strlen(base);
  if (strncmp(name, base, length) != 0 || strncmp(name + length, ending, strlen(ending)) != 0)
    return false;
  const char *digits = name + length + strlen(ending);
  char *end;
  errno = 0;
  long number = strtol(digits, &end, 10);
  if (end == digits || *end || errno || number <= 0)
    return false;
  return kill((pid_t)number, 0) != 0 && errno == ESRCH;
}

void as_each_stale(const char *path, const char *ending,
                   void (*remove)(void *arg, const char *stale), void *arg) {
  char *folder = as_folder_of(path);
  const char *base = as_file_name(path);
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    if (!is_stale(e->d_name, base, ending))
      continue;
    char *stale = as_format("%s/%s", folder, e->d_name);
    remove(arg, stale);
    free(stale);
  }
  if (d)
    closedir(d);
  free(folder);
}

#include "file.h"
#include "mem.h"
#include "str.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_BYTES = 1 << 28
}; /* as the checker reads of a certificate; a device that never ends is no file */

/* a stream is read where it is named as one: `/dev/stdin`, `/dev/fd/63` */
static bool names_stream(const char *path) {
  return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* NULL with err; a pipe that nobody writes to is not waited for, and is no file */
static FILE *open_file(const char *path, as_err *err) {
  bool stream = names_stream(path);
  int number = open(path, O_RDONLY | O_CLOEXEC | (stream ? 0 : O_NONBLOCK));
  struct stat status;
  const char *why = NULL;
  if (number < 0 || fstat(number, &status) != 0)
    why = strerror(errno);
  else if (S_ISDIR(status.st_mode))
    why = "is a directory";
  else if (!S_ISREG(status.st_mode) && !stream)
    why = "is no regular file";
  FILE *file = why ? NULL : fdopen(number, "rb");
  if (file)
    return file;
  as_err_set(err, AS_BAD_INPUT, "%s: %s", path, why ? why : strerror(errno));
  if (number >= 0)
    close(number);
  return NULL;
}

char *as_read_file(const char *path, size_t *len, as_err *err) {
  FILE *file = open_file(path, err);
  if (file == NULL)
    return NULL;
  as_str out;
  as_str_init(&out);
  char buffer[65536];
  for (size_t got; out.n <= MOST_BYTES && (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
    as_str_addn(&out, buffer, got);
  bool large = out.n > MOST_BYTES;
  if (ferror(file) || large) {
    as_str_clear(&out);
    fclose(file);
    as_err_set(err, AS_BAD_INPUT, "%s: %s", path, large ? "larger than 256 MiB" : "cannot be read");
    return NULL;
  }
  fclose(file);
  *len = out.n;
  return as_str_take(&out);
}

bool as_write_file(const char *path, const void *bytes, size_t n, as_err *err) {
  char *temporary = as_format("%s.tmp%ld", path, (long)getpid());
  FILE *file = fopen(temporary, "wb");
  bool ok = file != NULL;
  if (ok) {
    ok = fwrite(bytes, 1, n, file) == n;
    ok = (fclose(file) == 0) && ok;
    ok = ok && rename(temporary, path) == 0;
  }
  if (!ok) {
    as_err_set(err, AS_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (file)
      unlink(temporary);
  }
  free(temporary);
  return ok;
}

void as_remove_folder(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL)
    return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char *file = as_format("%s/%s", path, entry->d_name);
    unlink(file); /* of `.` and `..` this is refused */
    free(file);
  }
  closedir(folder);
  rmdir(path);
}

const char *as_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *as_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    return as_strdup(".");
  return slash == path ? as_strdup("/") : as_format("%.*s", (int)(slash - path), path);
}

double as_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool as_exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

bool as_path_is_below(const char *path) {
  if (*path == 0 || *path == '/')
    return false;
  for (;;) {
    size_t length = strcspn(path, "/");
    if (length == 2 && path[0] == '.' && path[1] == '.')
      return false;
    if (path[length] == 0)
      return true;
    path += length + 1;
  }
}

#include "file.h"
#include "mem.h"
#include "str.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_BYTES = 1 << 28
}; /* as the checker reads of a certificate; a device that never ends is no file */

char *as_read_file(const char *path, size_t *len, as_err *err) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    as_err_set(err, AS_BAD_INPUT, "%s: %s", path, strerror(errno));
    return NULL;
  }
  struct stat st;
  if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
    fclose(f);
    as_err_set(err, AS_BAD_INPUT, "%s: is a directory", path);
    return NULL;
  }
  as_str s;
  as_str_init(&s);
  char buf[65536];
  for (size_t n; s.n <= MOST_BYTES && (n = fread(buf, 1, sizeof buf, f)) > 0;)
    as_str_addn(&s, buf, n);
  bool large = s.n > MOST_BYTES;
  if (ferror(f) || large) {
    as_str_clear(&s);
    fclose(f);
    as_err_set(err, AS_BAD_INPUT, "%s: %s", path, large ? "larger than 256 MiB" : "cannot be read");
    return NULL;
  }
  fclose(f);
  *len = s.n;
  return as_str_take(&s);
}

bool as_write_file(const char *path, const void *p, size_t n, as_err *err) {
  char *tmp = as_format("%s.tmp%ld", path, (long)getpid());
  FILE *f = fopen(tmp, "wb");
  bool ok = f != NULL;
  if (ok) {
    ok = fwrite(p, 1, n, f) == n;
    ok = (fclose(f) == 0) && ok;
    ok = ok && rename(tmp, path) == 0;
  }
  if (!ok) {
    as_err_set(err, AS_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (f)
      unlink(tmp);
  }
  free(tmp);
  return ok;
}

double as_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool as_exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

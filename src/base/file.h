/* Whole files, and the clock.
 * Includes base/err.h.
 * Used by commands, loaders of specifications, and whoever measures time. */
#ifndef AS_BASE_FILE_H
#define AS_BASE_FILE_H
#include "err.h"

/* gives the text (malloc'ed, a NUL behind its len bytes); NULL with err, also for more than 256 MiB
 * and for what is no regular file: a directory, a device, a pipe, unless it is named below /dev or
 * /proc */
char *as_read_file(const char *path, size_t *len, as_err *err);
/* through a temporary file and rename: the path never holds half a text */
bool as_write_file(const char *path, const void *p, size_t n, as_err *err);
bool as_exists(const char *path); /* a file or a folder */
/* removes a folder and the files in it; folders in it, and so it, stay */
void as_remove_folder(const char *path);
/* a name below a folder, whatever the folder is: no empty one, not from the root, no `..` in it */
bool as_path_is_below(const char *path);
const char *as_file_name(const char *path); /* what follows the last slash; borrows */
char *as_folder_of(const char *path);       /* of a file: "." where it has none; malloc'ed */
double as_now(void);                        /* seconds, monotonic */

#endif

/* Errors: one object that keeps the first message, with the place in the user's text.
 * Includes libc only.
 * Used by everything that can fail. */
#ifndef AS_BASE_ERR_H
#define AS_BASE_ERR_H
#include <stdbool.h>
#include <stddef.h>

/* also the exit status of the commands */
typedef enum { AS_OK = 0, AS_NO = 1, AS_BAD_INPUT = 2, AS_UNKNOWN = 3, AS_INTERNAL = 4 } as_status;

typedef struct {
  as_status status;
  char *file; /* owned, as are the texts; NULL: the error has no place */
  int line;
  int col;
  char *text;
  char *shown; /* the line of the user's text */
} as_err;

void as_err_init(as_err *e);
void as_err_clear(as_err *e);
/* e, initialised, says what `other` says, if it says nothing yet; false, as the following two */
bool as_err_again(as_err *e, const as_err *other);

/* Both return false, and do nothing when `e` is NULL or has a message already. */
bool as_err_set(as_err *e, as_status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* AS_BAD_INPUT at line and column (from 1) of `text`; text NULL: no line is shown */
bool as_err_at(as_err *e, const char *file, const char *text, size_t len, int line, int col,
               const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* "file:line:col: message\n  line\n  ^"; gives it (malloc'ed) */
char *as_err_format(const as_err *e);
/* says it on standard error, as the commands do; gives the exit status */
int as_err_tell(const as_err *e);

#endif

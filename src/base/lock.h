/* Files that several processes change: one at a time, and nothing left behind by those that were
 * killed.  Includes base/err.h.  Used by baselines and result directories. */
#ifndef AS_BASE_LOCK_H
#define AS_BASE_LOCK_H
#include "err.h"

enum { AS_NO_LOCK = -1 };

/* Waits until nobody else holds the folder of that file, and holds it; it is free again when the
 * process ends, however it ends.  AS_NO_LOCK with err where the folder cannot be opened. */
int as_lock_for(const char *path, as_err *err);
void as_unlock(int lock); /* AS_NO_LOCK: nothing to do */

/* Calls `remove` with every path beside `path` that is its name followed by `ending` and the number
 * of a process that is no more: what that process was writing when it was killed. */
void as_each_stale(const char *path, const char *ending,
                   void (*remove)(void *arg, const char *stale), void *arg);
#endif

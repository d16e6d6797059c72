/* Memory: allocation that aborts when there is none left, and arenas that are freed as a whole.
 * Includes libc only.
 * Used by everything. */
#ifndef AS_BASE_MEM_H
#define AS_BASE_MEM_H
#include <stddef.h>

/* never NULL, also for no bytes */
void *as_malloc(size_t n);
void *as_calloc(size_t n, size_t m);
void *as_realloc(void *p, size_t n);
char *as_strdup(const char *s);
/* From now on the process keeps what is freed, for what it asks for next: giving large blocks back
 * to the system after each of a thousand claims costs as much as reading the claims. */
void as_memory_keep(void);

typedef struct as_arena as_arena;
as_arena *as_arena_new(void);
void as_arena_free(as_arena *a);
void as_arena_reset(as_arena *a);            /* what was allocated is gone; keeps one chunk */
void *as_arena_alloc(as_arena *a, size_t n); /* zeroed, aligned to 16 */
char *as_arena_strdup(as_arena *a, const char *s);

#endif

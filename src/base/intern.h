/* Rows of bytes, strings among them, as small ids: equal rows have one id.
 * May include base.
 * Used by whoever compares names or keys of several parts again and again. */
#ifndef AS_BASE_INTERN_H
#define AS_BASE_INTERN_H
#include "map.h"
#include "mem.h"
#include "vec.h"

typedef struct {
  as_index index;
  as_vec row;      /* where each id's bytes are */
  as_arena *arena; /* borrowed where the caller gave one */
  bool owns_arena;
} as_intern;

/* arena: where rows are kept, borrowed; NULL: in one of its own */
void as_intern_init(as_intern *table, as_arena *arena);
void as_intern_clear(as_intern *table);
uint32_t as_intern_count(const as_intern *table);

/* The id of n bytes, the next one (0, 1, ..) where they are new. */
uint32_t as_intern_row(as_intern *table, const void *bytes, size_t n);
/* AS_NONE where they have none */
uint32_t as_intern_find_row(const as_intern *table, const void *bytes, size_t n);
/* the bytes of an id, a NUL behind them; borrowed, at one place as long as the arena lives */
const void *as_intern_bytes(const as_intern *table, uint32_t id, size_t *n);

/* the same for strings */
uint32_t as_intern_string(as_intern *table, const char *s);
uint32_t as_intern_find(const as_intern *table, const char *s);
char *as_intern_text(const as_intern *table, uint32_t id);

#endif

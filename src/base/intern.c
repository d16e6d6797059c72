#include "intern.h"
#include "hash.h"
#include <string.h>

typedef struct {
  char *bytes;
  size_t n;
} interned_row;

static const interned_row *row_of(const as_intern *table, uint32_t id) {
  return &AS_VEC_AT(&table->row, interned_row, id);
}

void as_intern_init(as_intern *table, as_arena *arena) {
  *table = (as_intern){.arena = arena ? arena : as_arena_new(), .owns_arena = arena == NULL};
  as_vec_init(&table->row, sizeof(interned_row));
}

void as_intern_clear(as_intern *table) {
  as_index_clear(&table->index);
  as_vec_clear(&table->row);
  if (table->owns_arena)
    as_arena_free(table->arena);
  table->arena = NULL;
}

uint32_t as_intern_count(const as_intern *table) {
  return (uint32_t)table->row.n;
}

static uint32_t find(const as_intern *table, const void *bytes, size_t n, uint64_t hash) {
  as_index_walk walk = as_index_start(&table->index, hash);
  uint32_t id;
  while ((id = as_index_next(&walk)) != AS_NONE) {
    const interned_row *row = row_of(table, id);
    if (row->n == n && (n == 0 || memcmp(row->bytes, bytes, n) == 0))
      break;
  }
  return id;
}

uint32_t as_intern_find_row(const as_intern *table, const void *bytes, size_t n) {
  return find(table, bytes, n, as_hash(bytes, n, 0));
}

uint32_t as_intern_row(as_intern *table, const void *bytes, size_t n) {
  uint64_t hash = as_hash(bytes, n, 0);
  uint32_t id = find(table, bytes, n, hash);
  if (id != AS_NONE)
    return id;
  id = as_intern_count(table);
  char *own = as_arena_alloc(table->arena, n + 1);
  if (n)
    memcpy(own, bytes, n);
  as_vec_push(&table->row, &(interned_row){own, n});
  as_index_add(&table->index, hash, id);
  return id;
}

const void *as_intern_bytes(const as_intern *table, uint32_t id, size_t *n) {
  const interned_row *row = row_of(table, id);
  *n = row->n;
  return row->bytes;
}

uint32_t as_intern_string(as_intern *table, const char *text) {
  return as_intern_row(table, text, strlen(text));
}

uint32_t as_intern_find(const as_intern *table, const char *text) {
  return as_intern_find_row(table, text, strlen(text));
}

char *as_intern_text(const as_intern *table, uint32_t id) {
  return row_of(table, id)->bytes;
}

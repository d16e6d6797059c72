#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void out_of_memory(void) {
  fputs("assay: out of memory\n", stderr);
  abort();
}

void *as_malloc(size_t n) {
  void *block = malloc(n ? n : 1);
  if (block == NULL)
    out_of_memory();
  return block;
}

void *as_calloc(size_t n, size_t size) {
  void *block = calloc(n ? n : 1, size ? size : 1);
  if (block == NULL)
    out_of_memory();
  return block;
}

void *as_realloc(void *block, size_t n) {
  void *moved = realloc(block, n ? n : 1);
  if (moved == NULL)
    out_of_memory();
  return moved;
}

char *as_strdup(const char *text) {
  size_t n = strlen(text) + 1;
  return memcpy(as_malloc(n), text, n);
}

void as_memory_keep(void) {
#ifdef M_TRIM_THRESHOLD
  enum { KEPT = 64 << 20 }; /* bytes, of each thread */

  mallopt(M_TRIM_THRESHOLD, KEPT);
  mallopt(M_MMAP_THRESHOLD, KEPT / 2);
#endif
}

typedef struct arena_chunk {
  struct arena_chunk *next;
  size_t used;
  size_t size;
  _Alignas(16) unsigned char data[];
} arena_chunk;

struct as_arena {
  arena_chunk *first;
};

/* the first chunk of an arena, from where the next ones double, and the last: most arenas hold
 * little, and the C library tidies up whenever it gets 64 kB back */
enum { FIRST_CHUNK = 2 * 1024, LAST_CHUNK = 32 * 1024 };

as_arena *as_arena_new(void) {
  return as_calloc(1, sizeof(as_arena));
}

void as_arena_free(as_arena *arena) {
  if (arena == NULL)
    return;
  for (arena_chunk *chunk = arena->first, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  free(arena);
}

void as_arena_reset(as_arena *arena) {
  if (arena->first == NULL)
    return;
  for (arena_chunk *chunk = arena->first->next, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  arena->first->next = NULL;
  arena->first->used = 0;
}

void *as_arena_alloc(as_arena *arena, size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (arena->first == NULL || arena->first->size - arena->first->used < n) {
    size_t size = arena->first ? 2 * arena->first->size : FIRST_CHUNK;
    size = size > LAST_CHUNK ? LAST_CHUNK : size;
    size = n > size ? n : size;
    arena_chunk *chunk = as_malloc(sizeof(arena_chunk) + size);
    chunk->next = arena->first;
    chunk->used = 0;
    chunk->size = size;
    arena->first = chunk;
  }
  void *block = arena->first->data + arena->first->used;
  arena->first->used += n;
  return memset(block, 0, n);
}

char *as_arena_strdup(as_arena *arena, const char *text) {
  size_t n = strlen(text) + 1;
  return memcpy(as_arena_alloc(arena, n), text, n);
}

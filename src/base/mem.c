#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(void) {
  fputs("assay: out of memory\n", stderr);
  abort();
}

void *as_malloc(size_t n) {
  void *p = malloc(n ? n : 1);
  if (p == NULL)
    out_of_memory();
  return p;
}

void *as_calloc(size_t n, size_t m) {
  void *p = calloc(n ? n : 1, m ? m : 1);
  if (p == NULL)
    out_of_memory();
  return p;
}

void *as_realloc(void *p, size_t n) {
  void *q = realloc(p, n ? n : 1);
  if (q == NULL)
    out_of_memory();
  return q;
}

char *as_strdup(const char *s) {
  size_t n = strlen(s) + 1;
  return memcpy(as_malloc(n), s, n);
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

enum { CHUNK = 64 * 1024 };

as_arena *as_arena_new(void) {
  return as_calloc(1, sizeof(as_arena));
}

void as_arena_free(as_arena *arena) {
  if (arena == NULL)
    return;
  for (arena_chunk *c = arena->first, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(arena);
}

void as_arena_reset(as_arena *arena) {
  if (arena->first == NULL)
    return;
  for (arena_chunk *c = arena->first->next, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  arena->first->next = NULL;
  arena->first->used = 0;
}

void *as_arena_alloc(as_arena *arena, size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (arena->first == NULL || arena->first->size - arena->first->used < n) {
    size_t size = n > CHUNK ? n : CHUNK;
    arena_chunk *c = as_malloc(sizeof(arena_chunk) + size);
    c->next = arena->first;
    c->used = 0;
    c->size = size;
    arena->first = c;
  }
  void *p = arena->first->data + arena->first->used;
  arena->first->used += n;
  return memset(p, 0, n);
}

char *as_arena_strdup(as_arena *arena, const char *s) {
  size_t n = strlen(s) + 1;
  return memcpy(as_arena_alloc(arena, n), s, n);
}

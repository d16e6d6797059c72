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

typedef struct chunk {
  struct chunk *next;
  size_t used;
  size_t size;
  _Alignas(16) unsigned char data[];
} chunk;

struct as_arena {
  chunk *first;
};

enum { CHUNK = 64 * 1024 };

as_arena *as_arena_new(void) {
  return as_calloc(1, sizeof(as_arena));
}

void as_arena_free(as_arena *a) {
  if (a == NULL)
    return;
  for (chunk *c = a->first, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(a);
}

void as_arena_reset(as_arena *a) {
  if (a->first == NULL)
    return;
  for (chunk *c = a->first->next, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  a->first->next = NULL;
  a->first->used = 0;
}

void *as_arena_alloc(as_arena *a, size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (a->first == NULL || a->first->size - a->first->used < n) {
    size_t size = n > CHUNK ? n : CHUNK;
    chunk *c = as_malloc(sizeof(chunk) + size);
    c->next = a->first;
    c->used = 0;
    c->size = size;
    a->first = c;
  }
  void *p = a->first->data + a->first->used;
  a->first->used += n;
  return memset(p, 0, n);
}

char *as_arena_strdup(as_arena *a, const char *s) {
  size_t n = strlen(s) + 1;
  return memcpy(as_arena_alloc(a, n), s, n);
}

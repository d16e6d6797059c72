#include "blocks.h"
#include "mem.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  STEP = 16,    /* bytes from one class of sizes to the next */
  CLASSES = 16, /* larger blocks are malloc's alone */
  MOST = 16384  /* kept of each class by a thread */
};

typedef struct kept_block {
  struct kept_block *next;
} kept_block;

typedef struct {
  kept_block *first[CLASSES];
  unsigned count[CLASSES];
  bool is_freed_at_end; /* of the thread; the main thread's end is the process's */
} block_cache;

static _Thread_local block_cache cache;
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_cache(void *of_thread) {
  block_cache *ended = of_thread;
  for (int i = 0; i < CLASSES; i++) {
    for (kept_block *block = ended->first[i], *next; block; block = next) {
      next = block->next;
      free(block);
    }
  }
  *ended = (block_cache){0};
}

static void make_key(void) {
  if (pthread_key_create(&at_end, free_cache) != 0)
    abort();
}

static size_t class_of(size_t bytes) {
  return bytes ? (bytes - 1) / STEP : 0;
}

void *as_block_take(size_t bytes) {
  size_t i = class_of(bytes);
  if (i >= CLASSES)
    return as_malloc(bytes);
  kept_block *block = cache.first[i];
  if (block == NULL)
    return as_malloc((i + 1) * STEP);
  cache.first[i] = block->next;
  cache.count[i]--;
  return block;
}

void as_block_give(void *block, size_t bytes) {
  size_t i = class_of(bytes);
  if (i >= CLASSES || cache.count[i] == MOST) {
    free(block);
    return;
  }
  if (!cache.is_freed_at_end) {
    pthread_once(&once, make_key);
    cache.is_freed_at_end = pthread_setspecific(at_end, &cache) == 0;
  }
  kept_block *kept = block;
  kept->next = cache.first[i];
  cache.first[i] = kept;
  cache.count[i]++;
}

void *as_block_resize(void *block, size_t old_bytes, size_t bytes) {
  size_t old_class = class_of(old_bytes);
  size_t new_class = class_of(bytes);
  if (old_class == new_class && old_class < CLASSES)
    return block;
  if (old_class >= CLASSES && new_class >= CLASSES)
    return as_realloc(block, bytes);
  void *moved = as_block_take(bytes);
  memcpy(moved, block, old_bytes < bytes ? old_bytes : bytes);
  as_block_give(block, old_bytes);
  return moved;
}

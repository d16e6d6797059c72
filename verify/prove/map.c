/* Hash tables from two words to one. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

static size_t start(const pv_map *m, uint64_t k1, uint64_t k2) {
  uint64_t h = k1 * 0x9E3779B97F4A7C15u ^ (k2 + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 32;
  return (size_t)h & (m->capacity - 1);
}

bool pv_map_get(const pv_map *m, uint64_t k1, uint64_t k2, uint64_t *val) {
  if (!m->capacity)
    return false;
  for (size_t i = start(m, k1, k2);; i = (i + 1) & (m->capacity - 1)) {
    const pv_slot *s = &m->slot[i];
    if (!s->used)
      return false;
    if (s->key1 == k1 && s->key2 == k2) {
      *val = s->value;
      return true;
    }
  }
}

static void put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val) {
  size_t i = start(m, k1, k2);
  while (m->slot[i].used && !(m->slot[i].key1 == k1 && m->slot[i].key2 == k2))
    i = (i + 1) & (m->capacity - 1);
  if (!m->slot[i].used)
    m->count++;
  m->slot[i] = (pv_slot){k1, k2, val, true};
}

void pv_map_put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val) {
  if (2 * (m->count + 1) > m->capacity) {
    pv_map old = *m;
    m->capacity = old.capacity ? 2 * old.capacity : 256;
    m->count = 0;
    m->slot = as_calloc(m->capacity, sizeof *m->slot);
    for (size_t i = 0; i < old.capacity; i++) {
      if (old.slot[i].used)
        put(m, old.slot[i].key1, old.slot[i].key2, old.slot[i].value);
    }
    free(old.slot);
  }
  put(m, k1, k2, val);
}

void pv_map_clear(pv_map *m) {
  free(m->slot);
  memset(m, 0, sizeof *m);
}

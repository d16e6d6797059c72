/* Hash tables from two words to one. */
#include "pv.h"
#include <stdlib.h>
#include <string.h>

static size_t start(const pv_map *m, uint64_t k1, uint64_t k2) {
  uint64_t h = k1 * 0x9E3779B97F4A7C15u ^ (k2 + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 32;
  return (size_t)h & (m->cap - 1);
}

bool map_get(const pv_map *m, uint64_t k1, uint64_t k2, uint64_t *val) {
  if (!m->cap)
    return false;
  for (size_t i = start(m, k1, k2);; i = (i + 1) & (m->cap - 1)) {
    const pv_slot *s = &m->slot[i];
    if (!s->used)
      return false;
    if (s->k1 == k1 && s->k2 == k2) {
      *val = s->val;
      return true;
    }
  }
}

static void put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val) {
  size_t i = start(m, k1, k2);
  while (m->slot[i].used && !(m->slot[i].k1 == k1 && m->slot[i].k2 == k2))
    i = (i + 1) & (m->cap - 1);
  if (!m->slot[i].used)
    m->n++;
  m->slot[i] = (pv_slot){k1, k2, val, true};
}

void map_put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val) {
  if (2 * (m->n + 1) > m->cap) {
    pv_map old = *m;
    m->cap = old.cap ? 2 * old.cap : 256;
    m->n = 0;
    m->slot = as_calloc(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++) {
      if (old.slot[i].used)
        put(m, old.slot[i].k1, old.slot[i].k2, old.slot[i].val);
    }
    free(old.slot);
  }
  put(m, k1, k2, val);
}

void map_clear(pv_map *m) {
  free(m->slot);
  memset(m, 0, sizeof *m);
}

/* Hash tables from two words to one.  Includes libc.  The prover's memos. */
#ifndef AS_PV_MAP_H
#define AS_PV_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t key1;
  uint64_t key2;
  uint64_t value;
  bool used;
} pv_slot;

typedef struct {
  pv_slot *slot;
  size_t capacity;
  size_t count;
} pv_map;

bool pv_map_get(const pv_map *m, uint64_t key1, uint64_t key2, uint64_t *value);
void pv_map_put(pv_map *m, uint64_t key1, uint64_t key2, uint64_t value);
void pv_map_clear(pv_map *m);
#endif

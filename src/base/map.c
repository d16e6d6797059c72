#include "map.h"
#include "hash.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, FIRST_ENTRIES = 16 };

/* --- the index */
void as_index_clear(as_index *index) {
  free(index->slot);
  *index = (as_index){0};
}

void as_index_reset(as_index *index) {
  if (index->count)
    memset(index->slot, 0, index->capacity * sizeof *index->slot);
  index->count = 0;
}

void as_index_copy(as_index *copy, const as_index *index) {
  *copy = *index;
  if (index->capacity == 0)
    return;
  size_t bytes = index->capacity * sizeof *index->slot;
  copy->slot = memcpy(as_malloc(bytes), index->slot, bytes);
}

static void place(as_index *index, as_index_slot item) {
  size_t at = item.tag & (index->capacity - 1);
  while (index->slot[at].id_and_one)
    at = (at + 1) & (index->capacity - 1);
  index->slot[at] = item;
}

/* Slots are taken over run by run from behind a free one, so that ids of one hash keep their
 * order. */
static void grow(as_index *index) {
  as_index old = *index;
  index->capacity = old.capacity ? 2 * old.capacity : FIRST_SLOTS;
  index->slot = as_calloc(index->capacity, sizeof *index->slot);
  size_t start = 0;
  while (old.capacity && old.slot[start].id_and_one)
    start++;
  for (size_t i = 0; i < old.capacity; i++) {
    as_index_slot slot = old.slot[(start + i) & (old.capacity - 1)];
    if (slot.id_and_one)
      place(index, slot);
  }
  free(old.slot);
}

void as_index_add(as_index *index, uint64_t hash, uint32_t id) {
  if (2 * (index->count + 1) > index->capacity)
    grow(index);
  place(index, (as_index_slot){as_index_tag(hash), id + 1});
  index->count++;
}

/* --- the map */
void as_map_init(as_map *map, uint32_t key_words) {
  *map = (as_map){.key_words = key_words};
}

void as_map_clear(as_map *map) {
  as_index_clear(&map->index);
  free(map->entry);
  as_map_init(map, map->key_words);
}

void as_map_reset(as_map *map) {
  as_index_reset(&map->index);
  map->count = 0;
}

static uint64_t hash_of(const as_map *map, const uint64_t *key) {
  return as_hash_words(key, map->key_words, 0);
}

static uint32_t find(const as_map *map, const uint64_t *key, uint64_t hash) {
  as_index_walk walk = as_index_start(&map->index, hash);
  uint32_t i;
  while ((i = as_index_next(&walk)) != AS_NONE) {
    const uint64_t *other = as_map_key(map, i);
    uint32_t same = 0;
    while (same < map->key_words && other[same] == key[same])
      same++;
    if (same == map->key_words)
      break;
  }
  return i;
}

static uint32_t add(as_map *map, const uint64_t *key, uint64_t hash, uint64_t value) {
  size_t words = (size_t)map->key_words + 1;
  if (map->count == map->capacity) {
    map->capacity = map->capacity ? 2 * map->capacity : FIRST_ENTRIES;
    map->entry = as_realloc(map->entry, map->capacity * words * sizeof *map->entry);
  }
  uint64_t *entry = map->entry + map->count * words;
  for (uint32_t i = 0; i < map->key_words; i++)
    entry[i] = key[i];
  entry[map->key_words] = value;
  as_index_add(&map->index, hash, map->count);
  return map->count++;
}

bool as_map_get(const as_map *map, const uint64_t *key, uint64_t *value) {
  uint32_t i = find(map, key, hash_of(map, key));
  if (i == AS_NONE)
    return false;
  *value = *as_map_value(map, i);
  return true;
}

uint32_t as_map_entry(as_map *map, const uint64_t *key, uint64_t value, bool *fresh) {
  uint64_t hash = hash_of(map, key);
  uint32_t i = find(map, key, hash);
  if (fresh)
    *fresh = i == AS_NONE;
  return i == AS_NONE ? add(map, key, hash, value) : i;
}

void as_map_put(as_map *map, const uint64_t *key, uint64_t value) {
  *as_map_value(map, as_map_entry(map, key, value, NULL)) = value;
}

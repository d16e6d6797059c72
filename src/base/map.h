/* Hash tables: an index from hashes to ids, and maps from rows of words to a word.
 * May include base.
 * Used by whoever looks things up by content: sizes, names, memos, the prover's log. */
#ifndef AS_BASE_MAP_H
#define AS_BASE_MAP_H
#include "id.h"
#include <stdbool.h>
#include <stddef.h>

/* --- as_index: open addressing from hashes to ids.  The items themselves live with the caller, who
 * compares them:
 *
 *     as_index_walk walk = as_index_start(&index, hash);
 *     for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
 *       if (same(id))
 *         return id;
 *     }
 *     as_index_add(&index, hash, id of the new item);
 *
 * Nothing is ever taken out. An index that is all zeros is empty. */
typedef struct {
  uint32_t tag; /* of the hash; also says where the walk starts, so growing asks nobody */
  uint32_t id_and_one;
} as_index_slot;

typedef struct {
  as_index_slot *slot;
  size_t capacity; /* 0 or a power of two; at most half of it is taken */
  size_t count;
} as_index;

typedef struct {
  const as_index *index;
  size_t at;
  uint32_t tag;
} as_index_walk;

void as_index_clear(as_index *index);
void as_index_reset(as_index *index);                      /* empty again; keeps its memory */
void as_index_copy(as_index *copy, const as_index *index); /* copy: not initialised */
void as_index_add(as_index *index, uint64_t hash, uint32_t id);

static inline uint32_t as_index_tag(uint64_t hash) {
  return (uint32_t)(hash ^ hash >> 32);
}

static inline as_index_walk as_index_start(const as_index *index, uint64_t hash) {
  uint32_t tag = as_index_tag(hash);
  return (as_index_walk){index, index->capacity ? tag & (index->capacity - 1) : 0, tag};
}

/* the next id whose hash may be this one, in the order of adding; AS_NONE after the last */
static inline uint32_t as_index_next(as_index_walk *walk) {
  const as_index *index = walk->index;
  while (index->capacity && index->slot[walk->at].id_and_one) {
    as_index_slot slot = index->slot[walk->at];
    walk->at = (walk->at + 1) & (index->capacity - 1);
    if (slot.tag == walk->tag)
      return slot.id_and_one - 1;
  }
  return AS_NONE;
}

/* --- as_map: from keys of a fixed number of 64-bit words to one word.  Entries are numbered in the
 * order in which their keys first came, so a walk over them depends on no address and no hash. */
typedef struct {
  as_index index;
  uint64_t *entry; /* key_words words of key and one of value each */
  size_t capacity;
  uint32_t count;
  uint32_t key_words;
} as_map;

/* a key written out: as_map_get(&map, AS_KEY(term, flags), &value) */
#define AS_KEY(...) ((const uint64_t[]){__VA_ARGS__})

void as_map_init(as_map *map, uint32_t key_words); /* 0: there is one key, the empty one */
void as_map_clear(as_map *map);                    /* empty again, of the same key_words */
void as_map_reset(as_map *map);                    /* the same, but keeps its memory */
bool as_map_get(const as_map *map, const uint64_t *key, uint64_t *value);
void as_map_put(as_map *map, const uint64_t *key, uint64_t value); /* replaces the value of a key */
/* number of the key's entry, which is made with `value` where the key is new; *fresh says which
 * (NULL: nobody asks) */
uint32_t as_map_entry(as_map *map, const uint64_t *key, uint64_t value, bool *fresh);

/* entry i of map->count; borrowed till the next put */
static inline const uint64_t *as_map_key(const as_map *map, uint32_t i) {
  return map->entry + (size_t)i * (map->key_words + 1);
}

static inline uint64_t *as_map_value(const as_map *map, uint32_t i) {
  return map->entry + (size_t)i * (map->key_words + 1) + map->key_words;
}

#endif

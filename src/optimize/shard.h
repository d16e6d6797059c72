/* Shares of a search, as files: what `assay optimize --shard I/N` leaves, and `assay merge` puts
 * together.  May include: search, base. */
#ifndef AS_OPTIMIZE_SHARD_H
#define AS_OPTIMIZE_SHARD_H
#include "search/search.h"

enum { AS_MOST_SHARDS = 4096 };

typedef struct {
  uint32_t number; /* from 1 */
  uint32_t of;
} as_shard;

/* `2/4`; false with err */
bool as_shard_parse(const char *text, as_shard *shard, as_err *err);
/* key: of the job (cache.h) */
bool as_shard_write(const char *path, const char *key, as_shard shard,
                    const as_search_record *record, as_err *err);
/* Adds what the files say.  false with err: a file cannot be read, is damaged, of another job or of
 * another division.  *missing: the shards that are in none of them, in words; malloc'ed, NULL: none
 * is missing. */
bool as_shard_read(char *const *path, uint32_t n, const char *key, as_search_record *record,
                   char **missing, as_err *err);
#endif

/* A file: a line of format, the job, which share it is, the plans, and a hash of all that. */
#include "shard.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "assay-shard 1\n"

enum { HASH = 64, END = 4 + HASH + 1 /* `end `, the hash, a line end */ };

/* a number from 1 to the most shards, and what follows it; 0: there is none */
static uint32_t read_count(const char *text, const char **rest) {
  char *end;
  unsigned long value = text[0] >= '1' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
  if (value == 0 || value > AS_MOST_SHARDS)
    return 0;
  *rest = end;
  return (uint32_t)value;
}

bool as_shard_parse(const char *text, as_shard *shard, as_err *err) {
  const char *rest = text;
  shard->number = read_count(text, &rest);
  shard->of = shard->number && *rest == '/' ? read_count(rest + 1, &rest) : 0;
  return (shard->of >= shard->number && shard->of && *rest == 0) ||
         as_err_set(err, AS_BAD_INPUT,
                    "--shard: `%s` is not I/N with I from 1 to N, and N at most %d", text,
                    AS_MOST_SHARDS);
}

bool as_shard_write(const char *path, const char *key, as_shard shard,
                    const as_search_record *record, as_err *err) {
  char *plans = as_search_record_text(record);
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, FORMAT "job %s\nshard %u/%u\n%s", key, shard.number, shard.of, plans);
  char hash[HASH + 1];
  as_sha256(text.s, text.n, hash);
  as_str_printf(&text, "end %s\n", hash);
  bool written = as_write_file(path, text.s, text.n, err);
  as_str_clear(&text);
  free(plans);
  return written;
}

/* the line after `word`; NULL: it does not begin so.  malloc'ed */
static char *line_of(const char **at, const char *word) {
  if (strncmp(*at, word, strlen(word)) != 0)
    return NULL;
  const char *from = *at + strlen(word);
  size_t length = strcspn(from, "\n");
  *at = from + length + (from[length] == '\n');
  return as_format("%.*s", (int)length, from);
}

/* text: ended by a NUL, the hash at its end is taken off */
static bool read_share(char *text, size_t len, const char *key, as_shard *shard,
                       as_search_record *record, as_err *err) {
  if (strlen(text) != len || strncmp(text, FORMAT, strlen(FORMAT)) != 0)
    return as_err_set(err, AS_BAD_INPUT, "it is no share of a search");
  char hash[HASH + 1];
  const char *end = len > END ? text + len - END : text;
  as_sha256(text, len > END ? len - END : 0, hash);
  if (strncmp(end, "end ", 4) != 0 || strncmp(end + 4, hash, HASH) != 0)
    return as_err_set(err, AS_BAD_INPUT, "it is damaged (its hash differs)");
  text[len - END] = 0;
  const char *at = text + strlen(FORMAT);
  char *job = line_of(&at, "job ");
  char *number = line_of(&at, "shard ");
  bool read = (job && strcmp(job, key) == 0) ||
              as_err_set(err, AS_BAD_INPUT,
                         "it is of another job: another program, specification, option, target or "
                         "build of assay");
  read = read && (number || as_err_set(err, AS_BAD_INPUT, "it does not say which share it is")) &&
         as_shard_parse(number, shard, err) && as_search_record_read(record, at, err);
  free(job);
  free(number);
  return read;
}

static bool read_file(const char *path, const char *key, as_shard *shard, as_search_record *record,
                      as_err *err) {
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return false;
  as_err why;
  as_err_init(&why);
  bool read = read_share(text, len, key, shard, record, &why);
  if (!read)
    as_err_set(err, AS_BAD_INPUT, "%s: %s", path, why.text ? why.text : "it cannot be read");
  as_err_clear(&why);
  free(text);
  return read;
}

bool as_shard_read(char *const *path, uint32_t n, const char *key, as_search_record *record,
                   char **missing, as_err *err) {
  bool there[AS_MOST_SHARDS] = {false};
  uint32_t of = 0;
  *missing = NULL;
  for (uint32_t i = 0; i < n; i++) {
    as_shard shard;
    if (!read_file(path[i], key, &shard, record, err))
      return false;
    if (of && shard.of != of)
      return as_err_set(err, AS_BAD_INPUT, "%s: a share of %u, and others are of %u", path[i],
                        shard.of, of);
    of = shard.of;
    there[shard.number - 1] = true;
  }
  as_str words;
  as_str_init(&words);
  for (uint32_t i = 0; i < of; i++) {
    if (!there[i])
      as_str_printf(&words, "%s%u/%u", words.n ? ", " : "", i + 1, of);
  }
  *missing = words.n ? as_str_take(&words) : NULL;
  return true;
}

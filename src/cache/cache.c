/* Entries: one JSON object a file, with a hash of what it says. */
#include "cache.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/ir/names.h"
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT "assay-cache 1"

char *as_cache_default(void) {
  const char *own = getenv("ASSAY_CACHE");
  if (own)
    return *own ? as_strdup(own) : NULL;
  const char *xdg = getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') /* others are to be ignored, the specification says */
    return as_format("%s/assay", xdg);
  const char *home = getenv("HOME");
  return home && *home ? as_format("%s/.cache/assay", home) : NULL;
}

void as_cache_key(const as_graph *program, const char *rest, char key[AS_CACHE_KEY]) {
  as_str all;
  as_str_init(&all);
  as_str_printf(&all, "%s\n%s\n", FORMAT, rest);
  uint32_t n;
  const as_source *source = as_oplib_sources(program->lib, &n);
  for (uint32_t i = 0; i < n; i++) {
    char hash[65];
    as_sha256(source[i].text, source[i].len, hash);
    as_str_printf(&all, "specification %s\n", hash);
  }
  char *nameless = as_program_nameless(program);
  as_str_add(&all, nameless);
  free(nameless);
  as_sha256(all.s, all.n, key);
  as_str_clear(&all);
}

char *as_cache_path(const char *dir, const char *key) {
  return as_format("%s/%.2s/%s.json", dir, key, key + 2);
}

void as_cache_entry_clear(as_cache_entry *entry) {
  free(entry->candidate);
  free(entry->certificate);
  free(entry->about);
  memset(entry, 0, sizeof *entry);
}

/* --- reading */
/* the fields, all of them texts, in the order in which they are hashed */
static const char *const fields[] = {"format",    "key",         "program",
                                     "candidate", "certificate", "about"};

enum { N_FIELDS = sizeof fields / sizeof *fields };

static void hash_of(const char *const text[N_FIELDS], char hash[65]) {
  as_str all;
  as_str_init(&all);
  for (int i = 0; i < N_FIELDS; i++) /* with lengths, so that no two entries are one text */
    as_str_printf(&all, "%s %zu\n%s\n", fields[i], strlen(text[i]), text[i]);
  as_sha256(all.s, all.n, hash);
  as_str_clear(&all);
}

/* The fields of the file, borrowed from the object; false with err. */
static bool read_fields(const json_t *object, const char *key, const char *text[N_FIELDS],
                        as_err *err) {
  for (int i = 0; i < N_FIELDS; i++) {
    text[i] = json_string_value(json_object_get(object, fields[i]));
    if (text[i] == NULL)
      return as_err_set(err, AS_BAD_INPUT, "it has no `%s`", fields[i]);
  }
  if (strcmp(text[0], FORMAT) != 0)
    return as_err_set(err, AS_BAD_INPUT, "it is of another format, `%s`", text[0]);
  if (strcmp(text[1], key) != 0)
    return as_err_set(err, AS_BAD_INPUT, "it was made for another job");
  char hash[65];
  hash_of(text, hash);
  const char *recorded = json_string_value(json_object_get(object, "sha256"));
  if (recorded == NULL || strcmp(recorded, hash) != 0)
    return as_err_set(err, AS_BAD_INPUT, "it is not what was written (its hash differs)");
  return true;
}

/* The candidate in the names of `program`; *same: they are those of the entry's own program.
 * malloc'ed, NULL with err. */
static char *in_names_of(const as_graph *program, const char *stored_text,
                         const char *candidate_text, bool *same, as_err *err) {
  as_sizes *sizes = as_sizes_new();
  as_graph *candidate = NULL;
  char *text = NULL;
  /* its operators are in the library already: the key is of all specifications */
  as_oplib *library = (as_oplib *)(uintptr_t)program->lib;
  as_graph *stored =
      as_parse_tp("the program", stored_text, strlen(stored_text), sizes, library, err);
  if (stored)
    candidate = as_parse_mug("the candidate", candidate_text, strlen(candidate_text), stored, err);
  if (candidate) {
    char *had = as_program_nameless(stored);
    char *wanted = as_program_nameless(program);
    char *asked = as_print_tp_alone(program);
    *same = strcmp(asked, stored_text) == 0;
    if (strcmp(had, wanted) != 0) {
      as_err_set(err, AS_BAD_INPUT, "its program is another one");
    } else if (*same) {
      text = as_strdup(candidate_text);
    } else {
      as_graph_take_names(candidate, stored, program);
      text = as_print_mug(candidate);
    }
    free(had);
    free(wanted);
    free(asked);
  }
  if (candidate)
    as_graph_free(candidate);
  if (stored)
    as_graph_free(stored);
  as_sizes_free(sizes);
  return text;
}

as_cache_answer as_cache_find(const char *dir, const char *key, const as_graph *program,
                              as_cache_entry *entry, as_err *err) {
  memset(entry, 0, sizeof *entry);
  char *path = as_cache_path(dir, key);
  if (!as_exists(path)) {
    free(path);
    return AS_CACHE_NOTHING;
  }
  const char *text[N_FIELDS] = {NULL};
  size_t len;
  json_error_t json_error;
  char *read = as_read_file(path, &len, err);
  json_t *object = read ? json_loadb(read, len, JSON_REJECT_DUPLICATES, &json_error) : NULL;
  if (read && !json_is_object(object))
    as_err_set(err, AS_BAD_INPUT, "it is no JSON object");
  bool same = false;
  if (json_is_object(object) && read_fields(object, key, text, err))
    entry->candidate = in_names_of(program, text[2], text[3], &same, err);
  if (entry->candidate) {
    entry->certificate = same ? as_strdup(text[4]) : NULL;
    entry->about = as_strdup(text[5]);
  }
  json_decref(object);
  free(read);
  free(path);
  return entry->candidate ? AS_CACHE_FOUND : AS_CACHE_DAMAGED;
}

/* --- writing */
/* the folders that the path is in, as far as they are not there */
static bool make_folders(const char *path, as_err *err) {
  char *folder = as_strdup(path);
  bool made = true;
  for (char *slash = strchr(folder + 1, '/'); slash && made; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    made = mkdir(folder, 0700) == 0 || errno == EEXIST ||
           as_err_set(err, AS_BAD_INPUT, "%s: cannot be made: %s", folder, strerror(errno));
    *slash = '/';
  }
  free(folder);
  return made;
}

bool as_cache_keep(const char *dir, const char *key, const as_graph *program,
                   const as_cache_entry *entry, as_err *err) {
  char *given = as_print_tp_alone(program);
  const char *const text[N_FIELDS] = {FORMAT,      key, given, entry->candidate, entry->certificate,
                                      entry->about};
  char hash[65];
  hash_of(text, hash);
  json_t *object = json_object();
  for (int i = 0; i < N_FIELDS; i++)
    json_object_set_new(object, fields[i], json_string(text[i]));
  json_object_set_new(object, "sha256", json_string(hash));
  char *dump = json_dumps(object, JSON_INDENT(1));
  char *path = as_cache_path(dir, key);
  bool written = dump ? make_folders(path, err) && as_write_file(path, dump, strlen(dump), err)
                      : as_err_set(err, AS_INTERNAL, "%s: a text is no UTF-8", path);
  json_decref(object);
  free(dump);
  free(path);
  free(given);
  return written;
}

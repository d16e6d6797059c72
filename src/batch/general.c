#include "general.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

void as_batch_known_of(const as_tile_job *job, as_import_known *known) {
  as_tile_side given = {job->tile[0], job->graph[0]};
  const as_graph *sizes = as_side_sizes(&given);
  uint32_t n_argument = as_side_n_arguments(&given);
  uint32_t n_result = as_side_n_results(&given);
  as_import_tensor *tensor = as_calloc(n_argument + n_result + 1, sizeof *tensor);
  for (uint32_t i = 0; i < n_argument + n_result; i++) {
    as_side_tensor of =
        i < n_argument ? as_side_argument(&given, i) : as_side_result(&given, i - n_argument);
    tensor[i] = (as_import_tensor){of.name, of.rank, of.dim};
  }
  *known = (as_import_known){job->sizes, sizes->n_own_size, sizes->own_size, n_argument + n_result,
                             tensor};
}

void as_batch_known_clear(as_import_known *known) {
  free((as_import_tensor *)(uintptr_t)known->tensor);
}

char *as_batch_with_lines(const char *text, const char *lines) {
  static const char word[] = "sizes ";
  size_t behind = 0;
  for (const char *at = text; *at;) {
    size_t indent = strspn(at, " ");
    size_t length = strcspn(at, "\n");
    if (strncmp(at + indent, word, strlen(word)) == 0)
      behind = (size_t)(at - text) + length;
    at += length + (at[length] != 0);
  }
  bool ends = text[behind] == 0; /* the last line, without its end */
  return behind == 0
             ? NULL
             : as_format("%.*s\n%s%s", (int)behind, text, lines, ends ? "" : text + behind + 1);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* a line: names of sizes by their values; `n=` in a call is the name of an attribute */
static void add_line(as_str *to, const char *line, size_t length, bool relation,
                     const as_import_known *known, const int64_t *value) {
  for (size_t at = 0; at < length;) {
    size_t n = 0;
    while (at + n < length && is_letter(line[at + n]))
      n++;
    size_t behind = at + n;
    while (behind < length && line[behind] == ' ')
      behind++;
    bool attribute = !relation && behind < length && line[behind] == '=';
    uint32_t i = 0;
    while (i < known->n_size &&
           (attribute || n == 0 || strlen(as_size_name(known->sizes, known->size[i])) != n ||
            strncmp(as_size_name(known->sizes, known->size[i]), line + at, n)))
      i++;
    if (i < known->n_size)
      as_str_printf(to, "%lld", (long long)value[i]);
    else
      as_str_addn(to, line + at, n ? n : 1);
    at += n ? n : 1;
  }
}

char *as_batch_at_values(const char *text, const as_import_known *known, const int64_t *value) {
  static const char sizes[] = "sizes ";
  static const char where[] = "where ";
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "");
  for (const char *at = text; *at;) {
    size_t indent = strspn(at, " ");
    size_t length = strcspn(at, "\n");
    if (strncmp(at + indent, "use ", 4) == 0)
      as_str_addn(&out, at, length);
    else if (strncmp(at + indent, sizes, strlen(sizes)) != 0)
      add_line(&out, at, length, strncmp(at + indent, where, strlen(where)) == 0, known, value);
    as_str_add(&out, "\n");
    at += length + (at[length] != 0);
  }
  return as_str_take(&out);
}

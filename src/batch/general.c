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

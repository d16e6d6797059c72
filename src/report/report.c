/* Items of reports: their texts and lists. */
#include "report.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void as_report_init(as_report_item *item, const char *name, const char *verdict,
                    as_report_state state) {
  memset(item, 0, sizeof *item);
  item->mem = as_arena_new();
  item->name = as_report_keep(item, name);
  item->verdict = as_report_keep(item, verdict);
  item->state = state;
  item->seconds = -1;
  as_vec_init(&item->facts, sizeof(as_report_fact));
  as_vec_init(&item->parts, sizeof(as_report_part));
  as_vec_init(&item->notes, sizeof(as_report_part));
  as_vec_init(&item->relied, sizeof(as_report_relied));
  as_vec_init(&item->kernels, sizeof(as_report_fact));
  as_vec_init(&item->files, sizeof(const char *));
  as_vec_init(&item->cex.sizes, sizeof(as_report_fact));
  as_vec_init(&item->cex.inputs, sizeof(as_report_values));
}

void as_report_clear(as_report_item *item) {
  if (item->mem == NULL)
    return;
  as_vec *lists[] = {&item->facts,     &item->parts,      &item->notes,   &item->relied,
                     &item->cex.sizes, &item->cex.inputs, &item->kernels, &item->files};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    as_vec_clear(lists[i]);
  as_arena_free(item->mem);
  memset(item, 0, sizeof *item);
}

const char *as_report_keep(as_report_item *item, const char *text) {
  return text ? as_arena_strdup(item->mem, text) : NULL;
}

void as_report_row(as_report_item *item, as_report_state state, const char *what, const char *fmt,
                   ...) {
  va_list args;
  va_list again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  char *words = as_arena_alloc(item->mem, (size_t)n + 1);
  vsnprintf(words, (size_t)n + 1, fmt, again);
  va_end(again);
  va_end(args);
  as_report_fact fact = {state, as_report_keep(item, what), words};
  as_vec_push(&item->facts, &fact);
}

void as_report_add_kernel(as_report_item *item, const char *what, const char *words) {
  as_report_fact fact = {AS_REPORT_PLAIN, as_report_keep(item, what), as_report_keep(item, words)};
  as_vec_push(&item->kernels, &fact);
}

void as_report_add_file(as_report_item *item, const char *name) {
  const char *kept = as_report_keep(item, name);
  as_vec_push(&item->files, &kept);
}

static void part(as_report_item *item, as_vec *list, const char *title, const char *text,
                 const char *dot) {
  as_report_part each = {as_report_keep(item, title), as_report_keep(item, text),
                         as_report_keep(item, dot)};
  as_vec_push(list, &each);
}

void as_report_add_part(as_report_item *item, const char *title, const char *text,
                        const char *dot) {
  part(item, &item->parts, title, text, dot);
}

void as_report_add_note(as_report_item *item, const char *title, const char *text) {
  part(item, &item->notes, title, text, NULL);
}

void as_report_add_relied(as_report_item *item, const char *name, const char *sha256,
                          const char *text) {
  as_report_relied relied = {as_report_keep(item, name), as_report_keep(item, sha256),
                             as_report_keep(item, text)};
  as_vec_push(&item->relied, &relied);
}

void as_report_add_axes(as_report_item *item, const char *name, const char *extents) {
  as_report_fact fact = {AS_REPORT_PLAIN, as_report_keep(item, name),
                         as_report_keep(item, extents)};
  as_vec_push(&item->cex.sizes, &fact);
}

void as_report_add_size(as_report_item *item, const char *name, int64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)value);
  as_report_add_axes(item, name, number);
}

void as_report_add_input(as_report_item *item, const char *name, const int64_t *dim, uint32_t rank,
                         const char *const *value, size_t n) {
  int64_t *copied = as_arena_alloc(item->mem, (rank + 1) * sizeof *copied);
  const char **copy = as_arena_alloc(item->mem, (n + 1) * sizeof *copy);
  for (uint32_t i = 0; i < rank; i++)
    copied[i] = dim[i];
  for (size_t i = 0; i < n; i++)
    copy[i] = as_report_keep(item, value[i]);
  as_report_values values = {as_report_keep(item, name), rank, copied, copy, n};
  as_vec_push(&item->cex.inputs, &values);
}

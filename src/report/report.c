/* Items of reports: their texts and lists. */
#include "report.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void as_report_init(as_report_item *it, const char *name, const char *verdict,
                    as_report_state state) {
  memset(it, 0, sizeof *it);
  it->mem = as_arena_new();
  it->name = as_report_keep(it, name);
  it->verdict = as_report_keep(it, verdict);
  it->state = state;
  it->seconds = -1;
  as_vec_init(&it->facts, sizeof(as_report_fact));
  as_vec_init(&it->parts, sizeof(as_report_part));
  as_vec_init(&it->notes, sizeof(as_report_part));
  as_vec_init(&it->relied, sizeof(as_report_relied));
  as_vec_init(&it->cex.sizes, sizeof(as_report_fact));
  as_vec_init(&it->cex.inputs, sizeof(as_report_values));
}

void as_report_clear(as_report_item *it) {
  if (it->mem == NULL)
    return;
  as_vec *v[] = {&it->facts, &it->parts, &it->notes, &it->relied, &it->cex.sizes, &it->cex.inputs};
  for (size_t i = 0; i < sizeof v / sizeof *v; i++)
    as_vec_clear(v[i]);
  as_arena_free(it->mem);
  memset(it, 0, sizeof *it);
}

const char *as_report_keep(as_report_item *it, const char *text) {
  return text ? as_arena_strdup(it->mem, text) : NULL;
}

void as_report_row(as_report_item *it, as_report_state state, const char *what, const char *fmt,
                   ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *words = as_arena_alloc(it->mem, (size_t)n + 1);
  vsnprintf(words, (size_t)n + 1, fmt, again);
  va_end(again);
  va_end(ap);
  as_report_fact f = {state, as_report_keep(it, what), words};
  as_vec_push(&it->facts, &f);
}

static void part(as_report_item *it, as_vec *list, const char *title, const char *text,
                 const char *dot) {
  as_report_part p = {as_report_keep(it, title), as_report_keep(it, text), as_report_keep(it, dot)};
  as_vec_push(list, &p);
}

void as_report_add_part(as_report_item *it, const char *title, const char *text, const char *dot) {
  part(it, &it->parts, title, text, dot);
}

void as_report_add_note(as_report_item *it, const char *title, const char *text) {
  part(it, &it->notes, title, text, NULL);
}

void as_report_add_relied(as_report_item *it, const char *name, const char *sha256,
                          const char *text) {
  as_report_relied r = {as_report_keep(it, name), as_report_keep(it, sha256),
                        as_report_keep(it, text)};
  as_vec_push(&it->relied, &r);
}

void as_report_add_axes(as_report_item *it, const char *name, const char *extents) {
  as_report_fact f = {AS_REPORT_PLAIN, as_report_keep(it, name), as_report_keep(it, extents)};
  as_vec_push(&it->cex.sizes, &f);
}

void as_report_add_size(as_report_item *it, const char *name, int64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)value);
  as_report_add_axes(it, name, number);
}

void as_report_add_input(as_report_item *it, const char *name, const int64_t *dim, uint32_t rank,
                         const char *const *value, size_t n) {
  int64_t *d = as_arena_alloc(it->mem, (rank + 1) * sizeof *d);
  const char **copy = as_arena_alloc(it->mem, (n + 1) * sizeof *copy);
  for (uint32_t i = 0; i < rank; i++)
    d[i] = dim[i];
  for (size_t i = 0; i < n; i++)
    copy[i] = as_report_keep(it, value[i]);
  as_report_values v = {as_report_keep(it, name), rank, d, copy, n};
  as_vec_push(&it->cex.inputs, &v);
}

/* What report.json says of a search, beside the verdict. */
#include "about.h"
#include "src/report/judged.h"
#include <stdlib.h>
#include <string.h>

json_t *as_about_search(const as_search_result *found, const as_candidate *chosen,
                        const as_lowered *lowered, const as_target *target) {
  const as_search_stats *stats = &found->stats;
  json_t *tiling = json_object();
  if (chosen->n_tiling) {
    const as_graph *graph = chosen->graph;
    for (uint32_t i = 0; i < graph->n_own_size; i++) {
      as_size size = graph->own_size[i];
      json_object_set_new(tiling, as_size_name(graph->sizes, size),
                          json_integer(as_size_value(graph->sizes, size)));
    }
    json_object_set_new(tiling, "model_us", json_real(chosen->us));
  }
  json_t *about = json_pack(
      "{s:s, s:s, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:f}, s:o, s:o, s:i}", "target", target->gpu,
      "arch", target->arch, "statistics", as_report_stats_json(), "search", "states",
      (json_int_t)stats->states, "candidates", (json_int_t)stats->candidates, "tested",
      (json_int_t)stats->tested, "certified", (json_int_t)stats->certified, "failed_late",
      (json_int_t)(stats->unproved + stats->replay_failed), "seconds", stats->seconds, "tiling",
      tiling, "kernels", as_report_kernels_json(lowered), "kernel_count", (int)chosen->kernels);
  if (target->rounded)
    json_object_set_new(about, "tf32", json_string(target->rounded));
  if (target->library != AS_LIBRARY_NEVER)
    json_object_set_new(about, "library", json_string(as_library_use_word(target->library)));
  return about;
}

json_t *as_about_tile(const as_saturated_tile *tile, const as_lowered *lowered,
                      const as_target *target) {
  return json_pack("{s:s, s:s, s:o, s:s, s:{s:f}, s:o, s:i}", "target", target->gpu, "arch",
                   target->arch, "statistics", as_report_stats_json(), "found_by", "saturation",
                   "tiling", "model_us", tile->us, "kernels", as_report_kernels_json(lowered),
                   "kernel_count", (int)tile->kernels);
}

/* what a report says of itself under that key; NULL: nothing */
static const char *recorded(json_t *report, const char *key) {
  return json_string_value(json_object_get(report, key));
}

const as_target *as_about_target(const char *dir, const char *arch, const char *library,
                                 const char *tf32, as_err *err) {
  char *path = dir ? as_format("%s/report.json", dir) : NULL;
  json_t *report = dir ? as_report_dir_json(dir) : NULL;
  const char *name = arch ? arch : recorded(report, "target");
  const char *word = library ? library : recorded(report, "library");
  const as_target *target = name ? as_target_find(name, err) : as_target_default();
  as_library_use use = AS_LIBRARY_NEVER;
  if (target && word && !as_library_use_find(word, &use)) {
    as_err_set(err, AS_BAD_INPUT, "%s: calls of a library: `%s` is none of " AS_LIBRARY_WORDS, path,
               word);
    target = NULL;
  }
  if (target)
    target =
        as_target_rounding(as_target_using(target, use), tf32 ? tf32 : recorded(report, "tf32"));
  json_decref(report);
  free(path);
  return target;
}

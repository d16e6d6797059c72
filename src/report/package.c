/* What a result directory holds (judged.h), collected from a judged case. */
#include "judged.h"
#include "src/base/file.h"
#include <stdlib.h>
#include <string.h>

/* the `use` path among these by which a file at `from` read this file, or NULL.  The copy must find
 * it at the same place. */
static const char *use_path(const char *const *use, uint32_t n, const char *from,
                            const char *file) {
  const char *slash = strrchr(from, '/');
  for (uint32_t i = 0; i < n; i++) {
    bool rooted = use[i][0] == '/' || slash == NULL;
    char *whole =
        rooted ? as_strdup(use[i]) : as_format("%.*s/%s", (int)(slash - from), from, use[i]);
    bool same = strcmp(whole, file) == 0;
    free(whole);
    if (same)
      return use[i];
  }
  return NULL;
}

/* by which the case read this file */
static const char *used_as(const as_judged *judged, const char *file) {
  const as_graph *program = judged->program;
  const as_graph *graph = judged->graph;
  if (judged->rules) {
    uint32_t n;
    const char *const *use = as_rulefile_uses(judged->rules, &n);
    return use_path(use, n, judged->given.name, file);
  }
  if (program == NULL) {
    program = judged->declared[0];
    graph = judged->declared[1];
  }
  const char *used =
      use_path((const char *const *)program->use, program->n_use, judged->given.name, file);
  if (used == NULL && graph && graph->program == NULL && judged->candidate.name)
    used = use_path((const char *const *)graph->use, graph->n_use, judged->candidate.name, file);
  return used;
}

static const as_report_file *file_named(const as_report_dir *dir, const char *name) {
  for (size_t i = 0; i < dir->file.n; i++) {
    const as_report_file *file = &AS_VEC_AT(&dir->file, as_report_file, i);
    if (strcmp(file->name, name) == 0)
      return file;
  }
  return NULL;
}

static bool holds(const as_report_dir *dir, const char *name, const as_source *source) {
  const as_report_file *file = file_named(dir, name);
  return file && file->n == source->len && memcmp(file->data, source->text, file->n) == 0;
}

/* the name in the directory; malloc'ed, NULL with err */
static char *kept_name(const as_judged *judged, const as_source *source, const as_report_dir *dir,
                       as_err *err) {
  const char *base = as_file_name(source->name);
  const char *used = used_as(judged, source->name);
  if (used) {
    if (as_path_is_below(used) && (!as_report_dir_has(dir, used) || holds(dir, used, source)))
      return as_strdup(used);
    as_err_set(err, AS_BAD_INPUT,
               "`use \"%s\"`: a result directory can hold only files below the program's folder",
               used);
    return NULL;
  }
  char *name = as_format("semantics/%s", base);
  for (unsigned k = 2; as_report_dir_has(dir, name) && !holds(dir, name, source); k++) {
    free(name);
    name = as_format("semantics/%u-%s", k, base);
  }
  return name;
}

bool as_report_add_specifications(const as_judged *judged, as_report_dir *dir, as_err *err) {
  uint32_t n;
  const as_source *source = as_oplib_sources(judged->lib, &n);
  for (uint32_t i = 0; i < n; i++) {
    char *name = kept_name(judged, &source[i], dir, err);
    if (name == NULL)
      return false;
    if (!as_report_dir_has(dir, name))
      as_report_dir_add(dir, name, source[i].text, source[i].len);
    free(name);
  }
  return true;
}

/* ---- the pages: what they are made from, and a row each, in the order in which they are written
 */
typedef struct {
  const as_judged *judged;
  const as_verdict *verdict;
  const as_report_words *words;
  const as_lowered *lowered;
  const as_report_dir *files; /* all that are there already */
  void *extra;
} page_source;

/* the values of the candidate's own sizes */
static void add_tiles(as_report_item *item, const as_graph *graph) {
  int64_t *value = as_graph_size_values(graph);
  as_str words;
  as_str_init(&words);
  for (uint32_t i = 0; i < graph->n_own_size && graph->program; i++) {
    as_size size = graph->own_size[i];
    if (value[size] >= 0)
      as_str_printf(&words, "%s%s = %lld", words.n ? ", " : "", as_size_name(graph->sizes, size),
                    (long long)value[size]);
  }
  if (words.n)
    as_report_add_kernel(item, "Tiles", words.s);
  as_str_clear(&words);
  free(value);
}

static void add_kernels(as_report_item *item, const as_lowered *lowered) {
  for (uint32_t i = 0; i < lowered->n_kernel; i++) {
    const as_lower_kernel *kernel = &lowered->kernel[i];
    char *words = as_report_kernel_words(kernel);
    char *what = as_format("%s %s", kernel->library ? "Call" : "Kernel", kernel->name);
    as_report_add_kernel(item, what, words);
    free(what);
    free(words);
  }
}

/* the file's name without its folder and its last ending */
static char *name_of_file(const char *path) {
  const char *base = as_file_name(path);
  const char *dot = strrchr(base, '.');
  return as_format("%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

char *as_report_judged_name(const as_judged *judged, int which) {
  const as_graph *graph = which ? judged->graph : judged->program;
  if (graph)
    return as_strdup(graph->name);
  if (judged->declared[which] == NULL)
    return NULL;
  const char *own = judged->declared[which]->name;
  return own[0] ? as_strdup(own)
                : name_of_file(which ? as_report_candidate_file(judged)
                                     : as_report_given_file(judged));
}

const char *as_report_given_file(const as_judged *judged) {
  bool tile = judged->program == NULL && as_ends_with(judged->given.name, ".tile");
  return tile ? "program.tile" : "program.tp";
}

const char *as_report_candidate_file(const as_judged *judged) {
  bool graph = judged->graph && judged->graph->program;
  return judged->tile ? "candidate.tile" : graph ? "candidate.mug" : "candidate.tp";
}

char *as_report_page(const as_judged *judged, const as_verdict *verdict,
                     const as_report_words *words, const as_lowered *lowered) {
  as_report_item item;
  as_report_judged(judged, verdict, words, &item);
  if (judged->graph)
    add_tiles(&item, judged->graph);
  if (lowered)
    add_kernels(&item, lowered);
  as_report_add_file(&item, as_report_given_file(judged));
  as_report_add_file(&item, as_report_candidate_file(judged));
  if (verdict->proof.verdict == AS_PROVED)
    as_report_add_file(&item, "certificate.cert");
  if (lowered)
    as_report_add_file(&item, "kernel.cu");
  as_report_add_file(&item, "report.json");
  char *html = as_report_html(&item);
  as_report_clear(&item);
  return html;
}

static char *html_page(const page_source *from) {
  return as_report_page(from->judged, from->verdict, from->words, from->lowered);
}

/* the last: it has the hashes of all others */
static char *json_page(const page_source *from) {
  return as_report_json(from->judged, from->verdict, from->words, from->files, from->extra);
}

static const struct {
  const char *name;
  char *(*write)(const page_source *from); /* malloc'ed */
} pages[] = {{"report.html", html_page}, {"report.json", json_page}};

static void add_pages(as_report_dir *dir, const page_source *from) {
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    char *text = pages[i].write(from);
    as_report_dir_add(dir, pages[i].name, text, strlen(text));
    free(text);
  }
}

bool as_report_collect(const as_judged *judged, const as_verdict *verdict,
                       const as_report_words *words, const as_lowered *lowered, void *extra,
                       as_report_dir *dir, as_err *err) {
  as_report_dir_add(dir, as_report_given_file(judged), judged->given.text, judged->given.len);
  as_report_dir_add(dir, as_report_candidate_file(judged), judged->candidate.text,
                    judged->candidate.len);
  if (verdict->proof.cert)
    as_report_dir_add(dir, "certificate.cert", verdict->proof.cert, verdict->proof.cert_len);
  if (lowered)
    as_report_dir_add(dir, "kernel.cu", lowered->cuda, strlen(lowered->cuda));
  if (verdict->queries_text)
    as_report_dir_add(dir, "obligations.smt2", verdict->queries_text,
                      strlen(verdict->queries_text));
  bool ok = as_report_add_specifications(judged, dir, err);
  add_pages(dir, &(page_source){judged, verdict, words, lowered, dir, extra});
  return ok;
}

bool as_report_package(const char *dir, bool force, const as_judged *judged,
                       const as_verdict *verdict, const as_report_words *words,
                       const as_lowered *lowered, void *extra, as_err *err) {
  as_report_dir result;
  as_report_dir_init(&result);
  bool ok = as_report_collect(judged, verdict, words, lowered, extra, &result, err) &&
            as_report_dir_write(&result, dir, force, err);
  as_report_dir_clear(&result);
  return ok;
}

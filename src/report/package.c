/* What a result directory holds (judged.h), collected from a judged case. */
#include "judged.h"
#include <stdlib.h>
#include <string.h>

/* the `use` path by which a program read this file, or NULL.  The copy of the program must find it
 * at the same place. */
static const char *use_path(const as_graph *g, const char *from, const char *file) {
  const char *slash = strrchr(from, '/');
  for (uint32_t i = 0; g && i < g->n_use; i++) {
    bool rooted = g->use[i][0] == '/' || slash == NULL;
    char *whole =
        rooted ? as_strdup(g->use[i]) : as_format("%.*s/%s", (int)(slash - from), from, g->use[i]);
    bool same = strcmp(whole, file) == 0;
    free(whole);
    if (same)
      return g->use[i];
  }
  return NULL;
}

/* the name in the directory; malloc'ed, NULL with err */
static char *kept_name(const as_judged *judged, const char *file, const as_report_dir *r,
                       as_err *err) {
  const char *slash = strrchr(file, '/');
  const char *base = slash ? slash + 1 : file;
  const char *used = use_path(judged->program, judged->given.name, file);
  if (used == NULL && judged->graph && judged->graph->program == NULL && judged->candidate.name)
    used = use_path(judged->graph, judged->candidate.name, file);
  if (used && (!as_path_is_below(used) || as_report_dir_has(r, used))) {
    as_err_set(err, AS_BAD_INPUT,
               "`use \"%s\"`: a result directory can hold only files below the program's folder",
               used);
    return NULL;
  }
  char *name = used ? as_strdup(used) : as_format("semantics/%s", base);
  for (unsigned k = 2; !used && as_report_dir_has(r, name); k++) {
    free(name);
    name = as_format("semantics/%u-%s", k, base);
  }
  return name;
}

static bool add_specifications(const as_judged *judged, as_report_dir *r, as_err *err) {
  uint32_t n;
  const as_source *source = as_oplib_sources(judged->lib, &n);
  for (uint32_t i = 0; i < n; i++) {
    char *name = kept_name(judged, source[i].name, r, err);
    if (name == NULL)
      return false;
    as_report_dir_add(r, name, source[i].text, source[i].len);
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
  const as_report_dir *files; /* all that are there already */
  void *extra;
} page_source;

static char *html_page(const page_source *from) {
  as_report_item item;
  as_report_judged(from->judged, from->verdict, from->words, &item);
  char *html = as_report_html(&item);
  as_report_clear(&item);
  return html;
}

/* the last: it has the hashes of all others */
static char *json_page(const page_source *from) {
  return as_report_json(from->judged, from->verdict, from->files, from->extra);
}

static const struct {
  const char *name;
  char *(*write)(const page_source *from); /* malloc'ed */
} pages[] = {{"report.html", html_page}, {"report.json", json_page}};

static void add_pages(as_report_dir *r, const page_source *from) {
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    char *text = pages[i].write(from);
    as_report_dir_add(r, pages[i].name, text, strlen(text));
    free(text);
  }
}

bool as_report_collect(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                       const char *kernel, void *extra, as_report_dir *r, as_err *err) {
  as_report_dir_add(r, "program.tp", judged->given.text, judged->given.len);
  as_report_dir_add(r, judged->graph->program ? "candidate.mug" : "candidate.tp",
                    judged->candidate.text, judged->candidate.len);
  if (v->proof.cert)
    as_report_dir_add(r, "certificate.cert", v->proof.cert, v->proof.cert_len);
  if (kernel)
    as_report_dir_add(r, "kernel.cu", kernel, strlen(kernel));
  if (v->queries_text)
    as_report_dir_add(r, "obligations.smt2", v->queries_text, strlen(v->queries_text));
  bool ok = add_specifications(judged, r, err);
  add_pages(r, &(page_source){judged, v, words, r, extra});
  return ok;
}

bool as_report_package(const char *dir, bool force, const as_judged *judged, const as_verdict *v,
                       const as_report_words *words, const char *kernel, void *extra, as_err *err) {
  as_report_dir r;
  as_report_dir_init(&r);
  bool ok = as_report_collect(judged, v, words, kernel, extra, &r, err) &&
            as_report_dir_write(&r, dir, force, err);
  as_report_dir_clear(&r);
  return ok;
}

/* `assay certify PROGRAM.tp --from FORMAT FILE`: every candidate of a file that another program
 * wrote, each judged on its own. */
#include "export.h"
#include "progress.h"
#include "src/import/import.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const cli_opts *o;
  as_import *file;
  as_job given; /* the program, and the specifications that all graphs are read with */
  bool table;   /* on standard output, a line a graph */
  cli_progress progress;
  uint32_t count[AS_N_ANSWERS];
  uint32_t uncertified;
  uint32_t unwritten;
  as_report_dir result;
  as_str batch; /* for assay-check --batch */
  json_t *rows;
  as_report_junit *junit;
  as_vec items; /* as_report_item, for report.html; collected where a directory is written */
  cli_export *export;
} imported;

/* a graph as it was judged; that cannot be read or expressed is UNKNOWN with the reason */
typedef struct {
  size_t number;
  as_job job;
  as_judged judged;
  as_verdict verdict;
  as_report_words words;
  as_answer answer;
  const char *why;
  double seconds;
} graph;

static void add_files(imported *m, const char *folder, const as_report_dir *from, bool cert) {
  for (size_t i = 0; i < from->file.n; i++) {
    const as_report_file *f = &AS_VEC_AT(&from->file, as_report_file, i);
    char *name = as_format("%s/%s", folder, f->name);
    as_report_dir_add(&m->result, name, f->data, f->n);
    free(name);
  }
  if (cert) {
    as_str_printf(&m->batch, "%s/program.tp %s/candidate.mug %s/certificate.cert\n", folder, folder,
                  folder);
  }
}

static uint32_t kernels(const graph *g) {
  return g->job.graph ? as_graph_kernels(g->job.graph) : 0;
}

static void print_row(const imported *m, const graph *g) {
  const as_verdict *v = &g->verdict;
  bool proved = g->answer == AS_ANSWER_PROVED;
  cli_progress_wipe(&m->progress);
  printf("%5zu  %7u  %-8s %7.3f s%s%s\n", g->number, kernels(g), as_answer_word(g->answer),
         g->seconds, g->why && !proved ? "  " : "", g->why && !proved ? g->why : "");
  if (proved && g->words.implied)
    printf("       the program is defined only where %s\n", g->words.implied);
  if (proved && !v->certified)
    printf("       NOT CERTIFIED: %s\n", g->why ? g->why : "");
  if (g->answer == AS_ANSWER_REFUTED && v->cex_words)
    printf("%s\n", v->cex_words);
  if (g->answer == AS_ANSWER_UNKNOWN && v->proof.goal) {
    printf("       goal %s\n       %s\n       %s\n", v->proof.goal,
           v->proof.left ? v->proof.left : "", v->proof.right ? v->proof.right : "");
  }
  if (m->o->verbose && g->job.candidate.text)
    fputs(g->job.candidate.text, stdout);
  fflush(stdout);
}

static json_t *json_row(const graph *g) {
  const as_verdict *v = &g->verdict;
  json_t *r = json_pack(
      "{s:I, s:i, s:s, s:b, s:f, s:s*, s:s*, s:s*, s:s*}", "graph", (json_int_t)g->number,
      "kernels", (int)kernels(g), "verdict", as_answer_word(g->answer), "certified", v->certified,
      "seconds", g->seconds, "reason", g->why, "candidate", g->job.candidate.text, "theorem",
      g->answer == AS_ANSWER_PROVED ? v->theorem : NULL, "counterexample", v->cex_words);
  if (r && v->proof.goal) {
    json_object_set_new(r, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", v->proof.goal, "left", v->proof.left,
                                  "right", v->proof.right));
  }
  return r ? r : json_null();
}

static bool was_judged(const graph *g) {
  return g->job.graph && g->verdict.answer != AS_ANSWER_UNREADABLE;
}

static void report(imported *m, const graph *g) {
  as_report_item *it = as_vec_push(&m->items, NULL);
  char *name = as_format("graph %zu", g->number);
  if (was_judged(g)) {
    as_report_judged(&g->judged, &g->verdict, &g->words, it);
  } else {
    as_report_init(it, name, as_answer_word(AS_ANSWER_UNKNOWN), AS_REPORT_OPEN);
    it->reason = as_report_keep(it, g->why);
    if (g->job.candidate.text)
      as_report_add_part(it, "Candidate", g->job.candidate.text, NULL);
  }
  it->name = as_report_keep(it, name);
  it->seconds = g->seconds;
  free(name);
}

static void judge(imported *m, graph *g, as_err *err) {
  const as_job_text *program = &m->given.given;
  char *label = as_format("%s#%zu", m->o->arg[1], g->number);
  char *mug = NULL;
  as_job_init(&g->job, as_oplib_again(m->given.lib, err));
  if (g->job.lib &&
      as_job_take_program(&g->job, program->name, as_strdup(program->text), program->len, err))
    mug = as_import_mug(m->file, g->number, g->job.program, err);
  if (mug && as_job_take_candidate(&g->job, label, mug, strlen(mug), err)) {
    g->judged = as_job_judged(&g->job);
    as_judge(&g->judged, &m->o->policy, &g->verdict);
  }
  free(label);
}

/* false with err: the directory cannot hold the files */
static bool leave(imported *m, const graph *g, as_err *err) {
  report(m, g);
  if (!was_judged(g))
    return true;
  char *folder = as_format("graph-%03zu", g->number);
  as_report_dir files;
  as_report_dir_init(&files);
  bool ok = as_report_collect(&g->judged, &g->verdict, &g->words, NULL, NULL, &files, err);
  add_files(m, folder, &files, g->verdict.checked);
  as_report_dir_clear(&files);
  free(folder);
  return ok;
}

static bool one(imported *m, size_t number, as_err *fatal) {
  graph g = {.number = number};
  as_verdict_init(&g.verdict);
  as_err err;
  as_err_init(&err);
  double start = as_now();
  cli_progress_count(&m->progress, "graphs", number, as_import_count(m->file));
  judge(m, &g, &err);
  as_report_words_of(&g.verdict, m->o->out != NULL, &g.words);
  as_verdict_release(&g.verdict);
  char *unread = err.status != AS_OK ? as_err_format(&err) : NULL;
  g.answer = was_judged(&g) ? g.verdict.answer : AS_ANSWER_UNKNOWN;
  g.why = unread ? unread : g.verdict.why;
  g.seconds = as_now() - start;
  m->count[g.answer]++;
  m->uncertified += g.answer == AS_ANSWER_PROVED && !g.verdict.certified;
  if (m->table)
    print_row(m, &g);
  json_array_append_new(m->rows, json_row(&g));
  char *name = as_format("graph %zu", number);
  as_report_junit_judged(m->junit, m->o->arg[1], name, g.seconds, g.why,
                         was_judged(&g) ? &g.verdict : NULL);
  free(name);
  if (was_judged(&g))
    m->unwritten += !cli_export_add(m->export, &g.judged, &g.verdict);
  bool ok = m->o->out == NULL || leave(m, &g, fatal);
  free(unread);
  as_report_words_clear(&g.words);
  as_verdict_clear(&g.verdict);
  as_job_clear(&g.job);
  as_err_clear(&err);
  return ok;
}

static char *summary_json(imported *m, double seconds) {
  json_t *o =
      json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:o, s:O}", "format", "assay-import 2",
                "program", m->o->arg[0], "file", m->o->arg[1], "proved",
                (int)m->count[AS_ANSWER_PROVED], "refuted", (int)m->count[AS_ANSWER_REFUTED],
                "unknown", (int)m->count[AS_ANSWER_UNKNOWN], "not_certified", (int)m->uncertified,
                "seconds", seconds, "statistics", as_report_stats_json(), "graphs", m->rows);
  char *text = as_report_json_text(o, m->o->out ? &m->result : NULL);
  json_decref(o);
  return text;
}

/* all but report.json, which has their hashes; the directory needs nothing beside it */
static bool collect(imported *m, double seconds, as_err *err) {
  const cli_opts *o = m->o;
  char *about =
      as_format("Candidates of %s, each judged against the program %s", o->arg[1], o->arg[0]);
  const char *slash = strrchr(o->arg[1], '/');
  char *html = as_report_batch_html(
      &(as_report_batch){slash ? slash + 1 : o->arg[1], about, seconds}, m->items.data, m->items.n);
  as_report_dir_add(&m->result, "report.html", html, strlen(html));
  as_report_dir_add(&m->result, "batch", m->batch.s ? m->batch.s : "", m->batch.n);
  as_judged given = as_job_judged(&m->given);
  free(about);
  free(html);
  return as_report_add_specifications(&given, &m->result, err);
}

static bool finish(imported *m, double seconds, as_err *err) {
  const cli_opts *o = m->o;
  bool ok = o->out == NULL || collect(m, seconds, err);
  char *json = summary_json(m, seconds);
  if (ok && o->out) {
    as_report_dir_add(&m->result, "report.json", json, strlen(json));
    ok = as_report_dir_write(&m->result, o->out, o->force, err);
  }
  ok = ok && cli_export_write(m->export, err) && as_report_junit_write(m->junit, o->junit, err);
  if (ok && o->json)
    fputs(json, stdout);
  if (ok && !o->json) {
    printf("%u proved, %u refuted, %u unknown in %.1f s\n", m->count[AS_ANSWER_PROVED],
           m->count[AS_ANSWER_REFUTED], m->count[AS_ANSWER_UNKNOWN], seconds);
  }
  if (ok && (o->verbose || o->stats) && !o->json)
    as_report_print_stats();
  free(json);
  return ok;
}

static void clear(imported *m) {
  as_report_junit_free(m->junit);
  cli_export_free(m->export);
  as_import_free(m->file);
  as_job_clear(&m->given);
  json_decref(m->rows);
  as_report_dir_clear(&m->result);
  as_str_clear(&m->batch);
  for (size_t i = 0; i < m->items.n; i++)
    as_report_clear(&AS_VEC_AT(&m->items, as_report_item, i));
  as_vec_clear(&m->items);
}

int cli_import(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  imported m = {.o = o,
                .table = !o->json && !o->quiet,
                .rows = json_array(),
                .junit = o->junit ? as_report_junit_new(o->arg[0]) : NULL,
                .export = cli_export_new(o)};
  as_report_dir_init(&m.result);
  as_str_init(&m.batch);
  as_vec_init(&m.items, sizeof(as_report_item));
  cli_progress_init(&m.progress, !m.table);
  double start = as_now();
  as_job_init(&m.given, cli_library(o, &err));
  bool ok = m.given.lib && as_job_read_program(&m.given, o->arg[0], &err) &&
            (m.file = as_import_read(as_import_format_named(o->from), o->arg[1], &err)) != NULL &&
            (o->out == NULL || as_report_dir_place(o->out, o->force, &err));
  if (ok && m.table)
    printf("graph  kernels  verdict     time\n");
  for (size_t i = 0; ok && i < as_import_count(m.file); i++)
    ok = one(&m, i, &err);
  cli_progress_end(&m.progress);
  ok = ok && finish(&m, as_now() - start, &err);
  int status = !ok                                           ? cli_fail(&err)
               : m.count[AS_ANSWER_REFUTED]                  ? AS_NO
               : m.count[AS_ANSWER_UNKNOWN] || m.uncertified ? AS_UNKNOWN
               : m.unwritten                                 ? AS_BAD_INPUT
                                                             : AS_OK;
  clear(&m);
  as_err_clear(&err);
  return status;
}

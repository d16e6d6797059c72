/* `assay certify PROGRAM.tp --from FORMAT FILE`: every candidate of a file that another program
 * wrote, each judged on its own. */
#include "export.h"
#include "src/import/mirage.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"};

typedef struct {
  const cli_opts *o;
  as_mirage *file;
  ck_text spec;
  bool table; /* on standard output, a line a graph */
  uint32_t count[3];
  uint32_t uncertified;
  uint32_t unwritten;
  as_report_dir result;
  as_str batch; /* for assay-check --batch */
  json_t *rows;
  as_report_junit *junit;
  as_vec items; /* as_report_item, for report.html; collected where a directory is written */
  cli_export *export;
} import;

static void add_files(import *m, const char *folder, const as_report_dir *from, bool cert) {
  for (size_t i = 0; i < from->file.n; i++) {
    const as_report_file *f = &AS_VEC_AT(&from->file, as_report_file, i);
    char *name = as_format("%s/%s", folder, f->name);
    as_report_dir_add(&m->result, name, f->data, f->n);
    free(name);
  }
  if (cert) {
    as_str_printf(&m->batch, "%s/%s/program.tp %s/%s/candidate.mug %s/%s/certificate.cert\n",
                  m->o->out, folder, m->o->out, folder, m->o->out, folder);
  }
}

static void row(import *m, size_t i, uint32_t kernels, cli_answer answer, bool certified,
                const char *why, double seconds, const char *mug, const cli_verdicts *v) {
  m->count[answer]++;
  m->uncertified += answer == CLI_PROVED && !certified;
  if (m->table) {
    if (isatty(2) == 1) {
      fputs("\r\033[K", stderr);
      fflush(stderr);
    }
    printf("%5zu  %7u  %-8s %7.3f s%s%s\n", i, kernels, words[answer], seconds,
           why && answer != CLI_PROVED ? "  " : "", why && answer != CLI_PROVED ? why : "");
    if (answer == CLI_PROVED && !certified)
      printf("       NOT CERTIFIED: %s\n", why ? why : "");
    if (answer == CLI_REFUTED && v && v->cex_words)
      printf("%s\n", v->cex_words);
    if (answer == CLI_UNKNOWN && v && v->proof.goal) {
      printf("       goal %s\n       %s\n       %s\n", v->proof.goal,
             v->proof.left ? v->proof.left : "", v->proof.right ? v->proof.right : "");
    }
    if (m->o->verbose && mug)
      fputs(mug, stdout);
    fflush(stdout);
  }
  json_t *r = json_pack("{s:I, s:i, s:s, s:b, s:f, s:s*, s:s*, s:s*, s:s*}", "graph", (json_int_t)i,
                        "kernels", (int)kernels, "verdict", words[answer], "certified", certified,
                        "seconds", seconds, "reason", why, "candidate", mug, "theorem",
                        v && answer == CLI_PROVED ? v->theorem : NULL, "counterexample",
                        v ? v->cex_words : NULL);
  if (r && v && v->proof.goal) {
    json_object_set_new(r, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", v->proof.goal, "left", v->proof.left,
                                  "right", v->proof.right));
  }
  json_array_append_new(m->rows, r ? r : json_null());
  char *name = as_format("graph %zu", i);
  as_report_junit_judged(m->junit, m->o->arg[1], name, seconds, why, v);
  free(name);
}

/* the graph in the report of the file; v NULL: it could not be judged, `why` says why */
static void report(import *m, size_t i, const cli_case *c, const cli_verdicts *v, const char *why,
                   double seconds, const char *mug) {
  as_report_item *it = as_vec_push(&m->items, NULL);
  char *name = as_format("graph %zu", i);
  if (v) {
    as_report_judged(c, v, it);
  } else {
    as_report_init(it, name, words[CLI_UNKNOWN], AS_REPORT_OPEN);
    it->reason = as_report_keep(it, why);
    if (mug)
      as_report_add_part(it, "Candidate", mug, NULL);
  }
  it->name = as_report_keep(it, name);
  it->seconds = seconds;
  free(name);
}

/* A graph that cannot be read or expressed is UNKNOWN with the reason; only a failure of Assay
 * itself ends the run. */
static bool one(import *m, size_t i, as_err *fatal) {
  as_err err;
  as_err_init(&err);
  cli_case c;
  cli_verdicts v;
  cli_verdicts_init(&v);
  double start = as_now();
  char *label = as_format("%s#%zu", m->o->arg[1], i);
  char *mug = NULL;
  char *folder = as_format("graph-%03zu", i);
  if (m->table && isatty(2) == 1) {
    fprintf(stderr, "\r\033[K[%zu/%zu]", i, as_mirage_count(m->file));
    fflush(stderr);
  }
  bool loaded = cli_load(m->o, m->o->arg[0], NULL, &c, fatal);
  bool ok = loaded;
  if (loaded) {
    ok = (mug = as_mirage_mug(m->file, i, c.spec, &err)) != NULL &&
         (c.cand = as_parse_mug(label, mug, strlen(mug), c.spec, &err)) != NULL;
    c.cand_path = label;
    ck_text cand = {label, mug, mug ? strlen(mug) : 0};
    ok = ok && cli_judge(m->o, &c, &m->spec, &cand, &v, &err);
    double seconds = as_now() - start;
    if (ok) {
      row(m, i, as_graph_kernels(c.cand), v.answer, v.certified, v.reason, seconds, mug, &v);
    } else {
      char *why = as_err_format(&err);
      row(m, i, c.cand ? as_graph_kernels(c.cand) : 0, CLI_UNKNOWN, false, why, seconds, mug, NULL);
      free(why);
    }
    if (m->o->out) {
      char *why = ok ? NULL : as_err_format(&err);
      report(m, i, &c, ok ? &v : NULL, why, seconds, mug);
      free(why);
    }
    if (ok)
      m->unwritten += !cli_export_add(m->export, &c, &v);
    if (ok && m->o->out) {
      as_report_dir r;
      as_report_dir_init(&r);
      loaded = as_report_collect(&c, &m->spec, &cand, &v, NULL, NULL, &r, fatal);
      add_files(m, folder, &r, v.checked);
      as_report_dir_clear(&r);
    }
  }
  free(label);
  free(folder);
  free(mug);
  cli_verdicts_clear(&v);
  cli_case_clear(&c);
  as_err_clear(&err);
  return loaded;
}

static char *summary_json(import *m, double seconds) {
  json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:O}", "format", "assay-import 1",
                        "program", m->o->arg[0], "file", m->o->arg[1], "proved", (int)m->count[0],
                        "refuted", (int)m->count[1], "unknown", (int)m->count[2], "not_certified",
                        (int)m->uncertified, "seconds", seconds, "graphs", m->rows);
  char *text = json_dumps(o, JSON_INDENT(1));
  char *out = as_format("%s\n", text ? text : "{}");
  free(text);
  json_decref(o);
  return out;
}

int cli_import(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
import m = {.o = o, .table = !o->json && !o->quiet, .rows = json_array(), .junit = o->junit ? as_report_junit_new(o->arg[0]) :NULL };
  as_report_dir_init(&m.result);
  as_str_init(&m.batch);
  as_vec_init(&m.items, sizeof(as_report_item));
  double start = as_now();
  m.spec.name = o->arg[0];
  bool ok = (m.spec.text = as_read_file(o->arg[0], &m.spec.len, &err)) != NULL &&
            (m.file = as_mirage_read(o->arg[1], &err)) != NULL;
  m.export = cli_export_new(o, &m.spec);
  if (ok && o->out)
    ok = as_report_dir_place(o->out, o->force, &err);
  if (ok && m.table)
    printf("graph  kernels  verdict     time\n");
  for (size_t i = 0; ok && i < as_mirage_count(m.file); i++)
    ok = one(&m, i, &err);
  if (ok) {
    double seconds = as_now() - start;
    char *json = summary_json(&m, seconds);
    if (o->json)
      fputs(json, stdout);
    if (!o->json) {
      printf("%u proved, %u refuted, %u unknown in %.1f s\n", m.count[CLI_PROVED],
             m.count[CLI_REFUTED], m.count[CLI_UNKNOWN], seconds);
    }
    if (o->out) {
      char *about =
          as_format("Candidates of %s, each judged against the program %s", o->arg[1], o->arg[0]);
      char *slash = strrchr(o->arg[1], '/');
      char *html =
          as_report_batch_html(&(as_report_batch){slash ? slash + 1 : o->arg[1], about, seconds},
                               m.items.data, m.items.n);
      as_report_dir_add(&m.result, "report.json", json, strlen(json));
      as_report_dir_add(&m.result, "report.html", html, strlen(html));
      free(about);
      free(html);
      as_report_dir_add(&m.result, "batch", m.batch.s ? m.batch.s : "", m.batch.n);
      ok = as_report_dir_write(&m.result, o->out, o->force, &err);
    }
    ok = cli_export_write(m.export, &err) && as_report_junit_write(m.junit, o->junit, &err) && ok;
    free(json);
  }
  as_report_junit_free(m.junit);
  cli_export_free(m.export);
  int status = !ok                                     ? cli_fail(&err)
               : m.count[CLI_REFUTED]                  ? AS_NO
               : m.count[CLI_UNKNOWN] || m.uncertified ? AS_UNKNOWN
               : m.unwritten                           ? AS_BAD_INPUT
                                                       : AS_OK;
  free((char *)m.spec.text);
  as_mirage_free(m.file);
  json_decref(m.rows);
  as_report_dir_clear(&m.result);
  as_str_clear(&m.batch);
  for (size_t i = 0; i < m.items.n; i++)
    as_report_clear(&AS_VEC_AT(&m.items, as_report_item, i));
  as_vec_clear(&m.items);
  as_err_clear(&err);
  return status;
}

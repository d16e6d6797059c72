/* A file of candidates that another program wrote, each judged on its own against one program, by
 * several threads.  They are told in the order of the file, those that a first turn leaves
 * undecided after the others. */
#include "batch.h"
#include "src/base/file.h"
#include "src/base/pool.h"
#include "src/base/progress.h"
#include "src/report/judged.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a graph as it was judged; that cannot be read or expressed is UNKNOWN with the reason */
typedef struct {
  size_t number;
  as_job job;
  as_judged judged;
  as_verdict verdict;
  as_report_words words;
  bool refused; /* it is no graph of its format, whatever the program; why says what is wrong */
  bool fixed;   /* judged at its own sizes alone */
  as_answer answer;
  const char *why;
  char *unread; /* owned: why it could not be read */
  double seconds;
  bool judged_now; /* in this turn */
  bool unfinished; /* another turn may decide it */
} judged_graph;

typedef struct {
  const as_batch_how *how;
  const as_job *given; /* the program, and the specifications that all graphs are read with */
  const char *path;    /* of the candidates */
  as_import *file;
  bool table; /* on standard output, a line a graph */
  as_progress progress;
  uint32_t count[AS_N_ANSWERS];
  uint32_t uncertified;
  uint32_t unwritten;
  as_report_dir result;
  as_str batch; /* for assay-check --batch */
  json_t *rows;
  as_report_junit *junit;
  as_vec items; /* as_report_item, for report.html; collected where a directory is written */
  as_batch_export *written;
  judged_graph *graph; /* all of the file's */
  judged_graph **turn; /* those that have their turn now, and */
  size_t n_turn;
  pthread_mutex_t lock; /* what follows, and all that is told */
  size_t told;          /* of the turn */
  size_t judged;
  as_err *fatal; /* the result directory cannot hold what is left */
  bool failed;
} graph_run;

static void add_files(graph_run *run, const char *folder, const as_report_dir *from, bool cert) {
  for (size_t i = 0; i < from->file.n; i++) {
    const as_report_file *file = &AS_VEC_AT(&from->file, as_report_file, i);
    char *name = as_format("%s/%s", folder, file->name);
    as_report_dir_add(&run->result, name, file->data, file->n);
    free(name);
  }
  if (cert) {
    as_str_printf(&run->batch, "%s/program.tp %s/candidate.mug %s/certificate.cert\n", folder,
                  folder, folder);
  }
}

static uint32_t kernels(const judged_graph *graph) {
  return graph->job.graph ? as_graph_kernels(graph->job.graph) : 0;
}

static void print_row(const graph_run *run, const judged_graph *graph) {
  const as_verdict *verdict = &graph->verdict;
  bool proved = graph->answer == AS_ANSWER_PROVED;
  as_progress_wipe(&run->progress);
  printf("%5zu  %7u  %-8s %7.3f s%s%s\n", graph->number, kernels(graph),
         as_answer_word(graph->answer), graph->seconds, graph->why && !proved ? "  " : "",
         graph->why && !proved ? graph->why : "");
  if (proved && graph->fixed)
    puts("       at the sizes of the program's text alone");
  if (verdict->shadowing)
    printf("       shadowing %s\n", verdict->shadowing);
  if (proved && graph->words.implied)
    printf("       the program is defined only where %s\n", graph->words.implied);
  if (proved && !verdict->certified)
    printf("       NOT CERTIFIED: %s\n", graph->why ? graph->why : "");
  if (graph->answer == AS_ANSWER_REFUTED && verdict->cex_words)
    printf("%s\n", verdict->cex_words);
  if (graph->answer == AS_ANSWER_UNKNOWN && verdict->proof.goal) {
    printf("       goal %s\n       %s\n       %s\n", verdict->proof.goal,
           verdict->proof.left ? verdict->proof.left : "",
           verdict->proof.right ? verdict->proof.right : "");
  }
  if (run->how->verbose && graph->job.candidate.text)
    fputs(graph->job.candidate.text, stdout);
  fflush(stdout);
}

static json_t *json_row(const judged_graph *graph) {
  const as_verdict *verdict = &graph->verdict;
  json_t *row =
      json_pack("{s:I, s:i, s:s, s:b, s:f, s:s*, s:s*, s:s*, s:s*}", "graph",
                (json_int_t)graph->number, "kernels", (int)kernels(graph), "verdict",
                as_answer_word(graph->answer), "certified", verdict->certified, "seconds",
                graph->seconds, "reason", graph->why, "candidate", graph->job.candidate.text,
                "theorem", graph->answer == AS_ANSWER_PROVED ? verdict->theorem : NULL,
                "counterexample", verdict->cex_words);
  if (row && graph->fixed)
    json_object_set_new(row, "at_its_own_sizes", json_true());
  if (row && graph->refused && graph->answer == AS_ANSWER_UNKNOWN)
    json_object_set_new(row, "refused", json_true());
  if (row && verdict->proof.goal) {
    json_object_set_new(row, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", verdict->proof.goal, "left",
                                  verdict->proof.left, "right", verdict->proof.right));
  }
  return row ? row : json_null();
}

static bool was_judged(const judged_graph *graph) {
  return graph->job.graph && graph->verdict.answer != AS_ANSWER_UNREADABLE;
}

static void report(graph_run *run, const judged_graph *graph) {
  as_report_item *item = as_vec_push(&run->items, NULL);
  char *name = as_format("graph %zu", graph->number);
  if (was_judged(graph)) {
    as_report_judged(&graph->judged, &graph->verdict, &graph->words, item);
  } else {
    as_report_init(item, name, as_answer_word(graph->answer),
                   graph->answer == AS_ANSWER_REFUTED ? AS_REPORT_BAD : AS_REPORT_OPEN);
    item->reason = as_report_keep(item, graph->why);
    if (graph->job.candidate.text)
      as_report_add_part(item, "Candidate", graph->job.candidate.text, NULL);
  }
  item->name = as_report_keep(item, name);
  item->seconds = graph->seconds;
  free(name);
}

/* the program with every size fixed to its value, so that a theorem says so; malloc'ed */
static char *at_its_sizes(const as_graph *program, const as_job_text *text) {
  as_str out;
  as_str_init(&out);
  as_str_addn(&out, text->text, text->len);
  const char *before = "\nwhere ";
  for (uint32_t i = 0; i < program->n_own_size; i++) {
    long value = as_size_value(program->sizes, program->own_size[i]);
    if (value < 0)
      continue;
    as_str_printf(&out, "%s%s = %ld", before, as_size_name(program->sizes, program->own_size[i]),
                  value);
    before = ", ";
  }
  as_str_add(&out, "\n");
  return as_str_take(&out);
}

/* Reads the graph with its sizes as symbols or, where that says too little, as numbers beside the
 * program at its own sizes.  What the reader of the format finds wrong is the graph's: it is
 * refused. */
static bool read_graph(const graph_run *run, judged_graph *graph, bool fixed, as_err *err) {
  const as_job_text *program = &run->given->given;
  char *label = as_format("%s#%zu", run->path, graph->number);
  as_job_clear(&graph->job);
  as_job_init(&graph->job, as_oplib_again(run->given->lib, err));
  char *text = fixed ? at_its_sizes(run->given->program, program) : as_strdup(program->text);
  size_t len = fixed ? strlen(text) : program->len;
  if (graph->job.lib == NULL)
    free(text);
  bool taken = graph->job.lib && as_job_take_program(&graph->job, program->name, text, len, err);
  char *mug =
      taken ? as_import_mug(run->file, graph->number, graph->job.program, fixed, err) : NULL;
  graph->refused = taken && mug == NULL;
  graph->fixed = fixed;
  bool ok = mug && as_job_take_candidate(&graph->job, label, mug, strlen(mug), err);
  free(label);
  return ok;
}

static void judge_as_read(const as_policy *policy, judged_graph *graph) {
  as_verdict_clear(&graph->verdict);
  as_verdict_init(&graph->verdict);
  graph->judged = as_job_judged(&graph->job);
  as_judge(&graph->judged, policy, &graph->verdict);
}

/* A graph that is none at symbolic sizes, or that restrains the program's, is still one at its own
 * sizes. */
static void judge(const graph_run *run, const as_policy *policy, judged_graph *graph, as_err *err) {
  if (read_graph(run, graph, false, err)) {
    judge_as_read(policy, graph);
    if (graph->verdict.answer != AS_ANSWER_UNREADABLE || graph->verdict.unfinished)
      return;
  } else if (graph->refused) {
    return;
  }
  as_err_clear(err);
  if (read_graph(run, graph, true, err))
    judge_as_read(policy, graph);
}

/* false with err: the directory cannot hold the files */
static bool leave(graph_run *run, const judged_graph *graph, as_err *err) {
  report(run, graph);
  if (!was_judged(graph))
    return true;
  char *folder = as_format("graph-%03zu", graph->number);
  as_report_dir files;
  as_report_dir_init(&files);
  bool ok =
      as_report_collect(&graph->judged, &graph->verdict, &graph->words, NULL, NULL, &files, err);
  add_files(run, folder, &files, graph->verdict.checked);
  as_report_dir_clear(&files);
  free(folder);
  return ok;
}

static void graph_clear(judged_graph *graph) {
  free(graph->unread);
  as_report_words_clear(&graph->words);
  as_verdict_clear(&graph->verdict);
  as_job_clear(&graph->job);
  *graph = (judged_graph){.number = graph->number};
}

static void judge_one(const graph_run *run, const as_policy *policy, judged_graph *graph) {
  as_verdict_init(&graph->verdict);
  as_err err;
  as_err_init(&err);
  double start = as_now();
  judge(run, policy, graph, &err);
  if (graph->verdict.unfinished) {
    graph_clear(graph);
    graph->unfinished = true;
  } else {
    as_report_words_of(&graph->verdict, run->how->out != NULL, &graph->words);
    as_verdict_release(&graph->verdict);
    graph->unread = err.status != AS_OK ? as_err_format(&err) : NULL;
    graph->answer = was_judged(graph)     ? graph->verdict.answer
                    : err.status == AS_NO ? AS_ANSWER_REFUTED
                                          : AS_ANSWER_UNKNOWN;
    graph->why = graph->unread ? graph->unread : graph->verdict.why;
    graph->seconds = as_now() - start;
  }
  as_err_clear(&err);
}

/* one that is decided: to the table and to all that is left */
static void tell(graph_run *run, judged_graph *graph) {
  run->count[graph->answer]++;
  run->uncertified += graph->answer == AS_ANSWER_PROVED && !graph->verdict.certified;
  if (run->table)
    print_row(run, graph);
  json_array_set_new(run->rows, graph->number, json_row(graph));
  char *name = as_format("graph %zu", graph->number);
  as_report_junit_judged(run->junit, run->path, name, graph->seconds, graph->why,
                         was_judged(graph) ? &graph->verdict : NULL);
  free(name);
  if (was_judged(graph))
    run->unwritten += !as_batch_export_add(run->written, &graph->judged, &graph->verdict);
  run->failed = run->failed || (run->how->out && !leave(run, graph, run->fatal));
}

/* takes what a graph came to, and tells what there is to tell by now, in the order of the turn */
static void take(graph_run *run, judged_graph *graph) {
  pthread_mutex_lock(&run->lock);
  graph->judged_now = true;
  run->judged += !graph->unfinished;
  for (; run->told < run->n_turn && run->turn[run->told]->judged_now; run->told++) {
    judged_graph *next = run->turn[run->told];
    if (next->unfinished)
      continue;
    tell(run, next);
    graph_clear(next);
  }
  as_progress_count(&run->progress, "graphs", run->judged, as_import_count(run->file));
  pthread_mutex_unlock(&run->lock);
}

static void judge_at_first(void *arg, size_t i) {
  graph_run *run = arg;
  as_policy policy = *run->how->policy;
  policy.first_turn = true;
  judge_one(run, &policy, run->turn[i]);
  take(run, run->turn[i]);
}

static void judge_fully(void *arg, size_t i) {
  graph_run *run = arg;
  judge_one(run, run->how->policy, run->turn[i]);
  take(run, run->turn[i]);
}

/* All have their first turn before any has more: a slow one delays nobody. */
static void judge_all(graph_run *run) {
  size_t n = as_import_count(run->file);
  run->graph = as_calloc(n + 1, sizeof *run->graph);
  run->turn = as_calloc(n + 1, sizeof *run->turn);
  for (size_t i = 0; i < n; i++) {
    run->graph[i].number = i;
    run->turn[run->n_turn++] = &run->graph[i];
    json_array_append_new(run->rows, json_null());
  }
  as_parallel(run->how->threads, run->n_turn, judge_at_first, run);
  run->n_turn = run->told = 0;
  for (size_t i = 0; i < n; i++) {
    if (!run->graph[i].unfinished)
      continue;
    run->graph[i] = (judged_graph){.number = i};
    run->turn[run->n_turn++] = &run->graph[i];
  }
  as_parallel(run->how->threads, run->n_turn, judge_fully, run);
  free(run->turn);
  free(run->graph);
}

static char *summary_json(graph_run *run, double seconds) {
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:o, s:O}", "format", "assay-import 2", "program",
      run->given->given.name, "file", run->path, "proved", (int)run->count[AS_ANSWER_PROVED],
      "refuted", (int)run->count[AS_ANSWER_REFUTED], "unknown", (int)run->count[AS_ANSWER_UNKNOWN],
      "not_certified", (int)run->uncertified, "seconds", seconds, "statistics",
      as_report_stats_json(), "graphs", run->rows);
  char *text = as_report_json_text(object, run->how->out ? &run->result : NULL);
  json_decref(object);
  return text;
}

/* all but report.json, which has their hashes; the directory needs nothing beside it */
static bool collect(graph_run *run, double seconds, as_err *err) {
  char *about = as_format("Candidates of %s, each judged against the program %s", run->path,
                          run->given->given.name);
  char *html = as_report_batch_html(&(as_report_batch){as_file_name(run->path), about, seconds},
                                    run->items.data, run->items.n);
  as_report_dir_add(&run->result, "report.html", html, strlen(html));
  as_report_dir_add(&run->result, "batch", run->batch.s ? run->batch.s : "", run->batch.n);
  as_judged given = as_job_judged(run->given);
  free(about);
  free(html);
  return as_report_add_specifications(&given, &run->result, err);
}

static bool finish(graph_run *run, double seconds, as_err *err) {
  bool ok = run->how->out == NULL || collect(run, seconds, err);
  char *json = summary_json(run, seconds);
  if (ok && run->how->out) {
    as_report_dir_add(&run->result, "report.json", json, strlen(json));
    ok = as_report_dir_write(&run->result, run->how->out, run->how->force, err);
  }
  ok = ok && as_batch_export_write(run->written, err) &&
       as_report_junit_write(run->junit, run->how->junit, err);
  if (ok && run->how->json)
    fputs(json, stdout);
  if (ok && !run->how->json) {
    printf("%u proved, %u refuted, %u unknown in %.1f s\n", run->count[AS_ANSWER_PROVED],
           run->count[AS_ANSWER_REFUTED], run->count[AS_ANSWER_UNKNOWN], seconds);
  }
  if (ok && (run->how->verbose || run->how->stats) && !run->how->json)
    as_report_print_stats();
  free(json);
  return ok;
}

static void clear(graph_run *run) {
  pthread_mutex_destroy(&run->lock);
  as_report_junit_free(run->junit);
  as_import_free(run->file);
  json_decref(run->rows);
  as_report_dir_clear(&run->result);
  as_str_clear(&run->batch);
  for (size_t i = 0; i < run->items.n; i++)
    as_report_clear(&AS_VEC_AT(&run->items, as_report_item, i));
  as_vec_clear(&run->items);
}

int as_batch_graphs(const as_batch_how *how, const as_job *given, const as_import_format *format,
                    const char *path, as_batch_export *written) {
  as_err err;
  as_err_init(&err);
  graph_run run = {.how = how,
                   .given = given,
                   .path = path,
                   .table = !how->json && !how->quiet,
                   .rows = json_array(),
                   .junit = how->junit ? as_report_junit_new(given->given.name) : NULL,
                   .written = written};
  as_report_dir_init(&run.result);
  as_str_init(&run.batch);
  as_vec_init(&run.items, sizeof(as_report_item));
  as_progress_init(&run.progress, !run.table);
  pthread_mutex_init(&run.lock, NULL);
  run.fatal = &err;
  double start = as_now();
  run.file = as_import_read(format, path, &err);
  bool ok = run.file && (how->out == NULL || as_report_dir_place(how->out, how->force, &err));
  if (ok && run.table)
    printf("graph  kernels  verdict     time\n");
  if (ok)
    judge_all(&run);
  ok = ok && !run.failed;
  as_progress_end(&run.progress);
  ok = ok && finish(&run, as_now() - start, &err);
  int status = !ok                                               ? as_err_tell(&err)
               : run.count[AS_ANSWER_REFUTED]                    ? AS_NO
               : run.count[AS_ANSWER_UNKNOWN] || run.uncertified ? AS_UNKNOWN
               : run.unwritten                                   ? AS_BAD_INPUT
                                                                 : AS_OK;
  clear(&run);
  as_err_clear(&err);
  return status;
}

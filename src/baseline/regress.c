/* `assay regress`: which certified facts a change of specifications, programs or candidates breaks.
 * A fact whose texts and relied-on specifications have the hashes that the baseline records stands
 * as it is; the others are judged again. */
#include "regress.h"
#include "baseline.h"
#include "report.h"
#include "semantics/domain.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/lock.h"
#include "src/base/pool.h"
#include "src/base/progress.h"
#include "src/base/str.h"
#include "src/import/import.h"
#include "verify/judge/job.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* a file that holds many facts is read once, before the threads start */
typedef struct {
  char *path;
  as_import *mirage;
  char sha256[65]; /* of a file of Mirage */
  bool is_rules;
  as_job rules;
  char *why; /* it cannot be read */
} source;

typedef struct {
  const as_baseline_asked *asked;
  as_baseline *baseline;
  as_vec fact;          /* of as_baseline_fact *: what is looked at */
  as_vec source;        /* of source */
  pthread_mutex_t lock; /* of what follows */
  as_progress progress;
  size_t done;
  as_err *fatal; /* what ends the run */
} looking;

static double processor_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* ---- what a claim relies on */
static int by_name(const void *a, const void *b) {
  return strcmp(((const as_baseline_op *)a)->name, ((const as_baseline_op *)b)->name);
}

/* claim NULL: it cannot be read; then what the baseline names is looked up, without the checker's
 * hashes */
static void relied_now(as_baseline_fact *fact, const as_oplib *library, const ck_terms *terms,
                       const ck_claim *claim) {
  as_baseline_record *now = &fact->now;
  if (claim)
    as_baseline_claim_sha(terms, claim, now->claim_sha);
  uint32_t n = claim ? claim->n_relied : fact->was.n_op;
  now->op = as_calloc(n + 1, sizeof *now->op);
  for (now->n_op = 0; now->n_op < n; now->n_op++) {
    as_baseline_op *op = &now->op[now->n_op];
    op->name = as_strdup(claim ? claim->relied[now->n_op].name : fact->was.op[now->n_op].name);
    if (claim)
      memcpy(op->sha256, claim->relied[now->n_op].sha256, sizeof op->sha256);
    char *text = as_oplib_text(library, op->name);
    if (text)
      as_sha256(text, strlen(text), op->canonical);
    free(text);
  }
  qsort(now->op, now->n_op, sizeof *now->op, by_name);
}

static bool same_hashes(const as_baseline_record *before, const as_baseline_record *now) {
  bool same = strcmp(before->program_sha, now->program_sha) == 0 &&
              strcmp(before->candidate_sha, now->candidate_sha) == 0 &&
              strcmp(before->claim_sha, now->claim_sha) == 0 && before->n_op == now->n_op;
  for (uint32_t i = 0; i < before->n_op && same; i++) {
    same = strcmp(before->op[i].name, now->op[i].name) == 0 &&
           strcmp(before->op[i].sha256, now->op[i].sha256) == 0 &&
           strcmp(before->op[i].canonical, now->op[i].canonical) == 0;
  }
  return same;
}

/* ---- one fact */
static const source *source_of(const looking *look, const char *path) {
  for (size_t i = 0; i < look->source.n; i++) {
    if (strcmp(AS_VEC_AT(&look->source, source, i).path, path) == 0)
      return &AS_VEC_AT(&look->source, source, i);
  }
  return NULL;
}

static bool known(const as_baseline_record *record) {
  return record->certified ||
         (strcmp(record->verdict, as_answer_recorded(AS_ANSWER_UNKNOWN)) != 0 &&
          strcmp(record->verdict, as_answer_recorded(AS_ANSWER_PROVED)) != 0);
}

static void compare(as_baseline_fact *fact) {
  bool same = fact->recorded && strcmp(fact->was.verdict, fact->now.verdict) == 0 &&
              fact->was.certified == fact->now.certified;
  fact->outcome = !fact->recorded                           ? AS_BASELINE_NEW
                  : same                                    ? AS_BASELINE_SAME
                  : known(&fact->was) && !known(&fact->now) ? AS_BASELINE_LOST
                                                            : AS_BASELINE_CHANGED;
}

static void ill_formed(as_baseline_fact *fact, const char *why) {
  fact->now.verdict = as_strdup(as_answer_recorded(AS_ANSWER_UNREADABLE));
  fact->reason = as_strdup(why);
  compare(fact);
}

static void take_verdict(as_baseline_fact *fact, const as_verdict *verdict) {
  fact->now.verdict = as_strdup(as_answer_recorded(verdict->answer));
  fact->now.certified = verdict->certified;
  fact->now.work = verdict->proof.steps_tried;
  if (verdict->why)
    fact->reason = as_strdup(verdict->why);
  if (verdict->cex_words)
    fact->cex = as_strdup(verdict->cex_words);
  if (!verdict->cex_words && fact->kind != AS_BASELINE_RULE && verdict->proof.goal) {
    fact->cex = as_format("open goal %s\n%s\n%s\n", verdict->proof.goal,
                          verdict->proof.left ? verdict->proof.left : "",
                          verdict->proof.right ? verdict->proof.right : "");
  }
}

/* Reads the claim and takes over what it demands and relies on; judges only where that, or the
 * texts, are not what was recorded. */
static void judge(const looking *look, as_baseline_fact *fact, const as_judged *judged,
                  double start, as_err *fatal) {
  as_verdict verdict;
  as_verdict_init(&verdict);
  bool read = as_judge_read(judged, &verdict);
  relied_now(fact, judged->lib, verdict.terms, verdict.claim);
  if (read && fact->recorded && !look->asked->all && same_hashes(&fact->was, &fact->now)) {
    fact->outcome = AS_BASELINE_STANDS;
  } else {
    if (!read && judged->rules) { /* it may be known why */
      as_verdict_clear(&verdict);
      as_verdict_init(&verdict);
    }
    as_policy policy = *look->asked->policy;
    if (judged->rules)
      as_policy_ask_nobody(&policy);
    if (read || judged->rules)
      as_judge(judged, &policy, &verdict);
    fact->now.seconds = processor_seconds() - start;
    take_verdict(fact, &verdict);
    compare(fact);
    if (verdict.conflict) {
      char *name = as_baseline_fact_name(fact);
      as_err_set(fatal, AS_INTERNAL, "%s: a checked proof, and a counterexample that stands", name);
      free(name);
    }
  }
  as_verdict_clear(&verdict);
}

static bool hash_file(const char *path, char sha[65], as_err *err) {
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text)
    as_sha256(text, len, sha);
  free(text);
  return text != NULL;
}

static bool read_graph(const source *file, const char *part, const char *path, as_job *job,
                       as_err *err) {
  char *name = as_format("%s#%s", path, part);
  char *mug = as_import_mug(file->mirage, strtoul(part, NULL, 10), job->program, false, err);
  bool ok = mug && as_job_take_candidate(job, name, mug, strlen(mug), err);
  free(name);
  return ok;
}

/* the job's texts, and the hashes of the files also where they cannot be parsed; false with err */
static bool read_job(const looking *look, as_baseline_fact *fact, const char *program,
                     const char *candidate, as_job *job, as_err *err) {
  bool ok = as_job_read_program(job, program, err);
  if (job->given.text)
    as_sha256(job->given.text, job->given.len, fact->now.program_sha);
  if (fact->kind == AS_BASELINE_MIRAGE) {
    const source *file = source_of(look, candidate);
    memcpy(fact->now.candidate_sha, file->sha256, sizeof fact->now.candidate_sha);
    return ok && read_graph(file, fact->part, candidate, job, err);
  }
  ok = ok && as_job_read_candidate(job, candidate, err);
  if (job->candidate.text)
    as_sha256(job->candidate.text, job->candidate.len, fact->now.candidate_sha);
  else
    hash_file(candidate, fact->now.candidate_sha, NULL);
  return ok;
}

static void judge_program(const looking *look, as_baseline_fact *fact, const char *program,
                          const char *candidate, as_err *fatal) {
  as_err err;
  as_err_init(&err);
  as_job job;
  as_job_init(&job, as_oplib_again(look->asked->library, fatal));
  double start = processor_seconds();
  if (job.lib && read_job(look, fact, program, candidate, &job, &err)) {
    as_judged judged = as_job_judged(&job);
    judge(look, fact, &judged, start, fatal);
  } else if (job.lib) {
    char *why = as_err_format(&err);
    relied_now(fact, job.lib, NULL, NULL);
    if (err.status == AS_INTERNAL)
      as_err_set(fatal, AS_INTERNAL, "%s", why);
    else
      ill_formed(fact, why);
    free(why);
  }
  as_job_clear(&job);
  as_err_clear(&err);
}

static void judge_rule(const looking *look, as_baseline_fact *fact, const as_job *file,
                       as_err *fatal) {
  bool reverse;
  size_t len;
  uint32_t i = as_job_rule_named(file, fact->part, &reverse);
  const char *text = as_rulefile_text(file->rules, i, &len);
  as_sha256(text, len, fact->now.program_sha);
  as_judged judged = as_job_judged_rule(file, i, reverse, fact->part);
  judge(look, fact, &judged, processor_seconds(), fatal);
}

/* are the files, and what the fact is about in them, still there? */
static bool is_there(const as_baseline_fact *fact, const char *program, const char *candidate,
                     const source *file) {
  bool reverse;
  if (!as_exists(program) || (fact->kind != AS_BASELINE_RULE && !as_exists(candidate)))
    return false;
  if (fact->kind == AS_BASELINE_PROGRAM || file->why)
    return true;
  return fact->kind == AS_BASELINE_MIRAGE
             ? strtoul(fact->part, NULL, 10) < as_import_count(file->mirage)
             : as_job_rule_named(&file->rules, fact->part, &reverse) <
                   as_rulefile_count(file->rules.rules);
}

static void look_at(void *arg, size_t i) {
  looking *look = arg;
  as_baseline_fact *fact = AS_VEC_AT(&look->fact, as_baseline_fact *, i);
  as_err fatal;
  as_err_init(&fatal);
  char *program = as_baseline_real(look->baseline, fact->program);
  char *candidate = as_baseline_real(look->baseline, fact->candidate);
  const source *file = fact->kind == AS_BASELINE_PROGRAM
                           ? NULL
                           : source_of(look, fact->kind == AS_BASELINE_RULE ? program : candidate);
  if (!is_there(fact, program, candidate, file))
    fact->outcome = AS_BASELINE_GONE;
  else if (file && file->why)
    ill_formed(fact, file->why);
  else if (fact->kind == AS_BASELINE_RULE)
    judge_rule(look, fact, &file->rules, &fatal);
  else
    judge_program(look, fact, program, candidate, &fatal);
  pthread_mutex_lock(&look->lock);
  look->done++;
  as_progress_count(&look->progress, "facts", look->done, look->fact.n);
  if (fatal.status != AS_OK && look->fatal->status == AS_OK) {
    char *why = as_err_format(&fatal);
    as_err_set(look->fatal, fatal.status, "%s", why);
    free(why);
  }
  pthread_mutex_unlock(&look->lock);
  free(program);
  free(candidate);
  as_err_clear(&fatal);
}

/* ---- the whole */
static bool under(const char *path, const char *folder) {
  size_t n = strlen(folder);
  return strcmp(folder, ".") == 0 ||
         (strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/'));
}

static bool choose(looking *look, as_err *err) {
  const as_baseline_asked *asked = look->asked;
  as_baseline *baseline = look->baseline;
  as_baseline_collecting how = {
      .library = asked->library, .forward = asked->forward, .backward = asked->backward};
  for (uint32_t i = 0; i < asked->n_path; i++) {
    if (!as_baseline_collect(baseline, &how, asked->path[i], err))
      return false;
    char *path = as_baseline_relative(baseline, asked->path[i]);
    for (size_t k = 0; k < baseline->fact.n; k++) { /* also what was there once */
      as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, k);
      if (under(fact->program, path) || (fact->candidate[0] && under(fact->candidate, path)))
        fact->asked = true;
    }
    free(path);
  }
  as_baseline_sort(baseline);
  for (size_t k = 0; k < baseline->fact.n; k++) {
    as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, k);
    fact->outcome = AS_BASELINE_APART;
    fact->asked = fact->asked || asked->n_path == 0;
    if (fact->asked)
      as_vec_push(&look->fact, &fact);
  }
  return look->fact.n ||
         as_err_set(err, AS_BAD_INPUT,
                    "%s: no facts; `assay regress --update PATH...` records some", baseline->path);
}

static void open_sources(looking *look) {
  for (size_t i = 0; i < look->fact.n; i++) {
    const as_baseline_fact *fact = AS_VEC_AT(&look->fact, as_baseline_fact *, i);
    char *path =
        fact->kind == AS_BASELINE_PROGRAM
            ? NULL
            : as_baseline_real(look->baseline,
                               fact->kind == AS_BASELINE_RULE ? fact->program : fact->candidate);
    if (path == NULL || !as_exists(path) || source_of(look, path)) {
      free(path);
      continue;
    }
    source *file = as_vec_push(&look->source,
                               &(source){.path = path, .is_rules = fact->kind == AS_BASELINE_RULE});
    as_err err;
    as_err_init(&err);
    bool read = true;
    if (file->is_rules) {
      as_job_init(&file->rules, as_oplib_again(look->asked->library, &err));
      read = file->rules.lib && as_job_read_rules(&file->rules, path, &err);
    } else {
      file->mirage = as_import_read(as_import_format_named("mirage"), path, &err);
      read = file->mirage && hash_file(path, file->sha256, &err);
    }
    if (!read)
      file->why = as_err_format(&err);
    as_err_clear(&err);
  }
}

static void close_sources(looking *look) {
  for (size_t i = 0; i < look->source.n; i++) {
    source *file = &AS_VEC_AT(&look->source, source, i);
    if (file->is_rules)
      as_job_clear(&file->rules);
    as_import_free(file->mirage);
    free(file->path);
    free(file->why);
  }
  as_vec_clear(&look->source);
}

/* the verdicts of now become those of the baseline */
static void accept(as_baseline *baseline) {
  for (size_t i = 0; i < baseline->fact.n; i++) {
    as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
    if (fact->outcome == AS_BASELINE_GONE)
      as_baseline_record_clear(&fact->was);
    if (fact->now.verdict == NULL)
      continue;
    /* its claim is not known, so that nothing can let it stand */
    bool unread = strcmp(fact->now.verdict, as_answer_recorded(AS_ANSWER_UNREADABLE)) == 0;
    for (uint32_t k = 0; k < fact->now.n_op; k++)
      unread = unread || fact->now.op[k].sha256[0] == 0;
    for (uint32_t k = 0; k < fact->now.n_op && unread; k++)
      free(fact->now.op[k].name);
    if (unread)
      fact->now.n_op = 0;
    as_baseline_record_move(&fact->was, &fact->now);
  }
}

/* malloc'ed; *status: the exit status that it stands for */
static char *report_text(const as_baseline_asked *asked, const as_baseline *baseline,
                         double seconds, int *status) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL)
    abort();
  as_baseline_showing how = {.out = out,
                             .json = asked->json,
                             .quiet = asked->quiet,
                             .verbose = asked->verbose,
                             .update = asked->update};
  *status = (int)as_baseline_report(&how, baseline, seconds);
  fclose(out);
  return text;
}

static void remove_file(void *arg, const char *stale) {
  (void)arg;
  unlink(stale);
}

/* Tells what became of the facts, and records it where that is asked for; gives the exit status. */
static int conclude(looking *look, double seconds) {
  const as_baseline_asked *asked = look->asked;
  int status = AS_OK;
  char *text = report_text(asked, look->baseline, seconds, &status);
  bool ok = as_baseline_junit(asked->junit, look->baseline, look->fatal) &&
            as_baseline_page(asked->page, look->baseline, seconds, look->fatal);
  if (ok && asked->update) {
    accept(look->baseline);
    ok = as_baseline_write(look->baseline, look->fatal);
    status = AS_OK;
  }
  if (ok) /* nothing is said to be done before it is */
    fputs(text, stdout);
  free(text);
  return status;
}

int as_baseline_regress(const as_baseline_asked *asked, as_err *err) {
  as_baseline baseline;
  as_baseline_init(&baseline, asked->baseline);
  looking look = {.asked = asked, .baseline = &baseline, .fatal = err};
  as_vec_init(&look.fact, sizeof(as_baseline_fact *));
  as_vec_init(&look.source, sizeof(source));
  pthread_mutex_init(&look.lock, NULL);
  as_progress_init(&look.progress, asked->quiet || asked->json);
  double start = as_now();
  /* who updates holds the baseline from reading to writing: of two at a time, the second sees what
   * the first has recorded */
  int lock = asked->update ? as_lock_for(asked->baseline, err) : AS_NO_LOCK;
  as_each_stale(asked->baseline, ".tmp", remove_file, NULL);
  if (err->status == AS_OK && as_baseline_read(&baseline, err) && choose(&look, err)) {
    open_sources(&look);
    as_parallel(asked->threads, look.fact.n, look_at, &look);
    as_progress_end(&look.progress);
  }
  int status = err->status == AS_OK ? conclude(&look, as_now() - start) : (int)err->status;
  as_unlock(lock);
  close_sources(&look);
  as_vec_clear(&look.fact);
  as_baseline_clear(&baseline);
  pthread_mutex_destroy(&look.lock);
  return status;
}

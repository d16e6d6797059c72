/* `assay regress`: which certified facts a change of specifications, programs or candidates breaks.
 * A fact whose texts and relied-on specifications have the hashes that the baseline records stands
 * as it is; the others are judged again. */
#include "cli.h"
#include "progress.h"
#include "src/base/lock.h"
#include "src/baseline/baseline.h"
#include "src/baseline/report.h"
#include "src/import/mirage.h"
#include "src/report/junit.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* a file that holds many facts is read once, before the threads start */
typedef struct {
  char *path;
  as_mirage *mirage;
  char sha256[65]; /* of a file of Mirage */
  bool is_rules;
  as_job rules;
  char *why; /* it cannot be read */
} source;

typedef struct {
  const cli_opts *o;
  const as_oplib *library; /* the specifications, read once */
  as_baseline *b;
  as_vec asked;
  as_vec source;        /* of as_baseline_fact *; of source */
  pthread_mutex_t lock; /* of what follows */
  cli_progress progress;
  size_t done;
  as_err fatal;
} run;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what a claim relies on */
static int by_name(const void *a, const void *b) {
  return strcmp(((const as_baseline_op *)a)->name, ((const as_baseline_op *)b)->name);
}

/* claim NULL: it cannot be read; then what the baseline names is looked up, without the checker's
 * hashes */
static void relied_now(as_baseline_fact *f, const as_oplib *lib, const ck_terms *T,
                       const ck_claim *claim) {
  as_baseline_record *r = &f->now;
  if (claim)
    as_baseline_claim_sha(T, claim, r->claim_sha);
  uint32_t n = claim ? claim->n_relied : f->was.n_op;
  r->op = as_calloc(n + 1, sizeof *r->op);
  for (r->n_op = 0; r->n_op < n; r->n_op++) {
    as_baseline_op *o = &r->op[r->n_op];
    o->name = as_strdup(claim ? claim->relied[r->n_op].name : f->was.op[r->n_op].name);
    if (claim)
      memcpy(o->sha256, claim->relied[r->n_op].sha256, sizeof o->sha256);
    char *text = as_oplib_text(lib, o->name);
    if (text)
      as_sha256(text, strlen(text), o->canonical);
    free(text);
  }
  qsort(r->op, r->n_op, sizeof *r->op, by_name);
}

static bool same_hashes(const as_baseline_record *a, const as_baseline_record *b) {
  bool same = strcmp(a->program_sha, b->program_sha) == 0 &&
              strcmp(a->candidate_sha, b->candidate_sha) == 0 &&
              strcmp(a->claim_sha, b->claim_sha) == 0 && a->n_op == b->n_op;
  for (uint32_t i = 0; i < a->n_op && same; i++) {
    same = strcmp(a->op[i].name, b->op[i].name) == 0 &&
           strcmp(a->op[i].sha256, b->op[i].sha256) == 0 &&
           strcmp(a->op[i].canonical, b->op[i].canonical) == 0;
  }
  return same;
}

/* ---- one fact */
static const source *source_of(const run *r, const char *path) {
  for (size_t i = 0; i < r->source.n; i++) {
    if (strcmp(AS_VEC_AT(&r->source, source, i).path, path) == 0)
      return &AS_VEC_AT(&r->source, source, i);
  }
  return NULL;
}

static bool known(const as_baseline_record *r) {
  return r->certified || (strcmp(r->verdict, as_answer_recorded(AS_ANSWER_UNKNOWN)) != 0 &&
                          strcmp(r->verdict, as_answer_recorded(AS_ANSWER_PROVED)) != 0);
}

static void compare(as_baseline_fact *f) {
  bool same = f->recorded && strcmp(f->was.verdict, f->now.verdict) == 0 &&
              f->was.certified == f->now.certified;
  f->outcome = !f->recorded                        ? AS_BASELINE_NEW
               : same                              ? AS_BASELINE_SAME
               : known(&f->was) && !known(&f->now) ? AS_BASELINE_LOST
                                                   : AS_BASELINE_CHANGED;
}

static void ill_formed(as_baseline_fact *f, const char *why) {
  f->now.verdict = as_strdup(as_answer_recorded(AS_ANSWER_UNREADABLE));
  f->reason = as_strdup(why);
  compare(f);
}

static void take_verdict(as_baseline_fact *f, const as_verdict *v) {
  f->now.verdict = as_strdup(as_answer_recorded(v->answer));
  f->now.certified = v->certified;
  f->now.work = v->proof.steps_tried;
  if (v->why)
    f->reason = as_strdup(v->why);
  if (v->cex_words)
    f->cex = as_strdup(v->cex_words);
  if (!v->cex_words && f->kind != AS_BASELINE_RULE && v->proof.goal) {
    f->cex = as_format("open goal %s\n%s\n%s\n", v->proof.goal, v->proof.left ? v->proof.left : "",
                       v->proof.right ? v->proof.right : "");
  }
}

/* Reads the claim and takes over what it demands and relies on; judges only where that, or the
 * texts, are not what was recorded. */
static void judge(const run *r, as_baseline_fact *f, const as_judged *judged, double start,
                  as_err *fatal) {
  as_verdict v;
  as_verdict_init(&v);
  bool read = as_judge_read(judged, &v);
  relied_now(f, judged->lib, v.terms, v.claim);
  if (read && f->recorded && !r->o->all && same_hashes(&f->was, &f->now)) {
    f->outcome = AS_BASELINE_STANDS;
  } else {
    if (!read && judged->rules) { /* it may be known why */
      as_verdict_clear(&v);
      as_verdict_init(&v);
    }
    as_policy policy = r->o->policy;
    if (judged->rules)
      as_policy_ask_nobody(&policy);
    if (read || judged->rules)
      as_judge(judged, &policy, &v);
    f->now.seconds = processor_seconds() - start;
    take_verdict(f, &v);
    compare(f);
    if (v.conflict) {
      char *name = as_baseline_fact_name(f);
      as_err_set(fatal, AS_INTERNAL, "%s: a checked proof, and a counterexample that stands", name);
      free(name);
    }
  }
  as_verdict_clear(&v);
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
  char *mug = as_mirage_mug(file->mirage, strtoul(part, NULL, 10), job->program, err);
  bool ok = mug && as_job_take_candidate(job, name, mug, strlen(mug), err);
  free(name);
  return ok;
}

/* the job's texts, and the hashes of the files also where they cannot be parsed; false with err */
static bool read_job(const run *r, as_baseline_fact *f, const char *program, const char *candidate,
                     as_job *job, as_err *err) {
  bool ok = as_job_read_program(job, program, err);
  if (job->given.text)
    as_sha256(job->given.text, job->given.len, f->now.program_sha);
  if (f->kind == AS_BASELINE_MIRAGE) {
    const source *file = source_of(r, candidate);
    memcpy(f->now.candidate_sha, file->sha256, sizeof f->now.candidate_sha);
    return ok && read_graph(file, f->part, candidate, job, err);
  }
  ok = ok && as_job_read_candidate(job, candidate, err);
  if (job->candidate.text)
    as_sha256(job->candidate.text, job->candidate.len, f->now.candidate_sha);
  else
    hash_file(candidate, f->now.candidate_sha, NULL);
  return ok;
}

static void judge_program(const run *r, as_baseline_fact *f, const char *program,
                          const char *candidate, as_err *fatal) {
  as_err err;
  as_err_init(&err);
  as_job job;
  as_job_init(&job, as_oplib_again(r->library, fatal));
  double start = processor_seconds();
  if (job.lib && read_job(r, f, program, candidate, &job, &err)) {
    as_judged judged = as_job_judged(&job);
    judge(r, f, &judged, start, fatal);
  } else if (job.lib) {
    char *why = as_err_format(&err);
    relied_now(f, job.lib, NULL, NULL);
    if (err.status == AS_INTERNAL)
      as_err_set(fatal, AS_INTERNAL, "%s", why);
    else
      ill_formed(f, why);
    free(why);
  }
  as_job_clear(&job);
  as_err_clear(&err);
}

static void judge_rule(const run *r, as_baseline_fact *f, const as_job *file, as_err *fatal) {
  bool reverse;
  size_t len;
  uint32_t i = as_job_rule_named(file, f->part, &reverse);
  const char *text = as_rulefile_text(file->rules, i, &len);
  as_sha256(text, len, f->now.program_sha);
  as_judged judged = as_job_judged_rule(file, i, reverse, f->part);
  judge(r, f, &judged, processor_seconds(), fatal);
}

/* are the files, and what the fact is about in them, still there? */
static bool is_there(const as_baseline_fact *f, const char *program, const char *candidate,
                     const source *s) {
  bool reverse;
  if (!as_exists(program) || (f->kind != AS_BASELINE_RULE && !as_exists(candidate)))
    return false;
  if (f->kind == AS_BASELINE_PROGRAM || s->why)
    return true;
  return f->kind == AS_BASELINE_MIRAGE
             ? strtoul(f->part, NULL, 10) < as_mirage_count(s->mirage)
             : as_job_rule_named(&s->rules, f->part, &reverse) < as_rulefile_count(s->rules.rules);
}

static void look(void *arg, size_t i) {
  run *r = arg;
  as_baseline_fact *f = AS_VEC_AT(&r->asked, as_baseline_fact *, i);
  as_err fatal;
  as_err_init(&fatal);
  char *program = as_baseline_real(r->b, f->program);
  char *candidate = as_baseline_real(r->b, f->candidate);
  const source *s = f->kind == AS_BASELINE_PROGRAM
                        ? NULL
                        : source_of(r, f->kind == AS_BASELINE_RULE ? program : candidate);
  if (!is_there(f, program, candidate, s))
    f->outcome = AS_BASELINE_GONE;
  else if (s && s->why)
    ill_formed(f, s->why);
  else if (f->kind == AS_BASELINE_RULE)
    judge_rule(r, f, &s->rules, &fatal);
  else
    judge_program(r, f, program, candidate, &fatal);
  pthread_mutex_lock(&r->lock);
  r->done++;
  cli_progress_count(&r->progress, "facts", r->done, r->asked.n);
  if (fatal.status != AS_OK && r->fatal.status == AS_OK) {
    char *why = as_err_format(&fatal);
    as_err_set(&r->fatal, fatal.status, "%s", why);
    free(why);
  }
  pthread_mutex_unlock(&r->lock);
  free(program);
  free(candidate);
  as_err_clear(&fatal);
  as_interval_forget();
}

/* ---- the whole */
static bool under(const char *path, const char *folder) {
  size_t n = strlen(folder);
  return strcmp(folder, ".") == 0 ||
         (strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/'));
}

static bool choose(run *r, as_err *err) {
  const cli_opts *o = r->o;
  as_baseline *b = r->b;
  as_baseline_collecting how = {
      .library = r->library, .forward = o->way != CLI_BACKWARD, .backward = o->way != CLI_FORWARD};
  for (uint32_t i = 0; i < o->n_arg; i++) {
    if (!as_baseline_collect(b, &how, o->arg[i], err))
      return false;
    char *path = as_baseline_relative(b, o->arg[i]);
    for (size_t k = 0; k < b->fact.n; k++) { /* also what was there once */
      as_baseline_fact *f = AS_VEC_AT(&b->fact, as_baseline_fact *, k);
      if (under(f->program, path) || (f->candidate[0] && under(f->candidate, path)))
        f->asked = true;
    }
    free(path);
  }
  as_baseline_sort(b);
  for (size_t k = 0; k < b->fact.n; k++) {
    as_baseline_fact *f = AS_VEC_AT(&b->fact, as_baseline_fact *, k);
    f->outcome = AS_BASELINE_APART;
    f->asked = f->asked || o->n_arg == 0;
    if (f->asked)
      as_vec_push(&r->asked, &f);
  }
  return r->asked.n ||
         as_err_set(err, AS_BAD_INPUT,
                    "%s: no facts; `assay regress --update PATH...` records some", b->path);
}

static void open_sources(run *r) {
  for (size_t i = 0; i < r->asked.n; i++) {
    const as_baseline_fact *f = AS_VEC_AT(&r->asked, as_baseline_fact *, i);
    char *path =
        f->kind == AS_BASELINE_PROGRAM
            ? NULL
            : as_baseline_real(r->b, f->kind == AS_BASELINE_RULE ? f->program : f->candidate);
    if (path == NULL || !as_exists(path) || source_of(r, path)) {
      free(path);
      continue;
    }
    source *s =
        as_vec_push(&r->source, &(source){.path = path, .is_rules = f->kind == AS_BASELINE_RULE});
    as_err err;
    as_err_init(&err);
    bool read = true;
    if (s->is_rules) {
      as_job_init(&s->rules, as_oplib_again(r->library, &err));
      read = s->rules.lib && as_job_read_rules(&s->rules, path, &err);
    } else {
      s->mirage = as_mirage_read(path, &err);
      read = s->mirage && hash_file(path, s->sha256, &err);
    }
    if (!read)
      s->why = as_err_format(&err);
    as_err_clear(&err);
  }
}

static void close_sources(run *r) {
  for (size_t i = 0; i < r->source.n; i++) {
    source *s = &AS_VEC_AT(&r->source, source, i);
    if (s->is_rules)
      as_job_clear(&s->rules);
    as_mirage_free(s->mirage);
    free(s->path);
    free(s->why);
  }
  as_vec_clear(&r->source);
}

/* the verdicts of now become those of the baseline */
static void accept(as_baseline *b) {
  for (size_t i = 0; i < b->fact.n; i++) {
    as_baseline_fact *f = AS_VEC_AT(&b->fact, as_baseline_fact *, i);
    if (f->outcome == AS_BASELINE_GONE)
      as_baseline_record_clear(&f->was);
    if (f->now.verdict == NULL)
      continue;
    /* its claim is not known, so that nothing can let it stand */
    bool unread = strcmp(f->now.verdict, as_answer_recorded(AS_ANSWER_UNREADABLE)) == 0;
    for (uint32_t k = 0; k < f->now.n_op; k++)
      unread = unread || f->now.op[k].sha256[0] == 0;
    for (uint32_t k = 0; k < f->now.n_op && unread; k++)
      free(f->now.op[k].name);
    if (unread)
      f->now.n_op = 0;
    as_baseline_record_move(&f->was, &f->now);
  }
}

/* malloc'ed; *status: the exit status that it stands for */
static char *report_text(const cli_opts *o, const as_baseline *b, double seconds, int *status) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL)
    abort();
  as_baseline_showing how = {
      .out = out, .json = o->json, .quiet = o->quiet, .verbose = o->verbose, .update = o->update};
  *status = (int)as_baseline_report(&how, b, seconds);
  fclose(out);
  return text;
}

static void remove_file(void *arg, const char *stale) {
  (void)arg;
  unlink(stale);
}

int cli_regress(const cli_opts *o) {
  run r = {.o = o};
  as_baseline b;
  as_baseline_init(&b, o->baseline);
  r.b = &b;
  as_vec_init(&r.asked, sizeof(as_baseline_fact *));
  as_vec_init(&r.source, sizeof(source));
  as_err_init(&r.fatal);
  pthread_mutex_init(&r.lock, NULL);
  cli_progress_init(&r.progress, o->quiet || o->json);
  double start = as_now();
  /* specifications that cannot be read are bad input, not a change of every fact */
  as_oplib *library = cli_library(o, &r.fatal);
  r.library = library;
  /* who updates holds the baseline from reading to writing: of two at a time, the second sees what
   * the first has recorded */
  int lock = o->update && library ? as_lock_for(o->baseline, &r.fatal) : AS_NO_LOCK;
  as_each_stale(o->baseline, ".tmp", remove_file, NULL);
  bool ok =
      library && r.fatal.status == AS_OK && as_baseline_read(&b, &r.fatal) && choose(&r, &r.fatal);
  int status = AS_OK;
  if (ok) {
    open_sources(&r);
    as_parallel((unsigned)(o->threads > 64 ? 64 : o->threads), r.asked.n, look, &r);
    cli_progress_end(&r.progress);
    ok = r.fatal.status == AS_OK;
  }
  if (ok) {
    char *text = report_text(o, &b, as_now() - start, &status);
    ok = as_baseline_junit(o->junit, &b, &r.fatal);
    if (ok && o->update) {
      accept(&b);
      ok = as_baseline_write(&b, &r.fatal);
      status = AS_OK;
    }
    if (ok) /* nothing is said to be done before it is */
      fputs(text, stdout);
    free(text);
  }
  if (!ok)
    status = cli_fail(&r.fatal);
  as_unlock(lock);
  close_sources(&r);
  as_oplib_free(library);
  as_vec_clear(&r.asked);
  as_baseline_clear(&b);
  pthread_mutex_destroy(&r.lock);
  as_err_clear(&r.fatal);
  return status;
}

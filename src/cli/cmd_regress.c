/* `assay regress`: which certified facts a change of specifications, programs or candidates breaks.
 * A fact whose texts and relied-on specifications have the hashes that the baseline records stands
 * as it is; the others are judged again. */
#include "progress.h"
#include "rule_verdict.h"
#include "src/baseline/baseline.h"
#include "src/baseline/report.h"
#include "src/import/mirage.h"
#include "src/report/junit.h"
#include "verdict.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"};
static const char ILL_FORMED[] = "ILL-FORMED";

/* a file that holds many facts is read once, before the threads start */
typedef struct {
  char *path;
  as_mirage *mirage;
  bool is_rules;
  cli_rules rules;
  char *why; /* it cannot be read */
} source;

typedef struct {
  cli_opts o;
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
static char *read_hashed(const char *path, size_t *len, char sha[65], as_err *err) {
  char *text = as_read_file(path, len, err);
  if (text)
    as_sha256(text, *len, sha);
  return text;
}

static const source *source_of(const run *r, const char *path) {
  for (size_t i = 0; i < r->source.n; i++) {
    if (strcmp(AS_VEC_AT(&r->source, source, i).path, path) == 0)
      return &AS_VEC_AT(&r->source, source, i);
  }
  return NULL;
}

static bool known(const as_baseline_record *r) {
  return r->certified || (strcmp(r->verdict, words[CLI_UNKNOWN]) != 0 &&
                          strcmp(r->verdict, words[CLI_PROVED]) != 0);
}

static void compare(as_baseline_fact *f) {
  bool same = f->recorded && strcmp(f->was.verdict, f->now.verdict) == 0 &&
              f->was.certified == f->now.certified;
  f->outcome = !f->recorded                        ? AS_BASELINE_NEW
               : same                              ? AS_BASELINE_SAME
               : known(&f->was) && !known(&f->now) ? AS_BASELINE_LOST
                                                   : AS_BASELINE_CHANGED;
}

static void ill_formed(as_baseline_fact *f, char *why) { /* takes why */
  f->now.verdict = as_strdup(ILL_FORMED);
  f->reason = why;
  compare(f);
}

typedef struct {
  cli_case c;
  ck_text spec;
  ck_text cand;
  char *candidate_text;
  char *candidate_name;
} loaded;

static void take_verdicts(as_baseline_fact *f, const cli_verdicts *v) {
  f->now.verdict = as_strdup(words[v->answer]);
  f->now.certified = v->certified;
  f->now.work = v->proof.steps_tried;
  if (v->reason)
    f->reason = as_strdup(v->reason);
  if (v->cex_words)
    f->cex = as_strdup(v->cex_words);
  if (!v->cex_words && v->proof.goal) {
    f->cex = as_format("open goal %s\n%s\n%s\n", v->proof.goal, v->proof.left ? v->proof.left : "",
                       v->proof.right ? v->proof.right : "");
  }
}

/* false: cannot be read, with err */
static bool load(const run *r, as_baseline_fact *f, const char *program, const char *candidate,
                 loaded *l, as_err *err) {
  if (!cli_load(&r->o, program, f->kind == AS_BASELINE_PROGRAM ? candidate : NULL, &l->c, err))
    return false;
  if (f->kind == AS_BASELINE_MIRAGE) {
    const as_mirage *m = source_of(r, candidate)->mirage;
    l->candidate_name = as_format("%s#%s", candidate, f->part);
    free(l->candidate_text);
    l->candidate_text = as_mirage_mug(m, strtoul(f->part, NULL, 10), l->c.spec, err);
    if (l->candidate_text == NULL)
      return false;
    l->cand = (ck_text){l->candidate_name, l->candidate_text, strlen(l->candidate_text)};
    l->c.cand = as_parse_mug(l->cand.name, l->cand.text, l->cand.len, l->c.spec, err);
    l->c.cand_path = l->candidate_name;
  }
  return l->c.cand != NULL;
}

/* reads the claim and takes over what it demands and relies on */
static bool stated(as_baseline_fact *f, const as_oplib *lib, const ck_text *spec,
                   const ck_text *cand, as_err *err) {
  cli_verdicts v;
  cli_verdicts_init(&v);
  cli_texts sem = {0};
  ck_terms *T = ck_terms_new();
  ck_claim *claim = cli_take_claim(T, lib, spec, cand, &sem, &v, err);
  bool ok = claim != NULL;
  if (ok)
    relied_now(f, lib, T, claim);
  ck_claim_free(claim);
  ck_terms_free(T);
  cli_texts_clear(&sem);
  cli_verdicts_clear(&v);
  return ok;
}

static void judge(run *r, as_baseline_fact *f, const char *program, const char *candidate,
                  as_err *fatal) {
  as_err err;
  as_err_init(&err);
  loaded l = {.spec = {.name = program}, .cand = {.name = candidate}};
  cli_verdicts v;
  cli_verdicts_init(&v);
  char *spec = read_hashed(program, &l.spec.len, f->now.program_sha, fatal);
  l.candidate_text = read_hashed(candidate, &l.cand.len, f->now.candidate_sha, fatal);
  l.spec.text = spec;
  l.cand.text = l.candidate_text;
  if (spec && l.candidate_text) {
    double start = processor_seconds();
    bool ok =
        load(r, f, program, candidate, &l, &err) && stated(f, l.c.lib, &l.spec, &l.cand, &err);
    if (!ok)
      relied_now(f, l.c.lib, NULL, NULL);
    if (ok && f->recorded && !r->o.all && same_hashes(&f->was, &f->now)) {
      f->outcome = AS_BASELINE_STANDS;
    } else if (ok && cli_judge(&r->o, &l.c, &l.spec, &l.cand, &v, &err)) {
      take_verdicts(f, &v);
      f->now.seconds = processor_seconds() - start;
      compare(f);
    } else if (err.status == AS_INTERNAL) {
      char *why = as_err_format(&err);
      as_err_set(fatal, AS_INTERNAL, "%s", why);
      free(why);
    } else {
      ill_formed(f, as_err_format(&err));
    }
    cli_case_clear(&l.c);
  }
  free(spec);
  free(l.candidate_text);
  free(l.candidate_name);
  cli_verdicts_clear(&v);
  as_err_clear(&err);
}

/* the number of a rule in its file; which way in *reverse; as_rulefile_count: none of this name */
static uint32_t rule_number(const as_rulefile *file, const char *part, bool *reverse) {
  static const char back[] = ".reverse";
  size_t n = strlen(part);
  size_t m = sizeof back - 1;
  *reverse = n > m && strcmp(part + n - m, back) == 0;
  if (*reverse)
    n -= m;
  uint32_t i = 0;
  for (; i < as_rulefile_count(file); i++) {
    const char *name = as_rulefile_name(file, i);
    if (strlen(name) == n && strncmp(name, part, n) == 0)
      break;
  }
  return i;
}

static void judge_rule(run *r, as_baseline_fact *f, const cli_rules *s, as_err *fatal) {
  bool reverse;
  size_t len;
  uint32_t i = rule_number(s->file, f->part, &reverse);
  const char *text = as_rulefile_text(s->file, i, &len);
  as_sha256(text, len, f->now.program_sha);
  double start = processor_seconds();
  as_err err;
  as_err_init(&err);
  ck_text spec = {s->path, s->text, s->len};
  ck_text cand = {f->part, "", 0};
  bool ok = stated(f, s->c.lib, &spec, &cand, &err);
  if (!ok)
    relied_now(f, s->c.lib, NULL, NULL);
  if (ok && f->recorded && !r->o.all && same_hashes(&f->was, &f->now)) {
    f->outcome = AS_BASELINE_STANDS;
  } else {
    cli_rule_verdict rv;
    cli_rule_judge(&r->o, s, i, reverse, &rv);
    f->now.seconds = processor_seconds() - start;
    f->now.verdict = as_strdup(rv.answer == CLI_RULE_BAD ? ILL_FORMED : cli_rule_words[rv.answer]);
    f->now.certified = rv.answer == CLI_RULE_PROVED && rv.v.certified;
    f->now.work = rv.v.proof.steps_tried;
    if (rv.v.reason || rv.error)
      f->reason = as_strdup(rv.v.reason ? rv.v.reason : rv.error);
    if (rv.cex_words)
      f->cex = as_strdup(rv.cex_words);
    if (rv.conflict) {
      as_err_set(fatal, AS_INTERNAL, "%s %s: a checked proof, and a counterexample that stands",
                 s->path, f->part);
    }
    compare(f);
    cli_rule_clear(&rv);
  }
  as_err_clear(&err);
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
             : rule_number(s->rules.file, f->part, &reverse) < as_rulefile_count(s->rules.file);
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
    ill_formed(f, as_strdup(s->why));
  else if (f->kind == AS_BASELINE_RULE)
    judge_rule(r, f, &s->rules, &fatal);
  else
    judge(r, f, program, candidate, &fatal);
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
  const cli_opts *o = &r->o;
  as_baseline *b = r->b;
  for (uint32_t i = 0; i < o->n_arg; i++) {
    if (!as_baseline_collect(b, o, o->arg[i], err))
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
    if (s->is_rules ? !cli_rules_open(&r->o, path, &s->rules, &err)
                    : (s->mirage = as_mirage_read(path, &err)) == NULL)
      s->why = as_err_format(&err);
    as_err_clear(&err);
  }
}

static void close_sources(run *r) {
  for (size_t i = 0; i < r->source.n; i++) {
    source *s = &AS_VEC_AT(&r->source, source, i);
    if (s->is_rules)
      cli_rules_close(&s->rules);
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
    bool unread = strcmp(f->now.verdict, ILL_FORMED) ==
                  0; /* its claim is not known, so that nothing can let it stand */
    for (uint32_t k = 0; k < f->now.n_op; k++)
      unread = unread || f->now.op[k].sha256[0] == 0;
    for (uint32_t k = 0; k < f->now.n_op && unread; k++)
      free(f->now.op[k].name);
    if (unread)
      f->now.n_op = 0;
    as_baseline_record_move(&f->was, &f->now);
  }
}

/* a folder of specifications that cannot be read is bad input, not a change of every fact */
static bool specifications_load(const cli_opts *o, as_err *err) {
  cli_case c;
  bool ok = cli_load(o, NULL, NULL, &c, err);
  cli_case_clear(&c);
  return ok;
}

int cli_regress(const cli_opts *o) {
  run r = {.o = *o};
  as_baseline b;
  as_baseline_init(&b, o->baseline);
  r.b = &b;
  as_vec_init(&r.asked, sizeof(as_baseline_fact *));
  as_vec_init(&r.source, sizeof(source));
  as_err_init(&r.fatal);
  pthread_mutex_init(&r.lock, NULL);
  cli_progress_init(&r.progress, o->quiet || o->json);
  double start = as_now();
  bool ok =
      specifications_load(o, &r.fatal) && as_baseline_read(&b, &r.fatal) && choose(&r, &r.fatal);
  int status = AS_OK;
  if (ok) {
    open_sources(&r);
    as_parallel((unsigned)(o->threads > 64 ? 64 : o->threads), r.asked.n, look, &r);
    cli_progress_end(&r.progress);
    ok = r.fatal.status == AS_OK;
  }
  if (ok) {
    status = as_baseline_report(o, &b, as_now() - start);
    ok = as_baseline_junit(o, &b, &r.fatal);
  }
  if (ok && o->update) {
    accept(&b);
    ok = as_baseline_write(&b, &r.fatal);
    status = AS_OK;
  }
  if (!ok)
    status = cli_fail(&r.fatal);
  close_sources(&r);
  as_vec_clear(&r.asked);
  as_baseline_clear(&b);
  pthread_mutex_destroy(&r.lock);
  as_err_clear(&r.fatal);
  return status;
}

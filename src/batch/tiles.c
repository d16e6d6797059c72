#include "tiles.h"
#include "alike.h"
#include "general.h"
#include "src/base/file.h"
#include "src/base/intern.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/str.h"
#include "src/report/judged.h"
#include "src/report/junit.h"
#include "verify/judge/job.h"
#include "verify/tile/tile_job.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_batch_tiles_how *how;
  as_oplib *library;
  char *given_name;
  char *given; /* its text as one of ours */
  size_t given_len;
  json_t *rows;
  uint32_t count[5];      /* by as_tile_answer; unreadable and proved ones */
  as_report_junit *junit; /* NULL: none */
  bool trial;             /* what is not proved need not be evaluated */
  bool left;              /* nothing that was to be left of what is proved is missing */
  as_intern texts;        /* of several: their texts, without the names that are their own */
  as_vec judged;          /* answered: what those came to */
} batch;

/* what a program that others are but for names came to */
typedef struct {
  char *label;
  char *words;
  uint32_t answer;
  as_tile_answer found; /* by evaluation */
  uint64_t instances;
  uint64_t elements;
  uint64_t conflicts;
} answered;

enum { UNREADABLE = 3, PROVED = 4 };

/* one candidate, as it came out */
typedef struct {
  const char *label;
  char *text; /* as one of ours; NULL: it could not be read */
  size_t len; /* bytes of it, zero bytes among them */
  uint32_t answer;
  as_tile_verdict verdict;
  as_job job;       /* and the texts of which */
  as_verdict proof; /* where one was sought */
  as_err err;
  double seconds;
  const answered *like; /* the one that this is but for names; NULL: none */
  char *launches;       /* of a generalisation: of which launches this is; NULL: it is none */
  char *where;          /* relations of sizes that reading it asks for, one a line; NULL: none */
  char *shadowing;      /* definitions with names of others (as_oplib_shadowing); NULL: none */
} row;

bool as_batch_tiles_are(const char *given, const char *candidate) {
  return as_ends_with(given, ".tile") || as_ends_with(candidate, ".tile");
}

bool as_batch_tiles_are_blocks(as_oplib *library, const char *given, const char *candidate) {
  as_tile_job job;
  as_err err;
  size_t len[2];
  const char *path[2] = {given, candidate};
  char *text[2];
  as_err_init(&err);
  as_tile_job_init(&job, library);
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    text[i] = ok ? as_read_file(path[i], &len[i], &err) : NULL;
    ok = ok && text[i] && as_tile_job_take(&job, i, path[i], text[i], len[i], &err);
  }
  char *block = NULL;
  if (ok && job.graph[0] && job.tile[1])
    block = as_tile_block_text(job.tile[1], job.graph[0], &err);
  bool blocks = block != NULL;
  free(block);
  for (int i = 0; i < 2; i++)
    free(text[i]);
  as_tile_job_clear(&job);
  as_err_clear(&err);
  return blocks;
}

static const char *word_of(const row *r) {
  return r->answer == UNREADABLE ? "UNREADABLE"
         : r->answer == PROVED   ? "PROVED"
                                 : as_tile_answer_word(r->verdict.answer);
}

/* gives the text of the given program (malloc'ed); one of the format's, where its name says so */
static char *read_given(const as_batch_tiles_how *how, const char *path, size_t *len, as_err *err) {
  if (how->from == NULL || !as_ends_with(path, how->from->extension))
    return as_read_file(path, len, err);
  void *file = how->from->read(path, &how->options, err);
  char *text = NULL;
  if (file && how->from->count(file) != 1)
    as_err_set(err, AS_BAD_INPUT, "%s: the given program stands alone in its file", path);
  else if (file)
    text = how->from->tile(file, 0, &how->options, true, NULL, err);
  how->from->free(file);
  if (text)
    *len = strlen(text);
  return text;
}

static char *copy_of(const char *text, size_t len) {
  char *copy = as_malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = 0;
  return copy;
}

/* The claim of the texts, proved, and the certificate checked. */
static void prove(const batch *b, row *r, const char *name) {
  as_policy policy = *b->how->policy;
  policy.all_steps = b->how->proof_steps;
  as_job_init(&r->job, as_oplib_again(b->library, &r->err));
  r->job.any_tile = true;
  bool read = r->job.lib &&
              as_job_take_program(&r->job, b->given_name, copy_of(b->given, b->given_len),
                                  b->given_len, &r->err) &&
              as_job_take_candidate(&r->job, name, copy_of(r->text, r->len), r->len, &r->err);
  if (!read) {
    r->answer = UNREADABLE;
    return;
  }
  as_judged judged = as_job_judged(&r->job);
  policy.field = judged.program != NULL; /* else what was evaluated stands in its place */
  as_judge(&judged, &policy, &r->proof);
  if (r->proof.certified)
    r->answer = PROVED;
}

/* --- what is left of one that is proved */

static bool package(const batch *b, row *r, as_err *err) {
  const as_judged judged = as_job_judged(&r->job);
  as_report_words words;
  if (b->how->out == NULL)
    return true;
  as_report_words_of(&r->proof, true, &words);
  bool ok =
      as_report_package(b->how->out, b->how->force, &judged, &r->proof, &words, NULL, NULL, err);
  as_report_words_clear(&words);
  return ok;
}

static bool export_tile(const batch *b, row *r, as_err *err) {
  if (b->how->written == NULL)
    return true;
  as_tile_job job;
  as_tile_job_init(&job, b->library);
  bool ok = as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, err) &&
            as_tile_job_take(&job, 1, "the candidate.tile", r->text, r->len, err) &&
            as_batch_export_tile(b->how->written, job.tile[1], r->text, err) &&
            as_batch_export_write(b->how->written, err);
  as_tile_job_clear(&job);
  return ok;
}

static void leave(batch *b, row *r) {
  bool wanted = b->how->out || b->how->written;
  if (!wanted)
    return;
  as_err err;
  as_err_init(&err);
  bool ok = r->answer == PROVED
                ? package(b, r, &err) && export_tile(b, r, &err)
                : as_err_set(&err, AS_UNKNOWN,
                             "%s is not proved: no result directory is left, and it is not written",
                             r->label);
  if (!ok)
    as_err_tell(&err);
  b->left = b->left && (ok || r->answer != PROVED);
  as_err_clear(&err);
}

/* alone: of several in a file none is proved unless that is asked for, as there can be thousands.
 * Evaluation comes first, and a proof is asked for where it compared something and found nothing;
 * where the policy asks for no comparison the proof comes first, and what is not proved is
 * evaluated. */
static void judge(batch *b, row *r, const char *name, bool alone) {
  const as_policy *policy = b->how->policy;
  bool proves = (alone || b->how->proof_steps > 0) && policy && !b->how->refute_only;
  as_tile_job job;
  as_tile_job_init(&job, b->library);
  bool ok = as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, &r->err) &&
            as_tile_job_take(&job, 1, name, r->text, r->len, &r->err);
  r->answer = UNREADABLE;
  if (ok)
    r->shadowing = as_oplib_shadowing(b->library);
  if (ok && proves && !policy->field)
    prove(b, r, name);
  if (r->answer == PROVED || (b->trial && r->proof.why)) {
    r->verdict.words = as_strdup("not evaluated");
    as_tile_job_clear(&job);
    return;
  }
  as_tile_budget budget = as_tile_budget_default;
  budget.seed = b->how->seed;
  budget.until = policy ? policy->until : 0;
  double start = as_now();
  ok = ok && as_tile_job_judge(&job, &budget, &r->verdict, &r->err) == AS_OK;
  as_stats_stage(AS_STAGE_TRIALS, as_now() - start);
  r->answer = ok ? (uint32_t)r->verdict.answer : UNREADABLE;
  as_tile_job_clear(&job);
  if (r->answer == AS_TILE_NO_DIFFERENCE && proves && policy->field && r->verdict.instances > 0)
    prove(b, r, name);
}

/* how many relations of sizes a theorem has that the given program's text does not */
static uint32_t n_hypotheses(const row *r) {
  uint32_t n = 0;
  for (const char *at = r->where ? r->where : ""; *at; at++)
    n += *at == '\n';
  return n;
}

/* each `where a <= b`, a line: `a <= b`, joined by commas; malloc'ed */
static char *hypotheses(const row *r) {
  static const char where[] = "where ";
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "");
  for (const char *at = r->where ? r->where : ""; *at; at += strcspn(at, "\n") + 1) {
    size_t skip = strncmp(at, where, strlen(where)) == 0 ? strlen(where) : 0;
    as_str_printf(&text, "%s%.*s", text.n ? ", " : "", (int)(strcspn(at, "\n") - skip), at + skip);
  }
  return as_str_take(&text);
}

/* with the sizes of which the theorem speaks alone, beyond what the texts state */
static char *proof_words(row *r) {
  as_verdict *proof = &r->proof;
  as_report_words words;
  as_report_words_of(proof, false, &words);
  char *more = hypotheses(r);
  char *text = as_format(
      "Proved for all sizes%s%s and inputs: %u goals, a certificate of %u steps, accepted.%s%s",
      *more ? " with " : "", more, proof->proof.goals, proof->proof.steps,
      words.implied ? "\nThe given program is defined only where " : "",
      words.implied ? words.implied : "");
  as_report_words_clear(&words);
  free(more);
  return text;
}

static char *why(row *r) {
  if (r->like)
    return as_format("Program %s but for names, of which: %s", r->like->label, r->like->words);
  if (r->answer == UNREADABLE)
    return as_err_format(&r->err);
  char *proof =
      r->answer == PROVED ? proof_words(r)
      : r->answer == AS_TILE_NO_DIFFERENCE && r->proof.why
          ? as_format("No proof: %s%s%s%s", r->proof.why, r->proof.proof.goal ? " (goal " : "",
                      r->proof.proof.goal ? r->proof.proof.goal : "",
                      r->proof.proof.goal ? ")" : "")
          : NULL;
  char *words = as_format("%s%s%s%s%s%s", r->launches ? r->launches : "", r->verdict.words,
                          proof ? "\n" : "", proof ? proof : "", r->shadowing ? "\nShadowing " : "",
                          r->shadowing ? r->shadowing : "");
  free(proof);
  return words;
}

static void print_row(const batch *b, const row *r, const char *words) {
  const as_batch_tiles_how *how = b->how;
  if (how->refute_only && r->answer == AS_TILE_NO_DIFFERENCE)
    return;
  if (how->verbose && r->text)
    fputs(r->text, stdout);
  uint32_t n = r->answer == PROVED ? n_hypotheses(r) : 0;
  const char *names = r->shadowing ? r->shadowing : "";
  const char *shadowing = r->shadowing ? ", shadowing " : "";
  if (how->quiet && n > 0)
    printf("%s, %u hypothes%s on sizes%s%s\n", word_of(r), n, n == 1 ? "is" : "es", shadowing,
           names);
  else if (how->quiet)
    printf("%s%s%s\n", word_of(r), shadowing, names);
  else if (how->from)
    printf("%7s  %-15s %7.3f s\n%s\n", r->label, word_of(r), r->seconds, words);
  else
    printf("%s\n%s\n", words, word_of(r));
  fflush(stdout);
}

static void add_junit(const batch *b, const row *r, const char *words) {
  bool wrong = r->answer == AS_TILE_DIFFERS || r->answer == AS_TILE_ORDER;
  as_report_junit_case test = {.group = b->given_name,
                               .name = r->label,
                               .outcome = r->answer == PROVED ? AS_REPORT_JUNIT_PASS
                                          : wrong             ? AS_REPORT_JUNIT_FAIL
                                                              : AS_REPORT_JUNIT_ERROR,
                               .type = word_of(r),
                               .message = word_of(r),
                               .detail = words,
                               .seconds = r->seconds};
  as_report_junit_add(b->junit, &test);
}

/* --- several that are each other but for names are judged once */
static const answered *find_like(const batch *b, const char *plain) {
  uint32_t id = as_intern_find(&b->texts, plain);
  return id == AS_NONE ? NULL : &AS_VEC_AT(&b->judged, answered, id);
}

static void take_from(row *r) {
  r->answer = r->like->answer;
  r->verdict.answer = r->like->found;
  r->verdict.instances = r->like->instances;
  r->verdict.elements = r->like->elements;
  r->verdict.conflicts = r->like->conflicts;
}

static void remember(batch *b, row *r, const char *plain) {
  answered done = {.label = as_strdup(r->label),
                   .words = why(r),
                   .answer = r->answer,
                   .found = r->verdict.answer,
                   .instances = r->verdict.instances,
                   .elements = r->verdict.elements,
                   .conflicts = r->verdict.conflicts};
  as_intern_string(&b->texts, plain);
  as_vec_push(&b->judged, &done);
}

static void forget_all(batch *b) {
  for (size_t i = 0; i < b->judged.n; i++) {
    free(AS_VEC_AT(&b->judged, answered, i).label);
    free(AS_VEC_AT(&b->judged, answered, i).words);
  }
  as_vec_clear(&b->judged);
  as_intern_clear(&b->texts);
}

static void row_clear(row *r) {
  free(r->text);
  free(r->launches);
  free(r->where);
  free(r->shadowing);
  as_tile_verdict_clear(&r->verdict);
  as_verdict_clear(&r->proof);
  as_job_clear(&r->job);
  as_err_clear(&r->err);
}

/* takes the row's text */
static void tell(batch *b, row *r) {
  char *words = why(r);
  add_junit(b, r, words);
  leave(b, r);
  b->count[r->answer]++;
  if (!b->how->json)
    print_row(b, r, words);
  json_t *text = r->text ? json_string(r->text) : NULL; /* NULL: not text at all */
  char *more = hypotheses(r);
  json_array_append_new(
      b->rows, json_pack("{s:s, s:s, s:f, s:s, s:s*, s:s, s:s*, s:I, s:I, s:I, s:o*}", "program",
                         r->label, "verdict", word_of(r), "seconds", r->seconds, "words", words,
                         "like", r->like ? r->like->label : NULL, "hypotheses", more, "shadowing",
                         r->shadowing, "instances", (json_int_t)r->verdict.instances, "elements",
                         (json_int_t)r->verdict.elements, "conflicts",
                         (json_int_t)r->verdict.conflicts, "tile", text));
  free(more);
  free(words);
  row_clear(r);
}

static void judge_text(batch *b, const char *path) {
  row r = {.label = path};
  as_err_init(&r.err);
  as_verdict_init(&r.proof);
  double start = as_now();
  r.text = as_read_file(path, &r.len, &r.err);
  r.answer = UNREADABLE;
  if (r.text)
    judge(b, &r, path, true);
  r.seconds = as_now() - start;
  tell(b, &r);
}

/* --- relations that reading a candidate asks for */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* does a relation speak of nothing but sizes of the given program?  Others are the candidate's own
 */
static bool is_of_given(const as_tile_job *job, const char *line, size_t n) {
  static const char *const words[] = {"where", "div", "mod", "max", "min"};
  const char *end = line + n;
  bool fine = true;
  while (fine && line < end) {
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    length = length < (size_t)(end - line) ? length : (size_t)(end - line);
    char *name = as_format("%.*s", (int)length, line);
    bool known = !is_letter(name[0]) || as_size_find(job->sizes, name) != AS_SIZE_BAD;
    for (size_t i = 0; i < sizeof words / sizeof *words && !known; i++)
      known = strcmp(name, words[i]) == 0;
    free(name);
    fine = known;
    line += length ? length : 1;
  }
  return fine;
}

/* is it one of these lines? */
static bool has_line(const char *text, const char *line, size_t n) {
  for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0)) {
    if (strcspn(at, "\n") == n && strncmp(at, line, n) == 0)
      return true;
  }
  return false;
}

/* The lines among the relations that the given program has to state (malloc'ed); NULL with err. */
static char *to_be_stated(const batch *b, const char *relations, as_err *err) {
  as_tile_job job;
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "");
  if (!*relations)
    return as_str_take(&text);
  as_tile_job_init(&job, b->library);
  bool ok = as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, err);
  for (const char *at = relations; ok && *at; at += strcspn(at, "\n") + 1) {
    size_t n = strcspn(at, "\n");
    char *line = as_format("%.*s\n", (int)n, at);
    if (is_of_given(&job, line, n) && !has_line(b->given, at, n))
      as_str_add(&text, line);
    free(line);
  }
  as_tile_job_clear(&job);
  char *whole = as_str_take(&text);
  if (ok)
    return whole;
  free(whole);
  return NULL;
}

/* The text without these lines, which the given program states for both. */
static char *without(const char *text, const char *lines) {
  as_str rest;
  as_str_init(&rest);
  as_str_add(&rest, "");
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, "\n");
    size_t end = n + (at[n] != 0);
    if (!has_line(lines, at, n))
      as_str_addn(&rest, at, end);
    at += end;
  }
  return as_str_take(&rest);
}

/* The given program under these relations stands in the place of b->given (malloc'ed); false with
 * err. */
static bool relate_given(batch *b, const char *relations, as_err *err) {
  as_batch_given given = {b->library, b->given_name, b->given};
  char *text =
      *relations ? as_batch_related(&given, relations, err) : copy_of(b->given, b->given_len);
  if (!text)
    return false;
  b->given = text;
  b->given_len = strlen(text);
  return true;
}

/* --- launches of which the one that is given may be an example */

/* what is tried for one candidate */
typedef struct {
  void *all;
  const as_import_general *format;
  const char *label;
  const char *name;
  char *given;      /* as it stands in its file */
  char *at_example; /* its sizes being those of the example */
  uint32_t effort;
  uint32_t n_tried;
  uint32_t n_refuted;
} trials;

/* a few small instances: is it wrong there? */
static bool refuted_at_once(const batch *b, const row *r, const char *name) {
  as_tile_budget few = {.seed = b->how->seed,
                        .max_size = 4,
                        .sizes_per_bound = 8,
                        .inputs_per_size = 1,
                        .max_ops = 200000,
                        .until = b->how->policy ? b->how->policy->until : 0};
  as_tile_verdict verdict = {0};
  as_err unsaid;
  as_err_init(&unsaid);
  as_tile_job job;
  as_tile_job_init(&job, b->library);
  bool wrong = as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, &unsaid) &&
               as_tile_job_take(&job, 1, name, r->text, r->len, &unsaid) &&
               as_tile_job_judge(&job, &few, &verdict, &unsaid) == AS_OK &&
               verdict.answer != AS_TILE_NO_DIFFERENCE;
  as_tile_verdict_clear(&verdict);
  as_tile_job_clear(&job);
  as_err_clear(&unsaid);
  return wrong;
}

/* the given program under a hypothesis, its relations being lines or none; NULL with err */
static char *given_under(const batch *b, const trials *t, const char *where, bool last,
                         as_err *err) {
  if (!*where)
    return as_strdup(last ? t->at_example : t->given);
  as_batch_given given = {b->library, b->given_name, t->given};
  return as_batch_related(&given, where, err);
}

/* One hypothesis; `last`: it is judged in full, whatever comes of it.  true: its row is told. */
static bool judge_hypothesis(batch *b, trials *t, uint32_t reading, uint32_t scope, bool last) {
  enum { REFUTED_COSTS = 1, OPEN_COSTS = 6 };

  row r = {.label = t->label};
  char *where = NULL;
  char *says = NULL;
  as_err_init(&r.err);
  as_verdict_init(&r.proof);
  double start = as_now();
  r.text = t->format->tile(t->all, reading, scope, &where, &says, &r.err);
  r.len = r.text ? strlen(r.text) : 0;
  r.answer = UNREADABLE;
  b->given = r.text ? given_under(b, t, where, last, &r.err) : NULL;
  b->given_len = b->given ? strlen(b->given) : 0;
  bool wrong = b->given && !last && refuted_at_once(b, &r, t->name);
  b->trial = !last;
  if (b->given && !wrong)
    judge(b, &r, t->name, true);
  b->trial = false;
  t->n_tried++;
  t->n_refuted += wrong || r.answer == AS_TILE_DIFFERS || r.answer == AS_TILE_ORDER;
  t->effort += wrong || !b->given ? REFUTED_COSTS : OPEN_COSTS;
  bool told = last || r.answer == PROVED;
  if (told) {
    r.where = as_strdup(where);
    r.launches =
        as_format("%s with %s%s%s(%u other hypotheses tried, %u refuted)\n",
                  last ? "Of the launch" : "Of all launches", says,
                  *where ? ", where sizes keep\n" : "\n", where, t->n_tried - 1, t->n_refuted);
    r.seconds = as_now() - start;
    tell(b, &r);
  } else {
    row_clear(&r);
  }
  free(b->given);
  b->given = NULL;
  free(where);
  free(says);
  return told;
}

/* the widest scope that is proved; where none is, the example alone, whatever comes of it */
static void judge_hypotheses(batch *b, trials *t) {
  enum { MOST_EFFORT = 240 };

  uint32_t n_reading = t->format->readings(t->all);
  uint32_t n_scope = t->format->scopes(t->all);
  for (uint32_t scope = 0; scope + 1 < n_scope; scope++) {
    for (uint32_t reading = 0; reading < n_reading; reading++) {
      if (t->effort < MOST_EFFORT && judge_hypothesis(b, t, reading, scope, false))
        return;
    }
  }
  judge_hypothesis(b, t, 0, n_scope - 1, true);
}

/* what is printed of the given program where its sizes are those of the example; NULL with err */
static char *at_example(const batch *b, const trials *t, const as_import_known *known,
                        as_err *err) {
  as_batch_given given = {b->library, b->given_name, t->given};
  int64_t *value = as_calloc(known->n_size + 1, sizeof *value);
  for (uint32_t i = 0; i < known->n_size; i++)
    value[i] = t->format->value(t->all, i);
  char *text = as_batch_at_values(&given, value, err);
  free(value);
  return text;
}

static bool judge_general(batch *b, void *file, size_t index, const char *path,
                          const as_import_tile_options *options, as_err *err) {
  const as_import_tile_format *format = b->how->from;
  as_import_known known = {0};
  trials t = {.format = format->general, .label = format->label(file, index), .given = b->given};
  as_tile_job job;
  as_tile_job_init(&job, b->library);
  if (as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, err)) {
    as_batch_known_of(&job, &known);
    t.all = t.format->open(file, options, &known, err);
  }
  char *name = as_format("%s#%s.tile", path, t.label);
  t.name = name;
  t.at_example = t.all ? at_example(b, &t, &known, err) : NULL;
  bool ready = t.at_example != NULL;
  if (ready)
    judge_hypotheses(b, &t);
  free(t.at_example);
  t.format->close(t.all);
  as_batch_known_clear(&known);
  as_tile_job_clear(&job);
  free(name);
  b->given = t.given;
  b->given_len = strlen(t.given);
  return ready;
}

/* is the candidate refuted by a value, too, where it has one?  Then that is the row's verdict. */
static bool differs_in_value(const batch *b, row *r, const char *name) {
  as_tile_job job;
  as_tile_verdict again = {0};
  as_err err;
  as_err_init(&err);
  as_tile_job_init(&job, b->library);
  as_tile_budget budget = as_tile_budget_default;
  budget.seed = b->how->seed;
  budget.until = b->how->policy ? b->how->policy->until : 0;
  budget.values = true;
  bool differs = as_tile_job_take(&job, 0, b->given_name, b->given, b->given_len, &err) &&
                 as_tile_job_take(&job, 1, name, r->text, r->len, &err) &&
                 as_tile_job_judge(&job, &budget, &again, &err) == AS_OK &&
                 again.answer == AS_TILE_DIFFERS;
  as_tile_job_clear(&job);
  as_err_clear(&err);
  as_tile_verdict other = r->verdict;
  if (differs)
    r->verdict = again;
  as_tile_verdict_clear(differs ? &other : &again);
  return differs;
}

/* A float that is no number can be dropped, or tested for; here it is no value at all.  So a
 * candidate that does so is not refuted by having no value. */
static void doubt(const batch *b, row *r, const char *name, void *file, size_t index,
                  const as_import_tile_options *options) {
  as_import_tile_options strict = *options;
  strict.no_nan = true;
  as_err why;
  as_err_init(&why);
  char *text = b->how->from->tile(file, index, &strict, false, NULL, &why);
  if (text == NULL && !differs_in_value(b, r, name)) {
    char *line = as_err_format(&why);
    char *words = as_format("%s\nThat refutes nothing: %s", r->verdict.words, line);
    free(r->verdict.words);
    free(line);
    r->verdict.words = words;
    r->answer = r->verdict.answer = AS_TILE_NO_DIFFERENCE;
  }
  free(text);
  as_err_clear(&why);
}

/* One candidate of a file of several, or alone: as what it is like, if that is known. */
static void judge_as_read(batch *b, void *file, size_t index, const char *path,
                          const as_import_tile_options *options) {
  const as_import_tile_format *format = b->how->from;
  row r = {.label = format->label(file, index)};
  char *name = as_format("%s#%s.tile", path, r.label);
  as_err_init(&r.err);
  as_verdict_init(&r.proof);
  double start = as_now();
  char *given = b->given;
  size_t given_len = b->given_len;
  char *where = NULL;
  r.text = format->tile(file, index, options, false, &where, &r.err);
  r.answer = UNREADABLE;
  r.len = r.text ? strlen(r.text) : 0;
  bool alone = format->count(file) == 1;
  r.where = r.text ? to_be_stated(b, where, &r.err) : NULL;
  bool related = r.where && relate_given(b, r.where, &r.err);
  if (related && *r.where) {
    char *text = without(r.text, r.where);
    free(r.text);
    r.text = text;
    r.len = strlen(text);
  }
  free(where);
  char *plain = r.text && !alone ? as_batch_plain_text(b->given, r.text) : NULL;
  r.like = plain ? find_like(b, plain) : NULL;
  if (r.like)
    take_from(&r);
  else if (related)
    judge(b, &r, name, alone);
  if (r.answer == AS_TILE_DIFFERS && r.verdict.lacking)
    doubt(b, &r, name, file, index, options);
  if (plain && !r.like)
    remember(b, &r, plain);
  r.seconds = as_now() - start;
  tell(b, &r);
  if (related)
    free(b->given);
  b->given = given;
  b->given_len = given_len;
  free(plain);
  free(name);
}

static bool judge_nth(batch *b, void *file, size_t index, const char *path,
                      const as_import_tile_options *options, as_err *err) {
  const as_import_tile_format *format = b->how->from;
  if (b->how->generalise && !format->general)
    return as_err_set(err, AS_BAD_INPUT, "%s: of %s nothing is generalised", path, format->name);
  if (b->how->generalise)
    return judge_general(b, file, index, path, options, err);
  judge_as_read(b, file, index, path, options);
  return true;
}

static bool judge_file(batch *b, const char *path, as_err *err) {
  const as_import_tile_format *format = b->how->from;
  as_import_tile_options options = b->how->options;
  options.in_order = false; /* of a candidate it is asked */
  void *file = format->read(path, &options, err);
  bool fine = file != NULL;
  for (size_t i = 0; fine && i < format->count(file); i++)
    fine = judge_nth(b, file, i, path, &options, err);
  format->free(file);
  return fine;
}

static void summary(const batch *b, double seconds) {
  const as_batch_tiles_how *how = b->how;
  const char *reading = how->from ? how->from->reading(&how->options) : NULL;
  if (how->json) {
    json_t *all =
        json_pack("{s:s, s:s*, s:i, s:i, s:i, s:i, s:i, s:f, s:O}", "format", "assay-tiles 1",
                  "reading", reading, "proved", (int)b->count[PROVED], "refuted",
                  (int)b->count[AS_TILE_DIFFERS], "order_dependent", (int)b->count[AS_TILE_ORDER],
                  "unknown", (int)b->count[AS_TILE_NO_DIFFERENCE], "unreadable",
                  (int)b->count[UNREADABLE], "seconds", seconds, "programs", b->rows);
    char *text = json_dumps(all, JSON_INDENT(1));
    puts(text);
    free(text);
    json_decref(all);
  } else if (!how->quiet && how->from) {
    printf(
        "Read so that %s.\n%u proved, %u refuted, %u order-dependent, %u unknown, %u unreadable in "
        "%.1f s\n",
        reading, b->count[PROVED], b->count[AS_TILE_DIFFERS], b->count[AS_TILE_ORDER],
        b->count[AS_TILE_NO_DIFFERENCE], b->count[UNREADABLE], seconds);
  }
}

/* a file of many is not read where all of it cannot be */
static int status_of(const batch *b) {
  if (b->count[AS_TILE_DIFFERS] || b->count[AS_TILE_ORDER])
    return AS_NO;
  if (b->count[AS_TILE_NO_DIFFERENCE])
    return AS_UNKNOWN;
  return b->count[UNREADABLE] || !b->left ? AS_BAD_INPUT : AS_OK;
}

int as_batch_tiles(const as_batch_tiles_how *how, as_oplib *library, const char *given,
                   const char *candidate) {
  as_err err;
  as_err_init(&err);
  batch b = {.how = how, .library = library, .rows = json_array(), .left = true};
  b.junit = how->junit ? as_report_junit_new(given) : NULL;
  as_intern_init(&b.texts, NULL);
  as_vec_init(&b.judged, sizeof(answered));
  double start = as_now();
  b.given = read_given(how, given, &b.given_len, &err);
  bool own = b.given && as_tile_is_text(b.given, b.given_len) && !as_ends_with(given, ".tile");
  b.given_name = own ? as_format("%s.tile", given) : as_strdup(given);
  bool ok =
      b.given != NULL && (how->out == NULL || as_report_dir_place(how->out, how->force, &err));
  if (ok && how->from)
    ok = judge_file(&b, candidate, &err);
  else if (ok)
    judge_text(&b, candidate);
  ok = ok && (b.junit == NULL || as_report_junit_write(b.junit, how->junit, &err));
  as_report_junit_free(b.junit);
  int status = ok ? status_of(&b) : as_err_tell(&err);
  bool more = how->refute_only && status == AS_UNKNOWN; /* then who asked goes on */
  if (ok && !more)
    summary(&b, as_now() - start);
  if (ok && !more && how->stats && !how->json)
    as_report_print_stats();
  forget_all(&b);
  json_decref(b.rows);
  free(b.given);
  free(b.given_name);
  as_err_clear(&err);
  return status;
}

#include "baseline.h"
#include "src/base/file.h"
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"program", "mirage", "rule"};

const char *as_baseline_kind_word(as_baseline_kind k) {
  return kinds[k];
}

static const char *const outcomes[] = {"stands", "same", "changed", "lost", "new", "gone", "apart"};

const char *as_baseline_outcome_word(as_baseline_outcome outcome) {
  return outcomes[outcome];
}

void as_baseline_record_clear(as_baseline_record *record) {
  for (uint32_t i = 0; i < record->n_op; i++)
    free(record->op[i].name);
  free(record->op);
  free(record->verdict);
  *record = (as_baseline_record){.seconds = -1};
}

void as_baseline_record_move(as_baseline_record *to, as_baseline_record *from) {
  as_baseline_record_clear(to);
  *to = *from;
  *from = (as_baseline_record){.seconds = -1};
}

const as_baseline_op *as_baseline_record_op(const as_baseline_record *record, const char *name) {
  for (uint32_t i = 0; i < record->n_op; i++) {
    if (strcmp(record->op[i].name, name) == 0)
      return &record->op[i];
  }
  return NULL;
}

/* ---- paths */
static char *absolute(const char *path) {
  char *real = realpath(path, NULL);
  if (real || path[0] == '/')
    return real ? real : as_strdup(path);
  char *cwd = realpath(".", NULL);
  char *out = as_format("%s/%s", cwd ? cwd : "", path);
  free(cwd);
  return out;
}

void as_baseline_init(as_baseline *baseline, const char *path) {
  char *dir = as_folder_of(path);
  *baseline = (as_baseline){as_strdup(path), absolute(dir), {0}};
  as_vec_init(&baseline->fact, sizeof(as_baseline_fact *));
  free(dir);
}

char *as_baseline_relative(const as_baseline *baseline, const char *path) {
  char *file = absolute(path);
  const char *folder = baseline->dir;
  const char *resolved = file;
  size_t same = 0; /* length of the folders in common, with the slash */
  for (size_t i = 0;; i++) {
    bool end_d = folder[i] == 0 || folder[i] == '/';
    bool end_f = resolved[i] == 0 || resolved[i] == '/';
    if (end_d && end_f)
      same = i + 1;
    if (folder[i] == 0 || resolved[i] == 0 || folder[i] != resolved[i])
      break;
  }
  size_t folder_length = strlen(folder);
  size_t length = strlen(resolved);
  as_str out;
  as_str_init(&out);
  for (const char *up = folder + (same > folder_length ? folder_length : same); *up; up++) {
    if (up == folder + same || up[-1] == '/')
      as_str_add(&out, "../");
  }
  as_str_add(&out, same > length ? "" : resolved + same);
  if (out.n == 0)
    as_str_add(&out, ".");
  free(file);
  return as_str_take(&out);
}

/* as seen from where the command runs, where that is the baseline's own folder; otherwise the whole
 * path */
char *as_baseline_real(const as_baseline *baseline, const char *relative) {
  char *cwd = realpath(".", NULL);
  bool here = cwd && strcmp(cwd, baseline->dir) == 0;
  free(cwd);
  if (here || relative[0] == '/')
    return as_strdup(relative);
  return as_format("%s/%s", baseline->dir, relative);
}

/* ---- facts */
static void fact_free(as_baseline_fact *fact) {
  as_baseline_record_clear(&fact->was);
  as_baseline_record_clear(&fact->now);
  free(fact->program);
  free(fact->candidate);
  free(fact->part);
  free(fact->reason);
  free(fact->cex);
  free(fact);
}

void as_baseline_clear(as_baseline *baseline) {
  for (size_t i = 0; i < baseline->fact.n; i++)
    fact_free(AS_VEC_AT(&baseline->fact, as_baseline_fact *, i));
  as_vec_clear(&baseline->fact);
  free(baseline->path);
  free(baseline->dir);
}

static bool is_fact(const as_baseline_fact *fact, as_baseline_kind kind, const char *program,
                    const char *candidate, const char *part) {
  return fact->kind == kind && strcmp(fact->program, program) == 0 &&
         strcmp(fact->candidate, candidate) == 0 && strcmp(fact->part, part) == 0;
}

as_baseline_fact *as_baseline_fact_at(as_baseline *baseline, as_baseline_kind kind,
                                      const char *program, const char *candidate,
                                      const char *part) {
  for (size_t i = baseline->fact.n; i-- > 0;)
    if (is_fact(AS_VEC_AT(&baseline->fact, as_baseline_fact *, i), kind, program, candidate, part))
      return AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
  as_baseline_fact *fact = as_calloc(1, sizeof *fact);
  *fact = (as_baseline_fact){.kind = kind,
                             .program = as_strdup(program),
                             .candidate = as_strdup(candidate),
                             .part = as_strdup(part)};
  fact->was.seconds = fact->now.seconds = -1;
  as_vec_push(&baseline->fact, &fact);
  return fact;
}

static int in_order(const void *a, const void *b) {
  const as_baseline_fact *one = *(as_baseline_fact *const *)a;
  const as_baseline_fact *other = *(as_baseline_fact *const *)b;
  if (one->kind != other->kind)
    return one->kind < other->kind ? -1 : 1;
  int order = strcmp(one->program, other->program);
  if (order == 0)
    order = strcmp(one->candidate, other->candidate);
  if (order == 0 && one->kind == AS_BASELINE_MIRAGE)
    order = (int)strlen(one->part) - (int)strlen(other->part); /* numbers */
  return order ? order : strcmp(one->part, other->part);
}

void as_baseline_sort(as_baseline *baseline) {
  if (baseline->fact.n)
    qsort(baseline->fact.data, baseline->fact.n, sizeof(as_baseline_fact *), in_order);
}

char *as_baseline_fact_name(const as_baseline_fact *fact) {
  if (fact->kind == AS_BASELINE_RULE)
    return as_format("%s %s", fact->program, fact->part);
  return fact->kind == AS_BASELINE_MIRAGE
             ? as_format("%s %s graph %s", fact->program, fact->candidate, fact->part)
             : as_format("%s %s", fact->program, fact->candidate);
}

/* ---- the file */
static bool bad(const as_baseline *baseline, size_t i, as_err *err) {
  return as_err_set(err, AS_BAD_INPUT, "%s: fact %zu is not what a baseline holds", baseline->path,
                    i);
}

static bool take_sha(char to[65], const json_t *json) {
  const char *hash = json_string_value(json);
  if (hash == NULL || strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64)
    return false;
  memcpy(to, hash, 65);
  return true;
}

static bool read_relied(as_baseline_record *record, json_t *relied) {
  const char *name;
  json_t *value;
  if (!json_is_object(relied))
    return false;
  record->op = as_calloc(json_object_size(relied) + 1, sizeof *record->op);
  json_object_foreach(relied, name, value) {
    as_baseline_op *op = &record->op[record->n_op];
    if (!take_sha(op->sha256, json_object_get(value, "sha256")) ||
        !take_sha(op->canonical, json_object_get(value, "canonical")))
      return false;
    op->name = as_strdup(name);
    record->n_op++;
  }
  return true;
}

static bool read_fact(as_baseline *baseline, json_t *json, size_t i, as_err *err) {
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const char *part = json_string_value(json_object_get(json, "part"));
  const char *verdict = json_string_value(json_object_get(json, "verdict"));
  json_t *program = json_object_get(json, "program");
  json_t *candidate = json_object_get(json, "candidate");
  json_t *work = json_object_get(json, "work");
  const char *program_path = json_string_value(json_object_get(program, "path"));
  const char *candidate_path =
      candidate ? json_string_value(json_object_get(candidate, "path")) : "";
  size_t k = 0;
  while (k < 3 && (kind == NULL || strcmp(kind, kinds[k]) != 0))
    k++;
  bool parts = k == AS_BASELINE_PROGRAM
                   ? part == NULL
                   : part && *part &&
                         (k == AS_BASELINE_RULE ||
                          part[strspn(part, "0123456789")] == 0); /* a name, or a number */
  if (k == 3 || !program_path || !candidate_path || !parts ||
      (k == AS_BASELINE_RULE) != (candidate == NULL) || !verdict ||
      !json_is_boolean(json_object_get(json, "certified")) || !json_is_integer(work))
    return bad(baseline, i, err);
  size_t before = baseline->fact.n;
  as_baseline_fact *fact = as_baseline_fact_at(baseline, (as_baseline_kind)k, program_path,
                                               candidate_path, part ? part : "");
  if (baseline->fact.n == before)
    return as_err_set(err, AS_BAD_INPUT, "%s: fact %zu is there twice", baseline->path, i);
  fact->recorded = true;
  fact->was.verdict = as_strdup(verdict);
  fact->was.certified = json_is_true(json_object_get(json, "certified"));
  fact->was.work = (uint32_t)json_integer_value(work);
  json_t *claim = json_object_get(json, "claim");
  if (claim && !take_sha(fact->was.claim_sha, claim))
    return bad(baseline, i, err);
  bool ok = take_sha(fact->was.program_sha, json_object_get(program, "sha256")) &&
            (candidate == NULL ||
             take_sha(fact->was.candidate_sha, json_object_get(candidate, "sha256")));
  return (ok && read_relied(&fact->was, json_object_get(json, "relied"))) || bad(baseline, i, err);
}

static json_t *load_json(const char *path, const char *format, as_err *err) {
  json_error_t error;
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return NULL;
  json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
  const char *kind = json_string_value(json_object_get(json, "format"));
  if (json == NULL) {
    as_err_at(err, path, text, len, error.line, error.column > 0 ? error.column : 1, "%s",
              error.text);
  } else if (kind == NULL || strcmp(kind, format) != 0) {
    as_err_set(err, AS_BAD_INPUT, "%s: no `%s`", path, format);
    json_decref(json);
    json = NULL;
  }
  free(text);
  return json;
}

static const char FORMAT[] = "assay-baseline 1";
static const char TIMES[] = "assay-baseline-times 1";

static bool read_times(as_baseline *baseline, const char *path, as_err *err) {
  json_t *json = load_json(path, TIMES, err);
  json_t *table = json_object_get(json, "seconds");
  for (size_t i = 0; i < baseline->fact.n; i++) {
    as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
    char *name = as_baseline_fact_name(fact);
    json_t *seconds = json_object_get(table, name);
    if (json_is_number(seconds))
      fact->was.seconds = json_number_value(seconds);
    free(name);
  }
  json_decref(json);
  return json != NULL;
}

bool as_baseline_read(as_baseline *baseline, as_err *err) {
  if (!as_exists(baseline->path))
    return true;
  json_t *json = load_json(baseline->path, FORMAT, err);
  json_t *facts = json_object_get(json, "facts");
  json_t *value;
  size_t i;
  bool ok = json != NULL;
  if (ok && !json_is_array(facts))
    ok = as_err_set(err, AS_BAD_INPUT, "%s: no list of facts", baseline->path);
  if (ok) {
    json_array_foreach(facts, i, value) {
      ok = read_fact(baseline, value, i, err);
      if (!ok)
        break;
    }
  }
  json_decref(json);
  as_baseline_sort(baseline);
  char *times = as_format("%s.times", baseline->path);
  if (ok && as_exists(times))
    ok = read_times(baseline, times, err);
  free(times);
  return ok;
}

static json_t *fact_json(const as_baseline_fact *fact) {
  const as_baseline_record *record = &fact->was;
  json_t *relied = json_object();
  for (uint32_t i = 0; i < record->n_op; i++) {
    json_object_set_new(relied, record->op[i].name,
                        json_pack("{s:s, s:s}", "sha256", record->op[i].sha256, "canonical",
                                  record->op[i].canonical));
  }
  json_t *json =
      json_pack("{s:s, s:{s:s, s:s}, s:o, s:s, s:b, s:I}", "kind", kinds[fact->kind], "program",
                "path", fact->program, "sha256", record->program_sha, "relied", relied, "verdict",
                record->verdict, "certified", record->certified, "work", (json_int_t)record->work);
  if (fact->candidate[0]) {
    json_object_set_new(
        json, "candidate",
        json_pack("{s:s, s:s}", "path", fact->candidate, "sha256", record->candidate_sha));
  }
  if (fact->part[0])
    json_object_set_new(json, "part", json_string(fact->part));
  if (record->claim_sha[0])
    json_object_set_new(json, "claim", json_string(record->claim_sha));
  return json;
}

static bool write_json(const char *path, json_t *json, as_err *err) {
  char *text = json_dumps(json, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(4));
  char *out = as_format("%s\n", text ? text : "");
  bool ok = text != NULL
                ? as_write_file(path, out, strlen(out), err)
                : as_err_set(err, AS_BAD_INPUT, "%s: a path or a name is no UTF-8 text", path);
  free(text);
  free(out);
  json_decref(json);
  return ok;
}

bool as_baseline_write(const as_baseline *baseline, as_err *err) {
  json_t *facts = json_array();
  json_t *seconds = json_object();
  for (size_t i = 0; i < baseline->fact.n; i++) {
    const as_baseline_fact *fact = AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
    if (fact->was.verdict == NULL)
      continue;
    json_array_append_new(facts, fact_json(fact));
    char *name = as_baseline_fact_name(fact);
    if (fact->was.seconds >= 0)
      json_object_set_new(seconds, name, json_real(fact->was.seconds));
    free(name);
  }
  char *times = as_format("%s.times", baseline->path);
  bool ok =
      write_json(baseline->path, json_pack("{s:s, s:o}", "format", FORMAT, "facts", facts), err);
  ok = write_json(times, json_pack("{s:s, s:o}", "format", TIMES, "seconds", seconds), err) && ok;
  free(times);
  return ok;
}

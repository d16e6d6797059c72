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

void as_baseline_record_clear(as_baseline_record *r) {
  for (uint32_t i = 0; i < r->n_op; i++)
    free(r->op[i].name);
  free(r->op);
  free(r->verdict);
  *r = (as_baseline_record){.seconds = -1};
}

void as_baseline_record_move(as_baseline_record *to, as_baseline_record *from) {
  as_baseline_record_clear(to);
  *to = *from;
  *from = (as_baseline_record){.seconds = -1};
}

const as_baseline_op *as_baseline_record_op(const as_baseline_record *r, const char *name) {
  for (uint32_t i = 0; i < r->n_op; i++) {
    if (strcmp(r->op[i].name, name) == 0)
      return &r->op[i];
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

void as_baseline_init(as_baseline *b, const char *path) {
  char *dir = as_folder_of(path);
  *b = (as_baseline){as_strdup(path), absolute(dir), {0}};
  as_vec_init(&b->fact, sizeof(as_baseline_fact *));
  free(dir);
}

char *as_baseline_relative(const as_baseline *b, const char *path) {
  char *file = absolute(path);
  const char *d = b->dir;
  const char *f = file;
  size_t same = 0; /* length of the folders in common, with the slash */
  for (size_t i = 0;; i++) {
    bool end_d = d[i] == 0 || d[i] == '/';
    bool end_f = f[i] == 0 || f[i] == '/';
    if (end_d && end_f)
      same = i + 1;
    if (d[i] == 0 || f[i] == 0 || d[i] != f[i])
      break;
  }
  size_t nd = strlen(d);
  size_t nf = strlen(f);
  as_str s;
  as_str_init(&s);
  for (const char *p = d + (same > nd ? nd : same); *p; p++) {
    if (p == d + same || p[-1] == '/')
      as_str_add(&s, "../");
  }
  as_str_add(&s, same > nf ? "" : f + same);
  if (s.n == 0)
    as_str_add(&s, ".");
  free(file);
  return as_str_take(&s);
}

/* as seen from where the command runs, where that is the baseline's own folder; otherwise the whole
 * path */
char *as_baseline_real(const as_baseline *b, const char *relative) {
  char *cwd = realpath(".", NULL);
  bool here = cwd && strcmp(cwd, b->dir) == 0;
  free(cwd);
  if (here || relative[0] == '/')
    return as_strdup(relative);
  return as_format("%s/%s", b->dir, relative);
}

/* ---- facts */
static void fact_free(as_baseline_fact *f) {
  as_baseline_record_clear(&f->was);
  as_baseline_record_clear(&f->now);
  free(f->program);
  free(f->candidate);
  free(f->part);
  free(f->reason);
  free(f->cex);
  free(f);
}

void as_baseline_clear(as_baseline *b) {
  for (size_t i = 0; i < b->fact.n; i++)
    fact_free(AS_VEC_AT(&b->fact, as_baseline_fact *, i));
  as_vec_clear(&b->fact);
  free(b->path);
  free(b->dir);
}

static bool is_fact(const as_baseline_fact *f, as_baseline_kind kind, const char *program,
                    const char *candidate, const char *part) {
  return f->kind == kind && strcmp(f->program, program) == 0 &&
         strcmp(f->candidate, candidate) == 0 && strcmp(f->part, part) == 0;
}

as_baseline_fact *as_baseline_fact_at(as_baseline *b, as_baseline_kind kind, const char *program,
                                      const char *candidate, const char *part) {
  for (size_t i = b->fact.n; i-- > 0;)
    if (is_fact(AS_VEC_AT(&b->fact, as_baseline_fact *, i), kind, program, candidate, part))
      return AS_VEC_AT(&b->fact, as_baseline_fact *, i);
  as_baseline_fact *f = as_calloc(1, sizeof *f);
  *f = (as_baseline_fact){.kind = kind,
                          .program = as_strdup(program),
                          .candidate = as_strdup(candidate),
                          .part = as_strdup(part)};
  f->was.seconds = f->now.seconds = -1;
  as_vec_push(&b->fact, &f);
  return f;
}

static int in_order(const void *a, const void *b) {
  const as_baseline_fact *x = *(as_baseline_fact *const *)a;
  const as_baseline_fact *y = *(as_baseline_fact *const *)b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  int c = strcmp(x->program, y->program);
  if (c == 0)
    c = strcmp(x->candidate, y->candidate);
  if (c == 0 && x->kind == AS_BASELINE_MIRAGE)
    c = (int)strlen(x->part) - (int)strlen(y->part); /* numbers */
  return c ? c : strcmp(x->part, y->part);
}

void as_baseline_sort(as_baseline *b) {
  if (b->fact.n)
    qsort(b->fact.data, b->fact.n, sizeof(as_baseline_fact *), in_order);
}

char *as_baseline_fact_name(const as_baseline_fact *f) {
  if (f->kind == AS_BASELINE_RULE)
    return as_format("%s %s", f->program, f->part);
  return f->kind == AS_BASELINE_MIRAGE
             ? as_format("%s %s graph %s", f->program, f->candidate, f->part)
             : as_format("%s %s", f->program, f->candidate);
}

/* ---- the file */
static bool bad(const as_baseline *b, size_t i, as_err *err) {
  return as_err_set(err, AS_BAD_INPUT, "%s: fact %zu is not what a baseline holds", b->path, i);
}

static bool take_sha(char to[65], const json_t *j) {
  const char *s = json_string_value(j);
  if (s == NULL || strlen(s) != 64 || strspn(s, "0123456789abcdef") != 64)
    return false;
  memcpy(to, s, 65);
  return true;
}

static bool read_relied(as_baseline_record *r, json_t *relied) {
  const char *name;
  json_t *v;
  if (!json_is_object(relied))
    return false;
  r->op = as_calloc(json_object_size(relied) + 1, sizeof *r->op);
  json_object_foreach(relied, name, v) {
    as_baseline_op *o = &r->op[r->n_op];
    if (!take_sha(o->sha256, json_object_get(v, "sha256")) ||
        !take_sha(o->canonical, json_object_get(v, "canonical")))
      return false;
    o->name = as_strdup(name);
    r->n_op++;
  }
  return true;
}

static bool read_fact(as_baseline *b, json_t *j, size_t i, as_err *err) {
  const char *kind = json_string_value(json_object_get(j, "kind"));
  const char *part = json_string_value(json_object_get(j, "part"));
  const char *verdict = json_string_value(json_object_get(j, "verdict"));
  json_t *p = json_object_get(j, "program");
  json_t *c = json_object_get(j, "candidate");
  json_t *work = json_object_get(j, "work");
  const char *pp = json_string_value(json_object_get(p, "path"));
  const char *cp = c ? json_string_value(json_object_get(c, "path")) : "";
  size_t k = 0;
  while (k < 3 && (kind == NULL || strcmp(kind, kinds[k]) != 0))
    k++;
  bool parts = k == AS_BASELINE_PROGRAM
                   ? part == NULL
                   : part && *part &&
                         (k == AS_BASELINE_RULE ||
                          part[strspn(part, "0123456789")] == 0); /* a name, or a number */
  if (k == 3 || !pp || !cp || !parts || (k == AS_BASELINE_RULE) != (c == NULL) || !verdict ||
      !json_is_boolean(json_object_get(j, "certified")) || !json_is_integer(work))
    return bad(b, i, err);
  size_t before = b->fact.n;
  as_baseline_fact *f = as_baseline_fact_at(b, (as_baseline_kind)k, pp, cp, part ? part : "");
  if (b->fact.n == before)
    return as_err_set(err, AS_BAD_INPUT, "%s: fact %zu is there twice", b->path, i);
  f->recorded = true;
  f->was.verdict = as_strdup(verdict);
  f->was.certified = json_is_true(json_object_get(j, "certified"));
  f->was.work = (uint32_t)json_integer_value(work);
  json_t *claim = json_object_get(j, "claim");
  if (claim && !take_sha(f->was.claim_sha, claim))
    return bad(b, i, err);
  bool ok = take_sha(f->was.program_sha, json_object_get(p, "sha256")) &&
            (c == NULL || take_sha(f->was.candidate_sha, json_object_get(c, "sha256")));
  return (ok && read_relied(&f->was, json_object_get(j, "relied"))) || bad(b, i, err);
}

static json_t *load_json(const char *path, const char *format, as_err *err) {
  json_error_t e;
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return NULL;
  json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
  const char *is = json_string_value(json_object_get(j, "format"));
  if (j == NULL) {
    as_err_at(err, path, text, len, e.line, e.column > 0 ? e.column : 1, "%s", e.text);
  } else if (is == NULL || strcmp(is, format) != 0) {
    as_err_set(err, AS_BAD_INPUT, "%s: no `%s`", path, format);
    json_decref(j);
    j = NULL;
  }
  free(text);
  return j;
}

static const char FORMAT[] = "assay-baseline 1";
static const char TIMES[] = "assay-baseline-times 1";

static bool read_times(as_baseline *b, const char *path, as_err *err) {
  json_t *j = load_json(path, TIMES, err);
  json_t *t = json_object_get(j, "seconds");
  for (size_t i = 0; i < b->fact.n; i++) {
    as_baseline_fact *f = AS_VEC_AT(&b->fact, as_baseline_fact *, i);
    char *name = as_baseline_fact_name(f);
    json_t *s = json_object_get(t, name);
    if (json_is_number(s))
      f->was.seconds = json_number_value(s);
    free(name);
  }
  json_decref(j);
  return j != NULL;
}

bool as_baseline_read(as_baseline *b, as_err *err) {
  if (!as_exists(b->path))
    return true;
  json_t *j = load_json(b->path, FORMAT, err);
  json_t *facts = json_object_get(j, "facts");
  json_t *v;
  size_t i;
  bool ok = j != NULL;
  if (ok && !json_is_array(facts))
    ok = as_err_set(err, AS_BAD_INPUT, "%s: no list of facts", b->path);
  if (ok) {
    json_array_foreach(facts, i, v) {
      ok = read_fact(b, v, i, err);
      if (!ok)
        break;
    }
  }
  json_decref(j);
  as_baseline_sort(b);
  char *times = as_format("%s.times", b->path);
  if (ok && as_exists(times))
    ok = read_times(b, times, err);
  free(times);
  return ok;
}

static json_t *fact_json(const as_baseline_fact *f) {
  const as_baseline_record *r = &f->was;
  json_t *relied = json_object();
  for (uint32_t i = 0; i < r->n_op; i++) {
    json_object_set_new(
        relied, r->op[i].name,
        json_pack("{s:s, s:s}", "sha256", r->op[i].sha256, "canonical", r->op[i].canonical));
  }
  json_t *j =
      json_pack("{s:s, s:{s:s, s:s}, s:o, s:s, s:b, s:I}", "kind", kinds[f->kind], "program",
                "path", f->program, "sha256", r->program_sha, "relied", relied, "verdict",
                r->verdict, "certified", r->certified, "work", (json_int_t)r->work);
  if (f->candidate[0]) {
    json_object_set_new(j, "candidate",
                        json_pack("{s:s, s:s}", "path", f->candidate, "sha256", r->candidate_sha));
  }
  if (f->part[0])
    json_object_set_new(j, "part", json_string(f->part));
  if (r->claim_sha[0])
    json_object_set_new(j, "claim", json_string(r->claim_sha));
  return j;
}

static bool write_json(const char *path, json_t *j, as_err *err) {
  char *text = json_dumps(j, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(4));
  char *out = as_format("%s\n", text ? text : "");
  bool ok = text != NULL
                ? as_write_file(path, out, strlen(out), err)
                : as_err_set(err, AS_BAD_INPUT, "%s: a path or a name is no UTF-8 text", path);
  free(text);
  free(out);
  json_decref(j);
  return ok;
}

bool as_baseline_write(const as_baseline *b, as_err *err) {
  json_t *facts = json_array();
  json_t *seconds = json_object();
  for (size_t i = 0; i < b->fact.n; i++) {
    const as_baseline_fact *f = AS_VEC_AT(&b->fact, as_baseline_fact *, i);
    if (f->was.verdict == NULL)
      continue;
    json_array_append_new(facts, fact_json(f));
    char *name = as_baseline_fact_name(f);
    if (f->was.seconds >= 0)
      json_object_set_new(seconds, name, json_real(f->was.seconds));
    free(name);
  }
  char *times = as_format("%s.times", b->path);
  bool ok = write_json(b->path, json_pack("{s:s, s:o}", "format", FORMAT, "facts", facts), err);
  ok = write_json(times, json_pack("{s:s, s:o}", "format", TIMES, "seconds", seconds), err) && ok;
  free(times);
  return ok;
}

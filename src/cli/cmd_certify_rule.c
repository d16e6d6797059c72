/* `assay certify FILE.rule...`: a line for every rule and a summary.  Rules are judged by several
 * threads and told in the order of the files. */
#include "progress.h"
#include "rule_verdict.h"
#include "src/report/draw.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const cli_rules *file;
  uint32_t rule;
  bool reverse;
  bool done;
  cli_rule_verdict r;
} job;

typedef struct {
  const cli_opts *o;
  cli_rules *file;
  uint32_t n_file;
  uint32_t bad_files;
  job *job;
  size_t n;
  bool table; /* on standard output, a line a rule */
  int width;  /* of the longest name */
  double start;
  pthread_mutex_t lock; /* what follows */
  size_t told;
  size_t judged;
  cli_progress progress;
  uint32_t count[5];
  uint32_t surprises;
  uint32_t conflicts;
} run;

static const char *base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void print_residual(const as_proof_result *p) {
  if (p->goal)
    printf("    open: goal %s\n", p->goal);
  if (p->goal && p->left)
    printf("      %s\n", p->left);
  if (p->goal && p->right)
    printf("      %s\n", p->right);
}

static void tell(const run *R, const job *j) {
  const cli_rule_verdict *r = &j->r;
  if (!R->table)
    return;
  if (R->progress.terminal) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
  if (R->n_file + R->bad_files > 1 && j->rule == 0 && (j == R->job || j[-1].file != j->file))
    printf("# %s\n", j->file->path);
  printf("%-*s  %-8s %8.3f s%s%s%s\n", R->width, r->name, cli_rule_words[r->answer], r->seconds,
         r->surprise ? "  expected: " : "", r->surprise ? as_expect_word(r->expect) : "",
         r->conflict ? "  INTERNAL ERROR: a checked proof, and a counterexample that stands" : "");
  if (r->cex_words)
    fputs(r->cex_words, stdout);
  if (r->error)
    printf("%s\n", r->error);
  if ((r->answer == CLI_RULE_UNKNOWN || r->answer == CLI_RULE_VACUOUS) && r->v.reason)
    printf("    %s\n", r->v.reason);
  if (r->answer == CLI_RULE_UNKNOWN)
    print_residual(&r->v.proof);
  if (r->answer == CLI_RULE_PROVED && r->tally.filled == 0)
    puts("    (seen at instances only where all results are empty)");
  if (R->o->verbose && r->answer == CLI_RULE_PROVED) {
    printf("%s\n    proof of %u steps in %.3f s, checked in %.3f s; %llu instances agree\n",
           r->v.theorem, r->v.proof.steps, r->v.prove_seconds, r->v.check_seconds,
           (unsigned long long)r->tally.defined);
  }
  fflush(stdout);
}

static void one(void *arg, size_t i) {
  run *R = arg;
  job *j = &R->job[i];
  cli_rule_judge(R->o, j->file, j->rule, j->reverse, &j->r);
  pthread_mutex_lock(&R->lock);
  j->done = true;
  R->judged++;
  R->count[j->r.answer]++;
  R->surprises += j->r.surprise;
  R->conflicts += j->r.conflict;
  for (; R->told < R->n && R->job[R->told].done; R->told++)
    tell(R, &R->job[R->told]);
  cli_progress_count(&R->progress, "rules", R->judged, R->n);
  pthread_mutex_unlock(&R->lock);
}

/* --- what is left behind */
/* enough to evaluate it again; sizes of the axes of a group I are I.0, I.1, .. */
static json_t *instance(const as_rule_cex *x) {
  cli_case c = {.sizes = x->rule->sizes, .spec = x->rule->lhs, .cand = x->rule->rhs};
  as_cex cex = x->cex; /* borrows everything */
  cex.output = AS_NONE;
  json_t *o = as_report_cex_json(&c, &cex);
  json_t *axes = json_object();
  for (uint32_t i = 0; i < x->rule->n_group; i++)
    json_object_set_new(axes, x->rule->group[i], json_integer(x->rule->rank[i]));
  json_object_set_new(o, "axes", axes);
  json_object_set_new(
      o, "output",
      json_string(x->cex.output < x->rule->n_output ? x->rule->output[x->cex.output] : ""));
  return o;
}

static json_t *row(const job *j, const char *cert) {
  const cli_rule_verdict *r = &j->r;
  json_t *o = json_pack(
      "{s:s, s:s, s:s, s:s, s:f, s:b, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:b}", "file",
      j->file->path, "rule", r->name, "direction", j->reverse ? "backward" : "forward", "verdict",
      cli_rule_words[r->answer], "seconds", r->seconds, "as_expected", !r->surprise, "expected",
      r->expect ? as_expect_word(r->expect) : NULL, "reason", r->v.reason, "error", r->error,
      "counterexample", r->cex_words, "certificate", cert, "theorem",
      r->answer == CLI_RULE_PROVED ? r->v.theorem : NULL, "internal_error", r->conflict);
  if (o == NULL)
    return json_null();
  json_object_set_new(o, "instances",
                      json_pack("{s:I, s:I, s:I, s:I}", "tried", (json_int_t)r->tally.inputs,
                                "defined", (json_int_t)r->tally.defined, "not_empty",
                                (json_int_t)r->tally.filled, "undecided",
                                (json_int_t)r->tally.open));
  if (r->has_cex)
    json_object_set_new(o, "instance", instance(&r->cex));
  if (r->answer == CLI_RULE_UNKNOWN && r->v.proof.goal) {
    json_object_set_new(o, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", r->v.proof.goal, "left",
                                  r->v.proof.left, "right", r->v.proof.right));
  }
  if (r->answer == CLI_RULE_PROVED) {
    json_t *relied = json_object();
    for (uint32_t i = 0; i < r->v.n_relied; i++)
      json_object_set_new(relied, r->v.relied[i].name, json_string(r->v.relied[i].sha256));
    json_object_set_new(o, "relies_on", relied);
  }
  return o;
}

static bool has_file(const as_report_dir *r, const char *name) {
  for (size_t i = 0; i < r->file.n; i++) {
    if (strcmp(AS_VEC_AT(&r->file, as_report_file, i).name, name) == 0)
      return true;
  }
  return false;
}

/* NAME.cert; FILE-NAME.cert where two files have a rule of one name; NULL where there is none */
static char *certificate(const job *j, as_report_dir *out) {
  const as_proof_result *p = &j->r.v.proof;
  if (j->r.answer != CLI_RULE_PROVED)
    return NULL;
  char *name = as_format("%s.cert", j->r.name);
  for (unsigned k = 1; has_file(out, name); k++) {
    free(name);
    name = k == 1 ? as_format("%.*s-%s.cert", (int)strlen(base(j->file->path)) - 5,
                              base(j->file->path), j->r.name)
                  : as_format("%s-%u.cert", j->r.name, k);
  }
  as_report_dir_add(out, name, p->cert, p->cert_len);
  return name;
}

static as_report_state state_of(const cli_rule_verdict *r) {
  return r->conflict || r->answer == CLI_RULE_REFUTED || r->answer == CLI_RULE_BAD ? AS_REPORT_BAD
         : r->answer == CLI_RULE_PROVED                                            ? AS_REPORT_GOOD
                                                                                   : AS_REPORT_OPEN;
}

/* both sides drawn; where one is ill-formed at any sizes there is nothing to draw */
static void sides(const job *j, as_report_item *it) {
  as_rule *rule = as_rule_read(j->file->file, j->rule, NULL, NULL);
  for (int k = 0; rule && !rule->ill_formed && k < 2; k++) {
    char *dot = as_report_dot(k ? rule->rhs : rule->lhs);
    as_report_add_part(it, k ? "Right side" : "Left side", NULL, dot);
    free(dot);
  }
  as_rule_free(rule);
}

static void counterexample(const cli_rule_verdict *r, as_report_item *it) {
  const as_rule *rule = r->cex.rule;
  const as_graph *given = r->cex.reverse ? rule->rhs : rule->lhs;
  const as_graph *other = r->cex.reverse ? rule->lhs : rule->rhs;
  for (uint32_t g = 0; g < rule->n_group; g++) {
    as_str s;
    as_str_init(&s);
    size_t len = strlen(rule->group[g]);
    for (uint32_t i = 0, n = 0; i < r->cex.cex.n_sizes; i++) {
      const char *axis = as_size_name(rule->sizes, r->cex.cex.size[i]);
      if (strncmp(axis, rule->group[g], len) == 0 && axis[len] == '.')
        as_str_printf(&s, "%s%lld", n++ ? ", " : "", (long long)r->cex.cex.value[i]);
    }
    char *extents = as_format("[%s]", s.s ? s.s : "");
    as_report_add_axes(it, rule->group[g], extents);
    free(extents);
    as_str_clear(&s);
  }
  as_report_judged_cex(it, given, other, &r->cex.cex);
  it->cex.sides[0] = r->cex.reverse ? "right side" : "left side";
  it->cex.sides[1] = r->cex.reverse ? "left side" : "right side";
}

static void item(const job *j, as_report_item *it) {
  const cli_rule_verdict *r = &j->r;
  size_t n;
  const char *text = as_rulefile_text(j->file->file, j->rule, &n);
  char *rule = as_format("%.*s", (int)n, text);
  as_report_init(it, r->name, cli_rule_words[r->answer], state_of(r));
  it->group = as_report_keep(it, j->file->path);
  it->reason = as_report_keep(it, r->v.reason ? r->v.reason : r->error);
  it->theorem = as_report_keep(it, r->answer == CLI_RULE_PROVED ? r->v.theorem_shown : NULL);
  it->outline = as_report_keep(it, r->v.outline);
  it->seconds = r->answer == CLI_RULE_PROVED ? r->v.prove_seconds : -1;
  it->steps = r->v.proof.steps;
  as_report_add_note(it, "Rule", rule);
  sides(j, it);
  if (r->has_cex)
    counterexample(r, it);
  if (r->v.checked)
    as_report_row(it, AS_REPORT_GOOD, "Trusted checker", "accepts in %.3f s", r->v.check_seconds);
  as_report_row(it, r->tally.defined ? AS_REPORT_GOOD : AS_REPORT_OPEN, "Instances",
                "%llu tried, defined at %llu of them", (unsigned long long)r->tally.inputs,
                (unsigned long long)r->tally.defined);
  if (r->expect) {
    as_report_row(it, r->surprise ? AS_REPORT_BAD : AS_REPORT_GOOD, "Expected", "%s",
                  as_expect_word(r->expect));
  }
  for (uint32_t i = 0; i < r->v.n_relied && r->answer == CLI_RULE_PROVED; i++)
    as_report_add_relied(it, r->v.relied[i].name, r->v.relied[i].sha256, NULL);
  free(rule);
}

static char *report_html(const run *R, double seconds) {
  as_report_item *items = as_calloc(R->n + 1, sizeof *items);
  for (size_t i = 0; i < R->n; i++)
    item(&R->job[i], &items[i]);
  char *html =
      as_report_batch_html(&(as_report_batch){"Rewrite rules", NULL, seconds}, items, R->n);
  for (size_t i = 0; i < R->n; i++)
    as_report_clear(&items[i]);
  free(items);
  return html;
}

static bool leave(run *R, double seconds, as_err *err) {
  const cli_opts *o = R->o;
  as_report_dir out;
  as_report_dir_init(&out);
  as_str batch;
  as_str_init(&batch);
  json_t *rules = json_array();
  for (size_t i = 0; i < R->n; i++) {
    job *j = &R->job[i];
    char *cert = certificate(j, &out);
    if (cert && o->out)
      as_str_printf(&batch, "%s %s %s/%s\n", j->file->path, j->r.name, o->out, cert);
    json_array_append_new(rules, row(j, o->out ? cert : NULL));
    free(cert);
  }
  json_t *all =
      json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o}", "format", "assay-rules 1",
                "proved", (int)R->count[CLI_RULE_PROVED], "refuted",
                (int)R->count[CLI_RULE_REFUTED], "unknown", (int)R->count[CLI_RULE_UNKNOWN],
                "vacuous", (int)R->count[CLI_RULE_VACUOUS], "errors", (int)R->count[CLI_RULE_BAD],
                "unexpected", (int)R->surprises, "seconds", seconds, "rules", rules);
  char *text = json_dumps(all, JSON_INDENT(1));
  char *json = as_format("%s\n", text ? text : "{}");
  bool ok = true;
  if (o->json)
    fputs(json, stdout);
  if (o->out) {
    char *html = report_html(R, seconds);
    as_report_dir_add(&out, "report.json", json, strlen(json));
    as_report_dir_add(&out, "report.html", html, strlen(html));
    as_report_dir_add(&out, "batch", batch.s ? batch.s : "", batch.n);
    free(html);
    ok = as_report_dir_write(&out, o->out, o->force, err);
  }
  free(text);
  free(json);
  json_decref(all);
  as_str_clear(&batch);
  as_report_dir_clear(&out);
  return ok;
}

static bool leave_junit(const run *R, as_err *err) {
  if (R->o->junit == NULL)
    return true;
  as_report_junit *x = as_report_junit_new("rules");
  for (size_t i = 0; i < R->n; i++) {
    const job *j = &R->job[i];
    const cli_rule_verdict *r = &j->r;
    bool good = r->expect ? !r->surprise : r->answer == CLI_RULE_PROVED;
    as_report_junit_outcome out = r->conflict ? AS_REPORT_JUNIT_FAIL
                                  : good      ? AS_REPORT_JUNIT_PASS
                                  : r->answer == CLI_RULE_REFUTED || r->surprise
                                      ? AS_REPORT_JUNIT_FAIL
                                      : AS_REPORT_JUNIT_ERROR;
    as_report_junit_add(x, &(as_report_junit_case){
                               j->file->path, r->name, out, cli_rule_words[r->answer], r->v.reason,
                               r->cex_words ? r->cex_words : r->error, r->seconds});
  }
  bool ok = as_report_junit_write(x, R->o->junit, err);
  as_report_junit_free(x);
  return ok;
}

/* worst first: a contradiction, what cannot be read, what is wrong or not as it says of itself,
 * what is not known */
static int status_of(const run *R) {
  if (R->conflicts)
    return AS_INTERNAL;
  if (R->bad_files || R->count[CLI_RULE_BAD])
    return AS_BAD_INPUT;
  if (R->surprises)
    return AS_NO;
  int status = AS_OK;
  for (size_t i = 0; i < R->n; i++) {
    const cli_rule_verdict *r = &R->job[i].r;
    if (r->expect != AS_EXPECT_NOTHING || r->answer == CLI_RULE_PROVED)
      continue;
    if (r->answer == CLI_RULE_REFUTED)
      return AS_NO;
    status = AS_UNKNOWN;
  }
  return status;
}

static void list_jobs(run *R) {
  const char *way = R->o->direction ? R->o->direction : "forward";
  bool to[2] = {strcmp(way, "backward") != 0, strcmp(way, "forward") != 0};
  size_t most = 0;
  for (uint32_t f = 0; f < R->n_file; f++)
    most += 2 * as_rulefile_count(R->file[f].file);
  R->job = as_calloc(most + 1, sizeof *R->job);
  for (uint32_t f = 0; f < R->n_file; f++) {
    for (uint32_t i = 0; i < as_rulefile_count(R->file[f].file); i++) {
      for (int back = 0; back < 2; back++) {
        if (!to[back])
          continue;
        R->job[R->n++] = (job){.file = &R->file[f], .rule = i, .reverse = back};
        int w = (int)strlen(as_rulefile_name(R->file[f].file, i)) + (back ? 8 : 0);
        if (w > R->width)
          R->width = w;
      }
    }
  }
}

int cli_certify_rules(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  if (o->out && !as_report_dir_place(o->out, o->force, &err)) {
    int s = cli_fail(&err);
    as_err_clear(&err);
    return s;
  }
  run R = {.o = o,
           .table = !o->json && !o->quiet,
           .start = as_now(),
           .file = as_calloc(o->n_arg, sizeof *R.file)};
  for (uint32_t i = 0; i < o->n_arg;
       i++) { /* a file that cannot be read does not stop the others */
    as_err e;
    as_err_init(&e);
    if (cli_rules_open(o, o->arg[i], &R.file[R.n_file], &e)) {
      R.n_file++;
    } else {
      cli_fail(&e);
      cli_rules_close(&R.file[R.n_file]);
      R.bad_files++;
    }
    as_err_clear(&e);
  }
  list_jobs(&R);
  cli_progress_init(&R.progress, o->quiet);
  pthread_mutex_init(&R.lock, NULL);
  as_parallel((unsigned)o->threads, R.n, one, &R);
  cli_progress_end(&R.progress);
  double seconds = as_now() - R.start;
  bool ok = leave(&R, seconds, &err) && leave_junit(&R, &err);
  if (!o->json) {
    printf("%u proved, %u refuted, %u unknown, %u vacuous, %u not readable in %.1f s", R.count[0],
           R.count[1], R.count[2], R.count[3], R.count[4], seconds);
    printf(R.surprises ? "; %u not as expected\n" : "\n", R.surprises);
  }
  for (size_t i = 0; i < R.n; i++) {
    if (R.job[i].r.conflict) {
      fprintf(stderr,
              "assay: INTERNAL ERROR: %s: %s: the proof and the counterexample cannot both be "
              "right; nothing that this version says of rules can be trusted\n",
              R.job[i].file->path, R.job[i].r.name);
    }
  }
  int status = ok ? status_of(&R) : cli_fail(&err);
  pthread_mutex_destroy(&R.lock);
  for (size_t i = 0; i < R.n; i++)
    cli_rule_clear(&R.job[i].r);
  for (uint32_t i = 0; i < R.n_file; i++)
    cli_rules_close(&R.file[i]);
  free(R.job);
  free(R.file);
  as_err_clear(&err);
  return status;
}

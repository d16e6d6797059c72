/* `assay certify FILE.rule...`: a line for every rule and a summary.  Rules are judged by several
 * threads and told in the order of the files. */
#include "cli.h"
#include "progress.h"
#include "src/report/draw.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rule; or what could not be read where rules were looked for: a definition among them, which
 * leaves the rules beside it as they are, or a file. */
typedef struct {
  const as_job *file; /* NULL: the file could not be read */
  const char *path;
  uint32_t rule; /* AS_NONE: no rule */
  const as_err *unread;
  as_rule_defect defect; /* of no rule, where there is a file */
  bool reverse;
  bool done;
  char *name; /* NAME, or NAME.reverse; `op NAME` */
  as_verdict v;
  as_report_words words;
} job;

typedef struct {
  const char *path;
  as_err why;
} unread_file;

typedef struct {
  const cli_opts *o;
  as_policy policy; /* solvers are asked only where they are required */
  as_job *file;
  uint32_t n_file;
  unread_file *bad_file;
  uint32_t n_bad_file;
  job *job;
  size_t n;
  bool table; /* on standard output, a line a rule */
  int width;  /* of the longest name */
  double start;
  pthread_mutex_t lock; /* what follows */
  size_t told;
  size_t judged;
  cli_progress progress;
  uint32_t count[AS_N_ANSWERS];
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
  const as_verdict *v = &j->v;
  if (!R->table || j->file == NULL) /* that a file cannot be read was said when it was opened */
    return;
  cli_progress_wipe(&R->progress);
  if (R->n_file + R->n_bad_file > 1 && (j == R->job || j[-1].file != j->file))
    printf("# %s\n", j->path);
  printf("%-*s  %-8s %8.3f s%s%s%s\n", R->width, j->name, as_answer_word(v->answer), v->seconds,
         v->surprise ? "  expected: " : "", v->surprise ? as_expect_word(v->expect) : "",
         v->conflict ? "  INTERNAL ERROR: a checked proof, and a counterexample that stands" : "");
  if (v->cex_words)
    fputs(v->cex_words, stdout);
  if (v->answer == AS_ANSWER_UNREADABLE)
    printf("%s\n", v->why);
  if ((v->answer == AS_ANSWER_UNKNOWN || v->answer == AS_ANSWER_VACUOUS) && v->why)
    printf("    %s\n", v->why);
  if (v->answer == AS_ANSWER_UNKNOWN)
    print_residual(&v->proof);
  if (v->answer == AS_ANSWER_PROVED && v->tally.filled == 0)
    puts("    (seen at instances only where all results are empty)");
  if (j->words.implied)
    printf("    for sizes where %s: elsewhere the %s side is not defined\n", j->words.implied,
           j->reverse ? "right" : "left");
  if (R->o->verbose && v->answer == AS_ANSWER_PROVED) {
    printf("%s\n    proof of %u steps in %.3f s, checked in %.3f s; %llu instances agree\n",
           v->theorem, v->proof.steps, v->prove_seconds, v->check_seconds,
           (unsigned long long)v->tally.defined);
  }
  fflush(stdout);
}

static void judge(const run *R, job *j) {
  if (j->unread) {
    j->v.answer = AS_ANSWER_UNREADABLE;
    j->v.reason = AS_REASON_UNREADABLE;
    j->v.why = as_err_format(j->unread);
    return;
  }
  as_judged judged = as_job_judged_rule(j->file, j->rule, j->reverse, j->name);
  as_judge(&judged, &R->policy, &j->v);
  as_report_words_of(&j->v, R->o->out != NULL, &j->words);
  as_verdict_release(&j->v);
}

static void one(void *arg, size_t i) {
  run *R = arg;
  job *j = &R->job[i];
  judge(R, j);
  pthread_mutex_lock(&R->lock);
  j->done = true;
  R->judged++;
  R->count[j->v.answer]++;
  R->surprises += j->v.surprise;
  R->conflicts += j->v.conflict;
  for (; R->told < R->n && R->job[R->told].done; R->told++)
    tell(R, &R->job[R->told]);
  cli_progress_count(&R->progress, "rules", R->judged, R->n);
  pthread_mutex_unlock(&R->lock);
}

/* --- what is left behind */
/* enough to evaluate it again; sizes of the axes of a group I are I.0, I.1, .. */
static json_t *instance(const as_rule_cex *x) {
  as_judged sides = {.program = x->rule->lhs, .graph = x->rule->rhs};
  as_cex cex = x->cex; /* borrows everything */
  cex.output = AS_NONE;
  json_t *o = as_report_cex_json(&sides, &cex);
  json_t *axes = json_object();
  for (uint32_t i = 0; i < x->rule->n_group; i++)
    json_object_set_new(axes, x->rule->group[i], json_integer(x->rule->rank[i]));
  json_object_set_new(o, "axes", axes);
  json_object_set_new(
      o, "output",
      json_string(x->cex.output < x->rule->n_output ? x->rule->output[x->cex.output] : ""));
  return o;
}

static json_t *row(const job *j, const char *file, const char *cert) {
  const as_verdict *v = &j->v;
  bool unreadable = v->answer == AS_ANSWER_UNREADABLE;
  char *example = as_report_words_without(v->cex_words, j->path, file);
  json_t *o = json_pack(
      "{s:s, s:s, s:s, s:s, s:f, s:b, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:b}", "file", file,
      "rule", j->name, "direction", j->reverse ? "backward" : "forward", "verdict",
      as_answer_word(v->answer), "seconds", v->seconds, "as_expected", !v->surprise, "expected",
      v->expect ? as_expect_word(v->expect) : NULL, "reason", unreadable ? NULL : v->why, "error",
      unreadable ? v->why : NULL, "counterexample", example, "certificate", cert, "theorem",
      v->answer == AS_ANSWER_PROVED ? v->theorem : NULL, "internal_error", v->conflict);
  free(example);
  if (o == NULL)
    return json_null();
  json_object_set_new(o, "instances",
                      json_pack("{s:I, s:I, s:I, s:I}", "tried", (json_int_t)v->tally.inputs,
                                "defined", (json_int_t)v->tally.defined, "not_empty",
                                (json_int_t)v->tally.filled, "undecided",
                                (json_int_t)v->tally.open));
  if (j->words.implied)
    json_object_set_new(o, "implied_of_sizes", json_string(j->words.implied));
  if (v->cex_found)
    json_object_set_new(o, "instance", instance(&v->rule_cex));
  if (v->answer == AS_ANSWER_UNKNOWN && v->proof.goal) {
    json_object_set_new(o, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", v->proof.goal, "left", v->proof.left,
                                  "right", v->proof.right));
  }
  if (v->answer == AS_ANSWER_PROVED) {
    json_t *relied = json_object();
    for (uint32_t i = 0; i < v->n_relied; i++)
      json_object_set_new(relied, v->relied[i].name, json_string(v->relied[i].sha256));
    json_object_set_new(o, "relies_on", relied);
  }
  return o;
}

/* NAME.cert; FILE-NAME.cert where two files have a rule of one name; NULL where there is none */
static char *certificate(const job *j, as_report_dir *out) {
  const as_proof_result *p = &j->v.proof;
  if (j->v.answer != AS_ANSWER_PROVED)
    return NULL;
  char *name = as_format("%s.cert", j->name);
  for (unsigned k = 1; as_report_dir_has(out, name); k++) {
    free(name);
    name = k == 1 ? as_format("%.*s-%s.cert", (int)strlen(base(j->file->given.name)) - 5,
                              base(j->file->given.name), j->name)
                  : as_format("%s-%u.cert", j->name, k);
  }
  as_report_dir_add(out, name, p->cert, p->cert_len);
  return name;
}

static as_report_state state_of(const as_verdict *v) {
  return v->conflict || v->answer == AS_ANSWER_REFUTED || v->answer == AS_ANSWER_UNREADABLE
             ? AS_REPORT_BAD
         : v->answer == AS_ANSWER_PROVED ? AS_REPORT_GOOD
                                         : AS_REPORT_OPEN;
}

/* the rule, or what stands where none could be read */
static void text_of(const job *j, as_report_item *it) {
  size_t n = j->defect.len;
  const char *text = j->defect.text;
  if (j->rule != AS_NONE)
    text = as_rulefile_text(j->file->rules, j->rule, &n);
  if (text == NULL)
    return;
  char *shown = as_format("%.*s", (int)n, text);
  as_report_add_note(it, "Rule", shown);
  free(shown);
}

/* both sides drawn; where one is ill-formed at any sizes there is nothing to draw */
static void sides(const job *j, as_report_item *it) {
  as_rule *rule = j->rule == AS_NONE ? NULL : as_rule_read(j->file->rules, j->rule, NULL, NULL);
  for (int k = 0; rule && !rule->ill_formed && k < 2; k++) {
    char *dot = as_report_dot(k ? rule->rhs : rule->lhs);
    as_report_add_part(it, k ? "Right side" : "Left side", NULL, dot);
    free(dot);
  }
  as_rule_free(rule);
}

static void counterexample(const as_verdict *v, as_report_item *it) {
  const as_rule *rule = v->rule_cex.rule;
  const as_graph *given = v->rule_cex.reverse ? rule->rhs : rule->lhs;
  const as_graph *other = v->rule_cex.reverse ? rule->lhs : rule->rhs;
  for (uint32_t g = 0; g < rule->n_group; g++) {
    as_str s;
    as_str_init(&s);
    size_t len = strlen(rule->group[g]);
    for (uint32_t i = 0, n = 0; i < v->rule_cex.cex.n_sizes; i++) {
      const char *axis = as_size_name(rule->sizes, v->rule_cex.cex.size[i]);
      if (strncmp(axis, rule->group[g], len) == 0 && axis[len] == '.')
        as_str_printf(&s, "%s%lld", n++ ? ", " : "", (long long)v->rule_cex.cex.value[i]);
    }
    char *extents = as_format("[%s]", s.s ? s.s : "");
    as_report_add_axes(it, rule->group[g], extents);
    free(extents);
    as_str_clear(&s);
  }
  as_report_judged_cex(it, given, other, &v->rule_cex.cex);
  it->cex.sides[0] = v->rule_cex.reverse ? "right side" : "left side";
  it->cex.sides[1] = v->rule_cex.reverse ? "left side" : "right side";
}

static void item(const job *j, as_report_item *it) {
  const as_verdict *v = &j->v;
  as_report_init(it, j->name, as_answer_word(v->answer), state_of(v));
  it->group = as_report_keep(it, j->path);
  it->reason = as_report_keep(it, v->why);
  it->theorem = as_report_keep(it, v->answer == AS_ANSWER_PROVED ? j->words.theorem : NULL);
  it->outline = as_report_keep(it, j->words.outline);
  it->seconds = v->answer == AS_ANSWER_PROVED ? v->prove_seconds : -1;
  it->steps = v->proof.steps;
  text_of(j, it);
  sides(j, it);
  if (v->cex_found)
    counterexample(v, it);
  if (v->checked)
    as_report_row(it, AS_REPORT_GOOD, "Trusted checker", "accepts in %.3f s", v->check_seconds);
  as_report_row(it, v->tally.defined ? AS_REPORT_GOOD : AS_REPORT_OPEN, "Instances",
                "%llu tried, defined at %llu of them", (unsigned long long)v->tally.inputs,
                (unsigned long long)v->tally.defined);
  if (j->words.implied)
    as_report_row(it, AS_REPORT_PLAIN, "Sizes", "where %s; elsewhere the %s side is not defined",
                  j->words.implied, j->reverse ? "right" : "left");
  if (v->expect) {
    as_report_row(it, v->surprise ? AS_REPORT_BAD : AS_REPORT_GOOD, "Expected", "%s",
                  as_expect_word(v->expect));
  }
  for (uint32_t i = 0; i < v->n_relied && v->answer == AS_ANSWER_PROVED; i++)
    as_report_add_relied(it, v->relied[i].name, v->relied[i].sha256, NULL);
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

/* The rules and their specifications are copied, so that the directory needs nothing beside it;
 * without definitions that could not be read, so that the checker reads the copy.
 * kept[i]: the name of file i there, malloc'ed. */
static bool keep_files(const run *R, as_report_dir *out, char **kept, as_err *err) {
  for (uint32_t i = 0; i < R->n_file; i++) {
    const as_job_text *text = &R->file[i].given;
    const char *name = base(text->name);
    kept[i] = as_strdup(name);
    for (unsigned k = 2; as_report_dir_has(out, kept[i]); k++) {
      free(kept[i]);
      kept[i] = as_format("%u-%s", k, name);
    }
    char *sound = as_job_sound_rules(&R->file[i]);
    as_report_dir_add(out, kept[i], sound, text->len);
    free(sound);
    as_judged file = as_job_judged_rule(&R->file[i], 0, false, "");
    if (!as_report_add_specifications(&file, out, err))
      return false;
  }
  return true;
}

static json_t *summary(const run *R, double seconds, json_t *rules) {
  return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:o}", "format", "assay-rules 2",
                   "proved", (int)R->count[AS_ANSWER_PROVED], "refuted",
                   (int)R->count[AS_ANSWER_REFUTED], "unknown", (int)R->count[AS_ANSWER_UNKNOWN],
                   "vacuous", (int)R->count[AS_ANSWER_VACUOUS], "errors",
                   (int)R->count[AS_ANSWER_UNREADABLE], "unexpected", (int)R->surprises, "seconds",
                   seconds, "statistics", as_report_stats_json(), "rules", rules);
}

static bool leave(run *R, double seconds, as_err *err) {
  const cli_opts *o = R->o;
  char **kept = as_calloc(R->n_file + 1, sizeof *kept);
  as_report_dir out;
  as_report_dir_init(&out);
  as_str batch; /* for assay-check, run in the directory */
  as_str_init(&batch);
  bool ok = keep_files(R, &out, kept, err);
  json_t *rules = json_array();
  for (size_t i = 0; ok && i < R->n; i++) {
    job *j = &R->job[i];
    const char *file = j->file ? kept[j->file - R->file] : j->path;
    char *cert = certificate(j, &out);
    if (cert)
      as_str_printf(&batch, "%s %s %s\n", file, j->name, cert);
    json_array_append_new(rules, row(j, o->out ? file : j->path, o->out ? cert : NULL));
    free(cert);
  }
  if (ok && o->out) {
    char *html = report_html(R, seconds);
    as_report_dir_add(&out, "report.html", html, strlen(html));
    as_report_dir_add(&out, "batch", batch.s ? batch.s : "", batch.n);
    free(html);
  }
  json_t *all = summary(R, seconds, rules);
  char *json = as_report_json_text(all, o->out ? &out : NULL);
  if (ok && o->out) {
    as_report_dir_add(&out, "report.json", json, strlen(json));
    ok = as_report_dir_write(&out, o->out, o->force, err);
  }
  if (ok && o->json)
    fputs(json, stdout);
  free(json);
  json_decref(all);
  as_str_clear(&batch);
  as_report_dir_clear(&out);
  for (uint32_t i = 0; i < R->n_file; i++)
    free(kept[i]);
  free(kept);
  return ok;
}

static bool leave_junit(const run *R, as_err *err) {
  if (R->o->junit == NULL)
    return true;
  as_report_junit *x = as_report_junit_new("rules");
  for (size_t i = 0; i < R->n; i++) {
    const job *j = &R->job[i];
    const as_verdict *v = &j->v;
    bool good = v->expect ? !v->surprise : v->answer == AS_ANSWER_PROVED;
    as_report_junit_outcome out = v->conflict ? AS_REPORT_JUNIT_FAIL
                                  : good      ? AS_REPORT_JUNIT_PASS
                                  : v->answer == AS_ANSWER_REFUTED || v->surprise
                                      ? AS_REPORT_JUNIT_FAIL
                                      : AS_REPORT_JUNIT_ERROR;
    as_report_junit_add(x, &(as_report_junit_case){j->path, j->name, out, as_answer_word(v->answer),
                                                   v->why,
                                                   v->cex_words ? v->cex_words
                                                   : v->answer == AS_ANSWER_UNREADABLE ? v->why
                                                                                       : NULL,
                                                   v->seconds});
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
  if (R->count[AS_ANSWER_UNREADABLE])
    return AS_BAD_INPUT;
  if (R->surprises)
    return AS_NO;
  int status = AS_OK;
  for (size_t i = 0; i < R->n; i++) {
    const as_verdict *v = &R->job[i].v;
    if (v->expect != AS_EXPECT_NOTHING || v->answer == AS_ANSWER_PROVED)
      continue;
    if (v->answer == AS_ANSWER_REFUTED)
      return AS_NO;
    status = AS_UNKNOWN;
  }
  return status;
}

static job *new_job(run *R, const as_job *file, const char *path, char *name) {
  job *j = &R->job[R->n++];
  *j = (job){.file = file, .path = path, .rule = AS_NONE, .name = name};
  as_verdict_init(&j->v);
  int width = (int)strlen(j->name);
  if (file && width > R->width)
    R->width = width;
  return j;
}

/* `op NAME`, `func NAME`; the place of what is neither */
static char *name_of_defect(const as_rule_defect *defect) {
  if (*defect->name == 0)
    return as_format("line %d", defect->why->line);
  return as_format("%.*s %s", (int)strcspn(defect->text, " \t"), defect->text, defect->name);
}

static void list_file(run *R, const as_job *file) {
  bool to[2] = {R->o->way != CLI_BACKWARD, R->o->way != CLI_FORWARD};
  const char *path = file->given.name;
  for (uint32_t i = 0; i < as_rulefile_defects(file->rules); i++) {
    as_rule_defect defect = as_rulefile_defect(file->rules, i);
    job *j = new_job(R, file, path, name_of_defect(&defect));
    j->defect = defect;
    j->unread = defect.why;
  }
  for (uint32_t i = 0; i < as_rulefile_count(file->rules); i++) {
    for (int back = 0; back < 2; back++) {
      if (!to[back])
        continue;
      job *j = new_job(R, file, path, as_job_rule_name(file, i, back));
      j->rule = i;
      j->reverse = back;
    }
  }
}

static void list_jobs(run *R) {
  size_t most = R->n_bad_file;
  for (uint32_t f = 0; f < R->n_file; f++)
    most += 2 * as_rulefile_count(R->file[f].rules) + as_rulefile_defects(R->file[f].rules);
  R->job = as_calloc(most + 1, sizeof *R->job);
  for (uint32_t f = 0; f < R->n_file; f++)
    list_file(R, &R->file[f]);
  for (uint32_t f = 0; f < R->n_bad_file; f++) {
    const unread_file *bad = &R->bad_file[f];
    new_job(R, NULL, bad->path, as_strdup(base(bad->path)))->unread = &bad->why;
  }
}

/* a file that cannot be read does not stop the others */
static void open_files(run *R, const as_oplib *library) {
  const cli_opts *o = R->o;
  R->file = as_calloc(o->n_arg, sizeof *R->file);
  R->bad_file = as_calloc(o->n_arg, sizeof *R->bad_file);
  for (uint32_t i = 0; i < o->n_arg; i++) {
    unread_file *bad = &R->bad_file[R->n_bad_file];
    *bad = (unread_file){.path = o->arg[i]};
    as_err_init(&bad->why);
    as_job *file = &R->file[R->n_file];
    as_job_init(file, as_oplib_again(library, &bad->why));
    if (file->lib && as_job_read_rules_with_defects(file, o->arg[i], &bad->why)) {
      R->n_file++;
    } else {
      cli_fail(&bad->why);
      as_job_clear(file);
      R->n_bad_file++;
    }
  }
}

static void print_summary(const run *R, double seconds) {
  printf("%u proved, %u refuted, %u unknown, %u vacuous, %u not readable in %.1f s",
         R->count[AS_ANSWER_PROVED], R->count[AS_ANSWER_REFUTED], R->count[AS_ANSWER_UNKNOWN],
         R->count[AS_ANSWER_VACUOUS], R->count[AS_ANSWER_UNREADABLE], seconds);
  if (R->surprises)
    printf("; %u not as expected", R->surprises);
  putchar('\n');
  if (R->o->verbose || R->o->stats)
    as_report_print_stats();
}

static void print_conflicts(const run *R) {
  for (size_t i = 0; i < R->n; i++) {
    const job *j = &R->job[i];
    if (j->v.conflict) {
      fprintf(stderr,
              "assay: INTERNAL ERROR: %s: %s: the proof and the counterexample cannot both be "
              "right; nothing that this version says of rules can be trusted\n",
              j->path, j->name);
    }
  }
}

static void clear(run *R) {
  pthread_mutex_destroy(&R->lock);
  for (size_t i = 0; i < R->n; i++) {
    as_verdict_clear(&R->job[i].v);
    as_report_words_clear(&R->job[i].words);
    free(R->job[i].name);
  }
  for (uint32_t i = 0; i < R->n_file; i++)
    as_job_clear(&R->file[i]);
  for (uint32_t i = 0; i < R->n_bad_file; i++)
    as_err_clear(&R->bad_file[i].why);
  free(R->bad_file);
  free(R->job);
  free(R->file);
}

int cli_certify_rules(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  as_oplib *library = NULL;
  if ((o->out && !as_report_dir_place(o->out, o->force, &err)) ||
      (library = cli_library(o, &err)) == NULL) {
    int status = cli_fail(&err);
    as_err_clear(&err);
    return status;
  }
  run R = {.o = o, .policy = o->policy, .table = !o->json && !o->quiet, .start = as_now()};
  as_policy_ask_nobody(&R.policy);
  open_files(&R, library);
  as_oplib_free(library);
  list_jobs(&R);
  cli_progress_init(&R.progress, o->quiet);
  pthread_mutex_init(&R.lock, NULL);
  as_parallel((unsigned)o->threads, R.n, one, &R);
  cli_progress_end(&R.progress);
  double seconds = as_now() - R.start;
  bool ok = leave(&R, seconds, &err) && leave_junit(&R, &err);
  if (ok && !o->json)
    print_summary(&R, seconds);
  print_conflicts(&R);
  int status = ok ? status_of(&R) : cli_fail(&err);
  clear(&R);
  as_err_clear(&err);
  return status;
}

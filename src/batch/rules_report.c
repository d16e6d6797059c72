/* What a batch of rules leaves behind: certificates, a page, JSON, JUnit XML. */
#include "rules.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/report/draw.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* enough to evaluate it again; sizes of the axes of a group I are I.0, I.1, .. */
static json_t *instance(const as_rule_cex *found) {
  const as_rule *rule = found->rule;
  as_judged sides = {.program = rule->lhs, .graph = rule->rhs};
  as_cex values = found->cex; /* borrows everything */
  values.output = AS_NONE;
  json_t *object = as_report_cex_json(&sides, &values);
  json_t *axes = json_object();
  for (uint32_t i = 0; i < rule->n_group; i++)
    json_object_set_new(axes, rule->group[i], json_integer(rule->rank[i]));
  json_object_set_new(object, "axes", axes);
  uint32_t output = found->cex.output;
  json_object_set_new(object, "output",
                      json_string(output < rule->n_output ? rule->output[output] : ""));
  return object;
}

static json_t *row(const judged_rule *rule, const char *file, const char *cert) {
  const as_verdict *verdict = &rule->verdict;
  bool unreadable = verdict->answer == AS_ANSWER_UNREADABLE;
  char *example = as_report_words_without(verdict->cex_words, rule->path, file);
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:s, s:f, s:b, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:b}", "file", file,
      "rule", rule->name, "direction", rule->reverse ? "backward" : "forward", "verdict",
      as_answer_word(verdict->answer), "seconds", verdict->seconds, "as_expected",
      !verdict->surprise, "expected", verdict->expect ? as_expect_word(verdict->expect) : NULL,
      "reason", unreadable ? NULL : verdict->why, "error", unreadable ? verdict->why : NULL,
      "counterexample", example, "certificate", cert, "theorem",
      verdict->answer == AS_ANSWER_PROVED ? verdict->theorem : NULL, "internal_error",
      verdict->conflict);
  free(example);
  if (object == NULL)
    return json_null();
  json_object_set_new(object, "instances",
                      json_pack("{s:I, s:I, s:I, s:I}", "tried", (json_int_t)verdict->tally.inputs,
                                "defined", (json_int_t)verdict->tally.defined, "not_empty",
                                (json_int_t)verdict->tally.filled, "undecided",
                                (json_int_t)verdict->tally.open));
  if (rule->words.implied)
    json_object_set_new(object, "implied_of_sizes", json_string(rule->words.implied));
  if (verdict->shadowing)
    json_object_set_new(object, "shadowing", json_string(verdict->shadowing));
  if (verdict->cex_found)
    json_object_set_new(object, "instance", instance(&verdict->rule_cex));
  if (verdict->answer == AS_ANSWER_UNKNOWN && verdict->proof.goal) {
    json_object_set_new(object, "residual",
                        json_pack("{s:s, s:s*, s:s*}", "goal", verdict->proof.goal, "left",
                                  verdict->proof.left, "right", verdict->proof.right));
  }
  if (verdict->answer == AS_ANSWER_PROVED) {
    json_t *relied = json_object();
    for (uint32_t i = 0; i < verdict->n_relied; i++)
      json_object_set_new(relied, verdict->relied[i].name, json_string(verdict->relied[i].sha256));
    json_object_set_new(object, "relies_on", relied);
  }
  return object;
}

/* NAME.cert; FILE-NAME.cert where two files have a rule of one name; NULL where there is none */
static char *certificate(const judged_rule *rule, as_report_dir *out) {
  const as_proof_result *proof = &rule->verdict.proof;
  if (rule->verdict.answer != AS_ANSWER_PROVED)
    return NULL;
  char *name = as_format("%s.cert", rule->name);
  for (unsigned k = 1; as_report_dir_has(out, name); k++) {
    free(name);
    name = k == 1 ? as_format("%.*s-%s.cert", (int)strlen(as_file_name(rule->file->given.name)) - 5,
                              as_file_name(rule->file->given.name), rule->name)
                  : as_format("%s-%u.cert", rule->name, k);
  }
  as_report_dir_add(out, name, proof->cert, proof->cert_len);
  return name;
}

static as_report_state state_of(const as_verdict *verdict) {
  return verdict->conflict || verdict->answer == AS_ANSWER_REFUTED ||
                 verdict->answer == AS_ANSWER_UNREADABLE
             ? AS_REPORT_BAD
         : verdict->answer == AS_ANSWER_PROVED ? AS_REPORT_GOOD
                                               : AS_REPORT_OPEN;
}

static void add_text(const judged_rule *rule, as_report_item *item) {
  size_t length;
  const char *start = as_rulefile_text(rule->file->rules, rule->number, &length);
  char *text = as_format("%.*s", (int)length, start);
  as_report_add_note(item, "Rule", text);
  free(text);
}

/* both sides drawn; where one is ill-formed at any sizes there is nothing to draw */
static void draw_sides(const judged_rule *rule, as_report_item *item) {
  as_rule *parsed = as_rule_read(rule->file->rules, rule->number, NULL, NULL);
  for (int right = 0; parsed && !parsed->ill_formed && right < 2; right++) {
    char *dot = as_report_dot(right ? parsed->rhs : parsed->lhs);
    as_report_add_part(item, right ? "Right side" : "Left side", NULL, dot);
    free(dot);
  }
  as_rule_free(parsed);
}

/* the extents of a group's axes in a counterexample: "[2, 3]"; malloc'ed */
static char *extents_of(const as_rule_cex *found, const char *group) {
  size_t length = strlen(group);
  uint32_t axes = 0;
  as_str extents;
  as_str_init(&extents);
  as_str_add(&extents, "[");
  for (uint32_t i = 0; i < found->cex.n_sizes; i++) {
    const char *axis = as_size_name(found->rule->sizes, found->cex.size[i]);
    if (strncmp(axis, group, length) == 0 && axis[length] == '.')
      as_str_printf(&extents, "%s%lld", axes++ ? ", " : "", (long long)found->cex.value[i]);
  }
  as_str_add(&extents, "]");
  return as_str_take(&extents);
}

static void add_counterexample(const as_rule_cex *found, as_report_item *item) {
  const as_rule *rule = found->rule;
  for (uint32_t i = 0; i < rule->n_group; i++) {
    char *extents = extents_of(found, rule->group[i]);
    as_report_add_axes(item, rule->group[i], extents);
    free(extents);
  }
  as_report_judged_cex(item, found->reverse ? rule->rhs : rule->lhs,
                       found->reverse ? rule->lhs : rule->rhs, &found->cex);
  item->cex.sides[0] = found->reverse ? "right side" : "left side";
  item->cex.sides[1] = found->reverse ? "left side" : "right side";
}

static void fill_item(const judged_rule *rule, as_report_item *item) {
  const as_verdict *verdict = &rule->verdict;
  as_report_init(item, rule->name, as_answer_word(verdict->answer), state_of(verdict));
  item->group = as_report_keep(item, rule->path);
  item->reason = as_report_keep(item, verdict->why);
  item->theorem =
      as_report_keep(item, verdict->answer == AS_ANSWER_PROVED ? rule->words.theorem : NULL);
  item->outline = as_report_keep(item, rule->words.outline);
  item->seconds = verdict->answer == AS_ANSWER_PROVED ? verdict->prove_seconds : -1;
  item->steps = verdict->proof.steps;
  if (rule->unread)
    return;
  add_text(rule, item);
  draw_sides(rule, item);
  if (verdict->cex_found)
    add_counterexample(&verdict->rule_cex, item);
  if (verdict->checked)
    as_report_row(item, AS_REPORT_GOOD, "Trusted checker", "accepts in %.3f s",
                  verdict->check_seconds);
  as_report_row(item, verdict->tally.defined ? AS_REPORT_GOOD : AS_REPORT_OPEN, "Instances",
                "%llu tried, defined at %llu of them", (unsigned long long)verdict->tally.inputs,
                (unsigned long long)verdict->tally.defined);
  if (rule->words.implied)
    as_report_row(item, AS_REPORT_PLAIN, "Sizes", "where %s; elsewhere the %s side is not defined",
                  rule->words.implied, rule->reverse ? "right" : "left");
  if (verdict->shadowing)
    as_report_row(item, AS_REPORT_OPEN, "Shadowing", "%s", verdict->shadowing);
  if (verdict->expect) {
    as_report_row(item, verdict->surprise ? AS_REPORT_BAD : AS_REPORT_GOOD, "Expected", "%s",
                  as_expect_word(verdict->expect));
  }
  for (uint32_t i = 0; i < verdict->n_relied && verdict->answer == AS_ANSWER_PROVED; i++)
    as_report_add_relied(item, verdict->relied[i].name, verdict->relied[i].sha256, NULL);
}

static char *report_html(const rule_run *run, double seconds) {
  as_report_item *items = as_calloc(run->n_case + 1, sizeof *items);
  for (size_t i = 0; i < run->n_case; i++)
    fill_item(&run->cases[i], &items[i]);
  char *html =
      as_report_batch_html(&(as_report_batch){"Rewrite rules", NULL, seconds}, items, run->n_case);
  for (size_t i = 0; i < run->n_case; i++)
    as_report_clear(&items[i]);
  free(items);
  return html;
}

/* The rules and their specifications are copied, so that the directory needs nothing beside it;
 * without definitions that could not be read, so that the checker reads the copy.
 * kept[i]: the name of file i there, malloc'ed. */
static bool keep_files(const rule_run *run, as_report_dir *out, char **kept, as_err *err) {
  for (uint32_t i = 0; i < run->n_file; i++) {
    const as_job_text *text = &run->file[i].given;
    const char *name = as_file_name(text->name);
    kept[i] = as_strdup(name);
    for (unsigned k = 2; as_report_dir_has(out, kept[i]); k++) {
      free(kept[i]);
      kept[i] = as_format("%u-%s", k, name);
    }
    char *sound = as_job_sound_rules(&run->file[i]);
    as_report_dir_add(out, kept[i], sound, text->len);
    free(sound);
    as_judged file = as_job_judged_rule(&run->file[i], 0, false, "");
    if (!as_report_add_specifications(&file, out, err))
      return false;
  }
  return true;
}

static json_t *summary(const rule_run *run, double seconds, json_t *rules) {
  return json_pack(
      "{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:o}", "format", "assay-rules 2", "proved",
      (int)run->count[AS_ANSWER_PROVED], "refuted", (int)run->count[AS_ANSWER_REFUTED], "unknown",
      (int)run->count[AS_ANSWER_UNKNOWN], "vacuous", (int)run->count[AS_ANSWER_VACUOUS], "errors",
      (int)run->count[AS_ANSWER_UNREADABLE], "unexpected", (int)run->surprises, "seconds", seconds,
      "statistics", as_report_stats_json(), "rules", rules);
}

bool as_batch_leave_rules(const rule_run *run, double seconds, as_err *err) {
  char **kept = as_calloc(run->n_file + 1, sizeof *kept);
  as_report_dir out;
  as_report_dir_init(&out);
  as_str batch; /* for assay-check, run in the directory */
  as_str_init(&batch);
  bool ok = keep_files(run, &out, kept, err);
  json_t *rules = json_array();
  for (size_t i = 0; ok && i < run->n_case; i++) {
    const judged_rule *rule = &run->cases[i];
    const char *file = rule->file ? kept[rule->file - run->file] : rule->path;
    char *cert = certificate(rule, &out);
    if (cert)
      as_str_printf(&batch, "%s %s %s\n", file, rule->name, cert);
    json_array_append_new(
        rules, row(rule, run->how->out ? file : rule->path, run->how->out ? cert : NULL));
    free(cert);
  }
  if (ok && run->how->out) {
    char *html = report_html(run, seconds);
    as_report_dir_add(&out, "report.html", html, strlen(html));
    as_report_dir_add(&out, "batch", batch.s ? batch.s : "", batch.n);
    free(html);
  }
  json_t *all = summary(run, seconds, rules);
  char *json = as_report_json_text(all, run->how->out ? &out : NULL);
  if (ok && run->how->out) {
    as_report_dir_add(&out, "report.json", json, strlen(json));
    ok = as_report_dir_write(&out, run->how->out, run->how->force, err);
  }
  if (ok && run->how->json)
    fputs(json, stdout);
  free(json);
  json_decref(all);
  as_str_clear(&batch);
  as_report_dir_clear(&out);
  for (uint32_t i = 0; i < run->n_file; i++)
    free(kept[i]);
  free(kept);
  return ok;
}

static as_report_junit_outcome outcome_of(const as_verdict *verdict) {
  bool good = verdict->expect ? !verdict->surprise : verdict->answer == AS_ANSWER_PROVED;
  if (good && !verdict->conflict)
    return AS_REPORT_JUNIT_PASS;
  return verdict->conflict || verdict->surprise || verdict->answer == AS_ANSWER_REFUTED
             ? AS_REPORT_JUNIT_FAIL
             : AS_REPORT_JUNIT_ERROR;
}

bool as_batch_junit_rules(const rule_run *run, as_err *err) {
  if (run->how->junit == NULL)
    return true;
  as_report_junit *suite = as_report_junit_new("rules");
  for (size_t i = 0; i < run->n_case; i++) {
    const judged_rule *rule = &run->cases[i];
    const as_verdict *verdict = &rule->verdict;
    const char *detail = verdict->answer == AS_ANSWER_UNREADABLE ? verdict->why : NULL;
    as_report_junit_add(
        suite, &(as_report_junit_case){.group = rule->path,
                                       .name = rule->name,
                                       .outcome = outcome_of(verdict),
                                       .type = as_answer_word(verdict->answer),
                                       .message = verdict->why,
                                       .detail = verdict->cex_words ? verdict->cex_words : detail,
                                       .seconds = verdict->seconds});
  }
  bool ok = as_report_junit_write(suite, run->how->junit, err);
  as_report_junit_free(suite);
  return ok;
}

#include "judged.h"
#include "src/base/hash.h"
#include "src/base/stats.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *solver_json(const as_opinion *opinion) {
  const as_smt_result *r = &opinion->result;
  if (!opinion->asked)
    return json_pack("{s:s}", "verdict", "not asked");
  return json_pack("{s:s, s:i, s:i, s:f, s:s*, s:s*}", "verdict", as_smt_verdict_name(r->verdict),
                   "asked", (int)r->asked, "agreed", (int)r->agreed, "seconds", r->seconds,
                   "reason", r->reason, "version", r->version);
}

/* of the program and of its candidate; the table may hold those of others */
static json_t *sizes_json(const as_judged *judged) {
  const as_graph *graph[] = {judged->program, judged->graph};
  json_t *o = json_object();
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; graph[k] && i < graph[k]->n_own_size; i++) {
      as_size s = graph[k]->own_size[i];
      long v = as_size_value(graph[k]->sizes, s);
      json_object_set_new(o, as_size_name(graph[k]->sizes, s),
                          v >= 0 ? json_integer(v) : json_null());
    }
  }
  return o;
}

/* "check,field,z3": what the verdict demanded, as --require takes it */
static json_t *required_json(const as_policy *policy) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, policy->field ? "check,field" : "check");
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (policy->agree[i])
      as_str_printf(&s, ",%s", as_smt_solver_name((as_smt_solver)i));
  }
  json_t *words = json_string(s.s);
  as_str_clear(&s);
  return words;
}

/* Takes the members called `seconds` out, at any depth, and gives them in a tree of the same shape
 * (NULL: there are none): a number where nothing below has a time. */
static json_t *take_seconds(json_t *from) {
  json_t *inner = NULL;
  if (json_is_array(from)) {
    size_t i;
    json_t *item;
    bool any = false;
    inner = json_array();
    json_array_foreach(from, i, item) {
      json_t *below = take_seconds(item);
      any = any || below;
      json_array_append_new(inner, below ? below : json_null());
    }
    if (any)
      return inner;
    json_decref(inner);
    return NULL;
  }
  if (!json_is_object(from))
    return NULL;
  json_t *own = json_incref(json_object_get(from, "seconds"));
  json_object_del(from, "seconds");
  inner = json_object();
  const char *key;
  json_t *member;
  json_object_foreach(from, key, member) {
    json_t *below = take_seconds(member);
    if (below)
      json_object_set_new(inner, key, below);
  }
  bool nothing_below = json_object_size(inner) == 0;
  if (nothing_below) {
    json_decref(inner);
    return own;
  }
  if (own)
    json_object_set_new(inner, "all", own);
  return inner;
}

char *as_report_json_text(void *report, const as_report_dir *files) {
  json_t *o = report;
  json_t *run = json_object();
  json_t *seconds = take_seconds(o);
  if (seconds)
    json_object_set_new(run, "seconds", seconds);
  json_t *hashes = json_object();
  for (size_t i = 0; files && i < files->file.n; i++) {
    const as_report_file *f = &AS_VEC_AT(&files->file, as_report_file, i);
    char h[65];
    as_sha256(f->data, f->n, h);
    /* the page shows times */
    json_object_set_new(strcmp(f->name, "report.html") == 0 ? run : hashes, f->name,
                        json_string(h));
  }
  json_object_set_new(o, "files", hashes);
  json_object_set_new(o, "run", run);
  char *text = json_dumps(o, JSON_INDENT(1));
  char *out = as_format("%s\n", text ? text : "{}");
  free(text);
  return out;
}

void *as_report_stats_json(void) {
  json_t *o = json_object();
  for (int i = 0; i < AS_N_STATS; i++) {
    json_object_set_new(o, as_stats_name((as_stat)i),
                        json_integer((json_int_t)as_stats_get((as_stat)i)));
  }
  return o;
}

char *as_report_json(const as_judged *judged, const as_verdict *v, const as_report_words *words,
                     const as_report_dir *files, void *extra) {
  json_t *o = json_object();
  json_object_set_new(o, "format", json_string("assay-report 2"));
  json_object_set_new(o, "program", json_string(judged->program->name));
  if (judged->graph)
    json_object_set_new(o, "candidate", json_string(judged->graph->name));
  json_object_set_new(o, "verdict", json_string(as_answer_word(v->answer)));
  json_object_set_new(o, "certified", json_boolean(v->certified));
  json_object_set_new(o, "required", required_json(&v->policy));
  json_object_set_new(o, "seed", json_integer((json_int_t)v->policy.seed));
  if (v->why) {
    json_object_set_new(o, "reason", json_string(v->why));
    json_object_set_new(o, "reason_code", json_string(as_reason_word(v->reason)));
  }
  if (v->theorem)
    json_object_set_new(o, "theorem", json_string(v->theorem));
  if (words->implied)
    json_object_set_new(o, "implied_of_sizes", json_string(words->implied));
  json_object_set_new(
      o, "witness",
      json_boolean(v->field_ran &&
                   v->field.same > 0)); /* the theorem is not empty: sizes and inputs were met at
                                           which both are defined */
  json_object_set_new(o, "sizes", sizes_json(judged));
  json_t *relied = json_object();
  for (uint32_t i = 0; i < v->n_relied; i++)
    json_object_set_new(relied, v->relied[i].name, json_string(v->relied[i].sha256));
  json_object_set_new(o, "specifications", relied);
  json_object_set_new(o, "proof",
                      json_pack("{s:b, s:i, s:i, s:i, s:i, s:f, s:s*, s:s*, s:s*}", "found",
                                v->proof.verdict == AS_PROVED, "steps", (int)v->proof.steps,
                                "terms", (int)v->proof.terms, "goals", (int)v->proof.goals,
                                "goals_proved", (int)v->proof.goals_proved, "seconds",
                                v->prove_seconds, "open_goal", v->proof.goal, "left", v->proof.left,
                                "right", v->proof.right));
  json_t *rules = json_object();
  for (int i = 0; v->checked && i < CK_N_RULES; i++) {
    if (v->usage.count[i])
      json_object_set_new(rules, v->usage.rule[i], json_integer(v->usage.count[i]));
  }
  json_object_set_new(o, "checker",
                      json_pack("{s:b, s:f, s:s*, s:o}", "accepts", v->checked, "seconds",
                                v->check_seconds, "why", v->check_why, "rules", rules));
  if (v->field_ran) {
    json_object_set_new(o, "random_test",
                        json_pack("{s:s, s:I, s:I, s:I, s:i, s:I, s:I, s:f, s:f, s:s*}", "verdict",
                                  v->field.verdict == AS_OK   ? "same"
                                  : v->field.verdict == AS_NO ? "different"
                                                              : "inconclusive",
                                  "seed", (json_int_t)v->field.seed, "p", (json_int_t)v->field.p,
                                  "q", (json_int_t)v->field.q, "runs", (int)v->field.runs, "same",
                                  (json_int_t)v->field.same, "skipped",
                                  (json_int_t)v->field.skipped, "bound_one_run", v->field.bound,
                                  "bound_all_runs", v->field.bound_all, "words", v->field_words));
  }
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    json_object_set_new(o, as_smt_solver_name((as_smt_solver)i), solver_json(&v->opinion[i]));
  }
  if (v->cex_words)
    json_object_set_new(o, "counterexample", json_string(v->cex_words));
  if (v->cex_found)
    json_object_set_new(o, "replay", as_report_cex_json(judged, &v->cex));
  json_object_set_new(o, "floating_point", json_string("outside the theorem: tested, not proved"));
  if (extra)
    json_object_update(o, extra);
  char *text = as_report_json_text(o, files);
  json_decref(o);
  return text;
}

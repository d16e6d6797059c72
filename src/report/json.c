#include "judged.h"
#include "src/base/hash.h"
#include "src/base/stats.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *solver_json(const as_opinion *opinion) {
  const as_smt_result *result = &opinion->result;
  if (!opinion->asked)
    return json_pack("{s:s}", "verdict", "not asked");
  return json_pack("{s:s, s:i, s:i, s:f, s:s*, s:s*}", "verdict",
                   as_smt_verdict_name(result->verdict), "asked", (int)result->asked, "agreed",
                   (int)result->agreed, "seconds", result->seconds, "reason", result->reason,
                   "version", result->version);
}

/* of the program and of its candidate; the table may hold those of others */
static json_t *sizes_json(const as_judged *judged) {
  const as_graph *graph[] = {as_judged_sizes(judged),
                             judged->graph ? judged->graph : judged->declared[1]};
  json_t *object = json_object();
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; graph[k] && i < graph[k]->n_own_size; i++) {
      as_size size = graph[k]->own_size[i];
      long v = as_size_value(graph[k]->sizes, size);
      json_object_set_new(object, as_size_name(graph[k]->sizes, size),
                          v >= 0 ? json_integer(v) : json_null());
    }
  }
  return object;
}

/* the relations of sizes that the given program states: what the theorem rests on beside the least
 * values of sizes */
static json_t *hypotheses_json(const as_judged *judged) {
  const as_graph *given = as_judged_sizes(judged);
  json_t *list = json_array();
  for (uint32_t i = 0; given && i < given->n_fact; i++) {
    char *text = as_print_relation(given, i);
    json_array_append_new(list, json_string(text));
    free(text);
  }
  return list;
}

/* the least and greatest value of each size that kernels take at run time; NULL: there is none */
static json_t *run_time_sizes_json(const as_judged *judged) {
  const as_graph *program = judged->program;
  json_t *object = NULL;
  for (uint32_t i = 0; program && i < program->n_own_size; i++) {
    as_size size = program->own_size[i];
    if (!as_size_is_ranged(program->sizes, size))
      continue;
    if (object == NULL)
      object = json_object();
    json_object_set_new(object, as_size_name(program->sizes, size),
                        json_pack("[I, I]", (json_int_t)as_size_least(program->sizes, size),
                                  (json_int_t)as_size_value(program->sizes, size)));
  }
  return object;
}

/* "check,field,z3": what the verdict demanded, as --require takes it */
static json_t *required_json(const as_policy *policy) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, policy->field ? "check,field" : "check");
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (policy->agree[i])
      as_str_printf(&out, ",%s", as_smt_solver_name((as_smt_solver)i));
  }
  json_t *words = json_string(out.s);
  as_str_clear(&out);
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
  json_t *object = report;
  json_t *run = json_object();
  json_t *seconds = take_seconds(object);
  if (seconds)
    json_object_set_new(run, "seconds", seconds);
  json_t *hashes = json_object();
  for (size_t i = 0; files && i < files->file.n; i++) {
    const as_report_file *file = &AS_VEC_AT(&files->file, as_report_file, i);
    char hash[65];
    as_sha256(file->data, file->n, hash);
    /* the page shows times */
    json_object_set_new(strcmp(file->name, "report.html") == 0 ? run : hashes, file->name,
                        json_string(hash));
  }
  json_object_set_new(object, "files", hashes);
  json_object_set_new(object, "run", run);
  char *text = json_dumps(object, JSON_INDENT(1));
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

void *as_report_kernels_json(const as_lowered *lowered) {
  json_t *kernels = json_array();
  for (uint32_t i = 0; i < lowered->n_kernel; i++) {
    const as_lower_kernel *kernel = &lowered->kernel[i];
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:I, s:i, s:i, s:i, s:b}", "name", kernel->name, "route",
                  kernel->route, "shared_bytes", (json_int_t)kernel->bytes_smem, "blocks",
                  (json_int_t)kernel->blocks, "warps", kernel->warps, "stages", kernel->stages,
                  "barriers_in_loop", kernel->barriers_loop, "validated", kernel->validated);
    if (kernel->library) {
      json_object_set_new(row, "library", json_string(kernel->library));
      json_object_set_new(row, "believed", json_true());
    }
    if (kernel->factors)
      json_object_set_new(row, "factors", json_string(kernel->factors));
    json_array_append_new(kernels, row);
  }
  return kernels;
}

static void add_text(json_t *object, const char *key, const char *text) {
  if (text)
    json_object_set_new(object, key, json_string(text));
}

static void add_names(json_t *object, const as_judged *judged) {
  static const char *const keys[] = {"program", "candidate"};
  for (int which = 0; which < 2; which++) {
    char *name = as_report_judged_name(judged, which);
    add_text(object, keys[which], name);
    free(name);
  }
}

/* the hash of each specification that the claim relies on */
static json_t *relied_json(const as_verdict *verdict) {
  json_t *relied = json_object();
  for (uint32_t i = 0; i < verdict->n_relied; i++)
    json_object_set_new(relied, verdict->relied[i].name, json_string(verdict->relied[i].sha256));
  return relied;
}

static json_t *proof_json(const as_verdict *verdict) {
  return json_pack("{s:b, s:i, s:i, s:i, s:i, s:f, s:s*, s:s*, s:s*}", "found",
                   verdict->proof.verdict == AS_PROVED, "steps", (int)verdict->proof.steps, "terms",
                   (int)verdict->proof.terms, "goals", (int)verdict->proof.goals, "goals_proved",
                   (int)verdict->proof.goals_proved, "seconds", verdict->prove_seconds, "open_goal",
                   verdict->proof.goal, "left", verdict->proof.left, "right", verdict->proof.right);
}

/* what the trusted checker says, and how often it was asked for each rule */
static json_t *checker_json(const as_verdict *verdict) {
  json_t *rules = json_object();
  for (int i = 0; verdict->checked && i < CK_N_RULES; i++) {
    if (verdict->usage.count[i])
      json_object_set_new(rules, verdict->usage.rule[i], json_integer(verdict->usage.count[i]));
  }
  return json_pack("{s:b, s:f, s:s*, s:o}", "accepts", verdict->checked, "seconds",
                   verdict->check_seconds, "why", verdict->check_why, "rules", rules);
}

static json_t *random_test_json(const as_verdict *verdict) {
  const as_field_report *field = &verdict->field;
  const char *word = field->verdict == AS_OK   ? "same"
                     : field->verdict == AS_NO ? "different"
                                               : "inconclusive";
  return json_pack("{s:s, s:b, s:I, s:I, s:I, s:i, s:I, s:I, s:f, s:f, s:i, s:i, s:s*}", "verdict",
                   word, "says_all", as_field_says_all(field), "seed", (json_int_t)field->seed, "p",
                   (json_int_t)field->p, "q", (json_int_t)field->q, "runs", (int)field->runs,
                   "same", (json_int_t)field->same, "skipped", (json_int_t)field->skipped,
                   "bound_one_run", field->bound, "bound_all_runs", field->bound_all, "choices",
                   (int)field->n_choices, "choices_that_took_one_value", (int)field->n_untaken,
                   "words", verdict->field_words);
}

static void add_verdict(json_t *object, const as_verdict *verdict) {
  json_object_set_new(object, "verdict", json_string(as_answer_word(verdict->answer)));
  json_object_set_new(object, "certified", json_boolean(verdict->certified));
  json_object_set_new(object, "required", required_json(&verdict->policy));
  json_object_set_new(object, "seed", json_integer((json_int_t)verdict->policy.seed));
  if (verdict->why) {
    add_text(object, "reason", verdict->why);
    add_text(object, "reason_code", as_reason_word(verdict->reason));
  }
  add_text(object, "theorem", verdict->theorem);
}

/* what was found for the verdict, in the order in which it was looked for */
static void add_evidence(json_t *object, const as_judged *judged, const as_verdict *verdict) {
  json_object_set_new(object, "proof", proof_json(verdict));
  json_object_set_new(object, "checker", checker_json(verdict));
  if (verdict->field_ran)
    json_object_set_new(object, "random_test", random_test_json(verdict));
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    json_object_set_new(object, as_smt_solver_name((as_smt_solver)i),
                        solver_json(&verdict->opinion[i]));
  }
  add_text(object, "counterexample", verdict->cex_words);
  if (verdict->cex_found)
    json_object_set_new(object, "replay", as_report_cex_json(judged, &verdict->cex));
}

/* a factor of errors; infinity, which JSON has not, as a word */
static json_t *factor_json(double factor) {
  return isinf(factor) ? json_string("not finite") : json_real(factor);
}

static json_t *floats_json(const as_floats_result *floats) {
  char *words = as_floats_print(floats);
  json_t *object =
      json_pack("{s:s, s:s}", "outcome", as_floats_word(floats->outcome), "words", words);
  bool compared = floats->draws > 0;
  if (compared)
    json_object_update_new(
        object,
        json_pack("{s:I, s:I, s:s, s:o, s:b}", "draws", (json_int_t)floats->draws, "classes",
                  (json_int_t)floats->n_classes, "worst", as_float_class_rows[floats->worst].name,
                  "factor", factor_json(floats->factor), "is_the_program_given", floats->is_given));
  if (floats->is_safer)
    json_object_set_new(object, "safer",
                        json_pack("{s:s, s:o}", "class", as_float_class_rows[floats->safer].name,
                                  "factor", factor_json(floats->safer_factor)));
  free(words);
  return object;
}

char *as_report_json(const as_judged *judged, const as_verdict *verdict,
                     const as_report_words *words, const as_report_dir *files, void *extra) {
  json_t *object = json_object();
  json_object_set_new(object, "format", json_string("assay-report 2"));
  add_names(object, judged);
  add_verdict(object, verdict);
  add_text(object, "implied_of_sizes", words->implied);
  add_text(object, "shadowing", verdict->shadowing);
  /* the theorem is not empty: sizes and inputs were met at which both are defined */
  bool witness = verdict->field_ran && verdict->field.same > 0;
  json_object_set_new(object, "witness", json_boolean(witness));
  json_object_set_new(object, "sizes", sizes_json(judged));
  json_object_set_new(object, "hypotheses", hypotheses_json(judged));
  json_t *run_time = run_time_sizes_json(judged);
  if (run_time)
    json_object_set_new(object, "run_time_sizes", run_time);
  json_object_set_new(object, "specifications", relied_json(verdict));
  add_evidence(object, judged, verdict);
  json_object_set_new(object, "floating_point",
                      json_string("outside the theorem: tested, not proved"));
  if (words->floats)
    json_object_set_new(object, "floats", floats_json(words->floats));
  if (extra)
    json_object_update(object, extra);
  char *text = as_report_json_text(object, files);
  json_decref(object);
  return text;
}

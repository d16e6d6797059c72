/* The order of a check, and what is compared. */
#include "check.h"
#include "src/base/child.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/str.h"
#include "src/floats/guard.h"
#include "src/kernels/kernels.h"
#include "src/report/judged.h"
#include "verify/judge/job.h"
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what is found, in the order in which it is told: causes before what they lead to */
typedef enum { CHANGED, SPECIFIED, CERTIFIED, REPORTED, N_PARTS } part;

typedef struct {
  const as_check_how *how;
  as_str *told;        /* N_PARTS of them */
  uint32_t hypotheses; /* relations of sizes that given programs state */
  const char *dir;
  json_t *report;
  uint32_t wrong;    /* files and claims that are not as they should be */
  uint32_t rejected; /* certificates */
  uint32_t accepted;
  uint32_t disagreed; /* certificates that the checkers do not judge alike; counted as rejected */
  uint32_t differing; /* specifications relied on that are not yours */
  char *shadowing;    /* of the last case that has definitions with names of others; owned */
  as_err *err;
} checking;

__attribute__((format(printf, 3, 0))) static void tell_of(checking *c, part of, const char *fmt,
                                                          va_list ap) {
  char *words = as_format_va(fmt, ap);
  if (!c->how->json)
    as_str_printf(&c->told[of], "%s: %s\n", c->dir, words);
  free(words);
}

/* of a file or a claim that is not as it should be */
__attribute__((format(printf, 3, 4))) static void find(checking *c, part of, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  tell_of(c, of, fmt, ap);
  va_end(ap);
  c->wrong++;
}

/* of anything else that the verdict rests on */
__attribute__((format(printf, 3, 4))) static void note(checking *c, part of, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  tell_of(c, of, fmt, ap);
  va_end(ap);
}

static void keep_shadowing(checking *c, const as_verdict *v) {
  if (v->shadowing == NULL)
    return;
  free(c->shadowing);
  c->shadowing = as_strdup(v->shadowing);
}

static char *in_dir(const checking *c, const char *name) {
  return as_format("%s/%s", c->dir, name);
}

static char *read_file(checking *c, const char *name, size_t *len) {
  char *path = in_dir(c, name);
  char *text = as_read_file(path, len, c->err);
  free(path);
  return text;
}

static bool is_there(const checking *c, const char *name) {
  char *path = in_dir(c, name);
  bool there = as_exists(path);
  free(path);
  return there;
}

/* --- files */
static bool check_hash(checking *c, const char *name, const json_t *recorded) {
  if (!as_path_is_below(name) || !json_is_string(recorded))
    return as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: odd file name `%s`", c->dir, name);
  size_t n;
  char sha[65];
  char *text = read_file(c, name, &n);
  if (text == NULL)
    return false;
  as_sha256(text, n, sha);
  if (strcmp(sha, json_string_value(recorded)) != 0)
    find(c, CHANGED, "%s: changed since the report was written", name);
  free(text);
  return true;
}

/* every file that the report must vouch for is listed, and every file listed is as it was */
static bool check_files(checking *c, const char *const *must, size_t n_must) {
  json_t *files = json_object_get(c->report, "files");
  json_t *page = json_object_get(json_object_get(c->report, "run"), "report.html");
  if (!json_is_object(files))
    return as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: no list of files", c->dir);
  for (size_t i = 0; i < n_must; i++) {
    if (is_there(c, must[i]) && json_object_get(files, must[i]) == NULL)
      return as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: has no hash of %s", c->dir, must[i]);
  }
  const char *name;
  json_t *recorded;
  json_object_foreach(files, name, recorded) {
    if (!check_hash(c, name, recorded))
      return false;
  }
  return check_hash(c, "report.html", page);
}

/* --- the checkers */
/* gives its exit status; negative with err: it could not be run, or failed */
static int run_checker(checking *c, const as_check_by *by, const char *given, const char *candidate,
                       const char *cert, bool show) {
  as_vec argv;
  as_vec_init(&argv, sizeof(const char *));
  const char *const last[] = {given, candidate, cert, NULL};
  for (const char *const *word = by->command; *word; word++)
    as_vec_push(&argv, word);
  for (uint32_t i = 0; i < c->how->n_sem; i++) {
    const char *option = "--sem";
    as_vec_push(&argv, &option);
    as_vec_push(&argv, &c->how->sem[i]);
  }
  for (int i = 0; i < 4; i++)
    as_vec_push(&argv, &last[i]);
  as_child_result said;
  as_child_run(&(as_child){.argv = argv.data, .errors = AS_CHILD_ERRORS_MERGED}, &said);
  int status = said.status;
  if (said.end != AS_CHILD_EXITED || status < 0 || status > AS_BAD_INPUT) {
    char *how = as_child_how(&said);
    as_err_set(c->err, AS_INTERNAL, "%s, which is run as `%s`, %s", by->name, by->command[0], how);
    free(how);
    status = -1;
  }
  if (said.output.s && !c->how->json && (show || status != AS_OK))
    as_str_add(&c->told[CERTIFIED], said.output.s);
  as_child_result_clear(&said);
  as_vec_clear(&argv);
  return status;
}

static uint32_t asked(const as_check_how *how) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < how->n_checkers; i++)
    n += how->checkers[i].command != NULL;
  return n;
}

static const char *verdict_word(int status) {
  return status == AS_OK ? "accepts" : status == AS_NO ? "rejects" : "cannot read it";
}

/* What all checkers say of one certificate; negative with err.  Where they differ: rejected. */
static int ask_checkers(checking *c, const char *given, const char *candidate, const char *cert,
                        bool show) {
  int agreed = -1;
  bool differ = false;
  as_str told;
  as_str_init(&told);
  for (uint32_t i = 0; i < c->how->n_checkers; i++) {
    const as_check_by *by = &c->how->checkers[i];
    if (!by->command) {
      as_str_printf(&told, ", %s is not there", by->name);
      continue;
    }
    int status = run_checker(c, by, given, candidate, cert, show && i == 0);
    if (status < 0) {
      as_str_clear(&told);
      return status;
    }
    differ = differ || (i > 0 && status != agreed);
    agreed = i == 0 ? status : agreed;
    as_str_printf(&told, "%s%s %s", i ? ", " : "", by->name, verdict_word(status));
  }
  if (c->how->n_checkers > 1 && !c->how->json &&
      (show || differ || agreed != AS_OK || asked(c->how) < c->how->n_checkers))
    as_str_printf(&c->told[CERTIFIED], "%s: %s%s\n", cert, told.s,
                  differ ? ": THE CHECKERS DIFFER" : "");
  as_str_clear(&told);
  c->disagreed += differ;
  return differ ? AS_NO : agreed;
}

static bool check_certificate(checking *c, const char *given, const char *candidate,
                              const char *cert, bool show) {
  int status = ask_checkers(c, given, candidate, cert, show);
  if (status == AS_BAD_INPUT)
    as_err_set(c->err, AS_BAD_INPUT, "%s: the checker cannot read it%s", c->dir,
               c->differing
                   ? " by your specifications; --sem with the result's own folder reads it "
                     "by those"
                   : "");
  c->accepted += status == AS_OK;
  c->rejected += status == AS_NO;
  return status == AS_OK || status == AS_NO;
}

/* --- specifications: which of those relied on are not yours */
static void compare_specifications(checking *c, const as_judged *judged, const as_oplib *yours) {
  const char *name;
  json_t *hash;
  json_t *relied = json_object_get(c->report, "specifications");
  json_object_foreach(relied, name, hash) {
    char *own = as_oplib_text(judged->lib, name);
    char *other = as_oplib_text(yours, name);
    bool same = own && other && strcmp(own, other) == 0;
    c->differing += !same;
    if (!same)
      note(c, SPECIFIED, "specification %s: %s", name,
           other ? "the result's is not yours" : "you have none of that name");
    free(own);
    free(other);
  }
}

/* yours, and what the program brings along */
static void name_differences(checking *c, const as_job *job, const as_judged *judged) {
  as_err err;
  as_err_init(&err);
  as_job by_yours;
  as_job_init(&by_yours, as_oplib_again(c->how->yours, &err));
  by_yours.any_tile = true;
  bool taken =
      by_yours.lib && as_job_take_program(&by_yours, job->given.name, as_strdup(job->given.text),
                                          job->given.len, &err);
  if (taken)
    as_job_take_candidate(&by_yours, job->candidate.name, as_strdup(job->candidate.text),
                          job->candidate.len, &err);
  compare_specifications(c, judged, by_yours.lib ? by_yours.lib : c->how->yours);
  as_job_clear(&by_yours);
  as_err_clear(&err);
}

/* --- claims */
static void compare_claims(checking *c, const char *text) {
  json_t *made = json_loads(text, 0, NULL);
  const char *key;
  json_t *value;
  json_object_foreach(made, key, value) {
    bool apart = strcmp(key, "run") == 0 || strcmp(key, "files") == 0;
    if (!apart && !json_equal(value, json_object_get(c->report, key)))
      find(c, REPORTED, "report.json: `%s` is not what this version of assay finds", key);
  }
  json_decref(made);
}

static bool compare_page(checking *c, const char *made) {
  size_t n;
  char *page = read_file(c, "report.html", &n);
  if (page && !as_report_same_page(page, made))
    find(c, REPORTED, "report.html: not what this version of assay makes of the result");
  free(page);
  return page != NULL;
}

/* by what the report says was demanded and asked */
static bool recorded_policy(checking *c, as_policy *policy) {
  const char *required = json_string_value(json_object_get(c->report, "required"));
  as_policy_init(policy);
  as_policy_ask_nobody(policy);
  policy->seed = (uint64_t)json_integer_value(json_object_get(c->report, "seed"));
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    json_t *opinion = json_object_get(c->report, as_smt_solver_name((as_smt_solver)i));
    policy->ask[i] = json_object_get(opinion, "asked") != NULL;
  }
  return as_policy_require(policy, required ? required : "check,field", c->err);
}

static bool judge_again(checking *c, const as_judged *judged, as_verdict *v) {
  as_policy policy;
  if (!recorded_policy(c, &policy))
    return false;
  if (is_there(c, "certificate.cert")) {
    size_t n;
    char *cert = read_file(c, "certificate.cert", &n);
    if (cert == NULL)
      return false;
    as_judge_certificate(judged, &policy, cert, n, v);
    free(cert);
  } else {
    as_judge(judged, &policy, v);
  }
  return true;
}

/* the GPU asked for, otherwise the one that the report names, with the library used as it says;
 * NULL with err */
static const as_target *target_of(const checking *c) {
  const char *recorded = json_string_value(json_object_get(c->report, "target"));
  const char *word = json_string_value(json_object_get(c->report, "library"));
  as_library_use use = AS_LIBRARY_NEVER;
  if (word && !as_library_use_find(word, &use)) {
    as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: `library` is `%s`, none of " AS_LIBRARY_WORDS,
               c->dir, word);
    return NULL;
  }
  const as_target *target = c->how->target ? c->how->target
                            : recorded     ? as_target_find(recorded, c->err)
                                           : as_target_default();
  const char *rounded = json_string_value(json_object_get(c->report, "tf32"));
  return target ? as_target_rounding(as_target_using(target, use), rounded) : NULL;
}

/* The float test again, where the report speaks of one; *said: what came of it, or NULL. */
static bool test_floats(checking *c, const as_judged *judged, as_floats_result *result,
                        const as_floats_result **said) {
  json_t *recorded = json_object_get(c->report, "floats");
  const char *outcome = json_string_value(json_object_get(recorded, "outcome"));
  const as_target *target = recorded ? target_of(c) : NULL;
  if (recorded && !target)
    return false;
  bool off = outcome && strcmp(outcome, as_floats_word(AS_FLOATS_OFF)) == 0;
  as_guard *guard = recorded ? as_guard_new(judged->program, target, off, true) : NULL;
  if (recorded && judged->graph && judged->program)
    as_guard_test(guard, judged->graph, result);
  else if (recorded)
    as_guard_untested(guard, "a tile program that no block graph is", result);
  as_guard_free(guard);
  *said = recorded ? result : NULL;
  return true;
}

/* The trial is not made again: what the report says of it. */
static const char *said_of_trial(const checking *c) {
  json_t *trial = json_object_get(c->report, "trial");
  const char *words = json_string_value(json_object_get(trial, "words"));
  return json_is_true(json_object_get(trial, "tried")) ? "" : words;
}

static bool check_claims(checking *c, const as_judged *judged, const as_lowered *lowered,
                         as_verdict *v) {
  if (!judge_again(c, judged, v))
    return false;
  as_report_words words;
  as_floats_result floats = {.outcome = AS_FLOATS_OFF};
  as_report_words_of(v, true, &words);
  if (!test_floats(c, judged, &floats, &words.floats))
    return false;
  words.untried = said_of_trial(c);
  as_verdict_release(v);
  char *json = as_report_json(judged, v, &words, NULL, NULL);
  compare_claims(c, json);
  free(json);
  char *page = as_report_page(judged, v, &words, lowered);
  bool ok = compare_page(c, page);
  free(page);
  as_report_words_clear(&words);
  as_floats_result_clear(&floats);
  return ok;
}

/* --- kernel.cu */
static void compare_kernels(checking *c, const as_target *target, const as_lowered *low) {
  json_t *made = json_pack("{s:s, s:s, s:o}", "target", target->gpu, "arch", target->arch,
                           "kernels", as_report_kernels_json(low));
  if (json_object_get(c->report, "library"))
    json_object_set_new(made, "library", json_string(as_library_use_word(target->library)));
  const char *key;
  json_t *value;
  json_object_foreach(made, key, value) {
    json_t *said = json_object_get(c->report, key);
    if (said && !json_equal(value, said))
      find(c, REPORTED, "report.json: `%s` is not what this version of assay finds", key);
  }
  json_decref(made);
}

/* what this check takes on trust beside the lowering itself */
static void name_calls(checking *c, const as_lowered *low) {
  for (uint32_t i = 0; i < low->n_kernel; i++) {
    const as_lower_kernel *kernel = &low->kernel[i];
    char *words = as_report_kernel_words(kernel);
    if (kernel->library)
      note(c, REPORTED, "kernel %s: %s", kernel->name, words);
    free(words);
  }
}

/* low: initialised; filled where the result has a kernel */
static bool check_kernel(checking *c, const as_job *job, as_lowered *low) {
  if (!is_there(c, "kernel.cu"))
    return true;
  size_t n;
  char *text = read_file(c, "kernel.cu", &n);
  as_lower_opts plan = {.target = text ? target_of(c) : NULL};
  as_kernels_of texts = as_check_texts(job);
  bool ok = plan.target && as_kernels_lower(&texts, &plan, low, c->err);
  if (ok && (strlen(low->cuda) != n || memcmp(low->cuda, text, n) != 0))
    find(c, REPORTED, "kernel.cu: not what this version of assay makes of the candidate");
  if (ok) {
    compare_kernels(c, plan.target, low);
    name_calls(c, low);
  }
  free(text);
  return ok;
}

/* --- one result */
/* the result's own specifications: a folder that it may do without */
static as_oplib *own_library(const checking *c) {
  as_oplib *lib = as_oplib_new();
  char *own = in_dir(c, "semantics");
  bool ok = !as_exists(own) || as_oplib_load_dir(lib, own, c->err);
  free(own);
  if (ok)
    return lib;
  as_oplib_free(lib);
  return NULL;
}

/* each specification that lies in the directory has a hash, whether relied on or not */
static void check_specifications(checking *c, const as_oplib *own) {
  uint32_t n;
  const char *const *file = as_oplib_files(own, &n);
  size_t length = strlen(c->dir);
  for (uint32_t i = 0; i < n; i++) {
    bool within = strncmp(file[i], c->dir, length) == 0 && file[i][length] == '/';
    if (within && !json_object_get(json_object_get(c->report, "files"), file[i] + length + 1))
      find(c, CHANGED, "%s: the report has no hash of it", file[i] + length + 1);
  }
}

static bool check_case(checking *c, as_answer *answer) {
  static const char *const must[] = {"program.tp",    "program.tile",   "certificate.cert",
                                     "candidate.mug", "candidate.tile", "candidate.tp",
                                     "kernel.cu"};
  if (!check_files(c, must, sizeof must / sizeof *must))
    return false;
  char *program = in_dir(c, is_there(c, "program.tile") ? "program.tile" : "program.tp");
  char *candidate = in_dir(c, is_there(c, "candidate.mug")    ? "candidate.mug"
                              : is_there(c, "candidate.tile") ? "candidate.tile"
                                                              : "candidate.tp");
  char *cert = in_dir(c, "certificate.cert");
  as_verdict v;
  as_verdict_init(&v);
  as_job job;
  as_job_init(&job, own_library(c));
  job.any_tile = true;
  bool ok = job.lib && as_job_read_program(&job, program, c->err) &&
            as_job_read_candidate(&job, candidate, c->err);
  if (ok) {
    as_judged judged = as_job_judged(&job);
    const as_graph *sizes = as_judged_sizes(&judged);
    c->hypotheses += sizes ? sizes->n_fact : 0;
    check_specifications(c, job.lib);
    name_differences(c, &job, &judged);
    as_lowered low;
    as_lowered_init(&low);
    ok = check_kernel(c, &job, &low) && check_claims(c, &judged, low.cuda ? &low : NULL, &v) &&
         (!as_exists(cert) || check_certificate(c, program, candidate, cert, !c->how->quiet));
    as_lowered_clear(&low);
  }
  *answer = v.answer;
  keep_shadowing(c, &v);
  as_verdict_clear(&v);
  as_job_clear(&job);
  free(program);
  free(candidate);
  free(cert);
  return ok;
}

/* --- batches */
static bool check_one_rule(checking *c, const as_job *job, json_t *row, const char *name,
                           const char *file) {
  const char *cert = json_string_value(json_object_get(row, "certificate"));
  const char *verdict = json_string_value(json_object_get(row, "verdict"));
  bool reverse;
  uint32_t i = as_job_rule_named(job, name, &reverse);
  if (i == as_rulefile_count(job->rules))
    return as_err_set(c->err, AS_BAD_INPUT, "%s/%s has no rule %s", c->dir, file, name);
  as_policy policy;
  as_policy_init(&policy);
  as_policy_ask_nobody(&policy);
  as_judged judged = as_job_judged_rule(job, i, reverse, name);
  as_verdict v;
  as_verdict_init(&v);
  size_t n = 0;
  char *text = cert ? read_file(c, cert, &n) : NULL;
  bool ok = cert == NULL || text != NULL;
  if (text)
    as_judge_certificate(&judged, &policy, text, n, &v);
  else if (ok)
    as_judge(&judged, &policy, &v);
  if (ok && (verdict == NULL || strcmp(verdict, as_answer_word(v.answer)) != 0))
    find(c, REPORTED, "%s: %s as reported, %s as this version finds", name,
         verdict ? verdict : "nothing", as_answer_word(v.answer));
  const char *theorem = json_string_value(json_object_get(row, "theorem"));
  if (ok && theorem && (v.theorem == NULL || strcmp(theorem, v.theorem) != 0))
    find(c, REPORTED, "%s: the theorem is not the one reported", name);
  const char *example = json_string_value(json_object_get(row, "counterexample"));
  char *path = in_dir(c, file);
  char *shown = as_report_words_without(v.cex_words, path, file);
  if (ok && example && (shown == NULL || strcmp(example, shown) != 0))
    find(c, REPORTED, "%s: the counterexample is not the one reported", name);
  free(shown);
  free(path);
  keep_shadowing(c, &v);
  as_verdict_clear(&v);
  free(text);
  if (ok && cert) {
    char *rules = in_dir(c, file);
    char *proof = in_dir(c, cert);
    ok = check_certificate(c, rules, name, proof, false);
    free(rules);
    free(proof);
  }
  return ok;
}

static bool check_rule_row(checking *c, json_t *row) {
  const char *file = json_string_value(json_object_get(row, "file"));
  const char *name = json_string_value(json_object_get(row, "rule"));
  if (file == NULL || name == NULL || !as_path_is_below(file))
    return as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: a rule without its file and name",
                      c->dir);
  char *path = in_dir(c, file);
  as_job job;
  as_job_init(&job, own_library(c));
  bool ok =
      job.lib && as_job_read_rules(&job, path, c->err) && check_one_rule(c, &job, row, name, file);
  as_job_clear(&job);
  free(path);
  return ok;
}

static bool check_rules(checking *c) {
  size_t i;
  json_t *row;
  if (!check_files(c, NULL, 0))
    return false;
  json_array_foreach(json_object_get(c->report, "rules"), i, row) {
    if (!check_rule_row(c, row))
      return false;
  }
  return true;
}

static json_t *read_report(const char *dir, as_err *err) {
  char *path = as_format("%s/report.json", dir);
  size_t n;
  if (!as_exists(path))
    as_err_set(err, AS_BAD_INPUT,
               as_exists(dir) ? "%s: no result directory: it has no report.json"
                              : "%s: there is no such directory",
               dir);
  char *text = err->status == AS_OK ? as_read_file(path, &n, err) : NULL;
  json_error_t wrong;
  json_t *report = text ? json_loadb(text, n, 0, &wrong) : NULL;
  if (text && report == NULL)
    as_err_at(err, path, text, n, wrong.line, wrong.column, "%s", wrong.text);
  free(text);
  free(path);
  return report;
}

static bool check_graph(checking *c, json_t *row) {
  json_t *number = json_object_get(row, "graph");
  const char *verdict = json_string_value(json_object_get(row, "verdict"));
  char *dir = as_format("%s/graph-%03lld", c->dir, (long long)json_integer_value(number));
  checking inner = *c;
  inner.dir = dir;
  bool judged = as_exists(dir); /* a graph that could not be read has no directory */
  bool ok = true;
  as_answer answer = AS_ANSWER_UNKNOWN;
  if (judged) {
    inner.report = read_report(dir, c->err);
    ok = inner.report && check_case(&inner, &answer);
    json_decref(inner.report);
  }
  c->wrong = inner.wrong;
  c->accepted = inner.accepted;
  c->rejected = inner.rejected;
  c->differing = inner.differing;
  c->disagreed = inner.disagreed;
  c->hypotheses = inner.hypotheses;
  c->shadowing = inner.shadowing;
  if (ok && (verdict == NULL || strcmp(verdict, as_answer_word(answer)) != 0))
    find(c, REPORTED, "graph %lld: %s as reported, %s as this version finds",
         (long long)json_integer_value(number), verdict ? verdict : "nothing",
         as_answer_word(answer));
  free(dir);
  return ok;
}

static bool check_graphs(checking *c) {
  size_t i;
  json_t *row;
  if (!check_files(c, NULL, 0))
    return false;
  json_array_foreach(json_object_get(c->report, "graphs"), i, row) {
    if (!check_graph(c, row))
      return false;
  }
  return true;
}

/* --- the command */
static void tell(const checking *c, const char *format, as_answer answer) {
  bool good = c->wrong == 0 && c->rejected == 0;
  static const char *const by_all[] = {"", "", " by both checkers", " by all three checkers"};
  uint32_t n = asked(c->how);
  const char *by = by_all[n];
  const char *own = c->differing ? "; by your specifications, which are not all the result's" : "";
  char *hypotheses = c->hypotheses ? as_format("; %u hypothes%s on sizes", c->hypotheses,
                                               c->hypotheses == 1 ? "is" : "es")
                                   : as_strdup("");
  char *rests = as_format("%s%s%s", hypotheses, c->shadowing ? "; shadowing " : "",
                          c->shadowing ? c->shadowing : "");
  free(hypotheses);
  if (c->how->json) {
    json_t *names = c->shadowing ? json_string(c->shadowing) : json_null();
    char *shadowing = json_dumps(names, JSON_ENCODE_ANY);
    json_decref(names);
    printf("{\"accepted\": %s, \"changed_files\": %u, \"certificates\": %u, \"rejected\": %u, "
           "\"other_specifications\": %u, \"checkers\": %u, \"checkers_differ\": %u, "
           "\"hypotheses\": %u, \"shadowing\": %s}\n",
           c->rejected == 0 && c->accepted > 0 ? "true" : "false", c->wrong, c->accepted,
           c->rejected, c->differing, n, c->disagreed, c->hypotheses, shadowing);
    free(shadowing);
  } else if (!good) {
    puts("NOT VERIFIED");
  } else if (format) { /* a batch */
    printf("VERIFIED: %u certificates accepted%s, everything else as reported%s%s\n", c->accepted,
           by, own, rests);
  } else if (c->accepted) {
    printf("VERIFIED: certificate accepted%s, files unchanged%s%s\n", by, own, rests);
  } else {
    printf("VERIFIED: %s as reported, files unchanged\n", as_answer_word(answer));
  }
  free(rests);
}

/* Behind the verdict.  What a checker accepts of what does not lie there any more is no news. */
static void tell_rest(const checking *c) {
  for (int of = 0; of < N_PARTS; of++) {
    bool stale = of == CERTIFIED && c->wrong > 0 && c->rejected == 0;
    if (!stale && c->told[of].s)
      fputs(c->told[of].s, stdout);
  }
}

static as_status check_dir(checking *c) {
  static const struct {
    const char *format;
    bool (*check)(checking *c);
  } batches[] = {{"assay-rules 2", check_rules}, {"assay-import 2", check_graphs}};

  const char *format = json_string_value(json_object_get(c->report, "format"));
  as_answer answer = AS_ANSWER_PROVED;
  const char *batch = NULL;
  bool ok = false;
  for (size_t i = 0; format && i < sizeof batches / sizeof *batches; i++) {
    if (strcmp(format, batches[i].format) == 0) {
      batch = format;
      ok = batches[i].check(c);
    }
  }
  if (batch == NULL && format && strcmp(format, "assay-report 2") == 0)
    ok = check_case(c, &answer);
  else if (batch == NULL)
    as_err_set(c->err, AS_BAD_INPUT, "%s/report.json: not a report of this version of assay",
               c->dir);
  if (ok)
    tell(c, batch, answer);
  tell_rest(c);
  if (!ok)
    return c->err->status;
  bool unsure = batch == NULL && answer == AS_ANSWER_UNKNOWN;
  return c->wrong || c->rejected ? AS_NO : unsure ? AS_UNKNOWN : AS_OK;
}

as_status as_check(const as_check_how *how, const char *dir, as_err *err) {
  as_str told[N_PARTS];
  checking c = {.how = how, .told = told, .dir = dir, .err = err};
  for (int of = 0; of < N_PARTS; of++)
    as_str_init(&told[of]);
  c.report = read_report(dir, err);
  as_status status = c.report ? check_dir(&c) : err->status;
  json_decref(c.report);
  for (int of = 0; of < N_PARTS; of++)
    as_str_clear(&told[of]);
  free(c.shadowing);
  return status;
}

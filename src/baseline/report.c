#include "report.h"
#include "src/report/junit.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What counts as slower: twice the time of one processor, and a tenth of a second more; or half as
 * many proof steps again, and 200 more. Times are of one machine, steps of none. */
static const double TIMES = 2;
static const double SECONDS = 0.1;
static const double WORK_TIMES = 1.5;

enum { STEPS = 200 };

/* a specification that some facts of the baseline rely on and that is no longer the same */
typedef struct {
  const char *name;
  const as_baseline_op *was;
  const as_baseline_op *now;
  as_vec fact; /* of const as_baseline_fact * */
} changed_op;

static const as_baseline_fact *fact_at(const as_baseline *baseline, size_t i) {
  return AS_VEC_AT(&baseline->fact, as_baseline_fact *, i);
}

static bool slower(const as_baseline_fact *fact) {
  const as_baseline_record *was = &fact->was;
  const as_baseline_record *record = &fact->now;
  if (!fact->recorded || record->verdict == NULL)
    return false;
  bool time = was->seconds >= 0 && record->seconds >= TIMES * was->seconds &&
              record->seconds - was->seconds >= SECONDS;
  return time || (record->work >= WORK_TIMES * was->work && record->work >= was->work + STEPS);
}

/* texts and specifications are the same, and yet something else is to be proved: this version reads
 * them otherwise than the one that wrote the baseline */
static bool read_otherwise(const as_baseline_fact *fact) {
  const as_baseline_record *was = &fact->was;
  const as_baseline_record *record = &fact->now;
  if (fact->outcome == AS_BASELINE_APART || fact->outcome == AS_BASELINE_GONE ||
      !was->claim_sha[0] || !record->claim_sha[0] || strcmp(was->claim_sha, record->claim_sha) == 0)
    return false;
  bool same = strcmp(was->program_sha, record->program_sha) == 0 &&
              strcmp(was->candidate_sha, record->candidate_sha) == 0;
  for (uint32_t i = 0; i < was->n_op && same; i++) {
    const as_baseline_op *now = as_baseline_record_op(record, was->op[i].name);
    same = now && strcmp(now->canonical, was->op[i].canonical) == 0;
  }
  return same;
}

static int by_name(const void *a, const void *b) {
  const changed_op *one = a;
  const changed_op *other = b;
  int order = strcmp(one->name, other->name);
  return order ? order : strcmp(one->was->sha256, other->was->sha256);
}

static void changed_specifications(const as_baseline *baseline, as_vec *all) {
  as_vec_init(all, sizeof(changed_op));
  for (size_t i = 0; i < baseline->fact.n; i++) {
    const as_baseline_fact *fact = fact_at(baseline, i);
    for (uint32_t k = 0; k < fact->was.n_op && fact->outcome != AS_BASELINE_APART &&
                         fact->outcome != AS_BASELINE_GONE;
         k++) {
      const as_baseline_op *was = &fact->was.op[k];
      const as_baseline_op *now = as_baseline_record_op(&fact->now, was->name);
      if (now == NULL || (strcmp(was->canonical, now->canonical) == 0 &&
                          (now->sha256[0] == 0 || strcmp(was->sha256, now->sha256) == 0)))
        continue;
      size_t at = 0;
      while (at < all->n && (strcmp(AS_VEC_AT(all, changed_op, at).name, was->name) ||
                             strcmp(AS_VEC_AT(all, changed_op, at).was->sha256, was->sha256)))
        at++;
      if (at == all->n) {
        changed_op changed = {was->name, was, now, {0}};
        as_vec_init(&changed.fact, sizeof(const as_baseline_fact *));
        as_vec_push(all, &changed);
      }
      changed_op *changed = &AS_VEC_AT(all, changed_op, at);
      if (changed->now->sha256[0] == 0)
        changed->now = now;
      as_vec_push(&changed->fact, &fact);
    }
  }
  if (all->n)
    qsort(all->data, all->n, sizeof(changed_op), by_name);
}

static const char *how(const changed_op *changed) {
  if (changed->now->canonical[0] == 0)
    return "gone";
  return strcmp(changed->was->canonical, changed->now->canonical) == 0
             ? "only its layout or comments"
             : "changed";
}

/* what to add to the verdict of a proof that is not enough */
static const char *shortfall(const as_baseline_record *record) {
  bool proved = strcmp(record->verdict, as_answer_recorded(AS_ANSWER_PROVED)) == 0;
  return proved && !record->certified ? " (not certified)" : "";
}

static void print_fact(FILE *out, const char *what, const as_baseline_fact *fact) {
  char *name = as_baseline_fact_name(fact);
  fprintf(out, "%-8s %s: ", what, name);
  if (fact->recorded)
    fprintf(out, "%s%s -> ", fact->was.verdict, shortfall(&fact->was));
  fprintf(out, "%s%s%s%s\n", fact->now.verdict, shortfall(&fact->now), fact->reason ? ": " : "",
          fact->reason ? fact->reason : "");
  if (fact->cex)
    fprintf(out, "%s%s", fact->cex, fact->cex[strlen(fact->cex) - 1] == '\n' ? "" : "\n");
  free(name);
}

static void print_slower(FILE *out, const as_baseline_fact *fact) {
  char *name = as_baseline_fact_name(fact);
  fprintf(out, "slower   %s: %u proof steps, %u before", name, fact->now.work, fact->was.work);
  if (fact->was.seconds >= 0)
    fprintf(out, "; %.3f s, %.3f s before", fact->now.seconds, fact->was.seconds);
  fprintf(out, "\n");
  free(name);
}

/* a changed specification, with the facts that rely on it */
static void print_changed(FILE *out, const changed_op *changed) {
  fprintf(out, "specification %s: %s, %zu facts rely on it (%.12s, now %.12s)\n", changed->name,
          how(changed), changed->fact.n, changed->was->sha256,
          changed->now->sha256[0] ? changed->now->sha256 : "not read");
  for (size_t k = 0; k < changed->fact.n; k++) {
    char *name = as_baseline_fact_name(AS_VEC_AT(&changed->fact, const as_baseline_fact *, k));
    fprintf(out, "  %s\n", name);
    free(name);
  }
}

static void print_read_otherwise(FILE *out, const as_baseline *baseline) {
  size_t otherwise = 0;
  for (size_t i = 0; i < baseline->fact.n; i++)
    otherwise += read_otherwise(fact_at(baseline, i));
  if (otherwise) {
    fprintf(out,
            "%zu claims are read otherwise by this version, though their texts and specifications "
            "are the same: judged again\n",
            otherwise);
  }
}

/* what became of a fact: one that stands, or is judged the same again, only where all is asked */
static void print_outcome(FILE *out, const as_baseline_fact *fact, bool verbose) {
  char *name = as_baseline_fact_name(fact);
  switch (fact->outcome) {
  case AS_BASELINE_GONE:
    fprintf(out, "gone     %s\n", name);
    break;
  case AS_BASELINE_CHANGED:
    print_fact(out, "CHANGED", fact);
    break;
  case AS_BASELINE_LOST:
    print_fact(out, "UNKNOWN", fact);
    break;
  case AS_BASELINE_NEW:
    print_fact(out, "new", fact);
    break;
  case AS_BASELINE_APART:
    break;
  default:
    if (verbose)
      fprintf(out, "%-8s %s: %s\n", as_baseline_outcome_word(fact->outcome), name,
              fact->was.verdict);
  }
  free(name);
  if (slower(fact))
    print_slower(out, fact);
}

static void print_text(FILE *out, const as_baseline_showing *showing, const as_baseline *baseline,
                       const size_t *count, size_t n_slower, double seconds, const as_vec *ops) {
  for (size_t i = 0; i < ops->n && !showing->quiet; i++)
    print_changed(out, &AS_VEC_AT(ops, changed_op, i));
  print_read_otherwise(out, baseline);
  for (size_t i = 0; i < baseline->fact.n && !showing->quiet; i++)
    print_outcome(out, fact_at(baseline, i), showing->verbose);
  fprintf(out,
          "%zu verdicts changed, %zu unknown that were known, %zu judged again and the same, %zu "
          "stand, %zu new, %zu gone in %.1f s\n",
          count[AS_BASELINE_CHANGED], count[AS_BASELINE_LOST], count[AS_BASELINE_SAME],
          count[AS_BASELINE_STANDS], count[AS_BASELINE_NEW], count[AS_BASELINE_GONE], seconds);
  if (count[AS_BASELINE_STANDS] && !showing->quiet) {
    fprintf(out,
            "what stands was not proved again: its texts and the specifications that it relies on "
            "have the same hashes (--all proves all)\n");
  }
  if (n_slower) {
    fprintf(out,
            "%zu slower: at least %g times the time and %g s more, or %g times the proof steps and "
            "%d more\n",
            n_slower, TIMES, SECONDS, WORK_TIMES, STEPS);
  }
  if (showing->update)
    fprintf(out, "%s: %zu facts\n", baseline->path, baseline->fact.n - count[AS_BASELINE_GONE]);
}

static json_t *fact_json(const as_baseline_fact *fact) {
  json_t *json =
      json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "kind", as_baseline_kind_word(fact->kind), "program",
                fact->program, "outcome", as_baseline_outcome_word(fact->outcome), "reason",
                fact->reason, "counterexample", fact->cex);
  if (fact->candidate[0])
    json_object_set_new(json, "candidate", json_string(fact->candidate));
  if (fact->part[0])
    json_object_set_new(json, "part", json_string(fact->part));
  for (int k = 0; k < 2; k++) {
    const as_baseline_record *record = k ? &fact->now : &fact->was;
    if (record->verdict == NULL)
      continue;
    json_t *value = json_pack("{s:s, s:b, s:I}", "verdict", record->verdict, "certified",
                              record->certified, "work", (json_int_t)record->work);
    if (record->seconds >= 0)
      json_object_set_new(value, "seconds", json_real(record->seconds));
    json_object_set_new(json, k ? "now" : "was", value);
  }
  if (slower(fact))
    json_object_set_new(json, "slower", json_true());
  if (read_otherwise(fact))
    json_object_set_new(json, "claim_read_otherwise", json_true());
  return json;
}

static void print_json(FILE *out, const as_baseline *baseline, const size_t *count, size_t n_slower,
                       double seconds, const as_vec *ops) {
  json_t *facts = json_array();
  json_t *specs = json_array();
  for (size_t i = 0; i < baseline->fact.n; i++) {
    if (fact_at(baseline, i)->outcome != AS_BASELINE_APART)
      json_array_append_new(facts, fact_json(fact_at(baseline, i)));
  }
  for (size_t i = 0; i < ops->n; i++) {
    const changed_op *changed = &AS_VEC_AT(ops, changed_op, i);
    json_t *dependents = json_array();
    for (size_t k = 0; k < changed->fact.n; k++) {
      char *name = as_baseline_fact_name(AS_VEC_AT(&changed->fact, const as_baseline_fact *, k));
      json_array_append_new(dependents, json_string(name));
      free(name);
    }
    json_array_append_new(specs, json_pack("{s:s, s:s, s:s, s:s*, s:o}", "name", changed->name,
                                           "how", how(changed), "was", changed->was->sha256, "now",
                                           changed->now->sha256[0] ? changed->now->sha256 : NULL,
                                           "dependents", dependents));
  }
  json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:f, s:i}", "format", "assay-regress 1",
                           "baseline", baseline->path, "facts", facts, "specifications", specs,
                           "seconds", seconds, "slower", (int)n_slower);
  for (int k = 0; k < AS_BASELINE_APART; k++)
    json_object_set_new(json, as_baseline_outcome_word((as_baseline_outcome)k),
                        json_integer((json_int_t)count[k]));
  json_dumpf(json, out, JSON_INDENT(1));
  fputc('\n', out);
  json_decref(json);
}

as_status as_baseline_report(const as_baseline_showing *showing, const as_baseline *baseline,
                             double seconds) {
  FILE *out = showing->out;
  as_vec ops;
  size_t count[AS_BASELINE_APART + 1] = {0};
  size_t n_slower = 0;
  changed_specifications(baseline, &ops);
  for (size_t i = 0; i < baseline->fact.n; i++) {
    count[fact_at(baseline, i)->outcome]++;
    n_slower += slower(fact_at(baseline, i));
  }
  if (showing->json)
    print_json(out, baseline, count, n_slower, seconds, &ops);
  else
    print_text(out, showing, baseline, count, n_slower, seconds, &ops);
  for (size_t i = 0; i < ops.n; i++)
    as_vec_clear(&AS_VEC_AT(&ops, changed_op, i).fact);
  as_vec_clear(&ops);
  return count[AS_BASELINE_CHANGED] ? AS_NO
         : count[AS_BASELINE_LOST]  ? AS_UNKNOWN
         : count[AS_BASELINE_GONE]  ? AS_BAD_INPUT
                                    : AS_OK;
}

bool as_baseline_junit(const char *path, const as_baseline *baseline, as_err *err) {
  if (path == NULL)
    return true;
  as_report_junit *suite = as_report_junit_new(baseline->path);
  for (size_t i = 0; i < baseline->fact.n; i++) {
    const as_baseline_fact *fact = fact_at(baseline, i);
    if (fact->outcome == AS_BASELINE_APART)
      continue;
    char *name = as_baseline_fact_name(fact);
    char *message = NULL;
    if (fact->outcome == AS_BASELINE_GONE) {
      message = as_strdup("a file, a graph or a rule of the baseline is no more");
    } else if (fact->now.verdict) {
      message = as_format("%s%s%s%s%s", fact->recorded ? fact->was.verdict : "",
                          fact->recorded ? " -> " : "", fact->now.verdict, fact->reason ? ": " : "",
                          fact->reason ? fact->reason : "");
    }
    as_report_junit_case test = {.group = as_baseline_kind_word(fact->kind),
                                 .name = name,
                                 .seconds = fact->now.seconds > 0 ? fact->now.seconds : 0,
                                 .type = as_baseline_outcome_word(fact->outcome),
                                 .message = message,
                                 .detail = fact->cex};
    bool unsure = fact->outcome == AS_BASELINE_LOST || fact->outcome == AS_BASELINE_GONE ||
                  (fact->outcome == AS_BASELINE_NEW && strcmp(fact->now.verdict, "UNKNOWN") == 0);
    test.outcome = fact->outcome == AS_BASELINE_CHANGED ? AS_REPORT_JUNIT_FAIL
                   : unsure                             ? AS_REPORT_JUNIT_ERROR
                                                        : AS_REPORT_JUNIT_PASS;
    as_report_junit_add(suite, &test);
    free(name);
    free(message);
  }
  bool ok = as_report_junit_write(suite, path, err);
  as_report_junit_free(suite);
  return ok;
}

/* Files of rules: a line for every rule and a summary.  Rules are judged by several threads and
 * told in the order of the files, those that a first turn leaves undecided after the others. */
#include "rules.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_residual(const as_proof_result *proof) {
  if (proof->goal)
    printf("    open: goal %s\n", proof->goal);
  if (proof->goal && proof->left)
    printf("      %s\n", proof->left);
  if (proof->goal && proof->right)
    printf("      %s\n", proof->right);
}

static void tell(rule_run *run, const judged_rule *rule) {
  const as_verdict *verdict = &rule->verdict;
  if (!run->table || rule->file == NULL) /* of a file that was said when it was opened */
    return;
  as_progress_wipe(&run->progress);
  if (run->n_file + run->n_bad_file > 1 && run->of_file != rule->file)
    printf("# %s\n", rule->path);
  run->of_file = rule->file;
  printf("%-*s  %-8s %8.3f s%s%s%s\n", run->width, rule->name, as_answer_word(verdict->answer),
         verdict->seconds, verdict->surprise ? "  expected: " : "",
         verdict->surprise ? as_expect_word(verdict->expect) : "",
         verdict->conflict ? "  INTERNAL ERROR: a checked proof, and a counterexample that stands"
                           : "");
  if (verdict->cex_words)
    fputs(verdict->cex_words, stdout);
  if (verdict->answer == AS_ANSWER_UNREADABLE)
    printf("%s\n", verdict->why);
  if ((verdict->answer == AS_ANSWER_UNKNOWN || verdict->answer == AS_ANSWER_VACUOUS) &&
      verdict->why)
    printf("    %s\n", verdict->why);
  if (verdict->answer == AS_ANSWER_UNKNOWN)
    print_residual(&verdict->proof);
  if (verdict->answer == AS_ANSWER_PROVED && verdict->tally.filled == 0)
    puts("    (seen at instances only where all results are empty)");
  if (verdict->shadowing)
    printf("    shadowing %s\n", verdict->shadowing);
  if (rule->words.implied)
    printf("    for sizes where %s: elsewhere the %s side is not defined\n", rule->words.implied,
           rule->reverse ? "right" : "left");
  if (run->how->verbose && verdict->answer == AS_ANSWER_PROVED) {
    printf("%s\n    proof of %u steps in %.3f s, checked in %.3f s; %llu instances agree\n",
           verdict->theorem, verdict->proof.steps, verdict->prove_seconds, verdict->check_seconds,
           (unsigned long long)verdict->tally.defined);
  }
  fflush(stdout);
}

static void judge(const rule_run *run, const as_policy *policy, judged_rule *rule) {
  if (rule->unread) {
    rule->verdict.answer = AS_ANSWER_UNREADABLE;
    rule->verdict.reason = AS_REASON_UNREADABLE;
    rule->verdict.why = as_err_format(rule->unread);
    return;
  }
  as_judged judged = as_job_judged_rule(rule->file, rule->number, rule->reverse, rule->name);
  as_judge(&judged, policy, &rule->verdict);
  if (rule->verdict.unfinished) {
    as_verdict_clear(&rule->verdict);
    as_verdict_init(&rule->verdict);
    rule->verdict.unfinished = true;
    return;
  }
  as_report_words_of(&rule->verdict, run->how->out != NULL, &rule->words);
  as_verdict_release(&rule->verdict);
}

/* takes what a rule came to, and tells what there is to tell by now, in the order of the turn */
static void take(rule_run *run, judged_rule *rule) {
  pthread_mutex_lock(&run->lock);
  rule->done = true;
  if (!rule->verdict.unfinished) {
    run->judged++;
    run->count[rule->verdict.answer]++;
    run->surprises += rule->verdict.surprise;
    run->conflicts += rule->verdict.conflict;
  }
  for (; run->told < run->n_turn && run->turn[run->told]->done; run->told++) {
    if (!run->turn[run->told]->verdict.unfinished)
      tell(run, run->turn[run->told]);
  }
  as_progress_count(&run->progress, "rules", run->judged, run->n_case);
  pthread_mutex_unlock(&run->lock);
}

static void judge_at_first(void *arg, size_t i) {
  rule_run *run = arg;
  as_policy policy = run->policy;
  policy.first_turn = true;
  judge(run, &policy, run->turn[i]);
  take(run, run->turn[i]);
}

static void judge_fully(void *arg, size_t i) {
  rule_run *run = arg;
  judge(run, &run->policy, run->turn[i]);
  take(run, run->turn[i]);
}

/* All have their first turn before any has more: a slow one delays nobody. */
static void judge_all(rule_run *run) {
  run->turn = as_calloc(run->n_case + 1, sizeof *run->turn);
  for (size_t i = 0; i < run->n_case; i++)
    run->turn[run->n_turn++] = &run->cases[i];
  as_parallel(run->how->threads, run->n_turn, judge_at_first, run);
  run->n_turn = run->told = 0;
  for (size_t i = 0; i < run->n_case; i++) {
    if (!run->cases[i].verdict.unfinished)
      continue;
    run->cases[i].done = false;
    run->turn[run->n_turn++] = &run->cases[i];
  }
  as_parallel(run->how->threads, run->n_turn, judge_fully, run);
  free(run->turn);
}

/* worst first: a contradiction, what cannot be read, what is wrong or not as it says of itself,
 * what is not known */
static int status_of(const rule_run *run) {
  if (run->conflicts)
    return AS_INTERNAL;
  if (run->count[AS_ANSWER_UNREADABLE])
    return AS_BAD_INPUT;
  if (run->surprises)
    return AS_NO;
  int status = AS_OK;
  for (size_t i = 0; i < run->n_case; i++) {
    const as_verdict *verdict = &run->cases[i].verdict;
    if (verdict->expect != AS_EXPECT_NOTHING || verdict->answer == AS_ANSWER_PROVED)
      continue;
    if (verdict->answer == AS_ANSWER_REFUTED)
      return AS_NO;
    status = AS_UNKNOWN;
  }
  return status;
}

static judged_rule *new_case(rule_run *run, const as_job *file, const char *path, char *name) {
  judged_rule *rule = &run->cases[run->n_case++];
  *rule = (judged_rule){.file = file, .path = path, .number = AS_NONE, .name = name};
  as_verdict_init(&rule->verdict);
  int width = (int)strlen(name);
  if (file && width > run->width)
    run->width = width;
  return rule;
}

/* `op NAME`, `func NAME`; the place of what is neither */
static char *name_of_defect(const as_rule_defect *defect) {
  if (*defect->name == 0)
    return as_format("line %d", defect->why->line);
  return as_format("%.*s %s", (int)strcspn(defect->text, " \t"), defect->text, defect->name);
}

static void list_file(rule_run *run, const as_job *file) {
  bool to[2] = {run->how->forward, run->how->backward};
  const char *path = file->given.name;
  for (uint32_t i = 0; i < as_rulefile_defects(file->rules); i++) {
    as_rule_defect defect = as_rulefile_defect(file->rules, i);
    new_case(run, file, path, name_of_defect(&defect))->unread = defect.why;
  }
  for (uint32_t i = 0; i < as_rulefile_count(file->rules); i++) {
    for (int back = 0; back < 2; back++) {
      if (!to[back])
        continue;
      judged_rule *rule = new_case(run, file, path, as_job_rule_name(file, i, back));
      rule->number = i;
      rule->reverse = back;
    }
  }
}

static void list_cases(rule_run *run) {
  size_t most = run->n_bad_file;
  for (uint32_t f = 0; f < run->n_file; f++)
    most += 2 * as_rulefile_count(run->file[f].rules) + as_rulefile_defects(run->file[f].rules);
  run->cases = as_calloc(most + 1, sizeof *run->cases);
  for (uint32_t f = 0; f < run->n_file; f++)
    list_file(run, &run->file[f]);
  for (uint32_t f = 0; f < run->n_bad_file; f++) {
    const unread_file *bad = &run->bad_file[f];
    new_case(run, NULL, bad->path, as_strdup(as_file_name(bad->path)))->unread = &bad->why;
  }
}

/* a file that cannot be read does not stop the others */
static void open_files(rule_run *run, const as_oplib *library, const char *const *path,
                       uint32_t n) {
  run->file = as_calloc(n + 1, sizeof *run->file);
  run->bad_file = as_calloc(n + 1, sizeof *run->bad_file);
  for (uint32_t i = 0; i < n; i++) {
    unread_file *bad = &run->bad_file[run->n_bad_file];
    *bad = (unread_file){.path = path[i]};
    as_err_init(&bad->why);
    as_job *file = &run->file[run->n_file];
    as_job_init(file, as_oplib_again(library, &bad->why));
    if (file->lib && as_job_read_rules_with_defects(file, path[i], &bad->why)) {
      run->n_file++;
    } else {
      as_err_tell(&bad->why);
      as_job_clear(file);
      run->n_bad_file++;
    }
  }
}

static void print_summary(const rule_run *run, double seconds) {
  printf("%u proved, %u refuted, %u unknown, %u vacuous, %u not readable in %.1f s",
         run->count[AS_ANSWER_PROVED], run->count[AS_ANSWER_REFUTED], run->count[AS_ANSWER_UNKNOWN],
         run->count[AS_ANSWER_VACUOUS], run->count[AS_ANSWER_UNREADABLE], seconds);
  if (run->surprises)
    printf("; %u not as expected", run->surprises);
  putchar('\n');
  if (run->how->verbose || run->how->stats)
    as_report_print_stats();
}

static void print_conflicts(const rule_run *run) {
  for (size_t i = 0; i < run->n_case; i++) {
    const judged_rule *rule = &run->cases[i];
    if (rule->verdict.conflict) {
      fprintf(stderr,
              "assay: INTERNAL ERROR: %s: %s: the proof and the counterexample cannot both be "
              "right; nothing that this version says of rules can be trusted\n",
              rule->path, rule->name);
    }
  }
}

static void clear(rule_run *run) {
  pthread_mutex_destroy(&run->lock);
  for (size_t i = 0; i < run->n_case; i++) {
    as_verdict_clear(&run->cases[i].verdict);
    as_report_words_clear(&run->cases[i].words);
    free(run->cases[i].name);
  }
  for (uint32_t i = 0; i < run->n_file; i++)
    as_job_clear(&run->file[i]);
  for (uint32_t i = 0; i < run->n_bad_file; i++)
    as_err_clear(&run->bad_file[i].why);
  free(run->bad_file);
  free(run->cases);
  free(run->file);
}

int as_batch_rules(const as_batch_how *how, const as_oplib *library, const char *const *path,
                   uint32_t n) {
  as_err err;
  as_err_init(&err);
  double start = as_now();
  rule_run run = {.how = how, .policy = *how->policy, .table = !how->json && !how->quiet};
  as_policy_ask_nobody(&run.policy);
  open_files(&run, library, path, n);
  list_cases(&run);
  as_progress_init(&run.progress, how->quiet);
  pthread_mutex_init(&run.lock, NULL);
  judge_all(&run);
  as_progress_end(&run.progress);
  double seconds = as_now() - start;
  bool ok = as_batch_leave_rules(&run, seconds, &err) && as_batch_junit_rules(&run, &err);
  if (ok && !how->json)
    print_summary(&run, seconds);
  print_conflicts(&run);
  int status = ok ? status_of(&run) : as_err_tell(&err);
  clear(&run);
  as_err_clear(&err);
  return status;
}

/* The table of solvers, and what their answers come to. */
#include "smt_solver.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/str.h"
#include <stdlib.h>

static const smt_solver solvers[] = {
#define SOLVER_ROW(id, name_, title_, ...) {.name = name_, .title = title_, __VA_ARGS__},
    AS_SMT_SOLVERS(SOLVER_ROW)
#undef SOLVER_ROW
};

static const struct {
  const char *word;
  int rank;
} verdicts[] = {

#define VERDICT_ROW(id, word, rank) {word, rank},
    AS_SMT_VERDICTS(VERDICT_ROW)
#undef VERDICT_ROW
};

const char smt_control[] = "(set-logic QF_AUFLIRA)\n"
                           "(declare-fun control () Int)\n"
                           "(assert (< 2 control))\n"
                           "(assert (not (= control 4)))\n"
                           "(check-sat)\n";

const char *as_smt_solver_name(as_smt_solver solver) {
  return solvers[solver].name;
}

const char *as_smt_solver_title(as_smt_solver solver) {
  return solvers[solver].title;
}

const char *as_smt_verdict_name(as_smt_verdict v) {
  return verdicts[v].word;
}

void as_smt_result_clear(as_smt_result *r) {
  free(r->reason);
  free(r->version);
  *r = (as_smt_result){0};
}

void smt_spoil(smt_work *work, as_smt_verdict verdict, uint32_t number, const char *why) {
  as_smt_result *result = work->result;
  if (verdicts[verdict].rank <= verdicts[result->verdict].rank)
    return;
  result->verdict = verdict;
  free(result->reason);
  result->reason =
      number < work->set->n ? as_format("%s: %s", work->set->q[number].name, why) : as_strdup(why);
}

static void answered_control(smt_work *work, smt_answer answer, const char *words) {
  if (answer == SMT_UNSAT) {
    smt_spoil(work, AS_SMT_UNSOUND, SMT_CONTROL,
              "calls a query unsat that has a model: its answers do not count");
  } else if (answer == SMT_OTHER) {
    char *why = as_format("a query that has a model: %s", words);
    smt_spoil(work, AS_SMT_UNKNOWN, SMT_CONTROL, why);
    free(why);
  }
}

void smt_answered(smt_work *work, uint32_t number, smt_answer answer, const char *words) {
  as_stats_add(AS_STAT_QUERIES, 1);
  if (number == SMT_CONTROL) {
    answered_control(work, answer, words);
    return;
  }
  work->result->asked++;
  if (answer == SMT_UNSAT) {
    work->result->agreed++;
  } else if (answer == SMT_SAT) {
    smt_spoil(work, AS_SMT_DISAGREES, number,
              work->set->q[number].exact
                  ? "has a countermodel"
                  : "has a countermodel once products and laws are abstracted");
  } else {
    smt_spoil(work, AS_SMT_UNKNOWN, number, words);
  }
}

static void ask_in_process(smt_work *work, uint32_t number) {
  const char *query = number == SMT_CONTROL ? smt_control : work->set->q[number].text;
  char *words = NULL;
  smt_answer answer = work->solver->ask(query, work->limits.query_ms, work->limits.rlimit, &words);
  smt_answered(work, number, answer, words);
  free(words);
}

static void all_in_process(smt_work *work) {
  work->result->version = work->solver->version();
  ask_in_process(work, SMT_CONTROL);
  for (uint32_t i = 0; i < work->set->n; i++) {
    if (as_now() > work->deadline) {
      char *why = as_format("out of time after %u of %u queries", i, work->set->n);
      smt_spoil(work, AS_SMT_UNKNOWN, SMT_CONTROL, why);
      free(why);
      return;
    }
    ask_in_process(work, i);
  }
}

void as_smt_ask(as_smt_solver solver, const as_smt_set *s, const as_smt_opts *opts,
                as_smt_result *result) {
  double start = as_now();
  smt_work work = {.solver = &solvers[solver], .set = s, .result = result};
  if (opts)
    work.limits = *opts;
  if (work.limits.query_ms == 0)
    work.limits.query_ms = 5000;
  if (work.limits.total_ms == 0)
    work.limits.total_ms = 60000;
  if (work.limits.rlimit == 0)
    work.limits.rlimit = 20000000;
  work.deadline = start + work.limits.total_ms / 1000.0;
  *result = (as_smt_result){.verdict = AS_SMT_AGREES};
  if (work.solver->ask)
    all_in_process(&work);
  else
    smt_ask_child(&work);
  if (s->n == 0)
    smt_spoil(&work, AS_SMT_UNKNOWN, SMT_CONTROL, "no queries");
  if (result->verdict == AS_SMT_AGREES && result->agreed != s->n)
    smt_spoil(&work, AS_SMT_UNKNOWN, SMT_CONTROL, "fewer answers than queries");
  result->seconds = as_now() - start;
}

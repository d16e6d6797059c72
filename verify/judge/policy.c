/* Policies as users write them, and the tables of words. */
#include "judge.h"
#include <string.h>

enum { DEFAULT_SOLVER_SECONDS = 20 };

static const struct {
  const char *word;
  const char *recorded;
} answers[] = {

#define ANSWER_ROW(id, word, recorded) {word, recorded},
    AS_ANSWERS(ANSWER_ROW)
#undef ANSWER_ROW
};

const char *as_answer_word(as_answer answer) {
  return answers[answer].word;
}

const char *as_answer_recorded(as_answer answer) {
  return answers[answer].recorded;
}

void as_policy_init(as_policy *policy) {
  *policy = (as_policy){.field = true, .solver_seconds = DEFAULT_SOLVER_SECONDS, .seed = 1};
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    policy->ask[i] = true;
}

void as_policy_ask_nobody(as_policy *policy) {
  memset(policy->ask, 0, sizeof policy->ask);
}

void as_policy_without_solvers(as_policy *policy) {
  as_policy_ask_nobody(policy);
  memset(policy->agree, 0, sizeof policy->agree);
  policy->keep_queries = false;
}

static bool is_word(const char *word, size_t length, const char *known) {
  return strlen(known) == length && strncmp(word, known, length) == 0;
}

/* sets the solver of that name; false: there is none */
static bool set_solver(bool *flags, const char *word, size_t length) {
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++) {
    if (is_word(word, length, as_smt_solver_name((as_smt_solver)i)))
      return flags[i] = true;
  }
  return false;
}

static bool require_word(as_policy *policy, const char *word, size_t length) {
  if (is_word(word, length, "check"))
    return true; /* that is always demanded */
  if (is_word(word, length, "field"))
    return policy->field = true;
  return set_solver(policy->agree, word, length);
}

static bool ask_word(as_policy *policy, const char *word, size_t length) {
  if (is_word(word, length, "none"))
    return true;
  if (!is_word(word, length, "both"))
    return set_solver(policy->ask, word, length);
  for (int i = 0; i < AS_SMT_N_SOLVERS; i++)
    policy->ask[i] = true;
  return true;
}

/* words between commas; empty ones are passed over */
static bool each_word(as_policy *policy, const char *list,
                      bool (*take)(as_policy *policy, const char *word, size_t length),
                      as_err *err) {
  for (const char *word = list; *word;) {
    size_t length = strcspn(word, ",");
    if (length > 0 && !take(policy, word, length))
      return as_err_set(err, AS_BAD_INPUT, "unknown word `%.*s`", (int)length, word);
    word += length + (word[length] == ',');
  }
  return true;
}

bool as_policy_require(as_policy *policy, const char *list, as_err *err) {
  policy->field = false;
  memset(policy->agree, 0, sizeof policy->agree);
  return each_word(policy, list, require_word, err);
}

bool as_policy_ask(as_policy *policy, const char *list, as_err *err) {
  as_policy_ask_nobody(policy);
  return each_word(policy, list, ask_word, err);
}

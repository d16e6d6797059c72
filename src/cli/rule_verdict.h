/* One rewrite rule, in one direction: counterexample, proof, checker's replay, solvers where they
 * are asked.  Private to src/cli. */
#ifndef AS_CLI_RULE_VERDICT_H
#define AS_CLI_RULE_VERDICT_H
#include "cli.h"
#include "verify/refute/rule_refute.h"

typedef enum {
  CLI_RULE_PROVED,
  CLI_RULE_REFUTED,
  CLI_RULE_UNKNOWN,
  CLI_RULE_VACUOUS,
  CLI_RULE_BAD
} cli_rule_answer;

extern const char *const cli_rule_words[]; /* "PROVED", .., "ERROR" */

/* a file of rules with a library of its own */
typedef struct {
  const char *path;
  char *text;
  size_t len;
  cli_case c;
  as_rulefile *file;
} cli_rules;

bool cli_rules_open(const cli_opts *o, const char *path, cli_rules *s, as_err *err);
void cli_rules_close(cli_rules *s);

typedef struct {
  char *name; /* NAME, or NAME.reverse */
  cli_rule_answer answer;
  as_expect expect; /* what the rule says of itself; nothing for the other direction */
  bool surprise;    /* and the answer is another */
  bool conflict; /* a proof that the checker accepts and a counterexample that stands: one of them
                    is wrong */
  char *error;   /* CLI_RULE_BAD: the message, with its place */
  bool has_cex;
  as_rule_cex cex;
  char *cex_words;
  as_rule_tally tally; /* what the search for counterexamples met */
  cli_verdicts v;      /* proof, theorem, relied, checker, solvers, reason */
  double seconds;
} cli_rule_verdict;

/* Threads may judge rules of one file at the same time.  r: initialised here, cleared by the
 * caller. */
void cli_rule_judge(const cli_opts *o, const cli_rules *s, uint32_t i, bool reverse,
                    cli_rule_verdict *r);
void cli_rule_clear(cli_rule_verdict *r);
#endif

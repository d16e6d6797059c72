/* Random changes of the texts of rewrite rules, for the soundness harness. */
#ifndef TEST_MUTATE_RULE_H
#define TEST_MUTATE_RULE_H
#include "src/base/rng.h"

/* one to three changes of operators, names, numbers, indices, axes, relations, types, statements,
 * and of what is assumed; malloc'ed; kind: the first one */
char *mutate_rule(const char *text, as_rng *rng, const char **kind);
#endif

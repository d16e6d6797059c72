/* Reads a goals file: term lines of the certificate grammar, then lines `goal NAME F | H..` naming
 * term lines.  Only for tests. */
#ifndef TESTS_CHECKER_GOALS_H
#define TESTS_CHECKER_GOALS_H
#include "../../proofs/checker/ck_cert.h"
/* goals malloc'ed, names and allowed lists of T; false on a malformed file */
bool goals_read(ck_terms *T, const char *text, ck_goal **goals, uint32_t *n);
char *slurp(const char *path, size_t *len);
#endif

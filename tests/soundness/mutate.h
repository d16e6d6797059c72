/* Random changes of muGraph texts and of certificates, for the soundness harness. */
#ifndef TEST_MUTATE_H
#define TEST_MUTATE_H
#include "src/base/rng.h"
#include <stddef.h>

/* a muGraph that computes a program operator by operator, at kernel level; malloc'ed */
char *mutate_as_mugraph(const char *tp);
/* the text without the concrete values of its sizes; malloc'ed */
char *mutate_without_values(const char *text);
/* one to three changes of operators, names, axes, maps, factors, accumulators, relations,
 * statements; malloc'ed; kind: what the first one was */
char *mutate_mugraph(const char *mug, as_rng *rng, const char **kind);
/* one to four changes of lines or tokens of a certificate; malloc'ed */
char *mutate_cert(const char *cert, size_t len, as_rng *rng, size_t *out_len);
#endif

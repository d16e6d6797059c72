/* Random calls of an operator at small sizes: for the check of specifications and the tests of the
 * evaluators. May include: semantics. */
#ifndef AS_SAMPLE_H
#define AS_SAMPLE_H
#include "domain_field.h"
#include "eval.h"

typedef struct {
  as_sizes *S;
  int64_t *env;
  const as_opdef *op;
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t arank[AS_MAX_ARGS];
  int64_t dim[AS_MAX_ARGS][AS_MAX_RANK];
  as_attr attr[AS_MAX_ATTRS];
  int64_t outdim[AS_MAX_RANK];
  uint32_t outrank;
} as_sample;

void as_sample_init(as_sample *graph, const as_opdef *op);
void as_sample_clear(as_sample *graph);
/* Arguments and attributes of fitting kinds, not yet a call: nothing is checked, outdim is not set.
 * Extents from 0 to `most`, attributes without a default value from `least` to `most`. */
void as_sample_draw(as_sample *graph, as_rng *rng, int64_t least, int64_t most);
/* a random call that satisfies the operator's obligations; extents and attributes up to `most`, 0
 * included; false: none found */
bool as_sample_next(as_sample *graph, as_rng *rng, int64_t most);

/* ---- do the evaluators agree? (agree.c) */
typedef struct {
  uint64_t calls;
  uint64_t empty;
  uint64_t ones;
  uint64_t elements;
  uint64_t exact;
  uint64_t field;
  uint64_t undefined;
} as_agreement; /* calls with an axis of 0, of 1; elements known exactly, .. */

/* random rational inputs of the call, over as_domain_exact; as many tensors as the operator has
 * arguments */
void as_sample_inputs(const as_sample *graph, as_rng *rng, as_tensor *exact);
void as_sample_inputs_clear(const as_sample *graph, as_tensor *exact);
/* Evaluates the call (its outdim is set) over rationals, the field, doubles and intervals and
 * compares element by element.  AS_OK: they agree, and *t counts; otherwise *why says what does
 * not, malloc'ed; AS_NO also where an access leaves its tensor.  plain: the result as doubles;
 * cleared by the caller when AS_OK. */
as_status as_sample_agree(const as_sample *graph, const as_tensor *exact, const as_field_domain *F,
                          const as_domain *interval, as_agreement *t, as_tensor *plain, char **why);
#endif

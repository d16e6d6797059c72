/* Random calls of an operator at small sizes, for the tests of the evaluators. */
#ifndef TEST_EVAL_GEN_H
#define TEST_EVAL_GEN_H
#include "../../semantics/eval.h"

typedef struct {
  as_sizes *S; int64_t *env;
  const as_opdef *op;
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK]; uint32_t arank[AS_MAX_ARGS];
  int64_t dim[AS_MAX_ARGS][AS_MAX_RANK];
  as_attr attr[AS_MAX_ATTRS];
  int64_t outdim[AS_MAX_RANK]; uint32_t outrank;
} gen_call;
void gen_init(gen_call *g, const as_opdef *op);
void gen_clear(gen_call *g);
/* a random call that satisfies the operator's obligations; extents up to `most`, 0 included; false: none found */
bool gen_next(gen_call *g, as_rng *rng, int64_t most);
#endif

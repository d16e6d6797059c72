/* Small kernels that the lowering makes, with inputs and results over the field.  Used by the tests
 * of the thread level. */
#ifndef AS_TEST_THREADS_CASES_H
#define AS_TEST_THREADS_CASES_H
#include "../../src/threads/threads.h"
#include "interp.h"
#include "src/base/rng.h"

typedef struct {
  const char *name;
  const char *program;
  const char *mug;
  const char *target;
  int warps;
  int stages;
  /* element [b, n] of the block's result number `which`, from its loads' tensors in their order;
   * depth: the last extent of the first of them */
  pair (*result)(const field_tensor *in, unsigned which, long b, long n, long depth);
  long block[3]; /* which one is executed: masks depend on it */
} thread_case;

typedef struct {
  const thread_case *c;
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *program;
  as_graph *mug;
  int64_t *env;
  as_dtype *between;
  as_block_ref ref; /* of the graph's last block */
  as_isa *isa;
  as_threads_kernel kernel;
  field_tensor tensor[12]; /* by tile */
} opened;

/* a change of a case's kernel, and what the validator says of it */
typedef struct {
  const char *of; /* the case's name */
  void (*make)(as_tg *g);
  const char *why; /* a part of it; NULL: right, and then executed to right results */
} thread_change;

extern const thread_case thread_cases[];
extern const unsigned n_thread_cases;
/* to be called before results of other inputs than the last ones are asked for */
void cases_other_inputs(void);
/* lowers and makes inputs; fails the test where that is not possible */
void case_open(opened *o, const thread_case *c);
void case_close(opened *o);
/* fails the test where there is none */
const thread_case *case_of(const char *name);
/* makes the change on a copy; fails the test where the validator says another thing, or what it
 * accepts computes another thing in some of so many random executions */
void case_judge_change(const opened *of, const thread_change *change, unsigned number,
                       unsigned runs);

/* changes g at random; the kind of change, NULL if it did not apply */
const char *mutate(as_tg *g, as_rng *r);
#endif

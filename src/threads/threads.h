/* Lowering of certified block graphs to thread graphs: what a block computes is read as terms, the
 * instructions that compute it are found by unification with their meanings and division of their
 * layouts, the graph is validated and printed as CUDA.  A block that does not fit is left to the
 * general lowering (src/lower), which is told why.  May include: base, ir, target,
 * verify/threads, src/threads/core.  Called by src/lower. */
#ifndef AS_THREADS_H
#define AS_THREADS_H
#include "../../verify/threads/validate.h"
#include "core/graph.h"
#include "src/target/target.h"

typedef struct {
  const char *target;   /* sm_80, sm_90 */
  long smem_limit;      /* bytes of shared memory a block may take */
  int warps;            /* 0: chosen */
  int stages;           /* 0: chosen */
  const as_target *gpu; /* whose multiprocessors are filled (borrowed); NULL: the default */
  /* texts in the kernel of how many blocks there are along x and y, where a launch decides; NULL:
   * as many as the block graph says */
  const char *blocks[2];
} as_threads_opts;

typedef struct as_threads_kernel {
  as_tg *graph;    /* validated; the caller's */
  char *kernel;    /* CUDA text of the kernel */
  char *arguments; /* text of the arguments after `a` at its launch, with the comma before them */
  char *before;    /* statements before the launch (tensor maps) */
  bool waits;      /* by itself for the kernels before: may be launched while they run */
  bool early;      /* but reads inputs before: what wrote these must be over when it is launched */
  unsigned threads;
  long smem;          /* bytes of dynamic shared memory */
  double validated_s; /* what validation took */
} as_threads_kernel;

/* text of the address of a kernel-level tensor of the block, given an `as_args` named a */
typedef char *as_threads_address(void *arg, as_node_id tensor);

/* A kernel named `name` for the block.  false with *why (malloc'ed): the block does not fit, or
 * what was made of it was refused by the validator. */
bool as_threads_lower(const as_block_ref *b, const as_threads_opts *o, const char *name,
                      as_threads_address *address, void *arg, as_threads_kernel *out, char **why);
void as_threads_kernel_clear(as_threads_kernel *k);
/* device functions from the texts of the target's instructions, for these graphs; malloc'ed, NULL
 * with err */
char *as_threads_prelude(const char *target, const as_tg *const *graph, unsigned n, as_err *err);
#endif

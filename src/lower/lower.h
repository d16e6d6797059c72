/* Lowering: from a program or a muGraph whose sizes have concrete values to CUDA text (one kernel
 * per block graph, generated kernels for kernel-level operators, a launcher).
 * The reference in double precision that kernels are compared with is the evaluators' (semantics/).
 * May include: base, target, ir, semantics.  Used by runtime, cli, tests. */
#ifndef AS_LOWER_H
#define AS_LOWER_H
#include "../base/lowered.h"
#include "../ir/graph.h"
#include "../target/target.h"
#include "src/base/err.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const int64_t *env; /* values of size symbols, indexed by size id (borrowed); NULL: the values
                         that the files give.  Kernels do not depend on the value of a size that is
                         left to run time: it is that of the launch which the rest of as_lowered
                         describes */
  unsigned warps;     /* per block: a power of two up to 16; 0: chosen */
  unsigned stages;    /* depth of the ring of tiles in loops; 0: chosen */
  bool no_mma;        /* scalar arithmetic only (tests) */
  bool no_threads;    /* the general way for every block (tests, comparisons) */
  const as_target *target; /* the GPU planned for (borrowed); NULL: the default */
} as_lower_opts;

void as_lowered_init(as_lowered *l);
void as_lowered_clear(as_lowered *l);
/* by which ways its parts are lowered, as the caller's own; `l` has them no longer */
void as_lowered_take_routes(as_lowered *l, as_routes *routes);
/* mug: borrowed; a program lowers too (each operator its own kernels).  false with err when a size
 * has no value, a relation fails at these sizes, an extent does not divide, or shared memory does
 * not suffice. */
bool as_lower_cuda(const as_graph *mug, const as_lower_opts *o, as_lowered *out, as_err *err);
/* Does it lower, and by which ways?  options: as_lower_opts; routes: initialised here, cleared by
 * the caller where it lowers; NULL: not asked for.  As as_search_opts.lowers asks. */
bool as_lowers(void *options, const as_graph *mug, as_routes *routes, as_err *err);
/* the text that every kernel.cu begins with: lines, ended by NULL */
const char *const *lo_prelude(void);
/* what a muGraph's kernels leave in memory between them, by node (`type`: room for all of them):
 * what as_lower_cuda stores of stores and operators at kernel level.  false with err */
bool as_lower_types(const as_graph *mug, const as_lower_opts *o, as_dtype *type, as_err *err);
/* and that which calls a library goes on with, behind a line that defines ASSAY_LIBRARY */
const char *const *lo_library_text(void);
#endif

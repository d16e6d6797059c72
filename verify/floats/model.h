/* A model of how a program or a muGraph is executed in floats: where values are rounded, and to
 * what.  Within an operator sums are accumulated in 32 bits in parts; an operator without a
 * reduction is computed as if exactly and rounded once.  May include: semantics, ir, base.  Called
 * by the float test; the types of what kernels store come from whoever lowers them. */
#ifndef AS_FLOAT_MODEL_H
#define AS_FLOAT_MODEL_H
#include "semantics/domain_float.h"
#include "semantics/eval.h"
#include "src/ir/graph.h"

/* Terms that a sum within an operator adds before it adds them to the rest: sums on GPUs are of
 * several parts, whoever makes them. */
enum { AS_FLOATS_PART = 64 };

/* Which operators' factors may be rounded to TF32: the user permits that by name. */
typedef struct {
  bool (*tf32)(const void *arg, const char *operator_name);
  const void *arg;
} as_float_permission;

typedef struct {
  as_float_format *value;  /* by node: what its value is rounded to */
  as_float_format *factor; /* by node: what the factors of an operator that sums products are */
  bool *elementwise;       /* by node: an operator without a reduction */
  bool *running;           /* by node: a running maximum, which begins below every finite number */
} as_float_types;

/* The given program as eager PyTorch executes it: each operator's result in the type that the
 * program states, or else in the tensors' type, of several types in 32 bits. */
void as_float_types_given(const as_graph *program, const as_float_permission *permission,
                          as_float_types *types);
/* A candidate: 32 bits within kernels, factors of products in the type of the program's numbers
 * where that is of 16 bits, and what kernels leave in memory in the type that `between` (by node)
 * says, but for outputs. */
void as_float_types_lowered(const as_graph *graph, const as_dtype *between,
                            const as_float_permission *permission, as_float_types *types);
void as_float_types_clear(as_float_types *types);

/* An evaluation in that model.  floats: initialised; codes hold for it. */
as_status as_float_run(const as_graph *graph, as_float_domain *floats, const as_float_types *types,
                       const int64_t *env, as_eval_codes *codes, const as_tensor *inputs,
                       as_tensor *outputs, uint64_t max_ops, as_err *err);
#endif

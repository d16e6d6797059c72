/* Reference evaluators: programs and muGraphs at concrete sizes over any number domain, from the
 * .sem bodies alone (SEMANTICS.md sections 2 and 3). May include: base, ir, semantics/domain.h.
 * Called by verify (field test, refuter), lowering's tests, the command line. */
#ifndef AS_EVAL_H
#define AS_EVAL_H
#include "../src/ir/graph.h"
#include "domain.h"
#include "src/base/map.h"
#include "src/base/vec.h"

typedef struct {
  uint32_t rank;
  int64_t dim[AS_MAX_RANK];
  size_t n;
  void *data;
  const as_domain *d;
} as_tensor; /* row-major */

void as_tensor_init(as_tensor *t, const as_domain *domain, const int64_t *dim,
                    uint32_t rank); /* zeros */
void as_tensor_clear(as_tensor *t);
/* What the tensors of one evaluation, and the inputs of one, may take (the elements as the domain
 * stores them, without what they point to).  A program whose text forces sizes beyond it (a slice
 * up to 512 of each of four axes) cannot be evaluated: that is no verdict. */
#define AS_EVAL_MAX_BYTES ((size_t)512 << 20)
/* do tensors of these extents fit beside `used` bytes?  adds to *used */
bool as_tensor_fits(const as_domain *domain, const int64_t *dim, uint32_t rank, size_t *used);

static inline void *as_tensor_at(const as_tensor *t, size_t i) {
  return AS_DOM_AT(t->d, t->data, i);
}

/* One operator at concrete sizes, compiled; run many times.  Not for use by two threads at once. */
typedef struct as_opcode as_opcode;
/* adim, arank: symbolic extents of the arguments.  env: values by size id.  Interns sizes in
 * `sizes`. NULL with err: AS_NO where an obligation of the call (an equation between extents, a
 * `require`) fails at these sizes, AS_BAD_INPUT where the operator is ill-formed. */
as_opcode *as_opcode_new(as_sizes *sizes, const as_opdef *op, const as_size (*adim)[AS_MAX_RANK],
                         const uint32_t *arank, uint32_t nargs, const as_attr *attr,
                         const as_domain *domain, const int64_t *env, as_err *err);
void as_opcode_free(as_opcode *c); /* NULL allowed */
/* out: initialised with the result's extents (as_opcode_dims).  ticks: work left, counted down in
 * scalar operations; NULL: no limit. */
as_status as_opcode_run(as_opcode *c, const as_tensor *const *arg, as_tensor *out, uint64_t *ticks,
                        as_err *err);
void as_opcode_dims(const as_opcode *c, int64_t *dim, uint32_t *rank);

/* A function's value by its definition (or its built-in meaning).  arg: as many elements as it has
 * parameters. */
as_status as_func_run(const as_func *f, const as_domain *domain, const void *const *arg, void *out,
                      as_err *err);

/* What was met among the elements of all tensors computed, tiles and intermediate ones included:
 * definedness is eager (SEMANTICS.md), so a program has a value at an input only if none of them is
 * undefined there. */
typedef struct {
  unsigned flags; /* of all elements together */
  as_node_id node;
  size_t at; /* the first undefined one; AS_NONE */
  uint64_t
      ops; /* scalar operations that it took, also where it came to no end; 0 without a limit */
} as_eval_marks;

/* env: value of each size symbol by its id.  inputs: in the order of graph->input.  outputs: in the
 * order of graph->output, uninitialised; filled (and to be cleared by the caller) only when the
 * status is AS_OK.  max_ops: 0 no limit.  AS_NO: at these sizes an obligation fails, an access
 * leaves its tensor, or an element is not written exactly once; AS_BAD_INPUT: ill-formed;
 * AS_UNKNOWN: over max_ops, or tensors of more than AS_EVAL_MAX_BYTES alive together.  Interns
 * sizes in graph->sizes, so two threads may not evaluate graphs over one size table at the same
 * time. */
as_status as_eval_graph_ops(const as_graph *graph, const as_domain *domain, const int64_t *env,
                            const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                            as_eval_marks *marks /* may be NULL */, as_err *err);

/* Which way the choices of an evaluation went: `if` between values, and the greater or less of two.
 * A choice stands for its operator's text at one node; only elements at which the domain decides it
 * count. */
typedef struct {
  as_node_id node;
  uint32_t number;   /* among the choices of the node's operator */
  uint64_t times[2]; /* the first value was taken; the second */
} as_eval_choice;

typedef struct {
  as_vec choice; /* as_eval_choice, as they were met */
  as_map known;  /* node and number: the place there */
} as_eval_cover;

void as_eval_cover_init(as_eval_cover *cover);
void as_eval_cover_clear(as_eval_cover *cover);
/* adds those of other evaluations of the same graph */
void as_eval_cover_add(as_eval_cover *cover, const as_eval_cover *other);
/* how many choices have only ever gone one way */
uint32_t as_eval_cover_untaken(const as_eval_cover *cover);
/* as_eval_graph_ops, which adds to `cover` how the choices went; to be used for one graph */
as_status as_eval_graph_covering(const as_graph *graph, const as_domain *domain, const int64_t *env,
                                 const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                                 as_eval_marks *marks, as_eval_cover *cover, as_err *err);
/* The compiled operators of graphs that are evaluated more than once at the same sizes.  They hold
 * for one environment and for domains that outlive them; one thread uses them at a time. */
typedef struct as_eval_codes as_eval_codes;
as_eval_codes *as_eval_codes_new(void);
void as_eval_codes_free(as_eval_codes *codes); /* NULL allowed */
/* as_eval_graph_ops, which compiles the operators at kernel level that are not in `codes` yet;
 * NULL: all of them */
as_status as_eval_graph_again(const as_graph *graph, const as_domain *domain, const int64_t *env,
                              as_eval_codes *codes, const as_tensor *inputs, as_tensor *outputs,
                              uint64_t max_ops, as_eval_marks *marks, as_err *err);
as_status as_eval_graph(const as_graph *graph, const as_domain *domain, const int64_t *env,
                        const as_tensor *inputs, as_tensor *outputs, as_err *err);

/* Who watches an evaluation, node by node, in each block and iteration: a model of execution rounds
 * where hardware stores or multiplies. */
typedef struct {
  void *arg;
  void (*before)(void *arg, as_node_id node);                 /* an operator is evaluated next */
  void (*made)(void *arg, as_node_id node, as_tensor *value); /* its elements may be changed */
} as_eval_watch;

/* as_eval_graph_again, watched */
as_status as_eval_graph_watched(const as_graph *graph, const as_domain *domain, const int64_t *env,
                                as_eval_codes *codes, const as_eval_watch *watch,
                                const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                                as_eval_marks *marks, as_err *err);

/* Scalar operations that an evaluation of the graph's operators at kernel level takes at these
 * sizes, about, without evaluating; negative: one of them is none there. */
double as_graph_work(const as_graph *graph, const as_domain *domain, const int64_t *env);
/* All size facts that the calls of the operators at kernel level rely on (section 2), appended to a
 * vector of as_size_fact. */
bool as_graph_obligations(const as_graph *graph, as_vec *facts, as_err *err);
/* A malloc'ed environment over all sizes, filled with the concrete values where they are set
 * (INT64_MIN elsewhere). */
int64_t *as_env_new(const as_sizes *sizes);
bool as_fact_holds(const as_sizes *sizes, const as_size_fact *f, const int64_t *env);
#endif

/* Tile programs executed at concrete sizes over any number domain (docs/tile.md section 3), with
 * the iterations of parallel loops in an order of choice, and conflicts between them watched for.
 * May include: base, ir, src/tile, semantics/domain.h.
 * Used by verify/tile, tests. */
#ifndef AS_TILE_EVAL_H
#define AS_TILE_EVAL_H
#include "eval.h"
#include "src/tile/tile.h"

/* orders of the iterations of `parallel` loops */
typedef enum {
  AS_TILE_ASCENDING,
  AS_TILE_DESCENDING,
  AS_TILE_SHUFFLED, /* by the seed */
  AS_TILE_TOGETHER, /* each statement by all iterations before the next one */
  AS_TILE_MIXED,    /* the same, but now and then some run ahead of the others, by the seed */
  AS_TILE_N_ORDERS
} as_tile_order;

const char *as_tile_order_text(as_tile_order order);

/* Loops nested deeper in each other are refused. */
enum { AS_TILE_MOST_PARALLEL = 4 };

typedef struct {
  const as_domain *domain;
  const int64_t *env;         /* value of each size by its id */
  const as_tensor *arguments; /* of input and inout tensors, in the order of declaration */
  as_tile_order order;
  uint64_t seed;
  uint64_t max_ops; /* loads, stores and scalar operations; 0: no limit */
  bool watch;       /* for conflicts; in ascending or descending order only */
} as_tile_setting;

/* What was met on the way. */
typedef struct {
  /* A conflict: a place that one iteration of a `parallel` stores to and another one touches. */
  bool conflict;
  int line;        /* of the later access */
  uint32_t tensor; /* number in the program */
  int64_t place[AS_MAX_RANK];
  int loop;           /* line of the loop */
  unsigned flags;     /* of all elements computed */
  int undefined_line; /* the first statement that computed an undefined element; 0: none */
  uint64_t ops;       /* of those that max_ops bounds; 0 where it does not */
} as_tile_notes;

/* results: of inout and output tensors, in the order of declaration; filled, and to be cleared by
 * the caller, only when the status is AS_OK.  AS_NO: undefined here, for the reason in err (an
 * access outside of a tensor, two lanes at one place, shapes that do not fit); AS_UNKNOWN: over
 * max_ops or the memory allowed; AS_BAD_INPUT: ill-formed.  Elements without a value have the flag
 * AS_F_POISON. */
as_status as_tile_run(const as_tile_program *program, const as_tile_setting *setting,
                      as_tensor *results, as_tile_notes *notes, as_err *err);
uint32_t as_tile_n_arguments(const as_tile_program *program);
uint32_t as_tile_n_results(const as_tile_program *program);
/* the i-th argument's, or result's, number among the tensors */
uint32_t as_tile_argument(const as_tile_program *program, uint32_t i);
uint32_t as_tile_result(const as_tile_program *program, uint32_t i);
#endif

/* The state of a tile program that is being executed.
 * May include: base, ir, src/tile, semantics.  Private to semantics/tile_*.c. */
#ifndef AS_TILE_MACHINE_H
#define AS_TILE_MACHINE_H
#include "src/base/rng.h"
#include "tile_eval.h"

/* elements for scalars that are being computed, in each other */
enum { TILE_MOST_TEMPS = 1024 };

/* a value; shared by the frames that hold it, never changed once it is made */
typedef struct {
  as_tensor tensor;
  uint32_t holders;
} tile_value;

/* Who touched a place, for each level of parallel loops around: the execution of the loop and its
 * iteration, counted from 1 so that 0 is nobody. */
typedef struct {
  uint32_t execution;
  uint32_t iteration;
} tile_toucher;

typedef struct {
  tile_toucher stored[AS_TILE_MOST_PARALLEL];
  tile_toucher loaded[AS_TILE_MOST_PARALLEL];
  bool loaded_by_more[AS_TILE_MOST_PARALLEL]; /* than that one iteration of the execution */
  uint64_t store;                             /* number of the store that wrote here last */
} tile_log;

/* a mutable tensor */
typedef struct {
  as_tensor tensor;
  tile_log *log; /* a row a place */
  uint32_t holders;
} tile_memory;

/* what the names stand for in one iteration */
typedef struct {
  int64_t *integer;
  tile_value **tile;
  tile_memory **memory;
} tile_frame;

/* operators compiled for extents and attributes that occurred */
typedef struct tile_code {
  as_opcode *code;
  uint32_t n_key;
  int64_t *key;
  struct tile_code *next;
} tile_code;

typedef struct {
  const as_tile_program *program;
  const as_tile_setting *setting;
  const as_domain *domain;
  as_tile_notes *notes;
  as_err *err;
  as_status status; /* the first failure */
  as_rng rng;
  tile_code **code; /* a list for each call of the program */
  char *temp;       /* elements for scalars being computed */
  uint32_t n_temp;
  uint64_t ops_left;
  size_t bytes; /* of tensors alive */
  uint64_t stores;
  int line; /* of the statement that runs */
  uint32_t depth;
  uint32_t executions;
  tile_toucher at[AS_TILE_MOST_PARALLEL];
  int loop_line[AS_TILE_MOST_PARALLEL];
} tile_machine;

/* false; keeps the first failure */
bool tile_stop(tile_machine *machine, as_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool tile_count(tile_machine *machine, uint64_t ops); /* false: none left */

/* a value of these extents, zeros, with one holder; NULL: stopped */
tile_value *tile_value_new(tile_machine *machine, const int64_t *dim, uint32_t rank);
void tile_value_drop(tile_machine *machine, tile_value *value); /* NULL allowed */

typedef enum { TILE_YES, TILE_NO, TILE_NO_VALUE, TILE_FAILED } tile_answer;

/* TILE_YES: the value is in *result; TILE_NO_VALUE: it has none; TILE_FAILED: stopped */
tile_answer tile_integer_at(tile_machine *machine, const tile_frame *frame,
                            const as_tile_scalar *scalar, int64_t *result);
/* the same for what has to have one: a bound, a position, an extent */
bool tile_need_integer(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                       const char *what, int64_t *result);
bool tile_scalar_at(tile_machine *machine, const tile_frame *frame, const as_tile_scalar *scalar,
                    void *result);
tile_answer tile_test(tile_machine *machine, const tile_frame *frame,
                      const as_tile_scalar *condition);
/* a value to be dropped by the caller; NULL: stopped */
tile_value *tile_expr_at(tile_machine *machine, const tile_frame *frame, const as_tile_expr *expr);
#endif

/* What the parts of the lifting share.  Private to src/ttir. */
#ifndef AS_TTIR_LIFT_H
#define AS_TTIR_LIFT_H
#include "src/base/intern.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "ttir_node.h"
#include "ttir_order.h"

/* What an SSA value is, as functions of its lanes.  A truth that never holds is NULL. */
typedef struct {
  ttir_node *value;  /* a number, or a truth; of a pointer, its position in elements */
  ttir_node *low;    /* where this holds, the number is minus infinity, whatever `value` says */
  ttir_node *high;   /* and here infinity */
  uint32_t argument; /* of a pointer and a descriptor: of the kernel */
  bool known;
  const as_ttir_op *descriptor; /* that made it */
} ttir_lifted;

/* an expression of sizes that is to be at most a number */
typedef struct {
  ttir_node *bound;
  int64_t most;
} ttir_required;

/* of the mask of a store: whether it holds in all lanes */
typedef enum { TTIR_NOT_SEEN, TTIR_ALWAYS, TTIR_SOMETIMES } ttir_mask;

typedef struct {
  const as_ttir_kernel *kernel;
  const as_ttir_launch *launch;
  const char *file;
  as_arena *mem;
  ttir_lifted *value; /* one each of the kernel's */
  as_str out;
  int depth;                /* of blocks in `out` */
  as_vec required;          /* of ttir_required */
  ttir_node *guard;         /* the conditions of the branches around; not NULL */
  const as_ttir_type *over; /* the extents that values without axes have here; NULL: none */
  as_intern names;          /* all that have been given */
  uint32_t n_counters;
  ttir_mask *mask;       /* by value, of stores: seen so far */
  bool failed;           /* by ttir_fail */
  const bool *read;      /* by value: something reads all of its lanes (ttir_read.c) */
  const as_ttir_op *now; /* what is lifted; NULL: nothing yet */
  const char **tensor;   /* by argument: what the one that it points to is called here */
  bool *loaded;          /* by argument */
  bool *stored;
  bool *updated;                               /* by argument: atomically, by sums */
  const as_ttir_op *update;                    /* one of these; NULL: there is none */
  as_vec events;                               /* of ttir_event, in the order of the text */
  const ttir_around *around[TTIR_MOST_AROUND]; /* the loops here */
  uint32_t n_around;
  as_err *err;
} ttir_lift;

/* what an operation is to those who look at lanes and at memory */
typedef enum {
  TTIR_OTHER,      /* nothing is known of it */
  TTIR_LANE_WISE,  /* lane i of the result is made of lanes i of the operands: all of one shape */
  TTIR_CHOOSES,    /* the same, where one of the last two operands is looked at */
  TTIR_MOVES,      /* the results' lanes are those of the operands, each at least once */
  TTIR_MULTIPLIES, /* every lane of the operands is in the result */
  TTIR_FOLDS,      /* the same, if the operation of its region makes use of both of its arguments */
  TTIR_GETS,       /* loads */
  TTIR_PUTS,       /* stores */
  TTIR_UPDATES,    /* loads and stores, as one */
  TTIR_ASSERTS,
  TTIR_REPEATS /* its region, so often as its operands say */
} ttir_role;

/* one row of a table of operations: `code` is the handler's business */
typedef struct {
  const char *name;
  bool (*lift)(ttir_lift *lift, const as_ttir_op *op, int code);
  int code;
  const char *operands; /* a letter each (ttir_check.c) */
  const char *results;
  ttir_role role;
} ttir_row;

extern const ttir_row ttir_elementwise[]; /* both end with a name of NULL */
extern const ttir_row ttir_structural[];

ttir_role ttir_role_of(const as_ttir_op *op); /* TTIR_OTHER, too, where no row is of its name */
bool ttir_is_lane_wise(ttir_role role);

bool ttir_refuse(ttir_lift *lift, const as_ttir_op *op, const char *why);
/* the same of what is lifted now, from where no status is returned: the kernel is refused */
void ttir_fail(ttir_lift *lift, const char *why);
/* ttir_range.c: the largest number of an integer's type */
int64_t ttir_most_of(uint32_t bits);
/* the largest value of an integer, as an expression of sizes; NULL: it is not known */
ttir_node *ttir_largest(ttir_lift *lift, ttir_node *node);
/* The number as an integer of `bits` bits.  What the launch alone decides must stay in range, in
 * all launches (a relation of sizes sees to it) and in the one at hand; NULL: refused.  op NULL: of
 * an argument. */
ttir_node *ttir_in_type(ttir_lift *lift, const as_ttir_op *op, ttir_node *value, uint32_t bits);
/* lines `where n <= 64` that keep numbers in their types, and sizes in what ranges rest on */
void ttir_write_relations(const ttir_lift *lift, as_str *text);
/* false: refused, as something that may be no number would give one here (as_ttir_launch.no_nan) */
bool ttir_keeps_nan(ttir_lift *lift, const as_ttir_op *op, const ttir_lifted *of);
/* ttir_size.c: the value of an expression of sizes, which are all of one value (their least) */
int64_t ttir_size_value(const as_ttir_launch *launch, const char *text);

/* ttir_read.c: by value, does the kernel, where it computes it, read all of its lanes?  known: of
 * the masks of stores, by value; NULL: nothing */
bool *ttir_all_read(as_arena *mem, const as_ttir_kernel *kernel, const ttir_mask *known);

/* ttir_partial.c, of values that some lanes may lack: kept as an expression of named parts, or as
 * a tile and its traces */
ttir_node *ttir_keep(ttir_lift *lift, const char *wish, const as_ttir_type *type, ttir_node *node);
/* a tile that holds 0 where there is no value, and what says where that is */
ttir_node *ttir_guarded_tile(ttir_lift *lift, const char *wish, const as_ttir_type *type,
                             ttir_node *node);
/* where it has no value; NULL: nowhere.  The node may be NULL. */
ttir_node *ttir_lacks(ttir_lift *lift, const ttir_node *node);
/* 0, or false, where it has no value; the node may be NULL */
ttir_node *ttir_filled(ttir_lift *lift, ttir_node *node);
/* the value, but none where `lacks` holds; lacks NULL: nowhere */
ttir_node *ttir_lacking(ttir_lift *lift, ttir_node *value, ttir_node *lacks);
/* The reduction `sum(k < n)` of the traces of what speaks of the counter, which lacks a value where
 * `lacks` holds; NULL: there are none, or too many. */
ttir_node *ttir_sum_of_traces(ttir_lift *lift, const char *head, const ttir_node *body,
                              ttir_node *lacks);
/* an access to an argument, or, where the mask is NULL, a barrier */
void ttir_happens(ttir_lift *lift, ttir_event_kind kind, const as_ttir_op *op, uint32_t argument,
                  ttir_node *position, ttir_node *mask, const as_ttir_type *type);
bool ttir_lift_region(ttir_lift *lift, const as_ttir_region *region);

/* ttir_check.c */
bool ttir_same_shape(const as_ttir_type *a, const as_ttir_type *b);
bool ttir_same_type(const as_ttir_type *a, const as_ttir_type *b);
/* as many operands and results as the row says, of its kinds and shapes; false: refused */
bool ttir_fits(ttir_lift *lift, const as_ttir_op *op, const ttir_row *row);

bool ttir_is_truth(const as_ttir_type *type); /* i1 */
const as_ttir_type *ttir_type_of(const ttir_lift *lift, uint32_t value);
ttir_lifted *ttir_operand(ttir_lift *lift, const as_ttir_op *op, uint32_t i);
/* the only result; false: it cannot be said, of a number */
bool ttir_result(ttir_lift *lift, const as_ttir_op *op, ttir_node *value);

/* ---- writing */
void ttir_line(ttir_lift *lift, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *ttir_fresh(ttir_lift *lift, const char *wish); /* a name of a tile or a variable */
const char *ttir_counter(ttir_lift *lift);                 /* of a reduction */
const char *ttir_over(ttir_lift *lift, const as_ttir_type *type); /* `[i0 < 4, i1 < 1]` */
/* the extents that an operation's values have here */
const as_ttir_type *ttir_extents(const ttir_lift *lift, const as_ttir_type *type);
/* writes `make`; an element of the new tile */
ttir_node *ttir_make(ttir_lift *lift, const char *wish, const as_ttir_type *type,
                     const ttir_node *node);
/* the same of a number with its infinities, where it is heavier than this */
void ttir_settle(ttir_lift *lift, uint32_t value, uint32_t weight);
/* the lanes of a value of this type: 0 where an axis has one element */
void ttir_own_lanes(ttir_lift *lift, const as_ttir_type *type, ttir_node *lane[AS_TTIR_MAX_RANK]);

const as_ttir_argument *ttir_launched(const ttir_lift *lift, const char *name); /* or NULL */
/* a size expression of the launch, as an atom; NULL: refused; `what` it is said of */
ttir_node *ttir_size(ttir_lift *lift, const char *text, const char *what);
/* the same as it is written, also where relations leave it one value */
ttir_node *ttir_extent(ttir_lift *lift, const char *text, const char *what);
/* the number of instances along an axis of the grid; NULL: refused */
ttir_node *ttir_grid(ttir_lift *lift, int axis);

/* an element of the tile of this name, at the lanes of the type */
ttir_node *ttir_element(ttir_lift *lift, ttir_sort sort, const char *name,
                        const as_ttir_type *type);
/* of all three */
ttir_lifted ttir_view_lifted(ttir_lift *lift, const ttir_lifted *of, ttir_node *const *lane);

/* the number that is meant by the literal as it is written, of a type of `bits` bits, whose value
 * is given: what the launch's `literals` says, of bit patterns the shortest decimal at least */
ttir_node *ttir_literal(ttir_lift *lift, const char *written, double value, uint32_t bits);
/* a bit pattern of a float's type, of 16, 32 or 64 bits, as a number, an infinity or none */
double ttir_real_of_bits(uint64_t bits, const as_ttir_type *type);

/* ttir_lanes.c: does nobody read the lanes that this load's mask leaves without a value? */
bool ttir_lanes_unread(const ttir_lift *lift, const as_ttir_op *load);

/* ttir_place.c: position = quotient * extent + rest with 0 <= rest < extent where the mask, which
 * is not NULL, holds; false: such a form is not seen */
bool ttir_split_place(as_arena *mem, ttir_node *position, ttir_node *extent, ttir_node *mask,
                      ttir_node **quotient, ttir_node **rest);

/* comparison of numbers that may be infinite: kinds EQUAL, LESS, AT_MOST */
ttir_node *ttir_compare_lifted(ttir_lift *lift, ttir_node_kind kind, const ttir_lifted *a,
                               const ttir_lifted *b);
/* of numbers that may be infinite; none where it is no number: infinity minus infinity, or times 0
 */
ttir_lifted ttir_add_lifted(ttir_lift *lift, const ttir_lifted *a, const ttir_lifted *b,
                            bool subtract);
ttir_lifted ttir_multiply_lifted(ttir_lift *lift, const ttir_lifted *a, const ttir_lifted *b);
/* the number, infinite or not, but none where `none` holds (NULL: nowhere) */
ttir_lifted ttir_without(ttir_lift *lift, ttir_lifted of, ttir_node *none);
/* the finite number; none where it is infinite */
ttir_node *ttir_finite(ttir_lift *lift, const ttir_lifted *a);
/* `a` where the condition holds, else `b` */
ttir_lifted ttir_choose(ttir_lift *lift, ttir_node *condition, const ttir_lifted *a,
                        const ttir_lifted *b, bool truth);
/* the larger (most) or the smaller of two */
ttir_lifted ttir_extreme(ttir_lift *lift, bool most, const ttir_lifted *a, const ttir_lifted *b);
#endif

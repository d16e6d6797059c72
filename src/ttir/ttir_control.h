/* Loops, branches, reductions.  Private to src/ttir. */
#ifndef AS_TTIR_CONTROL_H
#define AS_TTIR_CONTROL_H
#include "ttir_lift.h"

enum { TTIR_MOST_CARRIED = 64 };

/* A value that goes from one iteration of a loop to the next: up to four tiles. */
typedef struct {
  ttir_node *value;
  ttir_node *low; /* NULL: it is never infinite */
  ttir_node *high;
  ttir_node *lacks; /* where it has no value; NULL: it has one everywhere */
} ttir_carried;

/* what a carried value may become */
typedef struct {
  bool low;
  bool high;
  bool lacks;
  bool negative; /* of a real number */
  bool absent;   /* some lanes may have no value, of which nothing else is said */
} ttir_may;

/* Writes the tiles that the value starts as, and into `text` the lines that carry them; those of
 * infinities, and of lanes without a value, where it may become so. */
ttir_carried ttir_carry(ttir_lift *lift, const char *name, const as_ttir_type *type,
                        const ttir_lifted *first, ttir_may may, as_str *text);
bool ttir_may_lack(const ttir_lifted *value);      /* a value, in some lanes */
bool ttir_may_be_absent(const ttir_lifted *value); /* in some lanes, whatever is said of it */
/* what the body sees of it, and what it is behind the loop */
void ttir_enter_carried(ttir_lift *lift, const ttir_carried *tiles, ttir_lifted *inside);
/* the lines at a loop's end */
void ttir_write_next(ttir_lift *lift, uint32_t n, const as_ttir_type *const *type,
                     const ttir_carried *tiles, const ttir_lifted *yielded);

/* how much has been written: to go back to when a loop has to be written again */
typedef struct {
  size_t out;
  size_t required;
  size_t events;
} ttir_mark;

ttir_mark ttir_mark_here(const ttir_lift *lift);
void ttir_go_back(ttir_lift *lift, ttir_mark to);
const as_ttir_op *ttir_last(const as_ttir_region *region); /* NULL: it has no operations */

/* ttir_check.c: are what the region yields, and its arguments number `first`.., of the types of
 * these values, or of the types of their elements?  false: refused */
bool ttir_yields(ttir_lift *lift, const as_ttir_op *op, const as_ttir_region *region,
                 const uint32_t *value, uint32_t n, bool elements);
bool ttir_enters(ttir_lift *lift, const as_ttir_op *op, const as_ttir_region *region,
                 uint32_t first, const uint32_t *value, uint32_t n, bool elements);

/* ttir_moments.c: does the region combine means, sums of squares about them, and weights? */
bool ttir_combines_moments(ttir_lift *lift, const as_ttir_region *region);

/* ttir_commutes.c: does it matter in which order the region combines elements of so many parts? */
typedef enum { TTIR_ORDER_IS_NOTHING, TTIR_ORDER_MATTERS, TTIR_ORDER_OPEN } ttir_order;

ttir_order ttir_order_of(ttir_lift *lift, const as_ttir_region *region, uint32_t parts);

bool ttir_lift_for(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_if(ttir_lift *lift, const as_ttir_op *op, int code);
/* ttir_reduce.c: is it a reduction that does not depend on the order of what it reduces, over real
 * numbers and integers? */
bool ttir_is_in_any_order(const ttir_lift *lift, const as_ttir_op *op);
bool ttir_lift_reduce(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_scan(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_dot(ttir_lift *lift, const as_ttir_op *op, int code);
#endif

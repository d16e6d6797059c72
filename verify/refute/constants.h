/* The numbers that programs and rules speak of: constants, values of attributes, literals in the
 * operators' bodies, and those in relations between sizes.  Where something wrong is right almost
 * everywhere (a clamp at 127, a size of at most 64), it is wrong beside one of these.
 * May include: base, ir.  Called by the refuters. */
#ifndef AS_REFUTE_CONSTANTS_H
#define AS_REFUTE_CONSTANTS_H
#include "../../src/base/rng.h"
#include "../../src/ir/graph.h"

enum { AS_MOST_CONSTANTS = 64 };

typedef struct {
  mpq_t value[AS_MOST_CONSTANTS]; /* each once, 0 and 1 left out, in the order of the graphs */
  uint32_t count;
} as_constants;

void as_constants_init(as_constants *constants);
void as_constants_clear(as_constants *constants);
/* adds those of an expression, of a size, as many as there is room for; expr NULL: nothing */
void as_constants_add_expr(as_constants *constants, const as_expr *expr);
void as_constants_add_size(as_constants *constants, const as_sizes *sizes, as_size size);
/* those of a graph; graph NULL: nothing */
void as_constants_add_graph(as_constants *constants, const as_graph *graph);
/* a number at or near one of them, its negation, half or double; false: there are none */
bool as_constants_pick(const as_constants *constants, as_rng *rng, bool integer, mpq_t number);
/* a size at or next to one of them; false: none is a whole number of at most `most` */
bool as_constants_pick_size(const as_constants *constants, as_rng *rng, int64_t most,
                            int64_t *size);
#endif

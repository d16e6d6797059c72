/* Which loads and stores of an instance may reach one place from several lanes, with no barrier
 * between.  Private to src/ttir. */
#ifndef AS_TTIR_ORDER_H
#define AS_TTIR_ORDER_H
#include "src/base/vec.h"
#include "ttir_node.h"

enum { TTIR_MOST_AROUND = 16, TTIR_MOST_IDS = 3 };

/* Names of few values in expressions, each once, in the order of the text: what tells instances and
 * rounds apart. */
typedef struct {
  const ttir_node *id[TTIR_MOST_IDS];
  uint32_t n;
  bool more; /* than these */
} ttir_ids;

ttir_ids ttir_ids_of(const ttir_node *a, const ttir_node *b); /* either may be NULL */

/* a loop; its variable is a NAME of this text */
typedef struct {
  const char *name;
  ttir_node *from;
  ttir_node *to;
  ttir_node *step;
  ttir_ids ids; /* of `from` and `to` */
} ttir_around;

typedef enum { TTIR_LOADS, TTIR_STORES, TTIR_WAITS } ttir_event_kind;

/* an access of all lanes of a type, or a barrier, in the order of the text */
typedef struct {
  ttir_event_kind kind;
  bool update; /* a sum into memory, as one */
  const as_ttir_op *op;
  uint32_t argument;
  ttir_node *position;
  ttir_node *mask;
  as_ttir_type type;
  const ttir_around *around[TTIR_MOST_AROUND]; /* loops, outermost first */
  uint32_t n_around;
  ttir_ids ids; /* of position and mask */
} ttir_event;

/* Is it ruled out that numbers i <= k, accesses to one argument of which one is a store, reach one
 * place with no barrier between from different lanes, or from lanes that are not in the order of
 * the text?  Of two rounds of a loop a number may be its own other; own_lanes: and of one.  left:
 * so many lanes and rounds are looked at; what is then not known is not ruled out. */
bool ttir_are_in_order(const as_ttir_kernel *kernel, const as_vec *events, size_t i, size_t k,
                       bool own_lanes, uint64_t *left);

/* ttir_uses.c: are operands of the one operation made of results of the other, in each execution?
 */
bool ttir_is_made_of(const as_ttir_kernel *kernel, const as_ttir_op *user, const as_ttir_op *of);

/* ttir_digits.c: does a place that the access reaches tell the lane, whatever the round is? */
bool ttir_place_tells_lane(const ttir_event *event);
#endif

/* The order carried through functions.  Includes what follows from contexts, and normal forms. */
#ifndef AS_PV_ORDER_H
#define AS_PV_ORDER_H
#include "pv_norm.h"

typedef enum { PV_CONSTANT, PV_RISES, PV_FALLS, PV_NEITHER } pv_direction;

/* a term with another one inside of it made larger: what it becomes, and that it rises, term <= to,
 * or falls, to <= term */
typedef struct {
  pv_direction way;
  ck_id to;
  pv_thm thm; /* PV_REFL where it is constant */
} pv_change;

/* term with `low` replaced by `high` everywhere, from the theorem low <= high.  What is asked of
 * domains (that a root's argument is not negative) must follow from the context. */
pv_change pv_raise(pv *prover, pv_ctx ctx, ck_id term, ck_id low, ck_id high, pv_thm thm);
/* term with `from` replaced by `to` everywhere; CK_BAD: it stands under binders, or among too many
 * kids */
ck_id pv_replaced(pv *prover, ck_id term, ck_id from, ck_id to);
/* u where the term is ite(0 <= u, u, 0); CK_BAD: it is another one */
ck_id pv_under_relu(const pv *prover, ck_id term);
#endif

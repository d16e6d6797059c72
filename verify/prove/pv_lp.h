/* Linear programming for relations: the facts that take part, and the programme.  Includes what
 * follows from contexts, and GMP.  Called by lp.c, lp_facts.c and simplex.c only. */
#ifndef AS_PV_LP_H
#define AS_PV_LP_H
#include "pv_facts.h"

enum { MAX_FACTS = 36, MAX_COLS = 150, MAX_ROWS = 120, MAX_PIVOTS = 400 };

typedef struct {
  pv_poly value;
  pv_thm premises[2];
  uint32_t count;
  bool strict;
  bool eq;
} fact; /* 0 <= v, 0 < v or 0 = v */

typedef struct {
  fact fact[MAX_COLS];
  uint32_t count;
} fact_list;

/* Each adds to the facts what it finds, as long as there is room. */
void pv_lp_push_thm(pv *prover, fact_list *known, pv_thm thm);
void pv_lp_push_hyps(pv *prover, pv_ctx ctx, fact_list *F, bool all);
void pv_lp_push_atoms(pv *prover, pv_ctx ctx, fact_list *known);
/* of exponentials, logarithms and roots: their order where that of the arguments is known, squares
 * of bounds of roots; lp_order.c */
void pv_lp_push_order(pv *prover, pv_ctx ctx, fact_list *known);
void pv_lp_push_clauses(pv *prover, pv_ctx ctx, ck_id term, fact_list *known);
void pv_lp_push_products(pv *prover, fact_list *known);
/* products of any two linear facts about numbers that some square or product speaks of */
void pv_lp_push_all_products(pv *prover, fact_list *known);
void pv_lp_push_rules(pv *prover, pv_ctx ctx, fact_list *known);

/* A programme: x >= 0 with A x = b. */
typedef struct {
  uint32_t row;
  uint32_t column;     /* of A; as many as A has: b */
  const mpq_t *number; /* borrowed */
  int sign;            /* 1, or -1 for minus that number */
} pv_lp_entry;

typedef struct {
  uint32_t rows;
  uint32_t columns;
  as_vec entries;  /* pv_lp_entry, at most one for each place; what has none is 0 */
  uint32_t *basis; /* by row: the column of its variable, or columns and more for artificial ones */
  mpq_t *value;    /* by row: what its variable is, unless artificial; NULL: not solved */
} pv_lp;

void pv_lp_init(pv_lp *lp, uint32_t rows, uint32_t columns);
void pv_lp_clear(pv_lp *lp);
void pv_lp_set(pv_lp *lp, uint32_t row, uint32_t column, const mpq_t *number, int sign);
/* phase one; basis and value out.  false: there is no solution, or too many pivots */
bool pv_lp_solve(pv *prover, pv_lp *lp);
#endif

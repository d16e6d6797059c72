/* Linear programming for relations: the facts that take part, and the programme.  Includes what
 * follows from contexts, and FLINT.  Called by lp.c, lp_facts.c and simplex.c only. */
#ifndef AS_PV_LP_H
#define AS_PV_LP_H
#include "pv_facts.h"
#include <flint/fmpq_mat.h>

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

/* phase one: x >= 0 with A x = b, where b is the last column; basis out: the column of each row, or
 * cols and more for artificial ones.  false: there is none, or too many pivots */
bool pv_lp_solve(pv *prover, fmpq_mat_t tableau, slong rows, slong cols, slong *basis);
#endif

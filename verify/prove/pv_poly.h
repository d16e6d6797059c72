/* Polynomials as lists of monomials over atoms; coefficients are constant terms.  Includes the
 * terms.  A pv_poly is initialised by pv_poly_init and owns its list; the atoms of a monomial are
 * never changed and live as long as the prover, so that lists share them. */
#ifndef AS_PV_POLY_H
#define AS_PV_POLY_H
#include "pv_terms.h"

typedef struct {
  ck_id coef;
  uint32_t degree;
  const ck_id *atoms; /* sorted by number */
} pv_mono;

typedef struct {
  pv_mono *monos;
  uint32_t count;
  uint32_t capacity;
} pv_poly;

void pv_poly_init(pv_poly *poly);
void pv_poly_clear(pv_poly *poly);
void pv_poly_read(pv *prover, pv_poly *poly, ck_id t); /* f becomes the polynomial of t */
void pv_poly_add_mono(pv *prover, pv_poly *poly, ck_id q, const ck_id *a, uint32_t n);
void pv_poly_add(pv *prover, pv_poly *poly, const pv_poly *other, ck_id scale);
/* f = g * q*a */
void pv_poly_mul_mono(pv *prover, pv_poly *poly, const pv_poly *other, ck_id q, const ck_id *a,
                      uint32_t n);
ck_id pv_poly_term(pv *prover, const pv_poly *poly); /* canonical term: sorted structurally */
ck_id pv_mono_term(pv *prover, ck_id q, const ck_id *a, uint32_t n); /* sorted structurally */
bool pv_mono_has(const pv_mono *mono, ck_id a);
bool pv_mono_same(const pv_mono *mono, const ck_id *sorted, uint32_t n); /* has these atoms */
/* b divides a: the number of atoms of the rest, else -1; *rest has room for na */
int pv_mono_div(const ck_id *a, uint32_t na, const ck_id *b, uint32_t nb, ck_id *rest);
/* term = factor*variable + addend, neither of which has the variable; false: it is no such */
bool pv_poly_linear(pv *prover, ck_id term, ck_id variable, ck_id *factor, ck_id *addend);
uint32_t pv_poly_monomials(pv *prover, ck_id term); /* how many it has, written out */
ck_id pv_canon(pv *prover, ck_id t);                /* canonical term of the polynomial of t */
ck_id pv_poly_quotient(pv *prover, ck_id dividend,
                       ck_id divisor); /* a / b for a monomial b, or CK_BAD */
/* factors of u into f: leading coefficient, common atoms, the primitive rest; how many, 0 where
 * there is nothing to take out */
uint32_t pv_poly_content(pv *prover, ck_id term, ck_id *factor, uint32_t max);
/* whether a monomial of an integer term belongs to the part asked for; `about` is what it asks */
typedef bool (*pv_part_test)(pv *prover, ck_id monomial, const void *about);
/* term = inside + rest, both canonical, by the test, and the greatest number that divides all
 * coefficients of inside; 0: there is none, or a coefficient of the term is no integer */
long pv_poly_apart(pv *prover, ck_id term, pv_part_test test, const void *about, ck_id *inside,
                   ck_id *rest);
#endif

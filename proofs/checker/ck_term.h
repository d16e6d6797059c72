/* Hash-consed terms of the proof calculus (proofs/RULES.md section 1): building, substitution, polynomials.
 * Includes libc and GMP only.  Called by ck_rules, ck_cert, the claim's reader; and by the untrusted prover, which builds on this kernel
 * so that it can never prove anything but what the checker states.
 *
 * A term is a 32-bit number in one table; equal nodes have equal numbers.  Every function that can fail returns CK_BAD and leaves
 * the reason in ck_error(); nothing aborts but running out of memory. */
#pragma once
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t ck_id;
#define CK_BAD UINT32_MAX

typedef enum {
  CK_Q, CK_V, CK_B, CK_ADD, CK_MUL, CK_DIV, CK_MOD, CK_INV, CK_EXP, CK_SQRT, CK_LOG, CK_ITE, CK_APP, CK_FOLD, /* terms */
  CK_EQ, CK_NE, CK_LE, CK_LT, CK_ALL                                                                         /* formulas */
} ck_op;

typedef struct ck_terms ck_terms;

ck_terms *ck_terms_new(void);
void ck_terms_free(ck_terms *T);
const char *ck_error(const ck_terms *T);    /* the reason of the last CK_BAD or false */
bool ck_fail(ck_terms *T, const char *why); /* records why, a constant; returns false */

/* words (variable names, function names, signatures) are interned: equal words, equal numbers */
uint32_t ck_word(ck_terms *T, const char *s);
const char *ck_word_text(const ck_terms *T, uint32_t w);

/* --- makers: number of the node, or CK_BAD when the node would not be well formed (table of section 1) */
ck_id ck_q(ck_terms *T, const mpq_t x); /* borrows x */
ck_id ck_int(ck_terms *T, long n), ck_rat(ck_terms *T, long n, long d);
ck_id ck_var(ck_terms *T, const char *name, char sort); /* sort 'i' or 'r' */
ck_id ck_bound(ck_terms *T, uint32_t index, char sort);
ck_id ck_mk1(ck_terms *T, ck_op op, ck_id a);          /* inv exp sqrt log */
ck_id ck_mk2(ck_terms *T, ck_op op, ck_id a, ck_id b); /* + * div mod and the relations */
ck_id ck_ite(ck_terms *T, ck_id rel, ck_id a, ck_id b), ck_app(ck_terms *T, const char *f, const char *sig, const ck_id *args, uint32_t n);
ck_id ck_fold(ck_terms *T, uint32_t p, uint32_t w, const ck_id *kids); /* kids: bound, w inits, w steps (each under w+1 binders) */
ck_id ck_all(ck_terms *T, uint32_t m, const ck_id *kids, uint32_t n);  /* all m F1..Fr G: n = r+1 kids */

/* --- reading a node */
ck_op ck_head(const ck_terms *T, ck_id t);
uint32_t ck_nkids(const ck_terms *T, ck_id t);
ck_id ck_kid(const ck_terms *T, ck_id t, uint32_t i);
uint32_t ck_kid_binders(const ck_terms *T, ck_id t, uint32_t i); /* that kid i stands under: 0 but for fold steps and clause kids */
void ck_get_q(const ck_terms *T, ck_id t, mpq_t out);            /* CK_Q */
const mpq_t *ck_q_value(const ck_terms *T, ck_id t);             /* CK_Q, borrowed: do not keep over makers */
uint32_t ck_name(const ck_terms *T, ck_id t);                    /* CK_V, CK_APP: word */
uint32_t ck_sig(const ck_terms *T, ck_id t);                     /* CK_APP: word */
char ck_sort(const ck_terms *T, ck_id t);                        /* CK_V, CK_B */
uint32_t ck_index(const ck_terms *T, ck_id t);                   /* CK_B index; CK_FOLD p; CK_ALL m */
uint32_t ck_width(const ck_terms *T, ck_id t);                   /* CK_FOLD w */
bool ck_is_formula(const ck_terms *T, ck_id t), ck_is_rel(const ck_terms *T, ck_id t), ck_is_int(const ck_terms *T, ck_id t);
bool ck_is_closed(const ck_terms *T, ck_id t);          /* no loose bound variable */
uint32_t ck_loose_max(const ck_terms *T, ck_id t);      /* 1 + greatest loose index, 0 if closed */
bool ck_has_var(const ck_terms *T, ck_id t, ck_id var); /* free variable occurs */
size_t ck_size(const ck_terms *T);                      /* nodes in the table */

/* --- operations of section 1 */
ck_id ck_open(ck_terms *T, ck_id t, const ck_id *vals, uint32_t n);  /* vals[0] replaces index 0 (innermost) */
ck_id ck_close(ck_terms *T, ck_id t, const ck_id *vars, uint32_t n); /* variable vars[i] becomes bound index i: only builds terms, no rule uses it */
typedef struct { uint32_t name, sig; const ck_id *params; uint32_t n; ck_id body; } ck_fsub;
ck_id ck_sub(ck_terms *T, ck_id t, const ck_id *vars, const ck_id *vals, uint32_t n, const ck_fsub *fs, uint32_t nf), ck_neg(ck_terms *T, ck_id rel);
ck_id ck_rebuild(ck_terms *T, ck_id t, const ck_id *kids);           /* the node of t with other kids */

/* --- polynomials over atoms, cached per term; monomials are sorted arrays of atom ids with repetition */
typedef struct { uint32_t deg; const ck_id *atoms; } ck_mono;
typedef struct ck_poly ck_poly; /* immutable, owned by T; equal polynomials need not be the same pointer */
const ck_poly *ck_poly_of(ck_terms *T, ck_id t);           /* NULL: more than 200,000 monomial pairs */
const ck_poly *ck_poly_val(ck_terms *T, ck_id rel);        /* b - a */
const ck_poly *ck_poly_add(ck_terms *T, const ck_poly *a, const ck_poly *b, const mpq_t scale_b); /* a + scale*b; scale NULL: a + b */
const ck_poly *ck_poly_mul(ck_terms *T, const ck_poly *a, const ck_poly *b);
bool ck_poly_eq(const ck_poly *a, const ck_poly *b);
uint32_t ck_poly_len(const ck_poly *p);
ck_mono ck_poly_mono(const ck_poly *p, uint32_t i);         /* canonical order */
const mpq_t *ck_poly_coef(const ck_poly *p, uint32_t i);
bool ck_poly_const(const ck_poly *p, mpq_t out);            /* true if constant; out gets it */

/* text for people: infix, to a malloc'ed string that the caller frees; for messages only */
char *ck_show(const ck_terms *T, ck_id t);
void ck_print(FILE *out, const ck_terms *T, const char *before, ck_id t, const char *after);

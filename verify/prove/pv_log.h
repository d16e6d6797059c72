/* The checker's rules (proofs/RULES.md section 4), each call of which is logged, and the
 * certificate that the log becomes.  Includes the prover's state.
 *
 * A rule gives the theorem of the step, the old one where the same step was made before, and
 * PV_NONE where the kernel refuses, where a premise is PV_NONE or PV_REFL, where a term is CK_BAD,
 * or where the effort is spent. */
#ifndef AS_PV_LOG_H
#define AS_PV_LOG_H
#include "pv_state.h"

typedef enum {
  PV_RULE_HYP,
  PV_RULE_USE,
  PV_RULE_INST,
  PV_RULE_CASES,
  PV_RULE_CONG,
  PV_RULE_FOLDCONG,
  PV_RULE_ARITH,
  PV_RULE_ANTISYM,
  PV_RULE_INT,
  PV_RULE_LAW,
  PV_RULE_ZERO,
  PV_RULE_SUCC,
  PV_RULE_INDUCT,
  PV_RULES
} pv_rule;

typedef struct {
  uint32_t rule;
  size_t first; /* into the tokens */
  size_t count;
} pv_step;

typedef struct {
  uint32_t kind; /* 't' term, 's' step, '=' number, '\'' word, '|' and ',' */
  uint32_t value;
} pv_token;

/* a summand of `arith`: coef times the product of what its premises say */
typedef struct {
  ck_id coef;
  const pv_thm *premises;
  uint32_t count;
} pv_summand;

typedef struct {
  ck_id var;
  ck_id term;
} pv_var_sub;

/* function := the body as a function of k, or of both of two variables; what k points to must last
 */
ck_fsub pv_fun_sub(pv *p, const char *function, const ck_id *k, ck_id body);
ck_fsub pv_fun2_sub(pv *p, const char *function, const ck_id *both, ck_id body);

pv_thm pv_hyp(pv *p, ck_id f);
pv_thm pv_use(pv *p, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np);
/* premises that discharge nothing are left out */
pv_thm pv_inst(pv *p, pv_thm s, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
               const pv_thm *ps, uint32_t np);
pv_thm pv_cases(pv *p, ck_id c, pv_thm a, pv_thm b);
pv_thm pv_cong(pv *p, ck_id a, ck_id b, const pv_thm *ps, uint32_t np);
pv_thm pv_foldcong(pv *p, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const pv_thm *ps,
                   uint32_t np);
pv_thm pv_arith(pv *p, ck_id f, const pv_summand *sums, uint32_t n);
pv_thm pv_antisym(pv *p, pv_thm a, pv_thm b);
pv_thm pv_int(pv *p, ck_id f, pv_thm a);
/* prem PV_NONE: the law wants none */
pv_thm pv_law(pv *p, const char *name, const ck_id *ts, uint32_t nt, pv_thm prem);
pv_thm pv_zero(pv *p, ck_id t, pv_thm a);
pv_thm pv_succ(pv *p, ck_id t, ck_id k, pv_thm a);
pv_thm pv_induct(pv *p, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const pv_thm *base,
                 const pv_thm *step, uint32_t r, pv_thm a);

/* what theorem s says, and the sides of the relation that it is */
ck_id pv_says(const pv *p, pv_thm s);
ck_id pv_left(const pv *p, pv_thm s);
ck_id pv_right(const pv *p, pv_thm s);

/* certificate.c: the certificate of names[i] proved by proof[i], malloc'ed; its length in bytes,
 * and how many steps and terms it has */
char *pv_certificate(pv *p, const char *const *names, const pv_thm *proof, uint32_t n, size_t *len,
                     uint32_t *steps, uint32_t *terms);
#endif

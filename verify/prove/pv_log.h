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
ck_fsub pv_fun_sub(pv *prover, const char *function, const ck_id *k, ck_id body);
ck_fsub pv_fun2_sub(pv *prover, const char *function, const ck_id *both, ck_id body);

pv_thm pv_hyp(pv *prover, ck_id f);
pv_thm pv_use(pv *prover, pv_thm thm, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np);
/* premises that discharge nothing are left out */
pv_thm pv_inst(pv *prover, pv_thm thm, const pv_var_sub *vars, uint32_t nv, const ck_fsub *funs,
               uint32_t nf, const pv_thm *ps, uint32_t np);
pv_thm pv_cases(pv *prover, ck_id c, pv_thm a, pv_thm b);
pv_thm pv_cong(pv *prover, ck_id a, ck_id b, const pv_thm *ps, uint32_t np);
pv_thm pv_foldcong(pv *prover, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const pv_thm *ps,
                   uint32_t np);
pv_thm pv_arith(pv *prover, ck_id f, const pv_summand *sums, uint32_t n);
pv_thm pv_antisym(pv *prover, pv_thm a, pv_thm b);
pv_thm pv_int(pv *prover, ck_id f, pv_thm a);
/* prem PV_NONE: the law wants none */
pv_thm pv_law(pv *prover, const char *name, const ck_id *ts, uint32_t nt, pv_thm premises);
pv_thm pv_zero(pv *prover, ck_id t, pv_thm a);
pv_thm pv_succ(pv *prover, ck_id t, ck_id k, pv_thm a);
pv_thm pv_induct(pv *prover, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const pv_thm *base,
                 const pv_thm *step, uint32_t r, pv_thm a);

/* what theorem s says, and the sides of the relation that it is */
ck_id pv_says(const pv *prover, pv_thm thm);
ck_id pv_left(const pv *prover, pv_thm thm);
ck_id pv_right(const pv *prover, pv_thm thm);

/* certificate.c: the certificate of names[i] proved by proof[i], malloc'ed; its length in bytes,
 * and how many steps and terms it has */
char *pv_certificate(pv *prover, const char *const *names, const pv_thm *proof, uint32_t n,
                     size_t *len, uint32_t *steps, uint32_t *terms);
#endif

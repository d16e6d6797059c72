/* The table of lemmas at work. */
#include "pv_lemma.h"
#include "pv_steps.h"
#include "src/base/trace.h"

pv_thm pv_lift_sum(pv *prover, ck_id n, ck_id k, pv_thm thm) {
  if (thm == PV_NONE || thm == PV_REFL)
    return thm;
  ck_id f = pv_left(prover, thm);
  ck_id g = pv_right(prover, thm);
  ck_id vars[2] = {k, pv_real_var(prover, "$$acc")};
  pv_thm e =
      pv_scaled(prover, pv_eq(prover, pv_add(prover, vars[1], f), pv_add(prover, vars[1], g)),
                prover->one, thm);
  return pv_foldcong(prover, pv_sum(prover, n, k, f), pv_sum(prover, n, k, g), vars, 2, &e, 1);
}

pv_thm pv_use_lemma(pv *prover, pv_lemma_id lemma, const pv_var_sub *vars, uint32_t nv,
                    const ck_fsub *funs, uint32_t nf, const pv_thm *ps, uint32_t np) {
  return pv_inst(prover, pv_lemma(prover, lemma), vars, nv, funs, nf, ps, np);
}

static pv_thm derive(pv *prover, pv_lemma_id lemma) {
  switch (lemma) {
#define ROW(name, derivation, statement)                                                           \
  case PV_##name:                                                                                  \
    return pv_derive_##derivation(prover);
    PV_LEMMA_TABLE(ROW)
#undef ROW
  case PV_LEMMAS:
    break;
  }
  return PV_NONE;
}

const char *pv_lemma_says(pv_lemma_id lemma) {
  static const char *const says[] = {
#define ROW(name, derivation, statement) statement,
      PV_LEMMA_TABLE(ROW)
#undef ROW
  };
  return says[lemma];
}

/* one that needs itself, by way of others, is not there */
pv_thm pv_lemma(pv *prover, pv_lemma_id lemma) {
  _Static_assert((int)PV_LEMMAS <= (int)PV_MAX_LEMMAS, "room for all lemmas in the state");
  if (prover->lemmas[lemma] != PV_NONE || prover->lemmas_busy[lemma])
    return prover->lemmas[lemma];
  prover->lemmas_busy[lemma] = true;
  pv_thm thm = derive(prover, lemma);
  AS_TRACE(PROVE, "lemma %s: %s", thm == PV_NONE ? "not derived" : "derived", pv_lemma_says(lemma));
  prover->lemmas_busy[lemma] = false;
  return prover->lemmas[lemma] = thm;
}

/* The table of lemmas at work. */
#include "pv_lemma.h"
#include "pv_steps.h"

pv_thm pv_lift_sum(pv *p, ck_id n, ck_id k, pv_thm s) {
  if (s == PV_NONE || s == PV_REFL)
    return s;
  ck_id f = pv_left(p, s);
  ck_id g = pv_right(p, s);
  ck_id vars[2] = {k, pv_real_var(p, "$$acc")};
  pv_thm e = pv_scaled(p, pv_eq(p, pv_add(p, vars[1], f), pv_add(p, vars[1], g)), p->one, s);
  return pv_foldcong(p, pv_sum(p, n, k, f), pv_sum(p, n, k, g), vars, 2, &e, 1);
}

pv_thm pv_use_lemma(pv *p, pv_lemma_id l, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs,
                    uint32_t nf, const pv_thm *ps, uint32_t np) {
  return pv_inst(p, pv_lemma(p, l), vs, nv, fs, nf, ps, np);
}

static pv_thm derive(pv *p, pv_lemma_id l) {
  switch (l) {
#define ROW(name, derivation, statement)                                                           \
  case PV_##name:                                                                                  \
    return pv_derive_##derivation(p);
    PV_LEMMA_TABLE(ROW)
#undef ROW
  case PV_LEMMAS:
    break;
  }
  return PV_NONE;
}

const char *pv_lemma_says(pv_lemma_id l) {
  static const char *const says[] = {
#define ROW(name, derivation, statement) statement,
      PV_LEMMA_TABLE(ROW)
#undef ROW
  };
  return says[l];
}

/* one that needs itself, by way of others, is not there */
pv_thm pv_lemma(pv *p, pv_lemma_id l) {
  _Static_assert((int)PV_LEMMAS <= (int)PV_MAX_LEMMAS, "room for all lemmas in the state");
  if (p->lemmas[l] != PV_NONE || p->lemmas_busy[l])
    return p->lemmas[l];
  p->lemmas_busy[l] = true;
  pv_thm s = derive(p, l);
  p->lemmas_busy[l] = false;
  return p->lemmas[l] = s;
}

/* Loops that carry a tile of one row: what they read of it, they read at place 0 of that axis, and
 * not at the parameter that the definition has there.  Where neither the body nor what there was
 * before speaks of such a parameter, the element is the same at all its values: the recursion is
 * that of the one place, and says what stands at all others. */
#include "pv_loops.h"
#include <string.h>

/* the one application of the symbol that the term has but for `self`; false: there are several */
static bool one_reading(const pv_defs *defs, const ck_terms *terms, ck_id term, uint32_t number,
                        ck_id *reading, as_map *seen) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(term), &known))
    return true;
  as_map_put(seen, AS_KEY(term), 1);
  if (pv_defs_number(defs, term) == number) {
    if (*reading != CK_BAD && *reading != term)
      return false;
    *reading = term;
    return true;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (!one_reading(defs, terms, ck_kid(terms, term, i), number, reading, seen))
      return false;
  }
  return true;
}

/* the definition with numbers for the parameters at which the reading has numbers and of which
 * neither term speaks; false: there are none, or it reads another place in another way */
static bool fix_parameters(pv *prover, const ck_definition *def, ck_id reading, ck_id after,
                           ck_id base, pv_one_place *one) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < def->n; i++) {
    ck_id variable = def->parameter[i];
    ck_id argument = ck_kid(prover->terms, reading, i);
    one->parameter[i] = argument;
    if (argument == variable)
      continue;
    if (i < def->n_loops || !pv_is_const(prover, argument) ||
        ck_has_var(prover->terms, after, variable) || ck_has_var(prover->terms, base, variable))
      return false;
    one->fixed[n++] = (pv_var_sub){variable, argument};
  }
  one->n_fixed = n;
  return n > 0;
}

/* left = right, as an equation of something that the fixed parameters do not occur in says what
 * `left` is: right is left with these fixed */
static pv_thm same_at_one(pv *prover, const pv_one_place *one, pv_thm thm) {
  pv_thm there = pv_inst(prover, thm, one->fixed, one->n_fixed, NULL, 0, NULL, 0);
  return pv_trans(prover, thm, pv_sym(prover, there));
}

/* what the clause says where so many iterations are counted, and the body or base written out */
static pv_thm written(pv *prover, const ck_definition *def, ck_id clause, ck_id count,
                      pv_thm premise, pv_thm out) {
  ck_id argument[PV_MAX_PARAMETERS];
  ck_id counter = def->parameter[def->n_loops - 1];
  memcpy(argument, def->parameter, def->n * sizeof *argument);
  argument[def->n_loops - 1] = count;
  pv_thm says = pv_use(prover, pv_hyp(prover, clause), argument, def->n, &premise, 1);
  pv_var_sub counted = {counter, count};
  if (out != PV_REFL)
    out = pv_inst(prover, out, &counted, 1, NULL, 0, NULL, 0);
  return pv_trans(prover, says, out);
}

/* symbol[parameters] = symbol[.., the one place], by its two clauses */
static pv_thm same_everywhere(pv *prover, const ck_definition *def, const pv_one_place *one,
                              pv_thm after, pv_thm base) {
  ck_terms *terms = prover->terms;
  ck_id counter = def->parameter[def->n_loops - 1];
  ck_id j = pv_int_var(prover, "$$round");
  ck_id self = ck_make(terms, CK_APP, def->name, def->signature, def->parameter, def->n);
  ck_id there = ck_make(terms, CK_APP, def->name, def->signature, one->parameter, def->n);
  pv_var_sub to_j = {counter, j};
  ck_id claim = pv_eq(prover, self, there);
  ck_id negative = pv_le(prover, counter, prover->zero);
  pv_thm positive = pv_hyp(prover, pv_gt0(prover, counter));
  pv_thm nonneg = pv_scaled(prover, pv_ge0(prover, counter), prover->one, positive);
  pv_thm first = same_at_one(
      prover, one,
      written(prover, def, def->base_clause, prover->zero, pv_zero_le_zero(prover), base));
  pv_thm next = same_at_one(
      prover, one, written(prover, def, def->clause, j, pv_hyp(prover, pv_ge0(prover, j)), after));
  claim = ck_sub(terms, claim, &to_j.var, &to_j.term, 1, NULL, 0);
  pv_thm some = pv_induct(prover, j, counter, 0, &claim, &first, &next, 1, nonneg);
  pv_thm none = same_at_one(
      prover, one, written(prover, def, def->base_clause, counter, pv_hyp(prover, negative), base));
  return pv_cases(prover, negative, none, some);
}

bool pv_at_one_place(pv *prover, pv_defs *defs, pv_ctx sizes, uint32_t number,
                     const ck_definition *def, pv_eqn *after, pv_one_place *one) {
  ck_id reading = CK_BAD;
  as_map seen;
  if (def->n > PV_MAX_PARAMETERS)
    return false;
  as_map_init(&seen, 1);
  bool single = one_reading(defs, prover->terms, after->to, number, &reading, &seen);
  as_map_clear(&seen);
  if (!single || reading == CK_BAD || !ck_is_closed(prover->terms, reading))
    return false;
  pv_eqn base = pv_defs_out(defs, PV_WHOLE, def->base);
  if (base.by != PV_NONE)
    base = pv_then(prover, base, pv_norm(prover, sizes, base.to));
  if (base.by == PV_NONE || !fix_parameters(prover, def, reading, after->to, base.to, one))
    return false;
  one->same = same_everywhere(prover, def, one, after->by, base.by);
  if (one->same == PV_NONE)
    return false;
  one->def = *def;
  one->def.parameter = one->parameter;
  for (uint32_t i = 0; i < one->n_fixed; i++)
    one->def.base =
        ck_sub(prover->terms, one->def.base, &one->fixed[i].var, &one->fixed[i].term, 1, NULL, 0);
  if (after->by != PV_REFL)
    after->by = pv_inst(prover, after->by, one->fixed, one->n_fixed, NULL, 0, NULL, 0);
  return after->by != PV_NONE;
}

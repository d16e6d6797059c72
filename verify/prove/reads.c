/* What an iteration reads where no earlier one has stored: the element before the loop (see
 * pv_loops.h).  In a loop that carries X, X[k + 1, p] is X[k, p] unless conditions C[k, p] hold.
 * Where these cannot hold for any j < k at the place that is read, X[k, place] is the element
 * before the loop there, by induction over iterations. */
#include "pv_loops.h"

/* the arguments of the symbol's definition: the loops around, `count` for the iteration, and the
 * place of the application */
static bool arguments(const pv_reads *reads, const pv *prover, ck_id app, ck_id count, ck_id *out) {
  const ck_definition *def = reads->def;
  if (def->n > PV_MAX_PARAMETERS)
    return false;
  for (uint32_t i = 0; i < def->n; i++) {
    ck_id argument = ck_kid(prover->terms, app, i);
    if (i < def->n_loops && argument != def->parameter[i])
      return false;
    out[i] = i + 1 == def->n_loops ? count : argument;
  }
  return true;
}

static ck_id at(pv *prover, const pv_reads *reads, ck_id term, const ck_id *argument) {
  return ck_sub(prover->terms, term, reads->def->parameter, argument, reads->def->n, NULL, 0);
}

/* the conditions of which one fails in every iteration before; false: none is known to */
static bool never_stored(pv *prover, pv_ctx ctx, const pv_reads *reads, const ck_id *argument,
                         pv_facts *facts) {
  for (uint32_t i = 0; i < reads->chain.n; i++) {
    ck_id fails = ck_neg(prover->terms, at(prover, reads, reads->chain.cond[i], argument));
    pv_thm thm = pv_follows(prover, ctx, fails);
    if (thm == PV_NONE)
      continue;
    pv_fact_add(facts, fails, thm, CK_BAD, CK_BAD);
    return true;
  }
  return false;
}

uint64_t pv_reads_number(const pv *prover) {
  return prover->reads ? (uint64_t)prover->reads->def->name + 1 : 0;
}

pv_eqn pv_read_before(pv *prover, pv_ctx ctx, ck_id app) {
  const pv_reads *reads = prover->reads;
  ck_id here[PV_MAX_PARAMETERS];
  if (app == reads->self || ck_name(prover->terms, app) != reads->def->name ||
      ck_sig(prover->terms, app) != reads->def->signature)
    return pv_same(app);
  ck_id j = pv_int_var(prover, "$$before");
  ck_id count = reads->def->parameter[reads->def->n_loops - 1];
  if (!arguments(reads, prover, app, j, here))
    return pv_same(app);
  pv_ctx earlier = pv_ctx_push(prover, ctx, pv_ge0(prover, j), CK_BAD);
  earlier = pv_ctx_push(prover, earlier, pv_lt(prover, j, count), CK_BAD);
  pv_facts facts = {.n = 0};
  pv_thm some = pv_follows(prover, ctx, pv_ge0(prover, count));
  if (some == PV_NONE || !never_stored(prover, earlier, reads, here, &facts))
    return pv_same(app);
  ck_id before = at(prover, reads, reads->def->base, here);
  ck_id then = at(prover, reads, reads->self, here);
  ck_id claim = pv_eq(prover, then, before);
  pv_thm nonneg = pv_hyp(prover, pv_ge0(prover, j));
  pv_thm next = pv_use(prover, pv_hyp(prover, reads->def->clause), here, reads->def->n, &nonneg, 1);
  pv_thm written = PV_REFL;
  if (reads->after.by != PV_REFL) {
    pv_var_sub subs[PV_MAX_PARAMETERS];
    for (uint32_t i = 0; i < reads->def->n; i++)
      subs[i] = (pv_var_sub){reads->def->parameter[i], here[i]};
    written = pv_inst(prover, reads->after.by, subs, reads->def->n, NULL, 0, NULL, 0);
  }
  pv_thm kept = pv_same_by_cases(prover, at(prover, reads, reads->after.to, here), then, &facts);
  pv_thm step = pv_trans(prover, pv_trans(prover, next, written),
                         pv_trans(prover, kept, pv_hyp(prover, claim)));
  arguments(reads, prover, app, prover->zero, here);
  pv_thm none = pv_zero_le_zero(prover);
  pv_thm first =
      pv_use(prover, pv_hyp(prover, reads->def->base_clause), here, reads->def->n, &none, 1);
  pv_thm thm = pv_induct(prover, j, count, 0, &claim, &first, &step, 1, some);
  return thm == PV_NONE ? pv_same(app) : (pv_eqn){before, thm};
}

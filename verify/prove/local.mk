# The prover.
noinst_LIBRARIES += libasprove.a
libasprove_a_SOURCES = verify/prove/prove.h \
  verify/prove/pv_context.h \
  verify/prove/pv_defs.h verify/prove/pv_defs_int.h \
  verify/prove/pv_digits.h \
  verify/prove/pv_facts.h \
  verify/prove/pv_folds.h \
  verify/prove/pv_lemma.h \
  verify/prove/pv_log.h \
  verify/prove/pv_loops.h \
  verify/prove/pv_lp.h \
  verify/prove/pv_norm.h \
  verify/prove/pv_order.h \
  verify/prove/pv_poly.h \
  verify/prove/pv_state.h \
  verify/prove/pv_steps.h \
  verify/prove/pv_terms.h \
  verify/prove/assume.c \
  verify/prove/bounds.c \
  verify/prove/certificate.c \
  verify/prove/chains.c \
  verify/prove/clause_index.c \
  verify/prove/clauses.c \
  verify/prove/ctx.c \
  verify/prove/cutmax.c \
  verify/prove/cut_sums.c \
  verify/prove/cuts.c \
  verify/prove/data_windows.c \
  verify/prove/defs.c \
  verify/prove/digits.c \
  verify/prove/digits_read.c \
  verify/prove/digits_solve.c verify/prove/ends.c \
  verify/prove/eq.c verify/prove/eq_ways.c verify/prove/extremes.c \
  verify/prove/fact_match.c \
  verify/prove/factors.c \
  verify/prove/flags.c verify/prove/folds.c \
  verify/prove/ite.c \
  verify/prove/ite_order.c \
  verify/prove/lemma.c \
  verify/prove/lemma_ints.c \
  verify/prove/lemma_loops.c \
  verify/prove/lemma_maxima.c \
  verify/prove/lemma_order.c \
  verify/prove/lemma_prods.c \
  verify/prove/lemma_reals.c \
  verify/prove/lemma_roots.c verify/prove/lemma_trig.c verify/prove/norm_trig.c \
  verify/prove/lemma_sums.c \
  verify/prove/log.c \
  verify/prove/loops.c \
  verify/prove/lp.c \
  verify/prove/lp_facts.c verify/prove/lp_order.c \
  verify/prove/maxcut.c \
  verify/prove/maximage.c verify/prove/maxsets.c verify/prove/written.c \
  verify/prove/maxlaws.c \
  verify/prove/neutral.c verify/prove/norm.c \
  verify/prove/norm_exp.c \
  verify/prove/norm_inv.c \
  verify/prove/norm_poly.c \
  verify/prove/order.c \
  verify/prove/named.c verify/prove/one_place.c verify/prove/pieces.c \
  verify/prove/poly.c \
  verify/prove/prods.c \
  verify/prove/prove.c \
  verify/prove/quot.c \
  verify/prove/reads.c verify/prove/regions.c \
  verify/prove/repeats.c \
  verify/prove/rescale.c \
  verify/prove/rewrite.c \
  verify/prove/roots.c \
  verify/prove/segments.c \
  verify/prove/selects.c verify/prove/rounds.c verify/prove/joined.c verify/prove/apart.c verify/prove/parts.c verify/prove/paths.c verify/prove/pv_rounds.h \
  verify/prove/settle.c \
  verify/prove/side.c \
  verify/prove/simplex.c \
  verify/prove/state.c \
  verify/prove/steps.c \
  verify/prove/sums.c \
  verify/prove/terms.c verify/prove/twins.c

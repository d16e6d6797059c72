# The prover.
noinst_LIBRARIES += libasprove.a
libasprove_a_SOURCES = verify/prove/prove.h verify/prove/pv.h \
  verify/prove/bounds.c \
  verify/prove/build.c \
  verify/prove/ctx.c \
  verify/prove/eq.c \
  verify/prove/folds.c \
  verify/prove/ite.c \
  verify/prove/lemma.c \
  verify/prove/log.c \
  verify/prove/lp.c \
  verify/prove/map.c \
  verify/prove/maxlaws.c \
  verify/prove/prods.c \
  verify/prove/maxcut.c \
  verify/prove/clauses.c \
  verify/prove/quot.c \
  verify/prove/cuts.c \
  verify/prove/assume.c \
  verify/prove/roots.c \
  verify/prove/norm.c \
  verify/prove/poly.c \
  verify/prove/prove.c \
  verify/prove/side.c \
  verify/prove/sums.c

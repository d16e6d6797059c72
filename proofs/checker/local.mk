# The trusted checker: libc and GMP only.
noinst_LIBRARIES += libck.a
libck_a_SOURCES = \
  proofs/checker/ck_term.h proofs/checker/ck_rules.h proofs/checker/ck_claim.h proofs/checker/ck_cert.h \
  proofs/checker/ck_term_impl.h \
  proofs/checker/ck_term.c \
  proofs/checker/ck_subst.c \
  proofs/checker/ck_poly.c \
  proofs/checker/ck_show.c \
  proofs/checker/ck_rules.c \
  proofs/checker/ck_cert.c

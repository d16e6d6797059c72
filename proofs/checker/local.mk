# The trusted checker: libc and GMP only.
noinst_LIBRARIES += libck.a
libck_a_SOURCES = \
  proofs/checker/ck_term.h proofs/checker/ck_rules.h proofs/checker/ck_claim.h proofs/checker/ck_cert.h \
  proofs/checker/ck_term.c \
  proofs/checker/ck_poly.c \
  proofs/checker/ck_show.c \
  proofs/checker/ck_rules.c \
  proofs/checker/ck_cert.c \
  proofs/checker/ck_read.h \
  proofs/checker/ck_sha256.c \
  proofs/checker/ck_lex.c \
  proofs/checker/ck_oblig.c \
  proofs/checker/ck_op.c \
  proofs/checker/ck_block.c \
  proofs/checker/ck_graph.c \
  proofs/checker/ck_claim.c

bin_PROGRAMS += assay-check
assay_check_SOURCES = proofs/checker/ck_main.c
assay_check_LDADD = libck.a $(GMP_LIBS)
dist_man_MANS += man/assay-check.1

# The trusted checker: libc and GMP only.
noinst_LIBRARIES += libck.a
libck_a_SOURCES = \
  proofs/checker/ck_term.h proofs/checker/ck_formula.h proofs/checker/ck_rules.h proofs/checker/ck_claim.h proofs/checker/ck_cert.h \
  proofs/checker/ck_term.c \
  proofs/checker/ck_poly.c \
  proofs/checker/ck_show.c \
  proofs/checker/ck_rules.c \
  proofs/checker/ck_cert.c \
  proofs/checker/ck_text.h proofs/checker/ck_tree.h proofs/checker/ck_elab.h \
  proofs/checker/ck_sha256.c \
  proofs/checker/ck_text.c \
  proofs/checker/ck_parse.c \
  proofs/checker/ck_parse_text.c \
  proofs/checker/ck_parse_tile.c \
  proofs/checker/ck_elab_term.c \
  proofs/checker/ck_elab_size.c \
  proofs/checker/ck_elab_scalar.c \
  proofs/checker/ck_elab_call.c \
  proofs/checker/ck_elab_tensor.c \
  proofs/checker/ck_elab_block.c \
  proofs/checker/ck_elab_tile.c \
  proofs/checker/ck_admit.c \
  proofs/checker/ck_theorem.c \
  proofs/checker/ck_claim.c

bin_PROGRAMS += assay-check
assay_check_SOURCES = proofs/checker/ck_main.c proofs/checker/ck_standard.c proofs/checker/ck_standard.h
assay_check_LDADD = libck.a $(GMP_LIBS)
dist_man_MANS += man/assay-check.1
EXTRA_DIST += proofs/checker/make_standard.sh

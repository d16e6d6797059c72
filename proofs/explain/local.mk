# Proofs and formulas to be read.
noinst_LIBRARIES += libasexplain.a
libasexplain_a_SOURCES = proofs/explain/outline.h proofs/explain/outline_lemmas.h \
  proofs/explain/outline.c proofs/explain/outline_out.c
libasexplain_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

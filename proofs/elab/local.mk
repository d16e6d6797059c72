# The claim as a text, for checkers of the calculus alone.
bin_PROGRAMS += assay-elab
assay_elab_SOURCES = proofs/elab/elab.c
assay_elab_LDADD = libck.a $(GMP_LIBS)
dist_man_MANS += man/assay-elab.1

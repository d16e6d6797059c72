# A certificate as steps.
noinst_LIBRARIES += libasread.a
libasread_a_SOURCES = proofs/read/read.h proofs/read/read.c

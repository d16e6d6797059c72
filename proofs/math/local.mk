# Formulas to be read.
noinst_LIBRARIES += libasmath.a
libasmath_a_SOURCES = proofs/math/math.h proofs/math/math.c

# the float test of what is lowered; see ../../Makefile.am
noinst_LIBRARIES += libasguard.a
libasguard_a_SOURCES = src/floats/guard.h src/floats/guard.c

# tests of the float test
BUDGETS += tests/floats=10
check_PROGRAMS += tests/floats/test_floats
TESTS += tests/floats/test_floats
FAST_TESTS += tests/floats/test_floats
EXTRA_DIST += tests/floats/cases.txt
tests_floats_test_floats_SOURCES = tests/floats/test_floats.c
tests_floats_test_floats_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_floats_test_floats_LDADD = libasguard.a libasfield.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libastile.a libasir.a libastarget.a libasbase.a $(CHECK_LIBS) $(GLPK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread

check_PROGRAMS += tests/lower/test_lower
tests_lower_test_lower_SOURCES = tests/lower/test_lower.c
tests_lower_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_lower_LDADD = libasrt.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libasir.a libastarget.a libasbase.a $(GLPK_LIBS) $(GMP_LIBS) $(CHECK_LIBS) $(FLINT_LIBS) -lpthread -lm
TESTS += tests/lower/test_lower

check_PROGRAMS += tests/prove/test_prove
TESTS += tests/prove/test_prove
tests_prove_test_prove_SOURCES = tests/prove/test_prove.c tests/prove/sexp.c tests/prove/sexp.h tests/prove/items.inc
tests_prove_test_prove_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prove_test_prove_LDADD = libasprove.a libck.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lpthread

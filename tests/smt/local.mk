BUDGETS += tests/smt=10
check_PROGRAMS += tests/smt/test_smt
TESTS += tests/smt/test_smt
tests_smt_test_smt_SOURCES = tests/smt/test_smt.c
tests_smt_test_smt_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_smt_test_smt_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_smt_test_smt_LDADD = libassmt.a libasread.a libasprove.a libasmath.a libck.a libasbase.a $(Z3_LIBS) $(CHECK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread
EXTRA_DIST += tests/smt/fake_cvc5_hang.sh tests/smt/fake_cvc5_crash.sh tests/smt/fake_cvc5_exit.sh tests/smt/fake_cvc5_garbage.sh \
  tests/smt/fake_cvc5_sat.sh tests/smt/fake_cvc5_unknown.sh tests/smt/fake_cvc5_lies.sh
FAST_TESTS += tests/smt/test_smt

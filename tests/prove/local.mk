BUDGETS += tests/prove=50
check_PROGRAMS += tests/prove/test_prove tests/prove/test_examples tests/prove/test_rules
TESTS += tests/prove/test_prove tests/prove/test_examples tests/prove/test_rules
tests_prove_test_prove_SOURCES = tests/prove/test_prove.c tests/prove/sexp.c tests/prove/sexp.h tests/prove/items.inc
tests_prove_test_prove_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prove_test_prove_LDADD = libasprove.a libasmath.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread
tests_prove_test_examples_SOURCES = tests/prove/test_examples.c tests/prove/examples.inc
tests_prove_test_examples_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prove_test_examples_LDADD = libasprove.a libasmath.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread
tests_prove_test_rules_SOURCES = tests/prove/test_rules.c
tests_prove_test_rules_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_prove_test_rules_LDADD = libasprove.a libasmath.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread
EXTRA_DIST += tests/prove/cases
FAST_TESTS += tests/prove/test_prove tests/prove/test_examples
# rules by the hundred, through what test_prove and test_examples call
NOT_SANITIZED += tests/prove/test_rules
TESTS += tests/prove/test_layers.sh
EXTRA_DIST += tests/prove/test_layers.sh tests/prove/layers.py

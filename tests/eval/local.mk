# tests of the evaluators, the field test and the refuter
BUDGETS += tests/eval=30
check_PROGRAMS += tests/eval/test_ops
TESTS += tests/eval/test_ops
tests_eval_test_ops_SOURCES = tests/eval/test_ops.c tests/eval/reference.c tests/eval/reference.h \
  tests/eval/reference_rules.c tests/eval/reference_scans.c
tests_eval_test_ops_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_ops_LDADD = libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
check_PROGRAMS += tests/eval/test_bounds
TESTS += tests/eval/test_bounds
FAST_TESTS += tests/eval/test_bounds
tests_eval_test_bounds_SOURCES = tests/eval/test_bounds.c
tests_eval_test_bounds_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_bounds_LDADD = libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
check_PROGRAMS += tests/eval/test_graphs
TESTS += tests/eval/test_graphs
tests_eval_test_graphs_SOURCES = tests/eval/test_graphs.c tests/eval/load.c tests/eval/load.h
tests_eval_test_graphs_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_graphs_LDADD = libasfield.a libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
check_PROGRAMS += tests/eval/test_cut
TESTS += tests/eval/test_cut
tests_eval_test_cut_SOURCES = tests/eval/test_cut.c tests/eval/load.c tests/eval/load.h
tests_eval_test_cut_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_cut_LDADD = libasfield.a libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
check_PROGRAMS += tests/eval/test_pairs
TESTS += tests/eval/test_pairs
tests_eval_test_pairs_SOURCES = tests/eval/test_pairs.c tests/eval/pairs.inc tests/eval/load.c tests/eval/load.h
tests_eval_test_pairs_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_pairs_LDADD = libasfield.a libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
check_PROGRAMS += tests/eval/test_terms
TESTS += tests/eval/test_terms
tests_eval_test_terms_SOURCES = tests/eval/test_terms.c tests/eval/pairs.inc tests/eval/claim.c tests/eval/claim.h tests/eval/load.c tests/eval/load.h
tests_eval_test_terms_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_terms_LDADD = libasfield.a libassem.a libasir.a libasbase.a libck.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
# odd texts, legal and illegal: `make odd-texts` for the full number
check_PROGRAMS += tests/eval/test_odd
TESTS += tests/eval/test_odd
tests_eval_test_odd_SOURCES = tests/eval/test_odd.c tests/eval/claim.c tests/eval/claim.h
tests_eval_test_odd_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_eval_test_odd_LDADD = libasfield.a libassem.a libasir.a libasbase.a libck.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
odd-texts: tests/eval/test_odd
	AS_TOP_SRCDIR=$(abs_top_srcdir) ODD_TEXTS=$${ODD_TEXTS:-2000} ./tests/eval/test_odd
# values on which the two readings agree: `make readings` for the full number
readings: tests/eval/test_terms
	AS_TOP_SRCDIR=$(abs_top_srcdir) READINGS=$${READINGS:-200000} ./tests/eval/test_terms
EXTRA_DIST += tests/eval/own.sem tests/regress/forced_sizes.tp tests/regress/forced_size.tp tests/regress/README.md
FAST_TESTS += tests/eval/test_ops tests/eval/test_graphs tests/eval/test_pairs

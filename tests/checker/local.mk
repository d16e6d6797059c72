# The checker's kernel: rules and replay.
BUDGETS += tests/checker=3
if !CHECKER_ONLY
check_PROGRAMS += tests/checker/test_replay
TESTS += tests/checker/test_replay
tests_checker_test_replay_SOURCES = tests/checker/test_replay.c tests/checker/goals.c tests/checker/goals.h
tests_checker_test_replay_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_checker_test_replay_LDADD = libck.a $(CHECK_LIBS) $(GMP_LIBS)
check_PROGRAMS += tests/checker/test_rules
TESTS += tests/checker/test_rules
tests_checker_test_rules_SOURCES = tests/checker/test_rules.c tests/checker/goals.c tests/checker/goals.h
tests_checker_test_rules_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_checker_test_rules_LDADD = libck.a $(CHECK_LIBS) $(GMP_LIBS)
check_PROGRAMS += tests/checker/test_format
TESTS += tests/checker/test_format
tests_checker_test_format_SOURCES = tests/checker/test_format.c tests/checker/goals.c tests/checker/goals.h
tests_checker_test_format_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_checker_test_format_LDADD = libck.a $(CHECK_LIBS) $(GMP_LIBS)
FAST_TESTS += tests/checker/test_replay tests/checker/test_rules tests/checker/test_format
endif
EXTRA_DIST += tests/checker/rules.cases tests/checker/data

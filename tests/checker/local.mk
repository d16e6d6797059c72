# tests of checker: replay of example certificates and of mutants, every rule with its near misses
if !CHECKER_ONLY
check_PROGRAMS += tests/checker/test_replay
tests_checker_test_replay_SOURCES = tests/checker/test_replay.c tests/checker/goals.c tests/checker/goals.h
tests_checker_test_replay_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_checker_test_replay_LDADD = libck.a $(CHECK_LIBS) $(GMP_LIBS)
TESTS += tests/checker/test_replay
endif
EXTRA_DIST += tests/checker/data

# tests of equality saturation over tile programs
BUDGETS += tests/tiles=35
check_PROGRAMS += tests/tiles/test_rules tests/tiles/test_random
TESTS += tests/tiles/test_rules tests/tiles/test_random tests/tiles/test_saturate.sh
tiles_test_libs = libastiles.a libassearch.a libastilejudge.a libasjudge.a libassmt.a libasread.a libasprove.a libasmath.a libasfield.a libassem.a libastile.a libasvthreads.a libastg.a libasir.a libastarget.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) $(Z3_LIBS) $(GMP_LIBS) -lm -lpthread
tests_tiles_test_rules_SOURCES = tests/tiles/test_rules.c
tests_tiles_test_rules_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tiles_test_rules_LDADD = $(tiles_test_libs)
tests_tiles_test_random_SOURCES = tests/tiles/test_random.c
tests_tiles_test_random_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tiles_test_random_LDADD = $(tiles_test_libs)
FAST_TESTS += tests/tiles/test_rules
EXTRA_DIST += tests/tiles/test_saturate.sh
# a campaign through what test_rules, tests/tile and tests/eval call
NOT_SANITIZED += tests/tiles/test_random

# tile programs: reader, printer, evaluator
check_PROGRAMS += tests/tile/test_tile
TESTS += tests/tile/test_tile
tests_tile_test_tile_SOURCES = tests/tile/test_tile.c
tests_tile_test_tile_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tile_test_tile_LDADD = libassem.a libastile.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
FAST_TESTS += tests/tile/test_tile

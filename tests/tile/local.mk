# tile programs: reader, printer, evaluator, verdicts
BUDGETS += tests/tile=130
check_PROGRAMS += tests/tile/test_alike tests/tile/test_tile tests/tile/test_wrong tests/tile/test_loops
TESTS += tests/tile/test_memory.sh tests/tile/test_alike tests/tile/test_tile tests/tile/test_wrong tests/tile/test_loops tests/tile/test_certify.sh tests/tile/test_beside.sh tests/tile/test_directories.sh tests/tile/test_trinity.sh tests/tile/test_wrong_claims.sh tests/tile/test_wrong_loops.sh tests/tile/test_wrong_mutants.sh tests/tile/test_random_kernels.sh tests/tile/test_blocks
tests_tile_test_alike_SOURCES = tests/tile/test_alike.c
tests_tile_test_alike_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tile_test_alike_LDADD = libasbatch.a libasbase.a $(CHECK_LIBS) -lm -lpthread
check_PROGRAMS += tests/tile/test_blocks
tests_tile_test_blocks_SOURCES = tests/tile/test_blocks.c
tests_tile_test_blocks_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_tile_test_blocks_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tile_test_blocks_LDADD = libastile.a libasir.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lm -lpthread
tests_tile_test_tile_SOURCES = tests/tile/test_tile.c
tests_tile_test_tile_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tile_test_tile_LDADD = libassem.a libastile.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
tests_tile_test_wrong_SOURCES = tests/tile/test_wrong.c
tests_tile_test_wrong_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_tile_test_wrong_LDADD = libastilejudge.a libasfield.a libassem.a libastile.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
tests_tile_test_loops_SOURCES = tests/tile/test_loops.c
tests_tile_test_loops_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
tests_tile_test_loops_LDADD = libasprove.a libasmath.a libck.a libasbase.a $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
FAST_TESTS += tests/tile/test_beside.sh tests/tile/test_loops tests/tile/test_tile tests/tile/test_alike tests/tile/test_blocks
EXTRA_DIST += tests/tile/test_memory.sh tests/tile/test_random_kernels.sh tests/tile/random_kernels.py tests/tile/test_directories.sh tests/tile/loops.cases tests/tile/mutants.cases tests/tile/test_wrong_mutants.sh tests/tile/wrong_mutants.py tests/tile/tile_mutants.py tests/tile/tile_reference.py tests/tile/tile_text.py tests/tile/test_wrong_loops.sh tests/tile/wrong_loops.py tests/tile/test_wrong_claims.sh tests/tile/wrong_claims.py tests/tile/test_certify.sh tests/tile/test_beside.sh tests/tile/test_trinity.sh tests/tile/cases/rows.tp tests/tile/cases/product.tp tests/tile/cases/product.tile tests/tile/cases/two_kernels.tp tests/tile/cases/two_kernels.tile tests/tile/cases/rows.tile tests/tile/cases/rows_far.tile \
  tests/tile/cases/rows_shared.tile tests/tile/cases/rows_stale.tile tests/tile/cases/rows_unset.tile tests/tile/trinity/given.tir \
  tests/tile/trinity/programs.txt tests/tile/advice.tsv tests/tile/trinity/shapes.tsv tests/tile/trinity/verdicts.tsv

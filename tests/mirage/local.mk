# Files of Mirage: imported, lifted, decided, written again
BUDGETS += tests/mirage=30
TESTS += tests/mirage/test_mirage.sh tests/mirage/test_published.sh
EXTRA_DIST += tests/mirage/test_mirage.sh tests/mirage/test_published.sh tests/mirage/lib.sh
check_PROGRAMS += tests/mirage/same_structure
tests_mirage_same_structure_SOURCES = tests/mirage/same_structure.c
tests_mirage_same_structure_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_mirage_same_structure_LDADD = $(JANSSON_LIBS)
FAST_TESTS += tests/mirage/test_mirage.sh
FAST_HELPERS += tests/mirage/same_structure
GOLDEN_TESTS += tests/mirage/test_mirage.sh
# graphs changed at random: a few here; `make mirage-mutants COUNT=100 SEED=7` for a campaign
TESTS += tests/mirage/test_mutants.sh
EXTRA_DIST += tests/mirage/test_mutants.sh tests/mirage/mutate.py
COUNT = 60
mirage-mutants: all
	AS_MUTANTS=$(COUNT) AS_SEED=$(SEED) $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/mirage/test_mutants.sh
	@grep -E "of [0-9]+ graphs" tests/mirage/test_mutants.sh.log

# Files of Mirage: imported, lifted, decided, written again
TESTS += tests/mirage/test_mirage.sh tests/mirage/test_published.sh
EXTRA_DIST += tests/mirage/test_mirage.sh tests/mirage/test_published.sh tests/mirage/lib.sh
check_PROGRAMS += tests/mirage/same_structure
tests_mirage_same_structure_SOURCES = tests/mirage/same_structure.c
tests_mirage_same_structure_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_mirage_same_structure_LDADD = $(JANSSON_LIBS)
FAST_TESTS += tests/mirage/test_mirage.sh
GOLDEN_TESTS += tests/mirage/test_mirage.sh

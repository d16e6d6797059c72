# muGraphs that Mirage saved: imported, lifted, decided
TESTS += tests/mirage/test_mirage.sh
EXTRA_DIST += tests/mirage/test_mirage.sh tests/data/mirage-mugraphs
check_PROGRAMS += tests/mirage/same_structure
tests_mirage_same_structure_SOURCES = tests/mirage/same_structure.c
tests_mirage_same_structure_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_mirage_same_structure_LDADD = $(JANSSON_LIBS)

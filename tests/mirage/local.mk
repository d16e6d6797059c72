# muGraphs that Mirage saved: imported, lifted, decided
TESTS += tests/mirage/test_mirage.sh
EXTRA_DIST += tests/mirage/test_mirage.sh tests/data/mirage-mugraphs

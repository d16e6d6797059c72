# The conformance suite of checkers.
TESTS += tests/traps/test_traps.sh
check_SCRIPTS += tests/traps/test_traps.sh
EXTRA_DIST += tests/traps

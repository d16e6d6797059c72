# The conformance suite of checkers.
BUDGETS += tests/traps=35
TESTS += tests/traps/test_traps.sh tests/traps/test_limits.sh
check_SCRIPTS += tests/traps/test_traps.sh tests/traps/test_limits.sh
EXTRA_DIST += tests/traps

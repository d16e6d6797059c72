# The checkers in the arena, and their limits.
BUDGETS += tests/arena=45
TESTS += tests/arena/test_arena.sh tests/arena/test_limits.sh
check_SCRIPTS += tests/arena/test_arena.sh tests/arena/test_limits.sh
EXTRA_DIST += tests/arena

# shell tests of the command; they use the built binaries
TESTS += tests/cli/test_bad_input.sh tests/cli/test_results.sh
EXTRA_DIST += tests/cli/lib.sh tests/cli/test_bad_input.sh tests/cli/test_results.sh

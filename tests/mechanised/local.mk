# The checker that is extracted from the proofs in Coq.
BUDGETS += tests/mechanised=10
if !CHECKER_ONLY
TESTS += tests/mechanised/test_extracted.sh
endif
EXTRA_DIST += tests/mechanised/test_extracted.sh

# the second checker, in Python
BUDGETS += tests/second=30
if !CHECKER_ONLY
TESTS += tests/second/test_second.sh tests/second/test_both.sh
endif
EXTRA_DIST += tests/second/test_second.sh tests/second/test_both.sh tests/second/cases.py tests/second/agree.py

# Both checkers on mutants, at full numbers: ten runs of 2,000 certificates and 300 texts, each with a seed of its own; then the suite of
# limits, on the second checker as a command.
agreement: all
	for seed in 1 2 3 4 5 6 7 8 9 10; do \
	  SECOND_SEED=$$seed SECOND_CERTIFICATES=2000 SECOND_TEXTS=300 SECOND_KEEP=$(abs_builddir)/agreement \
	    $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS=tests/second/test_second.sh || exit 1; \
	  grep '^seed' tests/second/test_second.sh.log; done
	PYTHONPATH='$(abs_srcdir)/proofs' $${PYTHON3:-python3} '$(srcdir)/arena/run.py' $${PYTHON3:-python3} -m second
	PYTHONPATH='$(abs_srcdir)/proofs' $${PYTHON3:-python3} '$(srcdir)/tests/arena/limits.py' --except theorem '$(srcdir)/semantics' \
	  $${PYTHON3:-python3} -m second
.PHONY: agreement

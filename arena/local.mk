# The arena: every checker that is there, and the controls, over all cases; writes arena/RESULTS.md and results.json into the source tree.
# A control that passes is an error.
arena: all
	rm -rf arena-results && mkdir arena-results
	run='$${PYTHON3:-python3} $(abs_srcdir)/arena/run.py'; controls='$(abs_srcdir)/arena/controls/control.py'; \
	named='assay-check=arena-results/first.json'; eval "$$run --json arena-results/first.json ./assay-check" || exit 1; \
	PYTHONPATH='$(abs_srcdir)/proofs' eval "$$run --json arena-results/second.json python3 -m second" || exit 1; \
	named="$$named second=arena-results/second.json"; \
	if test -x ./assay-check-extracted; then \
	  eval "$$run --claims --json arena-results/extracted.json ./assay-check-extracted" || exit 1; \
	  named="$$named assay-check-extracted=arena-results/extracted.json"; \
	fi; \
	for control in accepts-all no-side-conditions no-freshness; do \
	  eval "$$run --json arena-results/$$control.json python3 $$controls $$control" >arena-results/$$control.log; \
	  test $$? = 3 || { echo "the control $$control passes"; exit 1; }; \
	  named="$$named control:$$control=arena-results/$$control.json"; \
	done; \
	$${PYTHON3:-python3} '$(srcdir)/arena/results.py' '$(srcdir)/arena' $$named
.PHONY: arena
EXTRA_DIST += arena

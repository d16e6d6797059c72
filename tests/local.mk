# One folder of tests per module.  Those whose tests take longest come first: tests are begun in this order, and at the end there is
# then work for all processors.
EXTRA_DIST += tests/driver tests/times.sh tests/order.sh tests/since.py tests/reach tests/suite.h tests/source_dir.h tests/written_out.h tests/operators.h
if !CHECKER_ONLY
include tests/lower/local.mk
include tests/threads/local.mk
include tests/rules/local.mk
include tests/regress-specs/local.mk
include tests/tile/local.mk
include tests/tiles/local.mk
include tests/search/local.mk
include tests/python/local.mk
include tests/mirage/local.mk
include tests/soundness/local.mk
include tests/fuzz/local.mk
include tests/cli/local.mk
include tests/docs/local.mk
include tests/ttir/local.mk
include tests/prove/local.mk
endif
include tests/second/local.mk
include tests/mechanised/local.mk
include tests/arena/local.mk
TESTS += tests/lint.sh
FAST_TESTS += tests/lint.sh
if !CHECKER_ONLY
include tests/eval/local.mk
include tests/floats/local.mk
include tests/smt/local.mk
include tests/write/local.mk
include tests/improve/local.mk
include tests/bench/local.mk
include tests/ir/local.mk
include tests/base/local.mk
endif
include tests/checker/local.mk
include tests/claim/local.mk

# the second checker, in Python
if !CHECKER_ONLY
TESTS += tests/second/test_second.sh
endif
EXTRA_DIST += tests/second/test_second.sh tests/second/cases.py tests/second/agree.py \
  proofs/second/__init__.py proofs/second/__main__.py proofs/second/certificate.py proofs/second/claim.py proofs/second/grammar.py \
  proofs/second/kernels.py proofs/second/library.py proofs/second/rules.py proofs/second/scalars.py proofs/second/sizes.py proofs/second/terms.py

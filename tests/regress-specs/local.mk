# specifications that change: what flips, what stands; every operator against NumPy or PyTorch
TESTS += tests/regress-specs/test_regress.sh
EXTRA_DIST += tests/regress-specs/test_regress.sh tests/regress-specs/facts

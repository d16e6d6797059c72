# kernels of Triton made cheaper
BUDGETS += tests/improve=5
TESTS += tests/improve/test_improve.sh
EXTRA_DIST += tests/improve/test_improve.sh tests/improve/divisions.rule tests/improve/cases/alias.ttir tests/improve/cases/alias_published.ttir \
  tests/improve/cases/chains.ttir tests/improve/cases/loops.ttir tests/improve/cases/stored.ttir tests/improve/cases/twice.ttir \
  tests/improve/cases/twice.improved.ttir tests/improve/cases/two_sums.ttir tests/improve/cases/two_sums_published.ttir
FAST_TESTS += tests/improve/test_improve.sh

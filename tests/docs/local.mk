# what documents show, run
BUDGETS += tests/docs=20
TESTS += tests/docs/test_readme.sh
EXTRA_DIST += tests/docs/test_readme.sh tests/docs/readme.py

# what documents show, run
TESTS += tests/docs/test_readme.sh
EXTRA_DIST += tests/docs/test_readme.sh tests/docs/readme.py

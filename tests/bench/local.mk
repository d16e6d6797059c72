# what bench/ measures with; nothing is timed here
BUDGETS += tests/bench=2
TESTS += tests/bench/test_bench.sh
FAST_TESTS += tests/bench/test_bench.sh
EXTRA_DIST += tests/bench/test_bench.sh tests/bench/rounds.py tests/bench/certified.jsonl tests/bench/certified.md tests/bench/timed.jsonl tests/bench/timed.md

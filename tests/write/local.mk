# tile programs written for other systems
BUDGETS += tests/write=15
TESTS += tests/write/test_write.sh
EXTRA_DIST += tests/write/test_write.sh tests/write/run_tensorir.py tests/write/run_triton.py tests/write/inputs.py tests/write/cases/softmax.tensorir.py tests/write/cases/softmax.triton.py tests/write/cases/prefill.triton.py
FAST_TESTS += tests/write/test_write.sh

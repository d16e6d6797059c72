# specifications that change: what flips, what stands; every operator against NumPy or PyTorch
BUDGETS += tests/regress-specs=25
TESTS += tests/regress-specs/test_regress.sh
EXTRA_DIST += tests/regress-specs/test_regress.sh tests/regress-specs/facts
TESTS += tests/regress-specs/test_specs.sh tests/regress-specs/test_numpy.sh
EXTRA_DIST += tests/regress-specs/test_specs.sh tests/regress-specs/test_numpy.sh tests/regress-specs/numpy_ops.py
check_PROGRAMS += tests/regress-specs/op_eval
tests_regress_specs_op_eval_SOURCES = tests/regress-specs/op_eval.c
tests_regress_specs_op_eval_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_regress_specs_op_eval_LDADD = libassem.a libasir.a libasbase.a $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
FAST_TESTS += tests/regress-specs/test_specs.sh

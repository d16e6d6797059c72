# kernels of Triton: what is read, what it is read as
check_PROGRAMS += tests/ttir/probes
TESTS += tests/ttir/test_triton.sh
tests_ttir_probes_SOURCES = tests/ttir/probes.c
tests_ttir_probes_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ttir_probes_LDADD = libasimport.a libaswrite.a libasttir.a libassem.a libastile.a libasir.a libasbase.a $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
FAST_TESTS += tests/ttir/test_triton.sh
EXTRA_DIST += tests/ttir/test_triton.sh tests/ttir/cases/scaled_add.ttir tests/ttir/cases/scaled_add.tp tests/ttir/cases/scaled_add.tile tests/ttir/cases/scaled_subtract.ttir \
  tests/ttir/cases/scaled_add_one_too_many.ttir tests/ttir/cases/row_softmax.ttir tests/ttir/cases/row_softmax.tp tests/ttir/cases/row_softmax.tile tests/ttir/cases/running.ttir \
  tests/ttir/cases/running.json tests/ttir/cases/running.tile tests/ttir/cases/block_product.sem tests/ttir/cases/block_product.tp tests/ttir/cases/block_product.ttir \
  tests/ttir/cases/block_product_skewed.ttir tests/ttir/cases/shifted_rows.tile tests/ttir/cases/shifted_rows.ttir

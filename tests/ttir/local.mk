# kernels of Triton: what is read, what it is read as
check_PROGRAMS += tests/ttir/probes
TESTS += tests/ttir/test_triton.sh
tests_ttir_probes_SOURCES = tests/ttir/probes.c
tests_ttir_probes_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ttir_probes_LDADD = libasimport.a libasttir.a libassem.a libastile.a libasir.a libasbase.a $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
EXTRA_DIST += tests/ttir/test_triton.sh

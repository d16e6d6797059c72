# Wrong candidates and changed certificates: none is certified.  A long run: tests/soundness/harness --wrong 1000 --certs 20 --seconds 3600
check_PROGRAMS += tests/soundness/harness
TESTS += tests/soundness/harness
tests_soundness_harness_SOURCES = tests/soundness/harness.c tests/soundness/mutate.c tests/soundness/mutate.h
tests_soundness_harness_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_soundness_harness_LDADD = libasprove.a libasfield.a libassem.a libasir.a libck.a libasbase.a $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread

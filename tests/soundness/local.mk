# Wrong candidates and changed certificates: none is certified.  A long run: tests/soundness/harness --wrong 1000 --certs 20 --seconds 3600
BUDGETS += tests/soundness=22
check_PROGRAMS += tests/soundness/harness
TESTS += tests/soundness/harness
tests_soundness_harness_SOURCES = tests/soundness/harness.c tests/soundness/mutate.c tests/soundness/mutate.h \
  tests/soundness/certify.c tests/soundness/certify.h tests/soundness/arguments.h
tests_soundness_harness_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_soundness_harness_LDADD = libasprove.a libasmath.a libasfield.a libassem.a libasir.a libck.a libasbase.a $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
# Wrong rules: tests/soundness/rules --wrong 2000 --seconds 7200, or ASSAY_SOUNDNESS_RULES=2000 make check
check_PROGRAMS += tests/soundness/rules
TESTS += tests/soundness/rules
tests_soundness_rules_SOURCES = tests/soundness/rules.c tests/soundness/mutate_rule.c tests/soundness/mutate_rule.h tests/soundness/mutate.c tests/soundness/mutate.h \
  tests/soundness/certify.c tests/soundness/certify.h tests/soundness/arguments.h
tests_soundness_rules_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_soundness_rules_LDADD = libasprove.a libasmath.a libasfield.a libassem.a libasir.a libck.a libasbase.a $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
# campaigns through the prover and the checker, whose memory their own tests and the fuzzers show
NOT_SANITIZED += tests/soundness/harness tests/soundness/rules

# Random inputs under ASan and UBSan; a few seconds each in make check, longer with --seconds N.  The sources under test are compiled again with sanitizers.
FUZZ_FLAGS = -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZERS = tests/fuzz/fuzz_claim tests/fuzz/fuzz_cert tests/fuzz/fuzz_ir tests/fuzz/fuzz_rule
check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
tests_fuzz_fuzz_claim_SOURCES = tests/fuzz/fuzz_claim.c tests/fuzz/parts.c tests/fuzz/parts.h tests/fuzz/driver.c tests/fuzz/driver.h $(libck_a_SOURCES)
tests_fuzz_fuzz_claim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_claim_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_claim_LDADD = $(GMP_LIBS)
tests_fuzz_fuzz_cert_SOURCES = tests/fuzz/fuzz_cert.c tests/fuzz/driver.c tests/fuzz/driver.h $(libck_a_SOURCES)
tests_fuzz_fuzz_cert_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_cert_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_cert_LDADD = $(GMP_LIBS)
tests_fuzz_fuzz_ir_SOURCES = tests/fuzz/fuzz_ir.c tests/fuzz/parts.c tests/fuzz/parts.h tests/fuzz/driver.c tests/fuzz/driver.h $(libasir_a_SOURCES) $(libasbase_a_SOURCES)
tests_fuzz_fuzz_ir_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_ir_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_ir_LDADD = $(GMP_LIBS) -lm -lpthread
tests_fuzz_fuzz_rule_SOURCES = tests/fuzz/fuzz_rule.c tests/fuzz/parts.c tests/fuzz/parts.h tests/fuzz/driver.c tests/fuzz/driver.h $(libasir_a_SOURCES) $(libasbase_a_SOURCES) \
  $(libck_a_SOURCES)
tests_fuzz_fuzz_rule_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_rule_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_rule_LDADD = $(GMP_LIBS) -lm -lpthread

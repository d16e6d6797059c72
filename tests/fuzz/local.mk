# Random inputs under ASan and UBSan; a few seconds each in make check, longer with --seconds N.  What is under test is compiled with
# sanitizers, once: in a build that has none, as libraries of its own; in a sanitizer build it is what everybody links.
BUDGETS += tests/fuzz=30
FUZZERS += tests/fuzz/fuzz_claim tests/fuzz/fuzz_cert tests/fuzz/fuzz_ir tests/fuzz/fuzz_rule tests/fuzz/fuzz_ttir
check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
if SANITIZERS
FUZZ_FLAGS =
fuzz_checker = libck.a
fuzz_ir = libasir.a libasbase.a
fuzz_ttir = libasttir.a libastile.a libasir.a libasbase.a
else
FUZZ_FLAGS = -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
check_LIBRARIES += tests/fuzz/libck.a tests/fuzz/libir.a tests/fuzz/libttir.a
tests_fuzz_libttir_a_SOURCES = $(libasttir_a_SOURCES)
tests_fuzz_libttir_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_libck_a_SOURCES = $(libck_a_SOURCES)
tests_fuzz_libck_a_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_libir_a_SOURCES = $(libasir_a_SOURCES) $(libasbase_a_SOURCES)
tests_fuzz_libir_a_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
fuzz_checker = tests/fuzz/libck.a
fuzz_ttir = tests/fuzz/libttir.a libastile.a libasir.a libasbase.a
fuzz_ir = tests/fuzz/libir.a
endif
check_LIBRARIES += tests/fuzz/libdriver.a
tests_fuzz_libdriver_a_SOURCES = tests/fuzz/driver.c tests/fuzz/driver.h tests/fuzz/parts.c tests/fuzz/parts.h
tests_fuzz_libdriver_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_libdriver_a_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_claim_SOURCES = tests/fuzz/fuzz_claim.c
tests_fuzz_fuzz_claim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_claim_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_claim_LDADD = tests/fuzz/libdriver.a $(fuzz_checker) $(GMP_LIBS) -lm -lpthread
tests_fuzz_fuzz_cert_SOURCES = tests/fuzz/fuzz_cert.c
tests_fuzz_fuzz_cert_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_cert_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_cert_LDADD = tests/fuzz/libdriver.a $(fuzz_checker) $(GMP_LIBS) -lm -lpthread
tests_fuzz_fuzz_ir_SOURCES = tests/fuzz/fuzz_ir.c
tests_fuzz_fuzz_ir_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_ir_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_ir_LDADD = tests/fuzz/libdriver.a $(fuzz_ir) $(GMP_LIBS) -lm -lpthread
tests_fuzz_fuzz_rule_SOURCES = tests/fuzz/fuzz_rule.c
tests_fuzz_fuzz_rule_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_rule_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_rule_LDADD = tests/fuzz/libdriver.a $(fuzz_ir) $(fuzz_checker) $(GMP_LIBS) -lm -lpthread
tests_fuzz_fuzz_ttir_SOURCES = tests/fuzz/fuzz_ttir.c
tests_fuzz_fuzz_ttir_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_ttir_CFLAGS = $(AM_CFLAGS) $(FUZZ_FLAGS)
tests_fuzz_fuzz_ttir_LDADD = tests/fuzz/libdriver.a $(fuzz_ttir) $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread

# rewrite rules: reading, counterexamples, certification
check_PROGRAMS += tests/rules/test_parse
TESTS += tests/rules/test_parse
tests_rules_test_parse_SOURCES = tests/rules/test_parse.c tests/rules/util.h
tests_rules_test_parse_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_rules_test_parse_LDADD = libasir.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lpthread

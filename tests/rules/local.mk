# rewrite rules: reading, counterexamples, certification
BUDGETS += tests/rules=90
check_PROGRAMS += tests/rules/test_parse
TESTS += tests/rules/test_parse
tests_rules_test_parse_SOURCES = tests/rules/test_parse.c tests/rules/util.h
tests_rules_test_parse_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_rules_test_parse_LDADD = libasir.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lpthread
check_PROGRAMS += tests/rules/test_refute
TESTS += tests/rules/test_refute
tests_rules_test_refute_SOURCES = tests/rules/test_refute.c tests/rules/util.h
tests_rules_test_refute_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_rules_test_refute_LDADD = libasfield.a libassem.a libasir.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
TESTS += tests/rules/test_oracle.sh
EXTRA_DIST += tests/rules/NOTATION.md tests/rules/catalogue.tsv tests/rules/oracle.py tests/rules/oracle_operators.py tests/rules/oracle_scalars.py tests/rules/test_oracle.sh
TESTS += tests/rules/test_catalogue.sh
EXTRA_DIST += tests/rules/test_catalogue.sh
TESTS += tests/rules/test_tricks.sh
EXTRA_DIST += tests/rules/test_tricks.sh tests/rules/tricks.rule tests/rules/unseen.rule tests/rules/identities.rule tests/rules/users.rule
EXTRA_DIST += tests/rules/advice.tsv tests/rules/undecided.txt
# docs/found.md, written anew from a run
found: all
	python3 $(top_srcdir)/bench/found.py ./assay$(EXEEXT) >found.md && mv found.md $(top_srcdir)/docs/found.md
TESTS += tests/rules/test_cli.sh
EXTRA_DIST += tests/rules/test_cli.sh
check_PROGRAMS += tests/rules/test_readings
TESTS += tests/rules/test_readings
tests_rules_test_readings_SOURCES = tests/rules/test_readings.c tests/rules/util.h
EXTRA_DIST += tests/rules/readings.rule
tests_rules_test_readings_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_rules_test_readings_LDADD = libasfield.a libassem.a libasir.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) -lm -lpthread
FAST_TESTS += tests/rules/test_parse
# readings of all texts by three evaluators, which tests/eval calls too
NOT_SANITIZED += tests/rules/test_readings

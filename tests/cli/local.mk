# Shell tests of the command; they use the built binaries.  One a line: several people add some.
BUDGETS += tests/cli=150
CLI_TESTS = \
  tests/cli/test_axon.sh \
  tests/cli/test_bad_input.sh \
  tests/cli/test_cache.sh \
  tests/cli/test_certificates.sh \
  tests/cli/test_check.sh \
  tests/cli/test_explain.sh \
  tests/cli/test_findings.sh \
  tests/cli/test_laws.sh \
  tests/cli/test_judge.sh \
  tests/cli/test_options.sh \
  tests/cli/test_results.sh \
  tests/cli/test_rounding.sh \
  tests/cli/test_run.sh \
  tests/cli/test_search.sh \
  tests/cli/test_shadowing.sh tests/cli/test_shard.sh \
  tests/cli/test_sizes.sh \
  tests/cli/test_target.sh tests/cli/test_trial.sh tests/cli/test_tune.sh \
  tests/cli/test_trace.sh
TESTS += $(CLI_TESTS)
EXTRA_DIST += $(CLI_TESTS) tests/cli/explain tests/cli/lib.sh tests/cli/certificates.txt tests/cli/chain.sh
FAST_TESTS += $(filter-out tests/cli/test_axon.sh tests/cli/test_cache.sh tests/cli/test_search.sh tests/cli/test_shard.sh tests/cli/test_results.sh tests/cli/test_shadowing.sh tests/cli/test_sizes.sh tests/cli/test_trace.sh tests/cli/test_tune.sh, $(CLI_TESTS))
GOLDEN_TESTS += tests/cli/test_options.sh tests/cli/test_explain.sh tests/cli/test_certificates.sh
check_PROGRAMS += tests/cli/test_report
TESTS += tests/cli/test_report
tests_cli_test_report_SOURCES = tests/cli/test_report.c
tests_cli_test_report_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_cli_test_report_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_test_report_LDADD = libasreport.a libasir.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lpthread

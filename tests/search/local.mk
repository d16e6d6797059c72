# tests of search
BUDGETS += tests/search=35
check_PROGRAMS += tests/search/test_abstract tests/search/test_condition tests/search/test_cost tests/search/test_groups tests/search/test_in_parts tests/search/test_search tests/search/test_spaces tests/search/test_topology tests/search/test_variant
TESTS += tests/search/test_abstract tests/search/test_condition tests/search/test_cost tests/search/test_groups tests/search/test_in_parts tests/search/test_search tests/search/test_spaces tests/search/test_topology tests/search/test_variant
search_test_libs = libassearch.a libasjudge.a libastile.a libassmt.a libasread.a libasprove.a libasmath.a libasfield.a libassem.a libasvthreads.a libastg.a libasir.a libastarget.a libck.a libasbase.a $(CHECK_LIBS) $(FLINT_LIBS) $(Z3_LIBS) $(GMP_LIBS) -lm -lpthread
tests_search_test_abstract_SOURCES = tests/search/test_abstract.c
tests_search_test_abstract_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_abstract_LDADD = $(search_test_libs)
tests_search_test_cost_SOURCES = tests/search/test_cost.c
tests_search_test_cost_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_cost_LDADD = $(search_test_libs)
tests_search_test_groups_SOURCES = tests/search/test_groups.c tests/search/read_program.h tests/search/read_program.c
tests_search_test_groups_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_groups_LDADD = $(search_test_libs)
tests_search_test_in_parts_SOURCES = tests/search/test_in_parts.c tests/search/read_program.h tests/search/read_program.c
tests_search_test_in_parts_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_in_parts_LDADD = $(search_test_libs)
tests_search_test_search_SOURCES = tests/search/test_search.c
tests_search_test_search_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_search_LDADD = $(search_test_libs)
check_PROGRAMS += tests/search/exhaustive
TESTS += tests/search/exhaustive
tests_search_exhaustive_SOURCES = tests/search/exhaustive.c
tests_search_exhaustive_LDADD = $(search_test_libs)
tests_search_test_spaces_SOURCES = tests/search/test_spaces.c
tests_search_test_spaces_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_spaces_LDADD = $(search_test_libs)
tests_search_test_topology_SOURCES = tests/search/test_topology.c
tests_search_test_topology_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_topology_LDADD = $(search_test_libs)
tests_search_test_variant_SOURCES = tests/search/test_variant.c tests/search/read_program.h tests/search/read_program.c
tests_search_test_variant_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_variant_LDADD = $(search_test_libs)
EXTRA_DIST += tests/search/data/gatez.sem tests/search/data/user_operator.tp tests/search/data/prime.tp tests/search/data/ntrans.tp \
	tests/search/data/mlp3.tp tests/search/data/two_outputs.tp tests/search/data/attention_heads.tp \
	tests/search/data/rotation.tp tests/search/data/longer_rows.tp tests/search/data/two_experts.tp
FAST_TESTS += tests/search/test_condition tests/search/test_groups tests/search/test_in_parts tests/search/test_search tests/search/test_cost tests/search/test_topology
tests_search_test_condition_SOURCES = tests/search/test_condition.c tests/search/read_program.h tests/search/read_program.c
tests_search_test_condition_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_search_test_condition_LDADD = $(search_test_libs)
# all programs of a small space, by what test_search calls
NOT_SANITIZED += tests/search/exhaustive
# prices are of what is lowered: the cost model with faults in it
check_PROGRAMS += tests/search/test_priced
tests_search_test_priced_SOURCES = tests/search/test_priced.c search/cost.c
tests_search_test_priced_CPPFLAGS = $(AM_CPPFLAGS) -DAS_SEEDED_FAULTS
tests_search_test_priced_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
tests_search_test_priced_LDADD = $(assay_LDADD) $(CHECK_LIBS)
TESTS += tests/search/test_priced

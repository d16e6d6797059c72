BUDGETS += tests/threads=70
THREADS_LIBS = libasthreads.a libasvthreads.a libastg.a libasir.a libastarget.a libasbase.a $(GMP_LIBS) $(CHECK_LIBS) -lpthread -lm
THREADS_TESTS = tests/threads/test_layouts tests/threads/test_threads tests/threads/test_cut tests/threads/test_order tests/threads/test_beside tests/threads/test_mutants
check_PROGRAMS += $(THREADS_TESTS)
TESTS += $(THREADS_TESTS)
TESTS += tests/threads/test_chosen.sh tests/threads/test_ptxas.sh tests/threads/test_table.sh
EXTRA_DIST += tests/threads/test_chosen.sh tests/threads/biased.tp tests/threads/hidden.tp tests/threads/test_ptxas.sh tests/threads/test_table.sh
FAST_TESTS += tests/threads/test_layouts tests/threads/test_threads tests/threads/test_cut tests/threads/test_order tests/threads/test_beside
tests_threads_test_layouts_SOURCES = tests/threads/test_layouts.c
tests_threads_test_layouts_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_layouts_LDADD = $(THREADS_LIBS)
tests_threads_test_threads_SOURCES = tests/threads/test_threads.c tests/threads/cases.h tests/threads/cases.c tests/threads/case_open.c tests/threads/interp.h \
  tests/threads/interp_int.h tests/threads/interp.c tests/threads/interp_group.c tests/threads/interp_value.c tests/threads/field.c tests/threads/mutate.c
tests_threads_test_threads_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_threads_LDADD = $(THREADS_LIBS)
tests_threads_test_cut_SOURCES = tests/threads/test_cut.c tests/threads/cases.h tests/threads/cases.c tests/threads/case_open.c tests/threads/interp.h \
  tests/threads/interp_int.h tests/threads/interp.c tests/threads/interp_group.c tests/threads/interp_value.c tests/threads/field.c
tests_threads_test_cut_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_cut_LDADD = $(THREADS_LIBS)
tests_threads_test_order_SOURCES = tests/threads/test_order.c tests/threads/cases.h tests/threads/cases.c tests/threads/case_open.c tests/threads/interp.h \
  tests/threads/interp_int.h tests/threads/interp.c tests/threads/interp_group.c tests/threads/interp_value.c tests/threads/field.c
tests_threads_test_order_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_order_LDADD = $(THREADS_LIBS)
tests_threads_test_beside_SOURCES = tests/threads/test_beside.c tests/threads/cases.h tests/threads/cases.c tests/threads/case_open.c tests/threads/interp.h \
  tests/threads/interp_int.h tests/threads/interp.c tests/threads/interp_group.c tests/threads/interp_value.c tests/threads/field.c
tests_threads_test_beside_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_beside_LDADD = $(THREADS_LIBS)
tests_threads_test_mutants_SOURCES = tests/threads/test_mutants.c tests/threads/cases.c tests/threads/case_open.c tests/threads/interp_int.h tests/threads/interp.c tests/threads/interp_group.c tests/threads/interp_value.c tests/threads/field.c \
  tests/threads/mutate.c
tests_threads_test_mutants_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_threads_test_mutants_LDADD = $(THREADS_LIBS)
# a campaign through what test_threads calls
NOT_SANITIZED += tests/threads/test_mutants

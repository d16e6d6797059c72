# sizes, specifications, programs, muGraphs
ir_libs = libasir.a libasbase.a $(CHECK_LIBS) $(GMP_LIBS) -lpthread
check_PROGRAMS += tests/ir/test_size
TESTS += tests/ir/test_size
tests_ir_test_size_SOURCES = tests/ir/test_size.c
tests_ir_test_size_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_ir_test_size_LDADD = $(ir_libs)
check_PROGRAMS += tests/ir/test_sem
TESTS += tests/ir/test_sem
tests_ir_test_sem_SOURCES = tests/ir/test_sem.c tests/ir/util.h
tests_ir_test_sem_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_ir_test_sem_LDADD = $(ir_libs)
check_PROGRAMS += tests/ir/test_graph
TESTS += tests/ir/test_graph
tests_ir_test_graph_SOURCES = tests/ir/test_graph.c tests/ir/util.h
tests_ir_test_graph_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_ir_test_graph_LDADD = $(ir_libs)

noinst_LIBRARIES += libassmt.a
libassmt_a_SOURCES = verify/smt/smt.h verify/smt/smt_int.h verify/smt/smt_write.c verify/smt/smt_group.c \
  verify/smt/smt_solver.h verify/smt/smt_ask.c verify/smt/smt_z3.c verify/smt/smt_child.c
libassmt_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)

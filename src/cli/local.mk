# The command.
noinst_LIBRARIES += libascli.a
libascli_a_SOURCES = \
  src/cli/cli.h src/cli/export.h src/cli/progress.h src/cli/rule_verdict.h src/cli/spec_check.h src/cli/verdict.h \
  src/cli/cmd_bench.c \
  src/cli/cmd_certify.c \
  src/cli/cmd_certify_rule.c \
  src/cli/cmd_check.c \
  src/cli/cmd_explain.c \
  src/cli/cmd_ops.c \
  src/cli/cmd_import.c \
  src/cli/cmd_optimize.c \
  src/cli/export.c \
  src/cli/load.c \
  src/cli/options.c \
  src/cli/place.c \
  src/cli/progress.c \
  src/cli/target.c \
  src/cli/rule_verdict.c \
  src/cli/cmd_regress.c \
  src/cli/spec_check.c \
  src/cli/verdict.c
libascli_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bin_PROGRAMS += assay
assay_SOURCES = src/cli/main.c
assay_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
assay_LDADD = libascli.a libasbaseline.a libasreport.a libasexplain.a libasimport.a libassearch.a libassmt.a libasread.a libasprove.a libasfield.a libassem.a libaslower.a libasthreads.a libasvthreads.a libastg.a libasrt.a libasir.a libastarget.a libck.a libasbase.a \
  $(JANSSON_LIBS) $(Z3_LIBS) $(GLPK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread -lm
dist_man_MANS += man/assay.1

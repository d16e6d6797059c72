# The command.
noinst_LIBRARIES += libascli.a
libascli_a_SOURCES = \
  src/cli/cli.h src/cli/child.h src/cli/draw.h src/cli/export.h src/cli/junit.h src/cli/rule_verdict.h src/cli/verdict.h src/cli/math.h src/cli/outline.h src/cli/outline_lemmas.h src/cli/progress.h src/cli/report.h \
  src/cli/cex_json.c \
  src/cli/child.c \
  src/cli/cmd_bench.c \
  src/cli/cmd_certify.c \
  src/cli/cmd_certify_rule.c \
  src/cli/cmd_check.c \
  src/cli/cmd_explain.c \
  src/cli/cmd_ops.c \
  src/cli/cmd_import.c \
  src/cli/cmd_optimize.c \
  src/cli/draw.c \
  src/cli/export.c \
  src/cli/load.c \
  src/cli/math.c \
  src/cli/options.c \
  src/cli/outline.c \
  src/cli/outline_out.c \
  src/cli/package.c \
  src/cli/place.c \
  src/cli/progress.c \
  src/cli/report.c \
  src/cli/report_html.c \
  src/cli/report_item.c \
  src/cli/report_json.c \
  src/cli/report_style.c \
  src/cli/report_junit.c \
  src/cli/result.c \
  src/cli/target.c \
  src/cli/rule_verdict.c \
  src/cli/verdict.c \
  src/cli/baseline.h src/cli/baseline.c src/cli/base_collect.c src/cli/claim_sha.c src/cli/cmd_regress.c \
  src/cli/regress.h src/cli/regress_report.c src/cli/spec_check.h src/cli/spec_check.c
libascli_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bin_PROGRAMS += assay
assay_SOURCES = src/cli/main.c
assay_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
assay_LDADD = libascli.a libassearch.a libassmt.a libasprove.a libasfield.a libassem.a libaslower.a libasrt.a libasir.a libastarget.a libck.a libasbase.a \
  $(JANSSON_LIBS) $(Z3_LIBS) $(GLPK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread -lm
dist_man_MANS += man/assay.1

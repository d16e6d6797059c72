# The command.
noinst_LIBRARIES += libascli.a
libascli_a_SOURCES = \
  src/cli/cli.h src/cli/options.h \
  src/cli/cmd_bench.c \
  src/cli/cmd_build.c \
  src/cli/cmd_run.c \
  src/cli/lowered.h src/cli/lowered.c \
  src/cli/cmd_certify.c \
  src/cli/cmd_check.c \
  src/cli/cmd_explain.c \
  src/cli/cmd_lift.c \
  src/cli/cmd_ops.c \
  src/cli/cmd_optimize.c \
  src/cli/load.c \
  src/cli/options.c \
  src/cli/place.c \
  src/cli/target.c \
  src/cli/trial.h src/cli/trial.c \
  src/cli/cmd_regress.c
libascli_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bin_PROGRAMS += assay
assay_SOURCES = src/cli/main.c
assay_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
assay_LDADD = libascli.a libasoptimize.a libasoptions.a libascache.a libascheck.a libasguard.a libaskernels.a libasbatch.a libasimprove.a libasbaseline.a libasreport.a libasexplain.a libasimport.a libaswrite.a libasttir.a libastiles.a libassearch.a libastilejudge.a libasjudge.a libassmt.a libasread.a libasprove.a libasmath.a libasfield.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libastile.a libasrt.a libasir.a libastarget.a libck.a libasbase.a \
  $(JANSSON_LIBS) $(Z3_LIBS) $(GLPK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread -lm
dist_man_MANS += man/assay.1
# completions, where shells look for them
bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = src/cli/completion/assay
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_zshcompletion_DATA = src/cli/completion/_assay
src/cli/completion/assay: assay$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) src/cli/completion && ./assay$(EXEEXT) completion bash >$@.new && mv $@.new $@
src/cli/completion/_assay: assay$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) src/cli/completion && ./assay$(EXEEXT) completion zsh >$@.new && mv $@.new $@
CLEANFILES += src/cli/completion/assay src/cli/completion/_assay

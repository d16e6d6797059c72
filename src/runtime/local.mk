noinst_LIBRARIES += libasrt.a
libasrt_a_SOURCES = src/runtime/arrays.h src/runtime/arrays.c src/runtime/compile.h src/runtime/compile.c src/runtime/library.h src/runtime/library.c \
  src/runtime/npy.h src/runtime/npy.c src/runtime/port.h src/runtime/port.c src/runtime/rt.h src/runtime/rt.c src/runtime/trial.h src/runtime/trial.c
libasrt_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
nodist_libasrt_a_SOURCES = src/runtime/arrays.h src/runtime/arrays.c src/runtime/main_text.c src/runtime/library_text.c src/runtime/trial_text.c
src/runtime/main_text.c: src/runtime/main.cuh src/lower/text.sh
	@$(MKDIR_P) src/runtime
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/runtime/main.cuh as_rt_main_text > $@.tmp && mv $@.tmp $@
src/runtime/library_text.c: src/runtime/library.cuh src/lower/text.sh
	@$(MKDIR_P) src/runtime
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/runtime/library.cuh as_rt_library_text > $@.tmp && mv $@.tmp $@
src/runtime/trial_text.c: src/runtime/trial.cuh src/lower/text.sh
	@$(MKDIR_P) src/runtime
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/runtime/trial.cuh as_rt_trial_text > $@.tmp && mv $@.tmp $@
CLEANFILES += src/runtime/main_text.c src/runtime/library_text.c src/runtime/trial_text.c
EXTRA_DIST += src/runtime/main.cuh src/runtime/library.cuh src/runtime/trial.cuh

# thread graphs: the core is shared by the lowering and by verify/threads, the rest is the lowering
noinst_LIBRARIES += libastg.a libasthreads.a
libastg_a_SOURCES = src/threads/core/f2.h src/threads/core/f2.c src/threads/core/convert.c src/threads/core/isa.h src/threads/core/isa.c \
  src/threads/core/graph.h src/threads/core/graph.c src/threads/core/text.c
nodist_libastg_a_SOURCES = src/threads/core/isa_sm_80.c src/threads/core/isa_sm_90.c
src/threads/core/isa_sm_80.c: targets/sm_80.isa src/lower/text.sh
	@$(MKDIR_P) src/threads/core
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/targets/sm_80.isa as_isa_text_sm_80 > $@.tmp && mv $@.tmp $@
src/threads/core/isa_sm_90.c: targets/sm_90.isa src/lower/text.sh
	@$(MKDIR_P) src/threads/core
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/targets/sm_90.isa as_isa_text_sm_90 > $@.tmp && mv $@.tmp $@
libasthreads_a_SOURCES = src/threads/threads.h src/threads/lowering.h src/threads/lower.c src/threads/plan.c src/threads/select.c \
  src/threads/stream.c src/threads/finish.h src/threads/finish.c src/threads/finish_tail.c src/threads/ring.c src/threads/tile.c src/threads/rows.h src/threads/rows_axes.c src/threads/rows.c src/threads/attend.h src/threads/attend_plan.c src/threads/attend.c src/threads/attend_group.c src/threads/attend_cut.c src/threads/attend_load.c src/threads/expr.c src/threads/places.c src/threads/emit.h src/threads/emit.c src/threads/emit_scalar.c src/threads/emit_exp.c src/threads/emit_address.c src/threads/emit_wgmma.c src/threads/emit_ring.c src/threads/emit_grid.c src/threads/group.c src/threads/wrappers.c
nodist_libasthreads_a_SOURCES = src/threads/prelude.c
src/threads/prelude.c: src/threads/prelude.cuh src/lower/text.sh
	@$(MKDIR_P) src/threads
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/threads/prelude.cuh as_threads_prelude_text > $@.tmp && mv $@.tmp $@
CLEANFILES += src/threads/core/isa_sm_80.c src/threads/core/isa_sm_90.c src/threads/prelude.c
EXTRA_DIST += targets/sm_80.isa targets/sm_90.isa src/threads/prelude.cuh

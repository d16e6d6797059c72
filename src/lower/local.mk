noinst_LIBRARIES += libaslower.a
libaslower_a_SOURCES = src/lower/lower.h src/lower/lx.h src/lower/value.h src/lower/job.h src/lower/emit.h src/lower/value.c src/lower/lower.c src/lower/lx.c src/lower/body.h src/lower/body.c src/lower/hoist.h src/lower/hoist.c src/lower/through.h src/lower/through.c src/lower/fault.h src/lower/range.h src/lower/range.c src/lower/expand.c src/lower/cut.c src/lower/index_tile.c src/lower/live.h src/lower/live.c src/lower/live_host.c src/lower/contract.c src/lower/tile.c \
  src/lower/fuse.c src/lower/schedule.c src/lower/mma.c src/lower/layout.c src/lower/memplan.c src/lower/emit_expr.c src/lower/emit_mma.c \
  src/lower/emit_block.c src/lower/emit_flat.c src/lower/emit_tile.c src/lower/emit_host.c src/lower/simt.h src/lower/simt.c src/lower/emit_simt.c src/lower/flatten.h src/lower/flatten.c src/lower/scalar.h src/lower/scalar.c src/lower/epilogue.h src/lower/epilogue.c src/lower/tf32.h src/lower/tf32.c src/lower/tf32_patch.h src/lower/tf32_patch.c src/lower/emit_tf32_patch.c src/lower/emit_tf32.h src/lower/emit_tf32.c src/lower/emit_tf32_groups.c src/lower/emit_tf32_staged.c src/lower/threads.h src/lower/threads.c \
  src/lower/gemm.h src/lower/gemm.c src/lower/product.h src/lower/product.c src/lower/emit_library.c \
  src/lower/reads.h src/lower/reads.c src/lower/place.h src/lower/place.c src/lower/units.h src/lower/units.c src/lower/trial.h src/lower/trial.c src/lower/verify_text.h src/lower/verify_text.c src/lower/verify.h src/lower/verify.c src/lower/depend.h src/lower/depend.c src/lower/untile.h src/lower/untile.c \
  src/lower/sweep.h src/lower/sweep.c src/lower/join.c src/lower/merge.c src/lower/gaps.c src/lower/follow.c src/lower/beside.h src/lower/beside.c src/lower/emit_follow.c src/lower/scan.c src/lower/pair.c src/lower/emit_pair.c src/lower/emit_sweep.h src/lower/emit_sweep.c src/lower/emit_scan.c src/lower/resolve.h src/lower/resolve.c src/lower/window.h src/lower/window.c src/lower/emit_window.h src/lower/emit_window.c
# the same, with faults that the tests can switch on
check_LIBRARIES += libaslowerfaults.a
libaslowerfaults_a_SOURCES = $(libaslower_a_SOURCES)
nodist_libaslowerfaults_a_SOURCES = $(nodist_libaslower_a_SOURCES)
libaslowerfaults_a_CPPFLAGS = $(AM_CPPFLAGS) -DAS_SEEDED_FAULTS
nodist_libaslower_a_SOURCES = src/lower/prelude.c src/lower/library_prelude.c
src/lower/prelude.c: src/lower/prelude.cuh src/lower/text.sh
	@$(MKDIR_P) src/lower
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/lower/prelude.cuh lo_prelude > $@.tmp && mv $@.tmp $@
src/lower/library_prelude.c: src/lower/library.cuh src/lower/text.sh
	@$(MKDIR_P) src/lower
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/lower/library.cuh lo_library_text > $@.tmp && mv $@.tmp $@
CLEANFILES += src/lower/prelude.c src/lower/library_prelude.c
EXTRA_DIST += src/lower/prelude.cuh src/lower/library.cuh src/lower/text.sh
asemudir = $(pkgdatadir)/emu
dist_asemu_DATA = src/lower/emu/cuda_emu.h src/lower/emu/tf32_emu.h src/lower/emu/memory_emu.h src/lower/emu/threads_emu.h src/lower/emu/tiles_emu.h src/lower/emu/library_emu.h

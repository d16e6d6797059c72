# tile programs of any form as CUDA
noinst_LIBRARIES += libaskernels.a
libaskernels_a_SOURCES = src/kernels/kernels.h src/kernels/kernels_int.h src/kernels/kernels.c src/kernels/plan.c src/kernels/live.c \
  src/kernels/scalar.c src/kernels/emit.c src/kernels/places.c src/kernels/reference.c
nodist_libaskernels_a_SOURCES = src/kernels/prelude.c src/kernels/reference_prelude.c
src/kernels/prelude.c: src/kernels/tiles.cuh src/lower/text.sh
	@$(MKDIR_P) src/kernels
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/kernels/tiles.cuh kt_prelude > $@.tmp && mv $@.tmp $@
src/kernels/reference_prelude.c: src/kernels/reference.cuh src/lower/text.sh
	@$(MKDIR_P) src/kernels
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/src/kernels/reference.cuh kt_reference_prelude > $@.tmp && mv $@.tmp $@
CLEANFILES += src/kernels/prelude.c src/kernels/reference_prelude.c
EXTRA_DIST += src/kernels/tiles.cuh src/kernels/reference.cuh

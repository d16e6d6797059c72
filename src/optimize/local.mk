# One job of `assay optimize`, beside the search.
noinst_LIBRARIES += libasoptimize.a
libasoptimize_a_SOURCES = src/optimize/kept.h src/optimize/kept.c src/optimize/saturated.h src/optimize/saturated.c
libasoptimize_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

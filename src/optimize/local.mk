# One job of `assay optimize`, beside the search.
noinst_LIBRARIES += libasoptimize.a
libasoptimize_a_SOURCES = src/optimize/build_id.h src/optimize/build_id.c src/optimize/kept.h src/optimize/kept.c src/optimize/candidates.h src/optimize/candidates.c src/optimize/about.h src/optimize/about.c src/optimize/choice.h src/optimize/choice.c \
  src/optimize/saturated.h src/optimize/saturated.c src/optimize/offered.h src/optimize/offered.c src/optimize/shard.h src/optimize/shard.c src/optimize/tune.h src/optimize/tune.c
libasoptimize_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

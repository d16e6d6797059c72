# measurements; see ../Makefile.am
# what the search finds for each program of a folder, with time and memory: bench/results/search.md
BENCH_FOLDER = $(top_srcdir)/../shared/data/programs/workloads
BENCH_SECONDS = 60
bench-search: all
	python3 $(srcdir)/bench/search.py $(builddir)/assay $(BENCH_FOLDER) --seconds $(BENCH_SECONDS) --out $(srcdir)/bench/results/search.md
.PHONY: bench-search
# which of Mirage's saved muGraphs the search finds, or what it finds instead: bench/results/topologies.md
if !CHECKER_ONLY
check_PROGRAMS += bench/topologies bench/random_device
bench_topologies_SOURCES = bench/topologies.c
bench_topologies_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bench_topologies_LDADD = libasoptimize.a libascache.a libasguard.a libasreport.a libasexplain.a libastiles.a libassearch.a libastilejudge.a libasjudge.a libassmt.a libasread.a libasprove.a libasmath.a libasfield.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libastile.a libasir.a libastarget.a libck.a libasbase.a \
  $(JANSSON_LIBS) $(Z3_LIBS) $(GLPK_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lpthread -lm
# random programs for a GPU, which bench/random_device.py compiles, runs and compares
bench_random_device_SOURCES = bench/random_device.c tests/lower/random_tensor.h tests/lower/random_tensor.c
bench_random_device_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bench_random_device_LDADD = $(bench_topologies_LDADD)
endif
TOPOLOGY_FOLDER = $(top_srcdir)/../shared/data/mirage-mugraphs
bench-topologies: all bench/topologies
	python3 $(srcdir)/bench/topologies.py $(builddir)/assay $(builddir)/bench/topologies --data $(TOPOLOGY_FOLDER) --out $(srcdir)/bench/results/topologies.md
.PHONY: bench-topologies
# what pruning loses, by exhaustive enumeration: bench/results/exhaustive.md (about 10 minutes)
EXHAUSTIVE_OPERATORS = 3
bench-exhaustive: tests/search/exhaustive
	$(srcdir)/bench/exhaustive.sh $(builddir)/tests/search/exhaustive $(EXHAUSTIVE_OPERATORS) $(srcdir)/bench/exhaustive $(srcdir)/bench/results/exhaustive.md
.PHONY: bench-exhaustive
# parts of the search left out one by one: bench/results/ablation.md
ABLATED = rmsnorm_16 gated_mlp mha gqa_16 qkv
bench-ablation: all
	python3 $(srcdir)/bench/ablation.py $(builddir)/assay $(ABLATED:%=$(BENCH_FOLDER)/%.tp) --out $(srcdir)/bench/results/ablation.md
.PHONY: bench-ablation

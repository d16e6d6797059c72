# measurements; see ../Makefile.am
# what the search finds for each program of a folder, with time and memory: bench/results/search.md
BENCH_FOLDER = $(top_srcdir)/../shared/data/programs/workloads
BENCH_SECONDS = 60
bench-search: all
	python3 $(srcdir)/bench/search.py $(builddir)/assay $(BENCH_FOLDER) --seconds $(BENCH_SECONDS) --out $(srcdir)/bench/results/search.md
.PHONY: bench-search

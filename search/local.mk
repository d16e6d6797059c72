# abstract expressions, enumerator, cost model, driver; see ../Makefile.am
noinst_LIBRARIES += libassearch.a
libassearch_a_SOURCES = search/search.h search/abstract.h search/sg.h search/sg_space.h search/segment.h search/prune_z3.h \
	search/abstract_store.h search/abstract_store.c search/abstract_build.c search/abstract_ask.c search/abstract_pair.c search/abstract_read.c search/match.h search/match.c search/apply.c search/views.c search/carry.c search/part.c search/alike.c search/vocab.c search/space.c search/labels.c search/enumerate.c search/extract.c search/builder.h search/build.c search/split.c \
	search/cost_model.h search/cost.c search/cost_threads.c search/tiling.c search/segment.c search/record.h search/record.c search/topology.h search/topology.c search/limits.h search/driver.h search/search.c search/variant.h search/variant.c search/scheme.c search/order.c search/cuts.h search/cuts.c search/partition.c search/apart.c search/chain.c search/filter.c search/prune_z3.c

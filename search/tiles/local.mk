# equality saturation over tile programs
noinst_LIBRARIES += libastiles.a
libastiles_a_SOURCES = search/tiles/tiles.h search/tiles/tiles.c search/tiles/access.h search/tiles/access.c search/tiles/egraph.h search/tiles/egraph.c \
	search/tiles/rules.h search/tiles/rules.c search/tiles/transform.c search/tiles/roles.h search/tiles/roles.c search/tiles/patterns.h search/tiles/patterns.c \
	search/tiles/algebra.c search/tiles/expand.c search/tiles/axes.h search/tiles/axes.c search/tiles/naive.h search/tiles/naive.c search/tiles/saturate.h \
	search/tiles/prune.c search/tiles/saturate.c search/tiles/extract.h search/tiles/structure.c search/tiles/items.c search/tiles/place.c search/tiles/print.c
nodist_libastiles_a_SOURCES = search/tiles/algebra_text.c search/tiles/expand_text.c
search/tiles/algebra_text.c: search/tiles/algebra.rule src/lower/text.sh
	@$(MKDIR_P) search/tiles
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/search/tiles/algebra.rule tl_algebra_text > $@.tmp && mv $@.tmp $@
search/tiles/expand_text.c: search/tiles/expand.rule src/lower/text.sh
	@$(MKDIR_P) search/tiles
	$(AM_V_GEN)sh $(srcdir)/src/lower/text.sh $(srcdir)/search/tiles/expand.rule tl_expand_text > $@.tmp && mv $@.tmp $@
CLEANFILES += search/tiles/algebra_text.c search/tiles/expand_text.c
EXTRA_DIST += search/tiles/algebra.rule search/tiles/expand.rule

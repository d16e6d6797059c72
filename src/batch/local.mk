# Many claims for one command.
noinst_LIBRARIES += libasbatch.a
libasbatch_a_SOURCES = src/batch/batch.h src/batch/export.h src/batch/rules.h \
  src/batch/export.c src/batch/graphs.c src/batch/rules.c src/batch/rules_report.c src/batch/tiles.h src/batch/tiles.c src/batch/general.h src/batch/general.c src/batch/alike.h src/batch/alike.c src/batch/improve.h src/batch/improve.c
libasbatch_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

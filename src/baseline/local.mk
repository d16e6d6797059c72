# Recorded facts, and what became of them.
noinst_LIBRARIES += libasbaseline.a
libasbaseline_a_SOURCES = src/baseline/baseline.h src/baseline/report.h src/baseline/regress.h \
  src/baseline/baseline.c src/baseline/claim_sha.c src/baseline/collect.c src/baseline/regress.c \
  src/baseline/page.c src/baseline/report.c
libasbaseline_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

# Results verified again.
noinst_LIBRARIES += libascheck.a
libascheck_a_SOURCES = src/check/check.h src/check/check.c src/check/proves.c
libascheck_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

# Certified results kept between runs.
noinst_LIBRARIES += libascache.a
libascache_a_SOURCES = src/cache/cache.h src/cache/cache.c
libascache_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

noinst_LIBRARIES += libasbase.a
libasbase_a_SOURCES = \
  src/base/dtype.h src/base/id.h src/base/lowered.h src/base/err.h src/base/err.c src/base/mem.h src/base/mem.c src/base/blocks.h src/base/blocks.c src/base/vec.h \
  src/base/vec.c src/base/str.h src/base/str.c src/base/rng.h src/base/rng.c src/base/pool.h src/base/pool.c src/base/file.h \
  src/base/file.c src/base/hash.h src/base/hash.c src/base/map.h src/base/map.c src/base/intern.h src/base/interrupt.h src/base/interrupt.c src/base/intern.c \
  src/base/child.h src/base/child.c src/base/lock.h src/base/lock.c src/base/stats.h src/base/stats.c src/base/trace.h src/base/trace.c \
  src/base/progress.h src/base/progress.c src/base/routes.h src/base/routes.c

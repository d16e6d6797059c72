noinst_LIBRARIES += libasbase.a
libasbase_a_SOURCES = \
  src/base/base.h src/base/lowered.h src/base/err.c src/base/arena.c src/base/vec.c src/base/str.c src/base/rng.c src/base/pool.c \
  src/base/file.c src/base/hash.c src/base/child.h src/base/child.c

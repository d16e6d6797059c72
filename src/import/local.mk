# Files of other programs, read and written.
noinst_LIBRARIES += libasimport.a
libasimport_a_SOURCES = src/import/import.h src/import/import.c src/import/mirage.h src/import/mirage_int.h src/import/mirage.c src/import/mirage_block.c \
  src/import/mirage_size.c src/import/mirage_write.c src/import/tile.h src/import/tile.c src/import/written.h src/import/written.c src/import/triton.h src/import/triton_int.h src/import/triton.c src/import/triton_general.c src/import/trinity.h src/import/trinity_int.h src/import/trinity.c src/import/trinity_translate.h src/import/trinity_expr.c src/import/trinity_scratch.c src/import/trinity_tile.c
libasimport_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

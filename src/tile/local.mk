# Tile programs: reader and printer
noinst_LIBRARIES += libastile.a
libastile_a_SOURCES = src/tile/tile.h src/tile/tile_parse.h src/tile/tile_parse.c src/tile/tile_scalar.c src/tile/tile_print.c src/tile/tile_block.c src/tile/tile_of_graph.c

# Tile programs: reader and printer
noinst_LIBRARIES += libastile.a
libastile_a_SOURCES = src/tile/tile.h src/tile/tile_parse.h src/tile/tile_parse.c src/tile/tile_scalar.c src/tile/tile_print.c src/tile/tile_at.c src/tile/tile_block.c src/tile/tile_of_graph.c src/tile/blocks.h src/tile/blocks_int.h src/tile/blocks_build.h src/tile/block_kernels.c src/tile/block_values.c src/tile/block_moves.c src/tile/block_tiles.c src/tile/values.c src/tile/memory.c src/tile/plain.h src/tile/plain_int.h src/tile/plain_places.c src/tile/plain_calls.c src/tile/plain.c src/tile/cuts.c src/tile/blocks.c

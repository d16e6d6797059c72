# judging tile programs by evaluation
noinst_LIBRARIES += libastilejudge.a
libastilejudge_a_SOURCES = verify/tile/side.h verify/tile/side.c verify/tile/tile_judge.h verify/tile/tile_judge.c verify/tile/tile_sizes.h verify/tile/tile_sizes.c verify/tile/tile_compare.h verify/tile/tile_compare.c verify/tile/tile_job.h verify/tile/tile_job.c

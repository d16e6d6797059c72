# judging tile programs by evaluation
noinst_LIBRARIES += libastilejudge.a
libastilejudge_a_SOURCES = verify/tile/side.h verify/tile/side.c verify/tile/tile_judge.h verify/tile/tile_judge.c verify/tile/lanes.h verify/tile/lanes.c verify/tile/tile_compare.h verify/tile/tile_compare.c verify/tile/tile_job.h verify/tile/tile_job.c

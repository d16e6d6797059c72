BUDGETS += tests/lower=295
check_PROGRAMS += tests/lower/test_lower tests/lower/test_defects
tests_lower_case = tests/lower/case.h tests/lower/case.c tests/lower/together.h tests/lower/together.c
tests_lower_gather = tests/lower/gather.h tests/lower/gather.c tests/lower/batch.h tests/lower/batch.c $(tests_lower_case)
tests_lower_libs = libasrt.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libasir.a libastarget.a libasbase.a $(JANSSON_LIBS) $(GLPK_LIBS) $(GMP_LIBS) $(CHECK_LIBS) $(FLINT_LIBS) -lpthread -lm
tests_lower_test_lower_SOURCES = tests/lower/test_lower.c $(tests_lower_case)
tests_lower_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_lower_LDADD = $(tests_lower_libs)
tests_lower_test_defects_SOURCES = tests/lower/test_defects.c $(tests_lower_case)
tests_lower_test_defects_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_defects_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_lower tests/lower/test_defects
check_PROGRAMS += tests/lower/test_cut
tests_lower_test_cut_SOURCES = tests/lower/test_cut.c $(tests_lower_case)
tests_lower_test_cut_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_cut_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_cut
# kernels over whole tensors of 32-bit elements
check_PROGRAMS += tests/lower/test_window
tests_lower_test_window_SOURCES = tests/lower/test_window.c $(tests_lower_case)
tests_lower_test_window_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_window_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_window
check_PROGRAMS += tests/lower/test_sweep
tests_lower_test_sweep_SOURCES = tests/lower/test_sweep.c $(tests_lower_case)
tests_lower_test_sweep_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_sweep_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_sweep
check_PROGRAMS += tests/lower/test_beside
tests_lower_test_beside_SOURCES = tests/lower/test_beside.c $(tests_lower_gather)
tests_lower_test_beside_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_beside_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_beside
# sizes left to run time
check_PROGRAMS += tests/lower/test_live
tests_lower_subject = tests/lower/subject.h tests/lower/subject.c
tests_lower_test_live_SOURCES = tests/lower/test_live.c tests/lower/live_text.h tests/lower/live_text.c $(tests_lower_subject)
tests_lower_test_live_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_live_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_live
# the lowering with a fault in each pass
check_PROGRAMS += tests/lower/test_faults
tests_lower_test_faults_SOURCES = tests/lower/test_faults.c tests/lower/batch.h tests/lower/batch.c $(tests_lower_case)
tests_lower_test_faults_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -DAS_SEEDED_FAULTS
tests_lower_test_faults_LDADD = libasrt.a libaslowerfaults.a $(tests_lower_libs)
TESTS += tests/lower/test_faults
# random programs: 60 here, 200 in `make check-long`; `make -C build random-programs CASES=20000` for a campaign
check_PROGRAMS += tests/lower/random
tests_lower_random_SOURCES = tests/lower/random.c tests/lower/random_text.h tests/lower/random_text.c tests/lower/random_moves.c tests/lower/random_real.c tests/lower/convolutions.h tests/lower/batch.h tests/lower/batch.c
tests_lower_random_CPPFLAGS = $(AM_CPPFLAGS)
tests_lower_random_LDADD = libasprove.a libasmath.a libck.a $(tests_lower_libs)
TESTS += tests/lower/random
CASES = 20000
SEED = 1
real-programs: tests/lower/random
	$(AM_TESTS_ENVIRONMENT) nice tests/lower/random --real --cases $(CASES) --seed $(SEED) --batch 40
random-programs: tests/lower/random
	$(AM_TESTS_ENVIRONMENT) nice tests/lower/random --cases $(CASES) --seed $(SEED) --batch 200
# random tensor programs over the options, with an evaluator of their own: of 300 every sixth runs here, all of 20,000 in
# `make check-long`; parts of a campaign on other machines by FIRST
check_PROGRAMS += tests/lower/test_options
tests_lower_test_options_SOURCES = tests/lower/test_options.c tests/lower/random_tensor.h tests/lower/random_tensor.c tests/lower/random_tensor_value.c tests/lower/batch.h tests/lower/batch.c
tests_lower_test_options_CPPFLAGS = $(AM_CPPFLAGS)
tests_lower_test_options_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_options
FIRST = 0
options-programs: tests/lower/test_options
	$(AM_TESTS_ENVIRONMENT) nice tests/lower/test_options --first $(FIRST) --cases $(CASES) --seed $(SEED) --every 1 --beside `nproc`
# scans, and integers that are data
check_PROGRAMS += tests/lower/test_places
tests_lower_test_places_SOURCES = tests/lower/test_places.c $(tests_lower_case)
tests_lower_test_places_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_places_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_places
# products of warpgroups
check_PROGRAMS += tests/lower/test_group
tests_lower_test_group_SOURCES = tests/lower/test_group.c $(tests_lower_case)
tests_lower_test_group_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_group_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_group
check_PROGRAMS += tests/lower/test_left
tests_lower_test_left_SOURCES = tests/lower/test_left.c $(tests_lower_case)
tests_lower_test_left_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_left_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_left
# index tensors, which are no kernels
check_PROGRAMS += tests/lower/test_index
tests_lower_test_index_SOURCES = tests/lower/test_index.c $(tests_lower_case)
tests_lower_test_index_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_index_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_index
# products that are calls of a library, which a stub stands for
check_PROGRAMS += tests/lower/test_library tests/lower/test_gemm
tests_lower_test_library_SOURCES = tests/lower/test_library.c $(tests_lower_subject)
tests_lower_test_library_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_library_LDADD = $(tests_lower_libs)
tests_lower_test_gemm_SOURCES = tests/lower/test_gemm.c
tests_lower_test_gemm_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_gemm_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_library tests/lower/test_gemm
EXTRA_DIST += tests/lower/stub_library.cc
# tile programs of any form
check_PROGRAMS += tests/lower/test_tiles
tests_lower_test_tiles_SOURCES = tests/lower/test_tiles.c
tests_lower_test_tiles_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_tiles_LDADD = libaskernels.a libaswrite.a libasrt.a libaslower.a libasthreads.a libasvthreads.a libastg.a libassem.a libastile.a libasir.a libastarget.a libasbase.a $(JANSSON_LIBS) $(GLPK_LIBS) $(GMP_LIBS) $(CHECK_LIBS) $(FLINT_LIBS) -lpthread -lm
TESTS += tests/lower/test_tiles
EXTRA_DIST += tests/lower/tiles/swap.tile tests/lower/tiles/softmax.tile tests/lower/tiles/gather.tile tests/lower/tiles/labels.tile tests/lower/tiles/norm.tile tests/lower/tiles/large.tile tests/lower/tiles/scratch.tile tests/lower/tiles/shared.tile
# tensors that are parts of others in memory
check_PROGRAMS += tests/lower/test_parts
tests_lower_test_parts_SOURCES = tests/lower/test_parts.c $(tests_lower_case)
tests_lower_test_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_parts_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_parts
# contractions by register tiles
check_PROGRAMS += tests/lower/test_simt
tests_lower_test_simt_SOURCES = tests/lower/test_simt.c tests/lower/convolutions.h $(tests_lower_case)
tests_lower_test_simt_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_simt_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_simt
# contractions on tensor cores with factors rounded to TF32
check_PROGRAMS += tests/lower/test_tf32
tests_lower_test_tf32_SOURCES = tests/lower/test_tf32.c $(tests_lower_gather)
tests_lower_test_tf32_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_tf32_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_tf32
# numbers that are large, small or close to each other
check_PROGRAMS += tests/lower/test_stable
tests_lower_test_stable_SOURCES = tests/lower/test_stable.c tests/lower/batch.h tests/lower/batch.c $(tests_lower_case)
tests_lower_test_stable_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_lower_test_stable_LDADD = $(tests_lower_libs)
TESTS += tests/lower/test_stable
# these are about what kernels compute, and take their time to compile them; the other tests lower the same forms (tests/suite.h, test_kernels_run)
NOT_SANITIZED += tests/lower/test_options tests/lower/test_live tests/lower/test_gemm tests/lower/test_tiles tests/lower/test_faults tests/lower/random tests/lower/test_planted
# faults planted in planning and printing, which the verification of the text or the trial refuses
check_PROGRAMS += tests/lower/test_planted
tests_lower_test_planted_SOURCES = tests/lower/test_planted.c $(tests_lower_case)
tests_lower_test_planted_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -DAS_SEEDED_FAULTS
tests_lower_test_planted_LDADD = libasrt.a libaslowerfaults.a $(tests_lower_libs)
TESTS += tests/lower/test_planted

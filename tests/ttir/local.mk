# kernels of Triton: what is read, what it is read as
check_PROGRAMS += tests/ttir/probes
TESTS += tests/ttir/test_triton.sh
tests_ttir_probes_SOURCES = tests/ttir/probes.c
tests_ttir_probes_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ttir_probes_LDADD = libasimport.a libaswrite.a libasttir.a libassem.a libastile.a libasir.a libasbase.a $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
FAST_TESTS += tests/ttir/test_triton.sh
EXTRA_DIST += tests/ttir/test_triton.sh tests/ttir/cases/scaled_add.ttir tests/ttir/cases/scaled_add.tp tests/ttir/cases/scaled_add.tile tests/ttir/cases/scaled_subtract.ttir \
  tests/ttir/cases/scaled_add_one_too_many.ttir tests/ttir/cases/row_softmax.ttir tests/ttir/cases/row_softmax.tp tests/ttir/cases/row_softmax.tile tests/ttir/cases/running.ttir \
  tests/ttir/cases/running.json tests/ttir/cases/running.tile tests/ttir/cases/block_product.sem tests/ttir/cases/block_product.tp tests/ttir/cases/block_product.ttir \
  tests/ttir/cases/block_product_skewed.ttir tests/ttir/cases/shifted_rows.tile tests/ttir/cases/shifted_rows.ttir tests/ttir/cases/masked_index.ttir tests/ttir/cases/masked_index.tp
TESTS += tests/ttir/test_own.sh
EXTRA_DIST += tests/ttir/test_own.sh tests/ttir/own/add_rms_norm.tile tests/ttir/own/add_rms_norm.ttir tests/ttir/own/attention.tp tests/ttir/own/attention.ttir tests/ttir/own/batched_matvec.tp tests/ttir/own/batched_matvec.ttir tests/ttir/own/conv1d_causal.tp tests/ttir/own/conv1d_causal.ttir tests/ttir/own/cross_entropy.tp tests/ttir/own/cross_entropy.ttir tests/ttir/own/cumsum.tp tests/ttir/own/cumsum.ttir tests/ttir/own/embedding.tp tests/ttir/own/embedding.ttir tests/ttir/own/group_norm.tp tests/ttir/own/group_norm.ttir tests/ttir/own/int8_matmul.tp tests/ttir/own/int8_matmul.ttir tests/ttir/own/kernels.py tests/ttir/own/kl_div.tp tests/ttir/own/kl_div.ttir tests/ttir/own/launches tests/ttir/own/layer_norm.tp tests/ttir/own/layer_norm.ttir tests/ttir/own/layer_norm_moments.tp tests/ttir/own/layer_norm_moments.ttir tests/ttir/own/layer_norm_welford.tp tests/ttir/own/layer_norm_welford.ttir tests/ttir/own/layer_norm_welford_looped.tp tests/ttir/own/layer_norm_welford_looped.ttir tests/ttir/own/linear_gelu.tp tests/ttir/own/linear_gelu.ttir tests/ttir/own/max_pool.tp tests/ttir/own/max_pool.ttir tests/ttir/own/max_pool_padded.tp tests/ttir/own/max_pool_padded.ttir tests/ttir/own/own.sem tests/ttir/own/quantise.tp tests/ttir/own/quantise.ttir tests/ttir/own/rms_norm.tp tests/ttir/own/rms_norm.ttir tests/ttir/own/rotary_halves.tile tests/ttir/own/rotary_halves.ttir tests/ttir/own/rotary_pairs.tp tests/ttir/own/rotary_pairs.ttir tests/ttir/own/softmax_online.tp tests/ttir/own/softmax_online.ttir tests/ttir/own/split_k_parts.tp tests/ttir/own/split_k_parts.ttir tests/ttir/own/split_k_sum.tp tests/ttir/own/split_k_sum.ttir tests/ttir/own/swiglu.tp tests/ttir/own/swiglu.ttir tests/ttir/own/swiglu_backward.tp tests/ttir/own/swiglu_backward.ttir tests/ttir/own/transpose.tp tests/ttir/own/transpose.ttir tests/ttir/own/wrong
TESTS += tests/ttir/test_near.sh
FAST_TESTS += tests/ttir/test_near.sh
EXTRA_DIST += tests/ttir/test_near.sh

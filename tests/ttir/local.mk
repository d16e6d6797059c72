# kernels of Triton: what is read, what it is read as
BUDGETS += tests/ttir=60
check_PROGRAMS += tests/ttir/probes
TESTS += tests/ttir/test_triton.sh tests/ttir/test_lanes.sh tests/ttir/test_literals.sh tests/ttir/test_order.sh
tests_ttir_probes_SOURCES = tests/ttir/probes.c
tests_ttir_probes_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_ttir_probes_LDADD = libasimport.a libaswrite.a libasttir.a libassem.a libastile.a libasir.a libasbase.a $(JANSSON_LIBS) $(FLINT_LIBS) $(GMP_LIBS) -lm -lpthread
FAST_HELPERS += tests/ttir/probes
FAST_TESTS += tests/ttir/test_triton.sh tests/ttir/test_lanes.sh tests/ttir/test_literals.sh tests/ttir/test_order.sh
EXTRA_DIST += tests/ttir/test_triton.sh tests/ttir/test_lanes.sh tests/ttir/test_literals.sh tests/ttir/test_order.sh tests/ttir/cases/scaled_add.ttir tests/ttir/cases/scaled_add.tp tests/ttir/cases/scaled_add.tile tests/ttir/cases/scaled_subtract.ttir \
  tests/ttir/cases/scaled_add_one_too_many.ttir tests/ttir/cases/row_softmax.ttir tests/ttir/cases/row_softmax.tp tests/ttir/cases/row_softmax.tile tests/ttir/cases/running.ttir \
  tests/ttir/cases/running.json tests/ttir/cases/running.tile tests/ttir/cases/block_product.sem tests/ttir/cases/block_product.tp tests/ttir/cases/block_product.ttir \
  tests/ttir/cases/block_product_skewed.ttir tests/ttir/cases/shifted_rows.tile tests/ttir/cases/shifted_rows.ttir tests/ttir/cases/masked_index.ttir tests/ttir/cases/masked_index.tp
TESTS += tests/ttir/test_own.sh
EXTRA_DIST += tests/ttir/test_own.sh tests/ttir/own/add_rms_norm.tile tests/ttir/own/add_rms_norm.ttir tests/ttir/own/attention.tp tests/ttir/own/attention.ttir tests/ttir/own/batched_matvec.tp tests/ttir/own/batched_matvec.ttir tests/ttir/own/conv1d_causal.tp tests/ttir/own/conv1d_causal.ttir tests/ttir/own/cross_entropy.tp tests/ttir/own/cross_entropy.ttir tests/ttir/own/cumsum.tp tests/ttir/own/cumsum.ttir tests/ttir/own/embedding.tp tests/ttir/own/embedding.ttir tests/ttir/own/group_norm.tp tests/ttir/own/group_norm.ttir tests/ttir/own/int8_matmul.tp tests/ttir/own/int8_matmul.ttir tests/ttir/own/kernels.py tests/ttir/own/more_kernels.py tests/ttir/own/kl_div.tp tests/ttir/own/kl_div.ttir tests/ttir/own/launches tests/ttir/own/layer_norm.tp tests/ttir/own/layer_norm.ttir tests/ttir/own/layer_norm_moments.tp tests/ttir/own/layer_norm_moments.ttir tests/ttir/own/layer_norm_welford.tp tests/ttir/own/layer_norm_welford.ttir tests/ttir/own/layer_norm_welford_looped.tp tests/ttir/own/layer_norm_welford_looped.ttir tests/ttir/own/linear_gelu.tp tests/ttir/own/linear_gelu.ttir tests/ttir/own/max_pool.tp tests/ttir/own/max_pool.ttir tests/ttir/own/max_pool_padded.tp tests/ttir/own/max_pool_padded.ttir tests/ttir/own/own.sem tests/ttir/own/quantise.tp tests/ttir/own/quantise.ttir tests/ttir/own/rms_norm.tp tests/ttir/own/rms_norm.ttir tests/ttir/own/rotary_halves.tile tests/ttir/own/rotary_halves.ttir tests/ttir/own/rotary_pairs.tp tests/ttir/own/rotary_pairs.ttir tests/ttir/own/softmax_online.tp tests/ttir/own/softmax_online.ttir tests/ttir/own/split_k_parts.tp tests/ttir/own/split_k_parts.ttir tests/ttir/own/split_k_sum.tp tests/ttir/own/split_k_sum.ttir tests/ttir/own/swiglu.tp tests/ttir/own/swiglu.ttir tests/ttir/own/swiglu_backward.tp tests/ttir/own/swiglu_backward.ttir tests/ttir/own/transpose.tp tests/ttir/own/transpose.ttir tests/ttir/own/wrong tests/ttir/own/softmax_rows.tp tests/ttir/own/softmax_rows.ttir tests/ttir/own/matmul_leaky.tp tests/ttir/own/matmul_leaky.ttir tests/ttir/own/matmul_wrapped.tp tests/ttir/own/matmul_wrapped.ttir tests/ttir/own/layer_norm_dx.tp tests/ttir/own/layer_norm_dx.ttir tests/ttir/own/column_sums.tp tests/ttir/own/column_sums.ttir tests/ttir/own/batch_norm.tp tests/ttir/own/batch_norm.ttir tests/ttir/own/channel_means.tp tests/ttir/own/channel_means.ttir tests/ttir/own/avg_pool.tp tests/ttir/own/avg_pool.ttir tests/ttir/own/upsample.tp tests/ttir/own/upsample.ttir tests/ttir/own/cross_entropy_backward.tp tests/ttir/own/cross_entropy_backward.ttir tests/ttir/own/cross_entropy_online.tp tests/ttir/own/cross_entropy_online.ttir tests/ttir/own/rms_norm_backward.tp tests/ttir/own/rms_norm_backward.ttir tests/ttir/own/rope_heads.tp tests/ttir/own/rope_heads.ttir tests/ttir/own/masked_mean.tp tests/ttir/own/masked_mean.ttir tests/ttir/own/smooth_loss.tp tests/ttir/own/smooth_loss.ttir tests/ttir/own/cosine.tp tests/ttir/own/cosine.ttir tests/ttir/own/attention_causal.tp tests/ttir/own/attention_causal.ttir
EXTRA_DIST += tests/ttir/own/tiled_kernels.py tests/ttir/own/rotary_tiles.tp tests/ttir/own/rotary_tiles.ttir tests/ttir/own/add_rows.tile tests/ttir/own/add_rows.ttir tests/ttir/own/softmax_lanes.tp tests/ttir/own/softmax_lanes.ttir
EXTRA_DIST += tests/ttir/own/tokens_normed.tp tests/ttir/own/tokens_normed.ttir
TESTS += tests/ttir/test_near.sh
FAST_TESTS += tests/ttir/test_near.sh
EXTRA_DIST += tests/ttir/test_near.sh
TESTS += tests/ttir/test_masked.sh
EXTRA_DIST += tests/ttir/test_masked.sh tests/ttir/masked/kernels.py tests/ttir/masked/nothing.ttir tests/ttir/masked/nothing_guarded.ttir \
  tests/ttir/masked/strict.ttir tests/ttir/masked/strict_guarded.ttir tests/ttir/masked/window.ttir tests/ttir/masked/window_guarded.ttir \
  tests/ttir/masked/times_zero.ttir tests/ttir/masked/bytes_product.ttir tests/ttir/masked/quotients.ttir tests/ttir/masked/first_place.ttir \
  tests/ttir/masked/far_rows.ttir
TESTS += tests/ttir/test_sizes.sh
FAST_TESTS += tests/ttir/test_masked.sh
EXTRA_DIST += tests/ttir/test_masked.sh tests/ttir/masked/kernels.py tests/ttir/masked/nothing.ttir tests/ttir/masked/nothing_guarded.ttir \
  tests/ttir/masked/strict.ttir tests/ttir/masked/strict_guarded.ttir tests/ttir/masked/window.ttir tests/ttir/masked/window_guarded.ttir \
  tests/ttir/masked/times_zero.ttir tests/ttir/masked/bytes_product.ttir tests/ttir/masked/quotients.ttir tests/ttir/masked/first_place.ttir \
  tests/ttir/masked/far_rows.ttir
TESTS += tests/ttir/test_sizes.sh
EXTRA_DIST += tests/ttir/test_sizes.sh tests/ttir/sizes/launches tests/ttir/sizes/wrong tests/ttir/sizes/batched_matvec.tp tests/ttir/sizes/column_sums.tp tests/ttir/sizes/cosine.tp tests/ttir/sizes/cumsum.tp tests/ttir/sizes/masked_mean.tp tests/ttir/sizes/matmul_wrapped.tp tests/ttir/sizes/rms_norm.tp tests/ttir/sizes/softmax_online.tp tests/ttir/sizes/swiglu.tp tests/ttir/sizes/transpose.tp
TESTS += tests/ttir/test_blocks.sh
EXTRA_DIST += tests/ttir/test_blocks.sh
EXTRA_DIST += tests/ttir/own/window_kernels.py tests/ttir/own/windows.sem tests/ttir/own/max_pool_dilated.tp tests/ttir/own/max_pool_dilated.ttir tests/ttir/own/max_pool_wide.tp tests/ttir/own/max_pool_wide.ttir tests/ttir/own/max_pool_same.tp tests/ttir/own/max_pool_same.ttir tests/ttir/own/min_pool_ceil.tp tests/ttir/own/min_pool_ceil.ttir tests/ttir/own/avg_pool_padded.tp \
  tests/ttir/own/avg_pool_padded.ttir tests/ttir/own/avg_pool_counted.tp tests/ttir/own/avg_pool_counted.ttir tests/ttir/own/row_amounts.tp tests/ttir/own/row_amounts.ttir
EXTRA_DIST += tests/ttir/own/model_kernels.py tests/ttir/own/field_kernels.py tests/ttir/own/models.sem tests/ttir/own/attention_alibi.tp tests/ttir/own/attention_alibi.ttir \
  tests/ttir/own/attention_joined.tp tests/ttir/own/attention_joined.ttir tests/ttir/own/attention_described.tp tests/ttir/own/attention_described.ttir \
  tests/ttir/own/group_norm_last.tp tests/ttir/own/group_norm_last.ttir tests/ttir/own/layer_norm_dw_parts.tp tests/ttir/own/layer_norm_dw_parts.ttir tests/ttir/own/l2_normed.tp \
  tests/ttir/own/l2_normed.ttir tests/ttir/own/cross_entropy_smoothed.tp tests/ttir/own/cross_entropy_smoothed.ttir tests/ttir/own/bce_logits.tp tests/ttir/own/bce_logits.ttir \
  tests/ttir/own/adam_step.tile tests/ttir/own/adam_step.ttir tests/ttir/own/geglu_tanh.tp tests/ttir/own/geglu_tanh.ttir tests/ttir/own/qk_norm_rope.tp \
  tests/ttir/own/qk_norm_rope.ttir tests/ttir/own/linear_attention.tp tests/ttir/own/linear_attention.ttir tests/ttir/own/moe_gathered.tp tests/ttir/own/moe_gathered.ttir \
  tests/ttir/own/block_scaled_matmul.tp tests/ttir/own/block_scaled_matmul.ttir tests/ttir/own/embedding_bag_fixed.tp tests/ttir/own/embedding_bag_fixed.ttir \
  tests/ttir/own/pixels_shuffled.tp tests/ttir/own/pixels_shuffled.ttir tests/ttir/own/poi_gelu_add.tp tests/ttir/own/poi_gelu_add.ttir tests/ttir/own/red_softmax.tp \
  tests/ttir/own/red_softmax.ttir tests/ttir/own/per_var_mean.tp tests/ttir/own/per_var_mean.ttir tests/ttir/own/scaled_groups.tp tests/ttir/own/scaled_groups.ttir \
  tests/ttir/own/batched_permute.tp tests/ttir/own/batched_permute.ttir tests/ttir/own/persistent_matmul.tp tests/ttir/own/persistent_matmul.ttir tests/ttir/own/conv_implicit.tp tests/ttir/own/conv_implicit.ttir
TESTS += tests/ttir/test_nan.sh
FAST_TESTS += tests/ttir/test_nan.sh
EXTRA_DIST += tests/ttir/test_nan.sh

# What is installed beside the programs, and what belongs to the source package without being compiled.
semdir = $(pkgdatadir)/semantics
dist_sem_DATA = \
  semantics/elementwise.sem semantics/index.sem semantics/linear.sem semantics/logic.sem semantics/normalize.sem semantics/reduce.sem \
  semantics/scale.sem semantics/scan.sem semantics/shape.sem semantics/window.sem
exampledir = $(pkgdatadir)/examples
dist_example_DATA = \
  examples/gated_mixer.tp examples/gated_mixer.mug examples/gated_mlp.tp examples/gated_mlp.mug examples/gqa.tp examples/gqa.mug \
  examples/layernorm_linear.tp examples/layernorm_linear.mug examples/lora.tp examples/lora.mug \
  examples/rmsnorm_linear.tp examples/rmsnorm_linear.mug
ownexampledir = $(pkgdatadir)/examples/own_operator
dist_ownexample_DATA = examples/own_operator/capped.sem examples/own_operator/capped_logits.tp examples/own_operator/capped_logits.mug
axonexampledir = $(pkgdatadir)/examples/axon
dist_axonexample_DATA = \
  examples/axon/cumsum.tp examples/axon/glu.tp examples/axon/gqa.tp examples/axon/matmul.tp examples/axon/matmul_add_rmsnorm.tp \
  examples/axon/matmul_matmul_silu_mul.tp examples/axon/maxpool.tp examples/axon/multiply.tp examples/axon/qkv_projection.tp \
  examples/axon/relu.tp examples/axon/rmsnorm.tp examples/axon/rmsnorm_matmul.tp examples/axon/rope.tp examples/axon/silu.tp \
  examples/axon/silu_mlp.tp examples/axon/softmax.tp examples/axon/softmax_matmul.tp examples/axon/swiglu.tp \
  examples/axon/swiglu_mlp.tp examples/axon/transpose_matmul.tp
trinityexampledir = $(pkgdatadir)/examples/trinity
dist_trinityexample_DATA = \
  examples/trinity/vanilla_llama.tp examples/trinity/prenorm_llama.tp examples/trinity/qknorm_llama.tp examples/trinity/keyformer_llama.tp \
  examples/trinity/roco_llama.tp examples/trinity/swiglu_llama.tp examples/trinity/vanilla_falcon.tp examples/trinity/prenorm_falcon.tp \
  examples/trinity/qknorm_falcon.tp examples/trinity/keyformer_falcon.tp examples/trinity/roco_falcon.tp examples/trinity/swiglu_falcon.tp
ruleexampledir = $(pkgdatadir)/examples/rules
dist_ruleexample_DATA = \
  examples/rules/axon.rule examples/rules/folklore.rule examples/rules/language.rule examples/rules/mirage.rule examples/rules/mutants.rule examples/rules/probes.rule \
  examples/rules/statements.rule \
  examples/rules/taso.rule examples/rules/tensat.rule examples/rules/tensorright.rule examples/rules/trinity.rule examples/rules/unlisted.rule \
  examples/rules/upstream.rule
mirageexampledir = $(pkgdatadir)/examples/mirage
dist_mirageexample_DATA = \
  examples/mirage/gated_mlp.tp examples/mirage/gqa.tp examples/mirage/lora.tp examples/mirage/mha.tp examples/mirage/mqa.tp \
  examples/mirage/ntrans.tp examples/mirage/rmsnorm.tp \
  examples/mirage/gated_mlp.mug examples/mirage/gated_mlp_plain.mug examples/mirage/gqa.mug examples/mirage/lora.mug examples/mirage/mha.mug \
  examples/mirage/mha_plain.mug examples/mirage/mqa.mug examples/mirage/mqa_split.mug examples/mirage/ntrans.mug examples/mirage/rmsnorm.mug \
  examples/mirage/gated_mlp.json examples/mirage/gated_mlp_plain.json examples/mirage/gqa.json examples/mirage/lora.json \
  examples/mirage/mha.json examples/mirage/mha_plain.json examples/mirage/mqa.json examples/mirage/mqa_split.json examples/mirage/ntrans.json \
  examples/mirage/rmsnorm.json
seconddir = $(pkgdatadir)/proofs/second
dist_second_DATA = \
  proofs/second/__init__.py proofs/second/__main__.py proofs/second/certificate.py proofs/second/claim.py proofs/second/grammar.py \
  proofs/second/kernels.py proofs/second/library.py proofs/second/rules.py proofs/second/scalars.py proofs/second/sizes.py proofs/second/terms.py proofs/second/tiles.py
dist_doc_DATA = README.md docs/architecture.md docs/attacks.md docs/cheats.md docs/floats.md docs/found.md docs/language.md docs/mirage.md docs/pytorch.md docs/saturation.md docs/search.md docs/threads.md docs/triton.md docs/trust.md \
  semantics/SEMANTICS.md proofs/CLAIM.md proofs/RULES.md proofs/FORMAT.md
EXTRA_DIST += CONTRIBUTING.md docs bench LICENSE autogen.sh quickstart .ci/run .clang-format tests/lint.sh tests/lint.py tests/layers

# a build finds its own specifications beside its programs, whatever is installed
all-local: semantics-beside
semantics-beside:
	@$(MKDIR_P) semantics && for f in $(dist_sem_DATA); do test -e "$$f" || $(LN_S) '$(abs_srcdir)'/"$$f" "$$f"; done
distclean-local:
	@for f in $(dist_sem_DATA); do test ! -L "$$f" || rm -f "$$f"; done
.PHONY: semantics-beside

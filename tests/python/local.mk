# the Python package; skipped where no PyTorch is
BUDGETS += tests/python=300
TESTS += tests/python/test_python.sh
EXTRA_DIST += tests/python/test_python.sh tests/python/certify.py tests/python/near_misses.py tests/python/near_families.py tests/python/near_blocks.py tests/python/cheats.py tests/python/pairs.py tests/python/pairs_more.py tests/python/rows.py tests/python/use.py tests/python/odd.py tests/python/backend.py tests/python/borders.py tests/python/attention.py tests/python/measured.py tests/python/onnx_agreement.py tests/python/onnx_cases.py tests/python/onnx_optimized.py tests/python/types_and_classes.py tests/python/install.sh \
  python/pyproject.toml python/assay/torch_ops.sem \
  python/assay/__init__.py python/assay/__main__.py python/assay/attention.py python/assay/backend.py \
  python/assay/cache.py python/assay/compare.py python/assay/compiled.py python/assay/constants.py python/assay/copies.py \
  python/assay/custom.py python/assay/direct.py python/assay/dispatched.py python/assay/elementwise.py python/assay/eager.py python/assay/equality.py \
  python/assay/asked.py python/assay/attention_step.py python/assay/contested.py python/assay/measured.py python/assay/errors.py python/assay/exporting.py python/assay/first_call.py python/assay/fixed_extents.py python/assay/frames.py python/assay/gradient.py python/assay/indexing.py \
  python/assay/islands.py python/assay/kernels.py python/assay/masking.py python/assay/memory.py python/assay/nodes.py python/assay/onnx_integers.py python/assay/onnx_model.py python/assay/onnx_more.py python/assay/onnx_table.py \
  python/assay/named.py python/assay/narrow.py python/assay/once.py python/assay/operators.py python/assay/pairing.py python/assay/path.py python/assay/program.py python/assay/questions.py python/assay/rerun.py python/assay/rewrite.py python/assay/rounding.py python/assay/running.py python/assay/sequences.py python/assay/softmaxes.py python/assay/shared_constants.py python/assay/state.py python/assay/table.py python/assay/tool.py python/assay/total.py \
  python/assay/translate.py python/assay/trials.py python/assay/values.py python/assay/whole.py python/assay/windows.py
# the same in a fresh virtual environment, with PyTorch from the package index: 3 GB, so asked for by name
check-python: all
	rm -rf python-venv && $(PYTHON3) -m venv python-venv && python-venv/bin/pip install -q $(srcdir)/python
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/python/test_python.sh PYTHON=$(abs_builddir)/python-venv/bin/python

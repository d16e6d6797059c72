# the evaluators; see ../Makefile.am
noinst_LIBRARIES += libassem.a
libassem_a_SOURCES = semantics/numbers.h semantics/numbers.c semantics/domain.h semantics/domain_plain.c semantics/domain_interval.c semantics/domain_bounds.c semantics/domain_point.c semantics/domain_float.h semantics/domain_float.c semantics/domain_field.h semantics/domain_field.c semantics/field_degrees.h semantics/field_degrees.c semantics/field_primes.c \
	semantics/eval.h semantics/eval_code.h semantics/eval_codes.h semantics/eval_codes.c semantics/eval_cover.c semantics/eval_compile.c semantics/eval_run.c semantics/eval_tensor.c semantics/eval_machine.h semantics/eval_node.c semantics/eval_block.c semantics/eval_work.c semantics/eval.c semantics/eval_text.h semantics/eval_text.c semantics/sample.h semantics/sample.c semantics/agree.c semantics/spec_check.h semantics/spec_check.c \
	semantics/tile_eval.h semantics/tile_machine.h semantics/tile_eval.c semantics/tile_scalar_eval.c

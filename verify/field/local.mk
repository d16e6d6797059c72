# field test, refuter; see ../Makefile.am
noinst_LIBRARIES += libasfield.a
libasfield_a_SOURCES = verify/field/field.h verify/field/field.c verify/field/field_report.c verify/field/identical.h verify/field/identical.c verify/refute/instance.h verify/refute/instance.c \
	verify/refute/refute.h verify/refute/refute.c verify/refute/compare.c verify/refute/rule_refute.h verify/refute/rule_refute.c \
	verify/refute/rule_assume.h verify/refute/rule_assume.c verify/refute/rule_solve.h verify/refute/rule_solve.c verify/refute/rule_inputs.h verify/refute/rule_inputs.c verify/refute/constants.h verify/refute/constants.c verify/refute/draws.h verify/refute/draws.c verify/field/term_eval.h verify/field/term_eval.c

# Triton's kernels: reader, and what they compute as tile programs
noinst_LIBRARIES += libasttir.a
libasttir_a_SOURCES = src/ttir/ttir.h src/ttir/ttir_parse.c src/ttir/ttir_attribute.c src/ttir/ttir_launch.c src/ttir/ttir_node.h src/ttir/ttir_node.c src/ttir/ttir_truth.c src/ttir/ttir_lift.h src/ttir/ttir_lift.c src/ttir/ttir_literal.c \
  src/ttir/ttir_size.c src/ttir/ttir_elementwise.c src/ttir/ttir_structural.c src/ttir/ttir_control.h src/ttir/ttir_control.c src/ttir/ttir_reduce.c src/ttir/ttir_moments.c src/ttir/ttir_place.c src/ttir/ttir_lanes.c \
  src/ttir/ttir_check.c src/ttir/ttir_general.h src/ttir/ttir_general.c src/ttir/ttir_read.c src/ttir/ttir_order.h src/ttir/ttir_order.c src/ttir/ttir_uses.c src/ttir/ttir_partial.c src/ttir/ttir_commutes.c src/ttir/ttir_range.c src/ttir/ttir_digits.c
libasttir_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

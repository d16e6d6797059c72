# Tile programs written for other systems: TensorIR, Triton
noinst_LIBRARIES += libaswrite.a
libaswrite_a_SOURCES = src/write/write.h src/write/flat.h src/write/flat_int.h src/write/flat.c src/write/flat_expr.c src/write/flat_spec.c src/write/flat_places.c \
  src/write/words.h src/write/words.c src/write/tensorir.c src/write/triton_int.h src/write/triton.c src/write/triton_kernel.c

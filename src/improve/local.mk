# Kernels of Triton made cheaper
noinst_LIBRARIES += libasimprove.a
libasimprove_a_SOURCES = src/improve/improve.h src/improve/node.h src/improve/node.c src/improve/print.c src/improve/effect.c src/improve/merge.c \
  src/improve/loop.c src/improve/divide.c src/improve/improve.c

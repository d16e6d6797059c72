noinst_LIBRARIES += libasir.a
libasir_a_SOURCES = src/ir/size.h src/ir/size.c src/ir/size_print.c

# one row per GPU
noinst_LIBRARIES += libastarget.a
libastarget_a_SOURCES = src/target/target.h src/target/target.c src/target/choice.c src/target/simt.c src/target/tf32.c src/target/product.c src/target/window.c

# A command line as rows of tables.
noinst_LIBRARIES += libasoptions.a
libasoptions_a_SOURCES = src/options/options.h src/options/row.h src/options/parse.c src/options/print.c

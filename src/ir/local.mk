noinst_LIBRARIES += libasir.a
libasir_a_SOURCES = src/ir/size.h src/ir/size.c src/ir/size_print.c src/ir/lex.h src/ir/lex.c src/ir/builtin.h src/ir/builtin.c src/ir/opdef.h src/ir/oplib_int.h \
  src/ir/oplib.c src/ir/sem_parse.c src/ir/sem_check.c src/ir/opdef_print.c src/ir/opdef_match.c src/ir/graph.h src/ir/graph_int.h \
  src/ir/graph.c src/ir/graph_size.c src/ir/graph_build.c src/ir/graph_text.c src/ir/graph_degrees.h src/ir/graph_degrees.c src/ir/graph_types.h src/ir/graph_types.c src/ir/graph_at.c src/ir/expr_parse.h src/ir/expr_parse.c src/ir/axes_parse.c src/ir/index_range.c src/ir/index_tensor.c src/ir/strided.c src/ir/names.h src/ir/names.c \
  src/ir/stable.h src/ir/stable.c src/ir/tp_parse.c src/ir/mug_parse.c src/ir/rule.h src/ir/rule_parse.c src/ir/rule_text.c

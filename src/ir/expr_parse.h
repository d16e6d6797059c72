/* The expression grammar that .tp and .mug share, over a graph being built.  May include: ir/lex.h,
 * ir/graph_int.h. Called by tp_parse.c, mug_parse.c, rule_parse.c,
 * src/tile. */
#ifndef AS_IR_EXPR_PARSE_H
#define AS_IR_EXPR_PARSE_H
#include "graph_int.h"
#include "lex.h"

typedef struct {
  as_lexed *lexed;
  as_graph *graph;
  uint32_t block;
  bool ranges; /* sizes may be left to run time: `sizes B <= 64` */
} as_gparser;

bool as_gp_use(as_lexed *lexed, as_oplib *lib,
               char **path); /* after `use`: loads the file; its path as written, malloc'ed */
as_size as_gp_size(as_gparser *parser); /* AS_SIZE_BAD with err */
/* the extents of a tile: as_gp_dims, each of which may have `upto` and the tensor's extent behind
 * it (AS_SIZE_BAD: it has not); whole NULL: none may */
bool as_gp_tile(as_gparser *parser, as_size *dim, as_size *whole, uint32_t *rank);
bool as_gp_dims(as_gparser *parser, as_size *dim, uint32_t *rank);
bool as_gp_sizes(as_gparser *parser); /* after the word `sizes` */
bool as_gp_where(as_gparser *parser,
                 bool own); /* after `where`; own: each relation must name a size of this file */
as_node_id as_gp_expr(as_gparser *parser); /* AS_NONE with err */
/* op(a, b), for which a text at t has the sign or word `shown` */
as_node_id as_gp_apply(as_gparser *parser, const as_token *t, const char *op, const char *shown,
                       as_node_id a, as_node_id b);
/* op(arg) with these integer attributes */
as_node_id as_gp_with_sizes(as_gparser *parser, const as_token *t, const char *op, as_node_id arg,
                            const char *const *names, const as_size *v, uint32_t n);

/* A list of axes, `axis = [0, 2]`, is short for calls one inside the other (axes_parse.c). */
typedef struct {
  const as_token *at;
  uint32_t n; /* 0: no list */
  long axis[AS_MAX_RANK];
} as_gp_axes;

bool as_gp_parse_axes(as_gparser *parser, as_gp_axes *axes); /* NAME = [n, ..] */
as_node_id as_gp_over_axes(as_gparser *parser, const as_token *t, const as_opdef *op,
                           as_node_id arg, const as_gp_axes *axes);

/* A type that is stated behind a name, [`:` type]. */
typedef struct {
  const as_token *token; /* NULL: none is */
  as_dtype type;
} as_gp_memory;

bool as_gp_typed(as_lexed *lexed, as_gp_memory *memory);
bool as_gp_stated(as_gparser *parser, as_node_id id, const as_gp_memory *memory); /* if one is */
as_node_id as_gp_define(as_gparser *parser,
                        const as_token *name); /* after `NAME =`: the expression, under that name */
as_node_id as_gp_ref(as_gparser *parser, uint32_t scope); /* takes a NAME that must be defined */
bool as_gp_report(
    as_gparser *parser, const as_token *t,
    as_err *inner); /* an error of the builders, placed in the text; clears inner; false */
/* A scalar, a condition (docs/language.md), of which no name is looked up but those of functions;
 * lives as long as lib; NULL with err. */
as_expr *as_parse_scalar(as_lexed *lexed, as_oplib *lib);
as_expr *as_parse_condition(as_lexed *lexed, as_oplib *lib);
void as_gp_reserve(as_gparser *parser); /* fresh names will avoid every name of the text */
#endif

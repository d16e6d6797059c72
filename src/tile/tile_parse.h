/* What the parts of the reader of tile programs share: names and their scopes, scalars.
 * May include: base, ir.  Private to src/tile. */
#ifndef AS_TILE_PARSE_H
#define AS_TILE_PARSE_H
#include "src/ir/expr_parse.h"
#include "tile.h"

/* names that a place may see, beside sizes */
enum { TILE_MOST_NAMES = 10000 };

typedef struct {
  const char *name;
  as_tile_meaning meaning;
  uint32_t id;
  bool integer; /* a tile of integers */
} tile_name;

typedef struct {
  as_gparser sizes; /* lexer, and the graph of the sizes */
  as_oplib *lib;
  as_tile_program *program;
  as_vec tensors; /* of as_tile_tensor */
  as_vec scope;   /* of tile_name; inner ones last */
} tile_parser;

static inline as_lexed *tile_lexed(const tile_parser *parser) {
  return parser->sizes.lexed;
}

/* NULL: no such name; sizes are names too */
const tile_name *tile_find(const tile_parser *parser, const char *name, tile_name *of_size);
/* takes a NAME that is new; NULL with err */
const char *tile_new_name(tile_parser *parser, const char *what);
void tile_declare(tile_parser *parser, const char *name, as_tile_meaning meaning, uint32_t id,
                  bool integer);
/* These parse, resolve and check; NULL with err. */
as_tile_scalar *tile_scalar(tile_parser *parser);
as_tile_scalar *tile_integer(tile_parser *parser, const char *what);
as_tile_scalar *tile_condition(tile_parser *parser);
as_tile_expr *tile_expr(tile_parser *parser);
#endif

/* The parts of the reader of Trinity's programs.
 * May include: base.  Private to src/import. */
#ifndef AS_IMPORT_TRINITY_INT_H
#define AS_IMPORT_TRINITY_INT_H
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "trinity.h"

enum { TRINITY_MOST_AXES = 8, TRINITY_MOST_DEPTH = 400 };

/* an atom, or a list */
typedef struct trinity_node {
  const char *atom; /* NULL: a list */
  uint32_t n;
  struct trinity_node **kid;
  int line;
  int column;
} trinity_node;

typedef enum { TRINITY_INPUT, TRINITY_OUTPUT, TRINITY_TENSOR } trinity_kind;

/* a row of the table of extents */
typedef struct {
  const char *config; /* "" in a table without that column */
  const char *name;
  trinity_kind kind;
  uint32_t rank;
  long dim[TRINITY_MOST_AXES];
} trinity_shape;

typedef struct {
  char *label;
  size_t from; /* of the text */
  size_t to;
  int line; /* of its first character, and the column before it */
  int column;
} trinity_program;

struct as_trinity {
  as_arena *mem;
  char *path;
  char *text;
  size_t len;
  as_vec programs; /* of trinity_program */
  as_vec shapes;   /* of trinity_shape */
};

/* NULL with err; nodes live in mem */
trinity_node *trinity_parse(const as_trinity *file, const trinity_program *program, as_arena *mem,
                            as_err *err);
/* false */
bool trinity_fail(const as_trinity *file, const trinity_node *at, as_err *err, const char *format,
                  const char *name);
bool trinity_is_integer(const char *atom, long *value);
#endif

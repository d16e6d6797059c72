/* Files of other programs: candidates read, and what is certified written.  One row a format; a
 * reader gives the text of each candidate as a muGraph of ours, and from there on nothing knows
 * where it came from.  May include: ir, base.  Called by src/cli and src/baseline.
 *
 * Adding a format takes its row and a file with its functions (mirage.c is the pattern). */
#ifndef AS_IMPORT_IMPORT_H
#define AS_IMPORT_IMPORT_H
#include "src/base/vec.h"
#include "src/ir/graph.h"
#include "src/tile/tile.h"

/* the formats' names, as --from and --to take them, with commas; a row in import.c each */
#define AS_IMPORT_NAMES "mirage,tile"
/* those that --to takes beside them: nothing is read from them */
#define AS_IMPORT_WRITTEN_NAMES "tensorir,triton"

typedef struct {
  const char *name;
  void *(*read)(const char *path, as_err *err); /* a list of candidates; NULL with err; no
                                                    function where the format is only written */
  void *(*new)(void);                           /* an empty one */
  void (*free)(void *file);                     /* NULL allowed */
  size_t (*count)(const void *file);
  /* Text of candidate `index` for as_parse_mug (or a tile program), malloc'ed; NULL with err where
   * it is malformed, is not of the program's inputs, or cannot be expressed: AS_NO where its result
   * has other extents than the program's.  fixed: with its own sizes as numbers; otherwise they are
   * symbols with relations, as general as the candidate is.  No function where the format is only
   * written. */
  char *(*mug)(const void *file, size_t index, const as_graph *program, bool fixed, as_err *err);
  /* The other direction: adds a graph at its concrete sizes; false with err, and nothing added,
   * where the format cannot express it. */
  bool (*add)(void *file, const as_graph *graph, as_err *err);
  /* the same of a tile program, with its text; NULL: the format holds none */
  bool (*add_tile)(void *file, const as_tile_program *tile, const char *text, as_err *err);
  void (*drop)(void *file);        /* the candidate added last */
  char *(*text)(const void *file); /* as a file holds it; malloc'ed */
} as_import_format;

/* NULL: no such format */
const as_import_format *as_import_format_named(const char *name);

/* ---- tile programs of other programs, read into `.tile` (docs/tile.md); a row each in import.c */
#define AS_IMPORT_TILE_NAMES "trinity,triton"

/* what a reader has to be told; NULL: as the format has it */
typedef struct {
  const char *scratch; /* a word of AS_TRINITY_SCRATCH_WORDS */
  const char *shapes;  /* a table of extents */
  const char *config;  /* which part of it */
  /* how a kernel is launched (src/ttir/ttir.h) */
  const char *launch; /* FILE or FILE:N, of JSON */
  const char *grid;
  const as_vec *argument; /* of char *; NULL: none */
  const as_vec *size;     /* of char *; NULL: none */
  const as_vec *where;    /* of char *: relations of sizes; NULL: none */
  const char *literals;   /* a word of AS_IMPORT_LITERALS */
  bool in_order;          /* a kernel's lanes touch places in the order of its text */
  bool writes_all;        /* what a kernel stores to and never loads, it stores to everywhere */
  bool no_nan;            /* what tests for or drops a NaN that there may be is refused */
} as_import_tile_options;

#define AS_IMPORT_LITERALS "printed,decimal,fraction"

/* what the given program says, of which numbers in a candidate may be examples */
typedef struct {
  const char *name;
  uint32_t rank;
  const as_size *dim;
} as_import_tensor;

typedef struct {
  as_sizes *sizes;
  uint32_t n_size;
  const as_size *size;
  uint32_t n_tensor;
  const as_import_tensor *tensor;
} as_import_known;

/* More general programs of which the one in a file may be an example: which of its numbers are
 * which sizes (a reading), and what is stated of sizes (a scope).  The first reading is the most
 * likely, the first scope the widest, the last the example alone,
 * with numbers for sizes.  Hypotheses: each is judged. */
typedef struct {
  void *(*open)(const void *file, const as_import_tile_options *options,
                const as_import_known *known, as_err *err); /* `known` is borrowed */
  void (*close)(void *general);
  uint32_t (*readings)(const void *general);
  uint32_t (*scopes)(const void *general);
  int64_t (*value)(const void *general, uint32_t size); /* of a known size in the example */
  /* The text (malloc'ed; NULL with err); *where (malloc'ed, may be empty): relations, one a line,
   * which the given program has to state; *says (malloc'ed): the reading, in a line. */
  char *(*tile)(const void *general, uint32_t reading, uint32_t scope, char **where, char **says,
                as_err *err);
} as_import_general;

typedef struct {
  const char *name;
  const char *extension; /* of files of one program, with its dot */
  void *(*read)(const char *path, const as_import_tile_options *options, as_err *err);
  void (*free)(void *file); /* NULL allowed */
  size_t (*count)(const void *file);
  const char *(*label)(const void *file, size_t index);
  /* Text of a program, malloc'ed; NULL with err.  given: it is the one that others are compared
   * with.  *where (malloc'ed, may be empty; NULL is allowed): the relations of sizes that it states
   * beside the options', one a line: a program that is compared with it has to state them too. */
  char *(*tile)(const void *file, size_t index, const as_import_tile_options *options, bool given,
                char **where, as_err *err);
  /* how the options are understood, for the one who reads a verdict */
  const char *(*reading)(const as_import_tile_options *options);
  const as_import_general *general; /* NULL: of this format there are none */
} as_import_tile_format;

/* NULL: no such format */
const as_import_tile_format *as_import_tile_format_named(const char *name);
/* the one whose files' names end like this; NULL: none */
const as_import_tile_format *as_import_tile_format_of(const char *path);
/* the one of that name, or where it is NULL of such files; NULL with err: there is none */
const as_import_tile_format *as_import_tile_format_for(const char *name, const char *path,
                                                       as_err *err);

/* a file, and the format that knows it */
typedef struct as_import as_import;
as_import *as_import_read(const as_import_format *format, const char *path, as_err *err);
as_import *as_import_new(const as_import_format *format);
void as_import_free(as_import *import); /* NULL allowed */
size_t as_import_count(const as_import *import);
char *as_import_mug(const as_import *import, size_t index, const as_graph *program, bool fixed,
                    as_err *err);
bool as_import_add(as_import *import, const as_graph *graph, as_err *err);
bool as_import_add_tile(as_import *import, const as_tile_program *tile, const char *text,
                        as_err *err);
void as_import_drop(as_import *import);
bool as_import_can_read(const as_import *import); /* what it writes */
char *as_import_text(const as_import *import);
#endif

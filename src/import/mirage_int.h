/* The symbolic extents and the state of one lifting.  Private to src/ir/mirage*.c. */
#ifndef AS_IMPORT_MIRAGE_INT_H
#define AS_IMPORT_MIRAGE_INT_H
#include "mirage.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <jansson.h>

enum { MI_FACTORS = 8, MI_LOOP = 3, MI_NOATOM = -1 };

/* a product of atoms, outermost first; no factors: 1 */
typedef struct {
  uint32_t n;
  int factor[MI_FACTORS];
} mi_extent;

/* a size of the program or of the muGraph (own; width: made for an axis reduced to that width), or
 * a number.  An own size that turns out to be a product is replaced by it everywhere. */
typedef struct {
  const char *text;
  int64_t value;
  bool own;
  bool width;
  bool product;
  mi_extent factors;
} mi_atom;

typedef struct {
  mi_extent whole;
  mi_extent parts;
} mi_relation;

typedef struct {
  mi_extent whole;
  bool by[2];
  int grid;
  mi_extent tile;
} mi_split; /* by[0] a grid axis, by[1] the loop */

typedef struct {
  json_int_t guid;
  const char *name;
  uint32_t rank;
  mi_extent dim[AS_MAX_RANK];
  bool after;  /* the loop */
  bool varies; /* with the loop */
} mi_tensor;

typedef struct {
  const as_graph *program;
  as_err *err;
  size_t index; /* of the graph, for messages */
  bool fixed;   /* sizes are numbers */
  as_arena *arena;
  as_vec atom;
  as_vec relation;
  as_vec name; /* mi_atom, mi_relation, const char * in use */
  as_vec tensor;
  as_vec tile;  /* mi_tensor: at kernel level; of the kernel at hand */
  as_vec split; /* mi_split, of the kernel at hand */
  int part[4];  /* atoms that are the extents of x, y, z and the loop; MI_NOATOM: absent */
  uint32_t kernels;
  uint32_t count[26]; /* for names */
  json_int_t result;  /* guid of what becomes the program's output */
  as_str body;
} mi_lift;

/* extents (mirage_size.c) */
int mi_atom_new(mi_lift *lifting, const char *text, int64_t value, bool own);
int mi_atom_fresh(mi_lift *lifting, char letter, int64_t value);
const mi_atom *mi_atom_at(const mi_lift *lifting, int id);
mi_extent mi_extent_of(int atom);
bool mi_extent_times(mi_extent *extent, const mi_extent *by);
bool mi_extent_same(const mi_extent *a, const mi_extent *b);
int64_t mi_extent_value(const mi_lift *lifting, const mi_extent *extent);
void mi_extent_print(
    const mi_extent *extent,
    as_str *out); /* an atom as `$` and its number, for the text to be finished by mi_finish */
bool mi_finish(const mi_lift *lifting, const char *body, as_str *out);
bool mi_extent_resolve(const mi_lift *lifting,
                       mi_extent *extent); /* own sizes that are products become their factors */
void mi_extent_contract(const mi_lift *lifting,
                        mi_extent *extent); /* the parts of a relation become its whole */
/* two extents that must be one: equal symbols become one, or a relation says so; false with err
 * where their values differ */
bool mi_extent_meet(mi_lift *lifting, const mi_extent *left, const mi_extent *right,
                    const char *what);
void mi_extent_collapse(mi_lift *lifting, mi_extent *extent); /* fixed: one number */
/* the extent that a size of the program is; false with err */
bool mi_extent_of_size(mi_lift *lifting, as_size size, const char *what, mi_extent *extent);
/* the tile of an axis that grid axis `grid` (-1: none) and, if `loop`, the loop divide */
bool mi_extent_tile(mi_lift *lifting, const mi_extent *whole, int grid, bool loop, mi_extent *tile);
/* e = outer * inner with inner of this value */
bool mi_extent_cut(mi_lift *lifting, const mi_extent *extent, int64_t value, mi_extent *outer,
                   mi_extent *inner);
const char *mi_fresh_name(mi_lift *lifting, char letter);
bool mi_refuse(mi_lift *lifting, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* a kernel defined by a block graph (mirage_block.c) */
bool mi_block(mi_lift *lifting, const json_t *op);
/* what both levels share (mirage.c) */
mi_tensor *
mi_find(mi_lift *lifting, as_vec *where,
        const json_t *tensor); /* what the file says of it must agree with its definition */
bool mi_define(mi_lift *lifting, as_vec *where, const json_t *tensor, const char *name,
               const mi_extent *dim, uint32_t rank, bool after, bool varies);
const char *mi_kernel_name(mi_lift *lifting, json_int_t guid);
json_int_t mi_guid(const json_t *tensor);
bool mi_operator(mi_lift *lifting, as_vec *where, const json_t *op, const char *kind,
                 const char *indent, const char *name);
json_int_t mi_int(const json_t *object, const char *key, json_int_t other);

/* Mirage's name without its level and `_op`, and ours */
typedef struct {
  const char *mirage;
  const char *ours;
  uint32_t args;
} mi_name;

extern const mi_name mi_operators[];
extern const size_t mi_n_operators;
/* as in as_import_format; a file is the list of its graphs (json_t *) (mirage_write.c) */
bool mi_add(void *graphs, const as_graph *added, as_err *err);
char *mi_text(const void *graphs);
#endif

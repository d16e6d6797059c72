/* Tensor programs and muGraphs in memory: one flat array of nodes in order of definition (operands
 * before users), ids instead of pointers.  May include: base, ir/size.h, ir/opdef.h.  Used by every
 * layer above.  Meaning: semantics/SEMANTICS.md. */
#ifndef AS_IR_GRAPH_H
#define AS_IR_GRAPH_H
#include "opdef.h"
#include "size.h"
#include "src/base/dtype.h"
#include "src/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_MAX_RANK 8
#define AS_MAX_ARGS 8
typedef uint32_t as_node_id;

typedef enum {
  AS_N_INPUT, /* kernel level: program input */
  AS_N_CONST, /* rank 0 rational */
  AS_N_OP,    /* operator call, at kernel level or inside a block graph */
  AS_N_LOAD,  /* block level: tile of arg[0] (a kernel-level tensor) by imap and fmap */
  AS_N_ACC,   /* block level: accumulator over the loop; arg[0] the tile; arg[1] the running maximum
                 of a rescaled sum */
  AS_N_RUN,   /* block level: running value of the max accumulator arg[0] */
  AS_N_SIZE,  /* rank 0: the number that the size `size` is; like AS_N_CONST it belongs to no level
                 and is in no block */
  AS_N_STORE  /* kernel level tensor; arg[0] is the block-level tile stored, by omap */
} as_node_kind;

/* The kinds of accumulators, a row each: the name; the word for it in a .mug file; the word behind
 * the tile, and what that word is followed by; whether it has a value at each iteration that the
 * block may read; whether it has one over no iterations.  The parser, the printer and the builder
 * read the row; the evaluator has a function of each name. */
#define AS_ACC_KINDS(X)                                                                            \
  X(SUM, "sum", NULL, AS_ACC_ALONE, false, true)                                                   \
  X(MAX, "max", NULL, AS_ACC_ALONE, true, false)                                                   \
  X(RESCALE, "sum", "rescale", AS_ACC_BY_MAXIMUM, false, true)                                     \
  X(CONCAT, "concat", "axis", AS_ACC_ALONG_AXIS, false, true)

typedef enum {
  AS_ACC_ALONE,
  AS_ACC_BY_MAXIMUM, /* arg[1]: a running maximum, or the max accumulator it belongs to */
  AS_ACC_ALONG_AXIS  /* `axis`: where the tiles of the iterations follow each other */
} as_acc_operand;

typedef enum {

#define X(kind, word, tail, operand, runs, empty) AS_ACC_##kind,
  AS_ACC_KINDS(X)
#undef X
} as_acc_kind;

typedef struct {
  const char *word;
  const char *tail; /* NULL: nothing stands behind the tile */
  as_acc_operand operand;
  bool has_running_value;
  bool has_empty_value;
} as_acc_row;

extern const as_acc_row as_acc_rows[];
extern const uint32_t as_n_acc_kinds;

typedef struct {
  as_node_kind kind;
  char *name;                 /* unique at its level; owned by the graph's arena */
  bool is_named;              /* by the text; otherwise the name is a fresh one */
  const as_opdef *op;         /* AS_N_OP; borrowed from the library */
  as_attr attr[AS_MAX_ATTRS]; /* AS_N_OP: values in the order of op->attrs */
  uint32_t nargs;
  as_node_id arg[AS_MAX_ARGS];
  uint32_t rank;
  as_size dim[AS_MAX_RANK]; /* extents; of one tile for block-level nodes */
  as_dtype dtype;           /* inputs; others take that of what they are computed from */
  bool is_typed;   /* kernel level, a store or an operator: the text states the type in memory, of a
                      program that which it is rounded to, */
  as_dtype memory; /* which is this one (graph_types.h) */
  bool is_index_tensor; /* AS_N_INPUT of a part of a program that has it as an index tensor */
  as_size size;         /* AS_N_SIZE */
  mpq_t value;          /* AS_N_CONST (initialised for all nodes) */
  uint32_t
      block;  /* index into blocks, AS_NONE at kernel level (stores: the block they belong to) */
  int map[4]; /* LOAD/STORE: axis that grid x, y, z and the loop divide, -1 none */
  as_size tile[AS_MAX_RANK];
  as_size upto[AS_MAX_RANK]; /* LOAD/STORE: where tiles are cut off at the tensor's end, the extent
                                of a tile that is not, and the tensor's; AS_SIZE_BAD elsewhere */
  as_acc_kind acc;
  int axis; /* AS_N_ACC; axis of concat */
  bool varying;
  bool after; /* block level: differs between iterations; runs after the loop (depends on a final
                 value) */
  bool reads_run; /* block level: depends on a running value within the loop */
} as_node;

typedef struct {
  char *name;
  as_size grid[3]; /* AS_SIZE_ONE where absent */
  bool one[3];     /* grid axes written with extent 1: maps may name them, stores must; no map of a
                      node keeps them */
  as_size loop;    /* AS_SIZE_ONE where absent */
  bool has_loop;
  as_node_id *nodes;
  uint32_t n; /* loads, body, accumulators, epilogue, stores, in order */
} as_block;

typedef struct {
  as_size lhs;
  as_size rhs;
  as_rel rel;
} as_size_fact;

typedef struct as_graph { /* a program, or a muGraph (then `program` is set) */
  as_sizes *sizes;        /* shared between a program and its muGraphs */
  const as_oplib *lib;
  const struct as_graph *program; /* borrowed; NULL in a program */
  bool open; /* a side of a rewrite rule: obligations that are not shown are left to whoever judges
                the rule, even false ones */
  bool is_piece; /* of a larger program, which the search looks at by itself: */
  as_dtype type; /* the type of what that program computes */
  bool mixed;    /* have its inputs several types? */
  char *name;
  as_node *node;
  uint32_t n;
  as_node_id *order;
  uint32_t n_order; /* kernel-level statements in order (a block stands where its first store is) */
  as_node_id *input;
  uint32_t n_input;
  as_node_id *output;
  uint32_t n_output;
  as_block *block;
  uint32_t n_block;
  as_size_fact *fact;
  uint32_t n_fact; /* `where` relations of this file */
  as_size *own_size;
  uint32_t n_own_size; /* sizes declared by this file */
  char **use;
  uint32_t n_use; /* `use` paths as written, programs only */
  void *mem;      /* arena and table of names (graph_int.h) */
} as_graph;

/* Order of facts: n_order lists operator nodes at kernel level and, for each block, its first
 * store; inputs and constants are not in it. Threads: a graph shares its as_sizes with its copies;
 * a thread that builds has a copy whose `sizes` it has set to an as_sizes_copy. A grid axis or an
 * extent that is AS_SIZE_ONE is absent: maps cannot name it. */

/* --- building (used by the parsers, the search, the importers); each checks shapes and returns
 * AS_NONE with err filled when ill-formed */
as_graph *
as_graph_new(as_sizes *sizes, const as_oplib *lib, const as_graph *program,
             const char *name); /* a muGraph starts with the program's inputs as nodes 0.. */
as_graph *as_graph_copy(const as_graph *graph);
void as_graph_free(as_graph *graph);
as_node_id as_graph_input(as_graph *graph, const char *name, as_dtype t, const as_size *dim,
                          uint32_t rank, as_err *err);
/* a constant or the number that a size is: such nodes belong to no level and are made anew where
 * they are needed */
bool as_graph_is_number(const as_node *node);
bool as_graph_is_output(const as_graph *graph, as_node_id id);
/* the program that a muGraph, or a block graph in it, was made for; itself: a program */
const as_graph *as_graph_given(const as_graph *graph);
as_node_id as_graph_copy_number(as_graph *graph, const as_node *number);
as_node_id as_graph_const(as_graph *graph, const mpq_t value);
as_node_id as_graph_size_const(as_graph *graph,
                               as_size s); /* a size as a number; AS_NONE when it has div or mod */

static inline bool as_node_is_number(const as_node *n) {
  return n->kind == AS_N_CONST || n->kind == AS_N_SIZE;
}

/* block: AS_NONE at kernel level; attrs in the order of op->attrs (all given, may be NULL when
 * there are none); name NULL: a fresh one.  Extents that must agree are the same polynomial or
 * equal by the `where` relations (as_graph_same_size); other `require`s are refused only when never
 * true. */
as_node_id as_graph_op(as_graph *graph, uint32_t block, const char *name, const as_opdef *op,
                       const as_node_id *arg, uint32_t nargs, const as_attr *attr, as_err *err);
uint32_t as_graph_block(as_graph *graph, const char *name, const as_size grid[3], as_size loop,
                        bool has_loop);
as_node_id as_graph_load(as_graph *graph, uint32_t block, const char *name, as_node_id from,
                         const as_size *tile, const int map[4], as_err *err);
/* The same with tiles that may reach beyond the tensor along the axes where `upto` is its extent
 * (AS_SIZE_BAD elsewhere; NULL: nowhere).  There the tile of number n is cut off to the extent
 * min(tile, upto - n*tile), in which n is made of as_graph_block_index. */
as_node_id as_graph_load_upto(as_graph *graph, uint32_t block, const char *name, as_node_id from,
                              const as_size *tile, const as_size *upto, const int map[4],
                              as_err *err);
as_node_id as_graph_acc(as_graph *graph, uint32_t block, const char *name, as_acc_kind k,
                        as_node_id of, as_node_id run, int axis, as_err *err);
as_node_id as_graph_run(as_graph *graph, uint32_t block, const char *name, as_node_id acc_max,
                        as_err *err);
as_node_id as_graph_store(as_graph *graph, uint32_t block, const char *name, as_node_id of,
                          const int map[4], as_err *err);
/* tile: extents of a tile where `upto` is the extent of what is stored (else not read) */
as_node_id as_graph_store_upto(as_graph *graph, uint32_t block, const char *name, as_node_id of,
                               const as_size *tile, const as_size *upto, const int map[4],
                               as_err *err);
/* the number of the block along grid axis 0, 1, 2 or of the iteration (3), in extents of tiles that
 * are cut off; its concrete value is 0, where no tile has a larger extent */
as_size as_graph_block_index(as_sizes *sizes, int axis);
as_size as_graph_find_block_index(const as_sizes *sizes, int axis); /* AS_SIZE_BAD: none is used */
/* the extent of a tile depends on which block or iteration it is of (axis 3: the iteration) */
bool as_graph_depends_on_index(const as_graph *graph, as_size extent, int axis);
bool as_graph_is_cut(const as_graph *graph, as_size extent);               /* on any of them */
bool as_graph_has_cut_tiles(const as_graph *graph, const as_block *block); /* any tile of it */
/* a load whose tiles may be cut off, AS_NONE: there is none (then no store has such either) */
as_node_id as_graph_cut_load(const as_graph *graph);
bool as_graph_output(as_graph *graph, as_node_id n,
                     as_err *err); /* muGraphs: matched to the program's outputs by name */
bool as_graph_valid(const as_graph *graph,
                    as_err *err); /* Mirage, Definition 2.1: all outputs defined,
                                 stores injective, levels respected */
as_node_id as_graph_find(const as_graph *graph, uint32_t block,
                         const char *name); /* AS_NONE if there is none */
bool as_graph_declare(as_graph *graph, const char *name, long least, long value, as_size *out,
                      as_err *err); /* a size of this file; value -1: none */
bool as_graph_where(as_graph *graph, as_size lhs, as_rel rel, as_size rhs,
                    as_err *err); /* a relation of this file */
bool as_graph_same_size(
    const as_graph *graph, as_size a,
    as_size b); /* by the relations of the graph and its program; false: not shown */
bool as_graph_concrete(const as_graph *graph, as_size a,
                       int64_t *out); /* at the concrete sizes; false where one has none */
/* the type of what a program computes: its first input's that is no integer, AS_F32 if there is
 * none; of a piece, whose inputs may be results of the rest, the whole program's
 */
as_dtype as_graph_type(const as_graph *graph);
/* Has an input of numbers another type than that?  Then what is computed on the way has 32 bits. */
bool as_graph_is_mixed(const as_graph *graph);
/* index_range.c: how many values from 0 on each element of an input may have at these sizes so that
 * every place that the program reads at it is in range; at least 0; -1: it reads none there.  A
 * place that is more than the element and a number or an index leaves 0 as the only value.  exact
 * (may be NULL): any other value is out of range somewhere. */
int64_t as_graph_index_range(const as_graph *program, as_node_id input, const int64_t *env,
                             bool *exact);
/* index_tensor.c: by node, whether it is an *index tensor*: made by operators at kernel level of no
 * input, so that an element is a short expression of its indices (a few integer operations,
 * comparisons and choices), and no output.  Such a tensor is no kernel and takes no memory: an
 * element is computed where it is read, from its position.  are_kernels: the
 * operators at kernel level are kernels of their own, and none is that one of them reads more than
 * once an element; else they may share kernels, and it does not matter who reads it.  malloc'ed. */
bool *as_graph_index_tensors(const as_graph *graph, bool are_kernels);

/* strided.c: where the elements of a kernel-level tensor lie: element i at `origin` + the sum of
 * i[axis] * stride[axis], in elements of `base`, an input or a stored tensor.  Strides may be
 * negative or 0. */
typedef struct {
  as_node_id base;
  as_size origin;
  as_size stride[AS_MAX_RANK];
} as_strided;

/* false: an operator on the way computes, or reads at places that are not linear in its indices */
bool as_graph_strided(const as_graph *graph, as_node_id id, as_strided *out);
/* whether it lies in a tensor of floating point, forward along every axis, from a place and with
 * strides that no size left to run time changes, at the sizes stated (1 for what has no value) */
bool as_graph_lies_forward(const as_graph *graph, as_node_id id, const as_strided *at);
/* By node, whether it is a *part* of another tensor: operators at kernel level that blocks load
 * from where it lies.  It is no kernel and takes no memory.  malloc'ed. */
bool *as_graph_parts(const as_graph *graph);
/* By node, whether an operator at kernel level is no kernel: an index tensor or a part.  malloc'ed.
 */
bool *as_graph_no_kernels(const as_graph *graph);
/* number of kernel launches: predefined operator nodes at kernel level, but for what is no kernel,
 * plus blocks */
uint32_t as_graph_kernels(const as_graph *graph);

/* --- text; parse gives NULL with err (file, line, column, line shown) */
as_graph *as_parse_tp(const char *file, const char *text, size_t len, as_sizes *sizes,
                      as_oplib *lib, as_err *err); /* `use` extends lib */
as_graph *as_parse_mug(const char *file, const char *text, size_t len, const as_graph *program,
                       as_err *err);
char *as_print_tp(const as_graph *graph); /* malloc'ed; parsing it gives the same graph back */
/* the same without `use`, for readers to whom all specifications are given */
char *as_print_tp_alone(const as_graph *graph);
/* the same with `use` of all that the given program uses, by the names that the library has the
 * files under: for a judgement of a program that is no file, or of a part of one */
char *as_print_tp_using(const as_graph *graph);
char *as_print_mug(const as_graph *graph);
/* number i of the relations that the file states, `R <= 64`; malloc'ed */
char *as_print_relation(const as_graph *graph, uint32_t i);
/* graph_at.c: adds the relations of a text of lines `where a <= b` to those of a program; false
 * with err: what is no relation of its sizes, or never holds */
bool as_graph_relate(as_graph *graph, const char *file, const char *text, size_t len, as_err *err);
/* A program's sizes become their values, in the order of own_size: it declares none from here on,
 * and is there to be printed.  false with err: some extent has no value there. */
bool as_graph_fix_sizes(as_graph *graph, const int64_t *value, as_err *err);
/* the same of one size expression, before */
bool as_graph_size_at(const as_graph *graph, const int64_t *value, as_size *size, as_err *err);
/* the concrete values of sizes, indexed by size id (as_size_eval); INT64_MIN where none is given;
 * malloc'ed */
int64_t *as_graph_size_values(const as_graph *graph);
#endif

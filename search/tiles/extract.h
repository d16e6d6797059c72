/* Programs out of an e-graph, in two passes.  The first chooses statements, loops and their order:
 * for each number of kernels the trees with the least work (structure.c).  The second chooses, in
 * that context, how each tile is computed: what an iteration has stored or loaded already costs
 * nothing, a load from memory what it moves; what nobody reads is left out (items.c); and writes a
 * `.tile` text (print.c).  May include: base, ir, tile, target, naive.h.  Private to search/tiles
 * and its tests. */
#ifndef AS_TILES_EXTRACT_H
#define AS_TILES_EXTRACT_H
#include "naive.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "src/target/target.h"

/* --- first pass */
typedef struct tl_tree {
  tl_kind kind; /* STORE, ADD, LOOP; NIL: the whole, of which `body` is what stands outside of loops
                 */
  uint32_t item;
  uint32_t value; /* class of what is stored or added */
  uint32_t n;
  struct tl_tree **body;
} tl_tree;

typedef struct {
  uint32_t kernels; /* statements outside of loops */
  double work;      /* microseconds: of a kernel, of one of the multiprocessors that share it */
  tl_tree *tree;    /* in the arena that was given */
} tl_structure;

/* The best `keep` of each number of kernels, least kernels first; n of them, where no tile is
 * computed from a load of one of the tensors marked `dead` (none: there is no such program).
 * Programs that differ in the order of statements alone are one.  malloc'ed */
tl_structure *tl_structures(const tl_graph *graph, uint32_t root, const bool *dead, uint32_t keep,
                            const as_target *target, as_arena *mem, uint32_t *n);
/* can every result be computed without a load of a tensor marked `dead`? */
bool tl_may_be_dead(const tl_graph *graph, uint32_t root, const bool *dead);
/* one that random choices give, each node of a class alike: for tests.  NULL: a choice ended
 * nowhere */
tl_tree *tl_random_tree(const tl_graph *graph, uint32_t root, as_rng *rng, as_arena *mem);

/* --- second pass */
typedef enum { TL_MAKE, TL_FETCH, TL_LET, TL_PUT, TL_LOOP_ITEM } tl_item_kind;

/* what the text has a line for */
typedef struct tl_item {
  tl_item_kind kind;
  uint32_t access; /* MAKE zeros of its shape, FETCH, PUT */
  uint32_t node;   /* LET: of the e-graph, AS_NONE: the sum of its two operands */
  uint32_t name;   /* that is defined; of a PUT: what is stored */
  uint32_t n_arg;
  uint32_t arg[AS_MAX_ARGS]; /* names; AS_NONE: a number, that node's operand */
  uint32_t variable;         /* LOOP */
  bool parallel;
  bool live;
  uint32_t n_carry;
  struct tl_carry *carry;
  uint32_t n_body;
  struct tl_item **body;
  uint32_t n_local; /* scratch tensors of each iteration */
  uint32_t *local;
} tl_item;

typedef struct tl_carry {
  uint32_t access; /* that the sum is of */
  uint32_t name;
  uint32_t first; /* name of the zeros */
  uint32_t added; /* what is added in each iteration */
} tl_carry;

typedef struct {
  const tl_naive *naive;
  tl_item whole; /* a loop of no variable */
  uint32_t n_name;
  bool *tensor_live; /* loaded from memory, or an output */
  bool *zero;        /* starts as zeros */
  bool *is_local;
  double us;         /* by the model, of tiles in registers and on tensor cores */
  double lowered_us; /* of what src/kernels makes of it */
  double bytes;      /* moved between memory and kernels */
  uint32_t kernels;
} tl_items;

/* false: the tree cannot be written (a sum that nothing resets where it is done again, a tile that
 * is read before it is there) */
bool tl_items_init(tl_items *items, const tl_naive *naive, const tl_tree *tree,
                   const as_target *target, as_arena *mem, as_rng *rng);
void tl_items_clear(tl_items *items);
/* place.c: declares scratch tensors and marks parallel loops; false: a sum does not start at zeros
 */
bool tl_place(tl_items *items, as_arena *mem);
void tl_cost(tl_items *items, const as_target *target);
char *tl_print(const tl_items *items); /* malloc'ed `.tile` text */

/* elements of a tile at the concrete sizes; work of computing a node, its operands not counted */
double tl_elements(const tl_graph *graph, uint32_t cls);
double tl_call_work(const tl_graph *graph, uint32_t node);
#endif

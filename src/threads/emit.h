/* Printing of a thread graph: what its parts share.  Included by src/threads/emit*.c only. */
#ifndef AS_THREADS_EMIT_H
#define AS_THREADS_EMIT_H
#include "lowering.h"
#include "src/base/str.h"

typedef struct {
  const as_tg *g;
  const as_isa *isa;
  const as_block_ref *b;
  as_threads_address *address;
  void *arg;
  as_str out;
  as_str head;  /* addresses of lane and warp, once a kernel */
  as_vec named; /* their expressions, char *; the number is the name */
  int indent;
  int *type;
  int exchanged[16]; /* a buffer: the type of what threads store in it */
  unsigned *regs;    /* elements */
  bool *declared;
  bool failed;
  int loops;                 /* around what is printed */
  const as_tg_op *shared_by; /* the map that as_emit_shared_exponents was asked for last .. */
  const as_tg_expr *shared;  /* .. and the exponential of it that is prepared; NULL: none */
  uint32_t element;          /* of a map, that is printed */
  int sure;                  /* the side that choices take here, -1: as their places say */
  bool tells_apart;          /* products under way are told from those that are over */
  int group;                 /* of products, that is not yet committed */
  int *under_way;            /* a value: the group that it waits for, and 1; 0 none */
  bool registers[2];         /* the compute warps, and the others, have theirs */
} as_emitter;

/* a line of the kernel, indented */
void as_emit_line(as_emitter *E, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* emit_wgmma.c: products of warpgroups, and what orders them */
void as_emit_wgmma(as_emitter *E, const as_tg_op *op);
/* emit_ring.c: copies, barriers */
void as_emit_copies(as_emitter *E, const as_tg_op *op);
void as_emit_bulk(as_emitter *E, const as_tg_op *op);
void as_emit_barriers(as_emitter *E, const as_tg_op *op);
/* a bulk copy of contiguous bytes */
bool as_emit_is_linear(const as_emitter *E, const as_tg_op *op);
/* emit_grid.c: where the block lies, and how many iterations it runs; blocks: texts, or NULL */
void as_emit_grid(as_emitter *E, const char *const *blocks, as_str *s);
/* texts, malloc'ed */
/* emit_grid.c: a whole number of the block and, in a loop, of the iteration */
char *as_emit_whole(const as_tg_expr *e);
/* emit_grid.c: so many iterations; cut: only those that the block runs */
char *as_emit_count(const as_emitter *E, int count, bool cut);
/* emit_scalar.c: an expression of an operation, the texts of its arguments being `arg` */
char *as_emit_scalar(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e,
                     char *const *arg);
/* emit_scalar.c: is all that is read and stored of 32 bits? */
bool as_emit_is_wide(const as_emitter *E);
/* emit_exp.c: what the exponentials of a map share, before its elements are printed; nothing where
 * it was printed already */
void as_emit_shared_exponents(as_emitter *E, const as_tg_op *op);
/* emit_exp.c: one of these, of the element at hand; NULL: it is another */
char *as_emit_shared_exponential(const as_emitter *E, const as_tg_op *op, const as_tg_expr *e,
                                 char *const *arg);
/* emit_scalar.c: what an accumulator begins with */
char *as_emit_beginning(const as_emitter *E, const as_tg_op *op);
/* the ring's stage of iteration l + slot */
char *as_emit_stage(const as_emitter *E, int slot);
/* the function of an instruction */
char *as_emit_function(const char *instr);
/* shared address of copy u in step s; stage: text or NULL.  Bits that lane and warp never move are
 * added, the others xor'ed. */
char *as_emit_shared(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *stage);
/* address of a tile's element in its tensor; iteration: text or NULL */
char *as_emit_global(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *iteration);
/* the index along the only output of a map, for copy u */
char *as_emit_index(const as_lay *l, uint32_t u);
/* emit_address.c: an expression of `index`, for copy u */
char *as_emit_place(as_emitter *E, const as_tg_op *op, const as_tg_expr *e, uint32_t u);
/* emit_address.c: how much further copy u of `index` is than copy 0; false: that is no number */
bool as_emit_place_step(const as_tg_op *op, uint32_t u, long *step);
/* the condition under which a thread takes part; "" always */
char *as_emit_mask(const as_tg_op *op);
/* index along a padded axis below its limit; "" where nothing is padded */
char *as_emit_pred(const as_tg *g, const as_tg_op *op, const as_lay *l, unsigned u);
/* the kernel-level tensor of a tile, and where it lies; false: the block has no such tile */
bool as_emit_where(const as_emitter *E, const as_tg_tile *t, as_node_id *tensor,
                   as_block_place *out);
/* pointer to the memory that a tile's tensor is a part of */
char *as_emit_memory(as_emitter *E, const as_tg_tile *t);
#endif

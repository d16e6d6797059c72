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
  unsigned *regs; /* elements */
  bool *declared;
  bool failed;
} as_emitter;

/* texts, malloc'ed */
/* shared address of copy u in step s; stage: text or NULL.  Bits that lane and warp never move are
 * added, the others xor'ed. */
char *as_emit_shared(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *stage);
/* address of a tile's element in its tensor; iteration: text or NULL */
char *as_emit_global(as_emitter *E, const as_tg_op *op, const as_lay *l, unsigned u, int step,
                     const char *iteration);
/* the index along the only output of a map, for copy u */
char *as_emit_index(const as_lay *l, uint32_t u);
/* the condition under which a thread takes part; "" always */
char *as_emit_mask(const as_tg_op *op);
/* index along a padded axis below its limit; "" where nothing is padded */
char *as_emit_pred(const as_tg *g, const as_tg_op *op, const as_lay *l, unsigned u);
/* the kernel-level tensor of a tile */
as_node_id as_emit_tensor(const as_emitter *E, const as_tg_tile *t);
#endif

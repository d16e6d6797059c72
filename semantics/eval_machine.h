/* One evaluation of a program or a muGraph, and what its kernel level and its block graphs share.
 * May include: base, ir, semantics.  Private to eval.c, eval_node.c and eval_block.c. */
#ifndef AS_EVAL_MACHINE_H
#define AS_EVAL_MACHINE_H
#include "eval_codes.h"

typedef struct {
  const as_graph *graph;
  const as_domain *domain;
  int64_t *env;         /* a copy: in a block the indices of the block and the iteration change */
  as_eval_codes *codes; /* NULL: nothing is kept */
  const as_eval_watch *watch; /* NULL: nobody does */
  as_eval_cover *cover;       /* NULL: nobody asks how choices went */
  as_err *err;
  uint64_t left;
  uint64_t *ticks;
  as_eval_marks marks;
  size_t used;         /* bytes of the tensors made so far; a block's are given back at its end */
  as_tensor *val;      /* kernel-level values, by node */
  unsigned char *done; /* blocks that ran */
  as_status status;
} ev_run;

/* Where one of these returns false or NULL, `err` says why, and `status` is that of the first
 * failure. */

/* always false; the node's name, where it has one, follows `what` */
bool ev_refuse(ev_run *run, as_status status, const char *what, const as_node *node);
/* `rank` extents at the sizes of this evaluation */
bool ev_extents(ev_run *run, const as_node *node, const as_size *dim, uint32_t rank, int64_t *out);
/* a tensor of the node's shape, without values; the caller clears it */
bool ev_new_tensor(ev_run *run, const as_node *node, as_tensor *tensor);
/* the operator of a node at the sizes of this evaluation; the caller frees it */
as_opcode *ev_compile_node(ev_run *run, const as_node *user);
/* the same of a node whose extents are those of every evaluation, compiled before or now: the codes
 * own it where there are any, else the caller */
as_opcode *ev_opcode_of(ev_run *run, as_node_id id);
/* the node's value is complete, but for what the watch makes of it */
void ev_made(ev_run *run, const as_node *node, as_tensor *value);
/* notes what the domain says of the elements of a node's value (as_eval_marks) */
void ev_mark(ev_run *run, const as_node *node, const as_tensor *tensor);
/* `val`: the values of the operands, by node */
bool ev_run_op(ev_run *run, const as_node *node, as_opcode *opcode, const as_tensor *val,
               as_tensor *out);
/* adds how the choices of a node's operator went to what is known of them, and forgets it */
void ev_note_choices(as_eval_cover *cover, as_node_id node, as_opcode *opcode);
/* a constant, or a size taken as a number */
bool ev_run_number(ev_run *run, const as_node *node, as_tensor *tensor);

/* Runs a kernel once, whichever of its stores asks first, for every block of its grid and every
 * iteration of its loop.  Of what it allocates only what it stores stays counted in `used`. */
bool ev_run_block(ev_run *run, uint32_t id);
#endif

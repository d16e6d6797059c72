/* The search of one program: what its phases share.  Private to search.c, scheme.c, partition.c and
 * chain.c.
 *
 * A *variant* is the program, or another order of its operators that means the same.  A *scheme* is
 * a way to cut the program's operators into kernels: pieces, each a convex part of the dataflow
 * graph and either a block graph that the enumerator found for its segment, or predefined kernels,
 * one an operator.
 * partition.c makes schemes, scheme.c turns one into a muGraph, chain.c tests and certifies the
 * muGraphs, best first. */
#ifndef AS_SEARCH_DRIVER_H
#define AS_SEARCH_DRIVER_H
#include "search.h"
#include "segment.h"

typedef struct {
  uint32_t *ops; /* nodes of the variant, in order; owned */
  uint32_t n;
  sg_segment *segment; /* NULL: predefined kernels */
  uint32_t rank;       /* which of the segment's graphs */
} sg_piece;

/* Where an order has its moves: where the program has them; each right before what reads it, a copy
 * each; or so unless something reads them at computed places, by itself or behind other moves. */
typedef enum {
  SG_MOVES_AS_GIVEN,
  SG_MOVES_LATE,
  SG_MOVES_LATE_UNLESS_COMPUTED,
  SG_MOVES_LATE_UNLESS_JOINED
} sg_moves;

/* a part of an input of the program, or of another part */
typedef struct {
  uint32_t input; /* its place among the program's inputs, and behind these the parts before */
  const as_opdef *op;
  as_attr attr[AS_MAX_ATTRS];
} sg_slice;

typedef struct {
  sg_slice *slice;
  uint32_t n;
} sg_slices;

typedef struct {
  const as_graph *graph;
  as_graph *owned;  /* NULL: it is the program itself */
  sg_slices slices; /* what its inputs are that stand behind those of the program, in order */
  uint32_t *ops;    /* its operators, in order */
  uint32_t n_ops;
  bool *is_border; /* by node: no kernel has it and what reads it but moves; NULL: there is none */
  bool *is_late;   /* by node: a move right before what reads it, which ends no kernel */
  bool risky;      /* another has a form that is safer in floats */
} sg_variant;

typedef struct {
  const sg_variant *variant;
  sg_piece *pieces;
  uint32_t n;
  double us; /* by the model */
} sg_scheme;

/* What a form that is safer in floats may cost more than the program as given. */
#define SG_SAFER 1.03
#define SG_NEVER 1e300 /* microseconds of what is not known to be possible */

typedef struct {
  const as_graph *program;
  as_search_opts opts;
  as_search_result *result;
  sg_variant *variants; /* the first is the program as given */
  uint32_t n_variants;
  bool concrete; /* the program states all its sizes */
  double start;
  as_search_deadline deadline;       /* of everything */
  as_search_deadline enumerate_till; /* leaves time to certify */

  sg_segment **segments; /* owned */
  uint32_t n_segments;
  sg_scheme *schemes;
  uint32_t n_schemes;
  double best_us;      /* of a scheme that is known, by the model */
  bool is_wider;       /* the second round: nothing that is dearer than what is certified matters */
  uint64_t proof_work; /* that proofs took which were not found */
  char **seen;         /* texts of the muGraphs made so far */
  uint32_t n_seen;
  as_err err; /* the first reason why something that should be possible was not */
} sg_search;

void sg_progress(sg_search *search, const char *stage, double done);
/* counts a limit that struck */
void sg_struck(sg_search *search, as_search_limit limit, uint64_t times);
void sg_note(sg_search *search, char *text);    /* takes text: what failed, for the log */
void sg_message(sg_search *search, char *text); /* takes text: what the user should know */

/* --- scheme.c */
sg_scheme *sg_scheme_add(sg_search *search, const sg_variant *variant, uint32_t n_pieces);
/* the scheme as a muGraph of the whole program; NULL with err */
as_graph *sg_scheme_build(const sg_search *search, const sg_scheme *scheme, as_err *err);
/* predefined kernels for these nodes; copies */
void sg_piece_init(sg_piece *piece, const uint32_t *ops, uint32_t n);
/* operators of the variant, by node and in order, searched with so many states a plan; kept till
 * the end of the search */
sg_segment *sg_search_segment(sg_search *search, const sg_variant *variant, const uint32_t *ops,
                              uint32_t n, uint64_t max_states);

/* --- order.c */
/* whether all that the operator does is to move elements */
bool sg_op_moves(const as_opdef *op);
/* one that only moves elements, and reads some at a computed place: not only exchanged axes */
bool sg_op_computes_place(const as_opdef *op);
/* by node, which moves stand right before what reads them; malloc'ed */
bool *sg_late_moves(const as_graph *program, sg_moves moves);
/* The same program in an order of its own, with a name for every tensor, and moves as wanted.
 * Owned by the caller; NULL: it cannot be made. */
as_graph *sg_reordered(const as_graph *program, sg_moves moves);
/* whether something that reads at computed places, so that few axes of it are divided, reads what
 * was moved: it may be better then to move where the tensor is made */
bool sg_moves_matter(const as_graph *program);

/* By node, whether axes that do not lie as one are joined to one that is not the last, by which a
 * block that reads them apart has too many axes to divide; malloc'ed.  any: is there one? */
bool *sg_joined_first(const as_graph *program, bool *any);

/* --- in_parts.c */
/* The same program with parts computed of parts, where only parts of a result are read, down to the
 * inputs.  Owned by the caller; NULL: there is no such result. */
as_graph *sg_divided(const as_graph *program);
/* The same program with the parts of inputs that it reads (slices, an axis written as two) as
 * inputs behind its own.  NULL: it reads none.  Owned by the caller, as the slices are. */
as_graph *sg_parts_as_inputs(const as_graph *program, sg_slices *slices);
void sg_slices_clear(sg_slices *slices);
void sg_slices_copy(sg_slices *to, const sg_slices *from);

/* --- search.c: adds other orders of the operators to the program */
void sg_find_variants(sg_search *search);

/* --- apart.c: whether the prover can do the best graph of each segment, several asked at a time;
 * why not is noted.  proved: room for n */
void sg_prove_apart(sg_search *search, sg_segment *const *segment, uint32_t n, bool *proved);

/* --- partition.c: fills schemes, best first */
void sg_make_schemes(sg_search *search);

/* --- chain.c: fills result->cand */
void sg_certify_schemes(sg_search *search);
void sg_candidate_clear(as_candidate *candidate);
#endif

/* The ways to cut a program's dataflow graph into kernels: its *down-sets* (sets of operators that
 * hold all that their operators read) and the *groups* between two of them, which are its convex
 * subgraphs.  A partition into kernels is a path from the empty down-set to that of all operators.
 * Nothing depends on the order of the program's text: atoms are numbered from the outputs.
 * May include: driver.h.  Private to partition.c. */
#ifndef AS_SEARCH_CUTS_H
#define AS_SEARCH_CUTS_H
#include "driver.h"

enum { SG_SET_WORDS = 5, SG_MOST_ATOMS = 64 * SG_SET_WORDS };

typedef struct {
  uint64_t word[SG_SET_WORDS];
} sg_set;

/* an operator with what is joined to it (atoms.c): moves right before it that only it reads, and
 * maps between which no kernel does well to end */
typedef struct {
  uint32_t *ops; /* nodes, in order */
  uint32_t n_ops;
  sg_set reads;  /* atoms that it reads from */
  sg_set linked; /* atoms that it reads from, that read from it, or that share an operand with it */
  uint64_t kind; /* the same for the same operators */
} sg_atom;

typedef struct {
  sg_set set;
  uint32_t *ops; /* nodes, in order */
  uint32_t n_ops;
  uint32_t n_atoms;
  uint32_t from; /* two down-sets that it lies between */
  uint32_t to;
} sg_group;

typedef struct {
  uint32_t from;
  uint32_t to; /* from < to */
  uint32_t group;
} sg_edge;

typedef struct {
  const sg_variant *variant;
  sg_atom *atoms;
  uint32_t n_atoms;
  as_vec downsets;  /* sg_set, smaller ones first */
  as_vec groups;    /* sg_group */
  as_vec edges;     /* sg_edge, by `from` */
  uint64_t dropped; /* down-sets that were not kept */
} sg_cuts;

#define SG_GROUP(cuts, i) (&AS_VEC_AT(&(cuts)->groups, sg_group, i))
#define SG_EDGE(cuts, i) (&AS_VEC_AT(&(cuts)->edges, sg_edge, i))

/* Groups of at most `most_ops` operators (or one atom) that have to do with each other: joined by
 * what they read of each other or read both, alike, or neighbours in the variant's order.  At most
 * SG_MOST_ATOMS operators.  apart: by node, whether no map is joined to it. */
void sg_cuts_init(sg_cuts *cuts, const sg_variant *variant, const bool *apart, uint32_t most_ops);
/* atoms.c: by node, the last operator of an operator's atom; malloc'ed */
uint32_t *sg_atom_roots(const sg_variant *variant, const bool *apart);
void sg_cuts_clear(sg_cuts *cuts);
/* tensors that a kernel for the operators reads, and that it stores, each once; malloc'ed */
uint32_t *sg_crossing(const as_graph *graph, const uint32_t *op, uint32_t n, uint32_t *n_tensors);
#endif

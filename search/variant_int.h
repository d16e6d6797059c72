/* Orders of a program's operators: the terms that all orders share, and changes of one term.
 * May include: variant.h, segment.h.  Private to variant*.c. */
#ifndef AS_SEARCH_VARIANT_INT_H
#define AS_SEARCH_VARIANT_INT_H
#include "segment.h"
#include "variant.h"

/* an equal term; less_work: a reduction has gone before what it need not wait for, so that what is
 * behind it has less to do, whatever one more operator costs at first */
typedef struct {
  uint32_t to;
  bool less_work;
} sg_change;

enum { SG_MOST_SWAPPED = 3 /* operands that f may be cloned to */ };

typedef struct {
  uint32_t source;     /* the program's node, or AS_NONE: made here */
  uint32_t means;      /* 1 + a node of the program that has the same value; 0: none is known */
  const as_opdef *op;  /* NULL: an input or a number */
  const as_attr *attr; /* a node's of the program, or of `attrs` */
  long number;         /* of what is made here and has no operator */
  uint32_t nargs;
  uint32_t arg[AS_MAX_ARGS];
  uint32_t rank;
  as_size dim[AS_MAX_RANK];
  double us; /* as a predefined kernel */
  bool looked_into;
  as_vec changes; /* sg_change */
} sg_term;

typedef struct {
  const as_graph *program;
  const as_target *target;
  bool concrete;
  as_vec terms;  /* sg_term */
  as_vec orders; /* of variant.c */
  as_vec attrs;  /* as_attr *: AS_MAX_ATTRS each, of terms that are made here */
} sg_terms;

#define SG_TERM(all, i) (&AS_VEC_AT(&(all)->terms, sg_term, i))

/* the term's id, which is an equal one's where there is one already */
uint32_t sg_add_term(sg_terms *all, const sg_term *made);
/* that term `of` means the same as another; nothing where they are one or have other extents */
void sg_add_change(sg_terms *all, uint32_t of, sg_change change);

/* --- variant_change.c: terms of one change, as a program of their own whose inputs are what both
 * sides read */
typedef struct {
  sg_terms *all;
  as_graph *graph;
  uint32_t leaf[3 * AS_MAX_ARGS];
  as_node_id leaf_node[3 * AS_MAX_ARGS];
  uint32_t n_leaf;
  as_err err;
} sg_scratch;

/* an operator on nodes of the scratch program, and as a term */
typedef struct {
  as_node_id node;
  uint32_t term;
} sg_made_op;

bool sg_scratch_init(sg_scratch *to, sg_terms *all);
void sg_scratch_clear(sg_scratch *to);
/* a term as an input or a number; AS_NONE: it cannot be one */
as_node_id sg_scratch_leaf(sg_scratch *to, uint32_t id);
/* the operator and attributes of `like` on these operands, terms and their nodes; false: not
 * well-formed */
bool sg_scratch_op(sg_scratch *to, const sg_term *like, const uint32_t *arg,
                   const as_node_id *arg_node, sg_made_op *out);
/* a whole number as a node */
as_node_id sg_graph_number(as_graph *graph, long number);

typedef enum { SG_MEANS_OTHER, SG_MEANS_SAME, SG_MEANS_UNKNOWN } sg_meaning;

/* whether two nodes of the scratch program have the same abstract expression on the same axes;
 * unknown where the left one has a function that abstract expressions do not look into */
sg_meaning sg_same_meaning(sg_scratch *to, as_node_id left, as_node_id right);
/* the same of a node and a whole number everywhere */
sg_meaning sg_means_number(sg_scratch *to, as_node_id node, long number);
/* the changes of one term, of all kinds, once */
void sg_look_into(sg_terms *all, uint32_t id);

/* --- variant_through.c */
/* f(g(x, y)) with f along one axis, as g of what f makes of its operands along theirs */
void sg_try_through(sg_terms *all, uint32_t id);
/* a term that is the same number everywhere, as that number */
void sg_try_constant(sg_terms *all, uint32_t id);
#endif

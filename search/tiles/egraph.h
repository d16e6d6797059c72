/* An e-graph over tile programs: statements, sequences of them, and the tiles that they compute.
 * Nodes lie in flat arrays and are hash-consed; a class is a number in a union-find.  May include:
 * base, ir, access.h.  Private to search/tiles and its tests.
 *
 *   tiles        LOAD access | NUMBER constant | CALL operator (tiles)
 *   statements   STORE access (tile) | ADD access (tile) | LOOP variable (sequence)
 *   sequences    NIL | CONS (statement, sequence) | JOIN (sequence, sequence)
 *
 * A sequence is a list, never a tree, so there is one way to write a given order.  JOIN is no
 * program by itself: it stands for the lists that its first operand's with its second operand's
 * behind are (tl_graph_join adds those), whatever either class will hold later.
 *
 * A node of a sequence may be settled: it is counted and extracted like any other, but rules and
 * joins look at the other nodes of its class alone.
 *
 * Each class keeps what its programs may read and write (access.h), over all of its nodes: what a
 * rule may not do to one of them it may not do to the class. */
#ifndef AS_TILES_EGRAPH_H
#define AS_TILES_EGRAPH_H
#include "access.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include <stdbool.h>

#define TL_KINDS(X)                                                                                \
  X(LOAD, "load")                                                                                  \
  X(NUMBER, "number")                                                                              \
  X(CALL, "call")                                                                                  \
  X(STORE, "store")                                                                                \
  X(ADD, "add")                                                                                    \
  X(LOOP, "loop")                                                                                  \
  X(NIL, "nil")                                                                                    \
  X(CONS, "cons")                                                                                  \
  X(JOIN, "join")

typedef enum {

#define TL_KIND_ID(name, word) TL_##name,
  TL_KINDS(TL_KIND_ID)
#undef TL_KIND_ID
      TL_N_KINDS
} tl_kind;

typedef struct {
  uint8_t kind;
  bool dead;    /* congruent to another node of its class */
  bool settled; /* rules look at another node of its class in its place */
  uint16_t n_kid;
  uint32_t item; /* of a LOAD, STORE, ADD the access; of a CALL its operator; of a LOOP the
                    variable; of a NUMBER the node of the program */
  uint32_t kids; /* where the operands begin in tl_graph.kid */
  uint32_t cls;  /* its class when it was made: tl_find gives the one it is in now */
  uint32_t next; /* node of the class, AS_NONE: the last one */
} tl_node;

typedef struct {
  uint32_t first; /* nodes */
  uint32_t last;
  uint32_t first_use; /* places in tl_graph.kid that name this class */
  uint32_t last_use;
  uint32_t n_use;
  uint32_t effects; /* tl_effects */
  uint64_t binds;   /* variables of loops in it, as bits */
  uint32_t shape;   /* of a tile: tl_shape; AS_NONE: no tile */
} tl_class;

typedef struct {
  uint32_t cls;
  uint32_t node;     /* that has this operand */
  uint32_t next_use; /* of the same class */
} tl_operand;

typedef struct tl_graph {
  tl_accesses *accesses; /* borrowed */
  as_vec nodes;          /* tl_node */
  as_vec kid;            /* tl_operand */
  as_vec classes;        /* tl_class, by number; those merged away are no longer looked at */
  as_vec parent;         /* uint32_t: union-find */
  as_index index;        /* of nodes */
  as_vec dirty;          /* uint32_t: classes whose uses are to be looked at again */
  uint64_t n_live;       /* nodes that are not dead */
  uint64_t unions;
  uint64_t most_nodes; /* the bound of growth; 0: none */
  bool pressing;       /* rules settle what they are applied to */
  bool full;           /* it struck: nothing is added any more, and additions give AS_NONE */
} tl_graph;

void tl_graph_init(tl_graph *graph, tl_accesses *accesses, uint64_t most_nodes);
void tl_graph_clear(tl_graph *graph);

uint32_t tl_find(const tl_graph *graph, uint32_t cls);
const tl_node *tl_node_at(const tl_graph *graph, uint32_t node);
const tl_class *tl_class_at(const tl_graph *graph, uint32_t cls);
/* the class of operand i of the node */
uint32_t tl_kid(const tl_graph *graph, uint32_t node, uint32_t i);
/* live nodes of a class: for (n = tl_first(g, c); n != AS_NONE; n = tl_next(g, n)) */
uint32_t tl_first(const tl_graph *graph, uint32_t cls);
uint32_t tl_next(const tl_graph *graph, uint32_t node);
/* how many classes there are, dead ones not counted */
uint32_t tl_graph_classes(const tl_graph *graph);

/* The class of the node, made where it is new.  AS_NONE: an operand is AS_NONE, a call's shapes do
 * not fit, or there is no room. */
uint32_t tl_add(tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid, uint32_t n_kid);
/* the class of the node; AS_NONE: there is no such node */
uint32_t tl_lookup(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                   uint32_t n_kid);
uint32_t tl_nil(tl_graph *graph);
uint32_t tl_cons(tl_graph *graph, uint32_t statement, uint32_t sequence);
/* the sequences of the first class with those of the second behind */
uint32_t tl_join(tl_graph *graph, uint32_t first, uint32_t second);
/* adds what joined classes have come to hold since; whether there was something */
bool tl_graph_join(tl_graph *graph);

/* the node; AS_NONE: there is none */
uint32_t tl_node_of(const tl_graph *graph, tl_kind kind, uint32_t item, const uint32_t *kid,
                    uint32_t n_kid);
void tl_settle(tl_graph *graph, uint32_t node, bool settled);
void tl_unsettle_all(tl_graph *graph);

/* false: they are one already, or one is AS_NONE */
bool tl_union(tl_graph *graph, uint32_t left, uint32_t right);
/* makes congruent nodes one, and effects those of all nodes: after unions, before classes are
 * looked at */
void tl_rebuild(tl_graph *graph);
#endif

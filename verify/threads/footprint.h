/* Which cells of shared memory an operation touches.  Included by verify/threads only. */
#ifndef AS_THREADS_FOOTPRINT_H
#define AS_THREADS_FOOTPRINT_H
#include "../../src/threads/core/graph.h"

/* Agents: lane 0 of compute warp w is 2 w, its other lanes 2 w + 1; the producer is the last. */
typedef struct { /* one access in the program, for one step */
  const as_tg_op *op;
  int step;
  int buf;     /* the buffer */
  bool second; /* the second operand of a product in shared memory: it follows the first */
} as_access;

typedef struct {
  const as_tg *g;
  const as_isa *isa;
  unsigned warps;
  unsigned agents;
  unsigned n;
  as_access *access;
  uint64_t *
      *cells;      /* [access * agents + agent]: bits over cells of 2 bytes of a stage; NULL none */
  unsigned *words; /* of each buffer's bit sets */
  int8_t *met;     /* [id * (n * agents) + id]: 0 not known, 1 disjoint, 2 meet; NULL: too many */
} as_footprints;

/* all accesses to shared memory of the graph; false with *why if one leaves its buffer */
bool as_footprints_init(as_footprints *f, const as_tg *g, const as_isa *isa, const char **why);
void as_footprints_clear(as_footprints *f);
int as_footprint_find(const as_footprints *f, const as_tg_op *op, int step); /* -1 none */
bool as_footprint_any(const as_footprints *f, unsigned access, unsigned agent);
/* whether two accesses, each in its stage, have a cell in common */
bool as_footprint_meet(as_footprints *f, unsigned a, unsigned agent_a, int slot_a, unsigned b,
                       unsigned agent_b, int slot_b);
#endif

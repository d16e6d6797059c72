/* Faults that the tests seed: built with AS_SEEDED_FAULTS, a copy of the lowering goes wrong in the
 * pass that lo_seeded_fault names, and the tests demand that the comparison with the evaluators
 * notices.  In the product the macro is false.  Used by the passes of src/lower. */
#ifndef AS_LOWER_FAULT_H
#define AS_LOWER_FAULT_H

typedef enum {
  LO_FAULT_NONE,
  LO_FAULT_HOISTING,
  LO_FAULT_CONTRACTION,
  LO_FAULT_LAYOUT,
  LO_FAULT_PLANNING,
  LO_FAULT_SCHEDULE,
  LO_FAULT_PIPELINING,
  LO_FAULT_PREDICATION,
  LO_FAULT_INDEX_WIDTH,
  LO_FAULT_OF_PASSES, /* the first of those in planning; itself none */
  LO_FAULT_NUMBERS,   /* a unit is taken out, and values keep their units' numbers */
  LO_FAULT_LIVE_LOADS,
  LO_FAULT_LIVE_SUMS,
  LO_FAULT_STATEMENT_SUM,
  LO_FAULT_STATEMENT_MAP,
  LO_FAULT_STATEMENT_FINISH,
  LO_FAULT_TWICE,
  LO_FAULT_PHASES,
  LO_FAULT_OFFSETS,
  LO_FAULT_ROOM,
  LO_FAULT_LIFETIMES,
  LO_FAULT_WORKSPACE,
  LO_FAULT_WORKSPACE_ROOM,
  LO_FAULT_STORE_AXIS,
  LO_FAULT_LOAD_AXIS,
  LO_FAULT_LOAD_LOOP,
  LO_FAULT_TILE_DEPTH,
  LO_FAULT_FOLLOWED,
  LO_FAULT_EPILOGUE,
  LO_FAULT_BESIDE,
  LO_FAULT_OPERANDS,
  LO_FAULT_ROUTE,
  LO_FAULT_BLOCKS,
  LO_FAULT_RESCALE,
  LO_FAULT_COUNT
} lo_fault;

#ifdef AS_SEEDED_FAULTS
extern lo_fault lo_seeded_fault;
extern char *(*lo_seeded_text)(const char *own); /* the text with a fault, malloc'ed; NULL: none */
#define LO_FAULT(which) (lo_seeded_fault == (which))
#define LO_FAULT_IN_TEXT(lowered) lo_seed_text(lowered)
#else
#define LO_FAULT(which) 0
#define LO_FAULT_IN_TEXT(lowered) (void)(lowered)
#endif
#endif

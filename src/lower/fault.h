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
  LO_FAULT_COUNT
} lo_fault;

#ifdef AS_SEEDED_FAULTS
extern lo_fault lo_seeded_fault;
#define LO_FAULT(which) (lo_seeded_fault == (which))
#else
#define LO_FAULT(which) 0
#endif
#endif

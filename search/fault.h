/* Faults of pricing that the tests plant: built with AS_SEEDED_FAULTS the cost model goes wrong
 * where sg_seeded_fault says, and the tests demand that the kernels are refused.  In the product
 * the macro is false.  Used by cost.c and chain.c. */
#ifndef AS_SEARCH_FAULT_H
#define AS_SEARCH_FAULT_H

typedef enum {
  SG_FAULT_NONE,
  SG_FAULT_FORESEEN,     /* the way is foreseen, and not asked */
  SG_FAULT_NEXT_WAY,     /* the price is that of another way */
  SG_FAULT_BLOCK,        /* .. of the general way */
  SG_FAULT_THREADS,      /* .. of a thread graph */
  SG_FAULT_FIRST_BLOCK,  /* .. of the way of the first block graph */
  SG_FAULT_CALL,         /* a call of the library is priced as a kernel of ours */
  SG_FAULT_TILES,        /* a contraction by tiles as an operator of any kind */
  SG_FAULT_FACTORS,      /* .. on registers as one on tensor cores, and the reverse */
  SG_FAULT_NOT_RECORDED, /* nothing is said of what the price is of */
  SG_FAULT_COUNT
} sg_fault;

#ifdef AS_SEEDED_FAULTS
extern sg_fault sg_seeded_fault;
#define SG_FAULT(which) (sg_seeded_fault == (which))
#else
#define SG_FAULT(which) 0
#endif
#endif

/* Element types of inputs and outputs.
 * Includes nothing.
 * Used by graphs, lowering and the runtime. */
#ifndef AS_BASE_DTYPE_H
#define AS_BASE_DTYPE_H

/* AS_INT: integers of 32 bits, of inputs only */
typedef enum { AS_F16, AS_BF16, AS_F32, AS_INT } as_dtype;

static inline int as_dtype_bytes(as_dtype type) {
  return type == AS_F32 || type == AS_INT ? 4 : 2;
}

#endif

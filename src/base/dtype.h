/* Element types of inputs and outputs.
 * Includes nothing.
 * Used by graphs, lowering and the runtime. */
#ifndef AS_BASE_DTYPE_H
#define AS_BASE_DTYPE_H

typedef enum { AS_F16, AS_BF16, AS_F32 } as_dtype;

#endif

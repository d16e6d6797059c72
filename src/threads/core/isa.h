/* Instructions as data: the rows of targets/<target>.isa.  A row has operands with their layouts
 * over F2, a meaning in the index notation of .sem, constraints, the text with holes, and a cost.
 * Includes f2.h and base.  Used by selection, printing, validation and the tests; adding an
 * instruction is adding a row. */
#ifndef AS_THREADS_ISA_H
#define AS_THREADS_ISA_H
#include "f2.h"
#include "src/base/err.h"
#include <stdbool.h>
#include <stddef.h>

#define AS_ISA_OPERANDS 4
#define AS_ISA_NEEDS 8

typedef struct {
  const char *name;
  const char *type; /* f16, bf16, f32; b16: any 16-bit type */
  as_lay lay;       /* (reg, lane[, warp]) -> index names */
} as_isa_operand;

typedef struct {
  const char *key;
  long value;
} as_isa_need;

/* result[..] += sum(over) first[..] * second[..]; n_index 0 where the meaning is not of this form
 */
typedef struct {
  bool is;
  char result[AS_LAY_NAME];
  char first[AS_LAY_NAME];
  char second[AS_LAY_NAME];
  char over[AS_LAY_NAME];
  char row[AS_LAY_NAME];    /* the result's index that `first` has */
  char column[AS_LAY_NAME]; /* the result's index that `second` has */
} as_isa_product;

typedef struct {
  const char *name;
  unsigned since; /* compute capability, times ten */
  double cost;
  unsigned n_operand;
  as_isa_operand operand[AS_ISA_OPERANDS];
  const char *means;
  as_isa_product product;
  unsigned n_need;
  as_isa_need need[AS_ISA_NEEDS];
  const char *text;
} as_isa_row;

typedef struct as_isa as_isa;
/* the rows of a target of this build (`sm_80`, `sm_90`), those that it uses included; NULL with err
 */
as_isa *as_isa_load(const char *target, as_err *err);
/* the same from a text; `use` names targets of this build */
as_isa *as_isa_parse(const char *file, const char *text, size_t len, as_err *err);
void as_isa_free(as_isa *isa);
unsigned as_isa_count(const as_isa *isa);
const as_isa_row *as_isa_nth(const as_isa *isa, unsigned i);
const as_isa_row *as_isa_find(const as_isa *isa, const char *name); /* NULL: none */
/* the layout of an operand; NULL: the row has none of this name */
const as_lay *as_isa_layout(const as_isa_row *row, const char *operand);
const as_isa_operand *as_isa_get_operand(const as_isa_row *row, const char *operand);
long as_isa_needs(const as_isa_row *row, const char *key); /* 0 where nothing is said */

/* a layout's text as as_lay_print writes it; *at moves behind it.  false: not a layout */
bool as_lay_parse(const char **at, as_lay *out);
#endif

/* Operator specifications, listed and checked, on standard output.
 * Includes semantics, ir.  Called by `ops`. */
#ifndef AS_REPORT_OPERATORS_H
#define AS_REPORT_OPERATORS_H
#include "src/ir/opdef.h"

typedef struct {
  const char *name; /* of the one that it is about; NULL: all */
  uint64_t seed;
  unsigned threads;
  bool json;
  bool quiet;
} as_report_operators;

/* The text of the one operator, which must be there; of all, their signatures, or their texts in
 * JSON. */
as_status as_report_operators_list(const as_report_operators *how, const as_oplib *library);
/* Their specifications checked: shapes, evaluators, where they are defined.  AS_NO: defects. */
as_status as_report_operators_check(const as_report_operators *how, const as_oplib *library);

#endif

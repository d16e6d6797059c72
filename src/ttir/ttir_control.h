/* Loops, branches, reductions.  Private to src/ttir. */
#ifndef AS_TTIR_CONTROL_H
#define AS_TTIR_CONTROL_H
#include "ttir_lift.h"

bool ttir_lift_for(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_if(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_reduce(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_scan(ttir_lift *lift, const as_ttir_op *op, int code);
bool ttir_lift_dot(ttir_lift *lift, const as_ttir_op *op, int code);
#endif

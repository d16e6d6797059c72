/* Text of windows.  Private to emit_window.c and emit_sweep.c. */
#ifndef AS_LOWER_EMIT_WINDOW_H
#define AS_LOWER_EMIT_WINDOW_H
#include "emit_sweep.h"
#include "window.h"

/* the text of a read of LO_WINDOW_VALUE */
void lo_window_read_text(const lo_sweeper *at, as_str *out, long number);
long lo_window_threads(const lo_window *window, int rank);
long lo_window_shared(const lo_window *window); /* bytes */
void lo_emit_window(lo_sweeper *at);
#endif

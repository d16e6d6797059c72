/* Drawings of Graphviz made fit for a page.  Includes base.  Private to src/report. */
#ifndef AS_REPORT_SVG_H
#define AS_REPORT_SVG_H
#include <stddef.h>

/* The next drawing of a text that holds several, one after the other: its `svg` element without
 * what a page has no use for (titles, comments, names that other drawings of the page have too),
 * with a width that shrinks with the page.  *text: moved behind it.  malloc'ed; NULL where there is
 * no further one, or it is not whole. */
char *as_report_svg_next(const char **text);

#endif

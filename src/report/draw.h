/* Programs and muGraphs as pictures.  May include: base, ir. */
#ifndef AS_REPORT_DRAW_H
#define AS_REPORT_DRAW_H
#include "src/ir/graph.h"
char *as_report_dot(
    const as_graph *g); /* Graphviz text; NULL for a graph too large to be looked at; malloc'ed */
/* Draws the texts that are not NULL by one run of Graphviz: svg[i] is malloc'ed, NULL where there
 * is no drawing (or no Graphviz). */
void as_report_draw(const char *const *dot, size_t n, char **svg);
#endif

/* Programs and muGraphs as pictures.  May include: base, ir. */
#ifndef AS_CLI_DRAW_H
#define AS_CLI_DRAW_H
#include "src/ir/graph.h"
char *cli_dot(const as_graph *g);  /* Graphviz text; malloc'ed */
char *cli_svg(const as_graph *g);  /* drawn by `dot`; NULL where Graphviz is not there; malloc'ed */
#endif

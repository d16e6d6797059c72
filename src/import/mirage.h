/* Reads, and writes, the muGraphs that Mirage saves (github.com/mirage-project/mirage,
 * benchmark/saved_mugraphs) and writes each as a muGraph of ours, its concrete extents lifted to
 * the named sizes of a program: grid extents, loop counts and tiles become sizes of the muGraph
 * with the relations between them; an extent for which no such reading is found stays the number
 * that it is.  The meaning of the format: docs/mirage.md. May include: base, ir,
 * jansson.  Called by src/cli. */
#ifndef AS_IMPORT_MIRAGE_H
#define AS_IMPORT_MIRAGE_H
#include "src/ir/graph.h"

typedef struct as_mirage as_mirage;
as_mirage *as_mirage_read(const char *path,
                          as_err *err); /* a list of graphs; NULL with err when the file is none */
void as_mirage_free(as_mirage *mirage);
as_mirage *as_mirage_new(void); /* without graphs */
size_t as_mirage_count(const as_mirage *mirage);
/* Text of graph i for as_parse_mug, malloc'ed; NULL with err when the graph is malformed, is not of
 * the program's inputs, or cannot be expressed. */
char *as_mirage_mug(const as_mirage *mirage, size_t index, const as_graph *program, as_err *err);
/* The other direction: adds g at its concrete sizes, where the format can express it; false with
 * err, and nothing added, where it cannot. */
bool as_mirage_add(as_mirage *mirage, const as_graph *graph, as_err *err);
void as_mirage_drop(as_mirage *mirage);        /* the graph added last */
char *as_mirage_text(const as_mirage *mirage); /* as a file holds it; malloc'ed */
#endif

/* The compiler's readers; what they read, printed and read again, is the same text. */
#include "parts.h"
#include "src/ir/graph.h"
#include <stdlib.h>
#include <string.h>

void fuzz_seeds(void) {
  parts_seeds();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  parts split = parts_of(data, n);
  as_err err;
  as_err_init(&err);
  as_oplib *lib = as_oplib_new();
  as_sizes *sizes = as_sizes_new();
  if (as_oplib_parse(lib, "a.sem", split.s[0], split.n[0], &err)) {
    as_graph *graph = as_parse_tp("a.tp", split.s[1], split.n[1], sizes, lib, &err);
    as_graph *mugraph = graph ? as_parse_mug("a.mug", split.s[2], split.n[2], graph, &err) : NULL;
    if (mugraph) {
      char *text = as_print_mug(mugraph);
      as_sizes *S2 = as_sizes_new();
      as_graph *g2 = as_parse_tp("a.tp", split.s[1], split.n[1], S2, lib, &err);
      as_graph *other = g2 ? as_parse_mug("b.mug", text, strlen(text), g2, &err) : NULL;
      if (!other)
        abort();
      char *again = as_print_mug(other);
      if (strcmp(text, again))
        abort();
      free(text);
      free(again);
      as_graph_free(other);
      as_graph_free(g2);
      as_sizes_free(S2);
    }
    if (mugraph)
      as_graph_free(mugraph);
    if (graph)
      as_graph_free(graph);
  }
  as_sizes_free(sizes);
  as_oplib_free(lib);
  as_err_clear(&err);
  return 0;
}

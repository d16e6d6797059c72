/* Compiled operators that are kept, and evaluations that keep none. */
#include "eval_codes.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* opcodes by graph, node and domain */
struct as_eval_codes {
  as_map number; /* of the opcode */
  as_vec opcodes;
};

/* copies of a graph over other sizes have the same nodes */
#define CODE_KEY(graph, node, domain) AS_KEY((uintptr_t)(graph)->node, (node), (uintptr_t)(domain))

as_eval_codes *as_eval_codes_new(void) {
  as_eval_codes *codes = as_calloc(1, sizeof *codes);
  as_map_init(&codes->number, 3);
  as_vec_init(&codes->opcodes, sizeof(as_opcode *));
  return codes;
}

void as_eval_codes_free(as_eval_codes *codes) {
  if (codes == NULL)
    return;
  for (size_t i = 0; i < codes->opcodes.n; i++)
    as_opcode_free(AS_VEC_AT(&codes->opcodes, as_opcode *, i));
  as_vec_clear(&codes->opcodes);
  as_map_clear(&codes->number);
  free(codes);
}

as_opcode *as_eval_codes_find(const as_eval_codes *codes, const as_graph *graph, as_node_id node,
                              const as_domain *domain) {
  uint64_t number;
  bool kept = codes && as_map_get(&codes->number, CODE_KEY(graph, node, domain), &number);
  return kept ? AS_VEC_AT(&codes->opcodes, as_opcode *, number) : NULL;
}

void as_eval_codes_keep(as_eval_codes *codes, const as_graph *graph, as_node_id node,
                        const as_domain *domain, as_opcode *opcode) {
  if (as_eval_codes_find(codes, graph, node, domain) == opcode)
    return;
  as_map_put(&codes->number, CODE_KEY(graph, node, domain), codes->opcodes.n);
  as_vec_push(&codes->opcodes, &opcode);
}

as_status as_eval_graph_ops(const as_graph *graph, const as_domain *domain, const int64_t *env,
                            const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                            as_eval_marks *marks, as_err *err) {
  return as_eval_graph_again(graph, domain, env, NULL, inputs, outputs, max_ops, marks, err);
}

as_status as_eval_graph(const as_graph *graph, const as_domain *domain, const int64_t *env,
                        const as_tensor *inputs, as_tensor *outputs, as_err *err) {
  return as_eval_graph_ops(graph, domain, env, inputs, outputs, 0, NULL, err);
}

/* Compiled operators that are kept from one evaluation to the next.  May include: eval.h.  Called
 * by eval.c only; for others they are opaque. */
#ifndef AS_EVAL_CODES_H
#define AS_EVAL_CODES_H
#include "eval.h"

/* NULL: not kept; codes NULL: nothing is */
as_opcode *as_eval_codes_find(const as_eval_codes *codes, const as_graph *graph, as_node_id node,
                              const as_domain *domain);
/* takes the opcode; keeping it again changes nothing */
void as_eval_codes_keep(as_eval_codes *codes, const as_graph *graph, as_node_id node,
                        const as_domain *domain, as_opcode *opcode);
#endif

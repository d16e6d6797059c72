/* Reading programs and muGraphs of the source tree, for the tests of the
 * evaluators. */
#ifndef TEST_EVAL_LOAD_H
#define TEST_EVAL_LOAD_H
#include "../../semantics/eval.h"
#include "src/base/rng.h"

extern const char *const load_examples[]; /* names in examples/, NULL at the end */
char *load_path(const char *dir, const char *name, const char *ext);
as_graph *load_tp(const char *path, as_sizes *S, as_oplib *L);
as_graph *load_mug(const char *path, const as_graph *program);
as_graph *load_text(const char *text, as_sizes *S, as_oplib *L,
                    const as_graph *given); /* a program, or a muGraph of the given one; or exits */
as_graph *load_mug_text(const char *text, const as_graph *program); /* NULL if it does not parse */

typedef struct {
  as_sizes *S;
  as_graph *tp;
  as_graph *mug;
  char *tp_text;
  char *mug_text;
} load_pair; /* an example and its muGraph */

void load_pair_init(load_pair *p, const char *name, as_oplib *L);
void load_pair_clear(load_pair *p);
char *load_mutate(const char *text,
                  as_rng *rng); /* changes one token of a muGraph's text; malloc'ed */
#endif

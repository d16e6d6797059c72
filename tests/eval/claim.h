/* What the checker reads in two texts, for the tests that compare the two readings of SEMANTICS.md.
 */
#ifndef TEST_EVAL_CLAIM_H
#define TEST_EVAL_CLAIM_H
#include "../../proofs/checker/ck_claim.h"
#include "../../semantics/eval.h"

/* The checker's claim of two texts, and the values of its equality goals. */
typedef struct {
  ck_terms *T;
  ck_claim *claim;
  char **sem;
  uint32_t n_sem;
  ck_text *text;
  char *why;   /* refused */
  bool absurd; /* because what is stated or needed is false at any sizes, or at those stated */
} load_claim;

bool load_claim_init(load_claim *c, const as_oplib *L, const char *spec,
                     const char *cand); /* false if the checker's reader refuses */
bool load_claim_files(load_claim *c, const char *const *files, uint32_t n, const char *spec,
                      const char *cand); /* the same, with these specifications */
bool load_claim_rule(load_claim *c, const as_oplib *L, const char *file, const char *text,
                     const char *name); /* of a rule of the text */
void load_claim_clear(load_claim *c);
ck_id load_claim_goal(const load_claim *c,
                      const char *output); /* the equation, CK_BAD if there is none */
/* one side (0 given, 1 candidate) of the goal at element ix of the output, at these sizes and
 * inputs */
as_status load_claim_value(const load_claim *c, const as_graph *spec, ck_id goal, uint32_t side,
                           const int64_t *env, const as_tensor *in, const int64_t *ix, void *out,
                           as_err *err);
#endif

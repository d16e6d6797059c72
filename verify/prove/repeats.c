/* Choices that ask once more what is known where they stand (see pv_norm.h).
 *
 * What is stored in each round is a choice of what the rounds before have stored, and a tensor that
 * is computed of such ones chooses by the same conditions at every element that it reads: the
 * conditions repeat inside of what they guard, as often as tensors follow each other.  There they
 * are met, or fail, which is seen by their text alone. */
#include "pv_norm.h"
#include "src/base/mem.h"

enum { MOST_AT_ONCE = 32 };

typedef struct {
  pv *prover;
  ck_id cond; /* it holds, by the theorem */
  pv_thm holds;
  as_map seen;
  ck_id from[MOST_AT_ONCE];
  pv_thm by[MOST_AT_ONCE];
  uint32_t n;
} repeats;

/* the outermost choices by that condition, or by its negation, in the term */
static void find(repeats *found, ck_id term) {
  pv *prover = found->prover;
  const ck_terms *terms = prover->terms;
  uint64_t known;
  if (found->n == MOST_AT_ONCE || as_map_get(&found->seen, AS_KEY(term), &known))
    return;
  as_map_put(&found->seen, AS_KEY(term), 1);
  if (ck_is(terms, term, CK_ITE) && ck_is_closed(terms, term)) {
    ck_id asks = ck_kid(terms, term, 0);
    bool fails = asks == ck_neg(prover->terms, found->cond);
    if (asks == found->cond || fails) {
      found->from[found->n] = term;
      found->by[found->n++] = pv_law(prover, fails ? "ite0" : "ite1", &term, 1, found->holds);
      return;
    }
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++)
    find(found, ck_kid(terms, term, i));
}

pv_eqn pv_without_repeats(pv *prover, ck_id term, ck_id cond, pv_thm holds) {
  enum { MOST_ROUNDS = 16 };

  pv_eqn eqn = pv_same(term);
  for (uint32_t round = 0; round < MOST_ROUNDS && eqn.by != PV_NONE; round++) {
    repeats found = {.prover = prover, .cond = cond, .holds = holds};
    as_map_init(&found.seen, 1);
    find(&found, eqn.to);
    as_map_clear(&found.seen);
    if (found.n == 0)
      return eqn;
    eqn = pv_then(prover, eqn, pv_rewrite(prover, eqn.to, found.from, found.by, found.n));
  }
  return eqn;
}

/* Small concrete sizes that satisfy all relations of a program and its candidate.
 * May include: base, ir, semantics.  Called by the field test, the refuter, the tests. */
#ifndef AS_INSTANCE_H
#define AS_INSTANCE_H
#include "../../semantics/eval.h"
#include "src/base/rng.h"

/* Size symbols of both graphs; those that an equation `S = expr` defines are computed, the others
 * are free: values are chosen for them. */
typedef struct {
  as_sizes *S;
  as_size *sym;
  uint32_t n; /* all symbols of both graphs */
  as_size *defined;
  as_size *definition;
  uint32_t n_defined; /* computed symbols in order, each with its expression */
  as_size *chosen;
  uint32_t n_chosen; /* the free symbols */
  as_size *needed;
  uint32_t n_needed; /* the symbols on which a computed one depends */
  as_vec facts;      /* all relations and the obligations of the given program's calls */
  as_vec wishes;     /* of as_size_fact: what as_instance_walk also tries to meet */
  int64_t *env;      /* the current assignment */
} as_instance;

bool as_instance_init(as_instance *inst, const as_graph *spec, const as_graph *cand,
                      as_err *err); /* cand may be NULL */
void as_instance_wish(as_instance *inst, as_size lhs, as_rel rel, as_size rhs);
void as_instance_clear(as_instance *inst);
/* free symbols from env: computes the others and checks everything */
bool as_instance_settle(as_instance *inst);
/* random free symbols up to `most` (from their least values on), tries times; false: none found */
bool as_instance_between(as_instance *inst, as_rng *rng, int64_t low, int64_t most,
                         uint32_t tries); /* the same, sizes at least `low` */
/* random values, then steps that change one symbol of a relation that fails so that the fewest
 * fail: for relations that chance hardly meets */
bool as_instance_walk(as_instance *inst, as_rng *rng, int64_t most, uint32_t steps);
void as_instance_reduce(as_instance *inst,
                        uint32_t values); /* each free symbol to the simplest of so
                                          many values that keeps the relations */
bool as_instance_simpler(as_instance *inst, uint32_t i,
                         int64_t k); /* sets free symbol i to the k-th simplest value; false: its
                                        present value comes first */
bool as_instance_random(as_instance *inst, as_rng *rng, int64_t most, uint32_t tries);
/* each symbol up to `few` or up to `most`, by chance: where only some of them have to be large */
bool as_instance_mixed(as_instance *inst, as_rng *rng, int64_t few, int64_t most, uint32_t tries);
double as_instance_count(const as_instance *inst,
                         int64_t top); /* assignments of the free symbols up to `top` */
/* calls f for the assignments of the free symbols whose largest value (of an integer: its amount)
 * is `top`, until f gives true; at most `limit` assignments (then random ones) */
bool as_instance_each(as_instance *inst, as_rng *rng, int64_t top, uint32_t limit,
                      bool (*f)(void *arg), void *arg);
#endif

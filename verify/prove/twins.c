/* Twins: definitions of the candidate that are the given side's but for the names of symbols and
 * sizes (see pv_loops.h).
 *
 * What loops carry is defined with what their bodies compute, each by the other; so the definitions
 * of a loop, and of all loops in it, are compared as one unit: they are twins if each is the other
 * once all of them, what was defined before, and the sizes of tiles are renamed.  A theorem about
 * the given side's symbols then is one about the candidate's: functions may be put for functions
 * and variables for variables, and the clauses that it rests on become the candidate's. */
#include "pv_loops.h"
#include "src/base/mem.h"
#include <stdlib.h>

struct pv_twins {
  pv *prover;
  const pv_defs *defs;
  const ck_claim *claim;
  uint32_t *twin; /* of a symbol its twin on the other side; PV_NONE: it has none */
  as_vec sizes;   /* pv_var_sub: a variable of the given side, and the candidate's in its place */
};

/* definitions first .. first + count - 1: of one outermost loop, or one that stands in none */
typedef struct {
  uint32_t first;
  uint32_t count;
} unit;

static unit unit_at(const ck_claim *claim, uint32_t first) {
  const ck_definition *def = &claim->definitions[first];
  unit whole = {first, 1};
  if (def->n_loops == 0)
    return whole;
  for (uint32_t i = first + 1; i < claim->n_definitions; i++) {
    const ck_definition *next = &claim->definitions[i];
    if (next->n_loops == 0 || next->loop[0] != def->loop[0])
      break;
    whole.count++;
  }
  return whole;
}

static bool same_shape(const ck_definition *a, const ck_definition *b) {
  if (a->n != b->n || a->signature != b->signature || a->carried != b->carried ||
      a->n_loops != b->n_loops)
    return false;
  for (uint32_t k = 0; k < a->n; k++) {
    if (a->parameter[k] != b->parameter[k])
      return false;
  }
  return true;
}

/* is the variable of the candidate what stands for the given side's? decided when first asked */
static bool same_variable(pv_twins *twins, ck_id mine, ck_id theirs) {
  if (ck_is_int(twins->prover->terms, mine) != ck_is_int(twins->prover->terms, theirs))
    return false;
  for (size_t i = 0; i < twins->sizes.n; i++) {
    pv_var_sub *known = &AS_VEC_AT(&twins->sizes, pv_var_sub, i);
    if (known->var == theirs)
      return known->term == mine;
  }
  pv_var_sub pair = {theirs, mine};
  as_vec_push(&twins->sizes, &pair);
  return true;
}

/* is the candidate's term the given side's, but for names? seen: pairs that are */
static bool same_term(pv_twins *twins, ck_id mine, ck_id theirs, as_map *seen) {
  const ck_terms *terms = twins->prover->terms;
  uint64_t known;
  if (as_map_get(seen, AS_KEY(mine, theirs), &known))
    return true;
  const ck_node here = terms->node[mine];
  const ck_node there = terms->node[theirs];
  if (here.op != there.op || here.n != there.n)
    return false;
  if (here.op == CK_V)
    return same_variable(twins, mine, theirs);
  uint32_t number = pv_defs_number(twins->defs, mine);
  bool same = here.b == there.b;
  if (number != PV_NONE)
    same = same && twins->twin[number] == pv_defs_number(twins->defs, theirs);
  else
    same = same && here.a == there.a;
  for (uint32_t i = 0; same && i < here.n; i++)
    same = same_term(twins, ck_kid(terms, mine, i), ck_kid(terms, theirs, i), seen);
  if (same)
    as_map_put(seen, AS_KEY(mine, theirs), 1);
  return same;
}

/* are the candidate's definitions the given ones, once they are called like them? */
static bool are_twins(pv_twins *twins, unit candidate, unit given) {
  const ck_definition *defs = twins->claim->definitions;
  size_t sizes_before = twins->sizes.n;
  bool same = candidate.count == given.count;
  for (uint32_t k = 0; k < candidate.count && same; k++)
    same = same_shape(&defs[candidate.first + k], &defs[given.first + k]);
  if (!same)
    return false;
  for (uint32_t k = 0; k < candidate.count; k++)
    twins->twin[candidate.first + k] = given.first + k;
  as_map seen;
  as_map_init(&seen, 2);
  for (uint32_t k = 0; k < candidate.count && same; k++) {
    const ck_definition *mine = &defs[candidate.first + k];
    const ck_definition *theirs = &defs[given.first + k];
    same = same_term(twins, mine->body, theirs->body, &seen) &&
           (!mine->carried || same_term(twins, mine->base, theirs->base, &seen));
  }
  as_map_clear(&seen);
  for (uint32_t k = 0; k < candidate.count; k++) {
    if (same)
      twins->twin[given.first + k] = candidate.first + k;
    else
      twins->twin[candidate.first + k] = PV_NONE;
  }
  if (!same)
    twins->sizes.n = sizes_before;
  return same;
}

/* Each given unit has one twin at most.  The one after the last that was found is asked first, so a
 * program against itself asks once a unit. */
static void find_twins(pv_twins *twins) {
  const ck_claim *claim = twins->claim;
  as_vec given;
  size_t next = 0;
  as_vec_init(&given, sizeof(unit));
  for (uint32_t i = 0; i < claim->n_definitions;) {
    unit here = unit_at(claim, i);
    i += here.count;
    if (!claim->definitions[here.first].candidate) {
      as_vec_push(&given, &here);
      continue;
    }
    for (size_t k = 0; k < given.n; k++) {
      size_t which = (next + k) % given.n;
      unit other = AS_VEC_AT(&given, unit, which);
      if (twins->twin[other.first] == PV_NONE && are_twins(twins, here, other)) {
        next = which + 1;
        break;
      }
    }
  }
  as_vec_clear(&given);
}

pv_twins *pv_twins_new(pv *prover, const pv_defs *defs, const ck_claim *claim) {
  pv_twins *twins = as_calloc(1, sizeof *twins);
  *twins = (pv_twins){.prover = prover, .defs = defs, .claim = claim};
  as_vec_init(&twins->sizes, sizeof(pv_var_sub));
  twins->twin = as_calloc(claim->n_definitions + 1, sizeof *twins->twin);
  bool loops = false;
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    twins->twin[i] = PV_NONE;
    loops = loops || claim->definitions[i].carried;
  }
  if (loops)
    find_twins(twins);
  return twins;
}

void pv_twins_free(pv_twins *twins) {
  as_vec_clear(&twins->sizes);
  free(twins->twin);
  free(twins);
}

uint32_t pv_twin(const pv_twins *twins, uint32_t number) {
  return twins->claim->definitions[number].candidate ? twins->twin[number] : PV_NONE;
}

/* of the symbols in the list their twins, at the parameters; false: one has none */
static bool renaming(const pv_twins *twins, const as_vec *list, ck_fsub *by) {
  for (size_t i = 0; i < list->n; i++) {
    uint32_t number = AS_VEC_AT(list, uint32_t, i);
    uint32_t twin = twins->twin[number];
    const ck_definition *def = &twins->claim->definitions[number];
    if (twin == PV_NONE)
      return false;
    ck_id body = ck_make(twins->prover->terms, CK_APP, twins->claim->definitions[twin].name,
                         def->signature, def->parameter, def->n);
    by[i] = (ck_fsub){def->name, def->signature, def->parameter, def->n, body};
  }
  return true;
}

pv_thm pv_twin_theorem(const pv_twins *twins, pv_thm thm) {
  pv *prover = twins->prover;
  uint32_t n_hyps;
  as_vec list;
  as_vec sizes;
  if (thm == PV_NONE)
    return PV_NONE;
  as_vec_init(&list, sizeof(uint32_t));
  as_vec_init(&sizes, sizeof(pv_var_sub));
  for (size_t i = 0; i < twins->sizes.n; i++) {
    pv_var_sub *size = &AS_VEC_AT(&twins->sizes, pv_var_sub, i);
    if (size->var != size->term)
      as_vec_push(&sizes, size);
  }
  const ck_id *hyps = ck_thm_hyps(prover->proof, thm, &n_hyps);
  for (uint32_t i = 0; i < n_hyps; i++)
    pv_defs_symbols(twins->defs, hyps[i], &list);
  pv_defs_symbols(twins->defs, pv_says(prover, thm), &list);
  ck_fsub *by = as_calloc(list.n + 1, sizeof *by);
  pv_thm there = renaming(twins, &list, by) ? pv_inst(prover, thm, sizes.data, (uint32_t)sizes.n,
                                                      by, (uint32_t)list.n, NULL, 0)
                                            : PV_NONE;
  free(by);
  as_vec_clear(&sizes);
  as_vec_clear(&list);
  return there;
}

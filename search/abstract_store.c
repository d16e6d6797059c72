/* Interning of atoms, monomials and expressions: see abstract_store.h. */
#include "abstract_store.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

ax_id ax_refuse(ax_store *store) {
  store->refused++;
  return AX_BAD;
}

uint64_t ax_refused(const ax_store *store) {
  return store->refused;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

static uint64_t hash_atom(const ax_atom *of) {
  uint64_t hash = mix(mix((uint64_t)of->kind, of->payload), of->parts);
  for (const char *p = of->head; p && *p; p++)
    hash = mix(hash, (uint64_t)*p);
  for (uint32_t i = 0; i < of->n; i++)
    hash = mix(hash, of->arg[i]);
  return hash;
}

static uint64_t hash_powers(uint64_t hash, const ax_power *factors, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    hash = mix(mix(hash, factors[i].atom), (uint64_t)(int64_t)factors[i].exp);
  return hash;
}

static uint64_t hash_terms(const ax_addend *terms, uint32_t n) {
  uint64_t hash = 13;
  for (uint32_t i = 0; i < n; i++)
    hash = mix(mix(mix(hash, terms[i].mono), (uint64_t)terms[i].num), (uint64_t)terms[i].den);
  return hash;
}

static bool same_powers(const ax_power *left, const ax_power *right, uint32_t n) {
  return n == 0 || memcmp(left, right, n * sizeof *left) == 0;
}

static ax_power *keep_powers(ax_store *store, const ax_power *factors, uint32_t n) {
  ax_power *kept = as_arena_alloc(store->mem, (n + 1) * sizeof *kept);
  if (n)
    memcpy(kept, factors, n * sizeof *kept);
  return kept;
}

static bool same_atom(const ax_atom *known, const ax_atom *wanted) {
  return known->kind == wanted->kind && known->payload == wanted->payload &&
         known->parts == wanted->parts && known->n == wanted->n &&
         (!wanted->n || !memcmp(known->arg, wanted->arg, wanted->n * sizeof *wanted->arg)) &&
         !strcmp(known->head ? known->head : "", wanted->head ? wanted->head : "");
}

uint32_t ax_intern_atom(ax_store *store, const ax_atom *wanted) {
  uint64_t hash = hash_atom(wanted);
  as_index_walk walk = as_index_start(&store->atom_index, hash);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (same_atom(AX_ATOM(store, id), wanted))
      return id;
  }
  ax_atom kept = *wanted;
  kept.arg = as_arena_alloc(store->mem, (wanted->n + 1) * sizeof *kept.arg);
  if (wanted->n)
    memcpy(kept.arg, wanted->arg, wanted->n * sizeof *kept.arg);
  kept.head = wanted->head ? as_arena_strdup(store->mem, wanted->head) : NULL;
  uint32_t id = (uint32_t)store->atoms.n;
  as_vec_push(&store->atoms, &kept);
  as_index_add(&store->atom_index, hash, id);
  return id;
}

static uint32_t intern_reduced(ax_store *store, const ax_power *factors, uint32_t n) {
  uint64_t hash = hash_powers(11, factors, n);
  as_index_walk walk = as_index_start(&store->reduced_index, hash);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    const ax_reduced *known = AX_REDUCED(store, id);
    if (known->n == n && same_powers(known->factors, factors, n))
      return id;
  }
  ax_reduced kept = {n, keep_powers(store, factors, n)};
  uint32_t id = (uint32_t)store->reds.n;
  as_vec_push(&store->reds, &kept);
  as_index_add(&store->reduced_index, hash, id);
  return id;
}

uint32_t ax_intern_monomial(ax_store *store, uint64_t dep, const ax_power *factors, uint32_t n) {
  uint64_t hash = hash_powers(mix(7, dep), factors, n);
  as_index_walk walk = as_index_start(&store->mono_index, hash);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    const ax_monomial *known = AX_MONOMIAL(store, id);
    if (known->dep == dep && known->n == n && same_powers(known->factors, factors, n))
      return id;
  }
  ax_power unitless[AX_MAX_FACTORS];
  uint32_t n_unitless = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (AX_ATOM(store, factors[i].atom)->kind != AX_SIZE)
      unitless[n_unitless++] = factors[i];
  }
  ax_monomial kept = {.dep = dep, .n = n, .factors = keep_powers(store, factors, n)};
  kept.reduced = intern_reduced(store, unitless, n_unitless);
  uint32_t id = (uint32_t)store->monos.n;
  as_vec_push(&store->monos, &kept);
  as_index_add(&store->mono_index, hash, id);
  return id;
}

static int compare_terms(const void *left, const void *right) {
  return as_id_compare(&((const ax_addend *)left)->mono, &((const ax_addend *)right)->mono);
}

bool ax_lowest_terms(__int128 over, __int128 under, int64_t *num, int64_t *den) {
  __int128 divisor = over < 0 ? -over : over;
  __int128 rest = under;
  while (rest) {
    __int128 remainder = divisor % rest;
    divisor = rest;
    rest = remainder;
  }
  if (divisor) {
    over /= divisor;
    under /= divisor;
  }
  if (over > INT64_MAX || over < -INT64_MAX || under > INT64_MAX)
    return false;
  *num = (int64_t)over;
  *den = (int64_t)under;
  return true;
}

/* adds terms of one monomial, drops those that are zero; false: beyond 64 bits */
static bool collect_terms(ax_addend *terms, uint32_t n, uint32_t *n_kept) {
  *n_kept = 0;
  if (n)
    qsort(terms, n, sizeof *terms, compare_terms);
  for (uint32_t i = 0; i < n;) {
    ax_addend sum = terms[i++];
    for (; i < n && terms[i].mono == sum.mono; i++) {
      if (!ax_lowest_terms((__int128)sum.num * terms[i].den + (__int128)terms[i].num * sum.den,
                           (__int128)sum.den * terms[i].den, &sum.num, &sum.den))
        return false;
    }
    if (sum.num)
      terms[(*n_kept)++] = sum;
  }
  return true;
}

static bool same_terms(const ax_addend *left, const ax_addend *right, uint32_t n) {
  uint32_t i = 0;
  while (i < n && left[i].mono == right[i].mono && left[i].num == right[i].num &&
         left[i].den == right[i].den)
    i++;
  return i == n;
}

ax_id ax_intern_expr(ax_store *store, ax_addend *terms, uint32_t n_given) {
  uint32_t n;
  if (n_given > AX_MAX_TERMS * AX_MAX_TERMS || !collect_terms(terms, n_given, &n) ||
      n > AX_MAX_TERMS)
    return ax_refuse(store);
  uint64_t hash = hash_terms(terms, n);
  as_index_walk walk = as_index_start(&store->expr_index, hash);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    const ax_expr *known = AX_EXPR(store, id);
    if (known->n == n && same_terms(known->terms, terms, n))
      return id;
  }
  ax_expr kept = {.n = n};
  kept.terms = as_arena_alloc(store->mem, (n + 1) * sizeof *kept.terms);
  kept.reduced_ids = as_arena_alloc(store->mem, (n + 1) * sizeof *kept.reduced_ids);
  for (uint32_t i = 0; i < n; i++) {
    kept.terms[i] = terms[i];
    kept.dep |= AX_MONOMIAL(store, terms[i].mono)->dep;
    kept.reduced_ids[i] = AX_MONOMIAL(store, terms[i].mono)->reduced;
  }
  qsort(kept.reduced_ids, n, sizeof *kept.reduced_ids, as_id_compare);
  for (uint32_t i = 0; i < n; i++) {
    if (!kept.n_reduced || kept.reduced_ids[kept.n_reduced - 1] != kept.reduced_ids[i])
      kept.reduced_ids[kept.n_reduced++] = kept.reduced_ids[i];
  }
  uint32_t id = (uint32_t)store->exprs.n;
  as_vec_push(&store->exprs, &kept);
  as_index_add(&store->expr_index, hash, id);
  return id;
}

ax_store *ax_new(void) {
  ax_store *store = as_calloc(1, sizeof *store);
  store->mem = as_arena_new();
  as_vec_init(&store->atoms, sizeof(ax_atom));
  as_vec_init(&store->monos, sizeof(ax_monomial));
  as_vec_init(&store->reds, sizeof(ax_reduced));
  as_vec_init(&store->exprs, sizeof(ax_expr));
  as_map_init(&store->product, 1);
  as_map_init(&store->part, 1);
  ax_intern_expr(store, NULL, 0); /* AX_ZERO */
  ax_int(store, 1);               /* AX_ONE */
  return store;
}

void ax_free(ax_store *store) {
  if (!store)
    return;
  as_arena_free(store->mem);
  as_vec_clear(&store->atoms);
  as_vec_clear(&store->monos);
  as_vec_clear(&store->reds);
  as_vec_clear(&store->exprs);
  as_index_clear(&store->atom_index);
  as_index_clear(&store->mono_index);
  as_index_clear(&store->reduced_index);
  as_index_clear(&store->expr_index);
  as_map_clear(&store->product);
  as_map_clear(&store->part);
  free(store);
}

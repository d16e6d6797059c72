/* Deciding equations and inequalities between sizes, from the `where` relations and the least
 * sizes.  Sound, not complete: what it cannot show is left to whoever asks (for programs: refused;
 * the prover has its own means). */
#include "graph_int.h"
#include <stdlib.h>

/* an equation that defines a symbol */
static bool definition(as_sizes *S, const as_size_fact *f, as_size *sym, as_size *by) {
  if (f->rel != AS_REL_EQ)
    return false;
  for (int turn = 0; turn < 2; turn++) {
    *sym = turn ? f->rhs : f->lhs;
    *by = turn ? f->lhs : f->rhs;
    if (as_size_is_sym(S, *sym) && as_size_subst(S, *by, *sym, 0) == *by)
      return true;
  }
  return false;
}

static const as_size_fact *fact(const as_graph *g, uint32_t i) {
  if (i < g->n_fact)
    return &g->fact[i];
  i -= g->n_fact;
  return g->program && i < g->program->n_fact ? &g->program->fact[i] : NULL;
}

static as_size reduce(const as_graph *g, as_size a) {
  for (int round = 0; round < 8;
       round++) { /* definitions may build on each other; a cycle of them ends with the rounds */
    as_size old = a;
    as_size sym;
    as_size by;
    const as_size_fact *f;
    for (uint32_t i = 0; (f = fact(g, i)) != NULL; i++) {
      if (!definition(g->sizes, f, &sym, &by))
        continue;
      as_size b = as_size_subst(g->sizes, a, sym, by);
      if (b != AS_SIZE_BAD)
        a = b;
    }
    if (a == old)
      break;
  }
  return a;
}

/* a chain of equations, each with both sides reduced, leads from x to y: two kernels that split one
 * extent differently */
static bool joined(const as_graph *g, as_size x, as_size y) {
  uint32_t n = 0;
  uint32_t k = 1;
  while (fact(g, n) != NULL)
    n++;
  as_size *reached = as_malloc((n + 1) * sizeof *reached);
  reached[0] = x;
  bool *used = as_calloc(n + 1, sizeof *used);
  bool found = false;
  for (uint32_t at = 0; at < k && !found; at++) {
    for (uint32_t i = 0; i < n && !found; i++) {
      const as_size_fact *f = fact(g, i);
      if (used[i] || f->rel != AS_REL_EQ)
        continue;
      as_size l = reduce(g, f->lhs);
      as_size r = reduce(g, f->rhs);
      if (l != reached[at] && r != reached[at])
        continue;
      used[i] = true;
      reached[k] = l == reached[at] ? r : l;
      found = reached[k++] == y;
    }
  }
  free(reached);
  free(used);
  return found;
}

bool as_graph_same_size(const as_graph *g, as_size a, as_size b) {
  if (a == b)
    return a != AS_SIZE_BAD;
  if (a == AS_SIZE_BAD || b == AS_SIZE_BAD)
    return false;
  as_size x = reduce(g, a);
  as_size y = reduce(g, b);
  if (x == y)
    return true;
  as_size d = as_size_sub(g->sizes, x, y);
  if (d == AS_SIZE_BAD)
    return false;
  const as_size_fact *f;
  for (uint32_t i = 0; (f = fact(g, i)) != NULL; i++) {
    if (f->rel != AS_REL_EQ)
      continue;
    as_size l = reduce(g, f->lhs);
    as_size r = reduce(g, f->rhs);
    as_size e = as_size_sub(g->sizes, l, r);
    as_size minus = as_size_sub(g->sizes, r, l);
    if (e != AS_SIZE_BAD && (d == e || d == minus))
      return true;
  }
  return joined(g, x, y);
}

static bool natural(const as_sizes *S, as_size atom) {
  return as_size_is_sym(S, atom) && as_size_least(S, atom) >= 0;
}

/* sign of d >= 0 from the least sizes: each symbol is least + something >= 0 */
static as_truth nonnegative(const as_graph *g, as_size d) {
  as_sizes *S = g->sizes;
  if (d == AS_SIZE_BAD)
    return AS_OPEN;
  bool plain = true; /* sums of products of sizes: nothing to look up */
  for (uint32_t i = 0; i < as_size_nmono(S, d) && plain; i++) {
    as_size_mono m = as_size_get_mono(S, d, i);
    plain = m.coef > 0;
    for (uint32_t k = 0; k < m.n; k++)
      plain = plain && natural(S, m.atom[k]);
  }
  if (plain)
    return AS_HOLDS;
  for (uint32_t i = 0;; i++) {
    as_size s = as_size_nth_sym(S, i);
    if (s == AS_SIZE_BAD)
      break;
    if (as_size_least(S, s) == 0 || as_size_least(S, s) == AS_SIZE_NO_LEAST)
      continue;
    d = as_size_subst(S, d, s, as_size_add(S, s, as_size_int(S, as_size_least(S, s))));
    if (d == AS_SIZE_BAD)
      return AS_OPEN;
  }
  bool up = true;
  bool down = true;
  long constant = 0;
  for (uint32_t i = 0; i < as_size_nmono(S, d); i++) {
    as_size_mono m = as_size_get_mono(S, d, i);
    if (m.n == 0)
      constant = m.coef;
    for (uint32_t k = 0; k < m.n; k++) {
      if (!natural(S, m.atom[k]))
        return AS_OPEN;
    }
    if (m.n && m.coef < 0)
      up = false;
    if (m.n && m.coef > 0)
      down = false;
  }
  if (up && constant >= 0)
    return AS_HOLDS;
  return down && constant < 0 ? AS_FAILS : AS_OPEN;
}

as_truth as_graph_decide(const as_graph *g, as_size a, as_rel rel, as_size b) {
  as_sizes *S = g->sizes;
  if (rel == AS_REL_EQ && as_graph_same_size(g, a, b))
    return AS_HOLDS;
  if (rel == AS_REL_NE && as_graph_same_size(g, a, b))
    return AS_FAILS;
  as_size d = as_size_sub(S, reduce(g, b), reduce(g, a));
  if (d == AS_SIZE_BAD)
    return AS_OPEN;
  as_truth lt = nonnegative(g, as_size_sub(S, d, AS_SIZE_ONE));
  if (rel == AS_REL_LE)
    return nonnegative(g, d);
  if (rel == AS_REL_LT)
    return lt;
  as_truth gt = nonnegative(g, as_size_sub(S, as_size_sub(S, 0, d), AS_SIZE_ONE));
  if (lt == AS_HOLDS || gt == AS_HOLDS)
    return rel == AS_REL_EQ ? AS_FAILS : AS_HOLDS;
  return AS_OPEN;
}

static bool all_known(const as_graph *g, as_size a) {
  const as_sizes *S = g->sizes;
  as_size num;
  as_size den;
  for (uint32_t i = 0; i < as_size_nmono(S, a); i++) {
    as_size_mono m = as_size_get_mono(S, a, i);
    for (uint32_t k = 0; k < m.n; k++) {
      if (as_size_is_sym(S, m.atom[k])) {
        if (as_size_value(S, m.atom[k]) < 0)
          return false;
      } else if (as_size_atom(S, m.atom[k], &num, &den) == AS_SIZE_SYM || !all_known(g, num) ||
                 !all_known(g, den)) {
        return false;
      }
    }
  }
  return true;
}

bool as_graph_concrete(const as_graph *g, as_size a, int64_t *out) {
  const as_sizes *S = g->sizes;
  if (a >= as_size_count(S) || !all_known(g, a))
    return false;
  int64_t *env = as_calloc(as_size_count(S), sizeof *env);
  for (uint32_t i = 0;; i++) {
    as_size s = as_size_nth_sym(S, i);
    if (s == AS_SIZE_BAD)
      break;
    env[s] = as_size_value(S, s);
  }
  *out = as_size_eval(S, a, env);
  free(env);
  return *out != INT64_MIN;
}

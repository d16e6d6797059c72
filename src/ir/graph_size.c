/* Deciding equations and inequalities between sizes, from the `where` relations and the least
 * sizes.  Sound, not complete: what it cannot show is left to whoever asks (for programs: refused;
 * the prover has its own means). */
#include "graph_int.h"
#include <stdlib.h>

/* an equation that defines a symbol */
static bool definition(as_sizes *sizes, const as_size_fact *fact, as_size *sym, as_size *by) {
  if (fact->rel != AS_REL_EQ)
    return false;
  for (int turn = 0; turn < 2; turn++) {
    *sym = turn ? fact->rhs : fact->lhs;
    *by = turn ? fact->lhs : fact->rhs;
    if (as_size_is_sym(sizes, *sym) && as_size_subst(sizes, *by, *sym, 0) == *by)
      return true;
  }
  return false;
}

static const as_size_fact *fact(const as_graph *graph, uint32_t i) {
  if (i < graph->n_fact)
    return &graph->fact[i];
  i -= graph->n_fact;
  return graph->program && i < graph->program->n_fact ? &graph->program->fact[i] : NULL;
}

/* by the relations from this one on */
static as_size reduce_from(const as_graph *graph, as_size a, uint32_t first) {
  for (int round = 0; round < 8;
       round++) { /* definitions may build on each other; a cycle of them ends with the rounds */
    as_size old = a;
    as_size sym;
    as_size by;
    const as_size_fact *f;
    for (uint32_t i = first; (f = fact(graph, i)) != NULL; i++) {
      if (!definition(graph->sizes, f, &sym, &by))
        continue;
      as_size b = as_size_subst(graph->sizes, a, sym, by);
      if (b != AS_SIZE_BAD)
        a = b;
    }
    if (a == old)
      break;
  }
  return a;
}

static as_size reduce(const as_graph *graph, as_size a) {
  return reduce_from(graph, a, 0);
}

/* monomial i of `from` as a size of its own */
static as_size monomial(as_sizes *sizes, as_size from, uint32_t i) {
  as_size result = as_size_int(sizes, as_size_get_mono(sizes, from, i).coef);
  /* asked for again each time: making sizes moves what a monomial points to */
  for (uint32_t k = 0; k < as_size_get_mono(sizes, from, i).n; k++)
    result = as_size_mul(sizes, result, as_size_get_mono(sizes, from, i).atom[k]);
  return result;
}

/* `product` inside one monomial of `from` becomes `whole`; from where it does not occur */
static as_size fold_product(as_sizes *sizes, as_size from, as_size product, as_size whole) {
  for (uint32_t i = 0; i < as_size_nmono(sizes, from); i++) {
    as_size mono = monomial(sizes, from, i);
    as_size rest = as_size_div(sizes, mono, product);
    if (rest == AS_SIZE_BAD || as_size_mul(sizes, rest, product) != mono)
      continue;
    as_size folded =
        as_size_add(sizes, as_size_sub(sizes, from, mono), as_size_mul(sizes, rest, whole));
    if (folded != AS_SIZE_BAD)
      return folded;
  }
  return from;
}

static as_size fold_tiles(const as_graph *graph, as_size a);

/* the atom again, of operands in which tiles are put together */
static as_size fold_atom(const as_graph *graph, as_size atom) {
  as_sizes *sizes = graph->sizes;
  as_size left;
  as_size right;
  as_size_kind kind = as_size_atom(sizes, atom, &left, &right);
  if (kind == AS_SIZE_SYM)
    return atom;
  left = fold_tiles(graph, left);
  right = fold_tiles(graph, right);
  switch (kind) {
  case AS_SIZE_DIV:
    return as_size_div(sizes, left, right);
  case AS_SIZE_MOD:
    return as_size_mod(sizes, left, right);
  case AS_SIZE_MAX:
    return as_size_max(sizes, left, right);
  default:
    return as_size_min(sizes, left, right);
  }
}

/* the same within quotients and extrema */
static as_size fold_atoms(const as_graph *graph, as_size a) {
  as_sizes *sizes = graph->sizes;
  as_size sum = as_size_int(sizes, 0);
  for (uint32_t i = 0; i < as_size_nmono(sizes, a); i++) {
    as_size product = as_size_int(sizes, as_size_get_mono(sizes, a, i).coef);
    for (uint32_t k = 0; k < as_size_get_mono(sizes, a, i).n; k++)
      product =
          as_size_mul(sizes, product, fold_atom(graph, as_size_get_mono(sizes, a, i).atom[k]));
    sum = as_size_add(sizes, sum, product);
  }
  return sum == AS_SIZE_BAD ? a : sum;
}

/* tiles put together: where a relation says `extent = count * tile`, that product becomes the
 * extent wherever it is a factor.  What kernels that split one extent differently store has one
 * form then, also where the axis is a part of another (heads times tiles of a head). */
static as_size fold_tiles(const as_graph *graph, as_size a) {
  a = fold_atoms(graph, a);
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    const as_size_fact *f = &graph->fact[i];
    if (f->rel != AS_REL_EQ || as_size_nmono(graph->sizes, f->rhs) != 1)
      continue;
    as_size_mono product = as_size_get_mono(graph->sizes, f->rhs, 0);
    if (product.coef == 1 && product.n > 1)
      a = fold_product(graph->sizes, a, f->rhs, f->lhs);
  }
  return a;
}

/* a chain of equations, each with both sides reduced, leads from x to y: two kernels that split one
 * extent differently */
static bool joined(const as_graph *graph, as_size x, as_size y) {
  uint32_t n = 0;
  uint32_t k = 1;
  while (fact(graph, n) != NULL)
    n++;
  as_size *reached = as_malloc((n + 1) * sizeof *reached);
  reached[0] = x;
  bool *used = as_calloc(n + 1, sizeof *used);
  bool found = false;
  for (uint32_t at = 0; at < k && !found; at++) {
    for (uint32_t i = 0; i < n && !found; i++) {
      const as_size_fact *f = fact(graph, i);
      if (used[i] || f->rel != AS_REL_EQ)
        continue;
      as_size l = reduce(graph, f->lhs);
      as_size r = reduce(graph, f->rhs);
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

/* the extent that tiles make up, by what the program says of it: a muGraph's own relations would
 * make it tiles again */
static as_size as_program_has_it(const as_graph *graph, as_size a) {
  return reduce_from(graph, fold_tiles(graph, a), graph->program ? graph->n_fact : 0);
}

/* definitions `sym = by`, none of whose symbols stands in any of the expressions */
typedef struct {
  as_size *sym;
  as_size *by;
  uint32_t n;
} solved;

/* the size with each symbol that is defined replaced; AS_SIZE_BAD: it becomes too large */
static as_size replaced(as_sizes *sizes, const solved *by, as_size a) {
  for (uint32_t i = 0; i < by->n && a != AS_SIZE_BAD; i++)
    a = as_size_subst(sizes, a, by->sym[i], by->by[i]);
  return a;
}

/* Takes over one equation, both of whose sides are free of what is defined already.  It is left out
 * where neither side is a symbol of its own: nothing follows from it then that is not found
 * otherwise. */
static void eliminate(as_sizes *sizes, solved *all, as_size lhs, as_size rhs) {
  as_size_fact equation = {lhs, rhs, AS_REL_EQ};
  as_size sym;
  as_size by;
  if (lhs == rhs || lhs == AS_SIZE_BAD || rhs == AS_SIZE_BAD ||
      !definition(sizes, &equation, &sym, &by))
    return;
  for (uint32_t i = 0; i < all->n; i++) {
    as_size inner = as_size_subst(sizes, all->by[i], sym, by);
    if (inner == AS_SIZE_BAD)
      return;
    all->by[i] = inner;
  }
  all->sym[all->n] = sym;
  all->by[all->n++] = by;
}

/* Equal once the equations have been solved one after the other, each with the definitions that
 * those before it made: where one extent is the product of several pairs of sizes (`E = L * S`,
 * `E = G`), replacing by the first relation alone never comes to the others. */
static bool same_by_elimination(const as_graph *graph, as_size a, as_size b) {
  as_sizes *sizes = graph->sizes;
  uint32_t n = 0;
  while (fact(graph, n) != NULL)
    n++;
  solved all = {.sym = as_malloc((n + 1) * sizeof *all.sym),
                .by = as_malloc((n + 1) * sizeof *all.by)};
  for (uint32_t i = 0; i < n; i++) {
    const as_size_fact *f = fact(graph, i);
    if (f->rel == AS_REL_EQ)
      eliminate(sizes, &all, replaced(sizes, &all, f->lhs), replaced(sizes, &all, f->rhs));
  }
  as_size x = replaced(sizes, &all, a);
  bool same = x != AS_SIZE_BAD && x == replaced(sizes, &all, b);
  free(all.sym);
  free(all.by);
  return same;
}

bool as_graph_same_size(const as_graph *graph, as_size a, as_size b) {
  if (a == b)
    return a != AS_SIZE_BAD;
  if (a == AS_SIZE_BAD || b == AS_SIZE_BAD)
    return false;
  as_size x = reduce(graph, a);
  as_size y = reduce(graph, b);
  if (x == y || reduce(graph, fold_tiles(graph, a)) == reduce(graph, fold_tiles(graph, b)))
    return true;
  as_size program_a = as_program_has_it(graph, a);
  if (program_a != AS_SIZE_BAD && program_a == as_program_has_it(graph, b))
    return true;
  as_size extent = as_size_sub(graph->sizes, x, y);
  if (extent == AS_SIZE_BAD)
    return false;
  const as_size_fact *f;
  for (uint32_t i = 0; (f = fact(graph, i)) != NULL; i++) {
    if (f->rel != AS_REL_EQ)
      continue;
    as_size l = reduce(graph, f->lhs);
    as_size r = reduce(graph, f->rhs);
    as_size e = as_size_sub(graph->sizes, l, r);
    as_size minus = as_size_sub(graph->sizes, r, l);
    if (e != AS_SIZE_BAD && (extent == e || extent == minus))
      return true;
  }
  return joined(graph, x, y) ||
         joined(graph, reduce(graph, fold_tiles(graph, a)), reduce(graph, fold_tiles(graph, b))) ||
         same_by_elimination(graph, a, b);
}

static bool natural(const as_sizes *sizes, as_size atom) {
  return as_size_is_sym(sizes, atom) && as_size_least(sizes, atom) >= 0;
}

/* Are all factors of the monomial sizes that are not negative? */
static bool natural_factors(const as_sizes *sizes, const as_size_mono *mono) {
  for (uint32_t k = 0; k < mono->n; k++) {
    if (!natural(sizes, mono->atom[k]))
      return false;
  }
  return true;
}

/* sums of products of sizes, with coefficients above 0: nothing to look up */
static bool plainly_nonnegative(const as_sizes *sizes, as_size extent) {
  for (uint32_t i = 0; i < as_size_nmono(sizes, extent); i++) {
    as_size_mono mono = as_size_get_mono(sizes, extent, i);
    if (mono.coef <= 0 || !natural_factors(sizes, &mono))
      return false;
  }
  return true;
}

/* each size s replaced by least + s, so that what is left of it begins at 0; AS_SIZE_BAD where a
 * coefficient overflows */
static as_size above_least(as_sizes *sizes, as_size extent) {
  for (uint32_t i = 0; extent != AS_SIZE_BAD; i++) {
    as_size size = as_size_nth_sym(sizes, i);
    if (size == AS_SIZE_BAD)
      break;
    int64_t least = as_size_least(sizes, size);
    if (least == 0 || least == AS_SIZE_NO_LEAST || !as_size_mentions(sizes, extent, size))
      continue;
    as_size from_least = as_size_add(sizes, size, as_size_int(sizes, least));
    extent = as_size_subst(sizes, extent, size, from_least);
  }
  return extent;
}

/* whether extent >= 0 at all sizes, or at none, from the least sizes: the sign of the constant
 * decides where no other term has the opposite one */
static as_truth nonnegative(const as_graph *graph, as_size extent) {
  as_sizes *sizes = graph->sizes;
  if (extent == AS_SIZE_BAD)
    return AS_OPEN;
  if (plainly_nonnegative(sizes, extent))
    return AS_HOLDS;
  extent = above_least(sizes, extent);
  if (extent == AS_SIZE_BAD)
    return AS_OPEN;
  bool grows = true;
  bool falls = true;
  long constant = 0;
  for (uint32_t i = 0; i < as_size_nmono(sizes, extent); i++) {
    as_size_mono mono = as_size_get_mono(sizes, extent, i);
    if (!natural_factors(sizes, &mono))
      return AS_OPEN;
    if (mono.n == 0)
      constant = mono.coef;
    else if (mono.coef < 0)
      grows = false;
    else if (mono.coef > 0)
      falls = false;
  }
  if (grows && constant >= 0)
    return AS_HOLDS;
  return falls && constant < 0 ? AS_FAILS : AS_OPEN;
}

as_truth as_graph_decide(const as_graph *graph, as_size a, as_rel rel, as_size b) {
  as_sizes *sizes = graph->sizes;
  if (rel == AS_REL_EQ && as_graph_same_size(graph, a, b))
    return AS_HOLDS;
  if (rel == AS_REL_NE && as_graph_same_size(graph, a, b))
    return AS_FAILS;
  as_size extent = as_size_sub(sizes, reduce(graph, b), reduce(graph, a));
  if (extent == AS_SIZE_BAD)
    return AS_OPEN;
  as_truth lt = nonnegative(graph, as_size_sub(sizes, extent, AS_SIZE_ONE));
  if (rel == AS_REL_LE)
    return nonnegative(graph, extent);
  if (rel == AS_REL_LT)
    return lt;
  as_truth gt = nonnegative(graph, as_size_sub(sizes, as_size_sub(sizes, 0, extent), AS_SIZE_ONE));
  if (lt == AS_HOLDS || gt == AS_HOLDS)
    return rel == AS_REL_EQ ? AS_FAILS : AS_HOLDS;
  return AS_OPEN;
}

static bool all_known(const as_graph *graph, as_size a) {
  const as_sizes *sizes = graph->sizes;
  as_size num;
  as_size den;
  for (uint32_t i = 0; i < as_size_nmono(sizes, a); i++) {
    as_size_mono mono = as_size_get_mono(sizes, a, i);
    for (uint32_t k = 0; k < mono.n; k++) {
      if (as_size_is_sym(sizes, mono.atom[k])) {
        if (as_size_value(sizes, mono.atom[k]) < 0)
          return false;
      } else if (as_size_atom(sizes, mono.atom[k], &num, &den) == AS_SIZE_SYM ||
                 !all_known(graph, num) || !all_known(graph, den)) {
        return false;
      }
    }
  }
  return true;
}

bool as_graph_concrete(const as_graph *graph, as_size a, int64_t *out) {
  const as_sizes *sizes = graph->sizes;
  if (a >= as_size_count(sizes) || !all_known(graph, a))
    return false;
  int64_t *env = as_calloc(as_size_count(sizes), sizeof *env);
  for (uint32_t i = 0;; i++) {
    as_size size = as_size_nth_sym(sizes, i);
    if (size == AS_SIZE_BAD)
      break;
    env[size] = as_size_value(sizes, size);
  }
  *out = as_size_eval(sizes, a, env);
  free(env);
  return *out != INT64_MIN;
}

int64_t *as_graph_size_values(const as_graph *graph) {
  uint32_t n = as_size_count(graph->sizes);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i <= n; i++)
    env[i] = INT64_MIN;
  for (uint32_t i = 0;; i++) {
    as_size symbol = as_size_nth_sym(graph->sizes, i);
    if (symbol == AS_SIZE_BAD)
      break;
    long value = as_size_value(graph->sizes, symbol);
    env[symbol] = value < 0 ? INT64_MIN : value;
  }
  return env;
}

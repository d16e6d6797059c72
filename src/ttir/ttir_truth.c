/* Truths in their simplest form: of the sums of products, and products of sums, of the comparisons
 * that a truth is made of, one in which no part can be left out. */
#include "ttir_node.h"
#include <string.h>

enum { MOST_ATOMS = 6, MOST_CUBES = 1 << MOST_ATOMS };

/* One bit for each way in which the atoms can hold: bit b where those of the bits of b do. */
typedef uint64_t table;

static const table of_atom[MOST_ATOMS] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC,
                                          0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00,
                                          0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};

typedef struct {
  ttir_node *atom[MOST_ATOMS];
  uint32_t n;
} atoms;

/* some atoms hold, some do not, the others do not matter */
typedef struct {
  uint32_t yes;
  uint32_t no;
} cube;

typedef struct {
  cube cube[MOST_CUBES];
  uint32_t n;
  uint32_t literals;
} cover;

/* do the two say the opposite of each other?  `a < b` and `b <= a` do, of what has a value: of a
 * float without one neither need hold */
static bool opposite(const ttir_node *a, const ttir_node *b) {
  bool orders = (a->kind == TTIR_N_LESS && b->kind == TTIR_N_AT_MOST) ||
                (a->kind == TTIR_N_AT_MOST && b->kind == TTIR_N_LESS);
  return orders && ttir_same(a->kid[0], b->kid[1]) && ttir_same(a->kid[1], b->kid[0]) &&
         !ttir_reads_absent(a);
}

/* false: there are too many atoms */
static bool table_of_atom(atoms *all, ttir_node *node, table *is) {
  for (uint32_t i = 0; i < all->n; i++) {
    bool denied = opposite(all->atom[i], node);
    if (denied || ttir_same(all->atom[i], node)) {
      *is = denied ? ~of_atom[i] : of_atom[i];
      return true;
    }
  }
  if (all->n == MOST_ATOMS)
    return false;
  *is = of_atom[all->n];
  all->atom[all->n++] = node;
  return true;
}

static bool table_of(atoms *all, ttir_node *node, table *is) {
  table other;
  switch (node->kind) {
  case TTIR_N_TRUE:
    *is = ~(table)0;
    return true;
  case TTIR_N_NOT:
    if (!table_of(all, node->kid[0], &other))
      return false;
    *is = ~other;
    return true;
  case TTIR_N_AND:
  case TTIR_N_OR:
    if (!table_of(all, node->kid[0], is) || !table_of(all, node->kid[1], &other))
      return false;
    *is = node->kind == TTIR_N_AND ? *is & other : *is | other;
    return true;
  default:
    return table_of_atom(all, node, is);
  }
}

/* the table where an atom holds, or does not, whatever it is */
static table with_atom(table of, uint32_t atom, bool holds) {
  table part = holds ? of & of_atom[atom] : of & ~of_atom[atom];
  uint32_t distance = 1U << atom;
  return holds ? part | part >> distance : part | part << distance;
}

static void add_cubes(cover *out, uint32_t first, uint32_t yes, uint32_t no) {
  for (uint32_t i = first; i < out->n; i++) {
    out->cube[i].yes |= yes;
    out->cube[i].no |= no;
    out->literals += (yes ? 1 : 0) + (no ? 1 : 0);
  }
}

/* Appends cubes that cover `least` and lie within `most`, none of which can be left out (Minato's
 * recursion over the atoms); what they cover.  false: too many. */
static bool cover_between(table least, table most, uint32_t n_atoms, cover *out, table *covered) {
  *covered = least ? ~(table)0 : 0;
  if (least == 0)
    return true;
  if (most == ~(table)0) {
    if (out->n == MOST_CUBES)
      return false;
    out->cube[out->n++] = (cube){0, 0};
    return true;
  }
  uint32_t atom = n_atoms - 1;
  table least_no = with_atom(least, atom, false);
  table least_yes = with_atom(least, atom, true);
  table most_no = with_atom(most, atom, false);
  table most_yes = with_atom(most, atom, true);
  table by_no;
  table by_yes;
  table by_both;
  uint32_t first = out->n;
  if (!cover_between(least_no & ~most_yes, most_no, atom, out, &by_no))
    return false;
  add_cubes(out, first, 0, 1U << atom);
  first = out->n;
  if (!cover_between(least_yes & ~most_no, most_yes, atom, out, &by_yes))
    return false;
  add_cubes(out, first, 1U << atom, 0);
  table rest = (least_no & ~by_no) | (least_yes & ~by_yes);
  if (!cover_between(rest, most_no & most_yes, atom, out, &by_both))
    return false;
  *covered = (by_no & ~of_atom[atom]) | (by_yes & of_atom[atom]) | by_both;
  return true;
}

static ttir_node *joined(as_arena *mem, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  return a ? ttir_joined(mem, kind, a, b) : b;
}

/* the cubes as a sum of products; or, of the cubes of what is denied, a product of sums */
static ttir_node *written(as_arena *mem, const atoms *all, const cover *cubes, bool denied) {
  ttir_node_kind inner = denied ? TTIR_N_OR : TTIR_N_AND;
  ttir_node_kind outer = denied ? TTIR_N_AND : TTIR_N_OR;
  ttir_node *whole = NULL;
  for (uint32_t i = 0; i < cubes->n; i++) {
    ttir_node *part = NULL;
    for (uint32_t a = 0; a < all->n; a++) {
      if (((cubes->cube[i].yes | cubes->cube[i].no) >> a & 1) == 0)
        continue;
      bool holds = (cubes->cube[i].yes >> a & 1) != 0;
      ttir_node *literal = holds == denied ? ttir_not(mem, all->atom[a]) : all->atom[a];
      part = joined(mem, inner, part, literal);
    }
    whole = joined(mem, outer, whole, part);
  }
  return whole;
}

ttir_node *ttir_simplest(as_arena *mem, ttir_node *truth) {
  atoms all = {.n = 0};
  table is;
  table covered;
  cover yes = {.n = 0};
  cover no = {.n = 0};
  /* in another order it would ask for roots and quotients elsewhere */
  if (ttir_is_partial(truth) || !table_of(&all, truth, &is))
    return truth;
  if (is == 0 || is == ~(table)0)
    return is ? ttir_true(mem) : NULL;
  if (!cover_between(is, is, all.n, &yes, &covered) ||
      !cover_between(~is, ~is, all.n, &no, &covered))
    return truth;
  bool denied = no.literals < yes.literals;
  ttir_node *simple = written(mem, &all, denied ? &no : &yes, denied);
  return simple->weight < truth->weight ? simple : truth;
}

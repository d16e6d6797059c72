/* Quick answers about what two operands can make, asked before anything is made.
 *
 * Whether a sum or a product is a part of a target could be asked of the expression itself, as
 * ax_sub_top does.  But of a hundred pairs ninety-nine lead nowhere, and making an expression costs
 * many times what it costs to see that.  "No" is certain here, "maybe" is not:
 *
 * - Of a sum, take a term l of one operand and a term r of the other.  If the sum times a monomial
 * m is a part of a whole, then l * m and r * m are terms of it, up to one number and size for both:
 *   so the ratio l / r is that of two terms of a whole.  These ratios are known beforehand.  They
 *   are compared as elements of a prime field, in which every atom has a number of its own: equal
 *   ratios are equal there.
 * - Of a product of which one operand is a single monomial: both operands are found at places of
 *   the wholes (an *anchor*: a term that divides the place's), and at one place the exponents of
 *   both together must not exceed those of the place.
 *
 * What might cancel or merge (equal monomials in a sum; exponentials, or one atom over and under
 * the line, in a product) is always "maybe". */
#include "abstract_store.h"
#include <stdlib.h>
#include <string.h>

#define FIELD ((1ull << 61) - 1) /* a prime */

typedef struct {
  uint32_t mono;
  uint64_t product; /* the monomial in the field */
  uint64_t image;   /* the same times its number */
  uint64_t inverse; /* of image */
} term_facts;

/* a term of a whole: a target, or what stands under the line in one of its terms */
typedef struct {
  uint32_t reduced;
  uint32_t whole;
  uint64_t image;
} place;

typedef struct {
  uint32_t first; /* place */
  uint32_t n;
  ax_id expr;
} whole;

typedef struct {
  uint32_t place;
  uint32_t term;
} anchor;

/* what is asked of one operand */
typedef struct {
  bool known;
  bool is_open; /* nothing can be said of it */
  bool has_exponential;
  uint32_t n; /* terms */
  term_facts *term;
  uint32_t n_anchors;
  anchor *anchor;
  uint64_t *at; /* bits of the places of its anchors */
  uint64_t monomials;
  uint64_t over; /* sets of monomials and atoms: one bit for each, which several may share */
  uint64_t under;
  uint64_t dep_of_all;
  uint64_t dep_of_any;
  bool is_inverted;
  ax_id inverse;
} operand;

struct ax_places {
  ax_store *store;
  as_arena *mem;
  as_vec wholes;
  as_vec places;
  as_vec operands; /* by expression */
  as_vec ratios;
  as_index by_ratio;
  bool is_open; /* numbers of a target vanish in the field */
};

#define PLACE(p, i) (&AS_VEC_AT(&(p)->places, place, i))

/* --- the field */
static uint64_t times(uint64_t left, uint64_t right) {
  unsigned __int128 product = (unsigned __int128)left * right;
  uint64_t sum = (uint64_t)(product & FIELD) + (uint64_t)(product >> 61);
  return sum >= FIELD ? sum - FIELD : sum;
}

static uint64_t power_of(uint64_t base, uint64_t exponent) {
  uint64_t power = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      power = times(power, base);
    base = times(base, base);
  }
  return power;
}

static uint64_t inverse_of(uint64_t value) {
  return power_of(value, FIELD - 2);
}

static uint64_t negative_of(uint64_t value) {
  return value ? FIELD - value : 0;
}

/* not 0 */
static uint64_t image_of_atom(uint32_t atom) {
  uint64_t mixed = (atom + 1) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return 1 + (mixed ^ mixed >> 31) % (FIELD - 1);
}

static uint64_t image_of_number(int64_t number) {
  uint64_t size = (uint64_t)(number < 0 ? -number : number) % FIELD;
  return number < 0 ? negative_of(size) : size;
}

static term_facts facts_of_term(const ax_store *store, const ax_addend *of) {
  const ax_monomial *mono = AX_MONOMIAL(store, of->mono);
  uint64_t over = 1;
  uint64_t under = 1;
  for (uint32_t i = 0; i < mono->n; i++) {
    int exp = mono->factors[i].exp;
    uint64_t power =
        power_of(image_of_atom(mono->factors[i].atom), (uint64_t)(exp < 0 ? -(int64_t)exp : exp));
    if (exp < 0)
      under = times(under, power);
    else
      over = times(over, power);
  }
  uint64_t num = image_of_number(of->num);
  uint64_t den = image_of_number(of->den);
  uint64_t product = times(over, inverse_of(under));
  uint64_t image = times(times(product, num), inverse_of(den));
  return (term_facts){of->mono, product, image, inverse_of(image)};
}

/* --- wholes and their places */
static void add_whole(ax_places *places, ax_id of) {
  for (uint32_t i = 0; i < places->wholes.n; i++) {
    if (AS_VEC_AT(&places->wholes, whole, i).expr == of)
      return;
  }
  const ax_expr expr = *AX_EXPR(places->store, of);
  whole added = {(uint32_t)places->places.n, expr.n, of};
  for (uint32_t i = 0; i < expr.n; i++) {
    term_facts facts = facts_of_term(places->store, &expr.terms[i]);
    place at = {AX_MONOMIAL(places->store, expr.terms[i].mono)->reduced, (uint32_t)places->wholes.n,
                facts.image};
    as_vec_push(&places->places, &at);
    places->is_open |= facts.image == 0;
  }
  as_vec_push(&places->wholes, &added);
}

static bool is_ratio(const ax_places *places, uint64_t ratio) {
  as_index_walk walk = as_index_start(&places->by_ratio, ratio);
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (AS_VEC_AT(&places->ratios, uint64_t, id) == ratio)
      return true;
  }
  return false;
}

static void add_ratio(ax_places *places, uint64_t ratio) {
  if (is_ratio(places, ratio))
    return;
  as_index_add(&places->by_ratio, ratio, (uint32_t)places->ratios.n);
  as_vec_push(&places->ratios, &ratio);
}

static void add_ratios(ax_places *places, const whole *of) {
  for (uint32_t i = of->first; i < of->first + of->n; i++) {
    uint64_t inverse = inverse_of(PLACE(places, i)->image);
    for (uint32_t k = of->first; k < of->first + of->n; k++)
      add_ratio(places, times(PLACE(places, k)->image, inverse));
  }
}

ax_places *ax_places_new(ax_store *store, const ax_id *target, uint32_t n) {
  ax_places *places = as_calloc(1, sizeof *places);
  places->store = store;
  places->mem = as_arena_new();
  as_vec_init(&places->wholes, sizeof(whole));
  as_vec_init(&places->places, sizeof(place));
  as_vec_init(&places->operands, sizeof(operand));
  as_vec_init(&places->ratios, sizeof(uint64_t));
  for (uint32_t i = 0; i < n; i++) {
    if (target[i] == AX_BAD)
      continue;
    add_whole(places, target[i]);
    for (uint32_t k = 0; k < AX_EXPR(store, target[i])->n; k++) {
      ax_id under = ax_denominator(store, AX_EXPR(store, target[i])->terms[k].mono);
      if (under != AX_BAD)
        add_whole(places, under);
    }
  }
  add_ratio(places, 1);
  for (uint32_t i = 0; i < places->wholes.n; i++)
    add_ratios(places, &AS_VEC_AT(&places->wholes, whole, i));
  return places;
}

void ax_places_free(ax_places *places) {
  if (!places)
    return;
  as_arena_free(places->mem);
  as_vec_clear(&places->wholes);
  as_vec_clear(&places->places);
  as_vec_clear(&places->operands);
  as_vec_clear(&places->ratios);
  as_index_clear(&places->by_ratio);
  free(places);
}

/* --- operands */
static void note_factors(const ax_places *places, operand *of, uint32_t mono_id) {
  const ax_monomial *mono = AX_MONOMIAL(places->store, mono_id);
  of->monomials |= 1ull << (mono_id % 64);
  of->dep_of_all &= mono->dep;
  of->dep_of_any |= mono->dep;
  for (uint32_t i = 0; i < mono->n; i++) {
    ax_kind kind = AX_ATOM(places->store, mono->factors[i].atom)->kind;
    uint64_t bit = 1ull << (mono->factors[i].atom % 64);
    of->has_exponential |= kind == AX_EXP;
    if (kind != AX_SIZE && mono->factors[i].exp > 0)
      of->over |= bit;
    else if (kind != AX_SIZE)
      of->under |= bit;
  }
}

/* whether the whole has a term for `other` where it has one for the anchor's */
static bool stands_beside(const ax_places *places, const operand *of, uint32_t term, uint32_t other,
                          uint32_t at) {
  const whole *in = &AS_VEC_AT(&places->wholes, whole, PLACE(places, at)->whole);
  uint64_t wanted =
      times(times(of->term[other].image, of->term[term].inverse), PLACE(places, at)->image);
  uint32_t i = in->first;
  while (i < in->first + in->n && PLACE(places, i)->image != wanted)
    i++;
  return i < in->first + in->n;
}

static void find_anchors(const ax_places *places, operand *of) {
  ax_power rest[AX_MAX_FACTORS];
  uint32_t n_rest;
  as_vec found;
  as_vec_init(&found, sizeof(anchor));
  for (uint32_t at = 0; at < places->places.n; at++) {
    const ax_reduced *key = AX_REDUCED(places->store, PLACE(places, at)->reduced);
    for (uint32_t i = 0; i < of->n; i++) {
      uint32_t reduced = AX_MONOMIAL(places->store, of->term[i].mono)->reduced;
      if (!ax_divides(AX_REDUCED(places->store, reduced), key, rest, &n_rest) ||
          (of->n > 1 && !stands_beside(places, of, i, i == 0 ? of->n - 1 : 0, at)))
        continue;
      as_vec_push(&found, &(anchor){at, i});
      of->at[at / 64] |= 1ull << (at % 64);
    }
  }
  of->n_anchors = (uint32_t)found.n;
  of->anchor = as_arena_alloc(places->mem, (found.n + 1) * sizeof *of->anchor);
  if (found.n)
    memcpy(of->anchor, found.data, found.n * sizeof *of->anchor);
  as_vec_clear(&found);
}

/* borrowed till the next operand is looked at */
static operand *operand_of(ax_places *places, ax_id expr) {
  while (places->operands.n <= expr)
    as_vec_push(&places->operands, NULL);
  operand *of = &AS_VEC_AT(&places->operands, operand, expr);
  if (of->known)
    return of;
  const ax_expr *made_of = AX_EXPR(places->store, expr);
  size_t words = places->places.n / 64 + 1;
  *of = (operand){.known = true, .n = made_of->n, .dep_of_all = UINT64_MAX, .inverse = AX_BAD};
  of->is_open = made_of->n == 0 || ax_is_unit(places->store, expr);
  of->term = as_arena_alloc(places->mem, (of->n + 1) * sizeof *of->term);
  of->at = as_arena_alloc(places->mem, words * sizeof *of->at);
  memset(of->at, 0, words * sizeof *of->at);
  for (uint32_t i = 0; i < of->n; i++) {
    of->term[i] = facts_of_term(places->store, &made_of->terms[i]);
    of->is_open |= of->term[i].image == 0;
    note_factors(places, of, of->term[i].mono);
  }
  find_anchors(places, of);
  return of;
}

/* --- sums */
/* a term of `of` of which `other` has no other multiple; AS_NONE: there is none */
static uint32_t unshared_term(const operand *of, const operand *other) {
  if (!(of->monomials & other->monomials))
    return 0;
  for (uint32_t i = 0; i < of->n; i++) {
    uint32_t k = 0;
    while (k < other->n && other->term[k].mono != of->term[i].mono)
      k++;
    if (k == other->n)
      return i;
  }
  return AS_NONE;
}

/* how many products of a term of each have the monomial; exponentials merge: that may be any */
static uint32_t n_products(const operand *left, const operand *right, uint64_t monomial) {
  uint32_t n = 0;
  if (left->has_exponential && right->has_exponential)
    return left->n * right->n;
  for (uint32_t i = 0; i < left->n; i++) {
    for (uint32_t k = 0; k < right->n; k++)
      n += times(left->term[i].product, right->term[k].product) == monomial;
  }
  return n;
}

static bool has_monomial(const operand *of, uint64_t monomial) {
  uint32_t i = 0;
  while (i < of->n && of->term[i].product != monomial)
    i++;
  return i < of->n;
}

/* whether the product of the first terms, with a sign, may be a term of a whole beside `term`; or
 * it may be none of the sum */
static bool product_may_fit(const ax_places *places, const operand *left, const operand *right,
                            const term_facts *term, int sign) {
  uint64_t ratio = times(times(left->term[0].image, right->term[0].image),
                         sign < 0 ? negative_of(term->inverse) : term->inverse);
  if (is_ratio(places, ratio))
    return true;
  uint64_t made = times(left->term[0].product, right->term[0].product);
  return n_products(left, right, made) != 1 || has_monomial(left, made) ||
         has_monomial(right, made);
}

bool ax_sum_may_fit(ax_places *places, ax_id left, ax_id right, const int8_t sign[3]) {
  operand_of(places, left);
  const operand *second = operand_of(places, right);
  const operand *first = &AS_VEC_AT(&places->operands, operand, left);
  if (places->is_open || first->is_open || second->is_open)
    return true;
  uint32_t i = unshared_term(first, second);
  uint32_t k = unshared_term(second, first);
  if (i == AS_NONE || k == AS_NONE)
    return true;
  const term_facts *one = &first->term[i];
  const term_facts *other = &second->term[k];
  uint64_t ratio = times(one->image, other->inverse);
  bool fits = is_ratio(places, sign[0] * sign[1] < 0 ? negative_of(ratio) : ratio);
  if (sign[2] == 0)
    return fits;
  if (n_products(first, second, one->product) || n_products(first, second, other->product))
    return true;
  return fits && product_may_fit(places, first, second, one, sign[0] * sign[2]);
}

/* --- products */
/* whether two monomials that divide a third do so together */
static bool leaves_room(const ax_reduced *left, const ax_reduced *right, const ax_reduced *key) {
  uint32_t i = 0;
  uint32_t k = 0;
  for (uint32_t at = 0; at < key->n; at++) {
    uint32_t atom = key->factors[at].atom;
    int64_t exp = 0;
    for (; i < left->n && left->factors[i].atom <= atom; i++)
      exp += left->factors[i].atom == atom ? left->factors[i].exp : 0;
    for (; k < right->n && right->factors[k].atom <= atom; k++)
      exp += right->factors[k].atom == atom ? right->factors[k].exp : 0;
    int64_t most = key->factors[at].exp;
    if (most > 0 ? exp > most : exp < most)
      return false;
  }
  return true;
}

/* Two sums: the products of their first and of their last terms are terms of the result, unless
 * another product is the same monomial. */
static bool sums_may_fit(const ax_places *places, const operand *left, const operand *right,
                         bool summed) {
  uint64_t dep = left->dep_of_any | right->dep_of_any;
  if (left->has_exponential || right->has_exponential ||
      (summed && (left->dep_of_all | right->dep_of_all) != dep))
    return true;
  uint32_t last = left->n - 1;
  uint32_t other = right->n - 1;
  uint64_t ratio = times(times(left->term[0].image, right->term[0].image),
                         times(left->term[last].inverse, right->term[other].inverse));
  if (is_ratio(places, ratio))
    return true;
  uint64_t first_made = times(left->term[0].product, right->term[0].product);
  uint64_t last_made = times(left->term[last].product, right->term[other].product);
  uint32_t n_same = 0;
  for (uint32_t i = 0; i < left->n; i++) {
    for (uint32_t k = 0; k < right->n; k++) {
      uint64_t made = times(left->term[i].product, right->term[k].product);
      n_same += made == first_made || made == last_made;
    }
  }
  return n_same > 2;
}

bool ax_product_may_fit(ax_places *places, ax_id left, ax_id right, bool summed) {
  operand_of(places, left);
  const operand *single = operand_of(places, right);
  const operand *other = &AS_VEC_AT(&places->operands, operand, left);
  if (single->n > 1) {
    const operand *several = single;
    single = other;
    other = several;
  }
  if (places->is_open || single->is_open || other->is_open)
    return true;
  if (single->n > 1)
    return sums_may_fit(places, single, other, summed);
  if ((single->has_exponential && other->has_exponential) || single->over & other->under ||
      single->under & other->over)
    return true;
  /* a sum over an axis is a factor of the terms that depend on it, and of all or of none */
  if (summed &&
      (other->dep_of_all | single->dep_of_any) != (other->dep_of_any | single->dep_of_any))
    return true;
  const ax_reduced *factor =
      AX_REDUCED(places->store, AX_MONOMIAL(places->store, single->term[0].mono)->reduced);
  for (uint32_t i = 0; i < other->n_anchors; i++) {
    uint32_t at = other->anchor[i].place;
    uint32_t mono = other->term[other->anchor[i].term].mono;
    if (single->at[at / 64] >> (at % 64) & 1 &&
        leaves_room(AX_REDUCED(places->store, AX_MONOMIAL(places->store, mono)->reduced), factor,
                    AX_REDUCED(places->store, PLACE(places, at)->reduced)))
      return true;
  }
  return false;
}

bool ax_quotient_may_fit(ax_places *places, ax_id left, ax_id right, bool summed) {
  operand *of = operand_of(places, right);
  if (!of->is_inverted) {
    ax_id inverse = ax_inv(places->store, right);
    of->is_inverted = true;
    of->inverse = inverse;
  }
  return of->inverse == AX_BAD || ax_product_may_fit(places, left, of->inverse, summed);
}

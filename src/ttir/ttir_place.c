/* Positions in tensors of several axes.
 *
 * A position in elements, p, is the place (p div e, p mod e) of a tensor whose last axis has e
 * elements.  Where p = q*e + r as a sum of products, and ranges and the mask show 0 <= r < e, that
 * is (q, r): what the kernel's writer began with. */
#include "ttir_lift.h"

enum { MOST_TERMS = 24, MOST_ATOMS = 4, MOST_BOUNDS = 16, MOST_DEPTH = 4 };

/* coef times these */
typedef struct {
  int64_t coef;
  uint32_t n;
  ttir_node *atom[MOST_ATOMS];
} term;

typedef struct {
  term term[MOST_TERMS];
  uint32_t n;
  bool fails; /* there were too many, or a number too large */
} form;

/* the atoms of a that b does not have are in rest; false: b has others */
static bool divides(const term *b, const term *a, term *rest) {
  *rest = *a;
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t k = 0;
    while (k < rest->n && !ttir_same(rest->atom[k], b->atom[i]))
      k++;
    if (k == rest->n)
      return false;
    rest->atom[k] = rest->atom[--rest->n];
  }
  return true;
}

static void add_term(form *to, const term *more) {
  for (uint32_t i = 0; i < to->n; i++) {
    term rest;
    if (to->term[i].n != more->n || !divides(more, &to->term[i], &rest))
      continue;
    to->fails |= __builtin_add_overflow(to->term[i].coef, more->coef, &to->term[i].coef);
    if (to->term[i].coef == 0)
      to->term[i] = to->term[--to->n];
    return;
  }
  if (to->n == MOST_TERMS)
    to->fails = true;
  else if (more->coef != 0)
    to->term[to->n++] = *more;
}

/* adds times * a */
static void add_scaled(form *to, const form *a, const term *times) {
  to->fails |= a->fails;
  for (uint32_t i = 0; i < a->n && !to->fails; i++) {
    term made = a->term[i];
    to->fails |= __builtin_mul_overflow(made.coef, times->coef, &made.coef);
    to->fails |= made.n + times->n > MOST_ATOMS;
    for (uint32_t k = 0; !to->fails && k < times->n; k++)
      made.atom[made.n++] = times->atom[k];
    if (!to->fails)
      add_term(to, &made);
  }
}

static form read_form(ttir_node *node) {
  form result = {.n = 0};
  if (node->lo == node->hi && node->lo > TTIR_LEAST && node->hi < TTIR_MOST) {
    term number = {.coef = node->lo};
    add_term(&result, &number);
    return result;
  }
  if (node->kind != TTIR_N_ADD && node->kind != TTIR_N_SUB && node->kind != TTIR_N_MUL) {
    term atom = {.coef = 1, .n = 1, .atom = {node}};
    add_term(&result, &atom);
    return result;
  }
  form left = read_form(node->kid[0]);
  form right = read_form(node->kid[1]);
  if (node->kind == TTIR_N_MUL) {
    result.fails = left.fails;
    for (uint32_t i = 0; i < left.n; i++)
      add_scaled(&result, &right, &left.term[i]);
    return result;
  }
  term sign = {.coef = node->kind == TTIR_N_ADD ? 1 : -1};
  add_scaled(&left, &right, &sign);
  return left;
}

/* the least that the form can be, by the ranges of its atoms; false: that is not known */
static bool least_of(const form *of, __int128 *least) {
  *least = 0;
  for (uint32_t i = 0; i < of->n; i++) {
    __int128 lo = 1;
    __int128 hi = 1;
    for (uint32_t k = 0; k < of->term[i].n; k++) {
      const ttir_node *atom = of->term[i].atom[k];
      if (atom->lo == TTIR_LEAST || atom->hi == TTIR_MOST)
        return false;
      __int128 end[4] = {lo * atom->lo, lo * atom->hi, hi * atom->lo, hi * atom->hi};
      lo = hi = end[0];
      for (uint32_t e = 1; e < 4; e++) {
        lo = end[e] < lo ? end[e] : lo;
        hi = end[e] > hi ? end[e] : hi;
      }
      if (lo < TTIR_LEAST || hi > TTIR_MOST)
        return false;
    }
    int64_t coef = of->term[i].coef;
    __int128 part = coef > 0 ? lo * coef : hi * coef;
    if (part < TTIR_LEAST || part > TTIR_MOST)
      return false;
    *least += part;
  }
  return true;
}

/* what a mask says: forms that are not negative */
typedef struct {
  form form[MOST_BOUNDS];
  uint32_t n;
} bounds;

static void add_bound(bounds *to, ttir_node *high, ttir_node *low, int64_t strict) {
  if (to->n == MOST_BOUNDS || high->sort != TTIR_INTEGER || low->sort != TTIR_INTEGER)
    return;
  form made = read_form(high);
  form below = read_form(low);
  term minus = {.coef = -1};
  term number = {.coef = -strict};
  add_scaled(&made, &below, &minus);
  add_term(&made, &number);
  if (!made.fails)
    to->form[to->n++] = made;
}

static void read_mask(bounds *to, const ttir_node *mask) {
  const ttir_node *of = mask->kind == TTIR_N_NOT ? mask->kid[0] : mask;
  bool holds = mask->kind != TTIR_N_NOT;
  if (mask->kind == TTIR_N_AND) {
    read_mask(to, mask->kid[0]);
    read_mask(to, mask->kid[1]);
  } else if (of->kind == TTIR_N_LESS) {
    add_bound(to, of->kid[holds], of->kid[!holds], holds);
  } else if (of->kind == TTIR_N_AT_MOST) {
    add_bound(to, of->kid[holds], of->kid[!holds], !holds);
  } else if (of->kind == TTIR_N_EQUAL && holds) {
    add_bound(to, of->kid[0], of->kid[1], 0);
    add_bound(to, of->kid[1], of->kid[0], 0);
  }
}

/* the atoms of the term are not negative */
static bool is_factor(const term *of) {
  for (uint32_t i = 0; i < of->n; i++) {
    if (of->atom[i]->lo < 0)
      return false;
  }
  return of->coef > 0;
}

/* 0 <= form: by ranges, or as a bound times what is not negative, and what is left */
static bool nonneg(const form *of, const bounds *known, uint32_t depth) {
  __int128 least;
  if (of->fails)
    return false;
  if (least_of(of, &least) && least >= 0)
    return true;
  for (uint32_t b = 0; depth < MOST_DEPTH && b < known->n; b++) {
    const form *bound = &known->form[b];
    for (uint32_t i = 0; i < of->n; i++) {
      for (uint32_t k = 0; k < bound->n; k++) {
        term times;
        if (bound->term[k].n == 0 || !divides(&bound->term[k], &of->term[i], &times) ||
            of->term[i].coef % bound->term[k].coef != 0)
          continue;
        times.coef = of->term[i].coef / bound->term[k].coef;
        form rest = *of;
        term less = times;
        less.coef = -times.coef;
        add_scaled(&rest, bound, &less);
        if (is_factor(&times) && nonneg(&rest, known, depth + 1))
          return true;
      }
    }
  }
  return false;
}

static ttir_node *node_of(as_arena *mem, const form *of) {
  ttir_node *sum = NULL;
  for (int negative = 0; negative < 2; negative++) { /* what is subtracted comes last */
    for (uint32_t i = 0; i < of->n; i++) {
      const term *part = &of->term[i];
      if ((part->coef < 0) != (negative > 0))
        continue;
      ttir_node *node = NULL;
      for (uint32_t k = 0; k < part->n; k++)
        node = node ? ttir_arith(mem, TTIR_N_MUL, node, part->atom[k]) : part->atom[k];
      ttir_node *number = ttir_integer(mem, part->coef < 0 && sum ? -part->coef : part->coef);
      node = node ? ttir_arith(mem, TTIR_N_MUL, node, number) : number;
      ttir_node_kind joins = part->coef < 0 ? TTIR_N_SUB : TTIR_N_ADD;
      sum = sum ? ttir_arith(mem, joins, sum, node) : node;
    }
  }
  return sum ? sum : ttir_integer(mem, 0);
}

/* the number that the form adds to what is made of atoms */
static int64_t constant_of(const form *of) {
  for (uint32_t i = 0; i < of->n; i++) {
    if (of->term[i].n == 0)
      return of->term[i].coef;
  }
  return 0;
}

/* Takes `whole` apart into high * extent + low, so many times the extent being taken out of its
 * number for high; where 0 <= low < extent is seen, these are quotient and rest. */
static bool split_with(const form *whole, const form *by, int64_t times, const bounds *known,
                       form *high, form *low) {
  term one = {.coef = 1};
  term minus = {.coef = -1};
  *high = *low = (form){.n = 0};
  for (uint32_t i = 0; i < whole->n; i++) {
    term part;
    const term *of = &whole->term[i];
    bool divided = divides(&by->term[0], of, &part) && of->coef % by->term[0].coef == 0;
    part.coef = of->coef / by->term[0].coef;
    add_term(divided ? high : low, divided ? &part : of);
  }
  term out = {.coef = -times};
  term in = {.coef = times};
  add_term(high, &in);
  add_scaled(low, by, &out);
  form room = {.n = 0}; /* extent - 1 - low */
  add_scaled(&room, by, &one);
  add_scaled(&room, low, &minus);
  add_term(&room, &minus);
  return !high->fails && nonneg(low, known, 0) && nonneg(&room, known, 0);
}

bool ttir_split_place(as_arena *mem, ttir_node *position, ttir_node *extent, ttir_node *mask,
                      ttir_node **quotient, ttir_node **rest) {
  form whole = read_form(position);
  form by = read_form(extent);
  form high;
  form low;
  bounds known = {.n = 0};
  if (whole.fails || by.fails || by.n != 1 || by.term[0].coef <= 0)
    return false;
  read_mask(&known, mask);
  /* `8*(i - 1) + (j - 1)` is read as `8*i + j - 9`: 9 is once 8, and 1 */
  int64_t times = by.term[0].n == 0 ? constant_of(&whole) / by.term[0].coef : 0;
  bool fits = split_with(&whole, &by, 0, &known, &high, &low) ||
              (times != 0 && split_with(&whole, &by, times, &known, &high, &low));
  if (!fits)
    return false;
  *quotient = node_of(mem, &high);
  *rest = node_of(mem, &low);
  return true;
}

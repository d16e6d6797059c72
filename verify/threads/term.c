#include "term.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#define MAX_MONOS 48
#define MAX_FACTORS 24
#define MAX_STORE 200000u

typedef struct {
  uint32_t n;
  as_mono *mono;
  as_written written;
} poly;

struct as_terms {
  as_arena *mem;
  as_vec atom; /* of as_atom */
  as_vec poly;
  mpq_t *coef;
  uint32_t n_coef;
  uint32_t cap_coef;
  bool over;
};

typedef struct { /* a polynomial being made: monomials in any order */
  uint32_t n;
  as_mono mono[MAX_MONOS];
} sum;

as_terms *as_terms_new(void) {
  as_terms *t = as_calloc(1, sizeof *t);
  t->mem = as_arena_new();
  as_vec_init(&t->atom, sizeof(as_atom));
  as_vec_init(&t->poly, sizeof(poly));
  return t;
}

void as_terms_free(as_terms *t) {
  if (!t)
    return;
  for (uint32_t i = 0; i < t->n_coef; i++)
    mpq_clear(t->coef[i]);
  free(t->coef);
  as_vec_clear(&t->atom);
  as_vec_clear(&t->poly);
  as_arena_free(t->mem);
  free(t);
}

bool as_terms_over(const as_terms *t) {
  return t->over;
}

static const poly *get(const as_terms *t, as_poly p) {
  return &AS_VEC_AT(&t->poly, poly, p);
}

uint32_t as_poly_monos(const as_terms *t, as_poly p) {
  return get(t, p)->n;
}

const as_mono *as_poly_mono(const as_terms *t, as_poly p, uint32_t i) {
  return &get(t, p)->mono[i];
}

const as_atom *as_term_atom(const as_terms *t, uint32_t atom) {
  return &AS_VEC_AT(&t->atom, as_atom, atom);
}

uint32_t as_terms_atoms(const as_terms *t) {
  return (uint32_t)t->atom.n;
}

void as_term_coef(const as_terms *t, uint32_t coef, mpq_t out) {
  mpq_set(out, t->coef[coef]);
}

static uint32_t intern_coef(as_terms *t, const mpq_t v) {
  for (uint32_t i = 0; i < t->n_coef; i++) {
    if (mpq_equal(t->coef[i], v))
      return i;
  }
  if (mpz_sizeinbase(mpq_numref(v), 2) > 4096 || mpz_sizeinbase(mpq_denref(v), 2) > 4096)
    t->over = true;
  if (t->n_coef == t->cap_coef) {
    t->cap_coef = t->cap_coef ? 2 * t->cap_coef : 16;
    t->coef = as_realloc(t->coef, t->cap_coef * sizeof *t->coef);
  }
  mpq_init(t->coef[t->n_coef]);
  mpq_set(t->coef[t->n_coef], v);
  return t->n_coef++;
}

static bool same_atom(const as_atom *a, const as_atom *b) {
  return a->kind == b->kind && a->node == b->node && a->n == b->n && a->bound == b->bound &&
         a->extent == b->extent && a->p == b->p && a->q == b->q &&
         !memcmp(a->index, b->index, sizeof a->index);
}

static uint32_t intern_atom(as_terms *t, const as_atom *a) {
  for (size_t i = 0; i < t->atom.n; i++) {
    if (same_atom(a, as_term_atom(t, (uint32_t)i)))
      return (uint32_t)i;
  }
  if (t->atom.n > MAX_STORE) {
    t->over = true;
    return 0;
  }
  as_vec_push(&t->atom, a);
  return (uint32_t)t->atom.n - 1;
}

/* by factors alone: monomials of one product are one */
static int compare_factors(const as_mono *a, const as_mono *b) {
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (uint32_t i = 0; i < a->n; i++) {
    if (a->factor[i].atom != b->factor[i].atom)
      return a->factor[i].atom < b->factor[i].atom ? -1 : 1;
    if (a->factor[i].power != b->factor[i].power)
      return a->factor[i].power < b->factor[i].power ? -1 : 1;
  }
  return 0;
}

static void add_mono(as_terms *t, sum *s, const as_mono *m) {
  mpq_t v;
  uint32_t at = 0;
  while (at < s->n && compare_factors(&s->mono[at], m) < 0)
    at++;
  if (at == s->n || compare_factors(&s->mono[at], m) != 0) {
    if (s->n == MAX_MONOS) {
      t->over = true;
      return;
    }
    memmove(s->mono + at + 1, s->mono + at, (s->n - at) * sizeof *s->mono);
    s->mono[at] = *m;
    s->n++;
    return;
  }
  mpq_init(v);
  mpq_add(v, t->coef[s->mono[at].coef], t->coef[m->coef]);
  if (mpq_sgn(v)) {
    s->mono[at].coef = intern_coef(t, v);
  } else {
    memmove(s->mono + at, s->mono + at + 1, (s->n - at - 1) * sizeof *s->mono);
    s->n--;
  }
  mpq_clear(v);
}

static as_poly intern_sum(as_terms *t, const sum *s) {
  for (size_t i = 0; i < t->poly.n; i++) {
    const poly *p = get(t, (as_poly)i);
    bool same = p->n == s->n;
    for (uint32_t k = 0; same && k < s->n; k++)
      same = p->mono[k].coef == s->mono[k].coef && !compare_factors(&p->mono[k], &s->mono[k]);
    if (same)
      return (as_poly)i;
  }
  if (t->poly.n > MAX_STORE) {
    t->over = true;
    return 0;
  }
  poly p = {.n = s->n, .mono = as_arena_alloc(t->mem, (s->n + 1) * sizeof *p.mono)};
  memcpy(p.mono, s->mono, s->n * sizeof *p.mono);
  for (uint32_t k = 0; k < p.n; k++) {
    as_factor *f = as_arena_alloc(t->mem, (p.mono[k].n + 1) * sizeof *f);
    if (p.mono[k].n)
      memcpy(f, p.mono[k].factor, p.mono[k].n * sizeof *f);
    p.mono[k].factor = f;
  }
  as_vec_push(&t->poly, &p);
  return (as_poly)t->poly.n - 1;
}

as_written as_poly_written(const as_terms *t, as_poly p) {
  return get(t, p)->written;
}

void as_poly_set_written(as_terms *t, as_poly p, as_written written) {
  AS_VEC_AT(&t->poly, poly, p).written = written;
}

as_poly as_poly_num(as_terms *t, const mpq_t v) {
  sum s = {.n = 0};
  if (mpq_sgn(v)) {
    as_mono m = {.coef = intern_coef(t, v), .n = 0, .factor = NULL};
    add_mono(t, &s, &m);
  }
  return intern_sum(t, &s);
}

as_poly as_poly_int(as_terms *t, long v) {
  mpq_t q;
  mpq_init(q);
  mpq_set_si(q, v, 1);
  as_poly p = as_poly_num(t, q);
  mpq_clear(q);
  return p;
}

as_poly as_poly_add(as_terms *t, as_poly a, as_poly b) {
  sum s = {.n = 0};
  for (uint32_t i = 0; i < as_poly_monos(t, a); i++)
    add_mono(t, &s, as_poly_mono(t, a, i));
  for (uint32_t i = 0; i < as_poly_monos(t, b); i++)
    add_mono(t, &s, as_poly_mono(t, b, i));
  return intern_sum(t, &s);
}

as_poly as_poly_neg(as_terms *t, as_poly a) {
  return as_poly_mul(t, as_poly_int(t, -1), a);
}

static as_poly atom_power(as_terms *t, const as_atom *a, int power) {
  sum s = {.n = 0};
  as_factor f = {.atom = intern_atom(t, a), .power = power};
  mpq_t one;
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  as_mono m = {.coef = intern_coef(t, one), .n = 1, .factor = &f};
  mpq_clear(one);
  add_mono(t, &s, &m);
  return intern_sum(t, &s);
}

as_poly as_poly_atom(as_terms *t, const as_atom *a) {
  return atom_power(t, a, 1);
}

as_poly as_poly_power(as_terms *t, uint32_t atom, int power) {
  as_atom a = *as_term_atom(t, atom);
  return atom_power(t, &a, power);
}

/* Of two conditions on one affine form the stricter is their product: which of them it is; `none`
 * if they are on different forms. */
static uint32_t stricter(as_terms *t, uint32_t first, uint32_t second) {
  const as_atom a = *as_term_atom(t, first);
  const as_atom b = *as_term_atom(t, second);
  if (a.kind != AS_ATOM_COND || b.kind != AS_ATOM_COND)
    return AS_TERM_NONE;
  as_poly more = as_poly_add(t, a.p, as_poly_neg(t, b.p));
  const poly *difference = get(t, more);
  if (!difference->n)
    return first;
  if (difference->n > 1 || difference->mono[0].n)
    return AS_TERM_NONE;
  return mpq_sgn(t->coef[difference->mono[0].coef]) < 0 ? first : second;
}

/* takes out a condition that x makes superfluous; false: x is superfluous itself */
static bool strictest(as_terms *t, as_factor *f, uint32_t *n, as_factor x) {
  for (uint32_t i = 0; i < *n; i++) {
    uint32_t kept = stricter(t, f[i].atom, x.atom);
    if (kept == f[i].atom)
      return false;
    if (kept == x.atom) {
      memmove(f + i, f + i + 1, (*n - i - 1) * sizeof *f);
      (*n)--;
      return true;
    }
  }
  return true;
}

/* factors of one atom join only if their powers have one sign */
static bool insert_factor(as_terms *t, as_factor *f, uint32_t *n, as_factor x) {
  uint32_t at = 0;
  if (!strictest(t, f, n, x))
    return true;
  while (at < *n &&
         (f[at].atom < x.atom || (f[at].atom == x.atom && f[at].power > 0 && x.power < 0)))
    at++;
  if (at < *n && f[at].atom == x.atom && (f[at].power > 0) == (x.power > 0)) {
    f[at].power += x.power;
    return true;
  }
  if (*n == MAX_FACTORS)
    return false;
  memmove(f + at + 1, f + at, (*n - at) * sizeof *f);
  f[at] = x;
  (*n)++;
  return true;
}

static bool mul_mono(as_terms *t, const as_mono *a, const as_mono *b, as_factor *room,
                     as_mono *out) {
  as_poly exponent = AS_POLY_NONE;
  uint32_t n = 0;
  for (int side = 0; side < 2; side++) {
    const as_mono *m = side ? b : a;
    for (uint32_t i = 0; i < m->n; i++) {
      const as_atom *x = as_term_atom(t, m->factor[i].atom);
      if (x->kind == AS_ATOM_EXP) {
        as_poly p = x->p;
        exponent = exponent == AS_POLY_NONE ? p : as_poly_add(t, exponent, p);
      } else if (!insert_factor(t, room, &n, m->factor[i])) {
        return false;
      }
    }
  }
  if (exponent != AS_POLY_NONE && as_poly_monos(t, exponent)) {
    as_atom e = {.kind = AS_ATOM_EXP, .p = exponent, .q = AS_POLY_NONE};
    as_factor f = {.atom = intern_atom(t, &e), .power = 1};
    if (!insert_factor(t, room, &n, f))
      return false;
  }
  mpq_t v;
  mpq_init(v);
  mpq_mul(v, t->coef[a->coef], t->coef[b->coef]);
  *out = (as_mono){.coef = intern_coef(t, v), .n = n, .factor = room};
  mpq_clear(v);
  return true;
}

as_poly as_poly_mul(as_terms *t, as_poly a, as_poly b) {
  sum s = {.n = 0};
  as_factor(*room)[MAX_FACTORS] = as_malloc((MAX_MONOS + 1) * MAX_MONOS * sizeof *room);
  uint32_t used = 0;
  for (uint32_t i = 0; i < as_poly_monos(t, a) && !t->over; i++) {
    for (uint32_t j = 0; j < as_poly_monos(t, b) && !t->over; j++) {
      as_mono x = *as_poly_mono(t, a, i);
      as_mono y = *as_poly_mono(t, b, j);
      as_mono m;
      if (!mul_mono(t, &x, &y, room[used], &m)) {
        t->over = true;
        break;
      }
      used++;
      add_mono(t, &s, &m);
    }
  }
  as_poly r = intern_sum(t, &s);
  free(room);
  return r;
}

typedef as_poly unary(as_terms *t, as_poly a);

/* f(a) by cases, where a has a condition */
static as_poly by_cases(as_terms *t, unary *f, as_poly a, uint32_t condition) {
  as_poly is = as_poly_where(t, a, condition, true);
  as_poly is_not = as_poly_where(t, a, condition, false);
  as_atom c = *as_term_atom(t, condition);
  return as_poly_choice(t, as_poly_atom(t, &c), f(t, is), f(t, is_not));
}

/* 1 / (c x y) = (1 / c) (1 / x) (1 / y); a sum, or a product with inverses in it, is an atom */
as_poly as_poly_inv(as_terms *t, as_poly a) {
  uint32_t condition = as_poly_condition(t, a);
  if (!get(t, a)->n)
    t->over = true; /* where a condition does not hold */
  if (condition != AS_TERM_NONE && !t->over)
    return by_cases(t, as_poly_inv, a, condition);
  const poly *p = get(t, a);
  bool single = p->n == 1;
  for (uint32_t i = 0; single && i < p->mono[0].n; i++)
    single = p->mono[0].factor[i].power > 0;
  if (!single) {
    as_atom x = {.kind = AS_ATOM_POLY, .p = a, .q = AS_POLY_NONE};
    return atom_power(t, &x, -1);
  }
  as_mono m = p->mono[0];
  mpq_t v;
  mpq_init(v);
  mpq_inv(v, t->coef[m.coef]);
  as_poly r = as_poly_num(t, v);
  mpq_clear(v);
  for (uint32_t i = 0; i < m.n; i++) {
    as_atom x = *as_term_atom(t, m.factor[i].atom);
    as_poly f = x.kind == AS_ATOM_EXP ? as_poly_exp(t, as_poly_neg(t, x.p))
                                      : atom_power(t, &x, -m.factor[i].power);
    r = as_poly_mul(t, r, f);
  }
  return r;
}

as_poly as_poly_exp(as_terms *t, as_poly a) {
  uint32_t condition = as_poly_condition(t, a);
  if (condition != AS_TERM_NONE && !t->over)
    return by_cases(t, as_poly_exp, a, condition);
  if (!as_poly_monos(t, a))
    return as_poly_int(t, 1);
  as_atom x = {.kind = AS_ATOM_EXP, .p = a, .q = AS_POLY_NONE};
  return atom_power(t, &x, 1);
}

static as_poly is_zero(as_terms *t, as_poly p) {
  const poly *x = get(t, p);
  as_poly negative;
  if (!x->n)
    return as_poly_int(t, 1);
  if (x->n == 1 && !x->mono[0].n)
    return as_poly_int(t, 0);
  negative = as_poly_neg(t, p);
  as_atom a = {.kind = AS_ATOM_ZERO, .p = negative < p ? negative : p, .q = AS_POLY_NONE};
  return atom_power(t, &a, 1);
}

as_poly as_poly_fn(as_terms *t, as_atom_kind kind, as_poly p, as_poly q) {
  uint32_t condition = as_poly_condition(t, p);
  if (condition == AS_TERM_NONE && q != AS_POLY_NONE)
    condition = as_poly_condition(t, q);
  if (condition != AS_TERM_NONE && !t->over) {
    as_poly value[2];
    for (int is = 0; is < 2; is++) {
      as_poly x = as_poly_where(t, p, condition, is);
      as_poly y = q == AS_POLY_NONE ? q : as_poly_where(t, q, condition, is);
      value[is] = as_poly_fn(t, kind, x, y);
    }
    as_atom c = *as_term_atom(t, condition);
    return as_poly_choice(t, as_poly_atom(t, &c), value[1], value[0]);
  }
  if (kind == AS_ATOM_ZERO && !t->over)
    return is_zero(t, p);
  bool symmetric = kind == AS_ATOM_MAX2 || kind == AS_ATOM_MIN2;
  as_atom x = {.kind = kind, .p = symmetric && q < p ? q : p, .q = symmetric && q < p ? p : q};
  return atom_power(t, &x, 1);
}

as_poly as_poly_load(as_terms *t, uint32_t node, const int32_t *index, uint32_t n) {
  as_atom x = {.kind = AS_ATOM_LOAD, .node = node, .n = n, .p = AS_POLY_NONE, .q = AS_POLY_NONE};
  if (n > AS_TERM_RANK)
    t->over = true;
  for (uint32_t i = 0; i < n && i < AS_TERM_RANK; i++)
    x.index[i] = index[i];
  return atom_power(t, &x, 1);
}

as_poly as_poly_old(as_terms *t, uint32_t value) {
  as_atom x = {.kind = AS_ATOM_OLD, .node = value, .p = AS_POLY_NONE, .q = AS_POLY_NONE};
  return atom_power(t, &x, 1);
}

as_poly as_poly_place(as_terms *t, as_place place, int32_t index) {
  as_atom x = {.kind = AS_ATOM_PLACE, .node = place, .p = AS_POLY_NONE, .q = AS_POLY_NONE};
  if (place == AS_PLACE_INDEX && index == AS_INDEX_ZERO)
    return as_poly_int(t, 0);
  x.n = place == AS_PLACE_INDEX;
  x.index[0] = x.n ? index : 0;
  return atom_power(t, &x, 1);
}

as_poly as_poly_acc(as_terms *t, as_poly body, as_poly run) {
  as_atom x = {.kind = AS_ATOM_ACC, .p = body, .q = run};
  return atom_power(t, &x, 1);
}

as_poly as_poly_run(as_terms *t, as_poly body) {
  as_atom x = {.kind = AS_ATOM_RUN, .p = body, .q = AS_POLY_NONE};
  return atom_power(t, &x, 1);
}

static int32_t depth_of(const as_terms *t, as_poly p) {
  int32_t deepest = 0;
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      int32_t here = -a->bound;
      if (a->p != AS_POLY_NONE && depth_of(t, a->p) > here)
        here = depth_of(t, a->p);
      if (a->q != AS_POLY_NONE && depth_of(t, a->q) > here)
        here = depth_of(t, a->q);
      deepest = here > deepest ? here : deepest;
    }
  }
  return deepest;
}

static as_poly rename_atom(as_terms *t, uint32_t atom, int power, int32_t from, int32_t to) {
  as_atom a = *as_term_atom(t, atom);
  for (uint32_t i = 0; i < a.n; i++)
    a.index[i] = a.index[i] == from ? to : a.index[i];
  if (a.p != AS_POLY_NONE)
    a.p = as_poly_rename(t, a.p, from, to);
  if (a.q != AS_POLY_NONE)
    a.q = as_poly_rename(t, a.q, from, to);
  if (a.kind == AS_ATOM_COND)
    return as_poly_at_least(t, a.p);
  if (a.kind == AS_ATOM_ZERO && !t->over) {
    as_poly negative = as_poly_neg(t, a.p);
    a.p = negative < a.p ? negative : a.p;
  }
  if ((a.kind == AS_ATOM_MAX2 || a.kind == AS_ATOM_MIN2) && a.q < a.p) {
    as_poly p = a.p;
    a.p = a.q;
    a.q = p;
  }
  return atom_power(t, &a, power);
}

typedef struct {
  int32_t from;
  int32_t to;
} renaming;

static as_poly renamed(as_terms *t, as_poly p, const void *arg) {
  const renaming *by = arg;
  return as_poly_rename(t, p, by->from, by->to);
}

as_poly as_poly_rename(as_terms *t, as_poly p, int32_t from, int32_t to) {
  as_poly r = as_poly_int(t, 0);
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    as_mono m = *as_poly_mono(t, p, i);
    as_poly x = as_poly_num(t, t->coef[m.coef]);
    for (uint32_t k = 0; k < m.n; k++)
      x = as_poly_mul(t, x, rename_atom(t, m.factor[k].atom, m.factor[k].power, from, to));
    r = as_poly_add(t, r, x);
  }
  as_poly_carry(t, p, r, renamed, &(renaming){from, to});
  return r;
}

as_poly as_poly_fold(as_terms *t, as_atom_kind kind, int32_t index, long extent, as_poly body) {
  int32_t bound = -(depth_of(t, body) + 1);
  as_atom x = {.kind = kind, .bound = bound, .extent = extent, .q = AS_POLY_NONE};
  x.p = as_poly_rename(t, body, index, bound);
  return atom_power(t, &x, 1);
}

as_poly as_poly_without(as_terms *t, as_poly p, uint32_t atom) {
  as_poly r = as_poly_int(t, 0);
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    as_mono m = *as_poly_mono(t, p, i);
    as_factor room[MAX_FACTORS];
    bool found = false;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m.n; k++) {
      as_factor f = m.factor[k];
      if (f.atom == atom && f.power > 0 && !found) {
        found = true;
        f.power--;
      }
      if (f.power)
        room[n++] = f;
    }
    if (!found)
      return AS_POLY_NONE;
    m.n = n;
    m.factor = room;
    sum s = {.n = 0};
    add_mono(t, &s, &m);
    r = as_poly_add(t, r, intern_sum(t, &s));
  }
  as_poly_carry_without(t, p, r, atom);
  return r;
}

static bool any_atom(const as_terms *t, as_poly p, bool (*hit)(const as_atom *, int32_t),
                     int32_t arg) {
  for (uint32_t i = 0; i < as_poly_monos(t, p); i++) {
    const as_mono *m = as_poly_mono(t, p, i);
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(t, m->factor[k].atom);
      if (hit(a, arg) || (a->p != AS_POLY_NONE && any_atom(t, a->p, hit, arg)) ||
          (a->q != AS_POLY_NONE && any_atom(t, a->q, hit, arg)))
        return true;
    }
  }
  return false;
}

static bool is_kind(const as_atom *a, int32_t kind) {
  return (int32_t)a->kind == kind;
}

bool as_atom_has_index(const as_atom *a, int32_t index) {
  for (uint32_t i = 0; i < a->n; i++) {
    if (a->index[i] == index)
      return true;
  }
  return false;
}

bool as_poly_uses_kind(const as_terms *t, as_poly p, as_atom_kind kind) {
  return any_atom(t, p, is_kind, (int32_t)kind);
}

bool as_poly_uses_index(const as_terms *t, as_poly p, int32_t index) {
  return any_atom(t, p, as_atom_has_index, index);
}

bool as_poly_is_number(const as_terms *t, as_poly p) {
  uint32_t n = as_poly_monos(t, p);
  return n == 0 || (n == 1 && as_poly_mono(t, p, 0)->n == 0);
}

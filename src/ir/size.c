/* Polynomials in normal form: monomials sorted by their atoms, no zero coefficients, atoms sorted
 * within a monomial. */
#include "size.h"
#include "../base/hash.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "../base/vec.h"
#include <stdlib.h>
#include <string.h>

typedef enum { K_POLY, K_SYM, K_DIV, K_MOD, K_MAX, K_MIN } kind;

typedef struct {
  kind k;
  uint32_t mono;
  uint32_t nmono; /* slice of as_sizes.mono */
  uint32_t num;
  uint32_t den; /* K_DIV, K_MOD; the two operands of K_MAX, K_MIN */
  char *name;   /* K_SYM */
  long least;
  long value; /* K_SYM */
} entry;

typedef struct {
  long coef;
  uint32_t at;
  uint32_t n;
} mono; /* slice of as_sizes.atom, or of the scratch */

typedef struct {
  uint32_t op;
  uint32_t a;
  uint32_t b;
  uint32_t out;
} cached;

enum { CACHE = 4096, MOST_MONOS = 2048, MOST_ATOMS = 64 };

struct as_sizes {
  as_vec entry;
  as_vec mono;
  as_vec atom;
  as_vec sym;
  as_vec tmono;
  as_vec tatom;        /* scratch: the polynomial being built */
  as_index by_content; /* entries */
  cached *cache;
};

static entry *ent(const as_sizes *S, as_size a) {
  return &AS_VEC_AT(&S->entry, entry, a);
}

static const mono *monos(const as_sizes *S, as_size a) {
  return (const mono *)S->mono.data + ent(S, a)->mono;
}

static const as_size *atoms(const as_sizes *S, const mono *m) {
  return (const as_size *)S->atom.data + m->at;
}

static const as_size *tatoms(const as_sizes *S, const mono *m) {
  return (const as_size *)S->tatom.data + m->at;
}

static bool bad(const as_sizes *S, as_size a) {
  return a >= S->entry.n;
}

/* --- the table of entries */
static uint64_t hash_name(const char *name) {
  return as_hash(name, strlen(name), 1);
}

static uint64_t hash_pair(kind k, as_size num, as_size den) {
  return as_hash_words(AS_KEY(k, num, den), 3, 7);
}

/* an atom's own polynomial is one monomial: itself */
static as_size push_atom(as_sizes *S, uint64_t hash, entry e) {
  as_size id = (as_size)S->entry.n;
  mono m = {1, (uint32_t)S->atom.n, 1};
  e.mono = (uint32_t)S->mono.n;
  e.nmono = 1;
  as_vec_push(&S->entry, &e);
  as_vec_push(&S->mono, &m);
  as_vec_push(&S->atom, &id);
  as_index_add(&S->by_content, hash, id);
  return id;
}

/* --- scratch polynomial */
static void t_reset(as_sizes *S) {
  S->tmono.n = S->tatom.n = 0;
}

static bool t_add(as_sizes *S, long coef, const as_size *at,
                  uint32_t n) { /* `at` may lie in S->atom, not in the scratch */
  if (n > MOST_ATOMS || S->tmono.n > 4 * MOST_MONOS)
    return false;
  mono m = {coef, (uint32_t)S->tatom.n, n};
  as_vec_push(&S->tmono, &m);
  for (uint32_t i = 0; i < n; i++)
    as_vec_push(&S->tatom, &at[i]);
  return true;
}

static int cmp_atoms(const as_size *a, uint32_t na, const as_size *b, uint32_t nb) {
  if (na != nb)
    return na < nb ? 1 : -1; /* higher degree first, the constant last */
  for (uint32_t i = 0; i < na; i++) {
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

static int cmp_mono(const void *x, const void *y, void *ctx) {
  const as_sizes *S = ctx;
  const mono *a = x;
  const mono *b = y;
  return cmp_atoms(tatoms(S, a), a->n, tatoms(S, b), b->n);
}

/* Of the first k monomials, in normal form: */
static uint64_t t_hash(const as_sizes *S, size_t k) {
  uint64_t hash = 3;
  for (size_t i = 0; i < k; i++) {
    const mono *m = &AS_VEC_AT(&S->tmono, mono, i);
    hash = as_hash(&m->coef, sizeof m->coef, hash);
    hash = as_hash(tatoms(S, m), m->n * sizeof(as_size), hash);
  }
  return hash;
}

static bool t_equals(const as_sizes *S, size_t k, as_size id) {
  const entry *e = ent(S, id);
  if (e->k != K_POLY || e->nmono != k)
    return false;
  const mono *m = monos(S, id);
  const mono *t = S->tmono.data;
  for (size_t i = 0; i < k; i++) {
    if (m[i].coef != t[i].coef || cmp_atoms(atoms(S, &m[i]), m[i].n, tatoms(S, &t[i]), t[i].n) != 0)
      return false;
  }
  return true;
}

static as_size t_push(as_sizes *S, size_t k, uint64_t hash) {
  as_size id = (as_size)S->entry.n;
  entry e = {.k = K_POLY, .mono = (uint32_t)S->mono.n, .nmono = (uint32_t)k, .value = -1};
  as_vec_push(&S->entry, &e);
  for (size_t i = 0; i < k; i++) {
    const mono *t = &AS_VEC_AT(&S->tmono, mono, i);
    mono m = {t->coef, (uint32_t)S->atom.n, t->n};
    as_vec_push(&S->mono, &m);
    for (uint32_t j = 0; j < t->n; j++)
      as_vec_push(&S->atom, &tatoms(S, t)[j]);
  }
  as_index_add(&S->by_content, hash, id);
  return id;
}

/* sorts, combines, and gives the id of the scratch polynomial */
static as_size t_intern(as_sizes *S) {
  mono *t = S->tmono.data;
  size_t n = S->tmono.n;
  size_t k = 0;
  if (n > 1)
    qsort_r(t, n, sizeof *t, cmp_mono, S);
  for (size_t i = 0; i < n;) {
    long c = 0;
    size_t j = i;
    for (; j < n && (j == i || cmp_mono(&t[i], &t[j], S) == 0); j++) {
      if (__builtin_add_overflow(c, t[j].coef, &c))
        return AS_SIZE_BAD;
    }
    mono m = t[i];
    m.coef = c;
    if (c != 0)
      t[k++] = m;
    i = j;
  }
  if (k > MOST_MONOS)
    return AS_SIZE_BAD;
  if (k == 1 && t[0].coef == 1 && t[0].n == 1)
    return tatoms(S, &t[0])[0];
  uint64_t hash = t_hash(S, k);
  as_index_walk walk = as_index_start(&S->by_content, hash);
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (t_equals(S, k, id))
      return id;
  }
  return t_push(S, k, hash);
}

/* --- making and copying */
static void
init_vec(as_vec *v, size_t item) { /* never without memory: slices of nothing still point into it */
  as_vec_init(v, item);
  as_vec_push(v, NULL);
  v->n = 0;
}

as_sizes *as_sizes_new(void) {
  as_sizes *S = as_calloc(1, sizeof *S);
  init_vec(&S->entry, sizeof(entry));
  init_vec(&S->mono, sizeof(mono));
  init_vec(&S->atom, sizeof(as_size));
  init_vec(&S->sym, sizeof(as_size));
  init_vec(&S->tmono, sizeof(mono));
  init_vec(&S->tatom, sizeof(as_size));
  S->cache = as_calloc(CACHE, sizeof *S->cache);
  as_size_int(S, 0);
  as_size_int(S, 1);
  return S;
}

void as_sizes_free(as_sizes *S) {
  if (S == NULL)
    return;
  for (size_t i = 0; i < S->entry.n; i++)
    free(ent(S, (as_size)i)->name);
  as_vec *v[] = {&S->entry, &S->mono, &S->atom, &S->sym, &S->tmono, &S->tatom};
  for (size_t i = 0; i < sizeof v / sizeof *v; i++)
    as_vec_clear(v[i]);
  as_index_clear(&S->by_content);
  free(S->cache);
  free(S);
}

static void copy_vec(as_vec *to, const as_vec *from) {
  init_vec(to, from->item);
  if (from->n == 0)
    return;
  to->n = to->cap = from->n;
  to->data = as_realloc(to->data, from->n * from->item);
  memcpy(to->data, from->data, from->n * from->item);
}

as_sizes *as_sizes_copy(const as_sizes *S) {
  as_sizes *C = as_calloc(1, sizeof *C);
  copy_vec(&C->entry, &S->entry);
  copy_vec(&C->mono, &S->mono);
  copy_vec(&C->atom, &S->atom);
  copy_vec(&C->sym, &S->sym);
  init_vec(&C->tmono, sizeof(mono));
  init_vec(&C->tatom, sizeof(as_size));
  for (size_t i = 0; i < C->entry.n; i++) {
    entry *e = ent(C, (as_size)i);
    if (e->name)
      e->name = as_strdup(e->name);
  }
  as_index_copy(&C->by_content, &S->by_content);
  C->cache = as_calloc(CACHE, sizeof *C->cache);
  return C;
}

as_size as_size_int(as_sizes *S, long v) {
  t_reset(S);
  if (v != 0)
    t_add(S, v, NULL, 0);
  return t_intern(S);
}

as_size as_size_find(const as_sizes *S, const char *name) {
  as_index_walk walk = as_index_start(&S->by_content, hash_name(name));
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (ent(S, id)->k == K_SYM && strcmp(ent(S, id)->name, name) == 0)
      return id;
  }
  return AS_SIZE_BAD;
}

as_size as_size_sym(as_sizes *S, const char *name) {
  as_size id = as_size_find(S, name);
  if (id != AS_SIZE_BAD)
    return id;
  entry e = {.k = K_SYM, .name = as_strdup(name), .least = 1, .value = -1};
  id = push_atom(S, hash_name(name), e);
  as_vec_push(&S->sym, &id);
  return id;
}

void as_size_set_least(as_sizes *S, as_size sym, long least) {
  ent(S, sym)->least = least;
}

long as_size_least(const as_sizes *S, as_size sym) {
  return ent(S, sym)->least;
}

void as_size_set_value(as_sizes *S, as_size sym, long v) {
  ent(S, sym)->value = v;
}

long as_size_value(const as_sizes *S, as_size sym) {
  return ent(S, sym)->value;
}

/* --- arithmetic */
enum { OP_ADD = 1, OP_SUB, OP_MUL };

static bool t_poly(as_sizes *S, as_size a, long factor) {
  uint32_t n = ent(S, a)->nmono;
  for (uint32_t i = 0; i < n; i++) {
    const mono *m = monos(S, a) + i;
    long c;
    if (__builtin_mul_overflow(m->coef, factor, &c) || !t_add(S, c, atoms(S, m), m->n))
      return false;
  }
  return true;
}

static bool t_product(as_sizes *S, as_size a, as_size b) {
  as_size both[2 * MOST_ATOMS];
  for (uint32_t i = 0; i < ent(S, a)->nmono; i++) {
    for (uint32_t j = 0; j < ent(S, b)->nmono; j++) {
      const mono *x = monos(S, a) + i;
      const mono *y = monos(S, b) + j;
      const as_size *p = atoms(S, x);
      const as_size *q = atoms(S, y);
      uint32_t n = 0;
      uint32_t s = 0;
      uint32_t t = 0;
      while (s < x->n || t < y->n)
        both[n++] = t == y->n || (s < x->n && p[s] <= q[t]) ? p[s++] : q[t++];
      long c;
      if (__builtin_mul_overflow(x->coef, y->coef, &c) || !t_add(S, c, both, n))
        return false;
    }
  }
  return true;
}

static as_size arith(as_sizes *S, uint32_t op, as_size a, as_size b) {
  if (bad(S, a) || bad(S, b))
    return AS_SIZE_BAD;
  if (op != OP_SUB && a > b) {
    as_size t = a;
    a = b;
    b = t;
  }
  cached *c = &S->cache[as_hash_words(AS_KEY(op, a, b), 3, 0) % CACHE];
  if (c->op == op && c->a == a && c->b == b)
    return c->out;
  t_reset(S);
  bool ok =
      op == OP_MUL ? t_product(S, a, b) : t_poly(S, a, 1) && t_poly(S, b, op == OP_SUB ? -1 : 1);
  as_size out = ok ? t_intern(S) : AS_SIZE_BAD;
  *c = (cached){op, a, b, out};
  return out;
}

as_size as_size_add(as_sizes *S, as_size a, as_size b) {
  return arith(S, OP_ADD, a, b);
}

as_size as_size_sub(as_sizes *S, as_size a, as_size b) {
  return arith(S, OP_SUB, a, b);
}

as_size as_size_mul(as_sizes *S, as_size a, as_size b) {
  return arith(S, OP_MUL, a, b);
}

bool as_size_is_const(const as_sizes *S, as_size a, long *v) {
  if (bad(S, a))
    return false;
  const entry *e = ent(S, a);
  if (e->nmono > 1 || (e->nmono == 1 && monos(S, a)->n != 0))
    return false;
  if (v)
    *v = e->nmono ? monos(S, a)->coef : 0;
  return true;
}

static long floor_div(long a, long b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* a / b when b is one monomial, surely positive, that divides every monomial of a */
static as_size exact_quotient(as_sizes *S, as_size a, as_size b) {
  if (ent(S, b)->nmono != 1)
    return AS_SIZE_BAD;
  mono d = monos(S, b)[0];
  if (d.coef < 1)
    return AS_SIZE_BAD;
  for (uint32_t i = 0; i < d.n; i++) {
    const entry *e = ent(S, atoms(S, &d)[i]);
    if (e->k != K_SYM || e->least < 1)
      return AS_SIZE_BAD;
  }
  t_reset(S);
  for (uint32_t i = 0; i < ent(S, a)->nmono; i++) {
    const mono *m = monos(S, a) + i;
    as_size rest[MOST_ATOMS];
    uint32_t n = 0;
    uint32_t j = 0;
    for (uint32_t k = 0; k < m->n; k++) {
      if (j < d.n && atoms(S, m)[k] == atoms(S, &d)[j])
        j++;
      else
        rest[n++] = atoms(S, m)[k];
    }
    if (j < d.n || m->coef % d.coef != 0 || !t_add(S, m->coef / d.coef, rest, n))
      return AS_SIZE_BAD;
  }
  return t_intern(S);
}

static as_size pair_atom(as_sizes *S, kind k, as_size a, as_size b) {
  uint64_t hash = hash_pair(k, a, b);
  as_index_walk walk = as_index_start(&S->by_content, hash);
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    const entry *e = ent(S, id);
    if (e->k == k && e->num == a && e->den == b)
      return id;
  }
  return push_atom(S, hash, (entry){.k = k, .num = a, .den = b, .value = -1});
}

static as_size divmod(as_sizes *S, kind k, as_size a, as_size b) {
  if (bad(S, a) || bad(S, b))
    return AS_SIZE_BAD;
  long x;
  long y;
  if (as_size_is_const(S, b, &y)) {
    if (y < 1)
      return AS_SIZE_BAD;
    if (as_size_is_const(S, a, &x))
      return as_size_int(S, k == K_DIV ? floor_div(x, y) : x - floor_div(x, y) * y);
  }
  as_size q = exact_quotient(S, a, b);
  if (q != AS_SIZE_BAD)
    return k == K_DIV ? q : 0;
  return pair_atom(S, k, a, b);
}

static as_size maxmin(as_sizes *S, kind k, as_size a, as_size b) {
  long x;
  long y;
  if (bad(S, a) || bad(S, b))
    return AS_SIZE_BAD;
  if (a == b)
    return a;
  if (as_size_is_const(S, a, &x) && as_size_is_const(S, b, &y))
    return (x < y) == (k == K_MAX) ? b : a;
  return pair_atom(S, k, a, b);
}

static as_size pair(as_sizes *S, kind k, as_size a, as_size b) {
  return k == K_DIV || k == K_MOD ? divmod(S, k, a, b) : maxmin(S, k, a, b);
}

as_size as_size_div(as_sizes *S, as_size a, as_size b) {
  return divmod(S, K_DIV, a, b);
}

as_size as_size_mod(as_sizes *S, as_size a, as_size b) {
  return divmod(S, K_MOD, a, b);
}

as_size as_size_max(as_sizes *S, as_size a, as_size b) {
  return maxmin(S, K_MAX, a, b);
}

as_size as_size_min(as_sizes *S, as_size a, as_size b) {
  return maxmin(S, K_MIN, a, b);
}

/* --- reading */
bool as_size_is_sym(const as_sizes *S, as_size a) {
  return !bad(S, a) && ent(S, a)->k == K_SYM;
}

bool as_size_is_group(const as_sizes *S, as_size a) {
  return as_size_is_sym(S, a) && ent(S, a)->name[0] == '.';
}

const char *as_size_name(const as_sizes *S, as_size sym) {
  return ent(S, sym)->name;
}

uint32_t as_size_count(const as_sizes *S) {
  return (uint32_t)S->entry.n;
}

as_size as_size_nth_sym(const as_sizes *S, uint32_t i) {
  return i < S->sym.n ? AS_VEC_AT(&S->sym, as_size, i) : AS_SIZE_BAD;
}

uint32_t as_size_nmono(const as_sizes *S, as_size a) {
  return ent(S, a)->nmono;
}

as_size_mono as_size_get_mono(const as_sizes *S, as_size a, uint32_t i) {
  const mono *m = monos(S, a) + i;
  return (as_size_mono){m->coef, m->n, atoms(S, m)};
}

as_size_kind as_size_atom(const as_sizes *S, as_size atom, as_size *a, as_size *b) {
  const entry *e = ent(S, atom);
  *a = e->num;
  *b = e->den;
  return e->k == K_DIV   ? AS_SIZE_DIV
         : e->k == K_MOD ? AS_SIZE_MOD
         : e->k == K_MAX ? AS_SIZE_MAX
         : e->k == K_MIN ? AS_SIZE_MIN
                         : AS_SIZE_SYM;
}

static int64_t eval_atom(const as_sizes *S, as_size a, const int64_t *env) {
  const entry *e = ent(S, a);
  if (e->k == K_SYM)
    return env[a];
  int64_t x = as_size_eval(S, e->num, env);
  int64_t y = as_size_eval(S, e->den, env);
  if (x == INT64_MIN || y == INT64_MIN)
    return INT64_MIN;
  if (e->k == K_MAX || e->k == K_MIN)
    return (x < y) == (e->k == K_MAX) ? y : x;
  if (y < 1)
    return INT64_MIN;
  int64_t q = floor_div(x, y);
  return e->k == K_DIV ? q : x - q * y;
}

int64_t as_size_eval(const as_sizes *S, as_size a, const int64_t *env) {
  if (bad(S, a))
    return INT64_MIN;
  int64_t sum = 0;
  for (uint32_t i = 0; i < ent(S, a)->nmono; i++) {
    const mono *m = monos(S, a) + i;
    int64_t p = m->coef;
    for (uint32_t j = 0; j < m->n; j++) {
      int64_t v = eval_atom(S, atoms(S, m)[j], env);
      if (v == INT64_MIN || __builtin_mul_overflow(p, v, &p))
        return INT64_MIN;
    }
    if (__builtin_add_overflow(sum, p, &sum))
      return INT64_MIN;
  }
  return sum;
}

as_size as_size_subst(as_sizes *S, as_size a, as_size sym, as_size by) {
  if (bad(S, a) || bad(S, by))
    return AS_SIZE_BAD;
  if (ent(S, a)->k == K_SYM)
    return a == sym ? by : a;
  if (ent(S, a)->k != K_POLY) {
    entry e = *ent(S, a);
    as_size x = as_size_subst(S, e.num, sym, by);
    as_size y = as_size_subst(S, e.den, sym, by);
    return x == e.num && y == e.den ? a : pair(S, e.k, x, y);
  }
  as_size sum = 0;
  for (uint32_t i = 0; i < ent(S, a)->nmono; i++) {
    as_size p = as_size_int(S, monos(S, a)[i].coef);
    for (uint32_t j = 0; j < monos(S, a)[i].n; j++)
      p = as_size_mul(S, p, as_size_subst(S, atoms(S, &monos(S, a)[i])[j], sym, by));
    sum = as_size_add(S, sum, p);
  }
  return sum;
}

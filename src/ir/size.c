/* Polynomials in normal form: monomials sorted by their atoms, no zero coefficients, atoms sorted
 * within a monomial. */
#include "size.h"
#include "../base/hash.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "../base/vec.h"
#include <stdlib.h>
#include <string.h>

typedef enum { K_POLY, K_SYM, K_DIV, K_MOD, K_MAX, K_MIN } size_kind;

typedef struct {
  size_kind k;
  uint32_t mono;
  uint32_t nmono; /* slice of as_sizes.mono */
  uint32_t num;
  uint32_t den; /* K_DIV, K_MOD; the two operands of K_MAX, K_MIN */
  char *name;   /* K_SYM */
  long least;
  long value;  /* K_SYM */
  bool ranged; /* K_SYM */
} size_entry;

typedef struct {
  long coef;
  uint32_t at;
  uint32_t n;
} monomial; /* slice of as_sizes.atom, or of the scratch */

typedef struct {
  uint32_t op;
  uint32_t a;
  uint32_t b;
  uint32_t out;
} cached;

enum { CACHE = 4096, MOST_MONOS = 2048, MOST_ATOMS = 64, MOST_QUOTIENT = 64 };

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

static size_entry *entry_of(const as_sizes *sizes, as_size a) {
  return &AS_VEC_AT(&sizes->entry, size_entry, a);
}

static const monomial *monos(const as_sizes *sizes, as_size a) {
  return (const monomial *)sizes->mono.data + entry_of(sizes, a)->mono;
}

static const as_size *atoms(const as_sizes *sizes, const monomial *mono) {
  return (const as_size *)sizes->atom.data + mono->at;
}

static const as_size *tatoms(const as_sizes *sizes, const monomial *mono) {
  return (const as_size *)sizes->tatom.data + mono->at;
}

static bool bad(const as_sizes *sizes, as_size a) {
  return a >= sizes->entry.n;
}

/* --- the table of entries */
static uint64_t hash_name(const char *name) {
  return as_hash(name, strlen(name), 1);
}

static uint64_t hash_pair(size_kind kind, as_size num, as_size den) {
  return as_hash_words(AS_KEY(kind, num, den), 3, 7);
}

/* an atom's own polynomial is one monomial: itself */
static as_size push_atom(as_sizes *sizes, uint64_t hash, size_entry entry) {
  as_size id = (as_size)sizes->entry.n;
  monomial mono = {1, (uint32_t)sizes->atom.n, 1};
  entry.mono = (uint32_t)sizes->mono.n;
  entry.nmono = 1;
  as_vec_push(&sizes->entry, &entry);
  as_vec_push(&sizes->mono, &mono);
  as_vec_push(&sizes->atom, &id);
  as_index_add(&sizes->by_content, hash, id);
  return id;
}

/* --- scratch polynomial */
static void t_reset(as_sizes *sizes) {
  sizes->tmono.n = sizes->tatom.n = 0;
}

static bool t_add(as_sizes *sizes, long coef, const as_size *at,
                  uint32_t n) { /* `at` may lie in S->atom, not in the scratch */
  if (n > MOST_ATOMS || sizes->tmono.n > 4 * MOST_MONOS)
    return false;
  monomial mono = {coef, (uint32_t)sizes->tatom.n, n};
  as_vec_push(&sizes->tmono, &mono);
  for (uint32_t i = 0; i < n; i++)
    as_vec_push(&sizes->tatom, &at[i]);
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
  const as_sizes *sizes = ctx;
  const monomial *a = x;
  const monomial *b = y;
  return cmp_atoms(tatoms(sizes, a), a->n, tatoms(sizes, b), b->n);
}

/* Of the first k monomials, in normal form: */
static uint64_t t_hash(const as_sizes *sizes, size_t k) {
  uint64_t hash = 3;
  for (size_t i = 0; i < k; i++) {
    const monomial *mono = &AS_VEC_AT(&sizes->tmono, monomial, i);
    hash = as_hash(&mono->coef, sizeof mono->coef, hash);
    hash = as_hash(tatoms(sizes, mono), mono->n * sizeof(as_size), hash);
  }
  return hash;
}

static bool t_equals(const as_sizes *sizes, size_t k, as_size id) {
  const size_entry *entry = entry_of(sizes, id);
  if (entry->k != K_POLY || entry->nmono != k)
    return false;
  const monomial *mono = monos(sizes, id);
  const monomial *term = sizes->tmono.data;
  for (size_t i = 0; i < k; i++) {
    if (mono[i].coef != term[i].coef ||
        cmp_atoms(atoms(sizes, &mono[i]), mono[i].n, tatoms(sizes, &term[i]), term[i].n) != 0)
      return false;
  }
  return true;
}

static as_size t_push(as_sizes *sizes, size_t k, uint64_t hash) {
  as_size id = (as_size)sizes->entry.n;
  size_entry entry = {
      .k = K_POLY, .mono = (uint32_t)sizes->mono.n, .nmono = (uint32_t)k, .value = -1};
  as_vec_push(&sizes->entry, &entry);
  for (size_t i = 0; i < k; i++) {
    const monomial *term = &AS_VEC_AT(&sizes->tmono, monomial, i);
    monomial mono = {term->coef, (uint32_t)sizes->atom.n, term->n};
    as_vec_push(&sizes->mono, &mono);
    for (uint32_t j = 0; j < term->n; j++)
      as_vec_push(&sizes->atom, &tatoms(sizes, term)[j]);
  }
  as_index_add(&sizes->by_content, hash, id);
  return id;
}

/* sorts, combines, and gives the id of the scratch polynomial */
static as_size t_intern(as_sizes *sizes) {
  monomial *term = sizes->tmono.data;
  size_t n = sizes->tmono.n;
  size_t k = 0;
  if (n > 1)
    qsort_r(term, n, sizeof *term, cmp_mono, sizes);
  for (size_t i = 0; i < n;) {
    long c = 0;
    size_t j = i;
    for (; j < n && (j == i || cmp_mono(&term[i], &term[j], sizes) == 0); j++) {
      if (__builtin_add_overflow(c, term[j].coef, &c))
        return AS_SIZE_BAD;
    }
    monomial mono = term[i];
    mono.coef = c;
    if (c != 0)
      term[k++] = mono;
    i = j;
  }
  if (k > MOST_MONOS)
    return AS_SIZE_BAD;
  if (k == 1 && term[0].coef == 1 && term[0].n == 1)
    return tatoms(sizes, &term[0])[0];
  uint64_t hash = t_hash(sizes, k);
  as_index_walk walk = as_index_start(&sizes->by_content, hash);
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (t_equals(sizes, k, id))
      return id;
  }
  return t_push(sizes, k, hash);
}

/* --- making and copying */
static void
init_vec(as_vec *vec,
         size_t item) { /* never without memory: slices of nothing still point into it */
  as_vec_init(vec, item);
  as_vec_push(vec, NULL);
  vec->n = 0;
}

as_sizes *as_sizes_new(void) {
  as_sizes *sizes = as_calloc(1, sizeof *sizes);
  init_vec(&sizes->entry, sizeof(size_entry));
  init_vec(&sizes->mono, sizeof(monomial));
  init_vec(&sizes->atom, sizeof(as_size));
  init_vec(&sizes->sym, sizeof(as_size));
  init_vec(&sizes->tmono, sizeof(monomial));
  init_vec(&sizes->tatom, sizeof(as_size));
  sizes->cache = as_calloc(CACHE, sizeof *sizes->cache);
  as_size_int(sizes, 0);
  as_size_int(sizes, 1);
  return sizes;
}

void as_sizes_free(as_sizes *sizes) {
  if (sizes == NULL)
    return;
  for (size_t i = 0; i < sizes->entry.n; i++)
    free(entry_of(sizes, (as_size)i)->name);
  as_vec *vec[] = {&sizes->entry, &sizes->mono,  &sizes->atom,
                   &sizes->sym,   &sizes->tmono, &sizes->tatom};
  for (size_t i = 0; i < sizeof vec / sizeof *vec; i++)
    as_vec_clear(vec[i]);
  as_index_clear(&sizes->by_content);
  free(sizes->cache);
  free(sizes);
}

static void copy_vec(as_vec *to, const as_vec *from) {
  init_vec(to, from->item);
  if (from->n == 0)
    return;
  to->n = to->cap = from->n;
  to->data = as_realloc(to->data, from->n * from->item);
  memcpy(to->data, from->data, from->n * from->item);
}

as_sizes *as_sizes_copy(const as_sizes *sizes) {
  as_sizes *copy = as_calloc(1, sizeof *copy);
  copy_vec(&copy->entry, &sizes->entry);
  copy_vec(&copy->mono, &sizes->mono);
  copy_vec(&copy->atom, &sizes->atom);
  copy_vec(&copy->sym, &sizes->sym);
  init_vec(&copy->tmono, sizeof(monomial));
  init_vec(&copy->tatom, sizeof(as_size));
  for (size_t i = 0; i < copy->entry.n; i++) {
    size_entry *entry = entry_of(copy, (as_size)i);
    if (entry->name)
      entry->name = as_strdup(entry->name);
  }
  as_index_copy(&copy->by_content, &sizes->by_content);
  copy->cache = as_calloc(CACHE, sizeof *copy->cache);
  return copy;
}

as_size as_size_int(as_sizes *sizes, long value) {
  t_reset(sizes);
  if (value != 0)
    t_add(sizes, value, NULL, 0);
  return t_intern(sizes);
}

as_size as_size_find(const as_sizes *sizes, const char *name) {
  as_index_walk walk = as_index_start(&sizes->by_content, hash_name(name));
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (entry_of(sizes, id)->k == K_SYM && strcmp(entry_of(sizes, id)->name, name) == 0)
      return id;
  }
  return AS_SIZE_BAD;
}

as_size as_size_sym(as_sizes *sizes, const char *name) {
  as_size id = as_size_find(sizes, name);
  if (id != AS_SIZE_BAD)
    return id;
  size_entry entry = {.k = K_SYM, .name = as_strdup(name), .least = 1, .value = -1};
  id = push_atom(sizes, hash_name(name), entry);
  as_vec_push(&sizes->sym, &id);
  return id;
}

void as_size_set_least(as_sizes *sizes, as_size sym, long least) {
  entry_of(sizes, sym)->least = least;
}

long as_size_least(const as_sizes *sizes, as_size sym) {
  return entry_of(sizes, sym)->least;
}

void as_size_set_value(as_sizes *sizes, as_size sym, long value) {
  entry_of(sizes, sym)->value = value;
}

long as_size_value(const as_sizes *sizes, as_size sym) {
  return entry_of(sizes, sym)->value;
}

void as_size_set_ranged(as_sizes *sizes, as_size sym) {
  entry_of(sizes, sym)->ranged = true;
}

bool as_size_is_ranged(const as_sizes *sizes, as_size sym) {
  return entry_of(sizes, sym)->ranged;
}

bool as_size_mentions(const as_sizes *sizes, as_size a, as_size sym) {
  for (uint32_t i = 0; i < as_size_nmono(sizes, a); i++) {
    as_size_mono mono = as_size_get_mono(sizes, a, i);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_size left;
      as_size right;
      if (as_size_atom(sizes, mono.atom[k], &left, &right) == AS_SIZE_SYM) {
        if (mono.atom[k] == sym)
          return true;
      } else if (as_size_mentions(sizes, left, sym) || as_size_mentions(sizes, right, sym)) {
        return true;
      }
    }
  }
  return false;
}

/* --- arithmetic */
enum { OP_ADD = 1, OP_SUB, OP_MUL };

static bool t_poly(as_sizes *sizes, as_size a, long factor) {
  uint32_t n = entry_of(sizes, a)->nmono;
  for (uint32_t i = 0; i < n; i++) {
    const monomial *mono = monos(sizes, a) + i;
    long c;
    if (__builtin_mul_overflow(mono->coef, factor, &c) ||
        !t_add(sizes, c, atoms(sizes, mono), mono->n))
      return false;
  }
  return true;
}

static bool t_product(as_sizes *sizes, as_size a, as_size b) {
  as_size both[2 * MOST_ATOMS];
  for (uint32_t i = 0; i < entry_of(sizes, a)->nmono; i++) {
    for (uint32_t j = 0; j < entry_of(sizes, b)->nmono; j++) {
      const monomial *x = monos(sizes, a) + i;
      const monomial *y = monos(sizes, b) + j;
      const as_size *p = atoms(sizes, x);
      const as_size *q = atoms(sizes, y);
      uint32_t n = 0;
      uint32_t s = 0;
      uint32_t t = 0;
      while (s < x->n || t < y->n)
        both[n++] = t == y->n || (s < x->n && p[s] <= q[t]) ? p[s++] : q[t++];
      long c;
      if (__builtin_mul_overflow(x->coef, y->coef, &c) || !t_add(sizes, c, both, n))
        return false;
    }
  }
  return true;
}

static as_size arith(as_sizes *sizes, uint32_t op, as_size a, as_size b) {
  if (bad(sizes, a) || bad(sizes, b))
    return AS_SIZE_BAD;
  if (op != OP_SUB && a > b) {
    as_size t = a;
    a = b;
    b = t;
  }
  cached *c = &sizes->cache[as_hash_words(AS_KEY(op, a, b), 3, 0) % CACHE];
  if (c->op == op && c->a == a && c->b == b)
    return c->out;
  t_reset(sizes);
  bool ok = op == OP_MUL ? t_product(sizes, a, b)
                         : t_poly(sizes, a, 1) && t_poly(sizes, b, op == OP_SUB ? -1 : 1);
  as_size out = ok ? t_intern(sizes) : AS_SIZE_BAD;
  *c = (cached){op, a, b, out};
  return out;
}

as_size as_size_add(as_sizes *sizes, as_size a, as_size b) {
  return arith(sizes, OP_ADD, a, b);
}

as_size as_size_sub(as_sizes *sizes, as_size a, as_size b) {
  return arith(sizes, OP_SUB, a, b);
}

as_size as_size_mul(as_sizes *sizes, as_size a, as_size b) {
  return arith(sizes, OP_MUL, a, b);
}

bool as_size_is_const(const as_sizes *sizes, as_size a, long *value) {
  if (bad(sizes, a))
    return false;
  const size_entry *entry = entry_of(sizes, a);
  if (entry->nmono > 1 || (entry->nmono == 1 && monos(sizes, a)->n != 0))
    return false;
  if (value)
    *value = entry->nmono ? monos(sizes, a)->coef : 0;
  return true;
}

static long floor_div(long a, long b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool least_value(const as_sizes *sizes, as_size a, long *least);

/* what an atom is at least, where it is known to be no less than 0 */
static bool least_of_atom(const as_sizes *sizes, as_size atom, long *least) {
  const size_entry *entry = entry_of(sizes, atom);
  long divisor;
  *least = entry->least;
  if (entry->k == K_SYM)
    return *least >= 0;
  if (entry->k != K_DIV || !as_size_is_const(sizes, entry->den, &divisor) ||
      !least_value(sizes, entry->num, least) || *least < 0)
    return false;
  *least /= divisor;
  return true;
}

/* a number that no value is below: of constants, and sums of products of what is not below 0 */
static bool least_value(const as_sizes *sizes, as_size a, long *least) {
  *least = 0;
  for (uint32_t i = 0; i < entry_of(sizes, a)->nmono; i++) {
    const monomial *mono = monos(sizes, a) + i;
    long product = mono->coef;
    if (mono->n > 0 && product < 0)
      return false;
    for (uint32_t k = 0; k < mono->n; k++) {
      long factor;
      if (!least_of_atom(sizes, atoms(sizes, mono)[k], &factor) ||
          __builtin_mul_overflow(product, factor, &product))
        return false;
    }
    if (__builtin_add_overflow(*least, product, least))
      return false;
  }
  return true;
}

static bool is_positive(const as_sizes *sizes, as_size a) {
  long least;
  return least_value(sizes, a, &least) && least > 0;
}

/* the monomial a / b as a polynomial; AS_SIZE_BAD: b does not divide a */
static as_size mono_quotient(as_sizes *sizes, const monomial *a, const monomial *b) {
  as_size rest[MOST_ATOMS];
  uint32_t n = 0;
  uint32_t j = 0;
  for (uint32_t k = 0; k < a->n; k++) {
    if (j < b->n && atoms(sizes, a)[k] == atoms(sizes, b)[j])
      j++;
    else
      rest[n++] = atoms(sizes, a)[k];
  }
  t_reset(sizes);
  if (j < b->n || a->coef % b->coef != 0 || !t_add(sizes, a->coef / b->coef, rest, n))
    return AS_SIZE_BAD;
  return t_intern(sizes);
}

/* a / b when b is surely positive and divides a as a polynomial.  The first monomial of a product
 * is the product of the first ones, so the quotient's monomials are found one by one. */
static as_size exact_quotient(as_sizes *sizes, as_size a, as_size b) {
  if (!is_positive(sizes, b))
    return AS_SIZE_BAD;
  as_size quotient = 0;
  for (uint32_t i = 0; entry_of(sizes, a)->nmono > 0; i++) {
    monomial first = monos(sizes, a)[0];
    monomial divisor = monos(sizes, b)[0];
    as_size part = i < MOST_QUOTIENT ? mono_quotient(sizes, &first, &divisor) : AS_SIZE_BAD;
    a = as_size_sub(sizes, a, as_size_mul(sizes, part, b));
    quotient = as_size_add(sizes, quotient, part);
    if (a == AS_SIZE_BAD || quotient == AS_SIZE_BAD)
      return AS_SIZE_BAD;
  }
  return quotient;
}

static as_size pair_atom(as_sizes *sizes, size_kind kind, as_size a, as_size b) {
  uint64_t hash = hash_pair(kind, a, b);
  as_index_walk walk = as_index_start(&sizes->by_content, hash);
  for (as_size id; (id = as_index_next(&walk)) != AS_NONE;) {
    const size_entry *entry = entry_of(sizes, id);
    if (entry->k == kind && entry->num == a && entry->den == b)
      return id;
  }
  return push_atom(sizes, hash, (size_entry){.k = kind, .num = a, .den = b, .value = -1});
}

static as_size divmod(as_sizes *sizes, size_kind kind, as_size a, as_size b) {
  if (bad(sizes, a) || bad(sizes, b))
    return AS_SIZE_BAD;
  long x;
  long y;
  if (as_size_is_const(sizes, b, &y)) {
    if (y < 1)
      return AS_SIZE_BAD;
    if (as_size_is_const(sizes, a, &x))
      return as_size_int(sizes, kind == K_DIV ? floor_div(x, y) : x - floor_div(x, y) * y);
  }
  as_size q = exact_quotient(sizes, a, b);
  if (q != AS_SIZE_BAD)
    return kind == K_DIV ? q : 0;
  return pair_atom(sizes, kind, a, b);
}

static as_size maxmin(as_sizes *sizes, size_kind kind, as_size a, as_size b) {
  long x;
  long y;
  if (bad(sizes, a) || bad(sizes, b))
    return AS_SIZE_BAD;
  if (a == b)
    return a;
  if (as_size_is_const(sizes, a, &x) && as_size_is_const(sizes, b, &y))
    return (x < y) == (kind == K_MAX) ? b : a;
  return pair_atom(sizes, kind, a, b);
}

static as_size pair(as_sizes *sizes, size_kind kind, as_size a, as_size b) {
  return kind == K_DIV || kind == K_MOD ? divmod(sizes, kind, a, b) : maxmin(sizes, kind, a, b);
}

as_size as_size_div(as_sizes *sizes, as_size a, as_size b) {
  return divmod(sizes, K_DIV, a, b);
}

as_size as_size_mod(as_sizes *sizes, as_size a, as_size b) {
  return divmod(sizes, K_MOD, a, b);
}

as_size as_size_max(as_sizes *sizes, as_size a, as_size b) {
  return maxmin(sizes, K_MAX, a, b);
}

as_size as_size_min(as_sizes *sizes, as_size a, as_size b) {
  return maxmin(sizes, K_MIN, a, b);
}

/* --- reading */
bool as_size_is_sym(const as_sizes *sizes, as_size a) {
  return !bad(sizes, a) && entry_of(sizes, a)->k == K_SYM;
}

bool as_size_is_group(const as_sizes *sizes, as_size a) {
  return as_size_is_sym(sizes, a) && entry_of(sizes, a)->name[0] == '.';
}

const char *as_size_name(const as_sizes *sizes, as_size sym) {
  return entry_of(sizes, sym)->name;
}

void as_size_rename(as_sizes *sizes, as_size sym, const char *name) {
  size_entry *entry = entry_of(sizes, sym);
  char *owned = as_strdup(name);
  free(entry->name); /* found under the old name no more: finding compares names */
  entry->name = owned;
  as_index_add(&sizes->by_content, hash_name(name), sym);
}

uint32_t as_size_count(const as_sizes *sizes) {
  return (uint32_t)sizes->entry.n;
}

as_size as_size_nth_sym(const as_sizes *sizes, uint32_t i) {
  return i < sizes->sym.n ? AS_VEC_AT(&sizes->sym, as_size, i) : AS_SIZE_BAD;
}

uint32_t as_size_nmono(const as_sizes *sizes, as_size a) {
  return entry_of(sizes, a)->nmono;
}

as_size_mono as_size_get_mono(const as_sizes *sizes, as_size a, uint32_t i) {
  const monomial *mono = monos(sizes, a) + i;
  return (as_size_mono){mono->coef, mono->n, atoms(sizes, mono)};
}

as_size_kind as_size_atom(const as_sizes *sizes, as_size atom, as_size *a, as_size *b) {
  const size_entry *entry = entry_of(sizes, atom);
  *a = entry->num;
  *b = entry->den;
  return entry->k == K_DIV   ? AS_SIZE_DIV
         : entry->k == K_MOD ? AS_SIZE_MOD
         : entry->k == K_MAX ? AS_SIZE_MAX
         : entry->k == K_MIN ? AS_SIZE_MIN
                             : AS_SIZE_SYM;
}

static int64_t eval_atom(const as_sizes *sizes, as_size a, const int64_t *env) {
  const size_entry *entry = entry_of(sizes, a);
  if (entry->k == K_SYM)
    return env[a];
  int64_t x = as_size_eval(sizes, entry->num, env);
  int64_t y = as_size_eval(sizes, entry->den, env);
  if (x == INT64_MIN || y == INT64_MIN)
    return INT64_MIN;
  if (entry->k == K_MAX || entry->k == K_MIN)
    return (x < y) == (entry->k == K_MAX) ? y : x;
  if (y < 1)
    return INT64_MIN;
  int64_t q = floor_div(x, y);
  return entry->k == K_DIV ? q : x - q * y;
}

int64_t as_size_eval(const as_sizes *sizes, as_size a, const int64_t *env) {
  if (bad(sizes, a))
    return INT64_MIN;
  int64_t sum = 0;
  for (uint32_t i = 0; i < entry_of(sizes, a)->nmono; i++) {
    const monomial *mono = monos(sizes, a) + i;
    int64_t p = mono->coef;
    for (uint32_t j = 0; j < mono->n; j++) {
      int64_t value = eval_atom(sizes, atoms(sizes, mono)[j], env);
      if (value == INT64_MIN || __builtin_mul_overflow(p, value, &p))
        return INT64_MIN;
    }
    if (__builtin_add_overflow(sum, p, &sum))
      return INT64_MIN;
  }
  return sum;
}

as_size as_size_subst(as_sizes *sizes, as_size a, as_size sym, as_size by) {
  if (bad(sizes, a) || bad(sizes, by))
    return AS_SIZE_BAD;
  if (!as_size_mentions(sizes, a, sym)) /* most are asked about many symbols, one after the other */
    return a;
  if (entry_of(sizes, a)->k == K_SYM)
    return a == sym ? by : a;
  if (entry_of(sizes, a)->k != K_POLY) {
    size_entry entry = *entry_of(sizes, a);
    as_size x = as_size_subst(sizes, entry.num, sym, by);
    as_size y = as_size_subst(sizes, entry.den, sym, by);
    return x == entry.num && y == entry.den ? a : pair(sizes, entry.k, x, y);
  }
  as_size sum = 0;
  for (uint32_t i = 0; i < entry_of(sizes, a)->nmono; i++) {
    as_size p = as_size_int(sizes, monos(sizes, a)[i].coef);
    for (uint32_t j = 0; j < monos(sizes, a)[i].n; j++)
      p = as_size_mul(sizes, p,
                      as_size_subst(sizes, atoms(sizes, &monos(sizes, a)[i])[j], sym, by));
    sum = as_size_add(sizes, sum, p);
  }
  return sum;
}

/* The table of nodes, and substitution. */
#include "ck_term.h"
#include <stdlib.h>

void *ck_alloc(void *old, size_t n) {
  void *p = realloc(old, n ? n : 1);
  if (p == NULL) {
    fputs("assay-check: out of memory\n", stderr);
    abort();
  }
  return p;
}

/* ---- pools: a hash table by open addressing */
static uint32_t hash_of(const char *x, uint32_t n) {
  uint64_t h = n;
  uint64_t eight = 0;
  for (; n > 8; x += 8, n -= 8) {
    memcpy(&eight, x, 8);
    h = (h ^ eight) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  memcpy(&eight, x, n);
  return (uint32_t)((h ^ eight) * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t find(const ck_pool *p, const void *x, uint32_t n, uint32_t hash) {
  for (uint32_t i = hash, s; p->slots && (s = p->slot[i & (p->slots - 1)]) != CK_BAD; i++) {
    if (p->at[s].hash == hash && p->at[s].n == n && memcmp(p->at[s].x, x, n) == 0)
      return s;
  }
  return CK_BAD;
}

uint32_t ck_pool_find(const ck_pool *p, const void *x, uint32_t n) {
  return find(p, x, n, hash_of(x, n));
}

static void place(ck_pool *p, uint32_t s) {
  uint32_t i = p->at[s].hash;
  while (p->slot[i & (p->slots - 1)] != CK_BAD)
    i++;
  p->slot[i & (p->slots - 1)] = s;
}

uint32_t ck_pool_add(ck_pool *p, const void *x, uint32_t n) {
  const uint32_t hash = hash_of(x, n);
  const uint32_t s = find(p, x, n, hash);
  if (s != CK_BAD)
    return s;
  if (2 * (p->n + 1) > p->slots) {
    p->slots = p->slots ? 2 * p->slots : 64;
    p->slot = ck_alloc(p->slot, p->slots * sizeof *p->slot);
    memset(p->slot, 0xff, p->slots * sizeof *p->slot);
    CK_BELOW(i, p->n)
      place(p, i);
  }
  CK_GROW(p->at, p->cap, p->n + 1);
  p->at[p->n] = (ck_string){memcpy(ck_alloc(NULL, n), x, n), n, hash};
  p->bytes += sizeof *p->at + n;
  place(p, p->n);
  return p->n++;
}

void ck_pool_free(ck_pool *p) {
  CK_BELOW(i, p->n)
    free(p->at[i].x);
  free(p->at);
  free(p->slot);
}

/* ---- sorted lists */
uint32_t ck_merge(ck_terms *T, uint32_t a, uint32_t b, bool repeat) {
  const ck_ids p = ck_members(T, a);
  const ck_ids q = ck_members(T, b);
  if (p.n == 0 || (a == b && !repeat))
    return b;
  if (q.n == 0)
    return a;
  uint32_t n = 0;
  CK_GROW(T->list, T->cap_list, p.n + q.n);
  for (uint32_t i = 0, j = 0; i < p.n || j < q.n;) {
    uint32_t v = j == q.n || (i < p.n && p.x[i] <= q.x[j]) ? p.x[i++] : q.x[j++];
    if (repeat || n == 0 || T->list[n - 1] != v)
      T->list[n++] = v;
  }
  return ck_set(T, T->list, n);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

uint32_t ck_set_of(ck_terms *T, uint32_t *x, uint32_t n) {
  uint32_t m = 0;
  qsort(x, n, sizeof *x, by_number);
  CK_BELOW(i, n) {
    if (m == 0 || x[m - 1] != x[i])
      x[m++] = x[i];
  }
  return ck_set(T, x, m);
}

bool ck_has(const ck_terms *T, uint32_t set, uint32_t member) {
  const ck_ids s = ck_members(T, set);
  uint32_t lo = 0;
  uint32_t hi = s.n;
  while (hi - lo > 1) /* it is among lo .. hi-1 or not there */
  {
    if (s.x[(lo + hi) / 2] <= member)
      lo = (lo + hi) / 2;
    else
      hi = (lo + hi) / 2;
  }
  return lo < hi && s.x[lo] == member;
}

/* ---- the table */
ck_terms *ck_terms_new(void) {
  ck_terms *T = ck_alloc(NULL, sizeof *T);
  *T = (ck_terms){.why = "no error"};
  T->empty = ck_set(T, &T->empty, 0);
  return T;
}

void ck_terms_free(ck_terms *T) {
  if (T == NULL)
    return;
  for (ck_node *x = T->node; x < T->node + T->nodes.n; x++) {
    if (x->q) {
      mpq_clear(*x->q);
      free(x->q);
    }
    if (x->poly) {
      x->poly->kept = false;
      ck_poly_done(x->poly);
    }
  }
  ck_pool_free(&T->nodes);
  ck_pool_free(&T->strings);
  free(T->node);
  free(T->key);
  free(T->list);
  free(T);
}

/* A number is its text in lowest terms; its value and int flag. */
static bool number(ck_terms *T, ck_node *x) {
  const char *text = ck_word_text(T, x->a);
  mpq_init(*(x->q = ck_alloc(NULL, sizeof *x->q)));
  bool ok = mpq_set_str(*x->q, text, 10) == 0 && mpz_sgn(mpq_denref(*x->q)) != 0;
  if (ok)
    mpq_canonicalize(*x->q);
  char *lowest = mpq_get_str(NULL, 10, *x->q);
  ok = ok && strcmp(text, lowest) == 0;
  x->isint = strchr(text, '/') == NULL;
  free(lowest);
  if (!ok) {
    mpq_clear(*x->q);
    free(x->q);
  }
  return ok;
}

/* The arguments of an application are as its signature says; the int flag. */
static bool signature(const ck_terms *T, ck_node *x) {
  const char *sig = ck_word_text(T, x->b);
  if (strlen(sig) != (size_t)x->n + 2 || sig[x->n] != ':')
    return false;
  CK_BELOW(i, x->n) {
    if (sig[i] != 'r' && (sig[i] != 'i' || !ck_is_int(T, x->kid[i])))
      return false;
  }
  x->isint = sig[x->n + 1] == 'i';
  return x->isint || sig[x->n + 1] == 'r';
}

/* Of heads with a fixed number of kids, what each must be: t a term, i an integer one, f a
 * relation. */
static const char *const kids_of[] = {
    [CK_Q] = "",     [CK_V] = "",      [CK_B] = "",    [CK_ADD] = "tt", [CK_MUL] = "tt",
    [CK_DIV] = "ii", [CK_MOD] = "ii",  [CK_INV] = "t", [CK_EXP] = "t",  [CK_SQRT] = "t",
    [CK_LOG] = "t",  [CK_ITE] = "ftt", [CK_EQ] = "tt", [CK_NE] = "tt",  [CK_LE] = "tt",
    [CK_LT] = "tt",  [CK_ALL] = NULL};

static bool is_kind(const ck_terms *T, ck_id t, char kind) {
  return kind == 'f' ? ck_is_rel(T, t) : !ck_is_formula(T, t) && (kind == 't' || ck_is_int(T, t));
}

/* What must hold of the parts and kids of a node (RULES.md section 1, table), and its int flag. */
static bool well_formed(ck_terms *T, ck_node *x) {
  const char *kinds = x->op <= CK_ALL ? kids_of[x->op] : "";
  bool well = !kinds || strlen(kinds) == x->n;
  uint32_t ints = 0;
  CK_BELOW(i, x->n) {
    if (x->kid[i] >= T->nodes.n)
      return false; /* a maker failed before: keep its reason */
    ints += ck_is_int(T, x->kid[i]);
    well = well && is_kind(T, x->kid[i], kinds ? kinds[i] : x->op == CK_ALL ? 'f' : 't');
  }
  if (!well || x->op > CK_ALL)
    return ck_fail(T, "the kids that this head asks for expected");
  switch (x->op) {
  case CK_Q:
    return number(T, x) || ck_fail(T, "fraction not in lowest terms");
  case CK_V:
  case CK_B:
    x->isint = x->b == 'i';
    return ((x->isint || x->b == 'r') && (x->op == CK_V || x->a <= CK_TERM_DEPTH)) ||
           ck_fail(T, "sort, or bound index too large");
  case CK_DIV:
  case CK_MOD:
    x->isint = true;
    return true;
  case CK_ADD:
  case CK_MUL:
  case CK_ITE:
    x->isint = ints == 2; /* the kids of a relation do not count */
    return true;
  case CK_APP:
    return signature(T, x) || ck_fail(T, "signature");
  case CK_FOLD:
    return (x->a < x->b && x->b <= CK_MAX_BINDERS && x->n == 1 + 2 * x->b &&
            ck_is_int(T, x->kid[0])) ||
           ck_fail(T, "shape of fold, or an integer bound expected");
  case CK_ALL:
    return (x->a <= CK_MAX_BINDERS && x->n >= 1) ||
           ck_fail(T, "a clause has a conclusion and at most 64 variables");
  default:
    return true;
  }
}

/* The loose bound variables of kid i that are loose in x too.  CK_BAD: one that x captures has not
 * the sort that x gives it. */
static uint32_t still_loose(ck_terms *T, const ck_node *x, uint32_t i) {
  const uint32_t d = ck_binders(x, i);
  const uint32_t set = T->node[x->kid[i]].loose;
  const ck_ids l = ck_members(T, set);
  uint32_t n = 0;
  if (d == 0)
    return set;
  CK_GROW(T->list, T->cap_list, l.n + 1);
  CK_BELOW(j, l.n) {
    bool isint = l.x[j] % 2;
    bool first = l.x[j] / 2 == 0;
    if (l.x[j] / 2 >= d)
      T->list[n++] = l.x[j] - 2 * d;
    else if (isint != (x->op == CK_ALL || first))
      return ck_bad(T, "sort of a captured bound variable"); /* a fold binds an integer and reals */
  }
  return ck_set(T, T->list, n);
}

/* Free variables, loose bound variables, depth. */
static bool summarise(ck_terms *T, ck_node *x) {
  x->loose = x->fv = T->empty;
  x->depth = 1;
  if (x->op == CK_B)
    x->loose = ck_set(T, &(uint32_t){2 * x->a + x->isint}, 1);
  if (x->op == CK_V)
    x->fv = ck_set(T, &T->nodes.n, 1); /* the number that it will have */
  CK_BELOW(i, x->n) {
    const ck_node *kid = &T->node[x->kid[i]];
    const uint32_t loose = still_loose(T, x, i);
    if (loose == CK_BAD || !ck_room(T))
      return false;
    if (kid->depth >= x->depth)
      x->depth = kid->depth + 1;
    x->fv = ck_union(T, x->fv, kid->fv);
    x->loose = ck_union(T, x->loose, loose);
  }
  return x->depth <= CK_TERM_DEPTH || ck_fail(T, "term too deep");
}

ck_id ck_make(ck_terms *T, ck_op op, uint32_t a, uint32_t b, const ck_id *kids, uint32_t n) {
  ck_node x = {.op = op, .a = a, .b = b, .n = n, .kid = kids};
  const uint32_t size = (3 + n) * (uint32_t)sizeof *T->key;
  CK_GROW(T->key, T->cap_key, 3 + n);
  T->key[0] = op;
  T->key[1] = a;
  T->key[2] = b;
  if (n)
    memcpy(T->key + 3, kids, n * sizeof *kids);
  ck_id t = ck_pool_find(&T->nodes, T->key, size);
  if (t != CK_BAD)
    return t;
  if (T->nodes.n == CK_MAX_NODES || !ck_room(T))
    return ck_bad(T, "too many terms");
  if (!well_formed(T, &x) || !summarise(T, &x))
    return CK_BAD;
  t = ck_pool_add(&T->nodes, T->key, size);
  x.kid = (const ck_id *)T->nodes.at[t].x + 3;
  CK_GROW(T->node, T->cap, T->nodes.n);
  T->node[t] = x;
  return t;
}

ck_id ck_int(ck_terms *T, long v) {
  char s[32];
  snprintf(s, sizeof s, "%ld", v);
  return ck_make(T, CK_Q, ck_word(T, s), 0, NULL, 0);
}

ck_id ck_q(ck_terms *T, const mpq_t x) {
  if (mpz_sgn(mpq_denref(x)) <= 0)
    return ck_bad(T, "denominator");
  char *s = mpq_get_str(NULL, 10, x);
  ck_id t = ck_make(T, CK_Q, ck_word(T, s), 0, NULL, 0);
  free(s);
  return t;
}

ck_id ck_neg(ck_terms *T, ck_id f) {
  static const ck_op negation[] = {
      [CK_EQ] = CK_NE, [CK_NE] = CK_EQ, [CK_LE] = CK_LT, [CK_LT] = CK_LE};
  if (!ck_is_rel(T, f))
    return ck_bad(T, "relation expected");
  ck_op op = ck_head(T, f);
  bool turn = op >= CK_LE; /* not a <= b is b < a */
  return ck_mk2(T, negation[op], ck_kid(T, f, turn), ck_kid(T, f, !turn));
}

/* ---- substitution (RULES.md section 2), with a memo per call for (term, binders crossed) */
typedef struct {
  ck_terms *T;
  const ck_id *vars;
  const ck_id *vals;
  uint32_t nv; /* vals take the place of vars; vars NULL: of the bound variables 0 .. nv-1 */
  const ck_fsub *fs;
  uint32_t nf;
  uint32_t by; /* not 0: the loose bound variables are moved by this, and nothing else is done */
  ck_pool seen;
  ck_id *result;
  uint32_t cap;
} walk;

static ck_id walked(walk w, ck_id t);

/* Nothing of what the walk replaces occurs in t under d binders; with functions to replace, this is
 * known of leaves only. */
static bool untouched(const walk *w, ck_id t, uint32_t d) {
  if (w->vars == NULL && w->nf == 0)
    return ck_loose_max(w->T, t) <= d;
  CK_BELOW(i, w->nv) {
    if (ck_has_var(w->T, t, w->vars[i]))
      return false;
  }
  return w->nf == 0 || ck_head(w->T, t) <= CK_B;
}

static ck_id replaced(walk *w, ck_id t, uint32_t d) {
  ck_terms *T = w->T;
  const uint32_t key[] = {t, d};
  const uint32_t n = ck_nkids(T, t);
  if (untouched(w, t, d))
    return t;
  if (ck_head(T, t) == CK_B && w->by)
    return ck_bound(T, ck_index(T, t) + w->by, ck_sort(T, t));
  if (ck_head(T, t) == CK_B) {
    return ck_index(T, t) - d < w->nv ? w->vals[ck_index(T, t) - d]
                                      : ck_bad(T, "bound variable out of range");
  }
  for (uint32_t i = 0; ck_head(T, t) == CK_V && i < w->nv; i++) {
    if (w->vars[i] == t)
      return d ? walked((walk){.T = T, .by = d}, w->vals[i]) : w->vals[i];
  }
  uint32_t at = ck_pool_find(&w->seen, key, sizeof key);
  if (at != CK_BAD)
    return w->result[at];
  ck_id *k = ck_alloc(NULL, n * sizeof *k);
  ck_id r = t;
  for (uint32_t i = 0; i < n && r != CK_BAD; i++)
    r = k[i] = replaced(w, ck_kid(T, t, i), d + ck_kid_binders(T, t, i));
  const ck_fsub *f = w->fs;
  const ck_fsub *end = f + w->nf;
  while (f < end &&
         !(ck_head(T, t) == CK_APP && f->name == ck_name(T, t) && f->sig == ck_sig(T, t)))
    f++;
  if (r != CK_BAD) {
    r = f < end ? ck_sub(T, f->body, f->params, k, f->n, NULL, 0)
                : ck_rebuild(T, t, k); /* kids are done before the body */
  }
  free(k);
  at = ck_pool_add(&w->seen, key, sizeof key);
  CK_GROW(w->result, w->cap, at + 1);
  return w->result[at] = r;
}

static ck_id walked(walk w, ck_id t) {
  ck_id r = t < w.T->nodes.n ? replaced(&w, t, 0) : CK_BAD;
  ck_pool_free(&w.seen);
  free(w.result);
  return r;
}

ck_id ck_open(ck_terms *T, ck_id t, const ck_id *vals, uint32_t n) {
  CK_BELOW(i, n) {
    if (!ck_is_closed(T, vals[i]))
      return ck_bad(T, "closed term expected");
  }
  return walked((walk){.T = T, .vals = vals, .nv = n}, t);
}

ck_id ck_sub(ck_terms *T, ck_id t, const ck_id *vars, const ck_id *vals, uint32_t n,
             const ck_fsub *fs, uint32_t nf) {
  if (n == 0 && nf == 0)
    return t;
  CK_BELOW(i, n) {
    if (vals[i] >= T->nodes.n)
      return CK_BAD;
  }
  return walked((walk){.T = T, .vars = vars, .vals = vals, .nv = n, .fs = fs, .nf = nf}, t);
}

ck_id ck_close(ck_terms *T, ck_id t, const ck_id *vars, uint32_t n) {
  if (t < T->nodes.n && !ck_is_closed(T, t))
    return ck_bad(T, "closed term expected");
  ck_id *bound = ck_alloc(NULL, n * sizeof *bound);
  CK_BELOW(i, n)
    bound[i] = ck_bound(T, i, ck_sort(T, vars[i]));
  ck_id r = ck_sub(T, t, vars, bound, n, NULL, 0);
  free(bound);
  return r;
}

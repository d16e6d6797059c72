#include "ck_term_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ck_alloc(void *old, size_t n) {
  void *p = realloc(old, n ? n : 1);
  if (p == NULL) fputs("assay-check: out of memory\n", stderr), abort();
  return p;
}

static uint64_t mix(uint64_t h, uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15u; return h ^ (h >> 29); }

static void place(ck_table *t, uint32_t n) {
  uint32_t i = t->hash[n];
  while (t->slot[i & (t->slots - 1)] != CK_BAD) i++;
  t->slot[i & (t->slots - 1)] = n;
}

uint32_t ck_table_add(ck_table *t, uint32_t hash) {
  if (2 * (t->n + 1) > t->slots) {
    t->slots = t->slots ? 2 * t->slots : 64;
    t->slot = ck_alloc(t->slot, t->slots * sizeof *t->slot);
    t->hash = ck_alloc(t->hash, t->slots * sizeof *t->hash / 2);
    memset(t->slot, 0xff, t->slots * sizeof *t->slot);
    for (uint32_t i = 0; i < t->n; i++) place(t, i);
  }
  t->hash[t->n] = hash;
  place(t, t->n);
  return t->n++;
}

uint32_t ck_table_next(const ck_table *t, uint32_t hash, uint32_t *at) {
  for (uint32_t n; t->slots && (n = t->slot[*at & (t->slots - 1)]) != CK_BAD;) {
    ++*at;
    if (t->hash[n] == hash) return n;
  }
  return CK_BAD;
}

void ck_table_free(ck_table *t) { free(t->slot), free(t->hash); }

/* ---- interned strings of bytes: words, and sorted sets of numbers (free variables and functions of a node, its loose bound
 * variables, hypotheses) */
static uint32_t bytes(ck_terms *T, const void *x, size_t n) {
  uint64_t h = n;
  for (size_t i = 0; i < n; i += 4) {
    uint32_t four = 0;
    memcpy(&four, (const char *)x + i, n - i < 4 ? n - i : 4);
    h = mix(h, four);
  }
  uint32_t hash = (uint32_t)(h >> 32), b;
  for (uint32_t at = hash; (b = ck_table_next(&T->bytes_by, hash, &at)) != CK_BAD;)
    if (T->bytes[b].n == n && (n == 0 || memcmp(T->bytes[b].x, x, n) == 0)) return b;
  CK_GROW(T->bytes, T->cap_bytes, T->bytes_by.n + 1);
  T->bytes[T->bytes_by.n] = (ck_bytes){n, ck_alloc(NULL, n)};
  if (n) memcpy(T->bytes[T->bytes_by.n].x, x, n);
  return ck_table_add(&T->bytes_by, hash);
}

uint32_t ck_word(ck_terms *T, const char *s) { return bytes(T, s, strlen(s) + 1); }
const char *ck_word_text(const ck_terms *T, uint32_t w) { return T->bytes[w].x; }

uint32_t ck_function(ck_terms *T, uint32_t name, uint32_t sig) { /* no signature has a blank */
  size_t n = T->bytes[name].n + T->bytes[sig].n;
  char *s = ck_alloc(NULL, n);
  snprintf(s, n, "%s %s", ck_word_text(T, name), ck_word_text(T, sig));
  uint32_t w = ck_word(T, s);
  free(s);
  return 2 * w + 1;
}

uint32_t ck_set(ck_terms *T, const uint32_t *x, uint32_t n) { return bytes(T, x, n * sizeof *x); }
ck_setrec ck_members(const ck_terms *T, uint32_t s) { return (ck_setrec){(uint32_t)(T->bytes[s].n / sizeof(uint32_t)), T->bytes[s].x}; }

uint32_t ck_set_union(ck_terms *T, uint32_t a, uint32_t b) {
  const ck_setrec p = ck_members(T, a), q = ck_members(T, b);
  if (a == b || q.n == 0) return a;
  if (p.n == 0) return b;
  uint32_t n = 0, *x = ck_alloc(NULL, ((size_t)p.n + q.n) * sizeof *x);
  for (uint32_t i = 0, j = 0; i < p.n || j < q.n;) {
    uint32_t v = j == q.n || (i < p.n && p.x[i] <= q.x[j]) ? p.x[i] : q.x[j];
    if (i < p.n && p.x[i] == v) i++;
    if (j < q.n && q.x[j] == v) j++;
    x[n++] = v;
  }
  uint32_t s = ck_set(T, x, n);
  free(x);
  return s;
}

bool ck_set_has(const ck_terms *T, uint32_t s, uint32_t v) {
  const ck_setrec r = ck_members(T, s);
  uint32_t lo = 0, hi = r.n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (r.x[mid] < v) lo = mid + 1;
    else hi = mid;
  }
  return lo < r.n && r.x[lo] == v;
}

/* ---- the table */
ck_terms *ck_terms_new(void) {
  ck_terms *T = ck_alloc(NULL, sizeof *T);
  *T = (ck_terms){.why = "no error"};
  T->empty = ck_set(T, NULL, 0);
  return T;
}

void ck_terms_free(ck_terms *T) {
  if (T == NULL) return;
  ck_poly_release(T, NULL);
  for (uint32_t i = 0; i < T->n; i++) if (T->node[i].op == CK_Q) mpq_clear(T->node[i].q);
  for (uint32_t i = 0; i < T->bytes_by.n; i++) free(T->bytes[i].x);
  ck_table_free(&T->nodes), ck_table_free(&T->bytes_by);
  free(T->node), free(T->kids), free(T->bytes), free(T);
}

const char *ck_error(const ck_terms *T) { return T->why; }
bool ck_fail(ck_terms *T, const char *why) { return T->why = why, false; }
ck_id ck_bad(ck_terms *T, const char *why) { return T->why = why, CK_BAD; }

size_t ck_size(const ck_terms *T) { return T->n; }
ck_op ck_head(const ck_terms *T, ck_id t) { return (ck_op)T->node[t].op; }
uint32_t ck_nkids(const ck_terms *T, ck_id t) { return T->node[t].nkids; }
ck_id ck_kid(const ck_terms *T, ck_id t, uint32_t i) { return T->kids[T->node[t].kid0 + i]; }
const mpq_t *ck_q_value(const ck_terms *T, ck_id t) { return (const mpq_t *)&T->node[t].q; }
void ck_get_q(const ck_terms *T, ck_id t, mpq_t out) { mpq_set(out, T->node[t].q); }
uint32_t ck_name(const ck_terms *T, ck_id t) { return T->node[t].a; }
uint32_t ck_sig(const ck_terms *T, ck_id t) { return T->node[t].b; }
char ck_sort(const ck_terms *T, ck_id t) { return T->node[t].sort; }
uint32_t ck_index(const ck_terms *T, ck_id t) { return T->node[t].a; }
uint32_t ck_width(const ck_terms *T, ck_id t) { return T->node[t].b; }
bool ck_is_formula(const ck_terms *T, ck_id t) { return t < T->n && T->node[t].op >= CK_EQ; }
bool ck_is_rel(const ck_terms *T, ck_id t) { return ck_is_formula(T, t) && T->node[t].op <= CK_LT; }
bool ck_is_int(const ck_terms *T, ck_id t) { return t < T->n && T->node[t].isint; }
bool ck_is_closed(const ck_terms *T, ck_id t) { return t < T->n && T->node[t].loose == T->empty; }
bool ck_has_var(const ck_terms *T, ck_id t, ck_id var) { return t < T->n && ck_set_has(T, T->node[t].fv, 2 * var); }

uint32_t ck_loose_max(const ck_terms *T, ck_id t) { const ck_setrec s = ck_members(T, T->node[t].loose); return s.n ? s.x[s.n - 1] / 2 + 1 : 0; }

static uint32_t binders(const ck_node *n, uint32_t i) { return n->op == CK_ALL ? n->a : n->op == CK_FOLD && i > n->b ? n->b + 1 : 0; }
uint32_t ck_kid_binders(const ck_terms *T, ck_id t, uint32_t i) { return binders(&T->node[t], i); }

/* What must hold of the kids of a node (RULES.md section 1, table), and its int flag. */
static bool well_formed(ck_terms *T, ck_node *n, const ck_id *k) {
  bool terms = true, ints = true;
  for (uint32_t i = 0; i < n->nkids; i++) {
    if (k[i] >= T->n) return false; /* a maker failed before: keep its reason */
    terms = terms && !ck_is_formula(T, k[i]);
    ints = ints && T->node[k[i]].isint;
  }
  switch (n->op) {
  case CK_Q: n->isint = mpz_cmp_ui(mpq_denref(n->q), 1) == 0; return true;
  case CK_V: case CK_B: n->isint = n->sort == 'i'; return n->sort == 'i' || n->sort == 'r' || ck_fail(T, "sort");
  case CK_ADD: case CK_MUL: n->isint = ints; return terms || ck_fail(T, "term expected");
  case CK_DIV: case CK_MOD: n->isint = true; return (terms && ints) || ck_fail(T, "integer operands expected");
  case CK_INV: case CK_EXP: case CK_SQRT: case CK_LOG:
  case CK_EQ: case CK_NE: case CK_LE: case CK_LT: return terms || ck_fail(T, "term expected");
  case CK_ITE:
    n->isint = T->node[k[1]].isint && T->node[k[2]].isint;
    return (ck_is_rel(T, k[0]) && !ck_is_formula(T, k[1]) && !ck_is_formula(T, k[2])) || ck_fail(T, "ite needs a relation and two terms");
  case CK_APP: {
    const char *sig = ck_word_text(T, n->b);
    if (strlen(sig) != (size_t)n->nkids + 2 || sig[n->nkids] != ':') return ck_fail(T, "signature");
    for (uint32_t i = 0; i < n->nkids; i++) {
      if (sig[i] != 'i' && sig[i] != 'r') return ck_fail(T, "signature");
      if (sig[i] == 'i' && !T->node[k[i]].isint) return ck_fail(T, "integer argument expected");
    }
    char result = sig[n->nkids + 1];
    n->isint = result == 'i';
    return (terms && (result == 'i' || result == 'r')) || ck_fail(T, "signature");
  }
  case CK_FOLD:
    if (n->b == 0 || n->a >= n->b || n->nkids != 1 + 2 * (uint64_t)n->b || !terms) return ck_fail(T, "shape of fold");
    return T->node[k[0]].isint || ck_fail(T, "integer bound expected");
  case CK_ALL:
    for (uint32_t i = 0; i < n->nkids; i++)
      if (!ck_is_rel(T, k[i])) return ck_fail(T, "a clause is made of relations");
    return n->nkids >= 1 || ck_fail(T, "empty clause");
  default: return ck_fail(T, "unknown node");
  }
}

/* Free variables (2*number) and functions (2*index+1), loose bound variables (2*index + (sort is i)), depth. */
static bool summarise(ck_terms *T, ck_node *n, const ck_id *k) {
  n->loose = n->fv = T->empty;
  n->depth = 1;
  if (n->op == CK_B) n->loose = ck_set(T, &(uint32_t){2 * n->a + (n->sort == 'i')}, 1);
  if (n->op == CK_V) n->fv = ck_set(T, &(uint32_t){2 * T->n}, 1);
  if (n->op == CK_APP) n->fv = ck_set(T, &(uint32_t){ck_function(T, n->a, n->b)}, 1);
  for (uint32_t i = 0; i < n->nkids; i++) {
    const ck_node *kid = &T->node[k[i]];
    if (kid->depth >= n->depth) n->depth = kid->depth + 1;
    n->fv = ck_set_union(T, n->fv, kid->fv);
    const ck_setrec l = ck_members(T, kid->loose);
    uint32_t d = binders(n, i), *up = ck_alloc(NULL, l.n * sizeof *up), nu = 0;
    bool sorts = true; /* all m binds integers; a fold an integer, the index 0, and reals */
    for (uint32_t j = 0; j < l.n; j++) {
      uint32_t index = l.x[j] / 2, isint = l.x[j] % 2;
      if (index >= d) up[nu++] = l.x[j] - 2 * d;
      else sorts = sorts && isint == (uint32_t)(n->op == CK_ALL || index == 0);
    }
    n->loose = ck_set_union(T, n->loose, ck_set(T, up, nu));
    free(up);
    if (!sorts) return ck_fail(T, "sort of a captured bound variable");
  }
  return n->depth <= CK_TERM_DEPTH || ck_fail(T, "term too deep");
}

static bool same_node(const ck_terms *T, const ck_node *a, const ck_node *b, const ck_id *kb) {
  if (a->op != b->op || a->sort != b->sort || a->a != b->a || a->b != b->b || a->nkids != b->nkids) return false;
  if (a->op == CK_Q && !mpq_equal(a->q, b->q)) return false;
  return a->nkids == 0 || memcmp(T->kids + a->kid0, kb, a->nkids * sizeof *kb) == 0;
}

/* The number of the node; n->q (of CK_Q) is taken. */
static ck_id intern(ck_terms *T, ck_node *n, const ck_id *k) {
  uint64_t h = mix(mix(mix(n->op, (unsigned char)n->sort), n->a), n->b);
  for (uint32_t i = 0; i < n->nkids; i++) h = mix(h, k[i]);
  if (n->op == CK_Q) h = mix(mix(h, mpz_fdiv_ui(mpq_numref(n->q), 4294967291u)), mpz_fdiv_ui(mpq_denref(n->q), 4294967291u));
  uint32_t hash = (uint32_t)(h >> 32), t;
  for (uint32_t at = hash; (t = ck_table_next(&T->nodes, hash, &at)) != CK_BAD;)
    if (same_node(T, &T->node[t], n, k)) break;
  bool room = T->n < CK_MAX_NODES && n->nkids <= CK_MAX_KIDS - T->n_kids;
  if (t == CK_BAD && (room || ck_fail(T, "too many terms")) && well_formed(T, n, k) && summarise(T, n, k)) {
    CK_GROW(T->kids, T->cap_kids, T->n_kids + n->nkids);
    CK_GROW(T->node, T->cap, T->n + 1);
    if (n->nkids) memcpy(T->kids + T->n_kids, k, n->nkids * sizeof *k);
    n->kid0 = T->n_kids;
    T->n_kids += n->nkids;
    T->node[T->n++] = *n;
    return ck_table_add(&T->nodes, hash);
  }
  if (n->op == CK_Q) mpq_clear(n->q);
  return t;
}

ck_id ck_q(ck_terms *T, const mpq_t x) {
  ck_node n = {.op = CK_Q};
  mpz_t g;
  mpz_init(g);
  mpz_gcd(g, mpq_numref(x), mpq_denref(x));
  bool lowest = mpz_sgn(mpq_denref(x)) > 0 && mpz_cmp_ui(g, 1) == 0;
  mpz_clear(g);
  if (!lowest) return ck_bad(T, "fraction not in lowest terms");
  mpq_init(n.q), mpq_set(n.q, x);
  return intern(T, &n, NULL);
}

ck_id ck_rat(ck_terms *T, long num, long den) {
  if (den <= 0) return ck_bad(T, "denominator");
  ck_node n = {.op = CK_Q};
  mpq_init(n.q), mpq_set_si(n.q, num, (unsigned long)den), mpq_canonicalize(n.q);
  return intern(T, &n, NULL);
}

ck_id ck_int(ck_terms *T, long v) { return ck_rat(T, v, 1); }
ck_id ck_var(ck_terms *T, const char *name, char sort) { return intern(T, &(ck_node){.op = CK_V, .sort = sort, .a = ck_word(T, name)}, NULL); }
ck_id ck_ite(ck_terms *T, ck_id rel, ck_id a, ck_id b) { return intern(T, &(ck_node){.op = CK_ITE, .nkids = 3}, (ck_id[]){rel, a, b}); }

ck_id ck_bound(ck_terms *T, uint32_t index, char sort) {
  if (index > CK_TERM_DEPTH) return ck_bad(T, "bound index too large");
  return intern(T, &(ck_node){.op = CK_B, .sort = sort, .a = index}, NULL);
}
ck_id ck_mk1(ck_terms *T, ck_op op, ck_id a) {
  if (op < CK_INV || op > CK_LOG) return ck_bad(T, "not a unary operator");
  return intern(T, &(ck_node){.op = (uint8_t)op, .nkids = 1}, &a);
}
ck_id ck_mk2(ck_terms *T, ck_op op, ck_id a, ck_id b) {
  if (!(op >= CK_ADD && op <= CK_MOD) && !(op >= CK_EQ && op <= CK_LT)) return ck_bad(T, "not a binary operator");
  return intern(T, &(ck_node){.op = (uint8_t)op, .nkids = 2}, (ck_id[]){a, b});
}
ck_id ck_app(ck_terms *T, const char *f, const char *sig, const ck_id *args, uint32_t n) {
  return intern(T, &(ck_node){.op = CK_APP, .a = ck_word(T, f), .b = ck_word(T, sig), .nkids = n}, args);
}
ck_id ck_fold(ck_terms *T, uint32_t p, uint32_t w, const ck_id *kids) {
  if (w == 0 || w > CK_MAX_BINDERS) return ck_bad(T, "width of fold");
  return intern(T, &(ck_node){.op = CK_FOLD, .a = p, .b = w, .nkids = 1 + 2 * w}, kids);
}
ck_id ck_all(ck_terms *T, uint32_t m, const ck_id *kids, uint32_t n) {
  if (m > CK_MAX_BINDERS) return ck_bad(T, "too many variables in a clause");
  return intern(T, &(ck_node){.op = CK_ALL, .a = m, .nkids = n}, kids);
}

ck_id ck_rebuild(ck_terms *T, ck_id t, const ck_id *kids) {
  const ck_node o = T->node[t];
  return o.nkids ? intern(T, &(ck_node){.op = o.op, .sort = o.sort, .a = o.a, .b = o.b, .nkids = o.nkids}, kids) : t;
}

ck_id ck_neg(ck_terms *T, ck_id f) {
  static const ck_op negation[] = {[CK_EQ] = CK_NE, [CK_NE] = CK_EQ, [CK_LE] = CK_LT, [CK_LT] = CK_LE};
  if (!ck_is_rel(T, f)) return ck_bad(T, "relation expected");
  ck_op op = ck_head(T, f);
  bool turn = op >= CK_LE; /* not a <= b is b < a */
  return ck_mk2(T, negation[op], ck_kid(T, f, turn), ck_kid(T, f, !turn));
}

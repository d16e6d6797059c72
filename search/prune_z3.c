/* The pruning question asked of Z3: is there a monomial m (integer exponents, a positive rational
 * in front) such that every term of s times m is a term of t?  Quantifier-free linear arithmetic,
 * so that "no" is an answer too; the paper's quantified axioms only ever give "yes" or nothing
 * (tests/search compares the two).  No answer within the limit never prunes. */
#include "prune_z3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>

#define MAX_F 24

typedef struct {
  int64_t num;
  int64_t den;
  uint32_t n;
  ax_factor f[MAX_F];
} zterm;

typedef struct {
  Z3_context c;
  Z3_solver s;
} z3_state;

static void ignore(Z3_context c, Z3_error_code e) {
  (void)c;
  (void)e;
}

void *sg_z3_new(void) {
  z3_state *z = as_calloc(1, sizeof *z);
  Z3_config cfg = Z3_mk_config();
  z->c = Z3_mk_context(cfg);
  Z3_del_config(cfg);
  Z3_set_error_handler(z->c, ignore);
  z->s = Z3_mk_simple_solver(z->c);
  Z3_solver_inc_ref(z->c, z->s);
  Z3_params p = Z3_mk_params(z->c);
  Z3_params_inc_ref(z->c, p);
  Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "rlimit"),
                     2000000); /* steps, not seconds: the same on every machine */
  Z3_solver_set_params(z->c, z->s, p);
  Z3_params_dec_ref(z->c, p);
  return z;
}

void sg_z3_free(void *state) {
  z3_state *z = state;
  Z3_solver_dec_ref(z->c, z->s);
  Z3_del_context(z->c);
  free(z);
}

static Z3_ast constant(z3_state *z, const char *stem, uint32_t i, bool integer) {
  char name[32];
  snprintf(name, sizeof name, "%s%u", stem, i);
  return Z3_mk_const(z->c, Z3_mk_string_symbol(z->c, name),
                     integer ? Z3_mk_int_sort(z->c) : Z3_mk_real_sort(z->c));
}

static int exponent(const zterm *t, uint32_t atom) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->f[i].atom == atom)
      return t->f[i].exp;
  }
  return 0;
}

static Z3_ast rational(z3_state *z, int64_t n, int64_t d) {
  char text[64];
  snprintf(text, sizeof text, "%lld/%lld", (long long)n, (long long)d);
  return Z3_mk_numeral(z->c, text, Z3_mk_real_sort(z->c));
}

/* s * m = t, factor by factor; every factor of s goes into one of t, on the same side of the
 * fraction bar */
static Z3_ast term_equal(z3_state *z, const zterm *s, const zterm *t, const uint32_t *atom,
                         const bool *is_size, uint32_t n, bool divides) {
  Z3_ast eq[2 * MAX_F * 8 + 2];
  Z3_ast two[2];
  uint32_t k = 0;
  for (uint32_t i = 0; i < n && k + 2 < sizeof eq / sizeof *eq; i++) {
    int es = exponent(s, atom[i]);
    int et = exponent(t, atom[i]);
    two[0] = constant(z, "m", atom[i], true);
    two[1] = Z3_mk_int(z->c, es, Z3_mk_int_sort(z->c));
    eq[k++] = Z3_mk_eq(z->c, Z3_mk_add(z->c, 2, two), Z3_mk_int(z->c, et, Z3_mk_int_sort(z->c)));
    if (divides && !is_size[i] && es && (es > 0 ? et < es : et > es))
      return Z3_mk_false(z->c);
  }
  two[0] = constant(z, "r", 0, false);
  two[1] = rational(z, s->num, s->den);
  eq[k++] = Z3_mk_eq(z->c, Z3_mk_mul(z->c, 2, two), rational(z, t->num, t->den));
  return Z3_mk_and(z->c, k, eq);
}

static void read_term(ax_store *A, ax_id e, uint32_t i, zterm *t) {
  t->n = ax_term(A, e, i, &t->num, &t->den, t->f, MAX_F);
}

static uint32_t gather(const zterm *t, uint32_t nt, uint32_t *atom, bool *is_size, uint32_t n,
                       uint32_t max) {
  for (uint32_t i = 0; i < nt; i++) {
    for (uint32_t j = 0; j < t[i].n; j++) {
      uint32_t k = 0;
      while (k < n && atom[k] != t[i].f[j].atom)
        k++;
      if (k == n && n < max) {
        atom[n] = t[i].f[j].atom;
        is_size[n] = t[i].f[j].kind == AX_SIZE;
        n++;
      }
    }
  }
  return n;
}

/* 1 yes, 0 no, -1 no answer */
static int ask(z3_state *z, const zterm *s, uint32_t ns, const zterm *t, uint32_t nt) {
  uint32_t atom[MAX_F * 8];
  bool is_size[MAX_F * 8];
  uint32_t n = gather(s, ns, atom, is_size, 0, MAX_F * 8);
  n = gather(t, nt, atom, is_size, n, MAX_F * 8);
  Z3_solver_push(z->c, z->s);
  /* one term: numbers and sizes are units; more: their ratio is the same for all and positive */
  Z3_solver_assert(
      z->c, z->s,
      Z3_mk_gt(z->c, constant(z, "r", 0, false), rational(z, ns > 1 ? 0 : -INT32_MAX, 1)));
  for (uint32_t i = 0; i < ns; i++) {
    Z3_ast *any = as_malloc((nt + 1) * sizeof *any);
    for (uint32_t j = 0; j < nt; j++)
      any[j] = term_equal(z, &s[i], &t[j], atom, is_size, n, i == 0);
    Z3_solver_assert(z->c, z->s, Z3_mk_or(z->c, nt, any));
    free(any);
  }
  Z3_lbool r = Z3_solver_check(z->c, z->s);
  Z3_solver_pop(z->c, z->s, 1);
  return r == Z3_L_TRUE ? 1 : r == Z3_L_FALSE ? 0 : -1;
}

static bool partial(ax_store *A, const zterm *s, uint32_t ns, const zterm *t) {
  (void)A;
  if (ns != 1)
    return false;
  const ax_factor *g = NULL;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->f[i].kind == AX_SIZE)
      continue;
    if (g)
      return false;
    g = &s->f[i];
  }
  if (!g || g->exp != 1 || (g->kind != AX_MAXR && g->kind != AX_MINR))
    return false;
  for (uint32_t j = 0; j < t->n; j++) {
    if (t->f[j].kind == g->kind && t->f[j].arg[0] == g->arg[0] && !(g->parts & ~t->f[j].parts))
      return true;
  }
  return false;
}

int sg_z3_part_of(void *state, ax_store *A, ax_id e, ax_id target) {
  uint32_t ns = ax_n_terms(A, e);
  uint32_t nt = ax_n_terms(A, target);
  zterm *s = as_calloc(ns + 1, sizeof *s);
  zterm *t = as_calloc(nt + 1, sizeof *t);
  for (uint32_t i = 0; i < ns; i++)
    read_term(A, e, i, &s[i]);
  for (uint32_t i = 0; i < nt; i++)
    read_term(A, target, i, &t[i]);
  int r = nt ? ask(state, s, ns, t, nt) : 0;
  for (uint32_t i = 0; i < nt && r == 0; i++) {
    zterm d = {.num = 1, .den = 1};
    if (partial(A, s, ns, &t[i]))
      r = 1;
    for (uint32_t j = 0; j < t[i].n; j++) {
      if (t[i].f[j].exp < 0 && t[i].f[j].kind != AX_SIZE) {
        d.f[d.n] = t[i].f[j];
        d.f[d.n].exp = -d.f[d.n].exp;
        d.n++;
      }
    }
    if (d.n && r == 0)
      r = ask(state, s, ns, &d, 1);
  }
  free(s);
  free(t);
  return r;
}

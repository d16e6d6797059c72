/* The pruning question asked of Z3: is there a monomial m (integer exponents, a positive rational
 * in front) such that every term of s times m is a term of t?  Quantifier-free linear arithmetic,
 * so that "no" is an answer too; the paper's quantified axioms only ever give "yes" or nothing
 * (tests/search compares the two).  No answer within the limit never prunes. */
#include "prune_z3.h"
#include "src/base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>

#define MAX_F 24

typedef struct {
  int64_t num;
  int64_t den;
  uint32_t n;
  ax_factor factor[MAX_F];
} zterm;

typedef struct {
  Z3_context context;
  Z3_solver solver;
} z3_session;

static void ignore(Z3_context context, Z3_error_code error) {
  (void)context;
  (void)error;
}

void *sg_z3_new(void) {
  z3_session *session = as_calloc(1, sizeof *session);
  Z3_config config = Z3_mk_config();
  session->context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(session->context, ignore);
  session->solver = Z3_mk_simple_solver(session->context);
  Z3_solver_inc_ref(session->context, session->solver);
  Z3_params params = Z3_mk_params(session->context);
  Z3_params_inc_ref(session->context, params);
  Z3_params_set_uint(session->context, params, Z3_mk_string_symbol(session->context, "rlimit"),
                     2000000); /* steps, not seconds: the same on every machine */
  Z3_solver_set_params(session->context, session->solver, params);
  Z3_params_dec_ref(session->context, params);
  return session;
}

void sg_z3_free(void *state) {
  z3_session *session = state;
  Z3_solver_dec_ref(session->context, session->solver);
  Z3_del_context(session->context);
  free(session);
}

static Z3_ast constant(z3_session *session, const char *stem, uint32_t i, bool integer) {
  char name[32];
  snprintf(name, sizeof name, "%s%u", stem, i);
  return Z3_mk_const(session->context, Z3_mk_string_symbol(session->context, name),
                     integer ? Z3_mk_int_sort(session->context)
                             : Z3_mk_real_sort(session->context));
}

static int exponent(const zterm *term, uint32_t atom) {
  for (uint32_t i = 0; i < term->n; i++) {
    if (term->factor[i].atom == atom)
      return term->factor[i].exp;
  }
  return 0;
}

static Z3_ast rational(z3_session *session, int64_t num, int64_t den) {
  char text[64];
  snprintf(text, sizeof text, "%lld/%lld", (long long)num, (long long)den);
  return Z3_mk_numeral(session->context, text, Z3_mk_real_sort(session->context));
}

/* s * m = t, factor by factor; every factor of s goes into one of t, on the same side of the
 * fraction bar */
static Z3_ast term_equal(z3_session *session, const zterm *part, const zterm *whole,
                         const uint32_t *atom, const bool *is_size, uint32_t n, bool divides) {
  Z3_ast equations[2 * MAX_F * 8 + 2];
  Z3_ast two[2];
  uint32_t n_equations = 0;
  for (uint32_t i = 0; i < n && n_equations + 2 < sizeof equations / sizeof *equations; i++) {
    int part_exp = exponent(part, atom[i]);
    int whole_exp = exponent(whole, atom[i]);
    two[0] = constant(session, "m", atom[i], true);
    two[1] = Z3_mk_int(session->context, part_exp, Z3_mk_int_sort(session->context));
    equations[n_equations++] =
        Z3_mk_eq(session->context, Z3_mk_add(session->context, 2, two),
                 Z3_mk_int(session->context, whole_exp, Z3_mk_int_sort(session->context)));
    if (divides && !is_size[i] && part_exp &&
        (part_exp > 0 ? whole_exp < part_exp : whole_exp > part_exp))
      return Z3_mk_false(session->context);
  }
  two[0] = constant(session, "r", 0, false);
  two[1] = rational(session, part->num, part->den);
  equations[n_equations++] = Z3_mk_eq(session->context, Z3_mk_mul(session->context, 2, two),
                                      rational(session, whole->num, whole->den));
  return Z3_mk_and(session->context, n_equations, equations);
}

static void read_term(ax_store *store, ax_id expr, uint32_t i, zterm *term) {
  term->n = ax_term(store, expr, i, &term->num, &term->den, term->factor, MAX_F);
}

static uint32_t gather(const zterm *terms, uint32_t n_terms, uint32_t *atom, bool *is_size,
                       uint32_t n, uint32_t max) {
  for (uint32_t i = 0; i < n_terms; i++) {
    for (uint32_t j = 0; j < terms[i].n; j++) {
      uint32_t known = 0;
      while (known < n && atom[known] != terms[i].factor[j].atom)
        known++;
      if (known == n && n < max) {
        atom[n] = terms[i].factor[j].atom;
        is_size[n] = terms[i].factor[j].kind == AX_SIZE;
        n++;
      }
    }
  }
  return n;
}

/* 1 yes, 0 no, -1 no answer */
static int ask(z3_session *session, const zterm *part, uint32_t n_part, const zterm *whole,
               uint32_t n_whole) {
  uint32_t atom[MAX_F * 8];
  bool is_size[MAX_F * 8];
  uint32_t n_atoms = gather(part, n_part, atom, is_size, 0, MAX_F * 8);
  n_atoms = gather(whole, n_whole, atom, is_size, n_atoms, MAX_F * 8);
  Z3_solver_push(session->context, session->solver);
  /* one term: numbers and sizes are units; more: their ratio is the same for all and positive */
  Z3_solver_assert(session->context, session->solver,
                   Z3_mk_gt(session->context, constant(session, "r", 0, false),
                            rational(session, n_part > 1 ? 0 : -INT32_MAX, 1)));
  for (uint32_t i = 0; i < n_part; i++) {
    Z3_ast *any = as_malloc((n_whole + 1) * sizeof *any);
    for (uint32_t j = 0; j < n_whole; j++)
      any[j] = term_equal(session, &part[i], &whole[j], atom, is_size, n_atoms, i == 0);
    Z3_solver_assert(session->context, session->solver, Z3_mk_or(session->context, n_whole, any));
    free(any);
  }
  Z3_lbool answer = Z3_solver_check(session->context, session->solver);
  Z3_solver_pop(session->context, session->solver, 1);
  return answer == Z3_L_TRUE ? 1 : answer == Z3_L_FALSE ? 0 : -1;
}

static bool partial(ax_store *store, const zterm *part, uint32_t n_part, const zterm *whole) {
  (void)store;
  if (n_part != 1)
    return false;
  const ax_factor *extremum = NULL;
  for (uint32_t i = 0; i < part->n; i++) {
    if (part->factor[i].kind == AX_SIZE)
      continue;
    if (extremum)
      return false;
    extremum = &part->factor[i];
  }
  if (!extremum || extremum->exp != 1 || (extremum->kind != AX_MAXR && extremum->kind != AX_MINR))
    return false;
  for (uint32_t j = 0; j < whole->n; j++) {
    if (whole->factor[j].kind == extremum->kind && whole->factor[j].arg[0] == extremum->arg[0] &&
        !(extremum->parts & ~whole->factor[j].parts))
      return true;
  }
  return false;
}

int sg_z3_part_of(void *state, ax_store *store, ax_id expr, ax_id target) {
  uint32_t n_part = ax_n_terms(store, expr);
  uint32_t n_whole = ax_n_terms(store, target);
  zterm *part = as_calloc(n_part + 1, sizeof *part);
  zterm *whole = as_calloc(n_whole + 1, sizeof *whole);
  for (uint32_t i = 0; i < n_part; i++)
    read_term(store, expr, i, &part[i]);
  for (uint32_t i = 0; i < n_whole; i++)
    read_term(store, target, i, &whole[i]);
  int answer = n_whole ? ask(state, part, n_part, whole, n_whole) : 0;
  for (uint32_t i = 0; i < n_whole && answer == 0; i++) {
    zterm denominator = {.num = 1, .den = 1};
    if (partial(store, part, n_part, &whole[i]))
      answer = 1;
    for (uint32_t j = 0; j < whole[i].n; j++) {
      if (whole[i].factor[j].exp < 0 && whole[i].factor[j].kind != AX_SIZE) {
        denominator.factor[denominator.n] = whole[i].factor[j];
        denominator.factor[denominator.n].exp = -denominator.factor[denominator.n].exp;
        denominator.n++;
      }
    }
    if (denominator.n && answer == 0)
      answer = ask(state, part, n_part, &denominator, 1);
  }
  free(part);
  free(whole);
  return answer;
}

/* One query as SMT-LIB 2.  Encoding (what z3 4.8 and cvc5 1.0 decide in milliseconds):
 *  - every term becomes its polynomial; a product of two or more atoms is a fresh constant, so that
 * all is linear (QF_AUFLIRA);
 *  - inputs, opaque functions, inv exp sqrt log div mod and folds are uninterpreted functions; ite
 * is a constant with guarded equations;
 *  - integer terms are Int, also their products, and are cast where they meet reals;
 *  - a step that multiplies premises (arith with a cofactor) gives the solver the product expanded,
 * under the premises it needs;
 *  - a step that applies a law, or instantiates a clause among the hypotheses, gives it that
 * instance as an implication. Everything else (linear combination, order, integrality, case splits,
 * congruence, chains of equations) is left to the solver. */
#include "smt_int.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t deg;
  ck_id *atoms;
  char *name;
  bool is_int;
} wmono;

typedef struct {
  ck_id t;
  char *name;
} watom;

typedef struct {
  const as_steps *p;
  ck_terms *T;
  as_str head;
  as_str body; /* declarations with their definitions; premises */
  as_vec atoms;
  as_vec monos;
  as_vec funs; /* watom, wmono, char * */
  bool exact;
  bool failed;
  uint32_t fresh;
} writer;

static void poly(writer *w, const ck_poly *f, bool want_int, as_str *out);

static void term(writer *w, ck_id t, bool want_int, as_str *out) {
  poly(w, ck_poly_of(w->T, t), want_int, out);
}

static void formula(writer *w, ck_id f, as_str *out);

static void declare_fun(writer *w, const char *name, const char *sorts, char result) {
  for (size_t i = 0; i < w->funs.n; i++)
    if (strcmp(AS_VEC_AT(&w->funs, char *, i), name) == 0)
      return;
  char *copy = as_strdup(name);
  as_vec_push(&w->funs, &copy);
  as_str_printf(&w->head, "(declare-fun %s (", name);
  for (size_t i = 0; sorts[i]; i++)
    as_str_printf(&w->head, "%s%s", i ? " " : "", sorts[i] == 'i' ? "Int" : "Real");
  as_str_printf(&w->head, ") %s)\n", result == 'i' ? "Int" : "Real");
}

/* name = (fun kids) */
static void define_app(writer *w, ck_id t, const char *name, const char *fun, const char *sorts,
                       uint32_t first, uint32_t n) {
  as_str e;
  as_str_init(&e);
  declare_fun(w, fun, sorts, ck_is_int(w->T, t) ? 'i' : 'r');
  as_str_printf(&e, "(assert (= %s (%s", name, fun);
  for (uint32_t i = 0; i < n; i++) {
    as_str_add(&e, " ");
    term(w, ck_kid(w->T, t, first + i), sorts[i] == 'i', &e);
  }
  as_str_add(&e, ")))\n");
  as_str_add(&w->head, e.s);
  as_str_clear(&e);
}

/* folds with the same steps are one function of bound and bases */
static void define_fold(writer *w, ck_id t, const char *name) {
  uint32_t n = ck_width(w->T, t);
  as_str fun;
  as_str_init(&fun);
  as_str_printf(&fun, "|fold %u", ck_index(w->T, t));
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&fun, " %u", ck_kid(w->T, t, 1 + n + i));
  as_str_add(&fun, "|");
  char *sorts = as_malloc(n + 2);
  memset(sorts, 'r', n + 1);
  sorts[0] = 'i';
  sorts[n + 1] = 0;
  define_app(w, t, name, fun.s, sorts, 0, n + 1);
  free(sorts);
  as_str_clear(&fun);
}

static void define_ite(writer *w, ck_id t, const char *name) {
  bool i = ck_is_int(w->T, t);
  ck_id c = ck_kid(w->T, t, 0);
  for (uint32_t k = 0; k < 2; k++) {
    as_str e;
    as_str_init(&e);
    as_str_add(&e, k == 0 ? "(assert (=> " : "(assert (=> (not ");
    formula(w, c, &e);
    as_str_printf(&e, "%s (= %s ", k == 0 ? "" : ")", name);
    term(w, ck_kid(w->T, t, 1 + k), i, &e);
    as_str_add(&e, ")))\n");
    as_str_add(&w->head, e.s);
    as_str_clear(&e);
  }
}

static void define_atom(writer *w, ck_id t, const char *name) {
  ck_terms *T = w->T;
  switch (ck_head(T, t)) {
  case CK_V:
    break;
  case CK_APP: {
    char *fun = as_format("|%s:%s|", ck_word_text(T, ck_name(T, t)), ck_word_text(T, ck_sig(T, t)));
    char *sorts = as_strdup(ck_word_text(T, ck_sig(T, t)));
    char *colon = strchr(sorts, ':');
    if (colon)
      *colon = 0;
    else
      w->failed = true;
    define_app(w, t, name, fun, sorts, 0, ck_nkids(T, t));
    free(fun);
    free(sorts);
    break;
  }
  case CK_INV:
    w->exact = false;
    define_app(w, t, name, "|inv|", "r", 0, 1);
    break;
  case CK_EXP:
    w->exact = false;
    define_app(w, t, name, "|exp of|", "r", 0, 1);
    break;
  case CK_SQRT:
    w->exact = false;
    define_app(w, t, name, "|sqrt of|", "r", 0, 1);
    break;
  case CK_LOG:
    w->exact = false;
    define_app(w, t, name, "|log of|", "r", 0, 1);
    break;
  case CK_DIV:
    w->exact = false;
    define_app(w, t, name, "|div of|", "ii", 0, 2);
    break;
  case CK_MOD:
    w->exact = false;
    define_app(w, t, name, "|mod of|", "ii", 0, 2);
    break;
  case CK_ITE:
    define_ite(w, t, name);
    break;
  case CK_FOLD:
    w->exact = false;
    define_fold(w, t, name);
    break;
  default:
    w->failed = true; /* no other closed term is an atom */
  }
}

static const char *atom(writer *w, ck_id t) {
  for (size_t i = 0; i < w->atoms.n; i++) {
    if (AS_VEC_AT(&w->atoms, watom, i).t == t)
      return AS_VEC_AT(&w->atoms, watom, i).name;
  }
  bool is_int = ck_is_int(w->T, t);
  watom a = {t, NULL};
  if (ck_head(w->T, t) == CK_V)
    a.name = as_format("|%s:%c|", ck_word_text(w->T, ck_name(w->T, t)), ck_sort(w->T, t));
  else
    a.name = as_format("a%u", w->fresh++);
  as_vec_push(&w->atoms, &a);
  as_str_printf(&w->head, "(declare-fun %s () %s)\n", a.name, is_int ? "Int" : "Real");
  define_atom(w, t, a.name);
  return a.name;
}

static const wmono *product(writer *w, ck_mono m) {
  for (size_t i = 0; i < w->monos.n; i++) {
    const wmono *k = &AS_VEC_AT(&w->monos, wmono, i);
    if (k->deg == m.deg && memcmp(k->atoms, m.atoms, m.deg * sizeof *m.atoms) == 0)
      return k;
  }
  wmono k = {m.deg, as_malloc(m.deg * sizeof *m.atoms), as_format("m%u", w->fresh++), true};
  memcpy(k.atoms, m.atoms, m.deg * sizeof *m.atoms);
  as_str note;
  as_str_init(&note);
  for (uint32_t i = 0; i < m.deg; i++) {
    as_str_printf(&note, "%s%s", i ? " * " : "", atom(w, k.atoms[i]));
    if (!ck_is_int(w->T, k.atoms[i]))
      k.is_int = false;
  }
  as_str_printf(&w->head, "(declare-fun %s () %s) ; %s\n", k.name, k.is_int ? "Int" : "Real",
                note.s);
  as_str_clear(&note);
  w->exact = false;
  return as_vec_push(&w->monos, &k);
}

static void numeral(writer *w, const mpq_t q, bool want_int, as_str *out) {
  mpq_t a;
  mpq_init(a);
  mpq_abs(a, q);
  char *n = mpz_get_str(NULL, 10, mpq_numref(a));
  char *d = mpz_get_str(NULL, 10, mpq_denref(a));
  bool neg = mpq_sgn(q) < 0;
  bool whole = mpz_cmp_ui(mpq_denref(a), 1) == 0;
  if (want_int && !whole)
    w->failed = true;
  if (neg)
    as_str_add(out, "(- ");
  if (want_int)
    as_str_add(out, n);
  else if (whole)
    as_str_printf(out, "%s.0", n);
  else
    as_str_printf(out, "(/ %s.0 %s.0)", n, d);
  if (neg)
    as_str_add(out, ")");
  free(n);
  free(d);
  mpq_clear(a);
}

static void monomial(writer *w, ck_mono m, const mpq_t c, bool want_int, as_str *out) {
  const char *name = NULL;
  bool is_int = true;
  bool scaled = mpq_cmp_ui(c, 1, 1) != 0;
  if (m.deg == 0) {
    numeral(w, c, want_int, out);
    return;
  }
  if (m.deg == 1) {
    name = atom(w, m.atoms[0]);
    is_int = ck_is_int(w->T, m.atoms[0]);
  } else {
    const wmono *k = product(w, m);
    name = k->name;
    is_int = k->is_int;
  }
  if (want_int && !is_int)
    w->failed = true;
  if (scaled) {
    as_str_add(out, "(* ");
    numeral(w, c, want_int, out);
    as_str_add(out, " ");
  }
  as_str_printf(out, is_int && !want_int ? "(to_real %s)" : "%s", name);
  if (scaled)
    as_str_add(out, ")");
}

static void poly(writer *w, const ck_poly *f, bool want_int, as_str *out) {
  if (!f) {
    w->failed = true;
    return;
  }
  uint32_t n = ck_poly_len(f);
  if (n == 0) {
    as_str_add(out, want_int ? "0" : "0.0");
    return;
  }
  if (n > 1)
    as_str_add(out, "(+");
  for (uint32_t i = 0; i < n; i++) {
    if (n > 1)
      as_str_add(out, " ");
    monomial(w, ck_poly_mono(f, i), *ck_poly_coef(f, i), want_int, out);
  }
  if (n > 1)
    as_str_add(out, ")");
}

static void formula(writer *w, ck_id f, as_str *out) {
  ck_op op = ck_head(w->T, f);
  if (op == CK_ALL) { /* a clause is used through its instances only */
    char *name = as_format("|clause %u|", f);
    bool known = false;
    for (size_t i = 0; i < w->funs.n; i++)
      known = known || strcmp(AS_VEC_AT(&w->funs, char *, i), name) == 0;
    as_str_add(out, name);
    w->exact = false;
    if (known) {
      free(name);
      return;
    }
    as_str_printf(&w->head, "(declare-fun %s () Bool)\n", name);
    as_vec_push(&w->funs, &name);
    return;
  }
  ck_id a = ck_kid(w->T, f, 0);
  ck_id b = ck_kid(w->T, f, 1);
  bool i = ck_is_int(w->T, a) && ck_is_int(w->T, b);
  as_str_add(out, op == CK_NE ? "(not (= " : op == CK_EQ ? "(= " : op == CK_LE ? "(<= " : "(< ");
  term(w, a, i, out);
  as_str_add(out, " ");
  term(w, b, i, out);
  as_str_add(out, op == CK_NE ? "))" : ")");
}

/* premises of a step's hint: opens `(assert (=> (and ..` */
static void open_hint(writer *w, const ck_id *prem, uint32_t n, as_str *out) {
  as_str_add(out, "(assert (=> (and true");
  for (uint32_t i = 0; i < n; i++) {
    as_str_add(out, " ");
    formula(w, prem[i], out);
  }
  as_str_add(out, ") ");
}

static void implication(writer *w, const ck_id *prem, uint32_t n, ck_id concl) {
  as_str e;
  as_str_init(&e);
  open_hint(w, prem, n, &e);
  formula(w, concl, &e);
  as_str_add(&e, "))\n");
  as_str_add(&w->body, e.s);
  as_str_clear(&e);
}

static ck_id concl(const as_steps *p, uint32_t s) {
  return ck_thm_formula(p->P, as_steps_at(p, s)->thm);
}

/* the product of a summand's premises with its cofactor, expanded */
static void hint_product(writer *w, ck_id c, const uint32_t *prem, uint32_t n) {
  ck_terms *T = w->T;
  ck_id *fs = as_malloc((n + 1) * sizeof *fs);
  bool eq = false;
  bool ne = false;
  bool strict = true;
  mpq_t q;
  mpq_init(q);
  bool constant = ck_poly_of(T, c) && ck_poly_const(ck_poly_of(T, c), q);
  mpq_clear(q);
  for (uint32_t i = 0; i < n; i++) {
    fs[i] = concl(w->p, prem[i]);
    ck_op op = ck_head(T, fs[i]);
    eq = eq || op == CK_EQ;
    ne = ne || op == CK_NE;
    strict = strict && op == CK_LT;
  }
  if (n > 1 || (n == 1 && !constant)) {
    const ck_poly *f = eq ? ck_poly_of(T, c) : ck_poly_val(T, fs[0]);
    for (uint32_t i = eq ? 0 : 1; i < n && f; i++) {
      const ck_poly *g = ck_poly_mul(T, f, ck_poly_val(T, fs[i]));
      ck_poly_done(f);
      f = g;
    }
    uint32_t m = n;
    if (eq) { /* one factor that is zero is all it takes */
      for (uint32_t i = 0; i < n; i++) {
        if (ck_head(T, fs[i]) == CK_EQ)
          fs[0] = fs[i];
      }
      m = 1;
    }
    as_str e;
    as_str_init(&e);
    open_hint(w, fs, m, &e);
    as_str_add(&e, eq ? "(= 0.0 " : ne ? "(not (= 0.0 " : strict ? "(< 0.0 " : "(<= 0.0 ");
    poly(w, f, false, &e);
    ck_poly_done(f);
    as_str_add(&e, !eq && ne ? "))))\n" : ")))\n");
    as_str_add(&w->body, e.s);
    as_str_clear(&e);
  }
  free(fs);
}

static void hint_arith(writer *w, const as_step_arg *k, uint32_t n) {
  uint32_t prem[64];
  uint32_t np = 0;
  ck_id c = 0;
  bool have = false;
  for (uint32_t i = 1; i < n; i++) { /* token 0 is the goal */
    if (k[i].kind == 't') {
      if (have)
        hint_product(w, c, prem, np);
      c = k[i].val;
      np = 0;
      have = true;
    } else if (k[i].kind == 's') {
      if (np == 64) {
        w->failed = true;
        return;
      }
      prem[np++] = k[i].val;
    }
  }
  if (have)
    hint_product(w, c, prem, np);
}

/* the theorem's own premises as they stand: law, use */
static void hint_instance(writer *w, uint32_t s, const as_step_arg *k, uint32_t n) {
  ck_id *fs = as_malloc((n + 1) * sizeof *fs);
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (k[i].kind == 's')
      fs[m++] = concl(w->p, k[i].val);
  }
  implication(w, fs, m, concl(w->p, s));
  free(fs);
}

/* products of equal factors are equal; congruence of functions is the solver's */
static void hint_cong(writer *w, uint32_t s) {
  ck_terms *T = w->T;
  ck_id f = concl(w->p, s);
  ck_id a = ck_kid(T, f, 0);
  ck_id b = ck_kid(T, f, 1);
  ck_id fs[2];
  uint32_t m = 0;
  if (ck_head(T, a) != CK_MUL || ck_head(T, b) != CK_MUL)
    return;
  for (uint32_t i = 0; i < 2; i++) {
    ck_id x = ck_kid(T, a, i);
    ck_id y = ck_kid(T, b, i);
    if (x != y)
      fs[m++] = ck_mk2(T, CK_EQ, x, y);
  }
  implication(w, fs, m, f);
}

static void hints(writer *w, uint32_t s) {
  uint32_t n;
  const as_step_arg *k = as_steps_args(w->p, s, &n);
  switch (as_steps_at(w->p, s)->rule) {
  case AS_STEP_ARITH:
    hint_arith(w, k, n);
    break;
  case AS_STEP_LAW:
  case AS_STEP_USE:
    hint_instance(w, s, k, n);
    break;
  case AS_STEP_CONG:
    hint_cong(w, s);
    break;
  default:
    break;
  }
}

static bool among(const ck_id *h, uint32_t n, ck_id f) {
  for (uint32_t i = 0; i < n; i++) {
    if (h[i] == f)
      return true;
  }
  return false;
}

static void leaf(writer *w, uint32_t s, const ck_id *hyps, uint32_t nh) {
  uint32_t n;
  uint32_t m = 0;
  const ck_id *h = ck_thm_hyps(w->p->P, as_steps_at(w->p, s)->thm, &n);
  ck_id *fs = as_malloc((n + 1) * sizeof *fs);
  for (uint32_t i = 0; i < n; i++) {
    if (!among(hyps, nh, h[i]))
      fs[m++] = h[i];
  }
  as_str_printf(&w->body, "; theorem of step %u\n", s);
  implication(w, fs, m, concl(w->p, s));
  free(fs);
}

static void comment(as_str *out, const char *what, char *text) {
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
      *c = ' ';
  }
  as_str_printf(out, "; %s%.400s%s\n", what, text, strlen(text) > 400 ? " .." : "");
}

bool smt_write(const as_steps *p, uint32_t target, const uint32_t *steps, uint32_t n,
               const uint32_t *leaves, uint32_t nl, const char *name, as_smt_query *q) {
  writer w = {.p = p, .T = p->T, .exact = true};
  as_str_init(&w.head);
  as_str_init(&w.body);
  as_vec_init(&w.atoms, sizeof(watom));
  as_vec_init(&w.monos, sizeof(wmono));
  as_vec_init(&w.funs, sizeof(char *));
  uint32_t nh;
  const ck_id *h0 = ck_thm_hyps(p->P, as_steps_at(p, target)->thm, &nh);
  ck_id *h = as_malloc((nh + 1) * sizeof *h);
  if (nh)
    memcpy(h, h0, nh * sizeof *h);
  for (uint32_t i = 0; i < nh; i++) {
    as_str e;
    as_str_init(&e);
    formula(&w, h[i], &e);
    as_str_printf(&w.body, "(assert %s)\n", e.s ? e.s : "");
    as_str_clear(&e);
  }
  for (uint32_t i = 0; i < nl; i++)
    leaf(&w, leaves[i], h, nh);
  for (uint32_t i = 0; i < n; i++)
    hints(&w, steps[i]);
  as_str goal;
  as_str all;
  as_str_init(&goal);
  as_str_init(&all);
  formula(&w, concl(p, target), &goal);
  char *label = as_strdup(name);
  char *shown = ck_show(p->T, concl(p, target));
  comment(&all, "", label);
  if (shown)
    comment(&all, "conclusion: ", shown);
  as_str_printf(&all, "(set-logic QF_AUFLIRA)\n%s%s(assert (not %s))\n(check-sat)\n",
                w.head.s ? w.head.s : "", w.body.s ? w.body.s : "", goal.s);
  free(label);
  free(shown);
  free(h);
  *q = (as_smt_query){as_strdup(name), as_str_take(&all), w.exact};
  as_str_clear(&goal);
  as_str_clear(&w.head);
  as_str_clear(&w.body);
  for (size_t i = 0; i < w.atoms.n; i++)
    free(AS_VEC_AT(&w.atoms, watom, i).name);
  for (size_t i = 0; i < w.monos.n; i++) {
    free(AS_VEC_AT(&w.monos, wmono, i).name);
    free(AS_VEC_AT(&w.monos, wmono, i).atoms);
  }
  for (size_t i = 0; i < w.funs.n; i++)
    free(AS_VEC_AT(&w.funs, char *, i));
  as_vec_clear(&w.atoms);
  as_vec_clear(&w.monos);
  as_vec_clear(&w.funs);
  return !w.failed;
}

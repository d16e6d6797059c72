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
#include "proofs/math/math.h"
#include "smt_int.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t deg;
  ck_id *atoms;
  char *name;
  bool is_int;
} product_const;

typedef struct {
  ck_id t;
  char *name;
} atom_const;

typedef struct {
  const as_steps *p;
  ck_terms *T;
  as_str head;
  as_str body;  /* declarations with their definitions; premises */
  as_vec atoms; /* of atom_const */
  as_vec monos; /* of product_const */
  as_vec funs;  /* of char *: the names that are declared */
  bool exact;
  bool failed;
  uint32_t fresh;
} writer;

static void poly(writer *script, const ck_poly *sum, bool want_int, as_str *out);

static void term(writer *script, ck_id of, bool want_int, as_str *out) {
  poly(script, ck_poly_of(script->T, of), want_int, out);
}

static void formula(writer *script, ck_id relation, as_str *out);

static void declare_fun(writer *script, const char *name, const char *sorts, char result) {
  for (size_t i = 0; i < script->funs.n; i++)
    if (strcmp(AS_VEC_AT(&script->funs, char *, i), name) == 0)
      return;
  char *copy = as_strdup(name);
  as_vec_push(&script->funs, &copy);
  as_str_printf(&script->head, "(declare-fun %s (", name);
  for (size_t i = 0; sorts[i]; i++)
    as_str_printf(&script->head, "%s%s", i ? " " : "", sorts[i] == 'i' ? "Int" : "Real");
  as_str_printf(&script->head, ") %s)\n", result == 'i' ? "Int" : "Real");
}

/* name = (fun kids) */
static void define_app(writer *script, ck_id defined, const char *name, const char *function,
                       const char *sorts, uint32_t first, uint32_t n_args) {
  as_str text;
  as_str_init(&text);
  declare_fun(script, function, sorts, ck_is_int(script->T, defined) ? 'i' : 'r');
  as_str_printf(&text, n_args ? "(assert (= %s (%s" : "(assert (= %s %s", name, function);
  for (uint32_t i = 0; i < n_args; i++) {
    as_str_add(&text, " ");
    term(script, ck_kid(script->T, defined, first + i), sorts[i] == 'i', &text);
  }
  as_str_add(&text, n_args ? ")))\n" : "))\n"); /* a constant stands without parentheses */
  as_str_add(&script->head, text.s);
  as_str_clear(&text);
}

/* folds with the same steps are one function of bound and bases */
static void define_fold(writer *script, ck_id fold, const char *name) {
  uint32_t width = ck_width(script->T, fold);
  as_str function;
  as_str_init(&function);
  as_str_printf(&function, "|fold %u", ck_index(script->T, fold));
  for (uint32_t i = 0; i < width; i++)
    as_str_printf(&function, " %u", ck_kid(script->T, fold, 1 + width + i));
  as_str_add(&function, "|");
  char *sorts = as_malloc(width + 2);
  memset(sorts, 'r', width + 1);
  sorts[0] = 'i';
  sorts[width + 1] = 0;
  define_app(script, fold, name, function.s, sorts, 0, width + 1);
  free(sorts);
  as_str_clear(&function);
}

static void define_ite(writer *script, ck_id choice, const char *name) {
  bool is_int = ck_is_int(script->T, choice);
  ck_id condition = ck_kid(script->T, choice, 0);
  for (uint32_t branch = 0; branch < 2; branch++) {
    as_str text;
    as_str_init(&text);
    as_str_add(&text, branch == 0 ? "(assert (=> " : "(assert (=> (not ");
    formula(script, condition, &text);
    as_str_printf(&text, "%s (= %s ", branch == 0 ? "" : ")", name);
    term(script, ck_kid(script->T, choice, 1 + branch), is_int, &text);
    as_str_add(&text, ")))\n");
    as_str_add(&script->head, text.s);
    as_str_clear(&text);
  }
}

static void define_atom(writer *script, ck_id atom_term, const char *name) {
  ck_terms *terms = script->T;
  switch (ck_head(terms, atom_term)) {
  case CK_V:
    break;
  case CK_APP: {
    char *function = as_format("|%s:%s|", ck_word_text(terms, ck_name(terms, atom_term)),
                               ck_word_text(terms, ck_sig(terms, atom_term)));
    char *sorts = as_strdup(ck_word_text(terms, ck_sig(terms, atom_term)));
    char *colon = strchr(sorts, ':');
    if (colon)
      *colon = 0;
    else
      script->failed = true;
    define_app(script, atom_term, name, function, sorts, 0, ck_nkids(terms, atom_term));
    free(function);
    free(sorts);
    break;
  }
  case CK_INV:
    script->exact = false;
    define_app(script, atom_term, name, "|inv|", "r", 0, 1);
    break;
  case CK_EXP:
    script->exact = false;
    define_app(script, atom_term, name, "|exp of|", "r", 0, 1);
    break;
  case CK_SQRT:
    script->exact = false;
    define_app(script, atom_term, name, "|sqrt of|", "r", 0, 1);
    break;
  case CK_LOG:
    script->exact = false;
    define_app(script, atom_term, name, "|log of|", "r", 0, 1);
    break;
  case CK_DIV:
    script->exact = false;
    define_app(script, atom_term, name, "|div of|", "ii", 0, 2);
    break;
  case CK_MOD:
    script->exact = false;
    define_app(script, atom_term, name, "|mod of|", "ii", 0, 2);
    break;
  case CK_ITE:
    define_ite(script, atom_term, name);
    break;
  case CK_FOLD:
    script->exact = false;
    define_fold(script, atom_term, name);
    break;
  default:
    script->failed = true; /* no other closed term is an atom */
  }
}

static const char *atom(writer *script, ck_id term) {
  for (size_t i = 0; i < script->atoms.n; i++) {
    if (AS_VEC_AT(&script->atoms, atom_const, i).t == term)
      return AS_VEC_AT(&script->atoms, atom_const, i).name;
  }
  bool is_int = ck_is_int(script->T, term);
  atom_const made = {term, NULL};
  if (ck_head(script->T, term) == CK_V)
    made.name = as_format("|%s:%c|", ck_word_text(script->T, ck_name(script->T, term)),
                          ck_sort(script->T, term));
  else
    made.name = as_format("a%u", script->fresh++);
  as_vec_push(&script->atoms, &made);
  as_str_printf(&script->head, "(declare-fun %s () %s)\n", made.name, is_int ? "Int" : "Real");
  define_atom(script, term, made.name);
  return made.name;
}

static const product_const *product(writer *script, ck_mono monomial_of) {
  for (size_t i = 0; i < script->monos.n; i++) {
    const product_const *known = &AS_VEC_AT(&script->monos, product_const, i);
    if (known->deg == monomial_of.deg &&
        memcmp(known->atoms, monomial_of.atoms, monomial_of.deg * sizeof *monomial_of.atoms) == 0)
      return known;
  }
  product_const known = {monomial_of.deg, as_malloc(monomial_of.deg * sizeof *monomial_of.atoms),
                         as_format("m%u", script->fresh++), true};
  memcpy(known.atoms, monomial_of.atoms, monomial_of.deg * sizeof *monomial_of.atoms);
  as_str note;
  as_str_init(&note);
  for (uint32_t i = 0; i < monomial_of.deg; i++) {
    as_str_printf(&note, "%s%s", i ? " * " : "", atom(script, known.atoms[i]));
    if (!ck_is_int(script->T, known.atoms[i]))
      known.is_int = false;
  }
  as_str_printf(&script->head, "(declare-fun %s () %s) ; %s\n", known.name,
                known.is_int ? "Int" : "Real", note.s);
  as_str_clear(&note);
  script->exact = false;
  return as_vec_push(&script->monos, &known);
}

static void numeral(writer *script, const mpq_t value, bool want_int, as_str *out) {
  mpq_t magnitude;
  mpq_init(magnitude);
  mpq_abs(magnitude, value);
  char *numerator = mpz_get_str(NULL, 10, mpq_numref(magnitude));
  char *denominator = mpz_get_str(NULL, 10, mpq_denref(magnitude));
  bool negative = mpq_sgn(value) < 0;
  bool whole = mpz_cmp_ui(mpq_denref(magnitude), 1) == 0;
  if (want_int && !whole)
    script->failed = true;
  if (negative)
    as_str_add(out, "(- ");
  if (want_int)
    as_str_add(out, numerator);
  else if (whole)
    as_str_printf(out, "%s.0", numerator);
  else
    as_str_printf(out, "(/ %s.0 %s.0)", numerator, denominator);
  if (negative)
    as_str_add(out, ")");
  free(numerator);
  free(denominator);
  mpq_clear(magnitude);
}

static void monomial(writer *script, ck_mono atoms_of, const mpq_t coefficient, bool want_int,
                     as_str *out) {
  const char *name = NULL;
  bool is_int = true;
  bool scaled = mpq_cmp_ui(coefficient, 1, 1) != 0;
  if (atoms_of.deg == 0) {
    numeral(script, coefficient, want_int, out);
    return;
  }
  if (atoms_of.deg == 1) {
    name = atom(script, atoms_of.atoms[0]);
    is_int = ck_is_int(script->T, atoms_of.atoms[0]);
  } else {
    const product_const *made = product(script, atoms_of);
    name = made->name;
    is_int = made->is_int;
  }
  if (want_int && !is_int)
    script->failed = true;
  if (scaled) {
    as_str_add(out, "(* ");
    numeral(script, coefficient, want_int, out);
    as_str_add(out, " ");
  }
  as_str_printf(out, is_int && !want_int ? "(to_real %s)" : "%s", name);
  if (scaled)
    as_str_add(out, ")");
}

static void poly(writer *script, const ck_poly *sum, bool want_int, as_str *out) {
  if (!sum) {
    script->failed = true;
    return;
  }
  uint32_t n_monomials = ck_poly_len(sum);
  if (n_monomials == 0) {
    as_str_add(out, want_int ? "0" : "0.0");
    return;
  }
  if (n_monomials > 1)
    as_str_add(out, "(+");
  for (uint32_t i = 0; i < n_monomials; i++) {
    if (n_monomials > 1)
      as_str_add(out, " ");
    monomial(script, ck_poly_mono(sum, i), *ck_poly_coef(sum, i), want_int, out);
  }
  if (n_monomials > 1)
    as_str_add(out, ")");
}

static void formula(writer *script, ck_id relation, as_str *out) {
  ck_op op = ck_head(script->T, relation);
  if (op == CK_ALL) { /* a clause is used through its instances only */
    char *name = as_format("|clause %u|", relation);
    bool known = false;
    for (size_t is_int = 0; is_int < script->funs.n; is_int++)
      known = known || strcmp(AS_VEC_AT(&script->funs, char *, is_int), name) == 0;
    as_str_add(out, name);
    script->exact = false;
    if (known) {
      free(name);
      return;
    }
    as_str_printf(&script->head, "(declare-fun %s () Bool)\n", name);
    as_vec_push(&script->funs, &name);
    return;
  }
  ck_id left = ck_kid(script->T, relation, 0);
  ck_id right = ck_kid(script->T, relation, 1);
  bool is_int = ck_is_int(script->T, left) && ck_is_int(script->T, right);
  as_str_add(out, op == CK_NE ? "(not (= " : op == CK_EQ ? "(= " : op == CK_LE ? "(<= " : "(< ");
  term(script, left, is_int, out);
  as_str_add(out, " ");
  term(script, right, is_int, out);
  as_str_add(out, op == CK_NE ? "))" : ")");
}

/* premises of a step's hint: opens `(assert (=> (and ..` */
static void open_hint(writer *script, const ck_id *premises, uint32_t n, as_str *out) {
  as_str_add(out, "(assert (=> (and true");
  for (uint32_t i = 0; i < n; i++) {
    as_str_add(out, " ");
    formula(script, premises[i], out);
  }
  as_str_add(out, ") ");
}

static void implication(writer *script, const ck_id *premises, uint32_t n, ck_id conclusion) {
  as_str text;
  as_str_init(&text);
  open_hint(script, premises, n, &text);
  formula(script, conclusion, &text);
  as_str_add(&text, "))\n");
  as_str_add(&script->body, text.s);
  as_str_clear(&text);
}

static ck_id concl(const as_steps *proof, uint32_t step) {
  return ck_thm_formula(proof->theorems, as_steps_at(proof, step)->theorem);
}

/* the product of a summand's premises with its cofactor, expanded */
static void hint_product(writer *script, ck_id cofactor, const uint32_t *premises, uint32_t n) {
  ck_terms *terms = script->T;
  ck_id *relations = as_malloc((n + 1) * sizeof *relations);
  bool any_equal = false;
  bool any_differ = false;
  bool strict = true;
  mpq_t value;
  mpq_init(value);
  bool constant = ck_poly_of(terms, cofactor) && ck_poly_const(ck_poly_of(terms, cofactor), value);
  mpq_clear(value);
  for (uint32_t i = 0; i < n; i++) {
    relations[i] = concl(script->p, premises[i]);
    ck_op op = ck_head(terms, relations[i]);
    any_equal = any_equal || op == CK_EQ;
    any_differ = any_differ || op == CK_NE;
    strict = strict && op == CK_LT;
  }
  if (n > 1 || (n == 1 && !constant)) {
    const ck_poly *product_of =
        any_equal ? ck_poly_of(terms, cofactor) : ck_poly_val(terms, relations[0]);
    for (uint32_t i = any_equal ? 0 : 1; i < n && product_of; i++) {
      const ck_poly *next = ck_poly_mul(terms, product_of, ck_poly_val(terms, relations[i]));
      ck_poly_done(product_of);
      product_of = next;
    }
    uint32_t n_used = n;
    if (any_equal) { /* one factor that is zero is all it takes */
      for (uint32_t i = 0; i < n; i++) {
        if (ck_head(terms, relations[i]) == CK_EQ)
          relations[0] = relations[i];
      }
      n_used = 1;
    }
    as_str text;
    as_str_init(&text);
    open_hint(script, relations, n_used, &text);
    as_str_add(&text, any_equal    ? "(= 0.0 "
                      : any_differ ? "(not (= 0.0 "
                      : strict     ? "(< 0.0 "
                                   : "(<= 0.0 ");
    poly(script, product_of, false, &text);
    ck_poly_done(product_of);
    as_str_add(&text, !any_equal && any_differ ? "))))\n" : ")))\n");
    as_str_add(&script->body, text.s);
    as_str_clear(&text);
  }
  free(relations);
}

static void hint_arith(writer *script, const as_step_arg *tokens, uint32_t n) {
  uint32_t premises[64];
  uint32_t n_premises = 0;
  ck_id cofactor = 0;
  bool have = false;
  for (uint32_t i = 1; i < n; i++) { /* token 0 is the goal */
    if (tokens[i].kind == 't') {
      if (have)
        hint_product(script, cofactor, premises, n_premises);
      cofactor = tokens[i].value;
      n_premises = 0;
      have = true;
    } else if (tokens[i].kind == 's') {
      if (n_premises == 64) {
        script->failed = true;
        return;
      }
      premises[n_premises++] = tokens[i].value;
    }
  }
  if (have)
    hint_product(script, cofactor, premises, n_premises);
}

/* the theorem's own premises as they stand: law, use */
static void hint_instance(writer *script, uint32_t step, const as_step_arg *tokens, uint32_t n) {
  ck_id *premises = as_malloc((n + 1) * sizeof *premises);
  uint32_t n_premises = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (tokens[i].kind == 's')
      premises[n_premises++] = concl(script->p, tokens[i].value);
  }
  implication(script, premises, n_premises, concl(script->p, step));
  free(premises);
}

/* products of equal factors are equal; congruence of functions is the solver's */
static void hint_cong(writer *script, uint32_t step) {
  ck_terms *terms = script->T;
  ck_id conclusion = concl(script->p, step);
  ck_id left = ck_kid(terms, conclusion, 0);
  ck_id right = ck_kid(terms, conclusion, 1);
  ck_id equations[2];
  uint32_t n_equations = 0;
  if (ck_head(terms, left) != CK_MUL || ck_head(terms, right) != CK_MUL)
    return;
  for (uint32_t i = 0; i < 2; i++) {
    ck_id left_kid = ck_kid(terms, left, i);
    ck_id right_kid = ck_kid(terms, right, i);
    if (left_kid != right_kid)
      equations[n_equations++] = ck_mk2(terms, CK_EQ, left_kid, right_kid);
  }
  implication(script, equations, n_equations, conclusion);
}

static void hints(writer *script, uint32_t step) {
  uint32_t n;
  const as_step_arg *tokens = as_steps_args(script->p, step, &n);
  switch (as_steps_at(script->p, step)->rule) {
  case AS_STEP_ARITH:
    hint_arith(script, tokens, n);
    break;
  case AS_STEP_LAW:
  case AS_STEP_USE:
    hint_instance(script, step, tokens, n);
    break;
  case AS_STEP_CONG:
    hint_cong(script, step);
    break;
  default:
    break;
  }
}

static void leaf(writer *script, uint32_t step, const ck_id *hyps, uint32_t n_hyps) {
  uint32_t n;
  uint32_t n_others = 0;
  const ck_id *own = ck_thm_hyps(script->p->theorems, as_steps_at(script->p, step)->theorem, &n);
  ck_id *others = as_malloc((n + 1) * sizeof *others);
  for (uint32_t i = 0; i < n; i++) {
    if (!as_id_among(hyps, n_hyps, own[i]))
      others[n_others++] = own[i];
  }
  as_str_printf(&script->body, "; theorem of step %u\n", step);
  implication(script, others, n_others, concl(script->p, step));
  free(others);
}

static void comment(as_str *out, const char *what, char *text) {
  for (char *byte = text; *byte; byte++) {
    if ((unsigned char)*byte < ' ' || (unsigned char)*byte > '~')
      *byte = ' ';
  }
  as_str_printf(out, "; %s%.400s%s\n", what, text, strlen(text) > 400 ? " .." : "");
}

bool smt_write(const as_steps *proof, uint32_t target, const uint32_t *steps, uint32_t n,
               const uint32_t *leaves, uint32_t n_leaves, const char *name, as_smt_query *query) {
  writer script = {.p = proof, .T = proof->T, .exact = true};
  as_str_init(&script.head);
  as_str_init(&script.body);
  as_vec_init(&script.atoms, sizeof(atom_const));
  as_vec_init(&script.monos, sizeof(product_const));
  as_vec_init(&script.funs, sizeof(char *));
  uint32_t n_hyps;
  const ck_id *borrowed =
      ck_thm_hyps(proof->theorems, as_steps_at(proof, target)->theorem, &n_hyps);
  ck_id *hyps = as_malloc((n_hyps + 1) * sizeof *hyps);
  if (n_hyps)
    memcpy(hyps, borrowed, n_hyps * sizeof *hyps);
  for (uint32_t i = 0; i < n_hyps; i++) {
    as_str text;
    as_str_init(&text);
    formula(&script, hyps[i], &text);
    as_str_printf(&script.body, "(assert %s)\n", text.s ? text.s : "");
    as_str_clear(&text);
  }
  for (uint32_t i = 0; i < n_leaves; i++)
    leaf(&script, leaves[i], hyps, n_hyps);
  for (uint32_t i = 0; i < n; i++)
    hints(&script, steps[i]);
  as_str goal;
  as_str all;
  as_str_init(&goal);
  as_str_init(&all);
  formula(&script, concl(proof, target), &goal);
  char *label = as_strdup(name);
  ck_id conclusion = concl(proof, target);
  as_math *math = as_math_new(proof->T);
  char *shown = as_math_show_all(math, &conclusion, 1);
  as_math_free(math);
  comment(&all, "", label);
  if (shown)
    comment(&all, "conclusion: ", shown);
  as_str_printf(&all, "(set-logic QF_AUFLIRA)\n%s%s(assert (not %s))\n(check-sat)\n",
                script.head.s ? script.head.s : "", script.body.s ? script.body.s : "", goal.s);
  free(label);
  free(shown);
  free(hyps);
  *query = (as_smt_query){as_strdup(name), as_str_take(&all), script.exact};
  as_str_clear(&goal);
  as_str_clear(&script.head);
  as_str_clear(&script.body);
  for (size_t i = 0; i < script.atoms.n; i++)
    free(AS_VEC_AT(&script.atoms, atom_const, i).name);
  for (size_t i = 0; i < script.monos.n; i++) {
    free(AS_VEC_AT(&script.monos, product_const, i).name);
    free(AS_VEC_AT(&script.monos, product_const, i).atoms);
  }
  for (size_t i = 0; i < script.funs.n; i++)
    free(AS_VEC_AT(&script.funs, char *, i));
  as_vec_clear(&script.atoms);
  as_vec_clear(&script.monos);
  as_vec_clear(&script.funs);
  return !script.failed;
}

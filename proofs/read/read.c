/* The certificate (proofs/FORMAT.md) as a list of steps; each theorem is recomputed by the
 * checker's rules. */
#include "read.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *s;
  uint32_t n;
} word;

typedef struct {
  as_steps *p;
  as_err *err;
  uint32_t line;
  word *w;
  uint32_t nw;
  uint32_t cap; /* tokens of the line */
} reader;

static bool bad(reader *r, const char *why) {
  as_err_set(r->err, AS_NO, "certificate line %u: %s", r->line, why);
  return false;
}

static bool split(reader *r, const char *s, size_t len) {
  r->nw = 0;
  for (size_t i = 0; i < len;) {
    size_t j = i;
    while (j < len && s[j] != ' ')
      j++;
    if (j == i)
      return bad(r, "empty token");
    if (r->nw == r->cap)
      r->w = as_realloc(r->w, (r->cap = r->cap ? 2 * r->cap : 64) * sizeof *r->w);
    r->w[r->nw++] = (word){s + i, (uint32_t)(j - i)};
    i = j + 1;
  }
  return r->nw > 0;
}

static bool is_word(word w, const char *s) {
  return strlen(s) == w.n && memcmp(w.s, s, w.n) == 0;
}

static bool number(word w, uint32_t from, uint32_t *out) {
  uint64_t v = 0;
  if (w.n <= from || w.n - from > 9)
    return false;
  for (uint32_t i = from; i < w.n; i++) {
    if (w.s[i] < '0' || w.s[i] > '9')
      return false;
    v = v * 10 + (uint64_t)(w.s[i] - '0');
  }
  *out = (uint32_t)v;
  return true;
}

static bool term_ref(reader *r, word w, ck_id *t) {
  uint32_t i;
  if (w.s[0] != 't' || !number(w, 1, &i) || i >= r->p->term.n)
    return bad(r, "not a term number");
  *t = AS_VEC_AT(&r->p->term, ck_id, i);
  return true;
}

static char *word_text(reader *r, uint32_t i) { /* malloc'ed; NULL if token i is no word */
  if (i >= r->nw || r->w[i].s[0] != '\'' || r->w[i].n < 2)
    return NULL;
  char *s = as_malloc(r->w[i].n);
  memcpy(s, r->w[i].s + 1, r->w[i].n - 1);
  s[r->w[i].n - 1] = 0;
  return s;
}

static ck_id read_q(reader *r) {
  ck_id t = CK_BAD;
  if (r->nw == 3 && r->w[1].s[0] == '=' && r->w[2].s[0] == '=') {
    mpq_t q;
    mpq_init(q);
    char *n = as_format("%.*s", (int)r->w[1].n - 1, r->w[1].s + 1);
    char *d = as_format("%.*s", (int)r->w[2].n - 1, r->w[2].s + 1);
    if (mpz_set_str(mpq_numref(q), n, 10) == 0 && mpz_set_str(mpq_denref(q), d, 10) == 0 &&
        mpz_sgn(mpq_denref(q)) > 0) {
      mpq_canonicalize(q);
      t = ck_q(r->p->T, q);
    }
    free(n);
    free(d);
    mpq_clear(q);
  }
  return t;
}

/* kids t.. from token `from` on; NULL when one is not a term */
static ck_id *kids(reader *r, uint32_t from, uint32_t *n) {
  *n = r->nw > from ? r->nw - from : 0;
  ck_id *k = as_malloc((*n + 1) * sizeof *k);
  for (uint32_t i = 0; i < *n; i++) {
    if (!term_ref(r, r->w[from + i], &k[i])) {
      free(k);
      return NULL;
    }
  }
  return k;
}

static ck_id read_named(reader *r) { /* v, b, app */
  ck_terms *T = r->p->T;
  ck_id t = CK_BAD;
  uint32_t i;
  uint32_t n;
  char *b = word_text(r, 2);
  if (!b)
    return CK_BAD;
  if (is_word(r->w[0], "b")) {
    if (r->nw == 3 && r->w[1].s[0] == '=' && number(r->w[1], 1, &i))
      t = ck_bound(T, i, b[0]);
  } else {
    char *a = word_text(r, 1);
    if (a && is_word(r->w[0], "v")) {
      if (r->nw == 3)
        t = ck_var(T, a, b[0]);
    } else if (a) {
      ck_id *k = kids(r, 3, &n);
      if (k)
        t = ck_app(T, a, b, k, n);
      free(k);
    }
    free(a);
  }
  free(b);
  return t;
}

static ck_id read_wide(reader *r) { /* fold, all */
  ck_terms *T = r->p->T;
  bool fold = is_word(r->w[0], "fold");
  uint32_t a;
  uint32_t b = 0;
  uint32_t n;
  uint32_t from = fold ? 3 : 2;
  if (r->nw <= from || r->w[1].s[0] != '=' || !number(r->w[1], 1, &a))
    return CK_BAD;
  if (fold && (r->w[2].s[0] != '=' || !number(r->w[2], 1, &b)))
    return CK_BAD;
  ck_id *k = kids(r, from, &n);
  ck_id t = CK_BAD;
  if (k && !(fold && n != 2 * b + 1))
    t = fold ? ck_fold(T, a, b, k) : ck_all(T, a, k, n);
  free(k);
  return t;
}

/* 1: a term line; 0: not a term line; -1: a bad one */
static int read_term(reader *r) {
  static const struct {
    const char *name;
    ck_op op;
    uint32_t n;
  } plain[] = {{"+", CK_ADD, 2},   {"*", CK_MUL, 2},   {"div", CK_DIV, 2},   {"mod", CK_MOD, 2},
               {"inv", CK_INV, 1}, {"exp", CK_EXP, 1}, {"sqrt", CK_SQRT, 1}, {"log", CK_LOG, 1},
               {"=", CK_EQ, 2},    {"#", CK_NE, 2},    {"<=", CK_LE, 2},     {"<", CK_LT, 2},
               {"ite", CK_ITE, 3}};

  ck_terms *T = r->p->T;
  ck_id t = CK_BAD;
  bool found = false;
  for (size_t i = 0; i < sizeof plain / sizeof *plain && !found; i++) {
    if (!is_word(r->w[0], plain[i].name))
      continue;
    uint32_t n;
    found = true;
    ck_id *k = kids(r, 1, &n);
    if (k && n == plain[i].n) {
      t = n == 1   ? ck_mk1(T, plain[i].op, k[0])
          : n == 2 ? ck_mk2(T, plain[i].op, k[0], k[1])
                   : ck_ite(T, k[0], k[1], k[2]);
    }
    free(k);
  }
  if (!found) {
    found = true;
    if (is_word(r->w[0], "q"))
      t = read_q(r);
    else if (is_word(r->w[0], "v") || is_word(r->w[0], "b") || is_word(r->w[0], "app"))
      t = read_named(r);
    else if (is_word(r->w[0], "fold") || is_word(r->w[0], "all"))
      t = read_wide(r);
    else
      return 0;
  }
  if (t == CK_BAD) {
    bad(r, "ill-formed term");
    return -1;
  }
  as_vec_push(&r->p->term, &t);
  return 1;
}

/* arguments of a step: terms become ck_ids, steps stay numbers, words are interned */
static bool read_args(reader *r, as_step *st) {
  st->tok = r->p->tok.n;
  st->ntok = 0;
  for (uint32_t i = 1; i < r->nw; i++) {
    as_step_arg k = {r->w[i].s[0], 0};
    switch (k.kind) {
    case 't':
      if (!term_ref(r, r->w[i], &k.val))
        return false;
      break;
    case 's':
      if (!number(r->w[i], 1, &k.val) || k.val >= r->p->step.n)
        return bad(r, "not a step number");
      break;
    case '\'':
    case '=': {
      if (r->w[i].n < 2)
        return bad(r, "empty word or number");
      char *s = as_format("%.*s", (int)r->w[i].n - 1, r->w[i].s + 1);
      k.val = ck_word(r->p->T, s);
      free(s);
      break;
    }
    case '|':
    case ',':
      if (r->w[i].n != 1)
        return bad(r, "bad separator");
      break;
    default:
      return bad(r, "unknown token");
    }
    as_vec_push(&r->p->tok, &k);
    st->ntok++;
  }
  return true;
}

/* the theorem of a step: its arguments, steps as theorems, to the checker's rule */
static uint32_t run_rule(as_steps *p, const as_step *st) {
  const as_step_arg *k = (const as_step_arg *)p->tok.data + st->tok;
  char *kind = as_malloc(st->ntok);
  uint32_t *val = as_malloc(st->ntok * sizeof *val);
  for (uint32_t i = 0; i < st->ntok; i++) {
    kind[i] = k[i].kind;
    val[i] = k[i].kind == 's' ? AS_VEC_AT(&p->step, as_step, k[i].val).thm : k[i].val;
  }
  uint32_t thm = ck_step(p->P, st->rule, (ck_args){kind, val, st->ntok, 0, false});
  free(kind);
  free(val);
  return thm;
}

static bool read_step(reader *r) {
  as_step st = {AS_STEP_N, CK_BAD, 0, 0, r->line};
  for (uint32_t i = 0; i < AS_STEP_N; i++) {
    if (is_word(r->w[0], ck_rule_name[i]))
      st.rule = (as_step_rule)i;
  }
  if (st.rule == AS_STEP_N)
    return bad(r, "unknown rule");
  if (!read_args(r, &st))
    return false;
  st.thm = run_rule(r->p, &st);
  if (st.thm == CK_BAD)
    return bad(r, ck_error(r->p->T));
  as_vec_push(&r->p->step, &st);
  return true;
}

static bool subset(const ck_id *h, uint32_t nh, const ck_id *a, uint32_t na) {
  for (uint32_t i = 0; i < nh; i++) {
    uint32_t j = 0;
    while (j < na && a[j] != h[i])
      j++;
    if (j == na)
      return false;
  }
  return true;
}

static bool read_qed(reader *r, const ck_goal *goals, uint32_t n) {
  uint32_t s;
  uint32_t nh;
  if (r->nw != 3 || r->w[2].s[0] != 's' || !number(r->w[2], 1, &s) || s >= r->p->step.n)
    return bad(r, "ill-formed qed");
  for (uint32_t i = 0; i < n; i++) {
    if (!is_word(r->w[1], goals[i].name))
      continue;
    uint32_t th = as_steps_at(r->p, s)->thm;
    const ck_id *h = ck_thm_hyps(r->p->P, th, &nh);
    if (ck_thm_formula(r->p->P, th) != goals[i].formula ||
        !subset(h, nh, goals[i].allowed, goals[i].n_allowed))
      return bad(r, "this theorem is not the goal's");
    AS_VEC_AT(&r->p->qed, uint32_t, i) = s;
    return true;
  }
  return bad(r, "qed of a goal that the claim does not have");
}

as_status as_steps_read(as_steps *p, ck_terms *T, const ck_goal *goals, uint32_t n_goals,
                        const char *cert, size_t len, as_err *err) {
  reader r = {p, err, 0, NULL, 0, 0};
  p->T = T;
  p->P = ck_proof_new(T);
  as_vec_init(&p->term, sizeof(ck_id));
  as_vec_init(&p->step, sizeof(as_step));
  as_vec_init(&p->tok, sizeof(as_step_arg));
  as_vec_init(&p->qed, sizeof(uint32_t));
  for (uint32_t i = 0, none = UINT32_MAX; i < n_goals; i++)
    as_vec_push(&p->qed, &none);
  bool ok = true;
  for (size_t i = 0; i < len && ok;) {
    const char *nl = memchr(cert + i, '\n', len - i);
    size_t m = nl ? (size_t)(nl - (cert + i)) : len - i;
    r.line++;
    if (r.line == 1) {
      if (m != 12 || memcmp(cert, "assay-cert 1", 12) != 0)
        ok = bad(&r, "not an assay certificate");
    } else if (!split(&r, cert + i, m)) {
      ok = bad(&r, "empty line");
    } else if (is_word(r.w[0], "qed")) {
      ok = read_qed(&r, goals, n_goals);
    } else {
      int k = read_term(&r);
      ok = k < 0 ? false : k > 0 ? true : read_step(&r);
    }
    i += m + 1;
  }
  if (ok && r.line == 0)
    ok = bad(&r, "empty");
  for (uint32_t i = 0; i < n_goals && ok; i++) {
    if (AS_VEC_AT(&p->qed, uint32_t, i) == UINT32_MAX)
      ok = as_err_set(err, AS_NO, "the certificate does not prove goal %s", goals[i].name);
  }
  free(r.w);
  return ok ? AS_OK : AS_NO;
}

void as_steps_clear(as_steps *p) {
  ck_proof_free(p->P);
  as_vec_clear(&p->term);
  as_vec_clear(&p->step);
  as_vec_clear(&p->tok);
  as_vec_clear(&p->qed);
}

const as_step *as_steps_at(const as_steps *p, uint32_t s) {
  return &AS_VEC_AT(&p->step, as_step, s);
}

const as_step_arg *as_steps_args(const as_steps *p, uint32_t s, uint32_t *n) {
  const as_step *st = as_steps_at(p, s);
  *n = st->ntok;
  return (const as_step_arg *)p->tok.data + st->tok;
}

bool as_steps_is_schema(const as_steps *p, uint32_t s) {
  as_step_rule r = as_steps_at(p, s)->rule;
  return r == AS_STEP_INST || r == AS_STEP_FOLDCONG || r == AS_STEP_ZERO || r == AS_STEP_SUCC ||
         r == AS_STEP_INDUCT;
}

#include "math.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* characters of one formula, and nodes looked at for it: terms share subterms, and written out they
 * may have no end */
enum { ROOM = 6000, WORK = 200000 };

enum { P_SUM, P_PRODUCT, P_ATOM };

typedef struct {
  char *was;
  char *now;
} alias;

typedef struct {
  ck_id t;
  char *name;
} shortcut;

struct as_math {
  ck_terms *T;
  as_vec taken; /* char *: names of the files, and those given to variables that checker and prover
                   made */
  as_vec alias; /* alias: of such variables */
  as_vec shorter; /* shortcut */
  as_vec bound;   /* char *: names of the binders around, innermost last; owned */
  as_str out;
  ck_id whole; /* not to be shown as its own shortcut */
  bool sorted; /* operands in the order of their texts */
  uint32_t work;
  bool cut; /* nothing more is written */
};

as_math *as_math_new(ck_terms *T) {
  as_math *m = as_calloc(1, sizeof *m);
  m->T = T;
  as_vec_init(&m->taken, sizeof(char *));
  as_vec_init(&m->alias, sizeof(alias));
  as_vec_init(&m->shorter, sizeof(shortcut));
  as_vec_init(&m->bound, sizeof(char *));
  return m;
}

void as_math_free(as_math *m) {
  if (m == NULL)
    return;
  for (size_t i = 0; i < m->taken.n; i++)
    free(AS_VEC_AT(&m->taken, char *, i));
  for (size_t i = 0; i < m->alias.n; i++) {
    free(AS_VEC_AT(&m->alias, alias, i).was);
    free(AS_VEC_AT(&m->alias, alias, i).now);
  }
  for (size_t i = 0; i < m->shorter.n; i++)
    free(AS_VEC_AT(&m->shorter, shortcut, i).name);
  as_vec_clear(&m->taken);
  as_vec_clear(&m->alias);
  as_vec_clear(&m->shorter);
  as_vec_clear(&m->bound);
  free(m);
}

static bool taken(const as_math *m, const char *name) {
  for (size_t i = 0; i < m->taken.n; i++)
    if (strcmp(AS_VEC_AT(&m->taken, char *, i), name) == 0)
      return true;
  for (size_t i = 0; i < m->bound.n; i++)
    if (strcmp(AS_VEC_AT(&m->bound, char *, i), name) == 0)
      return true;
  return false;
}

void as_math_reserve(as_math *m, const char *name) {
  if (taken(m, name))
    return;
  char *copy = as_strdup(name);
  as_vec_push(&m->taken, &copy);
}

bool as_math_reserved(const as_math *m, const char *name) {
  for (size_t i = 0; i < m->taken.n; i++)
    if (strcmp(AS_VEC_AT(&m->taken, char *, i), name) == 0)
      return true;
  return false;
}

void as_math_short(as_math *m, ck_id t, const char *name) {
  for (size_t i = 0; i < m->shorter.n; i++) {
    shortcut *s = &AS_VEC_AT(&m->shorter, shortcut, i);
    if (s->t != t)
      continue;
    free(s->name);
    *s = AS_VEC_AT(&m->shorter, shortcut, --m->shorter.n);
    break;
  }
  if (name == NULL)
    return;
  shortcut s = {t, as_strdup(name)};
  as_vec_push(&m->shorter, &s);
}

/* the first name of the row that is free, then the row again with numbers; malloc'ed */
static char *fresh(const as_math *m, const char *row) {
  for (unsigned round = 0;; round++) {
    for (const char *c = row; *c; c++) {
      char *name = round ? as_format("%c%u", *c, round) : as_format("%c", *c);
      if (!taken(m, name))
        return name;
      free(name);
    }
  }
}

char *as_math_letter(as_math *m) {
  char *name = fresh(m, "ABCEFPQRSUVWYZ");
  as_math_reserve(m, name);
  return name;
}

/* `$i0` is the first index of an output, `$$x1` a counter, and so on: no file can spell these
 * names, and no reader wants to */
static const char *variable(as_math *m, ck_id t) {
  const char *name = ck_word_text(m->T, ck_name(m->T, t));
  if (name[0] != '$')
    return name;
  for (size_t i = 0; i < m->alias.n; i++) {
    if (strcmp(AS_VEC_AT(&m->alias, alias, i).was, name) == 0)
      return AS_VEC_AT(&m->alias, alias, i).now;
  }
  char *now = fresh(m, strncmp(name, "$i", 2) == 0 ? "ijpqh"
                       : ck_sort(m->T, t) == 'i'   ? "rst"
                                                   : "uvwyz");
  alias a = {as_strdup(name), now};
  as_vec_push(&m->alias, &a);
  char *copy = as_strdup(now);
  as_vec_push(&m->taken, &copy);
  return AS_VEC_AT(&m->alias, alias, m->alias.n - 1).now;
}

static void put(as_math *m, const char *s) {
  if (m->cut)
    return;
  m->cut = m->out.n >= ROOM || m->work > WORK;
  as_str_add(&m->out, m->cut ? " ..." : s);
}

static void show(as_math *m, ck_id t, int at);

static bool is_q(const as_math *m, ck_id t, long n) {
  return ck_head(m->T, t) == CK_Q && mpq_cmp_si(*ck_q_value(m->T, t), n, 1) == 0;
}

static ck_id kid(const as_math *m, ck_id t, uint32_t i) {
  return ck_kid(m->T, t, i);
}

/* the operands of nested + or *, from the left; neutral ones are left out */
static void operands(as_math *m, ck_id t, ck_op op, as_vec *v) {
  if (++m->work > WORK)
    return;
  if (ck_head(m->T, t) == op) {
    operands(m, kid(m, t, 0), op, v);
    operands(m, kid(m, t, 1), op, v);
  } else if (!is_q(m, t, op == CK_MUL)) {
    as_vec_push(v, &t);
  }
}

static char *aside(as_math *m, ck_id t);

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* for comparison only: operands in the order of their texts; false if there is but one */
static bool in_order(as_math *m, ck_id t, ck_op op) {
  as_vec v;
  as_vec_init(&v, sizeof(ck_id));
  operands(m, t, op, &v);
  bool many = v.n != 1;
  if (!many && AS_VEC_AT(&v, ck_id, 0) != t)
    show(m, AS_VEC_AT(&v, ck_id, 0), P_SUM);
  bool done = many || AS_VEC_AT(&v, ck_id, 0) != t;
  char **text = as_calloc(v.n + 1, sizeof *text);
  for (size_t i = 0; many && i < v.n; i++)
    text[i] = aside(m, AS_VEC_AT(&v, ck_id, i));
  if (many && v.n)
    qsort(text, v.n, sizeof *text, by_text);
  if (many)
    put(m, op == CK_ADD ? "+{" : "*{");
  for (size_t i = 0; many && i < v.n; i++) {
    put(m, text[i]);
    put(m, ";");
    free(text[i]);
  }
  if (many)
    put(m, "}");
  free(text);
  as_vec_clear(&v);
  return done;
}

static const char *short_of(const as_math *m, ck_id t) {
  if (t == m->whole)
    return NULL;
  for (size_t i = 0; i < m->shorter.n; i++) {
    if (AS_VEC_AT(&m->shorter, shortcut, i).t == t)
      return AS_VEC_AT(&m->shorter, shortcut, i).name;
  }
  return NULL;
}

static void rational(as_math *m, const mpq_t q, int at) {
  char *s = mpq_get_str(NULL, 10, q);
  bool par = (at >= P_PRODUCT && s[0] == '-') || (at >= P_ATOM && strchr(s, '/'));
  if (par)
    put(m, "(");
  put(m, s);
  if (par)
    put(m, ")");
  free(s);
}

/* Factors above the fraction bar; equal neighbours as powers.  Nothing: `1` where asked. */
static void factors(as_math *m, const as_vec *v, bool one) {
  if (v->n == 0 && one)
    put(m, "1");
  for (size_t i = 0, j; i < v->n; i = j) {
    ck_id f = AS_VEC_AT(v, ck_id, i);
    for (j = i + 1; j < v->n && AS_VEC_AT(v, ck_id, j) == f;)
      j++;
    if (i)
      put(m, "*");
    show(m, f, P_ATOM);
    char power[24];
    snprintf(power, sizeof power, "^%zu", j - i);
    if (j - i > 1)
      put(m, power);
  }
}

/* sign: the coefficient was shown to be negative by the caller, who has written the sign */
static void product(as_math *m, ck_id t, bool sign, int at) {
  as_vec all;
  as_vec up;
  as_vec down;
  as_vec_init(&all, sizeof(ck_id));
  as_vec_init(&up, sizeof(ck_id));
  as_vec_init(&down, sizeof(ck_id));
  operands(m, t, CK_MUL, &all);
  mpq_t c;
  mpq_init(c);
  mpq_set_si(c, 1, 1);
  for (size_t i = 0; i < all.n; i++) {
    ck_id f = AS_VEC_AT(&all, ck_id, i);
    ck_id d;
    if (ck_head(m->T, f) == CK_Q) {
      mpq_mul(c, c, *ck_q_value(m->T, f));
    } else if (ck_head(m->T, f) == CK_INV && short_of(m, f) == NULL) {
      d = kid(m, f, 0);
      as_vec_push(&down, &d);
    } else {
      as_vec_push(&up, &f);
    }
  }
  if (sign)
    mpq_neg(c, c);
  bool minus = mpq_cmp_si(c, -1, 1) == 0 && up.n;
  bool one = mpq_cmp_si(c, 1, 1) == 0;
  if (one && up.n == 1 && down.n == 0) {
    show(m, AS_VEC_AT(&up, ck_id, 0), at);
    goto done;
  }
  bool par = at >= P_ATOM ? up.n + down.n + (!one && !minus) > 1 || minus || down.n
                          : at >= P_PRODUCT && mpq_sgn(c) < 0;
  if (par)
    put(m, "(");
  if (minus) {
    put(m, "-");
  } else if (!one || (up.n == 0 && down.n == 0)) {
    rational(m, c, up.n + down.n ? P_ATOM - 1 : P_SUM);
    if (up.n)
      put(m, "*");
  }
  factors(m, &up, one && down.n);
  for (size_t i = 0; i < down.n;
       i++) { /* 1/x/y is not 1/(x*y): that the two are equal is a step of its own */
    put(m, "/");
    show(m, AS_VEC_AT(&down, ck_id, i), P_ATOM);
  }
  if (par)
    put(m, ")");
done:
  mpq_clear(c);
  as_vec_clear(&all);
  as_vec_clear(&up);
  as_vec_clear(&down);
}

/* is the term a product with a negative constant, or a negative constant? */
static bool negative(as_math *m, ck_id t) {
  int s = 1;
  as_vec v;
  as_vec_init(&v, sizeof(ck_id));
  operands(m, t, CK_MUL, &v);
  for (size_t i = 0; i < v.n; i++) {
    if (ck_head(m->T, AS_VEC_AT(&v, ck_id, i)) == CK_Q)
      s *= mpq_sgn(*ck_q_value(m->T, AS_VEC_AT(&v, ck_id, i)));
  }
  as_vec_clear(&v);
  return s < 0;
}

static void sum(as_math *m, ck_id t, int at) {
  as_vec v;
  as_vec_init(&v, sizeof(ck_id));
  operands(m, t, CK_ADD, &v);
  bool par = at > P_SUM && v.n > 1;
  if (par)
    put(m, "(");
  if (v.n == 0)
    put(m, "0");
  for (size_t i = 0; i < v.n; i++) {
    ck_id x = AS_VEC_AT(&v, ck_id, i);
    bool minus = negative(m, x) && short_of(m, x) == NULL;
    if (v.n == 1) {
      show(m, x, at);
    } else if (i == 0 && !minus) {
      show(m, x, P_SUM);
    } else {
      put(m, i == 0 ? "-" : minus ? " - " : " + ");
      if (minus)
        product(m, x, true, P_PRODUCT);
      else
        show(m, x, P_PRODUCT);
    }
  }
  if (par)
    put(m, ")");
  as_vec_clear(&v);
}

bool as_math_alike(as_math *m, ck_id a, ck_id b) {
  m->sorted = true;
  char *x = as_math_show(m, a);
  bool whole = !m->cut;
  char *y = as_math_show(m, b);
  m->sorted = false;
  bool same = whole && !m->cut && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

/* a list of arguments from kid `from` on */
static void arguments(as_math *m, ck_id t, uint32_t from) {
  for (uint32_t i = from; i < ck_nkids(m->T, t); i++) {
    if (i > from)
      put(m, ", ");
    show(m, kid(m, t, i), P_SUM);
  }
}

static void call(as_math *m, const char *name, ck_id t, uint32_t from) {
  put(m, name);
  put(m, "(");
  arguments(m, t, from);
  put(m, ")");
}

static void app(as_math *m, ck_id t) {
  const char *name = ck_word_text(m->T, ck_name(m->T, t));
  const char *sig = ck_word_text(m->T, ck_sig(m->T, t));
  bool scalar = strncmp(name, "func.", 5) == 0 || (sig[0] == 'r' && strchr(sig, 'i') == NULL);
  put(m, strncmp(name, "func.", 5) == 0 ? name + 5 : name);
  if (ck_nkids(m->T, t) == 0)
    return;
  put(m, scalar ? "(" : "[");
  arguments(m, t, 0);
  put(m, scalar ? ")" : "]");
}

static ck_id negated(const as_math *m, ck_id t) { /* x where t is -1 * x, else CK_BAD */
  return ck_head(m->T, t) == CK_MUL && is_q(m, kid(m, t, 0), -1) ? kid(m, t, 1) : CK_BAD;
}

static void ite(as_math *m, ck_id t) {
  ck_id c = kid(m, t, 0);
  ck_id a = kid(m, t, 1);
  ck_id b = kid(m, t, 2);
  ck_id x = kid(m, c, 0);
  ck_id y = kid(m, c, 1);
  bool le = ck_head(m->T, c) == CK_LE;
  const char *name = le && a == y && b == x ? "max(" : le && a == x && b == y ? "min(" : NULL;
  if (le && is_q(m, x, 0) && a == y && negated(m, b) == y) {
    name = "abs(";
    x = CK_BAD;
  }
  put(m, name ? name : "if(");
  show(m, name ? (x == CK_BAD ? y : x) : c, P_SUM);
  if (!name || x != CK_BAD) {
    put(m, ", ");
    show(m, name ? y : a, P_SUM);
  }
  if (!name) {
    put(m, ", ");
    show(m, b, P_SUM);
  }
  put(m, ")");
}

static void bind(as_math *m, const char *row) {
  char *name = fresh(m, row);
  as_vec_push(&m->bound, &name);
}

static void unbind(as_math *m, uint32_t n) {
  while (n-- > 0)
    free(AS_VEC_AT(&m->bound, char *, --m->bound.n));
}

static bool has_bound(as_math *m, ck_id t,
                      uint32_t index) { /* does bound variable `index` (seen from t) occur? */
  if (++m->work > WORK)
    return true; /* not known */
  if (ck_loose_max(m->T, t) <= index)
    return false;
  if (ck_head(m->T, t) == CK_B)
    return ck_index(m->T, t) == index;
  for (uint32_t i = 0; i < ck_nkids(m->T, t); i++) {
    if (has_bound(m, kid(m, t, i), index + ck_kid_binders(m->T, t, i)))
      return true;
  }
  return false;
}

static bool is_state(const as_math *m, ck_id t) {
  return ck_head(m->T, t) == CK_B && ck_index(m->T, t) == 1;
}

/* a fold with one state as a sum, product, maximum or minimum; *body the part under the binders */
static const char *known_fold(as_math *m, ck_id t, ck_id *body) {
  if (ck_width(m->T, t) != 1)
    return NULL;
  ck_id base = kid(m, t, 1);
  ck_id step = kid(m, t, 2);
  ck_op op = ck_head(m->T, step);
  if ((op == CK_ADD || op == CK_MUL) && is_state(m, kid(m, step, 0)) &&
      is_q(m, base, op == CK_MUL)) {
    *body = kid(m, step, 1);
    return has_bound(m, *body, 1) ? NULL : op == CK_ADD ? "sum" : "prod";
  }
  if (op != CK_ITE || ck_head(m->T, kid(m, step, 0)) != CK_LE ||
      !is_state(m, kid(m, kid(m, step, 0), 0)))
    return NULL;
  ck_id f = kid(m, kid(m, step, 0), 1);
  ck_id a = kid(m, step, 1);
  ck_id b = kid(m, step, 2);
  *body = f;
  if (has_bound(m, f, 1))
    return NULL;
  return a == f && is_state(m, b) ? "max" : is_state(m, a) && b == f ? "min" : NULL;
}

/* is the base of a maximum its first element?  The body is opened at 0 where it has no other loose
 * variable. */
static bool base_is_first(as_math *m, ck_id t, ck_id body) {
  if (!ck_is_closed(m->T, t))
    return true; /* not known: inner folds are shown in the short way */
  ck_id v[2] = {ck_int(m->T, 0), ck_int(m->T, 0)};
  ck_id first = ck_open(m->T, body, v, 2);
  return first == kid(m, t, 1);
}

/* t shown by itself; malloc'ed */
static char *aside(as_math *m, ck_id t) {
  as_str before = m->out;
  as_str_init(&m->out);
  show(m, t, P_SUM);
  char *text = as_str_take(&m->out);
  m->out = before;
  m->cut = m->work > WORK;
  return text;
}

static void fold(as_math *m, ck_id t, int at) {
  uint32_t w = ck_width(m->T, t);
  ck_id body = CK_BAD;
  const char *name = known_fold(m, t, &body);
  bool par = name && at >= P_ATOM;
  bool from = name && name[0] == 'm' && !base_is_first(m, t, body);
  char **out = as_calloc(w + 1, sizeof *out); /* bound and bases, outside of the binders */
  for (uint32_t i = 0; i <= w; i++)
    out[i] = aside(m, kid(m, t, i));
  for (uint32_t q = w; q-- > 0;)
    bind(m, name ? "_" : "uvwyz");
  bind(m, "klmnt");
  const char *const *b = (const char *const *)m->bound.data + m->bound.n;
  as_str head;
  as_str_init(&head);
  as_str_printf(&head, "%s%s(%s < %s%s%s) %s", par ? "(" : "", name ? name : "loop", b[-1], out[0],
                from ? ", from " : "", from ? out[1] : "", name ? "" : "[");
  put(m, head.s);
  as_str_clear(&head);
  if (name)
    show(m, body, P_PRODUCT);
  for (uint32_t q = 0; q < w && !name; q++) {
    b = (const char *const *)m->bound.data + m->bound.n;
    char *start = as_format("%s%s := %s then ", q ? "; " : "", b[-2 - (long)q], out[1 + q]);
    put(m, start);
    free(start);
    show(m, kid(m, t, 1 + w + q), P_SUM);
  }
  if (!name) {
    put(m, "; gives ");
    put(m, AS_VEC_AT(&m->bound, char *, m->bound.n - 2 - ck_index(m->T, t)));
    put(m, "]");
  }
  unbind(m, w + 1);
  if (par)
    put(m, ")");
  for (uint32_t i = 0; i <= w; i++)
    free(out[i]);
  free(out);
}

/* `0 <= k` among f: the number of a `k < n` that belongs to it, or n */
static uint32_t upper(const as_math *m, const ck_id *f, uint32_t n, ck_id k) {
  uint32_t i = 0;
  while (i < n && !(ck_head(m->T, f[i]) == CK_LT && kid(m, f[i], 0) == k))
    i++;
  return i;
}

/* relations joined by commas, `0 <= k` and `k < n` as one */
static void conditions(as_math *m, const ck_id *f, uint32_t n) {
  bool *done = as_calloc(n + 1, sizeof *done);
  const char *sep = "";
  for (uint32_t i = 0; i < n; i++) {
    bool low = ck_head(m->T, f[i]) == CK_LE && is_q(m, kid(m, f[i], 0), 0);
    uint32_t j = low ? upper(m, f, n, kid(m, f[i], 1)) : n;
    if (j == n || done[j])
      continue;
    put(m, sep);
    show(m, f[i], P_SUM);
    put(m, " < ");
    show(m, kid(m, f[j], 1), P_SUM);
    done[i] = done[j] = true;
    sep = ", ";
  }
  for (uint32_t i = 0; i < n; i++) {
    if (done[i])
      continue;
    put(m, sep);
    show(m, f[i], P_SUM);
    sep = ", ";
  }
  free(done);
}

static void clause(as_math *m, ck_id t) {
  uint32_t n = ck_index(m->T, t);
  uint32_t r = ck_nkids(m->T, t) - 1;
  for (uint32_t i = 0; i < n; i++)
    bind(m, "ijpqk");
  for (uint32_t i = 0; i < n / 2; i++) { /* index 0, the innermost, is i */
    char **a = &AS_VEC_AT(&m->bound, char *, m->bound.n - 1 - i),
         **b = &AS_VEC_AT(&m->bound, char *, m->bound.n - n + i), *swap = *a;
    *a = *b;
    *b = swap;
  }
  ck_id *cond = as_calloc(r + 1, sizeof *cond);
  for (uint32_t i = 0; i < r; i++)
    cond[i] = kid(m, t, i);
  show(m, kid(m, t, r), P_SUM);
  if (r)
    put(m, n ? " for all " : " if ");
  else if (n)
    put(m, " always");
  conditions(m, cond, r);
  free(cond);
  unbind(m, n);
}

static void show(as_math *m, ck_id t, int at) {
  static const char *const infix[] = {[CK_EQ] = " = ", [CK_NE] = " != ",   [CK_LE] = " <= ",
                                      [CK_LT] = " < ", [CK_DIV] = " div ", [CK_MOD] = " mod "};
  static const char *const prefix[] = {[CK_EXP] = "exp", [CK_SQRT] = "sqrt", [CK_LOG] = "log"};
  if (m->cut || ++m->work > WORK) {
    put(m, "");
    return;
  }
  const char *s = short_of(m, t);
  if (s) {
    put(m, s);
    return;
  }
  ck_op op = ck_head(m->T, t);
  switch (op) {
  case CK_Q:
    rational(m, *ck_q_value(m->T, t), at);
    break;
  case CK_V:
    put(m, variable(m, t));
    break;
  case CK_B:
    put(m, ck_index(m->T, t) < m->bound.n
               ? AS_VEC_AT(&m->bound, char *, m->bound.n - 1 - ck_index(m->T, t))
               : "?");
    break;
  case CK_ADD:
    if (!m->sorted || !in_order(m, t, op))
      sum(m, t, at);
    break;
  case CK_MUL:
    if (!m->sorted || !in_order(m, t, op))
      product(m, t, false, at);
    break;
  case CK_INV:
    product(m, t, false, at);
    break;
  case CK_EXP:
  case CK_SQRT:
  case CK_LOG:
    call(m, prefix[op], t, 0);
    break;
  case CK_ITE:
    ite(m, t);
    break;
  case CK_APP:
    app(m, t);
    break;
  case CK_FOLD:
    fold(m, t, at);
    break;
  case CK_ALL:
    clause(m, t);
    break;
  case CK_DIV:
  case CK_MOD:
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT: {
    bool integer = op == CK_DIV || op == CK_MOD;
    bool par = integer && at >= P_PRODUCT;
    if (par)
      put(m, "(");
    show(m, kid(m, t, 0), integer ? P_ATOM : P_SUM);
    put(m, infix[op]);
    show(m, kid(m, t, 1), integer ? P_ATOM : P_SUM);
    if (par)
      put(m, ")");
    break;
  }
  }
}

char *as_math_show(as_math *m, ck_id t) {
  as_str_init(&m->out);
  m->work = 0;
  m->cut = false;
  m->whole = t;
  show(m, t, P_SUM);
  m->whole = CK_BAD;
  as_str_addn(&m->out, "", 0);
  return as_str_take(&m->out);
}

char *as_math_show_all(as_math *m, const ck_id *f, uint32_t n) {
  as_str_init(&m->out);
  m->work = 0;
  m->cut = false;
  conditions(m, f, n);
  as_str_addn(&m->out, "", 0);
  return as_str_take(&m->out);
}

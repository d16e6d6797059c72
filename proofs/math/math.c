#include "math.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* characters of one formula, and nodes looked at for it: terms share subterms, and written out they
 * may have no end */
enum { ROOM = 6000, WORK = 200000 };

enum { AS_SUMMAND, AS_FACTOR, AS_OPERAND };

typedef struct {
  char *was;
  char *now;
} alias;

typedef struct {
  ck_id term;
  char *name;
} shortcut;

struct as_math {
  ck_terms *terms;
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

as_math *as_math_new(ck_terms *terms) {
  as_math *math = as_calloc(1, sizeof *math);
  math->terms = terms;
  as_vec_init(&math->taken, sizeof(char *));
  as_vec_init(&math->alias, sizeof(alias));
  as_vec_init(&math->shorter, sizeof(shortcut));
  as_vec_init(&math->bound, sizeof(char *));
  return math;
}

void as_math_free(as_math *math) {
  if (math == NULL)
    return;
  for (size_t i = 0; i < math->taken.n; i++)
    free(AS_VEC_AT(&math->taken, char *, i));
  for (size_t i = 0; i < math->alias.n; i++) {
    free(AS_VEC_AT(&math->alias, alias, i).was);
    free(AS_VEC_AT(&math->alias, alias, i).now);
  }
  for (size_t i = 0; i < math->shorter.n; i++)
    free(AS_VEC_AT(&math->shorter, shortcut, i).name);
  as_vec_clear(&math->taken);
  as_vec_clear(&math->alias);
  as_vec_clear(&math->shorter);
  as_vec_clear(&math->bound);
  free(math);
}

bool as_math_reserved(const as_math *math, const char *name) {
  for (size_t i = 0; i < math->taken.n; i++)
    if (strcmp(AS_VEC_AT(&math->taken, char *, i), name) == 0)
      return true;
  return false;
}

static bool taken(const as_math *math, const char *name) {
  if (as_math_reserved(math, name))
    return true;
  for (size_t i = 0; i < math->bound.n; i++)
    if (strcmp(AS_VEC_AT(&math->bound, char *, i), name) == 0)
      return true;
  return false;
}

void as_math_reserve(as_math *math, const char *name) {
  if (taken(math, name))
    return;
  char *copy = as_strdup(name);
  as_vec_push(&math->taken, &copy);
}

static void reserve_names(as_math *math, ck_id term, bool *seen) {
  const ck_terms *terms = math->terms;
  if (seen[term])
    return;
  seen[term] = true;
  ck_op op = ck_head(terms, term);
  if ((op == CK_V || op == CK_APP) && ck_word_text(terms, ck_name(terms, term))[0] != '$')
    as_math_reserve(math, ck_word_text(terms, ck_name(terms, term)));
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++)
    reserve_names(math, ck_kid(terms, term, i), seen);
}

void as_math_reserve_goals(as_math *math, const ck_goal *goals, uint32_t n) {
  bool *seen = as_calloc(ck_size(math->terms) + 1, sizeof *seen);
  for (uint32_t i = 0; i < n; i++) {
    reserve_names(math, goals[i].formula, seen);
    for (uint32_t k = 0; k < goals[i].n_allowed; k++)
      reserve_names(math, goals[i].allowed[k], seen);
  }
  free(seen);
}

void as_math_short(as_math *math, ck_id term, const char *name) {
  for (size_t i = 0; i < math->shorter.n; i++) {
    shortcut *known = &AS_VEC_AT(&math->shorter, shortcut, i);
    if (known->term != term)
      continue;
    free(known->name);
    *known = AS_VEC_AT(&math->shorter, shortcut, --math->shorter.n);
    break;
  }
  if (name == NULL)
    return;
  shortcut known = {term, as_strdup(name)};
  as_vec_push(&math->shorter, &known);
}

/* the first name of the row that is free, then the row again with numbers; malloc'ed */
static char *fresh(const as_math *math, const char *row) {
  for (unsigned round = 0;; round++) {
    for (const char *letter = row; *letter; letter++) {
      char *name = round ? as_format("%c%u", *letter, round) : as_format("%c", *letter);
      if (!taken(math, name))
        return name;
      free(name);
    }
  }
}

char *as_math_letter(as_math *math) {
  char *name = fresh(math, "ABCEFPQRSUVWYZ");
  as_math_reserve(math, name);
  return name;
}

/* `$i0` is the first index of an output, `$$x1` a counter, and so on: no file can spell these
 * names, and no reader wants to */
static const char *variable_name(as_math *math, ck_id term) {
  const char *name = ck_word_text(math->terms, ck_name(math->terms, term));
  if (name[0] != '$')
    return name;
  for (size_t i = 0; i < math->alias.n; i++) {
    if (strcmp(AS_VEC_AT(&math->alias, alias, i).was, name) == 0)
      return AS_VEC_AT(&math->alias, alias, i).now;
  }
  char *now = fresh(math, strncmp(name, "$i", 2) == 0         ? "ijpqh"
                          : ck_sort(math->terms, term) == 'i' ? "rst"
                                                              : "uvwyz");
  alias made = {as_strdup(name), now};
  as_vec_push(&math->alias, &made);
  char *copy = as_strdup(now);
  as_vec_push(&math->taken, &copy);
  return AS_VEC_AT(&math->alias, alias, math->alias.n - 1).now;
}

static void put(as_math *math, const char *text) {
  if (math->cut)
    return;
  math->cut = math->out.n >= ROOM || math->work > WORK;
  as_str_add(&math->out, math->cut ? " ..." : text);
}

static void show(as_math *m, ck_id t, int at);

static bool is_number(const as_math *math, ck_id term, long value) {
  return ck_head(math->terms, term) == CK_Q &&
         mpq_cmp_si(*ck_q_value(math->terms, term), value, 1) == 0;
}

static ck_id kid(const as_math *math, ck_id term, uint32_t i) {
  return ck_kid(math->terms, term, i);
}

/* the operands of nested + or *, from the left; neutral ones are left out */
static void operands(as_math *math, ck_id term, ck_op op, as_vec *found) {
  if (++math->work > WORK)
    return;
  if (ck_head(math->terms, term) == op) {
    operands(math, kid(math, term, 0), op, found);
    operands(math, kid(math, term, 1), op, found);
  } else if (!is_number(math, term, op == CK_MUL)) {
    as_vec_push(found, &term);
  }
}

static char *aside(as_math *m, ck_id t);

static int by_text(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* for comparison only: operands in the order of their texts; false if there is but one */
static bool in_order(as_math *math, ck_id term, ck_op op) {
  as_vec found;
  as_vec_init(&found, sizeof(ck_id));
  operands(math, term, op, &found);
  bool many = found.n != 1;
  if (!many && AS_VEC_AT(&found, ck_id, 0) != term)
    show(math, AS_VEC_AT(&found, ck_id, 0), AS_SUMMAND);
  bool done = many || AS_VEC_AT(&found, ck_id, 0) != term;
  char **text = as_calloc(found.n + 1, sizeof *text);
  for (size_t i = 0; many && i < found.n; i++)
    text[i] = aside(math, AS_VEC_AT(&found, ck_id, i));
  if (many && found.n)
    qsort(text, found.n, sizeof *text, by_text);
  if (many)
    put(math, op == CK_ADD ? "+{" : "*{");
  for (size_t i = 0; many && i < found.n; i++) {
    put(math, text[i]);
    put(math, ";");
    free(text[i]);
  }
  if (many)
    put(math, "}");
  free(text);
  as_vec_clear(&found);
  return done;
}

static const char *short_of(const as_math *math, ck_id term) {
  if (term == math->whole)
    return NULL;
  for (size_t i = 0; i < math->shorter.n; i++) {
    if (AS_VEC_AT(&math->shorter, shortcut, i).term == term)
      return AS_VEC_AT(&math->shorter, shortcut, i).name;
  }
  return NULL;
}

static void rational(as_math *math, const mpq_t value, int at) {
  char *digits = mpq_get_str(NULL, 10, value);
  bool parentheses =
      (at >= AS_FACTOR && digits[0] == '-') || (at >= AS_OPERAND && strchr(digits, '/'));
  if (parentheses)
    put(math, "(");
  put(math, digits);
  if (parentheses)
    put(math, ")");
  free(digits);
}

/* Factors above the fraction bar; equal neighbours as powers.  Nothing: `1` where asked. */
static void factors(as_math *math, const as_vec *list, bool one) {
  if (list->n == 0 && one)
    put(math, "1");
  for (size_t i = 0, j; i < list->n; i = j) {
    ck_id factor = AS_VEC_AT(list, ck_id, i);
    for (j = i + 1; j < list->n && AS_VEC_AT(list, ck_id, j) == factor;)
      j++;
    if (i)
      put(math, "*");
    show(math, factor, AS_OPERAND);
    char power[24];
    snprintf(power, sizeof power, "^%zu", j - i);
    if (j - i > 1)
      put(math, power);
  }
}

/* sign: the coefficient was shown to be negative by the caller, who has written the sign */
static void product(as_math *math, ck_id term, bool sign, int at) {
  as_vec all;
  as_vec above;
  as_vec below;
  as_vec_init(&all, sizeof(ck_id));
  as_vec_init(&above, sizeof(ck_id));
  as_vec_init(&below, sizeof(ck_id));
  operands(math, term, CK_MUL, &all);
  mpq_t coefficient;
  mpq_init(coefficient);
  mpq_set_si(coefficient, 1, 1);
  for (size_t i = 0; i < all.n; i++) {
    ck_id factor = AS_VEC_AT(&all, ck_id, i);
    ck_id divisor;
    if (ck_head(math->terms, factor) == CK_Q) {
      mpq_mul(coefficient, coefficient, *ck_q_value(math->terms, factor));
    } else if (ck_head(math->terms, factor) == CK_INV && short_of(math, factor) == NULL) {
      divisor = kid(math, factor, 0);
      as_vec_push(&below, &divisor);
    } else {
      as_vec_push(&above, &factor);
    }
  }
  if (sign)
    mpq_neg(coefficient, coefficient);
  bool minus = mpq_cmp_si(coefficient, -1, 1) == 0 && above.n;
  bool one = mpq_cmp_si(coefficient, 1, 1) == 0;
  if (one && above.n == 1 && below.n == 0) {
    show(math, AS_VEC_AT(&above, ck_id, 0), at);
    goto done;
  }
  bool parentheses = at >= AS_OPERAND ? above.n + below.n + (!one && !minus) > 1 || minus || below.n
                                      : at >= AS_FACTOR && mpq_sgn(coefficient) < 0;
  if (parentheses)
    put(math, "(");
  if (minus) {
    put(math, "-");
  } else if (!one || (above.n == 0 && below.n == 0)) {
    rational(math, coefficient, above.n + below.n ? AS_OPERAND - 1 : AS_SUMMAND);
    if (above.n)
      put(math, "*");
  }
  factors(math, &above, one && below.n);
  for (size_t i = 0; i < below.n;
       i++) { /* 1/x/y is not 1/(x*y): that the two are equal is a step of its own */
    put(math, "/");
    show(math, AS_VEC_AT(&below, ck_id, i), AS_OPERAND);
  }
  if (parentheses)
    put(math, ")");
done:
  mpq_clear(coefficient);
  as_vec_clear(&all);
  as_vec_clear(&above);
  as_vec_clear(&below);
}

/* is the term a product with a negative constant, or a negative constant? */
static bool negative(as_math *math, ck_id term) {
  int sign = 1;
  as_vec found;
  as_vec_init(&found, sizeof(ck_id));
  operands(math, term, CK_MUL, &found);
  for (size_t i = 0; i < found.n; i++) {
    if (ck_head(math->terms, AS_VEC_AT(&found, ck_id, i)) == CK_Q)
      sign *= mpq_sgn(*ck_q_value(math->terms, AS_VEC_AT(&found, ck_id, i)));
  }
  as_vec_clear(&found);
  return sign < 0;
}

static void sum(as_math *math, ck_id term, int at) {
  as_vec found;
  as_vec_init(&found, sizeof(ck_id));
  operands(math, term, CK_ADD, &found);
  bool parentheses = at > AS_SUMMAND && found.n > 1;
  if (parentheses)
    put(math, "(");
  if (found.n == 0)
    put(math, "0");
  for (size_t i = 0; i < found.n; i++) {
    ck_id summand = AS_VEC_AT(&found, ck_id, i);
    bool minus = negative(math, summand) && short_of(math, summand) == NULL;
    if (found.n == 1) {
      show(math, summand, at);
    } else if (i == 0 && !minus) {
      show(math, summand, AS_SUMMAND);
    } else {
      put(math, i == 0 ? "-" : minus ? " - " : " + ");
      if (minus)
        product(math, summand, true, AS_FACTOR);
      else
        show(math, summand, AS_FACTOR);
    }
  }
  if (parentheses)
    put(math, ")");
  as_vec_clear(&found);
}

bool as_math_alike(as_math *math, ck_id left, ck_id right) {
  math->sorted = true;
  char *first = as_math_show(math, left);
  bool whole = !math->cut;
  char *second = as_math_show(math, right);
  math->sorted = false;
  bool same = whole && !math->cut && strcmp(first, second) == 0;
  free(first);
  free(second);
  return same;
}

/* a list of arguments from kid `from` on */
static void arguments(as_math *math, ck_id term, uint32_t from) {
  for (uint32_t i = from; i < ck_nkids(math->terms, term); i++) {
    if (i > from)
      put(math, ", ");
    show(math, kid(math, term, i), AS_SUMMAND);
  }
}

static void call(as_math *math, const char *name, ck_id term, uint32_t from) {
  put(math, name);
  put(math, "(");
  arguments(math, term, from);
  put(math, ")");
}

static void application(as_math *math, ck_id term) {
  const char *name = ck_word_text(math->terms, ck_name(math->terms, term));
  const char *sorts = ck_word_text(math->terms, ck_sig(math->terms, term));
  bool scalar = strncmp(name, "func.", 5) == 0 || (sorts[0] == 'r' && strchr(sorts, 'i') == NULL);
  put(math, strncmp(name, "func.", 5) == 0 ? name + 5 : name);
  if (ck_nkids(math->terms, term) == 0)
    return;
  put(math, scalar ? "(" : "[");
  arguments(math, term, 0);
  put(math, scalar ? ")" : "]");
}

static ck_id negated(const as_math *math, ck_id term) { /* x where t is -1 * x, else CK_BAD */
  return ck_head(math->terms, term) == CK_MUL && is_number(math, kid(math, term, 0), -1)
             ? kid(math, term, 1)
             : CK_BAD;
}

static void choice(as_math *math, ck_id term) {
  ck_id condition = kid(math, term, 0);
  ck_id chosen = kid(math, term, 1);
  ck_id other = kid(math, term, 2);
  ck_id left = kid(math, condition, 0);
  ck_id right = kid(math, condition, 1);
  bool ordered = ck_head(math->terms, condition) == CK_LE;
  const char *name = ordered && chosen == right && other == left   ? "max("
                     : ordered && chosen == left && other == right ? "min("
                                                                   : NULL;
  if (ordered && is_number(math, left, 0) && chosen == right && negated(math, other) == right) {
    name = "abs(";
    left = CK_BAD;
  }
  put(math, name ? name : "if(");
  show(math, name ? (left == CK_BAD ? right : left) : condition, AS_SUMMAND);
  if (!name || left != CK_BAD) {
    put(math, ", ");
    show(math, name ? right : chosen, AS_SUMMAND);
  }
  if (!name) {
    put(math, ", ");
    show(math, other, AS_SUMMAND);
  }
  put(math, ")");
}

static void bind(as_math *math, const char *row) {
  char *name = fresh(math, row);
  as_vec_push(&math->bound, &name);
}

static void unbind(as_math *math, uint32_t count) {
  while (count-- > 0)
    free(AS_VEC_AT(&math->bound, char *, --math->bound.n));
}

static bool has_bound(as_math *math, ck_id term,
                      uint32_t index) { /* does bound variable `index` (seen from t) occur? */
  if (++math->work > WORK)
    return true; /* not known */
  if (ck_loose_max(math->terms, term) <= index)
    return false;
  if (ck_head(math->terms, term) == CK_B)
    return ck_index(math->terms, term) == index;
  for (uint32_t i = 0; i < ck_nkids(math->terms, term); i++) {
    if (has_bound(math, kid(math, term, i), index + ck_kid_binders(math->terms, term, i)))
      return true;
  }
  return false;
}

static bool is_state(const as_math *math, ck_id term) {
  return ck_head(math->terms, term) == CK_B && ck_index(math->terms, term) == 1;
}

/* a fold with one state as a sum, product, maximum or minimum; *body the part under the binders */
static const char *known_fold(as_math *math, ck_id term, ck_id *body) {
  if (ck_width(math->terms, term) != 1)
    return NULL;
  ck_id base = kid(math, term, 1);
  ck_id step = kid(math, term, 2);
  ck_op op = ck_head(math->terms, step);
  if ((op == CK_ADD || op == CK_MUL) && is_state(math, kid(math, step, 0)) &&
      is_number(math, base, op == CK_MUL)) {
    *body = kid(math, step, 1);
    return has_bound(math, *body, 1) ? NULL : op == CK_ADD ? "sum" : "prod";
  }
  if (op != CK_ITE || ck_head(math->terms, kid(math, step, 0)) != CK_LE ||
      !is_state(math, kid(math, kid(math, step, 0), 0)))
    return NULL;
  ck_id element = kid(math, kid(math, step, 0), 1);
  ck_id chosen = kid(math, step, 1);
  ck_id other = kid(math, step, 2);
  *body = element;
  if (has_bound(math, element, 1))
    return NULL;
  return chosen == element && is_state(math, other)   ? "max"
         : is_state(math, chosen) && other == element ? "min"
                                                      : NULL;
}

/* is the base of a maximum its first element?  The body is opened at 0 where it has no other loose
 * variable. */
static bool base_is_first(as_math *math, ck_id term, ck_id body) {
  if (!ck_is_closed(math->terms, term))
    return true; /* not known: inner folds are shown in the short way */
  ck_id zeros[2] = {ck_int(math->terms, 0), ck_int(math->terms, 0)};
  ck_id first = ck_open(math->terms, body, zeros, 2);
  return first == kid(math, term, 1);
}

/* t shown by itself; malloc'ed */
static char *aside(as_math *math, ck_id term) {
  as_str before = math->out;
  as_str_init(&math->out);
  show(math, term, AS_SUMMAND);
  char *text = as_str_take(&math->out);
  math->out = before;
  math->cut = math->work > WORK;
  return text;
}

static void fold(as_math *math, ck_id term, int at) {
  uint32_t width = ck_width(math->terms, term);
  ck_id body = CK_BAD;
  const char *name = known_fold(math, term, &body);
  bool parentheses = name && at >= AS_OPERAND;
  bool from = name && name[0] == 'm' && !base_is_first(math, term, body);
  char **outside =
      as_calloc(width + 1, sizeof *outside); /* bound and bases, outside of the binders */
  for (uint32_t i = 0; i <= width; i++)
    outside[i] = aside(math, kid(math, term, i));
  for (uint32_t state = width; state-- > 0;)
    bind(math, name ? "_" : "uvwyz");
  bind(math, "klmnt");
  const char *const *names = (const char *const *)math->bound.data + math->bound.n;
  as_str head;
  as_str_init(&head);
  as_str_printf(&head, "%s%s(%s < %s%s%s) %s", parentheses ? "(" : "", name ? name : "loop",
                names[-1], outside[0], from ? ", from " : "", from ? outside[1] : "",
                name ? "" : "[");
  put(math, head.s);
  as_str_clear(&head);
  if (name)
    show(math, body, AS_FACTOR);
  for (uint32_t state = 0; state < width && !name; state++) {
    names = (const char *const *)math->bound.data + math->bound.n;
    char *start = as_format("%s%s := %s then ", state ? "; " : "", names[-2 - (long)state],
                            outside[1 + state]);
    put(math, start);
    free(start);
    show(math, kid(math, term, 1 + width + state), AS_SUMMAND);
  }
  if (!name) {
    put(math, "; gives ");
    put(math, AS_VEC_AT(&math->bound, char *, math->bound.n - 2 - ck_index(math->terms, term)));
    put(math, "]");
  }
  unbind(math, width + 1);
  if (parentheses)
    put(math, ")");
  for (uint32_t i = 0; i <= width; i++)
    free(outside[i]);
  free(outside);
}

/* `0 <= k` among f: the number of a `k < n` that belongs to it, or n */
static uint32_t upper(const as_math *math, const ck_id *relations, uint32_t count, ck_id variable) {
  uint32_t i = 0;
  while (i < count &&
         !(ck_head(math->terms, relations[i]) == CK_LT && kid(math, relations[i], 0) == variable))
    i++;
  return i;
}

/* relations joined by commas, `0 <= k` and `k < n` as one */
static void conditions(as_math *math, const ck_id *relations, uint32_t count) {
  bool *done = as_calloc(count + 1, sizeof *done);
  const char *separator = "";
  for (uint32_t i = 0; i < count; i++) {
    bool low = ck_head(math->terms, relations[i]) == CK_LE &&
               is_number(math, kid(math, relations[i], 0), 0);
    uint32_t j = low ? upper(math, relations, count, kid(math, relations[i], 1)) : count;
    if (j == count || done[j])
      continue;
    put(math, separator);
    show(math, relations[i], AS_SUMMAND);
    put(math, " < ");
    show(math, kid(math, relations[j], 1), AS_SUMMAND);
    done[i] = done[j] = true;
    separator = ", ";
  }
  for (uint32_t i = 0; i < count; i++) {
    if (done[i])
      continue;
    put(math, separator);
    show(math, relations[i], AS_SUMMAND);
    separator = ", ";
  }
  free(done);
}

static void clause(as_math *math, ck_id term) {
  uint32_t n_bound = ck_index(math->terms, term);
  uint32_t n_conditions = ck_nkids(math->terms, term) - 1;
  for (uint32_t i = 0; i < n_bound; i++)
    bind(math, "ijpqk");
  for (uint32_t i = 0; i < n_bound / 2; i++) { /* index 0, the innermost, is i */
    char **low = &AS_VEC_AT(&math->bound, char *, math->bound.n - 1 - i),
         **high = &AS_VEC_AT(&math->bound, char *, math->bound.n - n_bound + i), *swap = *low;
    *low = *high;
    *high = swap;
  }
  ck_id *conditions_of = as_calloc(n_conditions + 1, sizeof *conditions_of);
  for (uint32_t i = 0; i < n_conditions; i++)
    conditions_of[i] = kid(math, term, i);
  show(math, kid(math, term, n_conditions), AS_SUMMAND);
  if (n_conditions)
    put(math, n_bound ? " for all " : " if ");
  else if (n_bound)
    put(math, " always");
  conditions(math, conditions_of, n_conditions);
  free(conditions_of);
  unbind(math, n_bound);
}

static void show(as_math *math, ck_id term, int at) {
  static const char *const infix[] = {[CK_EQ] = " = ", [CK_NE] = " != ",   [CK_LE] = " <= ",
                                      [CK_LT] = " < ", [CK_DIV] = " div ", [CK_MOD] = " mod "};
  static const char *const prefix[] = {[CK_EXP] = "exp", [CK_SQRT] = "sqrt", [CK_LOG] = "log"};
  if (math->cut || ++math->work > WORK) {
    put(math, "");
    return;
  }
  const char *shortcut_name = short_of(math, term);
  if (shortcut_name) {
    put(math, shortcut_name);
    return;
  }
  ck_op op = ck_head(math->terms, term);
  switch (op) {
  case CK_Q:
    rational(math, *ck_q_value(math->terms, term), at);
    break;
  case CK_V:
    put(math, variable_name(math, term));
    break;
  case CK_B:
    put(math, ck_index(math->terms, term) < math->bound.n
                  ? AS_VEC_AT(&math->bound, char *, math->bound.n - 1 - ck_index(math->terms, term))
                  : "?");
    break;
  case CK_ADD:
    if (!math->sorted || !in_order(math, term, op))
      sum(math, term, at);
    break;
  case CK_MUL:
    if (!math->sorted || !in_order(math, term, op))
      product(math, term, false, at);
    break;
  case CK_INV:
    product(math, term, false, at);
    break;
  case CK_EXP:
  case CK_SQRT:
  case CK_LOG:
    call(math, prefix[op], term, 0);
    break;
  case CK_ITE:
    choice(math, term);
    break;
  case CK_APP:
    application(math, term);
    break;
  case CK_FOLD:
    fold(math, term, at);
    break;
  case CK_ALL:
    clause(math, term);
    break;
  case CK_DIV:
  case CK_MOD:
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT: {
    bool integer = op == CK_DIV || op == CK_MOD;
    bool parentheses = integer && at >= AS_FACTOR;
    if (parentheses)
      put(math, "(");
    show(math, kid(math, term, 0), integer ? AS_OPERAND : AS_SUMMAND);
    put(math, infix[op]);
    show(math, kid(math, term, 1), integer ? AS_OPERAND : AS_SUMMAND);
    if (parentheses)
      put(math, ")");
    break;
  }
  }
}

char *as_math_show(as_math *math, ck_id term) {
  as_str_init(&math->out);
  math->work = 0;
  math->cut = false;
  math->whole = term;
  show(math, term, AS_SUMMAND);
  math->whole = CK_BAD;
  as_str_addn(&math->out, "", 0);
  return as_str_take(&math->out);
}

char *as_math_show_all(as_math *math, const ck_id *relations, uint32_t count) {
  as_str_init(&math->out);
  math->work = 0;
  math->cut = false;
  conditions(math, relations, count);
  as_str_addn(&math->out, "", 0);
  return as_str_take(&math->out);
}

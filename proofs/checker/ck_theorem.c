/* The theorem in words: sizes, inputs, the program as it stands, and what its definedness assumes,
 * in the program's own names.  Terms are written as the language writes them: sum(k < n) .., a / b,
 * x[i]; nothing is cut. */
#include "ck_elab.h"
#include <stdarg.h>
#include <stdlib.h>

enum { MAX_WORDS = 1 << 24 }; /* bytes of a theorem */

typedef struct {
  ck_elab *E;
  const ck_side *given;
  char *text;
  size_t n;
  size_t capacity;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (n < 0)
    abort();
  CK_GROW(w->text, w->capacity, w->n + (size_t)n + 1);
  va_start(list, format);
  vsnprintf(w->text + w->n, (size_t)n + 1, format, list);
  va_end(list);
  w->n += (size_t)n;
}

/* --- terms.  How tightly what is around holds: a sum in a product is put in parentheses. */
typedef enum { ANY, SUM, FACTOR, ATOM } tightness;

typedef struct binders { /* around a subterm of a fold: names of the bound variables 0 and 1,
                            counter and state */
  const struct binders *up;
  uint32_t counter;
} binders;

static void term(words *w, ck_id t, const binders *b, uint32_t n, tightness around);

static bool is_number(const words *w, ck_id t, long value) {
  return ck_is(w->E->T, t, CK_Q) && mpq_cmp_si(*ck_q_value(w->E->T, t), value, 1) == 0;
}

static ck_id kid(const words *w, ck_id t, uint32_t i) {
  return ck_kid(w->E->T, t, i);
}

static void in_parentheses(words *w, bool wanted, const char *parenthesis) {
  if (wanted)
    say(w, "%s", parenthesis);
}

/* $i0, $k1, $b3 are written i0, k1, b3, with a quote where the program has that name itself */
static void variable(words *w, ck_id t) {
  const ck_terms *T = w->E->T;
  const char *name = ck_word_text(T, ck_name(T, t));
  if (*name != '$') {
    say(w, "%s", name);
    return;
  }
  say(w, "%s", name + 1);
  for (uint32_t i = 0; i < w->E->n_sizes; i++) {
    if (strcmp(w->E->size[i].name, name + 1) == 0)
      say(w, "'");
  }
}

/* a tensor's element; S.q is written q, S.q:1 is written q:1 */
static void element(words *w, ck_id t, const binders *b, uint32_t n) {
  const ck_terms *T = w->E->T;
  const char *name = ck_word_text(T, ck_name(T, t));
  bool function = strncmp(name, "func.", 5) == 0;
  const char *dot = strchr(name, '.');
  say(w, "%s%s", dot ? dot + 1 : name, function ? "(" : "[");
  for (uint32_t i = 0; i < ck_nkids(T, t); i++) {
    say(w, "%s", i ? ", " : "");
    term(w, kid(w, t, i), b, n, ANY);
  }
  say(w, "%s", function ? ")" : "]");
}

/* Of a step under its two binders: state + f, state * f, or the larger or smaller of state and f;
 * gives f and the word for it. */
static const char *reduction(const words *w, ck_id step, ck_id *f) {
  const ck_terms *T = w->E->T;
  ck_id state = ck_bound(w->E->T, 1, 'r');
  ck_op op = ck_head(T, step);
  if ((op == CK_ADD || op == CK_MUL) && kid(w, step, 0) == state) {
    *f = kid(w, step, 1);
    return op == CK_ADD ? "sum" : "prod";
  }
  if (op != CK_ITE || !ck_is(T, kid(w, step, 0), CK_LE) || kid(w, kid(w, step, 0), 0) != state)
    return NULL;
  *f = kid(w, kid(w, step, 0), 1);
  if (kid(w, step, 1) == *f && kid(w, step, 2) == state)
    return "max";
  return kid(w, step, 1) == state && kid(w, step, 2) == *f ? "min" : NULL;
}

static void fold(words *w, ck_id t, const binders *b, uint32_t n, tightness around) {
  ck_id f = CK_BAD;
  ck_id step = kid(w, t, 2);
  const char *word = reduction(w, step, &f);
  binders inner = {b, n};
  in_parentheses(w, around >= ATOM, "(");
  if (word) {
    say(w, "%s(k%u < ", word, (unsigned)n);
    term(w, kid(w, t, 0), b, n, ANY);
    say(w, ") ");
    term(w, f, &inner, n + 1, FACTOR);
  } else { /* an accumulator that is rescaled: the state is called a */
    say(w, "from a = ");
    term(w, kid(w, t, 1), b, n, ANY);
    say(w, " for k%u < ", (unsigned)n);
    term(w, kid(w, t, 0), b, n, ANY);
    say(w, ": a = ");
    term(w, step, &inner, n + 1, ANY);
  }
  in_parentheses(w, around >= ATOM, ")");
}

static const char *sign(ck_op op) {
  switch (op) {
  case CK_EQ:
    return "=";
  case CK_NE:
    return "!=";
  case CK_LE:
    return "<=";
  default:
    return "<";
  }
}

static void relation(words *w, ck_id t, const binders *b, uint32_t n) {
  term(w, kid(w, t, 0), b, n, ANY);
  say(w, " %s ", sign(ck_head(w->E->T, t)));
  term(w, kid(w, t, 1), b, n, ANY);
}

static void conditional(words *w, ck_id t, const binders *b, uint32_t n) {
  const ck_terms *T = w->E->T;
  ck_id c = kid(w, t, 0);
  ck_id x = kid(w, c, 0);
  ck_id y = kid(w, c, 1);
  ck_id yes = kid(w, t, 1);
  ck_id no = kid(w, t, 2);
  bool larger = ck_is(T, c, CK_LE) && yes == y && no == x;
  bool smaller = ck_is(T, c, CK_LE) && yes == x && no == y;
  if (larger || smaller) {
    say(w, larger ? "max(" : "min(");
    term(w, x, b, n, ANY);
    say(w, ", ");
    term(w, y, b, n, ANY);
    say(w, ")");
    return;
  }
  say(w, "if(");
  relation(w, c, b, n);
  say(w, ", ");
  term(w, yes, b, n, ANY);
  say(w, ", ");
  term(w, no, b, n, ANY);
  say(w, ")");
}

/* a + -1*b is written a - b */
static void sum(words *w, ck_id t, const binders *b, uint32_t n, tightness around) {
  ck_id x = kid(w, t, 0);
  ck_id y = kid(w, t, 1);
  bool less = ck_is(w->E->T, y, CK_MUL) && is_number(w, kid(w, y, 0), -1);
  in_parentheses(w, around >= FACTOR, "(");
  term(w, x, b, n, SUM);
  say(w, less ? " - " : " + ");
  term(w, less ? kid(w, y, 1) : y, b, n, less ? FACTOR : SUM);
  in_parentheses(w, around >= FACTOR, ")");
}

/* a * inv b is written a / b */
static void product(words *w, ck_id t, const binders *b, uint32_t n, tightness around) {
  ck_op op = ck_head(w->E->T, t);
  ck_id x = kid(w, t, 0);
  ck_id y = kid(w, t, 1);
  bool quotient = op == CK_MUL && ck_is(w->E->T, y, CK_INV);
  bool minus = op == CK_MUL && is_number(w, x, -1);
  in_parentheses(w, around >= ATOM || minus, "(");
  if (minus) {
    say(w, "-");
    term(w, y, b, n, ATOM);
  } else {
    bool reduces = ck_is(w->E->T, x, CK_FOLD); /* its body would take what follows */
    term(w, x, b, n, reduces ? ATOM : FACTOR);
    say(w, op == CK_DIV ? " div " : op == CK_MOD ? " mod " : quotient ? " / " : " * ");
    term(w, quotient ? kid(w, y, 0) : y, b, n, ATOM);
  }
  in_parentheses(w, around >= ATOM || minus, ")");
}

static void bound(words *w, ck_id t, const binders *b) {
  uint32_t index = ck_index(w->E->T, t);
  for (; b && index > 1; b = b->up)
    index -= 2;
  if (index == 0 && b)
    say(w, "k%u", (unsigned)b->counter);
  else
    say(w, "a");
}

/* n: counters that are open; the next one is called by that number */
static void term(words *w, ck_id t, const binders *b, uint32_t n, tightness around) {
  static const char *const function[] = {
      [CK_INV] = "inv", [CK_EXP] = "exp", [CK_SQRT] = "sqrt", [CK_LOG] = "log"};
  const ck_terms *T = w->E->T;
  ck_op op = ck_head(T, t);
  if (w->n > MAX_WORDS)
    ck_refuse(&w->E->job, w->given->at, "the theorem takes more than %d characters", MAX_WORDS);
  switch (op) {
  case CK_Q: {
    bool sign_or_bar = strpbrk(ck_word_text(T, ck_name(T, t)), "-/") && around >= FACTOR;
    say(w, sign_or_bar ? "(%s)" : "%s", ck_word_text(T, ck_name(T, t)));
    break;
  }
  case CK_V:
    variable(w, t);
    break;
  case CK_B:
    bound(w, t, b);
    break;
  case CK_ADD:
    sum(w, t, b, n, around);
    break;
  case CK_MUL:
  case CK_DIV:
  case CK_MOD:
    product(w, t, b, n, around);
    break;
  case CK_ITE:
    conditional(w, t, b, n);
    break;
  case CK_APP:
    element(w, t, b, n);
    break;
  case CK_FOLD:
    fold(w, t, b, n, around);
    break;
  default:
    say(w, "%s(", function[op]);
    term(w, kid(w, t, 0), b, n, ANY);
    say(w, ")");
    break;
  }
}

/* --- what is assumed */
static uint32_t counters_in(const words *w, const ck_obligation *o) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->n_variables; i++) {
    const char *name = ck_word_text(w->E->T, ck_name(w->E->T, o->variables[i]));
    n += name[0] == '$' && name[1] == 'k';
  }
  return n;
}

/* 0 <= v and v < n, which stand side by side among the conditions, are written 0 <= v < n */
static bool is_range(const words *w, const ck_obligation *o, uint32_t i) {
  const ck_terms *T = w->E->T;
  if (i + 1 >= o->n_conditions)
    return false;
  ck_id low = o->conditions[i];
  ck_id high = o->conditions[i + 1];
  return ck_is(T, low, CK_LE) && ck_is(T, high, CK_LT) && is_number(w, kid(w, low, 0), 0) &&
         kid(w, low, 1) == kid(w, high, 0) && ck_is(T, kid(w, low, 1), CK_V);
}

static void obligation(words *w, const ck_obligation *o) {
  uint32_t n = counters_in(w, o);
  say(w, "  line %d", o->at->line);
  for (uint32_t i = 0; i < o->n_conditions; i++) {
    bool range = is_range(w, o, i);
    say(w, "%s", i == 0 ? ", where " : ", ");
    if (range) {
      term(w, kid(w, o->conditions[i], 0), NULL, n, ANY);
      say(w, " <= ");
      relation(w, o->conditions[++i], NULL, n);
    } else {
      relation(w, o->conditions[i], NULL, n);
    }
  }
  say(w, ":  ");
  relation(w, o->relation, NULL, n);
  say(w, "\n");
}

/* the inner calls that an obligation names, for a legend */
static void mark_symbols(const words *w, ck_id t, bool *seen, bool *used) {
  const ck_terms *T = w->E->T;
  if (seen[t])
    return;
  seen[t] = true;
  for (uint32_t i = 0; i < ck_nkids(T, t); i++)
    mark_symbols(w, kid(w, t, i), seen, used);
  for (uint32_t i = 0; ck_is(T, t, CK_APP) && i < w->given->n_definitions; i++) {
    if (w->given->definitions[i].name == ck_name(T, t) &&
        strchr(ck_word_text(T, ck_name(T, t)), ':'))
      used[i] = true;
  }
}

static void assumptions(words *w) {
  const ck_side *given = w->given;
  ck_elab *E = w->E;
  if (given->n_obligations == 0)
    return;
  bool *seen = ck_keep(&E->job, ck_size(E->T) + 1);
  bool *used = ck_keep(&E->job, given->n_definitions + 1);
  say(w, "It is defined (all tensors that it computes are) where%s\n",
      E->rule ? ", and it is assumed that" : "");
  for (uint32_t i = 0; i < given->n_obligations; i++) {
    obligation(w, &given->obligations[i]);
    mark_symbols(w, given->obligations[i].relation, seen, used);
    for (uint32_t k = 0; k < given->obligations[i].n_conditions; k++)
      mark_symbols(w, given->obligations[i].conditions[k], seen, used);
  }
  for (uint32_t i = 0; i < given->n_definitions; i++) {
    const ck_definition *d = &given->definitions[i];
    if (used[i])
      say(w, "%s is what %s in line %d gives.\n", ck_word_text(E->T, d->name) + 2, d->by, d->line);
  }
}

/* --- the theorem */
static void sizes(words *w) {
  ck_elab *E = w->E;
  if (E->n_sizes == 0) {
    say(w, "For");
    return;
  }
  say(w, "For all integers");
  for (uint32_t i = 0; i < E->n_sizes; i++)
    say(w, " %s%s", E->size[i].name, i + 1 < E->n_sizes ? "," : " with\n");
  for (uint32_t i = 0; i < E->n_stated; i++) {
    say(w, E->stated[i].of_candidate ? "  (candidate) " : "  ");
    relation(w, E->stated[i].relation, NULL, 0);
    say(w, "\n");
  }
}

static void tensors(words *w, const ck_tensors *list, const char *const *type) {
  for (uint32_t k = 0; k < list->n; k++) {
    const ck_tensor *t = list->at[k];
    say(w, "%s %s[", k ? "," : "", t->name);
    for (uint32_t i = 0; i < t->rank; i++) {
      say(w, "%s", i ? ", " : "");
      term(w, t->extent[i], NULL, 0, ANY);
    }
    say(w, "]");
    if (type && strcmp(type[k], "int") == 0)
      say(w, " of integers");
    if (type && strcmp(type[k], "bool") == 0)
      say(w, " of truth values 0 and 1");
  }
}

/* each line of the text, a little to the right */
static void quote(words *w, const char *text, const char *end) {
  while (text < end) {
    const char *line = memchr(text, '\n', (size_t)(end - text));
    size_t n = (size_t)((line ? line : end) - text);
    say(w, "    %.*s\n", (int)n, text);
    text += n + 1;
  }
}

char *ck_theorem(ck_elab *E, const ck_side *given, const ck_side *candidate, const char *text,
                 const char *text_end) {
  words w = {.E = E, .given = given};
  sizes(&w);
  say(&w, E->n_sizes ? "and all inputs" : " all inputs");
  tensors(&w, &given->inputs, E->rule ? given->input_type : NULL);
  const char *kind = E->rule ? "" : "the program ";
  say(&w, "\nat which %s%s is defined:\n", kind, given->name);
  say(&w, "%s%s has the outputs",
      E->rule              ? ""
      : candidate->mugraph ? "the muGraph "
                           : "the candidate program ",
      candidate->name);
  tensors(&w, &given->outputs, NULL);
  say(&w,
      " of the same extents, is defined and stays within its tensors,\nand every element equals "
      "that of %s%s.\n",
      kind, given->name);
  say(&w, E->rule ? "The rule:\n" : "The program:\n");
  quote(&w, text, text_end);
  assumptions(&w);
  for (uint32_t i = 0; i < E->n_sizes; i++) {
    if (*E->size[i].name == '.')
      say(&w, "%s stands for any number of axes, also none, of any extents.\n", E->size[i].name);
  }
  for (const ck_operator *f = E->operators; f; f = f->next) {
    if (f->function && f->used && !f->body)
      say(&w, "%s may be any function that is defined everywhere.\n", f->name->text);
  }
  say(&w, "Inputs of which nothing else is said are real numbers, and so is the arithmetic: "
          "rounding is outside of the theorem.\n"
          "That there are sizes and inputs as it asks for is not part of it.\n");
  return w.text;
}

/* The theorem in words: sizes, inputs, the program as it stands, and what its definedness assumes,
 * in the program's own names.  Terms are written as the language writes them: sum(k < n) .., a / b,
 * x[i]; nothing is cut. */
#include "ck_elab.h"
#include <stdlib.h>

typedef struct {
  ck_elab *E;
  ck_terms *T;
  const ck_side *given;
  FILE *out;
} words;

/* How tightly a form holds together, and what is around a term: a sum in a product is put in
 * parentheses. */
typedef enum { ANY, SUM, FACTOR, ATOM } tightness;

typedef struct { /* how a term is written: each % is the next one of its parts */
  const char *text;
  tightness whole;
  ck_id part[3];
  tightness around[3];
} form;

typedef struct binders {    /* around a subterm of a fold: bound variables 0 and 1 are counter and
                               state of the innermost */
  const struct binders *up; /* NULL: there is none here */
  uint32_t next;            /* number of the next counter */
} binders;

static ck_id kid(const words *w, ck_id t, uint32_t i) {
  return ck_kid(w->T, t, i);
}

static bool is_number(const words *w, ck_id t, long value) {
  return ck_is(w->T, t, CK_Q) && mpq_cmp_si(*ck_q_value(w->T, t), value, 1) == 0;
}

static bool is_a(const words *w, ck_id t, ck_op op) {
  return ck_is(w->T, t, op);
}

/* a + -1*b is written a - b */
static form sum_form(const words *w, ck_id x, ck_id y) {
  if (is_a(w, y, CK_MUL) && is_number(w, kid(w, y, 0), -1))
    return (form){"% - %", SUM, {x, kid(w, y, 1)}, {SUM, FACTOR}};
  return (form){"% + %", SUM, {x, y}, {SUM, SUM}};
}

/* a * inv b is written a / b; at the left the body of a reduction would take what follows */
static form product_form(const words *w, ck_op op, ck_id x, ck_id y) {
  form f = {"% * %", FACTOR, {x, y}, {is_a(w, x, CK_FOLD) ? ATOM : FACTOR, ATOM}};
  if (op != CK_MUL) {
    f.text = op == CK_DIV ? "% div %" : "% mod %";
  } else if (is_number(w, x, -1)) {
    return (form){"(-%)", ATOM, {y}, {ATOM}};
  } else if (is_a(w, y, CK_INV)) {
    f.text = "% / %";
    f.part[1] = kid(w, y, 0);
  }
  return f;
}

/* ite(a <= b, b, a) is the larger one, ite(a <= b, a, b) the smaller one */
static form choice_form(const words *w, ck_id t) {
  ck_id c = kid(w, t, 0);
  ck_id yes = kid(w, t, 1);
  ck_id no = kid(w, t, 2);
  ck_id a = kid(w, c, 0);
  ck_id b = kid(w, c, 1);
  if (is_a(w, c, CK_LE) && yes == b && no == a)
    return (form){"max(%, %)", ATOM, {a, b}, {ANY}};
  if (is_a(w, c, CK_LE) && yes == a && no == b)
    return (form){"min(%, %)", ATOM, {a, b}, {ANY}};
  return (form){"if(%, %, %)", ATOM, {c, yes, no}, {ANY}};
}

/* Of a step under its two binders: state + f, state * f, or the larger or smaller of state and f */
static form reduction_form(const words *w, ck_id step) {
  ck_id state = ck_bound(w->T, 1, 'r');
  bool two = is_a(w, step, CK_ADD) || is_a(w, step, CK_MUL);
  if (two && kid(w, step, 0) == state)
    return (form){is_a(w, step, CK_ADD) ? "sum" : "prod", FACTOR, {kid(w, step, 1)}, {FACTOR}};
  form f = {.text = NULL};
  if (is_a(w, step, CK_ITE))
    f = choice_form(w, step);
  if (f.text && *f.text == 'm' && f.part[0] == state)
    return (form){f.text[1] == 'a' ? "max" : "min", FACTOR, {f.part[1]}, {FACTOR}};
  return (form){.text = NULL};
}

/* of what is written by a table */
static form form_of(const words *w, ck_id t) {
  static const char *const relations[] = {
      [CK_EQ] = "% = %", [CK_NE] = "% != %", [CK_LE] = "% <= %", [CK_LT] = "% < %"};
  static const char *const functions[] = {
      [CK_INV] = "inv(%)", [CK_EXP] = "exp(%)", [CK_SQRT] = "sqrt(%)", [CK_LOG] = "log(%)"};
  ck_op op = ck_head(w->T, t);
  switch (op) {
  case CK_ADD:
    return sum_form(w, kid(w, t, 0), kid(w, t, 1));
  case CK_MUL:
  case CK_DIV:
  case CK_MOD:
    return product_form(w, op, kid(w, t, 0), kid(w, t, 1));
  case CK_ITE:
    return choice_form(w, t);
  case CK_EQ:
  case CK_NE:
  case CK_LE:
  case CK_LT:
    return (form){relations[op], ANY, {kid(w, t, 0), kid(w, t, 1)}, {ANY}};
  default:
    return (form){functions[op], ATOM, {kid(w, t, 0)}, {ANY}};
  }
}

static void term(words *w, ck_id t, const binders *b, tightness around);

/* $i0, $k1, $b3 are written i0, k1, b3, with a quote where the program has that name itself */
static void variable(words *w, const char *name) {
  bool own = *name == '$';
  const char *bare = name + own;
  bool quote = own && ck_size_of(w->E, ck_var(w->T, bare, 'i'));
  fprintf(w->out, "%s%s", bare, quote ? "'" : "");
}

static void bound(words *w, uint32_t index, const binders *b) {
  for (; b->up && index > 1; b = b->up)
    index -= 2;
  if (index == 0 && b->up)
    fprintf(w->out, "k%u", b->next - 1);
  else
    fputs("a", w->out);
}

/* a tensor's element; S.q is written q, S.q:1 is written q:1 */
static void element(words *w, ck_id t, const binders *b) {
  const char *name = ck_word_text(w->T, ck_name(w->T, t));
  bool function = strncmp(name, "func.", 5) == 0;
  const char *dot = strchr(name, '.');
  fprintf(w->out, "%s%s", dot ? dot + 1 : name, function ? "(" : "[");
  for (uint32_t i = 0; i < ck_nkids(w->T, t); i++) {
    fputs(i ? ", " : "", w->out);
    term(w, kid(w, t, i), b, ANY);
  }
  fputs(function ? ")" : "]", w->out);
}

static void fold(words *w, ck_id t, const binders *b) {
  ck_id step = kid(w, t, 2);
  form f = reduction_form(w, step);
  binders inner = {b, b->next + 1};
  if (f.text) {
    fprintf(w->out, "%s(k%u < ", f.text, b->next);
    term(w, kid(w, t, 0), b, ANY);
    fputs(") ", w->out);
    term(w, f.part[0], &inner, FACTOR);
  } else { /* an accumulator that is rescaled: the state is called a */
    fputs("from a = ", w->out);
    term(w, kid(w, t, 1), b, ANY);
    fprintf(w->out, " for k%u < ", b->next);
    term(w, kid(w, t, 0), b, ANY);
    fputs(": a = ", w->out);
    term(w, step, &inner, ANY);
  }
}

static void by_form(words *w, const form *f, const binders *b) {
  uint32_t i = 0;
  for (const char *c = f->text; *c; c++) {
    if (*c != '%') {
      fputc(*c, w->out);
    } else {
      term(w, f->part[i], b, f->around[i]);
      i++;
    }
  }
}

static void term(words *w, ck_id t, const binders *b, tightness around) {
  ck_op op = ck_head(w->T, t);
  const char *name = op <= CK_V ? ck_word_text(w->T, ck_name(w->T, t)) : "";
  bool formed = op > CK_B && op != CK_APP && op != CK_FOLD;
  form f = formed ? form_of(w, t) : (form){"", ATOM, {t}, {ANY}};
  if (op == CK_FOLD)
    f.whole = FACTOR;
  if (op == CK_Q && strpbrk(name, "-/"))
    f.whole = SUM;
  if (!ck_within(&w->E->job, w->given->at, CK_LIMIT_THEOREM, (uint64_t)ftell(w->out)))
    return;
  fputs(around > f.whole ? "(" : "", w->out);
  if (op == CK_Q)
    fputs(name, w->out);
  else if (op == CK_V)
    variable(w, name);
  else if (op == CK_B)
    bound(w, ck_index(w->T, t), b);
  else if (op == CK_APP)
    element(w, t, b);
  else if (op == CK_FOLD)
    fold(w, t, b);
  else
    by_form(w, &f, b);
  fputs(around > f.whole ? ")" : "", w->out);
}

/* --- what is assumed */
static uint32_t counters_in(const words *w, const ck_obligation *o) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->n_variables; i++)
    n += strncmp(ck_word_text(w->T, ck_name(w->T, o->variables[i])), "$k", 2) == 0;
  return n;
}

/* 0 <= v and v < n, which stand side by side among the conditions, are written 0 <= v < n */
static bool is_range(const words *w, const ck_obligation *o, uint32_t i) {
  if (i + 1 >= o->n_conditions)
    return false;
  ck_id low = o->conditions[i];
  ck_id high = o->conditions[i + 1];
  return is_a(w, low, CK_LE) && is_a(w, high, CK_LT) && is_number(w, kid(w, low, 0), 0) &&
         kid(w, low, 1) == kid(w, high, 0) && is_a(w, kid(w, low, 1), CK_V);
}

static void obligation(words *w, const ck_obligation *o) {
  binders none = {NULL, counters_in(w, o)};
  fprintf(w->out, "  line %d", o->at->line);
  for (uint32_t i = 0; i < o->n_conditions; i++) {
    fputs(i == 0 ? ", where " : ", ", w->out);
    if (is_range(w, o, i))
      fputs("0 <= ", w->out);
    i += is_range(w, o, i);
    term(w, o->conditions[i], &none, ANY);
  }
  fputs(":  ", w->out);
  term(w, o->relation, &none, ANY);
  fputs("\n", w->out);
}

/* the inner calls that an obligation names, for a legend */
static void mark_symbols(const words *w, ck_id t, bool *seen, bool *used) {
  if (seen[t])
    return;
  seen[t] = true;
  for (uint32_t i = 0; i < ck_nkids(w->T, t); i++)
    mark_symbols(w, kid(w, t, i), seen, used);
  for (uint32_t i = 0; is_a(w, t, CK_APP) && i < w->given->n_definitions; i++) {
    uint32_t name = w->given->definitions[i].name;
    used[i] = used[i] || (name == ck_name(w->T, t) && strchr(ck_word_text(w->T, name), ':'));
  }
}

static void assumptions(words *w) {
  const ck_side *given = w->given;
  ck_job *job = &w->E->job;
  if (given->n_obligations == 0)
    return;
  bool *used = ck_keep(job, given->n_definitions + 1);
  fprintf(w->out, "It is defined (all tensors that it computes are) where%s\n",
          w->E->rule ? ", and it is assumed that" : "");
  for (uint32_t i = 0; i < given->n_obligations; i++)
    obligation(w, &given->obligations[i]);
  bool *seen = ck_keep(job, ck_size(w->T) + 1);
  for (uint32_t i = 0; i < given->n_obligations; i++) {
    const ck_obligation *o = &given->obligations[i];
    mark_symbols(w, o->relation, seen, used);
    for (uint32_t k = 0; k < o->n_conditions; k++)
      mark_symbols(w, o->conditions[k], seen, used);
  }
  for (uint32_t i = 0; i < given->n_definitions; i++) {
    const ck_definition *d = &given->definitions[i];
    if (used[i]) {
      fprintf(w->out, "%s is what %s in line %d gives.\n", ck_word_text(w->T, d->name) + 2, d->by,
              d->line);
    }
  }
}

/* --- the theorem */
static void sizes(words *w) {
  const ck_elab *E = w->E;
  fputs(E->n_sizes ? "For all integers" : "For", w->out);
  for (uint32_t i = 0; i < E->n_sizes; i++)
    fprintf(w->out, " %s%s", E->size[i].name, i + 1 < E->n_sizes ? "," : " with\n");
  for (uint32_t i = 0; i < E->n_stated; i++) {
    fputs(E->stated[i].of_candidate ? "  (candidate) " : "  ", w->out);
    term(w, E->stated[i].relation, &(binders){NULL, 0}, ANY);
    fputs("\n", w->out);
  }
}

static void tensors(words *w, const ck_tensors *list) {
  for (uint32_t k = 0; k < list->n; k++) {
    const ck_tensor *t = list->at[k];
    fprintf(w->out, "%s %s[", k ? "," : "", t->name);
    for (uint32_t i = 0; i < t->rank; i++) {
      fputs(i ? ", " : "", w->out);
      term(w, t->extent[i], &(binders){NULL, 0}, ANY);
    }
    fputs("]", w->out);
    if (t->type && strcmp(t->type, "int") == 0)
      fputs(" of integers", w->out);
    if (t->type && strcmp(t->type, "bool") == 0)
      fputs(" of truth values 0 and 1", w->out);
  }
}

/* each line of the text, a little to the right */
static void quote(words *w, const char *text, const char *end) {
  while (text < end) {
    const char *line = memchr(text, '\n', (size_t)(end - text));
    size_t n = (size_t)((line ? line : end) - text);
    fprintf(w->out, "    %.*s\n", (int)n, text);
    text += n + 1;
  }
}

char *ck_theorem(ck_elab *E, const ck_side *given, const ck_side *candidate, const char *text,
                 const char *text_end) {
  char *theorem = NULL;
  size_t n;
  words w = {E, E->T, given, open_memstream(&theorem, &n)};
  const char *kind = E->rule ? "" : "the program ";
  const char *other = candidate->mugraph ? "the muGraph " : "the candidate program ";
  if (!w.out)
    abort();
  sizes(&w);
  fputs(E->n_sizes ? "and all inputs" : " all inputs", w.out);
  tensors(&w, &given->inputs);
  fprintf(w.out, "\nat which %s%s is defined:\n%s%s has the outputs", kind, given->name,
          E->rule ? "" : other, candidate->name);
  tensors(&w, &given->outputs);
  fprintf(
      w.out,
      " of the same extents, is defined and stays within its tensors,\nand every element equals "
      "that of %s%s.\n%s\n",
      kind, given->name, E->rule ? "The rule:" : "The program:");
  quote(&w, text, text_end);
  assumptions(&w);
  for (uint32_t i = 0; i < E->n_sizes; i++) {
    if (*E->size[i].name == '.') {
      fprintf(w.out, "%s stands for any number of axes, also none, of any extents.\n",
              E->size[i].name);
    }
  }
  CK_EACH (ck_operator, f, E->operators) {
    if (f->function && f->used && !f->body)
      fprintf(w.out, "%s may be any function that is defined everywhere.\n", f->at->text);
  }
  fputs("Inputs of which nothing else is said are real numbers, and so is the arithmetic: "
        "rounding is outside of the theorem.\n"
        "That there are sizes and inputs as it asks for is not part of it.\n",
        w.out);
  if (fclose(w.out))
    abort();
  return theorem;
}

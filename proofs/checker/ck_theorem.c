/* The theorem in words: sizes, inputs, the program as it stands, and what its definedness assumes,
 * in the program's own names.  Terms are written as the language writes them: sum(k < n) .., a / b,
 * x[i]; nothing is cut. */
#include "ck_elab.h"
#include "ck_rules.h"
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

/* ite(a <= b, n, a) is the larger one, ite(a <= b, a, b) the smaller one */
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

/* n: counters that are open; the next one is called by that number */
static void term(words *w, ck_id t, uint32_t n, tightness around);

/* $i0, $k1, $b3 are written i0, k1, b3, with a quote where the program has that name itself */
static void variable(words *w, const char *name) {
  bool own = *name == '$';
  const char *bare = name + own;
  bool quote = own && ck_size_of(w->E, ck_var(w->T, bare, 'i'));
  fprintf(w->out, "%s%s", bare, quote ? "'" : "");
}

/* a tensor's element; S.q is written q, S.q:1 is written q:1 */
static void element(words *w, ck_id t, uint32_t n) {
  const char *name = ck_word_text(w->T, ck_name(w->T, t));
  bool function = strncmp(name, "func.", 5) == 0;
  const char *dot = strchr(name, '.');
  fprintf(w->out, "%s%s", dot ? dot + 1 : name, function ? "(" : "[");
  CK_BELOW(i, ck_nkids(w->T, t)) {
    fputs(i ? ", " : "", w->out);
    term(w, kid(w, t, i), n, ANY);
  }
  fputs(function ? ")" : "]", w->out);
}

/* The given side has no folds but reductions: under its two binders the step is state + f, state *
 * f, or the larger or the smaller of state and f. */
static void fold(words *w, ck_id t, uint32_t n) {
  ck_id step = kid(w, t, 2);
  bool two = is_a(w, step, CK_ADD) || is_a(w, step, CK_MUL);
  form f =
      two ? (form){is_a(w, step, CK_ADD) ? "sum" : "prod", ANY, {CK_BAD, kid(w, step, 1)}, {ANY}}
          : choice_form(w, step);
  fprintf(w->out, "%.*s(k%u < ", two ? 4 : 3, f.text, n);
  term(w, kid(w, t, 0), n, ANY);
  fputs(") ", w->out);
  term(w, f.part[1], n + 1, FACTOR);
}

static void by_form(words *w, const form *f, uint32_t n) {
  uint32_t i = 0;
  for (const char *c = f->text; *c; c++) {
    if (*c != '%') {
      fputc(*c, w->out);
    } else {
      term(w, f->part[i], n, f->around[i]);
      i++;
    }
  }
}

static void term(words *w, ck_id t, uint32_t n, tightness around) {
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
    fprintf(w->out, "k%u", n - 1 - ck_index(w->T, t) / 2); /* each binds a counter and a state */
  else if (op == CK_APP)
    element(w, t, n);
  else if (op == CK_FOLD)
    fold(w, t, n);
  else
    by_form(w, &f, n);
  fputs(around > f.whole ? ")" : "", w->out);
}

/* --- what is assumed */
static uint32_t counters_in(const words *w, const ck_obligation *o) {
  uint32_t n = 0;
  CK_BELOW(i, o->n_variables)
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
  uint32_t n = counters_in(w, o);
  fprintf(w->out, "  line %d", o->at->line);
  CK_BELOW(i, o->n_conditions) {
    fputs(i == 0 ? ", where " : ", ", w->out);
    if (is_range(w, o, i))
      fputs("0 <= ", w->out);
    i += is_range(w, o, i);
    term(w, o->conditions[i], n, ANY);
  }
  fputs(":  ", w->out);
  term(w, o->relation, n, ANY);
  fputs("\n", w->out);
}

/* the inner calls that an obligation names, for a legend */
static void mark_symbols(const words *w, ck_id t, bool *seen, bool *used) {
  if (seen[t])
    return;
  seen[t] = true;
  CK_BELOW(i, ck_nkids(w->T, t))
    mark_symbols(w, kid(w, t, i), seen, used);
  for (uint32_t i = 0; is_a(w, t, CK_APP) && i < w->given->n_definitions; i++) {
    uint32_t name = w->given->definitions[i].name;
    used[i] = used[i] || (name == ck_name(w->T, t) && strchr(ck_word_text(w->T, name), ':'));
  }
}

static void assumptions(words *w) {
  const ck_side *given = w->given;
  ck_job *job = &w->E->job;
  if (given->obligations.n == 0)
    return;
  bool *used = ck_keep(job, given->n_definitions + 1);
  fprintf(w->out, "It is defined (all tensors that it computes are) where%s\n",
          w->E->rule ? ", and it is assumed that" : "");
  CK_EACH(ck_obligation, o, given->obligations)
    obligation(w, o);
  bool *seen = ck_keep(job, ck_size(w->T) + 1);
  CK_EACH(ck_obligation, o, given->obligations) {
    mark_symbols(w, o->relation, seen, used);
    CK_BELOW(k, o->n_conditions)
      mark_symbols(w, o->conditions[k], seen, used);
  }
  CK_BELOW(i, given->n_definitions) {
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
  CK_BELOW(i, E->n_sizes)
    fprintf(w->out, " %s%s", E->size[i].name, i + 1 < E->n_sizes ? "," : " with\n");
  CK_BELOW(i, E->n_stated) {
    fputs(E->stated[i].of_candidate ? "  (candidate) " : "  ", w->out);
    term(w, E->stated[i].relation, 0, ANY);
    fputs("\n", w->out);
  }
}

static void tensors(words *w, ck_list list) {
  CK_EACH(ck_tensor, t, list) {
    fprintf(w->out, "%s %s[", t == list.first ? "" : ",", t->name);
    CK_BELOW(i, t->rank) {
      fputs(i ? ", " : "", w->out);
      term(w, t->extent[i], 0, ANY);
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
  const char *other = candidate->mugraph ? "the muGraph "
                      : candidate->tile  ? "the tile program "
                                         : "the candidate program ";
  if (!w.out)
    abort();
  sizes(&w);
  fputs(E->n_sizes ? "and all inputs" : " all inputs", w.out);
  tensors(&w, given->inputs);
  fprintf(w.out, "\nat which %s%s is defined:\n%s%s has the outputs", kind, given->name,
          E->rule ? "" : other, candidate->name);
  tensors(&w, given->outputs);
  fprintf(
      w.out,
      " of the same extents, is defined and stays within its tensors,\nand every element equals "
      "that of %s%s.\n%s\n",
      kind, given->name, E->rule ? "The rule:" : "The program:");
  quote(&w, text, text_end);
  assumptions(&w);
  CK_BELOW(i, E->n_sizes) {
    if (*E->size[i].name == '.') {
      fprintf(w.out, "%s stands for any number of axes, also none, of any extents.\n",
              E->size[i].name);
    }
  }
  CK_EACH(ck_operator, f, E->operators) {
    const char *file = f->used ? ck_shadowing(E, f) : NULL;
    if (file) {
      fprintf(w.out, "%s is the one that %s defines, which shadows another.\n",
              ck_specification(E, f), file);
    }
    if (!f->function || !f->used || f->body)
      continue;
    const char *which = f->tensors.n == 1 ? ck_of_law(f->at->text) : NULL;
    fprintf(w.out, "%s %s%s.\n", f->at->text, which ? "is " : "",
            which ? which : "may be any function that is defined everywhere");
  }
  fputs("Inputs of which nothing else is said are real numbers, and so is the arithmetic: "
        "rounding is outside of the theorem.\n"
        "That there are sizes and inputs as it asks for is not part of it.\n",
        w.out);
  if (fclose(w.out))
    abort();
  return theorem;
}

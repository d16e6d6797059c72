/* Expressions of tensors, programs, rules, and the kernel level of muGraphs, statement by statement
 * (proofs/CLAIM.md section 5). */
#include "ck_elab.h"

/* --- tensors by name */
ck_tensor *ck_find_tensor(const ck_tensors *list, const char *name) {
  for (uint32_t i = list->n; i-- > 0;) {
    if (strcmp(list->at[i]->name, name) == 0)
      return list->at[i];
  }
  return NULL;
}

ck_tensor *ck_tensor_named(const ck_scope *s, const ck_tensors *list, const ck_token *name,
                           const char *where) {
  ck_tensor *t = ck_find_tensor(list, name->text);
  if (!t)
    ck_refuse(&s->E->job, name, "no tensor is called %s %s", name->text, where);
  return t;
}

void ck_new_tensor_name(const ck_scope *s, const ck_token *name) {
  bool taken = ck_find_tensor(&s->side->tensors, name->text) ||
               (s->block && ck_find_tensor(&s->block->tensors, name->text));
  if (taken || ck_visible_size(s, name->text) != s->E->n_sizes)
    ck_refuse(&s->E->job, name, "%s is already defined", name->text);
}

ck_tensor *ck_enter(const ck_scope *s, ck_tensors *list, const char *name, const ck_tensor *t) {
  if (list->n == CK_MAX_TENSORS)
    ck_refuse(&s->E->job, s->at, "more than %d tensors", CK_MAX_TENSORS);
  ck_tensor *copy = ck_keep(&s->E->job, sizeof *copy);
  *copy = *t;
  copy->name = name;
  list->at[list->n++] = copy;
  return copy;
}

const char *ck_symbol_name(const ck_scope *s, const char *tensor) {
  ck_job *job = &s->E->job;
  if (!s->side->candidate)
    return ck_keep_text(job, "S.%s", tensor);
  return s->block ? ck_keep_text(job, "C%u.%s", (unsigned)s->block->number, tensor)
                  : ck_keep_text(job, "C.%s", tensor);
}

/* --- expressions */
typedef struct { /* how the calls of an expression are called: the outermost one by the name alone
                  */
  const char *symbol;
  uint32_t *inner; /* calls so far that are not */
} call_names;

static ck_tensor *tensor_value(const ck_scope *s, const ck_expression *x, const call_names *names,
                               bool outermost);

static const char *next_name(const ck_scope *s, const call_names *names, bool outermost) {
  return outermost ? names->symbol
                   : ck_keep_text(&s->E->job, "%s:%u", names->symbol, (unsigned)++*names->inner);
}

static ck_tensor *scalar_tensor(const ck_scope *s, ck_id value) {
  ck_tensor *t = ck_keep(&s->E->job, sizeof *t);
  t->value = value;
  return t;
}

static ck_tensor *named(const ck_scope *s, const ck_expression *x) {
  const char *name = x->at->text;
  ck_tensor *outer = ck_find_tensor(&s->side->tensors, name);
  ck_tensor *t = s->block ? ck_find_tensor(&s->block->tensors, name) : outer;
  uint32_t i = ck_visible_size(s, name);
  if (t)
    return t;
  if (i == s->E->n_sizes) {
    ck_refuse(&s->E->job, x->at,
              outer ? "%s must be loaded before it is used in a kernel"
                    : "nothing is called %s here",
              name);
  }
  return scalar_tensor(s, s->E->size[i].variable);
}

static bool bare_colon(const ck_expression *x) {
  return x->kind == CK_X_ITEM && !x->none && !x->start && !x->stop && !x->step;
}

static ck_tensor *item(const ck_scope *s, const ck_expression *x, ck_tensor *t,
                       const char *symbol) {
  ck_terms *T = s->E->T;
  ck_given_attribute a[4] = {{"axis", ck_int(T, (long)x->axis), x->at},
                             {"start", ck_int(T, 0), x->at},
                             {"stop", CK_BAD, x->at},
                             {"step", ck_int(T, 1), x->at}};
  if (x->none)
    return ck_call_operator(s, "expand_dims", &t, 1, a, 1, symbol);
  if (x->axis >= t->rank)
    ck_refuse(&s->E->job, x->at, "the tensor has only %u axes", (unsigned)t->rank);
  for (uint32_t i = 0; i <= x->axis; i++) {
    if (ck_group(s, t->extent[i]) != CK_BAD)
      ck_refuse(&s->E->job, x->at, "an index cannot count across a group of axes");
  }
  if (bare_colon(x))
    return t;
  a[2].value = t->extent[x->axis];
  if (x->start)
    a[1].value = ck_size_value(s, x->start);
  if (x->stop)
    a[2].value = ck_size_value(s, x->stop);
  if (x->step)
    a[3].value = ck_size_value(s, x->step);
  return ck_call_operator(s, "slice", &t, 1, a, 4, symbol);
}

/* Calls of a list of axes (proofs/CLAIM.md section 5): `transpose` exchanges until each axis is at
 * its place, others take one axis after the other, such that those still to come keep their
 * numbers. */
static ck_tensor *over_axes(const ck_scope *s, const ck_expression *x, ck_tensor *t,
                            const call_names *names, bool outermost) {
  const ck_attribute *list = x->attributes;
  bool permutes = strcmp(x->op, "transpose") == 0;
  bool from_right = list->axes[0] < 0;
  long now[] = {0, 1, 2, 3, 4, 5, 6, 7};
  long axis[CK_MAX_ARGUMENTS];
  long other[CK_MAX_ARGUMENTS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < list->n_axes; i++) {
    long number = list->axes[i];
    uint32_t k = i;
    while (permutes && k < list->n_axes && now[k] != number)
      k++;
    if (permutes ? k == list->n_axes
                 : i > 0 && (number <= list->axes[i - 1] || (number < 0) != from_right))
      ck_refuse(&s->E->job, list->at, "axes in order, from one end, or a permutation expected");
    now[k] = now[i];
    axis[n] = permutes ? (long)i : list->axes[from_right ? i : list->n_axes - 1 - i];
    other[n] = k;
    n += !permutes || k != i;
  }
  if (n == 0)
    ck_refuse(&s->E->job, list->at, "this permutation leaves every axis where it is");
  for (uint32_t i = 0; i < n; i++) {
    ck_given_attribute given[2] = {
        {permutes ? "first" : "axis", ck_int(s->E->T, axis[i]), list->at},
        {"second", ck_int(s->E->T, other[i]), list->at}};
    t = ck_call_operator(s, permutes ? "swap_axes" : x->op, &t, 1, given, permutes ? 2 : 1,
                         next_name(s, names, outermost && i + 1 == n));
  }
  return t;
}

/* first: the first argument, which is evaluated already */
static ck_tensor *call(const ck_scope *s, const ck_expression *x, ck_tensor *first,
                       const call_names *names, bool outermost) {
  ck_tensor *argument[CK_MAX_ARGUMENTS] = {first};
  ck_given_attribute given[CK_MAX_ARGUMENTS];
  uint32_t n = x->arguments ? 1 : 0;
  uint32_t n_given = 0;
  if (x->attributes && x->attributes->n_axes)
    return over_axes(s, x, first, names, outermost);
  for (const ck_expression *a = n ? x->arguments->next : NULL; a; a = a->next)
    argument[n++] = tensor_value(s, a, names, false);
  for (const ck_attribute *a = x->attributes; a; a = a->next) {
    ck_id value = a->number ? ck_number(s, a->number, a->negative) : ck_size_value(s, a->size);
    given[n_given++] = (ck_given_attribute){a->name, value, a->at};
  }
  return ck_call_operator(s, x->op, argument, n, given, n_given, next_name(s, names, outermost));
}

/* what the first argument is of: calls and items, which are walked in a loop, so that only nesting
 * is recursion */
static bool has_first(const ck_expression *x) {
  return (x->kind == CK_X_CALL || x->kind == CK_X_ITEM) && x->arguments;
}

/* outermost: the last call that x makes is the outermost one of its statement */
static ck_tensor *tensor_value(const ck_scope *outer, const ck_expression *x,
                               const call_names *names, bool outermost) {
  ck_scope scope = *outer;
  ck_scope *s = &scope;
  uint32_t n = 0;
  uint32_t last = 0;
  const ck_expression *y = x;
  if (++scope.depth > CK_MAX_DEPTH)
    ck_refuse(&s->E->job, x->at, "nested more than %d deep", CK_MAX_DEPTH);
  for (; has_first(y); y = y->arguments)
    n++;
  const ck_expression **chain = ck_keep(&s->E->job, (n + 1) * sizeof *chain);
  for (uint32_t i = n; i-- > 0; x = x->arguments) {
    chain[i] = x;
    if (!last && !bare_colon(x))
      last = i + 1; /* chain[last - 1] is the last call; 0: there is none, or only that of y */
  }
  ck_tensor *t;
  scope.at = y->at;
  if (y->kind == CK_X_NUMBER)
    t = scalar_tensor(s, ck_number(s, y->at, y->negative));
  else if (y->kind == CK_X_NAME)
    t = named(s, y);
  else
    t = call(s, y, NULL, names, outermost && !last);
  for (uint32_t i = 0; i < n; i++) {
    bool top = outermost && i + 1 == last;
    scope.at = chain[i]->at;
    if (chain[i]->kind == CK_X_CALL)
      t = call(s, chain[i], t, names, top);
    else
      t = item(s, chain[i], t, bare_colon(chain[i]) ? NULL : next_name(s, names, top));
  }
  return t;
}

void ck_define_tensor(const ck_scope *s, const ck_line *line) {
  const char *name = line->name ? line->name->text : "out"; /* the short form of a side of a rule */
  uint32_t inner = 0;
  if (line->name)
    ck_new_tensor_name(s, line->name);
  call_names names = {ck_symbol_name(s, name), &inner};
  const ck_tensor *t = tensor_value(s, line->expression, &names, true);
  if (t->varying && t->after) {
    ck_refuse(&s->E->job, line->at,
              "%s mixes a tensor that differs between iterations with a finished accumulator",
              name);
  }
  ck_enter(s, s->block ? &s->block->tensors : &s->side->tensors, name, t);
}

/* --- declarations */
uint32_t ck_dims_value(const ck_scope *s, const ck_dim *d, ck_id extent[CK_MAX_RANK]) {
  uint32_t n = 0;
  for (; d; d = d->next) {
    if (n == CK_MAX_RANK)
      ck_refuse(&s->E->job, d->at, "more than %d axes", CK_MAX_RANK);
    uint32_t group = d->group ? ck_visible_size(s, d->group) : 0;
    if (d->group && group == s->E->n_sizes)
      ck_refuse(&s->E->job, d->at, "no axes are called this");
    extent[n] = d->group ? s->E->size[group].variable : ck_size_value(s, d->size);
    ck_require_extent(s, extent[n++]);
  }
  return n;
}

/* the given program has an input of this name, type and extents */
static bool same_input(const ck_scope *s, const ck_side *given, const ck_input *line,
                       const ck_tensor *t) {
  uint32_t k = 0;
  while (k < given->inputs.n && strcmp(given->inputs.at[k]->name, line->name) != 0)
    k++;
  if (k == given->inputs.n || strcmp(given->input_type[k], line->type) != 0 ||
      given->inputs.at[k]->rank != t->rank)
    return false;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (!ck_same(s, given->inputs.at[k]->extent[i], t->extent[i]))
      return false;
  }
  return true;
}

static void declare_input(const ck_scope *s, const ck_side *given, const ck_input *line) {
  ck_side *side = s->side;
  ck_tensor t = {.value = CK_BAD};
  char signature[CK_MAX_RANK + 3];
  ck_new_tensor_name(s, line->at);
  t.rank = ck_dims_value(s, line->dims, t.extent);
  if (given && !same_input(s, given, line, &t)) {
    ck_refuse(&s->E->job, line->at,
              "the given program has no input %s of this type and these extents", line->name);
  }
  if (side->inputs.n == CK_MAX_SIZES)
    ck_refuse(&s->E->job, line->at, "more than %d inputs", CK_MAX_SIZES);
  memset(signature, 'i', t.rank);
  memcpy(signature + t.rank, strcmp(line->type, "int") == 0 ? ":i" : ":r", 3);
  t.symbol = ck_word(s->E->T, line->name);
  t.signature = ck_word(s->E->T, signature);
  t.truth = strcmp(line->type, "bool") == 0;
  side->input_type[side->inputs.n] = line->type;
  side->inputs.at[side->inputs.n++] = ck_enter(s, &side->tensors, line->name, &t);
}

static void add_output(const ck_scope *s, const ck_token *at, ck_tensor *t) {
  ck_tensors *outputs = &s->side->outputs;
  if (outputs->n == CK_MAX_SIZES)
    ck_refuse(&s->E->job, at, "more than %d outputs", CK_MAX_SIZES);
  if (ck_find_tensor(outputs, t->name))
    ck_refuse(&s->E->job, at, "%s is already an output", t->name);
  outputs->at[outputs->n++] = t;
}

/* e1 rel e2, of every element: 0 rel the larger side less the other is an obligation of the given
 * side, hence a hypothesis */
static void assume(const ck_scope *s, const ck_assumption *a) {
  call_names names = {ck_symbol_name(s, "assume"), &s->side->n_assumed};
  ck_scope inner = *s;
  ck_tensor *left = tensor_value(s, a->left, &names, false);
  ck_tensor *right = tensor_value(s, a->right, &names, false);
  ck_place place[CK_MAX_RANK];
  ck_id index[CK_MAX_RANK];
  inner.at = a->at;
  ck_tensor *less[2] = {a->swapped ? left : right, a->swapped ? right : left};
  ck_tensor *d = ck_call_operator(&inner, "sub", less, 2, NULL, 0, next_name(s, &names, false));
  for (uint32_t i = 0; i < d->rank; i++) {
    index[i] = ck_variable(s, 'i', i);
    place[i] = ck_with_index(&inner, index[i], d->extent[i]);
    inner.place = &place[i];
  }
  ck_require(&inner, a->op, ck_int(s->E->T, 0), ck_element_here(s, d, index));
}

/* --- texts */
ck_side *ck_new_side(ck_elab *E, bool candidate, const ck_token *at) {
  ck_side *side = ck_keep(&E->job, sizeof *side);
  side->candidate = candidate;
  side->at = at;
  side->tensors.at = ck_keep(&E->job, CK_MAX_TENSORS * sizeof *side->tensors.at);
  side->inputs.at = ck_keep(&E->job, CK_MAX_SIZES * sizeof *side->inputs.at);
  side->outputs.at = ck_keep(&E->job, CK_MAX_SIZES * sizeof *side->outputs.at);
  side->definitions = ck_keep(&E->job, CK_MAX_TENSORS * sizeof *side->definitions);
  side->obligations = ck_keep(&E->job, CK_MAX_OBLIGATIONS * sizeof *side->obligations);
  return side;
}

/* given: of a candidate, the program that it is for; else NULL */
static void read_lines(const ck_scope *outer, const ck_side *given, const ck_line *line) {
  ck_scope s = *outer;
  for (; line; line = line->next) {
    s.at = line->at;
    switch (line->kind) {
    case CK_L_SIZES:
      ck_declare_sizes(&s, line->sizes);
      break;
    case CK_L_WHERE:
      ck_state_relations(&s, line->relations);
      break;
    case CK_L_INPUTS:
      for (const ck_input *i = line->inputs; i; i = i->next)
        declare_input(&s, given, i);
      break;
    case CK_L_ASSUME:
      for (const ck_assumption *a = line->assumptions; a; a = a->next)
        assume(&s, a);
      break;
    case CK_L_DEFINE:
      ck_define_tensor(&s, line);
      if (line->output) {
        add_output(&s, line->name ? line->name : line->at,
                   s.side->tensors.at[s.side->tensors.n - 1]);
      }
      break;
    case CK_L_OUTPUT:
      add_output(&s, line->name, ck_tensor_named(&s, &s.side->tensors, line->name, "here"));
      break;
    default:
      ck_read_kernel(&s, line->kernel);
      break;
    }
  }
}

void ck_read_graph(ck_elab *E, ck_side *side, const ck_side *given, const ck_graph *graph) {
  ck_scope s = {.E = E, .side = side, .at = graph->at};
  side->mugraph = graph->mugraph;
  side->name = graph->name;
  for (uint32_t i = 0; graph->mugraph && i < given->inputs.n; i++)
    side->tensors.at[side->tensors.n++] = given->inputs.at[i];
  read_lines(&s, given, graph->lines);
  ck_leave_free(&s);
  if (graph->mugraph)
    return;
  if (side->outputs.n == 0)
    ck_refuse(&E->job, graph->end, "the program has no output");
  if (given && side->inputs.n != given->inputs.n) {
    ck_refuse(&E->job, graph->end, "the given program has %u inputs, this one %u",
              (unsigned)given->inputs.n, (unsigned)side->inputs.n);
  }
}

void ck_read_rule(ck_elab *E, ck_side *given, ck_side *candidate, const ck_rule *rule,
                  bool backward) {
  ck_scope s = {.E = E, .side = given, .at = rule->name};
  read_lines(&s, NULL, rule->declarations.lines);
  for (uint32_t i = 0; i < given->inputs.n; i++)
    candidate->tensors.at[candidate->tensors.n++] = given->inputs.at[i];
  for (int k = 0; k < 2; k++) {
    const ck_graph *g = (k == 0) != backward ? &rule->left : &rule->right;
    s.side = k == 0 ? given : candidate;
    s.side->at = g->at;
    s.side->name = (k == 0) != backward ? "the left side" : "the right side";
    read_lines(&s, NULL, g->lines);
    if (s.side->outputs.n == 0)
      ck_refuse(&E->job, g->end, "this side has no output");
  }
}

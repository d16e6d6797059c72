/* Expressions of tensors, programs, rules, and the kernel level of muGraphs, statement by statement
 * (proofs/CLAIM.md section 5). */
#include "ck_elab.h"

/* --- tensors by name */
ck_tensor *ck_find_tensor(const ck_tensors *list, const char *name) {
  uint32_t i = list->n;
  while (i > 0 && strcmp(list->at[i - 1]->name, name) != 0)
    i--;
  return i > 0 ? list->at[i - 1] : NULL;
}

ck_tensor *ck_tensor_named(const ck_scope *s, const ck_tensors *list, const ck_token *name,
                           const char *where) {
  ck_tensor *t = ck_find_tensor(list, name->text);
  if (!t)
    ck_refuse(s->job, name, "no tensor is called %s %s", name->text, where);
  return t;
}

void ck_new_tensor_name(const ck_scope *s, const ck_token *name) {
  if (ck_find_tensor(&s->side->tensors, name->text) || ck_find_name(s->names, name->text) ||
      (s->block && ck_find_tensor(&s->block->tensors, name->text)) ||
      ck_visible_size(s, name->text))
    ck_refuse(s->job, name, "%s is already defined", name->text);
}

ck_tensor *ck_enter(const ck_scope *s, ck_tensors *list, const char *name, const ck_tensor *t) {
  if (!ck_within(s->job, s->at, CK_LIMIT_TENSORS, list->n + 1))
    return NULL;
  ck_tensor *copy = ck_keep(s->job, sizeof *copy);
  *copy = *t;
  copy->name = name;
  list->at[list->n++] = copy;
  return copy;
}

const char *ck_symbol_name(const ck_scope *s, const char *tensor) {
  if (s->side->loops)
    return ck_keep_text(s->job, "%c%u.%s", s->side->candidate ? 'C' : 'S', ++s->side->n_kernels,
                        tensor);
  if (s->block)
    return ck_keep_text(s->job, "C%u.%s", s->block->number, tensor);
  return ck_keep_text(s->job, "%c.%s", s->side->candidate ? 'C' : 'S', tensor);
}

/* --- expressions */
typedef struct { /* how the calls of an expression are called */
  const char *symbol;
  const ck_expr *outermost; /* the call that has the name alone */
  uint32_t *inner;          /* calls so far that have a number behind it */
} call_names;

static ck_tensor *tensor_value(const ck_scope *outer, const ck_expr *x, const call_names *names);

static const char *next_name(const ck_scope *s, const call_names *names, const ck_expr *x) {
  return x == names->outermost ? names->symbol
                               : ck_keep_text(s->job, "%s:%u", names->symbol, ++*names->inner);
}

static ck_tensor *scalar_tensor(const ck_scope *s, ck_id value) {
  ck_tensor *t = ck_keep(s->job, sizeof *t);
  t->value = ck_sure(s, value);
  return t->value == CK_BAD ? NULL : t;
}

static ck_tensor *named(const ck_scope *s, const ck_token *at) {
  ck_tensor *outer = ck_find_tensor(&s->side->tensors, at->text);
  ck_tensor *t = s->block ? ck_find_tensor(&s->block->tensors, at->text) : outer;
  const ck_size_symbol *size = ck_visible_size(s, at->text);
  const ck_binding *integer = s->side->loops ? ck_find_name(s->names, at->text) : NULL;
  if (t && !t->stored)
    return t;
  if (size || integer)
    return scalar_tensor(s, size ? size->variable : integer->value);
  ck_refuse(s->job, at,
            outer || t ? "%s must be loaded before it is used in a kernel" : "nothing is called %s here",
            at->text);
  return NULL;
}

static bool bare_colon(const ck_expr *x) {
  return x->kind == CK_X_ITEM && !x->none && !x->start && !x->stop && !x->step;
}

static ck_tensor *item(const ck_scope *s, const ck_expr *x, ck_tensor *t, const call_names *names) {
  if (!x->none) {
    if (x->axis >= t->rank)
      ck_refuse(s->job, x->at, "the tensor has only %u axes", t->rank);
    for (uint32_t i = 0; i <= x->axis && i < t->rank; i++) {
      if (ck_group(s, t->extent[i]) != CK_BAD)
        ck_refuse(s->job, x->at, "an index cannot count across a group of axes");
    }
  }
  if (ck_refused(s->job) || bare_colon(x))
    return t;
  const char *symbol = next_name(s, names, x);
  ck_given_attribute a[4] = {{"axis", ck_int(s->T, (long)x->axis), x->at}};
  if (x->none)
    return ck_call_operator(s, "expand_dims", &t, 1, a, 1, symbol);
  ck_id start = x->start ? ck_size_value(s, x->start) : ZERO;
  ck_id stop = x->stop ? ck_size_value(s, x->stop) : t->extent[x->axis];
  ck_id step = x->step ? ck_size_value(s, x->step) : ONE;
  a[1] = (ck_given_attribute){"start", start, x->at};
  a[2] = (ck_given_attribute){"stop", stop, x->at};
  a[3] = (ck_given_attribute){"step", step, x->at};
  return ck_call_operator(s, "slice", &t, 1, a, 4, symbol);
}

/* Calls of a list of axes (proofs/CLAIM.md section 5): `transpose` exchanges until each axis is at
 * its place, others take one axis after the other, such that those still to come keep their
 * numbers.  The last call is the outermost one. */
static ck_tensor *over_axes(const ck_scope *s, const ck_expr *x, ck_tensor *t,
                            const call_names *names) {
  const ck_decl *list = x->attributes.first;
  bool permutes = strcmp(x->name, "transpose") == 0;
  bool from_right = list->axes[0] < 0;
  long now[] = {0, 1, 2, 3, 4, 5, 6, 7};
  long axis[CK_MAX_ARGUMENTS];
  long other[CK_MAX_ARGUMENTS];
  uint32_t n = 0;
  CK_BELOW(i, list->n_axes) {
    long number = list->axes[i];
    uint32_t k = i;
    while (permutes && k < list->n_axes && now[k] != number)
      k++;
    if (permutes ? k == list->n_axes
                 : i > 0 && (number <= list->axes[i - 1] || (number < 0) != from_right)) {
      ck_refuse(s->job, list->at, "axes in order, from one end, or a permutation expected");
      return NULL;
    }
    now[k] = now[i];
    axis[n] = permutes ? (long)i : list->axes[from_right ? i : list->n_axes - 1 - i];
    other[n] = k;
    n += !permutes || k != i;
  }
  if (n == 0)
    ck_refuse(s->job, list->at, "this permutation leaves every axis where it is");
  CK_BELOW(i, n) {
    ck_given_attribute given[] = {{permutes ? "first" : "axis", ck_int(s->T, axis[i]), list->at},
                                  {"second", ck_int(s->T, other[i]), list->at}};
    const char *symbol = next_name(s, names, i + 1 == n ? x : NULL);
    t = t ? ck_call_operator(s, permutes ? "swap_axes" : x->name, &t, 1, given, permutes ? 2 : 1,
                             symbol)
          : NULL;
  }
  return t;
}

static ck_tensor *call(const ck_scope *s, const ck_expr *x, const call_names *names) {
  ck_tensor *argument[CK_MAX_ARGUMENTS];
  ck_given_attribute given[CK_MAX_ARGUMENTS];
  uint32_t n = 0;
  uint32_t n_given = 0;
  CK_EACH(ck_expr, a, x->arguments) {
    argument[n] = tensor_value(s, a, names);
    if (!argument[n++])
      return NULL;
  }
  const ck_decl *first = x->attributes.first;
  if (first && first->n_axes)
    return over_axes(s, x, argument[0], names);
  CK_EACH(ck_decl, a, x->attributes)
    given[n_given++] = (ck_given_attribute){a->at->text, ck_scalar_value(s, a->value), a->at};
  return ck_call_operator(s, x->name, argument, n, given, n_given, next_name(s, names, x));
}

/* a sign is a call, too */
static ck_tensor *signed_call(const ck_scope *s, const ck_expr *x, ck_tensor *left,
                              const call_names *names) {
  static const char *const operators[] = {
      [CK_X_NEG] = "neg", [CK_X_ADD] = "add",      [CK_X_SUB] = "sub",
      [CK_X_MUL] = "mul", [CK_X_QUOTIENT] = "div", [CK_X_MATMUL] = "matmul"};
  ck_tensor *argument[2] = {left, x->right ? tensor_value(s, x->right, names) : NULL};
  if (!left || (x->right && !argument[1]))
    return NULL;
  return ck_call_operator(s, operators[x->kind], argument, x->right ? 2 : 1, NULL, 0,
                          next_name(s, names, x));
}

static ck_tensor *tensor_value(const ck_scope *outer, const ck_expr *x, const call_names *names) {
  ck_scope scope = *outer;
  const ck_scope *s = &scope;
  const ck_expr *y = ck_leftmost(x);
  ck_tensor *t;
  scope.at = y->at;
  if (y->kind == CK_X_NUMBER)
    t = scalar_tensor(s, ck_number(s, y));
  else if (y->kind == CK_X_NAME)
    t = named(s, y->at);
  else if (y->kind == CK_X_NEG)
    t = signed_call(s, y, tensor_value(s, y->left, names), names);
  else
    t = call(s, y, names);
  while (y != x && t) {
    y = y->up;
    scope.at = y->at;
    t = y->kind == CK_X_ITEM ? item(s, y, t, names) : signed_call(s, y, t, names);
  }
  return ck_refused(s->job) ? NULL : t;
}

ck_tensor *ck_expression(const ck_scope *s, const ck_expr *x, const char *name) {
  const ck_expr *outermost = x;
  uint32_t inner = 0;
  while (bare_colon(outermost))
    outermost = outermost->left;
  call_names names = {ck_symbol_name(s, name), outermost, &inner};
  return tensor_value(s, x, &names);
}

ck_tensor *ck_define_tensor(const ck_scope *s, const ck_line *line) {
  const char *name = line->name ? line->name->text : "out"; /* the short form of a side of a rule */
  if (line->name)
    ck_new_tensor_name(s, line->name);
  const ck_tensor *t = ck_expression(s, line->value, name);
  if (t && t->varying && t->after) {
    ck_refuse(s->job, line->at,
              "%s mixes a tensor that differs between iterations with a finished accumulator",
              name);
  }
  return t ? ck_enter(s, s->block ? &s->block->tensors : &s->side->tensors, name, t) : NULL;
}

/* --- declarations */
uint32_t ck_dims_value(const ck_scope *s, ck_list dims, ck_id extent[CK_MAX_AXES]) {
  uint32_t n = 0;
  CK_EACH(ck_part, d, dims) {
    if (!ck_within(s->job, d->at, CK_LIMIT_AXES, n + 1))
      return n;
    if (d->kind == CK_P_LIST) {
      const ck_size_symbol *group = ck_visible_size(s, ck_keep_text(s->job, "..%s", d->name));
      extent[n] = group ? group->variable : ck_refuse(s->job, d->at, "no axes are called this");
    } else {
      extent[n] = ck_size_value(s, d->value);
    }
    ck_require_extent(s, extent[n++]);
  }
  return n;
}

/* the given program has an input of this name, type and extents */
static bool same_input(const ck_scope *s, const ck_side *given, const ck_tensor *t) {
  const ck_tensor *same = ck_find_tensor(&given->inputs, t->name);
  if (!same || strcmp(same->type, t->type) != 0 || same->rank != t->rank)
    return false;
  CK_BELOW(i, t->rank) {
    if (!ck_same(s, same->extent[i], t->extent[i]))
      return false;
  }
  return true;
}

void ck_declare_input(const ck_scope *s, const ck_side *given, const ck_decl *line) {
  ck_side *side = s->side;
  ck_tensor t = {.name = line->at->text, .value = CK_BAD, .type = line->type};
  char signature[CK_MAX_AXES + 3];
  ck_new_tensor_name(s, line->at);
  t.rank = ck_dims_value(s, line->parts, t.extent);
  if (given && !same_input(s, given, &t)) {
    ck_refuse(s->job, line->at, "the given program has no input %s of this type and these extents",
              t.name);
  }
  memset(signature, 'i', t.rank);
  memcpy(signature + t.rank, strcmp(t.type, "int") == 0 ? ":i" : ":r", 3);
  t.symbol = ck_word(s->T, t.name);
  t.signature = ck_word(s->T, signature);
  if (!ck_within(s->job, line->at, CK_LIMIT_INPUTS, side->inputs.n + 1))
    return;
  ck_tensor *known = ck_enter(s, &side->tensors, t.name, &t);
  if (side->loops && known) { /* what it holds may change, what was given does not */
    known->stored = known->fixed = true;
    known = memcpy(ck_keep(s->job, sizeof t), known, sizeof t);
    known->stored = false;
  }
  side->inputs.at[side->inputs.n++] = known;
}

void ck_add_output(const ck_scope *s, const ck_token *at, ck_tensor *t) {
  ck_tensors *outputs = &s->side->outputs;
  if (!t || !ck_within(s->job, at, CK_LIMIT_OUTPUTS, outputs->n + 1))
    return;
  if (ck_find_tensor(outputs, t->name))
    ck_refuse(s->job, at, "%s is already an output", t->name);
  outputs->at[outputs->n++] = t;
}

/* e1 rel e2, of every element: 0 rel the larger side less the other is an obligation of the given
 * side, hence a hypothesis */
static void assume(const ck_scope *s, const ck_expr *a) {
  call_names names = {ck_symbol_name(s, "assume"), NULL, &s->side->n_assumed};
  ck_scope inner = *s;
  ck_tensor *left = tensor_value(s, a->left, &names);
  ck_tensor *right = tensor_value(s, a->right, &names);
  ck_place place[CK_MAX_AXES];
  ck_id index[CK_MAX_AXES];
  ck_tensor *less[2] = {a->swapped ? left : right, a->swapped ? right : left};
  inner.at = a->at;
  if (!left || !right)
    return;
  ck_tensor *d = ck_call_operator(&inner, "sub", less, 2, NULL, 0, next_name(s, &names, a));
  for (uint32_t i = 0; d && i < d->rank; i++) {
    index[i] = ck_variable(s, 'i', i);
    place[i] = ck_with_index(&inner, index[i], d->extent[i]);
    inner.place = &place[i];
  }
  if (d)
    ck_require(&inner, ck_mk2(s->T, a->op, ZERO, ck_element_here(s, d, index)));
}

/* --- texts */
ck_side *ck_new_side(ck_elab *E, bool candidate, const ck_token *at) {
  ck_side *side = ck_keep(&E->job, sizeof *side);
  side->candidate = candidate;
  side->at = at;
  side->tensors.at = ck_keep(&E->job, CK_MAX_TENSORS * sizeof *side->tensors.at);
  side->inputs.at = ck_keep(&E->job, CK_MAX_INPUTS * sizeof *side->inputs.at);
  side->outputs.at = ck_keep(&E->job, CK_MAX_OUTPUTS * sizeof *side->outputs.at);
  side->definitions = ck_keep(&E->job, CK_MAX_TENSORS * sizeof *side->definitions);
  side->obligations = ck_keep(&E->job, CK_MAX_OBLIGATIONS * sizeof *side->obligations);
  return side;
}

/* given: of a candidate, the program that it is for; else NULL */
static void read_line(const ck_scope *s, const ck_side *given, const ck_line *line) {
  switch (line->kind) {
  case CK_L_SIZES:
    ck_declare_sizes(s, line->items);
    break;
  case CK_L_WHERE:
    ck_state_relations(s, line->items);
    break;
  case CK_L_INPUTS:
    CK_EACH(ck_decl, i, line->items)
      ck_declare_input(s, given, i);
    if (line->output && !ck_refused(s->job)) {
      ck_tensor *t = ck_find_tensor(&s->side->tensors, line->name->text);
      t->fixed = false;
      ck_add_output(s, line->name, t);
    }
    break;
  case CK_L_ASSUME:
    CK_EACH(ck_expr, a, line->items)
      assume(s, a);
    break;
  case CK_L_DEFINE: { /* of a tile program, too */
    ck_tensor *t = ck_define_tensor(s, line);
    if (line->output)
      ck_add_output(s, line->name ? line->name : line->at, t);
    break;
  }
  case CK_L_OUTPUT:
    ck_add_output(s, line->name, ck_tensor_named(s, &s->side->tensors, line->name, "here"));
    break;
  case CK_L_KERNEL:
    ck_read_kernel(s, line->kernel);
    break;
  default:
    ck_read_statement(s, line);
    break;
  }
}

static void read_lines(ck_elab *E, ck_side *side, const ck_side *given, const ck_graph *graph) {
  CK_EACH(ck_line, line, graph->lines) {
    ck_scope s = ck_scope_of(E, side, line->at);
    if (!ck_refused(&E->job))
      read_line(&s, given, line);
  }
}

/* what the candidate sees of the given side */
static void see_inputs(ck_side *candidate, const ck_side *given) {
  CK_BELOW(i, given->inputs.n)
    candidate->tensors.at[candidate->tensors.n++] = given->inputs.at[i];
}

void ck_read_graph(ck_elab *E, ck_side *side, const ck_side *given, const ck_graph *graph) {
  ck_scope s = ck_scope_of(E, side, graph->at);
  side->mugraph = graph->mugraph;
  side->tile = graph->tile;
  side->loops = graph->tile && !graph->blocks;
  if (side->loops)
    side->touches = ck_keep(s.job, CK_MAX_TENSORS * sizeof *side->touches);
  side->name = graph->name;
  if (graph->mugraph)
    see_inputs(side, given);
  read_lines(E, side, given, graph);
  if (side->loops && !ck_refused(s.job))
    ck_all_written(&s);
  ck_leave_free(&s);
  if (graph->mugraph)
    return;
  if (side->outputs.n == 0)
    ck_refuse(s.job, graph->end, "the program has no output");
  if (given && side->inputs.n != given->inputs.n) {
    ck_refuse(s.job, graph->end, "the given program has %u inputs, this one %u", given->inputs.n,
              side->inputs.n);
  }
}

void ck_read_rule(ck_elab *E, ck_side *given, ck_side *candidate, const ck_rule *rule,
                  bool backward) {
  read_lines(E, given, NULL, &rule->declarations);
  see_inputs(candidate, given);
  for (int k = 0; k < 2; k++) {
    bool left = (k == 0) != backward;
    const ck_graph *g = left ? &rule->left : &rule->right;
    ck_side *side = k == 0 ? given : candidate;
    side->at = g->at;
    side->name = left ? "the left side" : "the right side";
    read_lines(E, side, NULL, g);
    if (side->outputs.n == 0)
      ck_refuse(&E->job, g->end, "this side has no output");
  }
}

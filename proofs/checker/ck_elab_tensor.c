/* Expressions of tensors, programs, rules, and the kernel level of muGraphs, statement by statement
 * (proofs/CLAIM.md section 5). */
#include "ck_elab.h"

/* --- tensors by name */
ck_tensor *ck_find_tensor(ck_list list, const char *name) {
  ck_tensor *t = list.first;
  while (t && strcmp(t->name, name) != 0)
    t = t->next;
  return t;
}

ck_tensor *ck_tensor_named(const ck_scope *s, ck_list list, const ck_token *name,
                           const char *where) {
  ck_tensor *t = ck_find_tensor(list, name->text);
  if (!t)
    ck_refuse(s->job, name, "no tensor is called %s %s", name->text, where);
  return t;
}

bool ck_is_visible(const ck_scope *s, const char *name) {
  return ck_find_tensor(s->side->tensors, name) || ck_find_name(s->names, name) ||
         (s->block && ck_find_tensor(s->block->tensors, name)) || ck_visible_size(s, name);
}

void ck_new_tensor_name(const ck_scope *s, const ck_token *name) {
  if (ck_is_visible(s, name->text))
    ck_refuse(s->job, name, "%s is already defined", name->text);
}

ck_tensor *ck_enter(const ck_scope *s, ck_list *list, const char *name, const ck_tensor *t) {
  if (!ck_within(s->job, s->at, CK_LIMIT_TENSORS, list->n + 1))
    return NULL;
  ck_tensor *copy = ck_keep(s->job, sizeof *copy);
  *copy = *t;
  copy->name = name;
  copy->next = NULL;
  ck_link(list, copy);
  return copy;
}

const char *ck_symbol_name(const ck_scope *s, const char *tensor) {
  if (s->side->tile)
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
  ck_tensor *outer = ck_find_tensor(s->side->tensors, at->text);
  ck_tensor *t = s->block ? ck_find_tensor(s->block->tensors, at->text) : outer;
  const ck_size_symbol *size = ck_visible_size(s, at->text);
  const ck_binding *integer = s->side->tile ? ck_find_name(s->names, at->text) : NULL;
  if (t && !t->stored)
    return t;
  if (size || integer)
    return scalar_tensor(s, size ? size->variable : integer->value);
  ck_refuse(s->job, at,
            outer || t ? "%s must be loaded before it is used in a kernel"
                       : "nothing is called %s here",
            at->text);
  return NULL;
}

/* an item counts axes: there are as many, and none of them is a group */
static void count_axes(const ck_scope *s, const ck_expr *x, const ck_tensor *t) {
  if (x->axis >= t->rank)
    ck_refuse(s->job, x->at, "the tensor has only %u axes", t->rank);
  for (uint32_t i = 0; i <= x->axis && i < t->rank; i++) {
    if (ck_group(s, t->extent[i]) != CK_BAD)
      ck_refuse(s->job, x->at, "an index cannot count across a group of axes");
  }
}

/* left: the first argument, where that is evaluated already; else NULL */
static ck_tensor *call(const ck_scope *s, const ck_expr *x, ck_tensor *left,
                       const call_names *names) {
  ck_tensor *argument[CK_MAX_ARGUMENTS + 1] = {left};
  ck_given_attribute given[CK_MAX_ARGUMENTS];
  uint32_t n = left ? 1 : 0;
  uint32_t n_given = 0;
  CK_EACH(ck_expr, a, x->arguments) {
    argument[n] = tensor_value(s, a, names);
    if (!argument[n++])
      return NULL;
  }
  CK_EACH(ck_decl, a, x->attributes) {
    ck_id value = a->value ? ck_scalar_value(s, a->value) : left->extent[x->axis];
    given[n_given++] = (ck_given_attribute){a->at->text, value, a->at};
  }
  return ck_call_operator(s, x->name, argument, n, given, n_given, next_name(s, names, x));
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
  else
    t = call(s, y, NULL, names);
  while (y != x && t) {
    y = y->up;
    scope.at = y->at;
    if (y->kind == CK_X_ITEM)
      count_axes(s, y, t);
    if (y->name && !ck_refused(s->job))
      t = call(s, y, t, names);
  }
  return ck_refused(s->job) ? NULL : t;
}

ck_tensor *ck_expression(const ck_scope *s, const ck_expr *x, const char *name) {
  const ck_expr *outermost = x;
  uint32_t inner = 0;
  while (outermost->kind == CK_X_ITEM && !outermost->name)
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
  const ck_tensor *same = ck_find_tensor(given->inputs, t->name);
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
  if (ck_within(s->job, line->at, CK_LIMIT_INPUTS, side->inputs.n + 1))
    ck_enter(s, &side->inputs, t.name, &t);
  t.stored = t.fixed = side->tile; /* what it holds may change */
  ck_enter(s, &side->tensors, t.name, &t);
}

void ck_add_output(const ck_scope *s, const ck_token *at, ck_tensor *t) {
  ck_list *outputs = &s->side->outputs;
  if (!t || !ck_within(s->job, at, CK_LIMIT_OUTPUTS, outputs->n + 1))
    return;
  if (ck_find_tensor(*outputs, t->name))
    ck_refuse(s->job, at, "%s is already an output", t->name);
  ck_enter(s, outputs, t->name, t);
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
  side->definitions = ck_keep(&E->job, CK_MAX_TENSORS * sizeof *side->definitions);
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
      ck_tensor *t = ck_find_tensor(s->side->tensors, line->name->text);
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
    ck_add_output(s, line->name, ck_tensor_named(s, s->side->tensors, line->name, "here"));
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
static void see_inputs(const ck_scope *candidate, const ck_side *given) {
  CK_EACH(ck_tensor, x, given->inputs)
    ck_enter(candidate, &candidate->side->tensors, x->name, x);
}

void ck_read_graph(ck_elab *E, ck_side *side, const ck_side *given, const ck_graph *graph) {
  ck_scope s = ck_scope_of(E, side, graph->at);
  side->mugraph = graph->mugraph;
  side->tile = graph->tile;
  side->name = graph->name;
  if (graph->mugraph)
    see_inputs(&s, given);
  read_lines(E, side, given, graph);
  if (side->tile && !ck_refused(s.job))
    ck_read_results(&s);
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
  ck_scope s = ck_scope_of(E, candidate, rule->at);
  read_lines(E, given, NULL, &rule->declarations);
  see_inputs(&s, given);
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

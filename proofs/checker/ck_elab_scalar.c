/* Scalars: size expressions and bodies in index notation (proofs/CLAIM.md section 3, 4.4). */
#include "ck_elab.h"

static ck_id value(const ck_scope *s, const ck_names *names, const ck_scalar *x);

/* --- names */
ck_operator *ck_find_operator(const ck_elab *E, const char *name, bool function) {
  for (ck_operator *op = E->operators; op; op = op->next) {
    if (op->function == function && strcmp(op->name->text, name) == 0)
      return op;
  }
  return NULL;
}

const ck_list *ck_find_list(const ck_call *call, const char *name) {
  for (uint32_t i = 0; call && i < call->n_lists; i++) {
    if (strcmp(call->list[i].name, name) == 0)
      return &call->list[i];
  }
  return NULL;
}

const ck_binding *ck_find_name(const ck_binding *names, const char *name) {
  while (names && strcmp(names->name, name) != 0)
    names = names->up;
  return names;
}

ck_binding ck_with_name(const ck_scope *s, const ck_operator *op, const ck_binding *names,
                        const char *name, ck_id value_of_name) {
  bool taken = ck_find_name(names, name) != NULL;
  for (const ck_formal *f = op->function ? NULL : op->tensors; f; f = f->next)
    taken = taken || ck_token_is(f->name, name);
  for (const ck_let *d = op->lets; d; d = d->next)
    taken = taken || ck_token_is(d->name, name);
  if (taken)
    ck_refuse(&s->E->job, op->name, "%s has two meanings", name);
  uint32_t depth = names ? names->depth + 1 : 1;
  if (depth > CK_MAX_NAMES)
    ck_refuse(&s->E->job, op->name, "%s is one name too many", name);
  return (ck_binding){.up = names, .name = name, .value = value_of_name, .depth = depth};
}

static ck_id named(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  const char *name = x->at->text;
  if (names->sizes) {
    uint32_t i = ck_visible_size(s, name);
    if (i == s->E->n_sizes)
      ck_refuse(&s->E->job, x->at, "no size is called %s", name);
    return s->E->size[i].variable;
  }
  const ck_binding *found = ck_find_name(names->names, name);
  if (!found)
    ck_refuse(&s->E->job, x->at, "no size, attribute or index is called %s", name);
  return found->value;
}

/* --- relations and conditions */
ck_id ck_relation_value(const ck_scope *s, const ck_names *names, const ck_relation *r) {
  ck_id left = value(s, names, r->left);
  ck_id right = value(s, names, r->right);
  return ck_join(s, r->op, r->swapped ? right : left, r->swapped ? left : right);
}

/* What remains to be evaluated when a condition is decided: a value, or a further condition. */
typedef struct rest {
  const ck_scalar *value;
  const ck_condition *condition;
  const struct rest *yes;
  const struct rest *no;
} rest;

static ck_id choose(const ck_scope *s, const ck_names *names, const rest *r) {
  const ck_condition *c = r->condition;
  if (!c)
    return value(s, names, r->value);
  switch (c->kind) {
  case CK_C_NOT: /* not c: c with the values exchanged */
    return choose(s, names, &(rest){NULL, c->first, r->no, r->yes});
  case CK_C_AND: /* c and d: if c then what d decides, else no */
    return choose(s, names,
                  &(rest){NULL, c->first, &(rest){NULL, c->second, r->yes, r->no}, r->no});
  case CK_C_OR: /* c or d: if c then yes, else what d decides */
    return choose(s, names,
                  &(rest){NULL, c->first, r->yes, &(rest){NULL, c->second, r->yes, r->no}});
  default:
    break;
  }
  ck_id relation = ck_relation_value(s, names, c->relation);
  ck_scope inner = *s;
  ck_place place = ck_under(s, relation);
  inner.place = &place;
  ck_id yes = choose(&inner, names, r->yes);
  place = ck_under(s, ck_neg(s->E->T, relation));
  ck_id no = choose(&inner, names, r->no);
  return ck_choice(s, relation, yes, no);
}

/* --- reductions */
static ck_id reduction(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  ck_terms *T = s->E->T;
  ck_id zero = ck_int(T, 0);
  ck_id bound = ck_integer_value(s, names, x->left);
  if (x->kind == CK_S_MAX || x->kind == CK_S_MIN)
    ck_require(s, CK_LT, zero, bound);
  ck_id counter = ck_variable(s, 'k', s->reductions);
  ck_id state = ck_state(s);
  ck_place place = ck_with_index(s, counter, bound);
  ck_scope inner = *s;
  inner.place = &place;
  inner.reductions++;
  /* a function has no calls of its own: the operator is only for messages */
  ck_binding counter_name = ck_with_name(s, names->call->op, names->names, x->counter, counter);
  ck_names inner_names = *names;
  inner_names.names = &counter_name;
  ck_id f = value(&inner, &inner_names, x->right);
  ck_id first = ck_sure(s, ck_sub(T, f, &counter, &zero, 1, NULL, 0));
  switch (x->kind) {
  case CK_S_SUM:
    return ck_folded(s, counter, bound, zero, ck_join(s, CK_ADD, state, f));
  case CK_S_PROD:
    return ck_folded(s, counter, bound, ck_int(T, 1), ck_join(s, CK_MUL, state, f));
  case CK_S_MAX:
    return ck_folded(s, counter, bound, first, ck_larger(s, state, f));
  default:
    return ck_folded(s, counter, bound, first, ck_smaller(s, state, f));
  }
}

/* --- functions */
static const struct {
  const char *name;
  uint32_t n;
  ck_op op;
} known[] = {{"exp", 1, CK_EXP}, {"log", 1, CK_LOG}, {"sqrt", 1, CK_SQRT}, {"inv", 1, CK_INV},
             {"abs", 1, CK_ITE}, {"max", 2, CK_ITE}, {"min", 2, CK_ITE}};

enum { N_KNOWN = sizeof known / sizeof *known };

static uint32_t known_function(const char *name) {
  uint32_t i = 0;
  while (i < N_KNOWN && strcmp(known[i].name, name) != 0)
    i++;
  return i;
}

static ck_id of_known(const ck_scope *s, uint32_t which, const ck_id *a) {
  ck_id zero = ck_int(s->E->T, 0);
  switch (known[which].op) {
  case CK_LOG:
    ck_require(s, CK_LT, zero, a[0]);
    break;
  case CK_SQRT:
    ck_require(s, CK_LE, zero, a[0]);
    break;
  case CK_INV:
    ck_require(s, CK_NE, a[0], zero);
    break;
  case CK_ITE:
    if (known[which].n == 1) /* abs */
      return ck_choice(s, ck_join(s, CK_LE, zero, a[0]), a[0], ck_minus(s, a[0]));
    return strcmp(known[which].name, "max") == 0 ? ck_larger(s, a[0], a[1])
                                                 : ck_smaller(s, a[0], a[1]);
  default:
    break;
  }
  return ck_sure(s, ck_mk1(s->E->T, known[which].op, a[0]));
}

/* a function with a definition: that, at these arguments; a builtin: any function of reals */
static ck_id of_defined(const ck_scope *s, ck_operator *f, const ck_id *a) {
  f->used = f->used || s->side;
  if (!f->body) {
    char signature[CK_MAX_ARGUMENTS + 3];
    memset(signature, 'r', f->n_tensors);
    memcpy(signature + f->n_tensors, ":r", 3);
    const char *name = ck_keep_text(&s->E->job, "func.%s", f->name->text);
    return ck_sure(s, ck_app(s->E->T, name, signature, a, f->n_tensors));
  }
  ck_binding link[CK_MAX_ARGUMENTS];
  ck_call call = {.op = f};
  ck_names names = {.call = &call};
  uint32_t i = 0;
  for (const ck_formal *g = f->tensors; g; g = g->next, i++) {
    link[i] = ck_with_name(s, f, names.names, g->name->text, a[i]);
    names.names = &link[i];
  }
  return value(s, &names, f->body);
}

static ck_id function(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  ck_id a[CK_MAX_ARGUMENTS];
  const char *name = x->at->text;
  uint32_t which = known_function(name);
  uint32_t n = 0;
  if (x->n > CK_MAX_ARGUMENTS)
    ck_refuse(&s->E->job, x->at, "too many arguments for %s", name);
  for (const ck_scalar *e = x->arguments; e; e = e->next)
    a[n++] = value(s, names, e);
  ck_operator *f = which < N_KNOWN ? NULL : ck_find_operator(s->E, name, true);
  if (which == N_KNOWN && !f)
    ck_refuse(&s->E->job, x->at, "no function is called %s", name);
  if (n != (f ? f->n_tensors : known[which].n))
    ck_refuse(&s->E->job, x->at, "wrong number of arguments for %s", name);
  return f ? of_defined(s, f, a) : of_known(s, which, a);
}

void ck_check_function(ck_elab *E, ck_operator *f) {
  ck_scope s = {.E = E, .at = f->name};
  ck_id a[CK_MAX_ARGUMENTS];
  const char *name = f->name->text;
  uint32_t n = 0;
  E->work = 0;
  if (known_function(name) < N_KNOWN)
    ck_refuse(&E->job, f->name, "%s is known to the checker and cannot be defined", name);
  if (f->n_tensors > CK_MAX_ARGUMENTS)
    ck_refuse(&E->job, f->name, "more than %d arguments", CK_MAX_ARGUMENTS);
  for (const ck_formal *g = f->tensors; g; g = g->next) {
    for (const ck_formal *other = f->tensors; other != g; other = other->next) {
      if (ck_token_is(other->name, g->name->text))
        ck_refuse(&E->job, f->name, "%s has two meanings", g->name->text);
    }
    a[n++] = ck_sure(&s, ck_var(E->T, g->name->text, 'r'));
  }
  of_defined(&s, f, a);
}

/* --- accesses */
typedef struct { /* the indices of an access; groups: of each the group of axes that it runs over,
                    or CK_BAD */
  ck_id at[CK_MAX_RANK];
  ck_id group[CK_MAX_RANK];
  uint32_t n;
} indices;

static void add_index(const ck_scope *s, indices *v, const ck_token *at, ck_id index, ck_id group) {
  if (v->n == CK_MAX_RANK)
    ck_refuse(&s->E->job, at, "too many indices");
  v->at[v->n] = index;
  v->group[v->n++] = group;
}

/* ..a: the indices bound to it; ~o: the last ones, as many as the tensor has axes left, and 0 on
 * axes of extent 1 */
static void add_list(const ck_scope *s, const ck_names *names, const ck_subscript *i,
                     const ck_tensor *t, uint32_t others, indices *v) {
  const ck_list *l = ck_find_list(names->call, i->list);
  if (!l || !l->bound)
    ck_refuse(&s->E->job, i->at, "no indices are bound to %s", i->list);
  uint32_t take = l->n;
  if (i->kind == CK_I_FITTED) {
    if (!t || t->rank < others || t->rank - others > l->n)
      ck_refuse(&s->E->job, i->at, "the tensor has too few or too many axes for ~%s", i->list);
    take = t->rank - others;
  }
  for (uint32_t k = l->n - take; k < l->n; k++) {
    bool one = i->kind == CK_I_FITTED && v->n < t->rank && ck_is_one(s, t->extent[v->n]) &&
               !ck_is_one(s, l->extent[k]);
    add_index(s, v, i->at, one ? ck_int(s->E->T, 0) : l->index[k], ck_group(s, l->extent[k]));
  }
}

/* t: the tensor; NULL: a definition, which has no extents */
static void read_indices(const ck_scope *s, const ck_names *names, const ck_scalar *x,
                         const ck_tensor *t, indices *v) {
  uint32_t others = 0;
  uint32_t fitted = 0; /* indices beside the fitted list */
  for (const ck_subscript *i = x->indices; i; i = i->next) {
    const ck_list *l = i->kind == CK_I_LIST ? ck_find_list(names->call, i->list) : NULL;
    fitted += i->kind == CK_I_FITTED;
    if (fitted > 1)
      ck_refuse(&s->E->job, i->at, "the tensor has too few or too many axes for ~%s", i->list);
    others += i->kind == CK_I_LIST ? (l ? l->n : 0) : i->kind == CK_I_ONE;
  }
  v->n = 0;
  for (const ck_subscript *i = x->indices; i; i = i->next) {
    if (i->kind == CK_I_ONE)
      add_index(s, v, i->at, ck_integer_value(s, names, i->value), CK_BAD);
    else
      add_list(s, names, i, t, others, v);
  }
}

static const ck_let *find_let(const ck_names *names, const char *name) {
  for (const ck_let *d = names->call->op->lets; d != names->before; d = d->next) {
    if (ck_token_is(d->name, name))
      return d;
  }
  return NULL;
}

/* the body of a let, written out at these indices; its own names are only extents, attributes and
 * indices */
static ck_id let_value(const ck_scope *s, const ck_names *names, const ck_let *let,
                       const ck_token *at, const indices *v) {
  uint32_t n = 0;
  for (const ck_left *i = let->left; i; i = i->next) {
    const ck_list *l = i->list ? ck_find_list(names->call, i->name) : NULL;
    uint32_t take = !i->list ? 1 : l ? l->n : 0;
    for (uint32_t k = 0; k < take && n < v->n; k++, n++) {
      if (v->group[n] != (l ? ck_group(s, l->extent[k]) : CK_BAD)) {
        ck_refuse(&s->E->job, at,
                  "the index of a group of axes goes only where the whole group is");
      }
    }
  }
  return ck_definition_value(s, names->call, let, NULL, v->at, v->n);
}

/* an element of an argument, or of an earlier definition */
static ck_id access(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  const char *name = x->at->text;
  indices v;
  const ck_let *let = names->call ? find_let(names, name) : NULL;
  if (let) {
    read_indices(s, names, x, NULL, &v);
    return let_value(s, names, let, x->at, &v);
  }
  uint32_t k = 0;
  const ck_formal *f = names->call && names->call->argument ? names->call->op->tensors : NULL;
  while (f && !ck_token_is(f->name, name)) {
    f = f->next;
    k++;
  }
  if (!f)
    ck_refuse(&s->E->job, x->at, "no tensor or earlier definition is called %s", name);
  const ck_tensor *t = names->call->argument[k];
  read_indices(s, names, x, t, &v);
  if (v.n != t->rank)
    ck_refuse(&s->E->job, x->at, "wrong number of indices for %s", name);
  for (uint32_t j = 0; j < v.n; j++) {
    if (v.group[j] != ck_group(s, t->extent[j])) {
      ck_refuse(&s->E->job, x->at,
                "the index of a group of axes goes only where the whole group is: %s", name);
    }
  }
  for (uint32_t j = 0; j < v.n; j++) {
    ck_require(s, CK_LE, ck_int(s->E->T, 0), v.at[j]);
    ck_require(s, CK_LT, v.at[j], t->extent[j]);
  }
  return ck_element_here(s, t, v.at);
}

/* --- definitions */
typedef struct { /* what the left side of a definition binds */
  ck_call call;  /* with the lists' indices */
  ck_binding link[CK_MAX_RANK];
  const ck_binding *names;
} left_side;

/* Binds what stands at i, from index number `at` on.  Gives how many indices it takes. */
static uint32_t bind_left(const ck_scope *s, left_side *side, const ck_left *i, const ck_id *index,
                          uint32_t n, uint32_t at) {
  if (!i->list) {
    if (at + 1 > n)
      ck_refuse(&s->E->job, i->at, "too few indices for this definition");
    side->link[at] = ck_with_name(s, side->call.op, side->names, i->name, index[at]);
    side->names = &side->link[at];
    return 1;
  }
  ck_list *l = (ck_list *)ck_find_list(&side->call, i->name); /* of our own copy */
  if (!l || l->bound)
    ck_refuse(&s->E->job, i->at, "definition over an unknown or repeated list %s", i->name);
  if (at + l->n > n)
    ck_refuse(&s->E->job, i->at, "too few indices for this definition");
  memcpy(l->index, index + at, l->n * sizeof *index);
  l->bound = true;
  return l->n;
}

ck_id ck_definition_value(const ck_scope *s, const ck_call *call, const ck_let *let,
                          const ck_axis *parts, const ck_id *index, uint32_t n) {
  bool out = let == call->op->out;
  left_side side = {.call = *call, .names = call->fixed};
  uint32_t at = 0;
  for (uint32_t i = 0; i < side.call.n_lists; i++)
    side.call.list[i].bound = false;
  for (const ck_left *i = let->left; i; i = i->next) {
    bool follows = !out || (parts && i->list == (parts->list != NULL) &&
                            (!i->list || strcmp(i->name, parts->list) == 0));
    if (!follows)
      ck_refuse(&s->E->job, i->at, "out's indices do not follow the result's axes");
    at += bind_left(s, &side, i, index, n, at);
    parts = out ? parts->next : NULL;
  }
  if (at != n || parts) {
    ck_refuse(&s->E->job, let->name,
              out ? "out's indices do not follow the result's axes"
                  : "too many indices for this definition");
  }
  ck_names names = {.call = &side.call, .names = side.names, .before = let};
  return value(s, &names, let->body);
}

/* --- values */
static bool is_binary(const ck_scalar *x) {
  return x->kind >= CK_S_ADD && x->kind <= CK_S_MOD;
}

static ck_id combined(const ck_scope *s, const ck_scalar *x, ck_id a, ck_id b) {
  ck_terms *T = s->E->T;
  switch (x->kind) {
  case CK_S_ADD:
    return ck_calculated(s, CK_ADD, a, b);
  case CK_S_SUB:
    return ck_calculated(s, CK_ADD, a, ck_minus(s, b));
  case CK_S_MUL:
    return ck_calculated(s, CK_MUL, a, b);
  case CK_S_QUOTIENT:
    ck_require(s, CK_NE, b, ck_int(T, 0));
    return ck_join(s, CK_MUL, a, ck_sure(s, ck_mk1(T, CK_INV, b)));
  default:
    if (!ck_is_int(T, a) || !ck_is_int(T, b))
      ck_refuse(&s->E->job, x->at, "div and mod are for integers");
    ck_require(s, CK_LT, ck_int(T, 0), b);
    return ck_calculated(s, x->kind == CK_S_DIV ? CK_DIV : CK_MOD, a, b);
  }
}

static ck_id simple_value(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  switch (x->kind) {
  case CK_S_NUMBER:
    return ck_number(s, x->at, false);
  case CK_S_NAME:
    return named(s, names, x);
  case CK_S_NEG:
    return ck_minus(s, value(s, names, x->left));
  case CK_S_CALL:
    return function(s, names, x);
  case CK_S_ACCESS:
    return access(s, names, x);
  case CK_S_IF:
    return choose(
        s, names,
        &(rest){NULL, x->condition, &(rest){.value = x->left}, &(rest){.value = x->right}});
  default:
    return reduction(s, names, x);
  }
}

/* a + b + c + ..: the chain to the left is walked in a loop, so that only nesting is recursion */
static ck_id value(const ck_scope *outer, const ck_names *names, const ck_scalar *x) {
  ck_scope inner = *outer;
  const ck_scope *s = &inner;
  uint32_t n = 0;
  const ck_scalar *leftmost = x;
  if (++s->E->work > CK_MAX_WORK)
    ck_refuse(&s->E->job, s->at, "the operator takes more than %d steps to expand", CK_MAX_WORK);
  if (++inner.depth > CK_MAX_DEPTH) {
    ck_refuse(&s->E->job, s->at,
              "expressions nest more than %d deep, functions and definitions written out",
              CK_MAX_DEPTH);
  }
  for (; is_binary(leftmost); leftmost = leftmost->left)
    n++;
  ck_id t = simple_value(s, names, leftmost);
  if (n == 0)
    return t;
  const ck_scalar **chain = ck_keep(&s->E->job, n * sizeof *chain);
  for (uint32_t i = n; i-- > 0; x = x->left)
    chain[i] = x;
  for (uint32_t i = 0; i < n; i++)
    t = combined(s, chain[i], t, value(s, names, chain[i]->right));
  return t;
}

ck_id ck_scalar_value(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  return value(s, names, x);
}

ck_id ck_integer_value(const ck_scope *s, const ck_names *names, const ck_scalar *x) {
  ck_id t = value(s, names, x);
  if (!ck_is_int(s->E->T, t))
    ck_refuse(&s->E->job, x->at, "not an integer");
  return t;
}

ck_id ck_size_value(const ck_scope *s, const ck_scalar *x) {
  s->E->work = 0;
  return ck_integer_value(s, &(ck_names){.sizes = true}, x);
}

/* Scalars: size expressions and bodies in index notation (proofs/CLAIM.md section 3, 4.4). */
#include "ck_elab.h"

static ck_id value(const ck_scope *s, const ck_expr *x);

/* --- names */
/* whose definitions a name means first */
static const unsigned orders[][3] = {
    [CK_READ_GIVEN] = {CK_OF_GIVEN, CK_LIBRARY},
    [CK_READ_MUGRAPH] = {CK_OF_CANDIDATE, CK_OF_GIVEN, CK_LIBRARY},
    [CK_READ_PROGRAM] = {CK_OF_CANDIDATE, CK_LIBRARY, CK_OF_GIVEN}};

ck_operator *ck_known(const ck_elab *E, const ck_operator *behind, const char *name, bool function,
                      unsigned users) {
  ck_operator *op = E->operators.first;
  while (op && op != behind &&
         !(op->function == function && (op->at->file->users & users) &&
           strcmp(op->at->text, name) == 0))
    op = op->next;
  return op == behind ? NULL : op;
}

ck_operator *ck_find_operator(const ck_elab *E, const ck_operator *behind, const char *name,
                              bool function) {
  /* a body is read as in the text that its file belongs to */
  bool given = behind && !(behind->at->file->users & CK_OF_CANDIDATE);
  const unsigned *order = orders[given ? CK_READ_GIVEN : E->reader];
  ck_operator *found = NULL;
  CK_BELOW(i, 3)
    found = found ? found : ck_known(E, behind, name, function, order[i]);
  return found;
}

const char *ck_shadowing(const ck_elab *E, const ck_operator *op) {
  const char *slash = strrchr(op->at->file->name, '/');
  return !ck_known(E, op, op->at->text, op->function, ~0u) ? NULL
         : slash                                           ? slash + 1
                                                           : op->at->file->name;
}

const char *ck_specification(ck_elab *E, const ck_operator *op) {
  const char *whose = op->at->file->users & CK_OF_GIVEN ? "own " : "candidate's ";
  return ck_keep_text(&E->job, "%s%s%s", ck_shadowing(E, op) ? whose : "",
                      op->function ? "func " : "", op->at->text);
}

const ck_axes *ck_find_axes(const ck_call *call, const char *name) {
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

static const ck_decl *find_decl(ck_list list, const char *name) {
  const ck_decl *d = list.first;
  while (d && !ck_token_is(d->at, name))
    d = d->next;
  return d;
}

ck_binding ck_with_name(const ck_scope *s, const ck_operator *op, const ck_binding *names,
                        const char *name, ck_id value_of_name) {
  uint32_t depth = names ? names->depth + 1 : 1;
  if (ck_find_name(names, name) || (!op->function && find_decl(op->tensors, name)) ||
      find_decl(op->lets, name))
    ck_refuse(s->job, op->at, "%s has two meanings", name);
  ck_within(s->job, op->at, CK_LIMIT_NAMES, depth);
  return (ck_binding){.up = names, .name = name, .value = value_of_name, .depth = depth};
}

static ck_id named(const ck_scope *s, const ck_token *at) {
  const ck_size_symbol *size = s->call ? NULL : ck_visible_size(s, at->text);
  const ck_binding *found = ck_find_name(s->names, at->text);
  if (size || found)
    return size ? size->variable : found->value;
  if (s->whole == at) /* a tile that is stored as a whole, at the lanes */
    return ck_read_element(s, ck_find_tensor(s->side->tensors, at->text), s->lanes);
  return ck_refuse(s->job, at, "no size%s is called %s", s->call ? ", attribute or index" : "",
                   at->text);
}

/* --- relations and conditions */
ck_id ck_relation_value(const ck_scope *s, const ck_expr *r) {
  ck_id left = value(s, r->left);
  ck_id right = value(s, r->right);
  return ck_mk2(s->T, r->op, r->swapped ? right : left, r->swapped ? left : right);
}

/* What remains to be evaluated: a value, or a condition with what remains when it is decided. */
typedef struct rest {
  const ck_expr *x;
  const struct rest *yes;
  const struct rest *no;
} rest;

static ck_id choose(const ck_scope *s, const rest *r) {
  const ck_expr *c = r->x;
  switch (c->kind) {
  case CK_X_NOT: /* not c: c with the values exchanged */
    return choose(s, &(rest){c->left, r->no, r->yes});
  case CK_X_AND: /* c and d: if c then what d decides, else no */
    return choose(s, &(rest){c->left, &(rest){c->right, r->yes, r->no}, r->no});
  case CK_X_OR: /* c or d: if c then yes, else what d decides */
    return choose(s, &(rest){c->left, r->yes, &(rest){c->right, r->yes, r->no}});
  case CK_X_RELATION:
    break;
  default:
    return value(s, c);
  }
  ck_id relation = ck_relation_value(s, c);
  ck_scope inner = *s;
  ck_place place = ck_under(s, relation);
  inner.place = &place;
  ck_id yes = choose(&inner, r->yes);
  place = ck_under(s, NOT(relation));
  ck_id no = choose(&inner, r->no);
  return ITE(relation, yes, no);
}

/* --- reductions */
static ck_id reduction(const ck_scope *s, const ck_expr *x) {
  ck_id bound = ck_integer_value(s, x->left);
  bool of_none = x->kind == CK_X_SUM || x->kind == CK_X_PROD;
  if (!of_none)
    ck_require(s, LT(ZERO, bound));
  ck_id counter = ck_variable(s, 'k', s->reductions);
  ck_id state = ck_state(s);
  ck_place place = ck_with_index(s, counter, bound);
  ck_binding name = {s->names, x->name, counter, 0};
  if (s->call)
    name = ck_with_name(s, s->call->op, s->names, x->name, counter);
  else if (ck_is_visible(s, x->name))
    ck_refuse(s->job, x->at, "%s is already defined", x->name);
  ck_scope inner = *s;
  inner.place = &place;
  inner.names = &name;
  inner.reductions++;
  ck_id f = value(&inner, x->right);
  ck_id first = ck_sub(s->T, f, &counter, &(ck_id){ZERO}, 1, NULL, 0);
  switch (x->kind) {
  case CK_X_SUM:
    return ck_folded(s, counter, bound, ZERO, PLUS(state, f));
  case CK_X_PROD:
    return ck_folded(s, counter, bound, ONE, TIMES(state, f));
  case CK_X_MAX:
    return ck_folded(s, counter, bound, first, MAX2(state, f));
  default:
    return ck_folded(s, counter, bound, first, MIN2(state, f));
  }
}

/* --- functions */
typedef enum { EXP_, LOG_, SQRT_, INV_, ABS_, MAX_, MIN_, N_KNOWN } known_function;

static const struct {
  const char *name;
  uint32_t n;
} known[N_KNOWN] = {
    [EXP_] = {"exp", 1}, [LOG_] = {"log", 1}, [SQRT_] = {"sqrt", 1}, [INV_] = {"inv", 1},
    [ABS_] = {"abs", 1}, [MAX_] = {"max", 2}, [MIN_] = {"min", 2}};

static known_function which_function(const char *name) {
  known_function which = EXP_;
  while (which < N_KNOWN && strcmp(known[which].name, name) != 0)
    which++;
  return which;
}

static ck_id of_known(const ck_scope *s, known_function which, ck_id a, ck_id b) {
  switch (which) {
  case EXP_:
    return EXP(a);
  case LOG_:
    ck_require(s, LT(ZERO, a));
    return LOG(a);
  case SQRT_:
    ck_require(s, LE(ZERO, a));
    return SQRT(a);
  case INV_:
    ck_require(s, NE(a, ZERO));
    return INV(a);
  case ABS_:
    return ITE(LE(ZERO, a), a, ck_minus(s, a));
  case MAX_:
    return MAX2(a, b);
  default:
    return MIN2(a, b);
  }
}

/* a function with a definition: that, at these arguments; a builtin: a function of
 * reals of which no more is known than its laws say */
static ck_id of_defined(const ck_scope *s, ck_operator *f, const ck_id *a) {
  uint32_t n = f->tensors.n;
  uint32_t i = 0;
  f->used = f->used || s->side;
  if (!f->body) {
    char signature[CK_MAX_ARGUMENTS + 3];
    memset(signature, 'r', n);
    memcpy(signature + n, ":r", 3);
    return ck_app(s->T, ck_keep_text(s->job, "func.%s", f->at->text), signature, a, n);
  }
  ck_binding link[CK_MAX_ARGUMENTS];
  ck_call call = {.op = f};
  ck_scope inner = *s;
  inner.call = &call;
  inner.names = NULL;
  inner.before = NULL;
  CK_EACH(ck_decl, argument, f->tensors) {
    link[i] = ck_with_name(s, f, inner.names, argument->at->text, a[i]);
    inner.names = &link[i++];
  }
  return value(&inner, f->body);
}

static ck_id function(const ck_scope *s, const ck_expr *x) {
  ck_id a[CK_MAX_ARGUMENTS] = {CK_BAD};
  const char *name = x->at->text;
  known_function which = which_function(name);
  uint32_t n = 0;
  if (!ck_within(s->job, x->at, CK_LIMIT_ARGUMENTS, x->arguments.n))
    return CK_BAD;
  CK_EACH(ck_expr, e, x->arguments)
    a[n++] = value(s, e);
  const ck_operator *behind = s->call ? s->call->op : NULL;
  ck_operator *f = which < N_KNOWN ? NULL : ck_find_operator(s->E, behind, name, true);
  if (which == N_KNOWN && !f)
    return ck_refuse(s->job, x->at, "no function is called %s", name);
  if (n != (f ? f->tensors.n : known[which].n))
    return ck_refuse(s->job, x->at, "wrong number of arguments for %s", name);
  return f ? of_defined(s, f, a) : of_known(s, which, a[0], a[1]);
}

void ck_check_function(ck_elab *E, ck_operator *f) {
  ck_scope s = ck_scope_of(E, NULL, f->at);
  ck_id a[CK_MAX_ARGUMENTS];
  uint32_t n = 0;
  E->steps = 0;
  if (which_function(f->at->text) < N_KNOWN)
    ck_refuse(s.job, f->at, "%s is known to the checker and cannot be defined", f->at->text);
  if (!ck_within(s.job, f->at, CK_LIMIT_ARGUMENTS, f->tensors.n))
    return;
  CK_EACH(ck_decl, argument, f->tensors) {
    if (find_decl(f->tensors, argument->at->text) != argument)
      ck_refuse(s.job, f->at, "%s has two meanings", argument->at->text);
    a[n++] = ck_var(E->T, argument->at->text, 'r');
  }
  of_defined(&s, f, a);
}

/* --- accesses */
typedef struct { /* the indices of an access; groups: of each the group of axes that it runs over,
                    or CK_BAD */
  ck_id at[CK_MAX_AXES];
  ck_id group[CK_MAX_AXES];
  uint32_t n;
} indices;

static void add_index(const ck_scope *s, indices *v, const ck_part *i, ck_id index, ck_id group) {
  if (!ck_within(s->job, i->at, CK_LIMIT_AXES, v->n + 1))
    return;
  v->at[v->n] = index;
  v->group[v->n++] = group;
}

/* ..a: the indices bound to it; ~o: the last ones, as many as the tensor has axes left, and 0 on
 * axes of extent 1 */
static void add_list(const ck_scope *s, const ck_part *i, const ck_tensor *t, uint32_t others,
                     indices *v) {
  const ck_axes *l = ck_find_axes(s->call, i->name);
  bool fitted = i->kind == CK_P_FITTED;
  if (!l || !l->bound) {
    ck_refuse(s->job, i->at, "no indices are bound to %s", i->name);
    return;
  }
  if (fitted && (!t || t->rank < others || t->rank - others > l->n)) {
    ck_refuse(s->job, i->at, "the tensor has too few or too many axes for ~%s", i->name);
    return;
  }
  for (uint32_t k = fitted ? l->n - (t->rank - others) : 0; k < l->n; k++) {
    bool one =
        fitted && v->n < t->rank && ck_is_one(s, t->extent[v->n]) && !ck_is_one(s, l->extent[k]);
    add_index(s, v, i, one ? ZERO : l->index[k], ck_group(s, l->extent[k]));
  }
}

/* t: the tensor; NULL: a definition, which has no extents */
static indices read_indices(const ck_scope *s, const ck_expr *x, const ck_tensor *t) {
  indices v = {.n = 0};
  uint32_t others = 0; /* indices beside the fitted list */
  uint32_t fitted = 0;
  CK_EACH(ck_part, i, x->indices) {
    const ck_axes *l = i->kind == CK_P_LIST ? ck_find_axes(s->call, i->name) : NULL;
    others += i->kind == CK_P_LIST ? (l ? l->n : 0) : i->kind == CK_P_ONE;
    fitted += i->kind == CK_P_FITTED;
    if (fitted > 1)
      ck_refuse(s->job, i->at, "the tensor has too few or too many axes for ~%s", i->name);
  }
  CK_EACH(ck_part, i, x->indices) {
    if (i->kind == CK_P_ONE)
      add_index(s, &v, i, ck_integer_value(s, i->value), CK_BAD);
    else
      add_list(s, i, t, others, &v);
  }
  return v;
}

static void check_group(const ck_scope *s, const ck_expr *x, ck_id of_index, ck_id of_axis) {
  if (of_index != of_axis) {
    ck_refuse(s->job, x->at, "the index of a group of axes goes only where the whole group is: %s",
              x->at->text);
  }
}

/* the body of a let, written out at these indices; its own names are only extents, attributes and
 * indices */
static ck_id let_value(const ck_scope *s, const ck_decl *let, const ck_expr *x) {
  indices v = read_indices(s, x, NULL);
  uint32_t n = 0;
  CK_EACH(ck_part, i, let->parts) {
    const ck_axes *l = i->kind == CK_P_LIST ? ck_find_axes(s->call, i->name) : NULL;
    uint32_t take = i->kind == CK_P_ONE ? 1 : l ? l->n : 0;
    for (uint32_t k = 0; k < take && n < v.n; k++)
      check_group(s, x, v.group[n++], l ? ck_group(s, l->extent[k]) : CK_BAD);
  }
  return ck_definition_value(s, let, v.at, v.n);
}

ck_id ck_indices_of(const ck_scope *s, const ck_tensor *t, const ck_expr *x,
                    ck_id at[CK_MAX_AXES]) {
  indices v = read_indices(s, x, t);
  if (v.n != t->rank)
    return ck_refuse(s->job, x->at, "wrong number of indices for %s", x->at->text);
  CK_BELOW(j, v.n)
    check_group(s, x, v.group[j], ck_group(s, t->extent[j]));
  CK_BELOW(j, v.n) {
    ck_require(s, LE(ZERO, v.at[j]));
    ck_require(s, LT(v.at[j], t->extent[j]));
  }
  memcpy(at, v.at, v.n * sizeof *at);
  return ONE;
}

static ck_id argument_value(const ck_scope *s, const ck_tensor *t, const ck_expr *x) {
  ck_id at[CK_MAX_AXES];
  return ck_indices_of(s, t, x, at) == CK_BAD ? CK_BAD : ck_read_element(s, t, at);
}

/* an element of an earlier definition, or of an argument */
static ck_id access(const ck_scope *s, const ck_expr *x) {
  const char *name = x->at->text;
  uint32_t k = 0;
  if (!s->call)
    return ck_tile_access(s, x);
  for (const ck_decl *d = s->call->op->lets.first; s->before && d != s->before; d = d->next) {
    if (ck_token_is(d->at, name))
      return let_value(s, d, x);
  }
  CK_EACH(ck_decl, f, s->call->op->tensors) {
    if (s->call->argument && ck_token_is(f->at, name))
      return argument_value(s, s->call->argument[k], x);
    k++;
  }
  return ck_refuse(s->job, x->at, "no tensor or earlier definition is called %s", name);
}

/* --- definitions */
static ck_axes *unbound_axes(ck_call *call, const char *name) {
  ck_axes *l = (ck_axes *)ck_find_axes(call, name);
  return l && !l->bound ? l : NULL;
}

ck_id ck_definition_value(const ck_scope *s, const ck_decl *let, const ck_id *index, uint32_t n) {
  const ck_operator *op = s->call->op;
  const ck_part *axis = op->result.first;
  bool out = let == op->lets.last;
  ck_call call = *s->call; /* with the indices of its lists */
  ck_binding link[CK_MAX_AXES];
  ck_scope inner = *s;
  uint32_t at = 0;
  inner.call = &call;
  inner.names = call.fixed;
  inner.before = let;
  CK_BELOW(i, call.n_lists)
    call.list[i].bound = false;
  CK_EACH(ck_part, i, let->parts) {
    bool list = i->kind == CK_P_LIST;
    ck_axes *l = list ? unbound_axes(&call, i->name) : NULL;
    uint32_t take = l ? l->n : 1;
    if (out && (!axis || list != (axis->name != NULL) || (list && strcmp(i->name, axis->name))))
      return ck_refuse(s->job, i->at, "out's indices do not follow the result's axes");
    if (list && !l)
      return ck_refuse(s->job, i->at, "definition over an unknown or repeated list %s", i->name);
    if (at + take > n)
      return ck_refuse(s->job, i->at, "too few indices for this definition");
    if (l) {
      memcpy(l->index, index + at, take * sizeof *index);
      l->bound = true;
    } else {
      link[at] = ck_with_name(s, op, inner.names, i->name, index[at]);
      inner.names = &link[at];
    }
    at += take;
    axis = out ? axis->next : NULL;
  }
  if (at != n || (out && axis)) {
    return ck_refuse(s->job, let->at,
                     out ? "out's indices do not follow the result's axes"
                         : "too many indices for this definition");
  }
  return value(&inner, let->value);
}

/* --- values */
static ck_id combined(const ck_scope *s, const ck_expr *x, ck_id a, ck_id b) {
  switch (x->kind) {
  case CK_X_ADD:
    return ck_calculated(s, CK_ADD, a, b);
  case CK_X_SUB:
    return ck_calculated(s, CK_ADD, a, ck_minus(s, b));
  case CK_X_MUL:
    return ck_calculated(s, CK_MUL, a, b);
  case CK_X_QUOTIENT:
    ck_require(s, NE(b, ZERO));
    return TIMES(a, INV(b));
  default:
    if (!ck_is_int(s->T, a) || !ck_is_int(s->T, b))
      return ck_refuse(s->job, x->at, "div and mod are for integers");
    ck_require(s, LT(ZERO, b));
    return ck_calculated(s, x->kind == CK_X_DIV ? CK_DIV : CK_MOD, a, b);
  }
}

static ck_id simple_value(const ck_scope *s, const ck_expr *x) {
  switch (x->kind) {
  case CK_X_NUMBER:
    return ck_number(s, x);
  case CK_X_NAME:
    return named(s, x->at);
  case CK_X_NEG:
    return ck_minus(s, value(s, x->left));
  case CK_X_CALL:
    return function(s, x);
  case CK_X_ACCESS:
    return access(s, x);
  case CK_X_IF:
    return choose(s, &(rest){x->condition, &(rest){.x = x->left}, &(rest){.x = x->right}});
  default:
    return reduction(s, x);
  }
}

static ck_id value(const ck_scope *outer, const ck_expr *x) {
  ck_scope inner = *outer;
  const ck_scope *s = &inner;
  const ck_expr *y = ck_leftmost(x);
  if (ck_refused(s->job) || !ck_within(s->job, s->at, CK_LIMIT_STEPS, ++s->E->steps) ||
      !ck_within(s->job, s->at, CK_LIMIT_DEPTH, ++inner.depth))
    return CK_BAD;
  ck_id t = simple_value(s, y);
  while (y != x) {
    y = y->up;
    t = combined(s, y, t, value(s, y->right));
  }
  return ck_sure(s, t);
}

ck_id ck_scalar_value(const ck_scope *s, const ck_expr *x) {
  s->E->steps = 0;
  return value(s, x);
}

ck_id ck_integer_value(const ck_scope *s, const ck_expr *x) {
  ck_id t = value(s, x);
  return ck_is_int(s->T, t) ? t : ck_refuse(s->job, x->at, "not an integer");
}

ck_id ck_size_value(const ck_scope *s, const ck_expr *x) {
  s->E->steps = 0;
  return ck_integer_value(s, x);
}

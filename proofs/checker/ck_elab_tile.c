/* Tile programs with loops and mutable tensors (proofs/CLAIM.md section 6.2).  A tensor is known by
 * its latest version: a symbol of its positions and of the iterations of the loops around, or one
 * value everywhere.  A store makes a version, and so does a loop, of all that it changes. */
#include "ck_elab.h"

/* --- tensors and versions */
static ck_id no_value(const ck_scope *s) {
  return INV(ZERO);
}

static void declare(const ck_scope *s, const ck_line *line) {
  ck_tensor t = {.type = "", .stored = true, .depth = s->n_lead};
  ck_new_tensor_name(s, line->name);
  t.rank = ck_dims_value(s, line->tile, t.extent);
  t.value = line->value ? ck_number(s, line->value) : no_value(s);
  t.unset = !line->value;
  if (!line->value && s->side->candidate) {
    t.written = ck_keep(s->job, sizeof t);
    *t.written = t;
    t.written->value = ZERO;
  }
  ck_tensor *known = ck_enter(s, &s->side->tensors, line->name->text, &t);
  if (line->output)
    ck_add_output(s, line->name, known);
}

/* The version of t with that element at $i0 ..; what it is made from is the scope's loops. */
static void set(const ck_scope *s, ck_tensor *t, const char *name, ck_id body, const char *by) {
  t->lead = s->lead;
  t->n_lead = s->n_lead;
  ck_define_symbol(s, t, ck_symbol_name(s, name), body, by);
}

/* --- loads and stores */
static void touch(const ck_scope *s, const ck_tensor *t, const ck_id *position) {
  ck_side *side = s->side;
  uint32_t n = 0;
  for (const ck_place *p = s->place; p; p = p->up)
    n++;
  if (!side->candidate || !ck_within(s->job, s->at, CK_LIMIT_TENSORS, side->touches.n + 1))
    return;
  ck_touch *made = ck_add(s->job, &side->touches, sizeof *made);
  made->tensor = t;
  made->store = s->storing;
  made->value = s->value;
  made->n = n;
  made->place = ck_keep(s->job, (n + 1) * sizeof *made->place);
  for (const ck_place *p = s->place; p; p = p->up)
    made->place[--n] = *p;
  memcpy(made->position, position, t->rank * sizeof *position);
}

ck_id ck_tile_access(const ck_scope *s, const ck_expr *x) {
  const ck_tensor *t = ck_find_tensor(s->side->tensors, x->at->text);
  ck_id at[CK_MAX_AXES];
  if (!t || t->stored != x->of_tensor || !s->side->tile)
    return ck_refuse(s->job, x->at, "no %s is called %s here", x->of_tensor ? "tensor" : "tile",
                     x->at->text);
  if (ck_indices_of(s, t, x, at) == CK_BAD)
    return CK_BAD;
  if (x->of_tensor)
    touch(s, t, at);
  s->side->loads_unset |= x->of_tensor && !s->storing && t->unset;
  return s->storing && x->of_tensor ? ck_element_here(s, t, at) : ck_read_element(s, t, at);
}

typedef struct { /* lanes of a statement; the scope that they are visible in */
  ck_scope s;
  ck_tensor extents; /* rank and extents */
  ck_id variable[CK_MAX_AXES];
  ck_place place[CK_MAX_AXES];
  ck_binding name[CK_MAX_AXES];
} lanes;

/* named by this letter: $i0 .. of a tile that is made, $k0 .. where a tensor is stored to */
static void read_lanes(const ck_scope *s, const ck_line *line, char letter, lanes *l) {
  uint32_t n = 0;
  *l = (lanes){.s = *s};
  CK_EACH(ck_part, lane, line->tile) {
    if (!ck_within(s->job, lane->at, CK_LIMIT_AXES, n + 1))
      return;
    l->extents.extent[n++] = ck_size_value(s, lane->value);
    ck_require_extent(s, l->extents.extent[n - 1]);
  }
  l->extents.rank = n;
  n = 0;
  CK_EACH(ck_part, lane, line->tile) {
    ck_new_tensor_name(&l->s, lane->at);
    l->variable[n] = ck_variable(s, letter, n);
    l->name[n] = (ck_binding){l->s.names, lane->name, l->variable[n], 0};
    l->s.names = &l->name[n];
    l->place[n] = ck_with_index(&l->s, l->variable[n], l->extents.extent[n]);
    l->s.place = &l->place[n++];
  }
  l->s.lanes = l->variable;
  l->s.reductions = letter == 'k' ? n : 0;
}

/* NAME lanes = value */
static void make(const ck_scope *s, const ck_line *line) {
  lanes l;
  ck_new_tensor_name(s, line->name);
  read_lanes(s, line, 'i', &l);
  ck_binding none = {l.s.names, "$none", no_value(s), 0};
  l.s.names = &none;
  ck_id body = ck_scalar_value(&l.s, line->value);
  if (line->computed && !s->side->candidate)
    ck_refuse(s->job, line->at, "what is masked out has no value (else): nothing is claimed of it");
  if (ck_refused(s->job))
    return;
  ck_tensor t = l.extents;
  t.type = "";
  if (line->computed) { /* where it has a value */
    l.s.quiet = true;
    t.written = memcpy(ck_keep(s->job, sizeof t), &t, sizeof t);
    set(s, t.written, line->name->text, ck_scalar_value(&l.s, line->computed), "load");
  }
  set(s, &t, line->name->text, body, line->value->of_tensor ? "load" : "make");
  ck_enter(s, &s->side->tensors, line->name->text, &t);
}

/* Where two touches at different iterations or lanes, the index at this depth of their places, may
 * not meet, or (alike) store the same value where they meet: the places outside are the same, those
 * inside are each one's own. */
static void apart(const ck_scope *outer, const ck_touch *a, const ck_touch *b, uint32_t depth,
                  bool alike) {
  ck_scope s_ = *outer;
  ck_scope *s = &s_;
  ck_id from[CK_MAX_CONDITIONS];
  ck_id to[CK_MAX_CONDITIONS];
  uint32_t n = 0;
  uint32_t n_places = 0;
  uint32_t axis = a->tensor->rank - 1;
  if (a->n + b->n + CK_MAX_AXES > CK_MAX_CONDITIONS) {
    ck_within(s->job, s->at, CK_LIMIT_CONDITIONS, a->n + b->n + CK_MAX_AXES);
    return;
  }
  ck_place *places = ck_keep(s->job, (a->n + b->n + CK_MAX_AXES + 1) * sizeof *places);
  for (uint32_t k = depth; k < b->n; k++) {
    if (b->place[k].variable == CK_BAD)
      continue;
    from[n] = b->place[k].variable;
    to[n] = ck_variable(s, 'q', n);
    n++;
  }
#define OTHER(x) ck_sub(s->T, x, from, to, n, NULL, 0)
  for (uint32_t k = 0; k < a->n + b->n - depth; k++) {
    ck_place p = k < a->n ? a->place[k] : b->place[k - a->n + depth];
    for (int i = 0; i < 2 && k >= a->n && p.relation[i] != CK_BAD; i++)
      p.relation[i] = OTHER(p.relation[i]);
    if (k >= a->n && p.variable != CK_BAD)
      p.variable = OTHER(p.variable);
    p.up = s->place;
    if (k < depth && k < outer->n_lead)
      continue; /* around the scope's place already */
    places[n_places] = p;
    s->place = &places[n_places++];
  }
  places[n_places] = ck_under(s, LT(a->place[depth].variable, to[0]));
  s->place = &places[n_places++];
  if (a->tensor->rank == 0 && !alike) {
    ck_require(s, LT(ZERO, ZERO));
    return;
  }
  for (uint32_t d = a->tensor->rank; d-- > 0;)
    axis = ck_has_var(s->T, a->position[d], a->place[depth].variable) ? d : axis;
  CK_BELOW(d, a->tensor->rank) {
    if (d == axis && !alike)
      continue;
    places[n_places] = ck_under(s, EQ(a->position[d], OTHER(b->position[d])));
    s->place = &places[n_places++];
  }
  ck_require(s, alike ? EQ(a->value, OTHER(b->value))
                      : NE(a->position[axis], OTHER(b->position[axis])));
#undef OTHER
}

/* what t holds when the lanes have been stored, one after another */
static ck_id stored(const ck_scope *s, const ck_tensor *t, const ck_line *line, lanes *l,
                    bool marks) {
  ck_binding name[CK_MAX_AXES + 1];
  ck_id index[CK_MAX_AXES];
  ck_scope inner = l->s;
  inner.quiet = true;
  inner.storing = true;
  CK_BELOW(d, t->rank)
    index[d] = ck_variable(s, 'i', d);
  ck_id before = ck_element_here(s, t, index);
  ck_id state = l->extents.rank ? ck_state(s) : before;
  for (uint32_t d = 0; d <= t->rank; d++) {
    const char *what = d < t->rank ? ck_keep_text(s->job, "$p%u", d) : "$s";
    name[d] = (ck_binding){inner.names, what, d < t->rank ? index[d] : state, 0};
    inner.names = &name[d];
  }
  ck_expr one = {.kind = CK_X_NUMBER, .at = &(ck_token){.text = "1"}};
  ck_expr choice = *line->stored; /* if there is anything to choose */
  choice.left = &one;
  const ck_expr *marked = line->stored == line->value ? &one : &choice;
  ck_id body = ck_scalar_value(&inner, marks ? marked : line->stored);
  for (uint32_t k = l->extents.rank; k-- > 0 && !ck_refused(s->job);)
    body = ck_folded(s, l->variable[k], l->extents.extent[k], k ? state : before, body);
  return body;
}

/* those that were met after this one; NULL: all */
static const ck_touch *touches_after(const ck_scope *s, const ck_touch *touch) {
  return touch ? touch->next : s->side->touches.first;
}

/* A tile that is stored as a whole has the extents of the lanes, whether one of them stores or not.
 */
static void store_whole(const ck_scope *s, const ck_expr *value, lanes *l) {
  const ck_tensor *tile =
      value->kind == CK_X_NAME ? ck_find_tensor(s->side->tensors, value->at->text) : NULL;
  if (!tile || tile->stored)
    return;
  if (tile->rank != l->extents.rank) {
    ck_refuse(s->job, value->at, "%s has %u axes, not %u", value->at->text, tile->rank,
              l->extents.rank);
    return;
  }
  l->s.whole = value->at;
  CK_BELOW(i, tile->rank)
    ck_require_same(s, tile->extent[i], l->extents.extent[i]);
}

static void put(const ck_scope *s, const ck_line *line) {
  lanes l;
  ck_tensor *t = ck_find_tensor(s->side->tensors, line->place->at->text);
  const ck_touch *before = s->side->touches.last;
  if (!t || !t->stored || t->fixed || strcmp(t->type, "int") == 0) {
    ck_refuse(s->job, line->place->at, "no tensor that can be stored to is called %s here",
              line->place->at->text);
    return;
  }
  read_lanes(s, line, 'k', &l);
  store_whole(s, line->value, &l);
  if (ck_refused(s->job))
    return;
  l.s.value = ck_scalar_value(&l.s, line->computed);
  l.s.storing = true;
  ck_scalar_value(&l.s, line->touched);
  for (const ck_touch *a = touches_after(s, before); a; a = a->next) {
    for (const ck_touch *b = touches_after(s, before); b; b = b->next) {
      CK_BELOW(lane, l.extents.rank)
        apart(s, a, b, s->n_lead + lane, false);
    }
  }
  if (ck_refused(s->job))
    return;
  ck_tensor after = *t;
  set(s, &after, t->name, stored(s, t, line, &l, false), "store");
  if (t->written && !ck_refused(s->job))
    set(s, t->written, t->name, stored(s, t->written, line, &l, true), "store");
  *t = after;
}

/* --- loops */
typedef struct { /* what a loop changes or carries: the version inside of it and before it */
  ck_tensor *tensor;
  uint32_t definition;
  const ck_line *next; /* of a carried tile */
  const ck_tensor *after;
} carried;

typedef struct {
  carried *at;
  uint32_t n;
} all_carried;

/* The version of t at the start of iteration $l, of which the end of the loop says what it is one
 * iteration later. */
static carried begin(const ck_scope *s, ck_tensor *t, const char *name) {
  ck_id index[CK_MAX_AXES];
  CK_BELOW(d, t->rank)
    index[d] = ck_variable(s, 'i', d);
  ck_id base = ck_element_here(s, t, index);
  carried c = {.tensor = t, .definition = s->side->n_definitions};
  set(s, t, name, no_value(s), "loop"); /* a real number, until the end says which */
  ck_definition *d = &s->side->definitions[c.definition];
  if (!ck_refused(s->job)) {
    d->carried = true;
    d->base = base;
    d->body = CK_BAD;
  }
  return c;
}

/* the two clauses of what is carried, when its element after an iteration is known */
static void finish(const ck_scope *s, const carried *c, ck_id after) {
  ck_side *side = s->side;
  ck_definition *d = &side->definitions[c->definition];
  ck_id counter = d->parameter[s->n_lead - 1];
  ck_id from = ck_make(s->T, CK_APP, d->name, d->signature, d->parameter, d->n);
  ck_id more = PLUS(counter, ONE);
  ck_id to = ck_sub(s->T, from, &counter, &more, 1, NULL, 0);
  ck_id start[] = {LE(counter, ZERO), EQ(from, d->base)};
  ck_id step[] = {LE(ZERO, counter), EQ(to, after)};
  for (int i = 0; i < 2; i++) {
    start[i] = ck_close(s->T, start[i], d->parameter, d->n);
    step[i] = ck_close(s->T, step[i], d->parameter, d->n);
  }
  d->base_clause = ck_sure(s, ck_all(s->T, d->n, start, 2));
  d->clause = ck_sure(s, ck_all(s->T, d->n, step, 2));
  d->body = after;
  d->until = side->n_definitions;
}

static bool stores_to(const ck_line *line, const char *name) {
  if (line->kind == CK_L_PUT && strcmp(line->place->at->text, name) == 0)
    return true;
  CK_EACH(ck_line, inner, line->lines) {
    if (stores_to(inner, name))
      return true;
  }
  return false;
}

/* all tensors that the loop stores to, and what it carries */
static all_carried begin_all(const ck_scope *s, const ck_line *line, uint32_t n_outside) {
  ck_side *side = s->side;
  all_carried all = {ck_keep(s->job, (2 * side->tensors.n + 1) * sizeof *all.at), 0};
  uint32_t i = 0;
  for (ck_tensor *t = side->tensors.first; t; t = t->next) {
    bool outside = i++ < n_outside;
    if (outside && !(t->stored && stores_to(line, t->name)))
      continue;
    if (t->written)
      all.at[all.n++] = begin(s, t->written, t->name);
    all.at[all.n++] = begin(s, t, t->name);
  }
  return all;
}

static ck_id trips(const ck_scope *s, ck_id from, ck_id to, ck_id step) {
  ck_id length = ck_calculated(s, CK_ADD, to, ck_minus(s, from));
  if (ck_constant(s, step, 1))
    return length;
  ck_id rounded = ck_calculated(s, CK_ADD, step, ck_int(s->T, -1));
  return ck_calculated(s, CK_DIV, ck_calculated(s, CK_ADD, length, rounded), step);
}

static void next(const ck_scope *s, const ck_line *line, all_carried *all) {
  carried *c = NULL;
  CK_BELOW(i, all->n) {
    if (!all->at[i].tensor->stored && ck_token_is(line->name, all->at[i].tensor->name))
      c = &all->at[i];
  }
  if (!c || c->next) {
    ck_refuse(s->job, line->name, "%s is not carried, or has two nexts", line->name->text);
    return;
  }
  c->next = line;
  c->after = ck_expression(s, line->value, line->name->text);
  if (!c->after)
    return;
  if (c->after->rank != c->tensor->rank)
    ck_refuse(s->job, line->name, "what is carried keeps its axes");
  if (c->after->written)
    ck_refuse(s->job, line->name, "what is carried has values everywhere");
  for (uint32_t d = 0; d < c->tensor->rank && !ck_refused(s->job); d++)
    ck_require_same(s, c->tensor->extent[d], c->after->extent[d]);
}

/* do its place, and whether it is made at all, depend on the index at this depth? */
static bool depends_on(const ck_scope *s, const ck_touch *a, uint32_t depth) {
  ck_id x = a->place[depth].variable;
  bool depends = false;
  CK_BELOW(d, a->tensor->rank)
    depends |= ck_has_var(s->T, a->position[d], x);
  for (uint32_t k = depth + 1; k < a->n; k++) {
    for (int i = 0; i < 2; i++)
      depends |= a->place[k].relation[i] != CK_BAD && ck_has_var(s->T, a->place[k].relation[i], x);
  }
  return depends;
}

/* Is it the same place, under the same indices and conditions, but for the names of these? */
static bool same_place(const ck_scope *s, const ck_touch *a, const ck_touch *b) {
  ck_id from[CK_MAX_CONDITIONS];
  ck_id to[CK_MAX_CONDITIONS];
  bool same = a->tensor == b->tensor && a->n == b->n && a->n <= CK_MAX_CONDITIONS;
  uint32_t n = 0;
  for (uint32_t k = 0; same && k < a->n; k++) {
    from[n] = a->place[k].variable;
    to[n] = b->place[k].variable;
    same = (from[n] == CK_BAD) == (to[n] == CK_BAD);
    n += from[n] != CK_BAD;
  }
#define RENAMED(x) ck_sub(s->T, x, from, to, n, NULL, 0)
  for (uint32_t k = 0; same && k < a->n; k++) {
    for (int i = 0; i < 2; i++) {
      ck_id there = b->place[k].relation[i];
      ck_id here = a->place[k].relation[i];
      same &= (here == CK_BAD ? CK_BAD : RENAMED(here)) == there;
    }
  }
  for (uint32_t d = 0; same && d < a->tensor->rank; d++)
    same = RENAMED(a->position[d]) == b->position[d];
#undef RENAMED
  return same;
}

/* has the iteration that loads stored there itself, before? */
static bool stored_before(const ck_scope *s, const ck_touch *first, const ck_touch *load) {
  for (const ck_touch *a = first; a != load; a = a->next) {
    if (a->store && same_place(s, a, load))
      return true;
  }
  return false;
}

/* What iterations of a parallel loop do to each other; a: the first touch in it.  No one touches
 * what another one stores to; or, where places do not say which iteration it is, all store the same
 * there, and load it when they have stored it. */
static void no_conflicts(const ck_scope *s, const ck_touch *first) {
  for (const ck_touch *a = first; a; a = a->next) {
    for (const ck_touch *b = first; b && !ck_refused(s->job); b = b->next) {
      if (a->tensor != b->tensor || a->tensor->depth > s->n_lead || !(a->store || b->store))
        continue;
      bool own = depends_on(s, a, s->n_lead) || depends_on(s, b, s->n_lead);
      bool both = a->store && b->store;
      if (own || both || !stored_before(s, first, a->store ? b : a))
        apart(s, a, b, s->n_lead, !own && both);
    }
  }
}

static void end_all(const ck_scope *s, const ck_line *line, const all_carried *all) {
  ck_id index[CK_MAX_AXES];
  CK_BELOW(d, CK_MAX_AXES)
    index[d] = ck_variable(s, 'i', d);
  CK_BELOW(i, all->n) {
    const carried *c = &all->at[i];
    if (!c->tensor->stored && !c->next)
      ck_refuse(s->job, line->at, "%s is carried and has no next", c->tensor->name);
    if (!ck_refused(s->job))
      finish(s, c, ck_element_here(s, c->next ? c->after : c->tensor, index));
  }
}

/* behind the loop all that it changed is what it is after all iterations */
static void after_all(const ck_scope *s, const all_carried *all, ck_id count) {
  ck_id *lead = ck_keep(s->job, (s->n_lead + 1) * sizeof *lead);
  if (s->n_lead)
    memcpy(lead, s->lead, s->n_lead * sizeof *lead);
  lead[s->n_lead] = count;
  CK_BELOW(i, all->n) {
    const ck_definition *d = &s->side->definitions[all->at[i].definition];
    ck_tensor *t = all->at[i].tensor;
    t->value = CK_BAD;
    t->symbol = d->name;
    t->signature = d->signature;
    t->lead = lead;
    t->n_lead = s->n_lead + 1;
  }
}

static void loop(const ck_scope *outer, const ck_line *line) {
  ck_side *side = outer->side;
  ck_scope s = *outer;
  uint32_t n_outside = side->tensors.n;
  const ck_touch *before = side->touches.last;
  ck_id from = ck_size_value(outer, line->from);
  ck_id to = ck_size_value(outer, line->to);
  ck_id step = line->step ? ck_size_value(outer, line->step) : ck_int(s.T, 1);
  if (s.n_lead == CK_MAX_LOOPS)
    ck_refuse(s.job, line->at, "more than %d loops within each other", CK_MAX_LOOPS);
  if (ck_refused(s.job))
    return;
  ck_require(outer, ck_mk2(s.T, CK_LT, ck_int(s.T, 0), step));
  ck_id count = trips(outer, from, to, step);
  CK_EACH(ck_line, carry, line->lines) {
    ck_scope at = *outer;
    at.at = carry->at;
    if (carry->kind == CK_L_CARRY && line->parallel)
      ck_refuse(s.job, carry->at, "a parallel loop carries nothing");
    if (carry->kind != CK_L_CARRY || ck_refused(s.job))
      continue;
    const ck_tensor *made = ck_define_tensor(&at, carry);
    if (made && made->written)
      ck_refuse(s.job, carry->at, "what is carried has values everywhere");
  }
  ck_new_tensor_name(&s, line->name); /* nor is it that of what is carried */
  ck_list known = side->tensors;
  if (ck_refused(s.job))
    return;
  /* inside */
  ck_id *lead = ck_keep(s.job, (s.n_lead + 1) * sizeof *lead);
  uint32_t *numbers = ck_keep(s.job, (s.n_lead + 1) * sizeof *numbers);
  CK_BELOW(i, s.n_lead) {
    lead[i] = outer->lead[i];
    numbers[i] = outer->loop[i];
  }
  ck_id counter = lead[s.n_lead] = ck_variable(&s, 'l', s.n_lead);
  numbers[s.n_lead++] = ++side->n_loops;
  s.lead = lead;
  s.loop = numbers;
  ck_id value = ck_calculated(&s, CK_ADD, from, ck_calculated(&s, CK_MUL, counter, step));
  ck_binding name = {s.names, line->name->text, value, 0};
  ck_place place = ck_with_index(&s, counter, count);
  s.names = &name;
  s.place = &place;
  all_carried all = begin_all(&s, line, n_outside);
  CK_EACH(ck_line, inner, line->lines) {
    s.at = inner->at;
    if (ck_refused(s.job))
      return;
    if (inner->kind == CK_L_NEXT)
      next(&s, inner, &all);
    else if (inner->kind != CK_L_CARRY)
      ck_read_statement(&s, inner);
  }
  s.at = line->at;
  end_all(&s, line, &all);
  if (line->parallel && side->candidate) {
    ck_scope around = *outer;
    around.at = line->at;
    no_conflicts(&around, touches_after(outer, before));
  }
  after_all(outer, &all, count);
  side->tensors = known;
  if (known.last)
    ((ck_tensor *)known.last)->next = NULL;
}

void ck_read_statement(const ck_scope *s, const ck_line *line) {
  switch (line->kind) {
  case CK_L_TENSOR:
    declare(s, line);
    break;
  case CK_L_LOOP:
    loop(s, line);
    break;
  case CK_L_MAKE:
    make(s, line);
    break;
  case CK_L_PUT:
    put(s, line);
    break;
  default:
    ck_define_tensor(s, line);
    break;
  }
}

void ck_read_results(const ck_scope *s) {
  /* What has no value is in no operation's domain, and outside of none: a given program that may
   * compute with it is defined, whatever its obligations say of the number in the value's place. */
  if (!s->side->candidate && s->side->loads_unset)
    s->side->obligations = (ck_list){.first = NULL};
  for (ck_tensor *z = s->side->outputs.first; z; z = z->next) {
    ck_place place[CK_MAX_AXES];
    ck_id index[CK_MAX_AXES];
    ck_scope inner = *s;
    ck_tensor *next = z->next;
    *z = *ck_find_tensor(s->side->tensors, z->name);
    z->next = next;
    CK_BELOW(i, z->rank) {
      index[i] = ck_variable(s, 'i', i);
      place[i] = ck_with_index(&inner, index[i], z->extent[i]);
      inner.place = &place[i];
    }
    if (z->written)
      ck_require(&inner, EQ(ck_element_here(s, z->written, index), ONE));
  }
}

/* Calls of operators: matching of shapes, obligations, the definition that a call makes
 * (proofs/CLAIM.md section 4). */
#include "ck_elab.h"

/* --- elements and symbols */
ck_id ck_element(const ck_scope *s, const ck_tensor *t, const ck_id *block, ck_id iteration,
                 const ck_id *index) {
  ck_id argument[CK_MAX_PARAMETERS];
  ck_terms *T = s->E->T;
  uint32_t n = 0;
  if (t->value != CK_BAD)
    return t->value;
  for (uint32_t k = 0; t->in_block && k < s->block->n_axes; k++)
    argument[n++] = block[k];
  if (t->varying)
    argument[n++] = iteration;
  for (uint32_t k = 0; k < t->rank; k++)
    argument[n++] = index[k];
  ck_id element = ck_sure(s, ck_make(T, CK_APP, t->symbol, t->signature, argument, n));
  if (!t->truth)
    return element;
  ck_id zero = ck_int(T, 0);
  return ck_choice(s, ck_join(s, CK_EQ, element, zero), zero, ck_int(T, 1));
}

ck_id ck_element_here(const ck_scope *s, const ck_tensor *t, const ck_id *index) {
  ck_id iteration = s->block ? ck_variable(s, 'b', CK_LOOP) : CK_BAD;
  return ck_element(s, t, s->block ? s->block->variables : NULL, iteration, index);
}

void ck_define_symbol(const ck_scope *s, ck_tensor *t, const char *symbol, const ck_id *lead,
                      uint32_t n_lead, ck_id body, const char *by) {
  ck_elab *E = s->E;
  ck_side *side = s->side;
  uint32_t n = n_lead + t->rank;
  char signature[CK_MAX_PARAMETERS + 3];
  ck_id bound[CK_MAX_PARAMETERS];
  ck_id *parameter = ck_keep(&E->job, (n + 1) * sizeof *parameter);
  if (side->n_definitions == CK_MAX_TENSORS)
    ck_refuse(&E->job, s->at, "more than %d tensors", CK_MAX_TENSORS);
  for (uint32_t k = 0; k < n; k++) {
    parameter[k] = k < n_lead ? lead[k] : ck_variable(s, 'i', k - n_lead);
    bound[k] = ck_sure(s, ck_bound(E->T, k, 'i'));
    signature[k] = 'i';
  }
  memcpy(signature + n, ck_is_int(E->T, body) ? ":i" : ":r", 3);
  t->value = CK_BAD;
  t->symbol = ck_word(E->T, symbol);
  t->signature = ck_word(E->T, signature);
  t->truth = false;
  ck_definition *d = &side->definitions[side->n_definitions++];
  *d = (ck_definition){
      .name = t->symbol, .signature = t->signature, .parameter = parameter, .n = n, .body = body};
  d->candidate = side->candidate;
  d->line = s->at->line;
  d->by = by;
  ck_id closed = ck_sure(s, ck_close(E->T, body, parameter, n));
  ck_id left = ck_sure(s, ck_make(E->T, CK_APP, t->symbol, t->signature, n ? bound : NULL, n));
  d->clause = ck_join(s, CK_EQ, left, closed);
  if (n)
    d->clause = ck_sure(s, ck_all(E->T, n, &d->clause, 1));
}

/* --- shapes */
typedef struct { /* a call whose arguments are being matched */
  const ck_scope *s;
  ck_call *call;
  ck_binding link[CK_MAX_NAMES];
  uint32_t n_links;
} matching;

static const char *operator_name(const matching *m) {
  return m->call->op->name->text;
}

static void bind(matching *m, const char *name, ck_id value) {
  ck_binding link =
      ck_with_name(m->s, m->call->op, m->call->fixed, name, value); /* at most CK_MAX_NAMES */
  m->link[m->n_links] = link;
  m->call->fixed = &m->link[m->n_links++];
}

/* the integer of sizes and attributes that stands there */
static ck_id extent_value(const matching *m, const ck_axis *a) {
  ck_names names = {.call = m->call, .names = m->call->fixed, .before = m->call->op->lets};
  return ck_integer_value(m->s, &names, a->value);
}

/* A group of axes meets only itself: equal products of extents are not equal extents. */
static void meet(const matching *m, ck_id a, ck_id b) {
  if (ck_group(m->s, a) != ck_group(m->s, b)) {
    ck_refuse(&m->s->E->job, m->s->at, "%s: a group of axes can only meet itself",
              operator_name(m));
  }
}

/* enters the list, or finds it with the same axes */
static void match_list(matching *m, const char *name, uint32_t n, const ck_id *extent) {
  const ck_scope *s = m->s;
  const ck_list *known = ck_find_list(m->call, name);
  if (!known) {
    if (m->call->n_lists == CK_MAX_PARTS)
      ck_refuse(&s->E->job, m->call->op->name, "more than %d lists of axes", CK_MAX_PARTS);
    ck_list *l = &m->call->list[m->call->n_lists++];
    *l = (ck_list){.name = name, .n = n};
    memcpy(l->extent, extent, n * sizeof *extent);
    known = l;
  }
  if (known->n != n) {
    ck_refuse(&s->E->job, s->at, "%s: ..%s stands for %u axes and for %u", operator_name(m), name,
              (unsigned)known->n, (unsigned)n);
  }
  for (uint32_t i = 0; i < n; i++) {
    meet(m, known->extent[i], extent[i]);
    ck_require_same(s, known->extent[i], extent[i]);
  }
}

/* others would broadcast it */
static void not_one_at_large(const matching *m, ck_id extent) {
  if (ck_one_at_large(m->s, extent))
    ck_refuse(&m->s->E->job, m->s->at, "%s: an extent of 1 must be written so", operator_name(m));
}

/* (a, b) as o: aligned at the right; an axis missing or of literal extent 1 gives way to the other
 */
static void broadcast(matching *m, const ck_axis *part) {
  const ck_scope *s = m->s;
  const ck_list *a = ck_find_list(m->call, part->first);
  const ck_list *b = ck_find_list(m->call, part->second);
  ck_id extent[CK_MAX_RANK];
  if (!a || !b || ck_find_list(m->call, part->list))
    ck_refuse(&s->E->job, part->at, "broadcast of unknown lists, or as a known one");
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 1; i <= n; i++) {
    ck_id x = i <= a->n ? a->extent[a->n - i] : b->extent[b->n - i];
    ck_id y = i <= b->n ? b->extent[b->n - i] : x;
    meet(m, x, y);
    if (!ck_is_one(s, x) && !ck_is_one(s, y) && !ck_same(s, x, y)) {
      not_one_at_large(m, x);
      not_one_at_large(m, y);
      ck_require(s, CK_EQ, x, y);
    }
    extent[n - i] = ck_is_one(s, x) ? y : x;
  }
  match_list(m, part->list, n, extent);
}

/* --- arguments */
/* number of axes that ..a@e takes; negative: all but so many */
static long list_count(const matching *m, const ck_axis *part, long rank) {
  ck_id e = extent_value(m, part);
  for (long v = -rank; v <= rank; v++) {
    if (ck_constant(m->s, e, v))
      return v;
  }
  ck_refuse(&m->s->E->job, m->s->at, "%s: the axis must be a number that fits a tensor of %ld axes",
            operator_name(m), rank);
}

typedef struct { /* how many axes each part of a shape takes; of ..a@e the value of e */
  uint32_t take[CK_MAX_PARTS];
  long count[CK_MAX_PARTS];
} split;

static void split_axes(const matching *m, const ck_formal *f, const ck_tensor *t, split *p) {
  ck_job *job = &m->s->E->job;
  uint32_t used = 0;
  uint32_t i = 0;
  uint32_t open = CK_MAX_PARTS; /* open: the part that takes what is left */
  for (const ck_axis *a = f->axes; a; a = a->next, i++) {
    const ck_list *l = a->list && !a->value ? ck_find_list(m->call, a->list) : NULL;
    p->count[i] = 0;
    if (!a->list) {
      p->take[i] = 1;
    } else if (a->value) {
      p->count[i] = list_count(m, a, (long)t->rank);
      p->take[i] = (uint32_t)(p->count[i] < 0 ? p->count[i] + (long)t->rank : p->count[i]);
    } else if (l) {
      p->take[i] = l->n;
    } else {
      if (open < CK_MAX_PARTS)
        ck_refuse(job, m->call->op->name, "two lists of unknown length in %s", f->name->text);
      open = i;
      p->take[i] = 0;
    }
    used += p->take[i];
  }
  if (used > t->rank || (used < t->rank && open == CK_MAX_PARTS)) {
    ck_refuse(job, m->s->at, "%s: argument %s cannot have %u axes", operator_name(m), f->name->text,
              (unsigned)t->rank);
  }
  if (open < CK_MAX_PARTS)
    p->take[open] = t->rank - used;
}

/* ..a@e counts axes: those that it takes, or from the end those that it leaves; none of them is a
 * group */
static void no_group_counted(const matching *m, const ck_tensor *t, uint32_t from, uint32_t n,
                             bool from_end) {
  for (uint32_t k = 0; k < t->rank; k++) {
    bool taken = k >= from && k < from + n;
    if (ck_group(m->s, t->extent[k]) != CK_BAD && taken != from_end) {
      ck_refuse(&m->s->E->job, m->s->at, "%s: an axis number cannot count across a group of axes",
                operator_name(m));
    }
  }
}

static void match_argument(matching *m, const ck_formal *f, const ck_tensor *t) {
  split p;
  uint32_t at = 0;
  uint32_t i = 0;
  if (f->n_axes > CK_MAX_PARTS)
    ck_refuse(&m->s->E->job, f->name, "more than %d axes", CK_MAX_PARTS);
  split_axes(m, f, t, &p);
  for (const ck_axis *a = f->axes; a; a = a->next, at += p.take[i++]) {
    if (a->list && a->value)
      no_group_counted(m, t, at, p.take[i], p.count[i] < 0);
    if (a->list) {
      match_list(m, a->list, p.take[i], t->extent + at);
    } else {
      bool name = a->value->kind == CK_S_NAME;
      if (ck_group(m->s, t->extent[at]) != CK_BAD) {
        ck_refuse(&m->s->E->job, m->s->at, "%s: a group of axes cannot be taken as one axis",
                  operator_name(m));
      }
      if (name && !ck_find_name(m->call->fixed, a->value->at->text))
        bind(m, a->value->at->text, t->extent[at]);
      else
        ck_require_same(m->s, extent_value(m, a), t->extent[at]);
    }
  }
}

static void match_attributes(matching *m, const ck_given_attribute *given, uint32_t n) {
  const ck_scope *s = m->s;
  uint32_t met = 0;
  for (const ck_formal *f = m->call->op->attributes; f; f = f->next) {
    ck_id value = f->default_number ? ck_number(s, f->default_number, f->default_negative) : CK_BAD;
    uint32_t times = 0;
    for (uint32_t j = 0; j < n; j++) {
      if (!ck_token_is(f->name, given[j].name))
        continue;
      if (times++)
        ck_refuse(&s->E->job, given[j].at, "attribute given twice");
      value = given[j].value;
      met |= 1u << j;
    }
    if (value == CK_BAD)
      ck_refuse(&s->E->job, s->at, "%s needs the attribute %s", operator_name(m), f->name->text);
    bind(m, f->name->text, value);
  }
  for (uint32_t j = 0; j < n; j++) {
    if (!(met >> j & 1))
      ck_refuse(&s->E->job, given[j].at, "%s has no attribute %s", operator_name(m), given[j].name);
  }
}

/* --- the result */
static void result_extents(matching *m, ck_tensor *t) {
  const ck_scope *s = m->s;
  const ck_operator *op = m->call->op;
  if (op->n_result > CK_MAX_PARTS)
    ck_refuse(&s->E->job, op->result->at, "more than %d axes", CK_MAX_PARTS);
  for (const ck_axis *a = op->result; a; a = a->next) {
    if (a->first)
      broadcast(m, a);
  }
  for (const ck_axis *a = op->result; a; a = a->next) {
    const ck_list *l = a->list ? ck_find_list(m->call, a->list) : NULL;
    if (a->list && !l)
      ck_refuse(&s->E->job, s->at, "%s: ..%s is not known", operator_name(m), a->list);
    ck_id one = l ? CK_BAD : extent_value(m, a);
    for (uint32_t k = 0; k < (l ? l->n : 1); k++) {
      if (t->rank == CK_MAX_RANK)
        ck_refuse(&s->E->job, s->at, "%s: more than %d axes", operator_name(m), CK_MAX_RANK);
      t->extent[t->rank++] = l ? l->extent[k] : one;
    }
  }
  for (uint32_t i = 0; i < t->rank; i++)
    ck_require_extent(s, t->extent[i]);
}

/* the body of out at $i0 .., under their ranges */
static ck_id result_body(matching *m, const ck_tensor *t) {
  ck_place place[CK_MAX_RANK];
  ck_id index[CK_MAX_RANK];
  ck_scope inner = *m->s;
  for (uint32_t i = 0; i < t->rank; i++) {
    index[i] = ck_variable(m->s, 'i', i);
    place[i] = ck_with_index(&inner, index[i], t->extent[i]);
    inner.place = &place[i];
  }
  return ck_definition_value(&inner, m->call, m->call->op->out, m->call->op->result, index,
                             t->rank);
}

static void distinct_names(const matching *m) {
  const ck_operator *op = m->call->op;
  uint32_t lets = 0;
  for (const ck_formal *f = op->tensors; f; f = f->next) {
    bool twice = false;
    for (const ck_formal *g = op->tensors; g != f; g = g->next)
      twice = twice || ck_token_is(g->name, f->name->text);
    for (const ck_let *d = op->lets; d; d = d->next)
      twice = twice || ck_token_is(d->name, f->name->text);
    if (twice)
      ck_refuse(&m->s->E->job, op->name, "%s has two meanings", f->name->text);
  }
  for (const ck_let *d = op->lets; d; d = d->next) {
    if (++lets > CK_MAX_LETS)
      ck_refuse(&m->s->E->job, d->name, "more than %d definitions", CK_MAX_LETS);
    for (const ck_let *e = op->lets; e != d; e = e->next) {
      if (ck_token_is(e->name, d->name->text))
        ck_refuse(&m->s->E->job, d->name, "%s has two meanings", d->name->text);
    }
  }
}

/* the parameters of a symbol before its own indices */
static uint32_t leading(const ck_scope *s, const ck_tensor *t, ck_id lead[4]) {
  uint32_t n = 0;
  for (uint32_t k = 0; t->in_block && k < s->block->n_axes; k++)
    lead[n++] = s->block->variables[k];
  if (t->varying)
    lead[n++] = ck_variable(s, 'b', CK_LOOP);
  return n;
}

ck_tensor *ck_call_operator(const ck_scope *outer, const char *name, ck_tensor *const *argument,
                            uint32_t n, const ck_given_attribute *given, uint32_t n_given,
                            const char *symbol) {
  ck_elab *E = outer->E;
  ck_scope scope = *outer;
  ck_operator *op = ck_find_operator(E, name, false);
  E->work = 0;
  if (!op)
    ck_refuse(&E->job, outer->at, "no operator is called %s", name);
  if (op->n_tensors != n) {
    ck_refuse(&E->job, outer->at, "%s takes %u tensors, not %u", name, (unsigned)op->n_tensors,
              (unsigned)n);
  }
  op->used = true;
  matching *m = ck_keep(&E->job, sizeof *m);
  m->s = &scope;
  m->call = ck_keep(&E->job, sizeof *m->call);
  m->call->op = op;
  distinct_names(m);
  match_attributes(m, given, n_given);
  uint32_t i = 0;
  for (const ck_formal *f = op->tensors; f; f = f->next)
    match_argument(m, f, argument[i++]);
  m->call->argument = argument;
  ck_names names = {.call = m->call, .names = m->call->fixed, .before = op->lets};
  for (const ck_relation *r = op->requires; r; r = r->next) {
    ck_id relation = ck_relation_value(&scope, &names, r);
    ck_require(&scope, ck_head(E->T, relation), ck_kid(E->T, relation, 0),
               ck_kid(E->T, relation, 1));
  }
  ck_tensor *t = ck_keep(&E->job, sizeof *t);
  t->value = CK_BAD;
  t->in_block = scope.block != NULL;
  result_extents(m, t);
  for (i = 0; i < n; i++) {
    t->varying = t->varying || argument[i]->varying;
    t->after = t->after || argument[i]->after;
  }
  ck_id body = result_body(m, t);
  ck_id lead[4];
  uint32_t n_lead = leading(&scope, t, lead);
  ck_define_symbol(&scope, t, symbol, lead, n_lead, body, name);
  return t;
}

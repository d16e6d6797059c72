/* Calls of operators: matching of shapes, obligations, the definition that a call makes
 * (proofs/CLAIM.md section 4). */
#include "ck_elab.h"

/* --- elements and symbols */
/* What the symbol of t takes before its own indices. */
static uint32_t leading(const ck_scope *s, const ck_tensor *t, const ck_id *block, ck_id iteration,
                        ck_id *to) {
  uint32_t n = t->n_lead;
  if (n)
    memcpy(to, t->lead, n * sizeof *to);
  for (; t->in_block && n < s->block->n_axes; n++)
    to[n] = block[n];
  if (t->varying)
    to[n++] = iteration;
  return n;
}

ck_id ck_element(const ck_scope *s, const ck_tensor *t, const ck_id *block, ck_id iteration,
                 const ck_id *index) {
  ck_id argument[CK_MAX_PARAMETERS];
  if (t->value != CK_BAD)
    return t->value;
  uint32_t n = leading(s, t, block, iteration, argument);
  memcpy(argument + n, index, t->rank * sizeof *index);
  ck_id element = ck_make(s->T, CK_APP, t->symbol, t->signature, argument, n + t->rank);
  bool truth = strcmp(t->type, "bool") == 0;
  return truth ? ITE(EQ(element, ZERO), ZERO, ONE) : element;
}

ck_id ck_element_here(const ck_scope *s, const ck_tensor *t, const ck_id *index) {
  return ck_element(s, t, s->block ? s->block->variables : NULL, ck_variable(s, 'b', CK_LOOP),
                    index);
}

ck_id ck_read_element(const ck_scope *s, const ck_tensor *t, const ck_id *index) {
  if (t->written)
    ck_require(s, EQ(ck_element_here(s, t->written, index), ONE));
  return ck_element_here(s, t, index);
}

void ck_define_symbol(const ck_scope *s, ck_tensor *t, const char *symbol, ck_id body,
                      const char *by) {
  ck_terms *T = s->T;
  ck_side *side = s->side;
  char signature[CK_MAX_PARAMETERS + 3];
  ck_id bound[CK_MAX_PARAMETERS];
  ck_id *parameter = ck_keep(s->job, sizeof bound);
  if (ck_sure(s, body) == CK_BAD ||
      !ck_within(s->job, s->at, CK_LIMIT_TENSORS, side->n_definitions + 1))
    return;
  uint32_t n_lead =
      leading(s, t, s->block ? s->block->variables : NULL, ck_variable(s, 'b', CK_LOOP), parameter);
  uint32_t n = n_lead + t->rank;
  CK_BELOW(k, n) {
    parameter[k] = k < n_lead ? parameter[k] : ck_variable(s, 'i', k - n_lead);
    bound[k] = ck_bound(T, k, 'i');
    signature[k] = 'i';
  }
  memcpy(signature + n, ck_is_int(T, body) ? ":i" : ":r", 3);
  t->value = CK_BAD;
  t->type = "";
  t->symbol = ck_word(T, symbol);
  t->signature = ck_word(T, signature);
  ck_id left = ck_make(T, CK_APP, t->symbol, t->signature, bound, n);
  ck_id clause = EQ(left, ck_close(T, body, parameter, n));
  side->definitions[side->n_definitions++] =
      (ck_definition){.name = t->symbol,
                      .signature = t->signature,
                      .parameter = parameter,
                      .n = n,
                      .body = body,
                      .clause = ck_sure(s, n ? ck_all(T, n, &clause, 1) : clause),
                      .loop = s->loop,
                      .n_loops = s->n_lead,
                      .until = side->n_definitions - 1,
                      .candidate = side->candidate,
                      .line = s->at->line,
                      .by = by};
}

/* --- shapes */
typedef struct { /* a call whose arguments are being matched */
  ck_scope s;    /* names are those of the operator */
  ck_call call;
  const char *name; /* of the operator */
  ck_binding link[CK_MAX_NAMES];
  uint32_t n_links;
} matching;

static void bind(matching *m, const char *name, ck_id value) {
  ck_binding link = ck_with_name(&m->s, m->call.op, m->call.fixed, name, value);
  if (ck_refused(m->s.job))
    return; /* at most CK_MAX_NAMES */
  m->link[m->n_links] = link;
  m->s.names = m->call.fixed = &m->link[m->n_links++];
}

/* A group of axes meets only itself: equal products of extents are not equal extents. */
static void meet(const matching *m, ck_id a, ck_id b) {
  if (ck_group(&m->s, a) != ck_group(&m->s, b))
    ck_refuse(m->s.job, m->s.at, "%s: a group of axes can only meet itself", m->name);
}

/* enters the list, or finds it with the same axes */
static void match_list(matching *m, const char *name, uint32_t n, const ck_id *extent) {
  const ck_scope *s = &m->s;
  const ck_axes *known = ck_find_axes(&m->call, name);
  if (!known) {
    if (!ck_within(s->job, m->call.op->at, CK_LIMIT_PARTS, m->call.n_lists + 1))
      return;
    ck_axes *l = &m->call.list[m->call.n_lists++];
    *l = (ck_axes){.name = name, .n = n};
    memcpy(l->extent, extent, n * sizeof *extent);
    known = l;
  }
  if (known->n != n) {
    ck_refuse(s->job, s->at, "%s: ..%s stands for %u axes and for %u", m->name, name, known->n, n);
    return;
  }
  CK_BELOW(i, n) {
    meet(m, known->extent[i], extent[i]);
    ck_require_same(s, known->extent[i], extent[i]);
  }
}

/* others would broadcast it */
static void not_one_at_large(const matching *m, ck_id extent) {
  if (ck_one_at_large(&m->s, extent))
    ck_refuse(m->s.job, m->s.at, "%s: an extent of 1 must be written so", m->name);
}

/* (a, b) as o: aligned at the right; an axis missing or of literal extent 1 gives way to the other
 */
static void broadcast(matching *m, const ck_part *part) {
  const ck_scope *s = &m->s;
  const ck_axes *a = ck_find_axes(&m->call, part->first);
  const ck_axes *b = ck_find_axes(&m->call, part->second);
  ck_id extent[CK_MAX_AXES];
  if (!a || !b || ck_find_axes(&m->call, part->name)) {
    ck_refuse(s->job, part->at, "broadcast of unknown lists, or as a known one");
    return;
  }
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 1; i <= n; i++) {
    ck_id x = i <= a->n ? a->extent[a->n - i] : b->extent[b->n - i];
    ck_id y = i <= b->n ? b->extent[b->n - i] : x;
    meet(m, x, y);
    if (!ck_is_one(s, x) && !ck_is_one(s, y) && !ck_same(s, x, y)) {
      not_one_at_large(m, x);
      not_one_at_large(m, y);
      ck_require(s, EQ(x, y));
    }
    extent[n - i] = ck_is_one(s, x) ? y : x;
  }
  match_list(m, part->name, n, extent);
}

/* --- arguments */
/* number of axes that ..a@e takes; negative: all but so many */
static long list_count(const matching *m, const ck_part *part, long rank) {
  ck_id e = ck_integer_value(&m->s, part->value);
  long v = -rank;
  while (v <= rank && !ck_constant(&m->s, e, v))
    v++;
  if (v <= rank)
    return v;
  ck_refuse(m->s.job, m->s.at, "%s: the axis must be a number that fits a tensor of %ld axes",
            m->name, rank);
  return 0;
}

typedef struct { /* how many axes each part of a shape takes; of ..a@e the value of e */
  uint32_t take[CK_MAX_PARTS];
  long count[CK_MAX_PARTS];
} split;

static split split_axes(const matching *m, const ck_decl *f, const ck_tensor *t) {
  split p = {{0}, {0}};
  uint32_t used = 0;
  uint32_t i = 0;
  uint32_t open = CK_MAX_PARTS; /* the part that takes what is left */
  CK_EACH(ck_part, a, f->parts) {
    bool list = a->kind == CK_P_LIST;
    const ck_axes *known = list && !a->value ? ck_find_axes(&m->call, a->name) : NULL;
    if (!list) {
      p.take[i] = 1;
    } else if (a->value) {
      p.count[i] = list_count(m, a, (long)t->rank);
      p.take[i] = (uint32_t)(p.count[i] < 0 ? p.count[i] + (long)t->rank : p.count[i]);
    } else if (known) {
      p.take[i] = known->n;
    } else {
      if (open < CK_MAX_PARTS)
        ck_refuse(m->s.job, m->call.op->at, "two lists of unknown length in %s", f->at->text);
      open = i;
    }
    used += p.take[i++];
  }
  if (used > t->rank || (used < t->rank && open == CK_MAX_PARTS))
    ck_refuse(m->s.job, m->s.at, "%s: argument %s cannot have %u axes", m->name, f->at->text,
              t->rank);
  else if (open < CK_MAX_PARTS)
    p.take[open] = t->rank - used;
  return p;
}

/* ..a@e counts axes: those that it takes, or from the end those that it leaves; none of them is a
 * group */
static void no_group_counted(const matching *m, const ck_tensor *t, uint32_t from, uint32_t n,
                             bool from_end) {
  CK_BELOW(k, t->rank) {
    bool taken = k >= from && k < from + n;
    if (ck_group(&m->s, t->extent[k]) != CK_BAD && taken != from_end) {
      ck_refuse(m->s.job, m->s.at, "%s: an axis number cannot count across a group of axes",
                m->name);
    }
  }
}

static void match_argument(matching *m, const ck_decl *f, const ck_tensor *t) {
  const ck_scope *s = &m->s;
  uint32_t at = 0;
  uint32_t i = 0;
  if (ck_refused(s->job) || !ck_within(s->job, f->at, CK_LIMIT_PARTS, f->parts.n))
    return;
  split p = split_axes(m, f, t);
  CK_EACH(ck_part, a, f->parts) {
    if (ck_refused(s->job))
      return;
    if (a->kind == CK_P_LIST) {
      if (a->value)
        no_group_counted(m, t, at, p.take[i], p.count[i] < 0);
      match_list(m, a->name, p.take[i], t->extent + at);
    } else {
      const char *name = a->value->kind == CK_X_NAME ? a->value->at->text : NULL;
      if (ck_group(s, t->extent[at]) != CK_BAD)
        ck_refuse(s->job, s->at, "%s: a group of axes cannot be taken as one axis", m->name);
      if (name && !ck_find_name(m->call.fixed, name))
        bind(m, name, t->extent[at]);
      else
        ck_require_same(s, ck_integer_value(s, a->value), t->extent[at]);
    }
    at += p.take[i++];
  }
}

static void match_attributes(matching *m, const ck_given_attribute *given, uint32_t n) {
  const ck_scope *s = &m->s;
  uint32_t met = 0;
  CK_EACH(ck_decl, f, m->call.op->attributes) {
    ck_id value = f->value ? ck_number(s, f->value) : CK_BAD;
    bool twice = false;
    CK_BELOW(j, n) {
      if (!ck_token_is(f->at, given[j].name))
        continue;
      if (twice)
        ck_refuse(s->job, given[j].at, "attribute given twice");
      twice = true;
      value = given[j].value;
      met |= 1u << j;
    }
    if (value == CK_BAD)
      ck_refuse(s->job, s->at, "%s needs the attribute %s", m->name, f->at->text);
    bind(m, f->at->text, value);
  }
  CK_BELOW(j, n) {
    if (!(met >> j & 1))
      ck_refuse(s->job, given[j].at, "%s has no attribute %s", m->name, given[j].name);
  }
}

/* --- the result */
static void result_extents(matching *m, ck_tensor *t) {
  const ck_scope *s = &m->s;
  const ck_operator *op = m->call.op;
  ck_within(s->job, op->at, CK_LIMIT_PARTS, op->result.n);
  CK_EACH(ck_part, a, op->result) {
    if (a->kind == CK_P_BROADCAST && !ck_refused(s->job))
      broadcast(m, a);
  }
  CK_EACH(ck_part, a, op->result) {
    const ck_axes *l = a->name ? ck_find_axes(&m->call, a->name) : NULL;
    if (a->name && !l)
      ck_refuse(s->job, s->at, "%s: ..%s is not known", m->name, a->name);
    if (ck_refused(s->job))
      return;
    ck_id one = l ? CK_BAD : ck_integer_value(s, a->value);
    for (uint32_t k = 0; k < (l ? l->n : 1); k++) {
      if (ck_within(s->job, s->at, CK_LIMIT_AXES, t->rank + 1))
        t->extent[t->rank++] = l ? l->extent[k] : one;
    }
  }
  CK_BELOW(i, t->rank)
    ck_require_extent(s, t->extent[i]);
}

/* the body of out at $i0 .., under their ranges */
static ck_id result_body(const matching *m, const ck_tensor *t) {
  ck_place place[CK_MAX_AXES];
  ck_id index[CK_MAX_AXES];
  ck_scope inner = m->s;
  CK_BELOW(i, t->rank) {
    index[i] = ck_variable(&inner, 'i', i);
    place[i] = ck_with_index(&inner, index[i], t->extent[i]);
    inner.place = &place[i];
  }
  return ck_definition_value(&inner, m->call.op->lets.last, index, t->rank);
}

static void distinct_names(const ck_scope *s, const ck_operator *op) {
  const ck_list lists[] = {op->tensors, op->lets};
  if (!ck_within(s->job, op->at, CK_LIMIT_LETS, op->lets.n))
    return;
  for (int j = 0; j < 2; j++) {
    CK_EACH(ck_decl, d, lists[j]) {
      uint32_t meanings = 0;
      for (int k = 0; k < 2; k++) {
        CK_EACH(ck_decl, e, lists[k])
          meanings += ck_token_is(e->at, d->at->text);
      }
      if (meanings > 1)
        ck_refuse(s->job, d->at, "%s has two meanings", d->at->text);
    }
  }
}

ck_tensor *ck_call_operator(const ck_scope *outer, const char *name, ck_tensor *const *argument,
                            uint32_t n, const ck_given_attribute *given, uint32_t n_given,
                            const char *symbol) {
  ck_elab *E = outer->E;
  ck_operator *op = ck_find_operator(E, NULL, name, false);
  E->steps = 0;
  if (!op)
    ck_refuse(outer->job, outer->at, "no operator is called %s", name);
  else if (op->tensors.n != n)
    ck_refuse(outer->job, outer->at, "%s takes %u tensors, not %u", name, op->tensors.n, n);
  if (ck_refused(outer->job))
    return NULL;
  op->used = true;
  matching *m = ck_keep(outer->job, sizeof *m);
  m->s = *outer;
  m->s.call = &m->call;
  m->s.names = NULL;
  m->name = name;
  m->call.op = op;
  const ck_scope *s = &m->s;
  ck_tensor *t = ck_keep(s->job, sizeof *t);
  t->value = CK_BAD;
  t->in_block = s->block != NULL;
  t->lead = s->lead;
  t->n_lead = s->n_lead;
  distinct_names(s, op);
  match_attributes(m, given, n_given);
  uint32_t i = 0;
  CK_EACH(ck_decl, f, op->tensors) {
    match_argument(m, f, argument[i]);
    t->varying = t->varying || argument[i]->varying;
    t->after = t->after || argument[i++]->after;
  }
  m->call.argument = argument;
  CK_EACH(ck_expr, r, op->requires)
    ck_require(s, ck_relation_value(s, r));
  result_extents(m, t);
  ck_define_symbol(s, t, symbol, result_body(m, t), name);
  return ck_refused(s->job) ? NULL : t;
}

/* Values that some lanes do not have: a quotient by what may be 0 there, a root or a logarithm of
 * what has none.  Such a lane is no fault as long as nothing reads it, but a tile is computed in
 * all of its lanes.  So these values stay expressions, which are computed where they are read; what
 * is too long for that becomes a tile that holds 0 in those lanes, and an element of it is the
 * tile's plus its *traces*: terms that are 0 where it has a value, and have none where it has none.
 */
#include "ttir_lift.h"
#include <string.h>

/* longer total parts get names; longer wholes become tiles */
enum { TTIR_LONG_PART = 8, TTIR_LONG_WHOLE = 150, TTIR_LONG_TRUTH = 400, TTIR_MOST_TRACES = 64 };

typedef struct {
  ttir_node *term;  /* 0 where there is a value, not defined where there is none */
  ttir_node *bad;   /* there is none; asked after the traces before, where these have values */
  ttir_node *where; /* it is asked at all; NULL: everywhere */
} trace;

typedef struct {
  ttir_lift *lift;
  trace at[TTIR_MOST_TRACES]; /* what others are made of comes first */
  uint32_t n;
  bool full;
} traces;

static ttir_node *real_zero(ttir_lift *lift) {
  return ttir_real(lift->mem, "0");
}

static ttir_node *both(ttir_lift *lift, ttir_node *a, ttir_node *b) {
  bool always = !a || a->kind == TTIR_N_TRUE;
  return always ? b : ttir_joined(lift->mem, TTIR_N_AND, a, b);
}

/* where: the conditions under which it is computed; NULL: it always is */
static void add_trace(traces *in, ttir_node *where, ttir_node *term, ttir_node *bad) {
  if (!bad || (where && !ttir_and(in->lift->mem, where, bad)))
    return;
  for (uint32_t i = 0; i < in->n; i++) {
    const trace *other = &in->at[i];
    if (ttir_same(other->term, term) && (!other->where || ttir_same(other->where, where)))
      return;
  }
  in->full |= in->n == TTIR_MOST_TRACES;
  if (!in->full)
    in->at[in->n++] = (trace){term, bad, where};
}

static ttir_node *term_of(const traces *in, const trace *one) {
  return one->where ? ttir_if(in->lift->mem, one->where, one->term, real_zero(in->lift))
                    : one->term;
}

/* one that says itself where it has no value */
static bool is_trace(const ttir_node *node) {
  return node->sort == TTIR_REAL && node->implied;
}

static void trace_of(traces *in, ttir_node *where, const ttir_node *node) {
  as_arena *mem = in->lift->mem;
  ttir_node *const *kid = node->kid;
  if (!ttir_is_partial(node) || in->full)
    return;
  if (is_trace(node)) { /* a reduction's counter means nothing outside */
    add_trace(in, where, (ttir_node *)(uintptr_t)node, node->implied);
    return;
  }
  if (node->kind == TTIR_N_IF || node->kind == TTIR_N_AND || node->kind == TTIR_N_OR) {
    ttir_node *opposite = ttir_not(mem, kid[0]);
    trace_of(in, where, kid[0]);
    if (node->kind != TTIR_N_OR)
      trace_of(in, both(in->lift, where, kid[0]), kid[1]);
    if (node->kind != TTIR_N_AND && opposite)
      trace_of(in, both(in->lift, where, opposite), kid[node->n - 1]);
    return;
  }
  for (uint32_t i = 0; i < node->n; i++)
    trace_of(in, where, kid[i]);
  if (!ttir_leaves_domain(node))
    return;
  ttir_node *of = kid[node->n - 1];
  ttir_node *zero = real_zero(in->lift);
  if (node->kind == TTIR_N_DIVIDE) {
    add_trace(in, where, ttir_arith(mem, TTIR_N_DIVIDE, zero, of),
              ttir_compare(mem, TTIR_N_EQUAL, of, zero));
    return;
  }
  ttir_node *call = ttir_call(mem, node->text, 1, &of);
  bool root = strcmp(node->text, "sqrt") == 0;
  add_trace(in, where, ttir_arith(mem, TTIR_N_MUL, zero, call),
            root ? ttir_compare(mem, TTIR_N_LESS, of, zero)
                 : ttir_compare(mem, TTIR_N_AT_MOST, of, zero));
}

/* the node where it has a value; elsewhere `instead`, or, of a truth, false */
static ttir_node *guarded(const traces *in, ttir_node *node, ttir_node *instead) {
  as_arena *mem = in->lift->mem;
  for (uint32_t i = in->n; i-- > 0;) {
    ttir_node *none = both(in->lift, in->at[i].where, in->at[i].bad);
    ttir_node *some = ttir_not(mem, none);
    node = instead ? ttir_if(mem, none, instead, node)
           : some  ? ttir_joined(mem, TTIR_N_AND, some, node)
                   : NULL;
  }
  return node;
}

/* what stands where there is no value; NULL: false */
static ttir_node *instead_of(ttir_lift *lift, const ttir_node *node) {
  return node->sort == TTIR_REAL      ? real_zero(lift)
         : node->sort == TTIR_INTEGER ? ttir_integer(lift->mem, 0)
                                      : NULL;
}

/* the traces of the node; false: there are too many, and the operation is refused */
static bool all_traces(ttir_lift *lift, const ttir_node *node, traces *all) {
  *all = (traces){.lift = lift};
  trace_of(all, NULL, node);
  if (all->full)
    ttir_fail(lift, "there are too many reasons for which a lane may have no value");
  return !all->full;
}

static ttir_node *with_traces(const traces *in, ttir_node *value) {
  for (uint32_t i = 0; i < in->n; i++)
    value = ttir_arith(in->lift->mem, TTIR_N_ADD, value, term_of(in, &in->at[i]));
  return value;
}

/* ---- parts that have values everywhere */

typedef struct {
  ttir_lift *lift;
  const char *wish;
  const as_ttir_type *type;
  const ttir_node *part[TTIR_MOST_TRACES];
  ttir_node *tile[TTIR_MOST_TRACES];
  uint32_t n;
} parts;

static ttir_node *named(parts *in, ttir_node *part) {
  for (uint32_t i = 0; i < in->n; i++) {
    if (ttir_same(in->part[i], part))
      return in->tile[i];
  }
  if (in->n == TTIR_MOST_TRACES)
    return part;
  in->part[in->n] = part;
  in->tile[in->n] = ttir_make(in->lift, in->wish, in->type, part);
  return in->tile[in->n++];
}

static ttir_node *with_named_parts(parts *in, ttir_node *node) {
  if (!ttir_is_partial(node))
    return node->sort == TTIR_REAL && node->weight > TTIR_LONG_PART ? named(in, node) : node;
  if (is_trace(node))
    return node;
  ttir_node *kid[TTIR_MOST_KIDS];
  for (uint32_t i = 0; i < node->n; i++)
    kid[i] = with_named_parts(in, node->kid[i]);
  return ttir_of_kids(in->lift->mem, node, kid);
}

/* ---- what the lifting asks for */

ttir_node *ttir_guarded_tile(ttir_lift *lift, const char *wish, const as_ttir_type *type,
                             ttir_node *node) {
  traces all;
  if (!all_traces(lift, node, &all))
    return node;
  ttir_node *tile = ttir_make(lift, wish, type, guarded(&all, node, instead_of(lift, node)));
  return node->sort == TTIR_REAL ? with_traces(&all, tile)
                                 : ttir_lacking(lift, tile, ttir_lacks(lift, node));
}

ttir_node *ttir_keep(ttir_lift *lift, const char *wish, const as_ttir_type *type, ttir_node *node) {
  bool real = node->sort == TTIR_REAL;
  if (!real)
    return node->weight <= TTIR_LONG_TRUTH ? node : ttir_guarded_tile(lift, wish, type, node);
  parts in = {.lift = lift, .wish = wish, .type = ttir_extents(lift, type)};
  node = with_named_parts(&in, node);
  return node->weight > TTIR_LONG_WHOLE ? ttir_guarded_tile(lift, wish, type, node) : node;
}

ttir_node *ttir_lacks(ttir_lift *lift, const ttir_node *node) {
  traces all;
  if (!node || !ttir_is_partial(node) || !all_traces(lift, node, &all) || all.n == 0)
    return NULL;
  if (all.n == 1)
    return both(lift, all.at[0].where, all.at[0].bad);
  ttir_node *one = ttir_integer(lift->mem, 1);
  ttir_node *flag = guarded(&all, ttir_integer(lift->mem, 0), one);
  return ttir_compare(lift->mem, TTIR_N_EQUAL, flag, one);
}

ttir_node *ttir_filled(ttir_lift *lift, ttir_node *node) {
  traces all;
  if (!node || !ttir_is_partial(node) || !all_traces(lift, node, &all))
    return node;
  return guarded(&all, node, instead_of(lift, node));
}

ttir_node *ttir_lacking(ttir_lift *lift, ttir_node *value, ttir_node *lacks) {
  as_arena *mem = lift->mem;
  if (!lacks)
    return value;
  ttir_node *zero = real_zero(lift);
  ttir_node *divisor = ttir_if(mem, lacks, zero, ttir_real(mem, "1"));
  ttir_node *term = ttir_arith(mem, TTIR_N_DIVIDE, zero, divisor);
  term->implied = lacks;
  if (value && value->sort == TTIR_REAL)
    return ttir_arith(mem, TTIR_N_ADD, value, term);
  if (!value) /* 0 = 1, where it has a value */
    return ttir_compare(mem, TTIR_N_EQUAL, term, ttir_real(mem, "1"));
  ttir_node *some = ttir_compare(mem, TTIR_N_EQUAL, term, zero);
  if (value->sort == TTIR_TRUTH)
    return value->kind == TTIR_N_TRUE ? some : ttir_joined(mem, TTIR_N_AND, some, value);
  ttir_node *chosen = ttir_if(mem, some, value, ttir_integer(mem, 0));
  chosen->lo = value->lo;
  chosen->hi = value->hi;
  return chosen;
}

ttir_node *ttir_sum_of_traces(ttir_lift *lift, const char *head, const ttir_node *body,
                              ttir_node *lacks) {
  traces all = {.lift = lift};
  trace_of(&all, NULL, body);
  ttir_node *sum = NULL;
  for (uint32_t i = 0; i < all.n; i++) {
    ttir_node *term = term_of(&all, &all.at[i]);
    sum = sum ? ttir_arith(lift->mem, TTIR_N_ADD, sum, term) : term;
  }
  if (all.full || !sum) /* there are, and one says it all */
    return NULL;
  ttir_node *call = ttir_call(lift->mem, head, 1, &sum);
  call->implied = lacks;
  return call;
}

/* Definitions of a claim (see pv_defs.h). */
#include "pv_defs_int.h"
#include "pv_norm.h"
#include "pv_steps.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_KIDS = 2 * CK_MAX_BINDERS + 2, MAX_CONDITIONS = 128, MAX_CHOICES = 3000 };

static pv_eqn equation(pv_defs *d, pv_world w, ck_id t, uint32_t depth);

/* --- what symbols become */
static bool has_end(const pv_defs *d, uint32_t i) {
  return d->symbols[d->n + i].def != NULL;
}

/* the number of the symbol that t applies; PV_NONE: t is no application of one */
static uint32_t number_of(const pv_defs *d, ck_id t) {
  const ck_terms *T = d->p->terms;
  uint64_t number;
  if (!ck_is(T, t, CK_APP) ||
      !as_map_get(&d->numbers, AS_KEY(ck_name(T, t), ck_sig(T, t)), &number))
    return PV_NONE;
  uint32_t end = d->n + (uint32_t)number;
  if (!has_end(d, (uint32_t)number))
    return (uint32_t)number;
  ck_id count = ck_kid(T, t, 0);
  bool over = count == d->symbols[end].count || count == d->symbols[end].normal_count;
  return over ? end : (uint32_t)number;
}

/* adds the symbols in t to the list, each once */
static void symbols_in(const pv_defs *d, ck_id t, as_map *seen, as_vec *list) {
  uint64_t known;
  if (as_map_get(seen, AS_KEY(t), &known))
    return;
  as_map_put(seen, AS_KEY(t), 1);
  for (uint32_t i = 0; i < ck_nkids(d->p->terms, t); i++)
    symbols_in(d, ck_kid(d->p->terms, t, i), seen, list);
  uint32_t number = number_of(d, t);
  for (size_t i = 0; number != PV_NONE && i < list->n; i++) {
    if (AS_VEC_AT(list, uint32_t, i) == number)
      return;
  }
  if (number != PV_NONE)
    as_vec_push(list, &number);
}

void pv_defs_parts_of(const pv_defs *d, ck_id t, as_vec *list) {
  as_map seen;
  as_map_init(&seen, 1);
  symbols_in(d, t, &seen, list);
  as_map_clear(&seen);
}

/* of a symbol of the claim itself, of what it is after its loop that symbol's */
static uint32_t of_claim(const pv_defs *d, uint32_t number) {
  return number == PV_NONE || number < d->n ? number : number - d->n;
}

void pv_defs_symbols(const pv_defs *d, ck_id t, as_vec *list) {
  as_vec all;
  as_vec_init(&all, sizeof(uint32_t));
  pv_defs_parts_of(d, t, &all);
  for (size_t i = 0; i < all.n; i++) {
    uint32_t number = of_claim(d, AS_VEC_AT(&all, uint32_t, i));
    bool listed = false;
    for (size_t k = 0; k < list->n; k++)
      listed = listed || AS_VEC_AT(list, uint32_t, k) == number;
    if (!listed)
      as_vec_push(list, &number);
  }
  as_vec_clear(&all);
}

/* symbol i, applied to these arguments, as many as it has parameters */
static ck_id applied_to(const pv_defs *d, uint32_t i, const ck_id *arguments) {
  const ck_definition *def = d->symbols[i].def;
  ck_id all[MAX_KIDS];
  uint32_t n = 0;
  if (i >= d->n)
    all[n++] = d->symbols[i].normal_count;
  for (uint32_t k = 0; k < def->n; k++)
    all[n++] = arguments[k];
  return ck_make(d->p->terms, CK_APP, def->name, def->signature, all, n);
}

ck_id pv_defs_applied(const pv_defs *d, uint32_t i) {
  return applied_to(d, i, d->symbols[i].def->parameter);
}

/* the first argument in an application of symbol i that stands for one of its parameters */
static uint32_t first_argument(const pv_defs *d, uint32_t i) {
  return i >= d->n ? 1 : 0;
}

static ck_id becomes(const pv_defs *d, pv_world w, uint32_t i);

static ck_id replaced(const pv_defs *d, pv_world w, ck_id t, as_map *seen) {
  ck_terms *T = d->p->terms;
  uint64_t known;
  ck_id kid[MAX_KIDS];
  uint32_t n = ck_nkids(T, t);
  uint32_t number = number_of(d, t);
  if (n == 0 && number == PV_NONE)
    return t;
  if (as_map_get(seen, AS_KEY(t), &known))
    return (ck_id)known;
  ck_id *kids = n > MAX_KIDS ? as_calloc(n, sizeof *kids) : kid; /* clauses have more */
  for (uint32_t i = 0; i < n; i++)
    kids[i] = replaced(d, w, ck_kid(T, t, i), seen);
  ck_id body = number == PV_NONE ? CK_BAD : becomes(d, w, number);
  ck_id there = CK_BAD;
  if (number == PV_NONE) {
    there = ck_rebuild(T, t, kids);
  } else {
    const ck_definition *def = d->symbols[number].def;
    const ck_id *arguments = kids + first_argument(d, number);
    there = body == CK_BAD ? applied_to(d, number, arguments)
                           : ck_sub(T, body, def->parameter, arguments, def->n, NULL, 0);
  }
  if (kids != kid)
    free(kids);
  as_map_put(seen, AS_KEY(t), there);
  return there;
}

/* t with the symbols that it applies replaced; what takes their places is in that world already */
static ck_id substituted(const pv_defs *d, pv_world w, ck_id t) {
  as_map seen;
  as_map_init(&seen, 1);
  ck_id there = replaced(d, w, t, &seen);
  as_map_clear(&seen);
  return there;
}

/* the same parameters, in the same order: bodies that are equal are equal functions */
bool pv_defs_same_parameters(const ck_definition *a, const ck_definition *b) {
  return a->n == b->n && a->signature == b->signature &&
         memcmp(a->parameter, b->parameter, a->n * sizeof *a->parameter) == 0;
}

static void find_like_of(pv_defs *d, uint32_t i, as_map *first) {
  pv_symbol *x = &d->symbols[i];
  if (x->joined != PV_NONE && !x->apart) {
    x->put[PV_RENAMED] = pv_defs_applied(d, x->like);
    return;
  }
  x->like = i;
  if (x->open)
    return;
  uint64_t j = i;
  ck_id body = substituted(d, PV_RENAMED, x->def->body);
  if (as_map_get(first, AS_KEY(body, x->def->n), &j) &&
      pv_defs_same_parameters(d->symbols[j].def, x->def)) {
    x->like = (uint32_t)j;
    x->put[PV_RENAMED] = pv_defs_applied(d, x->like);
    if (d->symbols[j].def->candidate != x->def->candidate)
      d->symbols[j].both = d->shared = true;
  } else {
    as_map_put(first, AS_KEY(body, x->def->n), i);
  }
}

/* finds which symbols are like an earlier one */
static void find_like(pv_defs *d) {
  as_map first;
  as_map_init(&first, 2);
  for (uint32_t i = 0; i < d->n; i++) {
    find_like_of(d, i, &first);
    if (has_end(d, i))
      find_like_of(d, d->n + i, &first);
  }
  as_map_clear(&first);
}

/* does symbol i stand for what a kernel other than the one at hand leaves in a tensor? */
static bool is_left(const pv_defs *d, uint32_t i) {
  const ck_definition *def = d->symbols[i].def;
  bool version = def->carried || strcmp(def->by, "store") == 0;
  return version && (def->n_loops == 0 || def->loop[0] != d->kernel);
}

/* does t apply a symbol that has no closed form yet? */
static bool reads_open(const pv_defs *d, ck_id t) {
  bool open = false;
  as_vec list;
  as_vec_init(&list, sizeof(uint32_t));
  pv_defs_parts_of(d, t, &list);
  for (size_t i = 0; i < list.n && !open; i++)
    open = d->symbols[AS_VEC_AT(&list, uint32_t, i)].open;
  as_vec_clear(&list);
  return open;
}

/* how many choices outside of binders t has, written out as a tree; not counted beyond a bound */
static uint64_t choices_in(const pv_defs *d, ck_id t, as_map *seen) {
  const ck_terms *T = d->p->terms;
  uint64_t n = 0;
  if (ck_nkids(T, t) == 0 || as_map_get(seen, AS_KEY(t), &n))
    return n;
  n = ck_is(T, t, CK_ITE);
  for (uint32_t i = 0; i < ck_nkids(T, t) && n <= MAX_CHOICES; i++) {
    if (!ck_kid_binders(T, t, i))
      n += choices_in(d, ck_kid(T, t, i), seen);
  }
  as_map_put(seen, AS_KEY(t), n);
  return n;
}

/* Where a loop's closed form is sought, a tile of many choices that depends on nothing that is
 * carried is only passed on: it stays, or it would be walked over once for each way through them.
 */
static bool is_passed_on(const pv_defs *d, ck_id written) {
  as_map seen;
  as_map_init(&seen, 1);
  bool many = choices_in(d, written, &seen) > MAX_CHOICES;
  as_map_clear(&seen);
  return many && !reads_open(d, written);
}

/* What the symbol becomes where symbols are written out, as it is known of those in its body.  One
 * that would become too deep a term stays. */
static ck_id written_out(const pv_defs *d, pv_world w, uint32_t i) {
  const pv_symbol *x = &d->symbols[i];
  if (x->open || (w == PV_KERNEL && is_left(d, i)))
    return CK_BAD;
  if (w == PV_KERNEL) {
    ck_id written = substituted(d, w, x->def->body);
    return is_passed_on(d, written) ? CK_BAD : written;
  }
  if (w >= PV_WHOLE || !d->symbols[x->like].both)
    return substituted(d, w, x->def->body);
  return x->like == i ? CK_BAD : pv_defs_applied(d, x->like);
}

/* What an application of symbol i at its parameters becomes; CK_BAD: it stays.  Bodies are written
 * out when somebody asks: of a program against itself nobody does, and their terms grow faster than
 * the program.  Chains of definitions can be long: so this keeps a stack of its own. */
static ck_id becomes(const pv_defs *d, pv_world w, uint32_t i) {
  as_vec stack;
  if (w == PV_RENAMED || d->symbols[i].found[w])
    return d->symbols[i].put[w];
  as_vec_init(&stack, sizeof(uint32_t));
  as_vec_push(&stack, &i);
  while (stack.n) {
    uint32_t top = AS_VEC_AT(&stack, uint32_t, stack.n - 1);
    pv_symbol *x = &d->symbols[top];
    size_t before = stack.n;
    for (uint32_t k = 0; k < x->n_parts && !x->found[w]; k++) {
      uint32_t part = AS_VEC_AT(&d->parts, uint32_t, x->first_part + k);
      if (!d->symbols[part].found[w])
        as_vec_push(&stack, &part);
    }
    if (stack.n > before)
      continue;
    if (!x->found[w]) {
      x->put[w] = written_out(d, w, top);
      x->found[w] = true;
    }
    stack.n--;
  }
  as_vec_clear(&stack);
  return d->symbols[i].put[w];
}

static void find_parts(pv_defs *d, pv_symbol *x) {
  as_vec list;
  as_vec_init(&list, sizeof(uint32_t));
  pv_defs_parts_of(d, x->def->body, &list);
  x->first_part = (uint32_t)d->parts.n;
  x->n_parts = (uint32_t)list.n;
  for (size_t i = 0; i < list.n; i++)
    as_vec_push(&d->parts, &AS_VEC_AT(&list, uint32_t, i));
  as_vec_clear(&list);
}

static void start(pv_symbol *x) {
  x->joined = PV_NONE;
  x->solved = PV_NONE;
  for (int w = 0; w < PV_WORLDS; w++)
    x->put[w] = CK_BAD;
}

pv_defs *pv_defs_new(pv *p, const ck_claim *claim) {
  pv_defs *d = as_calloc(1, sizeof *d);
  d->p = p;
  d->n = claim->n_definitions;
  d->kernel = PV_NONE;
  d->symbols = as_calloc(2 * d->n + 1, sizeof *d->symbols);
  as_map_init(&d->numbers, 2);
  as_map_init(&d->clauses, 1);
  as_map_init(&d->origins, 1);
  as_vec_init(&d->origin, sizeof(pv_origin));
  as_vec_init(&d->parts, sizeof(uint32_t));
  for (int w = 0; w < PV_WORLDS; w++)
    as_map_init(&d->out[w], 1);
  for (uint32_t i = 0; i < d->n; i++) {
    const ck_definition *def = &claim->definitions[i];
    pv_symbol *x = &d->symbols[i];
    x->def = def;
    start(x);
    start(&d->symbols[d->n + i]);
    x->open = def->carried;
    d->loops = d->loops || def->carried;
    as_map_put(&d->numbers, AS_KEY(def->name, def->signature), i);
    as_map_put(&d->clauses, AS_KEY(def->clause), 1);
    if (x->open)
      as_map_put(&d->clauses, AS_KEY(def->base_clause), 1);
    else
      find_parts(d, x);
  }
  find_like(d);
  p->defs = d;
  return d;
}

void pv_defs_free(pv_defs *d) {
  d->p->defs = NULL;
  as_map_clear(&d->numbers);
  as_map_clear(&d->clauses);
  as_map_clear(&d->origins);
  as_vec_clear(&d->origin);
  as_vec_clear(&d->parts);
  for (int w = 0; w < PV_WORLDS; w++)
    as_map_clear(&d->out[w]);
  free(d->symbols);
  free(d);
}

bool pv_defs_loops(const pv_defs *d) {
  return d->loops;
}

bool pv_defs_shared(const pv_defs *d) {
  return d->shared;
}

/* --- lemmas: an application at the parameters, which are free in it */
/* symbol i at its parameters, by its own clause, in that world */
static pv_eqn by_clause(pv_defs *d, pv_world w, uint32_t i, uint32_t depth) {
  const ck_definition *def = d->symbols[i].def;
  pv_thm clause = pv_hyp(d->p, def->clause);
  pv_thm solved = d->symbols[i].solved;
  pv_thm body = solved != PV_NONE ? solved
                : def->n          ? pv_use(d->p, clause, def->parameter, def->n, NULL, 0)
                                  : clause;
  if (body == PV_NONE)
    return pv_fail();
  pv_eqn rest = equation(d, w, def->body, depth);
  return (pv_eqn){rest.to, pv_trans(d->p, body, rest.by)};
}

/* C.q = S.q, both at their parameters, as what their clauses say becomes the same when symbols
 * before them are renamed */
static pv_thm alike(pv_defs *d, uint32_t i, uint32_t depth) {
  if (d->symbols[i].joined != PV_NONE)
    return d->symbols[i].joined;
  pv_eqn own = by_clause(d, PV_RENAMED, i, depth);
  pv_eqn first = by_clause(d, PV_RENAMED, d->symbols[i].like, depth);
  return own.to == first.to ? pv_trans(d->p, own.by, pv_sym(d->p, first.by)) : PV_NONE;
}

static bool is_renamed(const pv_defs *d, pv_world w, uint32_t i) {
  const pv_symbol *x = &d->symbols[i];
  return x->like != i && becomes(d, w, i) == pv_defs_applied(d, x->like);
}

static void make_lemma(pv_defs *d, pv_world w, uint32_t i, uint32_t depth) {
  pv_symbol *x = &d->symbols[i];
  pv_thm s = is_renamed(d, w, i) ? alike(d, i, depth) : by_clause(d, w, i, depth).by;
  if (s != PV_NONE && pv_right(d->p, s) != becomes(d, w, i))
    s = PV_NONE;
  x->asked[w] = true;
  x->lemma[w] = s;
}

typedef struct {
  pv_world world;
  uint32_t number;
} task;

/* the lemmas of the symbols in this one's body come first; whether any is still to be made */
static bool push_parts(const pv_defs *d, pv_world w, uint32_t i, as_vec *stack) {
  const pv_symbol *x = &d->symbols[i];
  size_t before = stack->n;
  for (uint32_t k = 0; k < x->n_parts; k++) {
    task t = {w, AS_VEC_AT(&d->parts, uint32_t, x->first_part + k)};
    const pv_symbol *part = &d->symbols[t.number];
    if (!part->asked[w] && becomes(d, w, t.number) != CK_BAD)
      as_vec_push(stack, &t);
  }
  return stack->n > before;
}

/* Chains of definitions can be long: so this keeps a stack of its own. */
static pv_thm lemma(pv_defs *d, pv_world w, uint32_t i, uint32_t depth) {
  as_vec stack;
  task first = {w, i};
  if (d->symbols[i].asked[w])
    return d->symbols[i].lemma[w];
  as_vec_init(&stack, sizeof(task));
  as_vec_push(&stack, &first);
  while (stack.n) {
    task t = AS_VEC_AT(&stack, task, stack.n - 1);
    bool renamed = is_renamed(d, t.world, t.number);
    bool joined = d->symbols[t.number].joined != PV_NONE && renamed;
    pv_world of_parts = renamed ? PV_RENAMED : t.world;
    bool wait = !d->symbols[t.number].asked[t.world] && !joined &&
                (push_parts(d, of_parts, t.number, &stack) ||
                 (renamed && push_parts(d, of_parts, d->symbols[t.number].like, &stack)));
    if (wait)
      continue;
    stack.n--;
    if (!d->symbols[t.number].asked[t.world])
      make_lemma(d, t.world, t.number, depth);
  }
  as_vec_clear(&stack);
  return d->symbols[i].lemma[w];
}

/* t, an application of symbol i, by its lemma */
static pv_eqn by_lemma(pv_defs *d, pv_world w, uint32_t i, ck_id t, uint32_t depth) {
  const ck_definition *def = d->symbols[i].def;
  pv_var_sub sub[16];
  uint32_t n = 0;
  pv_thm s = lemma(d, w, i, depth);
  if (s == PV_NONE)
    return pv_fail();
  for (uint32_t k = 0; k < def->n; k++) {
    ck_id argument = ck_kid(d->p->terms, t, first_argument(d, i) + k);
    if (argument != def->parameter[k])
      sub[n++] = (pv_var_sub){def->parameter[k], argument};
  }
  if (n)
    s = pv_inst(d->p, s, sub, n, NULL, 0, NULL, 0);
  return s == PV_NONE ? pv_fail() : (pv_eqn){pv_right(d->p, s), s};
}

/* --- terms */
static ck_id counter(pv_defs *d, uint32_t depth) {
  char name[24];
  snprintf(name, sizeof name, "$$d%u", (unsigned)depth);
  return ck_var(d->p->terms, name, 'i');
}

static ck_id state(pv_defs *d, uint32_t depth, uint32_t q) {
  char name[40];
  snprintf(name, sizeof name, "$$e%u.%u", (unsigned)depth, (unsigned)q);
  return ck_var(d->p->terms, name, 'r');
}

/* x, whose place in a congruence is next; the premise is kept unless it changes nothing */
static bool part(pv_defs *d, pv_world w, ck_id x, uint32_t depth, ck_id *to, pv_thm *by,
                 uint32_t *n) {
  pv_eqn e = equation(d, w, x, depth);
  if (e.by == PV_NONE)
    return false;
  *to = e.to;
  if (e.by != PV_REFL)
    by[(*n)++] = e.by;
  return true;
}

/* the parts of t that stand under no binder */
static pv_eqn outer_parts(pv_defs *d, pv_world w, ck_id t, uint32_t depth) {
  const ck_terms *T = d->p->terms;
  ck_id kid[MAX_KIDS];
  pv_thm by[MAX_KIDS + 2];
  uint32_t n = 0;
  uint32_t count = ck_nkids(T, t);
  for (uint32_t i = 0; i < count; i++) {
    kid[i] = ck_kid(T, t, i);
    if (ck_kid_binders(T, t, i))
      continue;
    if (!ck_is_rel(T, kid[i])) {
      if (!part(d, w, kid[i], depth, &kid[i], by, &n))
        return pv_fail();
      continue;
    }
    ck_id side[2]; /* the condition of an ite: its sides are the parts */
    for (uint32_t k = 0; k < 2; k++) {
      if (!part(d, w, ck_kid(T, kid[i], k), depth, &side[k], by, &n))
        return pv_fail();
    }
    kid[i] = ck_mk2(d->p->terms, ck_head(T, kid[i]), side[0], side[1]);
  }
  if (n == 0)
    return pv_same(t);
  ck_id to = ck_rebuild(d->p->terms, t, kid);
  pv_thm s = pv_cong(d->p, t, to, by, n);
  return s == PV_NONE ? pv_fail() : (pv_eqn){to, s};
}

/* the steps of the fold t */
static pv_eqn steps(pv_defs *d, pv_world w, ck_id t, uint32_t depth) {
  ck_terms *T = d->p->terms;
  uint32_t width = ck_width(T, t);
  ck_id kid[MAX_KIDS], variable[CK_MAX_BINDERS + 1];
  pv_thm by[CK_MAX_BINDERS];
  bool changed = false;
  variable[0] = counter(d, depth);
  for (uint32_t q = 0; q < width; q++)
    variable[1 + q] = state(d, depth, q);
  for (uint32_t i = 0; i <= width; i++)
    kid[i] = ck_kid(T, t, i);
  for (uint32_t q = 0; q < width; q++) {
    ck_id open = ck_open(T, ck_kid(T, t, 1 + width + q), variable, width + 1);
    pv_eqn e = equation(d, w, open, depth + 1);
    if (e.by == PV_NONE)
      return pv_fail();
    changed = changed || e.by != PV_REFL;
    by[q] = e.by == PV_REFL ? pv_refl(d->p, open) : e.by;
    kid[1 + width + q] = ck_close(T, e.to, variable, width + 1);
  }
  if (!changed)
    return pv_same(t);
  ck_id to = ck_rebuild(T, t, kid);
  pv_thm s = pv_foldcong(d->p, t, to, variable, width + 1, by, width);
  return s == PV_NONE ? pv_fail() : (pv_eqn){to, s};
}

/* t, what a tensor is after a loop, with how many iterations there are in normal form */
static pv_eqn normally_counted(const pv_defs *d, uint32_t number, ck_id t) {
  const pv_symbol *x = &d->symbols[number];
  ck_id kid[MAX_KIDS];
  if (ck_kid(d->p->terms, t, 0) == x->normal_count)
    return pv_same(t);
  for (uint32_t k = 0; k < x->def->n; k++)
    kid[k] = ck_kid(d->p->terms, t, 1 + k);
  ck_id to = applied_to(d, number, kid);
  return (pv_eqn){to, pv_cong(d->p, t, to, &x->counted, 1)};
}

/* whether t changes at all is asked first, of its shared form: most terms do not */
static pv_eqn equation_of(pv_defs *d, pv_world w, ck_id t, uint32_t depth) {
  const ck_terms *T = d->p->terms;
  pv_eqn e = outer_parts(d, w, t, depth);
  if (e.by == PV_NONE)
    return e;
  if (ck_head(T, e.to) == CK_FOLD)
    e = pv_then(d->p, e, steps(d, w, e.to, depth));
  uint32_t number = e.by == PV_NONE ? PV_NONE : number_of(d, e.to);
  if (number != PV_NONE && number >= d->n)
    e = pv_then(d->p, e, normally_counted(d, number, e.to));
  if (number != PV_NONE && becomes(d, w, number) != CK_BAD)
    e = pv_then(d->p, e, by_lemma(d, w, number, e.to, depth));
  return e;
}

static pv_eqn equation(pv_defs *d, pv_world w, ck_id t, uint32_t depth) {
  uint64_t known;
  if (t == CK_BAD)
    return pv_fail();
  if (ck_nkids(d->p->terms, t) == 0 && ck_head(d->p->terms, t) != CK_APP)
    return pv_same(t);
  if (as_map_get(&d->out[w], AS_KEY(t), &known))
    return (pv_eqn){(uint32_t)known, (uint32_t)(known >> 32)};
  pv_eqn e = equation_of(d, w, t, depth);
  if (e.by != PV_NONE)
    as_map_put(&d->out[w], AS_KEY(t), (uint64_t)e.by << 32 | e.to);
  return e;
}

pv_eqn pv_defs_out(pv_defs *d, pv_world w, ck_id t) {
  return equation(d, w, t, 1);
}

/* --- recursive symbols */
uint32_t pv_defs_number(const pv_defs *d, ck_id t) {
  return of_claim(d, number_of(d, t));
}

void pv_defs_solve(pv_defs *d, uint32_t i, ck_id body, pv_thm by) {
  pv_symbol *x = &d->symbols[i];
  x->own = *x->def;
  x->own.body = body;
  x->def = &x->own;
  x->solved = by;
  x->open = false;
  find_parts(d, x);
}

void pv_defs_leave(pv_defs *d, uint32_t i, ck_id count, pv_eqn normal_count, ck_id body,
                   pv_thm by) {
  pv_symbol *x = &d->symbols[d->n + i];
  x->own = *d->symbols[i].def;
  x->own.parameter++;
  x->own.n--;
  x->own.body = body;
  x->count = count;
  x->normal_count = normal_count.to;
  x->counted = normal_count.by;
  x->solved = by;
  x->def = &x->own;
  find_parts(d, x);
}

/* forgets what is known of that world */
static void forget(pv_defs *d, pv_world w) {
  for (uint32_t k = 0; k < 2 * d->n; k++) {
    pv_symbol *x = &d->symbols[k];
    x->put[w] = CK_BAD;
    x->found[w] = false;
    x->asked[w] = false;
  }
  as_map_clear(&d->out[w]);
  as_map_init(&d->out[w], 1);
}

void pv_defs_refresh(pv_defs *d) {
  for (uint32_t k = 0; k < 2 * d->n; k++)
    d->symbols[k].both = false;
  d->shared = false;
  for (int w = 0; w < PV_WORLDS; w++)
    forget(d, (pv_world)w);
  find_like(d);
}

void pv_defs_within(pv_defs *d, uint32_t loop) {
  if (d->kernel == loop)
    return;
  d->kernel = loop;
  forget(d, PV_KERNEL);
}

void pv_defs_forget_shared(pv_defs *d) {
  for (int w = 0; w < PV_WHOLE; w++)
    forget(d, (pv_world)w);
  /* clauses were written out in the worlds as they were: a world that says less now would give
   * another relation than the one asked for */
  as_map_clear(&d->origins);
  as_map_init(&d->origins, 1);
  find_like(d);
}

/* --- relations */
ck_id pv_defs_relation(pv_defs *d, pv_world w, ck_id relation) {
  return substituted(d, w, relation);
}

/* from one relation the same between sides that are equal to its own: of is from's sides = to's
 * sides */
static pv_thm carried(pv *p, ck_id to, pv_thm from, const pv_thm of[2], int direction) {
  pv_comb c;
  if (from == PV_NONE || of[0] == PV_NONE || of[1] == PV_NONE)
    return PV_NONE;
  if (pv_says(p, from) == to)
    return from;
  pv_comb_init(&c);
  pv_comb_add(&c, p->one, from);
  pv_comb_add(&c, pv_num(p, direction), of[1]);
  pv_comb_add(&c, pv_num(p, -direction), of[0]);
  return pv_comb_prove(p, &c, to);
}

/* both sides of a relation of the claim, in that world */
static void sides(pv_defs *d, pv_world w, ck_id relation, pv_thm of[2]) {
  for (uint32_t k = 0; k < 2; k++)
    of[k] = equation(d, w, ck_kid(d->p->terms, relation, k), 1).by;
}

static pv_thm forward(pv_defs *d, pv_world w, pv_thm claimed) {
  pv_thm of[2];
  if (claimed == PV_NONE)
    return PV_NONE;
  ck_id relation = pv_says(d->p, claimed);
  sides(d, w, relation, of);
  return carried(d->p, substituted(d, w, relation), claimed, of, 1);
}

pv_thm pv_defs_back(pv_defs *d, pv_world w, ck_id relation, pv_thm by) {
  pv_thm of[2];
  if (by == PV_NONE || pv_says(d->p, by) == relation)
    return by;
  sides(d, w, relation, of);
  return carried(d->p, relation, by, of, -1);
}

pv_ctx pv_defs_assume(pv_defs *d, pv_world w, pv_ctx cx, ck_id h) {
  uint64_t known;
  if (as_map_get(&d->clauses, AS_KEY(h), &known))
    return cx;
  ck_id there = substituted(d, w, h);
  if (there == CK_BAD || pv_too_big(d->p, there))
    return cx;
  if (there == h)
    return pv_ctx_push(d->p, cx, h, CK_BAD);
  if (ck_is_rel(d->p->terms, h)) {
    pv_thm s = forward(d, w, pv_hyp(d->p, h));
    return s == PV_NONE ? cx : pv_ctx_know(d->p, cx, s);
  }
  if (!as_map_get(&d->origins, AS_KEY(there), &known)) {
    pv_origin o = {h, w};
    as_map_put(&d->origins, AS_KEY(there), d->origin.n);
    as_vec_push(&d->origin, &o);
  }
  return pv_ctx_push(d->p, cx, there, CK_BAD);
}

bool pv_defs_use(pv_defs *d, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np,
                 pv_thm *by) {
  ck_terms *T = d->p->terms;
  uint64_t number;
  pv_thm premise[MAX_CONDITIONS];
  *by = PV_NONE;
  if (!as_map_get(&d->origins, AS_KEY(pv_says(d->p, s)), &number))
    return false;
  pv_origin o = AS_VEC_AT(&d->origin, pv_origin, number);
  if (np > MAX_CONDITIONS || np + 1 != ck_nkids(T, o.claimed) || nt != ck_index(T, o.claimed))
    return true;
  for (uint32_t i = 0; i < np; i++) {
    ck_id condition = ck_open(T, ck_kid(T, o.claimed, i), ts, nt);
    premise[i] = condition == CK_BAD ? PV_NONE : pv_defs_back(d, o.world, condition, ps[i]);
    if (premise[i] == PV_NONE)
      return true;
  }
  *by = forward(d, o.world, pv_use(d->p, pv_hyp(d->p, o.claimed), ts, nt, premise, np));
  return true;
}

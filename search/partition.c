/* Which operators share a kernel.
 *
 * A partition is a path over the down-sets of the dataflow graph (cuts.h); a step of it is a kernel
 * for the operators between two of them, and costs what the model says of the best graph that the
 * enumerator finds for them.  Finding out is dear, so each group starts with a lower bound: no
 * kernel takes less than its launch and what it must draw from memory.  One through which no path
 * can be better than the best known is never looked into: the bounds prove that nothing is lost.
 * Half of the work goes to groups on the path that is best by the bounds, which is soon the best
 * one where kernels take little more than their bounds (elementwise chains); the other half goes to
 * the smallest groups, which soon have some kernel for everything where they do not.  A whole
 * program of few operators comes before all.  What the budget leaves unseen is said aloud. */
#include "cost_model.h"
#include "cuts.h"
#include "driver.h"
#include "src/base/hash.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include <stdlib.h>

enum {
  FEW_OPERATORS = 8,  /* the whole program is looked into first */
  KEPT_OF_WHOLE = 64, /* graphs kept of the whole program */
  KEPT_OF_PIECE = 4,
  MOST_OPERATORS = 300,
  SHALLOW_STATES = 60000, /* per plan, in the first round */
  LEAST_FURTHER = 1000000 /* states, beyond what the best partition needs */
};

/* Of what the best partition takes, a group looked into once is looked into to the end, and one of
 * another order of the operators at all, only where a partition through it may take less than this:
 * the model does not know times any better. */
static const double WORTHWHILE = 0.99;

/* A search that has found nothing better for so many states, and for as many times as it took to
 * find what is known, has found what there is.  Better by less than a thousandth is not counted. */
enum { PATIENCE = 2, LEAST_PATIENCE = 4000000, DEEPER = 16 };

static const double BETTER = 0.999;

/* costs where the program states no sizes: fewer kernels first, one an operator last */
#define UNSIZED_KERNEL 1e8
#define UNSIZED_OPERATOR 1e10

/* what is known of a group */
typedef struct {
  double bound;        /* no kernel for it takes less; what it takes, once it is looked into */
  double us;           /* of the best kernel found so far; SG_NEVER: none */
  bool shallow;        /* looked into, but not to the end of some plan */
  bool known;          /* looked into as far as it will be */
  double least;        /* the bound before anything was known */
  double through;      /* least cost of a path through it, by bounds */
  sg_segment *segment; /* NULL: predefined kernels are cheaper, or there is no graph */
} step;

typedef struct {
  sg_search *search;
  const sg_variant *variant;
  sg_cuts cuts;
  uint32_t whole;  /* the group of all operators; AS_NONE: it is too long for a kernel */
  uint32_t last;   /* the down-set of all operators */
  step *steps;     /* by group */
  uint32_t *turn;  /* groups, smallest first */
  double *before;  /* least cost from nothing to a down-set, over groups with their bounds */
  double *after;   /* from a down-set to all operators */
  uint32_t *hoped; /* by down-set: the last edge of the path that `before` is the cost of */
  double best;     /* of a path over what is found */
  double reach;    /* groups are looked into through which a path may cost so much of the best, */
  double further;  /* .. and to the end such ones */
  uint64_t states_before;
  uint64_t most_states; /* of the round at hand */
  double found;         /* the best known, and how many states it took to find it */
  uint64_t states_found;
} partition;

static double predefined_us(const partition *p, const sg_group *group) {
  const sg_search *search = p->search;
  double us = 0;
  for (uint32_t i = 0; i < group->n_ops; i++) {
    us += search->concrete ? as_cost_operator(p->variant->graph, group->ops[i], search->opts.target)
                           : UNSIZED_OPERATOR;
  }
  return us;
}

static void set_bounds(partition *p) {
  const sg_search *search = p->search;
  sg_bounds *bounds = sg_bounds_new(p->variant->graph, search->opts.target);
  for (uint32_t i = 0; i < p->cuts.groups.n; i++) {
    const sg_group *group = SG_GROUP(&p->cuts, i);
    step *s = &p->steps[i];
    s->us = SG_NEVER;
    s->bound = UNSIZED_KERNEL;
    if (search->concrete) {
      uint32_t n_tensors;
      uint32_t *tensor = sg_crossing(p->variant->graph, group->ops, group->n_ops, &n_tensors);
      s->bound = sg_bounds_of(bounds, group->ops, group->n_ops, tensor, n_tensors);
      free(tensor);
    }
    if (group->n_atoms == 1) { /* a single operator can always be a predefined kernel */
      s->us = predefined_us(p, group);
      s->known = s->us <= s->bound;
      s->bound = s->known ? s->us : s->bound;
    }
    s->least = s->bound;
  }
  sg_bounds_free(bounds);
}

/* The least cost of a path over what is found, of at least so many steps; through: NULL, or the
 * edges by which it comes to its down-sets. */
static double best_known(const partition *p, uint32_t least_steps, uint32_t *through) {
  double *best = as_malloc((p->last + 1) * sizeof *best);
  best[0] = 0;
  for (uint32_t i = 1; i <= p->last; i++)
    best[i] = SG_NEVER;
  for (uint32_t i = 0; i < p->cuts.edges.n; i++) {
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    double us = best[edge->from] + p->steps[edge->group].us;
    bool whole = edge->from == 0 && edge->to == p->last;
    if ((whole && least_steps > 1) || us >= best[edge->to])
      continue;
    best[edge->to] = us;
    if (through)
      through[edge->to] = i;
  }
  double us = best[p->last];
  free(best);
  return us;
}

/* least costs to each down-set, from it and through each group, over all groups; and of what is
 * found */
static void relax(partition *p) {
  for (uint32_t i = 0; i <= p->last; i++)
    p->before[i] = p->after[i] = SG_NEVER;
  p->before[0] = p->after[p->last] = 0;
  for (uint32_t i = 0; i < p->cuts.edges.n; i++) {
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    double us = p->before[edge->from] + p->steps[edge->group].bound;
    if (us < p->before[edge->to]) {
      p->before[edge->to] = us;
      p->hoped[edge->to] = i;
    }
  }
  for (uint32_t i = (uint32_t)p->cuts.edges.n; i-- > 0;) {
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    double us = p->steps[edge->group].bound + p->after[edge->to];
    if (us < p->after[edge->from])
      p->after[edge->from] = us;
  }
  for (uint32_t i = 0; i < p->cuts.groups.n; i++)
    p->steps[i].through = SG_NEVER;
  for (uint32_t i = 0; i < p->cuts.edges.n; i++) {
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    step *s = &p->steps[edge->group];
    double us = p->before[edge->from] + s->bound + p->after[edge->to];
    s->through = us < s->through ? us : s->through;
  }
  p->best = best_known(p, 1, NULL);
  if (p->best < p->search->best_us)
    p->search->best_us = p->best;
  if (p->best < BETTER * p->found) {
    p->found = p->best;
    p->states_found = p->search->result->stats.states - p->states_before;
  }
}

/* what the operators of a group take by the best smaller groups known */
static double known_apart(const partition *p, uint32_t which) {
  const sg_group *group = SG_GROUP(&p->cuts, which);
  double *best = as_malloc((p->last + 1) * sizeof *best);
  for (uint32_t i = 0; i <= p->last; i++)
    best[i] = SG_NEVER;
  best[group->from] = 0;
  for (uint32_t i = 0; i < p->cuts.edges.n; i++) { /* paths to group->to stay within the group */
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    double us = best[edge->from] + p->steps[edge->group].us;
    if (edge->group != which && us < best[edge->to])
      best[edge->to] = us;
  }
  double us = best[group->to];
  free(best);
  return us;
}

static bool may_pay(const partition *p, uint32_t which) {
  double best = p->best < p->search->best_us ? p->best : p->search->best_us;
  const step *s = &p->steps[which];
  return s->through < best * (s->shallow ? p->further : p->reach);
}

static void look_into(partition *p, uint32_t which, uint64_t max_states) {
  sg_search *search = p->search;
  const sg_group *group = SG_GROUP(&p->cuts, which);
  step *s = &p->steps[which];
  uint64_t *cut = &search->result->stats.struck[AS_LIMIT_STATES];
  uint64_t cut_before = *cut;
  bool deepest = max_states >= search->opts.max_states;
  sg_segment *segment = sg_search_segment(search, p->variant, group->ops, group->n_ops, max_states);
  s->shallow = !deepest && *cut > cut_before;
  s->known = !s->shallow;
  if (s->shallow)
    *cut = cut_before; /* counted if it is not looked into again */
  double apart = known_apart(p, which);
  search->result->stats.unlowered +=
      sg_segment_drop_unlowerable(segment, &search->opts, apart < s->us ? apart : s->us);
  if (segment->n_rank && segment->rank[0].us < s->us) {
    s->us = segment->rank[0].us;
    s->segment = segment;
  }
  s->bound = s->known ? s->us : s->least;
  sg_segment_trim(segment, which == p->whole ? KEPT_OF_WHOLE : KEPT_OF_PIECE);
  relax(p);
  AS_TRACE(SEARCH, "at %llu states: the best partition known %.5g us, by bounds %.5g us",
           (unsigned long long)search->result->stats.states, p->best, p->before[p->last]);
}

/* whether the budget or the time is up; counts what is left unseen then */
static bool is_over(const partition *p) {
  sg_search *search = p->search;
  as_search_limit why;
  if (as_search_is_late(&search->enumerate_till, &why)) {
    sg_struck(search, why, 1);
    return true;
  }
  uint64_t states = search->result->stats.states - p->states_before;
  bool in_vain = p->reach <= 1 && states > PATIENCE * p->states_found + LEAST_PATIENCE;
  if (states >= p->most_states || in_vain) {
    sg_struck(search, AS_LIMIT_GROUPS, 1);
    return true;
  }
  return false;
}

static bool is_open(const partition *p, uint32_t which, bool again) {
  const step *s = &p->steps[which];
  return !s->known && s->shallow == again && may_pay(p, which);
}

/* the smallest group that is to be looked into; AS_NONE: there is none */
static uint32_t smallest_open(const partition *p, bool again) {
  for (uint32_t i = 0; i < p->cuts.groups.n; i++) {
    if (is_open(p, p->turn[i], again))
      return p->turn[i];
  }
  return AS_NONE;
}

/* the largest such group on the path that is best by the bounds; AS_NONE: it has none */
static uint32_t promising_open(const partition *p, bool again) {
  uint32_t largest = AS_NONE;
  for (uint32_t end = p->last; end > 0; end = SG_EDGE(&p->cuts, p->hoped[end])->from) {
    uint32_t which = SG_EDGE(&p->cuts, p->hoped[end])->group;
    if (is_open(p, which, again) && (largest == AS_NONE || SG_GROUP(&p->cuts, which)->n_ops >
                                                               SG_GROUP(&p->cuts, largest)->n_ops))
      largest = which;
  }
  return largest;
}

/* one round: the groups that may pay; false: the budget is up */
static bool look_into_round(partition *p, bool again, uint64_t max_states) {
  const uint64_t *states = &p->search->result->stats.states;
  uint64_t spent_on_promising = 0;
  uint64_t spent_on_smallest = 0;
  uint32_t n_done = 0;
  for (;;) {
    uint32_t which = smallest_open(p, again);
    if (which == AS_NONE)
      return true;
    if (is_over(p))
      return false;
    uint32_t hoped = promising_open(p, again);
    uint64_t *spent = &spent_on_smallest;
    if (hoped != AS_NONE && spent_on_promising <= spent_on_smallest) {
      which = hoped;
      spent = &spent_on_promising;
    }
    uint64_t states_before = *states;
    look_into(p, which, max_states);
    *spent += *states - states_before;
    sg_progress(p->search, which == p->whole ? "enumerating" : "partitioning",
                (double)n_done++ / (double)p->cuts.groups.n);
  }
}

/* First a little way into everything, which finds most of what is cheap; then to the end where a
 * plan was left and a better path may still go through. */
static void look_into_groups(partition *p) {
  uint64_t deep = p->search->opts.max_states;
  uint64_t shallow = deep < SHALLOW_STATES ? deep : SHALLOW_STATES;
  relax(p);
  if (p->variant->n_ops <= FEW_OPERATORS && p->whole != AS_NONE && may_pay(p, p->whole))
    look_into(p, p->whole, shallow);
  bool goes_on = look_into_round(p, false, shallow);
  while (goes_on && shallow < deep) {
    shallow = DEEPER * shallow < deep ? DEEPER * shallow : deep;
    goes_on = look_into_round(p, true, shallow);
  }
  for (uint32_t i = 0; i < p->cuts.groups.n; i++) {
    if (p->steps[i].shallow && may_pay(p, i))
      sg_struck(p->search, AS_LIMIT_STATES, 1);
  }
}

/* what a group takes without the graph that is the best of it */
static void drop_best(partition *p, uint32_t which) {
  step *s = &p->steps[which];
  const sg_group *group = SG_GROUP(&p->cuts, which);
  sg_segment_drop(s->segment, 1);
  double predefined = group->n_atoms == 1 ? predefined_us(p, group) : SG_NEVER;
  s->us = s->segment->n_rank ? s->segment->rank[0].us : SG_NEVER;
  if (predefined <= s->us) {
    s->us = predefined;
    s->segment = NULL;
  }
  s->bound = s->us;
  s->known = true;
}

/* Whether the prover can do all kernels of the path; each that it cannot is taken away. */
static bool is_proved_apart(partition *p, const uint32_t *through) {
  uint32_t *which = as_malloc((p->last + 1) * sizeof *which);
  sg_segment **segment = as_malloc((p->last + 1) * sizeof(*segment));
  bool *proved = as_calloc(p->last + 1, sizeof *proved);
  uint32_t n = 0;
  bool all = true;
  for (uint32_t end = p->last; end > 0; end = SG_EDGE(&p->cuts, through[end])->from) {
    uint32_t group = SG_EDGE(&p->cuts, through[end])->group;
    if (!p->steps[group].segment)
      continue;
    which[n] = group;
    segment[n++] = p->steps[group].segment;
  }
  sg_prove_apart(p->search, segment, n, proved);
  for (uint32_t i = 0; i < n; i++) {
    if (proved[i])
      continue;
    all = false;
    p->search->result->stats.unproved++;
    drop_best(p, which[i]);
  }
  free(which);
  free(segment);
  free(proved);
  return all;
}

/* The best path of several kernels that the prover can do, each apart; its cost.  What may pay once
 * a kernel is taken away is looked into. */
static double best_proved(partition *p, uint32_t *through) {
  for (;;) {
    double us = best_known(p, 2, through);
    as_search_limit why;
    if (us >= SG_NEVER || as_search_is_late(&p->search->enumerate_till, &why) ||
        is_proved_apart(p, through))
      return us;
    look_into_groups(p);
  }
}

/* --- schemes from what is known */
/* gives the number of the scheme */
static uint32_t add_path(partition *p, const uint32_t *through, double us) {
  sg_search *search = p->search;
  uint32_t n_pieces = 0;
  uint32_t at = search->n_schemes;
  for (uint32_t end = p->last; end > 0; end = SG_EDGE(&p->cuts, through[end])->from)
    n_pieces++;
  AS_TRACE(SEARCH, "a partition: %u pieces, %.4g us", n_pieces, us);
  sg_scheme *scheme = sg_scheme_add(search, p->variant, n_pieces);
  scheme->us = us;
  for (uint32_t end = p->last, k = n_pieces; end > 0;) {
    const sg_edge *edge = SG_EDGE(&p->cuts, through[end]);
    const sg_group *group = SG_GROUP(&p->cuts, edge->group);
    sg_piece *piece = &scheme->pieces[--k];
    sg_piece_init(piece, group->ops, group->n_ops);
    piece->segment = p->steps[edge->group].segment;
    end = edge->from;
  }
  return at;
}

/* the scheme again, to be changed in one piece */
static sg_scheme *add_copy(partition *p, uint32_t at) {
  sg_search *search = p->search;
  sg_scheme *other = sg_scheme_add(search, p->variant, search->schemes[at].n);
  const sg_scheme *scheme = &search->schemes[at];
  for (uint32_t i = 0; i < scheme->n; i++) {
    const sg_piece *same = &scheme->pieces[i];
    sg_piece_init(&other->pieces[i], same->ops, same->n);
    other->pieces[i].segment = same->segment;
  }
  other->us = scheme->us;
  return other;
}

/* second choices, one piece at a time: the best may be beyond the prover */
static void add_second_choices(partition *p, uint32_t at) {
  for (uint32_t k = 0; k < p->search->schemes[at].n; k++) {
    const sg_segment *segment = p->search->schemes[at].pieces[k].segment;
    for (uint32_t rank = 1; segment && rank < segment->n_rank; rank++) {
      sg_scheme *other = add_copy(p, at);
      other->pieces[k].rank = rank;
      other->us += segment->rank[rank].us - segment->rank[0].us;
    }
  }
}

/* --- the best partitions of several kernels, beside the very best one */
typedef struct {
  double us;
  uint32_t edge;   /* the path's last */
  uint32_t rank;   /* of the path before it, among those of the down-set where it begins */
  uint64_t groups; /* which they are, whatever their order */
} path;

typedef struct {
  path *of; /* by down-set, `keep` each, best first */
  uint32_t *n;
  uint32_t keep;
} paths;

static void offer_path(paths *all, uint32_t downset, path offered) {
  path *list = &all->of[downset * all->keep];
  uint32_t place = all->n[downset];
  for (uint32_t i = 0; i < all->n[downset]; i++) {
    if (list[i].groups == offered.groups)
      return;
  }
  if (place == all->keep && list[place - 1].us <= offered.us)
    return;
  place -= place == all->keep;
  all->n[downset] = place + 1;
  for (; place > 0 && list[place - 1].us > offered.us; place--)
    list[place] = list[place - 1];
  list[place] = offered;
}

static paths best_paths(const partition *p, uint32_t keep) {
  size_t n = p->last + 1;
  paths all = {as_malloc(n * keep * sizeof *all.of), as_calloc(n, sizeof *all.n), keep};
  all.of[0] = (path){.us = 0};
  all.n[0] = 1;
  for (uint32_t i = 0; i < p->cuts.edges.n; i++) {
    const sg_edge *edge = SG_EDGE(&p->cuts, i);
    double us = p->steps[edge->group].us;
    if (us >= SG_NEVER || (edge->from == 0 && edge->to == p->last))
      continue;
    uint64_t group = edge->group;
    for (uint32_t rank = 0; rank < all.n[edge->from]; rank++) {
      const path *before = &all.of[edge->from * keep + rank];
      uint64_t groups = before->groups + as_hash_words(&group, 1, 1);
      offer_path(&all, edge->to, (path){before->us + us, i, rank, groups});
    }
  }
  return all;
}

/* an operator that is a kernel of its own as a predefined one, where it has a block graph */
static void add_predefined_choices(partition *p, uint32_t at, const uint32_t *through) {
  uint32_t k = p->search->schemes[at].n;
  for (uint32_t end = p->last; end > 0; end = SG_EDGE(&p->cuts, through[end])->from) {
    const sg_group *group = SG_GROUP(&p->cuts, SG_EDGE(&p->cuts, through[end])->group);
    const sg_segment *segment = p->search->schemes[at].pieces[--k].segment;
    if (group->n_atoms > 1 || segment == NULL)
      continue;
    sg_scheme *other = add_copy(p, at);
    other->pieces[k].segment = NULL;
    other->us += predefined_us(p, group) - segment->rank[0].us;
  }
}

/* the edges by which the path of this rank comes to its down-sets */
static void edges_of(const partition *p, const paths *all, uint32_t rank, uint32_t *through) {
  for (uint32_t end = p->last; end > 0;) {
    const path *last = &all->of[end * all->keep + rank];
    through[end] = last->edge;
    rank = last->rank;
    end = SG_EDGE(&p->cuts, last->edge)->from;
  }
}

static void free_paths(paths *all) {
  free(all->of);
  free(all->n);
}

/* the best partitions, as many as are wanted, of kernels that the prover can do; a kernel that it
 * cannot is taken away, and they are chosen anew */
static paths best_proved_paths(partition *p, uint32_t *through) {
  for (;;) {
    as_search_limit why;
    paths all = best_paths(p, p->search->opts.max_partitions);
    bool proved = true;
    for (uint32_t i = 0; i < all.n[p->last]; i++) {
      edges_of(p, &all, i, through);
      proved = is_proved_apart(p, through) && proved;
    }
    if (proved || as_search_is_late(&p->search->enumerate_till, &why))
      return all;
    free_paths(&all);
  }
}

static void add_other_paths(partition *p) {
  uint32_t *through = as_calloc(p->last + 1, sizeof *through);
  paths all = best_proved_paths(p, through);
  for (uint32_t i = 0; i < all.n[p->last]; i++) {
    edges_of(p, &all, i, through);
    uint32_t at = add_path(p, through, all.of[p->last * all.keep + i].us);
    add_predefined_choices(p, at, through);
  }
  free_paths(&all);
  free(through);
}

/* What is dearer than the best, for those who want to see it: groups through which a partition may
 * cost so much of the best, for as many states as were visited before. */
static void reach_further(partition *p) {
  const as_search_opts *opts = &p->search->opts;
  uint64_t visited = p->search->result->stats.states - p->states_before;
  p->reach = p->further = opts->reach;
  p->most_states = 2 * visited < opts->max_group_states ? 2 * visited : opts->max_group_states;
  p->most_states = p->most_states < LEAST_FURTHER ? LEAST_FURTHER : p->most_states;
  look_into_round(p, false, SHALLOW_STATES);
  add_other_paths(p);
}

/* each operator as a kernel of its own */
static void add_separate(sg_search *search, const sg_variant *variant) {
  sg_scheme *scheme = sg_scheme_add(search, variant, 1);
  sg_piece_init(&scheme->pieces[0], variant->ops, variant->n_ops);
  scheme->us = UNSIZED_OPERATOR * (variant->n_ops + 1);
  as_graph *graph = sg_scheme_build(search, scheme, &search->err);
  if (graph && search->concrete)
    scheme->us = as_cost(graph, search->opts.target, NULL);
  if (graph)
    as_graph_free(graph);
}

static int compare_schemes(const void *left, const void *right) {
  const sg_scheme *first = left;
  const sg_scheme *second = right;
  if (first->us != second->us)
    return first->us < second->us ? -1 : 1;
  if (first->n != second->n)
    return first->n < second->n ? -1 : 1;
  for (uint32_t i = 0; i < first->n; i++) {
    const sg_piece *one = &first->pieces[i];
    const sg_piece *other = &second->pieces[i];
    if (one->n != other->n)
      return one->n > other->n ? -1 : 1;
    if (one->rank != other->rank)
      return one->rank < other->rank ? -1 : 1;
  }
  return 0;
}

/* the groups by number of operators */
static uint32_t *by_length(const sg_cuts *cuts, uint32_t most) {
  uint32_t *turn = as_malloc((cuts->groups.n + 1) * sizeof *turn);
  uint32_t n = 0;
  for (uint32_t length = 1; length <= most; length++) {
    for (uint32_t i = 0; i < cuts->groups.n; i++) {
      if (SG_GROUP(cuts, i)->n_ops == length)
        turn[n++] = i;
    }
  }
  return turn;
}

static uint32_t group_of_all(const sg_cuts *cuts, uint32_t n_ops) {
  for (uint32_t i = 0; i < cuts->groups.n; i++) {
    if (SG_GROUP(cuts, i)->n_ops == n_ops)
      return i;
  }
  return AS_NONE;
}

/* Looks into the groups that are one atom of several operators.  Where there is no kernel for one,
 * its maps are better looked at apart: false, and it is among them. */
static bool can_join(partition *p, bool *apart) {
  bool can = true;
  for (uint32_t i = 0; i < p->cuts.groups.n; i++) {
    const sg_group *group = SG_GROUP(&p->cuts, i);
    uint32_t n_computing = 0;
    for (uint32_t k = 0; k < group->n_ops && group->n_atoms == 1; k++)
      n_computing += !p->variant->is_late[group->ops[k]];
    if (n_computing <= 1)
      continue;
    look_into(p, i, SHALLOW_STATES);
    bool in_vain = p->steps[i].segment == NULL;
    apart[group->ops[group->n_ops - 1]] |= in_vain;
    can &= !in_vain;
  }
  return can;
}

/* The schemes that what is known of the groups makes: the program in one kernel, the best in
 * several, dearer ones where they are wanted. */
static void add_schemes(partition *p, bool is_given) {
  sg_search *search = p->search;
  uint32_t *through = as_calloc(p->last + 1, sizeof *through);
  uint32_t before = search->n_schemes;
  if (p->whole != AS_NONE && p->steps[p->whole].segment) {
    for (uint32_t i = 0; i < p->cuts.edges.n; i++) {
      if (SG_EDGE(&p->cuts, i)->group == p->whole)
        through[p->last] = i;
    }
    add_second_choices(p, add_path(p, through, p->steps[p->whole].us));
  }
  double several = best_proved(p, through);
  if (several < SG_NEVER)
    add_second_choices(p, add_path(p, through, several));
  if (search->opts.max_partitions > 1)
    reach_further(p);
  /* one of which no block graph is made, as what depends on no input: the program's own is there */
  if (search->n_schemes == before && !is_given)
    add_separate(search, p->variant);
  free(through);
}

/* The schemes of one order of the operators.  apart: by node, whether no map is joined to it;
 * false: there are more such, and no schemes yet. */
static bool partition_atoms(sg_search *search, const sg_variant *variant, bool *apart) {
  bool is_given = variant == &search->variants[1];
  partition p = {.search = search,
                 .variant = variant,
                 .reach = is_given ? 1 : WORTHWHILE,
                 .further = WORTHWHILE,
                 .found = SG_NEVER,
                 .states_before = search->result->stats.states,
                 .most_states = search->opts.max_group_states};
  sg_cuts_init(&p.cuts, variant, apart, search->opts.max_part);
  if (p.cuts.dropped)
    sg_struck(search, AS_LIMIT_CUTS, p.cuts.dropped);
  if (variant->n_ops > search->opts.max_part)
    sg_struck(search, AS_LIMIT_OPERATORS, 1);
  p.last = (uint32_t)p.cuts.downsets.n - 1;
  p.whole = group_of_all(&p.cuts, variant->n_ops);
  p.turn = by_length(&p.cuts, variant->n_ops);
  p.steps = as_calloc(p.cuts.groups.n + 1, sizeof *p.steps);
  p.before = as_malloc((p.last + 1) * sizeof *p.before);
  p.after = as_malloc((p.last + 1) * sizeof *p.after);
  p.hoped = as_calloc(p.last + 1, sizeof *p.hoped);
  set_bounds(&p);
  relax(&p);
  bool done = can_join(&p, apart);
  if (done)
    look_into_groups(&p);
  AS_TRACE(SEARCH, "%zu down-sets, %zu groups of operators, %zu edges", p.cuts.downsets.n,
           p.cuts.groups.n, p.cuts.edges.n);
  if (done)
    add_schemes(&p, is_given);
  sg_cuts_clear(&p.cuts);
  free(p.turn);
  free(p.steps);
  free(p.before);
  free(p.after);
  free(p.hoped);
  return done;
}

static void partition_variant(sg_search *search, const sg_variant *variant) {
  bool *apart = as_malloc((variant->graph->n + 1) * sizeof *apart);
  for (uint32_t i = 0; i < variant->graph->n; i++)
    apart[i] = search->opts.max_partitions > 1; /* where dearer partitions are wanted, too */
  while (!partition_atoms(search, variant, apart))
    continue; /* with fewer maps joined */
  free(apart);
}

/* Whether nothing but the program's own operators can be certified, whatever is found: the random
 * test is asked for and is out of reach. */
static bool is_in_vain(const sg_search *search) {
  const as_policy *policy = search->opts.policy;
  return policy && policy->field && search->opts.only_first &&
         as_field_is_out_of_reach(search->program, NULL);
}

/* The orders that have borders, or the others; the first is the program as given.  Those with
 * borders have fewer groups, and what is found for them bounds the others. */
static void partition_variants(sg_search *search, bool have_borders) {
  for (uint32_t i = 1; i < search->n_variants; i++) {
    const sg_variant *variant = &search->variants[i];
    if ((variant->is_border != NULL) != have_borders)
      continue;
    if (variant->n_ops > SG_MOST_ATOMS)
      sg_struck(search, AS_LIMIT_OPERATORS, 1);
    else
      partition_variant(search, variant);
  }
}

void sg_make_schemes(sg_search *search) {
  uint32_t n = search->variants[0].n_ops;
  search->best_us = SG_NEVER;
  add_separate(search, &search->variants[0]);
  if (n == 0)
    return;
  if (is_in_vain(search)) {
    sg_message(search, as_strdup("the random test would take too long even at the least sizes, so "
                                 "that only the program's own operators are certified"));
    return;
  }
  if (n > MOST_OPERATORS) {
    sg_struck(search, AS_LIMIT_OPERATORS, 1);
    sg_message(search, as_format("%u operators: more than the %d that are looked into; each is a "
                                 "kernel of its own",
                                 n, MOST_OPERATORS));
    return;
  }
  sg_find_variants(search);
  partition_variants(search, true);
  partition_variants(search, false);
  for (uint32_t i = 0; i < search->n_schemes; i++)
    search->schemes[i].us *= search->schemes[i].variant->risky ? SG_SAFER : 1;
  qsort(search->schemes, search->n_schemes, sizeof *search->schemes, compare_schemes);
}

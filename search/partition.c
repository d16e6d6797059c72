/* Which consecutive operators share a kernel.
 *
 * A partition is a path over the positions 0 .. n between operators; a step from `first` to `end`
 * is a kernel for the operators between, and costs what the model says of the best graph that the
 * enumerator finds for them.  Finding out is dear, so each step starts with a lower bound: no
 * kernel takes less than its launch and what it must draw from memory.  Steps are looked into
 * shortest first (a whole program of few operators before all), and one through which no path can
 * be better than the best known is never looked into: the bounds prove that nothing is lost.  What
 * the budget leaves unseen is said aloud. */
#include "driver.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include <stdlib.h>

enum {
  FEW_OPERATORS = 8,  /* the whole program is looked into first */
  KEPT_OF_WHOLE = 64, /* graphs kept of the whole program */
  KEPT_OF_PIECE = 4,
  MOST_OPERATORS = 300,
  SHALLOW_STATES = 60000 /* per plan, in the first round */
};

#define NEVER 1e300

/* costs where the program states no sizes: fewer kernels first, one an operator last */
#define UNSIZED_KERNEL 1e8
#define UNSIZED_OPERATOR 1e10

typedef struct {
  double bound;        /* no kernel for it takes less; what it takes, once it is looked into */
  double us;           /* of the best kernel found so far; NEVER: none */
  bool shallow;        /* looked into, but not to the end of some plan */
  bool known;          /* looked into as far as it will be */
  double least;        /* the bound before anything was known */
  sg_segment *segment; /* NULL: predefined kernels are cheaper, or there is no graph */
} step;

typedef struct {
  sg_search *search;
  const sg_variant *variant;
  uint32_t n;
  uint32_t width; /* longest step */
  step *steps;    /* first * width + (length - 1) */
  double *before; /* least cost from 0 to a position, over steps with their bounds */
  double *after;  /* from a position to the end */
  uint64_t states_before;
} partition;

static step *step_at(const partition *p, uint32_t first, uint32_t end) {
  return &p->steps[(size_t)first * p->width + (end - first - 1)];
}

static double predefined_us(const partition *p, uint32_t op) {
  const sg_search *search = p->search;
  if (!search->concrete)
    return UNSIZED_OPERATOR;
  return as_cost_operator(p->variant->graph, p->variant->ops[op], search->opts.target);
}

/* whether the operator stands right before what reads it, and is no end of a kernel */
static bool is_move(const partition *p, uint32_t op) {
  uint32_t node = p->variant->ops[op];
  return p->variant->moves_late && sg_op_moves(p->variant->graph->node[node].op) &&
         p->variant->last_use[node] != AS_NONE;
}

static void set_bounds(partition *p) {
  const sg_search *search = p->search;
  for (uint32_t first = 0; first < p->n; first++) {
    for (uint32_t end = first + 1; end <= p->n && end - first <= p->width; end++) {
      step *s = step_at(p, first, end);
      s->us = NEVER;
      s->bound = UNSIZED_KERNEL;
      if (search->concrete) {
        s->bound = as_cost_bound(p->variant->graph, p->variant->ops + first, end - first,
                                 p->variant->last_use, search->opts.target);
      }
      if (end == first + 1) { /* a single operator can always be a predefined kernel */
        s->us = predefined_us(p, first);
        s->known = s->us <= s->bound;
        s->bound = s->known ? s->us : s->bound;
      }
      if (is_move(p, end - 1)) {
        s->known = true;
        s->bound = s->us;
      }
      s->least = s->bound;
    }
  }
}

/* least costs to each position and from it, over all steps */
static void relax(partition *p) {
  p->before[0] = p->after[p->n] = 0;
  for (uint32_t end = 1; end <= p->n; end++) {
    p->before[end] = NEVER;
    for (uint32_t first = end > p->width ? end - p->width : 0; first < end; first++) {
      double us = p->before[first] + step_at(p, first, end)->bound;
      if (us < p->before[end])
        p->before[end] = us;
    }
  }
  for (uint32_t first = p->n; first-- > 0;) {
    p->after[first] = NEVER;
    for (uint32_t end = first + 1; end <= p->n && end - first <= p->width; end++) {
      double us = step_at(p, first, end)->bound + p->after[end];
      if (us < p->after[first])
        p->after[first] = us;
    }
  }
}

/* The least cost of a path over what is found, of at least so many steps; from: NULL, or where its
 * last steps begin, by position. */
static double best_known(const partition *p, uint32_t least_steps, uint32_t *from) {
  double *best = as_malloc((p->n + 1) * sizeof *best);
  best[0] = 0;
  for (uint32_t end = 1; end <= p->n; end++) {
    best[end] = NEVER;
    for (uint32_t first = end > p->width ? end - p->width : 0; first < end; first++) {
      const step *s = step_at(p, first, end);
      bool whole = first == 0 && end == p->n;
      if ((whole && least_steps > 1) || best[first] + s->us >= best[end])
        continue;
      best[end] = best[first] + s->us;
      if (from)
        from[end] = first;
    }
  }
  double us = best[p->n];
  free(best);
  return us;
}

/* what the operators of a step take by the best shorter steps known */
static double known_apart(const partition *p, uint32_t first, uint32_t end) {
  double *best = as_malloc((end - first + 1) * sizeof *best);
  best[0] = 0;
  for (uint32_t at = 1; at <= end - first; at++) {
    best[at] = NEVER;
    for (uint32_t from = 0; from < at; from++) {
      const step *s = step_at(p, first + from, first + at);
      if (at - from < end - first && best[from] + s->us < best[at])
        best[at] = best[from] + s->us;
    }
  }
  double us = best[end - first];
  free(best);
  return us;
}

static bool may_pay(const partition *p, uint32_t first, uint32_t end) {
  double through = p->before[first] + step_at(p, first, end)->bound + p->after[end];
  double best = best_known(p, 1, NULL);
  return through < (best < p->search->best_us ? best : p->search->best_us);
}

static void look_into(partition *p, uint32_t first, uint32_t end, uint64_t max_states) {
  sg_search *search = p->search;
  step *s = step_at(p, first, end);
  uint64_t *cut = &search->result->stats.struck[AS_LIMIT_STATES];
  uint64_t cut_before = *cut;
  bool deepest = max_states >= search->opts.max_states;
  sg_segment *segment = sg_search_segment(search, p->variant, first, end - first, max_states);
  s->shallow = !deepest && *cut > cut_before;
  s->known = !s->shallow;
  if (s->shallow)
    *cut = cut_before; /* counted if it is not looked into again */
  double apart = known_apart(p, first, end);
  search->result->stats.unlowered +=
      sg_segment_drop_unlowerable(segment, &search->opts, apart < s->us ? apart : s->us);
  if (segment->n_rank && segment->rank[0].us < s->us) {
    s->us = segment->rank[0].us;
    s->segment = segment;
  }
  s->bound = s->known ? s->us : s->least;
  sg_segment_trim(segment, end - first == p->n ? KEPT_OF_WHOLE : KEPT_OF_PIECE);
  relax(p);
}

/* whether the budget or the time is up; counts what is left unseen then */
static bool is_over(const partition *p) {
  sg_search *search = p->search;
  as_search_limit why;
  if (as_search_is_late(&search->enumerate_till, &why)) {
    sg_struck(search, why, 1);
    return true;
  }
  if (search->result->stats.states - p->states_before >= search->opts.max_group_states) {
    sg_struck(search, AS_LIMIT_GROUPS, 1);
    return true;
  }
  return false;
}

/* one round: the steps that may pay, shortest first; false: the budget is up */
static bool look_into_round(partition *p, bool again, uint64_t max_states) {
  for (uint32_t length = 1; length <= p->width; length++) {
    for (uint32_t first = 0; first + length <= p->n; first++) {
      const step *s = step_at(p, first, first + length);
      if (s->known || s->shallow != again || !may_pay(p, first, first + length))
        continue;
      if (is_over(p))
        return false;
      look_into(p, first, first + length, max_states);
      sg_progress(p->search, length == p->n ? "enumerating" : "partitioning",
                  (double)length / p->width);
    }
  }
  return true;
}

/* First a little way into everything, which finds most of what is cheap; then to the end where a
 * plan was left and a better path may still go through. */
static void look_into_steps(partition *p) {
  uint64_t deep = p->search->opts.max_states;
  uint64_t shallow = deep < SHALLOW_STATES ? deep : SHALLOW_STATES;
  relax(p);
  if (p->n <= FEW_OPERATORS && p->n <= p->width && may_pay(p, 0, p->n))
    look_into(p, 0, p->n, shallow);
  if (look_into_round(p, false, shallow))
    look_into_round(p, true, deep);
  for (uint32_t first = 0; first < p->n; first++) {
    for (uint32_t end = first + 1; end <= p->n && end - first <= p->width; end++) {
      if (step_at(p, first, end)->shallow && may_pay(p, first, end))
        sg_struck(p->search, AS_LIMIT_STATES, 1);
    }
  }
}

/* --- schemes from what is known */
static void add_path(partition *p, const uint32_t *from, double us) {
  sg_search *search = p->search;
  uint32_t n_pieces = 0;
  uint32_t at = search->n_schemes;
  for (uint32_t end = p->n; end > 0; end = from[end])
    n_pieces++;
  AS_TRACE(SEARCH, "a partition: %u pieces, %.4g us", n_pieces, us);
  sg_scheme *scheme = sg_scheme_add(search, p->variant, n_pieces);
  scheme->us = us;
  for (uint32_t end = p->n, k = n_pieces; end > 0; end = from[end]) {
    const step *s = step_at(p, from[end], end);
    scheme->pieces[--k] = (sg_piece){from[end], end - from[end], s->segment, 0};
  }
  /* second choices, one piece at a time: the best may be beyond the prover */
  for (uint32_t k = 0; k < n_pieces; k++) {
    const sg_piece piece = search->schemes[at].pieces[k];
    for (uint32_t rank = 1; piece.segment && rank < piece.segment->n_rank; rank++) {
      sg_scheme *other = sg_scheme_add(search, p->variant, n_pieces);
      for (uint32_t i = 0; i < n_pieces; i++)
        other->pieces[i] = search->schemes[at].pieces[i];
      other->pieces[k].rank = rank;
      other->us = us - piece.segment->rank[0].us + piece.segment->rank[rank].us;
    }
  }
}

static void add_separate(sg_search *search) {
  const sg_variant *program = &search->variants[0];
  sg_scheme *scheme = sg_scheme_add(search, program, 1);
  scheme->pieces[0] = (sg_piece){0, program->n_ops, NULL, 0};
  scheme->us = UNSIZED_OPERATOR * (program->n_ops + 1);
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

/* the schemes of one order of the operators */
static void partition_variant(sg_search *search, const sg_variant *variant) {
  uint32_t n = variant->n_ops;
  partition p = {
      .search = search, .variant = variant, .n = n, .states_before = search->result->stats.states};
  p.width = n < search->opts.max_part ? n : search->opts.max_part;
  if (p.width < n)
    sg_struck(search, AS_LIMIT_OPERATORS, 1);
  p.steps = as_calloc((size_t)n * p.width, sizeof *p.steps);
  p.before = as_malloc((n + 1) * sizeof *p.before);
  p.after = as_malloc((n + 1) * sizeof *p.after);
  uint32_t *from = as_calloc(n + 1, sizeof *from);
  set_bounds(&p);
  look_into_steps(&p);
  double one_kernel = p.width == n && step_at(&p, 0, n)->segment ? step_at(&p, 0, n)->us : NEVER;
  if (one_kernel < NEVER) {
    from[n] = 0;
    add_path(&p, from, one_kernel);
  }
  double several = n > 1 ? best_known(&p, 2, from) : NEVER;
  if (several < NEVER)
    add_path(&p, from, several);
  double best = best_known(&p, 1, NULL);
  if (best < search->best_us)
    search->best_us = best;
  free(p.steps);
  free(p.before);
  free(p.after);
  free(from);
}

void sg_make_schemes(sg_search *search) {
  uint32_t n = search->variants[0].n_ops;
  search->best_us = NEVER;
  add_separate(search);
  if (n == 0)
    return;
  if (n > MOST_OPERATORS) {
    sg_struck(search, AS_LIMIT_OPERATORS, 1);
    sg_message(search, as_format("%u operators: more than the %d that are looked into; each is a "
                                 "kernel of its own",
                                 n, MOST_OPERATORS));
    return;
  }
  sg_find_variants(search);
  for (uint32_t i = 1; i < search->n_variants; i++) /* the first is the program as given */
    partition_variant(search, &search->variants[i]);
  qsort(search->schemes, search->n_schemes, sizeof *search->schemes, compare_schemes);
}

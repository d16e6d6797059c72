/* Searching one segment: a program of its own is cut out, its plans are enumerated in parallel
 * (each with its own store; results by index, so any number of threads gives the same), and the
 * graphs found are ranked by the cost of their best tiling. */
#include "segment.h"
#include <stdlib.h>
#include <string.h>

static bool copy_sizes(as_graph *to, const as_graph *from, as_err *err) {
  for (uint32_t i = 0; i < from->n_own_size; i++) {
    as_size s = from->own_size[i];
    if (!as_graph_declare(to, as_size_name(from->sizes, s), as_size_least(from->sizes, s),
                          as_size_value(from->sizes, s), NULL, err))
      return false;
  }
  for (uint32_t i = 0; i < from->n_fact; i++) {
    if (!as_graph_where(to, from->fact[i].lhs, from->fact[i].rel, from->fact[i].rhs, err))
      return false;
  }
  return true;
}

static as_node_id bring(sg_segment *s, const as_graph *g, uint32_t a, as_node_id *map,
                        as_err *err) {
  const as_node *n = &g->node[a];
  for (uint32_t i = 0; i < s->sub->n; i++) {
    if (map[i] == a)
      return i;
  }
  as_node_id id = n->kind == AS_N_CONST
                      ? as_graph_const(s->sub, n->value)
                      : as_graph_input(s->sub, n->name, n->dtype, n->dim, n->rank, err);
  if (id != AS_NONE)
    map[id] = a;
  return id;
}

static bool cut_out(sg_segment *s, const as_graph *g, const uint32_t *op, uint32_t n,
                    const uint32_t *last_use, as_err *err) {
  uint32_t total = n;
  for (uint32_t i = 0; i < n; i++)
    total += g->node[op[i]].nargs;
  s->sub = as_graph_new(g->sizes, g->lib, NULL, g->name);
  s->to_main = as_malloc((total + 1) * sizeof *s->to_main);
  memset(s->to_main, 255, (total + 1) * sizeof *s->to_main);
  if (!copy_sizes(s->sub, g, err))
    return false;
  for (int inputs = 1; inputs >= 0; inputs--) {
    for (uint32_t i = 0; i < n; i++) {
      const as_node *nd = &g->node[op[i]];
      as_node_id arg[AS_MAX_ARGS];
      for (uint32_t j = 0; j < nd->nargs; j++) {
        bool inside = false;
        for (uint32_t k = 0; k < i; k++)
          inside |= op[k] == nd->arg[j];
        if (inputs && inside)
          continue;
        arg[j] = bring(s, g, nd->arg[j], s->to_main, err);
        if (arg[j] == AS_NONE)
          return false;
      }
      if (inputs)
        continue;
      as_node_id id = as_graph_op(s->sub, AS_NONE, nd->name, nd->op, arg, nd->nargs, nd->attr, err);
      if (id == AS_NONE)
        return false;
      s->to_main[id] = op[i];
      if ((last_use[op[i]] == 0 || last_use[op[i]] > op[n - 1]) &&
          !as_graph_output(s->sub, id, err))
        return false;
    }
  }
  return true;
}

typedef struct {
  sg_segment *s;
  uint32_t keep;
} job;

static void search_plan(void *arg, size_t i) {
  job *J = arg;
  sg_segment *s = J->s;
  sg_space *sp = sg_space_new(&s->part, &s->plan[i], &s->vocab, &s->lim);
  s->stats[i].plans = 1;
  if (!sg_space_enumerate(sp, &s->stats[i])) {
    sg_space_free(sp);
    return;
  }
  s->recipe[i] = sg_space_extract(sp, J->keep, &s->n_recipe[i]);
  s->stats[i].candidates = s->n_recipe[i];
  s->space[i] = sp;
}

static int cmp_rank(const void *a, const void *b) {
  const sg_rank *x = a;
  const sg_rank *y = b;
  if (x->us != y->us)
    return x->us < y->us ? -1 : 1;
  if (x->weight != y->weight)
    return x->weight < y->weight ? -1 : 1;
  if (x->plan != y->plan)
    return x->plan < y->plan ? -1 : 1;
  return x->recipe < y->recipe ? -1 : x->recipe > y->recipe;
}

static bool build_alone(const sg_segment *s, uint32_t plan, uint32_t recipe, as_graph **out,
                        as_err *err) {
  as_graph *g = as_graph_new(s->sub->sizes, s->sub->lib, s->sub, s->sub->name);
  as_node_id *node = as_malloc((s->part.n + 1) * sizeof *node);
  for (uint32_t i = 0; i < s->part.n_input; i++) {
    node[i] = AS_NONE;
    for (uint32_t k = 0; k < s->sub->n_input; k++) {
      if (s->sub->input[k] == s->part.tensor[i])
        node[i] = g->input[k];
    }
  }
  bool ok = sg_build_block(g, s->space[plan], &s->part, &s->plan[plan], &s->vocab,
                           &s->recipe[plan][recipe], node, err);
  free(node);
  if (!ok) {
    as_graph_free(g);
    g = NULL;
  }
  *out = g;
  return ok;
}

/* cost of the best tiling; without one, behind everything that has one, by weight */
static void rank_all(sg_segment *s, const as_search_opts *o, as_err *err) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < s->n_plan; i++)
    total += s->n_recipe[i];
  s->rank = as_calloc(total + 1, sizeof *s->rank);
  bool concrete = true;
  for (uint32_t i = 0; i < s->sub->n_own_size; i++)
    concrete &= as_size_value(s->sub->sizes, s->sub->own_size[i]) >= 0;
  for (uint32_t i = 0; i < s->n_plan; i++) {
    for (uint32_t k = 0; k < s->n_recipe[i]; k++) {
      as_graph *g;
      as_err e;
      as_err_init(&e);
      if (!build_alone(
              s, i, k, &g,
              &e)) { /* the enumerator and the builder disagree: the first such message is kept */
        char *m = as_err_format(&e);
        as_err_set(err, AS_INTERNAL, "%s", m);
        free(m);
        as_err_clear(&e);
        continue;
      }
      as_err_clear(&e);
      uint32_t nt;
      as_tiling *t = as_tilings(g, o->target, 1, &nt, NULL);
      double splits =
          s->plan[i].n_grid +
          (s->plan[i].loop >= 0); /* of graphs that cost the same, the one with fewer new sizes */
      double us = nt ? t[0].us * (1 + 0.01 * splits) : 1e9 * (1 + 0.01 * splits);
      if (!nt && !concrete) {
        us = 1e8 * (3 - (s->plan[i].n_grid > 0) -
                    (s->plan[i].loop >= 0 && !s->part.cls[s->plan[i].loop].in_outputs)) +
             splits; /* no sizes to go by: one that scales */
      }
      s->rank[s->n_rank++] = (sg_rank){i, k, us, s->recipe[i][k].weight};
      for (uint32_t q = 0; q < nt; q++) {
        free(t[q].size);
        free(t[q].value);
      }
      free(t);
      as_graph_free(g);
    }
  }
  qsort(s->rank, s->n_rank, sizeof *s->rank, cmp_rank);
}

bool sg_segment_init(sg_segment *s, const as_graph *g, const uint32_t *op, uint32_t n,
                     const uint32_t *last_use, const as_search_opts *o, as_search_stats *st,
                     as_err *err) {
  memset(s, 0, sizeof *s);
  s->lim =
      (sg_limits){.max_values = o->max_values,
                  .max_states = (uint32_t)(o->max_states > UINT32_MAX ? UINT32_MAX : o->max_states),
                  .keep = 6,
                  .z3 = o->z3,
                  .shared_block = (double)o->target->shared_block};
  if (!cut_out(s, g, op, n, last_use, err))
    return false;
  uint32_t *inner = as_malloc((s->sub->n + 1) * sizeof *inner);
  uint32_t k = 0;
  uint32_t *last = sg_last_use(s->sub);
  for (uint32_t i = 0; i < s->sub->n; i++) {
    if (s->sub->node[i].kind == AS_N_OP)
      inner[k++] = i;
  }
  s->has_part = sg_part_init(&s->part, s->sub, inner, k, last);
  free(inner);
  free(last);
  st->parts++;
  if (!s->has_part)
    return true;
  sg_vocab_init(&s->vocab, &s->part);
  s->plan = sg_plans(&s->part, &s->n_plan);
  s->space = as_calloc(s->n_plan + 1, sizeof *s->space);
  s->recipe = as_calloc(s->n_plan + 1, sizeof *s->recipe);
  s->n_recipe = as_calloc(s->n_plan + 1, sizeof *s->n_recipe);
  s->stats = as_calloc(s->n_plan + 1, sizeof *s->stats);
  job J = {s, s->lim.keep};
  as_parallel(o->threads, s->n_plan, search_plan, &J);
  for (uint32_t i = 0; i < s->n_plan; i++) {
    const sg_stats *p = &s->stats[i];
    st->states += p->states;
    st->pruned_shape += p->shape;
    st->pruned_abstract += p->abstract;
    st->pruned_unit += p->unit;
    st->pruned_repeat += p->repeat;
    st->pruned_memory += p->memory;
    st->values += p->values;
    st->plans += p->plans;
    st->candidates += p->candidates;
  }
  rank_all(s, o, err);
  return true;
}

void sg_segment_clear(sg_segment *s) {
  for (uint32_t i = 0; i < s->n_plan; i++) {
    for (uint32_t k = 0; k < s->n_recipe[i]; k++)
      sg_recipe_clear(&s->recipe[i][k]);
    free(s->recipe[i]);
    sg_space_free(s->space[i]);
  }
  free(s->plan);
  free(s->space);
  free(s->recipe);
  free(s->n_recipe);
  free(s->stats);
  free(s->rank);
  free(s->to_main);
  if (s->has_part) {
    sg_vocab_clear(&s->vocab);
    sg_part_clear(&s->part);
  }
  if (s->sub)
    as_graph_free(s->sub);
  memset(s, 0, sizeof *s);
}

bool sg_segment_build(const sg_segment *s, uint32_t rank, as_graph *g, as_node_id *node,
                      as_err *err) {
  const sg_rank *r = &s->rank[rank];
  as_node_id *local = as_malloc((s->part.n + 1) * sizeof *local);
  for (uint32_t i = 0; i < s->part.n; i++)
    local[i] = i < s->part.n_input ? node[s->to_main[s->part.tensor[i]]] : AS_NONE;
  bool ok = sg_build_block(g, s->space[r->plan], &s->part, &s->plan[r->plan], &s->vocab,
                           &s->recipe[r->plan][r->recipe], local, err);
  for (uint32_t i = s->part.n_leaf; i < s->part.n && ok; i++) {
    if (local[i] != AS_NONE)
      node[s->to_main[s->part.tensor[i]]] = local[i];
  }
  free(local);
  return ok;
}

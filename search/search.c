/* The driver: the whole program as one kernel first; where that is impossible or dearer, a
 * partition into consecutive kernels by dynamic programming over the cost model; the program's own
 * operators as kernels last.  Then the filter chain, best first. */
#include "search.h"
#include "segment.h"
#include <stdlib.h>
#include <string.h>

const as_search_opts as_search_default = {.threads = 0,
                                          .seed = 1,
                                          .keep = 3,
                                          .tilings = 8,
                                          .max_values = 1500,
                                          .max_tested = 24,
                                          .max_part = 24,
                                          .max_states = 800000,
                                          .max_seconds = 0,
                                          .filter = &as_search_filter_default};

typedef struct {
  uint32_t first;
  uint32_t n;
  sg_segment *seg;
  uint32_t rank;
} piece; /* seg NULL: predefined operators */

typedef struct {
  piece *p;
  uint32_t n;
  double us;
} scheme;

typedef struct {
  const as_graph *g;
  as_search_opts o;
  as_search_result *r;
  uint32_t *op;
  uint32_t n_op;
  uint32_t *last_use;
  sg_segment **seg;
  uint32_t n_seg;
  scheme *scheme;
  uint32_t n_scheme;
  char **seen;
  uint32_t n_seen;
  double start;
  as_err err;
  bool concrete; /* the program states all its sizes */
} search;

static void say(search *S, const char *stage, double done) {
  S->r->stats.seconds = as_now() - S->start;
  if (S->o.progress)
    S->o.progress(S->o.progress_arg, stage, &S->r->stats, done);
}

static void message(search *S, char *text) {
  if (!S->r->message) {
    S->r->message = text;
  } else {
    char *both = as_format("%s; %s", S->r->message, text);
    free(S->r->message);
    free(text);
    S->r->message = both;
  }
}

static void note(search *S, char *text) {
  S->r->log = as_realloc(S->r->log, (S->r->n_log + 1) * sizeof *S->r->log);
  S->r->log[S->r->n_log++] = text;
}

static bool out_of_time(search *S) {
  return S->o.max_seconds > 0 && as_now() - S->start > S->o.max_seconds;
}

/* --- building a muGraph from a scheme */
static bool add_predefined(const search *S, as_graph *g, uint32_t id, as_node_id *node,
                           as_err *err) {
  const as_node *n = &S->g->node[id];
  as_node_id arg[AS_MAX_ARGS];
  for (uint32_t j = 0; j < n->nargs; j++) {
    const as_node *a = &S->g->node[n->arg[j]];
    arg[j] = a->kind == AS_N_CONST ? as_graph_const(g, a->value) : node[n->arg[j]];
  }
  node[id] = as_graph_op(g, AS_NONE, n->name, n->op, arg, n->nargs, n->attr, err);
  return node[id] != AS_NONE;
}

static as_graph *build(search *S, const scheme *c, as_err *err) {
  as_graph *g = as_graph_new(S->g->sizes, S->g->lib, S->g, S->g->name);
  as_node_id *node = as_malloc((S->g->n + 1) * sizeof *node);
  bool ok = true;
  for (uint32_t i = 0; i < S->g->n; i++)
    node[i] = AS_NONE;
  for (uint32_t i = 0; i < S->g->n_input; i++)
    node[S->g->input[i]] = g->input[i];
  for (uint32_t i = 0; i < c->n && ok; i++) {
    const piece *p = &c->p[i];
    if (p->seg) {
      ok = sg_segment_build(p->seg, p->rank, g, node, err);
    } else {
      for (uint32_t k = 0; k < p->n && ok; k++)
        ok = add_predefined(S, g, S->op[p->first + k], node, err);
    }
  }
  for (uint32_t i = 0; i < S->g->n_output && ok; i++)
    ok = as_graph_output(g, node[S->g->output[i]], err);
  ok = ok && as_graph_valid(g, err);
  free(node);
  if (!ok) {
    as_graph_free(g);
    return NULL;
  }
  return g;
}

static scheme *add_scheme(search *S, uint32_t n) {
  S->scheme = as_realloc(S->scheme, (S->n_scheme + 1) * sizeof *S->scheme);
  scheme *c = &S->scheme[S->n_scheme++];
  c->n = n;
  c->us = 0;
  c->p = as_calloc(n + 1, sizeof *c->p);
  return c;
}

static sg_segment *new_segment(search *S, uint32_t first, uint32_t n) {
  sg_segment *s = as_calloc(1, sizeof *s);
  as_err e;
  as_err_init(&e);
  sg_segment_init(s, S->g, S->op + first, n, S->last_use, &S->o, &S->r->stats, &e);
  if (e.status == AS_INTERNAL) {
    char *m = as_err_format(&e);
    note(S, as_format("operators %u to %u: %s", first, first + n - 1, m));
    free(m);
  }
  as_err_clear(&e);
  return s;
}

static sg_segment *keep_segment(search *S, sg_segment *s) {
  S->seg = as_realloc(S->seg, (S->n_seg + 1) * sizeof *S->seg);
  S->seg[S->n_seg++] = s;
  return s;
}

static void drop_segment(sg_segment *s) {
  sg_segment_clear(s);
  free(s);
}

/* --- schemes */
static double whole_program(search *S) {
  if (S->n_op > S->o.max_part || !S->n_op)
    return -1;
  sg_segment *s = keep_segment(S, new_segment(S, 0, S->n_op));
  for (uint32_t i = 0; i < s->n_rank && i < 64; i++) {
    scheme *c = add_scheme(S, 1);
    c->p[0] = (piece){0, S->n_op, s, i};
    c->us = s->rank[i].us;
  }
  return s->n_rank ? s->rank[0].us : -1;
}

static double separate(search *S) {
  scheme *c = add_scheme(S, 1);
  c->p[0] = (piece){0, S->n_op, NULL, 0};
  as_graph *g = build(S, c, &S->err);
  if (!g)
    return -1;
  double shared;
  uint32_t at = S->n_scheme - 1;
  S->scheme[at].us = S->concrete ? as_cost(g, S->o.target, &shared)
                                 : 1e10; /* no sizes to go by: fewer kernels first */
  as_graph_free(g);
  return S->scheme[at].us;
}

/* least total cost over partitions into consecutive pieces; pieces of one operator are predefined
 * kernels */
static void partition(search *S) {
  uint32_t n = S->n_op;
  uint32_t width = n ? 600 / n : 0;
  uint32_t *from = as_calloc(n + 1, sizeof *from);
  double *best = as_malloc((n + 1) * sizeof *best);
  if (width > S->o.max_part)
    width = S->o.max_part;
  if (width > 12)
    width = 12;
  best[0] = 0;
  for (uint32_t j = 1; j <= n; j++) {
    best[j] = 1e300;
    for (uint32_t w = 1; w <= j && w <= (width < 1 ? 1 : width); w++) {
      double us = 0;
      if (w == 1) {
        us = as_cost_operator(S->g, S->op[j - 1], S->o.target);
      } else if (w == n || out_of_time(S)) {
        continue; /* the whole program was tried before */
      } else {
        sg_segment *s = new_segment(S, j - w, w);
        us = s->n_rank ? s->rank[0].us : 1e300;
        drop_segment(s);
        say(S, "partitioning", (double)j / n);
      }
      if (best[j - w] + us < best[j]) {
        best[j] = best[j - w] + us;
        from[j] = j - w;
      }
    }
  }
  uint32_t k = 0;
  for (uint32_t j = n; j > 0; j = from[j])
    k++;
  if (k < n) {
    scheme *c = add_scheme(S, k);
    c->us = best[n];
    for (uint32_t j = n; j > 0; j = from[j]) {
      piece *p = &c->p[--k];
      *p = (piece){from[j], j - from[j], NULL, 0};
      if (p->n > 1)
        p->seg = keep_segment(S, new_segment(S, p->first, p->n));
    }
  }
  free(best);
  free(from);
}

static int cmp_scheme(const void *a, const void *b) {
  const scheme *x = a;
  const scheme *y = b;
  if (x->us != y->us)
    return x->us < y->us ? -1 : 1;
  if (x->n != y->n)
    return x->n < y->n ? -1 : 1;
  uint32_t rx = x->n && x->p[0].seg ? x->p[0].rank : AS_NONE;
  uint32_t ry = y->n && y->p[0].seg ? y->p[0].rank : AS_NONE;
  return rx < ry ? -1 : rx > ry;
}

/* --- the filter chain */
static void candidate_clear(as_candidate *c) {
  for (uint32_t i = 0; i < c->n_tiling; i++) {
    free(c->tiling[i].size);
    free(c->tiling[i].value);
  }
  free(c->tiling);
  free(c->text);
  free(c->cert);
  free(c->field_report);
  if (c->graph)
    as_graph_free(c->graph);
  memset(c, 0, sizeof *c);
}

void as_search_select(const as_candidate *c, uint32_t t) {
  for (uint32_t i = 0; i < c->graph->n_own_size; i++)
    as_size_set_value(c->graph->sizes, c->graph->own_size[i], -1);
  if (t >= c->n_tiling)
    return;
  for (uint32_t i = 0; i < c->tiling[t].n; i++)
    as_size_set_value(c->graph->sizes, c->tiling[t].size[i], c->tiling[t].value[i]);
}

static bool seen_before(search *S, const char *text) {
  for (uint32_t i = 0; i < S->n_seen; i++) {
    if (!strcmp(S->seen[i], text))
      return true;
  }
  S->seen = as_realloc(S->seen, (S->n_seen + 1) * sizeof *S->seen);
  S->seen[S->n_seen++] = as_strdup(text);
  return false;
}

static bool passes(search *S, as_candidate *c, uint32_t number) {
  const as_search_filter *f = S->o.filter;
  as_search_stats *st = &S->r->stats;
  char *why = NULL;
  static const uint32_t runs[] = {1, 3};
  st->tested++;
  for (int i = 0; i < 2 && f->field; i++) {
    as_status v = f->field(f->arg, S->g, c->graph, runs[i], S->o.seed + (uint64_t)i, &why);
    if (v != AS_OK) {
      st->field_failed++;
      note(S, as_format("candidate %u failed the field test: %s\n%s", number,
                        why ? why : "no reason given", c->text));
      free(why);
      return false;
    }
    free(c->field_report);
    c->field_report = why;
    why = NULL;
  }
  say(S, "proving", (double)S->r->n / S->o.keep);
  as_status v = f->prove ? f->prove(f->arg, S->g, c->graph, &c->cert, &c->cert_len, &why) : AS_OK;
  if (v != AS_OK) {
    if (v == AS_NO)
      st->replay_failed++;
    else
      st->unproved++;
    note(S, as_format("candidate %u was not proved: %s\n%s", number, why ? why : "no reason given",
                      c->text));
  }
  free(why);
  return v == AS_OK;
}

/* gives the candidate's graph, tilings and text; false: a duplicate or not well-formed */
static bool make_candidate(search *S, const scheme *c, as_candidate *out, char **why) {
  as_err e;
  memset(out, 0, sizeof *out);
  as_err_init(&e);
  out->graph = build(S, c, &e);
  if (!out->graph) {
    char *m = as_err_format(&e);
    note(S, as_format("a candidate is not well-formed: %s", m));
    free(m);
    as_err_clear(&e);
    return false;
  }
  as_err_clear(&e);
  char *shown = NULL;
  as_search_select(out, AS_NONE);
  shown = as_print_mug(out->graph);
  bool twice = seen_before(S, shown);
  free(shown);
  if (twice) {
    S->r->stats.duplicates++;
    candidate_clear(out);
    return false;
  }
  out->tiling =
      as_tilings(out->graph, S->o.target, S->o.tilings ? S->o.tilings : 1, &out->n_tiling, why);
  out->us = out->n_tiling ? out->tiling[0].us : c->us;
  out->kernels = as_graph_kernels(out->graph);
  as_search_select(out, 0);
  out->text = as_print_mug(out->graph);
  return true;
}

static void filter(search *S) {
  char *untiled = NULL;
  bool late = false;
  for (uint32_t i = 0;
       i < S->n_scheme && S->r->n < S->o.keep && S->r->stats.tested < S->o.max_tested && !late;
       i++) {
    as_candidate c;
    char *why = NULL;
    if (!make_candidate(S, &S->scheme[i], &c, &why)) {
      free(why);
      continue;
    }
    if (!c.n_tiling && S->concrete) { /* nothing could run it at the sizes asked for */
      S->r->stats.untiled++;
      if (why && !untiled) {
        untiled = why;
        why = NULL;
      }
      candidate_clear(&c);
      free(why);
      continue;
    }
    say(S, "testing", (double)S->r->n / S->o.keep);
    if (passes(S, &c, i)) {
      S->r->stats.certified++;
      S->r->cand = as_realloc(S->r->cand, (S->r->n + 1) * sizeof *S->r->cand);
      S->r->cand[S->r->n++] = c;
    } else {
      candidate_clear(&c);
    }
    free(why);
    late = out_of_time(S);
  }
  if (late) {
    message(S, as_format("the time limit of %g s struck: results depend on the machine",
                         S->o.max_seconds));
  }
  if (untiled)
    message(S, untiled);
}

static void collect_operators(search *S) {
  S->op = as_malloc((S->g->n + 1) * sizeof *S->op);
  for (uint32_t i = 0; i < S->g->n; i++) {
    if (S->g->node[i].kind == AS_N_OP && S->g->node[i].block == AS_NONE)
      S->op[S->n_op++] = i;
  }
  S->last_use = sg_last_use(S->g);
  S->concrete = true;
  for (uint32_t i = 0; i < S->g->n_own_size; i++)
    S->concrete &= as_size_value(S->g->sizes, S->g->own_size[i]) >= 0;
}

as_status as_search(const as_graph *program, const as_search_opts *o, as_search_result *r) {
  search S = {.g = program, .o = o ? *o : as_search_default, .r = r, .start = as_now()};
  memset(r, 0, sizeof *r);
  as_err_init(&S.err);
  if (!S.o.target)
    S.o.target = as_target_default();
  if (!S.o.filter)
    S.o.filter = &as_search_filter_default;
  if (!S.o.keep)
    S.o.keep = 1;
  collect_operators(&S);
  say(&S, "enumerating", 0);
  double one = whole_program(&S);
  double apart = separate(&S);
  if (S.n_op > 2 && S.n_op <= 300 && (one < 0 || one > apart))
    partition(&S);
  if (S.n_op > 300) {
    message(
        &S,
        as_format(
            "%u operators: too many to partition within the budget; each is a kernel of its own",
            S.n_op));
  }
  qsort(S.scheme, S.n_scheme, sizeof *S.scheme, cmp_scheme);
  filter(&S);
  if (!r->n) {
    char *m = S.err.status != AS_OK ? as_err_format(&S.err)
              : r->n_log            ? as_strdup(r->log[r->n_log - 1])
                                    : NULL;
    if (m && strchr(m, '\n'))
      *strchr(m, '\n') = 0;
    message(&S, as_format("no candidate was certified: %llu tested, %llu failed the field test, "
                          "%llu unproved%s%s",
                          (unsigned long long)r->stats.tested,
                          (unsigned long long)r->stats.field_failed,
                          (unsigned long long)(r->stats.unproved + r->stats.replay_failed),
                          m ? ": " : "", m ? m : ""));
    free(m);
  } else {
    as_search_select(&r->cand[0], 0);
  }
  say(&S, "done", 1);
  for (uint32_t i = 0; i < S.n_scheme; i++)
    free(S.scheme[i].p);
  for (uint32_t i = 0; i < S.n_seg; i++)
    drop_segment(S.seg[i]);
  for (uint32_t i = 0; i < S.n_seen; i++)
    free(S.seen[i]);
  free(S.scheme);
  free(S.seg);
  free(S.seen);
  free(S.op);
  free(S.last_use);
  as_err_clear(&S.err);
  return r->n ? AS_OK : AS_UNKNOWN;
}

void as_search_result_clear(as_search_result *r) {
  for (uint32_t i = 0; i < r->n; i++)
    candidate_clear(&r->cand[i]);
  for (uint32_t i = 0; i < r->n_log; i++)
    free(r->log[i]);
  free(r->cand);
  free(r->log);
  free(r->message);
  memset(r, 0, sizeof *r);
}

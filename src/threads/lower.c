#include "lowering.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "threads.h"
#include <stdlib.h>
#include <string.h>

void as_threads_kernel_clear(as_threads_kernel *k) {
  as_tg_free(k->graph);
  free(k->kernel);
  free(k->arguments);
  free(k->before);
  memset(k, 0, sizeof *k);
}

/* a graph is offered only if the validator says that it is the block */
static bool validated(as_plan *p, as_threads_kernel *out) {
  char *why = NULL;
  double from = as_now();
  bool ok = as_threads_validate(out->graph, p->isa, p->b, &why);
  out->validated_s = as_now() - from;
  if (!ok && !p->why)
    p->why = as_format("the thread graph made of it is refused: %s", why);
  free(why);
  return ok;
}

/* the thread graph of the first form that the block has */
static as_tg *plan(as_plan *p) {
  if (!p->b->graph->block[p->b->block].has_loop)
    return as_plan_rows(p);
  if (as_plan_read(p)) {
    as_tg *group = as_plan_group(p);
    if (group)
      return group;
    free(p->why);
    p->why = NULL;
    return as_plan_stream(p);
  }
  char *stream = p->why;
  p->why = NULL;
  as_tg *g = as_plan_attend(p);
  if (!g) {
    char *attend = p->why;
    p->why = as_format("as a streaming product: %s; as chained products: %s",
                       stream ? stream : "no", attend ? attend : "no");
    free(attend);
  }
  free(stream);
  return g;
}

static bool waits(const as_tg *g) {
  for (unsigned i = 0; i < g->top.n_body; i++) {
    if (g->top.body[i]->kind == AS_TG_GRIDWAIT)
      return true;
  }
  return false;
}

static bool waits_first(const as_tg *g) {
  return g->top.n_body && g->top.body[0]->kind == AS_TG_GRIDWAIT;
}

static bool stores(const as_tg_op *op) {
  return op->kind == AS_TG_STG;
}

/* does the next kernel have blocks enough to fill the multiprocessors whichever come first? */
static bool fills(const as_plan *p, uint32_t block) {
  const as_target *gpu = p->o->gpu ? p->o->gpu : as_target_default();
  long blocks = 1;
  for (unsigned k = 0; k < 3; k++) {
    long n;
    if (!as_block_size(p->b, p->b->graph->block[block].grid[k], &n, NULL))
      return false;
    blocks *= n;
  }
  return blocks > (long)gpu->multiprocessors;
}

/* Kernels of one program begin while the one before ends: each but the first waits by itself,
 * before all else, or but for the first tiles of the program's inputs (as_ring_produce).  When the
 * next one may begin: at once where it has no loop and its blocks are small; where it has one,
 * before this one's stores, but not if both have loops and the next one's blocks are few: two of
 * them would crowd on a multiprocessor and others stay idle (bench/NOTES.md). */
static void depend(as_plan *p, as_tg *g) {
  const as_graph *graph = p->b->graph;
  uint32_t next = p->b->block + 1;
  if (!as_isa_find(p->isa, "grid.wait") || !as_isa_find(p->isa, "grid.go"))
    return;
  if (p->b->block > 0 && !waits(g))
    as_tg_insert(g, &g->top, 0, as_tg_new_op(g, AS_TG_GRIDWAIT, 'a'));
  if (next >= graph->n_block ||
      (graph->block[p->b->block].has_loop && graph->block[next].has_loop && !fills(p, next)))
    return;
  unsigned at = waits_first(g) ? 1 : 0;
  while (graph->block[next].has_loop && at < g->top.n_body && !stores(g->top.body[at]))
    at++;
  as_tg_insert(g, &g->top, at, as_tg_new_op(g, AS_TG_GRIDGO, 'c'));
}

bool as_threads_lower(const as_block_ref *b, const as_threads_opts *o, const char *name,
                      as_threads_address *address, void *arg, as_threads_kernel *out, char **why) {
  as_err err;
  as_err_init(&err);
  memset(out, 0, sizeof *out);
  as_plan p = {.b = b, .o = o, .t = as_terms_new(), .batch_load = AS_NONE};
  p.isa = as_isa_load(o->target, &err);
  bool ok = p.isa || as_plan_fail(&p, err.text);
  ok = ok && as_plan_want(&p);
  out->graph = ok ? plan(&p) : NULL;
  if (out->graph)
    depend(&p, out->graph);
  ok = out->graph && validated(&p, out);
  if (ok) {
    out->kernel = as_threads_emit(out->graph, p.isa, b, o->blocks, name, address, arg,
                                  &out->arguments, &out->before);
    ok = out->kernel || as_plan_fail(&p, "an address that cannot be printed");
  }
  if (ok) {
    out->threads = 32 * as_tg_warps(out->graph);
    out->waits = waits(out->graph);
    out->early = out->waits && !waits_first(out->graph);
    long barriers = 8L * out->graph->n_barrier * out->graph->stages;
    out->smem = (as_tg_shared_bytes(out->graph) + 15) / 16 * 16 + barriers + 1024;
  } else {
    as_threads_kernel_clear(out);
    *why = p.why ? p.why : as_strdup("not understood");
    p.why = NULL;
  }
  free(p.why);
  as_terms_free(p.t);
  as_isa_free(p.isa);
  as_err_clear(&err);
  return ok;
}

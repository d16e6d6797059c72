#include "lowering.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "threads.h"
#include <math.h>
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

static const as_target *target_of(const as_plan *p) {
  return p->o->gpu ? p->o->gpu : as_target_default();
}

/* bytes of shared memory that the ring of a block with a loop will take, about; *inputs, *made:
 * does it copy such tiles? */
static double ring_of(const as_plan *p, uint32_t block, bool *inputs, bool *made) {
  const as_block *next = &p->b->graph->block[block];
  as_block_ref ref = *p->b;
  double bytes = 0;
  long trip;
  long blocks;
  ref.block = block;
  *inputs = *made = false;
  if (!as_block_size(p->b, next->loop, &trip, NULL) || !as_ring_blocks(p, block, &blocks))
    return 0;
  for (uint32_t i = 0; i < next->n; i++) {
    const as_node *load = &p->b->graph->node[next->nodes[i]];
    long dim[AS_MAX_RANK];
    if (load->kind != AS_N_LOAD || load->map[3] < 0 ||
        !as_block_dims(&ref, next->nodes[i], dim, NULL))
      continue;
    double tile = as_block_tensor_type(p->b, load->arg[0]) == AS_F32 ? 4 : 2;
    for (uint32_t d = 0; d < load->rank; d++)
      tile *= (double)dim[d];
    bytes += tile;
    bool input = as_ring_is_input(p, next->nodes[i]);
    *inputs = *inputs || input;
    *made = *made || !input;
  }
  return bytes *
         as_target_ring(target_of(p), (double)blocks, bytes, (double)trip, p->o->smem_limit);
}

/* The next kernel fetches inputs before it waits (as_ring_produce): may it from this one's start
 * on? Not where more of its blocks than their share fit on a multiprocessor, beside this one's:
 * they would crowd on some, and leave others idle. */
static bool may_fetch(const as_plan *p, const as_tg *g, uint32_t next) {
  const as_target *gpu = target_of(p);
  double many = (double)gpu->multiprocessors;
  bool inputs;
  bool made;
  long blocks;
  long own;
  double ring = ring_of(p, next, &inputs, &made) + (double)gpu->shared_reserved;
  if (!inputs || (made && !as_ring_is_early(p, next)) || !as_ring_blocks(p, next, &blocks) ||
      !as_ring_blocks(p, p->b->block, &own))
    return false;
  double taken = (double)(as_tg_shared_bytes(g) + gpu->shared_reserved) * ceil((double)own / many);
  return floor(((double)gpu->shared_mp - taken) / ring) <= ceil((double)blocks / many);
}

/* Kernels of one program begin while the one before ends: each but the first waits by itself,
 * before all else, or but for tiles of the program's inputs (as_ring_produce).  When the next one
 * may begin: at once where it has no loop and its blocks are small, or fetches inputs meanwhile;
 * else, where it has a loop, before this one's stores, but not if both have loops and the next
 * one's blocks are few: two of them would crowd on a multiprocessor and others stay idle
 * (bench/NOTES.md). */
static void depend(as_plan *p, as_tg *g) {
  const as_block *block = p->b->graph->block;
  uint32_t next = p->b->block + 1;
  long blocks;
  if (!as_isa_find(p->isa, "grid.wait") || !as_isa_find(p->isa, "grid.go"))
    return;
  if (p->b->block > 0 && !waits(g))
    as_tg_insert(g, &g->top, 0, as_tg_new_op(g, AS_TG_GRIDWAIT, 'a'));
  if (next >= p->b->graph->n_block || !as_ring_blocks(p, next, &blocks))
    return;
  bool at_once = !block[next].has_loop || may_fetch(p, g, next);
  if (!at_once && block[p->b->block].has_loop && blocks <= (long)target_of(p)->multiprocessors)
    return;
  unsigned at = waits_first(g) ? 1 : 0;
  while (!at_once && at < g->top.n_body && !stores(g->top.body[at]))
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

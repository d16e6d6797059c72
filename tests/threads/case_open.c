/* A case lowered, and its inputs made; a change of its kernel judged. */
#include "cases.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/ir/graph_types.h"
#include "tests/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *address(void *arg, as_node_id tensor) {
  (void)arg;
  return as_format("t%u", tensor);
}

static int64_t *values(const as_graph *g) {
  uint32_t n = as_size_count(g->sizes);
  int64_t *env = as_calloc(n + 1, sizeof *env);
  for (uint32_t i = 0; i <= n; i++)
    env[i] = INT64_MIN;
  for (uint32_t i = 0;; i++) {
    as_size s = as_size_nth_sym(g->sizes, i);
    if (s == AS_SIZE_BAD)
      return env;
    env[s] = as_size_value(g->sizes, s);
  }
}

static long elements(const field_tensor *t) {
  long n = 1;
  for (unsigned d = 0; d < t->rank; d++)
    n *= t->dim[d];
  return n;
}

static void require(bool ok, const thread_case *c, const char *why) {
  if (ok)
    return;
  printf("%s: %s\n", c->name, why ? why : "failed");
  exit(1);
}

/* where the tensors lie that are parts of others: written down here, not asked of the graph */
typedef struct {
  const char *of;
  const char *tensor;
  long origin;
  long stride[2];
  long elements; /* of what it is a part of */
} part_place;

static const part_place part_places[] = {
    {"parts of a weight, bulk", "W1", 16, {144, 1}, 320 * 144},
    {"parts of a weight, bulk", "W2", 80, {144, 1}, 320 * 144},
    {"parts of a weight, copies by all", "W1", 8, {72, 1}, 160 * 72},
    {"parts of a weight, copies by all", "W2", 40, {72, 1}, 160 * 72},
};

/* of a tensor of these extents; one without strides is no part */
static part_place place_of(const opened *o, const as_node *tensor, const long *whole) {
  part_place place = {.elements = 1};
  for (size_t i = 0; i < sizeof part_places / sizeof *part_places; i++) {
    if (!strcmp(part_places[i].of, o->c->name) && !strcmp(part_places[i].tensor, tensor->name))
      return part_places[i];
  }
  for (uint32_t d = 0; d < tensor->rank; d++)
    place.elements *= whole[d];
  return place;
}

/* memory, and the block's elements of it */
static void fill_input(opened *o, const as_node *load, const as_tg_tile *tile, field_tensor *x,
                       as_rng *rng) {
  const as_tg *g = o->kernel.graph;
  const as_node *tensor = &o->mug->node[load->arg[0]];
  long whole[AS_MAX_RANK];
  long stride[AS_MAX_RANK];
  require(as_block_dims(&o->ref, load->arg[0], whole, NULL), o->c, "an extent");
  part_place place = place_of(o, tensor, whole);
  long dense = 1;
  for (uint32_t d = tensor->rank; d-- > 0; dense *= whole[d])
    stride[d] = d < 2 && place.of ? place.stride[d] : dense;
  x->made = tensor->kind != AS_N_INPUT && !place.of;
  x->rank = tile->n_axis;
  x->elements = place.elements;
  x->memory = as_calloc((size_t)x->elements, sizeof *x->memory);
  for (long i = 0; i < x->elements; i++)
    x->memory[i] = field_random(rng);
  for (unsigned d = 0; d < x->rank; d++) {
    x->dim[d] = tile->axis[d].live * (load->map[3] == (int)d ? g->trip : 1);
    for (int k = 0; k < 3; k++)
      place.origin += load->map[k] == (int)d ? o->c->block[k] * x->dim[d] * stride[d] : 0;
  }
  x->data = as_calloc((size_t)elements(x), sizeof *x->data);
  for (long i = 0; i < elements(x); i++) {
    long at = place.origin;
    long left = i;
    for (unsigned d = x->rank; d-- > 0; left /= x->dim[d])
      at += left % x->dim[d] * stride[d];
    x->data[i] = x->memory[at];
  }
}

static void fill(opened *o) {
  const as_tg *g = o->kernel.graph;
  field_tensor in[4];
  unsigned n_in = 0;
  as_rng r;
  as_rng_seed(&r, 5);
  const as_block *block = &o->mug->block[o->ref.block];
  for (uint32_t k = 0; k < block->n; k++) { /* inputs in the order of the block graph */
    const as_node *n = &o->mug->node[block->nodes[k]];
    for (unsigned t = 0; n->kind == AS_N_LOAD && t < g->n_tile; t++) {
      if (g->tile[t].output || strcmp(g->tile[t].name, n->name) != 0)
        continue;
      fill_input(o, n, &g->tile[t], &o->tensor[t], &r);
      in[n_in++] = o->tensor[t];
    }
  }
  unsigned which = 0;
  cases_other_inputs();
  for (unsigned t = 0; t < g->n_tile; t++) {
    field_tensor *x = &o->tensor[t];
    if (!g->tile[t].output)
      continue;
    x->rank = g->tile[t].n_axis;
    for (unsigned d = 0; d < x->rank; d++)
      x->dim[d] = g->tile[t].axis[d].live;
    x->data = as_calloc((size_t)elements(x), sizeof *x->data);
    long columns = x->dim[x->rank - 1];
    for (long i = 0; i < elements(x); i++)
      x->data[i] = o->c->result(in, which, i / columns, i % columns, in[0].dim[in[0].rank - 1]);
    which++;
  }
}

void case_open(opened *o, const thread_case *c) {
  as_err err;
  char *why = NULL;
  as_err_init(&err);
  field_init();
  memset(o, 0, sizeof *o);
  o->c = c;
  o->lib = as_oplib_new();
  o->sizes = as_sizes_new();
  char *dir = as_format("%s/semantics", getenv("AS_TOP_SRCDIR") ? getenv("AS_TOP_SRCDIR") : "..");
  require(as_oplib_load_dir(o->lib, dir, &err), c, err.text);
  free(dir);
  o->program = as_parse_tp("case.tp", c->program, strlen(c->program), o->sizes, o->lib, &err);
  require(o->program != NULL, c, err.text);
  o->mug = as_parse_mug("case.mug", c->mug, strlen(c->mug), o->program, &err);
  require(o->mug != NULL, c, err.text);
  o->env = values(o->mug);
  o->between = as_graph_between(o->mug);
  o->ref = (as_block_ref){o->mug, o->mug->n_block - 1, o->env, o->between};
  o->isa = as_isa_load(c->target, &err);
  require(o->isa != NULL, c, err.text);
  as_threads_opts opts = {
      .target = c->target, .smem_limit = 200000, .warps = c->warps, .stages = c->stages};
  bool ok = as_threads_lower(&o->ref, &opts, "k", address, NULL, &o->kernel, &why);
  require(ok, c, why);
  as_err_clear(&err);
  fill(o);
}

void case_close(opened *o) {
  for (unsigned t = 0; t < 12; t++) {
    free(o->tensor[t].data);
    free(o->tensor[t].memory);
  }
  as_threads_kernel_clear(&o->kernel);
  as_isa_free(o->isa);
  free(o->env);
  free(o->between);
  as_graph_free(o->mug);
  as_graph_free(o->program);
  as_sizes_free(o->sizes);
  as_oplib_free(o->lib);
}

const thread_case *case_of(const char *name) {
  for (unsigned i = 0; i < n_thread_cases; i++) {
    if (!strcmp(thread_cases[i].name, name))
      return &thread_cases[i];
  }
  ck_abort_msg("no case named %s", name);
  return NULL;
}

void case_judge_change(const opened *of, const thread_change *change, unsigned number,
                       unsigned runs) {
  as_tg *g = as_tg_copy(of->kernel.graph);
  char *why = NULL;
  change->make(g);
  bool ok = as_threads_validate(g, of->isa, &of->ref, &why);
  ck_assert_msg(ok == !change->why, "change %u: %s", number, why ? why : "accepted");
  ck_assert_msg(ok || strstr(why, change->why), "change %u: %s", number, why);
  const char *seen = ok ? interp_judge(g, of->tensor, of->c->block, runs, 1) : NULL;
  ck_assert_msg(!seen, "change %u: %s", number, seen);
  free(why);
  as_tg_free(g);
}

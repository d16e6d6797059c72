/* Loops: what each round repeats goes before them; short ones are written out. */
#include "node.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

/* ---- hoisting */

static bool defines(const imp_kernel *kernel, const imp_region *region, uint32_t value) {
  for (uint32_t i = 0; i < region->n_argument; i++) {
    if (region->argument[i] == value)
      return true;
  }
  for (size_t i = 0; i < region->node.n; i++) {
    const imp_node *node = IMP_NODE(region, i);
    for (uint32_t k = 0; k < node->n_result; k++) {
      if (node->result[k] == value)
        return true;
    }
    for (uint32_t k = 0; k < node->n_region; k++) {
      if (defines(kernel, &node->region[k], value))
        return true;
    }
  }
  return false;
}

/* does it, or what is in it, use something that this region defines? */
static bool depends_on(const imp_kernel *kernel, const imp_node *node, const imp_region *region) {
  for (uint32_t i = 0; i < node->n_token; i++) {
    if (defines(kernel, region, imp_find(kernel, node->token[i])))
      return true;
  }
  for (uint32_t i = 0; i < node->n_region; i++) {
    for (size_t k = 0; k < node->region[i].node.n; k++) {
      const imp_node *inner = IMP_NODE(&node->region[i], k);
      for (uint32_t t = 0; t < inner->n_token; t++) {
        uint32_t value = imp_find(kernel, inner->token[t]);
        if (!defines(kernel, &node->region[i], value) && defines(kernel, region, value))
          return true;
      }
    }
  }
  return false;
}

static bool may_store_to(const imp_kernel *kernel, const imp_region *region, uint32_t base) {
  for (size_t i = 0; i < region->node.n; i++) {
    const imp_node *node = IMP_NODE(region, i);
    imp_effect effect = imp_effect_of(node);
    uint32_t to = effect == IMP_STORE ? imp_base(kernel, node->token[0]) : AS_NONE;
    if (effect == IMP_ANYTHING || (effect == IMP_STORE && (to == AS_NONE || to == base)))
      return true;
    for (uint32_t k = 0; k < node->n_region; k++) {
      if (may_store_to(kernel, &node->region[k], base))
        return true;
    }
  }
  return false;
}

/* a quotient of integers by 0 has no value at all: it stays where it is reached */
static bool is_total(const imp_node *node) {
  static const char *const partial[] = {"arith.divsi",     "arith.divui",     "arith.remsi",
                                        "arith.remui",     "arith.ceildivsi", "arith.ceildivui",
                                        "arith.floordivsi"};
  for (size_t i = 0; i < sizeof partial / sizeof *partial; i++) {
    if (strcmp(node->name, partial[i]) == 0)
      return false;
  }
  return true;
}

static bool goes_out(const imp_kernel *kernel, const imp_node *node, const imp_node *loop) {
  int64_t first;
  int64_t step;
  imp_effect effect = imp_effect_of(node);
  bool runs = imp_rounds(kernel, loop, &first, &step) > 0;
  bool pure = effect == IMP_PURE && (runs || is_total(node));
  uint32_t base = effect == IMP_LOAD ? imp_base(kernel, node->token[0]) : AS_NONE;
  bool load = effect == IMP_LOAD && runs && base != AS_NONE &&
              !may_store_to(kernel, &loop->region[0], base);
  return (pure || load) && !depends_on(kernel, node, &loop->region[0]);
}

static uint32_t hoist_region(imp_kernel *kernel, imp_region *region) {
  uint32_t n = 0;
  for (size_t i = 0; i < region->node.n; i++) {
    imp_node *node = IMP_NODE(region, i);
    imp_effect effect = imp_effect_of(node);
    for (uint32_t k = 0; k < node->n_region && effect != IMP_PURE; k++)
      n += hoist_region(kernel, &node->region[k]);
    for (size_t k = 0; effect == IMP_LOOP && k < node->region[0].node.n;) {
      imp_node *inner = IMP_NODE(&node->region[0], k);
      if (!goes_out(kernel, inner, node)) {
        k++;
        continue;
      }
      imp_remove(&node->region[0], k);
      imp_insert(region, i++, inner);
      n++;
    }
  }
  return n;
}

uint32_t imp_hoist(imp_kernel *kernel) {
  return hoist_region(kernel, &kernel->body);
}

/* ---- writing out */

static imp_node *constant(imp_kernel *kernel, const as_ttir_type *type, int64_t number) {
  char *of = imp_type_text(type);
  char *text = as_format("arith.constant %lld : %s", (long long)number, of);
  imp_node *made = imp_make(kernel, "arith.constant", text, type, 0, NULL);
  as_ttir_op *op = as_arena_alloc(kernel->mem, sizeof *op);
  char *literal = as_format("%lld", (long long)number);
  op->name = "arith.constant";
  op->literal = as_arena_strdup(kernel->mem, literal);
  made->op = op;
  free(literal);
  free(text);
  free(of);
  return made;
}

/* the loop at `at` as its rounds, one after another; gives how many operations they are */
static size_t write_out(imp_kernel *kernel, imp_region *region, size_t at, int64_t rounds,
                        int64_t first, int64_t step) {
  imp_node *loop = IMP_NODE(region, at);
  imp_region *body = &loop->region[0];
  uint32_t carried = body->n_argument - 1;
  uint32_t *now = as_calloc(carried + 1, sizeof *now);
  size_t start = at;
  imp_remove(region, at);
  for (uint32_t i = 0; i < carried; i++)
    now[i] = imp_find(kernel, loop->token[5 + 2 * i]);
  for (int64_t round = 0; round < rounds; round++) {
    as_vec map;
    as_vec_init(&map, sizeof(uint32_t));
    as_ttir_type type = IMP_VALUE(kernel, body->argument[0])->type;
    imp_node *variable = constant(kernel, &type, first + round * step);
    imp_insert(region, at++, variable);
    imp_set_mapped(&map, body->argument[0], variable->result[0]);
    for (uint32_t i = 0; i < carried; i++)
      imp_set_mapped(&map, body->argument[i + 1], now[i]);
    for (size_t i = 0; i < body->node.n; i++) {
      const imp_node *node = IMP_NODE(body, i);
      if (strcmp(node->name, "scf.yield") != 0)
        imp_insert(region, at++, imp_copy(kernel, node, &map));
    }
    const imp_node *yield = body->node.n ? IMP_NODE(body, body->node.n - 1) : NULL;
    uint32_t *next = as_calloc(carried + 1, sizeof *next);
    for (uint32_t i = 0; i < carried; i++)
      next[i] = imp_mapped(kernel, &map, yield->token[i]);
    memcpy(now, next, carried * sizeof *now);
    free(next);
    as_vec_clear(&map);
  }
  for (uint32_t i = 0; i < carried; i++)
    imp_replace(kernel, loop->result[i], now[i]);
  free(now);
  return at - start;
}

static bool can_be_written_out(const imp_node *loop) {
  const imp_region *body = &loop->region[0];
  uint32_t carried = body->n_argument - 1;
  bool ends = body->node.n > 0 &&
              strcmp(IMP_NODE(body, body->node.n - 1)->name, "scf.yield") == 0 &&
              IMP_NODE(body, body->node.n - 1)->n_token == carried;
  return loop->n_result == carried && (carried == 0 || ends);
}

uint32_t imp_unroll(imp_kernel *kernel, int64_t most_rounds, uint64_t most_operations) {
  uint32_t n = 0;
  imp_region *body = &kernel->body;
  uint64_t left = most_operations;
  for (size_t i = 0; i < body->node.n; i++) {
    imp_node *node = IMP_NODE(body, i);
    int64_t first;
    int64_t step;
    if (imp_effect_of(node) != IMP_LOOP)
      continue;
    int64_t rounds = imp_rounds(kernel, node, &first, &step);
    uint64_t operations = rounds > 0 ? (uint64_t)rounds * node->region[0].node.n : 0;
    if (rounds < 1 || rounds > most_rounds || operations > left || !can_be_written_out(node))
      continue;
    left -= operations;
    i += write_out(kernel, body, i, rounds, first, step) - 1;
    n++;
  }
  return n;
}

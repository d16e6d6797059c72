/* Which values of a kernel are made of others, whatever it executes. */
#include "src/base/mem.h"
#include "ttir_order.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_ttir_op *user;
  const as_ttir_op *of;
  bool *made; /* by value: is it made of results of `of`? */
  bool found; /* operands of the user are */
} uses;

static void walk(uses *u, const as_ttir_region *region);

static bool any_made(const uses *u, const as_ttir_op *op) {
  bool made = false;
  for (uint32_t i = 0; i < op->n_operand; i++)
    made = made || u->made[op->operand[i]];
  return made;
}

/* what a region gives, number i of it; NULL: it gives nothing */
static const uint32_t *given(const as_ttir_region *region, uint32_t i) {
  const as_ttir_op *last = region->n_op ? region->op[region->n_op - 1] : NULL;
  return last && strcmp(last->name, "scf.yield") == 0 && i < last->n_operand ? &last->operand[i]
                                                                             : NULL;
}

/* Of what is carried: keeps those of `held` that a round makes of those of `held`. */
static void keep_through_rounds(uses *u, const as_ttir_op *op, bool *held) {
  const as_ttir_region *body = &op->region[0];
  uint32_t n = op->n_result;
  const uint32_t *argument = body->argument + (body->n_argument - n);
  const as_ttir_op *of = u->of;
  bool found = u->found;
  u->of = NULL;
  for (bool fewer = true; fewer;) {
    fewer = false;
    for (uint32_t i = 0; i < n; i++)
      u->made[argument[i]] = held[i];
    walk(u, body);
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t *last = given(body, i);
      bool stays = held[i] && last && u->made[*last];
      fewer = fewer || stays != held[i];
      held[i] = stays;
    }
  }
  u->of = of;
  u->found = found;
}

/* Operands are bounds and step, then what is carried at first: behind the loop that is what it was,
 * or what the last round gave.  Where the loop has the operation in it, it is executed in each. */
static void walk_loop(uses *u, const as_ttir_op *op) {
  const as_ttir_region *body = &op->region[0];
  uint32_t n = op->n_result;
  if (op->n_operand < n || body->n_argument < n)
    return;
  const uint32_t *argument = body->argument + (body->n_argument - n);
  bool *before = as_calloc(n + 1, sizeof *before); /* made of it before the loop */
  bool *within = as_calloc(n + 1, sizeof *within); /* in a round */
  for (uint32_t i = 0; i < n; i++)
    u->made[argument[i]] = false;
  walk(u, body);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t *last = given(body, i);
    within[i] = last && u->made[*last];
    before[i] = u->made[op->operand[op->n_operand - n + i]];
  }
  keep_through_rounds(u, op, within);
  keep_through_rounds(u, op, before);
  for (uint32_t i = 0; i < n; i++)
    u->made[argument[i]] = before[i];
  walk(u, body);
  for (uint32_t i = 0; i < n; i++)
    u->made[op->result[i]] = before[i] || within[i];
  free(before);
  free(within);
}

static void walk_branches(uses *u, const as_ttir_op *op) {
  bool chosen = any_made(u, op);
  for (uint32_t r = 0; r < op->n_region; r++)
    walk(u, &op->region[r]);
  for (uint32_t i = 0; i < op->n_result; i++) {
    bool all = op->n_region == 2;
    for (uint32_t r = 0; r < op->n_region; r++) {
      const uint32_t *last = given(&op->region[r], i);
      all = all && last && u->made[*last];
    }
    u->made[op->result[i]] = chosen || all;
  }
}

static void walk(uses *u, const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    if (op == u->user)
      u->found = any_made(u, op);
    bool loop = strcmp(op->name, "scf.for") == 0;
    bool branch = strcmp(op->name, "scf.if") == 0;
    if (loop)
      walk_loop(u, op);
    else if (branch)
      walk_branches(u, op);
    bool made = op == u->of || (!loop && !branch && any_made(u, op));
    for (uint32_t k = 0; k < op->n_result && !loop && !branch; k++)
      u->made[op->result[k]] = made;
  }
}

bool ttir_is_made_of(const as_ttir_kernel *kernel, const as_ttir_op *user, const as_ttir_op *of) {
  uses u = {user, of, as_calloc(kernel->n_value + 1, sizeof(bool)), false};
  walk(&u, &kernel->body);
  free(u.made);
  return u.found;
}

/* Condition 17: what a product of a warpgroup accumulates into is under way from its issue to the
 * wgwait that completes its group, and so is an operand that it reads from registers.  Registers
 * are a thread's own, so the order of the program is all there is: it is run for all iterations. */
#include "den.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_tg *g;
  const char *why;
  const char **instr; /* a value: what accumulates into it; NULL nothing does */
  bool *operand;      /* a value: products read it */
  long *group;        /* a value: the last group it waits for; -1 none */
  bool *own;          /* a value: touched by other instructions since the last fence */
  long open;          /* the group that is not yet committed */
} flight;

static void find_accumulators(void *arg, as_tg_op *op) {
  flight *F = arg;
  bool held = op->kind == AS_TG_WGMMAR;
  if ((op->kind == AS_TG_WGMMA || held) && op->v >= 0)
    F->instr[op->v] = op->instr;
  if (held && op->a >= 0)
    F->operand[op->a] = true;
}

static bool touch(flight *F, int v, bool write) {
  bool known = v >= 0 && (size_t)v < F->g->value.n;
  if (!known || (!F->instr[v] && !(F->operand[v] && write)))
    return true;
  ENSURE(F, "an accumulator is touched while its product is under way",
         !F->instr[v] || F->group[v] < 0);
  ENSURE(F, "an operand is written while a product reads it", F->group[v] < 0);
  F->own[v] = true;
  return true;
}

/* every value that an operation names, whether it reads or writes it */
static bool touch_all(flight *F, const as_tg_op *op) {
  uint64_t fields = as_tg_fields(op->kind);
  if ((fields & AS_TG_BIT(V) && !touch(F, op->v, true)) ||
      (fields & AS_TG_BIT(A) && !touch(F, op->a, false)) ||
      (fields & AS_TG_BIT(B) && !touch(F, op->b, false)))
    return false;
  for (int i = 0; fields & AS_TG_BIT(ARGS) && i < op->n_arg; i++) {
    if (!touch(F, op->arg[i], false))
      return false;
  }
  return true;
}

static bool issue(flight *F, const as_tg_op *op) {
  ENSURE(F, "two instructions accumulate into one value", !strcmp(F->instr[op->v], op->instr));
  ENSURE(F, "no fence between an accumulator's other uses and its product", !F->own[op->v]);
  F->group[op->v] = F->open;
  if (op->kind != AS_TG_WGMMAR)
    return true;
  ENSURE(F, "an accumulator is an operand", !F->instr[op->a] && !F->operand[op->v]);
  ENSURE(F, "no fence between an operand's registers and its product", !F->own[op->a]);
  F->group[op->a] = F->open;
  return true;
}

static bool wait(flight *F, int left) {
  ENSURE(F, "groups to wait for", left >= 0);
  for (size_t v = 0; v < F->g->value.n; v++) {
    if (F->group[v] >= 0 && F->group[v] < F->open - left)
      F->group[v] = -1;
  }
  return true;
}

static bool run(flight *F, const as_tg_op *in, int iteration);

static bool run_one(flight *F, const as_tg_op *op) {
  switch (op->kind) {
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
    return issue(F, op);
  case AS_TG_WGFENCE:
    memset(F->own, 0, F->g->value.n);
    return true;
  case AS_TG_WGCOMMIT:
    F->open++;
    return true;
  case AS_TG_WGWAIT:
    return wait(F, op->count);
  default:
    return touch_all(F, op);
  }
}

static bool run_loop(flight *F, const as_tg_op *loop) {
  int count = loop->who == 'c' ? as_tg_loop_count(F->g, loop) : 0;
  for (int l = 0; l < count; l++) {
    if (!run(F, loop, l))
      return false;
  }
  for (unsigned i = 0; count > 0 && i < loop->n_body; i++) { /* delayed ones of the last */
    if (loop->body[i]->delay && !run_one(F, loop->body[i]))
      return false;
  }
  return true;
}

static bool run(flight *F, const as_tg_op *in, int iteration) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    bool ok = true;
    if (op->kind == AS_TG_LOOP) {
      ok = run_loop(F, op);
    } else if (op->kind == AS_TG_STEPS || op->kind == AS_TG_SURE) {
      int rounds = op->kind == AS_TG_STEPS ? 1 << op->bits : 1;
      for (int s = 0; ok && s < rounds; s++)
        ok = run(F, op, iteration);
    } else if (iteration >= op->delay) {
      ok = run_one(F, op);
    }
    if (!ok)
      return false;
  }
  return true;
}

bool as_flight_validate(const as_tg *g, const char **why) {
  size_t n = g->value.n;
  flight F = {.g = g,
              .instr = as_calloc(n + 1, sizeof *F.instr),
              .operand = as_calloc(n + 1, sizeof *F.operand),
              .group = as_malloc((n + 1) * sizeof *F.group),
              .own = as_malloc(n + 1)};
  memset(F.group, 0xff, (n + 1) * sizeof *F.group);
  memset(F.own, 1, n + 1);
  as_tg_walk(&g->top, find_accumulators, &F);
  bool ok = run(&F, &g->top, 0);
  for (size_t v = 0; ok && v < n; v++) {
    ok = F.group[v] < 0;
    if (!ok)
      F.why = "products that nobody waits for";
  }
  free(F.instr);
  free(F.operand);
  free(F.group);
  free(F.own);
  if (!ok)
    *why = F.why;
  return ok;
}

/* Conditions 11 to 15 and 18: the synchronisation skeleton, run for all iterations with vector
 * clocks.  A clock has a component an agent (lane 0 of each compute warp, its other lanes, the
 * producer), and one a (barrier, stage): the phases known to be complete. */
#include "den.h"
#include "footprint.h"
#include <stdlib.h>
#include <string.h>
#define MAX_EVENTS 4000000u

typedef struct {
  const as_tg_op *op;
  int iteration;
  int access; /* of footprints, -1 none */
} event;

typedef struct {
  int phase;
  int pending;
  long tx; /* bytes expected and not yet copied */
  int *clock;
} barrier;

typedef struct { /* the last access of an (operation, step, stage, agent): an agent's own are
                    ordered */
  bool is;
  int slot;
  unsigned access;
  unsigned agent;
  bool write;
  bool sync;     /* over when it is issued */
  int component; /* known to be over when a clock has at least `value` there; -1: not over */
  int value;
  int epoch;
  int done_epoch; /* of the issuer, when it waited; -1 not yet */
  unsigned times; /* how often this access was made: a wait ends the time that it is for */
  bool bulk;      /* made by the copy unit or the tensor cores, not by the thread */
  int handed;     /* its agent's clock at the first proxy fence after it was over; -1 none yet */
  bool kept;      /* in the list of those that no proxy fence has followed */
} record;

typedef struct { /* an asynchronous read of an operand */
  int record;
  unsigned time;
} operand_read;

typedef struct {
  int component;
  int phase;
  unsigned agent;
  int clock;
} wait;

typedef enum { RUNNING, AT_BAR, AT_WARP } agent_state;

typedef struct {
  const as_tg *g;
  as_footprints f;
  unsigned agents;
  unsigned dims;
  const char *why;
  as_vec program[2]; /* of event: compute warps, producer */
  size_t *pc;
  agent_state *state;
  int *epoch;
  int **clock;
  barrier *bar; /* [barrier * stages + stage] */
  bool initialised;
  int init_clock;
  as_vec record;
  int *record_at;    /* [((access * stages) + slot) * agents + agent] -> index, -1 */
  as_vec *by_buffer; /* of record indices */
  as_vec *open;      /* per agent: records of the open group */
  as_vec *kept;      /* per agent: records that no proxy fence has followed */
  as_vec *groups;    /* per agent: as_vec of record indices */
  as_vec *reads;     /* per agent: operand_read of the products that are not yet committed */
  as_vec *products;  /* per agent: as_vec of operand_read */
  int *version;      /* [(buffer * stages + slot) * agents + agent]: iteration that was filled */
  bool *loads;       /* [buffer * agents + agent]: has a part in filling it */
  bool *stored;      /* [access * agents + agent]: its stores of an exchange are there */
  bool *overlap;     /* [buffer * n_buffer + buffer] */
  as_vec waits;
  as_vec completed; /* of wait, agent unused: clock index into `snapshots` */
  as_vec snapshots; /* of int *, one a completed phase */
} schedule;

static bool synchronises(as_tg_kind k) {
  switch (k) {
  case AS_TG_CPASYNC:
  case AS_TG_BULK:
  case AS_TG_LDMATRIX:
  case AS_TG_LDS:
  case AS_TG_STS:
  case AS_TG_BAR:
  case AS_TG_SYNCWARP:
  case AS_TG_PROXYFENCE:
  case AS_TG_COMMIT:
  case AS_TG_WAITG:
  case AS_TG_MBINIT:
  case AS_TG_MBWAIT:
  case AS_TG_MBEXPECT:
  case AS_TG_MBARRIVE:
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
  case AS_TG_WGCOMMIT:
  case AS_TG_WGWAIT:
    return true;
  default:
    return false;
  }
}

static bool push(schedule *S, as_vec *out, const as_tg_op *op, int iteration, int step) {
  event e = {op, iteration, as_footprint_find(&S->f, op, step)};
  ENSURE(S, "a schedule too long to be checked", out->n < MAX_EVENTS);
  as_vec_push(out, &e);
  return true;
}

static bool flatten(schedule *S, as_vec *out, char who, const as_tg_op *in, int iteration,
                    int step);

static bool flatten_loop(schedule *S, as_vec *out, char who, const as_tg_op *loop) {
  int count = loop->who == who ? as_tg_loop_count(S->g, loop) : 0;
  for (int l = loop->from; l < count; l++) {
    if (!flatten(S, out, who, loop, l, 0))
      return false;
  }
  for (unsigned i = 0; count > 0 && i < loop->n_body; i++) { /* delayed ones of the last */
    const as_tg_op *op = loop->body[i];
    if (op->delay && synchronises(op->kind) && !push(S, out, op, count - 1, 0))
      return false;
  }
  return true;
}

static bool flatten(schedule *S, as_vec *out, char who, const as_tg_op *in, int iteration,
                    int step) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    bool ok = true;
    if (op->kind == AS_TG_LOOP) {
      ok = flatten_loop(S, out, who, op);
    } else if (op->kind == AS_TG_SURE) {
      ok = flatten(S, out, who, op, iteration, step);
    } else if (op->kind == AS_TG_STEPS) {
      for (int s = 0; ok && s < 1 << op->bits; s++)
        ok = flatten(S, out, who, op, iteration, s);
    } else if ((op->who == who || op->who == 'a') && synchronises(op->kind) &&
               iteration >= op->delay) {
      ok = push(S, out, op, iteration - op->delay, step);
    }
    if (!ok)
      return false;
  }
  return true;
}

static int stage_of(const schedule *S, int iteration, int slot) {
  int n = S->g->stages;
  return ((iteration + slot) % n + n) % n;
}

/* the stage of a buffer: those that loads do not fill in a ring have one */
static int slot_of(const schedule *S, const event *e, int buf) {
  if (S->g->buffer[buf].stages == 1)
    return 0;
  return stage_of(S, e->iteration, e->op->slot);
}

static bool known(const schedule *S, const record *r, unsigned agent) {
  return r->component >= 0 && S->clock[agent][r->component] >= r->value;
}

/* Condition 15: the unit that copies boxes sees a thread's access as over only behind a fence that
 * the thread makes after it; order by barriers alone is not enough. */
static bool handed_over(const schedule *S, const record *r, unsigned agent) {
  return r->bulk || (r->handed >= 0 && S->clock[agent][r->agent] >= r->handed);
}

static void hand_over(schedule *S, unsigned agent) {
  as_vec *kept = &S->kept[agent];
  size_t left = 0;
  for (size_t i = 0; i < kept->n; i++) {
    int at = AS_VEC_AT(kept, int, i);
    record *r = &AS_VEC_AT(&S->record, record, (size_t)at);
    r->kept = !known(S, r, agent);
    if (r->kept)
      AS_VEC_AT(kept, int, left++) = at;
    else
      r->handed = S->clock[agent][agent];
  }
  kept->n = left;
}

/* Condition 13: an access is ordered after every earlier one that it meets, if one of them writes.
 * The lanes of an agent have no order among each other but by epochs (syncwarp, bar). */
static bool conflict_free(schedule *S, const event *e, unsigned agent, bool write, int slot) {
  unsigned buf = (unsigned)S->f.access[e->access].buf;
  for (unsigned m = 0; m < S->g->n_buffer; m++) {
    if (!S->overlap[buf * S->g->n_buffer + m])
      continue;
    for (size_t i = 0; i < S->by_buffer[m].n; i++) {
      const record *r = &AS_VEC_AT(&S->record, record, (size_t)AS_VEC_AT(&S->by_buffer[m], int, i));
      bool ordered;
      if (!write && !r->write)
        continue;
      if (r->agent == agent) {
        bool single = !(agent & 1) || agent == 2 * S->f.warps;
        ordered = r->sync ? single || r->epoch < S->epoch[agent]
                          : known(S, r, agent) &&
                                (single || (r->done_epoch >= 0 && r->done_epoch < S->epoch[agent]));
      } else {
        ordered = known(S, r, agent);
      }
      bool over = ordered && (e->op->kind != AS_TG_BULK || handed_over(S, r, agent));
      if (over ||
          !as_footprint_meet(&S->f, r->access, r->agent, r->slot, (unsigned)e->access, agent, slot))
        continue;
      ENSURE(S, "a race in shared memory", ordered);
      ENSURE(S, "a bulk copy over what no proxy fence hands over", over);
    }
  }
  return true;
}

/* sync: over at once; otherwise the record is told later when it is.  *at: its index, -1: the agent
 * touches nothing */
static bool access_memory(schedule *S, const event *e, unsigned agent, bool write, bool sync,
                          int *at) {
  *at = -1;
  if (!as_footprint_any(&S->f, (unsigned)e->access, agent))
    return true;
  int buf = S->f.access[e->access].buf;
  int slot = slot_of(S, e, buf);
  if (!conflict_free(S, e, agent, write, slot))
    return false;
  size_t key = ((size_t)e->access * (size_t)S->g->stages + (size_t)slot) * S->agents + agent;
  record r = {.is = true,
              .slot = slot,
              .access = (unsigned)e->access,
              .agent = agent,
              .write = write,
              .sync = sync,
              .component = sync ? (int)agent : -1,
              .value = S->clock[agent][agent],
              .epoch = S->epoch[agent],
              .done_epoch = -1,
              .bulk = e->op->kind == AS_TG_BULK || e->op->kind == AS_TG_WGMMA ||
                      e->op->kind == AS_TG_WGMMAR,
              .handed = -1};
  if (S->record_at[key] < 0) {
    S->record_at[key] = (int)S->record.n;
    as_vec_push(&S->record, &r);
    as_vec_push(&S->by_buffer[buf], &S->record_at[key]);
  } else {
    r.times = AS_VEC_AT(&S->record, record, (size_t)S->record_at[key]).times + 1;
    r.kept = AS_VEC_AT(&S->record, record, (size_t)S->record_at[key]).kept;
    AS_VEC_AT(&S->record, record, (size_t)S->record_at[key]) = r;
  }
  *at = S->record_at[key];
  if (!r.bulk && !r.kept) {
    AS_VEC_AT(&S->record, record, (size_t)*at).kept = true;
    as_vec_push(&S->kept[agent], at);
  }
  return true;
}

/* what overlaps a buffer that is written holds its tile no longer */
static void spoil(schedule *S, int buf) {
  for (unsigned m = 0; m < S->g->n_buffer; m++) {
    if ((int)m == buf || !S->overlap[(unsigned)buf * S->g->n_buffer + m])
      continue;
    for (unsigned i = 0; i < (unsigned)S->g->stages * S->agents; i++)
      S->version[m * (unsigned)S->g->stages * S->agents + i] = -1;
    for (unsigned k = 0; k < S->f.n; k++) {
      if (S->f.access[k].op->buf == (int)m && S->f.access[k].op->kind == AS_TG_STS)
        memset(S->stored + k * S->agents, 0, S->agents);
    }
  }
}

static void fill(schedule *S, const event *e, unsigned agent, int iteration) {
  int buf = e->op->buf;
  spoil(S, buf);
  S->version[((unsigned)buf * (unsigned)S->g->stages + (unsigned)slot_of(S, e, buf)) * S->agents +
             agent] = iteration;
}

/* Condition 14 */
static bool fresh_tile(schedule *S, const event *e, int buf) {
  const as_tg_tile *t = NULL;
  for (unsigned k = 0; k < S->f.n; k++) {
    const as_tg_op *op = S->f.access[k].op;
    if (op->buf == buf && (op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK))
      t = &S->g->tile[op->tile];
  }
  ENSURE(S, "a tile that nobody loads is read", t);
  bool moved = false;
  for (unsigned i = 0; i < t->n_axis; i++)
    moved = moved || t->axis[i].loop_step;
  int want = moved ? e->iteration : 0;
  for (unsigned a = 0; a < S->agents; a++) {
    int have = S->version[((unsigned)buf * (unsigned)S->g->stages + (unsigned)slot_of(S, e, buf)) *
                              S->agents +
                          a];
    ENSURE(S, "another iteration's tile is read",
           !S->loads[(unsigned)buf * S->agents + a] || have == want);
  }
  return true;
}

static bool fresh_exchange(schedule *S, const event *e) {
  for (unsigned k = 0; k < S->f.n; k++) {
    const as_tg_op *op = S->f.access[k].op;
    if (op->kind != AS_TG_STS || op->buf != e->op->buf || op->base != e->op->base)
      continue;
    for (unsigned a = 0; a < S->agents; a++) {
      ENSURE(S, "read before it is written",
             !as_footprint_any(&S->f, k, a) || S->stored[k * S->agents + a]);
    }
  }
  return true;
}

/* --- barriers */
static void join(schedule *S, int *into, const int *from) {
  for (unsigned i = 0; i < S->dims; i++)
    into[i] = from[i] > into[i] ? from[i] : into[i];
}

static int component_of(const schedule *S, int bar, int stage) {
  return (int)S->agents + bar * S->g->stages + stage;
}

static void try_complete(schedule *S, int bar, int stage) {
  barrier *b = &S->bar[bar * S->g->stages + stage];
  int k = component_of(S, bar, stage);
  if (b->pending || b->tx)
    return;
  b->clock[k] = b->phase + 1;
  int *copy = as_malloc(S->dims * sizeof *copy);
  memcpy(copy, b->clock, S->dims * sizeof *copy);
  wait done = {.component = k, .phase = b->phase, .clock = (int)S->snapshots.n};
  as_vec_push(&S->snapshots, &copy);
  as_vec_push(&S->completed, &done);
  b->phase++;
  b->pending = (int)S->g->barrier[bar].count;
}

static const int *snapshot(const schedule *S, int component, int phase) {
  for (size_t i = S->completed.n; i-- > 0;) {
    const wait *w = &AS_VEC_AT(&S->completed, wait, i);
    if (w->component == component && w->phase == phase)
      return AS_VEC_AT(&S->snapshots, int *, (size_t)w->clock);
  }
  return NULL;
}

static bool usable(schedule *S, unsigned agent) {
  ENSURE(S, "a barrier that is not initialised",
         S->initialised && S->clock[agent][0] >= S->init_clock);
  return true;
}

static bool do_init(schedule *S, unsigned agent) {
  if (agent != 0)
    return true;
  ENSURE(S, "barriers are initialised twice", !S->initialised);
  S->initialised = true;
  S->init_clock = S->clock[0][0];
  for (unsigned i = 0; i < S->g->n_barrier; i++) {
    for (int s = 0; s < S->g->stages; s++)
      S->bar[(int)i * S->g->stages + s].pending = (int)S->g->barrier[i].count;
  }
  return true;
}

/* Condition 11: a wait can neither pass on an older phase nor miss its own */
static bool do_wait(schedule *S, const event *e, unsigned agent, bool *blocked) {
  const as_tg_op *op = e->op;
  if (e->iteration < op->from)
    return true;
  if (!usable(S, agent))
    return false;
  int stage = stage_of(S, e->iteration, op->slot);
  int k = component_of(S, op->bar, stage);
  ENSURE(S, "a wait before the first iteration", e->iteration + op->off >= 0);
  int parity = ((e->iteration + op->off) / S->g->stages + op->par) & 1;
  int have = S->clock[agent][k];
  int phase = (have & 1) == parity ? have : have - 1;
  if (phase >= S->bar[op->bar * S->g->stages + stage].phase) {
    *blocked = true;
    return true;
  }
  if (phase >= 0) {
    const int *done = snapshot(S, k, phase);
    join(S, S->clock[agent], done);
  }
  S->clock[agent][agent]++;
  wait w = {k, phase, agent, S->clock[agent][agent]};
  as_vec_push(&S->waits, &w);
  return true;
}

static bool do_arrive(schedule *S, const event *e, unsigned agent) {
  const as_tg_op *op = e->op;
  bool from = op->kind == AS_TG_MBARRIVE && e->iteration < op->from;
  if ((agent & 1) || from)
    return true; /* lane 0 arrives */
  if (!usable(S, agent))
    return false;
  int stage = stage_of(S, e->iteration, op->slot);
  barrier *b = &S->bar[op->bar * S->g->stages + stage];
  ENSURE(S, "an arrival that may count for another phase",
         S->clock[agent][component_of(S, op->bar, stage)] == b->phase);
  if (op->kind == AS_TG_MBEXPECT) {
    ENSURE(S, "bytes expected", op->count >= 0);
    b->tx += op->count;
  }
  b->pending--;
  ENSURE(S, "too many arrivals", b->pending >= 0);
  join(S, b->clock, S->clock[agent]);
  try_complete(S, op->bar, stage);
  return true;
}

/* --- copies */
static bool do_copy(schedule *S, const event *e, unsigned agent) {
  int at;
  if (e->iteration + e->op->it >= S->g->trip)
    return true;
  ENSURE(S, "a copy of an iteration before the first", e->iteration + e->op->it >= 0);
  if (!access_memory(S, e, agent, true, false, &at))
    return false;
  if (at >= 0) {
    as_vec_push(&S->open[agent], &at);
    fill(S, e, agent, e->iteration + e->op->it);
  }
  return true;
}

static bool do_bulk(schedule *S, const event *e, unsigned agent) {
  const as_tg_op *op = e->op;
  int at;
  ENSURE(S, "a copy beyond the last iteration", e->iteration < S->g->trip);
  if (!usable(S, agent))
    return false;
  int stage = stage_of(S, e->iteration, op->slot);
  int k = component_of(S, op->bar, stage);
  barrier *b = &S->bar[op->bar * S->g->stages + stage];
  ENSURE(S, "a copy that may count for another phase", S->clock[agent][k] == b->phase);
  if (!access_memory(S, e, agent, true, false, &at))
    return false;
  ENSURE(S, "a bulk copy by other threads", at >= 0);
  record *r = &AS_VEC_AT(&S->record, record, (size_t)at);
  r->component = k;
  r->value = b->phase + 1;
  b->tx -= as_tg_buffer_bytes(&S->g->buffer[op->buf]);
  fill(S, e, agent, e->iteration);
  join(S, b->clock, S->clock[agent]);
  try_complete(S, op->bar, stage);
  return true;
}

static void do_commit(schedule *S, unsigned agent) {
  as_vec_push(&S->groups[agent], &S->open[agent]);
  as_vec_init(&S->open[agent], sizeof(int));
}

static bool do_waitg(schedule *S, const event *e, unsigned agent) {
  as_vec *groups = &S->groups[agent];
  ENSURE(S, "groups to wait for", e->op->count >= 0);
  for (size_t i = 0; i + (size_t)e->op->count < groups->n; i++) {
    as_vec *group = &AS_VEC_AT(groups, as_vec, i);
    for (size_t k = 0; k < group->n; k++) {
      record *r = &AS_VEC_AT(&S->record, record, (size_t)AS_VEC_AT(group, int, k));
      r->component = (int)agent;
      r->value = S->clock[agent][agent];
      r->done_epoch = S->epoch[agent];
    }
    group->n = 0;
  }
  return true;
}

/* Condition 18: both operands are read from the issue on, until the warp's own wait */
static bool do_product(schedule *S, const event *e, unsigned agent) {
  int sides = e->op->kind == AS_TG_WGMMAR ? 1 : 2; /* operands in shared memory */
  for (int side = 0; side < sides; side++) {
    event half = *e;
    operand_read read;
    half.access += side;
    if (!access_memory(S, &half, agent, false, false, &read.record) ||
        !fresh_tile(S, &half, S->f.access[half.access].buf))
      return false;
    ENSURE(S, "a product by other threads", read.record >= 0);
    read.time = AS_VEC_AT(&S->record, record, (size_t)read.record).times;
    as_vec_push(&S->reads[agent], &read);
  }
  return true;
}

static bool wait_products(schedule *S, const event *e, unsigned agent) {
  as_vec *groups = &S->products[agent];
  ENSURE(S, "groups to wait for", e->op->count >= 0);
  for (size_t i = 0; i + (size_t)e->op->count < groups->n; i++) {
    as_vec *group = &AS_VEC_AT(groups, as_vec, i);
    for (size_t k = 0; k < group->n; k++) {
      const operand_read *read = &AS_VEC_AT(group, operand_read, k);
      record *r = &AS_VEC_AT(&S->record, record, (size_t)read->record);
      if (r->times != read->time)
        continue; /* read again since, and not yet done */
      r->component = (int)agent;
      r->value = S->clock[agent][agent];
      r->done_epoch = S->epoch[agent];
    }
    group->n = 0;
  }
  return true;
}

static void meet_all(schedule *S, const unsigned *who, unsigned n) {
  int *most = as_calloc(S->dims, sizeof *most);
  for (unsigned i = 0; i < n; i++)
    join(S, most, S->clock[who[i]]);
  for (unsigned i = 0; i < n; i++) {
    memcpy(S->clock[who[i]], most, S->dims * sizeof *most);
    S->clock[who[i]][who[i]]++;
    S->state[who[i]] = RUNNING;
    S->pc[who[i]]++;
    S->epoch[who[i]]++;
  }
  free(most);
}

static const as_vec *program_of(const schedule *S, unsigned agent) {
  return &S->program[agent == 2 * S->f.warps];
}

static bool at_bar(schedule *S, unsigned agent) {
  unsigned all[2 * AS_TG_MAX_WARPS + 1];
  S->state[agent] = AT_BAR;
  for (unsigned i = 0; i < S->agents; i++) {
    if (S->state[i] != AT_BAR)
      return true;
    all[i] = i;
  }
  meet_all(S, all, S->agents);
  return true;
}

static bool at_warp(schedule *S, unsigned agent) {
  ENSURE(S, "a warp barrier of the producer", agent < 2 * S->f.warps);
  unsigned two[2] = {agent, agent ^ 1};
  S->state[agent] = AT_WARP;
  if (S->state[two[1]] == AT_WARP && S->pc[two[1]] == S->pc[agent])
    meet_all(S, two, 2);
  return true;
}

static bool step(schedule *S, unsigned agent, bool *blocked) {
  const event *e = &AS_VEC_AT(program_of(S, agent), event, S->pc[agent]);
  bool ok = true;
  int at;
  *blocked = false;
  if (e->op->kind == AS_TG_BAR)
    return at_bar(S, agent);
  if (e->op->kind == AS_TG_SYNCWARP)
    return at_warp(S, agent);
  S->clock[agent][agent]++;
  switch (e->op->kind) {
  case AS_TG_MBINIT:
    ok = do_init(S, agent);
    break;
  case AS_TG_MBWAIT:
    ok = do_wait(S, e, agent, blocked);
    break;
  case AS_TG_MBEXPECT:
  case AS_TG_MBARRIVE:
    ok = do_arrive(S, e, agent);
    break;
  case AS_TG_CPASYNC:
    ok = do_copy(S, e, agent);
    break;
  case AS_TG_BULK:
    ok = do_bulk(S, e, agent);
    break;
  case AS_TG_PROXYFENCE:
    hand_over(S, agent);
    break;
  case AS_TG_COMMIT:
    do_commit(S, agent);
    break;
  case AS_TG_WAITG:
    ok = do_waitg(S, e, agent);
    break;
  case AS_TG_LDMATRIX:
    ok = access_memory(S, e, agent, false, true, &at) && fresh_tile(S, e, e->op->buf);
    break;
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
    ok = do_product(S, e, agent);
    break;
  case AS_TG_WGCOMMIT:
    as_vec_push(&S->products[agent], &S->reads[agent]);
    as_vec_init(&S->reads[agent], sizeof(operand_read));
    break;
  case AS_TG_WGWAIT:
    ok = wait_products(S, e, agent);
    break;
  case AS_TG_LDS:
    ok = access_memory(S, e, agent, false, true, &at) && fresh_exchange(S, e);
    break;
  case AS_TG_STS:
    ok = access_memory(S, e, agent, true, true, &at);
    if (ok && at >= 0) {
      spoil(S, e->op->buf);
      S->stored[(unsigned)e->access * S->agents + agent] = true;
    }
    break;
  default:
    break;
  }
  if (*blocked)
    S->clock[agent][agent]--;
  else
    S->pc[agent]++;
  return ok;
}

static bool run_all(schedule *S) {
  for (;;) {
    bool moved = false;
    bool left = false;
    for (unsigned a = 0; a < S->agents; a++) {
      while (S->state[a] == RUNNING && S->pc[a] < program_of(S, a)->n) {
        bool blocked;
        if (!step(S, a, &blocked))
          return false;
        if (blocked)
          break;
        moved = true;
      }
    }
    for (unsigned a = 0; a < S->agents; a++)
      left = left || S->pc[a] < program_of(S, a)->n;
    if (!left)
      return true;
    ENSURE(S, "a deadlock", moved);
  }
}

static bool at_end(schedule *S) {
  for (unsigned i = 0; S->initialised && i < S->g->n_barrier * (unsigned)S->g->stages; i++)
    ENSURE(S, "bytes expected and bytes copied differ", !S->bar[i].tx);
  for (size_t i = 0; i < S->waits.n; i++) {
    const wait *w = &AS_VEC_AT(&S->waits, wait, i);
    const int *next = snapshot(S, w->component, w->phase + 1);
    ENSURE(S, "a wait that may miss its phase", !next || next[w->agent] >= w->clock);
  }
  for (unsigned a = 0; a < S->agents; a++) {
    ENSURE(S, "copies that nobody waits for", !S->open[a].n);
    for (size_t i = 0; i < S->groups[a].n; i++)
      ENSURE(S, "copies that nobody waits for", !AS_VEC_AT(&S->groups[a], as_vec, i).n);
    ENSURE(S, "products that nobody waits for", !S->reads[a].n);
    for (size_t i = 0; i < S->products[a].n; i++)
      ENSURE(S, "products that nobody waits for", !AS_VEC_AT(&S->products[a], as_vec, i).n);
  }
  return true;
}

static void prepare(schedule *S) {
  const as_tg *g = S->g;
  unsigned stages = (unsigned)g->stages;
  S->agents = S->f.agents;
  S->dims = S->agents + g->n_barrier * stages;
  S->pc = as_calloc(S->agents, sizeof *S->pc);
  S->state = as_calloc(S->agents, sizeof *S->state);
  S->epoch = as_calloc(S->agents, sizeof *S->epoch);
  S->clock = as_calloc(S->agents, sizeof *S->clock);
  S->open = as_calloc(S->agents, sizeof *S->open);
  S->groups = as_calloc(S->agents, sizeof *S->groups);
  S->reads = as_calloc(S->agents, sizeof *S->reads);
  S->products = as_calloc(S->agents, sizeof *S->products);
  S->kept = as_calloc(S->agents, sizeof *S->kept);
  for (unsigned a = 0; a < S->agents; a++) {
    S->clock[a] = as_calloc(S->dims, sizeof **S->clock);
    as_vec_init(&S->open[a], sizeof(int));
    as_vec_init(&S->groups[a], sizeof(as_vec));
    as_vec_init(&S->reads[a], sizeof(operand_read));
    as_vec_init(&S->products[a], sizeof(as_vec));
    as_vec_init(&S->kept[a], sizeof(int));
  }
  S->bar = as_calloc(g->n_barrier * stages + 1, sizeof *S->bar);
  for (unsigned i = 0; i < g->n_barrier * stages; i++)
    S->bar[i].clock = as_calloc(S->dims, sizeof(int));
  size_t keys = (size_t)S->f.n * stages * S->agents;
  S->record_at = as_malloc((keys + 1) * sizeof *S->record_at);
  memset(S->record_at, 0xff, (keys + 1) * sizeof *S->record_at);
  S->by_buffer = as_calloc(g->n_buffer + 1, sizeof *S->by_buffer);
  for (unsigned i = 0; i < g->n_buffer; i++)
    as_vec_init(&S->by_buffer[i], sizeof(int));
  size_t versions = (size_t)g->n_buffer * stages * S->agents;
  S->version = as_malloc((versions + 1) * sizeof *S->version);
  memset(S->version, 0xff, (versions + 1) * sizeof *S->version);
  S->loads = as_calloc((size_t)g->n_buffer * S->agents + 1, sizeof *S->loads);
  S->stored = as_calloc((size_t)S->f.n * S->agents + 1, sizeof *S->stored);
  S->overlap = as_calloc((size_t)g->n_buffer * g->n_buffer + 1, sizeof *S->overlap);
  for (unsigned i = 0; i < g->n_buffer * g->n_buffer; i++) {
    const as_tg_buffer *a = &g->buffer[i / g->n_buffer];
    const as_tg_buffer *b = &g->buffer[i % g->n_buffer];
    S->overlap[i] = a->base < b->base + as_tg_buffer_bytes(b) * (long)b->stages &&
                    b->base < a->base + as_tg_buffer_bytes(a) * (long)a->stages;
  }
  for (unsigned k = 0; k < S->f.n; k++) {
    const as_tg_op *op = S->f.access[k].op;
    for (unsigned a = 0; a < S->agents; a++) {
      if ((op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK) && as_footprint_any(&S->f, k, a))
        S->loads[(unsigned)op->buf * S->agents + a] = true;
    }
  }
}

static void clear(schedule *S) {
  for (unsigned a = 0; S->clock && a < S->agents; a++) {
    free(S->clock[a]);
    as_vec_clear(&S->open[a]);
    for (size_t i = 0; i < S->groups[a].n; i++)
      as_vec_clear(&AS_VEC_AT(&S->groups[a], as_vec, i));
    as_vec_clear(&S->groups[a]);
    as_vec_clear(&S->reads[a]);
    for (size_t i = 0; i < S->products[a].n; i++)
      as_vec_clear(&AS_VEC_AT(&S->products[a], as_vec, i));
    as_vec_clear(&S->products[a]);
    as_vec_clear(&S->kept[a]);
  }
  for (unsigned i = 0; S->bar && i < S->g->n_barrier * (unsigned)S->g->stages; i++)
    free(S->bar[i].clock);
  for (unsigned i = 0; S->by_buffer && i < S->g->n_buffer; i++)
    as_vec_clear(&S->by_buffer[i]);
  for (size_t i = 0; i < S->snapshots.n; i++)
    free(AS_VEC_AT(&S->snapshots, int *, i));
  free(S->pc);
  free(S->state);
  free(S->epoch);
  free(S->clock);
  free(S->open);
  free(S->groups);
  free(S->reads);
  free(S->products);
  free(S->kept);
  free(S->bar);
  free(S->record_at);
  free(S->by_buffer);
  free(S->version);
  free(S->loads);
  free(S->stored);
  free(S->overlap);
  as_vec_clear(&S->record);
  as_vec_clear(&S->waits);
  as_vec_clear(&S->completed);
  as_vec_clear(&S->snapshots);
  as_vec_clear(&S->program[0]);
  as_vec_clear(&S->program[1]);
}

/* as if all blocks ran so many iterations */
static bool run_blocks(const as_tg *g, const as_footprints *f, int iterations, const char **why) {
  as_tg view = *g;
  schedule S;
  memset(&S, 0, sizeof S);
  view.trip = iterations;
  S.g = &view;
  S.f = *f;
  as_vec_init(&S.program[0], sizeof(event));
  as_vec_init(&S.program[1], sizeof(event));
  as_vec_init(&S.record, sizeof(record));
  as_vec_init(&S.waits, sizeof(wait));
  as_vec_init(&S.completed, sizeof(wait));
  as_vec_init(&S.snapshots, sizeof(int *));
  prepare(&S);
  bool ok = flatten(&S, &S.program[0], 'c', &view.top, 0, 0) &&
            flatten(&S, &S.program[1], 'p', &view.top, 0, 0) && run_all(&S) && at_end(&S);
  clear(&S);
  if (!ok)
    *why = S.why;
  return ok;
}

bool as_schedule_validate(const as_tg *g, const as_isa *isa, const bool *runs, const char **why) {
  as_footprints f;
  memset(&f, 0, sizeof f);
  bool ok = as_footprints_init(&f, g, isa, why);
  for (int n = g->trip; ok && n >= 0; n--)
    ok = !runs[n] || run_blocks(g, &f, n, why);
  as_footprints_clear(&f);
  return ok;
}

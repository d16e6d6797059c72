/* Which units share a launch, and the text of that.
 *
 * Units are the nodes of a graph whose arcs say who reads what another one stores.  Two nodes of
 * which none reaches the other may become one: a way back to it would be a way between them.  So
 * the graph stays without circles, and some order of launches is right. */
#include "beside.h"
#include "fault.h"
#include "reads.h"
#include "simt.h"
#include "src/base/str.h"
#include "sweep.h"
#include "tf32.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* elements of a map that takes no longer with the registers of another kernel */
enum { MOST_SMALL = 1 << 20 };

/* PARTS: in TF32, of factors in two parts; EXACT: of factors of 16 bits; the report says it of a
 * kernel */
typedef enum { ALONE, MAP, SWEEP, SIMT, TF32, PARTS, EXACT } kind;

/* What kernels that may be one have.  The blocks of one are as those of the others: with as many
 * threads, shared memory and registers as that which has most. */
typedef struct {
  kind kind;
  uint32_t threads;
  uint32_t resident; /* blocks on a multiprocessor; 0: as many as there is room for */
  double blocks;     /* at most so many */
  bool small;        /* maps of few elements, by as many threads of a block as others have */
} form;

typedef struct {
  lo_job *job;
  uint32_t n;
  form *form;        /* of each unit; of a launch's first one, with the blocks of all */
  uint32_t *first;   /* the first unit of the launch that a unit belongs to */
  uint64_t *waits;   /* rows of bits: which launches, by their first units, must be before it */
  uint32_t words;    /* of a row */
  uint32_t *ordered; /* units in the order of launches */
} graph;

static double tiles(long extent, uint32_t tile) {
  return (double)((extent + tile - 1) / tile);
}

static form form_of(const lo_job *job, const lo_unit *unit) {
  const as_target *target = job->options->target;
  const lo_sweep *sweep = unit->sweep;
  if (job->n_ranged || unit->library || unit->threads)
    return (form){.kind = ALONE};
  if (sweep) {
    bool map = sweep->kind == LO_SWEEP_MAP && sweep->before == NULL;
    double elements = (double)lo_elems(&job->value[unit->flat_val]);
    bool small = map && elements <= MOST_SMALL;
    double each =
        (double)(small ? LO_SWEEP_THREADS : sweep->block) * sweep->vector * sweep->repeats;
    return (form){map ? MAP : SWEEP, (uint32_t)sweep->block, 0, elements / (map ? each : 1) + 1,
                  small};
  }
  if (unit->simt) {
    const lo_simt *plan = unit->simt;
    return (form){
        SIMT, as_target_simt_threads(&plan->tile), as_target_simt_resident(target, &plan->tile),
        (double)plan->batches * tiles(plan->side[0].extent, as_target_simt_rows(&plan->tile)) *
            tiles(plan->side[1].extent, as_target_simt_columns(&plan->tile)),
        false};
  }
  if (unit->tf32) {
    const as_target_tf32 *tile = &unit->tf32->tile;
    return (form){unit->tf32->exact ? EXACT
                  : tile->in_parts  ? PARTS
                                    : TF32,
                  as_target_tf32_threads(tile),
                  as_target_tf32_resident(target, tile, (uint32_t)unit->tf32->phases),
                  (double)unit->blocks, false};
  }
  return (form){.kind = ALONE};
}

/* Contractions of which a multiprocessor holds unequally many blocks are one where it holds all of
 * both at once; a map of few elements is with anything that goes over memory. */
static bool may_share(const graph *of, uint32_t left, uint32_t right) {
  const as_target *target = of->job->options->target;
  const form *a = &of->form[left];
  const form *b = &of->form[right];
  double blocks = a->blocks + b->blocks;
  uint32_t resident = a->resident < b->resident ? a->resident : b->resident;
  bool sweeps = (a->kind == MAP || a->kind == SWEEP) && (b->kind == MAP || b->kind == SWEEP);
  if (blocks >= (double)target->grid[0])
    return false;
  if (sweeps)
    return a->small || b->small || (a->kind == MAP && b->kind == MAP && a->threads == b->threads);
  return a->kind != ALONE && a->kind == b->kind && a->threads == b->threads &&
         (a->resident == b->resident || blocks <= (double)target->multiprocessors * resident);
}

static uint64_t *row(const graph *of, uint32_t unit) {
  return &of->waits[(size_t)unit * of->words];
}

static bool has(const uint64_t *bits, uint32_t i) {
  return bits[i / 64] >> i % 64 & 1;
}

static void put(uint64_t *bits, uint32_t i) {
  bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void join_bits(const graph *of, uint64_t *to, const uint64_t *from) {
  for (uint32_t i = 0; i < of->words; i++)
    to[i] |= from[i];
}

/* The units that store what a unit reads, by whichever way it is read. */
typedef struct {
  const graph *of;
  const uint32_t *giver; /* of each value; LO_NONE: nobody stores it */
  uint8_t *seen;         /* of each value: was it visited? */
  uint32_t unit;
} waiting;

static void wait_for(void *arg, uint32_t read);

static void wait_for_parts(waiting *walk, const lo_value *value) {
  bool part = value->kind == LV_GLOBAL && value->buffer_class == LG_PART;
  if (part || value->kind == LV_LOAD)
    wait_for(walk, value->source);
  lo_each_in(value->body, wait_for, walk);
}

static void wait_for(void *arg, uint32_t read) {
  waiting *walk = arg;
  if (read >= walk->of->job->n_value || walk->seen[read]) /* (windows' own reads are no values) */
    return;
  walk->seen[read] = 1;
  uint32_t giver = walk->giver[read];
  if (giver == LO_NONE)
    wait_for_parts(walk, &walk->of->job->value[read]);
  else if (giver != walk->unit && !LO_FAULT(LO_FAULT_BESIDE))
    put(row(walk->of, walk->unit), giver);
}

typedef struct {
  uint32_t *giver;
  uint32_t unit;
} giving;

static void give(void *arg, uint32_t given) {
  const giving *walk = arg;
  walk->giver[given] = walk->unit;
}

static void find_givers(const lo_job *job, uint32_t *giver) {
  for (uint32_t id = 0; id < job->n_value; id++)
    giver[id] = LO_NONE;
  for (uint32_t i = 0; i < job->n_unit; i++)
    lo_each_given(&job->unit[i], give, &(giving){giver, i});
}

/* row(of, i): all that unit i waits for, whatever is between */
static void read_waits(graph *of) {
  const lo_job *job = of->job;
  uint32_t *giver = as_malloc((job->n_value + 1) * sizeof *giver);
  uint8_t *seen = as_malloc(job->n_value + 1);
  find_givers(job, giver);
  for (uint32_t i = 0; i < of->n; i++) {
    waiting walk = {of, giver, seen, i};
    memset(seen, 0, job->n_value + 1);
    lo_each_read(job, &job->unit[i], wait_for, &walk);
    for (uint32_t k = 0; k < i; k++) {
      if (has(row(of, i), k))
        join_bits(of, row(of, i), row(of, k));
    }
  }
  free(giver);
  free(seen);
}

/* what both are together: what is no small map says how many threads a block has */
static form form_of_both(const form *a, const form *b) {
  form both = a->small ? *b : *a;
  both.kind = a->kind == SWEEP || b->kind == SWEEP ? SWEEP : a->kind;
  both.small = a->small && b->small;
  both.resident = a->resident < b->resident ? a->resident : b->resident;
  both.blocks = a->blocks + b->blocks;
  return both;
}

/* the launch of the unit `second` becomes a part of that of `first` */
static void share(graph *of, uint32_t first, uint32_t second) {
  of->form[first] = form_of_both(&of->form[first], &of->form[second]);
  join_bits(of, row(of, first), row(of, second));
  for (uint32_t i = 0; i < of->n; i++) {
    if (of->first[i] == second)
      of->first[i] = first;
  }
  for (uint32_t i = 0; i < of->n; i++) {
    uint64_t *bits = row(of, i);
    if (has(bits, first) || has(bits, second)) {
      put(bits, first);
      put(bits, second);
      join_bits(of, bits, row(of, first));
    }
  }
}

static void share_all(graph *of) {
  for (uint32_t i = 0; i < of->n; i++) {
    for (uint32_t k = i + 1; k < of->n && of->first[i] == i; k++) {
      bool apart = of->first[k] == k && !has(row(of, i), k) && !has(row(of, k), i);
      if (apart && may_share(of, i, k))
        share(of, i, k);
    }
  }
}

/* of the launches that wait for none that is left the one whose first unit was first */
static void order(graph *of) {
  uint64_t *done = as_calloc(of->words, sizeof *done);
  uint32_t n = 0;
  while (n < of->n) {
    uint32_t next = 0;
    for (;; next++) {
      bool ready = of->first[next] == next && !has(done, next);
      for (uint32_t k = 0; k < of->n && ready; k++)
        ready = of->first[k] != k || !has(row(of, next), k) || has(done, k);
      if (ready)
        break;
    }
    put(done, next);
    for (uint32_t k = next; k < of->n; k++) {
      if (of->first[k] == next)
        of->ordered[n++] = k;
    }
  }
  free(done);
}

static void give_order(graph *of) {
  as_vec units;
  as_vec_init(&units, sizeof(lo_unit));
  for (uint32_t i = 0; i < of->n; i++) {
    lo_unit unit = of->job->unit[of->ordered[i]];
    uint32_t first = of->first[of->ordered[i]];
    unit.goes_on = i + 1 < of->n && of->first[of->ordered[i + 1]] == first;
    unit.beside = unit.goes_on || first != of->ordered[i];
    unit.resident = of->form[first].resident;
    if (unit.beside && unit.sweep)
      unit.sweep->block = (int)of->form[first].threads;
    as_vec_push(&units, &unit);
  }
  lo_give_units(of->job, &units);
  as_vec_clear(&units);
}

void lo_beside_units(lo_job *job) {
  graph of = {.job = job, .n = job->n_unit, .words = job->n_unit / 64 + 1};
  of.form = as_arena_alloc(job->arena, (of.n + 1) * sizeof *of.form);
  of.first = as_arena_alloc(job->arena, (of.n + 1) * sizeof *of.first);
  of.ordered = as_arena_alloc(job->arena, (of.n + 1) * sizeof *of.ordered);
  of.waits = as_arena_alloc(job->arena, (size_t)(of.n + 1) * of.words * sizeof *of.waits);
  uint32_t some = 0;
  for (uint32_t i = 0; i < of.n; i++) {
    of.form[i] = form_of(job, &job->unit[i]);
    of.first[i] = i;
    some += of.form[i].kind != ALONE;
  }
  if (some < 2)
    return;
  read_waits(&of);
  share_all(&of);
  order(&of);
  give_order(&of);
}

/* --- text */

const char *lo_block_number(const lo_unit *unit) {
  return unit->beside ? "block" : "as_bid()";
}

static void kernel_line(lo_text *text, const char *name, uint32_t threads, uint32_t resident) {
  unsigned number = (unsigned)(text->unit - text->job->unit);
  if (resident)
    lo_line(text, "AS_KERNEL_BESIDE(%u, %u) k%u_%s(as_args a)", threads, resident, number, name);
  else
    lo_line(text, "AS_KERNEL(%u) k%u_%s(as_args a)", threads, number, name);
}

void lo_kernel_head(lo_text *text, uint32_t threads, uint32_t resident) {
  const lo_unit *unit = text->unit;
  if (unit->beside)
    lo_line(text, "AS_PART part%u_%s(const as_args &a, unsigned block)",
            (unsigned)(unit - text->job->unit), unit->name);
  else
    kernel_line(text, unit->name, threads, resident);
}

bool lo_emit_beside(lo_job *job, uint32_t first, uint32_t last, as_str *out) {
  lo_unit *leader = &job->unit[first];
  lo_text text = {.job = job, .unit = leader, .out = out};
  as_str name;
  long begin = 0;
  as_str_init(&name);
  kernel_line(&text, leader->name, (uint32_t)(32 * leader->warps), leader->resident);
  as_str_add(out, "{\n  const unsigned block = as_bid();\n");
  for (uint32_t i = first; i <= last; i++) {
    lo_unit *unit = &job->unit[i];
    unit->begins = begin;
    as_str_printf(out, "  if (block < %ldu) return part%u_%s(a, block - %ldu);\n",
                  begin + unit->blocks, i, unit->name, begin);
    as_str_printf(&name, "%s%s", i > first ? "+" : "", unit->name);
    begin += unit->blocks;
    leader->smem = unit->smem > leader->smem ? unit->smem : leader->smem;
    leader->n_mma += i > first ? unit->n_mma : 0;
    leader->n_ldmatrix += i > first ? unit->n_ldmatrix : 0;
  }
  as_str_add(out, "}\n\n");
  leader->blocks = begin;
  leader->launched = as_arena_strdup(job->arena, name.s);
  as_str_clear(&name);
  return lo_check_blocks(job, leader);
}

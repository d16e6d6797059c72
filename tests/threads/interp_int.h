/* Inside the interpreter of thread graphs. */
#ifndef AS_TEST_INTERP_INT_H
#define AS_TEST_INTERP_INT_H
#include "interp.h"
#define MAX_AGENTS 40
#define MAX_REGS 256

typedef struct {
  const as_tg_op *op;
  int l;
  int s;
  int sure; /* the side that its choices take, -1: as their places say */
} instant;

typedef struct {
  unsigned warp;
  uint32_t lanes; /* mask */
  const as_vec *program;
  size_t pc;
  int at; /* 0 running, 1 at bar, 2 at a warp-wide operation */
  unsigned weight;
  as_vec open;   /* of copy ids */
  as_vec groups; /* of as_vec */
  bool over;     /* are the kernels before over, as far as it knows? */
} agent;

typedef struct {
  bool done;
  unsigned n;
  long *cell;
  pair *value;
  int bar; /* index of the mbarrier it counts for, -1 */
  long bytes;
} copy;

typedef struct { /* a product of a warpgroup, this warp's rows of it */
  instant at;
  int group;
} product;

typedef struct { /* of a warp: in the order of their issue; those before `next` have run */
  as_vec issued; /* of product */
  size_t next;
  int open; /* the group that is not yet committed */
} products;

typedef struct {
  bool is;
  int phase;
  int count;
  int pending;
  long tx;
} mbar;

typedef struct {
  unsigned n;
  pair (*lane)[32]; /* [register][lane] */
} reg;

typedef struct {
  const as_tg *g;
  const field_tensor *tensor;
  const long *block; /* along x, y and z */
  int iterations;    /* that this block runs */
  as_rng rng;
  const char *wrong;
  as_vec program[2];
  agent agents[MAX_AGENTS];
  unsigned n_agent;
  unsigned warps;
  pair *cell;
  uint64_t *late; /* by cell: agents whose accesses may still be under way for bulk copies */
  long cells;
  mbar *bar;
  as_vec copies; /* of copy */
  reg *value;    /* [warp * values + value] */
  pair *got[12];
  products products[AS_TG_MAX_WARPS];
} run;

bool interp_wrong(run *R, const char *what); /* false */
/* maps, bit by bit */
uint32_t interp_image(const as_lay *l, const char *dim, uint32_t x);
unsigned interp_size_of_dim(const as_lay *l, const char *dim);
/* registers of a value; n 0: as many as there are.  Fresh ones hold junk. */
reg *interp_value_of(run *R, unsigned warp, int v, unsigned n);
const reg *interp_read_value(run *R, unsigned warp, int v);
bool interp_in_range(run *R, const reg *r, uint32_t i);
bool interp_cell(run *R, long byte, long *cell); /* of shared memory; false: outside */
/* where the stage of iteration l + slot of a buffer begins */
long interp_base(const run *R, const instant *i, int buf);
/* interp_value.c: what the graph's limit says of this block */
int interp_iterations(run *R);
/* interp_group.c: the product of a warp */
bool interp_mma(run *R, unsigned warp, const as_tg_op *op);
/* interp_group.c: products of warpgroups: issued, committed, waited for */
bool interp_group(run *R, unsigned warp, const instant *i);
/* one product that is under way runs, if there is any */
void interp_group_land(run *R);
/* operations of one lane on registers */
pair interp_folded(int fold, pair a, pair b);
bool interp_map(run *R, unsigned warp, const as_tg_op *op, uint32_t lane, int sure);
bool interp_is_sure(run *R, const as_tg_op *op, int iteration);
bool interp_index(run *R, unsigned warp, const as_tg_op *op, uint32_t lane, int iteration);
bool interp_fill(run *R, unsigned warp, const as_tg_op *op, uint32_t lane);
bool interp_red(run *R, unsigned warp, const as_tg_op *op, uint32_t lane);
bool interp_update(run *R, unsigned warp, const as_tg_op *op, uint32_t lane);
void interp_zero(run *R, unsigned warp, const as_tg_op *op, uint32_t lane);
#endif

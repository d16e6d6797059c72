/* The search: from a tensor program to certified muGraphs with symbolic sizes, best first, and
 * concrete tilings for each. May include: base, target, ir, semantics, verify, proofs.  Called by
 * the command line and by tests. */
#ifndef AS_SEARCH_H
#define AS_SEARCH_H
#include "limits.h"
#include "src/base/routes.h"
#include "src/ir/graph.h"
#include "src/target/target.h"
#include "verify/floats/floats.h"
#include "verify/judge/judge.h"

typedef struct {
  uint64_t states;
  uint64_t pruned_shape;
  uint64_t pruned_abstract;
  uint64_t pruned_unit;
  uint64_t pruned_repeat;
  uint64_t pruned_memory;
  uint64_t values;
  uint64_t plans;
  uint64_t parts;
  uint64_t candidates;
  uint64_t duplicates;
  uint64_t untiled;
  uint64_t ill_formed;
  uint64_t unlowered;
  uint64_t tested;
  uint64_t field_failed;
  uint64_t unproved;
  uint64_t replay_failed;
  uint64_t certified;
  uint64_t unsafe;             /* not judged: worse in floats than the program given */
  uint64_t struck[AS_LIMIT_N]; /* by limit: how often */
  double
      best_us; /* by the model, of the cheapest way known so far; 0: none is known, or no sizes */
  double seconds;
} as_search_stats;

typedef struct {
  as_size *size;
  long *value;
  uint32_t n;
  double us;
  double shared;
} as_tiling; /* us: the model's time; shared: bytes of the largest block */

typedef struct {
  as_graph *program;       /* owned: a copy of the caller's, with a table of sizes of its own, .. */
  as_graph *graph;         /* .. whose muGraph this is; owned */
  char *text;              /* as printed and judged, with the chosen tiling's sizes */
  as_verdict verdict;      /* on that text; its claim is kept.  Not judged: AS_ANSWER_UNKNOWN */
  as_floats_result floats; /* of the muGraph at the chosen tiling's sizes */
  as_tiling *tiling;
  uint32_t n_tiling; /* best first; none: no tile size divides the concrete sizes, or the program
                        states none */
  uint32_t chosen;   /* the best tiling that can be lowered */
  double us;
  as_routes priced; /* the ways of lowering that `us` is of; owned.  None: it is a guess, of no
                       sizes or where nothing is lowered */
  uint32_t kernels;
  bool risky; /* there is a form that is safer in floats, which is chosen unless it costs more */
} as_candidate;

/* What the search asks of a candidate's judgement: certified but for solvers, and no more work on
 * what cannot be. */
extern const as_policy as_search_policy;

/* What became of plans, so that processes can share a search (record.h): what is in it is not
 * enumerated again, and what is enumerated is added.  The text has a line for each plan, and is not
 * trusted: what it says decides which graphs are looked at first.  Reading adds to what is there.
 */
typedef struct as_search_record as_search_record;
as_search_record *as_search_record_new(void);
void as_search_record_free(as_search_record *record);
char *as_search_record_text(const as_search_record *record); /* malloc'ed */
bool as_search_record_read(as_search_record *record, const char *text, as_err *err);

typedef struct {
  unsigned threads;
  uint64_t seed;
  uint32_t keep;    /* certified candidates wanted */
  uint32_t tilings; /* concrete tilings kept for each */
  uint32_t max_values;
  uint32_t max_tested;
  uint32_t max_part;   /* effort: tile tensors per plan, candidates tested, operators per kernel */
  uint64_t max_states; /* per plan */
  uint64_t max_group_states; /* of all groups of operators that the partition looks into */
  /* partitions into several kernels that become candidates; more than 1: also groups of operators
   * are looked into through which one may cost `reach` times the best */
  /* of those that are to be certified, no more than the first by the model that is: where nobody
   * asks a solver about them, or wants to see more */
  bool only_first;
  /* then, what proofs that are not found may take together (as_policy); when it is spent, only the
   * program's own operators are tried */
  uint64_t proof_work;
  uint32_t max_partitions;
  double reach;
  /* last resort, 0: none; the best so far is given, and what was left out said */
  double max_seconds;
  bool concrete;            /* refuse a program whose sizes do not all have values (AS_BAD_INPUT) */
  const volatile int *stop; /* NULL, or a flag that ends the search like the time limit */
  bool z3;                  /* prune by asking Z3 */
  bool fast_floats;         /* costs alone order candidates, whatever they risk in floats */
  /* 0, or nothing is pruned: all block graphs of at most so many operators and accumulators */
  uint32_t no_prune;
  as_search_record *record; /* NULL, or what is known of plans */
  uint32_t
      shard; /* 0: all; otherwise one share of the plans of each group is enumerated, from 1 .. */
  uint32_t n_shards;       /* .. to this, and nothing is certified: the record is the result */
  const as_target *target; /* NULL: the default */
  const as_policy *policy; /* NULL: candidates are not judged */
  ck_text given; /* the program's text, which verdicts are about; text NULL: as it is printed */
  /* Whether a candidate can be lowered with the sizes that it has now, and by which ways (routes:
   * not initialised, the caller's where it can; NULL: not wanted).  NULL: all can. */
  bool (*lowers)(void *arg, const as_graph *cand, as_routes *routes, as_err *err);
  void *lowers_arg;
  /* whether a candidate computes no worse in floats than the program given: what does is not
   * judged; NULL: all do.  Called by several threads at once. */
  bool (*floats)(void *arg, const as_graph *cand, as_floats_result *result);
  void *floats_arg;
  void (*progress)(void *arg, const char *stage, const as_search_stats *st, double done /* 0..1 */);
  void *progress_arg;
} as_search_opts;

extern const as_search_opts as_search_default;

typedef struct {
  as_candidate *cand;
  uint32_t n; /* certified, best first */
  as_candidate *unsafe;
  uint32_t n_unsafe; /* not judged, as they fail the float test; best first */
  as_search_stats stats;
  char *message; /* what the user should know: why something was not found; NULL if nothing */
  char **log;
  uint32_t n_log; /* candidates that failed late: where and why */
} as_search_result;

/* AS_OK: at least one certified candidate, or a shard's record.  AS_UNKNOWN: none within the
 * limits, message says why.
 */
as_status as_search(const as_graph *program, const as_search_opts *o, as_search_result *r);

/* What became of a candidate from elsewhere. */
typedef enum {
  AS_OFFERED_TAKEN,    /* certified, and among those of the result */
  AS_OFFERED_DEAR,     /* not judged: no cheaper than the result's cheapest */
  AS_OFFERED_UNPROVED, /* not certified */
  AS_OFFERED_UNSAFE,   /* not judged: it fails the float test */
  AS_OFFERED_UNFIT,    /* no muGraph of the program, or none that is lowered at its sizes */
  AS_N_OFFERED
} as_offered;

/* A candidate as the text of a muGraph: it gets tile sizes, and is judged where the result (of this
 * program, or empty) has none that is as cheap. */
as_offered as_search_offer(const as_graph *program, const as_search_opts *o, const char *text,
                           as_search_result *r);
/* the limits that struck, as `name (count), ..`, or with what each means, a line each; malloc'ed,
 * NULL where none did */
char *as_search_limits_print(const as_search_stats *stats, bool with_meaning);
/* the message and the limits that struck; malloc'ed, NULL where there is nothing to say */
char *as_search_said(const as_search_result *r, bool with_meaning);
void as_search_result_clear(as_search_result *r);
/* what as_judge looked at, and as_judge_ask may; borrows from all three */
as_judged as_search_judged(const as_graph *program, const ck_text *given, const as_candidate *c);
/* sets the concrete values of candidate's new sizes to those of tiling t */
void as_search_select(const as_candidate *c, uint32_t t);

/* --- cost model (cost.c): microseconds at the concrete sizes; negative: does not fit or no
 * concrete sizes */
double as_cost(const as_graph *g, const as_target *target, double *shared);
double as_cost_operator(const as_graph *g, as_node_id op,
                        const as_target *target); /* one operator as a predefined kernel */
/* The same of one that is lowered by these ways.  *priced: those that the price is of, initialised
 * here; as_routes_same demands that they are the same. */
double as_cost_lowered(const as_graph *g, const as_target *target, const as_routes *routes,
                       as_routes *priced, double *shared);
/* has the extent a tile worth having that divides it?  Else tiles are better cut off at its end */
bool as_tiles_divide(long extent);
/* the best concrete tilings of g's own sizes; malloc'ed.  *why (may be NULL): malloc'ed message
 * when there is none */
as_tiling *as_tilings(const as_graph *g, const as_target *target, uint32_t keep, uint32_t *n,
                      char **why);
#endif

/* Counterexamples: concrete sizes and inputs at which the given program is defined and the
 * candidate is not equal to it. Found by trial, smallest sizes first; stated only when exact
 * rationals or disjoint intervals prove the difference, and replayable. May include: base, ir,
 * semantics.  Called by the prover's fallback, the field test, the command line. */
#ifndef AS_REFUTE_H
#define AS_REFUTE_H
#include "../../semantics/eval.h"
#include "../../src/base/rng.h"
#include "src/base/str.h"

typedef enum {
  AS_CEX_VALUE,     /* an element differs */
  AS_CEX_UNDEFINED, /* an element of the candidate is undefined */
  AS_CEX_SHAPE,     /* an output has another shape */
  AS_CEX_ILLFORMED  /* an obligation of the candidate fails: an access outside a tensor, an element
                       not written once, extents that do not fit */
} as_cex_kind;

typedef struct {
  as_cex_kind kind;
  uint32_t n_sizes;
  as_size *size;
  int64_t *value;
  uint32_t n_inputs;
  as_tensor *input; /* over as_domain_exact */
  uint32_t output;
  uint32_t rank;
  int64_t index[AS_MAX_RANK]; /* output: AS_NONE where it is no output that is undefined */
  char *given;
  char *candidate;    /* the two values, or what went wrong */
  const char *method; /* "exact rationals", "intervals" */
  bool faint; /* a value differs by less than 2^-30 of itself: true, but lost in single precision */
} as_cex;

void as_cex_init(as_cex *c);
void as_cex_clear(as_cex *c);
/* `[[0, 0], [0, 1]]`, the first 64 elements; of an exact tensor */
void as_cex_tensor(as_str *text, const as_tensor *tensor);
char *as_cex_print(const as_graph *spec, const as_cex *c); /* for people; malloc'ed */

typedef struct {
  uint64_t seed;
  int64_t max_size;
  uint32_t sizes_per_bound;
  uint32_t inputs_per_size;
  uint64_t max_ops;   /* for each evaluation */
  uint64_t total_ops; /* beyond which no evaluation begins; 0: no bound */
  double until; /* 0, or when as_now() is past it none begins; evaluations take no more than there
                   seems to be time for */
} as_refute_budget;

extern const as_refute_budget as_refute_default;
extern const as_refute_budget as_refute_quick; /* what comes before most of a proof's effort */
/* AS_NO: refuted, *cex filled.  AS_UNKNOWN: none found within the budget (err: why, where something
 * kept it from looking).  AS_BAD_INPUT. */
as_status as_refute(const as_graph *spec, const as_graph *cand, const as_refute_budget *b,
                    as_cex *cex, as_err *err);
/* AS_NO: the counterexample stands.  AS_OK: it does not (the two agree there).  AS_UNKNOWN: not
 * decided. */
as_status as_cex_replay(const as_graph *spec, const as_graph *cand, const as_cex *cex, as_err *err);

/* In all of these cand->sizes is spec's table or a copy that extends it, and only cand's is
 * touched: threads with tables of their own may share spec. */
as_graph as_graph_over(const as_graph *g,
                       as_sizes *S); /* g read through that table; borrows everything */

/* One comparison at given sizes and exact inputs: AS_NO with *cex filled (sizes and inputs
 * included), AS_OK: no difference to be seen, AS_UNKNOWN: the given program is not known to be
 * defined there, or it could not be evaluated. */
typedef enum {
  AS_GIVEN_OPEN,
  AS_GIVEN_NOT_HERE,
  AS_GIVEN_DEFINED
} as_given; /* the given program: not decided, ill-formed or undefined, well formed and defined */

as_status as_compare_at(const as_graph *spec, const as_graph *cand, const int64_t *env,
                        const as_tensor *exact, uint64_t max_ops, as_given *given /* may be NULL */,
                        as_cex *cex, as_err *err);
/* the same for comparisons of the two at the same sizes, with what is compiled for them; adds the
 * operations that it took to *spent */
as_status as_compare_again(const as_graph *spec, const as_graph *cand, const int64_t *env,
                           as_eval_codes *codes, const as_tensor *exact, uint64_t max_ops,
                           uint64_t *spent, as_given *given, as_cex *cex, as_err *err);
/* `max_ops`, or as many operations of exact arithmetic as there is time for until then; 0: no limit
 * of time */
uint64_t as_compare_affordable(uint64_t max_ops, double until);
void as_compare_keep(const as_graph *spec, const as_graph *cand, const int64_t *env,
                     const as_tensor *exact, as_cex *cex); /* sizes and inputs, into cex */
/* inputs of the program at these sizes, over domain d, all zero; NULL with err if an extent has no
 * value.  Free with as_inputs_free. */
as_tensor *as_inputs_new(const as_graph *spec, const as_domain *d, const int64_t *env, as_err *err);
void as_inputs_free(const as_graph *spec, as_tensor *in); /* NULL allowed */
void as_outputs_free(const as_graph *graph, as_tensor *outputs);
#endif

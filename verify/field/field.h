/* Random test of two programs over a pair of finite fields, with the error bound of the
 * identity-testing theorem (docs: semantics/domain_field.h). Never rejects an equal pair: a
 * difference is reported only with a counterexample over the reals that as_cex_replay confirms. May
 * include: base, ir, semantics, verify/refute.  Called by the search's filter, the command line,
 * the soundness harness. */
#ifndef AS_FIELD_H
#define AS_FIELD_H
#include "../refute/refute.h"

/* why the test says no more than it does */
#define AS_FIELD_WHYS(X)                                                                           \
  X(DECIDED, "")                                                                                   \
  X(FAILED, "the programs cannot be evaluated")                                                    \
  X(NO_SIZES, "no small sizes were found that satisfy the relations")                              \
  X(UNDEFINED, "the program given was undefined at every input tried")                             \
  X(TOO_FEW, "fewer elements were compared than are needed")                                       \
  X(TIME, "the time limit was reached before enough elements were compared")                       \
  X(UNEXPLAINED, "elements differ in the field, but no difference of real values was found")

typedef enum {

#define AS_FIELD_WHY_ID(id, words) AS_FIELD_##id,
  AS_FIELD_WHYS(AS_FIELD_WHY_ID)
#undef AS_FIELD_WHY_ID
} as_field_why;

const char *as_field_why_words(as_field_why why);

/* what was compared of one output, and what the comparison says of it */
typedef struct {
  char *name;       /* owned */
  uint64_t same;    /* elements, */
  uint64_t chances; /* and of these the ones that random inputs stand in */
  uint64_t close;
  uint64_t skipped;
  double bound; /* as that of the report, of this output alone; 1 where it says nothing */
  double bound_all;
} as_field_output;

typedef struct {
  as_status verdict; /* AS_OK, AS_NO, AS_UNKNOWN */
  as_field_why why;  /* DECIDED for the first two */
  uint64_t seed;
  uint64_t p;
  uint64_t q;
  uint32_t runs;        /* instances evaluated */
  uint64_t same;        /* elements equal in the field */
  uint64_t close;       /* elements without a field value whose real intervals meet within 1e-6 */
  uint64_t skipped;     /* undefined, or nothing to compare */
  uint64_t unexplained; /* differ in the field, but no difference of real values was found */
  uint64_t needed;      /* elements that had to be compared */
  bool identical;   /* the candidate is the program, operator by operator: inconclusive runs say as
                       much as others, which is nothing */
  uint64_t chances; /* of the equal elements those that random inputs stand in */
  double bound; /* chance that one run misses a difference in an element compared in the field, the
                   worst run and element; at least 1: vacuous */
  double bound_all; /* the product over the runs */
  double degree;
  double exponentials;
  double exp_degree;
  int roots;
  bool affine;             /* of that worst element */
  as_field_output *output; /* owned */
  uint32_t n_output;
  /* Choices between two values that only ever took one of them: of what they compute otherwise the
   * test says nothing.  In words, a line each; owned, NULL: there is none. */
  char *untaken;
  uint32_t n_untaken;
  uint32_t n_choices; /* that were decided at all */
  as_cex cex;         /* AS_NO */
} as_field_report;

typedef struct {
  uint64_t seed;
  uint32_t runs;    /* at least, if they take no more than total_ops; more until min_elements were
                       compared */
  int64_t max_size; /* of sizes, unless larger ones are needed for elements to compare */
  uint64_t min_elements;
  uint64_t max_ops;   /* scalar operations of one evaluation, */
  uint64_t total_ops; /* and of all, beyond which nothing begins anew once enough was compared;
                         twice as many end the test */
  double until; /* 0, or when as_now() is past it no run begins; evaluations take no more operations
                   than those before them show that there is time for */
  uint64_t p;
  uint64_t q; /* as_field_primes; 0: found afresh */
} as_field_options;

/* runs 3, sizes up to 3, at least 8 elements, 20 million operations an evaluation */
extern const as_field_options as_field_default;
/* cand->sizes is spec's table or a copy that extends it; only cand's is touched.  report:
 * initialised here, cleared by the caller.  AS_BAD_INPUT with err where the programs cannot be
 * evaluated at all. */
as_status as_field_test(const as_graph *spec, const as_graph *cand, const as_field_options *o,
                        as_field_report *report, as_err *err);
/* whether an evaluation of the program would take too long even at small sizes, as where its
 * extents are large numbers: then the test of any candidate but the program's own operators says
 * nothing. Only an estimate is made, nothing is evaluated. */
bool as_field_is_out_of_reach(const as_graph *program, const as_field_options *options);
/* whether it could have failed everywhere: each output has a bound below 1, and each choice took
 * both of its values */
bool as_field_says_all(const as_field_report *r);
void as_field_report_clear(as_field_report *r);
char *as_field_report_print(const as_field_report *r); /* in words; malloc'ed */
#endif

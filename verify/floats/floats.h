/* The float test, beside the one over finite fields: does a candidate, executed in floats as its
 * kernels are, compute worse than the program given as eager PyTorch executes it?  Both are
 * compared with the real values on a battery of classes of inputs, at small sizes and with one
 * axis long.  It is a test, and no part of any theorem (docs/floats.md).  May include:
 * verify/refute, semantics, ir, base.  Called by `optimize`, `certify`, tuning and tests.
 *
 * A candidate fails where it is not finite and the program given is, or where its error exceeds
 * AS_FLOATS_FACTOR times that of the program given.  An error is the largest of a row, in absolute
 * terms; that of the program given is the larger one of two runs, of which one has inputs that
 * differ by a unit in the last place of 32 bits, and at least a unit in the last place (of 32 bits
 * two) of the result's type at the row's largest element.  It fails as well where two elements are
 * lost: off by half of itself or more, where the program given has it to one part in 64.  Errors of
 * rows of which the program given has not even half are not compared. */
#ifndef AS_FLOATS_H
#define AS_FLOATS_H
#include "classes.h"
#include "model.h"

#define AS_FLOATS_FACTOR 4.0   /* of the error of the program given: what a candidate's may be */
#define AS_FLOATS_CLEARLY 10.0 /* from here on a smaller error is called safer */

typedef struct {
  uint64_t seed;
  double work;      /* operations of an evaluation of the program at small sizes, */
  double long_work; /* and with one axis long */
  as_float_permission permission;
} as_floats_options;

extern const as_floats_options as_floats_default;

typedef enum {
  AS_FLOATS_OFF,      /* was not asked for */
  AS_FLOATS_UNTESTED, /* could not be: `why` says */
  AS_FLOATS_PASSED,
  AS_FLOATS_WORSE,     /* error beyond the factor */
  AS_FLOATS_NOT_FINITE /* where the program given is */
} as_floats_outcome;

typedef struct {
  as_floats_outcome outcome;
  char *why;      /* UNTESTED; malloc'ed */
  uint32_t draws; /* that were compared */
  uint32_t n_classes;
  double of_class[AS_N_FLOAT_CLASSES]; /* the factor of errors in each; negative: nothing drawn */
  as_float_class worst; /* the class with the largest factor, or in which it is not finite */
  double factor;        /* of errors there; INFINITY: not finite */
  bool is_given;        /* it is the program, operator by operator: passes whatever is found */
  bool is_safer;        /* nothing fails, and in some class it is clearly better: */
  as_float_class safer;
  double safer_factor; /* by so much; INFINITY: finite where the program given is not */
  double seconds;
} as_floats_result;

/* `passed`, .. : what report.json calls it */
const char *as_floats_word(as_floats_outcome outcome);
void as_floats_result_clear(as_floats_result *result);
/* whether the outcome keeps a candidate from being chosen */
bool as_floats_fails(const as_floats_result *result);
/* `mean of 1,000 deviations: 500 x the error of the program given`, or what else there is to say;
 * malloc'ed */
char *as_floats_print(const as_floats_result *result);

/* the factor in each class, a line each, malloc'ed */
char *as_floats_table(const as_floats_result *result);

/* What the program given and the reals are on the battery: computed once, for all candidates.
 * Several threads may test candidates at the same time. */
typedef struct as_floats as_floats;
as_floats *as_floats_new(const as_graph *program, const as_floats_options *options);
void as_floats_free(as_floats *test); /* NULL allowed */
/* The candidate is of that program, whose own copy with the candidate's table of sizes is
 * cand->program.  thorough: all classes are gone through, also when one has failed.  result:
 * cleared by the caller. */
void as_floats_test(const as_floats *test, const as_graph *cand, const as_float_types *types,
                    bool thorough, as_floats_result *result);
double as_floats_seconds(const as_floats *test); /* that as_floats_new took */
#endif

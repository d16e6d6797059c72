/* The battery of the float test: classes of inputs, a row each, that go for the places where equal
 * programs compute differently in floats.  May include: semantics, base.  Called by the test. */
#ifndef AS_FLOAT_CLASSES_H
#define AS_FLOAT_CLASSES_H
#include "semantics/domain_float.h"
#include "src/base/rng.h"

/* In which inputs the class's numbers stand; others have ordinary ones. */
typedef enum {
  AS_IN_ALL,  /* in all at once */
  AS_IN_EACH, /* in one after the other */
  AS_IN_BOTH  /* in all, and in one after the other */
} as_float_where;

/* id, name, what it goes for, in which inputs */
#define AS_FLOAT_CLASSES(X)                                                                        \
  X(ORDINARY, "ordinary numbers", "what is rounded on the way", ALL)                               \
  X(POSITIVE, "positive numbers", "logarithms, roots, sums without cancellation", ALL)             \
  X(OFFSET_2, "mean of 100 deviations", "differences of squares", EACH)                            \
  X(OFFSET_3, "mean of 1,000 deviations", "differences of squares", EACH)                          \
  X(OFFSET_4, "mean of 10,000 deviations", "differences of squares", EACH)                         \
  X(OFFSET_6, "mean of 1,000,000 deviations", "differences of squares, nearly equal rows", EACH)   \
  X(LARGE, "numbers of 10,000", "squares and products beyond the type", EACH)                      \
  X(POWERS, "powers beyond the type", "squares, and products of them", BOTH)                       \
  X(END, "numbers up to the type's end", "products and sums beyond the type", EACH)                \
  X(SMALL, "numbers of 0.001", "products that lose digits as denormals", BOTH)                     \
  X(DENORMAL, "denormal numbers", "products that become 0", BOTH)                                  \
  X(SCORES, "scores of 100", "exponentials without a maximum", ALL)                                \
  X(HIGH_SCORES, "scores of 10,000", "exponentials without a maximum", ALL)                        \
  X(OPPOSITE, "opposite signs", "exponentials that vanish without a maximum", ALL)                 \
  X(LOW, "numbers about -15,000", "a maximum over more than the scores", EACH)                     \
  X(NEGATIVE, "numbers from -30 to -5", "1 + x and x - 1 where x is small", ALL)                   \
  X(DOMINATED, "one element dominates", "sums in which the rest is lost", EACH)                    \
  X(ALTERNATING, "alternating signs", "sums that cancel", ALL)                                     \
  X(EQUAL, "equal rows", "differences that are 0", EACH)                                           \
  X(MASK, "zeros and ones", "rows that are masked, wholly or nearly", EACH)                        \
  X(MASKED, "rows masked by -10,000", "rows that are masked, wholly or nearly", EACH)              \
  X(TINY, "tiny numbers and zeros", "denominators that are 0 or nearly", EACH)                     \
  X(ONE_AT_END, "one element at the type's end", "products beyond the type before a quotient",     \
    EACH)                                                                                          \
  X(LONG, "long sums", "the order of accumulation", ALL)                                           \
  X(INFINITE, "infinities", "infinity less infinity", EACH)                                        \
  X(NAN, "not a number", "NaN beyond the rows that have it", EACH)

typedef enum {

#define X(id, name, aim, where) AS_FLOATS_##id,
  AS_FLOAT_CLASSES(X)
#undef X
      AS_N_FLOAT_CLASSES
} as_float_class;

typedef struct {
  const char *name;
  const char *aim;
  as_float_where where;
  bool is_infinite; /* inputs are not finite: rows in which the program given is not are left out */
} as_float_class_row;

extern const as_float_class_row as_float_class_rows[];

/* Fills input number `input` of n elements, whose rows (along the last axis) have `row` elements,
 * with numbers of the class in that format. */
void as_float_fill(as_float_class of, as_float_format format, as_rng *rng, uint32_t input,
                   double *x, size_t n, size_t row);
#endif

/* Random tensor programs as users write them, and what they compute by an evaluator of their own,
 * which knows nothing of semantics/: products with weights that lie either way round, batched ones,
 * attention, norms, elements, biases, residuals, folds, and views between all of these; of two or
 * three axes, one of which may be left to run time, with one or two outputs.
 * Used by tests/lower/test_options.c and bench/random_device.c; written by random_tensor.c,
 * evaluated by random_tensor_value.c. */
#ifndef TESTS_LOWER_RANDOM_TENSOR_H
#define TESTS_LOWER_RANDOM_TENSOR_H
#include "src/base/dtype.h"
#include "src/base/rng.h"
#include "src/target/target.h"
#include <stdbool.h>
#include <stddef.h>

enum { RT_MOST_STEPS = 64, RT_MOST_RANK = 4, RT_MOST_OUTPUTS = 2, RT_EXTENT_TEXT = 96 };

typedef enum {
  RT_INPUT,
  RT_MAP,       /* of each element: which of rt_maps */
  RT_PAIR,      /* of two elements, the second perhaps broadcast: which of rt_pairs */
  RT_NORM,      /* along the last axis: which of rt_norms */
  RT_FOLD,      /* of the last axis, which is left out: which of rt_folds */
  RT_CENTERED,  /* less its fold along the last axis: which of rt_folds */
  RT_TRANSPOSE, /* `axis` and the next */
  RT_MERGE,     /* the same as one */
  RT_SPLIT,     /* `axis` as at[0] times at[1] */
  RT_SLICE,     /* of `axis`, at[0] up to at[1] */
  RT_CONCAT,    /* along `axis` */
  RT_PRODUCT    /* of matrices, the second one's batch that of the first, or none */
} rt_kind;

typedef enum { RT_RELU, RT_GELU, RT_SILU, RT_ABS, RT_TANH, RT_SIGMOID, RT_TWICE, RT_N_MAPS } rt_map;

typedef enum { RT_ADD, RT_SUB, RT_MUL, RT_MAXIMUM, RT_N_PAIRS } rt_pair;

typedef enum { RT_RMS, RT_LAYER, RT_SOFTMAX, RT_N_NORMS } rt_norm;

typedef enum { RT_SUM, RT_MEAN, RT_MAX, RT_N_FOLDS } rt_fold;

typedef struct {
  rt_kind kind;
  unsigned which;
  int arg[2]; /* numbers of steps */
  int axis;
  long at[2];
  int rank;
  long dim[RT_MOST_RANK];                    /* at the bound of what is left to run time */
  bool live[RT_MOST_RANK];                   /* the axis is the size that is left to run time */
  char extent[RT_MOST_RANK][RT_EXTENT_TEXT]; /* the axis' extent by the program's sizes */
  double scale;                              /* of an input: its numbers are from -scale to scale */
} rt_step;

typedef struct {
  rt_step step[RT_MOST_STEPS]; /* each of those before it */
  int n;
  int output[RT_MOST_OUTPUTS];
  int n_output;
  as_dtype type;
  long bound;          /* of the size that is left to run time; 0: none is */
  const char *arch;    /* the GPU that it is lowered for; NULL: the default */
  const char *rounded; /* operators whose factors may be rounded to TF32; NULL: none */
  unsigned library;    /* as_library_use */
  bool general;        /* no thread graphs */
} rt_program;

/* real: at sizes that users have; else such that an emulation takes no time */
void rt_draw(as_rng *rng, bool real, rt_program *out);
/* the program's text, and that of one of its inputs' names; malloc'ed */
char *rt_text(const rt_program *program);
/* the GPU that it is lowered for, with its library and what may be rounded */
const as_target *rt_target(const rt_program *program);
/* elements of a step's result where the size left to run time is `live` */
size_t rt_elements(const rt_step *step, long live);
/* a number that its type has, within the input's scale */
double rt_number(as_rng *rng, const rt_program *program, const rt_step *input);
/* x as a number of the type */
double rt_rounded(double x, as_dtype type);
/* The outputs, malloc'ed, at that size: in doubles, or (`rounds`) each step rounded to the
 * program's type, as whoever runs one operator after the other does.  in: by number of input */
void rt_evaluate(const rt_program *program, long live, double *const *in, bool rounds,
                 double **out);
#endif

/* What an operation is called in the languages that programs are written in: one row an operation.
 * May include: tile, ir, base.  Used by the writers beside it, and by src/kernels. */
#ifndef AS_WRITE_WORDS_H
#define AS_WRITE_WORDS_H
#include "flat.h"

typedef enum { WR_TENSORIR, WR_TRITON, WR_CUDA, WR_N_LANGUAGES } wr_language;

typedef enum {
  WR_INFIX,  /* (a word b) */
  WR_PREFIX, /* (word a) */
  WR_CALL    /* word(a, b) */
} wr_form;

typedef struct {
  wr_form form;
  const char *word;
} wr_word;

/* of an operation by its kind, of a function (CALL) by its name; NULL: the language has none */
const wr_word *wr_word_of(const wr_expr *expr, wr_language language);
/* of a relation between numbers */
const char *wr_relation_word(as_rel rel);

/* of a reduction: how two are combined, in the language's words, and what it starts from */
typedef struct {
  wr_word combine;
  const char *start;  /* of reals */
  const char *reduce; /* a whole axis at once; NULL: the language has none */
} wr_fold_words;

const wr_fold_words *wr_fold_of(as_ekind fold, wr_language language);
/* words that name nothing in a text of Python that uses this language, ended by NULL */
const char *const *wr_taken(wr_language language);
/* of how numbers are kept in a tensor, or NumPy's and PyTorch's word for it */
const char *wr_type_word(as_tile_type type);
#endif

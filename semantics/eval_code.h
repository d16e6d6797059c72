/* Inside of the operator evaluator: compiled bodies.  Included by eval_compile.c, eval_run.c
 * and eval_work.c only. */
#ifndef AS_EVAL_CODE_H
#define AS_EVAL_CODE_H
#include "../src/base/map.h"
#include "eval.h"
#include "src/base/mem.h"

/* integer expressions: over slots (bound indices), constants (sizes and attributes have their
 * values by now) and, in the index of an access, elements of tensors */
typedef enum {
  I_CONST,
  I_SLOT,
  I_ADD,
  I_SUB,
  I_MUL,
  I_DIV,
  I_MOD,
  I_NEG,
  I_MAX,
  I_MIN,
  I_ABS,
  I_IF,
  I_DATA
} ikind;

typedef struct icode {
  ikind kind;
  int64_t value;
  uint32_t slot;
  const struct icode *left;
  const struct icode *right;
  const struct cond *cond;
  const struct code *data; /* I_DATA: the access; its value goes to `element` */
  void *element;
} icode;

typedef enum { C_INTREL, C_REL, C_AND, C_OR, C_NOT } ckind;

typedef struct cond {
  ckind kind;
  as_rel rel;
  const icode *int_left;
  const icode *int_right;
  struct code *left;
  struct code *right;
  void *tmp[2]; /* C_REL: domain elements of this node */
  const struct cond *first;
  const struct cond *second;
} cond;

typedef enum {
  S_CONST,
  S_INT,
  S_PARAM,
  S_ARG,
  S_LET,
  S_ADD,
  S_SUB,
  S_MUL,
  S_DIV,
  S_IDIV,
  S_MOD,
  S_UN,
  S_ABS,
  S_MAX2,
  S_MIN2,
  S_SUM,
  S_PROD,
  S_MAXR,
  S_MINR,
  S_IF,
  S_FUNC,
  S_BUILTIN
} skind; /* S_IDIV, S_MOD: of integers that are data */

typedef struct code {
  skind kind;
  as_unop un;
  uint32_t n;
  struct code **kid;
  void *tmp[2]; /* domain elements of this node */
  void **param; /* S_FUNC: elements bound to the parameters */
  void *from;   /* S_CONST, S_PARAM: the element */
  const icode *i;
  const icode **index; /* S_INT; bound of a reduction; indices of an access */
  uint32_t slot;
  uint32_t nindex;
  uint32_t which; /* reduction's index; argument or let accessed; number of a choice */
  bool by_data;   /* of an access: an index is an element of a tensor */
  const cond *cond;
  const char *name; /* S_BUILTIN; S_ARG for messages */
  int line;
  int col;
} code;

/* a let: computed on demand and remembered by its indices */
typedef struct {
  const char *name;
  uint32_t nindex;
  uint32_t *slot;
  code *body;
  as_map known; /* from indices to a position in val */
  size_t cap;
  void *val;
} letcode;

/* how often a choice between two values went each way, where the domain decided it */
typedef struct {
  uint64_t times[2]; /* the first value was taken; the second */
} choice_taken;

struct as_opcode {
  const as_opdef *op;
  const as_domain *domain;
  as_arena *mem;
  as_vec elems; /* of void*: all elements to clear */
  uint32_t nslots;
  int64_t *slot;
  letcode *let;
  uint32_t nlet; /* without out */
  code *out;
  uint32_t outrank;
  int64_t outdim[AS_MAX_RANK];
  uint32_t out_slot; /* slots of out's indices follow each other */
  as_vec taken;      /* of choice_taken, by the choice's number: since they were last asked for */
  /* while running */
  unsigned index_flags; /* of the elements read as indices of the access at hand */
  const as_tensor *const *arg;
  uint64_t *ticks;
  as_err *err;
  as_status status;
};

/* the body alone, without arguments */
as_status as_opcode_value(as_opcode *o, void *out, as_err *err);
#endif

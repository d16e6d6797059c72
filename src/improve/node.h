/* A kernel as operations that can be replaced, copied and printed.  Private to src/improve. */
#ifndef AS_IMPROVE_NODE_H
#define AS_IMPROVE_NODE_H
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include "src/ttir/ttir.h"

struct imp_node;

typedef struct {
  as_ttir_type type;
  const char *name;    /* of an argument of the kernel; NULL: it is numbered */
  uint32_t same;       /* the value that stands in its place; itself: none */
  uint32_t group;      /* the first result of its group: `%v#2` is number 2 of it */
  uint32_t parts;      /* of the first: how many */
  uint32_t number;     /* while printing */
  struct imp_node *by; /* what computes it; NULL: an argument */
  uint32_t uses;       /* imp_count_uses */
} imp_value;

typedef struct {
  uint32_t n_argument;
  uint32_t *argument;
  as_vec node; /* of imp_node * */
} imp_region;

typedef struct imp_node {
  const char *name;
  /* The text, up to its first region, in which `%word` stands for values in their order: results,
   * then `token`s. */
  const char *text;
  const char *between; /* the regions */
  const char *tail;    /* behind the last one */
  uint32_t n_result;
  uint32_t *result;
  uint32_t n_token;
  uint32_t *token; /* operands; of scf.for its variable, the bounds, and what is carried with what
                      it starts as */
  uint32_t n_region;
  imp_region region[AS_TTIR_MAX_REGIONS];
  const as_ttir_op *op; /* NULL: made here */
} imp_node;

typedef struct {
  as_arena *mem;
  const char *source;
  as_vec value;   /* of imp_value */
  as_vec regions; /* of imp_region *: whose lists are to be freed */
  imp_region body;
  const char *head; /* the text before the body, and behind it */
  const char *tail;
} imp_kernel;

#define IMP_VALUE(kernel, i) (&AS_VEC_AT(&(kernel)->value, imp_value, i))
#define IMP_NODE(region, i) AS_VEC_AT(&(region)->node, imp_node *, i)

imp_kernel *imp_kernel_of(const as_ttir_kernel *kernel, const char *text, size_t len);
void imp_kernel_free(imp_kernel *kernel); /* NULL allowed */
char *imp_print(imp_kernel *kernel);      /* malloc'ed */
/* what the operation computes, as a text that is the same for the same: everything but its results
 * and hints to the cache; malloc'ed */
char *imp_key(imp_kernel *kernel, const imp_node *node);

uint32_t imp_find(const imp_kernel *kernel, uint32_t value); /* what stands in its place */
void imp_replace(imp_kernel *kernel, uint32_t value, uint32_t by);
uint32_t imp_new_value(imp_kernel *kernel, const as_ttir_type *type, imp_node *by);
/* an operation of one result; text: as in imp_node, without `%word = `; formatted by the caller */
imp_node *imp_make(imp_kernel *kernel, const char *name, const char *text, const as_ttir_type *type,
                   uint32_t n_token, const uint32_t *token);
void imp_insert(imp_region *region, size_t at, imp_node *node);
void imp_remove(imp_region *region, size_t at);
/* A map of values (of uint32_t, which grows): what stands for each in a copy; AS_NONE: itself. */
void imp_set_mapped(as_vec *map, uint32_t value, uint32_t to);
uint32_t imp_mapped(const imp_kernel *kernel, const as_vec *map, uint32_t value);
/* a copy whose values are new, and set in the map */
imp_node *imp_copy(imp_kernel *kernel, const imp_node *node, as_vec *map);
void imp_region_init(imp_kernel *kernel, imp_region *region);
void imp_count_uses(imp_kernel *kernel);
char *imp_type_text(const as_ttir_type *type); /* malloc'ed */
int64_t imp_elements(const as_ttir_type *type);

/* what an operation may do; a row each, by name */
typedef enum {
  IMP_PURE, /* its results depend on its operands alone */
  IMP_LOAD,
  IMP_STORE,
  IMP_LOOP,    /* scf.for */
  IMP_BRANCH,  /* scf.if */
  IMP_NOTHING, /* reads and writes no tensor, and stays: an end of a region, an assertion */
  IMP_ANYTHING /* not known */
} imp_effect;

imp_effect imp_effect_of(const imp_node *node);
/* the argument of the kernel that a pointer points into; AS_NONE: not known */
uint32_t imp_base(const imp_kernel *kernel, uint32_t pointer);
/* the rounds of a loop whose bounds are constants; -1: not known.  *first and *step where they are
 */
int64_t imp_rounds(const imp_kernel *kernel, const imp_node *loop, int64_t *first, int64_t *step);
bool imp_constant(const imp_kernel *kernel, uint32_t value, int64_t *number);

/* Rules; each gives how often it was applied.  `merge`: equal values computed once, loads of what
 * was loaded or stored and has not been stored to since (arguments are different tensors); what
 * nothing uses is left out. */
uint32_t imp_merge(imp_kernel *kernel);
uint32_t imp_hoist(imp_kernel *kernel);
uint32_t imp_divide(imp_kernel *kernel);
uint32_t imp_unroll(imp_kernel *kernel, int64_t most_rounds, uint64_t most_operations);
#endif

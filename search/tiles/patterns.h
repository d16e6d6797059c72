/* Rules of `.rule` files as patterns over operators: algebra.rule over tiles in an e-graph,
 * expand.rule over a program.  May include: base, ir, egraph.h.  Private to search/tiles. */
#ifndef AS_TILES_PATTERNS_H
#define AS_TILES_PATTERNS_H
#include "egraph.h"
#include "src/ir/rule.h"

typedef struct {
  as_oplib *lib; /* a library of its own from the program's texts */
  const as_oplib *program_lib;
  char *text;
  as_rulefile *file;
  as_rule **rule;
  uint32_t n;
} tl_patterns;

/* lines: as text.sh makes them.  A rule that speaks of operators which the program's library does
 * not have, or means something else by, is left out.  false with err */
bool tl_patterns_init(tl_patterns *patterns, const char *name, const char *const *lines,
                      const as_oplib *lib, as_err *err);
void tl_patterns_clear(tl_patterns *patterns);
/* the program's operator of that name, where it means the same; NULL: it has none */
const as_opdef *tl_patterns_op(const tl_patterns *patterns, const as_opdef *op);

/* what the sizes and groups of axes of a rule stand for */
enum { TL_MOST_BOUND = 16 };

typedef struct {
  uint32_t n;

  struct {
    as_size name;
    uint32_t n; /* a group's axes; of a size 1 */
    as_size dim[AS_MAX_RANK];
  } item[TL_MOST_BOUND];
} tl_bound_sizes;

/* false: the extents are no instance of what the rule's tensor declares, given what is bound */
bool tl_bind_shape(tl_bound_sizes *bound, const as_rule *rule, const as_node *tensor,
                   const as_sizes *sizes, const as_size *dim, uint32_t rank);
/* AS_SIZE_BAD: not bound */
as_size tl_bound_size(const tl_bound_sizes *bound, as_size name);

/* has the call the attributes of the rule's?  Constants alone, as there are two tables of sizes */
bool tl_same_attributes(const as_rule *rule, const as_node *part, const as_sizes *sizes,
                        const as_attr *attr);
/* the attributes of the rule's call over the other table; false, and nothing to drop: one is no
 * constant */
bool tl_take_attributes(const as_rule *rule, const as_node *part, as_sizes *sizes, as_attr *attr);
void tl_drop_attributes(const as_opdef *op, as_attr *attr);

/* algebra.c: applies each rule of algebra.rule to all tiles; gives how many unions it made */
uint64_t tl_algebra_apply(const tl_patterns *patterns, tl_graph *graph);

const char *const *tl_algebra_text(void); /* made from algebra.rule */
const char *const *tl_expand_text(void);  /* made from expand.rule */
#endif

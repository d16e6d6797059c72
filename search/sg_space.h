/* The state of one enumeration.  May include: sg.h.  Private to the enumerator's files. */
#ifndef AS_SEARCH_SG_SPACE_H
#define AS_SEARCH_SG_SPACE_H
#include "prune_z3.h"
#include "sg.h"
#include "src/base/map.h"

typedef struct {
  uint64_t in;
  uint64_t inverse_in;
  bool known;
  bool inverse_known;
} sg_verdict;

/* how a call of the program is tried again: on what is whole along the loop, or on its tiles too */
typedef enum { SG_REPLAY_NEVER, SG_REPLAY_WHOLE, SG_REPLAY_TILES } sg_replayed;

/* Whether an operator can be applied to operands with such axes, whatever they hold: asked of its
 * specification once for each operator and axes. */
typedef struct {
  as_vec axes; /* each once */
  as_index by_axes;
  uint8_t *answer; /* by operator, left and right axes */
  uint32_t room;   /* axes that it is for */
} sg_labels;

struct sg_space {
  const sg_part *part;
  const sg_plan *plan;
  bool *usable; /* by instance of the vocabulary */
  const sg_vocab *vocab;
  const sg_limits *limits;
  sg_ctx ctx;
  ax_id *program_expr;
  sg_axes *program_axes; /* of the part's tensors */
  ax_id *target;
  uint32_t n_target; /* what may be computed: the program's tensors and everything inside them */
  ax_id number[16];
  uint32_t n_number;     /* numbers that occur in the program */
  sg_replayed *replayed; /* per tensor of the part */
  double least[256];     /* least extent of each label */
  bool has_max;
  bool has_sum;
  bool full;
  as_vec values;
  as_vec derivs;
  as_vec verdict;
  as_index by_key; /* of values */
  sg_labels labels;
  ax_places *places; /* of the targets */
  uint32_t *goal;
  uint32_t *done; /* values that steps were tried from, in order */
  uint32_t n_done;
  /* where nothing is pruned: the operators of the values that are gone on from now, and the next of
   * these to look at */
  uint32_t level;
  uint32_t next;
  sg_stats *stats;
  void *z3;
};

bool sg_space_prepare(sg_space *s);
/* the axes' number; axes that are the same have the same */
uint32_t sg_labels_id(sg_labels *labels, const sg_axes *axes);
void sg_labels_clear(sg_labels *labels);
/* by the axes' numbers; of an operator of one operand right is left */
bool sg_labels_fit(sg_space *space, uint32_t inst, uint32_t left, uint32_t right);
bool sg_inst_is_call(const sg_inst *in, const as_node *nd);
#endif

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
  uint32_t *goal;
  uint32_t *done; /* values that steps were tried from, in order */
  uint32_t n_done;
  sg_stats *stats;
  void *z3;
};

bool sg_space_prepare(sg_space *s);
bool sg_inst_is_call(const sg_inst *in, const as_node *nd);
#endif

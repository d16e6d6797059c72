/* Matching a call's operands with its operator's specification: which axes the names of the
 * pattern stand for.  May include: sg.h.  Private to match.c, views.c and apply.c. */
#ifndef AS_SEARCH_MATCH_H
#define AS_SEARCH_MATCH_H
#include "sg.h"

typedef struct {
  const char *name;
  sg_axes labels;
} sg_list_bind;

typedef struct {
  const char *name;
  sg_label labels;
  bool known;
} sg_index_bind;

typedef struct {
  const char *name;
  ax_id expr;
  sg_axes labels;
} sg_let_bind;

/* one call: what the names of its specification stand for */
typedef struct {
  const sg_ctx *ctx;
  const as_opdef *op;
  const as_attr *attr;
  uint32_t nargs;
  const sg_axes *arg;
  const ax_id *expr;
  sg_list_bind list[12];
  uint32_t n_list;
  sg_index_bind size[12];
  uint32_t n_sizes; /* size symbols of the pattern */
  sg_index_bind index[24];
  uint32_t n_index;
  sg_let_bind let[12];
  uint32_t n_lets;
} sg_call;

/* the class that has come to stand for `cls` */
uint8_t sg_root_of(const uint8_t *parent, uint8_t cls);
/* whether two axes have the same index; where classes are still found, they are united */
bool sg_same_class(const sg_ctx *ctx, sg_label left, sg_label right);
/* NULL: not bound */
const sg_list_bind *sg_get_list(const sg_call *frame, const char *name);
sg_index_bind *sg_get_bind(sg_index_bind *binds, uint32_t n, const char *name);
/* binds the names in one operand's pattern; false: it does not match */
bool sg_match_arg(sg_call *frame, const as_targ *pattern, const sg_axes *axes);
bool sg_match_broadcast(sg_call *frame, const as_dim *dim, sg_axes *merged);
/* the axes of the result; false: extents that are no axis of an operand, or two in one place */
bool sg_match_out(sg_call *frame, sg_axes *out);

/* --- views.c */
/* one axis as two, or two as one: the axes of the result, of operands that were matched */
bool sg_apply_view(const sg_call *frame, sg_view view, sg_axes *out);
#endif

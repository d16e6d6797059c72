/* Which axes of a program's tensors have the same index: classes, found by what operators do with
 * their axes (roles.h).  search/part.c does the same for the parts of a program that become one
 * kernel, of at most 31 classes; whole programs have more.  May include: base, ir, roles.h.
 * Private to search/tiles. */
#ifndef AS_TILES_AXES_H
#define AS_TILES_AXES_H
#include "roles.h"
#include "src/base/vec.h"

typedef struct {
  uint32_t cls[AS_MAX_RANK]; /* of each axis; AS_NONE: of extent 1 */
  tl_roles roles;            /* of an operator node */
  bool is_view;              /* it writes one axis as two or two as one, and nothing else */
} tl_node_axes;

typedef struct {
  as_size extent;
  uint32_t outer; /* AS_NONE, or the classes that it is written as elsewhere */
  uint32_t inner;
  bool is_outer; /* of another one */
  bool is_inner;
  bool is_batch; /* in all tensors that have it, at least two axes stand behind it */
} tl_axis_class;

typedef struct {
  tl_node_axes *node; /* of each node of the graph */
  tl_axis_class *cls;
  uint32_t n_cls;
} tl_axes;

bool tl_axes_init(tl_axes *axes, const as_graph *graph, as_err *err);
void tl_axes_clear(tl_axes *axes);
#endif

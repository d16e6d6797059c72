/* Does the place of an access tell which lane it is?  A position is a sum of numbers each times a
 * factor.  Where each factor is beyond what those before it can add up to, the numbers are the
 * digits of the position and are known from it, as are those of a number that is taken apart into
 * quotients and remainders of which all are there.  A mask may bound a sum of some of them. */
#include "ttir_order.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 24 };

typedef struct {
  const ttir_node *node; /* a lane, a round, or what a digit is of; NULL: a sum of several */
  int64_t factor;
  int64_t count; /* it is one of so many numbers, from one that is the same in an instance */
  int64_t from;  /* of a digit: (node div from) mod below */
  int64_t below; /* 0: the last one */
  bool is_digit;
} digit;

typedef struct {
  const ttir_event *event;
  digit at[MOST_DIGITS];
  uint32_t n;
} digits;

static const ttir_around *round_of(const ttir_event *event, const ttir_node *name) {
  for (uint32_t i = 0; i < event->n_around && name->kind == TTIR_N_NAME; i++) {
    if (strcmp(event->around[i]->name, name->text) == 0)
      return event->around[i];
  }
  return NULL;
}

/* does it differ between lanes or rounds of an instance? */
static bool moves(const ttir_event *event, const ttir_node *node) {
  if (node->kind == TTIR_N_TILE || node->kind == TTIR_N_LANE || round_of(event, node))
    return true;
  for (uint32_t i = 0; i < node->n; i++) {
    if (moves(event, node->kid[i]))
      return true;
  }
  return false;
}

static bool is_number(const ttir_node *node) {
  return node->lo == node->hi && node->lo > TTIR_LEAST && node->hi < TTIR_MOST;
}

static bool add_digit(digits *in, digit one) {
  bool fits = in->n < MOST_DIGITS && one.factor > 0 && one.count > 0;
  if (fits)
    in->at[in->n++] = one;
  return fits;
}

static bool add_round(digits *in, const ttir_node *name, const ttir_around *loop, int64_t factor) {
  int64_t step = is_number(loop->step) ? loop->step->lo : 0;
  bool known = step > 0 && !moves(in->event, loop->from) && name->lo > TTIR_LEAST &&
               name->hi < TTIR_MOST && factor < TTIR_MOST / step;
  return known && add_digit(in, (digit){.node = name,
                                        .factor = factor * step,
                                        .count = (name->hi - name->lo) / step + 1});
}

/* (e div from) mod below, e div from, e mod below; false: none of these */
static bool add_part(digits *in, const ttir_node *node, int64_t factor) {
  digit one = {.factor = factor, .from = 1, .is_digit = true};
  if (node->kind == TTIR_N_MOD && is_number(node->kid[1])) {
    one.below = node->kid[1]->lo;
    node = node->kid[0];
  }
  if (node->kind == TTIR_N_DIV && is_number(node->kid[1])) {
    one.from = node->kid[1]->lo;
    node = node->kid[0];
  }
  one.node = node;
  bool known =
      (one.below > 0 || one.from > 1) && one.from > 0 && node->lo >= 0 && node->hi < TTIR_MOST;
  one.count = one.below > 0 ? one.below : known ? node->hi / one.from + 1 : 0;
  return known && add_digit(in, one);
}

/* false: it is of another form */
static bool add_sum(digits *in, const ttir_node *node, int64_t factor) {
  const ttir_around *loop = round_of(in->event, node);
  if (!moves(in->event, node))
    return true;
  if (node->kind == TTIR_N_ADD)
    return add_sum(in, node->kid[0], factor) && add_sum(in, node->kid[1], factor);
  for (uint32_t i = 0; i < 2 && node->kind == TTIR_N_MUL; i++) {
    const ttir_node *by = node->kid[i];
    if (is_number(by) && by->lo > 0 && by->lo < TTIR_MOST / factor)
      return add_sum(in, node->kid[1 - i], factor * by->lo);
  }
  if (node->kind == TTIR_N_LANE)
    return add_digit(in, (digit){.node = node, .factor = factor, .count = node->hi - node->lo + 1});
  return loop ? add_round(in, node, loop, factor) : add_part(in, node, factor);
}

static bool same_digit(const digit *a, const digit *b, int64_t scale) {
  return a->node && b->node && ttir_same(a->node, b->node) && a->from == b->from &&
         a->below == b->below && a->factor == b->factor * scale;
}

static int by_factor(const void *a, const void *b) {
  int64_t left = ((const digit *)a)->factor;
  int64_t right = ((const digit *)b)->factor;
  return left < right ? -1 : left > right;
}

/* are all known from the sum? */
static bool are_known(digits *in) {
  __int128 sum = 0;
  qsort(in->at, in->n, sizeof *in->at, by_factor);
  for (uint32_t i = 0; i < in->n; i++) {
    if (in->at[i].factor <= sum)
      return false;
    sum += (__int128)in->at[i].factor * (in->at[i].count - 1);
  }
  return true;
}

/* a number that the mask bounds has fewer values; a sum that it bounds, where its parts are among
 * the digits and known from it, becomes one */
static void bound_by(digits *in, const ttir_node *mask) {
  digits part = {.event = in->event};
  if (mask->kind == TTIR_N_AND) {
    bound_by(in, mask->kid[0]);
    bound_by(in, mask->kid[1]);
    return;
  }
  bool bounds = mask->kind == TTIR_N_LESS && is_number(mask->kid[1]) && mask->kid[0]->lo >= 0;
  if (!bounds || !add_sum(&part, mask->kid[0], 1) || part.n == 0 || !are_known(&part))
    return;
  uint32_t found[MOST_DIGITS] = {0};
  int64_t scale = 0;
  for (uint32_t i = 0; i < part.n; i++) {
    bool there = false;
    for (uint32_t k = 0; k < in->n && !there; k++) {
      if (scale == 0 && in->at[k].factor % part.at[i].factor == 0 &&
          same_digit(&in->at[k], &part.at[i], in->at[k].factor / part.at[i].factor))
        scale = in->at[k].factor / part.at[i].factor;
      there = scale > 0 && same_digit(&in->at[k], &part.at[i], scale);
      found[i] = k;
    }
    if (!there)
      return;
  }
  if (part.n == 1 && part.at[0].node->kind == TTIR_N_NAME)
    return; /* a round's number begins anywhere */
  if (part.n == 1) {
    int64_t most = (mask->kid[1]->hi - 1) / part.at[0].factor + 1;
    digit *one = &in->at[found[0]];
    one->count = one->count < most ? one->count : most;
    return;
  }
  in->at[found[0]] = (digit){.node = NULL, .factor = scale, .count = mask->kid[1]->hi};
  for (uint32_t i = 1; i < part.n; i++)
    in->at[found[i]].count = 0;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < in->n; k++) {
    if (in->at[k].count > 0)
      in->at[kept++] = in->at[k];
  }
  in->n = kept;
}

static bool tells(const ttir_event *event, const ttir_node *sum, const ttir_node *mask, bool *lane,
                  uint32_t depth);

/* Are all digits of this number there, from the first one on? */
static bool is_whole(const digits *all, const ttir_node *of) {
  for (int64_t from = 1;;) {
    const digit *next = NULL;
    for (uint32_t i = 0; i < all->n; i++) {
      const digit *one = &all->at[i];
      if (one->is_digit && one->from == from && ttir_same(one->node, of))
        next = one;
    }
    if (!next)
      return of->hi < from;
    if (next->below == 0 || next->below > of->hi / from)
      return true;
    from *= next->below;
  }
}

/* marks lanes that the sum tells; false: it tells nothing */
static bool tells(const ttir_event *event, const ttir_node *sum, const ttir_node *mask, bool *lane,
                  uint32_t depth) {
  digits all = {.event = event};
  if (depth == 4 || !add_sum(&all, sum, 1))
    return false;
  digits parts = all;
  if (mask)
    bound_by(&parts, mask);
  if (!are_known(&parts))
    return false;
  for (uint32_t i = 0; i < all.n; i++) {
    if (all.at[i].node->kind == TTIR_N_LANE && !all.at[i].is_digit)
      lane[all.at[i].node->lane] = true;
    if (all.at[i].is_digit && is_whole(&all, all.at[i].node))
      tells(event, all.at[i].node, mask, lane, depth + 1);
  }
  return true;
}

bool ttir_place_tells_lane(const ttir_event *event) {
  bool lane[AS_TTIR_MAX_RANK + 1] = {false};
  if (!tells(event, event->position, event->mask, lane, 0))
    return false;
  for (uint32_t i = 0; i < event->type.rank; i++) {
    if (event->type.dim[i] > 1 && !lane[i])
      return false;
  }
  return true;
}

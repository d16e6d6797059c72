/* Lanes run in any order between barriers, each its own loads and stores in the order of the text.
 * So what a load finds is known only if what other lanes store there comes before a barrier that
 * comes before the load, or the other way round; or if they store elsewhere. */
#include "ttir_order.h"
#include "src/base/map.h"
#include <string.h>

/* ---- barriers */

static uint32_t common(const ttir_event *a, const ttir_event *b) {
  uint32_t n = 0;
  while (n < a->n_around && n < b->n_around && a->around[n] == b->around[n])
    n++;
  return n;
}

/* is it in loops around the access alone, so that it is executed in each round that comes to it? */
static bool is_on_way(const ttir_event *barrier, const ttir_event *access) {
  return common(barrier, access) == barrier->n_around;
}

/* a barrier from access number `from` on to access number `to` of the same rounds */
static bool waits_between(const as_vec *events, size_t from, size_t to) {
  for (size_t i = from + 1; i < to; i++) {
    const ttir_event *event = &AS_VEC_AT(events, ttir_event, i);
    if (event->kind == TTIR_WAITS && (is_on_way(event, &AS_VEC_AT(events, ttir_event, from)) ||
                                      is_on_way(event, &AS_VEC_AT(events, ttir_event, to))))
      return true;
  }
  return false;
}

/* one behind `from` in a round of loop number `depth`, or before `to` in the next */
static bool waits_across(const as_vec *events, size_t from, size_t to, uint32_t depth) {
  for (size_t i = 0; i < events->n; i++) {
    const ttir_event *event = &AS_VEC_AT(events, ttir_event, i);
    if (event->kind != TTIR_WAITS || event->n_around <= depth)
      continue;
    if ((i > from && is_on_way(event, &AS_VEC_AT(events, ttir_event, from))) ||
        (i < to && is_on_way(event, &AS_VEC_AT(events, ttir_event, to))))
      return true;
  }
  return false;
}

/* ---- names that tell instances apart */

static void add_id(ttir_ids *known, const ttir_node *name) {
  for (uint32_t i = 0; i < known->n; i++) {
    if (strcmp(known->id[i]->text, name->text) == 0)
      return;
  }
  if (known->n < TTIR_MOST_IDS)
    known->id[known->n++] = name;
  else
    known->more = true;
}

static void add_ids(ttir_ids *known, const ttir_ids *others) {
  for (uint32_t i = 0; i < others->n; i++)
    add_id(known, others->id[i]);
  known->more = known->more || others->more;
}

static void look_for_ids(ttir_ids *known, const ttir_node *node) {
  enum { MOST_VALUES = 1 << 16 };

  for (uint32_t i = 0; i < node->n && !known->more; i++)
    look_for_ids(known, node->kid[i]);
  bool few = node->kind == TTIR_N_NAME && node->lo > TTIR_LEAST && node->hi < TTIR_MOST &&
             node->hi - node->lo < MOST_VALUES;
  if (few)
    add_id(known, node);
}

ttir_ids ttir_ids_of(const ttir_node *a, const ttir_node *b) {
  ttir_ids known = {.n = 0};
  if (a)
    look_for_ids(&known, a);
  if (b)
    look_for_ids(&known, b);
  return known;
}

/* ---- numbers at given lanes and rounds */

/* program ids that are looked at one by one; the others stay names */
typedef struct {
  const ttir_node *id[TTIR_MOST_IDS];
  int64_t value[TTIR_MOST_IDS];
  uint32_t n;
} instance;

/* Of a loop inside of the shared ones: its rounds, all, or, where its bounds are not known, as many
 * as a place can be reached in: rounds as far from each other reach the same ones. */
typedef struct {
  bool whole;
  int64_t from; /* 0 where it is not whole */
  int64_t to;
  int64_t step;
} rounds;

typedef struct {
  const ttir_event *event;
  const instance *here;
  uint32_t shared; /* loops around, whose rounds are the same for both accesses */
  int64_t lane[AS_TTIR_MAX_RANK];
  int64_t round[TTIR_MOST_AROUND]; /* the variables of the loops inside of these */
  rounds all[TTIR_MOST_AROUND];
} point;

static bool number_at(const point *at, const ttir_node *node, int64_t *value);

/* 1, 0; -1: it may be either */
static int truth_at(const point *at, const ttir_node *node) {
  int64_t a;
  int64_t b;
  int left;
  int right;
  switch (node->kind) {
  case TTIR_N_TRUE:
    return 1;
  case TTIR_N_NOT:
    left = truth_at(at, node->kid[0]);
    return left < 0 ? left : !left;
  case TTIR_N_AND:
  case TTIR_N_OR:
    left = truth_at(at, node->kid[0]);
    right = truth_at(at, node->kid[1]);
    if (left == (node->kind == TTIR_N_OR) || right == (node->kind == TTIR_N_OR))
      return node->kind == TTIR_N_OR;
    return left < 0 || right < 0 ? -1 : node->kind == TTIR_N_AND;
  case TTIR_N_EQUAL:
  case TTIR_N_LESS:
  case TTIR_N_AT_MOST:
    if (!number_at(at, node->kid[0], &a) || !number_at(at, node->kid[1], &b))
      return -1;
    return node->kind == TTIR_N_EQUAL ? a == b : node->kind == TTIR_N_LESS ? a < b : a <= b;
  default:
    return -1;
  }
}

/* the loop of that variable, if its rounds are looked at; AS_NONE */
static uint32_t loop_of(const point *at, const char *name) {
  for (uint32_t i = at->shared; i < at->event->n_around; i++) {
    if (strcmp(at->event->around[i]->name, name) == 0)
      return i;
  }
  return AS_NONE;
}

static bool name_at(const point *at, const char *name, int64_t *value) {
  uint32_t loop = loop_of(at, name);
  if (loop != AS_NONE) {
    *value = at->round[loop];
    return at->all[loop].whole;
  }
  for (uint32_t i = 0; i < at->here->n; i++) {
    if (strcmp(at->here->id[i]->text, name) == 0) {
      *value = at->here->value[i];
      return true;
    }
  }
  return false;
}

static bool arith_at(ttir_node_kind kind, int64_t a, int64_t b, int64_t *value) {
  int64_t rest;
  switch (kind) {
  case TTIR_N_ADD:
    return !__builtin_add_overflow(a, b, value);
  case TTIR_N_SUB:
    return !__builtin_sub_overflow(a, b, value);
  case TTIR_N_MUL:
    return !__builtin_mul_overflow(a, b, value);
  case TTIR_N_DIV:
  case TTIR_N_MOD:
    if (b <= 0)
      return false;
    rest = (a % b + b) % b;
    if (kind == TTIR_N_MOD)
      *value = rest;
    return kind == TTIR_N_MOD || (!__builtin_sub_overflow(a, rest, value) && (*value /= b, true));
  default:
    return false;
  }
}

/* false: it depends on something else, or is no integer */
static bool number_at(const point *at, const ttir_node *node, int64_t *value) {
  int64_t a;
  int64_t b;
  if (node->sort != TTIR_INTEGER)
    return false;
  if (node->kind == TTIR_N_NUMBER) {
    *value = node->lo;
    return true;
  }
  if (node->kind == TTIR_N_NAME)
    return name_at(at, node->text, value);
  if (node->kind == TTIR_N_LANE) {
    *value = node->lane < AS_TTIR_MAX_RANK ? at->lane[node->lane] : 0;
    return node->lane < AS_TTIR_MAX_RANK;
  }
  if (node->kind == TTIR_N_IF) {
    int holds = truth_at(at, node->kid[0]);
    return holds >= 0 && number_at(at, node->kid[holds ? 1 : 2], value);
  }
  bool extreme = node->kind == TTIR_N_CALL && node->n == 2;
  bool most = extreme && strcmp(node->text, "max") == 0;
  bool least = extreme && strcmp(node->text, "min") == 0;
  if (node->n != 2 || !number_at(at, node->kid[0], &a) || !number_at(at, node->kid[1], &b))
    return false;
  if (most || least)
    *value = (a < b) == most ? b : a;
  return most || least || arith_at(node->kind, a, b, value);
}

/* ---- positions as sums */

enum { MOST_TERMS = 32 };

typedef struct {
  const ttir_node *node;
  int64_t factor;
} term;

typedef struct {
  term fixed[MOST_TERMS]; /* the same for all lanes, and for both accesses */
  uint32_t n_fixed;
  term moving[MOST_TERMS]; /* known at each lane and round */
  uint32_t n_moving;
} sum;

/* says nothing of lanes, of rounds that are not shared, or of what is loaded in a loop */
static bool is_fixed(const point *at, const ttir_node *node) {
  if (node->kind == TTIR_N_LANE || (node->kind == TTIR_N_TILE && at->event->n_around > 0))
    return false;
  if (node->kind == TTIR_N_NAME && loop_of(at, node->text) != AS_NONE)
    return false;
  for (uint32_t i = 0; i < node->n; i++) {
    if (!is_fixed(at, node->kid[i]))
      return false;
  }
  return true;
}

static bool add_term(term *terms, uint32_t *n, const ttir_node *node, int64_t factor) {
  for (uint32_t i = 0; i < *n; i++) {
    if (ttir_same(terms[i].node, node))
      return !__builtin_add_overflow(terms[i].factor, factor, &terms[i].factor);
  }
  if (*n == MOST_TERMS)
    return false;
  terms[(*n)++] = (term){node, factor};
  return true;
}

static bool add_to_sum(const point *at, sum *all, const ttir_node *node, int64_t factor) {
  int64_t value;
  if (node->kind == TTIR_N_ADD || node->kind == TTIR_N_SUB) {
    int64_t other = node->kind == TTIR_N_SUB ? -factor : factor;
    return add_to_sum(at, all, node->kid[0], factor) && add_to_sum(at, all, node->kid[1], other);
  }
  for (int side = 0; side < 2 && node->kind == TTIR_N_MUL; side++) {
    const ttir_node *number = node->kid[side];
    if (number->kind == TTIR_N_NUMBER)
      return !__builtin_mul_overflow(factor, number->lo, &value) &&
             add_to_sum(at, all, node->kid[1 - side], value);
  }
  bool counts = node->kind == TTIR_N_NAME && loop_of(at, node->text) != AS_NONE;
  if (counts ||
      number_at(at, node, &value)) /* and so at other lanes and rounds, but for a divisor of 0 */
    return add_term(all->moving, &all->n_moving, node, factor);
  return is_fixed(at, node) && add_term(all->fixed, &all->n_fixed, node, factor);
}

/* have both sums the same fixed terms? */
static bool same_fixed(const sum *a, const sum *b) {
  for (uint32_t i = 0; i < a->n_fixed; i++) {
    bool found = a->fixed[i].factor == 0;
    for (uint32_t k = 0; k < b->n_fixed && !found; k++)
      found =
          a->fixed[i].factor == b->fixed[k].factor && ttir_same(a->fixed[i].node, b->fixed[k].node);
    if (!found)
      return false;
  }
  return true;
}

/* ---- all lanes and rounds */

/* Where bounds are not known: what is added in a round, by itself, and how far apart the rest can
 * be.  Then `span div step + 2` rounds tell of all. */
static bool set_rounds(point *at, uint32_t i, int64_t span) {
  enum { MOST_ROUNDS = 64 };

  const ttir_around *loop = at->event->around[i];
  rounds *all = &at->all[i];
  *all = (rounds){.whole = true};
  bool fixed = is_fixed(at, loop->from) && is_fixed(at, loop->to) && is_fixed(at, loop->step);
  if (!fixed || !number_at(at, loop->step, &all->step) || all->step <= 0)
    return false;
  if (number_at(at, loop->from, &all->from) && number_at(at, loop->to, &all->to))
    return true;
  int64_t n = span / all->step + 2;
  *all = (rounds){false, 0, n * all->step, all->step};
  return n <= MOST_ROUNDS;
}

/* false: not all rounds are known */
static bool first_point(const ttir_event *event, const instance *here, uint32_t shared,
                        int64_t span, point *at) {
  *at = (point){.event = event, .here = here, .shared = shared};
  for (uint32_t i = shared; i < event->n_around; i++) {
    if (!set_rounds(at, i, span))
      return false;
    at->round[i] = at->all[i].from;
  }
  return true;
}

/* false: that was the last one */
static bool next_point(point *at) {
  const ttir_event *event = at->event;
  for (uint32_t i = event->type.rank; i-- > 0;) {
    if (++at->lane[i] < event->type.dim[i])
      return true;
    at->lane[i] = 0;
  }
  for (uint32_t i = event->n_around; i-- > at->shared;) {
    at->round[i] += at->all[i].step;
    if (at->round[i] < at->all[i].to)
      return true;
    at->round[i] = at->all[i].from;
  }
  return false;
}

static uint64_t points_of(const point *at) {
  enum { MANY = 1 << 30 };

  double all = 1;
  for (uint32_t i = 0; i < at->event->type.rank; i++)
    all *= (double)at->event->type.dim[i];
  for (uint32_t i = at->shared; i < at->event->n_around; i++) {
    const rounds *loop = &at->all[i];
    double n =
        ((double)loop->to - (double)loop->from + (double)loop->step - 1) / (double)loop->step;
    all *= n < 1 ? 0 : (double)(int64_t)n;
  }
  return all < MANY ? (uint64_t)all : MANY;
}

static uint64_t lane_number(const point *at) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < at->event->type.rank; i++)
    number = number * (uint64_t)at->event->type.dim[i] + (uint64_t)at->lane[i];
  return number;
}

static bool moving_at(const point *at, const sum *all, int64_t *place) {
  *place = 0;
  for (uint32_t i = 0; i < all->n_moving; i++) {
    const ttir_node *node = all->moving[i].node;
    uint32_t loop = node->kind == TTIR_N_NAME ? loop_of(at, node->text) : AS_NONE;
    int64_t value = loop != AS_NONE ? at->round[loop] : 0;
    if ((loop == AS_NONE && !number_at(at, node, &value)) ||
        __builtin_mul_overflow(value, all->moving[i].factor, &value) ||
        __builtin_add_overflow(*place, value, place))
      return false;
  }
  return true;
}

static bool same_lanes(const as_ttir_type *a, const as_ttir_type *b) {
  return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

/* ---- two accesses, place by place */

enum { MOST_POINTS = 1 << 18, MOST_IN_ALL = 1 << 20 };

typedef struct {
  const ttir_event *event[2];
  const instance *here;
  uint32_t shared;
  sum sum[2];
  int64_t span;   /* below 0: not known yet */
  uint64_t *left; /* how many lanes and rounds may still be looked at */
  uint32_t both;  /* loops around both; of those from `shared` on rounds are compared */
  bool forth;     /* SAME_LANE: a round of the first access, then a later one of the second */
  bool back;      /* or the other way round */
} meeting;

/* number of the only loop whose bounds are not known; AS_NONE: all are; false: several */
static bool only_open_loop(const point *at, uint32_t *open) {
  *open = AS_NONE;
  for (uint32_t i = at->shared; i < at->event->n_around; i++) {
    if (at->all[i].whole)
      continue;
    if (*open != AS_NONE)
      return false;
    *open = i;
  }
  return true;
}

static int64_t factor_of(const sum *all, const char *name) {
  for (uint32_t i = 0; i < all->n_moving; i++) {
    if (all->moving[i].node->kind == TTIR_N_NAME && strcmp(all->moving[i].node->text, name) == 0)
      return all->moving[i].factor;
  }
  return 0;
}

/* Loops of unknown bounds, one of each access at most, are of the same rounds: what they add is
 * then a multiple of one step, and the first of it falls away. */
static bool open_loops_match(const meeting *m, const point *a, const point *b) {
  uint32_t i;
  uint32_t k;
  if (!only_open_loop(a, &i) || !only_open_loop(b, &k) || (i == AS_NONE) != (k == AS_NONE))
    return false;
  if (i == AS_NONE)
    return true;
  const ttir_around *one = a->event->around[i];
  const ttir_around *other = b->event->around[k];
  return a->all[i].step == b->all[k].step && ttir_same(one->from, other->from) &&
         factor_of(&m->sum[0], one->name) == factor_of(&m->sum[1], other->name);
}

/* at the first lanes and rounds of one side; false: not known */
static bool start(meeting *m, int side, point *at) {
  if (!first_point(m->event[side], m->here, m->shared, m->span, at) ||
      points_of(at) > MOST_POINTS || points_of(at) >= *m->left)
    return false;
  *m->left -= points_of(at) + 1;
  m->sum[side] = (sum){.n_fixed = 0};
  return add_to_sum(at, &m->sum[side], m->event[side]->position, 1);
}

/* how far apart places are where loops of unknown bounds are left out */
static bool find_span(meeting *m) {
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  for (int side = 0; side < 2; side++) {
    point at;
    m->span = -1;
    if (!start(m, side, &at))
      return false;
    for (bool more = points_of(&at) > 0; more; more = next_point(&at)) {
      int64_t place;
      if (!moving_at(&at, &m->sum[side], &place))
        return false;
      least = place < least ? place : least;
      most = place > most ? place : most;
    }
  }
  m->span = 0;
  return least > most || !__builtin_sub_overflow(most, least, &m->span);
}

/* no place is reached by both; each that is, by one lane of each, the same; neither is known; two
 * lanes are seen to reach one place, whatever masks are that are not known */
typedef enum { APART, SAME_LANE, NOT_KNOWN, OTHER_LANE } meets;

/* of a place: the lane that reaches it, or SEVERAL, and whether all that do are seen to */
enum { SEVERAL = 1 << 30 };

static const uint64_t SEEN = (uint64_t)1 << 40;

static void add_lane(as_map *lane_of, int64_t place, uint64_t lane, bool seen) {
  uint64_t known;
  bool first = !as_map_get(lane_of, AS_KEY((uint64_t)place), &known);
  if (!first && (known & ~SEEN) != lane)
    lane = SEVERAL;
  seen = seen && (first || (known & SEEN));
  as_map_put(lane_of, AS_KEY((uint64_t)place), lane | (seen ? SEEN : 0));
}

/* of the loops around both accesses, in the order in which rounds are executed */
static uint64_t round_number(const meeting *m, const point *at) {
  uint64_t number = 0;
  for (uint32_t i = m->shared; i < m->both; i++) {
    const rounds *all = &at->all[i];
    number = number * MOST_POINTS + (uint64_t)((at->round[i] - all->from) / all->step);
  }
  return number;
}

/* The rounds in which a place is reached: the first, and the last. */
static void add_round(as_map *first, as_map *last, int64_t place, uint64_t number) {
  uint64_t known;
  if (!as_map_get(first, AS_KEY((uint64_t)place), &known) || number < known)
    as_map_put(first, AS_KEY((uint64_t)place), number);
  if (!as_map_get(last, AS_KEY((uint64_t)place), &known) || number > known)
    as_map_put(last, AS_KEY((uint64_t)place), number);
}

/* the same lane of both at a place, the second access at this point: in other rounds? */
static meets same_lane_at(meeting *m, const as_map *first, const as_map *last, int64_t place,
                          const point *at) {
  enum { MOST_COMPARED = 3 };

  uint64_t least = 0;
  uint64_t most = 0;
  as_map_get(first, AS_KEY((uint64_t)place), &least);
  as_map_get(last, AS_KEY((uint64_t)place), &most);
  uint64_t number = round_number(m, at);
  bool compared = m->both <= m->shared + MOST_COMPARED;
  m->forth = m->forth || !compared || least < number;
  m->back = m->back || !compared || most > number;
  bool together = m->both == m->shared; /* rounds are the same, or nothing is said of them */
  return together || m->forth || m->back ? SAME_LANE : APART;
}

static meets meet_in_lanes(meeting *m) {
  point at;
  point first;
  int64_t place;
  uint64_t known;
  bool comparable = same_lanes(&m->event[0]->type, &m->event[1]->type);
  if (!find_span(m) || !start(m, 1, &first) || !start(m, 0, &at) ||
      !open_loops_match(m, &at, &first) || !same_fixed(&m->sum[0], &m->sum[1]) ||
      !same_fixed(&m->sum[1], &m->sum[0]))
    return NOT_KNOWN;
  meets found = APART;
  as_map lane_of; /* by place */
  as_map round_of[2];
  as_map_init(&lane_of, 1);
  as_map_init(&round_of[0], 1);
  as_map_init(&round_of[1], 1);
  for (bool more = points_of(&at) > 0; more && found == APART; more = next_point(&at)) {
    int holds = truth_at(&at, m->event[0]->mask);
    if (holds != 0 && !moving_at(&at, &m->sum[0], &place))
      found = NOT_KNOWN;
    if (holds == 0 || found != APART)
      continue;
    add_lane(&lane_of, place, lane_number(&at), holds > 0);
    add_round(&round_of[0], &round_of[1], place, round_number(m, &at));
  }
  at = first;
  bool known_all = found == APART;
  for (bool more = points_of(&at) > 0; more && known_all; more = next_point(&at)) {
    int holds = truth_at(&at, m->event[1]->mask);
    if (holds == 0)
      continue;
    known_all = moving_at(&at, &m->sum[1], &place);
    bool met = known_all && as_map_get(&lane_of, AS_KEY((uint64_t)place), &known);
    bool same = met && comparable && (known & ~SEEN) == lane_number(&at);
    meets here = !met   ? APART
                 : same ? same_lane_at(m, &round_of[0], &round_of[1], place, &at)
                 : holds > 0 && (known & SEEN) ? OTHER_LANE
                                               : NOT_KNOWN;
    found = here > found ? here : found;
  }
  as_map_clear(&lane_of);
  as_map_clear(&round_of[0]);
  as_map_clear(&round_of[1]);
  return known_all ? found : NOT_KNOWN;
}

static bool is_round_of(const ttir_event *event, uint32_t shared, const char *name) {
  for (uint32_t i = shared; i < event->n_around; i++) {
    if (strcmp(event->around[i]->name, name) == 0)
      return true;
  }
  return false;
}

/* what tells instances, and shared rounds, apart, at the first of each; false: too much, or nothing
 */
static bool first_instance(const meeting *m, instance *first) {
  ttir_ids all = {.n = 0};
  for (int side = 0; side < 2; side++) {
    const ttir_event *event = m->event[side];
    add_ids(&all, &event->ids);
    for (uint32_t i = m->shared; i < event->n_around; i++)
      add_ids(&all, &event->around[i]->ids);
  }
  *first = (instance){.n = 0};
  for (uint32_t i = 0; i < all.n; i++) {
    const char *name = all.id[i]->text;
    if (is_round_of(m->event[0], m->shared, name) || is_round_of(m->event[1], m->shared, name))
      continue;
    first->id[first->n] = all.id[i];
    first->value[first->n++] = all.id[i]->lo;
  }
  return !all.more && first->n > 0;
}

static bool next_instance(instance *here) {
  for (uint32_t i = 0; i < here->n; i++) {
    if (++here->value[i] <= here->id[i]->hi)
      return true;
    here->value[i] = here->id[i]->lo;
  }
  return false;
}

/* are there rounds that are looked at, whether a launch has so many or not? */
static bool has_open_loop(meeting *m) {
  uint32_t open[2] = {AS_NONE, AS_NONE};
  for (int side = 0; side < 2; side++) {
    point at;
    if (!first_point(m->event[side], m->here, m->shared, m->span, &at) ||
        !only_open_loop(&at, &open[side]))
      return true;
  }
  return open[0] != AS_NONE || open[1] != AS_NONE;
}

/* of accesses that meet in one lane: in a later round of the second, of the first */
typedef struct {
  bool forth;
  bool back;
} order_of;

/* in any instance at once, or in one after another */
static meets same_by_points(const ttir_event *a, const ttir_event *b, uint32_t shared,
                            uint64_t *left, order_of *rounds_of) {
  instance here = {.n = 0};
  meeting m = {
      .event = {a, b}, .here = &here, .shared = shared, .left = left, .both = common(a, b)};
  meets found = meet_in_lanes(&m);
  bool perhaps = found == NOT_KNOWN || (found == OTHER_LANE && has_open_loop(&m));
  if (!perhaps || !first_instance(&m, &here)) {
    *rounds_of = (order_of){m.forth, m.back};
    return found;
  }
  double work = 1;
  for (uint32_t i = 0; i < here.n; i++)
    work *= (double)(here.id[i]->hi - here.id[i]->lo + 1);
  meets worst = APART;
  do {
    point at;
    if (!start(&m, 0, &at) || work * (double)points_of(&at) > MOST_IN_ALL)
      return NOT_KNOWN;
    found = meet_in_lanes(&m);
    worst = found > worst ? found : worst;
  } while (found <= SAME_LANE && next_instance(&here));
  *rounds_of = (order_of){m.forth, m.back};
  return worst;
}

/* the same expression under the same mask, in the same rounds: lanes that store have places of
 * their own, so what one lane loads, or stores again, no other one stores */
static bool same_by_text(const ttir_event *a, const ttir_event *b) {
  return same_lanes(&a->type, &b->type) && ttir_same(a->position, b->position) &&
         ttir_same(a->mask, b->mask);
}

static bool ranges_apart(const ttir_event *a, const ttir_event *b) {
  const ttir_node *p = a->position;
  const ttir_node *q = b->position;
  return (p->hi < TTIR_MOST && q->lo > TTIR_LEAST && p->hi < q->lo) ||
         (q->hi < TTIR_MOST && p->lo > TTIR_LEAST && q->hi < p->lo);
}

/* ---- pairs */

/* rounds of `shared` loops are the same, and of those inside any; together: of those inside, too */
static meets other_lanes(const ttir_event *a, const ttir_event *b, uint32_t shared, bool together,
                         uint64_t *left, order_of *rounds_of) {
  *rounds_of = (order_of){true, true};
  return ranges_apart(a, b)               ? APART
         : together && same_by_text(a, b) ? SAME_LANE
                                          : same_by_points(a, b, shared, left, rounds_of);
}

/* is the truth one that the mask asks for, or, `holds` being false, one that it rules out? */
static bool asks_for(const ttir_node *mask, const ttir_node *truth, bool holds) {
  if (mask->kind == TTIR_N_AND)
    return asks_for(mask->kid[0], truth, holds) || asks_for(mask->kid[1], truth, holds);
  return holds ? ttir_same(mask, truth)
               : mask->kind == TTIR_N_NOT && ttir_same(mask->kid[0], truth);
}

/* does the one ask for something that the other rules out? */
static bool excludes(const ttir_node *mask, const ttir_node *other) {
  if (mask->kind == TTIR_N_AND)
    return excludes(mask->kid[0], other) || excludes(mask->kid[1], other);
  return mask->kind == TTIR_N_NOT ? asks_for(other, mask->kid[0], true)
                                  : asks_for(other, mask, false);
}

/* One lane of both, the first before the second in the text, in one round.  Which thread executes a
 * lane of a load, and how many do, is the compiler's choice, and may be another one for a store. So
 * a load is before a store that is made of what is loaded; and sums into memory need no order. */
static bool lane_is_ordered(const as_ttir_kernel *kernel, const ttir_event *first,
                            const ttir_event *second) {
  if (first->kind == TTIR_STORES && second->kind == TTIR_STORES)
    return first->update && second->update;
  return first->kind == TTIR_LOADS && ttir_is_made_of(kernel, second->op, first->op);
}

bool ttir_are_in_order(const as_ttir_kernel *kernel, const as_vec *events, size_t i, size_t k,
                       bool own_lanes, uint64_t *left) {
  const ttir_event *a = &AS_VEC_AT(events, ttir_event, i);
  const ttir_event *b = &AS_VEC_AT(events, ttir_event, k);
  bool waits = a->kind == TTIR_WAITS || b->kind == TTIR_WAITS;
  bool stores = a->kind == TTIR_STORES || b->kind == TTIR_STORES;
  if (waits || !stores || a->argument != b->argument)
    return true;
  uint32_t both = common(a, b);
  bool together = both == a->n_around && both == b->n_around;
  bool alike = same_by_text(a, b) && ttir_place_tells_lane(a);
  order_of lane;
  if (i != k && !waits_between(events, i, k)) {
    meets found = other_lanes(a, b, both, together, left, &lane);
    bool both_hold = !same_lanes(&a->type, &b->type) || !excludes(a->mask, b->mask);
    if (found > SAME_LANE || (found == SAME_LANE && both_hold && !lane_is_ordered(kernel, a, b)))
      return false;
  }
  if (i == k && own_lanes && !alike && same_by_points(a, b, both, left, &lane) > SAME_LANE)
    return false;
  bool sums = a->update && b->update;
  for (uint32_t depth = 0; depth < both && !(alike && (i == k || sums)); depth++) {
    bool forth = waits_across(events, i, k, depth);
    bool back = waits_across(events, k, i, depth);
    if (forth && back)
      continue;
    meets found = other_lanes(a, b, depth, false, left, &lane);
    if (found > SAME_LANE && alike) {
      found = SAME_LANE;
      lane = (order_of){true, true};
    }
    /* rounds of one access are in order in a lane: a store's later round is behind this one's */
    forth = forth || i == k || lane_is_ordered(kernel, a, b);
    back = back || i == k || sums;
    if (found > SAME_LANE ||
        (found == SAME_LANE && ((lane.forth && !forth) || (lane.back && !back))))
      return false;
  }
  return true;
}

/* Machine integers.  A number of b bits is taken modulo two to the power of b, so what leaves its
 * type is another number.  What of data may leave it is written as that (ttir_wrapped); what only
 * the launch decides must not: where there are sizes, a relation of these keeps it inside, which
 * the theorem states; a launch in which it leaves its type is refused. */
#include "ttir_lift.h"
#include <stdlib.h>
#include <string.h>

/* ---- the largest value, as an expression of sizes */

static ttir_node *number(ttir_lift *lift, int64_t value) {
  return ttir_integer(lift->mem, value);
}

/* NULL: it is not known */
static ttir_node *least(ttir_lift *lift, const ttir_node *node) {
  return node->lo > TTIR_LEAST ? number(lift, node->lo) : NULL;
}

static ttir_node *joined(ttir_lift *lift, ttir_node_kind kind, ttir_node *a, ttir_node *b) {
  return a && b ? ttir_arith(lift->mem, kind, a, b) : NULL;
}

static ttir_node *larger(ttir_lift *lift, ttir_node *a, ttir_node *b) {
  if (!a || !b)
    return NULL;
  ttir_node *both[2] = {a, b};
  return a->lo >= b->hi ? a : b->lo >= a->hi ? b : ttir_call(lift->mem, "max", 2, both);
}

/* (cdiv(a, b) - 1) * b is below a; NULL: it is no such */
static ttir_node *last_block(ttir_lift *lift, const ttir_node *count, const ttir_node *block) {
  const ttir_node *blocks =
      count->kind == TTIR_N_SUB && ttir_is_integer(count->kid[1], 1) ? count->kid[0] : NULL;
  bool fits = blocks && blocks->kind == TTIR_N_NAME && blocks->ceiling_of &&
              block->lo == block->hi && block->lo == blocks->ceiling_by;
  return fits ? ttir_arith(lift->mem, TTIR_N_SUB, blocks->ceiling_of, number(lift, 1)) : NULL;
}

static ttir_node *largest_product(ttir_lift *lift, ttir_node *a, ttir_node *b) {
  if (a->lo >= 0 && b->lo >= 0) {
    ttir_node *first = ttir_largest(lift, a);
    ttir_node *second = ttir_largest(lift, b);
    ttir_node *last = first && second ? last_block(lift, first, second) : NULL;
    last = !last && first && second ? last_block(lift, second, first) : last;
    return last ? last : joined(lift, TTIR_N_MUL, first, second);
  }
  ttir_node *constant = a->lo == a->hi ? a : b->lo == b->hi ? b : NULL;
  ttir_node *other = constant == a ? b : a;
  if (constant && constant->lo < 0)
    return joined(lift, TTIR_N_MUL, constant, least(lift, other));
  return constant ? joined(lift, TTIR_N_MUL, constant, ttir_largest(lift, other)) : NULL;
}

ttir_node *ttir_largest(ttir_lift *lift, ttir_node *node) {
  if (node->kind == TTIR_N_NAME)
    return node->below ? node->below : node->of_sizes ? node : NULL;
  if (node->kind == TTIR_N_NUMBER)
    return node;
  ttir_node *found = NULL;
  if (node->kind == TTIR_N_ADD)
    found = joined(lift, TTIR_N_ADD, ttir_largest(lift, node->kid[0]),
                   ttir_largest(lift, node->kid[1]));
  else if (node->kind == TTIR_N_SUB)
    found = joined(lift, TTIR_N_SUB, ttir_largest(lift, node->kid[0]), least(lift, node->kid[1]));
  else if (node->kind == TTIR_N_MUL)
    found = largest_product(lift, node->kid[0], node->kid[1]);
  else if (node->kind == TTIR_N_DIV && node->kid[1]->lo > 0 && node->kid[0]->lo >= 0)
    found =
        joined(lift, TTIR_N_DIV, ttir_largest(lift, node->kid[0]), number(lift, node->kid[1]->lo));
  else if (node->kind == TTIR_N_MOD && node->kid[1]->lo > 0)
    found = joined(lift, TTIR_N_SUB, ttir_largest(lift, node->kid[1]), number(lift, 1));
  else if (node->kind == TTIR_N_IF)
    found = larger(lift, ttir_largest(lift, node->kid[1]), ttir_largest(lift, node->kid[2]));
  else if (node->kind == TTIR_N_CALL && node->n == 2)
    found = larger(lift, ttir_largest(lift, node->kid[0]), ttir_largest(lift, node->kid[1]));
  bool bounded = node->kind != TTIR_N_TILE && node->hi < TTIR_MOST;
  return found || !bounded ? found : number(lift, node->hi);
}

/* is it decided by the launch alone? */
static bool is_of_launch(const ttir_node *node) {
  bool own = node->kind != TTIR_N_TILE;
  for (uint32_t i = 0; i < node->n && own; i++)
    own = is_of_launch(node->kid[i]);
  return own;
}

/* ---- relations */

/* the numbers that sizes have in one launch */
typedef struct {
  as_ttir_size *size;
  as_ttir_launch launch;
} values;

static void values_init(values *at, const as_ttir_launch *launch) {
  at->launch = *launch;
  at->size = as_calloc(launch->n_size + 1, sizeof *at->size);
  at->launch.size = at->size;
  for (uint32_t i = 0; i < launch->n_size; i++) {
    at->size[i] = launch->size[i];
    at->size[i].least = at->size[i].most = launch->size[i].value;
  }
}

static __int128 value_at(const values *at, const ttir_node *node) {
  if (node->kind == TTIR_N_NUMBER)
    return node->lo;
  if (node->kind == TTIR_N_NAME)
    return ttir_size_value(&at->launch, node->text);
  __int128 a = value_at(at, node->kid[0]);
  __int128 b = value_at(at, node->kid[1]);
  __int128 far = (__int128)1 << 100; /* beyond all types: no more is asked */
  a = a > far ? far : a;
  b = b > far ? far : b;
  switch (node->kind) {
  case TTIR_N_ADD:
    return a + b;
  case TTIR_N_SUB:
    return a - b;
  case TTIR_N_MUL:
    return a > 0 && b > far / a ? far : a * b;
  case TTIR_N_DIV:
    return a / b;
  default:
    return a > b ? a : b;
  }
}

/* is it a word of the expression? */
static bool has_word(const char *text, const char *word) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  while (*text) {
    size_t n = strspn(text, letters);
    if (n == strlen(word) && strncmp(text, word, n) == 0)
      return true;
    text += n ? n : 1;
  }
  return false;
}

static bool speaks_of(const ttir_node *node, const char *size) {
  bool found = node->kind == TTIR_N_NAME && has_word(node->text, size);
  for (uint32_t i = 0; i < node->n && !found; i++)
    found = speaks_of(node->kid[i], size);
  return found;
}

/* does a size expression grow with its sizes? */
static bool grows(const ttir_node *node) {
  bool fine = node->kind != TTIR_N_NAME || !has_word(node->text, "mod");
  for (const char *at = node->kind == TTIR_N_NAME ? node->text : ""; fine && *at; at++)
    fine = *at != '-' || (at[1] == ' ' && at[2] >= '0' && at[2] <= '9');
  for (uint32_t i = 0; i < node->n && fine; i++)
    fine = grows(node->kid[i]);
  return fine;
}

/* The only size without a bound of its own that the bound speaks of, and the largest value of it at
 * which the bound is at most that.  false: there are several, or it does not grow with sizes */
static bool of_one_size(const ttir_lift *lift, const ttir_node *bound, int64_t most, uint32_t *size,
                        int64_t *value) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < lift->launch->n_size; i++) {
    if (lift->launch->size[i].most == 0 && speaks_of(bound, lift->launch->size[i].name)) {
      *size = i;
      found++;
    }
  }
  if (found != 1 || !grows(bound))
    return false;
  values at;
  values_init(&at, lift->launch);
  for (uint32_t i = 0; i < lift->launch->n_size; i++) {
    if (lift->launch->size[i].most)
      at.size[i].least = at.size[i].most = lift->launch->size[i].most;
  }
  int64_t lo = 0;
  int64_t hi = INT32_MAX;
  while (lo < hi) {
    int64_t middle = lo + (hi - lo + 1) / 2;
    at.size[*size].least = at.size[*size].most = middle;
    bool inside = value_at(&at, bound) <= most;
    lo = inside ? middle : lo;
    hi = inside ? hi : middle - 1;
  }
  free(at.size);
  *value = lo;
  return true;
}

/* what is asked more than once, or with a part of another, is asked once */
static void add_relation(ttir_lift *lift, ttir_node *bound, int64_t most) {
  for (size_t i = 0; i < lift->required.n; i++) {
    ttir_required *other = &AS_VEC_AT(&lift->required, ttir_required, i);
    const ttir_node *whole = bound;
    bool part = other->most == most && ttir_same(other->bound, whole);
    while (!part && other->most == most && whole->kind == TTIR_N_ADD && whole->kid[1]->lo >= 0) {
      whole = whole->kid[0];
      part = ttir_same(other->bound, whole);
    }
    if (part) {
      other->bound = bound;
      return;
    }
  }
  ttir_required one = {bound, most};
  as_vec_push(&lift->required, &one);
}

/* op NULL: of an argument */
static bool refuse_value(ttir_lift *lift, const as_ttir_op *op, const ttir_node *value,
                         uint32_t bits, __int128 at) {
  enum { SHORT = 24 };

  bool known = at <= INT64_MAX && at >= INT64_MIN;
  const char *which = value->weight <= SHORT ? ttir_print(lift->mem, value) : "its value";
  char *text =
      known ? as_format("%s reaches %lld, beyond an integer of %u bits", which, (long long)at, bits)
            : as_format("%s leaves an integer of %u bits", which, bits);
  if (op)
    ttir_refuse(lift, op, text);
  else
    as_err_set(lift->err, AS_BAD_INPUT, "the launch: %s", text);
  free(text);
  return false;
}

/* the bound, of the value, or of -1 less it (below), is to stay in the type */
static bool require(ttir_lift *lift, const as_ttir_op *op, ttir_node *value, ttir_node *bound,
                    uint32_t bits, bool below) {
  int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  values at;
  values_init(&at, lift->launch);
  __int128 here = value_at(&at, bound);
  free(at.size);
  if (here > most)
    return refuse_value(lift, op, value, bits, below ? -1 - here : here);
  add_relation(lift, bound, most);
  return true;
}

void ttir_write_relations(const ttir_lift *lift, as_str *text) {
  const as_ttir_launch *launch = lift->launch;
  int64_t *most = as_calloc(launch->n_size + 1, sizeof *most);
  for (uint32_t i = 0; i < launch->n_size; i++)
    most[i] = launch->size[i].most ? launch->size[i].most : INT32_MAX;
  for (size_t k = 0; k < lift->required.n; k++) {
    const ttir_required *one = &AS_VEC_AT(&lift->required, ttir_required, k);
    uint32_t size = 0;
    int64_t value = 0;
    if (!of_one_size(lift, one->bound, one->most, &size, &value))
      as_str_printf(text, "where %s <= %lld\n", ttir_print(lift->mem, one->bound),
                    (long long)one->most);
    else
      most[size] = value < most[size] ? value : most[size];
  }
  for (uint32_t i = 0; i < launch->n_size; i++) {
    if (launch->size[i].most != most[i])
      as_str_printf(text, "where %s <= %lld\n", launch->size[i].name, (long long)most[i]);
  }
  free(most);
}

/* ---- numbers of a type */

int64_t ttir_most_of(uint32_t bits) {
  return bits >= 63 ? TTIR_MOST - 1 : ((int64_t)1 << (bits - 1)) - 1;
}

/* what is beyond ranges has none */
static ttir_node *narrowed(ttir_lift *lift, const ttir_node *value, uint32_t bits) {
  int64_t most = ttir_most_of(bits);
  ttir_node *narrow = as_arena_alloc(lift->mem, sizeof *narrow);
  *narrow = *value;
  narrow->lo = value->lo >= -most - 1 ? value->lo : bits >= 63 ? TTIR_LEAST : -most - 1;
  narrow->hi = value->hi <= most ? value->hi : bits >= 63 ? TTIR_MOST : most;
  return narrow;
}

ttir_node *ttir_in_type(ttir_lift *lift, const as_ttir_op *op, ttir_node *value, uint32_t bits) {
  int64_t most = ttir_most_of(bits);
  if (value->lo >= -most - 1 && value->hi <= most)
    return value;
  ttir_node *bound = is_of_launch(value) ? ttir_largest(lift, value) : NULL;
  if (!bound)
    return ttir_wrapped(lift->mem, value, bits);
  if (value->lo < -most - 1) {
    ttir_node *opposite = joined(lift, TTIR_N_SUB, number(lift, -1), value);
    ttir_node *below = ttir_largest(lift, opposite); /* of -1 - value, as far above */
    if (!below)
      return ttir_wrapped(lift->mem, value, bits);
    if (!require(lift, op, value, below, bits, true))
      return NULL;
  }
  if (value->hi > most && !require(lift, op, value, bound, bits, false))
    return NULL;
  return narrowed(lift, value, bits);
}

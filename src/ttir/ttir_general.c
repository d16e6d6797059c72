#include "ttir_general.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <stdlib.h>
#include <string.h>

enum {
  MOST_CASES = 16,
  MOST_UNKNOWNS = 64,
  MOST_CHOICES = 6,
  MOST_READINGS = 24,
  MOST_SCOPES = 48,
  MOST_SCOPED = 4, /* sizes that a scope tells apart; of more, all are free or none */
  MOST_BLOCKS = 24,
  MOST_BASES = 96
};

/* a number of the launch, and what it may be, the most likely first */
typedef struct {
  const as_ttir_argument *argument; /* NULL: of the grid, along .. */
  int axis;
  int64_t value[MOST_CASES];
  char *choice[MOST_CHOICES];
  uint32_t n_choice;
} unknown;

typedef enum { FREE, MULTIPLE, BOUNDED, AT_MOST, FIXED, SCOPE_KINDS } scope_kind;

typedef struct {
  scope_kind of[MOST_SCOPED];
  uint32_t cost;
} scope;

typedef struct {
  uint8_t choice[MOST_UNKNOWNS];
  uint32_t cost;
} reading;

struct as_ttir_general {
  const as_ttir_kernel *kernel;
  const as_ttir_launch *launch[MOST_CASES];
  uint32_t n_case;
  const as_ttir_known *known;
  int64_t *env[MOST_CASES]; /* by size; -1: not known */
  int64_t block[MOST_BLOCKS];
  uint32_t n_range; /* of the blocks, those that are ranges of lanes come first */
  uint32_t n_block;
  bool axis[3]; /* the kernel asks for its place along it */
  as_size base[MOST_BASES];
  uint32_t n_base;
  unknown unknown[MOST_UNKNOWNS];
  uint32_t n_unknown;
  reading reading[MOST_READINGS];
  uint32_t n_reading;
  scope scope[MOST_SCOPES];
  uint32_t n_scope;
};

/* ---- what the kernel shows */

static void add_block(as_ttir_general *in, int64_t value) {
  if (value < 2 || in->n_block == MOST_BLOCKS)
    return;
  for (uint32_t i = 0; i < in->n_block; i++) {
    if (in->block[i] == value)
      return;
  }
  in->block[in->n_block++] = value;
}

static void look_for_ranges(as_ttir_general *in, const as_ttir_region *region) {
  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    if (strcmp(op->name, "tt.make_range") == 0 && op->n_result == 1)
      add_block(in, in->kernel->value[op->result[0]].type.dim[0]);
    bool place = strcmp(op->name, "tt.get_program_id") == 0;
    if (place && op->n_word > 0 && op->word[0][0] >= 'x' && op->word[0][0] <= 'z')
      in->axis[op->word[0][0] - 'x'] = true;
    for (uint32_t k = 0; k < op->n_region; k++)
      look_for_ranges(in, &op->region[k]);
  }
}

static void look_for_constants(as_ttir_general *in, const as_ttir_region *region) {
  enum { LARGEST = 1 << 16 };

  for (uint32_t i = 0; i < region->n_op; i++) {
    const as_ttir_op *op = region->op[i];
    if (strcmp(op->name, "arith.constant") == 0 && op->literal && op->n_result == 1) {
      const as_ttir_type *type = &in->kernel->value[op->result[0]].type;
      long long value = type->kind == AS_TTIR_INT ? strtoll(op->literal, NULL, 0) : 0;
      if (type->rank == 0 && value <= LARGEST)
        add_block(in, value);
    }
    for (uint32_t k = 0; k < op->n_region; k++)
      look_for_constants(in, &op->region[k]);
  }
}

/* ---- what sizes are in the examples */

static const as_ttir_argument *argument_of(const as_ttir_launch *launch, const char *name) {
  for (uint32_t i = 0; i < launch->n_argument; i++) {
    if (strcmp(launch->argument[i].name, name) == 0)
      return &launch->argument[i];
  }
  return NULL;
}

/* a number as it is written; -1: an expression */
static int64_t number_of(const char *text) {
  char *end;
  if (!text)
    return -1;
  long long value = strtoll(text, &end, 10);
  return *end == 0 && end != text ? value : -1;
}

/* what an argument that is a number is said to be; NULL: nothing */
static const char *said_of(const as_ttir_argument *argument) {
  if (!argument)
    return NULL;
  return argument->value ? argument->value : argument->rank ? argument->dim[0] : NULL;
}

/* elements of a tensor in a launch; -1: not known */
static int64_t elements_in(const as_ttir_argument *argument) {
  __int128 all = 1;
  for (uint32_t d = 0; d < argument->rank; d++) {
    int64_t extent = number_of(argument->dim[d]);
    if (extent < 0)
      return -1;
    all *= extent;
    if (all > INT64_MAX)
      return -1;
  }
  return (int64_t)all;
}

/* Makes the one size that is not known yet of coefficient * sizes = value; other forms say nothing.
 */
static bool solve(const as_sizes *S, as_size expr, int64_t value, int64_t *env) {
  if (as_size_nmono(S, expr) != 1)
    return false;
  as_size_mono mono = as_size_get_mono(S, expr, 0);
  as_size open = AS_SIZE_BAD;
  int64_t rest = mono.coef;
  for (uint32_t i = 0; i < mono.n; i++) {
    if (!as_size_is_sym(S, mono.atom[i]) || (env[mono.atom[i]] < 0 && open != AS_SIZE_BAD))
      return false;
    if (env[mono.atom[i]] < 0)
      open = mono.atom[i];
    else if (__builtin_mul_overflow(rest, env[mono.atom[i]], &rest))
      return false;
  }
  if (open == AS_SIZE_BAD || rest <= 0 || value % rest != 0)
    return false;
  env[open] = value / rest;
  return true;
}

static as_size elements_of(as_sizes *S, const as_ttir_tensor *tensor, uint32_t from) {
  as_size all = AS_SIZE_ONE;
  for (uint32_t d = from; d < tensor->rank; d++)
    all = as_size_mul(S, all, tensor->dim[d]);
  return all;
}

/* the tensor of this name, of those that the given program has */
static const as_ttir_tensor *tensor_of(const as_ttir_known *known, const char *name) {
  for (uint32_t i = 0; i < known->n_tensor; i++) {
    if (strcmp(known->tensor[i].name, name) == 0)
      return &known->tensor[i];
  }
  return NULL;
}

/* what the tensors' extents in a launch say of sizes; true: one became known */
static bool learn(as_ttir_general *in, const as_ttir_launch *launch, int64_t *env) {
  as_sizes *S = in->known->sizes;
  bool more = false;
  for (uint32_t i = 0; i < launch->n_argument; i++) {
    const as_ttir_argument *argument = &launch->argument[i];
    const as_ttir_tensor *tensor = argument->rank ? tensor_of(in->known, argument->name) : NULL;
    if (!tensor)
      continue;
    for (uint32_t d = 0; d < tensor->rank && tensor->rank == argument->n_shape; d++)
      more = solve(S, tensor->dim[d], argument->shape[d], env) || more;
    as_size all = elements_of(S, tensor, 0);
    int64_t elements = elements_in(argument);
    more = (all != AS_SIZE_BAD && elements >= 0 && solve(S, all, elements, env)) || more;
  }
  return more;
}

/* do all that is known of sizes, and the launch, agree? the name of a tensor that does not, "" for
 * a size that has no value; NULL: they do */
static const char *disagreement(const as_ttir_general *in, const as_ttir_launch *launch,
                                const int64_t *env) {
  as_sizes *S = in->known->sizes;
  for (uint32_t i = 0; i < in->known->n_size; i++) {
    if (env[in->known->size[i]] < as_size_least(S, in->known->size[i]))
      return "";
  }
  for (uint32_t i = 0; i < launch->n_argument; i++) {
    const as_ttir_argument *argument = &launch->argument[i];
    const as_ttir_tensor *tensor = argument->rank ? tensor_of(in->known, argument->name) : NULL;
    as_size all = tensor ? elements_of(S, tensor, 0) : AS_SIZE_BAD;
    if (tensor && (all == AS_SIZE_BAD || as_size_eval(S, all, env) != elements_in(argument)))
      return argument->name;
  }
  return NULL;
}

static int64_t *sizes_in(as_ttir_general *in, const as_ttir_launch *launch, bool first) {
  as_sizes *S = in->known->sizes;
  int64_t *env = as_calloc(as_size_count(S) + 1, sizeof *env);
  for (uint32_t i = 0; i < in->known->n_size; i++) {
    as_size size = in->known->size[i];
    const as_ttir_argument *same = argument_of(launch, as_size_name(S, size));
    int64_t value = number_of(said_of(same));
    env[size] = first && as_size_value(S, size) >= 0 ? as_size_value(S, size) : value;
  }
  while (learn(in, launch, env))
    ;
  return env;
}

/* ---- what a number may be */

static void add_base(as_ttir_general *in, as_size expr) {
  bool plain = expr != AS_SIZE_BAD && !as_size_is_const(in->known->sizes, expr, NULL);
  for (uint32_t i = 0; plain && i < in->n_base; i++)
    plain = in->base[i] != expr;
  if (plain && in->n_base < MOST_BASES)
    in->base[in->n_base++] = expr;
}

static void make_bases(as_ttir_general *in) {
  const as_ttir_known *known = in->known;
  for (uint32_t i = 0; i < known->n_size; i++)
    add_base(in, known->size[i]);
  for (uint32_t i = 0; i < known->n_tensor; i++) {
    for (uint32_t d = known->tensor[i].rank; d-- > 0;) {
      add_base(in, known->tensor[i].dim[d]);
      add_base(in, elements_of(known->sizes, &known->tensor[i], d));
    }
  }
  for (uint32_t i = 0; i < known->n_size; i++) {
    for (uint32_t k = 0; k < i; k++)
      add_base(in, as_size_mul(known->sizes, known->size[k], known->size[i]));
  }
}

/* the expression in an example, in blocks of so many; -1: it has no value */
static int64_t blocks_in(const as_ttir_general *in, uint32_t number, as_size expr, int64_t block) {
  int64_t value = as_size_eval(in->known->sizes, expr, in->env[number]);
  return value < 0 ? -1 : value / block + (value % block != 0);
}

static bool fits(const as_ttir_general *in, const unknown *of, as_size expr, int64_t block,
                 as_size other, int64_t other_block) {
  for (uint32_t c = 0; c < in->n_case; c++) {
    int64_t value = blocks_in(in, c, expr, block);
    int64_t times = other == AS_SIZE_BAD ? 1 : blocks_in(in, c, other, other_block);
    bool same = value >= 0 && times >= 0 && (__int128)value * times == of->value[c];
    if (!same)
      return false;
  }
  return true;
}

/* takes the text */
static void add_choice(unknown *to, char *text) {
  bool room = to->n_choice < MOST_CHOICES - 1; /* one is kept for the number itself */
  for (uint32_t i = 0; room && i < to->n_choice; i++)
    room = strcmp(to->choice[i], text) != 0;
  if (room)
    to->choice[to->n_choice++] = text;
  else
    free(text);
}

/* so many blocks of an expression: a quotient where that is exact by its coefficients */
static char *blocks_text(const as_ttir_general *in, as_size expr, int64_t block) {
  as_sizes *S = in->known->sizes;
  bool exact = true;
  for (uint32_t i = 0; i < as_size_nmono(S, expr); i++)
    exact = exact && as_size_get_mono(S, expr, i).coef % block == 0;
  as_size whole = exact ? as_size_div(S, expr, as_size_int(S, (long)block)) : expr;
  char *text = as_size_print(S, whole == AS_SIZE_BAD ? expr : whole);
  if (exact && whole != AS_SIZE_BAD)
    return text;
  char *quotient = as_format("cdiv(%s, %lld)", text, (long long)block);
  free(text);
  return quotient;
}

static bool is_one(const as_ttir_general *in, const unknown *of) {
  for (uint32_t c = 0; c < in->n_case; c++) {
    if (of->value[c] != 1)
      return false;
  }
  return true;
}

static void add_number(const as_ttir_general *in, unknown *to) {
  bool same = true;
  for (uint32_t c = 1; c < in->n_case; c++)
    same = same && to->value[c] == to->value[0];
  if (!same && to->n_choice > 0) /* without any, it is said of the launch at hand alone */
    return;
  char *text = as_format("%lld", (long long)to->value[0]);
  bool there = false;
  for (uint32_t i = 0; i < to->n_choice; i++)
    there = there || strcmp(to->choice[i], text) == 0;
  if (there)
    free(text);
  else
    to->choice[to->n_choice++] = text;
}

/* a number of times an expression, the same number in all examples; 0: it is none */
static int64_t multiple_of(const as_ttir_general *in, const unknown *of, as_size expr) {
  int64_t value = as_size_eval(in->known->sizes, expr, in->env[0]);
  int64_t times = value > 0 && of->value[0] % value == 0 ? of->value[0] / value : 0;
  for (uint32_t c = 1; c < in->n_case; c++) {
    value = as_size_eval(in->known->sizes, expr, in->env[c]);
    if (value < 0 || (__int128)value * times != of->value[c])
      return 0;
  }
  return times;
}

static void choices_of_argument(as_ttir_general *in, unknown *to) {
  as_sizes *S = in->known->sizes;
  if (is_one(in, to)) /* a stride of 1 rather than a size that happens to be 1 */
    add_number(in, to);
  as_size named = as_size_find(S, to->argument->name);
  if (named != AS_SIZE_BAD && fits(in, to, named, 1, AS_SIZE_BAD, 1))
    add_choice(to, as_size_print(S, named));
  for (uint32_t i = 0; i < in->n_base; i++) {
    if (fits(in, to, in->base[i], 1, AS_SIZE_BAD, 1))
      add_choice(to, as_size_print(S, in->base[i]));
  }
  for (uint32_t i = 0; i < in->n_base && i < in->known->n_size; i++) {
    int64_t times = multiple_of(in, to, in->base[i]);
    if (times > 1)
      add_choice(to, as_format("%lld * %s", (long long)times, as_size_name(S, in->base[i])));
  }
  add_number(in, to);
}

/* a product of two: sizes, or so many blocks of them */
static void choices_of_pairs(as_ttir_general *in, unknown *to) {
  for (uint32_t a = 0; a < in->known->n_size; a++) {
    for (uint32_t b = 0; b < in->known->n_size; b++) {
      for (uint32_t k = 0; k <= in->n_range; k++) {
        for (uint32_t m = 1; m <= in->n_range; m++) {
          int64_t left = k ? in->block[k - 1] : 1;
          int64_t right = in->block[m - 1];
          as_size x = in->known->size[a];
          as_size y = in->known->size[b];
          if (x == y || !fits(in, to, x, left, y, right))
            continue;
          char *first = blocks_text(in, x, left);
          char *second = blocks_text(in, y, right);
          add_choice(to, as_format("%s * %s", first, second));
          free(first);
          free(second);
        }
      }
    }
  }
}

static void choices_of_grid(as_ttir_general *in, unknown *to) {
  if (is_one(in, to) && !in->axis[to->axis]) {
    add_number(in, to);
    return;
  }
  for (uint32_t i = 0; i < in->n_base; i++) {
    if (fits(in, to, in->base[i], 1, AS_SIZE_BAD, 1))
      add_choice(to, as_size_print(in->known->sizes, in->base[i]));
  }
  for (uint32_t k = 0; k < in->n_block; k++) {
    for (uint32_t i = 0; i < in->n_base; i++) {
      if (fits(in, to, in->base[i], in->block[k], AS_SIZE_BAD, 1))
        add_choice(to, blocks_text(in, in->base[i], in->block[k]));
    }
  }
  choices_of_pairs(in, to);
  for (uint32_t i = 0; i < in->n_base; i++) {
    int64_t times = multiple_of(in, to, in->base[i]);
    char *text = times > 1 ? as_size_print(in->known->sizes, in->base[i]) : NULL;
    if (text)
      add_choice(to, as_format("%lld * (%s)", (long long)times, text));
    free(text);
  }
  add_number(in, to);
}

static bool add_unknown(as_ttir_general *in, const as_ttir_argument *argument, int axis,
                        as_err *err) {
  if (in->n_unknown == MOST_UNKNOWNS)
    return as_err_set(err, AS_BAD_INPUT, "more than %d numbers in a launch", (int)MOST_UNKNOWNS);
  unknown *to = &in->unknown[in->n_unknown++];
  *to = (unknown){.argument = argument, .axis = axis};
  for (uint32_t c = 0; c < in->n_case; c++) {
    const as_ttir_argument *here = argument ? argument_of(in->launch[c], argument->name) : NULL;
    const char *grid = argument ? NULL : in->launch[c]->grid[axis];
    to->value[c] = number_of(argument ? said_of(here) : grid ? grid : "1");
    if (to->value[c] < 0)
      return as_err_set(err, AS_BAD_INPUT, "%s: no number in the launch of which others are made",
                        argument ? argument->name : "the grid");
  }
  if (argument)
    choices_of_argument(in, to);
  else
    choices_of_grid(in, to);
  return true;
}

/* ---- readings and scopes */

static int by_cost(const void *a, const void *b) {
  const reading *x = a;
  const reading *y = b;
  return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1)
                            : memcmp(x->choice, y->choice, sizeof x->choice);
}

/* the choices that are likely together: every one that is not the first costs its number */
static void make_readings(as_ttir_general *in) {
  enum { MOST_TRIED = 4096 };

  reading *all = as_calloc(MOST_TRIED, sizeof *all);
  uint32_t n = 1;
  for (uint32_t u = 0; u < in->n_unknown; u++) {
    uint32_t before = n;
    for (uint32_t k = 1; k < in->unknown[u].n_choice; k++) {
      for (uint32_t i = 0; i < before && n < MOST_TRIED; i++) {
        all[n] = all[i];
        all[n].choice[u] = (uint8_t)k;
        all[n++].cost += k;
      }
    }
  }
  qsort(all, n, sizeof *all, by_cost);
  in->n_reading = n < MOST_READINGS ? n : MOST_READINGS;
  memcpy(in->reading, all, in->n_reading * sizeof *all);
  free(all);
}

/* the least range of lanes that the size is at most in all examples; 0: none */
static int64_t bound_of(const as_ttir_general *in, as_size size) {
  int64_t least = 0;
  for (uint32_t k = 0; k < in->n_range; k++) {
    bool covers = least == 0 || in->block[k] < least;
    for (uint32_t c = 0; c < in->n_case; c++)
      covers = covers && in->env[c][size] <= in->block[k];
    least = covers ? in->block[k] : least;
  }
  return least;
}

/* the largest that it is in an example: what a kernel was made for, that asks for no more */
static int64_t most_of(const as_ttir_general *in, as_size size) {
  int64_t most = 0;
  for (uint32_t c = 0; c < in->n_case; c++)
    most = in->env[c][size] > most ? in->env[c][size] : most;
  return most;
}

/* the largest block that divides the size in all examples; 0: none */
static int64_t divisor_of(const as_ttir_general *in, as_size size) {
  int64_t most = 0;
  for (uint32_t k = 0; k < in->n_block; k++) {
    bool divides = in->block[k] > most;
    for (uint32_t c = 0; c < in->n_case; c++)
      divides = divides && in->env[c][size] % in->block[k] == 0;
    most = divides ? in->block[k] : most;
  }
  return most;
}

static int by_scope_cost(const void *a, const void *b) {
  const scope *x = a;
  const scope *y = b;
  return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1) : memcmp(x->of, y->of, sizeof x->of);
}

static void make_scopes(as_ttir_general *in) {
  static const uint32_t cost[SCOPE_KINDS] = {0, 2, 2, 4, 9};

  enum { MOST = 625 }; /* SCOPE_KINDS to the power of MOST_SCOPED */

  uint32_t n_size = in->known->n_size;
  scope all[MOST];
  uint32_t n = 0;
  uint32_t total = 1;
  for (uint32_t i = 0; i < n_size && n_size <= MOST_SCOPED; i++)
    total *= SCOPE_KINDS;
  for (uint32_t number = 0; number < total; number++) {
    scope made = {.cost = 0};
    bool fine = true;
    uint32_t rest = number;
    for (uint32_t i = 0; i < n_size && n_size <= MOST_SCOPED; i++) {
      made.of[i] = (scope_kind)(rest % SCOPE_KINDS);
      rest /= SCOPE_KINDS;
      made.cost += cost[made.of[i]];
      as_size size = in->known->size[i];
      fine = fine && (made.of[i] != BOUNDED || bound_of(in, size) > 0) &&
             (made.of[i] != AT_MOST || bound_of(in, size) != most_of(in, size)) &&
             (made.of[i] != MULTIPLE || divisor_of(in, size) > 0);
    }
    if (fine)
      all[n++] = made;
  }
  qsort(all, n, sizeof *all, by_scope_cost);
  in->n_scope = n < MOST_SCOPES ? n : MOST_SCOPES;
  memcpy(in->scope, all, in->n_scope * sizeof *all);
  for (uint32_t i = 0; i < MOST_SCOPED; i++) /* the last is the example alone */
    in->scope[in->n_scope - 1].of[i] = FIXED;
  if (n_size > MOST_SCOPED) { /* free, or fixed */
    in->scope[0] = (scope){.cost = 0};
    in->n_scope = 2;
    for (uint32_t i = 0; i < MOST_SCOPED; i++)
      in->scope[1].of[i] = FIXED;
  }
}

static scope_kind kind_of(const as_ttir_general *in, uint32_t number, uint32_t size) {
  return in->scope[number].of[in->known->n_size > MOST_SCOPED ? 0 : size];
}

uint32_t as_ttir_general_readings(const as_ttir_general *general) {
  return general->n_reading;
}

uint32_t as_ttir_general_scopes(const as_ttir_general *general) {
  return general->n_scope;
}

int64_t as_ttir_general_value(const as_ttir_general *general, uint32_t size) {
  return general->env[0][general->known->size[size]];
}

/* ---- launches */

static bool take_cases(as_ttir_general *in, as_ttir_launch *const *launch, uint32_t n_launch,
                       as_err *err) {
  for (uint32_t c = 0; c < n_launch && in->n_case < MOST_CASES; c++) {
    int64_t *env = sizes_in(in, launch[c], c == 0);
    const char *wrong = disagreement(in, launch[c], env);
    if (!wrong) {
      in->launch[in->n_case] = launch[c];
      in->env[in->n_case++] = env;
      continue;
    }
    free(env);
    if (c == 0 && *wrong)
      return as_err_set(err, AS_BAD_INPUT,
                        "`%s` has another number of elements in the launch than by the given "
                        "program at its sizes' values",
                        wrong);
    if (c == 0)
      return as_err_set(err, AS_BAD_INPUT,
                        "a size of the given program has no value, and the launch shows none");
  }
  return true;
}

as_ttir_general *as_ttir_general_new(const as_ttir_kernel *kernel, as_ttir_launch *const *launch,
                                     uint32_t n_launch, const as_ttir_known *known, as_err *err) {
  as_ttir_general *in = as_calloc(1, sizeof *in);
  in->kernel = kernel;
  in->known = known;
  look_for_ranges(in, &kernel->body);
  in->n_range = in->n_block;
  look_for_constants(in, &kernel->body);
  bool fine = take_cases(in, launch, n_launch, err);
  if (fine)
    make_bases(in);
  for (int axis = 0; fine && axis < 3; axis++)
    fine = add_unknown(in, NULL, axis, err);
  for (uint32_t i = 0; fine && i < kernel->body.n_argument; i++) {
    const as_ttir_value *of = &kernel->value[kernel->body.argument[i]];
    const as_ttir_argument *given = argument_of(in->launch[0], of->name);
    if (of->type.kind == AS_TTIR_INT && of->uses > 0 && given)
      fine = add_unknown(in, given, 0, err);
  }
  if (!fine) {
    as_ttir_general_free(in);
    return NULL;
  }
  make_readings(in);
  make_scopes(in);
  return in;
}

void as_ttir_general_free(as_ttir_general *general) {
  if (!general)
    return;
  for (uint32_t c = 0; c < general->n_case; c++)
    free(general->env[c]);
  for (uint32_t u = 0; u < general->n_unknown; u++) {
    for (uint32_t k = 0; k < general->unknown[u].n_choice; k++)
      free(general->unknown[u].choice[k]);
  }
  free(general);
}

static const char *copy_of(as_ttir_launch *launch, const char *text) {
  return as_arena_strdup(launch->mem, text);
}

static void set_sizes(const as_ttir_general *in, uint32_t number, as_ttir_launch *to) {
  as_sizes *S = in->known->sizes;
  as_err unsaid; /* fewer relations than there are places for them */
  as_err_init(&unsaid);
  to->n_size = 0;
  for (uint32_t i = 0; i < in->known->n_size; i++) {
    as_size size = in->known->size[i];
    to->size[to->n_size++] = (as_ttir_size){.name = copy_of(to, as_size_name(S, size)),
                                            .value = in->env[0][size],
                                            .least = as_size_least(S, size)};
  }
  for (uint32_t i = 0; i < in->known->n_size; i++) {
    as_size size = in->known->size[i];
    scope_kind kind = kind_of(in, number, i);
    const char *name = as_size_name(S, size);
    char *text = kind == FIXED     ? as_format("%s = %lld", name, (long long)in->env[0][size])
                 : kind == BOUNDED ? as_format("%s <= %lld", name, (long long)bound_of(in, size))
                 : kind == AT_MOST ? as_format("%s <= %lld", name, (long long)most_of(in, size))
                 : kind == MULTIPLE
                     ? as_format("%s mod %lld = 0", name, (long long)divisor_of(in, size))
                     : NULL;
    if (text)
      as_ttir_launch_where(to, text, &unsaid);
    free(text);
  }
  as_err_clear(&unsaid);
}

static void set_tensor(const as_ttir_general *in, const as_ttir_tensor *tensor, bool example,
                       as_ttir_launch *launch, as_ttir_argument *to) {
  to->rank = tensor->rank < AS_TTIR_MAX_RANK ? tensor->rank : AS_TTIR_MAX_RANK;
  for (uint32_t d = 0; d < to->rank; d++) {
    int64_t value = as_size_eval(in->known->sizes, tensor->dim[d], in->env[0]);
    char *text = example ? as_format("%lld", (long long)value)
                         : as_size_print(in->known->sizes, tensor->dim[d]);
    to->dim[d] = copy_of(launch, text);
    free(text);
  }
}

static void say(as_str *text, const char *name, const char *value) {
  as_str_printf(text, "%s%s = %s", text->n ? ", " : "", name, value);
}

as_ttir_launch *as_ttir_general_launch(const as_ttir_general *general, uint32_t number,
                                       uint32_t scope_number, char **says) {
  const as_ttir_launch *from = general->launch[0];
  as_ttir_launch *to = as_ttir_launch_new();
  bool example = scope_number + 1 == general->n_scope;
  as_str text;
  as_str_init(&text);
  to->writes_all = from->writes_all;
  to->literals = from->literals;
  for (uint32_t i = 0; i < from->n_argument; i++) {
    as_ttir_argument *made = &to->argument[to->n_argument++];
    *made = from->argument[i];
    made->dim = as_arena_alloc(to->mem, AS_TTIR_MAX_RANK * sizeof *made->dim);
    memcpy(made->dim, from->argument[i].dim, AS_TTIR_MAX_RANK * sizeof *made->dim);
    const as_ttir_tensor *tensor = made->rank ? tensor_of(general->known, made->name) : NULL;
    if (tensor)
      set_tensor(general, tensor, example, to, made);
  }
  if (!example)
    set_sizes(general, scope_number, to);
  static const char *const axis_name[] = {"grid x", "grid y", "grid z"};
  for (uint32_t u = 0; u < general->n_unknown; u++) {
    const unknown *of = &general->unknown[u];
    char *value = as_format("%lld", (long long)of->value[0]);
    const char *chosen =
        copy_of(to, example ? value : of->choice[general->reading[number].choice[u]]);
    free(value);
    if (!of->argument)
      to->grid[of->axis] = chosen;
    for (uint32_t i = 0; of->argument && i < to->n_argument; i++) {
      if (strcmp(to->argument[i].name, of->argument->name) == 0)
        to->argument[i].value = chosen;
    }
    if (of->argument || general->axis[of->axis])
      say(&text, of->argument ? of->argument->name : axis_name[of->axis], chosen);
  }
  *says = as_str_take(&text);
  return to;
}

/* Sizes and inputs at which a candidate is tried: the smallest first, then those beside the numbers
 * that the texts speak of. */
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tile_compare.h"
#include "tile_sizes.h"
#include "verify/refute/draws.h"
#include "verify/refute/instance.h"
#include "verify/refute/refute.h"
#include <stdlib.h>

const as_tile_budget as_tile_budget_default = {.seed = 1,
                                               .max_size = 4,
                                               .sizes_per_bound = 8,
                                               .inputs_per_size = 1,
                                               .max_ops = 4000000,
                                               .beside_ops = 2000000,
                                               .total_ops = 60000000};

typedef struct {
  tile_sides sides;
  const as_tile_budget *budget;
  as_instance instance;
  as_rng rng;
  as_tile_verdict *verdict;
  uint64_t rounds; /* choices of inputs made, whatever came of them */
  uint64_t max_ops;
  uint64_t ops; /* that evaluations have taken */
  bool beside;  /* at sizes that are tried as far as the work for them goes */
  as_constants literals;
} search;

/* What kinds of numbers a round is about; in two of them tensors have a pattern, another one each
 * time.  Where evaluations are long there are as many rounds as kinds: negative rows and zeros come
 * first, which tell a maximum from one with what a mask left out, and a guarded quotient from one
 * that is not. */
enum { PATTERN = 1, POSITIVE = 2, OTHER_PATTERN = 3, LARGE = 4, ROUNDS = 5, LARGEST_SHIFT = 17 };

/* numbers of a few eighths, rarely 0; in every fifth round positive ones, and in every fifth some
 * that are up to 2^16: what programs compare with, and saturate at, may be far from 0.  Integers,
 * where the tensor holds such, are small positions, but in a pattern. */
static void fill(search *s, uint64_t round, bool integers, as_tensor *exact) {
  uint64_t kind = round % ROUNDS;
  if (kind == PATTERN || kind == OTHER_PATTERN) {
    as_draw draw = {.literals = &s->literals, .integers = integers, .range = -1};
    uint64_t pattern = 2 * (round / ROUNDS) + (kind == OTHER_PATTERN);
    if (round >= ROUNDS && as_rng_below(&s->rng, 4) == 0)
      pattern += as_rng_below(&s->rng, AS_DRAW_PATTERNS);
    as_draw_pattern(&draw, &s->rng, pattern, exact);
    return;
  }
  for (size_t k = 0; k < exact->n; k++) {
    mpq_t *number = as_tensor_at(exact, k);
    if (integers)
      mpq_set_si(*number, (long)as_rng_below(&s->rng, 3), 1);
    else if (kind == POSITIVE)
      mpq_set_si(*number, (long)as_rng_below(&s->rng, 8) + 1, 8);
    else
      mpq_set_si(*number, (long)as_rng_below(&s->rng, 17) - 8, 8);
    if (!integers && kind == LARGE)
      mpq_mul_2exp(*number, *number, as_rng_below(&s->rng, LARGEST_SHIFT));
    mpq_canonicalize(*number);
  }
}

/* the given side's arguments; false: too large, or an extent without a value */
static bool make_inputs(search *s, uint64_t round, as_tensor *exact, uint32_t *made) {
  size_t used = 0;
  for (*made = 0; *made < s->sides.n_arguments; ++*made) {
    as_side_tensor tensor = as_side_argument(s->sides.given, *made);
    int64_t dim[AS_MAX_RANK];
    bool fits = true;
    for (uint32_t d = 0; d < tensor.rank; d++) {
      dim[d] = as_size_eval(s->instance.S, tensor.dim[d], s->instance.env);
      fits = fits && dim[d] >= 0;
    }
    if (!fits || !as_tensor_fits(&as_domain_exact, dim, tensor.rank, &used))
      return false;
    as_tensor_init(&exact[*made], &as_domain_exact, dim, tensor.rank);
    fill(s, round, tensor.integers, &exact[*made]);
  }
  return true;
}

static char *sizes_and_inputs(const search *s, const as_tensor *exact) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < s->instance.n; i++) {
    as_size size = s->instance.sym[i];
    as_str_printf(&text, "%s%s = %lld", i ? ", " : "sizes ", as_size_name(s->instance.S, size),
                  (long long)s->instance.env[size]);
  }
  as_str_add(&text, s->instance.n ? "\n" : "");
  for (uint32_t i = 0; i < s->sides.n_arguments; i++) {
    as_str_printf(&text, "%s = ", as_side_argument(s->sides.given, i).name);
    as_cex_tensor(&text, &exact[i]);
    as_str_add(&text, "\n");
  }
  return as_str_take(&text);
}

static void take(search *s, const tile_outcome *outcome, const as_tensor *exact) {
  as_tile_verdict *verdict = s->verdict;
  verdict->instances += outcome->compared;
  verdict->elements += outcome->elements;
  verdict->conflicts += outcome->conflict;
  s->ops += outcome->exceeded ? s->max_ops : outcome->ops;
  bool expected = s->beside && outcome->exceeded;
  if (outcome->why && !expected && verdict->text == NULL)
    verdict->text = as_strdup(outcome->why);
  if (outcome->answer == AS_TILE_NO_DIFFERENCE)
    return;
  char *at = sizes_and_inputs(s, exact);
  verdict->answer = outcome->answer;
  verdict->lacking = outcome->lacking;
  verdict->words = as_format("%s%s", at, outcome->words);
  free(at);
}

/* Where no size can be chosen every evaluation is as long as the one that exceeded: it gets more
 * steps, once.  true: it had them before. */
static bool give_up(search *s) {
  enum { MORE = 64 };

  if (s->instance.n > 0)
    return false;
  s->max_ops *= MORE;
  return s->max_ops > MORE * s->budget->max_ops;
}

static size_t elements_of(const as_tensor *tensor, uint32_t n) {
  size_t all = 0;
  for (uint32_t i = 0; i < n; i++)
    all += tensor[i].n;
  return all;
}

/* Of evaluations that exceeded once, one comparison is enough; where only the inputs are large, one
 * with each kind of numbers. */
static bool compared_enough(const search *s, bool compared, bool is_long) {
  bool exceeded = s->max_ops > s->budget->max_ops;
  return is_long && compared && (exceeded || s->verdict->instances >= ROUNDS);
}

/* nothing more is begun */
static bool is_spent(const search *s) {
  const as_tile_budget *budget = s->budget;
  bool worked = budget->total_ops > 0 && s->ops > budget->total_ops && s->verdict->instances > 0;
  return worked || (budget->until > 0 && as_now() > budget->until);
}

static bool try_sizes(void *arg) {
  enum { MANY = 1 << 17 };

  search *s = arg;
  for (uint32_t round = 0; round < s->budget->inputs_per_size; round++) {
    if (is_spent(s))
      return true;
    as_tensor *exact = as_calloc(s->sides.n_arguments + 1, sizeof *exact);
    uint32_t made;
    tile_outcome outcome = {0};
    bool is_long = s->max_ops > s->budget->max_ops;
    if (make_inputs(s, s->rounds++, exact, &made)) {
      is_long = is_long || elements_of(exact, made) > MANY;
      tile_instance here = {&s->sides,
                            s->instance.env,
                            exact,
                            as_compare_affordable(s->max_ops, s->budget->until),
                            s->budget->seed,
                            is_long,
                            s->budget->values};
      tile_compare(&here, &outcome);
      take(s, &outcome, exact);
    }
    bool enough = outcome.exceeded ? give_up(s) : compared_enough(s, outcome.compared, is_long);
    tile_outcome_clear(&outcome);
    for (uint32_t i = 0; i < made; i++)
      as_tensor_clear(&exact[i]);
    free(exact);
    if (enough || s->verdict->answer != AS_TILE_NO_DIFFERENCE)
      return true;
  }
  return false;
}

/* all bounds once; true: there is an answer, or no time left */
static bool look_at_small_sizes(search *s) {
  const as_tile_budget *budget = s->budget;
  for (int64_t top = 0; top <= budget->max_size; top++) {
    if (as_instance_each(&s->instance, &s->rng, top, budget->sizes_per_bound, try_sizes, s))
      return true;
  }
  return false;
}

/* elements of the given side's arguments at these sizes; stops at `most` and one */
static uint64_t elements_here(const search *s, uint64_t most) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < s->sides.n_arguments; i++) {
    as_side_tensor tensor = as_side_argument(s->sides.given, i);
    uint64_t n = 1;
    for (uint32_t d = 0; d < tensor.rank && n <= most; d++) {
      int64_t extent = as_size_eval(s->instance.S, tensor.dim[d], s->instance.env);
      n *= extent > 0 ? ((uint64_t)extent > most ? most + 1 : (uint64_t)extent) : 0;
    }
    all += n;
    if (all > most)
      return most + 1;
  }
  return all;
}

/* Free size number i is `value`, the others are small; or all are, where there is no such number.
 * true: the relations hold, at no more elements than a comparison should take. */
static bool set_beside(search *s, uint32_t i, int64_t value) {
  enum { TRIES = 8, MOST_ELEMENTS = 1 << 14 };

  as_instance *instance = &s->instance;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    for (uint32_t k = 0; k < instance->n_chosen; k++) {
      int64_t least = as_size_least(instance->S, instance->chosen[k]);
      bool set = k == i || i == instance->n_chosen;
      int64_t small = least + (int64_t)as_rng_below(&s->rng, (uint64_t)s->budget->max_size);
      instance->env[instance->chosen[k]] = set ? value : small;
    }
    if (as_instance_settle(instance) && elements_here(s, MOST_ELEMENTS) <= MOST_ELEMENTS)
      return true;
  }
  return false;
}

/* What differs from some size on is wrong beside a number of the texts, or of a power of 2: each
 * size in turn takes such values, the small ones first, and then all of them together. */
static void look_beside(search *s) {
  enum { PARTS = 4 };

  int64_t value[TILE_MOST_SIZES];
  uint32_t n = tile_sizes_beside(s->sides.given, s->sides.candidate, s->budget->max_size, value);
  uint64_t until = s->ops + s->budget->beside_ops;
  s->beside = true;
  s->max_ops = s->budget->beside_ops / PARTS;
  for (uint32_t k = 0; k < n && s->instance.n_chosen > 0; k++) {
    bool alone = s->instance.n_chosen == 1;
    for (uint32_t i = 0; i < s->instance.n_chosen + !alone; i++) {
      if (s->ops >= until)
        return;
      if (set_beside(s, i, value[k]) && try_sizes(s))
        return;
    }
  }
}

static void look(search *s) {
  const as_tile_budget *budget = s->budget;
  /* where there are few sizes to choose, again with other inputs, so that each kind has its round
   */
  uint64_t rounds_before;
  do {
    rounds_before = s->rounds;
    if (look_at_small_sizes(s))
      return;
  } while (s->rounds < AS_DRAW_PATTERNS * ROUNDS && s->rounds > rounds_before);
  /* large fixed numbers have no small instance */
  for (int64_t top = 4 * budget->max_size; s->verdict->instances == 0 && top <= 1024; top *= 4) {
    if (as_instance_random(&s->instance, &s->rng, top, 5000) && try_sizes(s))
      return;
  }
  look_beside(s);
}

static void conclude(as_tile_verdict *verdict) {
  if (verdict->answer != AS_TILE_NO_DIFFERENCE)
    return;
  if (verdict->instances == 0) {
    verdict->unknown =
        verdict->text ? verdict->text : "no sizes were found that satisfy all relations";
    verdict->words = as_format("nothing could be compared: %s", verdict->unknown);
    return;
  }
  verdict->words =
      as_format("no difference at %llu choices of sizes and inputs, in %llu elements%s%s",
                (unsigned long long)verdict->instances, (unsigned long long)verdict->elements,
                verdict->text ? "; elsewhere nothing was compared: " : "",
                verdict->text ? verdict->text : "");
}

as_status as_tile_judge(const as_tile_side *given, const as_tile_side *candidate,
                        const as_tile_budget *budget, as_tile_verdict *verdict, as_err *err) {
  search s = {.budget = budget ? budget : &as_tile_budget_default, .verdict = verdict};
  *verdict = (as_tile_verdict){0};
  as_rng_seed(&s.rng, s.budget->seed);
  tile_constants_add(&s.literals, given, candidate);
  s.max_ops = s.budget->max_ops;
  bool ok = tile_sides_init(&s.sides, given, candidate, err) &&
            as_instance_init(&s.instance, as_side_sizes(given), as_side_sizes(candidate), err);
  if (ok) {
    look(&s);
    conclude(verdict);
  }
  as_instance_clear(&s.instance);
  as_constants_clear(&s.literals);
  tile_sides_clear(&s.sides);
  return ok ? AS_OK : AS_BAD_INPUT;
}

void as_tile_verdict_clear(as_tile_verdict *verdict) {
  free(verdict->words);
  free(verdict->text);
}

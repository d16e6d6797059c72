#include "tile_compare.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which tensors belong together */
static uint32_t find(const as_tile_side *side, const char *name, bool result) {
  uint32_t n = result ? as_side_n_results(side) : as_side_n_arguments(side);
  for (uint32_t i = 0; i < n; i++) {
    as_side_tensor tensor = result ? as_side_result(side, i) : as_side_argument(side, i);
    if (strcmp(tensor.name, name) == 0)
      return i;
  }
  return AS_NONE;
}

static bool same_shape(const as_side_tensor *a, const as_side_tensor *b) {
  return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

static bool pair_arguments(tile_sides *sides, as_err *err) {
  uint32_t n = as_side_n_arguments(sides->candidate);
  sides->argument = as_calloc(n + 1, sizeof *sides->argument);
  sides->n_arguments = as_side_n_arguments(sides->given);
  for (uint32_t i = 0; i < n; i++) {
    as_side_tensor own = as_side_argument(sides->candidate, i);
    uint32_t there = find(sides->given, own.name, false);
    if (there == AS_NONE)
      return as_err_set(err, AS_BAD_INPUT, "the given program has no argument `%s`", own.name);
    as_side_tensor given = as_side_argument(sides->given, there);
    if (!same_shape(&own, &given) || own.integers != given.integers)
      return as_err_set(err, AS_BAD_INPUT, "the argument `%s` is another one in the given program",
                        own.name);
    sides->argument[i] = there;
  }
  return true;
}

/* a result of either side; the other side has it too, or leaves an argument of that name alone */
static bool add_pair(tile_sides *sides, const char *name, as_err *err) {
  tile_pair pair = {name, find(sides->given, name, true), find(sides->candidate, name, true),
                    find(sides->given, name, false)};
  if (pair.in_given == AS_NONE && pair.argument == AS_NONE)
    return as_err_set(err, AS_BAD_INPUT, "the given program has no result `%s`", name);
  bool keeps = find(sides->candidate, name, false) != AS_NONE || pair.argument != AS_NONE;
  if (pair.in_candidate == AS_NONE && !keeps)
    return as_err_set(err, AS_BAD_INPUT, "the candidate has no result `%s`", name);
  sides->pair[sides->n_pairs++] = pair;
  return true;
}

bool tile_sides_init(tile_sides *sides, const as_tile_side *given, const as_tile_side *candidate,
                     as_err *err) {
  *sides = (tile_sides){.given = given, .candidate = candidate};
  uint32_t own = as_side_n_results(candidate);
  uint32_t there = as_side_n_results(given);
  sides->pair = as_calloc(own + there + 1, sizeof *sides->pair);
  bool ok = pair_arguments(sides, err);
  for (uint32_t i = 0; ok && i < there; i++)
    ok = add_pair(sides, as_side_result(given, i).name, err);
  for (uint32_t i = 0; ok && i < own; i++) {
    const char *name = as_side_result(candidate, i).name;
    ok = find(given, name, true) != AS_NONE || add_pair(sides, name, err);
  }
  return ok;
}

void tile_sides_clear(tile_sides *sides) {
  free(sides->argument);
  free(sides->pair);
}

/* ---- runs */
typedef struct {
  const tile_instance *instance;
  const as_domain *domain;
  as_tensor *argument; /* the given side's, over the domain */
  as_side_run given;
} trial;

static void trial_init(trial *t, const tile_instance *instance, const as_domain *domain) {
  const tile_sides *sides = instance->sides;
  *t = (trial){.instance = instance, .domain = domain};
  t->argument = as_calloc(sides->n_arguments + 1, sizeof *t->argument);
  for (uint32_t i = 0; i < sides->n_arguments; i++) {
    const as_tensor *exact = &instance->exact[i];
    as_tensor_init(&t->argument[i], domain, exact->dim, exact->rank);
    for (size_t k = 0; k < exact->n; k++)
      domain->from_q(domain, as_tensor_at(&t->argument[i], k), *(mpq_t *)as_tensor_at(exact, k));
  }
  as_tile_setting setting = {domain,         instance->env,     t->argument, AS_TILE_ASCENDING,
                             instance->seed, instance->max_ops, true};
  as_side_evaluate(sides->given, &setting, &t->given);
}

static void trial_clear(trial *t) {
  as_side_run_clear(&t->given);
  for (uint32_t i = 0; i < t->instance->sides->n_arguments; i++)
    as_tensor_clear(&t->argument[i]);
  free(t->argument);
}

/* the candidate; its arguments are the given ones, in its own order */
static void run_candidate(const trial *t, as_tile_order order, uint64_t seed, as_side_run *run) {
  const tile_sides *sides = t->instance->sides;
  uint32_t n = as_side_n_arguments(sides->candidate);
  as_tensor *own = as_calloc(n + 1, sizeof *own);
  for (uint32_t i = 0; i < n; i++)
    own[i] = t->argument[sides->argument[i]];
  as_tile_setting setting = {t->domain,
                             t->instance->env,
                             own,
                             order,
                             seed,
                             t->instance->max_ops,
                             order == AS_TILE_ASCENDING};
  as_side_evaluate(sides->candidate, &setting, run);
  free(own);
}

static const as_tensor *last_value(const trial *t, const as_side_run *run, uint32_t number,
                                   uint32_t argument) {
  return number != AS_NONE ? &run->result[number] : &t->argument[argument];
}

/* ---- elements */
typedef enum { ELEMENTS_SAME, ELEMENTS_DIFFER, ELEMENTS_OPEN } comparison;

/* of the first one that lacks a value, in words; NULL: it has one */
static const char *lacks(const as_domain *domain, const void *element) {
  unsigned flags = domain->flags(domain, element);
  if (flags & AS_F_UNDEF)
    return "undefined";
  return flags & AS_F_POISON && domain != &as_domain_exact ? "no value" : NULL;
}

static comparison compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y) ? ELEMENTS_OPEN : ELEMENTS_DIFFER;
  double scale = 1 + fabs(x) + fabs(y);
  return fabs(x - y) <= 1e-9 * scale ? ELEMENTS_SAME : ELEMENTS_DIFFER;
}

/* a: known to be defined and to have a value */
static comparison compare_elements(const as_domain *domain, const void *a, const void *b) {
  if (domain == &as_domain_double)
    return compare_doubles(a, b);
  if (lacks(domain, b))
    return ELEMENTS_DIFFER;
  unsigned flags = domain->flags(domain, a) | domain->flags(domain, b);
  if (flags & AS_F_NOVALUE)
    return ELEMENTS_OPEN;
  if (domain == &as_domain_exact)
    return domain->cmp(domain, a, b) == AS_C_EQ ? ELEMENTS_SAME : ELEMENTS_DIFFER;
  return domain->cmp(domain, a, b) & AS_C_EQ ? ELEMENTS_OPEN : ELEMENTS_DIFFER;
}

typedef struct {
  uint32_t pair;
  size_t at;
  const as_tensor *left;
  const as_tensor *right;
} difference;

/* Results of two runs against each other; right is a run of the candidate, left of the given side
 * or of the candidate too. */
static comparison compare_runs(const trial *t, const as_side_run *left, bool left_is_given,
                               const as_side_run *right, difference *found, uint64_t *elements) {
  const tile_sides *sides = t->instance->sides;
  comparison all = ELEMENTS_SAME;
  for (uint32_t i = 0; i < sides->n_pairs; i++) {
    const tile_pair *pair = &sides->pair[i];
    uint32_t number = left_is_given ? pair->in_given : pair->in_candidate;
    const as_tensor *a = last_value(t, left, number, pair->argument);
    const as_tensor *b = last_value(t, right, pair->in_candidate, pair->argument);
    *found = (difference){i, 0, a, b};
    if (a->rank != b->rank || memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) != 0) {
      found->at = SIZE_MAX;
      return ELEMENTS_DIFFER;
    }
    for (size_t k = 0; k < a->n; k++) {
      comparison one = t->instance->values && lacks(t->domain, as_tensor_at(b, k))
                           ? ELEMENTS_OPEN
                           : compare_elements(t->domain, as_tensor_at(a, k), as_tensor_at(b, k));
      found->at = k;
      if (one == ELEMENTS_DIFFER)
        return one;
      if (one == ELEMENTS_OPEN)
        all = one;
      else
        ++*elements;
    }
  }
  return all;
}

/* ---- words */
static char *element_text(const as_domain *domain, const void *element) {
  const char *why = lacks(domain, element);
  return why ? as_strdup(why) : domain->print(domain, element);
}

static char *difference_text(const trial *t, const difference *found, const char *left,
                             const char *right) {
  const char *name = t->instance->sides->pair[found->pair].name;
  const char *method = t->domain == &as_domain_exact ? "exact rationals" : "intervals";
  if (found->at == SIZE_MAX)
    return as_format("%s has other extents", name);
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s[", name);
  size_t stride = found->left->n;
  size_t rest = found->at;
  for (uint32_t d = 0; d < found->left->rank; d++) {
    stride /= (size_t)found->left->dim[d];
    as_str_printf(&text, "%s%zu", d ? ", " : "", rest / stride);
    rest %= stride;
  }
  char *a = element_text(t->domain, as_tensor_at(found->left, found->at));
  char *b = element_text(t->domain, as_tensor_at(found->right, found->at));
  as_str_printf(&text, "]: %s %s, %s %s (%s)", left, a, right, b, method);
  free(a);
  free(b);
  return as_str_take(&text);
}

/* ---- proof of a difference, over rationals or intervals */
static bool surely_defined(const trial *t) {
  const tile_sides *sides = t->instance->sides;
  if (t->given.status != AS_OK || t->given.notes.flags & (AS_F_UNDEF | AS_F_DOUBT))
    return false;
  for (uint32_t i = 0; i < sides->n_pairs; i++) {
    const tile_pair *pair = &sides->pair[i];
    const as_tensor *value = last_value(t, &t->given, pair->in_given, pair->argument);
    for (size_t k = 0; k < value->n; k++) {
      unsigned flags = t->domain->flags(t->domain, as_tensor_at(value, k));
      if (flags && (t->domain != &as_domain_exact || flags & ~(unsigned)AS_F_POISON))
        return false;
    }
  }
  return true;
}

/* rationals know nothing of most exponentials: what they cannot say, intervals are asked */
static bool undefined_run(const as_side_run *run, char **words) {
  if (run->status == AS_NO) {
    *words = as_format("the candidate is undefined: %s", run->err.text);
    return true;
  }
  if (run->status != AS_OK || !(run->notes.flags & AS_F_UNDEF))
    return false;
  *words = as_format("the candidate is undefined: line %d computes what has no value",
                     run->notes.undefined_line);
  return true;
}

typedef struct {
  bool exceeded; /* a side was not evaluated for want of steps or memory */
  bool lacking;  /* what differs is that the candidate has no value there */
} value_notes;

static bool prove_different(const tile_instance *instance, const as_domain *domain,
                            value_notes *notes, char **words) {
  trial t;
  as_side_run run = {0};
  difference found;
  uint64_t elements = 0;
  trial_init(&t, instance, domain);
  bool proved = false;
  notes->exceeded |= t.given.status == AS_UNKNOWN;
  if (surely_defined(&t)) {
    run_candidate(&t, AS_TILE_ASCENDING, instance->seed, &run);
    notes->exceeded |= run.status == AS_UNKNOWN;
    proved = !(instance->values && run.status == AS_OK) && undefined_run(&run, words);
    notes->lacking = proved && run.status == AS_OK;
    if (!proved && run.status == AS_OK &&
        compare_runs(&t, &t.given, true, &run, &found, &elements) == ELEMENTS_DIFFER) {
      *words = difference_text(&t, &found, "given", "candidate");
      notes->lacking = found.at != SIZE_MAX && lacks(t.domain, as_tensor_at(found.right, found.at));
      proved = true;
    }
    as_side_run_clear(&run);
  }
  trial_clear(&t);
  return proved;
}

static bool prove_order(const tile_instance *instance, const as_domain *domain, as_tile_order order,
                        uint64_t seed, char **words) {
  trial t;
  as_side_run first;
  as_side_run second;
  difference found;
  uint64_t elements = 0;
  trial_init(&t, instance, domain);
  bool proved = false;
  if (surely_defined(&t)) {
    run_candidate(&t, AS_TILE_ASCENDING, seed, &first);
    run_candidate(&t, order, seed, &second);
    if (first.status == AS_OK && second.status == AS_NO) {
      proved = true;
      *words = as_format("undefined with %s: %s", as_tile_order_text(order), second.err.text);
    } else if (first.status == AS_OK && second.status == AS_OK &&
               compare_runs(&t, &first, false, &second, &found, &elements) == ELEMENTS_DIFFER) {
      char *text = difference_text(&t, &found, "ascending", "other order");
      const as_tile_program *program = instance->sides->candidate->tile;
      *words = as_format("%s\nThe other order: %s. Iterations of the loop of line %d meet at `%s` "
                         "in line %d.",
                         text, as_tile_order_text(order), first.notes.loop,
                         program->tensor[first.notes.tensor].name, first.notes.line);
      free(text);
      proved = true;
    }
    as_side_run_clear(&first);
    as_side_run_clear(&second);
  }
  trial_clear(&t);
  return proved;
}

typedef bool (*prover)(const tile_instance *instance, const as_domain *domain, void *arg,
                       char **words);

typedef struct {
  as_tile_order order;
  uint64_t seed;
} order_choice;

static bool by_values(const tile_instance *instance, const as_domain *domain, void *arg,
                      char **words) {
  return prove_different(instance, domain, arg, words);
}

static bool by_order(const tile_instance *instance, const as_domain *domain, void *arg,
                     char **words) {
  const order_choice *choice = arg;
  return prove_order(instance, domain, choice->order, choice->seed, words);
}

/* Over rationals, which say most; over intervals of doubles, which take little room and time; over
 * narrow intervals.  Where an evaluation is long, doubles come first. */
static bool prove(const tile_instance *instance, prover how, void *arg, char **words) {
  as_interval_domain interval;
  as_interval_domain_init(&interval, 192);
  const as_domain *domain[] = {&as_domain_exact, &as_domain_bounds, &interval.d};
  if (instance->is_long) {
    domain[0] = &as_domain_bounds;
    domain[1] = &as_domain_exact;
  }
  for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
    if (how(instance, domain[i], arg, words))
      return true;
  }
  return false;
}

/* ---- one instance */
static bool try_orders(const trial *t, const as_side_run *ascending, tile_outcome *outcome) {
  static const as_tile_order orders[] = {AS_TILE_DESCENDING, AS_TILE_TOGETHER, AS_TILE_SHUFFLED,
                                         AS_TILE_MIXED,      AS_TILE_MIXED,    AS_TILE_MIXED};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    order_choice choice = {orders[i], t->instance->seed + i};
    as_side_run run;
    difference found;
    uint64_t elements = 0;
    run_candidate(t, choice.order, choice.seed, &run);
    bool differs = run.status == AS_NO ||
                   (run.status == AS_OK &&
                    compare_runs(t, ascending, false, &run, &found, &elements) == ELEMENTS_DIFFER);
    as_side_run_clear(&run);
    if (differs && prove(t->instance, by_order, &choice, &outcome->words)) {
      outcome->answer = AS_TILE_ORDER;
      return true;
    }
  }
  return false;
}

static void compare_candidate(const trial *t, const as_side_run *run, tile_outcome *outcome) {
  difference found;
  bool differs = run->status == AS_NO || (run->status == AS_OK && run->notes.flags & AS_F_UNDEF) ||
                 (run->status == AS_OK && compare_runs(t, &t->given, true, run, &found,
                                                       &outcome->elements) == ELEMENTS_DIFFER);
  value_notes notes = {false, false};
  if (differs && prove(t->instance, by_values, &notes, &outcome->words)) {
    outcome->lacking = notes.lacking;
    outcome->answer = AS_TILE_DIFFERS;
    outcome->compared = true;
    return;
  }
  if (differs && notes.exceeded) {
    outcome->why = as_strdup("over doubles there is a difference, which exact numbers do not "
                             "decide within the steps and the memory allowed");
    return;
  }
  if (run->status != AS_OK) {
    outcome->exceeded = run->status == AS_UNKNOWN;
    outcome->why = as_strdup(run->err.text ? run->err.text : "the candidate was not evaluated");
    return;
  }
  outcome->compared = true;
  outcome->conflict = run->notes.conflict;
  if (run->notes.conflict)
    try_orders(t, run, outcome);
}

/* over doubles, where not a number stands for what is undefined and for what has no value */
static bool has_values(const trial *t) {
  const tile_sides *sides = t->instance->sides;
  for (uint32_t i = 0; i < sides->n_pairs; i++) {
    const tile_pair *pair = &sides->pair[i];
    const as_tensor *value = last_value(t, &t->given, pair->in_given, pair->argument);
    for (size_t k = 0; k < value->n; k++) {
      if (!isfinite(*(const double *)as_tensor_at(value, k)))
        return false;
    }
  }
  return true;
}

void tile_compare(const tile_instance *instance, tile_outcome *outcome) {
  trial t;
  *outcome = (tile_outcome){.answer = AS_TILE_NO_DIFFERENCE};
  trial_init(&t, instance, &as_domain_double);
  outcome->ops = t.given.notes.ops;
  if (t.given.status != AS_OK) {
    outcome->exceeded = t.given.status == AS_UNKNOWN;
    outcome->why = as_strdup(t.given.err.text ? t.given.err.text : "it cannot be evaluated");
  } else if (t.given.notes.conflict) {
    outcome->why =
        as_format("the given program may depend on the order of its iterations: those of "
                  "the loop of line %d meet in line %d",
                  t.given.notes.loop, t.given.notes.line);
  } else if (!has_values(&t)) {
    outcome->why = as_strdup("the given program is undefined there");
  } else {
    as_side_run run;
    run_candidate(&t, AS_TILE_ASCENDING, instance->seed, &run);
    outcome->ops += run.notes.ops;
    compare_candidate(&t, &run, outcome);
    as_side_run_clear(&run);
  }
  trial_clear(&t);
}

void tile_outcome_clear(tile_outcome *outcome) {
  free(outcome->words);
  free(outcome->why);
}

/* Trial, smallest first; what is found is made smaller, and replayed from the text before anybody
 * hears of it. */
#include "rule_refute.h"
#include "../../src/base/stats.h"
#include "instance.h"
#include "rule_assume.h"
#include "rule_inputs.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

const as_rule_budget as_rule_quick = {.seed = 1,
                                      .top = 2,
                                      .shapes = 3,
                                      .sizes = 10,
                                      .inputs = 3,
                                      .max_ops = 200000,
                                      .total_ops = 1500000};
const as_rule_budget as_rule_thorough = {.seed = 2,
                                         .top = 5,
                                         .shapes = 8,
                                         .sizes = 60,
                                         .inputs = 8,
                                         .max_ops = 1000000,
                                         .total_ops = 6000000};

enum {
  MOST_ELEMENTS = 300000,
  MOST_SHAPES = 16,
  MOST_GOOD = 16,
  MOST_NEAR = 250,
  MOST_SHRINKS = 400,
  MOST_SHRUNK = 64,
  /* what it takes to look for sizes, and to draw inputs, in operations, about */
  OF_SIZES = 500,
  OF_INPUTS = 300,
  OF_ASSUMPTIONS = 3000
};

/* a rule with its groups of so many axes; the last instances at which it is defined and its results
 * have elements */
typedef struct {
  as_rule *with_ranks;
  as_instance instance;
  int64_t *good;
  uint32_t n_good;
} shape;

typedef struct {
  const as_rulefile *file;
  uint32_t index;
  bool reverse;
  const as_rule_budget *budget;
  as_rule_tally *tally;
  as_rng rng;
  uint64_t spent; /* operations */
  shape shape_at[MOST_SHAPES];
  uint32_t n;
  shape *now;
  as_cex cex;
  as_status status;
  as_err *err;
  uint32_t shrinks;
  as_eval_codes *codes; /* of the sizes at hand; NULL: nothing is kept */
  uint32_t rounds;      /* of inputs at the same sizes: more where there are few sizes to choose */
  as_constants constants;
} refuter;

void as_rule_cex_clear(as_rule_cex *cex) {
  as_cex_clear(&cex->cex);
  as_rule_free(cex->rule);
  memset(cex, 0, sizeof *cex);
}

static as_rule *read_rule(const as_rulefile *file, uint32_t i, bool reverse, const int *ranks,
                          as_err *err) {
  as_rule *rule = as_rule_read(file, i, ranks, err);
  if (rule && reverse) {
    as_graph *given = rule->lhs;
    rule->lhs = rule->rhs;
    rule->rhs = given;
  }
  return rule;
}

/* --- shapes: no axes, one axis each, one group of 0 or 2, all of 2, then at random up to 3 */
static bool add_shape(refuter *job, const int *ranks) {
  for (uint32_t i = 0; i < job->n; i++) {
    bool same = true;
    for (uint32_t k = 0; k < job->shape_at[i].with_ranks->n_group; k++)
      same = same && job->shape_at[i].with_ranks->rank[k] == ranks[k];
    if (same)
      return true;
  }
  as_err why;
  as_err_init(&why);
  shape *candidate = &job->shape_at[job->n];
  if ((candidate->with_ranks = read_rule(job->file, job->index, job->reverse, ranks, &why)) !=
          NULL &&
      as_instance_init(&candidate->instance, candidate->with_ranks->lhs, NULL, &why)) {
    for (as_node_id i = 0; i < candidate->with_ranks->lhs->n; i++) {
      for (uint32_t k = 0; k < candidate->with_ranks->lhs->node[i].rank; k++)
        as_instance_wish(&candidate->instance, AS_SIZE_ONE, AS_REL_LE,
                         candidate->with_ranks->lhs->node[i].dim[k]);
    }
    job->n++;
  } else if (job->n == 0) { /* it cannot be read, or not even with the least axes */
    as_err_set(job->err, why.status, "%s", why.text ? why.text : "ill-formed");
    job->status = why.status == AS_OK ? AS_INTERNAL : why.status;
  }
  bool readable =
      candidate->with_ranks != NULL || job->n > 0; /* with many axes, more than a tensor may have */
  if (candidate->with_ranks && candidate == &job->shape_at[job->n]) {
    as_instance_clear(&candidate->instance);
    as_rule_free(candidate->with_ranks);
    candidate->with_ranks = NULL;
  }
  as_err_clear(&why);
  return readable;
}

static void make_shapes(refuter *job, uint32_t groups) {
  int ranks[AS_MAX_GROUPS] = {0};
  uint32_t most = job->budget->shapes < MOST_SHAPES ? job->budget->shapes : MOST_SHAPES;
  if (!add_shape(job, ranks) || groups == 0)
    return;
  for (uint32_t i = 0; i < AS_MAX_GROUPS; i++)
    ranks[i] = 1;
  if (job->n < most)
    add_shape(job, ranks);
  for (int rank = 2; rank >= 0; rank -= 2) {
    for (uint32_t i = 0; i < groups; i++) {
      ranks[i] = rank;
      if (job->n < most)
        add_shape(job, ranks);
      ranks[i] = 1;
    }
  }
  for (uint32_t attempt = 0; attempt < 4 * most && job->n < most; attempt++) {
    for (uint32_t i = 0; i < groups; i++)
      ranks[i] = (int)as_rng_below(&job->rng, 4);
    add_shape(job, ranks);
  }
}

/* --- one instance */
/* nothing more is begun */
static bool late(const refuter *job) {
  const as_rule_budget *budget = job->budget;
  return (budget->total_ops > 0 && job->spent > budget->total_ops) ||
         (budget->until > 0 && as_now() > budget->until);
}

/* the right side is ill-formed at any sizes: an instance at which the left one is not shows the
 * rule wrong */
static as_status ill_formed(const as_rule *rule, const int64_t *env, as_eval_codes *codes,
                            const as_tensor *inputs, uint64_t max_ops, uint64_t *spent,
                            as_given *given, as_cex *cex) {
  as_status status =
      as_compare_again(rule->lhs, rule->lhs, env, codes, inputs, max_ops, spent, given, cex, NULL);
  as_cex_clear(cex);
  if (status == AS_NO || *given != AS_GIVEN_DEFINED)
    return AS_UNKNOWN;
  cex->kind = AS_CEX_ILLFORMED;
  cex->method = "exact rationals";
  cex->given = as_strdup("defined");
  cex->candidate = as_strdup(rule->ill_formed);
  as_compare_keep(rule->lhs, rule->rhs, env, inputs, cex);
  return AS_NO;
}

static void remember(shape *variant) {
  uint32_t n = variant->instance.n_chosen;
  if (!variant->good)
    variant->good = as_calloc(MOST_GOOD * (n + 1), sizeof *variant->good);
  for (uint32_t i = 0; i < n; i++)
    variant->good[(variant->n_good % MOST_GOOD) * n + i] =
        variant->instance.env[variant->instance.chosen[i]];
  variant->n_good++;
}

static double elements(const refuter *job, const as_graph *graph, bool all) {
  double total = 0;
  for (as_node_id i = 0; i < graph->n; i++) {
    double product = 1;
    for (uint32_t k = 0; k < graph->node[i].rank; k++)
      product *= (double)as_size_eval(graph->sizes, graph->node[i].dim[k], job->now->instance.env);
    if (all || graph->node[i].kind == AS_N_INPUT)
      total += product;
  }
  return total;
}

/* of the inputs; of everything that is computed */
static double elements_of(const refuter *job) {
  return elements(job, job->now->with_ranks->lhs, false);
}

static double elements_of_all(const refuter *job) {
  return elements(job, job->now->with_ranks->lhs, true) +
         elements(job, job->now->with_ranks->rhs, true);
}

/* an instance near one that was good: one or two symbols changed */
static bool near_good(refuter *job) {
  shape *variant = job->now;
  uint32_t n = variant->instance.n_chosen;
  uint32_t kept = variant->n_good < MOST_GOOD ? variant->n_good : MOST_GOOD;
  if (kept == 0 || n == 0)
    return false;
  for (int attempt = 0; attempt < 20; attempt++) {
    const int64_t *from = variant->good + as_rng_below(&job->rng, kept) * n;
    for (uint32_t i = 0; i < n; i++)
      variant->instance.env[variant->instance.chosen[i]] = from[i];
    for (uint64_t changes = as_rng_below(&job->rng, 2) + 1; changes > 0; changes--)
      variant->instance.env[variant->instance.chosen[as_rng_below(&job->rng, n)]] +=
          (int64_t)as_rng_below(&job->rng, 5) - 2;
    if (as_instance_settle(&variant->instance) && elements_of_all(job) <= MOST_NEAR)
      return true;
  }
  return false;
}

static void count(refuter *job, as_given given) {
  const as_rule *rule = job->now->with_ranks;
  as_rule_tally *tally = job->tally;
  tally->inputs++;
  tally->open += given == AS_GIVEN_OPEN;
  if (given != AS_GIVEN_DEFINED)
    return;
  tally->defined++;
  bool has_elements = false;
  for (uint32_t i = 0; i < rule->n_output && !has_elements; i++) {
    const as_node *node = &rule->lhs->node[rule->lhs->output[i]];
    has_elements = true;
    for (uint32_t k = 0; k < node->rank; k++)
      has_elements =
          has_elements && as_size_eval(rule->sizes, node->dim[k], job->now->instance.env) > 0;
  }
  tally->filled += has_elements;
  if (has_elements && elements_of_all(job) <= MOST_NEAR)
    remember(job->now);
}

/* true: nothing more is to be tried */
static bool compare(refuter *job, const as_tensor *inputs) {
  as_rule *rule = job->now->with_ranks;
  as_err why;
  as_err_init(&why);
  as_given given;
  uint64_t max_ops = as_compare_affordable(job->budget->max_ops, job->budget->until);
  if (rule->ill_formed) {
    as_status status = ill_formed(rule, job->now->instance.env, job->codes, inputs, max_ops,
                                  &job->spent, &given, &job->cex);
    if (job->shrinks == 0)
      count(job, given);
    if (status == AS_NO)
      job->status = AS_NO;
    as_err_clear(&why);
    return job->status != AS_UNKNOWN;
  }
  as_status status = as_compare_again(rule->lhs, rule->rhs, job->now->instance.env, job->codes,
                                      inputs, max_ops, &job->spent, &given, &job->cex, &why);
  if (job->shrinks == 0)
    count(job, given);
  if (status == AS_BAD_INPUT || status == AS_INTERNAL) {
    job->status = status;
    as_err_set(job->err, status, "%s", why.text ? why.text : "the evaluation failed");
  }
  if (status == AS_NO)
    job->status = AS_NO;
  as_err_clear(&why);
  return job->status != AS_UNKNOWN;
}

static void forget_codes(refuter *job) {
  as_eval_codes_free(job->codes);
  job->codes = NULL;
}

static bool try_rounds(refuter *job) {
  as_rule *rule = job->now->with_ranks;
  for (uint32_t round = 0; round < job->rounds; round++) {
    if (late(job))
      return true;
    job->spent += rule->n_assumption > 0 ? OF_ASSUMPTIONS : OF_INPUTS;
    as_tensor *inputs = as_inputs_new(rule->lhs, &as_domain_exact, job->now->instance.env, NULL);
    if (!inputs)
      return false;
    bool has_elements = false;
    bool stop = false;
    for (uint32_t i = 0; i < rule->lhs->n_input; i++)
      has_elements = has_elements || inputs[i].n > 0;
    if (as_rule_sample(rule, &job->constants, job->now->instance.env, job->codes, inputs, &job->rng,
                       round, job->budget->max_ops))
      stop = compare(job, inputs);
    as_inputs_free(rule->lhs, inputs);
    if (stop)
      return true;
    if (!has_elements)
      return false;
  }
  return false;
}

static bool try_sizes(void *arg) {
  refuter *job = arg;
  job->spent += OF_SIZES;
  if (job->shrinks == 0)
    job->tally->sizes++;
  if (elements_of(job) > MOST_ELEMENTS) {
    job->tally->open++;
    return false;
  } /* too large: there may be such an instance */
  job->codes = as_eval_codes_new();
  bool stop = try_rounds(job);
  forget_codes(job);
  return stop;
}

/* instances of one shape with sizes up to top; all of them where they are few */
static bool try_top(refuter *job, int64_t top) {
  as_instance *instance = &job->now->instance;
  if (as_instance_count(instance, top) <= 8.0 * job->budget->sizes)
    return as_instance_each(instance, &job->rng, top, UINT32_MAX, try_sizes, job) ||
           job->status != AS_UNKNOWN;
  for (uint32_t attempt = 0; attempt < job->budget->sizes;
       attempt++) { /* half of them without empty tensors */
    if (late(job))
      return true;
    bool by_steps = attempt % 4 == 3 && top > 0; /* and some where every result has elements */
    if ((attempt % 4 == 2 && near_good(job)) ||
        (by_steps && as_instance_walk(instance, &job->rng, top, 12))) {
      if (try_sizes(job))
        return true;
    } else if ((as_instance_between(instance, &job->rng, attempt & 1 && top > 0 ? 1 : 0, top, 60) ||
                as_instance_walk(instance, &job->rng, top, 12)) &&
               try_sizes(job)) {
      return true;
    }
  }
  return false;
}

/* --- making it smaller */
static bool still(refuter *job, const as_tensor *inputs) {
  as_cex old = job->cex;
  as_cex_init(&job->cex);
  job->status = AS_UNKNOWN;
  job->shrinks++;
  as_rule *rule = job->now->with_ranks;
  bool found =
      as_rule_holds(rule, job->now->instance.env, job->codes, inputs, job->budget->max_ops) &&
      compare(job, inputs) && job->status == AS_NO;
  if (found) {
    as_cex_clear(&old);
  } else {
    as_cex_clear(&job->cex);
    job->cex = old;
  }
  job->status = AS_NO;
  return found;
}

static void shrink_sizes(refuter *job) {
  as_instance *instance = &job->now->instance;
  int64_t *best = as_calloc(instance->n + 1, sizeof *best);
  for (uint32_t i = 0; i < instance->n_chosen; i++) {
    for (int64_t nth = 0; job->shrinks < MOST_SHRINKS / 2; nth++) {
      for (uint32_t sym = 0; sym < instance->n; sym++)
        best[sym] = instance->env[instance->sym[sym]];
      if (!as_instance_simpler(instance, i, nth))
        break;
      bool found = false;
      if (as_instance_settle(instance)) {
        job->codes = as_eval_codes_new();
        for (uint32_t round = 0; round < 3 * job->budget->inputs && !found; round++) {
          as_tensor *inputs =
              as_inputs_new(job->now->with_ranks->lhs, &as_domain_exact, instance->env, NULL);
          found = inputs &&
                  as_rule_sample(job->now->with_ranks, &job->constants, instance->env, job->codes,
                                 inputs, &job->rng, round, job->budget->max_ops) &&
                  still(job, inputs);
          as_inputs_free(job->now->with_ranks->lhs, inputs);
        }
        forget_codes(job);
      }
      if (found)
        break;
      for (uint32_t sym = 0; sym < instance->n; sym++)
        instance->env[instance->sym[sym]] = best[sym];
    }
  }
  free(best);
}

static void shrink_values(refuter *job) {
  static const long simple[] = {0, 1, -1, 2, -2, 4};
  as_rule *rule = job->now->with_ranks;
  as_tensor *inputs = as_inputs_new(rule->lhs, &as_domain_exact, job->now->instance.env, NULL);
  uint32_t looked_at = 0;
  for (uint32_t i = 0; inputs && i < rule->lhs->n_input; i++) {
    for (size_t k = 0; k < inputs[i].n; k++) {
      as_domain_exact.set(&as_domain_exact, as_tensor_at(&inputs[i], k),
                          as_tensor_at(&job->cex.input[i], k));
    }
  }
  job->codes = as_eval_codes_new();
  for (uint32_t i = 0; inputs && i < rule->lhs->n_input; i++) {
    for (size_t k = 0; k < inputs[i].n && looked_at < MOST_SHRUNK; k++, looked_at++) {
      mpq_t *number = as_tensor_at(&inputs[i], k);
      mpq_t old;
      mpq_init(old);
      mpq_set(old, *number);
      bool found = false;
      for (size_t choice = 0;
           choice < sizeof simple / sizeof *simple && !found && job->shrinks < MOST_SHRINKS;
           choice++) {
        if (mpq_cmp_si(old, simple[choice], 1) == 0)
          break;
        mpq_set_si(*number, simple[choice], 1);
        found = still(job, inputs);
      }
      if (!found)
        mpq_set(*number, old);
      mpq_clear(old);
    }
  }
  forget_codes(job);
  as_inputs_free(rule->lhs, inputs);
}

/* --- all of it */
/* So many rounds of inputs that an instance of few sizes gets as many inputs in all as one of many:
 * without a size to choose there is one instance, and all chances are its inputs. */
static void set_rounds(refuter *job) {
  enum { MOST_ROUNDS = 64 }; /* times the usual */

  double chances = (double)job->budget->sizes * (double)(job->budget->top + 1);
  double instances = as_instance_count(&job->now->instance, job->budget->top) + 1;
  double times = chances / instances;
  times = times < 1 ? 1 : times > MOST_ROUNDS ? MOST_ROUNDS : times;
  job->rounds = (uint32_t)(times * job->budget->inputs);
}

/* one or two sizes at or beside a constant of the text, the others small */
static bool near_constants(refuter *job) {
  enum { LARGEST = 1024, MOST_BESIDE = 4096 };

  as_instance *instance = &job->now->instance;
  if (instance->n_chosen == 0)
    return false;
  for (int attempt = 0; attempt < 20; attempt++) {
    if (!as_instance_between(instance, &job->rng, 0, job->budget->top, 4))
      for (uint32_t i = 0; i < instance->n_chosen; i++)
        instance->env[instance->chosen[i]] = 1 + (int64_t)as_rng_below(&job->rng, 3);
    for (uint64_t changes = as_rng_below(&job->rng, 2) + 1; changes > 0; changes--) {
      as_size sym = instance->chosen[as_rng_below(&job->rng, instance->n_chosen)];
      if (!as_constants_pick_size(&job->constants, &job->rng, LARGEST, &instance->env[sym]))
        return false;
    }
    if (as_instance_settle(instance) && elements_of_all(job) <= MOST_BESIDE)
      return true;
  }
  return false;
}

/* sizes that small ones do not reach: a rule that fails from 64 on */
static bool try_constants(refuter *job) {
  /* such instances are large: a quick search leaves them to the thorough one */
  uint32_t chances = job->budget->sizes < 20 ? 0 : job->budget->sizes / 4;
  for (uint32_t i = 0; i < job->n && !late(job); i++) {
    job->now = &job->shape_at[i];
    job->rounds = job->budget->inputs / 2 + 1;
    for (uint32_t k = 0; k < chances && !late(job); k++) {
      if (!near_constants(job))
        break;
      if (try_sizes(job))
        return true;
    }
  }
  return false;
}

/* Is there more to try: no answer yet, and time left? */
static bool goes_on(const refuter *job) {
  return job->status == AS_UNKNOWN && !late(job);
}

/* every instance of small sizes, the smallest first */
static bool try_small(refuter *job) {
  for (int64_t top = 0; top <= job->budget->top; top++) {
    for (uint32_t i = 0; i < job->n && goes_on(job); i++) {
      job->now = &job->shape_at[i];
      set_rounds(job);
      if (try_top(job, top))
        return true;
    }
  }
  return false;
}

/* sizes beside those at which the assumptions were met */
static bool try_near_good(refuter *job) {
  job->rounds = job->budget->inputs;
  for (uint32_t i = 0; i < job->n && job->status == AS_UNKNOWN; i++) {
    job->now = &job->shape_at[i];
    for (uint32_t k = 0; k < 3 * job->budget->sizes && job->now->n_good && !late(job); k++) {
      if (near_good(job) && try_sizes(job))
        return true;
    }
  }
  return false;
}

/* Do sizes up to `top` promise more than smaller ones did?  Relations and fixed numbers may force
 * larger sizes; assumptions that no inputs satisfy at small ones do not. */
static bool larger_promise(const refuter *job, int64_t top) {
  int64_t small = job->budget->top;
  bool sizes = job->tally->sizes > 0;
  bool inputs = job->tally->inputs > 0;
  if (job->tally->defined > 0 || job->status != AS_UNKNOWN)
    return false;
  if (sizes && top > (inputs ? 16 : 4) * small)
    return false;
  return !job->tally->open || top <= 1024 * small;
}

/* a few random instances of a shape, of sizes up to `top` */
static bool try_up_to(refuter *job, int64_t top) {
  as_instance *instance = &job->now->instance;
  for (uint32_t k = 0; k < job->budget->sizes / 8 + 1 && !late(job); k++) {
    if (!as_instance_between(instance, &job->rng, k & 1, top, 200) &&
        !as_instance_walk(instance, &job->rng, top, 40))
      continue;
    if (k & 1 || elements_of(job) > MOST_ELEMENTS)
      as_instance_reduce(instance, 256);
    if (try_sizes(job))
      return true;
  }
  return false;
}

static bool try_larger(refuter *job) {
  for (int64_t top = 4 * job->budget->top; top <= (int64_t)1 << 40 && larger_promise(job, top);
       top *= 4) {
    for (uint32_t i = 0; i < job->n && goes_on(job); i++) {
      job->now = &job->shape_at[i];
      if (try_up_to(job, top))
        return true;
    }
  }
  return false;
}

/* sets job->status where something is found */
static void search(refuter *job) {
  if (try_small(job) || try_near_good(job) || job->status != AS_UNKNOWN || try_constants(job))
    return;
  try_larger(job);
}

as_status as_rule_refute(const as_rulefile *file, uint32_t index, bool reverse,
                         const as_rule_budget *budget, as_rule_cex *cex, as_rule_tally *tally,
                         as_err *err) {
  as_stats_add(AS_STAT_TRIALS, 1);
  memset(cex, 0, sizeof *cex);
  refuter *job = as_calloc(1, sizeof *job);
  *job = (refuter){.file = file,
                   .index = index,
                   .reverse = reverse,
                   .budget = budget,
                   .tally = tally,
                   .status = AS_UNKNOWN,
                   .err = err};
  as_rng_seed(&job->rng, budget->seed);
  as_rule *plain = as_rule_read(file, index, NULL, err);
  if (plain == NULL) {
    job->status = AS_BAD_INPUT;
  } else if (plain->ill_formed &&
             reverse) { /* the given side is never well formed: there are no instances */
    as_rule_free(plain);
    as_constants_clear(&job->constants);
    free(job);
    return AS_UNKNOWN;
  } else {
    as_constants_add_graph(&job->constants, plain->lhs);
    as_constants_add_graph(&job->constants, plain->rhs);
    as_constants_add_graph(&job->constants, plain->assume);
    make_shapes(job, plain->n_group);
    as_rule_free(plain);
  }
  if (job->status == AS_UNKNOWN)
    search(job);
  if (job->status == AS_NO) {
    shrink_sizes(job);
    shrink_values(job);
    cex->rule = job->now->with_ranks;
    cex->reverse = reverse;
    cex->cex = job->cex;
    job->now->with_ranks = NULL;
    if (as_rule_replay(file, index, cex, err) != AS_NO) {
      as_err_set(err, AS_INTERNAL,
                 "a counterexample was found that does not stand when it is replayed");
      job->status = AS_INTERNAL;
    }
  }
  for (uint32_t k = 0; k < job->n; k++) {
    as_instance_clear(&job->shape_at[k].instance);
    as_rule_free(job->shape_at[k].with_ranks);
    free(job->shape_at[k].good);
  }
  as_status status = job->status;
  as_constants_clear(&job->constants);
  free(job);
  return status;
}

as_status as_rule_replay(const as_rulefile *file, uint32_t index, const as_rule_cex *cex,
                         as_err *err) {
  as_rule *rule = read_rule(file, index, cex->reverse, cex->rule->rank, err);
  if (rule == NULL)
    return AS_BAD_INPUT;
  int64_t *env = as_env_new(rule->sizes);
  as_status status = AS_OK;
  bool fits = cex->cex.n_inputs == rule->lhs->n_input;
  for (uint32_t k = 0; k < cex->cex.n_sizes && fits; k++) {
    as_size sym = as_size_find(rule->sizes, as_size_name(cex->rule->sizes, cex->cex.size[k]));
    fits = sym != AS_SIZE_BAD && (as_size_least(rule->sizes, sym) == AS_SIZE_NO_LEAST ||
                                  cex->cex.value[k] >= as_size_least(rule->sizes, sym));
    if (fits)
      env[sym] = cex->cex.value[k];
  }
  for (uint32_t k = 0; k < rule->decl->n_fact && fits; k++)
    fits = as_fact_holds(rule->sizes, &rule->decl->fact[k], env);
  if (fits && as_rule_holds(rule, env, NULL, cex->cex.input, 0)) {
    as_cex again;
    as_given given;
    status = rule->ill_formed
                 ? ill_formed(rule, env, NULL, cex->cex.input, 0, &(uint64_t){0}, &given, &again)
                 : as_compare_at(rule->lhs, rule->rhs, env, cex->cex.input, 0, NULL, &again, err);
    if (status == AS_NO && again.kind != cex->cex.kind)
      status = AS_UNKNOWN;
    as_cex_clear(&again);
  } else {
    as_err_set(err, AS_OK, "the instance does not satisfy what the rule states");
  }
  free(env);
  as_rule_free(rule);
  return status;
}

/* --- text */
static void sizes_text(as_str *text, const as_rule_cex *cex) {
  const as_rule *rule = cex->rule;
  const char *separator = "";
  for (uint32_t i = 0; i < cex->cex.n_sizes; i++) {
    const char *name = as_size_name(rule->sizes, cex->cex.size[i]);
    if (strchr(name, '.'))
      continue; /* an axis of a group */
    as_str_printf(text, "%s%s = %lld", separator, name, (long long)cex->cex.value[i]);
    separator = ", ";
  }
  for (uint32_t i = 0; i < rule->n_group; i++) {
    as_str_printf(text, "%s%s = [", separator, rule->group[i]);
    separator = ", ";
    for (int k = 0; k < rule->rank[i]; k++) {
      char *name = as_format("%s.%d", rule->group[i], k);
      for (uint32_t j = 0; j < cex->cex.n_sizes; j++) {
        if (strcmp(as_size_name(rule->sizes, cex->cex.size[j]), name) == 0)
          as_str_printf(text, "%s%lld", k ? ", " : "", (long long)cex->cex.value[j]);
      }
      free(name);
    }
    as_str_add(text, "]");
  }
}

char *as_rule_cex_print(const as_rule_cex *found, const char *indent) {
  static const char *const names[] = {"left side", "right side"};
  const char *given = names[found->reverse];
  const char *other = names[!found->reverse];
  const as_cex *cex = &found->cex;
  as_str text;
  as_str_init(&text);
  if (cex->n_sizes || found->rule->n_group) {
    as_str_add(&text, indent);
    sizes_text(&text, found);
    as_str_add(&text, "\n");
  }
  for (uint32_t i = 0; i < cex->n_inputs; i++) {
    as_str_printf(&text, "%s%s = ", indent,
                  found->rule->lhs->node[found->rule->lhs->input[i]].name);
    as_cex_tensor(&text, &cex->input[i]);
    as_str_add(&text, "\n");
  }
  const char *name = cex->output < found->rule->n_output ? found->rule->output[cex->output] : "?";
  as_str_printf(&text, "%s", indent);
  switch (cex->kind) {
  case AS_CEX_VALUE:
  case AS_CEX_UNDEFINED:
    if (cex->output == AS_NONE) {
      as_str_printf(&text, "%s defined, %s undefined: %s", given, other, cex->candidate);
      break;
    }
    as_str_add(&text, name);
    for (uint32_t i = 0; i < cex->rank; i++)
      as_str_printf(&text, "%s%lld", i ? ", " : "[", (long long)cex->index[i]);
    as_str_printf(&text, "%s: %s %s, %s %s", cex->rank ? "]" : "", given, cex->given, other,
                  cex->candidate);
    if (strcmp(cex->method, "intervals") == 0)
      as_str_add(&text, " (enclosures that do not meet)");
    break;
  case AS_CEX_SHAPE:
    as_str_printf(&text, "%s: %s of shape %s, %s of shape %s", name, given, cex->given, other,
                  cex->candidate);
    break;
  case AS_CEX_ILLFORMED:
    as_str_printf(&text, "%s well formed, %s not: %s", given, other, cex->candidate);
    break;
  }
  as_str_add(&text, "\n");
  return as_str_take(&text);
}

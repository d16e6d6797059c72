#include "refute.h"
#include "../../src/base/stats.h"
#include "draws.h"
#include "instance.h"
#include "src/base/file.h"

const as_refute_budget as_refute_default = {.seed = 1,
                                            .max_size = 4,
                                            .sizes_per_bound = 40,
                                            .inputs_per_size = 5,
                                            .max_ops = 2000000,
                                            .total_ops = 12000000};
const as_refute_budget as_refute_quick = {.seed = 1,
                                          .max_size = 3,
                                          .sizes_per_bound = 12,
                                          .inputs_per_size = 3,
                                          .max_ops = 200000,
                                          .total_ops = 1000000};

enum {
  PLAINER_TRIALS = 60,
  OF_ELEMENT = 8
}; /* what an input's element takes, in operations, about */

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  const as_refute_budget *budget;
  as_instance instance;
  as_rng rng;
  as_cex *cex;
  as_err *err;
  as_status status;
  uint64_t spent; /* operations */
  bool looked;
  as_constants constants;
  uint32_t rounds;  /* of inputs at the same sizes */
  uint64_t pattern; /* of the next tensor that has one */
  bool beside;      /* easy numbers have been tried at all sizes */
  as_cex faint;     /* the first counterexample, where its difference is too small to be seen */
  bool has_faint;
  uint32_t plainer_left; /* comparisons that may still look for a plainer one */
} job;

enum { KINDS = 6, PATTERN = 2 }; /* of rounds: in one of them tensors have a pattern */

static void draw_real(job *search, uint32_t round, mpq_t number) {
  static const long square[] = {1, 4, 9, 16, 25};
  /* numbers beside the constants of the programs, where easy ones have not helped */
  if ((search->beside || round >= KINDS) && round % 2 == 1 && as_rng_below(&search->rng, 3) == 0 &&
      as_constants_pick(&search->constants, &search->rng, false, number))
    return;
  switch (round % KINDS) {
  case 0:
    mpq_set_si(number, (long)as_rng_below(&search->rng, 7) - 3, 1);
    break;
  case 1:
    mpq_set_si(number, square[as_rng_below(&search->rng, 5)], 1);
    break;
  case 3:
    mpq_set_si(number, (long)as_rng_below(&search->rng, 19) + 1, 4);
    break;
  case 4:
    mpq_set_si(number, (long)as_rng_below(&search->rng, 41) - 20, 1);
    break;
  default:
    mpq_set_si(number, (long)as_rng_below(&search->rng, 61) - 30,
               1 + as_rng_below(&search->rng, 7));
    break;
  }
  mpq_canonicalize(number);
}

/* the easiest inputs to read come first: small integers, then shapes of data that reach other
 * branches */
static void fill(job *search, uint32_t round, as_tensor *inputs) {
  const as_graph *spec = search->spec;
  /* the first pattern everywhere, then each tensor has its own */
  bool same = search->pattern == 0;
  for (uint32_t i = 0; i < spec->n_input; i++) {
    as_draw draw = as_draw_of(spec, spec->input[i], search->instance.env, &search->constants);
    if (round % KINDS == PATTERN && !(same && draw.integers)) {
      uint64_t pattern = same ? AS_DRAW_ZEROS : search->pattern + as_rng_below(&search->rng, 2);
      as_draw_pattern(&draw, &search->rng, pattern, &inputs[i]);
      continue;
    }
    for (size_t k = 0; k < inputs[i].n; k++) {
      mpq_t *number = as_tensor_at(&inputs[i], k);
      if (draw.integers)
        as_draw_integer(&draw, &search->rng, round % 2 == 1, *number);
      else
        draw_real(search, round, *number);
    }
  }
  search->pattern += round % KINDS == PATTERN;
}

/* A difference that floating-point arithmetic loses is a counterexample, and convinces nobody who
 * runs it: it is kept while a few more comparisons look for one that can be seen. */
static void keep_faint(job *search) {
  if (search->has_faint) {
    as_cex_clear(search->cex);
    return;
  }
  search->faint = *search->cex;
  as_cex_init(search->cex);
  search->has_faint = true;
}

static void settle_faint(job *search) {
  if (!search->has_faint)
    return;
  if (search->status == AS_NO) {
    as_cex_clear(&search->faint);
    return;
  }
  as_cex_clear(search->cex);
  *search->cex = search->faint;
  search->status = AS_NO;
}

/* nothing more is begun */
static bool is_spent(const job *search) {
  const as_refute_budget *budget = search->budget;
  return (budget->total_ops > 0 && search->spent > budget->total_ops) ||
         (budget->until > 0 && as_now() > budget->until);
}

/* An evaluation that comes to no end is not begun: at extents that are large numbers the inputs
 * alone would take all the memory there is.  Of small ones that is not asked. */
static bool out_of_reach(job *search) {
  enum { FEW_ELEMENTS = 10000, TOO_MUCH = 4 }; /* the estimate is one */

  double elements = 0;
  for (uint32_t i = 0; i < search->spec->n_input; i++) {
    const as_node *node = &search->spec->node[search->spec->input[i]];
    double of_input = 1;
    for (uint32_t k = 0; k < node->rank; k++)
      of_input *= (double)as_size_eval(search->spec->sizes, node->dim[k], search->instance.env);
    elements += of_input;
  }
  if (elements <= FEW_ELEMENTS)
    return false;
  double work = as_graph_work(search->spec, &as_domain_exact, search->instance.env);
  bool beyond = work > TOO_MUCH * (double)search->budget->max_ops;
  if (beyond && !search->looked)
    as_err_set(search->err, AS_UNKNOWN, "an evaluation would take about %.0f operations", work);
  return beyond;
}

static bool try_sizes(void *arg) {
  job *search = arg;
  if (out_of_reach(search))
    return false;
  for (uint32_t round = 0; round < search->rounds; round++) {
    if (is_spent(search))
      return true;
    if (search->has_faint) {
      if (search->plainer_left == 0)
        return true;
      search->plainer_left--;
    }
    as_tensor *inputs = as_inputs_new(search->spec, &as_domain_exact, search->instance.env, NULL);
    if (!inputs)
      return false;
    fill(search, round, inputs);
    for (uint32_t i = 0; i < search->spec->n_input; i++)
      search->spent += OF_ELEMENT * inputs[i].n;
    as_err why;
    as_err_init(&why);
    as_status status =
        as_compare_again(search->spec, search->cand, search->instance.env, NULL, inputs,
                         as_compare_affordable(search->budget->max_ops, search->budget->until),
                         &search->spent, NULL, search->cex, &why);
    as_inputs_free(search->spec, inputs);
    if (status == AS_OK)
      search->looked = true;
    if (status == AS_NO && search->cex->faint) {
      keep_faint(search);
      as_err_clear(&why);
      continue;
    }
    if (status == AS_NO || status == AS_BAD_INPUT || status == AS_INTERNAL) {
      search->status = status;
      if (status != AS_NO)
        as_err_set(search->err, status, "%s", why.text ? why.text : "the evaluation failed");
    } else if (why.text && !search->looked) {
      as_err_set(search->err, AS_UNKNOWN, "%s", why.text);
    }
    as_err_clear(&why);
    if (search->status != AS_UNKNOWN)
      return true;
  }
  return false;
}

as_status as_refute(const as_graph *spec, const as_graph *cand, const as_refute_budget *budget,
                    as_cex *cex, as_err *err) {
  as_stats_add(AS_STAT_TRIALS, 1);
  if (!budget)
    budget = &as_refute_default;
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  job search = {.spec = spec,
                .cand = cand,
                .budget = budget,
                .cex = cex,
                .err = err,
                .status = AS_UNKNOWN,
                .plainer_left = PLAINER_TRIALS};
  as_cex_init(cex);
  as_rng_seed(&search.rng, budget->seed);
  as_constants_add_graph(&search.constants, spec);
  as_constants_add_graph(&search.constants, cand);
  if (!as_instance_init(&search.instance, spec, cand, err)) {
    as_instance_clear(&search.instance);
    as_constants_clear(&search.constants);
    return AS_BAD_INPUT;
  }
  /* without a size to choose there is one instance, and all chances are its inputs */
  double instances = as_instance_count(&search.instance, budget->max_size) + 1;
  double times = (double)budget->sizes_per_bound * (double)(budget->max_size + 1) / instances;
  times = times < 1 ? 1 : times > 16 ? 16 : times;
  search.rounds = (uint32_t)(times * budget->inputs_per_size);
  for (int64_t top = 0; top <= budget->max_size; top++) {
    if (as_instance_each(&search.instance, &search.rng, top, budget->sizes_per_bound, try_sizes,
                         &search))
      break;
  }
  search.beside = search.constants.count > 0;
  for (int64_t top = 0; top <= budget->max_size && search.beside && search.status == AS_UNKNOWN;
       top++) {
    if (as_instance_each(&search.instance, &search.rng, top, budget->sizes_per_bound / 4 + 1,
                         try_sizes, &search))
      break;
  }
  /* programs with large fixed numbers (a slice up to 64) have no small instance */
  for (int64_t top = 4 * budget->max_size;
       search.status == AS_UNKNOWN && !search.looked && top <= 64 * budget->max_size; top *= 4) {
    if (is_spent(&search))
      break;
    if (as_instance_random(&search.instance, &search.rng, top, 5000))
      try_sizes(&search);
  }
  settle_faint(&search);
  as_instance_clear(&search.instance);
  as_constants_clear(&search.constants);
  return search.status;
}

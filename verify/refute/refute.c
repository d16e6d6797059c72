#include "refute.h"
#include "../../src/base/stats.h"
#include "instance.h"

const as_refute_budget as_refute_default = {.seed = 1,
                                            .max_size = 4,
                                            .sizes_per_bound = 40,
                                            .inputs_per_size = 5,
                                            .max_ops = 2000000,
                                            .seconds = 10};

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  const as_refute_budget *b;
  as_instance I;
  as_rng rng;
  as_cex *cex;
  as_err *err;
  as_status status;
  double until;
  bool looked;
} job;

/* the easiest inputs to read come first: small integers, then shapes of data that reach other
 * branches */
static void fill(job *J, uint32_t t, as_tensor *in) {
  static const long square[] = {1, 4, 9, 16, 25};
  for (uint32_t i = 0; i < J->spec->n_input; i++) {
    for (size_t k = 0; k < in[i].n; k++) {
      mpq_t *q = as_tensor_at(&in[i], k);
      switch (t % 6) {
      case 0:
        mpq_set_si(*q, (long)as_rng_below(&J->rng, 7) - 3, 1);
        break;
      case 1:
        mpq_set_si(*q, square[as_rng_below(&J->rng, 5)], 1);
        break;
      case 2:
        mpq_set_si(*q, 0, 1);
        break;
      case 3:
        mpq_set_si(*q, (long)as_rng_below(&J->rng, 19) + 1, 4);
        break;
      case 4:
        mpq_set_si(*q, (long)as_rng_below(&J->rng, 41) - 20, 1);
        break;
      default:
        mpq_set_si(*q, (long)as_rng_below(&J->rng, 61) - 30, 1 + as_rng_below(&J->rng, 7));
        break;
      }
      mpq_canonicalize(*q);
    }
  }
}

static bool try_sizes(void *arg) {
  job *J = arg;
  for (uint32_t t = 0; t < J->b->inputs_per_size; t++) {
    if (J->until > 0 && as_now() > J->until)
      return true;
    as_tensor *in = as_inputs_new(J->spec, &as_domain_exact, J->I.env, NULL);
    if (!in)
      return false;
    fill(J, t, in);
    as_err e;
    as_err_init(&e);
    as_status s = as_compare_at(J->spec, J->cand, J->I.env, in, J->b->max_ops, NULL, J->cex, &e);
    as_inputs_free(J->spec, in);
    if (s == AS_OK)
      J->looked = true;
    if (s == AS_NO || s == AS_BAD_INPUT || s == AS_INTERNAL) {
      J->status = s;
      if (s != AS_NO)
        as_err_set(J->err, s, "%s", e.text ? e.text : "the evaluation failed");
    } else if (e.text && !J->looked) {
      as_err_set(J->err, AS_UNKNOWN, "%s", e.text);
    }
    as_err_clear(&e);
    if (J->status != AS_UNKNOWN)
      return true;
  }
  return false;
}

as_status as_refute(const as_graph *spec, const as_graph *cand, const as_refute_budget *b,
                    as_cex *cex, as_err *err) {
  as_stats_add(AS_STAT_TRIALS, 1);
  if (!b)
    b = &as_refute_default;
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  job J = {.spec = spec, .cand = cand, .b = b, .cex = cex, .err = err, .status = AS_UNKNOWN};
  as_cex_init(cex);
  as_rng_seed(&J.rng, b->seed);
  J.until = b->seconds > 0 ? as_now() + b->seconds : 0;
  if (!as_instance_init(&J.I, spec, cand, err)) {
    as_instance_clear(&J.I);
    return AS_BAD_INPUT;
  }
  for (int64_t top = 0; top <= b->max_size; top++) {
    if (as_instance_each(&J.I, &J.rng, top, b->sizes_per_bound, try_sizes, &J))
      break;
  }
  /* programs with large fixed numbers (a slice up to 64) have no small instance */
  for (int64_t top = 4 * b->max_size;
       J.status == AS_UNKNOWN && !J.looked && top <= 64 * b->max_size; top *= 4) {
    if (J.until > 0 && as_now() > J.until)
      break;
    if (as_instance_random(&J.I, &J.rng, top, 5000))
      try_sizes(&J);
  }
  as_instance_clear(&J.I);
  return J.status;
}

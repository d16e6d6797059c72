#include "field.h"
#include "../../semantics/domain_field.h"
#include "../../src/base/stats.h"
#include "../refute/instance.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

const as_field_options as_field_default = {
    .seed = 1, .runs = 3, .max_size = 3, .min_elements = 8, .max_ops = 20000000};

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  const as_field_options *options;
  as_field_report *report;
  as_err *err;
  as_field_domain field;
  as_instance instance;
  as_rng rng;
} tester;

static void outputs_free(const as_graph *graph, as_tensor *outputs) {
  for (uint32_t i = 0; i < graph->n_output; i++)
    as_tensor_clear(&outputs[i]);
  free(outputs);
}

/* compares element by element; true: something calls for a look at the reals */
static bool compare(tester *job, const as_tensor *want, const as_tensor *have, double *worst) {
  as_field_report *report = job->report;
  bool suspect = false;
  for (uint32_t i = 0; i < job->spec->n_output; i++) {
    if (want[i].rank != have[i].rank ||
        memcmp(want[i].dim, have[i].dim, want[i].rank * sizeof *want[i].dim))
      return true;
    for (size_t k = 0; k < want[i].n; k++) {
      const void *wanted = as_tensor_at(&want[i], k);
      const void *had = as_tensor_at(&have[i], k);
      const as_domain *domain = want[i].d;
      if (domain->flags(domain, wanted) & AS_F_NOVALUE) {
        report->skipped++;
        continue;
      }
      if (domain->flags(domain, had) & AS_F_NOVALUE) {
        suspect = true;
        report->skipped++;
        continue;
      }
      switch (as_field_compare(wanted, had)) {
      case AS_FC_SAME: {
        if (as_field_apart(wanted, had))
          suspect = true; /* cannot be, unless the field collided */
        report->same++;
        as_field_bound error = as_field_error(&job->field, wanted, had);
        if (error.bound >= *worst) {
          *worst = error.bound;
          if (error.bound >= report->bound) {
            report->bound = error.bound;
            report->degree = error.degree;
            report->exponentials = error.exponentials;
            report->exp_degree = error.exp_degree;
            report->roots = error.roots;
            report->affine = error.affine;
          }
        }
        break;
      }
      case AS_FC_DIFFER:
        report->unexplained++;
        suspect = true;
        break;
      case AS_FC_APART:
        suspect = true;
        break;
      case AS_FC_CLOSE:
        report->close++;
        break;
      case AS_FC_NONE:
        report->skipped++;
        break;
      }
    }
  }
  return suspect;
}

typedef enum { RUN_DONE, RUN_OTHER_SIZES, RUN_UNDEFINED, RUN_DIFFER, RUN_FAILED } outcome;

static outcome one_run(tester *job, bool positive) {
  const as_domain *domain = &job->field.d;
  job->field.roots.n = 0;
  as_tensor *exact = as_inputs_new(job->spec, &as_domain_exact, job->instance.env, job->err);
  as_tensor *inputs = as_inputs_new(job->spec, domain, job->instance.env, job->err);
  as_tensor *want = as_calloc(job->spec->n_output + 1, sizeof *want);
  as_tensor *have = as_calloc(job->cand->n_output + 1, sizeof *have);
  outcome result = RUN_FAILED;
  as_err why;
  as_err_init(&why);
  if (!exact || !inputs)
    goto end;
  for (uint32_t i = 0; i < job->spec->n_input; i++) {
    bool integers = job->spec->node[job->spec->input[i]].dtype == AS_INT;
    if (integers && inputs[i].n > 0 &&
        as_graph_index_range(job->spec, job->spec->input[i], job->instance.env, NULL) == 0) {
      result = RUN_OTHER_SIZES; /* no place at all is in range */
      goto end;
    }
    for (size_t k = 0; k < inputs[i].n && integers; k++) {
      mpq_t *number = as_tensor_at(&exact[i], k);
      as_input_draw_integer(job->spec, job->spec->input[i], job->instance.env, &job->rng, *number);
      domain->from_q(domain, as_tensor_at(&inputs[i], k), *number);
    }
    for (size_t k = 0; k < inputs[i].n && !integers; k++) {
      as_field_random(&job->field, &job->rng, positive, as_tensor_at(&inputs[i], k),
                      *(mpq_t *)as_tensor_at(&exact[i], k));
    }
  }
  as_eval_marks marks;
  as_status status = as_eval_graph_ops(job->spec, domain, job->instance.env, inputs, want,
                                       job->options->max_ops, &marks, &why);
  bool suspect = false;
  double worst = 0; /* of this run */
  uint64_t before = job->report->same;
  if (status == AS_NO) {
    result = RUN_OTHER_SIZES;
    goto end;
  } /* an obligation of the given program fails: not an instance */
  if (status != AS_OK) {
    as_err_set(job->err, status, "%s", why.text ? why.text : "the program cannot be evaluated");
    goto end;
  }
  if (marks.flags & AS_F_UNDEF) {
    result = RUN_UNDEFINED;
    goto end;
  } /* nothing is claimed of such inputs */
  status = as_eval_graph_ops(job->cand, domain, job->instance.env, inputs, have,
                             job->options->max_ops, &marks, &why);
  if (status != AS_OK && status != AS_NO) {
    as_err_set(job->err, status, "%s", why.text ? why.text : "the candidate cannot be evaluated");
    goto end;
  }
  uint64_t close = job->report->close;
  suspect = status == AS_NO || (marks.flags & AS_F_UNDEF) || compare(job, want, have, &worst);
  if (job->report->same == before && job->report->close > close)
    suspect = true; /* nothing but intervals of doubles: look closer */
  job->report->runs++;
  if (job->report->same > before)
    job->report->bound_all *= worst;
  result = RUN_DONE;
  if (suspect) {
    as_status confirmed = as_compare_at(job->spec, job->cand, job->instance.env, exact,
                                        job->options->max_ops, NULL, &job->report->cex, NULL);
    if (confirmed == AS_NO) {
      result = RUN_DIFFER;
    } else {
      as_cex_clear(&job->report->cex);
      if (status == AS_NO)
        job->report->unexplained++;
    }
  }
end:
  as_err_clear(&why);
  as_inputs_free(job->spec, exact);
  as_inputs_free(job->spec, inputs);
  outputs_free(job->spec, want);
  outputs_free(job->cand, have);
  return result;
}

const char *as_field_why_words(as_field_why why) {
  static const char *const words[] = {
#define WHY_WORDS(id, text) text,
      AS_FIELD_WHYS(WHY_WORDS)
#undef WHY_WORDS
  };
  return words[why];
}

static as_field_why why_inconclusive(const as_field_report *report, bool undefined) {
  if (report->verdict == AS_OK || report->verdict == AS_NO)
    return AS_FIELD_DECIDED;
  if (report->verdict != AS_UNKNOWN)
    return AS_FIELD_FAILED;
  if (report->runs == 0)
    return undefined ? AS_FIELD_UNDEFINED : AS_FIELD_NO_SIZES;
  return report->unexplained ? AS_FIELD_UNEXPLAINED : AS_FIELD_TOO_FEW;
}

as_status as_field_test(const as_graph *spec, const as_graph *cand, const as_field_options *options,
                        as_field_report *report, as_err *err) {
  if (!options)
    options = &as_field_default;
  memset(report, 0, sizeof *report);
  as_stats_add(AS_STAT_FIELD_TESTS, 1);
  report->verdict = AS_UNKNOWN;
  report->why = AS_FIELD_FAILED;
  report->seed = options->seed;
  report->needed = options->min_elements;
  report->bound_all = 1;
  if (spec->n_output != cand->n_output || spec->n_input != cand->n_input) {
    as_err_set(err, AS_BAD_INPUT, "the two programs have other inputs or outputs");
    return report->verdict = AS_BAD_INPUT;
  }
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  tester job = {.spec = spec, .cand = cand, .options = options, .report = report, .err = err};
  as_rng_seed(&job.rng, options->seed);
  if (options->p)
    as_field_domain_over(&job.field, options->p, options->q, &job.rng);
  else
    as_field_domain_init(&job.field, &job.rng);
  report->p = job.field.p;
  report->q = job.field.q;
  if (!as_instance_init(&job.instance, spec, cand, err))
    report->verdict = AS_BAD_INPUT;
  int64_t most = options->max_size;
  bool undefined = false;
  /* outputs of few elements, a scalar's one above all, need more instances than `runs` */
  const uint32_t most_runs = 4 * options->runs + 2 * (uint32_t)options->min_elements;
  const uint32_t most_attempts = 2 * most_runs + 32;
  for (uint32_t attempt = 0, run = 0; report->verdict == AS_UNKNOWN && attempt < most_attempts;
       attempt++) {
    bool enough = report->same + report->close >= options->min_elements;
    if (run >= options->runs && (enough || run >= most_runs))
      break;
    if (!as_instance_random(&job.instance, &job.rng, most, 2000)) {
      if (most > 64 * options->max_size)
        break;
      most *= 4; /* large fixed numbers in the program */
      continue;
    }
    outcome result = one_run(&job, (run & 1) || undefined);
    if (result == RUN_DIFFER)
      report->verdict = AS_NO;
    else if (result == RUN_FAILED)
      break;
    else if (result == RUN_UNDEFINED)
      undefined = true;
    else if (result == RUN_OTHER_SIZES)
      most = most < 64 * options->max_size ? most * 2 : most;
    else
      run++;
  }
  if (report->verdict == AS_UNKNOWN && report->runs && !report->unexplained &&
      report->same + report->close >= options->min_elements)
    report->verdict = AS_OK;
  report->why = why_inconclusive(report, undefined);
  if (report->why == AS_FIELD_NO_SIZES)
    as_err_set(err, AS_UNKNOWN, "%s", as_field_why_words(report->why));
  if (report->same < options->min_elements)
    report->bound = report->bound_all = 1; /* the theorem speaks of field values only */
  as_instance_clear(&job.instance);
  as_field_domain_clear(&job.field);
  return report->verdict;
}

void as_field_report_clear(as_field_report *report) {
  as_cex_clear(&report->cex);
}

char *as_field_report_print(const as_field_report *report) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "finite-field test: p = %llu, q = %llu, seed %llu, %u run%s\n",
                (unsigned long long)report->p, (unsigned long long)report->q,
                (unsigned long long)report->seed, report->runs, report->runs == 1 ? "" : "s");
  as_str_printf(&text,
                "  %llu elements equal in the field, %llu by real intervals only, %llu not "
                "comparable, %llu unexplained; %llu were needed\n",
                (unsigned long long)report->same, (unsigned long long)report->close,
                (unsigned long long)report->skipped, (unsigned long long)report->unexplained,
                (unsigned long long)report->needed);
  if (report->same) {
    as_str_printf(&text,
                  "  worst element: degree %.3g, %.3g exponentials of %s exponents of degree %.3g, "
                  "%d square root%s\n",
                  report->degree, report->exponentials, report->affine ? "affine" : "other",
                  report->exp_degree, report->roots, report->roots == 1 ? "" : "s");
    if (report->bound < 1) {
      as_str_printf(&text,
                    "  a difference in an element compared in the field is missed by one run with "
                    "probability at most %.3g, by all runs with at most %.3g where "
                    "it is present in each (unless p or q divides all of its coefficients)\n",
                    report->bound, report->bound_all);
    }
  }
  if (!(report->bound < 1)) {
    as_str_add(
        &text,
        "  no chance of a missed difference can be stated here: the bound of the identity-testing "
        "theorem is 1\n");
  }
  as_str_add(&text, report->verdict == AS_OK   ? "  verdict: same\n"
                    : report->verdict == AS_NO ? "  verdict: different\n"
                                               : "  verdict: inconclusive\n");
  return as_str_take(&text);
}

#include "field.h"
#include "../../semantics/domain_field.h"
#include "../../src/base/stats.h"
#include "../refute/draws.h"
#include "../refute/instance.h"
#include "identical.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const as_field_options as_field_default = {.seed = 1,
                                           .runs = 3,
                                           .max_size = 3,
                                           .min_elements = 8,
                                           .max_ops = 20000000,
                                           .total_ops = 8000000};

enum {
  FEWER_OPS = 8,    /* as many times fewer than max_ops may an evaluation take at first */
  LONG_RUNS = 3,    /* that took too long, before the next may take more */
  LARGEST = 64,     /* sizes, as a multiple of those at first */
  TOO_MUCH = 2,     /* as many times more than it may take, by the estimate: not even begun */
  DRAWS = 24,       /* of sizes for a run, where they lead to much work */
  FEW_OPS = 200000, /* of an evaluation: sizes that need no more are taken as they are drawn */
  SLOWEST = 500000, /* operations a second, where none was measured yet */
  MORE_RUNS = 24,   /* at numbers of the texts, while a choice has taken one of its values only */
  MOST_NAMED = 4    /* choices that are named in words */
};

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  const as_field_options *options;
  as_field_report *report;
  as_err *err;
  as_field_domain field;
  as_instance instance;
  as_rng rng;
  int64_t most;    /* of sizes */
  double work;     /* operations that an evaluation takes at the sizes drawn, about */
  uint64_t ops;    /* that an evaluation may take */
  uint64_t spent;  /* operations, in all; */
  uint64_t enough; /* beyond so many no run begins once enough was compared, nor any beyond twice as
                      many */
  double evaluating; /* seconds that they took */
  bool late;         /* the time was up before enough was compared */
  uint32_t n_long;   /* evaluations that took more, since they may take so many */
  bool undefined;    /* the program was, somewhere */
  bool identical;    /* the candidate is the program: inconclusive runs say as much as others */
  as_constants literals;
  bool strays;            /* this run's places may be numbers of the texts, in range or not */
  bool no_strays;         /* the program was undefined where they were */
  bool among_literals;    /* this run's inputs are among the numbers of the texts, 0 and 1 */
  as_eval_cover cover[2]; /* of the program; of the candidate */
  as_eval_cover now[2];   /* the same, of the run at hand */
} tester;

/* compares element by element; true: something calls for a look at the reals */
static bool compare(tester *job, const as_tensor *want, const as_tensor *have, double *worst) {
  as_field_report *report = job->report;
  bool suspect = false;
  for (uint32_t i = 0; i < job->spec->n_output; i++) {
    as_field_output *output = &report->output[i];
    const as_field_output before = *output;
    double worst_here = 0;
    if (want[i].rank != have[i].rank ||
        memcmp(want[i].dim, have[i].dim, want[i].rank * sizeof *want[i].dim))
      return true;
    for (size_t k = 0; k < want[i].n; k++) {
      const void *wanted = as_tensor_at(&want[i], k);
      const void *had = as_tensor_at(&have[i], k);
      const as_domain *domain = want[i].d;
      if (domain->flags(domain, wanted) & AS_F_NOVALUE) {
        report->skipped++;
        output->skipped++;
        continue;
      }
      if (domain->flags(domain, had) & AS_F_NOVALUE) {
        suspect = true;
        report->skipped++;
        output->skipped++;
        continue;
      }
      switch (as_field_compare(wanted, had)) {
      case AS_FC_SAME: {
        if (as_field_apart(wanted, had))
          suspect = true; /* cannot be, unless the field collided */
        report->same++;
        output->same++;
        as_field_bound error = as_field_error(&job->field, wanted, had);
        if (!error.is_random)
          break;
        report->chances++;
        output->chances++;
        worst_here = fmax(worst_here, error.bound);
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
        output->close++;
        break;
      case AS_FC_NONE:
        report->skipped++;
        output->skipped++;
        break;
      }
    }
    if (output->chances > before.chances) {
      output->bound = before.chances ? fmax(before.bound, worst_here) : worst_here;
      output->bound_all *= worst_here;
    }
  }
  return suspect;
}

typedef enum {
  RUN_DONE,
  RUN_OTHER_SIZES, /* not an instance, or one without elements */
  RUN_TOO_LONG,
  RUN_UNDEFINED,
  RUN_DIFFER,
  RUN_FAILED
} outcome;

/* elements of all tensors of the program at the sizes drawn; negative: it has no outputs to compare
 */
static double elements_at(const tester *job) {
  const as_graph *spec = job->spec;
  double total = 0;
  double compared = 0;
  for (as_node_id i = 0; i < spec->n; i++) {
    double elements = as_graph_is_number(&spec->node[i]) ? 0 : 1;
    for (uint32_t k = 0; k < spec->node[i].rank; k++) {
      int64_t extent = as_size_eval(spec->sizes, spec->node[i].dim[k], job->instance.env);
      elements *= extent > 0 ? (double)extent : 0;
    }
    total += elements;
    for (uint32_t k = 0; k < spec->n_output; k++)
      compared += spec->output[k] == i ? elements : 0;
  }
  return compared > 0 ? total : -1;
}

/* operations of one evaluation of the program there, about; negative: nothing to compare */
static double work_at(const tester *job) {
  return elements_at(job) < 0 ? -1 : as_graph_work(job->spec, &job->field.d, job->instance.env);
}

/* sizes that satisfy the relations; where small ones have led to nothing (a window is longer), most
 * stay small */
static bool draw_from(tester *job, as_rng *rng) {
  int64_t few = job->options->max_size;
  return job->most <= few ? as_instance_random(&job->instance, rng, job->most, 2000)
                          : as_instance_mixed(&job->instance, rng, few, job->most, 200);
}

/* of several draws the one with the least of what is measured; false: there is none */
static bool draw_least(tester *job, double (*measure)(const tester *)) {
  double least = -1;
  uint64_t best = 0;
  as_rng draw;
  for (int i = 0; i < DRAWS; i++) {
    uint64_t seed = as_rng_next(&job->rng);
    as_rng_seed(&draw, seed);
    double much = draw_from(job, &draw) ? measure(job) : -1;
    if (much >= 0 && (least < 0 || much < least)) {
      least = much;
      best = seed;
    }
  }
  as_rng_seed(&draw, best);
  return least >= 0 && draw_from(job, &draw);
}

/* Sizes for the next run: those of the first draw, or, where they have to be larger, those with the
 * fewest elements.  Where an evaluation takes long there, as with extents that are stated as
 * numbers, those of several draws that need the least work. */
static bool draw_sizes(tester *job) {
  bool small = job->most <= job->options->max_size;
  if (!(small ? draw_from(job, &job->rng) : draw_least(job, elements_at)))
    return false;
  double few = small && job->ops > FEW_OPS ? FEW_OPS : (double)job->ops;
  job->work = work_at(job);
  if (job->work <= few)
    return true;
  if (!draw_least(job, work_at))
    return false;
  job->work = work_at(job);
  return true;
}

/* what one run works on */
typedef struct {
  as_tensor *exact;
  as_tensor *inputs;
  as_tensor *want;
  as_tensor *have;
  as_err why;
} run_data;

static void run_clear(const tester *job, run_data *run) {
  as_err_clear(&run->why);
  as_inputs_free(job->spec, run->exact);
  as_inputs_free(job->spec, run->inputs);
  as_outputs_free(job->spec, run->want);
  as_outputs_free(job->cand, run->have);
}

/* 0, 1 or a number of the texts: where a program asks whether an element is one of them, chance
 * never meets it */
static void draw_literal(tester *job, mpq_t number) {
  if (as_rng_below(&job->rng, 3) == 0 ||
      !as_constants_pick(&job->literals, &job->rng, false, number))
    mpq_set_si(number, (long)as_rng_below(&job->rng, 2), 1);
}

/* RUN_DONE: the inputs are drawn */
static outcome draw_inputs(tester *job, bool positive, run_data *run) {
  const as_domain *domain = &job->field.d;
  run->exact = as_inputs_new(job->spec, &as_domain_exact, job->instance.env, &run->why);
  run->inputs = as_inputs_new(job->spec, domain, job->instance.env, &run->why);
  if (!run->exact || !run->inputs)
    return run->why.status == AS_UNKNOWN ? RUN_TOO_LONG : RUN_FAILED;
  for (uint32_t i = 0; i < job->spec->n_input; i++) {
    as_draw draw = as_draw_of(job->spec, job->spec->input[i], job->instance.env, &job->literals);
    if (run->inputs[i].n > 0 && draw.range == 0)
      return RUN_OTHER_SIZES; /* no place at all is in range */
    bool among = job->among_literals && as_rng_below(&job->rng, 3) > 0;
    for (size_t k = 0; k < run->inputs[i].n; k++) {
      mpq_t *number = as_tensor_at(&run->exact[i], k);
      void *element = as_tensor_at(&run->inputs[i], k);
      if (draw.integers) {
        as_draw_integer(&draw, &job->rng, job->strays, *number);
        as_field_drawn(&job->field, *number, element);
      } else if (among && as_rng_below(&job->rng, 3) > 0) {
        draw_literal(job, *number);
        as_field_drawn(&job->field, *number, element);
      } else {
        as_field_random(&job->field, &job->rng, positive, element, *number);
      }
    }
  }
  return RUN_DONE;
}

/* Operations that an evaluation may take.  Where there is a time limit, no more than there seems to
 * be time for: the clock is not looked at within an evaluation. */
static uint64_t affordable(const tester *job) {
  if (job->options->until <= 0)
    return job->ops;
  double left = job->options->until - as_now();
  double rate = job->evaluating > 0 ? (double)job->spent / job->evaluating : 0;
  double most = rate > SLOWEST ? left * rate : left * SLOWEST;
  return most < 1 ? 1 : most < (double)job->ops ? (uint64_t)most : job->ops;
}

static as_status evaluate(tester *job, const as_graph *graph, run_data *run, as_tensor *outputs,
                          as_eval_marks *marks) {
  double start = as_now();
  as_eval_cover *cover = &job->now[graph == job->cand];
  as_status status = as_eval_graph_covering(graph, &job->field.d, job->instance.env, run->inputs,
                                            outputs, affordable(job), marks, cover, &run->why);
  job->evaluating += as_now() - start;
  job->spent += marks->ops;
  return status;
}

/* a difference is believed only where the reals differ */
static outcome confirm(tester *job, run_data *run, bool is_defined) {
  as_status confirmed =
      as_compare_at(job->spec, job->cand, job->instance.env, run->exact,
                    as_compare_affordable(job->options->max_ops, job->options->until), NULL,
                    &job->report->cex, NULL);
  if (confirmed == AS_NO)
    return RUN_DIFFER;
  as_cex_clear(&job->report->cex);
  job->report->unexplained += !is_defined;
  return RUN_DONE;
}

static outcome run_on(tester *job, run_data *run) {
  as_field_report *report = job->report;
  as_eval_marks marks;
  as_status status = evaluate(job, job->spec, run, run->want, &marks);
  if (status == AS_NO) /* an obligation of the given program fails: not an instance */
    return RUN_OTHER_SIZES;
  if (status != AS_OK)
    return status == AS_UNKNOWN ? RUN_TOO_LONG : RUN_FAILED;
  if (marks.flags & AS_F_UNDEF) /* nothing is claimed of such inputs */
    return RUN_UNDEFINED;
  status = evaluate(job, job->cand, run, run->have, &marks);
  if (status != AS_OK && status != AS_NO)
    return status == AS_UNKNOWN ? RUN_TOO_LONG : RUN_FAILED;
  double worst = 0; /* of this run */
  uint64_t same = report->same;
  uint64_t chances = report->chances;
  uint64_t close = report->close;
  bool suspect =
      status == AS_NO || (marks.flags & AS_F_UNDEF) || compare(job, run->want, run->have, &worst);
  if (report->same == same && report->close > close)
    suspect = true; /* nothing but intervals of doubles: look closer */
  report->runs++;
  if (report->chances > chances)
    report->bound_all *= worst;
  return suspect ? confirm(job, run, status != AS_NO) : RUN_DONE;
}

static outcome one_run(tester *job, bool positive) {
  run_data run = {.want = as_calloc(job->spec->n_output + 1, sizeof *run.want),
                  .have = as_calloc(job->cand->n_output + 1, sizeof *run.have)};
  as_err_init(&run.why);
  job->field.roots.n = 0;
  for (int side = 0; side < 2; side++)
    as_eval_cover_init(&job->now[side]);
  outcome result = RUN_TOO_LONG;
  if (job->work > TOO_MUCH * (double)job->ops)
    as_err_set(&run.why, AS_UNKNOWN, "an evaluation would take about %.0f operations", job->work);
  else
    result = draw_inputs(job, positive, &run);
  if (result == RUN_DONE)
    result = run_on(job, &run);
  if (result == RUN_FAILED || result == RUN_TOO_LONG)
    as_err_again(job->err, &run.why);
  for (int side = 0; side < 2; side++) {
    if (result == RUN_DONE) /* how choices went where nothing was compared says nothing */
      as_eval_cover_add(&job->cover[side], &job->now[side]);
    as_eval_cover_clear(&job->now[side]);
  }
  run_clear(job, &run);
  return result;
}

static void take_larger(tester *job) {
  if (job->most < LARGEST * job->options->max_size)
    job->most *= 2;
}

/* What a run came to, for the next one; false: there is to be none. */
static bool goes_on(tester *job, outcome result, uint64_t compared) {
  switch (result) {
  case RUN_DIFFER:
    job->report->verdict = AS_NO;
    return false;
  case RUN_FAILED:
    return false;
  case RUN_UNDEFINED: /* with positive inputs, and then at other sizes */
    if (job->strays && !job->no_strays) {
      job->no_strays = true;
      return true;
    }
    if (job->undefined)
      take_larger(job);
    job->undefined = true;
    return true;
  case RUN_OTHER_SIZES:
    take_larger(job);
    return true;
  case RUN_TOO_LONG:
    if (++job->n_long < LONG_RUNS)
      return true;
    job->n_long = 0;
    job->ops *= FEWER_OPS;
    return job->ops <= job->options->max_ops && !job->identical;
  case RUN_DONE:
    if (job->report->same + job->report->close + job->report->skipped == compared)
      take_larger(job); /* there was nothing to compare */
    return true;
  }
  return false;
}

static bool is_enough(const tester *job) {
  return job->report->same + job->report->close >= job->options->min_elements;
}

/* Operations beyond which no run begins.  Without any run that came to its end nothing is known,
 * not even that the program is defined somewhere. */
static uint64_t most_ops(const tester *job) {
  if (job->report->runs == 0)
    return 2 * job->options->total_ops;
  return is_enough(job) ? job->enough : 2 * job->enough;
}

static bool is_one_sided(const tester *job) {
  return as_eval_cover_untaken(&job->cover[0]) + as_eval_cover_untaken(&job->cover[1]) > 0;
}

/* While there is a choice that has taken one of its values only, runs at inputs that the texts ask
 * for, as far as they take no more than those before did.  Where the program is undefined there,
 * nothing is said. */
static void run_among_literals(tester *job) {
  uint64_t until = 2 * job->spent + FEW_OPS;
  for (int run = 0; run < MORE_RUNS && !job->identical && is_one_sided(job); run++) {
    bool late = job->options->until > 0 && as_now() > job->options->until;
    if (late || job->spent > until || !draw_sizes(job))
      return;
    job->among_literals = true;
    job->strays = run % 2 == 0;
    outcome result = one_run(job, run % 3 == 2);
    job->among_literals = job->strays = false;
    if (result == RUN_DIFFER) {
      job->report->verdict = AS_NO;
      return;
    }
    if (result == RUN_FAILED)
      return;
  }
}

/* runs until enough was compared, or it is seen that this takes too long */
static void run_all(tester *job) {
  const as_field_options *options = job->options;
  const as_field_report *report = job->report;
  /* outputs of few elements, a scalar's one above all, need more instances than `runs` */
  const uint32_t most_runs = 4 * options->runs + 2 * (uint32_t)options->min_elements;
  const uint32_t most_attempts = 2 * most_runs + 32;
  for (uint32_t attempt = 0, run = 0; attempt < most_attempts; attempt++) {
    if (run >= options->runs && (is_enough(job) || run >= most_runs))
      break;
    if (job->spent > most_ops(job))
      break;
    job->late = options->until > 0 && as_now() > options->until;
    if (job->late)
      break;
    if (!draw_sizes(job)) {
      if (job->most > LARGEST * options->max_size)
        break;
      job->most *= 4; /* large fixed numbers in the program */
      continue;
    }
    uint64_t compared = report->same + report->close + report->skipped;
    job->strays = attempt % 2 == 1 && !job->no_strays;
    outcome result = one_run(job, (run & 1) || job->undefined);
    run += result == RUN_DONE;
    if (!goes_on(job, result, compared))
      return;
  }
  run_among_literals(job);
}

static as_field_why why_inconclusive(const as_field_report *report, const tester *job) {
  if (report->verdict == AS_OK || report->verdict == AS_NO)
    return AS_FIELD_DECIDED;
  if (report->verdict != AS_UNKNOWN)
    return AS_FIELD_FAILED;
  if (job->late && !report->unexplained)
    return AS_FIELD_TIME;
  if (report->runs == 0)
    return job->undefined ? AS_FIELD_UNDEFINED : AS_FIELD_NO_SIZES;
  return report->unexplained ? AS_FIELD_UNEXPLAINED : AS_FIELD_TOO_FEW;
}

/* Is there something that the program says?  Of sizes that contradict each other, or inputs at
 * which it is defined nowhere, even the program itself is no candidate to be told right. */
static bool says_something(const tester *job) {
  const as_graph *spec = job->spec;
  bool stated = true;
  for (uint32_t i = 0; i < spec->n_own_size; i++)
    stated = stated && as_size_value(spec->sizes, spec->own_size[i]) >= 0;
  return job->report->runs > 0 || (stated && !job->undefined);
}

static void begin_outputs(tester *job) {
  as_field_report *report = job->report;
  report->n_output = job->spec->n_output;
  report->output = as_calloc(report->n_output + 1, sizeof *report->output);
  for (uint32_t i = 0; i < report->n_output; i++) {
    const char *name = job->spec->node[job->spec->output[i]].name;
    report->output[i] =
        (as_field_output){.name = as_strdup(name ? name : ""), .bound = 1, .bound_all = 1};
  }
}

/* names the choices of one side that have taken one of their values only */
static void tell_untaken(tester *job, const as_graph *graph, const as_eval_cover *cover,
                         const char *side, as_str *words) {
  as_field_report *report = job->report;
  for (size_t i = 0; i < cover->choice.n; i++) {
    const as_eval_choice *choice = &AS_VEC_AT(&cover->choice, as_eval_choice, i);
    const as_node *node = &graph->node[choice->node];
    bool decided = choice->times[0] + choice->times[1] > 0;
    report->n_choices += decided;
    if (!decided || (choice->times[0] > 0 && choice->times[1] > 0))
      continue;
    if (report->n_untaken++ >= MOST_NAMED)
      continue;
    as_str_printf(words,
                  "  nothing is said of what `%s`%s%s%s of the %s computes where its choice takes "
                  "the %s value: it took the other one at all %llu elements\n",
                  node->op ? node->op->name : "?", node->name ? " for `" : "",
                  node->name ? node->name : "", node->name ? "`" : "", side,
                  choice->times[0] > 0 ? "second" : "first",
                  (unsigned long long)(choice->times[0] + choice->times[1]));
  }
}

static void tell_choices(tester *job) {
  as_str words;
  as_str_init(&words);
  tell_untaken(job, job->spec, &job->cover[0], "program", &words);
  if (!job->identical)
    tell_untaken(job, job->cand, &job->cover[1], "candidate", &words);
  if (job->report->n_untaken > MOST_NAMED)
    as_str_printf(&words, "  nor of %u more such choices\n", job->report->n_untaken - MOST_NAMED);
  job->report->untaken = words.n ? as_str_take(&words) : NULL;
  as_str_clear(&words);
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
  as_err why; /* the first evaluation that failed: said where nothing came of it */
  as_err_init(&why);
  tester job = {.spec = spec,
                .cand = cand,
                .options = options,
                .report = report,
                .err = &why,
                .most = options->max_size,
                .ops = options->max_ops / FEWER_OPS,
                .enough = options->total_ops};
  job.identical = as_field_is_identical(spec, cand);
  if (job.identical) /* a few runs, which show that there is something to compare */
    job.enough /= FEWER_OPS;
  as_constants_add_graph(&job.literals, spec);
  as_constants_add_graph(&job.literals, cand);
  as_eval_cover_init(&job.cover[0]);
  as_eval_cover_init(&job.cover[1]);
  begin_outputs(&job);
  as_rng_seed(&job.rng, options->seed);
  if (options->p)
    as_field_domain_over(&job.field, options->p, options->q, &job.rng);
  else
    as_field_domain_init(&job.field, &job.rng);
  report->p = job.field.p;
  report->q = job.field.q;
  if (!as_instance_init(&job.instance, spec, cand, err))
    report->verdict = AS_BAD_INPUT;
  else
    run_all(&job);
  if (report->verdict == AS_UNKNOWN && report->runs && !report->unexplained &&
      report->same + report->close >= options->min_elements)
    report->verdict = AS_OK;
  if (report->verdict == AS_UNKNOWN && !report->unexplained && job.identical &&
      says_something(&job)) {
    report->identical = true;
    report->verdict = AS_OK;
  }
  report->why = why_inconclusive(report, &job);
  if (report->verdict == AS_UNKNOWN)
    as_err_again(err, &why);
  as_err_clear(&why);
  if (report->why == AS_FIELD_NO_SIZES)
    as_err_set(err, AS_UNKNOWN, "%s", as_field_why_words(report->why));
  tell_choices(&job);
  if (report->same < options->min_elements || report->chances == 0)
    report->bound = report->bound_all = 1; /* the theorem speaks of field values only */
  as_instance_clear(&job.instance);
  as_field_domain_clear(&job.field);
  as_eval_cover_clear(&job.cover[0]);
  as_eval_cover_clear(&job.cover[1]);
  as_constants_clear(&job.literals);
  return report->verdict;
}

bool as_field_is_out_of_reach(const as_graph *program, const as_field_options *options) {
  as_err err;
  as_err_init(&err);
  tester job = {.spec = program, .options = options ? options : &as_field_default, .err = &err};
  job.most = job.options->max_size;
  job.ops = job.options->max_ops;
  as_rng_seed(&job.rng, job.options->seed);
  as_field_domain_init(&job.field, &job.rng);
  bool drawn = false;
  if (as_instance_init(&job.instance, program, NULL, &err)) {
    for (; !drawn && job.most <= LARGEST * job.options->max_size; job.most *= 2)
      drawn = draw_sizes(&job);
    as_instance_clear(&job.instance);
  }
  as_field_domain_clear(&job.field);
  as_err_clear(&err);
  return drawn && job.work > TOO_MUCH * (double)job.ops;
}

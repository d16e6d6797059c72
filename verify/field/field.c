#include "field.h"
#include "../../semantics/domain_field.h"
#include "../../src/base/stats.h"
#include "../refute/instance.h"
#include <stdlib.h>
#include <string.h>

const as_field_options as_field_default = {
    .seed = 1, .runs = 3, .max_size = 3, .min_elements = 8, .max_ops = 20000000};

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  const as_field_options *o;
  as_field_report *r;
  as_err *err;
  as_field_domain F;
  as_instance I;
  as_rng rng;
} job;

static void outputs_free(const as_graph *g, as_tensor *t) {
  for (uint32_t i = 0; i < g->n_output; i++)
    as_tensor_clear(&t[i]);
  free(t);
}

/* compares element by element; true: something calls for a look at the reals */
static bool compare(job *J, const as_tensor *a, const as_tensor *b, double *worst) {
  as_field_report *r = J->r;
  bool suspect = false;
  for (uint32_t i = 0; i < J->spec->n_output; i++) {
    if (a[i].rank != b[i].rank || memcmp(a[i].dim, b[i].dim, a[i].rank * sizeof *a[i].dim))
      return true;
    for (size_t k = 0; k < a[i].n; k++) {
      const void *x = as_tensor_at(&a[i], k);
      const void *y = as_tensor_at(&b[i], k);
      const as_domain *d = a[i].d;
      if (d->flags(d, x) & AS_F_NOVALUE) {
        r->skipped++;
        continue;
      }
      if (d->flags(d, y) & AS_F_NOVALUE) {
        suspect = true;
        r->skipped++;
        continue;
      }
      switch (as_field_compare(x, y)) {
      case AS_FC_SAME: {
        if (as_field_apart(x, y))
          suspect = true; /* cannot be, unless the field collided */
        r->same++;
        as_field_bound e = as_field_error(&J->F, x, y);
        if (e.bound >= *worst) {
          *worst = e.bound;
          if (e.bound >= r->bound) {
            r->bound = e.bound;
            r->degree = e.degree;
            r->exponentials = e.exponentials;
            r->exp_degree = e.exp_degree;
            r->roots = e.roots;
            r->affine = e.affine;
          }
        }
        break;
      }
      case AS_FC_DIFFER:
        r->unexplained++;
        suspect = true;
        break;
      case AS_FC_APART:
        suspect = true;
        break;
      case AS_FC_CLOSE:
        r->close++;
        break;
      case AS_FC_NONE:
        r->skipped++;
        break;
      }
    }
  }
  return suspect;
}

typedef enum { RUN_DONE, RUN_OTHER_SIZES, RUN_UNDEFINED, RUN_DIFFER, RUN_FAILED } outcome;

static outcome one_run(job *J, bool positive) {
  const as_domain *d = &J->F.d;
  J->F.roots.n = 0;
  as_tensor *exact = as_inputs_new(J->spec, &as_domain_exact, J->I.env, J->err);
  as_tensor *in = as_inputs_new(J->spec, d, J->I.env, J->err);
  as_tensor *a = as_calloc(J->spec->n_output + 1, sizeof *a);
  as_tensor *b = as_calloc(J->cand->n_output + 1, sizeof *b);
  outcome out = RUN_FAILED;
  as_err e;
  as_err_init(&e);
  if (!exact || !in)
    goto end;
  for (uint32_t i = 0; i < J->spec->n_input; i++) {
    for (size_t k = 0; k < in[i].n; k++) {
      as_field_random(&J->F, &J->rng, positive, as_tensor_at(&in[i], k),
                      *(mpq_t *)as_tensor_at(&exact[i], k));
    }
  }
  as_eval_marks marks;
  as_status s = as_eval_graph_ops(J->spec, d, J->I.env, in, a, J->o->max_ops, &marks, &e);
  bool suspect = false;
  double worst = 0; /* of this run */
  uint64_t before = J->r->same;
  if (s == AS_NO) {
    out = RUN_OTHER_SIZES;
    goto end;
  } /* an obligation of the given program fails: not an instance */
  if (s != AS_OK) {
    as_err_set(J->err, s, "%s", e.text ? e.text : "the program cannot be evaluated");
    goto end;
  }
  if (marks.flags & AS_F_UNDEF) {
    out = RUN_UNDEFINED;
    goto end;
  } /* nothing is claimed of such inputs */
  s = as_eval_graph_ops(J->cand, d, J->I.env, in, b, J->o->max_ops, &marks, &e);
  if (s != AS_OK && s != AS_NO) {
    as_err_set(J->err, s, "%s", e.text ? e.text : "the candidate cannot be evaluated");
    goto end;
  }
  uint64_t close = J->r->close;
  suspect = s == AS_NO || (marks.flags & AS_F_UNDEF) || compare(J, a, b, &worst);
  if (J->r->same == before && J->r->close > close)
    suspect = true; /* nothing but intervals of doubles: look closer */
  J->r->runs++;
  if (J->r->same > before)
    J->r->bound_all *= worst;
  out = RUN_DONE;
  if (suspect) {
    as_status c =
        as_compare_at(J->spec, J->cand, J->I.env, exact, J->o->max_ops, NULL, &J->r->cex, NULL);
    if (c == AS_NO) {
      out = RUN_DIFFER;
    } else {
      as_cex_clear(&J->r->cex);
      if (s == AS_NO)
        J->r->unexplained++;
    }
  }
end:
  as_err_clear(&e);
  as_inputs_free(J->spec, exact);
  as_inputs_free(J->spec, in);
  outputs_free(J->spec, a);
  outputs_free(J->cand, b);
  return out;
}

const char *as_field_why_words(as_field_why why) {
  static const char *const words[] = {
#define WHY_WORDS(id, text) text,
      AS_FIELD_WHYS(WHY_WORDS)
#undef WHY_WORDS
  };
  return words[why];
}

static as_field_why why_inconclusive(const as_field_report *r, bool undefined) {
  if (r->verdict == AS_OK || r->verdict == AS_NO)
    return AS_FIELD_DECIDED;
  if (r->verdict != AS_UNKNOWN)
    return AS_FIELD_FAILED;
  if (r->runs == 0)
    return undefined ? AS_FIELD_UNDEFINED : AS_FIELD_NO_SIZES;
  return r->unexplained ? AS_FIELD_UNEXPLAINED : AS_FIELD_TOO_FEW;
}

as_status as_field_test(const as_graph *spec, const as_graph *cand, const as_field_options *o,
                        as_field_report *r, as_err *err) {
  if (!o)
    o = &as_field_default;
  memset(r, 0, sizeof *r);
  as_stats_add(AS_STAT_FIELD_TESTS, 1);
  r->verdict = AS_UNKNOWN;
  r->why = AS_FIELD_FAILED;
  r->seed = o->seed;
  r->needed = o->min_elements;
  r->bound_all = 1;
  if (spec->n_output != cand->n_output || spec->n_input != cand->n_input) {
    as_err_set(err, AS_BAD_INPUT, "the two programs have other inputs or outputs");
    return r->verdict = AS_BAD_INPUT;
  }
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  job J = {.spec = spec, .cand = cand, .o = o, .r = r, .err = err};
  as_rng_seed(&J.rng, o->seed);
  if (o->p)
    as_field_domain_over(&J.F, o->p, o->q, &J.rng);
  else
    as_field_domain_init(&J.F, &J.rng);
  r->p = J.F.p;
  r->q = J.F.q;
  if (!as_instance_init(&J.I, spec, cand, err))
    r->verdict = AS_BAD_INPUT;
  int64_t most = o->max_size;
  bool undefined = false;
  for (uint32_t k = 0, run = 0; r->verdict == AS_UNKNOWN && k < 8 * (o->runs + 4); k++) {
    bool enough = r->same + r->close >= o->min_elements;
    if (run >= o->runs && (enough || run >= 4 * o->runs))
      break;
    if (!as_instance_random(&J.I, &J.rng, most, 2000)) {
      if (most > 64 * o->max_size)
        break;
      most *= 4; /* large fixed numbers in the program */
      continue;
    }
    outcome x = one_run(&J, (run & 1) || undefined);
    if (x == RUN_DIFFER)
      r->verdict = AS_NO;
    else if (x == RUN_FAILED)
      break;
    else if (x == RUN_UNDEFINED)
      undefined = true;
    else if (x == RUN_OTHER_SIZES)
      most = most < 64 * o->max_size ? most * 2 : most;
    else
      run++;
  }
  if (r->verdict == AS_UNKNOWN && r->runs && !r->unexplained &&
      r->same + r->close >= o->min_elements)
    r->verdict = AS_OK;
  r->why = why_inconclusive(r, undefined);
  if (r->why == AS_FIELD_NO_SIZES)
    as_err_set(err, AS_UNKNOWN, "%s", as_field_why_words(r->why));
  if (r->same < o->min_elements)
    r->bound = r->bound_all = 1; /* the theorem speaks of field values only */
  as_instance_clear(&J.I);
  as_field_domain_clear(&J.F);
  return r->verdict;
}

void as_field_report_clear(as_field_report *r) {
  as_cex_clear(&r->cex);
}

char *as_field_report_print(const as_field_report *r) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "finite-field test: p = %llu, q = %llu, seed %llu, %u run%s\n",
                (unsigned long long)r->p, (unsigned long long)r->q, (unsigned long long)r->seed,
                r->runs, r->runs == 1 ? "" : "s");
  as_str_printf(&s,
                "  %llu elements equal in the field, %llu by real intervals only, %llu not "
                "comparable, %llu unexplained; %llu were needed\n",
                (unsigned long long)r->same, (unsigned long long)r->close,
                (unsigned long long)r->skipped, (unsigned long long)r->unexplained,
                (unsigned long long)r->needed);
  if (r->same) {
    as_str_printf(&s,
                  "  worst element: degree %.3g, %.3g exponentials of %s exponents of degree %.3g, "
                  "%d square root%s\n",
                  r->degree, r->exponentials, r->affine ? "affine" : "other", r->exp_degree,
                  r->roots, r->roots == 1 ? "" : "s");
    if (r->bound < 1) {
      as_str_printf(&s,
                    "  a difference in an element compared in the field is missed by one run with "
                    "probability at most %.3g, by all runs with at most %.3g where "
                    "it is present in each (unless p or q divides all of its coefficients)\n",
                    r->bound, r->bound_all);
    }
  }
  if (!(r->bound < 1)) {
    as_str_add(&s,
               "  the error bound of the identity-testing theorem is vacuous here (at least 1)\n");
  }
  as_str_add(&s, r->verdict == AS_OK   ? "  verdict: same\n"
                 : r->verdict == AS_NO ? "  verdict: different\n"
                                       : "  verdict: inconclusive\n");
  return as_str_take(&s);
}

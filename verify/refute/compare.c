/* One comparison of two programs at concrete sizes and inputs, with proof: exact rationals, then
 * intervals. */
#include "refute.h"
#include "src/base/file.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

void as_cex_init(as_cex *cex) {
  memset(cex, 0, sizeof *cex);
}

void as_cex_clear(as_cex *cex) {
  for (uint32_t i = 0; i < cex->n_inputs; i++)
    as_tensor_clear(&cex->input[i]);
  free(cex->input);
  free(cex->size);
  free(cex->value);
  free(cex->given);
  free(cex->candidate);
  memset(cex, 0, sizeof *cex);
}

as_graph as_graph_over(const as_graph *graph, as_sizes *sizes) {
  as_graph view = *graph;
  view.sizes = sizes;
  return view;
}

as_tensor *as_inputs_new(const as_graph *spec, const as_domain *domain, const int64_t *env,
                         as_err *err) {
  as_tensor *inputs = as_calloc(spec->n_input + 1, sizeof *inputs);
  size_t used = 0;
  for (uint32_t i = 0; i < spec->n_input; i++) {
    const as_node *node = &spec->node[spec->input[i]];
    int64_t dim[AS_MAX_RANK];
    bool fits = true;
    for (uint32_t k = 0; k < node->rank; k++) {
      dim[k] = as_size_eval(spec->sizes, node->dim[k], env);
      fits = fits && dim[k] >= 0;
    }
    if (!fits || !as_tensor_fits(domain, dim, node->rank, &used)) {
      as_err_set(err, AS_UNKNOWN,
                 "input %s is too large to evaluate, or has no shape, at these sizes", node->name);
      as_inputs_free(spec, inputs);
      return NULL;
    }
    as_tensor_init(&inputs[i], domain, dim, node->rank);
  }
  return inputs;
}

void as_inputs_free(const as_graph *spec, as_tensor *inputs) {
  if (!inputs)
    return;
  for (uint32_t i = 0; i < spec->n_input; i++)
    as_tensor_clear(&inputs[i]);
  free(inputs);
}

void as_outputs_free(const as_graph *graph, as_tensor *outputs) {
  for (uint32_t i = 0; i < graph->n_output; i++)
    as_tensor_clear(&outputs[i]);
  free(outputs);
}

static as_tensor *convert(const as_graph *spec, const as_tensor *exact, const as_domain *domain) {
  as_tensor *inputs = as_calloc(spec->n_input + 1, sizeof *inputs);
  for (uint32_t i = 0; i < spec->n_input; i++) {
    as_tensor_init(&inputs[i], domain, exact[i].dim, exact[i].rank);
    for (size_t k = 0; k < inputs[i].n; k++) {
      domain->from_q(
          domain, as_tensor_at(&inputs[i], k),
          *(mpq_t *)as_tensor_at(&exact[i], k)); /* an exact element starts with its mpq_t */
    }
  }
  return inputs;
}

static void found(as_cex *cex, as_cex_kind kind, uint32_t output, const as_tensor *shape,
                  size_t position, char *given, char *candidate, const char *method) {
  cex->kind = kind;
  cex->output = output;
  cex->rank = shape ? shape->rank : 0;
  for (uint32_t i = cex->rank; i-- > 0;) {
    int64_t extent = shape->dim[i] ? shape->dim[i] : 1;
    cex->index[i] = (int64_t)(position % (size_t)extent);
    position /= (size_t)extent;
  }
  free(cex->given);
  free(cex->candidate);
  cex->given = given;
  cex->candidate = candidate;
  cex->method = method;
  cex->faint = false;
}

enum { FAINT_LOG2 = -30 }; /* of a difference, as a part of the value */

/* keeps the first difference of values; a later one only where it is easier to see */
static void found_value(as_cex *cex, uint32_t output, const as_tensor *want, const as_tensor *have,
                        size_t position, bool interval) {
  const as_domain *domain = want->d;
  const void *wanted = as_tensor_at(want, position);
  const void *had = as_tensor_at(have, position);
  bool faint = interval && as_interval_distance_log2(domain, wanted, had) < FAINT_LOG2;
  if (cex->given && faint)
    return;
  found(cex, AS_CEX_VALUE, output, want, position, domain->print(domain, wanted),
        domain->print(domain, had), interval ? "intervals" : "exact rationals");
  cex->faint = faint;
}

static char *shape_text(const as_tensor *tensor) {
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "[");
  for (uint32_t i = 0; i < tensor->rank; i++)
    as_str_printf(&text, "%s%lld", i ? ", " : "", (long long)tensor->dim[i]);
  as_str_add(&text, "]");
  return as_str_take(&text);
}

/* the given program is defined throughout; marks are the candidate's */
static as_status compare(const as_graph *spec, const as_graph *cand, const as_tensor *want,
                         const as_tensor *have, bool interval, const as_eval_marks *marks,
                         as_cex *cex) {
  const char *method = interval ? "intervals" : "exact rationals";
  bool doubt = marks->flags != 0;
  for (uint32_t i = 0; i < spec->n_output; i++) {
    const as_domain *domain = want[i].d;
    if (want[i].rank != have[i].rank ||
        memcmp(want[i].dim, have[i].dim, want[i].rank * sizeof *want[i].dim)) {
      found(cex, AS_CEX_SHAPE, i, NULL, 0, shape_text(&want[i]), shape_text(&have[i]), method);
      return AS_NO;
    }
    for (size_t k = 0; k < want[i].n; k++) {
      const void *wanted = as_tensor_at(&want[i], k);
      const void *had = as_tensor_at(&have[i], k);
      unsigned flags = domain->flags(domain, had);
      if (flags & AS_F_UNDEF) {
        found(cex, AS_CEX_UNDEFINED, i, &want[i], k, domain->print(domain, wanted),
              as_strdup("undefined"), method);
        return AS_NO;
      }
      if (flags & AS_F_POISON) {
        doubt = true;
        continue;
      }
      if (interval ? as_interval_disjoint(domain, wanted, had)
                   : domain->cmp(domain, wanted, had) != AS_C_EQ) {
        found_value(cex, i, &want[i], &have[i], k, interval);
        if (!cex->faint)
          return AS_NO;
        continue;
      }
      if (flags || (interval && as_interval_distance_log2(domain, wanted, had) > -40))
        doubt = true; /* they meet, but are wide: look closer */
    }
  }
  if (cex->given)
    return AS_NO;
  if (marks->flags & AS_F_UNDEF) {
    const char *name = cand->node[marks->node].name;
    found(cex, AS_CEX_UNDEFINED, AS_NONE, NULL, 0, as_strdup("defined"),
          as_format("an element of `%s` is undefined", name ? name : "a number"), method);
    return AS_NO;
  }
  return doubt ? AS_UNKNOWN : AS_OK;
}

/* AS_UNKNOWN: the domain does not settle it */
static as_status compare_over(const as_graph *spec, const as_graph *cand, const int64_t *env,
                              as_eval_codes *codes, const as_tensor *exact, const as_domain *domain,
                              bool interval, uint64_t max_ops, uint64_t *spent, as_given *given,
                              as_cex *cex, as_err *err) {
  as_tensor *inputs = convert(spec, exact, domain);
  as_tensor *want = as_calloc(spec->n_output + 1, sizeof *want);
  as_tensor *have = as_calloc(cand->n_output + 1, sizeof *have);
  as_err why;
  as_err_init(&why);
  as_eval_marks marks;
  as_status evaluated =
      as_eval_graph_again(spec, domain, env, codes, inputs, want, max_ops, &marks, &why);
  *spent += marks.ops;
  as_status verdict = AS_UNKNOWN;
  if (evaluated != AS_OK) {
    as_err_set(err, evaluated == AS_NO ? AS_UNKNOWN : evaluated, "%s",
               why.text ? why.text : "the program could not be evaluated");
    if (evaluated == AS_NO)
      *given = AS_GIVEN_NOT_HERE;
    verdict = evaluated == AS_NO ? AS_UNKNOWN : evaluated;
  } else if (marks.flags & AS_F_UNDEF) {
    as_err_set(err, AS_UNKNOWN, "the program given is undefined there");
    *given = AS_GIVEN_NOT_HERE;
  } else if (!marks.flags) {
    *given = AS_GIVEN_DEFINED;
    as_err_clear(&why);
    as_err_init(&why);
    evaluated = as_eval_graph_again(cand, domain, env, codes, inputs, have, max_ops, &marks, &why);
    *spent += marks.ops;
    if (evaluated == AS_OK) {
      verdict = compare(spec, cand, want, have, interval, &marks, cex);
    } else if (evaluated == AS_NO) {
      found(cex, AS_CEX_ILLFORMED, 0, NULL, 0, as_strdup("defined"),
            as_strdup(why.text ? why.text : "ill-formed"),
            interval ? "intervals" : "exact rationals");
      verdict = AS_NO;
    } else {
      as_err_set(err, evaluated, "%s",
                 why.text ? why.text : "the candidate could not be evaluated");
      verdict = evaluated;
    }
  }
  as_err_clear(&why);
  as_inputs_free(spec, inputs);
  as_outputs_free(spec, want);
  as_outputs_free(cand, have);
  return verdict;
}

void as_compare_keep(const as_graph *spec, const as_graph *cand, const int64_t *env,
                     const as_tensor *exact, as_cex *cex) {
  const as_graph *graphs[2] = {spec, cand};
  cex->size = as_calloc(spec->n_own_size + cand->n_own_size + 1, sizeof *cex->size);
  cex->value = as_calloc(spec->n_own_size + cand->n_own_size + 1, sizeof *cex->value);
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < graphs[side]->n_own_size; i++) {
      uint32_t j = 0;
      while (j < cex->n_sizes && cex->size[j] != graphs[side]->own_size[i])
        j++;
      if (j < cex->n_sizes)
        continue;
      cex->size[cex->n_sizes] = graphs[side]->own_size[i];
      cex->value[cex->n_sizes++] = env[graphs[side]->own_size[i]];
    }
  }
  cex->n_inputs = spec->n_input;
  cex->input = convert(spec, exact, &as_domain_exact);
}

as_status as_compare_again(const as_graph *spec, const as_graph *cand, const int64_t *env,
                           as_eval_codes *codes, const as_tensor *exact, uint64_t max_ops,
                           uint64_t *spent, as_given *given, as_cex *cex, as_err *err) {
  as_given unused;
  if (!given)
    given = &unused;
  *given = AS_GIVEN_OPEN;
  as_cex_init(cex);
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  if (spec->n_output != cand->n_output || spec->n_input != cand->n_input) {
    as_err_set(err, AS_BAD_INPUT, "the two programs have other inputs or outputs");
    return AS_BAD_INPUT;
  }
  as_status verdict = compare_over(spec, cand, env, codes, exact, &as_domain_exact, false, max_ops,
                                   spent, given, cex, err);
  static const long bits[] = {100, 400};
  for (size_t i = 0;
       verdict == AS_UNKNOWN && *given != AS_GIVEN_NOT_HERE && i < sizeof bits / sizeof *bits;
       i++) {
    as_interval_domain interval;
    as_interval_domain_init(&interval, bits[i]);
    verdict = compare_over(spec, cand, env, NULL, exact, &interval.d, true, max_ops, spent, given,
                           cex, err);
  }
  if (verdict == AS_NO)
    as_compare_keep(spec, cand, env, exact, cex);
  return verdict;
}

uint64_t as_compare_affordable(uint64_t max_ops, double until) {
  const double SLOWEST = 500000; /* operations a second */
  double most = until > 0 ? (until - as_now()) * SLOWEST : (double)max_ops;
  if (until <= 0 || (max_ops > 0 && most > (double)max_ops))
    return max_ops;
  return most < 1 ? 1 : (uint64_t)most;
}

as_status as_compare_at(const as_graph *spec, const as_graph *cand, const int64_t *env,
                        const as_tensor *exact, uint64_t max_ops, as_given *given, as_cex *cex,
                        as_err *err) {
  uint64_t spent = 0;
  return as_compare_again(spec, cand, env, NULL, exact, max_ops, &spent, given, cex, err);
}

as_status as_cex_replay(const as_graph *spec, const as_graph *cand, const as_cex *cex,
                        as_err *err) {
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  int64_t *env = as_env_new(spec->sizes);
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    env[cex->size[i]] = cex->value[i];
  as_cex again;
  as_status verdict = AS_UNKNOWN;
  const as_graph *graphs[2] = {spec, cand};
  bool fits = true;
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < graphs[side]->n_fact; i++)
      fits &= as_fact_holds(spec->sizes, &graphs[side]->fact[i], env);
  }
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    fits &= cex->value[i] >= as_size_least(spec->sizes, cex->size[i]);
  if (!fits) {
    as_err_set(err, AS_OK, "the sizes do not satisfy the relations");
    verdict = AS_OK;
  } else {
    verdict = as_compare_at(spec, cand, env, cex->input, 0, NULL, &again, err);
    as_cex_clear(&again);
  }
  free(env);
  return verdict;
}

static void tensor_text(as_str *text, const as_tensor *tensor, uint32_t axis, size_t *position,
                        uint32_t *shown) {
  if (axis == tensor->rank) {
    char *value = as_domain_exact.print(&as_domain_exact, as_tensor_at(tensor, (*position)++));
    if (++*shown <= 64)
      as_str_add(text, value);
    free(value);
    return;
  }
  as_str_add(text, "[");
  for (int64_t i = 0; i < tensor->dim[axis]; i++) {
    if (*shown >= 64) {
      as_str_add(text, " ...");
      break;
    }
    if (i)
      as_str_add(text, ", ");
    tensor_text(text, tensor, axis + 1, position, shown);
  }
  as_str_add(text, "]");
}

void as_cex_tensor(as_str *text, const as_tensor *tensor) {
  size_t position = 0;
  uint32_t shown = 0;
  tensor_text(text, tensor, 0, &position, &shown);
}

char *as_cex_print(const as_graph *spec, const as_cex *cex) {
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "sizes");
  for (uint32_t i = 0; i < cex->n_sizes; i++) {
    as_str_printf(&text, "%s %s = %lld", i ? "," : "", as_size_name(spec->sizes, cex->size[i]),
                  (long long)cex->value[i]);
  }
  as_str_add(&text, "\n");
  for (uint32_t i = 0; i < cex->n_inputs; i++) {
    as_str_printf(&text, "%s = ", spec->node[spec->input[i]].name);
    as_cex_tensor(&text, &cex->input[i]);
    as_str_add(&text, "\n");
  }
  const char *name =
      cex->output < spec->n_output ? spec->node[spec->output[cex->output]].name : "?";
  as_str index;
  as_str_init(&index);
  for (uint32_t i = 0; i < cex->rank; i++)
    as_str_printf(&index, "%s%lld", i ? ", " : "", (long long)cex->index[i]);
  switch (cex->kind) {
  case AS_CEX_VALUE:
  case AS_CEX_UNDEFINED:
    if (cex->output == AS_NONE) {
      as_str_printf(&text, "given defined, candidate undefined: %s (%s)\n", cex->candidate,
                    cex->method);
    } else {
      as_str_printf(&text, "%s[%s]: given %s, candidate %s (%s)\n", name, index.s ? index.s : "",
                    cex->given, cex->candidate, cex->method);
    }
    break;
  case AS_CEX_SHAPE:
    as_str_printf(&text, "%s: given of shape %s, candidate of shape %s\n", name, cex->given,
                  cex->candidate);
    break;
  case AS_CEX_ILLFORMED:
    as_str_printf(&text, "the candidate is ill-formed there: %s\n", cex->candidate);
    break;
  }
  as_str_clear(&index);
  return as_str_take(&text);
}

/* One comparison of two programs at concrete sizes and inputs, with proof: exact rationals, then
 * intervals. */
#include "refute.h"
#include <stdlib.h>
#include <string.h>

void as_cex_init(as_cex *c) {
  memset(c, 0, sizeof *c);
}

void as_cex_clear(as_cex *c) {
  for (uint32_t i = 0; i < c->n_inputs; i++)
    as_tensor_clear(&c->input[i]);
  free(c->input);
  free(c->size);
  free(c->value);
  free(c->given);
  free(c->candidate);
  memset(c, 0, sizeof *c);
}

as_graph as_graph_over(const as_graph *g, as_sizes *S) {
  as_graph view = *g;
  view.sizes = S;
  return view;
}

as_tensor *as_inputs_new(const as_graph *spec, const as_domain *d, const int64_t *env,
                         as_err *err) {
  as_tensor *in = as_calloc(spec->n_input + 1, sizeof *in);
  size_t used = 0;
  for (uint32_t i = 0; i < spec->n_input; i++) {
    const as_node *n = &spec->node[spec->input[i]];
    int64_t dim[AS_MAX_RANK];
    bool fits = true;
    for (uint32_t k = 0; k < n->rank; k++) {
      dim[k] = as_size_eval(spec->sizes, n->dim[k], env);
      fits = fits && dim[k] >= 0;
    }
    if (!fits || !as_tensor_fits(d, dim, n->rank, &used)) {
      as_err_set(err, AS_UNKNOWN,
                 "input %s is too large to evaluate, or has no shape, at these sizes", n->name);
      as_inputs_free(spec, in);
      return NULL;
    }
    as_tensor_init(&in[i], d, dim, n->rank);
  }
  return in;
}

void as_inputs_free(const as_graph *spec, as_tensor *in) {
  if (!in)
    return;
  for (uint32_t i = 0; i < spec->n_input; i++)
    as_tensor_clear(&in[i]);
  free(in);
}

static as_tensor *convert(const as_graph *spec, const as_tensor *exact, const as_domain *d) {
  as_tensor *in = as_calloc(spec->n_input + 1, sizeof *in);
  for (uint32_t i = 0; i < spec->n_input; i++) {
    as_tensor_init(&in[i], d, exact[i].dim, exact[i].rank);
    for (size_t k = 0; k < in[i].n; k++) {
      d->from_q(d, as_tensor_at(&in[i], k),
                *(mpq_t *)as_tensor_at(&exact[i], k)); /* an exact element starts with its mpq_t */
    }
  }
  return in;
}

static void free_outputs(const as_graph *g, as_tensor *t) {
  for (uint32_t i = 0; i < g->n_output; i++)
    as_tensor_clear(&t[i]);
  free(t);
}

static void found(as_cex *c, as_cex_kind kind, uint32_t output, const as_tensor *shape, size_t at,
                  char *given, char *cand, const char *method) {
  c->kind = kind;
  c->output = output;
  c->rank = shape ? shape->rank : 0;
  for (uint32_t i = c->rank; i-- > 0;) {
    int64_t e = shape->dim[i] ? shape->dim[i] : 1;
    c->index[i] = (int64_t)(at % (size_t)e);
    at /= (size_t)e;
  }
  c->given = given;
  c->candidate = cand;
  c->method = method;
}

static char *shape_text(const as_tensor *t) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "[");
  for (uint32_t i = 0; i < t->rank; i++)
    as_str_printf(&s, "%s%lld", i ? ", " : "", (long long)t->dim[i]);
  as_str_add(&s, "]");
  return as_str_take(&s);
}

/* the given program is defined throughout; marks are the candidate's */
static as_status compare(const as_graph *spec, const as_graph *cand, const as_tensor *a,
                         const as_tensor *b, bool interval, const as_eval_marks *marks,
                         as_cex *cex) {
  const char *method = interval ? "intervals" : "exact rationals";
  bool doubt = marks->flags != 0;
  for (uint32_t i = 0; i < spec->n_output; i++) {
    const as_domain *d = a[i].d;
    if (a[i].rank != b[i].rank || memcmp(a[i].dim, b[i].dim, a[i].rank * sizeof *a[i].dim)) {
      found(cex, AS_CEX_SHAPE, i, NULL, 0, shape_text(&a[i]), shape_text(&b[i]), method);
      return AS_NO;
    }
    for (size_t k = 0; k < a[i].n; k++) {
      const void *x = as_tensor_at(&a[i], k);
      const void *y = as_tensor_at(&b[i], k);
      unsigned f = d->flags(d, y);
      if (f & AS_F_UNDEF) {
        found(cex, AS_CEX_UNDEFINED, i, &a[i], k, d->print(d, x), as_strdup("undefined"), method);
        return AS_NO;
      }
      if (f & AS_F_POISON) {
        doubt = true;
        continue;
      }
      if (interval ? as_interval_disjoint(d, x, y) : d->cmp(d, x, y) != AS_C_EQ) {
        found(cex, AS_CEX_VALUE, i, &a[i], k, d->print(d, x), d->print(d, y), method);
        return AS_NO;
      }
      if (f || (interval && as_interval_distance_log2(d, x, y) > -40))
        doubt = true; /* they meet, but are wide: look closer */
    }
  }
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
                              const as_tensor *exact, const as_domain *d, bool interval,
                              uint64_t max_ops, as_given *given, as_cex *cex, as_err *err) {
  as_tensor *in = convert(spec, exact, d);
  as_tensor *a = as_calloc(spec->n_output + 1, sizeof *a);
  as_tensor *b = as_calloc(cand->n_output + 1, sizeof *b);
  as_err e;
  as_err_init(&e);
  as_eval_marks marks;
  as_status s = as_eval_graph_ops(spec, d, env, in, a, max_ops, &marks, &e);
  as_status r = AS_UNKNOWN;
  if (s != AS_OK) {
    as_err_set(err, s == AS_NO ? AS_UNKNOWN : s, "%s",
               e.text ? e.text : "the program could not be evaluated");
    if (s == AS_NO)
      *given = AS_GIVEN_NOT_HERE;
    r = s == AS_NO ? AS_UNKNOWN : s;
  } else if (marks.flags & AS_F_UNDEF) {
    as_err_set(err, AS_UNKNOWN, "the program given is undefined there");
    *given = AS_GIVEN_NOT_HERE;
  } else if (!marks.flags) {
    *given = AS_GIVEN_DEFINED;
    as_err_clear(&e);
    as_err_init(&e);
    s = as_eval_graph_ops(cand, d, env, in, b, max_ops, &marks, &e);
    if (s == AS_OK) {
      r = compare(spec, cand, a, b, interval, &marks, cex);
    } else if (s == AS_NO) {
      found(cex, AS_CEX_ILLFORMED, 0, NULL, 0, as_strdup("defined"),
            as_strdup(e.text ? e.text : "ill-formed"), interval ? "intervals" : "exact rationals");
      r = AS_NO;
    } else {
      as_err_set(err, s, "%s", e.text ? e.text : "the candidate could not be evaluated");
      r = s;
    }
  }
  as_err_clear(&e);
  as_inputs_free(spec, in);
  free_outputs(spec, a);
  free_outputs(cand, b);
  return r;
}

void as_compare_keep(const as_graph *spec, const as_graph *cand, const int64_t *env,
                     const as_tensor *exact, as_cex *cex) {
  const as_graph *g[2] = {spec, cand};
  cex->size = as_calloc(spec->n_own_size + cand->n_own_size + 1, sizeof *cex->size);
  cex->value = as_calloc(spec->n_own_size + cand->n_own_size + 1, sizeof *cex->value);
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < g[k]->n_own_size; i++) {
      uint32_t j = 0;
      while (j < cex->n_sizes && cex->size[j] != g[k]->own_size[i])
        j++;
      if (j < cex->n_sizes)
        continue;
      cex->size[cex->n_sizes] = g[k]->own_size[i];
      cex->value[cex->n_sizes++] = env[g[k]->own_size[i]];
    }
  }
  cex->n_inputs = spec->n_input;
  cex->input = convert(spec, exact, &as_domain_exact);
}

as_status as_compare_at(const as_graph *spec, const as_graph *cand, const int64_t *env,
                        const as_tensor *exact, uint64_t max_ops, as_given *given, as_cex *cex,
                        as_err *err) {
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
  as_status r =
      compare_over(spec, cand, env, exact, &as_domain_exact, false, max_ops, given, cex, err);
  static const long bits[] = {100, 400};
  for (size_t i = 0;
       r == AS_UNKNOWN && *given != AS_GIVEN_NOT_HERE && i < sizeof bits / sizeof *bits; i++) {
    as_interval_domain I;
    as_interval_domain_init(&I, bits[i]);
    r = compare_over(spec, cand, env, exact, &I.d, true, max_ops, given, cex, err);
  }
  if (r == AS_NO)
    as_compare_keep(spec, cand, env, exact, cex);
  return r;
}

as_status as_cex_replay(const as_graph *spec, const as_graph *cand, const as_cex *cex,
                        as_err *err) {
  as_graph view = as_graph_over(spec, cand->sizes);
  spec = &view;
  int64_t *env = as_env_new(spec->sizes);
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    env[cex->size[i]] = cex->value[i];
  as_cex again;
  as_status r = AS_UNKNOWN;
  const as_graph *g[2] = {spec, cand};
  bool fits = true;
  for (int k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < g[k]->n_fact; i++)
      fits &= as_fact_holds(spec->sizes, &g[k]->fact[i], env);
  }
  for (uint32_t i = 0; i < cex->n_sizes; i++)
    fits &= cex->value[i] >= as_size_least(spec->sizes, cex->size[i]);
  if (!fits) {
    as_err_set(err, AS_OK, "the sizes do not satisfy the relations");
    r = AS_OK;
  } else {
    r = as_compare_at(spec, cand, env, cex->input, 0, NULL, &again, err);
    as_cex_clear(&again);
  }
  free(env);
  return r;
}

char *as_cex_print(const as_graph *spec, const as_cex *c) {
  as_str s;
  as_str_init(&s);
  as_str_add(&s, "sizes");
  for (uint32_t i = 0; i < c->n_sizes; i++) {
    as_str_printf(&s, "%s %s = %lld", i ? "," : "", as_size_name(spec->sizes, c->size[i]),
                  (long long)c->value[i]);
  }
  as_str_add(&s, "\n");
  for (uint32_t i = 0; i < c->n_inputs; i++) {
    as_str_printf(&s, "%s =", spec->node[spec->input[i]].name);
    for (size_t k = 0; k < c->input[i].n; k++) {
      if (k == 64) {
        as_str_add(&s, " ...");
        break;
      }
      char *v = as_domain_exact.print(&as_domain_exact, as_tensor_at(&c->input[i], k));
      as_str_printf(&s, " %s", v);
      free(v);
    }
    as_str_add(&s, "\n");
  }
  const char *name = c->output < spec->n_output ? spec->node[spec->output[c->output]].name : "?";
  as_str idx;
  as_str_init(&idx);
  for (uint32_t i = 0; i < c->rank; i++)
    as_str_printf(&idx, "%s%lld", i ? ", " : "", (long long)c->index[i]);
  switch (c->kind) {
  case AS_CEX_VALUE:
  case AS_CEX_UNDEFINED:
    if (c->output == AS_NONE) {
      as_str_printf(&s, "given defined, candidate undefined: %s (%s)\n", c->candidate, c->method);
    } else {
      as_str_printf(&s, "%s[%s]: given %s, candidate %s (%s)\n", name, idx.s ? idx.s : "", c->given,
                    c->candidate, c->method);
    }
    break;
  case AS_CEX_SHAPE:
    as_str_printf(&s, "%s: given of shape %s, candidate of shape %s\n", name, c->given,
                  c->candidate);
    break;
  case AS_CEX_ILLFORMED:
    as_str_printf(&s, "the candidate is ill-formed there: %s\n", c->candidate);
    break;
  }
  as_str_clear(&idx);
  return as_str_take(&s);
}

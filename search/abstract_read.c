/* Abstract expressions taken apart: arguments of functions, terms and factors, text. */
#include "abstract_store.h"
#include "src/base/str.h"
#include <stdio.h>

uint32_t ax_arguments(ax_store *store, ax_id of, ax_id *out, uint32_t max) {
  uint32_t n = 0;
  if (of == AX_BAD)
    return 0;
  ax_expr of_expr = *AX_EXPR(store, of);
  for (uint32_t i = 0; i < of_expr.n; i++) {
    ax_monomial mono = *AX_MONOMIAL(store, of_expr.terms[i].mono);
    for (uint32_t j = 0; j < mono.n; j++) {
      ax_atom inside = *AX_ATOM(store, mono.factors[j].atom);
      for (uint32_t n_nested = 0; n_nested < inside.n; n_nested++) {
        bool seen = false;
        for (uint32_t known = 0; known < n; known++)
          seen |= out[known] == inside.arg[n_nested];
        if (seen || n == max)
          continue;
        out[n++] = inside.arg[n_nested];
      }
    }
  }
  for (uint32_t done = 0, end = n; done < end; done++) {
    ax_id nested[64];
    uint32_t n_nested = ax_arguments(store, out[done], nested, 64);
    for (uint32_t i = 0; i < n_nested && n < max; i++) {
      bool seen = false;
      for (uint32_t known = 0; known < n; known++)
        seen |= out[known] == nested[i];
      if (!seen)
        out[n++] = nested[i];
    }
  }
  return n;
}

uint32_t ax_n_terms(const ax_store *store, ax_id of) {
  return AX_EXPR(store, of)->n;
}

uint32_t ax_term(const ax_store *store, ax_id of, uint32_t i, int64_t *num, int64_t *den,
                 ax_factor *out, uint32_t max) {
  const ax_addend *product = &AX_EXPR(store, of)->terms[i];
  const ax_monomial *mono = AX_MONOMIAL(store, product->mono);
  *num = product->num;
  *den = product->den;
  for (uint32_t j = 0; j < mono->n && j < max; j++) {
    const ax_atom *inside = AX_ATOM(store, mono->factors[j].atom);
    out[j] =
        (ax_factor){mono->factors[j].atom, inside->kind, inside->payload, inside->parts,
                    inside->head,          inside->n,    inside->arg,     mono->factors[j].exp};
  }
  return mono->n < max ? mono->n : max;
}

bool ax_long_number(const ax_store *store, ax_id of, mpq_t value) {
  const ax_expr *number = AX_EXPR(store, of);
  if (number->n != 1)
    return false;
  const ax_addend *term = number->terms;
  const ax_monomial *mono = AX_MONOMIAL(store, term->mono);
  if (mono->n != 1 || mono->factors[0].exp != 1 || term->den != 1)
    return false;
  const ax_atom *digits = AX_ATOM(store, mono->factors[0].atom);
  if (digits->kind != AX_OPAQUE || digits->n || mpq_set_str(value, digits->head, 10) != 0)
    return false;
  if (term->num < 0)
    mpq_neg(value, value);
  return term->num == 1 || term->num == -1;
}

static void print_expr(const ax_store *store, ax_id of, as_str *text) {
  static const char *const name[] = {"X", "n", "c", "inv", "exp", "log", "sqrt", "max", "min", ""};
  const ax_expr *of_expr = AX_EXPR(store, of);
  if (!of_expr->n)
    as_str_add(text, "0");
  for (uint32_t i = 0; i < of_expr->n; i++) {
    const ax_monomial *mono = AX_MONOMIAL(store, of_expr->terms[i].mono);
    if (i)
      as_str_add(text, " + ");
    bool first = true;
    if (of_expr->terms[i].num != 1 || of_expr->terms[i].den != 1 || !mono->n) {
      as_str_printf(text, "%lld", (long long)of_expr->terms[i].num);
      if (of_expr->terms[i].den != 1)
        as_str_printf(text, "/%lld", (long long)of_expr->terms[i].den);
      first = false;
    }
    for (uint32_t j = 0; j < mono->n; j++) {
      const ax_atom *inside = AX_ATOM(store, mono->factors[j].atom);
      as_str_printf(text, "%s%s", first ? "" : "*",
                    inside->kind == AX_OPAQUE ? inside->head : name[inside->kind]);
      first = false;
      if (!inside->n || inside->kind == AX_SUM)
        as_str_printf(text, "%u", inside->payload);
      if (inside->kind == AX_MAXR || inside->kind == AX_MINR)
        as_str_printf(text, "%llx", (unsigned long long)inside->parts);
      for (uint32_t k = 0; k < inside->n; k++) {
        as_str_add(text, k ? ", " : "(");
        print_expr(store, inside->arg[k], text);
      }
      if (inside->n)
        as_str_add(text, ")");
      if (mono->factors[j].exp != 1)
        as_str_printf(text, "^%d", mono->factors[j].exp);
    }
  }
}

char *ax_print(const ax_store *store, ax_id of) {
  as_str text;
  as_str_init(&text);
  if (of == AX_BAD)
    as_str_add(&text, "?");
  else
    print_expr(store, of, &text);
  return as_str_take(&text);
}

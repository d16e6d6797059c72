/* Sizes as text.  Terms are ordered by their own text, so the same polynomial prints the same
 * whatever ids its symbols have. */
#include "size.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long coef;
  uint32_t n;
  char *text;
} term;

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_term(const void *a, const void *b) {
  const term *x = a;
  const term *y = b;
  if ((x->coef < 0) != (y->coef < 0))
    return x->coef < 0 ? 1 : -1; /* no leading minus where it can be helped */
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  return strcmp(x->text, y->text);
}

static char *print_operand(const as_sizes *sizes, as_size a) {
  long value;
  char *text = as_size_print(sizes, a);
  if (as_size_is_sym(sizes, a) || (as_size_is_const(sizes, a, &value) && value >= 0))
    return text;
  char *t = as_format("(%s)", text);
  free(text);
  return t;
}

/* How much is left of a sum without a size that is one of its terms, where that is a number; 0: it
 * is none. */
static long number_beside(const as_sizes *sizes, as_size sum, as_size size) {
  uint32_t n = as_size_nmono(sizes, sum);
  long number = 0;
  bool has_size = false;
  for (uint32_t i = 0; i < n && n == 2; i++) {
    as_size_mono mono = as_size_get_mono(sizes, sum, i);
    if (mono.n == 0)
      number = mono.coef;
    else
      has_size = mono.n == 1 && mono.coef == 1 && mono.atom[0] == size;
  }
  return has_size ? number : 0;
}

static char *print_atom(const as_sizes *sizes, as_size a) {
  as_size num;
  as_size den;
  as_size_kind k = as_size_atom(sizes, a, &num, &den);
  if (k == AS_SIZE_SYM)
    return as_strdup(as_size_name(sizes, a));
  long beside = k == AS_SIZE_DIV && as_size_is_sym(sizes, den) ? number_beside(sizes, num, den) : 0;
  /* a number of tiles, as the claim knows it: what they cover stands by itself */
  if (beside > 0 && beside < LONG_MAX)
    return as_format("(%ld + %s - 1) div %s", beside + 1, as_size_name(sizes, den),
                     as_size_name(sizes, den));
  bool call = k == AS_SIZE_MAX || k == AS_SIZE_MIN;
  char *x = call ? as_size_print(sizes, num) : print_operand(sizes, num);
  char *y = call ? as_size_print(sizes, den) : print_operand(sizes, den);
  char *text = as_format(call ? "%s(%s, %s)" : "%2$s %1$s %3$s",
                         k == AS_SIZE_MAX   ? "max"
                         : k == AS_SIZE_MIN ? "min"
                         : k == AS_SIZE_DIV ? "div"
                                            : "mod",
                         x, y);
  free(x);
  free(y);
  return text;
}

static char *print_atoms(const as_sizes *sizes, as_size_mono mono, bool alone) {
  char **part = as_calloc(mono.n, sizeof *part);
  for (uint32_t i = 0; i < mono.n; i++) {
    part[i] = print_atom(sizes, mono.atom[i]);
    if (alone || as_size_is_sym(sizes, mono.atom[i]))
      continue;
    char *text = as_format("(%s)", part[i]);
    free(part[i]);
    part[i] = text;
  }
  qsort(part, mono.n, sizeof *part, by_text);
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < mono.n; i++) {
    as_str_printf(&out, "%s%s", i ? "*" : "", part[i]);
    free(part[i]);
  }
  free(part);
  return as_str_take(&out);
}

char *as_size_print(const as_sizes *sizes, as_size a) {
  if (a >= as_size_count(sizes))
    return as_strdup("?");
  uint32_t n = as_size_nmono(sizes, a);
  if (n == 0)
    return as_strdup("0");
  term *t = as_calloc(n, sizeof *t);
  for (uint32_t i = 0; i < n; i++) {
    as_size_mono mono = as_size_get_mono(sizes, a, i);
    t[i] = (term){mono.coef, mono.n,
                  print_atoms(sizes, mono, n == 1 && mono.n == 1 && mono.coef == 1)};
  }
  qsort(t, n, sizeof *t, by_term);
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < n; i++) {
    unsigned long c = t[i].coef < 0 ? -(unsigned long)t[i].coef : (unsigned long)t[i].coef;
    as_str_add(&out, t[i].coef < 0 ? (i ? " - " : "-") : (i ? " + " : ""));
    if (t[i].n == 0)
      as_str_printf(&out, "%lu", c);
    if (t[i].n != 0 && c != 1)
      as_str_printf(&out, "%lu*", c);
    as_str_add(&out, t[i].text);
    free(t[i].text);
  }
  free(t);
  return as_str_take(&out);
}

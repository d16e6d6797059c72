/* Symbolic extents of lifted graphs: products of atoms, and how a grid or a loop divides them. */
#include "mirage_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mi_refuse(mi_lift *lifting, const char *fmt, ...) {
  va_list args;
  char text[400];
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return as_err_set(lifting->err, AS_BAD_INPUT, "graph %zu: %s", lifting->index, text);
}

const char *mi_fresh_name(mi_lift *lifting, char letter) {
  uint32_t *count = &lifting->count[(letter | 32) - 'a'];
  for (;;) {
    char text[16];
    bool used = false;
    snprintf(text, sizeof text, "%c%u", letter, ++*count);
    for (size_t i = 0; i < lifting->name.n && !used; i++)
      used = strcmp(AS_VEC_AT(&lifting->name, const char *, i), text) == 0;
    if (!used)
      return as_arena_strdup(lifting->arena, text);
  }
}

int mi_atom_new(mi_lift *lifting, const char *text, int64_t value, bool own) {
  for (size_t i = 0; i < lifting->atom.n; i++) {
    if (strcmp(AS_VEC_AT(&lifting->atom, mi_atom, i).text, text) == 0)
      return (int)i;
  }
  mi_atom atom = {.text = as_arena_strdup(lifting->arena, text), .value = value, .own = own};
  as_vec_push(&lifting->atom, &atom);
  return (int)lifting->atom.n - 1;
}

static int number(mi_lift *lifting, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return mi_atom_new(lifting, text, value, false);
}

int mi_atom_fresh(mi_lift *lifting, char letter, int64_t value) {
  if (lifting->fixed)
    return number(lifting, value);
  return mi_atom_new(lifting, mi_fresh_name(lifting, letter), value, true);
}

const mi_atom *mi_atom_at(const mi_lift *lifting, int id) {
  return &AS_VEC_AT(&lifting->atom, mi_atom, id);
}

mi_extent mi_extent_of(int atom) {
  return (mi_extent){1, {atom}};
}

bool mi_extent_times(mi_extent *product, const mi_extent *by) {
  if (product->n + by->n > MI_FACTORS)
    return false;
  for (uint32_t i = 0; i < by->n; i++)
    product->factor[product->n++] = by->factor[i];
  return true;
}

static void drop(mi_extent *product, uint32_t at) {
  for (uint32_t i = at + 1; i < product->n; i++)
    product->factor[i - 1] = product->factor[i];
  product->n--;
}

/* takes the factors of `part` out of e, if all are there; `at` becomes the place of the first */
static bool take_out(mi_extent *product, const mi_extent *part, uint32_t *at) {
  mi_extent rest = *product;
  *at = product->n;
  for (uint32_t k = 0; k < part->n; k++) {
    uint32_t i = 0;
    while (i < rest.n && rest.factor[i] != part->factor[k])
      i++;
    if (i == rest.n)
      return false;
    drop(&rest, i);
    if (i < *at)
      *at = i;
  }
  *product = rest;
  return true;
}

bool mi_extent_same(const mi_extent *left, const mi_extent *right) {
  mi_extent rest = *left;
  uint32_t at;
  return left->n == right->n && take_out(&rest, right, &at);
}

int64_t mi_extent_value(const mi_lift *lifting, const mi_extent *extent) {
  int64_t value = 1;
  for (uint32_t i = 0; i < extent->n; i++) {
    if (__builtin_mul_overflow(value, mi_atom_at(lifting, extent->factor[i])->value, &value))
      return -1;
  }
  return value;
}

bool mi_extent_resolve(const mi_lift *lifting, mi_extent *extent) {
  for (uint32_t i = 0; i < extent->n;) {
    const mi_atom *atom = mi_atom_at(lifting, extent->factor[i]);
    if (!atom->product) {
      i++;
      continue;
    }
    mi_extent out = {0};
    mi_extent head = *extent;
    mi_extent tail = {0};
    head.n = i;
    for (uint32_t k = i + 1; k < extent->n; k++)
      tail.factor[tail.n++] = extent->factor[k];
    if (!mi_extent_times(&out, &head) || !mi_extent_times(&out, &atom->factors) ||
        !mi_extent_times(&out, &tail))
      return false;
    *extent = out;
  }
  return true;
}

void mi_extent_print(const mi_extent *extent, as_str *out) {
  for (uint32_t i = 0; i < extent->n; i++)
    as_str_printf(out, "%s$%d;", i ? " * " : "", extent->factor[i]);
  if (extent->n == 0)
    as_str_add(out, "1");
}

bool mi_finish(const mi_lift *lifting, const char *body, as_str *out) {
  for (const char *at = body; *at;) {
    size_t plain = strcspn(at, "$");
    as_str_addn(out, at, plain);
    at += plain;
    if (*at == 0)
      break;
    char *end;
    mi_extent extent = mi_extent_of((int)strtol(at + 1, &end, 10));
    if (!mi_extent_resolve(lifting, &extent))
      return false;
    for (uint32_t i = 0; i < extent.n; i++)
      as_str_printf(out, "%s%s", i ? " * " : "", mi_atom_at(lifting, extent.factor[i])->text);
    if (extent.n == 0)
      as_str_add(out, "1");
    at = end + 1;
  }
  return true;
}

void mi_extent_contract(const mi_lift *lifting, mi_extent *extent) {
  for (size_t i = 0; i < lifting->relation.n; i++) {
    const mi_relation *relation = &AS_VEC_AT(&lifting->relation, mi_relation, i);
    mi_extent rest = *extent;
    mi_extent out = {0};
    mi_extent parts = relation->parts;
    uint32_t at;
    if (!mi_extent_resolve(lifting, &parts) || parts.n == 0 || !take_out(&rest, &parts, &at) ||
        rest.n + relation->whole.n > MI_FACTORS)
      continue;
    for (uint32_t k = 0; k < at; k++)
      out.factor[out.n++] = rest.factor[k];
    for (uint32_t k = 0; k < relation->whole.n; k++)
      out.factor[out.n++] = relation->whole.factor[k];
    for (uint32_t k = at; k < rest.n; k++)
      out.factor[out.n++] = rest.factor[k];
    *extent = out;
    i = (size_t)-1; /* from the first relation again: each contraction only shrinks what is the
                       muGraph's own */
  }
}

static bool relate(mi_lift *lifting, const mi_extent *whole, const mi_extent *parts) {
  mi_relation relation = {*whole, *parts};
  if (lifting->fixed || mi_extent_same(whole, parts))
    return true;
  mi_atom *only = whole->n == 1 ? &AS_VEC_AT(&lifting->atom, mi_atom, whole->factor[0]) : NULL;
  if (only && only->own) {
    only->product = true;
    only->factors = *parts;
    return true;
  }
  as_vec_push(&lifting->relation, &relation);
  return true;
}

void mi_extent_collapse(mi_lift *lifting, mi_extent *extent) {
  if (lifting->fixed && extent->n > 0) {
    int64_t value = mi_extent_value(lifting, extent);
    *extent = value == 1 ? (mi_extent){0} : mi_extent_of(number(lifting, value));
  }
}

/* replaces an own size by what it is equal to */
static bool replace(mi_lift *lifting, const mi_extent *own, const mi_extent *by) {
  if (own->n != 1)
    return false;
  mi_atom *atom = &AS_VEC_AT(&lifting->atom, mi_atom, own->factor[0]);
  for (uint32_t i = 0; i < by->n; i++) {
    if (by->factor[i] == own->factor[0])
      return false;
  }
  if (!atom->own)
    return false;
  atom->product = true;
  atom->factors = *by;
  return true;
}

bool mi_extent_meet(mi_lift *lifting, const mi_extent *left, const mi_extent *right,
                    const char *what) {
  mi_extent sides[2] = {*left, *right};
  int64_t values[2];
  for (int i = 0; i < 2; i++) {
    if (!mi_extent_resolve(lifting, &sides[i]))
      return mi_refuse(lifting, "too many factors in an extent");
    mi_extent_contract(lifting, &sides[i]);
    values[i] = mi_extent_value(lifting, &sides[i]);
  }
  if (values[0] != values[1])
    return mi_refuse(lifting, "%s: extents of %lld and %lld meet", what, (long long)values[0],
                     (long long)values[1]);
  if (lifting->fixed || mi_extent_same(&sides[0], &sides[1]) ||
      replace(lifting, &sides[0], &sides[1]) || replace(lifting, &sides[1], &sides[0]))
    return true;
  /* sizes of the program: both are one size of the graph's own, since a graph states nothing of the
   * program's among themselves */
  mi_extent both = mi_extent_of(mi_atom_fresh(lifting, 'F', values[0]));
  for (int i = 0; i < 2; i++) {
    mi_relation relation = {sides[i], both};
    if (sides[i].n > 0)
      as_vec_push(&lifting->relation, &relation);
  }
  return true;
}

bool mi_extent_of_size(mi_lift *lifting, as_size size, const char *what, mi_extent *extent) {
  const as_graph *program = lifting->program;
  int64_t value;
  long one;
  if (!as_graph_concrete(program, size, &value))
    return mi_refuse(lifting, "%s has no concrete value", what);
  bool number_one = as_size_is_const(program->sizes, size, &one) && value == 1;
  if (number_one || lifting->fixed) {
    *extent = value == 1 ? (mi_extent){0} : mi_extent_of(number(lifting, value));
    return true;
  }
  char *text = as_size_print(program->sizes, size);
  bool plain = as_size_is_sym(program->sizes, size) || as_size_is_const(program->sizes, size, &one);
  char *term = plain ? as_strdup(text) : as_format("(%s)", text);
  *extent = mi_extent_of(mi_atom_new(lifting, term, value, false));
  free(term);
  free(text);
  return true;
}

/* divides by the atoms of q: the outermost factor when that divides, otherwise the whole product */
static bool divide(mi_lift *lifting, mi_extent *extent, const mi_extent *divisors) {
  int64_t by = mi_extent_value(lifting, divisors);
  int64_t value = mi_extent_value(lifting, extent);
  if (by < 1 || value < 1 || value % by) {
    return mi_refuse(lifting, "an axis of %lld is divided into %lld equal parts", (long long)value,
                     (long long)by);
  }
  mi_extent whole = *extent;
  mi_extent parts = *divisors;
  mi_extent rest = {0};
  int64_t lead = extent->n ? mi_atom_at(lifting, extent->factor[0])->value : 1;
  if (lead % by == 0 && extent->n) {
    whole = mi_extent_of(extent->factor[0]);
    rest = *extent;
    drop(&rest, 0);
    value = lead;
  }
  mi_extent out = {0};
  if (value / by != 1)
    out = mi_extent_of(mi_atom_fresh(lifting, 'S', value / by));
  if (!mi_extent_times(&parts, &out) || !relate(lifting, &whole, &parts))
    return mi_refuse(lifting, "too many factors in an extent");
  *extent = out;
  if (lifting->fixed && mi_extent_times(extent, &rest)) {
    mi_extent_collapse(lifting, extent);
    return true;
  }
  return mi_extent_times(extent, &rest) || mi_refuse(lifting, "too many factors in an extent");
}

bool mi_extent_tile(mi_lift *lifting, const mi_extent *whole, int grid, bool loop,
                    mi_extent *tile) {
  mi_extent divisors = {0};
  if (grid >= 0)
    divisors.factor[divisors.n++] = lifting->part[grid];
  if (loop)
    divisors.factor[divisors.n++] = lifting->part[MI_LOOP];
  *tile = *whole;
  if (divisors.n == 0)
    return true;
  if (!mi_extent_resolve(lifting, &divisors))
    return mi_refuse(lifting, "too many factors in an extent");
  for (size_t i = 0; i < lifting->split.n; i++) {
    mi_split *known = &AS_VEC_AT(&lifting->split, mi_split, i);
    if (!mi_extent_resolve(lifting, &known->whole) || !mi_extent_resolve(lifting, &known->tile))
      return mi_refuse(lifting, "too many factors in an extent");
    if (known->grid != grid || known->by[1] != loop || !mi_extent_same(&known->whole, whole))
      continue;
    *tile = known->tile;
    return true;
  }
  uint32_t at;
  for (uint32_t k = 0;
       k < divisors.n;) { /* a factor that is the extent of the grid axis or of the loop */
    mi_extent one = mi_extent_of(divisors.factor[k]);
    if (take_out(tile, &one, &at))
      drop(&divisors, k);
    else
      k++;
  }
  if (divisors.n && !divide(lifting, tile, &divisors))
    return false;
  mi_split known = {*whole, {grid >= 0, loop}, grid, *tile};
  as_vec_push(&lifting->split, &known);
  return true;
}

bool mi_extent_cut(mi_lift *lifting, const mi_extent *extent, int64_t value, mi_extent *outer,
                   mi_extent *inner) {
  int64_t all = mi_extent_value(lifting, extent);
  if (value < 1 || all % value)
    return mi_refuse(lifting, "an axis of %lld is reduced to %lld", (long long)all,
                     (long long)value);
  int64_t product = 1;
  for (uint32_t k = extent->n + 1; k-- > 0;) { /* the innermost factors that make up this value */
    if (k < extent->n)
      product *= mi_atom_at(lifting, extent->factor[k])->value;
    if (product != value || (value == 1 && k < extent->n))
      continue;
    *outer = *inner = (mi_extent){0};
    for (uint32_t i = 0; i < extent->n; i++) {
      mi_extent *to = i < k ? outer : inner;
      to->factor[to->n++] = extent->factor[i];
    }
    return true;
  }
  size_t width =
      0; /* a width that cuts no factor becomes a size of its own, the same wherever it is met */
  while (width < lifting->atom.n && !(mi_atom_at(lifting, (int)width)->width &&
                                      mi_atom_at(lifting, (int)width)->value == value))
    width++;
  if (width == lifting->atom.n) {
    width = (size_t)mi_atom_fresh(lifting, 'W', value);
    AS_VEC_AT(&lifting->atom, mi_atom, width).width = true;
  }
  *inner = mi_extent_of((int)width);
  *outer = mi_extent_of(mi_atom_fresh(lifting, 'U', all / value));
  mi_extent parts = *outer;
  return mi_extent_times(&parts, inner) && relate(lifting, extent, &parts);
}

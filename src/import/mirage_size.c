/* Symbolic extents of lifted graphs: products of atoms, and how a grid or a loop divides them. */
#include "mirage_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mi_bad(mi_lift *m, const char *fmt, ...) {
  va_list ap;
  char text[400];
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return as_err_set(m->err, AS_BAD_INPUT, "graph %zu: %s", m->index, text);
}

const char *mi_fresh_name(mi_lift *m, char letter) {
  uint32_t *count = &m->count[(letter | 32) - 'a'];
  for (;;) {
    char text[16];
    bool used = false;
    snprintf(text, sizeof text, "%c%u", letter, ++*count);
    for (size_t i = 0; i < m->name.n && !used; i++)
      used = strcmp(AS_VEC_AT(&m->name, const char *, i), text) == 0;
    if (!used)
      return as_arena_strdup(m->mem, text);
  }
}

int mi_atom_new(mi_lift *m, const char *text, int64_t value, bool own) {
  for (size_t i = 0; i < m->atom.n; i++) {
    if (strcmp(AS_VEC_AT(&m->atom, mi_atom, i).text, text) == 0)
      return (int)i;
  }
  mi_atom a = {.text = as_arena_strdup(m->mem, text), .value = value, .own = own};
  as_vec_push(&m->atom, &a);
  return (int)m->atom.n - 1;
}

int mi_atom_fresh(mi_lift *m, char letter, int64_t value) {
  return mi_atom_new(m, mi_fresh_name(m, letter), value, true);
}

const mi_atom *mi_atom_at(const mi_lift *m, int id) {
  return &AS_VEC_AT(&m->atom, mi_atom, id);
}

mi_extent mi_extent_of(int atom) {
  return (mi_extent){1, {atom}};
}

bool mi_extent_times(mi_extent *e, const mi_extent *by) {
  if (e->n + by->n > MI_FACTORS)
    return false;
  for (uint32_t i = 0; i < by->n; i++)
    e->a[e->n++] = by->a[i];
  return true;
}

static void drop(mi_extent *e, uint32_t at) {
  for (uint32_t i = at + 1; i < e->n; i++)
    e->a[i - 1] = e->a[i];
  e->n--;
}

/* takes the factors of `part` out of e, if all are there; `at` becomes the place of the first */
static bool take_out(mi_extent *e, const mi_extent *part, uint32_t *at) {
  mi_extent r = *e;
  *at = e->n;
  for (uint32_t k = 0; k < part->n; k++) {
    uint32_t i = 0;
    while (i < r.n && r.a[i] != part->a[k])
      i++;
    if (i == r.n)
      return false;
    drop(&r, i);
    if (i < *at)
      *at = i;
  }
  *e = r;
  return true;
}

bool mi_extent_same(const mi_extent *a, const mi_extent *b) {
  mi_extent r = *a;
  uint32_t at;
  return a->n == b->n && take_out(&r, b, &at);
}

int64_t mi_extent_value(const mi_lift *m, const mi_extent *e) {
  int64_t v = 1;
  for (uint32_t i = 0; i < e->n; i++) {
    if (__builtin_mul_overflow(v, mi_atom_at(m, e->a[i])->value, &v))
      return -1;
  }
  return v;
}

bool mi_extent_resolve(const mi_lift *m, mi_extent *e) {
  for (uint32_t i = 0; i < e->n;) {
    const mi_atom *a = mi_atom_at(m, e->a[i]);
    if (!a->product) {
      i++;
      continue;
    }
    mi_extent out = {0};
    mi_extent head = *e;
    mi_extent tail = {0};
    head.n = i;
    for (uint32_t k = i + 1; k < e->n; k++)
      tail.a[tail.n++] = e->a[k];
    if (!mi_extent_times(&out, &head) || !mi_extent_times(&out, &a->factors) ||
        !mi_extent_times(&out, &tail))
      return false;
    *e = out;
  }
  return true;
}

void mi_extent_print(const mi_extent *e, as_str *s) {
  for (uint32_t i = 0; i < e->n; i++)
    as_str_printf(s, "%s$%d;", i ? " * " : "", e->a[i]);
  if (e->n == 0)
    as_str_add(s, "1");
}

bool mi_finish(const mi_lift *m, const char *body, as_str *s) {
  for (const char *p = body; *p;) {
    size_t plain = strcspn(p, "$");
    as_str_addn(s, p, plain);
    p += plain;
    if (*p == 0)
      break;
    char *end;
    mi_extent e = mi_extent_of((int)strtol(p + 1, &end, 10));
    if (!mi_extent_resolve(m, &e))
      return false;
    for (uint32_t i = 0; i < e.n; i++)
      as_str_printf(s, "%s%s", i ? " * " : "", mi_atom_at(m, e.a[i])->text);
    if (e.n == 0)
      as_str_add(s, "1");
    p = end + 1;
  }
  return true;
}

void mi_extent_contract(const mi_lift *m, mi_extent *e) {
  for (size_t i = 0; i < m->relation.n; i++) {
    const mi_relation *r = &AS_VEC_AT(&m->relation, mi_relation, i);
    mi_extent rest = *e;
    mi_extent out = {0};
    mi_extent parts = r->parts;
    uint32_t at;
    if (!mi_extent_resolve(m, &parts) || parts.n == 0 || !take_out(&rest, &parts, &at) ||
        rest.n + r->whole.n > MI_FACTORS)
      continue;
    for (uint32_t k = 0; k < at; k++)
      out.a[out.n++] = rest.a[k];
    for (uint32_t k = 0; k < r->whole.n; k++)
      out.a[out.n++] = r->whole.a[k];
    for (uint32_t k = at; k < rest.n; k++)
      out.a[out.n++] = rest.a[k];
    *e = out;
    i = (size_t)-1; /* from the first relation again: each contraction only shrinks what is the
                       muGraph's own */
  }
}

static bool relate(mi_lift *m, const mi_extent *whole, const mi_extent *parts) {
  mi_relation r = {*whole, *parts};
  if (mi_extent_same(whole, parts))
    return true;
  mi_atom *only = whole->n == 1 ? &AS_VEC_AT(&m->atom, mi_atom, whole->a[0]) : NULL;
  if (only && only->own) {
    only->product = true;
    only->factors = *parts;
    return true;
  }
  as_vec_push(&m->relation, &r);
  return true;
}

/* divides by the atoms of q: the outermost factor when that divides, otherwise the whole product */
static bool divide(mi_lift *m, mi_extent *e, const mi_extent *q) {
  int64_t by = mi_extent_value(m, q);
  int64_t v = mi_extent_value(m, e);
  if (by < 1 || v < 1 || v % by) {
    return mi_bad(m, "an axis of %lld is divided into %lld equal parts", (long long)v,
                  (long long)by);
  }
  mi_extent whole = *e;
  mi_extent parts = *q;
  mi_extent rest = {0};
  int64_t lead = e->n ? mi_atom_at(m, e->a[0])->value : 1;
  if (lead % by == 0 && e->n) {
    whole = mi_extent_of(e->a[0]);
    rest = *e;
    drop(&rest, 0);
    v = lead;
  }
  mi_extent out = {0};
  if (v / by != 1)
    out = mi_extent_of(mi_atom_fresh(m, 'S', v / by));
  if (!mi_extent_times(&parts, &out) || !relate(m, &whole, &parts))
    return mi_bad(m, "too many factors in an extent");
  *e = out;
  return mi_extent_times(e, &rest) || mi_bad(m, "too many factors in an extent");
}

bool mi_extent_tile(mi_lift *m, const mi_extent *whole, int grid, bool loop, mi_extent *tile) {
  mi_extent q = {0};
  if (grid >= 0)
    q.a[q.n++] = m->part[grid];
  if (loop)
    q.a[q.n++] = m->part[MI_LOOP];
  *tile = *whole;
  if (q.n == 0)
    return true;
  if (!mi_extent_resolve(m, &q))
    return mi_bad(m, "too many factors in an extent");
  for (size_t i = 0; i < m->split.n; i++) {
    mi_split *s = &AS_VEC_AT(&m->split, mi_split, i);
    if (!mi_extent_resolve(m, &s->whole) || !mi_extent_resolve(m, &s->tile))
      return mi_bad(m, "too many factors in an extent");
    if (s->grid != grid || s->by[1] != loop || !mi_extent_same(&s->whole, whole))
      continue;
    *tile = s->tile;
    return true;
  }
  uint32_t at;
  for (uint32_t k = 0; k < q.n;) { /* a factor that is the extent of the grid axis or of the loop */
    mi_extent one = mi_extent_of(q.a[k]);
    if (take_out(tile, &one, &at))
      drop(&q, k);
    else
      k++;
  }
  if (q.n && !divide(m, tile, &q))
    return false;
  mi_split s = {*whole, {grid >= 0, loop}, grid, *tile};
  as_vec_push(&m->split, &s);
  return true;
}

bool mi_extent_cut(mi_lift *m, const mi_extent *e, int64_t value, mi_extent *outer,
                   mi_extent *inner) {
  int64_t all = mi_extent_value(m, e);
  if (value < 1 || all % value)
    return mi_bad(m, "an axis of %lld is reduced to %lld", (long long)all, (long long)value);
  int64_t v = 1;
  for (uint32_t k = e->n + 1; k-- > 0;) { /* the innermost factors that make up this value */
    if (k < e->n)
      v *= mi_atom_at(m, e->a[k])->value;
    if (v != value || (value == 1 && k < e->n))
      continue;
    *outer = *inner = (mi_extent){0};
    for (uint32_t i = 0; i < e->n; i++) {
      mi_extent *to = i < k ? outer : inner;
      to->a[to->n++] = e->a[i];
    }
    return true;
  }
  size_t w =
      0; /* a width that cuts no factor becomes a size of its own, the same wherever it is met */
  while (w < m->atom.n && !(mi_atom_at(m, (int)w)->width && mi_atom_at(m, (int)w)->value == value))
    w++;
  if (w == m->atom.n)
    AS_VEC_AT(&m->atom, mi_atom, mi_atom_fresh(m, 'W', value)).width = true;
  *inner = mi_extent_of((int)w);
  *outer = mi_extent_of(mi_atom_fresh(m, 'U', all / value));
  mi_extent parts = *outer;
  return mi_extent_times(&parts, inner) && relate(m, e, &parts);
}

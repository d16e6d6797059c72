#include "den.h"
#include <string.h>

int as_den_index(const as_algebra *A, const char *axis) {
  for (unsigned i = 0; i < A->n_index; i++) {
    if (!strcmp(A->index_name[i], axis))
      return (int)i;
  }
  return -1;
}

as_lay as_den_order(const as_lay *l) {
  static const char *const names[] = {"reg", "lane", "warp", "s"};
  return as_lay_order(l, names, 4);
}

bool as_den_at_regs(as_algebra *A, const as_den *x, const as_lay *map, as_den *out) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_in_bits(map);
  ENSURE(A, "register index out of range",
         !map->bad && map->n_in == 1 && !strcmp(map->in[0].name, "reg") &&
             as_lay_out_bits(map) <= as_lay_in(&x->lay, "reg", NULL));
  for (unsigned i = 0; i < n; i++)
    cols[i] = as_lay_at(&x->lay, "reg", map->col[i]);
  as_lay lay = as_lay_with(&x->lay, "reg", cols, n);
  *out = *x;
  out->lay = lay;
  ENSURE(A, "too many registers", !lay.bad);
  return true;
}

bool as_den_vector(as_algebra *A, const as_lay *l, unsigned vec, const char *axis, as_lay *out) {
  static const char *const dims[] = {"lane", "warp", "s"};
  uint32_t cols[AS_LAY_BITS];
  unsigned at = 0;
  unsigned bits = axis ? as_lay_out(l, axis, &at) : as_lay_out_bits(l);
  as_lay r = as_lay_new();
  ENSURE(A, "an access that is not aligned", !l->bad && vec <= bits);
  for (unsigned i = 0; i < as_lay_in_bits(l); i++)
    ENSURE(A, "an access that is not aligned", !(l->col[i] >> at & ((1u << vec) - 1)));
  for (unsigned i = 0; i < l->n_out; i++)
    as_lay_add_out(&r, l->out[i].name, l->out[i].bits);
  as_lay_add_in(&r, "reg");
  for (unsigned i = 0; i < vec; i++)
    as_lay_push(&r, 1u << (at + i));
  unsigned n = as_lay_cols(l, "u", cols);
  for (unsigned i = 0; i < n; i++)
    as_lay_push(&r, cols[i]);
  for (unsigned d = 0; d < 3; d++) {
    if (!as_lay_has_in(l, dims[d]))
      continue;
    as_lay_add_in(&r, dims[d]);
    n = as_lay_cols(l, dims[d], cols);
    for (unsigned i = 0; i < n; i++)
      as_lay_push(&r, cols[i]);
  }
  ENSURE(A, "too many registers", !r.bad);
  *out = r;
  return true;
}

as_lay as_den_active(const as_lay *l, int lanes, int warps) {
  as_lay r = *l;
  for (unsigned d = 0; d < l->n_in; d++) {
    int mask = !strcmp(l->in[d].name, "lane") ? lanes : !strcmp(l->in[d].name, "warp") ? warps : 0;
    uint32_t cols[AS_LAY_BITS];
    uint32_t keep[AS_LAY_BITS];
    unsigned n = as_lay_cols(l, l->in[d].name, cols);
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
      if (!((unsigned)mask >> i & 1))
        keep[kept++] = cols[i];
    }
    r = as_lay_with(&r, l->in[d].name, keep, kept);
  }
  return r;
}

/* a sum over a padded axis is a sum over the live part iff its term is zero beyond: each monomial
 * has a loaded element of that index (loads are zero there) and is a polynomial in it otherwise */
static bool vanishes_beyond(const as_algebra *A, as_poly term, int32_t index) {
  for (uint32_t i = 0; i < as_poly_monos(A->t, term); i++) {
    const as_mono *m = as_poly_mono(A->t, term, i);
    bool zero = false;
    for (uint32_t k = 0; k < m->n; k++) {
      const as_atom *a = as_term_atom(A->t, m->factor[k].atom);
      bool used = a->kind == AS_ATOM_LOAD ? false : true;
      for (uint32_t d = 0; a->kind == AS_ATOM_LOAD && d < a->n; d++)
        used = used || a->index[d] == index;
      if (a->kind == AS_ATOM_LOAD && used && m->factor[k].power > 0)
        zero = true;
      else if (a->kind == AS_ATOM_LOAD && used)
        return false;
      else if (a->kind != AS_ATOM_LOAD && a->p != AS_POLY_NONE &&
               (as_poly_uses_index(A->t, a->p, index) ||
                (a->q != AS_POLY_NONE && as_poly_uses_index(A->t, a->q, index))))
        return false;
    }
    if (!zero)
      return false;
  }
  return true;
}

/* the one axis along which all directions lie */
static bool fold_axis(as_algebra *A, const as_den *x, const uint32_t *dir, unsigned n,
                      char axis[AS_LAY_NAME]) {
  unsigned at = 0;
  bool found = false;
  for (unsigned k = 0; k < x->lay.n_out; k++) {
    const as_lay_dim *d = &x->lay.out[k];
    uint32_t mask = ((1u << d->bits) - 1) << at;
    for (unsigned i = 0; i < n; i++) {
      if (!(dir[i] & mask))
        continue;
      ENSURE(A, "a fold moves an index other than its own",
             !(dir[i] & ~mask) && (!found || !strcmp(axis, d->name)));
      memcpy(axis, d->name, AS_LAY_NAME);
      found = true;
    }
    at += d->bits;
  }
  ENSURE(A, "a fold over copies", found); /* copies would be counted as often as they are held */
  return true;
}

/* Condition 6, and the folds of condition 5.  Independent directions: no element is counted twice
 * (a maximum may meet one twice).  The span is the whole axis: none is missing, and the axis is
 * bound. */
bool as_den_fold(as_algebra *A, const as_den *x, as_atom_kind kind, const uint32_t *dir, unsigned n,
                 const as_lay *lay, as_den *out) {
  char axis[AS_LAY_NAME] = {0};
  uint32_t along[32];
  unsigned at;
  as_den r = *x;
  r.lay = *lay;
  if (!n) {
    *out = r;
    return true;
  }
  ENSURE(A, "folds of two kinds", !x->partial || x->kind == kind);
  ENSURE(A, "a fold over iterations is folded again", x->partial || !x->over_loop);
  if (!fold_axis(A, x, dir, n, axis))
    return false;
  ENSURE(A, "a fold moves an index other than its own", !x->partial || !strcmp(axis, x->axis));
  unsigned bits = as_lay_out(&x->lay, axis, &at);
  int index = as_den_index(A, axis);
  ENSURE(A, "a fold over an unknown axis", index >= 0);
  bool padded = A->index_live[index] != 1L << A->index_bits[index];
  bool filled = x->partial && x->filled;
  ENSURE(A, "a maximum over a padded axis", !padded || filled || kind == AS_ATOM_SUM);
  ENSURE(A, "a sum over a padded axis of what is not zero there",
         !padded || filled || (A->index_live[index] > 1 && vanishes_beyond(A, x->term, index)));
  as_span s;
  as_span_of(&s, x->folded, x->partial ? x->n_folded : 0);
  unsigned total = s.rank;
  memcpy(along, x->folded, sizeof along);
  for (unsigned i = 0; i < n; i++) {
    uint32_t v = dir[i] >> at;
    bool fresh = as_span_add(&s, v);
    ENSURE(A, "an element is counted twice", fresh || kind == AS_ATOM_MAX);
    if (fresh && total < 32)
      along[total++] = v;
  }
  if (total < bits) {
    r.partial = true;
    r.kind = kind;
    memcpy(r.axis, axis, sizeof r.axis);
    memcpy(r.folded, along, sizeof r.folded);
    r.n_folded = total;
    *out = r;
    return true;
  }
  r.term = as_poly_fold(A->t, kind, index, A->index_live[index], x->term);
  if (x->over_loop)
    r.term = as_poly_acc(A->t, r.term, x->run);
  r.partial = false;
  r.filled = false;
  r.over_loop = false;
  r.n_folded = 0;
  r.lay = as_lay_without_out(lay, axis);
  *out = r;
  return true;
}

as_den as_den_all(as_poly term, const as_lay *lay) {
  return (as_den){.term = term, .lay = *lay, .old = -1, .run = AS_POLY_NONE};
}

bool as_den_close(as_algebra *A) {
  for (unsigned i = 0; i < A->n_value; i++) {
    as_den_state *s = &A->state[i];
    as_den *d = &A->val[i];
    if (!s->is || s->depth != 0 || s->closed)
      continue;
    ENSURE(A, "rescaled without being added to", s->added || !s->scaled);
    if (!s->added || s->fold == AS_TG_MAXIMUM)
      continue;      /* a maximum's term is the running maximum already */
    if (s->scaled) { /* by the factor of its own row, at every register */
      const char *axes[AS_LAY_DIMS];
      unsigned n = 0;
      as_den f = as_den_all(s->scale_run, &s->scale_lay);
      as_den mine;
      if (!as_den_at_regs(A, &f, &s->scale_map, &mine))
        return false;
      for (unsigned k = 0; k < mine.lay.n_out; k++) {
        ENSURE(A, "rescaled by another row's factor",
               as_lay_has_out(&d->lay, mine.lay.out[k].name));
        axes[n++] = mine.lay.out[k].name;
      }
      as_lay got = as_lay_take(&d->lay, axes, n);
      got = as_den_order(&got);
      as_lay want = as_den_order(&mine.lay);
      ENSURE(A, "rescaled by another row's factor", as_lay_same(&want, &got));
    }
    d->over_loop = true;
    d->run = s->scaled ? s->scale_run : AS_POLY_NONE;
    if (!d->partial) {
      d->term = as_poly_acc(A->t, d->term, d->run);
      d->over_loop = false;
    }
    s->closed = true;
  }
  return true;
}

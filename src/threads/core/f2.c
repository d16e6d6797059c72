#include "f2.h"
#include "src/base/str.h"
#include <string.h>

static unsigned top_bit(uint32_t v) {
  return 31u - (unsigned)__builtin_clz(v);
}

/* --- subspaces */
void as_span_init(as_span *s) {
  memset(s, 0, sizeof *s);
}

uint32_t as_span_reduce(const as_span *s, uint32_t v, uint64_t *how) {
  for (unsigned i = 0; i < s->rank; i++) {
    if (v >> top_bit(s->vec[i]) & 1) {
      v ^= s->vec[i];
      if (how)
        *how ^= s->how[i];
    }
  }
  return v;
}

bool as_span_add(as_span *s, uint32_t v) {
  uint64_t how = s->given < 64 ? (uint64_t)1 << s->given : 0;
  s->given++;
  v = as_span_reduce(s, v, &how);
  if (!v)
    return false;
  unsigned pivot = top_bit(v);
  unsigned at = s->rank;
  for (unsigned i = 0; i < s->rank; i++) {
    if (s->vec[i] >> pivot & 1) {
      s->vec[i] ^= v;
      s->how[i] ^= how;
    }
  }
  while (at > 0 && top_bit(s->vec[at - 1]) < pivot) { /* pivots fall */
    s->vec[at] = s->vec[at - 1];
    s->how[at] = s->how[at - 1];
    at--;
  }
  s->vec[at] = v;
  s->how[at] = how;
  s->rank++;
  return true;
}

void as_span_of(as_span *s, const uint32_t *v, unsigned n) {
  as_span_init(s);
  for (unsigned i = 0; i < n; i++)
    as_span_add(s, v[i]);
}

bool as_span_has(const as_span *s, uint32_t v) {
  return !as_span_reduce(s, v, NULL);
}

bool as_span_solve(const as_span *s, uint32_t v, uint64_t *how) {
  *how = 0;
  return !as_span_reduce(s, v, how);
}

unsigned as_f2_rank(const uint32_t *v, unsigned n) {
  as_span s;
  as_span_of(&s, v, n);
  return s.rank;
}

uint32_t as_f2_sum(const uint32_t *col, unsigned n, uint64_t x) {
  uint32_t v = 0;
  for (unsigned i = 0; i < n; i++) {
    if (x >> i & 1)
      v ^= col[i];
  }
  return v;
}

/* --- construction */
as_lay as_lay_new(void) {
  as_lay l;
  memset(&l, 0, sizeof l);
  return l;
}

as_lay as_lay_bad(void) {
  as_lay l = as_lay_new();
  l.bad = true;
  return l;
}

static unsigned total(const as_lay_dim *d, unsigned n) {
  unsigned bits = 0;
  for (unsigned i = 0; i < n; i++)
    bits += d[i].bits;
  return bits;
}

unsigned as_lay_in_bits(const as_lay *l) {
  return total(l->in, l->n_in);
}

unsigned as_lay_out_bits(const as_lay *l) {
  return total(l->out, l->n_out);
}

static bool set_dim(as_lay_dim *d, const char *name, unsigned bits) {
  if (strlen(name) >= AS_LAY_NAME)
    return false;
  memset(d, 0, sizeof *d);
  memcpy(d->name, name, strlen(name));
  d->bits = bits;
  return true;
}

void as_lay_add_out(as_lay *l, const char *name, unsigned bits) {
  if (l->bad || l->n_out == AS_LAY_DIMS || bits > 32 || as_lay_out_bits(l) + bits > 31 ||
      as_lay_has_out(l, name) || !set_dim(&l->out[l->n_out], name, bits)) {
    l->bad = true;
    return;
  }
  l->n_out++;
}

void as_lay_add_in(as_lay *l, const char *name) {
  if (l->bad || l->n_in == AS_LAY_DIMS || as_lay_has_in(l, name) ||
      !set_dim(&l->in[l->n_in], name, 0)) {
    l->bad = true;
    return;
  }
  l->n_in++;
}

void as_lay_push(as_lay *l, uint32_t image) {
  unsigned at = as_lay_in_bits(l);
  if (l->bad || !l->n_in || at == AS_LAY_BITS || (uint64_t)image >> as_lay_out_bits(l)) {
    l->bad = true;
    return;
  }
  l->col[at] = image;
  l->in[l->n_in - 1].bits++;
}

void as_lay_push_at(as_lay *l, const char *out, uint32_t stride) {
  unsigned at = 0;
  if (!stride) {
    as_lay_push(l, 0);
    return;
  }
  unsigned bits = as_lay_out(l, out, &at);
  if ((uint64_t)stride >> bits)
    l->bad = true;
  else
    as_lay_push(l, stride << at);
}

as_lay as_lay_identity(const char *in, const char *out, unsigned bits) {
  as_lay l = as_lay_new();
  as_lay_add_out(&l, out, bits);
  as_lay_add_in(&l, in);
  for (unsigned i = 0; i < bits; i++)
    as_lay_push(&l, (uint32_t)1 << i);
  return l;
}

/* --- parts */
static unsigned find(const as_lay_dim *d, unsigned n, const char *name, unsigned *at) {
  unsigned place = 0;
  for (unsigned i = 0; i < n; i++) {
    if (!strcmp(d[i].name, name)) {
      if (at)
        *at = place;
      return d[i].bits;
    }
    place += d[i].bits;
  }
  if (at)
    *at = place;
  return 0;
}

static bool named(const as_lay_dim *d, unsigned n, const char *name) {
  for (unsigned i = 0; i < n; i++) {
    if (!strcmp(d[i].name, name))
      return true;
  }
  return false;
}

bool as_lay_has_in(const as_lay *l, const char *name) {
  return named(l->in, l->n_in, name);
}

bool as_lay_has_out(const as_lay *l, const char *name) {
  return named(l->out, l->n_out, name);
}

unsigned as_lay_in(const as_lay *l, const char *name, unsigned *at) {
  return find(l->in, l->n_in, name, at);
}

unsigned as_lay_out(const as_lay *l, const char *name, unsigned *at) {
  return find(l->out, l->n_out, name, at);
}

unsigned as_lay_cols(const as_lay *l, const char *name, uint32_t *cols) {
  unsigned at;
  unsigned bits = as_lay_in(l, name, &at);
  for (unsigned i = 0; i < bits; i++)
    cols[i] = l->col[at + i];
  return bits;
}

static as_lay same_outputs(const as_lay *l) {
  as_lay r = as_lay_new();
  r.bad = l->bad;
  r.n_out = l->n_out;
  memcpy(r.out, l->out, sizeof r.out);
  return r;
}

as_lay as_lay_with(const as_lay *l, const char *name, const uint32_t *cols, unsigned n) {
  as_lay r = same_outputs(l);
  bool done = false;
  unsigned at = 0;
  for (unsigned i = 0; i < l->n_in; i++) {
    bool here = !strcmp(l->in[i].name, name);
    as_lay_add_in(&r, l->in[i].name);
    for (unsigned j = 0; j < (here ? n : l->in[i].bits); j++)
      as_lay_push(&r, here ? cols[j] : l->col[at + j]);
    at += l->in[i].bits;
    done = done || here;
  }
  if (!done) {
    as_lay_add_in(&r, name);
    for (unsigned j = 0; j < n; j++)
      as_lay_push(&r, cols[j]);
  }
  return r;
}

as_lay as_lay_order(const as_lay *l, const char *const *names, unsigned n) {
  as_lay r = same_outputs(l);
  unsigned used = 0;
  for (unsigned i = 0; i < n; i++) {
    uint32_t cols[AS_LAY_BITS];
    unsigned bits = as_lay_cols(l, names[i], cols);
    as_lay_add_in(&r, names[i]);
    for (unsigned j = 0; j < bits; j++)
      as_lay_push(&r, cols[j]);
    used += bits;
  }
  if (used != as_lay_in_bits(l))
    r.bad = true;
  return r;
}

as_lay as_lay_take(const as_lay *l, const char *const *names, unsigned n) {
  as_lay r = as_lay_new();
  r.bad = l->bad;
  r.n_in = l->n_in;
  memcpy(r.in, l->in, sizeof r.in);
  unsigned up = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned at;
    unsigned bits = as_lay_out(l, names[i], &at);
    if (!as_lay_has_out(l, names[i]))
      r.bad = true;
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    for (unsigned j = 0; j < as_lay_in_bits(l); j++)
      r.col[j] |= (l->col[j] >> at & mask) << up;
    as_lay_add_out(&r, names[i], bits);
    up += bits;
  }
  return r;
}

as_lay as_lay_without_out(const as_lay *l, const char *name) {
  const char *keep[AS_LAY_DIMS];
  unsigned n = 0;
  for (unsigned i = 0; i < l->n_out; i++) {
    if (strcmp(l->out[i].name, name))
      keep[n++] = l->out[i].name;
  }
  return as_lay_take(l, keep, n);
}

static as_lay rename_dim(const as_lay *l, bool input, const char *from, const char *to) {
  as_lay r = *l;
  as_lay_dim *d = input ? r.in : r.out;
  unsigned n = input ? r.n_in : r.n_out;
  if (strcmp(from, to) && named(d, n, to))
    r.bad = true;
  for (unsigned i = 0; i < n; i++) {
    if (!strcmp(d[i].name, from) && !set_dim(&d[i], to, d[i].bits))
      r.bad = true;
  }
  return r;
}

as_lay as_lay_rename_in(const as_lay *l, const char *from, const char *to) {
  return rename_dim(l, true, from, to);
}

as_lay as_lay_rename_out(const as_lay *l, const char *from, const char *to) {
  return rename_dim(l, false, from, to);
}

/* --- use */
uint32_t as_lay_image(const as_lay *l, uint64_t flat_input) {
  return as_f2_sum(l->col, as_lay_in_bits(l), flat_input);
}

uint32_t as_lay_at(const as_lay *l, const char *name, uint32_t value) {
  unsigned at;
  unsigned bits = as_lay_in(l, name, &at);
  return as_f2_sum(l->col + at, bits, value);
}

uint32_t as_lay_part(const as_lay *l, const char *out, uint32_t flat_output) {
  unsigned at;
  unsigned bits = as_lay_out(l, out, &at);
  return flat_output >> at & (((uint32_t)1 << bits) - 1);
}

/* --- algebra */
as_lay as_lay_after(const as_lay *outer, const as_lay *inner) {
  as_lay r = as_lay_new();
  r.bad = outer->bad || inner->bad;
  r.n_in = inner->n_in;
  memcpy(r.in, inner->in, sizeof r.in);
  r.n_out = outer->n_out;
  memcpy(r.out, outer->out, sizeof r.out);
  unsigned bits = as_lay_in_bits(inner);
  unsigned at = 0;
  for (unsigned i = 0; i < inner->n_out; i++) {
    unsigned to;
    unsigned room = as_lay_in(outer, inner->out[i].name, &to);
    if (room < inner->out[i].bits) {
      r.bad = true;
      return r;
    }
    uint32_t mask = ((uint32_t)1 << inner->out[i].bits) - 1;
    for (unsigned j = 0; j < bits; j++)
      r.col[j] ^= as_f2_sum(outer->col + to, room, inner->col[j] >> at & mask);
    at += inner->out[i].bits;
  }
  return r;
}

/* columns of one operand of a product, its bits of each output moved to where they are in `to` */
static void push_moved(as_lay *to, const as_lay *from, const as_lay *below, const char *name) {
  uint32_t cols[AS_LAY_BITS];
  unsigned n = as_lay_cols(from, name, cols);
  for (unsigned i = 0; i < n; i++) {
    uint32_t v = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < from->n_out; k++) {
      unsigned place;
      uint32_t mask = ((uint32_t)1 << from->out[k].bits) - 1;
      as_lay_out(to, from->out[k].name, &place);
      unsigned up = below ? as_lay_out(below, from->out[k].name, NULL) : 0;
      v |= (cols[i] >> at & mask) << (place + up);
      at += from->out[k].bits;
    }
    as_lay_push(to, v);
  }
}

as_lay as_lay_product(const as_lay *a, const as_lay *b) {
  as_lay r = as_lay_new();
  r.bad = a->bad || b->bad;
  for (unsigned i = 0; i < a->n_out; i++)
    as_lay_add_out(&r, a->out[i].name, a->out[i].bits + as_lay_out(b, a->out[i].name, NULL));
  for (unsigned i = 0; i < b->n_out; i++) {
    if (!as_lay_has_out(a, b->out[i].name))
      as_lay_add_out(&r, b->out[i].name, b->out[i].bits);
  }
  for (unsigned i = 0; i < a->n_in; i++) {
    as_lay_add_in(&r, a->in[i].name);
    push_moved(&r, a, NULL, a->in[i].name);
    push_moved(&r, b, a, a->in[i].name);
  }
  for (unsigned i = 0; i < b->n_in; i++) {
    if (as_lay_has_in(a, b->in[i].name))
      continue;
    as_lay_add_in(&r, b->in[i].name);
    push_moved(&r, b, a, b->in[i].name);
  }
  return r;
}

/* l with every input of `other` that it lacks, and each as long as the longer of the two */
static as_lay padded(const as_lay *l, const as_lay *other, const as_lay *order) {
  as_lay r = same_outputs(l);
  for (unsigned pass = 0; pass < 2; pass++) {
    const as_lay *from = pass ? other : order;
    for (unsigned i = 0; i < from->n_in; i++) {
      const char *name = from->in[i].name;
      if (as_lay_has_in(&r, name))
        continue;
      uint32_t cols[AS_LAY_BITS];
      unsigned have = as_lay_cols(l, name, cols);
      unsigned a = as_lay_in(order, name, NULL);
      unsigned b = as_lay_in(other, name, NULL);
      as_lay_add_in(&r, name);
      for (unsigned j = 0; j < (a > b ? a : b); j++)
        as_lay_push(&r, j < have ? cols[j] : 0);
    }
  }
  return r;
}

as_lay as_lay_join(const as_lay *a, const as_lay *b) {
  as_lay r = padded(a, b, a);
  as_lay other = padded(b, b, a);
  unsigned bits = as_lay_in_bits(&r);
  r.bad = r.bad || other.bad;
  for (unsigned k = 0; k < b->n_out && !r.bad; k++) {
    const char *name = b->out[k].name;
    unsigned at;
    unsigned width = as_lay_out(&other, name, &at);
    uint32_t mask = ((uint32_t)1 << width) - 1;
    if (!as_lay_has_out(a, name)) {
      unsigned up = as_lay_out_bits(&r);
      as_lay_add_out(&r, name, width);
      if (r.bad)
        break;
      for (unsigned j = 0; j < bits; j++)
        r.col[j] |= (other.col[j] >> at & mask) << up;
      continue;
    }
    unsigned place;
    if (as_lay_out(&r, name, &place) != width)
      r.bad = true;
    for (unsigned j = 0; j < bits; j++) {
      if ((r.col[j] >> place & mask) != (other.col[j] >> at & mask))
        r.bad = true;
    }
  }
  return r;
}

unsigned as_lay_rank(const as_lay *l) {
  return as_f2_rank(l->col, as_lay_in_bits(l));
}

bool as_lay_injective(const as_lay *l) {
  return !l->bad && as_lay_rank(l) == as_lay_in_bits(l);
}

bool as_lay_surjective(const as_lay *l) {
  return !l->bad && as_lay_rank(l) == as_lay_out_bits(l);
}

as_lay as_lay_inverse(const as_lay *l) {
  as_lay r = as_lay_new();
  r.bad = l->bad;
  for (unsigned i = 0; i < l->n_in; i++)
    as_lay_add_out(&r, l->in[i].name, l->in[i].bits);
  as_span s;
  as_span_init(&s);
  for (unsigned i = 0; i < as_lay_in_bits(l); i++) {
    as_span_add(&s, l->col[i]);
  }
  unsigned at = 0;
  for (unsigned i = 0; i < l->n_out; i++) {
    as_lay_add_in(&r, l->out[i].name);
    for (unsigned j = 0; j < l->out[i].bits; j++) {
      uint64_t how;
      if (!as_span_solve(&s, (uint32_t)1 << (at + j), &how))
        r.bad = true;
      else
        as_lay_push(&r, (uint32_t)how);
    }
    at += l->out[i].bits;
  }
  return r;
}

unsigned as_lay_kernel(const as_lay *l, uint64_t *basis) {
  as_span s;
  unsigned n = 0;
  as_span_init(&s);
  for (unsigned i = 0; i < as_lay_in_bits(l); i++) {
    uint64_t how = (uint64_t)1 << i;
    if (!as_span_reduce(&s, l->col[i], &how))
      basis[n++] = how;
    as_span_add(&s, l->col[i]);
  }
  return n;
}

bool as_lay_same(const as_lay *a, const as_lay *b) {
  if (a->bad || b->bad || a->n_out != b->n_out)
    return false;
  for (unsigned i = 0; i < a->n_out; i++) {
    if (strcmp(a->out[i].name, b->out[i].name) || a->out[i].bits != b->out[i].bits)
      return false;
  }
  as_lay x = padded(a, b, a);
  as_lay y = padded(b, b, a);
  if (x.bad || y.bad)
    return false;
  return !memcmp(x.col, y.col, as_lay_in_bits(&x) * sizeof *x.col);
}

static bool same_dims(const as_lay_dim *a, const as_lay_dim *b, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (strcmp(a[i].name, b[i].name) || a[i].bits != b[i].bits)
      return false;
  }
  return true;
}

bool as_lay_equal(const as_lay *a, const as_lay *b) {
  return a->bad == b->bad && a->n_in == b->n_in && a->n_out == b->n_out &&
         same_dims(a->in, b->in, a->n_in) && same_dims(a->out, b->out, a->n_out) &&
         !memcmp(a->col, b->col, as_lay_in_bits(a) * sizeof *a->col);
}

/* --- shared memory */
static unsigned log2_of(unsigned v) {
  unsigned n = 0;
  while (v > 1) {
    v >>= 1;
    n++;
  }
  return n;
}

as_lay as_lay_swizzled(unsigned rows, unsigned cols, unsigned elem, unsigned shift, unsigned mask) {
  as_lay l = as_lay_new();
  unsigned chunk = 4 - log2_of(elem); /* log2 of the elements in 16 bytes */
  as_lay_add_out(&l, "row", rows);
  as_lay_add_out(&l, "col", cols);
  as_lay_add_in(&l, "off");
  for (unsigned i = 0; i < cols; i++)
    as_lay_push_at(&l, "col", (uint32_t)1 << i);
  for (unsigned i = 0; i < rows; i++) {
    uint32_t moved = (((uint32_t)1 << i) >> shift) & mask;
    as_lay_push(&l, (uint32_t)1 << i | moved << (rows + chunk));
  }
  return l;
}

unsigned as_lay_conflicts(const as_lay *addr, unsigned elem, unsigned vec) {
  uint32_t lane[AS_LAY_BITS];
  uint32_t word[AS_LAY_BITS];
  uint32_t bank[AS_LAY_BITS];
  unsigned have = as_lay_cols(addr, "lane", lane);
  unsigned width = elem * vec;
  unsigned wide = log2_of(width > 4 ? width : 4) - 2; /* log2 of the words a lane touches */
  unsigned lanes = 5 - wide < have ? 5 - wide : have;
  unsigned n = 0;
  for (unsigned i = 0; i < wide; i++)
    word[n++] = (uint32_t)1 << i;
  for (unsigned i = 0; i < lanes; i++)
    word[n++] = (lane[i] << log2_of(elem)) >> 2;
  for (unsigned i = 0; i < n; i++)
    bank[i] = word[i] & 31;
  return 1u << (as_f2_rank(word, n) - as_f2_rank(bank, n));
}

static void print_image(as_str *s, const as_lay *l, uint32_t image) {
  bool any = false;
  for (unsigned k = 0; k < l->n_out; k++) {
    uint32_t part = as_lay_part(l, l->out[k].name, image);
    if (part)
      as_str_printf(s, "%s%s:%u", any ? "+" : "", l->out[k].name, part);
    any = any || part;
  }
  if (!any)
    as_str_add(s, "-");
}

char *as_lay_print(const as_lay *l) {
  as_str s;
  unsigned at = 0;
  as_str_init(&s);
  as_str_add(&s, l->bad ? "bad {" : "{");
  for (unsigned i = 0; i < l->n_out; i++)
    as_str_printf(&s, "%s%s:%u", i ? " " : "", l->out[i].name, l->out[i].bits);
  for (unsigned i = 0; i < l->n_in; i++) {
    as_str_printf(&s, "%s| %s", i || l->n_out ? " " : "", l->in[i].name);
    for (unsigned j = 0; j < l->in[i].bits; j++) {
      as_str_add(&s, " ");
      print_image(&s, l, l->col[at++]);
    }
  }
  as_str_add(&s, "}");
  return as_str_take(&s);
}

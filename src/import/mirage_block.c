/* Block graphs: grid and loop, loads, accumulators, stores. */
#include "mirage_int.h"
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

static const char *kind_of(const json_t *op) {
  const char *k = json_string_value(json_object_get(op, "op_type"));
  return k ? k : "";
}

/* which axis of a tensor x, y, z and the loop divide; parts that are absent divide nothing */
static bool read_map(mi_lift *m, const json_t *op, const char *key, uint32_t rank, int map[4]) {
  const json_t *j = json_object_get(op, key);
  for (int a = 0; a < 4; a++) {
    json_int_t d = a < 3 ? mi_int(j, axes[a], -1) : mi_int(op, "forloop_dim", -1);
    map[a] = m->part[a] == MI_NOATOM ? -1 : (int)d;
    if (map[a] >= (int)rank || map[a] < -1)
      return mi_bad(m, "a map names axis %lld of a tensor of %u", (long long)d, rank);
    for (int b = 0; b < a && a < 3; b++) {
      if (map[a] >= 0 && map[a] == map[b]) {
        return mi_bad(m,
                      "grid axes %s and %s divide one axis of a tensor, which the language of "
                      "muGraphs cannot express",
                      axes[b], axes[a]);
      }
    }
  }
  return true;
}

static void print_dims(mi_lift *m, const mi_extent *dim, uint32_t rank) {
  as_str_add(&m->body, "[");
  for (uint32_t i = 0; i < rank; i++) {
    as_str_add(&m->body, i ? ", " : "");
    mi_extent_print(&dim[i], &m->body);
  }
  as_str_add(&m->body, "]");
}

static void print_map(mi_lift *m, const int map[4]) {
  for (int a = 0; a < 4; a++) {
    if (map[a] >= 0)
      as_str_printf(&m->body, " %s -> %d", a < 3 ? axes[a] : "loop", map[a]);
  }
  as_str_add(&m->body, "\n");
}

static int grid_on(const int map[4], uint32_t d) {
  for (int a = 0; a < 3; a++) {
    if (map[a] == (int)d)
      return a;
  }
  return -1;
}

static bool load(mi_lift *m, const json_t *op, const json_t *from) {
  int map[4];
  mi_extent dim[AS_MAX_RANK];
  const mi_tensor *x = mi_find(m, &m->tensor, from);
  if (x == NULL || mi_find(m, &m->tensor, json_object_get(op, "dtensor")) != x)
    return mi_bad(m, "a kernel's operand and the tensor that its block graph reads differ");
  if (!read_map(m, op, "input_map", x->rank, map))
    return false;
  for (uint32_t d = 0; d < x->rank; d++) {
    if (!mi_extent_tile(m, &x->dim[d], grid_on(map, d), map[MI_LOOP] == (int)d, &dim[d]))
      return false;
  }
  const char *name = mi_fresh_name(m, 't');
  as_str_printf(&m->body, "  load %s ", name);
  print_dims(m, dim, x->rank);
  as_str_printf(&m->body, " = %s", x->name);
  print_map(m, map);
  return mi_define(m, &m->tile, json_array_get(json_object_get(op, "output_tensors"), 0), name, dim,
                   x->rank, false);
}

static bool store(mi_lift *m, const json_t *op, const json_t *to) {
  int map[4];
  mi_extent dim[AS_MAX_RANK];
  const mi_tensor *t =
      mi_find(m, &m->tile, json_array_get(json_object_get(op, "input_tensors"), 0));
  if (t == NULL || !read_map(m, op, "output_map", t->rank, map))
    return false;
  map[MI_LOOP] = -1;
  for (int a = 0; a < 3; a++) {
    if (m->part[a] != MI_NOATOM && map[a] < 0) {
      return mi_bad(
          m, "a result is not divided by grid axis %s: several blocks write the same elements",
          axes[a]);
    }
  }
  for (uint32_t d = 0; d < t->rank; d++) {
    int a = grid_on(map, d);
    dim[d] = a >= 0 ? mi_extent_of(m->part[a]) : (mi_extent){0};
    if (!mi_extent_times(&dim[d], &t->dim[d]) || !mi_extent_resolve(m, &dim[d]))
      return mi_bad(m, "too many factors in an extent");
    mi_extent_contract(m, &dim[d]);
  }
  const char *name = mi_kernel_name(m, mi_guid(to));
  as_str_printf(&m->body, "  store %s ", name);
  print_dims(m, t->dim, t->rank);
  as_str_printf(&m->body, " = %s", t->name);
  print_map(m, map);
  const mi_tensor *z =
      mi_define(m, &m->tensor, to, name, dim, t->rank, false) ? mi_find(m, &m->tensor, to) : NULL;
  if (z == NULL || mi_find(m, &m->tensor, json_object_get(op, "dtensor")) != z)
    return mi_bad(m, "a kernel's result and the tensor that its block graph writes differ");
  return true;
}

/* name = CALL, as a new tile-level name */
static const char *put(mi_lift *m, const char *fmt, const char *arg) {
  const char *name = mi_fresh_name(m, 't');
  as_str_printf(&m->body, "  %s = ", name);
  as_str_printf(&m->body, "%s(%s", fmt, arg);
  return name;
}

static const char *accumulate(mi_lift *m, const char *tile) {
  if (m->part[MI_LOOP] == MI_NOATOM)
    return tile;
  const char *name = mi_fresh_name(m, 't');
  as_str_printf(&m->body, "  acc %s = sum %s\n", name, tile);
  return name;
}

static const char *keep_axis(mi_lift *m, const char *tile, uint32_t rank) {
  const char *name = mi_fresh_name(m, 't');
  as_str_printf(&m->body, "  %s = %s[", name, tile);
  for (uint32_t i = 0; i + 1 < rank; i++)
    as_str_add(&m->body, ":, ");
  as_str_add(&m->body, "none]\n");
  return name;
}

static const char *split_last(mi_lift *m, const char *tile, const mi_extent *outer,
                              const mi_extent *inner) {
  const char *s = put(m, "split_axis", tile);
  as_str_add(&m->body, ", axis=-1, outer=");
  mi_extent_print(outer, &m->body);
  as_str_add(&m->body, ", inner=");
  mi_extent_print(inner, &m->body);
  as_str_add(&m->body, ")\n");
  return s;
}

/* An axis whose extent is a product is summed factor by factor, the innermost first: what wrote it
 * and what reads it divided it there. */
static const char *sum_last(mi_lift *m, const char *tile, const mi_extent *dim) {
  mi_extent outer = *dim;
  for (int more = 1; more;) {
    more = outer.n > 1;
    if (more) {
      mi_extent inner = mi_extent_of(outer.a[--outer.n]);
      tile = split_last(m, tile, &outer, &inner);
    }
    tile = put(m, "sum", tile);
    as_str_add(&m->body, ", axis=-1)\n");
  }
  return tile;
}

/* sqrt of the mean over the last axis and the loop */
static const char *root_mean_square(mi_lift *m, const mi_tensor *t) {
  const char *q = put(m, "square", t->name);
  const char *s;
  const char *mean = NULL;
  as_str_add(&m->body, ")\n");
  s = accumulate(m, sum_last(m, q, &t->dim[t->rank - 1]));
  mi_extent n = m->part[MI_LOOP] == MI_NOATOM ? (mi_extent){0} : mi_extent_of(m->part[MI_LOOP]);
  if (!mi_extent_times(&n, &t->dim[t->rank - 1]) || !mi_extent_resolve(m, &n))
    return NULL;
  mi_extent_contract(m, &n);
  mean = mi_fresh_name(m, 't');
  as_str_printf(&m->body, "  %s = %s / (", mean, s);
  mi_extent_print(&n, &m->body);
  as_str_add(&m->body, ")\n");
  const char *root = put(m, "sqrt", mean);
  as_str_add(&m->body, ")\n");
  return root;
}

/* element x is the sum of those at x, x + width, x + 2 width, ... */
static const char *strided_sum(mi_lift *m, const mi_tensor *t, int64_t width, mi_extent *dim) {
  mi_extent outer;
  mi_extent inner;
  if (!mi_extent_cut(m, &t->dim[t->rank - 1], width, &outer, &inner))
    return NULL;
  dim[t->rank - 1] = inner;
  if (outer.n == 0)
    return accumulate(m, t->name);
  const char *s = split_last(m, t->name, &outer, &inner);
  const char *r = put(m, "sum", s);
  as_str_add(&m->body, ", axis=-2)\n");
  return accumulate(m, r);
}

static bool accumulator(mi_lift *m, const json_t *op, const char *kind, int64_t width) {
  const mi_tensor *t =
      mi_find(m, &m->tile, json_array_get(json_object_get(op, "input_tensors"), 0));
  if (t == NULL)
    return false;
  if (t->after)
    return mi_bad(m, "%s of what is defined after the loop", kind);
  if (t->rank == 0)
    return mi_bad(m, "%s of a tensor without axes", kind);
  mi_extent dim[AS_MAX_RANK];
  memcpy(dim, t->dim, sizeof dim);
  const char *name = NULL;
  if (strcmp(kind, "tb_accum_nored_op") == 0) {
    name = accumulate(m, t->name);
  } else if (strcmp(kind, "tb_accum_redtox_ld_sum_op") == 0) {
    name = strided_sum(m, t, width, dim);
  } else if (strcmp(kind, "tb_accum_red_ld_sum_op") == 0 ||
             strcmp(kind, "tb_accum_red_ld_rms_op") == 0) {
    name = strcmp(kind, "tb_accum_red_ld_sum_op") == 0
               ? accumulate(m, sum_last(m, t->name, &t->dim[t->rank - 1]))
               : root_mean_square(m, t);
    if (name)
      name = keep_axis(m, name, t->rank);
    dim[t->rank - 1] = (mi_extent){0};
  } else {
    return mi_bad(m, "unknown accumulator `%s`", kind);
  }
  if (name == NULL)
    return mi_bad(m, "an extent of `%s` cannot be written", kind);
  return mi_define(m, &m->tile, json_array_get(json_object_get(op, "output_tensors"), 0), name, dim,
                   t->rank, true);
}

/* The extent of a grid axis or of the loop: the outermost factor of the axes that it alone divides,
 * where that has this very value; otherwise a new size. */
static bool choose_part(mi_lift *m, const json_t *kernel, const json_t *ops, int part,
                        json_int_t value) {
  m->part[part] = MI_NOATOM;
  if (value < 1)
    return mi_bad(m, "a grid axis or a loop of %lld", (long long)value);
  if (value == 1)
    return true;
  size_t i;
  size_t k = 0;
  json_t *op;
  int same = MI_NOATOM;
  bool agree = true;
  json_array_foreach((json_t *)ops, i, op) {
    if (strcmp(kind_of(op), "tb_input_op") != 0)
      continue;
    const mi_tensor *x =
        mi_find(m, &m->tensor, json_array_get(json_object_get(kernel, "input_tensors"), k++));
    if (x == NULL)
      return false;
    const json_t *map = json_object_get(op, "input_map");
    json_int_t d = part < 3 ? mi_int(map, axes[part], -1) : mi_int(op, "forloop_dim", -1);
    if (d < 0 || d >= (json_int_t)x->rank)
      continue;
    int lead = x->dim[d].n ? x->dim[d].a[0] : MI_NOATOM;
    agree = agree && lead != MI_NOATOM && mi_atom_at(m, lead)->value == value &&
            (same == MI_NOATOM || same == lead);
    same = lead;
  }
  m->part[part] = agree && same != MI_NOATOM ? same : mi_atom_fresh(m, part < 3 ? 'G' : 'L', value);
  return true;
}

static void print_head(mi_lift *m) {
  const char *sep = "  grid ";
  as_str_printf(&m->body, "kernel k%u\n", m->kernels++);
  for (int a = 0; a < 3; a++) {
    if (m->part[a] == MI_NOATOM)
      continue;
    as_str_printf(&m->body, "%s%s = $%d;", sep, axes[a], m->part[a]);
    sep = ", ";
  }
  if (sep[0] == ',')
    as_str_add(&m->body, "\n");
  if (m->part[MI_LOOP] != MI_NOATOM)
    as_str_printf(&m->body, "  loop %s = $%d;\n", mi_fresh_name(m, 'i'), m->part[MI_LOOP]);
}

bool mi_block(mi_lift *m, const json_t *kernel) {
  const json_t *b = json_object_get(kernel, "bgraph");
  const json_t *ops = json_object_get(b, "operators");
  const json_t *grid = json_object_get(b, "grid_dim");
  const json_t *in = json_object_get(kernel, "input_tensors");
  const json_t *out = json_object_get(kernel, "output_tensors");
  json_int_t width = mi_int(b, "reduction_dimx", 0);
  if (!json_is_array(ops))
    return mi_bad(m, "a kernel without a block graph");
  m->tile.n = m->split.n = 0;
  for (int a = 0; a < 4; a++) {
    if (!choose_part(m, kernel, ops, a,
                     a < 3 ? mi_int(grid, axes[a], 0) : mi_int(b, "forloop_range", 0)))
      return false;
  }
  print_head(m);
  size_t i;
  size_t loads = 0;
  size_t stores = 0;
  json_t *op;
  json_array_foreach((json_t *)ops, i, op) {
    const char *kind = kind_of(op);
    bool ok;
    if (strcmp(kind, "tb_input_op") == 0)
      ok = load(m, op, json_array_get(in, loads++));
    else if (strcmp(kind, "tb_output_op") == 0)
      ok = store(m, op, json_array_get(out, stores++));
    else if (strncmp(kind, "tb_accum_", 9) == 0)
      ok = accumulator(m, op, kind, width);
    else if (strncmp(kind, "tb_", 3) == 0)
      ok = mi_operator(m, &m->tile, op, kind, "  ", mi_fresh_name(m, 't'));
    else
      ok = mi_bad(m, "`%s` in a block graph", kind);
    if (!ok)
      return false;
  }
  if (loads != json_array_size(in) || stores != json_array_size(out))
    return mi_bad(m, "a kernel's operands and its block graph do not match");
  as_str_add(&m->body, "end\n");
  return true;
}

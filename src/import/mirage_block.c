/* Block graphs: grid and loop, loads, accumulators, stores. */
#include "mirage_int.h"
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

static const char *kind_of(const json_t *op) {
  const char *kind = json_string_value(json_object_get(op, "op_type"));
  return kind ? kind : "";
}

/* which axis of a tensor x, y, z and the loop divide; parts that are absent divide nothing */
static bool read_map(mi_lift *lifting, const json_t *op, const char *key, uint32_t rank,
                     int map[4]) {
  const json_t *stated = json_object_get(op, key);
  for (int part = 0; part < 4; part++) {
    json_int_t axis = part < 3 ? mi_int(stated, axes[part], -1) : mi_int(op, "forloop_dim", -1);
    map[part] = lifting->part[part] == MI_NOATOM ? -1 : (int)axis;
    if (map[part] >= (int)rank || map[part] < -1)
      return mi_refuse(lifting, "a map names axis %lld of a tensor of %u", (long long)axis, rank);
    for (int other = 0; other < part && part < 3; other++) {
      if (map[part] >= 0 && map[part] == map[other]) {
        return mi_refuse(lifting,
                         "grid axes %s and %s divide one axis of a tensor: each block begins "
                         "where both say, and the last one beyond the end",
                         axes[other], axes[part]);
      }
    }
  }
  return true;
}

static void print_dims(mi_lift *lifting, const mi_extent *dim, uint32_t rank) {
  as_str_add(&lifting->body, "[");
  for (uint32_t i = 0; i < rank; i++) {
    as_str_add(&lifting->body, i ? ", " : "");
    mi_extent_print(&dim[i], &lifting->body);
  }
  as_str_add(&lifting->body, "]");
}

static void print_map(mi_lift *lifting, const int map[4]) {
  for (int part = 0; part < 4; part++) {
    if (map[part] >= 0)
      as_str_printf(&lifting->body, " %s -> %d", part < 3 ? axes[part] : "loop", map[part]);
  }
  as_str_add(&lifting->body, "\n");
}

static int grid_on(const int map[4], uint32_t axis) {
  for (int part = 0; part < 3; part++) {
    if (map[part] == (int)axis)
      return part;
  }
  return -1;
}

static bool load(mi_lift *lifting, const json_t *op, const json_t *from) {
  int map[4];
  mi_extent dim[AS_MAX_RANK];
  const mi_tensor *loaded = mi_find(lifting, &lifting->tensor, from);
  if (loaded == NULL ||
      mi_find(lifting, &lifting->tensor, json_object_get(op, "dtensor")) != loaded)
    return mi_refuse(lifting,
                     "a kernel's operand and the tensor that its block graph reads differ");
  if (!read_map(lifting, op, "input_map", loaded->rank, map))
    return false;
  for (uint32_t axis = 0; axis < loaded->rank; axis++) {
    if (!mi_extent_tile(lifting, &loaded->dim[axis], grid_on(map, axis), map[MI_LOOP] == (int)axis,
                        &dim[axis]))
      return false;
  }
  const char *name = mi_fresh_name(lifting, 't');
  as_str_printf(&lifting->body, "  load %s ", name);
  print_dims(lifting, dim, loaded->rank);
  as_str_printf(&lifting->body, " = %s", loaded->name);
  print_map(lifting, map);
  return mi_define(lifting, &lifting->tile,
                   json_array_get(json_object_get(op, "output_tensors"), 0), name, dim,
                   loaded->rank, false, map[MI_LOOP] >= 0);
}

static bool store(mi_lift *lifting, const json_t *op, const json_t *to) {
  int map[4];
  mi_extent dim[AS_MAX_RANK];
  const mi_tensor *stored =
      mi_find(lifting, &lifting->tile, json_array_get(json_object_get(op, "input_tensors"), 0));
  if (stored == NULL || !read_map(lifting, op, "output_map", stored->rank, map))
    return false;
  map[MI_LOOP] = -1;
  if (stored->varies)
    return mi_refuse(lifting, "a result that changes with the loop");
  for (int part = 0; part < 3; part++) {
    if (lifting->part[part] != MI_NOATOM && map[part] < 0) {
      return mi_refuse(
          lifting,
          "a result is not divided by grid axis %s: several blocks write the same elements",
          axes[part]);
    }
  }
  for (uint32_t axis = 0; axis < stored->rank; axis++) {
    int part = grid_on(map, axis);
    dim[axis] = part >= 0 ? mi_extent_of(lifting->part[part]) : (mi_extent){0};
    if (!mi_extent_times(&dim[axis], &stored->dim[axis]) || !mi_extent_resolve(lifting, &dim[axis]))
      return mi_refuse(lifting, "too many factors in an extent");
    mi_extent_contract(lifting, &dim[axis]);
    mi_extent_collapse(lifting, &dim[axis]);
  }
  const char *name = mi_kernel_name(lifting, mi_guid(to));
  as_str_printf(&lifting->body, "  store %s ", name);
  print_dims(lifting, stored->dim, stored->rank);
  as_str_printf(&lifting->body, " = %s", stored->name);
  print_map(lifting, map);
  const mi_tensor *result =
      mi_define(lifting, &lifting->tensor, to, name, dim, stored->rank, false, false)
          ? mi_find(lifting, &lifting->tensor, to)
          : NULL;
  if (result == NULL ||
      mi_find(lifting, &lifting->tensor, json_object_get(op, "dtensor")) != result)
    return mi_refuse(lifting,
                     "a kernel's result and the tensor that its block graph writes differ");
  return true;
}

/* name = CALL, as a new tile-level name */
static const char *put(mi_lift *lifting, const char *operator_name, const char *arg) {
  const char *name = mi_fresh_name(lifting, 't');
  as_str_printf(&lifting->body, "  %s = ", name);
  as_str_printf(&lifting->body, "%s(%s", operator_name, arg);
  return name;
}

static const char *accumulate(mi_lift *lifting, const char *tile) {
  if (lifting->part[MI_LOOP] == MI_NOATOM)
    return tile;
  const char *name = mi_fresh_name(lifting, 't');
  as_str_printf(&lifting->body, "  acc %s = sum %s\n", name, tile);
  return name;
}

static const char *keep_axis(mi_lift *lifting, const char *tile, uint32_t rank) {
  const char *name = mi_fresh_name(lifting, 't');
  as_str_printf(&lifting->body, "  %s = %s[", name, tile);
  for (uint32_t i = 0; i + 1 < rank; i++)
    as_str_add(&lifting->body, ":, ");
  as_str_add(&lifting->body, "none]\n");
  return name;
}

static const char *split_last(mi_lift *lifting, const char *tile, const mi_extent *outer,
                              const mi_extent *inner) {
  const char *split = put(lifting, "split_axis", tile);
  as_str_add(&lifting->body, ", axis=-1, outer=");
  mi_extent_print(outer, &lifting->body);
  as_str_add(&lifting->body, ", inner=");
  mi_extent_print(inner, &lifting->body);
  as_str_add(&lifting->body, ")\n");
  return split;
}

/* An axis whose extent is a product is summed factor by factor, the innermost first: what wrote it
 * and what reads it divided it there. */
static const char *sum_last(mi_lift *lifting, const char *tile, const mi_extent *dim) {
  mi_extent outer = *dim;
  for (int more = 1; more;) {
    more = outer.n > 1;
    if (more) {
      mi_extent inner = mi_extent_of(outer.factor[--outer.n]);
      tile = split_last(lifting, tile, &outer, &inner);
    }
    tile = put(lifting, "sum", tile);
    as_str_add(&lifting->body, ", axis=-1)\n");
  }
  return tile;
}

/* sqrt of the mean over the last axis and the loop */
static const char *root_mean_square(mi_lift *lifting, const mi_tensor *of) {
  const char *squares = put(lifting, "square", of->name);
  const char *total;
  const char *mean = NULL;
  as_str_add(&lifting->body, ")\n");
  total = accumulate(lifting, sum_last(lifting, squares, &of->dim[of->rank - 1]));
  mi_extent count =
      lifting->part[MI_LOOP] == MI_NOATOM ? (mi_extent){0} : mi_extent_of(lifting->part[MI_LOOP]);
  if (!mi_extent_times(&count, &of->dim[of->rank - 1]) || !mi_extent_resolve(lifting, &count))
    return NULL;
  mi_extent_contract(lifting, &count);
  mean = mi_fresh_name(lifting, 't');
  as_str_printf(&lifting->body, "  %s = %s / (", mean, total);
  mi_extent_print(&count, &lifting->body);
  as_str_add(&lifting->body, ")\n");
  const char *root = put(lifting, "sqrt", mean);
  as_str_add(&lifting->body, ")\n");
  return root;
}

/* element x is the sum of those at x, x + width, x + 2 width, ... */
static const char *strided_sum(mi_lift *lifting, const mi_tensor *of, int64_t width,
                               mi_extent *dim) {
  mi_extent outer;
  mi_extent inner;
  if (!mi_extent_cut(lifting, &of->dim[of->rank - 1], width, &outer, &inner))
    return NULL;
  dim[of->rank - 1] = inner;
  if (outer.n == 0)
    return accumulate(lifting, of->name);
  const char *split = split_last(lifting, of->name, &outer, &inner);
  const char *summed = put(lifting, "sum", split);
  as_str_add(&lifting->body, ", axis=-2)\n");
  return accumulate(lifting, summed);
}

static bool accumulator(mi_lift *lifting, const json_t *op, const char *kind, int64_t width) {
  const mi_tensor *of =
      mi_find(lifting, &lifting->tile, json_array_get(json_object_get(op, "input_tensors"), 0));
  if (of == NULL)
    return false;
  if (of->after)
    return mi_refuse(lifting, "%s of what is defined after the loop", kind);
  if (of->rank == 0)
    return mi_refuse(lifting, "%s of a tensor without axes", kind);
  mi_extent dim[AS_MAX_RANK];
  memcpy(dim, of->dim, sizeof dim);
  const char *name = NULL;
  if (strcmp(kind, "tb_accum_nored_op") == 0) {
    name = accumulate(lifting, of->name);
  } else if (strcmp(kind, "tb_accum_redtox_ld_sum_op") == 0) {
    name = strided_sum(lifting, of, width, dim);
  } else if (strcmp(kind, "tb_accum_red_ld_sum_op") == 0 ||
             strcmp(kind, "tb_accum_red_ld_rms_op") == 0) {
    name = strcmp(kind, "tb_accum_red_ld_sum_op") == 0
               ? accumulate(lifting, sum_last(lifting, of->name, &of->dim[of->rank - 1]))
               : root_mean_square(lifting, of);
    if (name)
      name = keep_axis(lifting, name, of->rank);
    dim[of->rank - 1] = (mi_extent){0};
  } else {
    return mi_refuse(lifting, "unknown accumulator `%s`", kind);
  }
  if (name == NULL)
    return mi_refuse(lifting, "an extent of `%s` cannot be written", kind);
  return mi_define(lifting, &lifting->tile,
                   json_array_get(json_object_get(op, "output_tensors"), 0), name, dim, of->rank,
                   true, false);
}

/* The extent of a grid axis or of the loop: the outermost factor of the axes that it alone divides,
 * where that has this very value; otherwise a new size. */
static bool choose_part(mi_lift *lifting, const json_t *kernel, const json_t *ops, int part,
                        json_int_t value) {
  lifting->part[part] = MI_NOATOM;
  if (value < 1)
    return mi_refuse(lifting, "a grid axis or a loop of %lld", (long long)value);
  if (value == 1)
    return true;
  size_t i;
  size_t number = 0;
  json_t *op;
  int same = MI_NOATOM;
  bool agree = true;
  json_array_foreach((json_t *)ops, i, op) {
    if (strcmp(kind_of(op), "tb_input_op") != 0)
      continue;
    const mi_tensor *loaded =
        mi_find(lifting, &lifting->tensor,
                json_array_get(json_object_get(kernel, "input_tensors"), number++));
    if (loaded == NULL)
      return false;
    const json_t *map = json_object_get(op, "input_map");
    json_int_t axis = part < 3 ? mi_int(map, axes[part], -1) : mi_int(op, "forloop_dim", -1);
    if (axis < 0 || axis >= (json_int_t)loaded->rank)
      continue;
    int lead = loaded->dim[axis].n ? loaded->dim[axis].factor[0] : MI_NOATOM;
    agree = agree && lead != MI_NOATOM && mi_atom_at(lifting, lead)->value == value &&
            (same == MI_NOATOM || same == lead);
    same = lead;
  }
  lifting->part[part] =
      agree && same != MI_NOATOM ? same : mi_atom_fresh(lifting, part < 3 ? 'G' : 'L', value);
  return true;
}

static void print_head(mi_lift *lifting) {
  const char *separator = "  grid ";
  as_str_printf(&lifting->body, "kernel k%u\n", lifting->kernels++);
  for (int part = 0; part < 3; part++) {
    if (lifting->part[part] == MI_NOATOM)
      continue;
    as_str_printf(&lifting->body, "%s%s = $%d;", separator, axes[part], lifting->part[part]);
    separator = ", ";
  }
  if (separator[0] == ',')
    as_str_add(&lifting->body, "\n");
  if (lifting->part[MI_LOOP] != MI_NOATOM)
    as_str_printf(&lifting->body, "  loop %s = $%d;\n", mi_fresh_name(lifting, 'i'),
                  lifting->part[MI_LOOP]);
}

bool mi_block(mi_lift *lifting, const json_t *kernel) {
  const json_t *block = json_object_get(kernel, "bgraph");
  const json_t *ops = json_object_get(block, "operators");
  const json_t *grid = json_object_get(block, "grid_dim");
  const json_t *inputs = json_object_get(kernel, "input_tensors");
  const json_t *outputs = json_object_get(kernel, "output_tensors");
  json_int_t width = mi_int(block, "reduction_dimx", 0);
  if (!json_is_array(ops))
    return mi_refuse(lifting, "a kernel without a block graph");
  lifting->tile.n = lifting->split.n = 0;
  for (int part = 0; part < 4; part++) {
    if (!choose_part(lifting, kernel, ops, part,
                     part < 3 ? mi_int(grid, axes[part], 0) : mi_int(block, "forloop_range", 0)))
      return false;
  }
  print_head(lifting);
  size_t i;
  size_t loads = 0;
  size_t stores = 0;
  json_t *op;
  json_array_foreach((json_t *)ops, i, op) {
    const char *kind = kind_of(op);
    bool ok;
    if (strcmp(kind, "tb_input_op") == 0)
      ok = load(lifting, op, json_array_get(inputs, loads++));
    else if (strcmp(kind, "tb_output_op") == 0)
      ok = store(lifting, op, json_array_get(outputs, stores++));
    else if (strncmp(kind, "tb_accum_", 9) == 0)
      ok = accumulator(lifting, op, kind, width);
    else if (strncmp(kind, "tb_", 3) == 0)
      ok = mi_operator(lifting, &lifting->tile, op, kind, "  ", mi_fresh_name(lifting, 't'));
    else
      ok = mi_refuse(lifting, "`%s` in a block graph", kind);
    if (!ok)
      return false;
  }
  if (loads != json_array_size(inputs) || stores != json_array_size(outputs))
    return mi_refuse(lifting, "a kernel's operands and its block graph do not match");
  as_str_add(&lifting->body, "end\n");
  return true;
}

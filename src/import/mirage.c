/* Graphs at kernel level, and what both levels share: tensors by guid, operators. */
#include "mirage_int.h"
#include "src/base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mirage_read(const char *path, as_err *err) {
  size_t len;
  json_error_t json_error;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return NULL;
  json_t *graphs = json_loadb(text, len, JSON_REJECT_DUPLICATES, &json_error);
  if (graphs == NULL) {
    as_err_at(err, path, text, len, json_error.line, json_error.column > 0 ? json_error.column : 1,
              "%s", json_error.text);
  } else if (!json_is_array(graphs)) {
    as_err_set(err, AS_BAD_INPUT, "%s: not a list of graphs", path);
    json_decref(graphs);
    graphs = NULL;
  }
  free(text);
  return graphs;
}

static void *mirage_new(void) {
  return json_array();
}

static void mirage_drop(void *mirage) {
  json_t *graphs = mirage;
  json_array_remove(graphs, json_array_size(graphs) - 1);
}

static void mirage_free(void *mirage) {
  json_decref(mirage);
}

static size_t mirage_count(const void *mirage) {
  return json_array_size(mirage);
}

json_int_t mi_int(const json_t *object, const char *key, json_int_t other) {
  const json_t *value = json_object_get(object, key);
  return json_is_integer(value) ? json_integer_value(value) : other;
}

json_int_t mi_guid(const json_t *tensor) {
  return mi_int(tensor, "guid", -1);
}

/* the file describes a tensor wherever it occurs: rank, extents, and whether it exists only after
 * the loop */
static bool agrees(mi_lift *lifting, const mi_tensor *known, const json_t *tensor) {
  const json_t *dims = json_object_get(tensor, "dim");
  const json_t *after = json_object_get(tensor, "after_accum");
  long long guid = (long long)known->guid;
  if (mi_int(tensor, "num_dims", -1) != (json_int_t)known->rank)
    return mi_refuse(lifting, "tensor %lld has not the rank expected here, %u", guid, known->rank);
  if (after && (!json_is_boolean(after) || json_is_true(after) != known->after)) {
    return mi_refuse(lifting,
                     "tensor %lld is %sdefined after the loop, and the file says otherwise", guid,
                     known->after ? "" : "not ");
  }
  for (uint32_t i = 0; i < known->rank; i++) {
    const json_t *extent = json_array_get(dims, i);
    long long stated = json_is_integer(extent) ? (long long)json_integer_value(extent) : -1;
    long long value = (long long)mi_extent_value(lifting, &known->dim[i]);
    if (stated != value) {
      return mi_refuse(
          lifting,
          "axis %u of tensor %lld is %lld, not %lld as it follows from the program and the graph",
          i, guid, stated, value);
    }
  }
  return true;
}

mi_tensor *mi_find(mi_lift *lifting, as_vec *where, const json_t *tensor) {
  json_int_t guid = mi_guid(tensor);
  for (size_t i = 0; i < where->n; i++) {
    mi_tensor *known = &AS_VEC_AT(where, mi_tensor, i);
    bool fits = true;
    if (known->guid != guid)
      continue;
    for (uint32_t axis = 0; axis < known->rank; axis++)
      fits = mi_extent_resolve(lifting, &known->dim[axis]) && fits;
    if (!fits)
      mi_refuse(lifting, "too many factors in an extent");
    return fits && agrees(lifting, known, tensor) ? known : NULL;
  }
  mi_refuse(lifting, "tensor %lld is used before it is defined", (long long)guid);
  return NULL;
}

bool mi_define(mi_lift *lifting, as_vec *where, const json_t *tensor, const char *name,
               const mi_extent *dim, uint32_t rank, bool after, bool varies) {
  mi_tensor defined = {mi_guid(tensor), name, rank, {{0}}, after, varies};
  if (defined.guid < 0)
    return mi_refuse(lifting, "a tensor without guid");
  for (size_t i = 0; i < where->n; i++) {
    if (AS_VEC_AT(where, mi_tensor, i).guid == defined.guid)
      return mi_refuse(lifting, "tensor %lld is defined twice", (long long)defined.guid);
  }
  for (uint32_t i = 0; i < rank; i++)
    defined.dim[i] = dim[i];
  if (!agrees(lifting, &defined, tensor))
    return false;
  as_vec_push(where, &defined);
  return true;
}

const char *mi_kernel_name(mi_lift *lifting, json_int_t guid) {
  return guid == lifting->result ? lifting->program->node[lifting->program->output[0]].name
                                 : mi_fresh_name(lifting, 'v');
}

const mi_name mi_operators[] = {
    {"matmul", "matmul", 2}, {"add", "add", 2},       {"sub", "sub", 2},
    {"mul", "mul", 2},       {"div", "div", 2},       {"exp", "exp", 1},
    {"silu", "silu", 1},     {"gelu", "gelu", 1},     {"relu", "relu", 1},
    {"sqrt", "sqrt", 1},     {"square", "square", 1}, {"rms_norm", "rms_norm", 1},
};
const size_t mi_n_operators = sizeof mi_operators / sizeof *mi_operators;

static bool result_dims(mi_lift *lifting, const char *op, const mi_tensor *left,
                        const mi_tensor *right, mi_extent *dim) {
  memcpy(dim, left->dim, sizeof left->dim);
  if (right == NULL)
    return true;
  if (left->rank != right->rank)
    return mi_refuse(lifting, "%s of tensors of %u and %u axes", op, left->rank, right->rank);
  if (strcmp(op, "matmul") == 0) {
    if (left->rank < 2)
      return mi_refuse(lifting, "matmul of tensors of %u axes", left->rank);
    dim[left->rank - 1] = right->dim[left->rank - 1];
    for (uint32_t i = 0; i + 2 < left->rank; i++) {
      if (!mi_extent_meet(lifting, &left->dim[i], &right->dim[i], op))
        return false;
    }
    return mi_extent_meet(lifting, &left->dim[left->rank - 1], &right->dim[left->rank - 2], op);
  }
  for (uint32_t i = 0; i < left->rank; i++) {
    bool one[2] = {left->dim[i].n == 0, right->dim[i].n == 0};
    if (one[0])
      dim[i] = right->dim[i];
    if (!one[0] && !one[1] && !mi_extent_meet(lifting, &left->dim[i], &right->dim[i], op))
      return false;
  }
  return true;
}

bool mi_operator(mi_lift *lifting, as_vec *where, const json_t *op, const char *kind,
                 const char *indent, const char *name) {
  const json_t *in = json_object_get(op, "input_tensors");
  const json_t *out = json_object_get(op, "output_tensors");
  size_t len = strlen(kind);
  for (size_t i = 0; i < mi_n_operators; i++) {
    if (len < 6 || strlen(mi_operators[i].mirage) != len - 6 ||
        strncmp(kind + 3, mi_operators[i].mirage, len - 6) != 0 ||
        strcmp(kind + len - 3, "_op") != 0)
      continue;
    if (json_array_size(in) != mi_operators[i].args || json_array_size(out) != 1) {
      return mi_refuse(lifting, "%s with %zu operands and %zu results", kind, json_array_size(in),
                       json_array_size(out));
    }
    const mi_tensor *left = mi_find(lifting, where, json_array_get(in, 0));
    const mi_tensor *right = NULL;
    if (left == NULL || (mi_operators[i].args == 2 &&
                         (right = mi_find(lifting, where, json_array_get(in, 1))) == NULL))
      return false;
    mi_extent dim[AS_MAX_RANK];
    if (!result_dims(lifting, mi_operators[i].ours, left, right, dim))
      return false;
    bool after = left->after || (right && right->after);
    bool varies = left->varies || (right && right->varies);
    if (after && varies)
      return mi_refuse(lifting, "%s of what is defined after the loop and what changes with it",
                       kind);
    as_str_printf(&lifting->body, "%s%s = %s(%s%s%s)\n", indent, name, mi_operators[i].ours,
                  left->name, right ? ", " : "", right ? right->name : "");
    return mi_define(lifting, where, json_array_get(out, 0), name, dim, left->rank, after, varies);
  }
  return mi_refuse(lifting, "unknown operator `%s`", kind);
}

static bool input(mi_lift *lifting, const json_t *op, uint32_t number) {
  const as_graph *program = lifting->program;
  if (number >= program->n_input)
    return mi_refuse(lifting, "it has more inputs than the program");
  const as_node *node = &program->node[program->input[number]];
  mi_extent dim[AS_MAX_RANK];
  for (uint32_t i = 0; i < node->rank; i++) {
    char what[160];
    snprintf(what, sizeof what, "axis %u of the program's input `%s`", i, node->name);
    if (!mi_extent_of_size(lifting, node->dim[i], what, &dim[i]))
      return false;
  }
  const json_t *out = json_object_get(op, "output_tensors");
  return mi_define(lifting, &lifting->tensor, json_array_get(out, 0), node->name, dim, node->rank,
                   false, false);
}

static void reserve_names(mi_lift *lifting) {
  const as_graph *program = lifting->program;
  for (uint32_t i = 0; i < program->n; i++) {
    if (program->node[i].name)
      as_vec_push(&lifting->name, &program->node[i].name);
  }
  as_size size;
  for (uint32_t i = 0; (size = as_size_nth_sym(program->sizes, i)) != AS_SIZE_BAD; i++) {
    const char *name = as_size_name(program->sizes, size);
    as_vec_push(&lifting->name, &name);
  }
}

static bool find_result(mi_lift *lifting, const json_t *graph) {
  size_t i;
  size_t found = 0;
  json_t *op;
  json_array_foreach((json_t *)graph, i, op) {
    const char *kind = json_string_value(json_object_get(op, "op_type"));
    if (kind == NULL)
      return mi_refuse(lifting, "operator %zu has no op_type", i);
    if (strcmp(kind, "kn_output_op") != 0)
      continue;
    lifting->result = mi_guid(json_array_get(json_object_get(op, "input_tensors"), 0));
    found++;
  }
  if (found != 1 || lifting->program->n_output != 1) {
    return mi_refuse(lifting, "it has %zu results, the program %u; one of each is read", found,
                     lifting->program->n_output);
  }
  return true;
}

static void print_values(const mi_lift *lifting, const mi_extent *extent, uint32_t rank,
                         as_str *out) {
  as_str_add(out, "[");
  for (uint32_t i = 0; i < rank; i++)
    as_str_printf(out, "%s%lld", i ? ", " : "", (long long)mi_extent_value(lifting, &extent[i]));
  as_str_add(out, "]");
}

static bool other_shape(mi_lift *lifting, const mi_tensor *made, const mi_extent *wanted,
                        uint32_t rank) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "graph %zu: its result is of shape ", lifting->index);
  print_values(lifting, made->dim, made->rank, &text);
  as_str_add(&text, " at its own sizes, the program's of shape ");
  print_values(lifting, wanted, rank, &text);
  bool failed = as_err_set(lifting->err, AS_NO, "%s", text.s);
  as_str_clear(&text);
  return failed;
}

/* the graph's result has the extents of the program's, or it is wrong at its own sizes */
static bool result(mi_lift *lifting, const json_t *op) {
  const as_graph *program = lifting->program;
  const as_node *wanted = &program->node[program->output[0]];
  const mi_tensor *made =
      mi_find(lifting, &lifting->tensor, json_array_get(json_object_get(op, "input_tensors"), 0));
  if (made == NULL)
    return false;
  bool same = made->rank == wanted->rank;
  mi_extent extent[AS_MAX_RANK];
  for (uint32_t i = 0; i < wanted->rank; i++) {
    char what[160];
    snprintf(what, sizeof what, "axis %u of the program's output `%s`", i, wanted->name);
    if (!mi_extent_of_size(lifting, wanted->dim[i], what, &extent[i]))
      return false;
    same = same && mi_extent_value(lifting, &extent[i]) == mi_extent_value(lifting, &made->dim[i]);
  }
  if (!same)
    return other_shape(lifting, made, extent, wanted->rank);
  for (uint32_t i = 0; i < wanted->rank; i++) {
    if (!mi_extent_meet(lifting, &made->dim[i], &extent[i], "the result"))
      return false;
  }
  return true;
}

static bool lift(mi_lift *lifting, const json_t *graph) {
  size_t i;
  json_t *op;
  uint32_t inputs = 0;
  if (!json_is_array(graph))
    return mi_refuse(lifting, "not a list of operators");
  reserve_names(lifting);
  if (!find_result(lifting, graph))
    return false;
  json_array_foreach((json_t *)graph, i, op) {
    const char *kind = json_string_value(json_object_get(op, "op_type"));
    bool lifted = true;
    if (strcmp(kind, "kn_input_op") == 0) {
      lifted = input(lifting, op, inputs++);
    } else if (strcmp(kind, "kn_customized_op") == 0) {
      lifted = mi_block(lifting, op);
    } else if (strcmp(kind, "kn_output_op") == 0) {
      lifted = result(lifting, op);
    } else {
      if (strncmp(kind, "kn_", 3) != 0)
        return mi_refuse(lifting, "`%s` at kernel level", kind);
      json_int_t guid = mi_guid(json_array_get(json_object_get(op, "output_tensors"), 0));
      lifted = mi_operator(lifting, &lifting->tensor, op, kind, "", mi_kernel_name(lifting, guid));
    }
    if (!lifted)
      return false;
  }
  if (inputs != lifting->program->n_input)
    return mi_refuse(lifting, "it has %u inputs, the program %u", inputs,
                     lifting->program->n_input);
  return true;
}

static char *whole_text(mi_lift *lifting) {
  as_str out;
  as_str rest;
  as_str_init(&out);
  as_str_printf(&out, "mugraph mirage_%zu\n", lifting->index);
  const char *separator = "sizes ";
  for (size_t i = 0; i < lifting->atom.n; i++) {
    const mi_atom *atom = mi_atom_at(lifting, (int)i);
    if (!atom->own || atom->product)
      continue;
    as_str_printf(&out, "%s%s = %lld", separator, atom->text, (long long)atom->value);
    separator = ", ";
  }
  if (separator[0] == ',')
    as_str_add(&out, "\n");
  as_str_init(&rest);
  separator = "where ";
  for (size_t i = 0; i < lifting->relation.n; i++, separator = ", ") {
    const mi_relation *relation = &AS_VEC_AT(&lifting->relation, mi_relation, i);
    as_str_add(&rest, separator);
    mi_extent_print(&relation->whole, &rest);
    as_str_add(&rest, " = ");
    mi_extent_print(&relation->parts, &rest);
  }
  if (separator[0] == ',')
    as_str_add(&rest, "\n");
  if (lifting->body.n)
    as_str_add(&rest, lifting->body.s);
  bool ok = rest.n == 0 || mi_finish(lifting, rest.s, &out) ||
            mi_refuse(lifting, "too many factors in an extent");
  as_str_clear(&rest);
  if (!ok)
    as_str_clear(&out);
  return ok ? as_str_take(&out) : NULL;
}

static char *mirage_mug(const void *file, size_t index, const as_graph *program, bool fixed,
                        as_err *err) {
  mi_lift lifting = {.program = program,
                     .err = err,
                     .index = index,
                     .fixed = fixed,
                     .arena = as_arena_new(),
                     .result = -1};
  as_vec_init(&lifting.atom, sizeof(mi_atom));
  as_vec_init(&lifting.relation, sizeof(mi_relation));
  as_vec_init(&lifting.name, sizeof(const char *));
  as_vec_init(&lifting.tensor, sizeof(mi_tensor));
  as_vec_init(&lifting.tile, sizeof(mi_tensor));
  as_vec_init(&lifting.split, sizeof(mi_split));
  as_str_init(&lifting.body);
  char *text = lift(&lifting, json_array_get(file, index)) ? whole_text(&lifting) : NULL;
  as_str_clear(&lifting.body);
  as_vec_clear(&lifting.split);
  as_vec_clear(&lifting.tile);
  as_vec_clear(&lifting.tensor);
  as_vec_clear(&lifting.name);
  as_vec_clear(&lifting.relation);
  as_vec_clear(&lifting.atom);
  as_arena_free(lifting.arena);
  return text;
}

const as_import_format as_mirage_format = {.name = "mirage",
                                           .read = mirage_read,
                                           .new = mirage_new,
                                           .free = mirage_free,
                                           .count = mirage_count,
                                           .mug = mirage_mug,
                                           .add = mi_add,
                                           .drop = mirage_drop,
                                           .text = mi_text};

/* Graphs at kernel level, and what both levels share: tensors by guid, operators. */
#include "mirage_int.h"
#include <stdlib.h>
#include <string.h>

struct as_mirage {
  json_t *graphs;
};

as_mirage *as_mirage_read(const char *path, as_err *err) {
  size_t len;
  json_error_t e;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return NULL;
  json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
  if (j == NULL) {
    as_err_at(err, path, text, len, e.line, e.column > 0 ? e.column : 1, "%s", e.text);
  } else if (!json_is_array(j)) {
    as_err_set(err, AS_BAD_INPUT, "%s: not a list of graphs", path);
    json_decref(j);
    j = NULL;
  }
  free(text);
  if (j == NULL)
    return NULL;
  as_mirage *m = as_malloc(sizeof *m);
  m->graphs = j;
  return m;
}

as_mirage *as_mirage_new(void) {
  as_mirage *m = as_malloc(sizeof *m);
  m->graphs = json_array();
  return m;
}

json_t *mi_graphs(const as_mirage *m) {
  return m->graphs;
}

void as_mirage_drop(as_mirage *m) {
  json_array_remove(m->graphs, json_array_size(m->graphs) - 1);
}

void as_mirage_free(as_mirage *m) {
  if (m == NULL)
    return;
  json_decref(m->graphs);
  free(m);
}

size_t as_mirage_count(const as_mirage *m) {
  return json_array_size(m->graphs);
}

json_int_t mi_int(const json_t *object, const char *key, json_int_t other) {
  const json_t *v = json_object_get(object, key);
  return json_is_integer(v) ? json_integer_value(v) : other;
}

json_int_t mi_guid(const json_t *tensor) {
  return mi_int(tensor, "guid", -1);
}

/* the file describes a tensor wherever it occurs: rank, extents, and whether it exists only after
 * the loop */
static bool agrees(mi_lift *m, const mi_tensor *t, const json_t *tensor) {
  const json_t *dims = json_object_get(tensor, "dim");
  const json_t *after = json_object_get(tensor, "after_accum");
  long long guid = (long long)t->guid;
  if (mi_int(tensor, "num_dims", -1) != (json_int_t)t->rank)
    return mi_bad(m, "tensor %lld has not the rank expected here, %u", guid, t->rank);
  if (after && (!json_is_boolean(after) || json_is_true(after) != t->after)) {
    return mi_bad(m, "tensor %lld is %sdefined after the loop, and the file says otherwise", guid,
                  t->after ? "" : "not ");
  }
  for (uint32_t i = 0; i < t->rank; i++) {
    const json_t *d = json_array_get(dims, i);
    long long stated = json_is_integer(d) ? (long long)json_integer_value(d) : -1;
    long long value = (long long)mi_extent_value(m, &t->dim[i]);
    if (stated != value) {
      return mi_bad(
          m,
          "axis %u of tensor %lld is %lld, not %lld as it follows from the program and the graph",
          i, guid, stated, value);
    }
  }
  return true;
}

mi_tensor *mi_find(mi_lift *m, as_vec *where, const json_t *tensor) {
  json_int_t guid = mi_guid(tensor);
  for (size_t i = 0; i < where->n; i++) {
    mi_tensor *t = &AS_VEC_AT(where, mi_tensor, i);
    bool fits = true;
    if (t->guid != guid)
      continue;
    for (uint32_t d = 0; d < t->rank; d++)
      fits = mi_extent_resolve(m, &t->dim[d]) && fits;
    if (!fits)
      mi_bad(m, "too many factors in an extent");
    return fits && agrees(m, t, tensor) ? t : NULL;
  }
  mi_bad(m, "tensor %lld is used before it is defined", (long long)guid);
  return NULL;
}

bool mi_define(mi_lift *m, as_vec *where, const json_t *tensor, const char *name,
               const mi_extent *dim, uint32_t rank, bool after) {
  mi_tensor t = {mi_guid(tensor), name, rank, {{0}}, after};
  if (t.guid < 0)
    return mi_bad(m, "a tensor without guid");
  for (size_t i = 0; i < where->n; i++) {
    if (AS_VEC_AT(where, mi_tensor, i).guid == t.guid)
      return mi_bad(m, "tensor %lld is defined twice", (long long)t.guid);
  }
  for (uint32_t i = 0; i < rank; i++)
    t.dim[i] = dim[i];
  if (!agrees(m, &t, tensor))
    return false;
  as_vec_push(where, &t);
  return true;
}

const char *mi_kernel_name(mi_lift *m, json_int_t guid) {
  return guid == m->result ? m->program->node[m->program->output[0]].name : mi_fresh_name(m, 'v');
}

const mi_name mi_operators[] = {
    {"matmul", "matmul", 2}, {"add", "add", 2},       {"sub", "sub", 2},
    {"mul", "mul", 2},       {"div", "div", 2},       {"exp", "exp", 1},
    {"silu", "silu", 1},     {"gelu", "gelu", 1},     {"relu", "relu", 1},
    {"sqrt", "sqrt", 1},     {"square", "square", 1}, {"rms_norm", "rms_norm", 1},
};
const size_t mi_n_operators = sizeof mi_operators / sizeof *mi_operators;

static bool result_dims(mi_lift *m, const char *op, const mi_tensor *a, const mi_tensor *b,
                        mi_extent *dim) {
  memcpy(dim, a->dim, sizeof a->dim);
  if (b == NULL)
    return true;
  if (a->rank != b->rank)
    return mi_bad(m, "%s of tensors of %u and %u axes", op, a->rank, b->rank);
  if (strcmp(op, "matmul") == 0) {
    if (a->rank < 2)
      return mi_bad(m, "matmul of tensors of %u axes", a->rank);
    dim[a->rank - 1] = b->dim[a->rank - 1];
    return true;
  }
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dim[i].n == 0)
      dim[i] = b->dim[i];
  }
  return true;
}

bool mi_operator(mi_lift *m, as_vec *where, const json_t *op, const char *kind, const char *indent,
                 const char *name) {
  const json_t *in = json_object_get(op, "input_tensors");
  const json_t *out = json_object_get(op, "output_tensors");
  size_t len = strlen(kind);
  for (size_t i = 0; i < mi_n_operators; i++) {
    if (len < 6 || strlen(mi_operators[i].mirage) != len - 6 ||
        strncmp(kind + 3, mi_operators[i].mirage, len - 6) != 0 ||
        strcmp(kind + len - 3, "_op") != 0)
      continue;
    if (json_array_size(in) != mi_operators[i].args || json_array_size(out) != 1) {
      return mi_bad(m, "%s with %zu operands and %zu results", kind, json_array_size(in),
                    json_array_size(out));
    }
    const mi_tensor *a = mi_find(m, where, json_array_get(in, 0));
    const mi_tensor *b = NULL;
    if (a == NULL ||
        (mi_operators[i].args == 2 && (b = mi_find(m, where, json_array_get(in, 1))) == NULL))
      return false;
    mi_extent dim[AS_MAX_RANK];
    if (!result_dims(m, mi_operators[i].ours, a, b, dim))
      return false;
    as_str_printf(&m->body, "%s%s = %s(%s%s%s)\n", indent, name, mi_operators[i].ours, a->name,
                  b ? ", " : "", b ? b->name : "");
    return mi_define(m, where, json_array_get(out, 0), name, dim, a->rank,
                     a->after || (b && b->after));
  }
  return mi_bad(m, "unknown operator `%s`", kind);
}

static bool input(mi_lift *m, const json_t *op, uint32_t k) {
  const as_graph *p = m->program;
  if (k >= p->n_input)
    return mi_bad(m, "it has more inputs than the program");
  const as_node *n = &p->node[p->input[k]];
  mi_extent dim[AS_MAX_RANK];
  for (uint32_t i = 0; i < n->rank; i++) {
    int64_t v;
    long one;
    if (!as_graph_concrete(p, n->dim[i], &v))
      return mi_bad(m, "axis %u of the program's input `%s` has no concrete value", i, n->name);
    char *text = as_size_print(p->sizes, n->dim[i]);
    bool plain = as_size_is_sym(p->sizes, n->dim[i]) || as_size_is_const(p->sizes, n->dim[i], &one);
    char *term = plain ? as_strdup(text) : as_format("(%s)", text);
    dim[i] = v == 1 && as_size_is_const(p->sizes, n->dim[i], &one)
                 ? (mi_extent){0}
                 : mi_extent_of(mi_atom_new(m, term, v, false));
    free(term);
    free(text);
  }
  const json_t *out = json_object_get(op, "output_tensors");
  return mi_define(m, &m->tensor, json_array_get(out, 0), n->name, dim, n->rank, false);
}

static void reserve_names(mi_lift *m) {
  const as_graph *p = m->program;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->node[i].name)
      as_vec_push(&m->name, &p->node[i].name);
  }
  as_size s;
  for (uint32_t i = 0; (s = as_size_nth_sym(p->sizes, i)) != AS_SIZE_BAD; i++) {
    const char *name = as_size_name(p->sizes, s);
    as_vec_push(&m->name, &name);
  }
}

static bool find_result(mi_lift *m, const json_t *graph) {
  size_t i;
  size_t found = 0;
  json_t *op;
  json_array_foreach((json_t *)graph, i, op) {
    const char *kind = json_string_value(json_object_get(op, "op_type"));
    if (kind == NULL)
      return mi_bad(m, "operator %zu has no op_type", i);
    if (strcmp(kind, "kn_output_op") != 0)
      continue;
    m->result = mi_guid(json_array_get(json_object_get(op, "input_tensors"), 0));
    found++;
  }
  if (found != 1 || m->program->n_output != 1) {
    return mi_bad(m, "it has %zu results, the program %u; one of each is read", found,
                  m->program->n_output);
  }
  return true;
}

static bool lift(mi_lift *m, const json_t *graph) {
  size_t i;
  json_t *op;
  uint32_t inputs = 0;
  if (!json_is_array(graph))
    return mi_bad(m, "not a list of operators");
  reserve_names(m);
  if (!find_result(m, graph))
    return false;
  json_array_foreach((json_t *)graph, i, op) {
    const char *kind = json_string_value(json_object_get(op, "op_type"));
    bool ok = true;
    if (strcmp(kind, "kn_input_op") == 0) {
      ok = input(m, op, inputs++);
    } else if (strcmp(kind, "kn_customized_op") == 0) {
      ok = mi_block(m, op);
    } else if (strcmp(kind, "kn_output_op") == 0) {
      ok = mi_find(m, &m->tensor, json_array_get(json_object_get(op, "input_tensors"), 0)) != NULL;
    } else {
      if (strncmp(kind, "kn_", 3) != 0)
        return mi_bad(m, "`%s` at kernel level", kind);
      json_int_t guid = mi_guid(json_array_get(json_object_get(op, "output_tensors"), 0));
      ok = mi_operator(m, &m->tensor, op, kind, "", mi_kernel_name(m, guid));
    }
    if (!ok)
      return false;
  }
  if (inputs != m->program->n_input)
    return mi_bad(m, "it has %u inputs, the program %u", inputs, m->program->n_input);
  return true;
}

static char *whole_text(mi_lift *m) {
  as_str s;
  as_str t;
  as_str_init(&s);
  as_str_printf(&s, "mugraph mirage_%zu\n", m->index);
  const char *sep = "sizes ";
  for (size_t i = 0; i < m->atom.n; i++) {
    const mi_atom *a = mi_atom_at(m, (int)i);
    if (!a->own || a->product)
      continue;
    as_str_printf(&s, "%s%s = %lld", sep, a->text, (long long)a->value);
    sep = ", ";
  }
  if (sep[0] == ',')
    as_str_add(&s, "\n");
  as_str_init(&t);
  sep = "where ";
  for (size_t i = 0; i < m->relation.n; i++, sep = ", ") {
    const mi_relation *r = &AS_VEC_AT(&m->relation, mi_relation, i);
    as_str_add(&t, sep);
    mi_extent_print(&r->whole, &t);
    as_str_add(&t, " = ");
    mi_extent_print(&r->parts, &t);
  }
  if (sep[0] == ',')
    as_str_add(&t, "\n");
  if (m->body.n)
    as_str_add(&t, m->body.s);
  bool ok = t.n == 0 || mi_finish(m, t.s, &s) || mi_bad(m, "too many factors in an extent");
  as_str_clear(&t);
  if (!ok)
    as_str_clear(&s);
  return ok ? as_str_take(&s) : NULL;
}

char *as_mirage_mug(const as_mirage *file, size_t i, const as_graph *program, as_err *err) {
  mi_lift m = {.program = program, .err = err, .index = i, .mem = as_arena_new(), .result = -1};
  as_vec_init(&m.atom, sizeof(mi_atom));
  as_vec_init(&m.relation, sizeof(mi_relation));
  as_vec_init(&m.name, sizeof(const char *));
  as_vec_init(&m.tensor, sizeof(mi_tensor));
  as_vec_init(&m.tile, sizeof(mi_tensor));
  as_vec_init(&m.split, sizeof(mi_split));
  as_str_init(&m.body);
  char *text = lift(&m, json_array_get(file->graphs, i)) ? whole_text(&m) : NULL;
  as_str_clear(&m.body);
  as_vec_clear(&m.split);
  as_vec_clear(&m.tile);
  as_vec_clear(&m.tensor);
  as_vec_clear(&m.name);
  as_vec_clear(&m.relation);
  as_vec_clear(&m.atom);
  as_arena_free(m.mem);
  return text;
}

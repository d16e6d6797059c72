#include "extract.h"
#include "src/base/mem.h"
#include "src/ir/lex.h"
#include "src/tile/tile.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const tl_items *items;
  const tl_accesses *all;
  as_str out;
  char *tile; /* what names of tiles begin with, and of lanes: no other name does */
  char *lane;
  bool used[TL_MOST_VARIABLES];
} printer;

static bool begins(const char *name, const char *stem) {
  return name && strncmp(name, stem, strlen(stem)) == 0;
}

/* the stem with as many underscores behind as no name begins with it */
static char *new_stem(const tl_accesses *all, const char *stem) {
  char *own = as_strdup(stem);
  for (bool taken = true; taken;) {
    as_size size;
    char *longer = as_format("%s_", own);
    free(own);
    own = longer;
    taken = false;
    for (uint32_t i = 0; i < all->tensors.n; i++)
      taken |= begins(tl_tensor_at(all, i)->name, own);
    for (uint32_t i = 0; i < all->variables.n; i++)
      taken |= begins(tl_variable_at(all, i)->name, own);
    for (uint32_t i = 0; (size = as_size_nth_sym(all->sizes, i)) != AS_SIZE_BAD; i++)
      taken |= begins(as_size_name(all->sizes, size), own);
  }
  return own;
}

static void add_size(printer *p, as_size size) {
  char *text = as_size_print(p->all->sizes, size);
  long value;
  bool simple =
      as_size_is_sym(p->all->sizes, size) || as_size_is_const(p->all->sizes, size, &value);
  as_str_printf(&p->out, simple ? "%s" : "(%s)", text);
  free(text);
}

static void indent(printer *p, uint32_t depth) {
  as_str_printf(&p->out, "%*s", (int)(2 * depth), "");
}

/* --- declarations */
static void find_used(printer *p, const tl_item *loop) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    const tl_item *item = loop->body[i];
    if (item->kind != TL_LOOP_ITEM)
      continue;
    p->used[item->variable] = true;
    find_used(p, item);
  }
}

static void add_dims(printer *p, const as_size *dim, uint32_t rank) {
  as_str_add(&p->out, "[");
  for (uint32_t k = 0; k < rank; k++) {
    char *text = as_size_print(p->all->sizes, dim[k]);
    as_str_printf(&p->out, "%s%s", k ? ", " : "", text);
    free(text);
  }
  as_str_add(&p->out, "]");
}

static void add_sizes(printer *p) {
  const as_graph *given = p->items->naive->given;
  for (uint32_t i = 0; i < given->n_own_size; i++) {
    as_size size = given->own_size[i];
    long least = as_size_least(given->sizes, size);
    long value = as_size_value(given->sizes, size);
    as_str_printf(&p->out, "sizes %s", as_size_name(given->sizes, size));
    if (least != 1)
      as_str_printf(&p->out, " >= %ld", least);
    if (value >= 0)
      as_str_printf(&p->out, " = %ld", value);
    as_str_add(&p->out, "\n");
  }
  for (uint32_t v = 0; v < p->all->variables.n; v++) {
    const tl_variable *of = tl_variable_at(p->all, v);
    if (!p->used[v] || of->tile == AS_SIZE_ONE)
      continue;
    char *extent = as_size_print(p->all->sizes, tl_axis_at(p->all, of->axis)->extent);
    const char *count = as_size_name(p->all->sizes, of->count);
    const char *tile = as_size_name(p->all->sizes, of->tile);
    as_str_printf(&p->out, "sizes %s = %ld, %s = %ld\nwhere %s = %s * %s\n", count,
                  as_size_value(p->all->sizes, of->count), tile,
                  as_size_value(p->all->sizes, of->tile), extent, count, tile);
    free(extent);
  }
}

static void add_relations(printer *p) {
  static const char *const words[] = {"=", "!=", "<=", "<"};
  const as_graph *given = p->items->naive->given;
  for (uint32_t i = 0; i < given->n_fact; i++) {
    char *left = as_size_print(given->sizes, given->fact[i].lhs);
    char *right = as_size_print(given->sizes, given->fact[i].rhs);
    as_str_printf(&p->out, "where %s %s %s\n", left, words[given->fact[i].rel], right);
    free(left);
    free(right);
  }
}

static const char *type_word(as_dtype type) {
  return as_tile_type_word(type == AS_F16    ? AS_TILE_F16
                           : type == AS_BF16 ? AS_TILE_BF16
                           : type == AS_INT  ? AS_TILE_INT
                                             : AS_TILE_F32);
}

static void add_scratch(printer *p, uint32_t tensor, uint32_t depth) {
  const tl_tensor *of = tl_tensor_at(p->all, tensor);
  const as_node *node = &p->items->naive->program->node[of->node];
  indent(p, depth);
  as_str_printf(&p->out, "scratch %s: f32", of->name);
  add_dims(p, node->dim, node->rank);
  as_str_add(&p->out, p->items->zero[tensor] ? " = 0\n" : "\n");
}

static void add_tensors(printer *p) {
  const as_graph *program = p->items->naive->program;
  for (uint32_t i = 0; i < p->all->tensors.n; i++) {
    const tl_tensor *of = tl_tensor_at(p->all, i);
    const as_node *node = &program->node[of->node];
    if (!of->is_input && !of->is_output) {
      if (p->items->tensor_live[i] && !p->items->is_local[i])
        add_scratch(p, i, 0);
      continue;
    }
    as_str_printf(&p->out, "%s %s: %s", of->is_input ? "input" : "output", of->name,
                  type_word(of->is_input ? node->dtype : as_graph_type(program)));
    add_dims(p, node->dim, node->rank);
    as_str_add(&p->out, p->items->zero[i] && of->is_output ? " = 0\n" : "\n");
  }
}

/* --- statements */
static void add_lanes(printer *p, uint32_t access) {
  tl_accesses *all = (tl_accesses *)p->all;
  uint32_t rank;
  const as_size *dim = tl_shape_dims(all, tl_access_shape(all, access), &rank);
  as_str_add(&p->out, "[");
  for (uint32_t k = 0; k < rank; k++) {
    as_str_printf(&p->out, "%s%s%u < ", k ? ", " : "", p->lane, k);
    add_size(p, dim[k]);
  }
  as_str_add(&p->out, "]");
}

static void add_place(printer *p, uint32_t access) {
  uint32_t rank;
  uint32_t tensor = tl_access_tensor(p->all, access);
  const uint32_t *by = tl_access_by(p->all, access, &rank);
  as_str_printf(&p->out, "%s[", tl_tensor_at(p->all, tensor)->name);
  for (uint32_t k = 0; k < rank; k++) {
    as_str_add(&p->out, k ? ", " : "");
    if (by[k] != TL_WHOLE) {
      as_str_printf(&p->out, "%s * ", tl_variable_at(p->all, by[k] - 1)->name);
      add_size(p, tl_tile_extent(p->all, tl_tensor_at(p->all, tensor)->axis[k], by[k]));
      as_str_add(&p->out, " + ");
    }
    as_str_printf(&p->out, "%s%u", p->lane, k);
  }
  as_str_add(&p->out, "]");
}

static void add_number(printer *p, uint32_t cls) {
  const tl_graph *graph = &p->items->naive->graph;
  for (uint32_t n = tl_first(graph, cls); n != AS_NONE; n = tl_next(graph, n)) {
    if (tl_node_at(graph, n)->kind != TL_NUMBER)
      continue;
    const as_node *number = &p->items->naive->program->node[tl_node_at(graph, n)->item];
    if (number->kind == AS_N_SIZE) {
      add_size(p, number->size);
      return;
    }
    char *text = as_print_number(number->value);
    bool simple = mpq_sgn(number->value) >= 0 && strchr(text, '/') == NULL;
    as_str_printf(&p->out, simple ? "%s" : "(%s)", text);
    free(text);
    return;
  }
}

static void add_attribute(printer *p, const char *name, const as_attr *attr) {
  as_str_printf(&p->out, ", %s=", name);
  if (attr->is_size) {
    add_size(p, attr->size);
    return;
  }
  char *text = as_print_number(attr->num);
  as_str_add(&p->out, text);
  free(text);
}

static void add_let(printer *p, const tl_item *item) {
  const tl_graph *graph = &p->items->naive->graph;
  as_str_printf(&p->out, "%s%u = ", p->tile, item->name);
  if (item->node == AS_NONE) {
    as_str_printf(&p->out, "%s%u + %s%u\n", p->tile, item->arg[0], p->tile, item->arg[1]);
    return;
  }
  const tl_operator *call = tl_operator_at(p->all, tl_node_at(graph, item->node)->item);
  as_str_printf(&p->out, "%s(", call->op->name);
  for (uint32_t i = 0; i < item->n_arg; i++) {
    as_str_add(&p->out, i ? ", " : "");
    if (item->arg[i] == AS_NONE)
      add_number(p, tl_kid(graph, item->node, i));
    else
      as_str_printf(&p->out, "%s%u", p->tile, item->arg[i]);
  }
  for (uint32_t i = 0; i < call->op->nattrs; i++)
    add_attribute(p, call->op->attr[i], &call->attr[i]);
  as_str_add(&p->out, ")\n");
}

static void add_items(printer *p, const tl_item *loop, uint32_t depth);

static void add_loop(printer *p, const tl_item *loop, uint32_t depth) {
  const tl_variable *of = tl_variable_at(p->all, loop->variable);
  as_str_printf(&p->out, "%s %s = 0 to ", loop->parallel ? "parallel" : "for", of->name);
  add_size(p, of->count);
  as_str_add(&p->out, "\n");
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    indent(p, depth + 1);
    as_str_printf(&p->out, "carry %s%u = %s%u\n", p->tile, loop->carry[i].name, p->tile,
                  loop->carry[i].first);
  }
  for (uint32_t i = 0; i < loop->n_local; i++)
    add_scratch(p, loop->local[i], depth + 1);
  add_items(p, loop, depth + 1);
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    indent(p, depth + 1);
    as_str_printf(&p->out, "next %s%u = %s%u + %s%u\n", p->tile, loop->carry[i].name, p->tile,
                  loop->carry[i].name, p->tile, loop->carry[i].added);
  }
  indent(p, depth);
  as_str_add(&p->out, "end\n");
}

static void add_items(printer *p, const tl_item *loop, uint32_t depth) {
  for (uint32_t i = 0; i < loop->n_body; i++) {
    const tl_item *item = loop->body[i];
    indent(p, depth);
    switch (item->kind) {
    case TL_MAKE:
      as_str_printf(&p->out, "make %s%u", p->tile, item->name);
      add_lanes(p, item->access);
      as_str_add(&p->out, " = 0\n");
      break;
    case TL_FETCH:
      as_str_printf(&p->out, "load %s%u", p->tile, item->name);
      add_lanes(p, item->access);
      as_str_add(&p->out, " = ");
      add_place(p, item->access);
      as_str_add(&p->out, "\n");
      break;
    case TL_PUT:
      as_str_add(&p->out, "store ");
      add_place(p, item->access);
      as_str_printf(&p->out, " = %s%u over ", p->tile, item->name);
      add_lanes(p, item->access);
      as_str_add(&p->out, "\n");
      break;
    case TL_LET:
      add_let(p, item);
      break;
    default:
      add_loop(p, item, depth);
    }
  }
}

char *tl_print(const tl_items *items) {
  printer p = {.items = items, .all = &items->naive->accesses};
  as_str_init(&p.out);
  p.tile = new_stem(p.all, "t");
  p.lane = new_stem(p.all, "l");
  find_used(&p, &items->whole);
  as_str_printf(&p.out, "tile %s\n", items->naive->given->name);
  add_sizes(&p);
  add_relations(&p);
  add_tensors(&p);
  add_items(&p, &items->whole, 0);
  free(p.tile);
  free(p.lane);
  return as_str_take(&p.out);
}

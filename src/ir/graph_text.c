/* Programs and muGraphs as text in canonical form. */
#include "graph_int.h"
#include "lex.h"
#include <stdlib.h>
#include <string.h>

static void p_size(as_str *s, const as_graph *g, as_size a) {
  char *t = as_size_print(g->sizes, a);
  as_str_add(s, t);
  free(t);
}

void as_text_dims(as_str *s, const as_graph *g, const as_size *dim, uint32_t rank) {
  as_str_add(s, "[");
  for (uint32_t i = 0; i < rank; i++) {
    if (i)
      as_str_add(s, ", ");
    p_size(s, g, dim[i]);
  }
  as_str_add(s, "]");
}

void as_text_ref(as_str *s, const as_graph *g, as_node_id id) {
  const as_node *n = &g->node[id];
  if (n->kind == AS_N_SIZE) {
    as_str_add(s, as_size_is_sym(g->sizes, n->size) ? "" : "(");
    p_size(s, g, n->size);
    as_str_add(s, as_size_is_sym(g->sizes, n->size) ? "" : ")");
    return;
  }
  if (n->kind != AS_N_CONST) {
    as_str_add(s, n->name);
    return;
  }
  char *t = as_print_number(n->value);
  as_str_printf(s, mpq_sgn(n->value) < 0 || strchr(t, '/') ? "(%s)" : "%s", t);
  free(t);
}

static bool is_default(const as_graph *g, const as_node *n, uint32_t i) {
  const as_attr *a = &n->attr[i];
  if (!n->op->attr_has_default[i])
    return false;
  const as_attr *d = &n->op->attr_default[i];
  long v;
  if (!a->is_size)
    return mpq_equal(a->num, d->num);
  return as_size_is_const(g->sizes, a->size, &v) && mpq_cmp_si(d->num, v, 1) == 0;
}

typedef void print_ref(as_str *s, const as_graph *g, as_node_id id);

static void call(as_str *s, const as_graph *g, const as_node *n, print_ref *ref, bool nested) {
  static const struct {
    const char *name;
    char sign;
  } infix[] = {{"add", '+'}, {"sub", '-'}, {"mul", '*'}, {"div", '/'}};

  for (size_t i = 0; i < 4 && n->nargs == 2 && n->op->nattrs == 0; i++) {
    if (strcmp(n->op->name, infix[i].name) != 0)
      continue;
    if (nested)
      as_str_add(s, "(");
    ref(s, g, n->arg[0]);
    as_str_printf(s, " %c ", infix[i].sign);
    ref(s, g, n->arg[1]);
    if (nested)
      as_str_add(s, ")");
    return;
  }
  as_str_printf(s, "%s(", n->op->name);
  bool first = true;
  for (uint32_t i = 0; i < n->nargs; i++, first = false) {
    if (!first)
      as_str_add(s, ", ");
    ref(s, g, n->arg[i]);
  }
  for (uint32_t i = 0; i < n->op->nattrs; i++) {
    if (is_default(g, n, i))
      continue;
    as_str_printf(s, "%s%s=", first ? "" : ", ", n->op->attr[i]);
    first = false;
    if (n->attr[i].is_size) {
      p_size(s, g, n->attr[i].size);
    } else {
      char *t = as_print_number(n->attr[i].num);
      as_str_add(s, t);
      free(t);
    }
  }
  as_str_add(s, ")");
}

void as_text_call(as_str *s, const as_graph *g, const as_node *n) {
  call(s, g, n, as_text_ref, false);
}

void as_text_nested(as_str *s, const as_graph *g, as_node_id id) {
  const as_node *n = &g->node[id];
  if (n->kind == AS_N_OP)
    call(s, g, n, as_text_nested, true);
  else
    as_text_ref(s, g, id);
}

void as_text_where(as_str *s, const as_graph *g) {
  for (uint32_t i = 0; i < g->n_fact; i++) {
    as_str_add(s, i ? ", " : "where ");
    p_size(s, g, g->fact[i].lhs);
    as_str_printf(s, " %s ", as_rel_text(g->fact[i].rel));
    p_size(s, g, g->fact[i].rhs);
  }
  if (g->n_fact)
    as_str_add(s, "\n");
}

static void p_head(as_str *s, const as_graph *g) {
  for (uint32_t i = 0; i < g->n_own_size; i++) {
    as_size z = g->own_size[i];
    as_str_printf(s, "%s%s", i ? ", " : "sizes ", as_size_name(g->sizes, z));
    if (as_size_least(g->sizes, z) != 1)
      as_str_printf(s, " >= %ld", as_size_least(g->sizes, z));
    if (as_size_value(g->sizes, z) >= 0)
      as_str_printf(s, " = %ld", as_size_value(g->sizes, z));
  }
  if (g->n_own_size)
    as_str_add(s, "\n");
  as_text_where(s, g);
}

/* outputs can be printed at their definition when that keeps their order */
static bool outputs_in_place(const as_graph *g) {
  for (uint32_t i = 0; i < g->n_output; i++) {
    if (g->node[g->output[i]].kind != AS_N_OP || (i && g->output[i] <= g->output[i - 1]))
      return false;
  }
  return true;
}

char *as_print_tp(const as_graph *g) {
  static const char *const types[] = {"f16", "bf16", "f32"};
  as_str s;
  as_str_init(&s);
  for (uint32_t i = 0; i < g->n_use; i++)
    as_str_printf(&s, "use \"%s\"\n", g->use[i]);
  as_str_printf(&s, "program %s\n", g->name);
  p_head(&s, g);
  for (uint32_t i = 0; i < g->n_input; i++) {
    const as_node *n = &g->node[g->input[i]];
    as_str_printf(&s, "input %s: %s", n->name, types[n->dtype]);
    as_text_dims(&s, g, n->dim, n->rank);
    as_str_add(&s, "\n");
  }
  bool in_place = outputs_in_place(g);
  for (uint32_t i = 0; i < g->n_order; i++) {
    const as_node *n = &g->node[g->order[i]];
    bool out = false;
    for (uint32_t k = 0; in_place && k < g->n_output; k++)
      out = out || g->output[k] == g->order[i];
    as_str_printf(&s, "%s%s = ", out ? "output " : "", n->name);
    as_text_call(&s, g, n);
    as_str_add(&s, "\n");
  }
  for (uint32_t i = 0; !in_place && i < g->n_output; i++)
    as_str_printf(&s, "output %s\n", g->node[g->output[i]].name);
  return as_str_take(&s);
}

/* --- muGraphs */
static void p_tile(as_str *s, const as_graph *g, const as_node *n, const as_node *from,
                   const as_node *tile) {
  static const char *const words[] = {"x", "y", "z", "loop"};
  as_str_printf(s, "%s ", n->name);
  as_text_dims(s, g, tile->dim, tile->rank);
  as_str_printf(s, " = %s", from->name);
  for (int i = 0; i < 4; i++) {
    if (n->map[i] >= 0)
      as_str_printf(s, " %s -> %d", words[i], n->map[i]);
  }
}

static void p_acc(as_str *s, const as_graph *g, const as_block *b, as_node_id id) {
  const as_node *n = &g->node[id];
  as_str_printf(s, "acc %s", n->name);
  for (uint32_t i = 0; i < b->n; i++) {
    if (g->node[b->nodes[i]].kind == AS_N_RUN && g->node[b->nodes[i]].arg[0] == id)
      as_str_printf(s, ", %s", g->node[b->nodes[i]].name);
  }
  as_str_printf(s, " = %s %s",
                n->acc == AS_ACC_MAX      ? "max"
                : n->acc == AS_ACC_CONCAT ? "concat"
                                          : "sum",
                g->node[n->arg[0]].name);
  if (n->acc == AS_ACC_RESCALE)
    as_str_printf(s, " rescale %s", g->node[n->arg[1]].name);
  if (n->acc == AS_ACC_CONCAT)
    as_str_printf(s, " axis %d", n->axis);
}

static int section(const as_node *n) { /* loads, body and accumulators, epilogue, stores */
  return n->kind == AS_N_LOAD             ? 0
         : n->kind == AS_N_STORE          ? 3
         : n->kind == AS_N_OP && n->after ? 2
                                          : 1;
}

static void p_block_node(as_str *s, const as_graph *g, const as_block *b, as_node_id id) {
  const as_node *n = &g->node[id];
  if (n->kind == AS_N_RUN)
    return; /* printed with its accumulator */
  as_str_add(s, "  ");
  if (n->kind == AS_N_LOAD) {
    as_str_add(s, "load ");
    p_tile(s, g, n, &g->node[n->arg[0]], n);
  } else if (n->kind == AS_N_STORE) {
    as_str_add(s, "store ");
    p_tile(s, g, n, &g->node[n->arg[0]], &g->node[n->arg[0]]);
  } else if (n->kind == AS_N_ACC) {
    p_acc(s, g, b, id);
  } else {
    as_str_printf(s, "%s = ", n->name);
    as_text_call(s, g, n);
  }
  as_str_add(s, "\n");
}

static void p_block(as_str *s, const as_graph *g, const as_block *b) {
  as_str_printf(s, "kernel %s\n", b->name);
  bool any = false;
  for (int i = 0; i < 3; i++) {
    if (b->grid[i] == AS_SIZE_ONE)
      continue;
    as_str_printf(s, "%s%c = ", any ? ", " : "  grid ", "xyz"[i]);
    p_size(s, g, b->grid[i]);
    any = true;
  }
  if (any)
    as_str_add(s, "\n");
  if (b->has_loop) {
    as_str_add(s, "  loop l = ");
    p_size(s, g, b->loop);
    as_str_add(s, "\n");
  }
  for (int part = 0; part < 4; part++) {
    for (uint32_t i = 0; i < b->n; i++) {
      if (section(&g->node[b->nodes[i]]) == part)
        p_block_node(s, g, b, b->nodes[i]);
    }
  }
  as_str_add(s, "end\n");
}

char *as_print_mug(const as_graph *g) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "mugraph %s\n", g->name);
  p_head(&s, g);
  for (uint32_t i = 0; i < g->n_order; i++) {
    const as_node *n = &g->node[g->order[i]];
    if (n->kind == AS_N_STORE) {
      p_block(&s, g, &g->block[n->block]);
      continue;
    }
    as_str_printf(&s, "%s = ", n->name);
    as_text_call(&s, g, n);
    as_str_add(&s, "\n");
  }
  return as_str_take(&s);
}

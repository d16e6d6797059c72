/* Names left out, and names exchanged. */
#include "names.h"
#include "graph_int.h"
#include "lex.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

/* --- programs without names: size i of the program is `s<i>`, its tensor i `t<i>` */
static void add_size(as_str *out, const as_graph *graph, as_size size);

static void add_atom(as_str *out, const as_graph *graph, as_size atom) {
  static const char *const words[] = {
      [AS_SIZE_DIV] = "div", [AS_SIZE_MOD] = "mod", [AS_SIZE_MAX] = "max", [AS_SIZE_MIN] = "min"};
  as_size left;
  as_size right;
  as_size_kind kind = as_size_atom(graph->sizes, atom, &left, &right);
  if (kind == AS_SIZE_SYM) {
    uint32_t i = 0;
    while (i < graph->n_own_size && graph->own_size[i] != atom)
      i++;
    as_str_printf(out, "s%u", i);
    return;
  }
  as_str_printf(out, "%s(", words[kind]);
  add_size(out, graph, left);
  as_str_add(out, ",");
  add_size(out, graph, right);
  as_str_add(out, ")");
}

static void add_size(as_str *out, const as_graph *graph, as_size size) {
  as_str_add(out, "(");
  for (uint32_t i = 0; i < as_size_nmono(graph->sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(graph->sizes, size, i);
    as_str_printf(out, "%+ld", mono.coef);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_str_add(out, "*");
      add_atom(out, graph, mono.atom[k]);
    }
  }
  as_str_add(out, ")");
}

static void add_sizes(as_str *out, const as_graph *program) {
  for (uint32_t i = 0; i < program->n_own_size; i++) {
    as_size size = program->own_size[i];
    as_str_printf(out, "size >= %ld %s %ld\n", as_size_least(program->sizes, size),
                  as_size_is_ranged(program->sizes, size) ? "<=" : "=",
                  as_size_value(program->sizes, size));
  }
  for (uint32_t i = 0; i < program->n_fact; i++) {
    as_str_add(out, "where ");
    add_size(out, program, program->fact[i].lhs);
    as_str_printf(out, " %s ", as_rel_text(program->fact[i].rel));
    add_size(out, program, program->fact[i].rhs);
    as_str_add(out, "\n");
  }
}

/* number: of each tensor of the program, by node */
static void add_call(as_str *out, const as_graph *program, const as_node *node,
                     const uint32_t *number) {
  as_str_printf(out, "%s(", node->op->name);
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg = &program->node[node->arg[i]];
    as_str_add(out, i ? ", " : "");
    if (arg->kind == AS_N_CONST)
      as_add_number(out, arg->value);
    else if (arg->kind == AS_N_SIZE)
      add_size(out, program, arg->size);
    else
      as_str_printf(out, "t%u", number[node->arg[i]]);
  }
  for (uint32_t i = 0; i < node->op->nattrs; i++) {
    as_str_printf(out, "; %s=", node->op->attr[i]);
    if (node->attr[i].is_size)
      add_size(out, program, node->attr[i].size);
    else
      as_add_number(out, node->attr[i].num);
  }
  as_str_add(out, ")\n");
}

char *as_program_nameless(const as_graph *program) {
  uint32_t *number = as_calloc(program->n + 1, sizeof *number);
  uint32_t n = 0;
  as_str out;
  as_str_init(&out);
  add_sizes(&out, program);
  for (uint32_t i = 0; i < program->n_input; i++) {
    const as_node *input = &program->node[program->input[i]];
    number[program->input[i]] = n++;
    as_str_printf(&out, "input type %d [", (int)input->dtype);
    for (uint32_t k = 0; k < input->rank; k++)
      add_size(&out, program, input->dim[k]);
    as_str_add(&out, "]\n");
  }
  for (uint32_t i = 0; i < program->n_order; i++) {
    number[program->order[i]] = n++;
    add_call(&out, program, &program->node[program->order[i]], number);
  }
  as_str_add(&out, "output");
  for (uint32_t i = 0; i < program->n_output; i++)
    as_str_printf(&out, " t%u", number[program->output[i]]);
  as_str_add(&out, "\n");
  free(number);
  return as_str_take(&out);
}

/* --- names exchanged */
typedef struct {
  const as_graph *old; /* the program, before */
  const as_graph *like;
} exchange;

/* what `like` calls the tensor that the program calls so; NULL: it has none of that name */
static const char *tensor_name(const exchange *names, const char *name) {
  for (uint32_t i = 0; i < names->old->n_input; i++) {
    if (strcmp(names->old->node[names->old->input[i]].name, name) == 0)
      return names->like->node[names->like->input[i]].name;
  }
  for (uint32_t i = 0; i < names->old->n_order; i++) {
    if (strcmp(names->old->node[names->old->order[i]].name, name) == 0)
      return names->like->node[names->like->order[i]].name;
  }
  return NULL;
}

static bool has_name(const as_graph *graph, const char *name) {
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].name && strcmp(graph->node[i].name, name) == 0)
      return true;
  }
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    if (strcmp(as_size_name(graph->sizes, graph->own_size[i]), name) == 0)
      return true;
  }
  for (uint32_t i = 0; i < graph->n_block; i++) {
    if (graph->block[i].name && strcmp(graph->block[i].name, name) == 0)
      return true;
  }
  return false;
}

/* a name of the muGraph's own; malloc'ed */
static char *own_name(const as_graph *graph, const exchange *names, const char *name) {
  char *fresh = as_strdup(name);
  while (has_name(names->like, fresh) || (strcmp(fresh, name) != 0 && has_name(graph, fresh))) {
    char *longer = as_format("%s_", fresh);
    free(fresh);
    fresh = longer;
  }
  return fresh;
}

static char *new_name(const as_graph *graph, const exchange *names, const char *name) {
  const char *known = tensor_name(names, name);
  return known ? as_strdup(known) : own_name(graph, names, name);
}

static char *kept(as_graph *graph, char *name) {
  char *copy = as_arena_strdup(as_gm(graph)->arena, name);
  free(name);
  return copy;
}

void as_graph_take_names(as_graph *graph, as_graph *program, const as_graph *like) {
  exchange names = {program, like};
  char **node = as_calloc(graph->n + 1, sizeof *node);
  char **block = as_calloc(graph->n_block + 1, sizeof *block);
  char **size = as_calloc(graph->n_own_size + 1, sizeof *size);
  /* all new names before any is given: two may change places */
  for (uint32_t i = 0; i < graph->n; i++)
    node[i] = graph->node[i].name ? new_name(graph, &names, graph->node[i].name) : NULL;
  for (uint32_t i = 0; i < graph->n_block; i++)
    block[i] = graph->block[i].name ? own_name(graph, &names, graph->block[i].name) : NULL;
  for (uint32_t i = 0; i < graph->n_own_size; i++)
    size[i] = own_name(graph, &names, as_size_name(graph->sizes, graph->own_size[i]));
  for (uint32_t i = 0; i < graph->n; i++) {
    if (node[i])
      graph->node[i].name = kept(graph, node[i]);
  }
  for (uint32_t i = 0; i < graph->n_block; i++) {
    if (block[i])
      graph->block[i].name = kept(graph, block[i]);
  }
  for (uint32_t i = 0; i < graph->n_own_size; i++)
    as_size_rename(graph->sizes, graph->own_size[i], size[i]);
  for (uint32_t i = 0; i < program->n_own_size; i++)
    as_size_rename(graph->sizes, program->own_size[i],
                   as_size_name(like->sizes, like->own_size[i]));
  graph->name = kept(graph, as_strdup(like->name));
  for (uint32_t i = 0; i < graph->n_own_size; i++)
    free(size[i]);
  free(node);
  free(block);
  free(size);
}

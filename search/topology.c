/* Topologies of muGraphs as rows of bytes that are interned: a row says what a value is made of, by
 * the numbers of the rows of its parts. */
#include "topology.h"
#include "sg.h"
#include "src/base/id.h"
#include "src/base/intern.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP = 3, AXES = 4, MOST_NAME = 12 };

struct as_topologies {
  as_intern rows;
};

/* A number, a size, or an index: what something is multiplied by does not count. */
#define UNIT (AS_NONE - 1)

typedef char axis_name[MOST_NAME];

/* one graph, with axes of its blocks left out */
typedef struct {
  as_intern *rows;
  const as_graph *graph;
  const uint8_t *left_out;        /* by block: bits of x, y, z and the loop */
  uint32_t *value;                /* by node */
  axis_name (*axes)[AS_MAX_RANK]; /* by node outside of blocks: what its axes are known by */
  char letter[AXES];              /* of the block at hand, by axis of the grid, and of the loop */
  bool local;                     /* what made a tensor between kernels does not count */
} reading;

as_topologies *as_topologies_new(void) {
  as_topologies *table = as_calloc(1, sizeof *table);
  as_intern_init(&table->rows, NULL);
  return table;
}

void as_topologies_free(as_topologies *table) {
  if (table)
    as_intern_clear(&table->rows);
  free(table);
}

const char *as_topology_text(const as_topologies *table, uint32_t topology) {
  return as_intern_text(&table->rows, topology);
}

/* --- what operators compute, by their specifications */
static uint32_t row(const reading *reader, const char *head, const uint32_t *part, uint32_t n) {
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "%s(", head);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(&text, part[i] == UNIT ? "%s1" : "%s#%u", i ? ", " : "", part[i]);
  as_str_add(&text, ")");
  uint32_t id = as_intern_string(reader->rows, text.s);
  as_str_clear(&text);
  return id;
}

static uint32_t either_order(const reading *reader, const char *head, uint32_t left,
                             uint32_t right) {
  uint32_t part[] = {left < right ? left : right, left < right ? right : left};
  return row(reader, head, part, 2);
}

static uint32_t product(const reading *reader, uint32_t left, uint32_t right) {
  if (left == UNIT)
    return right;
  return right == UNIT ? left : either_order(reader, "mul", left, right);
}

static uint32_t of_one(const reading *reader, const char *head, uint32_t part) {
  return part == UNIT ? UNIT : row(reader, head, &part, 1);
}

/* a sum of sums is one sum */
static uint32_t sum(const reading *reader, uint32_t part) {
  bool is_sum = part != UNIT && strncmp(as_intern_text(reader->rows, part), "sum(", 4) == 0;
  return is_sum ? part : of_one(reader, "sum", part);
}

/* a call of an operator, or within it of a function of the specifications */
typedef struct {
  const reading *reader;
  const as_node *node;
  const as_func *func; /* NULL: the operator's own body */
  const uint32_t *arg; /* values of the function's parameters */
} call;

static uint32_t value_of(const call *of, const as_expr *expr);

static bool is_zero_number(const as_graph *graph, const as_node *node) {
  long number;
  if (node->kind == AS_N_SIZE)
    return as_size_is_const(graph->sizes, node->size, &number) && number == 0;
  return node->kind == AS_N_CONST && mpq_sgn(node->value) == 0;
}

static bool is_zero_attr(const call *of, const char *name) {
  for (uint32_t i = 0; i < of->node->op->nattrs; i++) {
    const as_attr *attr = &of->node->attr[i];
    long number;
    if (strcmp(of->node->op->attr[i], name) != 0)
      continue;
    return attr->is_size
               ? as_size_is_const(of->reader->graph->sizes, attr->size, &number) && number == 0
               : mpq_sgn(attr->num) == 0;
  }
  return false;
}

/* a number, an attribute or an operand that is 0 */
static bool is_zero(const call *of, const as_expr *expr) {
  const as_opdef *op = of->node->op;
  if (expr->kind == AS_E_NUM)
    return mpq_sgn(expr->num) == 0;
  for (uint32_t i = 0; expr->kind == AS_E_ACCESS && i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, expr->name) == 0)
      return is_zero_number(of->reader->graph, &of->reader->graph->node[of->node->arg[i]]);
  }
  return expr->kind == AS_E_NAME && of->func == NULL && is_zero_attr(of, expr->name);
}

/* an operand, or one of the definitions before the result's */
static uint32_t value_of_access(const call *of, const char *name) {
  const as_opdef *op = of->node->op;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, name) == 0)
      return of->reader->value[of->node->arg[i]];
  }
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (strcmp(op->let[i].name, name) == 0)
      return value_of(of, op->let[i].body);
  }
  return UNIT;
}

/* a parameter of the function that is called; all other names are numbers */
static uint32_t value_of_name(const call *of, const char *name) {
  for (uint32_t i = 0; of->func && i < of->func->n; i++) {
    if (strcmp(of->func->param[i], name) == 0)
      return of->arg[i];
  }
  return UNIT;
}

/* a function of the specifications as its body, any other by its name, or kind, and its arguments
 */
static uint32_t value_of_function(const call *of, const as_expr *expr) {
  uint32_t *part = as_malloc((expr->n + 1) * sizeof *part);
  uint32_t n = 0;
  bool plain = true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] == NULL)
      continue;
    part[n] = value_of(of, expr->kid[i]);
    plain = plain && part[n] == UNIT;
    n++;
  }
  char *head = expr->kind == AS_E_CALL
                   ? as_format("%s", expr->name)
                   : as_format("f%d.%d", (int)expr->kind, expr->kind == AS_E_REL ? expr->rel : 0);
  bool has_body = expr->kind == AS_E_CALL && expr->func && expr->func->body;
  call inner = {of->reader, of->node, expr->func, part};
  uint32_t value = plain      ? UNIT
                   : has_body ? value_of(&inner, expr->func->body)
                              : row(of->reader, head, part, n);
  free(head);
  free(part);
  return value;
}

static uint32_t value_of_sum(const call *of, const as_expr *expr) {
  if (is_zero(of, expr->kid[1]))
    return value_of(of, expr->kid[0]);
  uint32_t left = value_of(of, expr->kid[0]);
  uint32_t right = value_of(of, expr->kid[1]);
  if (left == UNIT && right == UNIT)
    return UNIT;
  uint32_t added = expr->kind == AS_E_SUB ? of_one(of->reader, "neg", right) : right;
  return is_zero(of, expr->kid[0]) ? added : either_order(of->reader, "add", left, added);
}

static uint32_t value_of(const call *of, const as_expr *expr) {
  switch (expr->kind) {
  case AS_E_NAME:
    return value_of_name(of, expr->name);
  case AS_E_NUM:
  case AS_E_IDIV:
  case AS_E_MOD:
    return UNIT;
  case AS_E_ACCESS:
    return value_of_access(of, expr->name);
  case AS_E_ADD:
  case AS_E_SUB:
    return value_of_sum(of, expr);
  case AS_E_MUL:
    return product(of->reader, value_of(of, expr->kid[0]), value_of(of, expr->kid[1]));
  case AS_E_FDIV:
    return product(of->reader, value_of(of, expr->kid[0]),
                   of_one(of->reader, "inv", value_of(of, expr->kid[1])));
  case AS_E_NEG:
    return of_one(of->reader, "neg", value_of(of, expr->kid[0]));
  case AS_E_INV:
    return of_one(of->reader, "inv", value_of(of, expr->kid[0]));
  case AS_E_SUM:
    return sum(of->reader, value_of(of, expr->kid[1]));
  case AS_E_PROD:
    return of_one(of->reader, "prod", value_of(of, expr->kid[1]));
  case AS_E_MAXR:
    return of_one(of->reader, "max", value_of(of, expr->kid[1]));
  case AS_E_MINR:
    return of_one(of->reader, "min", value_of(of, expr->kid[1]));
  default:
    return value_of_function(of, expr);
  }
}

static uint32_t value_of_op(const reading *reader, const as_node *node) {
  const as_opdef *op = node->op;
  return value_of(&(call){.reader = reader, .node = node}, op->let[op->nlet - 1].body);
}

/* --- axes */
static bool has_own_size(const as_graph *graph, as_size size) {
  for (uint32_t i = 0; i < as_size_nmono(graph->sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(graph->sizes, size, i);
    for (uint32_t k = 0; k < mono.n; k++) {
      as_size of[2];
      bool symbol = as_size_atom(graph->sizes, mono.atom[k], &of[0], &of[1]) == AS_SIZE_SYM;
      bool own = !symbol && (has_own_size(graph, of[0]) || has_own_size(graph, of[1]));
      for (uint32_t j = 0; j < graph->n_own_size; j++)
        own = own || (symbol && graph->own_size[j] == mono.atom[k]);
      if (own)
        return true;
    }
  }
  return false;
}

/* of extent 1 whatever the tile sizes, at the program's sizes */
static bool is_one(const as_graph *graph, as_size extent) {
  int64_t value;
  return !has_own_size(graph, extent) && as_graph_concrete(graph, extent, &value) && value == 1;
}

static bool divides(const reading *reader, const as_node *node, int by) {
  return node->map[by] >= 0 && !(reader->left_out[node->block] & 1 << by);
}

static int compare_words(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* words in alphabetical order, which frees them */
static void add_sorted(as_str *text, char **word, uint32_t n) {
  qsort(word, n, sizeof *word, compare_words);
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(text, " %s", word[i]);
    free(word[i]);
  }
}

/* which axes of the tensor are divided, and by what */
static void add_map(const reading *reader, const as_node *node, uint32_t tensor, bool named,
                    as_str *text) {
  char *word[AXES];
  uint32_t n = 0;
  for (int by = 0; by < AXES; by++) {
    if (divides(reader, node, by))
      word[n++] =
          as_format("%s:%c", named ? reader->axes[tensor][node->map[by]] : "", reader->letter[by]);
  }
  add_sorted(text, word, n);
}

/* inputs, outputs, and what operators outside of blocks compute: by the place among those that are
 * not of extent 1 */
static void name_axes_by_place(const reading *reader, uint32_t id) {
  const as_node *node = &reader->graph->node[id];
  int place = 0;
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!is_one(reader->graph, node->dim[i]))
      snprintf(reader->axes[id][i], MOST_NAME, "%d", place++);
  }
}

/* what a kernel leaves to others: by what divides them there */
static void name_axes_by_division(const reading *reader, uint32_t id) {
  const as_node *node = &reader->graph->node[id];
  int undivided = 0;
  for (uint32_t i = 0; i < node->rank; i++) {
    size_t n = 0;
    for (int by = 0; by < LOOP; by++) {
      if (divides(reader, node, by) && node->map[by] == (int)i)
        reader->axes[id][i][n++] = reader->letter[by];
    }
    reader->axes[id][i][n] = 0;
    if (n == 0 && !is_one(reader->graph, node->dim[i]))
      snprintf(reader->axes[id][i], MOST_NAME, "-%d", undivided++);
  }
}

/* --- kernels */
static uint32_t value_of_tensor(const reading *reader, uint32_t id) {
  return reader->local && reader->graph->node[id].kind != AS_N_INPUT
             ? as_intern_string(reader->rows, "tensor")
             : reader->value[id];
}

static uint32_t value_of_load(const reading *reader, const as_node *node) {
  uint32_t from = node->arg[0];
  bool named = !reader->local || reader->graph->node[from].kind == AS_N_INPUT;
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "load #%u", value_of_tensor(reader, from));
  add_map(reader, node, from, named, &text);
  uint32_t value = as_intern_string(reader->rows, text.s);
  as_str_clear(&text);
  return value;
}

static uint32_t value_of_acc(const reading *reader, const as_node *node) {
  uint32_t part[2] = {reader->value[node->arg[0]],
                      node->nargs > 1 ? reader->value[node->arg[1]] : UNIT};
  if (reader->left_out[node->block] & 1 << LOOP)
    return part[0];
  const char *head = node->acc == AS_ACC_RESCALE ? "acc rescaled" : as_acc_rows[node->acc].word;
  char *text = as_format("acc %s", head);
  uint32_t value = row(reader, text, part, node->nargs > 1 ? 2 : 1);
  free(text);
  return value;
}

/* An axis written as two: of what another kernel has stored they are its parts and what is in each;
 * of anything else it is a step by itself, as a sum over one of the two is none over both. */
static uint32_t value_of_op_in_block(const reading *reader, const as_node *node) {
  uint32_t value = value_of_op(reader, node);
  bool loaded = reader->graph->node[node->arg[0]].kind == AS_N_LOAD;
  return sg_op_view(node->op) == SG_NO_VIEW || loaded ? value : of_one(reader, "parts", value);
}

static uint32_t value_in_block(const reading *reader, const as_node *node) {
  switch (node->kind) {
  case AS_N_LOAD:
    return value_of_load(reader, node);
  case AS_N_ACC:
    return value_of_acc(reader, node);
  case AS_N_RUN: /* a maximum of one iteration's is that */
    return reader->left_out[node->block] & 1 << LOOP
               ? reader->value[node->arg[0]]
               : of_one(reader, "running", reader->value[node->arg[0]]);
  case AS_N_OP:
    return value_of_op_in_block(reader, node);
  default:
    return UNIT;
  }
}

static char *words_of_store(const reading *reader, uint32_t id) {
  const as_node *node = &reader->graph->node[id];
  as_str text;
  as_str_init(&text);
  if (reader->value[node->arg[0]] == UNIT)
    as_str_add(&text, "store 1");
  else
    as_str_printf(&text, "store #%u", reader->value[node->arg[0]]);
  add_map(reader, node, id, as_graph_is_output(reader->graph, id) && !reader->local, &text);
  return as_str_take(&text);
}

/* the kernel with these letters for the axes of the grid */
static uint32_t kernel_with_letters(reading *reader, const as_block *block, uint32_t which) {
  char **word = as_malloc((block->n + 1) * sizeof *word);
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->n; i++) {
    uint32_t id = block->nodes[i];
    if (reader->graph->node[id].kind == AS_N_STORE)
      word[n++] = words_of_store(reader, id);
    else
      reader->value[id] = value_in_block(reader, &reader->graph->node[id]);
  }
  as_str text;
  as_str_init(&text);
  bool loops = block->has_loop && !(reader->left_out[which] & 1 << LOOP);
  as_str_printf(&text, "kernel%s", loops ? " loop" : "");
  add_sorted(&text, word, n);
  uint32_t kernel = as_intern_string(reader->rows, text.s);
  as_str_clear(&text);
  free(word);
  return kernel;
}

static const char letters[6][AXES + 1] = {"xyzl", "xzyl", "yxzl", "yzxl", "zxyl", "zyxl"};

static void take_stores(reading *reader, const as_block *block, uint32_t kernel) {
  for (uint32_t i = 0; i < block->n; i++) {
    uint32_t id = block->nodes[i];
    if (reader->graph->node[id].kind != AS_N_STORE)
      continue;
    if (!as_graph_is_output(reader->graph, id))
      name_axes_by_division(reader, id);
    char *word = words_of_store(reader, id);
    char *text = as_format("%s of #%u", word, kernel);
    reader->value[id] = as_intern_string(reader->rows, text);
    free(text);
    free(word);
  }
}

/* the kernel, with the letters that give the least number */
static uint32_t read_block(reading *reader, uint32_t which) {
  const as_block *block = &reader->graph->block[which];
  uint32_t least = AS_NONE;
  size_t best = 0;
  for (uint32_t i = 0; i < block->n; i++) {
    if (reader->graph->node[block->nodes[i]].kind == AS_N_STORE)
      name_axes_by_place(reader, block->nodes[i]);
  }
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    memcpy(reader->letter, letters[i], AXES);
    uint32_t kernel = kernel_with_letters(reader, block, which);
    best = kernel < least ? i : best;
    least = kernel < least ? kernel : least;
  }
  memcpy(reader->letter, letters[best], AXES);
  kernel_with_letters(reader, block, which);
  take_stores(reader, block, least);
  return least;
}

/* an operator outside of blocks; what only moves elements is no kernel */
static void read_operator(reading *reader, uint32_t id) {
  const as_node *node = &reader->graph->node[id];
  uint32_t value = value_of_op(reader, node);
  bool moves = node->op->nlet == 1 && node->op->let[0].body->kind == AS_E_ACCESS;
  name_axes_by_place(reader, id);
  reader->value[id] = moves || value == UNIT ? value : of_one(reader, "kernel", value);
}

static reading new_reading(as_topologies *table, const as_graph *graph, const uint8_t *left_out,
                           bool local) {
  reading reader = {.rows = &table->rows,
                    .graph = graph,
                    .left_out = left_out,
                    .value = as_malloc((graph->n + 1) * sizeof *reader.value),
                    .axes = as_calloc(graph->n + 1, sizeof *reader.axes),
                    .local = local};
  for (uint32_t i = 0; i < graph->n; i++)
    reader.value[i] = UNIT;
  for (uint32_t i = 0; i < graph->n_input; i++) {
    char *name = as_format("input %u", i);
    reader.value[graph->input[i]] = as_intern_string(reader.rows, name);
    name_axes_by_place(&reader, graph->input[i]);
    free(name);
  }
  return reader;
}

static void free_reading(reading *reader) {
  free(reader->value);
  free(reader->axes);
}

static uint32_t read_graph(as_topologies *table, const as_graph *graph, const uint8_t *left_out) {
  reading reader = new_reading(table, graph, left_out, false);
  for (uint32_t i = 0; i < graph->n_order; i++) {
    uint32_t id = graph->order[i];
    if (graph->node[id].block == AS_NONE)
      read_operator(&reader, id);
    else
      read_block(&reader, graph->node[id].block);
  }
  uint32_t *output = as_malloc((graph->n_output + 1) * sizeof *output);
  for (uint32_t i = 0; i < graph->n_output; i++)
    output[i] = reader.value[graph->output[i]];
  uint32_t topology = row(&reader, "graph", output, graph->n_output);
  free(output);
  free_reading(&reader);
  return topology;
}

/* --- tile sizes */
/* axes that divide nothing at the program's sizes */
static uint8_t of_no_extent(const as_graph *graph, const as_block *block) {
  uint8_t bits = 0;
  for (int by = 0; by < LOOP; by++) {
    if (block->grid[by] == AS_SIZE_ONE || is_one(graph, block->grid[by]))
      bits |= (uint8_t)(1 << by);
  }
  return bits;
}

/* axes that divide nothing at some tile sizes, and those that never do */
static uint8_t may_be_left_out(const as_graph *graph, const as_block *block) {
  uint8_t bits = of_no_extent(graph, block);
  for (int by = 0; by < LOOP; by++) {
    if (has_own_size(graph, block->grid[by]))
      bits |= (uint8_t)(1 << by);
  }
  if (block->has_loop && has_own_size(graph, block->loop))
    bits |= 1 << LOOP;
  return bits;
}

static uint8_t *least_left_out(const as_graph *graph) {
  uint8_t *bits = as_calloc(graph->n_block + 1, sizeof *bits);
  for (uint32_t i = 0; i < graph->n_block; i++)
    bits[i] = of_no_extent(graph, &graph->block[i]);
  return bits;
}

/* the next set between least and most; false: it was the last, and the first comes again */
static bool next_set(uint8_t *set, uint8_t least, uint8_t most) {
  uint8_t free_bits = most & (uint8_t)~least;
  uint8_t next = (uint8_t)(((*set & free_bits) - free_bits) & free_bits);
  *set = least | next;
  return next != 0;
}

uint32_t as_topology(as_topologies *table, const as_graph *graph) {
  uint8_t *left_out = least_left_out(graph);
  uint32_t topology = read_graph(table, graph, left_out);
  free(left_out);
  return topology;
}

static void add_once(uint32_t **list, uint32_t *n, uint32_t id) {
  for (uint32_t i = 0; i < *n; i++) {
    if ((*list)[i] == id)
      return;
  }
  *list = as_realloc(*list, (*n + 1) * sizeof **list);
  (*list)[(*n)++] = id;
}

uint32_t *as_topologies_of(as_topologies *table, const as_graph *graph, uint32_t *n) {
  uint8_t *left_out = least_left_out(graph);
  uint32_t *list = NULL;
  uint64_t sets = 1;
  *n = 0;
  for (uint32_t i = 0; i < graph->n_block && sets <= AS_MOST_TOPOLOGIES; i++) {
    uint8_t more = may_be_left_out(graph, &graph->block[i]) & (uint8_t)~left_out[i];
    sets <<= __builtin_popcount(more);
  }
  bool more = true;
  while (more) {
    add_once(&list, n, read_graph(table, graph, left_out));
    more = false;
    for (uint32_t i = 0; i < graph->n_block && !more && sets <= AS_MOST_TOPOLOGIES; i++) {
      const as_block *block = &graph->block[i];
      more = next_set(&left_out[i], of_no_extent(graph, block), may_be_left_out(graph, block));
    }
  }
  free(left_out);
  return list;
}

uint32_t *as_kernel_topologies(as_topologies *table, const as_graph *graph, bool all_sizes,
                               uint32_t *n) {
  uint8_t *left_out = least_left_out(graph);
  uint32_t *list = NULL;
  *n = 0;
  for (uint32_t i = 0; i < graph->n_order; i++) {
    uint32_t which = graph->node[graph->order[i]].block;
    bool more = which != AS_NONE;
    while (more) {
      const as_block *block = &graph->block[which];
      reading reader = new_reading(table, graph, left_out, true);
      uint32_t kernel = read_block(&reader, which);
      if (all_sizes) {
        add_once(&list, n, kernel);
      } else {
        list = as_realloc(list, (*n + 1) * sizeof *list);
        list[(*n)++] = kernel;
      }
      free_reading(&reader);
      more = all_sizes &&
             next_set(&left_out[which], of_no_extent(graph, block), may_be_left_out(graph, block));
    }
  }
  free(left_out);
  return list;
}

/* Operations as text: of a whole kernel, and of one as a key by which equal ones are found. */
#include "node.h"
#include "src/base/id.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  imp_kernel *kernel;
  as_str out;
  bool key; /* values by their ids, but those of regions within by a count of their own */
  uint32_t next;
} printer;

enum { LOCAL_NUMBER = 1u << 31 };

static void add_value(printer *to, uint32_t value) {
  imp_kernel *kernel = to->kernel;
  value = imp_find(kernel, value);
  const imp_value *own = IMP_VALUE(kernel, value);
  const imp_value *group = IMP_VALUE(kernel, own->group);
  if (own->name) {
    as_str_printf(&to->out, "%%%s", own->name);
    return;
  }
  bool local = to->key && group->number >= LOCAL_NUMBER;
  uint32_t number = to->key && !local ? own->group : group->number;
  as_str_printf(&to->out, local ? "%%l%u" : "%%%u", local ? number - LOCAL_NUMBER : number);
  if (group->parts > 1)
    as_str_printf(&to->out, "#%u", value - own->group);
}

/* a value that is defined here gets the next number */
static void define(printer *to, uint32_t value) {
  IMP_VALUE(to->kernel, value)->number = to->next++;
}

static const char *behind_token(const char *at) {
  at++;
  while (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '$' || *at == '#' ||
         (*at == '-' && at[1] != '>'))
    at++;
  return at;
}

/* where hints to the cache begin and end in a load's text; false: there are none (any more) */
static bool is_hint(const char *at, size_t *length) {
  static const char *const hints[] = {" evictionPolicy = ", " cacheModifier = "};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    size_t n = strlen(hints[i]);
    if (strncmp(at, hints[i], n) == 0) {
      *length = n + strcspn(at + n, " :");
      return true;
    }
  }
  return false;
}

/* the text of a node from `at` on, its `%word`s replaced by the tokens in order */
static void add_tokens(printer *to, const imp_node *node, const char *at) {
  uint32_t k = 0;
  bool quoted = false;
  while (*at) {
    size_t hint;
    quoted = quoted != (*at == '"');
    if (!quoted && *at == '%' && k < node->n_token) {
      add_value(to, node->token[k++]);
      at = behind_token(at);
    } else if (!quoted && to->key && is_hint(at, &hint)) {
      at += hint;
    } else {
      as_str_addn(&to->out, at++, 1);
    }
  }
}

static const char *behind_results(const imp_node *node) {
  const char *equals = node->n_result ? strchr(node->text, '=') : NULL; /* a name holds none */
  return equals ? equals + strlen("= ") : node->text;
}

static void add_results(printer *to, const imp_node *node) {
  for (uint32_t i = 0; i < node->n_result; i++) {
    const imp_value *own = IMP_VALUE(to->kernel, node->result[i]);
    if (own->group != node->result[i])
      continue;
    define(to, node->result[i]);
    as_str_printf(&to->out, "%s%%%u", i ? ", " : "",
                  IMP_VALUE(to->kernel, node->result[i])->number);
    if (own->parts > 1)
      as_str_printf(&to->out, ":%u", own->parts);
  }
  as_str_add(&to->out, node->n_result ? " = " : "");
}

static void add_node(printer *to, const imp_node *node, int depth);

/* the arguments of a block: those of a loop stand in its head */
static void add_block(printer *to, const imp_region *region) {
  as_str_add(&to->out, "^bb0(");
  for (uint32_t i = 0; i < region->n_argument; i++) {
    char *type = imp_type_text(&IMP_VALUE(to->kernel, region->argument[i])->type);
    as_str_add(&to->out, i ? ", " : "");
    add_value(to, region->argument[i]);
    as_str_printf(&to->out, ": %s", type);
    free(type);
  }
  as_str_add(&to->out, "):\n");
}

static void add_region(printer *to, const imp_node *node, const imp_region *region, int depth) {
  bool block = region->n_argument > 0 && strcmp(node->name, "scf.for") != 0;
  for (uint32_t i = 0; block && i < region->n_argument; i++)
    define(to, region->argument[i]);
  as_str_add(&to->out, "\n");
  if (block) {
    as_str_printf(&to->out, "%*s", 2 * depth, "");
    add_block(to, region);
  }
  for (size_t i = 0; i < region->node.n; i++)
    add_node(to, IMP_NODE(region, i), depth + 1);
  as_str_printf(&to->out, "%*s", 2 * depth, "");
}

static void add_regions(printer *to, const imp_node *node, int depth) {
  for (uint32_t i = 0; i < node->n_region; i++) {
    if (i)
      as_str_add(&to->out, node->between);
    add_region(to, node, &node->region[i], depth);
  }
  if (node->n_region)
    as_str_add(&to->out, node->tail);
}

/* the head of a block is part of a node's text where it has one: it is printed anew */
static char *head_of(const imp_node *node) {
  const char *from = behind_results(node);
  const char *block = node->n_region ? strchr(from, '^') : NULL;
  return as_format("%.*s", block ? (int)(block - from) : (int)strlen(from), from);
}

static void add_node(printer *to, const imp_node *node, int depth) {
  as_str_printf(&to->out, "%*s", 2 * depth, "");
  add_results(to, node);
  if (strcmp(node->name, "scf.for") == 0) {
    for (uint32_t i = 0; i < node->region[0].n_argument; i++)
      define(to, node->region[0].argument[i]);
  }
  char *head = head_of(node);
  add_tokens(to, node, head);
  free(head);
  add_regions(to, node, depth);
  as_str_add(&to->out, "\n");
}

char *imp_print(imp_kernel *kernel) {
  printer to = {.kernel = kernel};
  as_str_init(&to.out);
  for (size_t i = 0; i < kernel->value.n; i++)
    IMP_VALUE(kernel, i)->number = 0;
  as_str_printf(&to.out, "%s\n", kernel->head);
  for (size_t i = 0; i < kernel->body.node.n; i++)
    add_node(&to, IMP_NODE(&kernel->body, i), 2);
  as_str_printf(&to.out, "  %s\n", kernel->tail);
  return as_str_take(&to.out);
}

char *imp_key(imp_kernel *kernel, const imp_node *node) {
  printer to = {.kernel = kernel, .key = true, .next = LOCAL_NUMBER};
  as_str_init(&to.out);
  for (size_t i = 0; i < kernel->value.n && node->n_region; i++)
    IMP_VALUE(kernel, i)->number = 0;
  char *head = head_of(node);
  add_tokens(&to, node, head);
  free(head);
  add_regions(&to, node, 0);
  return as_str_take(&to.out);
}

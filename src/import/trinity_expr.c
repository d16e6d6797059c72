/* Trinity's names, places and expressions as `.tile` text. */
#include "trinity_translate.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool trinity_report(trinity_translator *t, const trinity_node *at, const char *format,
                    const char *name) {
  return trinity_fail(t->file, at, t->err, format, name);
}

bool trinity_is_call(const trinity_node *node, const char *name, uint32_t n) {
  return node->atom == NULL && node->n == n && node->kid[0]->atom &&
         strcmp(node->kid[0]->atom, name) == 0;
}

/* written bare or as a list of one */
bool trinity_is_word(const trinity_node *node, const char *word) {
  return (node->atom && strcmp(node->atom, word) == 0) || trinity_is_call(node, word, 1);
}

bool trinity_is_loop(const trinity_node *node) {
  return trinity_is_call(node, "loop", 6) || trinity_is_call(node, "sloop", 6) ||
         trinity_is_call(node, "ploop", 6);
}

char *trinity_keep(trinity_translator *t, char *text) {
  char *kept = as_arena_strdup(t->mem, text);
  free(text);
  return kept;
}

/* base, or base with a number behind it */
char *trinity_fresh(trinity_translator *t, const char *base) {
  char *name = as_strdup(base);
  for (uint32_t i = 2; as_intern_find(&t->taken, name) != AS_NONE; i++) {
    free(name);
    name = as_format("%s_%u", base, i);
  }
  as_intern_string(&t->taken, name);
  return trinity_keep(t, name);
}

void trinity_line(trinity_translator *t, const char *text) {
  as_str_printf(&t->body, "%*s%s\n", 2 * t->depth, "", text);
}

/* ---- tensors */
const trinity_shape *trinity_shape_of(const trinity_translator *t, const char *name) {
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    if (strcmp(shape->config, t->config) == 0 && strcmp(shape->name, name) == 0)
      return shape;
  }
  return NULL;
}

bool trinity_is_extent(const trinity_translator *t, long value) {
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    for (uint32_t d = 0; strcmp(shape->config, t->config) == 0 && d < shape->rank; d++) {
      if (shape->dim[d] == value)
        return true;
    }
  }
  return false;
}

char *trinity_size(trinity_translator *t, long value) {
  char *name = trinity_keep(t, as_format("N%ld", value));
  char *declared = as_format("%s = %ld", name, value);
  as_intern_string(&t->sizes, declared);
  free(declared);
  return name;
}

/* an extent's number is that size; others are themselves */
char *trinity_number(trinity_translator *t, long value) {
  return trinity_is_extent(t, value) ? trinity_size(t, value)
                                     : trinity_keep(t, as_format("%ld", value));
}

/* the name at position zip of `A,B,C` */
char *trinity_zipped(trinity_translator *t, const char *names) {
  uint32_t count = 1;
  for (const char *at = names; *at; at++)
    count += *at == ',';
  uint32_t wanted = count == 1 ? 0 : t->zip;
  if (wanted >= count)
    return NULL;
  while (wanted--)
    names = strchr(names, ',') + 1;
  return trinity_keep(t, as_format("%.*s", (int)strcspn(names, ","), names));
}

const char *trinity_tensor(trinity_translator *t, const trinity_node *of) {
  if (of->atom || of->n != 2 || of->kid[1]->atom == NULL) {
    trinity_report(t, of, "%s", "expected (tensor NAME), (input NAME) or (output NAME)");
    return NULL;
  }
  char *name = trinity_zipped(t, of->kid[1]->atom);
  if (name == NULL)
    trinity_report(t, of, "`%s` has fewer names than the list that is stored to", of->kid[1]->atom);
  else if (trinity_shape_of(t, name) == NULL)
    trinity_report(t, of, "the table of extents has no tensor `%s` here", name);
  return name && trinity_shape_of(t, name) ? name : NULL;
}

/* what stands for the tensor here */
const char *trinity_instead(const trinity_translator *t, const char *name) {
  for (size_t i = t->renames.n; i-- > 0;) {
    const trinity_renamed *one = &AS_VEC_AT(&t->renames, trinity_renamed, i);
    if (strcmp(one->name, name) == 0)
      return one->instead;
  }
  return name;
}

void trinity_declare(trinity_translator *t, const char *name, const char *as) {
  const trinity_shape *shape = trinity_shape_of(t, name);
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "scratch %s: f32[", as);
  for (uint32_t d = 0; d < shape->rank; d++)
    as_str_printf(&text, "%s%s", d ? ", " : "", trinity_number(t, shape->dim[d]));
  as_str_add(&text, "] = 0");
  trinity_line(t, text.s);
  as_str_clear(&text);
}

/* ---- places: lanes and positions, one an axis */
void trinity_places_init(trinity_places *p) {
  as_str_init(&p->lanes);
  as_str_init(&p->place);
}

void trinity_places_clear(trinity_places *p) {
  as_str_clear(&p->lanes);
  as_str_clear(&p->place);
}

static const trinity_loop *find_loop(trinity_translator *t, const trinity_node *variable) {
  for (size_t i = t->loops.n; variable->atom && i-- > 0;) {
    const trinity_loop *around = &AS_VEC_AT(&t->loops, trinity_loop, i);
    if (strcmp(around->source, variable->atom) == 0)
      return around;
  }
  trinity_report(t, variable, "no loop around binds `%s`",
                 variable->atom ? variable->atom : "(..)");
  return NULL;
}

const char *const trinity_lanes[] = {"a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", NULL};

static void add_axis(trinity_places *p, uint32_t axis, const char *start, const char *extent) {
  const char *lane = trinity_lanes[axis];
  const char *comma = axis ? ", " : "";
  as_str_printf(&p->lanes, "%s%s < %s", comma, lane, extent);
  as_str_printf(&p->place, "%s%s%s%s", comma, start, *start ? " + " : "", lane);
}

/* `(const_tile 1008 16)` of an axis of 1024: the last 16 of them */
static char *constant_start(trinity_translator *t, long start, long extent) {
  if (!trinity_is_extent(t, start) && trinity_is_extent(t, start + extent) &&
      trinity_is_extent(t, extent)) {
    char *all = trinity_size(t, start + extent);
    char *part = trinity_size(t, extent);
    char *relation = as_format("%s <= %s", part, all);
    as_intern_string(&t->relations, relation);
    free(relation);
    return trinity_keep(t, as_format("%s - %s", all, part));
  }
  return trinity_number(t, start);
}

static bool axis_place(trinity_translator *t, const trinity_node *part, uint32_t axis, long dim,
                       trinity_places *p) {
  if (trinity_is_word(part, "fulltile")) {
    add_axis(p, axis, "", trinity_number(t, dim));
    return true;
  }
  bool element = trinity_is_call(part, "elem", 2);
  if (element || trinity_is_call(part, "tile", 2)) {
    const trinity_loop *around = find_loop(t, part->kid[1]);
    if (around == NULL)
      return false;
    char *all = trinity_number(t, dim);
    bool whole = around->divides && strcmp(around->end, all) == 0;
    char *start =
        element ? as_format("%s div %s", around->name, around->step) : as_strdup(around->name);
    char *extent = element ? as_strdup("1")
                   : whole ? as_strdup(around->step)
                           : as_format("min(%s, %s - %s)", around->step, all, around->name);
    add_axis(p, axis, start, extent);
    free(start);
    free(extent);
    return true;
  }
  long start;
  long extent;
  if (trinity_is_call(part, "const_tile", 3) && part->kid[1]->atom && part->kid[2]->atom &&
      trinity_is_integer(part->kid[1]->atom, &start) &&
      trinity_is_integer(part->kid[2]->atom, &extent)) {
    add_axis(p, axis, start ? constant_start(t, start, extent) : "", trinity_number(t, extent));
    return true;
  }
  return trinity_report(t, part, "%s",
                        "expected fulltile, (tile v), (elem v) or (const_tile start extent)");
}

bool trinity_place(trinity_translator *t, const trinity_node *index, const char *name,
                   trinity_places *p) {
  const trinity_shape *shape = trinity_shape_of(t, name);
  if (index->atom || index->kid[0]->atom == NULL || strcmp(index->kid[0]->atom, "index") != 0)
    return trinity_report(t, index, "%s", "expected (index ..)");
  if (index->n - 1 != shape->rank)
    return trinity_report(t, index, "not as many indices as `%s` has axes", name);
  for (uint32_t d = 0; d < shape->rank; d++) {
    if (!axis_place(t, index->kid[1 + d], d, shape->dim[d], p))
      return false;
  }
  return true;
}

/* ---- expressions; text, in mem; loads are lines before it */
static char *kept_load(const trinity_translator *t, const char *key) {
  for (size_t i = 0; i < t->cache.n; i++) {
    const trinity_cached *one = &AS_VEC_AT(&t->cache, trinity_cached, i);
    if (strcmp(one->key, key) == 0)
      return one->tile;
  }
  return NULL;
}

static char *load(trinity_translator *t, const trinity_node *node) {
  const char *name = trinity_tensor(t, node->kid[1]);
  trinity_places p;
  trinity_places_init(&p);
  char *tile = NULL;
  if (name && trinity_place(t, node->kid[2], name, &p)) {
    const char *from = trinity_instead(t, name);
    const char *place = p.place.s ? p.place.s : "";
    char *key =
        trinity_keep(t, as_format("%s[%s] over [%s]", from, place, p.lanes.s ? p.lanes.s : ""));
    /* only what stays in memory is kept by the generator's loads */
    bool memory = t->options->scratch == AS_TRINITY_GENERATOR && from == name;
    tile = memory ? kept_load(t, key) : NULL;
    if (tile == NULL) {
      char *base = trinity_keep(t, as_format("t%u", ++t->n_tiles));
      tile = trinity_fresh(t, base);
      trinity_line(t, trinity_keep(t, as_format("load %s[%s] = %s[%s]", tile,
                                                p.lanes.s ? p.lanes.s : "", from, place)));
      if (memory)
        as_vec_push(&t->cache, &(trinity_cached){key, tile});
    }
  }
  trinity_places_clear(&p);
  return tile;
}

static bool small(trinity_translator *t, const trinity_node *node, long *value) {
  if (node->atom && trinity_is_integer(node->atom, value) && *value < TRINITY_MOST_AXES)
    return true;
  return trinity_report(t, node, "%s", "expected the number of an axis");
}

/* axis d of the result is axis order[d]: made of exchanges of two axes */
static char *permute(trinity_translator *t, const trinity_node *node, uint32_t n) {
  long order[4];
  long now[4] = {0, 1, 2, 3};
  char *text = trinity_expression(t, node->kid[1]);
  for (uint32_t d = 0; text && d < n; d++) {
    if (!small(t, node->kid[2 + d], &order[d]))
      return NULL;
  }
  for (uint32_t d = 0; text && d < n; d++) {
    uint32_t at = d;
    while (at < n && now[at] != order[d])
      at++;
    if (at == n) {
      trinity_report(t, node, "%s", "no permutation");
      return NULL;
    }
    if (at != d)
      text = trinity_keep(t, as_format("swap_axes(%s, first=%u, second=%u)", text, d, at));
    long other = now[at];
    now[at] = now[d];
    now[d] = other;
  }
  return text;
}

static char *literal(trinity_translator *t, const trinity_node *node) {
  long value;
  char *end;
  if (trinity_is_integer(node->atom, &value))
    return trinity_number(t, value);
  strtod(node->atom, &end);
  bool decimal = isdigit((unsigned char)*node->atom) && *end == 0 &&
                 strspn(node->atom, "0123456789.eE+-") == strlen(node->atom);
  if (decimal)
    return trinity_keep(t, as_strdup(node->atom));
  trinity_report(t, node,
                 strncmp(node->atom, "dummydata", 9) == 0
                     ? "`%s` is a hole that the extraction left: this is no program"
                     : "`%s` is no expression",
                 node->atom);
  return NULL;
}

/* Trinity's word, ours, how many tensors, whether an axis follows */
static const struct {
  const char *word;
  const char *ours;
  uint32_t tensors;
  bool axis;
} operators[] = {{"+", "add", 2, false},
                 {"-", "sub", 2, false},
                 {"*", "mul", 2, false},
                 {"/", "div", 2, false},
                 {"@", "matmul", 2, false},
                 {"max", "maximum", 2, false},
                 {"min", "minimum", 2, false},
                 {"<=", "less_equal", 2, false},
                 {"exp", "exp", 1, false},
                 {"sqr", "square", 1, false},
                 {"sqrt", "sqrt", 1, false},
                 {"sigmoid", "sigmoid", 1, false},
                 {"abs", "abs", 1, false},
                 {"transpose", "transpose", 1, false},
                 {"rsum", "sum", 1, true},
                 {"rmax", "max", 1, true},
                 {"rmin", "min", 1, true},
                 {"bcast", "expand_dims", 1, true},
                 {"unsqueeze", "expand_dims", 1, true},
                 {"squeeze", "squeeze", 1, true},
                 {"concat", "concat", 2, true}};

static char *call(trinity_translator *t, const trinity_node *node, size_t row) {
  uint32_t tensors = operators[row].tensors;
  long axis = 0;
  char *first = trinity_expression(t, node->kid[1]);
  char *second = first && tensors == 2 ? trinity_expression(t, node->kid[2]) : NULL;
  if (first == NULL || (tensors == 2 && second == NULL))
    return NULL;
  if (!operators[row].axis) {
    return trinity_keep(t, tensors == 2
                               ? as_format("%s(%s, %s)", operators[row].ours, first, second)
                               : as_format("%s(%s)", operators[row].ours, first));
  }
  if (!small(t, node->kid[1 + tensors], &axis))
    return NULL;
  return trinity_keep(
      t, tensors == 2 ? as_format("%s(%s, %s, axis=%ld)", operators[row].ours, first, second, axis)
                      : as_format("%s(%s, axis=%ld)", operators[row].ours, first, axis));
}

char *trinity_expression(trinity_translator *t, const trinity_node *node) {
  if (node->atom)
    return literal(t, node);
  if (trinity_is_call(node, "load", 3))
    return load(t, node);
  if (trinity_is_call(node, "permute3", 5))
    return permute(t, node, 3);
  if (trinity_is_call(node, "permute4", 6))
    return permute(t, node, 4);
  const char *word = node->kid[0]->atom;
  for (size_t i = 0; word && i < sizeof operators / sizeof *operators; i++) {
    if (strcmp(operators[i].word, word) == 0 &&
        node->n == 1 + operators[i].tensors + operators[i].axis)
      return call(t, node, i);
  }
  trinity_report(t, node, "`%s` with these operands is not known", word ? word : "(..)");
  return NULL;
}

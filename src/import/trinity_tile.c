/* A program of Trinity as `.tile` text: statements, loops, the whole. */
#include "trinity_translate.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool does_nothing(const trinity_node *node) {
  if (trinity_is_word(node, "dummy"))
    return true;
  if (trinity_is_loop(node))
    return does_nothing(node->kid[5]);
  return trinity_is_call(node, "seq", 3) && does_nothing(node->kid[1]) &&
         does_nothing(node->kid[2]);
}

/* ---- statements */
static bool statement(trinity_translator *t, const trinity_node *node);

static bool store_one(trinity_translator *t, const trinity_node *node) {
  const char *name = trinity_tensor(t, node->kid[1]);
  char *value = name ? trinity_expression(t, node->kid[2]) : NULL;
  trinity_places p;
  trinity_places_init(&p);
  bool ok = value && trinity_place(t, node->kid[3], name, &p);
  if (ok) {
    char *base = trinity_keep(t, as_format("t%u", ++t->n_tiles));
    char *tile = trinity_fresh(t, base);
    trinity_line(t, trinity_keep(t, as_format("%s = %s", tile, value)));
    trinity_line(t, trinity_keep(t, as_format("store %s[%s] = %s over [%s]",
                                              trinity_instead(t, name), p.place.s ? p.place.s : "",
                                              tile, p.lanes.s ? p.lanes.s : "")));
  }
  trinity_places_clear(&p);
  return ok;
}

static bool store(trinity_translator *t, const trinity_node *node) {
  uint32_t count = trinity_count_names(node->kid[1]);
  for (uint32_t i = 0; i < count; i++) {
    t->zip = i;
    if (!store_one(t, node))
      return false;
  }
  t->zip = 0;
  return true;
}

/* ---- loops */
static bool loop_bound(trinity_translator *t, const trinity_node *node, char **text, long *value) {
  if (node->atom && trinity_is_integer(node->atom, value)) {
    *text = *value ? trinity_number(t, *value) : "0";
    return true;
  }
  return trinity_report(t, node, "%s", "expected a number");
}

static bool is_symbol(const char *atom) {
  for (const char *at = atom; *at; at++) {
    if (!isalnum((unsigned char)*at) && *at != '_')
      return false;
  }
  return isalpha((unsigned char)*atom);
}

/* A number, or the symbol of a tile, which is a size of this kernel alone.  A step that is an
 * extent makes the range a product. */
static bool loop_step(trinity_translator *t, const trinity_node *node, long start, long end,
                      trinity_loop *made) {
  long value;
  if (node->atom == NULL || !(trinity_is_integer(node->atom, &value) || is_symbol(node->atom)))
    return trinity_report(t, node, "%s", "expected a number or the name of a tile's size");
  if (!trinity_is_integer(node->atom, &value)) {
    char *name =
        trinity_keep(t, as_format("%s%s_%zu", t->options->prefix, node->atom, t->kernel + 1));
    as_intern_string(&t->sizes, name);
    made->step = name;
    return true;
  }
  if (value == 0)
    return trinity_report(t, node, "%s", "the step of a loop is 0");
  made->step = trinity_number(t, value);
  if (start == 0 && trinity_is_extent(t, value) && end % value == 0 &&
      trinity_is_extent(t, end / value) && trinity_is_extent(t, end)) {
    char *relation = as_format("%s = %s * %s", made->end, trinity_size(t, end / value), made->step);
    as_intern_string(&t->relations, relation);
    free(relation);
    made->divides = true;
  }
  return true;
}

static bool loop_body(trinity_translator *t, const trinity_node *loop) {
  const trinity_node *body = loop->kid[5];
  bool outermost = t->in_grid;
  bool parallel = trinity_is_call(loop, "ploop", 6);
  /* directly nested ploops are one grid: the instance begins in the innermost */
  bool instance = outermost && !(parallel && trinity_is_call(body, "ploop", 6));
  as_vec back;
  as_vec_init(&back, sizeof(trinity_written_back));
  if (instance && parallel)
    trinity_open_private(t, loop);
  if (t->options->scratch == AS_TRINITY_GENERATOR && (instance || !outermost))
    trinity_open_sums(t, body, loop->kid[4]->atom, instance && parallel, &back);
  t->in_grid = outermost && !instance;
  bool ok = statement(t, body) && trinity_close_sums(t, &back);
  t->in_grid = outermost;
  as_vec_clear(&back);
  return ok;
}

static bool loop(trinity_translator *t, const trinity_node *node) {
  trinity_loop made = {.source = node->kid[4]->atom};
  char *start;
  char *end;
  long from;
  long to;
  if (made.source == NULL || !is_symbol(made.source))
    return trinity_report(t, node->kid[4], "%s", "expected the variable of a loop");
  if (!loop_bound(t, node->kid[1], &start, &from) || !loop_bound(t, node->kid[2], &end, &to))
    return false;
  made.end = end;
  if (!loop_step(t, node->kid[3], from, to, &made))
    return false;
  made.name = trinity_fresh(t, made.source);
  trinity_line(t, trinity_keep(t, as_format("%s %s = %s to %s step %s",
                                            trinity_is_call(node, "ploop", 6) ? "parallel" : "for",
                                            made.name, start, end, made.step)));
  as_vec_push(&t->loops, &made);
  t->cache.n = 0; /* the generator forgets its loads where a loop begins and where it ends */
  t->depth++;
  bool ok = loop_body(t, node);
  t->depth--;
  t->cache.n = 0;
  t->loops.n--;
  trinity_line(t, "end");
  return ok;
}

static bool statement(trinity_translator *t, const trinity_node *node) {
  if (does_nothing(node))
    return true;
  if (trinity_is_call(node, "seq", 3))
    return statement(t, node->kid[1]) && statement(t, node->kid[2]);
  if (trinity_is_loop(node))
    return loop(t, node);
  if (trinity_is_call(node, "store", 4))
    return store(t, node);
  return trinity_report(t, node, "`%s` is no statement",
                        node->atom           ? node->atom
                        : node->kid[0]->atom ? node->kid[0]->atom
                                             : "(..)");
}

/* ---- the whole program */
static void collect(trinity_translator *t, trinity_node *node) {
  if (trinity_is_call(node, "seq", 3)) {
    collect(t, node->kid[1]);
    collect(t, node->kid[2]);
  } else if (!does_nothing(node)) {
    as_vec_push(&t->kernels, &node);
  }
}

/* all atoms but loops' variables are names that ours avoid; tensors that are stored to */
static void look_around(trinity_translator *t, const trinity_node *node) {
  if (trinity_is_call(node, "tile", 2) || trinity_is_call(node, "elem", 2))
    return;
  if (node->atom) {
    char *names = as_strdup(node->atom); /* of one tensor, or of several */
    for (char *at = strtok(names, ","); at; at = strtok(NULL, ","))
      as_intern_string(&t->taken, at);
    free(names);
    return;
  }
  if (trinity_is_call(node, "store", 4) && node->kid[1]->atom == NULL && node->kid[1]->n == 2 &&
      node->kid[1]->kid[1]->atom) {
    char *names = as_strdup(node->kid[1]->kid[1]->atom);
    for (char *at = strtok(names, ","); at; at = strtok(NULL, ","))
      as_intern_string(&t->stored, at);
    free(names);
  }
  for (uint32_t i = 0; i < node->n; i++) {
    if (i != 4 || !trinity_is_loop(node))
      look_around(t, node->kid[i]);
  }
}

/* lanes and sizes have their names whatever a loop's variable is called */
static void take_own_names(trinity_translator *t) {
  for (const char *const *lane = trinity_lanes; *lane; lane++)
    as_intern_string(&t->taken, *lane);
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    for (uint32_t d = 0; d < shape->rank; d++) {
      char *name = as_format("N%ld", shape->dim[d]);
      as_intern_string(&t->taken, name);
      free(name);
    }
  }
}

static bool covers(trinity_translator *t, const trinity_node *node) {
  long value;
  if (node->atom)
    return true;
  bool named = (trinity_is_call(node, "tensor", 2) || trinity_is_call(node, "input", 2) ||
                trinity_is_call(node, "output", 2)) &&
               node->kid[1]->atom;
  if (named) {
    uint32_t count = trinity_count_names(node);
    for (t->zip = 0; t->zip < count; t->zip++) {
      if (trinity_shape_of(t, trinity_zipped(t, node->kid[1]->atom)) == NULL)
        return false;
    }
    t->zip = 0;
  }
  if (trinity_is_loop(node) && node->kid[2]->atom &&
      trinity_is_integer(node->kid[2]->atom, &value) && !trinity_is_extent(t, value))
    return false;
  for (uint32_t i = 0; i < node->n; i++) {
    if (!covers(t, node->kid[i]))
      return false;
  }
  return true;
}

static bool is_used(const trinity_translator *t, const char *name) {
  for (size_t i = 0; i < t->kernels.n; i++) {
    if (trinity_uses(AS_VEC_AT(&t->kernels, trinity_node *, i), name))
      return true;
  }
  return false;
}

/* whether two configurations say the same of all that the program uses */
static bool same_tensors(trinity_translator *t, const char *config, const char *other) {
  bool same = true;
  for (size_t i = 0; same && i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    if (strcmp(shape->config, config) != 0 || !is_used(t, shape->name))
      continue;
    t->config = other;
    const trinity_shape *there = trinity_shape_of(t, shape->name);
    same = there && there->kind == shape->kind && there->rank == shape->rank &&
           memcmp(there->dim, shape->dim, shape->rank * sizeof *shape->dim) == 0;
  }
  return same;
}

/* the rows of the table whose tensors and extents the program speaks of */
static bool choose_config(trinity_translator *t, const trinity_node *program) {
  const char *fits = NULL;
  if (t->options->config) {
    t->config = t->options->config;
    return true;
  }
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const char *config = AS_VEC_AT(&t->file->shapes, trinity_shape, i).config;
    bool again = i && strcmp(config, AS_VEC_AT(&t->file->shapes, trinity_shape, i - 1).config) == 0;
    t->config = config;
    if (again || !covers(t, program) || (fits && same_tensors(t, fits, config)))
      continue;
    if (fits)
      return trinity_report(
          t, program,
          "several configurations of the table of extents fit, `%s` is one: choose with "
          "--config",
          fits);
    fits = config;
  }
  t->config = fits;
  return fits || trinity_report(t, program, "%s", "no configuration of the table of extents fits");
}

static void header(trinity_translator *t, as_str *text) {
  as_str_add(text, "tile trinity\n");
  for (uint32_t i = 0; i < as_intern_count(&t->sizes); i++)
    as_str_printf(text, "sizes %s\n", as_intern_text(&t->sizes, i));
  for (uint32_t i = 0; i < as_intern_count(&t->relations); i++)
    as_str_printf(text, "where %s\n", as_intern_text(&t->relations, i));
}

static void tensors(trinity_translator *t, as_str *text) {
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    if (strcmp(shape->config, t->config) != 0 || !is_used(t, shape->name) ||
        trinity_is_private(t, shape))
      continue;
    bool stored = as_intern_find(&t->stored, shape->name) != AS_NONE;
    const char *role = shape->kind == TRINITY_OUTPUT   ? "output"
                       : shape->kind == TRINITY_TENSOR ? "scratch"
                       : stored                        ? "inout"
                                                       : "input";
    as_str_printf(text, "%s %s: f16[", role, shape->name);
    for (uint32_t d = 0; d < shape->rank; d++)
      as_str_printf(text, "%s%s", d ? ", " : "", trinity_number(t, shape->dim[d]));
    as_str_printf(text, "]%s\n", shape->kind == TRINITY_INPUT ? "" : " = 0");
  }
}

/* a kernel of one instance begins before its loop */
static bool kernel(trinity_translator *t, const trinity_node *node) {
  as_vec back;
  as_vec_init(&back, sizeof(trinity_written_back));
  if (t->options->scratch == AS_TRINITY_GENERATOR && trinity_is_loop(node) &&
      !trinity_is_call(node, "ploop", 6))
    trinity_open_sums(t, node, "", true, &back);
  bool ok = statement(t, node) && trinity_close_sums(t, &back);
  as_vec_clear(&back);
  return ok;
}

static bool kernels(trinity_translator *t) {
  for (t->kernel = 0; t->kernel < t->kernels.n; t->kernel++) {
    t->cache.n = 0;
    t->in_grid = true;
    if (!kernel(t, AS_VEC_AT(&t->kernels, trinity_node *, t->kernel)))
      return false;
  }
  return true;
}

char *as_trinity_tile(const as_trinity *file, size_t i, const as_trinity_options *options,
                      as_err *err) {
  trinity_translator t = {.file = file, .options = options, .err = err, .mem = as_arena_new()};
  as_str text;
  as_str declared;
  as_intern_init(&t.taken, NULL);
  as_intern_init(&t.stored, NULL);
  as_intern_init(&t.sizes, NULL);
  as_intern_init(&t.relations, NULL);
  as_vec_init(&t.kernels, sizeof(trinity_node *));
  as_vec_init(&t.loops, sizeof(trinity_loop));
  as_vec_init(&t.renames, sizeof(trinity_renamed));
  as_vec_init(&t.cache, sizeof(trinity_cached));
  as_str_init(&t.body);
  as_str_init(&text);
  as_str_init(&declared);
  trinity_node *program =
      trinity_parse(file, &AS_VEC_AT(&file->programs, trinity_program, i), t.mem, err);
  bool ok = program != NULL;
  if (ok) {
    take_own_names(&t);
    look_around(&t, program);
    collect(&t, program);
    ok = choose_config(&t, program) && kernels(&t);
  }
  if (ok) {
    tensors(&t, &declared); /* which may speak of further sizes */
    header(&t, &text);
    as_str_add(&text, declared.s ? declared.s : "");
    as_str_add(&text, t.body.s ? t.body.s : "");
  }
  as_intern_clear(&t.taken);
  as_intern_clear(&t.stored);
  as_intern_clear(&t.sizes);
  as_intern_clear(&t.relations);
  as_vec_clear(&t.kernels);
  as_vec_clear(&t.loops);
  as_vec_clear(&t.renames);
  as_vec_clear(&t.cache);
  as_str_clear(&t.body);
  as_str_clear(&declared);
  as_arena_free(t.mem);
  char *made = as_str_take(&text);
  if (ok)
    return made;
  free(made);
  return NULL;
}

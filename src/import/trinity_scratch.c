/* Scratch tensors of Trinity's programs that are anew in each instance of a kernel, and sums that
 * its generator keeps in registers. */
#include "trinity_translate.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint32_t trinity_count_names(const trinity_node *of) {
  uint32_t count = 1;
  for (const char *at = of->atom == NULL && of->n == 2 && of->kid[1]->atom ? of->kid[1]->atom : "";
       *at; at++)
    count += *at == ',';
  return count;
}

/* ---- scratch tensors that are anew in each iteration of a loop */
/* is it one of `A,B,C`? */
static bool is_among(const char *names, const char *name) {
  size_t n = strlen(name);
  for (;;) {
    size_t length = strcspn(names, ",");
    if (length == n && memcmp(names, name, n) == 0)
      return true;
    if (names[length] == 0)
      return false;
    names += length + 1;
  }
}

bool trinity_uses(const trinity_node *node, const char *name) {
  if (node->atom)
    return false;
  const trinity_node *of = node->n > 1 ? node->kid[1] : NULL;
  bool access = trinity_is_call(node, "load", 3) || trinity_is_call(node, "store", 4);
  if (access && of->atom == NULL && of->n == 2 && of->kid[1]->atom &&
      is_among(of->kid[1]->atom, name))
    return true;
  for (uint32_t i = 1; i < node->n; i++) {
    if (trinity_uses(node->kid[i], name))
      return true;
  }
  return false;
}

bool trinity_is_private(const trinity_translator *t, const trinity_shape *shape) {
  size_t kernels = 0;
  if (t->options->scratch == AS_TRINITY_GLOBAL || shape->kind != TRINITY_TENSOR)
    return false;
  for (size_t i = 0; i < t->kernels.n; i++) {
    const trinity_node *kernel = AS_VEC_AT(&t->kernels, trinity_node *, i);
    if (trinity_uses(kernel, shape->name))
      kernels += trinity_is_call(kernel, "ploop", 6) ? 1 : 2;
  }
  return kernels == 1;
}

void trinity_open_private(trinity_translator *t, const trinity_node *kernel) {
  for (size_t i = 0; i < t->file->shapes.n; i++) {
    const trinity_shape *shape = &AS_VEC_AT(&t->file->shapes, trinity_shape, i);
    if (strcmp(shape->config, t->config) == 0 && trinity_is_private(t, shape) &&
        trinity_uses(kernel, shape->name))
      trinity_declare(t, shape->name, shape->name);
  }
}

/* ---- sums in registers: what the generator makes of a tensor that a kernel adds to */
static bool same_node(const trinity_node *a, const trinity_node *b) {
  if (a->atom || b->atom)
    return a->atom && b->atom && strcmp(a->atom, b->atom) == 0;
  bool same = a->n == b->n;
  for (uint32_t i = 0; same && i < a->n; i++)
    same = same_node(a->kid[i], b->kid[i]);
  return same;
}

static bool loads_same(const trinity_node *node, const trinity_node *store) {
  if (node->atom)
    return false;
  if (trinity_is_call(node, "load", 3))
    return same_node(node->kid[1], store->kid[1]) && same_node(node->kid[2], store->kid[3]);
  return trinity_is_call(node, "*", 3) &&
         (loads_same(node->kid[1], store) || loads_same(node->kid[2], store));
}

static bool adds_to_itself(const trinity_node *store) {
  const trinity_node *value = store->kid[2];
  return trinity_is_call(value, "+", 3) &&
         (loads_same(value->kid[1], store) || loads_same(value->kid[2], store));
}

static bool mentions(const trinity_node *index, const char *variable) {
  if (index->atom)
    return strcmp(index->atom, variable) == 0;
  for (uint32_t i = 1; i < index->n; i++) {
    if (mentions(index->kid[i], variable))
      return true;
  }
  return false;
}

/* Collects the adding stores below a loop's body whose places the loop's variable decides, but no
 * loop's within; `first`: and those that no loop's does. */
static void find_sums(const trinity_node *node, const char *variable, bool first, as_vec *inner,
                      as_vec *found) {
  if (trinity_is_call(node, "seq", 3)) {
    find_sums(node->kid[1], variable, first, inner, found);
    find_sums(node->kid[2], variable, first, inner, found);
  } else if (trinity_is_loop(node)) {
    as_vec_push(inner, &node->kid[4]);
    find_sums(node->kid[5], variable, first, inner, found);
    inner->n--;
  } else if (trinity_is_call(node, "store", 4) && adds_to_itself(node)) {
    for (size_t i = 0; i < inner->n; i++) {
      const trinity_node *other = AS_VEC_AT(inner, trinity_node *, i);
      if (other->atom && mentions(node->kid[3], other->atom))
        return;
    }
    if (first || mentions(node->kid[3], variable))
      as_vec_push(found, &node);
  }
}

void trinity_open_sums(trinity_translator *t, const trinity_node *below, const char *variable,
                       bool first, as_vec *back) {
  as_vec found;
  as_vec inner;
  as_vec_init(&found, sizeof(trinity_node *));
  as_vec_init(&inner, sizeof(trinity_node *));
  find_sums(below, variable, first, &inner, &found);
  for (size_t i = 0; i < found.n; i++) {
    const trinity_node *store = AS_VEC_AT(&found, trinity_node *, i);
    uint32_t count = trinity_count_names(store->kid[1]);
    for (t->zip = 0; t->zip < count; t->zip++) {
      const char *name = trinity_tensor(t, store->kid[1]);
      if (name == NULL || trinity_instead(t, name) != name)
        continue;
      char *base = trinity_keep(t, as_format("%s_sum", name));
      char *instead = trinity_fresh(t, base);
      trinity_declare(t, name, instead);
      as_vec_push(&t->renames, &(trinity_renamed){name, instead, t->loops.n});
      as_vec_push(back, &(trinity_written_back){name, instead, store->kid[3]});
    }
    t->zip = 0;
  }
  as_vec_clear(&found);
  as_vec_clear(&inner);
}

bool trinity_close_sums(trinity_translator *t, const as_vec *back) {
  bool ok = true;
  for (size_t i = 0; ok && i < back->n; i++) {
    const trinity_written_back *one = &AS_VEC_AT(back, trinity_written_back, i);
    trinity_places p;
    trinity_places_init(&p);
    ok = trinity_place(t, one->index, one->name, &p);
    if (ok) {
      const char *lanes = p.lanes.s ? p.lanes.s : "";
      const char *place = p.place.s ? p.place.s : "";
      char *base = trinity_keep(t, as_format("t%u", ++t->n_tiles));
      char *tile = trinity_fresh(t, base);
      trinity_line(
          t, trinity_keep(t, as_format("load %s[%s] = %s[%s]", tile, lanes, one->instead, place)));
      trinity_line(t, trinity_keep(t, as_format("store %s[%s] = %s over [%s]", one->name, place,
                                                tile, lanes)));
    }
    trinity_places_clear(&p);
  }
  t->renames.n -= back->n;
  return ok;
}

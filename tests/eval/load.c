#include "load.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const load_examples[] = {"rmsnorm_linear",   "gated_mlp",   "lora", "gqa",
                                     "layernorm_linear", "gated_mixer", NULL};

char *load_path(const char *dir, const char *name, const char *ext) {
  return as_format("%s/%s%s%s%s", test_source_dir(), dir, *name ? "/" : "", name, ext);
}

static void stop(as_err *err) {
  char *text = as_err_format(err);
  fprintf(stderr, "%s\n", text);
  exit(1);
}

as_graph *load_tp(const char *path, as_sizes *sizes, as_oplib *lib) {
  as_err err;
  as_err_init(&err);
  size_t n;
  char *text = as_read_file(path, &n, &err);
  as_graph *graph = text ? as_parse_tp(path, text, n, sizes, lib, &err) : NULL;
  if (!graph)
    stop(&err);
  as_err_clear(&err);
  free(text);
  return graph;
}

as_graph *load_mug(const char *path, const as_graph *program) {
  as_err err;
  as_err_init(&err);
  size_t n;
  char *text = as_read_file(path, &n, &err);
  as_graph *graph = text ? as_parse_mug(path, text, n, program, &err) : NULL;
  if (!graph)
    stop(&err);
  as_err_clear(&err);
  free(text);
  return graph;
}

as_graph *load_mug_text(const char *text, const as_graph *program) {
  as_err err;
  as_err_init(&err);
  as_graph *graph = as_parse_mug("mutant.mug", text, strlen(text), program, &err);
  as_err_clear(&err);
  return graph;
}

void load_pair_init(load_pair *pair, const char *name, as_oplib *lib) {
  pair->S = as_sizes_new();
  char *a = load_path("examples", name, ".tp");
  char *b = load_path("examples", name, ".mug");
  pair->tp = load_tp(a, pair->S, lib);
  pair->mug = load_mug(b, pair->tp);
  pair->tp_text = as_read_file(a, &(size_t){0}, NULL);
  pair->mug_text = as_read_file(b, &(size_t){0}, NULL);
  free(a);
  free(b);
}

void load_pair_clear(load_pair *pair) {
  as_graph_free(pair->mug);
  as_graph_free(pair->tp);
  as_sizes_free(pair->S);
  free(pair->tp_text);
  free(pair->mug_text);
}

char *load_mutate(const char *text, as_rng *rng) {
  static const char *const group[][6] = {{"*", "+", "-", "/"},
                                         {"sum", "max"},
                                         {"x ->", "y ->"},
                                         {"-> 0", "-> 1", "-> 2"},
                                         {"axis=0", "axis=-1"},
                                         {"square", "sigmoid", "exp", "abs", "silu", "sqrt"},
                                         {" rescale m", ""},
                                         {"loop ->", "x ->"},
                                         {"/ D", "/ T", "* D", "/ L"},
                                         {"0.00001", "0.001", "0"}};
  for (int t = 0; t < 200; t++) {
    size_t g = as_rng_below(rng, sizeof group / sizeof *group);
    size_t n = 0;
    size_t hits = 0;
    while (n < 6 && group[g][n])
      n++;
    const char *from = group[g][as_rng_below(rng, n)];
    const char *to = group[g][as_rng_below(rng, n)];
    if (!*from || from == to)
      continue;
    for (const char *s = text; (s = strstr(s, from)); s++)
      hits++;
    if (!hits)
      continue;
    const char *at = strstr(text, from);
    for (size_t k = as_rng_below(rng, hits); k; k--)
      at = strstr(at + 1, from);
    return as_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  }
  return as_strdup(text);
}

as_graph *load_text(const char *text, as_sizes *sizes, as_oplib *lib, const as_graph *given) {
  as_err err;
  as_err_init(&err);
  as_graph *graph = strncmp(text, "mug", 3)
                        ? as_parse_tp("pair.tp", text, strlen(text), sizes, lib, &err)
                        : as_parse_mug("pair.mug", text, strlen(text), given, &err);
  if (!graph)
    stop(&err);
  as_err_clear(&err);
  return graph;
}

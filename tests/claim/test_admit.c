/* Lists of definitions that are admitted, and near misses: one for each condition of
 * proofs/CLAIM.md section 7, which says what would follow. Plain main: built with the checker
 * alone. */
#include "config.h"
#include "proofs/checker/ck_elab.h"
#include <stdlib.h>

typedef struct {
  ck_elab elab;
  ck_tensor input;
  ck_tensor *inputs[1];
  ck_definition list[4];
  uint32_t n;
} world;

/* a size N of the given program, a size G of the candidate, an input X of one axis */
static world *world_new(void) {
  world *w = calloc(1, sizeof *w);
  ck_terms *T = w->elab.T = ck_terms_new();
  w->elab.size[0] = (ck_size_symbol){"N", ck_var(T, "N", 'i'), 1, 0, false, true, false};
  w->elab.size[1] = (ck_size_symbol){"G", ck_var(T, "G", 'i'), 1, 0, false, false, true};
  w->elab.n_sizes = 2;
  w->input.symbol = ck_word(T, "X");
  w->input.signature = ck_word(T, "i:r");
  w->inputs[0] = &w->input;
  return w;
}

static void world_free(world *w) {
  for (uint32_t i = 0; i < w->n; i++)
    free((ck_id *)w->list[i].parameter);
  ck_terms_free(w->elab.T);
  free(w);
}

static ck_id var(world *w, const char *name) {
  return ck_var(w->elab.T, name, 'i');
}

static ck_id at(world *w, const char *function, ck_id index) {
  return ck_app(w->elab.T, function, "i:r", &index, 1);
}

/* name[parameter] = body, as the elaboration would write it */
static ck_definition *define(world *w, bool candidate, const char *name, char sort, ck_id parameter,
                             ck_id body) {
  ck_terms *T = w->elab.T;
  ck_definition *d = &w->list[w->n++];
  ck_id *parameters = malloc(sizeof *parameters);
  char signature[] = "i:r";
  signature[2] = sort;
  parameters[0] = parameter;
  *d = (ck_definition){.name = ck_word(T, name), .signature = ck_word(T, signature)};
  d->parameter = parameters;
  d->n = 1;
  d->body = body;
  d->candidate = candidate;
  ck_id left = ck_make(T, CK_APP, d->name, d->signature, parameters, 1);
  ck_id equation = ck_close(T, ck_mk2(T, CK_EQ, left, body), parameters, 1);
  d->clause = ck_all(T, 1, &equation, 1);
  return d;
}

static void good(world *w) {
  ck_id i = var(w, "$i0");
  define(w, false, "S.Y", 'r', i, at(w, "X", i));
  define(w, false, "S.Z", 'r', i, ck_mk2(w->elab.T, CK_ADD, at(w, "S.Y", i), var(w, "N")));
  define(w, true, "C.Z", 'r', i, ck_mk2(w->elab.T, CK_ADD, at(w, "X", i), var(w, "G")));
}

static void integers(world *w) {
  ck_id i = var(w, "$i0");
  define(w, false, "S.Y", 'i', i, ck_mk2(w->elab.T, CK_ADD, i, var(w, "N")));
}

static void twice(world *w) {
  ck_id i = var(w, "$i0");
  define(w, true, "C1.x", 'r', i, at(w, "X", i));
  define(w, true, "C1.x", 'r', i, ck_int(w->elab.T, 0));
}

static void like_an_input(world *w) {
  define(w, false, "X", 'r', var(w, "$i0"), ck_int(w->elab.T, 0));
}

static void like_a_function(world *w) {
  define(w, false, "func.f", 'r', var(w, "$i0"), ck_int(w->elab.T, 0));
}

static void of_itself(world *w) {
  ck_id i = var(w, "$i0");
  ck_id more = ck_mk2(w->elab.T, CK_ADD, at(w, "S.Y", i), ck_int(w->elab.T, 1));
  define(w, false, "S.Y", 'r', i, more);
}

static void of_a_later_one(world *w) {
  ck_id i = var(w, "$i0");
  define(w, false, "S.Y", 'r', i, at(w, "S.Z", i));
  define(w, false, "S.Z", 'r', i, at(w, "S.Y", i));
}

static void of_the_other_side(world *w) {
  ck_id i = var(w, "$i0");
  define(w, false, "S.Z", 'r', i, at(w, "X", i));
  define(w, true, "C.Z", 'r', i, at(w, "S.Z", i));
}

static void given_side_last(world *w) {
  ck_id i = var(w, "$i0");
  define(w, true, "C.Z", 'r', i, at(w, "X", i));
  define(w, false, "S.Z", 'r', i, at(w, "X", i));
}

static void of_a_goals_index(world *w) {
  define(w, true, "C.Z", 'r', var(w, "$k0"), at(w, "X", var(w, "$i0")));
}

static void of_the_candidates_size(world *w) {
  define(w, false, "S.Z", 'r', var(w, "$i0"), var(w, "G"));
}

static void at_a_size(world *w) {
  define(w, false, "S.Z", 'r', var(w, "N"), at(w, "X", var(w, "N")));
}

static void at_a_term(world *w) {
  ck_id i = ck_mk2(w->elab.T, CK_MOD, var(w, "$i0"), ck_int(w->elab.T, 2));
  define(w, false, "S.Z", 'r', i, ck_int(w->elab.T, 0));
}

static void of_a_state(world *w) {
  define(w, false, "S.Z", 'r', var(w, "$i0"), ck_var(w->elab.T, "$s", 'r'));
}

static void no_integer(world *w) {
  ck_terms *T = w->elab.T;
  define(w, false, "S.Z", 'i', var(w, "$i0"), ck_mk1(T, CK_INV, ck_int(T, 2)));
}

static void unknown(world *w) {
  ck_id i = var(w, "$i0");
  define(w, false, "S.Z", 'r', i, at(w, "Y", i));
}

static void another_clause(world *w) {
  ck_terms *T = w->elab.T;
  ck_id i = var(w, "$i0");
  ck_definition *d = define(w, false, "S.Z", 'r', i, at(w, "X", i));
  ck_id product = ck_mk2(T, CK_MUL, at(w, "S.Z", i), at(w, "X", i));
  ck_id kid = ck_close(T, ck_mk2(T, CK_EQ, product, ck_int(T, 1)), &i, 1);
  d->clause = ck_all(T, 1, &kid, 1);
}

static void under_a_condition(world *w) {
  ck_terms *T = w->elab.T;
  ck_id i = var(w, "$i0");
  ck_definition *d = define(w, false, "S.Z", 'r', i, at(w, "X", i));
  ck_id kid[2] = {ck_close(T, ck_mk2(T, CK_LE, ck_int(T, 0), i), &i, 1),
                  ck_close(T, ck_mk2(T, CK_EQ, at(w, "S.Z", i), d->body), &i, 1)};
  d->clause = ck_all(T, 1, kid, 2);
}

static const struct {
  const char *name;
  void (*make)(world *);
  const char *why; /* NULL: admitted */
} cases[] = {{"three definitions", good, NULL},
             {"an integer", integers, NULL},
             {"a symbol twice", twice, "fresh"},
             {"a symbol like an input", like_an_input, "fresh"},
             {"a symbol like a function", like_a_function, "fresh"},
             {"T = T + 1", of_itself, "known"},
             {"two of each other", of_a_later_one, "known"},
             {"the other side", of_the_other_side, "side"},
             {"given side last", given_side_last, "order"},
             {"the index of a goal", of_a_goals_index, "free"},
             {"a size of the candidate", of_the_candidates_size, "free"},
             {"a parameter that is a size", at_a_size, "distinct"},
             {"a parameter that is a term", at_a_term, "distinct"},
             {"a real variable", of_a_state, "free"},
             {"an integer that is none", no_integer, "integer"},
             {"a tensor that nobody declared", unknown, "known"},
             {"an implicit definition", another_clause, "form"},
             {"a clause with a condition", under_a_condition, "form"}};

int main(void) {
  int wrong = 0;
  size_t n = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < n; i++) {
    world *w = world_new();
    cases[i].make(w);
    const ck_tensors inputs = {w->inputs, 1};
    const char *why = ck_admit(&w->elab, w->list, w->n, &inputs, true);
    size_t words = cases[i].why ? strlen(cases[i].why) : 0;
    bool ok = cases[i].why ? why && strncmp(why, cases[i].why, words) == 0 : why == NULL;
    if (!ok) {
      printf("%s: %s\n", cases[i].name, why ? why : "admitted");
      wrong++;
    }
    world_free(w);
  }
  printf("%zu lists of definitions, %d wrong\n", n, wrong);
  return wrong != 0;
}

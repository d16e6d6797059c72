/* Lists of definitions that are admitted, and near misses: one for each condition of
 * proofs/CLAIM.md section 7, which says what would follow. Plain main: built with the checker
 * alone. */
#include "config.h"
#include "proofs/checker/ck_elab.h"
#include <stdlib.h>

typedef struct {
  ck_elab elab;
  ck_tensor input;

  ck_definition list[4];
  uint32_t n;
} world;

/* a size N of the given program, a size G of the candidate, an input X of one axis */
static world *world_new(void) {
  world *here = calloc(1, sizeof *here);
  ck_terms *terms = here->elab.T = ck_terms_new();
  here->elab.size[0] = (ck_size_symbol){"N", ck_var(terms, "N", 'i'), 1, 0, false, true, false};
  here->elab.size[1] = (ck_size_symbol){"G", ck_var(terms, "G", 'i'), 1, 0, false, false, true};
  here->elab.n_sizes = 2;
  here->input.symbol = ck_word(terms, "X");
  here->input.signature = ck_word(terms, "i:r");

  return here;
}

static void world_free(world *here) {
  for (uint32_t i = 0; i < here->n; i++)
    free((ck_id *)here->list[i].parameter);
  ck_terms_free(here->elab.T);
  free(here);
}

static ck_id var(world *here, const char *name) {
  return ck_var(here->elab.T, name, 'i');
}

static ck_id at(world *here, const char *function, ck_id index) {
  return ck_app(here->elab.T, function, "i:r", &index, 1);
}

/* name[parameter] = body, as the elaboration would write it */
static ck_definition *define(world *here, bool candidate, const char *name, char sort,
                             ck_id parameter, ck_id body) {
  ck_terms *terms = here->elab.T;
  ck_definition *definition = &here->list[here->n++];
  ck_id *parameters = malloc(sizeof *parameters);
  char signature[] = "i:r";
  signature[2] = sort;
  parameters[0] = parameter;
  *definition =
      (ck_definition){.name = ck_word(terms, name), .signature = ck_word(terms, signature)};
  definition->parameter = parameters;
  definition->n = 1;
  definition->body = body;
  definition->candidate = candidate;
  ck_id left = ck_make(terms, CK_APP, definition->name, definition->signature, parameters, 1);
  ck_id equation = ck_close(terms, ck_mk2(terms, CK_EQ, left, body), parameters, 1);
  definition->clause = ck_all(terms, 1, &equation, 1);
  return definition;
}

static void good(world *here) {
  ck_id term = var(here, "$i0");
  define(here, false, "S.Y", 'r', term, at(here, "X", term));
  define(here, false, "S.Z", 'r', term,
         ck_mk2(here->elab.T, CK_ADD, at(here, "S.Y", term), var(here, "N")));
  define(here, true, "C.Z", 'r', term,
         ck_mk2(here->elab.T, CK_ADD, at(here, "X", term), var(here, "G")));
}

static void integers(world *here) {
  ck_id term = var(here, "$i0");
  define(here, false, "S.Y", 'i', term, ck_mk2(here->elab.T, CK_ADD, term, var(here, "N")));
}

static void twice(world *here) {
  ck_id term = var(here, "$i0");
  define(here, true, "C1.x", 'r', term, at(here, "X", term));
  define(here, true, "C1.x", 'r', term, ck_int(here->elab.T, 0));
}

static void like_an_input(world *here) {
  define(here, false, "X", 'r', var(here, "$i0"), ck_int(here->elab.T, 0));
}

static void like_a_function(world *here) {
  define(here, false, "func.f", 'r', var(here, "$i0"), ck_int(here->elab.T, 0));
}

static void of_itself(world *here) {
  ck_id term = var(here, "$i0");
  ck_id more = ck_mk2(here->elab.T, CK_ADD, at(here, "S.Y", term), ck_int(here->elab.T, 1));
  define(here, false, "S.Y", 'r', term, more);
}

static void of_a_later_one(world *here) {
  ck_id term = var(here, "$i0");
  define(here, false, "S.Y", 'r', term, at(here, "S.Z", term));
  define(here, false, "S.Z", 'r', term, at(here, "S.Y", term));
}

static void of_the_other_side(world *here) {
  ck_id term = var(here, "$i0");
  define(here, false, "S.Z", 'r', term, at(here, "X", term));
  define(here, true, "C.Z", 'r', term, at(here, "S.Z", term));
}

static void given_side_last(world *here) {
  ck_id term = var(here, "$i0");
  define(here, true, "C.Z", 'r', term, at(here, "X", term));
  define(here, false, "S.Z", 'r', term, at(here, "X", term));
}

static void of_a_goals_index(world *here) {
  define(here, true, "C.Z", 'r', var(here, "$k0"), at(here, "X", var(here, "$i0")));
}

static void of_the_candidates_size(world *here) {
  define(here, false, "S.Z", 'r', var(here, "$i0"), var(here, "G"));
}

static void at_a_size(world *here) {
  define(here, false, "S.Z", 'r', var(here, "N"), at(here, "X", var(here, "N")));
}

static void at_a_term(world *here) {
  ck_id term = ck_mk2(here->elab.T, CK_MOD, var(here, "$i0"), ck_int(here->elab.T, 2));
  define(here, false, "S.Z", 'r', term, ck_int(here->elab.T, 0));
}

static void of_a_state(world *here) {
  define(here, false, "S.Z", 'r', var(here, "$i0"), ck_var(here->elab.T, "$s", 'r'));
}

static void no_integer(world *here) {
  ck_terms *terms = here->elab.T;
  define(here, false, "S.Z", 'i', var(here, "$i0"), ck_mk1(terms, CK_INV, ck_int(terms, 2)));
}

static void unknown(world *here) {
  ck_id term = var(here, "$i0");
  define(here, false, "S.Z", 'r', term, at(here, "Y", term));
}

static void another_clause(world *here) {
  ck_terms *terms = here->elab.T;
  ck_id term = var(here, "$i0");
  ck_definition *definition = define(here, false, "S.Z", 'r', term, at(here, "X", term));
  ck_id product = ck_mk2(terms, CK_MUL, at(here, "S.Z", term), at(here, "X", term));
  ck_id kid = ck_close(terms, ck_mk2(terms, CK_EQ, product, ck_int(terms, 1)), &term, 1);
  definition->clause = ck_all(terms, 1, &kid, 1);
}

static void under_a_condition(world *here) {
  ck_terms *terms = here->elab.T;
  ck_id term = var(here, "$i0");
  ck_definition *definition = define(here, false, "S.Z", 'r', term, at(here, "X", term));
  ck_id kid[2] = {
      ck_close(terms, ck_mk2(terms, CK_LE, ck_int(terms, 0), term), &term, 1),
      ck_close(terms, ck_mk2(terms, CK_EQ, at(here, "S.Z", term), definition->body), &term, 1)};
  definition->clause = ck_all(terms, 1, kid, 2);
}

/* name[l] is base for l <= 0, and name[l + 1] is body, in a loop that ends with definition 2 */
static void carry(world *here, const char *name, ck_id base, ck_id body) {
  static const uint32_t loop[] = {1};
  ck_terms *terms = here->elab.T;
  ck_id l = var(here, "$l0");
  ck_id zero = ck_int(terms, 0);
  ck_definition *d = define(here, false, name, 'r', l, body);
  ck_id next = ck_mk2(terms, CK_ADD, l, ck_int(terms, 1));
  ck_id first[] = {ck_mk2(terms, CK_LE, l, zero), ck_mk2(terms, CK_EQ, at(here, name, l), base)};
  ck_id more[] = {ck_mk2(terms, CK_LE, zero, l), ck_mk2(terms, CK_EQ, at(here, name, next), body)};
  for (int i = 0; i < 2; i++) {
    first[i] = ck_close(terms, first[i], &l, 1);
    more[i] = ck_close(terms, more[i], &l, 1);
  }
  d->carried = true;
  d->loop = loop;
  d->n_loops = 1;
  d->until = 2;
  d->base = base;
  d->base_clause = ck_all(terms, 1, first, 2);
  d->clause = ck_all(terms, 1, more, 2);
}

static void carried(world *here) {
  ck_id l = var(here, "$l0");
  carry(here, "S.P", ck_int(here->elab.T, 0), at(here, "S.R", l));
  carry(here, "S.R", at(here, "X", ck_int(here->elab.T, 5)), at(here, "S.R", l));
}

static void carried_by_the_next(world *here) {
  ck_id next = ck_mk2(here->elab.T, CK_ADD, var(here, "$l0"), ck_int(here->elab.T, 1));
  carry(here, "S.P", ck_int(here->elab.T, 0), at(here, "S.P", next));
}

/* P[5] = R[4] = R[0] = P[5] + 1 */
static void before_the_loop_of_the_loop(world *here) {
  ck_terms *terms = here->elab.T;
  ck_id l = var(here, "$l0");
  ck_id other = at(here, "S.P", ck_int(terms, 5));
  carry(here, "S.P", ck_int(terms, 0), at(here, "S.R", l));
  carry(here, "S.R", ck_mk2(terms, CK_ADD, other, ck_int(terms, 1)), at(here, "S.R", l));
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
             {"what a loop carries", carried, NULL},
             {"what a loop carries, by the next", carried_by_the_next, "iteration"},
             {"before a loop, by the loop", before_the_loop_of_the_loop, "iteration"},
             {"an implicit definition", another_clause, "form"},
             {"a clause with a condition", under_a_condition, "form"}};

int main(void) {
  int wrong = 0;
  size_t n = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < n; i++) {
    world *here = world_new();
    cases[i].make(here);
    const ck_list inputs = {.first = &here->input, .n = 1};
    const char *why = ck_admit(&here->elab, here->list, here->n, inputs, true);
    size_t words = cases[i].why ? strlen(cases[i].why) : 0;
    bool ok = cases[i].why ? why && strncmp(why, cases[i].why, words) == 0 : why == NULL;
    if (!ok) {
      printf("%s: %s\n", cases[i].name, why ? why : "admitted");
      wrong++;
    }
    world_free(here);
  }
  printf("%zu lists of definitions, %d wrong\n", n, wrong);
  return wrong != 0;
}

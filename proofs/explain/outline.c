#include "outline.h"
#include "proofs/math/math.h"
#include "proofs/read/read.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_steps certificate;
  const ck_claim *claim;
  ck_terms *table;
  as_math *math;
  as_math *plain; /* plain: knows no names of the files, and shows a lemma as the table of lemmas
                  has it */
  as_explain_outline *outline;
  uint32_t n_steps; /* steps */
  uint32_t *lemma;  /* of a step: 1 + its number among the lemmas, 0: none */
  uint32_t *number; /* of a step: the number it is shown under, 0: not shown */
  bool *key;        /* worth showing */
  uint32_t *mark;
  uint32_t round; /* for walks */
} outliner;

static ck_id formula_of(const outliner *make, uint32_t step) {
  return ck_thm_formula(make->certificate.theorems, as_steps_at(&make->certificate, step)->theorem);
}

static const ck_id *hypotheses_of(const outliner *make, uint32_t step, uint32_t *count) {
  return ck_thm_hyps(make->certificate.theorems, as_steps_at(&make->certificate, step)->theorem,
                     count);
}

static as_step_rule rule_of(const outliner *make, uint32_t step) {
  return as_steps_at(&make->certificate, step)->rule;
}

static bool of_integers(const outliner *make, ck_id relation) {
  return ck_is_rel(make->table, relation) &&
         ck_is_int(make->table, ck_kid(make->table, relation, 0)) &&
         ck_is_int(make->table, ck_kid(make->table, relation, 1));
}

/* an instance that puts something in place of something (an empty one is a cut) */
static bool substitutes(const outliner *make, uint32_t step) {
  uint32_t count;
  const as_step_arg *args = as_steps_args(&make->certificate, step, &count);
  return rule_of(make, step) == AS_STEP_INST && count > 3 &&
         (args[2].kind != '|' || args[3].kind != '|');
}

static uint32_t first_premise(const outliner *make, uint32_t step) {
  uint32_t count;
  const as_step_arg *args = as_steps_args(&make->certificate, step, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (args[i].kind == 's')
      return args[i].value;
  }
  return UINT32_MAX;
}

/* ---- names of lemmas, by what they say */
static const char *const known_lemmas[][3] = {
#include "outline_lemmas.h"
};

/* does the step have a hypothesis that is shown so? */
static bool supposes(const outliner *make, uint32_t step, const char *shown) {
  uint32_t count;
  const ck_id *hypotheses = hypotheses_of(make, step, &count);
  bool found = false;
  for (uint32_t i = 0; i < count && !found; i++) {
    char *text = as_math_show(make->plain, hypotheses[i]);
    found = strcmp(text, shown) == 0;
    free(text);
  }
  return found;
}

/* NULL: no lemma is known that says so */
static const char *lemma_name(const outliner *make, uint32_t step, const char *says) {
  for (size_t i = 0; i < sizeof known_lemmas / sizeof *known_lemmas; i++) {
    const char *const *lemma = known_lemmas[i];
    if (strcmp(lemma[0], says) == 0 && (!*lemma[1] || supposes(make, step, lemma[1])))
      return lemma[2];
  }
  return NULL;
}

/* ---- walks: steps that s rests on, s included, in *v (sorted by number); not into lemmas unless
 * asked */
static void walk(outliner *make, uint32_t step, bool lemmas, as_vec *found) {
  if (make->mark[step] == make->round)
    return;
  make->mark[step] = make->round;
  uint32_t count;
  const as_step_arg *args = as_steps_args(&make->certificate, step, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (args[i].kind == 's' && (lemmas || !make->lemma[args[i].value]))
      walk(make, args[i].value, lemmas, found);
  }
  as_vec_push(found, &step);
}

static as_vec rests_on(outliner *make, uint32_t step, bool lemmas) {
  as_vec found;
  as_vec_init(&found, sizeof(uint32_t));
  make->round++;
  walk(make, step, lemmas, &found);
  qsort(found.data, found.n, sizeof(uint32_t), as_id_compare);
  return found;
}

/* the shown facts nearest below s, and how many steps lie between; s itself is not looked at */
static void nearest(outliner *make, uint32_t step, as_vec *from, uint32_t *routine) {
  uint32_t count;
  const as_step_arg *args = as_steps_args(&make->certificate, step, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (args[i].kind != 's' || make->lemma[args[i].value] ||
        make->mark[args[i].value] == make->round)
      continue;
    uint32_t premise = args[i].value;
    make->mark[premise] = make->round;
    if (make->number[premise]) {
      as_vec_push(from, &make->number[premise]);
    } else {
      ++*routine;
      nearest(make, premise, from, routine);
    }
  }
}

static uint32_t *grounds(outliner *make, uint32_t step, uint32_t *count, uint32_t *routine) {
  as_vec found;
  as_vec_init(&found, sizeof(uint32_t));
  make->round++;
  *routine = 0;
  nearest(make, step, &found, routine);
  if (found.n)
    qsort(found.data, found.n, sizeof(uint32_t), as_id_compare);
  *count = (uint32_t)found.n;
  return found.data;
}

/* ---- words for a rule's use */
static char *law_words(const outliner *make, uint32_t step) {
  static const char *const words[][2] = {{"inv", "a number times its inverse is 1"},
                                         {"exp+", "the exponential of a sum is a product"},
                                         {"exp>", "1 + x <= exp(x)"},
                                         {"log", "the exponential undoes the logarithm"},
                                         {"sqrt2", "the square of the root"},
                                         {"sqrt>", "roots are not negative"},
                                         {"div", "division with remainder"},
                                         {"mod>", "remainders are not negative"},
                                         {"mod<", "remainders are below the divisor"},
                                         {"ite1", "the condition holds"},
                                         {"ite0", "the condition does not hold"}};
  uint32_t count;
  const char *name =
      ck_word_text(make->table, as_steps_args(&make->certificate, step, &count)[0].value);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i][0], name) == 0)
      return as_strdup(words[i][1]);
  }
  return as_format("law %s", name);
}

static char *case_words(const outliner *make, uint32_t step) {
  uint32_t count;
  char *condition =
      as_math_show(make->math, as_steps_args(&make->certificate, step, &count)[0].value);
  char *words = as_format("in both cases, %s and not", condition);
  free(condition);
  return words;
}

/* the clause that this step uses is a definition */
static bool uses_definition(const outliner *make, uint32_t step) {
  uint32_t count;
  uint32_t used = as_steps_args(&make->certificate, step, &count)[0].value;
  ck_id clause = formula_of(make, used);
  for (uint32_t i = 0; i < make->claim->n_definitions; i++) {
    if (make->claim->definitions[i].clause == clause)
      return true;
  }
  return false;
}

static char *why(const outliner *make, uint32_t step) {
  switch (rule_of(make, step)) {
  case AS_STEP_HYP:
    return as_strdup("assumed");
  case AS_STEP_USE:
    return as_strdup(uses_definition(make, step) ? "by its definition"
                                                 : "the given program is defined there");
  case AS_STEP_INST: {
    uint32_t lemma = substitutes(make, step) ? make->lemma[first_premise(make, step)] : 0;
    const char *name =
        lemma ? AS_VEC_AT(&make->outline->lemmas, as_explain_lemma, lemma - 1).name : NULL;
    if (!lemma)
      return as_strdup(substitutes(make, step) ? "a case of it" : "its assumptions hold");
    return as_format("lemma L%u%s%s", lemma, name ? ": " : "", name ? name : "");
  }
  case AS_STEP_CASES:
    return case_words(make, step);
  case AS_STEP_CONG:
    return as_strdup("equals for equals");
  case AS_STEP_FOLDCONG:
    return as_strdup("the same term by term");
  case AS_STEP_ARITH:
    return as_strdup("arithmetic");
  case AS_STEP_ANTISYM:
    return as_strdup("both orders hold");
  case AS_STEP_INT:
    return as_strdup("integers that differ do so by 1 at least");
  case AS_STEP_LAW:
    return law_words(make, step);
  case AS_STEP_ZERO:
    return as_strdup("nothing is added up");
  case AS_STEP_SUCC:
    return as_strdup("the last term split off");
  case AS_STEP_INDUCT:
    return as_strdup("induction");
  default:
    return as_strdup("");
  }
}

typedef struct {
  char *text;
  ck_id relation;
} shown_relation;

static int by_text(const void *left, const void *right) {
  return strcmp(((const shown_relation *)left)->text, ((const shown_relation *)right)->text);
}

/* Relations in the order of their texts: ids are those of one table, and the same proof read by
 * another is to be shown the same. */
static char *show_sorted(as_math *by, ck_id *relations, uint32_t count) {
  shown_relation *shown = as_calloc(count + 1, sizeof *shown);
  for (uint32_t i = 0; i < count; i++)
    shown[i] = (shown_relation){as_math_show_all(by, &relations[i], 1), relations[i]};
  qsort(shown, count, sizeof *shown, by_text);
  for (uint32_t i = 0; i < count; i++) {
    relations[i] = shown[i].relation;
    free(shown[i].text);
  }
  free(shown);
  return as_math_show_all(by, relations, count);
}

/* the hypotheses of s that the goal does not grant (NULL: all of them) */
static char *own_hyps(const outliner *make, as_math *by, uint32_t step, const ck_goal *goal) {
  uint32_t count;
  uint32_t n_own = 0;
  const ck_id *hypotheses = hypotheses_of(make, step, &count);
  ck_id *own = as_calloc(count + 1, sizeof *own);
  for (uint32_t i = 0; i < count; i++) {
    if (goal == NULL || !as_id_among(goal->allowed, goal->n_allowed, hypotheses[i]))
      own[n_own++] = hypotheses[i];
  }
  char *text = show_sorted(by, own, n_own);
  free(own);
  return text;
}

/* Both sides read the same, up to the order of factors, once factors 1 and the like are left out as
 * people do: nothing to tell. */
static bool reads_the_same(const outliner *make, ck_id relation) {
  if (ck_head(make->table, relation) != CK_EQ)
    return false;
  return as_math_alike(make->math, ck_kid(make->table, relation, 0),
                       ck_kid(make->table, relation, 1));
}

/* ---- lemmas */
/* no tensor, size or index of the claim occurs; seen: terms below which this is known */
static bool generic(const outliner *make, ck_id term, bool *seen) {
  if (seen[term])
    return true;
  seen[term] = true;
  ck_op op = ck_head(make->table, term);
  if (op == CK_V || op == CK_APP) {
    const char *name = ck_word_text(make->table, ck_name(make->table, term));
    if ((name[0] == '$' && name[1] != '$') || as_math_reserved(make->math, name))
      return false;
  }
  for (uint32_t i = 0; i < ck_nkids(make->table, term); i++) {
    if (!generic(make, ck_kid(make->table, term, i), seen))
      return false;
  }
  return true;
}

/* What is put in place of variables elsewhere and says something of its own: a known lemma, or one
 * that is about no tensor of the claim. Facts about the claim that are used at several indices, and
 * integers, stay with the goals. */
static bool is_lemma(const outliner *make, uint32_t step) {
  ck_id relation = formula_of(make, step);
  char *says = as_math_show(make->plain, relation);
  bool known = lemma_name(make, step, says) != NULL;
  free(says);
  if (known || !ck_is_rel(make->table, relation) || of_integers(make, relation) ||
      reads_the_same(make, relation))
    return known;
  bool *seen = as_calloc(ck_size(make->table) + 1, sizeof *seen);
  bool yes = generic(make, relation, seen);
  free(seen);
  return yes;
}

static void find_lemmas(outliner *make) {
  for (uint32_t step = 0; step < make->n_steps; step++) {
    if (substitutes(make, step))
      make->lemma[first_premise(make, step)] = 1;
  }
  for (uint32_t step = 0, count = 0; step < make->n_steps; step++) {
    if (make->lemma[step])
      make->lemma[step] = is_lemma(make, step) ? ++count : 0;
  }
}

static void make_lemma(outliner *make, uint32_t step) {
  as_explain_lemma lemma = {.step = step};
  as_vec rests = rests_on(make, step, false);
  as_str how;
  as_str_init(&how);
  lemma.says = as_math_show(make->plain, formula_of(make, step));
  lemma.under = own_hyps(make, make->plain, step, NULL);
  const char *name = lemma_name(make, step, lemma.says);
  lemma.name = name ? as_strdup(name) : NULL;
  as_step_rule rule = rule_of(make, step);
  as_str_printf(&how, "%s, %zu step%s",
                rule == AS_STEP_INDUCT  ? "by induction"
                : rule == AS_STEP_CASES ? "by cases"
                                        : "directly",
                rests.n, rests.n == 1 ? "" : "s");
  uint32_t *used = as_calloc(make->n_steps + 1, sizeof *used);
  uint32_t n_used = 0;
  for (size_t i = 0; i < rests.n; i++) {
    uint32_t below = AS_VEC_AT(&rests, uint32_t, i);
    uint32_t other = substitutes(make, below) ? make->lemma[first_premise(make, below)] : 0;
    if (other && !used[other]) {
      used[other] = 1;
      as_str_printf(&how, "%s L%u", n_used++ ? "," : "; uses", other);
    }
  }
  free(used);
  lemma.how = as_str_take(&how);
  as_vec_push(&make->outline->lemmas, &lemma);
  as_vec_clear(&rests);
}

/* ---- letters for long terms that occur in many formulas.  Terms that are shown alike (x*1/y,
 * 1/y*x are not) get the same letter. */
typedef struct {
  ck_id t;
  uint32_t group;
  uint32_t depth;
  uint32_t place; /* among those found */
} candidate;

typedef struct {
  char *text;
  uint32_t count;
  bool inside;
  bool named;
  char *letter;
} group;

typedef struct {
  outliner *make;
  as_vec candidates;
  as_vec groups; /* candidate, group */
  uint32_t *seen;
  uint32_t round;
  uint32_t *group_of_term; /* of a term: 1 + its group */
  uint32_t *depth;         /* of a term; 0: not known yet */
  size_t size;
} letters;

static bool may_be_short(const outliner *make, ck_id term) {
  ck_op op = ck_head(make->table, term);
  return (op == CK_FOLD || op == CK_EXP || op == CK_SQRT || op == CK_LOG || op == CK_ITE) &&
         ck_is_closed(make->table, term);
}

static uint32_t depth_of(letters *all, ck_id term) {
  if (term >= all->size)
    return 0;
  if (all->depth[term])
    return all->depth[term];
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < ck_nkids(all->make->table, term); i++) {
    uint32_t depth = depth_of(all, ck_kid(all->make->table, term, i));
    deepest = depth > deepest ? depth : deepest;
  }
  return all->depth[term] = deepest + 1;
}

static uint32_t group_of(letters *all, ck_id term) {
  if (all->group_of_term[term])
    return all->group_of_term[term] - 1;
  char *text = as_math_show(all->make->math, term);
  uint32_t index = 0;
  while (index < all->groups.n && strcmp(AS_VEC_AT(&all->groups, group, index).text, text) != 0)
    index++;
  if (index == all->groups.n)
    as_vec_push(&all->groups, &(group){.text = text});
  else
    free(text);
  candidate found = {term, index, depth_of(all, term), (uint32_t)all->candidates.n};
  as_vec_push(&all->candidates, &found);
  all->group_of_term[term] = index + 1;
  return index;
}

/* every term below t once a round; counts their groups, or marks those that never occur without the
 * group `within` */
static void below(letters *all, ck_id term, uint32_t within) {
  if (term >= all->size || all->seen[term] == all->round)
    return;
  all->seen[term] = all->round;
  if (may_be_short(all->make, term)) {
    uint32_t index = group_of(all, term);
    group *own = &AS_VEC_AT(&all->groups, group, index);
    if (within == UINT32_MAX)
      own->count++;
    else if (index != within && own->count == AS_VEC_AT(&all->groups, group, within).count)
      own->inside = true;
  }
  for (uint32_t index = 0; index < ck_nkids(all->make->table, term); index++)
    below(all, ck_kid(all->make->table, term, index), within);
}

/* smaller terms first; not by their numbers, which differ between the prover's table and a replay's
 */
static int by_depth(const void *left, const void *right) {
  const candidate *first = left;
  const candidate *second = right;
  if (first->depth != second->depth)
    return first->depth < second->depth ? -1 : 1;
  return first->place < second->place ? -1 : first->place > second->place;
}

static void find_words(outliner *make, const as_vec *shown) {
  enum { LONG = 24, OFTEN = 3 };

  letters all = {.make = make, .size = ck_size(make->table)};
  all.seen = as_calloc(all.size + 1, sizeof *all.seen);
  all.depth = as_calloc(all.size + 1, sizeof *all.depth);
  all.group_of_term = as_calloc(all.size + 1, sizeof *all.group_of_term);
  as_vec_init(&all.candidates, sizeof(candidate));
  as_vec_init(&all.groups, sizeof(group));
  for (size_t i = 0; i < shown->n; i++) {
    all.round++;
    below(&all, AS_VEC_AT(shown, ck_id, i), UINT32_MAX);
  }
  for (size_t i = 0; i < all.candidates.n; i++) {
    candidate *one = &AS_VEC_AT(&all.candidates, candidate, i);
    if (AS_VEC_AT(&all.groups, group, one->group).count >= OFTEN) {
      all.round++;
      below(&all, one->t, one->group);
    }
  }
  if (all.candidates.n) {
    qsort(all.candidates.data, all.candidates.n, sizeof(candidate),
          by_depth); /* the larger are then written with the letters of the smaller */
  }
  for (size_t i = 0; i < all.candidates.n; i++) {
    candidate *one = &AS_VEC_AT(&all.candidates, candidate, i);
    group *group_at = &AS_VEC_AT(&all.groups, group, one->group);
    if (group_at->count < OFTEN || group_at->inside)
      continue;
    if (!group_at->named) {
      char *means = as_math_show(make->math, one->t);
      group_at->named = true;
      if (strlen(means) >= LONG) {
        as_explain_word word = {as_math_letter(make->math), means};
        group_at->letter = word.name;
        as_vec_push(&make->outline->words, &word);
      } else {
        free(means);
      }
    }
    if (group_at->letter)
      as_math_short(make->math, one->t, group_at->letter);
  }
  for (size_t i = 0; i < all.groups.n; i++)
    free(AS_VEC_AT(&all.groups, group, i).text);
  as_vec_clear(&all.candidates);
  as_vec_clear(&all.groups);
  free(all.seen);
  free(all.depth);
  free(all.group_of_term);
}

/* ---- goals */
static bool worth_showing(const outliner *make, uint32_t step) {
  ck_id relation = formula_of(make, step);
  if (of_integers(make, relation) || !ck_is_rel(make->table, relation))
    return false;
  uint32_t count;
  switch (rule_of(make, step)) {
  case AS_STEP_LAW: {
    const char *name =
        ck_word_text(make->table, as_steps_args(&make->certificate, step, &count)[0].value);
    return strncmp(name, "ite", 3) != 0;
  }
  case AS_STEP_USE:
  case AS_STEP_INST:
  case AS_STEP_CASES:
  case AS_STEP_FOLDCONG:
  case AS_STEP_INDUCT:
    return !reads_the_same(make, relation);
  default:
    return false;
  }
}

static char *goal_words(const char *name, bool integers) {
  const char *dot = strchr(name, '.');
  /* behind an @ stands the hash of a rule */
  if (strncmp(name, "eq.", 3) == 0) {
    return as_format("every element of output %.*s is the same", (int)strcspn(name + 3, "@"),
                     name + 3);
  }
  if (strncmp(name, "shape.", 6) == 0 && dot) {
    const char *last = strrchr(name, '.');
    return as_format("extent %s of output %.*s is the same", last + 1, (int)(last - dot - 1),
                     dot + 1);
  }
  if (strncmp(name, "call", 4) == 0) {
    return as_strdup(integers ? "extents fit, an access stays in its tensor"
                              : "what is computed is defined");
  }
  return as_strdup("");
}

static void make_fact(outliner *make, as_explain_goal *to, const ck_goal *goal, uint32_t step) {
  as_explain_fact fact = {.step = step, .number = ++make->outline->shown};
  fact.says = as_math_show(make->math, formula_of(make, step));
  fact.under = own_hyps(make, make->math, step, goal);
  fact.why = why(make, step);
  fact.from = grounds(make, step, &fact.n_from, &fact.routine);
  make->number[step] = fact.number;
  as_vec_push(&to->facts, &fact);
}

/* what a goal may assume beyond what all of them may: the ranges of its own counters, the
 * conditions it stands under */
static char *goal_conditions(outliner *make, const ck_goal *goal) {
  ck_id *own = as_calloc(goal->n_allowed + 1, sizeof *own);
  uint32_t n_own = 0;
  for (uint32_t i = 0; i < goal->n_allowed; i++) {
    if (ck_is_rel(make->table, goal->allowed[i]) &&
        !as_id_among(make->claim->hyps.x, make->claim->hyps.n, goal->allowed[i]))
      own[n_own++] = goal->allowed[i];
  }
  char *text = show_sorted(make->math, own, n_own);
  free(own);
  return text;
}

static void make_goal(outliner *make, uint32_t i) {
  const ck_goal *goal = &make->claim->goals[i];
  uint32_t step = AS_VEC_AT(&make->certificate.qed, uint32_t, i);
  as_explain_goal shown = {.last = step,
                           .name = as_strdup(goal->name),
                           .what = goal_words(goal->name, of_integers(make, goal->formula)),
                           .says = as_math_show(make->math, goal->formula)};
  shown.under = goal_conditions(make, goal);
  as_vec_init(&shown.facts, sizeof(as_explain_fact));
  shown.sizes_only = of_integers(make, goal->formula);
  as_vec all = rests_on(make, step, true);
  shown.steps = (uint32_t)all.n;
  as_vec_clear(&all);
  as_vec own = rests_on(make, step, false);
  for (size_t j = 0; j < own.n; j++) {
    uint32_t below = AS_VEC_AT(&own, uint32_t, j);
    if (make->key[below] && !make->number[below] && below != step && !shown.sizes_only)
      make_fact(make, &shown, goal, below);
  }
  as_vec_clear(&own);
  shown.from = grounds(make, step, &shown.n_from, &shown.routine);
  as_vec_push(&make->outline->goals, &shown);
}

static void make_full(outliner *make) {
  as_str text;
  as_str_init(&text);
  for (uint32_t i = 0; i < make->n_steps; i++) {
    uint32_t n_hypotheses;
    uint32_t n_args;
    uint32_t n_from = 0;
    const ck_id *hypotheses = hypotheses_of(make, i, &n_hypotheses);
    const as_step_arg *args = as_steps_args(&make->certificate, i, &n_args);
    char *says = as_math_show(make->math, formula_of(make, i));
    char *by = why(make, i);
    char *under = as_math_show_all(make->math, hypotheses, n_hypotheses);
    as_str_printf(&text, "%6u  %s\n        %s", i, says, by);
    for (uint32_t j = 0; j < n_args; j++) {
      if (args[j].kind == 's')
        as_str_printf(&text, "%s %u", n_from++ ? "," : ": from", args[j].value);
    }
    if (n_hypotheses && rule_of(make, i) != AS_STEP_HYP)
      as_str_printf(&text, "\n        if %s", under);
    as_str_add(&text, "\n");
    free(says);
    free(by);
    free(under);
  }
  make->outline->full = as_str_take(&text);
}

as_explain_outline *as_explain_new(ck_terms *terms, const ck_claim *claim, const char *cert,
                                   size_t len, bool full, as_err *err) {
  outliner make = {.claim = claim,
                   .table = terms,
                   .math = as_math_new(terms),
                   .plain = as_math_new(terms),
                   .outline = as_calloc(1, sizeof(as_explain_outline))};
  as_explain_outline *outline = make.outline;
  as_vec_init(&outline->words, sizeof(as_explain_word));
  as_vec_init(&outline->lemmas, sizeof(as_explain_lemma));
  as_vec_init(&outline->goals, sizeof(as_explain_goal));
  bool ok = as_steps_read(&make.certificate, terms, claim->goals, claim->n_goals, cert, len, err) ==
            AS_OK;
  if (ok) {
    outline->theorem = as_strdup(claim->theorem ? claim->theorem : "");
    make.n_steps = (uint32_t)make.certificate.step.n;
    outline->steps = make.n_steps;
    outline->terms = (uint32_t)make.certificate.term.n;
    make.lemma = as_calloc(make.n_steps + 1, sizeof *make.lemma);
    make.number = as_calloc(make.n_steps + 1, sizeof *make.number);
    make.mark = as_calloc(make.n_steps + 1, sizeof *make.mark);
    make.key = as_calloc(make.n_steps + 1, sizeof *make.key);
    as_math_reserve_goals(make.math, claim->goals, claim->n_goals);
    find_lemmas(&make);
    for (uint32_t step = 0; step < make.n_steps; step++) {
      if (make.lemma[step])
        make_lemma(&make, step);
    }
    as_vec shown;
    as_vec_init(&shown, sizeof(ck_id));
    for (uint32_t i = 0; i < claim->n_goals; i++) {
      as_vec own = rests_on(&make, AS_VEC_AT(&make.certificate.qed, uint32_t, i), false);
      for (size_t j = 0; j < own.n && !of_integers(&make, claim->goals[i].formula); j++) {
        uint32_t below = AS_VEC_AT(&own, uint32_t, j);
        ck_id relation = formula_of(&make, below);
        if (make.key[below] || !worth_showing(&make, below))
          continue;
        make.key[below] = true;
        as_vec_push(&shown, &relation);
      }
      as_vec_push(&shown, &claim->goals[i].formula);
      as_vec_clear(&own);
    }
    find_words(&make, &shown);
    as_vec_clear(&shown);
    for (uint32_t i = 0; i < claim->n_goals; i++)
      make_goal(&make, i);
    if (full)
      make_full(&make);
  }
  as_steps_clear(&make.certificate);
  as_math_free(make.math);
  as_math_free(make.plain);
  free(make.lemma);
  free(make.number);
  free(make.mark);
  free(make.key);
  if (ok)
    return outline;
  as_explain_free(outline);
  return NULL;
}

void as_explain_free(as_explain_outline *outline) {
  if (outline == NULL)
    return;
  for (size_t i = 0; i < outline->words.n; i++) {
    free(AS_VEC_AT(&outline->words, as_explain_word, i).name);
    free(AS_VEC_AT(&outline->words, as_explain_word, i).means);
  }
  for (size_t i = 0; i < outline->lemmas.n; i++) {
    as_explain_lemma *lemma = &AS_VEC_AT(&outline->lemmas, as_explain_lemma, i);
    free(lemma->name);
    free(lemma->says);
    free(lemma->under);
    free(lemma->how);
  }
  for (size_t i = 0; i < outline->goals.n; i++) {
    as_explain_goal *goal = &AS_VEC_AT(&outline->goals, as_explain_goal, i);
    for (size_t j = 0; j < goal->facts.n; j++) {
      as_explain_fact *fact = &AS_VEC_AT(&goal->facts, as_explain_fact, j);
      free(fact->says);
      free(fact->under);
      free(fact->why);
      free(fact->from);
    }
    as_vec_clear(&goal->facts);
    free(goal->name);
    free(goal->what);
    free(goal->says);
    free(goal->under);
    free(goal->from);
  }
  as_vec_clear(&outline->words);
  as_vec_clear(&outline->lemmas);
  as_vec_clear(&outline->goals);
  free(outline->theorem);
  free(outline->full);
  free(outline);
}

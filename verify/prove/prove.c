/* Goals in, certificate out. */
#include "prove.h"
#include "proofs/math/math.h"
#include "pv_defs.h"
#include "pv_loops.h"
#include "pv_norm.h"
#include "pv_steps.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "src/base/str.h"
#include "src/base/trace.h"
#include <stdlib.h>
#include <string.h>

/* STEPS_A_DEFINITION: closed forms of what loops carry take about 150 steps each, of a program that
 * has many the larger part of all; MOST_STEPS: what failing may cost all the same.
 * MAX_DEFINITIONS: a theorem about a tensor rests on the definitions of all before it.
 * SHARED_EFFORT: this part of what is left is spent on a goal where shared symbols stay;
 * SEGMENT_EFFORT: on a tensor that may be one of the given program's; DEFINED_WORK: as much more
 * work a step where there are definitions, whose closed forms are long before they are short;
 * MORE_WORK: as much more again for the attempt that came furthest, if none found a proof. */
enum {
  DEFAULT_STEPS = 60000,
  STEPS_A_DEFINITION = 500,
  MOST_STEPS = 240000,
  SHARED_EFFORT = 4,
  SEGMENT_EFFORT = 16,
  DEFINED_WORK = 2,
  MORE_WORK = 8,
  MAX_DEFINITIONS = 4000
};

const char *as_proof_why_words(as_proof_why why) {
  static const char *const words[] = {
#define WHY_WORDS(id, text) text,
      AS_PROOF_WHYS(WHY_WORDS)
#undef WHY_WORDS
  };
  return words[why];
}

/* hypotheses that more goals may use come first, so that goals share contexts and with them results
 */
typedef struct {
  ck_id hyp;
  uint32_t count;
} ranked;

static int rank_cmp(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  return x->count != y->count ? (x->count > y->count ? -1 : 1)
         : x->hyp < y->hyp    ? -1
                              : x->hyp > y->hyp;
}

static ranked *rank_hyps(const ck_goal *goals, uint32_t n, size_t *out) {
  as_map index = {.key_words = 2};
  as_vec ranks;
  uint64_t i;
  as_vec_init(&ranks, sizeof(ranked));
  for (uint32_t goal = 0; goal < n; goal++) {
    for (uint32_t j = 0; j < goals[goal].n_allowed; j++) {
      ck_id hyp = goals[goal].allowed[j];
      if (as_map_get(&index, AS_KEY(hyp, 0), &i)) {
        AS_VEC_AT(&ranks, ranked, i).count++;
        continue;
      }
      ranked entry = {hyp, 1};
      as_map_put(&index, AS_KEY(hyp, 0), ranks.n);
      as_vec_push(&ranks, &entry);
    }
  }
  if (ranks.n)
    qsort(ranks.data, ranks.n, sizeof(ranked), rank_cmp);
  as_map_clear(&index);
  *out = ranks.n;
  return ranks.data;
}

static pv_ctx goal_context(pv *prover, pv_world world, const ck_goal *goal, const ranked *ranks,
                           size_t n) {
  pv_ctx ctx = 0;
  as_map allowed = {.key_words = 2};
  uint64_t value;
  for (uint32_t j = 0; j < goal->n_allowed; j++)
    as_map_put(&allowed, AS_KEY(goal->allowed[j], 0), 1);
  for (size_t i = 0; i < n; i++) {
    if (!as_map_get(&allowed, AS_KEY(ranks[i].hyp, 0), &value))
      continue;
    if (prover->defs)
      ctx = pv_defs_assume(prover->defs, world, ctx, ranks[i].hyp);
    else if (!pv_too_big(prover, ranks[i].hyp))
      ctx = pv_ctx_push(prover, ctx, ranks[i].hyp, CK_BAD); /* without those that are too large */
  }
  as_map_clear(&allowed);
  return ctx;
}

static void explain(pv *prover, pv_ctx ctx, const ck_goal *goal, ck_id formula, as_math *math,
                    as_proof_result *result) {
  bool equation = ck_head(prover->terms, formula) == CK_EQ;
  result->goal = as_strdup(goal->name);
  result->why = pv_late(prover)    ? AS_PROOF_TIME
                : pv_spent(prover) ? AS_PROOF_EFFORT
                : prover->too_deep ? AS_PROOF_TOO_DEEP
                : equation         ? AS_PROOF_DIFFER
                                   : AS_PROOF_NOT_FOLLOWING;
  result->reason = as_strdup(as_proof_why_words(result->why));
  if (!equation) {
    result->left = as_math_show_all(math, &formula, 1);
    return;
  }
  prover->max_steps = (uint32_t)prover->steps.n + 2000;
  prover->max_work = prover->work + 1000000;
  pv_eqn left = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 0));
  pv_eqn right = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 1));
  result->left =
      as_math_show(math, left.by == PV_NONE ? ck_kid(prover->terms, formula, 0) : left.to);
  result->right =
      as_math_show(math, right.by == PV_NONE ? ck_kid(prover->terms, formula, 1) : right.to);
}

/* the goal's formula as the prover sees it in that world */
static ck_id seen(pv *prover, pv_world world, const ck_goal *goal) {
  return prover->defs ? pv_defs_relation(prover->defs, world, goal->formula) : goal->formula;
}

static bool same_sides(const ck_terms *terms, ck_id formula) {
  return ck_head(terms, formula) == CK_EQ && ck_kid(terms, formula, 0) == ck_kid(terms, formula, 1);
}

static pv_thm prove_in(pv *prover, pv_world world, const ck_goal *goal, const ranked *hyps,
                       size_t n) {
  ck_id formula = seen(prover, world, goal);
  pv_thm thm;
  if (formula == CK_BAD)
    return PV_NONE;
  if (same_sides(prover->terms, formula))
    thm = pv_identity(prover, formula);
  else
    thm = pv_prove_goal(prover, goal_context(prover, world, goal, hyps, n), formula);
  return prover->defs ? pv_defs_back(prover->defs, world, goal->formula, thm) : thm;
}

/* the goal where shared symbols stay, with one part in so many of the effort that is left */
static pv_thm prove_shared(pv *prover, const ck_goal *goal, const ranked *hyps, size_t n,
                           uint32_t parts) {
  uint64_t work = prover->max_work;
  uint32_t steps = prover->max_steps;
  if (!pv_spent(prover)) {
    uint32_t made = (uint32_t)prover->steps.n;
    prover->max_work = prover->work + (work - prover->work) / parts;
    prover->max_steps = made + (steps - made) / parts;
  }
  pv_thm thm = prove_in(prover, PV_SHARED, goal, hyps, n);
  prover->max_work = work;
  prover->max_steps = steps;
  return thm;
}

/* and then once more with what the same kernel stores taken apart */
static pv_thm prove_beside(pv *prover, const ck_goal *goal, const ranked *hyps, size_t n,
                           uint32_t parts) {
  pv_thm thm = prove_shared(prover, goal, hyps, n, parts);
  if (thm == PV_NONE && pv_defs_part(prover->defs, goal->formula)) {
    thm = prove_shared(prover, goal, hyps, n, parts);
    pv_defs_rejoin(prover->defs);
  }
  return thm;
}

/* Symbols that both sides have stay as they are at first, with a part of the effort; then they are
 * written out like all others. */
static pv_thm prove(pv *prover, const ck_goal *goal, const ranked *hyps, size_t n) {
  if (prover->defs && pv_defs_shared(prover->defs)) {
    pv_thm thm = prove_beside(prover, goal, hyps, n, SHARED_EFFORT);
    if (thm != PV_NONE)
      return thm;
  }
  return prove_in(prover, PV_WHOLE, goal, hyps, n);
}

/* an output: that it is the same is a goal, and is asked where its indices have their ranges */
static bool is_goal(const ck_terms *terms, const ck_claim *claim, ck_id relation) {
  for (uint32_t i = 0; i < claim->n_goals; i++) {
    ck_id formula = claim->goals[i].formula;
    if (ck_head(terms, formula) == CK_EQ &&
        ck_kid(terms, formula, 0) == ck_kid(terms, relation, 1) &&
        ck_kid(terms, formula, 1) == ck_kid(terms, relation, 0))
      return true;
  }
  return false;
}

static bool is_among(const as_vec *list, ck_id id) {
  for (size_t i = 0; i < list->n; i++) {
    if (AS_VEC_AT(list, ck_id, i) == id)
      return true;
  }
  return false;
}

/* adds the variables of a term; true: one was not there before */
static bool add_variables(const ck_terms *terms, ck_id term, as_vec *list) {
  ck_ids variables = ck_members(terms, terms->node[term].fv);
  size_t before = list->n;
  for (uint32_t i = 0; i < variables.n; i++) {
    if (!is_among(list, variables.x[i]))
      as_vec_push(list, &variables.x[i]);
  }
  return list->n > before;
}

/* The sizes that matter to a relation: those in it, and those by which the given program says what
 * these are. */
static void sizes_of(const ck_terms *terms, const ck_claim *claim, ck_id relation, as_vec *list) {
  bool more = add_variables(terms, relation, list);
  while (more) {
    more = false;
    for (uint32_t i = 0; i < claim->n_given; i++) {
      ck_id fact = claim->given[i];
      if (ck_head(terms, fact) == CK_EQ && is_among(list, ck_kid(terms, fact, 0)))
        more |= add_variables(terms, fact, list);
    }
  }
}

/* whether the hypothesis speaks of no sizes but these; one that says more than a relation is about
 * elements */
static bool is_of_sizes(const ck_terms *terms, ck_id hyp, const as_vec *sizes) {
  ck_ids variables = ck_members(terms, terms->node[hyp].fv);
  bool of_sizes = true;
  for (uint32_t i = 0; i < variables.n && ck_is_rel(terms, hyp); i++)
    of_sizes = of_sizes && is_among(sizes, variables.x[i]);
  return of_sizes;
}

/* What a segment rests on: what is said of tensors up to it, and of the sizes that matter to it.
 * Those of other kernels, which divide the same extents otherwise, would only be in the way. */
static void allow(const pv *prover, const ck_claim *claim, ck_goal *segment, ck_id *allowed) {
  const ck_terms *terms = prover->terms;
  ck_id written = pv_defs_relation(prover->defs, PV_SHARED, segment->formula);
  as_vec sizes;
  as_vec_init(&sizes, sizeof(ck_id));
  if (written != CK_BAD)
    sizes_of(terms, claim, written, &sizes);
  segment->n_allowed = 0;
  for (uint32_t i = 0; i < claim->hyps.n; i++) {
    ck_id hyp = claim->hyps.x[i];
    if (pv_defs_until(prover->defs, hyp, segment->formula) &&
        (written == CK_BAD || is_of_sizes(terms, hyp, &sizes)))
      allowed[segment->n_allowed++] = hyp;
  }
  as_vec_clear(&sizes);
}

/* Tensors of the candidate that are the given program's of the same name, for all integers: what
 * follows them is then made of the same, and each stretch is proved by itself. */
static void prove_segments(pv *prover, const ck_claim *claim) {
  ck_id *allowed = as_calloc(claim->hyps.n + 1, sizeof *allowed);
  ck_goal segment = {.name = "segment", .allowed = allowed};
  for (uint32_t i = 0; i < claim->n_definitions && !pv_spent(prover); i++) {
    segment.formula = pv_defs_segment(prover->defs, i);
    if (segment.formula == CK_BAD || is_goal(prover->terms, claim, segment.formula))
      continue;
    allow(prover, claim, &segment, allowed);
    size_t n_hyps;
    ranked *hyps = rank_hyps(&segment, 1, &n_hyps);
    pv_thm thm = prove_beside(prover, &segment, hyps, n_hyps, SEGMENT_EFFORT);
    free(hyps);
    AS_TRACE(PROVE, "%s %s the given program's; %zu steps, %llu work of %llu so far",
             ck_word_text(prover->terms, claim->definitions[i].name),
             thm == PV_NONE ? "may not be" : "is", prover->steps.n,
             (unsigned long long)prover->work, (unsigned long long)prover->max_work);
    if (thm != PV_NONE)
      pv_defs_join(prover->defs, i, thm);
  }
  free(allowed);
}

static void prove_all(pv *prover, const ck_goal *goals, uint32_t n, as_proof_result *result) {
  size_t n_hyps;
  ranked *hyps = rank_hyps(goals, n, &n_hyps);
  pv_thm *proof = as_calloc(n + 1, sizeof *proof);
  const char **names = as_calloc(n + 1, sizeof *names);
  as_math *math = as_math_new(prover->terms); /* what is not proved, and traces, are to be read */
  if (AS_TRACE_ON(PROVE))
    as_math_reserve_goals(math, goals, n);
  for (uint32_t i = 0; i < n; i++) {
    names[i] = goals[i].name;
    if (AS_TRACE_ON(PROVE)) {
      char *shown = as_math_show_all(math, &goals[i].formula, 1);
      AS_TRACE(PROVE, "goal %u of %u, %s: %s", i + 1, n, names[i], shown);
      free(shown);
    }
    proof[i] = prove(prover, &goals[i], hyps, n_hyps);
    AS_TRACE(PROVE, "goal %s: %s; %zu steps so far", names[i],
             proof[i] == PV_NONE ? "stays open" : "met", prover->steps.n);
    if (proof[i] == PV_NONE) {
      pv_ctx ctx = goal_context(prover, PV_WHOLE, &goals[i], hyps, n_hyps);
      ck_id formula = seen(prover, PV_WHOLE, &goals[i]);
      as_math_reserve_goals(math, goals, n);
      explain(prover, ctx, &goals[i], formula == CK_BAD ? goals[i].formula : formula, math, result);
      AS_TRACE(PROVE, "%s\n  left:  %s\n  right: %s", result->reason, result->left,
               result->right ? result->right : "-");
      break;
    }
    result->goals_proved++;
  }
  result->steps_tried = (uint32_t)prover->steps.n;
  if (result->goals_proved == n) {
    result->cert =
        pv_certificate(prover, names, proof, n, &result->cert_len, &result->steps, &result->terms);
    result->verdict = AS_PROVED;
  }
  as_math_free(math);
  free(hyps);
  free(proof);
  free(names);
}

static void too_long(const ck_goal *goals, as_proof_result *result) {
  result->goal = as_strdup(goals[0].name);
  result->why = AS_PROOF_TOO_LONG;
  result->reason = as_strdup(as_proof_why_words(result->why));
  result->left = as_strdup("");
}

/* what one way to go about it may take, unless that is said */
static uint32_t usual_steps(const ck_claim *claim) {
  uint32_t most = claim ? claim->n_definitions * STEPS_A_DEFINITION : 0;
  if (most > MOST_STEPS)
    most = MOST_STEPS;
  return most > DEFAULT_STEPS ? most : DEFAULT_STEPS;
}

/* in these ways, when so many steps were tried in others; gives those that would make a difference
 */
static uint32_t prove_with(ck_terms *terms, const ck_claim *claim, const ck_goal *goals, uint32_t n,
                           const as_prove_opts *opts, uint32_t ways, uint32_t work, uint32_t tried,
                           as_proof_result *result) {
  pv prover;
  memset(result, 0, sizeof *result);
  result->verdict = AS_UNPROVED;
  result->goals = n;
  if (claim && claim->n_definitions > MAX_DEFINITIONS && n) {
    too_long(goals, result);
    return 0;
  }
  uint32_t most = opts && opts->max_steps ? opts->max_steps : usual_steps(claim);
  if (opts && opts->all_steps)
    most = opts->all_steps - tried < most ? opts->all_steps - tried : most;
  pv_init(&prover, terms, most);
  prover.until = opts ? opts->until : 0;
  prover.stop = opts ? opts->stop : NULL;
  prover.ways = ways;
  AS_TRACE(PROVE, "an attempt, in ways %u", ways);
  pv_defs *defs = claim && claim->n_definitions ? pv_defs_new(&prover, claim) : NULL;
  if (defs)
    prover.max_work *= work;
  if (opts && opts->all_work && opts->all_work < prover.max_work)
    prover.max_work = opts->all_work;
  if (defs) {
    pv_solve_loops(&prover, defs, claim);
    prove_segments(&prover, claim);
  }
  prove_all(&prover, goals, n, result);
  result->work = prover.work;
  if (defs)
    pv_defs_free(defs);
  uint32_t matter = prover.matter;
  pv_clear(&prover);
  return matter;
}

void as_prove_goals(ck_terms *terms, const ck_goal *goals, uint32_t n, const as_prove_opts *opts,
                    as_proof_result *result) {
  prove_with(terms, NULL, goals, n, opts, PV_OUT_OF_PRODUCTS, 1, 0, result);
}

static bool carries(const ck_claim *claim) {
  for (uint32_t i = 0; i < claim->n_definitions; i++) {
    if (claim->definitions[i].carried)
      return true;
  }
  return false;
}

/* one of the ways in which a claim was tried, and how far it came */
typedef struct {
  uint32_t ways;
  uint32_t goals_proved;
  as_proof_why why;
} attempt;

/* Unless there is a proof or nothing of the bounds is left: in other ways, or with more work.
 * Counts the steps and the work of all attempts. */
static uint32_t prove_again(ck_terms *terms, const ck_claim *c, const as_prove_opts *opts,
                            uint32_t ways, uint32_t work, attempt *furthest,
                            as_proof_result *result) {
  uint32_t tried = result->steps_tried;
  uint64_t worked = result->work;
  as_prove_opts rest = opts ? *opts : (as_prove_opts){0};
  as_proof_result next;
  if (result->verdict == AS_PROVED || (rest.all_steps && tried >= rest.all_steps) ||
      (rest.all_work && worked >= rest.all_work))
    return 0;
  if (rest.all_work)
    rest.all_work -= worked;
  uint32_t matter = prove_with(terms, c, c->goals, c->n_goals, &rest, ways, work, tried, &next);
  if (next.goals_proved > furthest->goals_proved)
    *furthest = (attempt){ways, next.goals_proved, next.why};
  tried += next.steps_tried;
  worked += next.work;
  bool better = next.verdict == AS_PROVED;
  as_proof_result_clear(better ? result : &next);
  if (better)
    *result = next;
  result->steps_tried = tried;
  result->work = worked;
  return matter;
}

void as_prove_count(const as_proof_result *result) {
  as_stats_add(AS_STAT_PROOFS, 1);
  as_stats_add(AS_STAT_PROOF_STEPS, result->steps_tried);
}

void as_prove_claim(ck_terms *terms, const ck_claim *c, const as_prove_opts *opts,
                    as_proof_result *result) {
  static const uint32_t others[] = {PV_OUT_OF_PRODUCTS,
                                    PV_BY_QUOTIENTS,
                                    PV_BY_QUOTIENTS | PV_OUT_OF_PRODUCTS,
                                    PV_NUMBERS_AS_STATED,
                                    PV_UNDER_CHOICES,
                                    PV_AS_STATED,
                                    PV_UNDER_CHOICES | PV_BY_QUOTIENTS,
                                    PV_UNDER_CHOICES | PV_OUT_OF_PRODUCTS,
                                    PV_AS_STATED | PV_OUT_OF_PRODUCTS};
  /* what loops carry is long before it is short: there sums are left in products at first */
  uint32_t always = carries(c) ? 0 : PV_OUT_OF_PRODUCTS;
  uint32_t matter =
      prove_with(terms, c, c->goals, c->n_goals, opts, always, DEFINED_WORK, 0, result);
  attempt furthest = {always, result->goals_proved, result->why};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bool differs = (matter & others[i]) == others[i] && !(others[i] & always);
    /* what conditions decide in a body is decided there, or, the second time, where it is read: a
     * sum that is rescaled by what else its loop carries is found only so */
    if (differs)
      matter |= prove_again(terms, c, opts, others[i] | always, DEFINED_WORK, &furthest, result);
  }
  if (furthest.goals_proved > 0 && furthest.why == AS_PROOF_EFFORT)
    prove_again(terms, c, opts, furthest.ways, DEFINED_WORK * MORE_WORK, &furthest, result);
  if (!opts || !opts->stop)
    as_prove_count(result);
}

ck_claim *as_claim_of_files(ck_terms *terms, const char *spec, const char *cand,
                            const char *const *sem, uint32_t n_sem, ck_msg *msg) {
  ck_text *text = as_calloc(n_sem + 1, sizeof *text);
  for (uint32_t i = 0; i < n_sem; i++)
    text[i].name = sem[i];
  ck_claim *c =
      ck_claim_texts(terms, &(ck_text){.name = spec}, &(ck_text){.name = cand}, text, n_sem, msg);
  free(text);
  return c;
}

bool as_prove_texts(const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem,
                    const as_prove_opts *opts, as_proof_result *result, ck_msg *msg) {
  ck_terms *terms = ck_terms_new();
  ck_claim *c = ck_claim_texts(terms, spec, cand, sem, n_sem, msg);
  memset(result, 0, sizeof *result);
  if (c) {
    as_prove_claim(terms, c, opts, result);
    ck_claim_free(c);
  }
  ck_terms_free(terms);
  return c != NULL;
}

void as_proof_result_clear(as_proof_result *result) {
  free(result->cert);
  free(result->goal);
  free(result->left);
  free(result->right);
  free(result->reason);
  memset(result, 0, sizeof *result);
}

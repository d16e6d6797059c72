#include "outline.h"
#include "math.h"
#include "proofs/read/read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_steps p;
  const ck_claim *claim;
  ck_terms *T;
  as_math *m;
  as_math *plain; /* plain: knows no names of the files, and shows a lemma as the table of lemmas
                  has it */
  as_explain_outline *o;
  uint32_t n;       /* steps */
  uint32_t *lemma;  /* of a step: 1 + its number among the lemmas, 0: none */
  uint32_t *number; /* of a step: the number it is shown under, 0: not shown */
  bool *key;        /* worth showing */
  uint32_t *mark;
  uint32_t round; /* for walks */
} maker;

static ck_id formula(const maker *k, uint32_t s) {
  return ck_thm_formula(k->p.P, as_steps_at(&k->p, s)->thm);
}

static const ck_id *hyps(const maker *k, uint32_t s, uint32_t *n) {
  return ck_thm_hyps(k->p.P, as_steps_at(&k->p, s)->thm, n);
}

static as_step_rule rule(const maker *k, uint32_t s) {
  return as_steps_at(&k->p, s)->rule;
}

static bool of_integers(const maker *k, ck_id f) {
  return ck_is_rel(k->T, f) && ck_is_int(k->T, ck_kid(k->T, f, 0)) &&
         ck_is_int(k->T, ck_kid(k->T, f, 1));
}

/* an instance that puts something in place of something (an empty one is a cut) */
static bool substitutes(const maker *k, uint32_t s) {
  uint32_t n;
  const as_step_arg *t = as_steps_args(&k->p, s, &n);
  return rule(k, s) == AS_STEP_INST && n > 3 && (t[2].kind != '|' || t[3].kind != '|');
}

static uint32_t first_premise(const maker *k, uint32_t s) {
  uint32_t n;
  const as_step_arg *t = as_steps_args(&k->p, s, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (t[i].kind == 's')
      return t[i].val;
  }
  return UINT32_MAX;
}

/* ---- names of lemmas, by what they say */
static const char *const lemma_names[][3] = {
#include "outline_lemmas.h"
};

static const char *lemma_name(const char *says, const char *under) {
  for (size_t i = 0; i < sizeof lemma_names / sizeof *lemma_names; i++) {
    if (strcmp(lemma_names[i][0], says) == 0 && strstr(under, lemma_names[i][1]))
      return lemma_names[i][2];
  }
  return NULL;
}

/* ---- walks: steps that s rests on, s included, in *v (sorted by number); not into lemmas unless
 * asked */
static void walk(maker *k, uint32_t s, bool lemmas, as_vec *v) {
  if (k->mark[s] == k->round)
    return;
  k->mark[s] = k->round;
  uint32_t n;
  const as_step_arg *t = as_steps_args(&k->p, s, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (t[i].kind == 's' && (lemmas || !k->lemma[t[i].val]))
      walk(k, t[i].val, lemmas, v);
  }
  as_vec_push(v, &s);
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static as_vec rests_on(maker *k, uint32_t s, bool lemmas) {
  as_vec v;
  as_vec_init(&v, sizeof(uint32_t));
  k->round++;
  walk(k, s, lemmas, &v);
  qsort(v.data, v.n, sizeof(uint32_t), by_value);
  return v;
}

/* the shown facts nearest below s, and how many steps lie between; s itself is not looked at */
static void nearest(maker *k, uint32_t s, as_vec *from, uint32_t *routine) {
  uint32_t n;
  const as_step_arg *t = as_steps_args(&k->p, s, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (t[i].kind != 's' || k->lemma[t[i].val] || k->mark[t[i].val] == k->round)
      continue;
    uint32_t q = t[i].val;
    k->mark[q] = k->round;
    if (k->number[q]) {
      as_vec_push(from, &k->number[q]);
    } else {
      ++*routine;
      nearest(k, q, from, routine);
    }
  }
}

static uint32_t *grounds(maker *k, uint32_t s, uint32_t *n, uint32_t *routine) {
  as_vec v;
  as_vec_init(&v, sizeof(uint32_t));
  k->round++;
  *routine = 0;
  nearest(k, s, &v, routine);
  if (v.n)
    qsort(v.data, v.n, sizeof(uint32_t), by_value);
  *n = (uint32_t)v.n;
  return v.data;
}

/* ---- words for a rule's use */
static char *law_words(const maker *k, uint32_t s) {
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
  uint32_t n;
  const char *name = ck_word_text(k->T, as_steps_args(&k->p, s, &n)[0].val);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i][0], name) == 0)
      return as_strdup(words[i][1]);
  }
  return as_format("law %s", name);
}

static char *case_words(const maker *k, uint32_t s) {
  uint32_t n;
  char *c = as_math_show(k->m, as_steps_args(&k->p, s, &n)[0].val);
  char *w = as_format("in both cases, %s and not", c);
  free(c);
  return w;
}

static char *why(const maker *k, uint32_t s) {
  switch (rule(k, s)) {
  case AS_STEP_HYP:
    return as_strdup("assumed");
  case AS_STEP_USE:
    return as_strdup("the given program is defined there");
  case AS_STEP_INST: {
    uint32_t l = substitutes(k, s) ? k->lemma[first_premise(k, s)] : 0;
    const char *name = l ? AS_VEC_AT(&k->o->lemmas, as_explain_lemma, l - 1).name : NULL;
    if (!l)
      return as_strdup(substitutes(k, s) ? "a case of it" : "its assumptions hold");
    return as_format("lemma L%u%s%s", l, name ? ": " : "", name ? name : "");
  }
  case AS_STEP_CASES:
    return case_words(k, s);
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
    return law_words(k, s);
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

static bool among(const ck_id *x, uint32_t n, ck_id f) {
  for (uint32_t i = 0; i < n; i++) {
    if (x[i] == f)
      return true;
  }
  return false;
}

/* the hypotheses of s that the goal does not grant (NULL: all of them) */
static char *own_hyps(const maker *k, as_math *by, uint32_t s, const ck_goal *goal) {
  uint32_t n;
  uint32_t m = 0;
  const ck_id *h = hyps(k, s, &n);
  ck_id *own = as_calloc(n + 1, sizeof *own);
  for (uint32_t i = 0; i < n; i++) {
    if (goal == NULL || !among(goal->allowed, goal->n_allowed, h[i]))
      own[m++] = h[i];
  }
  char *text = as_math_show_all(by, own, m);
  free(own);
  return text;
}

/* Both sides read the same, up to the order of factors, once factors 1 and the like are left out as
 * people do: nothing to tell. */
static bool reads_the_same(const maker *k, ck_id f) {
  if (ck_head(k->T, f) != CK_EQ)
    return false;
  return as_math_alike(k->m, ck_kid(k->T, f, 0), ck_kid(k->T, f, 1));
}

/* ---- lemmas */
/* no tensor, size or index of the claim occurs; seen: terms below which this is known */
static bool generic(const maker *k, ck_id t, bool *seen) {
  if (seen[t])
    return true;
  seen[t] = true;
  ck_op op = ck_head(k->T, t);
  if (op == CK_V || op == CK_APP) {
    const char *name = ck_word_text(k->T, ck_name(k->T, t));
    if ((name[0] == '$' && name[1] != '$') || as_math_reserved(k->m, name))
      return false;
  }
  for (uint32_t i = 0; i < ck_nkids(k->T, t); i++) {
    if (!generic(k, ck_kid(k->T, t, i), seen))
      return false;
  }
  return true;
}

/* What is put in place of variables elsewhere and says something of its own: a known lemma, or one
 * that is about no tensor of the claim. Facts about the claim that are used at several indices, and
 * integers, stay with the goals. */
static bool is_lemma(const maker *k, uint32_t s) {
  ck_id f = formula(k, s);
  char *says = as_math_show(k->plain, f);
  char *under = own_hyps(k, k->plain, s, NULL);
  bool known = lemma_name(says, under) != NULL;
  free(says);
  free(under);
  if (known || !ck_is_rel(k->T, f) || of_integers(k, f) || reads_the_same(k, f))
    return known;
  bool *seen = as_calloc(ck_size(k->T) + 1, sizeof *seen);
  bool yes = generic(k, f, seen);
  free(seen);
  return yes;
}

static void find_lemmas(maker *k) {
  for (uint32_t s = 0; s < k->n; s++) {
    if (substitutes(k, s))
      k->lemma[first_premise(k, s)] = 1;
  }
  for (uint32_t s = 0, c = 0; s < k->n; s++) {
    if (k->lemma[s])
      k->lemma[s] = is_lemma(k, s) ? ++c : 0;
  }
}

static void make_lemma(maker *k, uint32_t s) {
  as_explain_lemma l = {.step = s};
  as_vec v = rests_on(k, s, false);
  as_str how;
  as_str_init(&how);
  l.says = as_math_show(k->plain, formula(k, s));
  l.under = own_hyps(k, k->plain, s, NULL);
  const char *name = lemma_name(l.says, l.under);
  l.name = name ? as_strdup(name) : NULL;
  as_step_rule r = rule(k, s);
  as_str_printf(&how, "%s, %zu step%s",
                r == AS_STEP_INDUCT  ? "by induction"
                : r == AS_STEP_CASES ? "by cases"
                                     : "directly",
                v.n, v.n == 1 ? "" : "s");
  uint32_t *used = as_calloc(k->n + 1, sizeof *used);
  uint32_t c = 0;
  for (size_t i = 0; i < v.n; i++) {
    uint32_t q = AS_VEC_AT(&v, uint32_t, i);
    uint32_t l1 = substitutes(k, q) ? k->lemma[first_premise(k, q)] : 0;
    if (l1 && !used[l1]) {
      used[l1] = 1;
      as_str_printf(&how, "%s L%u", c++ ? "," : "; uses", l1);
    }
  }
  free(used);
  l.how = as_str_take(&how);
  as_vec_push(&k->o->lemmas, &l);
  as_vec_clear(&v);
}

/* ---- letters for long terms that occur in many formulas.  Terms that are shown alike (x*1/y,
 * 1/y*x are not) get the same letter. */
typedef struct {
  ck_id t;
  uint32_t group;
} candidate;

typedef struct {
  char *text;
  uint32_t count;
  bool inside;
  bool named;
  char *letter;
} group;

typedef struct {
  maker *k;
  as_vec c;
  as_vec g; /* candidate, group */
  uint32_t *seen;
  uint32_t round;
  uint32_t *of; /* of a term: 1 + its group */
  size_t size;
} letters;

static bool may_be_short(const maker *k, ck_id t) {
  ck_op op = ck_head(k->T, t);
  return (op == CK_FOLD || op == CK_EXP || op == CK_SQRT || op == CK_LOG || op == CK_ITE) &&
         ck_is_closed(k->T, t);
}

static uint32_t group_of(letters *l, ck_id t) {
  if (l->of[t])
    return l->of[t] - 1;
  char *text = as_math_show(l->k->m, t);
  uint32_t i = 0;
  while (i < l->g.n && strcmp(AS_VEC_AT(&l->g, group, i).text, text) != 0)
    i++;
  if (i == l->g.n)
    as_vec_push(&l->g, &(group){.text = text});
  else
    free(text);
  as_vec_push(&l->c, &(candidate){t, i});
  l->of[t] = i + 1;
  return i;
}

/* every term below t once a round; counts their groups, or marks those that never occur without the
 * group `within` */
static void below(letters *l, ck_id t, uint32_t within) {
  if (t >= l->size || l->seen[t] == l->round)
    return;
  l->seen[t] = l->round;
  if (may_be_short(l->k, t)) {
    uint32_t i = group_of(l, t);
    group *g = &AS_VEC_AT(&l->g, group, i);
    if (within == UINT32_MAX)
      g->count++;
    else if (i != within && g->count == AS_VEC_AT(&l->g, group, within).count)
      g->inside = true;
  }
  for (uint32_t i = 0; i < ck_nkids(l->k->T, t); i++)
    below(l, ck_kid(l->k->T, t, i), within);
}

static int by_term(const void *a, const void *b) {
  const candidate *x = a;
  const candidate *y = b;
  return x->t < y->t ? -1 : x->t > y->t;
}

static void find_words(maker *k, const as_vec *shown) {
  enum { LONG = 24, OFTEN = 3 };

  letters l = {.k = k, .size = ck_size(k->T)};
  l.seen = as_calloc(l.size + 1, sizeof *l.seen);
  l.of = as_calloc(l.size + 1, sizeof *l.of);
  as_vec_init(&l.c, sizeof(candidate));
  as_vec_init(&l.g, sizeof(group));
  for (size_t i = 0; i < shown->n; i++) {
    l.round++;
    below(&l, AS_VEC_AT(shown, ck_id, i), UINT32_MAX);
  }
  for (size_t i = 0; i < l.c.n; i++) {
    candidate *x = &AS_VEC_AT(&l.c, candidate, i);
    if (AS_VEC_AT(&l.g, group, x->group).count >= OFTEN) {
      l.round++;
      below(&l, x->t, x->group);
    }
  }
  if (l.c.n) {
    qsort(l.c.data, l.c.n, sizeof(candidate),
          by_term); /* smaller terms first: the larger are then written with their letters */
  }
  for (size_t i = 0; i < l.c.n; i++) {
    candidate *x = &AS_VEC_AT(&l.c, candidate, i);
    group *g = &AS_VEC_AT(&l.g, group, x->group);
    if (g->count < OFTEN || g->inside)
      continue;
    if (!g->named) {
      char *means = as_math_show(k->m, x->t);
      g->named = true;
      if (strlen(means) >= LONG) {
        as_explain_word w = {as_math_letter(k->m), means};
        g->letter = w.name;
        as_vec_push(&k->o->words, &w);
      } else {
        free(means);
      }
    }
    if (g->letter)
      as_math_short(k->m, x->t, g->letter);
  }
  for (size_t i = 0; i < l.g.n; i++)
    free(AS_VEC_AT(&l.g, group, i).text);
  as_vec_clear(&l.c);
  as_vec_clear(&l.g);
  free(l.seen);
  free(l.of);
}

/* ---- goals */
static bool worth_showing(const maker *k, uint32_t s) {
  ck_id f = formula(k, s);
  if (of_integers(k, f) || !ck_is_rel(k->T, f))
    return false;
  uint32_t n;
  switch (rule(k, s)) {
  case AS_STEP_LAW: {
    const char *name = ck_word_text(k->T, as_steps_args(&k->p, s, &n)[0].val);
    return strncmp(name, "ite", 3) != 0;
  }
  case AS_STEP_USE:
  case AS_STEP_INST:
  case AS_STEP_CASES:
  case AS_STEP_FOLDCONG:
  case AS_STEP_INDUCT:
    return !reads_the_same(k, f);
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

static void make_fact(maker *k, as_explain_goal *g, const ck_goal *goal, uint32_t s) {
  as_explain_fact f = {.step = s, .number = ++k->o->shown};
  f.says = as_math_show(k->m, formula(k, s));
  f.under = own_hyps(k, k->m, s, goal);
  f.why = why(k, s);
  f.from = grounds(k, s, &f.n_from, &f.routine);
  k->number[s] = f.number;
  as_vec_push(&g->facts, &f);
}

/* what a goal may assume beyond what all of them may: the ranges of its own counters, the
 * conditions it stands under */
static char *goal_conditions(maker *k, const ck_goal *goal) {
  ck_id *own = as_calloc(goal->n_allowed + 1, sizeof *own);
  uint32_t m = 0;
  for (uint32_t i = 0; i < goal->n_allowed; i++) {
    if (ck_is_rel(k->T, goal->allowed[i]) &&
        !among(k->claim->hyps.x, k->claim->hyps.n, goal->allowed[i]))
      own[m++] = goal->allowed[i];
  }
  char *text = as_math_show_all(k->m, own, m);
  free(own);
  return text;
}

static void make_goal(maker *k, uint32_t i) {
  const ck_goal *goal = &k->claim->goals[i];
  uint32_t s = AS_VEC_AT(&k->p.qed, uint32_t, i);
  as_explain_goal g = {.last = s,
                       .name = as_strdup(goal->name),
                       .what = goal_words(goal->name, of_integers(k, goal->formula)),
                       .says = as_math_show(k->m, goal->formula)};
  g.under = goal_conditions(k, goal);
  as_vec_init(&g.facts, sizeof(as_explain_fact));
  g.sizes_only = of_integers(k, goal->formula);
  as_vec all = rests_on(k, s, true);
  g.steps = (uint32_t)all.n;
  as_vec_clear(&all);
  as_vec own = rests_on(k, s, false);
  for (size_t j = 0; j < own.n; j++) {
    uint32_t q = AS_VEC_AT(&own, uint32_t, j);
    if (k->key[q] && !k->number[q] && q != s && !g.sizes_only)
      make_fact(k, &g, goal, q);
  }
  as_vec_clear(&own);
  g.from = grounds(k, s, &g.n_from, &g.routine);
  as_vec_push(&k->o->goals, &g);
}

static void make_full(maker *k) {
  as_str s;
  as_str_init(&s);
  for (uint32_t i = 0; i < k->n; i++) {
    uint32_t n;
    uint32_t nt;
    uint32_t c = 0;
    const ck_id *h = hyps(k, i, &n);
    const as_step_arg *t = as_steps_args(&k->p, i, &nt);
    char *says = as_math_show(k->m, formula(k, i));
    char *by = why(k, i);
    char *under = as_math_show_all(k->m, h, n);
    as_str_printf(&s, "%6u  %s\n        %s", i, says, by);
    for (uint32_t j = 0; j < nt; j++) {
      if (t[j].kind == 's')
        as_str_printf(&s, "%s %u", c++ ? "," : ": from", t[j].val);
    }
    if (n && rule(k, i) != AS_STEP_HYP)
      as_str_printf(&s, "\n        if %s", under);
    as_str_add(&s, "\n");
    free(says);
    free(by);
    free(under);
  }
  k->o->full = as_str_take(&s);
}

/* names that the reader knows from the files keep their meaning */
static void reserve(ck_terms *T, as_math *m, ck_id t, bool *seen) {
  if (seen[t])
    return;
  seen[t] = true;
  ck_op op = ck_head(T, t);
  if ((op == CK_V || op == CK_APP) && ck_word_text(T, ck_name(T, t))[0] != '$')
    as_math_reserve(m, ck_word_text(T, ck_name(T, t)));
  for (uint32_t i = 0; i < ck_nkids(T, t); i++)
    reserve(T, m, ck_kid(T, t, i), seen);
}

static void reserve_names(ck_terms *T, as_math *m, const ck_claim *claim) {
  bool *seen = as_calloc(ck_size(T) + 1, sizeof *seen);
  for (uint32_t i = 0; i < claim->hyps.n; i++)
    reserve(T, m, claim->hyps.x[i], seen);
  for (uint32_t i = 0; i < claim->n_goals; i++) {
    reserve(T, m, claim->goals[i].formula, seen);
    for (uint32_t j = 0; j < claim->goals[i].n_allowed; j++)
      reserve(T, m, claim->goals[i].allowed[j], seen);
  }
  free(seen);
}

/* The checker's text with each line that is one of the claim's hypotheses written anew. */
char *as_explain_theorem(ck_terms *T, const ck_claim *claim) {
  static const char own[] = "(candidate) ";
  as_math *m = as_math_new(T);
  as_str s;
  as_str_init(&s);
  as_str_addn(&s, "", 0);
  reserve_names(T, m, claim);
  for (const char *t = claim->theorem ? claim->theorem : "", *end; *t; t = end) {
    size_t n = strcspn(t, "\n");
    size_t indent = strspn(t, " ");
    end = t + n + (t[n] == '\n');
    const char *body = t + indent;
    const char *shown = NULL;
    if (strncmp(body, own, sizeof own - 1) == 0)
      body += sizeof own - 1;
    char *raw;
    char *anew = NULL;
    for (uint32_t i = 0; indent >= 2 && !shown && i < claim->hyps.n; i++) {
      raw = ck_show(T, claim->hyps.x[i]);
      if (strncmp(raw, body, strlen(raw)) == 0 && body + strlen(raw) == t + n)
        shown = anew = as_math_show(m, claim->hyps.x[i]);
      free(raw);
    }
    if (shown)
      as_str_printf(&s, "%.*s%s\n", (int)(body - t), t, shown);
    else
      as_str_addn(&s, t, (size_t)(end - t));
    free(anew);
  }
  as_math_free(m);
  return as_str_take(&s);
}

as_explain_outline *as_explain_new(ck_terms *T, const ck_claim *claim, const char *cert, size_t len,
                                   bool full, as_err *err) {
  maker k = {.claim = claim,
             .T = T,
             .m = as_math_new(T),
             .plain = as_math_new(T),
             .o = as_calloc(1, sizeof(as_explain_outline))};
  as_explain_outline *o = k.o;
  as_vec_init(&o->words, sizeof(as_explain_word));
  as_vec_init(&o->lemmas, sizeof(as_explain_lemma));
  as_vec_init(&o->goals, sizeof(as_explain_goal));
  bool ok = as_steps_read(&k.p, T, claim->goals, claim->n_goals, cert, len, err) == AS_OK;
  if (ok) {
    o->theorem = as_explain_theorem(T, claim);
    k.n = (uint32_t)k.p.step.n;
    o->steps = k.n;
    o->terms = (uint32_t)k.p.term.n;
    k.lemma = as_calloc(k.n + 1, sizeof *k.lemma);
    k.number = as_calloc(k.n + 1, sizeof *k.number);
    k.mark = as_calloc(k.n + 1, sizeof *k.mark);
    k.key = as_calloc(k.n + 1, sizeof *k.key);
    reserve_names(T, k.m, claim);
    find_lemmas(&k);
    for (uint32_t s = 0; s < k.n; s++) {
      if (k.lemma[s])
        make_lemma(&k, s);
    }
    as_vec shown;
    as_vec_init(&shown, sizeof(ck_id));
    for (uint32_t i = 0; i < claim->n_goals; i++) {
      as_vec own = rests_on(&k, AS_VEC_AT(&k.p.qed, uint32_t, i), false);
      for (size_t j = 0; j < own.n && !of_integers(&k, claim->goals[i].formula); j++) {
        uint32_t q = AS_VEC_AT(&own, uint32_t, j);
        ck_id f = formula(&k, q);
        if (k.key[q] || !worth_showing(&k, q))
          continue;
        k.key[q] = true;
        as_vec_push(&shown, &f);
      }
      as_vec_push(&shown, &claim->goals[i].formula);
      as_vec_clear(&own);
    }
    find_words(&k, &shown);
    as_vec_clear(&shown);
    for (uint32_t i = 0; i < claim->n_goals; i++)
      make_goal(&k, i);
    if (full)
      make_full(&k);
  }
  as_steps_clear(&k.p);
  as_math_free(k.m);
  as_math_free(k.plain);
  free(k.lemma);
  free(k.number);
  free(k.mark);
  free(k.key);
  if (ok)
    return o;
  as_explain_free(o);
  return NULL;
}

void as_explain_free(as_explain_outline *o) {
  if (o == NULL)
    return;
  for (size_t i = 0; i < o->words.n; i++) {
    free(AS_VEC_AT(&o->words, as_explain_word, i).name);
    free(AS_VEC_AT(&o->words, as_explain_word, i).means);
  }
  for (size_t i = 0; i < o->lemmas.n; i++) {
    as_explain_lemma *l = &AS_VEC_AT(&o->lemmas, as_explain_lemma, i);
    free(l->name);
    free(l->says);
    free(l->under);
    free(l->how);
  }
  for (size_t i = 0; i < o->goals.n; i++) {
    as_explain_goal *g = &AS_VEC_AT(&o->goals, as_explain_goal, i);
    for (size_t j = 0; j < g->facts.n; j++) {
      as_explain_fact *f = &AS_VEC_AT(&g->facts, as_explain_fact, j);
      free(f->says);
      free(f->under);
      free(f->why);
      free(f->from);
    }
    as_vec_clear(&g->facts);
    free(g->name);
    free(g->what);
    free(g->says);
    free(g->under);
    free(g->from);
  }
  as_vec_clear(&o->words);
  as_vec_clear(&o->lemmas);
  as_vec_clear(&o->goals);
  free(o->theorem);
  free(o->full);
  free(o);
}

/* Clauses among the hypotheses (what the given program's definedness says of all elements) used at
 * particular indices: those that the terms at hand have, or those that make the clause's conclusion
 * the goal. */
#include "pv_norm.h"

enum { MAX_BIND = 6, MAX_INSTANCES = 12, MAX_VARS = 8 };

static bool has_loose(const ck_terms *terms, ck_id term, uint32_t index) {
  if (ck_loose_max(terms, term) <= index)
    return false;
  if (ck_head(terms, term) == CK_B)
    return ck_index(terms, term) == index;
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++) {
    if (has_loose(terms, ck_kid(terms, term, i), index + ck_kid_binders(terms, term, i)))
      return true;
  }
  return false;
}

/* the index variables, quotients and remainders in t: what a variable within an index (`i*C + j`)
 * may stand for */
static void indices_of(pv *prover, ck_id term, ck_id *out, uint32_t *n) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, term);
  uint32_t j = 0;
  bool index = (head == CK_V && ck_word_text(terms, ck_name(terms, term))[0] == '$') ||
               head == CK_DIV || head == CK_MOD;
  if (index && ck_is_closed(terms, term) && ck_is_int(terms, term)) {
    while (j < *n && out[j] != term)
      j++;
    if (j == *n && *n < MAX_BIND)
      out[(*n)++] = term;
  }
  for (uint32_t i = 0; i < ck_nkids(terms, term); i++)
    indices_of(prover, ck_kid(terms, term, i), out, n);
}

static void add_option(ck_id option, ck_id *out, uint32_t *n) {
  uint32_t j = 0;
  while (j < *n && out[j] != option)
    j++;
  if (j == *n && *n < MAX_BIND)
    out[(*n)++] = option;
}

/* The term with `i div c` replaced by i, the bound variable `index`, and c; CK_BAD: i stands in it
 * otherwise too, or not at all. */
static ck_id undivided(pv *prover, ck_id term, uint32_t index, ck_id *divisor) {
  enum { MOST_KIDS = 8 };

  ck_terms *terms = prover->terms;
  ck_id kids[MOST_KIDS];
  uint32_t n = ck_nkids(terms, term);
  if (!has_loose(terms, term, index))
    return term;
  if (ck_head(terms, term) == CK_DIV && ck_head(terms, ck_kid(terms, term, 0)) == CK_B) {
    ck_id by = ck_kid(terms, term, 1);
    bool same = *divisor == CK_BAD || *divisor == by;
    *divisor = by;
    return same && ck_is_closed(terms, by) ? ck_kid(terms, term, 0) : CK_BAD;
  }
  if (n == 0 || n > MOST_KIDS)
    return CK_BAD;
  for (uint32_t i = 0; i < n; i++) {
    bool binds = ck_kid_binders(terms, term, i) > 0;
    kids[i] = binds ? CK_BAD : undivided(prover, ck_kid(terms, term, i), index, divisor);
    if (kids[i] == CK_BAD)
      return CK_BAD;
  }
  return ck_rebuild(terms, term, kids);
}

/* what makes a pattern that speaks of `i div c` the argument: c times what stands for that; CK_BAD:
 * it is another one */
static ck_id times_divisor(pv *prover, ck_id pattern, uint32_t index, uint32_t depth,
                           ck_id argument, bool first) {
  ck_id divisor = CK_BAD;
  ck_id whole = undivided(prover, pattern, index, &divisor);
  if (whole == CK_BAD || divisor == CK_BAD)
    return CK_BAD;
  bool alone = ck_head(prover->terms, whole) == CK_B && ck_is_closed(prover->terms, argument) &&
               ck_is_int(prover->terms, argument);
  ck_id digit = alone ? argument : pv_clause_digit(prover, whole, index, depth, argument, first);
  return digit == CK_BAD ? CK_BAD : pv_mul(prover, divisor, digit);
}

static void match_app(pv *prover, ck_id pattern, uint32_t index, uint32_t depth, bool first,
                      ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, x) == CK_APP && ck_name(terms, x) == ck_name(terms, pattern) &&
      ck_sig(terms, x) == ck_sig(terms, pattern)) {
    for (uint32_t i = 0; i < ck_nkids(terms, pattern); i++) {
      ck_id pattern_arg = ck_kid(terms, pattern, i);
      ck_id arg = ck_kid(terms, x, i);
      uint32_t j = 0;
      if (ck_head(terms, pattern_arg) != CK_B) {
        if (!has_loose(terms, pattern_arg, index))
          continue;
        ck_id multiple = times_divisor(prover, pattern_arg, index, depth, arg, first);
        if (multiple != CK_BAD)
          add_option(multiple, out, n);
        ck_id digit = pv_clause_digit(prover, pattern_arg, index, depth, arg, first);
        /* no sum of steps: a place taken apart and put together, `c*(i div c) + i mod c` */
        if (digit == CK_BAD && ck_is_closed(terms, arg) && ck_is_int(terms, arg))
          digit = arg;
        if (digit != CK_BAD)
          add_option(digit, out, n);
        indices_of(prover, arg, out, n);
        continue;
      }
      if (ck_index(terms, pattern_arg) != index || !ck_is_closed(terms, arg) ||
          !ck_is_int(terms, arg))
        continue;
      while (j < *n && out[j] != arg)
        j++;
      if (j == *n && *n < MAX_BIND)
        out[(*n)++] = arg;
    }
  }
  for (uint32_t i = 0, n_kids = ck_nkids(terms, x); i < n_kids; i++)
    match_app(prover, pattern, index, depth, first, ck_kid(terms, x, i), out, n);
}

/* arguments at the places where the pattern, under `depth` binders of folds, has the bound variable
 * `index`: f(.., index, ..) against f(.., e, ..) in x; first: see pv_clause_digit */
static void collect_args(pv *prover, ck_id pattern, uint32_t index, uint32_t depth, bool first,
                         ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *terms = prover->terms;
  if (ck_loose_max(terms, pattern) <= index)
    return;
  if (ck_head(terms, pattern) == CK_APP)
    match_app(prover, pattern, index, depth, first, x, out, n);
  for (uint32_t i = 0, n_kids = ck_nkids(terms, pattern); i < n_kids; i++) {
    uint32_t binders = ck_kid_binders(terms, pattern, i);
    collect_args(prover, ck_kid(terms, pattern, i), index + binders, depth + binders, first, x, out,
                 n);
  }
}

/* a < if(c, u, v), an end that is the smaller of two numbers, where a is below the one that it is
 */
static pv_thm below_choice(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_id end = ck_kid(prover->terms, formula, 1);
  ck_id cond = ck_kid(prover->terms, end, 0);
  pv_thm part[2];
  for (uint32_t i = 0; i < 2; i++) {
    ck_id here = i ? ck_neg(prover->terms, cond) : cond;
    pv_ctx inside = pv_ctx_push(prover, ctx, here, CK_BAD);
    ck_id less =
        pv_lt(prover, ck_kid(prover->terms, formula, 0), ck_kid(prover->terms, end, 1 + i));
    pv_thm law = pv_law(prover, i ? "ite0" : "ite1", &end, 1, pv_hyp(prover, here));
    pv_thm below = pv_follows(prover, inside, less);
    if (below == PV_NONE || law == PV_NONE)
      return PV_NONE;
    part[i] = PV_COMBINE(prover, formula, prover->one, below, pv_num(prover, -1), law);
  }
  return pv_cases(prover, cond, part[0], part[1]);
}

/* cond, which an instance of a clause needs, or, by cases, its end being a choice */
static pv_thm premise_of(pv *prover, pv_ctx ctx, ck_id cond, bool cases) {
  pv_thm thm = pv_follows(prover, ctx, cond);
  bool choice = ck_head(prover->terms, cond) == CK_LT &&
                ck_is(prover->terms, ck_kid(prover->terms, cond, 1), CK_ITE);
  return thm == PV_NONE && cases && choice ? below_choice(prover, ctx, cond) : thm;
}

/* Is it worth looking at the choice between ends of a range?  For a lane that is a remainder, and
 * for a variable that the conclusion does not speak of; of others, 0 among them, there are many
 * instances that say nothing. */
static bool worth_cases(pv *prover, ck_id clause, ck_id cond, ck_id instance) {
  const ck_terms *terms = prover->terms;
  ck_id conclusion = ck_kid(terms, clause, ck_nkids(terms, clause) - 1);
  ck_id left = ck_kid(terms, cond, 0);
  return ck_is(terms, ck_kid(terms, instance, 0), CK_MOD) ||
         (ck_is(terms, left, CK_B) && !has_loose(terms, conclusion, ck_index(terms, left)));
}

/* the clause of step h at ts */
static pv_thm clause_at(pv *prover, pv_ctx ctx, pv_thm hyp, const ck_id *args) {
  ck_id clause = pv_says(prover, hyp);
  uint32_t n_vars = ck_index(prover->terms, clause);
  uint32_t n_conds = ck_nkids(prover->terms, clause) - 1;
  pv_thm premises[16];
  if (n_conds > 16)
    return PV_NONE;
  for (uint32_t i = 0; i < n_conds; i++) {
    ck_id pattern = ck_kid(prover->terms, clause, i);
    ck_id cond = n_vars ? ck_open(prover->terms, pattern, args, n_vars) : pattern;
    bool cases = worth_cases(prover, clause, pattern, cond);
    if ((premises[i] = premise_of(prover, ctx, cond, cases)) == PV_NONE)
      return PV_NONE;
  }
  return pv_use(prover, hyp, args, n_vars, premises, n_conds);
}

/* a variable of the context that has the range that clause c gives its variable j, or 0; `used`
 * ones are passed over */
static ck_id usual(pv *prover, pv_ctx ctx, ck_id clause, uint32_t j, const ck_id *used,
                   uint32_t n_used) {
  const ck_terms *terms = prover->terms;
  ck_id found = prover->zero;
  for (uint32_t i = 0; i + 1 < ck_nkids(terms, clause); i++) {
    ck_id cond = ck_kid(terms, clause, i);
    ck_id left;
    if (ck_head(terms, cond) != CK_LT ||
        (left = ck_kid(terms, cond, 0), ck_head(terms, left) != CK_B) ||
        ck_index(terms, left) != j || !ck_is_closed(terms, ck_kid(terms, cond, 1)))
      continue;
    for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
      ck_id formula = pv_at(prover, link)->formula;
      uint32_t at = 0;
      if (ck_head(terms, formula) != CK_LT || ck_kid(terms, formula, 1) != ck_kid(terms, cond, 1) ||
          ck_head(terms, ck_kid(terms, formula, 0)) != CK_V)
        continue;
      while (at < n_used && used[at] != ck_kid(terms, formula, 0))
        at++;
      if (at == n_used)
        found = ck_kid(terms, formula, 0);
    }
  }
  return found;
}

uint32_t pv_clause_instances(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id term, pv_thm *out,
                             uint32_t max) {
  if (hyp == PV_NONE)
    return 0;
  ck_id clause = pv_says(prover, hyp);
  ck_id conclusion = ck_kid(prover->terms, clause, ck_nkids(prover->terms, clause) - 1);
  uint32_t n_vars = ck_index(prover->terms, clause);
  uint32_t n = 0;
  ck_id options[MAX_VARS][MAX_BIND + 1];
  uint32_t n_options[MAX_VARS] = {0};
  uint32_t pick[MAX_VARS] = {0};
  if (n_vars > MAX_VARS)
    return 0;
  for (uint32_t i = 0; i < n_vars; i++) {
    collect_args(prover, conclusion, i, 0, false, term, options[i], &n_options[i]);
    if (n_options[i] > 0)
      continue;
    ck_id same_range = usual(prover, ctx, clause, i, NULL, 0);
    if (same_range == prover->zero)
      collect_args(prover, conclusion, i, 0, true, term, options[i], &n_options[i]);
    if (n_options[i] > 0)
      continue;
    options[i][n_options[i]++] = same_range;
    if (same_range != prover->zero)
      options[i][n_options[i]++] = prover->zero;
  }
  for (int tries = 0; tries < MAX_INSTANCES && n < max; tries++) {
    ck_id args[MAX_VARS];
    for (uint32_t i = 0; i < n_vars; i++)
      args[i] = options[i][pick[i]];
    pv_thm thm = clause_at(prover, ctx, hyp, args);
    uint32_t i = 0;
    if (thm != PV_NONE)
      out[n++] = thm;
    while (i < n_vars && ++pick[i] == n_options[i])
      pick[i++] = 0;
    if (i == n_vars)
      break;
  }
  return n;
}

/* --- a clause where one of its accesses is one of the term's */
typedef struct {
  pv *prover;
  pv_ctx ctx;
  pv_thm hyp;
  ck_id access; /* the term's */
  uint32_t n_vars;
  pv_thm *out;
  uint32_t max;
  uint32_t n;
} access_job;

/* what variable `index` of the clause is where the access of its conclusion, under `depth` binders,
 * is the term's: a digit of one of the arguments, or that argument, closed; CK_BAD: it is not seen
 */
static ck_id place_in_access(const access_job *job, ck_id pattern, uint32_t index, uint32_t depth) {
  pv *prover = job->prover;
  const ck_terms *terms = prover->terms;
  for (uint32_t i = 0; i < ck_nkids(terms, pattern); i++) {
    ck_id pattern_arg = ck_kid(terms, pattern, i);
    ck_id arg = ck_kid(terms, job->access, i);
    if (!has_loose(terms, pattern_arg, index) || !ck_is_int(terms, arg))
      continue;
    bool whole = ck_is(terms, pattern_arg, CK_B) && ck_is_closed(terms, arg);
    ck_id place = whole ? arg : pv_clause_digit(prover, pattern_arg, index, depth, arg, false);
    pv_eqn normal = place == CK_BAD ? pv_same(place) : pv_norm(prover, job->ctx, place);
    if (normal.by != PV_NONE && normal.to != CK_BAD)
      return normal.to;
  }
  return CK_BAD;
}

static void add_at_access(access_job *job, ck_id pattern, uint32_t depth) {
  pv *prover = job->prover;
  ck_id args[MAX_VARS];
  uint32_t seen = 0;
  for (uint32_t i = 0; i < job->n_vars; i++) {
    args[i] = place_in_access(job, pattern, depth + i, depth);
    if (args[i] != CK_BAD)
      seen++;
    else
      args[i] = usual(prover, job->ctx, pv_says(prover, job->hyp), i, NULL, 0);
  }
  pv_thm thm = seen == 0 ? PV_NONE : clause_at(prover, job->ctx, job->hyp, args);
  uint32_t i = 0;
  while (i < job->n && pv_says(prover, job->out[i]) != pv_says(prover, thm))
    i++;
  if (thm != PV_NONE && i == job->n)
    job->out[job->n++] = thm;
}

/* the accesses of the pattern, under `depth` binders, that may be the term's */
static void add_patterns(access_job *job, ck_id pattern, uint32_t depth) {
  const ck_terms *terms = job->prover->terms;
  if (ck_loose_max(terms, pattern) <= depth || job->n == job->max)
    return;
  if (ck_is(terms, pattern, CK_APP) && ck_name(terms, pattern) == ck_name(terms, job->access) &&
      ck_sig(terms, pattern) == ck_sig(terms, job->access))
    add_at_access(job, pattern, depth);
  for (uint32_t i = 0, n = ck_nkids(terms, pattern); i < n; i++)
    add_patterns(job, ck_kid(terms, pattern, i), depth + ck_kid_binders(terms, pattern, i));
}

static void add_accesses(access_job *job, ck_id conclusion, ck_id term, as_map *seen) {
  const ck_terms *terms = job->prover->terms;
  uint64_t known;
  if (job->n == job->max || as_map_get(seen, AS_KEY(term), &known))
    return;
  as_map_put(seen, AS_KEY(term), 1);
  if (ck_is(terms, term, CK_APP)) {
    job->access = term;
    add_patterns(job, conclusion, 0);
  }
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++)
    add_accesses(job, conclusion, ck_kid(terms, term, i), seen);
}

uint32_t pv_clause_at_accesses(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id term, pv_thm *out,
                               uint32_t max) {
  if (hyp == PV_NONE)
    return 0;
  ck_id clause = pv_says(prover, hyp);
  access_job job = {
      .prover = prover,
      .ctx = ctx,
      .hyp = hyp,
      .n_vars = ck_index(prover->terms, clause),
      .out = out,
      .max = max,
  };
  if (job.n_vars > MAX_VARS)
    return 0;
  as_map seen;
  as_map_init(&seen, 1);
  add_accesses(&job, ck_kid(prover->terms, clause, ck_nkids(prover->terms, clause) - 1), term,
               &seen);
  as_map_clear(&seen);
  return job.n;
}

/* t against the pattern pat, both under `depth` binders: bound variable j of the clause stands for
 * arg[j] (CK_BAD: not known yet) */
static bool match(pv *prover, ck_id pattern, ck_id term, uint32_t depth, ck_id *arg,
                  uint32_t n_vars) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, pattern);
  if (pattern == term && ck_loose_max(terms, pattern) <= depth)
    return true;
  if (head == CK_B) {
    if (ck_index(terms, pattern) < depth || ck_index(terms, pattern) - depth >= n_vars ||
        !ck_is_closed(terms, term) || !ck_is_int(terms, term))
      return false;
    uint32_t j = ck_index(terms, pattern) - depth;
    if (arg[j] == CK_BAD)
      arg[j] = term;
    return arg[j] == term;
  }
  if (head != ck_head(terms, term) || ck_nkids(terms, pattern) != ck_nkids(terms, term) ||
      !ck_nkids(terms, pattern))
    return false;
  if (head == CK_APP && (ck_name(terms, pattern) != ck_name(terms, term) ||
                         ck_sig(terms, pattern) != ck_sig(terms, term)))
    return false;
  if (head == CK_FOLD && (ck_width(terms, pattern) != ck_width(terms, term) ||
                          ck_index(terms, pattern) != ck_index(terms, term)))
    return false;
  for (uint32_t i = 0; i < ck_nkids(terms, pattern); i++) {
    if (!match(prover, ck_kid(terms, pattern, i), ck_kid(terms, term, i),
               depth + ck_kid_binders(terms, pattern, i), arg, n_vars))
      return false;
  }
  return true;
}

/* the instance of clause h that concludes f; else in *open the first of its conditions that is not
 * known */
static pv_thm concluding(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id formula, ck_id *open) {
  if (hyp == PV_NONE)
    return PV_NONE;
  ck_id clause = pv_says(prover, hyp);
  ck_id arg[MAX_VARS];
  uint32_t n_vars = ck_index(prover->terms, clause);
  uint32_t n_conds = ck_nkids(prover->terms, clause) - 1;
  if (n_vars > MAX_VARS)
    return PV_NONE;
  for (uint32_t i = 0; i < n_vars; i++)
    arg[i] = CK_BAD;
  if (!match(prover, ck_kid(prover->terms, clause, n_conds), formula, 0, arg, n_vars))
    return PV_NONE;
  for (uint32_t i = 0; i < n_vars; i++) {
    if (arg[i] == CK_BAD)
      arg[i] = usual(prover, ctx, clause, i, arg, n_vars);
  }
  for (uint32_t i = 0; i < n_conds; i++) {
    ck_id cond = ck_kid(prover->terms, clause, i);
    if (n_vars)
      cond = ck_open(prover->terms, cond, arg, n_vars);
    if (pv_follows(prover, ctx, cond) != PV_NONE)
      continue;
    if (pv_follows(prover, ctx, ck_neg(prover->terms, cond)) == PV_NONE && *open == CK_BAD)
      *open = cond;
    return PV_NONE;
  }
  return clause_at(prover, ctx, hyp, arg);
}

static pv_thm search(pv *prover, pv_ctx ctx, ck_id formula, ck_id *open) {
  for (pv_ctx link = ctx; link != 0; link = pv_at(prover, link)->parent) {
    if (ck_head(prover->terms, pv_at(prover, link)->formula) != CK_ALL)
      continue;
    pv_thm thm = concluding(prover, ctx, pv_at(prover, link)->thm, formula, open);
    if (thm != PV_NONE)
      return thm;
  }
  return PV_NONE;
}

pv_thm pv_by_clause(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_id open = CK_BAD;
  return search(prover, ctx, formula, &open);
}

ck_id pv_clause_cond(pv *prover, pv_ctx ctx, ck_id formula) {
  ck_id open = CK_BAD;
  return search(prover, ctx, formula, &open) == PV_NONE ? open : CK_BAD;
}

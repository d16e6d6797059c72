/* Clauses among the hypotheses (what the given program's definedness says of all elements) used at
 * particular indices: those that the terms at hand have, or those that make the clause's conclusion
 * the goal. */
#include "pv_facts.h"

enum { MAX_BIND = 6, MAX_INSTANCES = 12, MAX_VARS = 8 };

/* arguments at the places where the pattern has the bound variable `index`: f(.., index, ..)
 * against f(.., e, ..) in x */
static void collect_args(pv *prover, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n);

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

static void match_app(pv *prover, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *terms = prover->terms;
  if (ck_head(terms, x) == CK_APP && ck_name(terms, x) == ck_name(terms, pat) &&
      ck_sig(terms, x) == ck_sig(terms, pat)) {
    for (uint32_t i = 0; i < ck_nkids(terms, pat); i++) {
      ck_id a = ck_kid(terms, pat, i);
      ck_id e = ck_kid(terms, x, i);
      uint32_t j = 0;
      if (ck_head(terms, a) != CK_B) {
        if (has_loose(terms, a, index))
          indices_of(prover, e, out, n);
        continue;
      }
      if (ck_index(terms, a) != index || !ck_is_closed(terms, e) || !ck_is_int(terms, e))
        continue;
      while (j < *n && out[j] != e)
        j++;
      if (j == *n && *n < MAX_BIND)
        out[(*n)++] = e;
    }
  }
  for (uint32_t i = 0, k = ck_nkids(terms, x); i < k; i++)
    match_app(prover, pat, index, ck_kid(terms, x, i), out, n);
}

static void collect_args(pv *prover, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *terms = prover->terms;
  if (ck_loose_max(terms, pat) <= index)
    return;
  if (ck_head(terms, pat) == CK_APP)
    match_app(prover, pat, index, x, out, n);
  for (uint32_t i = 0, k = ck_nkids(terms, pat); i < k; i++)
    collect_args(prover, ck_kid(terms, pat, i), index + ck_kid_binders(terms, pat, i), x, out, n);
}

/* the clause of step h at ts */
static pv_thm clause_at(pv *prover, pv_ctx ctx, pv_thm hyp, const ck_id *ts) {
  ck_id c = pv_says(prover, hyp);
  uint32_t m = ck_index(prover->terms, c);
  uint32_t r = ck_nkids(prover->terms, c) - 1;
  pv_thm premises[16];
  if (r > 16)
    return PV_NONE;
  for (uint32_t i = 0; i < r; i++) {
    ck_id k = ck_kid(prover->terms, c, i);
    if (m)
      k = ck_open(prover->terms, k, ts, m);
    if ((premises[i] = pv_follows(prover, ctx, k)) == PV_NONE)
      return PV_NONE;
  }
  return pv_use(prover, hyp, ts, m, premises, r);
}

/* a variable of the context that has the range that clause c gives its variable j, or 0; `used`
 * ones are passed over */
static ck_id usual(pv *prover, pv_ctx ctx, ck_id c, uint32_t j, const ck_id *used, uint32_t nu) {
  const ck_terms *terms = prover->terms;
  ck_id found = prover->zero;
  for (uint32_t i = 0; i + 1 < ck_nkids(terms, c); i++) {
    ck_id k = ck_kid(terms, c, i);
    ck_id x;
    if (ck_head(terms, k) != CK_LT || (x = ck_kid(terms, k, 0), ck_head(terms, x) != CK_B) ||
        ck_index(terms, x) != j || !ck_is_closed(terms, ck_kid(terms, k, 1)))
      continue;
    for (pv_ctx h = ctx; h != 0; h = pv_at(prover, h)->parent) {
      ck_id formula = pv_at(prover, h)->formula;
      uint32_t l = 0;
      if (ck_head(terms, formula) != CK_LT || ck_kid(terms, formula, 1) != ck_kid(terms, k, 1) ||
          ck_head(terms, ck_kid(terms, formula, 0)) != CK_V)
        continue;
      while (l < nu && used[l] != ck_kid(terms, formula, 0))
        l++;
      if (l == nu)
        found = ck_kid(terms, formula, 0);
    }
  }
  return found;
}

uint32_t pv_clause_instances(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id term, pv_thm *out,
                             uint32_t max) {
  if (hyp == PV_NONE)
    return 0;
  ck_id c = pv_says(prover, hyp);
  ck_id g = ck_kid(prover->terms, c, ck_nkids(prover->terms, c) - 1);
  uint32_t m = ck_index(prover->terms, c);
  uint32_t n = 0;
  ck_id opt[MAX_VARS][MAX_BIND + 1];
  uint32_t no[MAX_VARS] = {0};
  uint32_t pick[MAX_VARS] = {0};
  if (m > MAX_VARS)
    return 0;
  for (uint32_t i = 0; i < m; i++) {
    collect_args(prover, g, i, term, opt[i], &no[i]);
    if (!no[i]) {
      opt[i][no[i]++] = usual(prover, ctx, c, i, NULL, 0);
      if (opt[i][0] != prover->zero)
        opt[i][no[i]++] = prover->zero;
    }
  }
  for (int tries = 0; tries < MAX_INSTANCES && n < max; tries++) {
    ck_id ts[MAX_VARS];
    for (uint32_t i = 0; i < m; i++)
      ts[i] = opt[i][pick[i]];
    pv_thm thm = clause_at(prover, ctx, hyp, ts);
    uint32_t i = 0;
    if (thm != PV_NONE)
      out[n++] = thm;
    while (i < m && ++pick[i] == no[i])
      pick[i++] = 0;
    if (i == m)
      break;
  }
  return n;
}

/* t against the pattern pat, both under `depth` binders: bound variable j of the clause stands for
 * arg[j] (CK_BAD: not known yet) */
static bool match(pv *prover, ck_id pat, ck_id term, uint32_t depth, ck_id *arg, uint32_t m) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, pat);
  if (pat == term && ck_loose_max(terms, pat) <= depth)
    return true;
  if (head == CK_B) {
    if (ck_index(terms, pat) < depth || ck_index(terms, pat) - depth >= m ||
        !ck_is_closed(terms, term) || !ck_is_int(terms, term))
      return false;
    uint32_t j = ck_index(terms, pat) - depth;
    if (arg[j] == CK_BAD)
      arg[j] = term;
    return arg[j] == term;
  }
  if (head != ck_head(terms, term) || ck_nkids(terms, pat) != ck_nkids(terms, term) ||
      !ck_nkids(terms, pat))
    return false;
  if (head == CK_APP &&
      (ck_name(terms, pat) != ck_name(terms, term) || ck_sig(terms, pat) != ck_sig(terms, term)))
    return false;
  if (head == CK_FOLD && (ck_width(terms, pat) != ck_width(terms, term) ||
                          ck_index(terms, pat) != ck_index(terms, term)))
    return false;
  for (uint32_t i = 0; i < ck_nkids(terms, pat); i++) {
    if (!match(prover, ck_kid(terms, pat, i), ck_kid(terms, term, i),
               depth + ck_kid_binders(terms, pat, i), arg, m))
      return false;
  }
  return true;
}

/* the instance of clause h that concludes f; else in *open the first of its conditions that is not
 * known */
static pv_thm concluding(pv *prover, pv_ctx ctx, pv_thm hyp, ck_id formula, ck_id *open) {
  if (hyp == PV_NONE)
    return PV_NONE;
  ck_id c = pv_says(prover, hyp);
  ck_id arg[MAX_VARS];
  uint32_t m = ck_index(prover->terms, c);
  uint32_t r = ck_nkids(prover->terms, c) - 1;
  if (m > MAX_VARS)
    return PV_NONE;
  for (uint32_t i = 0; i < m; i++)
    arg[i] = CK_BAD;
  if (!match(prover, ck_kid(prover->terms, c, r), formula, 0, arg, m))
    return PV_NONE;
  for (uint32_t i = 0; i < m; i++) {
    if (arg[i] == CK_BAD)
      arg[i] = usual(prover, ctx, c, i, arg, m);
  }
  for (uint32_t i = 0; i < r; i++) {
    ck_id k = ck_kid(prover->terms, c, i);
    if (m)
      k = ck_open(prover->terms, k, arg, m);
    if (pv_follows(prover, ctx, k) != PV_NONE)
      continue;
    if (pv_follows(prover, ctx, ck_neg(prover->terms, k)) == PV_NONE && *open == CK_BAD)
      *open = k;
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

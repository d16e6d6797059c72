/* Clauses among the hypotheses (what the given program's definedness says of all elements) used at
 * particular indices: those that the terms at hand have, or those that make the clause's conclusion
 * the goal. */
#include "pv_facts.h"

enum { MAX_BIND = 6, MAX_INSTANCES = 12, MAX_VARS = 8 };

/* arguments at the places where the pattern has the bound variable `index`: f(.., index, ..)
 * against f(.., e, ..) in x */
static void collect_args(pv *p, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n);

static bool has_loose(const ck_terms *T, ck_id t, uint32_t index) {
  if (ck_loose_max(T, t) <= index)
    return false;
  if (ck_head(T, t) == CK_B)
    return ck_index(T, t) == index;
  for (uint32_t i = 0; i < ck_nkids(T, t); i++) {
    if (has_loose(T, ck_kid(T, t, i), index + ck_kid_binders(T, t, i)))
      return true;
  }
  return false;
}

/* the index variables, quotients and remainders in t: what a variable within an index (`i*C + j`)
 * may stand for */
static void indices_of(pv *p, ck_id t, ck_id *out, uint32_t *n) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, t);
  uint32_t j = 0;
  bool index =
      (o == CK_V && ck_word_text(T, ck_name(T, t))[0] == '$') || o == CK_DIV || o == CK_MOD;
  if (index && ck_is_closed(T, t) && ck_is_int(T, t)) {
    while (j < *n && out[j] != t)
      j++;
    if (j == *n && *n < MAX_BIND)
      out[(*n)++] = t;
  }
  for (uint32_t i = 0; i < ck_nkids(T, t); i++)
    indices_of(p, ck_kid(T, t, i), out, n);
}

static void match_app(pv *p, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *T = p->terms;
  if (ck_head(T, x) == CK_APP && ck_name(T, x) == ck_name(T, pat) &&
      ck_sig(T, x) == ck_sig(T, pat)) {
    for (uint32_t i = 0; i < ck_nkids(T, pat); i++) {
      ck_id a = ck_kid(T, pat, i);
      ck_id e = ck_kid(T, x, i);
      uint32_t j = 0;
      if (ck_head(T, a) != CK_B) {
        if (has_loose(T, a, index))
          indices_of(p, e, out, n);
        continue;
      }
      if (ck_index(T, a) != index || !ck_is_closed(T, e) || !ck_is_int(T, e))
        continue;
      while (j < *n && out[j] != e)
        j++;
      if (j == *n && *n < MAX_BIND)
        out[(*n)++] = e;
    }
  }
  for (uint32_t i = 0, k = ck_nkids(T, x); i < k; i++)
    match_app(p, pat, index, ck_kid(T, x, i), out, n);
}

static void collect_args(pv *p, ck_id pat, uint32_t index, ck_id x, ck_id *out, uint32_t *n) {
  const ck_terms *T = p->terms;
  if (ck_loose_max(T, pat) <= index)
    return;
  if (ck_head(T, pat) == CK_APP)
    match_app(p, pat, index, x, out, n);
  for (uint32_t i = 0, k = ck_nkids(T, pat); i < k; i++)
    collect_args(p, ck_kid(T, pat, i), index + ck_kid_binders(T, pat, i), x, out, n);
}

/* the clause of step h at ts */
static pv_thm clause_at(pv *p, pv_ctx cx, pv_thm h, const ck_id *ts) {
  ck_id c = pv_says(p, h);
  uint32_t m = ck_index(p->terms, c);
  uint32_t r = ck_nkids(p->terms, c) - 1;
  pv_thm prem[16];
  if (r > 16)
    return PV_NONE;
  for (uint32_t i = 0; i < r; i++) {
    ck_id k = ck_kid(p->terms, c, i);
    if (m)
      k = ck_open(p->terms, k, ts, m);
    if ((prem[i] = pv_follows(p, cx, k)) == PV_NONE)
      return PV_NONE;
  }
  return pv_use(p, h, ts, m, prem, r);
}

/* a variable of the context that has the range that clause c gives its variable j, or 0; `used`
 * ones are passed over */
static ck_id usual(pv *p, pv_ctx cx, ck_id c, uint32_t j, const ck_id *used, uint32_t nu) {
  const ck_terms *T = p->terms;
  ck_id found = p->zero;
  for (uint32_t i = 0; i + 1 < ck_nkids(T, c); i++) {
    ck_id k = ck_kid(T, c, i);
    ck_id x;
    if (ck_head(T, k) != CK_LT || (x = ck_kid(T, k, 0), ck_head(T, x) != CK_B) ||
        ck_index(T, x) != j || !ck_is_closed(T, ck_kid(T, k, 1)))
      continue;
    for (pv_ctx h = cx; h != 0; h = CX(p, h).parent) {
      ck_id f = CX(p, h).formula;
      uint32_t l = 0;
      if (ck_head(T, f) != CK_LT || ck_kid(T, f, 1) != ck_kid(T, k, 1) ||
          ck_head(T, ck_kid(T, f, 0)) != CK_V)
        continue;
      while (l < nu && used[l] != ck_kid(T, f, 0))
        l++;
      if (l == nu)
        found = ck_kid(T, f, 0);
    }
  }
  return found;
}

uint32_t pv_clause_instances(pv *p, pv_ctx cx, pv_thm h, ck_id t, pv_thm *out, uint32_t max) {
  if (h == PV_NONE)
    return 0;
  ck_id c = pv_says(p, h);
  ck_id g = ck_kid(p->terms, c, ck_nkids(p->terms, c) - 1);
  uint32_t m = ck_index(p->terms, c);
  uint32_t n = 0;
  ck_id opt[MAX_VARS][MAX_BIND + 1];
  uint32_t no[MAX_VARS] = {0};
  uint32_t pick[MAX_VARS] = {0};
  if (m > MAX_VARS)
    return 0;
  for (uint32_t i = 0; i < m; i++) {
    collect_args(p, g, i, t, opt[i], &no[i]);
    if (!no[i]) {
      opt[i][no[i]++] = usual(p, cx, c, i, NULL, 0);
      if (opt[i][0] != p->zero)
        opt[i][no[i]++] = p->zero;
    }
  }
  for (int tries = 0; tries < MAX_INSTANCES && n < max; tries++) {
    ck_id ts[MAX_VARS];
    for (uint32_t i = 0; i < m; i++)
      ts[i] = opt[i][pick[i]];
    pv_thm s = clause_at(p, cx, h, ts);
    uint32_t i = 0;
    if (s != PV_NONE)
      out[n++] = s;
    while (i < m && ++pick[i] == no[i])
      pick[i++] = 0;
    if (i == m)
      break;
  }
  return n;
}

/* t against the pattern pat, both under `depth` binders: bound variable j of the clause stands for
 * arg[j] (CK_BAD: not known yet) */
static bool match(pv *p, ck_id pat, ck_id t, uint32_t depth, ck_id *arg, uint32_t m) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, pat);
  if (pat == t && ck_loose_max(T, pat) <= depth)
    return true;
  if (o == CK_B) {
    if (ck_index(T, pat) < depth || ck_index(T, pat) - depth >= m || !ck_is_closed(T, t) ||
        !ck_is_int(T, t))
      return false;
    uint32_t j = ck_index(T, pat) - depth;
    if (arg[j] == CK_BAD)
      arg[j] = t;
    return arg[j] == t;
  }
  if (o != ck_head(T, t) || ck_nkids(T, pat) != ck_nkids(T, t) || !ck_nkids(T, pat))
    return false;
  if (o == CK_APP && (ck_name(T, pat) != ck_name(T, t) || ck_sig(T, pat) != ck_sig(T, t)))
    return false;
  if (o == CK_FOLD && (ck_width(T, pat) != ck_width(T, t) || ck_index(T, pat) != ck_index(T, t)))
    return false;
  for (uint32_t i = 0; i < ck_nkids(T, pat); i++) {
    if (!match(p, ck_kid(T, pat, i), ck_kid(T, t, i), depth + ck_kid_binders(T, pat, i), arg, m))
      return false;
  }
  return true;
}

/* the instance of clause h that concludes f; else in *open the first of its conditions that is not
 * known */
static pv_thm concluding(pv *p, pv_ctx cx, pv_thm h, ck_id f, ck_id *open) {
  if (h == PV_NONE)
    return PV_NONE;
  ck_id c = pv_says(p, h);
  ck_id arg[MAX_VARS];
  uint32_t m = ck_index(p->terms, c);
  uint32_t r = ck_nkids(p->terms, c) - 1;
  if (m > MAX_VARS)
    return PV_NONE;
  for (uint32_t i = 0; i < m; i++)
    arg[i] = CK_BAD;
  if (!match(p, ck_kid(p->terms, c, r), f, 0, arg, m))
    return PV_NONE;
  for (uint32_t i = 0; i < m; i++) {
    if (arg[i] == CK_BAD)
      arg[i] = usual(p, cx, c, i, arg, m);
  }
  for (uint32_t i = 0; i < r; i++) {
    ck_id k = ck_kid(p->terms, c, i);
    if (m)
      k = ck_open(p->terms, k, arg, m);
    if (pv_follows(p, cx, k) != PV_NONE)
      continue;
    if (pv_follows(p, cx, ck_neg(p->terms, k)) == PV_NONE && *open == CK_BAD)
      *open = k;
    return PV_NONE;
  }
  return clause_at(p, cx, h, arg);
}

static pv_thm search(pv *p, pv_ctx cx, ck_id f, ck_id *open) {
  for (pv_ctx c = cx; c != 0; c = CX(p, c).parent) {
    if (ck_head(p->terms, CX(p, c).formula) != CK_ALL)
      continue;
    pv_thm s = concluding(p, cx, CX(p, c).thm, f, open);
    if (s != PV_NONE)
      return s;
  }
  return PV_NONE;
}

pv_thm pv_by_clause(pv *p, pv_ctx cx, ck_id f) {
  ck_id open = CK_BAD;
  return search(p, cx, f, &open);
}

ck_id pv_clause_cond(pv *p, pv_ctx cx, ck_id f) {
  ck_id open = CK_BAD;
  return search(p, cx, f, &open) == PV_NONE ? open : CK_BAD;
}

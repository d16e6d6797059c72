/* Normal form of a term with its proof: a polynomial over atoms (inputs at canonical indices,
 * primitive inverses, exponentials of one monomial, roots, connected sums of products, folds),
 * y*inv(y) cancelled where y # 0 is known, products of sizes folded by the stated relations. */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_NORM_DEPTH = 250 };

/* --- polynomials: atoms first, then the products */
static pv_eqn norm_mixed(pv *prover, pv_ctx ctx, ck_id term) {
  pv_poly poly;
  pv_poly other;
  pv_comb comb;
  bool bad = false;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_comb_init(&comb);
  pv_poly_read(prover, &poly, term);
  for (uint32_t i = 0; i < poly.count && !bad; i++) {
    const pv_mono *mono = &poly.monos[i];
    ck_id done = mono->coef; /* product of what is replaced already */
    pv_poly product;
    pv_poly factor;
    pv_poly_init(&product);
    pv_poly_init(&factor);
    pv_poly_add_mono(prover, &product, mono->coef, NULL, 0);
    for (uint32_t j = 0; j < mono->degree && !bad; j++) {
      pv_eqn eqn = pv_norm(prover, ctx, mono->atoms[j]);
      if (eqn.by == PV_NONE) {
        bad = true;
        break;
      }
      if (eqn.by != PV_REFL) {
        ck_id rest = pv_mono_term(prover, prover->one, mono->atoms + j + 1, mono->degree - j - 1);
        pv_comb_add(&comb, pv_mul(prover, done, rest), eqn.by);
      }
      done = pv_mul(prover, done, eqn.to);
      pv_poly_read(prover, &factor, eqn.to);
      pv_poly next;
      pv_poly_init(&next);
      if ((uint64_t)factor.count * product.count > 4000)
        bad = true;
      for (uint32_t k = 0; k < factor.count && !bad; k++) {
        pv_poly shifted;
        pv_poly_init(&shifted);
        pv_poly_mul_mono(prover, &shifted, &product, factor.monos[k].coef, factor.monos[k].atoms,
                         factor.monos[k].degree);
        pv_poly_add(prover, &next, &shifted, prover->one);
        pv_poly_clear(&shifted);
      }
      pv_poly_clear(&product);
      product = next;
    }
    pv_poly_add(prover, &other, &product, prover->one);
    pv_poly_clear(&product);
    pv_poly_clear(&factor);
  }
  pv_poly_clear(&poly);
  if (bad) {
    pv_poly_clear(&other);
    pv_comb_clear(&comb);
    return pv_fail();
  }
  return pv_norm_finish(prover, ctx, term, &other, &comb);
}

/* --- atoms */
/* every kid that stands under no binder replaced by its normal form */
static pv_eqn norm_kids(pv *prover, pv_ctx ctx, ck_id term) {
  uint32_t n = ck_nkids(prover->terms, term);
  uint32_t n_premises = 0;
  ck_id *kids = as_malloc((n + 1) * sizeof *kids);
  pv_thm *premises = as_malloc((n + 1) * sizeof *premises);
  pv_eqn result = pv_same(term);
  for (uint32_t i = 0; i < n; i++) {
    kids[i] = ck_kid(prover->terms, term, i);
    if (ck_kid_binders(prover->terms, term, i))
      continue;
    pv_eqn eqn = pv_norm(prover, ctx, kids[i]);
    if (eqn.by == PV_NONE) {
      result = pv_fail();
      break;
    }
    kids[i] = eqn.to;
    if (eqn.by != PV_REFL)
      premises[n_premises++] = eqn.by;
  }
  if (result.by != PV_NONE && n_premises) {
    result.to = ck_rebuild(prover->terms, term, kids);
    result.by = pv_cong(prover, term, result.to, premises, n_premises);
    if (result.to == CK_BAD || result.by == PV_NONE)
      result = pv_fail();
  }
  free(kids);
  free(premises);
  return result;
}

static pv_eqn norm_atom(pv *prover, pv_ctx ctx, ck_id term) {
  ck_op head = ck_head(prover->terms, term);
  pv_eqn eqn;
  pv_eqn result;
  if (head == CK_ITE)
    return pv_norm_ite(prover, ctx, term);
  eqn = pv_unnested(prover, ctx, term);
  if (eqn.by != PV_REFL)
    return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  eqn = head == CK_V ? pv_same(term) : norm_kids(prover, ctx, term);
  if (eqn.by == PV_NONE)
    return eqn;
  switch (head) {
  case CK_INV:
    result = pv_norm_inv(prover, ctx, eqn.to);
    break;
  case CK_EXP:
    result = pv_norm_exp(prover, ctx, eqn.to);
    break;
  case CK_LOG:
    result = pv_norm_log(prover, ctx, eqn.to);
    break;
  case CK_SQRT:
    result = pv_norm_sqrt(prover, ctx, eqn.to);
    break;
  case CK_DIV:
  case CK_MOD:
    result = pv_norm_div(prover, ctx, eqn.to);
    break;
  case CK_FOLD:
    result = pv_norm_fold(prover, ctx, eqn.to);
    break;
  case CK_APP:
    result = prover->reads ? pv_read_before(prover, ctx, eqn.to) : pv_same(eqn.to);
    if (result.by == PV_REFL)
      result = pv_norm_call(prover, ctx, eqn.to);
    break;
  default:
    result = pv_same(eqn.to);
    break;
  }
  eqn = pv_then(prover, eqn, result);
  return eqn;
}

/* what is found while a hypothesis is brought to normal form is found with less (side.c), and while
 * readings of a loop's tensor are known with more (reads.c): both are remembered apart */
static uint64_t memo_key(pv *prover, pv_ctx ctx, ck_id term) {
  return pv_ctx_strip(prover, ctx, term) | (prover->fact_busy.n ? (uint64_t)1 << 32 : 0) |
         pv_reads_number(prover) << 33;
}

void pv_mark_normal(pv *prover, pv_ctx ctx, ck_id term) {
  if (!prover->cut)
    as_map_put(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)),
               ((uint64_t)term << 32) | PV_REFL);
}

pv_eqn pv_norm(pv *prover, pv_ctx ctx, ck_id term) {
  uint64_t known;
  pv_eqn eqn;
  if (term == CK_BAD || pv_spent(prover))
    return pv_fail();
  if (pv_is_const(prover, term))
    return pv_same(term);
  if (pv_too_big(prover, term))
    return pv_fail();
  ctx = pv_ctx_strip(prover, ctx, term);
  if (as_map_get(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)), &known)) {
    eqn.to = (ck_id)(known >> 32);
    eqn.by = (uint32_t)known;
    return eqn;
  }
  if (prover->depth >= MAX_NORM_DEPTH) {
    prover->cut = prover->too_deep = true;
    return pv_same(term);
  }
  bool cut = prover->cut;
  ck_op head = ck_head(prover->terms, term);
  prover->cut = false;
  prover->depth++;
  prover->work += 300;
  if (head == CK_ADD || head == CK_MUL) {
    eqn = norm_mixed(prover, ctx, term);
  } else {
    eqn = norm_atom(prover, ctx, term);
    if (eqn.by != PV_NONE)
      eqn = pv_then(
          prover, eqn,
          pv_norm_poly(prover, ctx, eqn.to)); /* a size alone may be a left side of a relation */
  }
  prover->depth--;
  if (eqn.by != PV_NONE && eqn.to == term)
    eqn.by = PV_REFL;
  if (eqn.by != PV_NONE && !prover->cut) {
    as_map_put(&prover->norm_memo, AS_KEY(term, memo_key(prover, ctx, term)),
               ((uint64_t)eqn.to << 32) | eqn.by);
    if (eqn.to != term)
      pv_mark_normal(prover, ctx, eqn.to);
  }
  prover->cut = cut || prover->cut;
  return eqn.by == PV_NONE ? pv_fail() : eqn;
}

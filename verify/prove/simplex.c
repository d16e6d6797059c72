/* Linear programmes over the rationals, phase one only, exactly and by a fixed pivot rule, so that
 * it ends and gives the same answer everywhere.
 *
 * Which column enters depends on signs of the costs, and which row leaves on quotients within one
 * column: neither changes when a column of the programme, or a row of the tableau later on, is
 * multiplied by a positive number.  So the tableau is of machine integers, a row being known up to
 * such a factor; a programme whose integers do not fit is solved over rationals, by the same
 * pivots. */
#include "pv_lp.h"
#include "src/base/mem.h"
#include <flint/fmpq_mat.h>
#include <stdlib.h>
#include <string.h>

typedef enum { LP_SOLVED, LP_NONE, LP_TOO_LARGE } lp_end;

void pv_lp_init(pv_lp *lp, uint32_t rows, uint32_t columns) {
  *lp = (pv_lp){.rows = rows, .columns = columns};
  as_vec_init(&lp->entries, sizeof(pv_lp_entry));
  lp->basis = as_malloc(rows * sizeof *lp->basis);
}

/* room for a solution, which most programmes do not have */
static void make_values(pv_lp *lp) {
  lp->value = as_malloc(lp->rows * sizeof *lp->value);
  for (uint32_t i = 0; i < lp->rows; i++)
    mpq_init(lp->value[i]);
}

void pv_lp_clear(pv_lp *lp) {
  for (uint32_t i = 0; lp->value && i < lp->rows; i++)
    mpq_clear(lp->value[i]);
  free(lp->value);
  free(lp->basis);
  as_vec_clear(&lp->entries);
}

void pv_lp_set(pv_lp *lp, uint32_t row, uint32_t column, const mpq_t *number, int sign) {
  as_vec_push(&lp->entries, &(pv_lp_entry){row, column, number, sign});
}

/* --- in machine integers */
typedef struct {
  uint32_t rows;
  uint32_t width;  /* columns of the programme, and its right side */
  int64_t *cell;   /* rows of the programme, then the reduced costs */
  int64_t *scale;  /* what each column was multiplied by */
  uint32_t *inner; /* where the row that leaves is not 0 */
} tableau;

static int64_t *row_of(const tableau *t, uint32_t row) {
  return t->cell + (size_t)row * t->width;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* the columns without denominators; the right side stays as it is.  false: too large */
static bool fill(tableau *t, const pv_lp *lp) {
  for (uint32_t j = 0; j < t->width; j++)
    t->scale[j] = 1;
  for (size_t k = 0; k < lp->entries.n; k++) {
    const pv_lp_entry *entry = &AS_VEC_AT(&lp->entries, pv_lp_entry, k);
    mpz_srcptr denominator = mpq_denref(*entry->number);
    int64_t *scale = &t->scale[entry->column];
    if (mpz_cmp_ui(denominator, 1) == 0)
      continue;
    if (entry->column == lp->columns || !mpz_fits_slong_p(denominator))
      return false;
    int64_t below = mpz_get_si(denominator);
    if (__builtin_mul_overflow(*scale, below / gcd(*scale, below), scale))
      return false;
  }
  for (size_t k = 0; k < lp->entries.n; k++) {
    const pv_lp_entry *entry = &AS_VEC_AT(&lp->entries, pv_lp_entry, k);
    mpz_srcptr numerator = mpq_numref(*entry->number);
    int64_t times = t->scale[entry->column];
    int64_t *cell = &row_of(t, entry->row)[entry->column];
    if (mpz_cmp_ui(mpq_denref(*entry->number), 1) != 0)
      times /= mpz_get_si(mpq_denref(*entry->number));
    if (!mpz_fits_slong_p(numerator) ||
        __builtin_mul_overflow(mpz_get_si(numerator), entry->sign * times, cell))
      return false;
  }
  return true;
}

/* Divides a row by what all of it is a multiple of, once its numbers are no longer small; false:
 * they are too large to go on with. */
static bool reduce_row(int64_t *row, uint32_t width) {
  enum { SMALL_BITS = 24, MOST_BITS = 62 };

  uint64_t bits = 0;
  for (uint32_t j = 0; j < width; j++)
    bits |= row[j] < 0 ? -(uint64_t)row[j] : (uint64_t)row[j];
  if (bits >> SMALL_BITS == 0)
    return true;
  if (bits >> MOST_BITS != 0)
    return false;
  int64_t common = 0;
  for (uint32_t j = 0; j < width && common != 1; j++) {
    if (row[j] != 0)
      common = gcd(common, row[j]);
  }
  for (uint32_t j = 0; j < width && common > 1; j++)
    row[j] /= common;
  return true;
}

/* Artificial variables are basic; the costs are the sum of the rows.  false: too large. */
static bool start(tableau *t, uint32_t *basis) {
  int64_t *costs = row_of(t, t->rows);
  uint32_t columns = t->width - 1;
  for (uint32_t i = 0; i < t->rows; i++) {
    int64_t *row = row_of(t, i);
    bool turn = row[columns] < 0;
    basis[i] = columns + i;
    for (uint32_t j = 0; j < t->width; j++) {
      if (row[j] == 0)
        continue;
      if (turn && __builtin_sub_overflow((int64_t)0, row[j], &row[j]))
        return false;
      if (__builtin_add_overflow(costs[j], row[j], &costs[j]))
        return false;
    }
    if (!reduce_row(row, t->width))
      return false;
  }
  return reduce_row(costs, t->width);
}

/* the row with the least quotient of right side and entering column; of equal ones that whose basic
 * variable comes first; AS_NONE: none bounds the column */
static uint32_t leaving_row(const tableau *t, const uint32_t *basis, uint32_t entering) {
  uint32_t columns = t->width - 1;
  uint32_t out = AS_NONE;
  for (uint32_t i = 0; i < t->rows; i++) {
    const int64_t *row = row_of(t, i);
    if (row[entering] <= 0)
      continue;
    if (out == AS_NONE) {
      out = i;
      continue;
    }
    const int64_t *best = row_of(t, out);
    __int128 left = (__int128)row[columns] * best[entering];
    __int128 right = (__int128)best[columns] * row[entering];
    if (left < right || (left == right && basis[i] < basis[out]))
      out = i;
  }
  return out;
}

/* row = pivot*row - factor*out, which clears the entering column of it; false: too large */
static bool eliminate(const tableau *t, int64_t *row, const int64_t *out, uint32_t inner,
                      uint32_t entering) {
  int64_t common = gcd(out[entering], row[entering]);
  int64_t pivot = out[entering] / common;
  int64_t factor = row[entering] / common;
  int64_t product;
  for (uint32_t j = 0; j < t->width && pivot != 1; j++) {
    if (__builtin_mul_overflow(row[j], pivot, &row[j]))
      return false;
  }
  for (uint32_t k = 0; k < inner; k++) {
    int64_t *cell = &row[t->inner[k]];
    if (__builtin_mul_overflow(factor, out[t->inner[k]], &product) ||
        __builtin_sub_overflow(*cell, product, cell))
      return false;
  }
  return reduce_row(row, t->width);
}

static lp_end pivots(pv *prover, tableau *t, uint32_t *basis) {
  uint32_t columns = t->width - 1;
  const int64_t *costs = row_of(t, t->rows);
  for (int round = 0; costs[columns] != 0; round++) {
    uint32_t entering = 0;
    while (entering < columns && costs[entering] <= 0)
      entering++;
    if (round == MAX_PIVOTS || entering == columns)
      return LP_NONE;
    uint32_t out = leaving_row(t, basis, entering);
    if (out == AS_NONE)
      return LP_NONE;
    uint32_t inner = 0;
    for (uint32_t j = 0; j < t->width; j++) {
      if (row_of(t, out)[j] != 0)
        t->inner[inner++] = j;
    }
    for (uint32_t i = 0; i <= t->rows; i++) {
      if (i == out || row_of(t, i)[entering] == 0)
        continue;
      prover->work += columns;
      if (!eliminate(t, row_of(t, i), row_of(t, out), inner, entering))
        return LP_TOO_LARGE;
    }
    basis[out] = entering;
  }
  return LP_SOLVED;
}

/* x = (right side / the variable's own entry) * what its column was multiplied by */
static void read_values(const tableau *t, pv_lp *lp) {
  mpq_t scale;
  mpq_init(scale);
  make_values(lp);
  for (uint32_t i = 0; i < t->rows; i++) {
    if (lp->basis[i] >= lp->columns)
      continue;
    mpz_set_si(mpq_numref(lp->value[i]), row_of(t, i)[lp->columns]);
    mpz_set_si(mpq_denref(lp->value[i]), row_of(t, i)[lp->basis[i]]);
    mpq_canonicalize(lp->value[i]);
    mpq_set_si(scale, t->scale[lp->basis[i]], 1);
    mpq_mul(lp->value[i], lp->value[i], scale);
  }
  mpq_clear(scale);
}

static lp_end solve_in_integers(pv *prover, pv_lp *lp) {
  uint32_t width = lp->columns + 1;
  size_t cells = (size_t)(lp->rows + 1) * width;
  tableau t = {.rows = lp->rows, .width = width, .cell = as_calloc(cells, sizeof *t.cell)};
  t.scale = as_malloc(width * sizeof *t.scale);
  t.inner = as_malloc(width * sizeof *t.inner);
  lp_end end = fill(&t, lp) && start(&t, lp->basis) ? pivots(prover, &t, lp->basis) : LP_TOO_LARGE;
  if (end == LP_SOLVED)
    read_values(&t, lp);
  free(t.cell);
  free(t.scale);
  free(t.inner);
  return end;
}

/* --- over rationals */
/* the entering column of row i, or of the costs behind the last row, is cleared */
static void eliminate_rational(fmpq_mat_t cells, uint32_t row, uint32_t out, uint32_t entering) {
  slong width = fmpq_mat_ncols(cells);
  fmpq_t factor;
  fmpq_init(factor);
  fmpq_set(factor, fmpq_mat_entry(cells, row, entering));
  for (slong j = 0; j < width; j++) {
    if (!fmpq_is_zero(fmpq_mat_entry(cells, out, j)))
      fmpq_submul(fmpq_mat_entry(cells, row, j), factor, fmpq_mat_entry(cells, out, j));
  }
  fmpq_clear(factor);
}

static void start_rational(fmpq_mat_t cells, const pv_lp *lp) {
  for (size_t k = 0; k < lp->entries.n; k++) {
    const pv_lp_entry *entry = &AS_VEC_AT(&lp->entries, pv_lp_entry, k);
    fmpq *cell = fmpq_mat_entry(cells, entry->row, entry->column);
    fmpq_set_mpq(cell, *entry->number);
    if (entry->sign < 0)
      fmpq_neg(cell, cell);
  }
  for (uint32_t i = 0; i < lp->rows; i++) {
    bool turn = fmpq_sgn(fmpq_mat_entry(cells, i, lp->columns)) < 0;
    lp->basis[i] = lp->columns + i;
    for (uint32_t j = 0; j <= lp->columns; j++) {
      fmpq *cell = fmpq_mat_entry(cells, i, j);
      if (turn)
        fmpq_neg(cell, cell);
      fmpq_add(fmpq_mat_entry(cells, lp->rows, j), fmpq_mat_entry(cells, lp->rows, j), cell);
    }
  }
}

static uint32_t leaving_row_rational(fmpq_mat_t cells, const pv_lp *lp, uint32_t entering) {
  uint32_t out = AS_NONE;
  fmpq_t ratio;
  fmpq_t best;
  fmpq_init(ratio);
  fmpq_init(best);
  for (uint32_t i = 0; i < lp->rows; i++) {
    if (fmpq_sgn(fmpq_mat_entry(cells, i, entering)) <= 0)
      continue;
    fmpq_div(ratio, fmpq_mat_entry(cells, i, lp->columns), fmpq_mat_entry(cells, i, entering));
    int order = out == AS_NONE ? -1 : fmpq_cmp(ratio, best);
    if (order < 0 || (order == 0 && lp->basis[i] < lp->basis[out])) {
      out = i;
      fmpq_set(best, ratio);
    }
  }
  fmpq_clear(ratio);
  fmpq_clear(best);
  return out;
}

static bool pivots_rational(pv *prover, fmpq_mat_t cells, pv_lp *lp) {
  fmpq_t inverse;
  fmpq_init(inverse);
  bool ok = true;
  for (int round = 0; ok && !fmpq_is_zero(fmpq_mat_entry(cells, lp->rows, lp->columns)); round++) {
    uint32_t entering = 0;
    while (entering < lp->columns && fmpq_sgn(fmpq_mat_entry(cells, lp->rows, entering)) <= 0)
      entering++;
    ok = round < MAX_PIVOTS && entering < lp->columns;
    uint32_t out = ok ? leaving_row_rational(cells, lp, entering) : AS_NONE;
    ok = out != AS_NONE;
    if (!ok)
      break;
    fmpq_inv(inverse, fmpq_mat_entry(cells, out, entering));
    for (uint32_t j = 0; j <= lp->columns; j++)
      fmpq_mul(fmpq_mat_entry(cells, out, j), fmpq_mat_entry(cells, out, j), inverse);
    for (uint32_t i = 0; i <= lp->rows; i++) {
      if (i == out || fmpq_is_zero(fmpq_mat_entry(cells, i, entering)))
        continue;
      prover->work += lp->columns;
      eliminate_rational(cells, i, out, entering);
    }
    lp->basis[out] = entering;
  }
  fmpq_clear(inverse);
  return ok;
}

static bool solve_over_rationals(pv *prover, pv_lp *lp) {
  fmpq_mat_t cells; /* rows of the programme, then the reduced costs */
  fmpq_mat_init(cells, lp->rows + 1, lp->columns + 1);
  start_rational(cells, lp);
  bool ok = pivots_rational(prover, cells, lp);
  if (ok)
    make_values(lp);
  for (uint32_t i = 0; ok && i < lp->rows; i++)
    fmpq_get_mpq(lp->value[i], fmpq_mat_entry(cells, i, lp->columns));
  fmpq_mat_clear(cells);
  return ok;
}

bool pv_lp_solve(pv *prover, pv_lp *lp) {
  uint64_t work = prover->work;
  lp_end end = solve_in_integers(prover, lp);
  if (end != LP_TOO_LARGE)
    return end == LP_SOLVED;
  prover->work = work; /* the same pivots count once */
  return solve_over_rationals(prover, lp);
}

/* Which columns are read from patches, and how large these are. */
#include "tf32_patch.h"
#include "range.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* begins of blocks that are looked at, taps with a bit each of where there is an element */
enum { MOST_STARTS = 1 << 20, MOST_BITS = 64, QUAD = 4 };

/* The column axes from `lead` on: how far apart elements of each are in memory. */
typedef struct {
  int n;
  int axis[LO_SIMT_AXES];
  long dim[LO_SIMT_AXES];
  long step[LO_SIMT_AXES];
  long columns;
  long back; /* a column with a greater number lies at most so far in front of another */
} axes;

/* Of two columns that differ in an axis first the second one lies a step of that further on, less
 * what the faster axes may go back.  false: an axis goes back itself. */
static bool read_axes(const lo_tf32 *of, int lead, axes *out) {
  const lo_simt_side *side = &of->plan.side[1];
  long below = 0;
  *out = (axes){.columns = 1};
  for (int i = side->n_axis; i-- > lead;) {
    long step;
    long dim = of->plan.dim[side->axis[i]];
    if (!lo_tf32_affine(of->side[1].fixed, side->axis[i], &step) || (dim > 1 && step <= 0))
      return false;
    long back = dim > 1 && below > step ? below - step : 0;
    out->back = back > out->back ? back : out->back;
    below += step * (dim - 1);
    out->columns *= dim;
  }
  for (int i = lead; i < side->n_axis; i++) {
    int at = out->n++;
    out->axis[at] = side->axis[i];
    out->dim[at] = of->plan.dim[side->axis[i]];
    lo_tf32_affine(of->side[1].fixed, side->axis[i], &out->step[at]);
  }
  return true;
}

static long place_of(const axes *of, long column) {
  long place = 0;
  for (int i = of->n; i-- > 0;) {
    place += column % of->dim[i] * of->step[i];
    column /= of->dim[i];
  }
  return place;
}

/* from the first place of a block's columns to the last, at most; -1: there are too many blocks */
static long span_of(const axes *of, long tile) {
  long most = 0;
  if (of->columns / tile > MOST_STARTS)
    return -1;
  for (long first = 0; first < of->columns; first += tile) {
    long last = first + tile < of->columns ? first + tile - 1 : of->columns - 1;
    long span = place_of(of, last) - place_of(of, first);
    most = span > most ? span : most;
  }
  return most + 2 * of->back;
}

/* where the classes read, from the first one's place on; false: it is not known beforehand */
static bool read_shifts(lo_job *job, const lo_tf32 *of, long *shift) {
  int class = of->plan.n_axis + 1;
  lx *by[LO_SIMT_AXES + 2] = {0};
  for (long i = 0; i < of->classes; i++) {
    by[class] = lx_int(job, i);
    const lx *place = lx_subst(job, of->side[1].moving, by, class + 1);
    if (place->op != LX_INT)
      return false;
    shift[i] = place->number - (i ? shift[0] : 0);
  }
  shift[0] = 0;
  return true;
}

/* Do all runs of so many classes read at the same places but for where the run begins? */
static bool runs_alike(const long *shift, long classes, long taps) {
  for (long i = 0; i < classes; i++) {
    if (shift[i] - shift[i / taps * taps] != shift[i % taps])
      return false;
  }
  return true;
}

/* Eight places that follow each other of four inner numbers are in different banks. */
static long pitch_of(long elements) {
  long pitch = (elements + QUAD - 1) / QUAD * QUAD;
  while (pitch % 32 != 8 && pitch % 32 != 24)
    pitch += QUAD;
  return pitch;
}

static bool by_vectors(const lo_job *job, const lo_tf32 *of) {
  const lo_value *tensor = &job->value[of->side[1].val];
  return of->side[1].step % QUAD == 0 && lo_elems(tensor) % QUAD == 0;
}

/* Are all places of patches, with what surrounds them, within 32 bits? */
static bool fits(const lo_job *job, const lo_tf32 *of) {
  long far = lo_elems(&job->value[of->side[1].val]);
  return far < INT_MAX / 2 && of->side[1].step < INT_MAX / 256;
}

static void try_taps(lo_job *job, const lo_tf32 *of, const axes *columns, as_contraction product,
                     const long *shift, long taps, lo_tf32 *best) {
  long low = 0;
  long high = 0;
  for (long i = 0; i < taps; i++) {
    low = shift[i] < low ? shift[i] : low;
    high = shift[i] > high ? shift[i] : high;
  }
  product.taps = (uint32_t)taps;
  product.terms = (double)of->inner;
  product.depth = (double)(of->inner * of->classes);
  product.columns = (double)columns->columns;
  product.batches *= (double)of->plan.side[1].extent / (double)columns->columns;
  product.by_vectors = by_vectors(job, of);
  product.most_depth = 0;
  for (int i = 0; i < AS_PATCH_COLUMNS; i++) {
    long span = span_of(columns, 64L << i);
    long pitch = pitch_of(span + 1 + high - low + (product.by_vectors ? QUAD - 1 : 0));
    bool small = span >= 0 && pitch <= (64L << i) * taps;
    product.patch[i] = small ? pitch : 0;
  }
  as_target_tf32 tile = as_target_tf32_tile(job->options->target, &product);
  if (tile.us >= best->tile.us)
    return;
  *best = *of;
  best->tile = tile;
  best->patch_low = low - columns->back;
  best->by_vectors = product.by_vectors;
  memcpy(best->tap, shift, (size_t)taps * sizeof *shift);
}

/* the first column axes are batches from here on */
static void lead_as_batches(lo_simt *plan, int lead) {
  lo_simt_side *side = &plan->side[1];
  for (int i = 0; i < lead; i++) {
    long dim = plan->dim[side->axis[i]];
    plan->batch[plan->n_batch++] = side->axis[i];
    plan->batches *= dim;
    side->extent /= dim;
  }
  side->n_axis -= lead;
  memmove(side->axis, side->axis + lead, (size_t)side->n_axis * sizeof *side->axis);
}

/* the guard without what holds for all columns that there are */
static lx *needed_guard(lo_job *job, const lo_tf32 *of, lx *guard) {
  long extent[LO_SIMT_AXES + 2];
  lo_range left;
  lo_range right;
  int n = of->plan.n_axis + 2;
  if (guard == NULL)
    return NULL;
  if (guard->op == LX_AND) {
    lx *first = needed_guard(job, of, guard->kid[0]);
    lx *second = needed_guard(job, of, guard->kid[1]);
    if (first == NULL || second == NULL)
      return first ? first : second;
    return lx_mk(job, LX_AND, 2, (lx *[]){first, second});
  }
  lo_tf32_extents(of, extent);
  if ((guard->op != LX_LT && guard->op != LX_LE) || !lo_range_of(guard->kid[0], extent, n, &left) ||
      !lo_range_of(guard->kid[1], extent, n, &right))
    return guard;
  bool holds = guard->op == LX_LT ? left.high < right.low : left.high <= right.low;
  return holds ? NULL : guard;
}

static bool may_have_patches(const lo_job *job, const lo_tf32 *of) {
  return (job->options->target->has & AS_HAS_WGMMA) && of->side[0].packed && !of->side[1].packed &&
         of->side[1].fetch == AS_FETCH_COMPUTED && of->phases == 1 && of->classes > 1 &&
         of->classes <= LO_TF32_TAPS && of->side[1].step > 0 && fits(job, of);
}

void lo_tf32_patch(lo_job *job, lo_tf32 *of, const as_contraction *product) {
  long shift[LO_TF32_TAPS];
  axes columns;
  lo_tf32 best = *of;
  int leads = 0;
  if (!may_have_patches(job, of) || !read_shifts(job, of, shift))
    return;
  lx *guard = needed_guard(job, of, of->side[1].guard);
  if (guard && of->classes > MOST_BITS)
    return;
  for (int lead = 0; lead < of->plan.side[1].n_axis; lead++) {
    if (of->plan.n_batch + lead > LO_SIMT_AXES || !read_axes(of, lead, &columns))
      continue;
    for (long taps = 2; taps <= of->classes; taps++) {
      double before = best.tile.us;
      if (of->classes % taps == 0 && runs_alike(shift, of->classes, taps))
        try_taps(job, of, &columns, *product, shift, taps, &best);
      leads = best.tile.us < before ? lead : leads;
    }
  }
  if (best.tile.patch == 0)
    return;
  *of = best;
  of->group = of->tile.depth;
  of->skips = false;
  of->side[1].guard = guard;
  lead_as_batches(&of->plan, leads);
}

long lo_tf32_tap_place(const lo_tf32 *of, long tap) {
  return of->tap[tap] - of->patch_low;
}

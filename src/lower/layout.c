/* Order of elements of each shared tensor: plain, rows padded by 16 bytes, or 16-byte chunks
 * swizzled.  Each choice costs the bank conflicts of the access patterns that the statements make,
 * counted exactly on 32 banks; an integer program takes the cheapest combination that fits. */
#include "fault.h"
#include "job.h"
#include <glpk.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n;
  int width;
  long row[32];
  long col[32];
  double weight;
} access_pattern;

typedef struct {
  lo_smem *shared;
  const char *name;
  bool chunks /* must keep 16-byte chunks together and aligned */;
  access_pattern access[8];
  int n_access;
  lo_smem choice[3];
  double cost[3];
  int n_choice;
} smem_tensor;

typedef struct {
  smem_tensor *item;
  int n;
} smem_tensors;

static long round_up(long count, long multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

static smem_tensor *add(smem_tensors *tensors, lo_smem *shared, const lo_value *value, int elem,
                        as_dtype type) {
  tensors->item = as_realloc(tensors->item, (size_t)(tensors->n + 1) * sizeof *tensors->item);
  smem_tensor *tensor = &tensors->item[tensors->n++];
  memset(tensor, 0, sizeof *tensor);
  shared->used = true;
  shared->elem = elem;
  shared->type = type;
  shared->slabs = shared->slabs ? shared->slabs : 1;
  shared->stages = shared->stages ? shared->stages : 1;
  shared->rows = 1;
  for (int i = 0; i + 1 < value->rank; i++)
    shared->rows *= value->dim[i];
  shared->row_stride = value->rank ? value->dim[value->rank - 1] : 1;
  tensor->shared = shared;
  tensor->name = value->name;
  return tensor;
}

/* transactions that one access of a warp needs beyond the least: accesses of 16 bytes go by 8
 * lanes, of 8 by 16, of 4 and less by 32 */
static double conflicts(const lo_smem *shared, const access_pattern *access) {
  int per = access->width >= 16 ? 8 : access->width >= 8 ? 16 : 32;
  int extra = 0;
  for (int first_lane = 0; first_lane < access->n; first_lane += per) {
    long words_in[32][32];
    int held[32] = {0};
    int worst = 1;
    for (int i = first_lane; i < first_lane + per && i < access->n; i++) {
      long row = access->row[i] % (shared->rows ? shared->rows : 1);
      long col = access->col[i];
      long chunk = 16 / shared->elem;
      if (shared->order == LL_SWIZZLE)
        col = ((col / chunk) ^ ((row >> shared->swizzle_shift) & shared->swizzle_mask)) * chunk +
              col % chunk;
      long first_word = (row * shared->row_stride + col) * shared->elem / 4;
      long words = access->width >= 4 ? access->width / 4 : 1;
      for (long word_at = first_word; word_at < first_word + words; word_at++) {
        int bank = (int)(word_at & 31);
        int seen = 0;
        while (seen < held[bank] && words_in[bank][seen] != word_at)
          seen++;
        if (seen == held[bank])
          words_in[bank][held[bank]++] = word_at;
        if (held[bank] > worst)
          worst = held[bank];
      }
    }
    extra += worst - 1;
  }
  return extra;
}

static void candidates(smem_tensor *tensor) {
  lo_smem base = *tensor->shared;
  long chunk = 16 / base.elem;
  long cols = base.row_stride;
  if (tensor->chunks)
    base.row_stride = round_up(base.row_stride, chunk);
  base.order = LL_PLAIN;
  tensor->choice[tensor->n_choice++] = base;
  if (base.rows < 2)
    goto done;
  lo_smem pad = base;
  pad.order = LL_PAD;
  pad.row_stride = round_up(cols, chunk) + chunk;
  tensor->choice[tensor->n_choice++] = pad;
  long per_row = cols / chunk;
  if (cols % chunk == 0 && (per_row % 8 == 0 || per_row == 4 || per_row == 2)) {
    lo_smem swizzled = base;
    swizzled.order = LL_SWIZZLE;
    swizzled.swizzle_mask = per_row % 8 == 0 ? 7 : (int)per_row - 1;
    swizzled.swizzle_shift = per_row % 8 == 0 ? 0 : per_row == 4 ? 1 : 2;
    tensor->choice[tensor->n_choice++] = swizzled;
  }
done:
  for (int i = 0; i < tensor->n_choice; i++) {
    lo_smem *layout = &tensor->choice[i];
    layout->bytes = round_up(layout->rows * layout->row_stride * layout->elem, 128);
    if (LO_FAULT(LO_FAULT_LAYOUT))
      layout->bytes = round_up(layout->bytes / 2, 128);
    tensor->cost[i] =
        1e-4 * (double)layout->bytes / 1024 +
        (layout->order == LL_SWIZZLE ? 1e-3 : 0); /* address arithmetic of a swizzle */
    for (int j = 0; j < tensor->n_access; j++)
      tensor->cost[i] += tensor->access[j].weight * conflicts(layout, &tensor->access[j]);
  }
}

static void ldsm_pattern(smem_tensor *tensor, double weight) {
  if (tensor->n_access == 8)
    return;
  access_pattern *access = &tensor->access[tensor->n_access++];
  access->n = 8;
  access->width = 16;
  access->weight = weight;
  for (int i = 0; i < 8; i++) {
    access->row[i] = i;
    access->col[i] = 0;
  }
}

/* fragments written: lane 4g+t has rows g, columns 2t and 2t+1 of a tile; transposed when the
 * tile's rows are the last axis */
static void fragment_pattern(smem_tensor *tensor, bool swap) {
  if (tensor->n_access == 8)
    return;
  access_pattern *access = &tensor->access[tensor->n_access++];
  access->n = 32;
  access->width = swap ? 4 : 8;
  access->weight = 1;
  for (int i = 0; i < 32; i++) {
    access->row[i] = swap ? 2 * (i & 3) : i >> 2;
    access->col[i] = swap ? i >> 2 : 2 * (i & 3);
  }
}

typedef struct {
  lo_job *job;
  smem_tensors *tensors;
  const lo_value *v;
} red_walk;

static smem_tensor *find(smem_tensors *tensors, const lo_smem *shared) {
  for (int i = 0; i < tensors->n; i++) {
    if (tensors->item[i].shared == shared)
      return &tensors->item[i];
  }
  return NULL;
}

/* lanes of a reduction: consecutive lanes take consecutive k, groups of lanes consecutive results
 */
static void red_ref(void *arg, const lx *ref) {
  red_walk *walk = arg;
  lo_value *operand = &walk->job->value[ref->val];
  smem_tensor *tensor = find(walk->tensors, &operand->shared);
  if (!tensor || tensor->n_access == 8 || !operand->rank || !ref->n)
    return;
  access_pattern *access = &tensor->access[tensor->n_access++];
  access->n = 32;
  access->width = operand->shared.elem;
  access->weight = (double)walk->v->extent / walk->v->group;
  const lx *last = ref->kid[ref->n - 1];
  const lx *prev = ref->n > 1 ? ref->kid[ref->n - 2] : NULL;
  for (int i = 0; i < 32; i++) {
    long k = i % walk->v->group;
    long out = i / walk->v->group;
    access->col[i] = last->op == LX_VAR ? (last->number == walk->v->rank ? k : out) : 0;
    access->row[i] = prev && prev->op == LX_VAR ? (prev->number == walk->v->rank ? k : out) : 0;
    if (operand->dim[operand->rank - 1] > 0)
      access->col[i] %= operand->dim[operand->rank - 1];
  }
}

static void collect(lo_job *job, lo_unit *unit, smem_tensors *tensors) {
  for (uint32_t i = 0; i < unit->n; i++) {
    lo_value *value = &job->value[unit->val[i]];
    if (!value->live)
      continue;
    if (value->kind == LV_LOAD) {
      as_dtype type = job->value[value->source].dtype;
      value->shared.stages = value->phase == LO_BODY ? unit->stages : 1;
      add(tensors, &value->shared, value, type == AS_F32 ? 4 : 2, type)->chunks = true;
    } else if (value->need32 && value->kind != LV_RUN) {
      if (value->kind == LV_ACC && value->place == LP_FRAG)
        value->shared.slabs = job->value[value->of].mma.warps_depth;
      add(tensors, &value->shared, value, 4, AS_F32);
    }
    if (value->kind == LV_ACC && value->need_alpha)
      add(tensors, &value->alpha, value, 4, AS_F32);
    if (value->need16)
      add(tensors, &value->shared16, value, 2, job->type16)->chunks = true;
  }
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    lo_value *value = &job->value[unit->stmt[i].val];
    if (unit->stmt[i].kind == LS_RED) {
      red_walk walk = {job, tensors, value};
      lx_refs(value->body, red_ref, &walk);
    }
    if (unit->stmt[i].kind != LS_MMA)
      continue;
    const lo_mma *product = &value->mma;
    uint32_t operands[2] = {product->a_value, product->b_value};
    bool by_ldmatrix[2] = {product->a_by_ldmatrix, product->b_by_ldmatrix};
    for (int j = 0; j < 2; j++) {
      lo_value *operand = &job->value[operands[j]];
      smem_tensor *tensor = find(tensors, operand->need16 ? &operand->shared16 : &operand->shared);
      if (tensor && by_ldmatrix[j])
        ldsm_pattern(tensor, (double)product->depth / 16 * 4);
    }
    lo_value *target = value->place == LP_FRAG ? &job->value[value->fused_acc] : value;
    smem_tensor *tensor = find(tensors, &target->shared);
    if (tensor)
      fragment_pattern(tensor, product->swap);
  }
}

static bool solve(lo_job *job, const lo_unit *unit, smem_tensors *tensors, int *pick) {
  glp_term_out(GLP_OFF);
  glp_prob *problem = glp_create_prob();
  glp_set_obj_dir(problem, GLP_MIN);
  int cols = 0;
  int *first = as_calloc((size_t)tensors->n + 1, sizeof *first);
  for (int i = 0; i < tensors->n; i++) {
    first[i] = cols + 1;
    cols += tensors->item[i].n_choice;
  }
  int *column = as_calloc((size_t)cols + 1, sizeof *column);
  int ok = cols > 0;
  double *coefficient = as_calloc((size_t)cols + 1, sizeof *coefficient);
  if (cols) {
    glp_add_cols(problem, cols);
    glp_add_rows(problem, tensors->n + 1);
    for (int i = 0; i < tensors->n; i++) {
      for (int j = 0; j < tensors->item[i].n_choice; j++) {
        glp_set_col_kind(problem, first[i] + j, GLP_BV);
        glp_set_obj_coef(problem, first[i] + j, tensors->item[i].cost[j]);
        column[j + 1] = first[i] + j;
        coefficient[j + 1] = 1;
      }
      glp_set_row_bnds(problem, i + 1, GLP_FX, 1, 1);
      glp_set_mat_row(problem, i + 1, tensors->item[i].n_choice, column, coefficient);
    }
    long smem = job->options->target->shared_block;
    int k = 0; /* rings and what lives through the loop must fit together; the rest may share
                  (memplan.c has the last word) */
    for (int i = 0; i < tensors->n; i++) {
      for (int j = 0; j < tensors->item[i].n_choice; j++) {
        if (tensors->item[i].shared->stages > 1) {
          column[++k] = first[i] + j;
          coefficient[k] =
              (double)tensors->item[i].choice[j].bytes * tensors->item[i].shared->stages;
        }
      }
    }
    glp_set_row_bnds(problem, tensors->n + 1, GLP_UP, 0, (double)smem);
    glp_set_mat_row(problem, tensors->n + 1, k, column, coefficient);
    glp_iocp parm;
    glp_init_iocp(&parm);
    parm.presolve = GLP_ON;
    parm.msg_lev = GLP_MSG_OFF;
    ok = !glp_intopt(problem, &parm) && glp_mip_status(problem) == GLP_OPT;
    for (int i = 0; ok && i < tensors->n; i++) {
      for (int j = 0; j < tensors->item[i].n_choice; j++) {
        if (glp_mip_col_val(problem, first[i] + j) > 0.5)
          pick[i] = j;
      }
    }
  }
  free(first);
  free(column);
  free(coefficient);
  glp_delete_prob(problem);
  return ok ? true
            : as_err_set(
                  job->err, AS_NO,
                  "kernel %s: the tiles of the loop need more than the shared memory of a block",
                  unit->name);
}

bool lo_layout(lo_job *job, lo_unit *unit) {
  static const char *const name[] = {"plain", "padded", "swizzled"};
  smem_tensors tensors = {0};
  collect(job, unit, &tensors);
  for (int i = 0; i < tensors.n; i++) {
    candidates(&tensors.item[i]);
    long bytes = tensors.item[i].choice[0].bytes;
    if (bytes > job->options->target->shared_block) {
      as_err_set(job->err, AS_NO,
                 "kernel %s needs %ld bytes of shared memory for %s; a block may have %ld",
                 unit->name, bytes, tensors.item[i].name, job->options->target->shared_block);
      free(tensors.item);
      return false;
    }
  }
  int *pick = as_calloc((size_t)tensors.n + 1, sizeof *pick);
  bool ok = tensors.n == 0 || solve(job, unit, &tensors, pick);
  for (int i = 0; ok && i < tensors.n; i++) {
    smem_tensor *tensor = &tensors.item[i];
    *tensor->shared = tensor->choice[pick[i]];
    as_str_printf(&job->notes, "%s: %s: %ld x %ld of %d bytes, %s\n", unit->name, tensor->name,
                  tensor->shared->rows, tensor->shared->row_stride, tensor->shared->elem,
                  name[tensor->shared->order]);
  }
  free(pick);
  free(tensors.item);
  return ok;
}

/* What a launch does with sizes left to run time: checks them, and computes grids and extents. */
#include "../../semantics/eval.h"
#include "../ir/lex.h"
#include "live.h"
#include "simt.h"
#include "src/base/vec.h"
#include <stdlib.h>

void lo_live_declare(const lo_job *job, as_str *out) {
  if (job->n_ranged == 0)
    return;
  as_str_printf(out, "#define ASSAY_N_SIZES %u\n#define ASSAY_BAD_SIZE (-2)\n", job->n_ranged);
}

/* why the relation does not hold, where it does not, as a string of C */
static void check(const lo_job *job, const as_size_fact *fact, as_str *out) {
  static const char *const sign[] = {
      [AS_REL_EQ] = "==", [AS_REL_NE] = "!=", [AS_REL_LE] = "<=", [AS_REL_LT] = "<"};
  char *left = lo_live_text(job, fact->lhs, "sizes");
  char *right = lo_live_text(job, fact->rhs, "sizes");
  char *left_shown = as_size_print(job->graph->sizes, fact->lhs);
  char *right_shown = as_size_print(job->graph->sizes, fact->rhs);
  as_str_printf(out, "  if (!(%s %s %s)) return \"the program asks for %s %s %s\";\n", left,
                sign[fact->rel], right, left_shown, as_rel_text(fact->rel), right_shown);
  free(left);
  free(right);
  free(left_shown);
  free(right_shown);
}

static void check_facts(const lo_job *job, const as_size_fact *fact, size_t n, as_str *out) {
  for (size_t i = 0; i < n; i++) {
    bool same = fact[i].rel == AS_REL_EQ && fact[i].lhs == fact[i].rhs;
    if (!same && (lo_is_live(job, fact[i].lhs) || lo_is_live(job, fact[i].rhs)))
      check(job, &fact[i], out);
  }
}

static const as_size_fact *fact_that_fails(const lo_job *job, const as_size_fact *fact, size_t n,
                                           const int64_t *at) {
  for (size_t i = 0; i < n; i++) {
    if (!as_fact_holds(job->graph->sizes, &fact[i], at))
      return &fact[i];
  }
  return NULL;
}

static bool ask(lo_job *job, const as_size_fact *fact) {
  if (fact == NULL)
    return true;
  char *left = as_size_print(job->graph->sizes, fact->lhs);
  char *right = as_size_print(job->graph->sizes, fact->rhs);
  as_err_set(job->err, AS_BAD_INPUT, "the program asks for %s %s %s", left, as_rel_text(fact->rel),
             right);
  free(left);
  free(right);
  return false;
}

bool lo_live_takes(lo_job *job, const int64_t *at) {
  const as_graph *program = as_graph_given(job->graph);
  for (uint32_t i = 0; i < job->n_ranged; i++) {
    as_size symbol = job->ranged[i];
    long least = as_size_least(program->sizes, symbol);
    if (at[symbol] < least || at[symbol] > job->size_value[symbol])
      return as_err_set(job->err, AS_BAD_INPUT, "%s is %lld, and goes from %ld to %lld",
                        as_size_name(program->sizes, symbol), (long long)at[symbol], least,
                        (long long)job->size_value[symbol]);
  }
  if (job->n_ranged == 0)
    return true;
  as_vec asked;
  as_vec_init(&asked, sizeof(as_size_fact));
  bool takes = as_graph_obligations(program, &asked, job->err) &&
               ask(job, fact_that_fails(job, program->fact, program->n_fact, at)) &&
               ask(job, fact_that_fails(job, asked.data, asked.n, at));
  as_vec_clear(&asked);
  return takes;
}

/* the ranges, what the program states of its sizes, and what its calls ask of them */
static bool size_error(lo_job *job, as_str *out) {
  const as_graph *program = as_graph_given(job->graph);
  const as_sizes *sizes = program->sizes;
  as_str_add(out, "/* what is wrong with these sizes; NULL: nothing */\n"
                  "extern \"C\" const char *assay_size_error(const long long *sizes)\n{\n");
  for (uint32_t i = 0; i < job->n_ranged; i++) {
    long least = as_size_least(sizes, job->ranged[i]);
    long most = (long)job->size_value[job->ranged[i]];
    as_str_printf(out,
                  "  if (sizes[%u] < %ldLL || sizes[%u] > %ldLL) return \"%s goes from %ld to "
                  "%ld\";\n",
                  i, least, i, most, as_size_name(sizes, job->ranged[i]), least, most);
  }
  as_vec asked;
  as_vec_init(&asked, sizeof(as_size_fact));
  bool known = as_graph_obligations(program, &asked, job->err);
  check_facts(job, program->fact, program->n_fact, out);
  if (known)
    check_facts(job, asked.data, asked.n, out);
  as_vec_clear(&asked);
  as_str_add(out, "  return 0;\n}\n\n");
  return known;
}

static void tensor_bytes(const lo_job *job, lo_buffer_class of, uint32_t which, as_str *out) {
  for (uint32_t i = 0; i < job->n_value; i++) {
    const lo_value *value = &job->value[i];
    if (value->kind != LV_GLOBAL && value->place != LP_GLOBAL)
      continue;
    if (value->buffer_class != of || value->buffer_index != which)
      continue;
    as_str_printf(out, "%du", as_dtype_bytes(value->dtype));
    for (int axis = 0; axis < value->rank; axis++) {
      if (value->live_dim[axis]) {
        as_size extent = lo_cut_row(job, value->live_dim[axis])->extent;
        char *text = lo_live_text(job, extent, "sizes");
        as_str_printf(out, " * (size_t)%s", text);
        free(text);
      } else {
        as_str_printf(out, " * %ldu", value->dim[axis]);
      }
    }
    return;
  }
  as_str_add(out, "0u");
}

static void all_bytes(const lo_job *job, const char *name, lo_buffer_class of, uint32_t n,
                      as_str *out) {
  as_str_printf(out,
                "extern \"C\" size_t assay_%s_bytes(int which, const long long *sizes)\n{\n"
                "  (void)sizes;\n  switch (which) {\n",
                name);
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(out, "  case %u: return ", i);
    tensor_bytes(job, of, i, out);
    as_str_add(out, ";\n");
  }
  as_str_add(out, "  default: return 0;\n  }\n}\n\n");
}

bool lo_live_functions(lo_job *job, as_str *out) {
  if (job->n_ranged == 0)
    return true;
  if (!size_error(job, out))
    return false;
  as_str_add(out, "/* of the tensors at these sizes, which must be in range */\n");
  all_bytes(job, "input", LG_INPUT, job->graph->n_input, out);
  all_bytes(job, "output", LG_OUTPUT, job->graph->n_output, out);
  return true;
}

static char *product_of(const lo_job *job, const uint32_t *live, const long *fixed, int n) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "1LL");
  for (int i = 0; i < n; i++) {
    if (live[i] == 0) {
      if (fixed[i] != 1)
        as_str_printf(&out, " * %ldLL", fixed[i]);
      continue;
    }
    char *text = lo_live_text(job, lo_cut_row(job, live[i])->extent, "sizes");
    as_str_printf(&out, " * %s", text);
    free(text);
  }
  return as_str_take(&out);
}

/* how many tiles there are along some axes of a contraction, malloc'ed */
static char *tiles_of(const lo_job *job, const lo_simt *plan, const int *axis, int n, long tile) {
  uint32_t live[AS_MAX_RANK];
  long fixed[AS_MAX_RANK];
  for (int i = 0; i < n; i++) {
    live[i] = plan->live_dim[axis[i]];
    fixed[i] = plan->dim[axis[i]];
  }
  char *count = product_of(job, live, fixed, n);
  char *tiles = as_format("((%s + %ld) / %ld)", count, tile - 1, tile);
  free(count);
  return tiles;
}

static char *contraction_blocks(const lo_job *job, const lo_simt *plan) {
  char *batches = tiles_of(job, plan, plan->batch, plan->n_batch, 1);
  char *down = tiles_of(job, plan, plan->side[0].axis, plan->side[0].n_axis,
                        as_target_simt_rows(&plan->tile));
  char *across = tiles_of(job, plan, plan->side[1].axis, plan->side[1].n_axis,
                          as_target_simt_columns(&plan->tile));
  char *text = as_format("(unsigned)(%s * %s * %s)", batches, down, across);
  free(batches);
  free(down);
  free(across);
  return text;
}

char *lo_live_blocks(const lo_job *job, const lo_unit *unit, long per_block) {
  bool varies = unit->grid_live[0] || unit->grid_live[1] || unit->grid_live[2];
  const lo_value *result = unit->flat ? &job->value[unit->flat_val] : NULL;
  for (int axis = 0; result && axis < result->rank; axis++)
    varies |= result->live_dim[axis] > 0;
  if (!varies)
    return as_format("%ldu", unit->blocks);
  if (unit->simt)
    return contraction_blocks(job, unit->simt);
  char *count = result ? product_of(job, result->live_dim, result->dim, result->rank)
                       : product_of(job, unit->grid_live, unit->grid, 3);
  char *text = per_block > 1
                   ? as_format("(unsigned)((%s + %ld) / %ld)", count, per_block - 1, per_block)
                   : as_format("(unsigned)(%s)", count);
  free(count);
  return text;
}

#include "../../semantics/eval_text.h"
#include "fault.h"
#include "job.h"
#include "range.h"
#include "src/base/trace.h"
#include "threads.h"
#include <stdlib.h>
#include <string.h>

#ifdef AS_SEEDED_FAULTS
lo_fault lo_seeded_fault = LO_FAULT_NONE;
#endif

void as_lowered_init(as_lowered *lowered) {
  memset(lowered, 0, sizeof *lowered);
}

void as_lowered_clear(as_lowered *lowered) {
  free(lowered->cuda);
  free(lowered->reference);
  free(lowered->notes);
  free(lowered->in_elems);
  free(lowered->out_elems);
  free(lowered->in_type);
  free(lowered->in_range);
  free(lowered->out_type);
  for (uint32_t i = 0; i < lowered->n_in; i++)
    free(lowered->in_name[i]);
  for (uint32_t i = 0; i < lowered->n_out; i++)
    free(lowered->out_name[i]);
  for (uint32_t i = 0; i < lowered->n_kernel; i++)
    free(lowered->kernel[i].name);
  free(lowered->in_name);
  free(lowered->out_name);
  free(lowered->kernel);
  memset(lowered, 0, sizeof *lowered);
}

static bool place_workspace(lo_job *job) {
  for (uint32_t i = 0; i < job->n_value; i++) {
    lo_value *value = &job->value[i];
    if (value->place != LP_GLOBAL || value->buffer_class != LG_WORK)
      continue;
    value->work_offset = job->workspace;
    job->workspace += (lo_elems(value) * (value->dtype == AS_F32 ? 4 : 2) + 255) / 256 * 256;
    if (job->workspace > 4 * LO_MAX_ELEMENTS) {
      return as_err_set(job->err, AS_BAD_INPUT,
                        "the tensors between kernels need more than 2^58 bytes at these sizes");
    }
  }
  return true;
}

static void choose_stages(lo_job *job, lo_unit *unit) {
  long bytes = 0;
  for (uint32_t i = 0; i < unit->n; i++) {
    const lo_value *value = &job->value[unit->val[i]];
    if (value->live && value->kind == LV_LOAD && value->phase == LO_BODY)
      bytes += lo_elems(value) * (job->value[value->source].dtype == AS_F32 ? 4 : 2);
  }
  const as_target *target = job->options->target;
  bool alone = unit->blocks <= target->multiprocessors;
  long in_flight = alone ? target->ring_alone : target->ring_shared;
  long stages = 1;
  if (job->options->stages)
    stages = (long)job->options->stages;
  else if (bytes)
    stages = in_flight / bytes;
  if (stages < 2 && !job->options->stages)
    stages = 2;
  if (stages > target->ring_stages)
    stages = target->ring_stages;
  if (stages > unit->loop)
    stages = unit->loop;
  unit->stages = stages < 1 ? 1 : (int)stages;
}

/* the deepest ring that fits, from the one chosen downwards */
static bool place_shared(lo_job *job, lo_unit *unit) {
  for (;;) {
    as_err trial;
    size_t noted = job->notes.n;
    as_err_init(&trial);
    as_err *keep = job->err;
    job->err = &trial;
    bool ok = lo_layout(job, unit) && lo_memplan(job, unit);
    job->err = keep;
    if (!ok)
      AS_TRACE(LOWER, "%s: not with %d stages: %s", unit->name, unit->stages,
               trial.text ? trial.text : "no layout");
    bool last = unit->stages == 1 || job->options->stages;
    if (!ok && last)
      as_err_set(job->err, trial.status, "%s", trial.text ? trial.text : "no layout");
    as_err_clear(&trial);
    if (ok || last)
      return ok;
    unit->stages--;
    job->notes.n = noted;
    if (job->notes.s)
      job->notes.s[noted] = 0;
  }
}

static void note_product(lo_job *job, const lo_unit *unit, const lo_value *value) {
  const lo_mma *product = &value->mma;
  as_str_printf(&job->notes,
                "%s: %s: product %ldx%ldx%ldx%ld%s, warps batch %d rows %d columns %d k %d, "
                "tiles %dx%dx%d\n",
                unit->name, value->name, product->batches, product->rows, product->columns,
                product->depth, product->swap ? " transposed" : "", product->warps_batch,
                product->warps_rows, product->warps_columns, product->warps_depth,
                product->tiles_batch, product->tiles_rows, product->tiles_columns);
}

/* what was noted of a unit, and what it runs on */
static void trace_unit(const lo_job *job, const lo_unit *unit, size_t noted) {
  if (!AS_TRACE_ON(LOWER))
    return;
  AS_TRACE(LOWER, "%s: %s, %ld blocks on %u multiprocessors of %s", unit->name,
           unit->flat ? "element by element" : "a block graph", unit->blocks,
           (unsigned)job->options->target->multiprocessors, job->options->target->gpu);
  if (job->notes.n > noted)
    AS_TRACE(LOWER, "%s", job->notes.s + noted);
}

static bool lower_unit(lo_job *job, lo_unit *unit) {
  const as_lower_opts *options = job->options;
  unit->warps = (int)(options->warps ? options->warps : options->target->block_warps);
  if (unit->flat)
    return lo_check_ranges(job, unit);
  if (!lo_fuse(job, unit) || !lo_check_ranges(job, unit))
    return false;
  choose_stages(job, unit);
  if (!lo_mma_plan(job, unit) || !lo_schedule(job, unit) || !place_shared(job, unit))
    return false;
  as_str_printf(
      &job->notes,
      "%s: %ld blocks of %d warps, %d stages; levels before, in and after the loop: %d %d %d\n",
      unit->name, unit->blocks, unit->warps, unit->stages, unit->levels[0], unit->levels[1],
      unit->levels[2]);
  for (uint32_t i = 0; i < unit->n_stmt; i++) {
    if (unit->stmt[i].kind == LS_MMA)
      note_product(job, unit, &job->value[unit->stmt[i].val]);
  }
  return true;
}

static void lo_free(lo_job *job) {
  for (uint32_t i = 0; i < job->n_unit; i++)
    lo_threads_clear(&job->unit[i]);
  free(job->value);
  free(job->unit);
  as_str_clear(&job->notes);
  as_vec_clear(&job->cuts);
  as_vec_clear(&job->firsts);
  as_arena_free(job->arena);
}

static bool describe(const lo_job *job, as_lowered *out) {
  const as_graph *graph = job->graph;
  out->n_in = graph->n_input;
  out->n_out = graph->n_output;
  out->workspace = job->workspace;
  out->in_elems = as_calloc(graph->n_input + 1, sizeof(long));
  out->out_elems = as_calloc(graph->n_output + 1, sizeof(long));
  out->in_type = as_calloc(graph->n_input + 1, sizeof(as_dtype));
  out->out_type = as_calloc(graph->n_output + 1, sizeof(as_dtype));
  out->in_range = as_calloc(graph->n_input + 1, sizeof(long));
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_graph *program = graph->program ? graph->program : graph;
    out->in_range[i] = as_graph_index_range(program, program->input[i], job->size_value, NULL);
  }
  out->in_name = as_calloc(graph->n_input + 1, sizeof(char *));
  out->out_name = as_calloc(graph->n_output + 1, sizeof(char *));
  for (uint32_t i = 0; i < job->n_value; i++) {
    const lo_value *value = &job->value[i];
    if (value->place != LP_GLOBAL)
      continue;
    if (value->buffer_class == LG_INPUT) {
      out->in_elems[value->buffer_index] = lo_elems(value);
      out->in_type[value->buffer_index] = value->dtype;
      out->in_name[value->buffer_index] = as_strdup(value->name);
    }
    if (value->buffer_class == LG_OUTPUT) {
      out->out_elems[value->buffer_index] = lo_elems(value);
      out->out_type[value->buffer_index] = value->dtype;
      out->out_name[value->buffer_index] = as_strdup(value->name);
    }
  }
  return true;
}

/* the options with every choice made that the target makes */
static bool resolve(const as_lower_opts *asked, as_lower_opts *options, as_err *err) {
  *options = asked ? *asked : (as_lower_opts){0};
  if (!options->target)
    options->target = as_target_default();
  if (!(options->target->has & AS_HAS_CP_ASYNC)) {
    return as_err_set(err, AS_BAD_INPUT, "%s has no asynchronous copies, which every kernel uses",
                      options->target->gpu);
  }
  if (!(options->target->has & AS_HAS_MMA16) || !(options->target->has & AS_HAS_LDMATRIX))
    options->no_mma = true;
  if (options->warps && (options->warps > 16 || (options->warps & (options->warps - 1)))) {
    return as_err_set(err, AS_BAD_INPUT, "warps per block: a power of two up to 16, not %u",
                      options->warps);
  }
  return true;
}

bool as_lower_cuda(const as_graph *mug, const as_lower_opts *asked, as_lowered *out, as_err *err) {
  as_lower_opts options;
  as_lowered_init(out);
  if (!resolve(asked, &options, err))
    return false;
  int64_t *env = options.env ? NULL : as_graph_size_values(mug);
  lo_job job = {.arena = as_arena_new(),
                .graph = mug,
                .options = &options,
                .size_value = options.env ? options.env : env,
                .err = err};
  as_str_init(&job.notes);
  as_vec_init(&job.cuts, sizeof(lo_cut));
  as_vec_init(&job.firsts, sizeof(lo_first));
  bool ok = lo_expand(&job) && lo_tile_units(&job) && place_workspace(&job);
  for (uint32_t i = 0; ok && i < job.n_unit; i++) {
    size_t noted = job.notes.n;
    if (!job.unit[i].flat)
      lo_threads(&job, &job.unit[i], i);
    if (!job.unit[i].threads)
      ok = lower_unit(&job, &job.unit[i]);
    trace_unit(&job, &job.unit[i], noted);
  }
  const as_graph *program = mug->program ? mug->program : mug;
  ok = ok && lo_emit_all(&job, out) && describe(&job, out) &&
       as_eval_text(program, job.size_value, &out->reference, err);
  if (ok)
    out->notes = as_str_take(&job.notes);
  lo_free(&job);
  free(env);
  if (!ok)
    as_lowered_clear(out);
  return ok;
}

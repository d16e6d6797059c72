#include "../../semantics/eval_text.h"
#include "beside.h"
#include "fault.h"
#include "job.h"
#include "live.h"
#include "product.h"
#include "range.h"
#include "simt.h"
#include "src/base/trace.h"
#include "sweep.h"
#include "tf32.h"
#include "threads.h"
#include "trial.h"
#include "untile.h"
#include "verify.h"
#include <stdlib.h>
#include <string.h>

#ifdef AS_SEEDED_FAULTS
lo_fault lo_seeded_fault = LO_FAULT_NONE;
char *(*lo_seeded_text)(const char *own) = NULL;

static void lo_seed_text(as_lowered *lowered) {
  char *own = lo_seeded_text ? lo_seeded_text(lowered->cuda + lowered->own) : NULL;
  if (own == NULL)
    return;
  char *text = as_format("%.*s%s", (int)lowered->own, lowered->cuda, own);
  free(lowered->cuda);
  free(own);
  lowered->cuda = text;
}
#endif

void as_lowered_init(as_lowered *lowered) {
  memset(lowered, 0, sizeof *lowered);
}

static void clear_port(as_lower_port *port) {
  free(port->name);
  for (uint32_t axis = 0; axis < port->rank; axis++)
    free(port->shown[axis]);
}

void as_lowered_clear(as_lowered *lowered) {
  free(lowered->cuda);
  free(lowered->reference);
  free(lowered->notes);
  free(lowered->trial);
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
  for (uint32_t i = 0; i < lowered->n_size; i++)
    free(lowered->size[i].name);
  free(lowered->size);
  for (uint32_t i = 0; lowered->in && i < lowered->n_in; i++)
    clear_port(&lowered->in[i]);
  for (uint32_t i = 0; lowered->out && i < lowered->n_out; i++)
    clear_port(&lowered->out[i]);
  free(lowered->in);
  free(lowered->out);
  as_routes_clear(&lowered->routes);
  memset(lowered, 0, sizeof *lowered);
}

void as_lowered_take_routes(as_lowered *lowered, as_routes *routes) {
  *routes = lowered->routes;
  memset(&lowered->routes, 0, sizeof lowered->routes);
}

static bool place_workspace(lo_job *job) {
  for (uint32_t i = 0; i < job->n_value; i++) {
    lo_value *value = &job->value[i];
    if (value->place != LP_GLOBAL || value->buffer_class != LG_WORK)
      continue;
    value->work_offset = LO_FAULT(LO_FAULT_WORKSPACE) ? 0 : job->workspace;
    job->workspace += (lo_elems(value) * (value->dtype == AS_F32 ? 4 : 2) + 255) / 256 * 256;
    if (job->workspace > 4 * LO_MAX_ELEMENTS) {
      return as_err_set(job->err, AS_BAD_INPUT,
                        "the tensors between kernels need more than 2^58 bytes at these sizes");
    }
  }
  job->library_at = job->workspace;
  if (LO_FAULT(LO_FAULT_WORKSPACE_ROOM))
    job->workspace /= 2;
  if (job->library_bytes) /* the caller's workspace is aligned less than the library's must be */
    job->workspace += job->library_bytes + LO_LIBRARY_ALIGNMENT;
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
           unit->tf32    ? "a contraction on tensor cores in TF32"
           : unit->simt  ? "a contraction by register tiles"
           : unit->sweep ? "a sweep over memory"
           : unit->flat  ? "element by element"
                         : "a block graph",
           unit->blocks, (unsigned)job->options->target->multiprocessors,
           job->options->target->gpu);
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
  free(job->size_value);
  as_vec_clear(&job->firsts);
  as_arena_free(job->arena);
}

/* how a tensor of the program is passed at the sizes of a launch */
static as_lower_port port_at(const lo_job *job, const as_node *node, const int64_t *at) {
  as_lower_port port = {
      .name = as_strdup(node->name), .type = node->dtype, .rank = node->rank, .range = -1};
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    port.extent[axis] = as_size_eval(job->graph->sizes, node->dim[axis], at);
    if (lo_is_live(job, node->dim[axis]))
      port.shown[axis] = as_size_print(job->graph->sizes, node->dim[axis]);
  }
  return port;
}

/* of the program: a muGraph says extents by sizes of its own */
static void describe_ports(const lo_job *job, const int64_t *at, as_lowered *out) {
  const as_graph *program = job->graph->program ? job->graph->program : job->graph;
  out->in = as_calloc(out->n_in + 1, sizeof *out->in);
  out->out = as_calloc(out->n_out + 1, sizeof *out->out);
  for (uint32_t i = 0; i < out->n_in; i++) {
    out->in[i] = port_at(job, &program->node[program->input[i]], at);
    out->in[i].range = as_graph_index_range(program, program->input[i], at, &out->in[i].exact);
  }
  for (uint32_t i = 0; i < out->n_out; i++) {
    out->out[i] = port_at(job, &program->node[program->output[i]], at);
    out->out[i].type = out->out_type[i]; /* the kernels' choice: one type for all outputs */
  }
}

static as_lower_size *ranges(const lo_job *job, const int64_t *at) {
  as_lower_size *size = as_calloc(job->n_ranged + 1, sizeof *size);
  for (uint32_t i = 0; i < job->n_ranged; i++) {
    as_size symbol = job->ranged[i];
    size[i] = (as_lower_size){.name = as_strdup(as_size_name(job->graph->sizes, symbol)),
                              .least = as_size_least(job->graph->sizes, symbol),
                              .most = job->size_value[symbol],
                              .value = at[symbol]};
  }
  return size;
}

/* the elements of a tensor at the sizes of the launch that is described */
static long elements_at(const lo_job *job, const lo_value *value, const int64_t *at) {
  long elements = 1;
  for (int axis = 0; axis < value->rank; axis++) {
    as_size live =
        value->live_dim[axis] ? lo_cut_row(job, value->live_dim[axis])->extent : AS_SIZE_BAD;
    elements *=
        live == AS_SIZE_BAD ? value->dim[axis] : (long)as_size_eval(job->graph->sizes, live, at);
  }
  return elements;
}

/* the ways of lowering by part of the graph */
static void describe_routes(const lo_job *job, as_routes *routes) {
  const as_graph *graph = job->graph;
  as_routes_init(routes, graph->n_block, graph->n);
  for (uint32_t i = 0; i < graph->n_block; i++)
    routes->block[i] = AS_ROUTE_MEMORY; /* but where there is a unit of it yet */
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    for (uint32_t k = 0; k < graph->n_block && !unit->flat; k++) {
      if (strcmp(graph->block[k].name, unit->name) == 0)
        routes->block[k] = lo_route(unit);
    }
    bool product = unit->flat && (unit->library || unit->tf32 || unit->simt);
    for (uint32_t k = 0; k < graph->n && product; k++) {
      const as_node *node = &graph->node[k];
      if (node->kind == AS_N_OP && node->block == AS_NONE && job->node_val[k] == unit->flat_val)
        routes->node[k] = lo_route(unit);
    }
  }
}

/* at: the sizes of a launch */
static bool describe(const lo_job *job, const int64_t *at, as_lowered *out) {
  const as_graph *graph = job->graph;
  out->n_size = job->n_ranged;
  out->size = ranges(job, at);
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
    out->in_range[i] = as_graph_index_range(program, program->input[i], at, NULL);
  }
  out->in_name = as_calloc(graph->n_input + 1, sizeof(char *));
  out->out_name = as_calloc(graph->n_output + 1, sizeof(char *));
  for (uint32_t i = 0; i < job->n_value; i++) {
    const lo_value *value = &job->value[i];
    if (value->place != LP_GLOBAL)
      continue;
    if (value->buffer_class == LG_INPUT) {
      out->in_elems[value->buffer_index] = elements_at(job, value, at);
      out->in_type[value->buffer_index] = value->dtype;
      out->in_name[value->buffer_index] = as_strdup(value->name);
    }
    if (value->buffer_class == LG_OUTPUT) {
      out->out_elems[value->buffer_index] = elements_at(job, value, at);
      out->out_type[value->buffer_index] = value->dtype;
      out->out_name[value->buffer_index] = as_strdup(value->name);
    }
  }
  describe_ports(job, at, out);
  describe_routes(job, &out->routes);
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

/* the values of sizes, with those left to run time at their bounds; malloc'ed */
static int64_t *at_bounds(const as_graph *graph, const int64_t *at, uint32_t *n) {
  *n = as_size_count(graph->sizes);
  int64_t *value = as_malloc((*n + 1) * sizeof *value);
  for (uint32_t i = 0; i < *n; i++)
    value[i] = INT64_MIN;
  for (uint32_t i = 0; as_size_nth_sym(graph->sizes, i) != AS_SIZE_BAD; i++) {
    as_size symbol = as_size_nth_sym(graph->sizes, i);
    bool ranged = as_size_is_ranged(graph->sizes, symbol);
    value[symbol] = ranged ? as_size_value(graph->sizes, symbol) : at[symbol];
  }
  return value;
}

bool as_lower_types(const as_graph *mug, const as_lower_opts *asked, as_dtype *type, as_err *err) {
  as_lower_opts options;
  if (!resolve(asked, &options, err))
    return false;
  int64_t *env = options.env ? NULL : as_graph_size_values(mug);
  lo_job job = {.arena = as_arena_new(), .graph = mug, .options = &options, .err = err};
  job.size_value = at_bounds(mug, options.env ? options.env : env, &job.n_size_value);
  as_str_init(&job.notes);
  as_vec_init(&job.cuts, sizeof(lo_cut));
  as_vec_init(&job.firsts, sizeof(lo_first));
  lo_threads_types(&job);
  for (uint32_t i = 0; i < mug->n; i++)
    type[i] = job.between[i];
  lo_free(&job);
  free(env);
  return true;
}

bool as_lower_cuda(const as_graph *mug, const as_lower_opts *asked, as_lowered *out, as_err *err) {
  as_lower_opts options;
  as_lowered_init(out);
  if (!resolve(asked, &options, err))
    return false;
  int64_t *env = options.env ? NULL : as_graph_size_values(mug);
  const int64_t *at = options.env ? options.env : env;
  lo_job job = {
      .arena = as_arena_new(), .graph = mug, .options = &options, .err = err, .node_val = NULL};
  job.size_value = at_bounds(mug, at, &job.n_size_value);
  as_str_init(&job.notes);
  as_vec_init(&job.cuts, sizeof(lo_cut));
  as_vec_init(&job.firsts, sizeof(lo_first));
  bool ok = lo_live_read(&job) && lo_live_takes(&job, at) && lo_expand(&job);
  if (ok) {
    lo_keep_meaning(&job);
    lo_library_units(&job);
  }
  ok = ok && lo_untile_units(&job) && lo_tile_units(&job);
  if (ok) {
    lo_tf32_units(&job);
    lo_simt_units(&job);
    lo_sweep_units(&job);
    lo_beside_units(&job);
  }
  ok = ok && place_workspace(&job);
  for (uint32_t i = 0; ok && i < job.n_unit; i++) {
    size_t noted = job.notes.n;
    if (job.unit[i].library)
      continue;
    if (!job.unit[i].flat)
      lo_threads(&job, &job.unit[i], i);
    if (!job.unit[i].threads)
      ok = lower_unit(&job, &job.unit[i]);
    trace_unit(&job, &job.unit[i], noted);
  }
  const as_graph *program = mug->program ? mug->program : mug;
  ok = ok && lo_emit_all(&job, out) && describe(&job, at, out);
  if (ok)
    LO_FAULT_IN_TEXT(out);
  ok = ok && lo_verify(&job, out) && as_eval_text(program, at, &out->reference, err);
  if (ok) {
    out->notes = as_str_take(&job.notes);
    out->trial = lo_trial_text(&job, at);
  }
  lo_free(&job);
  free(env);
  if (!ok)
    as_lowered_clear(out);
  return ok;
}

bool as_lowers(void *options, const as_graph *mug, as_routes *routes, as_err *err) {
  as_lowered lowered;
  bool ok = as_lower_cuda(mug, options, &lowered, err);
  if (ok && routes)
    as_lowered_take_routes(&lowered, routes);
  as_lowered_clear(&lowered);
  return ok;
}

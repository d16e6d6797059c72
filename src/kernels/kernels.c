/* The candidate's kernels with their launcher, and what the runtime wants to know of them. */
#include "kernels.h"
#include "kernels_int.h"
#include "semantics/eval.h"
#include "semantics/eval_text.h"
#include "semantics/tile_eval.h"
#include "src/base/id.h"
#include "src/ir/graph.h"
#include "src/ir/lex.h"
#include <stdlib.h>
#include <string.h>

const char *as_kernels_name(const as_kernels_of *of) {
  return of->program ? of->program->name : of->tile[0]->name;
}

const as_graph *as_kernels_sizes(const as_kernels_of *of) {
  return of->program ? of->program : of->tile[0]->sizes;
}

/* ---- inputs and outputs of the given program */

enum { INPUT, OUTPUT };

static uint32_t n_ports(const as_kernels_of *of, int which) {
  if (of->program)
    return which == INPUT ? of->program->n_input : of->program->n_output;
  return which == INPUT ? as_tile_n_arguments(of->tile[0]) : as_tile_n_results(of->tile[0]);
}

static const char *port_name(const as_kernels_of *of, int which, uint32_t i) {
  if (of->program)
    return of->program->node[which == INPUT ? of->program->input[i] : of->program->output[i]].name;
  const as_tile_program *tile = of->tile[0];
  return tile->tensor[which == INPUT ? as_tile_argument(tile, i) : as_tile_result(tile, i)].name;
}

/* the number of the port of that name; AS_NONE: there is none */
static uint32_t port_named(const as_kernels_of *of, int which, const char *name) {
  for (uint32_t i = 0; i < n_ports(of, which); i++) {
    if (strcmp(port_name(of, which, i), name) == 0)
      return i;
  }
  return AS_NONE;
}

static as_dtype type_of(as_tile_type type) {
  static const as_dtype types[] = {[AS_TILE_F16] = AS_F16,
                                   [AS_TILE_BF16] = AS_BF16,
                                   [AS_TILE_F32] = AS_F32,
                                   [AS_TILE_INT] = AS_INT};
  return types[type];
}

/* as the given program says it; of a .tp's outputs, which have no type there, as `own` does */
static as_dtype port_type(const as_kernels_of *of, int which, uint32_t i, as_dtype own) {
  if (of->program)
    return which == INPUT ? of->program->node[of->program->input[i]].dtype : own;
  const as_tile_program *tile = of->tile[0];
  return type_of(
      tile->tensor[which == INPUT ? as_tile_argument(tile, i) : as_tile_result(tile, i)].type);
}

/* the tensors of a tile program, of the candidate or given, with the given program's numbers */
static bool bind_tensors(const as_kernels_of *of, const as_tile_program *tile, kt_plan *plan) {
  for (uint32_t i = 0; i < tile->n_tensor; i++) {
    const as_tile_tensor *tensor = &tile->tensor[i];
    as_dtype own = type_of(tensor->type);
    kt_tensor made = {.in = AS_NONE, .out = AS_NONE, .type = own};
    if (tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT)
      made.in = port_named(of, INPUT, tensor->name);
    if (tensor->role == AS_TILE_OUTPUT || tensor->role == AS_TILE_INOUT)
      made.out = port_named(of, OUTPUT, tensor->name);
    bool known = tensor->role == AS_TILE_SCRATCH || made.in != AS_NONE || made.out != AS_NONE;
    if (!known || (tensor->role == AS_TILE_INOUT && (made.in == AS_NONE || made.out == AS_NONE)))
      return as_err_set(plan->err, AS_BAD_INPUT, "%s: the given program has no %s `%s`", tile->name,
                        as_tile_role_word(tensor->role), tensor->name);
    if (made.out != AS_NONE)
      made.type = port_type(of, OUTPUT, made.out, own);
    else if (made.in != AS_NONE)
      made.type = port_type(of, INPUT, made.in, own);
    bool wide = tensor->role == AS_TILE_SCRATCH && own == AS_INT;
    made.bytes = wide ? 8 : as_dtype_bytes(made.type);
    as_vec_push(&plan->tensor, &made);
  }
  return true;
}

static bool plan_init(kt_plan *plan, const as_kernels_of *of, const as_tile_program *tile,
                      const as_lower_opts *opts, as_err *err) {
  static const char *const taken[] = {NULL}; /* names get an ending of their own */
  const as_target *target = opts && opts->target ? opts->target : as_target_default();
  *plan = (kt_plan){.target = target, .mem = NULL, .err = err};
  as_vec_init(&plan->unit, sizeof(kt_unit));
  as_vec_init(&plan->tile, sizeof(kt_tile));
  as_vec_init(&plan->tensor, sizeof(kt_tensor));
  as_vec_init(&plan->aside, sizeof(kt_aside));
  plan->program = wr_flatten(tile, opts ? opts->env : NULL, taken, err);
  return plan->program && bind_tensors(of, tile, plan) && kt_plan_make(plan);
}

/* ---- kernels */

static bool begins_with_something(const kt_plan *plan) {
  bool any = false;
  for (uint32_t i = 0; i < plan->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(plan->program, i);
    any = any || (!tensor->local && (tensor->role == AS_TILE_INOUT || tensor->has_initial));
  }
  return any;
}

enum { START_THREADS = 256, START_BLOCKS = 128 };

static long start_blocks(const kt_plan *plan) {
  int64_t most = 1;
  for (uint32_t i = 0; i < plan->tensor.n; i++) {
    int64_t elements = kt_tensor_elements(WR_TENSOR(plan->program, i));
    most = elements > most ? elements : most;
  }
  int64_t blocks = (most + START_THREADS - 1) / START_THREADS;
  return (long)(blocks < START_BLOCKS ? blocks : START_BLOCKS);
}

/* inout tensors are copied to where they are changed; those with a stated number get it */
static void write_start(kt_writer *writer) {
  static const kt_unit alone = {.warps = START_THREADS / 32};
  writer->unit = &alone;
  char *first = as_format("(long long)as_bid() * %d + as_tid()", START_THREADS);
  char *stride = as_format("%ld", START_THREADS * start_blocks(writer->plan));
  kt_line(writer, "AS_KERNEL(%d) start(as_args a)\n{", START_THREADS);
  writer->depth++;
  for (uint32_t i = 0; i < writer->plan->tensor.n; i++) {
    if (!WR_TENSOR(writer->program, i)->local)
      kt_begin_tensor(writer, i, first, stride);
  }
  writer->depth--;
  kt_line(writer, "}\n");
  free(first);
  free(stride);
}

/* the variables of the loops whose iterations the blocks are */
static void write_axes(kt_writer *writer, const kt_unit *unit) {
  int64_t below = 1;
  for (uint32_t i = unit->n_axis; i-- > 0;) {
    const wr_stmt *loop = unit->axis[i];
    char *name = kt_name(writer, loop->variable);
    char *from = kt_integer(writer, loop->from);
    char *step = loop->step ? kt_integer(writer, loop->step) : as_strdup("1");
    const char *type = kt_variable_type(writer, loop->variable);
    kt_line(writer, "[[maybe_unused]] const %s %s = (%s)(%s + instance / %lldLL %% %lldLL * %s);",
            type, name, type, from, (long long)below, (long long)unit->rounds[i], step);
    below *= unit->rounds[i];
    free(name);
    free(from);
    free(step);
  }
}

static void write_kernel(kt_writer *writer, uint32_t number) {
  const kt_unit *unit = KT_UNIT(writer->plan, number);
  writer->unit = unit;
  kt_line(writer, "AS_KERNEL(%d) k%u_%s(as_args a)\n{", 32 * unit->warps, number, unit->name);
  writer->depth++;
  kt_line(writer, "AS_SMEM(sm);");
  kt_line(writer, "(void)sm;");
  if (unit->part)
    kt_line(writer, "char *const part = a.ws + %ldL + (size_t)as_bid() * %ldL;", unit->part_begin,
            unit->part);
  kt_line(writer, "for (long long instance = as_bid(); instance < %lldLL; instance += %ld) {",
          (long long)unit->instances, unit->blocks > 0 ? unit->blocks : 1);
  writer->depth++;
  write_axes(writer, unit);
  kt_stmts(writer, &unit->stmt);
  writer->depth--;
  kt_line(writer, "}");
  writer->depth--;
  kt_line(writer, "}\n");
}

/* ---- the launcher */

static void write_launch(kt_writer *writer, uint32_t number) {
  const kt_unit *unit = KT_UNIT(writer->plan, number);
  if (unit->blocks == 0)
    return;
  if (unit->shared > writer->plan->target->shared_unasked)
    kt_line(writer,
            "if ((e = cudaFuncSetAttribute(k%u_%s, cudaFuncAttributeMaxDynamicSharedMemorySize, "
            "%ld)) != cudaSuccess) return (int)e;",
            number, unit->name, unit->shared);
  kt_line(writer, "AS_LAUNCH(k%u_%s, %ld, %d, %ld, stream, a);", number, unit->name, unit->blocks,
          32 * unit->warps, unit->shared);
  kt_line(writer, "if ((e = cudaGetLastError()) != cudaSuccess) return (int)e;");
}

static void write_pointers(kt_writer *writer, const char *which, const char *from, uint32_t n) {
  kt_line(writer,
          "for (int i = 0; i < %u; i++) { a.%s[i] = %s[i]; if ((size_t)%s[i] %% 16) return "
          "(int)cudaErrorMisalignedAddress; }",
          n, which, from, from);
}

static void write_launcher(kt_writer *writer, const as_lowered *out, bool start) {
  kt_line(writer, "extern \"C\" size_t assay_workspace_bytes(void) { return %ldu; }\n",
          out->workspace);
  kt_line(writer, "/* inputs and outputs in the order of the program, 16-byte aligned; gives a "
                  "cudaError_t. Asynchronous; may be captured in a graph. */");
  kt_line(writer, "extern \"C\" int assay_launch(void *const *inputs, void *const *outputs, void "
                  "*workspace, cudaStream_t stream)\n{");
  writer->depth++;
  kt_line(writer, "as_args a;");
  write_pointers(writer, "in", "inputs", out->n_in);
  write_pointers(writer, "out", "outputs", out->n_out);
  kt_line(writer, "a.ws = (char *)workspace;");
  kt_line(writer, "cudaError_t e;");
  if (start) {
    kt_line(writer, "AS_LAUNCH(start, %ld, %d, 0, stream, a);", start_blocks(writer->plan),
            START_THREADS);
    kt_line(writer, "if ((e = cudaGetLastError()) != cudaSuccess) return (int)e;");
  }
  for (uint32_t i = 0; i < writer->plan->unit.n; i++)
    write_launch(writer, i);
  kt_line(writer, "(void)e;");
  kt_line(writer, "return 0;");
  writer->depth--;
  kt_line(writer, "}");
}

static bool write_cuda(const kt_plan *plan, as_lowered *out) {
  as_str text;
  as_str_init(&text);
  kt_writer writer = {.plan = plan, .program = plan->program, .out = &text, .err = plan->err};
  kt_line(&writer,
          "/* %s: made by assay for %s (%s); see the certificate for what is proven of it. */",
          plan->program->name, plan->target->arch, plan->target->gpu);
  for (const char *const *line = lo_prelude(); *line; line++)
    as_str_add(&text, *line);
  for (const char *const *line = kt_prelude(); *line; line++)
    as_str_add(&text, *line);
  out->own = text.n;
  kt_line(&writer, "struct as_args { const void *in[%u]; void *out[%u]; char *ws; };\n",
          out->n_in ? out->n_in : 1, out->n_out ? out->n_out : 1);
  bool start = begins_with_something(plan);
  if (start)
    write_start(&writer);
  for (uint32_t i = 0; i < plan->unit.n; i++)
    write_kernel(&writer, i);
  write_launcher(&writer, out, start);
  out->cuda = as_str_take(&text);
  return plan->err->status == AS_OK;
}

/* ---- what the runtime wants to know */

static as_lower_kernel kernel_of(const kt_unit *unit, uint32_t number) {
  return (as_lower_kernel){.name = as_format("k%u_%s", number, unit->name),
                           .route = AS_ROUTE_BLOCK,
                           .bytes_smem = unit->shared,
                           .stages = 1,
                           .warps = unit->warps,
                           .blocks = unit->blocks};
}

static void describe_kernels(const kt_plan *plan, as_lowered *out) {
  as_str notes;
  as_str_init(&notes);
  out->kernel = as_calloc(plan->unit.n + 1, sizeof *out->kernel);
  for (uint32_t i = 0; i < plan->unit.n; i++) {
    const kt_unit *unit = KT_UNIT(plan, i);
    out->kernel[out->n_kernel++] = kernel_of(unit, i);
    as_str_printf(&notes,
                  "k%u_%s: %lld instances by %ld blocks of %d warps, statement by statement; %ld "
                  "bytes of shared memory, %ld of the workspace for each block\n",
                  i, unit->name, (long long)unit->instances, unit->blocks, unit->warps,
                  unit->shared, unit->part);
  }
  out->notes = as_str_take(&notes);
}

/* the number of the candidate's tensor that is this port; AS_NONE: it does not name it */
static uint32_t tensor_of(const kt_plan *plan, int which, uint32_t i) {
  for (uint32_t k = 0; k < plan->tensor.n; k++) {
    const kt_tensor *tensor = KT_TENSOR(plan, k);
    if ((which == INPUT ? tensor->in : tensor->out) == i)
      return k;
  }
  return AS_NONE;
}

static bool port_extents(const as_kernels_of *of, int which, uint32_t i, const int64_t *value,
                         as_lower_port *port) {
  const as_graph *sizes = as_kernels_sizes(of);
  const as_size *dim;
  if (of->program) {
    const as_node *node =
        &of->program->node[which == INPUT ? of->program->input[i] : of->program->output[i]];
    port->rank = node->rank;
    dim = node->dim;
  } else {
    const as_tile_program *tile = of->tile[0];
    const as_tile_tensor *tensor =
        &tile->tensor[which == INPUT ? as_tile_argument(tile, i) : as_tile_result(tile, i)];
    port->rank = tensor->rank;
    dim = tensor->dim;
  }
  bool known = true;
  for (uint32_t axis = 0; axis < port->rank; axis++) {
    port->extent[axis] = as_size_eval(sizes->sizes, dim[axis], value);
    known = known && port->extent[axis] >= 0;
  }
  return known;
}

static bool describe_port(const as_kernels_of *of, const kt_plan *plan, int which, uint32_t i,
                          const int64_t *value, as_lower_port *port) {
  uint32_t tensor = tensor_of(plan, which, i);
  *port = (as_lower_port){.name = as_strdup(port_name(of, which, i)), .range = -1};
  port->type = port_type(of, which, i, tensor == AS_NONE ? AS_F32 : KT_TENSOR(plan, tensor)->type);
  if (which == INPUT && of->program)
    port->range = as_graph_index_range(of->program, of->program->input[i], value, &port->exact);
  else if (which == INPUT && tensor != AS_NONE)
    port->range = kt_places(plan->program, tensor);
  if (which == OUTPUT && tensor == AS_NONE)
    return as_err_set(plan->err, AS_BAD_INPUT, "%s: has no output `%s`", plan->program->name,
                      port->name);
  return port_extents(of, which, i, value, port) ||
         as_err_set(plan->err, AS_BAD_INPUT, "an extent of `%s` has no value", port->name);
}

static int64_t elements_of(const as_lower_port *port) {
  int64_t elements = 1;
  for (uint32_t axis = 0; axis < port->rank; axis++)
    elements *= port->extent[axis];
  return elements;
}

static bool describe_ports(const as_kernels_of *of, const kt_plan *plan, const int64_t *value,
                           as_lowered *out) {
  bool fine = true;
  out->n_in = n_ports(of, INPUT);
  out->n_out = n_ports(of, OUTPUT);
  out->in = as_calloc(out->n_in + 1, sizeof *out->in);
  out->out = as_calloc(out->n_out + 1, sizeof *out->out);
  out->in_elems = as_calloc(out->n_in + 1, sizeof *out->in_elems);
  out->out_elems = as_calloc(out->n_out + 1, sizeof *out->out_elems);
  out->in_type = as_calloc(out->n_in + 1, sizeof *out->in_type);
  out->out_type = as_calloc(out->n_out + 1, sizeof *out->out_type);
  out->in_range = as_calloc(out->n_in + 1, sizeof *out->in_range);
  out->in_name = as_calloc(out->n_in + 1, sizeof *out->in_name);
  out->out_name = as_calloc(out->n_out + 1, sizeof *out->out_name);
  for (uint32_t i = 0; i < out->n_in; i++) {
    fine = describe_port(of, plan, INPUT, i, value, &out->in[i]) && fine;
    out->in_elems[i] = elements_of(&out->in[i]);
    out->in_type[i] = out->in[i].type;
    out->in_range[i] = out->in[i].range;
    out->in_name[i] = as_strdup(out->in[i].name);
  }
  for (uint32_t i = 0; i < out->n_out; i++) {
    fine = describe_port(of, plan, OUTPUT, i, value, &out->out[i]) && fine;
    out->out_elems[i] = elements_of(&out->out[i]);
    out->out_type[i] = out->out[i].type;
    out->out_name[i] = as_strdup(out->out[i].name);
  }
  return fine;
}

/* ---- the reference */

/* The numbers of inputs and outputs as the lowered program has them: those of a .tp that is the
 * candidate are in its own order. */
static void renumber(kt_plan *plan, const as_tile_program *tile, const as_lowered *out) {
  for (uint32_t i = 0; i < plan->tensor.n; i++) {
    kt_tensor *tensor = KT_TENSOR(plan, i);
    const char *name = tile->tensor[i].name;
    for (uint32_t k = 0; tensor->in != AS_NONE && k < out->n_in; k++) {
      if (strcmp(out->in_name[k], name) == 0)
        tensor->in = k;
    }
    for (uint32_t k = 0; tensor->out != AS_NONE && k < out->n_out; k++) {
      if (strcmp(out->out_name[k], name) == 0)
        tensor->out = k;
    }
  }
}

static bool set_reference(const as_kernels_of *of, const as_lower_opts *opts, const int64_t *value,
                          as_lowered *out, as_err *err) {
  if (of->program)
    return as_eval_text(of->program, value, &out->reference, err);
  kt_plan plan;
  bool fine = plan_init(&plan, of, of->tile[0], opts, err);
  if (fine)
    renumber(&plan, of->tile[0], out);
  free(out->reference);
  out->reference = fine ? kt_reference(&plan) : NULL;
  kt_plan_clear(&plan);
  return out->reference != NULL;
}

static bool sizes_stand(const as_kernels_of *of, const as_lower_opts *opts, as_err *err) {
  const as_graph *sizes = as_kernels_sizes(of);
  for (uint32_t i = 0; (opts == NULL || opts->env == NULL) && i < sizes->n_own_size; i++) {
    if (as_size_is_ranged(sizes->sizes, sizes->own_size[i]))
      return as_err_set(err, AS_BAD_INPUT,
                        "%s: kernels of a tile program are for one value of each size, and %s is "
                        "left to run time: `assay run DIR %s=NUMBER` runs it at one",
                        as_kernels_name(of), as_size_name(sizes->sizes, sizes->own_size[i]),
                        as_size_name(sizes->sizes, sizes->own_size[i]));
  }
  return true;
}

/* ---- what the certificate supposes of the sizes */

static bool in_range(const as_graph *sizes, const int64_t *stated, const int64_t *value,
                     as_err *err) {
  for (uint32_t i = 0; i < sizes->n_own_size; i++) {
    as_size size = sizes->own_size[i];
    long least = as_size_least(sizes->sizes, size);
    if (as_size_is_ranged(sizes->sizes, size) &&
        (value[size] < least || value[size] > stated[size]))
      return as_err_set(err, AS_BAD_INPUT, "%s is %lld, and goes from %ld to %lld",
                        as_size_name(sizes->sizes, size), (long long)value[size], least,
                        (long long)stated[size]);
  }
  return true;
}

static bool facts_hold(const as_graph *sizes, const as_size_fact *fact, size_t n,
                       const int64_t *value, as_err *err) {
  for (size_t i = 0; i < n; i++) {
    if (as_fact_holds(sizes->sizes, &fact[i], value))
      continue;
    char *left = as_size_print(sizes->sizes, fact[i].lhs);
    char *right = as_size_print(sizes->sizes, fact[i].rhs);
    as_err_set(err, AS_BAD_INPUT, "%s: the relation %s %s %s does not hold at these sizes",
               sizes->name, left, as_rel_text(fact[i].rel), right);
    free(left);
    free(right);
    return false;
  }
  return true;
}

/* the given program's ranges and relations, and what its operators ask for */
static bool sizes_allowed(const as_kernels_of *of, const int64_t *stated, const int64_t *value,
                          as_err *err) {
  const as_graph *sizes = as_kernels_sizes(of);
  as_vec asked;
  as_vec_init(&asked, sizeof(as_size_fact));
  bool fine = in_range(sizes, stated, value, err) &&
              facts_hold(sizes, sizes->fact, sizes->n_fact, value, err) &&
              (of->program == NULL || as_graph_obligations(of->program, &asked, err)) &&
              facts_hold(sizes, asked.data, asked.n, value, err);
  as_vec_clear(&asked);
  return fine;
}

static bool lower_tile(const as_kernels_of *of, const as_lower_opts *opts, const int64_t *value,
                       as_lowered *out, as_err *err) {
  kt_plan plan;
  bool fine = plan_init(&plan, of, of->tile[1], opts, err) && describe_ports(of, &plan, value, out);
  if (fine) {
    out->workspace = plan.workspace;
    describe_kernels(&plan, out);
  }
  fine = fine && write_cuda(&plan, out);
  kt_plan_clear(&plan);
  return fine;
}

bool as_kernels_lower(const as_kernels_of *of, const as_lower_opts *opts, as_lowered *out,
                      as_err *err) {
  if (of->graph && of->program)
    return as_lower_cuda(of->graph, opts, out, err);
  as_lowered_init(out);
  int64_t *stated = as_graph_size_values(as_kernels_sizes(of));
  const int64_t *value = opts && opts->env ? opts->env : stated;
  bool fine = of->graph ? as_lower_cuda(of->graph, opts, out, err)
                        : sizes_stand(of, opts, err) && sizes_allowed(of, stated, value, err) &&
                              lower_tile(of, opts, value, out, err);
  fine = fine && set_reference(of, opts, value, out, err);
  free(stated);
  if (!fine)
    as_lowered_clear(out);
  return fine;
}

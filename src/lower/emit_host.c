/* The whole text of a program: prelude, kernels, and the launcher on the host. */
#include "beside.h"
#include "emit.h"
#include "fault.h"
#include "live.h"
#include "product.h"
#include "simt.h"
#include "sweep.h"
#include "tf32.h"
#include "threads.h"
#include <stdlib.h>

static void emit_unit_launch(lo_job *job, uint32_t i, as_str *out) {
  const lo_unit *unit = &job->unit[i];
  if (unit->library)
    lo_library_launch(job, unit, out);
  bool follows = i > 0 && job->unit[i - 1].goes_on;
  if (unit->library || !unit->blocks || follows)
    return;
  if (unit->smem > job->options->target->shared_unasked) {
    as_str_printf(
        out,
        "  if ((e = cudaFuncSetAttribute(k%u_%s, cudaFuncAttributeMaxDynamicSharedMemorySize, "
        "%ld)) != cudaSuccess) return (int)e;\n",
        i, unit->name, unit->smem);
  }
  char *blocks = lo_live_blocks(job, unit, unit->flat_per_block);
  if (job->n_ranged)
    as_str_printf(out, "  if (%s > 0) {\n", blocks);
  if (unit->threads)
    lo_threads_launch(job, i, blocks, out);
  else
    as_str_printf(out, "  AS_LAUNCH(k%u_%s, %s, %d, %ld, stream, a);\n", i, unit->name, blocks,
                  32 * unit->warps, unit->smem);
  as_str_add(out, "  if ((e = cudaGetLastError()) != cudaSuccess) return (int)e;\n");
  if (job->n_ranged)
    as_str_add(out, "  }\n");
  free(blocks);
}

static void emit_launcher(lo_job *job, as_str *out) {
  as_str_printf(out, "extern \"C\" size_t assay_workspace_bytes(void) { return %ldu; }\n\n",
                job->workspace);
  as_str_add(out, "/* inputs and outputs in the order of the program, 16-byte aligned; gives a "
                  "cudaError_t. Asynchronous; may be captured in a graph. */\n");
  if (job->n_ranged)
    as_str_add(out,
               "/* sizes: those left to run time, in the order of the program; ASSAY_BAD_SIZE, "
               "and nothing is launched, where assay_size_error says that one is wrong */\n");
  as_str_printf(out,
                "extern \"C\" int assay_launch(void *const *inputs, void *const *outputs, void "
                "*workspace, cudaStream_t stream%s)\n{\n  as_args a;\n",
                job->n_ranged ? ", const long long *sizes" : "");
  if (job->n_ranged)
    as_str_printf(out,
                  "  if (assay_size_error(sizes)) return ASSAY_BAD_SIZE;\n"
                  "  for (int i = 0; i < %u; i++) a.n[i] = sizes[i];\n",
                  job->n_ranged);
  as_str_printf(out,
                "  for (int i = 0; i < %u; i++) { a.in[i] = inputs[i]; if ((size_t)inputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                job->graph->n_input);
  as_str_printf(out,
                "  for (int i = 0; i < %u; i++) { a.out[i] = outputs[i]; if ((size_t)outputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                job->graph->n_output);
  as_str_add(out, "  a.ws = (char *)workspace;\n  cudaError_t e;\n");
  for (uint32_t i = 0; i < job->n_unit; i++)
    emit_unit_launch(job, i, out);
  as_str_add(out, "  (void)a;\n  (void)e;\n  return 0;\n}\n");
}

static bool emit_unit(lo_job *job, uint32_t i, as_str *out) {
  lo_unit *unit = &job->unit[i];
  if (unit->threads) {
    lo_threads_kernel(unit, out);
    return true;
  }
  if (unit->library) {
    unit->blocks = unit->warps = unit->stages = 0;
    return true;
  }
  return unit->tf32    ? lo_emit_tf32(job, unit, out)
         : unit->simt  ? lo_emit_simt(job, unit, out)
         : unit->sweep ? lo_emit_sweep(job, unit, out)
         : unit->flat  ? lo_emit_flat(job, unit, out)
                       : lo_emit_block(job, unit, out);
}

const char *lo_route(const lo_unit *unit) {
  return unit->threads   ? AS_ROUTE_THREADS
         : unit->library ? AS_ROUTE_LIBRARY
         : unit->tf32    ? AS_ROUTE_TENSOR_CORES
         : unit->simt    ? AS_ROUTE_REGISTERS
         : unit->flat    ? AS_ROUTE_MEMORY
                         : AS_ROUTE_BLOCK;
}

static void describe_kernel(const lo_unit *unit, as_lower_kernel *kernel) {
  kernel->name = as_strdup(unit->launched ? unit->launched : unit->name);
  kernel->bytes_smem = unit->smem;
  kernel->stages = unit->stages;
  kernel->warps = unit->warps;
  kernel->blocks = unit->blocks + LO_FAULT(LO_FAULT_BLOCKS);
  kernel->barriers_loop = unit->levels[LO_BODY];
  kernel->barriers = unit->n_barrier;
  kernel->mma = unit->n_mma;
  kernel->ldmatrix = unit->n_ldmatrix;
  kernel->route = LO_FAULT(LO_FAULT_ROUTE) ? AS_ROUTE_MEMORY : lo_route(unit);
  kernel->validated = unit->threads != NULL;
  kernel->library = unit->library ? LO_LIBRARY_NAME : NULL;
  if (unit->tf32)
    kernel->factors = unit->tf32->exact           ? "16 bits"
                      : unit->tf32->tile.in_parts ? "two parts in TF32"
                                                  : "TF32";
}

bool lo_emit_all(lo_job *job, as_lowered *out) {
  as_str out_text;
  as_str_init(&out_text);
  as_str_printf(
      &out_text,
      "/* %s: made by assay for %s (%s); see the certificate for what is proven of it. */\n",
      job->graph->name, job->options->target->arch, job->options->target->gpu);
  for (const char *const *line = lo_prelude(); *line; line++)
    as_str_add(&out_text, *line);
  lo_library_prelude(job, &out_text);
  out->own = out_text.n;
  lo_live_declare(job, &out_text);
  as_str_printf(&out_text, "struct as_args { const void *in[%u]; void *out[%u]; char *ws; ",
                job->graph->n_input ? job->graph->n_input : 1,
                job->graph->n_output ? job->graph->n_output : 1);
  if (job->n_ranged)
    as_str_printf(&out_text, "long long n[%u]; ", job->n_ranged);
  as_str_add(&out_text, "};\n\n");
  if (!lo_threads_prelude(job, &out_text)) {
    as_str_clear(&out_text);
    return false;
  }
  lo_tf32_prelude(job, &out_text);
  out->library = job->library_bytes ? LO_LIBRARY_NAME : NULL;
  out->kernel = as_calloc(job->n_unit + 1, sizeof *out->kernel);
  uint32_t first = 0; /* unit of the launch at hand */
  for (uint32_t i = 0; i < job->n_unit; i++) {
    if (!emit_unit(job, i, &out_text) || (job->unit[i].beside && !job->unit[i].goes_on &&
                                          !lo_emit_beside(job, first, i, &out_text))) {
      as_str_clear(&out_text);
      return false;
    }
    if (job->unit[i].goes_on)
      continue;
    describe_kernel(&job->unit[first], &out->kernel[out->n_kernel++]);
    first = i + 1;
  }
  if (!lo_live_functions(job, &out_text)) {
    as_str_clear(&out_text);
    return false;
  }
  emit_launcher(job, &out_text);
  out->cuda = as_str_take(&out_text);
  return true;
}

/* The whole text of a program: prelude, kernels, and the launcher on the host. */
#include "emit.h"
#include "threads.h"

static void emit_launcher(lo_job *job, as_str *out) {
  as_str_printf(out, "extern \"C\" size_t assay_workspace_bytes(void) { return %ldu; }\n\n",
                job->workspace);
  as_str_add(out, "/* inputs and outputs in the order of the program, 16-byte aligned; gives a "
                  "cudaError_t. Asynchronous; may be captured in a graph. */\n"
                  "extern \"C\" int assay_launch(void *const *inputs, void *const *outputs, void "
                  "*workspace, cudaStream_t stream)\n{\n  as_args a;\n");
  as_str_printf(out,
                "  for (int i = 0; i < %u; i++) { a.in[i] = inputs[i]; if ((size_t)inputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                job->graph->n_input);
  as_str_printf(out,
                "  for (int i = 0; i < %u; i++) { a.out[i] = outputs[i]; if ((size_t)outputs[i] %% "
                "16) return (int)cudaErrorMisalignedAddress; }\n",
                job->graph->n_output);
  as_str_add(out, "  a.ws = (char *)workspace;\n  cudaError_t e;\n");
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    if (!unit->blocks)
      continue;
    if (unit->smem > job->options->target->shared_unasked) {
      as_str_printf(
          out,
          "  if ((e = cudaFuncSetAttribute(k%u_%s, cudaFuncAttributeMaxDynamicSharedMemorySize, "
          "%ld)) != cudaSuccess) return (int)e;\n",
          i, unit->name, unit->smem);
    }
    if (unit->threads)
      lo_threads_launch(unit, i, out);
    else
      as_str_printf(out, "  AS_LAUNCH(k%u_%s, %ldu, %d, %ld, stream, a);\n", i, unit->name,
                    unit->blocks, 32 * unit->warps, unit->smem);
    as_str_add(out, "  if ((e = cudaGetLastError()) != cudaSuccess) return (int)e;\n");
  }
  as_str_add(out, "  (void)e;\n  return 0;\n}\n");
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
  out->own = out_text.n;
  as_str_printf(&out_text, "struct as_args { const void *in[%u]; void *out[%u]; char *ws; };\n\n",
                job->graph->n_input ? job->graph->n_input : 1,
                job->graph->n_output ? job->graph->n_output : 1);
  if (!lo_threads_prelude(job, &out_text)) {
    as_str_clear(&out_text);
    return false;
  }
  out->kernel = as_calloc(job->n_unit + 1, sizeof *out->kernel);
  for (uint32_t i = 0; i < job->n_unit; i++) {
    lo_unit *unit = &job->unit[i];
    if (unit->threads) {
      lo_threads_kernel(unit, &out_text);
    } else if (unit->flat ? !lo_emit_flat(job, unit, &out_text)
                          : !lo_emit_block(job, unit, &out_text)) {
      as_str_clear(&out_text);
      return false;
    }
    as_lower_kernel *kernel = &out->kernel[out->n_kernel++];
    kernel->name = as_strdup(unit->name);
    kernel->bytes_smem = unit->smem;
    kernel->stages = unit->stages;
    kernel->warps = unit->warps;
    kernel->blocks = unit->blocks;
    kernel->barriers_loop = unit->levels[LO_BODY];
    kernel->barriers = unit->n_barrier;
    kernel->mma = unit->n_mma;
    kernel->ldmatrix = unit->n_ldmatrix;
    kernel->validated = unit->threads != NULL;
  }
  emit_launcher(job, &out_text);
  out->cuda = as_str_take(&out_text);
  return true;
}

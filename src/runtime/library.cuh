/* What a library adds to the kernels' text, which is included before: the same program on tensors in host memory, for callers without
 * CUDA of their own. Under the emulation every access outside of the tensors is found. */
#include <stdlib.h>

/* Runs on host memory; returns when the outputs are there. Gives 0, a CUDA error, or -1 when the emulation found a fault. */
extern "C" int assay_run_host(void *const *inputs, void *const *outputs)
{
  const size_t workspace_bytes = assay_workspace_bytes();
#ifdef AS_EMU
  void *workspace = aligned_alloc(16, (workspace_bytes + 31) / 16 * 16);
  if (!workspace) return 2;
  as_emu::forget();
  for (int i = 0; i < N_IN; i++) as_emu::add(inputs[i], in_bytes[i], false);
  for (int i = 0; i < N_OUT; i++) as_emu::add(outputs[i], out_bytes[i], true);
  as_emu::add(workspace, workspace_bytes, true);
  const long before = as_emu::M().errors;
  int status = assay_launch(inputs, outputs, workspace, NULL);
  if (!status && as_emu::M().errors != before) status = -1;
  free(workspace);
  return status;
#else
  void *in[N_IN + 1] = {0}, *out[N_OUT + 1] = {0}, *workspace = NULL;
  cudaError_t status = cudaMalloc(&workspace, workspace_bytes + 16);
  for (int i = 0; i < N_IN && !status; i++) {
    status = cudaMalloc(&in[i], in_bytes[i] + 16);
    if (!status) status = cudaMemcpy(in[i], inputs[i], in_bytes[i], cudaMemcpyHostToDevice);
  }
  for (int i = 0; i < N_OUT && !status; i++) status = cudaMalloc(&out[i], out_bytes[i] + 16);
  if (!status) status = (cudaError_t)assay_launch(in, out, workspace, 0);
  if (!status) status = cudaDeviceSynchronize();
  for (int i = 0; i < N_OUT && !status; i++) status = cudaMemcpy(outputs[i], out[i], out_bytes[i], cudaMemcpyDeviceToHost);
  for (int i = 0; i < N_IN; i++) cudaFree(in[i]);
  for (int i = 0; i < N_OUT; i++) cudaFree(out[i]);
  cudaFree(workspace);
  return (int)status;
#endif
}

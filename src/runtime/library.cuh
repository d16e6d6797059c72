/* What a library adds to the kernels' text, which is included before: the same program on tensors in host memory, for callers without
 * CUDA of their own. Under the emulation every access outside of the tensors is found. */
#include <stdlib.h>
#ifdef ASSAY_N_SIZES
#define SIZES_PARAMETER , const long long *sizes
#define SIZES_ARGUMENT , sizes
#else
#define SIZES_PARAMETER
#define SIZES_ARGUMENT
#endif

#define ASSAY_BAD_PLACE (-4)
#ifdef ASSAY_PLACES
/* Places in host memory: false where one is none of its tensor. */
static bool are_places(void *const *inputs)
{
  for (size_t p = 0; p < sizeof assay_places / sizeof *assay_places; p++)
    for (size_t i = 0; i < assay_places[p].elements; i++) {
      const int at = ((const int *)inputs[assay_places[p].input])[i];
      if (at < 0 || at >= assay_places[p].below) return false;
    }
  return true;
}
#ifndef AS_EMU
__global__ void assay_look_at_places(const int *at, size_t elements, long long below)
{
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements; i += (size_t)gridDim.x * blockDim.x)
    if (at[i] < 0 || at[i] >= below) __trap(); /* what is launched after it does not run */
}
#endif

/* As the kernels' own, after a look at the places among the inputs. */
extern "C" int assay_launch(void *const *inputs, void *const *outputs, void *workspace, cudaStream_t stream)
{
#ifdef AS_EMU
  if (!are_places(inputs)) return ASSAY_BAD_PLACE;
#else
  for (size_t p = 0; p < sizeof assay_places / sizeof *assay_places; p++) {
    const size_t blocks = (assay_places[p].elements + 255) / 256;
    if (blocks == 0) continue;
    assay_look_at_places<<<(unsigned)(blocks < 1024 ? blocks : 1024), 256, 0, stream>>>((const int *)inputs[assay_places[p].input], assay_places[p].elements, assay_places[p].below);
    const cudaError_t e = cudaGetLastError();
    if (e) return (int)e;
  }
#endif
  return assay_launch_trusting(inputs, outputs, workspace, stream);
}
#endif

/* Runs on host memory; returns when the outputs are there. Gives 0, a CUDA error, -1 when the emulation found a fault, ASSAY_BAD_SIZE, or ASSAY_BAD_PLACE. */
extern "C" int assay_run_host(void *const *inputs, void *const *outputs SIZES_PARAMETER)
{
#ifdef ASSAY_N_SIZES
  if (assay_size_error(sizes)) return ASSAY_BAD_SIZE;
  size_t in_bytes[N_IN + 1], out_bytes[N_OUT + 1];
  for (int i = 0; i < N_IN; i++) in_bytes[i] = assay_input_bytes(i, sizes);
  for (int i = 0; i < N_OUT; i++) out_bytes[i] = assay_output_bytes(i, sizes);
#endif
  const size_t workspace_bytes = assay_workspace_bytes();
#ifdef AS_EMU
  void *workspace = aligned_alloc(16, (workspace_bytes + 31) / 16 * 16);
  if (!workspace) return 2;
  as_emu::forget();
  for (int i = 0; i < N_IN; i++) as_emu::add(inputs[i], in_bytes[i], false);
  for (int i = 0; i < N_OUT; i++) as_emu::add(outputs[i], out_bytes[i], true);
  as_emu::add(workspace, workspace_bytes, true);
  const long before = as_emu::M().errors;
  int status = assay_launch(inputs, outputs, workspace, NULL SIZES_ARGUMENT);
  if (!status && as_emu::M().errors != before) status = -1;
  free(workspace);
  return status;
#else
#ifdef ASSAY_PLACES
  if (!are_places(inputs)) return ASSAY_BAD_PLACE;
#endif
  void *in[N_IN + 1] = {0}, *out[N_OUT + 1] = {0}, *workspace = NULL;
  cudaError_t status = cudaMalloc(&workspace, workspace_bytes + 16);
  for (int i = 0; i < N_IN && !status; i++) {
    status = cudaMalloc(&in[i], in_bytes[i] + 16);
    if (!status) status = cudaMemcpy(in[i], inputs[i], in_bytes[i], cudaMemcpyHostToDevice);
  }
  for (int i = 0; i < N_OUT && !status; i++) status = cudaMalloc(&out[i], out_bytes[i] + 16);
  if (!status) status = (cudaError_t)assay_launch(in, out, workspace, 0 SIZES_ARGUMENT);
  if (!status) status = cudaDeviceSynchronize();
  for (int i = 0; i < N_OUT && !status; i++) status = cudaMemcpy(outputs[i], out[i], out_bytes[i], cudaMemcpyDeviceToHost);
  for (int i = 0; i < N_IN; i++) cudaFree(in[i]);
  for (int i = 0; i < N_OUT; i++) cudaFree(out[i]);
  cudaFree(workspace);
  return (int)status;
#endif
}

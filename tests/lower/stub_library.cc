/* A libcublasLt.so of the functions that generated text calls, on the CPU: the emulation's, by
 * their own names.  ASSAY_STUB_FAIL=FUNCTION:STATUS makes one fail, ASSAY_STUB_WORKSPACE=N makes
 * the algorithm ask for N bytes, ASSAY_STUB_LOG=FILE has a line for each call. */
#define AS_LIBRARY_ALONE
#include "library_emu.h"

static int before(const char *function) {
  const char *fail = getenv("ASSAY_STUB_FAIL");
  const char *log = getenv("ASSAY_STUB_LOG");
  const size_t n = strlen(function);
  if (log) {
    FILE *file = fopen(log, "a");
    if (file) {
      fprintf(file, "%s\n", function);
      fclose(file);
    }
  }
  return fail && !strncmp(fail, function, n) && fail[n] == ':' ? atoi(fail + n + 1) : 0;
}

#define EXPORT(name, parameters, arguments)                                                        \
  extern "C" int name parameters {                                                                 \
    if (int status = before(#name))                                                                \
      return status;                                                                               \
    return as_lt_emu::name arguments;                                                              \
  }

EXPORT(cublasLtCreate, (void **handle), (handle))
EXPORT(cublasLtGetProperty, (int which, int *value), (which, value))
EXPORT(cublasLtMatmulDescCreate, (void **out, int compute, int scale), (out, compute, scale))
EXPORT(cublasLtMatmulDescSetAttribute, (void *of, int which, const void *value, size_t n),
       (of, which, value, n))
EXPORT(cublasLtMatmulDescDestroy, (void *of), (of))
EXPORT(cublasLtMatrixLayoutCreate,
       (void **out, int type, unsigned long rows, unsigned long columns, long leading),
       (out, type, rows, columns, leading))
EXPORT(cublasLtMatrixLayoutSetAttribute, (void *of, int which, const void *value, size_t n),
       (of, which, value, n))
EXPORT(cublasLtMatrixLayoutDestroy, (void *of), (of))
EXPORT(cublasLtMatmulPreferenceCreate, (void **out), (out))
EXPORT(cublasLtMatmulPreferenceSetAttribute, (void *of, int which, const void *value, size_t n),
       (of, which, value, n))
EXPORT(cublasLtMatmulPreferenceDestroy, (void *of), (of))
EXPORT(cublasLtMatmulAlgoCheck,
       (void *handle, void *op, void *a, void *b, void *c, void *d,
        const as_lt::algorithm *algorithm, as_lt::heuristic *out),
       (handle, op, a, b, c, d, algorithm, out))
EXPORT(cublasLtMatmul,
       (void *handle, void *op, const void *alpha, const void *a, void *la, const void *b, void *lb,
        const void *beta, const void *c, void *lc, void *d, void *ld,
        const as_lt::algorithm *algorithm, void *workspace, size_t bytes, cudaStream_t stream),
       (handle, op, alpha, a, la, b, lb, beta, c, lc, d, ld, algorithm, workspace, bytes, stream))

extern "C" int cublasLtMatmulAlgoGetHeuristic(void *handle, void *op, void *a, void *b, void *c,
                                              void *d, void *pref, int wanted,
                                              as_lt::heuristic *out, int *n) {
  if (int status = before("cublasLtMatmulAlgoGetHeuristic"))
    return status;
  int status =
      as_lt_emu::cublasLtMatmulAlgoGetHeuristic(handle, op, a, b, c, d, pref, wanted, out, n);
  as_lt_emu::found *result = (as_lt_emu::found *)(void *)out;
  const char *asked = getenv("ASSAY_STUB_WORKSPACE");
  if (!status && asked)
    result->workspace = (size_t)atol(asked);
  if (!status)
    result->state = before("state");
  if (!status && before("none"))
    *n = 0;
  return status;
}

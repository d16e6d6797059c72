/* Matrix products by cuBLASLt: opened when the first one is called, by the name that ASSAY_CUBLASLT gives or else as the dynamic linker finds it. Types and
 * numbers are those of its public interface, versions 12 and 13. Under the host emulation, without ASSAY_CUBLASLT, its emulation stands for it. */
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef AS_EMU
#include "library_emu.h"
#endif
#define ASSAY_LIBRARY_FAILED (-3)
namespace as_lt {
enum element { F32 = 0, F16 = 2, BF16 = 14 }; /* cudaDataType_t */
enum {
  COMPUTE_32F = 68, /* cublasComputeType_t: sums in 32 bits, operands as they are */
  DESC_TRANSA = 3, DESC_TRANSB = 4, OP_T = 1,
  LAYOUT_BATCH_COUNT = 5, LAYOUT_BATCH_STRIDE = 6,
  PREF_WORKSPACE = 1, PREF_REDUCTIONS = 3, PREF_ALIGNMENT_A = 5, PREF_ALIGNMENT_B = 6, PREF_ALIGNMENT_C = 7, PREF_ALIGNMENT_D = 8, PREF_NUMERICS = 12,
  REDUCTION_IN_PLACE = 1, REDUCTION_COMPUTE_TYPE = 2 /* parts of a long sum are added in 32 bits: in the result's type where it has them */
};
/* how an algorithm may compute: by multiply-add or on tensor cores, with sums in 32 bits, of operands of these types (TF32 is another bit) */
const unsigned long long BY_FMA = 1ull, BY_TENSOR = 2ull, SUMS_32F = 2ull << 8, OF_16F = 1ull << 16, OF_16BF = 2ull << 16, OF_32F = 8ull << 16;
const size_t WORKSPACE_ALIGNMENT = 256; /* of the library; 16 is what callers promise of tensors */

struct algorithm { unsigned long long data[8]; };
struct heuristic { algorithm algo; size_t workspace; int state; float waves; int reserved[4]; };
typedef void *handle; /* opaque, like the descriptions below */

/* what is called of the library, by the names that it exports */
#define AS_LT_FUNCTIONS(X) \
  X(cublasLtCreate, (handle *)) \
  X(cublasLtMatmulDescCreate, (handle *, int, int)) \
  X(cublasLtMatmulDescSetAttribute, (handle, int, const void *, size_t)) \
  X(cublasLtMatmulDescDestroy, (handle)) \
  X(cublasLtMatrixLayoutCreate, (handle *, int, unsigned long, unsigned long, long)) \
  X(cublasLtMatrixLayoutSetAttribute, (handle, int, const void *, size_t)) \
  X(cublasLtMatrixLayoutDestroy, (handle)) \
  X(cublasLtMatmulPreferenceCreate, (handle *)) \
  X(cublasLtMatmulPreferenceSetAttribute, (handle, int, const void *, size_t)) \
  X(cublasLtMatmulPreferenceDestroy, (handle)) \
  X(cublasLtMatmulAlgoGetHeuristic, (handle, handle, handle, handle, handle, handle, handle, int, heuristic *, int *)) \
  X(cublasLtMatmul, (handle, handle, const void *, const void *, handle, const void *, handle, const void *, const void *, handle, void *, handle, const algorithm *, void *, size_t, cudaStream_t))
struct functions {
#define AS_LT_FIELD(name, parameters) int(*name) parameters;
  AS_LT_FUNCTIONS(AS_LT_FIELD)
#undef AS_LT_FIELD
};

/* column-major; numbers in elements */
struct matrix { long long transposed, rows, columns, leading, stride, alignment; };
struct product { long long type, result_type, depth, batches; matrix a, b, d; long long device; }; /* of one width, so that products compare as bytes */
struct before { bool operator()(const product &x, const product &y) const { return memcmp(&x, &y, sizeof x) < 0; } };
struct plan { handle desc, a, b, d; algorithm algo; size_t workspace; };
struct library {
  std::mutex lock;
  bool open;
  functions call;
  std::map<long long, handle> on_device;
  std::map<product, plan, before> plans; /* one for each size that was met */
};
#ifdef AS_EMU /* ends with the shared library that the kernels are in, which may be closed */
static library &the() { static library one; return one; }
#else /* never destroyed: launches may come until the process ends */
static library &the() { static library *one = new library(); return *one; }
#endif
static thread_local char error[512];

static int fail(const char *where, int status)
{
  static const struct { int number; const char *name; } known[] = {
    {1, "NOT_INITIALIZED"}, {3, "ALLOC_FAILED"}, {7, "INVALID_VALUE"}, {8, "ARCH_MISMATCH"}, {11, "MAPPING_ERROR"}, {13, "EXECUTION_FAILED"}, {14, "INTERNAL_ERROR"},
    {15, "NOT_SUPPORTED"}, {16, "LICENSE_ERROR"}};
  const char *name = "of no known name";
  for (const auto &row : known) if (row.number == status) name = row.name;
  snprintf(error, sizeof error, "cuBLASLt: %s: status %d (%s)", where, status, name);
  return ASSAY_LIBRARY_FAILED;
}
static int fail_words(const char *what, const char *more) { snprintf(error, sizeof error, "cuBLASLt: %s%s", what, more); return ASSAY_LIBRARY_FAILED; }

/* fills the table of functions, once */
static int open_library(library &l)
{
  if (l.open) return 0;
  const char *named = getenv("ASSAY_CUBLASLT");
  void *found = NULL;
  if (named && *named) found = dlopen(named, RTLD_NOW | RTLD_LOCAL);
#ifdef AS_EMU
  else {
#define AS_LT_EMULATED(name, parameters) l.call.name = as_lt_emu::name;
    AS_LT_FUNCTIONS(AS_LT_EMULATED)
    l.open = true;
    return 0;
  }
#else
  else {
    char versioned[64];
    snprintf(versioned, sizeof versioned, "libcublasLt.so.%d", CUDART_VERSION / 1000);
    found = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
  }
#endif
  if (!found) {
    const char *why = dlerror();
    return fail_words("cannot be opened (ASSAY_CUBLASLT may name it): ", why ? why : "no reason given");
  }
#define AS_LT_FIND(name, parameters) if (void *at = dlsym(found, #name)) memcpy(&l.call.name, &at, sizeof at); else return fail_words("has no function ", #name);
  AS_LT_FUNCTIONS(AS_LT_FIND)
#undef AS_LT_FIND
  l.open = true;
  return 0;
}

#define AS_LT_TRY(function, ...) if (int status = l.call.function(__VA_ARGS__)) return fail(#function, status)

static int lay_out(library &l, const product &p, const matrix &m, long long type, handle *out)
{
  const int batches = (int)p.batches;
  const long stride = (long)m.stride;
  if (m.leading < m.rows) return fail_words("a matrix whose columns overlap", "");
  AS_LT_TRY(cublasLtMatrixLayoutCreate, out, (int)type, (unsigned long)m.rows, (unsigned long)m.columns, (long)m.leading);
  if (batches == 1) return 0;
  AS_LT_TRY(cublasLtMatrixLayoutSetAttribute, *out, LAYOUT_BATCH_COUNT, &batches, sizeof batches);
  AS_LT_TRY(cublasLtMatrixLayoutSetAttribute, *out, LAYOUT_BATCH_STRIDE, &stride, sizeof stride);
  return 0;
}

static int prefer(library &l, const product &p, size_t workspace, handle pref)
{
  const unsigned reductions = REDUCTION_COMPUTE_TYPE | (p.result_type == F32 ? REDUCTION_IN_PLACE : 0);
  const unsigned long long numerics = SUMS_32F | (p.type == F32 ? BY_FMA | OF_32F : BY_FMA | BY_TENSOR | (p.type == F16 ? OF_16F : OF_16BF));
  const struct { int attribute; unsigned bytes; } alignment[] = {
    {PREF_ALIGNMENT_A, (unsigned)p.a.alignment}, {PREF_ALIGNMENT_B, (unsigned)p.b.alignment}, {PREF_ALIGNMENT_C, (unsigned)p.d.alignment}, {PREF_ALIGNMENT_D, (unsigned)p.d.alignment}};
  AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_WORKSPACE, &workspace, sizeof workspace);
  AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_REDUCTIONS, &reductions, sizeof reductions);
  AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_NUMERICS, &numerics, sizeof numerics);
  for (const auto &row : alignment) AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, row.attribute, &row.bytes, sizeof row.bytes);
  return 0;
}

static int describe(library &l, const product &p, size_t workspace, handle pref, plan *out)
{
  const int transposed = OP_T;
  heuristic best;
  int found = 0;
  AS_LT_TRY(cublasLtMatmulDescCreate, &out->desc, COMPUTE_32F, F32);
  if (p.a.transposed) AS_LT_TRY(cublasLtMatmulDescSetAttribute, out->desc, DESC_TRANSA, &transposed, sizeof transposed);
  if (p.b.transposed) AS_LT_TRY(cublasLtMatmulDescSetAttribute, out->desc, DESC_TRANSB, &transposed, sizeof transposed);
  if (int failed = lay_out(l, p, p.a, p.type, &out->a)) return failed;
  if (int failed = lay_out(l, p, p.b, p.type, &out->b)) return failed;
  if (int failed = lay_out(l, p, p.d, p.result_type, &out->d)) return failed;
  if (int failed = prefer(l, p, workspace, pref)) return failed;
  AS_LT_TRY(cublasLtMatmulAlgoGetHeuristic, l.on_device[p.device], out->desc, out->a, out->b, out->d, out->d, pref, 1, &best, &found);
  if (found < 1) return fail_words("cublasLtMatmulAlgoGetHeuristic: no algorithm for this product", "");
  if (best.state) return fail("cublasLtMatmulAlgoGetHeuristic: its algorithm", best.state);
  if (best.workspace > workspace) return fail_words("cublasLtMatmulAlgoGetHeuristic: its algorithm needs more workspace than it was given", "");
  out->algo = best.algo;
  out->workspace = best.workspace;
  return 0;
}

static void drop(library &l, const plan &p)
{
  if (p.desc) l.call.cublasLtMatmulDescDestroy(p.desc);
  if (p.a) l.call.cublasLtMatrixLayoutDestroy(p.a);
  if (p.b) l.call.cublasLtMatrixLayoutDestroy(p.b);
  if (p.d) l.call.cublasLtMatrixLayoutDestroy(p.d);
}

#ifdef AS_EMU
static struct closing {
  closing() { the(); } /* made before, it ends after this */
  ~closing() { for (const auto &known : the().plans) drop(the(), known.second); }
} at_the_end;
#endif

/* the plan of a product, made when it is met for the first time; the library is locked */
static int find_plan(library &l, const product &p, size_t workspace, const plan **out)
{
  const auto known = l.plans.find(p);
  if (known != l.plans.end()) { *out = &known->second; return 0; }
  if (int failed = open_library(l)) return failed;
  if (!l.on_device.count(p.device)) {
    handle made = NULL;
    AS_LT_TRY(cublasLtCreate, &made);
    l.on_device[p.device] = made;
  }
  plan made = {};
  handle pref = NULL;
  AS_LT_TRY(cublasLtMatmulPreferenceCreate, &pref);
  const int failed = describe(l, p, workspace, pref, &made);
  l.call.cublasLtMatmulPreferenceDestroy(pref);
  if (failed) { drop(l, made); return failed; }
  *out = &(l.plans[p] = made);
  return 0;
}

/* the greatest power of two up to 16 that divides all places where a matrix begins */
static long long alignment_of(const void *at, const product &p, const matrix &m, long long type)
{
  const unsigned long long apart = p.batches > 1 ? (unsigned long long)m.stride * (type == F32 ? 4 : 2) : 0;
  const unsigned long long bits = (unsigned long long)(size_t)at | apart | 16;
  return (long long)(bits & (~bits + 1));
}

static int run(library &l, product p, const void *a, const void *b, void *d, char *workspace, size_t bytes, cudaStream_t stream)
{
  const float one = 1, zero = 0;
  const plan *how = NULL;
  char *aligned = workspace + (WORKSPACE_ALIGNMENT - (size_t)workspace % WORKSPACE_ALIGNMENT) % WORKSPACE_ALIGNMENT;
  p.a.alignment = alignment_of(a, p, p.a, p.type);
  p.b.alignment = alignment_of(b, p, p.b, p.type);
  p.d.alignment = alignment_of(d, p, p.d, p.result_type);
  handle at;
  {
    std::lock_guard<std::mutex> held(l.lock);
    if (int failed = find_plan(l, p, bytes, &how)) return failed;
    at = l.on_device[p.device];
  }
  AS_LT_TRY(cublasLtMatmul, at, how->desc, &one, a, how->a, b, how->b, &zero, d, how->d, d, how->d, &how->algo, aligned, bytes, stream);
  return 0;
}

/* D = op(A) op(B); workspace has `bytes` and what its alignment takes. A result of `room` bytes without terms is zero. Nothing is waited for, and what the
 * library does to begin with is no part of a graph that is being captured. */
[[maybe_unused]] static int multiply(const product &asked, const void *a, const void *b, void *d, size_t room, char *workspace, size_t bytes, cudaStream_t stream)
{
  if (!asked.d.rows || !asked.d.columns || !asked.batches) return 0;
#ifdef AS_EMU
  if (!asked.depth) { as_emu_zero(d, room); return 0; }
  return run(the(), asked, a, b, d, workspace, bytes, stream);
#else
  if (!asked.depth) return (int)cudaMemsetAsync(d, 0, room, stream);
  product p = asked;
  int device = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  if (cudaError_t e = cudaGetDevice(&device)) return (int)e;
  p.device = device;
  if (cudaError_t e = cudaThreadExchangeStreamCaptureMode(&mode)) return (int)e;
  const int status = run(the(), p, a, b, d, workspace, bytes, stream);
  const cudaError_t e = cudaThreadExchangeStreamCaptureMode(&mode);
  return status ? status : (int)e;
#endif
}
} // namespace as_lt
/* what the last call of this thread that gave ASSAY_LIBRARY_FAILED found wrong */
extern "C" const char *assay_library_error(void) { return as_lt::error; }


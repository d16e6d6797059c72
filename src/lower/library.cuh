/* Matrix products by cuBLASLt: opened when the first one is called, by the name that ASSAY_CUBLASLT gives or else as the dynamic linker finds it. Types and
 * numbers are those of its public interface, versions 12 and 13. Under the host emulation, without ASSAY_CUBLASLT, its emulation stands for it. */
#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>
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
/* how an algorithm may compute operands of 32 bits: by multiply-add, with sums in 32 bits (on tensor cores, or of TF32, are other bits) */
const unsigned long long BY_FMA = 1ull, SUMS_32F = 2ull << 8, OF_32F = 8ull << 16;
const size_t WORKSPACE_ALIGNMENT = 256; /* of the library; 16 is what callers promise of tensors */

struct algorithm { unsigned long long data[8]; };
struct heuristic { algorithm algo; size_t workspace; int state; float waves; int reserved[4]; };
typedef void *handle; /* opaque, like the descriptions below */

/* what is called of the library, by the names that it exports */
#define AS_LT_FUNCTIONS(X) \
  X(cublasLtCreate, (handle *)) \
  X(cublasLtGetProperty, (int, int *)) \
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
  X(cublasLtMatmulAlgoCheck, (handle, handle, handle, handle, handle, handle, const algorithm *, heuristic *)) \
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
struct plan { handle desc, a, b, d; algorithm algo; size_t workspace; bool chosen; /* its algorithm, by timing, here or before */ };
struct choice { std::string machine; algorithm algo; };
struct library {
  std::mutex lock;
  bool open;
  functions call;
  std::map<long long, handle> on_device;
  std::map<product, plan, before> plans; /* one for each size that was met */
  std::map<product, choice, before> said; /* by assay_take_choices: of products on no device */
};
/* where the operands of one product are, and the room to work in */
struct operands { const void *a, *b; void *d; char *workspace; size_t bytes; cudaStream_t stream; };
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
  const unsigned long long numerics = SUMS_32F | BY_FMA | OF_32F;
  const struct { int attribute; unsigned bytes; } alignment[] = {
    {PREF_ALIGNMENT_A, (unsigned)p.a.alignment}, {PREF_ALIGNMENT_B, (unsigned)p.b.alignment}, {PREF_ALIGNMENT_C, (unsigned)p.d.alignment}, {PREF_ALIGNMENT_D, (unsigned)p.d.alignment}};
  AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_WORKSPACE, &workspace, sizeof workspace);
  AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_REDUCTIONS, &reductions, sizeof reductions);
  /* of operands of 16 bits the compute type says it all, and the library leaves out its fastest algorithms where it is asked for these by name as well */
  if (p.type == F32) { AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, PREF_NUMERICS, &numerics, sizeof numerics); }
  for (const auto &row : alignment) AS_LT_TRY(cublasLtMatmulPreferenceSetAttribute, pref, row.attribute, &row.bytes, sizeof row.bytes);
  return 0;
}

/* up to `most` algorithms for a product, the library's first one first; gives how many in *found */
static int list_algorithms(library &l, const product &p, size_t workspace, const plan &of, int most, heuristic *out, int *found)
{
  handle pref = NULL;
  *found = 0;
  AS_LT_TRY(cublasLtMatmulPreferenceCreate, &pref);
  int failed = prefer(l, p, workspace, pref);
  if (!failed) {
    const int status = l.call.cublasLtMatmulAlgoGetHeuristic(l.on_device[p.device], of.desc, of.a, of.b, of.d, of.d, pref, most, out, found);
    if (status) failed = fail("cublasLtMatmulAlgoGetHeuristic", status);
  }
  l.call.cublasLtMatmulPreferenceDestroy(pref);
  return failed;
}

static int describe(library &l, const product &p, size_t workspace, plan *out)
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
  if (int failed = list_algorithms(l, p, workspace, *out, 1, &best, &found)) return failed;
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

/* --- which algorithm: the library's first, or the fastest of those that it lists, where a launch was told to time them or a choice made before is given */
const int MOST_ALGORITHMS = 16, ROUNDS = 7;
const double NEAR = 1.1, CLEARLY = 0.995; /* as slow as this is tried on; and less than this part of the first one's time is taken for it */
const double SHORT_MS = 0.2; /* calls that together take less are no measurement */
static thread_local bool timing;

/* what an algorithm is good for: a version of the library, on one kind of device; "" where that is not known */
static std::string machine(library &l)
{
  int version[3];
  for (int i = 0; i < 3; i++) if (l.call.cublasLtGetProperty(i, &version[i])) return "";
  std::string name = "emulated";
#ifndef AS_EMU
  int device = 0;
  cudaDeviceProp of;
  if (cudaGetDevice(&device) || cudaGetDeviceProperties(&of, device)) return "";
  name = of.name;
#endif
  for (char &c : name) if (c <= ' ') c = '_';
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d:", version[0], version[1], version[2]);
  return text + name;
}

static product on_no_device(product p) { p.device = 0; return p; }

/* a choice that was made before, if it is for this machine and the library still takes it */
static void take_choice(library &l, const product &p, size_t workspace, plan *of)
{
  const auto known = l.said.find(on_no_device(p));
  heuristic checked;
  if (known == l.said.end() || known->second.machine != machine(l)) return;
  const algorithm &algo = known->second.algo;
  if (l.call.cublasLtMatmulAlgoCheck(l.on_device[p.device], of->desc, of->a, of->b, of->d, of->d, &algo, &checked) || checked.state || checked.workspace > workspace) return;
  of->algo = algo;
  of->workspace = checked.workspace;
  of->chosen = true;
}

static int call(library &l, const product &p, const plan &of, const algorithm &algo, const operands &at)
{
  const float one = 1, zero = 0;
  return l.call.cublasLtMatmul(l.on_device[p.device], of.desc, &one, at.a, of.a, at.b, of.b, &zero, at.d, of.d, at.d, of.d, &algo, at.workspace, at.bytes, at.stream);
}

/* milliseconds of one call, of `calls` in a row; false: it cannot be done so */
static bool time_calls(library &l, const product &p, const plan &of, const algorithm &algo, const operands &at, int calls, double *ms)
{
#ifdef AS_EMU
  (void)calls;
  *ms = as_lt_emu::milliseconds(&algo);
  return !call(l, p, of, algo, at);
#else
  cudaEvent_t start, stop;
  float taken = 0;
  if (cudaEventCreate(&start)) return false;
  if (cudaEventCreate(&stop)) { cudaEventDestroy(start); return false; }
  bool good = !cudaEventRecord(start, at.stream);
  for (int i = 0; i < calls && good; i++) good = !call(l, p, of, algo, at);
  good = good && !cudaEventRecord(stop, at.stream) && !cudaEventSynchronize(stop) && !cudaEventElapsedTime(&taken, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  *ms = taken / calls;
  return good;
#endif
}

static bool may_wait(cudaStream_t stream)
{
#ifdef AS_EMU
  (void)stream;
  return true;
#else
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return !cudaStreamIsCapturing(stream, &status) && status == cudaStreamCaptureStatusNone;
#endif
}

struct trial { heuristic of; std::vector<double> ms; };
static double median(std::vector<double> of) { std::sort(of.begin(), of.end()); return of[of.size() / 2]; }

/* Times what the library lists, in turns, and takes the fastest where it is clearly faster than the first.  The result is written each time. */
static int choose(library &l, const product &p, const operands &at, plan *of)
{
  heuristic listed[MOST_ALGORITHMS];
  int found = 0;
  if (int failed = list_algorithms(l, p, at.bytes, *of, MOST_ALGORITHMS, listed, &found)) return failed;
  std::vector<trial> trials;
  double first = 0;
  int calls = 1;
  for (int i = 0; i < found; i++) {
    double cold = 0, ms = 0;
    if (listed[i].state || listed[i].workspace > at.bytes || !time_calls(l, p, *of, listed[i].algo, at, 1, &cold) || !time_calls(l, p, *of, listed[i].algo, at, 1, &ms)) continue;
    if (trials.empty()) {
      first = ms;
      calls = ms > 0 && ms < SHORT_MS ? (int)std::min(SHORT_MS / ms + 1, 64.0) : 1;
    }
    if (ms <= NEAR * first) trials.push_back(trial{listed[i], {}});
  }
  for (int round = 0; round < ROUNDS && trials.size() > 1; round++)
    for (trial &one : trials) {
      double ms = 0;
      if (!time_calls(l, p, *of, one.of.algo, at, calls, &ms)) return fail_words("an algorithm that was timed before fails", "");
      one.ms.push_back(ms);
    }
  of->chosen = true;
  if (trials.size() < 2) return 0;
  const trial *best = &trials[0];
  for (const trial &one : trials) if (median(one.ms) < median(best->ms)) best = &one;
  if (median(best->ms) > CLEARLY * median(trials[0].ms)) best = &trials[0];
  of->algo = best->of.algo;
  of->workspace = best->of.workspace;
  return 0;
}

const int PRODUCT_NUMBERS = sizeof(product) / sizeof(long long), ALGORITHM_NUMBERS = 8;

static std::string print_choices(library &l)
{
  std::lock_guard<std::mutex> held(l.lock);
  std::string text, here = l.open ? machine(l) : "";
  for (const auto &known : l.plans) {
    if (!known.second.chosen || here.empty()) continue;
    const product p = on_no_device(known.first);
    long long number[PRODUCT_NUMBERS];
    char word[32];
    memcpy(number, &p, sizeof number);
    text += here;
    for (long long n : number) { snprintf(word, sizeof word, " %lld", n); text += word; }
    for (unsigned long long n : known.second.algo.data) { snprintf(word, sizeof word, " %llx", n); text += word; }
    text += "\n";
  }
  return text;
}

/* one line of print_choices; false: it is none */
static bool read_choice(const char *line, const char *end, product *of, choice *out)
{
  long long number[PRODUCT_NUMBERS];
  const char *space = std::find(line, end, ' ');
  out->machine.assign(line, space);
  char *at = const_cast<char *>(space);
  for (int i = 0; i < PRODUCT_NUMBERS + ALGORITHM_NUMBERS; i++) {
    char *next = at;
    if (i < PRODUCT_NUMBERS) number[i] = strtoll(at, &next, 10);
    else out->algo.data[i - PRODUCT_NUMBERS] = strtoull(at, &next, 16);
    if (next == at || next > end) return false;
    at = next;
  }
  memcpy(of, number, sizeof number);
  return at == end && !out->machine.empty();
}

/* the plan of a product, made when it is met for the first time; the library is locked */
static int find_plan(library &l, const product &p, size_t workspace, plan **out)
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
  if (int failed = describe(l, p, workspace, &made)) { drop(l, made); return failed; }
  take_choice(l, p, workspace, &made);
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

static int run(library &l, product p, const operands &given)
{
  operands at = given;
  plan how;
  at.workspace += (WORKSPACE_ALIGNMENT - (size_t)at.workspace % WORKSPACE_ALIGNMENT) % WORKSPACE_ALIGNMENT;
  p.a.alignment = alignment_of(at.a, p, p.a, p.type);
  p.b.alignment = alignment_of(at.b, p, p.b, p.type);
  p.d.alignment = alignment_of(at.d, p, p.d, p.result_type);
  {
    std::lock_guard<std::mutex> held(l.lock);
    plan *kept = NULL;
    if (int failed = find_plan(l, p, at.bytes, &kept)) return failed;
    if (timing && !kept->chosen && may_wait(at.stream)) if (int failed = choose(l, p, at, kept)) return failed;
    how = *kept; /* a thread that times may choose anew meanwhile */
  }
  if (int status = call(l, p, how, how.algo, at)) return fail("cublasLtMatmul", status);
  return 0;
}

/* D = op(A) op(B); workspace has `bytes` and what its alignment takes. A result of `room` bytes without terms is zero. Nothing is waited for, and what the
 * library does to begin with is no part of a graph that is being captured. */
[[maybe_unused]] static int multiply(const product &asked, const void *a, const void *b, void *d, size_t room, char *workspace, size_t bytes, cudaStream_t stream)
{
  if (!asked.d.rows || !asked.d.columns || !asked.batches) return 0;
#ifdef AS_EMU
  if (!asked.depth) { as_emu_zero(d, room); return 0; }
  return run(the(), asked, {a, b, d, workspace, bytes, stream});
#else
  if (!asked.depth) return (int)cudaMemsetAsync(d, 0, room, stream);
  product p = asked;
  int device = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  if (cudaError_t e = cudaGetDevice(&device)) return (int)e;
  p.device = device;
  if (cudaError_t e = cudaThreadExchangeStreamCaptureMode(&mode)) return (int)e;
  const int status = run(the(), p, {a, b, d, workspace, bytes, stream});
  const cudaError_t e = cudaThreadExchangeStreamCaptureMode(&mode);
  return status ? status : (int)e;
#endif
}
} // namespace as_lt
/* what the last call of this thread that gave ASSAY_LIBRARY_FAILED found wrong */
extern "C" const char *assay_library_error(void) { return as_lt::error; }
/* while on, launches of this thread time the algorithms of products that none was chosen for, and wait */
extern "C" void assay_choosing(int on) { as_lt::timing = on != 0; }
/* what was chosen, as text: as snprintf has it, what it would take without the end */
extern "C" size_t assay_choices(char *text, size_t room)
{
  const std::string all = as_lt::print_choices(as_lt::the());
  if (room) snprintf(text, room, "%s", all.c_str());
  return all.size();
}
/* choices made before; gives how many were read.  Those of another version of the library or another device are left */
extern "C" int assay_take_choices(const char *text)
{
  as_lt::library &l = as_lt::the();
  std::lock_guard<std::mutex> held(l.lock);
  int taken = 0;
  for (const char *end = strchr(text, '\n'); end; text = end + 1, end = strchr(text, '\n')) {
    as_lt::product of;
    as_lt::choice made;
    if (as_lt::read_choice(text, end, &of, &made)) { l.said[of] = made; taken++; }
  }
  return taken;
}


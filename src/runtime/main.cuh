/* Runs one lowered program on fresh random inputs, compares with the reference in double, times it.  Built by nvcc for a GPU, or by a
 * C++ compiler with AS_EMU for the emulation.  Usage: main [--seed N] [--scale S] [--time] [--tolerance T] [--dump FILE]; one JSON object
 * on standard output.  The dump: inputs, reference and results as doubles, in this order. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "kernel.cu"
#include "reference.inc"
#include "shapes.inc" /* NAME, N_IN, N_OUT, in_elems, in_type, out_elems, out_type: 0 f16, 1 bf16, 2 f32, 3 int; in_range: of integers that are places, how many fit; sizes: those left to run time */
#ifdef ASSAY_N_SIZES
#define SIZES_ARGUMENT , sizes
#else
#define SIZES_ARGUMENT
#endif
#ifdef ASSAY_LIBRARY
static const char *library_error() { return assay_library_error(); }
#else
static const char *library_error() { return "no reason given"; }
#endif

typedef unsigned long long u64;
static u64 state = 1;
static double uniform()
{
  state += 0x9e3779b97f4a7c15ull;
  u64 z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static float half_value(unsigned short h)
{
  int e = h >> 10 & 31, f = h & 1023;
  float x = e == 31 ? (f ? NAN : INFINITY) : e ? ldexpf((float)(f + 1024), e - 25) : ldexpf((float)f, -24);
  return h & 0x8000 ? -x : x;
}
static unsigned short half_bits(float x) /* round to nearest even; finite input within range */
{
  unsigned short s = std::signbit(x) ? 0x8000 : 0;
  float a = std::fabs(x);
  if (a < 6e-8f) return s;
  if (a > 65504.0f) return (unsigned short)(s | 0x7bff);
  int e;
  std::frexp(a, &e);
  int q = e - 11 < -24 ? -24 : e - 11;
  long n = std::lrint(std::ldexp(a, -q));
  if (n >= 2048) { n /= 2; q++; }
  return (unsigned short)(n < 1024 ? s | n : s | ((q + 25) << 10) | (n - 1024));
}
static size_t type_size(int t) { return t >= 2 ? 4 : 2; }
static double get(const void *p, size_t i, int t)
{
  if (t == 2) return ((const float *)p)[i];
  if (t == 3) return ((const int *)p)[i];
  unsigned short h = ((const unsigned short *)p)[i];
  if (t == 0) return half_value(h);
  unsigned u = (unsigned)h << 16;
  float x;
  memcpy(&x, &u, 4);
  return x;
}
static void put(void *p, size_t i, int t, double v)
{
  float x = (float)v;
  if (t == 2) { ((float *)p)[i] = x; return; }
  if (t == 3) { ((int *)p)[i] = (int)v; return; }
  if (t == 0) { ((unsigned short *)p)[i] = half_bits(x); return; }
  unsigned u;
  memcpy(&u, &x, 4);
  ((unsigned short *)p)[i] = (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static void *host_memory(size_t n) { void *p = NULL; if (posix_memalign(&p, 256, n ? n : 16)) exit(4); return p; }

#ifdef AS_EMU
static double hot_us = -1, cold_us = -1;
static int run(void **in, void **out, size_t ws_bytes, bool)
{
  void *ws = host_memory(ws_bytes);
  memset(ws, 0xff, ws_bytes);
  for (int i = 0; i < N_IN; i++) as_emu::add(in[i], (size_t)in_elems[i] * type_size(in_type[i]), false);
  for (int i = 0; i < N_OUT; i++) as_emu::add(out[i], (size_t)out_elems[i] * type_size(out_type[i]), true);
  as_emu::add(ws, ws_bytes, true);
  int r = assay_launch(in, out, ws, NULL SIZES_ARGUMENT);
  free(ws);
  if (as_emu::M().errors) fprintf(stderr, "emulation: %ld errors\n", as_emu::M().errors);
  return r ? r : as_emu::M().errors ? 1 : 0;
}
#else
static double hot_us = -1, cold_us = -1;
#define CHECK(x) do { cudaError_t e_ = (cudaError_t)(x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, (int)e_ < 0 ? library_error() : cudaGetErrorString(e_)); exit(4); } } while (0)

/* microseconds per launch: a captured graph of `n` launches, set by set of buffers; median over 11 replays */
static double graph_us(const std::vector<std::vector<void *>> &sets, void *ws, int n)
{
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < n; i++) { const auto &b = sets[(size_t)i % sets.size()]; CHECK(assay_launch(b.data(), b.data() + N_IN, ws, s SIZES_ARGUMENT)); }
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&x, g, 0));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  std::vector<double> t;
  for (int i = 0; i < 14; i++) {
    float ms = 0;
    CHECK(cudaEventRecord(a, s));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaEventRecord(b, s));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaEventElapsedTime(&ms, a, b));
    if (i >= 3) t.push_back((double)ms * 1000 / n);
  }
  std::sort(t.begin(), t.end());
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaStreamDestroy(s));
  return t[t.size() / 2];
}

static int run(void **in, void **out, size_t ws_bytes, bool timed)
{
  size_t bytes = 0;
  for (int i = 0; i < N_IN; i++) bytes += (size_t)in_elems[i] * type_size(in_type[i]);
  int l2 = 0, sets_n = 1;
  CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  if (timed) sets_n = (int)std::min<size_t>(256, 4 * (size_t)l2 / std::max<size_t>(bytes, 1) + 2);
  std::vector<std::vector<void *>> sets((size_t)sets_n);
  void *ws;
  CHECK(cudaMalloc(&ws, ws_bytes ? ws_bytes : 16));
  CHECK(cudaMemset(ws, 0xff, ws_bytes));
  for (auto &b : sets) {
    b.resize(N_IN + N_OUT);
    for (int i = 0; i < N_IN; i++) { size_t n = (size_t)in_elems[i] * type_size(in_type[i]); CHECK(cudaMalloc(&b[(size_t)i], n + 16)); CHECK(cudaMemcpy(b[(size_t)i], in[i], n, cudaMemcpyHostToDevice)); }
    for (int i = 0; i < N_OUT; i++) { size_t n = (size_t)out_elems[i] * type_size(out_type[i]); CHECK(cudaMalloc(&b[(size_t)(N_IN + i)], n + 16)); CHECK(cudaMemset(b[(size_t)(N_IN + i)], 0xff, n)); }
  }
  CHECK(assay_launch(sets[0].data(), sets[0].data() + N_IN, ws, 0 SIZES_ARGUMENT));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < N_OUT; i++) CHECK(cudaMemcpy(out[i], sets[0][(size_t)(N_IN + i)], (size_t)out_elems[i] * type_size(out_type[i]), cudaMemcpyDeviceToHost));
  if (timed) {
    std::vector<std::vector<void *>> one(sets.begin(), sets.begin() + 1);
    hot_us = graph_us(one, ws, 100);
    cold_us = graph_us(sets, ws, sets_n * (sets_n < 20 ? 5 : 1));
  }
  for (auto &b : sets) for (auto p : b) CHECK(cudaFree(p));
  CHECK(cudaFree(ws));
  return 0;
}
#endif

typedef struct {
  std::vector<void *> bytes;
  std::vector<std::vector<double>> real;
} tensors;

/* 16-bit tensors hold no more than this; wider ones are kept away from the edge too */
static double most_in_range()
{
  double most = 1e30;
  for (int i = 0; i < N_IN; i++) if (in_type[i] == 0) most = 32768;
  for (int i = 0; i < N_OUT; i++) if (out_type[i] == 0) most = 32768;
  return most;
}

static void draw(tensors &in, double scale, bool positive)
{
  for (int i = 0; i < N_IN; i++)
    for (size_t j = 0; j < (size_t)in_elems[i]; j++) {
      double x = (positive ? 0.25 + 0.75 * uniform() : 2 * uniform() - 1) * scale;
      if (in_type[i] == 3) x = in_range[i] >= 0 ? std::floor(uniform() * (double)in_range[i]) : std::floor(8 * x);
      put(in.bytes[(size_t)i], j, in_type[i], x);
      in.real[(size_t)i][j] = get(in.bytes[(size_t)i], j, in_type[i]);
    }
}

static bool reference(const tensors &in, tensors &out, double *reach)
{
  std::vector<const double *> pin;
  std::vector<double *> pout;
  for (auto &d : in.real) pin.push_back(d.data());
  for (auto &d : out.real) pout.push_back(d.data());
  pin.push_back(NULL);
  pout.push_back(NULL);
  return assay_reference(pin.data(), pout.data(), reach);
}

/* Below 2^-14 halves are 2^-24 apart, whatever their size: of a tensor whose root mean square is smaller, rounding alone loses more than the
 * 2^-11 that it costs elsewhere.  A tensor of zeros has nothing to lose. */
static bool above_subnormal(const tensors &t, const int *type, int n)
{
  for (int i = 0; i < n; i++) {
    double square = 0;
    for (double x : t.real[(size_t)i]) square += x * x;
    const double mean = square / (double)std::max<size_t>(1, t.real[(size_t)i].size());
    if (type[i] == 0 && mean > 0 && mean < std::ldexp(1.0, -28)) return false;
  }
  return true;
}

/* Draws inputs, and what is expected of them; the same ones for the same scale and sign. */
static bool draw_at(u64 seed, double scale, bool positive, tensors &in, tensors &expected, double *reach)
{
  state = seed;
  draw(in, scale, positive);
  return reference(in, expected, reach);
}

/* Inputs at which every tensor that the program computes is in range: drawn around zero and made smaller, then positive and made smaller
 * (roots and logarithms).  Those whose halves are subnormal only where there are no others: a square root of a negative number and an
 * epsilon is a number once all is smaller than the epsilon.  false: none found, or the reference fails. */
static bool fitting_inputs(tensors &in, tensors &expected, double *scale, double *reach)
{
  const u64 seed = state;
  const double asked = *scale;
  double smaller = 0; /* the first scale that fits, with subnormal halves; 0: none */
  bool smaller_positive = false;
  for (int positive = 0; positive < 2; positive++) {
    *scale = asked;
    for (int i = 0; i < 24; i++, *scale /= 2) {
      if (!draw_at(seed, *scale, positive, in, expected, reach)) return false;
      if (!(*reach <= most_in_range())) continue;
      if (above_subnormal(in, in_type, N_IN) && above_subnormal(expected, out_type, N_OUT)) return true;
      if (smaller > 0) continue;
      smaller = *scale;
      smaller_positive = positive;
    }
  }
  *scale = smaller;
  if (smaller > 0) return draw_at(seed, smaller, smaller_positive, in, expected, reach);
  fprintf(stderr, "no inputs found at which all tensors of the program have values in range\n");
  return false;
}

/* How far the program itself moves when each input moves by half a unit in the last place of its type, relative to the result, in the same
 * norm: kernels keep operands of tensor cores in that type, so no result is known better. */
static double sensitivity(const tensors &in, const tensors &expected)
{
  tensors moved = in, result = expected;
  double reach = 0, worst = 0;
  for (int i = 0; i < N_IN; i++) {
    const double half_unit = in_type[i] == 0 ? 1.0 / 4096 : in_type[i] == 1 ? 1.0 / 512 : 1.0 / 33554432;
    if (in_type[i] == 3) continue;
    for (double &x : moved.real[(size_t)i]) x *= 1 + (uniform() < 0.5 ? -half_unit : half_unit);
  }
  if (!reference(moved, result, &reach)) return 0;
  for (size_t i = 0; i < (size_t)N_OUT; i++) {
    double num = 0, den = 0;
    for (size_t j = 0; j < result.real[i].size(); j++) {
      double r = expected.real[i][j], d = result.real[i][j] - r;
      num += d * d;
      den += r * r;
    }
    if (den > 0 && std::isfinite(num)) worst = std::max(worst, std::sqrt(num / den));
  }
  return worst;
}

static tensors new_tensors(const long *elems, const int *type, int n)
{
  tensors t;
  for (int i = 0; i < n; i++) {
    size_t bytes = (size_t)elems[i] * type_size(type[i]);
    t.bytes.push_back(host_memory(bytes));
    memset(t.bytes.back(), 0xff, bytes);
    t.real.emplace_back((size_t)elems[i]);
  }
  t.bytes.push_back(NULL);
  return t;
}

static bool write_all(FILE *f, const std::vector<double> &x)
{
  return fwrite(x.data(), sizeof(double), x.size(), f) == x.size();
}

static bool write_dump(const char *path, const tensors &in, const tensors &expected, const tensors &out)
{
  FILE *f = fopen(path, "wb");
  bool ok = f != NULL;
  for (auto &x : in.real) ok = ok && write_all(f, x);
  for (auto &x : expected.real) ok = ok && write_all(f, x);
  for (auto &x : out.real) ok = ok && write_all(f, x);
  ok = f && !fclose(f) && ok;
  if (!ok) fprintf(stderr, "%s: cannot be written\n", path);
  return ok;
}

int main(int argc, char **argv)
{
  double scale = 1, tolerance = 5e-3, reach = 0;
  bool timed = false;
  const char *dump = NULL;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "--time") timed = true;
    else if (a == "--seed" && i + 1 < argc) state = strtoull(argv[++i], NULL, 10);
    else if (a == "--scale" && i + 1 < argc) scale = atof(argv[++i]);
    else if (a == "--tolerance" && i + 1 < argc) tolerance = atof(argv[++i]);
    else if (a == "--dump" && i + 1 < argc) dump = argv[++i];
    else { fprintf(stderr, "usage: %s [--seed N] [--scale S] [--time] [--tolerance T] [--dump FILE]\n", argv[0]); return 2; }
  }
  tensors in = new_tensors(in_elems, in_type, N_IN);
  tensors out = new_tensors(out_elems, out_type, N_OUT);
  tensors expected = out;
  if (!fitting_inputs(in, expected, &scale, &reach)) return 3;
  int status = run(in.bytes.data(), out.bytes.data(), assay_workspace_bytes(), timed);
  if (status < 0) { fprintf(stderr, "launch failed: %s\n", library_error()); return 4; }
  if (status > 1) { fprintf(stderr, "launch failed with %d\n", status); return 4; }
  double worst = 0, top = 0;
  long bad = 0;
  for (size_t i = 0; i < (size_t)N_OUT; i++) {
    double num = 0, den = 0;
    for (size_t j = 0; j < out.real[i].size(); j++) {
      double x = out.real[i][j] = get(out.bytes[i], j, out_type[i]), r = expected.real[i][j];
      if (!std::isfinite(x) && std::isfinite(r)) bad++;
      num += (x - r) * (x - r);
      den += r * r;
      top = std::max(top, std::fabs(r));
    }
    double e = den > 0 ? std::sqrt(num / den) : std::sqrt(num);
    if (!(e <= worst)) worst = e;
  }
  if (dump && !write_dump(dump, in, expected, out)) return 4;
  const double moves = sensitivity(in, expected);
  const double allowed = std::max(tolerance, std::min(4 * moves, 10 * tolerance)); /* never past ten times what was asked for */
  bool ok = status == 0 && bad == 0 && worst <= allowed;
  printf("{\"program\": \"%s\", \"ok\": %s, \"rel_frobenius\": ", NAME, ok ? "true" : "false");
  if (std::isfinite(worst)) printf("%.4g", worst); else printf("null");
  printf(", \"not_finite\": %ld, \"largest\": %.4g, \"reach\": %.4g, \"scale\": %.4g, \"sensitivity\": %.4g, \"hot_us\": %.3f, \"cold_us\": %.3f}\n", bad, top, reach,
         scale, moves, hot_us, cold_us);
  return ok ? 0 : 1;
}

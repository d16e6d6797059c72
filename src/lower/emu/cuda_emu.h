/* The CUDA execution model on a CPU, for the functions of the kernels' prelude: blocks one after
 * another, threads as fibers, block barriers, warp collectives, asynchronous copies.  Every shared
 * byte has a shadow (who wrote and read it since which barrier, whether a copy into it is in
 * flight), every global access is checked against the registered buffers.  Reports: races, reads of
 * bytes never written, accesses out of bounds or misaligned, barriers or collectives that not all
 * threads reach.  Included by generated text only (with AS_EMU defined). */
#ifndef AS_CUDA_EMU_H
#define AS_CUDA_EMU_H
#include <array>
#include <functional>
#include <map>
#include <math.h>
#include <memory>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <vector>

/* the limits of the GPU that the text is for come from the command line that compiles it */
#if !defined(AS_EMU_SHARED_BLOCK) || !defined(AS_EMU_GRID) || !defined(AS_EMU_THREADS)
#error "AS_EMU_SHARED_BLOCK, AS_EMU_GRID and AS_EMU_THREADS say what a block and a grid may have"
#endif

#define AS_DEV static inline __attribute__((unused))
#define AS_KERNEL(threads) static __attribute__((unused)) void
#define AS_KERNEL_AT_ONCE(threads) AS_KERNEL(threads)
#define AS_KERNEL_BESIDE(threads, blocks) AS_KERNEL(threads)
#define AS_PART static inline void
#define AS_SMEM(sm) const as_sm sm = {0}
#define AS_ROUNDS(all) as_emu::rounds(all)
#define AS_LAUNCH(kernel, blocks, threads, smem, stream, args)                                     \
  ((void)(stream), as_emu::launch(#kernel, blocks, threads, smem, [=] { kernel(args); }))
typedef void *cudaStream_t;
typedef int cudaError_t;

enum {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMisalignedAddress = 716,
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8
};

struct as_sm {
  int unused;
};

/* hidden: libraries in one process have a machine each, and one that is closed leaves nothing
 * behind that another one would call */
#pragma GCC visibility push(hidden)

namespace as_emu {

enum state { RUN, BARRIER, WARP, DONE };

enum { UNWRITTEN, WRITTEN, IN_FLIGHT };

const int NOBODY = -1, MANY = -2, STACK = 256 * 1024, REPORTS = 12;

struct shadow {
  int writer = NOBODY, reader = NOBODY;
  unsigned wepoch = 0, repoch = 0;
  int st = UNWRITTEN;
};

struct copy {
  int off, n;
  const char *from; /* NULL: zeros */
};

struct thread {
  ucontext_t ctx; /* where it begins */
  jmp_buf at;     /* where it waits, once it has begun */
  bool begun = false;
  std::unique_ptr<char[]> stack; /* of STACK bytes, of which few are ever touched */
  state st = DONE;
  std::vector<copy> open;
  std::vector<std::vector<copy>> groups;
};

struct lane {
  float f[4];
  unsigned a[4], b[2];
  float a32[4], b32[2];
  int off, d, op;
  unsigned *dst;
  float *c;
  float out;
};

/* zeros, of which the system makes only those that are touched */
struct zeros {
  std::unique_ptr<long, void (*)(void *)> at{NULL, free};

  void make(size_t n) {
    at.reset((long *)calloc(n ? n : 1, sizeof(long)));
    if (!at)
      abort();
  }
};

struct buffer {
  size_t bytes;
  bool writable;
  zeros owner; /* who has written each byte */
};

struct machine {
  jmp_buf scheduler;
  std::vector<thread> t;
  std::vector<unsigned char> mem;
  std::vector<shadow> sh;
  std::vector<lane> lanes;
  std::map<uintptr_t, buffer> buffers;
  std::function<void()> body;
  const char *kernel = "";
  bool asked = false,
       told = false; /* of barriers that ask: some thread until now, and at the last */
  int cur = 0;
  unsigned epoch = 1, block = 0;
  long errors = 0, launches = 0;
  /* Of a trial: which blocks of a launch are left out, what is to be done behind it, and who sees
   * each access of global memory before it is made.  NULL: all blocks run. */
  bool (*leaves_out)(unsigned block, unsigned blocks) = NULL;
  void (*behind)() = NULL;
  bool (*watch)(const void *p, size_t n, bool write) = NULL;
  long most_rounds = 0; /* iterations of a loop that accumulates; 0: all */
};

inline machine &M() {
  static machine m;
  return m;
}

__attribute__((format(printf, 1, 2))) inline void report(const char *fmt, ...) {
  machine &m = M();
  if (m.errors++ >= REPORTS)
    return;
  va_list ap;
  va_start(ap, fmt);
  fprintf(stderr, "emulation: kernel %s, block %u, thread %d: ", m.kernel, m.block, m.cur);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  va_end(ap);
}

/* how often a loop runs that accumulates, and whose trial may stop early */
inline long rounds(long all) {
  return M().most_rounds && all > M().most_rounds ? M().most_rounds : all;
}

/* Contexts are switched by jumps: swapcontext() asks the system for the signal mask each time.  The
 * function is named anew because the checked variant refuses to jump from one stack to another. */
extern "C" __attribute__((noreturn)) void jump(jmp_buf, int) __asm__("_longjmp");

inline void yield() {
  machine &m = M();
  if (!_setjmp(m.t[(size_t)m.cur].at))
    jump(m.scheduler, 1);
}

/* runs a thread until it waits or is done */
inline void resume(thread &t) {
  if (_setjmp(M().scheduler))
    return;
  if (t.begun)
    jump(t.at, 1);
  t.begun = true;
  setcontext(&t.ctx);
}

/* --- global memory */
/* no buffer of an earlier launch is known any more */
inline void forget() {
  M().buffers.clear();
}

/* what is known as one buffer with an input: inputs may lie within each other (a tensor and a part
 * of it), and then what may be read is all the memory that they have together */
inline void join(uintptr_t *begin, uintptr_t *end) {
  machine &m = M();
  auto it = m.buffers.lower_bound(*end);
  while (it != m.buffers.begin()) {
    --it;
    uintptr_t other = it->first, beyond = other + it->second.bytes;
    if (beyond <= *begin)
      break; /* known buffers do not overlap each other: those before it end earlier */
    if (it->second.writable)
      continue;
    *begin = other < *begin ? other : *begin;
    *end = beyond > *end ? beyond : *end;
    it = m.buffers.erase(it);
  }
}

inline void add(const void *p, size_t bytes, bool writable) {
  uintptr_t begin = (uintptr_t)p, end = begin + bytes;
  buffer b;
  b.writable = writable;
  if (!writable)
    join(&begin, &end);
  b.bytes = end - begin;
  if (!bytes && M().buffers.count(begin))
    return; /* nothing is read of it; what is known there stays */
  if (writable && !M().watch)
    b.owner.make(bytes);
  M().buffers[begin] = std::move(b);
}

inline bool global(const void *p, size_t n, bool write) {
  machine &m = M();
  auto it = m.buffers.upper_bound((uintptr_t)p);
  if (it == m.buffers.begin()) {
    report("global %s outside every buffer", write ? "write" : "read");
    return false;
  }
  --it;
  size_t at = (uintptr_t)p - it->first;
  if (at + n > it->second.bytes) {
    report("global %s of %zu bytes at %zu of a buffer of %zu", write ? "write" : "read", n, at,
           it->second.bytes);
    return false;
  }
  if ((uintptr_t)p % n) {
    report("misaligned global access of %zu bytes", n);
    return false;
  }
  if (write && !it->second.writable) {
    report("global write to an input");
    return false;
  }
  if (m.watch)
    return m.watch(p, n, write);
  if (!write)
    return true;
  long me = (m.launches << 40) + ((long)m.block << 12) + m.cur + 1;
  long *owner = it->second.owner.at.get();
  for (size_t i = at; i < at + n; i++) {
    if (owner[i] >> 40 == m.launches && owner[i] != me) {
      report("an element is written by two threads");
      return false;
    }
    owner[i] = me;
  }
  return true;
}

/* --- shared memory */
inline bool inside(int off, int n) {
  machine &m = M();
  if (off < 0 || (size_t)off + (size_t)n > m.mem.size()) {
    report("shared access of %d bytes at %d of %zu", n, off, m.mem.size());
    return false;
  }
  if (off % n) {
    report("misaligned shared access of %d bytes at %d", n, off);
    return false;
  }
  return true;
}

inline void wrote(int off, int n, int st) {
  machine &m = M();
  for (int i = off; i < off + n; i++) {
    shadow &s = m.sh[(size_t)i];
    if (s.st == IN_FLIGHT) {
      report("write of shared byte %d while a copy into it is in flight", i);
      break;
    }
    if (s.wepoch == m.epoch && s.writer != m.cur) {
      report("race: shared byte %d written by threads %d and %d without a barrier", i, s.writer,
             m.cur);
      break;
    }
    if (s.repoch == m.epoch && s.reader != m.cur) {
      report("race: shared byte %d written after a read by thread %d without a barrier", i,
             s.reader);
      break;
    }
    s.writer = m.cur;
    s.wepoch = m.epoch;
    s.st = st;
  }
}

inline bool may_read(int off, int n) {
  machine &m = M();
  if (!inside(off, n))
    return false;
  for (int i = off; i < off + n; i++) {
    shadow &s = m.sh[(size_t)i];
    if (s.st == IN_FLIGHT) {
      report("read of shared byte %d while a copy into it is in flight", i);
      return false;
    }
    if (s.st == UNWRITTEN) {
      report("read of shared byte %d, which nothing has written", i);
      return false;
    }
    if (s.wepoch == m.epoch && s.writer != m.cur) {
      report("race: shared byte %d read after a write by thread %d without a barrier", i, s.writer);
      return false;
    }
    if (s.repoch == m.epoch && s.reader != m.cur)
      s.reader = MANY;
    else {
      s.reader = m.cur;
      s.repoch = m.epoch;
    }
  }
  return true;
}

template <class T> inline T load(int off) {
  T x;
  memset(&x, 0xff, sizeof x);
  if (may_read(off, (int)sizeof x))
    memcpy(&x, &M().mem[(size_t)off], sizeof x);
  return x;
}

template <class T> inline void store(int off, T x) {
  if (!inside(off, (int)sizeof x))
    return;
  wrote(off, (int)sizeof x, WRITTEN);
  memcpy(&M().mem[(size_t)off], &x, sizeof x);
}

/* --- warp collectives: each lane leaves its operands; the last to come computes for all */
typedef void (*warp_fn)(lane *l, int base);

inline void collective(int op, warp_fn f) {
  machine &m = M();
  int me = m.cur, base = me & ~31, n = (int)m.t.size() - base < 32 ? (int)m.t.size() - base : 32,
      here = 0;
  m.lanes[(size_t)me].op = op;
  m.t[(size_t)me].st = WARP;
  for (int i = base; i < base + n; i++)
    here += m.t[(size_t)i].st == WARP;
  if (here < n) {
    yield();
    return;
  }
  for (int i = base; i < base + n; i++)
    if (m.lanes[(size_t)i].op != op) {
      report("lanes of a warp are at different collectives");
      break;
    }
  f(&m.lanes[(size_t)base], base);
  m.cur = me;
  for (int i = base; i < base + n; i++)
    m.t[(size_t)i].st = RUN;
}

inline void enter() {
  machine &m = M();
  m.body();
  m.t[(size_t)m.cur].st = DONE;
  for (;;)
    yield();
}

inline void run_block(unsigned threads) {
  machine &m = M();
  std::fill(m.mem.begin(), m.mem.end(), 0xff);
  m.sh.assign(m.mem.size(), shadow());
  m.epoch = 1;
  for (unsigned i = 0; i < threads; i++) {
    thread &t = m.t[i];
    if (!t.stack)
      t.stack.reset(new char[STACK]);
    t.open.clear();
    t.groups.clear();
    t.st = RUN;
    getcontext(&t.ctx);
    t.ctx.uc_stack.ss_sp = t.stack.get();
    t.ctx.uc_stack.ss_size = STACK;
    t.ctx.uc_link = NULL; /* enter() does not return */
    t.begun = false;
    makecontext(&t.ctx, (void (*)())enter, 0);
  }
  for (;;) {
    size_t ran = 0, waiting = 0, done = 0;
    for (unsigned i = 0; i < threads; i++) {
      if (m.t[i].st != RUN)
        continue;
      m.cur = (int)i;
      ran++;
      resume(m.t[i]);
    }
    for (unsigned i = 0; i < threads; i++) {
      waiting += m.t[i].st == BARRIER;
      done += m.t[i].st == DONE;
    }
    if (done == threads)
      break;
    if (waiting == threads) {
      m.epoch++;
      m.told = m.asked;
      m.asked = false;
      for (auto &t : m.t)
        t.st = RUN;
      continue;
    }
    if (!ran) {
      report("threads wait for others that never come (%zu at a barrier, %zu finished)", waiting,
             done);
      break;
    }
  }
  for (unsigned i = 0; i < threads; i++) {
    m.cur = (int)i;
    bool left = !m.t[i].open.empty();
    for (auto &g : m.t[i].groups)
      left = left || !g.empty();
    if (left) {
      report("copies still in flight at the end");
      break;
    }
  }
}

inline void launch(const char *name, unsigned blocks, int threads, long smem,
                   std::function<void()> body) {
  machine &m = M();
  m.kernel = name;
  m.launches++;
  m.body = body;
  if (smem > AS_EMU_SHARED_BLOCK)
    report("more shared memory than a block may have");
  if (threads > AS_EMU_THREADS)
    report("more threads than a block may have");
  if (blocks == 0 || blocks > AS_EMU_GRID)
    report("a grid of %u blocks", blocks);
  m.mem.assign((size_t)smem, 0xff);
  m.t.resize((size_t)threads);
  m.lanes.assign((size_t)threads, lane());
  for (unsigned b = 0; b < blocks; b++) {
    if (m.leaves_out && m.leaves_out(b, blocks))
      continue;
    m.block = b;
    run_block((unsigned)threads);
  }
  if (m.behind)
    m.behind();
}

/* --- 16-bit numbers, rounded to nearest even */
inline float of_f16(uint16_t h) {
  int e = h >> 10 & 31, f = h & 1023;
  float x = e == 31 ? (f ? NAN : INFINITY)
            : e     ? ldexpf((float)(f + 1024), e - 25)
                    : ldexpf((float)f, -24);
  return h & 0x8000 ? -x : x;
}

inline uint16_t to_f16(float x) {
  uint16_t s = signbit(x) ? 0x8000 : 0;
  float a = fabsf(x);
  if (isnan(x))
    return (uint16_t)(s | 0x7e00);
  if (a >= 65520.0f)
    return (uint16_t)(s | 0x7c00);
  int e;
  frexpf(a, &e);
  int q = e - 11 < -24 ? -24 : e - 11;
  long n = lrintf(ldexpf(a, -q)); /* the current rounding mode is to nearest even */
  if (n == 0)
    return s;
  if (n >= 2048) {
    n /= 2;
    q++;
  }
  return (uint16_t)(n < 1024 ? s | n : s | ((q + 25) << 10) | (n - 1024));
}

inline float of_bf16(uint16_t h) {
  uint32_t u = (uint32_t)h << 16;
  float x;
  memcpy(&x, &u, 4);
  return x;
}

inline uint16_t to_bf16(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  if (isnan(x))
    return 0x7fff;
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

inline void do_shfl(lane *l, int base) {
  (void)base;
  float v[32];
  for (int i = 0; i < 32; i++)
    v[i] = l[i].f[0];
  for (int i = 0; i < 32; i++)
    l[i].out = v[i ^ l[i].d];
}

template <int N, bool T> inline void do_ldsm(lane *l, int base) {
  uint16_t m[N][8][8];
  for (int q = 0; q < N; q++)
    for (int r = 0; r < 8; r++) {
      int off = l[q * 8 + r].off;
      M().cur = base + q * 8 + r;
      memset(m[q][r], 0xff, 16);
      if (off % 16 == 0 && may_read(off, 16))
        memcpy(m[q][r], &M().mem[(size_t)off], 16);
      else if (off % 16)
        report("ldmatrix row at byte %d, not a multiple of 16", off);
    }
  for (int i = 0; i < 32; i++)
    for (int q = 0; q < N; q++) {
      int g = i >> 2, t = i & 3;
      unsigned a = T ? m[q][2 * t][g] : m[q][g][2 * t],
               b = T ? m[q][2 * t + 1][g] : m[q][g][2 * t + 1];
      l[i].dst[q] = a | b << 16;
    }
}

template <bool BF> inline void do_mma(lane *l, int base) {
  (void)base;
  float A[16][16], B[16][8];
  auto num = [](unsigned h) { return BF ? of_bf16((uint16_t)h) : of_f16((uint16_t)h); };
  for (int i = 0; i < 32; i++) {
    int g = i >> 2, t = i & 3;
    for (int q = 0; q < 4; q++)
      for (int h = 0; h < 2; h++)
        A[g + (q & 1) * 8][2 * t + h + (q >> 1) * 8] = num(l[i].a[q] >> (16 * h) & 0xffff);
    for (int q = 0; q < 2; q++)
      for (int h = 0; h < 2; h++)
        B[2 * t + h + q * 8][g] = num(l[i].b[q] >> (16 * h) & 0xffff);
  }
  for (int i = 0; i < 32; i++)
    for (int q = 0; q < 4; q++) {
      int r = (i >> 2) + (q >> 1) * 8, c = (i & 3) * 2 + (q & 1);
      float s = 0;
      for (int k = 0; k < 16; k++)
        s += A[r][k] * B[k][c];
      l[i].c[q] += s;
    }
}

template <int N, bool T> inline void ldsm(unsigned *d, int off) {
  lane &l = M().lanes[(size_t)M().cur];
  l.dst = d;
  l.off = off;
  collective(16 + N * 2 + T, do_ldsm<N, T>);
}

template <bool BF> inline void mma(float *c, const unsigned *a, const unsigned *b) {
  lane &l = M().lanes[(size_t)M().cur];
  memcpy(l.a, a, sizeof l.a);
  memcpy(l.b, b, sizeof l.b);
  l.c = c;
  collective(8 + BF, do_mma<BF>);
}
} // namespace as_emu

#pragma GCC visibility pop

/* --- what the prelude names on a device */
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

template <class F> inline cudaError_t cudaFuncSetAttribute(F, int, long bytes) {
  return bytes > AS_EMU_SHARED_BLOCK ? cudaErrorInvalidValue : cudaSuccess;
}

AS_DEV int as_tid() {
  return as_emu::M().cur;
}

AS_DEV unsigned as_bid() {
  return as_emu::M().block;
}

AS_DEV void as_sync() {
  as_emu::machine &m = as_emu::M();
  m.t[(size_t)m.cur].st = as_emu::BARRIER;
  as_emu::yield();
}

AS_DEV bool as_sync_any(bool here) {
  as_emu::machine &m = as_emu::M();
  m.asked = m.asked || here;
  as_sync();
  return m.told;
}

AS_DEV float as_shfl_xor(float x, int d) {
  as_emu::lane &l = as_emu::M().lanes[(size_t)as_emu::M().cur];
  l.f[0] = x;
  l.d = d;
  as_emu::collective(1, as_emu::do_shfl);
  return l.out;
}

AS_DEV float as_exp2f(float x) {
  return exp2f(x);
}

AS_DEV float as_expf(float x) {
  return expf(x);
}

AS_DEV float as_maxf(float x, float y) {
  return x > y || std::isnan(x) ? x : y;
}

AS_DEV float as_minf(float x, float y) {
  return x < y || std::isnan(x) ? x : y;
}

AS_DEV float as_mulf(float x, float y) {
  return x * y;
}

/* within what it may be away, for all numbers */
AS_DEV float as_divf(float a, float b) {
  const float size = fabsf(b);
  const float scale = size > 0x1p64f ? 0x1p-64f : size < 0x1p-64f ? 0x1p64f : 1.0f;
  return (a * scale) * (1.0f / (b * scale));
}

template <int N> AS_DEV void as_cp_async(as_sm, int off, const void *p, size_t at) {
  const char *g = (const char *)p + at;
  if (!as_emu::inside(off, N) || !as_emu::global(g, N, false))
    return;
  as_emu::wrote(off, N, as_emu::IN_FLIGHT);
  as_emu::M().t[(size_t)as_emu::M().cur].open.push_back({off, N, g});
}

template <int N> AS_DEV void as_cp_zero(int off) {
  if (!as_emu::inside(off, N))
    return;
  as_emu::wrote(off, N, as_emu::IN_FLIGHT);
  as_emu::M().t[(size_t)as_emu::M().cur].open.push_back({off, N, NULL});
}

template <int N, int COUNT, int TO, long FROM>
AS_DEV void as_cp_async_row(as_sm sm, int off, const void *p, size_t at, int left) {
  for (int i = 0; i < COUNT; i++) {
    if (i < left)
      as_cp_async<N>(sm, off + i * TO, p, at + (size_t)(FROM * i));
    else
      as_cp_zero<N>(off + i * TO);
  }
}

AS_DEV void as_cp_commit() {
  as_emu::thread &t = as_emu::M().t[(size_t)as_emu::M().cur];
  t.groups.push_back(t.open);
  t.open.clear();
}

template <int N> AS_DEV void as_cp_wait() {
  as_emu::machine &m = as_emu::M();
  auto &groups = m.t[(size_t)m.cur].groups;
  while (groups.size() > (size_t)N) {
    for (auto &c : groups.front()) {
      if (c.from)
        memcpy(&m.mem[(size_t)c.off], c.from, (size_t)c.n);
      else
        memset(&m.mem[(size_t)c.off], 0, (size_t)c.n);
      for (int i = c.off; i < c.off + c.n; i++) {
        m.sh[(size_t)i].st = as_emu::WRITTEN;
        m.sh[(size_t)i].writer = m.cur;
        m.sh[(size_t)i].wepoch = m.epoch;
      }
    }
    groups.erase(groups.begin());
  }
}

AS_DEV float as_lds_f32(as_sm, int off) {
  return as_emu::load<float>(off);
}

AS_DEV float as_lds_f16(as_sm, int off) {
  return as_emu::of_f16(as_emu::load<uint16_t>(off));
}

AS_DEV float as_lds_bf16(as_sm, int off) {
  return as_emu::of_bf16(as_emu::load<uint16_t>(off));
}

AS_DEV unsigned as_lds_u16(as_sm, int off) {
  return as_emu::load<uint16_t>(off);
}

AS_DEV void as_sts_f32(as_sm, int off, float x) {
  as_emu::store(off, x);
}

AS_DEV void as_sts_f16(as_sm, int off, float x) {
  as_emu::store(off, as_emu::to_f16(x));
}

AS_DEV void as_sts_bf16(as_sm, int off, float x) {
  as_emu::store(off, as_emu::to_bf16(x));
}

AS_DEV void as_sts2_f16(as_sm, int off, float x, float y) {
  as_emu::store(off, (uint32_t)as_emu::to_f16(x) | (uint32_t)as_emu::to_f16(y) << 16);
}

AS_DEV void as_sts2_bf16(as_sm, int off, float x, float y) {
  as_emu::store(off, (uint32_t)as_emu::to_bf16(x) | (uint32_t)as_emu::to_bf16(y) << 16);
}

AS_DEV void as_sts_raw16(as_sm, int off, unsigned short x) {
  as_emu::store(off, (uint16_t)x);
}

#include "memory_emu.h"

AS_DEV void as_ldsm4(unsigned *d, as_sm, int off) {
  as_emu::ldsm<4, false>(d, off);
}

AS_DEV void as_ldsm4t(unsigned *d, as_sm, int off) {
  as_emu::ldsm<4, true>(d, off);
}

AS_DEV void as_ldsm2(unsigned *d, as_sm, int off) {
  as_emu::ldsm<2, false>(d, off);
}

AS_DEV void as_ldsm2t(unsigned *d, as_sm, int off) {
  as_emu::ldsm<2, true>(d, off);
}

AS_DEV void as_mma_f16(float *c, const unsigned *a, const unsigned *b) {
  as_emu::mma<false>(c, a, b);
}

AS_DEV void as_mma_bf16(float *c, const unsigned *a, const unsigned *b) {
  as_emu::mma<true>(c, a, b);
}

#include "tf32_emu.h"
#endif

/* The functions of kernels printed from thread graphs, on the CPU: each does what the row of its
 * instruction means by the documentation's formulas, not by the row's layout.  Included by
 * generated text only (with AS_EMU defined), after cuda_emu.h. */
#ifndef AS_THREADS_EMU_H
#define AS_THREADS_EMU_H
#include "cuda_emu.h"

#define AT_MAP const CUtensorMap
#define AT_LAUNCH(kernel, blocks, threads, smem, stream, ...)                                      \
  ((void)(stream), as_emu::launch(#kernel, blocks, threads, smem, [=] { kernel(__VA_ARGS__); }))

#define AT_LAUNCH_AFTER AT_LAUNCH

struct CUtensorMap {
  const char *base;
  int type;
  unsigned long long rows, cols, pitch;
  unsigned box_rows, swizzle;
};

#pragma GCC visibility push(hidden)

namespace as_emu {

struct mbarrier {
  unsigned count = 0, pending = 0, phase = 0;
  long tx = 0;
};

const long SPINS = 4000000; /* a wait that lasts longer never ends */

inline std::map<unsigned, mbarrier> &mbarriers() {
  static std::map<unsigned, mbarrier> m;
  static unsigned block = ~0u;
  static long launches = -1;
  if (block != M().block || launches != M().launches) { /* shared memory of another block */
    m.clear();
    block = M().block;
    launches = M().launches;
  }
  return m;
}

inline mbarrier *find_mbarrier(unsigned bar) {
  auto it = mbarriers().find(bar);
  if (it == mbarriers().end()) {
    report("a barrier at %u that is not initialised", bar);
    return nullptr;
  }
  return &it->second;
}

inline void advance(mbarrier *b) {
  if (b->pending || b->tx)
    return;
  b->phase++;
  b->pending = b->count;
}

inline void landed(int off, int n) {
  for (int i = off; i < off + n; i++) {
    shadow &s = M().sh[(size_t)i];
    s.st = WRITTEN;
    s.writer = NOBODY;
    s.wepoch = 0;
  }
}

/* 16-byte chunks of the box: address bits [4, 7) ^= bits [7, 10), within the swizzle's width */
inline void bulk(unsigned dst, const CUtensorMap *map, unsigned x, unsigned y, unsigned bar) {
  mbarrier *b = find_mbarrier(bar);
  unsigned size = map->type == 2 ? 4 : 2, cols = map->swizzle / size;
  unsigned align = map->swizzle * 8;
  if (dst % align)
    report("a box at byte %u, not a multiple of %u", dst, align);
  for (unsigned r = 0; r < map->box_rows; r++) {
    for (unsigned c = 0; c < cols; c++) {
      unsigned at = dst + r * map->swizzle + c * size;
      at ^= ((at >> 7 & 7) << 4) & (map->swizzle - 1);
      if (!inside((int)at, (int)size))
        return;
      bool in = y + r < map->rows && x + c < map->cols;
      const char *from = map->base + ((size_t)(y + r) * map->pitch + x + c) * size;
      if (in && (M().watch || c == 0 || c + 1 == cols) && !global(from, size, false))
        return;
      if (in)
        memcpy(&M().mem[at], from, size);
      else
        memset(&M().mem[at], 0, size);
      landed((int)at, (int)size);
    }
  }
  if (b) {
    b->tx -= (long)map->box_rows * map->swizzle;
    advance(b);
  }
}

inline void nothing(lane *, int) {
}

template <class T, int N> inline void load_shared(T **r, unsigned s) {
  if (!inside((int)s, N * 4))
    return;
  for (int i = 0; i < N; i++)
    *r[i] = load<T>((int)s + 4 * i);
}

template <class T, int N> inline void store_shared(unsigned s, const T *r) {
  if (!inside((int)s, N * 4))
    return;
  for (int i = 0; i < N; i++)
    store((int)s + 4 * i, r[i]);
}

template <class T, int N> inline void load_global(T **r, const void *g) {
  if (!global(g, N * 4, false))
    return;
  for (int i = 0; i < N; i++)
    memcpy(r[i], (const char *)g + 4 * i, 4);
}

template <class T, int N> inline void store_global(void *g, const T *r) {
  if (global(g, N * 4, true))
    memcpy(g, r, N * 4);
}

template <int N> inline void copy_async(unsigned dst, const void *src, unsigned n) {
  static const char zero[16] = {0};
  if (!inside((int)dst, N) || (n && !global(src, N, false)))
    return;
  if (n != 0 && n != N)
    report("a copy of %u of %d bytes", n, N);
  wrote((int)dst, N, IN_FLIGHT);
  M().t[(size_t)M().cur].open.push_back({(int)dst, N, n ? (const char *)src : zero});
}

/* --- products of warpgroups: each runs as late as it may, when its group is waited for, on what
 * then lies in shared memory; until then its accumulators hold no number */
struct product {
  float *c;
  unsigned long long a, b;
  int n;
  bool bf, along_n;              /* b lies in rows of 64 n */
  const unsigned *held;          /* the first operand's registers, or NULL */
  std::array<unsigned, 4> own;   /* what they were */
  std::array<uint16_t, 32> rows; /* two rows of it, that four lanes hold */
};

struct product_queue {
  std::vector<product> open;
  std::vector<std::vector<product>> groups;
  std::map<float *, std::vector<float>> held; /* what accumulators under way were */
};

inline product_queue &products_of(int thread) {
  static std::map<int, product_queue> all;
  static unsigned block = ~0u;
  static long launches = -1;
  if (block != M().block || launches != M().launches) {
    for (auto &q : all) {
      bool left = !q.second.open.empty();
      for (auto &g : q.second.groups)
        left = left || !g.empty();
      if (left) {
        report("products of a warpgroup that nobody has waited for");
        break;
      }
    }
    all.clear();
    block = M().block;
    launches = M().launches;
  }
  return all[thread];
}

/* the address of element (row, k) of an operand: 16-byte chunks, bits [4, 7) ^= bits [7, 10) */
inline int operand_at(unsigned long long d, bool along_row, int row, int k) {
  unsigned start = (unsigned)(d & 0x3fff) << 4, lead = (unsigned)(d >> 16 & 0x3fff) << 4,
           group = (unsigned)(d >> 32 & 0x3fff) << 4;
  if (d >> 62 != 1 || (d >> 49 & 7))
    report("a descriptor of another swizzle");
  unsigned r = (unsigned)row, x = (unsigned)k;
  unsigned at = along_row ? start + r / 64 * lead + x / 8 * group + x % 8 * 128 + r % 64 * 2
                          : start + r / 8 * group + r % 8 * 128 + x * 2;
  return (int)(at ^ (at >> 7 & 7) << 4);
}

inline void run_product(const product &p, int lane, int warp) {
  if (p.held && !std::equal(p.own.begin(), p.own.end(), p.held))
    report("an operand's registers are written while a product reads them");
  auto num = [&](uint16_t h) { return p.bf ? of_bf16(h) : of_f16(h); };
  for (int d = 0; d < p.n / 2; d++) {
    int i = 16 * warp + (lane >> 2) + (d & 2 ? 8 : 0), j = 8 * (d >> 2) + 2 * (lane & 3) + (d & 1);
    float s = 0;
    for (int k = 0; k < 16; k++) {
      uint16_t x = p.held ? p.rows[(size_t)((d & 2 ? 16 : 0) + k)]
                          : load<uint16_t>(operand_at(p.a, false, i, k));
      s += num(x) * num(load<uint16_t>(operand_at(p.b, p.along_n, j, k)));
    }
    p.c[d] += s;
  }
}

inline void hold_accumulator(product_queue &q, const product &p) {
  if (q.held.count(p.c))
    return;
  q.held[p.c].assign(p.c, p.c + p.n / 2);
  std::fill(p.c, p.c + p.n / 2, NAN);
}

inline void issue_product(const product &p) {
  product_queue &q = products_of(M().cur);
  hold_accumulator(q, p);
  q.open.push_back(p);
}

/* rows lane / 4 and lane / 4 + 8 of a fragment, which four lanes hold */
inline void share_rows(lane *l, int) {
  for (int i = 0; i < 32; i++) {
    for (int e = 0; e < 32; e++) {
      int row = e / 16, k = e % 16;
      unsigned both = l[(i & ~3) + k % 8 / 2].a[row + k / 8 * 2];
      l[i].c[e] = (float)(both >> (k & 1) * 16 & 0xffff);
    }
  }
}

inline void issue_held(float *c, const unsigned *a, unsigned long long b, int n, bool bf,
                       bool along_n) {
  float rows[32];
  lane &l = M().lanes[(size_t)M().cur];
  product p = {c, 0, b, n, bf, along_n, a, {a[0], a[1], a[2], a[3]}, {}};
  memcpy(l.a, a, sizeof l.a);
  l.c = rows;
  collective(3, share_rows);
  for (size_t e = 0; e < 32; e++)
    p.rows[e] = (uint16_t)rows[e];
  issue_product(p);
}

inline void wait_products(int left) {
  product_queue &q = products_of(M().cur);
  int thread = M().cur;
  std::vector<product> later = q.open;
  for (size_t i = 0; i < q.groups.size(); i++) {
    if (i + (size_t)left < q.groups.size()) {
      for (const product &p : q.groups[i]) {
        auto was = q.held.find(p.c);
        if (was != q.held.end())
          std::copy(was->second.begin(), was->second.end(), p.c);
        q.held.erase(p.c);
        run_product(p, thread & 31, thread >> 5 & 3);
      }
      q.groups[i].clear();
    }
    later.insert(later.end(), q.groups[i].begin(), q.groups[i].end());
  }
  for (const product &p : later)
    hold_accumulator(q, p);
}
} // namespace as_emu

#pragma GCC visibility pop

inline int at_tensor_map(CUtensorMap *map, const void *base, int type, unsigned long long rows,
                         unsigned long long cols, unsigned long long pitch, unsigned box_rows,
                         unsigned swizzle) {
  *map = {(const char *)base, type, rows, cols, pitch, box_rows, swizzle};
  return 0;
}

AS_DEV unsigned at_shared(as_sm) {
  return 0;
}

AS_DEV void at_syncwarp() {
  as_emu::collective(2, as_emu::nothing);
}

AS_DEV float at_inv(float x) {
  return 1.0f / x;
}

AS_DEV float at_div(float x, float y) {
  const float size = fabsf(y);
  const float scale = size > 0x1p64f ? 0x1p-64f : size < 0x1p-64f ? 0x1p64f : 1.0f;
  return (x * scale) * at_inv(y * scale);
}

AS_DEV float at_rsqrt(float x) {
  return 1.0f / sqrtf(x);
}

template <int N> AS_DEV bool at_far(const float *m) {
  bool far = false;
  for (int i = 0; i < N; i++)
    far = far || !(fabsf(m[i]) <= 1024.0f);
  return far;
}

AS_DEV float at_log2e(float x) {
  return x * 1.4426950408889634f;
}

AS_DEV float at_exp_near(float x, float shift) {
  return as_exp2f(fmaf(x, 1.4426950408889634f, -shift));
}

AS_DEV float at_is_zero(float x) {
  return x == 0 ? 1.0f : 0.0f;
}

AS_DEV float at_erf(float x) {
  const float t = fabsf(x);
  static const float a[] = {0.0002765672f, 0.0001520143f, 0.0092705272f,
                            0.0422820123f, 0.0705230784f, 1.0f};
  float y = 0.0000430638f;
  for (float c : a)
    y = fmaf(y, t, c);
  return copysignf(1.0f - 1.0f / powf(y, 16.0f), x);
}

AS_DEV float at_shfl(float x, int mask) {
  return as_shfl_xor(x, mask);
}

AS_DEV unsigned at_pack_f16(float x, float y) {
  return (unsigned)as_emu::to_f16(x) | (unsigned)as_emu::to_f16(y) << 16;
}

AS_DEV float at_lo_f16(unsigned v) {
  return as_emu::of_f16((uint16_t)v);
}

AS_DEV float at_hi_f16(unsigned v) {
  return as_emu::of_f16((uint16_t)(v >> 16));
}

AS_DEV unsigned at_mul2_f16(unsigned a, unsigned b) {
  return at_pack_f16(at_lo_f16(a) * at_lo_f16(b), at_hi_f16(a) * at_hi_f16(b));
}

AS_DEV void at_mma_m16n8k16_f16(float &c0, float &c1, float &c2, float &c3, unsigned a0,
                                unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  float c[4] = {c0, c1, c2, c3};
  unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
  as_emu::mma<false>(c, a, b);
  c0 = c[0];
  c1 = c[1];
  c2 = c[2];
  c3 = c[3];
}

AS_DEV unsigned at_pack_bf16(float x, float y) {
  return (unsigned)as_emu::to_bf16(x) | (unsigned)as_emu::to_bf16(y) << 16;
}

AS_DEV float at_lo_bf16(unsigned v) {
  return as_emu::of_bf16((uint16_t)v);
}

AS_DEV float at_hi_bf16(unsigned v) {
  return as_emu::of_bf16((uint16_t)(v >> 16));
}

AS_DEV unsigned at_mul2_bf16(unsigned a, unsigned b) {
  return at_pack_bf16(at_lo_bf16(a) * at_lo_bf16(b), at_hi_bf16(a) * at_hi_bf16(b));
}

AS_DEV void at_mma_m16n8k16_bf16(float &c0, float &c1, float &c2, float &c3, unsigned a0,
                                 unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  float c[4] = {c0, c1, c2, c3};
  unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
  as_emu::mma<true>(c, a, b);
  c0 = c[0];
  c1 = c[1];
  c2 = c[2];
  c3 = c[3];
}

AS_DEV void at_ldmatrix_x1(unsigned &r0, unsigned s) {
  unsigned d[1];
  as_emu::ldsm<1, false>(d, (int)s);
  r0 = d[0];
}

AS_DEV void at_ldmatrix_x1_trans(unsigned &r0, unsigned s) {
  unsigned d[1];
  as_emu::ldsm<1, true>(d, (int)s);
  r0 = d[0];
}

AS_DEV void at_ldmatrix_x2(unsigned &r0, unsigned &r1, unsigned s) {
  unsigned d[2];
  as_emu::ldsm<2, false>(d, (int)s);
  r0 = d[0];
  r1 = d[1];
}

AS_DEV void at_ldmatrix_x2_trans(unsigned &r0, unsigned &r1, unsigned s) {
  unsigned d[2];
  as_emu::ldsm<2, true>(d, (int)s);
  r0 = d[0];
  r1 = d[1];
}

AS_DEV void at_ldmatrix_x4(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3, unsigned s) {
  unsigned d[4];
  as_emu::ldsm<4, false>(d, (int)s);
  r0 = d[0];
  r1 = d[1];
  r2 = d[2];
  r3 = d[3];
}

AS_DEV void at_ldmatrix_x4_trans(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3,
                                 unsigned s) {
  unsigned d[4];
  as_emu::ldsm<4, true>(d, (int)s);
  r0 = d[0];
  r1 = d[1];
  r2 = d[2];
  r3 = d[3];
}

AS_DEV void at_cp_async_4(unsigned dst, const void *src, unsigned n) {
  as_emu::copy_async<4>(dst, src, n);
}

AS_DEV void at_ld_shared_4(float &r0, unsigned s) {
  float *r[1] = {&r0};
  as_emu::load_shared<float, 1>(r, s);
}

AS_DEV void at_st_shared_4(unsigned s, float r0) {
  const float r[1] = {r0};
  as_emu::store_shared<float, 1>(s, r);
}

AS_DEV void at_ld_global_4(unsigned &r0, const void *s) {
  unsigned *r[1] = {&r0};
  as_emu::load_global<unsigned, 1>(r, s);
}

AS_DEV void at_st_global_4(void *s, unsigned r0) {
  const unsigned r[1] = {r0};
  as_emu::store_global<unsigned, 1>(s, r);
}

AS_DEV void at_ld_global_4f(float &r0, const void *s) {
  float *r[1] = {&r0};
  as_emu::load_global<float, 1>(r, s);
}

AS_DEV void at_st_global_4f(void *s, float r0) {
  const float r[1] = {r0};
  as_emu::store_global<float, 1>(s, r);
}

AS_DEV void at_cp_async_8(unsigned dst, const void *src, unsigned n) {
  as_emu::copy_async<8>(dst, src, n);
}

AS_DEV void at_ld_shared_8(float &r0, float &r1, unsigned s) {
  float *r[2] = {&r0, &r1};
  as_emu::load_shared<float, 2>(r, s);
}

AS_DEV void at_st_shared_8(unsigned s, float r0, float r1) {
  const float r[2] = {r0, r1};
  as_emu::store_shared<float, 2>(s, r);
}

AS_DEV void at_ld_global_8(unsigned &r0, unsigned &r1, const void *s) {
  unsigned *r[2] = {&r0, &r1};
  as_emu::load_global<unsigned, 2>(r, s);
}

AS_DEV void at_st_global_8(void *s, unsigned r0, unsigned r1) {
  const unsigned r[2] = {r0, r1};
  as_emu::store_global<unsigned, 2>(s, r);
}

AS_DEV void at_ld_global_8f(float &r0, float &r1, const void *s) {
  float *r[2] = {&r0, &r1};
  as_emu::load_global<float, 2>(r, s);
}

AS_DEV void at_st_global_8f(void *s, float r0, float r1) {
  const float r[2] = {r0, r1};
  as_emu::store_global<float, 2>(s, r);
}

AS_DEV void at_cp_async_16(unsigned dst, const void *src, unsigned n) {
  as_emu::copy_async<16>(dst, src, n);
}

AS_DEV void at_ld_shared_16(float &r0, float &r1, float &r2, float &r3, unsigned s) {
  float *r[4] = {&r0, &r1, &r2, &r3};
  as_emu::load_shared<float, 4>(r, s);
}

AS_DEV void at_st_shared_16(unsigned s, float r0, float r1, float r2, float r3) {
  const float r[4] = {r0, r1, r2, r3};
  as_emu::store_shared<float, 4>(s, r);
}

AS_DEV void at_ld_global_16(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3, const void *s) {
  unsigned *r[4] = {&r0, &r1, &r2, &r3};
  as_emu::load_global<unsigned, 4>(r, s);
}

AS_DEV void at_st_global_16(void *s, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
  const unsigned r[4] = {r0, r1, r2, r3};
  as_emu::store_global<unsigned, 4>(s, r);
}

AS_DEV void at_ld_global_16f(float &r0, float &r1, float &r2, float &r3, const void *s) {
  float *r[4] = {&r0, &r1, &r2, &r3};
  as_emu::load_global<float, 4>(r, s);
}

AS_DEV void at_st_global_16f(void *s, float r0, float r1, float r2, float r3) {
  const float r[4] = {r0, r1, r2, r3};
  as_emu::store_global<float, 4>(s, r);
}

AS_DEV void at_ld_shared_4(unsigned &r0, unsigned s) {
  unsigned *r[1] = {&r0};
  as_emu::load_shared<unsigned, 1>(r, s);
}

AS_DEV void at_st_shared_4(unsigned s, unsigned r0) {
  const unsigned r[1] = {r0};
  as_emu::store_shared<unsigned, 1>(s, r);
}

AS_DEV void at_ld_shared_8(unsigned &r0, unsigned &r1, unsigned s) {
  unsigned *r[2] = {&r0, &r1};
  as_emu::load_shared<unsigned, 2>(r, s);
}

AS_DEV void at_st_shared_8(unsigned s, unsigned r0, unsigned r1) {
  const unsigned r[2] = {r0, r1};
  as_emu::store_shared<unsigned, 2>(s, r);
}

AS_DEV void at_ld_shared_16(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3, unsigned s) {
  unsigned *r[4] = {&r0, &r1, &r2, &r3};
  as_emu::load_shared<unsigned, 4>(r, s);
}

AS_DEV void at_st_shared_16(unsigned s, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
  const unsigned r[4] = {r0, r1, r2, r3};
  as_emu::store_shared<unsigned, 4>(s, r);
}

AS_DEV void at_cp_async_commit() {
  as_cp_commit();
}

template <int N> AS_DEV void at_cp_async_wait() {
  as_cp_wait<N>();
}

AS_DEV void at_mbarrier_init(unsigned bar, unsigned n) {
  as_emu::mbarrier b;
  b.count = b.pending = n;
  as_emu::mbarriers()[bar] = b;
}

AS_DEV void at_mbarrier_fence() {
}

AS_DEV void at_fence_proxy_async() {
}

AS_DEV void at_grid_wait() {
}

AS_DEV void at_grid_go() {
}

AS_DEV void at_mbarrier_arrive(unsigned bar) {
  as_emu::mbarrier *b = as_emu::find_mbarrier(bar);
  if (!b)
    return;
  if (!b->pending)
    as_emu::report("too many arrivals at a barrier");
  else
    b->pending--;
  as_emu::advance(b);
}

AS_DEV void at_mbarrier_expect_tx(unsigned bar, unsigned n) {
  as_emu::mbarrier *b = as_emu::find_mbarrier(bar);
  if (b)
    b->tx += n;
  at_mbarrier_arrive(bar);
}

AS_DEV void at_mbarrier_wait(unsigned bar, unsigned parity) {
  as_emu::mbarrier *b = as_emu::find_mbarrier(bar);
  for (long spins = 0; b && (b->phase & 1) == parity; spins++) {
    if (spins == (as_emu::M().watch ? as_emu::SPINS / 1000 : as_emu::SPINS)) {
      as_emu::report("a wait for a phase that never comes");
      return;
    }
    as_emu::yield();
  }
}

AS_DEV void at_bulk_linear(unsigned dst, const void *src, unsigned n, unsigned bar) {
  as_emu::mbarrier *b = as_emu::find_mbarrier(bar);
  if (dst % 16 || (uintptr_t)src % 16 || n % 16)
    as_emu::report("a bulk copy that is not aligned to 16 bytes");
  for (unsigned i = 0; i < n; i += 2) {
    if (!as_emu::inside((int)(dst + i), 2) || !as_emu::global((const char *)src + i, 2, false))
      return;
    memcpy(&as_emu::M().mem[dst + i], (const char *)src + i, 2);
  }
  as_emu::landed((int)dst, (int)n);
  if (b) {
    b->tx -= (long)n;
    as_emu::advance(b);
  }
}

AS_DEV unsigned long long at_descriptor(unsigned address, unsigned lead, unsigned group) {
  return (unsigned long long)((address & 0x3ffffu) >> 4) | (unsigned long long)(lead >> 4) << 16 |
         (unsigned long long)(group >> 4) << 32 | 1ull << 62;
}

template <int N> AS_DEV void at_registers_more() {
}

template <int N> AS_DEV void at_registers_fewer() {
}

template <int N> AS_DEV void at_hold(float *) {
}

template <int N> AS_DEV void at_hold(unsigned *) {
}

#define AT_WGMMA(n, type, bf, letters, along_n)                                                    \
  AS_DEV void at_wgmma_m64n##n##k16_##type##_##letters(float *c, unsigned long long a,             \
                                                       unsigned long long b) {                     \
    as_emu::issue_product({c, a, b, n, bf, along_n, nullptr, {}, {}});                             \
  }
#define AT_WGMMA_HELD(n, type, bf, letters, along_n)                                               \
  AS_DEV void at_wgmma_m64n##n##k16_##type##_##letters(float *c, const unsigned *a,                \
                                                       unsigned long long b) {                     \
    as_emu::issue_held(c, a, b, n, bf, along_n);                                                   \
  }
#define AT_WGMMA_TYPE(type, bf)                                                                    \
  AT_WGMMA(8, type, bf, kk, false)                                                                 \
  AT_WGMMA(16, type, bf, kk, false)                                                                \
  AT_WGMMA(32, type, bf, kk, false)                                                                \
  AT_WGMMA(64, type, bf, kk, false)                                                                \
  AT_WGMMA(128, type, bf, kk, false)                                                               \
  AT_WGMMA(256, type, bf, kk, false)                                                               \
  AT_WGMMA(64, type, bf, kn, true)                                                                 \
  AT_WGMMA(128, type, bf, kn, true)                                                                \
  AT_WGMMA(256, type, bf, kn, true)                                                                \
  AT_WGMMA_HELD(32, type, bf, rk, false)                                                           \
  AT_WGMMA_HELD(64, type, bf, rk, false)                                                           \
  AT_WGMMA_HELD(128, type, bf, rk, false)                                                          \
  AT_WGMMA_HELD(64, type, bf, rn, true)                                                            \
  AT_WGMMA_HELD(128, type, bf, rn, true)
AT_WGMMA_TYPE(f16, false)
AT_WGMMA_TYPE(bf16, true)

AS_DEV void at_wgmma_fence() {
}

AS_DEV void at_wgmma_commit() {
  as_emu::product_queue &q = as_emu::products_of(as_emu::M().cur);
  q.groups.push_back(q.open);
  q.open.clear();
}

template <int N> AS_DEV void at_wgmma_wait() {
  as_emu::wait_products(N);
}

AS_DEV void at_bulk_tensor_2d_32(unsigned dst, const CUtensorMap *map, unsigned x, unsigned y,
                                 unsigned bar) {
  as_emu::bulk(dst, map, x, y, bar);
}

AS_DEV void at_bulk_tensor_2d_64(unsigned dst, const CUtensorMap *map, unsigned x, unsigned y,
                                 unsigned bar) {
  as_emu::bulk(dst, map, x, y, bar);
}

AS_DEV void at_bulk_tensor_2d_128(unsigned dst, const CUtensorMap *map, unsigned x, unsigned y,
                                  unsigned bar) {
  as_emu::bulk(dst, map, x, y, bar);
}
#endif

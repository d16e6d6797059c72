/* What kernels of tile programs use beside the common functions, emulated.  Global memory that they
 * write has a shadow: who wrote and read an element since which barrier.  Reports: an element that
 * two blocks of a launch touch of which one writes it, unless all that touch it write the same bits
 * there before they read it, and the same of two threads of a block without a barrier between. */
#ifndef AS_TILES_EMU_H
#define AS_TILES_EMU_H
#include <unordered_map>

#pragma GCC visibility push(hidden)

namespace as_emu {

/* Of an element, by its address; launches and epochs count from 1. */
struct toucher {
  long launch = 0;
  unsigned block = 0, epoch = 0; /* SEVERAL: more than one block in that launch */
  int thread = NOBODY;           /* MANY: more than one in that epoch */
  bool own = false;              /* each of these blocks had written it before */
};

static const unsigned SEVERAL = ~0u;

struct touched {
  toucher wrote, read;
};

inline std::unordered_map<uintptr_t, touched> &touches() {
  static std::unordered_map<uintptr_t, touched> all;
  return all;
}

/* may this thread touch what the other one did, in this launch? */
inline bool apart(const toucher &other, const char *what) {
  machine &m = M();
  if (other.launch != m.launches)
    return true;
  if (other.block == SEVERAL) {
    report("race: an element of global memory %s by several blocks, the last of them %u", what,
           m.block);
    return false;
  }
  if (other.block != m.block) {
    report("race: an element of global memory %s by blocks %u and %u", what, other.block, m.block);
    return false;
  }
  if (other.epoch == m.epoch && other.thread != m.cur) {
    report("race: an element of global memory %s by threads %d and %d without a barrier", what,
           other.thread, m.cur);
    return false;
  }
  return true;
}

inline void note(toucher &as, bool reads) {
  machine &m = M();
  bool again = reads && as.launch == m.launches;
  bool same = again && as.block == m.block && as.epoch == m.epoch;
  as.thread = same && as.thread != m.cur ? MANY : m.cur;
  as.block = again && as.block != m.block ? SEVERAL : m.block;
  as.launch = m.launches;
  as.epoch = m.epoch;
}

template <class T> inline T tile_read(const void *p, size_t i) {
  T x;
  memset(&x, 0xff, sizeof x);
  const T *q = (const T *)p + i;
  if (!global(q, sizeof x, false))
    return x;
  touched &t = touches()[(uintptr_t)q];
  apart(t.wrote, "written and read");
  bool own = t.wrote.launch == M().launches && t.wrote.block == M().block;
  t.read.own = own && (t.read.launch != M().launches || t.read.own);
  note(t.read, true);
  memcpy(&x, q, sizeof x);
  return x;
}

template <class T> inline void tile_write(void *p, size_t i, T x) {
  machine &m = M();
  T *q = (T *)p + i;
  if (!global(q, sizeof x, false))
    return;
  auto it = m.buffers.upper_bound((uintptr_t)q);
  if (!(--it)->second.writable) {
    report("global write to an input");
    return;
  }
  touched &t = touches()[(uintptr_t)q];
  /* another block wrote the same, and whoever read it had written it: in any order it is this */
  bool again =
      t.wrote.launch == m.launches && t.wrote.block != m.block && memcmp(q, &x, sizeof x) == 0;
  bool unread = t.read.launch != m.launches || t.read.block == m.block || t.read.own;
  if ((again && unread) || (apart(t.wrote, "written twice") && apart(t.read, "read and written")))
    note(t.wrote, false);
  memcpy(q, &x, sizeof x);
}
} // namespace as_emu

#pragma GCC visibility pop

AS_DEV long long kt_lds_i64(as_sm, int off) {
  return as_emu::load<long long>(off);
}

AS_DEV void kt_sts_i64(as_sm, int off, long long x) {
  as_emu::store(off, x);
}

AS_DEV float kt_ld_f16(const void *p, size_t i) {
  return as_emu::of_f16(as_emu::tile_read<uint16_t>(p, i));
}

AS_DEV float kt_ld_bf16(const void *p, size_t i) {
  return as_emu::of_bf16(as_emu::tile_read<uint16_t>(p, i));
}

AS_DEV float kt_ld_f32(const void *p, size_t i) {
  return as_emu::tile_read<float>(p, i);
}

AS_DEV int kt_ld_int(const void *p, size_t i) {
  return as_emu::tile_read<int>(p, i);
}

AS_DEV long long kt_ld_i64(const void *p, size_t i) {
  return as_emu::tile_read<long long>(p, i);
}

AS_DEV void kt_st_f16(void *p, size_t i, float x) {
  as_emu::tile_write(p, i, as_emu::to_f16(x));
}

AS_DEV void kt_st_bf16(void *p, size_t i, float x) {
  as_emu::tile_write(p, i, as_emu::to_bf16(x));
}

AS_DEV void kt_st_f32(void *p, size_t i, float x) {
  as_emu::tile_write(p, i, x);
}

AS_DEV void kt_st_int(void *p, size_t i, long long x) {
  as_emu::tile_write(p, i, (int)x);
}

AS_DEV void kt_st_i64(void *p, size_t i, long long x) {
  as_emu::tile_write(p, i, x);
}
#endif

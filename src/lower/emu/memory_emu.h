/* Loads from and stores to global memory, of several elements at once, and words of shared memory.
 * A GPU does them by 16 bytes at most, which is what is aligned.  Included by cuda_emu.h. */
#ifndef AS_MEMORY_EMU_H
#define AS_MEMORY_EMU_H

/* elements that follow each other */
template <class T> static inline T as_emu_ldg_all(const void *q) {
  T x;
  memset(&x, 0xff, sizeof x);
  if (as_emu::global(q, sizeof x, false))
    memcpy(&x, q, sizeof x);
  return x;
}

template <class T> static inline T as_emu_ldg(const void *p, size_t i) {
  return as_emu_ldg_all<T>((const T *)p + i);
}

AS_DEV unsigned short as_ldg_raw16(const void *p, size_t i) {
  return as_emu_ldg<uint16_t>(p, i);
}

AS_DEV float as_ldg_f16(const void *p, size_t i) {
  return as_emu::of_f16(as_emu_ldg<uint16_t>(p, i));
}

AS_DEV float as_ldg_bf16(const void *p, size_t i) {
  return as_emu::of_bf16(as_emu_ldg<uint16_t>(p, i));
}

AS_DEV float as_ldg_f32(const void *p, size_t i) {
  return as_emu_ldg<float>(p, i);
}

AS_DEV int as_ldg_int(const void *p, size_t i) {
  return as_emu_ldg<int>(p, i);
}

struct as_emu_four {
  uint32_t word[4];
};

AS_DEV void as_lds4_f32(float *r, as_sm, int off) {
  const as_emu_four x = as_emu::load<as_emu_four>(off);
  memcpy(r, &x, sizeof x);
}

AS_DEV void as_lds2_f32(float *r, as_sm, int off) {
  const uint64_t x = as_emu::load<uint64_t>(off);
  memcpy(r, &x, sizeof x);
}

AS_DEV int as_lds_int(as_sm, int off) {
  return as_emu::load<int>(off);
}

AS_DEV void as_sts_int(as_sm, int off, int x) {
  as_emu::store(off, x);
}

template <class WORDS> static inline void as_emu_sts_all(int off, const void *r) {
  WORDS x;
  memcpy(&x, r, sizeof x);
  as_emu::store(off, x);
}

AS_DEV void as_sts4_f32(as_sm, int off, const float *r) {
  as_emu_sts_all<as_emu_four>(off, r);
}

AS_DEV void as_sts2_f32(as_sm, int off, const float *r) {
  as_emu_sts_all<uint64_t>(off, r);
}

AS_DEV void as_sts4_int(as_sm, int off, const int *r) {
  as_emu_sts_all<as_emu_four>(off, r);
}

AS_DEV void as_lds4_int(int *r, as_sm, int off) {
  const as_emu_four x = as_emu::load<as_emu_four>(off);
  memcpy(r, &x, sizeof x);
}

AS_DEV void as_ldg4_f32(float *r, const void *p, size_t i) {
  const as_emu_four x = as_emu_ldg_all<as_emu_four>((const float *)p + i);
  memcpy(r, &x, sizeof x);
}

AS_DEV void as_ldg2_f32(float *r, const void *p, size_t i) {
  const uint64_t x = as_emu_ldg_all<uint64_t>((const float *)p + i);
  memcpy(r, &x, sizeof x);
}

AS_DEV void as_ldg8_f32(float *r, const void *p, size_t i) {
  as_ldg4_f32(r, p, i);
  as_ldg4_f32(r + 4, p, i + 4);
}

template <int V, float (*OF)(uint16_t)> static inline void as_emu_ldg_16(float *r, const void *p) {
  const auto x = as_emu_ldg_all<std::array<uint16_t, V>>(p);
  for (int j = 0; j < V; j++)
    r[j] = OF(x[j]);
}

AS_DEV void as_ldg2_f16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<2, as_emu::of_f16>(r, (const uint16_t *)p + i);
}

AS_DEV void as_ldg2_bf16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<2, as_emu::of_bf16>(r, (const uint16_t *)p + i);
}

AS_DEV void as_ldg8_f16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<8, as_emu::of_f16>(r, (const uint16_t *)p + i);
}

AS_DEV void as_ldg8_bf16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<8, as_emu::of_bf16>(r, (const uint16_t *)p + i);
}

AS_DEV void as_ldg4_f16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<4, as_emu::of_f16>(r, (const uint16_t *)p + i);
}

AS_DEV void as_ldg4_bf16(float *r, const void *p, size_t i) {
  as_emu_ldg_16<4, as_emu::of_bf16>(r, (const uint16_t *)p + i);
}

template <int V, uint16_t (*TO)(float)>
static inline void as_emu_stg_16(uint16_t *p, const float *r) {
  uint16_t h[V];
  for (int j = 0; j < V; j++)
    h[j] = TO(r[j]);
  if (as_emu::global(p, sizeof h, true))
    memcpy(p, h, sizeof h);
}

template <int V> AS_DEV void as_stg_f16(void *p, size_t i, const float *r) {
  as_emu_stg_16<V, as_emu::to_f16>((uint16_t *)p + i, r);
}

template <int V> AS_DEV void as_stg_bf16(void *p, size_t i, const float *r) {
  as_emu_stg_16<V, as_emu::to_bf16>((uint16_t *)p + i, r);
}

template <int V> AS_DEV void as_stg_f32(void *p, size_t i, const float *r) {
  const int at_once = V < 4 ? V : 4; /* elements of 16 bytes, as on a GPU */
  for (int j = 0; j < V; j += at_once) {
    float *q = (float *)p + i + j;
    if (as_emu::global(q, (size_t)at_once * sizeof(float), true))
      memcpy(q, r + j, (size_t)at_once * sizeof(float));
  }
}
#endif

/* What generated text calls of cuBLASLt, on a CPU, from its documented meaning: matrices in
 * column-major order with a leading dimension, op N or T, batches by strides, sums in 32 bits,
 * D = alpha op(A) op(B) + beta C.  It refuses what the documentation does: shapes that do not fit,
 * columns that overlap, a workspace too small or not aligned, a pointer aligned less than the plan
 * was told, an algorithm of another problem.  Included by generated text with AS_EMU, where
 * accesses are checked as those of kernels are, and by the tests as a library of its own. */
#ifndef AS_LIBRARY_EMU_H
#define AS_LIBRARY_EMU_H
#include "cuda_emu.h"

namespace as_lt {
struct algorithm;
struct heuristic;
} // namespace as_lt

#pragma GCC visibility push(hidden)

namespace as_lt_emu {
enum { OK = 0, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

enum { F32 = 0, F16 = 2, BF16 = 14, COMPUTE_32F = 68 };

struct layout {
  int type;
  unsigned long rows, columns;
  long leading;
  int batches;
  long stride;
};

struct operation {
  int transposed[2];
};

struct preference {
  size_t workspace;
  unsigned reductions;
  unsigned alignment[4];
  unsigned long long numerics;
};

/* the first bytes of an algorithm */
struct choice {
  size_t workspace;
  unsigned alignment[4];
  unsigned long problem; /* a hash of what it was made for */
  unsigned long number;  /* in the list that it was in */
};

/* What is listed for a product, the first one first: milliseconds that a call is said to take, the
 * state that it is listed with, and what a call gives. */
struct algorithm_row {
  double ms;
  int state;
  int status;
};

inline const algorithm_row *rows(int *n) {
  static const algorithm_row all[] = {
      {0.010, OK, OK}, {0.006, OK, OK}, {0.004, OK, NOT_SUPPORTED}, {0.002, NOT_SUPPORTED, OK}};
  *n = sizeof all / sizeof *all;
  return all;
}

static_assert(sizeof(choice) <= 64, "an algorithm has 64 bytes");

/* what heuristic_t holds, as the interface states it */
struct found {
  unsigned long long algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

inline unsigned long mix(unsigned long hash, unsigned long value) {
  return (hash ^ value) * 0x100000001b3ul;
}

inline unsigned long problem_of(const operation *op, const layout *const *matrix) {
  unsigned long hash = 0xcbf29ce484222325ul;
  hash = mix(mix(hash, (unsigned long)op->transposed[0]), (unsigned long)op->transposed[1]);
  for (int i = 0; i < 4; i++) {
    const layout &m = *matrix[i];
    hash = mix(mix(mix(hash, (unsigned long)m.type), m.rows), m.columns);
    hash = mix(mix(hash, (unsigned long)m.leading), (unsigned long)m.batches);
    hash = mix(hash, (unsigned long)m.stride);
  }
  return hash;
}

inline bool fits(const operation *op, const layout *const *matrix) {
  const layout &a = *matrix[0], &b = *matrix[1], &c = *matrix[2], &d = *matrix[3];
  const unsigned long rows = op->transposed[0] ? a.columns : a.rows;
  const unsigned long depth = op->transposed[0] ? a.rows : a.columns;
  const unsigned long depth_b = op->transposed[1] ? b.columns : b.rows;
  const unsigned long columns = op->transposed[1] ? b.rows : b.columns;
  bool types = a.type == b.type && c.type == d.type && (d.type == F32 || d.type == a.type);
  bool shapes = rows == d.rows && columns == d.columns && depth == depth_b && c.rows == d.rows &&
                c.columns == d.columns && rows && columns && depth;
  bool batches = a.batches == d.batches && b.batches == d.batches && c.batches == d.batches;
  return types && shapes && batches;
}

inline size_t bytes_of(int type) {
  return type == F32 ? 4 : 2;
}

inline float get(const void *at, long i, int type) {
  if (type == F32)
    return ((const float *)at)[i];
  const uint16_t bits = ((const uint16_t *)at)[i];
  return type == F16 ? as_emu::of_f16(bits) : as_emu::of_bf16(bits);
}

inline void put(void *at, long i, int type, float x) {
  if (type == F32)
    ((float *)at)[i] = x;
  else
    ((uint16_t *)at)[i] = type == F16 ? as_emu::to_f16(x) : as_emu::to_bf16(x);
}

/* every element of the matrix, as a kernel's access would be; false: one is out of bounds */
inline bool touch(const void *at, const layout &m, bool write) {
#ifdef AS_LIBRARY_ALONE
  (void)at, (void)m, (void)write;
#else
  for (long b = 0; b < m.batches; b++) {
    for (unsigned long column = 0; column < m.columns; column++) {
      for (unsigned long row = 0; row < m.rows; row++) {
        long i = b * m.stride + (long)column * m.leading + (long)row;
        if (!as_emu::global((const char *)at + i * (long)bytes_of(m.type), bytes_of(m.type), write))
          return false;
      }
    }
  }
#endif
  return true;
}

inline int cublasLtCreate(void **handle) {
  static char one;
  *handle = &one;
  return OK;
}

inline int cublasLtGetProperty(int which, int *value) {
  if (which < 0 || which > 2)
    return INVALID_VALUE;
  *value = which == 0 ? 13 : which;
  return OK;
}

inline int cublasLtMatmulDescCreate(void **out, int compute, int scale) {
  if (compute != COMPUTE_32F || scale != F32)
    return NOT_SUPPORTED;
  *out = new operation();
  return OK;
}

inline int cublasLtMatmulDescSetAttribute(void *op, int attribute, const void *value, size_t n) {
  if ((attribute != 3 && attribute != 4) || n != 4)
    return INVALID_VALUE;
  memcpy(&((operation *)op)->transposed[attribute - 3], value, n);
  return OK;
}

inline int cublasLtMatmulDescDestroy(void *op) {
  delete (operation *)op;
  return OK;
}

inline int cublasLtMatrixLayoutCreate(void **out, int type, unsigned long rows,
                                      unsigned long columns, long leading) {
  if (type != F32 && type != F16 && type != BF16)
    return NOT_SUPPORTED;
  if (leading < 1 || (unsigned long)leading < rows)
    return INVALID_VALUE;
  *out = new layout{type, rows, columns, leading, 1, 0};
  return OK;
}

inline int cublasLtMatrixLayoutSetAttribute(void *m, int attribute, const void *value, size_t n) {
  if (attribute == 5 && n == 4)
    memcpy(&((layout *)m)->batches, value, n);
  else if (attribute == 6 && n == 8)
    memcpy(&((layout *)m)->stride, value, n);
  else
    return INVALID_VALUE;
  return OK;
}

inline int cublasLtMatrixLayoutDestroy(void *m) {
  delete (layout *)m;
  return OK;
}

inline int cublasLtMatmulPreferenceCreate(void **out) {
  *out = new preference{0, 7, {256, 256, 256, 256}, ~0ull};
  return OK;
}

inline int cublasLtMatmulPreferenceSetAttribute(void *pref, int attribute, const void *value,
                                                size_t n) {
  preference *p = (preference *)pref;
  if (attribute == 1 && n == 8)
    memcpy(&p->workspace, value, n);
  else if (attribute == 3 && n == 4)
    memcpy(&p->reductions, value, n);
  else if (attribute >= 5 && attribute <= 8 && n == 4)
    memcpy(&p->alignment[attribute - 5], value, n);
  else if (attribute == 12 && n == 8)
    memcpy(&p->numerics, value, n);
  else
    return INVALID_VALUE;
  return OK;
}

inline int cublasLtMatmulPreferenceDestroy(void *pref) {
  delete (preference *)pref;
  return OK;
}

/* sums in 32 bits of operands as they are, parts of them added in 32 bits: what programs promise.
 * Of operands of 16 bits the compute type is such a promise already. */
inline bool promises(const preference *p, int type, int result) {
  const bool as_they_are =
      type != F32 || ((p->numerics >> 8 & 0xff) == 2 && (p->numerics >> 16 & 0xff) == 8);
  const unsigned in_results_type = 1 | 4;
  const bool narrow = result != F32 && p->reductions & in_results_type;
  return !narrow && as_they_are;
}

inline int cublasLtMatmulAlgoGetHeuristic(void *, void *op, void *a, void *b, void *c, void *d,
                                          void *pref, int wanted, as_lt::heuristic *out, int *n) {
  const layout *const matrix[4] = {(layout *)a, (layout *)b, (layout *)c, (layout *)d};
  const preference *p = (preference *)pref;
  if (!fits((operation *)op, matrix) || wanted < 1)
    return INVALID_VALUE;
  *n = promises(p, matrix[0]->type, matrix[3]->type);
  if (!*n)
    return NOT_SUPPORTED;
  int known;
  const algorithm_row *all = rows(&known);
  *n = wanted < known ? wanted : known;
  for (int i = 0; i < *n; i++) {
    found result = {};
    choice chosen = {};
    chosen.workspace = p->workspace < 4096 ? p->workspace : 4096;
    chosen.problem = problem_of((operation *)op, matrix);
    chosen.number = (unsigned long)i;
    memcpy(chosen.alignment, p->alignment, sizeof chosen.alignment);
    memcpy(result.algorithm, &chosen, sizeof chosen);
    result.workspace = chosen.workspace;
    result.state = all[i].state;
    memcpy((char *)out + (size_t)i * sizeof result, &result, sizeof result);
  }
  return OK;
}

inline choice choice_of(const as_lt::algorithm *algorithm) {
  choice chosen;
  memcpy(&chosen, (const void *)algorithm, sizeof chosen);
  return chosen;
}

/* nothing is timed: what the algorithm's row says */
inline double milliseconds(const as_lt::algorithm *algorithm) {
  int n;
  return rows(&n)[choice_of(algorithm).number].ms;
}

inline int cublasLtMatmulAlgoCheck(void *, void *op, void *a, void *b, void *c, void *d,
                                   const as_lt::algorithm *algorithm, as_lt::heuristic *out) {
  const layout *const matrix[4] = {(layout *)a, (layout *)b, (layout *)c, (layout *)d};
  const choice chosen = choice_of(algorithm);
  int n;
  rows(&n);
  if (chosen.problem != problem_of((operation *)op, matrix) || chosen.number >= (unsigned long)n)
    return INVALID_VALUE;
  found result = {};
  memcpy(result.algorithm, (const void *)algorithm, sizeof result.algorithm);
  result.workspace = chosen.workspace;
  memcpy((void *)out, &result, sizeof result);
  return OK;
}

inline void multiply(const operation *op, const layout *const *matrix, float alpha, const void *a,
                     const void *b, float beta, const void *c, void *d) {
  const layout &ma = *matrix[0], &mb = *matrix[1], &mc = *matrix[2], &md = *matrix[3];
  const long depth = (long)(op->transposed[0] ? ma.rows : ma.columns);
  for (long batch = 0; batch < md.batches; batch++) {
    for (long column = 0; column < (long)md.columns; column++) {
      for (long row = 0; row < (long)md.rows; row++) {
        float sum = 0;
        for (long k = 0; k < depth; k++) {
          long at_a = op->transposed[0] ? k + row * ma.leading : row + k * ma.leading;
          long at_b = op->transposed[1] ? column + k * mb.leading : k + column * mb.leading;
          sum +=
              get(a, batch * ma.stride + at_a, ma.type) * get(b, batch * mb.stride + at_b, mb.type);
        }
        float before = beta == 0
                           ? 0 /* C is not read then */
                           : beta * get(c, batch * mc.stride + row + column * mc.leading, mc.type);
        put(d, batch * md.stride + row + column * md.leading, md.type, alpha * sum + before);
      }
    }
  }
}

#ifndef AS_LIBRARY_ALONE
enum { TRIED = 48 }; /* elements of a product that a trial looks at */

/* of a trial: some elements of the result, the first and the last among them */
inline void try_some(const operation *op, const layout *const *matrix, float alpha, const void *a,
                     const void *b, void *d) {
  const layout &ma = *matrix[0], &mb = *matrix[1], &md = *matrix[3];
  const long depth = (long)(op->transposed[0] ? ma.rows : ma.columns);
  const long rows = (long)md.rows, all = rows * (long)md.columns * md.batches;
  auto element = [](const void *of, const layout &m, long i) {
    const char *at = (const char *)of + i * (long)bytes_of(m.type);
    return as_emu::global(at, bytes_of(m.type), false) ? get(of, i, m.type) : NAN;
  };
  for (long n = 0; n < TRIED && n < all; n++) {
    const long which = all <= TRIED ? n : (long)((double)n / (TRIED - 1) * (double)(all - 1));
    const long row = which % rows, column = which / rows % (long)md.columns,
               batch = which / rows / (long)md.columns;
    float sum = 0;
    for (long k = 0; k < depth; k++) {
      const long at_a = op->transposed[0] ? k + row * ma.leading : row + k * ma.leading;
      const long at_b = op->transposed[1] ? column + k * mb.leading : k + column * mb.leading;
      sum += element(a, ma, batch * ma.stride + at_a) * element(b, mb, batch * mb.stride + at_b);
    }
    const long at = batch * md.stride + row + column * md.leading;
    if (as_emu::global((char *)d + at * (long)bytes_of(md.type), bytes_of(md.type), true))
      put(d, at, md.type, alpha * sum);
  }
  as_emu::M().behind();
}
#endif

inline int cublasLtMatmul(void *, void *op, const void *alpha, const void *a, void *la,
                          const void *b, void *lb, const void *beta, const void *c, void *lc,
                          void *d, void *ld, const as_lt::algorithm *algorithm, void *workspace,
                          size_t bytes, cudaStream_t) {
  const layout *const matrix[4] = {(layout *)la, (layout *)lb, (layout *)lc, (layout *)ld};
  const void *const pointer[4] = {a, b, c, d};
  const choice chosen = choice_of(algorithm);
  int n;
  const algorithm_row *all = rows(&n);
  bool right = chosen.number < (unsigned long)n && fits((operation *)op, matrix) &&
               bytes >= chosen.workspace && (uintptr_t)workspace % 256 == 0 &&
               chosen.problem == problem_of((operation *)op, matrix);
  for (int i = 0; i < 4; i++)
    right = right && (uintptr_t)pointer[i] % chosen.alignment[i] == 0;
  if (!right)
    return INVALID_VALUE;
  if (all[chosen.number].status)
    return all[chosen.number].status;
#ifndef AS_LIBRARY_ALONE
  as_emu::M().kernel = "cublasLtMatmul";
  as_emu::M().launches++;
  as_emu::M().block = 0;
  as_emu::M().cur = 0;
  if (as_emu::M().watch) {
    try_some((operation *)op, matrix, *(const float *)alpha, a, b, d);
    return OK;
  }
#endif
  if (touch(a, *matrix[0], false) && touch(b, *matrix[1], false) && touch(d, *matrix[3], true))
    multiply((operation *)op, matrix, *(const float *)alpha, a, b, *(const float *)beta, c, d);
  return OK;
}
} // namespace as_lt_emu

#pragma GCC visibility pop

/* cudaMemsetAsync of zeros */
inline void as_emu_zero(void *at, size_t bytes) {
  memset(at, 0, bytes);
}
#endif

#include "cases.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GATED_TP(B, D, N)                                                                          \
  "program gated\nsizes B = " #B ", D = " #D ", N = " #N "\n"                                      \
  "input X: f16[B, D]\ninput W1: f16[D, N]\ninput W2: f16[D, N]\n"                                 \
  "output O = silu(X @ W1) * (X @ W2)\n"
#define GATED_MUG(U, L, T)                                                                         \
  "mugraph gated_fused\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                         \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = J\n  loop l = L\n"                            \
  "  load x [B, T] = X loop -> 1\n  load u [T, U] = W1 x -> 1 loop -> 0\n"                         \
  "  load v [T, U] = W2 x -> 1 loop -> 0\n  p = matmul(x, u)\n  q = matmul(x, v)\n"                \
  "  acc a = sum p\n  acc c = sum q\n  s = silu(a)\n  o = s * c\n  store O [B, U] = o x -> "       \
  "1\nend\n"
#define RMS_TP(B, D, N)                                                                            \
  "program rms\nsizes B = " #B ", D = " #D ", N = " #N "\n"                                        \
  "input X: f16[B, D]\ninput G: f16[D]\ninput W: f16[D, N]\n"                                      \
  "output Z = (rms_norm(X) * G) @ W\n"
#define RMS_MUG(U, L, T) RMS_WRITTEN(U, L, T, "  y = x * g\n  p = matmul(y, w)\n")
#define RMS_WRITTEN(U, L, T, PRODUCT)                                                              \
  "mugraph rms_fused\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                           \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = J\n  loop l = L\n"                            \
  "  load x [B, T] = X loop -> 1\n  load g [T] = G loop -> 0\n"                                    \
  "  load w [T, U] = W x -> 1 loop -> 0\n" PRODUCT "  q = square(x)\n"                             \
  "  r = sum(q, axis=-1)\n  acc a = sum p\n  acc s = sum r\n  m = s / D\n  d = sqrt(m)\n"          \
  "  z = a / d[:, none]\n  store Z [B, U] = z x -> 1\nend\n"
#define PLAIN_TP(B, D, N)                                                                          \
  "program plain\nsizes B = " #B ", D = " #D ", N = " #N "\n"                                      \
  "input X: f16[B, D]\ninput W: f16[D, N]\noutput O = X @ W\n"
#define PLAIN_MUG(U, L, T)                                                                         \
  "mugraph plain_fused\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                         \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = J\n  loop l = L\n"                            \
  "  load x [B, T] = X loop -> 1\n  load w [T, U] = W x -> 1 loop -> 0\n  p = matmul(x, w)\n"      \
  "  acc a = sum p\n  store O [B, U] = a x -> 1\nend\n"

/* the second of two kernels, whose batch operand the first one makes */
#define TWICE_TP(B, D, N)                                                                          \
  "program twice\nsizes B = " #B ", D = " #D ", N = " #N "\n"                                      \
  "input X: f16[B, D]\ninput W: f16[D, N]\noutput O = (X + X) @ W\n"
#define TWICE_MUG(U, L, T)                                                                         \
  "mugraph twice_split\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                         \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = B\n  load r [1, D] = X x -> 0\n"              \
  "  d = r + r\n  store Y: f16 [1, D] = d x -> 0\nend\nkernel k1\n  grid x = J\n  loop l = L\n"    \
  "  load y [B, T] = Y loop -> 1\n  load w [T, U] = W x -> 1 loop -> 0\n  p = matmul(y, w)\n"      \
  "  acc a = sum p\n  store O [B, U] = a x -> 1\nend\n"

/* both weights side by side in one input; `from` columns come before them */
#define FUSED_TP(B, D, N, FROM)                                                                    \
  "program fused\nsizes B = " #B ", D = " #D ", N = " #N "\ninput X: f16[B, D]\n"                  \
  "input W: f16[D, " #FROM " + 2*N]\noutput O = silu(X @ W[:, " #FROM ":" #FROM " + N])"           \
  " * (X @ W[:, " #FROM " + N:" #FROM " + 2*N])\n"
#define FUSED_MUG(U, L, T, FROM)                                                                   \
  "mugraph fused_parts\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                         \
  "where N = J * U, D = L * T\nW1 = slice(W, axis=1, start=" #FROM ", stop=" #FROM " + N)\n"       \
  "W2 = slice(W, axis=1, start=" #FROM " + N, stop=" #FROM " + 2*N)\nkernel k0\n  grid x = J\n"    \
  "  loop l = L\n  load x [B, T] = X loop -> 1\n  load u [T, U] = W1 x -> 1 loop -> 0\n"           \
  "  load v [T, U] = W2 x -> 1 loop -> 0\n  p = matmul(x, u)\n  q = matmul(x, v)\n"                \
  "  acc a = sum p\n  acc c = sum q\n  s = silu(a)\n  o = s * c\n  store O [B, U] = o x -> "       \
  "1\nend\n"

static pair at2(const field_tensor *t, long i, long j) {
  return t->data[i * t->dim[1] + j];
}

static pair product(const field_tensor *x, const field_tensor *g, const field_tensor *w, long b,
                    long n, long depth) {
  pair sum = field_int(0);
  for (long k = 0; k < depth; k++) {
    pair e = at2(x, b, k);
    if (g)
      e = field_mul(e, g->data[k]);
    sum = field_add(sum, field_mul(e, at2(w, k, n)));
  }
  return sum;
}

static pair gated(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  pair p = product(&in[0], NULL, &in[1], b, n, depth);
  pair q = product(&in[0], NULL, &in[2], b, n, depth);
  pair e = field_add(field_int(1), field_exp(field_neg(p)));
  return field_mul(field_mul(p, q), field_inv(e));
}

static pair rms(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  pair p = product(&in[0], &in[1], &in[2], b, n, depth);
  pair s = field_int(0);
  for (long k = 0; k < depth; k++)
    s = field_add(s, field_mul(at2(&in[0], b, k), at2(&in[0], b, k)));
  s = field_mul(s, field_inv(field_int(depth)));
  return field_mul(p, field_rsqrt(s));
}

static pair plain(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return product(&in[0], NULL, &in[1], b, n, depth);
}

/* --- a product with a bias, and its negative */
#define BIAS_TP                                                                                    \
  "program bias\nsizes B = 8, D = 64, N = 32\ninput X: f16[B, D]\ninput W: f16[D, N]\n"            \
  "input G: f16[N]\noutput O = X @ W + G\noutput P = -(X @ W)\n"
#define BIAS_MUG                                                                                   \
  "mugraph bias_fused\nsizes J = 2, U = 16, L = 2, T = 32\nwhere N = J * U, D = L * T\n"           \
  "kernel k0\n  grid x = J\n  loop l = L\n  load x [B, T] = X loop -> 1\n"                         \
  "  load w [T, U] = W x -> 1 loop -> 0\n  load g [U] = G x -> 0\n  p = matmul(x, w)\n"            \
  "  acc a = sum p\n  o = a + g\n  n = -a\n  store O [B, U] = o x -> 1\n"                          \
  "  store P [B, U] = n x -> 1\nend\n"

static pair biased(const field_tensor *in, unsigned which, long b, long n, long depth) {
  pair p = product(&in[0], NULL, &in[1], b, n, depth);
  return which ? field_neg(p) : field_add(p, in[2].data[n]);
}

/* --- four folds at one time, of sums whose terms have factors in common */
#define NTRANS_TP(B, D)                                                                            \
  "program ntrans\nsizes B = " #B ", D = " #D "\ninput H: f16[B, D]\ninput X: f16[B, D]\n"         \
  "input A: f16[B, D]\nC = X + A * (rms_norm(H) + X)\noutput O = rms_norm(C)\n"
#define NTRANS_MUG(U)                                                                              \
  "mugraph ntrans_once\nsizes J = 2, U = " #U "\nwhere B = J * U\nkernel k0\n  grid x = J\n"       \
  "  load h [U, D] = H x -> 0\n  load x [U, D] = X x -> 0\n  load a [U, D] = A x -> 0\n"           \
  "  xa = x * a\n  p = x + xa\n  q = a * h\n  hh = h * h\n  pp = p * p\n  pq = p * q\n"            \
  "  qq = q * q\n  sh = mean(hh, axis=-1)\n  spp = mean(pp, axis=-1)\n"                            \
  "  spq = mean(pq, axis=-1)\n  sqq = mean(qq, axis=-1)\n  rt = sqrt(sh)\n  r = 1 / rt\n"          \
  "  t1 = r * spq\n  t2 = 2 * t1\n  r2 = r * r\n  t3 = r2 * sqq\n  t4 = spp + t2\n"                \
  "  n2 = t4 + t3\n  n = sqrt(n2)\n  rq = q * r[:, none]\n  c = p + rq\n"                          \
  "  o = c / n[:, none]\n  store O [U, D] = o x -> 0\nend\n"

/* of element k of a row before the second norm */
static pair row_step(const field_tensor *in, long b, long k, pair root) {
  pair x = at2(&in[1], b, k);
  return field_add(x,
                   field_mul(at2(&in[2], b, k), field_add(field_mul(at2(&in[0], b, k), root), x)));
}

static pair ntrans(const field_tensor *in, unsigned which, long b, long n, long depth) {
  pair first = field_int(0);
  pair second = field_int(0);
  (void)which;
  for (long k = 0; k < depth; k++)
    first = field_add(first, field_mul(at2(&in[0], b, k), at2(&in[0], b, k)));
  pair root = field_rsqrt(field_mul(first, field_inv(field_int(depth))));
  for (long k = 0; k < depth; k++) {
    pair c = row_step(in, b, k, root);
    second = field_add(second, field_mul(c, c));
  }
  return field_mul(row_step(in, b, n, root),
                   field_rsqrt(field_mul(second, field_inv(field_int(depth)))));
}

/* --- a product after the loop, of what the loop has summed up */
#define LORA_TP(B, D, N, R)                                                                        \
  "program lora\nsizes B = " #B ", D = " #D ", N = " #N ", R = " #R "\n"                           \
  "input X: f16[B, D]\ninput W: f16[D, N]\ninput A: f16[D, R]\ninput C: f16[R, N]\n"               \
  "output O = X @ W + (X @ A) @ C\n"
#define LORA_MUG(U, L, T)                                                                          \
  "mugraph lora_fused\nsizes J = 2, U = " #U ", L = " #L ", T = " #T "\n"                          \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = J\n  loop l = L\n"                            \
  "  load x [B, T] = X loop -> 1\n  load w [T, U] = W x -> 1 loop -> 0\n"                          \
  "  load a [T, R] = A loop -> 0\n  load c [R, U] = C x -> 1\n  p = matmul(x, w)\n"                \
  "  q = matmul(x, a)\n  acc s = sum p\n  acc t = sum q\n  u = matmul(t, c)\n  o = s + u\n"        \
  "  store O [B, U] = o x -> 1\nend\n"

static pair lora(const field_tensor *in, unsigned which, long b, long n, long depth) {
  pair sum = product(&in[0], NULL, &in[1], b, n, depth);
  (void)which;
  for (long r = 0; r < in[3].dim[0]; r++) {
    pair t = product(&in[0], NULL, &in[2], b, r, depth);
    sum = field_add(sum, field_mul(t, at2(&in[3], r, n)));
  }
  return sum;
}

/* --- products of warpgroups: the second operand either way round, with what follows in registers
 */
#define GROUP_TP(M, D, N, W, OUT)                                                                  \
  "program group\nsizes M = " #M ", D = " #D ", N = " #N "\ninput X: f16[M, D]\n"                  \
  "input W: f16[" W "]\ninput G: f16[N]\noutput O = " OUT "\n"
#define GROUP_MUG(U, L, PRODUCT, OUT)                                                              \
  "mugraph group_fused\nsizes J = 2, U = " #U ", L = " #L ", T = 64\n"                             \
  "where N = J * U, D = L * T\nkernel k0\n  grid x = J\n  loop l = L\n"                            \
  "  load x [M, T] = X loop -> 1\n" PRODUCT "  acc a = sum p\n" OUT                                \
  "  store O [M, U] = o x -> 1\nend\n"
#define BY_COLUMNS "  load w [T, U] = W x -> 1 loop -> 0\n  p = matmul(x, w)\n"
#define BY_ROWS "  load w [U, T] = W x -> 0 loop -> 1\n  v = transpose(w)\n  p = matmul(x, v)\n"
#define BIASED_OUT "  load g [U] = G x -> 0\n  s = a + g\n  o = relu(s)\n"

static pair group_biased(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  pair p = product(&in[0], NULL, &in[1], b, n, depth);
  return field_max(field_add(p, in[2].data[n]), field_int(0));
}

static pair group_rows(const field_tensor *in, unsigned which, long b, long n, long depth) {
  pair sum = field_int(0);
  (void)which;
  for (long k = 0; k < depth; k++)
    sum = field_add(sum, field_mul(at2(&in[0], b, k), at2(&in[1], n, k)));
  return field_mul(sum, in[2].data[n]);
}

/* --- rows: norms and softmax of any length */
#define NORM_TP(B, D)                                                                              \
  "program norm\nsizes B = " #B ", D = " #D "\ninput X: f16[B, D]\ninput G: f16[D]\n"              \
  "output O = rms_norm(X) * G\n"
#define NORM_MUG(U)                                                                                \
  "mugraph norm_fused\nsizes J = 2, U = " #U "\nwhere B = J * U\nkernel k0\n  grid x = J\n"        \
  "  load x [U, D] = X x -> 0\n  load g [D] = G\n  y = rms_norm(x)\n  z = y * g[none, :]\n"        \
  "  store O [U, D] = z x -> 0\nend\n"
#define SOFTMAX_TP(B, D)                                                                           \
  "program soft\nsizes B = " #B ", D = " #D "\ninput X: f16[B, D]\noutput O = softmax(X)\n"
#define SOFTMAX_MUG(U)                                                                             \
  "mugraph soft_fused\nsizes J = 2, U = " #U "\nwhere B = J * U\nkernel k0\n  grid x = J\n"        \
  "  load x [U, D] = X x -> 0\n  y = softmax(x)\n  store O [U, D] = y x -> 0\nend\n"
/* an axis that is only folded, and no power of two */
#define PARTS_TP                                                                                   \
  "program parts\nsizes P = 3, B = 4, D = 16\ninput A: f16[P, B, D]\ninput M: f16[P, B, D]\n"      \
  "output O = sum(A * exp(M - max(M, axis=0)), axis=0)\n"
#define PARTS_MUG                                                                                  \
  "mugraph parts_fused\nsizes J = 2, U = 2\nwhere B = J * U\nkernel k0\n  grid x = J\n"            \
  "  load a [P, U, D] = A x -> 1\n  load m [P, U, D] = M x -> 1\n  g = max(m, axis=0)\n"           \
  "  h = m - g\n  e = exp(h)\n  w = a * e\n  y = sum(w, axis=0)\n"                                 \
  "  store O [U, D] = y x -> 0\nend\n"
/* results of two shapes, and sums over one extent that know nothing of each other */
#define BESIDE_TP                                                                                  \
  "program beside\nsizes B = 4, D = 512, P = 4, E = 16\ninput X: f16[B, D]\n"                      \
  "input A: f16[P, B, E]\ninput Z: f32[P, B]\noutput O = X / sqrt(sum(X * X, axis=-1))[:, none]\n" \
  "output W = sum(A, axis=0) / sum(Z, axis=0)[:, none]\n"
#define BESIDE_MUG                                                                                 \
  "mugraph beside_fused\nsizes J = 2, U = 2\nwhere B = J * U\nkernel k0\n  grid x = J\n"           \
  "  load x [U, D] = X x -> 0\n  load a [P, U, E] = A x -> 1\n  load z [P, U] = Z x -> 1\n"        \
  "  q = x * x\n  s = sum(q, axis=-1)\n  r = sqrt(s)\n  y = x / r[:, none]\n"                      \
  "  t = sum(a, axis=0)\n  u = sum(z, axis=0)\n  w = t / u[:, none]\n"                             \
  "  store O [U, D] = y x -> 0\n  store W [U, E] = w x -> 0\nend\n"

static pair beside(const field_tensor *in, unsigned which, long b, long n, long depth) {
  pair above = at2(&in[0], b, n);
  pair below = field_int(0);
  for (long k = 0; which == 0 && k < depth; k++)
    below = field_add(below, field_mul(at2(&in[0], b, k), at2(&in[0], b, k)));
  if (which == 0)
    return field_mul(above, field_rsqrt(below));
  above = field_int(0);
  for (long k = 0; k < in[1].dim[0]; k++) {
    above = field_add(above, in[1].data[(k * in[1].dim[1] + b) * in[1].dim[2] + n]);
    below = field_add(below, at2(&in[2], k, b));
  }
  return field_mul(above, field_inv(below));
}

static pair row_norm(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  pair s = field_int(0);
  for (long k = 0; k < depth; k++)
    s = field_add(s, field_mul(at2(&in[0], b, k), at2(&in[0], b, k)));
  s = field_rsqrt(field_mul(s, field_inv(field_int(depth))));
  return field_mul(field_mul(at2(&in[0], b, n), s), in[1].data[n]);
}

static pair row_softmax(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  pair most = at2(&in[0], b, 0);
  pair sum = field_int(0);
  for (long k = 1; k < depth; k++)
    most = field_max(most, at2(&in[0], b, k));
  for (long k = 0; k < depth; k++)
    sum = field_add(sum, field_exp(field_add(at2(&in[0], b, k), field_neg(most))));
  pair e = field_exp(field_add(at2(&in[0], b, n), field_neg(most)));
  return field_mul(e, field_inv(sum));
}

static pair parts(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  long step = in[0].dim[1] * depth;
  const pair *a = in[0].data + b * depth + n;
  const pair *m = in[1].data + b * depth + n;
  pair most = m[0];
  pair sum = field_int(0);
  for (long k = 1; k < in[0].dim[0]; k++)
    most = field_max(most, m[k * step]);
  for (long k = 0; k < in[0].dim[0]; k++) {
    pair e = field_exp(field_add(m[k * step], field_neg(most)));
    sum = field_add(sum, field_mul(a[k * step], e));
  }
  return sum;
}

/* --- attention: whole, and a part of the keys whose sums another kernel combines */
#define ATTEND_TP(M, E, K)                                                                         \
  "program attend\nsizes H = 2, M = " #M ", E = " #E ", K = " #K "\ninput Q: f16[H, M, E]\n"       \
  "input Kt: f16[H, E, K]\ninput V: f16[H, K, E]\n"                                                \
  "output O = softmax((Q @ Kt) / 2) @ V\n"
#define ATTEND_BODY(SCORE)                                                                         \
  SCORE "  r = max(s, axis=-1)\n  acc mx, m = max r\n"                                             \
        "  d = s - m[:, :, none]\n  e = exp(d)\n  t = sum(e, axis=-1)\n  p = matmul(e, v)\n"       \
        "  acc z = sum t rescale m\n  acc o = sum p rescale m\n"
#define ATTEND_MUG(R, U, L, T)                                                                     \
  "mugraph attend_fused\nsizes R = " #R ", U = " #U ", L = " #L ", T = " #T                        \
  "\nwhere M = R * U, K = L * T\nkernel k0\n  grid x = H, y = R\n  loop l = L\n"                   \
  "  load q [1, U, E] = Q x -> 0 y -> 1\n  load k [1, E, T] = Kt x -> 0 loop -> 2\n"               \
  "  load v [1, T, E] = V x -> 0 loop -> 1\n" ATTEND_BODY(                                         \
      "  s0 = matmul(q, k)\n  s = s0 / 2\n") "  y = o / z[:, :, none]\n  store O [1, U, E] = y x " \
                                             "-> 0 y -> 1\nend\n"
/* not divided by the sum: what one part of several stores */
#define PART_TP(M, E, K)                                                                           \
  "program part\nsizes H = 2, M = " #M ", E = " #E ", K = " #K "\ninput Q: f16[H, M, E]\n"         \
  "input Kr: f16[H, K, E]\ninput V: f16[H, K, E]\nS = Q @ transpose(Kr)\nX = max(S, axis=-1)\n"    \
  "output O = exp(S - X[:, :, none]) @ V\n"
#define PART_MUG(L, T)                                                                             \
  "mugraph part_fused\nsizes L = " #L ", T = " #T "\nwhere K = L * T\nkernel k0\n  grid x = H\n"   \
  "  loop l = L\n  load q [1, M, E] = Q x -> 0\n  load k [1, T, E] = Kr x -> 0 loop -> 1\n"        \
  "  load v [1, T, E] = V x -> 0 loop -> 1\n" ATTEND_BODY(                                         \
      "  kt = transpose(k)\n  s = matmul(q, kt)\n") "  store O [1, M, E] = o x -> 0\nend\n"

static pair dot(const field_tensor *in, bool by_rows, long row, long key, long depth) {
  long keys = in[2].dim[1];
  pair s = field_int(0);
  for (long k = 0; k < depth; k++) {
    pair x = in[1].data[by_rows ? key * depth + k : k * keys + key];
    s = field_add(s, field_mul(in[0].data[row * depth + k], x));
  }
  return s;
}

/* What all elements of a row of attention share: the weights of the keys, and their sum.  Elements
 * are asked for row by row, so those of the last row are kept, until there are other inputs. */
enum { MOST_KEYS = 512 };

static struct {
  bool known;
  long row;
  pair weight[MOST_KEYS];
  pair all;
  pair by_all; /* 1 / all */
} of_row;

void cases_other_inputs(void) {
  of_row.known = false;
}

/* true: the weights are to be computed now, and row_is_known is to be called then */
static bool row_is_new(const field_tensor *in, long row) {
  if (in[2].dim[1] > MOST_KEYS)
    abort();
  return !of_row.known || of_row.row != row;
}

static void row_is_known(const field_tensor *in, long row) {
  of_row.all = field_int(0);
  for (long key = 0; key < in[2].dim[1]; key++)
    of_row.all = field_add(of_row.all, of_row.weight[key]);
  of_row.by_all = field_inv(of_row.all);
  of_row.row = row;
  of_row.known = true;
}

static pair weighted(const field_tensor *in, long column) {
  pair sum = field_int(0);
  for (long key = 0; key < in[2].dim[1]; key++)
    sum = field_add(sum, field_mul(of_row.weight[key], in[2].data[key * in[2].dim[2] + column]));
  return sum;
}

static void attend(const field_tensor *in, bool by_rows, pair scale, long row, long depth) {
  long keys = in[2].dim[1];
  pair most = {-1, -1};
  if (!row_is_new(in, row))
    return;
  for (long k = 0; k < keys; k++) {
    of_row.weight[k] = field_mul(dot(in, by_rows, row, k, depth), scale);
    most = field_max(most, of_row.weight[k]);
  }
  for (long k = 0; k < keys; k++)
    of_row.weight[k] = field_exp(field_add(of_row.weight[k], field_neg(most)));
  row_is_known(in, row);
}

static pair attended(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  attend(in, false, field_inv(field_int(2)), b, depth);
  return field_mul(weighted(in, n), of_row.by_all);
}

static pair attended_part(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  attend(in, true, field_int(1), b, depth);
  return weighted(in, n);
}

/* --- masks of positions: what a score becomes at row i and key j */
#define MASKED_TP(M, E, DEFS, OUT)                                                                 \
  "program masked\nsizes H = 2, M = " #M ", E = " #E "\ninput Q: f16[H, M, E]\n"                   \
  "input Kt: f16[H, E, M]\ninput V: f16[H, M, E]\nS = Q @ Kt / 2\nI = iota(size=M)\n"              \
  "Key = I[none, :]\nRow = I[:, none]\n" DEFS "output O = " OUT "\n"
#define MASKED_MUG(R, U, L, T, DEFS, LOAD, BODY)                                                   \
  "mugraph masked_fused\nsizes R = " #R ", U = " #U ", L = " #L ", T = " #T                        \
  "\nwhere M = R * U, M = L * T\nI = iota(size=M)\nKey = I[none, :]\nRow = I[:, none]\n" DEFS      \
  "kernel k0\n  grid x = H, y = R\n  loop l = L\n"                                                 \
  "  load q [1, U, E] = Q x -> 0 y -> 1\n  load k [1, E, T] = Kt x -> 0 loop -> 2\n"               \
  "  load v [1, T, E] = V x -> 0 loop -> 1\n  load w [U, T] = " LOAD                               \
  " y -> 0 loop -> 1\n  s0 = matmul(q, k)\n  s1 = s0 / 2\n" BODY                                   \
  "  y = o / z[:, :, none]\n  store O [1, U, E] = y x -> 0 y -> 1\nend\n"
#define CAUSAL_DEFS "Keep = less_equal(Key, Row)\nFar = (1 - Keep) * 5\n"
#define WINDOW_DEFS "Far = Key + 20\nDrop = logical_or(greater(Key, Row), less(Far, Row))\n"
#define BIAS_DEFS "Far = Key - Row\n"
#define KEPT_DEFS "Keep = less_equal(Key, Row)\n"
#define KEPT_BODY(SCORE)                                                                           \
  "  f = 1 - w\n  f5 = f * 5\n" SCORE "  r = max(s, axis=-1)\n  acc mx, m = max r\n"               \
  "  d = s - m[:, :, none]\n  e0 = exp(d)\n  e = e0 * w\n  t = sum(e, axis=-1)\n"                  \
  "  p = matmul(e, v)\n  acc z = sum t rescale m\n  acc o = sum p rescale m\n"
/* the maximum sees one number in place of masked scores, so that masked tiles may be left out */
#define LEFT_BODY KEPT_BODY("  s2 = s1 * w\n  s = s2 - f5\n")
#define FREE_BODY                                                                                  \
  "  e0 = exp(s1)\n  e = e0 * w\n  t = sum(e, axis=-1)\n  p = matmul(e, v)\n  acc z = sum t\n"     \
  "  acc o = sum p\n"
#define NEAR_DEFS                                                                                  \
  "Near = less_equal(Row, Key + 20)\nKeep = logical_and(Near, less_equal(Key, Row))\n"

/* elements from memory beside the scores: B, and of keys alone W, by which rows may have none */
#define SCORED_TP(M, E, INPUT, OUT)                                                                \
  "program beside\nsizes H = 2, M = " #M ", E = " #E "\ninput Q: f16[H, M, E]\n"                   \
  "input Kt: f16[H, E, M]\ninput V: f16[H, M, E]\n" INPUT "S = Q @ Kt / 2\n" OUT
#define SCORED_MUG(R, U, L, T, LOAD, BODY, RESULT)                                                 \
  "mugraph beside_fused\nsizes R = " #R ", U = " #U ", L = " #L ", T = " #T                        \
  "\nwhere M = R * U, M = L * T\nkernel k0\n  grid x = H, y = R\n  loop l = L\n"                   \
  "  load q [1, U, E] = Q x -> 0 y -> 1\n  load k [1, E, T] = Kt x -> 0 loop -> 2\n"               \
  "  load v [1, T, E] = V x -> 0 loop -> 1\n" LOAD "  s0 = matmul(q, k)\n  s1 = s0 / 2\n" BODY     \
  "  y = o / " RESULT "[:, :, none]\n  store O [1, U, E] = y x -> 0 y -> 1\nend\n"
#define SPARSE_BODY                                                                                \
  "  e0 = exp(s1)\n  w1 = w[:, none, :]\n  e = e0 * w1\n  t = sum(e, axis=-1)\n"                   \
  "  p = matmul(e, v)\n  acc z = sum t\n  acc o = sum p\n  n = equal(z, 0)\n  zn = z + n\n"

static pair scored(const field_tensor *in, bool bias, long row, long column, long depth) {
  long keys = in[2].dim[1];
  bool computes = row_is_new(in, row);
  pair half = field_inv(field_int(2));
  for (long key = 0; computes && key < keys; key++) {
    pair s = field_mul(dot(in, false, row, key, depth), half);
    of_row.weight[key] = bias ? field_exp(field_add(s, in[3].data[row * keys + key]))
                              : field_mul(field_exp(s), in[3].data[key]);
  }
  if (computes)
    row_is_known(in, row);
  return field_mul(weighted(in, column), of_row.by_all);
}

static pair with_bias(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return scored(in, true, b, n, depth);
}

static pair with_weights(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return scored(in, false, b, n, depth);
}

typedef pair masked_score(pair score, long row, long key, bool *kept);

static pair far_away(pair score, long row, long key, bool *kept) {
  (void)kept;
  return key <= row ? score : field_add(score, field_int(-5));
}

static pair windowed(pair score, long row, long key, bool *kept) {
  (void)kept;
  return key > row || key + 20 < row ? field_int(-7) : score;
}

static pair slanted(pair score, long row, long key, bool *kept) {
  (void)kept;
  return field_add(score, field_mul(field_int(key - row), field_inv(field_int(4))));
}

static pair kept(pair score, long row, long key, bool *is) {
  *is = key <= row;
  return score;
}

/* row: of the whole query; first: the block's first one */
static pair masked(const field_tensor *in, masked_score *mask, long row, long first, long column,
                   long depth) {
  bool computes = row_is_new(in, row);
  pair half = field_inv(field_int(2));
  for (long key = 0; computes && key < in[2].dim[1]; key++) {
    bool is = true;
    pair s = field_mul(dot(in, false, row - first, key, depth), half);
    pair e = field_exp(mask(s, row, key, &is));
    of_row.weight[key] = is ? e : field_int(0);
  }
  if (computes)
    row_is_known(in, row);
  return field_mul(weighted(in, column), of_row.by_all);
}

static pair causal(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, far_away, 32 + b, 32, n, depth);
}

static pair window(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, windowed, 64 + b, 64, n, depth);
}

static pair position_bias(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, slanted, 32 + b, 32, n, depth);
}

static pair near(pair score, long row, long key, bool *is) {
  *is = key <= row && row <= key + 20;
  return score;
}

static pair causal_kept_below(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, kept, 32 + b, 32, n, depth);
}

static pair causal_kept_first(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, kept, b, 0, n, depth);
}

static pair near_kept(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, near, 32 + b, 32, n, depth);
}

static pair causal_kept(const field_tensor *in, unsigned which, long b, long n, long depth) {
  (void)which;
  return masked(in, kept, 64 + b, 64, n, depth);
}

const thread_case thread_cases[] = {
    {"gated, copies by all", GATED_TP(8, 160, 32), GATED_MUG(16, 5, 32), "sm_80", 2, 3, gated, {0}},
    {"gated, bulk, five rows",
     GATED_TP(5, 320, 64),
     GATED_MUG(32, 5, 64),
     "sm_90",
     2,
     2,
     gated,
     {0}},
    {"rms, weight, copies by all",
     RMS_TP(16, 128, 64),
     RMS_MUG(32, 4, 32),
     "sm_80",
     2,
     2,
     rms,
     {0}},
    {"rms, eleven rows", RMS_TP(11, 160, 64), RMS_MUG(32, 5, 32), "sm_80", 2, 3, rms, {0}},
    {"rms, bulk", RMS_TP(8, 320, 32), RMS_MUG(16, 5, 64), "sm_90", 2, 3, rms, {0}},
    {"one row", PLAIN_TP(1, 256, 64), PLAIN_MUG(32, 4, 64), "sm_90", 4, 2, plain, {0}},
    {"one iteration", PLAIN_TP(8, 64, 32), PLAIN_MUG(16, 1, 64), "sm_80", 1, 2, plain, {0}},
    {"wide rows", PLAIN_TP(40, 96, 48), PLAIN_MUG(24, 3, 32), "sm_80", 2, 2, plain, {0}},
    {"two results and a bias", BIAS_TP, BIAS_MUG, "sm_90", 2, 2, biased, {0}},
    {"norm over warps", NORM_TP(4, 512), NORM_MUG(2), "sm_80", 2, 0, row_norm, {0}},
    {"norm of an odd length", NORM_TP(6, 72), NORM_MUG(3), "sm_90", 2, 0, row_norm, {0}},
    {"softmax", SOFTMAX_TP(4, 256), SOFTMAX_MUG(2), "sm_80", 2, 0, row_softmax, {0}},
    {"softmax of an odd length",
     SOFTMAX_TP(6, 328),
     SOFTMAX_MUG(3),
     "sm_90",
     2,
     0,
     row_softmax,
     {0}},
    {"three parts, folded in registers", PARTS_TP, PARTS_MUG, "sm_80", 1, 0, parts, {0}},
    {"attention, copies by all",
     ATTEND_TP(32, 16, 96),
     ATTEND_MUG(1, 32, 3, 32),
     "sm_80",
     2,
     2,
     attended,
     {0}},
    {"attention, bulk, two fragments a warp",
     ATTEND_TP(64, 32, 64),
     ATTEND_MUG(2, 32, 2, 32),
     "sm_90",
     1,
     2,
     attended,
     {0}},
    {"part of an attention, keys by rows, five rows",
     PART_TP(5, 32, 64),
     PART_MUG(2, 32),
     "sm_90",
     1,
     2,
     attended_part,
     {0}},
    {"a warpgroup, weights by columns, a bias",
     GROUP_TP(64, 192, 128, "D, N", "relu(X @ W + G)"),
     GROUP_MUG(64, 3, BY_COLUMNS, BIASED_OUT),
     "sm_90",
     4,
     2,
     group_biased,
     {0}},
    {"two warpgroups, two panels",
     GROUP_TP(128, 128, 256, "D, N", "relu(X @ W + G)"),
     GROUP_MUG(128, 2, BY_COLUMNS, BIASED_OUT),
     "sm_90",
     8,
     2,
     group_biased,
     {0}},
    {"a warpgroup, weights by rows",
     GROUP_TP(64, 256, 64, "N, D", "(X @ transpose(W)) * G"),
     GROUP_MUG(32, 4, BY_ROWS, "  load g [U] = G x -> 0\n  o = a * g\n"),
     "sm_90",
     4,
     3,
     group_rows,
     {0}},
    {"rows of two shapes", BESIDE_TP, BESIDE_MUG, "sm_80", 2, 0, beside, {0}},
    {"a product after the loop",
     LORA_TP(16, 128, 64, 16),
     LORA_MUG(32, 2, 64),
     "sm_90",
     4,
     2,
     lora,
     {0}},
    {"a product after the loop, rank 24, five rows",
     LORA_TP(5, 96, 64, 24),
     LORA_MUG(32, 3, 32),
     "sm_80",
     2,
     2,
     lora,
     {0}},
    {"attention by a warpgroup",
     ATTEND_TP(64, 64, 256),
     ATTEND_MUG(1, 64, 4, 64),
     "sm_90",
     4,
     3,
     attended,
     {0}},
    {"part of an attention by two warpgroups, keys by rows",
     PART_TP(128, 64, 128),
     PART_MUG(2, 64),
     "sm_90",
     8,
     2,
     attended_part,
     {0}},
    {"causal attention, copies by all",
     MASKED_TP(64, 32, CAUSAL_DEFS, "softmax(S - Far) @ V"),
     MASKED_MUG(2, 32, 2, 32, CAUSAL_DEFS, "Far", "  s = s1 - w\n" ATTEND_BODY("")),
     "sm_80",
     2,
     2,
     causal,
     {0, 1, 0}},
    {"a window, by a warpgroup",
     MASKED_TP(256, 64, WINDOW_DEFS, "softmax(masked_fill(S, Drop, -7)) @ V"),
     MASKED_MUG(4, 64, 4, 64, WINDOW_DEFS, "Drop",
                "  s = masked_fill(s1, w, -7)\n" ATTEND_BODY("")),
     "sm_90",
     4,
     3,
     window,
     {0, 1, 0}},
    {"a bias by position, bulk",
     MASKED_TP(64, 32, BIAS_DEFS, "softmax(S + Far / 4) @ V"),
     MASKED_MUG(2, 32, 2, 32, BIAS_DEFS, "Far", "  w4 = w / 4\n  s = s1 + w4\n" ATTEND_BODY("")),
     "sm_90",
     1,
     2,
     position_bias,
     {1, 1, 0}},
    {"causal, masked keys left out, by a warpgroup",
     MASKED_TP(256, 64, KEPT_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(4, 64, 4, 64, KEPT_DEFS, "Keep", KEPT_BODY("  s = s1 - f5\n")),
     "sm_90",
     4,
     3,
     causal_kept,
     {1, 1, 0}},
    {"parts of a weight, bulk",
     FUSED_TP(8, 320, 64, 16),
     FUSED_MUG(32, 5, 64, 16),
     "sm_90",
     2,
     2,
     gated,
     {1, 0, 0}},
    {"parts of a weight, copies by all",
     FUSED_TP(8, 160, 32, 8),
     FUSED_MUG(16, 5, 32, 8),
     "sm_80",
     2,
     3,
     gated,
     {0}},
    {"causal, products of values waited for in their iteration",
     MASKED_TP(256, 128, KEPT_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(4, 64, 4, 64, KEPT_DEFS, "Keep", KEPT_BODY("  s = s1 - f5\n")),
     "sm_90",
     4,
     3,
     causal_kept,
     {1, 1, 0}},
    {"four folds at one time", NTRANS_TP(4, 512), NTRANS_MUG(2), "sm_90", 2, 0, ntrans, {0}},
    {"four folds of an odd length", NTRANS_TP(6, 72), NTRANS_MUG(3), "sm_80", 2, 0, ntrans, {0}},
    {"masked tiles left out, by a warpgroup",
     MASKED_TP(256, 64, KEPT_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(4, 64, 4, 64, KEPT_DEFS, "Keep", LEFT_BODY),
     "sm_90",
     4,
     3,
     causal_kept,
     {1, 1, 0}},
    {"a window without maximum, masked tiles left out, copies by all",
     MASKED_TP(96, 32, NEAR_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(3, 32, 6, 16, NEAR_DEFS, "Keep", FREE_BODY),
     "sm_80",
     2,
     3,
     near_kept,
     {0, 1, 0}},
    {"masked tiles left out, longer than the rows, bulk",
     MASKED_TP(192, 32, KEPT_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(6, 32, 3, 64, KEPT_DEFS, "Keep", LEFT_BODY),
     "sm_90",
     2,
     2,
     causal_kept_below,
     {1, 1, 0}},
    {"values one iteration late, registers handed over, two warpgroups",
     MASKED_TP(256, 128, KEPT_DEFS, "((exp(S) * Keep) @ V) / sum(exp(S) * Keep)[:, :, none]"),
     MASKED_MUG(2, 128, 4, 64, KEPT_DEFS, "Keep", LEFT_BODY),
     "sm_90",
     8,
     3,
     causal_kept_first,
     {1, 0, 0}},
    {"two warpgroups, weights by rows, a result that is higher than wide",
     GROUP_TP(256, 128, 256, "N, D", "(X @ transpose(W)) * G"),
     GROUP_MUG(128, 2, BY_ROWS, "  load g [U] = G x -> 0\n  o = a * g\n"),
     "sm_90",
     8,
     2,
     group_rows,
     {0}},
    {"a bias from memory, by a warpgroup",
     SCORED_TP(256, 64, "input B: f16[M, M]\n", "output O = softmax(S + B) @ V\n"),
     SCORED_MUG(4, 64, 4, 64, "  load b [U, T] = B y -> 0 loop -> 1\n",
                "  s = s1 + b\n" ATTEND_BODY(""), "z"),
     "sm_90",
     4,
     3,
     with_bias,
     {1, 2, 0}},
    {"weights of keys from memory, rows without any, copies by all",
     SCORED_TP(80, 32, "input W: f32[H, M]\n",
               "Z = sum(exp(S) * W[:, none, :])\n"
               "output O = ((exp(S) * W[:, none, :]) @ V) / (Z + equal(Z, 0))[:, :, none]\n"),
     SCORED_MUG(16, 5, 5, 16, "  load w [1, T] = W x -> 0 loop -> 1\n", SPARSE_BODY, "zn"),
     "sm_80",
     1,
     3,
     with_weights,
     {1, 3, 0}},
    {"rms, weights times a factor",
     RMS_TP(16, 128, 64),
     RMS_WRITTEN(32, 4, 32, "  v = w * g[:, none]\n  p = matmul(x, v)\n"),
     "sm_80",
     2,
     3,
     rms,
     {0}},
    {"a second kernel", TWICE_TP(8, 384, 64), TWICE_MUG(32, 6, 64), "sm_90", 4, 3, plain, {0}},
};
const unsigned n_thread_cases = sizeof thread_cases / sizeof *thread_cases;

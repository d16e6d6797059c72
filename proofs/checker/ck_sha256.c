/* SHA-256 (FIPS 180-4). */
#include "ck_text.h"
#include <stdio.h>
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rot(uint32_t x, int n) {
  return (x >> n) | (x << (32 - n));
}

/* byte i of the padded message: the data, 0x80, zeros, and the number of bits in the last 8 bytes
 */
static uint32_t padded(const unsigned char *data, size_t len, size_t i, size_t end) {
  return i < len       ? data[i]
         : i == len    ? 0x80
         : i + 8 < end ? 0
                       : (unsigned char)((uint64_t)len * 8 >> 8 * (end - 1 - i));
}

void ck_sha256(const void *data, size_t len, char hex[65]) {
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint32_t w[64] = {0};
  uint32_t v[8];
  for (size_t at = 0, end = (len + 72) / 64 * 64; at < end; at += 64) {
    for (size_t i = 0; i < 64; i++)
      w[i / 4] = w[i / 4] << 8 | padded(data, len, at + i, end);
    for (int i = 16; i < 64; i++) {
      w[i] = w[i - 16] + (rot(w[i - 15], 7) ^ rot(w[i - 15], 18) ^ (w[i - 15] >> 3)) + w[i - 7] +
             (rot(w[i - 2], 17) ^ rot(w[i - 2], 19) ^ (w[i - 2] >> 10));
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t a = v[0];
      uint32_t e = v[4];
      uint32_t t1 =
          v[7] + (rot(e, 6) ^ rot(e, 11) ^ rot(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[i] + w[i];
      uint32_t t2 =
          (rot(a, 2) ^ rot(a, 13) ^ rot(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
      memmove(v + 1, v, 7 * sizeof *v);
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
      h[i] += v[i];
  }
  for (int i = 0; i < 8; i++)
    snprintf(hex + 8 * i, 9, "%08x", (unsigned)h[i]);
}

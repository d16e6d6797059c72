#include "hash.h"
#include <string.h>

/* Each word is mixed in by a product whose upper half comes back down: words that differ in few
 * bits, as ids do, are spread over all bits. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

static uint64_t finish(uint64_t hash) {
  hash *= 0xC2B2AE3D27D4EB4Fu;
  return hash ^ hash >> 32;
}

uint64_t as_hash_words(const uint64_t *word, size_t n, uint64_t seed) {
  uint64_t hash = seed ^ 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < n; i++)
    hash = mix(hash, word[i]);
  return finish(hash);
}

/* Eight bytes at a time; the last word is filled up with zeros, which the length tells apart. */
uint64_t as_hash(const void *bytes, size_t n, uint64_t seed) {
  const unsigned char *byte = bytes;
  uint64_t hash = mix(seed ^ 0x9E3779B97F4A7C15u, n);
  uint64_t word = 0;
  size_t whole = n - n % sizeof word;
  for (size_t i = 0; i < whole; i += sizeof word) {
    memcpy(&word, byte + i, sizeof word);
    hash = mix(hash, word);
  }
  if (whole < n) {
    word = 0;
    memcpy(&word, byte + whole, n - whole);
    hash = mix(hash, word);
  }
  return finish(hash);
}

/* SHA-256 (FIPS 180-4). */
static const uint32_t ROUND_CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t word, int count) {
  return (word >> count) | (word << (32 - count));
}

static void sha256_block(uint32_t state[8], const unsigned char *block) {
  uint32_t schedule[64];
  uint32_t work[8];
  for (int i = 0; i < 16; i++) {
    schedule[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t early = schedule[i - 15];
    uint32_t late = schedule[i - 2];
    schedule[i] = schedule[i - 16] + (rotr(early, 7) ^ rotr(early, 18) ^ (early >> 3)) +
                  schedule[i - 7] + (rotr(late, 17) ^ rotr(late, 19) ^ (late >> 10));
  }
  memcpy(work, state, sizeof work);
  for (int i = 0; i < 64; i++) {
    /* the eight words move on by one each round: word k is where it was k - i rounds ago */
    uint32_t *const w[8] = {&work[-i & 7],      &work[(1 - i) & 7], &work[(2 - i) & 7],
                            &work[(3 - i) & 7], &work[(4 - i) & 7], &work[(5 - i) & 7],
                            &work[(6 - i) & 7], &work[(7 - i) & 7]};
    uint32_t pivot = *w[4];
    uint32_t early = *w[0];
    uint32_t sum1 = *w[7] + (rotr(pivot, 6) ^ rotr(pivot, 11) ^ rotr(pivot, 25)) +
                    ((pivot & *w[5]) ^ (~pivot & *w[6])) + ROUND_CONSTANTS[i] + schedule[i];
    uint32_t sum2 = (rotr(early, 2) ^ rotr(early, 13) ^ rotr(early, 22)) +
                    ((early & *w[1]) ^ (early & *w[2]) ^ (*w[1] & *w[2]));
    *w[3] += sum1;
    *w[7] = sum1 + sum2;
  }
  for (int i = 0; i < 8; i++)
    state[i] += work[i];
}

void as_sha256(const void *bytes, size_t n, char out[65]) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char *input = bytes;
  size_t done = 0;
  for (; n - done >= 64; done += 64)
    sha256_block(state, input + done);
  unsigned char last[128] = {0};
  size_t rest = n - done;
  size_t size = rest < 56 ? 64 : 128;
  if (rest)
    memcpy(last, input + done, rest);
  last[rest] = 0x80;
  for (int i = 0; i < 8; i++)
    last[size - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
  for (size_t i = 0; i < size; i += 64)
    sha256_block(state, last + i);
  static const char hex[] = "0123456789abcdef";
  for (int i = 0; i < 64; i++)
    out[i] = hex[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
  out[64] = 0;
}

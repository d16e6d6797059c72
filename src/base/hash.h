/* Hashes: of short keys for tables, and SHA-256 for texts that records name.
 * Includes libc only.
 * Used by map.h, intern.h, and whoever records what a verdict relied on. */
#ifndef AS_BASE_HASH_H
#define AS_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

uint64_t as_hash(const void *p, size_t n, uint64_t seed); /* of bytes */
uint64_t as_hash_words(const uint64_t *word, size_t n, uint64_t seed);
void as_sha256(const void *p, size_t n, char out[65]); /* 64 hexadecimal digits and a NUL */

#endif

/* The specifications of the standard library by name and hash.  Made by `assay-check
 * --specifications`; tests/checker compares the two. */
#pragma once
#include "ck_claim.h"

typedef enum {
  CK_STANDARD,
  CK_DIFFERS,
  CK_OWN
} ck_origin; /* as in the library; the library has another of that name; no such name in the library
              */

ck_origin ck_origin_of(const char *name, const char *sha256);

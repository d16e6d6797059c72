/* All of the base, for those who have not said yet which of its parts they need.
 * Includes base only.
 * Used by modules whose headers are still to be split. */
#ifndef AS_BASE_H
#define AS_BASE_H
#include "err.h"
#include "file.h"
#include "hash.h"
#include "id.h"
#include "mem.h"
#include "pool.h"
#include "rng.h"
#include "str.h"
#include "vec.h"
#include <stdint.h>
#endif

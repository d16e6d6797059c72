/* Tile programs judged by evaluation: one candidate, or all of a file that another program wrote.
 * Includes import, base.  Called by the commands. */
#ifndef AS_BATCH_TILES_H
#define AS_BATCH_TILES_H
#include "src/import/import.h"

/* all of it borrowed */
typedef struct {
  const as_import_tile_format *from; /* NULL: the candidate is a text of ours */
  as_import_tile_options options;
  uint64_t seed;
  bool json;
  bool quiet;
  bool verbose;     /* the programs as `.tile` are printed too */
  bool refute_only; /* say nothing of one that is not refuted */
  const char *why;  /* why nothing can be proved; NULL: nothing is said of it */
} as_batch_tiles_how;

/* Is a claim made of this candidate (proofs/CLAIM.md section 6.1)?  false: it is no tile program,
 * or *why says why not (malloc'ed, NULL: it is none). */
bool as_batch_tiles_claimed(as_oplib *library, const char *given, const char *candidate,
                            char **why);
/* is one of the two a tile program? by their names' ends */
bool as_batch_tiles_are(const char *given, const char *candidate);
/* Gives the exit status; says what is wrong itself. */
int as_batch_tiles(const as_batch_tiles_how *how, as_oplib *library, const char *given,
                   const char *candidate);
#endif

/* Tile programs judged by evaluation, and where nothing differs by proof: one candidate, or all of
 * a file that another program wrote. Includes import, base.  Called by the commands. */
#ifndef AS_BATCH_TILES_H
#define AS_BATCH_TILES_H
#include "export.h"
#include "src/import/import.h"
#include "verify/judge/judge.h"

/* all of it borrowed */
typedef struct {
  const as_import_tile_format *from; /* NULL: the candidate is a text of ours */
  as_import_tile_options options;
  bool generalise; /* numbers of what is read may be examples of the given program's sizes */
  uint64_t seed;
  bool json;
  bool quiet;
  bool verbose;
  bool stats;       /* the programs as `.tile` are printed too */
  bool refute_only; /* say nothing of one that is not refuted */
  const char *out;  /* a result directory of what is proved; NULL: none */
  bool force;
  const char *junit;        /* NULL: none */
  as_batch_export *written; /* NULL: nothing is exported */
  uint32_t proof_steps;     /* of several candidates: so much effort for a proof of each; 0: none is
                               proved */
  const as_policy *policy;  /* what a proof must meet; of the random test stands the evaluation */
} as_batch_tiles_how;

/* is the candidate a tile program of block form (docs/tile.md section 5), the given one none?
 */
bool as_batch_tiles_are_blocks(as_oplib *library, const char *given, const char *candidate);
/* is one of the two a tile program? by their names' ends */
bool as_batch_tiles_are(const char *given, const char *candidate);
/* Gives the exit status; says what is wrong itself. */
int as_batch_tiles(const as_batch_tiles_how *how, as_oplib *library, const char *given,
                   const char *candidate);
#endif

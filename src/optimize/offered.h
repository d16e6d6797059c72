/* Candidates that the enumeration has not made: tile programs as block graphs, and files of the
 * user's.  May include: search, verify/judge, import, ir, tile, base. */
#ifndef AS_OPTIMIZE_OFFERED_H
#define AS_OPTIMIZE_OFFERED_H
#include "search/search.h"
#include "src/import/import.h"
#include "verify/judge/job.h"
#include <stdio.h>

typedef struct {
  uint32_t graphs;               /* that there were, or that were made of tile programs */
  uint32_t became[AS_N_OFFERED]; /* what became of them */
} as_offers;

/* The block graphs that a tile program is, with each way of cutting its kernels; shifted: with
 * exponentials of differences to a maximum.  why (malloc'ed; may be NULL): set where there is none
 * and it was not before. */
void as_offer_tile(const as_job *job, const as_search_opts *opts, const char *text, bool shifted,
                   as_search_result *result, as_offers *offers, char **why);
/* Files that the user has, muGraphs and tile programs, those of other programs too (by their names'
 * ends), which `read` says how to read; what became of each is told (NULL: nowhere).  false with
 * err: one cannot be read */
bool as_offer_files(const as_job *job, const as_search_opts *opts,
                    const as_import_tile_options *read, char *const *path, size_t n, FILE *told,
                    as_search_result *result, as_err *err);
char *as_offers_words(const as_offers *offers); /* malloc'ed */
#endif

#include "offered.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/trace.h"
#include "src/tile/blocks.h"
#include <stdlib.h>
#include <string.h>

static void offer(const as_job *job, const as_search_opts *opts, const char *mug,
                  as_search_result *result, as_offers *offers) {
  offers->graphs++;
  offers->became[as_search_offer(job->program, opts, mug, result)]++;
}

void as_offer_tile(const as_job *job, const as_search_opts *opts, const char *text, bool shifted,
                   as_search_result *result, as_offers *offers, char **why) {
  uint32_t before = offers->graphs;
  for (int way = 0; way < 2 * AS_TILE_N_CUTS; way++) {
    as_tile_blocks_how how = {.cut = (as_tile_cut)(way % AS_TILE_N_CUTS),
                              .shifted = shifted,
                              .alike = way >= AS_TILE_N_CUTS};
    if (how.alike && offers->graphs > before) /* it is more general with extents of their own */
      break;
    as_err err;
    as_err_init(&err);
    char *block = as_tile_blocks(text, job->program, job->lib, &how, &err);
    if (block) {
      AS_TRACE(SEARCH, "block graphs of a tile program\n%s", block);
      offer(job, opts, block, result, offers);
    } else {
      AS_TRACE(SEARCH, "no block graphs of a tile program: %s", err.text);
      if (why && *why == NULL)
        *why = as_strdup(err.text);
    }
    free(block);
    as_err_clear(&err);
  }
}

char *as_offers_words(const as_offers *offers) {
  return as_format("%u certified, each cheaper than those before, %u no cheaper, %u without a "
                   "proof, %u not lowered",
                   offers->became[AS_OFFERED_TAKEN], offers->became[AS_OFFERED_DEAR],
                   offers->became[AS_OFFERED_UNPROVED], offers->became[AS_OFFERED_UNFIT]);
}

static bool offer_file(const as_job *job, const as_search_opts *opts, const char *path, FILE *told,
                       as_search_result *result, as_err *err) {
  as_offers offers = {.graphs = 0};
  char *why = NULL;
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return false;
  if (!as_tile_is_text(text, len)) {
    offer(job, opts, text, result, &offers);
  } else {
    as_offer_tile(job, opts, text, true, result, &offers, &why);
    if (result->n == 0) /* exponentials as they are, where nothing else is certified */
      as_offer_tile(job, opts, text, false, result, &offers, NULL);
  }
  char *words = as_offers_words(&offers);
  if (told && offers.graphs)
    fprintf(told, "offered   %s: %u block graphs: %s\n", path, offers.graphs, words);
  else if (told)
    fprintf(told, "offered   %s: no block graphs: %s\n", path, why ? why : "no reason given");
  free(words);
  free(why);
  free(text);
  return true;
}

bool as_offer_files(const as_job *job, const as_search_opts *opts, char *const *path, size_t n,
                    FILE *told, as_search_result *result, as_err *err) {
  for (size_t i = 0; i < n; i++) {
    if (!offer_file(job, opts, path[i], told, result, err))
      return false;
  }
  return true;
}

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
  char *unsafe = offers->became[AS_OFFERED_UNSAFE]
                     ? as_format(", %u worse in floats than the program given",
                                 offers->became[AS_OFFERED_UNSAFE])
                     : as_strdup("");
  char *words =
      as_format("%u certified, each cheaper than those before, %u no cheaper, %u without "
                "a proof, %u not lowered%s",
                offers->became[AS_OFFERED_TAKEN], offers->became[AS_OFFERED_DEAR],
                offers->became[AS_OFFERED_UNPROVED], offers->became[AS_OFFERED_UNFIT], unsafe);
  free(unsafe);
  return words;
}

/* a file's text, of another program's as one of ours (malloc'ed); NULL with err */
static char *read_offered(const char *path, const as_import_tile_options *read, size_t *len,
                          as_err *err) {
  const as_import_tile_format *format = as_import_tile_format_of(path);
  if (format == NULL)
    return as_read_file(path, len, err);
  void *file = format->read(path, read, err);
  char *text = NULL;
  if (file && format->count(file) != 1)
    as_err_set(err, AS_BAD_INPUT, "%s: a program that is offered stands alone in its file", path);
  else if (file)
    text = format->tile(file, 0, read, false, NULL, err);
  format->free(file);
  *len = text ? strlen(text) : 0;
  return text;
}

static bool offer_file(const as_job *job, const as_search_opts *opts,
                       const as_import_tile_options *read, const char *path, FILE *told,
                       as_search_result *result, as_err *err) {
  as_offers offers = {.graphs = 0};
  char *why = NULL;
  size_t len;
  char *text = read_offered(path, read, &len, err);
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

bool as_offer_files(const as_job *job, const as_search_opts *opts,
                    const as_import_tile_options *read, char *const *path, size_t n, FILE *told,
                    as_search_result *result, as_err *err) {
  for (size_t i = 0; i < n; i++) {
    if (!offer_file(job, opts, read, path[i], told, result, err))
      return false;
  }
  return true;
}

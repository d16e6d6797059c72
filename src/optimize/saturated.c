#include "saturated.h"
#include "offered.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/tile/tile.h"
#include "verify/tile/tile_job.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_JUDGED = 16, MOST_BLOCKS = 24 };

typedef struct {
  as_tiles_result found;
  uint32_t best; /* the cheapest that is certified; found.n: none of those looked at is */
  uint32_t judged;
  uint32_t refuted;
  uint32_t unproved;
  char *words;      /* of the best one: what was compared, and the proof */
  as_offers offers; /* block graphs of programs */
} as_saturated;

static const char tile_name[] = "saturated.tile";

/* nothing differs by evaluation, at at least one choice of sizes and inputs */
static bool agrees(as_saturated *saturated, const as_job *job, const char *text, uint64_t seed,
                   char **words) {
  as_tile_job tile;
  as_tile_verdict verdict = {0};
  as_tile_budget budget = as_tile_budget_default;
  as_err err;
  as_err_init(&err);
  budget.seed = seed;
  as_tile_job_init(&tile, job->lib);
  const as_job_text *given = &job->given;
  bool ok = as_tile_job_take(&tile, 0, given->name, given->text, given->len, &err) &&
            as_tile_job_take(&tile, 1, tile_name, text, strlen(text), &err) &&
            as_tile_job_judge(&tile, &budget, &verdict, &err) == AS_OK;
  saturated->refuted += ok && verdict.answer != AS_TILE_NO_DIFFERENCE;
  ok = ok && verdict.answer == AS_TILE_NO_DIFFERENCE && verdict.instances > 0;
  if (ok)
    *words = as_strdup(verdict.words);
  as_tile_verdict_clear(&verdict);
  as_tile_job_clear(&tile);
  as_err_clear(&err);
  return ok;
}

void as_saturated_tile_clear(as_saturated_tile *tile) {
  if (!tile->found)
    return;
  as_verdict_clear(&tile->verdict);
  as_job_clear(&tile->job);
  *tile = (as_saturated_tile){.found = false};
}

/* The claim of the texts.  tile: empty; filled where the program is certified.  *words (malloc'ed):
 * how, where it is not NULL. */
static bool certify(as_saturated *saturated, const as_job *job, const as_policy *policy,
                    uint64_t seed, const as_tiles_program *program, as_saturated_tile *tile,
                    char **words) {
  char *compared = NULL;
  as_policy own = *policy;
  as_err err;
  as_err_init(&err);
  saturated->judged++;
  if (!agrees(saturated, job, program->text, seed, &compared))
    return false;
  const as_job_text *given = &job->given;
  as_job_init(&tile->job, as_oplib_again(job->lib, &err));
  as_verdict_init(&tile->verdict);
  tile->found = true;
  tile->job.any_tile = true;
  bool read =
      tile->job.lib &&
      as_job_take_program(&tile->job, given->name, as_strdup(given->text), given->len, &err) &&
      as_job_take_candidate(&tile->job, tile_name, as_strdup(program->text), strlen(program->text),
                            &err);
  if (read) {
    as_judged judged = as_job_judged(&tile->job);
    own.field = judged.program != NULL; /* else the comparison by evaluation stands in its place */
    as_judge(&judged, &own, &tile->verdict);
  }
  bool certified = read && tile->verdict.certified;
  saturated->unproved += !certified;
  tile->us = program->lowered_us;
  tile->kernels = program->kernels;
  if (certified && words)
    *words = as_format("%s; proved for all sizes and inputs: %u goals, %u steps, accepted",
                       compared, tile->verdict.proof.goals, tile->verdict.proof.steps);
  if (!certified)
    as_saturated_tile_clear(tile);
  free(compared);
  as_err_clear(&err);
  return certified;
}

/* the muGraph that a program of block form is, as text (malloc'ed); NULL: it is of another form */
static char *block_of(const as_job *job, const char *text) {
  as_err err;
  as_err_init(&err);
  as_sizes *sizes = as_sizes_new();
  as_tile_program *tile = as_tile_parse(tile_name, text, strlen(text), sizes, job->lib, &err);
  char *block = tile ? as_tile_block_text(tile, job->program, &err) : NULL;
  as_tile_free(tile);
  as_sizes_free(sizes);
  as_err_clear(&err);
  return block;
}

/* the first that is certified; one of block form is the search's to lower */
static void judge(as_saturated *saturated, const as_job *job, const as_search_opts *opts,
                  as_saturated_tile *tile) {
  const as_tiles_result *found = &saturated->found;
  saturated->best = found->n;
  for (uint32_t i = 0; i < found->n && i < MOST_JUDGED && !tile->found; i++) {
    if (certify(saturated, job, opts->policy, opts->seed, &found->program[i], tile,
                &saturated->words))
      saturated->best = i;
  }
  char *block = tile->found ? block_of(job, found->program[saturated->best].text) : NULL;
  if (block)
    as_saturated_tile_clear(tile);
  free(block);
}

/* Those first whose exponentials are of differences to a maximum: others overflow at scores that
 * are ordinary, and are offered where there is nothing else. */
static void offer(as_saturated *saturated, const as_job *job, const as_search_opts *opts,
                  as_search_result *result) {
  const as_tiles_result *found = &saturated->found;
  as_offers *offers = &saturated->offers;
  for (int plain = 0; plain < 2 && (!plain || result->n == 0); plain++) {
    uint32_t most = offers->graphs + MOST_BLOCKS;
    for (uint32_t i = 0; i < found->n && i < MOST_JUDGED && offers->graphs < most; i++)
      as_offer_tile(job, opts, found->program[i].text, !plain, result, offers, NULL);
  }
}

static void add_rules(const as_saturated *saturated, as_str *out) {
  const as_tiles_result *found = &saturated->found;
  bool first = true;
  for (uint32_t i = 0; i < found->n_rule; i++) {
    if (found->applied[i]) {
      as_str_printf(out, "%s%s %llu", first ? "" : ", ", found->rule[i],
                    (unsigned long long)found->applied[i]);
      first = false;
    }
  }
}

static bool leave(const as_saturated *saturated, const char *dir, as_err *err) {
  if (saturated->best == saturated->found.n)
    return true;
  char *path = as_format("%s.tile", dir);
  const char *text = saturated->found.program[saturated->best].text;
  bool ok = as_write_file(path, text, strlen(text), err);
  free(path);
  return ok;
}

static char *words_of(const as_saturated *saturated, const as_saturated_tile *tile,
                      const char *dir) {
  const as_tiles_result *found = &saturated->found;
  as_str out;
  as_str_init(&out);
  as_str_printf(&out,
                "saturation %s programs in %llu e-classes of %llu e-nodes; %u rounds, %s; %.2f s, "
                "and %.2f s to extract %u of them\nrules     ",
                found->represented, (unsigned long long)found->classes,
                (unsigned long long)found->nodes, found->rounds,
                found->saturated ? "saturated"
                : found->full    ? "the bound of nodes struck: there may be more"
                                 : "the bound of rounds struck: there may be more",
                found->seconds_saturating, found->seconds_extracting, found->n);
  add_rules(saturated, &out);
  as_str_printf(&out, "; %llu matches refused by their conditions\n",
                (unsigned long long)found->refused);
  if (found->unwritten)
    as_str_printf(&out, "unwritten %u extracted programs cannot be written as a text\n",
                  found->unwritten);
  as_str_printf(&out, "judged    %u, cheapest first: %u refuted, %u without a proof\n",
                saturated->judged, saturated->refuted, saturated->unproved);
  if (saturated->best < found->n) {
    const as_tiles_program *best = &found->program[saturated->best];
    as_str_printf(&out,
                  "cheapest  certified: %u kernels, %.1f us by the model; %s.tile\n          %s\n",
                  best->kernels, best->us, dir, saturated->words);
  }
  char *offers = as_offers_words(&saturated->offers);
  as_str_printf(&out, "blocks    %u block graphs of them: %s\n", saturated->offers.graphs, offers);
  free(offers);
  if (tile->found)
    as_str_printf(&out, "by itself %u kernels, %.1f us as they are lowered, by the model\n",
                  tile->kernels, tile->us);
  return as_str_take(&out);
}

bool as_saturated_add(const as_job *job, const as_saturated_how *how, const as_search_opts *opts,
                      as_search_result *result, as_saturated_tile *tile, as_err *err) {
  as_saturated saturated = {.judged = 0};
  as_tiles_opts options = as_tiles_default;
  options.tile = how->tile;
  options.most_nodes = how->most_nodes;
  options.target = opts->target;
  bool ok = as_tiles_search(job->program, &options, &saturated.found, err) == AS_OK;
  if (ok) {
    judge(&saturated, job, opts, tile);
    offer(&saturated, job, opts, result);
    ok = leave(&saturated, how->dir, err);
    char *said = words_of(&saturated, tile, how->dir);
    if (how->told)
      fputs(said, how->told);
    free(said);
  }
  as_tiles_result_clear(&saturated.found);
  free(saturated.words);
  return ok;
}

/* Outcomes of plans, kept by segment and plan, and as text: a line each. */
#include "record.h"
#include "src/base/hash.h"
#include "src/base/str.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_RANKS = 4096,
  N_COUNTS = 9 /* before those of the limits */
};

#define OUTCOME(record, i) (&AS_VEC_AT(&(record)->outcome, sg_outcome, i))

as_search_record *as_search_record_new(void) {
  as_search_record *record = as_calloc(1, sizeof *record);
  as_vec_init(&record->outcome, sizeof(sg_outcome));
  return record;
}

void as_search_record_free(as_search_record *record) {
  if (record == NULL)
    return;
  for (size_t i = 0; i < record->outcome.n; i++)
    free(OUTCOME(record, i)->rank);
  as_vec_clear(&record->outcome);
  as_index_clear(&record->by_plan);
  free(record);
}

uint64_t sg_record_segment(const sg_segment *segment) {
  const sg_limits *limits = &segment->limits;
  char *program = as_print_tp_alone(segment->sub);
  char *all =
      as_format("%u states, %u values, %u graphs, z3 %d, unpruned %u\n%s", limits->max_states,
                limits->max_values, limits->keep, limits->z3, limits->most_ops, program);
  uint64_t hash = as_hash(all, strlen(all), 1);
  free(all);
  free(program);
  return hash;
}

static uint64_t hash_of(uint64_t segment, uint32_t plan) {
  return as_hash_words(AS_KEY(segment, plan), 2, 1);
}

const sg_outcome *sg_record_find(const as_search_record *record, uint64_t segment, uint32_t plan) {
  as_index_walk walk = as_index_start(&record->by_plan, hash_of(segment, plan));
  for (uint32_t id; (id = as_index_next(&walk)) != AS_NONE;) {
    if (OUTCOME(record, id)->segment == segment && OUTCOME(record, id)->plan == plan)
      return OUTCOME(record, id);
  }
  return NULL;
}

void sg_record_add(as_search_record *record, const sg_outcome *outcome) {
  if (sg_record_find(record, outcome->segment, outcome->plan))
    return;
  sg_outcome copy = *outcome;
  copy.rank = as_malloc((outcome->n_rank + 1) * sizeof *copy.rank);
  if (outcome->n_rank)
    memcpy(copy.rank, outcome->rank, outcome->n_rank * sizeof *copy.rank);
  as_index_add(&record->by_plan, hash_of(outcome->segment, outcome->plan),
               (uint32_t)record->outcome.n);
  as_vec_push(&record->outcome, &copy);
}

/* the counts of a plan, in the order in which they are written */
static void list_counts(sg_stats *stats, uint64_t *count[N_COUNTS]) {
  uint64_t *const all[N_COUNTS] = {&stats->states, &stats->shape,  &stats->abstract,
                                   &stats->unit,   &stats->repeat, &stats->memory,
                                   &stats->values, &stats->plans,  &stats->candidates};
  memcpy(count, all, sizeof all);
}

char *as_search_record_text(const as_search_record *record) {
  as_str text;
  as_str_init(&text);
  for (size_t i = 0; i < record->outcome.n; i++) {
    sg_outcome outcome = *OUTCOME(record, i);
    uint64_t *count[N_COUNTS];
    list_counts(&outcome.stats, count);
    as_str_printf(&text, "plan %" PRIx64 " %u", outcome.segment, outcome.plan);
    for (int k = 0; k < N_COUNTS; k++)
      as_str_printf(&text, " %" PRIu64, *count[k]);
    for (int k = 0; k < AS_LIMIT_N; k++)
      as_str_printf(&text, " %" PRIu64, outcome.stats.struck[k]);
    as_str_printf(&text, " %u", outcome.n_rank);
    for (uint32_t k = 0; k < outcome.n_rank; k++) {
      const sg_rank *rank = &outcome.rank[k];
      as_str_printf(&text, " %u %d %a %" PRIu64, rank->recipe, rank->split, rank->us, rank->weight);
    }
    as_str_add(&text, "\n");
  }
  return as_str_take(&text);
}

/* --- reading */
typedef struct {
  const char *at;
  bool bad;
} line_reader;

static uint64_t read_number(line_reader *line, int base, uint64_t most) {
  char *end;
  bool starts = line->at[0] == ' ' && line->at[1] != '-' && line->at[1] != ' ';
  unsigned long long value = starts ? strtoull(line->at + 1, &end, base) : 0;
  if (!starts || end == line->at + 1 || value > most) {
    line->bad = true;
    return 0;
  }
  line->at = end;
  return value;
}

static double read_cost(line_reader *line) {
  char *end;
  double value = line->at[0] == ' ' ? strtod(line->at + 1, &end) : -1;
  if (line->at[0] != ' ' || end == line->at + 1 || !(value >= 0 && value < 1e300)) {
    line->bad = true;
    return 0;
  }
  line->at = end;
  return value;
}

/* one line, behind its first word; false: it is not one */
static bool read_outcome(line_reader *line, sg_outcome *outcome) {
  memset(outcome, 0, sizeof *outcome);
  uint64_t *count[N_COUNTS];
  list_counts(&outcome->stats, count);
  outcome->segment = read_number(line, 16, UINT64_MAX);
  outcome->plan = (uint32_t)read_number(line, 10, UINT32_MAX - 1);
  for (int k = 0; k < N_COUNTS; k++)
    *count[k] = read_number(line, 10, UINT64_MAX);
  for (int k = 0; k < AS_LIMIT_N; k++)
    outcome->stats.struck[k] = read_number(line, 10, UINT64_MAX);
  outcome->n_rank = (uint32_t)read_number(line, 10, MOST_RANKS);
  outcome->rank = as_calloc(outcome->n_rank + 1, sizeof *outcome->rank);
  for (uint32_t k = 0; k < outcome->n_rank && !line->bad; k++) {
    sg_rank *rank = &outcome->rank[k];
    rank->plan = outcome->plan;
    rank->recipe = (uint32_t)read_number(line, 10, MOST_RANKS);
    rank->split = read_number(line, 10, 1) == 1;
    rank->us = read_cost(line);
    rank->weight = read_number(line, 10, UINT64_MAX);
  }
  return !line->bad && *line->at == '\n';
}

bool as_search_record_read(as_search_record *record, const char *text, as_err *err) {
  uint32_t number = 0;
  for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
    number++;
    sg_outcome outcome = {.rank = NULL};
    line_reader line = {at + strlen("plan"), false};
    bool read = strncmp(at, "plan ", strlen("plan ")) == 0 && strchr(at, '\n') &&
                read_outcome(&line, &outcome);
    if (read)
      sg_record_add(record, &outcome);
    free(outcome.rank);
    if (!read)
      return as_err_set(err, AS_BAD_INPUT, "plan %u of it cannot be read", number);
  }
  return true;
}

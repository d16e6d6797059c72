#include "job.h"
#include "judge_int.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/tile/tile.h"
#include <stdlib.h>
#include <string.h>

static const char backwards[] = ".reverse";

void as_job_init(as_job *job, as_oplib *lib) {
  *job = (as_job){.lib = lib, .sizes = as_sizes_new()};
}

static void clear_text(as_job_text *text) {
  free(text->name);
  free(text->text);
}

void as_job_clear(as_job *job) {
  judge_definitions_free(job->definitions);
  as_rulefile_free(job->rules);
  as_graph_free(job->graph);
  as_graph_free(job->program);
  as_tile_free(job->tile[0]);
  as_tile_free(job->tile[1]);
  as_oplib_free(job->lib);
  as_sizes_free(job->sizes);
  clear_text(&job->given);
  clear_text(&job->candidate);
  *job = (as_job){0};
}

/* replaces what the text was */
static void keep_text(as_job_text *into, const char *name, char *text, size_t len) {
  clear_text(into);
  *into = (as_job_text){as_strdup(name), text, len};
}

static bool read_text(as_job_text *into, const char *path, as_err *err) {
  size_t len = 0;
  char *text = as_read_file(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &len, err);
  if (text == NULL)
    return false;
  keep_text(into, path, text, len);
  return true;
}

static bool parse_program(as_job *job, as_err *err) {
  const as_job_text *text = &job->given;
  as_oplib_read_as(job->lib, AS_READ_GIVEN);
  if (job->any_tile && as_tile_is_text(text->text, text->len)) {
    job->tile[0] = as_tile_parse(text->name, text->text, text->len, job->sizes, job->lib, err);
    return job->tile[0] != NULL;
  }
  job->program = as_parse_tp(text->name, text->text, text->len, job->sizes, job->lib, err);
  return job->program != NULL;
}

bool as_job_read_program(as_job *job, const char *path, as_err *err) {
  return read_text(&job->given, path, err) && parse_program(job, err);
}

bool as_job_take_program(as_job *job, const char *name, char *text, size_t len, as_err *err) {
  keep_text(&job->given, name, text, len);
  return parse_program(job, err);
}

static bool begins_with(const char *text, size_t len, const char *word) {
  return len >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* a candidate that begins with `program` (or `use`) is a program, otherwise a muGraph */
static bool is_program(const char *text, size_t len) {
  size_t i = 0;
  while (i < len && text[i] && strchr(" \t\r\n#", text[i])) {
    if (text[i] == '#') {
      while (i < len && text[i] != '\n')
        i++;
    } else {
      i++;
    }
  }
  return begins_with(text + i, len - i, "program") || begins_with(text + i, len - i, "use");
}

/* a tile program of block form: what is tested is the muGraph that it is, while the claim is made
 * of the text itself */
static as_graph *parse_block_form(as_job *job, as_err *err) {
  const as_job_text *text = &job->candidate;
  as_sizes *sizes = as_sizes_new();
  as_tile_program *tile = as_tile_parse(text->name, text->text, text->len, sizes, job->lib, err);
  char *block = tile ? as_tile_block_text(tile, job->program, err) : NULL;
  as_graph *graph =
      block ? as_parse_mug(text->name, block, strlen(block), job->program, err) : NULL;
  free(block);
  as_tile_free(tile);
  as_sizes_free(sizes);
  return graph;
}

static bool parse_tile(as_job *job, as_err *err) {
  const as_job_text *text = &job->candidate;
  as_err other; /* why it is not of block form, where any form will do */
  as_err_init(&other);
  if (job->program)
    job->graph = parse_block_form(job, job->any_tile ? &other : err);
  as_err_clear(&other);
  if (job->graph == NULL && job->any_tile)
    job->tile[1] = as_tile_parse(text->name, text->text, text->len, job->sizes, job->lib, err);
  return job->graph || job->tile[1];
}

typedef struct {
  long least;
  long value;
} stated_size;

/* A program as a candidate states the sizes of the given one again, in the same table.  Of those
 * left to run time the given program says the range: what a candidate says beyond it is not asked
 * for. */
static as_graph *parse_second_program(as_job *job, const as_job_text *text, as_err *err) {
  const as_graph *given = job->program ? job->program : job->tile[0]->sizes;
  stated_size *stated = as_calloc(given->n_own_size + 1, sizeof *stated);
  for (uint32_t i = 0; i < given->n_own_size; i++) {
    stated[i] = (stated_size){as_size_least(job->sizes, given->own_size[i]),
                              as_size_value(job->sizes, given->own_size[i])};
  }
  as_graph *graph = as_parse_tp(text->name, text->text, text->len, job->sizes, job->lib, err);
  for (uint32_t i = 0; i < given->n_own_size; i++) {
    as_size size = given->own_size[i];
    if (!as_size_is_ranged(job->sizes, size))
      continue;
    as_size_set_least(job->sizes, size, stated[i].least);
    if (stated[i].value >= 0)
      as_size_set_value(job->sizes, size, stated[i].value);
  }
  free(stated);
  return graph;
}

/* Inputs and outputs go by name: in whatever order a candidate has them, they are those of the
 * given program, whose order is that of arrays to come. */
static void order_by_name(const as_graph *given, const as_node_id *wanted, uint32_t n,
                          const as_graph *graph, as_node_id *has) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = i; k < n; k++) {
      as_node_id had = has[k];
      if (strcmp(given->node[wanted[i]].name, graph->node[had].name) != 0)
        continue;
      has[k] = has[i];
      has[i] = had;
      break;
    }
  }
}

static void order_as_given(const as_graph *given, as_graph *graph) {
  if (given->n_input == graph->n_input)
    order_by_name(given, given->input, given->n_input, graph, graph->input);
  if (given->n_output == graph->n_output)
    order_by_name(given, given->output, given->n_output, graph, graph->output);
}

/* a muGraph is read as its program is, with the program's own definitions; others by themselves */
static bool parse_text(as_job *job, as_err *err) {
  const as_job_text *text = &job->candidate;
  if (as_tile_is_text(text->text, text->len)) {
    as_oplib_new_candidate(job->lib);
    return parse_tile(job, err);
  }
  if (job->program == NULL && !is_program(text->text, text->len))
    return as_err_set(err, AS_BAD_INPUT, "%s: beside a given tile program it is no program",
                      text->name);
  if (is_program(text->text, text->len)) {
    as_oplib_new_candidate(job->lib);
    job->graph = parse_second_program(job, text, err);
  } else {
    job->graph = as_parse_mug(text->name, text->text, text->len, job->program, err);
  }
  if (job->graph && job->program)
    order_as_given(job->program, job->graph);
  return job->graph != NULL;
}

static bool parse_candidate(as_job *job, as_err *err) {
  bool ok = parse_text(job, err);
  as_oplib_read_as(job->lib, AS_READ_GIVEN);
  return ok;
}

bool as_job_read_candidate(as_job *job, const char *path, as_err *err) {
  return read_text(&job->candidate, path, err) && parse_candidate(job, err);
}

bool as_job_take_candidate(as_job *job, const char *name, char *text, size_t len, as_err *err) {
  keep_text(&job->candidate, name, text, len);
  return parse_candidate(job, err);
}

bool as_job_read_rules_with_defects(as_job *job, const char *path, as_err *err) {
  if (!read_text(&job->given, path, err))
    return false;
  if (strcmp(path, "-") == 0) { /* a name by which rules are known from programs */
    free(job->given.name);
    job->given.name = as_strdup("stdin.rule");
  }
  const as_job_text *text = &job->given;
  job->rules = as_rulefile_open(text->name, text->text, text->len, job->lib, err);
  if (job->rules == NULL)
    return false;
  uint32_t defects = as_rulefile_defects(job->rules);
  if (as_rulefile_count(job->rules) == 0)
    return defects ? as_err_again(err, as_rulefile_defect(job->rules, 0).why)
                   : as_err_set(err, AS_BAD_INPUT, "%s: holds no rules", path);
  job->definitions = judge_definitions_new(job->lib, as_job_sound_rules(job), text->len);
  return true;
}

bool as_job_read_rules(as_job *job, const char *path, as_err *err) {
  return as_job_read_rules_with_defects(job, path, err) &&
         (as_rulefile_defects(job->rules) == 0 ||
          as_err_again(err, as_rulefile_defect(job->rules, 0).why));
}

char *as_job_sound_rules(const as_job *job) {
  const as_job_text *whole = &job->given;
  char *text = as_malloc(whole->len + 1);
  memcpy(text, whole->text, whole->len);
  text[whole->len] = 0;
  for (uint32_t i = 0; i < as_rulefile_defects(job->rules); i++) {
    as_rule_defect defect = as_rulefile_defect(job->rules, i);
    judge_blank(text, whole->text, defect.text, defect.len);
  }
  return text;
}

static ck_text borrow(const as_job_text *text) {
  return (ck_text){text->name, text->text, text->len};
}

as_judged as_job_judged(const as_job *job) {
  bool texts = job->tile[0] || job->tile[1];
  const as_graph *given = job->tile[0] ? job->tile[0]->sizes : job->program;
  const as_graph *candidate = job->tile[1] ? job->tile[1]->sizes : job->graph;
  return (as_judged){.lib = job->lib,
                     .given = borrow(&job->given),
                     .candidate = borrow(&job->candidate),
                     .program = texts ? NULL : job->program,
                     .graph = texts ? NULL : job->graph,
                     .declared = {texts ? given : NULL, texts ? candidate : NULL},
                     .tile = job->candidate.text != NULL &&
                             as_tile_is_text(job->candidate.text, job->candidate.len)};
}

as_judged as_job_judged_rule(const as_job *job, uint32_t i, bool reverse, const char *name) {
  return (as_judged){.lib = job->lib,
                     .given = borrow(&job->given),
                     .candidate = {name, "", 0},
                     .rules = job->rules,
                     .rule = i,
                     .reverse = reverse,
                     .definitions = job->definitions};
}

uint32_t as_job_rule_named(const as_job *job, const char *name, bool *reverse) {
  size_t length = strlen(name);
  size_t ending = strlen(backwards);
  *reverse = length > ending && strcmp(name + length - ending, backwards) == 0;
  if (*reverse)
    length -= ending;
  uint32_t n = as_rulefile_count(job->rules);
  for (uint32_t i = 0; i < n; i++) {
    const char *other = as_rulefile_name(job->rules, i);
    if (strlen(other) == length && strncmp(other, name, length) == 0)
      return i;
  }
  return n;
}

char *as_job_rule_name(const as_job *job, uint32_t i, bool reverse) {
  return as_format("%s%s", as_rulefile_name(job->rules, i), reverse ? backwards : "");
}

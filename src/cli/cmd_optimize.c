/* `assay optimize`: search, certify, lower; only what is certified is lowered. */
#include "cli.h"
#include "progress.h"
#include "search/search.h"
#include "src/lower/lower.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  const as_candidate *cand;
  uint32_t tiling;
  char *text; /* the muGraph as certified, with its tiling */
  cli_verdicts v;
  as_lowered low;
  bool lowered;
} choice;

static void choice_clear(choice *x) {
  free(x->text);
  cli_verdicts_clear(&x->v);
  as_lowered_clear(&x->low);
}

/* The first candidate, in order of cost, with a tiling that lowers and whose printed text is
 * certified. */
static bool choose(const cli_opts *o, cli_case *c, const ck_text *spec, const as_target *target,
                   const as_search_result *found, choice *x, as_err *err) {
  as_err last;
  as_lower_opts plan = {.target = target};
  as_err_init(&last);
  for (uint32_t i = 0; i < found->n; i++) {
    for (uint32_t t = 0; t < (found->cand[i].n_tiling ? found->cand[i].n_tiling : 1); t++) {
      x->cand = &found->cand[i];
      x->tiling = t;
      if (found->cand[i].n_tiling)
        as_search_select(x->cand, t);
      as_err_clear(&last);
      as_lowered_init(&x->low);
      cli_verdicts_init(&x->v);
      c->cand = x->cand->graph;
      x->text = as_print_mug(c->cand);
      if (as_lower_cuda(c->cand, &plan, &x->low, &last)) {
        ck_text text = {"candidate.mug", x->text, strlen(x->text)};
        if (!cli_judge(o, c, spec, &text, &x->v, err))
          return false;
        if (x->v.certified) {
          as_err_clear(&last);
          return x->lowered = true;
        }
        as_err_set(&last, AS_UNKNOWN, "not certified: %s",
                   x->v.reason ? x->v.reason : "no reason given");
      }
      choice_clear(x);
      x->text = NULL;
      c->cand = NULL;
    }
  }
  char *why = as_err_format(&last);
  as_err_set(err, AS_UNKNOWN, "no certified candidate can be lowered at the sizes stated: %s", why);
  free(why);
  as_err_clear(&last);
  return false;
}

static json_t *extra_json(const as_search_result *found, const choice *x, const as_target *target) {
  const as_search_stats *s = &found->stats;
  json_t *tiling = json_object();
  json_t *kernels = json_array();
  if (x->cand->n_tiling) {
    const as_tiling *t = &x->cand->tiling[x->tiling];
    for (uint32_t i = 0; i < t->n; i++) {
      json_object_set_new(tiling, as_size_name(x->cand->graph->sizes, t->size[i]),
                          json_integer(t->value[i]));
    }
    json_object_set_new(tiling, "model_us", json_real(t->us));
  }
  for (uint32_t i = 0; i < x->low.n_kernel; i++) {
    const as_lower_kernel *l = &x->low.kernel[i];
    json_array_append_new(kernels, json_pack("{s:s, s:I, s:I, s:i, s:i, s:i}", "name", l->name,
                                             "shared_bytes", (json_int_t)l->bytes_smem, "blocks",
                                             (json_int_t)l->blocks, "warps", l->warps, "stages",
                                             l->stages, "barriers_in_loop", l->barriers_loop));
  }
  return json_pack("{s:s, s:s, s:{s:I, s:I, s:I, s:I, s:I, s:f}, s:o, s:o, s:i}", "target",
                   target->gpu, "arch", target->arch, "search", "states", (json_int_t)s->states,
                   "candidates", (json_int_t)s->candidates, "tested", (json_int_t)s->tested,
                   "certified", (json_int_t)s->certified, "failed_late",
                   (json_int_t)(s->unproved + s->replay_failed), "seconds", s->seconds, "tiling",
                   tiling, "kernels", kernels, "kernel_count", (int)x->cand->kernels);
}

static uint32_t operators(const as_graph *g) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n; i++)
    n += g->node[i].kind == AS_N_OP;
  return n;
}

static void print_choice(const cli_opts *o, const cli_case *c, const as_search_result *found,
                         const choice *x, const as_target *target, const char *dir) {
  if (o->quiet) {
    puts(dir);
    return;
  }
  const as_search_stats *s = &found->stats;
  printf("%s: %u operators; %llu states visited, %llu candidates tested, %llu certified in %.1f "
         "s\n\n%s\n",
         c->spec->name, operators(c->spec), (unsigned long long)s->states,
         (unsigned long long)s->tested, (unsigned long long)s->certified, s->seconds, x->text);
  cli_print_verdicts(&x->v, o->verbose);
  printf("target    %s (%s)\n", target->arch, target->gpu);
  for (uint32_t i = 0; i < x->low.n_kernel; i++) {
    const as_lower_kernel *k = &x->low.kernel[i];
    printf("kernel    %s: %ld blocks of %d warps, %ld bytes of shared memory, %d stages\n", k->name,
           k->blocks, k->warps, k->bytes_smem, k->stages);
  }
  if (o->verbose && x->low.notes)
    fputs(x->low.notes, stdout);
  for (uint32_t i = 0; o->verbose && i < found->n_log; i++)
    printf("note      %s\n", found->log[i]);
  printf("%s\n", dir);
}

int cli_optimize(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  cli_case c;
  choice x = {0};
  as_search_result found = {0};
  ck_text spec = {o->arg[0], NULL, 0};
  char *dir = NULL;
  int status = AS_INTERNAL;
  bool ok = cli_load(o, o->arg[0], NULL, &c, &err);
  bool searched = false;
  const as_target *target = cli_target(o, NULL, &err);
  ok = ok && target;
  if (ok)
    ok = (spec.text = as_read_file(o->arg[0], &spec.len, &err)) != NULL;
  if (ok) {
    dir = o->out ? as_strdup(o->out) : as_format("%s.assay", c.spec->name);
    ok = as_report_dir_place(dir, o->force, &err); /* before the work, not after it */
  }
  if (ok) {
    cli_progress bar;
    cli_progress_init(&bar, o->quiet);
    as_search_opts so = as_search_default;
    so.threads = (unsigned)o->threads;
    so.seed = o->seed;
    so.max_seconds = (double)o->seconds;
    so.z3 = strcmp(o->prune, "z3") == 0;
    so.target = target;
    so.progress = cli_progress_show;
    so.progress_arg = &bar;
    as_status st = as_search(c.spec, &so, &found);
    searched = true;
    cli_progress_end(&bar);
    if (st != AS_OK) {
      ok = as_err_set(&err, st, "%s",
                      found.message ? found.message
                                    : "no certified candidate was found within the limits");
    }
  }
  cli_opts to_write = *o; /* a directory is written in any case */
  to_write.out = dir;
  if (ok)
    ok = choose(&to_write, &c, &spec, target, &found, &x, &err);
  if (ok) {
    ck_text cand = {"candidate.mug", x.text, strlen(x.text)};
    json_t *extra = extra_json(&found, &x, target);
    ok = as_report_package(o, dir, &c, &spec, &cand, &x.v, x.low.cuda, extra, &err);
    if (ok && o->json) {
      json_object_set_new(extra, "directory", json_string(dir));
      char *json = as_report_json(&c, &x.v, NULL, extra);
      fputs(json, stdout);
      free(json);
    } else if (ok) {
      print_choice(o, &c, &found, &x, target, dir);
    }
    json_decref(extra);
    status = AS_OK;
  }
  if (!ok)
    status = cli_fail(&err);
  if (x.lowered)
    choice_clear(&x);
  c.cand = NULL; /* the search's */
  if (searched)
    as_search_result_clear(&found);
  free((char *)spec.text);
  free(dir);
  cli_case_clear(&c);
  as_err_clear(&err);
  return status;
}

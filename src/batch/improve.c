#include "src/batch/improve.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include "src/improve/improve.h"
#include "src/report/judged.h"
#include "verify/judge/job.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_batch_improve_how *how;
  as_oplib *library;
  const char *path;
  char *out;
  const as_import_tile_format *format;
  as_import_tile_options options;
  char *launch; /* the one beside the kernel, where nothing is said of one */
  char *text;
  size_t len;
  char *given; /* what the kernel computes, as a tile program */
  char *why;   /* the last attempt was not proved; NULL: there was none */
} improving;

/* the tile program of the kernel in the file; malloc'ed, NULL with err */
static char *lifted(const improving *in, const char *path, as_err *err) {
  void *file = in->format->read(path, &in->options, err);
  char *text = file ? in->format->tile(file, 0, &in->options, true, NULL, err) : NULL;
  in->format->free(file);
  return text;
}

/* The launch that lies beside the kernel is the improved one's too. */
static void find_launch(improving *in) {
  const as_import_tile_options *said = &in->how->options;
  in->options = *said;
  bool any = said->launch || said->grid || (said->argument && said->argument->n > 0);
  if (any || !as_ends_with(in->path, ".ttir"))
    return;
  in->launch = as_format("%.*sjson", (int)(strlen(in->path) - strlen("ttir")), in->path);
  if (as_exists(in->launch))
    in->options.launch = in->launch;
}

static json_t *count_json(const as_improve_count *count) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I}", "loads", (json_int_t)count->loads, "reductions",
                   (json_int_t)count->reductions, "divisions", (json_int_t)count->divisions,
                   "divided", (json_int_t)count->divided, "operations",
                   (json_int_t)count->operations);
}

static json_t *extra_json(const as_improved *improved) {
  return json_pack("{s:{s:o, s:o}}", "work_of_an_instance", "before", count_json(&improved->before),
                   "after", count_json(&improved->after));
}

static bool package(const improving *in, const as_improved *improved, const as_judged *judged,
                    as_verdict *verdict, as_err *err) {
  as_report_dir dir;
  as_report_words words;
  json_t *extra = extra_json(improved);
  as_report_dir_init(&dir);
  as_report_words_of(verdict, true, &words);
  as_report_dir_add(&dir, "original.ttir", in->text, in->len);
  as_report_dir_add(&dir, "improved.ttir", improved->text, strlen(improved->text));
  bool ok = as_report_collect(judged, verdict, &words, NULL, extra, &dir, err) &&
            as_report_dir_write(&dir, in->out, in->how->force, err);
  as_report_words_clear(&words);
  as_report_dir_clear(&dir);
  json_decref(extra);
  return ok;
}

static void add_change(as_str *out, const char *what, uint64_t before, uint64_t after) {
  if (before != after)
    as_str_printf(out, "%s%s %llu -> %llu", out->n ? ", " : "", what, (unsigned long long)before,
                  (unsigned long long)after);
}

static void tell(const improving *in, const as_improved *improved, const as_verdict *verdict) {
  const as_improve_count *before = &improved->before;
  const as_improve_count *after = &improved->after;
  if (in->how->quiet) {
    puts("PROVED");
    return;
  }
  if (in->how->json) {
    json_t *all = extra_json(improved);
    json_object_set_new(all, "verdict", json_string("PROVED"));
    json_object_set_new(all, "directory", json_string(in->out));
    json_object_set_new(all, "steps", json_integer(verdict->proof.steps));
    char *text = json_dumps(all, JSON_INDENT(1));
    puts(text);
    free(text);
    json_decref(all);
    return;
  }
  as_str changes;
  as_str_init(&changes);
  add_change(&changes, "loads", before->loads, after->loads);
  add_change(&changes, "reductions", before->reductions, after->reductions);
  add_change(&changes, "divisions", before->divisions, after->divisions);
  add_change(&changes, "divided elements", before->divided, after->divided);
  add_change(&changes, "operations", before->operations, after->operations);
  printf("an instance: %s\nPROVED: a certificate of %u steps, accepted\n%s\n", changes.s,
         verdict->proof.steps, in->out);
  as_str_clear(&changes);
}

static void keep_why(improving *in, const as_verdict *verdict, const as_err *err) {
  free(in->why);
  in->why = err->status != AS_OK ? as_err_format(err)
                                 : as_strdup(verdict->why ? verdict->why : "no reason given");
}

/* The texts of both, judged; what is proved is left.  *proved: it is; false with err: it cannot be
 * left. */
static bool judge(improving *in, const as_improved *improved, const char *candidate, bool *proved,
                  as_err *err) {
  as_err unread;
  as_verdict verdict;
  as_job job;
  as_policy policy = *in->how->policy;
  as_err_init(&unread);
  as_verdict_init(&verdict);
  as_job_init(&job, as_oplib_again(in->library, &unread));
  job.any_tile = true;
  bool read =
      job.lib &&
      as_job_take_program(&job, "program.tile", as_strdup(in->given), strlen(in->given), &unread) &&
      as_job_take_candidate(&job, "candidate.tile", as_strdup(candidate), strlen(candidate),
                            &unread);
  const as_judged judged = as_job_judged(&job);
  bool ok = true;
  policy.field = false;
  if (read)
    as_judge(&judged, &policy, &verdict);
  *proved = read && verdict.certified;
  if (*proved) {
    ok = package(in, improved, &judged, &verdict, err);
    if (ok)
      tell(in, improved, &verdict);
  } else {
    keep_why(in, &verdict, read ? &verdict.err : &unread);
  }
  as_verdict_clear(&verdict);
  as_job_clear(&job);
  as_err_clear(&unread);
  return ok;
}

/* one choice of rules; false with err */
static bool attempt(improving *in, const as_improve_how *rules, bool *proved, as_err *err) {
  as_improved improved;
  if (!as_improve(in->path, in->text, in->len, rules, &improved, err))
    return false;
  bool ok = true;
  if (improved.text) {
    char *file = as_format("%s.ttir", in->out);
    ok = as_write_file(file, improved.text, strlen(improved.text), err);
    char *candidate = ok ? lifted(in, file, err) : NULL;
    ok = candidate && judge(in, &improved, candidate, proved, err);
    remove(file);
    free(candidate);
    free(file);
  }
  as_improved_clear(&improved);
  return ok;
}

int as_batch_improve(const as_batch_improve_how *how, as_oplib *library, const char *path,
                     as_err *err) {
  static const as_improve_how choices[] = {
      {.divide = true, .unroll = true}, {.unroll = true}, {.divide = true}, {.unroll = false}};
  improving in = {.how = how, .library = library, .path = path};
  bool proved = false;
  find_launch(&in);
  in.format = as_import_tile_format_named("triton");
  in.out = how->out ? as_strdup(how->out) : as_format("%s.assay", path);
  bool ok = library != NULL;
  ok = ok && (strcmp(how->from, "triton") == 0 ||
              as_err_set(err, AS_BAD_INPUT, "optimize takes kernels of `triton` alone, not of `%s`",
                         how->from));
  ok = ok && as_report_dir_place(in.out, how->force, err);
  in.text = ok ? as_read_file(path, &in.len, err) : NULL;
  in.given = in.text ? lifted(&in, path, err) : NULL;
  ok = in.given != NULL;
  for (size_t i = 0; ok && !proved && i < sizeof choices / sizeof *choices; i++)
    ok = attempt(&in, &choices[i], &proved, err);
  if (ok && !proved)
    as_err_set(err, AS_UNKNOWN,
               in.why ? "%s: what was found is not proved: %s"
                      : "%s: nothing was found that makes it cheaper",
               path, in.why);
  int status = ok && proved ? AS_OK : as_err_tell(err);
  free(in.text);
  free(in.given);
  free(in.why);
  free(in.launch);
  free(in.out);
  as_oplib_free(library);
  as_err_clear(err);
  return status;
}

#include "trial.h"
#include "../base/child.h"
#include "compile.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const *as_rt_trial_text(void);

/* of the processor for what a program runs beyond the first block of each kernel */
#define SECONDS 0.3

void as_trial_clear(as_trial *trial) {
  free(trial->words);
  memset(trial, 0, sizeof *trial);
}

/* ---- the text */

/* what all share: the prelude, what calls of a library need if there is one, and the trial */
static void put_head(const as_lowered *const *lowered, uint32_t n, as_str *out) {
  uint32_t longest = 0;
  bool threads = false;
  for (uint32_t i = 0; i < n; i++) {
    longest = lowered[i]->own > lowered[longest]->own ? i : longest;
    for (uint32_t k = 0; k < lowered[i]->n_kernel; k++)
      threads = threads || lowered[i]->kernel[k].validated;
  }
  as_str_addn(out, lowered[longest]->cuda, lowered[longest]->own);
  if (threads) /* within a namespace it would be too late */
    as_str_add(out, "#include \"threads_emu.h\"\n");
  for (const char *const *line = as_rt_trial_text(); *line; line++)
    as_str_add(out, *line);
}

/* names that programs have in common, being C's */
static const char *const common[] = {"assay_launch", "assay_workspace_bytes", "assay_size_error",
                                     "assay_input_bytes", "assay_output_bytes"};

enum { N_COMMON = sizeof common / sizeof *common };

static void put_program(const as_lowered *lowered, uint32_t number, as_str *out) {
  for (int i = 0; i < N_COMMON; i++)
    as_str_printf(out, "#define %s %s_%u\n", common[i], common[i], number);
  as_str_printf(out, "namespace case_%u {\n%s%s", number, lowered->cuda + lowered->own,
                lowered->trial);
  if (lowered->n_size) {
    as_str_add(out, "static const long long sizes[] = {");
    for (uint32_t i = 0; i < lowered->n_size; i++)
      as_str_printf(out, "%s%lld", i ? ", " : "", (long long)lowered->size[i].value);
    as_str_add(out, "};\n");
  }
  as_str_printf(out,
                "static int launch(void *const *in, void *const *out, void *workspace)\n"
                "{\n  return assay_launch(in, out, workspace, NULL%s);\n}\n"
                "}\n#undef ASSAY_N_SIZES\n#undef ASSAY_BAD_SIZE\n",
                lowered->n_size ? ", sizes" : "");
  for (int i = 0; i < N_COMMON; i++)
    as_str_printf(out, "#undef %s\n", common[i]);
}

static void put_table(const as_lowered *const *lowered, uint32_t n, as_str *out) {
  as_str_add(out, "static const as_trial::program as_trial_programs[] = {\n");
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(out,
                  "  {case_%u::as_trial_tensors, sizeof case_%u::as_trial_tensors / "
                  "sizeof *case_%u::as_trial_tensors, case_%u::as_trial_parts, %u, %u, %ld, "
                  "case_%u::launch},\n",
                  i, i, i, i, lowered[i]->n_in, lowered[i]->n_out, lowered[i]->workspace, i);
  as_str_printf(out,
                "};\nint main()\n{\n  as_trial::try_all(as_trial_programs, %u, %g);\n"
                "  return 0;\n}\n",
                n, SECONDS);
}

static bool write_source(const as_lowered *const *lowered, uint32_t n, const char *path,
                         as_err *err) {
  as_str text;
  as_str_init(&text);
  put_head(lowered, n, &text);
  for (uint32_t i = 0; i < n; i++)
    put_program(lowered[i], i, &text);
  put_table(lowered, n, &text);
  bool written = as_write_file(path, text.s, text.n, err);
  as_str_clear(&text);
  return written;
}

/* ---- what comes of it */
static long count_of(const json_t *object, const char *key) {
  return (long)json_integer_value(json_object_get(object, key));
}

/* told: what it said on standard error; owned by the caller */
static void judge(const json_t *object, const char *told, as_trial *trial) {
  const json_t *ended = json_object_get(object, "ended");
  const char *late = json_string_value(json_object_get(object, "late"));
  bool wrong = count_of(object, "wrong") > 0 || count_of(object, "faults") > 0;
  trial->kernels = count_of(object, "kernels");
  trial->compared = count_of(object, "compared");
  trial->undefined = count_of(object, "undefined");
  trial->end = ended || wrong  ? AS_TRIAL_WRONG
               : late && *late ? AS_TRIAL_NOT_TRIED
                               : AS_TRIAL_RIGHT;
  if (ended)
    trial->words =
        as_format("its process ended with status %ld\n%s", (long)json_integer_value(ended), told);
  else if (wrong)
    trial->words = as_strdup(told);
  else if (trial->end == AS_TRIAL_NOT_TRIED)
    trial->words = as_format("not tried as a whole: a block of kernel %s takes longer under the "
                             "emulation than a trial may",
                             late);
  else
    trial->words = as_format("%ld blocks of %ld kernels ran under the emulation; %ld elements of "
                             "what they wrote are right",
                             count_of(object, "blocks"), trial->kernels, trial->compared);
}

/* behind the line that begins what is said of a program, which is one that begins so */
static const char *behind_head(const char *at) {
  for (; *at; at++)
    if (*at == '\n')
      return at + 1;
  return at;
}

static bool is_head(const char *at) {
  return strncmp(at, "program ", strlen("program ")) == 0;
}

/* what was said of the program that is next, malloc'ed; *errors: moved behind it */
static char *told_next(const char **errors) {
  const char *from = is_head(*errors) ? behind_head(*errors) : *errors;
  const char *to = from;
  while (*to && !is_head(to))
    to = behind_head(to);
  *errors = to;
  return as_format("%.*s", (int)(to - from), from);
}

static bool read_results(const char *output, const char *errors, uint32_t n, as_trial *trial,
                         as_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    json_error_t where;
    json_t *object = json_loads(output, JSON_DISABLE_EOF_CHECK, &where);
    if (!json_is_object(object)) {
      json_decref(object);
      return as_err_set(err, AS_INTERNAL, "a trial's result cannot be read: %s\n%s\n%s", where.text,
                        output, errors);
    }
    char *told = told_next(&errors);
    judge(object, told, &trial[i]);
    free(told);
    json_decref(object);
    output += where.position;
  }
  return true;
}

static bool run(const char *program, uint32_t n, as_trial *trial, as_err *err) {
  const char *argv[] = {program, NULL};
  as_child_result ran;
  as_child_run(&(as_child){.argv = argv}, &ran);
  bool ok = ran.end == AS_CHILD_EXITED && ran.status == 0;
  if (ok) {
    ok = read_results(ran.output.s ? ran.output.s : "", ran.errors.s ? ran.errors.s : "", n, trial,
                      err);
  } else {
    char *how = as_child_how(&ran);
    as_err_set(err, AS_INTERNAL, "the trial of the kernels did not run to its end (%s)", how);
    free(how);
  }
  as_child_result_clear(&ran);
  return ok;
}

static bool try_in(const char *dir, const as_lowered *const *lowered, uint32_t n,
                   const as_rt_opts *opts, as_trial *trial, as_err *err) {
  as_rt_opts how = *opts;
  how.emulate = how.trial = true;
  char *source = as_format("%s/trial.cu", dir);
  char *program = as_format("%s/trial", dir);
  bool ok = write_source(lowered, n, source, err);
  if (ok && as_rt_compile(&how, AS_RT_PROGRAM, source, program, NULL, err)) {
    ok = run(program, n, trial, err);
  } else if (ok) {
    ok = err->status == AS_UNKNOWN; /* there is no compiler */
    for (uint32_t i = 0; ok && i < n; i++) {
      trial[i].end = AS_TRIAL_NOT_TRIED;
      trial[i].words = as_format("not tried: %s", err->text);
    }
    if (ok)
      as_err_clear(err);
  }
  if (!opts->dir) {
    unlink(source);
    unlink(program);
  }
  free(source);
  free(program);
  return ok;
}

bool as_rt_try(const as_lowered *const *lowered, uint32_t n, const as_rt_opts *opts,
               as_trial *trial, as_err *err) {
  const char *scratch = getenv("TMPDIR");
  memset(trial, 0, n * sizeof *trial);
  if (opts->dir)
    return try_in(opts->dir, lowered, n, opts, trial, err);
  char *dir = as_format("%s/assay-trial-XXXXXX", scratch && *scratch ? scratch : "/tmp");
  bool ok = mkdtemp(dir) || as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", dir);
  ok = ok && try_in(dir, lowered, n, opts, trial, err);
  rmdir(dir);
  free(dir);
  return ok;
}

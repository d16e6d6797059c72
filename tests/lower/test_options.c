/* A campaign over what a lowering is asked for: random tensor programs (random_tensor.h) for calls
 * of the library or none, architectures, parts of TF32, thread graphs or none, sizes left to run
 * time; lowered, run under the emulation, many in one program, and compared with the generator's
 * own evaluator, which shares nothing with semantics/ or the lowering.
 *   test_options [--cases N] [--first N] [--seed S] [--batch B] [--every N] [--beside N]
 * Programs are numbered, and each is drawn from its number and the seed, so that parts of a
 * campaign may run beside each other: as processes of one (--beside), or anywhere (--first).  In
 * `make check` 300 are lowered and their texts verified, of which every sixth runs, since compiling
 * one takes 0.2 s; in `make check-long` all of 20,000 run, on all processors.  At the sizes that
 * users have: bench/random_device, tests/lower/random --real. */
#include "../../src/lower/lower.h"
#include "batch.h"
#include "random_tensor.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/operators.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  rt_program program;
  char *text;
  long live; /* the size left to run time, of this run */
  batch_item item;
  bool lowered;
} option_case;

static struct {
  unsigned long programs;
  unsigned long refused;
  unsigned long compared; /* programs */
  unsigned long elements;
  unsigned long by_rounding; /* outputs that are within what rounding each step moves alone */
  unsigned long live;
  unsigned long calls;
  unsigned long threads;
  unsigned long wrong;
} counted;

static void show(const option_case *of, const char *what) {
  printf("WRONG: %s\n--- for %s, library %s, TF32 %s%s, S = %ld\n%s", what,
         of->program.arch ? of->program.arch : "the default",
         as_library_use_word((as_library_use)of->program.library),
         of->program.rounded ? of->program.rounded : "never",
         of->program.general ? ", no thread graphs" : "", of->live, of->text);
  counted.wrong++;
}

/* reads and lowers; false: nothing to run */
static bool lower(option_case *of, as_oplib *lib) {
  as_err err;
  as_err_init(&err);
  as_lowered lowered;
  as_sizes *sizes = as_sizes_new();
  as_graph *graph = as_parse_tp("random.tp", of->text, strlen(of->text), sizes, lib, &err);
  if (graph == NULL) {
    show(of, err.text);
    as_err_clear(&err);
    as_sizes_free(sizes);
    return false;
  }
  int64_t *at = as_graph_size_values(graph);
  if (of->program.bound)
    at[as_size_find(graph->sizes, "S")] = of->live;
  const as_lower_opts options = {
      .target = rt_target(&of->program), .no_threads = of->program.general, .env = at};
  bool ok = as_lower_cuda(graph, &options, &lowered, &err);
  if (!ok && (err.status == AS_INTERNAL || !err.text))
    show(of, err.text ? err.text : "refused without a word");
  counted.refused += !ok;
  for (uint32_t i = 0; ok && i < lowered.n_kernel; i++)
    counted.threads += lowered.kernel[i].validated;
  counted.calls += ok && lowered.library;
  counted.live += ok && of->program.bound;
  if (ok)
    batch_item_init(&of->item, &lowered);
  as_err_clear(&err);
  free(at);
  as_graph_free(graph);
  as_sizes_free(sizes);
  return ok;
}

/* runs: it is to be run as well */
static void prepare(option_case *of, as_oplib *lib, uint64_t seed, uint64_t number, bool runs) {
  as_rng rng;
  as_rng_seed(&rng, seed * 1000003 + number);
  memset(of, 0, sizeof *of);
  rt_draw(&rng, false, &of->program);
  of->text = rt_text(&of->program);
  of->live = of->program.bound ? 1 + (long)as_rng_below(&rng, (uint64_t)of->program.bound) : 0;
  counted.programs++;
  of->lowered = lower(of, lib);
  if (of->lowered && !runs) {
    batch_item_clear(&of->item);
    of->lowered = false;
  }
  uint32_t which = 0;
  for (int id = 0; of->lowered && id < of->program.n; id++) {
    const rt_step *step = &of->program.step[id];
    if (step->kind != RT_INPUT)
      continue;
    for (long k = 0; k < of->item.lowered.in_elems[which]; k++)
      of->item.in[which][k] = rt_number(&rng, &of->program, step);
    which++;
  }
}

/* how far an output may be off: by a share of its root mean square, .. */
static double share(const rt_program *program) {
  return program->type == AS_BF16  ? 1e-1
         : program->type == AS_F16 ? 2e-2
         : program->rounded        ? 1e-2
                                   : 1e-4;
}

/* .. or by so often what rounding after each step moves */
#define OF_ROUNDING 4

static void compare_output(const option_case *of, int which, const double *exact,
                           const double *rounded, size_t n) {
  const double *got = of->item.out[which];
  double square = 0;
  double moved = 0;
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    square += exact[i] * exact[i];
    moved = fmax(moved, fabs(rounded[i] - exact[i]));
    double off = fabs(got[i] - exact[i]);
    most = isfinite(off) || !isfinite(exact[i]) ? fmax(most, off) : INFINITY;
  }
  double allowed = share(&of->program) * sqrt(square / (double)(n ? n : 1)) + 1e-7;
  counted.elements += n;
  counted.by_rounding += most > allowed && most <= OF_ROUNDING * moved;
  if (most > allowed && most > OF_ROUNDING * moved) {
    char *what = as_format("output %d is off by %.3g, where %.3g is allowed", which, most,
                           fmax(allowed, OF_ROUNDING * moved));
    show(of, what);
    free(what);
  }
}

static void compare(const option_case *of, const char *log) {
  double *exact[RT_MOST_OUTPUTS];
  double *rounded[RT_MOST_OUTPUTS];
  counted.compared++;
  if (!of->item.ran) {
    show(of, "the emulation reports a fault");
    printf("%s\n", log);
    return;
  }
  rt_evaluate(&of->program, of->live, of->item.in, false, exact);
  rt_evaluate(&of->program, of->live, of->item.in, true, rounded);
  for (int i = 0; i < of->program.n_output; i++) {
    /* the kernels' outputs are in the order of the text */
    int place = 0;
    for (int k = 0; k < of->program.n_output; k++)
      place += of->program.output[k] < of->program.output[i];
    size_t n = rt_elements(&of->program.step[of->program.output[i]], of->live);
    if (n != (size_t)of->item.lowered.out_elems[place])
      show(of, "an output has another number of elements");
    else
      compare_output(of, place, exact[i], rounded[i], n);
    free(exact[i]);
    free(rounded[i]);
  }
}

static char *read_log(const char *dir) {
  as_err err;
  size_t length = 0;
  as_err_init(&err);
  char *path = as_format("%s/log", dir);
  char *text = as_read_file(path, &length, &err);
  free(path);
  as_err_clear(&err);
  return text ? text : as_strdup("");
}

typedef struct {
  uint64_t cases;
  uint64_t first;
  uint64_t seed;
  uint64_t every; /* of so many one runs */
  unsigned batch;
  unsigned beside; /* processes */
} campaign;

static void run_batch(as_oplib *lib, const campaign *of, uint64_t first, unsigned n,
                      const char *dir) {
  option_case *cases = as_calloc(n, sizeof *cases);
  batch_item *items = as_calloc(n, sizeof *items);
  unsigned n_item = 0;
  for (unsigned i = 0; i < n; i++) {
    prepare(&cases[i], lib, of->seed, first + i, (first + i) % of->every == 0);
    if (cases[i].lowered)
      items[n_item++] = cases[i].item;
  }
  bool ok = n_item == 0 || batch_run(items, n_item, dir);
  char *log = read_log(dir);
  if (!ok) {
    printf("WRONG: the batch from %llu on could not be built, or did not run to its end\n%s\n",
           (unsigned long long)first, log);
    counted.wrong++;
  }
  n_item = 0;
  for (unsigned i = 0; i < n; i++) {
    if (cases[i].lowered) {
      cases[i].item.ran = items[n_item++].ran;
      if (ok)
        compare(&cases[i], log);
      batch_item_clear(&cases[i].item);
    }
    free(cases[i].text);
  }
  free(log);
  free(cases);
  free(items);
}

/* false: something was wrong */
static bool run(const campaign *of) {
  char dir[] = "options-XXXXXX";
  if (!mkdtemp(dir))
    return false;
  as_oplib *lib = test_operators();
  for (uint64_t done = 0; done < of->cases; done += of->batch) {
    unsigned n = (unsigned)(of->cases - done < of->batch ? of->cases - done : of->batch);
    run_batch(lib, of, of->first + done, n, dir);
    fflush(stdout);
  }
  as_oplib_free(lib);
  printf("seed %llu, from %llu on: %lu programs, %lu refused, %lu run and compared in %lu "
         "elements; %lu outputs off by rounding alone\n%lu with a size left to run time, %lu with "
         "calls of the library, %lu kernels of thread graphs\n%lu wrong\n",
         (unsigned long long)of->seed, (unsigned long long)of->first, counted.programs,
         counted.refused, counted.compared, counted.elements, counted.by_rounding, counted.live,
         counted.calls, counted.threads, counted.wrong);
  /* a campaign of some length that has none of these has not looked */
  bool looked = of->cases < 100 || (counted.live && counted.calls && counted.elements);
  char *command = as_format("rm -r %s", dir);
  bool left = system(command) != 0;
  free(command);
  return counted.wrong == 0 && looked && !left;
}

/* parts of it in processes beside each other */
static bool run_beside(const campaign *of) {
  bool right = true;
  uint64_t each = (of->cases + of->beside - 1) / of->beside;
  for (unsigned i = 0; i < of->beside; i++) {
    campaign part = *of;
    part.first += i * each;
    part.cases = i * each >= of->cases        ? 0
                 : (i + 1) * each > of->cases ? of->cases - i * each
                                              : each;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      exit(run(&part) ? EXIT_SUCCESS : EXIT_FAILURE);
    right = right && child > 0;
  }
  int status;
  while (wait(&status) > 0)
    right = right && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return right;
}

int main(int argc, char **argv) {
  bool all = getenv("AS_LONG") != NULL;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  campaign of = {.cases = all ? 20000 : 300,
                 .seed = 1,
                 .every = all ? 1 : 6,
                 .batch = 100,
                 .beside = all && processors > 0 ? (unsigned)processors : 1};
  for (int i = 1; i < argc; i++) {
    uint64_t value = i + 1 < argc ? strtoull(argv[i + 1], NULL, 10) : 0;
    if (!strcmp(argv[i], "--cases"))
      of.cases = value;
    else if (!strcmp(argv[i], "--first"))
      of.first = value;
    else if (!strcmp(argv[i], "--seed"))
      of.seed = value;
    else if (!strcmp(argv[i], "--every"))
      of.every = value;
    else if (!strcmp(argv[i], "--batch"))
      of.batch = (unsigned)value;
    else if (!strcmp(argv[i], "--beside"))
      of.beside = (unsigned)value;
    else
      return 2;
    i++;
  }
  if (of.batch == 0 || of.every == 0 || of.beside == 0)
    return 2;
  return (of.beside == 1 ? run(&of) : run_beside(&of)) ? EXIT_SUCCESS : EXIT_FAILURE;
}

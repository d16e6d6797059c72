/* Random well-formed programs through lowering and emulation, against the exact evaluator; block
 * graphs also through the prover.  Nothing may be wrong: not a value, not an access, not a proof.
 *   random [--cases N] [--seed S] [--batch B] [--moves | --real] [--keep]
 * --moves: those of built-in operators alone.  --real: plans made at the sizes that users have, for
 * several GPUs and ways to multiply, of which some blocks of each kernel run (runtime/trial.h).  It
 * prints the seed and what was counted; of a failure, the program. */
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "../../src/runtime/trial.h"
#include "batch.h"
#include "random_text.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/operators.h"
#include "tests/source_dir.h"
#include "verify/prove/prove.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEM 32
#define MAX_STEPS 1000000     /* of an evaluation */
#define MAX_PROOF_STEPS 20000 /* tried by the prover */
#define MAX_PROVED_TEXT 160   /* bytes of operators beyond which a proof takes too long */

typedef struct {
  random_text text;
  as_oplib *lib;
  as_sizes *sizes;
  as_graph *program;
  as_graph *mug;
  int64_t *env;
  batch_item item;
  bool lowered;
  uint32_t n_out;
  as_tensor exact[8]; /* outputs over the rationals */
  as_tensor real[8];  /* and as doubles, where they are not rational */
} random_case;

static struct {
  uint64_t cases;
  uint64_t blocks;
  uint64_t proved;
  uint64_t refused;
  uint64_t long_ones;
  uint64_t undefined;
  uint64_t elements;
  uint64_t exact;
  uint64_t rounded; /* farther off than the type's precision, and explained by it */
  uint64_t wrong;
  uint64_t kind[N_RANDOM_KINDS]; /* of those that were compared, in how many it occurs */
} counted;

static bool only_moves;
static bool real;

static struct {
  uint64_t kernels;
  uint64_t late; /* programs whose blocks take longer than a trial may */
  uint64_t compared;
} tried;

static ck_text sem[MAX_SEM];
static uint32_t n_sem;

static void show(const random_case *random, const char *what) {
  printf("WRONG: %s\n--- %s%s%s\n--- operators\n%s--- program\n%s%s%s", what,
         random->text.library ? "calls of the library" : "kernels alone",
         random->text.general ? ", no thread graphs" : "",
         random->text.scalar ? ", no tensor cores" : "", random->text.sem, random->text.tp,
         random->text.mug ? "--- muGraph\n" : "", random->text.mug ? random->text.mug : "");
  counted.wrong++;
}

static void load_semantics(void) {
  as_oplib *lib = test_operators();
  uint32_t n = 0;
  const char *const *files = as_oplib_files(lib, &n);
  as_err err;
  as_err_init(&err);
  for (; n_sem < n && n_sem < MAX_SEM - 1; n_sem++) {
    size_t len = 0;
    char *text = as_read_file(files[n_sem], &len, &err);
    if (!text)
      exit(EXIT_FAILURE);
    sem[n_sem] = (ck_text){as_strdup(files[n_sem]), text, len};
  }
  as_oplib_free(lib);
}

static void unload_semantics(void) {
  for (uint32_t i = 0; i < n_sem; i++) {
    free((char *)(uintptr_t)sem[i].name);
    free((char *)(uintptr_t)sem[i].text);
  }
}

/* reads and lowers; false: nothing to run */
static bool lower_case_of(random_case *random) {
  as_err err;
  as_err_init(&err);
  random->lib = test_operators();
  random->sizes = as_sizes_new();
  bool ok =
      as_oplib_parse(random->lib, "random.sem", random->text.sem, strlen(random->text.sem), &err);
  if (ok)
    random->program = as_parse_tp("random.tp", random->text.tp, strlen(random->text.tp),
                                  random->sizes, random->lib, &err);
  if (random->program && random->text.mug)
    random->mug = as_parse_mug("random.mug", random->text.mug, strlen(random->text.mug),
                               random->program, &err);
  if (!random->program || (random->text.mug && !random->mug)) {
    char *message = as_err_format(&err);
    show(random, "the generator wrote what cannot be read");
    printf("%s\n", message);
    free(message);
    as_err_clear(&err);
    return false;
  }
  as_lowered lowered;
  random->env = as_env_new(random->sizes);
  as_lower_opts options = {.no_threads = random->text.general, .no_mma = random->text.scalar};
  options.target = random->text.arch ? as_target_find(random->text.arch, &err) : NULL;
  if (options.target == NULL)
    options.target = as_target_default();
  if (random->text.library)
    options.target = as_target_using(options.target, AS_LIBRARY_ALWAYS);
  if (random->text.rounded)
    options.target = as_target_rounding(options.target, random->text.rounded);
  random->lowered =
      as_lower_cuda(random->mug ? random->mug : random->program, &options, &lowered, &err);
  random->text.has[RANDOM_LIBRARY] = random->lowered && lowered.library;
  for (uint32_t i = 0; random->lowered && i < lowered.n_kernel; i++)
    random->text.has[RANDOM_THREADS] |= lowered.kernel[i].validated;
  if (random->lowered && real)
    random->item.lowered = lowered; /* of large tensors no memory is made */
  else if (random->lowered)
    batch_item_init(&random->item, &lowered);
  else
    counted.refused++; /* too many axes of a reduction, say: said aloud, and no kernel */
  if (!random->lowered && (err.status == AS_INTERNAL || !err.text))
    show(random, err.text ? err.text : "refused without a word");
  as_err_clear(&err);
  return random->lowered;
}

/* multiples of 1/4 that every element type holds */
static void draw_inputs(as_rng *rng, random_case *random) {
  for (uint32_t i = 0; i < random->item.lowered.n_in; i++) {
    for (long k = 0; k < random->item.lowered.in_elems[i]; k++)
      random->item.in[i][k] = ((double)as_rng_below(rng, 17) - 8) / 4;
    /* places that they name are guarded */
    for (long k = 0;
         k < random->item.lowered.in_elems[i] && random->item.lowered.in_type[i] == AS_INT; k++)
      random->item.in[i][k] = (double)as_rng_below(rng, 30) - 6;
  }
}

static as_status evaluate(random_case *random, const as_domain *domain, as_tensor *out) {
  const as_graph *graph = random->mug ? random->mug : random->program;
  as_tensor in[8];
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_node *node = &graph->node[graph->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < node->rank; d++)
      dim[d] = as_size_eval(random->sizes, node->dim[d], random->env);
    as_tensor_init(&in[i], domain, dim, node->rank);
    for (size_t k = 0; k < in[i].n; k++) {
      mpq_t x;
      mpq_init(x);
      mpq_set_d(x, random->item.in[i][k]);
      domain->from_q(domain, as_tensor_at(&in[i], k), x);
      mpq_clear(x);
    }
  }
  as_status status = as_eval_graph_ops(graph, domain, random->env, in, out, MAX_STEPS, NULL, &err);
  if (status == AS_UNKNOWN) {
    counted.long_ones++;
  } else if (status != AS_OK) {
    show(random, err.text ? err.text : "the evaluator fails");
  }
  as_err_clear(&err);
  for (uint32_t i = 0; i < graph->n_input; i++)
    as_tensor_clear(&in[i]);
  return status;
}

/* of one element: its value, exact where the rationals know it.  false: undefined */
static bool expected(const random_case *random, uint32_t which, size_t at, double *value) {
  const as_domain *domain = random->exact[which].d;
  const void *element = as_tensor_at(&random->exact[which], at);
  unsigned flags = domain->flags(domain, element);
  if (flags & AS_F_UNDEF)
    return false;
  if (!flags) {
    char *text = domain->print(domain, element);
    mpq_t x;
    mpq_init(x);
    mpq_set_str(x, text, 10);
    *value = mpq_get_d(x);
    mpq_clear(x);
    free(text);
    counted.exact++;
    return true;
  }
  *value = *(const double *)as_tensor_at(&random->real[which], at);
  return isfinite(*value);
}

static double tolerance(as_dtype type) {
  return type == AS_F32 ? 2e-4 : type == AS_F16 ? 2e-2 : 1e-1;
}

/* How far an element of an output moves when each number moves by half a unit in the last place of
 * its 16-bit type: an output of that type which another operator reads is rounded on the way, and
 * where that operator cancels, the result is known no better. */
static double moves(random_case *random, uint32_t which, size_t at) {
  double most = 0;
  for (int trial = 0; trial < 3; trial++) {
    as_tensor moved[8];
    as_rng rng;
    as_rng_seed(&rng, (uint64_t)trial + 1);
    double **exact = random->item.in;
    double *copies[8];
    for (uint32_t i = 0; i < random->item.lowered.n_in; i++) {
      size_t n = (size_t)random->item.lowered.in_elems[i];
      double unit = random->item.lowered.in_type[i] == AS_BF16 ? 0x1p-9 : 0x1p-12;
      copies[i] = as_malloc((n + 1) * sizeof *copies[i]);
      for (size_t k = 0; k < n; k++) {
        double sign = as_rng_below(&rng, 2) ? 1 : -1;
        bool whole = random->item.lowered.in_type[i] == AS_INT;
        copies[i][k] = whole ? exact[i][k] : exact[i][k] * (1 + sign * unit);
      }
    }
    random->item.in = copies;
    if (evaluate(random, &as_domain_double, moved) == AS_OK) {
      double before = *(double *)as_tensor_at(&random->real[which], at);
      double by = fabs(*(double *)as_tensor_at(&moved[which], at) - before);
      most = by > most ? by : most;
      for (uint32_t i = 0; i < random->n_out; i++)
        as_tensor_clear(&moved[i]);
    }
    random->item.in = exact;
    for (uint32_t i = 0; i < random->item.lowered.n_in; i++)
      free(copies[i]);
  }
  return most;
}

static void compare(random_case *random, const char *log) {
  const as_lowered *lowered = &random->item.lowered;
  for (int kind = 0; kind < N_RANDOM_KINDS; kind++)
    counted.kind[kind] += random->text.has[kind];
  if (!random->item.ran) {
    show(random, "the emulation reports a fault");
    printf("%s\n", log);
    return;
  }
  for (uint32_t i = 0; i < lowered->n_out; i++) {
    double most = 1;
    double value;
    for (size_t k = 0; k < random->exact[i].n; k++) {
      if (expected(random, i, k, &value) && fabs(value) > most)
        most = fabs(value);
    }
    for (size_t k = 0; k < random->exact[i].n; k++) {
      double got = random->item.out[i][k];
      if (!expected(random, i, k, &value)) {
        counted.undefined++;
        continue;
      }
      counted.elements++;
      if (fabs(value) > 30000 || fabs(got - value) <= tolerance(lowered->out_type[i]) * most)
        continue;
      if (lowered->out_type[i] != AS_F32 && fabs(got - value) <= 16 * moves(random, i, k)) {
        counted.rounded++;
        continue;
      }
      char *what =
          as_format("%s[%zu] is %.9g, the kernel gives %.9g", lowered->out_name[i], k, value, got);
      show(random, what);
      free(what);
      return;
    }
  }
}

/* a muGraph that is proved to be equal to its program has its values; one that is meant to be, is
 * proved */
static void prove(random_case *random) {
  as_proof_result result = {0};
  ck_msg msg = {0};
  ck_text spec = {"random.tp", random->text.tp, strlen(random->text.tp)};
  ck_text cand = {"random.mug", random->text.mug, strlen(random->text.mug)};
  sem[n_sem] = (ck_text){"random.sem", random->text.sem, strlen(random->text.sem)};
  as_prove_opts effort = {.max_steps = MAX_PROOF_STEPS};
  bool read = as_prove_texts(&spec, &cand, sem, n_sem + 1, &effort, &result, &msg);
  bool proved = read && result.verdict == AS_PROVED;
  counted.proved += proved;
  if (!read && random->text.equivalent) {
    show(random, "the checker cannot read what the compiler reads");
    printf("%s\n", msg.text);
  }
  if (proved) {
    as_graph *mug = random->mug;
    as_tensor given[8];
    random->mug = NULL;
    as_status status = evaluate(random, &as_domain_double, given);
    random->mug = mug;
    for (uint32_t i = 0; status == AS_OK && i < random->n_out; i++) {
      for (size_t k = 0; k < given[i].n; k++) {
        double left = *(double *)as_tensor_at(&given[i], k);
        double right = *(double *)as_tensor_at(&random->real[i], k);
        if (isfinite(left) && fabs(left - right) > 1e-9 * (1 + fabs(left))) {
          show(random, "PROVED, and the evaluators differ");
          break;
        }
      }
      as_tensor_clear(&given[i]);
    }
  }
  if (read)
    as_proof_result_clear(&result);
  free(msg.text);
  free(msg.file);
}

static bool prepare(as_rng *rng, random_case *random) {
  memset(random, 0, sizeof *random);
  (real ? random_real_new : only_moves ? random_moves_new : random_text_new)(rng, &random->text);
  counted.cases++;
  counted.blocks += random->text.mug != NULL;
  if (!lower_case_of(random) || real)
    return random->lowered;
  draw_inputs(rng, random);
  uint32_t n = random->program->n_output;
  if (evaluate(random, &as_domain_exact, random->exact) != AS_OK)
    return false;
  random->n_out = n;
  if (evaluate(random, &as_domain_double, random->real) != AS_OK)
    return false;
  if (random->mug && (random->text.equivalent || strlen(random->text.sem) < MAX_PROVED_TEXT))
    prove(random);
  return true;
}

static void finish(random_case *random) {
  for (uint32_t i = 0; i < random->n_out; i++) {
    as_tensor_clear(&random->exact[i]);
    as_tensor_clear(&random->real[i]);
  }
  if (random->lowered && real)
    as_lowered_clear(&random->item.lowered);
  else if (random->lowered)
    batch_item_clear(&random->item);
  free(random->env);
  as_graph_free(random->mug);
  as_graph_free(random->program);
  as_sizes_free(random->sizes);
  as_oplib_free(random->lib);
  random_text_clear(&random->text);
}

static char *read_log(const char *dir) {
  as_err err;
  size_t len = 0;
  as_err_init(&err);
  char *path = as_format("%s/log", dir);
  char *text = as_read_file(path, &len, &err);
  free(path);
  as_err_clear(&err);
  return text ? text : as_strdup("");
}

/* one executable of `n` cases */
static void run_batch(as_rng *rng, unsigned n, const char *dir) {
  random_case *cases = as_calloc(n, sizeof *cases);
  batch_item *items = as_calloc(n, sizeof *items);
  bool *runs = as_calloc(n, sizeof *runs);
  unsigned n_item = 0;
  for (unsigned i = 0; i < n; i++) {
    runs[i] = prepare(rng, &cases[i]);
    if (runs[i])
      items[n_item++] = cases[i].item;
  }
  bool ok = n_item == 0 || batch_run(items, n_item, dir);
  char *log = read_log(dir);
  if (!ok) {
    printf("WRONG: the batch could not be built, or did not run to its end\n%s\n", log);
    counted.wrong++;
  }
  n_item = 0;
  for (unsigned i = 0; i < n; i++) {
    if (runs[i]) {
      cases[i].item.ran = items[n_item++].ran;
      if (ok)
        compare(&cases[i], log);
    }
    finish(&cases[i]);
  }
  free(log);
  free(cases);
  free(items);
  free(runs);
}

static void judge_trial(random_case *random, const as_trial *trial) {
  tried.kernels += (uint64_t)trial->kernels;
  tried.compared += (uint64_t)trial->compared;
  tried.late += trial->end == AS_TRIAL_NOT_TRIED;
  if (trial->end == AS_TRIAL_WRONG) {
    show(random, "a trial of its kernels fails");
    printf("--- for %s, TF32 %s\n%s\n", random->text.arch ? random->text.arch : "the default",
           random->text.rounded ? random->text.rounded : "never", trial->words);
  }
}

/* one compilation of `n` cases, of whose kernels some blocks run */
static void run_trials(as_rng *rng, unsigned n) {
  random_case *cases = as_calloc(n, sizeof *cases);
  const as_lowered **lowered = as_calloc(n, sizeof *lowered);
  as_trial *trial = as_calloc(n, sizeof *trial);
  uint32_t n_lowered = 0;
  as_err err;
  as_err_init(&err);
  for (unsigned i = 0; i < n; i++) {
    if (prepare(rng, &cases[i]))
      lowered[n_lowered++] = &cases[i].item.lowered;
  }
  char *emulation = as_format("%s/src/lower/emu", test_source_dir());
  as_rt_opts options = {.emu_dir = emulation};
  if (n_lowered && !as_rt_try(lowered, n_lowered, &options, trial, &err)) {
    printf("WRONG: a batch of trials: %s\n", err.text);
    counted.wrong++;
  }
  n_lowered = 0;
  for (unsigned i = 0; i < n; i++) {
    if (cases[i].lowered) {
      if (trial[n_lowered].words)
        judge_trial(&cases[i], &trial[n_lowered]);
      as_trial_clear(&trial[n_lowered++]);
    }
    finish(&cases[i]);
  }
  as_err_clear(&err);
  free(emulation);
  free(trial);
  free(lowered);
  free(cases);
}

/* in a campaign of some length each kind occurs among what was compared */
static void print_kinds(void) {
  for (int kind = 0; kind < N_RANDOM_KINDS; kind++) {
    printf("%s%s %llu", kind == 0 ? "" : ", ", random_kind_words((random_kind)kind),
           (unsigned long long)counted.kind[kind]);
    if (counted.kind[kind] == 0 && counted.cases >= 100 && !only_moves) {
      printf(" (WRONG: never)");
      counted.wrong++;
    }
  }
  printf("\n");
}

int main(int argc, char **argv) {
  uint64_t cases = getenv("AS_LONG") ? 200 : 60;
  uint64_t seed = 1;
  unsigned batch = 100;
  bool keep = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--cases") && i + 1 < argc)
      cases = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--batch") && i + 1 < argc)
      batch = (unsigned)strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--moves"))
      only_moves = true;
    else if (!strcmp(argv[i], "--real"))
      real = true;
    else if (!strcmp(argv[i], "--keep"))
      keep = true;
    else
      return 2;
  }
  as_rng rng;
  as_rng_seed(&rng, seed);
  load_semantics();
  char dir[] = "random-XXXXXX";
  if (!mkdtemp(dir))
    return 2;
  for (uint64_t done = 0; done < cases; done += batch) {
    unsigned n = (unsigned)(cases - done < batch ? cases - done : batch);
    if (real)
      run_trials(&rng, n);
    else
      run_batch(&rng, n, dir);
    fflush(stdout);
  }
  if (real)
    printf("%llu kernels tried, %llu elements of what they wrote compared; %llu programs not tried "
           "as a whole\n",
           (unsigned long long)tried.kernels, (unsigned long long)tried.compared,
           (unsigned long long)tried.late);
  else
    print_kinds();
  printf("seed %llu: %llu programs, %llu of them with a block graph, %llu of these proved; "
         "%llu refused, %llu too long to evaluate\n%llu elements compared, %llu of them exact; "
         "%llu undefined; %llu far off by rounding alone\n%llu wrong\n",
         (unsigned long long)seed, (unsigned long long)counted.cases,
         (unsigned long long)counted.blocks, (unsigned long long)counted.proved,
         (unsigned long long)counted.refused, (unsigned long long)counted.long_ones,
         (unsigned long long)counted.elements, (unsigned long long)counted.exact / 2,
         (unsigned long long)counted.undefined, (unsigned long long)counted.rounded,
         (unsigned long long)counted.wrong);
  unload_semantics();
  char *command = as_format("rm -r %s", dir);
  if (!keep && system(command))
    counted.wrong++;
  free(command);
  return counted.wrong > 0;
}

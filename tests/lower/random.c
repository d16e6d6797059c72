/* Random well-formed programs through lowering and emulation, against the exact evaluator; block
 * graphs also through the prover.  Nothing may be wrong: not a value, not an access, not a proof.
 *   random [--cases N] [--seed S] [--batch B] [--keep]
 * prints the seed and what was counted; of a failure, the program. */
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "batch.h"
#include "random_text.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "tests/operators.h"
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
  uint64_t wrong;
} counted;

static ck_text sem[MAX_SEM];
static uint32_t n_sem;

static void show(const random_case *c, const char *what) {
  printf("WRONG: %s\n--- operators\n%s--- program\n%s%s%s", what, c->text.sem, c->text.tp,
         c->text.mug ? "--- muGraph\n" : "", c->text.mug ? c->text.mug : "");
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
static bool lower_case_of(random_case *c) {
  as_err err;
  as_err_init(&err);
  c->lib = test_operators();
  c->sizes = as_sizes_new();
  bool ok = as_oplib_parse(c->lib, "random.sem", c->text.sem, strlen(c->text.sem), &err);
  if (ok)
    c->program = as_parse_tp("random.tp", c->text.tp, strlen(c->text.tp), c->sizes, c->lib, &err);
  if (c->program && c->text.mug)
    c->mug = as_parse_mug("random.mug", c->text.mug, strlen(c->text.mug), c->program, &err);
  if (!c->program || (c->text.mug && !c->mug)) {
    char *message = as_err_format(&err);
    show(c, "the generator wrote what cannot be read");
    printf("%s\n", message);
    free(message);
    as_err_clear(&err);
    return false;
  }
  as_lowered lowered;
  c->env = as_env_new(c->sizes);
  c->lowered = as_lower_cuda(c->mug ? c->mug : c->program, NULL, &lowered, &err);
  if (c->lowered)
    batch_item_init(&c->item, &lowered);
  else
    counted.refused++; /* too many axes of a reduction, say: said aloud, and no kernel */
  if (!c->lowered && (err.status == AS_INTERNAL || !err.text))
    show(c, err.text ? err.text : "refused without a word");
  as_err_clear(&err);
  return c->lowered;
}

/* multiples of 1/4 that every element type holds */
static void draw_inputs(as_rng *rng, random_case *c) {
  for (uint32_t i = 0; i < c->item.lowered.n_in; i++) {
    for (long k = 0; k < c->item.lowered.in_elems[i]; k++)
      c->item.in[i][k] = ((double)as_rng_below(rng, 17) - 8) / 4;
  }
}

static as_status evaluate(random_case *c, const as_domain *domain, as_tensor *out) {
  const as_graph *graph = c->mug ? c->mug : c->program;
  as_tensor in[8];
  as_err err;
  as_err_init(&err);
  for (uint32_t i = 0; i < graph->n_input; i++) {
    const as_node *node = &graph->node[graph->input[i]];
    int64_t dim[AS_MAX_RANK];
    for (uint32_t d = 0; d < node->rank; d++)
      dim[d] = as_size_eval(c->sizes, node->dim[d], c->env);
    as_tensor_init(&in[i], domain, dim, node->rank);
    for (size_t k = 0; k < in[i].n; k++) {
      mpq_t x;
      mpq_init(x);
      mpq_set_d(x, c->item.in[i][k]);
      domain->from_q(domain, as_tensor_at(&in[i], k), x);
      mpq_clear(x);
    }
  }
  as_status status = as_eval_graph_ops(graph, domain, c->env, in, out, MAX_STEPS, NULL, &err);
  if (status == AS_UNKNOWN) {
    counted.long_ones++;
  } else if (status != AS_OK) {
    show(c, err.text ? err.text : "the evaluator fails");
  }
  as_err_clear(&err);
  for (uint32_t i = 0; i < graph->n_input; i++)
    as_tensor_clear(&in[i]);
  return status;
}

/* of one element: its value, exact where the rationals know it.  false: undefined */
static bool expected(const random_case *c, uint32_t which, size_t at, double *value) {
  const as_domain *domain = c->exact[which].d;
  const void *element = as_tensor_at(&c->exact[which], at);
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
  *value = *(const double *)as_tensor_at(&c->real[which], at);
  return isfinite(*value);
}

static double tolerance(as_dtype type) {
  return type == AS_F32 ? 2e-4 : type == AS_F16 ? 2e-2 : 1e-1;
}

static void compare(random_case *c, const char *log) {
  const as_lowered *lowered = &c->item.lowered;
  if (!c->item.ran) {
    show(c, "the emulation reports a fault");
    printf("%s\n", log);
    return;
  }
  for (uint32_t i = 0; i < lowered->n_out; i++) {
    double most = 1;
    double value;
    for (size_t k = 0; k < c->exact[i].n; k++) {
      if (expected(c, i, k, &value) && fabs(value) > most)
        most = fabs(value);
    }
    for (size_t k = 0; k < c->exact[i].n; k++) {
      double got = c->item.out[i][k];
      if (!expected(c, i, k, &value)) {
        counted.undefined++;
        continue;
      }
      counted.elements++;
      if (fabs(value) > 30000 || fabs(got - value) <= tolerance(lowered->out_type[i]) * most)
        continue;
      char *what =
          as_format("%s[%zu] is %.9g, the kernel gives %.9g", lowered->out_name[i], k, value, got);
      show(c, what);
      free(what);
      return;
    }
  }
}

/* a muGraph that is proved to be equal to its program has its values; one that is meant to be, is
 * proved */
static void prove(random_case *c) {
  as_proof_result result = {0};
  ck_msg msg = {0};
  ck_text spec = {"random.tp", c->text.tp, strlen(c->text.tp)};
  ck_text cand = {"random.mug", c->text.mug, strlen(c->text.mug)};
  sem[n_sem] = (ck_text){"random.sem", c->text.sem, strlen(c->text.sem)};
  as_prove_opts effort = {.max_steps = MAX_PROOF_STEPS};
  bool read = as_prove_texts(&spec, &cand, sem, n_sem + 1, &effort, &result, &msg);
  bool proved = read && result.verdict == AS_PROVED;
  counted.proved += proved;
  if (!read && c->text.equivalent) {
    show(c, "the checker cannot read what the compiler reads");
    printf("%s\n", msg.text);
  }
  if (proved) {
    as_graph *mug = c->mug;
    as_tensor given[8];
    c->mug = NULL;
    as_status status = evaluate(c, &as_domain_double, given);
    c->mug = mug;
    for (uint32_t i = 0; status == AS_OK && i < c->n_out; i++) {
      for (size_t k = 0; k < given[i].n; k++) {
        double left = *(double *)as_tensor_at(&given[i], k);
        double right = *(double *)as_tensor_at(&c->real[i], k);
        if (isfinite(left) && fabs(left - right) > 1e-9 * (1 + fabs(left))) {
          show(c, "PROVED, and the evaluators differ");
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

static bool prepare(as_rng *rng, random_case *c) {
  memset(c, 0, sizeof *c);
  random_text_new(rng, &c->text);
  counted.cases++;
  counted.blocks += c->text.mug != NULL;
  if (!lower_case_of(c))
    return false;
  draw_inputs(rng, c);
  uint32_t n = c->program->n_output;
  if (evaluate(c, &as_domain_exact, c->exact) != AS_OK)
    return false;
  c->n_out = n;
  if (evaluate(c, &as_domain_double, c->real) != AS_OK)
    return false;
  if (c->mug && (c->text.equivalent || strlen(c->text.sem) < MAX_PROVED_TEXT))
    prove(c);
  return true;
}

static void finish(random_case *c) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    as_tensor_clear(&c->exact[i]);
    as_tensor_clear(&c->real[i]);
  }
  if (c->lowered)
    batch_item_clear(&c->item);
  free(c->env);
  as_graph_free(c->mug);
  as_graph_free(c->program);
  as_sizes_free(c->sizes);
  as_oplib_free(c->lib);
  random_text_clear(&c->text);
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

int main(int argc, char **argv) {
  uint64_t cases = 200;
  uint64_t seed = 1;
  unsigned batch = 50;
  bool keep = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--cases") && i + 1 < argc)
      cases = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--batch") && i + 1 < argc)
      batch = (unsigned)strtoul(argv[++i], NULL, 10);
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
    run_batch(&rng, (unsigned)(cases - done < batch ? cases - done : batch), dir);
    fflush(stdout);
  }
  printf("seed %llu: %llu programs, %llu of them with a block graph, %llu of these proved; "
         "%llu refused, %llu too long to evaluate\n%llu elements compared, %llu of them exact; "
         "%llu undefined\n%llu wrong\n",
         (unsigned long long)seed, (unsigned long long)counted.cases,
         (unsigned long long)counted.blocks, (unsigned long long)counted.proved,
         (unsigned long long)counted.refused, (unsigned long long)counted.long_ones,
         (unsigned long long)counted.elements, (unsigned long long)counted.exact / 2,
         (unsigned long long)counted.undefined, (unsigned long long)counted.wrong);
  unload_semantics();
  char *command = as_format("rm -r %s", dir);
  if (!keep && system(command))
    counted.wrong++;
  free(command);
  return counted.wrong > 0;
}

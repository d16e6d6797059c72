#include "subject.h"
#include "../../semantics/eval.h"
#include "../../src/lower/lower.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/rng.h"
#include "src/base/str.h"
#include "tests/operators.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TENSORS = 32 };

void subject_open(subject *of, const char *program, const char *graph) {
  as_err_init(&of->err);
  of->lib = test_operators();
  of->sizes = as_sizes_new();
  of->program = as_parse_tp("live.tp", program, strlen(program), of->sizes, of->lib, &of->err);
  ck_assert_msg(of->program != NULL, "%s", of->err.text);
  if (graph == NULL)
    return;
  of->graph = as_parse_mug("live.mug", graph, strlen(graph), of->program, &of->err);
  ck_assert_msg(of->graph != NULL, "%s", of->err.text);
}

void subject_close(subject *of) {
  as_lowered_clear(&of->lowered);
  as_graph_free(of->graph);
  as_graph_free(of->program);
  as_sizes_free(of->sizes);
  as_oplib_free(of->lib);
  as_err_clear(&of->err);
}

bool subject_lower(subject *of, const int64_t *env) {
  as_lower_opts options = {.env = env, .target = of->target};
  as_lowered_clear(&of->lowered);
  return as_lower_cuda(of->graph ? of->graph : of->program, &options, &of->lowered, &of->err);
}

void subject_build(subject *of) {
  as_rt_interface ports = as_rt_interface_of(&of->lowered);
  char *emulation = as_format("%s/src/lower/emu", test_source_dir());
  strcpy(of->dir, "live-test-XXXXXX");
  ck_assert(mkdtemp(of->dir) != NULL);
  as_rt_opts options = {.dir = of->dir,
                        .emulate = true,
                        .emu_dir = emulation,
                        .unoptimized = getenv("AS_LONG") == NULL};
  bool built = as_rt_library_build(&of->lowered, "live", &ports, &options, &of->err);
  ck_assert_msg(built, "%s", of->err.text);
  free(emulation);
}

static void *memory_of(const as_rt_port *port) {
  size_t bytes = as_rt_port_elems(port) * as_rt_type_size(port->type);
  void *memory = aligned_alloc(16, (bytes + 31) / 16 * 16);
  ck_assert(memory != NULL);
  memset(memory, 0xff, bytes);
  return memory;
}

static void random_input(as_rng *rng, const as_rt_port *port, void *memory, as_tensor *tensor) {
  size_t size = as_rt_type_size(port->type);
  as_tensor_init(tensor, &as_domain_double, port->extent, port->rank);
  for (size_t i = 0; i < tensor->n; i++) {
    double number = (double)as_rng_below(rng, 2049) / 1024 - 1;
    as_rt_encode(port->type, &number, 1, (char *)memory + i * size);
    as_rt_decode(port->type, (char *)memory + i * size, 1, as_tensor_at(tensor, i));
  }
}

static void compare(const as_rt_port *port, const void *memory, const as_tensor *expected,
                    const char *what) {
  double difference = 0;
  double norm = 1e-300;
  ck_assert_int_eq((long)expected->n, (long)as_rt_port_elems(port));
  for (size_t i = 0; i < expected->n; i++) {
    double got;
    double want = *(double *)as_tensor_at(expected, i);
    as_rt_decode(port->type, (const char *)memory + i * as_rt_type_size(port->type), 1, &got);
    difference += (got - want) * (got - want);
    norm += want * want;
  }
  ck_assert_msg(sqrt(difference / norm) < 5e-3, "%s: %s is %g off", what, port->name,
                sqrt(difference / norm));
}

void subject_run_at(subject *of, const int64_t *env, uint64_t seed, const char *what) {
  as_rt_interface ports = as_rt_interface_of(&of->lowered);
  void *in[MOST_TENSORS];
  void *out[MOST_TENSORS];
  as_tensor inputs[MOST_TENSORS];
  as_tensor expected[MOST_TENSORS];
  as_rng rng;
  as_rng_seed(&rng, seed);
  for (uint32_t i = 0; i < ports.n_in; i++) {
    in[i] = memory_of(&ports.in[i]);
    random_input(&rng, &ports.in[i], in[i], &inputs[i]);
  }
  for (uint32_t i = 0; i < ports.n_out; i++)
    out[i] = memory_of(&ports.out[i]);
  as_status status = as_rt_library_run(of->dir, "live", &ports, in, out, &of->err);
  ck_assert_msg(status == AS_OK, "%s: %s", what, of->err.text);
  status = as_eval_graph(of->program, &as_domain_double, env, inputs, expected, &of->err);
  ck_assert_msg(status == AS_OK, "%s: %s", what, of->err.text ? of->err.text : "not evaluated");
  for (uint32_t i = 0; i < ports.n_out; i++) {
    compare(&ports.out[i], out[i], &expected[i], what);
    as_tensor_clear(&expected[i]);
    free(out[i]);
  }
  for (uint32_t i = 0; i < ports.n_in; i++) {
    as_tensor_clear(&inputs[i]);
    free(in[i]);
  }
}

static const char *const files[] = {"kernel.cu", "library.cu", "interface.json", "assay_live.h",
                                    "libassay_live.so"};

void subject_remove_files(const subject *of) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *path = as_format("%s/%s", of->dir, files[i]);
    unlink(path);
    free(path);
  }
  rmdir(of->dir);
}

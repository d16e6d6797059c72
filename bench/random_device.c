/* Random programs for a GPU: `random_device [--cases N] [--first N] [--seed S] [--each N]
 * [--small] FOLDER` draws them (tests/lower/random_tensor.h), lowers each as it is given, and the
 * best block graphs of a short search, and leaves in the folder texts of kernels, --each programs
 * in one, and programs.jsonl, a line a program: what random_device.py compiles, runs and compares.
 *
 * The search's candidates are not judged here: one whose results differ is proved or refuted by
 * `assay certify` afterwards.  On standard output what was made of each program. */
#include "search/search.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/lower/lower.h"
#include "tests/lower/random_tensor.h"
#include "tests/operators.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1, TESTED = 4, STATES = 4000 };

static const double SECONDS = 0.5; /* of one search */

typedef struct {
  const char *folder;
  FILE *list;
  as_str text[2]; /* of the group at hand: without calls of a library, and with */
  uint32_t held[2];
  uint32_t number[2];
  uint32_t groups;
  uint32_t each;
  uint32_t lowered;
  uint32_t refused;
} writer;

static void end_group(writer *to, int which) {
  if (to->held[which] == 0)
    return;
  as_err err;
  as_err_init(&err);
  char *path = as_format("%s/group_%u.cu", to->folder, to->number[which]);
  if (!as_write_file(path, to->text[which].s, to->text[which].n, &err)) {
    fprintf(stderr, "%s\n", err.text);
    exit(EXIT_FAILURE);
  }
  free(path);
  as_str_clear(&to->text[which]);
  as_str_init(&to->text[which]);
  to->held[which] = 0;
}

static const char *const types[] = {
    [AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32", [AS_INT] = "int"};

static json_t *ports(const as_lower_port *port, uint32_t n) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    json_t *shape = json_array();
    for (uint32_t axis = 0; axis < port[i].rank; axis++)
      json_array_append_new(shape, json_integer((json_int_t)port[i].extent[axis]));
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", port[i].name, "type",
                                          types[port[i].type], "shape", shape));
  }
  return list;
}

static json_t *kernels(const as_lowered *lowered) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < lowered->n_kernel; i++)
    json_array_append_new(list, json_string(lowered->kernel[i].route));
  return list;
}

/* kernels and their parts have C's names, which programs of one text have in common */
static void put_kernels(as_str *text, const char *from, size_t n) {
  static const char c[] = "extern \"C\" __";
  const char *end = from + n;
  for (const char *next; (next = strstr(from, c)) && next < end;) {
    as_str_addn(text, from, (size_t)(next - from));
    from = next + strlen("extern \"C\" ");
  }
  as_str_addn(text, from, (size_t)(end - from));
}

/* each text in a namespace of its own, behind the prelude that all have in common */
static void put_program(writer *to, const rt_program *program, uint64_t number, const char *tp,
                        const char *mug, const as_lowered *lowered) {
  static const char *const common[] = {"assay_launch", "assay_workspace_bytes", "assay_size_error",
                                       "assay_input_bytes", "assay_output_bytes"};
  int which = lowered->library != NULL;
  as_str *text = &to->text[which];
  if (to->held[which] == 0) {
    to->number[which] = to->groups++;
    as_str_add(text, "#include <cuda.h>\n"); /* thread graphs do, within a namespace */
    put_kernels(text, lowered->cuda, lowered->own);
  }
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    as_str_printf(text, "#define %s %s_%u\n", common[i], common[i], to->lowered);
  as_str_printf(text, "namespace case_%u {\n", to->lowered);
  put_kernels(text, lowered->cuda + lowered->own, strlen(lowered->cuda + lowered->own));
  as_str_add(text, "}\n#undef ASSAY_N_SIZES\n#undef ASSAY_BAD_SIZE\n");
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    as_str_printf(text, "#undef %s\n", common[i]);
  json_t *scales = json_array();
  for (int id = 0; id < program->n; id++)
    if (program->step[id].kind == RT_INPUT)
      json_array_append_new(scales, json_real(program->step[id].scale));
  json_t *line = json_pack(
      "{s:i, s:I, s:i, s:s, s:s?, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "id",
      (int)to->lowered, "program", (json_int_t)number, "group", (int)to->number[which], "tp", tp,
      "mug", mug, "arch", program->arch ? program->arch : "default", "library",
      as_library_use_word((as_library_use)program->library), "tf32",
      program->rounded ? program->rounded : "", "workspace", (json_int_t)lowered->workspace, "live",
      (json_int_t)(lowered->n_size ? lowered->size[0].value : 0), "in",
      ports(lowered->in, lowered->n_in), "out", ports(lowered->out, lowered->n_out), "scale",
      scales, "kernels", kernels(lowered), "calls", which);
  char *words = json_dumps(line, JSON_COMPACT);
  fprintf(to->list, "%s\n", words);
  free(words);
  json_decref(line);
  to->lowered++;
  if (++to->held[which] == to->each)
    end_group(to, which);
}

/* false: refused */
static bool lower(writer *to, const rt_program *program, uint64_t number, const char *tp,
                  const as_graph *graph, const char *mug) {
  as_err err;
  as_err_init(&err);
  as_lowered lowered;
  int64_t *at = as_graph_size_values(graph);
  as_size live = as_size_find(graph->sizes, "S");
  if (program->bound) /* of what is left to run time some value */
    at[live] = 1 + (int64_t)(number * 7919 % (uint64_t)program->bound);
  const as_lower_opts options = {
      .target = rt_target(program), .no_threads = program->general, .env = at};
  bool ok = as_lower_cuda(graph, &options, &lowered, &err);
  if (ok)
    put_program(to, program, number, tp, mug, &lowered);
  else
    printf("program %llu is refused: %s\n", (unsigned long long)number,
           err.text ? err.text : "no reason given");
  to->refused += !ok;
  if (ok)
    as_lowered_clear(&lowered);
  as_err_clear(&err);
  free(at);
  return ok;
}

static void search(writer *to, const rt_program *program, uint64_t number, const char *tp,
                   const as_graph *graph) {
  as_lower_opts plan = {.target = rt_target(program)};
  as_search_opts options = as_search_default;
  options.threads = 1;
  options.keep = KEPT;
  options.max_tested = TESTED;
  options.max_group_states = STATES;
  options.max_seconds = SECONDS;
  options.fast_floats = true;
  options.concrete = true;
  options.target = plan.target;
  options.policy = NULL;
  options.lowers = as_lowers;
  options.lowers_arg = &plan;
  as_search_result found = {0};
  as_search(graph, &options, &found);
  for (uint32_t i = 0; i < found.n && i < KEPT; i++) {
    as_search_select(&found.cand[i], found.cand[i].chosen);
    lower(to, program, number, tp, found.cand[i].graph, found.cand[i].text);
  }
  as_search_result_clear(&found);
}

static void make(writer *to, as_oplib *lib, uint64_t seed, uint64_t number, bool real) {
  as_rng rng;
  rt_program program;
  as_err err;
  as_err_init(&err);
  as_rng_seed(&rng, seed * 1000003 + number);
  rt_draw(&rng, real, &program);
  char *tp = rt_text(&program);
  as_sizes *sizes = as_sizes_new();
  as_graph *graph = as_parse_tp("random.tp", tp, strlen(tp), sizes, lib, &err);
  if (graph == NULL) {
    fprintf(stderr, "program %llu cannot be read: %s\n%s", (unsigned long long)number, err.text,
            tp);
    exit(EXIT_FAILURE);
  }
  lower(to, &program, number, tp, graph, NULL);
  if (!program.general)
    search(to, &program, number, tp, graph);
  as_graph_free(graph);
  as_sizes_free(sizes);
  free(tp);
}

int main(int argc, char **argv) {
  uint64_t cases = 100;
  uint64_t first = 0;
  uint64_t seed = 1;
  bool real = true;
  writer to = {.each = 8};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--cases") && i + 1 < argc)
      cases = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--first") && i + 1 < argc)
      first = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--each") && i + 1 < argc)
      to.each = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--small"))
      real = false;
    else
      to.folder = argv[i];
  }
  char *path = to.folder ? as_format("%s/programs.jsonl", to.folder) : NULL;
  to.list = path ? fopen(path, "w") : NULL;
  if (to.list == NULL || to.each == 0) {
    fprintf(stderr, "random_device: no folder to write to\n");
    return EXIT_FAILURE;
  }
  as_str_init(&to.text[0]);
  as_str_init(&to.text[1]);
  as_oplib *lib = test_operators();
  for (uint64_t number = first; number < first + cases; number++)
    make(&to, lib, seed, number, real);
  end_group(&to, 0);
  end_group(&to, 1);
  printf("seed %llu, from %llu on: %llu programs, %u lowerings in %u texts, %u refused\n",
         (unsigned long long)seed, (unsigned long long)first, (unsigned long long)cases, to.lowered,
         to.groups, to.refused);
  as_oplib_free(lib);
  free(path);
  return fclose(to.list) ? EXIT_FAILURE : EXIT_SUCCESS;
}

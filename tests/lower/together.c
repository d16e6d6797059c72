#include "together.h"
#include "../../src/runtime/compile.h"
#include "src/base/child.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const *as_rt_main_text(void); /* of src/runtime/main.cuh */

/* ---- kernel.cu: the prelude once, and in a namespace each what is a program's own, with its
 * reference.  What they include stands before, since within a namespace it would be too late. */
static void put_programs(as_str *out, const as_lowered *lowered, uint32_t n) {
  as_str_printf(out, "%.*s", (int)lowered[0].own, lowered[0].cuda);
  as_str_add(out, "#include \"threads_emu.h\"\n#include <math.h>\n#include <stddef.h>\n");
  for (uint32_t i = 0; i < n; i++) {
    assert(!lowered[i].library && lowered[i].n_size == 0);
    as_str_printf(out,
                  "#define assay_launch launch_%u\n#define assay_workspace_bytes workspace_%u\n"
                  "#define assay_reference reference_%u\nnamespace case_%u {\n",
                  i, i, i, i);
    as_str_add(out, lowered[i].cuda + lowered[i].own);
    as_str_add(out, lowered[i].reference);
    as_str_add(out, "}\n#undef assay_launch\n#undef assay_workspace_bytes\n"
                    "#undef assay_reference\n");
  }
}

/* ---- shapes.inc: what main.cuh knows by names is what `current` has */
static const char subject[] = "struct subject {\n"
                              "  int n_in, n_out;\n"
                              "  const long *in_elems, *in_range, *out_elems;\n"
                              "  const int *in_type, *out_type;\n"
                              "  decltype(&case_0::launch_0) launch;\n"
                              "  decltype(&case_0::workspace_0) workspace;\n"
                              "  decltype(&case_0::reference_0) reference;\n"
                              "};\n"
                              "static const subject *current;\n"
                              "#define NAME \"test\"\n"
                              "#define N_IN current->n_in\n"
                              "#define N_OUT current->n_out\n"
                              "#define in_elems current->in_elems\n"
                              "#define in_type current->in_type\n"
                              "#define in_range current->in_range\n"
                              "#define out_elems current->out_elems\n"
                              "#define out_type current->out_type\n"
                              "#define assay_launch current->launch\n"
                              "#define assay_workspace_bytes current->workspace\n"
                              "#define assay_reference current->reference\n";

static void put_longs(as_str *out, const char *name, uint32_t i, const long *number, uint32_t n) {
  as_str_printf(out, "static const long %s_%u[] = {", name, i);
  for (uint32_t k = 0; k < n; k++)
    as_str_printf(out, "%ld, ", number[k]);
  as_str_add(out, "0};\n");
}

static void put_types(as_str *out, const char *name, uint32_t i, const as_dtype *type, uint32_t n) {
  as_str_printf(out, "static const int %s_%u[] = {", name, i);
  for (uint32_t k = 0; k < n; k++)
    as_str_printf(out, "%d, ", (int)type[k]);
  as_str_add(out, "0};\n");
}

static void put_shapes(as_str *out, const as_lowered *lowered, uint32_t n) {
  as_str_add(out, subject);
  for (uint32_t i = 0; i < n; i++) {
    const as_lowered *l = &lowered[i];
    put_longs(out, "e", i, l->in_elems, l->n_in);
    put_longs(out, "r", i, l->in_range, l->n_in);
    put_longs(out, "o", i, l->out_elems, l->n_out);
    put_types(out, "t", i, l->in_type, l->n_in);
    put_types(out, "u", i, l->out_type, l->n_out);
  }
  as_str_add(out, "static const subject subjects[] = {\n");
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(out,
                  "  {%u, %u, e_%u, r_%u, o_%u, t_%u, u_%u, case_%u::launch_%u, "
                  "case_%u::workspace_%u, case_%u::reference_%u},\n",
                  lowered[i].n_in, lowered[i].n_out, i, i, i, i, i, i, i, i, i, i, i);
  }
  as_str_add(out, "};\n#define main main_of_one\n");
}

/* ---- main.cu: runtime's, and one that calls it for each in a process of its own; how they ended,
 * a line each */
static const char all_of_them[] =
    "#undef main\n"
    "#include <sys/wait.h>\n"
    "#include <unistd.h>\n"
    "int main()\n"
    "{\n"
    "  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {\n"
    "    int status = 0;\n"
    "    pid_t child = fork();\n"
    "    if (child == 0) {\n"
    "      const std::string number = std::to_string(i);\n"
    "      if (!freopen((\"json\" + number).c_str(), \"w\", stdout)) _exit(99);\n"
    "      if (!freopen((\"log\" + number).c_str(), \"w\", stderr)) _exit(99);\n"
    "      std::string dump = \"dump\" + number, scale = scales[i];\n"
    "      char name[] = \"main\", d[] = \"--dump\", s[] = \"--scale\", seed[] = \"--seed\", "
    "seven[] = \"7\";\n"
    "      char *argv[] = {name, seed, seven, s, &scale[0], d, &dump[0], NULL};\n"
    "      current = &subjects[i];\n"
    "      exit(main_of_one(7, argv));\n"
    "    }\n"
    "    if (child < 0 || waitpid(child, &status, 0) != child) return 2;\n"
    "    printf(\"%d\\n\", WIFEXITED(status) ? WEXITSTATUS(status) : 128);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

static void put_main(as_str *out, const double *scale, uint32_t n) {
  for (const char *const *part = as_rt_main_text(); *part; part++)
    as_str_add(out, *part);
  as_str_add(out, "static const char *const scales[] = {");
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(out, "\"%.17g\", ", scale[i]);
  as_str_add(out, "};\n");
  as_str_add(out, all_of_them);
}

static bool write_in(const char *dir, const char *name, as_str *text, as_err *err) {
  char *path = as_format("%s/%s", dir, name);
  bool written = as_write_file(path, text->s, strlen(text->s), err);
  free(path);
  as_str_clear(text);
  return written;
}

static bool write_files(const as_lowered *lowered, const double *scale, uint32_t n, const char *dir,
                        as_err *err) {
  as_str programs;
  as_str shapes;
  as_str driver;
  as_str none;
  as_str_init(&programs);
  as_str_init(&shapes);
  as_str_init(&driver);
  as_str_init(&none);
  put_programs(&programs, lowered, n);
  put_shapes(&shapes, lowered, n);
  put_main(&driver, scale, n);
  as_str_add(&none, "/* with the programs */\n");
  bool written = write_in(dir, "kernel.cu", &programs, err);
  written = write_in(dir, "shapes.inc", &shapes, err) && written;
  written = write_in(dir, "main.cu", &driver, err) && written;
  return write_in(dir, "reference.inc", &none, err) && written;
}

static char *text_in(const char *dir, const char *name, uint32_t i, as_err *err) {
  size_t length;
  char *path = as_format("%s/%s%u", dir, name, i);
  char *text = as_read_file(path, &length, err);
  free(path);
  return text ? text : as_strdup("");
}

static bool run_all(uint32_t n, const char *dir, as_rt_result *result, as_err *err) {
  char *command = as_format("cd %s && exec ./main", dir);
  as_child child = {.argv = (const char *const[]){"sh", "-c", command, NULL}};
  as_child_result ran;
  as_child_run(&child, &ran);
  const char *at = ran.output.s ? ran.output.s : "";
  for (uint32_t i = 0; i < n; i++) {
    char *end;
    long status = strtol(at, &end, 10);
    result[i] = (as_rt_result){.rel_error = -1, .hot_us = -1, .cold_us = -1};
    result[i].ran = end > at && (status == 0 || status == 1);
    result[i].ok = result[i].ran && status == 0;
    result[i].json = text_in(dir, "json", i, err);
    result[i].log = text_in(dir, "log", i, err);
    at = end;
  }
  bool ended = ran.end == AS_CHILD_EXITED && ran.status == 0;
  if (!ended)
    as_err_set(err, AS_INTERNAL, "the program of all kernels does not come to its end");
  as_child_result_clear(&ran);
  free(command);
  return ended;
}

bool together_run(const as_lowered *lowered, const double *scale, uint32_t n, const char *dir,
                  as_rt_result *result, char **build_log, as_err *err) {
  char *emulation = as_format("%s/src/lower/emu", test_source_dir());
  char *source = as_format("%s/main.cu", dir);
  char *program = as_format("%s/main", dir);
  const as_rt_opts options = {
      .dir = dir, .emulate = true, .emu_dir = emulation, .unoptimized = !getenv("AS_LONG")};
  *build_log = NULL;
  bool ran = write_files(lowered, scale, n, dir, err) &&
             as_rt_compile(&options, AS_RT_PROGRAM, source, program, build_log, err) &&
             run_all(n, dir, result, err);
  free(emulation);
  free(source);
  free(program);
  return ran;
}

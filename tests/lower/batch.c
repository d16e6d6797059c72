#include "batch.h"
#include "../../src/lower/lower.h"
#include "../../src/target/target.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "tests/source_dir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void batch_item_init(batch_item *item, as_lowered *lowered) {
  memset(item, 0, sizeof *item);
  item->lowered = *lowered;
  memset(lowered, 0, sizeof *lowered);
  item->in = as_calloc(item->lowered.n_in + 1, sizeof *item->in);
  item->out = as_calloc(item->lowered.n_out + 1, sizeof *item->out);
  for (uint32_t i = 0; i < item->lowered.n_in; i++)
    item->in[i] = as_calloc((size_t)item->lowered.in_elems[i] + 1, sizeof(double));
  for (uint32_t i = 0; i < item->lowered.n_out; i++)
    item->out[i] = as_calloc((size_t)item->lowered.out_elems[i] + 1, sizeof(double));
}

void batch_item_clear(batch_item *item) {
  for (uint32_t i = 0; i < item->lowered.n_in; i++)
    free(item->in[i]);
  for (uint32_t i = 0; i < item->lowered.n_out; i++)
    free(item->out[i]);
  free(item->in);
  free(item->out);
  as_lowered_clear(&item->lowered);
}

static const char harness[] =
    "#include <vector>\n"
    "typedef as_emu::machine machine;\n"
    "static size_t size_of(int type) { return type >= 2 ? 4 : 2; }\n"
    "static void put(char *p, size_t i, int type, double x)\n"
    "{\n"
    "  if (type == 2) ((float *)p)[i] = (float)x;\n"
    "  else if (type == 3) ((int *)p)[i] = (int)x;\n"
    "  else ((uint16_t *)p)[i] = type == 1 ? as_emu::to_bf16((float)x) : "
    "as_emu::to_f16((float)x);\n"
    "}\n"
    "static double get(const char *p, size_t i, int type)\n"
    "{\n"
    "  if (type == 2) return ((const float *)p)[i];\n"
    "  uint16_t h = ((const uint16_t *)p)[i];\n"
    "  return type == 1 ? as_emu::of_bf16(h) : as_emu::of_f16(h);\n"
    "}\n"
    "struct tensor { long n; int type; };\n"
    "typedef int (*launch)(void *const *, void *const *, void *, cudaStream_t);\n"
    "static char *memory(size_t n)\n"
    "{\n"
    "  char *p = (char *)aligned_alloc(256, (n + 511) / 256 * 256);\n"
    "  memset(p, 0xff, n);\n"
    "  return p;\n"
    "}\n"
    "static bool run(unsigned id, const std::vector<tensor> &in, const std::vector<tensor> &out, "
    "size_t workspace, launch start, FILE *from, FILE *to)\n"
    "{\n"
    "  machine &m = as_emu::M();\n"
    "  std::vector<void *> pin, pout;\n"
    "  m.buffers.clear();\n"
    "  m.errors = 0;\n"
    "  fprintf(stderr, \"case %u\\n\", id);\n"
    "  for (auto &t : in) {\n"
    "    char *p = memory((size_t)t.n * size_of(t.type));\n"
    "    for (long i = 0; i < t.n; i++) { double x; if (fread(&x, 8, 1, from) != 1) return false; "
    "put(p, (size_t)i, t.type, x); }\n"
    "    as_emu::add(p, (size_t)t.n * size_of(t.type), false);\n"
    "    pin.push_back(p);\n"
    "  }\n"
    "  for (auto &t : out) {\n"
    "    char *p = memory((size_t)t.n * size_of(t.type));\n"
    "    as_emu::add(p, (size_t)t.n * size_of(t.type), true);\n"
    "    pout.push_back(p);\n"
    "  }\n"
    "  char *ws = memory(workspace);\n"
    "  as_emu::add(ws, workspace, true);\n"
    "  double ok = start(pin.data(), pout.data(), ws, NULL) == 0 && m.errors == 0;\n"
    "  bool wrote = fwrite(&ok, 8, 1, to) == 1;\n"
    "  for (size_t k = 0; k < out.size(); k++)\n"
    "    for (long i = 0; i < out[k].n; i++) { double x = get((char *)pout[k], (size_t)i, "
    "out[k].type); wrote = wrote && fwrite(&x, 8, 1, to) == 1; }\n"
    "  for (void *p : pin) free(p);\n"
    "  for (void *p : pout) free(p);\n"
    "  free(ws);\n"
    "  return wrote && !fflush(to);\n"
    "}\n";

static void put_tensors(FILE *file, const long *elems, const as_dtype *type, uint32_t n) {
  fputs("{", file);
  for (uint32_t i = 0; i < n; i++)
    fprintf(file, "%s{%ld, %d}", i ? ", " : "", elems[i], (int)type[i]);
  fputs("}", file);
}

/* with sizes left to run time, at those that are described */
static void put_sized_launch(FILE *file, const as_lowered *lowered) {
  if (lowered->n_size == 0)
    return;
  fputs("static int sized(void *const *in, void *const *out, void *ws, cudaStream_t stream)\n{\n"
        "  static const long long sizes[] = {",
        file);
  for (uint32_t i = 0; i < lowered->n_size; i++)
    fprintf(file, "%s%lld", i ? ", " : "", (long long)lowered->size[i].value);
  fputs("};\n  return assay_launch(in, out, ws, stream, sizes);\n}\n", file);
}

static bool write_source(const batch_item *items, unsigned n, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  unsigned longest = 0; /* it has what calls of a library need, if one of them does */
  for (unsigned i = 1; i < n; i++)
    longest = items[i].lowered.own > items[longest].lowered.own ? i : longest;
  fwrite(items[longest].lowered.cuda, 1, items[longest].lowered.own, file);
  /* kernels of thread graphs include it, which within a namespace would be too late */
  fputs("#include \"threads_emu.h\"\n", file);
  fputs(harness, file);
  for (unsigned i = 0; i < n; i++) {
    const as_lowered *lowered = &items[i].lowered;
    static const char *const common[] = {"assay_size_error", "assay_input_bytes",
                                         "assay_output_bytes"};
    fprintf(file, "#define assay_launch launch_%u\n#define assay_workspace_bytes workspace_%u\n", i,
            i);
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
      fprintf(file, "#undef %s\n#define %s %s_%u\n", common[k], common[k], common[k], i);
    fprintf(file, "namespace case_%u {\n", i);
    fputs(lowered->cuda + lowered->own, file);
    put_sized_launch(file, lowered);
    fputs("}\n#undef assay_launch\n#undef assay_workspace_bytes\n#undef ASSAY_N_SIZES\n"
          "#undef ASSAY_BAD_SIZE\n",
          file);
  }
  fputs("int main()\n{\n  FILE *from = fopen(\"in\", \"rb\"), *to = fopen(\"out\", \"wb\");\n"
        "  if (!from || !to) return 2;\n",
        file);
  for (unsigned i = 0; i < n; i++) {
    const as_lowered *lowered = &items[i].lowered;
    fprintf(file, "  if (!run(%u, ", i);
    put_tensors(file, lowered->in_elems, lowered->in_type, lowered->n_in);
    fputs(", ", file);
    put_tensors(file, lowered->out_elems, lowered->out_type, lowered->n_out);
    if (lowered->n_size)
      fprintf(file, ", %ldu, case_%u::sized, from, to)) return 2;\n", lowered->workspace, i);
    else
      fprintf(file, ", %ldu, case_%u::launch_%u, from, to)) return 2;\n", lowered->workspace, i, i);
  }
  fputs("  return 0;\n}\n", file);
  return !fclose(file);
}

static bool write_inputs(const batch_item *items, unsigned n, const char *path) {
  FILE *file = fopen(path, "wb");
  bool ok = file != NULL;
  for (unsigned i = 0; ok && i < n; i++) {
    for (uint32_t k = 0; ok && k < items[i].lowered.n_in; k++) {
      size_t elems = (size_t)items[i].lowered.in_elems[k];
      ok = fwrite(items[i].in[k], sizeof(double), elems, file) == elems;
    }
  }
  return file && !fclose(file) && ok;
}

static bool read_outputs(batch_item *items, unsigned n, const char *path) {
  FILE *file = fopen(path, "rb");
  bool ok = file != NULL;
  for (unsigned i = 0; ok && i < n; i++) {
    double ran = 0;
    ok = fread(&ran, sizeof ran, 1, file) == 1;
    items[i].ran = ok && ran > 0;
    for (uint32_t k = 0; ok && k < items[i].lowered.n_out; k++) {
      size_t elems = (size_t)items[i].lowered.out_elems[k];
      ok = fread(items[i].out[k], sizeof(double), elems, file) == elems;
    }
  }
  if (file)
    fclose(file);
  return ok;
}

bool batch_run(batch_item *items, unsigned n, const char *dir) {
  const as_target *target = as_target_default();
  char *source = as_format("%s/batch.cc", dir);
  char *in = as_format("%s/in", dir);
  char *out = as_format("%s/out", dir);
  const char *cxx = getenv("CXX");
  /* address arithmetic that overflows, and division by zero, end the run */
  char *command =
      as_format("cd %s && rm -f out && %s -std=c++17 -O0 -w -DAS_EMU -DAS_EMU_SHARED_BLOCK=%ld "
                "-DAS_EMU_GRID=%lld -DAS_EMU_THREADS=%u -I%s/src/lower/emu "
                "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift "
                "-fno-sanitize-recover=all batch.cc -o batch 2>log && ./batch 2>log",
                dir, cxx && *cxx ? cxx : "g++", target->shared_block, (long long)target->grid[0],
                target->threads_block, test_source_dir());
  bool ok = write_source(items, n, source) && write_inputs(items, n, in) && !system(command);
  bool all = read_outputs(items, n, out);
  free(source);
  free(in);
  free(out);
  free(command);
  return ok && all;
}

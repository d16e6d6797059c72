/* A tile program in doubles: what kernels are compared with. */
#include "kernels_int.h"
#include "src/base/id.h"
#include <stdlib.h>

static void declare_tile(kt_writer *writer, uint32_t number) {
  const wr_tile *tile = WR_TILE(writer->program, number);
  long elements = kt_tile_bytes(tile) / (tile->integers ? 8 : 4);
  kt_line(writer, "std::vector<%s> t%u(%ld); /* %s */", tile->integers ? "long long" : "kt_real",
          number, elements > 0 ? elements : 1, tile->name);
}

static void declare_tensor(kt_writer *writer, uint32_t number) {
  const kt_tensor *tensor = KT_TENSOR(writer->plan, number);
  const wr_tensor *of = WR_TENSOR(writer->program, number);
  if (tensor->out != AS_NONE)
    kt_line(writer, "double *const m%u = out[%u]; /* %s */", number, tensor->out, of->name);
  else if (tensor->in == AS_NONE)
    kt_line(writer, "std::vector<%s> m%u(%lld); /* %s */",
            tensor->type == AS_INT ? "long long" : "kt_real", number,
            (long long)kt_tensor_elements(of) + 1, of->name);
}

static void write_reference(kt_writer *writer) {
  const kt_plan *plan = writer->plan;
  kt_line(writer, "static bool run([[maybe_unused]] const double *const *in, double *const *out, "
                  "double *reach)\n{");
  writer->depth++;
  for (uint32_t i = 0; i < plan->program->tile.n; i++)
    declare_tile(writer, i);
  for (uint32_t i = 0; i < plan->tensor.n; i++) {
    declare_tensor(writer, i);
    if (!WR_TENSOR(plan->program, i)->local)
      kt_begin_tensor(writer, i, "0", "1");
  }
  kt_stmts(writer, &plan->program->body);
  for (uint32_t i = 0; i < plan->tensor.n; i++) {
    const kt_tensor *tensor = KT_TENSOR(plan, i);
    if (tensor->out != AS_NONE)
      kt_line(writer, "reached(out[%u], %lldu, reach);", tensor->out,
              (long long)kt_tensor_elements(WR_TENSOR(plan->program, i)));
  }
  kt_line(writer, "return true;");
  writer->depth--;
  kt_line(writer, "}\n}");
  kt_line(writer, "static bool assay_reference(const double *const *in, double *const *out, "
                  "double *reach)\n{");
  kt_line(writer, "  *reach = 0;\n  return assay_ref::run(in, out, reach);\n}");
}

char *kt_reference(const kt_plan *plan) {
  as_str out;
  as_str_init(&out);
  for (const char *const *line = kt_reference_prelude(); *line; line++)
    as_str_add(&out, *line);
  kt_writer writer = {.plan = plan, .program = plan->program, .out = &out, .err = plan->err};
  write_reference(&writer);
  char *text = as_str_take(&out);
  if (plan->err->status == AS_OK)
    return text;
  free(text);
  return NULL;
}

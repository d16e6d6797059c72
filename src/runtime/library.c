#include "library.h"
#include "compile.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const char *const *as_rt_library_text(void);

static bool put(const char *dir, const char *name, as_str *text, as_err *err) {
  char *path = as_format("%s/%s", dir, name);
  bool ok = as_write_file(path, text->s ? text->s : "", text->n, err);
  free(path);
  as_str_clear(text);
  return ok;
}

static size_t bytes_of(const as_rt_port *port) {
  return as_rt_port_elems(port) * as_rt_type_size(port->type);
}

static void byte_table(as_str *text, const char *name, const as_rt_port *port, uint32_t n) {
  as_str_printf(text, "static const size_t %s[] = {", name);
  for (uint32_t i = 0; i < n; i++)
    as_str_printf(text, "%zuu, ", bytes_of(&port[i]));
  as_str_add(text, "0u};\n");
}

/* the text that is compiled: the kernels, the tables of sizes, and the entry for host memory */
static bool put_source(const as_lowered *l, const as_rt_interface *ports, const char *dir,
                       as_err *err) {
  as_str text;
  as_str_init(&text);
  as_str_add(&text, l->cuda);
  if (!put(dir, "kernel.cu", &text, err))
    return false;
  as_str_add(&text, "#include \"kernel.cu\"\n");
  as_str_printf(&text, "enum { N_IN = %u, N_OUT = %u };\n", ports->n_in, ports->n_out);
  byte_table(&text, "in_bytes", ports->in, ports->n_in);
  byte_table(&text, "out_bytes", ports->out, ports->n_out);
  for (const char *const *line = as_rt_library_text(); *line; line++)
    as_str_add(&text, *line);
  return put(dir, "library.cu", &text, err);
}

static void json_ports(as_str *text, const char *key, const as_rt_port *port, uint32_t n) {
  as_str_printf(text, " \"%s\": [", key);
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(text, "%s\n  {\"name\": \"%s\", \"type\": \"%s\", \"extents\": [", i ? "," : "",
                  port[i].name, as_rt_type_name(port[i].type));
    for (uint32_t axis = 0; axis < port[i].rank; axis++)
      as_str_printf(text, "%s%lld", axis ? ", " : "", (long long)port[i].extent[axis]);
    as_str_add(text, "]}");
  }
  as_str_add(text, "],\n");
}

static bool put_interface(const as_lowered *l, const char *name, const as_rt_interface *ports,
                          const as_rt_opts *o, as_err *err) {
  const as_target *target = o->target ? o->target : as_target_default();
  as_str text;
  as_str_init(&text);
  as_str_printf(&text, "{\n \"format\": \"assay-interface 1\",\n \"program\": \"%s\",\n", name);
  as_str_printf(&text, " \"library\": \"libassay_%s.so\",\n", name);
  as_str_printf(&text, " \"runs_on\": \"%s\",\n", o->emulate ? "host" : target->arch);
  json_ports(&text, "inputs", ports->in, ports->n_in);
  json_ports(&text, "outputs", ports->out, ports->n_out);
  as_str_printf(&text, " \"workspace_bytes\": %ld,\n \"alignment\": 16\n}\n", l->workspace);
  return put(o->dir, "interface.json", &text, err);
}

static void header_ports(as_str *text, const char *what, const as_rt_port *port, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(text, " *   %s[%u]  %s: %s[", what, i, port[i].name,
                  as_rt_type_name(port[i].type));
    for (uint32_t axis = 0; axis < port[i].rank; axis++)
      as_str_printf(text, "%s%lld", axis ? ", " : "", (long long)port[i].extent[axis]);
    as_str_add(text, "]\n");
  }
}

static bool put_header(const as_lowered *l, const char *name, const as_rt_interface *ports,
                       const char *dir, as_err *err) {
  char *file = as_format("assay_%s.h", name);
  as_str text;
  as_str_init(&text);
  as_str_printf(
      &text, "/* %s, made by assay.  Tensors are row-major, contiguous, 16-byte aligned:\n", name);
  header_ports(&text, "inputs", ports->in, ports->n_in);
  header_ports(&text, "outputs", ports->out, ports->n_out);
  as_str_printf(&text,
                " * The workspace has %ld bytes, need not be initialised, and is not shared by\n"
                " * launches that overlap. */\n#ifndef ASSAY_%s_H\n#define ASSAY_%s_H\n",
                l->workspace, name, name);
  as_str_add(&text,
             "#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
             "size_t assay_workspace_bytes(void);\n"
             "/* Device memory, on a stream (a cudaStream_t): asynchronous, may be captured in a\n"
             " * graph.  Gives 0 or a cudaError_t. */\n"
             "int assay_launch(void *const *inputs, void *const *outputs, void *workspace,\n"
             "                 void *stream);\n"
             "/* Host memory: returns when the outputs are there.  Gives 0, a cudaError_t, or -1\n"
             " * where the emulation found a fault. */\n"
             "int assay_run_host(void *const *inputs, void *const *outputs);\n"
             "#ifdef __cplusplus\n}\n#endif\n#endif\n");
  bool ok = put(dir, file, &text, err);
  free(file);
  return ok;
}

bool as_rt_library_build(const as_lowered *l, const char *name, const as_rt_interface *ports,
                         const as_rt_opts *o, as_err *err) {
  if (!put_source(l, ports, o->dir, err) || !put_interface(l, name, ports, o, err) ||
      !put_header(l, name, ports, o->dir, err))
    return false;
  char *source = as_format("%s/library.cu", o->dir);
  char *library = as_format("%s/libassay_%s.so", o->dir, name);
  char *kernels = as_format("%s/kernel.cu", o->dir);
  char *cubin = as_format("%s/%s.cubin", o->dir, name);
  bool ok = as_rt_compile(o, AS_RT_LIBRARY, source, library, NULL, err);
  if (ok && !o->emulate)
    ok = as_rt_compile(o, AS_RT_CUBIN, kernels, cubin, NULL, err);
  free(source);
  free(library);
  free(kernels);
  free(cubin);
  return ok;
}

as_status as_rt_library_run(const char *dir, const char *name, void *const *inputs,
                            void *const *outputs, as_err *err) {
  char *path = as_format("%s%s/libassay_%s.so", dir[0] == '/' ? "" : "./", dir, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (library == NULL) {
    as_err_set(err, AS_UNKNOWN, "the library cannot be loaded: %s", dlerror());
    return AS_UNKNOWN;
  }
  int (*run)(void *const *, void *const *);
  void *entry = dlsym(library, "assay_run_host");
  memcpy(&run, &entry, sizeof run); /* ISO C has no conversion from objects to functions */
  int status = entry ? run(inputs, outputs) : -2;
  dlclose(library);
  if (status == 0)
    return AS_OK;
  if (status == -1)
    as_err_set(err, AS_NO, "the emulation found a fault");
  else
    as_err_set(err, AS_UNKNOWN, "the kernel could not be run (CUDA error %d)", status);
  return err->status;
}

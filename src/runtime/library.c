#include "library.h"
#include "compile.h"
#include "src/base/file.h"
#include "src/base/mem.h"
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

/* Is the input one of integers that must be below a number, each of them?  Where sizes are left to
 * run time the number is not known here. */
static bool is_of_places(const as_rt_interface *ports, const as_rt_port *port) {
  return ports->n_size == 0 && port->exact && port->range >= 0;
}

/* The kernels' text: where a launch looks at places before, its own entry has another name. */
static void add_kernels(as_str *text, const as_rt_interface *ports) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ports->n_in; i++) {
    const as_rt_port *port = &ports->in[i];
    if (!is_of_places(ports, port))
      continue;
    as_str_printf(text, "%s  {%u, %zuu, %lldLL},\n",
                  n++ == 0 ? "#include <stddef.h>\n#define ASSAY_PLACES\n"
                             "/* which input, of how many places, each below */\n"
                             "static const struct { int input; size_t elements; long long below; } "
                             "assay_places[] = {\n"
                           : "",
                  i, (size_t)as_rt_port_elems(port), (long long)port->range);
  }
  if (n == 0) {
    as_str_add(text, "#include \"kernel.cu\"\n");
    return;
  }
  as_str_add(text, "};\n#ifdef ASSAY_TRUST_PLACES\n#undef ASSAY_PLACES\n#else\n"
                   "#define assay_launch assay_launch_trusting\n#endif\n"
                   "#include \"kernel.cu\"\n#undef assay_launch\n");
}

/* the text that is compiled: the kernels, the tables of sizes, and the entry for host memory */
static bool put_source(const as_lowered *l, const as_rt_interface *ports, const char *dir,
                       as_err *err) {
  as_str text;
  as_str_init(&text);
  as_str_add(&text, l->cuda);
  if (!put(dir, "kernel.cu", &text, err))
    return false;
  add_kernels(&text, ports);
  as_str_printf(&text, "enum { N_IN = %u, N_OUT = %u };\n", ports->n_in, ports->n_out);
  if (ports->n_size == 0) { /* of others the kernels' text says it */
    byte_table(&text, "in_bytes", ports->in, ports->n_in);
    byte_table(&text, "out_bytes", ports->out, ports->n_out);
  }
  for (const char *const *line = as_rt_library_text(); *line; line++)
    as_str_add(&text, *line);
  return put(dir, "library.cu", &text, err);
}

static void json_ports(as_str *text, const char *key, const as_rt_port *port, uint32_t n) {
  as_str_printf(text, " \"%s\": [", key);
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(text, "%s\n  {\"name\": \"%s\", \"type\": \"%s\", \"extents\": [", i ? "," : "",
                  port[i].name, as_rt_type_name(port[i].type));
    for (uint32_t axis = 0; axis < port[i].rank; axis++) {
      as_str_add(text, axis ? ", " : "");
      if (port[i].shown[axis])
        as_str_printf(text, "\"%s\"", port[i].shown[axis]);
      else
        as_str_printf(text, "%lld", (long long)port[i].extent[axis]);
    }
    as_str_add(text, "]}");
  }
  as_str_add(text, "],\n");
}

static void json_sizes(as_str *text, const as_rt_interface *ports) {
  as_str_add(text, " \"sizes\": [");
  for (uint32_t i = 0; i < ports->n_size; i++) {
    const as_lower_size *size = &ports->size[i];
    as_str_printf(text, "%s\n  {\"name\": \"%s\", \"least\": %lld, \"most\": %lld}", i ? "," : "",
                  size->name, (long long)size->least, (long long)size->most);
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
  if (ports->n_size)
    json_sizes(&text, ports);
  json_ports(&text, "inputs", ports->in, ports->n_in);
  json_ports(&text, "outputs", ports->out, ports->n_out);
  if (l->library)
    as_str_printf(&text, " \"calls\": \"%s\",\n", l->library);
  as_str_printf(&text, " \"workspace_bytes\": %ld,\n \"alignment\": 16\n}\n", l->workspace);
  return put(o->dir, "interface.json", &text, err);
}

static void header_ports(as_str *text, const char *what, const as_rt_port *port, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    as_str_printf(text, " *   %s[%u]  %s: %s[", what, i, port[i].name,
                  as_rt_type_name(port[i].type));
    for (uint32_t axis = 0; axis < port[i].rank; axis++) {
      as_str_add(text, axis ? ", " : "");
      if (port[i].shown[axis])
        as_str_add(text, port[i].shown[axis]);
      else
        as_str_printf(text, "%lld", (long long)port[i].extent[axis]);
    }
    as_str_add(text, "]\n");
  }
}

/* What the theorem asks of integers that are data, and who looks at it. */
static void header_places(as_str *text, const as_rt_interface *ports) {
  bool checked = false;
  for (uint32_t i = 0; i < ports->n_in; i++) {
    const as_rt_port *port = &ports->in[i];
    if (port->range < 0)
      continue;
    if (is_of_places(ports, port))
      as_str_printf(text, " * Defined where 0 <= %s[..] < %lld, for each element.\n", port->name,
                    (long long)port->range);
    else
      as_str_printf(text,
                    " * Elements of %s name places: the theorem says where these are in their\n"
                    " *   tensors; nobody looks at that.\n",
                    port->name);
    checked |= is_of_places(ports, port);
  }
  if (checked)
    as_str_add(text,
               " * A launch looks at that first: on a device the stream ends with an error, in\n"
               " * host memory ASSAY_BAD_PLACE is given, before a tensor is read.  Not where\n"
               " * library.cu is compiled with -DASSAY_TRUST_PLACES.\n");
}

static void header_sizes(as_str *text, const as_rt_interface *ports) {
  for (uint32_t i = 0; i < ports->n_size; i++) {
    const as_lower_size *size = &ports->size[i];
    as_str_printf(text, " *   sizes[%u]  %s: from %lld to %lld\n", i, size->name,
                  (long long)size->least, (long long)size->most);
  }
}

static const char size_functions[] =
    "/* What is wrong with these sizes, a text that is never freed; NULL: nothing. */\n"
    "const char *assay_size_error(const long long *sizes);\n"
    "/* Bytes of a tensor at these sizes, which must be in range. */\n"
    "size_t assay_input_bytes(int which, const long long *sizes);\n"
    "size_t assay_output_bytes(int which, const long long *sizes);\n"
    "#define ASSAY_BAD_SIZE (-2)\n";

/* the library's name */
static const char library_contract[] =
    "/* Products of matrices are calls of %s, which is opened when the first one is launched, by\n"
    " * the file name in ASSAY_CUBLASLT or else as the dynamic linker finds the version of the "
    "CUDA\n"
    " * runtime; there is no other way: without it a launch fails and says so.  The workspace has\n"
    " * the room that the library is given.  The first launch of each size, and on each device,\n"
    " * makes a plan that is kept until the process ends; that also works while a graph is\n"
    " * captured.  Launches may come from several threads. */\n";
static const char library_functions[] =
    "/* A launch that gives it has failed in the library, or found none; kernels before it may "
    "have\n"
    " * been launched. */\n"
    "#define ASSAY_LIBRARY_FAILED (-3)\n"
    "/* What this thread's last such launch found wrong: the function and its status. */\n"
    "const char *assay_library_error(void);\n"
    "/* Which of the library's algorithms a product takes: its first one, or the fastest.  While\n"
    " * on, a launch of this thread times them for each product that none was chosen for yet, on\n"
    " * its inputs, and waits; not where a graph is captured.  Algorithms may round differently;\n"
    " * what was chosen stays so until the process ends. */\n"
    "void assay_choosing(int on);\n"
    "/* What was chosen, as text for assay_take_choices of another process; returns what it takes\n"
    " * without the end, as snprintf does. */\n"
    "size_t assay_choices(char *text, size_t room);\n"
    "/* Before the first launch; returns how many choices were read.  Those of another version of\n"
    " * the library or another kind of device, or which the library refuses, are not used. */\n"
    "int assay_take_choices(const char *text);\n";

static bool put_header(const as_lowered *l, const char *name, const as_rt_interface *ports,
                       const char *dir, as_err *err) {
  bool sizes = ports->n_size > 0;
  char *file = as_format("assay_%s.h", name);
  as_str text;
  as_str_init(&text);
  as_str_printf(
      &text, "/* %s, made by assay.  Tensors are row-major, contiguous, 16-byte aligned:\n", name);
  header_ports(&text, "inputs", ports->in, ports->n_in);
  header_ports(&text, "outputs", ports->out, ports->n_out);
  if (sizes)
    as_str_add(&text,
               " * Each launch has sizes of its own; no pointer is read or written beyond:\n");
  header_sizes(&text, ports);
  header_places(&text, ports);
  as_str_printf(&text,
                " * The workspace has %ld bytes, need not be initialised, and is not shared by\n"
                " * launches that overlap. */\n#ifndef ASSAY_%s_H\n#define ASSAY_%s_H\n",
                l->workspace, name, name);
  if (l->library)
    as_str_printf(&text, library_contract, l->library);
  as_str_add(&text, "#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                    "size_t assay_workspace_bytes(void);\n");
  if (sizes)
    as_str_add(&text, size_functions);
  if (l->library)
    as_str_add(&text, library_functions);
  as_str_add(&text, "/* An integer that is data names no place of its tensor. */\n"
                    "#define ASSAY_BAD_PLACE (-4)\n");
  as_str_printf(
      &text,
      "/* Device memory, on a stream (a cudaStream_t): asynchronous, may be captured in a\n"
      " * graph.  Gives 0 or a cudaError_t%s%s. */\n"
      "int assay_launch(void *const *inputs, void *const *outputs, void *workspace,\n"
      "                 void *stream%s);\n",
      l->library ? ", or ASSAY_LIBRARY_FAILED" : "",
      sizes ? "; ASSAY_BAD_SIZE, and\n * launches nothing, where a size is wrong" : "",
      sizes ? ", const long long *sizes" : "");
  as_str_printf(
      &text,
      "/* Host memory: returns when the outputs are there.  Gives 0, a cudaError_t, or -1\n"
      " * where the emulation found a fault%s%s. */\n"
      "int assay_run_host(void *const *inputs, void *const *outputs%s);\n",
      l->library ? ", or ASSAY_LIBRARY_FAILED" : "", sizes ? "; ASSAY_BAD_SIZE as above" : "",
      sizes ? ",\n                   const long long *sizes" : "");
  as_str_add(&text, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
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

enum { FAULT = -1, BAD_SIZE = -2, LIBRARY_FAILED = -3, BAD_PLACE = -4, NO_ENTRY = -5 };

/* status of a function of the library; ISO C has no conversion from objects to functions */
static int call_host(void *library, const as_rt_interface *ports, void *const *inputs,
                     void *const *outputs) {
  int (*run)(void *const *, void *const *);
  int (*run_sized)(void *const *, void *const *, const long long *);
  void *entry = dlsym(library, "assay_run_host");
  if (entry == NULL)
    return NO_ENTRY;
  if (ports->n_size == 0) {
    memcpy(&run, &entry, sizeof run);
    return run(inputs, outputs);
  }
  long long *sizes = as_calloc(ports->n_size, sizeof *sizes);
  for (uint32_t i = 0; i < ports->n_size; i++)
    sizes[i] = ports->size[i].value;
  memcpy(&run_sized, &entry, sizeof run_sized);
  int status = run_sized(inputs, outputs, sizes);
  free(sizes);
  return status;
}

/* what the library that it calls has told it; borrowed from `library` */
static const char *told(void *library) {
  const char *(*error)(void);
  void *entry = dlsym(library, "assay_library_error");
  if (entry == NULL)
    return "no reason given";
  memcpy(&error, &entry, sizeof error);
  return error();
}

as_status as_rt_library_run(const char *dir, const char *name, const as_rt_interface *ports,
                            void *const *inputs, void *const *outputs, as_err *err) {
  char *path = as_format("%s%s/libassay_%s.so", dir[0] == '/' ? "" : "./", dir, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (library == NULL) {
    as_err_set(err, AS_UNKNOWN, "the library cannot be loaded: %s", dlerror());
    return AS_UNKNOWN;
  }
  int status = call_host(library, ports, inputs, outputs);
  if (status == LIBRARY_FAILED)
    as_err_set(err, AS_UNKNOWN, "%s", told(library));
  dlclose(library);
  if (status == 0)
    return AS_OK;
  if (status == LIBRARY_FAILED)
    return err->status;
  if (status == FAULT)
    as_err_set(err, AS_NO, "the emulation found a fault");
  else if (status == BAD_SIZE)
    as_err_set(err, AS_BAD_INPUT, "the program does not take these sizes");
  else if (status == BAD_PLACE)
    as_err_set(err, AS_BAD_INPUT, "an integer among the inputs names no place of its tensor");
  else
    as_err_set(err, AS_UNKNOWN, "the kernel could not be run (CUDA error %d)", status);
  return err->status;
}

/* `assay run`: a certified program on arrays in .npy files, or on random ones. */
#include "lowered.h"
#include "src/base/file.h"
#include "src/base/rng.h"
#include "src/runtime/arrays.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* the path that an argument NAME=PATH gives for an input, or NULL */
static const char *file_of(const cli_opts *given, const char *input) {
  size_t n = strlen(input);
  for (uint32_t i = 1; i < given->n_arg; i++) {
    if (strncmp(given->arg[i], input, n) == 0 && given->arg[i][n] == '=')
      return given->arg[i] + n + 1;
  }
  return NULL;
}

static bool names(const char *arg, const char *name) {
  const char *equals = strchr(arg, '=');
  size_t n = strlen(name);
  return equals && n == (size_t)(equals - arg) && memcmp(arg, name, n) == 0;
}

/* an input, or a size that is left to run time; of a tile program the kernels are for its value */
static bool names_something(const char *arg, const cli_lowered *lowered) {
  const as_rt_interface *ports = &lowered->ports;
  const as_sizes *sizes = lowered->job.sizes;
  bool known = false;
  for (uint32_t i = 0; as_size_nth_sym(sizes, i) != AS_SIZE_BAD; i++) {
    as_size symbol = as_size_nth_sym(sizes, i);
    known |= as_size_is_ranged(sizes, symbol) && names(arg, as_size_name(sizes, symbol));
  }
  for (uint32_t i = 0; i < ports->n_in; i++)
    known |= names(arg, ports->in[i].name);
  for (uint32_t i = 0; i < ports->n_size; i++)
    known |= names(arg, ports->size[i].name);
  return known;
}

static bool fill_inputs(const cli_opts *given, const cli_lowered *lowered, void **inputs,
                        as_err *err) {
  const as_rt_interface *ports = &lowered->ports;
  as_rng rng;
  as_rng_seed(&rng, given->seed);
  for (uint32_t i = 1; i < given->n_arg; i++) {
    if (!names_something(given->arg[i], lowered))
      return as_err_set(
          err, AS_BAD_INPUT,
          "%s: is no INPUT=FILE.npy of an input of the program, and no SIZE=NUMBER of "
          "a size that is left to run time",
          given->arg[i]);
  }
  for (uint32_t i = 0; i < ports->n_in; i++) {
    const char *path = file_of(given, ports->in[i].name);
    inputs[i] = as_rt_tensor_new(&ports->in[i]);
    if (path == NULL)
      as_rt_tensor_random(&rng, &ports->in[i], inputs[i]);
    else if (!as_rt_tensor_read(path, &ports->in[i], inputs[i], err))
      return false;
  }
  return true;
}

static bool give(const cli_opts *given, const as_rt_port *port, const void *memory, as_err *err) {
  as_rt_tensor_print(port, memory);
  if (given->out == NULL)
    return true;
  char *path = as_format("%s/%s.npy", given->out, port->name);
  bool ok = as_rt_npy_write(path, port, memory, err);
  free(path);
  return ok;
}

/* builds the library in a scratch folder and runs it there */
static bool run_there(const cli_opts *given, const cli_lowered *lowered, const char *scratch,
                      void *const *inputs, void *const *outputs, as_err *err) {
  char *emulation = cli_emulation_dir();
  as_rt_opts opts = {.dir = scratch,
                     .target = lowered->target,
                     .emulate = strcmp(given->device, "cuda") != 0,
                     .emu_dir = emulation};
  const char *name = lowered->name;
  bool ok = as_rt_library_build(&lowered->low, name, &lowered->ports, &opts, err) &&
            as_rt_library_run(scratch, name, &lowered->ports, inputs, outputs, err) == AS_OK;
  free(emulation);
  return ok;
}

static bool run_lowered(const cli_opts *given, const cli_lowered *lowered, as_err *err) {
  void **inputs = as_calloc(lowered->ports.n_in + 1, sizeof *inputs);
  void **outputs = as_calloc(lowered->ports.n_out + 1, sizeof *outputs);
  const char *folder = getenv("TMPDIR");
  char *scratch = as_format("%s/assay-run-XXXXXX", folder && *folder ? folder : "/tmp");
  bool made = mkdtemp(scratch) != NULL;
  bool ok = made || as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", scratch);
  ok = ok && fill_inputs(given, lowered, inputs, err);
  for (uint32_t i = 0; ok && i < lowered->ports.n_out; i++)
    outputs[i] = as_rt_tensor_new(&lowered->ports.out[i]);
  ok = ok && run_there(given, lowered, scratch, inputs, outputs, err);
  if (ok && given->out && mkdir(given->out, 0777) != 0 && !as_exists(given->out))
    ok = as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", given->out);
  for (uint32_t i = 0; ok && i < lowered->ports.n_out; i++)
    ok = give(given, &lowered->ports.out[i], outputs[i], err);
  for (uint32_t i = 0; i < lowered->ports.n_in; i++)
    free(inputs[i]);
  for (uint32_t i = 0; i < lowered->ports.n_out; i++)
    free(outputs[i]);
  if (made)
    as_remove_folder(scratch);
  free(scratch);
  free(inputs);
  free(outputs);
  return ok;
}

int cli_run(const cli_opts *given) {
  as_err err;
  as_err_init(&err);
  cli_opts first = *given;
  first.n_arg = 1; /* the directory; what follows names inputs */
  cli_lowered lowered;
  cli_lowered_init(&lowered, &first);
  bool ok = cli_lower_at(&lowered, &first, given->arg + 1, given->n_arg - 1, &err) &&
            run_lowered(given, &lowered, &err);
  int status = ok ? AS_OK : as_err_tell(&err);
  cli_lowered_clear(&lowered);
  as_err_clear(&err);
  return status;
}

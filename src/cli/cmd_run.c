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
static const char *file_of(const cli_opts *o, const char *input) {
  size_t n = strlen(input);
  for (uint32_t i = 1; i < o->n_arg; i++) {
    if (strncmp(o->arg[i], input, n) == 0 && o->arg[i][n] == '=')
      return o->arg[i] + n + 1;
  }
  return NULL;
}

static bool names_an_input(const char *arg, const as_rt_interface *ports) {
  const char *equals = strchr(arg, '=');
  for (uint32_t i = 0; equals && i < ports->n_in; i++) {
    size_t n = strlen(ports->in[i].name);
    if (n == (size_t)(equals - arg) && memcmp(arg, ports->in[i].name, n) == 0)
      return true;
  }
  return false;
}

static bool fill_inputs(const cli_opts *o, const as_rt_interface *ports, void **inputs,
                        as_err *err) {
  as_rng rng;
  as_rng_seed(&rng, o->seed);
  for (uint32_t i = 1; i < o->n_arg; i++) {
    if (!names_an_input(o->arg[i], ports))
      return as_err_set(err, AS_BAD_INPUT, "%s: is no INPUT=FILE.npy of an input of the program",
                        o->arg[i]);
  }
  for (uint32_t i = 0; i < ports->n_in; i++) {
    const char *path = file_of(o, ports->in[i].name);
    inputs[i] = as_rt_tensor_new(&ports->in[i]);
    if (path == NULL)
      as_rt_tensor_random(&rng, &ports->in[i], inputs[i]);
    else if (!as_rt_tensor_read(path, &ports->in[i], inputs[i], err))
      return false;
  }
  return true;
}

static bool give(const cli_opts *o, const as_rt_port *port, const void *memory, as_err *err) {
  as_rt_tensor_print(port, memory);
  if (o->out == NULL)
    return true;
  char *path = as_format("%s/%s.npy", o->out, port->name);
  bool ok = as_rt_npy_write(path, port, memory, err);
  free(path);
  return ok;
}

/* builds the library in a scratch folder and runs it there */
static bool run_there(const cli_opts *o, const cli_lowered *c, const char *scratch,
                      void *const *inputs, void *const *outputs, as_err *err) {
  char *emulation = cli_emulation_dir();
  as_rt_opts opts = {.dir = scratch,
                     .target = c->target,
                     .emulate = strcmp(o->device, "cuda") != 0,
                     .emu_dir = emulation};
  const char *name = c->job.program->name;
  bool ok = as_rt_library_build(&c->low, name, &c->ports, &opts, err) &&
            as_rt_library_run(scratch, name, inputs, outputs, err) == AS_OK;
  free(emulation);
  return ok;
}

static bool run_lowered(const cli_opts *o, const cli_lowered *c, as_err *err) {
  void **inputs = as_calloc(c->ports.n_in + 1, sizeof *inputs);
  void **outputs = as_calloc(c->ports.n_out + 1, sizeof *outputs);
  const char *folder = getenv("TMPDIR");
  char *scratch = as_format("%s/assay-run-XXXXXX", folder && *folder ? folder : "/tmp");
  bool made = mkdtemp(scratch) != NULL;
  bool ok = made || as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", scratch);
  ok = ok && fill_inputs(o, &c->ports, inputs, err);
  for (uint32_t i = 0; ok && i < c->ports.n_out; i++)
    outputs[i] = as_rt_tensor_new(&c->ports.out[i]);
  ok = ok && run_there(o, c, scratch, inputs, outputs, err);
  if (ok && o->out && mkdir(o->out, 0777) != 0 && !as_exists(o->out))
    ok = as_err_set(err, AS_BAD_INPUT, "%s: cannot be made", o->out);
  for (uint32_t i = 0; ok && i < c->ports.n_out; i++)
    ok = give(o, &c->ports.out[i], outputs[i], err);
  for (uint32_t i = 0; i < c->ports.n_in; i++)
    free(inputs[i]);
  for (uint32_t i = 0; i < c->ports.n_out; i++)
    free(outputs[i]);
  if (made)
    as_remove_folder(scratch);
  free(scratch);
  free(inputs);
  free(outputs);
  return ok;
}

int cli_run(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  cli_opts first = *o;
  first.n_arg = 1; /* the directory; what follows names inputs */
  cli_lowered c;
  cli_lowered_init(&c, &first);
  bool ok = cli_lower(&c, &first, &err) && run_lowered(o, &c, &err);
  int status = ok ? AS_OK : as_err_tell(&err);
  cli_lowered_clear(&c);
  as_err_clear(&err);
  return status;
}

#include "cli.h"
#include "src/import/import.h"
#include <stdio.h>
#include <stdlib.h>

int cli_lift(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  as_import_tile_options options = cli_tile_options(opts);
  const as_import_tile_format *format = as_import_tile_format_for(opts->from, opts->arg[0], &err);
  void *file = format ? format->read(opts->arg[0], &options, &err) : NULL;
  int status = file ? AS_OK : AS_BAD_INPUT;
  for (size_t i = 0; file && i < format->count(file); i++) {
    char *text = format->tile(file, i, &options, false, NULL, &err);
    if (text) {
      fputs(text, stdout);
    } else {
      status = as_err_tell(&err);
      as_err_clear(&err);
    }
    free(text);
  }
  if (!file)
    status = as_err_tell(&err);
  else
    format->free(file);
  as_err_clear(&err);
  return status;
}

#include "cli.h"
#include "src/import/import.h"
#include <stdio.h>
#include <stdlib.h>

/* the format that --from names, or that the file's name ends in */
static const as_import_tile_format *format_of(const cli_opts *opts, as_err *err) {
  const as_import_tile_format *format =
      opts->from ? as_import_tile_format_named(opts->from) : as_import_tile_format_of(opts->arg[0]);
  if (!format && opts->from)
    as_err_set(err, AS_BAD_INPUT, "%s is no format of tile programs", opts->from);
  else if (!format)
    as_err_set(err, AS_BAD_INPUT, "%s: whose kernel is it? say --from", opts->arg[0]);
  return format;
}

int cli_lift(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  as_import_tile_options options = cli_tile_options(opts);
  const as_import_tile_format *format = format_of(opts, &err);
  void *file = format ? format->read(opts->arg[0], &options, &err) : NULL;
  int status = file ? AS_OK : AS_BAD_INPUT;
  for (size_t i = 0; file && i < format->count(file); i++) {
    char *text = format->tile(file, i, &options, false, &err);
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

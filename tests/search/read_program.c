#include "read_program.h"
#include "tests/operators.h"
#include "tests/suite.h"
#include <stdlib.h>
#include <string.h>

read_program read_program_text(const char *text, const char *operators) {
  read_program read = {.lib = test_operators(), .sizes = as_sizes_new()};
  as_err err;
  as_err_init(&err);
  if (operators) {
    char *path = test_path(operators);
    ck_assert(as_oplib_load(read.lib, path, &err));
    free(path);
  }
  read.graph = as_parse_tp("program.tp", text, strlen(text), read.sizes, read.lib, &err);
  ck_assert_msg(read.graph != NULL, "%s", read.graph ? "" : as_err_format(&err));
  as_err_clear(&err);
  return read;
}

void read_program_done(read_program *program) {
  as_graph_free(program->graph);
  as_sizes_free(program->sizes);
  as_oplib_free(program->lib);
}

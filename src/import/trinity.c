/* Files of Trinity's programs: lines, S-expressions, the table of extents. */
#include "src/base/file.h"
#include "src/base/str.h"
#include "trinity_int.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXTENTS "; a number that is an extent in the table is that size, whatever it is"

const char *as_trinity_scratch_text(as_trinity_scratch scratch) {
  static const char *const texts[] = {
      "scratch tensors are one array for the whole program, zeros at its start" EXTENTS,
      "scratch tensors of one kernel are zeros anew in each of its instances" EXTENTS,
      ("scratch tensors are as the artifact's code generator emits them: sums start at zero in "
       "each instance, and a load after a store in one line of statements sees the value loaded "
       "before" EXTENTS)};
  return texts[scratch];
}

as_trinity_scratch as_trinity_scratch_named(const char *word) {
  return strcmp(word, "private") == 0     ? AS_TRINITY_PRIVATE
         : strcmp(word, "generator") == 0 ? AS_TRINITY_GENERATOR
                                          : AS_TRINITY_GLOBAL;
}

bool trinity_fail(const as_trinity *file, const trinity_node *at, as_err *err, const char *format,
                  const char *name) {
  return as_err_at(err, file->path, file->text, file->len, at->line, at->column, format, name);
}

bool trinity_is_integer(const char *atom, long *value) {
  char *end;
  errno = 0;
  *value = strtol(atom, &end, 10);
  return *atom && isdigit((unsigned char)atom[strlen(atom) - 1]) && *end == 0 && errno == 0 &&
         *value >= 0;
}

/* ---- S-expressions */
typedef struct {
  const as_trinity *file;
  as_arena *mem;
  as_err *err;
  size_t at;
  size_t to;
  int line;
  int column;
  int depth;
} reader;

static void step(reader *r) {
  r->column++;
  if (r->file->text[r->at++] == '\n') {
    r->line++;
    r->column = 1;
  }
}

static void skip_blank(reader *r) {
  while (r->at < r->to) {
    char c = r->file->text[r->at];
    if (c == ';') {
      while (r->at < r->to && r->file->text[r->at] != '\n')
        step(r);
    } else if (isspace((unsigned char)c)) {
      step(r);
    } else {
      return;
    }
  }
}

static trinity_node *fail_here(reader *r, const char *what) {
  as_err_at(r->err, r->file->path, r->file->text, r->file->len, r->line, r->column, "%s", what);
  return NULL;
}

static trinity_node *read_node(reader *r);

static trinity_node *read_list(reader *r, trinity_node *made) {
  as_vec kids;
  as_vec_init(&kids, sizeof(trinity_node *));
  bool ok = true;
  step(r);
  for (;;) {
    skip_blank(r);
    if (r->at >= r->to) {
      fail_here(r, "a `(` is not closed (is the file cut short?)");
      ok = false;
      break;
    }
    if (r->file->text[r->at] == ')') {
      step(r);
      break;
    }
    trinity_node *kid = read_node(r);
    ok = kid != NULL;
    if (!ok)
      break;
    as_vec_push(&kids, &kid);
  }
  made->n = (uint32_t)kids.n;
  made->kid = as_arena_alloc(r->mem, (kids.n + 1) * sizeof(trinity_node *));
  if (kids.n)
    memcpy(made->kid, kids.data, kids.n * sizeof(trinity_node *));
  as_vec_clear(&kids);
  if (ok && made->n == 0)
    return fail_here(r, "an empty list");
  return ok ? made : NULL;
}

static trinity_node *read_node(reader *r) {
  trinity_node *made = as_arena_alloc(r->mem, sizeof *made);
  made->line = r->line;
  made->column = r->column;
  if (++r->depth > TRINITY_MOST_DEPTH)
    return fail_here(r, "nested too deeply");
  if (r->file->text[r->at] == '(') {
    made = read_list(r, made);
    r->depth--;
    return made;
  }
  size_t from = r->at;
  while (r->at < r->to && !strchr("();", r->file->text[r->at]) &&
         !isspace((unsigned char)r->file->text[r->at])) {
    if (!isprint((unsigned char)r->file->text[r->at]))
      return fail_here(r, "a byte that is no text");
    step(r);
  }
  if (r->at == from)
    return fail_here(r, "expected an expression");
  char *atom = as_arena_alloc(r->mem, r->at - from + 1);
  memcpy(atom, r->file->text + from, r->at - from);
  made->atom = atom;
  r->depth--;
  return made;
}

trinity_node *trinity_parse(const as_trinity *file, const trinity_program *program, as_arena *mem,
                            as_err *err) {
  reader r = {file, mem, err, program->from, program->to, program->line, program->column, 0};
  skip_blank(&r);
  if (r.at >= r.to)
    return fail_here(&r, "there is no program");
  trinity_node *made = read_node(&r);
  skip_blank(&r);
  if (made && r.at < r.to)
    return fail_here(&r, "something stands behind the program's end");
  return made;
}

/* ---- which programs a text holds */
/* the length of `NUMBER:` at the start of a line; 0: there is none */
static size_t label_length(const char *text, size_t n) {
  size_t digits = 0;
  while (digits < n && isdigit((unsigned char)text[digits]))
    digits++;
  return digits && digits < n && text[digits] == ':' ? digits + 1 : 0;
}

static void add_program(as_trinity *file, const char *label, size_t n, size_t from, size_t to,
                        int line, size_t column) {
  trinity_program made = {as_arena_alloc(file->mem, n + 1), from, to, line, (int)column};
  memcpy(made.label, label, n);
  as_vec_push(&file->programs, &made);
}

static bool split(as_trinity *file, as_err *err) {
  int line = 1;
  bool other = false;
  for (size_t at = 0; at < file->len; line++) {
    const char *end = memchr(file->text + at, '\n', file->len - at);
    size_t to = end ? (size_t)(end - file->text) : file->len;
    size_t label = label_length(file->text + at, to - at);
    if (label)
      add_program(file, file->text + at, label - 1, at + label, to, line, label + 1);
    else if (file->programs.n && to > at && strspn(file->text + at, " \t\r") < to - at &&
             file->text[at] != ';')
      other = true;
    at = to + 1;
  }
  if (file->programs.n == 0) {
    add_program(file, "0", 1, 0, file->len, 1, 1);
    return true;
  }
  if (!other)
    return true;
  return as_err_set(err, AS_BAD_INPUT, "%s: some lines are `NUMBER: PROGRAM` and some are not",
                    file->path);
}

/* ---- the table of extents: config, tensor, kind, dims; the first may be missing */
static bool read_dims(const char *text, trinity_shape *shape) {
  char *end;
  while (*text) {
    if (shape->rank == TRINITY_MOST_AXES)
      return false;
    shape->dim[shape->rank] = strtol(text, &end, 10);
    if (end == text || shape->dim[shape->rank] < 0)
      return false;
    shape->rank++;
    text = end;
    while (*text == ' ' || *text == '\r')
      text++;
  }
  return true;
}

static bool read_row(as_trinity *file, char *line, bool with_config, as_err *err) {
  char *field[4] = {"", NULL, NULL, NULL};
  uint32_t n = with_config ? 0 : 1;
  for (char *at = line; at && n < 4; n++) {
    field[n] = at;
    at = strchr(at, '\t');
    if (at)
      *at++ = 0;
  }
  trinity_shape shape = {.config = as_arena_strdup(file->mem, field[0])};
  if (n < 4 || !read_dims(field[3], &shape))
    return as_err_set(err, AS_BAD_INPUT, "the table of extents has a malformed row: %s", line);
  shape.name = as_arena_strdup(file->mem, field[1]);
  shape.kind = strcmp(field[2], "input") == 0    ? TRINITY_INPUT
               : strcmp(field[2], "output") == 0 ? TRINITY_OUTPUT
                                                 : TRINITY_TENSOR;
  as_vec_push(&file->shapes, &shape);
  return true;
}

static bool read_table(as_trinity *file, const char *path, as_err *err) {
  size_t len;
  char *text = as_read_file(path, &len, err);
  bool ok = text != NULL;
  bool with_config = ok && strncmp(text, "config\t", 7) == 0;
  bool first = true;
  for (char *line = text; ok && line && *line; first = false) {
    char *next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    if (!first && *line)
      ok = read_row(file, line, with_config, err);
    line = next;
  }
  free(text);
  return ok;
}

static char *find_table(const char *path) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) : 1;
  char *beside = as_format("%.*s/shapes.tsv", folder, slash ? path : ".");
  if (as_exists(beside))
    return beside;
  free(beside);
  return as_format("%.*s/../shapes.tsv", folder, slash ? path : ".");
}

as_trinity *as_trinity_read(const char *path, const char *shapes, as_err *err) {
  as_trinity *file = as_calloc(1, sizeof *file);
  file->mem = as_arena_new();
  file->path = as_strdup(path);
  as_vec_init(&file->programs, sizeof(trinity_program));
  as_vec_init(&file->shapes, sizeof(trinity_shape));
  char *table = shapes ? as_strdup(shapes) : find_table(path);
  file->text = as_read_file(path, &file->len, err);
  bool ok = file->text != NULL && split(file, err) && read_table(file, table, err);
  free(table);
  if (ok)
    return file;
  as_trinity_free(file);
  return NULL;
}

void as_trinity_free(as_trinity *file) {
  if (file == NULL)
    return;
  as_vec_clear(&file->programs);
  as_vec_clear(&file->shapes);
  as_arena_free(file->mem);
  free(file->path);
  free(file->text);
  free(file);
}

size_t as_trinity_count(const as_trinity *file) {
  return file->programs.n;
}

const char *as_trinity_label(const as_trinity *file, size_t i) {
  return AS_VEC_AT(&file->programs, trinity_program, i).label;
}

/* ---- the row of the format */
static void *format_read(const char *path, const as_import_tile_options *options, as_err *err) {
  return as_trinity_read(path, options->shapes, err);
}

static void format_free(void *file) {
  as_trinity_free(file);
}

static size_t format_count(const void *file) {
  return as_trinity_count(file);
}

static const char *format_label(const void *file, size_t index) {
  return as_trinity_label(file, index);
}

static as_trinity_scratch scratch_of(const as_import_tile_options *options) {
  return as_trinity_scratch_named(options->scratch ? options->scratch : "global");
}

/* A given program is one before any code is generated from it. */
static char *format_tile(const void *file, size_t index, const as_import_tile_options *options,
                         bool given, char **where, as_err *err) {
  as_trinity_scratch scratch = scratch_of(options);
  if (where)
    *where = as_strdup("");
  if (given && scratch == AS_TRINITY_GENERATOR)
    scratch = AS_TRINITY_GLOBAL;
  as_trinity_options own = {scratch, options->config, given ? "given_" : ""};
  return as_trinity_tile(file, index, &own, err);
}

static const char *format_reading(const as_import_tile_options *options) {
  return as_trinity_scratch_text(scratch_of(options));
}

const as_import_tile_format as_trinity_format = {"trinity",   ".tir",         format_read,
                                                 format_free, format_count,   format_label,
                                                 format_tile, format_reading, NULL};

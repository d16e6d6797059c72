/* The operators and functions known, and the files they came from. */
#include "../base/stats.h"
#include "oplib_int.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void as_attr_init(as_attr *attr) {
  attr->is_size = true;
  attr->size = 0;
  mpq_init(attr->num);
}

void as_attr_clear(as_attr *attr) {
  mpq_clear(attr->num);
}

void as_attr_set(as_attr *out, const as_attr *in) {
  out->is_size = in->is_size;
  out->size = in->size;
  mpq_set(out->num, in->num);
}

as_oplib *as_oplib_new(void) {
  as_oplib *lib = as_calloc(1, sizeof *lib);
  lib->mem = as_arena_new();
  as_vec_init(&lib->op, sizeof(as_opdef *));
  as_vec_init(&lib->func, sizeof(as_func *));
  as_vec_init(&lib->file, sizeof(char *));
  as_vec_init(&lib->source, sizeof(as_source));
  as_vec_init(&lib->num, sizeof(as_oplib_num));
  return lib;
}

void as_oplib_free(as_oplib *lib) {
  if (lib == NULL)
    return;
  for (size_t i = 0; i < lib->num.n; i++) {
    as_oplib_num n = AS_VEC_AT(&lib->num, as_oplib_num, i);
    if (n.is_attr)
      as_attr_clear(n.at);
    else
      mpq_clear(((as_expr *)n.at)->num);
  }
  as_vec_clear(&lib->op);
  as_vec_clear(&lib->func);
  as_vec_clear(&lib->file);
  as_vec_clear(&lib->source);
  as_vec_clear(&lib->num);
  as_arena_free(lib->mem);
  free(lib);
}

as_expr *as_oplib_new_expr(as_oplib *lib, as_ekind kind, uint32_t nkids, const as_token *token) {
  as_expr *expr = as_arena_alloc(lib->mem, sizeof *expr);
  expr->kind = kind;
  expr->n = nkids;
  expr->kid = as_arena_alloc(lib->mem, nkids * sizeof *expr->kid);
  expr->line = token->line;
  expr->col = token->col;
  mpq_init(expr->num);
  as_vec_push(&lib->num, &(as_oplib_num){false, expr});
  return expr;
}

void as_oplib_keep_attr(as_oplib *lib, as_attr *attr) {
  as_attr_init(attr);
  as_vec_push(&lib->num, &(as_oplib_num){true, attr});
}

void as_oplib_read_as(as_oplib *lib, as_reader reader) {
  lib->reader = reader;
}

void as_oplib_new_candidate(as_oplib *lib) {
  size_t n[3] = {0, 0, 0};
  for (size_t i = 0; i < lib->op.n; i++) {
    as_opdef *op = AS_VEC_AT(&lib->op, as_opdef *, i);
    if (op->reader != AS_READ_CANDIDATE)
      AS_VEC_AT(&lib->op, as_opdef *, n[0]++) = op;
  }
  for (size_t i = 0; i < lib->func.n; i++) {
    as_func *func = AS_VEC_AT(&lib->func, as_func *, i);
    if (func->reader != AS_READ_CANDIDATE)
      AS_VEC_AT(&lib->func, as_func *, n[1]++) = func;
  }
  for (size_t i = 0; i < lib->source.n; i++) {
    if (AS_VEC_AT(&lib->source, as_source, i).reader == AS_READ_CANDIDATE)
      continue;
    AS_VEC_AT(&lib->file, char *, n[2]) = AS_VEC_AT(&lib->file, char *, i);
    AS_VEC_AT(&lib->source, as_source, n[2]++) = AS_VEC_AT(&lib->source, as_source, i);
  }
  lib->op.n = n[0];
  lib->func.n = n[1];
  lib->file.n = lib->source.n = n[2];
  lib->reader = AS_READ_CANDIDATE;
}

as_reader as_oplib_reader(const as_oplib *lib) {
  return lib->reader;
}

const as_opdef *as_oplib_op_of(const as_oplib *lib, as_reader reader, const char *name) {
  for (size_t i = 0; i < lib->op.n; i++) {
    const as_opdef *op = AS_VEC_AT(&lib->op, as_opdef *, i);
    if (op->reader == reader && strcmp(op->name, name) == 0)
      return op;
  }
  return NULL;
}

const as_func *as_oplib_func_of(const as_oplib *lib, as_reader reader, const char *name) {
  for (size_t i = 0; i < lib->func.n; i++) {
    const as_func *func = AS_VEC_AT(&lib->func, as_func *, i);
    if (func->reader == reader && strcmp(func->name, name) == 0)
      return func;
  }
  return NULL;
}

/* whose definitions come first; what nobody nearer defines is known from others too */
static const as_reader orders[AS_N_READERS][AS_N_READERS] = {
    {AS_READ_LIBRARY, AS_READ_LIBRARY, AS_READ_LIBRARY},
    {AS_READ_GIVEN, AS_READ_LIBRARY, AS_READ_CANDIDATE},
    {AS_READ_CANDIDATE, AS_READ_LIBRARY, AS_READ_GIVEN},
};

const as_opdef *as_oplib_find(const as_oplib *lib, const char *name) {
  const as_opdef *op = NULL;
  for (int i = 0; i < AS_N_READERS && op == NULL; i++)
    op = as_oplib_op_of(lib, orders[lib->reader][i], name);
  return op;
}

const as_func *as_oplib_func(const as_oplib *lib, const char *name) {
  const as_func *func = NULL;
  for (int i = 0; i < AS_N_READERS && func == NULL; i++)
    func = as_oplib_func_of(lib, orders[lib->reader][i], name);
  return func;
}

bool as_oplib_knows(const as_oplib *lib, const as_opdef *op) {
  return as_oplib_find(lib, op->name) == op;
}

static bool shadows_op(const as_oplib *lib, const as_opdef *op) {
  bool shadows = false;
  for (as_reader reader = AS_READ_LIBRARY; reader < op->reader; reader++)
    shadows = shadows || as_oplib_op_of(lib, reader, op->name);
  return shadows;
}

static bool shadows_func(const as_oplib *lib, const as_func *func) {
  bool shadows = false;
  for (as_reader reader = AS_READ_LIBRARY; reader < func->reader; reader++)
    shadows = shadows || as_oplib_func_of(lib, reader, func->name);
  return shadows;
}

const char *as_oplib_shadowed(const as_oplib *lib) {
  for (size_t i = 0; i < lib->op.n; i++) {
    const as_opdef *op = AS_VEC_AT(&lib->op, as_opdef *, i);
    if (shadows_op(lib, op))
      return op->name;
  }
  for (size_t i = 0; i < lib->func.n; i++) {
    const as_func *func = AS_VEC_AT(&lib->func, as_func *, i);
    if (shadows_func(lib, func))
      return func->name;
  }
  return NULL;
}

const char *const as_reader_words[AS_N_READERS] = {"", "own ", "candidate's "};

static void add_shadowing(as_str *out, as_reader reader, const char *kind, const char *name,
                          const char *file) {
  as_str_printf(out, "%s%s%s%s (%s)", out->n ? ", " : "", as_reader_words[reader], kind, name,
                as_file_name(file));
}

char *as_oplib_shadowing(const as_oplib *lib) {
  as_str out;
  as_str_init(&out);
  for (size_t i = 0; i < lib->op.n; i++) {
    const as_opdef *op = AS_VEC_AT(&lib->op, as_opdef *, i);
    if (shadows_op(lib, op))
      add_shadowing(&out, op->reader, "", op->name, op->file);
  }
  for (size_t i = 0; i < lib->func.n; i++) {
    const as_func *func = AS_VEC_AT(&lib->func, as_func *, i);
    if (shadows_func(lib, func))
      add_shadowing(&out, func->reader, "func ", func->name, func->file);
  }
  if (out.n)
    return as_str_take(&out);
  as_str_clear(&out);
  return NULL;
}

uint32_t as_oplib_count(const as_oplib *lib) {
  return (uint32_t)lib->op.n;
}

const as_opdef *as_oplib_nth(const as_oplib *lib, uint32_t i) {
  return i < lib->op.n ? AS_VEC_AT(&lib->op, as_opdef *, i) : NULL;
}

const char *const *as_oplib_files(const as_oplib *lib, uint32_t *n) {
  *n = (uint32_t)lib->file.n;
  return lib->file.data;
}

const as_source *as_oplib_sources(const as_oplib *lib, uint32_t *n) {
  *n = (uint32_t)lib->source.n;
  return lib->source.data;
}

uint32_t as_oplib_known_to_all(const as_oplib *lib) {
  uint32_t n = 0;
  while (n < lib->source.n && AS_VEC_AT(&lib->source, as_source, n).reader == AS_READ_LIBRARY)
    n++;
  return n;
}

as_oplib *as_oplib_again(const as_oplib *lib, as_err *err) {
  as_oplib *again = as_oplib_new();
  bool ok = true;
  for (size_t i = 0; ok && i < lib->source.n; i++) {
    const as_source *source = &AS_VEC_AT(&lib->source, as_source, i);
    as_oplib_read_as(again, source->reader);
    ok = as_oplib_parse(again, source->name, source->text, source->len, err);
  }
  as_oplib_read_as(again, lib->reader);
  if (!ok) {
    as_oplib_free(again);
    return NULL;
  }
  return again;
}

const char *as_oplib_suggest(const as_oplib *lib, const char *name) {
  as_nearest nearest = {name, NULL, 0};
  for (size_t i = 0; i < lib->op.n; i++)
    as_nearest_try(&nearest, AS_VEC_AT(&lib->op, as_opdef *, i)->name);
  return nearest.best;
}

bool as_oplib_load(as_oplib *lib, const char *path, as_err *err) {
  char *real = realpath(path, NULL);
  for (size_t i = 0; i < lib->source.n && real; i++) {
    const as_source *source = &AS_VEC_AT(&lib->source, as_source, i);
    bool known = source->reader == AS_READ_LIBRARY || source->reader == lib->reader;
    char *other = known ? realpath(source->name, NULL) : NULL;
    bool same = other && strcmp(other, real) == 0;
    free(other);
    if (same) {
      free(real);
      return true;
    }
  }
  free(real);
  size_t len;
  char *text = as_read_file(path, &len, err);
  if (text == NULL)
    return false;
  as_stats_add(AS_STAT_SPECIFICATIONS, 1);
  bool ok = as_oplib_parse(lib, path, text, len, err);
  free(text);
  return ok;
}

bool as_expr_reduces(const as_expr *expr) {
  bool reduces = expr->kind == AS_E_SUM || expr->kind == AS_E_PROD || expr->kind == AS_E_MAXR ||
                 expr->kind == AS_E_MINR;
  for (uint32_t i = 0; i < expr->n && !reduces; i++)
    reduces = expr->kid[i] && as_expr_reduces(expr->kid[i]);
  return reduces;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool as_oplib_load_dir(as_oplib *lib, const char *dir, as_err *err) {
  DIR *d = opendir(dir);
  if (d == NULL)
    return as_err_set(err, AS_BAD_INPUT, "%s: %s", dir, strerror(errno));
  as_vec names;
  as_vec_init(&names, sizeof(char *));
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    size_t n = strlen(e->d_name);
    if (n < 5 || e->d_name[0] == '.' || strcmp(e->d_name + n - 4, ".sem") != 0)
      continue;
    char *path = as_format("%s/%s", dir, e->d_name);
    as_vec_push(&names, &path);
  }
  closedir(d);
  if (names.n)
    qsort(names.data, names.n, sizeof(char *), by_name);
  bool ok = names.n != 0 ||
            as_err_set(err, AS_BAD_INPUT, "%s: holds no operator specifications (*.sem)", dir);
  for (size_t i = 0; i < names.n; i++) {
    ok = ok && as_oplib_load(lib, AS_VEC_AT(&names, char *, i), err);
    free(AS_VEC_AT(&names, char *, i));
  }
  as_vec_clear(&names);
  return ok;
}

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

const as_opdef *as_oplib_find(const as_oplib *lib, const char *name) {
  for (size_t i = 0; i < lib->op.n; i++)
    if (strcmp(AS_VEC_AT(&lib->op, as_opdef *, i)->name, name) == 0)
      return AS_VEC_AT(&lib->op, as_opdef *, i);
  return NULL;
}

const as_func *as_oplib_func(const as_oplib *lib, const char *name) {
  for (size_t i = 0; i < lib->func.n; i++)
    if (strcmp(AS_VEC_AT(&lib->func, as_func *, i)->name, name) == 0)
      return AS_VEC_AT(&lib->func, as_func *, i);
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

as_oplib *as_oplib_again(const as_oplib *lib, as_err *err) {
  as_oplib *again = as_oplib_new();
  bool ok = true;
  for (size_t i = 0; ok && i < lib->source.n; i++) {
    const as_source *source = &AS_VEC_AT(&lib->source, as_source, i);
    ok = as_oplib_parse(again, source->name, source->text, source->len, err);
  }
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
  for (size_t i = 0; i < lib->file.n && real; i++) {
    char *other = realpath(AS_VEC_AT(&lib->file, char *, i), NULL);
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

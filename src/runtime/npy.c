#include "npy.h"
#include "src/base/file.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 6, ALIGNMENT = 64 };

static const char magic[] = "\x93NUMPY";

void as_rt_array_clear(as_rt_array *array) {
  free(array->number);
  *array = (as_rt_array){0};
}

/* --- element types: one row each */

static double f2(const void *at) {
  double number;
  as_rt_decode(AS_F16, at, 1, &number);
  return number;
}

#define READER(name, type)                                                                         \
  static double name(const void *at) {                                                             \
    type value;                                                                                    \
    memcpy(&value, at, sizeof value);                                                              \
    return (double)value;                                                                          \
  }
READER(f4, float)
READER(f8, double)
READER(i1, int8_t)
READER(u1, uint8_t)
READER(i4, int32_t)
READER(i8, int64_t)

static const struct {
  const char *descr; /* without the mark of the byte order */
  size_t size;
  double (*read)(const void *at);
} types[] = {{"f2", 2, f2}, {"f4", 4, f4}, {"f8", 8, f8}, {"i1", 1, i1},
             {"u1", 1, u1}, {"b1", 1, u1}, {"i4", 4, i4}, {"i8", 8, i8}};

enum { N_TYPES = sizeof types / sizeof *types };

/* --- the header: a Python dictionary of descr, fortran_order and shape */

typedef struct {
  const char *at;
  const char *end;
} cursor;

static void skip_blank(cursor *c) {
  while (c->at < c->end && isspace((unsigned char)*c->at))
    c->at++;
}

static bool take(cursor *c, const char *word) {
  skip_blank(c);
  size_t n = strlen(word);
  if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
    return false;
  c->at += n;
  return true;
}

static bool quoted(cursor *c, char *word, size_t most) {
  skip_blank(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
    return false;
  char quote = *c->at++;
  size_t n = 0;
  while (c->at < c->end && *c->at != quote && n + 1 < most)
    word[n++] = *c->at++;
  word[n] = 0;
  return c->at < c->end && *c->at++ == quote;
}

static bool shape(cursor *c, as_rt_array *array) {
  if (!take(c, "("))
    return false;
  array->rank = 0;
  array->count = 1;
  while (!take(c, ")")) {
    skip_blank(c);
    uint64_t extent = 0;
    const char *first = c->at;
    while (c->at < c->end && isdigit((unsigned char)*c->at) && extent < UINT64_C(1) << 40)
      extent = extent * 10 + (uint64_t)(*c->at++ - '0');
    if (c->at == first || array->rank == AS_RT_MAX_RANK)
      return false;
    array->extent[array->rank++] = (int64_t)extent;
    if (extent != 0 && array->count > (UINT64_C(1) << 40) / extent)
      return false;
    array->count *= extent;
    if (!take(c, ",")) {
      skip_blank(c);
      if (c->at == c->end || *c->at != ')')
        return false;
    }
  }
  return true;
}

static bool header(cursor *c, as_rt_array *array, char *descr, size_t most) {
  bool known[3] = {false, false, false};
  if (!take(c, "{"))
    return false;
  while (!take(c, "}")) {
    char key[32];
    if (!quoted(c, key, sizeof key) || !take(c, ":"))
      return false;
    if (strcmp(key, "descr") == 0)
      known[0] = quoted(c, descr, most);
    else if (strcmp(key, "fortran_order") == 0)
      known[1] = take(c, "False");
    else if (strcmp(key, "shape") == 0)
      known[2] = shape(c, array);
    else
      return false;
    take(c, ",");
  }
  return known[0] && known[1] && known[2];
}

static bool decode(const char *path, const char *bytes, size_t len, as_rt_array *array,
                   as_err *err) {
  if (len < 10 || memcmp(bytes, magic, MAGIC_BYTES) != 0)
    return as_err_set(err, AS_BAD_INPUT, "%s: is no .npy file", path);
  const unsigned char *byte = (const unsigned char *)bytes;
  size_t start = byte[6] == 1 ? 10 : 12;
  uint64_t size = (uint64_t)byte[8] | (uint64_t)byte[9] << 8;
  if (byte[6] > 1 && len >= 12)
    size |= (uint64_t)byte[10] << 16 | (uint64_t)byte[11] << 24;
  if (byte[6] < 1 || byte[6] > 3 || len < start || size > len - start)
    return as_err_set(err, AS_BAD_INPUT, "%s: its header is cut off", path);
  cursor c = {bytes + start, bytes + start + size};
  char descr[16];
  if (!header(&c, array, descr, sizeof descr)) {
    return as_err_set(err, AS_BAD_INPUT,
                      "%s: its header is not one of a row-major array of at most %d axes", path,
                      (int)AS_RT_MAX_RANK);
  }
  const char *bare = descr + (descr[0] == '<' || descr[0] == '|' || descr[0] == '=');
  size_t kind = 0;
  while (kind < N_TYPES && strcmp(bare, types[kind].descr) != 0)
    kind++;
  if (kind == N_TYPES)
    return as_err_set(err, AS_BAD_INPUT, "%s: elements of type %s are not read", path, descr);
  if (len - start - size != array->count * types[kind].size)
    return as_err_set(err, AS_BAD_INPUT, "%s: has not as many bytes as its shape says", path);
  const char *data = bytes + start + size;
  array->number = as_malloc((array->count + 1) * sizeof *array->number);
  for (uint64_t i = 0; i < array->count; i++)
    array->number[i] = types[kind].read(data + i * types[kind].size);
  return true;
}

bool as_rt_npy_read(const char *path, as_rt_array *array, as_err *err) {
  *array = (as_rt_array){0};
  size_t len;
  char *bytes = as_read_file(path, &len, err);
  if (bytes == NULL)
    return false;
  bool ok = decode(path, bytes, len, array, err);
  free(bytes);
  return ok;
}

bool as_rt_npy_write(const char *path, const as_rt_port *port, const void *data, as_err *err) {
  as_str text;
  as_str_init(&text);
  const char *descr = port->type == AS_F16 ? "f2" : port->type == AS_INT ? "i4" : "f4";
  as_str_printf(&text, "{'descr': '<%s', 'fortran_order': False, 'shape': (", descr);
  for (uint32_t axis = 0; axis < port->rank; axis++)
    as_str_printf(&text, "%lld,%s", (long long)port->extent[axis],
                  axis + 1 < port->rank ? " " : "");
  as_str_add(&text, "), }");
  while ((MAGIC_BYTES + 4 + text.n + 1) % ALIGNMENT != 0)
    as_str_add(&text, " ");
  as_str_add(&text, "\n");
  as_str file;
  as_str_init(&file);
  as_str_addn(&file, magic, MAGIC_BYTES);
  char version_and_length[4] = {1, 0, (char)(text.n & 255), (char)(text.n >> 8)};
  as_str_addn(&file, version_and_length, sizeof version_and_length);
  as_str_addn(&file, text.s, text.n);
  uint64_t count = as_rt_port_elems(port);
  if (port->type == AS_BF16) {
    for (uint64_t i = 0; i < count; i++) {
      double number;
      as_rt_decode(AS_BF16, (const char *)data + 2 * i, 1, &number);
      float single = (float)number;
      as_str_addn(&file, (const char *)&single, sizeof single);
    }
  } else {
    as_str_addn(&file, data, count * as_rt_type_size(port->type));
  }
  bool ok = as_write_file(path, file.s, file.n, err);
  as_str_clear(&text);
  as_str_clear(&file);
  return ok;
}

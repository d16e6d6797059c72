#include "isa.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/base/vec.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct as_isa {
  as_arena *mem;
  as_vec row;
};

const char *const *as_isa_text_sm_80(void);
const char *const *as_isa_text_sm_90(void);

static const struct {
  const char *name;
  const char *const *(*text)(void);
} targets[] = {{"sm_80", as_isa_text_sm_80}, {"sm_90", as_isa_text_sm_90}};

typedef struct {
  as_isa *isa;
  const char *file;
  const char *text;
  size_t len;
  int line;
  int depth; /* of `use` */
  as_err *err;
} reader;

/* --- layouts */
static void skip_space(const char **at) {
  while (**at == ' ' || **at == '\t')
    (*at)++;
}

static bool read_name(const char **at, char out[AS_LAY_NAME]) {
  size_t n = 0;
  skip_space(at);
  if (!isalpha((unsigned char)**at))
    return false;
  while (isalnum((unsigned char)**at) || **at == '_') {
    if (n + 1 == AS_LAY_NAME)
      return false;
    out[n++] = *(*at)++;
  }
  out[n] = 0;
  return true;
}

static bool read_number(const char **at, uint32_t *out) {
  if (!isdigit((unsigned char)**at))
    return false;
  char *end;
  unsigned long v = strtoul(*at, &end, 10);
  *at = end;
  *out = (uint32_t)v;
  return v <= 0x7fffffff;
}

static bool read_image(const char **at, const as_lay *l, uint32_t *out) {
  *out = 0;
  if (**at == '-') {
    (*at)++;
    return true;
  }
  for (;;) {
    char name[AS_LAY_NAME];
    uint32_t stride;
    unsigned place;
    if (!read_name(at, name) || *(*at)++ != ':' || !read_number(at, &stride))
      return false;
    unsigned bits = as_lay_out(l, name, &place);
    if (!as_lay_has_out(l, name) || (uint64_t)stride >> bits)
      return false;
    *out ^= stride << place;
    if (**at != '+')
      return true;
    (*at)++;
  }
}

static bool read_input(const char **at, as_lay *l) {
  char name[AS_LAY_NAME];
  if (!read_name(at, name))
    return false;
  as_lay_add_in(l, name);
  for (;;) {
    uint32_t image;
    skip_space(at);
    if (**at == '|' || **at == '}')
      return !l->bad;
    if (!read_image(at, l, &image))
      return false;
    as_lay_push(l, image);
  }
}

bool as_lay_parse(const char **at, as_lay *out) {
  as_lay l = as_lay_new();
  skip_space(at);
  if (**at != '{')
    return false;
  (*at)++;
  for (;;) {
    char name[AS_LAY_NAME];
    uint32_t bits;
    skip_space(at);
    if (**at == '|' || **at == '}')
      break;
    if (!read_name(at, name) || *(*at)++ != ':' || !read_number(at, &bits))
      return false;
    as_lay_add_out(&l, name, bits);
  }
  while (**at == '|') {
    (*at)++;
    if (!read_input(at, &l))
      return false;
  }
  if (**at != '}' || l.bad)
    return false;
  (*at)++;
  *out = l;
  return true;
}

/* --- rows */
static bool fail(const reader *r, const char *why) {
  return as_err_at(r->err, r->file, r->text, r->len, r->line, 1, "%s", why);
}

static char *word(const char **at, as_arena *mem) {
  skip_space(at);
  const char *from = *at;
  while (**at && **at != ' ' && **at != '\t')
    (*at)++;
  size_t n = (size_t)(*at - from);
  char *w = as_arena_alloc(mem, n + 1);
  memcpy(w, from, n);
  return w;
}

/* result[i,j] += sum(k) first[i,k] * second[k,j] */
static bool indices(const char **at, char name[AS_LAY_NAME], char index[2][AS_LAY_NAME]) {
  if (!read_name(at, name) || *(*at)++ != '[' || !read_name(at, index[0]) || *(*at)++ != ',' ||
      !read_name(at, index[1]))
    return false;
  return *(*at)++ == ']';
}

static bool literal(const char **at, const char *text) {
  skip_space(at);
  if (strncmp(*at, text, strlen(text)) != 0)
    return false;
  *at += strlen(text);
  return true;
}

static void read_product(as_isa_row *row) {
  as_isa_product p;
  char c[2][AS_LAY_NAME];
  char a[2][AS_LAY_NAME];
  char b[2][AS_LAY_NAME];
  const char *at = row->means;
  memset(&p, 0, sizeof p);
  if (!indices(&at, p.result, c) || !literal(&at, "+=") || !literal(&at, "sum(") ||
      !read_name(&at, p.over) || !literal(&at, ")") || !indices(&at, p.first, a) ||
      !literal(&at, "*") || !indices(&at, p.second, b) || *at)
    return;
  if (strcmp(c[0], a[0]) || strcmp(c[1], b[1]) || strcmp(p.over, a[1]) || strcmp(p.over, b[0]))
    return;
  memcpy(p.row, c[0], sizeof p.row);
  memcpy(p.column, c[1], sizeof p.column);
  p.is = true;
  row->product = p;
}

static bool read_field(reader *r, as_isa_row *row, const char *key, const char *at) {
  as_arena *mem = r->isa->mem;
  if (!strcmp(key, "operand")) {
    if (row->n_operand == AS_ISA_OPERANDS)
      return fail(r, "too many operands");
    as_isa_operand *o = &row->operand[row->n_operand];
    o->name = word(&at, mem);
    o->type = word(&at, mem);
    if (!*o->name || !as_lay_parse(&at, &o->lay))
      return fail(r, "an operand is: operand NAME TYPE {layout}");
    if (as_isa_get_operand(row, o->name))
      return fail(r, "an operand is given twice");
    row->n_operand++;
    return true;
  }
  if (!strcmp(key, "needs")) {
    if (row->n_need == AS_ISA_NEEDS)
      return fail(r, "too many constraints");
    as_isa_need *n = &row->need[row->n_need++];
    char *end;
    n->key = word(&at, mem);
    n->value = strtol(at, &end, 10);
    return (*n->key && end != at && !*end) || fail(r, "a constraint is: needs KEY NUMBER");
  }
  skip_space(&at);
  if (!strcmp(key, "means")) {
    row->means = as_arena_strdup(mem, at);
    read_product(row);
    return true;
  }
  if (!strcmp(key, "text")) {
    row->text = as_arena_strdup(mem, at);
    return true;
  }
  return fail(r, "operand, means, needs, text or end was expected");
}

static bool read_head(reader *r, as_isa_row *row, const char *at) {
  char *end;
  memset(row, 0, sizeof *row);
  row->name = word(&at, r->isa->mem);
  if (!*row->name || strcmp(word(&at, r->isa->mem), "since") != 0)
    return fail(r, "an instruction is: instruction NAME since CAPABILITY cost NUMBER");
  row->since = (unsigned)strtoul(at, &end, 10);
  at = end;
  if (strcmp(word(&at, r->isa->mem), "cost") != 0)
    return fail(r, "an instruction is: instruction NAME since CAPABILITY cost NUMBER");
  row->cost = strtod(at, &end);
  if (end == at || *end)
    return fail(r, "a cost is a number");
  return !as_isa_find(r->isa, row->name) || fail(r, "an instruction is defined twice");
}

static bool read_text(reader *r);

static bool use(reader *r, const char *name) {
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    if (strcmp(targets[i].name, name) != 0)
      continue;
    if (r->depth == 4)
      return fail(r, "targets use each other too deeply");
    as_str s;
    as_str_init(&s);
    for (const char *const *p = targets[i].text(); *p; p++)
      as_str_add(&s, *p);
    reader inner = {.isa = r->isa,
                    .file = targets[i].name,
                    .text = s.s,
                    .len = s.n,
                    .depth = r->depth + 1,
                    .err = r->err};
    bool ok = read_text(&inner);
    as_str_clear(&s);
    return ok;
  }
  return r->line ? fail(r, "no such target in this build")
                 : as_err_set(r->err, AS_BAD_INPUT, "no target %s in this build", name);
}

static bool read_line(reader *r, as_isa_row *row, bool *open, const char *line) {
  const char *at = line;
  skip_space(&at);
  if (!*at || *at == '#')
    return true;
  const char *key = word(&at, r->isa->mem);
  if (!*open && !strcmp(key, "use"))
    return use(r, word(&at, r->isa->mem));
  if (!*open && !strcmp(key, "instruction")) {
    *open = true;
    return read_head(r, row, at);
  }
  if (!*open)
    return fail(r, "instruction or use was expected");
  if (strcmp(key, "end") != 0)
    return read_field(r, row, key, at);
  if (!row->means || !row->text)
    return fail(r, "an instruction without meaning or text");
  as_vec_push(&r->isa->row, row);
  *open = false;
  return true;
}

static bool read_text(reader *r) {
  as_isa_row row;
  bool open = false;
  memset(&row, 0, sizeof row);
  for (size_t at = 0; at < r->len;) {
    const char *eol = memchr(r->text + at, '\n', r->len - at);
    size_t n = eol ? (size_t)(eol - r->text) - at : r->len - at;
    char *line = as_arena_alloc(r->isa->mem, n + 1);
    memcpy(line, r->text + at, n);
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\r'))
      line[--n] = 0;
    r->line++;
    if (!read_line(r, &row, &open, line))
      return false;
    at = eol ? (size_t)(eol - r->text) + 1 : r->len;
  }
  return !open || fail(r, "an instruction without end");
}

static as_isa *isa_new(void) {
  as_isa *isa = as_calloc(1, sizeof *isa);
  isa->mem = as_arena_new();
  as_vec_init(&isa->row, sizeof(as_isa_row));
  return isa;
}

as_isa *as_isa_parse(const char *file, const char *text, size_t len, as_err *err) {
  as_isa *isa = isa_new();
  reader r = {.isa = isa, .file = file, .text = text, .len = len, .err = err};
  if (read_text(&r))
    return isa;
  as_isa_free(isa);
  return NULL;
}

as_isa *as_isa_load(const char *target, as_err *err) {
  as_isa *isa = isa_new();
  reader r = {.isa = isa, .file = target, .text = "", .len = 0, .err = err};
  if (use(&r, target))
    return isa;
  as_isa_free(isa);
  return NULL;
}

void as_isa_free(as_isa *isa) {
  if (!isa)
    return;
  as_vec_clear(&isa->row);
  as_arena_free(isa->mem);
  free(isa);
}

unsigned as_isa_count(const as_isa *isa) {
  return (unsigned)isa->row.n;
}

const as_isa_row *as_isa_nth(const as_isa *isa, unsigned i) {
  return &AS_VEC_AT(&isa->row, as_isa_row, i);
}

const as_isa_row *as_isa_find(const as_isa *isa, const char *name) {
  for (unsigned i = 0; i < as_isa_count(isa); i++) {
    const as_isa_row *row = as_isa_nth(isa, i);
    if (!strcmp(row->name, name))
      return row;
  }
  return NULL;
}

const as_isa_operand *as_isa_get_operand(const as_isa_row *row, const char *operand) {
  for (unsigned i = 0; i < row->n_operand; i++) {
    if (!strcmp(row->operand[i].name, operand))
      return &row->operand[i];
  }
  return NULL;
}

const as_lay *as_isa_layout(const as_isa_row *row, const char *operand) {
  const as_isa_operand *o = as_isa_get_operand(row, operand);
  return o ? &o->lay : NULL;
}

long as_isa_needs(const as_isa_row *row, const char *key) {
  for (unsigned i = 0; i < row->n_need; i++) {
    if (!strcmp(row->need[i].key, key))
      return row->need[i].value;
  }
  return 0;
}

/* The text of thread graphs.  Both directions go by the tables of graph.h: an operation is its kind
 * and its fields as key=value. */
#include "graph.h"
#include "src/base/str.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  char type;
  size_t at;
} fields[] = {

#define F(id, type, member) {#member, type, offsetof(as_tg_op, member)},
    AS_TG_FIELDS(F)
#undef F
};

static const char *const types[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};

static void print_expr(as_str *s, const as_tg_expr *e) {
  if (e->op == AS_TGS_ARG) {
    as_str_printf(s, "$%u", e->arg);
    return;
  }
  if (e->op == AS_TGS_NUM) {
    as_str_add(s, e->num);
    return;
  }
  as_str_printf(s, "%s(", as_tg_scalar_name(e->op));
  for (unsigned i = 0; i < as_tg_scalar_arity(e->op); i++) {
    as_str_add(s, i ? "," : "");
    print_expr(s, e->kid[i]);
  }
  as_str_add(s, ")");
}

static void print_lay(as_str *s, const as_lay *l) {
  char *t = as_lay_print(l);
  as_str_add(s, t);
  free(t);
}

static void print_args(as_str *s, const as_tg *g, const as_tg_op *op) {
  as_str_add(s, "(");
  for (int i = 0; i < op->n_arg; i++) {
    as_str_printf(s, "%s%s", i ? ", " : "", as_tg_value_name(g, op->arg[i]));
    print_lay(s, &op->arg_map[i]);
  }
  as_str_add(s, ")");
}

static void print_pred(as_str *s, const as_tg_op *op) {
  for (unsigned i = 0; i < AS_TG_AXES; i++)
    as_str_printf(s, "%s%ld", i ? "," : "", op->pred[i]);
}

static void print_field(as_str *s, const as_tg *g, const as_tg_op *op, unsigned f) {
  const char *at = (const char *)op + fields[f].at;
  int number;
  as_str_printf(s, " %s=", fields[f].name);
  switch (fields[f].type) {
  case 'N':
    as_str_add(s, at);
    return;
  case 'L':
    print_lay(s, (const as_lay *)(const void *)at);
    return;
  case 'E':
    print_expr(s, *(as_tg_expr *const *)(const void *)at);
    return;
  case 'C':
    as_str_add(s, op->instr);
    return;
  case 'X':
    print_args(s, g, op);
    return;
  case 'P':
    print_pred(s, op);
    return;
  default:
    break;
  }
  memcpy(&number, at, sizeof number);
  switch (fields[f].type) {
  case 'V':
    as_str_add(s, as_tg_value_name(g, number));
    break;
  case 'T':
    as_str_add(s, g->tile[number].name);
    break;
  case 'B':
    as_str_add(s, g->buffer[number].name);
    break;
  case 'M':
    as_str_add(s, g->barrier[number].name);
    break;
  case 'D':
    as_str_add(s, types[number]);
    break;
  case 'O':
    as_str_add(s, number == AS_TG_SUM ? "add" : "max");
    break;
  default:
    as_str_printf(s, "%d", number);
    break;
  }
}

static void print_body(as_str *s, const as_tg *g, const as_tg_op *in, int indent) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    as_str_printf(s, "%*s%c %s", indent, "", op->who, as_tg_kind_name(op->kind));
    for (unsigned f = 0; f < AS_TGF_END; f++) {
      if (as_tg_has_field(op, f))
        print_field(s, g, op, f);
    }
    as_str_add(s, "\n");
    if (as_tg_has_body(op->kind)) {
      print_body(s, g, op, indent + 2);
      as_str_printf(s, "%*send\n", indent, "");
    }
  }
}

char *as_tg_print(const as_tg *g) {
  as_str s;
  as_str_init(&s);
  as_str_printf(&s, "threads %s warps=%u producer=%d trip=%d stages=%d\n", g->name, g->warp_bits,
                g->producer, g->trip, g->stages);
  if (g->limit) {
    as_str_printf(&s, "limit per=%d expr=", g->per);
    print_expr(&s, g->limit);
    as_str_add(&s, "\n");
  }
  if (g->compute_registers)
    as_str_printf(&s, "registers compute=%d copy=%d\n", g->compute_registers, g->copy_registers);
  if (g->reversed || g->together)
    as_str_printf(&s, "blocks reversed=%u together=%d\n", g->reversed, g->together);
  for (unsigned i = 0; i < g->n_tile; i++) {
    const as_tg_tile *t = &g->tile[i];
    as_str_printf(&s, "tile %s %s %s", t->name, types[t->type], t->output ? "output" : "input");
    if (t->origin)
      as_str_printf(&s, " origin=%ld", t->origin);
    as_str_add(&s, "\n");
    for (unsigned j = 0; j < t->n_axis; j++) {
      const as_tg_axis *a = &t->axis[j];
      as_str_printf(&s, "  axis %s bits=%u live=%ld stride=%ld grid=%d step=%ld loop=%ld\n",
                    a->name, a->bits, a->live, a->stride, a->grid, a->grid_step, a->loop_step);
    }
  }
  for (unsigned i = 0; i < g->n_buffer; i++) {
    const as_tg_buffer *b = &g->buffer[i];
    as_str_printf(&s, "shared %s elem=%u bits=%u stages=%u base=%ld\n", b->name, b->elem, b->bits,
                  b->stages, b->base);
  }
  for (unsigned i = 0; i < g->n_barrier; i++)
    as_str_printf(&s, "mbarrier %s count=%u\n", g->barrier[i].name, g->barrier[i].count);
  as_str_add(&s, "body\n");
  print_body(&s, g, &g->top, 2);
  as_str_add(&s, "end\n");
  return as_str_take(&s);
}

/* --- parsing */
typedef struct {
  as_tg *g;
  const char *file;
  const char *text;
  size_t len;
  const char *next; /* line not yet read */
  char *line;
  const char *at;
  int number;
  int depth;
  as_err *err;
} reader;

static bool fail(reader *r, const char *why) {
  return as_err_at(r->err, r->file, r->text, r->len, r->number, (int)(r->at - r->line) + 1, "%s",
                   why);
}

static bool next_line(reader *r) {
  while (r->next < r->text + r->len) {
    size_t left = r->len - (size_t)(r->next - r->text);
    const char *eol = memchr(r->next, '\n', left);
    size_t n = eol ? (size_t)(eol - r->next) : left;
    r->line = as_arena_alloc(r->g->mem, n + 1);
    memcpy(r->line, r->next, n);
    r->at = r->line;
    r->next += n + (eol ? 1 : 0);
    r->number++;
    while (*r->at == ' ')
      r->at++;
    if (*r->at && *r->at != '#')
      return true;
  }
  r->line = as_arena_alloc(r->g->mem, 1);
  r->at = r->line;
  return false;
}

static const char *word(reader *r) {
  while (*r->at == ' ')
    r->at++;
  const char *from = r->at;
  while (*r->at && !strchr(" ={}(),", *r->at))
    r->at++;
  size_t n = (size_t)(r->at - from);
  char *w = as_arena_alloc(r->g->mem, n + 1);
  memcpy(w, from, n);
  return w;
}

static bool expect(reader *r, const char *text) {
  while (*r->at == ' ')
    r->at++;
  if (strncmp(r->at, text, strlen(text)) != 0)
    return fail(r, "something else was expected here");
  r->at += strlen(text);
  return true;
}

static bool integer(reader *r, long *out) {
  char *end;
  errno = 0;
  *out = strtol(r->at, &end, 10);
  if (end == r->at || errno || *out > (long)1 << 40 || *out < -((long)1 << 40))
    return fail(r, "a number was expected");
  r->at = end;
  return true;
}

/* nothing but a comment is left of the line */
static bool at_end(reader *r) {
  while (*r->at == ' ')
    r->at++;
  return *r->at == 0 || *r->at == '#';
}

static bool keyed(reader *r, const char *key, long least, long most, long *out) {
  if (!expect(r, key) || !expect(r, "=") || !integer(r, out))
    return false;
  return (*out >= least && *out <= most) || fail(r, "a number out of range");
}

static bool read_type(reader *r, int *out) {
  const char *w = word(r);
  for (int i = 0; i < 3; i++) {
    if (!strcmp(w, types[i])) {
      *out = i;
      return true;
    }
  }
  return fail(r, "an element type was expected");
}

static bool axis_name(reader *r, char out[AS_LAY_NAME]) {
  const char *w = word(r);
  if (strlen(w) >= AS_LAY_NAME)
    return fail(r, "the name of an axis has at most seven characters");
  memset(out, 0, AS_LAY_NAME);
  memcpy(out, w, strlen(w));
  return true;
}

static bool read_axis(reader *r, as_tg_tile *t) {
  long v[6];
  if (t->n_axis == AS_TG_AXES)
    return fail(r, "too many axes");
  as_tg_axis *a = &t->axis[t->n_axis];
  if (!axis_name(r, a->name) || !keyed(r, "bits", 0, 24, &v[0]) ||
      !keyed(r, "live", 1, 1 << 24, &v[1]) || !keyed(r, "stride", 0, (long)1 << 40, &v[2]) ||
      !keyed(r, "grid", -1, 2, &v[3]) || !keyed(r, "step", 0, (long)1 << 40, &v[4]) ||
      !keyed(r, "loop", 0, (long)1 << 40, &v[5]))
    return false;
  a->bits = (unsigned)v[0];
  a->live = v[1];
  a->stride = v[2];
  a->grid = (int)v[3];
  a->grid_step = v[4];
  a->loop_step = v[5];
  t->n_axis++;
  return true;
}

static bool read_tile(reader *r) {
  as_tg *g = r->g;
  int type;
  if (g->n_tile == sizeof g->tile / sizeof *g->tile)
    return fail(r, "too many tiles");
  as_tg_tile *t = &g->tile[g->n_tile];
  t->name = word(r);
  if (!read_type(r, &type))
    return false;
  t->type = (as_dtype)type;
  const char *way = word(r);
  t->output = !strcmp(way, "output");
  if (!t->output && strcmp(way, "input") != 0)
    return fail(r, "a tile is input or output");
  if (!at_end(r) && !keyed(r, "origin", 0, (long)1 << 40, &t->origin))
    return false;
  g->n_tile++;
  return true;
}

static bool read_buffer(reader *r) {
  as_tg *g = r->g;
  long v[4];
  if (g->n_buffer == sizeof g->buffer / sizeof *g->buffer)
    return fail(r, "too many buffers");
  as_tg_buffer *b = &g->buffer[g->n_buffer];
  b->name = word(r);
  if (!keyed(r, "elem", 2, 4, &v[0]) || !keyed(r, "bits", 0, 20, &v[1]) ||
      !keyed(r, "stages", 1, 64, &v[2]) || !keyed(r, "base", 0, 1 << 24, &v[3]))
    return false;
  if (v[0] == 3)
    return fail(r, "elements have two or four bytes");
  b->elem = (unsigned)v[0];
  b->bits = (unsigned)v[1];
  b->stages = (unsigned)v[2];
  b->base = v[3];
  g->n_buffer++;
  return true;
}

static bool read_barrier(reader *r) {
  as_tg *g = r->g;
  long count;
  if (g->n_barrier == sizeof g->barrier / sizeof *g->barrier)
    return fail(r, "too many barriers");
  g->barrier[g->n_barrier].name = word(r);
  if (!keyed(r, "count", 1, 64, &count))
    return false;
  g->barrier[g->n_barrier++].count = (unsigned)count;
  return true;
}

static bool read_expr(reader *r, as_tg_expr **out) {
  const char *w = word(r);
  if (++r->depth > 64)
    return fail(r, "an expression is nested too deeply");
  if (*w == '$' && isdigit((unsigned char)w[1]) && strlen(w) < 4) {
    *out = as_tg_expr_arg(r->g, (unsigned)atoi(w + 1));
  } else if (isdigit((unsigned char)*w) || *w == '-') {
    *out = as_tg_expr_num(r->g, w);
  } else {
    as_tg_scalar op = AS_TGS_COUNT;
    as_tg_expr *kid[3] = {NULL, NULL, NULL};
    for (as_tg_scalar i = 0; i < AS_TGS_COUNT; i++) {
      if (as_tg_scalar_arity(i) && !strcmp(as_tg_scalar_name(i), w))
        op = i;
    }
    if (op == AS_TGS_COUNT)
      return fail(r, "no such function");
    for (unsigned i = 0; i < as_tg_scalar_arity(op); i++) {
      if (!expect(r, i ? "," : "(") || !read_expr(r, &kid[i]))
        return false;
    }
    if (!expect(r, ")"))
      return false;
    *out = as_tg_expr_new(r->g, op, kid[0], kid[1]);
    (*out)->kid[2] = kid[2];
  }
  r->depth--;
  return true;
}

static bool read_lay(reader *r, as_lay *out) {
  return as_lay_parse(&r->at, out) || fail(r, "a layout was expected");
}

static bool read_args(reader *r, as_tg_op *op) {
  if (!expect(r, "("))
    return false;
  while (*r->at != ')') {
    if (op->n_arg == AS_TG_ARGS)
      return fail(r, "too many operands");
    if (op->n_arg && !expect(r, ","))
      return false;
    op->arg[op->n_arg] = as_tg_value(r->g, word(r));
    if (!read_lay(r, &op->arg_map[op->n_arg]))
      return false;
    op->n_arg++;
  }
  return expect(r, ")");
}

static bool read_pred(reader *r, as_tg_op *op) {
  for (unsigned i = 0; i < AS_TG_AXES; i++) {
    if ((i && !expect(r, ",")) || !integer(r, &op->pred[i]))
      return false;
  }
  return true;
}

static int lookup(reader *r, char type, const char *w) {
  const as_tg *g = r->g;
  for (unsigned i = 0; type == 'T' && i < g->n_tile; i++) {
    if (!strcmp(g->tile[i].name, w))
      return (int)i;
  }
  for (unsigned i = 0; type == 'B' && i < g->n_buffer; i++) {
    if (!strcmp(g->buffer[i].name, w))
      return (int)i;
  }
  for (unsigned i = 0; type == 'M' && i < g->n_barrier; i++) {
    if (!strcmp(g->barrier[i].name, w))
      return (int)i;
  }
  return -1;
}

static bool read_number_field(reader *r, as_tg_op *op, unsigned f) {
  int number = -1;
  long v;
  const char *w;
  switch (fields[f].type) {
  case 'V':
    w = word(r);
    number = *w ? as_tg_value(r->g, w) : -1;
    break;
  case 'T':
  case 'B':
  case 'M':
    number = lookup(r, fields[f].type, word(r));
    break;
  case 'D':
    if (!read_type(r, &number))
      return false;
    break;
  case 'O':
    w = word(r);
    number = !strcmp(w, "add") ? AS_TG_SUM : !strcmp(w, "max") ? AS_TG_MAXIMUM : -1;
    break;
  default:
    if (!integer(r, &v) || v < -(1 << 24) || v > 1 << 24)
      return fail(r, "a number out of range");
    number = (int)v;
    memcpy((char *)op + fields[f].at, &number, sizeof number);
    return true;
  }
  memcpy((char *)op + fields[f].at, &number, sizeof number);
  return number >= 0 || fail(r, "an unknown name");
}

static bool read_field(reader *r, as_tg_op *op, unsigned f) {
  char *at = (char *)op + fields[f].at;
  switch (fields[f].type) {
  case 'N':
    return axis_name(r, at);
  case 'L':
    return read_lay(r, (as_lay *)(void *)at);
  case 'E':
    return read_expr(r, (as_tg_expr **)(void *)at);
  case 'C':
    op->instr = word(r);
    return true;
  case 'X':
    return read_args(r, op);
  case 'P':
    return read_pred(r, op);
  default:
    return read_number_field(r, op, f);
  }
}

static bool read_op(reader *r, as_tg_op *in, as_tg_op **out) {
  char who = *r->at;
  if (!strchr("cpa", who) || r->at[1] != ' ')
    return fail(r, "an operation begins with c, p or a: who executes it");
  r->at += 2;
  const char *name = word(r);
  as_tg_kind kind = AS_TG_KIND_COUNT;
  for (as_tg_kind i = 0; i < AS_TG_KIND_COUNT; i++) {
    if (!strcmp(as_tg_kind_name(i), name))
      kind = i;
  }
  if (kind == AS_TG_KIND_COUNT)
    return fail(r, "no such operation");
  as_tg_op *op = *out = as_tg_add(r->g, in, kind, who);
  uint64_t missing = as_tg_fields(kind);
  uint64_t optional = AS_TG_OPTIONAL;
  for (;;) {
    while (*r->at == ' ')
      r->at++;
    if (!*r->at)
      break;
    const char *key = word(r);
    unsigned f = 0;
    while (f < AS_TGF_END && strcmp(fields[f].name, key) != 0)
      f++;
    if (f == AS_TGF_END || !((missing | optional) >> f & 1))
      return fail(r, "not a field of this operation, or given twice");
    missing &= ~((uint64_t)1 << f);
    optional &= ~((uint64_t)1 << f);
    if (!expect(r, "=") || !read_field(r, op, f))
      return false;
  }
  return !missing || fail(r, "a field of this operation is missing");
}

static bool read_body(reader *r, as_tg_op *in, int depth) {
  while (next_line(r)) {
    as_tg_op *op = NULL;
    if (!strcmp(r->at, "end"))
      return true;
    if (depth > 3)
      return fail(r, "loops are nested too deeply");
    if (!read_op(r, in, &op))
      return false;
    if (as_tg_has_body(op->kind) && !read_body(r, op, depth + 1))
      return false;
  }
  return fail(r, "an end is missing");
}

static bool read_limit(reader *r) {
  long per;
  if (r->g->limit)
    return fail(r, "two limits");
  if (!keyed(r, "per", 1, 1 << 20, &per) || !expect(r, "expr") || !expect(r, "=") ||
      !read_expr(r, &r->g->limit))
    return false;
  r->g->per = (int)per;
  return true;
}

static bool read_registers(reader *r) {
  long compute;
  long copy;
  if (!keyed(r, "compute", 24, 256, &compute) || !keyed(r, "copy", 24, 256, &copy))
    return false;
  r->g->compute_registers = (int)compute;
  r->g->copy_registers = (int)copy;
  return true;
}

static bool read_order(reader *r) {
  long reversed;
  long together;
  if (!keyed(r, "reversed", 0, 7, &reversed) || !keyed(r, "together", 0, 1 << 24, &together))
    return false;
  r->g->reversed = (unsigned)reversed;
  r->g->together = (int)together;
  return true;
}

static bool read_graph(reader *r) {
  as_tg *g = r->g;
  long v[4];
  if (!next_line(r) || !expect(r, "threads "))
    return fail(r, "a thread graph begins with: threads NAME");
  g->name = word(r);
  if (!keyed(r, "warps", 0, 4, &v[0]) || !keyed(r, "producer", 0, 1, &v[1]) ||
      !keyed(r, "trip", 0, 1 << 20, &v[2]) || !keyed(r, "stages", 1, 64, &v[3]))
    return false;
  g->warp_bits = (unsigned)v[0];
  g->producer = v[1];
  g->trip = (int)v[2];
  g->stages = (int)v[3];
  while (next_line(r)) {
    const char *w = word(r);
    if (!strcmp(w, "body"))
      return read_body(r, &g->top, 0);
    bool ok = !strcmp(w, "tile")                ? read_tile(r)
              : !strcmp(w, "axis") && g->n_tile ? read_axis(r, &g->tile[g->n_tile - 1])
              : !strcmp(w, "shared")            ? read_buffer(r)
              : !strcmp(w, "mbarrier")          ? read_barrier(r)
              : !strcmp(w, "limit")             ? read_limit(r)
              : !strcmp(w, "blocks")            ? read_order(r)
              : !strcmp(w, "registers")         ? read_registers(r)
                                                : fail(r, "an unknown line");
    if (!ok)
      return false;
  }
  return fail(r, "a thread graph without body");
}

as_tg *as_tg_parse(const char *file, const char *text, size_t len, as_err *err) {
  reader r = {.g = as_tg_new(""), .file = file, .text = text, .len = len, .next = text, .err = err};
  if (read_graph(&r))
    return r.g;
  as_tg_free(r.g);
  return NULL;
}

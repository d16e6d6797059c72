/* CUDA text of a thread graph.  Nothing is decided here: registers are arrays with constant
 * indices, addresses are the graph's maps printed as shifts, ands and xors, instructions are calls
 * of the functions that wrappers.c makes of their texts. */
#include "emit.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void as_emit_line(as_emitter *E, const char *fmt, ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *text = as_malloc((size_t)(n < 0 ? 0 : n) + 1);
  if (n < 0 || vsnprintf(text, (size_t)n + 1, fmt, again) != n)
    E->failed = true;
  else
    as_str_printf(&E->out, "%*s%s\n", 2 * E->indent, "", text);
  va_end(again);
  free(text);
}

static const char *type_name(int type) {
  return type == AS_F16 ? "f16" : "bf16";
}

/* --- registers */
static void declare(as_emitter *E, int v) {
  if (E->declared[v])
    return;
  E->declared[v] = true;
  bool wide = E->type[v] == AS_F32;
  bool whole = E->type[v] == AS_INT;
  as_emit_line(E, "%s %s_[%u];",
               wide    ? "float"
               : whole ? "int"
                       : "unsigned",
               as_tg_value_name(E->g, v), wide || whole ? E->regs[v] : E->regs[v] / 2);
}

static char *element_of(const as_emitter *E, int v, uint32_t r) {
  const char *n = as_tg_value_name(E->g, v);
  if (E->type[v] == AS_F32 || E->type[v] == AS_INT)
    return as_format("%s_[%u]", n, r);
  return as_format("at_%s_%s(%s_[%u])", r & 1 ? "hi" : "lo", type_name(E->type[v]), n, r / 2);
}

static char *registers(const as_emitter *E, int v, uint32_t first, unsigned n) {
  as_str s;
  as_str_init(&s);
  for (unsigned i = 0; i < n; i++)
    as_str_printf(&s, "%s%s_[%u]", i ? ", " : "", as_tg_value_name(E->g, v), first + i);
  return as_str_take(&s);
}

static void set_type(as_emitter *E, int v, int type, unsigned bits) {
  E->type[v] = type;
  E->regs[v] = 1u << bits;
}

static void types(as_emitter *E, const as_tg_op *in) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    const as_isa_row *row;
    switch (op->kind) {
    case AS_TG_LDMATRIX:
      row = as_isa_find(E->isa, op->instr);
      set_type(E, op->v, AS_F16,
               as_lay_in(as_isa_layout(row, "r"), "reg", NULL) + as_lay_in(&op->src, "u", NULL));
      break;
    case AS_TG_LDG:
      set_type(E, op->v, (int)E->g->tile[op->tile].type,
               (unsigned)op->vec + as_lay_in(&op->src, "u", NULL));
      break;
    case AS_TG_LDS:
      set_type(E, op->v, E->exchanged[op->buf], (unsigned)op->vec + as_lay_in(&op->src, "u", NULL));
      break;
    case AS_TG_STS:
      E->exchanged[op->buf] = E->type[op->a];
      break;
    case AS_TG_ZERO:
      set_type(E, op->v, AS_F32, (unsigned)op->bits);
      break;
    case AS_TG_MAP:
      set_type(E, op->v, op->type, (unsigned)op->bits);
      break;
    case AS_TG_FILL:
      set_type(E, op->v, AS_F32, as_lay_in(&op->src, "u", NULL));
      break;
    case AS_TG_INDEX:
      set_type(E, op->v, AS_INT, as_lay_in(&op->src, "u", NULL));
      break;
    case AS_TG_RED:
      set_type(E, op->v, AS_F32, as_lay_in_bits(&op->src));
      break;
    default:
      break;
    }
    types(E, op);
  }
}

/* the 16-bit type of what lies in a buffer is its tile's */
typedef struct {
  int type[16];
} buffer_types;

static void find_buffer_types(void *arg, as_tg_op *op) {
  void **pair = arg;
  const as_tg *g = pair[0];
  buffer_types *t = pair[1];
  if (op->kind == AS_TG_CPASYNC || op->kind == AS_TG_BULK)
    t->type[op->buf] = (int)g->tile[op->tile].type;
}

static void set_matrix_types(as_emitter *E, const as_tg_op *in, const buffer_types *t) {
  for (unsigned i = 0; i < in->n_body; i++) {
    if (in->body[i]->kind == AS_TG_LDMATRIX)
      E->type[in->body[i]->v] = t->type[in->body[i]->buf];
    set_matrix_types(E, in->body[i], t);
  }
}

static char *map_element(as_emitter *E, const as_tg_op *op, uint32_t r) {
  char *arg[AS_TG_ARGS];
  E->element = r;
  for (int i = 0; i < op->n_arg; i++)
    arg[i] = element_of(E, op->arg[i], as_lay_image(&op->arg_map[i], r));
  char *t = as_emit_scalar(E, op, op->expr, arg);
  for (int i = 0; i < op->n_arg; i++)
    free(arg[i]);
  return t;
}

/* a product of whole registers of one 16-bit type */
static bool packed_product(const as_emitter *E, const as_tg_op *op) {
  const as_tg_expr *e = op->expr;
  if (op->n_arg != 2 || e->op != AS_TGS_MUL || e->kid[0]->op != AS_TGS_ARG ||
      e->kid[1]->op != AS_TGS_ARG || e->kid[0]->arg == e->kid[1]->arg)
    return false;
  for (int i = 0; i < 2; i++) {
    const as_lay *m = &op->arg_map[i];
    if (E->type[op->arg[i]] != op->type || !as_lay_in_bits(m) || m->col[0] != 1)
      return false;
    for (unsigned k = 1; k < as_lay_in_bits(m); k++) {
      if (m->col[k] & 1)
        return false;
    }
  }
  return true;
}

static void emit_map(as_emitter *E, const as_tg_op *op) {
  const char *v = as_tg_value_name(E->g, op->v);
  declare(E, op->v);
  as_emit_shared_exponents(E, op);
  for (uint32_t r = 0; r < 1u << op->bits; r += op->type == AS_F32 ? 1 : 2) {
    if (op->type != AS_F32 && packed_product(E, op)) {
      as_emit_line(E, "%s_[%u] = at_mul2_%s(%s_[%u], %s_[%u]);", v, r / 2, type_name(op->type),
                   as_tg_value_name(E->g, op->arg[0]), as_lay_image(&op->arg_map[0], r) / 2,
                   as_tg_value_name(E->g, op->arg[1]), as_lay_image(&op->arg_map[1], r) / 2);
      continue;
    }
    char *x = map_element(E, op, r);
    if (op->type == AS_F32) {
      as_emit_line(E, "%s_[%u] = %s;", v, r, x);
    } else {
      char *y = map_element(E, op, r + 1);
      as_emit_line(E, "%s_[%u] = at_pack_%s(%s, %s);", v, r / 2, type_name(op->type), x, y);
      free(y);
    }
    free(x);
  }
}

static void emit_fill(as_emitter *E, const as_tg_op *op) {
  const char *unit = op->fold == AS_TG_SUM ? "0.0f" : "-INFINITY";
  declare(E, op->v);
  for (uint32_t r = 0; r < E->regs[op->v]; r++) {
    char *index = as_emit_index(&op->src, r);
    as_emit_line(E, "%s_[%u] = (%s) < %d ? %s_[%u] : %s;", as_tg_value_name(E->g, op->v), r, index,
                 op->count, as_tg_value_name(E->g, op->a), r, unit);
    free(index);
  }
}

/* From one place and numbers, so that a comparison is one of that place and a number; each by
 * itself where registers have no distances. */
static void emit_index(as_emitter *E, const as_tg_op *op) {
  const char *v = as_tg_value_name(E->g, op->v);
  bool steps = true;
  long step;
  declare(E, op->v);
  for (uint32_t r = 0; r < E->regs[op->v]; r++)
    steps = steps && as_emit_place_step(op, r, &step);
  for (uint32_t r = 0; r < E->regs[op->v]; r++) {
    if (steps && r > 0 && as_emit_place_step(op, r, &step)) {
      as_emit_line(E, "%s_[%u] = %s_[0] + (%ld);", v, r, v, step);
      continue;
    }
    char *number = as_emit_place(E, op, op->expr, r);
    as_emit_line(E, "%s_[%u] = %s;", v, r, number);
    free(number);
  }
}

static void emit_red(as_emitter *E, const as_tg_op *op) {
  declare(E, op->v);
  for (uint32_t r = 0; r < E->regs[op->v]; r++) {
    unsigned n = 1u << as_lay_in_bits(&op->dst);
    char **part = as_calloc(n, sizeof *part);
    for (unsigned j = 0; j < n; j++)
      part[j] = element_of(E, op->a, as_lay_image(&op->src, r) ^ as_lay_image(&op->dst, j));
    for (; n > 1; n /= 2) { /* a tree */
      for (unsigned j = 0; j < n / 2; j++) {
        char *t = as_format(op->fold == AS_TG_SUM ? "(%s + %s)" : "as_maxf(%s, %s)", part[2 * j],
                            part[2 * j + 1]);
        free(part[2 * j]);
        free(part[2 * j + 1]);
        part[2 * j] = part[2 * j + 1] = NULL;
        part[j] = t;
      }
    }
    as_emit_line(E, "%s_[%u] = %s;", as_tg_value_name(E->g, op->v), r, part[0]);
    free(part[0]);
    free(part);
  }
}

static void emit_update(as_emitter *E, const as_tg_op *op) {
  const char *v = as_tg_value_name(E->g, op->v);
  for (uint32_t r = 0; r < E->regs[op->v]; r++) {
    char *x = op->kind == AS_TG_SHFL ? as_format("at_shfl(%s_[%u], %d)", v, r, op->lanes)
                                     : element_of(E, op->a, as_lay_image(&op->src, r));
    bool most = op->kind == AS_TG_ACCMAX || (op->kind == AS_TG_SHFL && op->fold == AS_TG_MAXIMUM);
    if (most)
      as_emit_line(E, "%s_[%u] = as_maxf(%s_[%u], %s);", v, r, v, r, x);
    else
      as_emit_line(E, "%s_[%u] %s %s;", v, r, op->kind == AS_TG_RESCALE ? "*=" : "+=", x);
    free(x);
  }
}

char *as_emit_function(const char *instr) {
  char *name = as_format("at_%s", instr);
  for (char *p = name; *p; p++)
    *p = *p == '.' ? '_' : *p;
  return name;
}

static void emit_mma(as_emitter *E, const as_tg_op *op) {
  const as_isa_row *row = as_isa_find(E->isa, op->instr);
  unsigned na = (1u << as_lay_in(as_isa_layout(row, row->product.first), "reg", NULL)) / 2;
  unsigned nb = (1u << as_lay_in(as_isa_layout(row, row->product.second), "reg", NULL)) / 2;
  unsigned nc = 1u << as_lay_in(as_isa_layout(row, row->product.result), "reg", NULL);
  char *f = as_emit_function(op->instr);
  for (uint32_t u = 0; u < 1u << as_lay_in_bits(&op->ga); u++) {
    char *c = registers(E, op->v, as_lay_image(&op->gc, u) * nc, nc);
    char *a = registers(E, op->a, as_lay_image(&op->ga, u) * na, na);
    char *b = registers(E, op->b, as_lay_image(&op->gb, u) * nb, nb);
    as_emit_line(E, "%s(%s, %s, %s);", f, c, a, b);
    free(c);
    free(a);
    free(b);
  }
  free(f);
}

char *as_emit_stage(const as_emitter *E, int slot) {
  int n = E->g->stages;
  return slot ? as_format("((unsigned)(l + %d) %% %du)", slot, n)
              : as_format("((unsigned)l %% %du)", n);
}

/* what a load finds beyond the live part of its tile */
static void emit_zeros(as_emitter *E, int v, unsigned first, unsigned n) {
  as_str s;
  as_str_init(&s);
  for (unsigned i = 0; i < n; i++)
    as_str_printf(&s, "%s_[%u] = ", as_tg_value_name(E->g, v), first + i);
  as_emit_line(E, "else");
  as_emit_line(E, "  %s0;", s.s);
  as_str_clear(&s);
}

static void emit_loads(as_emitter *E, const as_tg_op *op, int step) {
  bool global = op->kind == AS_TG_LDG;
  bool wide = E->type[op->v] == AS_F32;
  char *f = op->kind == AS_TG_LDMATRIX ? as_emit_function(op->instr) : NULL;
  unsigned n = 1u << op->vec;
  if (!wide)
    n /= 2;
  if (op->kind == AS_TG_LDMATRIX) {
    const as_lay *r = as_isa_layout(as_isa_find(E->isa, op->instr), "r");
    n = (1u << as_lay_in(r, "reg", NULL)) / 2;
  }
  declare(E, op->v);
  char *stage = as_emit_stage(E, op->slot);
  for (unsigned u = 0; u < 1u << as_lay_in(&op->src, "u", NULL); u++) {
    char *r = registers(E, op->v, u * n, n);
    char *at = global ? as_emit_global(E, op, &op->src, u, step, "l")
                      : as_emit_shared(E, op, &op->src, u, step, f ? stage : NULL);
    if (global) {
      char *pred = as_emit_pred(E->g, op, &op->src, u);
      if (*pred)
        as_emit_line(E, "if (%s)", pred);
      as_emit_line(E, "%sat_ld_global_%u%s(%s, %s);", *pred ? "  " : "", 4 * n, wide ? "f" : "", r,
                   at);
      if (*pred)
        emit_zeros(E, op->v, u * n, n);
      free(pred);
    } else if (f) {
      as_emit_line(E, "%s(%s, %s);", f, r, at);
    } else {
      as_emit_line(E, "at_ld_shared_%u(%s, %s);", 4 * n, r, at);
    }
    free(r);
    free(at);
  }
  free(stage);
  free(f);
}

static void emit_stores(as_emitter *E, const as_tg_op *op) {
  bool global = op->kind == AS_TG_STG;
  bool wide = E->type[op->a] == AS_F32;
  unsigned n = 1u << op->vec;
  char *mask = as_emit_mask(op);
  if (!wide)
    n /= 2;
  if (*mask)
    as_emit_line(E, "if (%s) {", mask);
  E->indent += *mask ? 1 : 0;
  for (unsigned u = 0; u < 1u << as_lay_in(&op->dst, "u", NULL); u++) {
    char *r = registers(E, op->a, u * n, n);
    char *at = global ? as_emit_global(E, op, &op->dst, u, 0, NULL)
                      : as_emit_shared(E, op, &op->dst, u, 0, NULL);
    char *pred = global ? as_emit_pred(E->g, op, &op->dst, u) : as_strdup("");
    as_emit_line(E, "%s%s%sat_st_%s_%u%s(%s, %s);", *pred ? "if (" : "", pred, *pred ? ") " : "",
                 global ? "global" : "shared", 4 * n, global && wide ? "f" : "", at, r);
    free(r);
    free(at);
    free(pred);
  }
  E->indent -= *mask ? 1 : 0;
  if (*mask)
    as_emit_line(E, "}");
  free(mask);
}

static void emit_op(as_emitter *E, const as_tg_op *op, int step) {
  switch (op->kind) {
  case AS_TG_CPASYNC:
    as_emit_copies(E, op);
    break;
  case AS_TG_BULK:
    as_emit_bulk(E, op);
    break;
  case AS_TG_LDMATRIX:
  case AS_TG_LDS:
  case AS_TG_LDG:
    emit_loads(E, op, step);
    break;
  case AS_TG_STS:
  case AS_TG_STG:
    emit_stores(E, op);
    break;
  case AS_TG_MMA:
    emit_mma(E, op);
    break;
  case AS_TG_WGMMA:
  case AS_TG_WGMMAR:
  case AS_TG_WGFENCE:
  case AS_TG_WGCOMMIT:
  case AS_TG_WGWAIT:
    as_emit_wgmma(E, op);
    break;
  case AS_TG_MAP:
    emit_map(E, op);
    break;
  case AS_TG_FILL:
    emit_fill(E, op);
    break;
  case AS_TG_INDEX:
    emit_index(E, op);
    break;
  case AS_TG_RED:
    emit_red(E, op);
    break;
  case AS_TG_SHFL:
  case AS_TG_ACCADD:
  case AS_TG_ACCMAX:
  case AS_TG_RESCALE:
    emit_update(E, op);
    break;
  case AS_TG_ZERO:
    declare(E, op->v);
    as_emit_line(E, "#pragma unroll");
    char *begin = as_emit_beginning(E, op);
    as_emit_line(E, "for (int i = 0; i < %d; i++) %s_[i] = %s;", 1 << op->bits,
                 as_tg_value_name(E->g, op->v), begin);
    free(begin);
    break;
  case AS_TG_BAR:
    as_emit_line(E, "as_sync();");
    break;
  case AS_TG_SYNCWARP:
    as_emit_line(E, "at_syncwarp();");
    break;
  case AS_TG_PROXYFENCE:
    as_emit_line(E, "at_fence_proxy_async();");
    break;
  case AS_TG_GRIDWAIT:
    as_emit_line(E, "at_grid_wait();");
    break;
  case AS_TG_GRIDGO:
    as_emit_line(E, "at_grid_go();");
    break;
  case AS_TG_COMMIT:
    as_emit_line(E, "at_cp_async_commit();");
    break;
  case AS_TG_WAITG:
    as_emit_line(E, "at_cp_async_wait<%d>();", op->count);
    break;
  default:
    as_emit_barriers(E, op);
    break;
  }
}

/* in products of 16 x 8 x 16 by a warp */
static unsigned held_products(const as_emitter *E, const as_tg_op *op) {
  const as_isa_row *row = as_isa_find(E->isa, op->instr);
  unsigned registers = 1u << as_lay_in(as_isa_layout(row, row->product.result), "reg", NULL);
  return registers / 4 << as_lay_in_bits(&op->gc);
}

static unsigned products(const as_emitter *E, const as_tg_op *in) {
  unsigned n = 0;
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    n += op->kind == AS_TG_MMA ? 1u << as_lay_in_bits(&op->ga) : 0;
    n += op->kind == AS_TG_WGMMA ? 1u << as_lay_in_bits(&op->gc) : 0;
    n += op->kind == AS_TG_WGMMAR ? held_products(E, op) : 0;
    n += products(E, op);
  }
  return n;
}

/* How often a loop's body is printed.  A body that is printed often runs out of the cache for
 * instructions: an attention kernel's iterations of 64 products took 0.86 us unrolled 16 times, 0.6
 * twice; 32 products were fastest four times, 128 once (bench/NOTES.md). */
static unsigned copies_of_body(const as_emitter *E, const as_tg_op *loop) {
  const unsigned most_products = 128;
  unsigned n = products(E, loop);
  unsigned count = loop->count > 0 ? (unsigned)loop->count : 1;
  if (count <= 16 && count * n <= most_products)
    return count;
  unsigned copies = 1;
  while (n > 0 && copies < 4 && 2 * copies * n <= most_products)
    copies *= 2;
  return copies;
}

static void emit_body(as_emitter *E, const as_tg_op *in, unsigned from, unsigned to, int step);

/* --- loops of which a part is executed one iteration late */
static bool has_delay(const as_tg_op *loop) {
  for (unsigned i = 0; i < loop->n_body; i++) {
    if (loop->body[i]->delay)
      return true;
  }
  return false;
}

typedef enum { FIRST, OTHERS, BEHIND } round_of;

static void emit_round(as_emitter *E, const as_tg_op *loop, round_of round) {
  E->indent++;
  for (unsigned i = 0; i < loop->n_body; i++) {
    as_tg_op late = *loop->body[i];
    late.slot -= late.delay;
    if (late.delay && round != FIRST)
      emit_op(E, &late, 0);
    else if (!late.delay && round != BEHIND)
      emit_body(E, loop, i, i + 1, 0);
  }
  E->indent--;
  as_emit_line(E, "}");
}

/* The first iteration by itself, so that nothing is asked in the others; what delayed operations
 * read lives from one to the next. */
static void emit_delayed(as_emitter *E, const as_tg_op *loop) {
  char *count = as_emit_count(E, loop->count, loop->cut);
  E->tells_apart = true;
  E->loops++;
  for (unsigned i = 0; i < loop->n_body; i++) {
    if (loop->body[i]->delay && loop->body[i]->kind == AS_TG_WGMMAR)
      declare(E, loop->body[i]->a);
  }
  as_emit_line(E, "{");
  as_emit_line(E, "  [[maybe_unused]] const int l = 0;");
  bool *keep = as_malloc(E->g->value.n + 1);
  memcpy(keep, E->declared, E->g->value.n);
  emit_round(E, loop, FIRST);
  E->shared_by = NULL; /* printed anew */
  memcpy(E->declared, keep, E->g->value.n);
  as_emit_line(E, "#pragma unroll 1");
  as_emit_line(E, "for (int l = 1; l < %s; l++) {", count);
  emit_round(E, loop, OTHERS);
  memcpy(E->declared, keep, E->g->value.n);
  as_emit_line(E, "{");
  as_emit_line(E, "  [[maybe_unused]] const int l = %s;", count);
  emit_round(E, loop, BEHIND);
  E->loops--;
  free(keep);
  free(count);
}

/* --- choices that are sure for all of a tile */
static bool named_outside(const as_tg_op *in, const as_tg_op *but, int v) {
  for (unsigned i = 0; i < in->n_body; i++) {
    const as_tg_op *op = in->body[i];
    uint64_t fields = as_tg_fields(op->kind);
    bool is = (fields & AS_TG_BIT(V) && op->v == v) || (fields & AS_TG_BIT(A) && op->a == v) ||
              (fields & AS_TG_BIT(B) && op->b == v);
    for (int k = 0; fields & AS_TG_BIT(ARGS) && k < op->n_arg; k++)
      is = is || op->arg[k] == v;
    if (op != but && (is || named_outside(op, but, v)))
      return true;
  }
  return false;
}

/* What leaves the branches is declared before them, and nothing else: a compiler would keep all
 * that is written on both sides in registers. */
static void emit_sure(as_emitter *E, const as_tg_op *sure) {
  size_t n = E->g->value.n;
  const as_tg_op *map = NULL; /* the only one; `sure`: there are several */
  for (unsigned i = 0; i < sure->n_body; i++) {
    const as_tg_op *op = sure->body[i];
    if (op->kind != AS_TG_INDEX && named_outside(&E->g->top, sure, op->v))
      declare(E, op->v);
    if (op->kind == AS_TG_MAP)
      map = map ? sure : op;
  }
  if (map && map != sure) /* of both sides, if it is one */
    as_emit_shared_exponents(E, map);
  bool *keep = as_malloc(n + 1);
  memcpy(keep, E->declared, n);
  char *bound = as_emit_whole(sure->expr);
  as_emit_line(E, "if (%s >= 0) {", bound);
  free(bound);
  for (int side = 0; side < 2; side++) {
    E->sure = side ? -1 : sure->side;
    E->shared_by = map == sure ? NULL : E->shared_by;
    E->indent++;
    for (unsigned i = 0; i < sure->n_body; i++) {
      if (side || sure->body[i]->kind != AS_TG_INDEX)
        emit_op(E, sure->body[i], 0);
    }
    E->indent--;
    as_emit_line(E, side ? "}" : "} else {");
    memcpy(E->declared, keep, n);
  }
  free(keep);
}

static void emit_rounds(as_emitter *E, const as_tg_op *op, int step) {
  unsigned n = (unsigned)E->g->value.n;
  bool *keep = as_malloc(n + 1);
  memcpy(keep, E->declared, n);
  unsigned rounds = op->kind == AS_TG_STEPS ? 1u << op->bits : 1;
  for (unsigned s = 0; s < rounds; s++) {
    if (op->kind == AS_TG_STEPS) {
      as_emit_line(E, "{");
    } else {
      as_emit_line(E, "#pragma unroll %u", copies_of_body(E, op));
      char *count = as_emit_count(E, op->count, op->cut);
      as_emit_line(E, "for (int l = %d; l < %s; l++) {", op->from, count);
      free(count);
    }
    E->indent++;
    E->shared_by = NULL; /* printed anew */
    E->loops += op->kind == AS_TG_LOOP;
    emit_body(E, op, 0, op->n_body, op->kind == AS_TG_STEPS ? (int)s : step);
    E->loops -= op->kind == AS_TG_LOOP;
    E->indent--;
    as_emit_line(E, "}");
    memcpy(E->declared, keep, n);
  }
  free(keep);
}

static void emit_body(as_emitter *E, const as_tg_op *in, unsigned from, unsigned to, int step) {
  for (unsigned i = from; i < to; i++) {
    const as_tg_op *op = in->body[i];
    if (op->kind == AS_TG_SURE)
      emit_sure(E, op);
    else if (op->kind == AS_TG_LOOP && has_delay(op))
      emit_delayed(E, op);
    else if (op->kind == AS_TG_LOOP || op->kind == AS_TG_STEPS)
      emit_rounds(E, op, step);
    else
      emit_op(E, op, step);
  }
}

/* The warps that copy need few registers, and those that compute get them: once, before anything
 * else that is theirs alone. */
static void hand_over(as_emitter *E, char who) {
  bool more = who == 'c';
  const as_tg *g = E->g;
  if (!g->compute_registers || E->registers[more])
    return;
  E->registers[more] = true;
  if (more)
    as_emit_line(E, "at_registers_more<%d>();", g->compute_registers);
  else
    as_emit_line(E, "if (warp >= %uu) at_registers_fewer<%d>();", 1u << g->warp_bits,
                 g->copy_registers);
}

/* parts of the body by who executes them */
static void emit_top(as_emitter *E) {
  const as_tg_op *top = &E->g->top;
  for (unsigned i = 0; i < top->n_body;
       i++) { /* values of the top level live in the whole kernel */
    switch (top->body[i]->kind) {
    case AS_TG_ZERO:
    case AS_TG_LDG:
    case AS_TG_LDS:
    case AS_TG_MAP:
    case AS_TG_FILL:
    case AS_TG_INDEX:
    case AS_TG_RED:
      declare(E, top->body[i]->v);
      break;
    default:
      break;
    }
  }
  for (unsigned i = 0; i < top->n_body;) {
    char who = top->body[i]->who;
    unsigned j = i;
    while (j < top->n_body && top->body[j]->who == who)
      j++;
    bool part = E->g->producer && who != 'a';
    if (part && who == 'p')
      hand_over(E, who);
    if (part && who == 'p')
      as_emit_line(E, "if (warp == %uu && lane == 0) {", 1u << E->g->warp_bits);
    else if (part)
      as_emit_line(E, "if (warp < %uu) {", 1u << E->g->warp_bits);
    E->indent += part ? 1 : 0;
    if (part && who == 'c')
      hand_over(E, who);
    emit_body(E, top, i, j, 0);
    E->indent -= part ? 1 : 0;
    if (part)
      as_emit_line(E, "}");
    i = j;
  }
}

/* --- tensor maps of the tiles that bulk copies load */
typedef struct {
  as_emitter *E;
  const as_tg_op *op[12];
} bulk_ops;

static void find_bulk(void *arg, as_tg_op *op) {
  bulk_ops *b = arg;
  if (op->kind == AS_TG_BULK && !as_emit_is_linear(b->E, op))
    b->op[op->tile] = op;
}

typedef struct {
  long rows;
  long columns;
  long pitch; /* elements from one row to the next */
} matrix;

/* A tile's tensor as the matrix of which its boxes are parts: the axes whose stride is at least
 * that of the box's row count rows, the others columns. */
static matrix matrix_of(as_emitter *E, const as_tg_tile *t, const as_tg_op *op) {
  matrix m = {.rows = 1, .columns = 1, .pitch = as_tg_find_axis(t, op->row)->stride};
  as_node_id tensor;
  as_block_place at;
  long whole[AS_MAX_RANK];
  if (!as_emit_where(E, t, &tensor, &at) || !as_block_dims(E->b, tensor, whole, NULL)) {
    E->failed = true;
    return m;
  }
  for (uint32_t d = 0; d < E->b->graph->node[tensor].rank; d++) {
    if (at.stride[d] >= m.pitch)
      m.rows += (whole[d] - 1) * (at.stride[d] / m.pitch);
    else
      m.columns += (whole[d] - 1) * at.stride[d];
  }
  return m;
}

static void tensor_maps(as_emitter *E, const bulk_ops *bulk, as_str *params, as_str *arguments,
                        as_str *before) {
  for (unsigned i = 0; i < E->g->n_tile; i++) {
    const as_tg_op *op = bulk->op[i];
    const as_tg_tile *t = &E->g->tile[i];
    if (!op)
      continue;
    matrix m = matrix_of(E, t, op);
    char *base = as_emit_memory(E, t);
    as_str_printf(params, ", AT_MAP m_%s", t->name);
    as_str_printf(arguments, ", m_%s", t->name);
    as_str_printf(before,
                  "    CUtensorMap m_%s;\n    if ((status = at_tensor_map(&m_%s, (const char "
                  "*)%s + %ldL, %d, %ldu, %ldu, %ldu, %uu, %ldu))) return status;\n",
                  t->name, t->name, base, t->origin * (t->type == AS_F32 ? 4 : 2), (int)t->type,
                  m.rows, m.columns, m.pitch, 1u << op->rows,
                  as_isa_needs(as_isa_find(E->isa, op->instr), "swizzle"));
    free(base);
  }
}

char *as_threads_emit(const as_tg *g, const as_isa *isa, const as_block_ref *b,
                      const char *const blocks[2], const char *name, as_threads_address *address,
                      void *arg, char **arguments, char **before) {
  as_emitter E = {
      .g = g, .isa = isa, .b = b, .address = address, .arg = arg, .indent = 1, .sure = -1};
  unsigned n = (unsigned)g->value.n;
  buffer_types t = {{0}};
  bulk_ops bulk = {.E = &E};
  as_str params;
  as_str args;
  as_str maps;
  as_str text;
  as_str_init(&E.out);
  as_str_init(&E.head);
  as_vec_init(&E.named, sizeof(char *));
  as_str_init(&params);
  as_str_init(&args);
  as_str_init(&maps);
  as_str_init(&text);
  E.type = as_calloc(n + 1, sizeof *E.type);
  E.regs = as_calloc(n + 1, sizeof *E.regs);
  E.declared = as_calloc(n + 1, sizeof *E.declared);
  E.under_way = as_calloc(n + 1, sizeof *E.under_way);
  types(&E, &g->top);
  as_tg_walk(&g->top, find_buffer_types, (void *[]){(void *)(uintptr_t)g, &t});
  set_matrix_types(&E, &g->top, &t);
  as_tg_walk(&g->top, find_bulk, &bulk);
  tensor_maps(&E, &bulk, &params, &args, &maps);
  emit_top(&E);
  /* where registers are handed over there is one block a multiprocessor anyway */
  bool alone = !b->graph->block[b->block].has_loop || g->compute_registers;
  as_str_printf(&text, "AS_KERNEL%s(%u) %s(const as_args a%s)\n{\n  AS_SMEM(sm);\n",
                alone ? "_AT_ONCE" : "", 32 * as_tg_warps(g), name, params.s ? params.s : "");
  as_str_add(&text,
             "  const unsigned s0 = at_shared(sm);\n  const unsigned lane = "
             "(unsigned)as_tid() & 31u, warp = (unsigned)as_tid() >> 5;\n"
             "  (void)s0, (void)lane, (void)warp; /* a small kernel needs not all of them */\n");
  as_emit_grid(&E, blocks, &text);
  as_str_add(&text, E.head.s ? E.head.s : "");
  as_str_add(&text, E.out.s);
  as_str_add(&text, "}\n\n");
  for (size_t i = 0; i < E.named.n; i++)
    free(AS_VEC_AT(&E.named, char *, i));
  as_vec_clear(&E.named);
  as_str_clear(&E.out);
  as_str_clear(&E.head);
  as_str_clear(&params);
  free(E.type);
  free(E.regs);
  free(E.declared);
  free(E.under_way);
  as_str_add(&args, "");
  as_str_add(&maps, "");
  *arguments = as_str_take(&args);
  *before = as_str_take(&maps);
  char *r = as_str_take(&text);
  if (!E.failed)
    return r;
  free(r);
  free(*arguments);
  free(*before);
  *arguments = *before = NULL;
  return NULL;
}

/* Expressions as C text, scalars in float.  Parts used more
 * than once become temporaries, unless they stand under a condition (whose reads may be out of
 * bounds when it does not hold). */
#include "emit.h"
#include "fault.h"
#include "live.h"
#include "range.h"
#include "scalar.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lo_line(lo_text *text, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *line = NULL;
  int n = vasprintf(&line, fmt, ap);
  va_end(ap);
  if (n < 0)
    return;
  if (line[0] != '#') {
    for (int i = 0; i < text->indent; i++)
      as_str_add(text->out, "  ");
  }
  as_str_add(text->out, line);
  as_str_add(text->out, "\n");
  free(line);
}

void lo_barrier(lo_text *text, const char *why) {
  text->unit->n_barrier++;
  lo_line(text, why ? "as_sync(); /* %s */" : "as_sync();", why);
}

void lo_axes(lo_text *text, const lo_value *value) {
  text->n_extent = value->rank;
  for (int i = 0; i < value->rank; i++)
    text->extent[i] = value->dim[i];
  if (value->kind == LV_RED)
    text->extent[text->n_extent++] = value->extent;
}

const char *lo_index_type(long most) {
  return most <= INT_MAX || LO_FAULT(LO_FAULT_INDEX_WIDTH) ? "int" : "long long";
}

static char *number(double real) {
  if (isinf(real))
    return as_strdup(real > 0 ? "INFINITY" : "-INFINITY");
  char *digits = as_format("%.9g", real);
  char *result = as_format("%s%sf", digits, strpbrk(digits, ".e") ? "" : ".0");
  free(digits);
  if (real >= 0)
    return result;
  char *bracketed = as_format("(%s)", result);
  free(result);
  return bracketed;
}

static const char *const relation_sign[] = {
    [LX_EQ] = "==", [LX_NE] = "!=", [LX_LE] = "<=", [LX_LT] = "<", [LX_AND] = "&&", [LX_OR] = "||"};

/* does the text of an index expression have 64 bits? */
static bool is_wide(const lo_text *text, const lx *expr) {
  lo_range range;
  if (LO_FAULT(LO_FAULT_INDEX_WIDTH))
    return false;
  if (!lo_range_of(expr, text->extent, text->n_extent, &range) || !lo_fits_int(range))
    return true;
  for (int i = expr->op == LX_IF; i < expr->n; i++) {
    if (is_wide(text, expr->kid[i]))
      return true;
  }
  return false;
}

/* a function of the prelude of two indices */
static char *index_function(const char *name, bool wide, const char *left, const char *right) {
  return as_format("%s<%s>(%s, %s)", name, wide ? "long long" : "int", left, right);
}

static char *condition(lo_text *text, const lx *expr, bool lazy);

static char *index_choice(lo_text *text, const lx *expr) {
  char *test = condition(text, expr->kid[0], true);
  char *left = lo_index(text, expr->kid[1]);
  char *right = lo_index(text, expr->kid[2]);
  char *result = as_format("(%s ? %s : %s)", test, left, right);
  free(test);
  free(left);
  free(right);
  return result;
}

static char *index_operation(lo_text *text, const lx *expr) {
  bool wide = is_wide(text, expr);
  char *left = lo_index(text, expr->kid[0]);
  char *right = expr->n > 1 ? lo_index(text, expr->kid[1]) : as_format("-(%s)", left);
  const char *cast = wide ? "(long long)" : "";
  char *result;
  switch (expr->op) {
  case LX_MAX:
  case LX_ABS:
    result = index_function("as_imax", wide, left, right);
    break;
  case LX_MIN:
    result = index_function("as_imin", wide, left, right);
    break;
  case LX_IDIV: /* rounded down: operands may be negative */
    result = index_function("as_idiv", wide, left, right);
    break;
  case LX_MOD:
    result = index_function("as_imod", wide, left, right);
    break;
  default: {
    const char *sign = expr->op == LX_ADD ? "+" : expr->op == LX_SUB ? "-" : "*";
    result = as_format("(%s%s %s %s)", cast, left, sign, right);
  }
  }
  free(left);
  free(right);
  return result;
}

static char *read_text(lo_text *text, const lx *expr) {
  as_str out;
  as_str_init(&out);
  text->ref(text, &out, expr->val, expr->kid, expr->n);
  return as_str_take(&out);
}

char *lo_index(lo_text *text, const lx *expr) {
  if (expr->op == LX_INT && LO_FAULT(LO_FAULT_INDEX_WIDTH))
    return as_format("((int)%ldL)", expr->number);
  if (expr->op == LX_INT)
    return as_format(expr->number < 0 ? "(%ld)" : "%ld", expr->number);
  if (expr->op == LX_VAR)
    return as_strdup(text->var[expr->number]);
  if (expr->op == LX_WHOLE)
    return read_text(text, expr);
  if (expr->op == LX_CUT)
    return lo_cut_text(text->job, lo_cut_row(text->job, (uint32_t)expr->number));
  if (expr->op == LX_FIRST)
    return lo_first_text(&AS_VEC_AT(&text->job->firsts, lo_first, expr->number));
  return expr->op == LX_IF ? index_choice(text, expr) : index_operation(text, expr);
}

static char *scalar(lo_text *text, const lx *expr, bool lazy);

bool lo_is_cheap_condition(const lx *expr) {
  if (expr->op == LX_AND || expr->op == LX_OR)
    return lo_is_cheap_condition(expr->kid[0]) && lo_is_cheap_condition(expr->kid[1]);
  return expr->op >= LX_EQ && expr->op <= LX_LT && expr->kid[0]->integer && expr->kid[1]->integer &&
         !lx_has_whole(expr);
}

static char *condition(lo_text *text, const lx *expr, bool lazy) {
  char *left;
  char *right = NULL;
  char *result;
  if (expr->op == LX_NOT) {
    left = condition(text, expr->kid[0], lazy);
    result = as_format("(!%s)", left);
  } else if (expr->op == LX_AND || expr->op == LX_OR) {
    left = condition(text, expr->kid[0], lazy);
    right = condition(text, expr->kid[1], true);
    bool eager = text->eager && lo_is_cheap_condition(expr);
    const char *sign = relation_sign[expr->op];
    result = as_format("(%s %.*s %s)", left, eager ? 1 : 2, sign, right);
  } else if (expr->kid[0]->integer && expr->kid[1]->integer) {
    left = lo_index(text, expr->kid[0]);
    right = lo_index(text, expr->kid[1]);
    result = as_format("(%s %s %s)", left, relation_sign[expr->op], right);
  } else {
    left = scalar(text, expr->kid[0], lazy);
    right = scalar(text, expr->kid[1], lazy);
    result = as_format("(%s %s %s)", left, relation_sign[expr->op], right);
  }
  free(left);
  free(right);
  return result;
}

static int parents(const lx *expr, const lx *of) {
  int n = 0;
  for (int i = 0; i < expr->n && n < 2; i++)
    n += expr->kid[i] == of ? 1 : expr->op == LX_REF ? 0 : parents(expr->kid[i], of);
  return n;
}

/* a call of a function with the names of the C library, as float */
static char *call_text(lo_text *text, const lx *expr, bool lazy) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%sf(", expr->function);
  for (int i = 0; i < expr->n; i++) {
    char *arg = scalar(text, expr->kid[i], lazy);
    as_str_printf(&out, "%s%s", i ? ", " : "", arg);
    free(arg);
  }
  as_str_add(&out, ")");
  return as_str_take(&out);
}

static char *choice_text(lo_text *text, const lx *expr, bool lazy) {
  char *test = condition(text, expr->kid[0], lazy);
  char *left = scalar(text, expr->kid[1], true);
  char *right = scalar(text, expr->kid[2], true);
  char *result = as_format("(%s ? %s : %s)", test, left, right);
  free(test);
  free(left);
  free(right);
  return result;
}

/* what stands before, between and after the operands of a scalar operation */
static const struct {
  const char *before;
  const char *between;
  const char *after;
} operation[] = {
    [LX_ADD] = {"(", " + ", ")"},
    [LX_SUB] = {"(", " - ", ")"},
    [LX_MUL] = {"(", " * ", ")"},
    [LX_FDIV] = {"(", " / ", ")"},
    [LX_IDIV] = {"as_floordiv(", ", ", ")"},
    [LX_MOD] = {"as_floormod(", ", ", ")"},
    [LX_NEG] = {"(-", "", ")"},
    [LX_INV] = {"(1.0f / ", "", ")"},
    [LX_EXP] = {"as_expf(", "", ")"},
    [LX_LOG] = {"logf(", "", ")"},
    [LX_SQRT] = {"sqrtf(", "", ")"},
    [LX_ABS] = {"fabsf(", "", ")"},
    [LX_MAX] = {"as_maxf(", ", ", ")"},
    [LX_MIN] = {"as_minf(", ", ", ")"},
};

/* a power of two, so that its inverse is a number */
static bool exact_inverse(const lx *expr) {
  long number = expr->op == LX_INT ? expr->number : 0;
  return number > 1 && number <= 1 << 20 && (number & (number - 1)) == 0;
}

/* Is something in it rounded more coarsely than arithmetic is? */
static bool is_approximate(const lx *expr) {
  if (expr->op == LX_EXP || expr->op == LX_LOG)
    return true;
  for (int i = 0; i < expr->n && expr->op != LX_REF; i++) {
    if (is_approximate(expr->kid[i]))
      return true;
  }
  return false;
}

/* The quotient of things that are approximate themselves may be, too, which takes half as many
 * instructions.  Others are rounded as arithmetic is: 41/41 is 1, whose floor is not 0. */
static char *approximate_quotient(lo_text *text, const lx *expr, bool lazy) {
  bool inverse = expr->op == LX_INV;
  char *left = inverse ? as_strdup("1.0f") : scalar(text, expr->kid[0], lazy);
  char *right = scalar(text, expr->kid[inverse ? 0 : 1], lazy);
  char *result = as_format("as_divf(%s, %s)", left, right);
  free(left);
  free(right);
  return result;
}

/* Is it what the expression is, in some case?  Then what it is added to may be fused with it, as
 * terms of sums are. */
static bool is_outermost(const lx *root, const lx *expr) {
  return root == expr || (root->op == LX_IF &&
                          (is_outermost(root->kid[1], expr) || is_outermost(root->kid[2], expr)));
}

/* A product within an expression is rounded by itself, as an operator's result is: fused with what
 * it is added to, s * c would differ from what it is where its maximum is taken, and its distance
 * from that maximum would not be 0. */
static char *rounded_product(lo_text *text, const lx *expr, bool lazy) {
  char *left = scalar(text, expr->kid[0], lazy);
  char *right = scalar(text, expr->kid[1], lazy);
  char *result = as_format("as_mulf(%s, %s)", left, right);
  free(left);
  free(right);
  return result;
}

/* functions that are computed otherwise than they are written; NULL: it is none */
static char *stable_text(lo_text *text, const lx *expr, bool lazy) {
  lx *of;
  as_stable form = lo_stable_form(expr, &of);
  if (form == AS_STABLE_NONE)
    return NULL;
  char *argument = scalar(text, of, lazy);
  char *result = as_format("%sf(%s)", as_stable_name(form), argument);
  free(argument);
  return result;
}

/* a difference from a maximum, mostly */
static bool is_sum(const lx *expr) {
  return expr->op == LX_SUB || expr->op == LX_ADD;
}

static char *build(lo_text *text, const lx *expr, bool lazy) {
  if (expr->op == LX_REF)
    return read_text(text, expr);
  if (expr->op == LX_IF)
    return choice_text(text, expr, lazy);
  char *function = stable_text(text, expr, lazy);
  if (function)
    return function;
  if (expr->op == LX_MUL && !is_outermost(text->root, expr))
    return rounded_product(text, expr, lazy);
  if (expr->op == LX_CALL)
    return call_text(text, expr, lazy);
  if ((expr->op == LX_FDIV || expr->op == LX_INV) && is_approximate(expr))
    return approximate_quotient(text, expr, lazy);
  char *left = scalar(text, expr->kid[0], lazy);
  if (expr->op == LX_EXP && !text->job->is16 && !is_sum(expr->kid[0])) {
    char *power = as_format("expf(%s)", left);
    free(left);
    return power;
  }
  if (expr->op == LX_FDIV && exact_inverse(expr->kid[1])) {
    char *product = as_format("(%s * %.9gf)", left, 1 / (double)expr->kid[1]->number);
    free(left);
    return product;
  }
  char *right = expr->n > 1 ? scalar(text, expr->kid[1], lazy) : NULL;
  char *result =
      as_format("%s%s%s%s%s", operation[expr->op].before, left, operation[expr->op].between,
                right ? right : "", operation[expr->op].after);
  free(left);
  free(right);
  return result;
}

static char *scalar(lo_text *text, const lx *expr, bool lazy) {
  if (expr->op == LX_INT)
    return number((double)expr->number);
  if (expr->op == LX_NUM)
    return number(expr->real);
  if (expr->integer) {
    char *whole = lo_index(text, expr);
    char *result = as_format("(float)(%s)", whole);
    free(whole);
    return result;
  }
  for (uint32_t whole = 0; whole < text->n_memo; whole++) {
    if (text->memo[whole].expr == expr)
      return as_format("t%d", text->memo[whole].temporary);
  }
  char *piece = build(text, expr, lazy);
  if (lazy || expr == text->root || parents(text->root, expr) < 2)
    return piece;
  if (text->n_memo == text->memo_cap) {
    text->memo_cap = text->memo_cap ? 2 * text->memo_cap : 16;
    text->memo = as_realloc(text->memo, text->memo_cap * sizeof *text->memo);
  }
  text->memo[text->n_memo].expr = expr;
  text->memo[text->n_memo++].temporary = ++text->n_temporary;
  lo_line(text, "const float t%d = %s;", text->n_temporary, piece);
  free(piece);
  return as_format("t%d", text->n_temporary);
}

char *lo_expr(lo_text *text, const lx *expr) {
  const lx *keep = text->root;
  text->root = expr;
  text->n_memo = 0;
  char *result = scalar(text, expr, false);
  text->root = keep;
  return result;
}

char *lo_condition(lo_text *text, const lx *expr) {
  return condition(text, expr, true);
}

char *lo_global_pointer(const lo_job *job, uint32_t id) {
  const lo_value *value = &job->value[id];
  if (value->buffer_class == LG_INPUT)
    return as_format("a.in[%u]", value->buffer_index);
  if (value->buffer_class == LG_OUTPUT)
    return as_format("a.out[%u]", value->buffer_index);
  if (value->buffer_class == LG_WORK)
    return as_format("(a.ws + %ldL)", value->work_offset);
  char *whole = lo_global_pointer(job, value->source);
  char *text = as_format("((const char *)%s + %ldL)", whole,
                         value->origin * (value->dtype == AS_F32 ? 4 : 2));
  free(whole);
  return text;
}

char *lo_global_offset(lo_text *text, const lo_value *tensor, lx *const *idx, int n_index) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(size_t)0");
  for (int i = n_index; i-- > 0;) {
    char *piece = lo_index(text, idx[i]);
    char *stride = lo_live_stride(text->job, tensor, i);
    if (strcmp(piece, "0"))
      as_str_printf(&out, " + (size_t)%s * %s", piece, stride);
    free(piece);
    free(stride);
  }
  return as_str_take(&out);
}

void lo_read_global(lo_text *text, as_str *out, uint32_t id, lx *const *idx, int n) {
  const lo_value *value = &text->job->value[id];
  char *offset = lo_global_offset(text, value, idx, n);
  char *base_pointer = lo_global_pointer(text->job, id);
  as_str_printf(out, "as_ldg_%s(%s, %s)", lo_dtype_name(value->dtype), base_pointer, offset);
  free(offset);
  free(base_pointer);
}

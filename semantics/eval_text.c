#include "eval_text.h"
#include "eval_code.h"
#include "src/base/str.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 256 /* of functions whose definitions stand within each other */

/* what the printed bodies call; checked as the evaluators check */
static const char prologue[] =
    "/* The program in double precision, from its operators' specifications by the evaluators. */\n"
    "#include <algorithm>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdio.h>\n"
    "#include <vector>\n"
    "namespace assay_ref {\n"
    "typedef long long integer;\n"
    "static bool failed;\n"
    "static unsigned long epoch;\n"
    "[[maybe_unused]] static integer fail(const char *what)\n"
    "{\n"
    "  if (!failed) fprintf(stderr, \"reference: %s\\n\", what);\n"
    "  failed = true;\n"
    "  return 0;\n"
    "}\n"
    "#define AS_REF_CHECKED(name, builtin)                                        \\\n"
    "  [[maybe_unused]] static inline integer name(integer a, integer b)          \\\n"
    "  {                                                                          \\\n"
    "    integer r;                                                               \\\n"
    "    return builtin(a, b, &r) ? fail(\"an integer leaves 64 bits\") : r;        \\\n"
    "  }\n"
    "AS_REF_CHECKED(add, __builtin_add_overflow)\n"
    "AS_REF_CHECKED(sub, __builtin_sub_overflow)\n"
    "AS_REF_CHECKED(mul, __builtin_mul_overflow)\n"
    "[[maybe_unused]] static inline integer quotient(integer a, integer b)\n"
    "{\n"
    "  return b <= 0 ? fail(\"an integer division by zero or less\") : a / b - (a % b < 0);\n"
    "}\n"
    "[[maybe_unused]] static inline integer rest(integer a, integer b)\n"
    "{\n"
    "  return sub(a, mul(quotient(a, b), b));\n"
    "}\n"
    "[[maybe_unused]] static inline size_t inside(integer i, integer extent)\n"
    "{\n"
    "  return (size_t)(i >= 0 && i < extent ? i : fail(\"an index leaves its tensor\"));\n"
    "}\n"
    "[[maybe_unused]] static inline integer whole(double x)\n"
    "{\n"
    "  return fabs(x) < 0x1p53 && x == floor(x) ? (integer)x : fail(\"an index is no integer\");\n"
    "}\n"
    "[[maybe_unused]] static inline double inverse(double x) { return x == 0 ? NAN : 1 / x; }\n"
    "[[maybe_unused]] static inline double logarithm(double x) { return x > 0 ? log(x) : NAN; }\n"
    "[[maybe_unused]] static inline double root(double x) { return x >= 0 ? sqrt(x) : NAN; }\n"
    "[[maybe_unused]] static inline double greater(double a, double b)\n"
    "{\n"
    "  return isnan(a) || isnan(b) ? NAN : a <= b ? b : a;\n"
    "}\n"
    "[[maybe_unused]] static inline double lesser(double a, double b)\n"
    "{\n"
    "  return isnan(a) || isnan(b) ? NAN : a <= b ? a : b;\n"
    "}\n"
    "[[maybe_unused]] static inline double floor_of(double a, double b)\n"
    "{\n"
    "  return b > 0 ? floor(a / b) : NAN;\n"
    "}\n"
    "/* values of a definition by its indices: what was computed last for each place */\n"
    "template <int N> struct memo {\n"
    "  static const int places = 4096;\n"
    "  struct entry { unsigned long epoch; integer key[N ? N : 1]; double value; };\n"
    "  std::vector<entry> table;\n"
    "  template <class F> double get(const integer *key, F compute)\n"
    "  {\n"
    "    if (table.empty()) table.resize(places);\n"
    "    unsigned long h = 0;\n"
    "    for (int i = 0; i < N; i++) h = h * 1000003 + (unsigned long)key[i];\n"
    "    entry *e = &table[h % places];\n"
    "    bool same = e->epoch == epoch;\n"
    "    for (int i = 0; i < N; i++) same = same && e->key[i] == key[i];\n"
    "    if (same) return e->value;\n"
    "    double value = compute();\n"
    "    e->epoch = epoch;\n"
    "    for (int i = 0; i < N; i++) e->key[i] = key[i];\n"
    "    return e->value = value;\n"
    "  }\n"
    "};\n"
    "[[maybe_unused]] static void reached(const double *x, size_t n, double *reach)\n"
    "{\n"
    "  for (size_t i = 0; i < n; i++)\n"
    "    if (!(fabs(x[i]) <= *reach)) *reach = isnan(x[i]) ? INFINITY : fabs(x[i]);\n"
    "}\n\n";

typedef struct {
  const as_graph *graph;
  const int64_t *env;
  as_err *err;
  as_str out;
  unsigned node;                         /* whose body is printed */
  int64_t dim[AS_MAX_ARGS][AS_MAX_RANK]; /* extents of its arguments */
  const void *param[MAX_PARAMS]; /* elements that stand for parameters; their place is their name */
  unsigned n_param;
  bool bad;
} printing;

static void put_condition(printing *to, const cond *test);
static void put(printing *to, const code *body);

static void put_number(printing *to, double x) {
  if (isnan(x))
    as_str_add(&to->out, "(double)NAN");
  else if (isinf(x))
    as_str_add(&to->out, x > 0 ? "(double)INFINITY" : "-(double)INFINITY");
  else
    as_str_printf(&to->out, "(double)(%.17g)", x);
}

static void put_integer(printing *to, const icode *body);

static void put_integer_call(printing *to, const char *function, const icode *body) {
  as_str_printf(&to->out, "%s(", function);
  put_integer(to, body->left);
  as_str_add(&to->out, ", ");
  put_integer(to, body->right);
  as_str_add(&to->out, ")");
}

/* a choice between two integers: `left sign right ? left : right` */
static void put_integer_choice(printing *to, const icode *body, const char *sign) {
  as_str_add(&to->out, "[&] { const integer a = ");
  put_integer(to, body->left);
  as_str_add(&to->out, ", b = ");
  if (body->right)
    put_integer(to, body->right);
  else
    as_str_add(&to->out, "sub(0, a)");
  as_str_printf(&to->out, "; return a %s b ? a : b; }()", sign);
}

static void put_integer(printing *to, const icode *body) {
  switch (body->kind) {
  case I_CONST: /* the least integer has no literal */
    as_str_printf(&to->out, body->value == INT64_MIN ? "(-%lldLL - 1)" : "%lldLL",
                  (long long)(body->value == INT64_MIN ? INT64_MAX : body->value));
    return;
  case I_SLOT:
    as_str_printf(&to->out, "s%u", body->slot);
    return;
  case I_ADD:
    put_integer_call(to, "add", body);
    return;
  case I_SUB:
    put_integer_call(to, "sub", body);
    return;
  case I_MUL:
    put_integer_call(to, "mul", body);
    return;
  case I_DIV:
    put_integer_call(to, "quotient", body);
    return;
  case I_MOD:
    put_integer_call(to, "rest", body);
    return;
  case I_NEG:
    as_str_add(&to->out, "sub(0, ");
    put_integer(to, body->left);
    as_str_add(&to->out, ")");
    return;
  case I_MAX:
  case I_ABS:
    put_integer_choice(to, body, ">");
    return;
  case I_MIN:
    put_integer_choice(to, body, "<");
    return;
  case I_DATA:
    as_str_add(&to->out, "whole(");
    put(to, body->data);
    as_str_add(&to->out, ")");
    return;
  case I_IF:
    as_str_add(&to->out, "(");
    put_condition(to, body->cond);
    as_str_add(&to->out, " ? ");
    put_integer(to, body->left);
    as_str_add(&to->out, " : ");
    put_integer(to, body->right);
    as_str_add(&to->out, ")");
    return;
  }
}

static void put_condition(printing *to, const cond *test) {
  static const char *const sign[] = {" == ", " != ", " <= ", " < "};
  as_str_add(&to->out, test->kind == C_NOT ? "(!" : "(");
  switch (test->kind) {
  case C_INTREL:
    put_integer(to, test->int_left);
    as_str_add(&to->out, sign[test->rel]);
    put_integer(to, test->int_right);
    break;
  case C_REL:
    put(to, test->left);
    as_str_add(&to->out, sign[test->rel]);
    put(to, test->right);
    break;
  case C_AND:
  case C_OR:
    put_condition(to, test->first);
    as_str_add(&to->out, test->kind == C_AND ? " && " : " || ");
    put_condition(to, test->second);
    break;
  case C_NOT:
    put_condition(to, test->first);
    break;
  }
  as_str_add(&to->out, ")");
}

static void put_access(printing *to, const code *body) {
  as_str_printf(&to->out, "a[%u][0", body->which);
  size_t stride = 1;
  for (uint32_t i = body->nindex; i-- > 0;) {
    int64_t extent = to->dim[body->which][i];
    as_str_add(&to->out, " + inside(");
    put_integer(to, body->index[i]);
    as_str_printf(&to->out, ", %lldLL) * %zuu", (long long)extent, stride);
    stride *= (size_t)extent;
  }
  as_str_add(&to->out, "]");
}

static void put_let(printing *to, const code *body) {
  as_str_printf(&to->out, "let%u_%u(a", to->node, body->which);
  for (uint32_t i = 0; i < body->nindex; i++) {
    as_str_add(&to->out, ", ");
    put_integer(to, body->index[i]);
  }
  as_str_add(&to->out, ")");
}

static void put_fold(printing *to, const code *body) {
  static const char *const step[] = {[S_SUM] = "x += y",
                                     [S_PROD] = "x *= y",
                                     [S_MAXR] = "x = k ? greater(x, y) : y",
                                     [S_MINR] = "x = k ? lesser(x, y) : y"};
  bool sum = body->kind == S_SUM;
  bool product = body->kind == S_PROD;
  as_str_printf(&to->out, "[&] { double x = %s; const integer n = ",
                sum       ? "0"
                : product ? "1"
                          : "NAN");
  put_integer(to, body->i);
  as_str_printf(&to->out, "; for (integer k = 0; k < n; k++) { const integer s%u = k; ",
                body->slot);
  as_str_printf(&to->out, "(void)s%u; const double y = ", body->slot);
  put(to, body->kid[0]);
  as_str_printf(&to->out, "; %s; } return x; }()", step[body->kind]);
}

static void put_call(printing *to, const code *body) {
  if (body->kind == S_BUILTIN) {
    as_str_printf(&to->out, "%s(", as_builtin_rows[as_builtin_find(body->name, body->n)].c_name);
  } else {
    unsigned first = to->n_param;
    if (first + body->n > MAX_PARAMS) {
      to->bad = true;
      as_err_set(to->err, AS_BAD_INPUT, "functions within functions have more than %d parameters",
                 MAX_PARAMS);
      return;
    }
    as_str_add(&to->out, "[&](");
    for (uint32_t i = 0; i < body->n; i++) {
      to->param[to->n_param++] = body->param[i];
      as_str_printf(&to->out, "%s[[maybe_unused]] double p%u", i ? ", " : "", first + i);
    }
    as_str_add(&to->out, ") { return ");
    put(to, body->kid[body->n]);
    as_str_add(&to->out, "; }(");
    to->n_param = first;
  }
  for (uint32_t i = 0; i < body->n; i++) {
    as_str_add(&to->out, i ? ", " : "");
    put(to, body->kid[i]);
  }
  as_str_add(&to->out, ")");
}

static void put_param(printing *to, const code *body) {
  for (unsigned i = to->n_param; i-- > 0;) {
    if (to->param[i] == body->from) {
      as_str_printf(&to->out, "p%u", i);
      return;
    }
  }
  to->bad = true;
  as_err_set(to->err, AS_INTERNAL, "a parameter is read outside of its function");
}

/* operands between texts: `before` first `between` second `after` */
static void put_operation(printing *to, const char *before, const code *body, const char *between,
                          const char *after) {
  as_str_add(&to->out, before);
  put(to, body->kid[0]);
  as_str_add(&to->out, between);
  if (body->n > 1)
    put(to, body->kid[1]);
  as_str_add(&to->out, after);
}

static void put_unary(printing *to, const code *body) {
  static const char *const function[] = {[AS_U_NEG] = "-(",
                                         [AS_U_INV] = "inverse(",
                                         [AS_U_EXP] = "exp(",
                                         [AS_U_LOG] = "logarithm(",
                                         [AS_U_SQRT] = "root("};
  put_operation(to, function[body->un], body, "", ")");
}

/* a mod b = a - b * floor(a / b), of integers that are data */
static void put_remainder(printing *to, const code *body) {
  put_operation(to, "[&](double x, double y) { return x - y * floor_of(x, y); }(", body, ", ", ")");
}

static void put(printing *to, const code *body) {
  switch (body->kind) {
  case S_CONST:
    put_number(to, *(const double *)body->from);
    return;
  case S_PARAM:
    put_param(to, body);
    return;
  case S_INT:
    as_str_add(&to->out, "(double)(");
    put_integer(to, body->i);
    as_str_add(&to->out, ")");
    return;
  case S_ARG:
    put_access(to, body);
    return;
  case S_LET:
    put_let(to, body);
    return;
  case S_ADD:
    put_operation(to, "(", body, " + ", ")");
    return;
  case S_SUB:
    put_operation(to, "(", body, " - ", ")");
    return;
  case S_MUL:
    put_operation(to, "(", body, " * ", ")");
    return;
  case S_DIV:
    put_operation(to, "(", body, " * inverse(", "))");
    return;
  case S_IDIV:
    put_operation(to, "floor_of(", body, ", ", ")");
    return;
  case S_MOD:
    put_remainder(to, body);
    return;
  case S_UN:
    put_unary(to, body);
    return;
  case S_ABS:
    put_operation(to, "fabs(", body, "", ")");
    return;
  case S_MAX2:
    put_operation(to, "greater(", body, ", ", ")");
    return;
  case S_MIN2:
    put_operation(to, "lesser(", body, ", ", ")");
    return;
  case S_SUM:
  case S_PROD:
  case S_MAXR:
  case S_MINR:
    put_fold(to, body);
    return;
  case S_IF:
    as_str_add(&to->out, "(");
    put_condition(to, body->cond);
    as_str_add(&to->out, " ? ");
    put(to, body->kid[0]);
    as_str_add(&to->out, " : ");
    put(to, body->kid[1]);
    as_str_add(&to->out, ")");
    return;
  case S_FUNC:
  case S_BUILTIN:
    put_call(to, body);
    return;
  }
}

static void put_let_function(printing *to, const letcode *let, uint32_t which) {
  as_str_printf(&to->out, "static double let%u_%u([[maybe_unused]] const double *const *a",
                to->node, which);
  for (uint32_t i = 0; i < let->nindex; i++)
    as_str_printf(&to->out, ", [[maybe_unused]] integer s%u", let->slot[i]);
  as_str_printf(&to->out, ")\n{\n  static thread_local memo<%u> known;\n  const integer key[] = {",
                let->nindex);
  for (uint32_t i = 0; i < let->nindex; i++)
    as_str_printf(&to->out, "s%u, ", let->slot[i]);
  as_str_add(&to->out, "0};\n  return known.get(key, [&]() -> double { return ");
  put(to, let->body);
  as_str_add(&to->out, "; });\n}\n");
}

static void put_out_function(printing *to, const as_opcode *compiled) {
  size_t elements = 1;
  for (uint32_t i = 0; i < compiled->outrank; i++)
    elements *= (size_t)compiled->outdim[i];
  as_str_printf(&to->out,
                "static void node%u([[maybe_unused]] const double *const *a, "
                "[[maybe_unused]] double *r)\n{\n",
                to->node);
  if (elements > 0) {
    as_str_printf(&to->out, "#pragma omp parallel for\n  for (integer e = 0; e < %zuLL; e++) {\n",
                  elements);
    size_t below = 1;
    for (uint32_t i = compiled->outrank; i-- > 0;) {
      as_str_printf(&to->out, "    [[maybe_unused]] const integer s%u = e / %zuLL %% %lldLL;\n",
                    compiled->out_slot + i, below, (long long)compiled->outdim[i]);
      below *= (size_t)compiled->outdim[i];
    }
    as_str_add(&to->out, "    r[e] = ");
    put(to, compiled->out);
    as_str_add(&to->out, ";\n  }\n");
  }
  as_str_add(&to->out, "}\n\n");
}

static bool extents(printing *to, const as_node *node, int64_t *dim, size_t *elements) {
  *elements = 1;
  for (uint32_t i = 0; i < node->rank; i++) {
    dim[i] = as_size_eval(to->graph->sizes, node->dim[i], to->env);
    if (dim[i] < 0 || __builtin_mul_overflow(*elements, (size_t)dim[i], elements)) {
      return as_err_set(to->err, AS_BAD_INPUT, "the extents of %s have no value at these sizes",
                        node->name ? node->name : "a tensor");
    }
  }
  return true;
}

static bool put_operator(printing *to, as_node_id id) {
  const as_node *node = &to->graph->node[id];
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  uint32_t arank[AS_MAX_ARGS];
  size_t elements;
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg = &to->graph->node[node->arg[i]];
    arank[i] = arg->rank;
    memcpy(adim[i], arg->dim, sizeof adim[i]);
    if (!extents(to, arg, to->dim[i], &elements))
      return false;
  }
  as_opcode *compiled =
      as_opcode_new(to->graph->sizes, node->op, (const as_size(*)[AS_MAX_RANK])adim, arank,
                    node->nargs, node->attr, &as_domain_double, to->env, to->err);
  if (!compiled)
    return false;
  to->node = id;
  to->n_param = 0;
  for (uint32_t i = 0; i < compiled->nlet; i++)
    put_let_function(to, &compiled->let[i], i);
  put_out_function(to, compiled);
  as_opcode_free(compiled);
  return !to->bad;
}

/* the tensor of a number, and of what an operator computes; in both cases `w` and its id */
static bool put_run(printing *to, as_node_id id) {
  const as_node *node = &to->graph->node[id];
  int64_t dim[AS_MAX_RANK];
  size_t elements;
  if (!extents(to, node, dim, &elements))
    return false;
  if (as_node_is_number(node)) {
    double number = node->kind == AS_N_SIZE
                        ? (double)as_size_eval(to->graph->sizes, node->size, to->env)
                        : mpq_get_d(node->value);
    as_str_printf(&to->out, "  std::vector<double> w%u(1, ", id);
    put_number(to, number);
    as_str_add(&to->out, ");\n");
    return true;
  }
  as_str_printf(&to->out, "  std::vector<double> w%u(%zuu); /* %s */\n", id, elements,
                node->name ? node->name : node->op->name);
  as_str_add(&to->out, "  {\n    const double *const a[] = {");
  for (uint32_t i = 0; i < node->nargs; i++) {
    as_node_id arg = node->arg[i];
    uint32_t input = 0;
    while (input < to->graph->n_input && to->graph->input[input] != arg)
      input++;
    if (input < to->graph->n_input)
      as_str_printf(&to->out, "in[%u], ", input);
    else
      as_str_printf(&to->out, "w%u.data(), ", arg);
  }
  as_str_printf(&to->out, "NULL};\n    node%u(a, w%u.data());\n", id, id);
  as_str_printf(&to->out, "    reached(w%u.data(), w%u.size(), reach);\n  }\n", id, id);
  return true;
}

static bool put_outputs(printing *to) {
  for (uint32_t i = 0; i < to->graph->n_output; i++) {
    as_node_id id = to->graph->output[i];
    uint32_t input = 0;
    int64_t dim[AS_MAX_RANK];
    size_t elements;
    if (!extents(to, &to->graph->node[id], dim, &elements))
      return false;
    while (input < to->graph->n_input && to->graph->input[input] != id)
      input++;
    as_str_add(&to->out, "  std::copy_n(");
    if (input < to->graph->n_input)
      as_str_printf(&to->out, "in[%u]", input);
    else
      as_str_printf(&to->out, "w%u.data()", id);
    as_str_printf(&to->out, ", %zuu, out[%u]);\n", elements, i);
  }
  return true;
}

static bool put_program(printing *to) {
  const as_graph *graph = to->graph;
  as_str_add(&to->out, prologue);
  for (as_node_id id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    if (node->block != AS_NONE || node->kind > AS_N_OP) {
      if (node->kind != AS_N_SIZE)
        return as_err_set(to->err, AS_INTERNAL, "the reference is made from a program");
      continue;
    }
    if (node->kind == AS_N_OP && !put_operator(to, id))
      return false;
  }
  as_str_add(&to->out, "}\n\nbool assay_reference(const double *const *in, double *const *out, "
                       "double *reach)\n{\n  using namespace assay_ref;\n  (void)in;\n"
                       "  failed = false;\n  epoch++;\n  *reach = 0;\n");
  for (as_node_id id = 0; id < graph->n; id++) {
    if (graph->node[id].kind != AS_N_INPUT && !put_run(to, id))
      return false;
  }
  if (!put_outputs(to))
    return false;
  as_str_add(&to->out, "  return !failed;\n}\n");
  return true;
}

bool as_eval_text(const as_graph *program, const int64_t *env, char **text, as_err *err) {
  printing to = {.graph = program, .env = env, .err = err};
  as_str_init(&to.out);
  bool ok = put_program(&to);
  if (ok)
    *text = as_str_take(&to.out);
  else
    as_str_clear(&to.out);
  return ok;
}
